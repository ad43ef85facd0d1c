//! YAML, event by event. Aliases are not followed, so a small file cannot become a large one.

use super::shape::{Shape, Sort};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// Tells the shape what the documents hold. Gives what is wrong with them, if anything is.
pub(super) fn read(text: &str, shape: &mut Shape) -> Option<String> {
    let mut parser = Parser::new_from_str(text);
    let mut place = Place::default();
    loop {
        let event = match parser.next_event()? {
            Ok((Event::StreamEnd, _)) => return shape.is_empty().then(|| "it is empty".to_owned()),
            Ok((event, _)) => event,
            Err(error) => {
                // What breaks off within its first lines is closed here, so that it counts.
                return Some(format!("no YAML from line {} on: {}", error.marker().line(), error.info()));
            }
        };
        match event {
            Event::MappingStart(..) => place.open(false, shape),
            Event::SequenceStart(..) => place.open(true, shape),
            Event::MappingEnd | Event::SequenceEnd => place.close(shape),
            Event::Scalar(value, style, ..) => place.scalar(&value, sort(&value, style), shape),
            Event::Alias(_) => place.scalar("", Sort::Word, shape),
            _ => {}
        }
    }
}

/// What is open, the innermost last: a list, a map before a key, or a map before a value.
#[derive(Default)]
struct Place(Vec<Within>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    List,
    Key,
    Value,
    /// Inside of a map or list that stands for a key: nobody looks at it.
    Odd,
}

impl Place {
    fn open(&mut self, is_list: bool, shape: &mut Shape) {
        let is_odd = matches!(self.0.last(), Some(Within::Key | Within::Odd));
        if is_odd {
            return self.0.push(Within::Odd);
        }
        shape.open(is_list);
        self.0.push(if is_list { Within::List } else { Within::Key });
    }

    fn close(&mut self, shape: &mut Shape) {
        match self.0.pop() {
            // A key that was a map, and now its value comes.
            Some(Within::Odd) if self.0.last() != Some(&Within::Odd) => {
                shape.key("?");
                self.step();
            }
            Some(Within::Odd) | None => {}
            Some(_) => {
                shape.close();
                self.step();
            }
        }
    }

    fn scalar(&mut self, value: &str, sort: Sort, shape: &mut Shape) {
        match self.0.last() {
            Some(Within::Odd) => return,
            Some(Within::Key) => shape.key(value),
            _ => shape.value(value, sort),
        }
        self.step();
    }

    /// Keys and values take turns.
    fn step(&mut self) {
        if let Some(within) = self.0.last_mut() {
            *within = match *within {
                Within::Key => Within::Value,
                Within::Value => Within::Key,
                other => other,
            };
        }
    }
}

fn sort(value: &str, style: ScalarStyle) -> Sort {
    let is_word = ["", "~", "null", "true", "false", "yes", "no", "on", "off"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(value));
    if style != ScalarStyle::Plain {
        Sort::Text
    } else if is_word {
        Sort::Word
    } else if value.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) && value.parse::<f64>().is_ok() {
        Sort::Number
    } else {
        Sort::Text
    }
}
