//! `gatherer explain`.

use super::{print, time::moment};
use crate::arguments::ExplainWish;
use anyhow::Result;
use gatherer_engine::{Engine, Explanation, look_into_store, span};
use gatherer_pipeline::{Departure, Entry, Outcome, Role, State, SystemClock};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Most members that are shown.
const MEMBERS: usize = 20;
/// Most URLs with the same content that are shown.
const TWINS: usize = 5;

pub(crate) fn explain(wish: &ExplainWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let store = Arc::new(look_into_store(&settings)?);
    let engine = Engine::on(settings, store, Arc::new(SystemClock))?;
    print(text(&engine.explain(&wish.url)?).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn text(explanation: &Explanation) -> String {
    let mut lines = vec![explanation.asked.as_ref().unwrap_or(&explanation.url).to_string()];
    if explanation.asked.is_some() {
        lines.push(format!("  taken as   {}", explanation.url));
    }
    for root in &explanation.scope {
        lines.push(match &root.verdict {
            Ok(rule) => format!("  scope      {}: in scope, {rule}", root.root),
            Err(reason) => format!("  scope      {}: {reason}", root.root),
        });
    }
    lines.push(match &explanation.robots {
        Some((Ok(rule), Some(at))) => format!("  robots     allowed, {rule} (rules of {})", moment(*at)),
        Some((Ok(rule), None)) => format!("  robots     allowed, {rule}"),
        Some((Err(reason), Some(at))) => format!("  robots     {reason} (rules of {})", moment(*at)),
        Some((Err(reason), None)) => format!("  robots     {reason}"),
        None => match explanation.entry.as_ref().and_then(|entry| entry.fates.last()).map(|fate| &fate.outcome) {
            Some(Outcome::Left(Departure::RobotsUnreachable { reason })) => {
                format!("  robots     cannot be read: {reason}")
            }
            _ => "  robots     not asked for yet".to_owned(),
        },
    });
    if !explanation.pause.is_zero() {
        lines.push(format!("  pause      {:?} between requests", explanation.pause));
    }
    lines.extend(explanation.waiting.iter().map(|waiting| format!("  waiting    {waiting}")));
    lines.extend(explanation.kind_before.iter().map(|vote| format!("  kind       {vote}, before the fetch")));
    if !explanation.summarizers.is_empty() {
        lines.push(format!("  summarizer {}", explanation.summarizers.join(", then ")));
    }
    match &explanation.entry {
        Some(entry) => known(entry, explanation.pace, &mut lines),
        None => lines.push("  state      unknown: no run has met it".to_owned()),
    }
    for member in explanation.members.iter().take(MEMBERS) {
        let fate = member.fates.last().map_or_else(String::new, |fate| format!(": {}", fate.outcome));
        lines.push(format!("  member     {}{fate}", member.url));
    }
    if explanation.members.len() > MEMBERS {
        lines.push(format!("             and {} more", explanation.members.len() - MEMBERS));
    }
    lines.extend(explanation.aliases.iter().map(|alias| format!("  alias      {} {}", alias.url, alias.how)));
    lines.push(match &explanation.record {
        Some(record) if record.head.url != explanation.url => {
            format!("  record     {} of {}, as {}", record.head.kind, moment(record.head.updated), record.head.url)
        }
        Some(record) => format!("  record     {} of {}", record.head.kind, moment(record.head.updated)),
        None => "  record     none".to_owned(),
    });
    lines.extend(explanation.same_content.iter().take(TWINS).map(|twin| format!("  same as    {twin}")));
    if explanation.same_content.len() > TWINS {
        lines.push(format!("             and {} more", explanation.same_content.len() - TWINS));
    }
    lines.push(format!("  next run   would {}", explanation.next));
    lines.join("\n")
}

fn known(entry: &Entry, pace: Option<Duration>, lines: &mut Vec<String>) {
    lines.push(format!("  state      {} since {}", entry.state, moment(entry.since)));
    if entry.met != entry.since {
        lines.push(format!("  known      since {}", moment(entry.met)));
    }
    let found =
        entry.found_on.as_ref().map_or_else(|| "named in the config".to_owned(), |url| format!("found on {url}"));
    if entry.role == Role::Collected {
        lines.push(format!("  found      collected from {}, which visits it", entry.root));
        return lived(entry, lines);
    }
    let levels = if entry.depth == 1 { "1 level".to_owned() } else { format!("{} levels", entry.depth) };
    lines.push(format!("  found      {found}, {levels} below {}", entry.root));
    if entry.role == Role::Member {
        lines.push("  due        with its container".to_owned());
    } else {
        lines.push(format!("  due        {}{}", moment(entry.due), because(entry, pace)));
    }
    lived(entry, lines);
}

/// How long its record lives, and what became of it up to now.
fn lived(entry: &Entry, lines: &mut Vec<String>) {
    if let Some(expires) = entry.expires {
        lines.push(format!("  lives      until {}", moment(expires)));
    }
    for fate in entry.fates.iter().rev() {
        lines.push(format!("  fate       {} run {}: {}", moment(fate.at), fate.run, fate.outcome));
        if let Outcome::Stored { votes, .. } = &fate.outcome {
            lines.extend(votes.iter().map(|vote| format!("               {vote}")));
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
