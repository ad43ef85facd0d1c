//! What is found on a page, tag by tag and text by text.

use super::attributes::{attribute, is_vouched_for};
use super::meta::Meta;
use super::reading::Reading;
use crate::fold::{Folded, Gap};
use crate::links::{Links, TEXT_LIMIT};
use lol_html::html_content::{Element, TextType};

/// Namespace of HTML elements, as against those of drawings and formulas.
const HTML: &str = "http://www.w3.org/1999/xhtml";

/// Elements that stand on lines of their own. What is missing here goes on in the line.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head",
    "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p",
    "plaintext", "pre", "search", "section", "select", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
    "xmp",
];

/// Elements that may stand in a head. Any other begins the body, whatever the page calls it.
#[rustfmt::skip]
const HEAD: &[&str] = &[
    "base", "basefont", "bgsound", "head", "html", "link", "meta", "noframes", "noscript", "script", "style", "title",
];

/// What the end of an element means.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Anchor,
    Address,
    Block,
    Cell,
    Drawing,
    Fragment,
    Heading,
    Inert,
    Preformatted,
    Skipped,
    Title,
}

/// What is found on a page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) title: Option<Folded>,
    pub(super) language: Option<String>,
    pub(super) meta: Meta,
    pub(super) headings: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) links: Links,
    pub(super) text: Folded,
    pub(super) reading: Reading,
    /// Nothing of the body has come yet.
    pub(super) in_head: bool,
    in_title: bool,
    /// Content of a `<noscript>`, which is raw text for the parser: a browser with scripts would not read it.
    fragment: Option<String>,
    fragments: Vec<String>,
    /// Only references count: we are inside such a fragment.
    pub(super) references_only: bool,
    /// Open elements whose text nobody reads, whose tags are no content, and whose lines count.
    skipped: usize,
    inert: usize,
    preformatted: usize,
    /// Open drawings, whose titles are tooltips.
    drawings: usize,
    /// A text node that came in several chunks; entities may be torn between them.
    chunks: String,
}

