//! Numbers, dates, addresses and the like: what can be recognised by its form, and has a value instead of a name.
//!
//! They are looked for before all words, and their text is closed to everything after, so that no telephone number
//! becomes a price and no house number a count.

mod address;
mod contact;
mod country;
mod hours;
mod measure;
mod money;
mod number;
mod time;

use crate::language::{Languages, Tongue};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Something with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Where it stands, in the text of its line.
    pub span: Range<usize>,
    /// What kind of value.
    pub kind: Kind,
    /// The value, in its one written form.
    pub value: String,
}

/// Kinds of values; the domain says which slots they fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A telephone number.
    Phone,
    /// A mail address.
    Mail,
    /// An address of the web.
    Web,
    /// Street and house number.
    Street,
    /// A postcode.
    Postcode,
    /// A post office box.
    PostBox,
    /// The town behind or before a postcode.
    Town,
    /// The part of a town beside it in an address.
    District,
    /// The county in an address.
    County,
    /// An amount of money.
    Money,
    /// What a price is for: person, night.
    Per,
    /// A length.
    Length,
    /// An area.
    Area,
    /// How long.
    Duration,
    /// A day.
    Date,
    /// A time of the year, or from one day to another.
    Period,
    /// A time of the day.
    Time,
    /// Opening hours.
    Hours,
    /// Days on which it is closed.
    Closed,
    /// A year.
    Year,
    /// A number of something.
    Count,
    /// Stars.
    Stars,
    /// A number that says nothing by itself.
    Other,
}

impl Kind {
    /// All kinds, with the names that domains use.
    pub const NAMES: &[(&str, Self)] = &[
        ("phone", Self::Phone),
        ("mail", Self::Mail),
        ("web", Self::Web),
        ("street", Self::Street),
        ("postcode", Self::Postcode),
        ("postbox", Self::PostBox),
        ("town", Self::Town),
        ("district", Self::District),
        ("county", Self::County),
        ("money", Self::Money),
        ("per", Self::Per),
        ("length", Self::Length),
        ("area", Self::Area),
        ("duration", Self::Duration),
        ("date", Self::Date),
        ("period", Self::Period),
        ("time", Self::Time),
        ("hours", Self::Hours),
        ("closed", Self::Closed),
        ("year", Self::Year),
        ("count", Self::Count),
        ("stars", Self::Stars),
    ];

    /// The kind that domains call so.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(one, _)| *one == name).map(|(_, kind)| *kind)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    currencies: BTreeMap<String, String>,
    #[serde(rename = "at-home")]
    at_home: BTreeMap<String, BTreeMap<String, String>>,
    african: String,
    dollars: BTreeMap<String, String>,
    german: BTreeMap<String, String>,
    lengths: BTreeMap<String, String>,
    areas: BTreeMap<String, String>,
    phones: BTreeMap<String, [u32; 3]>,
    mobiles: BTreeMap<String, String>,
    irish: String,
    states: BTreeMap<String, String>,
    streets: address::Streets,
}

/// Finds literals.
#[derive(Debug)]
pub struct Finder {
    contact: contact::Contact,
    home: country::Home,
    address: address::Address,
    money: money::Money,
    measure: measure::Measure,
    time: time::Times,
    hours: hours::OpeningHours,
    /// States of the United States by their short names.
    states: BTreeMap<String, String>,
}

/// What is known of the page a line stands on.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The language of the line.
    pub tongue: Tongue,
    /// The country whose numbers need no prefix, as in `de`.
    pub country: &'a str,
    /// The currency of numbers that name none, if the heading of the table does.
    pub currency: Option<&'a str>,
    /// The currency of the page: that of "17,00" and "38,-" wherever they stand.
    pub of_page: Option<&'a str>,
}

impl Finder {
    /// Compiles all patterns.
    ///
    /// # Panics
    /// Never: the shipped tables are read by tests.
    pub fn new(languages: &Languages) -> Self {
        let file: File =
            toml::from_str(include_str!("../languages/literals.toml")).expect("the shipped tables are read by a test");
        Self {
            contact: contact::Contact::new(file.phones, &file.mobiles),
            home: country::Home::new(&file.irish, &file.african, &file.states, &file.dollars, &file.german),
            address: address::Address::new(&file.states, &file.streets),
            states: file.states,
            money: money::Money::new(&file.currencies, file.at_home),
            measure: measure::Measure::new(&file.lengths, &file.areas, languages),
            time: time::Times::new(languages),
            hours: hours::OpeningHours::new(languages),
        }
    }

    /// All literals of a line, in order, none inside another.
    pub fn find(&self, line: &str, setting: Setting<'_>) -> Vec<Literal> {
        let mut found = Found::new(line);
        if line.contains(['@', '.', '/']) {
            self.contact.mail_and_web(&mut found);
        }
        let has_digit = line.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit {
            self.money.find(&mut found, setting);
            self.hours.find(&mut found, setting);
            self.time.dates(&mut found, setting);
            self.contact.phones(&mut found, setting);
            self.measure.find(&mut found, setting);
            self.money.exact(&mut found, setting);
            self.time.clock(&mut found, setting);
            self.address.find(&mut found, setting);
            self.time.years(&mut found, setting);
        } else {
            self.without_digits(&mut found, setting);
        }
        // Most lines have none of these, and asking for them costs more than looking for their signs.
        let lower = line.to_lowercase();
        let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
        if has(&["*", "★", "star", "stern"]) {
            self.measure.stars(&mut found);
        }
        if has(&["pro ", "per ", "je ", "/", "pp", "p.", "each", " a ", " an ", "im ", "in der ", "am tag"]) {
            self.money.per(&mut found, setting);
        }
        found.all.sort_by_key(|literal| literal.span.start);
        found.all
    }

