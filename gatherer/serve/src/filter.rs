//! Which records somebody wants, and how much of each.

use crate::IsPrivate;
use gatherer_pipeline::UnixTime;
use gatherer_soif::Object;
use gatherer_store::{Head, Range, RawHead};
use url::{Host, Url};

/// What a broker may see, and what of that it wants. The default is everything that is public.
#[derive(Clone, Default)]
pub(crate) struct Filter {
    /// Root nodes that must not be seen.
    pub(crate) hidden: Option<IsPrivate>,
    /// A host with all below it.
    pub(crate) site: Option<Host>,
    /// How URLs begin.
    pub(crate) below: Option<Url>,
    /// Kinds; none named means all.
    pub(crate) kinds: Vec<String>,
    /// Root nodes; none named means all.
    pub(crate) roots: Vec<String>,
    /// Updated at this time or later,
    pub(crate) updated_from: Option<UnixTime>,
    /// and before this one.
    pub(crate) updated_before: Option<UnixTime>,
    /// Attributes; none named means all.
    pub(crate) attributes: Vec<String>,
}

/// What a filter looks at.
pub(crate) struct Traits<'a> {
    pub(crate) url: &'a str,
    pub(crate) root: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) updated: UnixTime,
}

impl<'a> From<&'a Head> for Traits<'a> {
    fn from(head: &'a Head) -> Self {
        Self { url: head.url.as_str(), root: &head.root, kind: &head.kind, updated: head.updated }
    }
}

impl<'a> From<&RawHead<'a>> for Traits<'a> {
    fn from(head: &RawHead<'a>) -> Self {
        Self { url: head.url, root: head.root, kind: head.kind, updated: head.updated }
    }
}

impl Filter {
    /// All that is public.
    pub(crate) fn public(is_private: &IsPrivate) -> Self {
        Self { hidden: Some(is_private.clone()), ..Self::default() }
    }

    /// The part of the store in which all of it stands.
    pub(crate) fn range(&self) -> Range {
        match (&self.below, &self.site) {
            (Some(url), _) => Range::below(url),
            (None, Some(Host::Domain(domain))) => Range::site(&Host::Domain(domain.as_str())),
            (None, Some(Host::Ipv4(address))) => Range::site(&Host::Ipv4(*address)),
            (None, Some(Host::Ipv6(address))) => Range::site(&Host::Ipv6(*address)),
            (None, None) => Range::all(),
        }
    }

    /// Whether records of this root node may be seen.
    pub(crate) fn may_see(&self, root: &str) -> bool {
        self.hidden.as_ref().is_none_or(|is_private| !is_private(root))
    }

    /// Whether this is wanted, by somebody who may see it.
    pub(crate) fn wants(&self, traits: &Traits<'_>) -> bool {
        let one_of = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
        };
        one_of(&self.kinds, traits.kind)
            && (self.roots.is_empty() || self.roots.iter().any(|wanted| wanted == traits.root))
            && self.updated_from.is_none_or(|from| traits.updated >= from)
            && self.updated_before.is_none_or(|end| traits.updated < end)
            && self.is_there(traits.url)
    }

    /// Whether this URL is where somebody looks.
    pub(crate) fn is_there(&self, url: &str) -> bool {
        if self.below.as_ref().is_some_and(|below| !url.starts_with(below.as_str())) {
            return false;
        }
        let Some(site) = &self.site else { return true };
        let Ok(url) = Url::parse(url) else { return false };
        match (site, url.host()) {
            (Host::Domain(site), Some(Host::Domain(host))) => {
                host == site || host.strip_suffix(site.as_str()).is_some_and(|before| before.ends_with('.'))
            }
            (site, Some(host)) => *site == host.to_owned(),
            (_, None) => false,
        }
    }

    /// Whether nothing is left out of what may be seen.
    pub(crate) fn is_all(&self) -> bool {
        let Self { hidden: _, site, below, kinds, roots, updated_from, updated_before, attributes } = self;
        site.is_none()
            && below.is_none()
            && kinds.is_empty()
            && roots.is_empty()
            && updated_from.is_none()
            && updated_before.is_none()
            && attributes.is_empty()
    }

    /// Whether records are sent as they are.
    pub(crate) fn is_whole(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Leaves those attributes that are wanted.
    pub(crate) fn trim(&self, object: &mut Object) {
        if self.is_whole() {
            return;
        }
        let is_wanted = |name: &str| self.attributes.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let unwanted = object.iter().map(|one| one.name.clone()).filter(|name| !is_wanted(name)).collect::<Vec<_>>();
        for name in unwanted {
            object.remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(filter: &Filter, url: &str, expected: bool) {
        let traits = Traits { url, root: "docs", kind: "HTML", updated: UnixTime(100) };
        assert_eq!(filter.wants(&traits), expected, "{url}");
    }

    #[test]
    fn a_site_is_a_host_and_what_is_below_it() {
        let filter = Filter { site: Host::parse("example.org").ok(), ..Filter::default() };
        check(&filter, "http://example.org/a", true);
        check(&filter, "https://www.example.org:8443/a", true);
        check(&filter, "http://badexample.org/", false);
        check(&filter, "file:///example.org", false);
        let filter = Filter { site: Host::parse("127.0.0.1").ok(), ..Filter::default() };
        check(&filter, "http://127.0.0.1:80/", true);
        check(&filter, "http://127.0.0.10/", false);
    }

    #[test]
    fn all_that_is_named_must_hold() {
        let filter = Filter { kinds: vec!["html".into()], roots: vec!["docs".into()], ..Filter::default() };
        check(&filter, "http://a/", true);
        check(&Filter { roots: vec!["Docs".into()], ..filter.clone() }, "http://a/", false);
        check(&Filter { kinds: vec!["PDF".into()], ..filter.clone() }, "http://a/", false);
        check(&Filter { updated_from: Some(UnixTime(101)), ..filter.clone() }, "http://a/", false);
        check(&Filter { updated_before: Some(UnixTime(100)), ..filter.clone() }, "http://a/", false);
        check(&Filter { below: Url::parse("http://a/b/").ok(), ..filter.clone() }, "http://a/b/c", true);
        check(&Filter { below: Url::parse("http://a/b/").ok(), ..filter }, "http://a/bc", false);
    }
}
