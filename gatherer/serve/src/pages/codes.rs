//! How visits ended, in plain words, and which of those ends are trouble.

use gatherer_pipeline::report::Report;

/// How a visit ended, seen from afar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Its content came.
    Stored,
    /// It was the same as before.
    Same,
    /// It was left out, as it should be.
    Left,
    /// Something is wrong with it, with its server, or with us.
    Trouble,
}

/// Each code of an outcome, what it means, and what kind of end it is. One that is not here has no words yet.
const CODES: &[(&str, End, &str)] = &[
    ("stored", End::Stored, "summarized and kept"),
    ("enumerated", End::Stored, "a sitemap or list was read"),
    ("unchanged", End::Same, "nothing has changed"),
    ("out-of-scope", End::Left, "no root node wants it"),
    ("too-deep", End::Left, "too many levels below its root node"),
    ("root-node-full", End::Left, "its root node has as much as it may have"),
    ("scheme", End::Left, "not a way of access that is known here"),
    ("robots", End::Left, "the site's robots.txt forbids it"),
    ("robots-unreachable", End::Trouble, "the site's robots.txt cannot be read, so nothing there is asked for"),
    ("private-address", End::Left, "leads into a private network"),
    ("missing", End::Trouble, "the server says it is not there"),
    ("refused", End::Trouble, "the server does not let us have it"),
    ("server-trouble", End::Trouble, "the server is in trouble, or busy"),
    ("unreachable", End::Trouble, "no answer: name, network or server"),
    ("too-slow", End::Trouble, "took longer than allowed"),
    ("redirect", End::Trouble, "a redirect that leads nowhere"),
    ("moved", End::Left, "leads to another address, which is visited by itself"),
    ("not-selected", End::Left, "of a kind that is not wanted"),
    ("ruled-out", End::Left, "left out by a rule of yours"),
    ("expired", End::Left, "its time-to-live is over"),
    ("stumbled", End::Trouble, "the gatherer stumbled over it"),
    ("noindex", End::Left, "asks not to be indexed"),
    ("root-gone", End::Left, "its root node is not in the config any more"),
    ("trap", End::Left, "part of a pattern that looks endless"),
    ("soft-missing", End::Trouble, "the page itself says that nothing is there"),
    ("canonical", End::Left, "names another address as its own"),
    ("tls", End::Trouble, "the server's certificate or encryption is no good"),
    ("size", End::Left, "smaller or larger than wanted"),
    ("language", End::Left, "in a language that is not wanted"),
    ("packed", End::Trouble, "cannot be unpacked"),
    ("taken-out", End::Left, "no longer in what it was packed in"),
    ("closed", End::Left, "in something that is not opened any more"),
    ("withdrawn", End::Left, "withdrawn by the gatherer it was collected from"),
];

fn row(code: &str) -> Option<&'static (&'static str, End, &'static str)> {
    CODES.iter().find(|(known, ..)| *known == code)
}

pub(super) fn end_of(code: &str) -> End {
    row(code).map_or(End::Trouble, |(_, end, _)| *end)
}

pub(super) fn meaning(code: &str) -> &'static str {
    row(code).map_or("", |(.., meaning)| *meaning)
}

/// How many visits of a run ended so.
pub(super) fn visits(report: &Report, end: End) -> u64 {
    report.outcomes.iter().filter(|(code, _)| end_of(code) == end).map(|(_, tally)| tally.count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_pipeline::Departure;

    #[test]
    fn departures_have_their_words() {
        for departure in [
            Departure::Missing { status: 404 },
            Departure::Expired,
            Departure::TakenOut,
            Departure::TooSlow { seconds: 1 },
            Departure::Robots { rule: String::new() },
        ] {
            assert!(!meaning(departure.code()).is_empty(), "{}", departure.code());
        }
        assert_eq!(
            (end_of("stored"), end_of("unchanged"), end_of("never heard of")),
            (End::Stored, End::Same, End::Trouble)
        );
    }
}
