//! Bytes to text, by the order of the WHATWG: byte order mark, header, `<meta>`, detection.
//!
//! Nothing here fails: an unknown charset is complained of and passed over, and bytes that the chosen
//! charset does not know become U+FFFD.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use gatherer_pipeline::Draft;
use lol_html::{RewriteStrSettings, element, rewrite_str};
use std::borrow::Cow;
use url::Url;

#[cfg(test)]
mod tests;

/// How far a page may declare its charset in its own text (HTML standard, "prescan a byte stream").
const PRESCAN: usize = 1024;
/// So much of a label is told.
const LABEL: usize = 40;
/// Most bytes that the detector looks at, from the first that is not ASCII.
const SAMPLE: usize = 256 << 10;

/// What is known of the bytes besides their header.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hint<'a> {
    /// Top-level domain of the host; tilts the detector.
    tld: Option<&'a str>,
    /// Whether the bytes may declare their charset by `<meta>`.
    html: bool,
}

impl<'a> Hint<'a> {
    /// A web page from this URL.
    pub fn html(url: &'a Url) -> Self {
        Self { html: true, ..Self::text(url) }
    }

    /// Plain text from this URL.
    pub fn text(url: &'a Url) -> Self {
        let label = url.domain().and_then(|domain| domain.trim_end_matches('.').rsplit('.').next());
        // The detector panics on anything else.
        let sound = |label: &&str| label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        Self { tld: label.filter(sound), html: false }
    }
}

/// Bytes made text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// The charset used, by its WHATWG name.
    pub charset: &'static str,
    /// Who decided: `byte order mark`, `header`, `markup` or `detection`.
    pub by: &'static str,
    /// What header or markup declare, as they write it, if that is another charset than the one used.
    pub declared: Option<String>,
    /// What was wrong with the declarations or the bytes.
    pub complaints: Vec<String>,
}

impl Decoded<'_> {
    /// Writes the charset into a draft: the one used, who decided, and what was declared instead.
    pub(crate) fn tell(&self, draft: &mut Draft) {
        self.complaints.iter().for_each(|complaint| draft.complain(complaint.clone()));
        draft.add("Charset", self.charset);
        draft.add("Charset-By", self.by);
        draft.add("Declared-Charset", self.declared.as_deref().unwrap_or_default());
    }
}

/// Decodes a body, given the `Content-Type` that the server claims.
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>, hint: Hint<'_>) -> Decoded<'a> {
    let mut complaints = Vec::new();
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return finish(&body[mark..], (encoding, "byte order mark"), content_type.and_then(parameter), complaints);
    }
    let in_header = content_type.and_then(parameter);
    let header = in_header.and_then(|label| by_header(label, body, &mut complaints));
    let in_markup = if header.is_none() && hint.html { markup_label(body) } else { None };
    let markup = in_markup.as_deref().and_then(|label| by_markup(label, &mut complaints));
    let declared = header.map(|encoding| (encoding, "header")).or(markup.map(|encoding| (encoding, "markup")));
    let decision = match declared {
        Some((encoding, _)) if encoding == UTF_8 && is_mostly_not_utf8(body) => {
            let detected = detect(body, hint.tld);
            complaints.push(format!("declared as UTF-8 but is not; taken as {}", detected.name()));
            (detected, "detection")
        }
        Some(declared) => declared,
        None => (detect(body, hint.tld), "detection"),
    };
    finish(body, decision, in_header.or(in_markup.as_deref()), complaints)
}

fn finish<'a>(
    body: &'a [u8],
    (encoding, by): (&'static Encoding, &'static str),
    declared: Option<&str>,
    mut complaints: Vec<String>,
) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(body);
    if malformed {
        complaints.push(format!("some bytes are not {}", encoding.name()));
    }
    let is_other = |label: &&str| Encoding::for_label(label.as_bytes()) != Some(encoding);
    let declared = declared.filter(is_other).map(|label| label.chars().take(LABEL).collect());
    Decoded { text, charset: encoding.name(), by, declared, complaints }
}

/// The charset of the header.
fn by_header(label: &str, body: &[u8], complaints: &mut Vec<String>) -> Option<&'static Encoding> {
    let encoding = known(label, complaints)?;
    if (encoding == UTF_16LE || encoding == UTF_16BE) && !body.contains(&0) {
        complaints.push(format!("declared as {} but is not", encoding.name()));
        return None;
    }
    Some(encoding)
}

/// The value of `charset=` in a media type, with or without quotes.
fn parameter(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

fn known(label: &str, complaints: &mut Vec<String>) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label_no_replacement(label.as_bytes());
    if encoding.is_none() {
        let label: String = label.chars().take(LABEL).collect();
        complaints.push(format!("unknown charset {label:?}"));
    }
    encoding
}

/// The label of the charset that a page gives itself.
fn markup_label(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(PRESCAN)]);
    meta_label(&head).or_else(|| xml_label(&head).map(str::to_owned))
}

/// The charset that a page gives itself. Whoever can read it is no UTF-16.
fn by_markup(label: &str, complaints: &mut Vec<String>) -> Option<&'static Encoding> {
    let encoding = known(label, complaints)?;
    Some(match encoding {
        wide if wide == UTF_16LE || wide == UTF_16BE => UTF_8,
        user if user == X_USER_DEFINED => WINDOWS_1252,
        other => other,
    })
}

/// The first charset declared by a `<meta>`.
fn meta_label(head: &str) -> Option<String> {
    let mut label = None;
    let settings =
        RewriteStrSettings::new().with_strict(false).append_element_content_handler(element!("meta", |meta| {
            if label.is_none() {
                label = label_of(
                    meta.get_attribute("charset"),
                    meta.get_attribute("http-equiv"),
                    meta.get_attribute("content"),
                );
            }
            Ok(())
        }));
    // A head that cannot be read declares nothing.
    let _ = rewrite_str(head, settings);
    label
}

fn label_of(charset: Option<String>, equivalent: Option<String>, content: Option<String>) -> Option<String> {
    if let Some(label) = charset.filter(|label| !label.trim().is_empty()) {
        return Some(label.trim().to_owned());
    }
    let is_content_type = equivalent?.trim().eq_ignore_ascii_case("content-type");
    if is_content_type { parameter(&content?).map(str::to_owned) } else { None }
}

/// The encoding in an XML declaration, as of XHTML pages.
fn xml_label(head: &str) -> Option<&str> {
    let declaration = head.strip_prefix("<?xml")?.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote).map(|(label, _)| label.trim())
}

/// Whether more is wrong than right with it as UTF-8. One bad byte in a long text is no reason to doubt the rest.
fn is_mostly_not_utf8(body: &[u8]) -> bool {
    if std::str::from_utf8(body).is_ok() {
        return false;
    }
    let (mut right, mut wrong) = (0_usize, 0_usize);
    for chunk in body.utf8_chunks() {
        right += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    wrong > right
}

fn detect(body: &[u8], tld: Option<&str>) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Ok(_) => return UTF_8,
        // Cut within its last character, and not just ISO 8859-1 with an umlaut at its end.
        Err(error) if error.error_len().is_none() && !body[..error.valid_up_to()].is_ascii() => return UTF_8,
        Err(_) => {}
    }
    let start = Encoding::ascii_valid_up_to(body).saturating_sub(64);
    let sample = &body[start..body.len().min(start + SAMPLE)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, start + sample.len() == body.len());
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Allow)
}
