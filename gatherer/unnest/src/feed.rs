//! Feeds, split by rule: each entry becomes a small page.

use crate::outlet::{Found, Outlet};
use crate::{Hint, Trouble};
use feed_rs::model::{Entry, Text};
use feed_rs::parser::Builder;
use gatherer_pipeline::{Kind, UnixTime};

pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    // Entries without an identifier would get one made up; a link or number says more.
    let parser = Builder::new().id_generator(|_, _, _| String::new()).build();
    let feed = parser.parse(body).map_err(|error| match error {
        feed_rs::parser::ParseFeedError::ParseError(feed_rs::parser::ParseErrorKind::NoFeedRoot) => {
            Trouble::WrongKind(kind.clone())
        }
        error => Trouble::damaged(error.to_string()),
    })?;
    for (entry, number) in feed.entries.iter().zip(1_u64..) {
        let seconds = entry.updated.or(entry.published).map(|date| date.timestamp());
        let found = Found {
            name: name(entry, number),
            modified: seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(UnixTime),
            hint: Hint::Kind(Kind::HTML),
            complaint: None,
        };
        outlet.give(found, page(entry).into_bytes())?;
    }
    Ok(())
}

/// The identifier, or else the link, without the scheme of a URL: what remains is a path. Entries with neither are
/// numbered.
fn name(entry: &Entry, number: u64) -> String {
    let named =
        [Some(entry.id.as_str()), link(entry)].into_iter().flatten().map(str::trim).find(|name| !name.is_empty());
    let Some(named) = named else { return format!("entry-{number}") };
    let path = match named.split_once("://") {
        Some((scheme, path)) if scheme.chars().all(char::is_alphanumeric) => path,
        _ => named,
    };
    path.to_owned()
}

/// Where the entry itself is to be read.
fn link(entry: &Entry) -> Option<&str> {
    let is_page = |link: &&feed_rs::model::Link| link.rel.as_deref().is_none_or(|rel| rel == "alternate");
    entry.links.iter().find(is_page).or(entry.links.first()).map(|link| link.href.as_str())
}

fn page(entry: &Entry) -> String {
    let title = entry.title.as_ref().map(plain).unwrap_or_default();
    let mut head = vec![format!("<meta charset=\"utf-8\">\n<title>{title}</title>\n")];
    let mut body = vec![format!("<h1>{title}</h1>\n")];
    let authors: Vec<_> = entry.authors.iter().filter_map(|author| author.name.as_deref()).map(escaped).collect();
    if !authors.is_empty() {
        let authors = authors.join(", ");
        head.push(format!("<meta name=\"author\" content=\"{authors}\">\n"));
        body.push(format!("<p>{authors}</p>\n"));
    }
    if let Some(date) = entry.published.or(entry.updated) {
        let date = date.to_rfc3339();
        head.push(format!("<meta name=\"date\" content=\"{date}\">\n"));
        body.push(format!("<p><time datetime=\"{date}\">{date}</time></p>\n"));
    }
    let content = entry.content.as_ref().and_then(|content| Some((content.body.as_deref()?, &content.content_type)));
    let summary = entry.summary.as_ref().map(|summary| (summary.content.as_str(), &summary.content_type));
    if let Some((text, media_type)) = content.or(summary) {
        let is_markup = media_type.subty() != "plain";
        body.push(if is_markup { format!("<div>{text}</div>\n") } else { format!("<p>{}</p>\n", escaped(text)) });
    }
    if let Some(link) = link(entry).map(escaped) {
        head.push(format!("<link rel=\"canonical\" href=\"{link}\">\n"));
        body.push(format!("<p><a href=\"{link}\">{link}</a></p>\n"));
    }
    let (head, body) = (head.concat(), body.concat());
    format!("<!DOCTYPE html>\n<html>\n<head>\n{head}</head>\n<body>\n{body}</body>\n</html>\n")
}

/// A title for places where no markup may stand.
fn plain(text: &Text) -> String {
    escaped(text.content.trim())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
