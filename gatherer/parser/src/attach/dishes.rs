//! Dishes told one behind the other: "Green curry £8.95, pad thai £8.50, spring rolls (4) £4.95".

use super::Attach;
use crate::mentions::What;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
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

    /// The name of a dish right before its price, back to the sign behind the price before.
    fn name_before(&self, line: usize, price: usize, dish: ClassId) -> Option<Range<usize>> {
        let tokens = &self.m.tokens.all;
        let money = &self.mention(price).tokens;
        let own = self.by_line[line].start..price;
        let last = own.clone().rev().find(|other| self.is_price(*other));
        let floor = last.map_or(self.m.tokens.lines[line].start, |last| self.mention(last).tokens.end);
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let is_border = |at: &usize| matches!(&*tokens[*at].lower, "," | ";" | "." | "/" | "|" | "•" | "·" | ":");
        let start = (floor..money.start).rev().find(is_border).map_or(floor, |border| border + 1);
        let joins = |at: &usize| matches!(&*tokens[*at].lower, "und" | "and" | "sowie" | "&" | "-" | "–");
        let first = (start..money.start).find(|at| !joins(at))?;
        let is_small = |at: usize| language.is_small(&tokens[at].lower);
        let ends = |at: &usize| tokens[*at].kind == Kind::Word && !is_small(*at) || &*tokens[*at].lower == ")";
        let end = (first..money.start).rev().find(ends)? + 1;
        let class = |at: usize| language.classes.get(&*tokens[at].lower).map(String::as_str);
        let is_told = |at: usize| !tokens[at].is_capital && matches!(class(at), Some("Verb" | "Aux" | "Pron"));
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
            && !(first..end).any(is_told)
            && !{ inside }.any(is_other);
        is_name.then(|| tokens[first].span.start..tokens[bracket - 1].span.end)
    }
}
