//! Slides in Office Open XML, and the drawings of its spreadsheets.

use super::package::Package;
use super::reading::Reading;
use super::relations::Relations;
use super::xml::{Token, attribute, relation};
use crate::fold::Gap;
use gatherer_pipeline::Draft;
use quick_xml::events::BytesStart;

/// Most slides read.
const SLIDES: usize = 10_000;
/// What belongs to a slide and stands in parts of its own.
const FURTHER: &[&str] = &["diagramData", "notesSlide", "comments"];

/// Reads the slides in their order, each with its notes and comments.
pub(super) fn read(package: &mut Package<'_>, main: &str, reading: &mut Reading, draft: &mut Draft) {
    let relations = Relations::of(package, main);
    let mut slides = Vec::new();
    package.visit(main, |token| {
        if let Token::Start(tag) = token
            && tag.local_name().as_ref() == "sldId"
            && let Some(target) = relation(&tag).and_then(|id| relations.target(&id))
        {
            slides.push(target.to_owned());
        }
        slides.len() < SLIDES
    });
    if slides.is_empty() {
        slides = relations.all("slide");
    }
    if !slides.is_empty() {
        draft.add("Slides", &slides.len().to_string());
    }
    for slide in slides {
        if reading.is_full() {
            break;
        }
        let relations = Relations::of(package, &slide);
        read_drawing(package, &slide, &relations, reading);
        for part in FURTHER.iter().flat_map(|kind| relations.all(kind)) {
            let relations = Relations::of(package, &part);
            read_drawing(package, &part, &relations, reading);
        }
    }
}

/// Reads the paragraphs of a drawing.
pub(super) fn read_drawing(package: &mut Package<'_>, part: &str, relations: &Relations, reading: &mut Reading) {
    let mut drawing = Drawing { reading, relations, in_text: false, is_link: false, is_field: false, skipped: 0 };
    package.visit(part, |token| {
        drawing.take(token);
        !drawing.reading.is_full()
    });
    reading.close_heading();
    reading.gap(Gap::Line);
}

struct Drawing<'a> {
    reading: &'a mut Reading,
    relations: &'a Relations,
    in_text: bool,
    is_link: bool,
    /// Within a field that counts: the number of the slide, the date of today.
    is_field: bool,
    skipped: usize,
}

impl Drawing<'_> {
    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Start(_) if self.skipped > 0 => self.skipped += 1,
            Token::End(_) if self.skipped > 0 => self.skipped -= 1,
            Token::Start(tag) => self.start(&tag),
            Token::End(tag) => self.end(tag.local_name().as_ref()),
            Token::Text(text) if self.in_text && self.skipped == 0 => self.reading.push(&text),
            Token::Text(_) => {}
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "ph" if attribute(tag, "type").is_some_and(|kind| kind == "title" || kind == "ctrTitle") => {
                self.reading.open_heading();
            }
            "p" => self.reading.gap(Gap::Line),
            "fld" => self.is_field = true,
            // Comments have their text in an element of that name.
            "t" | "text" if !self.is_field => self.in_text = true,
            "br" | "tc" => self.reading.gap(Gap::Space),
            "hlinkClick" if !self.is_link => {
                if let Some(target) = relation(tag).and_then(|id| self.relations.target(&id)) {
                    self.reading.open_link(target);
                    self.is_link = true;
                }
            }
            "Fallback" => self.skipped = 1,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "text" => {
                self.in_text = false;
                self.reading.gap(Gap::Line);
            }
            "fld" => self.is_field = false,
            "r" | "cNvPr" if std::mem::take(&mut self.is_link) => self.reading.close_link(),
            "p" => self.reading.gap(Gap::Line),
            "sp" => {
                self.reading.close_heading();
                self.reading.gap(Gap::Line);
            }
            _ => {}
        }
    }
}
