//! Sitemaps as they should be, as they are, and as nobody should write them.

use super::*;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::Write;

fn here() -> Url {
    Url::parse("http://example.org/maps/sitemap.xml").expect("a URL")
}

fn reading(body: &[u8]) -> SitemapReading {
    read_sitemap(body, &here(), 1_000)
}

fn packed(body: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(body).expect("writes to memory");
    packer.finish().expect("writes to memory")
}

/// The URLs found are these and the complaints those; packed, it is the same.
#[track_caller]
fn check_all(body: impl AsRef<[u8]>, urls: &[&str], complaints: &[&str]) {
    let found = reading(body.as_ref());
    let found_urls: Vec<_> = found.found.iter().map(|mapped| mapped.url.as_str()).collect();
    assert_eq!((found_urls.as_slice(), found.cut), (urls, false));
    assert_eq!(found.complaints, complaints);
    if !body.as_ref().is_empty() {
        assert_eq!(reading(&packed(body.as_ref())), found);
    }
}

/// The URLs found are these, without complaint.
#[track_caller]
fn check(body: impl AsRef<[u8]>, urls: &[&str]) {
    check_all(body, urls, &[]);
}

#[test]
fn a_list_gives_urls_with_their_values() {
    let body = "<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
        <url><loc> http://example.org/a?b=1&amp;c=&#50; </loc><lastmod>2005-01-01</lastmod>
        <changefreq>monthly</changefreq><priority>0.8</priority></url>
        <url><loc>http://other.example/</loc></url></urlset>";
    let a = Mapped {
        url: Url::parse("http://example.org/a?b=1&c=2").expect("a URL"),
        modified: Some(UnixTime(1_104_537_600)),
        interval: Some(Duration::from_hours(30 * 24)),
        priority: Some(0.8),
        is_map: false,
    };
    let url = Url::parse("http://other.example/").expect("a URL");
    let other = Mapped { url, modified: None, interval: None, priority: None, is_map: false };
    assert_eq!(reading(body.as_bytes()), SitemapReading { found: vec![a, other], ..SitemapReading::default() });
}

#[test]
fn an_index_gives_sitemaps() {
    let body = "<sitemapindex><sitemap><loc>a.xml.gz</loc><lastmod>2005</lastmod></sitemap>
        <sitemap><loc>/b.xml</loc></sitemap></sitemapindex>";
    check(body, &["http://example.org/maps/a.xml.gz", "http://example.org/b.xml"]);
    assert!(reading(body.as_bytes()).found.iter().all(|mapped| mapped.is_map));
}

#[test]
fn a_text_gives_one_url_a_line() {
    check("http://example.org/a\r\n\n  http://example.org/b\n# c\n", &["http://example.org/a", "http://example.org/b"]);
    check("\u{feff}http://example.org/\u{e9}", &["http://example.org/%C3%A9"]);
    check_all(
        "http://example.org/a\nTitle: b\nc\nhttp://example.org/d",
        &["http://example.org/a", "http://example.org/d"],
        &["2 entries without a usable URL, the first \"Title: b\""],
    );
}

#[test]
fn names_have_any_prefix_or_none() {
    check("<s:urlset xmlns:s='x'><s:url><s:loc>a</s:loc></s:url></s:urlset>", &["http://example.org/maps/a"]);
    check("\u{feff} <!-- c --><URLSET><URL><LOC>a</LOC></URL></URLSET>", &["http://example.org/maps/a"]);
    check(
        "<url><loc>a</loc></url><url><loc>b</loc></url>",
        &["http://example.org/maps/a", "http://example.org/maps/b"],
    );
    check("<other><url><loc>a</loc></url></other>", &["http://example.org/maps/a"]);
}

#[test]
fn urls_of_images_are_not_the_pages_url() {
    check(
        "<urlset xmlns:image='i'><url><image:image><image:loc>i.png</image:loc></image:image><loc>a</loc>
         <image:image><image:loc>j.png</image:loc></image:image></url></urlset>",
        &["http://example.org/maps/a"],
    );
}

