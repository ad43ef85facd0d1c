//! People and organisations that only the words before them tell to be such: "soprano Amelia Hart", "organised by Portwell
//! Traders", "Owner: Packie Cregan".

use crate::domain::AgentCue;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::{Kind, Token};
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

/// What may be asked for.
#[derive(Debug, Clone, Copy)]
struct Asked {
    person: bool,
    organisation: bool,
}

impl Reader<'_> {
    /// Finds the names behind cues that ask for somebody.
    pub(crate) fn cued_agents(&self, all: &mut Vec<Mention>) {
        let mut found = Vec::new();
        let mut performs = false;
        for (line, layout) in self.page.lines.iter().enumerate() {
            if matches!(layout.role, Role::Heading(_)) {
                performs = self.is_programme_heading(line);
            }
            let is_read = !matches!(layout.role, Role::Title | Role::Keywords | Role::Image | Role::Description);
            if self.tokens.tongues[line] != Tongue::English || !is_read {
                continue;
            }
            let own = of_lines(all, line..line + 1);
            found.extend(self.agents_of(line, own));
            found.extend(self.agents_before(line, own));
            if performs && !matches!(layout.role, Role::Heading(_)) {
                found.extend(self.acts_of(line, own));
            }
            found.extend(self.act_of_row(line, own, all));
        }
        for mention in found {
            let overlaps =
                |other: &Mention| other.tokens.start < mention.tokens.end && other.tokens.end > mention.tokens.start;
            all.retain(|other| !overlaps(other));
            all.push(mention);
        }
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// "Music", "Line-up": names in the lines under it are those of people who perform.
    fn is_programme_heading(&self, line: usize) -> bool {
        let Some(person) = self.domain.rules.person else { return false };
        let ontology = &self.domain.ontology;
        self.tokens.all[self.tokens.lines[line].clone()].iter().any(|token| {
            let slots = self.domain.rules.sections.get(&*token.lower).into_iter().flatten();
            slots.into_iter().any(|slot| {
                let is_of_event =
                    self.domain.rules.literals.get(&LiteralKind::Date).into_iter().flatten().any(|date| {
                        ontology
                            .slot_at(date.slot)
                            .domain()
                            .first()
                            .and_then(|union| union.first())
                            .is_some_and(|class| ontology.fits_domain(*slot, &[*class]))
                    });
                is_of_event && ontology.fits_range(*slot, &[person])
            })
        })
    }

    fn agents_of(&self, line: usize, own: &[Mention]) -> Vec<Mention> {
        let range = self.tokens.lines[line].clone();
        let mut found: Vec<Mention> = Vec::new();
        let mut place = range.start;
        while place < range.end {
            let Some((length, asked)) = self.cue_at(place, range.end) else {
                place += 1;
                continue;
            };
            place += length;
            let mut at = self.skipped(place, range.end);
            while let Some(run) = self.name_at(at, range.end) {
                let Some(class) = self.class_of_name(&run, asked, own) else { break };
                at = run.end;
                found.extend(self.put_agent(line, run, class));
                // "with Judith Crane, Sunita Rao and Ellen Moss"
                let joins =
                    |place: usize| place < range.end && matches!(&*self.tokens.all[place].lower, "," | "and" | "&");
                if !joins(at) || !asked.organisation {
                    break;
                }
                at += 1 + usize::from(joins(at + 1));
                place = place.max(at);
            }
        }
        found
    }

    /// "Joanna Peel (violin)", "Sarah Pym, head chef": names with what they do behind them.
    fn agents_before(&self, line: usize, own: &[Mention]) -> Vec<Mention> {
        let range = self.tokens.lines[line].clone();
        let tokens = &self.tokens.all;
        let mut found = Vec::new();
        for run in self.runs_of(&range) {
            let is_sign = |at: usize| at < range.end && matches!(&*tokens[at].lower, "(" | "," | "–" | "-" | "[");
            let behind = run.end + usize::from(is_sign(run.end));
            let cue = (behind < range.end && tokens[run.start].sentence == tokens[behind].sentence)
                .then(|| self.cue_at(behind, range.end))
                .flatten();
            // "Tom Hill by", "Ann Lee with" lead to somebody else.
            let is_noun = |length: usize| {
                !self.languages.of(Tongue::English).is_small(&tokens[behind + length - 1].lower)
                    && !tokens[behind].is_capital
            };
            let asked = cue.filter(|(length, asked)| asked.person && is_noun(*length)).map(|(_, asked)| asked);
            let asked = asked.map(|_| Asked { person: true, organisation: false });
            if let Some(class) = asked.and_then(|asked| self.class_of_name(&run, asked, own)) {
                found.extend(self.put_agent(line, run.clone(), class));
            }
        }
        found
    }

    /// "Friday: The Grain Barge Stompers, 8pm": names with a time behind them.
    fn acts_of(&self, line: usize, own: &[Mention]) -> Vec<Mention> {
        let range = self.tokens.lines[line].clone();
        let mut found = Vec::new();
        for run in self.runs_of(&range) {
            let is_time = |mention: &Mention| {
                mention.literal().is_some_and(|(kind, _)| matches!(kind, LiteralKind::Time | LiteralKind::Hours))
                    && (run.end..run.end + 3).contains(&mention.tokens.start)
            };
            let asked = Asked { person: true, organisation: true };
            if let Some(class) = self.class_of_name(&run, asked, own).filter(|_| own.iter().any(is_time)) {
                found.extend(self.put_agent(line, run.clone(), class));
            }
        }
        found
    }

    /// What may be names among these tokens, one behind the other.
    fn runs_of(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut place = range.start;
        std::iter::from_fn(move || {
            let run = (place..range.end).find_map(|start| self.name_at(start, range.end))?;
            place = run.end;
            Some(run)
        })
    }

    /// "3pm | Bromyard Town Band": a cell that is only a name, in a row that begins with a time.
    fn act_of_row(&self, line: usize, own: &[Mention], all: &[Mention]) -> Option<Mention> {
        let cell = self.page.lines[line].cell.filter(|cell| cell.column > 1)?;
        let head = (0..line).rev().take(12).find(|before| {
            self.page.lines[*before]
                .cell
                .is_some_and(|other| other.table == cell.table && other.row == cell.row && other.column == 1)
        })?;
        let range = self.tokens.lines[line].clone();
        let run = self.name_at(range.start, range.end).filter(|run| run.end == range.end && run.len() > 1)?;
        let is_time =
            |mention: &Mention| matches!(mention.literal(), Some((LiteralKind::Time | LiteralKind::Hours, _)));
        let is_timed = self.tokens.lines[head].len() <= 6 && of_lines(all, head..head + 1).iter().any(is_time);
        let class = self.class_of_name(&run, Asked { person: true, organisation: true }, own).filter(|_| is_timed)?;
        // Whoever has no first name is a band.
        let is_person = self.names.is_first(&self.page.text[self.tokens.all[run.start].span.clone()]);
        let class = if is_person { class } else { self.domain.rules.organisation.unwrap_or(class) };
        self.put_agent(line, run, class)
    }

    /// The longest cue that begins here, as the number of its tokens, and what it asks for.
    fn cue_at(&self, place: usize, end: usize) -> Option<(usize, Asked)> {
        let language = self.languages.of(Tongue::English);
        let cues = self.domain.cues.agents.get(&*self.tokens.all[place].lower)?;
        let fits = |cue: &&AgentCue| {
            let length = cue.words.len();
            let is_there = place + length <= end
                && cue.words.iter().zip(&self.tokens.all[place..]).all(|(word, token)| *token.lower == **word);
            let is_label = self.tokens.all.get(place + length).is_some_and(|next| &*next.lower == ":");
            // Small words ask for nobody, but as labels they do.
            is_there && (length > 1 || is_label || !language.classes.contains_key(&*cue.words[0]))
        };
        let best = cues.iter().filter(fits).max_by_key(|cue| cue.words.len())?;
        Some((best.words.len(), Asked { person: best.person, organisation: best.organisation }))
    }

    /// Over signs, articles and forms of address.
    fn skipped(&self, place: usize, end: usize) -> usize {
        let is_passed = |place: &usize| {
            *place < end && matches!(&*self.tokens.all[*place].lower, ":" | "," | "mr" | "mrs" | "ms" | "dr" | ".")
                || *place < end && &*self.tokens.all[*place].lower == "the" && !self.tokens.all[*place].is_capital
                || *place < end
                    && self
                        .languages
                        .of(Tongue::English)
                        .has("titles", &self.page.text[self.tokens.all[*place].span.clone()])
        };
        (place..end).take(3).find(|place| !is_passed(place)).unwrap_or(end.min(place + 3))
    }

    /// The words of a name that begins here.
    fn name_at(&self, place: usize, end: usize) -> Option<Range<usize>> {
        let tokens = &self.tokens.all;
        let language = self.languages.of(Tongue::English);
        let is_word = |at: usize| {
            at < end
                && tokens[at].kind == Kind::Word
                && tokens[at].is_capital
                && (!language.classes.contains_key(&*tokens[at].lower) || at == place && &*tokens[at].lower == "the")
                && !language.weekdays.contains_key(&*tokens[at].lower)
                && !language.months.contains_key(&*tokens[at].lower)
        };
        let is_initial = |at: usize| is_word(at) && tokens[at].lower.chars().count() == 1;
        let mut at = place;
        let mut last = place;
        while at < end && at - place < 8 && tokens[at].sentence == tokens[place].sentence {
            if is_word(at) {
                at += 1;
                last = at;
            } else if at > place
                && (self.is_particle(at) || &*tokens[at].lower == "." && is_initial(at - 1))
                && is_word(at + 1)
                || at == place + 1 && self.is_couple(at, end)
            {
                at += 1;
            } else {
                break;
            }
        }
        (last > place && tokens[last - 1].is_capital).then_some(place..last)
    }

    fn is_particle(&self, at: usize) -> bool {
        matches!(
            &*self.tokens.all[at].lower,
            "of" | "&" | "de" | "von" | "van" | "du" | "la" | "le" | "ap" | "ní" | "ó"
        )
    }

    /// "Ruth and Walter Delaney"
    fn is_couple(&self, at: usize, end: usize) -> bool {
        let tokens = &self.tokens.all;
        let is_name = |place: usize| place < end && tokens[place].kind == Kind::Word && tokens[place].is_capital;
        matches!(&*tokens[at].lower, "and" | "&") && is_name(at + 1) && is_name(at + 2)
    }

    /// Whether a name is one of a person or of an organisation; nothing if it is neither, or known already.
    fn class_of_name(&self, run: &Range<usize>, asked: Asked, own: &[Mention]) -> Option<ClassId> {
        let (person, organisation) = (self.domain.rules.person?, self.domain.rules.organisation?);
        let lexicon = self.domain.lexicon(Tongue::English);
        let language = self.languages.of(Tongue::English);
        let words: Vec<&Token> = self.tokens.all[run.clone()].iter().filter(|token| token.is_capital).collect();
        let covers = |mention: &&Mention| mention.tokens.start <= run.start && mention.tokens.end >= run.end;
        let is_taken = own.iter().any(|mention| {
            covers(&mention) && (mention.flags.title || matches!(mention.what, What::Agent(_) | What::Place(_)))
                || mention.literal().is_some() && mention.tokens.start < run.end && mention.tokens.end > run.start
        });
        let last = words.last()?;
        let is_agent = lexicon.kind(&last.lower).is_some_and(|class| self.domain.ontology.is_a(class, organisation));
        let is_known = |token: &&&Token| {
            lexicon.knows(&token.lower) || language.headings.contains(&*token.lower) && &*token.lower != "the"
        };
        let known = words.iter().filter(is_known).count();
        let first = self.page.text[words[0].span.clone()].to_owned();
        if is_taken || known == words.len() && !is_agent {
            return None;
        }
        if is_agent && words.len() > 1 {
            return (asked.organisation || asked.person).then_some(organisation);
        }
        if self.names.is_first(&first) && (2..=5).contains(&words.len()) {
            return asked.person.then_some(person);
        }
        let begins_with_article = &*words[0].lower == "the";
        let is_plural = last.lower.ends_with('s') && !last.lower.ends_with("ss");
        let like_person = (2..=3).contains(&words.len()) && known == 0 && !begins_with_article && !is_plural;
        let is_couple = words.len() == 3 && run.len() == 4 && known == 0 && self.is_couple(run.start + 1, run.end);
        if is_couple && asked.person {
            return Some(person);
        }
        let has_initial = words.iter().any(|token| token.lower.chars().count() == 1);
        match (asked.person, asked.organisation) {
            (true, false) => {
                let is_name = (2..=3).contains(&words.len()) && known == 0 && !begins_with_article;
                (is_name || has_initial && known == 0).then_some(person)
            }
            (false, true) => (words.len() > 1).then_some(organisation),
            _ if like_person && words.len() == 2 => Some(person),
            _ => (words.len() > 1).then_some(organisation),
        }
    }

    fn put_agent(&self, line: usize, run: Range<usize>, class: ClassId) -> Option<Mention> {
        let span = self.span(run.clone());
        let name = self.page.text.get(span)?.to_owned();
        Some(self.named(line, run, What::Agent(class), &name))
    }
}
