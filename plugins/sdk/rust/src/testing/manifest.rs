//! A plugin's word on itself, held against its manifest.

use crate::Plugin;

/// Holds `NAME`, `VERSION`, `KINDS` and `OPTIONS` of a plugin against the text of its `plugin.toml`. This reads TOML as
/// far as manifests use it, one key a line; whether the manifest itself is right is for `gatherer check` to say.
///
/// # Panics
/// If they do not agree.
#[track_caller]
pub fn manifest<P: Plugin>(text: &str) {
    let values = |table: &str, key: &str| entries(text).find(|entry| entry.is(table, key)).map(|entry| entry.values());
    let one = |value: &str| Some(vec![value.to_owned()]);
    assert_eq!(values("", "name"), one(P::NAME), "the name");
    assert_eq!(values("", "version"), one(P::VERSION), "the version");
    let kinds: Vec<_> = P::KINDS.iter().copied().map(str::to_owned).collect();
    assert_eq!(values("", "kinds").unwrap_or_default(), kinds, "the kinds");
    for setting in P::OPTIONS {
        let table = format!("options.{}", setting.name);
        assert_eq!(values(&table, "about"), one(setting.about), "about the option {}", setting.name);
        assert_eq!(values(&table, "default"), setting.default.and_then(one), "the default of {}", setting.name);
    }
    let in_manifest = text.lines().filter(|line| line.trim().starts_with("[options.")).count();
    assert_eq!(in_manifest, P::OPTIONS.len(), "the number of options");
}

struct Entry<'a> {
    table: &'a str,
    key: &'a str,
    value: &'a str,
}

impl Entry<'_> {
    fn is(&self, table: &str, key: &str) -> bool {
        self.table == table && self.key == key
    }

    /// What stands in quotes, up to a comment.
    fn values(&self) -> Vec<String> {
        let mut values = Vec::new();
        let mut rest = self.value;
        while let Some(start) = rest.find(['"', '\'', '#']) {
            let (quote, behind) = rest[start..].split_at(1);
            let Some((value, after)) = behind.split_once(quote).filter(|_| quote != "#") else { break };
            values.push(value.to_owned());
            rest = after;
        }
        values
    }
}

fn entries(text: &str) -> impl Iterator<Item = Entry<'_>> {
    let mut table = "";
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']);
            return None;
        }
        let (key, value) = line.split_once('=')?;
        (!line.starts_with('#')).then(|| Entry { table, key: key.trim(), value: value.trim() })
    })
}
