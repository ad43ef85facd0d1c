//! What plain text is, by its first lines.

use super::{Finding, General, TEXT, markup, structure};
use crate::tables::Tables;
use gatherer_pipeline::Kind;

/// Header fields that letters have, and no other text has two of them at its top.
const MAIL: &[&str] =
    &["date", "delivered-to", "from", "message-id", "mime-version", "received", "return-path", "subject", "to"];
/// Header fields that only news has.
const NEWS: &[&str] = &["newsgroups", "nntp-posting-host", "xref"];

const LETTER: &[General] = &[("Mail", "header fields of a letter"), TEXT[0]];
const JSON: &[General] = &[("JSON", "begins like JSON"), TEXT[0]];

/// The finding for a text that does not begin with markup.
pub(super) fn text(tables: &Tables, head: &str) -> Finding {
    let certain = script(tables, head).or_else(|| letter(head)).or_else(|| json(head));
    let told = certain.or_else(|| structure::settings(head).map(|found| found.asides(&["Text"])));
    told.unwrap_or_else(|| guess(tables, head))
}

/// What its lines make likely. A name or header that knows better may say so.
fn guess(tables: &Tables, head: &str) -> Finding {
    let mut guess = tables.guess(head);
    let (kind, because) = (guess.kind.take(), std::mem::take(&mut guess.because));
    let found = kind.filter(|kind| *kind != Kind::TEXT).map(|kind| Finding::new(kind, because).at_least(TEXT));
    let tags = markup::has_tags(head);
    let plain = || Finding::new(Kind::TEXT, if tags { "plain text with tags" } else { "plain text" });
    let found = found.or_else(|| structure::table(head)).unwrap_or_else(plain);
    let found = found.asides(if tags { &["Text", "Text with tags"] } else { &["Text"] });
    Finding { guess: Some(guess), ..found }
}

/// A script names its program.
fn script(tables: &Tables, head: &str) -> Option<Finding> {
    let program = interpreter(head)?;
    if head.contains("\n# This is a shell archive") {
        return Some(Finding::new(Kind::new("ShellArchive"), "script that is a shell archive").at_least(TEXT));
    }
    let kind = tables.by_interpreter(program).cloned().unwrap_or_else(|| Kind::new("OtherCode"));
    Some(Finding::new(kind, format!("script for {program}")).at_least(TEXT))
}

/// The program that a script wants: `perl` of `#!/usr/bin/env perl5 -w`.
fn interpreter(head: &str) -> Option<&str> {
    // Attributes of Rust begin like scripts.
    let mut words = head.strip_prefix("#!").filter(|rest| !rest.starts_with('['))?.lines().next()?.split_whitespace();
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
    let mailbox = head.strip_prefix("From ");
    let lines = head.lines().skip(usize::from(mailbox.is_some())).take_while(|line| !line.trim().is_empty());
    let fields = lines.filter(|line| !line.starts_with([' ', '\t'])).map_while(field);
    let known: Vec<_> = fields.filter_map(known_field).collect();
    if known.len() < 2 {
        return None;
    }
    // Git writes changes as a mailbox with the name of the change where the sender should be.
    if mailbox.and_then(|line| line.get(..41)).is_some_and(is_change) {
        return Some(Finding::new(Kind::new("Patch"), "letter that git made of a change").at_least(LETTER));
    }
    let because = format!("header fields {}", known.iter().take(3).copied().collect::<Vec<_>>().join(", "));
    Some(if mailbox.is_some() {
        Finding::new(Kind::new("Mailbox"), format!("From line and {because}")).at_least(LETTER)
    } else if known.iter().any(|name| NEWS.contains(name)) {
        Finding::new(Kind::new("News"), because).at_least(LETTER)
    } else {
        Finding::new(Kind::new("Mail"), because).at_least(TEXT)
    })
}

/// The name of a header field.
fn field(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let sound = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    sound.then_some(name)
}

/// A field of mail or news in its usual form.
fn known_field(name: &str) -> Option<&'static str> {
    MAIL.iter().chain(NEWS).find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// Forty hexadecimal digits and a space.
fn is_change(text: &str) -> bool {
    text.strip_suffix(' ').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// JSON, one value or one a line, and feeds written in it.
fn json(head: &str) -> Option<Finding> {
    if !is_json(head) {
        return None;
    }
    let version = head.split_once("\"version\"").map(|(_, behind)| behind.chars().take(60).collect::<String>());
    if version.is_some_and(|version| version.contains("jsonfeed.org")) {
        return Some(Finding::new(Kind::new("Feed"), "version of a JSON feed").at_least(JSON));
    }
    Some(Finding::new(Kind::new("JSON"), "begins like JSON").at_least(TEXT))
}

/// An object with a key, a list of objects or strings, or nothing but numbers in brackets. A mere `[` begins many
/// texts.
fn is_json(head: &str) -> bool {
    let mut marks = head.chars().filter(|c| !c.is_whitespace());
    match (marks.next(), marks.next()) {
        (Some('{'), Some('"')) | (Some('['), Some('{' | '"')) => true,
        (Some('['), Some('[' | '-' | '0'..='9')) => {
            let mut rest = head.chars().take(400);
            rest.all(|c| c.is_whitespace() || matches!(c, '0'..='9' | '.' | ',' | '-' | '+' | 'e' | 'E' | '[' | ']'))
                && head.contains(',')
        }
        _ => false,
    }
}
