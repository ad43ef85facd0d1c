//! Prices, ranges of prices, and what they are for.

use super::number::{amount, parse};
use super::{Found, Kind, Setting, alternatives, compiled};
use crate::language::Tongue;
use regex::Regex;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Money {
    price: Regex,
    currency: Regex,
    bare: Regex,
    dashed: Regex,
    exact: Regex,
    per: Regex,
    pence: Regex,
    codes: BTreeMap<String, String>,
    /// What a sign means in a country.
    at_home: BTreeMap<String, BTreeMap<String, String>>,
}

const NUMBER: &str = r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?";
/// Behind these a number is no price.
const UNITS: [&str; 12] = ["m", "km", "cm", "ha", "qm", "l", "kg", "Uhr", "Prozent", "Meter", "Kilometer", "Liter"];
const DASH: &str = r"(?:,[-–—]{1,2}|\.[-–—])";

impl Money {
    pub(super) fn new(
        currencies: &BTreeMap<String, String>,
        at_home: BTreeMap<String, BTreeMap<String, String>>,
    ) -> Self {
        let mut codes = BTreeMap::new();
        for (code, forms) in currencies {
            codes.extend(forms.split_whitespace().map(|form| (form.to_owned(), code.clone())));
        }
        let (words, signs): (Vec<_>, Vec<_>) =
            codes.keys().map(String::as_str).partition(|form| form.ends_with(char::is_alphabetic));
        let currency = format!(r"(?:(?:{})\b|{})", alternatives(words), alternatives(signs));
        let number = format!(r"(?:{NUMBER}){DASH}?");
        let one = |from: &str| {
            format!(r"(?:(?P<a{from}>{currency}|\b[RS]|\bL\.)\s?)?(?P<n{from}>{number})(?:\s?(?P<b{from}>{currency}))?")
        };
        let price =
            format!(r"{}(?:\s?(?P<join>-|–|—|/|\bbis\b(?:\szu)?|\bto\b|\bund\b|\band\b)\s?{})?", one("1"), one("2"));
        Self {
            price: compiled(&price),
            currency: compiled(&currency),
            bare: compiled(&format!(r"(?P<n1>{number})(?:(?:,[-–—]{{1,2}})?\s?(?:-|–|bis|to)\s?(?P<n2>{number}))?")),
            dashed: compiled(&format!(
                r"(?P<n1>(?:{NUMBER}){DASH})(?:\s?(?:bis(?:\szu)?|to|-|–|—)\s?(?P<n2>(?:{NUMBER}){DASH}))?"
            )),
            exact: compiled(r"(?P<n1>\d+,\d\d)(?:\s?(?:-|–|bis(?:\szu)?)\s?(?P<n2>\d+,\d\d))?"),
            per: compiled(PER),
            pence: compiled(r"\b(?P<n>[1-9]\d?)(?:(?P<p>\s?p(?:ence)?)|\s?(?:Cent|ct))\b"),
            codes,
            at_home,
        }
    }

    /// What a sign means in a country, if not what it means elsewhere.
    pub(super) fn at_home(&self, sign: &str, country: &str) -> Option<&str> {
        self.at_home.get(sign)?.get(country).map(String::as_str)
    }

    pub(super) fn named(&self, text: &str) -> Option<String> {
        self.currency.find(text).and_then(|found| self.codes.get(found.as_str())).cloned()
    }

