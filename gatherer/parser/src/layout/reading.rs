//! From tags to lines.

use super::characters::{Characters, Decoded};
use super::elements::{
    Effect, attribute, effect, is_box, is_brand, is_contact, is_headline, is_large, is_large_style, is_mark, is_part,
    is_void, region, style,
};
use super::sheet::{Sheet, is_bold};
use super::{Block, Cell, Line, Link, Page, Region, Role, TEXT_LIMIT};
use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use std::ops::Range;

/// Deeper nesting is not remembered: what stands there is text all the same.
const DEPTH: usize = 256;
/// No more targets of references are kept for a line.
const LINKS: usize = 16;
/// No more words that stand out are kept for a page.
const MARKS: usize = 256;
/// No more pieces of lines are kept for a page.
const PARTS: usize = 2048;
/// So many ways to other pages and nothing else are a menu.
const MENU: usize = 3;

pub(super) fn read(source: &str) -> Page {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut reading = Reading::new(source);
    for token in Tokenizer::new_with_emitter(source, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => reading.open(&tag),
            Token::EndTag(tag) => reading.close(&tag),
            Token::String(text) => reading.text(&String::from_utf8_lossy(&text.value), text.span.start, text.span.end),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if reading.page.is_cut {
            break;
        }
    }
    reading.end_line();
    let end = reading.page.lines.len();
    reading.page.blocks.iter_mut().for_each(|block| block.lines.end = block.lines.end.min(end));
    reading.page.unframe();
    reading.page.unnumber();
    reading.page.set_grids();
    reading.page
}

/// An element that is open.
#[expect(clippy::struct_excessive_bools, reason = "each is what its author says of it")]
struct Open {
    name: Vec<u8>,
    effect: Effect,
    region: Option<Region>,
    block: Option<usize>,
    link: Option<(usize, String, Range<usize>)>,
    /// Whether its author calls it a headline; its first line is one.
    is_headline: bool,
    /// Or its logo.
    is_brand: bool,
    /// Whether it leads to another page.
    is_way: bool,
    /// Whether its letters are bold.
    is_bold: bool,
    /// Where its text begins.
    start: usize,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a state that the next token may end")]
struct Reading<'a> {
    page: Page,
    source: Characters<'a>,
    open: Vec<Open>,
    hidden: usize,
    /// Whether a script with JSON-LD is open.
    is_data: bool,
    sheet: Sheet,
    /// How many PRE are open: line feeds count in them.
    pre: usize,
    strong: usize,
    /// Where the line that is being read begins.
    start: usize,
    /// Whether a space has to be put before the next word.
    gap: bool,
    /// Whether a SPAN has just ended.
    after_span: bool,
    /// Whether an element began or ended since the last letter.
    is_seam: bool,
    strong_bytes: usize,
    /// How many ways to other pages are open, and how many the line has.
    ways: usize,
    way_count: usize,
    /// The letters of the line, and those that lead to other pages.
    letters: usize,
    way_letters: usize,
    strong_until: Option<usize>,
    links: Vec<Link>,
    paragraph: u32,
    tables: Vec<Cell>,
    table_count: u32,
    lists: Vec<u32>,
    list_count: u32,
}

