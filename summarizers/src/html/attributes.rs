//! What elements say by their attributes.

use super::meta::refresh;
use super::page::Page;
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
            "link" if is_reference(&get("rel").unwrap_or_default()) => self.refer(get("href"), get("title")),
            "area" => self.refer(get("href"), get("alt")),
            "frame" | "iframe" => self.refer(get("src"), get("title")),
            "img" => self.take_image(get("src"), get("alt").unwrap_or_default()),
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

    fn take_image(&mut self, source: Option<String>, alternative: String) {
        if let Some(source) = source.filter(|source| !source.trim().is_empty()) {
            self.links.image(&source, &alternative);
        }
        self.reading.call_anchor(alternative);
    }

    fn refer(&mut self, href: Option<String>, text: Option<String>) {
        if let Some(href) = href {
            self.links.refer(&href, &text.unwrap_or_default());
        }
    }
}

/// Whether a `<link>` leads to a document, and not to a style sheet or an icon.
fn is_reference(relations: &str) -> bool {
    let relations: Vec<_> = relations.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
    let has = |names: &[&str]| relations.iter().any(|relation| names.contains(&relation.as_str()));
    has(&["alternate", "next", "prev", "canonical"]) && !has(&["stylesheet", "icon"])
}
