//! What happens in a cell of a table, at the hour of its row, on the day or at the place of its column.

use super::Attach;
use crate::keys::clean;
use crate::literals::Kind;
use crate::programme::Slot;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::ClassId;

impl Attach<'_> {
    /// The cell of such a table that a line is.
    pub(super) fn slot_of(&self, line: usize) -> Option<Slot> {
        let slots = &self.m.outline.slots;
        let at = slots.partition_point(|slot| slot.line < line);
        slots.get(at).filter(|slot| slot.line == line).copied()
    }

    /// Whether a line is the hour of a row of such a table.
    pub(super) fn is_hour_of_slots(&self, line: usize) -> bool {
        self.m.page.lines[line].cell.is_some() && self.m.outline.slots.iter().any(|slot| slot.hour == line)
    }

    /// Says of what happens there when it begins and ends, and on which day or where.
    pub(super) fn at_slot(&mut self, number: usize, item: Handle) {
        let Some(slot) = self.slot_of(self.mention(number).line) else { return };
        let times = self.m.domain.rules.literals.get(&Kind::Time).into_iter().flatten().map(|time| time.slot);
        let plain: Vec<_> = times.filter(|time| self.m.domain.ontology.slot_at(*time).holds_without_cue()).collect();
        let ([end, begin], Some(day)) = (plain.as_slice(), self.first_slot(Kind::Date)) else { return };
        for hour in self.by_line[slot.hour].clone() {
            let Some((kind, value)) = self.mention(hour).literal() else { continue };
            let (from, to) = match kind {
                Kind::Time => (value.to_owned(), None),
                Kind::Hours => {
                    let (from, to) = value.split_once(['-', '+']).unwrap_or((value, ""));
                    (from.to_owned(), Some(to.to_owned()).filter(|to| !to.is_empty()))
                }
                _ => continue,
            };
            self.value(item, *begin, &from, "table", hour);
            if let Some(to) = to {
                self.value(item, *end, &to, "table", hour);
            }
        }
        if let Some(class) = slot.place {
            self.at_place(slot.head, class, item);
        } else if let Some((date, value)) = self.day_of_head(number, slot.head) {
            self.value(item, day, &value, "table", date);
        }
    }

    fn at_place(&mut self, head: usize, class: ClassId, item: Handle) {
        let known = self.by_line[head].clone().find_map(|other| self.resolved[other]);
        let span = self.m.page.lines[head].span.clone();
        let name = clean(&self.m.page.text[span.clone()]);
        let slots = self.between(self.class_of(item), class);
        let Some(slot) = slots.into_iter().find(|slot| self.is_where(*slot)) else { return };
        let place = known.filter(|place| self.m.domain.ontology.fits_range(slot, self.builder.types(*place)));
        let place = place.unwrap_or_else(|| self.named_instance(&name, &span, class));
        let evidence = self.evidence("table", &span);
        self.join(item, slot, place, evidence);
    }
}
