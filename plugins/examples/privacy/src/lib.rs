//! Takes mail addresses and phone numbers out of summaries.
//!
//! What looks like an address is one. With numbers it is harder: dates, prices and book numbers have to stay, so a
//! number needs the form of a phone number or a word such as `Tel.` before it.

mod mail;
mod phone;

use gatherer_sdk::{Attribute, Correction, Plugin, PostSummarizer, Setting, SummaryCall, Trouble, export};

/// What stands where something was.
const REMOVED: &str = "[removed]";

struct Privacy;

impl Plugin for Privacy {
    const NAME: &str = env!("CARGO_PKG_NAME");
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const KINDS: &[&str] = &["*"];
    const OPTIONS: &[Setting] =
        &[Setting::new("keep", "domains whose mail addresses stay, with spaces or commas between")];
}

impl PostSummarizer for Privacy {
    fn correct(call: &SummaryCall<'_>, mut attributes: Vec<Attribute>) -> Result<Correction, Trouble> {
        let keep = call.option("keep").unwrap_or_default().to_lowercase();
        let keep: Vec<_> = keep.split([',', ' ']).map(|domain| domain.trim_matches(['@', '.'])).collect();
        attributes.iter_mut().for_each(|attribute| attribute.value = cleaned(&attribute.value, &keep));
        Ok(Correction::Keep(attributes))
    }
}

export!(post_summarizer: Privacy);

/// A value without what is private. Bytes that are no text stay as they are.
fn cleaned(value: &[u8], keep: &[&str]) -> Vec<u8> {
    let mut result = Vec::with_capacity(value.len());
    for chunk in value.utf8_chunks() {
        let without_mail = replace(chunk.valid(), &mail::places(chunk.valid(), keep));
        let without_phones = replace(&without_mail, &phone::places(&without_mail));
        result.extend_from_slice(without_phones.as_bytes());
        result.extend_from_slice(chunk.invalid());
    }
    result
}

/// A text with something else in some places, which are in order and apart from each other.
fn replace(text: &str, places: &[std::ops::Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for place in places {
        result.push_str(&text[done..place.start]);
        result.push_str(REMOVED);
        done = place.end;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests;
