//! The trees of a PDF that are worth a list: its outline and its embedded files.

use super::info::entry;
use gatherer_pipeline::Draft;
use lopdf::{Dictionary, Document, Object};
use std::collections::HashSet;

/// Most headings.
const HEADINGS: usize = 10_000;
/// Most nodes of the tree of embedded files, and most of the files.
const NODES: usize = 1_000;

/// Writes the headings, from the first to the last. Nodes that were met before are not entered again.
pub(super) fn write_outline(document: &Document, draft: &mut Draft) {
    let outlines = document.catalog().and_then(|catalog| document.get_dict_in_dict(catalog, b"Outlines"));
    let mut next: Vec<&Object> = outlines.and_then(|outlines| outlines.get(b"First")).into_iter().collect();
    let mut met = HashSet::new();
    let mut headings = Vec::new();
    while let Some(node) = next.pop() {
        let Some(node) = node.as_reference().ok().filter(|id| met.insert(*id)) else { continue };
        let Ok(node) = document.get_dictionary(node) else { continue };
        headings.push(entry(node, b"Title", document));
        if headings.len() >= HEADINGS {
            draft.complain(format!("more than {HEADINGS} headings"));
            break;
        }
        next.extend(node.get(b"Next"));
        next.extend(node.get(b"First"));
    }
    headings.retain(|heading| !heading.is_empty());
    draft.add("Headings", &headings.join("\n"));
}

/// Writes the names of the embedded files.
pub(super) fn write_attachments(document: &Document, draft: &mut Draft) {
    let names = document.catalog().and_then(|catalog| document.get_dict_in_dict(catalog, b"Names"));
    let root = names.and_then(|names| document.get_dict_in_dict(names, b"EmbeddedFiles"));
    let mut next: Vec<&Dictionary> = root.into_iter().collect();
    let mut files = Vec::new();
    for _ in 0..NODES {
        let Some(node) = next.pop() else { break };
        let list = |key: &[u8]| node.get_deref(key, document).and_then(Object::as_array).ok().into_iter().flatten();
        let kids = list(b"Kids").take(NODES).filter_map(|kid| document.dereference(kid).ok()?.1.as_dict().ok());
        next.extend(kids);
        let specifications = list(b"Names").filter_map(|object| document.dereference(object).ok()?.1.as_dict().ok());
        files.extend(specifications.take(NODES).map(|file| name(file, document)));
    }
    files.truncate(NODES);
    files.retain(|file| !file.is_empty());
    draft.add("Attachments", &files.join("\n"));
}

fn name(file: &Dictionary, document: &Document) -> String {
    let name = entry(file, b"UF", document);
    if name.is_empty() { entry(file, b"F", document) } else { name }
}
