//! Death, a power cut and a full disk at every single write of a run, one after the other; then another run, and the same store
//! as if nothing had happened, and the same in the hands of a broker who has followed it all through its port.
//!
//! CI takes a sample of the writes, `GATHERER_TEST_DEATHS=1` all of them. The store's own tests do the same without a program
//! around it, thousands of times.

use super::stage::{Stage, steady};
use super::web::{ask, blocking};
use gatherer_demo::{Page, Site};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const CONFIG: &str =
    "[run]\nfold-chunk = 2\nworkers = 1\n[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
/// More writes than any of these runs has.
const MANY: usize = 500;

/// Every write, or one in so many.
fn writes(sample: usize) -> impl Iterator<Item = usize> {
    let is_whole = std::env::var_os("GATHERER_TEST_DEATHS").is_some();
    (1..MANY).step_by(if is_whole { 1 } else { sample })
}

/// A few pages, one that has moved and one that is gone.
fn site() -> Site {
    let links: String = ["a", "b", "c", "old", "gone"].map(|page| format!("<a href=/{page}.html>{page}</a>")).concat();
    let page = |site: Site, name: &&str| site.with(&format!("/{name}.html"), format!("<title>Page {name}</title>"));
    let moved = Page { status: Some(301), location: Some("/a.html".into()), ..Page::default() };
    let site = ["a", "b", "c"]
        .iter()
        .fold(Site::new("site").with("/index.html", format!("<title>Start</title>{links}")), page);
    site.with_page(Page { path: "/old.html".into(), ..moved })
}

async fn undisturbed() -> String {
    let stage = Stage::with(site(), CONFIG).await;
    stage.run().await;
    stage.store().await
}

/// The objects of a store.
fn objects(store: &str) -> Vec<&str> {
    store.split("@FILE { ").filter(|object| !object.trim().is_empty()).map(str::trim).collect()
}

/// Orders one fault after the other until a run has fewer writes than that.
async fn at_every_write(deed: &str) {
    let expected = undisturbed().await;
    for number in writes(2) {
        let stage = Stage::with(site(), CONFIG).await;
        let order = format!("{deed}:{number}");
        let faulty = stage.gatherer_with(&["run", "--json"], &[("GATHERER_STORE_FAULT", Path::new(&order))]).await;
        assert!(!faulty.err.contains("panicked"), "{order}: {faulty:?}");
        if faulty.code == Some(0) {
            assert!(number > 10, "a run of {number} writes is none");
            return;
        }
        assert_end(deed, &faulty);
        whole_as_far_as_it_goes(&stage, &expected, &order).await;
        let report = stage.run().await;
        let store = stage.store().await;
        assert!(store == expected, "after {order} and a run to the end: {report}\n{store}");
    }
    panic!("a run has more than {MANY} writes");
}

/// Who is killed says nothing, and who cannot write says what to do.
fn assert_end(deed: &str, faulty: &super::stage::Ended) {
    let expected = if deed == "fail" { Some(1) } else { None };
    assert!(faulty.code == expected && !faulty.err.contains("panicked"), "{deed}: {faulty:?}");
    assert!(deed != "fail" || faulty.err.contains("check the disk"), "{faulty:?}");
}

/// What can be seen before the next run is whole; death before the first write leaves no store.
async fn whole_as_far_as_it_goes(stage: &Stage, expected: &str, order: &str) {
    let seen = stage.gatherer(&["export"]).await;
    if seen.code != Some(0) {
        assert!(seen.err.contains("there is no store"), "{order}: {seen:?}");
        return;
    }
    let origins: Vec<_> = stage.web.origins().collect();
    let seen = steady(&seen.out, &origins);
    let whole = objects(expected);
    let strange = objects(&seen).into_iter().find(|object| !whole.contains(object)).map(str::to_owned);
    assert_eq!(strange, None, "half a record after {order}");
}

#[tokio::test]
async fn death_before_any_write_loses_nothing() {
    at_every_write("kill").await;
}

#[tokio::test]
async fn death_behind_any_write_loses_nothing() {
    at_every_write("killed").await;
}

#[tokio::test]
async fn a_disk_that_is_full_from_any_write_on_loses_nothing() {
    at_every_write("fail").await;
}

