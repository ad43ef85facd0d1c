//! Reads a page by a table.

use super::{HtmlTable, Rule, Target, is_well_formed};
use crate::fold::{Folded, Gap};
use crate::html::{HEAD, Reader, Role, Stack, Tag, is_own, is_vouched_for, keywords, read};
use crate::links::{Links, Name, TEXT_LIMIT};
use gatherer_pipeline::Draft;
use lol_html::html_content::TextType;
use std::collections::HashMap;
use url::Url;

/// Most elements with a line that lie within each other. Deeper ones leave their text to the one around them:
/// `parent` copies a text once for each.
const DEPTH: usize = 20;
/// Most bytes under all names together.
const TOTAL: usize = 4 * Draft::VALUE_LIMIT;

/// An open element.
#[derive(Debug, Default)]
struct Open {
    /// Its text, if it has a line.
    line: Option<Line>,
    /// Its place among the references, to be called by its text.
    reference: Option<usize>,
    is_preformatted: bool,
    /// Scripts and the like, unless they have a line.
    is_skipped: bool,
}

/// The text of an element with a line, and the names under which it goes.
#[derive(Debug)]
struct Line {
    text: Folded,
    names: Vec<String>,
    to_parent: bool,
}

/// What is found under one name.
#[derive(Debug)]
struct Found {
    name: String,
    values: Vec<String>,
    bytes: usize,
}

/// What is found on a page by a table.
#[derive(Debug)]
pub(super) struct ByTable<'t> {
    table: &'t HtmlTable,
    stack: Stack<Open>,
    lines: usize,
    links: Links,
    /// Names as first spelled with all their values, in the order of first mention.
    found: Vec<Found>,
    places: HashMap<String, usize>,
    bytes: usize,
    complaints: Vec<String>,
    /// What the page has opened, by its own tags or by what may stand there only.
    in_head: bool,
    in_body: bool,
}

impl<'t> ByTable<'t> {
    pub(super) fn new(table: &'t HtmlTable) -> Self {
        Self {
            table,
            stack: Stack::default(),
            lines: 0,
            links: Links::default(),
            found: Vec::new(),
            places: HashMap::new(),
            bytes: 0,
            complaints: Vec::new(),
            in_head: false,
            in_body: false,
        }
    }

    pub(super) fn summarize(mut self, html: &str, url: &Url, draft: &mut Draft) {
        if let Err(error) = read(html, &mut self) {
            draft.complain(format!("page read in part: {error}"));
        }
        self.end_until(0);
        for Found { name, values, .. } in &self.found {
            let is_list = name.eq_ignore_ascii_case("keywords");
            let value = if is_list { keywords(values) } else { values.join("\n") };
            draft.add(name, &value);
        }
        self.complaints.into_iter().for_each(|complaint| draft.complain(complaint));
        self.links.write(url, draft);
    }

    fn end_until(&mut self, left: usize) {
        while let Some(open) = self.stack.pop(left) {
            let Some(Line { text, names, to_parent }) = open.line else { continue };
            self.lines -= 1;
            let (is_full, text) = (text.is_full(), text.into_text());
            if is_full {
                self.complain(format!("{} cut at {} bytes", names.join(","), Draft::VALUE_LIMIT));
            }
            if let Some(place) = open.reference {
                self.links.name(place, Name::new(Folded::line(&text, TEXT_LIMIT), ""));
            }
            if to_parent && let Some(parent) = self.innermost() {
                parent.text.push_lines(&text);
            }
            names.iter().for_each(|name| self.give(name, &text));
        }
    }

    /// The innermost element with a line.
    fn innermost(&mut self) -> Option<&mut Line> {
        self.stack.iter_mut().find_map(|open| open.line.as_mut())
    }

    fn gap(&mut self, gap: Gap) {
        if let Some(line) = self.innermost() {
            line.text.gap(gap);
        }
    }

    /// A value under a name.
    fn give(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        if !is_well_formed(name) {
            return self.complain(format!("{:?} cannot be the name of an attribute", Folded::line(name, 100)));
        }
        let key = name.to_ascii_lowercase();
        if !self.places.contains_key(&key) {
            if self.found.len() >= Draft::ATTRIBUTE_LIMIT {
                return self.complain(format!("more than {} attributes", Draft::ATTRIBUTE_LIMIT));
            }
            self.places.insert(key.clone(), self.found.len());
            self.found.push(Found { name: name.to_owned(), values: Vec::new(), bytes: 0 });
        }
        let Some(found) = self.places.get(&key).and_then(|place| self.found.get_mut(*place)) else { return };
        let has_room = found.bytes + value.len() <= Draft::VALUE_LIMIT && self.bytes + value.len() <= TOTAL;
        if !has_room {
            return self.complain(format!("too much of {name}, some of it left out"));
        }
        found.bytes += value.len() + 1;
        self.bytes += value.len() + 1;
        found.values.push(value.to_owned());
    }

