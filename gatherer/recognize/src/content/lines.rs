//! What plain text is, by its first lines.

use super::{Finding, markup};
use crate::tables::Tables;
use gatherer_pipeline::Kind;

/// Header fields that letters have, and no other text has two of them at its top.
const MAIL: &[&str] =
    &["date", "delivered-to", "from", "message-id", "mime-version", "received", "return-path", "subject", "to"];
/// Header fields that only news has.
const NEWS: &[&str] = &["newsgroups", "nntp-posting-host"];

/// The finding for a text that does not begin with markup.
pub(super) fn text(tables: &Tables, head: &str) -> Finding {
    if let Some(program) = interpreter(head) {
        let kind = tables.by_interpreter(program).cloned().unwrap_or_else(|| Kind::new("OtherCode"));
        return Finding::new(kind, format!("script for {program}"));
    }
    if let Some(letter) = letter(head) {
        return letter;
    }
    if is_json(head) {
        return Finding::new(Kind::new("JSON"), "begins like JSON");
    }
    if markup::has_tags(head) {
        return Finding::new(Kind::TEXT, "plain text with tags").aside("Text with tags");
    }
    Finding::new(Kind::TEXT, "plain text")
}

/// The program that a script wants: `perl` of `#!/usr/bin/env perl5 -w`.
fn interpreter(head: &str) -> Option<&str> {
    let mut words = head.strip_prefix("#!")?.lines().next()?.split_whitespace();
    let mut program = file(words.next()?);
    if program == "env" {
        program = file(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    (!bare.is_empty()).then_some(bare)
}

fn file(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A letter, a mailbox or an article: header fields from the first line on.
fn letter(head: &str) -> Option<Finding> {
    let mailbox = head.starts_with("From ");
    let lines = head.lines().skip(usize::from(mailbox)).take_while(|line| !line.trim().is_empty());
    let fields = lines.filter(|line| !line.starts_with([' ', '\t'])).map_while(field);
    let known: Vec<_> = fields.filter(|name| [MAIL, NEWS].concat().contains(&name.as_str())).collect();
    if known.len() < 2 {
        return None;
    }
    let news = known.iter().any(|name| NEWS.contains(&name.as_str()));
    let because = format!("header fields {}", known.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", "));
    Some(Finding::new(Kind::new(if news { "News" } else { "Mail" }), because))
}

/// The name of a header field, in small letters.
fn field(line: &str) -> Option<String> {
    let (name, _) = line.split_once(':')?;
    let sound = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    sound.then(|| name.to_ascii_lowercase())
}

/// An object with a key, or a list of objects, strings or lists. A mere `[` begins many texts.
fn is_json(head: &str) -> bool {
    let mut marks = head.chars().filter(|c| !c.is_whitespace());
    matches!((marks.next(), marks.next()), (Some('{'), Some('"')) | (Some('['), Some('{' | '"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, expected: &str) {
        let tables = Tables::builtin().expect("sound tables");
        let found = text(&tables, head);
        assert_eq!(format!("{} {}", found.kind, found.because), expected, "{head:?}");
    }

    #[test]
    fn scripts_name_their_program() {
        check("#!/usr/bin/perl -w\n", "Perl script for perl");
        check("#! /usr/bin/env -S FOO=1 python3.11\n", "Python script for python");
        check("#!/bin/sh", "ShellScript script for sh");
        check("#!/opt/ruby\n", "OtherCode script for ruby");
        check("#!\nx", "Text plain text");
        check("#!/usr/bin/env", "Text plain text");
    }

    #[test]
    fn letters_begin_with_header_fields() {
        check(
            "From ann@example.org Mon\nReceived: x\n y\nX-Other: z\nSubject: corn\n\nDear",
            "Mail header fields received, subject",
        );
        check("From: Ann\r\nTo: Bob\r\n\r\nHi", "Mail header fields from, to");
        check("Path: x\nNewsgroups: rec.corn\nFrom: ann\n", "News header fields newsgroups, from");
        check("From: Ann\n\nTo: Bob", "Text plain text");
        check("Title: corn\nFrom the fields\nTo: x\nDate: y", "Text plain text");
    }

    #[test]
    fn json_begins_with_two_marks() {
        check("{\n \"a\": 1}", "JSON begins like JSON");
        check("[{}]", "JSON begins like JSON");
        check("[1] see below", "Text plain text");
        check("{ corn }", "Text plain text");
    }

    #[test]
    fn all_else_is_text() {
        check("corn", "Text plain text");
        check("corn <b>maize</b>", "Text plain text with tags");
        check(" \n", "Text plain text");
    }
}
