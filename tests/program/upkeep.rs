//! Years of use: the store looked at, copied and put back while the program serves, and parts of it forgotten.

use super::stage::{Stage, pages};
use super::web::{ask, blocking};
use serde_json::Value;
use std::path::{Path, PathBuf};

const ROOT: &str =
    "[store]\nkeep-bodies = true\n[[root-node]]\nname = \"pages\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn a_store_is_looked_at_while_it_is_served() {
    let stage = Stage::with(pages(12), ROOT).await;
    stage.run().await;
    let (_server, _) = stage.serve().await;
    let said = stage.good(&["store", "check"]).await;
    assert!(said.contains("all is well: 13 records, 13 URLs, 0 queued, 13 bodies, 13 changes"), "{said}");
    let seen = json(&stage.good(&["store", "check", "--json"]).await);
    assert_eq!((&seen["good"], &seen["findings"]), (&true.into(), &serde_json::json!([])));
    let seen = json(&stage.good(&["store", "stats", "--json"]).await);
    assert_eq!((&seen["records"], &seen["bodies"]), (&13.into(), &13.into()), "{seen}");
    assert_eq!((&seen["sites"][0]["records"], &seen["kinds"][0]["name"]), (&13.into(), &"HTML".into()), "{seen}");
    let table = stage.good(&["store", "stats"]).await;
    for word in ["13 records, 13 URLs", "parts", "production", "sites", "kinds      HTML"] {
        assert!(table.contains(word), "{word:?} in {table}");
    }
    let ended = stage.gatherer(&["store", "compact"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("in use by another process"), "{ended:?}");
}

/// Backups are taken while a daemon gathers as fast as it can, and each of them is whole.
#[tokio::test]
async fn backups_of_a_gatherer_at_work_are_whole() {
    let config = format!("[run]\nfold-chunk = 3\n{ROOT}refresh-rate = \"0s\"\nrefresh-range = 1\n");
    let stage = Stage::with(pages(200), &config).await;
    let (mut server, _, _) = stage.serve_with(&["serve"]).await;
    let mut records = Vec::new();
    for _ in 0..4 {
        stage.web.reached(stage.web.requests().len() + 20).await;
        let said = stage.good(&["store", "backup", "backups", "--keep", "2"]).await;
        assert!(said.contains("all is well"), "{said}");
        let seen = json(&stage.good(&["store", "check", "--json"]).await);
        assert_eq!(seen["good"], true, "{seen}");
        records.push(seen["records"].as_u64().unwrap_or(0));
    }
    assert!(records.is_sorted(), "{records:?}");
    let kept = std::fs::read_dir(stage.path().join("backups")).expect("backups").flatten();
    assert!(kept.filter(|entry| entry.path().is_dir()).count() <= 2);
    server.kill().await.expect("an end");
}

