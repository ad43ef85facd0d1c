//! Proper names: of persons by their first names, of things by the word that says what they are.

use crate::domain::Domain;
pub(crate) use crate::keys::{clean, key};
use crate::language::{Languages, Tongue};
use crate::layout::{Page, Role};
use crate::mentions::{Mention, What};
use crate::tokens::{Kind, Token, Tokens};
use std::ops::Range;

/// Longest name, in tokens to each side of the word that says what it is.
const LONGEST: usize = 6;

/// Finds the proper names of things.
pub(crate) struct Namer<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) languages: &'a Languages,
}

impl Namer<'_> {
    /// Gives all mentions of things that may have names the names they have. What became part of a name is no mention of
    /// its own any more.
    pub(crate) fn name_all(&self, mentions: &mut Vec<Mention>) {
        let mut place = 0;
        while place < mentions.len() {
            if !self.may_have_name(mentions, place) {
                place += 1;
                continue;
            }
            if let Some((inner, to)) = self.quoted(&mentions[place]) {
                let mention = &mut mentions[place];
                mention.name = Some(clean(&self.page.text[inner]));
                mention.tokens.end = to;
                mention.span.end = self.tokens.all[to - 1].span.end;
                let tokens = mention.tokens.clone();
                place = Self::swallow(mentions, place, tokens) + 1;
                continue;
            }
            if let Some((name, tokens)) = self.beside(&mentions[place]) {
                mentions[place].name = Some(name);
                let own = mentions[place].tokens.clone();
                mentions.retain(|mention| {
                    mention.tokens == own || mention.tokens.start < tokens.start || mention.tokens.end > tokens.end
                });
                place += 1;
                continue;
            }
            let (from, to) = self.extent(mentions, place);
            let head = mentions[place].tokens.clone();
            let is_small = !self.tokens.all[head.end - 1].is_capital && !self.tokens.all[head.start].is_capital;
            if from < head.start || to > head.end {
                let span = self.tokens.all[from].span.start..self.tokens.all[to - 1].span.end;
                let name = clean(&self.page.text[span.clone()]);
                let name = self.with_form(name, to, mentions[place].line);
                // "Clive's Table restaurant": the small word is no part of the name, but that of "Ganderby station" is.
                let name = if is_small && !mentions[place].flags.placed {
                    clean(&self.page.text[span.start..self.tokens.all[head.start].span.start])
                } else {
                    name
                };
                let mention = &mut mentions[place];
                let is_generic = self.is_generic(from..to, &head, mention)
                    || (is_small && head.start - from < 2 && !mention.flags.placed);
                if !is_generic {
                    if matches!(name.split(' ').next(), Some("Am" | "Zum" | "Zur" | "Im" | "An" | "Beim"))
                        && head.start > from
                    {
                        mention.flags.anaphor = true;
                    }
                    mention.name = Some(name);
                    mention.span = span;
                    mention.tokens = from..to;
                    mention.count = None;
                    let sentence = mention.sentence;
                    self.last_head(mentions, place, from..to);
                    place = Self::swallow(mentions, place, from..to);
                    mentions[place].sentence = sentence;
                }
            }
            place += 1;
        }
    }

    /// A name that does not reach over the word for it.
    fn beside(&self, mention: &Mention) -> Option<(String, Range<usize>)> {
        self.apposed(mention).or_else(|| self.bracketed(mention)).or_else(|| self.pointed(mention))
    }

    fn may_have_name(&self, mentions: &[Mention], place: usize) -> bool {
        let mention = &mentions[place];
        let is_thing = matches!(mention.what, What::Thing(_)) && (mention.flags.name || mention.flags.title);
        let is_head = self.tokens.all[mention.tokens.end - 1].is_capital
            || mention.tokens.len() > 1 && self.tokens.all[mention.tokens.start].is_capital;
        let is_small_head = self.is_running(mention.line) || mention.flags.placed;
        is_thing && (is_head || is_small_head) && mention.name.is_none() && !self.is_plural(mention)
    }

    /// "Our restaurant, Crate & Barrel, serves" and "The Stag Room, our restaurant": the name between commas.
    fn apposed(&self, mention: &Mention) -> Option<(String, Range<usize>)> {
        let line = self.tokens.lines[mention.line].clone();
        let tongue = self.tokens.tongues[mention.line];
        if !self.is_running(mention.line) || mention.flags.title {
            return None;
        }
        let token = |place: usize| &self.tokens.all[place];
        let is_sign = |place: usize, signs: &[&str]| line.contains(&place) && signs.contains(&&*token(place).lower);
        let is_part = |place: usize| {
            line.contains(&place)
                && (self.is_name_word(token(place), tongue)
                    || matches!(&*token(place).lower, "&" | "the" | "of") && token(place).kind != Kind::Number)
        };
        let language = self.languages.of(tongue);
        let is_ours = |place: usize| language.has("ours", &token(place).lower);
        let lead = mention.tokens.start.saturating_sub(4).max(line.start)..mention.tokens.start;
        // Behind it.
        let comma = mention.tokens.end;
        if lead.clone().any(is_ours) && is_sign(comma, &[","]) {
            // Behind "our restaurant," capitals are those of its name: "The Still Room".
            let is_own = |place: usize| is_part(place) || token(place).is_capital && token(place).kind == Kind::Word;
            let end = (comma + 1..line.end).find(|place| !is_own(*place))?;
            let first = comma + 1 + usize::from(is_sign(comma + 1, &["the"]));
            if end > first && end - comma <= 6 && is_sign(end, &[",", "."]) && token(first).is_capital {
                let span = token(first).span.start..token(end - 1).span.end;
                return Some((clean(&self.page.text[span]), first..end));
            }
        }
        // Before it: "The Stag Room, our restaurant", "the Jolly Crabber, a pub".
        let is_one = |place: usize| is_ours(place) || matches!(&*token(place).lower, "a" | "an" | "ein" | "eine");
        let ours = lead.rev().find(|place| is_one(*place))?;
        let comma = ours.checked_sub(1).filter(|comma| is_sign(*comma, &[","]))?;
        let start = (line.start..comma).rev().take_while(|place| is_part(*place)).last()?;
        let start = start + usize::from(is_sign(start, &["the"]) && start + 1 < comma);
        let is_article = |place: usize| language.has("articles", &token(place).lower);
        let is_named = is_ours(ours)
            || comma - start > 1 && tongue == Tongue::English
            || start > line.start && is_article(start - 1);
        let span = token(start).span.start..token(comma - 1).span.end;
        let is_name = is_named && token(comma - 1).is_capital && comma - start <= 5;
        is_name.then(|| (clean(&self.page.text[span]), start..comma))
    }

    /// "The Ship and Anchor (pub)"
    fn bracketed(&self, mention: &Mention) -> Option<(String, Range<usize>)> {
        let line = self.tokens.lines[mention.line].clone();
        let tongue = self.tokens.tongues[mention.line];
        let open = mention.tokens.start.checked_sub(1).filter(|open| *open > line.start)?;
        let is_sign = |place: usize, sign: &str| line.contains(&place) && &*self.tokens.all[place].lower == sign;
        let is_part = |place: &usize| {
            let token = &self.tokens.all[*place];
            self.is_name_word(token, tongue) || matches!(&*token.lower, "&" | "and" | "of" | "the" | "und")
        };
        let start = (line.start..open).rev().take_while(is_part).last()?;
        let is_name = is_sign(open, "(")
            && is_sign(mention.tokens.end, ")")
            && start == line.start
            && open - start <= 6
            && !self.languages.of(tongue).months.contains_key(&*self.tokens.all[start].lower)
            && self.tokens.all[open - 1].is_capital;
        let span = self.tokens.all[start].span.start..self.tokens.all[open - 1].span.end;
        is_name.then(|| (clean(&self.page.text[span]), start..open))
    }

    /// "the exhibition <i>Our Daily Bread</i>": the name right behind the word for it, which its author points out.
    fn pointed(&self, mention: &Mention) -> Option<(String, Range<usize>)> {
        let line = self.tokens.lines[mention.line].clone();
        let first = self.tokens.all[line].iter().find(|token| token.span.start >= mention.span.end)?;
        let mark = self.page.marks.iter().find(|mark| {
            mark.start <= first.span.start && first.span.end <= mark.end && mark.start >= mention.span.end
        })?;
        let tokens = self.tokens.within(mention.line, mark);
        let last = tokens.clone().last()?;
        let text = clean(&self.page.text[mark.clone()]);
        let is_name = first.is_capital && tokens.len() <= LONGEST + 4 && self.tokens.all[last].kind == Kind::Word;
        let is_plain = !text.contains(|one: char| one.is_ascii_digit()) && !mention.flags.title;
        (is_name && is_plain && self.is_running(mention.line)).then_some((text, tokens))
    }

    /// The name in quotes right behind the word for it: Restaurant „Kajüte“.
    fn quoted(&self, mention: &Mention) -> Option<(Range<usize>, usize)> {
        let line = self.tokens.lines[mention.line].clone();
        let text = |place: usize| &self.page.text[self.tokens.all[place].span.clone()];
        let open = mention.tokens.end;
        if open >= line.end || !matches!(text(open), "\"" | "„" | "“" | "»" | "‚" | "‘" | "«") || mention.flags.title
        {
            return None;
        }
        let close = (open + 2..line.end.min(open + 16))
            .find(|place| matches!(text(*place), "\"" | "“" | "”" | "«" | "‘" | "’" | "»"))?;
        Some((self.tokens.all[open + 1].span.start..self.tokens.all[close - 1].span.end, close + 1))
    }

    /// "Hotels in Rerik" is no name; "des Hotels Anker" has one.
    fn is_plural(&self, mention: &Mention) -> bool {
        let last = &*self.tokens.all[mention.tokens.end - 1].lower;
        let base = mention.lemma.split_whitespace().last().unwrap_or_default();
        let is_base = last == base || last.ends_with(base) || mention.flags.title;
        let is_genitive =
            mention.tokens.start.checked_sub(1).is_some_and(|before| {
                matches!(&*self.tokens.all[before].lower, "des" | "eines" | "unseres" | "dieses")
            });
        !is_base && !is_genitive
    }

    /// From which token to which the name reaches.
    fn extent(&self, mentions: &[Mention], place: usize) -> (usize, usize) {
        let mention = &mentions[place];
        let line = self.tokens.lines[mention.line].clone();
        let tongue = self.tokens.tongues[mention.line];
        let left_floor = mentions[..place]
            .iter()
            .rev()
            .take(4)
            .filter(|before| before.line == mention.line)
            .find(|before| !self.may_be_inside(before));
        let floor = left_floor.map_or(line.start, |before| before.tokens.end.max(line.start));
        let ceiling = mentions[place + 1..]
            .iter()
            .take(6)
            .filter(|after| after.line == mention.line)
            .find(|after| !self.may_be_inside(after) && !self.is_apposition(mention, after));
        let ceiling = ceiling.map_or(line.end, |after| after.tokens.start.min(line.end));
        let mut from = if mention.flags.title { mention.tokens.start } else { self.left(mention, floor, tongue) };
        // "Am Alten Markt" is the name of a house, not of a market.
        if tongue == Tongue::German
            && from > line.start
            && matches!(
                &self.page.text[self.tokens.all[from - 1].span.clone()],
                "Am" | "Zum" | "Zur" | "Im" | "An" | "Beim"
            )
            && !self.is_running(mention.line)
        {
            from -= 1;
        }
        let is_small = tongue == Tongue::English && !self.tokens.all[mention.tokens.end - 1].is_capital;
        let to = if is_small { mention.tokens.end } else { self.right(mention, ceiling, tongue) };
        (from, to)
    }

    /// "Die Ferienwohnung Apfelgarten": of two German nouns side by side the second is a name, if no lexicon has it.
    fn is_apposition(&self, mention: &Mention, after: &Mention) -> bool {
        let token = &self.tokens.all[after.tokens.start];
        let tongue = self.tokens.tongues[mention.line];
        tongue == Tongue::German
            && after.tokens.len() == 1
            && after.tokens.start == mention.tokens.end
            && token.is_capital
            && !self.domain.lexicon(tongue).knows(&token.lower)
            && self.is_running(mention.line)
            && self.has_article(mention, tongue)
    }

    fn may_be_inside(&self, mention: &Mention) -> bool {
        let is_compound = mention.tokens.len() == 1
            && self.tokens.all[mention.tokens.start].lower.contains('-')
            && self.tokens.all[mention.tokens.start].is_capital;
        // "the Bath House Café": in English, words with capitals inside of a sentence are parts of names.
        let own = &self.tokens.all[mention.tokens.clone()];
        let is_first = mention.tokens.start.checked_sub(1).is_none_or(|before| {
            self.tokens.all[before].sentence != mention.sentence || self.tokens.all[before].kind == Kind::Sign
        });
        let is_titled = self.tokens.tongues[mention.line] == Tongue::English
            && own.iter().all(|token| token.is_capital)
            && !is_first;
        let is_mild = mention.flags.name || !self.is_running(mention.line) || is_compound || is_titled;
        match &mention.what {
            What::Place(_) | What::Agent(_) => true,
            What::Thing(_) => is_mild,
            _ => false,
        }
    }

    /// Whether a line is running text, and not a title, a heading or a line that stands out.
    fn is_running(&self, line: usize) -> bool {
        let layout = &self.page.lines[line];
        !matches!(layout.role, Role::Title | Role::Heading(_)) && !layout.is_strong
    }

    fn is_name_word(&self, token: &Token, tongue: Tongue) -> bool {
        let is_made =
            token.lower.ends_with("-listed") || token.lower.ends_with("-run") || token.lower.ends_with("-star");
        token.kind == Kind::Word && token.is_capital && !is_made && !self.is_function_word(token, tongue)
    }

    fn is_function_word(&self, token: &Token, tongue: Tongue) -> bool {
        let language = self.languages.of(tongue);
        language.classes.contains_key(&*token.lower) || language.has("nameless", &token.lower)
    }

    fn left(&self, mention: &Mention, floor: usize, tongue: Tongue) -> usize {
        let mut at = mention.tokens.start;
        while at > floor && mention.tokens.start - at < LONGEST {
            let token = &self.tokens.all[at - 1];
            if token.sentence != mention.sentence {
                break;
            }
            let fits = match tongue {
                Tongue::German => {
                    let is_adjective = token.lower.ends_with("es")
                        || token.lower.ends_with("liche")
                        || token.lower.ends_with("ige")
                        || token.lower.ends_with("iger");
                    self.is_name_word(token, tongue) && !is_adjective
                }
                Tongue::English => {
                    let is_the = &*token.lower == "the" && token.is_capital;
                    let joins = matches!(&*token.lower, "and" | "&" | "of" | "." | "'" | "’") && at > floor + 1 && {
                        let before = &self.tokens.all[at - 2];
                        before.kind == Kind::Word
                            && before.is_capital
                            && (&*token.lower != "." || before.lower.len() <= 3)
                    };
                    self.is_name_word(token, tongue) || is_the || joins
                }
            };
            // "St. Marien": the point belongs to the name.
            let is_point = &*token.lower == "."
                && at >= 2
                && self.tokens.all[at - 2].lower.len() <= 3
                && self.tokens.all[at - 2].is_capital;
            if !fits && !is_point {
                break;
            }
            at -= 1;
            if &*token.lower == "the" {
                break;
            }
        }
        at
    }

    fn right(&self, mention: &Mention, ceiling: usize, tongue: Tongue) -> usize {
        let mut at = mention.tokens.end;
        let mut end = at;
        let in_heading = !self.is_running(mention.line) && !self.has_article(mention, tongue);
        while at < ceiling && at - mention.tokens.end < LONGEST {
            let token = &self.tokens.all[at];
            if token.sentence != mention.sentence {
                break;
            }
            let text = &self.page.text[token.span.clone()];
            if matches!(text, "\"" | "„" | "“" | "”" | "»" | "«" | "'" | "‚" | "‘") {
                at += 1;
                if end > mention.tokens.end {
                    end = at;
                }
                continue;
            }
            let goes_on = self.goes_on(at);
            // "Restaurant & Biergarten am Kanal" are two kinds, and no name.
            if matches!(&*token.lower, "&" | "und" | "and")
                && end == mention.tokens.end
                && self.is_kind_list(at, tongue)
            {
                break;
            }
            let is_point = text == "." && end == at && self.tokens.all[at - 1].lower.len() <= 3 && goes_on;
            if self.is_name_word(token, tongue) {
                at += 1;
                end = at;
            } else if self.is_inside(at, tongue, end < at, in_heading && goes_on) || is_point && at > mention.tokens.end
            {
                at += 1;
            } else {
                break;
            }
        }
        end
    }

    /// Whether another kind of thing follows, and no name behind it.
    fn is_kind_list(&self, at: usize, tongue: Tongue) -> bool {
        let lexicon = self.domain.lexicon(tongue);
        let line = self.tokens.all[at].line;
        let token = |place: usize| self.tokens.all.get(place).filter(|token| token.line == line);
        let is_kind = token(at + 1).is_some_and(|next| token(at + 1).is_some() && lexicon.is_kind(&next.lower));
        let has_name = token(at + 2).is_some_and(|next| self.is_name_word(next, tongue) && !lexicon.knows(&next.lower));
        let is_quoted =
            token(at + 2).is_some_and(|next| matches!(&self.page.text[next.span.clone()], "\"" | "„" | "“" | "»"));
        is_kind && !has_name && !is_quoted
    }

    /// "Ihr Hotel in Warnemünde", "Das Hotel am See": with an article it is hardly a name.
    fn has_article(&self, mention: &Mention, tongue: Tongue) -> bool {
        let start = self.tokens.lines[mention.line].start;
        let before = mention.tokens.start.checked_sub(1).filter(|before| *before >= start);
        let classes = &self.languages.of(tongue).classes;
        before.and_then(|before| classes.get(&*self.tokens.all[before].lower)).is_some_and(|class| class == "Det")
    }

    /// Whether a capital follows in the line.
    fn goes_on(&self, at: usize) -> bool {
        let next = self.tokens.all.get(at + 1).filter(|next| next.line == self.tokens.all[at].line);
        next.is_some_and(|next| next.kind == Kind::Word && next.is_capital)
    }

    /// Small words inside of names: "Zum", "of".
    fn is_inside(&self, at: usize, tongue: Tongue, after_particle: bool, in_heading: bool) -> bool {
        let token = &self.tokens.all[at];
        if !self.languages.of(tongue).name_particles.contains(&*token.lower) {
            return false;
        }
        match tongue {
            // "Hotel Moselschleife in Ellerburg": a town follows.
            Tongue::German if &*token.lower == "in" && !token.is_capital && self.goes_on(at) => false,
            Tongue::German => {
                let is_firm = matches!(&*token.lower, "&" | "de" | "für" | "des") && self.goes_on(at);
                token.is_capital || after_particle || is_firm || in_heading && !self.is_place_at(at + 1)
            }
            Tongue::English => &*token.lower != "the" || after_particle,
        }
    }

    /// Whether a known place begins here.
    fn is_place_at(&self, place: usize) -> bool {
        let words = self.tokens.all[place..].iter().take(4).map(|token| &self.page.text[token.span.clone()]);
        self.domain.places.find(words).is_some()
    }

    /// Whether what was found is no name: "Hotel Restaurant", "Ferienwohnung Preise".
    fn is_generic(&self, all: Range<usize>, head: &Range<usize>, mention: &Mention) -> bool {
        let tongue = self.tokens.tongues[mention.line];
        let lexicon = self.domain.lexicon(tongue);
        let own = all.clone().filter(|place| !head.contains(place)).map(|place| &self.tokens.all[place]);
        let mut telling = own.filter(|token| token.kind == Kind::Word && token.is_capital && &*token.lower != "the");
        // "Ausstellung & Information"
        let headings = &self.languages.of(tongue).headings;
        if telling.clone().count() > 0 && telling.clone().all(|token| headings.contains(&*token.lower)) {
            return true;
        }
        let is_known = |token: &Token| lexicon.knows(&token.lower) || self.is_function_word(token, tongue);
        telling.all(|token| is_known(token) && self.is_running(mention.line) && tongue == Tongue::German)
            || all
                .clone()
                .filter(|place| !head.contains(place))
                .map(|place| &self.tokens.all[place])
                .all(|token| self.is_function_word(token, tongue) || token.kind == Kind::Sign)
    }

    /// In English the last word says what it is: "Gull Cottage Guest House".
    fn last_head(&self, mentions: &mut [Mention], place: usize, tokens: Range<usize>) {
        if self.tokens.tongues[mentions[place].line] != Tongue::English {
            return;
        }
        let last = mentions[place + 1..]
            .iter()
            .take_while(|mention| mention.tokens.end <= tokens.end && mention.line == mentions[place].line)
            .filter(|mention| mention.flags.name)
            .last();
        if let Some((what, flags, lemma)) = last.map(|last| (last.what.clone(), last.flags, last.lemma.clone())) {
            (mentions[place].what, mentions[place].flags, mentions[place].lemma) = (what, flags, lemma);
        }
    }

    /// "e. V.", "Ltd": part of the name.
    fn with_form(&self, name: String, to: usize, line: usize) -> String {
        let end = self.tokens.lines[line].end;
        let word = |place: usize| (place < end).then(|| &self.page.text[self.tokens.all[place].span.clone()]);
        match (word(to), word(to + 1), word(to + 2)) {
            (Some("e"), Some("."), Some("V")) => {
                let last = if word(to + 3).is_some_and(|sign| sign.starts_with('.')) { to + 3 } else { to + 2 };
                let form = &self.page.text[self.tokens.all[to].span.start..self.tokens.all[last].span.end];
                format!("{name} {}", form.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            _ => name,
        }
    }

    /// Takes out the mentions that became part of a name.
    fn swallow(mentions: &mut Vec<Mention>, place: usize, tokens: Range<usize>) -> usize {
        let own = mentions[place].span.clone();
        let mut number = 0;
        let mut kept = place;
        mentions.retain(|mention| {
            let at = number;
            number += 1;
            let inside = at != place
                && mention.tokens.start >= tokens.start
                && mention.tokens.end <= tokens.end
                && mention.span.start >= own.start
                && mention.span.end <= own.end;
            if inside && at < place {
                kept -= 1;
            }
            !inside
        });
        kept
    }
}
