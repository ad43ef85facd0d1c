//! The two languages, and which of them a line is in.

use crate::words::{WordMap, WordSet};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A language that the parser reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tongue {
    /// German.
    German,
    /// English.
    English,
}

impl Tongue {
    /// Both.
    pub const ALL: [Self; 2] = [Self::German, Self::English];

    /// Its code after ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::German => "de",
            Self::English => "en",
        }
    }

    /// The language of a code such as `de-AT`.
    pub fn of(code: &str) -> Option<Self> {
        let code = code.trim().to_ascii_lowercase();
        let is = |tongue: &Self| code.split(['-', '_']).next() == Some(tongue.code());
        Self::ALL.into_iter().find(is)
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::German => Self::English,
            Self::English => Self::German,
        }
    }
}

/// What is known of a language whatever the domain.
#[derive(Debug)]
pub struct Language {
    pub(crate) classes: WordMap<String>,
    pub(crate) abbreviations: WordSet,
    pub(crate) negations: WordSet,
    pub(crate) pronouns: WordSet,
    pub(crate) months: WordMap<u8>,
    pub(crate) weekdays: WordMap<u8>,
    pub(crate) numbers: WordMap<u32>,
    pub(crate) telling: WordSet,
    pub(crate) headings: WordSet,
    pub(crate) included: WordSet,
    pub(crate) included_behind: WordSet,
    pub(crate) excluded: WordSet,
    pub(crate) name_particles: WordSet,
    pub(crate) greetings: WordSet,
    pub(crate) venues: WordSet,
    pub(crate) permissions: WordSet,
    pub(crate) durations: WordSet,
    /// What the head of a column says its prices are for.
    pub(crate) per: WordMap<String>,
    /// Further lists of words, by what they are for.
    lists: WordMap<WordSet>,
    pub(crate) inflection: Inflection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    classes: BTreeMap<String, String>,
    words: Words,
    per: WordMap<String>,
    lists: BTreeMap<String, String>,
    inflection: Inflection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Words {
    abbreviations: String,
    negations: String,
    pronouns: String,
    months: String,
    weekdays: String,
    numbers: String,
    telling: String,
    headings: String,
    included: String,
    included_behind: String,
    excluded: String,
    name_particles: String,
    greetings: String,
    venues: String,
    permissions: String,
    durations: String,
}

/// How words change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inflection {
    pub(crate) nouns: Vec<String>,
    pub(crate) adjectives: Vec<String>,
    pub(crate) particles: String,
}

impl Language {
    /// The tables that come with the program.
    ///
    /// # Panics
    /// Never: they are read by a test.
    pub fn shipped(tongue: Tongue) -> Self {
        let text = match tongue {
            Tongue::German => include_str!("../languages/de.toml"),
            Tongue::English => include_str!("../languages/en.toml"),
        };
        Self::read(text).expect("the shipped tables are read by a test")
    }

    /// Whether a word stands in one of the lists under `[lists]`.
    pub(crate) fn has(&self, list: &str, word: &str) -> bool {
        self.lists.get(list).is_some_and(|words| words.contains(word))
    }

    /// Whether a word ends with one of a list.
    pub(crate) fn ends_like(&self, list: &str, word: &str) -> bool {
        self.lists.get(list).is_some_and(|ends| ends.iter().any(|end| word.ends_with(end.as_str())))
    }

    /// Whether a word is that of a society, an office or the like, or ends with one: "Keramikverein".
    pub(crate) fn is_body(&self, word: &str) -> bool {
        let ends = |body: &String| body.len() > 4 && word.ends_with(body.as_str());
        self.lists.get("bodies").is_some_and(|bodies| bodies.contains(word) || bodies.iter().any(ends))
    }

    /// How many rooms a word for a flat or house names: "3-zimmer-wohnung", "zweiraumwohnung", "zimmer-wohnung" behind a 3.
    pub(crate) fn rooms_of(&self, word: &str, before: Option<u32>) -> Option<u32> {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let spoken = || self.numbers.iter().find_map(|(number, value)| Some((word.strip_prefix(&**number)?, *value)));
        let leading = match word[..digits].parse() {
            Ok(number) => Some((&word[digits..], number)),
            Err(_) => spoken().or(before.filter(|_| word.contains('-')).map(|number| (word, number))),
        };
        let (rest, number) = leading?;
        let rest = rest.trim_start_matches('-');
        let is_room = |room: &String| rest.strip_prefix(room.as_str()).is_some_and(|flat| flat.len() > 3);
        (1..20)
            .contains(&number)
            .then_some(number)
            .filter(|_| self.lists.get("inner-rooms").is_some_and(|rooms| rooms.iter().any(is_room)))
    }

    /// Whether a word only joins others: an article, a preposition, a pronoun.
    pub(crate) fn is_small(&self, word: &str) -> bool {
        let class = self.classes.get(word).map(String::as_str);
        matches!(class, Some("Det" | "Prep" | "Conj" | "Pron" | "Aux" | "Neg"))
    }