    pub(super) fn find(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let mut at = 0;
        while let Some(captures) = self.price.captures_at(found.line, at) {
            let Some(whole) = captures.get(0) else { break };
            let group = |name: &str| captures.name(name).map(|group| group.as_str());
            at = whole.end();
            let starts_inside = found.line[..whole.start()]
                .ends_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ','));
            let (first, second) = (group("a1").or(group("b1")), group("a2").or(group("b2")));
            if is_no_money(&captures, found.line, setting) {
                at = captures.name("n1").map_or(whole.end(), |number| number.end());
                continue;
            }
            // "children under 10 £6.95": the sign belongs to the number behind it.
            if let Some(sign) = sign_of_next(&captures, found.line) {
                at = sign;
                continue;
            }
            let end_of_first = captures.name("b1").or(captures.name("n1")).map_or(whole.end(), |group| group.end());
            if starts_inside || (first.is_none() && second.is_none()) {
                at = end_of_first;
                continue;
            }
            let is_range = match group("join") {
                Some("und" | "and") => {
                    let before = found.before(whole.start()).to_lowercase();
                    before.trim_end().ends_with("zwischen") || before.trim_end().ends_with("between")
                }
                Some("/") | None => false,
                Some(_) => true,
            };
            let at_home = |form: &str| self.at_home(form, setting.country);
            let code = |form: Option<&str>| {
                form.and_then(|form| at_home(form).or_else(|| self.codes.get(form).map(String::as_str)))
            };
            let currency = code(first).or(code(second)).unwrap_or_default();
            let (low, high) = (group("n1").and_then(parse), group("n2").and_then(parse));
            match (low, high) {
                (Some(low), Some(high)) if is_range && high > low => {
                    found.add(whole.range(), Kind::Money, format!("{}-{} {currency}", amount(low), amount(high)));
                }
                // "95,-/125,- DM": the currency holds for both.
                (Some(low), Some(_)) if group("join") == Some("/") || first.is_some() => {
                    let value = open_ended(found.before(whole.start()), &amount(low), currency);
                    found.add(whole.start()..end_of_first, Kind::Money, value);
                    at = end_of_first;
                    if first.is_none() {
                        Self::second(found, &captures, currency);
                        at = whole.end();
                    }
                }
                (Some(low), None) => {
                    let value = open_ended(found.before(whole.start()), &amount(low), currency);
                    found.add(whole.range(), Kind::Money, value);
                }
                _ => at = end_of_first,
            }
        }
        self.without_sign(found, setting);
    }

    /// What is money though no sign of a currency stands beside it.
    fn without_sign(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        self.dashed(found, setting);
        self.pence(found, setting);
        if let Some(currency) = setting.currency {
            self.bare(found, currency);
        }
    }

    /// "50p", "80 Cent": hundredths.
    fn pence(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        for captures in self.pence.captures_iter(found.line) {
            let (Some(whole), Some(number)) = (captures.get(0), captures.name("n")) else { continue };
            // "2 p.m."
            if found.line[whole.end()..].starts_with(".m") {
                continue;
            }
            let currency = match (setting.country, captures.name("p").is_some()) {
                ("gb", true) => "GBP",
                ("de" | "at" | "ie", false) => "EUR",
                _ => continue,
            };
            found.add(whole.range(), Kind::Money, format!("0.{:0>2} {currency}", number.as_str()));
        }
    }

    fn second(found: &mut Found<'_>, captures: &regex::Captures<'_>, currency: &str) {
        if let Some(number) = captures.name("n2")
            && let Some(value) = parse(number.as_str())
        {
            found.add(number.range(), Kind::Money, format!("{} {currency}", amount(value)));
        }
    }

    /// "4,- / ermäßigt 2,- / Familien 10,- DM", "95.– bis 120.–": the dash says that it is money, the line or a head says which.
    fn dashed(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let Some(currency) = self.named(found.line).or_else(|| setting.currency.or(setting.of_page).map(str::to_owned))
        else {
            return;
        };
        for captures in self.dashed.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            let before = &found.line[..whole.start()];
            let is_inside = before.ends_with(|letter: char| letter.is_ascii_digit());
            // "15.6.-15.9." are days.
            let is_day = found.line[whole.end()..].starts_with(|letter: char| letter.is_ascii_digit());
            if is_inside || is_day {
                continue;
            }
            let number = |name: &str| captures.name(name).and_then(|group| parse(group.as_str()));
            let value = match (number("n1"), number("n2")) {
                (Some(low), Some(high)) if high > low => format!("{}-{} {currency}", amount(low), amount(high)),
                (Some(low), None) => open_ended(before, &amount(low), &currency),
                _ => continue,
            };
            found.add(whole.range(), Kind::Money, value);
        }
    }

    /// "Übernachtung 17,00, Doppelzimmer 84,00 bis 96,00" on a page whose prices are in euros.
    pub(super) fn exact(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let Some(currency) = setting.of_page.filter(|_| setting.tongue == Tongue::German) else { return };
        for captures in self.exact.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            let (before, behind) = (&found.line[..whole.start()], &found.line[whole.end()..]);
            let goes_on = |letter: char| letter.is_alphanumeric() || matches!(letter, ',' | '.' | ':');
            let unit: String = behind.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
            let is_measured = behind.trim_start().starts_with('%') || UNITS.contains(&unit.as_str());
            if before.ends_with(goes_on) || behind.starts_with(|letter: char| letter.is_alphanumeric()) || is_measured {
                continue;
            }
            let number = |name: &str| captures.name(name).and_then(|group| parse(group.as_str()));
            let value = match (number("n1"), number("n2")) {
                (Some(low), Some(high)) if high > low => format!("{}-{} {currency}", amount(low), amount(high)),
                (Some(low), None) => open_ended(before, &amount(low), currency),
                _ => continue,
            };
            found.add(whole.range(), Kind::Money, value);
        }
    }

    /// Numbers under a heading that names the currency.
    fn bare(&self, found: &mut Found<'_>, currency: &str) {
        for captures in self.bare.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            let around = (found.line[..whole.start()].chars().next_back(), found.line[whole.end()..].chars().next());
            if [around.0, around.1]
                .into_iter()
                .flatten()
                .any(|letter| letter.is_alphanumeric() || matches!(letter, ':' | '.'))
            {
                continue;
            }
            let number = |name: &str| captures.name(name).and_then(|group| parse(group.as_str()));
            let value = match (number("n1"), number("n2")) {
                (Some(low), Some(high)) if high > low => format!("{}-{} {currency}", amount(low), amount(high)),
                (Some(low), None) => format!("{} {currency}", amount(low)),
                _ => continue,
            };
            found.add(whole.range(), Kind::Money, value);
        }
    }

    /// "pro Person und Nacht", right behind a price or in the heading of a table.
    pub(super) fn per(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let first =
            found.all.iter().filter(|literal| literal.kind == Kind::Money).map(|literal| literal.span.start).min();
        let has_digit = found.line.bytes().any(|byte| byte.is_ascii_digit());
        for captures in self.per.captures_iter(found.line) {
            let Some(whole) = captures.get(0) else { continue };
            // "a car" means nothing without a price before it; "pro Nacht" may head a column.
            let is_head = !has_digit
                && ["pro ", "per ", "je ", "/"].iter().any(|word| whole.as_str().to_lowercase().starts_with(word));
            let before = found.line[..whole.start()].to_lowercase();
            let is_talk =
                ["preis", "price", "rate", "tarif", "miete", "kosten"].iter().any(|word| before.contains(word))
                    && !whole.as_str().to_lowercase().starts_with('a');
            // "£5 a week", but not "reductions for stays of a week".
            let is_article = whole.as_str().to_lowercase().starts_with("a ");
            let follows = found.all.iter().any(|literal| {
                matches!(literal.kind, Kind::Money | Kind::Per)
                    && literal.span.end <= whole.start()
                    && found.line[literal.span.end..whole.start()].trim().len() <= 8
            });
            // "Zimmer / Room" says the same in two languages.
            let is_other_tongue = whole.as_str().starts_with('/') && found.line[..whole.start()].ends_with(' ');
            if is_other_tongue && first.is_none_or(|first| whole.start() < first) {
                continue;
            }
            // "am ersten Sonntag im Monat": not the price.
            let is_day = before.trim_end().ends_with("tag") && whole.as_str().to_lowercase().starts_with("im ");
            if is_day {
                continue;
            }
            if is_article && setting.tongue == Tongue::English && !follows {
                continue;
            }
            // "Pro Nacht zahlen Sie 85 Euro"
            let leads = first.filter(|first| whole.end() <= *first).is_some_and(|first| {
                let between = &found.line[whole.end()..first];
                let is_said = ["pro ", "per "].iter().any(|word| whole.as_str().to_lowercase().starts_with(word));
                is_said && between.len() < 40 && !between.contains(['.', ';', '!', '?'])
            });
            if !is_head && !is_talk && !leads && first.is_none_or(|first| whole.start() < first) {
                continue;
            }
            // "Kinder im Zimmer der Eltern", "im Haus": where, and not for what.
            let is_where = captures.name("unit").is_some()
                && ["im ", "in der "].iter().any(|word| whole.as_str().to_lowercase().starts_with(word));
            if is_where {
                found.add(whole.range(), Kind::Other, "");
                continue;
            }
            for (group, value) in PER_VALUES.iter().filter_map(|(name, value)| Some((captures.name(name)?, value))) {
                found.add(group.range(), Kind::Per, *value);
            }
        }
    }
}

