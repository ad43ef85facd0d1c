//! Taxes and fees that come on top of a price and have one of their own: "Die Kurtaxe beträgt 2,20 € pro Person".

use super::{Attach, Price};
use crate::literals::Kind;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// So many words around a levy may say that it comes on top.
const ADDED: usize = 5;
/// So many mentions behind a levy it is looked for other prices.
const LATER: usize = 200;

impl Attach<'_> {
    /// The levy whose price this is, held by the price of the house before it, which it comes on top of.
    pub(super) fn levy_price(&mut self, number: usize, money: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let other = *self.before(number).first()?;
        let What::Thing(class) = self.mention(other).what else { return None };
        if !self.is_levy(class, money) {
            return None;
        }
        let slot = self.between(class, money).into_iter().find(|slot| {
            let slot = self.m.domain.ontology.slot_at(*slot);
            slot.holds_without_cue()
        })?;
        let scope = self.scope(number);
        let without = self.m.domain.rules.without?;
        let unit = *self.m.domain.rules.counted.first()?;
        let is_stay = |of: ClassId| self.is_a(of, unit) || !self.m.domain.ontology.between(of, unit).is_empty();
        let is_base =
            |price: &&Price| Some(price.scope) == scope && price.of.is_some_and(is_stay) && !self.is_extra(price);
        let prices: Vec<_> = self.prices.iter().filter(is_base).map(|price| price.handle).collect();
        if prices.is_empty() {
            return None;
        }
        let levy = self.instance(other, class);
        self.resolved[other] = Some(levy);
        for price in prices {
            self.link(price, without, levy, "sentence", other);
        }
        Some(vec![(levy, slot)])
    }

    /// "Taxes are extra", "plus 7% state tax", "all rates are subject to GST": paid on top, though no price stands beside it.
    pub(super) fn is_added(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let Some(money) = self.m.domain.rules.money else { return false };
        if self.has_price(number) || !mention.class().is_some_and(|class| self.is_levy(class, money)) {
            return false;
        }
        let language = self.m.languages.of(self.tongue(number));
        let own = self.m.tokens.lines[mention.line].clone();
        let near = mention.tokens.start.saturating_sub(ADDED).max(own.start)..(mention.tokens.end + ADDED).min(own.end);
        let mut words = self.m.tokens.all[near].iter().filter(|token| token.sentence == mention.sentence);
        words.any(|token| language.has("adding", &token.lower))
    }

    /// "Kurtaxe 1,50 € pro Person" over the prices of the rooms: it waits for these.
    pub(super) fn waits(&mut self, number: usize, money: ClassId) -> bool {
        let is_levy = |other: usize| {
            let class = self.mention(other).class().filter(|_| matches!(self.mention(other).what, What::Thing(_)));
            class.is_some_and(|class| self.is_levy(class, money))
        };
        let own = self.before(number).first().copied().filter(|other| is_levy(*other));
        let scope = self.scope(number);
        let last = own.map_or(number, |_| (number + LATER).min(self.m.mentions.len()));
        let waits = !self.late.contains(&number)
            && !self.prices.iter().any(|price| Some(price.scope) == scope && !self.is_extra(price))
            && (number + 1..last).any(|other| self.is_price(other) && self.scope(other) == scope);
        if waits {
            self.late.push(number);
        }
        waits
    }

    /// The prices of levies that waited, with what they are for.
    pub(super) fn late_levies(&mut self) {
        for number in self.late.clone() {
            let Some((_, value)) = self.mention(number).literal() else { continue };
            let value = value.to_owned();
            self.price(number, &value);
            let own = number + 1..self.by_line[self.mention(number).line].end;
            for other in own.take_while(|other| !self.is_price(*other)).collect::<Vec<_>>() {
                if let What::Literal(Kind::Per, value) = self.mention(other).what.clone() {
                    self.per(other, &value);
                }
            }
        }
    }

    /// Whether only prices have something to do with it.
    pub(super) fn is_levy(&self, class: ClassId, money: ClassId) -> bool {
        let ontology = &self.m.domain.ontology;
        let mut slots = ontology.slots().filter(|slot| ontology.fits_range(*slot, &[class])).peekable();
        slots.peek().is_some() && slots.all(|slot| ontology.fits_domain(slot, &[money]))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    #[test]
    fn a_levy_has_its_own_price_and_is_not_in_that_of_the_room() {
        let page = "<title>Pension Ried</title><h1>Pension Ried</h1><p>Das Doppelzimmer kostet 60 € pro Nacht.</p><p>Die Kurtaxe \
            beträgt 2,20 € pro Person und Tag.</p>";
        let xml = read(page).to_xml();
        let levy = xml.split("type=\"Kurtaxe\"").nth(1).expect("a levy");
        assert!(levy.split("</instance>").next().is_some_and(|own| own.contains(">2.20 EUR<")), "{xml}");
        assert!(xml.contains("<slot name=\"schliesst_aus\""), "{xml}");
    }
}
