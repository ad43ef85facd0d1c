//! What a page is about: one thing, several (a listing), or nothing that the domain knows.

use crate::bare::Hosts;
use crate::domain::Domain;
use crate::entries::Entry;
use crate::language::Languages;
use crate::layout::{Page, Region, Role};
use crate::mentions::{Mention, What, of_lines};
use crate::programme::Slot;
use crate::tokens::Tokens;
use gatherer_abstracts::ontology::ClassId;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// One thing that lines are about.
#[derive(Debug, Clone)]
pub(crate) struct Focus {
    pub(crate) class: ClassId,
    pub(crate) name: Option<(String, Range<usize>)>,
    pub(crate) key: String,
}

/// Which lines are about which thing.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) focuses: Vec<Focus>,
    /// For each line, the thing it is about.
    pub(crate) of_line: Vec<Option<usize>>,
    /// The thing of the whole page, if it has one.
    pub(crate) main: Option<usize>,
    /// Pieces of a programme, each with one thing that happens.
    pub(crate) pieces: Vec<Range<usize>>,
    /// Cells in which something happens at the hour of their row, by their lines.
    pub(crate) slots: Vec<Slot>,
}

impl Outline {
    /// No line is about anything.
    pub(crate) fn empty(page: &Page) -> Self {
        Self { of_line: vec![None; page.lines.len()], ..Self::default() }
    }
}

pub(crate) struct Chooser<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) mentions: &'a [Mention],
    pub(crate) languages: &'a Languages,
    pub(crate) url: &'a str,
    pub(crate) hosts: Hosts,
    /// Pieces of the page that are made alike.
    pub(crate) entries: &'a [Vec<Entry>],
}

/// A line with which something else begins.
#[derive(Debug)]
pub(crate) struct Opener {
    pub(crate) line: usize,
    pub(crate) focus: Focus,
    pub(crate) level: u8,
    /// All lines about it, where the page's make says which.
    pub(crate) entry: Option<Range<usize>>,
}

pub(crate) const STRONG: u8 = 7;
pub(crate) const ITEM: u8 = 8;