/// "Di.-Fr. 11.30-14.00" is no money but in Switzerland, and pounds weigh something in America.
fn is_no_money(captures: &regex::Captures<'_>, line: &str, setting: Setting<'_>) -> bool {
    let form = |name: &str| captures.name(name).map_or("", |form| form.as_str());
    let is_franc = form("a1").starts_with("Fr") && setting.country != "ch";
    // "Room R 12": only in South Africa it is money, and there "the R62" is a road; in Austria "S 7" is a train.
    let country = match [form("a1"), form("a2")] {
        all if all.contains(&"R") => Some("za"),
        all if all.contains(&"S") => Some("at"),
        all if all.contains(&"L.") => Some("it"),
        _ => None,
    };
    let is_small = form("n1").chars().filter(char::is_ascii_digit).count() < 3 && !form("n1").contains(['-', '–']);
    let before = captures.get(0).map_or("", |whole| line[..whole.start()].trim_end());
    let is_road = ["the", "on", "via", "off", "along", "Route", "route"].iter().any(|word| before.ends_with(word));
    let is_small = is_small && country == Some("at");
    let is_letter = country.is_some_and(|country| setting.country != country || is_road || is_small);
    is_franc || is_letter || setting.country == "us" && form("b1").eq_ignore_ascii_case("pounds")
}

