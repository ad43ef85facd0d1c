//! Harvest's quick-sum: lines that match a pattern go into an attribute.
//!
//! ```text
//! # kind               attribute  regex, to the end of the line
//! ReferBibliographic   Author     ^%A[ \t]+(.*)$
//! ReferBibliographic   Title      ^%T[ \t]+.*$
//! ```

use gatherer_pipeline::{Draft, Kind, Leaf};
use gatherer_summarizers::charset::{Hint, decode};
use regex::Regex;

/// Most bytes that one attribute gets from one document; who wants the whole text has it as text.
const LIMIT: usize = 256 << 10;

/// Patterns by kind, in order.
#[derive(Debug, Clone, Default)]
pub struct QuickSum(Vec<Pattern>);

#[derive(Debug, Clone)]
struct Pattern {
    kind: String,
    attribute: String,
    regex: Regex,
}

/// What one attribute has got so far.
struct Found<'q> {
    attribute: &'q str,
    lines: String,
    is_cut: bool,
}

impl QuickSum {
    /// From kinds, attributes and patterns.
    pub fn new(patterns: Vec<(String, String, Regex)>) -> Self {
        let pattern = |(kind, attribute, regex)| Pattern { kind, attribute, regex };
        Self(patterns.into_iter().map(pattern).collect())
    }

    /// Reads Harvest's `quick-sum.cf`.
    ///
    /// # Errors
    /// Every bad line, by its number from 1, and what is wrong with it.
    pub fn read(text: &str) -> Result<Self, Vec<(usize, String)>> {
        let (mut patterns, mut errors) = (Vec::new(), Vec::new());
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match pattern(line) {
                Ok(pattern) => patterns.push(pattern),
                Err(problem) => errors.push((index + 1, problem)),
            }
        }
        if errors.is_empty() { Ok(Self(patterns)) } else { Err(errors) }
    }

    /// These patterns, and behind them others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Adds every line of the document that matches a pattern of its kind; of a pattern with groups, the first group
    /// that took part.
    pub fn add_to(&self, leaf: &Leaf<'_>, draft: &mut Draft) {
        let patterns = self.of(leaf.kind);
        if patterns.is_empty() {
            return;
        }
        // Complaints about the charset are the summarizer's.
        let text = decode(leaf.body, leaf.content_type, Hint::text(leaf.url)).text;
        let mut found: Vec<Found<'_>> = Vec::new();
        let places: Vec<_> = patterns.iter().map(|pattern| place(&mut found, &pattern.attribute)).collect();
        for line in text.split(['\n', '\r']) {
            for (pattern, place) in patterns.iter().zip(&places) {
                if let (Some(part), Some(found)) = (pattern.part(line), found.get_mut(*place)) {
                    found.push(part.trim());
                }
            }
        }
        for Found { attribute, lines, is_cut } in found {
            draft.add(attribute, &lines);
            if is_cut {
                draft.complain(format!("quick-sum of {attribute} cut at {LIMIT} bytes"));
            }
        }
    }

    fn of(&self, kind: &Kind) -> Vec<&Pattern> {
        self.0.iter().filter(|pattern| pattern.kind.eq_ignore_ascii_case(kind.name())).collect()
    }
}

/// Three columns; the last may hold spaces.
fn pattern(line: &str) -> Result<Pattern, String> {
    let column = |text: &str| {
        let (word, rest) = text.split_once(char::is_whitespace)?;
        Some((word.to_owned(), rest.trim_start().to_owned()))
    };
    let columns = column(line).and_then(|(kind, rest)| Some((kind, column(&rest)?)));
    let Some((kind, (attribute, regex))) = columns else {
        return Err("expected a kind, an attribute and a regular expression".to_owned());
    };
    let legal = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}' | b'@');
    if !attribute.bytes().all(legal) || attribute.len() > Draft::NAME_LIMIT {
        return Err(format!("attribute name {attribute:?} is not well formed"));
    }
    let regex = Regex::new(&regex).map_err(|error| {
        let error = error.to_string(); // The last of its lines says what is wrong, the others show the pattern.
        let reason = error.lines().last().unwrap_or_default();
        format!("`{regex}` is no regular expression: {}", reason.trim_start_matches("error: "))
    })?;
    Ok(Pattern { kind, attribute, regex })
}

/// The place of an attribute; several patterns may share one.
fn place<'q>(found: &mut Vec<Found<'q>>, attribute: &'q str) -> usize {
    let known = found.iter().position(|known| known.attribute.eq_ignore_ascii_case(attribute));
    known.unwrap_or_else(|| {
        found.push(Found { attribute, lines: String::new(), is_cut: false });
        found.len() - 1
    })
}

