//! What webmasters see: pauses, back-offs and lines, read off the server's own log; and what nobody may see: secrets.

use super::stage::{Stage, outcomes, pages};
use crate::hostile::{Hostile, Script, raw};
use gatherer_demo::{Page, Request, Site};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn check_gaps(requests: &[Request], least: Duration, when: &str) {
    for pair in requests.windows(2) {
        let gap = pair[1].at.duration_since(pair[0].at);
        assert!(gap >= least, "{when}: {gap:?} between {} and {}", pair[0].path, pair[1].path);
    }
}

#[tokio::test]
async fn no_pause_is_cut_short_by_a_death() {
    let pause = Duration::from_millis(50);
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"50ms\"\nrefresh-rate = \"0s\"\n";
    let stage = Stage::with(pages(12), root).await;
    for death in 0..super::crash::deaths() {
        let before = stage.web.requests().len();
        let mut child = stage.start(&["run"]);
        tokio::select! {
            () = stage.web.reached(before + 1 + death % 4) => {}
            _ = child.wait() => {}
        }
        child.kill().await.expect("a kill");
    }
    stage.run().await;
    let requests = stage.web.requests();
    assert!(requests.len() > 13, "{}", requests.len());
    check_gaps(&requests, pause, "after many deaths");
    let records = stage.good(&["export", "--form", "json"]).await.lines().count();
    assert_eq!(records, 13, "nothing is lost");
}

#[tokio::test]
async fn a_second_process_keeps_the_pause_of_the_first() {
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"300ms\"\nrefresh-rate = \"0s\"\n";
    let stage = Stage::with(Site::new("site").with("/index.html", "<title>One</title>"), root).await;
    for _ in 0..3 {
        stage.run().await;
    }
    check_gaps(&stage.web.requests(), Duration::from_millis(300), "from process to process");
}

#[tokio::test]
async fn a_host_that_asks_for_a_pause_gets_it() {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = Arc::clone(&times);
    let busy = Hostile::start(move |_, target| -> Script {
        if target != "/a" && target != "/b" {
            let page = "<a href=/a>a</a><a href=/b>b</a>";
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len());
            return raw(head);
        }
        let mut times = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        times.push(Instant::now());
        let answer = match times.len() {
            1 => "HTTP/1.1 429 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            _ => "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
        };
        raw(answer)
    })
    .await;
    let root = format!("[[root-node]]\nname = \"busy\"\nurl = \"http://{}/\"\ndelay = \"0s\"\n", busy.address);
    let stage = Stage::with(pages(0), &root).await;
    let report = stage.run().await;
    assert_eq!(outcomes(&report, "server-trouble"), 1, "{report}");
    let times = times.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gap = times[1].duration_since(times[0]);
    assert!(times.len() == 2 && gap >= Duration::from_secs(1), "{gap:?}");
}

#[tokio::test]
async fn a_host_has_as_many_lines_as_the_operator_gives_it() {
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"80ms\"\nconnections = 4\n";
    let stage = Stage::with(pages(12), root).await;
    assert_eq!(stage.run().await["updated"], 13);
    let requests = stage.web.requests();
    // Four lines with a pause each: of any five requests the first and the last are a pause apart.
    for five in requests.windows(5) {
        let gap = five[4].at.duration_since(five[0].at);
        assert!(gap >= Duration::from_millis(80), "{gap:?} between {} and {}", five[0].path, five[4].path);
    }
    let slow = pages(3).with("/robots.txt", "User-agent: *\nCrawl-delay: 0.05\n");
    let stage = Stage::with(slow, &root.replace("80ms", "0s")).await;
    stage.run().await;
    check_gaps(&stage.web.requests()[1..], Duration::from_millis(50), "the site's own pause leaves it one line");
}

#[tokio::test]
async fn traps_are_named_and_left() {
    let trap = Hostile::start(|_, target| -> Script {
        let status = if target == "/robots.txt" { "404 Not Found" } else { "200 OK" };
        let number: u64 = target.rsplit('=').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let far = "<a href=\"/calendar/2077/01/\">far</a><a href=\"/a/a/a/a/a/\">deep</a>";
        let page = format!("<title>Results</title>{far}<p>Nothing new.<a href=\"/list?page={}\">more</a>", number + 1);
        // The page is the same whatever is asked for, but for where it leads.
        let page = if target.contains("page=") { page } else { page.replace("Results", "Start") };
        let page = page.replace("<p>Nothing new.", "<p>Nothing new here.");
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
            page.len()
        );
        raw(head)
    })
    .await;
    let root =
        format!("[[root-node]]\nname = \"trap\"\nurl = \"http://{}/\"\ndelay = \"0s\"\nurl-max = 30\n", trap.address);
    let stage = Stage::with(pages(0), &root).await;
    let report = stage.run().await;
    let why = report["refused"]["trap"]["examples"].to_string();
    assert!(why.contains("2077") && why.contains("/a/a/a/a/a/"), "{report}");
    let explained = stage.good(&["explain", &format!("http://{}/calendar/2077/01/", trap.address)]).await;
    assert!(explained.contains("looks like a trap"), "{explained}");
}

