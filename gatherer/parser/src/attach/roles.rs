//! Names that no rule has found a place for: the part that each plays is judged by all that stands around it at once.

mod runs;
mod signs;

use super::Attach;
use super::places::NAMING;
use crate::keys::key;
use crate::language::Tongue;
use crate::layout::Role as LineRole;
use crate::roles::learn::Example;
use crate::roles::{LIKELY, Role, Signs, apart, meet};
use crate::tokens::Token;
use gatherer_abstracts::model::{Confidence, Evidence, Handle};
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

/// What is near is taken sooner, if a distance stands beside it.
const LIKELY_NEAR: f32 = 0.1;
/// A distance is at most so many words from the place it belongs to.
const BESIDE: usize = 6;

/// What happens is looked for in so many lines before a name.
const AROUND: usize = 3;

/// A name that plays a part.
struct Player {
    line: usize,
    name: Range<usize>,
    role: Role,
    likely: f32,
}

impl Attach<'_> {
    /// Gives names their parts.
    pub(super) fn play_roles(&mut self) {
        if self.m.domain.roles.roles.is_empty() {
            return;
        }
        let mut signs = Signs::default();
        for line in 0..self.m.page.lines.len() {
            if !self.has_names(line) {
                continue;
            }
            for run in self.runs(line) {
                for player in self.players(line, &run, &mut signs) {
                    self.play(&player);
                }
            }
        }
    }

    /// The names of a run that play a part; none of them is known, and none stands over a known one or another.
    fn players(&self, line: usize, run: &Range<usize>, signs: &mut Signs) -> Vec<Player> {
        let is_known = |name: &Range<usize>| self.named.contains_key(&key(&self.m.page.text[self.span_of(name)]));
        let (known, strange): (Vec<_>, Vec<_>) = self.names_in(run).partition(is_known);
        let mut found = Vec::new();
        for name in strange.into_iter().filter(|name| !known.iter().any(|other| meet(name, other))) {
            self.put_signs(line, run, &name, signs);
            let best = self.m.domain.roles.best(signs);
            let is_likely = |(likely, role): &(f32, Role)| {
                let is_near = || Some(role.slot) == self.m.domain.rules.near && self.distance_of(line, &name).is_some();
                *likely >= LIKELY || *likely >= LIKELY_NEAR && is_near()
            };
            let best = best.filter(is_likely);
            found.extend(best.map(|(likely, role)| (name, likely, role)));
        }
        apart(found).into_iter().map(|(name, likely, role)| Player { line, name, role, likely }).collect()
    }

    fn play(&mut self, player: &Player) {
        let Role { mut slot, class } = player.role;
        let Some(holder) = self.holder_of_role(player, slot) else { return };
        let class = self.kind_in(player, slot).unwrap_or(class);
        let span = self.span_of(&player.name);
        let name = self.m.page.text[span.clone()].to_owned();
        if let Some(nameless) = self.nameless_before(player, class) {
            self.builder.set_name(nameless, &name, super::place(self.m.page, &span));
            self.know(key(&name), nameless);
        }
        let handle = self.named_instance(&name, &span, class);
        if handle == holder || !self.m.domain.ontology.fits_range(slot, self.builder.types(handle)) {
            return;
        }
        let rules = &self.m.domain.rules;
        let fits =
            |at: &SlotId| self.fits(*at, holder) && self.m.domain.ontology.fits_range(*at, self.builder.types(handle));
        let is_near = Some(slot) == rules.near && self.distance_of(player.line, &player.name).is_none();
        if let Some(at) = rules.at.filter(fits).filter(|_| is_near && self.is_named_there(player.line, &player.name)) {
            slot = at;
        }
        let confidence = Confidence::of_share(player.likely);
        let evidence = Evidence::new("learnt", confidence, super::place(self.m.page, &span));
        self.release(holder);
        self.join(holder, slot, handle, evidence);
        self.fruitful.insert(self.m.tokens.all[player.name.start].sentence);
        self.put_distance(player, handle);
    }

    /// "The nearest pub, the Quiet Shepherd", "der nächste Bahnhof ist Sörup": what was only a word before its name came.
    fn nameless_before(&self, player: &Player, class: ClassId) -> Option<Handle> {
        let language = self.m.languages.of(self.m.tokens.tongues[player.line]);
        let is_nothing = |at: usize| language.has("before-names", &self.m.tokens.all[at].lower);
        let number = self.by_line[player.line].clone().find(|number| {
            let own = &self.mention(*number).tokens;
            own.end < player.name.start
                && player.name.start - own.end <= NAMING
                && (own.end..player.name.start).all(is_nothing)
        })?;
        let handle = self.resolved[number].filter(|handle| self.builder.name(*handle).is_none())?;
        let own = self.class_of(handle);
        // A station is called after a town.
        let is_same = self.is_a(own, class) || self.is_a(class, own) || self.mention(number).flags.placed;
        (self.mention(number).name.is_none() && !self.focuses.contains(&handle) && is_same).then_some(handle)
    }

    /// Who has somebody in this part: an event that the sentence speaks of, or what the page is about.
    fn holder_of_role(&self, player: &Player, slot: SlotId) -> Option<Handle> {
        let focus = self.m.outline.of_line[player.line].map(|scope| self.focuses[scope])?;
        let rules = &self.m.domain.rules;
        if rules.inside.contains(&slot) || [rules.near, rules.at].contains(&Some(slot)) {
            return self.fits(slot, focus).then_some(focus);
        }
        let sentence = self.m.tokens.all[player.name.start].sentence;
        let is_event = |handle: &Handle| *handle != focus && self.is_event(*handle) && self.fits(slot, *handle);
        let own = self.by_line[player.line].clone();
        let before = own
            .rev()
            .filter(|number| self.mention(*number).tokens.end <= player.name.start)
            .filter(|number| self.mention(*number).sentence == sentence)
            .find_map(|number| self.resolved[number].filter(is_event));
        let of_row = || self.event_of_row(player.line).filter(is_event);
        let focus = self.fits(slot, focus).then_some(focus);
        before.or_else(of_row).or(focus).or_else(|| self.event_around(player).filter(is_event))
    }

    /// "Guided tours on Sundays. Colin Beck takes you round": what happens by the text around a name.
    fn event_around(&self, player: &Player) -> Option<Handle> {
        let first = self.contexts[player.line].section.max(player.line.saturating_sub(AROUND));
        let is_event = |handle: &Handle| self.is_event_class(self.class_of(*handle));
        let events = |lines: Range<usize>| {
            let numbers = self.by_line[lines.start].start..self.by_line[lines.end - 1].end;
            numbers.filter_map(|number| Some((number, self.resolved[number].filter(is_event)?)))
        };
        let own = events(player.line..player.line + 1);
        let distance = |number: usize| self.mention(number).tokens.start.abs_diff(player.name.start);
        let nearest = own.min_by_key(|(number, _)| distance(*number));
        nearest.or_else(|| events(first..player.line + 1).next_back()).map(|(_, handle)| handle)
    }

    /// What happens by the row or the point of a programme that a line stands in.
    pub(super) fn event_of_row(&self, line: usize) -> Option<Handle> {
        let layout = &self.m.page.lines[line];
        let focus = self.m.outline.of_line[line].map(|scope| self.focuses[scope])?;
        let is_part = |handle: &Handle| *handle != focus && self.is_event(*handle);
        let in_programme =
            layout.cell.is_some() || matches!(layout.role, LineRole::Item | LineRole::Definition | LineRole::Text);
        let is_about = self.is_event(focus) || self.piece(line).is_some();
        let row = self.entry(line).filter(|_| in_programme && is_about);
        let parts: Vec<_> = row.filter_map(|number| Some((number, self.resolved[number].filter(is_part)?))).collect();
        let (_, first) = *parts.first()?;
        // "20 Uhr | Orgelkonzert | Stiftskirche": the whole row speaks of it, if it is the only one there.
        let is_only =
            parts.iter().all(|(_, part)| *part == first) && (layout.cell.is_none() || self.is_entry_row(line));
        let column = |line: usize| self.m.page.lines[line].cell.map(|cell| cell.column);
        let is_beside = |number: usize| column(self.mention(number).line) == column(line);
        parts.iter().find(|(number, _)| is_only || is_beside(*number)).map(|(_, part)| *part)
    }

    /// "Café Wollgras": the word in the name that says what it is.
    fn kind_in(&self, player: &Player, slot: SlotId) -> Option<ClassId> {
        // "Limburg", "Nürnberg"
        let words = player.name.clone().map(|at| &self.m.page.text[self.m.tokens.all[at].span.clone()]);
        let is_place = self.m.domain.places.find(words).is_some_and(|(length, _)| length == player.name.len());
        if is_place || self.m.domain.towns.has(&self.m.page.text[self.span_of(&player.name)]) {
            return None;
        }
        let lexicon = self.m.domain.lexicon(self.m.tokens.tongues[player.line]);
        let words = [player.name.end - 1, player.name.start].map(|at| &*self.m.tokens.all[at].lower);
        // "Aischtalradweg", "Saale-Radweg"; a plough is no lough.
        let is_joined = self.m.tokens.tongues[player.line] == Tongue::German;
        let endings = |word: &'_ str| {
            let starts = word.char_indices().skip(1).map(|(at, _)| at).filter(|at| is_joined && word.len() - at > 3);
            starts.filter_map(|at| lexicon.kind(&word[at..])).collect::<Vec<_>>()
        };
        let whole = words.into_iter().filter_map(|word| lexicon.kind(word));
        whole
            .chain(words.into_iter().flat_map(endings))
            .find(|class| self.m.domain.ontology.fits_range(slot, &[*class]))
    }

    /// The distance beside a name that belongs to nothing else.
    fn distance_of(&self, line: usize, name: &Range<usize>) -> Option<usize> {
        let sentence = self.m.tokens.all[name.start].sentence;
        let range = &self.m.tokens.lines[line];
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let is_taken =
            |(place, taken): (&usize, &usize), number: usize| *taken == number && self.resolved[*place].is_some();
        let is_free =
            |number: &usize| self.is_distance(*number) && !self.distances.iter().any(|pair| is_taken(pair, *number));
        let free: Vec<usize> = self.by_line[line].clone().filter(is_free).collect();
        // "Malchin mit Supermärkten und Bahnhof: 11 km"
        let is_listed = name.start <= range.start + 1 && free.len() == 1;
        let is_beside = |number: &usize| {
            let own = &self.mention(*number).tokens;
            let between = if own.end <= name.start { own.end..name.start } else { name.end..own.start };
            // "Fulda erreichen Sie mit dem Auto in 20 Minuten"
            let is_known =
                |token: &Token| language.classes.contains_key(&*token.lower) || language.has("going", &token.lower);
            let parts =
                |token: &Token| token.is_capital && !is_known(token) || matches!(&*token.lower, "," | ";" | "(");
            self.mention(*number).sentence == sentence
                && between.len() <= BESIDE
                // A distance inside of a name is part of it.
                && self.m.tokens.all.get(between).is_some_and(|between| !between.iter().any(parts))
        };
        let mut beside = free.iter().copied().filter(|number| is_listed || is_beside(number));
        beside.next().filter(|_| beside.next().is_none())
    }

    fn put_distance(&mut self, player: &Player, handle: Handle) {
        if let Some(number) = self.distance_of(player.line, &player.name) {
            self.put_measure(number, handle);
        }
    }

    pub(super) fn span_of(&self, tokens: &Range<usize>) -> Range<usize> {
        self.m.tokens.all[tokens.start].span.start..self.m.tokens.all[tokens.end - 1].span.end
    }

    /// All that may be names, to learn from.
    pub(crate) fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut signs = Signs { texts: Some(Vec::new()), ..Signs::default() };
        for line in (0..self.m.page.lines.len()).filter(|line| self.has_names(*line)) {
            for run in self.runs(line) {
                for name in self.names_in(&run) {
                    self.put_signs(line, &run, &name, &mut signs);
                    let texts = signs.texts.clone().unwrap_or_default();
                    let key = key(&self.m.page.text[self.span_of(&name)]);
                    examples.push(Example { name, key, signs: texts });
                }
            }
        }
        examples
    }
}
