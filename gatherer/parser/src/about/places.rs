//! Where names stand on a page, and what stands around them there.

use super::names::{LONGEST, Name};
use super::sentences::is_quote;
use super::weights::Sign;
use crate::focus::{Chooser, segments};
use crate::layout::{Line, Region, Role};
use crate::literals::Kind;
use crate::mentions::of_lines;
use crate::names::key;
use crate::staged::is_day;
use crate::tokens::{Kind as Piece, Token};
use memchr::memmem;
use std::ops::Range;

/// Lines of text in which a page says what it is.
const EARLY: usize = 6;
/// Lines of the longest address.
const BLOCK: usize = 5;
/// A name is looked for in so many places.
const PLACES: usize = 12;

/// What a line is that is no running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Title,
    Head,
    Sub,
    Minor,
    Strong,
    Logo,
    Picture,
    Brand,
    Greeting,
    /// "Willkommen im Steinwald"
    Region,
    Contact,
    Rights,
    Menu,
    Trail,
    Footer,
    Description,
    Keywords,
}

impl Place {
    /// The signs for all of it, for one of its pieces, and for a part.
    fn signs(self) -> [Sign; 3] {
        use Sign as S;
        match self {
            Self::Title => [S::TitleWhole, S::TitlePiece, S::TitlePart],
            Self::Head => [S::HeadWhole, S::HeadPiece, S::HeadPart],
            Self::Sub => [S::SubWhole, S::SubPiece, S::SubPart],
            Self::Minor => [S::MinorWhole, S::MinorPart, S::MinorPart],
            Self::Strong => [S::StrongWhole, S::StrongPart, S::StrongPart],
            Self::Logo => [S::LogoWhole, S::LogoWhole, S::LogoPart],
            Self::Picture => [S::PictureWhole, S::PicturePart, S::PicturePart],
            Self::Brand => [S::BrandWhole, S::BrandPart, S::BrandPart],
            Self::Greeting => [S::GreetingWhole, S::GreetingWhole, S::GreetingPart],
            Self::Region => [S::RegionGreeted; 3],
            Self::Contact => [S::ContactWhole, S::ContactWhole, S::ContactPart],
            Self::Rights => [S::RightsPiece, S::RightsPiece, S::RightsPart],
            Self::Menu => [S::MenuWhole, S::MenuPart, S::MenuPart],
            Self::Trail => [S::TrailWhole, S::TrailWhole, S::MenuPart],
            Self::Footer => [S::FooterPart; 3],
            Self::Description => [S::DescriptionPart; 3],
            Self::Keywords => [S::KeywordsPart; 3],
        }
    }

    /// Whether what stands there is offered as a name.
    pub(super) fn holds_names(self) -> bool {
        !matches!(self, Self::Menu | Self::Trail | Self::Description | Self::Keywords)
    }

    /// Whether things that happen are announced there.
    fn announces(self) -> bool {
        matches!(self, Self::Title | Self::Head | Self::Sub | Self::Minor | Self::Strong | Self::Logo)
    }
}

/// A line that is no running text, or a piece of one.
pub(super) struct Spot {
    place: Place,
    line: usize,
    /// Its words, with a blank before and behind.
    words: String,
    /// What its signs part.
    pieces: Vec<String>,
}

impl Spot {
    pub(super) fn new(place: Place, line: usize, text: &str) -> Self {
        let pieces = segments(text).into_iter().map(|(_, piece)| key(piece)).collect();
        Self { place, line, words: format!(" {} ", key(text)), pieces }
    }

    /// How a name stands in it.
    fn sign(&self, own: &str, wanted: &str) -> Sign {
        let [whole, piece, part] = self.place.signs();
        match () {
            () if self.words == wanted => whole,
            () if self.pieces.iter().any(|one| one == own) => piece,
            () => part,
        }
    }
}

/// What is asked for every name, made once.
pub(super) struct Ground {
    pub(super) spots: Vec<Spot>,
    /// All that is read of the page, as the keys of its lines.
    pub(super) text: String,
    /// The keys of the first lines of its text.
    early: Vec<String>,
    /// What it is called in JSON-LD.
    marked: Vec<String>,
}

