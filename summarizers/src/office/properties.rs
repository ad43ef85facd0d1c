//! What a document says of itself, in the words of all office suites.

use super::package::Package;
use super::xml::Token;
use crate::fold::Folded;
use crate::html;
use gatherer_pipeline::Draft;

/// Most bytes of one property.
const LIMIT: usize = 10_000;

/// Writes the properties of an Office Open XML package.
pub(super) fn write(package: &mut Package<'_>, draft: &mut Draft) {
    for part in ["docProps/core.xml", "docProps/app.xml"] {
        let mut value = Folded::new(LIMIT);
        package.visit(part, |token| {
            match token {
                Token::Start(_) => value = Folded::new(LIMIT),
                Token::Text(text) => value.push_lines(&text),
                Token::End(tag) => {
                    let value = std::mem::replace(&mut value, Folded::new(LIMIT)).into_text();
                    write_one(tag.local_name().as_ref(), &value, draft);
                }
            }
            true
        });
    }
}

fn write_one(name: &str, value: &str, draft: &mut Draft) {
    match name {
        "title" => draft.add("Title", value),
        "creator" => authors(value, draft),
        "subject" => draft.add("Subject", value),
        "description" => draft.add("Description", value),
        "keywords" => keywords(value, draft),
        "category" => draft.add("Category", value),
        "language" => draft.add("Language", value),
        "lastModifiedBy" => draft.add("Modified-By", value),
        "created" => draft.add("Created", &date(value)),
        "modified" => draft.add("Modified", &date(value)),
        "Application" => draft.add("Generator", value),
        "Company" => draft.add("Company", value),
        "Manager" => draft.add("Manager", value),
        "Pages" => count("Pages", value, draft),
        "Words" => count("Words", value, draft),
        _ => {}
    }
}

/// One author a line; suites put a semicolon between them.
pub(crate) fn authors(value: &str, draft: &mut Draft) {
    for author in value.split(';') {
        draft.add("Author", author);
    }
}

/// One keyword a line.
pub(crate) fn keywords(value: &str, draft: &mut Draft) {
    draft.add("Keywords", &html::keywords(&[value.replace([';', '\n'], ",")]));
}

/// Writes a number that is not zero: who did not count writes zero.
pub(crate) fn count(name: &str, value: &str, draft: &mut Draft) {
    if let Ok(number) = value.trim().parse::<u32>()
        && number > 0
    {
        draft.add(name, &number.to_string());
    }
}

/// A date without fractions of seconds; nothing if it is none, or the day from which computers count.
pub(crate) fn date(value: &str) -> String {
    let value = value.trim();
    let is_date = value.len() < 40 && value.bytes().take(4).filter(u8::is_ascii_digit).count() == 4;
    if !is_date || value.starts_with("0000") || value.starts_with("1601-01-01") {
        return String::new();
    }
    let Some((whole, fraction)) = value.split_once('.') else { return value.to_owned() };
    format!("{whole}{}", fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}
