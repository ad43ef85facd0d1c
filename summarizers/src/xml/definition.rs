//! Document type definitions that stand alone: the elements that they define.

use crate::fold::Folded;
use gatherer_pipeline::Draft;
use std::collections::HashSet;

/// Most elements that are told.
const ELEMENTS: usize = 2_000;

/// Writes the elements and comments of a definition. Says whether it is one.
pub(super) fn write(text: &str, draft: &mut Draft) -> bool {
    let mut known = HashSet::new();
    let names = text.split("<!ELEMENT").skip(1).filter_map(|rest| rest.split_whitespace().next());
    let elements: Vec<_> = names.filter(|name| name.len() <= 200 && known.insert(*name)).take(ELEMENTS).collect();
    let has_entities = text.contains("<!ENTITY") || text.contains("<!ATTLIST");
    if elements.is_empty() && !has_entities {
        return false;
    }
    draft.add("Format", "DTD");
    draft.add("Elements", &elements.join("\n"));
    let comments = text.split("<!--").skip(1).filter_map(|rest| rest.split("-->").next());
    let mut told = String::new();
    for comment in comments {
        if told.len() >= Draft::VALUE_LIMIT {
            break;
        }
        told.push_str(&Folded::line(comment, Draft::VALUE_LIMIT));
        told.push('\n');
    }
    draft.set_text(&told);
    true
}
