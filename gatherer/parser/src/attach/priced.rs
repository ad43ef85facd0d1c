//! What has a price, by where it stands: behind the price, before it, in its line, over it.

use super::Attach;
use crate::language::Tongue;
use crate::literals::Kind;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

impl Attach<'_> {
    /// "45 € pro Stellplatz", "£80 for a family room": the thing stands behind its price.
    pub(super) fn per_thing(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let line = self.by_line[self.mention(number).line].clone();
        let next = (number + 1..line.end).find(|next| !self.mention(*next).is_literal(Kind::Per))?;
        let (from, to) = (self.mention(number).tokens.end, self.mention(next).tokens.start);
        if self.mention(next).sentence != self.mention(number).sentence || to.saturating_sub(from) > 4 {
            return None;
        }
        let leads = self.m.tokens.all[from..to]
            .iter()
            .any(|token| matches!(&*token.lower, "pro" | "per" | "für" | "for" | "je" | "a" | "im" | "in"));
        let breaks = self.m.tokens.all[from..to].iter().any(|token| matches!(&*token.lower, "," | ";" | "und" | "and"));
        // "€110 per night including breakfast": the last word that leads decides.
        let language = self.m.languages.of(self.tongue(number));
        let leading = self.m.tokens.all[from..to]
            .iter()
            .rev()
            .find(|token| language.classes.get(&*token.lower).is_some_and(|class| class == "Prep"));
        let is_included = leading.is_some_and(|token| {
            matches!(&*token.lower, "mit" | "with")
                || language.included.contains(&*token.lower)
                || language.excluded.contains(&*token.lower)
        });
        if !leads || breaks || is_included {
            return None;
        }
        self.with_slot(number, next, class)
    }

    /// A price at the beginning of a sentence belongs to the unit that the line began with.
    pub(super) fn subject_of_line(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let unit = self.m.domain.rules.counted.first().copied()?;
        let has_thing = self
            .before(number)
            .into_iter()
            .any(|other| self.resolved[other].is_some() && !self.is_parted(number, other));
        let own = self.by_line[self.mention(number).line].start..number;
        let first = own.into_iter().find(|other| {
            let is_english = self.tongue(number) == Tongue::English;
            let is_unit = self.mention(*other).class().is_some_and(|class| self.is_a(class, unit));
            self.resolved[*other].is_some_and(|handle| {
                !self.focuses.contains(&handle) && (is_unit || is_english && self.is_a(self.class_of(handle), unit))
            })
        })?;
        (!has_thing).then(|| self.with_slot(number, first, class)).flatten()
    }

    /// "... leads a workshop. It costs £15", "Der Eintritt ist frei": of what happens by the sentence before.
    pub(super) fn event_before(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let is_entry = |word: &str| ["entrance", "tickets", "joining"].iter().any(|list| language.has(list, word));
        let first = self.sentence_around(number).next();
        let goes_on = first.is_some_and(|first| language.pronouns.contains(&*first.lower))
            || self.sentence_around(number).any(|token| is_entry(&token.lower));
        if !goes_on || self.before(number).into_iter().any(|other| self.resolved[other].is_some()) {
            return None;
        }
        // What is shown in a house is seen for what the house costs.
        let is_show = |class| self.m.domain.rules.show.is_some_and(|show| self.is_a(class, show));
        let happens = |class| self.is_event_class(class) && !is_show(class);
        let is_event = |handle: Handle| !self.focuses.contains(&handle) && happens(self.class_of(handle));
        let before = self.by_line[mention.line].start..number;
        let before = before.rev().filter(|other| self.mention(*other).sentence + 1 == mention.sentence);
        let event = { before }.find(|other| self.resolved[*other].is_some_and(is_event))?;
        self.with_slot(number, event, class)
    }

    /// A price alone in its line belongs to the thing alone in the line before.
    pub(super) fn line_before(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let line = self.mention(number).line;
        let before = line.checked_sub(1)?;
        let (own, other) = (&self.m.page.lines[line], &self.m.page.lines[before]);
        let together = own.paragraph == other.paragraph
            || own.paragraph <= other.paragraph + 2
                && own.cell.is_none()
                && other.cell.is_none()
                && self.m.tokens.lines[before].len() <= 6;
        if !together
            || self.by_line[line]
                .clone()
                .any(|other| matches!(self.mention(other).what, What::Thing(_)) && other < number)
        {
            return None;
        }
        let has_price = self.by_line[before].clone().any(|other| self.is_price(other));
        let thing = self.by_line[before]
            .clone()
            .find(|other| self.resolved[*other].is_some() && matches!(self.mention(*other).what, What::Thing(_)))?;
        (!has_price).then(|| self.with_slot(number, thing, class)).flatten()
    }

    /// A price alone in a short section belongs to what the section is about.
    pub(super) fn section_thing(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let line = self.mention(number).line;
        let section = self.contexts[line].section;
        let is_low = matches!(self.m.page.lines[section].role, crate::layout::Role::Heading(level) if level >= 3)
            || self.m.page.lines[section].is_strong;
        let has_own = self.by_line[line]
            .clone()
            .any(|other| matches!(self.mention(other).what, What::Thing(_)) && self.resolved[other].is_some());
        if !is_low || has_own || line - section > 8 {
            return None;
        }
        let first = self.by_line[section].start;
        let thing = (first..number).find(|other| {
            let handle = self.resolved[*other];
            handle.is_some_and(|handle| !self.focuses.contains(&handle))
                && matches!(self.mention(*other).what, What::Thing(_))
                && !self.is_condition(*other)
        })?;
        self.with_slot(number, thing, class)
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    #[test]
    fn what_it_costs_to_take_part_is_said_of_what_was_named_before() {
        let page = "<title>Tinderbox Festival</title><h1>Tinderbox Festival</h1><p>The festival is on 3 September 2011.</p>\
            <p>On Saturday at 10.30am Desmond Okoro leads a workshop. It lasts two hours and costs £15.</p>";
        let xml = read(page).to_xml();
        let workshop = xml.split("type=\"Kurs\"").nth(1).expect("a workshop");
        assert!(workshop.contains(">15.00 GBP<"), "{xml}");
    }
}
