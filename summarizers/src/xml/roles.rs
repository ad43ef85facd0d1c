//! Which elements say what of a document.

/// The attribute that the text of an element becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Attribute(&'static str),
    /// The title of the document if it stands where such titles stand, else of a part.
    Title,
    Heading,
    /// A place that the document leads to.
    Link,
}

/// Elements around what is said of the whole document.
#[rustfmt::skip]
const HEADS: &[&str] = &[
    "info", "articleinfo", "bookinfo", "head", "header", "teiheader", "metadata", "front", "article-meta", "work",
    "ontology", "documentation",
];

/// Elements by their names in small letters, without prefix. Only what stands in a head, or directly within the root,
/// speaks of the document.
#[rustfmt::skip]
const ATTRIBUTES: &[(&str, &str)] = &[
    ("author", "Author"), ("creator", "Author"), ("ownername", "Author"),
    ("created", "Created"), ("datecreated", "Created"), ("date", "Created"), ("pubdate", "Created"),
    ("issued", "Created"), ("time", "Created"), ("modified", "Modified"), ("datemodified", "Modified"),
    ("revdate", "Modified"),
    ("description", "Description"), ("desc", "Description"), ("abstract", "Description"), ("summary", "Description"),
    ("keyword", "Keywords"), ("subject", "Keywords"), ("language", "Language"), ("publisher", "Publisher"),
    ("publishername", "Publisher"), ("rights", "Copyright"), ("copyright", "Copyright"), ("license", "License"),
    ("generator", "Generator"),
];

/// What the text of an element is good for, by its name and by those around it, the root first.
pub(super) fn role<'a>(name: &str, around: impl Iterator<Item = &'a str> + Clone, format: &str) -> Option<Role> {
    let depth = around.clone().count();
    let is_head = depth == 1 || around.clone().skip(1).any(|name| HEADS.contains(&name));
    match (name, format) {
        ("title" | "article-title" | "booktitle", "SVG") if depth > 1 && !is_head => None,
        ("title" | "article-title" | "booktitle", _) if is_head => Some(Role::Title),
        ("name", "KML") if depth == 2 && around.clone().nth(1) == Some("document") => Some(Role::Title),
        ("name", _) if is_head && !around.clone().any(|name| matches!(name, "author" | "creator")) => Some(Role::Title),
        ("name", "KML" | "GPX") if is_head => None,
        ("title", _) | ("head", "TEI") | ("label" | "preflabel", "RDF/XML") | ("name", "KML" | "GPX") => {
            Some(Role::Heading)
        }
        ("loc", "Sitemap") | ("link", "GPX") => Some(Role::Link),
        _ if is_head => {
            ATTRIBUTES.iter().find(|(known, _)| *known == name).map(|(_, attribute)| Role::Attribute(attribute))
        }
        _ => None,
    }
}

/// The name of a well-known vocabulary, by root element and its namespace.
pub(super) fn format(root: &str, namespace: &str) -> &'static str {
    match root {
        "svg" => "SVG",
        "kml" => "KML",
        "gpx" => "GPX",
        "opml" => "OPML",
        "rdf" => "RDF/XML",
        "tei" | "tei.2" | "teicorpus" => "TEI",
        "schema" if namespace.ends_with("XMLSchema") => "XML Schema",
        "stylesheet" | "transform" if namespace.ends_with("Transform") => "XSLT",
        "urlset" | "sitemapindex" => "Sitemap",
        "book" | "article" | "chapter" | "refentry" | "set" | "part" if namespace.contains("docbook") => "DocBook",
        "math" => "MathML",
        "definitions" if namespace.contains("wsdl") => "WSDL",
        _ => "",
    }
}
