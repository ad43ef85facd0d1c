//! References and what they are relative to (RFC 3986, section 5).

/// A reference, resolved. What it is relative to has to be a whole address; if it is none, nothing can be done.
pub(crate) fn join(base: &str, reference: &str) -> String {
    if has_scheme(reference) {
        return reference.to_owned();
    }
    let base = base.split('#').next().unwrap_or_default();
    let Some((scheme, behind)) = base.split_once("://") else { return reference.to_owned() };
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    let authority_end = behind.find(['/', '?']).unwrap_or(behind.len());
    let (authority, path_and_query) = behind.split_at(authority_end);
    let path = path_and_query.split('?').next().unwrap_or_default();
    let path = if path.is_empty() { "/" } else { path };
    let target = match reference.chars().next() {
        None => return base.to_owned(),
        Some('#') => return format!("{base}{reference}"),
        Some('?') => format!("{path}{reference}"),
        Some('/') => without_dots(reference),
        _ => without_dots(&format!("{}{reference}", &path[..=path.rfind('/').unwrap_or_default()])),
    };
    format!("{scheme}://{authority}{target}")
}

/// Whether a reference is a whole address: `mailto:`, `https:`.
pub(crate) fn has_scheme(reference: &str) -> bool {
    let Some((scheme, _)) = reference.split_once(':') else { return false };
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(is_allowed)
}

/// A path without `.` and `..`; what stands behind it is left alone.
fn without_dots(path: &str) -> String {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let (path, behind) = path.split_at(end);
    let mut segments = Vec::new();
    let mut ends_open = false;
    for segment in path.split('/').skip(1) {
        ends_open = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    if ends_open {
        segments.push("");
    }
    format!("/{}{behind}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        let base = "http://example.org/soups/corn?page=2#top";
        for (reference, expected) in [
            ("pea", "http://example.org/soups/pea"),
            ("./pea/", "http://example.org/soups/pea/"),
            ("../pea?x=../y", "http://example.org/pea?x=../y"),
            ("../../../pea", "http://example.org/pea"),
            ("..", "http://example.org/"),
            (".", "http://example.org/soups/"),
            ("/pea#./x", "http://example.org/pea#./x"),
            ("//example.net/pea", "http://example.net/pea"),
            ("https://example.net/", "https://example.net/"),
            ("mailto:ann@example.org", "mailto:ann@example.org"),
            ("?page=3", "http://example.org/soups/corn?page=3"),
            ("#end", "http://example.org/soups/corn?page=2#end"),
            ("", "http://example.org/soups/corn?page=2"),
            ("a:b/c", "a:b/c"),
            ("1:2", "http://example.org/soups/1:2"),
        ] {
            assert_eq!(join(base, reference), expected, "{reference}");
        }
        assert_eq!(join("http://example.org", "pea"), "http://example.org/pea");
        assert_eq!(join("http://example.org?a=b/c", "pea"), "http://example.org/pea");
        assert_eq!(join("nowhere", "pea"), "pea");
    }
}