#[tokio::test]
async fn pages_that_give_nothing_new_close_their_pattern() {
    // Every page of the list is the same, byte for byte, and leads to the next by a script's counter in the path.
    let links: String = (0..200).map(|number| format!("<a href=\"/list/{number}\">{number}</a>")).collect();
    let site = Site::new("site").with("/index.html", format!("<title>Start</title>{links}"));
    let site = (0..200).fold(site, |site, number| site.with(&format!("/list/{number}"), "the same old thing"));
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";
    let stage = Stage::with(site, root).await;
    let report = stage.run().await;
    let visited = outcomes(&report, "stored");
    assert!((50..80).contains(&visited), "{visited}: {report}");
    assert!(outcomes(&report, "trap") > 100, "{report}");
    assert!(report["traps"].to_string().contains("/list/N"), "{report}");
    let again = stage.run().await;
    assert!(outcomes(&again, "trap") > 100 && outcomes(&again, "stored") == 0, "nor at the next visit: {again}");
    let explained = stage.good(&["explain", &stage.url("/list/999")]).await;
    assert!(explained.contains("looks like a trap: /list/N"), "{explained}");
}

#[tokio::test]
async fn a_page_that_only_says_it_is_missing_gets_no_record() {
    let site = pages(1).with("/p0.html", "<title>404 Not Found</title><h1>Not Found</h1><p>Sorry.");
    let stage = Stage::with(site, "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n").await;
    let report = stage.run().await;
    assert_eq!((outcomes(&report, "soft-missing"), &report["updated"]), (1, &1.into()), "{report}");
}

#[tokio::test]
async fn secrets_stay_secret() {
    const SECRET: &str = "correct-horse-battery-staple";
    let stage = Stage::with(pages(2), "").await;
    let password = stage.path().join("password");
    std::fs::write(&password, format!("{SECRET}\n")).expect("a file");
    std::fs::set_permissions(&password, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    stage.configure(
        "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nuser = \"jack\"\n\
         password = { file = \"password\" }\nheaders = { X-Key = { env = \"GATHERER_TEST_KEY\" } }\n",
    );
    let environment = [("GATHERER_TEST_KEY", std::path::Path::new("correct-horse-battery-staple-too"))];
    let url = stage.url("/");
    for arguments in [&["run", "-vv"][..], &["config"], &["export"], &["explain", &url], &["show", &url]] {
        let ended = stage.gatherer_with(arguments, &environment).await;
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        assert!(!ended.out.contains(SECRET) && !ended.err.contains(SECRET), "{arguments:?}: {ended:?}");
    }
    assert!(stage.web.requests().iter().any(|request| request.authorized), "it does reach the site");
    assert!(stage.good(&["show", &url]).await.contains("Start"), "who only looks needs no secret");
    let ended = stage.gatherer(&["check"]).await;
    assert!(ended.code == Some(2) && ended.err.contains("GATHERER_TEST_KEY is not set"), "who visits does: {ended:?}");
    for entry in std::fs::read_dir(stage.path().join("data")).expect("a store").flatten() {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        let holds = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!holds, "{} holds it", entry.path().display());
    }
}

fn in_trouble(count: usize) -> Site {
    let trouble = |number: usize| Page { path: format!("/p{number}.html"), status: Some(502), ..Page::default() };
    (0..count).fold(pages(count), |site, number| site.with_page(trouble(number)))
}

#[tokio::test]
async fn a_person_in_a_hurry_does_not_hammer() {
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
    let stage = Stage::with(in_trouble(30), root).await;
    stage.run().await;
    let before = stage.web.requests().len();
    stage.good(&["run", "--now"]).await;
    let asked = stage.web.requests().len() - before;
    assert!((1..=6).contains(&asked), "forgiven once, then left alone again: {asked}");
}

#[tokio::test]
async fn what_is_queued_changes_hands_with_the_config() {
    let root = "[life]\nretry = \"1h\"\n[[root-node]]\nname = \"old\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";
    let stage = Stage::with(pages(8), root).await;
    assert_eq!(stage.run().await["updated"], 9);
    stage.web.replace(in_trouble(8));
    let troubled = stage.run().await;
    assert!(troubled["set_aside"].to_string().contains("502"), "some are left in the queue: {troubled}");
    stage.web.replace(pages(8));
    stage.configure(&root.replace("\"old\"", "\"new\""));
    let report: serde_json::Value = serde_json::from_str(&stage.good(&["run", "--now", "--json"]).await).expect("JSON");
    assert_eq!((&report["deleted"], &report["held"]), (&0.into(), &serde_json::json!([])), "{report}");
    assert_eq!(report["roots"]["new"]["records"], 9, "{report}");
    assert_eq!(report["roots"]["new"]["urls"], 9, "{report}");
}

