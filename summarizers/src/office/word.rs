//! Word processing documents in Office Open XML.

use super::package::Package;
use super::reading::{Reading, hyperlink};
use super::relations::Relations;
use super::xml::{Token, attribute, relation};
use crate::fold::Gap;
use quick_xml::events::BytesStart;
use std::collections::{HashMap, HashSet};

/// What stands in parts of its own, in the order in which it follows the text.
const FURTHER: &[&str] = &["footnotes", "endnotes", "comments", "header", "footer"];
/// Most bytes of the instruction of a field.
const INSTRUCTION: usize = 4_096;
/// How many styles may be based on each other.
const BASES: usize = 20;

/// Reads the document and its notes, comments, headers and footers.
pub(super) fn read(package: &mut Package<'_>, main: &str, reading: &mut Reading) {
    let relations = Relations::of(package, main);
    let headings = relations.all("styles").first().map(|part| headings(package, part)).unwrap_or_default();
    read_part(package, main, &relations, &headings, reading);
    for kind in FURTHER {
        for part in relations.all(kind) {
            let relations = Relations::of(package, &part);
            // Nothing there is a heading of the document.
            read_part(package, &part, &relations, &HashSet::new(), reading);
        }
    }
}

fn read_part(
    package: &mut Package<'_>,
    part: &str,
    relations: &Relations,
    headings: &HashSet<String>,
    reading: &mut Reading,
) {
    let mut story = Story { reading, relations, headings, in_text: None, cells: 0, skipped: 0, fields: Vec::new() };
    package.visit(part, |token| {
        story.take(token);
        !story.reading.is_full()
    });
    reading.close_heading();
    reading.gap(Gap::Line);
}

/// The ids of the paragraph styles of headings. Word names them in English, whatever its language.
fn headings(package: &mut Package<'_>, part: &str) -> HashSet<String> {
    let (mut headings, mut bases, mut style) = (HashSet::new(), HashMap::new(), String::new());
    package.visit(part, |token| {
        let Token::Start(tag) = token else { return true };
        let value = || attribute(&tag, "val").unwrap_or_default();
        match tag.local_name().as_ref() {
            "style" => style = attribute(&tag, "styleId").unwrap_or_default(),
            "name" if value().to_lowercase().starts_with("heading ") => {
                headings.insert(style.clone());
            }
            "outlineLvl" if is_level(&value()) => {
                headings.insert(style.clone());
            }
            "basedOn" => {
                bases.insert(style.clone(), value());
            }
            _ => {}
        }
        true
    });
    let is_based = |style: &String| {
        let mut base = style;
        (0..BASES).any(|_| match bases.get(base) {
            Some(next) => {
                base = next;
                headings.contains(base)
            }
            None => false,
        })
    };
    let based: Vec<_> = bases.keys().filter(|style| is_based(style)).cloned().collect();
    headings.extend(based);
    headings
}

/// Nine levels are those of headings; the tenth is that of the text.
fn is_level(value: &str) -> bool {
    value.parse::<u8>().is_ok_and(|level| level < 9)
}

/// Text between its tags.
#[derive(Debug, Clone, Copy)]
enum Within {
    Text,
    Instruction,
}

/// A field that is open.
#[derive(Debug, Default)]
struct Field {
    instruction: String,
    is_link: bool,
}

struct Story<'a> {
    reading: &'a mut Reading,
    relations: &'a Relations,
    headings: &'a HashSet<String>,
    in_text: Option<Within>,
    /// Open cells of tables.
    cells: usize,
    /// Open elements within one that is passed over, itself included.
    skipped: usize,
    fields: Vec<Field>,
}

impl Story<'_> {
    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Start(_) if self.skipped > 0 => self.skipped += 1,
            Token::End(_) if self.skipped > 0 => self.skipped -= 1,
            Token::Text(_) if self.skipped > 0 => {}
            Token::Start(tag) => self.start(&tag),
            Token::End(tag) => self.end(tag.local_name().as_ref()),
            Token::Text(text) => match (self.in_text, self.fields.last_mut()) {
                (Some(Within::Text), _) => self.reading.push(&text),
                (Some(Within::Instruction), Some(field)) if field.instruction.len() < INSTRUCTION => {
                    field.instruction.push_str(&text);
                }
                _ => {}
            },
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "p" => {
                self.reading.close_heading();
                self.break_line();
            }
            "pStyle" if attribute(tag, "val").is_some_and(|style| self.headings.contains(&style)) => {
                self.reading.open_heading();
            }
            "outlineLvl"
                if !self.headings.is_empty() && attribute(tag, "val").is_some_and(|level| is_level(&level)) =>
            {
                self.reading.open_heading();
            }
            "t" => self.in_text = Some(Within::Text),
            "instrText" => self.in_text = Some(Within::Instruction),
            "br" | "cr" => self.break_line(),
            "tab" => self.reading.gap(Gap::Space),
            "noBreakHyphen" => self.reading.push("-"),
            "tc" => self.cells += 1,
            "hyperlink" => {
                let target = relation(tag).and_then(|id| self.relations.target(&id));
                self.reading.open_link(target.unwrap_or_default());
            }
            "fldSimple" => {
                let instruction = attribute(tag, "instr").unwrap_or_default();
                self.fields.push(Field { instruction, is_link: false });
                self.show_field();
            }
            "fldChar" => match attribute(tag, "fldCharType").as_deref() {
                Some("begin") => self.fields.push(Field::default()),
                Some("separate") => self.show_field(),
                Some("end") => self.end_field(),
                _ => {}
            },
            // The same again for old programs, and text that has moved away.
            "Fallback" | "moveFrom" => self.skipped = 1,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" | "instrText" => self.in_text = None,
            "p" => {
                self.reading.close_heading();
                self.break_line();
            }
            "tc" => {
                self.cells = self.cells.saturating_sub(1);
                self.reading.gap(Gap::Space);
            }
            "tr" => self.break_line(),
            "hyperlink" => self.reading.close_link(),
            "fldSimple" => self.end_field(),
            _ => {}
        }
    }

    /// The cells of a row share a line.
    fn break_line(&mut self) {
        self.reading.gap(if self.cells > 0 { Gap::Space } else { Gap::Line });
    }

    /// What comes next is the result of a field.
    fn show_field(&mut self) {
        if let Some(field) = self.fields.last_mut()
            && !field.is_link
            && let Some(target) = hyperlink(&field.instruction)
        {
            field.is_link = true;
            self.reading.open_link(target);
        }
    }

    fn end_field(&mut self) {
        if self.fields.pop().is_some_and(|field| field.is_link) {
            self.reading.close_link();
        }
    }
}
