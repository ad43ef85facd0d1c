//! The words that a document is about: those that are frequent in it, but not in its language, and that stand where
//! people put what matters.

use foldhash::quality::RandomState;
use gatherer_pipeline::{Draft, Kind};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use unicode_segmentation::UnicodeSegmentation;

/// So much of a text is looked at: what it is about shows at its beginning.
const SAMPLE: usize = 32 << 10;
/// So many words are put in order at once.
const PART: usize = 64;
/// So many different words a page has, about.
const USUAL_WORDS: usize = 500;
/// Words that are longer are none.
const LONGEST: usize = 40;

/// How much a word counts by where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// In the title.
    pub title: f64,
    /// In a heading.
    pub headings: f64,
    /// In the text of a reference.
    pub anchors: f64,
    /// In the text.
    pub body: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { title: 8.0, headings: 4.0, anchors: 0.5, body: 1.0 }
    }
}

/// Which words become keywords.
#[derive(Debug, Clone)]
pub struct Keywords {
    /// How many, at most.
    pub count: usize,
    /// Weights for kinds, in small letters, that have their own,
    pub weights: HashMap<String, Weights>,
    /// and for all others.
    pub otherwise: Weights,
    /// The operator's stop words by language (`de`), in small letters, in the place of ours; under `*`, in all
    /// languages and beside ours.
    pub stop_words: HashMap<String, HashSet<String>>,
}

impl Default for Keywords {
    fn default() -> Self {
        Self { count: 12, weights: HashMap::new(), otherwise: Weights::default(), stop_words: HashMap::new() }
    }
}

impl Keywords {
    /// None at all.
    pub fn none() -> Self {
        Self { count: 0, ..Self::default() }
    }

    /// The keywords of a draft, the weightiest first.
    pub(super) fn of(&self, kind: &Kind, draft: &Draft, language: Option<&str>) -> Vec<String> {
        if self.count == 0 {
            return Vec::new();
        }
        // The headings of manual pages are the same everywhere.
        let manual = Weights { headings: 0.0, ..self.otherwise };
        let otherwise = if kind.name() == "ManPage" { &manual } else { &self.otherwise };
        let weights = self.weights.get(&kind.name().to_lowercase()).unwrap_or(otherwise);
        let mut tally = Tally::default();
        tally.words.reserve(USUAL_WORDS);
        tally.count(draft.get("Title").unwrap_or_default(), weights.title);
        tally.count(draft.get("Headings").unwrap_or_default(), weights.headings);
        for reference in draft.references() {
            tally.count(&reference.text, weights.anchors);
        }
        for (name, weight) in draft.weights() {
            tally.count(draft.get(name).unwrap_or_default(), f64::from(*weight) * weights.body);
        }
        tally.count(draft.text(), weights.body);
        let code = language.unwrap_or_default().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        tally.heaviest(self.count, |word| self.is_stop_word(word, &code))
    }

    fn is_stop_word(&self, word: &str, language: &str) -> bool {
        let in_own = |list: &str| self.stop_words.get(list).map(|words| words.contains(word));
        in_own("*") == Some(true) || in_own(language).unwrap_or_else(|| is_common(word, language))
    }
}

/// Languages whose common words are passed over in texts too short to tell their language.
const USUAL: [&str; 7] = ["en", "de", "fr", "es", "it", "nl", "pt"];

/// Whether a word is common in a language; where that is not known, in any that is likely.
fn is_common(word: &str, language: &str) -> bool {
    match common_words(language) {
        Some(list) => list.contains(word),
        None => USUAL.iter().filter_map(|usual| common_words(usual)).any(|list| list.contains(word)),
    }
}

type List = Arc<HashSet<&'static str>>;

/// The common words of a language, if it is known. Made once: they are lists of a thousand and more.
fn common_words(language: &str) -> Option<List> {
    static KNOWN: LazyLock<RwLock<HashMap<String, List>>> = LazyLock::new(RwLock::default);
    if let Some(list) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(language) {
        return Some(list.clone());
    }
    // Some stand in quotes there.
    let bare = |word: &&'static str| word.trim_matches(|letter: char| !letter.is_alphanumeric());
    let list: List = Arc::new(stop_words::lookup(language)?.iter().map(bare).collect());
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(language.to_owned(), list.clone());
    Some(list)
}

