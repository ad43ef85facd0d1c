//! Addresses over several lines or between commas: what stands before a postcode.

use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::roles::meet;
use std::collections::HashMap;
use std::ops::Range;

/// So many pieces before a postcode may belong to it.
const PIECES: usize = 4;

impl Reader<'_> {
    /// Finds street and town before each postcode that has none yet.
    pub(crate) fn addresses(&self, all: &mut Vec<Mention>) {
        let codes: Vec<_> = all
            .iter()
            .filter(|mention| mention.is_literal(Kind::Postcode))
            .map(|mention| (mention.line, mention.span.clone()))
            .collect();
        for (line, span) in codes {
            let is_british = matches!(self.country, "us" | "au" | "nz" | "za")
                || self.page.text[span.clone()].starts_with(|letter: char| letter.is_ascii_uppercase());
            let pieces = self.pieces_before(line, self.state_before(line, &span, all).unwrap_or(span.start));
            if is_british {
                self.british(&pieces, all);
            } else {
                self.german(&pieces, all);
            }
        }
        self.counties(all);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// "Huntsville ON P1H 1K2": where the state before a postcode begins.
    fn state_before(&self, line: usize, code: &Range<usize>, all: &[Mention]) -> Option<usize> {
        let is_beside = |state: &&Mention| {
            let gap = self.page.text.get(state.span.end..code.start);
            state.line == line && state.is_literal(Kind::County) && gap.is_some_and(|gap| gap.trim().is_empty())
        };
        all.iter().find(is_beside).map(|state| state.span.start)
    }

    /// "Main Street, Kilbrannock, Co. Wexford": an address without a postcode, by its county.
    fn counties(&self, all: &mut Vec<Mention>) {
        for (line, layout) in self.page.lines.iter().enumerate() {
            let text = self.page.line(layout);
            let Some(county) = [", Co. ", ", County "].iter().filter_map(|sign| text.find(sign)).min() else {
                continue;
            };
            let mut pieces = Vec::new();
            let mut end = county;
            while let Some((start, sign)) = text[..end].rmatch_indices([',', '.', ':', '·', '|']).next() {
                pieces.extend(trimmed(text, start + sign.len()..end, layout.span.start));
                end = start;
            }
            pieces.extend(trimmed(text, 0..end, layout.span.start));
            let words = |span: &Range<usize>| self.page.text[span.clone()].split_whitespace().collect::<Vec<_>>();
            let is_name = |span: &Range<usize>| {
                let words = words(span);
                (1..=3).contains(&words.len()) && words.iter().all(|word| word.starts_with(char::is_uppercase))
            };
            let Some(town) = pieces.first().filter(|span| is_name(span)).cloned() else { continue };
            let behind = county + 2;
            let name = text[behind..].split([',', '.', ';']).take(2).collect::<Vec<_>>().join(".");
            let name = if text[behind..].starts_with("Co.") {
                name
            } else {
                name.split('.').next().unwrap_or_default().to_owned()
            };
            let length = name.split_whitespace().take(2).collect::<Vec<_>>().join(" ").len();
            self.put(line, town, Kind::Town, all);
            self.put(line, layout.span.start + behind..layout.span.start + behind + length, Kind::County, all);
            let street = pieces.get(1).filter(|span| {
                let words = words(span);
                let ends =
                    words.last().is_some_and(|word| self.languages.of(self.tokens.tongues[line]).has("streets", word));
                (2..=5).contains(&words.len()) && (ends || words[0].starts_with(|letter: char| letter.is_ascii_digit()))
            });
            if let Some(street) = street.cloned() {
                self.put(line, street, Kind::Street, all);
            }
        }
    }

    /// Towns that no table knows: what an address names, or the title after "in", is a town wherever it stands.
    pub(crate) fn local_places(&self, all: &mut Vec<Mention>) {
        let Some(town) = self.domain.rules.town else { return };
        let mut names: Vec<String> = all
            .iter()
            .filter_map(|mention| mention.literal())
            .filter(|(kind, _)| *kind == Kind::Town)
            .map(|(_, value)| value.to_owned())
            .collect();
        names.extend(self.title_places(all));
        names.extend(self.municipalities());
        names.extend(self.place_lines(all));
        names.extend(self.far_places(all));
        names.extend(self.listed_places(all));
        names.extend(self.dated_places(all));
        names.sort();
        names.dedup();
        let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, token) in self.tokens.all.iter().enumerate().filter(|(_, token)| token.is_capital) {
            by_text.entry(&self.page.text[token.span.clone()]).or_default().push(place);
        }
        for name in names {
            let words: Vec<_> = name.split_whitespace().collect();
            let Some(first) = words.first() else { continue };
            for place in by_text.get(first).into_iter().flatten().copied() {
                let token = &self.tokens.all[place];
                let end = place + words.len();
                let fits = self.tokens.all.get(place..end).is_some_and(|tokens| {
                    tokens.iter().zip(&words).all(|(token, word)| self.page.text[token.span.clone()] == **word)
                });
                let range = place..end;
                // "Bad Rodenstein" is no bath.
                let overlaps = |mention: &Mention| mention.tokens.start < range.end && mention.tokens.end > range.start;
                let is_inside = |mention: &Mention| {
                    words.len() > 1
                        && matches!(mention.what, What::Thing(_))
                        && mention.tokens.start >= range.start
                        && mention.tokens.end <= range.end
                };
                let is_free = !all.iter().any(|mention| overlaps(mention) && !is_inside(mention));
                if fits && is_free {
                    all.retain(|mention| !overlaps(mention));
                    let span = token.span.start..self.tokens.all[end - 1].span.end;
                    let mut mention = self.mention(token.line as usize, span, range, What::Place(town));
                    mention.name = Some(name.clone());
                    all.push(mention);
                }
            }
        }
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// "Things to do in Harnbeck": a word that nobody knows behind "in", in title or first heading.
    fn title_places(&self, all: &[Mention]) -> Vec<String> {
        let mut names = Vec::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            if !matches!(layout.role, crate::layout::Role::Title | crate::layout::Role::Heading(1)) {
                continue;
            }
            let tongue = self.tokens.tongues[line];
            let range = self.tokens.lines[line].clone();
            for place in range.start..range.end.saturating_sub(1) {
                let next = &self.tokens.all[place + 1];
                let is_in = matches!(&*self.tokens.all[place].lower, "in");
                let is_known = self.languages.of(tongue).classes.contains_key(&*next.lower)
                    || self.domain.lexicon(tongue).knows(&next.lower)
                    || all.iter().any(|mention| mention.tokens.contains(&(place + 1)));
                if is_in && next.is_capital && !is_known && next.lower.chars().count() > 3 {
                    let behind = self.tokens.all[..range.end].get(place + 2).filter(|behind| {
                        tongue == Tongue::English
                            && behind.is_capital
                            && !self.languages.of(tongue).classes.contains_key(&*behind.lower)
                            && !self.domain.lexicon(tongue).knows(&behind.lower)
                            && !all.iter().any(|mention| mention.tokens.contains(&(place + 2)))
                    });
                    let end = behind.map_or(next.span.end, |behind| behind.span.end);
                    names.push(self.page.text[next.span.start..end].to_owned());
                }
            }
        }
        names
    }

    /// "Marktgemeinde Sankt Leopold am Kamp: Essen und Trinken": what a title calls a municipality.
    fn municipalities(&self) -> Vec<String> {
        let is_head = |line: &usize| {
            matches!(self.page.lines[*line].role, crate::layout::Role::Title | crate::layout::Role::Heading(1))
        };
        let mut names = Vec::new();
        for line in (0..self.page.lines.len()).filter(is_head) {
            let language = self.languages.of(self.tokens.tongues[line]);
            let range = self.tokens.lines[line].clone();
            let Some(at) = range.clone().find(|at| language.has("municipalities", &self.tokens.all[*at].lower)) else {
                continue;
            };
            let is_word = |at: &usize| {
                let token = &self.tokens.all[*at];
                token.is_capital && !language.headings.contains(&*token.lower)
                    || language.has("inside-towns", &token.lower)
            };
            let end = (at + 1..range.end).take(5).take_while(is_word).last();
            let is_known = |at: usize| self.domain.lexicon(self.tokens.tongues[line]).knows(&self.tokens.all[at].lower);
            let name = end.filter(|end| self.tokens.all[*end].is_capital && !is_known(at + 1));
            names.extend(name.map(|end| self.page.text[self.span(at + 1..end + 1)].to_owned()));
        }
        names
    }

    /// "six miles north of Clitheroe", "Llandrillo 3 miles": a name that nobody knows, with a distance.
    fn far_places(&self, all: &[Mention]) -> Vec<String> {
        let mut names = Vec::new();
        for mention in all.iter().filter(|mention| mention.is_literal(Kind::Length)) {
            let range = self.tokens.lines[mention.line].clone();
            let language = self.languages.of(self.tokens.tongues[mention.line]);
            let lexicon = self.domain.lexicon(self.tokens.tongues[mention.line]);
            let own = of_lines(all, mention.line..mention.line + 1);
            let is_name = |place: usize| {
                let token = &self.tokens.all[place];
                let is_taken = own.iter().any(|other| other.tokens.contains(&place));
                token.kind == crate::tokens::Kind::Word
                    && token.is_capital
                    && token.lower.chars().count() > 3
                    && !language.classes.contains_key(&*token.lower)
                    && !lexicon.knows(&token.lower)
                    && !is_taken
            };
            let text = |from: usize, to: usize| {
                self.page.text[self.tokens.all[from].span.start..self.tokens.all[to - 1].span.end].to_owned()
            };
            // Behind it, over words of direction.
            let leads = |place: &usize| language.has("directions", &self.tokens.all[*place].lower);
            let behind = (mention.tokens.end..range.end).take_while(leads).count();
            let from = mention.tokens.end + behind;
            let length = (from..range.end).take(2).take_while(|place| is_name(*place)).count();
            if behind > 0 && length > 0 {
                names.push(text(from, from + length));
                continue;
            }
            // Before it, alone between two signs.
            let length = (range.start..mention.tokens.start).rev().take(3).take_while(|place| is_name(*place)).count();
            let from = mention.tokens.start - length;
            let is_sign = |place: usize| self.tokens.all[place].kind == crate::tokens::Kind::Sign;
            let is_alone = from == range.start || is_sign(from - 1);
            let ends = mention.tokens.end == range.end || is_sign(mention.tokens.end);
            if (1..=2).contains(&length) && is_alone && ends {
                names.push(text(from, from + length));
            }
        }
        names
    }

    /// "Fishguard | 4 miles": a cell or a label with a name that nobody knows, and nothing but a distance behind it.
    fn listed_places(&self, all: &[Mention]) -> Vec<String> {
        let is_alone = |mention: &&Mention| {
            let line = self.tokens.lines[mention.line].clone();
            let far = mention.literal().is_some_and(|(_, value)| value.ends_with(" km") || value.ends_with(" mi"));
            far && mention.is_literal(Kind::Length) && line.len() <= mention.tokens.len() + 1
        };
        let named = all.iter().filter(is_alone).filter_map(|distance| {
            let before = distance.line.checked_sub(1).filter(|before| self.is_beside(*before, distance.line))?;
            let range = self.tokens.lines[before].clone();
            let bracket = range.clone().find(|at| &*self.tokens.all[*at].lower == "(").unwrap_or(range.end);
            let name = range.start..bracket;
            let language = self.languages.of(self.tokens.tongues[before]);
            let lexicon = self.domain.lexicon(self.tokens.tongues[before]);
            let is_strange = |at: usize| {
                let token = &self.tokens.all[at];
                token.kind == crate::tokens::Kind::Word
                    && token.is_capital
                    && token.lower.chars().count() > 2
                    && !lexicon.knows(&token.lower)
                    && !language.classes.contains_key(&*token.lower)
            };
            let is_free = !of_lines(all, before..distance.line).iter().any(|other| meet(&other.tokens, &name));
            let is_name = (1..=3).contains(&name.len()) && name.clone().all(is_strange) && is_free;
            is_name.then(|| {
                let span = self.tokens.all[name.start].span.start..self.tokens.all[name.end - 1].span.end;
                self.page.text[span].to_owned()
            })
        });
        named.collect()
    }

    /// Whether two lines are all of a row, or a label and what it says.
    fn is_beside(&self, before: usize, line: usize) -> bool {
        let row = |line: usize| self.page.lines.get(line)?.cell.map(|cell| (cell.table, cell.row));
        let (own, other) = (&self.page.lines[line], &self.page.lines[before]);
        match (own.cell, other.cell) {
            (Some(_), Some(_)) => {
                let is_first = before.checked_sub(1).and_then(row) != row(before);
                is_first && row(before) == row(line) && row(line + 1) != row(line)
            }
            (None, None) => (other.role, own.role) == (Role::Term, Role::Definition),
            _ => false,
        }
    }

    /// "Boot, Cumbria" alone in a line: the first is a town.
    fn place_lines(&self, all: &[Mention]) -> Vec<String> {
        let mut names = Vec::new();
        for mention in all.iter().filter(|mention| matches!(mention.what, What::Place(_))) {
            let range = self.tokens.lines[mention.line].clone();
            let before = range.start..mention.tokens.start;
            let is_last = mention.tokens.end == range.end && (2..=4).contains(&before.len());
            if !is_last || &*self.tokens.all[before.end - 1].lower != "," {
                continue;
            }
            let name = before.start..before.end - 1;
            let is_name = self.tokens.all[name.clone()].iter().all(|token| token.is_capital)
                && !all.iter().any(|other| other.tokens.start < name.end && other.tokens.end > name.start);
            if is_name {
                names.push(
                    self.page.text[self.tokens.all[name.start].span.start..self.tokens.all[name.end - 1].span.end]
                        .to_owned(),
                );
            }
        }
        names
    }

    /// The pieces before a place, the nearest first: between commas, and in the lines above of the same paragraph.
    fn pieces_before(&self, line: usize, until: usize) -> Vec<(usize, Range<usize>)> {
        let mut pieces = Vec::new();
        let own = &self.page.lines[line];
        let mut at = line;
        let mut end = until;
        loop {
            let layout = &self.page.lines[at];
            let text = &self.page.text[layout.span.start..end];
            let mut to = text.len();
            for (place, sign) in
                text.char_indices().rev().filter(|(_, sign)| matches!(sign, ',' | '·' | '|' | '•' | ';' | ':'))
            {
                pieces.extend(trimmed(text, place + sign.len_utf8()..to, layout.span.start).map(|span| (at, span)));
                to = place;
            }
            pieces.extend(trimmed(text, 0..to, layout.span.start).map(|span| (at, span)));
            let Some(before) = at.checked_sub(1) else { break };
            let other = &self.page.lines[before];
            let together = other.paragraph == own.paragraph && other.cell == own.cell
                || (other.list.is_some() && other.list == own.list);
            if !together || pieces.len() >= PIECES {
                break;
            }
            at = before;
            end = other.span.end;
        }
        pieces.truncate(PIECES);
        pieces
    }

    fn british(&self, pieces: &[(usize, Range<usize>)], all: &mut Vec<Mention>) {
        let mut has_town = false;
        for (place, (line, span)) in pieces.iter().enumerate() {
            let mut span = span.clone();
            let prefix = ["by ", "near ", "nr ", "nr. "]
                .iter()
                .find(|prefix| self.page.text[span.clone()].starts_with(**prefix));
            // "Sheldrake, near Buxley": the first is the town.
            if prefix.is_some() && pieces.get(place + 1).is_some_and(|(_, before)| self.is_town_name(before, all)) {
                continue;
            }
            span.start += prefix.map_or(0, |prefix| prefix.len());
            let text = &self.page.text[span.clone()];
            let words: Vec<_> = text.split_whitespace().collect();
            let class = self
                .domain
                .places
                .find(words.iter().copied())
                .filter(|(length, _)| *length == words.len())
                .map(|(_, class)| class);
            let is_region = class.is_some_and(|class| {
                self.domain.rules.region.is_some_and(|region| self.domain.ontology.is_a(class, region))
            }) || text.ends_with("shire")
                || text.starts_with("Isle of ");
            let is_state = self.country == "us" && self.finder.state(text).is_some();
            let is_land = is_state || class.is_some_and(|class| Some(class) != self.domain.rules.town);
            let is_street = all.iter().any(|mention| {
                mention.is_literal(Kind::Street) && mention.span.start < span.end && mention.span.end > span.start
            });
            if is_street {
                break;
            }
            if is_region || is_land {
                continue;
            }
            let is_name = (1..=4).contains(&words.len())
                && words.iter().all(|word| {
                    word.starts_with(char::is_uppercase)
                        || matches!(*word, "on" | "upon" | "in" | "the" | "by" | "le" | "next")
                })
                && !text.contains(|letter: char| letter.is_ascii_digit());
            // "Ramsbeck, Hawes, North Yorkshire": a village and its post town, if the page says "in Ramsbeck".
            let is_village = || ["in ", "of "].iter().any(|lead| self.page.text.contains(&format!(" {lead}{text}")));
            if is_name && (!has_town || self.is_town_name(&span, all) && is_village()) {
                has_town = true;
                self.put(*line, span.clone(), Kind::Town, all);
                continue;
            }
            let begins_with_number = text.starts_with(|letter: char| letter.is_ascii_digit());
            if begins_with_number && words.len() >= 2 {
                self.put(*line, span.clone(), Kind::Street, all);
            }
            break;
        }
    }

    /// Capital words that nothing else explains.
    fn is_town_name(&self, span: &Range<usize>, all: &[Mention]) -> bool {
        let words: Vec<_> = self.page.text[span.clone()].split_whitespace().collect();
        let is_known = all.iter().any(|mention| {
            mention.span.start < span.end && mention.span.end > span.start && !mention.is_literal(Kind::Town)
        });
        let last = words.last().copied().unwrap_or_default();
        let is_street = self.languages.of(Tongue::English).has("streets", last);
        (1..=3).contains(&words.len())
            && words.iter().all(|word| word.starts_with(char::is_uppercase))
            && !is_known
            && !is_street
    }

    /// "Saturday 24 August 2019 · Lower Park Farm, Withamdale": the last name in a line with a date.
    fn dated_places(&self, all: &[Mention]) -> Vec<String> {
        let mut names = Vec::new();
        for (line, layout) in self.page.lines.iter().enumerate().take(12) {
            let own = of_lines(all, line..line + 1);
            let is_dated = own.iter().any(|mention| mention.is_literal(Kind::Date) || mention.is_literal(Kind::Period));
            let text = self.page.line(layout);
            let Some((before, last)) = text.rsplit_once(", ") else { continue };
            let start = layout.span.start + before.len() + 2;
            let span = start..start + last.trim_end_matches('.').len();
            let is_short = self.tokens.lines[line].len() <= 16 && self.tokens.tongues[line] == Tongue::English;
            let words = self.tokens.all[self.tokens.within(line, &span)].iter();
            let is_strange = words.clone().all(|token| {
                token.kind == crate::tokens::Kind::Word
                    && !self.domain.lexicon(Tongue::English).knows(&token.lower)
                    && !self.languages.of(Tongue::English).classes.contains_key(&*token.lower)
            });
            if is_dated && is_short && is_strange && self.is_town_name(&span, all) {
                names.push(self.page.text[span].to_owned());
            }
        }
        names
    }

    /// "Am Sand 3" above "21335 Lüneburg"
    fn german(&self, pieces: &[(usize, Range<usize>)], all: &mut Vec<Mention>) {
        let Some((line, span)) = pieces.first() else { return };
        let text = &self.page.text[span.clone()];
        let has_street = all.iter().any(|mention| {
            mention.is_literal(Kind::Street) && mention.span.start < span.end && mention.span.end > span.start
        });
        if !has_street && self.finder.is_street(text) {
            self.put(*line, span.clone(), Kind::Street, all);
        }
    }

    /// A literal in the place of whatever stands there.
    fn put(&self, line: usize, span: Range<usize>, kind: Kind, all: &mut Vec<Mention>) {
        let overlaps = |mention: &Mention| mention.span.start < span.end && mention.span.end > span.start;
        let keeps = |mention: &&Mention| {
            overlaps(mention)
                && mention.literal().is_some_and(|(other, _)| !matches!(other, Kind::Count | Kind::Year | Kind::Other))
        };
        if all.iter().find(keeps).is_some() {
            return;
        }
        all.retain(|mention| !overlaps(mention));
        let value = self.page.text[span.clone()].to_owned();
        let tokens = self.tokens.within(line, &span);
        all.push(self.mention(line, span, tokens, What::Literal(kind, value)));
    }
}

/// A piece without the blanks around it.
fn trimmed(text: &str, range: Range<usize>, offset: usize) -> Option<Range<usize>> {
    let piece = text.get(range.clone())?;
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = range.start + piece.trim_end().len();
    (start < end).then(|| offset + start..offset + end)
}
