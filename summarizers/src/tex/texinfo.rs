//! Reads Texinfo, where commands begin with `@`.

use super::paper::Paper;
use super::scan::What;
use super::symbols;

/// What stands between these and their `@end` is for no reader of the text.
const LEFT_OUT: &[&str] =
    &["ignore", "tex", "html", "docbook", "xml", "macro", "rmacro", "menu", "direntry", "iftex", "ifhtml"];

#[rustfmt::skip]
const HEADINGS: &[&str] = &[
    "top", "part", "chapter", "section", "subsection", "subsubsection", "unnumbered", "unnumberedsec",
    "unnumberedsubsec",
    "appendix", "appendixsec", "appendixsubsec", "heading", "subheading", "majorheading", "chapheading", "centerchap",
];

/// Whether it is Texinfo and not TeX.
pub(super) fn is_texinfo(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(10_000)];
    head.starts_with("\\input texinfo")
        || head.lines().any(|line| {
            line.starts_with("@setfilename ") || line.starts_with("@settitle ") || line.starts_with("@node ")
        })
}

/// Reads everything.
pub(super) fn scan(text: &str) -> Paper {
    let mut paper = Paper::default();
    let mut left_out: Option<&str> = None;
    let mut short = String::new();
    for line in text.lines() {
        let (name, rest) = command(line).unwrap_or(("", line));
        if let Some(end) = left_out {
            if name == "end" && rest.trim() == end {
                left_out = None;
            }
            continue;
        }
        let start = paper.out.len();
        match name {
            "" => {
                inline(line, &mut paper);
                paper.out.push('\n');
            }
            "bye" => break,
            "settitle" | "title" => {
                inline(rest, &mut paper);
                let words = paper.out.split_off(start);
                if name == "title" && paper.title.is_empty() { paper.title = words } else { short = words }
            }
            "author" => {
                inline(rest, &mut paper);
                paper.keep(What::Author, start);
                paper.out.push('\n');
            }
            heading if HEADINGS.contains(&heading) => {
                inline(rest, &mut paper);
                paper.keep(What::Heading, start);
            }
            "item" | "itemx" | "center" | "subtitle" | "deffn" | "defun" | "quotation" => {
                inline(rest, &mut paper);
                paper.out.push('\n');
            }
            other => left_out = LEFT_OUT.iter().find(|known| **known == other).copied(),
        }
    }
    if paper.title.is_empty() {
        paper.title = short;
    }
    paper
}

/// A command that has its line for itself, and the rest of the line.
fn command(line: &str) -> Option<(&str, &str)> {
    // The first line of every Texinfo file.
    if line.starts_with("\\input texinfo") {
        return Some(("input", ""));
    }
    let rest = line.trim_start().strip_prefix('@')?;
    let end = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = rest.split_at(end);
    (end > 0 && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some((name, rest.trim()))
}

/// Words with commands among them.
fn inline(line: &str, paper: &mut Paper) {
    let mut rest = line;
    let mut accent = None;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match character {
            '@' => inline_command(after, &mut accent, paper),
            '{' | '}' => after,
            other => {
                paper.out.push(other);
                paper.out.extend(accent.take().filter(|_| other.is_alphabetic()));
                after
            }
        };
    }
}

/// One command, without its `@`; returns what follows it.
fn inline_command<'a>(text: &'a str, accent: &mut Option<char>, paper: &mut Paper) -> &'a str {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = text.split_at(letters);
    if letters == 0 {
        let Some(sign) = text.chars().next() else { return "" };
        match sign {
            '@' | '{' | '}' | '.' | '!' | '?' => paper.out.push(sign),
            ' ' | '*' => paper.out.push(' '),
            ',' => *accent = symbols::accent("c"),
            other => *accent = symbols::accent(other.encode_utf8(&mut [0; 4])),
        }
        return &text[sign.len_utf8()..];
    }
    if matches!(name, "c" | "comment") && !rest.starts_with('{') {
        return "";
    }
    let argument = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
    match (name, argument) {
        ("uref" | "url" | "indicateurl", Some((inner, after))) => {
            let (url, words) = inner.split_once(',').unwrap_or((inner, ""));
            let words = words.trim().trim_matches(',');
            paper.link(url.trim(), words);
            paper.out.push_str(if words.is_empty() { url } else { words });
            after
        }
        ("value" | "anchor" | "cindex" | "image", Some((_, after))) => after,
        _ => {
            let name = if name == "dots" { "ldots" } else { name };
            paper.out.push_str(symbols::symbol(name).filter(|_| rest.starts_with('{')).unwrap_or_default());
            rest
        }
    }
}
