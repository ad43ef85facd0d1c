//! Who may see what, by both ports.

use super::stage::Stage;
use super::web::{ROOT, ask, blocking, check_answer, description, encoded, site};
use gatherer_demo::{DnsAnswer, DnsServer};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn private_root_nodes_are_there_for_those_who_may_see_them() {
    let more = "[[http-token]]\nname = \"search\"\nsecret = { file = \"token\" }\nrights = [\"records\", \"private\"]\n\
        [[http-token]]\nname = \"meter\"\nsecret = { file = \"meter\" }\nrights = [\"metrics\"]\n";
    let stage = Stage::with(site(), "").await;
    for (file, word) in [("token", "a-long-secret-word"), ("meter", "another-secret-word")] {
        let path = stage.path().join(file);
        std::fs::write(&path, word).expect("a file");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("permissions");
    }
    let private = ROOT.replace("name = \"site\"", "name = \"site\"\nprivate = true");
    stage.configure(&format!("anonymous = [\"records\"]\n{more}{private}"));
    stage.run().await;
    let (mut server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let url = stage.url("/a.html");
    let one = format!("/records/{}", encoded(&url));
    blocking(move || {
        let openapi = description();
        let token = [("Authorization", "Bearer a-long-secret-word")];
        for (path, without, with) in
            [(one.as_str(), 404, 200), ("/records", 200, 200), ("/changes?since=0", 200, 200), ("/metrics", 401, 403)]
        {
            assert_eq!(ask(&http, path, &[]).status, without, "{path}");
            assert_eq!(ask(&http, path, &token).status, with, "{path}");
        }
        assert_eq!(ask(&http, "/records", &[]).lines().len(), 0);
        assert_eq!(ask(&http, "/records", &token).lines().len(), 4);
        assert_eq!(ask(&http, "/changes?since=0", &[]).lines().len(), 1);
        assert_eq!(ask(&http, "/changes?since=0", &token).lines().len(), 5);
        for wrong in ["Bearer a-long-secret-worx", "Bearer ", "Basic a-long-secret-word", "nonsense"] {
            let answer = ask(&http, "/records", &[("Authorization", wrong)]);
            assert_eq!(answer.status, 401, "{wrong}");
            check_answer(&openapi, "/records", &answer);
        }
        let meter = [("Authorization", "Bearer another-secret-word")];
        let metrics = ask(&http, "/metrics", &meter).text();
        assert!(
            metrics.contains("gatherer_records{root=\"(private)\"} 4") && !metrics.contains("\"site\""),
            "{metrics}"
        );
        for line in metrics.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.starts_with("gatherer_"), "{line}");
        }
    })
    .await;
    let collected = stage.gatherer(&["collect", &brokers]).await;
    assert!(collected.err.contains("0 objects") && collected.out.is_empty(), "{collected:?}");
    stage.configure(&format!("{more}{private}"));
    let trusting = std::fs::read_to_string(stage.path().join("gatherer.toml")).expect("the config");
    let trusting =
        trusting.replace("[broker]\n", "[broker]\naccess = [\"deny 192.0.2.0/24\", \"trust 127.0.0.0/8\"]\n");
    std::fs::write(stage.path().join("gatherer.toml"), trusting).expect("the config");
    server.kill().await.expect("an end");
    let (_server, brokers, _) = stage.serve_with(&["serve", "--no-run"]).await;
    let collected = stage.gatherer(&["collect", &brokers]).await;
    assert!(collected.err.contains("4 objects"), "{collected:?}");
}

