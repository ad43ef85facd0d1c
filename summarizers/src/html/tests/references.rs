//! What leads elsewhere, and what it is called.

use super::*;

#[test]
fn anchors_keep_their_text_through_inline_tags() {
    check_references("<a href=a>x <b>y<i>z</i></b>\n w</a>", &[("http://example.org/dir/a", "x yz w")]);
    check_references("<A HREF='a'>x<div>y</div></A>", &[("http://example.org/dir/a", "x y")]);
    check_references("<a href=a>x&amp;y &lt;z&gt;</a>", &[("http://example.org/dir/a", "x&y <z>")]);
    check_references("<a href=a>x<!-- c -->y<script>s</script></a>", &[("http://example.org/dir/a", "xy")]);
}

#[test]
fn anchors_end_where_the_next_begins() {
    check_references(
        "<a href=a>x<a href=b>y</a> z</a> <a href=c>w",
        &[("http://example.org/dir/a", "x"), ("http://example.org/dir/b", "y"), ("http://example.org/dir/c", "w")],
    );
    check_references("<td><a href=a>x</td>y", &[("http://example.org/dir/a", "x")]);
    check_references("<a href=a>x<a name=n>y</a>", &[("http://example.org/dir/a", "x")]);
}

#[test]
fn an_anchor_without_text_is_called_by_its_image_or_tooltip() {
    check_references("<a href=a><img src=i alt='home  page'></a>", &[("http://example.org/dir/a", "home page")]);
    check_references("<a href=a title=tip><img src=i alt=home></a>", &[("http://example.org/dir/a", "tip")]);
    check_references("<a href=a><img src=i alt=home>x</a>", &[("http://example.org/dir/a", "x")]);
    check_references("<a href=a></a>", &[("http://example.org/dir/a", "")]);
    check_references("<a href=a title=tip></a><a href=./a>words</a>", &[("http://example.org/dir/a", "words")]);
}

#[test]
fn the_base_counts_for_the_whole_page() {
    check_references("<a href=a>x</a><base href='/other/'><base href=/no/>", &[("http://example.org/other/a", "x")]);
    check_references("<base href='http://b.example/c/d'><a href=a>x</a>", &[("http://b.example/c/a", "x")]);
    check_references("<base href='data:x'><a href=a>x</a>", &[("http://example.org/dir/a", "x")]);
    check_references("<base href='http://['><a href=a>x</a>", &[("http://example.org/dir/a", "x")]);
    check_references("<base target=_top><base href='/o/'><a href=a>x</a>", &[("http://example.org/o/a", "x")]);
}

#[test]
fn fragments_are_dropped_and_each_is_told_once() {
    check_references(
        "<a href='a#1'></a><a href=a>first</a><a href='./a#2'>second</a><a href=../dir/a>third</a>",
        &[("http://example.org/dir/a", "first")],
    );
}

#[test]
fn a_page_does_not_refer_to_itself() {
    check_references(
        "<a href='#top'>x</a><a href=''>y</a><a href=page.html>z</a><a href=page.html?q>q</a>",
        &[("http://example.org/dir/page.html?q", "q")],
    );
    check_references("<link rel=canonical href='http://EXAMPLE.org:80/dir/page.html'>", &[]);
}

#[test]
fn schemes_that_lead_to_no_leaf_are_left_out() {
    check_references(
        "<a href='javascript:x()'>j</a><a href='DATA:,x'>d</a><a href=tel:1>t</a><a href='C:\\x'>c</a>
         <a href=ftp://f.example/x>f</a><a href=gopher://g.example/1>g</a><a href=news:a.b>n</a>",
        &[("ftp://f.example/x", "f"), ("gopher://g.example/1", "g"), ("news:a.b", "n")],
    );
    check(
        "<a href='mailto:ann@example.org?subject=x'>a</a><a href=' MAILTO:bob%40example.org,ann@example.org'>b</a>",
        &[("Mail-Addresses", "ann@example.org\nbob@example.org")],
    );
}

#[test]
fn other_elements_refer_too() {
    check_references(
        "<map><area href=a alt=corn><area></map><frameset><frame src=b title=menu><iframe src=c></iframe>",
        &[("http://example.org/dir/a", "corn"), ("http://example.org/dir/b", "menu"), ("http://example.org/dir/c", "")],
    );
    check_references(
        "<link rel=stylesheet href=s><link rel='alternate stylesheet' href=s><link rel=icon href=i><link href=n>
         <link rel=NEXT href=n><link rel=prev href=p><link rel=canonical href=c>
         <link rel='alternate feed' type=application/rss+xml title=News href=f>",
        &[
            ("http://example.org/dir/n", ""),
            ("http://example.org/dir/p", ""),
            ("http://example.org/dir/c", ""),
            ("http://example.org/dir/f", "News"),
        ],
    );
    check_references("<meta http-equiv=Refresh content='5; URL=a&amp;b'>", &[("http://example.org/dir/a&b", "")]);
    check_references("<img src=i srcset='j 2x'><script src=s></script><source src=v>", &[]);
    check_references(
        "<svg><a xlink:href=a>x</a><a href=b /></svg>",
        &[("http://example.org/dir/a", "x"), ("http://example.org/dir/b", "")],
    );
}

