//! What the head of a table says of its cells: rooms by their names, numbers of people.

use crate::language::Tongue;
use crate::layout::{Cell, Role};
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::names::clean;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;

impl Reader<'_> {
    /// Cells that only the head of their column explains.
    pub(crate) fn headed_cells(&self, all: &mut Vec<Mention>) {
        self.numbers_of_rows(all);
        let mut found = Vec::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            let Some(cell) = layout.cell.filter(|cell| cell.row > 1) else { continue };
            let Some(head) = self.head_of(line, cell) else { continue };
            found.extend(self.unit_cell(line, cell, head, all));
            found.extend(self.season_cell(line, cell, head, all));
            found.extend(self.count_cell(line, head, all));
        }
        // "Newarp (with bath)": what stands behind the name stays.
        let is_inside = |other: &Mention| {
            of_lines(&found, other.line..other.line + 1)
                .iter()
                .any(|one| other.tokens.end > one.tokens.start && other.tokens.start < one.tokens.end)
        };
        all.retain(|other| !is_inside(other));
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// „Kiebitz“, strong at the beginning of a line or a lower heading, under "Ferienwohnungen": a unit with a name.
    pub(crate) fn named_units(&self, all: &mut Vec<Mention>) {
        let Some(unit) = self.domain.rules.counted.first().copied() else { return };
        let mut found = Vec::new();
        let mut quoted_lines = Vec::new();
        let mut over: Option<(u8, gatherer_abstracts::ontology::ClassId)> = None;
        for (line, layout) in self.page.lines.iter().enumerate() {
            let own: Vec<_> = of_lines(all, line..line + 1).iter().collect();
            let is_unit = |mention: &&&Mention| {
                mention.class().is_some_and(|class| self.domain.ontology.is_a(class, unit)) && mention.name.is_none()
            };
            if let Role::Heading(level) = layout.role
                && over.is_none_or(|(known, _)| level <= known)
            {
                let is_short = self.tokens.lines[line].len() <= 4;
                over = own
                    .iter()
                    .find(is_unit)
                    .filter(|_| is_short && level > 1)
                    .and_then(|one| Some((level, one.class()?)));
                continue;
            }
            let Some((_, class)) = over else { continue };
            let until = match layout.role {
                Role::Heading(_) => layout.span.end,
                Role::Text | Role::Item => match layout.strong_until {
                    Some(until) => until,
                    None => continue,
                },
                _ => continue,
            };
            // Wohnung „Kiebitz“ under "Ferienwohnungen" is one of them.
            if let [one] = own.as_slice()
                && is_unit(&one)
                && let Some(quoted) = self.quoted_behind(one)
            {
                found.push(self.named_unit(line, quoted, class));
                quoted_lines.push(line);
                continue;
            }
            let span = layout.span.start..until;
            let is_taken = own.iter().any(|mention| mention.span.start < until);
            let tokens = self.tokens.within(line, &span);
            let words: Vec<_> = tokens.clone().filter(|place| self.tokens.all[*place].kind == Kind::Word).collect();
            let is_name = (1..=3).contains(&words.len()) && words.iter().all(|place| self.is_strange(line, *place));
            let text = self.page.text[span.clone()].trim_end();
            let has_value = of_lines(all, line..line + 4).iter().any(|mention| {
                mention.literal().is_some_and(|(kind, _)| {
                    matches!(kind, LiteralKind::Money | LiteralKind::Area | LiteralKind::Count)
                })
            });
            if is_taken || !is_name || !has_value || text.ends_with(':') && !text.contains(['„', '"', '“']) {
                continue;
            }
            found.push(self.named_unit(line, words[0]..words[words.len() - 1] + 1, class));
        }
        all.retain(|mention| !quoted_lines.contains(&mention.line) || mention.literal().is_some());
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    fn named_unit(&self, line: usize, tokens: std::ops::Range<usize>, class: ClassId) -> Mention {
        let span = self.span(tokens.clone());
        let mut mention = self.mention(line, span.clone(), tokens, What::Thing(class));
        mention.name = Some(clean(&self.page.text[span]));
        mention
    }

    /// The tokens between quotes right behind a mention, up to the end of its line.
    fn quoted_behind(&self, mention: &Mention) -> Option<std::ops::Range<usize>> {
        let end = self.tokens.lines[mention.line].end;
        let is_quote = |place: usize| {
            place < end
                && matches!(&self.page.text[self.tokens.all[place].span.clone()], "\"" | "„" | "“" | "”" | "»" | "«")
        };
        let (open, close) = (mention.tokens.end, end.checked_sub(1)?);
        (is_quote(open) && is_quote(close) && close > open + 1).then(|| open + 1..close)
    }

    /// Whether a word is one that neither language nor domain know.
    fn is_strange(&self, line: usize, place: usize) -> bool {
        let (token, tongue) = (&self.tokens.all[place], self.tokens.tongues[line]);
        let language = self.languages.of(tongue);
        token.is_capital
            && !language.classes.contains_key(&*token.lower)
            && !language.headings.contains(&*token.lower)
            && !self.domain.lexicon(tongue).knows(&token.lower)
    }

    /// "Aktuelle Ausstellung" as a heading, and under it what it is called and until when.
    pub(crate) fn named_shows(&self, all: &mut Vec<Mention>) {
        let Some(slots) = self.domain.rules.literals.get(&LiteralKind::Period) else { return };
        let is_event = |class| slots.iter().any(|slot| self.domain.ontology.fits_domain(slot.slot, &[class]));
        let mut found = Vec::new();
        for line in 1..self.page.lines.len() {
            let (over, own) = (&self.page.lines[line - 1], &self.page.lines[line]);
            let is_head = matches!(over.role, Role::Heading(2..=6)) && self.tokens.lines[line - 1].len() <= 3;
            let stands_out = matches!(own.role, Role::Heading(_))
                || own.is_strong
                || self.page.line(own).starts_with(['„', '"', '“', '»']);
            if !is_head || !stands_out || self.tokens.lines[line].len() > 14 {
                continue;
            }
            let show = of_lines(all, line - 1..line).iter().find(|mention| {
                mention.name.is_none()
                    && mention
                        .class()
                        .is_some_and(|class| self.domain.ontology.class_at(class).is_focus() && is_event(class))
            });
            let is_dated = of_lines(all, line..line + 3)
                .iter()
                .any(|mention| mention.is_literal(LiteralKind::Period) || mention.is_literal(LiteralKind::Date));
            let is_taken = of_lines(all, line..line + 1).iter().any(|mention| mention.literal().is_some());
            let (Some(class), true, false) = (show.and_then(Mention::class), is_dated, is_taken) else { continue };
            let name = clean(self.page.line(own));
            let Some(start) = self.page.line(own).find(name.as_str()).map(|start| own.span.start + start) else {
                continue;
            };
            let span = start..start + name.len();
            let tokens = self.tokens.within(line, &span);
            let mut mention = self.mention(line, span, tokens, What::Thing(class));
            mention.name = Some(name);
            found.push(mention);
        }
        for mention in found.into_iter().take(64) {
            all.retain(|other| {
                other.line != mention.line && !(other.line + 1 == mention.line && other.class() == mention.class())
            });
            all.push(mention);
        }
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// The line at the head of the column.
    fn head_of(&self, line: usize, cell: Cell) -> Option<usize> {
        let same = |other: &Cell| other.table == cell.table && other.column == cell.column && other.row == 1;
        let head = (0..line).rev().take(400).find(|before| self.page.lines[*before].cell.as_ref().is_some_and(same))?;
        (self.tokens.lines[head].len() <= 4).then_some(head)
    }

    /// "Haisborough" under "Room": a unit with a name.
    fn unit_cell(&self, line: usize, cell: Cell, head: usize, all: &[Mention]) -> Option<Mention> {
        let unit = self.domain.rules.counted.first().copied()?;
        let is_unit = |mention: &&Mention| mention.class().is_some_and(|class| self.domain.ontology.is_a(class, unit));
        let class = of_lines(all, head..head + 1).iter().find(is_unit)?.class()?;
        let own: Vec<_> = of_lines(all, line..line + 1).iter().collect();
        let in_row = |mention: &Mention| {
            let other = self.page.lines[mention.line].cell;
            other.is_some_and(|other| other.table == cell.table && other.row == cell.row)
        };
        let row = of_lines(all, line..line + 16);
        let has_price = row.iter().any(|mention| in_row(mention) && mention.is_literal(LiteralKind::Money));
        let range = self.tokens.lines[line].clone();
        let words: Vec<_> = range
            .clone()
            .take_while(|place| {
                let token = &self.tokens.all[*place];
                token.kind != Kind::Sign || matches!(&*token.lower, "'" | "’" | "-" | "&")
            })
            .collect();
        let first = words.first()?;
        let is_name =
            words.len() <= 4 && self.tokens.all[*first].is_capital && self.tokens.all[*first].kind == Kind::Word;
        let tongue = self.tokens.tongues[line];
        let is_known = self.domain.lexicon(tongue).knows(&self.tokens.all[*first].lower)
            || self.languages.of(tongue).classes.contains_key(&*self.tokens.all[*first].lower);
        let begins =
            own.iter().any(|mention| mention.tokens.start == range.start && matches!(mention.what, What::Thing(_)));
        // "Courtyard King" under "Room"
        let is_group = |mention: &Mention| {
            self.domain.rules.money.zip(mention.class()).is_some_and(|(money, class)| {
                let slots = self.domain.ontology.between(money, class);
                slots.into_iter().any(|slot| self.domain.ontology.slot_at(slot).holds_without_cue())
            })
        };
        let is_title = tongue == Tongue::English
            && words.len() >= 2
            && words.len() == range.len()
            && words.iter().all(|place| self.tokens.all[*place].is_capital)
            && !own
                .iter()
                .any(|mention| is_group(mention) || mention.literal().is_some() || mention.flags.board.is_some());
        let is_strange = !is_known && !begins || is_title;
        if cell.column != 1 || own.iter().any(is_unit) || !has_price || !is_name || !is_strange {
            return None;
        }
        let tokens = *first..words.last()? + 1;
        let span = self.span(tokens.clone());
        let mut mention = self.mention(line, span.clone(), tokens, What::Thing(class));
        mention.name = Some(clean(&self.page.text[span]));
        Some(mention)
    }

    /// "Low" under "Season".
    fn season_cell(&self, line: usize, cell: Cell, head: usize, all: &[Mention]) -> Option<Mention> {
        let slots = self.domain.rules.literals.get(&LiteralKind::Period)?;
        let money = self.domain.rules.money?;
        let ontology = &self.domain.ontology;
        // What has a time of the year and says when a price holds.
        let is_season = |class: &ClassId| {
            slots.iter().any(|slot| ontology.fits_domain(slot.slot, &[*class]))
                && !ontology.between(money, *class).is_empty()
        };
        let class = of_lines(all, head..head + 1).iter().filter_map(Mention::class).find(is_season)?;
        let tokens = self.tokens.lines[line].clone();
        let is_plain = (1..=3).contains(&tokens.len())
            && self.tokens.all[tokens.clone()].iter().all(|token| token.kind == Kind::Word)
            && of_lines(all, line..line + 1).iter().all(|mention| mention.class() != Some(class));
        if cell.column != 1 || !is_plain {
            return None;
        }
        let span = self.span(tokens.clone());
        let mut mention = self.mention(line, span.clone(), tokens, What::Thing(class));
        mention.lemma = self.page.text[span].to_lowercase();
        Some(mention)
    }

    /// "6" under "Anzahl": so many are there of what the row begins with.
    fn numbers_of_rows(&self, all: &mut [Mention]) {
        for (line, layout) in self.page.lines.iter().enumerate() {
            let Some(cell) = layout.cell.filter(|cell| cell.row > 1 && cell.column > 1) else { continue };
            let language = self.languages.of(self.tokens.tongues[line]);
            let words = |line: usize| &self.tokens.all[self.tokens.lines[line].clone()];
            let is_counting = |head: usize| matches!(words(head), [word] if language.has("counting", &word.lower));
            let [number] = words(line) else { continue };
            if number.kind != Kind::Number || !self.head_of(line, cell).is_some_and(is_counting) {
                continue;
            }
            let in_row = |other: &Mention| {
                let place = self.page.lines[other.line].cell;
                place.is_some_and(|other| (other.table, other.row, other.column) == (cell.table, cell.row, 1))
            };
            let unit = all.iter_mut().find(|other| matches!(other.what, What::Thing(_)) && in_row(other));
            if let Some(unit) = unit.filter(|unit| unit.count.is_none()) {
                unit.count = Some((number.lower.to_string(), number.span.clone()));
            }
        }
    }

    /// "4" under "Sleeps", "2-4" under "Personen".
    fn count_cell(&self, line: usize, head: usize, all: &[Mention]) -> Option<Mention> {
        let slots = self.domain.rules.literals.get(&LiteralKind::Count)?;
        let range = self.tokens.lines[head].clone();
        let word = self.tokens.all[range]
            .iter()
            .map(|token| &*token.lower)
            .find(|word| slots.iter().any(|slot| slot.labels.contains(*word)))?;
        let text = self.page.line(&self.page.lines[line]).trim();
        let value: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .map(|letter| if letter == '–' { '-' } else { letter })
            .collect();
        let is_number = value.len() <= 5
            && value.split('-').count() <= 2
            && value.split('-').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let has_unit = of_lines(all, head..head + 1).iter().any(|mention| mention.is_literal(LiteralKind::Money));
        if !is_number || has_unit {
            return None;
        }
        let tokens = self.tokens.lines[line].clone();
        let mut mention =
            self.mention(line, self.page.lines[line].span.clone(), tokens, What::Literal(LiteralKind::Count, value));
        word.clone_into(&mut mention.lemma);
        Some(mention)
    }
}