#[tokio::test]
async fn a_restored_store_makes_brokers_begin_anew() {
    let stage = Stage::with(pages(5), ROOT).await;
    stage.run().await;
    let said = stage.good(&["store", "backup", "backups"]).await;
    assert!(said.contains("6 records"), "{said}");
    stage.web.replace(pages(7));
    stage.good(&["run", "--now"]).await;
    let (server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let place = http.clone();
    let (cursor, count) = blocking(move || {
        let text = ask(&place, "/changes?since=0&form=jsonl", &[]).text();
        let end = json(text.lines().last().unwrap_or_default());
        (end["cursor"].as_str().expect("a cursor").to_owned(), text.lines().count() - 1)
    })
    .await;
    assert_eq!(count, 8);
    let ended = stage.gatherer(&["store", "restore", "backups", "--force"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("in use by another process"), "{ended:?}");
    Stage::terminate(&server);
    server.wait_with_output().await.expect("an end");
    let ended = stage.gatherer(&["store", "restore", "backups"]).await;
    assert!(ended.code == Some(1) && ended.err.contains("is not empty") && ended.err.contains("--force"), "{ended:?}");
    let said = stage.good(&["store", "restore", "backups", "--force"]).await;
    assert!(said.contains("6 records") && said.contains("before-restore"), "{said}");
    let (_server, address, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        let stale = ask(&http, &format!("/changes?since={cursor}"), &[]);
        assert_eq!(stale.status, 410, "{}", stale.text());
        assert_eq!(ask(&http, "/changes?since=0&form=jsonl", &[]).text().lines().count(), 7);
    })
    .await;
    // A broker that knows only the time of its last visit gets everything again.
    let now = jiff::Timestamp::now().as_second() - 30;
    let collected = stage.good(&["collect", &address, "--since", &now.to_string()]).await;
    assert_eq!(collected.matches("@FILE {").count(), 6, "{collected}");
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_brokers_hear_of_it() {
    let stage = Stage::with(pages(4), ROOT).await;
    stage.run().await;
    let url = stage.url("/p1.html");
    let ended = stage.gatherer(&["forget", &url]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("1 URL, 1 record, 0 queued, 1 body") && ended.err.contains("--yes"), "{ended:?}");
    let (server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let place = http.clone();
    let cursor = blocking(move || {
        let text = ask(&place, "/changes?since=0&form=jsonl", &[]).text();
        json(text.lines().last().unwrap_or_default())["cursor"].as_str().expect("a cursor").to_owned()
    })
    .await;
    // Whoever serves does it, and brokers hear of it at once.
    let said = stage.good(&["forget", &url, "--yes"]).await;
    assert!(said.contains("forgot") && said.contains("is visited next"), "{said}");
    assert!(said.contains("'deny ^/p1\\.html$'"), "how to keep it away: {said}");
    let changes = ask_changes(http, cursor).await;
    assert!(changes.contains("\"change\":\"delete\"") && changes.contains("/p1.html"), "{changes}");
    Stage::terminate(&server);
    server.wait_with_output().await.expect("an end");
    assert!(stage.good(&["explain", &url]).await.contains("record     none"));
    let left = stage.good(&["export", "--kind", "HTML", "--root", "pages", "--site", "127.0.0.2"]).await;
    assert_eq!(left.matches("@FILE {").count(), 4, "{left}");
    assert!(stage.good(&["export", "--kind", "Pdf"]).await.is_empty());
    assert!(stage.good(&["export", "--site", "example.org"]).await.is_empty());
    // The start page has not changed, and is read all the same.
    assert!(stage.good(&["explain", &url]).await.contains("or it was forgotten"));
    stage.good(&["run", "--now"]).await;
    assert!(stage.good(&["show", &url]).await.contains("Page 1"));
    let said = stage.good(&["forget", "--root", "pages", "-y"]).await;
    assert!(said.contains("5 URLs, 5 records"), "{said}");
    assert!(stage.good(&["export"]).await.is_empty());
    assert!(stage.good(&["store", "check"]).await.contains("all is well"));
    let ended = stage.gatherer(&["forget", "--site", "nowhere.example.org", "-y"]).await;
    assert!(ended.code == Some(1) && ended.err.contains("nothing is known of the site"), "{ended:?}");
    assert_eq!(stage.gatherer(&["forget", "-y"]).await.code, Some(2));
}

async fn ask_changes(http: String, cursor: String) -> String {
    blocking(move || ask(&http, &format!("/changes?since={cursor}&form=jsonl"), &[]).text()).await
}

/// Damage in the middle of the largest table file.
fn damage(data: &Path) -> PathBuf {
    let tables = std::fs::read_dir(data).expect("a store").flatten().map(|entry| entry.path());
    let tables = tables.filter(|path| path.extension().is_some_and(|ending| ending == "sst"));
    let largest = tables.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).expect("a table");
    let mut bytes = std::fs::read(&largest).expect("a table");
    bytes[10..60].fill(0x55);
    std::fs::write(&largest, bytes).expect("damage");
    largest
}

#[tokio::test]
async fn damage_is_found_and_a_backup_helps() {
    let stage = Stage::with(pages(6), ROOT).await;
    stage.run().await;
    stage.good(&["store", "compact"]).await;
    stage.good(&["store", "backup", "backups"]).await;
    let table = damage(&stage.path().join("data"));
    let ended = stage.gatherer(&["store", "check"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let name = table.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(ended.err.contains(&name) && ended.err.contains("gatherer store restore"), "{name}: {ended:?}");
    let ended = stage.gatherer(&["store", "backup", "backups"]).await;
    assert!(ended.code == Some(1) && ended.out.contains(".damaged"), "{ended:?}");
    stage.good(&["store", "restore", "backups", "--force"]).await;
    assert!(stage.good(&["store", "check"]).await.contains("all is well: 7 records"));
}

#[tokio::test]
async fn what_can_be_saved_of_a_damaged_store_is_in_step_again() {
    let stage = Stage::with(pages(6), ROOT).await;
    stage.run().await;
    stage.good(&["store", "compact"]).await;
    damage(&stage.path().join("data"));
    let said = stage.good(&["store", "repair"]).await;
    assert!(said.contains("repaired as far as possible"), "{said}");
    assert!(stage.good(&["store", "check"]).await.contains("all is well"));
    stage.good(&["run", "--now"]).await;
    assert!(stage.good(&["store", "check"]).await.contains("all is well: 7 records"), "the next run brings it back");
}

#[tokio::test]
async fn there_is_nothing_to_look_at_without_a_store() {
    let stage = Stage::with(pages(0), ROOT).await;
    for command in [&["store", "check"][..], &["store", "stats"], &["store", "compact"], &["store", "backup", "b"]] {
        let ended = stage.gatherer(command).await;
        assert!(ended.code == Some(1) && ended.err.contains("there is no store at"), "{command:?}: {ended:?}");
    }
    let ended = stage.gatherer(&["store", "restore", "nowhere"]).await;
    assert!(ended.code == Some(1) && ended.err.contains("there is no backup in nowhere"), "{ended:?}");
    assert!(!stage.path().join("data").exists(), "nothing is made by looking");
}
