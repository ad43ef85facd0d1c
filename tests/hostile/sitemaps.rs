//! Sitemaps without end, without sense, and about other people.

use super::packing::gzip_bomb;
use super::scenario::{Scenario, scenario};
use super::server::{Asked, Script, Step, document, endless, head, moved, page};
use super::{SETTINGS, stand};
use std::iter::once;

const MAP: &str = "url-max = 50\nsitemaps = [\"{origin}/map.xml\"]";
const EVERYWHERE: &str = "url-max = 50\nsitemaps = [\"{origin}/map.xml\"]\nhost-max = 50\nhost-filter = [\"allow .\"]";
const XML: &str = "application/xml";

#[tokio::test]
async fn sitemaps_lead_nowhere_they_should_not() {
    stand(19, SETTINGS, [endless_ones(), wrong_ones(), about_others()].into_iter().flatten().collect()).await;
}

/// A host with this sitemap and a page under every other path.
fn map(name: &'static str, map: impl Fn(&Asked<'_>) -> Script + Send + Sync + 'static) -> Scenario {
    let script = move |asked: &Asked<'_>| {
        if asked.path.starts_with("/map") { map(asked) } else { page(&format!("<title>{}</title>", asked.path)) }
    };
    scenario(name, script).node(MAP).fate("/", "stored as HTML")
}

/// A sitemap in these bytes.
fn written(name: &'static str, text: impl Into<Vec<u8>>) -> Scenario {
    let text = text.into();
    map(name, move |_| document(XML, &text))
}

fn endless_ones() -> Vec<Scenario> {
    let index = |to: &str| format!("<sitemapindex><sitemap><loc>{to}</loc></sitemap></sitemapindex>");
    let tree = |path: &str| -> String {
        let maps = (0..10).map(|number| format!("<sitemap><loc>{path}{number}</loc></sitemap>"));
        format!("<sitemapindex>{}</sitemapindex>", maps.collect::<String>())
    };
    vec![
        map("map-of-millions", |asked| millions(asked.origin))
            .fate("/map.xml", "names 50000 URLs; it was cut at the size limit")
            .visits(51)
            .takes(160 << 20),
        map("map-without-end", |_| endless([head(XML), b"<urlset>".to_vec()].concat(), "<url><loc>".repeat(1_000)))
            .fate("/map.xml", "names 0 URLs")
            .takes(180 << 20),
        map("map-of-itself", move |_| document(XML, index("/map.xml"))).fate("/map.xml", "names 1 URL").visits(2),
        map("maps-in-a-row-without-end", move |asked| {
            let number = asked.path.trim_start_matches("/map").parse::<u32>().unwrap_or(0) + 1;
            document(XML, index(&format!("/map{number}")))
        })
        .visits(60),
        map("tree-of-maps", move |asked| document(XML, tree(asked.path))).visits(60),
        map("bomb-for-a-map", |_| document("application/gzip", gzip_bomb(200))).fate("/map.xml", "names 0 URLs"),
        map("map-in-a-circle", |_| moved("/map.xml")).fate("/map.xml", "leads to itself"),
    ]
}

/// Ten million entries.
fn millions(origin: &str) -> Script {
    let origin = origin.to_owned();
    let entry = move |number: u32| format!("<url><loc>{origin}/p{number}</loc></url>");
    let thousand = move |from: u32| (from..from + 1_000).map(&entry).collect::<String>().into_bytes();
    let start = [&head(XML)[..], b"<urlset>"].concat();
    Box::new(once(start).chain((0..10_000).map(move |number| thousand(number * 1_000))).map(Step::Say))
}

fn wrong_ones() -> Vec<Scenario> {
    let laughs: String =
        (1..=9).map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10))).collect();
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY l0 \"http://x/\">{laughs}]><urlset><url><loc>&l9;</loc></url></urlset>"
    );
    let outside = "<!DOCTYPE urlset [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><urlset><url><loc>/p&f;</loc></url>";
    vec![
        written("map-of-laughs", laughs).fate("/map.xml", "names"),
        written("map-with-a-file-in-it", outside).fate("/map.xml", "names").visits(3),
        map("page-for-a-map", |_| page("<title>Welcome</title><a href=/a>a</a>")).fate("/map.xml", "names 0 URLs"),
        written("image-for-a-map", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..]).fate("/map.xml", "names 0 URLs"),
        written("empty-map", "").fate("/map.xml", "the sitemap is empty"),
        written("map-without-a-bottom", format!("<urlset>{}", "<url>".repeat(200_000))).fate("/map.xml", "names 0 URLs"),
        written("map-cut-short", "<urlset><url><loc>/a</loc></url><url><loc>/b").fate("/a", "stored as HTML"),
        written(
            "map-of-nonsense",
            "<urlset><url><loc>http://[</loc><priority>inf</priority></url><url><loc>/a</loc><lastmod>32.13.9999</lastmod>\
             <changefreq>never ever</changefreq><priority>-7</priority></url></urlset>",
        )
        .fate("/a", "stored as HTML"),
    ]
}

fn about_others() -> Vec<Scenario> {
    let of = |url: &str| format!("<urlset><url><loc>{url}</loc></url></urlset>");
    vec![
        written("map-of-files", of("file:///etc/passwd")).node(EVERYWHERE).visits(2),
        written("map-of-metadata", of("http://169.254.169.254/latest/map"))
            .node(EVERYWHERE)
            .fate("http://169.254.169.254/latest/map", "which no root node names"),
        map("map-of-the-neighbour", move |asked| document(XML, of(&format!("{}/p0.html?map", asked.neighbour))))
            .says("{neighbour}/p0.html?map", "unknown: no run has met it"),
    ]
}
