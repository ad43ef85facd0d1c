//! How resources are found: by sitemaps, feeds, programs and directories, and which address each of them has.

use super::stage::{Stage, outcomes};
use flate2::Compression;
use flate2::write::GzEncoder;
use gatherer_demo::{FtpHabits, FtpSite, Page, Site};
use std::collections::BTreeMap;
use std::io::Write;

const ROOT: &str = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
const ALWAYS_DUE: &str = "refresh-rate = \"0s\"\n";

/// A site with these pages, each of which says no more than its path.
fn site(paths: &[&str]) -> Site {
    paths.iter().fold(Site::new("site"), |site, path| site.with(path, format!("<title>Page {path}</title>")))
}

/// A start page and two that no page leads to, and rules that name a sitemap.
fn mapped(map: &str) -> Site {
    site(&["/index.html", "/one.html", "/two.html"]).with("/robots.txt", format!("Sitemap: {{{{site}}}}{map}\n"))
}

fn entry(path: &str, more: &str) -> String {
    format!("<url><loc>{path}</loc>{more}</url>")
}

/// A sitemap of both pages that no page leads to.
fn both() -> String {
    format!("<urlset>{}{}</urlset>", entry("/one.html", ""), entry("/two.html", ""))
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).expect("room in memory");
    packer.finish().expect("room in memory")
}

fn requests(stage: &Stage, path: &str) -> usize {
    stage.web.requests().iter().filter(|request| request.path == path).count()
}

async fn explained(stage: &Stage, path: &str, part: &str) {
    let why = stage.good(&["explain", &stage.url(path)]).await;
    assert!(why.contains(part), "{part:?} in {why}");
}

#[tokio::test]
async fn a_sitemap_leads_where_no_page_does() {
    for (map, body) in [
        ("/map.xml", both().into_bytes()),
        ("/map.xml.gz", gzip(&both())),
        ("/map.txt", b"{{site}}/one.html\n\n# a remark\n{{site}}/two.html\n".to_vec()),
    ] {
        let stage = Stage::with(mapped(map).with(map, body), ROOT).await;
        let report = stage.run().await;
        assert_eq!((&report["updated"], outcomes(&report, "enumerated")), (&3.into(), 1), "{map}: {report}");
        explained(&stage, map, "names 2 URLs").await;
        explained(&stage, "/one.html", &format!("found on {}", stage.url(map))).await;
    }
}

#[tokio::test]
async fn an_index_leads_to_its_maps() {
    let index = ["/a.xml", "/b.xml"].map(|map| format!("<sitemap><loc>{{{{site}}}}{map}</loc></sitemap>")).concat();
    let site = mapped("/index.xml")
        .with("/index.xml", format!("<sitemapindex>{index}</sitemapindex>"))
        .with("/a.xml", format!("<urlset>{}</urlset>", entry("/one.html", "")))
        .with("/b.xml", format!("<urlset>{}</urlset>", entry("/two.html", "")));
    let stage = Stage::with(site, ROOT).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], outcomes(&report, "enumerated")), (&3.into(), 3), "{report}");
    explained(&stage, "/index.xml", "names 2 URLs").await;
    explained(&stage, "/b.xml", "names 1 URL").await;
}

#[tokio::test]
async fn a_sitemap_is_start_enough() {
    let node = "[[root-node]]\nname = \"map\"\nsitemaps = [\"{{site}}/map.xml\"]\ndelay = \"0s\"\n";
    let stage = Stage::with(site(&["/one.html", "/two.html"]).with("/map.xml", both()), node).await;
    let report = stage.run().await;
    assert_eq!(report["updated"], 2, "its own host is in scope: {report}");
}

#[tokio::test]
async fn a_single_document_brings_no_sitemap_along() {
    let node = "[[root-node]]\nname = \"leaf\"\nleaves = [\"{{site}}/one.html\"]\ndelay = \"0s\"\n";
    let stage = Stage::with(mapped("/map.xml").with("/map.xml", both()), node).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["visited"]), (&1.into(), &1.into()), "{report}");
}

