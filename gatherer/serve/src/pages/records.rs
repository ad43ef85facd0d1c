//! Lists of records, and one record in its forms.

use super::Frame;
use super::tree::Node;
use super::words::{encoded, moment};
use askama::Template;
use gatherer_pipeline::UnixTime;
use gatherer_soif::Object;
use gatherer_store::Record;

/// Most bytes of one value, and of one form, that a page shows.
const VALUE: usize = 2_000;
const TEXT: usize = 200_000;

/// A record in a list.
pub(crate) struct RecordRow {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) root: String,
    pub(crate) updated: String,
}

impl RecordRow {
    pub(crate) fn new(url: &str, title: Option<&str>, (kind, root): (&str, &str), updated: UnixTime) -> Self {
        let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or(url);
        Self {
            title: cut(title, VALUE / 10).0.to_owned(),
            url: url.to_owned(),
            path: encoded(url),
            kind: kind.to_owned(),
            root: root.to_owned(),
            updated: moment(updated),
        }
    }
}

/// Some records.
#[derive(Template)]
#[template(path = "records.html")]
pub(crate) struct RecordsPage {
    pub(crate) frame: Frame,
    /// Root nodes to choose from.
    pub(crate) roots: Vec<(String, bool)>,
    pub(crate) site: String,
    pub(crate) kind: String,
    pub(crate) rows: Vec<RecordRow>,
    pub(crate) caption: String,
    /// Whether it does not begin at the beginning,
    pub(crate) is_later: bool,
    /// and whether it ended before all were looked at.
    pub(crate) is_cut: bool,
    pub(crate) first: Option<String>,
    pub(crate) next: Option<String>,
}

/// A form of a record that can be gone to.
pub(crate) struct View {
    pub(crate) name: &'static str,
    pub(crate) href: String,
    pub(crate) is_here: bool,
}

pub(crate) struct AttributeRow {
    name: String,
    value: String,
    /// Bytes that are not shown.
    more: usize,
    by: String,
}

/// What of a record is shown.
pub(crate) enum Shown {
    Attributes(Vec<AttributeRow>),
    /// What it is called, its text, and how many bytes of it are not shown.
    Text((&'static str, String), usize),
    Tree(Vec<Node>),
    Trouble(String),
}

/// One record.
#[derive(Template)]
#[template(path = "record.html")]
pub(crate) struct RecordPage {
    frame: Frame,
    title: String,
    url: String,
    /// Where a click leads: to the document, if that cannot hurt.
    href: String,
    query: String,
    kind: String,
    root: String,
    updated: String,
    views: Vec<View>,
    shown: Shown,
    raw: String,
    about_abstract: String,
}

impl RecordPage {
    pub(crate) fn new(
        frame: Frame,
        record: &Record,
        object: &Object,
        views: Vec<View>,
        (shown, about_abstract): (Shown, String),
    ) -> Self {
        let url = record.head.url.to_string();
        let title = object.text("Title").map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
        let is_safe = matches!(record.head.url.scheme(), "http" | "https" | "ftp" | "ftps");
        let raw = views.iter().find(|view| view.is_here).map_or("soif", |view| view.name).to_lowercase();
        Self {
            title: cut(title.as_deref().unwrap_or(&url), VALUE / 4).0.to_owned(),
            href: if is_safe { url.clone() } else { format!("/explain?url={}", encoded(&url)) },
            query: encoded(&url),
            raw: format!("/records/{}?form={raw}", encoded(&url)),
            url,
            kind: record.head.kind.clone(),
            root: record.head.root.clone(),
            updated: moment(record.head.updated),
            frame,
            views,
            shown,
            about_abstract,
        }
    }
}

/// A record's attributes with who made each.
pub(crate) fn attributes(record: &Record, object: &Object) -> Shown {
    let by = |name: &str| {
        let found = record.body.provenance.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or_else(String::new, |(_, by)| by.clone())
    };
    let row = |attribute: &gatherer_soif::Attribute| {
        let text = attribute.text();
        let (value, more) = cut(&text, VALUE);
        AttributeRow { name: attribute.name.clone(), value: value.to_owned(), more, by: by(&attribute.name) }
    };
    Shown::Attributes(object.iter().map(row).collect())
}

/// A record in one of its forms.
pub(crate) fn text(name: &'static str, bytes: &[u8]) -> Shown {
    let text = String::from_utf8_lossy(bytes);
    let (shown, more) = cut(&text, TEXT);
    Shown::Text((name, shown.to_owned()), more)
}

/// The beginning of a text, and how many bytes are behind it.
fn cut(text: &str, most: usize) -> (&str, usize) {
    if text.len() <= most {
        return (text, 0);
    }
    let end = (0..=most).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    (&text[..end], text.len() - end)
}
