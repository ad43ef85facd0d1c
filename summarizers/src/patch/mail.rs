//! The head of a patch as it is mailed: subject, author, date, and the words before the changes.

use crate::fold::Folded;
use gatherer_pipeline::Draft;
use jiff::fmt::rfc2822::DateTimeParser;

/// Most bytes of a description.
const DESCRIPTION_LIMIT: usize = 10_000;

/// Writes what stands before the first change.
pub(super) fn write(head: &str, draft: &mut Draft) {
    let is_mail = head.starts_with("From ") || head.starts_with("From: ") || head.starts_with("Subject: ");
    let (headers, body) = if is_mail { head.split_once("\n\n").unwrap_or((head, "")) } else { ("", head) };
    for (name, value) in unfolded(headers) {
        match name.to_ascii_lowercase().as_str() {
            "subject" => draft.add("Title", subject(&value)),
            "from" => draft.add("Author", &value),
            "date" => draft.add("Created", &date(&value)),
            _ => {}
        }
    }
    // Below the dashes stands what concerns the mail and not the change.
    let end = if body.starts_with("---\n") { 0 } else { body.find("\n---\n").unwrap_or(body.len()) };
    let mut description = Folded::new(DESCRIPTION_LIMIT);
    description.push_lines(&body[..end]);
    draft.add("Description", &description.into_text());
}

/// Headers with their further lines joined.
fn unfolded(headers: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in headers.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = found.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(": ") {
            found.push((name, value.trim().to_owned()));
        }
    }
    found
}

/// Without `[PATCH 1/2]` and its like.
fn subject(subject: &str) -> &str {
    let bare = subject.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    bare.filter(|(tag, _)| tag.to_ascii_uppercase().contains("PATCH")).map_or(subject, |(_, words)| words.trim())
}

/// The moment in UTC, or what was written if it cannot be read.
fn date(written: &str) -> String {
    match DateTimeParser::new().parse_timestamp(written) {
        Ok(moment) => moment.to_string(),
        Err(_) => written.to_owned(),
    }
}