impl<'a> Reading<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            page: Page::default(),
            source: Characters { source, byte: 0, count: 0 },
            open: Vec::new(),
            hidden: 0,
            is_data: false,
            sheet: Sheet::default(),
            pre: 0,
            strong: 0,
            start: 0,
            gap: false,
            after_span: false,
            is_seam: false,
            strong_bytes: 0,
            ways: 0,
            way_count: 0,
            letters: 0,
            way_letters: 0,
            strong_until: None,
            links: Vec::new(),
            paragraph: 0,
            tables: Vec::new(),
            table_count: 0,
            lists: Vec::new(),
            list_count: 0,
        }
    }

    fn open(&mut self, tag: &StartTag<usize>) {
        let name = tag.name.as_slice();
        let effect = match name {
            b"font" if attribute(tag, b"size").is_some_and(|size| is_large(&size)) => Effect::Strong,
            _ => effect(name),
        };
        self.before(effect);
        // Two spans side by side are parted by their style.
        if name == b"span" && self.after_span && self.page.text.len() > self.start {
            self.gap = true;
        }
        self.after_span = false;
        self.is_seam = true;
        match name {
            b"html" => self.page.language = attribute(tag, b"lang").filter(|lang| !lang.is_empty()),
            b"meta" => self.meta(tag),
            b"img" => self.image(tag),
            _ => {}
        }
        if is_void(name) || tag.self_closing || self.open.len() >= DEPTH {
            return;
        }
        let names =
            [b"class".as_slice(), b"id"].iter().filter_map(|key| attribute(tag, key)).collect::<Vec<_>>().join(" ");
        let link = match name {
            b"a" => self.target(tag).map(|(target, place)| (self.page.text.len(), target, place)),
            _ => None,
        };
        self.hidden += usize::from(effect == Effect::Hidden);
        let own_style = attribute(tag, b"style");
        let is_bold =
            effect == Effect::Strong || self.sheet.makes_bold(&names) || own_style.as_deref().is_some_and(is_bold);
        self.strong += usize::from(is_bold);
        let is_way = name == b"a" && attribute(tag, b"href").is_some_and(|target| !is_contact(&target));
        self.ways += usize::from(is_way);
        self.way_count += usize::from(is_way);
        self.pre += usize::from(name == b"pre");
        self.is_data = name == b"script"
            && attribute(tag, b"type").is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json"));
        let is_headline = is_headline(name, &names) || own_style.is_some_and(|style| is_large_style(&style));
        let block = is_box(name).then(|| self.begin_block(style(name, &attribute(tag, b"class").unwrap_or_default())));
        self.open.push(Open {
            name: name.to_vec(),
            effect,
            region: region(name, &names),
            block,
            link,
            is_headline,
            is_bold,
            is_brand: is_brand(&names),
            is_way,
            start: self.page.text.len(),
        });
    }

    fn begin_block(&mut self, style: String) -> usize {
        let parent = self.open.iter().rev().find_map(|open| open.block);
        let start = self.page.lines.len();
        self.page.blocks.push(Block { parent, style, lines: start..usize::MAX });
        self.page.blocks.len() - 1
    }

    /// What the beginning of an element does to line, tables and lists.
    fn before(&mut self, effect: Effect) {
        match effect {
            Effect::Inline | Effect::Strong | Effect::Hidden => return,
            Effect::Break => return self.end_line(),
            _ => {}
        }
        self.end_line();
        self.paragraph += 1;
        match effect {
            Effect::Table => {
                self.table_count += 1;
                self.tables.push(Cell { table: self.table_count, row: 0, column: 0, is_head: false });
            }
            Effect::Row => self.cell(|cell| *cell = Cell { row: cell.row + 1, column: 0, ..*cell }),
            Effect::Cell => self.cell(|cell| *cell = Cell { column: cell.column + 1, is_head: false, ..*cell }),
            Effect::HeadCell => self.cell(|cell| *cell = Cell { column: cell.column + 1, is_head: true, ..*cell }),
            Effect::List => {
                self.list_count += 1;
                self.lists.push(self.list_count);
            }
            // Items and headings end what was left open before them.
            Effect::Item | Effect::Term | Effect::Definition => {
                while let Some(Open { effect: Effect::Item | Effect::Term | Effect::Definition, .. }) = self.open.last()
                {
                    self.pop();
                }
            }
            _ => {}
        }
    }

    fn cell(&mut self, change: impl FnOnce(&mut Cell)) {
        if let Some(cell) = self.tables.last_mut() {
            change(cell);
        }
    }

    fn close(&mut self, tag: &EndTag<usize>) {
        let name = tag.name.as_slice();
        self.after_span = name == b"span";
        self.is_seam = true;
        // A stray end is no end; what was forgotten inside of an element ends with it.
        let Some(place) = self.open.iter().rposition(|open| open.name == name) else {
            if name == b"p" {
                self.end_line();
            }
            return;
        };
        let is_inline = matches!(effect(name), Effect::Inline | Effect::Strong);
        if is_inline && self.open[place..].iter().any(|open| !matches!(open.effect, Effect::Inline | Effect::Strong)) {
            return self.drop_at(place);
        }
        while self.open.len() > place {
            self.pop();
        }
    }

    /// An inline element that ends outside of the block it is closed in.
    fn drop_at(&mut self, place: usize) {
        let open = self.open.remove(place);
        self.strong -= usize::from(open.is_bold);
        self.ways -= usize::from(open.is_way);
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if is_mark(&open.name) && open.start >= self.start && self.page.marks.len() < MARKS {
            self.page.marks.push(open.start..self.page.text.len());
        }
        if is_part(&open.name) && open.start >= self.start && self.page.parts.len() < PARTS {
            self.page.parts.push(open.start..self.page.text.len());
        }
        self.pre -= usize::from(open.name == b"pre");
        self.is_data &= open.name != b"script";
        self.ways -= usize::from(open.is_way);
        let is_bold = open.is_bold;
        match open.effect {
            Effect::Inline => self.end_link(open.link),
            Effect::Strong | Effect::Break => {}
            Effect::Hidden => self.hidden -= 1,
            _ => {
                self.open.push(open);
                self.end_line();
                self.paragraph += 1;
                let end = self.page.lines.len();
                if let Some(block) = self.open.last().and_then(|open| open.block) {
                    self.page.blocks[block].lines.end = end;
                }
                match self.open.pop().map(|open| open.effect) {
                    Some(Effect::Table) => drop(self.tables.pop()),
                    Some(Effect::List) => drop(self.lists.pop()),
                    _ => {}
                }
            }
        }
        self.strong -= usize::from(is_bold);
    }

    fn end_link(&mut self, link: Option<(usize, String, Range<usize>)>) {
        if let Some((start, target, place)) = link
            && self.links.len() < LINKS
            && start >= self.start
        {
            self.links.push(Link { span: start..self.page.text.len(), target, place });
        }
    }

    /// Whether a text is shown; what is not may be data, or say how the rest looks.
    fn is_shown(&mut self, text: &str) -> bool {
        if self.is_data && self.page.data.len() < 8 {
            self.page.data.push(text.to_owned());
        }
        if self.open.last().is_some_and(|open| open.name == b"style") {
            self.sheet.read(text);
        }
        if self.hidden > 0 {
            return false;
        }
        self.after_span &= text.trim().is_empty();
        let in_head = self.open.last().is_some_and(|open| open.name == b"head");
        !in_head || !text.trim().is_empty()
    }

    fn text(&mut self, text: &str, from: usize, to: usize) {
        if !self.is_shown(text) {
            return;
        }
        let mut breaks = false;
        let mut place = Decoded { source: &mut self.source, byte: from, end: to };
        for character in text.chars() {
            let (at, width) = place.next(character);
            if character == '\n' && self.pre > 0 {
                breaks = true;
                continue;
            }
            if breaks && !character.is_whitespace() {
                // The place walks on while the line is put away.
                let rest = Decoded { source: place.source, byte: place.byte, end: place.end };
                let (byte, end) = (rest.byte, rest.end);
                self.end_line();
                place = Decoded { source: &mut self.source, byte, end };
                breaks = false;
            }
            if character.is_whitespace() || matches!(character, '\u{ad}' | '\u{200b}') {
                self.gap |= character.is_whitespace() && self.page.text.len() > self.start;
                continue;
            }
            // "Krone</b><i>Restaurant": style parts what no blank does.
            let is_parted = self.is_seam
                && self.page.text.len() > self.start
                && character.is_uppercase()
                && self.page.text.ends_with(char::is_lowercase);
            self.is_seam = false;
            if self.gap || is_parted {
                self.page.text.push(' ');
                self.page.places.push(at.saturating_sub(1));
                self.page.widths.push(1);
                self.gap = false;
            }
            self.page.text.push(character);
            self.page.places.extend(std::iter::repeat_n(at, character.len_utf8()));
            self.page.widths.extend(std::iter::repeat_n(width, character.len_utf8()));
            self.letters += usize::from(character.is_alphanumeric());
            self.way_letters += usize::from(character.is_alphanumeric() && self.ways > 0);
            if self.strong > 0 {
                self.strong_bytes += character.len_utf8();
            } else if self.strong_until.is_none() && self.strong_bytes > 0 {
                self.strong_until = Some(self.page.text.len() - character.len_utf8());
            }
        }
        if breaks {
            self.end_line();
        }
        self.page.is_cut = self.page.text.len() > TEXT_LIMIT;
    }

    fn end_line(&mut self) {
        self.gap = false;
        let (start, end) = (self.start, self.page.text.len());
        let strong_bytes = std::mem::take(&mut self.strong_bytes);
        let strong_until = self.strong_until.take();
        let links = std::mem::take(&mut self.links);
        if start == end {
            return;
        }
        let (letters, ways) = (std::mem::take(&mut self.letters), std::mem::take(&mut self.way_letters));
        let way_count = std::mem::replace(&mut self.way_count, self.ways);
        let is_headline = self.open.iter_mut().fold(false, |is, open| is | std::mem::take(&mut open.is_headline));
        let is_brand = self.open.iter_mut().fold(false, |is, open| is | std::mem::take(&mut open.is_brand));
        let text = &self.page.text[start..end];
        let solid = text.bytes().filter(|byte| *byte != b' ').count();
        let begins_strong = strong_until
            .is_some_and(|until| text[..until - start].bytes().filter(|byte| *byte != b' ').count() <= strong_bytes);
        let (role, region) = (self.role(), self.region());
        let cell = self.tables.last().filter(|cell| cell.column > 0).copied();
        // Nothing but ways to other pages: a menu.
        let is_menu = letters > 0 && ways == letters && way_count >= MENU && role == Role::Text;
        let region = if is_menu && region == Region::Main { Region::Navigation } else { region };
        self.page.lines.push(Line {
            span: start..end,
            role,
            region,
            is_strong: strong_bytes >= solid || is_headline,
            is_brand,
            strong_until: strong_until.filter(|_| begins_strong && strong_bytes < solid),
            cell,
            list: self.lists.last().copied(),
            paragraph: self.paragraph,
            block: self.open.iter().rev().find_map(|open| open.block),
            links,
        });
        self.page.text.push('\n');
        let last = self.page.places.last().copied().unwrap_or_default();
        self.page.places.push(last);
        self.page.widths.push(1);
        self.start = self.page.text.len();
    }

    fn role(&self) -> Role {
        let roles = self.open.iter().rev().find_map(|open| match open.effect {
            Effect::Title => Some(Role::Title),
            Effect::Heading(level) => Some(Role::Heading(level)),
            Effect::Item => Some(Role::Item),
            Effect::Term => Some(Role::Term),
            Effect::Definition => Some(Role::Definition),
            _ => None,
        });
        roles.unwrap_or(Role::Text)
    }

    fn region(&self) -> Region {
        self.open.iter().rev().find_map(|open| open.region).unwrap_or(Region::Main)
    }

    /// A line that stands in an attribute.
    fn attribute_line(&mut self, tag: &StartTag<usize>, key: &[u8], role: Role) {
        let Some(value) = tag.attributes.get(key) else { return };
        let text = String::from_utf8_lossy(&value.value).into_owned();
        if text.trim().is_empty() {
            return;
        }
        self.end_line();
        // The place of a value includes its quotes.
        let quote = usize::from(matches!(self.source.source.as_bytes().get(value.span.start), Some(b'"' | b'\'')));
        self.text(&text, value.span.start + quote, value.span.end);
        self.end_line();
        if let Some(line) = self.page.lines.last_mut() {
            line.role = role;
        }
    }

    fn meta(&mut self, tag: &StartTag<usize>) {
        let name = attribute(tag, b"name").or_else(|| attribute(tag, b"property"));
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "og:site_name" => self.page.site = attribute(tag, b"content"),
            "description" => self.attribute_line(tag, b"content", Role::Description),
            "keywords" => self.attribute_line(tag, b"content", Role::Keywords),
            "language" | "content-language" if self.page.language.is_none() => {
                self.page.language = attribute(tag, b"content");
            }
            _ => {}
        }
    }

    fn image(&mut self, tag: &StartTag<usize>) {
        // Only where nothing is being read: a picture inside of a sentence is no line.
        if self.start == self.page.text.len() {
            let count = self.page.lines.len();
            self.attribute_line(tag, b"alt", Role::Image);
            let is_named = |key: &[u8]| {
                attribute(tag, key)
                    .is_some_and(|name| ["logo", "brand"].iter().any(|word| name.to_lowercase().contains(word)))
            };
            let is_logo = is_named(b"src") || is_named(b"class") || is_named(b"id");
            if let Some(line) = self.page.lines.get_mut(count..).and_then(<[Line]>::last_mut) {
                line.is_brand |= is_logo;
            }
        }
    }

    /// Targets that are mail addresses, numbers or other sites.
    fn target(&mut self, tag: &StartTag<usize>) -> Option<(String, Range<usize>)> {
        let value = tag.attributes.get(b"href".as_slice())?;
        let target = String::from_utf8_lossy(&value.value).trim().to_owned();
        let telling = ["mailto:", "tel:", "fax:", "http:", "https:"];
        let scheme = target.split_inclusive(':').next().unwrap_or_default().to_ascii_lowercase();
        if !telling.contains(&scheme.as_str()) {
            return None;
        }
        // The place of a value may include its name and its quotes. Written with references it stands nowhere.
        let source = self.source.source;
        let written = source.get(value.span.start..value.span.end.min(source.len())).and_then(|raw| raw.find(&target));
        let start = written.map(|inside| self.source.at(value.span.start + inside));
        let place = start.map_or(0..0, |start| start..start + target.chars().count());
        Some((target, place))
    }
}