#[tokio::test]
async fn an_unchanged_sitemap_is_not_read_again() {
    let site = || mapped("/map.xml").with("/map.xml", both());
    for site in [site(), site().without_validators()] {
        let stage = Stage::with(site, &format!("{ROOT}{ALWAYS_DUE}")).await;
        stage.run().await;
        let second = stage.run().await;
        let codes = ["unchanged", "enumerated", "stored"].map(|code| outcomes(&second, code));
        assert_eq!((codes, &second["refreshed"]), ([4, 0, 0], &3.into()), "three pages and the map: {second}");
    }
}

/// How often two runs visit a page that is not due in the second, when the sitemap has come to say this of it.
async fn check_hint(first: Option<u16>, hint: &str, expected: usize) {
    let node = format!("{ROOT}sitemaps = [\"{{{{site}}}}/map.xml\"]\n");
    let map = |hint: &str| format!("<urlset>{}</urlset>", entry("/one.html", hint));
    let pages = site(&["/index.html", "/one.html"]);
    let trouble = Page { path: "/one.html".into(), status: first, ..Page::default() };
    let stage = Stage::with(pages.clone().with_page(trouble).with("/map.xml", map("")), &node).await;
    stage.run().await;
    stage.web.replace(pages.with("/map.xml", map(&format!("<changefreq>monthly</changefreq>{hint}"))));
    let second = stage.run().await;
    assert_eq!(outcomes(&second, "enumerated"), 1, "{hint}: the map is named by hand, so it is read anew: {second}");
    assert_eq!(requests(&stage, "/one.html"), expected, "{first:?}, then {hint:?}: {second}");
}

#[tokio::test]
async fn news_in_a_sitemap_bring_a_visit_forward_and_old_news_do_not() {
    check_hint(Some(500), "<lastmod>2020-01-01</lastmod>", 2).await;
    check_hint(Some(500), "", 1).await;
    check_hint(None, "<lastmod>2020-01-01</lastmod>", 1).await;
    check_hint(None, "<lastmod>2999-01-01</lastmod>", 1).await;
}

#[tokio::test]
async fn what_a_feed_tells_of_is_gathered() {
    let told = |number: &str| {
        let link = format!("<link href=\"{{{{site}}}}/{number}.html\"/>");
        format!(
            "<entry><title>{number}</title><id>urn:{number}</id><updated>2024-05-06T07:08:09Z</updated>{link}</entry>"
        )
    };
    let head = "<title>News</title><id>urn:news</id><updated>2024-05-06T07:08:09Z</updated>";
    let feed = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{head}{}{}</feed>", told("one"), told("two"));
    let site = site(&["/one.html", "/two.html"])
        .with("/index.html", "<title>Start</title><link rel=alternate type=application/atom+xml href=news.atom>")
        .with("/news.atom", feed);
    let stage = Stage::with(site, ROOT).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["kinds"]["Feed"]), (&4.into(), &1.into()), "{report}");
    explained(&stage, "/two.html", &format!("found on {}", stage.url("/news.atom"))).await;
}

#[tokio::test]
async fn a_program_names_leaves_and_root_nodes_and_its_failure_loses_nothing() {
    let site = site(&["/index.html", "/plain.html", "/tree/a.html", "/not-listed.html"])
        .with("/tree/index.html", "<title>Tree</title><a href=a.html>a</a>");
    let stage = Stage::with(site, &format!("{ROOT}{ALWAYS_DUE}enumeration = [\"./list.sh\"]\n")).await;
    let (leaf, node) = (stage.url("/plain.html"), stage.url("/tree/"));
    let fields = format!("{node} 10 /dev/null 1 /dev/null HTTP 0 2 /bin/false");
    let program = stage.path().join("list.sh");
    std::fs::write(&program, format!("#!/bin/sh\n[ ! -e broken ] || exit 1\necho {leaf}\necho '{fields}'\n"))
        .expect("a program");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    let report = stage.run().await;
    assert_eq!(report["updated"], 4, "the start, the leaf, the tree and what it leads to: {report}");
    assert_eq!(report["roots"][format!("site {node}")]["records"], 2, "{report}");

    let before = stage.store().await;
    std::fs::write(stage.path().join("broken"), "").expect("a file");
    let second = stage.run().await;
    assert_eq!((&second["refreshed"], &second["deleted"]), (&4.into(), &0.into()), "{second}");
    assert!(second["warnings"][0].as_str().is_some_and(|text| text.contains("exit status: 1")), "{second}");
    assert_eq!(stage.store().await, before);
}

