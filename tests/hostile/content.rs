//! Pages that are not what they say: types, charsets, polyglots, depth, and claims about others.

use super::packing::gzip;
use super::scenario::{Scenario, scenario};
use super::server::{answer, document, page};
use super::{SETTINGS, stand};

const HTML: &str = "stored as HTML";

#[tokio::test]
async fn what_lies_about_itself_is_still_read() {
    let rows = [types(), charsets(), polyglots(), depths(), claims()];
    stand(20, SETTINGS, rows.into_iter().flatten().collect()).await;
}

/// A document that claims to be of this type.
fn lie(name: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Scenario {
    let body = body.into();
    scenario(name, move |_| document(kind, &body))
}

fn types() -> Vec<Scenario> {
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x10\0\0\0\x10\0\x08\x06\0\0\0";
    vec![
        lie("page-called-a-picture", "image/png", "<!DOCTYPE html><title>Page</title>").fate("/", HTML),
        lie("picture-called-a-page", "text/html", picture).fate("/", "stored as Image"),
        lie("pdf-called-a-page", "text/html", "%PDF-1.4\n%\u{e2}\u{e3}\n1 0 obj\n<<>>\nendobj\n")
            .says("/", "content=Pdf (begins with %PDF-)"),
        lie("program-called-text", "text/plain", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0")
            .fate("/", "stored as"),
        lie("packed-page-called-a-page", "text/html", gzip(b"<title>Packed</title>")).fate("/", "stored as"),
        lie("type-of-nonsense", "\x01/;;=\"", "<!DOCTYPE html><title>Page</title>")
            .fate("/", "no proper answer|stored as HTML"),
        lie("type-of-a-kilobyte", LONG_TYPE, "<!DOCTYPE html><title>Page</title>").fate("/", HTML),
        lie("no-content-at-all", "text/html", "").fate("/", "stored as"),
        scenario("no-type-at-all", |_| answer("200 OK", "<!DOCTYPE html><title>Untold</title>")).fate("/", HTML),
    ]
}

const LONG_TYPE: &str = "text/html; a=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb; \
                         charset=cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

fn charsets() -> Vec<Scenario> {
    let wide: Vec<u8> = "<title>Wide</title>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        lie("wide-letters-that-are-none", "text/html; charset=utf-16le", "<title>Narrow</title>").fate("/", HTML),
        lie("bytes-that-are-no-letters", "text/html; charset=utf-8", b"<title>\xff\xfe\xc3(\xf0\x90</title>x".to_vec())
            .fate("/", HTML),
        lie("letters-of-mail", "text/html; charset=utf-7", "<title>+ADw-script+AD4-</title>")
            .fate("/", HTML)
            .lacks("/", "<script>"),
        lie("charset-nobody-knows", "text/html; charset=klingon", "<title>Known</title>").holds("/", "Title", "Known"),
        lie("wide-letters-unsaid", "text/html", [b"\xff\xfe".to_vec(), wide].concat()).holds("/", "Title", "Wide"),
        lie(
            "charsets-at-odds",
            "text/html; charset=utf-8",
            "<meta charset=utf-16><meta charset=shift_jis><title>Gr\u{fc}n</title>",
        )
        .holds("/", "Title", "Gr\u{fc}n"),
        lie("controls-in-the-title", "text/html", "<title>a\x1b[31m\x00\x07b\u{202e}c</title>")
            .fate("/", HTML)
            .lacks("/", "\x1b[31m"),
    ]
}

fn polyglots() -> Vec<Scenario> {
    let archive = super::packing::zip(&[("inside.txt", b"inside")]);
    vec![
        lie("picture-and-script", "image/gif", "GIF89a/*\x01\0\x01\0*/=1;alert(1);//<script>alert(1)</script>")
            .fate("/", "stored as Image"),
        lie("page-and-archive", "text/html", [b"<!DOCTYPE html><title>Both</title>".to_vec(), archive].concat())
            .fate("/", HTML),
        lie("pdf-behind-a-page", "text/html", "<!DOCTYPE html><title>Both</title>\n%PDF-1.4\n1 0 obj\n")
            .fate("/", HTML),
        lie("mail-that-is-a-page", "message/rfc822", "From: a@b\nSubject: Mail\n\n<html><title>Page</title>")
            .fate("/", "stored as"),
        lie("script-that-is-a-page", "text/html", "#!/bin/sh\n# <html><title>Both</title>\nrm -rf /\n")
            .fate("/", "stored as"),
    ]
}

fn depths() -> Vec<Scenario> {
    let deep = |name, tag: &'static str| {
        scenario(name, move |_| page(&format!("<title>Deep {tag}</title>{}bottom", format!("<{tag}>").repeat(100_000))))
            .fate("/", HTML)
            .holds("/", "Title", "Deep")
    };
    vec![
        deep("links-without-a-bottom", "a"),
        deep("boxes-without-a-bottom", "div"),
        deep("pictures-without-a-bottom", "svg"),
        deep("tables-without-a-bottom", "table"),
        deep("templates-without-a-bottom", "template"),
        deep("formats-without-a-bottom", "b"),
        lie("tags-that-only-end", "text/html", format!("<title>Ends</title>{}", "</div>".repeat(100_000)))
            .fate("/", HTML),
        lie("comment-without-end", "text/html", format!("<title>Open</title><!--{}", "x".repeat(1 << 20)))
            .holds("/", "Title", "Open"),
        lie("script-without-end", "text/html", format!("<title>Open</title><script>{}", "<a>".repeat(1 << 18)))
            .holds("/", "Title", "Open"),
        lie("attribute-without-end", "text/html", format!("<title>Open</title><a href=\"{}", "x".repeat(1 << 20)))
            .fate("/", HTML),
        lie("facts-without-a-bottom", "text/html", {
            let deep = "{\"@type\":\"Thing\",\"about\":".repeat(20_000);
            format!("<title>Facts</title><script type=\"application/ld+json\">{deep}</script>")
        })
        .holds("/", "Title", "Facts"),
    ]
}

