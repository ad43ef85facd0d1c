//! What leaves are, by all recognizers together.

use gatherer_pipeline::{Admission, Candidate, Fetched, Known, Prepared, UnixTime, Validators};
use gatherer_recognize::{OperatorRule, Recognizer, Voter, alternatives, read_harvest_table};
use proptest::prelude::*;
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

static BUILTIN: LazyLock<Recognizer> = LazyLock::new(|| Recognizer::new(Vec::new()).expect("sound tables"));

const PLAIN: &str = "Corn grows in fields.\nIt is tall.\n";
const PAGE: &str = "<!DOCTYPE html><html><head><title>Corn</title></head><body><p>Corn";

fn url(path: &str) -> Url {
    Url::parse("http://example.org/").and_then(|base| base.join(path)).expect("a URL")
}

fn check(path: &str, header: &str, body: impl AsRef<[u8]>, expected: &str) {
    let header = Some(header).filter(|header| !header.is_empty());
    let (kind, votes) = BUILTIN.votes(&url(path), header, body.as_ref());
    assert_eq!(kind.name(), expected, "{path} {header:?} by {votes:?}");
}

#[test]
fn all_agree() {
    check("/", "text/html", PAGE, "HTML");
    check("/corn.html", "text/html; charset=utf-8", PAGE, "HTML");
    check("/corn.txt", "text/plain", PLAIN, "Text");
    check("/corn.pdf", "application/pdf", "%PDF-1.4\n%\u{e2}\u{e3}", "Pdf");
    check("/corn.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "Image");
    check("/corn.gz", "application/gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "GNUCompressed");
}

#[test]
fn content_wins_over_a_wrong_header_or_name() {
    check("/corn.html", "text/plain", PAGE, "HTML");
    check("/corn.txt", "text/plain", PAGE, "HTML");
    check("/corn.php", "", PAGE, "HTML");
    check("/corn.cgi?a=b", "application/octet-stream", PAGE, "HTML");
    check("/corn.pdf", "application/pdf", PAGE, "HTML");
    check("/corn.html", "text/html", b"%PDF-1.4\n\0\x01", "Pdf");
    check("/corn.html", "text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "Image");
    check("/corn.jpg", "image/jpeg", PLAIN, "Text");
    check("/corn.docx", "", "%!PS-Adobe-3.0\n", "PostScript");
    check("/corn.doc", "application/msword", r"{\rtf1\ansi corn}", "RTF");
}

#[test]
fn html_without_markup_is_text() {
    check("/corn.html", "text/html", PLAIN, "Text");
    check("/", "text/html", PLAIN, "Text");
    check("/corn.html", "text/html", "Corn <b>grows</b> in fields", "HTML");
    check("/", "text/html", "\n\n  <!-- made by hand -->\n<p>Corn", "HTML");
    check("/corn.txt", "text/plain", "Write <b>corn</b> like this", "Text");
    check("/corn.xml", "text/xml", PLAIN, "Text");
    check("/corn.xml", "", "corn <?xml version='1.0'?>", "XML");
}

#[test]
fn a_name_or_header_makes_text_more_exact() {
    check("/corn.md", "text/plain", "# Corn\n\ngrows", "Markdown");
    check("/corn.md", "text/html", "<p align=center>\n\n# Corn", "Markdown");
    check("/corn.md", "text/html", PAGE, "HTML");
    check("/corn.c", "text/plain", "#include <stdio.h>\nint main() {}", "C");
    check("/corn.h", "text/x-c", "int corn;", "CHeader");
    check("/corn.csv", "", "a,b\n1,2\n", "CSV");
    check("/corn.txt", "text/csv", "a,b\n1,2\n", "CSV");
    check("/corn", "text/css; charset=utf-8", "p { color: red }", "CSS");
    check("/README", "text/plain", PLAIN, "README");
    check("/Makefile", "", "all:\n\tcorn\n", "Makefile");
    check("/rfc1436.txt", "text/plain", PLAIN, "RFC");
    check("/ls.1", "", "list files", "ManPage");
}

#[test]
fn a_name_or_header_makes_containers_more_exact() {
    let zip = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0corn";
    check("/corn.zip", "application/zip", zip, "Zip");
    check("/corn", "", zip, "Zip");
    check("/corn.docx", "application/octet-stream", zip, "MSWord");
    check("/corn.epub", "", zip, "EPUB");
    check("/corn", "application/vnd.oasis.opendocument.text", zip, "OpenDocument");
    check("/corn.html", "text/html", zip, "Zip");
    let odt = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0mimetypeapplication/vnd.oasis.opendocument.text";
    check("/corn.bin", "", odt, "OpenDocument");
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    check("/corn.tar.gz", "", gzip, "GNUCompressedTar");
    check("/corn.tgz", "application/gzip", gzip, "GNUCompressedTar");
    check("/corn.html", "", gzip, "GNUCompressed");
    let ole = [b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &[0; 600]].concat();
    check("/corn.doc", "", &ole, "MSWord");
    check("/corn.msg", "", &ole, "OutlookMessage");
}

#[test]
fn content_tells_texts_apart() {
    check("/", "", "<rss version='2.0'><channel>", "Feed");
    check("/feed.xml", "text/xml", "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>", "Feed");
    check("/corn.xml", "application/xml", "<?xml version='1.0'?><corn/>", "XML");
    check("/corn", "application/rss+xml", "<?xml version='1.0'?><corn/>", "Feed");
    check("/corn.svg", "", "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "SVG");
    check("/corn.ttl", "text/turtle", "@prefix a: <b> .", "RDF");
    check("/corn", "text/plain", "From: a\nTo: b\nSubject: c\n\n<html>", "Mail");
    check("/corn", "", "#!/usr/bin/perl\nprint;", "Perl");
    check("/corn.tex", "text/plain", "\\documentclass{article}", "Tex");
    check("/corn", "", "%!PS-Adobe-2.0", "PostScript");
    check("/corn", "", "{\"corn\": 1}", "JSON");
    check("/corn.php", "", "<?php echo 1;", "PHP");
    check("/corn", "", "#!/bin/sh\n# This is a shell archive\n", "ShellArchive");
    check("/corn", "", "@FILE { http://example.org/\n", "SOIFStream");
}

#[test]
fn byte_order_marks_and_white_space_are_passed_over() {
    check("/", "text/plain", format!("\u{feff} \n\t{PAGE}"), "HTML");
    let wide: Vec<u8> = format!("\u{feff}{PAGE}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("/", "", &wide, "HTML");
    let wide: Vec<u8> = format!("\u{feff}{PLAIN}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    check("/", "text/plain", &wide, "Text");
    check("/", "", format!("{PAGE}\0"), "HTML");
    check("/corn.txt", "", b"Gr\xFC\xDFe aus dem S\xFCden", "Text");
}

#[test]
fn unexplained_bytes_believe_name_and_header_but_never_text() {
    let bytes: Vec<u8> = (0..=255).collect();
    check("/corn", "", &bytes, "Unknown");
    check("/corn.dvi", "", &bytes, "Dvi");
    check("/corn", "video/x-corn", &bytes, "Video");
    check("/corn.txt", "text/html", &bytes, "Unknown");
    check("/corn.pdf", "", [b"\0junk\n%PDF-1.4".as_slice(), &bytes].concat(), "Pdf");
    check("/letters.txt", "", "BM is a museum. MZ is Mainz.", "Text");
}

const PYTHON: &str = "import os\n\nclass Corn(Field):\n    def grow(self):\n        raise Drought\n";

#[test]
fn names_lie() {
    // Prose quotes programs.
    check("/corn.txt", "text/plain", PYTHON, "Text");
    check("/corn", "text/plain", PYTHON, "Python");
    check("/corn", "text/html", PYTHON, "Python");
    check("/corn.pl", "text/x-perl", PYTHON, "Python");
    // Without a trace of what the name says, but not sure enough to deny it.
    check("/corn.pl", "", "import os\n\nraise Drought\n", "Perl");
    check("/corn.h", "", "#include <corn.h>\ntypedef struct corn corn;\n", "CHeader");
    check("/corn.conf", "", PYTHON, "Configuration");
    check("/README", "", "# Corn\n\nSee [maize](maize.html).\n\n## Use\n", "README");
    check("/corn.mm", "", "#import <Corn/Corn.h>\n\n@implementation Corn\n- (void)grow {}\n@end\n", "ObjectiveC");
    check("/corn.mm", "", ".TL\nCorn\n.PP\nIt grows.\n", "Troff");
    check("/corn.m", "", "corn = maize;\n", "ObjectiveC");
    check("/corn.ts", "video/mp2t", "export interface Corn { ears: number }\n", "TypeScript");
    check("/corn.ts", "", "<?xml version='1.0'?><!DOCTYPE TS><TS/>", "XML");
    check("/corn.rs", "", "#![allow(dead_code)]\nfn main() {}\n", "Rust");
    check("/corn.json", "application/json", r#"{"version": "https://jsonfeed.org/version/1.1"}"#, "Feed");
    check("/corn.html", "text/html", "Corn\n<script>\nvar x = 1;\ndocument.write(x);\n</script>\n", "HTML");
    check("/corn.zip", "application/zip", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0", "OLE");
    check("/corn.ogv", "video/ogg", b"OggS\0\x02\0\0\0\0\0\0", "Video");
    check("/index.php?a=b", "text/html", PLAIN, "Text");
    check("/index.php", "", "<p>Corn", "HTML");
    check("/robots.txt", "text/plain", "User-agent: *\nDisallow: /corn\n", "Text");
}

#[test]
fn what_else_it_might_be_is_told() {
    let check = |path: &str, header: &str, body: &[u8], expected: &[&str]| {
        let (kind, votes) = BUILTIN.votes(&url(path), Some(header), body);
        let others = alternatives(&kind, &votes);
        assert_eq!(others.iter().map(gatherer_pipeline::Kind::name).collect::<Vec<_>>(), expected, "{path} {votes:?}");
    };
    let zip = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0corn";
    check("/corn.md", "text/plain", PLAIN.as_bytes(), &["Text"]);
    check("/corn.txt", "text/plain", PLAIN.as_bytes(), &[]);
    check("/corn.docx", "application/vnd.oasis.opendocument.text", zip, &["Zip", "OpenDocument"]);
    check("/corn.html", "text/plain", PAGE.as_bytes(), &[]);
    check("/corn.xml", "text/plain", b"<?xml version='1.0'?><corn>", &["Text"]);
    check("/corn.pl", "text/plain", PYTHON.as_bytes(), &["Perl", "Text"]);
    check("/corn.dvi", "text/plain", &[0, 1, 2, 3], &[]);
    check("/corn.pdf", "text/plain", b"", &["Text"]);
    check("/corn.mbox", "", b"From a\nFrom: a\nTo: b\n\nHi", &["Mail", "Text"]);
}

#[test]
fn harvests_tables_are_read() {
    let text = "# ours\n\nHomeHTML      ^http:.*/$\n  Abstract\t^.*\\.abs$ \r\nLetter [[:alpha:]]+\\.(let|ltr)$";
    let rules = read_harvest_table(Voter::Name, text).expect("rules");
    let rules: Vec<_> = rules.iter().map(|rule| (rule.kind.as_str(), rule.pattern.as_str())).collect();
    let letter = ("Letter", "[[:alpha:]]+\\.(let|ltr)$");
    assert_eq!(rules, [("HomeHTML", "^http:.*/$"), ("Abstract", "^.*\\.abs$"), letter]);
    assert_eq!(read_harvest_table(Voter::Url, "").expect("nothing").len(), 0);

    let complaints = read_harvest_table(Voter::Url, "A ok\nB\n\nC (\\1)x\nD/E x\nF *x\n").expect_err("complaints");
    let expected = [
        (2, "no pattern behind the kind B"),
        (4, "cannot read the pattern (\\1)x: backreferences are not supported"),
        (5, "\"D/E\" is no kind; a kind is one word"),
        (6, "cannot read the pattern *x: repetition operator missing expression"),
    ];
    assert_eq!(complaints, expected.map(|(line, reason)| (line, reason.to_owned())));
}

#[test]
fn an_empty_body_is_what_others_say() {
    check("/corn.pdf", "text/html", "", "Pdf");
    check("/corn", "text/html", "", "HTML");
    check("/corn", "", "", "Text");
    check("/", "application/octet-stream", "", "Text");
}

#[test]
fn listings_are_directories() {
    let listing = "<html><a href=corn.txt>corn.txt</a>";
    for place in ["file:///pub/", "ftp://example.org/pub/", "gopher://example.org/1/pub", "gopher://example.org"] {
        check(place, "text/html", listing, "Directory");
    }
    check("file:///pub/corn.html", "text/html", listing, "HTML");
    check("/pub/", "text/html", listing, "HTML");
}

#[test]
fn every_vote_is_kept_with_its_reason() {
    let (_, votes) = BUILTIN.votes(&url("/corn.md"), Some("text/plain; charset=utf-8"), b"# Corn");
    let votes: Vec<_> = votes.iter().map(ToString::to_string).collect();
    let expected =
        ["name=Markdown (extension .md)", "header=Text (Content-Type text/plain)", "content=Text (plain text)"];
    assert_eq!(votes, expected);
    let votes: Vec<_> = BUILTIN.before_fetch(&url("ftp://example.org/pub/")).iter().map(ToString::to_string).collect();
    assert_eq!(votes, ["url=Directory (pattern ^(file|ftp|ftps|sftp)://.*/$)"]);
    assert_eq!(BUILTIN.before_fetch(&url("/corn")), []);
}

fn rule(voter: Voter, pattern: &str, kind: &str) -> OperatorRule {
    OperatorRule { voter, pattern: Regex::new(pattern).expect("a pattern"), kind: kind.to_owned() }
}

#[test]
fn the_operators_first_match_decides_and_all_are_kept() {
    let rules = vec![
        rule(Voter::Content, "(?i)abstract", "Abstract"),
        rule(Voter::Url, "^http:.*/$", "HomeHTML"),
        rule(Voter::Name, r"^.*\.abs$", "Abstract"),
        rule(Voter::Name, r"\.pdf$", "Secret"),
    ];
    let recognizer = Recognizer::new(rules).expect("sound tables");
    let check = |path: &str, body: &str, expected: &str, count: usize| {
        let (kind, votes) = recognizer.votes(&url(path), None, body.as_bytes());
        assert_eq!((kind.name(), votes.len()), (expected, count), "{votes:?}");
    };
    check("/", PAGE, "HomeHTML", 2);
    check("/", "<p>ABSTRACT", "Abstract", 4);
    check("/corn.abs", "", "Abstract", 1);
    check("/corn.pdf", "%PDF-", "Secret", 3);
    check("/corn.html", PAGE, "HTML", 2);
    let votes = recognizer.before_fetch(&url("/"));
    assert_eq!(votes[0].to_string(), "url=HomeHTML (operator's rule ^http:.*/$)");
}

#[test]
fn operators_patterns_see_the_first_4_kib_only() {
    let recognizer = Recognizer::new(vec![rule(Voter::Content, "maize", "Maize")]).expect("sound tables");
    let at = |place: usize| recognizer.votes(&url("/"), None, format!("{}maize", " ".repeat(place)).as_bytes()).0;
    assert_eq!((at(4091).name(), at(4092).name()), ("Maize", "Text"));
}

#[test]
fn a_rule_without_a_kind_is_refused() {
    for kind in ["", "two words", "a\nb"] {
        let refused = Recognizer::new(vec![rule(Voter::Url, "^x$", kind)]).err().expect("a refusal");
        assert_eq!(refused.to_string(), format!("rule ^x$ gives the kind {kind:?}; a kind is one word"));
    }
}

#[test]
fn what_was_fetched_is_recognized() {
    let candidate = Candidate::start(url("/corn.md"), "fields");
    let admission = Admission { scope: String::new(), robots: String::new() };
    let fetched = Fetched {
        prepared: Prepared::new(candidate, admission, Known::default()),
        content_type: Some("text/plain".to_owned()),
        body: b"# Corn".to_vec(),
        cut_from: None,
        robots_tag: String::new(),
        canonical: None,
        validators: Validators::default(),
        modified: None,
        at: UnixTime(0),
        packed: None,
    };
    let recognized = BUILTIN.recognize(fetched);
    assert_eq!((recognized.kind().name(), recognized.votes().len()), ("Markdown", 3));
}

proptest! {
    #[test]
    fn any_bytes_are_survived(
        path in "\\PC{0,30}", header in "\\PC{0,30}", body in proptest::collection::vec(any::<u8>(), 0..3000)
    ) {
        let url = url("/x").join(&path).unwrap_or_else(|_| url("/"));
        let once = BUILTIN.votes(&url, Some(&header), &body);
        prop_assert_eq!(once, BUILTIN.votes(&url, Some(&header), &body));
    }

    #[test]
    fn any_bytes_after_a_known_beginning_are_survived(
        beginning in proptest::sample::select(vec![
            b"PK\x03\x04".as_slice(), b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", b"<?xml ", b"<!doctype [", b"<!--", b"#!",
            b"From ", b"\xFF\xFE", b"\xFE\xFF<", b"\xEF\xBB\xBF<", b"<feed ", b"{", b"RIFF", b"\0\0\0\x20ftyp", b"\x1f\x8b",
            b"---\n", b"[a]\nb = ", b"a,b\n1,2\n", b"```", b"PK\x05\x06",
        ]),
        body in proptest::collection::vec(any::<u8>(), 0..3000)
    ) {
        let body = [beginning, &body].concat();
        let (_, votes) = BUILTIN.votes(&url("/corn"), None, &body);
        prop_assert!((1..4).contains(&votes.len()));
        prop_assert!(votes.iter().all(|vote| vote.voter == "content"));
    }
}
