//! What a page itself says to robots: META and the `X-Robots-Tag` header.

/// What a page allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRules {
    /// The words that forbid a record, if any do.
    pub noindex: Option<String>,
    /// Whether its references may be followed.
    pub follow: bool,
}

impl PageRules {
    /// Reads META contents that are addressed to all robots or to us, and headers, each of which may name the agent
    /// that it is meant for (`otherbot: noindex`).
    pub fn read<'a>(metas: impl IntoIterator<Item = &'a str>, headers: &str, agent: &str) -> Self {
        let mut rules = Self { noindex: None, follow: true };
        metas.into_iter().for_each(|meta| rules.obey(meta));
        headers.lines().filter_map(|header| addressed_to_us(header, agent)).for_each(|words| rules.obey(words));
        rules
    }

    fn obey(&mut self, words: &str) {
        for word in words.split([',', '\n']).map(|word| word.trim().to_ascii_lowercase()) {
            if word == "noindex" || word == "none" {
                self.noindex = Some(word.clone());
            }
            if word == "nofollow" || word == "none" {
                self.follow = false;
            }
        }
    }
}

fn addressed_to_us<'a>(header: &'a str, agent: &str) -> Option<&'a str> {
    match header.split_once(':') {
        // Directives with a value, such as `max-snippet: 20`, look the same; they say nothing that matters here.
        Some((name, words)) => name.trim().eq_ignore_ascii_case(agent).then_some(words),
        None => Some(header),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(metas: &[&str], headers: &str, noindex: Option<&str>, follow: bool) {
        let expected = PageRules { noindex: noindex.map(str::to_owned), follow };
        assert_eq!(PageRules::read(metas.iter().copied(), headers, "gatherer"), expected, "{metas:?} {headers:?}");
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
}
