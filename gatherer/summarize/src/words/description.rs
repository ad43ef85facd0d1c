//! The summary that Harvest makes of a text: its first lines, and the first sentences of its paragraphs.

use gatherer_summarizers::fold::{Folded, Gap};

/// About as much as a broker shows of a hit, and some more to search in.
const LIMIT: usize = 2 << 10;
/// So many bytes are taken whole before only first sentences count.
const WHOLE: usize = 600;

/// Paragraphs that begin so are about rights, not about what the text is about.
const RIGHTS: [&str; 8] = [
    "copyright",
    "spdx-license",
    "permission is hereby granted",
    "redistribution and use in source",
    "licensed under the",
    "this program is free software",
    "this software is available to you under",
    "warning: do not edit",
];

/// The first lines and the first sentences of the paragraphs that follow, one paragraph a line. What is about rights is
/// passed over, unless there is nothing else.
pub(super) fn description(text: &str) -> String {
    let told = describe(text, |paragraph| {
        let start = paragraph[..paragraph.floor_char_boundary(50)].to_lowercase();
        !RIGHTS.iter().any(|rights| start.starts_with(rights))
    });
    if told.is_empty() { describe(text, |_| true) } else { told }
}

fn describe(text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let mut description = Folded::new(LIMIT);
    let mut taken = 0;
    for paragraph in paragraphs(text) {
        let mut words = Folded::new(LIMIT);
        for line in paragraph.lines().filter(|line| is_prose(line)) {
            words.push(line);
            words.push("\n");
        }
        let paragraph = words.into_text();
        if paragraph.is_empty() || !is_wanted(&paragraph) {
            continue;
        }
        description.gap(Gap::Line);
        description.push(if taken < WHOLE { &paragraph } else { first_sentence(&paragraph) });
        taken += paragraph.len();
        if description.is_full() {
            break;
        }
    }
    description.into_text()
}

/// Not a rule of dashes, and not a bar of links.
fn is_prose(line: &str) -> bool {
    line.contains(char::is_alphanumeric) && line.matches(" | ").count() < 3
}

/// Runs of lines between blank ones.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim().is_empty() {
                let (paragraph, after) = (&rest[..end], &rest[end + line.len()..]);
                rest = after;
                return Some(paragraph);
            }
            end += line.len();
        }
        Some(std::mem::take(&mut rest))
    })
}

/// Up to a full stop after a word, with a new beginning behind it. `e.g.` and initials are no ends.
fn first_sentence(paragraph: &str) -> &str {
    let is_end = |(place, mark): &(usize, char)| {
        let after = *place + mark.len_utf8();
        let word = paragraph[..*place].rsplit(' ').next().unwrap_or_default();
        let begins = paragraph[after..].strip_prefix(' ').and_then(|rest| rest.chars().next());
        *mark == '。' || (word.chars().count() > 2 && !word.contains('.') && begins.is_some_and(|c| !c.is_lowercase()))
    };
    let ends = paragraph.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。'));
    ends.into_iter().find(is_end).map_or(paragraph, |(place, mark)| &paragraph[..place + mark.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(description(text), expected);
    }

    #[test]
    fn a_short_text_is_taken_whole() {
        check("Corn\n\nGrows in\nfields. Always.\n \n\nEnd", "Corn\nGrows in fields. Always.\nEnd");
        check("", "");
        check("\n\n---\n\n", "");
    }

    #[test]
    fn rules_bars_and_rights_are_passed_over() {
        check("Corn\n====\n\nHome | Fields | Barns | Map\nIt grows.", "Corn\nIt grows.");
        check("Copyright 2024 Ann\n\nCorn.", "Corn.");
        check("Copyright 2024 Ann", "Copyright 2024 Ann");
    }

    #[test]
    fn later_paragraphs_give_their_first_sentence() {
        let long = "x".repeat(WHOLE);
        let text = format!("{long}\n\nCorn grows, e.g. here. It is tall.\r\n\r\nNo end");
        check(&text, &format!("{long}\nCorn grows, e.g. here.\nNo end"));
    }

    #[test]
    fn sentences_end_where_a_new_one_begins() {
        let sentence = |text: &'static str, expected| assert_eq!(first_sentence(text), expected);
        sentence("It costs 3.50 a pound. Really.", "It costs 3.50 a pound.");
        sentence("By J. Smith. Then more.", "By J. Smith.");
        sentence("Was ist das? Öl!", "Was ist das?");
        sentence("これは本です。それは何。", "これは本です。");
        sentence("no end", "no end");
    }

    #[test]
    fn it_stays_short_and_linear() {
        let text = "Corn grows in fields here. It is tall.\n\n".repeat(100_000);
        assert!(description(&text).len() <= LIMIT);
        assert!(description(&"a. ".repeat(1_000_000)).len() <= LIMIT);
    }
}
