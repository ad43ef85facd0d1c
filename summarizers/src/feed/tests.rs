//! Feeds of all dialects, and some made to hurt.

use super::*;
use gatherer_pipeline::Kind;
use std::time::{Duration, Instant};

const ATOM: &str = "<?xml version='1.0' encoding='utf-8'?><feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de-AT'>
    <title type='html'>Corn &amp;amp; &lt;b&gt;maize&lt;/b&gt;</title><subtitle>All about &lt;corn&gt;</subtitle>
    <id>urn:x</id><link rel='self' href='feed.atom'/><link href='/'/><link rel='next' href='?page=2'/>
    <updated>2024-05-06T10:00:00+02:00</updated><author><name>Ann</name></author>
    <contributor><name>Bob</name></contributor><category term='c' label='Crops'/><generator>Quill</generator>
    <entry><title>First</title><link href='a#top'/><link rel='enclosure' href='a.mp3'/><id>urn:a</id>
    <published>2024-05-01T00:00:00Z</published><updated>2024-05-06T00:00:00Z</updated>
    <category term='maize'/><summary type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>A <i>short</i>
    one</div></summary><content type='html'>long</content></entry>
    <entry xml:base='http://b.example/x/'><title>Second</title><link href='b'/><content type='html'>&lt;p&gt;One
    &lt;p&gt;two&lt;script&gt;x&lt;/script&gt;</content></entry></feed>";

const RSS: &str = "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>Corn</title>
    <link>http://example.org/</link><description>On &lt;i&gt;corn&lt;/i&gt; &amp;amp; more</description>
    <language>en-US</language><managingEditor>ann@example.org (Ann)</managingEditor>
    <webMaster>root@example.org</webMaster><lastBuildDate>Mon, 06 May 2024 10:00:00 GMT</lastBuildDate>
    <category>Crops</category><generator>Quill</generator>
    <item><title>First</title><link> /a </link><description>&lt;p&gt;A &amp;quot;short&amp;quot; one</description>
    <pubDate>Wed, 01 May 2024 00:00:00 +0000</pubDate><comments>/a/comments</comments><category>maize</category></item>
    <item><guid>http://example.org/b</guid><title>Second</title><dc:creator>Bob</dc:creator></item>
    </channel></rss>";

const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "Corn", "language": "en",
    "home_page_url": "/", "feed_url": "http://example.org/dir/feed", "description": "a < b", "icon": 7,
    "authors": [{"name": "Ann"}, {"url": "x"}, 5], "items": [
    {"id": 1, "url": "a", "title": "First", "content_html": "<p>A <i>short</i> one", "tags": ["maize", "Crops"],
     "date_published": "2024-05-01T00:00:00Z", "attachments": [{"url": "a.mp3", "mime_type": "audio/mpeg"}]},
    {"id": "2", "external_url": "http://b.example/", "content_text": "plain <b>"}, null]}"#;

fn summarize(body: &[u8]) -> Result<Draft, Refusal> {
    let url = Url::parse("http://example.org/dir/feed").expect("a URL");
    News.summarize(&Leaf::new(&url, &Kind::new("Feed"), body))
}

fn draft(feed: &str) -> Draft {
    summarize(feed.as_bytes()).expect("a feed")
}

/// The named attributes have these values; an empty value stands for none.
#[track_caller]
fn check(feed: &str, expected: &[(&str, &str)]) {
    crate::testing::check(&draft(feed), expected);
}

/// The references are these, URL and text, in this order and no others.
#[track_caller]
fn check_references(feed: &str, expected: &[(&str, &str)]) {
    let draft = draft(feed);
    let found: Vec<_> = draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect();
    assert_eq!(found, expected, "references of {feed}");
}

fn rss(items: &str) -> String {
    format!("<rss version='2.0'><channel><title>t</title>{items}</channel></rss>")
}

#[test]
fn atom_is_read() {
    check(
        ATOM,
        &[
            ("Charset", "UTF-8"),
            ("Title", "Corn & maize"),
            ("Description", "All about <corn>"),
            ("Language", "de-AT"),
            ("Author", "Ann\nBob"),
            ("Generator", "Quill"),
            ("Keywords", "Crops\nmaize"),
            ("Feed-Updated", "2024-05-06T08:00:00Z"),
            ("text", "First (2024-05-01) A short one\nSecond One two"),
        ],
    );
    check_references(
        ATOM,
        &[
            ("http://example.org/", "Corn & maize"),
            ("http://example.org/dir/feed?page=2", "Corn & maize"),
            ("http://example.org/dir/a", "First"),
            ("http://b.example/x/b", "Second"),
        ],
    );
    assert_eq!(draft(ATOM).complaints(), [""; 0]);
}

