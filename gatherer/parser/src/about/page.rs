//! What a page has, whatever it is about, and what speaks for nothing or for several things.

use super::kinds::Kind;
use super::weights::Sign;
use crate::focus::Chooser;
use crate::listing::Listed;
use crate::literals::Kind as Value;
use crate::mentions::{Mention, What};
use crate::staged::is_day;
use std::collections::BTreeSet;

/// The first lines of a page.
const FIRST: usize = 12;
/// More pieces that are made alike are many.
const MANY: usize = 4;
/// So much speaks for a class on a page that speaks of one at all.
const SAID: u32 = 6;

impl Chooser<'_> {
    /// What the page has.
    pub(super) fn page_signs(&self) -> Vec<Sign> {
        let ontology = &self.domain.ontology;
        let has = |kind: Value| self.mentions.iter().any(|one| one.is_literal(kind));
        let count = |is_one: &dyn Fn(&Mention) -> bool| self.mentions.iter().filter(|one| is_one(one)).count();
        let days = count(&is_day);
        let money = count(&|one| one.is_literal(Value::Money));
        let units = self.units().filter(|one| one.name.is_none()).count();
        let dish = self.domain.rules.dish;
        let dishes = count(&|one| one.class().zip(dish).is_some_and(|(class, dish)| ontology.is_a(class, dish)));
        let young = self.domain.rules.young;
        let is_young = |one: &Mention| one.class().is_some() && one.class() == young && self.has_price(one.line);
        let speaks = |list: &str| {
            let mut tokens = self.tokens.all.iter();
            tokens.any(|token| self.languages.of(self.tokens.tongues[token.line as usize]).has(list, &token.lower))
        };
        holding(&[
            (self.mentions.iter().any(|one| one.line < FIRST && is_day(one)), Sign::PageDayTop),
            (days > 0, Sign::PageDay),
            (days > 4, Sign::PageManyDays),
            (money > 0, Sign::PageMoney),
            (money > 5, Sign::PageManyMoney),
            (units > 0, Sign::PageUnit),
            (units > 3, Sign::PageManyUnits),
            (dishes > 0, Sign::PageDish),
            (dishes > 3, Sign::PageManyDishes),
            (has(Value::Count), Sign::PagePersons),
            (has(Value::Hours), Sign::PageHours),
            (has(Value::Time), Sign::PageTime),
            (has(Value::Phone), Sign::PagePhone),
            (has(Value::Postcode), Sign::PagePostcode),
            (has(Value::Area), Sign::PageArea),
            (self.mentions.iter().any(is_young), Sign::PageAges),
            (speaks("tickets") || speaks("entrance"), Sign::PageTickets),
            (speaks("doors"), Sign::PageDoors),
            (self.is_by_night(), Sign::PageNight),
            (self.when().is_some(), Sign::PageWhen),
            (self.is_billed(), Sign::PageBilled),
            (self.by_menu().is_some(), Sign::PageMenu),
            (self.by_units().is_some(), Sign::PageUnits),
            (self.visited().is_some(), Sign::PageVisit),
        ])
    }

    /// What speaks for nothing that the domain knows.
    pub(super) fn nothing_signs(&self, kinds: &[Kind]) -> Vec<Sign> {
        let foreign = &self.domain.rules.foreign;
        // "Klavierwerkstatt" is a workshop.
        let ends = |word: &str| foreign.iter().any(|end| end.len() > 8 && word.ends_with(end.as_str()));
        let is_foreign = |word: &str| {
            foreign.contains(word) || word.split('-').any(|part| part.len() > 3 && foreign.contains(part)) || ends(word)
        };
        let is_foreign_line =
            |line: usize| self.tokens.all[self.tokens.lines[line].clone()].iter().any(|token| is_foreign(&token.lower));
        let words = &self.domain.rules.foreign_text;
        let strange = self.tokens.all.iter().map(|token| &*token.lower).filter(|word| words.contains(*word));
        let strange = strange.collect::<BTreeSet<_>>().len();
        let has = |kinds: &[Value]| self.mentions.iter().any(|one| kinds.iter().any(|kind| one.is_literal(*kind)));
        let best = self.votes().values().copied().max().unwrap_or_default();
        // Of a hundred words so many are what the domain knows.
        let known = self.mentions.iter().filter(|one| matches!(one.what, What::Thing(_) | What::Value(..))).count();
        let density = known * 100 / self.tokens.all.len().max(1);
        holding(&[
            (true, Sign::Nothing),
            (self.heads().any(is_foreign_line), Sign::NothingForeignHead),
            (strange == 1, Sign::NothingForeignText),
            (strange > 1, Sign::NothingForeignTexts),
            (kinds.is_empty(), Sign::NothingNoKind),
            (best < SAID, Sign::NothingWeak),
            (!has(&[Value::Phone, Value::Mail, Value::Postcode]), Sign::NothingUnreached),
            (!has(&[Value::Money, Value::Hours, Value::Date]), Sign::NothingNoValue),
            (self.by_evidence().is_some(), Sign::NothingVisit),
            (kinds.iter().any(Kind::is_top), Sign::NothingKindTop),
            (density < 4, Sign::NothingSparse),
            ((4..8).contains(&density), Sign::NothingThin),
            (density >= 12, Sign::NothingDense),
        ])
    }

    /// What speaks for several things.
    pub(super) fn several_signs(&self) -> Vec<Sign> {
        let openers = self.openers(None, None);
        let (phones, postcodes) = (self.differing(Value::Phone), self.differing(Value::Postcode));
        let alike = self.entries.iter().filter_map(|group| Some((group.len(), self.listed(group)?)));
        let alike: Vec<_> = alike.collect();
        let named = openers.iter().filter(|one| one.focus.name.is_some()).count();
        let is_calendar = |line: usize| {
            let language = self.languages.of(self.tokens.tongues[line]);
            let mut words = self.tokens.all[self.tokens.lines[line].clone()].iter();
            words.any(|token| language.has("calendars", &token.lower))
        };
        holding(&[
            (true, Sign::Several),
            (self.is_list_page(), Sign::SeveralTitle),
            (self.heads().any(is_calendar), Sign::SeveralHeads),
            (phones >= 2, Sign::SeveralPhones),
            (phones >= 3, Sign::SeveralManyPhones),
            (postcodes >= 2, Sign::SeveralPostcodes),
            (postcodes >= 3, Sign::SeveralManyPostcodes),
            (self.differing(Value::Mail) >= 3, Sign::SeveralMails),
            (self.page.is_ranked, Sign::SeveralRanked),
            (self.row_openers(&mut Vec::new()), Sign::SeveralRows),
            (openers.len() >= 2, Sign::SeveralOpeners),
            (openers.len() >= 4, Sign::SeveralManyOpeners),
            (named >= 3, Sign::SeveralNamed),
            (self.is_calendar_page(), Sign::SeveralCalendar),
            (self.lists(), Sign::SeveralEntries),
            (alike.iter().any(|(_, kind)| matches!(kind, Listed::Dated(_))), Sign::SeveralDated),
            (alike.iter().any(|(_, kind)| *kind == Listed::Reached), Sign::SeveralReached),
            (alike.iter().any(|(_, kind)| *kind == Listed::Priced), Sign::SeveralPriced),
            (alike.iter().any(|(count, _)| *count > MANY), Sign::SeveralManyAlike),
        ])
    }
}

fn holding(asked: &[(bool, Sign)]) -> Vec<Sign> {
    asked.iter().filter(|(holds, _)| *holds).map(|(_, sign)| *sign).collect()
}