#[tokio::test]
async fn what_a_host_asks_for_at_its_robots_file_counts_for_all() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let busy = Hostile::start(move |_, _| -> Script {
        count.fetch_add(1, Ordering::SeqCst);
        let answer = "HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        raw(answer)
    })
    .await;
    let start = format!("http://{}/", busy.address);
    let stage = Stage::with(pages(0), &format!("[[root-node]]\nname = \"busy\"\nurl = \"{start}\"\n")).await;
    for _ in 0..3 {
        let ended = stage.gatherer(&["run", "--now"]).await;
        assert_eq!(ended.code, Some(3), "{ended:?}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "once, whoever is in a hurry");
    let why = stage.good(&["explain", &start]).await;
    assert!(why.contains("left alone for another 59 min: it asked for that, once"), "{why}");
    assert!(why.contains("would leave its host alone for another"), "{why}");
}

#[tokio::test]
async fn explain_names_the_rule_against_a_query() {
    let root = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nquery = \"refuse\"\n";
    let stage = Stage::with(pages(1), root).await;
    stage.run().await;
    let why = stage.good(&["explain", &stage.url("/p0.html?a=1")]).await;
    assert!(why.contains("query: refuse") && why.contains("no root node wants it"), "{why}");
    let taken = stage.good(&["explain", &stage.url("/p0.html?utm_source=x")]).await;
    assert!(taken.contains("taken as") && taken.contains("state      current"), "{taken}");
    assert!(stage.good(&["show", &stage.url("/p0.html?utm_source=x")]).await.contains("Page 0"));
}

#[tokio::test]
async fn a_dead_port_takes_no_healthy_one_with_it() {
    let dead = std::net::TcpListener::bind("127.0.0.2:0").expect("a port").local_addr().expect("an address");
    let links = (0..9).map(|number| format!("<a href=\"http://{dead}/p{number}.html\">there</a>")).collect::<String>();
    let site = pages(12).with("/there.html", format!("<title>There</title>{links}"));
    let root = |more: &str| {
        format!(
            "[[root-node]]\nname = \"dead\"\nurl = \"http://{dead}/\"\ndelay = \"0s\"\n[[root-node]]\nname = \"site\"\n\
             url = \"{{{{site}}}}/\"\nleaves = [\"{{{{site}}}}/there.html\"]\ndelay = \"0s\"\n{more}"
        )
    };
    let stage = Stage::with(site, &root("")).await;
    assert!(stage.server().starts_with("127.0.0.2:"), "the same host: {}", stage.server());
    for _ in 0..5 {
        let ended = stage.gatherer(&["run"]).await;
        assert_eq!(ended.code, Some(3), "the dead one gives nothing: {ended:?}");
        assert!(ended.out.contains(&format!("cannot connect to {dead}")), "named with its port: {ended:?}");
    }
    let records = stage.good(&["export", "--form", "json"]).await.lines().count();
    assert_eq!(records, 14, "the healthy one gives all it has");
    let why = stage.good(&["explain", &format!("http://{dead}/")]).await;
    assert!(why.contains(&format!("{dead} is left alone for another")), "{why}");
    let well = stage.good(&["explain", &stage.url("/p3.html")]).await;
    assert!(!well.contains("left alone for another"), "{well}");
}

#[tokio::test]
async fn a_run_of_one_root_node_leaves_the_queues_of_others() {
    let sites = vec![in_trouble(8), Site::new("other").with("/index.html", "<title>Other</title>")];
    let root = |name: &str| format!("[[root-node]]\nname = \"{name}\"\nurl = \"{{{{{name}}}}}/\"\ndelay = \"0s\"\n");
    let stage = Stage::with_all(sites, &format!("{}{}", root("site"), root("other"))).await;
    let troubled = stage.run().await;
    assert!(troubled["set_aside"].get(stage.server()).is_some(), "some are left in the queue: {troubled}");
    stage.web.replace(pages(8));
    let before = stage.web.requests().len();
    let now: serde_json::Value =
        serde_json::from_str(&stage.good(&["run", "--root", "other", "--now", "--json"]).await).expect("JSON");
    assert_eq!((&now["visited"], &now["roots"]["other"]["visited"]), (&1.into(), &1.into()), "{now}");
    assert_eq!(stage.web.requests().len(), before + 1, "nobody is forgiven who was not asked for");
    let all: serde_json::Value = serde_json::from_str(&stage.good(&["run", "--now", "--json"]).await).expect("JSON");
    assert_eq!(all["roots"]["site"]["records"], 9, "they are still there: {all}");
}