    fn complain(&mut self, complaint: String) {
        if !self.complaints.contains(&complaint) && self.complaints.len() < 20 {
            self.complaints.push(complaint);
        }
    }

    /// The names of targets at an element.
    fn names(targets: &[Target], tag: &Tag<'_, '_>) -> Vec<String> {
        let name = |target: &Target| match target {
            Target::Attribute(name) => Some(name.clone()),
            // The page itself chooses such a name: not that of the gatherer's own attributes.
            Target::NamedBy(attribute) => {
                tag.get(attribute).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty() && !is_own(name))
            }
            Target::Parent => None,
        };
        targets.iter().filter_map(name).collect()
    }

    /// What the table wants of an element's attributes. Gives the place of a reference among them.
    fn take_attributes(&mut self, rule: &Rule, tag: &Tag<'_, '_>) -> Option<usize> {
        let mut reference = None;
        for (attribute, targets) in &rule.attributes {
            let Some(value) = tag.get(attribute) else { continue };
            for name in Self::names(targets, tag) {
                if !name.eq_ignore_ascii_case("url-references") {
                    self.give(&name, &Folded::line(&value, Draft::VALUE_LIMIT));
                } else if is_vouched_for(tag.get("rel").as_deref()) {
                    reference = self.links.refer(&value, "").or(reference);
                } else {
                    reference = self.links.refer_only(&value, "").or(reference);
                }
            }
        }
        reference
    }

    /// Opens head and body where the page leaves out their tags.
    fn imply(&mut self, name: &str) {
        match name {
            "html" => {}
            "head" => self.in_head = true,
            "body" => self.begin_body(),
            "frameset" => (self.in_head, self.in_body) = (true, true),
            _ if self.in_body => {}
            name if HEAD.contains(&name) => {
                if !self.in_head {
                    self.in_head = true;
                    self.push("head", None, &no_attributes("head"));
                }
            }
            _ => {
                self.begin_body();
                self.push("body", None, &no_attributes("body"));
            }
        }
    }

    fn begin_body(&mut self) {
        (self.in_head, self.in_body) = (true, true);
        self.end_until(self.stack.left_by("head"));
    }

    fn push(&mut self, name: &str, reference: Option<usize>, tag: &Tag<'_, '_>) {
        let role = Role::of(name);
        let targets = self.table.rules.get(name).and_then(|rule| rule.text.as_ref());
        let targets = targets.filter(|_| self.lines < DEPTH && self.stack.has_room());
        let line = targets.map(|targets| Line {
            text: Folded::new(Draft::VALUE_LIMIT),
            names: Self::names(targets, tag),
            to_parent: targets.contains(&Target::Parent),
        });
        self.lines += usize::from(line.is_some());
        let is_skipped = line.is_none() && matches!(role, Role::Skipped | Role::Template);
        let is_preformatted = role == Role::Preformatted;
        self.stack.push(name, role, Open { line, reference, is_preformatted, is_skipped });
    }
}

fn no_attributes(name: &str) -> Tag<'_, 'static> {
    Tag { name: name.into(), attributes: &[], closed: false }
}

impl Reader for ByTable<'_> {
    fn open(&mut self, tag: &Tag<'_, '_>) {
        let role = Role::of(&tag.name);
        self.imply(&tag.name);
        self.end_until(self.stack.left_under(role));
        match role {
            Role::Cell => self.gap(Gap::Space),
            _ if role.is_block() => self.gap(Gap::Line),
            _ => {}
        }
        if let ("base", Some(href)) = (&*tag.name, tag.get("href")) {
            self.links.base(href.into_owned());
        }
        let table = self.table;
        let reference = table.rules.get(&*tag.name).and_then(|rule| self.take_attributes(rule, tag));
        if !role.is_empty() {
            self.push(&tag.name, reference, tag);
        }
    }

    fn close(&mut self, name: &str) {
        let role = Role::of(name);
        self.end_until(self.stack.left_by(name));
        match role {
            Role::Cell => self.gap(Gap::Space),
            _ if role.is_block() => self.gap(Gap::Line),
            _ => {}
        }
    }

    fn text(&mut self, raw: &str, kind: TextType) {
        let text = if kind.allows_html_entities() { htmlize::unescape(raw) } else { raw.into() };
        if !self.in_body && kind == TextType::Data && !text.trim().is_empty() {
            self.imply("#text");
        }
        let mut is_preformatted = false;
        for open in self.stack.iter_mut() {
            is_preformatted |= open.is_preformatted;
            if open.is_skipped {
                return;
            }
            if let Some(line) = &mut open.line {
                return if is_preformatted { line.text.push_lines(&text) } else { line.text.push(&text) };
            }
        }
    }
}