/// Where a sign begins that stands behind a number, but right before another one.
fn sign_of_next(captures: &regex::Captures<'_>, line: &str) -> Option<usize> {
    let sign = captures.name("b1").or(captures.name("b2")).filter(|_| captures.name("a1").is_none())?;
    let is_next = sign.as_str().starts_with(['£', '$', '€'])
        && line[sign.end()..].starts_with(|letter: char| letter.is_ascii_digit());
    is_next.then(|| sign.start())
}

/// "from" leaves the end of a range open, "up to" its start.
fn open_ended(before: &str, amount: &str, currency: &str) -> String {
    let before = before.trim_end().to_lowercase();
    let ends = |words: &[&str]| {
        words.iter().any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)))
    };
    if ends(&["ab", "from", "starting at", "starts at", "ab ca.", "schon ab", "prices from"]) {
        format!("{amount}- {currency}")
    } else if ends(&["bis", "bis zu", "up to", "maximal", "max."]) {
        format!("-{amount} {currency}")
    } else {
        format!("{amount} {currency}")
    }
}

/// Names of groups and what they stand for.
const PER_VALUES: &[(&str, &str)] = &[
    ("person", "Person"),
    ("night", "Nacht"),
    ("day", "Tag"),
    ("daily", "Tag"),
    ("week", "Woche"),
    ("month", "Monat"),
    ("year", "Jahr"),
    ("hour", "Stunde"),
    ("piece", "Stück"),
    ("unit", "Einheit"),
    ("group", "Gruppe"),
    ("car", "Auto"),
    ("person2", "Person"),
    ("night2", "Nacht"),
    ("day2", "Tag"),
    ("week2", "Woche"),
    ("shortp", "Person"),
    ("shortn", "Nacht"),
    ("shortpp", "Person"),
];

