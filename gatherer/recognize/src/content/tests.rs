use super::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

mod binaries;
mod texts;

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::builtin().expect("sound tables"));

fn found(body: &[u8]) -> Finding {
    look(&TABLES, &head(body), body).expect("a finding")
}

fn check(text: &str, expected: &str) {
    let found = found(text.as_bytes());
    assert_eq!(format!("{} {}", found.kind, found.because), expected, "{text:?}");
}

#[test]
fn every_sample_is_told_by_its_content_alone() {
    let mut told = BTreeSet::new();
    let texts = texts::SAMPLES.iter().map(|(kind, text)| (*kind, text.as_bytes().to_vec()));
    for (kind, body) in texts.chain(binaries::samples()) {
        let found = found(&body);
        assert_eq!(found.kind.name(), kind, "{} of {:?}", found.because, String::from_utf8_lossy(&body));
        told.insert(kind.to_owned());
    }
    let missing: Vec<_> = Tables::told_by_content().into_iter().filter(|kind| !told.contains(kind)).collect();
    assert_eq!(missing, [""; 0], "kinds without a sample");
}

#[test]
fn every_cut_sample_is_survived() {
    let texts = texts::SAMPLES.iter().map(|(_, text)| text.as_bytes().to_vec());
    for body in texts.chain(binaries::samples().map(|(_, body)| body)) {
        let step = (body.len() / 20).max(1);
        for cut in (1..body.len()).step_by(step) {
            found(&body[..cut]);
        }
    }
}

#[test]
fn scripts_name_their_program() {
    check("#!/usr/bin/perl -w\n", "Perl script for perl");
    check("#! /usr/bin/env -S FOO=1 python3.11\n", "Python script for python");
    check("#!/bin/sh", "ShellScript script for sh");
    check("#!/opt/ruby\n", "Ruby script for ruby");
    check("#!/usr/bin/corn\n", "OtherCode script for corn");
    check("#!\nx", "Text plain text");
    check("#!/usr/bin/env", "Text plain text");
    let attribute = r"Rust lines like ^\s*#!?\[(derive|cfg|cfg_attr|test|allow|deny|warn|forbid|do";
    check("#![no_std]\n", attribute);
}

#[test]
fn letters_begin_with_header_fields() {
    check(
        "From ann@example.org Mon\nReceived: x\n y\nX-Other: z\nSubject: corn\n\nDear",
        "Mailbox From line and header fields received, subject",
    );
    check("From: Ann\r\nTo: Bob\r\n\r\nHi", "Mail header fields from, to");
    check("Path: x\nNewsgroups: rec.corn\nFrom: ann\n", "News header fields newsgroups, from");
    check("From: Ann\n\nTo: Bob", "Text plain text");
    check("Title: corn\nFrom the fields\nTo: x\nDate: y", "Text plain text");
    let change = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: a\nDate: b\n";
    check(change, "Patch letter that git made of a change");
}

#[test]
fn json_begins_with_two_marks() {
    check("{\n \"a\": 1}", "JSON begins like JSON");
    check("[{}]", "JSON begins like JSON");
    check("[[1.5, -2], [3e4, 4]]", "JSON begins like JSON");
    check(
        "{\"title\": \"Corn\", \"version\" : \"https:\\/\\/jsonfeed.org\\/version\\/1\"",
        "Feed version of a JSON feed",
    );
    check("[1] see below", "Text plain text");
    check("[[Corn]]", "Text plain text");
    check("{ corn }", "Text plain text");
}

#[test]
fn settings_are_told_by_all_their_lines() {
    check("---\ncorn: maize\n", "YAML nested keys and values");
    check("corn:\n  ears: 2\n  text: |\n    Any text, here\nfield:\n- a\n- b: c\n", "YAML nested keys and values");
    check(
        "---\ntitle: Corn\n---\nCorn grows in fields.\n",
        "Markdown lines like \\A---\\s*\\n([\\w-]+:[^\\n]*\\n|[ -][^\\n]*\\n)+---\\s*\\n",
    );
    check("corn: maize\nfield: wide\n", "Text plain text");
    check("all: corn\n  x\n", "Text plain text");
    let typed = "TOML sections of keys with typed values";
    check("# x\n[corn]\nears = \"2\"\nlist = [\n  1,\n]\n[[field]]\nwide = true\n", typed);
    check("[corn]\ntext = '''\nany text\n'''\n", typed);
    check("[corn]\nears=2\ncolour=yellow\n", "Configuration sections of keys and values");
    check("[corn]\n; x\nears = \"2\"\nage = \"3\"\n", "Configuration sections of keys and values");
    check("[corn]\n", "Text plain text");
    check("[corn]\nears = 2\nand so on\n", "Text plain text");
    check("ears = \"2\"\n", "Text plain text");
}