/// Words with their weights so far, by a hash of their small letters that no document can know before: it stands for the word,
/// so that counting takes no memory for each of them.
#[derive(Default)]
struct Tally<'a> {
    words: HashMap<u64, Word<'a>, BuildHasherDefault<Hashed>>,
    hash: RandomState,
    taken: usize,
}

/// Takes a number that is a hash already as it is.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

struct Word<'a> {
    /// As first written.
    form: &'a str,
    /// By place: the sum of its weights there, and how often.
    weight: f64,
    first: usize,
}

impl<'a> Tally<'a> {
    fn count(&mut self, text: &'a str, weight: f64) {
        if weight <= 0.0 {
            return;
        }
        for piece in text[..text.floor_char_boundary(SAMPLE)].split_ascii_whitespace() {
            // Most are one word with a comma at most; the others are taken apart by the rules of all languages.
            let bare = without_edges(piece);
            if bare.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                self.taken += 1;
                // Letters only, so their number is all there is to say.
                if (3..=LONGEST).contains(&bare.len()) {
                    self.add(bare, self.hash_of_plain(bare), weight);
                }
            } else {
                bare.unicode_words().for_each(|form| self.add_any(form, weight));
            }
        }
    }

    fn add_any(&mut self, form: &'a str, weight: f64) {
        self.taken += 1;
        if is_word(form) {
            let lower = form.to_lowercase();
            let is_plain = lower.bytes().all(|byte| byte.is_ascii_alphabetic());
            let hash = if is_plain { self.hash_of_plain(&lower) } else { self.hash.hash_one(lower) };
            self.add(form, hash, weight);
        }
    }

    fn add(&mut self, form: &'a str, hash: u64, weight: f64) {
        let word = self.words.entry(hash).or_insert(Word { form, weight: 0.0, first: self.taken });
        word.weight += weight;
    }

    /// The hash of a word of plain letters, be they large or small: in numbers of sixteen letters each, since this is done for
    /// every word of every page.
    fn hash_of_plain(&self, word: &str) -> u64 {
        /// Makes small letters of large ones.
        const SMALL: u128 = u128::from_ne_bytes([0x20; PIECE]);
        const PIECE: usize = size_of::<u128>();
        let piece = |letters: &[u8]| {
            let mut piece = [0; PIECE];
            piece[..letters.len()].copy_from_slice(letters);
            u128::from_ne_bytes(piece) | SMALL
        };
        match word.as_bytes() {
            short if short.len() <= PIECE => self.hash.hash_one(piece(short)),
            long => self.hash.hash_one(long.chunks(PIECE).map(piece).collect::<Vec<_>>()),
        }
    }

    /// The heaviest words in their first form; of equal ones, those that came first.
    fn heaviest(self, count: usize, is_stop_word: impl Fn(&str) -> bool) -> Vec<String> {
        let mut words: Vec<_> = self.words.into_values().collect();
        let order = |a: &Word<'_>, b: &Word<'_>| b.weight.total_cmp(&a.weight).then(a.first.cmp(&b.first));
        let mut heaviest = Vec::new();
        // Few of many are wanted, so only a part is put in order; the next one if too many of it are stop words.
        let mut part = PART;
        while heaviest.len() < count && !words.is_empty() {
            if words.len() > part {
                words.select_nth_unstable_by(part, order);
            }
            let rest = words.split_off(part.min(words.len()));
            words.sort_unstable_by(order);
            let wanted = words.into_iter().filter(|word| !is_stop_word(&word.form.to_lowercase()));
            heaviest.extend(wanted.take(count - heaviest.len()).map(|word| word.form.to_owned()));
            (words, part) = (rest, part * 2);
        }
        heaviest
    }
}

