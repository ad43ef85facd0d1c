//! What stands before a Markdown text between `---` or `+++`: one name and its value a line, or a list of values.
//!
//! This is no reader of YAML or TOML: what is nested is passed over, and what is left is what people write there.

use gatherer_pipeline::Draft;

/// Most bytes of the front matter.
const LIMIT: usize = 64 << 10;

/// Parts the text into what stands in front, if anything does, and the rest.
pub(super) fn split(text: &str) -> (&str, &str) {
    let fence = ["---\n", "+++\n"].into_iter().find(|fence| text.starts_with(fence));
    let Some(mark) = fence.map(str::trim_end) else { return ("", text) };
    let mut end = mark.len() + 1;
    for line in text[end..].split_inclusive('\n') {
        if end > LIMIT {
            break;
        }
        let bare = line.trim_end();
        if bare == mark || (mark == "---" && bare == "...") {
            return (&text[mark.len() + 1..end], &text[end + line.len()..]);
        }
        end += line.len();
    }
    // A rule, and not the beginning of anything.
    ("", text)
}

/// Writes title, authors, dates, keywords and description.
pub(super) fn write(front: &str, draft: &mut Draft) {
    let mut attribute = None;
    for line in front.lines() {
        let item = line.trim_start().strip_prefix("- ");
        if let Some(item) = item.filter(|item| !item.contains(": ")) {
            attribute.into_iter().for_each(|name| add(name, item, draft));
            continue;
        }
        let nested = line.starts_with([' ', '\t']);
        // The name in a nested list of authors.
        let (name, value) = line.trim_start_matches([' ', '\t', '-']).split_once([':', '=']).unwrap_or((line, ""));
        attribute = match (name.trim().to_ascii_lowercase().as_str(), nested) {
            ("name", true) => attribute.filter(|known| *known == "Author"),
            (_, true) => {
                continue;
            }
            (name, false) => attribute_of(name),
        };
        attribute.into_iter().for_each(|name| values(value).for_each(|value| add(name, value, draft)));
    }
}

fn attribute_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "title" => "Title",
        "author" | "authors" | "creator" => "Author",
        "date" | "created" | "publishdate" | "pubdate" | "published" => "Created",
        "updated" | "lastmod" | "modified" | "last_modified_at" => "Modified",
        "tags" | "keywords" | "categories" | "tag" | "category" => "Keywords",
        "description" | "summary" | "excerpt" | "subtitle" | "abstract" => "Description",
        "lang" | "language" | "locale" => "Language",
        "license" | "licence" => "License",
        "copyright" | "rights" => "Copyright",
        _ => return None,
    })
}

/// One value, or those of a list in brackets.
fn values(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    // `>` and `|` stand before a value in lines of its own.
    let one = Some(text).filter(|text| list.is_none() && !matches!(*text, ">" | "|" | ">-" | "|-"));
    list.into_iter().flat_map(|list| list.split(',')).chain(one)
}

fn add(name: &str, value: &str, draft: &mut Draft) {
    let value = value.trim();
    let value = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(value);
    let whole = match name {
        // `2024-05-01 12:00:00 +0200` as everybody else writes it.
        "Created" | "Modified" => value.replacen(' ', "T", 1).replace(' ', ""),
        _ => value.to_owned(),
    };
    if draft.get(name).is_none_or(|_| matches!(name, "Author" | "Keywords")) {
        draft.add(name, &whole);
    }
}
