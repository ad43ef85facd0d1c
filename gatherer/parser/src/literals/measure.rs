//! Lengths, areas, durations, stars.

use super::number::{parse, plain};
use super::{Found, Kind, Setting, alternatives, compiled};
use crate::language::{Languages, Tongue};
use regex::Regex;
use std::collections::{BTreeMap, HashMap};

#[derive(Debug)]
pub(super) struct Measure {
    length: Regex,
    duration: Regex,
    half: Regex,
    and_half: Regex,
    whole: Regex,
    stars: Regex,
    units: HashMap<String, (Kind, String)>,
    words: HashMap<String, u32>,
}

impl Measure {
    pub(super) fn new(
        lengths: &BTreeMap<String, String>,
        areas: &BTreeMap<String, String>,
        languages: &Languages,
    ) -> Self {
        let mut units = HashMap::new();
        for (kind, table) in [(Kind::Length, lengths), (Kind::Area, areas)] {
            for (unit, forms) in table {
                units.extend(
                    forms.split_whitespace().map(|form| (form.replace('_', " ").to_lowercase(), (kind, unit.clone()))),
                );
            }
        }
        let mut words = HashMap::new();
        for tongue in Tongue::ALL {
            words.extend(languages.of(tongue).numbers.iter().map(|(word, number)| (word.clone(), *number)));
        }
        words.extend([("a".to_owned(), 1), ("an".to_owned(), 1)]);
        let fraction = r"(?:\d+\s?)?[½¼¾]|(?:\d+\s)?[13]/[24]";
        let number =
            format!(r"(?:{fraction}|\d+(?:[.,]\d+)*|\b(?:{})\b)", alternatives(words.keys().map(String::as_str)));
        let range = format!(r"(?P<low>{number})(?:\s?(?:-|–|bis|to|oder|or)\s?(?P<high>{number}))?");
        let unit = alternatives(units.keys().map(String::as_str));
        Self {
            length: compiled(&format!(r"(?i){range}[\s-]?(?P<unit>{unit})(?:\b|\s|$|[,.;)])")),
            duration: compiled(&format!(
                r"(?i){range}[\s-]?(?P<unit>(?:geh|auto|fahr|fuß|fuss|flug|bus|bahn)?(?:minute[ns]?|stunden?)\b|min\b|minütig\w*|mins\b|hours?\b|std\b|hrs?\b|tagen?\b|tage\b|days?\b|nächten?\b|nacht\b|nights?\b|wochen?\b|weeks?\b|monaten?\b|months?\b|stündig\w*|tägig\w*)"
            )),
            whole: compiled(&format!(
                r"(?i)(?P<hours>{number})\s?(?:hours?|hrs?|h|stunden?|std\.?)\s?(?:,\s?|and\s|und\s)?(?P<minutes>{number})\s?(?:minutes?|minuten|mins?)\b"
            )),
            half: compiled(
                r"(?i)\b(?:(?P<hour>half an hour|halbe stunde|halben stunde|halbstündig\w*)|(?P<fifteen>(?:a )?quarter of an hour|viertelstunde)|(?P<fortyfive>three[ -]quarters of an hour|dreiviertelstunde)|(?P<quarter>(?:a )?quarter of a mile)|(?P<three>three[ -]quarters of a mile)|(?P<mile>half a mile|half-mile)|(?P<more>anderthalb) (?P<unit>stunden|kilometer|km|tage))\b",
            ),
            // "A mile and a half", "two and a half hours", "zweieinhalb Kilometer"
            and_half: compiled(&format!(
                r"(?i)(?:(?P<number>{number})(?:\s(?P<before>mile|hour|kilometre|kilometer)s? and a half|\sand a half\s(?P<behind>miles|hours|kilometres|kilometers|km))|\b(?P<joint>{})einhalb\s(?P<joined>stunden|kilometer|km|tage))\b",
                alternatives(words.keys().map(String::as_str))
            )),
            stars: compiled(
                r"(?i)(?P<number>\d(?:[.,]5)?|\b(?:ein|zwei|drei|vier|fünf|one|two|three|four|five))[\s-]?(?:sternen?|stern|stars?)\b|(?P<signs>\*{2,5}|★{1,5})",
            ),
            units,
            words,
        }
    }

