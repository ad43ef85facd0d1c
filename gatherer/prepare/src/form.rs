//! What makes two URLs of one root node the same.

use crate::canonical_url;
use gatherer_pipeline::{Access, Departure, QueryPolicy, UrlRules};
use std::borrow::Cow;
use url::Url;

/// The one form that the URLs of a root node have: the canonical one, and the operator's [`UrlRules`] on top. The
/// default has no rules.
#[derive(Debug, Clone, Default)]
pub struct UrlForm {
    query: QueryPolicy,
    /// Names of parameters that go.
    names: Vec<String>,
    /// Beginnings of such names, from rules with a `*`.
    beginnings: Vec<String>,
    index_names: Vec<String>,
}

impl UrlForm {
    /// The form that these rules give.
    pub fn new(rules: &UrlRules) -> Self {
        let (beginnings, names): (Vec<_>, _) =
            rules.drop_parameters.iter().cloned().partition(|name| name.ends_with('*'));
        Self {
            query: rules.query,
            names,
            beginnings: beginnings.iter().map(|glob| glob.trim_end_matches('*').to_owned()).collect(),
            index_names: rules.index_names.iter().filter(|name| !name.is_empty()).cloned().collect(),
        }
    }

    /// Brings a URL into this form. What has it already passes unchanged.
    ///
    /// # Errors
    /// [`Departure::OutOfScope`] if it has a query and the rules refuse queries. Parameters that are dropped anyway
    /// do not count.
    pub fn apply(&self, url: Url) -> Result<Url, Departure> {
        let mut url = canonical_url(url).url;
        if url.cannot_be_a_base() {
            return Ok(url);
        }
        self.rule_query(&mut url)?;
        // In the name of a file every character counts.
        if matches!(Access::of(&url), Some(Access::Http | Access::Ftp)) {
            self.drop_path_parameters(&mut url);
            self.drop_index_name(&mut url);
        }
        // What was dropped may have kept the rest from its canonical form, such as half an escape.
        Ok(canonical_url(url).url)
    }

    fn rule_query(&self, url: &mut Url) -> Result<(), Departure> {
        let Some(query) = url.query() else { return Ok(()) };
        let kept = self.without_dropped(query);
        let ruled = match self.query {
            QueryPolicy::Keep => kept,
            QueryPolicy::Sort => sorted(kept),
            QueryPolicy::Drop => Cow::Borrowed(""),
            QueryPolicy::Refuse if kept.is_empty() => kept,
            QueryPolicy::Refuse => {
                return Err(Departure::OutOfScope { rule: "query: refuse leaves out URLs with a query".to_owned() });
            }
        };
        if ruled != query {
            let ruled = ruled.into_owned();
            url.set_query(Some(ruled.as_str()).filter(|query| !query.is_empty()));
        }
        Ok(())
    }

    fn without_dropped<'a>(&self, query: &'a str) -> Cow<'a, str> {
        if !query.split('&').any(|parameter| self.drops(parameter)) {
            return Cow::Borrowed(query);
        }
        let kept: Vec<_> = query.split('&').filter(|parameter| !self.drops(parameter)).collect();
        Cow::Owned(kept.join("&"))
    }

    /// `/a;jsessionid=12/b` becomes `/a/b`.
    fn drop_path_parameters(&self, url: &mut Url) {
        let parameters = |segment: &str| segment.split(';').skip(1).any(|parameter| self.drops(parameter));
        if !url.path().split('/').any(parameters) {
            return;
        }
        let kept = |segment: &str| {
            let mut pieces = segment.split(';');
            let name = pieces.next();
            name.into_iter().chain(pieces.filter(|parameter| !self.drops(parameter))).collect::<Vec<_>>().join(";")
        };
        let path = url.path().split('/').map(kept).collect::<Vec<_>>().join("/");
        url.set_path(&path);
    }

    /// `/docs/index.html` becomes `/docs/`. With a query it is more likely a program than a directory's face.
    fn drop_index_name(&self, url: &mut Url) {
        let Some((directory, name)) = url.path().rsplit_once('/') else { return };
        if url.query().is_none() && self.index_names.iter().any(|index| index == name) {
            let path = format!("{directory}/");
            url.set_path(&path);
        }
    }

    fn drops(&self, parameter: &str) -> bool {
        let (name, _) = name_and_value(parameter);
        let begins =
            |beginning: &String| name.get(..beginning.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(beginning));
        self.names.iter().any(|dropped| dropped.eq_ignore_ascii_case(name)) || self.beginnings.iter().any(begins)
    }
}

