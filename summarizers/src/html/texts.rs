//! The text of a page, told apart: what it is about, and what stands around that on every page of its site.

use super::elements::Role;
use super::tokens::Tag;
use crate::fold::{Folded, Gap};

/// Roles (ARIA) of what stands around.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "navigation", "search",
    "toolbar",
];

/// Where on the page the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// Nothing is said of it.
    Somewhere,
    /// Within what the page is about: headers and footers belong to it.
    Content,
    /// Around it.
    Apart,
}

/// The text so far.
#[derive(Debug)]
pub(super) struct Texts {
    content: Folded,
    apart: Folded,
    region: Region,
    limit: usize,
}

impl Texts {
    /// Keeps `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { content: Folded::new(limit), apart: Folded::new(limit), region: Region::Somewhere, limit }
    }

    /// The region that an element begins, if any. By what it is, then by what it says it is: a menu within an article
    /// is still a menu, its header and footer are its own.
    pub(super) fn begins(&self, role: Role, tag: &Tag<'_, '_>, is_special: bool) -> Option<Region> {
        let by_name = match role {
            Role::Main => return Some(Region::Content),
            Role::Apart => Some(Region::Apart),
            Role::Edge if self.region == Region::Somewhere => Some(Region::Apart),
            Role::Article if self.region == Region::Somewhere => Some(Region::Content),
            _ => None,
        };
        if !is_special || matches!(&*tag.name, "html" | "body") {
            return by_name;
        }
        let is = |name: &str, value: &str| tag.raw(name).is_some_and(|said| said.trim().eq_ignore_ascii_case(value));
        let said = tag.raw("role").map(str::trim);
        if said.is_some_and(|said| said.eq_ignore_ascii_case("main")) {
            return Some(Region::Content);
        }
        let is_around = said.is_some_and(|said| AROUND.iter().any(|around| said.eq_ignore_ascii_case(around)));
        // What a search of the page brings up is part of it.
        let is_hidden = tag.raw("hidden").is_some() && !is("hidden", "until-found");
        if is_around || is_hidden || is("aria-hidden", "true") { Some(Region::Apart) } else { by_name }
    }

    /// Goes to another region. Gives the one before it, to go back to.
    pub(super) fn go(&mut self, region: Region) -> Region {
        if region == Region::Apart {
            self.apart.gap(Gap::Line);
        }
        std::mem::replace(&mut self.region, region)
    }

    pub(super) fn gap(&mut self, gap: Gap) {
        self.at_hand().gap(gap);
    }

    pub(super) fn push(&mut self, text: &str) {
        self.at_hand().push(text);
    }

    pub(super) fn push_lines(&mut self, text: &str) {
        self.at_hand().push_lines(text);
    }

    /// Whether something was left out because of the limit.
    pub(super) fn is_full(&self) -> bool {
        self.content.is_full() || self.apart.is_full()
    }

    /// What the page is about and, after an empty line, what stands around it.
    pub(super) fn into_text(self) -> String {
        let (mut text, apart) = (self.content.into_text(), self.apart.into_text());
        if text.is_empty() {
            return apart;
        }
        if !apart.is_empty() {
            text.push_str("\n\n");
            text.push_str(&apart);
            text.truncate(text.floor_char_boundary(self.limit));
        }
        text
    }

    fn at_hand(&mut self) -> &mut Folded {
        if self.region == Region::Apart { &mut self.apart } else { &mut self.content }
    }
}