impl Chooser<'_> {
    pub(super) fn ground(&self, spots: Vec<Spot>) -> Ground {
        let is_read = |line: &&Line| {
            !matches!(line.region, Region::Navigation | Region::Trail | Region::Footer) && line.role != Role::Title
        };
        let mut text = String::from(" ");
        for line in self.page.lines.iter().filter(is_read) {
            text.push_str(&key(self.page.line(line)));
            text.push_str("  ");
        }
        let early = self.page.lines.iter().filter(|line| line.role == Role::Text && line.region == Region::Main);
        let early = early.take(EARLY).map(|line| format!(" {} ", key(self.page.line(line)))).collect();
        let marked = self.marked().iter().map(|(name, _)| key(name)).collect();
        Ground { spots, text, early, marked }
    }

    /// Where a name stands.
    pub(super) fn place_signs(&self, name: &mut Name, ground: &Ground) {
        let wanted = format!(" {} ", name.key);
        let (mut said, mut at) = (0, 0);
        let finder = memmem::Finder::new(wanted.as_bytes());
        for spot in ground.spots.iter().filter(|spot| finder.find(spot.words.as_bytes()).is_some()) {
            if !self.is_written(&name.key, spot.line) {
                continue;
            }
            name.signs.push(spot.sign(&name.key, &wanted));
            let is_first = spot.pieces.len() > 1 && spot.pieces.first() == Some(&name.key);
            name.put(spot.place == Place::Title && is_first, Sign::TitleFirst);
            name.put(spot.place.announces() && self.has_day_near(spot.line), Sign::OverDay);
            let language = self.languages.of(self.tokens.tongues[spot.line]);
            let mut before = spot.words.match_indices(&wanted).map(|(start, _)| &spot.words[..start]);
            let is_at = before.all(|words| words.split(' ').rev().take(2).any(|word| language.has("at", word)));
            said += 1;
            at += usize::from(is_at);
        }
        name.put(said > 0 && at == said, Sign::OnlyWhere);
        name.put(at > 0 && at < said, Sign::OftenWhere);
        name.signs.extend(match memmem::find_iter(ground.text.as_bytes(), wanted.as_bytes()).take(6).count() {
            0 => None,
            1 => Some(Sign::TextOnce),
            2 => Some(Sign::TextTwice),
            3..=5 => Some(Sign::TextOften),
            _ => Some(Sign::TextMany),
        });
        self.address_signs(name, &ground.marked);
        let mut early = ground.early.iter();
        name.signs.extend(early.position(|line| line.contains(&wanted)).map(|number| match number {
            0 => Sign::FirstText,
            _ => Sign::EarlyText,
        }));
    }

    /// Whether the page's address, or what it says of itself for programs, is called so.
    fn address_signs(&self, name: &mut Name, marked: &[String]) {
        let host = self.url.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host);
        let host = host.rsplit_once('.').map_or(host, |(name, _)| name);
        let letters = |text: &str| text.chars().filter(|one| one.is_alphanumeric()).count();
        let is_host = self.is_host(&name.key);
        let is_all = letters(host) <= letters(&name.key) + 4;
        name.put(is_host && is_all, Sign::HostAll);
        name.put(is_host && !is_all, Sign::HostPart);
        name.put(self.is_mail_host(&name.key), Sign::MailHost);
        name.put(self.page.site.as_deref().is_some_and(|site| key(site) == name.key), Sign::SiteName);
        name.put(marked.contains(&name.key), Sign::Marked);
    }

    /// "A house full of stories" does not say that something is called House.
    fn is_written(&self, own: &str, line: usize) -> bool {
        let mut tokens = self.tokens.all[self.tokens.lines[line].clone()].iter();
        own.contains([' ', '-']) || tokens.any(|token| token.is_capital && &*token.lower == own)
    }

    fn has_day_near(&self, line: usize) -> bool {
        of_lines(self.mentions, line.saturating_sub(2)..line + 4).iter().any(is_day)
    }

    /// What stands before a name in sentences.
    pub(super) fn around(&self, name: &mut Name) {
        let starts = memmem::find_iter(self.page.text.as_bytes(), name.text.as_bytes()).take(PLACES);
        let starts: Vec<_> = starts.collect();
        for start in starts {
            let end = start + name.text.len();
            let first = self.tokens.all.partition_point(|token| token.span.start < start);
            let last = self.tokens.all.partition_point(|token| token.span.end <= end);
            let token = self.tokens.all.get(first).filter(|token| token.span.start == start && last > first);
            let Some(token) = token else { continue };
            name.places.push(first..last);
            let line = token.line as usize;
            name.put(line < 3, Sign::FirstLines);
            let role = self.page.lines[line].role;
            if !matches!(role, Role::Text | Role::Item | Role::Definition | Role::Description) {
                continue;
            }
            let before = (self.tokens.lines[line].start..first).rev().map(|at| &self.tokens.all[at]);
            let before = before.into_iter().find(|token| !is_quote(&token.lower));
            name.put(before.is_none_or(|before| before.sentence != token.sentence), Sign::SentenceStart);
            name.signs.extend(before.and_then(|before| self.sign_before(line, before)));
        }
    }

    fn sign_before(&self, line: usize, before: &Token) -> Option<Sign> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let lists = [
            ("articles", Sign::ArticleBefore),
            ("naming", Sign::NamingBefore),
            ("performing", Sign::ByBefore),
            ("ours", Sign::OursBefore),
            ("at", Sign::WhereBefore),
            ("beside", Sign::WhereBefore),
            ("calling", Sign::CallBefore),
        ];
        let listed = lists.iter().find(|(list, _)| language.has(list, &before.lower)).map(|(_, sign)| *sign);
        listed.or_else(|| (&*before.lower == ":").then_some(Sign::LabelBefore))
    }

    /// How names stand to each other.
    pub(super) fn relate(&self, names: &mut [Name]) {
        let known: Vec<_> = names
            .iter()
            .map(|name| (format!(" {} ", name.key), name.kind.is_some(), self.is_host(&name.key)))
            .collect();
        for (number, name) in names.iter_mut().enumerate() {
            let own = &known[number].0;
            let finder = memmem::Finder::new(own.as_bytes());
            let mut put = |sign: Sign| {
                if !name.signs.contains(&sign) {
                    name.signs.push(sign);
                }
            };
            for (other, has_kind, is_host) in &known {
                if other.len() > own.len() && finder.find(other.as_bytes()).is_some() {
                    put(if *has_kind { Sign::InLongerWithKind } else { Sign::InLonger });
                } else if other.len() < own.len() && own.contains(other.as_str()) {
                    put(if *is_host { Sign::HasShorterHost } else { Sign::HasShorter });
                }
            }
        }
    }

    /// Whose the page is: what stands behind the sign, the word and the year.
    pub(super) fn holder(&self, line: usize) -> Option<Range<usize>> {
        let text = self.page.line(&self.page.lines[line]);
        let is_held = text.contains('©') || text.starts_with("(c)") || text.to_lowercase().contains("copyright");
        let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
        let sign = tokens.iter().position(|token| matches!(&*token.lower, "©" | "copyright" | "c")).unwrap_or(0);
        let is_name =
            |token: &&Token| token.kind == Piece::Word && !matches!(&*token.lower, "copyright" | "c" | "by" | "bis");
        let name = tokens[sign..].iter().find(is_name).filter(|_| is_held)?;
        Some(name.span.start..self.page.lines[line].span.end)
    }

    /// What stands before street or postcode: in the line, or over it.
    pub(super) fn addressed(&self, line: usize) -> Option<(usize, Range<usize>)> {
        let layout = &self.page.lines[line];
        let is_part = |line: usize| move |kind: Kind| self.on(line).iter().find(|one| one.is_literal(kind));
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
    pub(super) fn greeted(&self, line: usize) -> Option<usize> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
        let greets = tokens.iter().take(3).position(|token| language.greetings.contains(&*token.lower))?;
        let rest = &tokens[greets + 1..];
        let small = rest.iter().take(3).take_while(|token| language.is_small(&token.lower)).count();
        // "Moin zu den 17. Hafentagen"
        let is_counted = rest.get(small).is_some_and(|token| token.kind == crate::tokens::Kind::Number);
        let name = rest.get(small + if is_counted { 2 } else { 0 }).filter(|name| small > 0 && name.is_capital)?;
        Some(name.span.start)
    }

    /// What stands behind the last small word: "Rooms and rates at The Castlegate", "Grüß Gott beim Eichenwirt!"
    pub(super) fn tail(&self, line: usize, span: Range<usize>) -> Option<Range<usize>> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let tokens = &self.tokens.all[self.tokens.within(line, &span)];
        let is_link = |token: &Token| {
            !token.is_capital && (language.has("at", &token.lower) || language.has("calling", &token.lower))
        };
        let link = tokens.iter().rposition(is_link).filter(|link| *link > 0)?;
        let has_kind = self.on(line).iter().any(|one| {
            span.contains(&one.span.start)
                && one.span.start < tokens[link].span.start
                && one.class().is_some_and(|class| self.is_focus_class(class))
        });
        let name = tokens[link + 1..].iter().filter(|_| !has_kind).find(|token| token.is_capital)?;
        let text = self.page.text[name.span.start..span.end].trim_end_matches(['.', '!', '?', ' ']);
        (text.split(' ').count() <= LONGEST).then_some(name.span.start..name.span.start + text.len())
    }
}
