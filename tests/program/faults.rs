//! Death and a full disk at every single write of a run, one after the other; then another run, and the same store as if
//! nothing had happened.

use super::stage::{Stage, steady};
use gatherer_demo::{Page, Site};
use std::path::Path;

const CONFIG: &str =
    "[run]\nfold-chunk = 2\nworkers = 1\n[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
/// More writes than any of these runs has.
const MANY: usize = 500;

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
    for number in 1..MANY {
        let stage = Stage::with(site(), CONFIG).await;
        let order = format!("{deed}:{number}");
        let faulty = stage.gatherer_with(&["run", "--json"], &[("GATHERER_STORE_FAULT", Path::new(&order))]).await;
        assert!(!faulty.err.contains("panicked"), "{order}: {faulty:?}");
        if faulty.code == Some(0) {
            assert!(number > 10, "a run of {number} writes is none");
            return;
        }
        if deed == "fail" {
            assert!(faulty.code == Some(1) && faulty.err.contains("check the disk"), "{order}: {faulty:?}");
        }
        whole_as_far_as_it_goes(&stage, &expected, &order).await;
        let report = stage.run().await;
        let store = stage.store().await;
        assert!(store == expected, "after {order} and a run to the end: {report}\n{store}");
    }
    panic!("a run has more than {MANY} writes");
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
