//! `config/gatherer.toml` and the code know the same keys, and the starter starts.

use super::load;
use crate::complaint::Source;
use crate::layers::Layer;
use crate::reading::Reading;
use crate::{DEFAULTS, Settings, starter};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The file as it is with all its examples in use.
fn with_examples() -> String {
    let text = crate::schema::with_examples();
    // Tests have no variables and files of their own, but these.
    let text = text.replace("DOCS_PASSWORD", "CARGO_PKG_NAME").replace("SEARCH_TOKEN", "CARGO_PKG_NAME");
    let text = text.replace("OTHER_TOKEN", "CARGO_PKG_NAME");
    let text = text.replace("post-summarizing.rules", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    text.replace("contact = \"\"", "contact = \"me@example.org\"")
}

#[test]
fn every_key_in_the_file_is_asked_for() {
    let settings = load(&with_examples()).unwrap_or_else(|complaints| panic!("{complaints}"));
    assert_eq!((settings.root_nodes.len(), settings.kinds.len(), settings.rules.len()), (1, 1, 2));
}

#[test]
fn every_key_asked_for_is_in_the_file() {
    let text = with_examples();
    let table = DeTable::parse(&text).expect("examples are TOML");
    let layer = |is_default| Layer { source: Source::new("gatherer.toml", &*text), table: table.get_ref(), is_default };
    let mut reading = Reading::new((layer(false), Vec::new()), layer(true), &[], Path::new(""));
    Settings::read(&mut reading);
    let mut count = 0;
    for (name, keys) in &reading.asked {
        let tables: Vec<_> = match table.get_ref().get(*name).map(toml::Spanned::get_ref) {
            Some(DeValue::Table(table)) => vec![table],
            Some(DeValue::Array(array)) => array.iter().filter_map(|table| table.get_ref().as_table()).collect(),
            _ if name.is_empty() => vec![table.get_ref()],
            _ => panic!("[{name}] is not in config/gatherer.toml"),
        };
        for key in keys {
            assert!(
                tables.iter().any(|table| table.contains_key(*key)),
                "`{key}` of [{name}] is not in config/gatherer.toml"
            );
            count += 1;
        }
    }
    assert!(count > 60, "only {count} keys were asked for");
}

#[test]
fn every_key_says_why() {
    let lines: Vec<_> = DEFAULTS.lines().collect();
    for pair in lines.windows(2) {
        let is_key = pair[1].starts_with(|c: char| c.is_ascii_lowercase());
        assert!(!is_key || pair[0].starts_with("# "), "no line why above {}", pair[1]);
    }
}

#[test]
fn the_file_itself_lacks_only_what_nobody_can_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/gatherer.toml");
    let text = Settings::load(&path, &crate::Overrides::default()).expect_err("no contact, no root node").to_string();
    assert!(
        text.contains("contact: missing") && text.contains("no root node") && text.ends_with(": 2 complaints"),
        "{text}"
    );
}

#[test]
fn the_starter_starts() {
    let settings =
        load(&starter("Jack's \"docs\"", "me@example.org", &["http://127.0.0.1:8000/"], None)).expect("good");
    assert_eq!(settings.identity.name, "Jack's \"docs\"");
    assert_eq!(settings.root_nodes[0].name, "127.0.0.1:8000");
    let complaints = load(&starter("Docs", "", &[], None)).expect_err("no contact");
    assert_eq!(complaints.len(), 1, "{complaints}");
}

#[test]
fn every_reader_says_what_it_wants() {
    let description = crate::schema::describe();
    for ((table, key), shape) in &description.shapes {
        let is_known = shape.as_ref().is_some_and(crate::shape::Shape::is_known);
        assert!(is_known, "the reader of `{key}` of [{table}] says nothing of its shape: use value::wanting there");
    }
    assert!(description.shapes.len() > 100);
    assert!(description.needed.contains(&("http-token", "secret")));
}

#[test]
fn a_config_may_start_with_several_sites_and_times() {
    let urls = ["http://127.0.0.1:8000/", "https://www.example.org/docs/"];
    let settings = load(&starter("Docs", "me@example.org", &urls, Some("0 2 * * *"))).expect("good");
    let starts: Vec<_> = settings.root_nodes.iter().map(|node| node.start[0].as_str()).collect();
    assert_eq!(starts, urls);
    assert!(settings.root_nodes.iter().all(|node| node.schedule.is_some()));
}

#[test]
fn who_leaves_out_the_scheme_is_understood() {
    for (text, expected) in [
        ("127.0.0.1:9311", Some("http://127.0.0.1:9311/")),
        ("localhost:8000/docs", Some("http://localhost:8000/docs")),
        ("www.example.org/docs/", Some("https://www.example.org/docs/")),
        ("https://www.example.org/", None),
        ("file:///srv/www/", None),
        ("mailto:me@example.org", None),
        ("docs", None),
        ("", None),
    ] {
        assert_eq!(crate::with_scheme(text).as_deref(), expected, "{text}");
    }
}