impl Pattern {
    /// What of a line goes into the attribute.
    fn part<'l>(&self, line: &'l str) -> Option<&'l str> {
        if self.regex.captures_len() == 1 {
            return self.regex.is_match(line).then_some(line);
        }
        let groups = self.regex.captures(line)?;
        groups.iter().skip(1).flatten().next().map(|group| group.as_str())
    }
}

impl Found<'_> {
    fn push(&mut self, line: &str) {
        if line.is_empty() || self.is_cut {
            return;
        }
        self.is_cut = self.lines.len() + line.len() >= LIMIT;
        if !self.lines.is_empty() {
            self.lines.push('\n');
        }
        let room = LIMIT.saturating_sub(self.lines.len());
        self.lines.push_str(&line[..line.floor_char_boundary(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    const REFER: &str = "# Harvest's own\r\n\r\nReferBibliographic   Author     ^%A[ \\t]+.*$\r\n\
                         ReferBibliographic\tTitle\t^%T[ \\t]+(.*)$|^%J (.*)\n  Mail author ^From: \n";

    fn add(quick_sum: &QuickSum, kind: &str, body: &[u8]) -> Draft {
        let url = Url::parse("http://example.org/a.refer").expect("a literal URL");
        let kind = Kind::new(kind);
        let leaf = Leaf::new(&url, &kind, body);
        let mut draft = Draft::new();
        draft.add("Title", "Known");
        quick_sum.add_to(&leaf, &mut draft);
        draft
    }

    fn refer(body: &[u8]) -> Draft {
        add(&QuickSum::read(REFER).expect("good lines"), "referbibliographic", body)
    }

    #[test]
    fn matching_lines_go_into_their_attributes() {
        let draft = refer(b"%A Ann\r\n%T Corn  \n%X no\r%A\tB\xf6b\n%J Fields\nFrom: x\n%T \n");
        assert_eq!(draft.get("author"), Some("%A Ann\n%A\tB\u{f6}b"));
        assert_eq!(draft.get("title"), Some("Known\nCorn\nFields"));
        assert!(draft.complaints().is_empty());
    }

    #[test]
    fn other_kinds_and_empty_documents_get_nothing() {
        for (kind, body) in [("HTML", &b"%A Ann"[..]), ("ReferBibliographic", b""), ("ReferBibliographic", b"\0\xff")] {
            let draft = add(&QuickSum::read(REFER).expect("good lines"), kind, body);
            assert_eq!(draft.attributes().len(), 1, "{kind}");
        }
    }

    #[test]
    fn patterns_of_one_attribute_keep_the_order_of_the_lines() {
        let regex = |pattern| Regex::new(pattern).expect("a regex");
        let patterns = [("Author", regex("^%A (.*)")), ("author", regex("^%E (.*)"))];
        let patterns = patterns.map(|(attribute, regex)| ("Text".to_owned(), attribute.to_owned(), regex));
        let draft = add(&QuickSum::new(patterns.to_vec()), "Text", b"%E Ed\n%A Ann\n%E Eve");
        assert_eq!(draft.get("Author"), Some("Ed\nAnn\nEve"));
    }

    #[test]
    fn an_attribute_does_not_outgrow_its_limit() {
        let line = "%T \u{e4}bcdef\n";
        let draft = refer(line.repeat(200_000).as_bytes());
        assert!(draft.get("Title").is_some_and(|title| title.len() <= LIMIT + 8 && title.len() > LIMIT - 16));
        assert_eq!(draft.complaints(), ["quick-sum of Title cut at 262144 bytes"]);
        let draft = refer(format!("%A {}", "\u{e4}".repeat(LIMIT)).as_bytes());
        assert!(draft.get("Author").is_some_and(|author| author.len() <= LIMIT));
    }

    #[test]
    fn bad_lines_are_all_told() {
        let errors = QuickSum::read("A\nA B\n\nA B (\nA x{ y\nA B c").expect_err("four bad lines");
        let expected = [
            (1, "expected a kind, an attribute and a regular expression"),
            (2, "expected a kind, an attribute and a regular expression"),
            (4, "`(` is no regular expression: unclosed group"),
            (5, "attribute name \"x{\" is not well formed"),
        ];
        assert_eq!(errors, expected.map(|(line, problem)| (line, problem.to_owned())));
        assert!(QuickSum::read("").is_ok_and(|quick_sum| quick_sum.0.is_empty()));
    }

    #[test]
    fn any_cut_of_a_file_is_read_or_refused() {
        for end in 0..=REFER.len() {
            let _ = QuickSum::read(&REFER[..end]);
        }
    }
}
