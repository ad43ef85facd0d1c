//! A gatherer that stays: its schedule, what people ask of it while it serves, and a config that changes under it.

use super::stage::{Stage, lines, pages};
use super::web::{ask, blocking};
use gatherer_demo::Page;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{BufReader, Lines};
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;

/// A year apart: nothing happens by itself.
const YEARLY: &str = "[schedule]\ntime-zone = \"UTC\"\n[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\n\
                      delay = \"0s\"\ntime-to-live = \"800d\"\nschedule = \"0 0 1 1 *\"\n";

struct Serving {
    child: Child,
    said: Lines<BufReader<ChildStderr>>,
    http: String,
}

impl Serving {
    async fn start(stage: &Stage) -> Self {
        let mut child = stage.start(&["serve"]);
        let mut said = lines(&mut child);
        let line = said.next_line().await.expect("a line").expect("a greeting");
        let (_, http) = super::stage::addresses(&line).unwrap_or_else(|| panic!("addresses in {line:?}"));
        Self { child, said, http }
    }

    /// What it says, up to the line that has these words.
    async fn says(&mut self, words: &str) -> String {
        let mut all = String::new();
        while let Ok(Ok(Some(line))) = timeout(Duration::from_secs(60), self.said.next_line()).await {
            all.push_str(&line);
            all.push('\n');
            if line.contains(words) {
                return all;
            }
        }
        panic!("it never says {words:?}: {all}");
    }

    /// Waits for changes, and gives the URLs of all there are.
    async fn changes(&self, since: &str) -> (Vec<String>, String) {
        let (http, path) = (self.http.clone(), format!("/changes?since={since}&wait=30"));
        let lines = blocking(move || ask(&http, &path, &[]).lines()).await;
        let urls = lines.iter().filter_map(|line| line["url"].as_str()).map(str::to_owned).collect();
        let cursor = lines.last().and_then(|end| end["cursor"].as_str()).expect("an end").to_owned();
        (urls, cursor)
    }

    async fn until_known(&self, url: &str) {
        let mut since = "0".to_owned();
        for _ in 0..20 {
            let (urls, cursor) = self.changes(&since).await;
            if urls.iter().any(|known| known == url) {
                return;
            }
            since = cursor;
        }
        panic!("{url} does not come");
    }

    #[expect(clippy::disallowed_methods, reason = "the shell's kill sends the signal")]
    fn hang_up(&self) {
        let id = self.child.id().expect("a running process").to_string();
        assert!(std::process::Command::new("kill").args(["-HUP", &id]).status().expect("kill").success());
    }
}

#[tokio::test]
async fn a_schedule_is_kept_until_somebody_wants_a_run() {
    let stage = Stage::with(pages(2), YEARLY).await;
    let mut serving = Serving::start(&stage).await;
    let plan = serving.says("site: ").await;
    assert!(plan.contains("next") && plan.contains("-01-01 00:00:00 UTC"), "{plan}");
    let asked = stage.good(&["run", "--root", "site"]).await;
    assert!(asked.contains("the gatherer that is serving was asked") && asked.contains("it is run "), "{asked}");
    serving.until_known(&stage.url("/p1.html")).await;
    serving.says("3 visited").await;
    let why = stage.good(&["explain", &stage.url("/p1.html")]).await;
    assert!(why.contains("-01-01 00:00:00 UTC"), "due when the schedule says: {why}");
    let first = &stage.web.requests()[0];
    assert_eq!(first.path, "/robots.txt", "nobody was asked before");
}

#[tokio::test]
async fn a_new_config_is_taken_up_and_a_bad_one_is_not() {
    let stage = Stage::with(pages(2), YEARLY).await;
    let mut serving = Serving::start(&stage).await;
    serving.says("site: ").await;
    stage.configure(&YEARLY.replace("schedule = \"0 0 1 1 *\"\n", "schedule = \"\"\ndepth = 1\n"));
    serving.hang_up();
    let said = serving.says("root-node.site.schedule").await;
    assert!(said.contains("root-node.site.depth = 1, was 0"), "{said}");
    serving.until_known(&stage.url("/p1.html")).await;

    stage.configure(&YEARLY.replace("delay", "dealy"));
    serving.hang_up();
    serving.says("the old one stays").await;
    let ended = stage.gatherer(&["reload"]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("did you mean `delay`?"), "{ended:?}");

    stage.configure(&YEARLY.replace("delay = \"0s\"", "delay = \"5ms\""));
    let changes = stage.good(&["reload"]).await;
    assert!(changes.contains("root-node.site.delay = \"5ms\", was \"0s\""), "{changes}");
    let next = changes.split("what comes next:").nth(1).unwrap_or_default();
    assert!(next.contains("site: ") && next.contains("-01-01 00:00:00 UTC"), "{changes}");
    assert_eq!(serving.child.try_wait().expect("it can be asked"), None, "it goes on");
}

