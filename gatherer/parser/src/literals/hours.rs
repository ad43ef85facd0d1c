//! Opening hours and days of rest.

use super::{Found, Kind, Setting, alternatives, compiled};
use crate::language::{Languages, Tongue};
use regex::{Captures, Match, Regex};
use std::collections::HashMap;

#[derive(Debug)]
pub(super) struct OpeningHours {
    group: Regex,
    join: Regex,
    times: Regex,
    days: Regex,
    closed: Regex,
    list: Regex,
    every: Regex,
    weekdays: HashMap<String, u8>,
}

const NAMES: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
const EVERY: &str = r"täglich|tägl\.?|daily|nightly|every\sday|every\sevening|every\snight|jeden\stag|seven\sdays\sa\sweek|7\sdays\sa\sweek|alle\stage";
const SOME: &str = r"werktags|wochentags|weekdays|weekends?|am\swochenende|wochenende";
const REST: &str = r"feiertag(?:en|e|s)?|public\sholidays|bank\sholidays?|holidays";

impl OpeningHours {
    pub(super) fn new(languages: &Languages) -> Self {
        let mut weekdays = HashMap::new();
        for tongue in Tongue::ALL {
            weekdays.extend(languages.of(tongue).weekdays.clone());
        }
        weekdays.extend([("sonn-".to_owned(), 7)]);
        let day = format!(r"(?:(?:{})\b\.?|sonn-|{REST})", alternatives(weekdays.keys().map(String::as_str)));
        let list = format!(
            r"{day}(?:\s?(?:-|–|—|/|,|&|\+|\bbis\b|\bto\b|\bund\b|\band\b|\bthrough\b)\s?(?:an\s|on\s|am\s)?{day})*"
        );
        let days = |but: &str| {
            format!(r"(?:(?:(?:{EVERY}|{SOME})\b)|{list})(?:\s?\(?(?:außer|ausser|except)\s(?P<{but}>{day})\)?)?")
        };
        let (days, days_behind, days_open) = (days("but"), days("but2"), days("but3"));
        let clock = r"(?:(?:12\s?)?(?:noon|midday|midnight)|\d{1,2}(?:[:.h]\d{2})?\s?(?:uhr\b|h\b|[ap]\.?m\b\.?)?)";
        let span = format!(
            r"(?:between\s{clock}\s?and\s{clock}|zwischen\s{clock}\s?und\s{clock}|(?:von\s|from\s|ab\s)?{clock}\s?(?:-|–|—|\bbis\b|\bto\b|\buntil\b|\btill\b)\s?{clock})"
        );
        let times = format!(r"{span}(?:\s?(?:,|und|and|u\.|/|&|sowie)\s?{span})*");
        let around = r"(?:(?:\s(?:only|nur)\b)?\s?[:,]?\s?(?:(?:jeweils|immer|durchgehend|geöffnet|open|from|von|ist|in\sder\szeit)\s)*)";
        Self {
            group: compiled(&format!(
                r"(?i)(?:\b(?P<days>{days}){around}(?P<times>{times})|(?P<times2>{times})\s?,?\s?\(?(?:on\s|am\s|an\s)?(?P<days2>{days_behind})|(?P<times3>{times})|\b(?P<days4>{days_open}){around}(?:ab|from|um|at)\s(?P<open>{clock}))"
            )),
            join: compiled(r"(?i)^(?:\s?(?:[,;/|]|und|and|sowie|\.)?\s?(?:an\s|am\s|on\s)?)$"),
            times: compiled(
                r"(?i)(?:(?:\b12\s?)?\b(?P<word>noon|midday|midnight)|(?P<h>\d{1,2})(?:[:.h](?P<m>\d{2}))?\s?(?P<half>uhr|h\b|[ap]\.?m)?)",
            ),
            days: compiled(&format!(
                r"(?i)(?P<every>{EVERY})|(?P<some>{SOME})|(?P<rest>{REST})|(?P<day>{day})|(?P<to>-|–|—|\bbis\b|\bto\b|\bthrough\b)"
            )),
            closed: compiled(&format!(
                r"(?i)(?:\bruhetage?\b|\bgeschlossen\b|\bgeschl\.|\bclosed\b)(?:\s?(?:ist|sind|:|is|are|on|am|an|all\sday|every))*\s?(?P<after>{list})|(?P<before>\b{list})\s?(?:ist|is|are|:|=|,|\(|haben\swir|hat\sdas\shaus|bleibt|bleiben|sind)?\s?(?:(?:unsere?|our|der|die|das|the)\s(?:[\p{{L}}-]+\s){{0,3}}?|wir\s)?(?:(?:ruhetage?|geschlossen|closed)\b|geschl\.)"
            )),
            list: compiled(&format!(r"(?i)\b{list}")),
            every: compiled(&format!(r"(?i)^(?:open\s|geöffnet\s)?(?:{EVERY})[\s:,.]*$")),
            weekdays,
        }
    }