    /// What can be said in words: "Montag Ruhetag", "zehn Minuten", "April bis Oktober".
    fn without_digits(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let lower = found.line.to_lowercase();
        let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
        if has(&["ruhetag", "geschlossen", "closed", "noon", "midday", "midnight"]) {
            self.hours.find(found, setting);
        }
        // "April-October", and not every word with a hyphen.
        let months =
            ["jan", "feb", "mar", "mär", "apr", "mai", "may", "jun", "jul", "aug", "sep", "oct", "okt", "nov", "de"];
        if has(&["bis ", "–", " - ", " to ", "until", "through"]) || lower.contains('-') && has(&months) {
            self.time.dates(found, setting);
        }
        let units = [
            "min", "stunde", "hour", "meter", "metre", "mile", "yard", "night", "nächt", "week", "woche", "tag", "day",
            "monat", "month", "acre", "hektar", "hectare", "feet",
        ];
        if has(&units) {
            self.measure.find(found, setting);
        }
        self.address.streets(found, setting);
    }

    /// The currency that a heading names, as in "Preise in DM".
    pub fn currency(&self, text: &str) -> Option<String> {
        self.money.named(text)
    }

    /// What a currency that its sign alone has named is in a country.
    pub(crate) fn at_home<'a>(&'a self, code: &'a str, country: &str) -> &'a str {
        let sign = match code {
            "USD" => "$",
            "GBP" => "£",
            _ => return code,
        };
        self.money.at_home(sign, country).unwrap_or(code)
    }

    /// Whether a number is one that is carried along.
    pub(crate) fn is_mobile(&self, phone: &str) -> bool {
        self.contact.is_mobile(phone)
    }

    /// The days of the week that a text names, if there is one list of them.
    pub fn days(&self, text: &str) -> Option<String> {
        self.hours.named_days(text)
    }

    /// Whether a whole line is a street with its number.
    pub fn is_street(&self, text: &str) -> bool {
        self.address.street_line(text).is_some()
    }

    /// The country of a prefix-less number on a page of this language and address.
    pub fn country(&self, url: &str, tongue: Tongue, claimed: Option<&str>, text: &str) -> &'static str {
        self.home.country(url, tongue, claimed, text)
    }

    /// The state of the United States with this short name.
    pub(crate) fn state(&self, short: &str) -> Option<&str> {
        self.states.get(short).map(String::as_str)
    }
}

/// What was found in a line so far.
pub(crate) struct Found<'a> {
    pub(crate) line: &'a str,
    pub(crate) all: Vec<Literal>,
}

impl<'a> Found<'a> {
    fn new(line: &'a str) -> Self {
        Self { line, all: Vec::new() }
    }

    /// Whether nothing was found there yet.
    pub(crate) fn is_free(&self, span: &Range<usize>) -> bool {
        self.all.iter().all(|literal| literal.span.end <= span.start || span.end <= literal.span.start)
    }

    pub(crate) fn add(&mut self, span: Range<usize>, kind: Kind, value: impl Into<String>) -> bool {
        let is_free = self.is_free(&span);
        if is_free {
            self.all.push(Literal { span, kind, value: value.into() });
        }
        is_free
    }

    /// The text before a place, back to the last literal.
    pub(crate) fn before(&self, place: usize) -> &'a str {
        let start = self.all.iter().map(|literal| literal.span.end).filter(|end| *end <= place).max().unwrap_or(0);
        &self.line[start..place]
    }
}

/// A pattern. Borders of words are those of plain letters: on others the engine would be many times slower.
pub(crate) fn compiled(pattern: &str) -> regex::Regex {
    regex::Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("built of escaped words and tested patterns")
}

/// An alternative of a pattern: all of the words, the longest first.
pub(crate) fn alternatives<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<_> = words.into_iter().map(regex::escape).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(&Languages::shipped()));

    fn values(text: &str, kind: Kind, tongue: Tongue, country: &str) -> Vec<String> {
        let found = FINDER.find(text, Setting { tongue, country, currency: None, of_page: None });
        found.into_iter().filter(|literal| literal.kind == kind).map(|literal| literal.value).collect()
    }

    #[track_caller]
    pub(super) fn check(text: &str, kind: Kind, expected: &[&str]) {
        assert_eq!(values(text, kind, Tongue::German, "de"), expected, "{text}");
    }

    #[track_caller]
    pub(super) fn check_english(text: &str, kind: Kind, expected: &[&str]) {
        assert_eq!(values(text, kind, Tongue::English, "gb"), expected, "{text}");
    }

    #[test]
    fn names_of_kinds_are_read_back() {
        for (name, kind) in Kind::NAMES {
            assert_eq!(Kind::named(name), Some(*kind));
        }
    }
}
