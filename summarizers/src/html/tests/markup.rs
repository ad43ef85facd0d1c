//! Title, headings, text and the rest of the body.

use super::*;

#[test]
fn the_first_title_counts() {
    check("<title> Corn &amp;\n maize</title><title>b</title>", &[("Title", "Corn & maize"), ("text", "")]);
    check("<TITLE>Corn</TITLE>", &[("Title", "Corn")]);
    check("<title>a <b>c</title>x", &[("Title", "a <b>c"), ("text", "x")]);
    check("<svg><title>icon</title></svg><title>Corn</title>", &[("Title", "Corn"), ("text", "")]);
    check("<title></title><p>x", &[("Title", ""), ("text", "x")]);
    check("<title>unclosed", &[("Title", "unclosed")]);
}

#[test]
fn headings_stand_one_a_line() {
    check("<h1>A <i>b</i></h1>x<H3>c<br>d</H3><h2></h2><h6>e</h6>", &[("Headings", "A b\nc d\ne")]);
    check("<h1>a<h2>b</h2>", &[("Headings", "a\nb")]);
    check("<div><h1>a</div>b", &[("Headings", "a"), ("text", "a\nb")]);
    check("<h1>a<p>b", &[("Headings", "a b")]);
    check("<h1><a href=x><img alt=i>t</a></h1>", &[("Headings", "t")]);
}

#[test]
fn blocks_break_lines_and_inline_elements_do_not() {
    check_text("<p>a<b>b</b><span> c</span>\n d<p>e</p>f", "ab c d\ne\nf");
    check_text("a<br>b<hr>c<wbr>d", "a\nb\ncd");
    check_text("<ul><li>a<li>b</ul>c", "a\nb\nc");
    check_text("<table><tr><td>a<td>b<tr><th>c</th><th>d</th></table>", "a b\nc d");
    check_text("<div><div></div></div><div>a</div> <div> </div>b", "a\nb");
    check_text("<dl><dt>a<dd>b</dl><custom-tag>c</custom-tag>d", "a\nb\ncd");
    check_text("x<pre>a  b\n  c\n</pre>d", "x\na b\nc\nd");
}

#[test]
fn unread_elements_are_left_out() {
    check_text("a<script>if (x < y) { '</p>' }</script>b", "ab");
    check_text("a<style>p > b {}</style>b<template><p>t</template>c", "abc");
    check_text("<noscript>n</noscript><textarea>t</textarea><iframe>i</iframe>b", "b");
    check_text("<script>document.write('<p>x</p><script>y<\\/script>')</script>b", "b");
    check_text("a<!-- <p>c</p> -->b<!bogus>c<?php x ?>d", "abcd");
    check_text("<script>unclosed <p>a</p>", "");
    check_text("<div><template><p>t</div>b", "b");
}

#[test]
fn entities_are_decoded_once() {
    check_text("&lt;b&gt; &amp;amp; &uuml;&#252;&#xFC; &copy 1 &notit; &nbsp;x", "<b> &amp; üüü © 1 ¬it; x");
    check_text("&#128;&#0;&bogus;", "€\u{fffd}&bogus;");
    check_text("a&shy;b", "ab");
    check_text("AT&T a &&amp;& b", "AT&T a &&& b");
    check("<title>&lt;i&gt;</title>", &[("Title", "<i>")]);
}

#[test]
fn cdata_is_text_in_foreign_content_only() {
    check_text("<svg><text><![CDATA[a &amp; <b>]]></text></svg>", "a &amp; <b>");
    check_text("a<![CDATA[b]]>c", "ac");
}

#[test]
fn unclosed_and_crossed_tags_are_read() {
    check_text("<p><b>a<i>b</b>c</i><p>d", "abc\nd");
    check_text("</p></div>a</b>", "a");
    check_text("<div", "");
    check_text("a<p", "a");
    check_text("a < b <3 c", "a < b <3 c");
    check_text("<head><title>t</title><p>a", "a");
    check_text("<html><head>stray</head><body>a", "stray\na");
}

#[test]
fn addresses_images_and_language_are_found() {
    check(
        "<html lang=de-AT><address>Inselhof<br>Dünenweg 7</address><p>x<address>b</address>",
        &[("Language", "de-AT"), ("Address", "Inselhof Dünenweg 7\nb"), ("text", "Inselhof\nDünenweg 7\nx\nb")],
    );
    check("<HTML XML:LANG=en>", &[("Language", "en")]);
    check(
        "<img src=a.png><img src='/b.png' alt=' a  boat '><img src=a.png alt=corn><img alt=x>",
        &[("Images", "http://example.org/dir/a.png\nhttp://example.org/b.png"), ("Image-Texts", "corn\na boat")],
    );
    check(
        "<img src=a.png><img src=b.png alt=b><img src='data:image/gif;base64,R0'>",
        &[("Images", "http://example.org/dir/a.png\nhttp://example.org/dir/b.png"), ("Image-Texts", "-\nb")],
    );
    check("<img src=a.png>", &[("Images", "http://example.org/dir/a.png"), ("Image-Texts", "")]);
}

#[test]
fn every_size_of_an_image_is_found() {
    check(
        "<picture><source srcset='a.webp, b.webp 2x'><img src=a.png srcset='a.png 1x, c,d.png 2x' alt=corn></picture>
         <video><source src=v.mp4></video>",
        &[
            (
                "Images",
                "http://example.org/dir/a.webp\nhttp://example.org/dir/b.webp\nhttp://example.org/dir/a.png\n\
                 http://example.org/dir/c,d.png",
            ),
            ("Image-Texts", "-\n-\ncorn\ncorn"),
        ],
    );
    check("<img srcset='a.png 2x'>", &[("Images", "http://example.org/dir/a.png")]);
}
