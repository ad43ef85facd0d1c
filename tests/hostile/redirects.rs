//! Redirects that lead in circles, into other schemes, to private addresses, and into other people's gardens.

use super::scenario::{Scenario, scenario};
use super::server::{answer, moved, page, raw};
use super::{SETTINGS, stand};

/// A root node that would follow references to any host.
const EVERYWHERE: &str = "host-max = 50\nhost-filter = [\"allow .\"]";
const PRIVATE: &str = "which no root node names";

#[tokio::test]
async fn redirects_lead_nowhere_they_should_not() {
    let settings = format!("{SETTINGS}redirect-limit = 3\n");
    stand(15, &settings, [circles(), schemes(), addresses(), scopes()].into_iter().flatten().collect()).await;
}

/// A host whose first page leads there.
fn leads(name: &'static str, to: &'static str) -> Scenario {
    scenario(name, move |asked| match asked.path {
        "/" => moved(&to.replace("{neighbour}", asked.neighbour).replace("{origin}", asked.origin)),
        _ => page("<title>There</title>"),
    })
}

fn circles() -> Vec<Scenario> {
    vec![
        scenario("circle-of-three", |asked| match asked.path {
            "/" => moved("/second"),
            "/second" => moved("/third"),
            _ => moved("/"),
        })
        .fate("/third", "moved to {origin}/ (302)")
        .visits(3),
        scenario("row-without-end", |asked| {
            moved(&format!("/{}", asked.path.trim_start_matches('/').parse::<u32>().unwrap_or(0) + 1))
        })
        .fate("/3", "moved to")
        .fate("/4", "more than 3 redirects in a row led here")
        .visits(5),
        leads("to-itself", "/").fate("/", "it leads to itself"),
        leads("to-itself-by-a-fragment", "/#again").fate("/", "redirect not followed"),
        scenario("to-itself-by-another-name", |asked| moved(&format!("{}/.//../", asked.origin))).visits(6),
        scenario("growing-path", |asked| moved(&format!("{}a/", asked.path))).visits(6),
        scenario("growing-query", |asked| {
            moved(&format!("{}{}again=1", asked.path, if asked.path.contains('?') { '&' } else { '?' }))
        })
        .visits(6),
        leads("nowhere", "").fate("/", "redirect not followed"),
        leads("to-no-url", "http://[").fate("/", "is no URL"),
        scenario("without-a-place", |_| answer("302 Found", "")).fate("/", "does not say where to"),
        scenario("two-places", |_| raw("HTTP/1.1 302 Found\r\nLocation: /one\r\nLocation: /two\r\n\r\n")).visits(3),
        scenario("choices", |_| answer("300 Multiple Choices", "<a href=/a>a</a>")).fate("/", "does not say where to"),
        scenario("long-way", |_| moved(&format!("/{}", "x".repeat(100_000)))).visits(1),
        scenario("same-page-by-refresh", |_| {
            page("<title>Again</title><meta http-equiv=refresh content=\"0; url=/\">")
        })
        .fate("/", "stored as HTML")
        .visits(1),
    ]
}

fn schemes() -> Vec<Scenario> {
    let refused = |one: Scenario| one.node(EVERYWHERE).visits(1);
    vec![
        refused(leads("to-a-file", "file:///etc/passwd")).fate("/", "moved to file:///etc/passwd"),
        refused(leads("to-a-script", "javascript:alert(1)")),
        refused(leads("to-data", "data:text/html,<title>Data</title>")),
        refused(leads("to-gopher", "gopher://127.0.0.1:70/_x")),
        refused(leads("to-ftp", "ftp://127.0.0.1/pub/")),
        leads("from-secure-to-plain", "{neighbour}/").tls().visits(1),
        leads("with-a-password", "http://user:secret@example.invalid/").fate("/", "moved to http://example.invalid/"),
    ]
}

fn addresses() -> Vec<Scenario> {
    let inside =
        |name, to: &'static str, place: &'static str| leads(name, to).node(EVERYWHERE).fate(place, PRIVATE).requests(2);
    vec![
        inside("to-cloud-metadata", "http://169.254.169.254/latest/", "http://169.254.169.254/latest/"),
        inside("to-the-router", "http://192.168.0.1/", "http://192.168.0.1/"),
        inside("to-loopback", "http://127.0.0.1:1/", "http://127.0.0.1:1/"),
        inside("to-loopback-as-a-number", "http://2130706433:1/x", "http://127.0.0.1:1/x"),
        inside("to-loopback-in-octal", "http://0177.0.0.1:1/y", "http://127.0.0.1:1/y"),
        inside("to-loopback-in-short", "http://127.1:1/z", "http://127.0.0.1:1/z"),
        inside("to-nobody", "http://0:1/", "http://0.0.0.0:1/"),
        inside("to-loopback-of-today", "http://[::1]:1/", "http://[::1]:1/"),
        inside("to-mapped-loopback", "http://[::ffff:127.0.0.1]:1/", "http://[::ffff:7f00:1]:1/"),
        inside("to-translated-loopback", "http://[64:ff9b::7f00:1]:1/", "http://[64:ff9b::7f00:1]:1/"),
        inside("to-the-local-link", "http://[fe80::1]:1/", "http://[fe80::1]:1/"),
        inside("to-localhost", "http://localhost:1/", "http://localhost:1/"),
        inside("to-a-name-below-localhost", "http://any.localhost:1/", "http://any.localhost:1/"),
        inside("to-the-neighbour", "{neighbour}/p0.html?from=there", "{neighbour}/p0.html?from=there"),
    ]
}

fn scopes() -> Vec<Scenario> {
    vec![
        leads("out-of-scope", "http://example.invalid/").fate("/", "moved to").visits(1),
        leads("to-a-forbidden-path", "/private/page")
            .node("url-filter = ['deny ^/private/', 'allow .']")
            .fate("/", "moved to")
            .visits(1),
        leads("to-another-port", "{neighbour}/stolen").visits(1).fate("/", "moved to"),
    ]
}
