//! Names without a word that says of what: where they begin, and what is no name.

use crate::focus::Chooser;
use crate::language::Tongue;
use crate::mentions::{Mention, What};
use crate::names::clean;
use crate::tokens::{Kind, Token};
use std::ops::Range;

impl Chooser<'_> {
    /// Where the name begins behind words that lead to it: "Visiting Thornbury Down", "Welcome to The Pound".
    pub(crate) fn led(&self, line: usize, from: usize, piece: &str) -> Option<usize> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let tokens = &self.tokens.all[self.tokens.within(line, &(from..from + piece.len()))];
        let leads =
            |token: &&Token| language.greetings.contains(&*token.lower) || language.has("name-leads", &token.lower);
        let count = tokens.iter().take_while(leads).count();
        let small = tokens[count..].iter().take_while(|token| !token.is_capital && count > 0).count();
        let rest = tokens.get(count + small).filter(|_| count > 0)?;
        (rest.is_capital && tokens[count..count + small].iter().all(|token| language.is_small(&token.lower)))
            .then_some(rest.span.start)
    }

    /// "Willkommen im Steinwald": rather where something is than what.
    pub(crate) fn is_region_greeted(&self, line: usize, lead: Range<usize>) -> bool {
        let language = self.languages.of(self.tokens.tongues[line]);
        let mut tokens = self.tokens.all[self.tokens.within(line, &lead)].iter();
        tokens.any(|token| !token.is_capital && language.has("at", &token.lower))
    }

    /// Whether a name is that of the host: `saltmarsh-kitchen.example`.
    pub(crate) fn is_host(&self, key: &str) -> bool {
        is_in_host(&self.hosts.own, &letters(key))
    }

    /// Whether mail goes to a host of this name, or it is given as the page's own.
    pub(crate) fn is_mail_host(&self, key: &str) -> bool {
        let key = letters(key);
        self.hosts.others.iter().any(|host| is_in_host(host, &key))
    }

    /// Whether words are the name of something that stands there: what is small in it only joins the rest, unlike in
    /// "Ankommen und durchatmen".
    pub(crate) fn is_bare_name(&self, line: usize, span: &Range<usize>, vouched: u8) -> bool {
        let tongue = self.tokens.tongues[line];
        let language = self.languages.of(tongue);
        let is_said = |token: &Token| {
            token.kind == Kind::Word
                && !token.is_capital
                && !language.is_small(&token.lower)
                && !language.name_particles.contains(&*token.lower)
        };
        let is_phrase = tongue == Tongue::German && self.tokens.all[self.tokens.within(line, span)].iter().any(is_said);
        !is_phrase && !self.is_town(&self.page.text[span.clone()]) && self.may_be_name(line, span, vouched)
    }

    /// Whether words are a name and not a heading such as "Unsere Preise".
    pub(crate) fn may_be_name(&self, line: usize, span: &Range<usize>, vouched: u8) -> bool {
        let tongue = self.tokens.tongues[line];
        let tokens = &self.tokens.all[self.tokens.within(line, span)];
        let words: Vec<_> = tokens.iter().filter(|token| token.kind == Kind::Word).collect();
        if words.is_empty() || words.len() > 7 || !words[0].is_capital {
            return false;
        }
        let language = self.languages.of(tongue);
        if words.iter().any(|token| language.greetings.contains(&*token.lower)) {
            return false;
        }
        let is_small = |token: &&&Token| {
            let particles = ["of", "the", "and", "at", "in", "on", "by", "for", "under", "upon"];
            !token.is_capital && !particles.contains(&&*token.lower)
        };
        let is_sentence = tongue == Tongue::English && words.iter().any(|token| is_small(&token));
        let capitals = || words.iter().filter(|token| token.is_capital);
        let heads =
            |token: &&Token| language.headings.contains(&*token.lower) && !language.classes.contains_key(&*token.lower);
        let is_heading = vouched < 2 && capitals().any(heads) || capitals().all(heads);
        // "Museums" alone is no name.
        let lexicon = self.domain.lexicon(tongue);
        let is_plain = |token: &&&Token| {
            let one = token.lower.trim_end_matches('s');
            lexicon.is_kind(&token.lower) || lexicon.is_kind(one) || language.is_small(&token.lower)
        };
        if tongue == Tongue::English && vouched < 2 && words.iter().all(|token| is_plain(&token)) {
            return false;
        }
        let has_end = self.page.text.get(span.clone()).is_some_and(|text| text.ends_with(['.', '!', '?']));
        !is_sentence && !is_heading && !has_end && self.is_strange(line, span, &words, vouched > 0)
    }

    /// Whether an address has a town of this name.
    fn is_town(&self, name: &str) -> bool {
        let towns = self.mentions.iter().filter_map(Mention::literal);
        let mut towns = towns.filter(|(kind, _)| *kind == crate::literals::Kind::Town);
        towns.any(|(_, town)| town == clean(name))
    }

    /// Whether words are not those of the domain, or somebody vouches for them.
    fn is_strange(&self, line: usize, span: &Range<usize>, words: &[&Token], is_vouched: bool) -> bool {
        let lexicon = self.domain.lexicon(self.tokens.tongues[line]);
        let own = || self.on(line).iter();
        let places: Vec<_> = own().filter(|mention| matches!(mention.what, What::Place(_))).collect();
        if places.iter().any(|place| place.span == *span) {
            return false;
        }
        let in_place = |token: &Token| places.iter().any(|place| place.span.contains(&token.span.start));
        let is_unknown = |token: &&&Token| token.is_capital && !lexicon.knows(&token.lower) && !in_place(token);
        let has_thing =
            own().any(|mention| span.contains(&mention.span.start) && matches!(mention.what, What::Thing(_)));
        is_vouched || !has_thing && words.iter().any(|token| is_unknown(&token))
    }
}

