//! Days, parts of the year, times of the day, years.

use super::{Found, Kind, Setting, alternatives, compiled};
use crate::language::{Languages, Tongue};
use regex::Regex;
use std::collections::HashMap;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Times {
    item: Regex,
    join: Regex,
    day_before: Regex,
    clock: Regex,
    clock_before: Regex,
    year: Regex,
    months: HashMap<String, u8>,
}

/// A date of which parts may be missing.
#[derive(Debug, Clone)]
struct Item {
    span: Range<usize>,
    day: Option<u8>,
    month: u8,
    year: Option<u16>,
}

/// An hour, and what joins it to the next, take so many bytes at most.
const NEAR: usize = 16;

impl Times {
    pub(super) fn new(languages: &Languages) -> Self {
        let mut months = HashMap::new();
        for tongue in Tongue::ALL {
            months.extend(languages.of(tongue).months.clone());
        }
        let month = alternatives(months.keys().map(String::as_str));
        let item = format!(
            r"(?ix) \b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b
            | \b(?P<nd>\d{{1,2}})\.\s?(?P<nm>\d{{1,2}})\.\s?(?P<ny>\d{{4}}\b|\d{{2}}\b)?
            | \b(?P<sd>\d{{1,2}})/(?P<sm>\d{{1,2}})/(?P<sy>\d{{4}})\b
            | \b(?P<dd>\d{{1,2}})(?:\.|st|nd|rd|th)?\s?(?:of\s)?(?P<dm>{month})\b\.?,?(?:\s(?P<dy>\d{{4}})\b)?
            | \b(?P<um>{month})\b\.?\s(?P<ud>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<uy>\d{{4}})\b)?
            | \b(?P<mm>{month})\b(?:\s(?P<my>\d{{4}})\b)?"
        );
        Self {
            item: compiled(&item),
            join: compiled(
                r"(?i)^\s*,?\s*(?:-|–|—|bis(?:\s(?:zum|einschließlich|ende|mitte|anfang))?|to|until|till|through|and\send\sof)\s*(?:the\s|(?:early|mid|late)[\s-]|end\sof\s|(?:mo|di|mi|do|fr|sa|so)\w*,?\.?\s(?:den\s)?|(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s)?$",
            ),
            day_before: compiled(
                r"(?i)\b(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?\s?(?:-|–|—|bis(?:\szum)?|to|until|und|and|/)\s*(?:(?:mo|di|mi|do|fr|sa|so)\w*,?\.?\s(?:den\s)?|(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s)?$",
            ),
            clock: compiled(
                r"(?i)\b(?P<h>\d{1,2})(?:[:.](?P<m>\d{2}))?\s?(?:(?P<uhr>uhr)\b(?:\s(?P<after>\d{2})\b)?|(?P<am>a\.?m)\b\.?|(?P<pm>p\.?m)\b\.?|h\b)|\b(?P<h2>\d{1,2}):(?P<m2>\d{2})\b|\b(?:by|at|until|from|before|ab|um|bis|out)\s(?P<h3>\d{1,2})\.(?P<m3>\d{2})(?:\s?(?P<half3>[ap])\.?m)?\b|\b(?P<noon>noon|midday|midnight|mitternacht)\b",
            ),
            clock_before: compiled(r"(?i)(?P<h>\d{1,2})(?:[:.](?P<m>\d{2}))?(?:\s?,|\s(?:und|oder|&|/))\s$"),
            year: compiled(r"\b(?:1[0-9]|20)\d{2}\b"),
            months,
        }
    }

    pub(super) fn dates(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let items = self.items(found.line, setting);
        let mut place = 0;
        while place < items.len() {
            let item = &items[place];
            place += 1;
            if !found.is_free(&item.span) {
                continue;
            }
            if let Some(next) = items.get(place)
                && self.join.is_match(&found.line[item.span.end..next.span.start])
            {
                let mut first = item.clone();
                let goes_back = (next.month, next.day) < (first.month, first.day);
                first.year =
                    first.year.or(next.year.map(|year| year - u16::from(goes_back && first.month > next.month)));
                found.add(
                    item.span.start..next.span.end,
                    Kind::Period,
                    format!("{}/{}", written(&first), written(next)),
                );
                place += 1;
                continue;
            }
            let before = &found.line[..item.span.start];
            if let (Some(captures), Some(_)) = (self.day_before.captures(before), item.day)
                && let Some(day) = captures.name("day")
                && let Ok(number @ 1..=31) = day.as_str().parse::<u8>()
            {
                let first = Item { day: Some(number), ..item.clone() };
                let is_pair =
                    Some(number + 1) == item.day && captures[0].contains(['u', 'a', '/']) && !captures[0].contains('b');
                let span = day.start()..item.span.end;
                if is_pair || Some(number) < item.day {
                    found.add(span, Kind::Period, format!("{}/{}", written(&first), written(item)));
                    continue;
                }
            }
            let word = before.trim_end().rsplit([' ', '\u{a0}', '(', ',']).next().unwrap_or_default().to_lowercase();
            // "noch bis zum 12. Januar 2025", "until 28 September"
            let word = if before.to_lowercase().trim_end().ends_with("noch bis zum") { "bis".to_owned() } else { word };
            let is_until = matches!(word.as_str(), "until" | "till" | "through") && setting.tongue == Tongue::English;
            if item.day.is_some()
                && (item.year.is_some() && matches!(word.as_str(), "bis" | "until" | "till") || is_until)
            {
                found.add(item.span.clone(), Kind::Period, format!("../{}", written(item)));
            } else if item.day.is_some() {
                found.add(item.span.clone(), Kind::Date, written(item));
            }
        }
    }

    fn items(&self, line: &str, setting: Setting<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        for captures in self.item.captures_iter(line) {
            let Some(whole) = captures.get(0) else { continue };
            let text = |name: &str| captures.name(name).map(|group| group.as_str());
            let number = |name: &str| text(name).and_then(|digits| digits.parse::<u8>().ok());
            let month_named = |name: &str| text(name).and_then(|word| self.months.get(&word.to_lowercase()).copied());
            let year = |name: &str| text(name).and_then(full_year);
            let parts = if let Some(iso) = text("iso") {
                (iso[8..].parse().ok(), iso[5..7].parse().ok(), full_year(&iso[..4]))
            } else if captures.name("nd").is_some() {
                (number("nd"), number("nm"), year("ny"))
            } else if captures.name("sd").is_some() && setting.tongue == Tongue::English {
                (number("sd"), number("sm"), year("sy"))
            } else if captures.name("dd").is_some() {
                (number("dd"), month_named("dm"), year("dy"))
            } else if captures.name("ud").is_some() {
                (number("ud"), month_named("um"), year("uy"))
            } else {
                (None, month_named("mm"), year("my"))
            };
            // "you may 3 times": months have capitals.
            let is_named = ["dm", "um", "mm"].into_iter().find_map(text);
            if is_named.is_some_and(|name| !name.starts_with(char::is_uppercase)) {
                continue;
            }
            let (day, Some(month @ 1..=12), year) = parts else { continue };
            if day.is_some_and(|day: u8| !(1..=31).contains(&day)) || line[..whole.start()].ends_with(['.', ',']) {
                continue;
            }
            let text = whole.as_str().trim_end_matches([' ', ',']);
            items.push(Item { span: whole.start()..whole.start() + text.len(), day, month, year });
        }
        items
    }

    pub(super) fn clock(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        for captures in self.clock.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            if let Some(value) = clock(&captures) {
                // "1:00 Spinning": nobody means the night.
                let is_short = captures.name("h2").is_some_and(|hour| !hour.as_str().starts_with('0'));
                let is_bare = is_short && setting.tongue == Tongue::English;
                let value = if is_bare { in_the_afternoon(value) } else { value };
                // The word before it is no part of it where the half of the day is said.
                let start = captures.name("half3").and(captures.name("h3")).map_or(whole.start(), |hour| hour.start());
                found.add(start..whole.end(), Kind::Time, value);
            }
            if captures.name("uhr").is_some() {
                self.clocks_before(found, whole.start());
            }
        }
    }

    /// "um 11, 14 und 16 Uhr"
    fn clocks_before(&self, found: &mut Found<'_>, mut end: usize) {
        loop {
            // Only what stands right before is looked at: a line may have thousands.
            let start = (end.saturating_sub(NEAR)..=end).find(|at| found.line.is_char_boundary(*at)).unwrap_or(end);
            let Some(captures) = self.clock_before.captures(&found.line[start..end]) else { return };
            let (Some(hour), Some(whole)) = (captures.name("h"), captures.get(0)) else { return };
            let at = start + hour.start();
            let is_cut = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ':');
            let Some(value) = clock(&captures).filter(|_| !found.line[..at].ends_with(is_cut)) else { return };
            found.add(at..start + whole.end(), Kind::Time, value);
            end = at;
        }
    }

    pub(super) fn years(&self, found: &mut Found<'_>, _: Setting<'_>) {
        for year in self.year.find_iter(found.line) {
            let around = [found.line[..year.start()].chars().next_back(), found.line[year.end()..].chars().next()];
            if around.into_iter().flatten().all(|letter| !matches!(letter, '/' | '-' | ':' | '€' | '£')) {
                found.add(year.range(), Kind::Year, year.as_str());
            }
        }
    }
}

