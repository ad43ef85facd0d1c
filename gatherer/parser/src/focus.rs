//! What a page is about: one thing, several (a listing), or nothing that the domain knows.

use crate::domain::Domain;
use crate::language::Languages;
use crate::layout::{Page, Region, Role};
use crate::mentions::{Mention, What, of_lines};
use crate::names::{clean, key};
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
}

pub(crate) struct Chooser<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) mentions: &'a [Mention],
    pub(crate) languages: &'a Languages,
    pub(crate) url: &'a str,
}

/// A name that may be that of the page's thing.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) class: Option<ClassId>,
    pub(crate) score: u32,
    pub(crate) in_head: bool,
}

/// A line with which something else begins.
#[derive(Debug)]
pub(crate) struct Opener {
    pub(crate) line: usize,
    pub(crate) focus: Focus,
    pub(crate) level: u8,
}

pub(crate) const STRONG: u8 = 7;
pub(crate) const ITEM: u8 = 8;

impl Chooser<'_> {
    pub(crate) fn choose(&self) -> Outline {
        let mut outline = Outline { of_line: vec![None; self.page.lines.len()], ..Outline::default() };
        if self.is_foreign() {
            return outline;
        }
        let votes = self.votes();
        let best = votes.iter().max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class)));
        let best_class = best.filter(|(_, votes)| **votes >= 6).map(|(class, _)| *class);
        let happening = self.occasion(&votes).or_else(|| self.staged(&votes));
        let main = happening.filter(|_| !self.is_calendar_page()).map(|focus| (focus, true)).or_else(|| {
            let (mut focus, in_head) = self.main(best_class)?;
            focus.class = self.agreed(focus.class);
            Some((focus, in_head))
        });
        let main = main.or_else(|| self.announced());
        let openers = self.openers(main.as_ref(), best_class);
        let is_agency = main
            .as_ref()
            .is_some_and(|(focus, _)| self.is_agency(focus, &openers) || self.lists_others(focus, best_class));
        let mut openers = if is_agency { self.openers(None, best_class) } else { openers };
        if openers.len() > 2 && self.is_calendar_page() {
            openers.iter_mut().for_each(|opener| {
                opener.focus.class = self.happening(opener.line, opener.focus.class).unwrap_or(opener.focus.class);
            });
        }
        let main = match main {
            // Several names and none of them in title or heading: a listing has no thing of its own.
            _ if is_agency => None,
            Some((focus, in_head)) if in_head || openers.len() < 2 => Some(focus),
            Some(_) => None,
            None if openers.len() >= 2 => None,
            None => self.unnamed(&votes).or_else(|| self.unnamed_by_evidence()),
        };
        if let Some(focus) = main.map(|focus| self.shown(focus)) {
            outline.focuses.push(focus);
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

    /// Whether title or first heading say that the page is about another domain.
    fn is_foreign(&self) -> bool {
        let foreign = |line: usize| {
            let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
            tokens.iter().any(|token| {
                self.domain.rules.foreign.contains(&*token.lower)
                    || token.lower.split('-').any(|part| part.len() > 3 && self.domain.rules.foreign.contains(part))
            })
        };
        // "Schule wie zu Kaisers Zeiten": what asks for admission is a museum for all that.
        (self.heads().any(foreign) || self.speaks_foreign()) && self.visited().is_none()
    }

    /// Words in the text that only pages of other domains have: two of them are enough.
    fn speaks_foreign(&self) -> bool {
        let words = &self.domain.rules.foreign_text;
        let found = self.tokens.all.iter().filter(|token| words.contains(&*token.lower)).map(|token| &*token.lower);
        found.collect::<std::collections::HashSet<_>>().len() >= 2
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
    fn is_ours(&self, mention: &Mention) -> bool {
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        let start = self.tokens.lines[mention.line].start;
        let before = &self.tokens.all[mention.tokens.start.saturating_sub(4).max(start)..mention.tokens.start];
        let Some(ours) = before.iter().position(|token| language.has("ours", &token.lower)) else { return false };
        let lead = ours.checked_sub(1).and_then(|lead| before.get(lead));
        !lead.is_some_and(|lead| language.has("at", &lead.lower))
    }

    /// Whether another kind of thing stands before it in its line.
    fn is_further_kind(&self, mention: &Mention) -> bool {
        let is_kind = |other: &Mention| {
            other.span.end <= mention.span.start
                && other.name.is_none()
                && !other.flags.anaphor
                && other.class().is_some_and(|class| self.is_focus_class(class))
        };
        mention.name.is_none() && of_lines(self.mentions, mention.line..mention.line + 1).iter().any(is_kind)
    }

    /// "Traditional Dales pub since 1742" right under the first heading.
    fn is_strapline(&self, line: usize) -> bool {
        let is_under = line.checked_sub(1).is_some_and(|over| self.page.lines[over].role == Role::Heading(1));
        let is_short = self.tokens.lines[line].len() <= 8;
        let is_bare = !self.mentions.iter().any(|mention| {
            mention.line == line && mention.literal().is_some_and(|(kind, _)| kind != crate::literals::Kind::Year)
        });
        is_under && is_short && is_bare && self.page.lines[line].role == Role::Text
    }

    /// "am Stadtpark", "near the castle": a sight that says only where something is.
    fn is_where(&self, mention: &Mention, class: ClassId) -> bool {
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

    /// The thing whose name stands where the names of pages stand, and whether that is title or first heading.
    fn main(&self, best_class: Option<ClassId>) -> Option<(Focus, bool)> {
        let mut candidates = self.named();
        self.headless(&mut candidates);
        self.marked(&mut candidates);
        self.ballot(&mut candidates);
        self.sold_there(&mut candidates, best_class);
        if candidates.values().all(|candidate| candidate.score < 5) {
            self.spoken(&mut candidates);
        }
        let best = candidates.iter().max_by_key(|(key, candidate)| (candidate.score, std::cmp::Reverse(key.len())))?;
        let full = fuller(best, &candidates).cloned().unwrap_or_else(|| best.0.clone());
        let in_head = best.1.in_head;
        let (key, mut best) = candidates.remove_entry(&full)?;
        best.in_head |= in_head;
        // What happens has its day and hour at the top of the page.
        let is_event = |class: ClassId| self.event_base().is_some_and(|base| self.domain.ontology.is_a(class, base));
        let best_class = best_class.filter(|class| !is_event(*class) || self.when().is_some());
        let best_class = best_class.map(|class| self.fitting(class));
        // A name that the address of the page vouches for needs less to be believed.
        let likely = || {
            let is_said = |mention: &&Mention| {
                mention.line < 12 && mention.name.is_none() && !mention.flags.anaphor && self.is_said_to_be(mention)
            };
            let said = self.mentions.iter().filter(|_| best.score >= 5).filter(is_said).find_map(Mention::class);
            said.filter(|class| self.is_focus_class(*class))
        };
        let longer = || self.longer_named(&key).filter(|_| best.score >= 4);
        let by_evidence = || self.by_evidence().filter(|_| best.score >= 3);
        let weakly = || self.weakly().filter(|_| best.score >= 8);
        let class = best.class.or(best_class).or_else(likely).or_else(longer).or_else(by_evidence).or_else(weakly)?;
        (best.score >= 3).then_some((Focus { class, name: Some((best.name, best.span)), key }, best.in_head))
    }

    /// What "The Castlegate" is, if it is called "The Castlegate Hotel" elsewhere.
    fn longer_named(&self, own: &str) -> Option<ClassId> {
        let begins = format!("{own} ");
        let named = self.mentions.iter().filter(|mention| mention.class().is_some_and(|one| self.is_focus_class(one)));
        let mut named = named.filter(|mention| !mention.flags.anaphor);
        let is_longer = |mention: &&Mention| mention.name.as_deref().is_some_and(|name| key(name).starts_with(&begins));
        named.find(is_longer).and_then(Mention::class)
    }

    /// What the page says of itself in JSON-LD, if the name also stands where people read.
    fn marked(&self, candidates: &mut BTreeMap<String, Candidate>) {
        for text in &self.page.data {
            let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { continue };
            let (Some(name), Some(kind)) =
                (value.get("name").and_then(|name| name.as_str()), value.get("@type").and_then(|kind| kind.as_str()))
            else {
                continue;
            };
            let iri = format!("https://schema.org/{kind}");
            let ontology = &self.domain.ontology;
            let class = ontology.classes().find(|class| {
                ontology.class_at(*class).is_focus()
                    && ontology.class_links(*class).contains(&iri.as_str())
                    && ontology
                        .class_at(*class)
                        .parents()
                        .iter()
                        .all(|parent| !ontology.class_links(*parent).contains(&iri.as_str()))
            });
            let Some(start) = self.page.text.find(name) else { continue };
            let entry = candidates.entry(key(name)).or_insert_with(|| Candidate {
                name: name.to_owned(),
                span: start..start + name.len(),
                class: None,
                score: 0,
                in_head: false,
            });
            entry.score += 8;
            entry.in_head = true;
            if entry.class.is_none() {
                entry.class = class;
            }
        }
    }

    /// Whether another focus name stands before it in its line: "Konzert im Schloss X".
    pub(crate) fn is_second(&self, mention: &Mention) -> bool {
        self.mentions.iter().any(|other| {
            other.line == mention.line
                && other.span.start < mention.span.start
                && other.name.is_some()
                && matches!(other.what, What::Thing(_))
        })
    }

    /// Headings that are names without a word that says of what.
    fn headless(&self, candidates: &mut BTreeMap<String, Candidate>) {
        let title = self.page.lines.iter().find(|line| line.role == Role::Title).map(|line| self.page.line(line));
        let first = title.and_then(|title| segments(title).first().map(|(_, piece)| key(&clean(piece))));
        let title = title.map(key);
        for place in self.heads() {
            let line = &self.page.lines[place];
            let named = self.mentions.iter().any(|mention| {
                mention.line == place
                    && mention.name.is_some()
                    && mention.class().is_some_and(|class| self.is_focus_class(class))
            });
            if named {
                continue;
            }
            let is_title = line.role == Role::Title;
            for (start, piece) in segments(self.page.line(line)) {
                let piece_start = start;
                let led = self.led(place, line.span.start + start, piece);
                if led.is_some_and(|led| self.is_region_greeted(place, line.span.start + start..led)) {
                    continue;
                }
                let start = led.map_or(start, |led| led - line.span.start);
                let piece = &piece[start - piece_start..];
                let name = clean(piece);
                let offset = line.span.start + start + piece.find(name.as_str()).unwrap_or(0);
                let span = offset..offset + name.len();
                let name_key = key(&name);
                let in_title = title
                    .as_ref()
                    .is_some_and(|title| !is_title && format!(" {title} ").contains(&format!(" {name_key} ")));
                let is_address = self.is_host(&name_key);
                let vouched = if is_address { 2 } else { u8::from(in_title) };
                if !self.is_bare_name(place, &span, vouched) {
                    continue;
                }
                // The first heading and the first words of the title are the same: that is what it is called.
                let is_both = !is_title && first.as_deref() == Some(&*name_key) && name_key.contains(' ');
                let score = if is_title { 2 } else { 3 + u32::from(in_title) + 5 * u32::from(is_both) };
                let score = score + 4 * u32::from(is_address);
                let entry = candidates.entry(name_key).or_insert(Candidate {
                    name,
                    span,
                    class: None,
                    score: 0,
                    in_head: false,
                });
                entry.score += score;
                entry.in_head |= !is_title || score > 2;
                break;
            }
        }
    }

    /// A thing without a name, if enough speaks for one.
    fn unnamed(&self, votes: &BTreeMap<ClassId, u32>) -> Option<Focus> {
        // Sights have names.
        let is_sight =
            |class: ClassId| self.domain.rules.sight.is_some_and(|sight| self.domain.ontology.is_a(class, sight));
        let votes = votes.iter().filter(|(class, _)| !is_sight(**class));
        let (class, votes) = votes.max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class)))?;
        let has_value = self.mentions.iter().any(|mention| {
            mention.literal().is_some_and(|(kind, _)| {
                use crate::literals::Kind as Value;
                matches!(kind, Value::Phone | Value::Money | Value::Hours | Value::Mail | Value::Postcode | Value::Date)
            })
        });
        // Courses and the like without a day are no events.
        let is_event = self.event_base().is_some_and(|base| self.domain.ontology.is_a(*class, base));
        let is_dated = self.mentions.iter().any(|mention| {
            mention.literal().is_some_and(|(kind, value)| {
                use crate::literals::Kind as Value;
                kind == Value::Date || kind == Value::Period && value.starts_with(|one: char| one.is_ascii_digit())
            })
        });
        (*votes >= 8 && has_value && (!is_event || is_dated)).then(|| Focus {
            class: *class,
            name: None,
            key: String::new(),
        })
    }
}

/// The same name with the word that says what it is: "Gasthof Zum Hirschen" for "Zum Hirschen".
fn fuller<'a>(best: (&String, &Candidate), candidates: &'a BTreeMap<String, Candidate>) -> Option<&'a String> {
    let own = format!(" {} ", best.0);
    let is_fuller =
        |(key, one): &(&String, &Candidate)| one.class.is_some() && one.score >= 3 && format!(" {key} ").contains(&own);
    let fuller = candidates.iter().filter(|_| best.1.class.is_none()).filter(is_fuller);
    fuller.max_by_key(|(_, one)| one.score).map(|(key, _)| key)
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
