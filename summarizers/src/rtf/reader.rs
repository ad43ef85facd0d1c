//! Reads RTF from its first byte to its last, once.

use super::group::{Destination, Group, character, destination, page};
use crate::fold::{Folded, Gap};
use crate::office::properties::{count, keywords};
use crate::office::reading::{Reading, hyperlink};
use crate::office::summary::encoding;
use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use gatherer_pipeline::Draft;
use std::collections::HashMap;
use url::Url;

/// Most groups within each other; those beyond count as the one around them.
const DEPTH: usize = 500;
/// Most bytes of a run of text before it is decoded.
const RUN: usize = 1 << 20;
/// Most bytes of a property, and of an instruction.
const LIMIT: usize = 10_000;
/// Most fonts.
const FONTS: usize = 10_000;

/// The state of reading.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    group: Group,
    around: Vec<Group>,
    /// Open groups beyond the depth limit.
    beyond: usize,
    /// Text in its charset, until something else comes.
    run: Vec<u8>,
    /// The first half of a character of two halves.
    half: Option<u16>,
    /// How many characters are still to be passed over, because Unicode has said them.
    passed: usize,
    encoding: &'static Encoding,
    fonts: HashMap<i32, &'static Encoding>,
    /// The font that the table is at, and the one that counts where none is named.
    named_font: i32,
    usual_font: Option<i32>,
    /// The group said that whoever does not know it may pass it over.
    is_optional: bool,
    /// The paragraph is a heading.
    is_heading: bool,
    reading: Reading,
    instruction: String,
    property: Folded,
    moment: [i32; 6],
    properties: Vec<(&'static str, String)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self {
            rest: body,
            group: Group::OUTERMOST,
            around: Vec::new(),
            beyond: 0,
            run: Vec::new(),
            half: None,
            passed: 0,
            encoding: WINDOWS_1252,
            fonts: HashMap::new(),
            named_font: 0,
            usual_font: None,
            is_optional: false,
            is_heading: false,
            reading: Reading::new(),
            instruction: String::new(),
            property: Folded::new(LIMIT),
            moment: [0; 6],
            properties: Vec::new(),
        }
    }

    /// Reads all and writes it into the draft.
    pub(super) fn read(mut self, url: &Url, draft: &mut Draft) {
        while let Some(byte) = self.next() {
            match byte {
                b'{' => self.open(),
                b'}' => {
                    self.close();
                    if self.around.is_empty() {
                        break;
                    }
                }
                b'\\' => self.control(),
                b'\r' | b'\n' | 0 => {}
                byte => self.byte(byte),
            }
            if self.reading.is_full() {
                break;
            }
        }
        self.flush();
        self.reading.close_heading();
        if !self.around.is_empty() && !self.reading.is_full() {
            draft.complain("the document breaks off");
        }
        for (name, value) in self.properties {
            match name {
                "Keywords" => keywords(&value, draft),
                "Pages" | "Words" => count(name, &value, draft),
                "Generator" => draft.add(name, value.trim_end_matches(';')),
                // Some write who saved it last as one more author.
                "Author" if draft.get(name).is_some() => draft.add("Modified-By", &value),
                _ => draft.add(name, &value),
            }
        }
        self.reading.write(url, draft);
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn open(&mut self) {
        self.flush();
        self.passed = 0;
        self.is_optional = false;
        if self.around.len() >= DEPTH {
            self.beyond += 1;
            return;
        }
        self.around.push(self.group);
        self.group = self.group.inner();
    }

    fn close(&mut self) {
        self.flush();
        self.passed = 0;
        self.is_optional = false;
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        if self.group.is_first {
            match self.group.destination {
                Destination::Property(name) => {
                    let value = std::mem::replace(&mut self.property, Folded::new(LIMIT)).into_text();
                    self.keep(name, value);
                }
                Destination::Moment(name) => self.keep_moment(name),
                Destination::Body => self.reading.gap(Gap::Space),
                _ => {}
            }
        }
        if self.group.is_link {
            self.reading.close_link();
        }
        self.group = self.around.pop().unwrap_or(Group::OUTERMOST);
    }

    fn keep(&mut self, name: &'static str, value: String) {
        if self.properties.len() < 100 {
            self.properties.push((name, value));
        }
    }

    fn keep_moment(&mut self, name: &'static str) {
        let [year, month, day, hour, minute, second] = std::mem::take(&mut self.moment);
        let (date, time) = (jiff::civil::Date::new, jiff::civil::Time::new);
        let short = |number: i32| i8::try_from(number).unwrap_or(-1);
        if year > 0
            && let Ok(date) = date(i16::try_from(year).unwrap_or(-1), short(month), short(day))
            && let Ok(time) = time(short(hour), short(minute), short(second), 0)
        {
            self.keep(name, date.to_datetime(time).to_string());
        }
    }

    /// A byte of text.
    fn byte(&mut self, byte: u8) {
        if self.passed > 0 {
            self.passed -= 1;
        } else if self.group.destination != Destination::Nowhere {
            self.run.push(byte);
            if self.run.len() >= RUN {
                self.flush();
            }
        }
    }

    /// Decodes the text that has come.
    fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        let font = self.group.font.or(self.usual_font);
        let encoding = font.and_then(|font| self.fonts.get(&font).copied()).unwrap_or(self.encoding);
        self.put(&encoding.decode_without_bom_handling(&run).0);
    }

    /// Text to where the group says.
    fn put(&mut self, text: &str) {
        match self.group.destination {
            Destination::Body if !self.group.is_hidden => self.reading.push(text),
            Destination::Instruction if self.instruction.len() < LIMIT => self.instruction.push_str(text),
            Destination::Property(_) => self.property.push(text),
            _ => {}
        }
    }

    fn control(&mut self) {
        match self.rest.first() {
            Some(letter) if letter.is_ascii_alphabetic() => self.control_word(),
            Some(b'\'') => self.hexadecimal(),
            Some(symbol) => {
                let symbol = *symbol;
                self.next();
                match symbol {
                    b'{' | b'}' | b'\\' => self.byte(symbol),
                    b'~' => self.byte(b' '),
                    b'_' => self.byte(b'-'),
                    b'\r' | b'\n' => self.word("par", None),
                    b'*' => self.is_optional = true,
                    _ => {}
                }
            }
            None => {}
        }
    }

    /// A byte by its two digits.
    fn hexadecimal(&mut self) {
        self.next();
        let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        if let (Some(high), Some(low)) = (digit(self.rest.first()), digit(self.rest.get(1))) {
            self.rest = self.rest.get(2..).unwrap_or_default();
            self.byte(u8::try_from(high * 16 + low).unwrap_or_default());
        }
    }

    /// A word, a number if it has one, and one space that belongs to it.
    fn control_word(&mut self) {
        let length = self.rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(length);
        let is_negative = rest.first() == Some(&b'-');
        let rest = if is_negative { rest.get(1..).unwrap_or_default() } else { rest };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<i32>().ok());
        let number = number.map(|number| if is_negative { -number } else { number });
        self.word(std::str::from_utf8(word).unwrap_or_default(), number);
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        self.flush();
        if word != "u" {
            self.half = None;
            self.passed = 0;
        }
        if word == "bin" {
            let length = usize::try_from(number.unwrap_or_default()).unwrap_or_default();
            self.rest = self.rest.get(length..).unwrap_or_default();
            return;
        }
        let is_optional = std::mem::take(&mut self.is_optional);
        // Only what says the same in Unicode is read where nothing is.
        if self.group.destination == Destination::Nowhere && word != "ud" {
            return;
        }
        match destination(word) {
            Some(destination) => self.begin(word, destination),
            None if is_optional => self.group.destination = Destination::Nowhere,
            None => match character(word) {
                Some(character) => self.put(character),
                None => self.property_word(word, number),
            },
        }
    }

    /// The group is a destination.
    fn begin(&mut self, word: &str, destination: Destination) {
        self.group.destination = destination;
        self.group.is_first = true;
        match word {
            "fldrslt" => {
                if let Some(target) = hyperlink(&self.instruction) {
                    self.reading.open_link(target);
                    self.group.is_link = true;
                }
                self.instruction.clear();
                self.group.is_first = false;
            }
            "fldinst" => self.instruction.clear(),
            "ud" => self.group.is_first = false,
            "footnote" | "annotation" | "shptxt" => self.reading.gap(Gap::Space),
            _ => {}
        }
    }

    /// Words that change how the text is read, or say something in themselves.
    fn property_word(&mut self, word: &str, number: Option<i32>) {
        let value = number.unwrap_or_default();
        let in_fonts = self.group.destination == Destination::Fonts;
        match word {
            "par" | "line" | "page" | "sect" | "column" | "row" | "nestrow" => self.break_line(word),
            "pard" => {
                self.is_heading = false;
                self.reading.close_heading();
            }
            "outlinelevel" if !self.is_heading && (0..9).contains(&value) => {
                self.is_heading = true;
                self.reading.open_heading();
            }
            "u" => self.unicode(value),
            "uc" => self.group.instead = usize::try_from(value).unwrap_or_default().min(100),
            "f" if in_fonts => self.named_font = value,
            "fcharset" | "cpg" if in_fonts && self.fonts.len() < FONTS => {
                let page = if word == "cpg" { u16::try_from(value).ok() } else { page(value) };
                if let Some(page) = page {
                    self.fonts.insert(self.named_font, encoding(page));
                }
            }
            "f" => self.group.font = number,
            "deff" => self.usual_font = number,
            "plain" => {
                self.group.font = None;
                self.group.is_hidden = false;
            }
            "v" | "deleted" => self.group.is_hidden = number != Some(0),
            "ansicpg" => self.encoding = encoding(u16::try_from(value).unwrap_or(1252)),
            "mac" => self.encoding = MACINTOSH,
            "nofpages" => self.keep("Pages", value.to_string()),
            "nofwords" => self.keep("Words", value.to_string()),
            _ => self.moment_word(word, value),
        }
    }

    fn moment_word(&mut self, word: &str, value: i32) {
        let place = match word {
            "yr" => 0,
            "mo" => 1,
            "dy" => 2,
            "hr" => 3,
            "min" => 4,
            "sec" => 5,
            _ => return,
        };
        if matches!(self.group.destination, Destination::Moment(_)) {
            self.moment[place] = value;
        }
    }

    fn break_line(&mut self, word: &str) {
        if self.group.destination != Destination::Body {
            return self.put(" ");
        }
        if word == "par" || word == "sect" {
            self.reading.close_heading();
            if self.is_heading {
                self.reading.open_heading();
            }
        }
        self.reading.gap(Gap::Line);
    }

    /// A unit of UTF-16, as a signed number.
    fn unicode(&mut self, value: i32) {
        self.passed = self.group.instead;
        let Ok(unit) = u16::try_from(value & 0xFFFF) else { return };
        let units: Vec<u16> = self.half.take().into_iter().chain([unit]).collect();
        match String::from_utf16(&units) {
            Ok(text) => self.put(&text),
            Err(_) if (0xD800..0xDC00).contains(&unit) => self.half = Some(unit),
            Err(_) => {}
        }
    }
}
