//! Packages: what they cost, how long they last, and what is in them.

use super::Attach;
use crate::layout::Role;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// A package that a heading names is told of in so many lines at most.
const LINES: usize = 8;

impl Attach<'_> {
    /// The package that a mention is told of: named before it in its line, or by the heading over it.
    fn package_of(&self, number: usize) -> Option<Handle> {
        let package = self.m.domain.rules.package?;
        let line = self.mention(number).line;
        let is_package = |other: &usize| {
            let class = self.mention(*other).class().filter(|_| matches!(self.mention(*other).what, What::Thing(_)));
            // "Short breaks, at least three nights" are stays like others.
            let is_break = self.mention(*other).name.is_none() && self.mention(*other).lemma.ends_with("break");
            class.is_some_and(|class| self.is_a(class, package)) && !is_break && self.resolved[*other].is_some()
        };
        let own = (self.by_line[line].start..number).rev().find(is_package);
        let section = self.contexts[line].section;
        let is_low =
            matches!(self.m.page.lines[section].role, Role::Heading(3..)) || self.m.page.lines[section].is_strong;
        let is_near = is_low && section < line && line - section <= LINES;
        let over = || self.by_line[section].clone().find(is_package).filter(|_| is_near);
        let label = || self.context(number).labels.iter().copied().find(is_package);
        own.or_else(label).or_else(over).and_then(|other| self.resolved[other])
    }

    /// "Schnupperwochenende: zwei Übernachtungen mit Halbpension für 149 €": the package costs that.
    pub(super) fn package_price(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let package = self.package_of(number).filter(|_| !self.is_supplement(number))?;
        let slot = self.pick(self.class_of(package), class, number)?;
        Some(vec![(package, slot)])
    }

    /// How long a package lasts.
    pub(super) fn package_duration(&mut self, number: usize, value: &str) -> bool {
        let Some(package) = self.package_of(number) else { return false };
        let slots = self.m.domain.rules.literals.get(&crate::literals::Kind::Duration).into_iter().flatten();
        let Some(slot) = slots.map(|slot| slot.slot).find(|slot| self.fits(*slot, package)) else { return false };
        self.value(package, slot, value, "sentence", number);
        true
    }

    /// What is in a package: what is told of it and has no price of its own.
    pub(super) fn in_package(&mut self, number: usize, class: ClassId) -> bool {
        let (Some(package), Some(with)) = (self.package_of(number), self.m.domain.rules.with) else { return false };
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit = unit.is_some_and(|unit| self.is_a(class, unit));
        let is_package = self.m.domain.rules.package.is_some_and(|package| self.is_a(class, package));
        if is_unit
            || is_package
            || self.is_supplement(number)
            || !self.between(self.class_of(package), class).contains(&with)
        {
            return false;
        }
        let handle = self.instance(number, class);
        if handle == package {
            return false;
        }
        self.resolved[number] = Some(handle);
        self.link(package, with, handle, "sentence", number);
        true
    }
}
