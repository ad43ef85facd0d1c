//! What a page itself says to robots: META and the `X-Robots-Tag` header.

mod dates;

use gatherer_pipeline::UnixTime;

/// Directives that have a value and so look like a name in front of directives.
const VALUED: &[&str] = &[UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview"];

const UNAVAILABLE_AFTER: &str = "unavailable_after";

/// What a page allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRules {
    /// The words that forbid a record, if any do.
    pub noindex: Option<String>,
    /// Whether its references may be followed.
    pub follow: bool,
    /// From when on the page wants no record any more, if that is still to come.
    pub expires: Option<UnixTime>,
}

impl PageRules {
    /// Reads META contents that are addressed to all robots or to us, and headers, each of which may name the agent
    /// that it is meant for (`otherbot: noindex`).
    pub fn read<'a>(metas: impl IntoIterator<Item = &'a str>, headers: &str, agent: &str, now: UnixTime) -> Self {
        let mut rules = Self { noindex: None, follow: true, expires: None };
        metas.into_iter().for_each(|meta| rules.obey(meta, now));
        headers.lines().filter_map(|header| addressed_to_us(header, agent)).for_each(|words| rules.obey(words, now));
        rules
    }

    fn obey(&mut self, words: &str, now: UnixTime) {
        let mut words = words.split([',', '\n']).map(str::trim);
        while let Some(word) = words.next() {
            if let Some(date) = end_of_availability(word) {
                // The comma behind a weekday ends no directive.
                let is_weekday = !date.is_empty() && date.bytes().all(|byte| byte.is_ascii_alphabetic());
                let rest = if is_weekday { words.next() } else { None };
                self.end(&rest.map_or_else(|| date.to_owned(), |rest| format!("{date}, {rest}")), now);
                continue;
            }
            let word = word.to_ascii_lowercase();
            if word == "nofollow" || word == "none" {
                self.follow = false;
            }
            if word == "noindex" || word == "none" {
                self.noindex = Some(word);
            }
        }
    }

    /// Takes an end of availability. The earliest counts; a date that cannot be read says nothing.
    fn end(&mut self, date: &str, now: UnixTime) {
        match dates::moment(date) {
            Some(end) if end <= now => {
                self.noindex.get_or_insert_with(|| format!("{UNAVAILABLE_AFTER} {date}"));
            }
            Some(end) => self.expires = Some(self.expires.map_or(end, |other| other.min(end))),
            None => {}
        }
    }
}

/// The date of an `unavailable_after` directive, as written.
fn end_of_availability(word: &str) -> Option<&str> {
    let (name, date) = word.split_once(':')?;
    name.trim().eq_ignore_ascii_case(UNAVAILABLE_AFTER).then(|| date.trim())
}

fn addressed_to_us<'a>(header: &'a str, agent: &str) -> Option<&'a str> {
    let Some((name, words)) = header.split_once(':') else { return Some(header) };
    let name = name.trim();
    // `noindex, max-snippet: 20` names no agent either.
    let is_directive = name.contains(',') || VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued));
    if is_directive {
        return Some(header);
    }
    name.eq_ignore_ascii_case(agent).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 25 June 2010, 12:00 UTC.
    const NOW: UnixTime = UnixTime(1_277_467_200);

    fn check(metas: &[&str], headers: &str, noindex: Option<&str>, follow: bool) {
        check_end(metas, headers, noindex, follow, None);
    }

    fn check_end(metas: &[&str], headers: &str, noindex: Option<&str>, follow: bool, expires: Option<u64>) {
        let expected = PageRules { noindex: noindex.map(str::to_owned), follow, expires: expires.map(UnixTime) };
        let found = PageRules::read(metas.iter().copied(), headers, "gatherer", NOW);
        assert_eq!(found, expected, "{metas:?} {headers:?}");
    }

    #[test]
    fn pages_may_refuse_a_record_or_their_references() {
        check(&[], "", None, true);
        check(&["index, follow"], "", None, true);
        check(&["NOINDEX"], "", Some("noindex"), true);
        check(&["max-snippet:-1, nofollow"], "", None, false);
        check(&["all\nnone"], "", Some("none"), false);
        check(&[], "noindex, nofollow", Some("noindex"), false);
        check(&[], "otherbot: noindex", None, true);
        check(&[], "max-snippet: 20\nGatherer: noindex", Some("noindex"), true);
    }

    #[test]
    fn directives_with_a_value_are_no_agents() {
        check(&[], "max-snippet: 20, noindex", Some("noindex"), true);
        check(&[], "nofollow, Max-Image-Preview: none", None, false);
        check(&[], "otherbot: max-snippet: 20, noindex", None, true);
    }

    #[test]
    fn a_page_whose_time_is_over_wants_no_record() {
        check(&["unavailable_after: 2010-06-24"], "", Some("unavailable_after 2010-06-24"), true);
        check(
            &["Unavailable_After: 25-Jun-2010 12:00:00 GMT"],
            "",
            Some("unavailable_after 25-Jun-2010 12:00:00 GMT"),
            true,
        );
        let words = Some("unavailable_after Thu, 24 Jun 2010 15:00:00 PST");
        check(&["unavailable_after: Thu, 24 Jun 2010 15:00:00 PST, nofollow"], "", words, false);
        let words = Some("unavailable_after 24 Jun 2010 15:00:00 PST");
        check(&[], "unavailable_after: 24 Jun 2010 15:00:00 PST", words, true);
        check(&[], "gatherer: unavailable_after: 24 Jun 2010 15:00:00 PST", words, true);
        check(&[], "nofollow, unavailable_after: 24 Jun 2010 15:00:00 PST", words, false);
        check(&["unavailable_after: 2010-06-24, noindex"], "", Some("noindex"), true);
        check(&["noindex"], "unavailable_after: 2010-06-24", Some("noindex"), true);
    }

    #[test]
    fn a_page_may_say_when_its_time_will_be_over() {
        check_end(&["unavailable_after: 2010-06-25"], "", None, true, Some(NOW.0 + 12 * 3_600));
        let both = "unavailable_after: 25 Jun 2010 15:00:00 PST\nunavailable_after: 25 Jun 2010 13:00:00 GMT";
        check_end(&[], both, None, true, Some(NOW.0 + 3_600));
        check_end(&[], "otherbot: unavailable_after: 2030-01-01", None, true, None);
    }

    #[test]
    fn an_end_that_cannot_be_read_says_nothing() {
        check(&["unavailable_after: soon", "unavailable_after:", "unavailable_after"], "", None, true);
        check(&["unavailable_after: Fri, noindex"], "", None, true);
    }
}