#[tokio::test]
async fn names_are_looked_up_and_followed_back() {
    // This machine is `localhost` whatever name servers say (RFC 6761); what they say of others is tried in `fetch`.
    let names = DnsServer::start(|_, _| DnsAnswer::Names(vec!["search.example.org".to_owned()], 60)).await;
    let names = names.expect("a port");
    let stage = Stage::with(site(), ROOT).await;
    stage.run().await;
    let config = std::fs::read_to_string(stage.path().join("gatherer.toml")).expect("the config");
    for (rule, is_let_in) in [("allow localhost", true), ("allow search.example.org", false), ("allow host", false)] {
        let access = format!("access = [\"deny 192.0.2.0/24\", \"{rule}\"]\n");
        let asking = format!("[fetch]\nname-servers = [\"{}\"]\n", names.address());
        let changed = config
            .replace("[broker]\n", &format!("{asking}[broker]\n{access}"))
            .replace("[http]\n", &format!("[http]\n{access}"));
        std::fs::write(stage.path().join("gatherer.toml"), changed).expect("the config");
        let (mut server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
        let collected = stage.gatherer(&["collect", &brokers]).await;
        assert_eq!(collected.code, Some(i32::from(!is_let_in)), "{rule}: {collected:?}");
        assert_eq!(collected.err.contains("may not collect here"), !is_let_in, "{rule}: {collected:?}");
        let status = blocking(move || ask(&http, "/records", &[]).status).await;
        assert_eq!(status, if is_let_in { 200 } else { 403 }, "{rule}");
        server.kill().await.expect("an end");
    }
}

#[tokio::test]
async fn whom_no_rule_lets_in_is_told_so_and_too_many_are_told_to_wait() {
    let stage = Stage::with(site(), ROOT).await;
    stage.run().await;
    let config = std::fs::read_to_string(stage.path().join("gatherer.toml")).expect("the config");
    let denied = config
        .replace("[http]\n", "[http]\naccess = [\"allow 192.0.2.1\"]\n")
        .replace("[broker]\n", "[broker]\naccess = [\"deny all\"]\n");
    std::fs::write(stage.path().join("gatherer.toml"), denied).expect("the config");
    let (mut server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let turned_away = stage.gatherer(&["collect", &brokers]).await;
    assert!(
        turned_away.code == Some(1) && turned_away.err.contains("127.0.0.1 may not collect here"),
        "{turned_away:?}"
    );
    let address = http.clone();
    let answer = blocking(move || ask(&address, "/records", &[])).await;
    assert!(answer.status == 403 && answer.text().contains("127.0.0.1 may not read here"), "{}", answer.text());
    let web = stage.gatherer(&["collect", &http]).await;
    assert!(web.err.contains("answers 403"), "{web:?}");
    server.kill().await.expect("an end");

    let hasty = config.replace("[broker]\n", "[broker]\nrequests-per-minute = 3\nclients-per-address = 2\n");
    std::fs::write(stage.path().join("gatherer.toml"), hasty).expect("the config");
    let (_server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        let statuses: Vec<_> = (0..5).map(|_| ask(&http, "/openapi.json", &[]).status).collect();
        assert_eq!(statuses, [200, 200, 200, 429, 429]);
        let later = ask(&http, "/openapi.json", &[]);
        assert!(later.header("retry-after").and_then(|wait| wait.parse::<u64>().ok()).is_some_and(|wait| wait > 0));
        check_answer(&description(), "/openapi.json", &later);
        assert_eq!(ask(&http, "/health", &[]).status, 200, "who watches is not held off");
        let greetings: Vec<_> = (0..3)
            .map(|_| {
                let mut line = String::new();
                let mut reading = BufReader::new(TcpStream::connect(&brokers).expect("a connection"));
                reading.read_line(&mut line).expect("a greeting");
                (line, reading)
            })
            .collect();
        let codes: Vec<_> = greetings.iter().map(|(line, _)| &line[..3]).collect();
        assert_eq!(codes, ["000", "000", "904"]);
    })
    .await;
}

#[tokio::test]
async fn who_may_see_more_or_less_than_before_begins_anew() {
    let token = "[[http-token]]\nname = \"search\"\nsecret = { file = \"token\" }\nrights = [\"private\"]\n";
    let stage = Stage::with(site(), "").await;
    let path = stage.path().join("token");
    std::fs::write(&path, "a-long-secret-word").expect("a file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("permissions");
    stage.configure(&format!("{token}{ROOT}"));
    stage.run().await;
    let (mut server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let cursor = blocking(move || {
        let trusted = [("Authorization", "Bearer a-long-secret-word")];
        let cursor = ask(&http, "/changes?since=0&form=json", &[]).json()["cursor"].as_str().map(str::to_owned);
        let cursor = cursor.expect("a cursor");
        // What one may see is part of where one is, and of what one has.
        assert_eq!(ask(&http, &format!("/changes?since={cursor}"), &[]).status, 200);
        assert_eq!(ask(&http, &format!("/changes?since={cursor}"), &trusted).status, 410);
        let answer = ask(&http, "/records", &[]);
        let tag = answer.header("etag").expect("a tag").to_owned();
        let known = [trusted[0], ("If-None-Match", tag.as_str())];
        assert_eq!(ask(&http, "/records", &known).status, 200);
        assert!(answer.header("vary").is_some_and(|vary| vary.contains("authorization")));
        cursor
    })
    .await;
    server.kill().await.expect("an end");
    stage.configure(&format!("{token}{}", ROOT.replace("name = \"site\"", "name = \"site\"\nprivate = true")));
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        assert_eq!(ask(&http, &format!("/changes?since={cursor}"), &[]).status, 410, "its copy has to go");
        let anew = ask(&http, "/changes?since=0&form=json", &[]).json();
        assert_eq!(anew["changes"].as_array().map(Vec::len), Some(0), "{anew}");
    })
    .await;
}

#[tokio::test]
async fn who_waits_while_that_changes_is_told_so() {
    let stage = Stage::with(site(), ROOT).await;
    stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let address = http.clone();
    let cursor = blocking(move || {
        let answer = ask(&address, "/changes?since=0&form=json", &[]);
        answer.json()["cursor"].as_str().expect("a cursor").to_owned()
    })
    .await;
    let (address, since) = (http.clone(), cursor.clone());
    let following = std::thread::spawn(move || ask(&address, &format!("/changes?since={since}&form=events"), &[]));
    let (address, since) = (http.clone(), cursor.clone());
    let waiting = std::thread::spawn(move || ask(&address, &format!("/changes?since={since}&wait=60"), &[]));
    // Both are under way when they are counted.
    let under_way = move || ask(&http, "/metrics", &[]).text().contains("broker_connections{port=\"http\"} 3");
    blocking(move || while !under_way() {}).await;
    stage.configure(&ROOT.replace("name = \"site\"", "name = \"site\"\nprivate = true"));
    stage.good(&["reload"]).await;
    blocking(move || {
        assert_eq!(waiting.join().expect("an answer").status, 410);
        let told = following.join().expect("an end").text();
        let ids = |what: &str| told.matches(what).count();
        assert_eq!(ids("id: "), ids(&format!("id: {cursor}")), "nothing by the new rules under the old name: {told}");
    })
    .await;
}

#[tokio::test]
async fn what_goes_is_told_to_those_who_could_see_it() {
    let stage = Stage::with(site(), "").await;
    // What goes from a public root node is told; what goes from a private one is not. (Its start stays in scope.)
    for (private, expected) in [(true, 0), (false, 3)] {
        let word = if private { "\nprivate = true" } else { "" };
        let named = |name: &str| ROOT.replace("name = \"site\"", &format!("name = \"{name}\"{word}"));
        stage.configure(&named("site"));
        stage.good(&["run", "--now"]).await;
        let (mut server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
        let place = blocking(move || {
            let answer = ask(&http, "/changes?since=0&form=json", &[]);
            answer.json()["cursor"].as_str().expect("a cursor").to_owned()
        })
        .await;
        server.kill().await.expect("an end");
        stage.configure(&format!("{}depth = 1\nurl-filter = ['deny .']\n", named("site")));
        stage.good(&["run", "--now", "--allow-deletions"]).await;
        let (mut server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
        let deleted = blocking(move || {
            let changes = ask(&http, &format!("/changes?since={place}"), &[]).lines();
            changes.iter().filter(|change| change["change"] == "delete").count()
        })
        .await;
        server.kill().await.expect("an end");
        assert_eq!(deleted, expected, "private: {private}");
    }
}
