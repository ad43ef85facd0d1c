//! What the thing of a page is called: the places where pages say it vote for its name.
//!
//! No place can be trusted alone: titles say "Home", headings greet, addresses are those of owners. What two of them say that
//! have nothing to do with each other is hardly wrong.

use crate::focus::{Candidate, Chooser, segments};
use crate::layout::{Line, Region, Role};
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::names::{clean, key};
use crate::tokens::Token;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where the names of things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The title of the page.
    Title,
    /// The first heading, or whatever stands out at the top.
    Head,
    /// The picture at the top.
    Logo,
    /// The first line of the page.
    Brand,
    /// "Welcome to The Pound"
    Greeting,
    /// What stands before street and postcode.
    Contact,
    /// Whose the page is.
    Rights,
    /// Its address, or that of its mail.
    Host,
    /// The text, again and again.
    Text,
}

impl Place {
    fn weight(self) -> u32 {
        match self {
            Self::Head | Self::Host => 4,
            Self::Title | Self::Logo | Self::Brand | Self::Contact | Self::Rights => 3,
            Self::Greeting => 2,
            Self::Text => 1,
        }
    }

    /// Whether it names what the page is about, and never whose it is.
    fn is_own(self) -> bool {
        matches!(self, Self::Head | Self::Greeting | Self::Contact)
    }

    /// Whether it names the page itself, and not whoever it belongs to.
    fn is_top(self) -> bool {
        matches!(self, Self::Title | Self::Head | Self::Logo | Self::Brand | Self::Greeting)
    }
}

/// A piece of the page that may hold the name.
struct Vote {
    place: Place,
    line: usize,
    span: Range<usize>,
    /// Its words, with a blank before and behind.
    words: String,
}

/// The top of a page: so many lines.
const TOP: usize = 8;
/// A name that the text says so often is no chance.
const OFTEN: usize = 3;
/// The longest page that is about one thing, in lines.
pub(crate) const LINES: usize = 2000;
/// So many pieces vote; the rest of a very long page does not.
const VOTES: usize = 64;
/// What one place alone is worth.
const ALONE: u32 = 2;
/// So many sections with a number or an address of their own are a list.
const ENTRIES: usize = 3;
/// Lines of the longest address.
const BLOCK: usize = 5;
/// Words of the longest name.
const LONGEST: usize = 7;