impl Chooser<'_> {
    /// Which lines are about the page's thing, and which about others.
    pub(crate) fn outline(&self, main: Option<Focus>) -> Outline {
        let mut outline = Outline::empty(self.page);
        let votes = self.votes();
        let best = votes.iter().max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class)));
        let best_class = best.filter(|(_, votes)| **votes >= 6).map(|(class, _)| *class);
        let main = main.map(|focus| (focus, true));
        let mut openers = self.openers(main.as_ref(), best_class);
        if main.is_none() {
            self.entry_openers(&mut openers, best_class);
        }
        if openers.len() > 2 && self.is_calendar_page() {
            openers.iter_mut().for_each(|opener| {
                opener.focus.class = self.happening(opener.line, opener.focus.class).unwrap_or(opener.focus.class);
            });
        }
        if let Some((focus, _)) = main {
            outline.focuses.push(self.shown(focus));
            outline.main = Some(0);
            outline.of_line.fill(Some(0));
        }
        self.divide(openers, &mut outline);
        outline
    }

    /// A name is quoted from where it is read, and not from what stands for a picture.
    fn shown(&self, mut focus: Focus) -> Focus {
        let Some((name, span)) = &mut focus.name else { return focus };
        let is_hidden = |role: Role| matches!(role, Role::Image | Role::Description | Role::Keywords);
        let is_own = |line: &&crate::layout::Line| line.span.contains(&span.start);
        if self.page.lines.iter().find(is_own).is_some_and(|line| is_hidden(line.role)) {
            let shown = self.page.lines.iter().filter(|line| !is_hidden(line.role)).find_map(|line| {
                let start = line.span.start + self.page.line(line).find(name.as_str())?;
                Some(start..start + name.len())
            });
            *span = shown.unwrap_or_else(|| span.clone());
        }
        focus
    }

    /// What is mentioned in a line.
    pub(crate) fn on(&self, line: usize) -> &[Mention] {
        of_lines(self.mentions, line..line + 1)
    }

    /// Title and first headings.
    pub(crate) fn heads(&self) -> impl Iterator<Item = usize> + '_ {
        let roles = self.page.lines.iter().enumerate();
        roles
            .filter(|(_, line)| {
                matches!(line.role, Role::Title | Role::Heading(1)) && line.region != Region::Navigation
            })
            .map(|(place, _)| place)
            .take(3)
    }

    /// Whether things of a class are named on pages of others.
    pub(crate) fn is_seller(&self, class: ClassId) -> bool {
        self.domain.rules.sellers.iter().any(|seller| self.domain.ontology.is_a(class, *seller))
    }

    pub(crate) fn is_focus_class(&self, class: ClassId) -> bool {
        self.domain.ontology.class_at(class).is_focus()
    }

    /// How much speaks for each class.
    pub(crate) fn votes(&self) -> BTreeMap<ClassId, u32> {
        let mut votes = BTreeMap::new();
        let mut in_text: HashMap<ClassId, u32> = HashMap::new();
        for mention in self.mentions {
            let What::Thing(class) = mention.what else { continue };
            let class = mention.flags.focus.unwrap_or(class);
            if !self.is_focus_class(class) || mention.flags.anaphor {
                continue;
            }
            let line = &self.page.lines[mention.line];
            let is_ours = self.is_ours(mention);
            let is_where = self.is_where(mention, class);
            let weight = match (line.region, line.role) {
                (Region::Navigation | Region::Trail, _) => 0,
                // Who knows more about everything is told on every page.
                (_, role) if self.is_seller(class) && !matches!(role, Role::Title | Role::Heading(1)) => 0,
                // "Zahnmedizin am Stadtpark": that is where it is.
                _ if is_where => 0,
                // "Restaurant & Biergarten": the first is what it is.
                (_, Role::Title | Role::Heading(1)) if self.is_further_kind(mention) => 4,
                (_, Role::Title | Role::Heading(1)) => 8,
                (_, Role::Heading(2) | Role::Keywords) => 2,
                (_, Role::Description) => 4,
                // "Bed and breakfast £25": what comes with a room.
                _ if mention.flags.board.is_some() && self.has_price(mention.line) => 0,
                _ if self.is_strapline(mention.line) && self.is_further_kind(mention) => 3,
                _ if self.is_strapline(mention.line) => 6,
                _ => {
                    let seen = in_text.entry(class).or_default();
                    *seen += 1;
                    let is_said = u32::from(self.is_said_to_be(mention) && mention.line < 12);
                    u32::from(*seen <= 3) * (1 + u32::from(mention.line < 12) + 4 * u32::from(is_ours) + 4 * is_said)
                }
            };
            *votes.entry(class).or_default() += weight;
        }
        votes.retain(|_, votes| *votes > 0);
        votes
    }

    /// "Unser Hotel": what the page is about, and not "in unserem Biergarten", which is a part of it.
    pub(crate) fn is_ours(&self, mention: &Mention) -> bool {
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        let start = self.tokens.lines[mention.line].start;
        let before = &self.tokens.all[mention.tokens.start.saturating_sub(4).max(start)..mention.tokens.start];
        let Some(ours) = before.iter().position(|token| language.has("ours", &token.lower)) else { return false };
        let lead = ours.checked_sub(1).and_then(|lead| before.get(lead));
        !lead.is_some_and(|lead| language.has("at", &lead.lower))
    }

    /// Whether another kind of thing stands before it in its line.
    pub(crate) fn is_further_kind(&self, mention: &Mention) -> bool {
        let is_kind = |other: &Mention| {
            other.span.end <= mention.span.start
                && other.name.is_none()
                && !other.flags.anaphor
                && other.class().is_some_and(|class| self.is_focus_class(class))
        };
        mention.name.is_none() && self.on(mention.line).iter().any(is_kind)
    }

    /// "Traditional Dales pub since 1742" right under the first heading.
    pub(crate) fn is_strapline(&self, line: usize) -> bool {
        let is_under = line.checked_sub(1).is_some_and(|over| self.page.lines[over].role == Role::Heading(1));
        let is_short = self.tokens.lines[line].len() <= 8;
        let is_bare = !self
            .on(line)
            .iter()
            .any(|mention| mention.literal().is_some_and(|(kind, _)| kind != crate::literals::Kind::Year));
        is_under && is_short && is_bare && self.page.lines[line].role == Role::Text
    }

    /// "am Stadtpark", "near the castle": a sight that says only where something is.
    pub(crate) fn is_where(&self, mention: &Mention, class: ClassId) -> bool {
        let is_sight = self.domain.rules.sight.is_some_and(|sight| self.domain.ontology.is_a(class, sight));
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        let start = self.tokens.lines[mention.line].start;
        let mut before =
            self.tokens.all[mention.tokens.start.saturating_sub(2).max(start)..mention.tokens.start].iter();
        is_sight
            && mention.name.is_none()
            && before.any(|token| {
                language.has("at", &token.lower)
                    || language.has("beside", &token.lower)
                    || language.has("leading", &token.lower)
            })
    }
}

/// The parts of a title, with their places.
pub(crate) fn segments(title: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let bytes = title.as_bytes();
    for (place, sign) in title.char_indices() {
        let spaced = place > 0 && bytes[place - 1] == b' ' && bytes.get(place + sign.len_utf8()) == Some(&b' ');
        let parts_here = matches!(sign, '|' | '·' | '•' | '»' | ':' | '(')
            || (matches!(sign, '-' | '–' | '—') && spaced)
            || sign == ',' && !title[place + 1..].trim_start().starts_with(char::is_lowercase);
        if parts_here {
            parts.push((start, &title[start..place]));
            start = place + sign.len_utf8();
        }
    }
    parts.push((start, &title[start..]));
    parts
}