impl Page {
    /// An empty page that will keep `limit` bytes of text.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            title: None,
            language: None,
            meta: Meta::default(),
            headings: Vec::new(),
            addresses: Vec::new(),
            links: Links::default(),
            text: Folded::new(limit),
            reading: Reading::default(),
            in_head: true,
            in_title: false,
            fragment: None,
            fragments: Vec::new(),
            references_only: false,
            skipped: 0,
            inert: 0,
            preformatted: 0,
            drawings: 0,
            chunks: String::new(),
        }
    }

    /// A start tag. Says what its end will mean, if anything.
    pub(super) fn open(&mut self, element: &Element<'_, '_>) -> Option<End> {
        let name = element.tag_name();
        if name == "template" {
            self.inert += 1;
            return Some(End::Inert);
        }
        if self.inert > 0 {
            return None;
        }
        self.in_head = self.in_head && HEAD.contains(&name.as_str());
        self.take_attributes(&name, element);
        let raw = element.namespace_uri() == HTML;
        match name.as_str() {
            "a" => Some(self.open_anchor(element)),
            "title" if self.drawings == 0 && self.title.is_none() && !self.references_only => Some(self.open_title()),
            "noscript" | "noframes" | "noembed" if raw && !self.references_only => Some(self.open_fragment()),
            "script" | "style" | "title" | "textarea" | "iframe" | "noscript" | "noframes" | "noembed"
            | "annotation" => {
                self.skipped += 1;
                Some(End::Skipped)
            }
            "svg" => {
                self.drawings += 1;
                Some(End::Drawing)
            }
            _ => self.open_text(&name),
        }
    }

    /// The end of an element that [`Self::open`] wanted to know of.
    pub(super) fn close(&mut self, end: End) {
        match end {
            End::Anchor => self.end_anchor(),
            End::Title => self.in_title = false,
            End::Fragment => self.fragments.extend(self.fragment.take()),
            End::Inert => self.inert = self.inert.saturating_sub(1),
            End::Drawing => self.drawings = self.drawings.saturating_sub(1),
            End::Skipped => self.skipped = self.skipped.saturating_sub(1),
            End::Heading => self.end_heading(),
            End::Address => self.end_address(),
            End::Preformatted => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.gap(Gap::Line);
            }
            End::Block => self.gap(Gap::Line),
            End::Cell => self.gap(Gap::Space),
        }
    }

    /// A piece of a text node.
    pub(super) fn text(&mut self, chunk: &str, kind: TextType, last: bool) {
        if !last || !self.chunks.is_empty() {
            self.chunks.push_str(chunk);
        }
        if last && self.chunks.is_empty() {
            self.take_text(chunk, kind);
        } else if last {
            let node = std::mem::take(&mut self.chunks);
            self.take_text(&node, kind);
        }
    }

    /// The page is over; what is still open ends here. Gives the fragments, which are to be read next.
    pub(super) fn end_of_page(&mut self) -> Vec<String> {
        self.fragments.extend(self.fragment.take());
        self.end_heading();
        self.end_address();
        (self.in_head, self.in_title) = (false, false);
        self.end_of_fragment();
        self.references_only = true;
        std::mem::take(&mut self.fragments)
    }

    /// A fragment is over.
    pub(super) fn end_of_fragment(&mut self) {
        self.end_anchor();
        self.chunks.clear();
        (self.skipped, self.inert) = (0, 0);
    }

    /// An anchor ends where the next begins, as in browsers.
    fn open_anchor(&mut self, element: &Element<'_, '_>) -> End {
        self.end_anchor();
        let href = attribute(element, "href").or_else(|| attribute(element, "xlink:href"));
        let place = href.and_then(|href| {
            let vouched = is_vouched_for(attribute(element, "rel"));
            if vouched { self.links.refer(&href, "") } else { self.links.refer_only(&href, "") }
        });
        if let Some(place) = place {
            let otherwise = attribute(element, "title").unwrap_or_default();
            self.reading.begin_anchor(place, otherwise);
        }
        End::Anchor
    }

    fn open_title(&mut self) -> End {
        self.title = Some(Folded::new(TEXT_LIMIT));
        self.in_title = true;
        End::Title
    }

    fn open_fragment(&mut self) -> End {
        self.fragment = Some(String::new());
        End::Fragment
    }

    fn open_text(&mut self, name: &str) -> Option<End> {
        if self.references_only {
            return None;
        }
        if BLOCKS.contains(&name) || name == "br" {
            self.gap(Gap::Line);
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_heading();
                self.reading.begin_heading();
                Some(End::Heading)
            }
            "address" => {
                self.reading.begin_address();
                Some(End::Address)
            }
            "pre" | "listing" | "xmp" | "plaintext" => {
                self.preformatted += 1;
                Some(End::Preformatted)
            }
            "td" | "th" => {
                self.gap(Gap::Space);
                Some(End::Cell)
            }
            _ => BLOCKS.contains(&name).then_some(End::Block),
        }
    }

    fn end_anchor(&mut self) {
        if let Some((place, name)) = self.reading.end_anchor() {
            self.links.name(place, &name);
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
        self.text.gap(gap);
        self.reading.gap();
    }

    /// A whole text node, still with its entities.
    fn take_text(&mut self, raw: &str, kind: TextType) {
        if let Some(fragment) = &mut self.fragment {
            return fragment.push_str(raw);
        }
        if self.skipped > 0 || self.inert > 0 || raw.is_empty() {
            return;
        }
        let text = if kind.allows_html_entities() { htmlize::unescape(raw) } else { raw.into() };
        if let Some(title) = self.title.as_mut().filter(|_| self.in_title) {
            return title.push(&text);
        }
        self.in_head = self.in_head && text.trim().is_empty();
        self.reading.push(&text);
        match self.preformatted {
            _ if self.references_only => {}
            0 => self.text.push(&text),
            _ => self.text.push_lines(&text),
        }
    }
}
