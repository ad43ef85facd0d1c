//! Comments by which a PostScript program describes itself (DSC).

use crate::fold::Folded;
use crate::image::moment;
use crate::image::xmp::fill;
use gatherer_pipeline::Draft;
use jiff::civil::DateTime;

/// Most bytes of one comment.
const LINE_LIMIT: usize = 2_000;
/// Most lines that go on with a comment.
const LINES: usize = 200;

/// Comments with the attributes that they become.
const COMMENTS: &[(&str, &str)] = &[
    ("%%Title:", "Title"),
    ("%%For:", "Author"),
    ("%%Creator:", "Generator"),
    ("%%CreationDate:", "Created"),
    ("%%Copyright:", "Copyright"),
    ("%%Pages:", "Pages"),
    ("%%DocumentFonts:", "Fonts"),
    ("%%BoundingBox:", "Bounding-Box"),
];

/// Writes what the comments say; what they put off to the end is found there.
pub(super) fn write(program: &[u8], draft: &mut Draft) {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut goes_on = false;
    for line in program.split(|byte| matches!(byte, b'\n' | b'\r')) {
        if !line.starts_with(b"%%") {
            goes_on &= line.is_empty();
            continue;
        }
        let line = String::from_utf8_lossy(line.get(..line.len().min(LINE_LIMIT)).unwrap_or_default());
        // Documents within the document speak for themselves.
        if line.starts_with("%%BeginDocument") {
            depth += 1;
        } else if line.starts_with("%%EndDocument") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 {
            continue;
        }
        match line.strip_prefix("%%+") {
            Some(more) if goes_on && found.len() < LINES => {
                let name = found.last().map(|(name, _)| *name).unwrap_or_default();
                found.push((name, value(more)));
            }
            _ => {
                let comment = COMMENTS.iter().find(|(comment, _)| line.starts_with(comment));
                let known = comment.filter(|(_, name)| !found.iter().any(|(known, _)| known == name));
                let value = known.map(|(comment, name)| (*name, value(&line[comment.len()..])));
                let value = value.filter(|(_, value)| !value.is_empty() && !value.contains("(atend)"));
                goes_on = value.is_some();
                found.extend(value);
            }
        }
    }
    for (name, value) in found {
        match name {
            "Created" => fill(draft, name, &date(&value).unwrap_or_default()),
            // `%%Pages: 3 1` is an old form.
            "Pages" => {
                let pages = value.split(' ').next().filter(|pages| pages.parse::<u32>().is_ok());
                draft.add(name, pages.unwrap_or_default());
            }
            "Fonts" => draft.add(name, &value.replace(' ', "\n")),
            _ => draft.add(name, &value),
        }
    }
}

/// The value of a comment, without the brackets of a string.
fn value(text: &str) -> String {
    let text = Folded::line(text, LINE_LIMIT);
    if text == "(atend)" {
        return text;
    }
    let bare = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    bare.unwrap_or(&text).replace("\\(", "(").replace("\\)", ")")
}

/// Dates are free text. These are the forms that programs write.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let forms = ["%a %b %d %H:%M:%S %Y", "%b %d %H:%M:%S %Y", "%d %b %Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"];
    let known = forms.iter().find_map(|form| DateTime::strptime(form, text).ok());
    if let Some(known) = known {
        return Some(known.to_string());
    }
    let compact = text.strip_prefix("D:").unwrap_or(text);
    if compact.len() >= 8 && compact.bytes().take(8).all(|byte| byte.is_ascii_digit()) {
        return moment::compact(compact);
    }
    moment::iso(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_forms_are_read() {
        let check = |text: &str, expected: &str| assert_eq!(date(text).unwrap_or_default(), expected, "{text}");
        check("Wed May 1 12:00:00 2024", "2024-05-01T12:00:00");
        check("D:20240501120000+02'00'", "2024-05-01T10:00:00Z");
        check("2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z");
        check("5/1/2024 12:00:00", "2024-05-01T12:00:00");
        check("long ago", "");
    }
}
