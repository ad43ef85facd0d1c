//! What of a feed its reader gets to see.
//!
//! The library that knows all the dialects trusts its input: it recurses as deep as elements are nested, copies
//! what stands once into every entry, and gives up at the first mistake. So a feed is rewritten first: small, well
//! formed, closed to its end, and without what we have no use for.

use gatherer_pipeline::Refusal;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceResolver, ResolveResult};
use serde_json::{Map, Value, json};

/// Most entries of a feed; feeds have some dozens.
pub(super) const ENTRIES: usize = 10_000;
/// Most elements within each other; entries may hold whole pages.
const DEPTH: usize = 200;
/// Longest start tag. Its base URL is copied to all within.
const TAG_LIMIT: usize = 8 << 10;
/// Most authors in JSON; they are copied to all entries.
const AUTHORS: usize = 20;

/// Namespaces of media, which lead to no document of ours and whose groups multiply each other.
const MEDIA: &[&str] = &["http://search.yahoo.com/mrss/", "https://podcastindex.org/namespace/1.0"];

/// A feed fit to be read.
pub(super) struct Sifted {
    pub(super) text: String,
    pub(super) complaint: Option<String>,
}

/// Sifts a feed of any form.
pub(super) fn sift(feed: &str) -> Result<Sifted, Refusal> {
    if feed.trim_start().starts_with('{') { sift_json(feed) } else { Ok(sift_xml(feed)) }
}

fn too_many() -> String {
    format!("more than {ENTRIES} entries")
}

/// Keeps the strings that we know; numbers in their place would be an error to the reader.
fn sift_json(feed: &str) -> Result<Sifted, Refusal> {
    let mut feed: Map<String, Value> =
        serde_json::from_str(feed).map_err(|error| Refusal::Cannot(format!("no JSON Feed: {error}")))?;
    let authors = authors([feed.remove("author"), feed.remove("authors")]);
    let mut items = match feed.remove("items") {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let complaint = (items.len() > ENTRIES).then(too_many);
    items.truncate(ENTRIES);
    items.retain(Value::is_object);
    items.iter_mut().filter_map(Value::as_object_mut).for_each(sift_item);
    feed.retain(|key, value| {
        value.is_string() && matches!(key.as_str(), "version" | "title" | "home_page_url" | "description" | "language")
    });
    feed.entry("title").or_insert_with(|| "".into());
    feed.insert("authors".to_owned(), authors);
    feed.insert("items".to_owned(), items.into());
    Ok(Sifted { text: Value::Object(feed).to_string(), complaint })
}

/// One author or several, by their names.
fn authors(given: [Option<Value>; 2]) -> Value {
    let each = given.into_iter().flatten().flat_map(|authors| match authors {
        Value::Array(authors) => authors,
        author => vec![author],
    });
    each.filter(|author| author["name"].is_string())
        .take(AUTHORS)
        .map(|author| json!({"name": author["name"]}))
        .collect()
}

fn sift_item(item: &mut Map<String, Value>) {
    item.retain(|key, value| match key.as_str() {
        "id" | "url" | "external_url" | "title" | "summary" | "content_html" | "content_text" | "date_published"
        | "date_modified" => value.is_string(),
        "tags" => value.as_array().is_some_and(|tags| tags.iter().all(Value::is_string)),
        _ => false,
    });
}

fn sift_xml(feed: &str) -> Sifted {
    let mut reader = Reader::from_str(feed);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut sieve = Sieve::default();
    let complaint = loop {
        match reader.read_event() {
            Ok(Event::Eof) if sieve.open.is_empty() => break None,
            Ok(Event::Eof) => break Some("the feed breaks off".to_owned()),
            Ok(event) => sieve.take(event),
            Err(error) => break Some(format!("feed read in part: {error}")),
        }
        if sieve.entries > ENTRIES {
            break Some(too_many());
        }
    };
    sieve.close_from(0);
    Sifted { text: sieve.kept, complaint }
}

/// An element that is open.
struct Open {
    name: String,
    is_kept: bool,
    /// Where in the rewritten feed it begins, and its content.
    start: usize,
    content: usize,
}

#[derive(Default)]
struct Sieve {
    kept: String,
    open: Vec<Open>,
    /// Elements open beyond the depth limit.
    beyond: usize,
    /// Namespaces of what is kept.
    namespaces: NamespaceResolver,
    entries: usize,
}

impl Sieve {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(element) => self.start(&element),
            Event::Empty(element) => {
                self.start(&element);
                self.end(element.name().as_ref());
            }
            Event::End(element) => self.end(element.name().as_ref()),
            // An ampersand here is one that begins no entity.
            Event::Text(text) => self.keep(&text.replace('&', "&amp;")),
            Event::CData(text) => {
                ["<![CDATA[", &text, "]]>"].into_iter().for_each(|part| self.keep(part));
            }
            // A character that there is not would be an error to the reader.
            Event::GeneralRef(name) if name.resolve_char_ref().is_ok() => {
                ["&", &name, ";"].into_iter().for_each(|part| self.keep(part));
            }
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        if self.open.len() >= DEPTH {
            self.beyond += 1;
            return;
        }
        let start = self.kept.len();
        let is_kept = self.is_within() && element.len() <= TAG_LIMIT && self.is_wanted(element);
        if is_kept {
            self.entries += usize::from(matches!(element.local_name().as_ref(), "item" | "entry"));
            ["<", element, ">"].into_iter().for_each(|part| self.kept.push_str(part));
        }
        let name = element.name().as_ref().to_owned();
        self.open.push(Open { name, is_kept, start, content: self.kept.len() });
    }

    /// Whether what comes next is kept, if it is wanted.
    fn is_within(&self) -> bool {
        self.beyond == 0 && self.open.last().is_none_or(|open| open.is_kept)
    }

    /// Enters the namespaces of an element that is wanted.
    fn is_wanted(&mut self, element: &BytesStart<'_>) -> bool {
        let is_wanted = self.namespaces.push(element).is_ok()
            && match self.namespaces.resolve_element(element.name()).0 {
                ResolveResult::Bound(Namespace(namespace)) => !MEDIA.contains(&namespace),
                ResolveResult::Unbound => true,
                ResolveResult::Unknown(_) => false,
            };
        if !is_wanted {
            self.namespaces.pop();
        }
        is_wanted
    }

    /// An end tag closes the last element of its name and all within; one that closes nothing is passed over.
    fn end(&mut self, name: &str) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(place) = self.open.iter().rposition(|open| open.name == name) {
            self.close_from(place);
        }
    }

    fn close_from(&mut self, place: usize) {
        while self.open.len() > place
            && let Some(open) = self.open.pop()
        {
            if open.is_kept {
                self.namespaces.pop();
                self.close(&open);
            }
        }
    }

    /// Content without content would be an error to the reader.
    fn close(&mut self, open: &Open) {
        let is_content = open.name.rsplit(':').next() == Some("content");
        if is_content && self.kept[open.content..].trim().is_empty() {
            return self.kept.truncate(open.start);
        }
        ["</", &open.name, ">"].into_iter().for_each(|part| self.kept.push_str(part));
    }

    /// Keeps text, if it stands in what is kept.
    fn keep(&mut self, text: &str) {
        if self.is_within() && !self.open.is_empty() {
            self.kept.push_str(text);
        }
    }
}
