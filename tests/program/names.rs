//! Names and addresses: which of them are one host, and where no name may lead.

use super::stage::{Stage, outcomes};
use crate::hostile::{Hostile, missing, page};
use gatherer_demo::{DnsAnswer, DnsServer, Site};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// A name server that knows these names and no other.
async fn names(known: Vec<(&'static str, Vec<IpAddr>)>) -> DnsServer {
    let answer = move |name: &str, _: u16| match known.iter().find(|(known, _)| *known == name) {
        Some((_, addresses)) => DnsAnswer::Addresses(addresses.clone(), 60),
        None => DnsAnswer::NoSuchName,
    };
    DnsServer::start(answer).await.expect("a port")
}

/// The part of a config that sends all questions there.
fn asking(server: &DnsServer) -> String {
    format!("[fetch]\nname-servers = [\"{}\"]\n", server.address())
}

/// Where the stage's site really is.
fn place(stage: &Stage) -> SocketAddr {
    stage.web.origin("site").trim_start_matches("http://").parse().expect("an address and a port")
}

/// What the site was asked for, in order.
fn asked(stage: &Stage) -> Vec<String> {
    stage.web.requests().into_iter().map(|request| request.path).collect()
}

#[tokio::test]
async fn names_at_one_address_are_asked_as_one_host() {
    let links = "<a href=/p0.html>0</a><a href=/p1.html>1</a><a href=/p2.html>2</a>";
    let site = Site::new("site").with("/index.html", format!("<title>Start</title>{links}"));
    let page =
        |site: Site, number: u32| site.with(&format!("/p{number}.html"), format!("<title>Page {number}</title>"));
    let stage = Stage::with((0..3).fold(site, page), "").await;
    let place = place(&stage);
    let server = names(vec![("a.test", vec![place.ip()]), ("b.test", vec![place.ip()])]).await;
    let root = |name: &str| {
        let url = format!("http://{name}.test:{}/", place.port());
        format!("[[root-node]]\nname = \"{name}\"\nurl = \"{url}\"\ndelay = \"60ms\"\n")
    };
    stage.configure(&format!("{}{}{}", asking(&server), root("a"), root("b")));
    let report = stage.run().await;
    let records = |name: &str| report["roots"][name]["records"].as_u64();
    assert_eq!((records("a"), records("b")), (Some(4), Some(4)), "{report}");
    let requests = stage.web.requests();
    assert_eq!(requests.len(), 10, "rules and four pages for each name");
    for pair in requests.windows(2) {
        let gap = pair[1].at.duration_since(pair[0].at);
        assert!(gap >= Duration::from_millis(60), "{gap:?} between {} and {}", pair[0].path, pair[1].path);
    }
}

async fn check_private(share: bool) {
    let stage = Stage::with(Site::new("site"), "").await;
    let place = place(&stage);
    let port = place.port();
    let IpAddr::V4(plain) = place.ip() else { panic!("the site is on {place}") };
    let (plain, mapped) = (IpAddr::V4(plain), IpAddr::V6(plain.to_ipv6_mapped()));
    let inside = [("plain.test", vec![plain]), ("mapped.test", vec![mapped]), ("mixed.test", vec![plain, mapped])];
    let hosts = inside.iter().map(|(name, _)| format!("{name}:{port}"));
    // Another port of a named host is not named, and a name that nobody has leads nowhere.
    let hosts = hosts.chain(["a.test:9".to_owned(), "nobody.test".to_owned()]);
    let links: String = hosts.map(|host| format!("<a href=\"http://{host}/\">{host}</a>")).collect();
    stage.web.replace(Site::new("site").with("/index.html", format!("<title>Start</title>{links}")));
    let server = names(inside.into_iter().chain([("a.test", vec![plain])]).collect()).await;
    let root = format!("[[root-node]]\nname = \"a\"\nurl = \"http://a.test:{port}/\"\ndelay = \"0s\"\nhost-max = 10\n");
    stage.configure(&format!("{}share-addresses = {share}\n{root}host-filter = [\"allow .\"]\n", asking(&server)));
    let report = stage.run().await;
    let codes = ["stored", "private-address", "robots-unreachable"].map(|code| outcomes(&report, code));
    assert_eq!(codes, [1, 4, 1], "share-addresses = {share}: {report}");
    assert!(report.to_string().contains("no address for nobody.test: there is no such name"), "{report}");
    assert_eq!(asked(&stage), ["/robots.txt", "/"], "nobody else was asked");
}

#[tokio::test]
async fn no_name_leads_to_a_private_address_that_is_not_named() {
    check_private(true).await;
    check_private(false).await;
}

#[tokio::test]
async fn hosts_made_up_without_end_are_a_trap() {
    let links: String = (1..=120).map(|host| format!("<a href=\"http://w{host}.example.org/\">{host}</a>")).collect();
    let body = format!("<title>The same everywhere</title>{links}");
    let answer = move |_: &str, asked: &str| if asked.ends_with("/robots.txt") { missing() } else { page(&body) };
    // Only behind a proxy can a name be public to us and lead to this machine.
    let proxy = Hostile::start(answer).await;
    let server = names(Vec::new()).await;
    let root = format!(
        "[[root-node]]\nname = \"trap\"\nurl = \"http://w0.example.org/\"\nproxy = \"http://{}\"\ndelay = \"0s\"\n\
         host-filter = ['allow \\.example\\.org:80$']\nhost-max = 500\nurl-max = 500\n",
        proxy.address
    );
    let stage = Stage::with(Site::new("site"), &format!("{}{root}", asking(&server))).await;
    let report = stage.run().await;
    let (stored, trapped) = (outcomes(&report, "stored"), outcomes(&report, "trap"));
    assert!((2..=60).contains(&stored) && stored + trapped == 121, "{report}");
    assert!(report["traps"].to_string().contains("*.example.org"), "{report}");
}

#[tokio::test]
async fn a_name_is_one_host_in_any_script() {
    let stage = Stage::with(Site::new("site"), "").await;
    let place = place(&stage);
    let port = place.port();
    let spellings = ["xn--bcher-kva.test", "BÜCHER.test", "b%C3%BCcher.test", "Xn--Bcher-Kva.TEST"];
    let links = spellings.map(|host| format!("<a href=\"http://{host}:{port}/a.html\">{host}</a>")).concat();
    let site = Site::new("site")
        .with("/index.html", format!("<meta charset=utf-8><title>Start</title>{links}"))
        .with("/a.html", "<title>A</title>");
    stage.web.replace(site);
    let server = names(vec![("xn--bcher-kva.test", vec![place.ip()])]).await;
    let root = format!("[[root-node]]\nname = \"books\"\nurl = \"http://bücher.test:{port}/\"\ndelay = \"0s\"\n");
    stage.configure(&format!("{}{root}", asking(&server)));
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["refused"]), (&2.into(), &serde_json::json!({})), "{report}");
    assert_eq!(asked(&stage), ["/robots.txt", "/", "/a.html"]);
    assert!(server.questions().iter().all(|(name, _)| name == "xn--bcher-kva.test"), "{:?}", server.questions());
    let why = stage.good(&["explain", &format!("http://bücher.test:{port}/a.html")]).await;
    assert!(why.starts_with("http://xn--bcher-kva.test:") && why.contains("stored as HTML"), "{why}");
}
