//! What elements say by their attributes.

use super::dates;
use super::elements::Role;
use super::meta::refresh;
use super::page::Page;
use super::srcset;
use super::structured::{is_wanted, short};
use super::tokens::Tag;
use crate::fold::Folded;

/// Most different points in time of one page.
const TIMES: usize = 100;

/// What an element says of the thing that the page describes: microdata, or `RDFa` Lite.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Facts {
    None,
    /// It is a thing: its types, and what it is to the thing around it.
    Thing {
        types: Vec<String>,
        property: Option<String>,
    },
    /// Its text is a property of the thing around it.
    Property(String),
}

impl Facts {
    pub(super) fn is_some(&self) -> bool {
        *self != Self::None
    }
}

impl Page {
    /// What an element says by its attributes.
    pub(super) fn take_attributes(&mut self, tag: &Tag<'_, '_>) {
        let get = |name| tag.get(name);
        match &*tag.name {
            "html" if self.language.is_none() => {
                let language = get("lang").or_else(|| get("xml:lang")).map(|value| Folded::line(&value, 100));
                self.language = language.filter(|value| !value.is_empty());
            }
            "base" => get("href").into_iter().for_each(|href| self.links.base(href.into_owned())),
            "meta" => self.take_meta(tag),
            "link" => self.take_link(tag),
            "a" => get("rel").into_iter().for_each(|relation| self.take_relations(&relation, get("href").as_deref())),
            "area" if !is_vouched_for(get("rel").as_deref()) => self.refer_only(get("href"), get("alt")),
            "area" => self.refer(get("href"), get("alt")),
            "frame" | "iframe" | "embed" => self.refer(get("src"), get("title")),
            "object" => self.refer(get("data"), get("title")),
            "img" => self.take_image(get("src").as_deref(), get("srcset").as_deref(), &get("alt").unwrap_or_default()),
            "source" => self.take_image(None, get("srcset").as_deref(), ""),
            "script" => {
                let kind = get("type").unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim();
                self.structured.is_script = kind.eq_ignore_ascii_case("application/ld+json");
            }
            "time" => self.take_time(tag),
            _ => {}
        }
    }

    fn take_meta(&mut self, tag: &Tag<'_, '_>) {
        let Some(content) = tag.get("content") else { return };
        match tag.get("http-equiv").map(|equivalent| equivalent.trim().to_ascii_lowercase()).as_deref() {
            Some("refresh") => self.refer(refresh(&content), None::<&str>),
            Some("content-language") => self.meta.add("language", &content),
            _ => {}
        }
        if let Some(name) = tag.get("name").or_else(|| tag.get("property")).filter(|_| !self.references_only) {
            self.meta.add(&name, &content);
        }
    }

    fn take_link(&mut self, tag: &Tag<'_, '_>) {
        let (relation, href) = (tag.get("rel").unwrap_or_default(), tag.get("href"));
        let has = |names: &[&str]| has_relation(&relation, names);
        // In the body anybody who may write a comment could name one.
        if self.in_head && has(&["canonical"]) {
            href.iter().for_each(|href| self.links.canonical(href));
        }
        if self.in_head && has(&["author"]) {
            href.iter().for_each(|href| self.links.name_author(href));
        }
        if has(&["alternate"])
            && let (Some(language), Some(href)) = (tag.get("hreflang"), &href)
        {
            self.links.alternate(&Folded::line(&language, 100), href);
        }
        self.take_relations(&relation, href.as_deref());
        if has(DOCUMENTS) && !has(&["stylesheet", "icon"]) {
            self.refer(href, tag.get("title"));
        }
    }

    /// What both kinds of links can be to the page.
    fn take_relations(&mut self, relation: &str, href: Option<&str>) {
        if has_relation(relation, &["license"]) && !self.references_only {
            href.iter().for_each(|href| self.links.license(href));
        }
    }

    fn take_time(&mut self, tag: &Tag<'_, '_>) {
        let Some(date) = tag.get("datetime").and_then(|value| dates::read(&value)) else { return };
        if tag.raw("pubdate").is_some() {
            self.meta.add("article:published_time", &date);
        }
        if self.times.len() < TIMES && !self.times.contains(&date) {
            self.times.push(date);
        }
    }

    /// All sizes of an image, each by what the image shows.
    fn take_image(&mut self, source: Option<&str>, set: Option<&str>, alternative: &str) {
        for source in source.into_iter().chain(srcset::urls(set.unwrap_or_default())) {
            if !source.trim().is_empty() {
                self.links.image(source, alternative);
            }
        }
        self.reading.call_anchor(alternative);
    }

    /// Microdata and `RDFa` Lite, which differ in the names of their attributes and in little else.
    pub(super) fn take_facts(&mut self, role: Role, tag: &Tag<'_, '_>) -> Facts {
        let has = |name: &str| tag.raw(name).is_some();
        let is_thing = has("itemscope") || has("typeof");
        let property = tag.get("itemprop").or_else(|| tag.get("property").filter(|name| is_ours(name)));
        if !is_thing && property.is_none() {
            return Facts::None;
        }
        let names = property.iter().flat_map(|names| names.split_ascii_whitespace());
        let property = names.map(short).find(|name| is_wanted(name)).map(str::to_owned);
        if is_thing {
            let types = [tag.get("itemtype"), tag.get("typeof")].into_iter().flatten();
            let types = types
                .flat_map(|types| types.split_ascii_whitespace().map(short).map(str::to_owned).collect::<Vec<_>>());
            return Facts::Thing { types: types.take(10).collect(), property };
        }
        let Some(property) = property else { return Facts::None };
        let value = match &*tag.name {
            "time" => tag.get("content").or_else(|| tag.get("datetime")),
            "link" => tag.get("content").or_else(|| tag.get("href")),
            "data" | "meter" => tag.get("content").or_else(|| tag.get("value")),
            "img" => tag.get("content").or_else(|| tag.get("alt")),
            _ => tag.get("content"),
        };
        match value {
            Some(value) => self.items.say(&property, &value),
            None if !role.is_empty() => return Facts::Property(property),
            None => {}
        }
        Facts::None
    }

    fn refer(&mut self, href: Option<impl AsRef<str>>, text: Option<impl AsRef<str>>) {
        if let Some(href) = href {
            self.links.refer(href.as_ref(), text.as_ref().map(AsRef::as_ref).unwrap_or_default());
        }
    }

    fn refer_only(&mut self, href: Option<impl AsRef<str>>, text: Option<impl AsRef<str>>) {
        if let Some(href) = href {
            self.links.refer_only(href.as_ref(), text.as_ref().map(AsRef::as_ref).unwrap_or_default());
        }
    }
}

/// Relations of a `<link>` that leads to a document, and not to a style sheet or a script.
#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "alternate", "appendix", "canonical", "chapter", "contents", "first", "help", "index", "last", "license", "next",
    "prev", "previous", "section", "subsection", "up",
];

/// Whether a property is one of schema.org and not Open Graph's or another's.
fn is_ours(name: &str) -> bool {
    !name.contains(':') || name.contains("schema")
}

/// Whether the page stands behind where it leads: it does not for adverts, and not for what its visitors wrote.
pub(crate) fn is_vouched_for(relation: Option<&str>) -> bool {
    relation.is_none_or(|relation| !has_relation(relation, &["nofollow", "sponsored", "ugc"]))
}

fn has_relation(relation: &str, names: &[&str]) -> bool {
    relation.split_ascii_whitespace().any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
}
