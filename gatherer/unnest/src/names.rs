//! Names of members: relative paths that are safe to show, to store and to make URLs of.

use std::collections::HashMap;

/// Longest name in bytes. Longer ones are nonsense or an attack, and URLs must carry them.
pub(crate) const NAME_LIMIT: usize = 1_000;

/// A safe form of a path, and whether more was changed than its spelling (`./a`, `a//b`).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SafeName {
    pub(crate) name: String,
    pub(crate) changed: bool,
}

/// Makes a path relative, with `/` between its parts, without `..`, drive letters and control characters. Nothing if
/// nothing is left of it.
pub(crate) fn safe(raw: &str) -> Option<SafeName> {
    let slashed = raw.replace('\\', "/");
    let without_drive = match slashed.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => slashed.get(2..).unwrap_or_default(),
        _ => &slashed,
    };
    let mut changed = without_drive.len() != raw.len() || slashed.starts_with('/');
    let mut parts = Vec::new();
    for part in without_drive.split('/') {
        match part.trim_matches(char::is_control) {
            "" | "." => {}
            ".." => changed = true,
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    let mut name: String = joined.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    changed |= name != joined;
    if name.len() > NAME_LIMIT {
        name.truncate(name.floor_char_boundary(NAME_LIMIT));
        changed = true;
    }
    (!name.is_empty()).then_some(SafeName { name, changed })
}

/// One part of a path: what is no path but may hold slashes, such as an identifier.
pub(crate) fn flat(raw: &str) -> String {
    raw.trim().replace(['/', '\\'], "_")
}

/// A name that nothing was left of, or that is only told, not used.
pub(crate) fn shown(raw: &str) -> String {
    raw.chars().take(200).map(|c| if c.is_control() { '_' } else { c }).collect()
}

/// The last part of a path or URL path.
pub(crate) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Bytes as text: UTF-8, or else Latin-1, in which every byte is a character.
pub(crate) fn decoded(raw: &[u8]) -> String {
    match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => raw.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// The names already given in one container.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Each name with the number that was last added to it.
    names: HashMap<String, u32>,
}

impl Taken {
    /// The name itself, or with ` (2)` and so on if it was there before.
    pub(crate) fn unique(&mut self, name: String) -> String {
        let Some(last) = self.names.get(&name).copied() else {
            self.names.insert(name.clone(), 1);
            return name;
        };
        let mut number = last;
        let free = loop {
            number = number.saturating_add(1);
            let candidate = format!("{name} ({number})");
            if !self.names.contains_key(&candidate) || number == u32::MAX {
                break candidate;
            }
        };
        self.names.insert(name, number);
        self.names.insert(free.clone(), 1);
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: &str, changed: bool) {
        assert_eq!(safe(raw), Some(SafeName { name: expected.to_owned(), changed }), "{raw:?}");
    }

    #[test]
    fn good_names_stay_as_they_are() {
        check("a/b.txt", "a/b.txt", false);
        check("./a//b/./c", "a/b/c", false);
        check("..a/b..", "..a/b..", false);
        check("Grüße/x y", "Grüße/x y", false);
        check("dir\\file", "dir/file", false);
    }

    #[test]
    fn bad_names_are_made_safe() {
        check("/etc/passwd", "etc/passwd", true);
        check("../../x", "x", true);
        check("a/../b", "a/b", true);
        check("C:\\Windows\\x", "Windows/x", true);
        check("c:x", "x", true);
        check("a\u{0}b\nc", "a_b_c", true);
        check("\\\\server\\share", "server/share", true);
        check("..\u{0}/x", "x", true);
        let long = "ä".repeat(600);
        check(&long, &"ä".repeat(500), true);
    }

    #[test]
    fn of_some_names_nothing_is_left() {
        for raw in ["", "/", "..", "../..", "./", "C:", "\u{0}", "\\"] {
            assert_eq!(safe(raw), None, "{raw:?}");
        }
    }

    #[test]
    fn equal_names_are_numbered() {
        let mut taken = Taken::default();
        let given: Vec<_> = ["a", "a (2)", "a", "a", "a (2)"].map(|name| taken.unique(name.to_owned())).into();
        assert_eq!(given, ["a", "a (2)", "a (3)", "a (4)", "a (2) (2)"]);
    }

    #[test]
    fn what_is_no_utf_8_is_read_as_latin_1() {
        assert_eq!(decoded(b"Gr\xfc\xdfe"), "Grüße");
        assert_eq!(decoded("Grüße".as_bytes()), "Grüße");
    }
}
