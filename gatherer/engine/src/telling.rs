//! An explanation in words: the same lines on the command line and on the status page.

use crate::explain::{Explanation, span};
use gatherer_pipeline::{Departure, Entry, Outcome, Role, State};
use gatherer_store::Deletion;
use std::fmt;
use std::time::Duration;

/// Most members that are shown.
const MEMBERS: usize = 20;
/// Most URLs with the same content that are shown.
const TWINS: usize = 5;

/// What a line is about, and what it says. A line about nothing goes on with the one before.
type Line = (&'static str, String);

/// The URL, and a line for each thing that is known of it.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.asked.as_ref().unwrap_or(&self.url).fmt(f)?;
        self.lines().iter().try_for_each(|(about, says)| write!(f, "\n  {about:<10} {says}"))
    }
}

impl Explanation {
    /// What is known, a line each.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        lines.extend(self.asked.iter().map(|_| ("taken as", self.url.to_string())));
        lines.extend(self.scope.iter().map(|root| match &root.verdict {
            Ok(rule) => ("scope", format!("{}: in scope, {rule}", root.root)),
            Err(reason) => ("scope", format!("{}: {reason}", root.root)),
        }));
        lines.push(("robots", self.robots_line()));
        if !self.pause.is_zero() {
            lines.push(("pause", format!("{:?} between requests", self.pause)));
        }
        lines.extend(self.waiting.iter().map(|waiting| ("waiting", waiting.clone())));
        lines.extend(self.kind_before.iter().map(|vote| ("kind", format!("{vote}, before the fetch"))));
        if !self.summarizers.is_empty() {
            lines.push(("summarizer", self.summarizers.join(", then ")));
        }
        match &self.entry {
            Some(entry) => known(entry, self.pace, &mut lines),
            None => lines.push(("state", "unknown: no run has met it, or it was forgotten".to_owned())),
        }
        lines.extend(self.members.iter().take(MEMBERS).map(|member| {
            let fate = member.fates.last().map_or_else(String::new, |fate| format!(": {}", fate.outcome));
            ("member", format!("{}{fate}", member.url))
        }));
        lines.extend(more(self.members.len(), MEMBERS));
        lines.extend(self.aliases.iter().map(|alias| ("alias", format!("{} {}", alias.url, alias.how))));
        lines.push(("record", self.record_line()));
        lines.extend(self.deletion.iter().filter(|_| self.record.is_some()).map(|deletion| {
            let Deletion { reason, root, .. } = deletion;
            let way = format!("`gatherer run --allow-deletions --root {root}` lets it pass");
            ("deletion", format!("put down: {reason}; if the brake holds it back, {way}"))
        }));
        lines.extend(self.same_content.iter().take(TWINS).map(|twin| ("same as", twin.to_string())));
        lines.extend(more(self.same_content.len(), TWINS));
        lines.push(("next run", format!("would {}", self.next)));
        lines
    }

    fn robots_line(&self) -> String {
        match &self.robots {
            Some((Ok(rule), Some(at))) => format!("allowed, {rule} (rules of {})", at.moment()),
            Some((Ok(rule), None)) => format!("allowed, {rule}"),
            Some((Err(reason), Some(at))) => format!("{reason} (rules of {})", at.moment()),
            Some((Err(reason), None)) => reason.clone(),
            None => match self.entry.as_ref().and_then(|entry| entry.fates.last()).map(|fate| &fate.outcome) {
                Some(Outcome::Left(Departure::RobotsUnreachable { reason })) => format!("cannot be read: {reason}"),
                _ => "not asked for yet".to_owned(),
            },
        }
    }

    fn record_line(&self) -> String {
        match &self.record {
            Some(record) if record.head.url != self.url => {
                format!("{} of {}, as {}", record.head.kind, record.head.updated.moment(), record.head.url)
            }
            Some(record) => format!("{} of {}", record.head.kind, record.head.updated.moment()),
            None => "none".to_owned(),
        }
    }
}

fn more(count: usize, shown: usize) -> Option<Line> {
    (count > shown).then(|| ("", format!("and {} more", count - shown)))
}

fn known(entry: &Entry, pace: Option<Duration>, lines: &mut Vec<Line>) {
    lines.push(("state", format!("{} since {}", entry.state, entry.since.moment())));
    if entry.met != entry.since {
        lines.push(("known", format!("since {}", entry.met.moment())));
    }
    let found =
        entry.found_on.as_ref().map_or_else(|| "named in the config".to_owned(), |url| format!("found on {url}"));
    if entry.role == Role::Collected {
        lines.push(("found", format!("collected from {}, which visits it", entry.root)));
        return lived(entry, lines);
    }
    let levels = if entry.depth == 1 { "1 level".to_owned() } else { format!("{} levels", entry.depth) };
    lines.push(("found", format!("{found}, {levels} below {}", entry.root)));
    if entry.role == Role::Member {
        lines.push(("due", "with its container".to_owned()));
    } else {
        lines.push(("due", format!("{}{}", entry.due.moment(), because(entry, pace))));
    }
    lived(entry, lines);
}

/// How long its record lives, and what became of it up to now.
fn lived(entry: &Entry, lines: &mut Vec<Line>) {
    lines.extend(entry.expires.map(|expires| ("lives", format!("until {}", expires.moment()))));
    for fate in entry.fates.iter().rev() {
        lines.push(("fate", format!("{} run {}: {}", fate.at.moment(), fate.run, fate.outcome)));
        if let Outcome::Stored { votes, .. } = &fate.outcome {
            lines.extend(votes.iter().map(|vote| ("", format!("  {vote}"))));
        }
    }
}

/// Why it is due then.
fn because(entry: &Entry, pace: Option<Duration>) -> String {
    match (entry.state, pace) {
        (State::Failing { .. }, _) => ", after failures ever more rarely".to_owned(),
        (State::GoneCandidate { .. }, _) => ", to see whether it is really gone".to_owned(),
        (State::New | State::Due, _) | (_, None) => String::new(),
        (_, Some(pace)) if entry.interval.is_some() => {
            format!(", visited every {}, by how often it changes", span(pace))
        }
        (_, Some(pace)) => format!(", visited every {}", span(pace)),
    }
}