fn claims() -> Vec<Scenario> {
    vec![
        // What a page says of itself moves nothing of anybody else's.
        scenario("page-that-claims-to-be-the-neighbour", |asked| {
            page(&format!("<title>Stolen</title><link rel=canonical href=\"{}/p0.html\">", asked.neighbour))
        })
        .says("{neighbour}/p0.html", "found      found on {neighbour}/"),
        scenario("head-that-claims-to-be-the-neighbour", |asked| {
            let link = format!("200 OK\r\nContent-Type: text/html\r\nLink: <{}/p1.html>; rel=canonical", asked.neighbour);
            answer(&link, "<title>Stolen</title>")
        })
        .says("{neighbour}/p1.html", "found      found on {neighbour}/"),
        scenario("canonical-circle", |asked| match asked.path {
            "/" => page("<title>A</title><link rel=canonical href=/b><a href=/b>b</a>"),
            _ => page("<title>B</title><link rel=canonical href=/>"),
        })
        .visits(4),
        scenario("base-of-another", |asked| {
            page(&format!("<base href=\"{}/\"><title>Base</title><a href=x>x</a>", asked.neighbour))
        })
        .says("{neighbour}/x", "unknown: no run has met it"),
        scenario("base-of-a-script", |_| page("<base href=\"javascript:\"><title>Base</title><a href=x>x</a>"))
            .fate("/", HTML)
            .visits(2),
        scenario("strange-schemes", |_| {
            let told = ["gopher://gopher.example/", "irc://irc.example/harvest", "javascript:void(0)", "data:text/html,x"];
            page(&format!("<title>Start</title>{}", told.map(|to| format!("<a href=\"{to}\">x</a>")).concat()))
        })
        .fate("/", HTML)
        .visits(1),
        scenario("attributes-of-ours", |_| {
            page("<title>Forged</title><meta name=MD5 content=x><meta name=Update-Time content=1><meta name=URL content=y>")
        })
        .holds("/", "Title", "Forged")
        .says("/", HTML),
        scenario("soif-in-the-title", |asked| {
            page(&format!("<title>x\n}}\n@FILE {{ {}/p0.html\nTitle{{4}}:\tEvil\n}}</title>", asked.neighbour))
        })
        .fate("/", HTML),
    ]
}