/// `HH:MM` of what the pattern of clock times has found.
fn clock(captures: &regex::Captures<'_>) -> Option<String> {
    let number = |name: &str| captures.name(name).and_then(|group| group.as_str().parse::<u8>().ok());
    if let Some(noon) = captures.name("noon") {
        let is_day = noon.as_str().to_lowercase() != "midnight" && noon.as_str().to_lowercase() != "mitternacht";
        return Some(if is_day { "12:00" } else { "00:00" }.to_owned());
    }
    let hour = number("h").or(number("h2")).or(number("h3"))?;
    let minute = number("m").or(number("m2")).or(number("m3")).or(number("after")).unwrap_or(0);
    let half = |letter: &str| captures.name("half3").filter(|half| half.as_str().eq_ignore_ascii_case(letter));
    let hour = match (captures.name("am").or(half("a")), captures.name("pm").or(half("p"))) {
        (Some(_), _) if hour == 12 => 0,
        (_, Some(_)) if hour < 12 => hour + 12,
        // "It starts at 1.30": nobody means the night.
        (None, None) if (1..7).contains(&hour) && is_said_in_english(captures) => hour + 12,
        _ => hour,
    };
    (hour <= 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

/// An hour before eight that nobody says which half of the day of.
fn in_the_afternoon(value: String) -> String {
    match value.split_once(':').and_then(|(hour, minutes)| Some((hour.parse::<u8>().ok()?, minutes))) {
        Some((hour @ 1..=7, minutes)) => format!("{}:{minutes}", hour + 12),
        _ => value,
    }
}

/// Whether an English word leads to a time without "am" and "pm".
fn is_said_in_english(captures: &regex::Captures<'_>) -> bool {
    let lead = captures[0].split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(lead.as_str(), "by" | "at" | "until" | "from" | "before" | "out")
}

fn full_year(digits: &str) -> Option<u16> {
    let year = digits.parse::<u16>().ok()?;
    Some(match digits.len() {
        2 if year < 70 => 2000 + year,
        2 => 1900 + year,
        _ => year,
    })
}

fn written(item: &Item) -> String {
    let day = item.day.map(|day| format!("-{day:02}")).unwrap_or_default();
    match item.year {
        Some(year) => format!("{year}-{:02}{day}", item.month),
        None => format!("--{:02}{day}", item.month),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{check, check_english};

    #[test]
    fn dates() {
        check("am 12. Mai 1999", Kind::Date, &["1999-05-12"]);
        check("am 12.05.99 und 3.6.", Kind::Date, &["1999-05-12", "--06-03"]);
        check_english("Friday 11 July 2025", Kind::Date, &["2025-07-11"]);
        check_english("July 4th, 2025", Kind::Date, &["2025-07-04"]);
        check_english("you may 3 times", Kind::Date, &[]);
    }

    #[test]
    fn periods() {
        check("noch bis zum 31. Oktober 2010", Kind::Period, &["../2010-10-31"]);
        check("vom 11. bis 13. Juli 2025", Kind::Period, &["2025-07-11/2025-07-13"]);
        check("11.-13.07.2025", Kind::Period, &["2025-07-11/2025-07-13"]);
        check("1. April bis 31. Oktober", Kind::Period, &["--04-01/--10-31"]);
        check("von Mai bis September", Kind::Period, &["--05/--09"]);
        check_english("from 1 April to 31 October", Kind::Period, &["--04-01/--10-31"]);
        check_english("11-13 July 2025", Kind::Period, &["2025-07-11/2025-07-13"]);
        check("20.12.2025 - 06.01.2026", Kind::Period, &["2025-12-20/2026-01-06"]);
    }

    #[test]
    fn times_and_years() {
        check("Beginn 19.30 Uhr", Kind::Time, &["19:30"]);
        check("ab 15 Uhr", Kind::Time, &["15:00"]);
        check_english("at 7.30pm, doors 7pm", Kind::Time, &["19:30", "19:00"]);
        check("erbaut 1287", Kind::Year, &["1287"]);
    }
}
