//! Documents of other kinds that are made to hurt their readers: entities, depth, lies about their own parts.

use super::packing::{gzip, zip};
use super::scenario::{Scenario, scenario};
use super::server::{document, page};
use super::{SETTINGS, stand};

#[tokio::test]
async fn documents_made_to_hurt_hurt_themselves_only() {
    stand(21, SETTINGS, [entities(), depths(), parts(), lines()].into_iter().flatten().collect()).await;
}

/// A document under this path, which its host leads to.
fn file(name: &'static str, path: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Scenario {
    let (body, link) = (body.into(), format!("<title>Start</title><a href={path}>it</a>"));
    let script = move |asked: &super::server::Asked<'_>| match asked.path {
        "/" => page(&link),
        _ => document(kind, &body),
    };
    scenario(name, script).fate(path, "stored as")
}

/// A billion laughs, for any root element.
fn laughs(root: &str) -> String {
    let level = |level: u32| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10));
    let levels: String = (1..=9).map(level).collect();
    format!("<?xml version=\"1.0\"?>\n<!DOCTYPE {root} [<!ENTITY l0 \"laugh\">{levels}]>\n")
}

const FILE: &str = "<!ENTITY f SYSTEM \"file:///etc/passwd\"><!ENTITY % p SYSTEM \"http://127.0.0.1:1/x.dtd\"> %p;";

fn entities() -> Vec<Scenario> {
    let twice = "&a;".repeat(50_000);
    let office = laughs("w:document")
        + "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>&l9;";
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    vec![
        file("laughs-in-xml", "/a.xml", "application/xml", laughs("d") + "<d>&l9;</d>"),
        file("laughs-in-a-feed", "/a.rss", "application/rss+xml", {
            laughs("rss") + "<rss version=\"2.0\"><channel><title>&l9;</title><item><title>&l9;</title></item></channel></rss>"
        }),
        file("laughs-in-a-picture", "/a", "image/svg+xml", {
            laughs("svg") + "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>&l9;</title></svg>"
        }),
        file("laughs-in-an-office", "/a.docx", "application/octet-stream", {
            zip(&[("[Content_Types].xml", types.as_bytes()), ("word/document.xml", office.as_bytes())])
        }),
        file("one-long-laugh", "/a.xml", "application/xml", {
            format!("<!DOCTYPE d [<!ENTITY a \"{}\">]><d>{twice}</d>", "x".repeat(50_000))
        }),
        file("file-in-xml", "/a.xml", "application/xml", format!("<!DOCTYPE d [{FILE}]><d><title>&f;</title>&f;</d>"))
            .lacks("/a.xml", "root:"),
        file("file-in-a-feed", "/a.rss", "application/rss+xml", {
            format!("<!DOCTYPE rss [{FILE}]><rss version=\"2.0\"><channel><title>&f;</title></channel></rss>")
        }),
        file("file-in-an-include", "/a.xml", "application/xml", {
            "<d xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"file:///etc/passwd\" parse=\"text\"/></d>"
        })
        .lacks("/a.xml", "root:"),
        file("laughs-in-yaml", "/a.yaml", "application/yaml", {
            let level = |level: u32| format!("l{level}: &l{level} [{}]\n", ten(&format!("*l{}", level - 1)));
            format!("l0: &l0 [laugh]\n{}", (1..=9).map(level).collect::<String>())
        }),
    ]
}

/// Ten of the same, with commas between them.
fn ten(of: &str) -> String {
    [of; 10].join(", ")
}

fn depths() -> Vec<Scenario> {
    let deep = 100_000;
    let mail: String =
        (0..500).map(|level| format!("Content-Type: multipart/mixed; boundary=\"b{level}\"\n\n--b{level}\n")).collect();
    vec![
        file("json-without-a-bottom", "/a.json", "application/json", "[".repeat(deep)),
        file("json-of-objects-without-a-bottom", "/a.json", "application/json", "{\"a\":".repeat(deep)),
        file("xml-without-a-bottom", "/a.xml", "application/xml", "<a>".repeat(deep)),
        file("yaml-without-a-bottom", "/a.yaml", "application/yaml", "[".repeat(deep)),
        file("toml-without-a-bottom", "/a.toml", "application/toml", format!("a = {}", "[".repeat(deep))),
        file("rtf-without-a-bottom", "/a.rtf", "application/rtf", format!("{{\\rtf1 {}", "{\\b ".repeat(deep))),
        file("mail-without-a-bottom", "/a.eml", "message/rfc822", format!("From: a@b.c\nSubject: Deep\n{mail}")),
        file(
            "tex-without-a-bottom",
            "/a.tex",
            "application/x-tex",
            format!("\\documentclass{{a}}{}", "{\\bf ".repeat(deep)),
        ),
        file("markdown-without-a-bottom", "/a.md", "text/markdown", format!("# Deep\n\n{}x", "> ".repeat(deep))),
        file("markdown-of-brackets", "/a.md", "text/markdown", format!("# Deep\n\n{}", "![[".repeat(deep))),
        file("pdf-without-a-bottom", "/a.pdf", "application/pdf", format!("%PDF-1.4\n1 0 obj\n{}", "[".repeat(deep))),
        file("script-without-a-bottom", "/a.ps", "application/postscript", format!("%!PS\n{}", "{".repeat(deep))),
        file("feed-without-a-bottom", "/a.atom", "application/atom+xml", {
            format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Deep</title>{}", "<entry>".repeat(deep))
        }),
    ]
}

