//! From one TOML value to a checked value, or to the faults in it.
//!
//! Every function here can be given to [`Section::get`](crate::section::Section::get). What only one key asks for
//! stands beside that key.

use crate::shape::Shape;
use gatherer_pipeline::quantity;
use regex::Regex;
use std::ops::Range;
use std::ops::RangeInclusive;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeInteger, DeValue};

/// A value and where it stands.
pub(crate) type Item<'a> = Spanned<DeValue<'a>>;

/// What is wrong with a value. A list can have several.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) label: String,
    /// What would have been of the right sort, if the fault is that this is not.
    pub(crate) wants: Option<Shape>,
}

/// A checked value or its faults.
pub(crate) type Checked<T> = Result<T, Vec<Fault>>;

/// The one fault of `item`.
pub(crate) fn fault<T>(item: &Item<'_>, message: impl Into<String>, label: impl Into<String>) -> Checked<T> {
    Err(vec![Fault { span: item.span(), message: message.into(), label: label.into(), wants: None }])
}

/// The same, where what is wanted is of this shape. Who reads values of a sort of its own says so.
pub(crate) fn wanting<T>(checked: Checked<T>, shape: impl FnOnce() -> Shape) -> Checked<T> {
    checked.map_err(|mut faults| {
        let shape = shape();
        faults.iter_mut().for_each(|fault| fault.wants = Some(shape.clone()));
        faults
    })
}

/// The wrong sort of value.
fn mismatch<T>(item: &Item<'_>, expected: &str, wants: Shape) -> Checked<T> {
    let sort = match item.get_ref() {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    wanting(fault(item, format!("expected {expected}"), format!("this is {sort}")), || wants)
}

pub(crate) fn text(item: &Item<'_>) -> Checked<String> {
    text_as(item, "text in quotes").map(str::to_owned)
}

/// Text that says something.
pub(crate) fn some_text(item: &Item<'_>) -> Checked<String> {
    let text = text_of(item, "text in quotes", Shape::SomeText)?.to_owned();
    if text.trim().is_empty() { fault(item, "expected some text", "this is empty") } else { Ok(text) }
}

/// Text that is the form of something else, which is named in the complaint.
pub(crate) fn text_as<'i>(item: &'i Item<'_>, expected: &str) -> Checked<&'i str> {
    text_of(item, expected, Shape::Text)
}

/// The same, where the shape of that is known.
fn text_of<'i>(item: &'i Item<'_>, expected: &str, shape: Shape) -> Checked<&'i str> {
    item.get_ref().as_str().map_or_else(|| mismatch(item, expected, shape), Ok)
}

pub(crate) fn flag(item: &Item<'_>) -> Checked<bool> {
    item.get_ref().as_bool().map_or_else(|| mismatch(item, "true or false", Shape::Flag), Ok)
}

pub(crate) fn texts(item: &Item<'_>) -> Checked<Vec<String>> {
    list(item, "a list of texts, such as [\"a\", \"b\"]", text)
}

/// A list; the faults of all its elements.
pub(crate) fn list<T>(item: &Item<'_>, expected: &str, each: impl Fn(&Item<'_>) -> Checked<T>) -> Checked<Vec<T>> {
    let Some(array) = item.get_ref().as_array() else {
        return mismatch(item, expected, Shape::List(Box::new(Shape::of(each))));
    };
    all(array.iter().map(each))
}

