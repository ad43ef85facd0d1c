//! Keys of other times: what was called otherwise, or stood elsewhere, and what to write instead.

/// Section (empty: a section of its own), key, and what to do. A key that is renamed or taken away gets its line here, and keeps
/// it for as long as configs of that time may be about. Names of Harvest are here too: who comes from there writes them first.
const FORMER: &[(&str, &str, &str)] = &[
    ("", "root-nodes", "each root node is a section of its own: [[root-node]] with `url`"),
    ("", "leaf-nodes", "single documents are `leaves` of a [[root-node]]"),
    ("", "post-summarizing", "rules are [[rule]]; Harvest's file is read by a [[rule]] with `file`"),
    ("gatherer", "gatherer-name", "it is `name` here"),
    ("gatherer", "gatherer-host", "it is `host` here"),
    ("gatherer", "gatherer-port", "it is `listen` of [broker], such as \"127.0.0.1:8500\""),
    ("gatherer", "port", "it is `listen` of [broker], such as \"127.0.0.1:8500\""),
    ("gatherer", "top-directory", "paths are relative to this file"),
    ("gatherer", "access-delay", "it is `delay` of [root-node-defaults], with a unit, such as \"1s\""),
    ("gatherer", "http-proxy", "it is `proxy` of [root-node-defaults], such as \"http://proxy:3128\""),
    ("gatherer", "post-summarizing", "rules are [[rule]]; Harvest's file is read by a [[rule]] with `file`"),
    ("gatherer", "refresh-rate", "it is `refresh-rate` of [root-node-defaults], with a unit, such as \"7d\""),
    ("gatherer", "time-to-live", "it is `time-to-live` of [root-node-defaults], with a unit, such as \"28d\""),
    ("root-node", "host", "the most hosts are `host-max`, which ones are `host-filter`"),
    ("root-node", "search", "it is `order`: \"breadth\", \"depth\" or \"best\""),
];

/// What to write in the place of a former key.
pub(crate) fn former(table: &str, key: &str) -> Option<&'static str> {
    let key = key.to_ascii_lowercase();
    FORMER.iter().find(|(of, name, _)| *of == table && *name == key).map(|(_, _, instead)| *instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::describe;

    /// A key that is in use is no former one.
    #[test]
    fn former_keys_are_not_in_use() {
        let description = describe();
        for (table, key, _) in FORMER {
            assert!(!description.shapes.contains_key(&(*table, *key)), "`{key}` of [{table}] is in use");
            assert!(
                !description.shapes.keys().any(|(section, _)| table.is_empty() && section == key),
                "[{key}] is in use"
            );
        }
    }
}