#[tokio::test]
async fn a_run_that_was_asked_for_can_be_waited_for() {
    let root = YEARLY.replace("name = \"site\"", "name = \"dead\"").replace("{{site}}", "http://127.0.0.2:1");
    let root = root.replace("[schedule]\ntime-zone = \"UTC\"\n", "");
    let stage = Stage::with(pages(2), &format!("{YEARLY}{root}")).await;
    let mut serving = Serving::start(&stage).await;
    serving.says("site: ").await;
    let told = stage.good(&["run", "--wait", "--root", "site"]).await;
    let number = told.split("it is run ").nth(1).and_then(|rest| rest.lines().next()).expect("a number");
    assert!(told.contains(&format!("\nrun {number}: 3 visited")) && told.contains("3 new or changed"), "{told}");
    let again: Value =
        serde_json::from_str(&stage.good(&["run", "--wait", "--now", "--root", "site", "--json"]).await).expect("JSON");
    assert_eq!((&again["visited"], &again["refreshed"]), (&3.into(), &3.into()), "{again}");
    let nothing = stage.gatherer(&["run", "--wait", "--root", "dead"]).await;
    assert!(nothing.code == Some(3) && nothing.out.contains("it gave nothing"), "as if run here: {nothing:?}");
    let asked: Value = serde_json::from_str(&stage.good(&["run", "--root", "site", "--json"]).await).expect("JSON");
    assert!(asked["event"] == "asked" && asked["run"].as_u64() > again["run"].as_u64(), "{asked}");
}

#[tokio::test]
async fn a_run_that_had_nothing_to_do_can_be_looked_at() {
    let stage = Stage::with(pages(1), YEARLY).await;
    let mut serving = Serving::start(&stage).await;
    serving.says("site: ").await;
    stage.good(&["run", "--wait"]).await;
    let asked: Value = serde_json::from_str(&stage.good(&["run", "--json"]).await).expect("JSON");
    for _ in 0..2 {
        stage.good(&["run", "--wait"]).await;
    }
    let (http, path) = (serving.http.clone(), format!("/runs/{}", asked["run"]));
    let shown = blocking(move || ask(&http, &path, &[])).await;
    assert_eq!(shown.status, 200, "{asked}: {}", shown.text());
}

#[tokio::test]
async fn who_is_asked_lets_deletions_pass_that_somebody_consents_to() {
    let life = "[life]\ngone-count = 1\ngone-apart = \"0s\"\n";
    let stage = Stage::with(pages(12), &format!("{life}{YEARLY}")).await;
    let mut serving = Serving::start(&stage).await;
    serving.says("site: ").await;
    stage.good(&["run", "--wait"]).await;
    let gone = |number: usize| Page { path: format!("/p{number}.html"), status: Some(404), ..Page::default() };
    stage.web.replace((0..12).fold(pages(12), |site, number| site.with_page(gone(number))));
    let held: Value = serde_json::from_str(&stage.good(&["run", "--now", "--wait", "--json"]).await).expect("JSON");
    assert_eq!((&held["deleted"], &held["held"][0]["deletions"]), (&0.into(), &12.into()), "{held}");
    let passed = stage.good(&["run", "--now", "--wait", "--json", "--allow-deletions", "--root", "site"]).await;
    let passed: Value = serde_json::from_str(&passed).expect("JSON");
    assert_eq!((&passed["deleted"], &passed["held"]), (&12.into(), &serde_json::json!([])), "{passed}");
}

