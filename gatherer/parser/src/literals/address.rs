//! Streets, postcodes and the towns beside them, in the German and the British form.

use super::{Found, Kind, Setting, alternatives, compiled};
use crate::language::Tongue;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// How streets are called.
/// A postcode of the United Kingdom.
pub(super) const BRITISH: &str = r"[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}";
/// A postcode of Canada.
pub(super) const CANADIAN: &str = r"[ABCEGHJ-NPR-TVXY]\d[A-Z]\s\d[A-Z]\d";
/// The states of Australia, as they stand before a postcode.
pub(super) const AUSTRALIAN: &str = "NSW|VIC|QLD|SA|WA|TAS|NT|ACT|N\\.S\\.W\\.|Vic|Qld|Tas|Victoria|Queensland|Tasmania|New South Wales|South Australia|Western Australia|Northern Territory";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Streets {
    /// German, as the ends of words.
    german: String,
    /// English, as last words.
    roads: String,
    /// English, as ends of single words with a number: "22 Eastgate".
    road_ends: String,
    /// Of other tongues, as first words: "Ffordd y Môr".
    road_heads: String,
}

#[derive(Debug)]
pub(super) struct Address {
    german: Regex,
    american: Regex,
    british: Regex,
    australian: Regex,
    canadian: Regex,
    southern: Regex,
    street: Regex,
    road: Regex,
    number_last: Regex,
    box_number: Regex,
}

impl Address {
    pub(super) fn new(states: &BTreeMap<String, String>, streets: &Streets) -> Self {
        let words = |text: &str| alternatives(text.split_whitespace());
        let (roads, ends) = (words(&streets.roads), words(&streets.road_ends));
        let heads = words(&streets.road_heads);
        // A street is a word of its own or the end of one: "Alte Allee", "Lindenallee".
        let both = |word: &str| {
            let mut letters = word.chars();
            let first = letters.next().map_or(String::new(), |first| first.to_uppercase().collect());
            [word.to_owned(), format!("{first}{}", letters.as_str())]
        };
        let streets: Vec<_> = streets.german.split_whitespace().flat_map(both).collect();
        let streets = alternatives(streets.iter().map(String::as_str));
        let state = alternatives(states.keys().chain(states.values()).map(String::as_str));
        let town = r"(?:Bad|Sankt|St\.|Groß|Klein|Alt|Neu|Markt|Ostseebad|Seebad|Hansestadt|Kurort|Nordseebad|Ostseeheilbad)?\s?\p{Lu}[\p{L}-]+(?:\s(?:am|an\sder|an\sden|im|in\sder|ob\sder|bei|unter|auf|vor\sder|vorm|a\.\s?d\.)\s\p{Lu}[\p{L}.-]+)?";
        Self {
            german: compiled(&format!(
                r"\b(?:(?:D|DE|A|AT|CH|F|I)\s?[-–]\s?)?(?P<code>\d{{5}}|\d{{4}})\s(?P<town>{town})(?:\s?(?:/|[-–]\s|\(|,?\s?OT\s|,?\sOrtsteil\s)\s?(?:OT\s|Ortsteil\s)?(?P<part>\p{{Lu}}[\p{{L}}-]+)\)?)?"
            )),
            american: compiled(&format!(r"\b(?P<state>{state})\s(?P<code>\d{{5}}(?:-\d{{4}})?)\b")),
            australian: compiled(&format!(r"\b(?P<state>{AUSTRALIAN})\.?,?\s(?P<code>\d{{4}})\b")),
            southern: compiled(
                r"(?:^|[,;:·|•]\s|\s[-–]\s)(?P<town>\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+){0,2}),?\s(?P<code>\d{4})(?:$|[.,;|·•]|\s[^\d-])",
            ),
            canadian: compiled(&format!(
                r"(?:\b(?P<state>AB|BC|MB|NB|NL|NF|NS|NT|NU|ON|PE|PEI|QC|SK|YT|Alberta|British\sColumbia|Manitoba|New\sBrunswick|Newfoundland|Nova\sScotia|Ontario|Prince\sEdward\sIsland|Qu[eé]bec|Saskatchewan|Yukon),?\s{{1,2}})?\b(?P<code>{CANADIAN})\b"
            )),
            british: compiled(&format!(r"\b(?P<code>{BRITISH})\b")),
            street: compiled(&format!(
                r"(?:\b(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Alte[rn]?|Neue[rn]?|Große|Kleine|Lange|Obere|Untere|Hohe|St\.)\s)?(?:(?:der|den|dem|des)\s)?(?:\p{{Lu}}[\p{{L}}.-]*[\s-])?\p{{Lu}}?[\p{{L}}-]*(?:{streets})\s(?P<number>\d{{1,4}}(?:\s?[a-hA-H]\b)?(?:\s?[-–/]\s?\d{{1,4}}(?:\s?[a-h]\b)?)?)"
            )),
            road: compiled(&format!(
                r"\b\d{{1,5}}[A-Za-z]?,?\s(?:(?:[NSEW]\.?|North|South|East|West|Old|State|US|U\.S\.|County|Forest|Rural)\s){{0,2}}(?:Highway|Hwy\.?|Route|Rte\.?|Rt\.?|Road|Rd\.?)\s\#?\d{{1,4}}[A-Za-z]?\b(?:\s(?:North|South|East|West|[NSEW])\b)?|(?:(?:\b(?:Unit|Flat|Suite|Apartment|Shop)\s)?\b\d{{1,5}}[A-Za-z]?(?:\s?[-–]\s?\d{{1,4}})?,?\s)?(?:The\s)?(?:\p{{Lu}}[\p{{L}}'’.-]+\s){{0,3}}(?:\p{{Lu}}[\p{{L}}'’.-]+\s)?(?:{roads})\b\.?|\b\d{{1,4}}[A-Za-z]?\s\p{{Lu}}\p{{L}}*(?:{ends})\b|(?:\b\d{{1,4}}[A-Za-z]?,?\s)?\b(?:{heads})\s(?:(?:y|yr|de|la|du|des|di|del|della)\s){{0,2}}\p{{Lu}}[\p{{L}}'’-]+"
            )),
            number_last: compiled(
                r"^(?P<street>\p{Lu}[\p{L}.'\s-]{2,40}?\s(?P<number>\d{1,4}\s?[a-hA-H]?(?:\s?[-–/]\s?\d{1,4})?))$",
            ),
            box_number: compiled(r"(?i)\b(?:postfach|p\.?\s?o\.?\s?box)\s?:?\s?(?P<box>\d[\d ]{1,8}\d)"),
        }
    }

