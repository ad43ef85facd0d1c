//! What packages say of themselves: fields as in mail, in one member of the archive.

use crate::fold::Folded;
use crate::links::Links;
use gatherer_pipeline::Draft;
use url::Url;

/// Fields with their attributes: Python packages, Java archives and Debian packages.
#[rustfmt::skip]
const FIELDS: &[(&str, &str)] = &[
    ("Name", "Title"), ("Package", "Title"), ("Implementation-Title", "Title"), ("Bundle-Name", "Title"),
    ("Specification-Title", "Title"), ("Version", "Version"), ("Implementation-Version", "Version"),
    ("Bundle-Version", "Version"), ("Summary", "Description"), ("Bundle-Description", "Description"),
    ("Description", "Description"), ("Author", "Author"), ("Author-email", "Author"), ("Maintainer", "Author"),
    ("Built-By", "Author"), ("Implementation-Vendor", "Publisher"), ("Bundle-Vendor", "Publisher"),
    ("License-Expression", "License"), ("License", "License"), ("Bundle-License", "License"), ("Keywords", "Keywords"),
    ("Section", "Keywords"), ("Created-By", "Generator"), ("Generator", "Generator"), ("Architecture", "Architecture"),
    ("Main-Class", "Main-Class"), ("Requires-Dist", "Dependencies"), ("Depends", "Dependencies"),
    ("Require-Bundle", "Dependencies"),
];
/// Fields that lead elsewhere.
const LINKS: &[&str] = &["Home-page", "Homepage", "Project-URL", "Bundle-DocURL", "Implementation-URL"];
/// Fields that stand once a value.
const REPEATED: &[&str] = &["Requires-Dist"];

/// Most lines that are read.
const LINES: usize = 20_000;

/// Whether a member of this name describes the package.
pub(super) fn describes(name: &str) -> bool {
    let name = name.strip_prefix("./").unwrap_or(name);
    let depth = name.matches('/').count();
    match name.rsplit('/').next().unwrap_or_default() {
        "METADATA" => depth == 1 && name.contains(".dist-info/"),
        "PKG-INFO" => depth == 1,
        "MANIFEST.MF" => name == "META-INF/MANIFEST.MF",
        "control" => depth == 0,
        _ => false,
    }
}

/// Writes what the fields say; what stands behind them is the text.
pub(super) fn write(name: &str, content: &[u8], url: &Url, draft: &mut Draft) {
    let content = String::from_utf8_lossy(content).replace("\r\n", "\n");
    // A manifest tells of single members behind its first blank line.
    let is_manifest = name.starts_with("META-INF/");
    let (head, body) = content.split_once("\n\n").unwrap_or((&content, ""));
    let mut links = Links::default();
    for (field, value) in fields(head, is_manifest) {
        let known = FIELDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&field));
        if let Some((field, attribute)) = known
            && (draft.get(attribute).is_none() || REPEATED.contains(field))
        {
            let is_list = *attribute == "Keywords" || *field == "Depends";
            draft.add(attribute, &if is_list { value.replace(',', "\n").replace("\n ", "\n") } else { value.clone() });
        }
        // `Project-URL: Label, address`
        let address = value.rsplit(' ').next().unwrap_or_default();
        if LINKS.iter().any(|known| known.eq_ignore_ascii_case(&field)) && address.starts_with("http") {
            links.refer(address, "");
        }
    }
    links.write(url, draft);
    if !is_manifest {
        draft.set_text(body);
    }
}

/// Names and values. A line that begins with a blank goes on with the one before; in manifests without a gap.
fn fields(head: &str, is_manifest: bool) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in head.lines().take(LINES) {
        if let Some(rest) = line.strip_prefix([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push_str(if is_manifest { "" } else { " " });
                value.push_str(rest.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    fields.retain(|(_, value)| !value.is_empty() && value != "UNKNOWN");
    fields.iter_mut().for_each(|(_, value)| *value = Folded::line(value, 100_000));
    fields
}