    pub(super) fn find(&self, found: &mut Found<'_>, _: Setting<'_>) {
        self.halves(found);
        for captures in self.length.captures_iter(found.line) {
            let Some((kind, unit)) =
                captures.name("unit").and_then(|unit| self.units.get(&unit.as_str().to_lowercase()))
            else {
                continue;
            };
            let (Some(low), Some(end)) = (captures.name("low"), captures.name("unit")) else { continue };
            // "A m" is no length: words count only before whole units.
            let is_word = low.as_str().starts_with(char::is_alphabetic);
            if (is_word && end.len() < 3) || glued(found.line, low.start()) {
                continue;
            }
            if let Some(value) = self.range(&captures) {
                found.add(low.start()..end.end(), *kind, format!("{value} {unit}"));
            }
        }
        for captures in self.duration.captures_iter(found.line) {
            let (Some(low), Some(unit)) = (captures.name("low"), captures.name("unit")) else { continue };
            let is_word = !low.as_str().starts_with(|letter: char| letter.is_ascii_digit());
            let is_article = is_word
                && matches!(
                    low.as_str().to_lowercase().as_str(),
                    "a" | "an" | "ein" | "eine" | "einen" | "einer" | "einem" | "one" | "eines"
                );
            let name = unit.as_str().to_lowercase();
            // "a night" and "ein Tag" measure nothing.
            if is_article && !name.contains("stunde") && !name.contains("hour") && !name.contains("minüt")
                || glued(found.line, low.start())
            {
                continue;
            }
            let number = |name: &str| captures.name(name).and_then(|number| self.number(number.as_str()));
            let Some(low_value) = number("low") else { continue };
            let value = match number("high") {
                Some(high) => format!("{}-{}", duration(low_value, &name), duration(high, &name)),
                None => duration(low_value, &name),
            };
            found.add(low.start()..unit.end(), Kind::Duration, value);
        }
    }

    fn halves(&self, found: &mut Found<'_>) {
        for captures in self.whole.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            // Numbers are counted in hundredths.
            let number = |name: &str| {
                self.number(&captures[name]).filter(|number| number.is_multiple_of(100)).map(|number| number / 100)
            };
            if let (Some(hours), Some(minutes)) = (number("hours"), number("minutes")) {
                found.add(whole.range(), Kind::Duration, format!("PT{hours}H{minutes}M"));
            }
        }
        for captures in self.and_half.captures_iter(found.line) {
            let unit = ["before", "behind", "joined"].into_iter().find_map(|name| captures.name(name));
            let (Some(whole), Some(unit)) = (captures.get(0), unit) else { continue };
            let number =
                captures.name("number").or(captures.name("joint")).map(|number| number.as_str().to_lowercase());
            let Some(number) = number.and_then(|number| self.number(&number)).and_then(|number| number.checked_add(50))
            else {
                continue;
            };
            let (kind, value) = match &unit.as_str().to_lowercase()[..2] {
                "mi" => (Kind::Length, format!("{} mi", plain(number))),
                "ki" | "km" => (Kind::Length, format!("{} km", plain(number))),
                _ => (Kind::Duration, duration(number, &unit.as_str().to_lowercase())),
            };
            found.add(whole.range(), kind, value);
        }
        for captures in self.half.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            let unit = captures.name("unit").map(|unit| unit.as_str().to_lowercase());
            let (kind, value) = match unit.as_deref() {
                Some("stunden") => (Kind::Duration, "PT1H30M"),
                Some("kilometer" | "km") => (Kind::Length, "1.5 km"),
                Some(_) => (Kind::Duration, "P1DT12H"),
                None if captures.name("hour").is_some() => (Kind::Duration, "PT30M"),
                None if captures.name("fifteen").is_some() => (Kind::Duration, "PT15M"),
                None if captures.name("fortyfive").is_some() => (Kind::Duration, "PT45M"),
                None if captures.name("quarter").is_some() => (Kind::Length, "0.25 mi"),
                None if captures.name("three").is_some() => (Kind::Length, "0.75 mi"),
                None => (Kind::Length, "0.5 mi"),
            };
            found.add(whole.range(), kind, value);
        }
    }

    pub(super) fn stars(&self, found: &mut Found<'_>) {
        for captures in self.stars.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            let value = match (captures.name("number"), captures.name("signs")) {
                (Some(number), _) => self.number(&number.as_str().to_lowercase()).map(plain),
                (_, Some(signs)) => Some(signs.as_str().chars().count().to_string()),
                _ => None,
            };
            if let Some(value) = value.filter(|value| !glued(found.line, whole.start()) && value.as_str() < "6") {
                found.add(whole.range(), Kind::Stars, value);
            }
        }
    }

    fn range(&self, captures: &regex::Captures<'_>) -> Option<String> {
        let number = |name: &str| captures.name(name).and_then(|number| self.number(number.as_str()));
        let low = number("low")?;
        Some(match number("high") {
            Some(high) => format!("{}-{}", plain(low), plain(high)),
            None => plain(low),
        })
    }

    fn number(&self, text: &str) -> Option<u64> {
        match self.words.get(&text.to_lowercase()) {
            Some(number) => Some(u64::from(*number) * 100),
            None => fraction(text).or_else(|| parse(text)),
        }
    }
}