/// A broker who keeps a copy in step through the port.
#[derive(Default, Clone)]
struct Broker {
    cursor: String,
    copy: BTreeMap<String, Value>,
}

impl Broker {
    /// Asks for what has changed since, and compares with what the same port says is there.
    fn follow(mut self, http: &str) -> Self {
        let since = if self.cursor.is_empty() { "0" } else { &self.cursor };
        let answer = ask(http, &format!("/changes?since={since}"), &[]);
        assert_eq!((answer.status, answer.is_whole), (200, true), "{}", answer.text());
        for change in answer.lines() {
            let url = change["url"].as_str().unwrap_or_default().to_owned();
            match change["change"].as_str().unwrap_or_default() {
                "update" => drop(self.copy.insert(url, change["record"]["attributes"].clone())),
                "refresh" => {
                    let known = self.copy.get_mut(&url).and_then(Value::as_object_mut);
                    let known = known.unwrap_or_else(|| panic!("{url} is refreshed, and was never told of"));
                    known.extend(change["attributes"].as_object().cloned().unwrap_or_default());
                }
                "delete" => assert!(self.copy.remove(&url).is_some(), "{url} is deleted, and was not there"),
                _ => {}
            }
            change["cursor"].as_str().unwrap_or_default().clone_into(&mut self.cursor);
        }
        let records = ask(http, "/records", &[]).lines().into_iter();
        let records =
            records.map(|one| (one["url"].as_str().unwrap_or_default().to_owned(), one["attributes"].clone()));
        assert_eq!(self.copy, records.collect(), "the copy is what the store has");
        self
    }
}

/// Serves, and lets the broker ask.
async fn served(stage: &Stage, broker: Broker) -> Broker {
    let (mut server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let broker = blocking(move || broker.follow(&http)).await;
    server.kill().await.expect("an end");
    broker
}

/// Puts a copy of a directory in the place of another.
fn put(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir(to).expect("a directory");
    // The door for commands is no file.
    let files = std::fs::read_dir(from).expect("a directory").flatten().filter(|entry| entry.path().is_file());
    for entry in files {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

/// A broker knows the first run; the second one changes, deletes and adds, and meets with a disaster at each write in turn.
async fn a_broker_follows(deed: &str) {
    let config =
        format!("[life]\ngone-count = 1\ngone-apart = \"0s\"\n{CONFIG}refresh-rate = \"0s\"\nrefresh-range = 1\n");
    let stage = Stage::with(site(), &config).await;
    stage.run().await;
    let first = served(&stage, Broker::default()).await;
    let gone = Page { path: "/b.html".into(), status: Some(410), ..Page::default() };
    let start = "<title>Start</title><a href=/a.html>a</a><a href=/b.html>b</a><a href=/d.html>d</a>";
    stage.web.replace(
        site().with("/index.html", start).with("/a.html", "<title>New</title>").with("/d.html", "d").with_page(gone),
    );
    let (data, before) = (stage.path().join("data"), stage.path().join("before"));
    put(&data, &before);
    stage.run().await;
    let expected = stage.store().await;
    for number in writes(9) {
        put(&before, &data);
        let order = format!("{deed}:{number}");
        let faulty = stage.gatherer_with(&["run"], &[("GATHERER_STORE_FAULT", Path::new(&order))]).await;
        if faulty.code == Some(0) {
            assert!(number > 10, "a run of {number} writes is none");
            return;
        }
        assert_end(deed, &faulty);
        let broker = served(&stage, first.clone()).await;
        stage.good(&["run"]).await;
        served(&stage, broker).await;
        assert_eq!(stage.store().await, expected, "after {order}");
    }
    panic!("a run has more than {MANY} writes");
}

#[tokio::test]
async fn a_broker_misses_nothing_when_the_gatherer_dies() {
    a_broker_follows("killed").await;
}

#[tokio::test]
async fn a_broker_misses_nothing_when_the_power_goes() {
    a_broker_follows("cut").await;
}

#[tokio::test]
async fn a_broker_misses_nothing_when_the_disk_is_full() {
    a_broker_follows("fail").await;
}

#[tokio::test]
async fn a_power_cut_before_any_write_loses_nothing_for_good() {
    at_every_write("cut").await;
}
