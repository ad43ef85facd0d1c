//! Menus: what stands before a price is the dish.

use super::{Attach, Price};
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::What;
use crate::tokens::Kind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::ClassId;
use std::collections::HashSet;
use std::ops::Range;

/// A tea room is told of so many lines before what it serves at most.
const SECTION: usize = 40;

/// Whether what stands behind a comma is one word more and a last one.
fn is_enumeration(rest: &str) -> bool {
    let words: Vec<&str> = rest.trim_start_matches([',', ' ']).split_whitespace().collect();
    matches!(words.as_slice(), [_, "and" | "und" | "&", _])
}

impl Attach<'_> {
    /// The lines of menus, with those in which only the name of a dish stands.
    pub(super) fn menu_lines(&mut self) -> HashSet<usize> {
        let mut lines = HashSet::new();
        let rows = self.priced_rows();
        for line in 0..self.m.page.lines.len() {
            let context = &self.contexts[line];
            if context.skip || context.is_history || self.m.outline.of_line[line].is_none() {
                continue;
            }
            if self.told_dishes(line) {
                lines.insert(line);
            } else if self.menu_line(line, rows.contains(&line)) {
                lines.insert(line);
                lines.extend(self.head_of_row(line));
            }
        }
        lines
    }

    fn is_english(&self, line: usize) -> bool {
        self.m.tokens.tongues[line] == Tongue::English
    }

    /// In a house where one goes to eat: at least three lines that are a name and a price, and nothing else.
    fn priced_rows(&self) -> HashSet<usize> {
        let rules = &self.m.domain.rules;
        let (Some(eatery), Some(dish)) = (rules.eatery, rules.dish) else { return HashSet::new() };
        let is_row = |line: &usize| {
            let own = self.by_line[*line].clone();
            let prices: Vec<_> = own.clone().filter(|number| self.is_price(*number)).collect();
            let [price] = prices.as_slice() else { return false };
            let row = self.head_of_row(*line);
            let things = row.map_or(own.start, |row| self.by_line[row].start)..*price;
            let is_strange = things.clone().any(|number| match &self.mention(number).what {
                What::Thing(class) if rules.meal.is_some_and(|meal| self.is_a(*class, meal)) => false,
                What::Thing(class) => {
                    !self.siblings(*class, dish) && !self.is_a(dish, *class) && !self.is_a(*class, dish)
                }
                What::Free | What::Place(_) | What::Value(..) | What::Literal(LiteralKind::Money, _) => false,
                _ => true,
            });
            let context = self.context(*price);
            let is_condition = context.labels.iter().any(|label| self.is_condition(*label));
            // "Preise pro Person und Tag": rooms and board.
            let mut heads = context.labels.iter().chain(&context.headings);
            let is_condition = is_condition || heads.any(|head| self.mention(*head).is_literal(LiteralKind::Per));
            let ends = self.mention(*price).span.end + 2 >= self.m.page.lines[*line].span.end;
            let is_eatery = self.focus(*price).is_some_and(|focus| {
                self.builder.types(focus).iter().any(|class| self.is_a(*class, eatery)) && !self.is_event(focus)
            });
            let words = self.m.tokens.all[self.m.tokens.lines[row.unwrap_or(*line)].clone()]
                .iter()
                .filter(|token| token.kind == Kind::Word)
                .count();
            (is_eatery || self.tea_room(*price).is_some()) && ends && !is_strange && !is_condition && words <= 14
        };
        let rows: HashSet<_> = (0..self.m.page.lines.len())
            .filter(|line| !self.contexts[*line].skip && self.m.outline.of_line[*line].is_some())
            .filter(is_row)
            .collect();
        if rows.len() < 3 { HashSet::new() } else { rows }
    }

    /// A line of a menu: what stands before the price is the dish.
    fn menu_line(&mut self, line: usize, is_row: bool) -> bool {
        let Some(dish) = self.m.domain.rules.dish else { return false };
        // "7.30pm | Barn dance, tickets £6" is no dish.
        let is_when = |number: usize| self.mention(number).is_literal(LiteralKind::Time);
        let is_menu =
            (self.contexts[line].heading_words.iter().any(|word| self.m.domain.rules.menus.contains(&**word))
                || self.head_of_card(line).is_some())
                && !self.row(line).any(is_when);
        let prices: Vec<_> = self.by_line[line].clone().filter(|number| self.is_price(*number)).collect();
        let ([price], true) = (prices.as_slice(), is_menu || is_row || self.is_dish_item(line, dish)) else {
            return false;
        };
        let row = self.head_of_row(line);
        if row.is_none() && self.is_sentence(line, *price) {
            return false;
        }
        let Some(span) = self.dish_span(line, row, *price) else { return false };
        let first = row.map_or(self.by_line[line].start, |row| self.by_line[row].start);
        let class = (first..*price).find_map(|number| {
            self.mention(number).class().filter(|class| self.siblings(*class, dish) && self.is_head(number, &span))
        });
        let class = class.or_else(|| self.m.domain.rules.drink.filter(|_| self.is_poured(row.unwrap_or(line))));
        self.put_dish(*price, class.unwrap_or(dish), &span).is_some()
    }

    /// "On Fridays we offer a set lunch for £9.95": what stands before the price is more than a name.
    fn is_sentence(&self, line: usize, price: usize) -> bool {
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let before = self.m.tokens.lines[line].start..self.mention(price).tokens.start;
        let class = |at: usize| language.classes.get(&*self.m.tokens.all[at].lower).map(String::as_str);
        let is_small = |at: usize| !self.m.tokens.all[at].is_capital;
        { before }.any(|at| is_small(at) && matches!(class(at), Some("Verb" | "Aux" | "Pron")))
    }

    /// "Spätburgunder, 0,25 l"
    fn is_poured(&self, line: usize) -> bool {
        let tokens = &self.m.tokens.all[self.m.tokens.lines[line].clone()];
        tokens
            .windows(2)
            .any(|pair| pair[0].kind == Kind::Number && matches!(&*pair[1].lower, "l" | "cl" | "ml" | "liter" | "pint"))
    }

    /// A point of a list that begins with something to eat and ends with its price, in a house that serves it.
    fn is_dish_item(&self, line: usize, dish: ClassId) -> bool {
        let own = self.by_line[line].clone();
        let Some(price) = own.clone().find(|number| self.is_price(*number)) else { return false };
        let Some(focus) = self.focus(price) else { return false };
        let serves =
            self.builder.types(focus).iter().any(|from| !self.m.domain.ontology.between(*from, dish).is_empty());
        let things: Vec<_> = own.filter_map(|number| self.mention(number).class()).collect();
        let is_food =
            !things.is_empty() && things.iter().all(|class| self.siblings(*class, dish) || self.is_a(*class, dish));
        let ends = self.mention(price).span.end + 2 >= self.m.page.lines[line].span.end;
        self.m.page.lines[line].role == Role::Item && serves && is_food && ends && !self.is_event(focus)
    }

    /// The line with the name of the dish, if that is another one.
    fn head_of_row(&self, line: usize) -> Option<usize> {
        let is_term = |before: &usize| self.m.page.lines[*before].role == Role::Term;
        // "<dt>To start <dd>Mussels £7.50 <dd>Crab soup £6.95": over several it is a heading.
        let is_definition = |line: usize| self.m.page.lines.get(line).is_some_and(|line| line.role == Role::Definition);
        let is_alone = is_definition(line) && !is_definition(line + 1);
        let term = line.checked_sub(1).filter(is_term).filter(|_| is_alone);
        self.contexts[line].row_head.filter(|head| *head != line).or(term).or_else(|| self.head_of_card(line))
    }

    /// "<h3>Rote Grütze</h3><p>mit Vanillesoße</p><p>7,20 €</p>" under "Aus unserer Karte": a heading that is a dish, over a line
    /// that is a price.
    fn head_of_card(&self, line: usize) -> Option<usize> {
        let own = self.by_line[line].clone();
        let is_alone = own.len() == 1 && self.m.tokens.lines[line] == self.mention(own.start).tokens;
        let mut sections = self.contexts[line].sections.iter().rev();
        let head = *sections.next().filter(|_| is_alone && self.is_price(own.start))?;
        let menu = &self.m.tokens.all[self.m.tokens.lines[*sections.next()?].clone()];
        let is_menu = menu.iter().any(|token| self.m.domain.rules.menus.contains(&*token.lower));
        let is_card = matches!(self.m.page.lines[head].role, Role::Heading(_)) && line - head <= 3;
        ((is_menu || self.is_dish_card(own.start)) && is_card).then_some(head)
    }

    /// A price alone in its line under a low heading that names no room and no event, where one goes to eat.
    fn is_dish_card(&self, price: usize) -> bool {
        let line = self.mention(price).line;
        let head = self.contexts[line].section;
        let eatery = self.m.domain.rules.eatery;
        let is_eatery = self.focus(price).zip(eatery).is_some_and(|(focus, eatery)| {
            self.builder.types(focus).iter().any(|class| self.is_a(*class, eatery)) && !self.is_event(focus)
        });
        let rules = &self.m.domain.rules;
        let is_food = |class: ClassId| {
            rules
                .dish
                .is_some_and(|dish| self.siblings(class, dish) || self.is_a(class, dish) || self.is_a(dish, class))
                || rules.meal.is_some_and(|meal| self.is_a(class, meal))
        };
        let named = self.by_line[head].clone().filter_map(|other| self.mention(other).class());
        let is_low = matches!(self.m.page.lines[head].role, Role::Heading(3..=6));
        is_eatery && is_low && { named }.all(is_food)
    }

    /// Where the name of the dish stands. What comes with it is not what it is called.
    fn dish_span(&self, line: usize, row: Option<usize>, price: usize) -> Option<Range<usize>> {
        let start = self.m.page.lines[row.unwrap_or(line)].span.start;
        let end = row.map_or(self.mention(price).span.start, |row| self.m.page.lines[row].span.end);
        let is_sign = |letter: char| !letter.is_alphanumeric();
        let text = self.m.page.text[start..end].trim_end_matches(|letter: char| is_sign(letter) && letter != ')');
        let is_story = text.contains(". ") && row.is_none() && self.is_english(line);
        let ends = [" für ", " for ", ", ", " (", " \"", " „", " “"];
        // "Ham, egg and chips"
        let is_row = |cut: &usize| text[*cut..].starts_with(", ") && is_enumeration(&text[*cut..]);
        let cut = ends.iter().filter_map(|sign| text.find(sign)).min().filter(|cut| !is_row(cut)).unwrap_or(text.len());
        // "<span>Lamb rump</span> <span>peas, mint</span>": the first is what it is called.
        let whole = start..start + cut;
        let part = self.m.page.parts.iter().find(|part| part.start == whole.start && part.end < whole.end);
        let cut = part.map_or(cut, |part| part.end - start);
        // "Old Harrower 4.1%"
        let is_measure = |letter: char| letter.is_ascii_digit() || matches!(letter, '%' | '.' | ',' | ' ');
        let bare = text[..cut].trim_end_matches(is_measure);
        let text = if text[..cut].contains('%') { bare } else { text[..cut].trim_end() };
        let begin = text.len() - text.trim_start_matches(is_sign).len();
        let has_own_label =
            self.contexts[line].label_until.is_some_and(|until| self.m.page.text[..until].ends_with(':'));
        let is_sentence = text.ends_with('.') || text.contains(". ") || text.contains(':');
        let words = text.split_whitespace().count();
        (!is_story && (1..=12).contains(&words) && begin < text.len() && !has_own_label && !is_sentence)
            .then(|| start + begin..start + text.len())
    }

    /// "Beef and ale pie" is no ale: the last word before what comes with it says what it is.
    fn is_head(&self, number: usize, name: &Range<usize>) -> bool {
        let tokens = &self.mention(number).tokens;
        let language = self.m.languages.of(self.tongue(number));
        let next = self.m.tokens.all.get(tokens.end).filter(|next| next.span.end <= name.end);
        next.is_none_or(|next| {
            next.kind != Kind::Word
                || language.classes.get(&*next.lower).is_some_and(|class| class == "Prep")
                || !self.is_english(self.mention(number).line)
        })
    }

    /// Who serves what a line of a menu offers: what the page is about, or the tea room that its section tells of.
    fn server(&mut self, price: usize) -> Option<Handle> {
        let focus = self.focus(price)?;
        let Some(number) = self.tea_room(price) else { return Some(focus) };
        let room = self.instance(number, self.mention(number).class()?);
        self.resolved[number] = Some(room);
        Some(room)
    }

    /// The place to eat that a section tells of before a price, on a page about something else.
    fn tea_room(&self, price: usize) -> Option<usize> {
        let eatery = self.m.domain.rules.eatery?;
        let focus = self.focus(price)?;
        let is_eatery = |class: ClassId| self.is_a(class, eatery);
        if self.builder.types(focus).iter().any(|class| is_eatery(*class)) || self.is_event(focus) {
            return None;
        }
        let line = self.mention(price).line;
        let section = self.contexts[line].section;
        let near = section.max(line.saturating_sub(SECTION));
        let mut before = (near..line).rev().flat_map(|line| self.by_line[line].clone());
        before.find(|number| self.mention(*number).class().is_some_and(is_eatery)).filter(|_| section > 0)
    }

    pub(super) fn put_dish(&mut self, price: usize, class: ClassId, span: &Range<usize>) -> Option<()> {
        let server = self.server(price)?;
        let types = self.builder.types(server).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, price))?;
        let money = self.m.domain.rules.money?;
        let key = self.key_slot(money)?;
        let (_, value) = self.mention(price).literal()?;
        let value = value.to_owned();
        let lemma = self.m.page.text[span.clone()].to_lowercase();
        let scope = self.scope(price).unwrap_or(usize::MAX);
        let known = self.things.get(&(scope, class, lemma.clone())).copied();
        let dish = known.unwrap_or_else(|| self.builder.instance(class));
        self.builder.set_lemma(dish, &lemma);
        self.things.insert((scope, class, lemma), dish);
        let evidence = self.evidence("list", span);
        self.builder.link(server, slot, dish, evidence);
        let amount = self.builder.instance(money);
        let place = self.mention(price).span.clone();
        self.value_at(amount, key, &value, "form", &place);
        if let Some(slot) = self.pick(class, money, price) {
            self.link(dish, slot, amount, "list", price);
        }
        let line = self.mention(price).line;
        self.prices.push(Price { mention: price, handle: amount, scope, line, of: Some(class) });
        Some(())
    }
}
