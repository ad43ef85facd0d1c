//! The hostile world: hosts that break every rule, each by a script, beside a neighbour that has done nothing wrong.
//!
//! Each family is one table of scenarios and one run of the real program over all of its hosts at once. Afterwards the
//! program itself must tell of each what became of it and why, the neighbour must have been gathered whole and asked no more
//! than usual, and the process must have stayed small. A new scenario is a row in its family's table:
//!
//! ```text
//! scenario("status-that-is-no-number", |_| raw("HTTP/1.1 abc OK\r\n\r\n")).fate("/", "no proper answer"),
//! ```

mod content;
mod documents;
mod http2;
mod names;
mod packing;
mod protocol;
mod redirects;
mod robots;
mod scenario;
mod server;
mod sitemaps;
mod sizes;
mod times;
mod traps;

pub(crate) use server::{Hostile, Script, missing, page, raw};

use crate::program::stage::Stage;
use gatherer_demo::{DnsAnswer, DnsServer, Site};
use gatherer_soif::Reader;
use scenario::{Scenario, Seen};
use serde_json::Value;
use server::Wire;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// No run takes so long; one that does hangs.
const PATIENCE: Duration = Duration::from_mins(5);
/// What the whole process may take, with all hosts of a family at once, in bytes.
const MEMORY_MOST: u64 = 700 << 20;
/// Pages of the neighbour beside its first.
const PAGES: usize = 12;
/// The run's limits, unless a family has others. Every host is in work at the same time.
const SETTINGS: &str = "[run]\nworkers = 100\n[fetch]\nconnect-limit = \"10s\"\nanswer-limit = \"30s\"\n";

/// Names of hosts and what they lead to: the answers in turn, the last of them again and again.
type Names = HashMap<String, Vec<Vec<IpAddr>>>;

/// One run over all hosts of a family. `family` is a number of its own, from which their addresses are made.
async fn stand(family: u8, settings: &str, scenarios: Vec<Scenario>) {
    let stage = Stage::with(neighbour(), "").await;
    let origin = stage.web.origin("site").to_owned();
    let dns = name_server(scenarios.iter().flat_map(|one| one.names.clone()).collect()).await;
    let (mut hosts, mut nodes) = (Vec::new(), String::new());
    for (number, one) in scenarios.iter().enumerate() {
        let address = format!("127.{family}.{}.{}", number / 200, number % 200 + 1);
        let host = Hostile::on(&address, one.wire, Arc::clone(&one.script), origin.clone()).await;
        nodes.push_str(&one.root_node(&host));
        hosts.push(host);
    }
    let servers = format!("name-servers = [\"{}\"]\n", dns.address());
    let near = format!("[[root-node]]\nname = \"neighbour\"\nurl = \"{origin}/\"\ndelay = \"0s\"\n");
    stage.configure(&format!("{settings}{servers}{near}{nodes}"));
    let ended = timeout(PATIENCE, stage.gatherer(&["run", "--json"])).await.expect("the run has an end");
    assert!(matches!(ended.code, Some(0 | 3)), "{ended:?}");
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let mut complaints = unhurt(&stage, &report);
    complaints.extend(told(&stage, &report, &scenarios, &hosts).await);
    assert!(complaints.is_empty(), "{} of the family failed:\n  {}\n", complaints.len(), complaints.join("\n  "));
}

fn neighbour() -> Site {
    let links: String = (0..PAGES).map(|number| format!("<a href=\"/p{number}.html\">page {number}</a>\n")).collect();
    let site = Site::new("site").with("/index.html", format!("<title>Neighbour</title>{links}"));
    (0..PAGES).fold(site, |site, number| {
        site.with(&format!("/p{number}.html"), format!("<title>Page {number}</title><p>Text of page {number}."))
    })
}

async fn name_server(names: Names) -> DnsServer {
    let asked = std::sync::Mutex::new(HashMap::<(String, u16), usize>::new());
    let answer = move |name: &str, kind: u16| {
        let Some(answers) = names.get(name) else { return DnsAnswer::NoSuchName };
        let mut asked = asked.lock().expect("nobody panics here");
        let turn = asked.entry((name.to_owned(), kind)).or_default();
        *turn += 1;
        // Good for no second at all, so that the next question gets the next answer.
        DnsAnswer::Addresses(answers[(*turn - 1).min(answers.len() - 1)].clone(), 0)
    };
    DnsServer::start(answer).await.expect("a port")
}

/// What holds for every run, whoever was visited.
fn unhurt(stage: &Stage, report: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    let near = &report["roots"]["neighbour"];
    if near["records"] != PAGES + 1 {
        complaints.push(format!("the neighbour was not gathered whole: {near}"));
    }
    let mut asked: Vec<_> = stage.web.requests().into_iter().map(|request| request.path).collect();
    asked.sort();
    let mut expected: Vec<_> = (0..PAGES).map(|number| format!("/p{number}.html")).collect();
    expected.extend(["/".to_owned(), "/robots.txt".to_owned()]);
    expected.sort();
    if asked != expected {
        complaints.push(format!("the neighbour was asked for {asked:?}"));
    }
    if report["outcomes"].get("stumbled").is_some() {
        complaints.push(format!("something of ours broke: {}", report["outcomes"]["stumbled"]));
    }
    match report["peak_memory"].as_u64() {
        Some(peak) if peak > MEMORY_MOST => complaints.push(format!("{peak} bytes of memory were taken")),
        _ => {}
    }
    complaints
}

/// What the program says of each scenario afterwards, against what it has to say.
async fn told(stage: &Stage, report: &Value, scenarios: &[Scenario], hosts: &[Hostile]) -> Vec<String> {
    let origin = stage.web.origin("site");
    let with_hosts = || scenarios.iter().zip(hosts);
    let mut urls: Vec<_> = with_hosts().flat_map(|(one, host)| one.asks(host, origin)).collect();
    urls.sort();
    urls.dedup();
    let mut explained = BTreeMap::new();
    // A command line has its limits, too.
    for some in urls.chunks(100) {
        let mut command = vec!["explain"];
        command.extend(some.iter().map(String::as_str));
        let text = stage.good(&command).await;
        let parts =
            text.split("\n\n").map(|part| (part.lines().next().unwrap_or_default().to_owned(), part.to_owned()));
        explained.extend(parts);
    }
    let soif = stage.good(&["export"]).await;
    let mut reader = Reader::new(soif.as_bytes());
    let records = reader.objects().map(|object| object.expect("valid SOIF")).map(|object| (object.url.clone(), object));
    let records = records.collect();
    let seen = Seen { explained: &explained, records: &records, report, neighbour: origin };
    with_hosts().flat_map(|(one, host)| one.complaints(host, &seen)).collect()
}
