//! Mailboxes: many messages in one file, each begun by a line of the form `From sender date`.

use super::{date, names};
use gatherer_pipeline::{Draft, Refusal};
use mail_parser::MessageParser;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most messages whose headers are read.
const MESSAGES: usize = 20_000;
/// Most bytes of a header.
const HEADER: usize = 64 << 10;
/// Most different senders.
const SENDERS: usize = 2_000;

/// The messages of a mailbox; none if it is no mailbox.
pub(super) fn messages(body: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    if !body.starts_with(b"From ") {
        return messages;
    }
    let (mut start, mut is_after_blank) = (None, true);
    let mut at = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        if is_after_blank && line.starts_with(b"From ") {
            if let Some(start) = start {
                messages.push(&body[start..at]);
            }
            start = Some(at + line.len());
        }
        is_after_blank = line.trim_ascii().is_empty();
        at += line.len();
    }
    if let Some(start) = start {
        messages.push(&body[start..]);
    }
    messages
}

/// Writes what the headers of all messages tell: the messages themselves are leaves of their own.
pub(super) fn write(messages: &[&[u8]], draft: &mut Draft) -> Result<(), Refusal> {
    let parser = MessageParser::default();
    let (mut subjects, mut senders, mut known, mut dates) = (String::new(), Vec::new(), HashSet::new(), Vec::new());
    for raw in messages.iter().take(MESSAGES) {
        let header = &raw[..raw.len().min(HEADER)];
        let read = || {
            parser.parse_headers(header).map(|message| {
                let dates = message.date().filter(|date| date.is_valid()).map(|date| (date.to_timestamp(), *date));
                (message.subject().unwrap_or_default().to_owned(), names(message.from()), dates)
            })
        };
        let Some((subject, from, date)) = catch_unwind(AssertUnwindSafe(read)).ok().flatten() else { continue };
        subjects.push_str(subject.trim());
        subjects.push('\n');
        dates.extend(date);
        for sender in from {
            if senders.len() < SENDERS && known.insert(sender.clone()) {
                senders.push(sender);
            }
        }
    }
    if subjects.is_empty() {
        return Err(Refusal::Cannot("no message of the mailbox can be read".to_owned()));
    }
    if messages.len() > MESSAGES {
        draft.complain(format!("more than {MESSAGES} messages"));
    }
    draft.add("Format", "mailbox");
    draft.add("Messages", &messages.len().to_string());
    draft.add("Author", &senders.join("\n"));
    draft.add("Headings", &subjects);
    let first = dates.iter().min_by_key(|(time, _)| *time);
    let last = dates.iter().max_by_key(|(time, _)| *time);
    draft.add("Created", &date(first.map(|(_, date)| date)));
    draft.add("Modified", &date(last.map(|(_, date)| date)));
    draft.set_text(&subjects);
    Ok(())
}
