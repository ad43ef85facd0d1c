//! Where a page is at home: by prefixes of telephones, its host, its money, and the words and postcodes of its addresses.

use super::address::{AUSTRALIAN, BRITISH, CANADIAN};
use super::{alternatives, compiled};
use crate::language::Tongue;
use regex::Regex;
use std::collections::BTreeMap;

/// What tells in which country a page is at home.
#[derive(Debug)]
pub(super) struct Home {
    /// Counties of the Republic of Ireland.
    irish: Regex,
    /// A postcode of the United Kingdom.
    british: Regex,
    /// A state with a postcode of the United States.
    american: Regex,
    /// By which words a page that asks for dollars is known to be at home there.
    dollars: Vec<(&'static str, Regex)>,
    /// The same for German pages with postcodes of four digits.
    german: Vec<(&'static str, Regex)>,
    /// Postcodes of five digits, of South Tyrol, and of four digits.
    long_code: Regex,
    /// Places in South Africa, and what is paid there.
    african: Regex,
    rands: Regex,
    tyrolean: Regex,
    short_code: Regex,
}

/// Top-level domains of countries whose numbers are known.
const COUNTRIES: &[(&str, &str)] =
    &[(".de", "de"), (".at", "at"), (".ch", "ch"), (".uk", "gb"), (".ie", "ie"), (".us", "us")];

/// Countries that only those claim who are there; many claim the United States without being asked.
const CLAIMED: &[&str] = &["au", "nz", "ca", "ie", "za"];

/// The country whose numbers need no prefix.
fn country(url: &str, tongue: Tongue, text: &str) -> &'static str {
    // A number with its prefix says where the page is at home.
    let prefixes = [
        ("+43", "at"),
        ("+41", "ch"),
        ("+353", "ie"),
        ("00353", "ie"),
        ("+61", "au"),
        ("+64", "nz"),
        ("+264", "na"),
        ("+27", "za"),
    ];
    if let Some((_, country)) = prefixes.iter().find(|(prefix, _)| text.contains(prefix)) {
        return country;
    }
    let host = url.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    let by_host = COUNTRIES.iter().find(|(domain, _)| host.ends_with(domain)).map(|(_, country)| *country);
    // Who asks for francs alone is not in Germany. "Fr." is a day and a lady, too.
    let has_any =
        |wanted: &[&str]| text.split(|letter: char| !letter.is_alphabetic()).any(|word| wanted.contains(&word));
    let is_german = text.contains('€') || has_any(&["EUR", "Euro", "DM"]);
    by_host.unwrap_or(match tongue {
        Tongue::German if !is_german && (has_any(&["CHF", "SFr"]) || has_francs(text)) => "ch",
        Tongue::German if !is_german && has_any(&["ATS", "öS", "ÖS"]) => "at",
        Tongue::German => "de",
        Tongue::English => "gb",
    })
}

/// "Fr. 85.--", "Fr. 120.–": nobody writes so of a day.
fn has_francs(text: &str) -> bool {
    text.split("Fr. ").skip(1).any(|rest| {
        let behind = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '\'');
        behind.len() < rest.len() && [".-", ".–", ".—"].iter().any(|sign| behind.starts_with(sign))
    })
}

