//! What a page says of the thing that it describes, in the words of schema.org: JSON-LD, microdata, `RDFa` Lite.
//!
//! A page may describe many things; one of them is what it is about. `Structured-Types` names the types of all that
//! stand for themselves. Of the one, those properties become attributes that people search for, under `LD-` and their
//! name: `datePublished` is `LD-Date-Published`. Where a value is a thing itself, its name stands for it; prices,
//! ratings and addresses are taken out of theirs.

use crate::fold::Folded;
use gatherer_pipeline::Draft;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Largest JSON-LD that is read, one script and all of a page.
const SCRIPT: usize = 1 << 20;
const SCRIPTS: usize = 4 << 20;
/// Most things of one page.
const THINGS: usize = 1_000;
/// Most values of one property, and most bytes of one of them.
const VALUES: usize = 50;
pub(super) const VALUE: usize = 10_000;
/// Most different types told.
const TYPES: usize = 50;
/// Most scripts complained of: their faults are of one kind.
const COMPLAINTS: usize = 3;

/// The properties worth searching for.
#[rustfmt::skip]
const PROPERTIES: &[&str] = &[
    "name", "alternateName", "headline", "alternativeHeadline", "description", "abstract", "about", "keywords",
    "genre", "articleSection", "author", "creator", "contributor", "editor", "publisher", "provider", "organizer",
    "performer", "director", "actor", "byArtist", "brand", "manufacturer", "model", "category", "sku", "gtin",
    "gtin13", "mpn", "isbn", "identifier", "datePublished", "dateModified", "dateCreated", "uploadDate", "datePosted",
    "validThrough", "startDate", "endDate", "duration", "totalTime", "location", "address", "addressLocality",
    "addressRegion", "addressCountry", "telephone", "email", "openingHours", "price", "lowPrice", "highPrice",
    "priceCurrency", "availability", "ratingValue", "reviewCount", "ratingCount", "recipeIngredient",
    "recipeCategory", "recipeCuisine", "recipeYield", "jobTitle", "hiringOrganization", "employmentType",
    "programmingLanguage", "operatingSystem", "softwareVersion", "version", "license", "inLanguage", "streetAddress",
    "postalCode", "offers", "aggregateRating", "mainEntity",
];

/// Things whose own properties are told as if they were those of the thing around them.
const OPENED: &[&str] = &["offers", "aggregateRating"];
/// Parts of an address, in the order of an envelope.
const ADDRESS: &[&str] = &["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];
/// Not told themselves: what they hold is.
const HOLDERS: &[&str] = &["offers", "aggregateRating", "mainEntity", "streetAddress", "postalCode"];

/// Types of what stands on many pages of a site and is seldom what one of them is about.
#[rustfmt::skip]
const FURNITURE: &[&str] = &[
    "BreadcrumbList", "Corporation", "EntryPoint", "ImageObject", "ItemList", "ListItem", "NewsMediaOrganization",
    "Organization", "Person", "SearchAction", "SiteNavigationElement", "WPAdBlock", "WPFooter", "WPHeader", "WPSideBar",
    "WebPageElement", "WebSite",
];
const PAGES: &[&str] =
    &["AboutPage", "CollectionPage", "ContactPage", "FAQPage", "ItemPage", "ProfilePage", "QAPage", "WebPage"];

/// The things that a page describes.
#[derive(Debug, Default)]
pub(super) struct Structured {
    /// The script at hand is JSON-LD.
    pub(super) is_script: bool,
    things: Vec<Map<String, Value>>,
    complaints: Vec<String>,
    read: usize,
}

impl Structured {
    /// Takes the content of a script of JSON-LD.
    pub(super) fn read(&mut self, script: &str) {
        let script = unwrapped(script);
        if script.is_empty() {
            return;
        }
        self.read = self.read.saturating_add(script.len());
        if script.len() > SCRIPT || self.read > SCRIPTS {
            return self.complain(format!("JSON-LD of {} bytes left out", script.len()));
        }
        match parse(script) {
            Ok(value) => self.take(value),
            Err(error) => self.complain(format!("JSON-LD cannot be read: {error}")),
        }
    }

    /// Takes one thing.
    pub(super) fn add(&mut self, thing: Map<String, Value>) {
        if self.things.len() < THINGS {
            self.things.push(thing);
        }
    }

    /// Takes all things of a script: lists and graphs of them are opened.
    fn take(&mut self, value: Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(values) => open.extend(values.into_iter().rev()),
                Value::Object(mut thing) => {
                    open.extend(thing.remove("mainEntity"));
                    open.extend(thing.remove("@graph"));
                    if thing.keys().any(|key| key != "@context") {
                        self.add(thing);
                    }
                }
                _ => {}
            }
        }
    }

    fn complain(&mut self, complaint: String) {
        if self.complaints.len() < COMPLAINTS {
            self.complaints.push(complaint);
        }
    }

    /// Writes types and properties.
    pub(super) fn write(&self, draft: &mut Draft) {
        let mut types: Vec<&str> = Vec::new();
        for kind in self.things.iter().flat_map(types_of) {
            if types.len() < TYPES && !types.contains(&kind) {
                types.push(kind);
            }
        }
        draft.add("Structured-Types", &types.join("\n"));
        for (property, values) in self.about() {
            draft.add(&attribute(property), &values.join("\n"));
        }
        self.complaints.iter().for_each(|complaint| draft.complain(complaint.as_str()));
    }

    /// The properties of the thing that the page is about.
    pub(super) fn about(&self) -> Vec<(&'static str, Vec<String>)> {
        // The first of the highest rank; of equals `max_by_key` would take the last.
        let Some(thing) = self.things.iter().rev().max_by_key(|thing| rank(thing)) else { return Vec::new() };
        let ids = self.things.iter().filter_map(|thing| Some((thing.get("@id")?.as_str()?, thing))).collect();
        let told = |property: &&&str| !HOLDERS.contains(*property);
        let values = PROPERTIES.iter().filter(told).map(|property| (*property, values_of(thing, property, &ids)));
        values.filter(|(_, values)| !values.is_empty()).collect()
    }
}

