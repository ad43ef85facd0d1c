//! What a query asks for. Unknown words are mistakes: a filter that does nothing would send too much.

use super::answer::Problem;
use crate::filter::Filter;
use gatherer_pipeline::UnixTime;
use jiff::Timestamp;
use url::{Host, Url};

/// The words of a query, each taken by who knows it.
pub(super) struct Question(Vec<(String, String)>);

impl Question {
    pub(super) fn read(query: Option<&str>) -> Self {
        let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// Takes a word that may be said once.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }

    pub(super) fn take_number(&mut self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.take(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Problem::bad(format!("{name}={text} is no whole number")))
    }

    /// Takes how many are wanted at most; none at all would be no step forward.
    pub(super) fn take_limit(&mut self) -> Result<Option<u64>, Problem> {
        let limit = self.take_number("limit")?;
        if limit == Some(0) { Err(Problem::bad("limit is at least 1")) } else { Ok(limit) }
    }

    /// Takes a word that may be said several times, or hold several names with commas between them.
    fn take_list(&mut self, name: &str) -> Vec<String> {
        let mut list = Vec::new();
        while let Some(text) = self.take(name) {
            list.extend(text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned));
        }
        list
    }

    pub(super) fn take_url(&mut self, name: &str) -> Result<Option<Url>, Problem> {
        let Some(text) = self.take(name) else { return Ok(None) };
        Url::parse(&text).map(Some).map_err(|error| Problem::bad(format!("{name}={text} is no URL ({error})")))
    }

    fn take_time(&mut self, name: &str) -> Result<Option<UnixTime>, Problem> {
        let Some(text) = self.take(name) else { return Ok(None) };
        let written = || u64::try_from(text.parse::<Timestamp>().ok()?.as_second()).ok();
        let time = text.parse().ok().or_else(written);
        let expected = "a time is written as 1794804053 or 2026-11-16T05:58:33Z";
        time.map(|time| Some(UnixTime(time))).ok_or_else(|| Problem::bad(format!("{name}={text}: {expected}")))
    }

    /// Takes all that says which records are wanted.
    pub(super) fn take_filter(&mut self, filter: Filter) -> Result<Filter, Problem> {
        let site = match self.take("site") {
            Some(site) => {
                let bad = |_| Problem::bad(format!("site={site} is no host; to begin at a URL, use below="));
                Some(Host::parse(&site).map_err(bad)?)
            }
            None => None,
        };
        Ok(Filter {
            site,
            below: self.take_url("below")?,
            kinds: self.take_list("kind"),
            // Names of root nodes may have commas in them.
            roots: std::iter::from_fn(|| self.take("root")).collect(),
            updated_from: self.take_time("updated-from")?,
            updated_before: self.take_time("updated-before")?,
            attributes: self.take_list("attributes"),
            ..filter
        })
    }

    /// Complains of what nobody has taken.
    pub(super) fn end(self) -> Result<(), Problem> {
        match self.0.first() {
            Some((name, _)) => {
                Err(Problem::bad(format!("{name:?} means nothing here, or is said twice; see /openapi.json")))
            }
            None => Ok(()),
        }
    }
}
