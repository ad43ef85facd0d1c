//! What is found on a page, tag by tag and text by text.

use super::attributes::{Facts, is_vouched_for};
use super::elements::{Role, Stack};
use super::items::Items;
use super::meta::Meta;
use super::reading::Reading;
use super::structured::Structured;
use super::texts::{Region, Texts};
use super::tokens::{Reader, Tag, read};
use crate::fold::{Folded, Gap};
use crate::links::{Links, TEXT_LIMIT};
use lol_html::errors::RewritingError;
use lol_html::html_content::TextType;

/// Elements that may stand in a head. Any other begins the body, whatever the page calls it.
#[rustfmt::skip]
pub(crate) const HEAD: &[&str] = &[
    "base", "basefont", "bgsound", "head", "html", "link", "meta", "noframes", "noscript", "script", "style", "title",
];

/// What is to be done when an element ends.
#[derive(Debug)]
struct Open {
    role: Role,
    /// Where the text went before.
    before: Option<Region>,
    facts: Facts,
}

/// What is found on a page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) title: Option<Folded>,
    pub(super) language: Option<String>,
    pub(super) meta: Meta,
    pub(super) headings: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) times: Vec<String>,
    pub(super) links: Links,
    pub(super) structured: Structured,
    pub(super) items: Items,
    pub(super) texts: Texts,
    pub(super) reading: Reading,
    /// Nothing of the body has come yet.
    pub(super) in_head: bool,
    in_title: bool,
    /// The start tag that came last: raw text is its content.
    last: Role,
    /// Contents of `<noscript>` and the like, raw text for the parser: a browser with scripts would not read them.
    fragments: Vec<String>,
    /// Only references count: we are inside such a fragment.
    pub(super) references_only: bool,
    stack: Stack<Open>,
    /// Open elements that are kept in mind though they are no scopes. While there are any, all others of their kind
    /// are kept in mind too, or they would end them.
    odd: usize,
    /// Open elements whose text nobody reads, whose tags are no content, and whose lines count.
    skipped: usize,
    inert: usize,
    preformatted: usize,
    /// Open drawings, whose titles are tooltips.
    drawings: usize,
}

impl Page {
    /// An empty page that will keep `limit` bytes of text.
    fn new(limit: usize) -> Self {
        Self {
            title: None,
            language: None,
            meta: Meta::default(),
            headings: Vec::new(),
            addresses: Vec::new(),
            times: Vec::new(),
            links: Links::default(),
            structured: Structured::default(),
            items: Items::default(),
            texts: Texts::new(limit),
            reading: Reading::default(),
            in_head: true,
            in_title: false,
            last: Role::Inline,
            fragments: Vec::new(),
            references_only: false,
            stack: Stack::default(),
            odd: 0,
            skipped: 0,
            inert: 0,
            preformatted: 0,
            drawings: 0,
        }
    }

    /// Reads a page, and after it what stands in `<noscript>` and the like, for its references only. What was found
    /// before the parser gave up is kept, with a complaint.
    pub(super) fn read(html: &str, limit: usize) -> (Self, Option<String>) {
        let mut page = Self::new(limit);
        let mut outcome = read(html, &mut page);
        page.end_all();
        page.end_heading();
        page.end_address();
        page.items.end(&mut page.structured);
        (page.in_head, page.in_title, page.references_only) = (false, false, true);
        for fragment in std::mem::take(&mut page.fragments) {
            outcome = outcome.and(read(&fragment, &mut page));
            page.end_all();
        }
        (page, outcome.err().map(|error| complaint(&error)))
    }

    /// What is still open ends here.
    fn end_all(&mut self) {
        self.end_until(0);
        self.end_anchor();
    }

    fn end_until(&mut self, left: usize) {
        while let Some(open) = self.stack.pop(left) {
            self.end(open);
        }
    }

