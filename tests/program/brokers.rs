//! Brokers that keep a copy in step: the examples, and our own client.

use super::stage::steady;
use super::web::{ask, blocking, serving, site};
use gatherer_demo::Page;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

#[tokio::test]
async fn brokers_of_twenty_lines_keep_a_copy_in_step() {
    let (stage, mut server, _, mut http) = serving("").await;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/http/examples");
    let copy_of = |name: &str| stage.path().join(format!("copy.{name}"));
    for round in 0..3 {
        if round > 0 {
            server.kill().await.expect("an end");
            let title = format!("<title>Round {round}</title>");
            let changed = site().with("/a.html", title);
            stage.web.replace(if round == 1 {
                changed
            } else {
                changed.with_page(Page { path: "/b.html".into(), status: Some(410), ..Page::default() })
            });
            stage.run().await;
            let (again, _, address) = stage.serve_with(&["serve", "--no-run"]).await;
            (server, http) = (again, address);
        }
        let address = http.clone();
        let expected = blocking(move || ask(&address, "/records", &[]).lines()).await;
        let expected: BTreeMap<_, _> = expected
            .into_iter()
            .map(|record| (record["url"].as_str().unwrap_or_default().to_owned(), record["attributes"].clone()))
            .collect();
        for (name, program) in [("py", "python3"), ("mjs", "node"), ("sh", "sh")] {
            let copy = copy_of(name);
            run(program, &[&examples.join(format!("broker.{name}")), Path::new(&http), &copy]).await;
            let text = std::fs::read_to_string(&copy).expect("a copy");
            let found: BTreeMap<String, Value> = if name == "sh" {
                let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
                lines
                    .map(|change| {
                        (change["url"].as_str().unwrap_or_default().to_owned(), change["record"]["attributes"].clone())
                    })
                    .collect()
            } else {
                serde_json::from_value(serde_json::from_str::<Value>(&text).expect("JSON")["records"].take())
                    .expect("records")
            };
            assert_eq!(found, expected, "{name} in round {round}");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests run the examples as their readers do")]
async fn run(program: &str, arguments: &[&Path]) {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().await;
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; `.ci/setup tests` installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn our_client_goes_on_where_it_was_by_both_ports() {
    let (stage, mut server, brokers, http) = serving("").await;
    let origins: Vec<_> = stage.web.origins().collect();
    let expected = stage.store().await;
    for address in [&brokers, &http] {
        assert_eq!(steady(&stage.good(&["collect", address]).await, &origins), expected);
        let partial = stage.good(&["collect", address, "--kind", "text", "--attributes", "Type,File-Size"]).await;
        assert_eq!((partial.matches("@FILE").count(), partial.contains("Title")), (1, false), "{partial}");
        assert!(stage.good(&["collect", address, "--info"]).await.contains("Gatherer-Name{4}:\ttest\n"));
    }
    stage.good(&["collect", &brokers, "--cursor", "daemon", "-o", "daemon.soif"]).await;
    stage.good(&["collect", &http, "--cursor", "web", "-o", "web.soif"]).await;
    let wrong = stage.gatherer(&["collect", &http, "--cursor", "daemon"]).await;
    assert!(wrong.code == Some(1) && wrong.err.contains("daemon is for"), "{wrong:?}");
    server.kill().await.expect("an end");
    let changed = site().with("/a.html", "<title>New</title>");
    stage.web.replace(changed);
    stage.run().await;
    // A cursor is good for one address; tests have another port each time.
    let (_server, brokers_now, http_now) = stage.serve_with(&["serve", "--no-run"]).await;
    for (file, before, now) in [("daemon", &brokers, &brokers_now), ("web", &http, &http_now)] {
        let path = stage.path().join(file);
        let text = std::fs::read_to_string(&path).expect("a cursor");
        std::fs::write(&path, text.replace(before.as_str(), now)).expect("a cursor");
        let again = stage.gatherer(&["collect", now, "--cursor", file, "-o", &format!("{file}.soif")]).await;
        assert!(again.code == Some(0) && again.err.contains("1 objects, 3 refreshed, 0 deleted"), "{again:?}");
        let all = std::fs::read_to_string(stage.path().join(format!("{file}.soif"))).expect("objects");
        assert!(all.contains("\tNew\n") && all.contains("@REFRESH"), "{all}");
        std::fs::write(&path, json!({"gatherer": now, "cursor": "0123456789abcdef-7"}).to_string()).expect("a cursor");
        let lost = stage.gatherer(&["collect", now, "--cursor", file]).await;
        assert!(lost.code == Some(1) && lost.err.contains("remove the cursor file"), "{lost:?}");
    }
}

#[tokio::test]
async fn what_a_broken_round_left_behind_is_taken_away_again() {
    let (stage, _server, _, http) = serving("").await;
    stage.good(&["collect", &http, "--cursor", "place", "-o", "all.jsonl", "--form", "json"]).await;
    let whole = std::fs::read_to_string(stage.path().join("all.jsonl")).expect("a file");
    // Somebody was stopped in the middle of a line.
    std::fs::write(stage.path().join("all.jsonl"), format!("{whole}{{\"half\": ")).expect("a file");
    stage.good(&["collect", &http, "--cursor", "place", "-o", "all.jsonl", "--form", "json"]).await;
    assert_eq!(std::fs::read_to_string(stage.path().join("all.jsonl")).expect("a file"), whole);
    let nowhere = stage.gatherer(&["collect", &http, "--cursor", "no/such/place"]).await;
    assert!(nowhere.code == Some(1) && nowhere.out.is_empty(), "told before anything is collected: {nowhere:?}");
}
