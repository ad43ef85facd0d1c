//! What kind of thing a page is about, where its name does not tell or tells wrong.

use crate::focus::{Chooser, Focus, segments};
use crate::language::Tongue;
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What};
use crate::names::{clean, key};
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

impl Chooser<'_> {
    /// The first heading as the name of something that happens: a date stands right under it.
    pub(crate) fn occasion(&self, votes: &BTreeMap<ClassId, u32>) -> Option<Focus> {
        let base = self.event_base()?;
        let (place, line) = self.page.lines.iter().enumerate().find(|(_, line)| {
            line.role == Role::Heading(1) && !matches!(line.region, Region::Navigation | Region::Footer)
        })?;
        let is_event = |class: ClassId| self.domain.ontology.is_a(class, base);
        let own = self.mentions.iter().filter(|mention| mention.line == place);
        let kinds: Vec<_> = own.filter_map(Mention::class).filter(|class| self.is_focus_class(*class)).collect();
        let title = self.page.lines.iter().find(|line| line.role == Role::Title).map(|line| self.page.line(line));
        let (_, piece) = segments(self.page.line(line)).into_iter().next()?;
        let whole = clean(self.page.line(line));
        let name = if kinds.is_empty() { whole } else { clean(piece) };
        let own_key = key(&name);
        let is_first = title.is_some_and(|title| {
            segments(title).first().is_some_and(|(_, first)| {
                let first = key(first);
                let is_longer = !kinds.is_empty() && first.starts_with(&format!("{own_key} "));
                !first.is_empty() && (first == own_key || own_key.starts_with(&format!("{first} ")) || is_longer)
            })
        });
        let is_announced = self.says_when(place + 1) && !self.is_sentence(place);
        // "Performances: 17 to 20 May": a label says when, and there are tickets.
        let is_billed = self.is_billed()
            && title.is_some_and(|title| segments(title).iter().any(|(_, piece)| key(piece) == own_key));
        // Houses have dates, too: of them the page must not speak first.
        if !(is_first || is_announced || is_billed)
            || !(self.has_date_near(place) || is_billed)
            || kinds.iter().any(|class| !is_event(*class))
            || self.is_host(&own_key)
        {
            return None;
        }
        let start = line.span.start + self.page.line(line).find(name.as_str())?;
        let span = start..start + name.len();
        let is_timed = is_first
            && self
                .mentions
                .iter()
                .any(|mention| (place + 1..=place + 4).contains(&mention.line) && mention.is_literal(Kind::Time));
        if kinds.is_empty()
            && !is_announced
            && !is_timed
            && !is_billed
            && !self.is_bare_name(place, &line.span.clone(), 1)
        {
            return None;
        }
        let weight: u32 = votes.iter().filter(|(class, _)| is_event(**class)).map(|(_, votes)| votes).sum();
        let has_time = self.mentions.iter().any(|mention| {
            (place..=place + 6).contains(&mention.line)
                && (mention.is_literal(Kind::Time) || mention.is_literal(Kind::Hours))
        });
        if !is_billed && (weight == 0 || weight < 6 && !has_time) {
            return None;
        }
        let class = kinds.first().copied().or_else(|| self.voted_event(votes, base));
        Some(Focus { class: class.unwrap_or(base), name: Some((name, span)), key: own_key })
    }

    /// The kind of event that most speaks for.
    pub(crate) fn voted_event(&self, votes: &BTreeMap<ClassId, u32>, base: ClassId) -> Option<ClassId> {
        let voted = votes.iter().filter(|(class, _)| self.domain.ontology.is_a(**class, base) && **class != base);
        voted.max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class))).map(|(class, _)| *class)
    }

    /// Whether a label asks for days and gives them, and another for tickets and gives a price.
    pub(crate) fn is_billed(&self) -> bool {
        let has = |list: &str, kinds: &[Kind]| {
            (0..self.page.lines.len()).any(|line| {
                let language = self.languages.of(self.tokens.tongues[line]);
                let is_heading = matches!(self.page.lines[line].role, Role::Heading(2..=6));
                let label = if is_heading { self.tokens.lines[line].clone() } else { self.label_of(line) };
                let asks = self.tokens.all[label].iter().any(|token| language.has(list, &token.lower));
                let gives = |line: usize| {
                    self.mentions.iter().any(|mention| {
                        mention.line == line
                            && mention.literal().is_some_and(|(kind, value)| {
                                let is_dated =
                                    kind == Kind::Money || value.starts_with(|one: char| one.is_ascii_digit());
                                kinds.contains(&kind) && is_dated
                            })
                    })
                };
                asks && (gives(line) || is_heading && self.section(line).any(gives))
            })
        };
        has("dates", &[Kind::Date, Kind::Period]) && has("tickets", &[Kind::Money])
    }

    /// The tokens of the label of a line: before its colon, where bold type ends, or its term.
    fn label_of(&self, line: usize) -> std::ops::Range<usize> {
        let range = self.tokens.lines[line].clone();
        let colon = self.tokens.all[range.clone()].iter().take(4).position(|token| &*token.lower == ":");
        let layout = &self.page.lines[line];
        let term = line
            .checked_sub(1)
            .filter(|over| layout.role == Role::Definition && self.page.lines[*over].role == Role::Term);
        match (colon, term) {
            (Some(colon), _) => range.start..range.start + colon,
            (None, Some(term)) => self.tokens.lines[term].clone(),
            _ => range.start..range.start,
        }
    }

    /// Whether a day, or a period of a year, stands right under a heading, or over it.
    pub(crate) fn has_date_near(&self, place: usize) -> bool {
        self.mentions.iter().any(|mention| {
            let is_near = mention.line >= place.saturating_sub(1) && mention.line <= place + 4;
            let is_date = mention.literal().is_some_and(|(kind, value)| {
                kind == Kind::Date || kind == Kind::Period && value.starts_with(|one: char| one.is_ascii_digit())
            });
            is_near && is_date && !matches!(self.page.lines[mention.line].region, Region::Navigation)
        })
    }

    /// Whether a line has a day and a time.
    fn says_when(&self, line: usize) -> bool {
        let has = |kinds: &[Kind]| {
            self.mentions
                .iter()
                .any(|mention| mention.line == line && mention.literal().is_some_and(|(kind, _)| kinds.contains(&kind)))
        };
        has(&[Kind::Date]) && has(&[Kind::Time, Kind::Hours])
    }

    /// "The Lantern is a small restaurant", "unser Haus ist ein Hotel"
    pub(crate) fn is_said_to_be(&self, mention: &Mention) -> bool {
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        let start = self.tokens.lines[mention.line].start;
        let from = mention.tokens.start.saturating_sub(6).max(start);
        let mut words = self.tokens.all[from..mention.tokens.start].iter();
        mention.article == Article::Indefinite
            && words.any(|token| token.sentence == mention.sentence && language.has("being", &token.lower))
    }

    /// Whether a heading greets or is a whole sentence.
    fn is_sentence(&self, line: usize) -> bool {
        let language = self.languages.of(self.tokens.tongues[line]);
        let words = &self.tokens.all[self.tokens.lines[line].clone()];
        let ends = self.page.line(&self.page.lines[line]).ends_with(['.', '!', '?', ':']);
        let greets = words.iter().any(|token| language.greetings.contains(&*token.lower));
        ends || greets || words.len() > 10 || words.iter().all(|token| language.headings.contains(&*token.lower))
    }

    /// The class of all that has a date.
    pub(crate) fn event_base(&self) -> Option<ClassId> {
        let slot = self.domain.rules.literals.get(&Kind::Date)?.first()?.slot;
        let base = self.domain.ontology.slot_at(slot).domain().first()?.first().copied()?;
        self.is_focus_class(base).then_some(base)
    }

    /// The class of a name, if the rest of the page agrees: an inn may be called after a mill, a winery lets rooms.
    pub(crate) fn agreed(&self, class: ClassId) -> ClassId {
        let class = self.standing(class).unwrap_or(class);
        let class = self.not_after(class).unwrap_or(class);
        let is_sight = self.domain.rules.sight.is_some_and(|sight| self.domain.ontology.is_a(class, sight));
        let class = if is_sight { self.fitting(class) } else { class };
        self.letting(class).unwrap_or(class)
    }

    /// What has hours and asks for admission, but no day, does not happen: it stands there.
    fn standing(&self, class: ClassId) -> Option<ClassId> {
        let base = self.event_base().filter(|base| self.domain.ontology.is_a(class, *base))?;
        let is_dated = |mention: &Mention| {
            mention.literal().is_some_and(|(kind, value)| {
                kind == Kind::Date || kind == Kind::Period && value.starts_with(|one: char| one.is_ascii_digit())
            })
        };
        let sight = self.by_evidence().filter(|sight| !self.domain.ontology.is_a(*sight, base))?;
        (!self.mentions.iter().any(is_dated)).then_some(sight)
    }

    /// "Alte Mühle - Restaurant": a sight by its name alone, something else by what title and headings call it.
    fn not_after(&self, class: ClassId) -> Option<ClassId> {
        let ontology = &self.domain.ontology;
        let sight = self.domain.rules.sight?;
        let is_sight = |class: ClassId| ontology.is_a(class, sight);
        if !is_sight(class) {
            return None;
        }
        let mut votes: BTreeMap<ClassId, u32> = BTreeMap::new();
        for mention in self.mentions.iter().filter(|mention| mention.name.is_none() && !mention.flags.anaphor) {
            let What::Thing(one) = mention.what else { continue };
            let line = &self.page.lines[mention.line];
            // "In einem Kornspeicher": what it is in, not what it is.
            let one = mention.flags.focus.unwrap_or(one);
            let is_other_thing = mention.article == Article::Indefinite && !self.is_said_to_be(mention);
            let weight = match line.role {
                _ if matches!(line.region, Region::Navigation | Region::Trail) => 0,
                Role::Text if is_other_thing => 0,
                Role::Title | Role::Heading(1) => 4,
                Role::Description | Role::Heading(2) => 2,
                _ => 1,
            };
            if ontology.is_a(one, class) || ontology.is_a(class, one) {
                // The page itself speaks of the sight.
                *votes.entry(class).or_default() += weight;
            } else if self.is_focus_class(one) {
                *votes.entry(one).or_default() += weight;
            }
        }
        let own = votes.get(&class).copied().unwrap_or_default();
        let base = self.event_base();
        let other = votes
            .into_iter()
            .filter(|(one, _)| !is_sight(*one) && base.is_none_or(|base| !ontology.is_a(*one, base)))
            .max_by_key(|(one, votes)| (*votes, std::cmp::Reverse(*one)))?;
        (other.1 >= 4 && other.1 > 2 * own).then_some(other.0)
    }

    /// Whether something to eat at also lets rooms: they have a section of their own, with a price for a night.
    fn sleeps(&self) -> bool {
        let ontology = &self.domain.ontology;
        let Some(unit) = self.domain.rules.counted.first().copied() else { return false };
        let is_unit = |mention: &Mention| {
            mention.flags.unit.or(mention.class()).is_some_and(|class| ontology.is_a(class, unit))
                && mention.name.is_none()
        };
        self.mentions.iter().any(|mention| {
            let line = &self.page.lines[mention.line];
            let is_heading = matches!(line.role, Role::Heading(2..=4)) && line.region == Region::Main;
            is_heading
                && is_unit(mention)
                && self.section(mention.line).any(|line| {
                    let mut own = self.mentions.iter().filter(|mention| mention.line == line);
                    own.any(|mention| matches!(&mention.what, What::Literal(Kind::Per, value) if value == "Nacht"))
                })
        })
    }

    /// What lets units is something that may have them.
    fn letting(&self, class: ClassId) -> Option<ClassId> {
        let ontology = &self.domain.ontology;
        let unit = self.domain.rules.counted.first().copied()?;
        let lets = |class: ClassId| !ontology.between(class, unit).is_empty() || ontology.is_a(class, unit);
        let base = self.event_base();
        if lets(class) || base.is_some_and(|base| ontology.is_a(class, base)) {
            return None;
        }
        let units = self.mentions.iter().filter(|mention| {
            let is_unit = mention.flags.unit.or(mention.class()).is_some_and(|one| ontology.is_a(one, unit));
            let is_navigation = matches!(self.page.lines[mention.line].region, Region::Navigation | Region::Footer);
            is_unit && !is_navigation && (mention.count.is_some() || self.has_price(mention.line))
        });
        if units.count() < 3 && !self.sleeps() {
            return None;
        }
        // A pub with rooms is an inn, whatever its rooms are offered with.
        let both = |eatery: ClassId| {
            let mut classes = ontology.classes().filter(|one| lets(*one) && ontology.is_a(*one, eatery));
            classes.find(|one| ontology.class_at(*one).is_focus())
        };
        let eatery = self.domain.rules.eatery.filter(|eatery| ontology.is_a(class, *eatery));
        let is_titled = |one: ClassId| {
            let heads: Vec<_> = self.heads().collect();
            self.mentions.iter().any(|mention| heads.contains(&mention.line) && mention.class() == Some(one))
        };
        let voted = self.votes().into_iter().filter(|(one, _)| lets(*one) && !ontology.is_a(*one, unit));
        let voted = voted.max_by_key(|(one, votes)| (*votes, std::cmp::Reverse(*one))).map(|(one, _)| one);
        let is_english = self.heads().all(|line| self.tokens.tongues[line] == Tongue::English);
        let inn = eatery.filter(|_| is_english).and_then(both).filter(|_| voted.is_none_or(|voted| !is_titled(voted)));
        inn.or(voted).or_else(|| self.lets_units())
    }
}
