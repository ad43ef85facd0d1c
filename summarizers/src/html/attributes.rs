//! What elements say by their attributes.

use super::meta::refresh;
use super::page::Page;
use super::srcset;
use crate::fold::Folded;
use lol_html::html_content::Element;

/// An attribute's value with its entities decoded; the parser gives it raw.
pub(super) fn attribute(element: &Element<'_, '_>, name: &str) -> Option<String> {
    element.get_attribute(name).map(|value| htmlize::unescape_attribute(value).into_owned())
}

impl Page {
    /// What an element says by its attributes.
    pub(super) fn take_attributes(&mut self, name: &str, element: &Element<'_, '_>) {
        let get = |name| attribute(element, name);
        match name {
            "html" if self.language.is_none() => {
                let language = get("lang").or_else(|| get("xml:lang")).map(|value| Folded::line(&value, 100));
                self.language = language.filter(|value| !value.is_empty());
            }
            "base" => get("href").into_iter().for_each(|href| self.links.base(href)),
            "meta" => self.take_meta(get("name").or_else(|| get("property")), get("http-equiv"), get("content")),
            "link" => self.take_link(&relations(get("rel")), get("href"), get("title")),
            "area" if !is_vouched_for(get("rel")) => self.refer_only(get("href"), get("alt")),
            "area" => self.refer(get("href"), get("alt")),
            "frame" | "iframe" | "embed" => self.refer(get("src"), get("title")),
            "object" => self.refer(get("data"), get("title")),
            "img" => self.take_image(get("src"), get("srcset"), get("alt").unwrap_or_default()),
            "source" => self.take_image(None, get("srcset"), String::new()),
            _ => {}
        }
    }

    fn take_meta(&mut self, name: Option<String>, equivalent: Option<String>, content: Option<String>) {
        let Some(content) = content else { return };
        match equivalent.map(|equivalent| equivalent.trim().to_ascii_lowercase()).as_deref() {
            Some("refresh") => self.refer(refresh(&content).map(str::to_owned), None),
            Some("content-language") => self.meta.add("language", &content),
            _ => {}
        }
        if let Some(name) = name.filter(|_| !self.references_only) {
            self.meta.add(&name, &content);
        }
    }

    fn take_link(&mut self, relations: &[String], href: Option<String>, title: Option<String>) {
        let has = |names: &[&str]| relations.iter().any(|relation| names.contains(&relation.as_str()));
        // In the body anybody who may write a comment could name one.
        if self.in_head && has(&["canonical"]) {
            href.iter().for_each(|href| self.links.canonical(href));
        }
        if has(DOCUMENTS) && !has(&["stylesheet", "icon"]) {
            self.refer(href, title);
        }
    }

    /// All sizes of an image, each by what the image shows.
    fn take_image(&mut self, source: Option<String>, set: Option<String>, alternative: String) {
        let set = set.unwrap_or_default();
        for source in source.iter().map(String::as_str).chain(srcset::urls(&set)) {
            if !source.trim().is_empty() {
                self.links.image(source, &alternative);
            }
        }
        self.reading.call_anchor(alternative);
    }

    fn refer(&mut self, href: Option<String>, text: Option<String>) {
        if let Some(href) = href {
            self.links.refer(&href, &text.unwrap_or_default());
        }
    }

    fn refer_only(&mut self, href: Option<String>, text: Option<String>) {
        if let Some(href) = href {
            self.links.refer_only(&href, &text.unwrap_or_default());
        }
    }
}

/// Relations of a `<link>` that leads to a document, and not to a style sheet or a script.
#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "alternate", "appendix", "canonical", "chapter", "contents", "first", "help", "index", "last", "license", "next",
    "prev", "previous", "section", "subsection", "up",
];

/// Whether the page stands behind where it leads: it does not for adverts, and not for what its visitors wrote.
pub(super) fn is_vouched_for(relation: Option<String>) -> bool {
    !relations(relation).iter().any(|relation| matches!(relation.as_str(), "nofollow" | "sponsored" | "ugc"))
}

fn relations(relation: Option<String>) -> Vec<String> {
    relation.unwrap_or_default().split_ascii_whitespace().map(str::to_ascii_lowercase).collect()
}
