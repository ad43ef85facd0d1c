//! Sites without end.

use super::scenario::{Scenario, scenario};
use super::server::{Asked, Script, page};
use super::{SETTINGS, stand};

/// So many URLs would be taken if nobody noticed anything.
const MANY: &str = "url-max = 2000";

#[tokio::test]
async fn sites_without_end_have_one() {
    let rows = [calendars(), sessions(), copies(), hosts()];
    stand(22, SETTINGS, rows.into_iter().flatten().collect()).await;
}

/// A host whose every page has these references.
fn site(name: &'static str, references: impl Fn(&Asked<'_>) -> Vec<String> + Send + Sync + 'static) -> Scenario {
    scenario(name, move |asked| linked("The same everywhere", &references(asked))).node(MANY)
}

fn linked(title: &str, references: &[String]) -> Script {
    let links: String = references.iter().map(|to| format!("<a href=\"{to}\">more</a>\n")).collect();
    page(&format!("<title>{title}</title><p>Nothing to see here.\n{links}"))
}

/// The last number in a path.
fn number(path: &str) -> u64 {
    let digits: String =
        path.chars().rev().skip_while(|last| !last.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().unwrap_or(0)
}

fn calendars() -> Vec<Scenario> {
    vec![
        site("calendar-by-month", |asked| {
            let month = number(asked.path).max(1);
            vec![
                format!("/calendar/{}/{}", 2_026 + month / 12, month % 12 + 1),
                format!("/calendar?month={}", month + 1),
            ]
        })
        .requests(300),
        site("calendar-of-the-far-future", |_| vec!["/calendar/2077/01".to_owned(), "/events/2077-05-01".to_owned()])
            .says("/calendar/2077/01", "looks like a trap")
            .requests(2),
        site("pages-without-end", |asked| vec![format!("/list?page={}", number(asked.path) + 1)]).requests(200),
        site("numbers-without-end", |asked| {
            let next = number(asked.path);
            (1..=20).map(|more| format!("/item/{}", next * 20 + more)).collect()
        })
        .trap("/item/N")
        .requests(300),
    ]
}

fn sessions() -> Vec<Scenario> {
    vec![
        site("session-in-the-query", |asked| {
            vec![format!("/a?phpsessid={}", asked.turn), format!("/b?PHPSESSID={}", asked.turn * 7)]
        })
        .requests(4),
        site("session-in-the-path", |asked| vec![format!("/shop;jsessionid={:032x}", asked.turn)]).requests(4),
        site("session-in-a-segment", |asked| {
            (0..5).map(|more| format!("/s/{:032x}/home", asked.turn * 5 + more + 1_000_000)).collect()
        })
        .requests(300),
        site("parameters-without-number", |asked| {
            let colours = ["red", "green", "blue", "black", "white", "grey"];
            (0..6).map(|more| format!("/find?{}=1&{}={}", colours[more], colours[asked.turn % 6], asked.turn)).collect()
        })
        .requests(1_200),
        site("query-that-grows", |asked| {
            let query = asked.path.split_once('?').map_or("", |(_, query)| query);
            vec![format!("/q?{query}&more={}", asked.turn)]
        })
        .requests(300),
        site("path-that-grows", |asked| vec![format!("{}deeper/", asked.path)]).requests(50),
        site("path-that-turns", |asked| vec![format!("{}left/right/", asked.path)]).requests(50),
    ]
}

fn copies() -> Vec<Scenario> {
    vec![
        scenario("not-found-with-a-good-status", |asked| match asked.path {
            "/" => linked("Start", &(0..30).map(|page| format!("/gone/{page}")).collect::<Vec<_>>()),
            _ => page("<title>Page not found</title><p>The page you requested could not be found."),
        })
        .fate("/gone/7", "says that there is nothing here"),
        scenario("not-found-in-german", |asked| match asked.path {
            "/" => linked("Start", &["/weg".to_owned()]),
            _ => page("<title>Seite nicht gefunden</title><p>Leider."),
        })
        .fate("/weg", "says that there is nothing here"),
        site("one-page-for-all", |asked| (0..10).map(|more| format!("/copy/{}", asked.turn * 10 + more)).collect())
            .requests(300),
        scenario("words-by-chance", |asked| {
            let word = |seed: usize| format!("/{:x}", seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 0xffff_ffff);
            let references: Vec<_> = (0..10).map(|more| word(asked.turn * 10 + more)).collect();
            linked(&format!("Page {}", asked.turn), &references)
        })
        .node("url-max = 200")
        .requests(201),
    ]
}

/// Only behind a proxy can a name be public to us and lead to this machine.
fn hosts() -> Vec<Scenario> {
    let proxied = |name, references: fn(&Asked<'_>) -> Vec<String>| {
        scenario(name, move |asked| {
            if asked.path.ends_with("/robots.txt") { super::missing() } else { linked("The same", &references(asked)) }
        })
    };
    vec![
        proxied("hosts-without-number", |asked| {
            (0..10).map(|more| format!("http://w{}.example.org/", asked.turn * 10 + more)).collect()
        })
        .starting("http://w.example.org/")
        .node("proxy = \"{origin}\"\nhost-filter = ['allow \\.example\\.org:80$']\nhost-max = 500\nurl-max = 500")
        .trap("*.example.org"),
        proxied("hosts-ever-deeper", |asked| {
            let host = asked.path.trim_start_matches("http://").trim_end_matches('/');
            vec![format!("http://www.{host}/")]
        })
        .starting("http://deep.example.net/")
        .node("proxy = \"{origin}\"\nhost-filter = ['allow \\.example\\.net:80$']\nhost-max = 500\nurl-max = 500")
        .requests(150),
    ]
}
