//! Text from content streams: what is shown, with the gaps that its places on the page make.

use super::font::Font;
use super::place::{Matrix, Page, Place, WORD_GAP};
use super::{STREAM_LIMIT, plain, text_string};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object};
use std::collections::HashMap;
use std::rc::Rc;

/// Deepest nesting of drawings within drawings.
const DEPTH: usize = 8;
/// Most saved states and open marks; more is no page for people.
const STACK: usize = 512;
/// Longest string, in bytes, in which gaps between letters part words.
const PARTED: usize = 4;
/// Most fonts kept at a time.
const FONTS: usize = 500;

/// Reads the pages of one document.
pub(super) struct Walk<'a> {
    document: &'a Document,
    /// By where their dictionaries are in memory: fonts need no identity in the document.
    fonts: HashMap<*const Dictionary, Rc<Font>>,
    /// The text so far.
    pub(super) page: Page,
    /// Bytes of content that may still be read.
    pub(super) budget: usize,
    /// Characters shown that read as nothing known.
    pub(super) unknown: usize,
}

/// The part of the graphics state that text depends on.
#[derive(Clone)]
struct State {
    space: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    character_gap: f64,
    word_gap: f64,
    stretch: f64,
    rise: f64,
}

/// One run through a content stream.
struct Run<'a> {
    resources: Vec<&'a Dictionary>,
    state: State,
    saved: Vec<State>,
    line: Matrix,
    text: Matrix,
    /// For each open mark, what its content is to be read as, if it is; nothing once that is said.
    marks: Vec<Option<String>>,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(document: &'a Document, page: Page, budget: usize) -> Self {
        Self { document, fonts: HashMap::new(), page, budget, unknown: 0 }
    }

    /// Takes the text of one content stream; says whether all of it could be read.
    pub(super) fn read(&mut self, content: &[u8], resources: Vec<&'a Dictionary>) -> bool {
        let state = State {
            space: Matrix::default(),
            font: None,
            size: 1.0,
            leading: 0.0,
            character_gap: 0.0,
            word_gap: 0.0,
            stretch: 1.0,
            rise: 0.0,
        };
        self.run(content, resources, state, 0)
    }

    fn run(&mut self, content: &[u8], resources: Vec<&'a Dictionary>, state: State, depth: usize) -> bool {
        let (line, text) = (Matrix::default(), Matrix::default());
        let mut run = Run { resources, state, saved: Vec::new(), line, text, marks: Vec::new(), depth };
        for operation in Content::decode_iter(content) {
            let Ok(operation) = operation else { return false };
            if self.page.is_full() {
                break;
            }
            self.operate(&mut run, &operation);
        }
        true
    }

    fn operate(&mut self, run: &mut Run<'a>, operation: &Operation) {
        let operands = operation.operands.as_slice();
        let number =
            |place: usize| operands.get(place).and_then(|operand| operand.as_float().ok()).map_or(0.0, f64::from);
        let matrix = || Matrix([number(0), number(1), number(2), number(3), number(4), number(5)]);
        match operation.operator.as_str() {
            "q" if run.saved.len() < STACK => run.saved.push(run.state.clone()),
            "Q" => run.state = run.saved.pop().unwrap_or_else(|| run.state.clone()),
            "cm" => run.state.space = matrix().then(&run.state.space),
            "BT" => (run.line, run.text) = (Matrix::default(), Matrix::default()),
            "Tf" => {
                run.state.font =
                    operands.first().and_then(|name| name.as_name().ok()).and_then(|name| self.font(run, name));
                run.state.size = number(1);
            }
            "Tc" => run.state.character_gap = number(0),
            "Tw" => run.state.word_gap = number(0),
            "Tz" => run.state.stretch = number(0) / 100.0,
            "TL" => run.state.leading = number(0),
            "Ts" => run.state.rise = number(0),
            "Td" => run.advance(number(0), number(1)),
            "TD" => {
                run.state.leading = -number(1);
                run.advance(number(0), number(1));
            }
            "Tm" => (run.line, run.text) = (matrix(), matrix()),
            "T*" => run.advance(0.0, -run.state.leading),
            "Tj" | "TJ" => operands.iter().for_each(|operand| self.show(run, operand)),
            "'" | "\"" => {
                if operation.operator == "\"" {
                    (run.state.word_gap, run.state.character_gap) = (number(0), number(1));
                }
                run.advance(0.0, -run.state.leading);
                operands.iter().for_each(|operand| self.show(run, operand));
            }
            "BMC" | "BDC" if run.marks.len() < STACK => run.marks.push(self.mark(run, operands)),
            "EMC" => drop(run.marks.pop()),
            "Do" => self.draw(run, operands),
            _ => {}
        }
    }

    /// The font of this name, read once.
    fn font(&mut self, run: &Run<'a>, name: &[u8]) -> Option<Rc<Font>> {
        let dictionary = self.resource(run, b"Font", name)?.as_dict().ok()?;
        if self.fonts.len() >= FONTS {
            self.fonts.clear();
        }
        let document = self.document;
        let font = self.fonts.entry(std::ptr::from_ref(dictionary));
        Some(Rc::clone(font.or_insert_with(|| Rc::new(Font::new(dictionary, document)))))
    }

    fn resource(&self, run: &Run<'a>, category: &[u8], name: &[u8]) -> Option<&'a Object> {
        let mut found = run.resources.iter().filter_map(|resources| {
            let category = resources.get_deref(category, self.document).and_then(Object::as_dict).ok()?;
            category.get_deref(name, self.document).ok()
        });
        found.next()
    }

    /// What a mark wants its content to be read as.
    fn mark(&self, run: &Run<'a>, operands: &[Object]) -> Option<String> {
        let properties = match operands.get(1)? {
            Object::Name(name) => self.resource(run, b"Properties", name)?.as_dict().ok()?,
            direct => direct.as_dict().ok()?,
        };
        let text = properties.get_deref(b"ActualText", self.document).and_then(Object::as_str).ok()?;
        Some(text_string(text))
    }

    /// Shows a string, a list of strings and kerns, or moves by a kern.
    fn show(&mut self, run: &mut Run<'a>, operand: &Object) {
        match operand {
            Object::String(bytes, _) => self.show_string(run, bytes),
            Object::Array(parts) => {
                for part in parts {
                    match part {
                        Object::String(bytes, _) => self.show_string(run, bytes),
                        kern => {
                            let kern = kern.as_float().map_or(0.0, f64::from);
                            run.kern(-kern / 1000.0 * run.state.size * run.state.stretch);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn show_string(&mut self, run: &mut Run<'a>, bytes: &[u8]) {
        let Some(font) = run.state.font.clone() else { return };
        let mut start = run.place();
        let mut text = String::new();
        // Wide gaps within a few letters part words; within more of them the letters are spaced out.
        let is_parted = bytes.len() <= PARTED && run.state.character_gap > WORD_GAP * run.state.size.abs();
        for glyph in font.glyphs(bytes) {
            let gap = run.state.character_gap + if glyph.is_space { run.state.word_gap } else { 0.0 };
            match glyph.text {
                Some(glyph) => text.push_str(&glyph),
                None => self.unknown = self.unknown.saturating_add(1),
            }
            if is_parted {
                run.kern(glyph.width * run.state.size * run.state.stretch);
                self.put(run, &mut text, start);
                run.kern(gap * run.state.stretch);
                start = run.place();
            } else {
                run.kern((glyph.width * run.state.size + gap) * run.state.stretch);
            }
        }
        self.put(run, &mut text, start);
    }

    /// Adds what was shown from that place on to the page, or what it is to be read as.
    fn put(&mut self, run: &mut Run<'a>, text: &mut String, start: Place) {
        if let Some(instead) = run.marks.iter_mut().flatten().next() {
            *text = std::mem::take(instead);
        }
        self.page.add(text, start, run.place());
        text.clear();
    }

    /// Draws a form: a content stream of its own, in the place and size of this one.
    fn draw(&mut self, run: &Run<'a>, operands: &[Object]) {
        let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let form = self.resource(run, b"XObject", name).and_then(|form| form.as_stream().ok());
        let is_form = |subtype: &[u8]| subtype == b"Form";
        let form = form.filter(|form| form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(is_form));
        let Some(form) = form.filter(|_| run.depth < DEPTH) else { return };
        let content = plain(form, STREAM_LIMIT.min(self.budget));
        // Even an empty form costs something, or a chain of forms could go on for ever.
        self.budget = self.budget.saturating_sub(content.len() + 1_000);
        let mut state = run.state.clone();
        if let Ok(matrix) = form.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array) {
            state.space = Matrix::from_list(self.document, matrix).then(&state.space);
        }
        let own = form.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict).ok();
        let resources = own.map_or_else(|| run.resources.clone(), |own| vec![own]);
        self.run(&content, resources, state, run.depth + 1);
    }
}

impl Run<'_> {
    /// Begins a new line, by so much away from the last one.
    fn advance(&mut self, x: f64, y: f64) {
        self.line = Matrix::moved(x, y).then(&self.line);
        self.text = self.line;
    }

    /// Moves along the line.
    fn kern(&mut self, x: f64) {
        self.text = Matrix::moved(x, 0.0).then(&self.text);
    }

    fn place(&self) -> Place {
        let raised = Matrix::moved(0.0, self.state.rise).then(&self.text).then(&self.state.space);
        raised.place(self.state.size)
    }
}
