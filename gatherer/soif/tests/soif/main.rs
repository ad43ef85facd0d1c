//! The crate from outside: what is accepted, what is emitted, what damage does, and round trips.

mod accepts;
mod damage;
mod emits;
mod limits;
mod round_trips;

use std::io::BufRead;

use gatherer_soif::{Item, ReadError, Reader};

/// Everything a reader gives, one line each: `UPDATE {`, `} UPDATE`, `@FILE url`, ` name=value`,
/// and errors by their kind.
fn show<R: BufRead>(mut reader: Reader<R>) -> String {
    let mut lines = Vec::new();
    while let Some(item) = reader.next_item().transpose() {
        match item {
            Ok(Item::WrapperStart(wrapper)) => lines.push(format!("{} {{", wrapper.name())),
            Ok(Item::WrapperEnd(wrapper)) => lines.push(format!("}} {}", wrapper.name())),
            Ok(Item::Object(object)) => {
                lines.push(format!("@{} {}", object.template, object.url));
                lines.extend(object.iter().map(|a| format!(" {}={}", a.name, a.value.escape_ascii())));
            }
            Err(error) => lines.push(kind(&error).to_owned()),
        }
    }
    lines.join("\n")
}

fn kind(error: &ReadError) -> &'static str {
    match error {
        ReadError::Source { .. } => "!source",
        ReadError::Cut { .. } => "!cut",
        ReadError::Malformed { .. } => "!malformed",
        ReadError::TooLarge { .. } => "!too large",
        _ => "!other",
    }
}

fn check(input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    assert_eq!(show(Reader::new(input)), expected, "{}", input.escape_ascii());
}
