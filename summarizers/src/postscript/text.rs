//! The text that a PostScript program shows, without running it.
//!
//! A program may call its operators as it likes and compute what it shows. Those of the usual producers do not: they
//! give the operators of the language short names in their prologue and write strings before them. So the prologue
//! is searched for such names, and the pages for strings before them. What moves by numbers between two strings is
//! taken as the gap between them.

use super::letters;
use super::tokens::{Token, Tokens};
use crate::fold::Gap;
use crate::pdf::glyphs::{self, Table};
use crate::pdf::words::Words;
use gatherer_pipeline::Draft;
use std::collections::HashMap;

/// Most names that a prologue may give, and most words in the definition of one.
const NAMES: usize = 5_000;
const BODY: usize = 40;
/// Most strings before an operator.
const PIECES: usize = 2_000;
/// A step of so many points between strings parts words, and one of so many up or down parts lines.
const WORD_GAP: f64 = 1.0;
const LINE_GAP: f64 = 3.0;
/// Longest string in which gaps between letters part words.
const PARTED: usize = 4;
/// In lists of strings and kerns, thousandths of the font's size.
const KERN: f64 = -150.0;

/// What an operator does with the numbers before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// Nothing.
    None,
    /// To this place.
    To,
    /// By so much to the right and up, by one or both of the two.
    By,
    Right,
    Up,
    /// To the right by a number of pixels, or by as many more as it did last: as `dvips` does between words.
    Pixels,
    PixelsMore(i8),
}

/// What an operator does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operator {
    shows: bool,
    moves: Move,
    /// Whether it moves before it shows.
    first: bool,
    /// Whether the number before the string parts its letters.
    parts: bool,
}

impl Operator {
    fn new(shows: bool, moves: Move) -> Self {
        Self { shows, moves, first: false, parts: false }
    }
}

/// Reads text.
struct Reader {
    operators: HashMap<Vec<u8>, Operator>,
    encoding: Encoding,
    text: Words,
    /// What was asked for since the last string.
    gap: Gap,
    /// Height of the last string, pixels of the last step between words, and pixels an inch.
    y: f64,
    delta: f64,
    resolution: f64,
}

enum Encoding {
    Tex { is_cork: bool },
    Table(Table),
}

/// The text of a program, and whether it was cut.
pub(super) fn read(program: &[u8]) -> (String, bool) {
    let mut reader = Reader {
        operators: language(),
        encoding: Encoding::Table(standard()),
        text: Words::new(Draft::VALUE_LIMIT),
        gap: Gap::None,
        y: 0.0,
        delta: 0.0,
        resolution: 72.0,
    };
    // Without marks between the pages all of the program is a page.
    let has_pages = program.windows(8).any(|window| window == b"\n%%Page:" || window == b"\r%%Page:");
    reader.run(program, has_pages);
    let is_full = reader.text.is_full();
    (reader.text.into_text(), is_full)
}

/// The operators of the language itself, and those of PDF, which some producers define.
fn language() -> HashMap<Vec<u8>, Operator> {
    let shows =
        ["show", "ashow", "widthshow", "awidthshow", "kshow", "xshow", "yshow", "xyshow", "Tj", "TJ", "'", "\""];
    let moves = [("moveto", Move::To), ("rmoveto", Move::By), ("Td", Move::By), ("TD", Move::By), ("Tm", Move::To)];
    let shows =
        shows.map(|name| (name.into(), Operator { parts: name.starts_with('a'), ..Operator::new(true, Move::None) }));
    let moves = moves.map(|(name, moves)| (name.into(), Operator::new(false, moves)));
    shows.into_iter().chain(moves).collect()
}

/// The operators of `dvips`, which are defined by each other.
fn dvips() -> impl Iterator<Item = (Vec<u8>, Operator)> {
    let more = (b'c'..=b'k').zip(-4..=4).map(|(name, more)| (name, true, Move::PixelsMore(more)));
    let kerns = b"lmnopqrst".iter().map(|name| (*name, true, Move::None));
    let other = [(b'a', false, Move::To), (b'b', true, Move::Pixels), (b'y', true, Move::To)];
    let all = other.into_iter().chain(more).chain(kerns);
    all.map(|(name, shows, moves)| (vec![name], Operator::new(shows, moves)))
}

/// ASCII, and the standard order of fonts above it.
fn standard() -> Table {
    let mut table = glyphs::named(b"StandardEncoding");
    for (code, entry) in (0..0x80_u8).zip(table.iter_mut()) {
        *entry = (code == b'\n' || !code.is_ascii_control()).then(|| char::from(code).to_string());
    }
    table
}