/// "½", "1¼", "3/4", "1 1/2", in hundredths.
fn fraction(text: &str) -> Option<u64> {
    const PARTS: [(&str, u64); 6] = [("½", 50), ("¼", 25), ("¾", 75), ("1/2", 50), ("1/4", 25), ("3/4", 75)];
    let (whole, part) = PARTS.iter().find_map(|(sign, part)| Some((text.strip_suffix(sign)?.trim(), *part)))?;
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    Some(whole * 100 + part)
}

/// Whether a number goes on to the left.
fn glued(line: &str, start: usize) -> bool {
    line[..start].ends_with(|letter: char| letter.is_alphanumeric() || letter == '+')
}

/// ISO 8601, of hundredths of a unit.
fn duration(hundredths: u64, unit: &str) -> String {
    let whole = hundredths / 100;
    let is_half = hundredths % 100 == 50;
    if unit.contains("min") {
        return match whole {
            90 => "PT1H30M".to_owned(),
            60 => "PT1H".to_owned(),
            _ => format!("PT{whole}M"),
        };
    }
    if unit.contains("stund") || unit.contains("stünd") || unit.starts_with('h') || unit.starts_with("std") {
        return match (whole, is_half) {
            (0, true) => "PT30M".to_owned(),
            (_, true) => format!("PT{whole}H30M"),
            _ => format!("PT{whole}H"),
        };
    }
    match unit.chars().next() {
        Some('t' | 'd') if is_half => format!("P{whole}DT12H"),
        Some('w') => format!("P{whole}W"),
        Some('m') => format!("P{whole}M"),
        _ => format!("P{whole}D"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::check;

    #[test]
    fn lengths_and_areas() {
        check("a mile and a half away, two and a half miles", Kind::Length, &["1.5 mi", "2.5 mi"]);
        check("eineinhalb Kilometer, dreieinhalb Kilometer", Kind::Length, &["1.5 km", "3.5 km"]);
        check("5 km vom Strand, 300 m zum See", Kind::Length, &["5 km", "300 m"]);
        check("1,5 km", Kind::Length, &["1.5 km"]);
        check("half a mile from the sea, two miles away", Kind::Length, &["0.5 mi", "2 mi"]);
        check("200 yards", Kind::Length, &["200 yd"]);
        check("65 qm Wohnung, 40 m²", Kind::Area, &["65 m2", "40 m2"]);
        check("um 5 Uhr mit", Kind::Length, &[]);
    }

    #[test]
    fn durations() {
        check("5 Gehminuten", Kind::Duration, &["PT5M"]);
        check("a ten-minute walk", Kind::Duration, &["PT10M"]);
        check("5 bis 10 Minuten", Kind::Duration, &["PT5M-PT10M"]);
        check("1,5 Stunden", Kind::Duration, &["PT1H30M"]);
        check("an hour and a half", Kind::Duration, &["PT1H30M"]);
        check("zweieinhalb Stunden", Kind::Duration, &["PT2H30M"]);
        check("mindestens 3 Nächte", Kind::Duration, &["P3D"]);
        check("pro Nacht", Kind::Duration, &[]);
    }

    #[test]
    fn stars() {
        check("4-Sterne-Hotel", Kind::Stars, &["4"]);
        check("Hotel Anker ***", Kind::Stars, &["3"]);
        check("a three star hotel", Kind::Stars, &["3"]);
    }
}
