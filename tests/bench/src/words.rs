//! Words and chance, the same for the same seed.

/// Numbers that look like chance.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Self(seed | 1);
        // Near seeds begin alike.
        for _ in 0..4 {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        u32::try_from(((self.next() >> 32) * u64::from(end)) >> 32).unwrap_or(0)
    }

    fn share(&mut self) -> f64 {
        f64::from(self.below(1 << 30)) / f64::from(1 << 30)
    }

    /// About 0, seldom beyond 3: twelve shares make a bell.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// The words that are in every text.
const COMMON: &str = "the of and to in is that for it as was with be by on not he his but at are this have from or had an \
    they which one you were all her she there would their we him been has when who will more no if out so said what up its \
    about into than them can only other new some could time these two may then do first any my now such like our over man";
const SYLLABLES: &[&str] = &[
    "ba", "ri", "to", "mel", "lan", "do", "ver", "sin", "ka", "nor", "ti", "pel", "mon", "sta", "gre", "lo", "fen",
    "du", "har", "vi", "sol", "ter", "min", "ral", "co", "pra", "ne", "gu", "list", "ber",
];
/// So many words of its own has a made-up language.
const RARE: usize = 6_000;

/// A vocabulary.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        words.extend((0..RARE).map(|_| {
            let count = 2 + chance.below(3);
            (0..count).map(|_| SYLLABLES[chance.below(30) as usize % SYLLABLES.len()]).collect::<String>()
        }));
        Self(words)
    }

    /// A word: those in front come much more often.
    fn word(&self, chance: &mut Chance) -> &str {
        let end = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let first = chance.below(end);
        // The third root of evenness: about as in real texts.
        let at = u64::from(first) * u64::from(chance.below(end)) / u64::from(end) * u64::from(chance.below(end))
            / u64::from(end);
        &self.0[usize::try_from(at).unwrap_or(0)]
    }

    /// So many words.
    pub(crate) fn some(&self, out: &mut String, chance: &mut Chance, count: u32) {
        for number in 0..count {
            if number > 0 {
                out.push(' ');
            }
            out.push_str(self.word(chance));
        }
    }

    pub(crate) fn title(&self, chance: &mut Chance) -> String {
        let mut title = String::new();
        let count = 3 + chance.below(5);
        self.some(&mut title, chance, count);
        capital(title)
    }

    pub(crate) fn sentence(&self, chance: &mut Chance) -> String {
        let mut sentence = String::new();
        let count = 8 + chance.below(14);
        self.some(&mut sentence, chance, count);
        sentence.push('.');
        capital(sentence)
    }
}

fn capital(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