impl Reader {
    fn run(&mut self, program: &[u8], has_pages: bool) {
        let mut in_page = !has_pages;
        let mut depth = 0_usize;
        let mut operands = Vec::new();
        let mut definition = Definition::default();
        for token in Tokens::new(program) {
            match &token {
                Token::Comment(comment) if comment.starts_with(b"%Page:") => {
                    (in_page, depth) = (true, 0);
                    self.text.end();
                }
                Token::Comment(comment) if comment.starts_with(b"%Trailer") => in_page = !has_pages,
                Token::Comment(comment) => self.remark(comment),
                Token::Bracket(b'{') => depth += 1,
                Token::Bracket(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.define(&mut definition, &token, depth);
            if self.text.is_full() {
                return;
            }
            if in_page && depth == 0 {
                self.take(token, &mut operands);
            }
        }
    }

    /// What `dvips` says of itself.
    fn remark(&mut self, comment: &[u8]) {
        let Ok(comment) = std::str::from_utf8(comment) else { return };
        if let Some(parameters) = comment.strip_prefix("DVIPSParameters:") {
            let dots = parameters.split_once("dpi=").and_then(|(_, dots)| dots.split([',', ' ', 'x']).next());
            self.resolution = dots.and_then(|dots| dots.parse().ok()).unwrap_or(600.0);
            self.operators.extend(dvips());
            if !matches!(self.encoding, Encoding::Tex { .. }) {
                self.encoding = Encoding::Tex { is_cork: false };
            }
        } else if let Some(fonts) = comment.strip_prefix("%DocumentFonts:") {
            let is_cork = fonts.split_whitespace().any(|font| font.starts_with("SF") || font.starts_with("EC"));
            if is_cork {
                self.encoding = Encoding::Tex { is_cork };
            }
        }
    }

    /// Keeps names that are given to operators that show, and orders of glyphs.
    fn define(&mut self, definition: &mut Definition, token: &Token<'_>, depth: usize) {
        if let Token::Name(name) = token
            && depth == 0
        {
            definition.name = std::mem::replace(&mut definition.next, name.to_vec());
            definition.body.clear();
        }
        match token {
            Token::Bracket(b'[') => definition.glyphs = Some(Vec::new()),
            Token::Bracket(b']') => self.order(definition.glyphs.take().unwrap_or_default()),
            Token::Name(name) => {
                definition.glyphs = definition.glyphs.take().filter(|glyphs| glyphs.len() <= 256);
                definition.glyphs.iter_mut().for_each(|glyphs| glyphs.push(name.to_vec()));
            }
            Token::Word(b"load") => {
                let known = self.operators.get(&definition.next).copied();
                self.name(&definition.name, known);
            }
            Token::Word(word) if definition.body.len() < BODY => definition.body.push(word.to_vec()),
            Token::Number(number) if *number == 0.0 && definition.body.len() < BODY => {
                definition.body.push(b"0".to_vec());
            }
            Token::Bracket(b'}') if depth == 0 => {
                let operator = self.operator(&definition.body);
                self.name(&definition.next, operator);
                definition.body.clear();
            }
            _ => {}
        }
    }

    /// A list of as many names as a font has codes is the order of its glyphs.
    fn order(&mut self, names: Vec<Vec<u8>>) {
        if names.len() == 256 && matches!(self.encoding, Encoding::Table(_)) {
            self.encoding = Encoding::Table(names.iter().map(|name| glyphs::text(name)).collect());
        }
    }

    fn name(&mut self, name: &[u8], operator: Option<Operator>) {
        let is_free = !name.is_empty() && self.operators.len() < NAMES && !self.operators.contains_key(name);
        if let Some(operator) = operator.filter(|_| is_free) {
            self.operators.insert(name.to_vec(), operator);
        }
    }

    /// What a procedure of these words does, if it shows or moves.
    fn operator(&self, body: &[Vec<u8>]) -> Option<Operator> {
        let mut found: Option<Operator> = None;
        for (place, word) in body.iter().enumerate() {
            let Some(known) = self.operators.get(word) else { continue };
            let before = place.checked_sub(1).and_then(|place| body.get(place)).map(Vec::as_slice);
            let moves = match (known.moves, before) {
                (Move::By, Some(b"0")) => Move::Right,
                (Move::By, Some(b"exch")) => Move::Up,
                (moves, _) => moves,
            };
            let so_far = found.unwrap_or(Operator::new(false, Move::None));
            let moves = if so_far.moves == Move::None { moves } else { so_far.moves };
            let first = if known.shows && !so_far.shows { so_far.moves != Move::None } else { so_far.first };
            let (shows, parts) = (so_far.shows || known.shows, so_far.parts || known.parts);
            found = Some(Operator { shows, moves, first, parts });
        }
        found
    }

    /// Collects operands; an operator uses them up.
    fn take(&mut self, token: Token<'_>, operands: &mut Vec<Operand>) {
        match token {
            Token::Text(bytes) => operands.push(Operand::Text(bytes)),
            Token::Number(number) => operands.push(Operand::Number(number)),
            Token::Word(word) => {
                if let Some(operator) = self.operators.get(word).copied() {
                    self.operate(operator, operands);
                    operands.clear();
                } else if !operands.iter().any(|operand| matches!(operand, Operand::Text(_))) || word == b"def" {
                    operands.clear();
                }
            }
            _ => {}
        }
        if operands.len() > PIECES {
            operands.clear();
        }
    }

    fn operate(&mut self, operator: Operator, operands: &[Operand]) {
        let last_text = operands.iter().rposition(|operand| matches!(operand, Operand::Text(_)));
        let behind = operands.get(last_text.map_or(0, |place| place + 1)..).unwrap_or_default();
        let numbers: Vec<f64> = behind.iter().filter_map(Operand::number).collect();
        if operator.shows && operator.first {
            self.step(operator.moves, &numbers);
        }
        if operator.shows {
            self.show(operands, operator.parts);
        }
        if !(operator.shows && operator.first) {
            self.step(operator.moves, &numbers);
        }
    }

    /// Shows strings, those of a list with its kerns.
    fn show(&mut self, operands: &[Operand], parts: bool) {
        let (mut texts, mut last) = (0, 0.0);
        for operand in operands {
            match operand {
                // Wide gaps within a few letters part words; within more of them the letters are spaced out.
                Operand::Text(bytes) if parts && last > WORD_GAP && bytes.len() <= PARTED => {
                    for byte in bytes {
                        self.push(&[*byte]);
                        self.gap = Gap::Space;
                    }
                    self.gap = Gap::None;
                }
                Operand::Text(bytes) => self.push(bytes),
                Operand::Number(kern) if texts > 0 && *kern < KERN => self.gap = self.gap.max(Gap::Space),
                Operand::Number(number) => last = *number,
            }
            texts += usize::from(matches!(operand, Operand::Text(_)));
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut piece = String::with_capacity(bytes.len());
        for byte in bytes {
            piece.push_str(&match &self.encoding {
                Encoding::Tex { is_cork } => letters::tex(*byte, *is_cork),
                Encoding::Table(table) => {
                    table.get(usize::from(*byte)).and_then(Option::as_deref).unwrap_or_default().into()
                }
            });
        }
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        self.text.add(&piece, gap);
    }

    /// Takes a step, and notes the gap that it makes.
    fn step(&mut self, moves: Move, numbers: &[f64]) {
        let last = numbers.last().copied().unwrap_or(0.0);
        let before = numbers.len().checked_sub(2).and_then(|place| numbers.get(place)).copied().unwrap_or(0.0);
        let gap = match moves {
            Move::None => return,
            Move::To => {
                let is_line = (last - self.y).abs() > LINE_GAP * self.resolution / 72.0;
                self.y = last;
                if is_line { Gap::Line } else { Gap::Space }
            }
            Move::By => self.by(before, last),
            Move::Right => self.by(last, 0.0),
            Move::Up => self.by(0.0, last),
            Move::Pixels | Move::PixelsMore(_) => {
                self.delta = if let Move::PixelsMore(more) = moves { self.delta + f64::from(more) } else { last };
                // A tenth of the size of usual letters.
                if self.delta > self.resolution / 72.0 { Gap::Space } else { Gap::None }
            }
        };
        self.gap = self.gap.max(gap);
    }

    fn by(&mut self, x: f64, y: f64) -> Gap {
        self.y += y;
        if y.abs() > LINE_GAP {
            Gap::Line
        } else if !(-3.0 * LINE_GAP..=WORD_GAP).contains(&x) {
            Gap::Space
        } else {
            Gap::None
        }
    }
}

enum Operand {
    Text(Vec<u8>),
    Number(f64),
}

impl Operand {
    fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }
}

/// What was read of a definition.
#[derive(Default)]
struct Definition {
    /// The last name but one, and the last.
    name: Vec<u8>,
    next: Vec<u8>,
    body: Vec<Vec<u8>>,
    /// The names of a list that is not closed yet.
    glyphs: Option<Vec<Vec<u8>>>,
}
