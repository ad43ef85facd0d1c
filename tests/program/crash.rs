//! `kill -9` at any moment, then another run: the same store as if nothing had happened.

use super::stage::Stage;
use gatherer_demo::{Site, bundled};
use std::time::Duration;

/// How often the program is killed, in each way: a handful, or as often as `GATHERER_TEST_DEATHS` says.
pub(crate) fn deaths() -> usize {
    std::env::var("GATHERER_TEST_DEATHS").ok().and_then(|deaths| deaths.parse().ok()).unwrap_or(8)
}

const CONFIG: &str = "[run]\nfold-chunk = 3\n\
    [root-node-defaults]\ndelay = \"1ms\"\nurl-filter = []\n\
    [[root-node]]\nname = \"harbour\"\nurl = \"{{harbour}}/\"\n\
    [[root-node]]\nname = \"inselhof\"\nurl = \"{{inselhof}}/\"\n\
    [[root-node]]\nname = \"library\"\nurl = \"{{library}}/\"\n";

/// The demo's web without the page that differs at each visit, and which may be visited twice after a death.
fn sites() -> Vec<Site> {
    let steady = |site: Site| if site.name() == "harbour" { site.without("/news.html") } else { site };
    bundled().into_iter().map(steady).collect()
}

async fn undisturbed() -> String {
    let stage = Stage::with_all(sites(), CONFIG).await;
    stage.run().await;
    stage.store().await
}

/// Runs to the end after one death, and compares.
async fn goes_on(stage: &Stage, expected: &str, moment: &str) {
    // Whatever was cut short, all parts of the store tell the same story.
    let seen = stage.gatherer(&["store", "check"]).await;
    assert!(seen.code == Some(0) || seen.err.contains("there is no store"), "killed {moment}: {seen:?}");
    let report = stage.run().await;
    let store = stage.store().await;
    assert!(store == expected, "killed {moment}, then run to the end: {report}\n{store}");
    let collected = stage.good(&["export", "--form", "json"]).await.lines().count();
    assert_eq!(
        collected as u64,
        report["roots"].as_object().map_or(0, |roots| roots.values().filter_map(|root| root["records"].as_u64()).sum()),
        "counts agree with records after a death {moment}"
    );
}

#[tokio::test]
async fn a_killed_run_is_gone_on_with() {
    let expected = undisturbed().await;
    for death in 0..deaths() {
        let stage = Stage::with_all(sites(), CONFIG).await;
        let requests = 1 + death * 60 / deaths();
        let mut child = stage.start(&["run"]);
        tokio::select! {
            () = stage.web.reached(requests) => {}
            ended = child.wait() => panic!("ended before request {requests}: {ended:?}"),
        }
        child.kill().await.expect("a kill");
        goes_on(&stage, &expected, &format!("at request {requests}")).await;
    }
}

#[tokio::test]
async fn a_run_killed_again_and_again_comes_to_its_end() {
    let expected = undisturbed().await;
    let stage = Stage::with_all(sites(), CONFIG).await;
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..deaths() {
        let mut child = stage.start(&["run"]);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = Duration::from_millis(20 + (seed >> 33) % 150);
        // Dies in the middle of whatever it is doing, the fold included.
        let _ = tokio::time::timeout(life, child.wait()).await;
        child.kill().await.expect("a kill");
    }
    goes_on(&stage, &expected, "many times").await;
}

#[tokio::test]
async fn asked_to_stop_it_finishes_what_it_has_in_hand() {
    let expected = undisturbed().await;
    let stage = Stage::with_all(sites(), CONFIG).await;
    let child = stage.start(&["run", "--json"]);
    stage.web.reached(20).await;
    Stage::terminate(&child);
    let output = child.wait_with_output().await.expect("an end");
    assert!(output.status.success(), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["interrupted"], true, "{report}");
    let again = stage.run().await;
    assert_eq!(again["resumed"], true, "{again}");
    assert!(stage.store().await == expected, "{again}");
}
