//! Mentions: every place where the text speaks of something that the domain knows, or gives a value.

use crate::currency::Table;
use crate::domain::Domain;
use crate::language::{Languages, Tongue};
use crate::layout::{Page, Role};
use crate::lexicon::{Concept, Flags};
use crate::literals::{Finder, Kind as LiteralKind, Literal, Setting};
use crate::overlay::Entities;
use crate::persons::Names;
use crate::tokens::{Kind, Tokens};
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::collections::BTreeSet;
use std::ops::Range;

/// Something that the text speaks of.
#[derive(Debug, Clone)]
pub(crate) struct Mention {
    /// Where, in the text of the page.
    pub(crate) span: Range<usize>,
    pub(crate) line: usize,
    pub(crate) sentence: u32,
    pub(crate) tokens: Range<usize>,
    pub(crate) what: What,
    /// The base form of the word.
    pub(crate) lemma: String,
    /// The proper name, if it has one.
    pub(crate) name: Option<String>,
    /// How many, and where that stands.
    pub(crate) count: Option<(String, Range<usize>)>,
    pub(crate) flags: Flags,
    /// The article or the like before it.
    pub(crate) article: Article,
}

/// What a mention is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Thing(ClassId),
    /// A place with a name of its own.
    Place(ClassId),
    /// A person or the like with a name of its own.
    Agent(ClassId),
    Value(SlotId, String),
    Literal(LiteralKind, String),
    Free,
}

/// The mentions of these lines; all of them are in order.
pub(crate) fn of_lines(all: &[Mention], lines: Range<usize>) -> &[Mention] {
    let start = all.partition_point(|mention| mention.line < lines.start);
    let end = all.partition_point(|mention| mention.line < lines.end);
    &all[start..end.max(start)]
}

/// What stands before a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Article {
    None,
    Definite,
    Indefinite,
    Negative,
}

impl Mention {
    /// The class of what is mentioned.
    pub(crate) fn class(&self) -> Option<ClassId> {
        match self.what {
            What::Thing(class) | What::Place(class) | What::Agent(class) => Some(class),
            _ => None,
        }
    }

    pub(crate) fn literal(&self) -> Option<(LiteralKind, &str)> {
        match &self.what {
            What::Literal(kind, value) => Some((*kind, value)),
            _ => None,
        }
    }

    pub(crate) fn is_literal(&self, kind: LiteralKind) -> bool {
        self.literal().is_some_and(|(one, _)| one == kind)
    }
}

/// What is needed to read mentions.
pub(crate) struct Reader<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) languages: &'a Languages,
    pub(crate) finder: &'a Finder,
    pub(crate) names: &'a Names,
    /// What a foreign engine takes for names.
    pub(crate) entities: &'a Entities,
    pub(crate) country: &'static str,
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Hours and days.
fn is_when(kind: LiteralKind) -> bool {
    matches!(kind, LiteralKind::Time | LiteralKind::Hours | LiteralKind::Date | LiteralKind::Period)
}