#[tokio::test]
async fn what_has_the_most_points_comes_first() {
    let shelves = ["archive", "news", "other"];
    let paths: Vec<_> =
        shelves.iter().flat_map(|shelf| ["a", "b", "c"].map(|page| format!("/{shelf}/{page}"))).collect();
    let links: String = paths.iter().map(|path| format!("<a href={path}>x</a>")).collect();
    let pages = site(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let pages = pages.with("/index.html", format!("<title>Start</title>{links}"));
    let rules = "order = \"best\"\npriority = ['+5 ^/news/', '-5 ^/archive/']\n";
    let stage = Stage::with(pages, &format!("{ROOT}{rules}")).await;
    stage.run().await;
    let asked = stage.web.requests();
    let shelves: Vec<_> = asked.iter().skip(2).filter_map(|request| request.path.split('/').nth(1)).collect();
    let expected = ["news", "news", "news", "other", "other", "other", "archive", "archive", "archive"];
    assert_eq!(shelves, expected);
}

#[tokio::test]
async fn one_document_has_one_address() {
    for (rules, links, refused) in [
        ("", ["/p.html?utm_source=a", "/p.html?UTM_Medium=b", "/p.html#part"], 0),
        ("query = \"sort\"\n", ["/p.html?a=1&b=2", "/p.html?b=2&a=1", "/p.html?b=2&utm_x=y&a=1"], 0),
        ("query = \"drop\"\n", ["/p.html", "/p.html?x=1", "/p.html?x=2"], 0),
        ("query = \"refuse\"\n", ["/p.html", "/p.html?x=1", "/p.html?utm_x=1"], 1),
        ("index-names = [\"index.html\"]\n", ["/docs/", "/docs/index.html", "/docs/index.html?utm_x=1"], 0),
    ] {
        let links = links.map(|link| format!("<a href=\"{}\">x</a>", link.replace('&', "&amp;"))).concat();
        let pages = site(&["/p.html", "/docs/index.html"]).with("/index.html", format!("<title>Start</title>{links}"));
        let stage = Stage::with(pages, &format!("{ROOT}{rules}")).await;
        let report = stage.run().await;
        assert_eq!(report["updated"], 2, "{rules:?}: {report}");
        assert_eq!(report["refused"]["out-of-scope"]["count"].as_u64().unwrap_or(0), refused, "{rules:?}: {report}");
        assert_eq!(stage.web.requests().len(), 3, "{rules:?}: rules, start and one page");
    }
}

#[tokio::test]
async fn a_page_is_kept_under_the_address_that_it_names() {
    let pages = site(&["/page.html"])
        .with("/index.html", "<title>Start</title><a href=/print.html>print</a>")
        .with("/print.html", "<title>For printers</title><link rel=canonical href=/page.html>");
    let stage = Stage::with(pages, ROOT).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], outcomes(&report, "canonical")), (&2.into(), 1), "{report}");
    assert!(!stage.store().await.contains("For printers"));
    let alias = format!("alias      {} names this as its own address", stage.url("/print.html"));
    explained(&stage, "/page.html", &alias).await;
}