#[test]
fn urls_are_read_as_written() {
    check("<urlset><url><loc><![CDATA[/a?b&c]]></loc></url></urlset>", &["http://example.org/a?b&c"]);
    check("<urlset><url><loc>/a?b=1&c=2;d&copy</loc></url></urlset>", &["http://example.org/a?b=1&c=2;d&copy"]);
    check("<urlset><url><loc>/&eacute;</loc></url></urlset>", &["http://example.org/%C3%A9"]);
    check("<urlset><url><loc>/a&unheard;</loc></url></urlset>", &["http://example.org/a&unheard;"]);
    check("<urlset><url><loc>/a</loc><loc>/b</loc></url></urlset>", &["http://example.org/a"]);
}

#[test]
fn a_bad_entry_costs_itself_only() {
    let check = |bad: &[u8], complaint: &str| {
        let body = [b"<urlset><url><loc>/a</loc></url>".as_slice(), bad, b"<url><loc>/b</loc></url></urlset>"].concat();
        check_all(body, &["http://example.org/a", "http://example.org/b"], &[complaint]);
    };
    let none = "1 entries without a usable URL, the first \"\"";
    check(b"<url></url>", none);
    check(b"<url/>", none);
    check(b"<url><loc> </loc></url>", none);
    check(b"<url><loc>/x<b>y</b></loc></url>", none);
    check(b"<url><loc>/x</lock><lastmod>2005</lastmod></url>", none);
    check(b"<url><loc>http://[/</loc></url>", "1 entries without a usable URL, the first \"http://[/\"");
    check(b"<url><loc>mailto:x</loc></url>", "1 entries without a usable URL, the first \"mailto:x\"");
    check(b"<!x>", "1 places that are no XML, the first \"syntax error: unknown or missed symbol in markup\"");
    let long = format!("<url><loc>/{}</loc></url>", "x".repeat(1 << 20));
    check(long.as_bytes(), &format!("1 entries without a usable URL, the first \"/{}\"", "x".repeat(99)));
}

#[test]
fn bytes_that_are_no_utf8_cost_their_entry_only() {
    let found =
        reading(b"<urlset><url><loc>/a</loc></url><url><loc>/\xfc</loc></url><url><loc>/b</loc></url></urlset>");
    let urls: Vec<_> = found.found.iter().map(|mapped| mapped.url.path()).collect();
    assert_eq!((urls, found.complaints.len()), (vec!["/a", "/b"], 2));
}

#[test]
fn a_bad_date_costs_the_date_only() {
    check_all(
        "<urlset><url><loc>/a</loc><lastmod>soon</lastmod></url><url><loc>/b</loc><lastmod>x</lastmod></url></urlset>",
        &["http://example.org/a", "http://example.org/b"],
        &["2 dates that cannot be read, the first \"soon\""],
    );
}

#[test]
fn missing_ends_are_no_loss() {
    check(
        "<urlset><url><loc>/a</loc><url><loc>/b</loc></url></url></urlset>",
        &["http://example.org/a", "http://example.org/b"],
    );
    let cut = ["breaks off before </urlset>"];
    check_all("<urlset><url><loc>/a</loc></url><url><loc>/b</loc><last", &[A, B], &[cut[0], BROKEN]);
    check_all("<urlset><url><loc>/a</loc></url><url><loc>/b</loc>", &[A, B], &cut);
    check_all("<urlset><url><loc>/a</loc></url><url><loc>/b", &[A], &cut);
    check_all("<urlset><url><loc>/a</loc></url><url>", &[A], &cut);
    check_all("<urlset>", &[], &cut);
}

const A: &str = "http://example.org/a";
const B: &str = "http://example.org/b";
const BROKEN: &str =
    "1 places that are no XML, the first \"syntax error: tag not closed: `>` not found before end of input\"";

#[test]
fn what_is_no_sitemap_gives_nothing() {
    check_all("", &[], &["the sitemap is empty"]);
    check_all(" \n", &[], &["the sitemap is empty"]);
    check_all("<rss version='2.0'><channel><link>/a</link></channel></rss>", &[], &["this is a feed"]);
    check_all("<feed xmlns='http://www.w3.org/2005/Atom'></feed>", &[], &["this is a feed"]);
    check_all("<rdf:RDF></rdf:RDF>", &[], &["this is a feed"]);
    check_all("<!DOCTYPE html><html><a href=x>", &[], &["this is a web page"]);
    check_all("<error>not found</error>", &[], &["no sitemap: begins with <error>"]);
    check_all("<!-- nothing -->", &[], &["no sitemap: has no element"]);
}

