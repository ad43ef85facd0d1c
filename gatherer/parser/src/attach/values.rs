//! Values: areas, stars, years, counts, and words that are values.

use super::Attach;
use crate::language::Tongue;
use crate::literals::Kind;
use crate::mentions::{Article, What};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::SlotId;

impl Attach<'_> {
    /// What a value may be said of: label, sentence, heading, the page's thing; the first that the slot fits.
    pub(super) fn holder(&self, number: usize, slot: SlotId) -> Option<(Handle, &'static str)> {
        if let Some(handle) = self.measured_behind(number, slot) {
            return Some((handle, "adjacent"));
        }
        let own = self.row(self.mention(number).line);
        let is_part = |other: &usize| {
            matches!(self.mention(*other).what, What::Thing(class) if self.m.domain.ontology.class_at(class).is_focus())
                && self.resolved[*other].is_some_and(|handle| !self.focuses.contains(&handle) && self.is_event(handle))
        };
        if let Some(part) = own.clone().find(is_part).and_then(|other| self.resolved[other]).filter(|part| {
            let is_about = self.focus(number).is_some_and(|focus| self.is_event(focus));
            self.fits(slot, *part) && (is_about || self.piece(self.mention(number).line).is_some())
        }) {
            return Some((part, "list"));
        }
        let context = self.context(number);
        let mut labels = context.labels.iter().chain(&context.columns).filter_map(|label| self.resolved[*label]);
        if let Some(handle) = labels.rfind(|handle| self.fits(slot, *handle)) {
            return Some((handle, "label"));
        }
        if let Some(handle) = self.spoken_of(number, slot) {
            return Some((handle, "sentence"));
        }
        if let Some(handle) = self.happens_behind(number).filter(|handle| self.fits(slot, *handle)) {
            return Some((handle, "sentence"));
        }
        if self.mention(number).is_literal(Kind::Hours) || self.mention(number).is_literal(Kind::Closed) {
            let start = self.by_line[self.mention(number).line].start;
            let carried =
                (start..number).rev().find_map(|other| self.resolved[other].filter(|handle| self.fits(slot, *handle)));
            if let Some(handle) = carried.filter(|handle| !self.focuses.contains(handle)) {
                return Some((handle, "section"));
            }
        }
        let unit = self.m.domain.rules.counted.first().copied();
        let kind = self.mention(number).literal().map(|(kind, _)| kind);
        let is_of_house = matches!(kind, Some(Kind::Time | Kind::Duration | Kind::Closed | Kind::Hours))
            && self.focus(number).is_some_and(|focus| self.fits(slot, focus));
        let is_unit = |handle: Handle| {
            let is_one = self.builder.name(handle).is_none() || kind == Some(Kind::Duration);
            is_one && unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit))
        };
        if let Some(handle) = context.headings.iter().filter_map(|heading| self.resolved[*heading]).find(|handle| {
            let is_passed_over = is_of_house && is_unit(*handle) || self.is_of_family(number, *handle);
            self.fits(slot, *handle) && !is_passed_over
        }) {
            return Some((handle, "heading"));
        }
        self.focus(number).filter(|focus| self.fits(slot, *focus)).map(|focus| (focus, "focus"))
    }

    /// "Jeden Mittwoch um 20 Uhr laden wir zur Weinprobe": what happens then, in the same sentence.
    fn happens_behind(&self, number: usize) -> Option<Handle> {
        let mention = self.mention(number);
        let before = mention.tokens.start.saturating_sub(2)..mention.tokens.start;
        let is_end = self.m.tokens.all[before].iter().any(|token| matches!(&*token.lower, "bis" | "until" | "till"));
        let is_when = matches!(mention.literal(), Some((Kind::Time | Kind::Date, _))) && !is_end;
        let behind = number + 1..self.by_line[mention.line].end;
        let mut same = behind.filter(|other| is_when && self.mention(*other).sentence == mention.sentence);
        let is_part = |handle: &Handle| !self.focuses.contains(handle) && self.is_event(*handle);
        same.find_map(|other| self.resolved[other].filter(is_part))
    }

    /// What stands before a value in its sentence and may have it.
    fn spoken_of(&self, number: usize, slot: SlotId) -> Option<Handle> {
        let unit = self.m.domain.rules.counted.first().copied();
        let is_time = self.mention(number).is_literal(Kind::Time)
            && self.focus(number).is_some_and(|focus| self.fits(slot, focus));
        for other in self.before(number) {
            let Some(handle) = self.resolved[other].filter(|handle| self.fits(slot, *handle)) else { continue };
            // "Rooms are available from 4pm": one arrives at the house.
            if is_time && unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit)) {
                continue;
            }
            let is_area = self.mention(number).is_literal(Kind::Area);
            // "den Landschaftspark (26 Hektar)"
            let end = self.mention(other).tokens.end;
            let is_bracketed = end + 1 == self.mention(number).tokens.start && &*self.m.tokens.all[end].lower == "(";
            if is_area
                && !is_bracketed
                && !self.focuses.contains(&handle)
                && self.focus(number).is_some_and(|focus| self.fits(slot, focus))
            {
                continue;
            }
            return Some(handle);
        }
        None
    }

    /// "A one-hour massage": what is measured stands right behind.
    fn measured_behind(&self, number: usize, slot: SlotId) -> Option<Handle> {
        let mention = self.mention(number);
        let next = number + 1;
        let is_english = self.tongue(number) == Tongue::English && mention.is_literal(Kind::Duration);
        let is_next = next < self.m.mentions.len()
            && self.mention(next).line == mention.line
            && self.mention(next).tokens.start == mention.tokens.end
            && mention.literal().is_some_and(|(_, value)| value != "PT24H");
        (is_english && is_next)
            .then(|| self.resolved[next])
            .flatten()
            .filter(|handle| self.fits(slot, *handle) && !self.focuses.contains(handle))
    }

    /// The mentions of a line, or of its whole row.
    pub(super) fn row(&self, line: usize) -> std::ops::Range<usize> {
        let Some(cell) = self.m.page.lines[line].cell else {
            return self.piece(line).unwrap_or_else(|| self.term_row(line));
        };
        let same = |other: &usize| {
            self.m.page.lines[*other].cell.is_some_and(|other| other.table == cell.table && other.row == cell.row)
        };
        let first = (0..line).rev().take_while(same).last().unwrap_or(line);
        let last = (line..self.m.page.lines.len()).take_while(same).last().unwrap_or(line);
        self.by_line[first].start..self.by_line[last].end
    }

    /// Whether the words that a slot asks for are there, or it asks for none.
    pub(super) fn is_asked_for(&self, slot: SlotId, number: usize) -> bool {
        let known = self.m.domain.ontology.slot_at(slot);
        if known.holds_without_cue() || self.context(number).cues.contains(&slot) {
            return true;
        }
        // Prepositions alone prove nothing.
        let language = self.m.languages.of(self.tongue(number));
        let is_weak = |cue: &str| language.classes.get(&cue.to_lowercase()).is_some_and(|class| class == "Prep");
        let strong: Vec<_> =
            known.cues_in(self.tongue(number).code()).filter(|cue| !is_weak(cue)).map(str::to_lowercase).collect();
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let in_sentence = self.m.tokens.all[line]
            .iter()
            .filter(|token| token.sentence == mention.sentence)
            .any(|token| strong.iter().any(|cue| **cue == *token.lower));
        let in_label = self
            .context(number)
            .label_words
            .iter()
            .chain(&self.context(number).heading_words)
            .any(|word| strong.iter().any(|cue| **cue == **word));
        in_sentence
            || in_label
            || strong.iter().any(|cue| cue.contains(' ')) && self.cue_distance(slot, number).is_some()
    }

    pub(super) fn plain_value(&mut self, number: usize, kind: Kind, value: &str) {
        let Some(slots) = self.m.domain.rules.literals.get(&kind) else { return };
        let slots: Vec<_> = slots.iter().map(|slot| slot.slot).collect();
        if kind == Kind::Period && (self.is_of_hours(number) || self.is_aside(number)) {
            return;
        }
        if kind == Kind::Date
            && self.context(number).is_heading
            && !matches!(self.line_of(number).role, crate::layout::Role::Heading(1))
            && self.in_programme(number)
        {
            return;
        }
        if kind == Kind::Date && self.is_over_items(number) {
            return;
        }
        if kind == Kind::Period && (self.season(number, value) || self.runs_then(number, value, &slots)) {
            return;
        }
        for slot in slots {
            let says_itself = matches!(kind, Kind::Closed | Kind::Stars);
            if kind == Kind::Duration && self.is_of_way(number) && !self.is_way_slot(slot) {
                continue;
            }
            if !says_itself && !self.is_asked_for(slot, number) {
                continue;
            }
            // A year belongs to the word right beside it.
            let reach = if self.is_in_frame(number) { 14 } else { 5 };
            if kind == Kind::Year && self.cue_distance(slot, number).is_none_or(|distance| distance > reach) {
                continue;
            }
            if let Some((handle, heuristic)) = self.holder(number, slot) {
                let heuristic = if says_itself { "form" } else { heuristic };
                self.value(handle, slot, value, heuristic, number);
                return;
            }
        }
    }

    /// "wurde 1926 als Erholungsheim der Griffelmacher erbaut": the verb stands at the end of the clause.
    fn is_in_frame(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let before = mention.tokens.start.checked_sub(1).map(|before| &*self.m.tokens.all[before].lower);
        self.tongue(number) == Tongue::German && matches!(before, Some("wurde" | "wurden"))
    }

    /// "Two minutes' walk away": how far something is, and not how long it takes.
    fn is_of_way(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let end = self.m.tokens.lines[mention.line].end;
        let behind = &self.m.tokens.all[mention.tokens.end.min(end)..(mention.tokens.end + 2).min(end)];
        behind.iter().any(|token| matches!(&*token.lower, "walk" | "drive" | "away" | "entfernt" | "fußweg" | "gehweg"))
            && behind.iter().any(|token| language.has("ways", &token.lower))
    }

    fn is_way_slot(&self, slot: SlotId) -> bool {
        self.m.domain.rules.distance.contains(&slot)
    }

    /// "A heated pool (open May to September)": said in brackets of something else than the house.
    fn is_aside(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[start..mention.tokens.start];
        let opens = before.iter().rposition(|token| &*token.lower == "(");
        let Some(open) = opens.filter(|open| !before[*open..].iter().any(|token| &*token.lower == ")")) else {
            return false;
        };
        let is_there = |other: &usize| self.mention(*other).tokens.end == start + open && !self.is_condition(*other);
        let other = self.before(number).into_iter().find(is_there);
        self.tongue(number) == Tongue::English
            && other.and_then(|other| self.resolved[other]).is_some_and(|handle| !self.focuses.contains(&handle))
    }

    /// A word of the lexicon that is itself the value of a slot.
    pub(super) fn said_value(&mut self, number: usize, slot: SlotId, value: &str) {
        let is_language = self
            .m
            .domain
            .ontology
            .slot_at(slot)
            .cues()
            .iter()
            .any(|cue| cue.words.to_lowercase().starts_with("sprach") || cue.words == "language");
        if is_language && self.cue_distance(slot, number).is_none_or(|distance| distance > 8) {
            return;
        }
        let in_label = self.context(number).label_until.is_some_and(|until| self.mention(number).span.end <= until)
            || self
                .contexts
                .iter()
                .any(|context| context.labels.contains(&number) && context.row_head == Some(self.mention(number).line));
        if in_label && !matches!(value, "true" | "false") {
            return;
        }
        let negated = self.mention(number).article == Article::Negative || self.is_denied(number);
        let value = match (value, negated) {
            ("true", true) => "false",
            (value, _) => value,
        };
        let is_truth = matches!(value, "true" | "false");
        let holder = self.holder(number, slot);
        let focus = || self.focus(number).filter(|focus| self.fits(slot, *focus)).map(|focus| (focus, "focus"));
        let holder = holder.filter(|(_, heuristic)| !is_truth || *heuristic != "heading").or_else(focus);
        if let Some((handle, heuristic)) = holder {
            self.value(handle, slot, value, heuristic, number);
        }
    }

    /// "nicht", right before or behind.
    fn is_denied(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let from = mention.tokens.start.saturating_sub(2).max(line.start);
        let reach = if self.tongue(number) == Tongue::German { 6 } else { 3 };
        let to = (mention.tokens.end + reach).min(line.end);
        // "No smoking and no parties": the second has its own.
        let ends = |place: &usize| {
            matches!(&*self.m.tokens.all[*place].lower, "and" | "und" | "," | ";" | "." | "or" | "oder" | "(")
        };
        let behind = (mention.tokens.end..to).take_while(|place| !ends(place));
        let around = (from..mention.tokens.start).chain(behind);
        around
            .map(|place| &self.m.tokens.all[place])
            .any(|token| token.sentence == mention.sentence && language.negations.contains(&*token.lower))
    }

    /// A number with a word that says of what: "40 Betten", "bis 30 Personen".
    pub(super) fn count(&mut self, number: usize, value: &str) {
        if self.is_of_all_prices(number) || self.heads_prices(number) {
            return;
        }
        let word = self.seated(number).filter(|_| !self.is_in_room(number));
        let word = word.unwrap_or_else(|| self.mention(number).lemma.clone());
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Count) else { return };
        let slots: Vec<_> = slots.iter().filter(|slot| slot.labels.contains(&word)).map(|slot| slot.slot).collect();
        if let Some(people) = self.m.domain.rules.people
            && self.of_people(number, people, value, &word)
        {
            return;
        }
        let next = self.place_behind(number);
        for slot in slots {
            let unit = self.m.domain.rules.counted.first().copied();
            let is_unit = |handle: Handle| unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit));
            if let Some(handle) = next
                .and_then(|next| self.resolved[next])
                .filter(|handle| self.fits(slot, *handle) && !self.focuses.contains(handle) && !is_unit(*handle))
                .filter(|_| next.is_none_or(|next| self.mention(next).flags.unit.is_none()))
            {
                self.value(handle, slot, value, "prep", number);
                self.more_of_the_same(number, slot, handle);
                self.of_occasion(number, slot, value);
                return;
            }
            if let Some(handle) = self.unit_that_sleeps(number, &word).filter(|handle| self.fits(slot, *handle)) {
                self.value(handle, slot, value, "sentence", number);
                return;
            }
            // "bis 40 Personen" is said of the nearest thing that can hold people.
            let house = self.focus(number).filter(|focus| self.fits(slot, *focus));
            let near = self.before(number).into_iter().filter_map(|other| {
                let handle = self.resolved[other]?;
                // "12 Zimmer (24 Betten)": all of them together are those of the house.
                let is_total = house.is_some() && is_unit(handle) && self.mention(other).count.is_some();
                // "Sleeps 4 in two bedrooms": nobody asks how many fit into one of them.
                let is_inner = self.tongue(number) == Tongue::English && self.mention(other).flags.unit.is_some();
                (!is_total
                    && !is_inner
                    && self.fits(slot, handle)
                    && matches!(self.mention(other).what, What::Thing(_)))
                .then_some((handle, "sentence"))
            });
            let near = near.into_iter().next();
            let is_counted =
                |other: &usize| self.mention(*other).count.is_some() && self.resolved[*other].is_some_and(is_unit);
            let total = house.filter(|_| self.before(number).iter().any(is_counted)).map(|house| (house, "sentence"));
            let meant = || self.meant_by_pronoun(number, slot).map(|handle| (handle, "sentence"));
            if let Some((handle, heuristic)) = near.or(total).or_else(meant).or_else(|| self.holder(number, slot)) {
                self.value(handle, slot, value, heuristic, number);
                self.more_of_the_same(number, slot, handle);
                self.of_room(number, slot, value, handle);
                return;
            }
        }
    }

    /// "Haustiere: erlaubt": a phrase of the lexicon whose parts stand in label and value.
    pub(super) fn labelled_value(&mut self, line: usize) {
        if let Some(head) = self.closing_term(line) {
            self.closed_row(line, head);
            return;
        }
        let context = &self.contexts[line];
        let own = self.m.tokens.lines[line].clone();
        let term = line.checked_sub(1).filter(|term| {
            let roles = [*term, line].map(|at| self.m.page.lines[at].role);
            roles == [crate::layout::Role::Term, crate::layout::Role::Definition]
        });
        let (label, value): (Vec<_>, Vec<_>) = match (context.row_head.or(term), context.label_until) {
            (_, Some(until)) => {
                self.m.tokens.all[own.clone()].iter().cloned().partition(|token| token.span.end <= until)
            }
            (Some(head), None) => {
                (self.m.tokens.all[self.m.tokens.lines[head].clone()].to_vec(), self.m.tokens.all[own.clone()].to_vec())
            }
            _ => return,
        };
        if let Some(head) = context.row_head.filter(|_| {
            value.len() <= 2
                && value.first().is_some_and(|token| matches!(&*token.lower, "ruhetag" | "geschlossen" | "closed"))
        }) {
            self.closed_row(line, head);
            return;
        }
        let closes = |token: &crate::tokens::Token| matches!(&*token.lower, "ruhetag" | "ruhetage" | "closed");
        if let Some(head) = context.row_head.filter(|_| label.len() <= 2 && label.first().is_some_and(closes)) {
            self.closed_row(line, head);
            return;
        }
        let mut phrase: Vec<_> = label.into_iter().filter(|token| &*token.lower != ":").collect();
        let border = phrase.len();
        if border == 0 || border > 3 || value.is_empty() {
            return;
        }
        phrase.extend(value.into_iter().take(4));
        phrase.iter_mut().for_each(|token| token.sentence = 0);
        let tongue = self.m.tokens.tongues[line];
        let hit = self.m.domain.lexicon(tongue).find(&phrase, self.m.languages.of(tongue), tongue);
        let Some(hit) = hit.filter(|hit| hit.tokens > border) else { return };
        let crate::lexicon::Concept::Value(slot, value) =
            self.m.domain.lexicon(tongue).entries[hit.entry].concept.clone()
        else {
            return;
        };
        let Some(focus) =
            self.m.outline.of_line[line].map(|scope| self.focuses[scope]).filter(|focus| self.fits(slot, *focus))
        else {
            return;
        };
        let span = phrase[border].span.start..phrase[hit.tokens - 1].span.end;
        self.value_at(focus, slot, &value, "label", &span);
    }

    /// "<dt>Montag und Dienstag <dd>Ruhetag", and the other way round: the term.
    fn closing_term(&self, line: usize) -> Option<usize> {
        use crate::layout::Role;
        let role = |line: usize| self.m.page.lines[line].role;
        let term = line.checked_sub(1).filter(|term| role(line) == Role::Definition && role(*term) == Role::Term)?;
        let first = |line: usize| self.m.tokens.all[self.m.tokens.lines[line].clone()].first();
        let closes = |line: usize| {
            let is_closing = |word: &str| matches!(word, "ruhetag" | "ruhetage" | "geschlossen" | "closed");
            self.m.tokens.lines[line].len() <= 2 && first(line).is_some_and(|token| is_closing(&token.lower))
        };
        (closes(line) || closes(term)).then_some(term)
    }

    /// "Montag | Ruhetag"
    fn closed_row(&mut self, line: usize, head: usize) {
        let Some(slot) =
            self.m.domain.rules.literals.get(&Kind::Closed).and_then(|slots| slots.first()).map(|slot| slot.slot)
        else {
            return;
        };
        let (head_line, own_line) = (&self.m.page.lines[head], &self.m.page.lines[line]);
        let text = format!("{} {}", self.m.page.line(head_line).trim_end_matches(':'), self.m.page.line(own_line));
        let setting = crate::literals::Setting {
            tongue: self.m.tokens.tongues[line],
            country: self.m.country,
            currency: None,
            of_page: None,
        };
        let found = self.m.finder.find(&text, setting).into_iter().find(|literal| literal.kind == Kind::Closed);
        let focus =
            self.m.outline.of_line[line].map(|scope| self.focuses[scope]).filter(|focus| self.fits(slot, *focus));
        if let (Some(found), Some(focus)) = (found, focus) {
            let span = head_line.span.start..own_line.span.end;
            self.value_at(focus, slot, &found.value, "table", &span);
        }
    }

    /// "Hauptsaison", in the line above or in the head of the row: the period is its own.
    fn season(&mut self, number: usize, value: &str) -> bool {
        let line = self.mention(number).line;
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Period) else { return false };
        let slots: Vec<_> = slots.iter().map(|slot| slot.slot).collect();
        let mut own: Vec<_> = self.by_line[line].clone().collect();
        if self.tongue(number) == Tongue::English {
            let sentence = self.mention(number).sentence;
            let is_near = |other: &usize| self.mention(*other).sentence == sentence;
            let named = own.iter().any(|other| self.is_condition(*other) && is_near(other));
            let closed = self.m.tokens.all[self.m.tokens.lines[line].clone()]
                .iter()
                .any(|token| token.sentence == sentence && &*token.lower == "closed");
            if closed && !named {
                return false;
            }
            own.sort_by_key(|other| (!is_near(other), other.abs_diff(number)));
        }
        let above = line.checked_sub(1).filter(|above| {
            let (own, other) = (&self.m.page.lines[line], &self.m.page.lines[*above]);
            own.paragraph == other.paragraph && own.cell == other.cell
        });
        let context = &self.contexts[line];
        let near: Vec<_> = own
            .into_iter()
            .chain(above.map_or(0..0, |above| self.by_line[above].clone()))
            .chain(context.labels.clone())
            .chain(context.columns.clone())
            .chain(context.headings.iter().take(3).copied())
            .collect();
        for other in near.into_iter().filter(|other| self.is_condition(*other)) {
            let Some(class) = self.mention(other).class() else { continue };
            let slot = slots.iter().copied().find(|slot| self.m.domain.ontology.fits_domain(*slot, &[class]));
            if let Some(slot) = slot {
                let handle = self.instance(other, class);
                self.value(handle, slot, value, "label", number);
                return true;
            }
        }
        false
    }
}