    /// Postcodes, the towns behind them, and the streets before them.
    pub(super) fn find(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        if let Some(captures) = self.box_number.captures(found.line)
            && let Some(number) = captures.name("box")
        {
            found.add(number.range(), Kind::PostBox, number.as_str());
        }
        if setting.country == "us" {
            for captures in self.american.captures_iter(found.line) {
                let (Some(state), Some(code)) = (captures.name("state"), captures.name("code")) else { continue };
                found.add(code.range(), Kind::Postcode, code.as_str());
                found.add(state.range(), Kind::County, state.as_str());
            }
            self.streets(found, setting);
            return;
        }
        let mut code_start = None;
        for captures in self.german.captures_iter(found.line) {
            let (Some(code), Some(town)) = (captures.name("code"), captures.name("town")) else { continue };
            let is_short = code.len() == 4;
            let whole = captures.get(0).map_or("", |whole| whole.as_str());
            let has_mark = whole.starts_with(|letter: char| letter.is_uppercase());
            // "© 2018 Haus Linde" is a year.
            let is_year = matches!(code.as_str().as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
            let is_year = is_year && found.line[..code.start()].trim_end().ends_with('©');
            if is_short && !has_mark && (is_year || !matches!(setting.country, "at" | "ch")) {
                continue;
            }
            if !found.is_free(&code.range()) || !found.is_free(&town.range()) {
                continue;
            }
            found.add(code.range(), Kind::Postcode, code.as_str());
            found.add(town.range(), Kind::Town, town.as_str());
            if let Some(part) = captures.name("part") {
                found.add(part.range(), Kind::District, part.as_str());
            }
            code_start.get_or_insert(captures.get(0).map_or(code.start(), |whole| whole.start()));
        }
        self.overseas(found, setting);
        for code in self.british.find_iter(found.line) {
            found.add(code.range(), Kind::Postcode, code.as_str());
        }
        self.streets(found, setting);
        // The part before a postcode is a street if it ends with a number.
        if let Some(end) = code_start {
            let before = found.line[..end].trim_end_matches([' ', ',', '|', '·', '•', '-', '–', ';']);
            let start = before
                .rfind([',', '|', '·', '•', ':', ';', '('])
                .map_or(0, |place| place + before[place..].chars().next().map_or(1, char::len_utf8));
            let piece = &before[start..];
            let span = start + (piece.len() - piece.trim_start().len())..before.len();
            if span.start < span.end && self.street_line(&found.line[span.clone()]).is_some() {
                let street = &found.line[span.clone()];
                found.add(span, Kind::Street, street);
            }
        }
    }

    /// Postcodes of Australia and Canada, with the states before them.
    fn overseas(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let pattern = match setting.country {
            "au" => &self.australian,
            "ca" => &self.canadian,
            _ => return self.southern(found, setting),
        };
        for captures in pattern.captures_iter(found.line) {
            let Some(code) = captures.name("code") else { continue };
            found.add(code.range(), Kind::Postcode, code.as_str());
            if let Some(state) = captures.name("state") {
                found.add(state.range(), Kind::County, state.as_str());
            }
        }
        self.southern(found, setting);
    }

    /// "31 Main Road, Franklin 7113", "Karamea 7893" alone in a line: postcodes of Australia, New Zealand and South Africa.
    fn southern(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        if !matches!(setting.country, "au" | "nz" | "za") {
            return;
        }
        for captures in self.southern.captures_iter(found.line) {
            let (Some(town), Some(code)) = (captures.name("town"), captures.name("code")) else { continue };
            let before = &found.line[..town.start()];
            let has_street =
                self.road.find_iter(before).any(|road| road.as_str().contains(|one: char| one.is_ascii_digit()));
            let has_box = self.box_number.is_match(before);
            // "Summer 1998" is no town.
            let is_year = matches!(code.as_str().as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
            let is_alone = !is_year && found.line.trim_end_matches([' ', '.']).len() == code.end();
            if (has_street || has_box || is_alone) && found.is_free(&code.range()) {
                found.add(code.range(), Kind::Postcode, code.as_str());
            }
        }
    }

    pub(super) fn streets(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let pattern = match setting.tongue {
            Tongue::German => &self.street,
            Tongue::English => &self.road,
        };
        let has_code = found.all.iter().any(|literal| literal.kind == Kind::Postcode);
        for street in pattern.find_iter(found.line) {
            let text = street.as_str();
            let has_number = text.bytes().any(|byte| byte.is_ascii_digit());
            // A British street without a number must stand alone between commas, beside a postcode or in a line of its own.
            let stands_alone = {
                let before = found.line[..street.start()].trim_end();
                let after = found.line[street.end()..].trim_start();
                let is_border = |sign: char| matches!(sign, ',' | '·' | '|' | '•' | ':');
                (before.is_empty() || before.ends_with(is_border)) && (after.starts_with(is_border) || after.is_empty())
            };
            let has_phone = found.all.iter().any(|literal| literal.kind == Kind::Phone);
            let is_line = setting.tongue == Tongue::English
                && found.line.split_whitespace().count() <= 4
                && found.line.trim_end().len() == street.as_str().trim_end().len();
            // "der Innenhof 50"
            if text.starts_with(char::is_lowercase) {
                continue;
            }
            if has_number || ((has_code || has_phone || is_line) && stands_alone) {
                found.add(street.range(), Kind::Street, text);
            }
        }
    }

    /// Whether a whole line is a street with its number.
    pub(super) fn street_line(&self, text: &str) -> Option<Range<usize>> {
        self.number_last.find(text).map(|found| found.range())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{check, check_english};

    #[test]
    fn german_addresses() {
        let line = "Warnemünder Chaussee 40, 18069 Rostock/Sievershagen";
        check(line, Kind::Street, &["Warnemünder Chaussee 40"]);
        check(line, Kind::Postcode, &["18069"]);
        check(line, Kind::Town, &["Rostock"]);
        check(line, Kind::District, &["Sievershagen"]);
        check("Am Markt 5, D-17192 Waren an der Müritz", Kind::Street, &["Am Markt 5"]);
        check("Zum Hafen 3a, 18225 Kühlungsborn", Kind::Street, &["Zum Hafen 3a"]);
        check("Strandweg 7", Kind::Street, &["Strandweg 7"]);
    }

    #[test]
    fn british_addresses() {
        let line = "12 Cliff Street, Whitby, North Yorkshire YO21 3PR";
        check_english(line, Kind::Street, &["12 Cliff Street"]);
        check_english(line, Kind::Postcode, &["YO21 3PR"]);
    }
}