#[test]
fn entities_are_not_expanded() {
    check_all(
        "<!DOCTYPE urlset [<!ENTITY a 'http://x/'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>
         <urlset><url><loc>/&b;</loc></url><url><loc>&f;</loc></url></urlset>",
        &["http://example.org/&b;", "http://example.org/maps/&f;"],
        &[],
    );
}

#[test]
fn reading_stops_at_the_limit() {
    let body = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>";
    assert_eq!((read_sitemap(body.as_bytes(), &here(), 2).cut, reading(body.as_bytes()).cut), (false, false));
    for body in [body.as_bytes(), b"http://a.example/\nhttp://b.example/\n\xff", &packed(body.as_bytes())] {
        let found = read_sitemap(body, &here(), 1);
        assert_eq!((found.found.len(), found.cut, found.complaints.len()), (1, true, 0));
    }
    assert!(read_sitemap(body.as_bytes(), &here(), 0).cut);
}

#[test]
fn ten_million_entries_are_not_all_read() {
    let mut packer = GzEncoder::new(b"".to_vec(), Compression::fast());
    packer.write_all(b"<urlset>").expect("writes to memory");
    let many = b"<url><loc>/a</loc></url>".repeat(10_000);
    (0..1_000).for_each(|_| packer.write_all(&many).expect("writes to memory"));
    let body = packer.finish().expect("writes to memory");
    let start = std::time::Instant::now();
    let found = read_sitemap(&body, &here(), 50_000);
    assert_eq!((found.found.len(), found.cut, found.complaints.len()), (50_000, true, 0));
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
}

#[test]
fn a_cut_archive_gives_what_came_before() {
    let lines: String = (0..100).map(|number| format!("http://example.org/{number}\n")).collect();
    let mut packer = GzEncoder::new(Vec::new(), Compression::none());
    packer.write_all(lines.as_bytes()).expect("writes to memory");
    let whole = packer.finish().expect("writes to memory");
    let found = reading(&whole[..whole.len() / 2]);
    assert!(found.found.len() > 10, "{found:?}");
    assert!(found.complaints[0].starts_with("cannot be unpacked to its end: "), "{found:?}");
    assert_eq!(reading(&whole[..5]).complaints.len(), 1);
}

#[test]
fn several_archives_in_a_row_are_one() {
    let body = [packed(b"http://example.org/a\n"), packed(b"http://example.org/b\n")].concat();
    assert_eq!(reading(&body).found.len(), 2);
}

#[test]
fn a_bomb_is_read_to_the_limit_only() {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(b"<urlset><url><loc>/a</loc></url>").expect("writes to memory");
    for _ in 0..80 {
        packer.write_all(&b"<x>\n".repeat(1 << 18)).expect("writes to memory");
    }
    let bomb = packer.finish().expect("writes to memory");
    assert!(bomb.len() < 1 << 20);
    let found = reading(&bomb);
    assert_eq!(found.found.len(), 1);
    assert_eq!(
        found.complaints.last().map(String::as_str),
        Some("unpacks to more than 67108864 bytes, the rest left out")
    );
}

#[test]
fn lines_without_end_are_not_kept() {
    let found = reading(&[vec![b'x'; 8 << 20], b"\nhttp://example.org/a".to_vec()].concat());
    assert_eq!((found.found.len(), found.complaints.len()), (1, 1));
    assert!(found.complaints[0].len() < 200);
}

proptest! {
    #[test]
    fn any_bytes_are_survived(body in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let found = reading(&body);
        prop_assert!(found.complaints.len() < 10);
    }

    #[test]
    fn any_soup_of_tags_is_survived(
        tags in proptest::collection::vec(
            "(</?(x:)?(urlset|sitemapindex|url|sitemap|loc|lastmod|html|rss)( a='b')?/?>|&(amp|#5|#x0|b)?;?|/a|2005|ü|<|<!|<!--|-->|<\\?|<!\\[CDATA\\[|\\]\\]>)",
            0..60)
    ) {
        let body = tags.concat();
        let found = reading(body.as_bytes());
        prop_assert_eq!(&found, &reading(&packed(body.as_bytes())));
        prop_assert!(read_sitemap(body.as_bytes(), &here(), 1).found.len() <= 1);
    }

    #[test]
    fn a_broken_archive_is_survived(place in 0_usize..80, byte in any::<u8>()) {
        let mut body = packed(b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>");
        let place = place % body.len();
        body[place] = byte;
        prop_assert!(reading(&body).found.len() <= 2);
    }
}
