//! The parts of a line of a programme: between signs, values and the borders that its author drew.

use super::{LONGEST, Programme};
use crate::language::{Language, Tongue};
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::roles::meet;
use crate::tokens::{Kind as TokenKind, Token};
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

/// The longest name of a venue, in words.
const VENUE: usize = 4;

/// What a part of a piece says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// What happens, as far as anybody can tell.
    What,
    Where,
    Who,
    /// That and more, or something else: whatever stands behind it is no title.
    More,
}

/// A part of a line, between signs, values, and the borders that its author drew.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) line: usize,
    pub(super) tokens: Range<usize>,
    pub(super) says: Says,
}

impl Programme<'_> {
    /// Whether a part is bold, or pointed out behind the hour.
    pub(super) fn stands_out(&self, line: usize, tokens: &Range<usize>) -> bool {
        let layout = &self.page.lines[line];
        let (from, to) = (self.tokens.all[tokens.start].span.start, self.tokens.all[tokens.end - 1].span.end);
        let is_marked = || {
            let mut marks = self.page.marks.iter().filter(|mark| mark.start > layout.span.start);
            marks.any(|mark| mark.start <= from && from <= mark.start + 1 && to <= mark.end)
        };
        let is_bold = layout.is_strong || layout.strong_until.is_some_and(|until| to <= until);
        matches!(layout.role, Role::Heading(_)) || is_bold || is_marked()
    }

    /// "Event", "Was" at the head of a column.
    pub(super) fn is_asked(&self, line: usize, list: &str) -> bool {
        let Some(cell) = self.page.lines[line].cell else { return false };
        let mut over = (0..line).rev().map_while(|at| Some((at, self.page.lines[at].cell?)));
        let head = over.find(|(_, other)| {
            other.table == cell.table && other.column == cell.column && other.row == 1 && cell.row > 1
        });
        let language = self.languages.of(self.tokens.tongues[line]);
        head.is_some_and(|(at, _)| {
            let words = &self.tokens.all[self.tokens.lines[at].clone()];
            let asks = |token: &Token| {
                if list == "venues" {
                    language.venues.contains(&*token.lower)
                } else {
                    language.has(list, &token.lower)
                }
            };
            words.len() <= 3 && words.iter().any(asks)
        })
    }

    /// "Nr. | Titel | Beginn": another cell of the row has what happens.
    pub(super) fn is_asked_behind(&self, line: usize) -> bool {
        let row = |at: usize| self.page.lines.get(at).and_then(|line| line.cell).map(|cell| (cell.table, cell.row));
        !self.is_asked(line, "what-heads")
            && (line + 1..self.page.lines.len())
                .take_while(|at| row(*at) == row(line))
                .any(|at| self.is_asked(at, "what-heads"))
    }

    /// The parts of a line that say more than when or how much.
    pub(super) fn parts_of(&self, line: usize, event: ClassId, mentions: &[Mention], seams: &[usize]) -> Vec<Part> {
        let own = of_lines(mentions, line..line + 1);
        let range = self.tokens.lines[line].clone();
        let (mut start, mut parts) = (range.start, Vec::new());
        let is_value = |at: usize| {
            let said = own.iter().find(|mention| mention.tokens.contains(&at)).and_then(Mention::literal);
            matches!(said, Some((Kind::Time | Kind::Hours | Kind::Date | Kind::Period | Kind::Money, _)))
        };
        for end in range.start..=range.end {
            let is_seam = end > start && end < range.end && self.is_seam(end, seams);
            let is_sign = end < range.end && (self.is_border(end, range.clone()) || is_value(end));
            if end < range.end && !is_sign && !is_seam {
                continue;
            }
            // "Organiser: Thornby Lions Club"
            let is_before_colon = end < range.end && &*self.tokens.all[end].lower == ":";
            let is_label = is_before_colon && !(end + 1..(end + 4).min(range.end)).any(is_value);
            let found = self.between(start..end, line, event, own).into_iter();
            let told = |part: Part| {
                if is_label && part.says != Says::Where { Part { says: Says::More, ..part } } else { part }
            };
            parts.extend(found.map(told));
            start = if is_sign { end + 1 } else { end };
        }
        parts
    }

    /// Whether an element begins or ends between a token and the one before it.
    fn is_seam(&self, at: usize, seams: &[usize]) -> bool {
        let (from, to) = (self.tokens.all[at - 1].span.end, self.tokens.all[at].span.start);
        let next = seams.partition_point(|seam| *seam < from);
        seams.get(next).is_some_and(|seam| *seam <= to)
    }

    /// Whether a sign ends a part.
    fn is_border(&self, at: usize, range: Range<usize>) -> bool {
        let (all, text) = (&self.tokens.all, &self.page.text);
        let is_apart = |at: usize| {
            let before = at > range.start && all[at - 1].span.end < all[at].span.start;
            before && all[..range.end].get(at + 1).is_none_or(|next| all[at].span.end < next.span.start)
        };
        match &text[all[at].span.clone()] {
            "," | ":" | ";" | "|" | "(" | ")" | "•" | "·" | "●" | "/" | "." | "*" => {
                all[at].kind == TokenKind::Sign
            }
            "-" | "–" | "—" | "+" => is_apart(at),
            _ => false,
        }
    }

    /// The parts between two borders, without the signs, days and small words around them: what happens, and who is named behind
    /// "with" and where behind "in".
    fn between(&self, whole: Range<usize>, line: usize, event: ClassId, own: &[Mention]) -> Vec<Part> {
        let (all, language) = (&self.tokens.all, self.languages.of(self.tokens.tongues[line]));
        let is_passed = |at: &usize| {
            let token = &all[*at];
            token.kind == TokenKind::Sign && !is_quote(token)
                || self.says_day(*at, own)
                || language.has("hour-tails", &token.lower)
        };
        let Some(first) = whole.clone().find(|at| !is_passed(at)) else { return Vec::new() };
        let last = whole.rev().find(|at| !is_passed(at)).map_or(first, |last| last);
        let (mut at, mut parts) = (first, Vec::new());
        while at <= last {
            let own = self.part(at..last + 1, line, event, own);
            at = own.1;
            let is_told = own.0.says == Says::More;
            parts.push(own.0);
            if is_told {
                break;
            }
        }
        parts
    }

    /// The first part of a piece of a line, and where the next begins.
    fn part(&self, rest: Range<usize>, line: usize, event: ClassId, own: &[Mention]) -> (Part, usize) {
        let (all, language) = (&self.tokens.all, self.languages.of(self.tokens.tongues[line]));
        let whole = self.up_to_others(rest.clone(), line, own);
        let next = whole.end;
        let is_quoted = whole.len() > 2 && is_quote(&all[whole.start]) && is_quote(&all[whole.end - 1]);
        let title = if is_quoted { whole.start + 1..whole.end - 1 } else { whole.clone() };
        let says = self.says(&whole, &title, line, event, own);
        // "at the Methodist Chapel"
        let tokens = match says {
            Says::Where => {
                let is_first = |at: &usize| all[*at].is_capital && !language.has("articles", &all[*at].lower);
                whole.clone().find(is_first).unwrap_or(whole.start)..whole.end
            }
            Says::Who => self.behind_lead(&whole, language),
            Says::What | Says::More => title,
        };
        (Part { line, tokens, says }, next)
    }

    fn says(&self, rest: &Range<usize>, title: &Range<usize>, line: usize, event: ClassId, own: &[Mention]) -> Says {
        let language = self.languages.of(self.tokens.tongues[line]);
        let words = &self.tokens.all[title.clone()];
        if self.is_told(rest, language) || Self::is_label(words, language) {
            return Says::More;
        }
        if language.has("before-performers", &self.tokens.all[rest.start].lower) && rest.len() > 1 {
            return Says::Who;
        }
        if let Some(says) = self.where_or_who(rest, title, line, event, own) {
            return says;
        }
        let is_title = (1..=LONGEST).contains(&words.len())
            && words.first().is_some_and(|first| first.is_capital || first.kind == TokenKind::Number)
            && words.iter().any(|token| token.kind == TokenKind::Word && token.is_capital);
        // "The festival bar is open"
        let is_plain = words.len() > 1 && language.has("articles", &words[0].lower) && !words[1].is_capital;
        // "Für Kinder ab 4 Jahren"
        let class = language.classes.get(&*words[0].lower).map(String::as_str);
        let is_led = class == Some("Prep") && !self.stands_out(line, title);
        if is_title && !is_plain && !is_led { Says::What } else { Says::More }
    }

    /// "Tickets", "Gates open", "Contact": no titles.
    fn is_label(words: &[Token], language: &Language) -> bool {
        let lists = ["dates", "tickets", "doors", "ends", "contacts", "selling", "entrance", "when-labels"];
        let is_one = |token: &Token| {
            lists.iter().any(|list| language.has(list, &token.lower))
                || language.venues.contains(&*token.lower)
                || language.weekdays.contains_key(&*token.lower)
        };
        // "Lunch" is a break, "Jazz Lunch" is none.
        let is_heading = |token: &Token| {
            let word = &token.lower;
            language.headings.contains(&**word) || language.is_small(word) || language.has("breaks", word)
        };
        words.iter().any(is_one) || words.iter().all(is_heading)
    }

    /// Whether a part is a sentence.
    fn is_told(&self, rest: &Range<usize>, language: &Language) -> bool {
        let is_verb = |token: &Token| {
            let class = language.classes.get(&*token.lower).map(String::as_str);
            !token.is_capital && matches!(class, Some("Verb" | "Aux" | "Pron" | "Neg"))
        };
        self.tokens.all[rest.clone()].iter().any(is_verb)
    }

    /// Whoever is named behind "with", "led by".
    fn behind_lead(&self, rest: &Range<usize>, language: &Language) -> Range<usize> {
        let is_lead = |at: &usize| {
            let word = &self.tokens.all[*at].lower;
            language.has("before-performers", word) || language.has("articles", word)
        };
        rest.clone().find(|at| !is_lead(at)).unwrap_or(rest.start)..rest.end
    }

    /// "Jazz mit dem Trio Blau", "Duck race on the river": up to who performs and where.
    fn up_to_others(&self, rest: Range<usize>, line: usize, own: &[Mention]) -> Range<usize> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_known = |at: usize| {
            own.iter().any(|mention| {
                (at + 1..at + 3).contains(&mention.tokens.start)
                    && (matches!(mention.what, What::Place(_)) || mention.class().is_some() && mention.name.is_some())
            })
        };
        // "Dyeing with Goldenrod" goes on.
        let is_somebody = |at: usize| {
            let next = self.tokens.all.get(at + 1).filter(|_| at + 1 < rest.end);
            let is_word = |at: usize| self.tokens.all[at].kind == TokenKind::Word && self.tokens.all[at].is_capital;
            let names = (at + 1..rest.end).take_while(|at| is_word(*at)).take(3);
            is_known(at) || next.is_none_or(|next| !next.is_capital) || names.count() > 1
        };
        let is_venue = |at: usize| {
            let end = (at + 1 + VENUE).min(rest.end);
            (at + 1..end).any(|word| self.is_venue_word(word, line))
        };
        let ends = |at: &usize| {
            let word = &self.tokens.all[*at].lower;
            language.has("before-performers", word) && is_somebody(*at)
                || language.has("holding", word) && (is_known(*at) || is_venue(*at) || at + 1 == rest.end)
        };
        // What stands out has its end there.
        let layout = &self.page.lines[line];
        let is_strong = layout.is_strong || matches!(layout.role, Role::Heading(_));
        let end = (rest.start + 1..rest.end).find(ends).filter(|_| !is_strong).unwrap_or(rest.end);
        rest.start..end
    }

    fn is_venue_word(&self, at: usize, line: usize) -> bool {
        let (token, tongue) = (&self.tokens.all[at], self.tokens.tongues[line]);
        let language = self.languages.of(tongue);
        let is_one = match tongue {
            Tongue::German => language.ends_like("venue-endings", &token.lower),
            Tongue::English => language.has("venue-endings", &token.lower),
        };
        token.is_capital && is_one
    }

    /// "Thornby Silver Band", "Männergesangverein": a name with a word for those who perform.
    pub(super) fn is_player(&self, name: &Range<usize>) -> bool {
        let is_one = |token: &Token| {
            let language = self.languages.of(self.tokens.tongues[token.line as usize]);
            language.has("players", &token.lower) || language.ends_like("players", &token.lower)
        };
        self.tokens.all[name.clone()].iter().any(is_one)
    }

    /// Whether a part names a place, somebody, or a thing that does not happen.
    fn where_or_who(
        &self,
        rest: &Range<usize>,
        title: &Range<usize>,
        line: usize,
        event: ClassId,
        own: &[Mention],
    ) -> Option<Says> {
        if self.is_asked(line, "venues") {
            return Some(Says::Where);
        }
        // "„Der Froschkönig“"
        if is_quote(&self.tokens.all[rest.start]) {
            return None;
        }
        let is_what = self.is_asked(line, "what-heads");
        let all = &self.tokens.all;
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_whole = |mention: &Mention| mention.tokens.start <= title.start && mention.tokens.end >= title.end;
        // "Pancake Breakfast"
        let is_called = title.len() > 1 && all[title.clone()].iter().all(|token| token.is_capital)
            || all[title.clone()].iter().any(is_quote);
        // What reaches over a border that the author drew is no name.
        let is_inside = |mention: &&Mention| mention.tokens.start >= rest.start && mention.tokens.end <= rest.end;
        let inside = own.iter().filter(|mention| meet(&mention.tokens, title)).filter(is_inside);
        let found = { inside }.find_map(|mention| match mention.what {
            What::Literal(Kind::Count | Kind::Length | Kind::Duration | Kind::Year | Kind::Other, _) => None,
            What::Literal(..) => Some(Says::More),
            What::Agent(class) if is_whole(mention) => {
                let is_person = Some(class) == self.domain.rules.person;
                (is_person || self.is_player(title)).then_some(Says::Who)
            }
            What::Place(_) => is_whole(mention).then_some(Says::Where),
            What::Thing(class) if self.domain.ontology.is_a(class, event) => None,
            What::Thing(class) if is_whole(mention) && !is_what => {
                // "Puppentheater „Der Igel“"
                let is_quoted = all[title.clone()].iter().any(is_quote);
                let is_body = self.domain.ontology.class_at(class).is_focus() || mention.name.is_some();
                match (is_body && !is_quoted, is_called) {
                    (true, _) => Some(Says::Where),
                    (false, false) => Some(Says::More),
                    (false, true) => None,
                }
            }
            What::Value(..) | What::Free if is_whole(mention) => Some(Says::More),
            _ => None,
        });
        let is_name = |at: usize| all[at].is_capital || language.is_small(&all[at].lower);
        let is_led = self.is_led_venue(rest, line);
        let is_venue = rest.len() <= VENUE && rest.clone().all(is_name) && self.is_venue_word(rest.end - 1, line);
        // "Quiz Night, The Plough"
        let is_house = rest.start > self.tokens.lines[line].start
            && rest.len() <= VENUE
            && language.has("articles", &all[rest.start].lower)
            && rest.clone().skip(1).all(|at| all[at].is_capital);
        // "Swing im Park" over when and where.
        let is_where = is_led || is_house || is_venue && !self.stands_out(line, title);
        let found = found.filter(|says| !is_where || *says == Says::Who);
        found.or_else(|| (is_where && !is_what).then_some(Says::Where))
    }

    /// "im Kurpark", "at the Town Hall"
    fn is_led_venue(&self, rest: &Range<usize>, line: usize) -> bool {
        let all = &self.tokens.all;
        let first = &all[rest.start];
        self.languages.of(self.tokens.tongues[line]).has("holding", &first.lower)
            && !first.is_capital
            && (2..=VENUE + 2).contains(&rest.len())
            && rest.clone().any(|at| all[at].is_capital)
    }
}

pub(super) fn is_quote(token: &Token) -> bool {
    matches!(&*token.lower, "„" | "“" | "”" | "\"" | "»" | "«" | "‘" | "‚")
}