#[test]
fn tables_have_as_many_columns_in_each_row() {
    let check = |text: &str, expected: &str| check(text, expected);
    check("a,b\n1,2\n3,4\n", "CSV rows with as many columns between commas");
    check("a,b\n1,2\n3,4", "CSV rows with as many columns between commas");
    check("a\tb\tc\r\n1\t\t2\r\n3\t4\t\r\n", "CSV rows with as many columns between tabs");
    check("a;b\n\"x;\ny\";2\n3;4\n\n", "CSV rows with as many columns between semicolons");
    check("a,b\n1,2\n", "Text plain text");
    check("a,b\n1,2\n3,4,5\n", "Text plain text");
    check("a,b\n\n1,2\n3,4\n", "Text plain text");
    check("Corn, the plant\nis tall, and\ngreen, I say\n", "Text plain text");
    check("\ta\tb\n\tc\td\n\te\tf\n", "Text plain text");
    check("a;\nb;\nc;\n", "Text plain text");
    let long = "word ".repeat(20);
    check(&format!("{long},x\n{long},y\n{long},z\n"), "Text plain text");
}

#[test]
fn all_else_is_text() {
    check("corn", "Text plain text");
    check("corn <b>maize</b>", "Text plain text with tags");
    check(" \n", "Text plain text");
    check("Dear Ann,\n\nCorn is tall: see the picture (3).\n\n-- \nBob\n", "Text plain text");
    check("CORN\n====\n\n.. note:: It grows.\n\nSee :ref:`maize` and ``corn``.\n", "Text plain text");
    check("1. Corn\n2. Maize\n\n* one\n* two\n\n# a remark\n", "Text plain text");
}

#[test]
fn a_cut_line_is_not_looked_at() {
    let rows = "1,2\n".repeat(HEAD / 4 - 1);
    let body = format!("{rows}3,4,5,6,7\n");
    assert_eq!(found(body.as_bytes()).kind.name(), "CSV");
    assert_eq!(whole_lines("a\nb", true), "a\n");
    assert_eq!(whole_lines("a\nb", false), "a\nb");
    assert_eq!(whole_lines("ab", true), "ab");
}

#[test]
fn utf16_without_its_mark_is_read() {
    let wide = |unit: fn(u16) -> [u8; 2]| "<html><title>Corn".encode_utf16().flat_map(unit).collect::<Vec<_>>();
    assert_eq!(found(&wide(u16::to_le_bytes)).kind, Kind::HTML);
    assert_eq!(found(&wide(u16::to_be_bytes)).kind, Kind::HTML);
    assert_eq!(found(b"\x01\0\x02\0\x03\0\x04\0\x05\0").kind, Kind::UNKNOWN);
}

#[test]
fn a_finding_says_what_it_is_at_the_least() {
    let check = |body: &[u8], expected: &[&str]| {
        let kinds: Vec<_> = found(body).votes().map(|vote| vote.kind.to_string()).collect();
        assert_eq!(kinds, expected, "{}", String::from_utf8_lossy(body));
    };
    check(b"corn", &["Text"]);
    check(b"<!doctype html>", &["HTML"]);
    check(b"<p>", &["HTML", "Text"]);
    check(b"<?xml version='1.0'?><corn>", &["XML", "Text"]);
    check(b"#!/bin/sh\n", &["ShellScript", "Text"]);
    check(b".TH CORN 1\n", &["ManPage", "Text"]);
    check(b"{\\rtf1 corn}", &["RTF"]);
    check(b"From a\nFrom: a\nTo: b\n", &["Mailbox", "Mail", "Text"]);
    check(b"\0\x01\x02", &["Unknown"]);
}