/// Everything, or every fault.
pub(crate) fn all<T>(checked: impl Iterator<Item = Checked<T>>) -> Checked<Vec<T>> {
    let (mut values, mut faults) = (Vec::new(), Vec::new());
    for one in checked {
        match one {
            Ok(value) => values.push(value),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(faults) }
}

/// A table of texts, in the order in which they were written.
pub(crate) fn pairs(item: &Item<'_>) -> Checked<Vec<(String, String)>> {
    let Some(table) = item.get_ref().as_table() else {
        return mismatch(item, "a table, such as { Author = \"Jack\" }", Shape::Table(Box::new(Shape::Text)));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start); // A TOML table sorts by name.
    all(entries.into_iter().map(|(key, value)| Ok((key.get_ref().to_string(), text(value)?))))
}

/// A whole number, `least` or more.
pub(crate) fn count<T: TryFrom<u64>>(least: u64) -> impl Fn(&Item<'_>) -> Checked<T> {
    move |item| {
        let Some(integer) = item.get_ref().as_integer() else {
            return mismatch(item, "a whole number", Shape::Count { least });
        };
        let number = whole(integer).filter(|number| *number >= least);
        match number.and_then(|number| T::try_from(number).ok()) {
            Some(number) => Ok(number),
            None if number.is_some() => fault(item, "expected a smaller number", "more than we can count"),
            None => fault(item, format!("expected a whole number, {least} or more"), format!("less than {least}")),
        }
    }
}

fn whole(integer: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A weight, nothing or more.
pub(crate) fn weight(item: &Item<'_>) -> Checked<f64> {
    number(item, (0, 1_000_000), "a weight, such as 1 or 0.5", "outside 0 to a million")
}

/// A part of the whole, from 0 to 1.
pub(crate) fn share(item: &Item<'_>) -> Checked<f64> {
    number(item, (0, 1), "a share from 0 to 1, such as 0.2", "outside 0 to 1")
}

fn number(item: &Item<'_>, (least, most): (u32, u32), expected: &str, otherwise: &str) -> Checked<f64> {
    let range: RangeInclusive<f64> = least.into()..=most.into();
    let digits = match item.get_ref() {
        DeValue::Float(float) => float.as_str(),
        DeValue::Integer(integer) => integer.as_str(),
        _ => return mismatch(item, expected, Shape::Number { least, most }),
    };
    match digits.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => fault(item, format!("expected {expected}"), otherwise),
    }
}

/// One of a few words.
pub(crate) fn choice<T: Copy>(choices: &[(&str, T)]) -> impl Fn(&Item<'_>) -> Checked<T> {
    move |item| {
        let words: Vec<_> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = words.join(" or ");
        let shape = || Shape::Words(choices.iter().map(|(word, _)| (*word).to_owned()).collect());
        let text = text_of(item, &expected, shape())?;
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(*choice),
            None => fault(item, format!("expected {expected}"), "none of these"),
        }
    }
}

/// A span of time with its unit; zero is one.
pub(crate) fn duration(item: &Item<'_>) -> Checked<Duration> {
    const EXPECTED: &str = "a duration in quotes, such as \"7d\", \"90m\" or \"1s\"";
    quantity::duration(text_of(item, EXPECTED, Shape::Duration)?)
        .or_else(|label| fault(item, format!("expected {EXPECTED}"), label))
}

/// A span of time that something must end in.
pub(crate) fn limit(item: &Item<'_>) -> Checked<Duration> {
    match duration(item)? {
        Duration::ZERO => fault(item, "expected a duration longer than nothing", "nothing ends in no time"),
        limit => Ok(limit),
    }
}

/// Bytes, with their unit; these are all sizes of things in memory.
pub(crate) fn size(item: &Item<'_>) -> Checked<usize> {
    const EXPECTED: &str = "a size in quotes, such as \"16MiB\", \"8KiB\" or \"512B\"";
    match quantity::size(text_of(item, EXPECTED, Shape::Size)?).map(usize::try_from) {
        Ok(Ok(0)) => fault(item, "expected a size greater than nothing", "nothing fits in here"),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => fault(item, format!("expected {EXPECTED}"), "not a size"),
        Err(label) => fault(item, format!("expected {EXPECTED}"), label),
    }
}

pub(crate) fn regex(item: &Item<'_>) -> Checked<Regex> {
    pattern(item, text_of(item, "a regular expression in quotes", Shape::SomeText)?)
}

/// `text`, which stands in `item`, as a regular expression.
pub(crate) fn pattern(item: &Item<'_>, text: &str) -> Checked<Regex> {
    Regex::new(text).or_else(|error| {
        let error = error.to_string(); // The last of its lines says what is wrong, the others show the pattern.
        let reason = error.lines().last().unwrap_or_default();
        fault(item, format!("`{text}` is no regular expression"), reason.trim_start_matches("error: "))
    })
}

/// A value as one line of TOML.
pub(crate) fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(array) => {
            let items: Vec<_> = array.iter().map(|item| written(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) if table.is_empty() => "{}".to_owned(),
        DeValue::Table(table) => {
            let entries: Vec<_> = table
                .iter()
                .map(|(key, value)| format!("{} = {}", key_written(key.get_ref()), written(value.get_ref())))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A key, in quotes only where it needs them.
fn key_written(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if !key.is_empty() && key.bytes().all(is_bare) { key.to_owned() } else { quoted(key) }
}

/// What somebody means who leaves out the scheme of a URL: `localhost:8000`, `www.example.org/docs/`.
pub fn with_scheme(text: &str) -> Option<String> {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    let is_host = is_name && port.map_or(name.contains('.') || name == "localhost", is_port);
    let is_near = port.is_some() || name == "localhost" || name.parse::<std::net::Ipv4Addr>().is_ok();
    let scheme = if is_near { "http" } else { "https" };
    let whole = url::Url::parse(&format!("{scheme}://{text}")).ok().filter(|_| is_host)?;
    Some(whole.into())
}

/// Text as a TOML string, as people would write it: patterns without doubled backslashes.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains(['\\', '"']) && !text.contains(|c: char| c == '\'' || c.is_control()) {
        return format!("'{text}'");
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests;