impl Reader<'_> {
    /// All mentions of the page, in order.
    pub(crate) fn read(&self) -> Vec<Mention> {
        let mut all = Vec::new();
        let texts = self.page.lines.iter().map(|line| self.page.line(line));
        let mut table = Table::new(self.page_currency(), texts, self.finder);
        let clocks = self.bare_clocks();
        for (line, range) in self.tokens.lines.iter().enumerate() {
            let layout = &self.page.lines[line];
            let text = self.page.line(layout);
            table.see(layout, text, self.finder);
            let currency = table.currency(layout, text).map(|code| self.finder.at_home(code, self.country));
            let setting = Setting {
                tongue: self.tokens.tongues[line],
                country: self.country,
                currency,
                of_page: table.of_page(),
            };
            let mut literals = match layout.role {
                Role::Image | Role::Keywords => Vec::new(),
                _ => self.finder.find(text, setting),
            };
            if table.is_address(layout) && literals.is_empty() && self.finder.is_street(text) {
                literals.push(Literal { span: 0..text.len(), kind: LiteralKind::Street, value: text.to_owned() });
            }
            if matches!(layout.role, Role::Heading(_)) {
                literals.retain(|literal| literal.kind != LiteralKind::Street || !self.happens_by(text));
            }
            if let Some(clock) = clocks.get(&line)
                && !literals.iter().any(|other| overlap(&other.span, &clock.span) && is_when(other.kind))
            {
                literals.retain(|other| !overlap(&other.span, &clock.span));
                let at = literals.partition_point(|other| other.span.start < clock.span.start);
                literals.insert(at, clock.clone());
            }
            let start = all.len();
            self.line(line, range.clone(), &literals, &mut all);
            self.linked_mail(line, &mut all, start);
            self.counts(&mut all, start);
            self.counted_words(line, &mut all, start);
        }
        self.of_page(&mut all);
        all
    }

    /// What is known of the mentions only when all are there.
    fn of_page(&self, all: &mut Vec<Mention>) {
        self.currencies(all);
        self.said_cuisines(all);
        self.named_stops(all);
        self.addresses(all);
        self.local_places(all);
        self.cued_agents(all);
        self.societies(all);
        self.only_there(all);
        self.ages(all);
        self.whole_cells(all);
        self.short_units(all);
        self.headed_cells(all);
        self.labelled_numbers(all);
        self.unit_rows(all);
        self.named_units(all);
        self.named_shows(all);
        self.dated_shows(all);
        self.called_shows(all);
        self.named_rooms(all);
        self.named_halls(all);
        self.venue_lines(all);
        self.venue_names(all);
        self.told_rooms(all);
        Self::whole_dates(all);
    }

    /// "Guided Bat Walk" over a section: no street, but something that happens.
    fn happens_by(&self, heading: &str) -> bool {
        let ontology = &self.domain.ontology;
        let last = heading.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let class = self.domain.lexicon(Tongue::English).kind(&last);
        let dates = self.domain.rules.literals.get(&LiteralKind::Date).and_then(|slots| slots.first());
        class.zip(dates).is_some_and(|(class, date)| ontology.fits_domain(date.slot, &[class]))
    }

    /// "Sites" on a page that speaks of no campground: not those of tents.
    fn only_there(&self, all: &mut Vec<Mention>) {
        let is_a = |class: ClassId, other: ClassId| self.domain.ontology.is_a(class, other);
        let wanted: BTreeSet<ClassId> = all.iter().filter_map(|one| one.flags.on).collect();
        let is_there = |only: &ClassId| all.iter().filter_map(Mention::class).any(|class| is_a(class, *only));
        let there: BTreeSet<ClassId> = wanted.into_iter().filter(is_there).collect();
        all.retain(|one| one.flags.on.is_none_or(|only| there.contains(&only)));
    }

    /// A mail address that only the reference knows.
    fn linked_mail(&self, line: usize, all: &mut Vec<Mention>, from: usize) {
        if all[from..].iter().any(|mention| mention.is_literal(LiteralKind::Mail)) {
            return;
        }
        let links = &self.page.lines[line].links;
        let mail = links.iter().find_map(|link| Some((link, link.target.strip_prefix("mailto:")?)));
        let Some((link, address)) = mail.filter(|(link, _)| !link.span.is_empty()) else { return };
        let address = address.split('?').next().unwrap_or_default().trim().to_lowercase();
        let is_whole = address.split_once('@').is_some_and(|(_, host)| host.contains('.'));
        let tokens = self.tokens.within(line, &link.span);
        let is_free =
            !all[from..].iter().any(|mention| mention.tokens.start < tokens.end && mention.tokens.end > tokens.start);
        if is_whole && is_free && !tokens.is_empty() {
            all.push(self.mention(line, link.span.clone(), tokens, What::Literal(LiteralKind::Mail, address)));
            all[from..].sort_by_key(|mention| mention.span.start);
        }
    }

    fn line(&self, line: usize, range: Range<usize>, literals: &[Literal], all: &mut Vec<Mention>) {
        let offset = self.page.lines[line].span.start;
        let tongue = self.tokens.tongues[line];
        let mut place = range.start;
        let mut literals = literals.iter().peekable();
        while place < range.end {
            let token = &self.tokens.all[place];
            while literals.next_if(|literal| offset + literal.span.end <= token.span.start).is_some() {}
            if let Some(literal) = literals.peek()
                && offset + literal.span.start < token.span.end
            {
                let span = offset + literal.span.start..offset + literal.span.end;
                let tokens = self.tokens.within(line, &span);
                let behind = self.tokens.all[tokens.end.max(place + 1) - 1].span.end;
                let what = What::Literal(literal.kind, literal.value.clone());
                all.push(self.mention(line, span.clone(), tokens.clone(), what));
                literals.next();
                // "pppn": two values in one word.
                while let Some(other) = literals.next_if(|other| offset + other.span.end <= behind) {
                    let span = offset + other.span.start..offset + other.span.end;
                    let what = What::Literal(other.kind, other.value.clone());
                    all.push(self.mention(line, span, tokens.clone(), what));
                }
                // "4-Sterne-Hotel": the rest of the word still counts.
                if behind > span.end + 1 && self.rest_of_word(line, tokens.end - 1, span.end, all) {
                    place = tokens.end;
                    continue;
                }
                place = tokens.end.max(place + 1);
                continue;
            }
            let until = literals.peek().map_or(range.end, |literal| {
                self.tokens.within(line, &(offset + literal.span.start..offset + literal.span.start + 1)).start
            });
            place = self.word(line, place..until.max(place + 1), tongue, all);
        }
    }

    /// One mention at the first of these tokens, if there is one; the place behind it.
    fn word(&self, line: usize, range: Range<usize>, tongue: Tongue, all: &mut Vec<Mention>) -> usize {
        let tokens = &self.tokens.all[range.clone()];
        let place = range.start;
        if let Some(length) = self.somebody(line, range.clone(), tongue, all) {
            return place + length;
        }
        if let Some(length) = self.truncated(line, range.clone(), tongue, all) {
            return place + length;
        }
        if let Some(next) = self.shared_style(line, range.clone(), tongue, all) {
            return next;
        }
        let Some((hit, tongue)) = self.lookup(tokens, tongue) else {
            return self.entity(line, range, tongue, all).unwrap_or(place + 1);
        };
        // "Steinbergkirche" is a village.
        if hit.tokens == 1 && self.domain.towns.has(&self.page.text[tokens[0].span.clone()]) {
            return place + 1;
        }
        let lexicon = self.domain.lexicon(tongue);
        let entry = &lexicon.entries[hit.entry];
        let what = match &entry.concept {
            Concept::Thing(class) => What::Thing(*class),
            Concept::Value(slot, value) => What::Value(*slot, value.clone()),
            Concept::Free => What::Free,
            Concept::Nothing => return place + hit.tokens,
        };
        if entry.flags.card && !self.is_card(place..place + hit.tokens, tongue) {
            return place + hit.tokens;
        }
        let is_first = place == self.tokens.lines[line].start;
        if entry.flags.bare && !self.is_alone(place + hit.tokens, line) || entry.flags.first && !is_first {
            return place + hit.tokens;
        }
        self.cuisine_before(line, place, &what, all);
        let mut mention = self.mention(line, self.span(place..place + hit.tokens), place..place + hit.tokens, what);
        mention.lemma = hit.lemma;
        mention.flags = entry.flags;
        let pet = self.pet_in(&mention, tongue);
        all.push(mention);
        all.extend(pet);
        place + hit.tokens
    }

    /// A place, a person or a family with a name; how many tokens it has.
    fn somebody(&self, line: usize, range: Range<usize>, tongue: Tongue, all: &mut Vec<Mention>) -> Option<usize> {
        let tokens = &self.tokens.all[range.clone()];
        let place = range.start;
        let mut put = |length: usize, what: What| {
            let span = self.span(place..place + length);
            all.push(self.named(line, place..place + length, what, &self.page.text[span]));
            Some(length)
        };
        if let Some((length, class)) = self.place_at(tokens, tongue) {
            return put(length, What::Place(class));
        }
        // "Inhaberin: Antje Hering" is no fish.
        let is_asked = place.checked_sub(1).is_some_and(|before| {
            let before = &self.tokens.all[before];
            let is_label = matches!(&*before.lower, ":" | "herr" | "frau" | "von" | "durch" | "by");
            is_label || self.domain.cues.persons.contains(&*before.lower)
        });
        if let (Some(length), Some(class)) = (self.family_at(tokens, tongue), self.domain.rules.family) {
            return put(length, What::Agent(class));
        }
        let is_known = |length: &usize| !is_asked && self.domain.lexicon(tongue).knows(&tokens[*length - 1].lower);
        if let Some(length) = self.names.person(self.page, tokens).filter(|length| !is_known(length)) {
            return self.domain.rules.person.map_or(Some(length), |class| put(length, What::Agent(class)));
        }
        let family = self.domain.rules.family.filter(|_| self.is_family(tokens, tongue))?;
        put(2, What::Agent(family))
    }

    /// "Dogs are welcome at £3": the price is for them.
    fn pet_in(&self, mention: &Mention, tongue: Tongue) -> Option<Mention> {
        let (class, slot) = self.domain.rules.permission?;
        let permits = matches!(mention.what, What::Value(own, _) if own == slot);
        let is_pet = |at: &usize| self.domain.lexicon(tongue).kind(&self.tokens.all[*at].lower) == Some(class);
        let at = mention.tokens.clone().find(is_pet).filter(|_| permits)?;
        let mut pet = self.mention(mention.line, self.span(at..at + 1), at..at + 1, What::Thing(class));
        pet.lemma = self.tokens.all[at].lower.to_string();
        Some(pet)
    }

    /// "Discover the coast" is no card.
    fn is_card(&self, tokens: Range<usize>, tongue: Tongue) -> bool {
        let first = &self.tokens.all[tokens.start];
        let is_first = tokens.start == 0 || self.tokens.all[tokens.start - 1].sentence != first.sentence;
        let goes_on = self.tokens.all.get(tokens.end).is_some_and(|next| {
            next.kind == Kind::Word && next.sentence == first.sentence && !matches!(&*next.lower, "and" | "or")
        });
        // "We take cards", "mit Karte": how one pays, and no menu.
        if tokens.len() == 1 && matches!(&*first.lower, "karte" | "karten" | "card" | "cards") {
            let before = tokens.start.checked_sub(1).map_or("", |before| &*self.tokens.all[before].lower);
            return !is_first && matches!(before, "mit" | "per" | "by" | "take" | "accept");
        }
        // "All major credit and debit cards"
        let is_half = self
            .tokens
            .all
            .get(tokens.end..tokens.end + 3)
            .is_some_and(|next| matches!(&*next[0].lower, "and" | "or" | "/") && next[2].lower.starts_with("card"));
        tongue == Tongue::German || tokens.len() > 1 || is_half || first.is_capital && !(is_first && goes_on)
    }

    /// "Single £45", "single and double rooms": nothing that it could describe follows.
    fn is_alone(&self, next: usize, line: usize) -> bool {
        let range = self.tokens.lines[line].clone();
        let Some(token) = self.tokens.all[..range.end].get(next) else { return true };
        match token.kind {
            Kind::Sign | Kind::Number => true,
            // "Single A$88"
            Kind::Word if self.page.text[token.span.end..].starts_with('$') => true,
            Kind::Word => self.languages.of(self.tokens.tongues[line]).has("behind-bare", &token.lower),
        }
    }

    pub(crate) fn lookup(
        &self,
        tokens: &[crate::tokens::Token],
        tongue: Tongue,
    ) -> Option<(crate::lexicon::Hit, Tongue)> {
        let find = |tongue: Tongue| {
            let hit = self.domain.lexicon(tongue).find(tokens, self.languages.of(tongue), tongue)?;
            Some((hit, tongue))
        };
        find(tongue)
    }

    /// "Geschäfts- und Messehotel"
    fn truncated(&self, line: usize, range: Range<usize>, tongue: Tongue, all: &mut Vec<Mention>) -> Option<usize> {
        let tokens = &self.tokens.all[range.clone()];
        if tongue != Tongue::German || !tokens[0].lower.ends_with('-') || tokens[0].lower.len() < 3 {
            return None;
        }
        let language = self.languages.of(tongue);
        let whole = tokens.iter().skip(1).take(6).find(|token| {
            token.kind == Kind::Word && !token.lower.ends_with('-') && !language.classes.contains_key(&*token.lower)
        })?;
        let lexicon = self.domain.lexicon(tongue);
        let hit = lexicon.truncated(&tokens[0].lower, &whole.lower)?;
        let entry = &lexicon.entries[hit.entry];
        let Concept::Thing(class) = entry.concept else { return None };
        let mut mention = self.mention(
            line,
            self.span(range.start..range.start + 1),
            range.start..range.start + 1,
            What::Thing(class),
        );
        mention.lemma = hit.lemma;
        mention.flags = entry.flags;
        all.push(mention);
        Some(1)
    }

    /// What stands in the same word behind a literal.
    fn rest_of_word(&self, line: usize, token: usize, from: usize, all: &mut Vec<Mention>) -> bool {
        let whole = &self.tokens.all[token];
        let rest = self.page.text[from..whole.span.end].trim_start_matches('-');
        let tongue = self.tokens.tongues[line];
        let mut part = whole.clone();
        part.lower = rest.to_lowercase().into_boxed_str();
        part.span = whole.span.end - rest.len()..whole.span.end;
        let Some((hit, tongue)) = self.lookup(&[part.clone()], tongue) else { return false };
        let entry = &self.domain.lexicon(tongue).entries[hit.entry];
        let Concept::Thing(class) = entry.concept else { return false };
        let mut mention = self.mention(line, part.span, token..token + 1, What::Thing(class));
        mention.lemma = hit.lemma;
        mention.flags = entry.flags;
        all.push(mention);
        true
    }

    pub(crate) fn span(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens.all[tokens.start].span.start..self.tokens.all[tokens.end - 1].span.end
    }

    pub(crate) fn named(&self, line: usize, tokens: Range<usize>, what: What, name: &str) -> Mention {
        let mut mention = self.mention(line, self.span(tokens.clone()), tokens, what);
        mention.name = Some(name.to_owned());
        mention
    }

    pub(crate) fn mention(&self, line: usize, span: Range<usize>, tokens: Range<usize>, what: What) -> Mention {
        let sentence = self.tokens.all.get(tokens.start).map_or(0, |token| token.sentence);
        let article = self.article(line, tokens.start, sentence);
        Mention {
            span,
            line,
            sentence,
            tokens,
            what,
            lemma: String::new(),
            name: None,
            count: None,
            flags: Flags::default(),
            article,
        }
    }

    /// The article before a noun, over its adjectives.
    fn article(&self, line: usize, place: usize, sentence: u32) -> Article {
        let language = self.languages.of(self.tokens.tongues[line]);
        let from = self.tokens.lines[line].start;
        for token in self.tokens.all[from..place.max(from)].iter().rev().take(4) {
            if token.sentence != sentence {
                break;
            }
            match &*token.lower {
                "ein" | "eine" | "einen" | "einem" | "einer" | "eines" | "a" | "an" => return Article::Indefinite,
                "kein" | "keine" | "keinen" | "keinem" | "keiner" | "no" | "ohne" | "without" => {
                    return Article::Negative;
                }
                _ => {}
            }
            match language.classes.get(&*token.lower).map(String::as_str) {
                Some("Det") => return Article::Definite,
                Some("Adv") => {}
                Some("Prep") if matches!(&*token.lower, "im" | "am" | "vom" | "zum" | "zur" | "beim" | "ins") => {
                    return Article::Definite;
                }
                Some(_) => break,
                None if token.kind == Kind::Sign || token.is_capital => break,
                None => {}
            }
        }
        Article::None
    }
}
