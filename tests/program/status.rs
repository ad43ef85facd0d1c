//! What goes on, for programs and as pages: what is told, and to whom.

use super::stage::Stage;
use super::web::{ROOT, ask, blocking, check_answer, check_answer_to, description, encoded, post, serving, site};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
/// What a request passed on by a proxy has, so that it does not come from this machine.
const ELSEWHERE: (&str, &str) = ("X-Forwarded-For", "192.0.2.7");

const TOKENS: [(&str, &str, &str); 3] = [
    ("watcher", "a-watching-secret", "[\"status\"]"),
    ("operator", "an-operating-secret", "[\"status\", \"operate\"]"),
    ("owner", "an-owning-secret", "[\"status\", \"records\", \"private\"]"),
];

/// A stage on which each of the tokens opens what it says.
async fn with_tokens(http: &str, more: &str) -> Stage {
    let stage = Stage::with_all(
        vec![
            site(),
            gatherer_demo::Site::new("hidden").with("/index.html", "<title>Mine</title><a href=gone.html>x</a>"),
        ],
        "",
    )
    .await;
    let mut text = String::from(http);
    for (name, secret, rights) in TOKENS {
        let path = stage.path().join(name);
        std::fs::write(&path, secret).expect("a file");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("permissions");
        let token = format!("[[http-token]]\nname = \"{name}\"\nsecret = {{ file = \"{name}\" }}\nrights = {rights}\n");
        text.push_str(&token);
    }
    stage.configure(&format!("{text}{ROOT}{more}"));
    stage
}

fn bearer(secret: &str) -> String {
    format!("Bearer {secret}")
}