#[test]
fn rss_is_read() {
    check(
        RSS,
        &[
            ("Title", "Corn"),
            ("Description", "On corn & more"),
            ("Language", "en-us"),
            ("Author", "Ann"),
            ("Generator", "Quill"),
            ("Keywords", "Crops\nmaize"),
            ("Feed-Updated", "2024-05-06T10:00:00Z"),
            ("text", "First (2024-05-01) A \"short\" one\nSecond"),
        ],
    );
    check_references(
        RSS,
        &[("http://example.org/", "Corn"), ("http://example.org/a", "First"), ("http://example.org/b", "Second")],
    );
}

#[test]
fn older_rss_is_read() {
    let items = "<channel><title>Corn</title><link>/</link></channel><item><title>First</title><link>/a</link></item>";
    let expected = [("http://example.org/", "Corn"), ("http://example.org/a", "First")];
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    check_references(&format!("<r:RDF xmlns:r='{rdf}' xmlns='http://purl.org/rss/1.0/'>{items}</r:RDF>"), &expected);
    let items = items.replace("</channel>", "") + "</channel>";
    check_references(&format!("<rss version='0.91'>{items}</rss>"), &expected);
    check_references(&format!("<rss version='0.92'>{items}</rss>"), &expected);
}

#[test]
fn json_is_read() {
    check(
        JSON,
        &[
            ("Title", "Corn"),
            ("Description", "a < b"),
            ("Language", "en"),
            ("Author", "Ann"),
            ("Keywords", "Crops\nmaize"),
            ("Feed-Updated", "2024-05-01T00:00:00Z"),
            ("text", "First (2024-05-01) A short one\nplain <b>"),
        ],
    );
    check_references(
        JSON,
        &[("http://example.org/", "Corn"), ("http://example.org/dir/a", "First"), ("http://b.example/", "")],
    );
    check(r#" {"version": "https://jsonfeed.org/version/1", "author": {"name": "Ann"}}"#, &[("Author", "Ann")]);
}

#[test]
fn charsets_are_read() {
    let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><rss version='2.0'><channel><title>Gr\xfc\xdfe</title>\
        </channel></rss>";
    let draft = summarize(latin).expect("a feed");
    assert_eq!((draft.get("Title"), draft.get("Charset")), (Some("Grüße"), Some("windows-1252")));
    let wide =
        "\u{feff}<?xml version='1.0' encoding='utf-16'?><rss version='2.0'><channel><title>ü</title></channel></rss>";
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let draft = summarize(&wide).expect("a feed");
    assert_eq!((draft.get("Title"), draft.get("Charset")), (Some("ü"), Some("UTF-16LE")));
}

#[test]
fn mistakes_cost_themselves_only() {
    let check = |items: &str, text: &str| {
        let draft = draft(&rss(&format!("{items}<item><title>z</title></item>")));
        assert_eq!((draft.get("Title"), Some(draft.text())), (Some("t"), Some(format!("{text}\nz").as_str())));
    };
    check("<item><title>AT&T &bogus; &#0;&nbsp;x</title></item>", "AT&T &bogus; x");
    check("<item><title>a</title><description>b<br>c<p>d</description></item>", "a b");
    check("<item><title>a</title></x></item></y>", "a");
    check("<item><title>a</title><pubDate>soon</pubDate><link></link></item>", "a");
    check("<item><title>a<title>b</title></item>", "a");
    check("<item><x:title>b</x:title><title>a</title></item>", "a");
}

#[test]
fn content_without_content_is_no_loss() {
    let entries =
        "<entry><title>a</title><content/></entry><entry><title>b</title><content type='html'> </content></entry>";
    check(&format!("<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>"), &[("text", "a\nb")]);
}

#[test]
fn a_cut_feed_gives_what_came_before() {
    let whole = rss("<item><title>a</title><link>/a</link></item><item><title>b</title><link>/b</link></item>");
    let cut = draft(&whole[..whole.find("/b").expect("an entry")]);
    assert_eq!((Some(cut.text()), cut.references().len()), (Some("a\nb"), 1));
    assert_eq!(cut.complaints(), ["the feed breaks off"]);
    let cut = draft(&whole[..whole.len() - 3]);
    assert_eq!(cut.references().len(), 2);
    assert!(cut.complaints()[0].starts_with("feed read in part: "), "{:?}", cut.complaints());
}

#[test]
fn what_is_no_feed_is_refused() {
    let check = |body: &str, expected: &str| {
        assert_eq!(summarize(body.as_bytes()), Err(Refusal::Cannot(expected.to_owned())), "{body}");
    };
    check("", "unable to parse feed: no root element");
    check("words", "unable to parse feed: no root element");
    check("<html><title>x</title></html>", "unable to parse feed: no root element");
    check("<rss version='9'></rss>", "unable to parse feed: no root element");
    check("{}", "unable to parse JSON: missing field `version` at line 1 column 36");
    check("{\"version\": \"2\"}", "unsupported version: 2");
    check("{\"a\"", "no JSON Feed: EOF while parsing an object at line 1 column 4");
}

/// It is read or refused in no time.
fn check_fast(feed: &str) -> Result<Draft, Refusal> {
    let start = Instant::now();
    let outcome = summarize(feed.as_bytes());
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    outcome
}

#[test]
fn entities_are_not_expanded() {
    let feed =
        format!("<!DOCTYPE rss [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>{}", rss("<item><title>&b;</title></item>"));
    assert_eq!(Some(check_fast(&feed).expect("a feed").text()), Some("&b;"));
    let feed =
        format!("<!DOCTYPE rss [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>{}", rss("<item><title>&f;</title></item>"));
    assert_eq!(Some(check_fast(&feed).expect("a feed").text()), Some("&f;"));
}

#[test]
fn deep_nesting_is_no_harm() {
    let nested = |start: &str, end: &str| format!("{}x{}", start.repeat(100_000), end.repeat(100_000));
    let itunes = "xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:m='http://search.yahoo.com/mrss/'";
    for deep in [
        nested("<i:category text='x'>", "</i:category>"),
        nested("<item><m:group>", "</m:group></item>"),
        nested("<item><description><p>", "</p></description></item>"),
        nested("<a xml:base='a/'>", "</a>"),
        nested("<a xmlns='x'>", "</a>"),
        nested("<x>", "</y>"),
    ] {
        let feed = format!("<rss version='2.0' {itunes}><channel><title>t</title>{deep}</channel></rss>");
        assert_eq!(check_fast(&feed).expect("a feed").get("Title"), Some("t"));
    }
    assert!(check_fast(&format!("{{\"items\":{}", nested("[", "]"))).is_err());
}

#[test]
fn what_is_said_once_is_not_copied_to_all() {
    let media = "<m:thumbnail url='x'/>".repeat(20_000) + &"<m:group><m:content url='x'/></m:group>".repeat(20_000);
    for declared in ["xmlns:m", "xmlns:n='x' xmlns:m"] {
        let feed = format!(
            "<rss version='2.0' {declared}='http://search.yahoo.com/mrss/'><channel><item>{media}</item></channel></rss>"
        );
        assert!(check_fast(&feed).is_ok());
    }
    let unprefixed = media.replace("m:", "");
    assert!(
        check_fast(&rss(&format!("<item><x xmlns='http://search.yahoo.com/mrss/'/></x></y>{unprefixed}</item>")))
            .is_ok()
    );
    let authors = "{\"name\":\"a\"},".repeat(50_000) + "{}";
    let items = "{},".repeat(100_000) + "{}";
    let feed =
        format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"authors\":[{authors}],\"items\":[{items}]}}");
    assert_eq!(check_fast(&feed).expect("a feed").complaints(), ["more than 10000 entries"]);
    let item = "<item xmlns:c='http://purl.org/rss/1.0/modules/content/'><c:encoded>x</c:encoded></item>".repeat(5_000);
    let long =
        format!("<rss version='2.0' xml:base='http://x/{}'><channel>{item}</channel></rss>", "x".repeat(1 << 20));
    assert!(check_fast(&long).is_err());
}

#[test]
fn floods_of_entries_are_dammed() {
    let draft =
        check_fast(&rss(&"<item><title>&lt;b&gt;x</title><link>/x</link></item>".repeat(100_000))).expect("a feed");
    assert_eq!(draft.complaints(), ["more than 10000 entries"]);
    assert_eq!(Some(draft.text()).map(|text| text.lines().count()), Some(sift::ENTRIES));
    assert_eq!(draft.references().len(), 1);
}

#[test]
fn what_the_reader_panics_at_is_refused() {
    let refused = Err(Refusal::Cannot("the feed cannot be read".to_owned()));
    assert_eq!(check_fast(&rss("<managingEditor>Ann Miller\u{2013}a@b.example</managingEditor>")), refused);
}