/// The hosts that a page names as its own, by their letters.
#[derive(Debug)]
pub(crate) struct Hosts {
    own: String,
    others: Vec<String>,
}

impl Hosts {
    /// That of its address, and those of mail and web addresses on it.
    pub(crate) fn read(url: &str, mentions: &[Mention]) -> Self {
        use crate::literals::Kind as Value;
        let own = url.split("://").nth(1).unwrap_or_default().split('/').next().unwrap_or_default();
        let is_own = |mention: &&Mention| mention.is_literal(Value::Mail) || mention.is_literal(Value::Web);
        let host = |value: &str| {
            let host = value.split("://").last().and_then(|value| value.rsplit('@').next()).unwrap_or_default();
            letters(host.split('/').next().unwrap_or_default())
        };
        let others = mentions.iter().filter(is_own).filter_map(Mention::literal).map(|(_, value)| host(value));
        let mut others: Vec<_> = others.collect();
        others.sort();
        others.dedup();
        Self { own: letters(own), others }
    }

    /// Whether one of them may have a word in its name.
    pub(crate) fn may_have(&self, word: &str) -> bool {
        let word = letters(word);
        self.own.contains(&word) || self.others.iter().any(|host| host.contains(&word))
    }
}

/// Letters and digits as addresses write them.
fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            'ä' => letters.push_str("ae"),
            'ö' => letters.push_str("oe"),
            'ü' => letters.push_str("ue"),
            'ß' => letters.push_str("ss"),
            _ if one.is_ascii_alphanumeric() => letters.push(one),
            _ => {}
        }
    }
    letters
}

/// Whether a host is called like this: letters count, and nothing else.
fn is_in_host(host: &str, key: &str) -> bool {
    // "Ember & Rye" is at emberandrye.
    let is_joined = || ["and", "und"].iter().any(|word| host.contains(word) && host.replace(word, "").contains(key));
    key.len() >= 5 && (host.contains(key) || is_joined())
}