#[tokio::test]
async fn browsers_get_pages_and_programs_what_they_always_got() {
    let (stage, _server, _, http) = serving("").await;
    let record = format!("/records/{}", encoded(&stage.url("/a.html")));
    let explain = stage.good(&["explain", &stage.url("/a.html")]).await;
    let url = stage.url("/a.html");
    blocking(move || {
        let openapi = description();
        for (route, path, words) in [
            ("/", "/", "Nothing runs at the moment"),
            ("/status", "/status", "Root nodes"),
            ("/runs", "/runs", "Runs, the latest first"),
            ("/runs/{number}", "/runs/1", "What it met"),
            ("/records", "/records?root=&kind=&site=", "A \u{201e}quoted\u{201c} &#38; more"),
            ("/records/{url}", record.as_str(), "<h1>A \u{201e}quoted\u{201c} &#38; more</h1>"),
            ("/explain", &format!("/explain?url={}", encoded(&url)), "<dt>next run</dt>"),
        ] {
            let answer = ask(&http, path, &[BROWSER]);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            check_answer(&openapi, route, &answer);
            assert!(answer.text().contains(words), "{path}: {words} is not in {}", answer.text());
            let policy = answer.header("content-security-policy").unwrap_or_default();
            assert!(policy.contains("default-src 'none'") && !policy.contains("script"), "{path}: {policy}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
            let plain = ask(&http, path.split('?').next().unwrap_or(path), &[]);
            assert!(!plain.text().contains("<html"), "{path}: {}", plain.text());
        }
        // The same lines as on the command line.
        let lines = ask(&http, &format!("/explain/{}", encoded(&url)), &[]).json();
        let text: Vec<_> = lines["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|line| {
                format!(
                    "  {:<10} {}",
                    line["about"].as_str().unwrap_or_default(),
                    line["says"].as_str().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(format!("{url}\n{}", text.join("\n")), explain.trim_end());
        let missing = ask(&http, "/nothing", &[BROWSER]);
        assert!(missing.status == 404 && missing.text().contains("<h1>Not Found</h1>"), "{}", missing.text());
    })
    .await;
}

#[tokio::test]
async fn runs_are_kept_and_told() {
    let (stage, mut server, _, http) = serving("").await;
    server.kill().await.expect("an end");
    drop(http);
    let printed = stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        let runs = ask(&http, "/runs", &[]).json();
        let numbers: Vec<_> = runs["runs"].as_array().expect("runs").iter().map(|run| run["run"].clone()).collect();
        assert_eq!((numbers, &runs["next"]), (vec![Value::from(2), Value::from(1)], &Value::Null));
        assert_eq!(ask(&http, "/runs/2", &[]).json(), printed, "as it was printed");
        let page = ask(&http, "/runs?limit=1", &[]).json();
        assert_eq!((page["runs"].as_array().map(Vec::len), &page["next"]), (Some(1), &Value::from(2)));
        let status = ask(&http, "/status", &[]).json();
        assert_eq!((&status["running"], &status["last-run"]), (&Value::Null, &Value::from(2)));
        assert_eq!(status["roots"][0]["records"], 4, "{status}");
    })
    .await;
}

#[tokio::test]
async fn what_goes_on_is_for_this_machine_and_for_tokens() {
    let stage = with_tokens("", "").await;
    stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let explain = format!("/explain/{}", encoded(&stage.url("/a.html")));
    blocking(move || {
        let openapi = description();
        let watcher = bearer("a-watching-secret");
        // `watcher:a-watching-secret`, as a browser sends it.
        let typed = "Basic d2F0Y2hlcjphLXdhdGNoaW5nLXNlY3JldA==";
        for (route, path) in [
            ("/status", "/status"),
            ("/runs", "/runs"),
            ("/runs/{number}", "/runs/1"),
            ("/explain/{url}", explain.as_str()),
        ] {
            assert_eq!(ask(&http, path, &[]).status, 200, "{path}");
            let refused = ask(&http, path, &[ELSEWHERE]);
            assert_eq!(refused.status, 401, "{path}");
            check_answer(&openapi, route, &refused);
            assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
            for word in [watcher.as_str(), typed] {
                assert_eq!(ask(&http, path, &[ELSEWHERE, ("Authorization", word)]).status, 200, "{path} {word}");
            }
            let person = ask(&http, path, &[ELSEWHERE, BROWSER]);
            assert!(person.status == 401 && person.text().contains("as a password"), "{}", person.text());
            assert!(person.header("www-authenticate").is_some_and(|ask| ask.starts_with("Basic")), "{path}");
        }
        // A page of strangers whose name leads here sees no more than they do.
        let rebound = ask(&http, "/status", &[("Host", "evil.example")]);
        assert_eq!(rebound.status, 401, "{}", rebound.text());
        let first = ask(&http, "/", &[ELSEWHERE, BROWSER]);
        assert_eq!(first.status, 200);
        let text = first.text();
        assert!(text.contains("sign in") && text.contains("site") && !text.contains("Recent runs"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn only_an_operators_token_asks_for_something() {
    let stage = with_tokens("", "").await;
    stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        let openapi = description();
        let own = format!("http://{}", http.trim_start_matches("http://"));
        let origin = ("Origin", own.as_str());
        let (operator, watcher) = (bearer("an-operating-secret"), bearer("a-watching-secret"));
        let typed = "Basic b3BlcmF0b3I6YW4tb3BlcmF0aW5nLXNlY3JldA==";
        for path in ["/run", "/reload"] {
            for (headers, form, why) in [
                (vec![], "", "a token with 'operate' is needed"),
                (vec![("Authorization", watcher.as_str())], "", "no right to 'operate'"),
                (vec![("Authorization", typed), origin], "", "is needed"),
                (vec![], "token=an-operating-secret", "not sent by a page of this gatherer"),
                (vec![("Origin", "http://evil.example")], "token=an-operating-secret", "not sent by a page"),
                (vec![origin, ("Sec-Fetch-Site", "cross-site")], "token=an-operating-secret", "not sent by a page"),
                (vec![origin], "token=a-watching-secret", "no right to 'operate'"),
                (vec![origin], "token=an-operating-secreT", "not known here"),
            ] {
                let answer = post(&http, path, &headers, form);
                let detail = answer.json()["detail"].to_string().replace("\\\"", "'");
                assert!(answer.status == 403 && detail.contains(why), "{path} {headers:?}: {detail}");
                check_answer_to(&openapi, ("post", path), &answer);
            }
            assert_eq!(post(&http, path, &[("Authorization", "Bearer nobody-has-this-one")], "").status, 401);
            assert_eq!(ask(&http, path, &[]).status, 405, "{path} is a POST");
        }
        let operator = [("Authorization", operator.as_str())];
        let reloaded = post(&http, "/reload", &operator, "");
        assert_eq!(reloaded.status, 200, "{}", reloaded.text());
        check_answer_to(&openapi, ("post", "/reload"), &reloaded);
        let run = post(&http, "/run", &operator, "everything=true");
        assert!(run.status == 409 && run.text().contains("only serves"), "{}", run.text());
        check_answer_to(&openapi, ("post", "/run"), &run);
        assert_eq!(post(&http, "/run", &operator, "everything=perhaps").status, 400);
        assert_eq!(post(&http, "/run", &operator, "rot=site").status, 400);
        let page = post(&http, "/reload", &[origin, BROWSER], "token=an-operating-secret");
        assert!(page.status == 200 && page.text().contains("The config was read again"), "{}", page.text());
        let long = format!("token={}", "x".repeat(100_000));
        assert_eq!(post(&http, "/run", &[origin], &long).status, 413);
        // Without such a token there is no button; here there is one.
        assert!(ask(&http, "/", &[BROWSER]).text().contains("Run now"));
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_asked_for_comes() {
    let stage = with_tokens("", "").await;
    let (_server, _, http) = stage.serve_with(&["serve"]).await;
    blocking(move || {
        let operator = bearer("an-operating-secret");
        let asked = post(&http, "/run", &[("Authorization", operator.as_str())], "root=site&everything=true");
        assert_eq!(asked.status, 202, "{}", asked.text());
        check_answer_to(&description(), ("post", "/run"), &asked);
        let unknown = post(&http, "/run", &[("Authorization", operator.as_str())], "root=nobody");
        assert!(unknown.status == 409 && unknown.text().contains("there are site"), "{}", unknown.text());
    })
    .await;
}

#[tokio::test]
async fn without_a_token_to_operate_nothing_can_be_asked_for() {
    let (_stage, _server, _, http) = serving("").await;
    blocking(move || {
        assert!(!ask(&http, "/", &[BROWSER]).text().contains("Run now"));
        let own = http.clone();
        for path in ["/run", "/reload"] {
            assert_eq!(post(&http, path, &[("Origin", &own)], "token=x").status, 403, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn private_root_nodes_are_nowhere_for_who_may_not_see_them() {
    let hidden = "[[root-node]]\nname = \"cellar\"\nurl = \"{{hidden}}/\"\ndelay = \"0s\"\nprivate = true\n";
    let stage = with_tokens("", hidden).await;
    stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let origin = stage.web.origin("hidden").to_owned();
    blocking(move || {
        let address = origin.trim_start_matches("http://").to_owned();
        let explain = format!("/explain/{}", encoded(&format!("{origin}/index.html")));
        let unknown = format!("/explain/{}", encoded(&format!("{origin}/never-met.html")));
        let public = format!("/explain/{}", encoded(&format!("{}/", "http://somewhere.example")));
        let owner = bearer("an-owning-secret");
        let owner = [("Authorization", owner.as_str())];
        for (path, is_seen) in [
            ("/status", true),
            ("/runs", true),
            ("/runs/1", true),
            (explain.as_str(), false),
            (&unknown, false),
            (&public, true),
            ("/", true),
            ("/records", true),
        ] {
            for accept in [BROWSER, ("Accept", "application/json")] {
                let answer = ask(&http, path, &[accept]);
                assert_eq!(answer.status, if is_seen { 200 } else { 404 }, "{path}: {}", answer.text());
                let text = answer.text();
                let tells = text.contains("cellar") || (is_seen && text.contains(&address));
                assert!(!tells, "{path} tells of what is private: {text}");
            }
        }
        // What is public beside it is still there, and its owner sees everything.
        assert!(ask(&http, "/runs/1", &[]).json()["roots"]["site"].is_object());
        for path in ["/status", "/runs/1", explain.as_str()] {
            let text = ask(&http, path, &owner).text();
            assert!(text.contains("cellar"), "{path}: {text}");
        }
        assert!(ask(&http, "/runs/1", &owner).text().contains("gone.html"));
    })
    .await;
}