/// The parameters by name, then by value. Nothing between two `&` is no parameter.
fn sorted(query: Cow<'_, str>) -> Cow<'_, str> {
    let is_whole = query.split('&').all(|parameter| !parameter.is_empty());
    if is_whole && query.split('&').is_sorted_by_key(name_and_value) {
        return query;
    }
    let mut parameters: Vec<_> = query.split('&').filter(|parameter| !parameter.is_empty()).collect();
    parameters.sort_by_key(|parameter| name_and_value(parameter));
    Cow::Owned(parameters.join("&"))
}

fn name_and_value(parameter: &str) -> (&str, &str) {
    parameter.split_once('=').unwrap_or((parameter, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: [QueryPolicy; 4] = [QueryPolicy::Keep, QueryPolicy::Sort, QueryPolicy::Drop, QueryPolicy::Refuse];

    fn form(query: QueryPolicy) -> UrlForm {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        UrlForm::new(&UrlRules {
            query,
            drop_parameters: owned(&["jsessionid", "utm_*", "PHPSESSID"]),
            index_names: owned(&["index.html", "index.php", ""]),
        })
    }

    /// By the path alone; the host is always the same.
    fn check(query: QueryPolicy, path: &str, expected: Result<&str, &str>) {
        check_url(
            query,
            &format!("http://example.org{path}"),
            expected.map(|path| format!("http://example.org{path}")),
        );
    }

    fn check_url(query: QueryPolicy, url: &str, expected: Result<String, &str>) {
        let found = form(query).apply(Url::parse(url).expect("a URL"));
        let found = found.map(String::from).map_err(|departure| departure.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{url}");
    }

    #[test]
    fn listed_parameters_go_and_the_rest_stays_as_it_is() {
        let check = |path, expected| check(QueryPolicy::Keep, path, Ok(expected));
        check("/a?b=2&utm_source=x&a=%20&&c", "/a?b=2&a=%20&&c");
        check("/a?UTM_Source=x", "/a");
        check("/a?utm%5Fsource=x", "/a");
        check("/a?utm_=x&utm=y", "/a?utm=y");
        check("/a?phpsessid=1&jsessionid&jsessionid2=3", "/a?jsessionid2=3");
        check("/a?utm_x=1&", "/a");
        check("/a?a=utm_x", "/a?a=utm_x");
        check("/a?b&a&", "/a?b&a&");
    }

    #[test]
    fn listed_parameters_go_from_path_segments() {
        let check = |path, expected| check(QueryPolicy::Keep, path, Ok(expected));
        check("/a;jsessionid=12/b;x=1", "/a/b;x=1");
        check("/a;x=1;JSESSIONID=12;y", "/a;x=1;y");
        check("/;jsessionid=12?q", "/?q");
        check("/jsessionid=12/b", "/jsessionid=12/b");
        check("/a/..;jsessionid=12/b", "/b");
    }

    #[test]
    fn queries_are_sorted_dropped_or_refused_as_asked() {
        check(QueryPolicy::Sort, "/a?b=2&a=2&utm_x=1&a=1&b", Ok("/a?a=1&a=2&b&b=2"));
        check(QueryPolicy::Sort, "/a?a=&b&&a&", Ok("/a?a=&a&b"));
        check(QueryPolicy::Sort, "/a?&", Ok("/a"));
        check(QueryPolicy::Drop, "/a?b=2", Ok("/a"));
        check(QueryPolicy::Drop, "/a", Ok("/a"));
        check(QueryPolicy::Refuse, "/a", Ok("/a"));
        check(QueryPolicy::Refuse, "/a?utm_x=1", Ok("/a"));
        check(QueryPolicy::Refuse, "/a?b", Err("out of scope: query: refuse leaves out URLs with a query"));
    }

    #[test]
    fn index_names_mean_their_directory() {
        check(QueryPolicy::Keep, "/docs/index.html", Ok("/docs/"));
        check(QueryPolicy::Keep, "/index.php;jsessionid=1?utm_x=1#top", Ok("/"));
        check(QueryPolicy::Drop, "/index.php?page=2", Ok("/"));
        check(QueryPolicy::Keep, "/index.php?page=2", Ok("/index.php?page=2"));
        check(QueryPolicy::Keep, "/Index.html", Ok("/Index.html"));
        check(QueryPolicy::Keep, "/index.html/", Ok("/index.html/"));
        check(QueryPolicy::Keep, "/my-index.html", Ok("/my-index.html"));
    }

    #[test]
    fn files_and_opaque_urls_keep_their_paths() {
        let check = |url, expected: &str| check_url(QueryPolicy::Drop, url, Ok(expected.to_owned()));
        check("ftp://example.org/pub/index.html", "ftp://example.org/pub/");
        check("file:///docs/index.html", "file:///docs/index.html");
        check("file:///a;jsessionid=1/b", "file:///a;jsessionid=1/b");
        check("mailto:jo@example.org?subject=x", "mailto:jo@example.org?subject=x");
    }

    #[test]
    fn without_rules_a_url_is_only_canonical() {
        let url = Url::parse("http://jo:pw@example.org/%7ea/index.html;jsessionid=1?b&a#c").expect("a URL");
        let found = UrlForm::default().apply(url).map(String::from);
        assert_eq!(found, Ok("http://example.org/~a/index.html;jsessionid=1?b&a".to_owned()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn applied_twice_is_applied_once(
            policy in 0..RULES.len(),
            scheme in "(https?://h|ftps?://h|ftps:|file:|x-y:|mailto:a)",
            rest in "(/|//|[ab%.;=?&4#: ]|\\.\\.|%2e|utm_x|jsessionid|index\\.html|;utm_=){0,16}",
        ) {
            let form = form(RULES[policy]);
            let Ok(url) = Url::parse(&format!("{scheme}{rest}")) else { return Ok(()) };
            if let Ok(once) = form.apply(url) {
                prop_assert_eq!(form.apply(once.clone()), Ok(once));
            }
        }
    }
}
