//! The sizes of an image in `srcset`, told apart as the HTML standard does it.

/// The URLs of all candidates. A comma within a URL belongs to it; one at its end does not.
pub(super) fn urls(set: &str) -> impl Iterator<Item = &str> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let start = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = start.find(|c: char| c.is_ascii_whitespace()).unwrap_or(start.len());
        let url = start[..end].trim_end_matches(',');
        rest = if url.len() < end { &start[end..] } else { after_descriptors(&start[end..]) };
        (!url.is_empty()).then_some(url)
    })
}

/// What follows the comma behind sizes such as `2x`; commas in parentheses belong to them.
fn after_descriptors(text: &str) -> &str {
    let mut is_within = false;
    let end = text.find(|c| {
        match c {
            '(' => is_within = true,
            ')' => is_within = false,
            _ => {}
        }
        c == ',' && !is_within
    });
    end.map_or("", |comma| &text[comma + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &str, expected: &[&str]) {
        assert_eq!(urls(set).collect::<Vec<_>>(), expected, "{set:?}");
    }

    #[test]
    fn candidates_are_told_apart() {
        check("a.png", &["a.png"]);
        check("a.png, b.png 2x,c.png 640w 480h ,\n d.png", &["a.png", "b.png", "c.png", "d.png"]);
        check("", &[]);
        check(" , ,", &[]);
    }

    #[test]
    fn a_comma_within_a_url_belongs_to_it() {
        check("/w_400,h_300/a.png 1x, /w_800,h_600/a.png 2x", &["/w_400,h_300/a.png", "/w_800,h_600/a.png"]);
        check("a.png,b.png 2x", &["a.png,b.png"]);
        check("data:image/gif;base64,R0 1x, a.png 2x", &["data:image/gif;base64,R0", "a.png"]);
        check("a.png,, b.png", &["a.png", "b.png"]);
    }

    #[test]
    fn descriptors_of_the_future_are_passed_over() {
        check("a.png size(1, 2), b.png 2x 3x", &["a.png", "b.png"]);
        check("a.png size(1, b.png", &["a.png"]);
    }
}