    pub(super) fn find(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        // "Dinner 6.30-9.30", but breakfast is served in the morning.
        let is_late = setting.tongue == Tongue::English && !found.line.to_lowercase().contains("breakfast");
        for captures in self.closed.captures_iter(found.line) {
            let Some(days) = captures.name("after").or(captures.name("before")) else { continue };
            // "closed Mondays 12-14" would be hours.
            let days_written = self.days(days.as_str(), None);
            if !days_written.is_empty() {
                found.add(days.range(), Kind::Closed, days_written);
            }
        }
        let mut open: Option<(std::ops::Range<usize>, Vec<String>)> = None;
        for captures in self.group.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            // "11-14 Uhr Frühschoppen" is on no Friday.
            let behind = captures.name("days2").filter(|days| is_whole(found.line, days));
            let is_cut = behind.is_none() && captures.name("days2").is_some();
            let Some(mut written) = self.written(&captures, behind, is_late) else { continue };
            let mut whole = whole.range();
            if is_cut || !found.is_free(&whole) {
                // "11.30 bis 14 Uhr, Montag ist Ruhetag": the day is that of the rest.
                let times = captures.name("times2").filter(|times| found.is_free(&times.range()));
                let Some((times, bare)) =
                    times.and_then(|times| Some((times.range(), self.times(times.as_str(), is_late)?)))
                else {
                    continue;
                };
                (whole, written) = (times, bare);
            }
            open = match open.take() {
                Some((span, mut groups)) if self.join.is_match(&found.line[span.end..whole.start]) => {
                    groups.push(written);
                    Some((span.start..whole.end, groups))
                }
                before => {
                    close(before, found);
                    Some((whole, vec![written]))
                }
            };
        }
        close(open, found);
    }

    fn written(&self, captures: &Captures<'_>, behind: Option<Match<'_>>, is_late: bool) -> Option<String> {
        // "Fr ab 17 Uhr"
        if let (Some(days), Some(open)) = (captures.name("days4"), captures.name("open")) {
            let from = self.times.captures(open.as_str())?;
            // "daily from 1 April" begins no hour.
            if from.name("half").is_none() && from.name("m").is_none() && from.name("word").is_none() {
                return None;
            }
            let from = minutes(&from, half(&from))?;
            let is_from = captures.get(0)?.as_str().to_lowercase().contains(" ab ")
                || captures.get(0)?.as_str().contains(" from ");
            return is_from.then(|| {
                format!(
                    "{} {:02}:{:02}+",
                    self.days(days.as_str(), captures.name("but3").map(|but| but.as_str())),
                    from / 60,
                    from % 60
                )
            });
        }
        let times = captures.name("times").or(captures.name("times2")).or(captures.name("times3"))?;
        let days = captures.name("days").or(behind);
        let lower = times.as_str().to_lowercase();
        let has_sign = lower.contains("uhr")
            || lower.contains(':')
            || ["am", "pm", "a.m", "p.m", "noon", "midnight", "midday"].iter().any(|sign| lower.contains(sign))
            || lower.ends_with('h');
        // "9-18" without days or the word for hours is any range of numbers.
        let is_spoken = (lower.starts_with("from ") || lower.starts_with("between ") || lower.starts_with("zwischen "))
            && lower.contains(['.', ':'])
            && !lower.contains('-');
        if days.is_none() && !has_sign && !is_spoken && !is_exact(times.as_str()) {
            return None;
        }
        let times = self.times(times.as_str(), is_late)?;
        Some(match days {
            Some(days) => format!(
                "{} {times}",
                self.days(days.as_str(), captures.name("but").or(captures.name("but2")).map(|but| but.as_str()))
            ),
            None => times,
        })
    }

    fn times(&self, text: &str, is_late: bool) -> Option<String> {
        let found: Vec<_> = self.times.captures_iter(text).collect();
        if found.len() < 2 || !found.len().is_multiple_of(2) {
            return None;
        }
        let mut ends = Vec::new();
        let mut last = 0;
        for pair in found.chunks(2) {
            let late = half(&pair[1]);
            let (from, to) = (minutes(&pair[0], half(&pair[0]).or(late))?, minutes(&pair[1], late)?);
            // "11-5pm": the morning was meant.
            let is_morning = from > to && from >= 12 * 60 && half(&pair[0]).is_none() && late.is_some();
            let from = if is_morning { from - 12 * 60 } else { from };
            // "10.30 - 5", "2 - 5": the afternoon was meant.
            let is_open_half = half(&pair[0]).is_none() && late.is_none();
            let to = if to < from && to <= 12 * 60 && late.is_none() { to + 12 * 60 } else { to };
            let is_afternoon = is_open_half && from < to && to <= 7 * 60 && !text.to_lowercase().contains("uhr");
            let is_evening = is_late && is_open_half && from < to && to < 12 * 60 && begins_late(&pair[0], from);
            let (from, to) = if is_afternoon || is_evening { (from + 12 * 60, to + 12 * 60) } else { (from, to) };
            // "12-3 and 5.30-11": the second goes on where the first has ended.
            let goes_on = is_open_half && from < last && to <= 12 * 60 && !text.to_lowercase().contains("uhr");
            let (from, to) = if goes_on { (from + 12 * 60, to + 12 * 60) } else { (from, to) };
            last = to;
            ends.push(format!("{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60));
        }
        Some(ends.join(","))
    }

    /// The days that a text names, if it names any.
    pub(super) fn named_days(&self, text: &str) -> Option<String> {
        // "Daily"
        if let Some(every) = self.every.find(text) {
            return Some(self.days(every.as_str(), None));
        }
        let mut lists = self.list.find_iter(text).filter(|days| is_whole(text, days));
        let first = lists.next()?;
        let days = self.days(first.as_str(), None);
        (lists.next().is_none() && !days.is_empty()).then_some(days)
    }

    fn days(&self, text: &str, but: Option<&str>) -> String {
        let mut written: Vec<String> = Vec::new();
        let mut range = false;
        let mut open: Option<u8> = None;
        for captures in self.days.captures_iter(text) {
            if captures.name("every").is_some() {
                written.push(self.every_but(but));
                break;
            } else if let Some(some) = captures.name("some") {
                let some = some.as_str().to_lowercase();
                written.push(match some.as_str() {
                    "werktags" => "Mo-Sa".to_owned(),
                    "wochentags" | "weekdays" => "Mo-Fr".to_owned(),
                    _ => "Sa,Su".to_owned(),
                });
            } else if captures.name("rest").is_some() {
                written.push("PH".to_owned());
            } else if captures.name("to").is_some() {
                range = true;
            } else if let Some(day) = captures.name("day") {
                let word = day.as_str().to_lowercase();
                let Some(&number) = self.weekdays.get(word.trim_end_matches('.')) else { continue };
                let name = NAMES[usize::from(number - 1)];
                match (range, open, written.last_mut()) {
                    (true, Some(_), Some(last)) => *last = format!("{last}-{name}"),
                    _ => written.push(name.to_owned()),
                }
                (range, open) = (false, Some(number));
            }
        }
        written.join(",")
    }

    fn every_but(&self, but: Option<&str>) -> String {
        let but = but.and_then(|but| self.weekdays.get(but.to_lowercase().trim_end_matches('.')));
        match but {
            Some(1) => "Tu-Su".to_owned(),
            Some(7) => "Mo-Sa".to_owned(),
            Some(&day) => {
                let day = usize::from(day);
                let piece = |from: usize, to: usize| {
                    if from == to { NAMES[from].to_owned() } else { format!("{}-{}", NAMES[from], NAMES[to]) }
                };
                format!("{},{}", piece(0, day - 2), piece(day, 6))
            }
            None => "Mo-Su".to_owned(),
        }
    }
}

fn close(open: Option<(std::ops::Range<usize>, Vec<String>)>, found: &mut Found<'_>) {
    if let Some((span, groups)) = open {
        let text = &found.line[span.clone()];
        let span = span.start..span.start + text.trim_end().len();
        found.add(span, Kind::Hours, groups.join("; "));
    }
}

/// Whether both ends have minutes, as in `10.00-18.00`.
fn is_exact(times: &str) -> bool {
    times.matches(['.', ':']).count() >= 2
}

/// Whether an hour such as "6.30" rather is one of the evening; "06.30" is not.
fn begins_late(captures: &Captures<'_>, from: u16) -> bool {
    (5 * 60..7 * 60).contains(&from) && captures.name("h").is_some_and(|hour| !hour.as_str().starts_with('0'))
}

fn half(captures: &Captures<'_>) -> Option<bool> {
    let half = captures.name("half")?.as_str().to_lowercase();
    match half.chars().next() {
        Some('a') => Some(false),
        Some('p') => Some(true),
        _ => None,
    }
}

fn minutes(captures: &Captures<'_>, half: Option<bool>) -> Option<u16> {
    if let Some(word) = captures.name("word") {
        return Some(if word.as_str().to_lowercase() == "midnight" { 24 * 60 } else { 12 * 60 });
    }
    let number = |name: &str| captures.name(name).and_then(|group| group.as_str().parse::<u16>().ok());
    let hour = number("h")?;
    let hour = match half {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour,
    };
    let minute = number("m").unwrap_or(0);
    (hour <= 24 && minute < 60).then_some(hour * 60 + minute)
}

/// "Fr" is no Friday in "Früh".
fn is_whole(text: &str, found: &Match<'_>) -> bool {
    !text[found.end()..].starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{check, check_english};

    #[test]
    fn opening_hours() {
        check("Mo-Fr 9.00 - 18.00 Uhr, Sa 10-14 Uhr", Kind::Hours, &["Mo-Fr 09:00-18:00; Sa 10:00-14:00"]);
        check("täglich von 11 bis 22 Uhr", Kind::Hours, &["Mo-Su 11:00-22:00"]);
        check("Dienstag bis Sonntag 10.00 bis 17.00 Uhr", Kind::Hours, &["Tu-Su 10:00-17:00"]);
        check(
            "Montag bis Freitag: 11.30 - 14.00 und 17.30 - 22.00 Uhr",
            Kind::Hours,
            &["Mo-Fr 11:30-14:00,17:30-22:00"],
        );
        check("Frühstück 7-10 Uhr", Kind::Hours, &["07:00-10:00"]);
        check("2-4 Personen", Kind::Hours, &[]);
        check_english("Open daily 10am - 5pm", Kind::Hours, &["Mo-Su 10:00-17:00"]);
        check_english("Tuesday to Sunday, 11am to 4.30pm", Kind::Hours, &["Tu-Su 11:00-16:30"]);
        check_english("10am-5pm daily except Mondays", Kind::Hours, &["Tu-Su 10:00-17:00"]);
    }

    #[test]
    fn days_of_rest() {
        check("Montag Ruhetag", Kind::Closed, &["Mo"]);
        check("Montags und dienstags ist das Museum geschlossen", Kind::Closed, &["Mo,Tu"]);
        check_english("closed all day on Mondays", Kind::Closed, &["Mo"]);
        check("Ruhetag: Montag und Dienstag", Kind::Closed, &["Mo,Tu"]);
        check_english("closed on Mondays", Kind::Closed, &["Mo"]);
    }
}
