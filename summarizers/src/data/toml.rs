//! TOML, in the order of the file.

use super::shape::{Shape, Sort};
use toml::de::{DeTable, DeValue};

/// Most bytes that are read. The reader takes more than its share of time where arrays nest beyond its limit.
const LIMIT: usize = 4 << 20;

/// Tells the shape what the text holds. Gives what is wrong with it, if anything is.
pub(super) fn read(text: &str, shape: &mut Shape) -> Option<String> {
    let is_cut = text.len() > LIMIT;
    let text = &text[..text.floor_char_boundary(LIMIT)];
    let error = match DeTable::parse(text) {
        Ok(table) if table.get_ref().is_empty() => return Some("it has no keys".to_owned()),
        Ok(table) => {
            tell_table(table.get_ref(), shape);
            return is_cut.then(|| format!("only {LIMIT} bytes are read"));
        }
        Err(error) => error,
    };
    // What stands before the line of the mistake may be whole, or else what stands before its table.
    let place = error.span().map_or(0, |span| text.floor_char_boundary(span.start));
    let line = text[..place].rfind('\n').unwrap_or(0);
    let table = text[..line].rfind("\n[").unwrap_or(0);
    for end in [line, table] {
        if let Ok(table) = DeTable::parse(&text[..end])
            && !table.get_ref().is_empty()
        {
            tell_table(table.get_ref(), shape);
            break;
        }
    }
    let number = text[..place].matches('\n').count() + 1;
    Some(format!("no TOML from line {number} on: {}", error.message()))
}

/// Recursion is safe: the reader itself allows some dozens of levels only.
fn tell_table(table: &DeTable<'_>, shape: &mut Shape) {
    shape.open(false);
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        shape.key(key.get_ref());
        tell(value.get_ref(), shape);
    }
    shape.close();
}

fn tell(value: &DeValue<'_>, shape: &mut Shape) {
    match value {
        DeValue::Table(table) => tell_table(table, shape),
        DeValue::Array(values) => {
            shape.open(true);
            values.iter().for_each(|value| tell(value.get_ref(), shape));
            shape.close();
        }
        DeValue::String(text) => shape.value(text, Sort::Text),
        DeValue::Integer(number) => shape.value(number.as_str(), Sort::Number),
        DeValue::Float(number) => shape.value(number.as_str(), Sort::Number),
        DeValue::Boolean(word) => shape.value(if *word { "true" } else { "false" }, Sort::Word),
        DeValue::Datetime(date) => shape.value(&date.to_string(), Sort::Word),
    }
}