const PER: &str = r"(?ix)
    \bam\s(?P<daily>tag\b) |
    (?: \b(?:pro|je|per|each|a|an|im|in\sder)\s | /\s? )
    (?: (?P<person>person(?:en)?\b|pers\b\.?|p\.|erwachsene[rn]?\b|gast\b|guest\b|adult\b|kopf\b|head\b|teilnehmer(?:in)?\b)
      | (?P<night>nacht\b|übernachtung\b|night\b|ü(?:[./]|\ |$)|übern\.)
      | (?P<day>tag\b|day\b|kalendertag\b)
      | (?P<week>woche\b|week\b|wk\b)
      | (?P<month>monat\b|month\b)
      | (?P<year>jahr\b|year\b|annum\b)
      | (?P<hour>stunde\b|hour\b|std\b\.?)
      | (?P<piece>stück\b|piece\b|glas\b|glass\b|flasche\b|bottle\b|portion\b|item\b|set\b)
      | (?P<group>gruppe\b|group\b)
      | (?P<car>auto\b|pkw\b|fahrzeug\b|car\b|vehicle\b)
      | (?P<unit>zimmer\b|zi\b\.?|room\b|wohnung\b|apartment\b|appartement\b|einheit\b|unit\b|haus\b|house\b|ferienwohnung\b|cottage\b|stellplatz\b|pitch\b|objekt\b|flat\b)
    )
    (?: \s?(?:/|und|and|,|&|pro|per|a)?\s?(?:pro\s|per\s|a\s)?
      (?: (?P<person2>person\b|pers\b\.?) | (?P<night2>nacht\b|übernachtung\b|night\b) | (?P<day2>tag\b|day\b) | (?P<week2>woche\b|week\b) )
    )?
    | \b(?P<shortp>p)(?P<shortn>ppn)\b | \b(?P<shortpp>pps|pp|p\.\s?p\.(?:\s?s\.)?|pppn)(?:\b|\s|$)
";

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::super::{Finder, Kind};
    use crate::language::Languages;

    #[test]
    fn prices_and_ranges() {
        let money = |text: &str, expected: &[&str]| check(text, Kind::Money, expected);
        money("Einzelzimmer: von 95,00 - 125,00 DM", &["95.00-125.00 DEM"]);
        money("DM 95,-", &["95.00 DEM"]);
        money("ab 45 € pro Nacht", &["45.00- EUR"]);
        money("up to £60", &["-60.00 GBP"]);
        money("£65–£80 per room", &["65.00-80.00 GBP"]);
        money("zwischen 45 und 60 Euro", &["45.00-60.00 EUR"]);
        money("1.250,00 EUR", &["1250.00 EUR"]);
        money("95,-/125,- DM", &["95.00 DEM", "125.00 DEM"]);
        money("Tel. 0381 12", &[]);
        money("5 Europa", &[]);
        money("adults £7.50, children £4", &["7.50 GBP", "4.00 GBP"]);
        money("SFr. 120.-", &["120.00 CHF"]);
        money("CHF 95.– bis 120.–, ab 70.–", &["95.00-120.00 CHF", "70.00- CHF"]);
        money("Erwachsene 4,- / ermäßigt 2,- / Familien 10,- DM", &["4.00 DEM", "2.00 DEM", "10.00 DEM"]);
    }

    #[test]
    fn what_a_price_is_for() {
        let per = |text: &str, expected: &[&str]| check(text, Kind::Per, expected);
        per("45 € pro Person und Nacht", &["Person", "Nacht"]);
        per("£40 per person per night", &["Person", "Nacht"]);
        per("€ 60 / Nacht", &["Nacht"]);
        per("£35 pp", &["Person"]);
        per("350 € pro Woche", &["Woche"]);
    }

    #[test]
    fn headings_name_currencies() {
        let finder = Finder::new(&Languages::shipped());
        assert_eq!(finder.currency("Preis in DM").as_deref(), Some("DEM"));
        assert_eq!(finder.currency("Preise").as_deref(), None);
    }
}
