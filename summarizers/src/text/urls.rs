//! URLs that stand bare in a text.

use std::collections::HashSet;
use url::Url;

/// Longest URL that is taken for one.
const LIMIT: usize = 4 << 10;

/// Every `http://` and `https://` URL in the text, in order, each once, without its fragment and without `own`.
pub(super) fn urls(text: &str, own: &Url) -> Vec<Url> {
    let mut seen = HashSet::from([without_fragment(own.clone())]);
    let mut found = Vec::new();
    let mut end = 0;
    for (colon, _) in text.match_indices("://") {
        // One inside another belongs to it.
        let Some(start) = start(text, colon).filter(|start| *start >= end) else { continue };
        end = start + text[start..].find(is_no_part).unwrap_or(text.len() - start);
        if let Some(url) = read(&text[start..end]).filter(|url| seen.insert(url.clone())) {
            found.push(url);
        }
    }
    found
}

fn read(url: &str) -> Option<Url> {
    let fits = url.len() <= LIMIT;
    fits.then(|| Url::parse(trimmed(url)).ok()).flatten().map(without_fragment)
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

/// Where the scheme before the colon begins.
fn start(text: &str, colon: usize) -> Option<usize> {
    let before = &text.as_bytes()[..colon];
    let starts =
        ["https", "http"].into_iter().filter_map(|scheme| Some((before.len().checked_sub(scheme.len())?, scheme)));
    let (start, _) = { starts }.find(|(start, scheme)| before[*start..].eq_ignore_ascii_case(scheme.as_bytes()))?;
    let within_word = before[..start].last().is_some_and(u8::is_ascii_alphanumeric);
    (!within_word).then_some(start)
}

/// Whether a URL ends before this character.
fn is_no_part(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "<>\"`{}|\\^".contains(character)
}

/// Without the sentence's own marks at the end; a closing bracket stays if the URL opened one.
fn trimmed(url: &str) -> &str {
    let surplus = |open, close| url.matches(close).count().saturating_sub(url.matches(open).count());
    let (mut round, mut square) = (surplus('(', ')'), surplus('[', ']'));
    let take = |left: &mut usize| left.checked_sub(1).map(|less| *left = less).is_some();
    url.trim_end_matches(|c| match c {
        ')' => take(&mut round),
        ']' => take(&mut square),
        other => ".,;:!?'*_".contains(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let own = Url::parse("http://example.org/own.txt").expect("a URL");
        let found: Vec<_> = urls(text, &own).into_iter().map(String::from).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn urls_end_before_the_sentence_does() {
        check(
            "See http://a.example/x, or <HTTPS://B.example/y?z=1#f>.",
            &["http://a.example/x", "https://b.example/y?z=1"],
        );
        check("[corn](http://a.example/corn).", &["http://a.example/corn"]);
        check("(http://a.example/corn_(plant))", &["http://a.example/corn_(plant)"]);
        check("*http://a.example/*", &["http://a.example/"]);
    }

    #[test]
    fn each_is_told_once_and_itself_never() {
        check("http://a.example/ http://a.example/#x http://example.org/own.txt#y", &["http://a.example/"]);
    }

    #[test]
    fn what_is_no_url_is_left_alone() {
        check("://x http:// https:///, xhttp://a.example/ ftp://a.example/ ühttp://b.example/", &["http://b.example/"]);
        check("http://[bad http://exa mple", &["http://exa/"]);
    }

    #[test]
    fn one_inside_another_belongs_to_it() {
        check("http://a.example/http://b.example/", &["http://a.example/http://b.example/"]);
        assert_eq!(urls(&"http://".repeat(1_000_000), &Url::parse("http://x/").expect("a URL")), []);
    }

    #[test]
    fn international_names_are_read() {
        check("http://münchen.example/straße", &["http://xn--mnchen-3ya.example/stra%C3%9Fe"]);
    }
}
