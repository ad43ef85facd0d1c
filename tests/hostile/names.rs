//! Names: that change their mind, that lead inside, that look like others.

use super::scenario::{Scenario, scenario};
use super::server::page;
use super::{SETTINGS, stand};

const EVERYWHERE: &str = "host-max = 50\nhost-filter = [\"allow .\"]";
const PRIVATE: &str = "which no root node names";
/// An address of nobody that looks public: relays that were given up for good.
const PUBLIC: &str = "192.88.99.1";

#[tokio::test]
async fn names_lead_nowhere_they_should_not() {
    stand(16, SETTINGS, [rebinding(), forms(), likenesses()].into_iter().flatten().collect()).await;
    stand(17, &format!("{SETTINGS}share-addresses = false\n"), forms()).await;
}

/// A host whose first page has a reference to there; whoever asks it by another name gets the treasure.
fn links(name: &'static str, to: &'static str) -> Scenario {
    let own = |asked: &str, origin: &str| asked.replace("{port}", origin.rsplit(':').next().unwrap_or_default());
    scenario(name, move |asked| match asked.path {
        "/" => page(&format!("<title>Start</title><a href=\"{}\">there</a>", own(to, asked.origin))),
        _ => page("<title>Treasure</title>"),
    })
    .node(EVERYWHERE)
    .requests(2)
}

fn rebinding() -> Vec<Scenario> {
    vec![
        links("name-that-turns-inward", "http://rebind.test:{port}/x")
            .name("rebind.test", &[&[PUBLIC], &["127.0.0.1"]])
            .fate("http://rebind.test:{port}/x", PRIVATE),
        links("name-of-both-sides", "http://both.test:{port}/x")
            .name("both.test", &[&["127.0.0.1", "10.0.0.1"]])
            .fate("http://both.test:{port}/x", PRIVATE),
        links("name-of-nobody", "http://nobody.test:{port}/x").fate("http://nobody.test:{port}/x", "no such name"),
    ]
}

/// One name for each disguise.
fn forms() -> Vec<Scenario> {
    let inside =
        |name, host: &str, to: &'static str, address: &str| links(name, to).name(host, &[&[address]]).fate(to, PRIVATE);
    vec![
        inside("name-of-loopback", "plain.test", "http://plain.test:{port}/x", "127.0.0.1"),
        inside("name-of-the-network", "lan.test", "http://lan.test:{port}/x", "10.1.2.3"),
        inside("name-of-metadata", "meta.test", "http://meta.test:{port}/x", "169.254.169.254"),
        inside("name-of-mapped-loopback", "mapped.test", "http://mapped.test:{port}/x", "::ffff:127.0.0.1"),
        inside("name-of-translated-loopback", "nat.test", "http://nat.test:{port}/x", "64:ff9b::7f00:1"),
        inside("name-of-tunnelled-loopback", "tunnel.test", "http://tunnel.test:{port}/x", "2002:7f00:1::"),
        inside("name-of-compatible-loopback", "old.test", "http://old.test:{port}/x", "::7f00:1"),
        inside("name-of-the-local-link", "link.test", "http://link.test:{port}/x", "fe80::1"),
        inside("name-of-unique-local", "unique.test", "http://unique.test:{port}/x", "fd00::1"),
        inside("name-of-nothing", "zero.test", "http://zero.test:{port}/x", "0.0.0.0"),
        inside("name-with-a-dot-behind", "dot.test", "http://dot.test.:{port}/x", "127.0.0.1"),
    ]
}

fn likenesses() -> Vec<Scenario> {
    let other = |name, to: &'static str| links(name, to).node("").says(to, "out of scope").visits(1);
    vec![
        // A Cyrillic letter makes another name.
        links("look-alike", "http://ex\u{430}mple.test:{port}/")
            .node("")
            .says("http://xn--exmple-4nf.test:{port}/", "out of scope"),
        other("user-that-looks-like-a-host", "http://127.0.0.1@evil.test:{port}/"),
        links("dots-that-look-like-dots", "http://evil\u{3002}test:{port}/")
            .node("")
            .says("http://evil.test:{port}/", "out of scope"),
        links("name-too-long", "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.test:{port}/")
            .fate("/", "stored as HTML"),
        links("name-of-bad-letters", "http://exa mple.test/\"><a href=\"http://a%00b.test/").fate("/", "stored as HTML"),
        links("port-beyond-ports", "http://example.invalid:99999/").fate("/", "stored as HTML").visits(1),
    ]
}
