//! Configurations of Harvest.

use super::load;
use crate::import;
use proptest::prelude::*;
use std::path::Path;

fn imported(text: &str) -> crate::Import {
    import(text, Path::new("/no/such/place"), Some("me@example.org"))
}

#[test]
fn what_nothing_is_said_of_is_as_harvest_had_it() {
    let made = imported("<RootNodes>\nhttp://example.org/\n</RootNodes>\n");
    let settings = load(&made.toml).unwrap_or_else(|complaints| panic!("{complaints}\n{}", made.toml));
    let node = &settings.root_nodes[0];
    assert_eq!((node.url_max, node.host_max, node.depth), (250, 1, None));
    assert!(made.remarks.is_empty(), "{:?}", made.remarks);
}

#[test]
fn lines_go_on_and_comments_end() {
    let made =
        imported("# <RootNodes>\n<rootnodes>\nhttp://example.org/a#b URL=7 \\\n  Depth=2 # Depth=3\n</ROOTNODES>\n");
    let settings = load(&made.toml).unwrap_or_else(|complaints| panic!("{complaints}\n{}", made.toml));
    let node = &settings.root_nodes[0];
    assert_eq!((node.url_max, node.depth, node.start[0].as_str()), (7, Some(2), "http://example.org/a#b"));
}

#[test]
fn root_nodes_get_names_of_their_own() {
    let made =
        imported("<RootNodes>\nhttp://example.org/a\nhttps://example.org/a\nhttp://example.org/a?b\n</RootNodes>\n");
    let settings = load(&made.toml).unwrap_or_else(|complaints| panic!("{complaints}\n{}", made.toml));
    let names: Vec<_> = settings.root_nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["example.org/a", "example.org/a 2", "example.org/a 3"]);
}

fn line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "<RootNodes>",
        "</RootNodes>",
        "<LeafNodes>",
        "</LeafNodes>",
        "http://example.org/",
        "ftp://a@b:c/",
        "|",
        "URL=",
        "URL=9,",
        "Host=2",
        "Site=,x",
        "Access=HTTP|FTP",
        "Delay=1",
        "Depth=-3",
        "Search=Depth",
        "Enumeration=x",
        "Gatherer-Name:",
        "Gatherer-Port:",
        "8500",
        "Local-Mapping:",
        "HTTP-Proxy:",
        "Refresh-Rate:",
        "Time-To-Live:",
        "99",
        "0",
        "\\",
        "#",
        "'\"\\",
        "\u{1}",
        "Essence-Options:",
        "--allowlist",
        "FTP-Auth:",
        "Post-Summarizing:",
        "ü",
        "=",
        ":",
        "]]\n[[x]]",
    ]);
    prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever stands there, what comes out is TOML, and all that the check has against it is that nothing may be left.
    #[test]
    fn what_comes_out_is_a_config(lines in prop::collection::vec(line(), 0..20), noise in ".{0,200}") {
        let made = imported(&(lines.join("\n") + "\n" + &noise));
        if let Err(complaints) = load(&made.toml) {
            let text = complaints.to_string();
            prop_assert!(text.contains("no root node") && complaints.len() == 1, "{text}\n{}", made.toml);
        }
    }
}

/// Found by chance: what stands in a comment of ours must be fit for one.
#[test]
fn control_characters_do_not_reach_the_new_config() {
    let made = import(
        "Gatherer-Name: a\0b\r\n<RootNodes>\nhttp://example.org/ URL=100,no\0\x1bfile\rx\n",
        Path::new("/nonexistent"),
        None,
    );
    let parsed = made.toml.parse::<toml::Table>();
    assert!(parsed.is_ok(), "{parsed:?}\n{}", made.toml);
}
