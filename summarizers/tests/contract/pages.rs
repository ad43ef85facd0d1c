//! Pages, feeds and texts in every state keep the promises of all summarizers.

use crate::promises::{Given, keeps_its_promises};
use proptest::prelude::*;

/// A page with some of everything, entities and umlauts included.
const PAGE: &str = "<!DOCTYPE html><html lang=de><head><meta charset=utf-8><title>Grüße &amp; K&uuml;sse</title>\
    <meta name=keywords content='Öl, Meer'><base href='/b/'><style>p{}</style><link rel=next href=n></head>\
    <body><h1>Über <i>uns</i></h1><p>Wir sind <a href='a?x=1&amp;y=2'>hier &lt;da&gt; <img src=i alt=ü></a>\
    <noscript><a href=c>x</a></noscript><script>'</p>'</script><!-- <p> --><svg><![CDATA[c]]></svg>\
    <address>D&#252;nenweg</address><template><b>t</b></template><pre>a\nb</pre>http://example.net/x</body></html>";

/// A feed with some of everything, in each of its forms.
const FEEDS: [&str; 3] = [
    "<?xml version='1.0'?><rss version='2.0' xmlns:c='http://purl.org/rss/1.0/modules/content/'><channel>\
     <title>Gr&#252;&#223;e</title><link>/</link><item><title>&lt;b&gt;ü&lt;/b&gt;</title><link>a#b</link>\
     <pubDate>Wed, 01 May 2024 00:00:00 +0000</pubDate><c:encoded><![CDATA[<p>x]]></c:encoded></item></channel></rss>",
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/b/'><title type='html'>a &amp;amp; b</title><link href='c#d'/>\
     <author><name>Ü</name></author><entry><title>e</title><content type='xhtml'><div>f</div></content></entry></feed>",
    "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"ü\",\"items\":[{\"url\":\"a#b\",\"content_html\":\"<p>x\"}]}",
];

fn check(body: &[u8], content_type: Option<&str>) {
    for kind in ["HTML", "Feed", "Text", "Unknown"] {
        keeps_its_promises(Given { kind, name: "page", body, content_type, cut: true }).ok();
    }
}

#[test]
fn every_prefix_of_a_page_is_read() {
    for cut in 0..=PAGE.len() {
        check(&PAGE.as_bytes()[..cut], None);
        check(&PAGE.as_bytes()[..cut], Some("text/html; charset=utf-8"));
    }
}

#[test]
fn every_prefix_of_a_wide_page_is_read() {
    let wide: Vec<u8> = format!("\u{feff}{PAGE}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for cut in 0..=wide.len() {
        check(&wide[..cut], None);
    }
}

#[test]
fn every_prefix_of_a_feed_is_read() {
    for feed in FEEDS {
        (0..=feed.len()).for_each(|cut| check(&feed.as_bytes()[..cut], None));
        let whole = Given { kind: "Feed", name: "feed", body: feed.as_bytes(), content_type: None, cut: false };
        assert!(keeps_its_promises(whole).is_ok(), "{feed}");
    }
}

proptest! {
    #[test]
    fn any_soup_of_a_feed_is_survived(
        tags in proptest::collection::vec(
            "(</?(rss version='2.0'|rss|channel|item|title|link|description|pubDate|author|category|x:y|feed|entry|content|\
             content type='xhtml'|link href='/a#b')/?>|&\\w{0,5};?|2024-05-06|a@b.example|ü| |<|-->|<!--|<!\\[CDATA\\[|\\]\\]>)",
            0..60),
        start in proptest::sample::select(vec!["", "<rss version='2.0'><channel>", "<feed xmlns='http://www.w3.org/2005/Atom'>"])
    ) {
        check(format!("{start}{}", tags.concat()).as_bytes(), None);
    }

    #[test]
    fn any_bytes_are_survived(body in proptest::collection::vec(any::<u8>(), 0..2000)) {
        check(&body, None);
    }

    #[test]
    fn any_charset_is_survived(body in proptest::collection::vec(any::<u8>(), 0..200), label in "\\PC{0,20}") {
        check(&body, Some(&format!("text/html; charset={label}")));
    }

    #[test]
    fn any_soup_of_tags_is_survived(
        tags in proptest::collection::vec(
            "(</?(a|b|p|h1|title|script|svg|math|noscript|template|table|td|select|base|meta|img|pre|address|plaintext)\
             ( (href|src|name|content|alt|http-equiv)=(x|'#'|'http://e.x/'|refresh|'0;url=y'|\"&amp;&lt\"))*/?>|&\\w{0,5};?|x|ü| |<|-->|<!--)",
            0..60)
    ) {
        check(tags.concat().as_bytes(), None);
    }

    #[test]
    fn known_labels_read_any_bytes(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        label in proptest::sample::select(vec!["utf-8", "utf-16", "iso-2022-jp", "gb18030", "big5", "shift_jis", "euc-kr", "x-user-defined"])
    ) {
        check(&body, Some(&format!("text/html; charset={label}")));
    }
}
