//! What a price includes, what comes on top, and what holds for all prices of a section.

use super::{Attach, Price};
use crate::language::Tongue;
use crate::layout::{Cell, Role};
use crate::literals::Kind;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::ClassId;

/// What is included is said to be so at most so many words and signs behind it.
const BEHIND: usize = 12;
/// A line of so many words and signs is a row of a list: "Zwischensaison (Mai, Juni, September): 60 €".
const LONGEST_ROW: usize = 11;
/// Nearer than that, whatever stands between.
const NEAR: usize = 5;
/// So many lines below a table still speak of it.
const BELOW: usize = 3;
/// A cell that says for what a price is has so many words and signs at most.
const SHORT: usize = 4;
/// A point of a list with prices has at most so many words and signs.
const POINT: usize = 20;

impl Attach<'_> {
    /// Whether words say that a price has something in it (`true`) or that it comes on top (`false`).
    pub(super) fn included_by(&self, number: usize) -> Option<bool> {
        let language = self.m.languages.of(self.tongue(number));
        let before = self.words_before(number, 9);
        // "Bed linen is included, final cleaning £40": what has its own price is in none.
        if self.costs_itself(number) && before.last() == Some(&",") {
            return None;
        }
        // "Facilities include a lift": that is no price.
        if before.iter().any(|word| language.has("facilities", word)) && !self.has_price(number) {
            return None;
        }
        let label: Vec<&str> = self.context(number).label_words.iter().map(|word| &**word).collect();
        let denies = |words: &[&str]| {
            words.windows(2).any(|pair| {
                language.negations.contains(pair[0])
                    && (language.included.contains(pair[1]) || language.included_behind.contains(pair[1]))
            })
        };
        if denies(&before) || denies(&label) || self.is_added(number) {
            return Some(false);
        }
        let has_price = self.has_price(number);
        let near: Vec<_> = before.iter().rev().take(3).copied().chain(self.words_before_group(number)).collect();
        let is_weak = |word: &str| matches!(word, "plus" | "extra");
        if near.iter().any(|word| language.excluded.contains(*word) && (has_price || !is_weak(word))) {
            return Some(false);
        }
        let mut wide = before.iter().rev().take_while(|word| !matches!(**word, "." | ";" | "€" | "£"));
        let is_in = |word: &str| language.included.contains(word);
        if near.iter().any(|word| is_in(word)) || wide.any(|word| is_in(word)) {
            return Some(true);
        }
        self.said_behind(number).or_else(|| {
            self.comes_with(
                number,
                has_price && before.iter().rev().take(2).any(|word| matches!(*word, "mit" | "with")),
            )
        })
    }

    /// Whether a price stands right behind a thing.
    fn costs_itself(&self, number: usize) -> bool {
        let own = self.mention(number);
        let next = self.m.mentions.get(number + 1).filter(|next| next.line == own.line && next.is_literal(Kind::Money));
        next.is_some_and(|next| next.tokens.start <= own.tokens.end + 1)
    }

    /// "All prices are per person per night", over a listing: of every price on the page.
    pub(super) fn page_wide(&mut self) {
        for number in 0..self.m.mentions.len() {
            let is_free = self.scope(number).is_none() && !self.context(number).skip;
            if let (true, What::Literal(Kind::Per, value)) = (is_free, self.mention(number).what.clone()) {
                self.per(number, &value);
            }
        }
    }

    /// The last words before a mention in its sentence.
    pub(super) fn words_before(&self, number: usize, count: usize) -> Vec<&str> {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let tokens = &self.m.tokens.all[mention.tokens.start.saturating_sub(count).max(start)..mention.tokens.start];
        tokens.iter().filter(|token| token.sentence == mention.sentence).map(|token| &*token.lower).collect()
    }

    /// The words before the enumeration that a mention stands in.
    fn words_before_group(&self, number: usize) -> Vec<&str> {
        let group = self.syntax.group[number];
        let own = self.by_line[self.mention(number).line].start..number;
        let first = own.into_iter().find(|other| group.is_some() && self.syntax.group[*other] == group);
        first.map_or_else(Vec::new, |first| self.words_before(first, 4))
    }

    pub(super) fn has_price(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let mut own = self.by_line[mention.line].clone();
        own.any(|other| self.is_price(other) && self.mention(other).sentence == mention.sentence)
    }

    /// "Frühstück ist enthalten"
    fn said_behind(&self, number: usize) -> Option<bool> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let end = self.m.tokens.lines[mention.line].end;
        let tokens = &self.m.tokens.all[mention.tokens.end.min(end)..(mention.tokens.end + BEHIND).min(end)];
        let after: Vec<_> =
            tokens.iter().filter(|token| token.sentence == mention.sentence).map(|token| &*token.lower).collect();
        let place = after.iter().position(|word| language.included_behind.contains(*word))?;
        // "Bed linen, towels and the first basket of logs are included": a long enumeration, and nothing else.
        let is_other = |word: &&str| {
            let class = language.classes.get(*word).map(String::as_str);
            class == Some("Verb") || class == Some("Prep") && !matches!(*word, "of" | "von" | "in" | "im")
        };
        let is_far = place >= NEAR && after[..place].iter().any(is_other);
        if is_far || after[..place].iter().any(|word| matches!(*word, "." | ";" | "€" | "£")) {
            return None;
        }
        Some(!after.iter().take(place.max(NEAR) + 1).any(|word| language.negations.contains(*word)))
    }

    /// "Doppelzimmer mit Frühstück 80 €", or under a heading that says so.
    fn comes_with(&self, number: usize, is_with: bool) -> Option<bool> {
        let is_meal = self.mention(number).class().is_some_and(|class| {
            let units = self.before(number).into_iter().filter_map(|other| self.resolved[other]);
            let mut units = units.filter(|handle| !self.focuses.contains(handle));
            units.next().is_some_and(|unit| self.m.domain.ontology.between(self.class_of(unit), class).is_empty())
        });
        // "32 € pro Person mit Frühstück"
        let meal = self.m.domain.rules.meal;
        let is_eaten = self.mention(number).class().zip(meal).is_some_and(|(class, meal)| self.is_a(class, meal));
        let is_paid = |other: &usize| self.is_price(*other) || self.mention(*other).is_literal(Kind::Per);
        let behind_price = is_eaten && self.before(number).first().is_some_and(is_paid);
        let by_heading = self.m.domain.rules.with.is_some_and(|slot| self.context(number).cues.contains(&slot));
        (is_with && (is_meal || behind_price) || by_heading && !self.prices.is_empty()).then_some(true)
    }

    /// At the end, when all prices are known: who they are for and what they include.
    pub(super) fn included(&mut self) {
        let Some(class) = self.m.domain.rules.money else { return };
        self.all_prices();
        for number in 0..self.m.mentions.len() {
            let What::Thing(to) = self.mention(number).what else { continue };
            let line = self.mention(number).line;
            if self.contexts[line].skip || self.scope(number).is_none() {
                continue;
            }
            if self.is_condition(number) {
                if let Some(price) = self.price_beside(number).and_then(|price| self.resolved[price]) {
                    self.condition(number, price, class, "adjacent");
                }
                continue;
            }
            let slots = self.between(class, to);
            let rules = &self.m.domain.rules;
            let slot = match self.included_by(number) {
                Some(true) => rules.with,
                Some(false) => rules.without,
                None => None,
            };
            let Some(slot) = slot.filter(|slot| slots.contains(slot)) else { continue };
            // A thing with a price of its own is not included in it.
            let targets = self.including(number);
            let thing = self.instance(number, to);
            for price in targets {
                let own = self.resolved[number] == Some(thing)
                    && self.prices.iter().any(|one| {
                        one.handle == price
                            && one.line == line
                            && one.mention > number
                            && self.before(one.mention).first() == Some(&number)
                            && !self.is_included_in(one.mention, number)
                    });
                if !own {
                    self.link(price, slot, thing, "prep", number);
                }
            }
        }
    }

    /// The price before a thing in its sentence, or else all that its sentence has.
    fn in_sentence_with(&self, number: usize) -> Option<Vec<Handle>> {
        let mention = self.mention(number);
        let is_same =
            |price: &&Price| price.line == mention.line && self.mention(price.mention).sentence == mention.sentence;
        if let Some(price) = self.prices.iter().rev().filter(is_same).find(|price| price.mention < number) {
            let each = if self.is_of_each(number) { self.stays_before(number) } else { Vec::new() };
            return Some(if each.is_empty() { vec![price.handle] } else { each });
        }
        let own = self.prices.iter().filter(is_same);
        let own: Vec<_> = own.filter(|price| !self.is_on_top(price)).map(|price| price.handle).collect();
        (!own.is_empty()).then_some(own)
    }

    /// "Double £72, single £48, including breakfast": behind a comma, of each of them.
    fn is_of_each(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        let before = self.words_before(number, 6);
        let is_said = |pair: &[&str]| pair[0] == "," && (pair[1] == "jeweils" || language.included.contains(pair[1]));
        // "Single $42, double $54, plus tax"
        let price = self.before(number).first().copied().filter(|other| self.is_price(*other));
        let is_on_top = price.is_some_and(|price| {
            let between = self.mention(price).tokens.end..self.mention(number).tokens.start;
            let mut words = self.m.tokens.all[between].iter();
            words.next().is_some_and(|sign| &*sign.lower == ",")
                && words.next().is_some_and(|word| language.excluded.contains(&*word.lower))
        });
        is_on_top || before.windows(2).any(is_said) || before.iter().any(|word| matches!(*word, "jeweils" | "both"))
    }

    /// The prices of stays before a thing in its sentence.
    fn stays_before(&self, number: usize) -> Vec<Handle> {
        let mention = self.mention(number);
        let is_before = |price: &&Price| {
            let is_same = price.line == mention.line && self.mention(price.mention).sentence == mention.sentence;
            is_same && price.mention < number && !self.is_extra(price)
        };
        self.prices.iter().filter(is_before).map(|price| price.handle).collect()
    }

    /// The prices that a thing is included in: those of its sentence, of its line, of its section.
    pub(super) fn including(&self, number: usize) -> Vec<Handle> {
        let mention = self.mention(number);
        let scope = self.scope(number);
        if let Some(prices) = self.in_sentence_with(number) {
            return prices;
        }
        let unit = self.m.domain.rules.counted.first().copied();
        let of_unit = |price: &&Price| price.of.zip(unit).is_some_and(|(of, unit)| self.is_a(of, unit));
        let has_unit = self.prices.iter().any(|price| of_unit(&price));
        let class = mention.class().zip(self.m.domain.rules.money);
        let is_tax = !has_unit && class.is_some_and(|(class, money)| self.is_levy(class, money));
        let is_free = |price: &&Price| matches!(self.mention(price.mention).what, What::Free);
        // Breakfast is included in what a room costs, not in what a garage costs; VAT in what all dishes cost.
        let dish = self.m.domain.rules.dish;
        let is_dish = |price: &Price| price.of.zip(dish).is_some_and(|(of, dish)| self.is_a(of, dish));
        let is_unit = |price: &&Price| if is_tax { !is_free(price) } else { !self.is_extra(price) && !is_dish(price) };
        let in_scope = || {
            self.prices
                .iter()
                .filter(|price| Some(price.scope) == scope)
                .filter(is_unit)
                .map(|price| price.handle)
                .collect::<Vec<_>>()
        };
        if self.is_of_all_prices(number) {
            let own = self.prices.iter().filter(|price| Some(price.scope) == scope).filter(of_unit);
            return own.map(|price| price.handle).collect();
        }
        let section = self.contexts[mention.line].section;
        let in_section: Vec<_> = self
            .prices
            .iter()
            .filter(|price| {
                price.line != mention.line
                    && Some(price.scope) == scope
                    && self.is_under(price.line, section)
                    && price.line <= mention.line + 40
            })
            .collect();
        if in_section.is_empty() && self.is_of_unit(number) {
            Vec::new()
        } else if in_section.is_empty() {
            in_scope()
        } else {
            in_section.into_iter().filter(is_unit).map(|price| price.handle).collect()
        }
    }

    /// "Prices are for two people and include breakfast", under the last of several rooms.
    pub(super) fn is_of_all_prices(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let own = self.m.tokens.all[line].iter().filter(|token| token.sentence == mention.sentence);
        let section = self.contexts[mention.line].section;
        let is_low = matches!(self.m.page.lines[section].role, crate::layout::Role::Heading(3..=6));
        self.tongue(number) == Tongue::English
            && is_low
            && own.take(2).any(|token| language.has("pricing", &token.lower))
    }

    /// "Bed linen is included" under the heading of huts without a price: they have it, and nobody else.
    fn is_of_unit(&self, number: usize) -> bool {
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit = |class: ClassId| unit.is_some_and(|unit| self.is_a(class, unit));
        let section = self.contexts[self.mention(number).line].section;
        let is_low = matches!(self.m.page.lines[section].role, crate::layout::Role::Heading(2..=6));
        let mut heading = self.by_line[section].clone();
        let is_fitting = self
            .mention(number)
            .class()
            .zip(unit)
            .is_some_and(|(class, unit)| !self.m.domain.ontology.between(unit, class).is_empty());
        is_low && is_fitting && heading.any(|other| self.mention(other).class().is_some_and(is_unit))
    }

    /// "zuzüglich Kurtaxe (1,50 €)": the price of something that is not included.
    fn is_on_top(&self, price: &Price) -> bool {
        let before = self.before(price.mention).into_iter().find(|other| self.mention(*other).class().is_some());
        before.is_some_and(|before| self.included_by(before) == Some(false))
    }

    /// Whether a line stands in a section, or in one inside of it.
    fn is_under(&self, line: usize, section: usize) -> bool {
        self.contexts[line].section == section || section > 0 && self.contexts[line].sections.contains(&section)
    }

    /// Whether a price is that of a service or of equipment.
    pub(super) fn is_extra(&self, price: &Price) -> bool {
        if matches!(self.mention(price.mention).what, What::Free) {
            return true;
        }
        // "Wattblick" is a flat, whatever its name is made of.
        let unit = self.m.domain.rules.counted.first();
        if price.of.zip(unit).is_some_and(|(of, unit)| self.is_a(of, *unit)) {
            return false;
        }
        let Some(thing) = self
            .before(price.mention)
            .into_iter()
            .chain(self.contexts[price.line].labels.iter().copied())
            .find_map(|other| {
                // "ÜF 28,00": what is in it is no extra.
                let class = self
                    .mention(other)
                    .class()
                    .filter(|_| self.board(other).is_none() || self.tongue(other) == Tongue::English)?;
                (matches!(self.mention(other).what, What::Thing(_)) && self.resolved[other].is_some()).then_some(class)
            })
        else {
            return false;
        };
        let with = self.m.domain.rules.with;
        with.is_some_and(|with| self.m.domain.ontology.fits_range(with, &[thing]))
    }

    /// "Alle Preise pro Nacht": of the prices of the section that say nothing else.
    pub(super) fn all_prices(&mut self) {
        for (number, slot, value) in std::mem::take(&mut self.standing) {
            let (line, scope) = (self.mention(number).line, self.scope(number));
            let led = self.led_prices(number);
            if !led.is_empty() {
                led.into_iter().for_each(|price| self.value(price, slot, &value, "sentence", number));
                continue;
            }
            let section = self.contexts[line].section;
            let is_row = |price: &&Price| {
                let own = &self.m.page.lines[price.line];
                let most = if own.role == Role::Item { POINT } else { LONGEST_ROW };
                own.cell.is_some() || self.m.tokens.lines[price.line].len() <= most
            };
            let dish = self.m.domain.rules.dish;
            let is_dish = |price: &&Price| price.of.zip(dish).is_some_and(|(of, dish)| self.is_a(of, dish));
            // "pro Zimmer und Nacht, / inkl. Frühstück" at the head of a column, though its second line looks like a heading.
            let is_over_column = |price: &Price| {
                let cell = |line: usize| self.m.page.lines[line].cell.filter(|cell| cell.column > 1 && !cell.is_head);
                let cells = cell(line).zip(cell(price.line));
                cells.is_some_and(|(own, other)| {
                    (own.table, own.column) == (other.table, other.column) && own.row < other.row
                })
            };
            let is_near = |price: &&Price| {
                let is_there = self.is_under(price.line, section)
                    || is_over_column(price)
                    || self.is_below_table(line, price.line);
                let in_section = is_row(price) && Some(price.scope) == scope && is_there;
                let is_told = self.is_over_table(line, price.line) || !self.is_extra(price);
                price.line != line && (scope.is_none() || in_section) && is_told && !is_dish(price)
            };
            let is_of_people = self.m.domain.rules.people == Some(slot);
            let says_itself = |price: &Price| {
                if is_of_people { self.has_people(price) } else { self.has_per(price) || self.is_led_by_per(price) }
            };
            let subjects = self.subjects(number);
            let handles: Vec<_> = self
                .prices
                .iter()
                .filter(is_near)
                .filter(|price| !says_itself(price) && self.is_subject_of(number, &subjects, price))
                .map(|price| price.handle)
                .collect();
            for handle in handles {
                self.value(handle, slot, &value, "section", number);
            }
        }
    }

    /// The prices behind it in its sentence or its row that say nothing else.
    fn led_prices(&self, number: usize) -> Vec<Handle> {
        let line = self.mention(number).line;
        // "Pro Person und Nacht 35 Euro, im Einzelzimmer 42 Euro"
        let sentence = self.mention(number).sentence;
        let is_led = |price: &&Price| {
            let other = self.mention(price.mention);
            (other.line, other.sentence) == (line, sentence) && price.mention > number && !self.has_per(price)
        };
        // "Nebensaison | pro Woche | 280 €": of that row.
        let cell = |line: usize| self.m.page.lines[line].cell.filter(|cell| cell.column > 1 && !cell.is_head);
        let is_short = self.m.tokens.lines[line].len() <= SHORT && self.is_entry_row(line);
        let in_row = |price: &&Price| {
            let cells = cell(line).zip(cell(price.line)).filter(|_| is_short);
            let is_behind = |(own, other): (Cell, Cell)| {
                (own.table, own.row) == (other.table, other.row) && own.column < other.column
            };
            cells.is_some_and(is_behind) && !self.has_per(price)
        };
        let led = self.prices.iter().filter(|price| is_led(price) || in_row(price));
        led.map(|price| price.handle).collect()
    }

    /// "Preise pro Tag" in one of the lines right below a table: of what stands there.
    fn is_below_table(&self, line: usize, price: usize) -> bool {
        let table = |line: usize| self.m.page.lines[line].cell.map(|cell| cell.table);
        let Some(own) = table(price).filter(|own| table(line) != Some(*own) && price < line) else { return false };
        (line.saturating_sub(BELOW)..line).any(|over| table(over) == Some(own))
    }

    /// "Preise pro Nacht" in a table, or right over it: so are all that stand there.
    fn is_over_table(&self, line: usize, price: usize) -> bool {
        let table = |line: usize| self.m.page.lines.get(line).and_then(|line| line.cell).map(|cell| cell.table);
        let Some(own) = table(price) else { return false };
        let is_row = self.m.page.lines[line].cell.is_some_and(|cell| cell.row > 1);
        let is_german = self.m.tokens.tongues[line] == Tongue::German;
        is_german && !is_row && (line..line + 3).any(|line| table(line) == Some(own))
    }

    /// "Dorm prices are per person, private rooms per room": what each of these words is said of.
    fn subjects(&self, number: usize) -> Vec<(usize, ClassId)> {
        let Some(unit) = self.m.domain.rules.counted.first().copied() else { return Vec::new() };
        let mention = self.mention(number);
        let own = self.by_line[mention.line].clone();
        let same = own.filter(|other| self.mention(*other).sentence == mention.sentence);
        let mut last = None;
        let mut found = Vec::new();
        for other in same {
            let class = self.mention(other).class().filter(|class| self.is_a(*class, unit));
            last = class.or_else(|| self.priced_unit(other, unit)).or(last);
            if let Some(class) = last.filter(|_| self.mention(other).is_literal(Kind::Per)) {
                found.push((other, class));
            }
        }
        found
    }

    /// "Appartementpreise pro Tag": of the unit that the word before begins with.
    fn priced_unit(&self, number: usize, unit: ClassId) -> Option<ClassId> {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let mut before = self.m.tokens.all[start..mention.tokens.start].iter().rev().map(|token| &*token.lower);
        let before = before.find(|word| !matches!(*word, "pro" | "je" | "per"))?;
        let kind = before.strip_suffix("preise").or(before.strip_suffix("preis"))?;
        let lexicon = self.m.domain.lexicon(self.tongue(number));
        let entry = lexicon.entry(kind).or_else(|| lexicon.entry(kind.trim_end_matches(['s', 'n'])))?;
        let crate::lexicon::Concept::Thing(class) = entry.concept else { return None };
        (mention.is_literal(Kind::Per) && self.is_a(class, unit)).then_some(class)
    }

    /// Whether a price is of the kind that a word for all prices is said of.
    fn is_subject_of(&self, number: usize, subjects: &[(usize, ClassId)], price: &Price) -> bool {
        let (Some(of), Some((_, own))) = (price.of, subjects.iter().find(|(other, _)| *other == number)) else {
            // "Preise pro Person und Nacht, Ferienwohnungen pro Tag": the first is said of all others.
            return !subjects.iter().any(|(_, class)| price.of.is_some_and(|of| self.is_a(of, *class)))
                || self.tongue(number) == Tongue::English;
        };
        let sentence = self.mention(number).sentence;
        let mut others = self.by_line[self.mention(number).line].clone();
        let is_bare = self.tongue(number) == Tongue::German
            && others.any(|other| {
                let is_per = self.mention(other).is_literal(Kind::Per) && self.mention(other).sentence == sentence;
                is_per && !subjects.iter().any(|(one, _)| *one == other)
            });
        let is_split = is_bare || subjects.iter().any(|(_, class)| class != own);
        let fits = |class: ClassId| self.is_a(of, class);
        let is_closer = |class: &ClassId| class != own && fits(*class) && self.is_a(*class, *own);
        !is_split || fits(*own) && !subjects.iter().any(|(_, class)| is_closer(class))
    }

    /// "Pro Nacht 480.-"
    fn is_led_by_per(&self, price: &Price) -> bool {
        let money = self.mention(price.mention);
        let before = price.mention.checked_sub(1).map(|before| self.mention(before));
        before.is_some_and(|before| {
            let is_near = money.tokens.start.saturating_sub(before.tokens.end) <= 1;
            before.is_literal(Kind::Per) && (before.line, before.sentence) == (money.line, money.sentence) && is_near
        })
    }

    /// Whether a price says itself what it is for.
    pub(super) fn has_per(&self, price: &Price) -> bool {
        let own = self.by_line[price.line].clone();
        let next = (price.mention + 1..own.end).find(|other| self.is_price(*other)).unwrap_or(own.end);
        (price.mention + 1..next).any(|other| self.mention(other).is_literal(Kind::Per))
    }
}