impl Chooser<'_> {
    /// Things with names, by the places where they stand.
    pub(crate) fn named(&self) -> BTreeMap<String, Candidate> {
        let mut candidates: BTreeMap<String, Candidate> = BTreeMap::new();
        for mention in self.mentions {
            let (What::Thing(class), Some(name)) = (&mention.what, &mention.name) else { continue };
            if !self.is_focus_class(*class) {
                continue;
            }
            let line = &self.page.lines[mention.line];
            let (score, in_head) = match (line.region, line.role) {
                (Region::Navigation | Region::Trail, _) => (0, false),
                (_, Role::Title) => (5, true),
                (_, Role::Heading(1)) => (6, true),
                (_, Role::Heading(2) | Role::Description) => (2, false),
                _ => (1, false),
            };
            let score = if mention.line == 0 || score < 5 || !self.is_second(mention) { score } else { score - 2 };
            let entry = candidates.entry(key(name)).or_insert_with(|| Candidate {
                name: name.clone(),
                span: mention.span.clone(),
                class: None,
                score: 0,
                in_head: false,
            });
            entry.score += score + 4 * u32::from(score >= 5 && self.is_host(&key(name)));
            // A name as the heading writes it.
            if matches!(line.role, Role::Heading(1)) && mention.span.start <= line.span.start + 4 {
                (entry.name, entry.span) = (name.clone(), mention.span.clone());
            }
            entry.in_head |= in_head;
            if !mention.flags.anaphor {
                entry.class.get_or_insert(*class);
            }
        }
        candidates
    }

    /// Adds the names that at least two places agree on, and counts for all what each place says.
    pub(crate) fn ballot(&self, candidates: &mut BTreeMap<String, Candidate>) {
        // A page of this length is no page about one thing.
        if self.page.lines.len() > LINES || self.lists() {
            return;
        }
        let votes = self.cast();
        let text = self.words_of_text();
        for vote in votes.iter().filter(|vote| vote.place.is_top() || vote.place == Place::Contact) {
            for (name, span) in self.pieces(vote) {
                let own = key(&name);
                let places = self.places(&own, &votes, &text);
                let vouched = u8::try_from(places.len().saturating_sub(1)).unwrap_or(2);
                let is_known = candidates.contains_key(&own) || own.is_empty();
                // Newspapers have a first line and an address, too.
                let is_top = places.iter().any(|place| place.is_top() && *place != Place::Brand)
                    || places.contains(&Place::Host) && places.contains(&Place::Contact);
                if is_known || places.len() < 2 || !is_top || !self.is_bare_name(vote.line, &span, vouched.min(2)) {
                    continue;
                }
                candidates.insert(own, Candidate { name, span, class: None, score: 0, in_head: true });
            }
        }
        let said: Vec<_> = candidates.keys().map(|own| self.places(own, &votes, &text)).collect();
        let has_own = said.iter().any(|places| places.len() >= 2 && places.iter().any(|place| place.is_own()));
        let has_address = |(candidate, places): (&Candidate, &Vec<Place>)| {
            candidate.class.is_some() && places.contains(&Place::Contact)
        };
        let is_addressed = candidates.values().zip(&said).any(has_address);
        for (candidate, places) in candidates.values_mut().zip(said) {
            // Greeted is the region, too; whoever has the address and says what it is, is it.
            let is_greeted = places.contains(&Place::Greeting)
                && places.iter().all(|place| matches!(place, Place::Greeting | Place::Host | Place::Text));
            if is_greeted && is_addressed && candidate.class.is_none() {
                candidate.score = candidate.score.min(ALONE);
                continue;
            }
            let is_own = places.iter().any(|place| place.is_own() || *place == Place::Text);
            if has_own && !is_own && candidate.class.is_none() && !places.is_empty() {
                // A portal, or whoever else the page belongs to.
                candidate.score = candidate.score.min(ALONE);
            } else if places.len() >= 2 {
                candidate.score += places.iter().map(|place| place.weight()).sum::<u32>();
                candidate.in_head |= places.iter().any(|place| place.is_top() || *place == Place::Contact);
            } else if places.iter().any(|place| *place != Place::Text) {
                candidate.score += ALONE;
            }
        }
    }

    /// Whether the page is about several things: its title says so, its rows have days, its sections are all alike.
    pub(crate) fn lists(&self) -> bool {
        let is_entry = |heading: &usize| {
            let is_reached = |one: &Mention| one.is_literal(Kind::Phone) || one.is_literal(Kind::Postcode);
            self.is_bare_name(*heading, &self.page.lines[*heading].span.clone(), 1)
                && self.section(*heading).any(|line| of_lines(self.mentions, line..line + 1).iter().any(is_reached))
        };
        let entries = |level: u8| self.valued_headings(level).iter().filter(|heading| is_entry(heading)).count();
        let is_several = self.differing(Kind::Phone) >= ENTRIES || self.differing(Kind::Postcode) >= 2;
        is_several && self.openers(None, None).len() >= 2
            || self.is_list_page()
            || (2..=4).any(|level| entries(level) >= ENTRIES)
            || self.row_openers(&mut Vec::new())
    }

    /// How many values of a kind differ.
    fn differing(&self, kind: Kind) -> usize {
        let own = self.mentions.iter().filter(|one| one.is_literal(kind)).filter_map(Mention::literal);
        own.map(|(_, value)| value).collect::<BTreeSet<_>>().len()
    }

    /// All pieces that may hold the name.
    fn cast(&self) -> Vec<Vote> {
        let mut votes = Vec::new();
        let mut has_head = self.page.lines.iter().any(|line| line.role == Role::Heading(1) && is_read(line));
        let is_body = |line: &Line| matches!(line.role, Role::Text | Role::Item);
        let first = self.page.lines.iter().position(is_body).filter(|first| *first < TOP / 2);
        for (place, line) in self.page.lines.iter().enumerate().filter(|(_, line)| !line.span.is_empty()) {
            let mut cast = |kind: Place, span: Range<usize>| {
                let words = format!(" {} ", key(&self.page.text[span.clone()]));
                votes.push(Vote { place: kind, line: place, span, words });
            };
            match line.role {
                Role::Title => cast(Place::Title, line.span.clone()),
                Role::Heading(1) if is_read(line) => cast(Place::Head, line.span.clone()),
                Role::Image if place < TOP => cast(Place::Logo, line.span.clone()),
                Role::Text | Role::Item if line.is_brand => cast(Place::Logo, line.span.clone()),
                Role::Text | Role::Heading(2..=6) if !has_head && place < TOP && is_read(line) && stands_out(line) => {
                    has_head = true;
                    cast(Place::Head, line.span.clone());
                }
                _ => {}
            }
            if first == Some(place) && self.tokens.lines[place].len() <= LONGEST {
                cast(Place::Brand, line.span.clone());
            }
            if let Some(from) = self.greeted(place).filter(|_| place < 2 * TOP) {
                cast(Place::Greeting, from..line.span.end);
            }
            let text = self.page.line(line);
            if text.contains('©') || text.to_lowercase().contains("copyright") {
                cast(Place::Rights, line.span.clone());
            }
            if let Some((owner, span)) = self.addressed(place) {
                let words = format!(" {} ", key(&self.page.text[span.clone()]));
                votes.push(Vote { place: Place::Contact, line: owner, span, words });
            }
        }
        votes.truncate(VOTES);
        votes
    }

    /// What stands before street or postcode: in the line, or over it.
    fn addressed(&self, line: usize) -> Option<(usize, Range<usize>)> {
        let layout = &self.page.lines[line];
        let is_part = |line: usize| {
            move |kind: Kind| of_lines(self.mentions, line..line + 1).iter().find(|one| one.is_literal(kind))
        };
        let first =
            [Kind::Street, Kind::Postcode].into_iter().filter_map(is_part(line)).map(|one| one.span.start).min()?;
        let before = layout.span.start..first;
        let has_words =
            |span: &Range<usize>| self.page.text[span.clone()].chars().filter(|one| one.is_alphabetic()).count() > 3;
        if has_words(&before) {
            return Some((line, before));
        }
        // "Harrowby Court / Much Harrowby / Shropshire / SY7 9ZZ": the first line of the block.
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_idle = |over: usize| {
            let words = &self.tokens.all[self.tokens.lines[over].clone()];
            words
                .iter()
                .all(|token| !token.lower.contains(char::is_alphabetic) || language.headings.contains(&*token.lower))
        };
        let is_block = |over: &usize| self.page.lines[*over].paragraph == layout.paragraph && !is_idle(*over);
        let top = (line.saturating_sub(BLOCK)..line).rev().take_while(is_block).last();
        let over = top.or_else(|| line.checked_sub(1))?;
        let span = self.page.lines[over].span.clone();
        // A house may be called like a street: "Harrowby Court".
        let has_digit = self.page.text[span.clone()].contains(|letter: char| letter.is_ascii_digit());
        let has_own = has_digit && [Kind::Street, Kind::Postcode].into_iter().any(|kind| is_part(over)(kind).is_some());
        (!has_own && has_words(&span) && self.tokens.lines[over].len() <= 2 * LONGEST).then_some((over, span))
    }

    /// Where the name begins behind a greeting at the beginning of a line.
    fn greeted(&self, line: usize) -> Option<usize> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
        let greets = tokens.iter().take(3).position(|token| language.greetings.contains(&*token.lower))?;
        let rest = &tokens[greets + 1..];
        let small = rest.iter().take(3).take_while(|token| language.is_small(&token.lower)).count();
        let name = rest.get(small).filter(|name| small > 0 && name.is_capital)?;
        Some(name.span.start)
    }

    /// The names that a piece may hold: what its signs part, without the words that lead to it.
    fn pieces(&self, vote: &Vote) -> Vec<(String, Range<usize>)> {
        let text = &self.page.text[vote.span.clone()];
        let mut pieces = Vec::new();
        for (start, piece) in segments(text) {
            let from = vote.span.start + start;
            let led = self.led(vote.line, from, piece).unwrap_or(from);
            let rest = piece[led - from..].trim_end_matches(['.', '!', '?', ' ']);
            let name = clean(rest);
            let at = led + rest.find(name.as_str()).unwrap_or(0);
            if !name.is_empty() && name.split(' ').count() <= LONGEST {
                let end = at + name.len();
                pieces.push((name, at..end));
            }
            pieces.extend(self.tail(vote.line, from..from + piece.len()));
        }
        pieces
    }

    /// What stands behind the last small word: "Rooms and rates at The Castlegate", "Grüß Gott beim Eichenwirt!"
    fn tail(&self, line: usize, span: Range<usize>) -> Option<(String, Range<usize>)> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let tokens = &self.tokens.all[self.tokens.within(line, &span)];
        let is_link = |token: &Token| {
            !token.is_capital && (language.has("at", &token.lower) || language.has("calling", &token.lower))
        };
        let link = tokens.iter().rposition(is_link).filter(|link| *link > 0)?;
        let has_kind = self.mentions.iter().any(|one| {
            one.line == line
                && span.contains(&one.span.start)
                && one.span.start < tokens[link].span.start
                && one.class().is_some_and(|class| self.is_focus_class(class))
        });
        let name = tokens[link + 1..].iter().filter(|_| !has_kind).find(|token| token.is_capital)?;
        let text = self.page.text[name.span.start..span.end].trim_end_matches(['.', '!', '?', ' ']);
        let name_span = name.span.start..name.span.start + text.len();
        Some((clean(text), name_span)).filter(|(name, _)| name.split(' ').count() <= LONGEST)
    }

    /// The places that say a name, each once.
    fn places(&self, own: &str, votes: &[Vote], text: &str) -> Vec<Place> {
        let wanted = format!(" {own} ");
        let happens = self.is_dated_top();
        // A heading that greets says it once.
        let mut said: BTreeMap<usize, Place> = BTreeMap::new();
        // "A house full of stories" does not say that something is called House.
        let is_name = |vote: &Vote| {
            let mut tokens = self.tokens.all[self.tokens.within(vote.line, &vote.span)].iter();
            own.contains(' ') || tokens.any(|token| token.is_capital && &*token.lower == own) || own.contains('-')
        };
        for vote in votes.iter().filter(|vote| vote.words.contains(&wanted) && is_name(vote)) {
            // "Willkommen im Steinwald"
            let is_where = vote.place.is_top() && self.is_where_only(vote, &wanted);
            let own = if is_where { Place::Greeting } else { vote.place };
            let place = said.entry(vote.line).or_insert(own);
            if own.weight() > place.weight() {
                *place = own;
            }
        }
        let mut places: Vec<_> = said.into_values().collect();
        if self.page.site.as_deref().is_some_and(|site| key(site) == own) {
            places.push(Place::Logo);
        }
        if self.is_host(own) || self.is_mail_host(own) {
            places.push(Place::Host);
        }
        if text.matches(&wanted).count() >= OFTEN {
            places.push(Place::Text);
        }
        // What happens is neither at its address nor called like its host: that is where it is.
        places.retain(|place| !happens || place.is_top() && *place != Place::Brand);
        places.sort();
        places.dedup();
        places
    }

    /// Whether a piece has a name only behind "in" or "im".
    fn is_where_only(&self, vote: &Vote, wanted: &str) -> bool {
        let language = self.languages.of(self.tokens.tongues[vote.line]);
        let mut starts = vote.words.match_indices(wanted).map(|(start, _)| &vote.words[..start]);
        starts.all(|before| before.split(' ').rev().take(2).any(|word| language.has("at", word)))
    }

    fn words_of_text(&self) -> String {
        let mut text = String::from(" ");
        for line in self.page.lines.iter().filter(|line| is_read(line) && line.role != Role::Title) {
            text.push_str(&key(self.page.line(line)));
            text.push_str("  ");
        }
        text
    }

    /// Whether a day stands right under the first heading.
    fn is_dated_top(&self) -> bool {
        let head = self.page.lines.iter().position(|line| line.role == Role::Heading(1) && is_read(line));
        self.has_date_near(head.unwrap_or(1))
    }
}

fn is_read(line: &Line) -> bool {
    !matches!(line.region, Region::Navigation | Region::Trail | Region::Footer)
}

fn stands_out(line: &Line) -> bool {
    line.is_strong || matches!(line.role, Role::Heading(_))
}
