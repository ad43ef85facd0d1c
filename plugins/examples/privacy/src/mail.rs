//! Where mail addresses are.

use std::ops::Range;

/// The places of all addresses but those of domains to keep.
pub(crate) fn places(text: &str, keep: &[&str]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices('@') {
        let start = done + start_of_name(&text[done..at]);
        let end = at + 1 + length_of_domain(&text[at + 1..]);
        let domain = text[at + 1..end].to_lowercase();
        // `ftp://ann@example.org/` is an address of another sort.
        let is_url = text[..start].ends_with("//");
        if start < at && !domain.is_empty() && !is_url && !is_kept(&domain, keep) {
            places.push(start..end);
        }
        // Neither part can reach over an at sign, so every letter is looked at twice at most.
        done = end;
    }
    places
}

/// Where the name in front of the at sign begins; its end if there is none.
fn start_of_name(before: &str) -> usize {
    let is_part = |next: char| next.is_alphanumeric() || "._%+-~'".contains(next);
    let start = before
        .rfind(|next: char| !is_part(next))
        .map_or(0, |place| place + before[place..].chars().next().map_or(0, char::len_utf8));
    // A quote or a dash in front of it does not belong to it.
    let name = &before[start..];
    name.find(|next: char| next.is_alphanumeric() || next == '_').map_or(before.len(), |place| start + place)
}

/// How long the domain is: names with dots between, the last of letters; 0 if there is none.
fn length_of_domain(behind: &str) -> usize {
    let is_part = |next: char| next.is_alphanumeric() || matches!(next, '-' | '.');
    let end = behind.find(|next: char| !is_part(next)).unwrap_or(behind.len());
    let domain = behind[..end].trim_end_matches(['.', '-']);
    let is_top = |name: &str| name.chars().count() > 1 && name.chars().all(char::is_alphabetic);
    let is_punycode = |name: &str| name.starts_with("xn--");
    let is_domain =
        |(names, top): (&str, &str)| (is_top(top) || is_punycode(top)) && names.split('.').all(|name| !name.is_empty());
    if domain.rsplit_once('.').is_some_and(is_domain) { domain.len() } else { 0 }
}

fn is_kept(domain: &str, keep: &[&str]) -> bool {
    keep.iter()
        .filter(|kept| !kept.is_empty())
        .any(|kept| domain.strip_suffix(kept).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = places(text, &["kept.example", ""]).into_iter().map(|place| &text[place]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn addresses_are_found() {
        check("ann@example.org", &["ann@example.org"]);
        check("Ann <Ann.B+x@Mail.example.ORG>, 'ben@example.org'.", &["Ann.B+x@Mail.example.ORG", "ben@example.org"]);
        check("mailto:ann@example.org?subject=x", &["ann@example.org"]);
        check("?to=ann@example.org&x", &["ann@example.org"]);
        check("jürgen@müller.example—", &["jürgen@müller.example"]);
        check("a@xn--bcher-kva.xn--p1ai", &["a@xn--bcher-kva.xn--p1ai"]);
        check("a@b.example c@d.example", &["a@b.example", "c@d.example"]);
        check("a@b.example@c.example", &["a@b.example"]);
        check("to a@b.example.", &["a@b.example"]);
    }

    #[test]
    fn other_things_stay() {
        for text in
            ["", "@", "a@", "@b.example", "a@b", "left@1.2.3", "a@b..c.example.x..", "a@.example", "@handle @x.y"]
        {
            check(text, &[]);
        }
        check("ftp://ann@example.org/", &[]);
        check("-'@b.example", &[]);
    }

    #[test]
    fn some_domains_are_kept() {
        check("a@kept.example b@sub.Kept.example c@unkept.example", &["c@unkept.example"]);
    }
}
