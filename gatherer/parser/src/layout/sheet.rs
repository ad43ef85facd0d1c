//! What the style sheet of a page makes bold: pages of tables and boxes have no other headings.

use std::collections::HashSet;

/// No more of a sheet is read.
const LIMIT: usize = 1 << 16;

/// The classes and ids that are bold.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    bold: HashSet<String>,
}

impl Sheet {
    /// Reads the rules of a STYLE element.
    pub(super) fn read(&mut self, text: &str) {
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at < LIMIT).last().unwrap_or(0);
        for rule in text[..end].split('}') {
            let Some((selectors, rest)) = rule.rsplit_once('{') else { continue };
            if is_bold(rest) {
                self.bold.extend(selectors.split(',').filter_map(name));
            }
        }
    }

    /// Whether an element with these classes and ids is bold.
    pub(super) fn makes_bold(&self, names: &str) -> bool {
        !self.bold.is_empty() && names.split_ascii_whitespace().any(|name| self.bold.contains(name))
    }
}

/// Whether declarations make letters bold.
pub(super) fn is_bold(declarations: &str) -> bool {
    let lower = declarations.to_ascii_lowercase();
    let Some((_, rest)) = lower.split_once("font-weight") else { return false };
    let weight = rest.trim_start_matches([':', ' ']).split([';', ' ', '!']).next().unwrap_or_default();
    weight.starts_with("bold") || weight.parse::<u16>().is_ok_and(|weight| weight >= 600)
}

/// The class or id that a selector ends with: `td.head`, `#top .name`.
fn name(selector: &str) -> Option<String> {
    let last = selector.split_ascii_whitespace().last()?;
    let (_, name) = last.rsplit_once(['.', '#'])?;
    (!name.is_empty() && !name.contains([':', '[', '>'])).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bold_classes_are_known_by_their_names() {
        let mut sheet = Sheet::default();
        sheet.read("td {color:red} .h, td.name {background:#069; font-weight: bold} .x {font-weight:400} a:hover{font-weight:700}");
        let check = |names: &str, expected: bool| assert_eq!(sheet.makes_bold(names), expected, "{names}");
        check("h", true);
        check("wide name", true);
        check("x", false);
        check("hover", false);
    }
}
