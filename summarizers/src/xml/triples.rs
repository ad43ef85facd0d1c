//! Turtle, N-Triples and N3 by a light scan: what is told of, of which classes, and its labels.

use gatherer_pipeline::Draft;
use std::collections::HashSet;

/// Ends of predicates whose literals are meant for people.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "label", "title", "name", "comment", "description", "abstract", "prefLabel", "altLabel", "definition", "note",
];
/// Most classes and namespaces.
const LIMIT: usize = 500;

/// Writes what the statements tell.
pub(super) fn write(text: &str, cut: bool, draft: &mut Draft) {
    let mut found = Found::default();
    let mut scan = Scan { text };
    while let Some(token) = scan.token() {
        found.take(token);
    }
    draft.add("Format", if found.namespaces.is_empty() { "N-Triples" } else { "Turtle" });
    draft.add("Namespaces", &found.namespaces.join("\n"));
    draft.add("Subjects", &found.subjects.len().to_string());
    draft.add("Classes", &found.classes.join("\n"));
    draft.add("Title", &found.title);
    draft.set_text(&found.labels);
    if found.subjects.is_empty() {
        draft.complain("no statements in it");
    }
    if cut {
        draft.complain("the document breaks off");
    }
}

#[derive(Clone, Copy)]
enum Token<'a> {
    /// An IRI or a name with a prefix.
    Name(&'a str),
    Literal(&'a str),
    Sign(char),
}

struct Scan<'a> {
    text: &'a str,
}

impl<'a> Scan<'a> {
    fn token(&mut self) -> Option<Token<'a>> {
        loop {
            self.text = self.text.trim_start();
            let first = self.text.chars().next()?;
            match first {
                '#' => drop(self.until("\n", 1)),
                '<' => return Some(Token::Name(self.until(">", 1))),
                '"' | '\'' => return Some(Token::Literal(self.literal(first))),
                '.' | ';' | ',' | '[' | ']' | '(' | ')' | '{' | '}' => {
                    self.text = &self.text[1..];
                    return Some(Token::Sign(first));
                }
                _ => return Some(Token::Name(self.name())),
            }
        }
    }

    /// What stands before an end, which is passed over.
    fn until(&mut self, end: &str, from: usize) -> &'a str {
        let rest = &self.text[from..];
        let found = rest.find(end).unwrap_or(rest.len());
        self.text = &rest[(found + end.len()).min(rest.len())..];
        &rest[..found]
    }

    /// A literal in short or long quotes. Language and type behind it are passed over.
    fn literal(&mut self, quote: char) -> &'a str {
        let long = quote.to_string().repeat(3);
        let literal = if self.text.starts_with(&long) { self.until(&long, 3) } else { self.short_literal(quote) };
        if self.text.starts_with(['@', '^']) {
            let rest = self.text.trim_start_matches(['@', '^']);
            self.text = rest;
            if rest.starts_with('<') {
                self.until(">", 1);
            } else {
                self.name();
            }
        }
        literal
    }

    fn short_literal(&mut self, quote: char) -> &'a str {
        let rest = &self.text[1..];
        let mut is_escaped = false;
        let end = rest.char_indices().find(|(_, c)| {
            let ends = !is_escaped && (*c == quote || *c == '\n');
            is_escaped = !is_escaped && *c == '\\';
            ends
        });
        let end = end.map_or(rest.len(), |(end, _)| end);
        self.text = &rest[(end + 1).min(rest.len())..];
        &rest[..end]
    }

    /// A name with a prefix, a number or a word. A full stop at its end ends the statement.
    fn name(&mut self) -> &'a str {
        let is_end = |c: char| c.is_whitespace() || ";,[](){}<>\"'".contains(c);
        let end = self.text.find(is_end).unwrap_or(self.text.len());
        let first = self.text.chars().next().map_or(0, char::len_utf8);
        let word = &self.text[..end.max(first)];
        let name = word.trim_end_matches('.');
        self.text = &self.text[if name.is_empty() { word.len() } else { name.len() }..];
        name
    }
}

#[derive(Default)]
struct Found<'a> {
    subjects: HashSet<&'a str>,
    known: HashSet<&'a str>,
    classes: Vec<&'a str>,
    namespaces: Vec<&'a str>,
    labels: String,
    title: String,
    /// What the statement has so far: subject and predicate.
    subject: Option<&'a str>,
    predicate: Option<&'a str>,
    /// Brackets that are open: what stands in them has a nameless subject.
    depth: usize,
}

impl<'a> Found<'a> {
    fn take(&mut self, token: Token<'a>) {
        match token {
            Token::Sign('[' | '(' | '{') => self.depth += 1,
            Token::Sign(']' | ')' | '}') => self.depth = self.depth.saturating_sub(1),
            Token::Sign('.') => (self.subject, self.predicate, self.depth) = (None, None, 0),
            Token::Sign(';') if self.depth == 0 => self.predicate = None,
            _ if self.depth > 0 => {}
            Token::Sign(_) => {}
            Token::Literal(text) => self.literal(text),
            Token::Name(name) => self.name(name),
        }
    }

    fn name(&mut self, name: &'a str) {
        let is_prefix =
            |word: &str| ["@prefix", "prefix", "@base", "base"].iter().any(|it| word.eq_ignore_ascii_case(it));
        match (self.subject, self.predicate) {
            (None, _) => {
                self.subject = Some(name);
                if !is_prefix(name) {
                    self.subjects.insert(name);
                }
            }
            // `@prefix name: <namespace> .`, and the same in SPARQL's way, which has no full stop.
            (Some(word), _) if is_prefix(word) => {
                if !name.ends_with(':') || name.contains('/') {
                    if self.namespaces.len() < LIMIT {
                        self.namespaces.push(name);
                    }
                    self.subject = None;
                }
            }
            (Some(_), None) => self.predicate = Some(name),
            (Some(_), Some(predicate)) => {
                let is_type = predicate == "a" || predicate.ends_with("#type") || predicate == "rdf:type";
                if is_type && self.classes.len() < LIMIT && self.known.insert(name) {
                    self.classes.push(name);
                }
            }
        }
    }

    fn literal(&mut self, text: &str) {
        let predicate = self.predicate.unwrap_or_default();
        let local = predicate.rsplit(['/', '#', ':']).next().unwrap_or_default();
        if !LABELS.contains(&local) || self.labels.len() + text.len() >= Draft::VALUE_LIMIT {
            return;
        }
        let text = text.replace("\\n", " ").replace("\\\"", "\"");
        if local == "title" && self.title.is_empty() {
            self.title.clone_from(&text);
        }
        self.labels.push_str(&text);
        self.labels.push('\n');
    }
}
