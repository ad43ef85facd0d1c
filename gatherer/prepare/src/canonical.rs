//! The one form of a URL under which a resource is stored.

use crate::percent;
use gatherer_pipeline::Departure;
use std::fmt;
use url::Url;

/// Longest URL taken, in bytes; common servers refuse longer request lines, and traps make them.
pub const URL_LIMIT: usize = 8_190;

/// A URL in its one form, and the credentials that stood in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Canonical {
    /// Without fragment, credentials, default port, empty query and needless escapes.
    pub url: Url,
    /// User name and password, decoded. Kept apart so that they reach no summary, ledger or log.
    pub credentials: Option<(String, String)>,
}

/// Reads a URL as browsers do, resolved against `base`, and brings it into its one form.
///
/// # Errors
/// A [`Departure::OutOfScope`] if it is no URL, or longer than [`URL_LIMIT`].
pub fn canonical(url: &str, base: Option<&Url>) -> Result<Canonical, Departure> {
    let parsed = Url::options().base_url(base).parse(url);
    let url = parsed.map_err(|error| Departure::OutOfScope { rule: format!("not a URL: {error}") })?;
    let canonical = canonical_url(url);
    within_limit(&canonical.url)?;
    Ok(canonical)
}

/// Brings a URL into its one form. Its length is judged by [`canonical`] and [`Scope`](crate::Scope).
pub fn canonical_url(mut url: Url) -> Canonical {
    url.set_fragment(None);
    let credentials = take_credentials(&mut url);
    // `example.org.` is `example.org` written out in full. A host that cannot be set keeps its dot.
    if let Some(bare) =
        url.domain().filter(|host| host.ends_with('.')).map(|host| host.trim_end_matches('.').to_owned())
    {
        let _ = url.set_host(Some(&bare));
    }
    let query = url.query().filter(|query| !query.is_empty()).map(percent::normalize);
    if query.as_deref() != url.query() {
        url.set_query(query.as_deref());
    }
    let path = percent::normalize(url.path());
    if path != url.path() && !url.cannot_be_a_base() {
        url.set_path(&path);
    }
    if url.scheme() == "file" {
        // Drive letters (`file://x//E:/`, `file://x/%43:/`) drop the host only when read again.
        url = Url::parse(url.as_str()).unwrap_or(url);
    }
    Canonical { url, credentials }
}

fn take_credentials(url: &mut Url) -> Option<(String, String)> {
    let (user, password) = (url.username(), url.password().unwrap_or_default());
    let found = (!user.is_empty() || !password.is_empty()).then(|| (percent::decode(user), percent::decode(password)));
    // Both refuse only URLs that cannot hold credentials.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    found
}

pub(crate) fn within_limit(url: &Url) -> Result<(), Departure> {
    if url.as_str().len() <= URL_LIMIT {
        return Ok(());
    }
    Err(Departure::OutOfScope { rule: format!("URL longer than {URL_LIMIT} bytes") })
}

/// Says that there are credentials, not which.
impl fmt::Debug for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let credentials = self.credentials.as_ref().map(|_| "(hidden)");
        f.debug_struct("Canonical").field("url", &self.url.as_str()).field("credentials", &credentials).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(url: &str, expected: &str) {
        let base = Url::parse("http://example.org/a/b?c").expect("a URL");
        let found = canonical(url, Some(&base)).expect("a URL within the limit");
        assert_eq!(found.url.as_str(), expected, "{url}");
        assert_eq!(canonical(expected, None).map(|again| again.url), Ok(found.url), "{url}, twice");
    }

    #[test]
    fn case_port_fragment_and_empty_query_go() {
        check("HTTP://Example.ORG:80/Index.HTML#top", "http://example.org/Index.HTML");
        check("https://example.org:443", "https://example.org/");
        check("https://example.org:80/", "https://example.org:80/");
        check("http://example.org/a?", "http://example.org/a");
        check("http://example.org/a?#x?y", "http://example.org/a");
        check("http://example.org/?a=b&&", "http://example.org/?a=b&&");
        check("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4");
    }

    #[test]
    fn a_host_written_out_in_full_is_the_same_host() {
        check("http://example.org./x", "http://example.org/x");
    }

    #[test]
    fn references_are_resolved() {
        check("x", "http://example.org/a/x");
        check("../../x", "http://example.org/x");
        check("?d", "http://example.org/a/b?d");
        check("//other.org/x", "http://other.org/x");
        check("", "http://example.org/a/b?c");
        check(" \tx\n ", "http://example.org/a/x");
        check("..\\x", "http://example.org/x");
    }

    #[test]
    fn equal_escapes_have_one_spelling() {
        check("http://example.org/%7ejack/%2f?q=%e4%2D%2b", "http://example.org/~jack/%2F?q=%E4-%2B");
        check("http://example.org/a/%2E%2e/b", "http://example.org/b");
        check("http://example.org/a/%2E%2e%2fb", "http://example.org/a/..%2Fb");
    }

    #[test]
    fn credentials_are_kept_apart_and_never_shown() {
        let found = canonical("ftp://jo%40x:p%3Aw@example.org/", None).expect("a URL");
        assert_eq!(found.url.as_str(), "ftp://example.org/");
        assert_eq!(found.credentials, Some(("jo@x".to_owned(), "p:w".to_owned())));
        assert!(!format!("{found:?}").contains("p:w"));
        assert_eq!(canonical("http://example.org/", None).map(|found| found.credentials), Ok(None));
    }

    #[test]
    fn opaque_urls_only_lose_their_fragment() {
        check("mailto:A%41@example.org#x", "mailto:A%41@example.org");
        check("data:text/plain,a  #x", "data:text/plain,a");
    }

    #[test]
    fn drive_letters_are_stable_at_once() {
        check("file://x//E:/a", "file:///E:/a");
        check("file://x/%43|/a", "file:///C:/a");
    }

    #[test]
    fn what_is_no_url_or_too_long_is_out_of_scope() {
        let rule = |url: &str| canonical(url, None).expect_err("refused").to_string();
        assert_eq!(rule("a/b"), "out of scope: not a URL: relative URL without a base");
        assert_eq!(rule("http://a b/"), "out of scope: not a URL: invalid international domain name");
        let start = "http://example.org/";
        assert!(canonical(&format!("{start}{}", "a".repeat(URL_LIMIT - start.len())), None).is_ok());
        assert!(canonical(&format!("{start}#{}", "a".repeat(URL_LIMIT)), None).is_ok());
        let long = format!("{start}{}", "a".repeat(URL_LIMIT));
        assert_eq!(rule(&long), "out of scope: URL longer than 8190 bytes");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn canonical_twice_is_canonical_once(
            scheme in "(https?|ftp|file|gopher|x-y|mailto|data):",
            rest in "(//?/?)?([a-cC%|:@?#./\\\\2eEfF7~ ä&=+-]|%2e|%7E|%43|\\.\\.|//){0,30}",
        ) {
            if let Ok(once) = canonical(&format!("{scheme}{rest}"), None) {
                let twice = canonical(once.url.as_str(), None).map(|twice| twice.url);
                prop_assert_eq!(twice, Ok(once.url.clone()));
                prop_assert_eq!(canonical_url(once.url.clone()).url, once.url);
            }
        }
    }
}