impl Home {
    pub(super) fn new(
        irish: &str,
        african: &str,
        states: &BTreeMap<String, String>,
        dollars: &BTreeMap<String, String>,
        german: &BTreeMap<String, String>,
    ) -> Self {
        let irish = alternatives(irish.split_whitespace());
        let states = alternatives(states.keys().chain(states.values()).map(String::as_str));
        let african: Vec<_> = african.split_whitespace().map(|word| word.replace('_', " ")).collect();
        let by_words = |country: &'static str, words: &BTreeMap<String, String>, code: &str| {
            let words: Vec<_> = words.get(country)?.split_whitespace().map(|word| word.replace('_', " ")).collect();
            let words = alternatives(words.iter().map(String::as_str));
            Some((country, compiled(&format!(r"(?:^|\P{{L}})(?:{words})(?:\P{{L}}|$){code}"))))
        };
        let dollars = [
            ("au", format!(r"|\b(?:{AUSTRALIAN})\s\d{{4}}\b")),
            ("nz", String::new()),
            ("ca", format!(r"|\b{CANADIAN}\b")),
        ]
        .into_iter()
        .filter_map(|(country, code)| by_words(country, dollars, &code));
        let german = ["it", "ch", "at"].into_iter().filter_map(|country| by_words(country, german, ""));
        Self {
            irish: compiled(&format!(r"\b(?:Co\.?|County)\s(?:{irish})\b")),
            british: compiled(&format!(r"\b{BRITISH}\b")),
            american: compiled(&format!(r",?\s(?:{states})\s\d{{5}}(?:-\d{{4}})?\b")),
            dollars: dollars.collect(),
            german: german.collect(),
            african: compiled(&format!(r"\b(?:{})\b", alternatives(african.iter().map(String::as_str)))),
            rands: compiled(r"\bR\s?\d|\bZAR\b|\bRands?\b"),
            long_code: compiled(r"(?:^|[^\d/.-])\d{5}\s\p{Lu}\p{Ll}"),
            tyrolean: compiled(r"\b39\d{3}\s\p{Lu}"),
            short_code: compiled(r"(?:^|[^\d.:])[1-9]\d{3}\s\p{Lu}\p{Ll}"),
        }
    }

    /// The country whose numbers need no prefix; pages may claim one themselves: "en-NZ".
    pub(super) fn country(&self, url: &str, tongue: Tongue, claimed: Option<&str>, text: &str) -> &'static str {
        let known = country(url, tongue, text);
        let region = claimed.and_then(|claimed| claimed.split(['-', '_']).nth(1)).unwrap_or_default();
        let claimed = CLAIMED.iter().find(|country| region.eq_ignore_ascii_case(country));
        if let (Some(claimed), "gb", false) = (claimed, known, self.british.is_match(text)) {
            return claimed;
        }
        // "The ferry to Ireland" is Scottish.
        let is_irish = || text.contains("Ireland") && !self.british.is_match(text) || self.irish.is_match(text);
        if known == "gb" && is_irish() {
            return "ie";
        }
        if known == "gb" && self.american.is_match(text) {
            return "us";
        }
        // Years stand before nouns, too: only where nothing has five digits.
        if known == "de" {
            let is_short = self.short_code.is_match(text) && !self.long_code.is_match(text);
            let fits = |country: &str| if country == "it" { self.tyrolean.is_match(text) } else { is_short };
            let by_words = self.german.iter().find(|(country, words)| fits(country) && words.is_match(text));
            return by_words.map_or(known, |(country, _)| country);
        }
        let is_british = text.contains('£') || self.british.is_match(text);
        if known == "gb" && self.african.is_match(text) && (self.rands.is_match(text) || !is_british) {
            return "za";
        }
        if known == "gb" && (text.contains('$') && !text.contains('£') || !is_british) {
            let elsewhere = if text.contains('$') { "us" } else { known };
            let by_words = self.dollars.iter().find(|(_, words)| words.is_match(text));
            return by_words.map_or(elsewhere, |(country, _)| country);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use crate::language::Tongue;

    #[test]
    fn the_money_of_a_page_tells_its_country() {
        let country = |text: &str| super::country("http://www.linde.example/", Tongue::German, text);
        assert_eq!(country("Cordon bleu CHF 34.-, Tel. 081 555 04 62"), "ch");
        assert_eq!(country("Geöffnet Mo. bis Do. und Fr. 11 bis 24 Uhr, RATSKELLER, bei Fr. Schilling"), "de");
        assert_eq!(country("Zimmer 60 €, auch CHF"), "de");
    }
}
