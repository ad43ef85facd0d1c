//! News feeds: RSS, Atom and JSON Feed.

mod sift;
#[cfg(test)]
mod tests;

use crate::charset::{self, Hint};
use crate::fold::{Folded, Gap};
use crate::html;
use crate::links::Links;
use feed_rs::model::{Entry, Feed, FeedType, Link, Person, Text};
use feed_rs::parser::Builder;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use url::Url;

pub(crate) const KINDS: &[&str] = &["Feed"];

/// Most bytes of a title or a description.
const LINE_LIMIT: usize = 10_000;
/// Most authors of a feed.
const AUTHORS: usize = 100;

/// Relations of a link that leads to what the feed tells of, or to more of the feed (RFC 5005).
#[rustfmt::skip]
const LEADING: &[&str] = &[
    "alternate", "first", "last", "next", "next-archive", "prev", "prev-archive", "previous",
];

/// What a feed says of itself and of its entries, and where they are.
pub(crate) struct News;

impl Summarizer for News {
    fn name(&self) -> &'static str {
        concat!("feed ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        // Like pages, feeds declare their charset in their first bytes.
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::html(leaf.url));
        let sifted = sift::sift(&decoded.text)?;
        let feed = parse(&sifted.text, leaf.url)?;
        let mut draft = Draft::new();
        decoded.tell(&mut draft);
        sifted.complaint.into_iter().for_each(|complaint| draft.complain(complaint));
        write(&feed, &mut draft);
        write_text(&feed, &mut draft);
        write_links(&feed, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// Reads what is left after sifting. The library panics on some mail addresses and durations; that is no worse
/// than any other feed it cannot read.
fn parse(feed: &str, url: &Url) -> Result<Feed, Refusal> {
    // We need no ids, and the library would make them up by chance.
    let parser = Builder::new().base_uri(Some(url)).id_generator(|_, _, _| String::new()).build();
    catch_unwind(AssertUnwindSafe(|| parser.parse(feed.as_bytes())))
        .map_err(|_| Refusal::Cannot("the feed cannot be read".to_owned()))?
        .map_err(|error| Refusal::Cannot(error.to_string()))
}

/// Writes what the feed says of itself.
fn write(feed: &Feed, draft: &mut Draft) {
    draft.add("Title", &words(feed, feed.title.as_ref(), LINE_LIMIT));
    draft.add("Description", &words(feed, feed.description.as_ref(), LINE_LIMIT));
    draft.add("Language", feed.language.as_deref().unwrap_or_default());
    draft.add("Author", &authors(feed).join("\n"));
    draft.add("Generator", feed.generator.as_ref().map_or("", |generator| &generator.content));
    let categories = feed.categories.iter().chain(feed.entries.iter().flat_map(|entry| &entry.categories));
    let names: Vec<_> = categories.map(|category| category.label.as_ref().unwrap_or(&category.term).clone()).collect();
    draft.add("Keywords", &html::keywords(&names));
    let newest = feed.entries.iter().filter_map(|entry| entry.updated.max(entry.published)).max();
    if let Some(updated) = feed.updated.or(feed.published).or(newest) {
        draft.add("Feed-Updated", &updated.format("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
}

/// Who writes the feed, not who keeps the server.
fn authors(feed: &Feed) -> Vec<&str> {
    let editors = feed.contributors.iter().filter(|person| person.role.as_deref() != Some("webMaster"));
    let mut names = Vec::new();
    for Person { name, email, .. } in feed.authors.iter().chain(editors) {
        let name = name.as_deref().or(email.as_deref()).unwrap_or_default();
        // What is left of `ann@example.org (Ann)`.
        let name = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')).unwrap_or(name);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
        if names.len() >= AUTHORS {
            break;
        }
    }
    names
}

/// Writes the entries, one a line: title, date and what it is about.
fn write_text(feed: &Feed, draft: &mut Draft) {
    let limit = Draft::VALUE_LIMIT;
    let mut text = Folded::new(limit);
    for entry in &feed.entries {
        if text.is_full() {
            break;
        }
        text.gap(Gap::Line);
        text.push(&words(feed, entry.title.as_ref(), LINE_LIMIT));
        if let Some(date) = entry.published.or(entry.updated) {
            text.gap(Gap::Space);
            text.push(&date.format("(%Y-%m-%d)").to_string());
        }
        text.gap(Gap::Space);
        text.push(&about(feed, entry, limit));
    }
    if text.is_full() {
        draft.complain(format!("text cut at {limit} bytes"));
    }
    draft.set_text(&text.into_text());
}

/// The summary of an entry, or the entry itself if it has none.
fn about(feed: &Feed, entry: &Entry, limit: usize) -> String {
    let summary = words(feed, entry.summary.as_ref(), limit);
    let Some(content) = entry.content.as_ref().filter(|_| summary.is_empty()) else { return summary };
    let body = content.body.as_deref().unwrap_or_default();
    match content.content_type.as_str() {
        "text/plain" => Folded::line(body, limit),
        "text/html" | "application/xhtml+xml" | "text/xml" => html::words(body, limit),
        // Pictures and the like, in letters.
        _ => String::new(),
    }
}

/// A text in one line, without its markup. RSS has no plain text: whatever it holds may be markup.
fn words(feed: &Feed, text: Option<&Text>, limit: usize) -> String {
    let Some(text) = text else { return String::new() };
    let is_plain =
        text.content_type.as_str() == "text/plain" && matches!(feed.feed_type, FeedType::Atom | FeedType::JSON);
    let has_markup = !is_plain && text.content.contains(['<', '&']);
    if has_markup { html::words(&text.content, limit) } else { Folded::line(&text.content, limit) }
}

/// Writes where the site and the entries are.
fn write_links(feed: &Feed, url: &Url, draft: &mut Draft) {
    let mut links = Links::default();
    let title = words(feed, feed.title.as_ref(), LINE_LIMIT);
    for link in feed.links.iter().filter(|link| leads(link)) {
        links.refer(&link.href, link.title.as_ref().unwrap_or(&title));
    }
    for entry in &feed.entries {
        let title = words(feed, entry.title.as_ref(), LINE_LIMIT);
        let mut hrefs: Vec<_> = entry.links.iter().filter(|link| leads(link)).map(|link| &link.href).collect();
        // Some feeds give the place of an entry as its identity only.
        if hrefs.is_empty() && (entry.id.starts_with("http://") || entry.id.starts_with("https://")) {
            hrefs.push(&entry.id);
        }
        for href in hrefs {
            links.refer(href, &title);
        }
    }
    links.write(url, draft);
}

fn leads(link: &Link) -> bool {
    link.target.is_none() && link.rel.as_deref().is_none_or(|relation| LEADING.contains(&relation))
}