    /// An element has ended, by its own end tag or with one around it.
    fn end(&mut self, Open { role, before, facts }: Open) {
        self.odd -= usize::from(!role.is_scope());
        if let Some(before) = before {
            self.texts.go(before);
        }
        self.items.close(facts, &mut self.structured);
        match role {
            Role::Anchor => self.end_anchor(),
            Role::Heading => self.end_heading(),
            Role::Address => self.end_address(),
            Role::Title if self.in_title => self.in_title = false,
            Role::Title | Role::Fragment | Role::Skipped => self.skipped = self.skipped.saturating_sub(1),
            Role::Template => self.inert = self.inert.saturating_sub(1),
            Role::Drawing => self.drawings = self.drawings.saturating_sub(1),
            Role::Preformatted => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
    }

    /// Keeps an element in mind if its end will mean something. What is counted is counted only then.
    fn push(&mut self, role: Role, tag: &Tag<'_, '_>, facts: Facts, region: Option<Region>) {
        let matters = role.is_scope() || self.odd > 0 || region.is_some() || facts.is_some();
        if role.is_empty() || !matters || !self.stack.has_room() {
            return;
        }
        self.odd += usize::from(!role.is_scope());
        match role {
            Role::Title if self.in_title => {}
            Role::Title | Role::Fragment | Role::Skipped => self.skipped += 1,
            Role::Template => self.inert += 1,
            Role::Drawing => self.drawings += 1,
            Role::Preformatted => self.preformatted += 1,
            _ => {}
        }
        self.items.open(&facts);
        let before = region.map(|region| self.texts.go(region));
        self.stack.push(&tag.name, role, Open { role, before, facts });
    }

    /// What a start tag means by its name.
    fn begin(&mut self, role: Role, tag: &Tag<'_, '_>) {
        match role {
            Role::Anchor => self.begin_anchor(tag),
            Role::Title if self.drawings == 0 && self.title.is_none() && !self.references_only => {
                self.title = Some(Folded::new(TEXT_LIMIT));
                self.in_title = true;
            }
            _ if self.references_only => {}
            Role::Heading => {
                self.end_heading();
                self.reading.begin_heading();
            }
            Role::Address => {
                self.gap(Gap::Line);
                self.reading.begin_address();
            }
            Role::Cell => self.gap(Gap::Space),
            _ if role.is_block() => self.gap(Gap::Line),
            _ => {}
        }
    }

    /// An anchor ends where the next begins, as in browsers.
    fn begin_anchor(&mut self, tag: &Tag<'_, '_>) {
        self.end_anchor();
        let Some(href) = tag.get("href").or_else(|| tag.get("xlink:href")) else { return };
        let vouched = is_vouched_for(tag.get("rel").as_deref());
        let place = if vouched { self.links.refer(&href, "") } else { self.links.refer_only(&href, "") };
        if let Some(place) = place {
            let otherwise = tag.get("title").unwrap_or_default().into_owned();
            self.reading.begin_anchor(place, otherwise);
        }
    }

    fn end_anchor(&mut self) {
        if let Some((place, name)) = self.reading.end_anchor() {
            self.links.name(place, name);
        }
    }

    fn end_heading(&mut self) {
        self.headings.extend(self.reading.end_heading());
        self.gap(Gap::Line);
    }

    fn end_address(&mut self) {
        self.addresses.extend(self.reading.end_address());
        self.gap(Gap::Line);
    }

    /// Parts the words before from the words after.
    fn gap(&mut self, gap: Gap) {
        self.texts.gap(gap);
        self.reading.gap();
        self.items.gap();
    }
}

impl Reader for Page {
    fn open(&mut self, tag: &Tag<'_, '_>) {
        let role = Role::of(&tag.name);
        (self.last, self.structured.is_script) = (role, false);
        if self.inert > 0 || role == Role::Template {
            return self.push(role, tag, Facts::None, None);
        }
        self.in_head = self.in_head && HEAD.contains(&&*tag.name);
        if role != Role::Inline {
            self.end_until(self.stack.left_under(role));
        }
        if !tag.attributes.is_empty() {
            self.take_attributes(tag);
        }
        let is_special = tag.is_special() && !self.references_only;
        let facts = if is_special { self.take_facts(role, tag) } else { Facts::None };
        self.begin(role, tag);
        let region = self.texts.begins(role, tag, is_special).filter(|_| !self.references_only);
        self.push(role, tag, facts, region);
        if tag.closed && (self.drawings > 0 || tag.name == "math") {
            self.close(&tag.name);
        }
    }

    fn close(&mut self, name: &str) {
        let role = Role::of(name);
        if role.is_scope() || self.odd > 0 {
            self.end_until(self.stack.left_by(name));
        }
        // Also if it was too deep to be kept in mind.
        match role {
            _ if self.inert > 0 => {}
            Role::Anchor => self.end_anchor(),
            Role::Title => self.in_title = false,
            _ if self.references_only => {}
            Role::Heading => self.end_heading(),
            Role::Address => self.end_address(),
            Role::Cell => self.gap(Gap::Space),
            _ if role.is_block() => self.gap(Gap::Line),
            _ => {}
        }
    }

    fn text(&mut self, raw: &str, kind: TextType) {
        match kind {
            _ if self.inert > 0 => return,
            TextType::ScriptData if self.structured.is_script => return self.structured.read(raw),
            TextType::ScriptData => return,
            TextType::RawText if self.last == Role::Fragment && !self.references_only => {
                // Without a tag it refers to nothing.
                return self.fragments.extend(raw.contains('<').then(|| raw.to_owned()));
            }
            TextType::RawText if matches!(self.last, Role::Fragment | Role::Skipped) => return,
            TextType::RCData if !self.in_title => return,
            _ if self.skipped > 0 => return,
            _ => {}
        }
        let text = if kind.allows_html_entities() { htmlize::unescape(raw) } else { raw.into() };
        if let Some(title) = self.title.as_mut().filter(|_| self.in_title) {
            return title.push(&text);
        }
        self.in_head = self.in_head && text.trim().is_empty();
        self.reading.push(&text);
        if self.references_only {
            return;
        }
        self.items.push(&text);
        match self.preformatted {
            0 => self.texts.push(&text),
            _ => self.texts.push_lines(&text),
        }
    }
}

fn complaint(error: &RewritingError) -> String {
    match error {
        RewritingError::MemoryLimitExceeded(_) => "page read in part: a tag without an end is too long".to_owned(),
        other => format!("page read in part: {other}"),
    }
}