fn unvouched() -> Site {
    let advert = "<a rel=\"sponsored nofollow\" href=/advert.html>buy</a>";
    site(&["/page.html", "/advert.html"])
        .with("/index.html", format!("<title>Start</title>{advert}<a href=/page.html>page</a>"))
}

#[tokio::test]
async fn what_a_page_does_not_stand_behind_is_noted_and_not_followed() {
    let stage = Stage::with(unvouched(), ROOT).await;
    assert_eq!(stage.run().await["updated"], 2);
    assert_eq!(requests(&stage, "/advert.html"), 0);
    assert!(stage.good(&["show", &stage.url("/")]).await.contains(&stage.url("/advert.html")));
}

#[tokio::test]
async fn a_new_scope_does_not_lead_where_the_page_does_not() {
    let stage = Stage::with(unvouched(), ROOT).await;
    stage.run().await;
    stage.configure(&format!("{ROOT}url-filter = []\n"));
    let second = stage.run().await;
    assert_eq!(requests(&stage, "/advert.html"), 0, "{second}");
}

/// Two runs over a tree of two directories and two files: all is gathered, and then found the same.
async fn check_tree(stage: &Stage, root: &str) {
    stage.configure(&format!("[[root-node]]\nname = \"tree\"\nurl = \"{root}\"\ndelay = \"0s\"\n{ALWAYS_DUE}"));
    let first = stage.run().await;
    assert_eq!(first["updated"], 4, "{first}");
    let second = stage.run().await;
    assert_eq!((&second["updated"], &second["refreshed"]), (&0.into(), &4.into()), "{second}");
    let why = stage.good(&["explain", &format!("{root}below/page.html")]).await;
    assert!(why.contains("stored as HTML") && why.contains(&format!("found on {root}below/")), "{why}");
}

#[tokio::test]
async fn directories_are_followed_by_ftp_too() {
    for is_old in [false, true] {
        let stage = Stage::with(Site::new("site"), "").await;
        let files = [("/note.txt", "A note about corn."), ("/below/page.html", "<title>Below</title>")];
        let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into();
        let habits = FtpHabits { is_old, ..FtpHabits::default() };
        let ftp = FtpSite::start(files, habits).await.expect("a port");
        check_tree(&stage, &format!("{}/", ftp.origin())).await;
        let introduced = ftp.requests().iter().any(|request| request.command == "PASS test@example.org");
        assert!(introduced, "the operator can be reached: {:?}", ftp.requests());
    }
}

#[tokio::test]
async fn directories_of_this_machine_are_followed() {
    let stage = Stage::with(Site::new("site"), "").await;
    let folder = stage.path().join("tree");
    std::fs::create_dir_all(folder.join("below")).expect("a folder");
    std::fs::write(folder.join("note.txt"), "A note about corn.").expect("a file");
    std::fs::write(folder.join("below/page.html"), "<title>Below</title>").expect("a file");
    let root = url::Url::from_directory_path(&folder).expect("a path");
    check_tree(&stage, root.as_str()).await;
}

#[tokio::test]
async fn what_lies_here_is_not_asked_for_there() {
    let pages = site(&["/docs/here.html", "/docs/there.html"])
        .with("/index.html", "<title>Start</title><a href=/docs/here.html>1</a><a href=/docs/there.html>2</a>");
    let mapping = "[fetch]\nlocal-mapping = { \"{{site}}/docs/\" = \"mirror\" }\n";
    let stage = Stage::with(pages, &format!("{mapping}{ROOT}")).await;
    std::fs::create_dir(stage.path().join("mirror")).expect("a folder");
    std::fs::write(stage.path().join("mirror/here.html"), "<title>From the disk</title>").expect("a file");
    let report = stage.run().await;
    assert_eq!(report["updated"], 3, "{report}");
    assert_eq!((requests(&stage, "/docs/here.html"), requests(&stage, "/docs/there.html")), (0, 1));
    assert!(stage.good(&["show", &stage.url("/docs/here.html")]).await.contains("From the disk"));
}