#[tokio::test]
async fn nobody_can_be_asked_who_is_not_there() {
    let stage = Stage::with(pages(1), YEARLY).await;
    let ended = stage.gatherer(&["reload"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("no gatherer is serving"), "{ended:?}");
    // A socket that a killed gatherer has left behind is no gatherer.
    let mut serving = Serving::start(&stage).await;
    serving.says("site: ").await;
    serving.child.kill().await.expect("killed");
    stage.good(&["run"]).await;
}

#[tokio::test]
async fn one_root_node_can_be_run_alone() {
    let sites = vec![pages(2), gatherer_demo::Site::new("other").with("/index.html", "<title>Other</title>")];
    let root = |name: &str| format!("[[root-node]]\nname = \"{name}\"\nurl = \"{{{{{name}}}}}/\"\ndelay = \"0s\"\n");
    let stage = Stage::with_all(sites, &format!("{}{}", root("site"), root("other"))).await;
    let ended = stage.gatherer(&["run", "--root", "otehr"]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("otehr") && ended.err.contains("site, other"), "{ended:?}");
    let report: Value = serde_json::from_str(&stage.good(&["run", "--root", "other", "--json"]).await).expect("JSON");
    assert_eq!(report["visited"], 1, "{report}");
}

#[tokio::test]
async fn what_happens_is_told_line_by_line() {
    let stage = Stage::with(pages(2), &YEARLY.replace("schedule = \"0 0 1 1 *\"\n", "")).await;
    let told = stage.good(&["run", "--events"]).await;
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((of("started"), of("visited"), of("ended")), (1, 3, 1), "{told}");
    assert!(of("folded") >= 1, "{told}");
    let last = &events.last().expect("an end")["report"];
    assert_eq!(last["visited"], 3);
    assert!(last["hosts"][stage.server()]["bytes"].as_u64() > Some(0), "{last}");
    assert!(last["summarizers"].as_object().is_some_and(|by| !by.is_empty()), "{last}");
}

#[tokio::test]
async fn the_log_can_be_read_by_machines() {
    let stage = Stage::with(pages(1), &YEARLY.replace("schedule = \"0 0 1 1 *\"\n", "")).await;
    let ended = stage.gatherer(&["-vv", "--log", "json", "run"]).await;
    let lines: Vec<Value> = ended.err.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let stored = lines.iter().find(|line| line["message"] == "stored" && line["url"] == *stage.url("/p0.html"));
    assert_eq!(
        stored.map(|line| (&line["level"], &line["kind"])),
        Some((&"DEBUG".into(), &"HTML".into())),
        "{ended:?}"
    );
}

#[tokio::test]
async fn quiet_hours_leave_the_host_alone_and_say_so() {
    let quiet = YEARLY.replace("schedule = \"0 0 1 1 *\"\n", "quiet-hours = [\"00:00-24:00\"]\n");
    let stage = Stage::with(pages(2), &quiet).await;
    let ended = stage.gatherer(&["run"]).await;
    assert!(ended.out.contains("quiet hours (00:00-24:00)"), "{ended:?}");
    assert!(stage.web.requests().is_empty());
    let why = stage.good(&["explain", &stage.url("/")]).await;
    assert!(why.contains("quiet hours"), "{why}");
}

#[tokio::test]
async fn a_run_that_hangs_says_where() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = silent.local_addr().expect("an address");
    // Whoever connects is kept waiting.
    let holding = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((socket, _)) = silent.accept().await {
            held.push(socket);
        }
    });
    let stage = Stage::with(
        pages(0),
        &format!(
            "[run]\nwatchdog = \"1s\"\n[fetch]\nanswer-limit = \"4s\"\nrobots = false\n\
         [[root-node]]\nname = \"silent\"\nurl = \"http://{address}/\"\n"
        ),
    )
    .await;
    let ended = stage.gatherer(&["run"]).await;
    holding.abort();
    assert!(ended.err.contains("hung") && ended.err.contains(&address.to_string()), "{ended:?}");
}

#[tokio::test]
async fn a_run_leaves_room_on_the_disk() {
    let stage = Stage::with(pages(1), &format!("[store]\nkeep-free = \"8000000GiB\"\n{YEARLY}")).await;
    let ended = stage.gatherer(&["run"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("keep-free") && ended.err.contains("make room"), "{ended:?}");
    assert!(stage.web.requests().is_empty());
}

#[tokio::test]
async fn schedules_that_make_no_sense_are_complained_of() {
    for (wrong, words) in [
        ("schedule = \"nightly\"", "cron expression"),
        ("schedule = \"every 5s\"", "shorter than a minute"),
        ("schedule = \"0 0 1 1 *\"\ntime-to-live = \"30d\"", "further apart than the time-to-live"),
        ("quiet-hours = [\"8 to 6\"]", "hours look like"),
        ("schedule = \"0 9 * * *\"\nquiet-hours = [\"08:00-18:00\"]", "all its times lie in the quiet hours"),
    ] {
        let config = YEARLY.replace("time-to-live = \"800d\"\nschedule = \"0 0 1 1 *\"", wrong);
        let stage = Stage::with(pages(0), &config).await;
        let ended = stage.gatherer(&["check"]).await;
        assert_eq!(ended.code, Some(2), "{wrong}: {ended:?}");
        assert!(ended.err.contains(words), "{wrong}: {ended:?}");
    }
    let stage = Stage::with(pages(0), &YEARLY.replace("UTC", "Middle/Earth")).await;
    assert!(stage.gatherer(&["check"]).await.err.contains("there is no time zone `Middle/Earth`"));
}
