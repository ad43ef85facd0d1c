//! What only its surroundings tell to be a room for many, a show with a name, or a day of a certain year.

use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::names::clean;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
use std::collections::HashMap;
use std::ops::Range;

/// A room for so many people is no bedroom.
const MANY: u32 = 20;
/// The longest title, in words and signs, with what leads to it.
const LONGEST_TITLE: usize = 12;

impl Reader<'_> {
    /// "The Brunel Suite seats up to 200": a room for occasions, with a name.
    pub(crate) fn named_halls(&self, all: &mut Vec<Mention>) {
        let mut found = Vec::new();
        let mut over: Option<ClassId> = None;
        for (line, layout) in self.page.lines.iter().enumerate() {
            let own = of_lines(all, line..line + 1);
            if matches!(layout.role, Role::Heading(_)) {
                over = own.iter().find_map(|mention| self.hall_for(mention));
            }
            if self.tokens.tongues[line] != Tongue::English || matches!(layout.role, Role::Title) {
                continue;
            }
            for place in self.tokens.lines[line].clone() {
                let Some(tokens) = self.hall_at(line, place) else { continue };
                // "The Toll Office Tea Room seats 30"
                let is_house = |mention: &Mention| {
                    let is_focus = |class: ClassId| self.domain.ontology.class_at(class).is_focus();
                    mention.tokens.contains(&place) && mention.class().is_some_and(is_focus)
                };
                if own.iter().any(is_house) {
                    continue;
                }
                let sentence = self.tokens.all[place].sentence;
                let same = || own.iter().filter(|mention| mention.sentence == sentence);
                let is_large = same().any(|mention| {
                    let count = mention.literal().filter(|(kind, _)| *kind == LiteralKind::Count);
                    count.is_some_and(|(_, value)| {
                        value
                            .rsplit('-')
                            .next()
                            .and_then(|high| high.parse::<u32>().ok())
                            .is_some_and(|high| high >= MANY)
                    })
                });
                let by_word = same().find_map(|mention| self.hall_for(mention));
                let Some(class) = by_word.or(over).or(self.domain.rules.hall.filter(|_| is_large)) else { continue };
                if !is_large && over.is_none() {
                    continue;
                }
                let span = self.span(tokens.clone());
                let name = clean(&self.page.text[span]);
                found.push(self.named(line, tokens, What::Thing(class), &name));
            }
        }
        put(found, all);
    }

    /// The room that an occasion needs.
    pub(crate) fn hall_for(&self, mention: &Mention) -> Option<ClassId> {
        let class = mention.class()?;
        let halls = self.domain.rules.halls.iter();
        halls.into_iter().find(|(occasion, _)| self.domain.ontology.is_a(class, *occasion)).map(|(_, hall)| *hall)
    }

    /// The tokens of a name that ends here with a word for a room.
    fn hall_at(&self, line: usize, place: usize) -> Option<Range<usize>> {
        let language = self.languages.of(Tongue::English);
        let token = &self.tokens.all[place];
        if !token.is_capital || !language.has("halls", &token.lower) {
            return None;
        }
        let range = self.tokens.lines[line].clone();
        let is_name = |at: &usize| {
            let token = &self.tokens.all[*at];
            token.kind == Kind::Word
                && token.is_capital
                && !language.classes.contains_key(&*token.lower)
                && !language.has("halls", &token.lower)
        };
        let length = (range.start..place).rev().take(3).take_while(is_name).count();
        // "Dining Room", "Function Rooms" are no names.
        let is_plain = (place - length..place).all(|at| {
            let lower = &self.tokens.all[at].lower;
            self.domain.lexicon(Tongue::English).knows(lower) || language.headings.contains(&**lower)
        });
        (length > 0 && !is_plain).then_some(place - length..place + 1)
    }

    /// "Scrimshaw: Art of the Idle Hour, through September 7" under "Current exhibition".
    pub(crate) fn dated_shows(&self, all: &mut Vec<Mention>) {
        let mut found = Vec::new();
        let mut over: Option<(ClassId, usize)> = None;
        for (line, layout) in self.page.lines.iter().enumerate() {
            let own = of_lines(all, line..line + 1);
            if matches!(layout.role, Role::Heading(_)) || layout.is_strong && layout.role == Role::Text {
                over = own.iter().find_map(|mention| Some((self.show_class(mention)?, line)));
                continue;
            }
            let label = own.iter().find(|mention| self.show_class(mention).is_some() && self.is_label(mention));
            let (class, start) = match (label, over) {
                (Some(label), _) => (self.show_class(label), self.behind_label(label)),
                (None, Some((class, heading))) if line <= heading + 6 => (Some(class), layout.span.start),
                _ => continue,
            };
            let Some(class) = class.filter(|_| self.tokens.tongues[line] == Tongue::English) else { continue };
            let until = own.iter().find(|mention| {
                mention.span.start > start
                    && (mention.is_literal(LiteralKind::Period) || mention.is_literal(LiteralKind::Date))
            });
            let Some(span) = until.and_then(|until| self.title_before(start, until.span.start)) else { continue };
            let tokens = self.tokens.within(line, &span);
            let name = clean(&self.page.text[span]);
            found.push(self.named(line, tokens, What::Thing(class), &name));
        }
        put(found, all);
    }

    /// "An exhibition called From Field to Girdle", "a small exhibition, Five Centuries of Bread,", "die Ausstellung „Sagenhaft“":
    /// what is shown is called by what follows.
    pub(crate) fn called_shows(&self, all: &mut Vec<Mention>) {
        let named = |show: &Mention| {
            self.show_class(show)?;
            let name = self.title_behind(show)?;
            let text = clean(&self.page.text[self.span(name.clone())]);
            let span = show.span.start..self.tokens.all[name.end - 1].span.end;
            Some(Mention { name: Some(text), span, tokens: show.tokens.start..name.end, ..show.clone() })
        };
        let found = all.iter().filter_map(named).take(64).collect();
        put(found, all);
    }

    fn title_behind(&self, show: &Mention) -> Option<Range<usize>> {
        let language = self.languages.of(self.tokens.tongues[show.line]);
        let own = |at: &usize| self.tokens.all[*at].sentence == show.sentence;
        let end = self.tokens.lines[show.line].end.min(show.tokens.end + LONGEST_TITLE);
        let word = |at: usize| &*self.tokens.all[at].lower;
        let is_quote = |at: usize| matches!(word(at), "\"" | "„" | "“" | "”" | "»" | "«" | "‘" | "’" | "'");
        let leads = |at: &usize| own(at) && (word(*at) == "," || language.has("naming", word(*at)));
        let start = (show.tokens.end..end).find(|at| !leads(at)).filter(own)?;
        let is_parted = start > show.tokens.end && word(start - 1) == ",";
        if is_quote(start) {
            let last = (start + 1..end).take_while(own).find(|at| is_quote(*at))?;
            return (start + 1 < last).then_some(start + 1..last);
        }
        let is_capital = |at: usize| self.tokens.all[at].is_capital && self.tokens.all[at].kind == Kind::Word;
        let is_inside = |at: &usize| own(at) && (is_capital(*at) || language.has("inside-names", word(*at)));
        let behind = (start..end).find(|at| !is_inside(at)).unwrap_or(end);
        let last = (start..behind).rev().find(|at| is_capital(*at))?;
        let is_title = is_capital(start) && (start..=last).filter(|at| is_capital(*at)).count() > 1;
        let is_closed =
            behind >= self.tokens.lines[show.line].end || matches!(word(behind), "," | "." | ";" | "–" | "-");
        // "Red Flannel, Black Hats": nobody knows where it ends.
        let goes_on = behind + 1 < end && word(behind) == "," && is_capital(behind + 1);
        let is_english = self.tokens.tongues[show.line] == Tongue::English && !goes_on;
        (is_english && is_title && last + 1 == behind && (!is_parted || is_closed)).then_some(start..last + 1)
    }

    /// What is shown for some time.
    fn show_class(&self, mention: &Mention) -> Option<ClassId> {
        let show = self.domain.rules.show?;
        let class = mention.class()?;
        (mention.name.is_none() && self.domain.ontology.is_a(class, show)).then_some(show)
    }

    fn is_label(&self, mention: &Mention) -> bool {
        let next = self.tokens.all.get(mention.tokens.end);
        next.is_some_and(|next| &*next.lower == ":" && next.line as usize == mention.line)
    }

    fn behind_label(&self, mention: &Mention) -> usize {
        self.tokens.all.get(mention.tokens.end).map_or(mention.span.end, |colon| colon.span.end)
    }

    /// The title at the beginning of a text, without the words that lead to its dates.
    fn title_before(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let text = self.page.text.get(start..end)?;
        let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != ')');
        let text = ["until", "till", "through", "from", "to", "runs", "on"].iter().fold(text, |text, word| {
            text.strip_suffix(word).filter(|rest| rest.ends_with([' ', ',', '('])).unwrap_or(text)
        });
        let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != ')');
        let begin = text.len() - text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).len();
        let title = &text[begin.min(text.len())..];
        let title =
            title.split(['.', '(', ',']).next().unwrap_or_default().split(" - ").next().unwrap_or_default().trim_end();
        let words = title.split_whitespace().count();
        let is_title = title.starts_with(char::is_uppercase) && (1..=9).contains(&words);
        is_title.then(|| start + begin..start + begin + title.len())
    }

    /// "9-11 September" is in the year that another place of the page names.
    pub(crate) fn whole_dates(all: &mut [Mention]) {
        let is_day = |kind: LiteralKind| matches!(kind, LiteralKind::Date | LiteralKind::Period);
        let bare = |value: &str| {
            let parts = value.split('/').map(|part| {
                let is_year = part.len() > 5 && part.as_bytes()[..4].iter().all(u8::is_ascii_digit);
                if is_year { format!("-{}", &part[4..]) } else { part.to_owned() }
            });
            parts.collect::<Vec<_>>().join("/")
        };
        let mut whole: HashMap<String, Option<String>> = HashMap::new();
        for (_, value) in all.iter().filter_map(Mention::literal).filter(|(kind, _)| is_day(*kind)) {
            if !value.starts_with("--") {
                let known = whole.entry(bare(value)).or_insert_with(|| Some(value.to_owned()));
                if known.as_deref() != Some(value) {
                    *known = None;
                }
            }
        }
        for mention in all {
            if let What::Literal(kind, value) = &mut mention.what
                && is_day(*kind)
            {
                if let Some(Some(other)) = whole.get(value.as_str()) {
                    other.clone_into(value);
                } else if let Some(year) = within(value, &whole).filter(|_| *kind == LiteralKind::Date) {
                    *value = format!("{year}{}", &value[1..]);
                }
            }
        }
    }
}

