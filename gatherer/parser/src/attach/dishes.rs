//! Dishes told one behind the other: "Green curry £8.95, pad thai £8.50, spring rolls (4) £4.95".

use super::Attach;
use crate::mentions::What;
use crate::tokens::Kind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

/// So many prices have to stand one behind the other.
const LEAST: usize = 2;
/// And before the first at most so many, as a label.
const LABEL: usize = 3;
/// Behind the last price stand so many words and signs at most.
const REST: usize = 2;
/// The longest name of a dish, in words and signs.
const LONGEST: usize = 9;

impl Attach<'_> {
    /// Takes the dishes of a line that tells several; says whether there were any.
    pub(super) fn told_dishes(&mut self, line: usize) -> bool {
        let (Some(dish), Some(eatery)) = (self.m.domain.rules.dish, self.m.domain.rules.eatery) else { return false };
        let prices: Vec<usize> = self.by_line[line].clone().filter(|number| self.is_price(*number)).collect();
        let Some(focus) = prices.first().and_then(|price| self.focus(*price)) else { return false };
        let serves = self.builder.types(focus).iter().any(|class| self.is_a(*class, eatery)) && !self.is_event(focus);
        if prices.len() < LEAST || !serves {
            return false;
        }
        let names: Option<Vec<_>> = prices.iter().map(|price| self.name_before(line, *price, dish)).collect();
        let (range, last) = (self.m.tokens.lines[line].clone(), prices[prices.len() - 1]);
        let is_whole = |first: &Range<usize>| {
            let start = self.m.tokens.all[range.start].span.start;
            let before = &self.m.page.text[start..first.start];
            let is_label = before.trim_end().ends_with(':') && before.split_whitespace().count() <= LABEL;
            (before.is_empty() || is_label) && range.end.saturating_sub(self.mention(last).tokens.end) <= REST
        };
        let Some(names) = names.filter(|names| names.first().is_some_and(is_whole)) else { return false };
        for (price, name) in prices.iter().zip(names) {
            self.put_dish(*price, dish, &name);
        }
        true
    }

    /// Whether a mention is something to eat or to drink.
    pub(super) fn is_eaten(&self, number: usize) -> bool {
        let mention = self.mention(number);
        mention.name.is_none() && mention.class().is_some_and(|class| self.is_food(class))
    }

    /// Whether a mention is a place where one goes to eat.
    pub(super) fn serves(&self, number: usize) -> bool {
        let eatery = self.m.domain.rules.eatery;
        self.mention(number).class().zip(eatery).is_some_and(|(class, eatery)| self.is_a(class, eatery))
    }

    /// "Maultaschen für 8,50 €", where one goes to eat: what nobody knows by another word is a dish.
    pub(super) fn dish_in_sentence(&mut self, price: usize, money: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let (dish, eatery) = (self.m.domain.rules.dish?, self.m.domain.rules.eatery?);
        let focus = self.focus(price).filter(|focus| !self.is_event(*focus))?;
        let types = self.builder.types(focus).to_vec();
        if !types.iter().any(|class| self.is_a(*class, eatery)) {
            return None;
        }
        let line = self.mention(price).line;
        let name = self.name_before(line, price, dish)?;
        let own = self.by_line[line].start..price;
        let sentence = self.mention(price).sentence;
        // "Weinprobe mit Brot und Käse 24 €", "Eintritt 12 €"
        let is_other = |other: usize| {
            let mention = self.mention(other);
            let happens =
                mention.class().is_some_and(|class| self.is_event_class(class)) && mention.sentence == sentence;
            mention.span.end > name.start || happens
        };
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let lists = ["tickets", "entrance", "supplements", "selling", "joining", "deposits", "rents"];
        let is_paid = |word: &str| lists.iter().any(|list| language.has(list, word));
        let text = self.m.page.text[name.clone()].to_lowercase();
        let is_capital = self.m.page.text[name.clone()].starts_with(char::is_uppercase);
        if { own }.any(is_other) || !is_capital || text.split(' ').any(is_paid) {
            return None;
        }
        let slot = types.iter().find_map(|from| self.pick(*from, dish, price))?;
        let has = self.pick(dish, money, price)?;
        let lemma = self.m.page.text[name.clone()].to_lowercase();
        let scope = self.scope(price).unwrap_or(usize::MAX);
        let known = self.things.get(&(scope, dish, lemma.clone())).copied();
        let handle = known.unwrap_or_else(|| self.builder.instance(dish));
        self.builder.set_lemma(handle, &lemma);
        self.things.insert((scope, dish, lemma), handle);
        let evidence = self.evidence("adjacent", &name);
        self.join(focus, slot, handle, evidence);
        Some(vec![(handle, has)])
    }

    /// The name of a dish right before its price, back to the sign behind the price before.
    fn name_before(&self, line: usize, price: usize, dish: ClassId) -> Option<Range<usize>> {
        let tokens = &self.m.tokens.all;
        let money = &self.mention(price).tokens;
        let own = self.by_line[line].start..price;
        let last = own.clone().rev().find(|other| self.is_price(*other));
        let floor = last.map_or(self.m.tokens.lines[line].start, |last| self.mention(last).tokens.end);
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let class = |at: usize| language.classes.get(&*tokens[at].lower).map(String::as_str);
        let is_verb = |at: usize| !tokens[at].is_capital && matches!(class(at), Some("Verb" | "Aux" | "Pron"));
        let is_border = |at: &usize| matches!(&*tokens[*at].lower, "," | ";" | "." | "/" | "|" | "•" | "·" | ":");
        let start = (floor..money.start).rev().find(is_border).map_or(floor, |border| border + 1);
        // "gibt es Maultaschen für 8,50 € und Linsen"
        let start = (start..money.start)
            .rev()
            .find(|at| is_verb(*at) && (at + 1..money.start).any(|at| tokens[at].is_capital))
            .map_or(start, |verb| verb + 1);
        let joins = |at: &usize| matches!(&*tokens[*at].lower, "und" | "and" | "sowie" | "&" | "-" | "–");
        let first = (start..money.start).find(|at| !joins(at))?;
        let is_small = |at: usize| language.is_small(&tokens[at].lower) || is_verb(at);
        let ends = |at: &usize| tokens[*at].kind == Kind::Word && !is_small(*at) || &*tokens[*at].lower == ")";
        let end = (first..money.start).rev().find(ends)? + 1;
        let is_other = |other: usize| match &self.mention(other).what {
            What::Thing(class) => !(self.siblings(*class, dish) || self.is_a(*class, dish) || self.is_a(dish, *class)),
            What::Place(_) | What::Free => false,
            _ => true,
        };
        let inside = own.filter(|other| self.mention(*other).tokens.start >= first);
        let bracket = (first + 1..end).find(|at| &*tokens[*at].lower == "(").unwrap_or(end);
        let is_name = first < end
            && end - first <= LONGEST
            && tokens[first].kind == Kind::Word
            && !language.numbers.contains_key(&*tokens[first].lower)
            && tokens[first].sentence == self.mention(price).sentence
            && !(first..end).any(is_verb)
            && !{ inside }.any(is_other);
        is_name.then(|| tokens[first].span.start..tokens[bracket - 1].span.end)
    }
}
