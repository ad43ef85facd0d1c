//! Mail and news: one message, or a mailbox of them.

mod body;
mod mailbox;
#[cfg(test)]
mod tests;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use mail_parser::{Address, DateTime, HeaderName, HeaderValue, Message, MessageParser};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) const KINDS: &[&str] = &["Mail", "Mailbox", "News"];

/// Most parts of a message. Messages within messages are dropped one within the other, so their number is a depth.
const PARTS: usize = 500;
/// Most addresses or identities of one field.
const ADDRESSES: usize = 1_000;

/// Who wrote to whom, when, about what, and the text.
pub(crate) struct Mail;

impl Summarizer for Mail {
    fn name(&self) -> &'static str {
        concat!("mail ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        if leaf.cut {
            draft.complain("the message breaks off");
        }
        let messages = mailbox::messages(leaf.body);
        match messages.as_slice() {
            [] => write_one(leaf.body, leaf, &mut draft)?,
            [one] => write_one(one, leaf, &mut draft)?,
            many => mailbox::write(many, &mut draft)?,
        }
        Ok(draft)
    }
}

fn write_one(raw: &[u8], leaf: &Leaf<'_>, draft: &mut Draft) -> Result<(), Refusal> {
    let message = parse(raw, draft).ok_or_else(|| Refusal::Cannot("there are no header fields in it".to_owned()))?;
    write_header(&message, draft);
    body::write(&message, leaf.url, draft);
    Ok(())
}

/// Reads a message; of one with too many parts only the header. Some malformed ones make the library panic, which
/// is no worse than not being able to read them.
fn parse<'a>(raw: &'a [u8], draft: &mut Draft) -> Option<Message<'a>> {
    let is_large = count(raw, b"content-type") > PARTS;
    if is_large {
        draft.complain(format!("more than {PARTS} parts: only the header is read"));
    }
    let parser = MessageParser::default();
    let read = || if is_large { parser.parse_headers(raw) } else { parser.parse(raw) };
    let message = catch_unwind(AssertUnwindSafe(read)).ok().flatten()?;
    let has_fields = message.headers().iter().any(|header| !matches!(header.value, HeaderValue::Empty));
    has_fields.then_some(message)
}

fn count(raw: &[u8], word: &[u8]) -> usize {
    raw.windows(word.len()).filter(|window| window.eq_ignore_ascii_case(word)).count()
}

fn write_header(message: &Message<'_>, draft: &mut Draft) {
    draft.add("Title", message.subject().unwrap_or_default());
    for (attribute, addresses) in
        [("Author", message.from().or(message.sender())), ("To", message.to()), ("Cc", message.cc())]
    {
        draft.add(attribute, &names(addresses).join("\n"));
    }
    draft.add("Created", &date(message.date()));
    draft.add("Message-Id", message.message_id().unwrap_or_default());
    let mut ids: Vec<String> = Vec::new();
    for id in texts(message.references()).into_iter().chain(texts(message.in_reply_to())) {
        if !ids.contains(&id) && ids.len() < ADDRESSES {
            ids.push(id);
        }
    }
    draft.add("Message-References", &ids.join("\n"));
    let keywords = texts(message.keywords());
    let keywords: Vec<_> = keywords.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
    draft.add("Keywords", &keywords.join("\n"));
    draft.add("List-Id", &list_id(message.list_id()));
    let fields = [
        ("Newsgroups", "Newsgroups"),
        ("Organization", "Organization"),
        ("Summary", "Description"),
        ("User-Agent", "Generator"),
        ("X-Mailer", "Generator"),
        ("X-Newsreader", "Generator"),
        ("Content-Language", "Language"),
    ];
    for (field, attribute) in fields {
        let value = message.header(HeaderName::parse(field).unwrap_or(HeaderName::Other(field.into())));
        if draft.get(attribute).is_none() {
            let value = value.map(texts).unwrap_or_default().join("\n");
            // Only the names of newsgroups and languages hold no commas.
            let is_list = matches!(field, "Newsgroups" | "Content-Language");
            draft.add(attribute, &if is_list { value.replace(", ", "\n").replace(',', "\n") } else { value });
        }
    }
}

/// The name and the address of each, as mail programs show them.
fn names(addresses: Option<&Address<'_>>) -> Vec<String> {
    let all = addresses.into_iter().flat_map(Address::iter).take(ADDRESSES);
    let shown = all.map(|one| match (one.name(), one.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    });
    shown.filter(|name| !name.is_empty()).collect()
}

/// The texts of a field, whatever form the library gave it.
fn texts(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(text) => vec![text.to_string()],
        HeaderValue::TextList(list) => list.iter().take(ADDRESSES).map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// The identity of a list, with or without a name before it.
fn list_id(value: &HeaderValue<'_>) -> String {
    match value {
        HeaderValue::Address(address) => names(Some(address)).join("\n"),
        other => texts(other).join(" "),
    }
}

/// The date, if it can be one.
fn date(date: Option<&DateTime>) -> String {
    date.filter(|date| date.is_valid()).map(DateTime::to_rfc3339).unwrap_or_default()
}
