//! Other URLs for records.

use crate::parse::gist;
use regex::{Captures, Regex};
use url::Url;

/// Longer URLs are refused in enumeration, too; Harvest's readers take one byte more.
const URL_LIMIT: usize = 8_190;

/// A regex, and what comes into the place of its first match.
#[derive(Debug, Clone)]
pub(crate) struct Rewrite {
    pattern: Regex,
    with: String,
}

impl Rewrite {
    /// Reads both. A group that the regex does not have would silently be nothing, so it is a mistake.
    pub(crate) fn parse(pattern: &str, with: String) -> Result<Self, String> {
        let pattern = Regex::new(pattern).map_err(|error| format!("{} in the regex for URLs", gist(&error)))?;
        let unknown = |group: &&str| match group.parse::<usize>() {
            Ok(number) => number >= pattern.captures_len(),
            Err(_) => pattern.capture_names().flatten().all(|name| name != *group),
        };
        if let Some(group) = groups(&with).into_iter().find(unknown) {
            return Err(format!("the regex for URLs has no group `{group}`; write ${{1}} before letters, $$ for a $"));
        }
        Ok(Self { pattern, with })
    }

    /// The other URL, if the regex matches.
    pub(crate) fn of(&self, url: &str) -> Option<String> {
        let replace = |found: &Captures<'_>| {
            let mut with = String::new();
            found.expand(&self.with, &mut with);
            with
        };
        self.pattern.is_match(url).then(|| self.pattern.replace(url, replace).into_owned())
    }
}

/// The groups that a replacement names, as the regex crate reads it: `$name` as long as it can be, or `${name}`.
fn groups(with: &str) -> Vec<&str> {
    let mut groups = Vec::new();
    let mut rest = with;
    while let Some((_, behind)) = rest.split_once('$') {
        if let Some(behind) = behind.strip_prefix('$') {
            rest = behind;
            continue;
        }
        rest = behind;
        let in_braces = behind.strip_prefix('{').and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        groups.push(in_braces.unwrap_or(&behind[..end]));
    }
    groups
}

/// A URL that a record can stand under.
pub(crate) fn new_url(text: &str) -> Result<Url, String> {
    let text = text.trim();
    let shown: String = text.chars().take(200).collect();
    if text.contains(|character: char| character.is_whitespace() || character.is_control()) {
        return Err(format!("{shown:?} is not one URL"));
    }
    let url = Url::parse(text).map_err(|error| format!("{shown:?} is no URL ({error})"))?;
    if url.as_str().len() > URL_LIMIT {
        return Err(format!("a URL longer than {URL_LIMIT} bytes"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(pattern: &str, with: &str, expected: Result<Option<&str>, &str>) {
        let rewritten = Rewrite::parse(pattern, with.to_owned()).map(|rewrite| rewrite.of("file:///srv/www/a/b.html"));
        let rewritten = rewritten.as_ref().map(Option::as_deref).map_err(String::as_str);
        assert_eq!(rewritten, expected, "{pattern} {with}");
    }

    #[test]
    fn the_first_match_is_replaced() {
        check("^file:///srv/www/", "https://www.example.org/", Ok(Some("https://www.example.org/a/b.html")));
        check("^ftp:", "x:", Ok(None));
        check("/", "|", Ok(Some("file:|//srv/www/a/b.html")));
        check("^file:///srv/www/(\\w)/(?<rest>.*)$", "http://${1}x/${rest}?$$1", Ok(Some("http://ax/b.html?$1")));
    }

    #[test]
    fn groups_must_be_there() {
        let hint = "; write ${1} before letters, $$ for a $";
        let missing = |group: &str| format!("the regex for URLs has no group `{group}`{hint}");
        check("(a)", "$1x", Err(&missing("1x")));
        check("(a)", "$2", Err(&missing("2")));
        check("(a)", "$0$1", Ok(Some("file:///srv/www/aa/b.html")));
        check("(a)", "${name}", Err(&missing("name")));
        check("(a)", "costs 5$", Err(&missing("")));
        check("(", "x", Err("unclosed group in the regex for URLs"));
    }

    #[test]
    fn a_new_url_is_one_absolute_url() {
        assert_eq!(new_url(" http://EXAMPLE.org \n").map(String::from).as_deref(), Ok("http://example.org/"));
        for (text, expected) in [
            ("", "\"\" is no URL (relative URL without a base)"),
            ("/a/b", "\"/a/b\" is no URL (relative URL without a base)"),
            ("http://a/\nhttp://b/", "\"http://a/\\nhttp://b/\" is not one URL"),
            ("mailto:a b", "\"mailto:a b\" is not one URL"),
        ] {
            assert_eq!(new_url(text), Err(expected.to_owned()));
        }
        assert!(new_url(&format!("http://a/{}", "x".repeat(URL_LIMIT))).is_err());
    }

    proptest! {
        #[test]
        fn any_replacement_is_taken_or_refused(with in "[$a1{}_ ä]{0,12}") {
            if let Ok(rewrite) = Rewrite::parse("(a)(?<b>.)", with) {
                let _ = rewrite.of("xaäy");
            }
        }

        #[test]
        fn doubled_dollars_write_any_text(text: String) {
            let rewrite = Rewrite::parse("a", text.replace('$', "$$"));
            prop_assert_eq!(rewrite.map(|rewrite| rewrite.of("a")), Ok(Some(text)));
        }
    }
}
