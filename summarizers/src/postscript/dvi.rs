//! TeX's own form of pages (DVI): a list of moves and characters.

use super::letters;
use crate::fold::Gap;
use crate::pdf::words::Words;
use gatherer_pipeline::Draft;
use std::collections::HashMap;

/// Most fonts of a document, and most places kept.
const FONTS: usize = 10_000;
const STACK: usize = 1_000;
/// Shares of the font's size: a gap that parts words, a step that leaves the line.
const WORD_GAP: i64 = 8;
const LINE_GAP: i64 = 2;

/// What one of the document's fonts is like.
#[derive(Debug, Clone, Copy)]
struct Font {
    size: i64,
    /// Whether its characters are letters at all.
    is_text: bool,
    is_cork: bool,
}

/// Reads the document from its beginning.
pub(super) struct Document<'a> {
    rest: &'a [u8],
    fonts: HashMap<u32, Font>,
    font: Option<Font>,
    /// Registers of the format: `h` is not kept, for it needs the widths of the characters.
    vertical: i64,
    saved: [i64; 4],
    stack: Vec<(i64, [i64; 4])>,
    /// Moves to the right, and where the line was, since the last character.
    right: i64,
    line: i64,
    text: Words,
    pages: usize,
    comment: String,
    is_whole: bool,
}

impl<'a> Document<'a> {
    pub(super) fn read(body: &'a [u8]) -> Self {
        let mut document = Self {
            rest: body,
            fonts: HashMap::new(),
            font: None,
            vertical: 0,
            saved: [0; 4],
            stack: Vec::new(),
            right: 0,
            line: 0,
            text: Words::new(Draft::VALUE_LIMIT),
            pages: 0,
            comment: String::new(),
            is_whole: false,
        };
        while document.step().is_some() {}
        document
    }

    pub(super) fn write(self, draft: &mut Draft) {
        draft.add("Generator", &self.comment);
        draft.add("Pages", &self.pages.to_string());
        if !self.is_whole {
            draft.complain("the document breaks off");
        }
        if self.text.is_full() {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        draft.set_text(&self.text.into_text());
    }

    /// Does what the next operation says; nothing at the end.
    fn step(&mut self) -> Option<()> {
        let operation = self.unsigned(1)?;
        match operation {
            0..=127 => self.show(operation),
            128..=131 | 133..=136 => {
                let code = self.unsigned(1 + (operation - 128) % 5)?;
                self.show(code);
            }
            // Rules have no text but part what is around them.
            132 | 137 => drop(self.skip(8)?),
            139 => self.begin_page()?,
            141 if self.stack.len() < STACK => self.stack.push((self.vertical, self.saved)),
            142 => (self.vertical, self.saved) = self.stack.pop().unwrap_or((self.vertical, self.saved)),
            143..=146 => self.right = self.right.saturating_add(self.signed(operation - 142)?),
            147..=170 => self.by_register(operation)?,
            171..=234 => self.font = self.fonts.get(&(operation - 171)).copied(),
            235..=238 => self.font = self.unsigned(operation - 234).map(|number| self.fonts.get(&number).copied())?,
            239..=242 => {
                let length = self.unsigned(operation - 238)?;
                self.skip(usize::try_from(length).ok()?)?;
            }
            243..=246 => self.define_font(operation - 242)?,
            247 => self.begin()?,
            248 => {
                self.is_whole = true;
                self.skip(26)?;
                self.pages = self.unsigned(2).and_then(|pages| usize::try_from(pages).ok())?;
                return None;
            }
            249.. => return None,
            _ => {}
        }
        (!self.text.is_full()).then_some(())
    }

    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(skipped)
    }

    fn unsigned(&mut self, length: u32) -> Option<u32> {
        let bytes = self.skip(usize::try_from(length).ok()?)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn signed(&mut self, length: u32) -> Option<i64> {
        let number = i64::from(self.unsigned(length)?);
        let half = 1_i64 << (8 * length - 1);
        Some(if number >= half { number - 2 * half } else { number })
    }

    fn begin(&mut self) -> Option<()> {
        self.skip(13)?;
        let length = usize::try_from(self.unsigned(1)?).ok()?;
        self.comment = String::from_utf8_lossy(self.skip(length)?).into_owned();
        Some(())
    }

    fn begin_page(&mut self) -> Option<()> {
        self.skip(44)?;
        self.pages = self.pages.saturating_add(1);
        (self.vertical, self.saved) = (0, [0; 4]);
        self.stack.clear();
        self.text.end();
        Some(())
    }

    /// Moves by `w` or `x` to the right, by `y` or `z` down: by a new value or by the last one.
    fn by_register(&mut self, operation: u32) -> Option<()> {
        let (register, length) = match operation {
            147..=151 => (0, operation - 147),
            152..=156 => (1, operation - 152),
            157..=160 => (4, operation - 156),
            161..=165 => (2, operation - 161),
            _ => (3, operation - 166),
        };
        let new = if length > 0 { Some(self.signed(length)?) } else { None };
        let amount = match (self.saved.get_mut(register), new) {
            (Some(saved), new) => {
                *saved = new.unwrap_or(*saved);
                *saved
            }
            (None, new) => new.unwrap_or(0),
        };
        if register < 2 {
            self.right = self.right.saturating_add(amount);
        } else {
            self.vertical = self.vertical.saturating_add(amount);
        }
        Some(())
    }

    fn define_font(&mut self, length: u32) -> Option<()> {
        let number = self.unsigned(length)?;
        self.skip(4)?;
        let size = i64::from(self.unsigned(4)?);
        self.skip(4)?;
        let area = self.unsigned(1)?;
        let name = self.unsigned(1)?;
        self.skip(usize::try_from(area).ok()?)?;
        let name = String::from_utf8_lossy(self.skip(usize::try_from(name).ok()?)?).to_ascii_lowercase();
        let is_text = !["cmsy", "cmex", "msam", "msbm", "lasy"].iter().any(|other| name.starts_with(other));
        let is_cork = name.starts_with("ec") || name.ends_with("8t") || name.starts_with("sf");
        if self.fonts.len() < FONTS {
            self.fonts.insert(number, Font { size, is_text, is_cork });
        }
        Some(())
    }

    fn show(&mut self, code: u32) {
        let Some(font) = self.font.filter(|font| font.is_text) else { return };
        let gap = if (self.vertical - self.line).abs() > font.size / LINE_GAP {
            Gap::Line
        } else if self.right > font.size / WORD_GAP {
            Gap::Space
        } else {
            Gap::None
        };
        (self.right, self.line) = (0, self.vertical);
        let Ok(code) = u8::try_from(code) else { return };
        self.text.add(&letters::tex(code, font.is_cork), gap);
    }
}