fn parts() -> Vec<Scenario> {
    let circle = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/Outlines 3 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[2 0 R 2 \
                  0 R]/Count 2/Parent 2 0 R>>\nendobj\n3 0 obj\n<</First 3 0 R/Next 3 0 R/Title(x)>>\nendobj\ntrailer\n<</Root 1 \
                  0 R/Prev 0>>\nstartxref\n0\n%%EOF\n";
    let stream = gzip(b"not zlib");
    let broken = [b"%PDF-1.4\n1 0 obj\n<</Length 99999999999/Filter/FlateDecode>>\nstream\n".to_vec(), stream].concat();
    let sqlite = [b"SQLite format 3\0\xff\xff\xff\xff".to_vec(), vec![0xff; 500]].concat();
    vec![
        file("pdf-of-circles", "/a.pdf", "application/pdf", circle),
        file("pdf-of-lies", "/a.pdf", "application/pdf", broken),
        file("picture-of-a-gigapixel", "/a.dat", "image/png", {
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0\0\0\0\0\xff\xff\xff\xfftEXt"
                .to_vec()
        }),
        file(
            "sound-of-lies",
            "/a.dat",
            "audio/mpeg",
            b"ID3\x04\0\0\x7f\x7f\x7f\x7fTIT2\x7f\x7f\x7f\x7f\0\0\x03x".to_vec(),
        ),
        file("database-of-lies", "/a.sqlite", "application/x-sqlite3", sqlite),
        file(
            "font-of-lies",
            "/a.dat",
            "font/ttf",
            [b"\0\x01\0\0\xff\xff\0\0\0\0\0\0".to_vec(), vec![0xff; 400]].concat(),
        ),
    ]
}

fn lines() -> Vec<Scenario> {
    vec![
        file("table-of-one-line", "/a.csv", "text/csv", ",".repeat(1 << 20)),
        file("table-of-open-quotes", "/a.csv", "text/csv", format!("a,b\n\"{}", "x\n".repeat(1 << 19))),
        file("lines-of-nothing", "/a.txt", "text/plain", "\n".repeat(1 << 21)),
        file("text-of-nul-bytes", "/a.txt", "text/plain", vec![0; 1 << 20]),
        file("text-of-marks", "/a.txt", "text/plain", "a\u{300}".to_owned() + &"\u{301}".repeat(1 << 19)),
        file("program-of-lies", "/a.dat", "application/octet-stream", {
            [b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".to_vec(), vec![0xff; 200]].concat()
        }),
        file(
            "manual-of-macros",
            "/a.1",
            "text/troff",
            format!(".TH A 1\n.de X\n.X\n..\n.X\n{}", ".so a.1\n".repeat(1_000)),
        ),
        file("patch-of-lies", "/a.patch", "text/x-diff", {
            "--- a\n+++ b\n@@ -1,99999999999999999999 +1,99999999999999999999 @@\n+x\n"
        }),
        file(
            "bibliography-without-end",
            "/a.bib",
            "text/x-bibtex",
            format!("@article{{a, title = {}", "{".repeat(1 << 18)),
        ),
        file(
            "office-without-parts",
            "/a.docx",
            "application/octet-stream",
            zip(&[("[Content_Types].xml", b"<Types/>")]),
        ),
        file("book-that-leads-outside", "/a.epub", "application/epub+zip", {
            let container =
                b"<container><rootfiles><rootfile full-path=\"../../../../etc/passwd\"/></rootfiles></container>";
            zip(&[("mimetype", b"application/epub+zip"), ("META-INF/container.xml", container)])
        }),
        file("spreadsheet-of-a-million-columns", "/a.xlsx", "application/octet-stream", {
            let sheet = b"<worksheet><sheetData><row r=\"999999999\"><c r=\"ZZZZZZZ999999999\"><v>1</v></c></row></sheetData></worksheet>";
            zip(&[
                ("[Content_Types].xml", b"<Types/>"),
                ("xl/workbook.xml", b"<workbook/>"),
                ("xl/worksheets/sheet1.xml", sheet),
            ])
        }),
    ]
}
