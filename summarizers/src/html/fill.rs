//! Attributes that all kinds of documents share, out of the vocabularies that pages speak besides HTML's own: Open
//! Graph, Twitter cards, Dublin Core, the tags of scholarly indexes (Highwire), schema.org.

use super::dates;
use super::meta::{Meta, keywords};
use gatherer_pipeline::Draft;

/// Where each attribute is taken from if the page's own markup does not say it: the first name that the page has.
/// Names beginning with `ld:` are properties of schema.org.
#[rustfmt::skip]
const SOURCES: &[(&str, &[&str])] = &[
    ("Title", &["og:title", "twitter:title", "dc.title", "dcterms.title", "citation_title", "ld:headline", "ld:name"]),
    ("Description", &[
        "og:description", "twitter:description", "dc.description", "dcterms.description", "dcterms.abstract",
        "citation_abstract", "ld:description", "ld:abstract",
    ]),
    ("Language", &[
        "og:locale", "dc.language", "dcterms.language", "citation_language", "ld:inLanguage",
    ]),
    ("Author", &[
        "article:author", "book:author", "dc.creator", "dcterms.creator", "citation_author", "citation_authors",
        "ld:author", "ld:creator",
    ]),
    ("Publisher", &["dc.publisher", "dcterms.publisher", "citation_publisher", "ld:publisher", "og:site_name"]),
    ("Copyright", &["dc.rights", "dcterms.rights", "dcterms.license"]),
    ("Created", &[
        "article:published_time", "dcterms.created", "dcterms.issued", "dc.date.created", "dc.date.issued", "dc.date",
        "dcterms.date", "citation_publication_date", "citation_date", "citation_online_date", "book:release_date",
        "date", "ld:datePublished", "ld:dateCreated", "ld:uploadDate", "ld:datePosted",
    ]),
    ("Modified", &[
        "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified", "revised",
        "ld:dateModified",
    ]),
    ("Keywords", &[
        "article:tag", "book:tag", "video:tag", "dc.subject", "dcterms.subject", "citation_keywords", "news_keywords",
        "ld:keywords",
    ]),
];

/// Attributes of one value.
const SINGLE: &[&str] = &["Title", "Description", "Language", "Created", "Modified"];

/// Fills what is still missing in the draft.
pub(super) fn fill(draft: &mut Draft, meta: &Meta, about: &[(&'static str, Vec<String>)]) {
    for (attribute, sources) in SOURCES {
        if draft.get(attribute).is_some() {
            continue;
        }
        let values = sources.iter().find_map(|source| {
            let values = match source.strip_prefix("ld:") {
                Some(property) => about.iter().find(|(name, _)| *name == property).map(|(_, values)| values.as_slice()),
                None => meta.get(source),
            };
            let values: Vec<_> = values?.iter().filter_map(|value| fit(attribute, value)).collect();
            (!values.is_empty()).then_some(values)
        });
        let Some(mut values) = values else { continue };
        if SINGLE.contains(attribute) {
            values.truncate(1);
        }
        match *attribute {
            "Keywords" => draft.add(attribute, &keywords(&values)),
            _ => draft.add(attribute, &values.join("\n")),
        }
    }
}

/// The value as the attribute wants it; nothing if it is of no use there.
fn fit(attribute: &str, value: &str) -> Option<String> {
    match attribute {
        "Created" | "Modified" => dates::read(value),
        // Open Graph writes locales: `de_AT`.
        "Language" => Some(value.replace('_', "-")),
        // Open Graph's author is often the address of a profile.
        "Author" if value.contains("://") => None,
        _ => Some(value.to_owned()),
    }
}