#[test]
fn every_relation_that_leads_to_a_document_refers() {
    for relation in ["Contents", "index", "previous", "up", "license", "x help"] {
        let page = format!("<link rel='{relation}' href=a title=t>");
        check_references(&page, &[("http://example.org/dir/a", "t")]);
    }
    for relation in ["", "author", "search", "preload", "index stylesheet", "dns-prefetch"] {
        check_references(&format!("<link rel='{relation}' href=a>"), &[]);
    }
}

#[test]
fn embedded_documents_refer_and_media_do_not() {
    check_references(
        "<embed src=a title=t><object data=b><param name=x></object><object></object><video src=c poster=d></video>
         <audio><source src=e><track src=f></audio><object data='data:,x'></object>",
        &[("http://example.org/dir/a", "t"), ("http://example.org/dir/b", "")],
    );
}

#[test]
fn what_a_page_does_not_vouch_for_is_not_followed() {
    let page = "<a href=a rel=nofollow>a</a><a href=b rel='noopener UGC'>b</a><area href=c rel=sponsored>
                <a href=d rel=noopener>d</a><a href=e rel=nofollow>e</a><a href=./e>e</a><a href=f>f</a>
                <a href='f' rel=nofollow>f</a><area href=g>";
    check_unfollowed(page, &["http://example.org/dir/a", "http://example.org/dir/b", "http://example.org/dir/c"]);
    assert_eq!(draft(page).references().len(), 7);
}

#[test]
fn the_canonical_url_is_named_in_the_head() {
    let found = Some("http://example.org/c");
    check_canonical("<html><head><title>t</title><link rel=canonical href=/c#x></head>", found, &[]);
    check_canonical("<link rel='CANONICAL' href=/c><base href='http://b.example/'>", Some("http://b.example/c"), &[]);
    check_canonical("<script>x</script>\n<link rel='canonical next' href=/c>", found, &[]);
    check_canonical("<link rel=canonical href=page.html>", Some(PAGE), &[]);
    check_canonical("<body><link rel=canonical href=/c>", None, &[]);
    check_canonical("<p>x<link rel=canonical href=/c>", None, &[]);
    check_canonical("x<link rel=canonical href=/c>", None, &[]);
    check_canonical("<noscript><link rel=canonical href=/c></noscript>", None, &[]);
    check_canonical("<link rel=canonical href='mailto:x'><link rel=canonical href=''><link rel=canonical>", None, &[]);
    check_canonical("<link rel=next href=/c>", None, &[]);
}

#[test]
fn two_canonical_urls_are_none() {
    let contradiction = ["names several canonical URLs, none of them taken"];
    check_canonical("<link rel=canonical href=/a><link rel=canonical href=/b>", None, &contradiction);
    check_canonical(
        "<link rel=canonical href=/a><link rel=canonical href='http://example.org/a#b'>",
        Some("http://example.org/a"),
        &[],
    );
    check_canonical("<link rel=canonical href=/a><p><link rel=canonical href=/b>", Some("http://example.org/a"), &[]);
}

#[test]
fn a_canonical_url_is_a_reference_unless_it_is_the_pages_own() {
    check_references("<link rel=canonical href=page.html>", &[]);
    check_references("<link rel=canonical href=c>", &[("http://example.org/dir/c", "")]);
}

#[test]
fn references_without_script_count_but_their_text_does_not() {
    let page = "<noscript><h1>n</h1><a href=a>x <b>y</b></a><img src=p.gif></noscript>
                <noframes><title>f</title><a href=b>z</noframes><p>t<template><a href=c>w</a></template>";
    check_references(page, &[("http://example.org/dir/a", "x y"), ("http://example.org/dir/b", "z")]);
    check(page, &[("text", "t"), ("Headings", ""), ("Title", ""), ("Images", "http://example.org/dir/p.gif")]);
    check_references("<noscript><a href=a>x", &[("http://example.org/dir/a", "x")]);
}

#[test]
fn urls_are_read_as_browsers_read_them() {
    check_references("<a href=' a\n b '>x</a>", &[("http://example.org/dir/a%20b", "x")]);
    check_references(
        "<a href='?a=1&amp;b=2&copy=3'>x</a>",
        &[("http://example.org/dir/page.html?a=1&b=2&copy=3", "x")],
    );
    check_references("<a href='//münchen.example/ü'>x</a>", &[("http://xn--mnchen-3ya.example/%C3%BC", "x")]);
    check_references("<a href='http://'>x</a><a href='http://a b/'>y</a><a href='http://[1'>z</a>", &[]);
    check_references("<a href='\\b\\c'>x</a>", &[("http://example.org/b/c", "x")]);
    check_references("<a href=a href=b>x</a>", &[("http://example.org/dir/a", "x")]);
}