    fn read(text: &str) -> Result<Self, toml::de::Error> {
        let File { classes, words, per, lists, inflection } = toml::from_str(text)?;
        // In Switzerland "zu Fuss".
        let spelt =
            |word: &str| std::iter::once(word.to_owned()).chain(word.contains('ß').then(|| word.replace('ß', "ss")));
        let list = |words: &str| words.split_whitespace().flat_map(spelt).collect::<WordSet>();
        let numbered = |groups: &str| {
            let groups = groups.split_whitespace().zip(1_u8..);
            let pairs = groups.flat_map(|(group, number)| group.split('|').map(move |word| (word.to_owned(), number)));
            pairs.collect::<WordMap<_>>()
        };
        let mut by_word = WordMap::default();
        for (class, members) in &classes {
            for word in members.split_whitespace().flat_map(spelt) {
                by_word.entry(word).or_insert_with(|| class.clone());
            }
        }
        let numbers = words.numbers.split_whitespace().filter_map(|group| {
            let (number, forms) = group.split_once(':')?;
            Some((number.parse::<u32>().ok()?, forms))
        });
        let numbers =
            numbers.flat_map(|(number, forms)| forms.split('|').flat_map(spelt).map(move |form| (form, number)));
        Ok(Self {
            classes: by_word,
            abbreviations: list(&words.abbreviations),
            negations: list(&words.negations),
            pronouns: list(&words.pronouns),
            months: numbered(&words.months),
            weekdays: numbered(&words.weekdays),
            numbers: numbers.collect(),
            telling: list(&words.telling),
            headings: list(&words.headings),
            included: list(&words.included),
            included_behind: list(&words.included_behind),
            excluded: list(&words.excluded),
            name_particles: list(&words.name_particles),
            greetings: list(&words.greetings),
            venues: list(&words.venues),
            permissions: list(&words.permissions),
            durations: list(&words.durations),
            per,
            lists: lists.into_iter().map(|(name, words)| (name, list(&words))).collect(),
            inflection,
        })
    }
}

/// Both languages.
#[derive(Debug)]
pub struct Languages {
    tables: [Language; 2],
}

impl Languages {
    /// The tables that come with the program.
    pub fn shipped() -> Self {
        Self { tables: Tongue::ALL.map(Language::shipped) }
    }

    /// The tables of one language.
    pub fn of(&self, tongue: Tongue) -> &Language {
        &self.tables[tongue as usize]
    }

    /// How many words of a text tell that it is German, and English.
    pub fn tell(&self, text: &str) -> (usize, usize) {
        let (mut german, mut english) = (0, 0);
        let mut behind_number = false;
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let is_number = word.ends_with(|letter: char| letter.is_ascii_digit());
            let after = std::mem::replace(&mut behind_number, is_number);
            let own = word.len();
            let word = word.trim_matches(|letter: char| !letter.is_alphabetic()).to_lowercase();
            // "10 am - 1pm": English, where German has such a word as well.
            if word == "am" && (after || word.len() < own) {
                continue;
            }
            german += usize::from(self.of(Tongue::German).telling.contains(&word));
            german += usize::from(word.contains(['ä', 'ö', 'ü', 'ß']));
            english += usize::from(self.of(Tongue::English).telling.contains(&word));
        }
        (german, english)
    }

    /// The language of a line; of a line that does not tell, that of the page.
    pub fn of_line(&self, text: &str, page: Tongue) -> Tongue {
        match self.tell(text) {
            (german, english) if german > english + 1 || (german > 0 && english == 0) => Tongue::German,
            (german, english) if english > german + 1 || (english > 0 && german == 0) => Tongue::English,
            _ => page,
        }
    }

    /// The language of a page, if it is one of ours. What it claims counts only where its words do not tell.
    pub fn of_page(&self, text: &str, claimed: Option<&str>) -> Option<Tongue> {
        let sample = &text[..text.floor_char_boundary(1 << 14)];
        let (german, english) = self.tell(sample);
        let words = sample.split_whitespace().count();
        let claimed = claimed.map(Tongue::of);
        // A few letters tell nothing: whatever language they are in, there is nothing to read.
        if sample.chars().filter(|letter| letter.is_alphabetic()).take(20).count() < 20 {
            return claimed.flatten().or(Some(Tongue::German));
        }
        if (german + english) * 25 < words && words > 30 {
            return detected(sample);
        }
        match (german, english) {
            (0, 0) => claimed.unwrap_or_else(|| detected(sample)),
            _ if german > english => Some(Tongue::German),
            _ if english > german => Some(Tongue::English),
            _ => claimed.flatten().or(Some(Tongue::German)),
        }
    }
}

/// Letters decide where words do not.
fn detected(text: &str) -> Option<Tongue> {
    match whatlang::detect_lang(text)? {
        whatlang::Lang::Deu => Some(Tongue::German),
        whatlang::Lang::Eng => Some(Tongue::English),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_tables_can_be_read() {
        for tongue in Tongue::ALL {
            let language = Language::shipped(tongue);
            assert_eq!(language.months.values().max(), Some(&12), "{tongue:?}");
            assert_eq!(language.weekdays.values().max(), Some(&7), "{tongue:?}");
            assert!(language.classes.len() > 50, "{tongue:?}");
        }
    }

    #[test]
    fn lines_tell_their_language() {
        let languages = Languages::shipped();
        let check = |text, page, expected| assert_eq!(languages.of_line(text, page), expected, "{text}");
        check("Das Hotel liegt im Westen der Stadt", Tongue::English, Tongue::German);
        check("The rooms are equipped with a shower", Tongue::German, Tongue::English);
        check("Hotel Atrium", Tongue::English, Tongue::English);
        check("Frühstück", Tongue::English, Tongue::German);
    }

    #[test]
    fn pages_of_other_languages_are_not_ours() {
        let languages = Languages::shipped();
        let french = "Notre hôtel se trouve au centre du village, à deux pas de la plage. Les chambres sont confortables et \
                      disposent d'une salle de bains, d'un téléphone et d'une télévision. Le petit déjeuner est servi tous \
                      les jours de sept à dix heures. Nous vous souhaitons un agréable séjour parmi nous.";
        assert_eq!(languages.of_page(french, Some("fr")), None);
        assert_eq!(languages.of_page("Das Haus ist ruhig und liegt am See.", Some("en")), Some(Tongue::German));
    }
}