/// Without punctuation at its ends, but for what may be part of a name.
fn without_edges(piece: &str) -> &str {
    let is_inner = |byte: &u8| !byte.is_ascii_punctuation() || *byte == b'_';
    let start = piece.bytes().position(|byte| is_inner(&byte)).unwrap_or(piece.len());
    let end = piece.bytes().rposition(|byte| is_inner(&byte)).map_or(start, |last| last + 1);
    // Both stand beside an ASCII character or at an end.
    &piece[start..end]
}

/// Letters, and more than two of them where letters are not words.
fn is_word(form: &str) -> bool {
    if !(3..=LONGEST).contains(&form.len()) {
        return false;
    }
    let mut letters = 0;
    let (mut wide, mut digits) = (false, 0);
    for character in form.chars() {
        letters += usize::from(character.is_alphabetic());
        digits += usize::from(character.is_numeric());
        wide |= character >= '\u{2e80}';
    }
    letters >= if wide { 2 } else { 3 } && digits <= letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn draft(title: &str, text: &str) -> Draft {
        let mut draft = Draft::new();
        draft.add("Title", title);
        draft.set_text(text);
        draft
    }

    fn check(keywords: &Keywords, draft: &Draft, language: Option<&str>, expected: &[&str]) {
        assert_eq!(keywords.of(&Kind::HTML, draft, language), expected);
    }

    #[test]
    fn a_title_counts_for_more_than_the_text() {
        let draft = draft("About Corn", "Maize and maize and maize: it grows in the fields, the fields of 2024 x1 a.");
        check(&Keywords::default(), &draft, Some("en"), &["Corn", "Maize", "fields", "grows"]);
    }

    #[test]
    fn stop_words_are_those_of_the_language() {
        let draft = draft("", "Der Mais und die Felder. Der Mais und die Tiere.");
        check(&Keywords::default(), &draft, Some("de-AT"), &["Mais", "Felder", "Tiere"]);
    }

    #[test]
    fn a_word_is_the_same_however_it_is_written() {
        let draft =
            draft("", "(maize, MAIZE-corn Corn) rhinoceroslikeanimal Rhinoceroslikeanimal: größer GRÖSSER Größer");
        let words = ["maize", "corn", "rhinoceroslikeanimal", "größer", "GRÖSSER"];
        check(&Keywords::default(), &draft, Some("en"), &words);
    }

    #[test]
    fn operators_have_their_own() {
        let everywhere = HashMap::from([("*".to_owned(), HashSet::from(["mais".to_owned()]))]);
        let draft = draft("", "Der Mais und die Felder");
        check(&Keywords { stop_words: everywhere, ..Keywords::default() }, &draft, Some("de"), &["Felder"]);
        let instead = HashMap::from([("de".to_owned(), HashSet::from(["felder".to_owned()]))]);
        let keywords = Keywords { stop_words: instead, count: 2, ..Keywords::default() };
        check(&keywords, &draft, Some("de"), &["Der", "Mais"]);
    }

    #[test]
    fn all_words_are_looked_at_however_many_stop_words_there_are() {
        let common: Vec<_> = stop_words::lookup("en").expect("English").iter().copied().cycle().take(2_000).collect();
        let words: Vec<_> = (0..300).map(|number| format!("w{}ord", "x".repeat(number % 30 + 1))).collect();
        let text = format!("{} {}", common.join(" "), words.join(" "));
        let draft = draft("", &text);
        let keywords = Keywords { count: 1_000, ..Keywords::default() };
        let found = keywords.of(&Kind::HTML, &draft, Some("en"));
        assert_eq!(found.len(), 30, "{found:?}");
    }

    #[test]
    fn a_kind_may_weigh_otherwise() {
        let mut draft = draft("Corn", "Maize");
        draft.refer(Url::parse("http://example.org/").expect("a URL"), "Barley");
        let weights = Weights { title: 0.0, headings: 0.0, anchors: 9.0, body: 1.0 };
        let keywords = Keywords { weights: HashMap::from([("html".to_owned(), weights)]), ..Keywords::default() };
        check(&keywords, &draft, None, &["Barley", "Maize"]);
        assert_eq!(keywords.of(&Kind::TEXT, &draft, None), ["Corn", "Maize", "Barley"]);
        check(&Keywords::none(), &draft, None, &[]);
    }
}