/// The thing by its `@id`.
type Known<'a> = HashMap<&'a str, &'a Map<String, Value>>;

/// Whether anything is done with a property.
pub(super) fn is_wanted(property: &str) -> bool {
    PROPERTIES.contains(&property)
}

/// The last part of a name: `http://schema.org/Product` and `schema:Product` are `Product`.
pub(super) fn short(name: &str) -> &str {
    name.trim_end_matches('/').rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// Without the comments that hide a script from very old browsers.
fn unwrapped(script: &str) -> &str {
    let mut script = script.trim();
    for mark in ["<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA["] {
        script = script.strip_prefix(mark).unwrap_or(script).trim_start();
    }
    for mark in ["-->", "//]]>", "/*]]>*/", "]]>", "//", ";"] {
        script = script.strip_suffix(mark).unwrap_or(script).trim_end();
    }
    script
}

/// Line breaks within strings are the most frequent fault, and harmless.
fn parse(script: &str) -> serde_json::Result<Value> {
    serde_json::from_str(script).or_else(|error| {
        let mended = script.replace(|c: char| c.is_control(), " ");
        serde_json::from_str(&mended).map_err(|_| error)
    })
}

fn types_of(thing: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let types = thing.get("@type");
    let list = types.and_then(Value::as_array).into_iter().flatten();
    let types = types.into_iter().chain(list).filter_map(Value::as_str).map(short);
    types.filter(|kind| !kind.is_empty() && kind.len() <= 100)
}

/// How likely the page is about it.
fn rank(thing: &Map<String, Value>) -> u8 {
    // Of several types the most telling counts.
    let rank = |kind: &str| match kind {
        kind if FURNITURE.contains(&kind) => 1,
        kind if PAGES.contains(&kind) => 2,
        _ => 3,
    };
    types_of(thing).map(rank).max().unwrap_or(0)
}

fn values_of(thing: &Map<String, Value>, property: &str, ids: &Known<'_>) -> Vec<String> {
    let mut values = Vec::new();
    let opened = OPENED.iter().filter_map(|holder| thing.get(*holder)).flat_map(each).filter_map(Value::as_object);
    let direct = thing.get(property).into_iter().flat_map(each);
    for value in direct.chain(opened.flat_map(|holder| holder.get(property).into_iter().flat_map(each))) {
        let Some(text) = text_of(value, property, ids) else { continue };
        if values.len() < VALUES && !values.contains(&text) {
            values.push(text);
        }
    }
    values
}

/// A list's members, or the one value.
fn each(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// A value in words.
fn text_of(value: &Value, property: &str, ids: &Known<'_>) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Object(thing) => {
            name_of(thing).or_else(|| ids.get(thing.get("@id")?.as_str()?).and_then(|thing| name_of(thing)))?
        }
        _ => return None,
    };
    // Many a script is made of a page, entities included.
    let text = Folded::line(&htmlize::unescape(&text), VALUE);
    // Such values are names out of lists of schema.org.
    let text = if property == "availability" { short(&text).to_owned() } else { text };
    Some(text).filter(|text| !text.is_empty())
}

/// What to call a thing that is a value: by its name, its value, or its address.
fn name_of(thing: &Map<String, Value>) -> Option<String> {
    let named = ["name", "@value", "headline"].iter().find_map(|name| each(thing.get(*name)?).first()?.as_str());
    if let Some(name) = named {
        return Some(name.to_owned());
    }
    let inner = thing.get("address").and_then(Value::as_object).unwrap_or(thing);
    let parts: Vec<_> = ADDRESS.iter().filter_map(|part| inner.get(*part).and_then(Value::as_str)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `datePublished` as `LD-Date-Published`.
fn attribute(property: &str) -> String {
    let mut name = String::from("LD-");
    for (place, letter) in property.chars().enumerate() {
        if place > 0 && letter.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(if place == 0 { letter.to_ascii_uppercase() } else { letter });
    }
    name
}