/// The year of the one time that a day without a year lies in.
fn within(day: &str, whole: &HashMap<String, Option<String>>) -> Option<String> {
    let mut times = whole.iter().filter_map(|(bare, value)| {
        let (from, to) = bare.split_once('/')?;
        let value = value.as_deref()?;
        (day.starts_with("--") && from <= day && day <= to && from <= to).then(|| value[..4].to_owned())
    });
    let first = times.next()?;
    times.all(|other| other == first).then_some(first)
}

/// Mentions in the place of what stood there.
pub(crate) fn put(found: Vec<Mention>, all: &mut Vec<Mention>) {
    let overlaps =
        |one: &Mention, other: &Mention| other.tokens.start < one.tokens.end && other.tokens.end > one.tokens.start;
    let mut kept: Vec<Mention> = Vec::new();
    for mention in found {
        while kept.last().is_some_and(|last| overlaps(last, &mention) && last.literal().is_none()) {
            kept.pop();
        }
        kept.push(mention);
    }
    kept.sort_by_key(|mention| mention.tokens.start);
    all.retain(|other| {
        let last = kept.partition_point(|mention| mention.tokens.start < other.tokens.end);
        let is_taken = last.checked_sub(1).is_some_and(|last| overlaps(&kept[last], other));
        !is_taken || other.literal().is_some()
    });
    all.extend(kept);
    all.sort_by_key(|mention| (mention.line, mention.span.start));
}
