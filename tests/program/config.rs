//! The config's own life: its schema, its examples, keys of other times, and configurations of Harvest.

use super::stage::{Stage, pages};
use serde_json::Value;
use std::path::{Path, PathBuf};

const EXAMPLES: [&str; 3] = ["documentation", "intranet", "tourism"];

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn as_json(toml: &str) -> Value {
    let table: toml::Table = toml.parse().unwrap_or_else(|error| panic!("{error}"));
    serde_json::to_value(table).expect("TOML without dates is JSON")
}

/// What the schema has against a config.
fn faults(schema: &Value, config: &str) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    validator.iter_errors(&as_json(config)).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn schema() -> Value {
    serde_json::from_str(&read("schemas/config.schema.json")).expect("JSON")
}

#[tokio::test]
async fn the_schema_is_what_the_code_reads() {
    let stage = Stage::with(pages(0), "").await;
    let printed = stage.good(&["config", "--schema"]).await;
    let committed = read("schemas/config.schema.json");
    assert!(
        printed == committed,
        "run `gatherer config --schema > schemas/config.schema.json` and look at what has changed"
    );
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn every_config_of_ours_is_as_the_schema_says() {
    let schema = schema();
    let complete = read("config/gatherer.toml");
    assert_eq!(faults(&schema, &complete), Vec::<String>::new());
    let with_examples: Vec<_> = complete
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(example) if example.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()) => example,
            _ => line,
        })
        .collect();
    assert_eq!(faults(&schema, &with_examples.join("\n")), Vec::<String>::new());
    for name in EXAMPLES {
        assert_eq!(faults(&schema, &read(&format!("config/examples/{name}.toml"))), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_schema_finds_slips() {
    let schema = schema();
    for (config, word) in [
        ("[run]\nworkres = 4", "workres"),
        ("[rum]\nworkers = 4", "rum"),
        ("[run]\nworkers = \"four\"", "workers"),
        ("[run]\nworkers = 0", "workers"),
        ("[run]\ndeletion-brake-share = 2", "deletion-brake-share"),
        ("[fetch]\nbody-limit = \"16\"", "body-limit"),
        ("[fetch]\nrobots = \"yes\"", "robots"),
        ("[root-node-defaults]\norder = \"sideways\"", "order"),
        ("[root-node-defaults]\npassword = \"secret\"", "password"),
        ("[root-node]\nurl = \"http://example.org/\"", "root-node"),
        ("[[root-node]]\nurl = 7", "url"),
        ("[[kind]]\nvoter = \"url\"", "pattern"),
        ("[[rule]]\nwhen = \"a\"\npass = [{ attributes = [\"a\"] }]", "pass"),
    ] {
        let faults = faults(&schema, config);
        assert!(faults.iter().any(|fault| fault.contains(word)), "{config}: {faults:?}");
    }
}

#[tokio::test]
async fn keys_of_other_times_are_told_what_they_are_called_now() {
    let stage = Stage::with(pages(0), "").await;
    for (config, words) in [
        ("access-delay = 5\n[[root-node]]\nurl = \"http://example.org/\"\n", "`delay` of [root-node-defaults]"),
        ("Gatherer-Port = 8500\n[[root-node]]\nurl = \"http://example.org/\"\n", "`listen` of [broker]"),
        ("[[root-node]]\nurl = \"http://example.org/\"\nsearch = \"Depth\"\n", "it is `order`"),
    ] {
        let text = format!("[gatherer]\ncontact = \"me@example.org\"\n{config}");
        std::fs::write(stage.path().join("gatherer.toml"), text).expect("a config");
        let ended = stage.gatherer(&["check"]).await;
        assert!(ended.code == Some(2) && ended.err.contains(words), "{config}: {ended:?}");
    }
}

#[tokio::test]
async fn the_examples_pass_the_check() {
    let stage = Stage::with(pages(0), "").await;
    let password = Path::new("a-password-of-some-length");
    // Where the reference parser is, when everything is built.
    let path = PathBuf::from(env!("CARGO_BIN_EXE_gatherer"));
    let path = path.parent().expect("a folder");
    for name in EXAMPLES {
        let file = top().join(format!("config/examples/{name}.toml"));
        let environment = [("INTRANET_PASSWORD", password), ("SEARCH_TOKEN", password), ("PATH", path)];
        let ended = stage.gatherer_with(&["check", &file.to_string_lossy()], &environment).await;
        assert_eq!(ended.code, Some(0), "{name}: {ended:?}");
    }
    let named: Vec<_> = std::fs::read_dir(top().join("config/examples")).expect("examples").flatten().collect();
    assert_eq!(named.len(), EXAMPLES.len(), "an example that no test looks at");
}

/// What has no counterpart, by line.
const REMARKS: &[(usize, &str)] = &[
    (5, "Gatherer-Version has no counterpart"),
    (6, "there is no directory /usr/local/harvest"),
    (12, "there is no directory /no/such/directory"),
    (14, "--max-deletions 10"),
    (14, "--wild has no counterpart"),
    (15, "the password for ftp.example.org was not copied"),
    (16, "HTTP-Basic-Auth"),
    (17, "Debug-Options has no counterpart"),
    (18, "keep-bodies"),
    (19, "Locale has no counterpart"),
    (20, "Colour-Of-Paint is no variable"),
    (21, "Empty-One has no value"),
    (23, "is neither"),
    (25, "Access=Gopher"),
    (25, "`a{broken` cannot be used"),
    (25, "`Maybe  x` is no rule"),
    (25, "they see names only"),
    (27, "starts at http://www.example.org/docs/ already"),
    (29, "URL=many: no number"),
    (30, "name and password were taken out"),
    (31, "gopher: cannot be gathered"),
    (32, "is no URL"),
    (34, "lib/missing.filter is not here"),
    (34, "Search=sideways"),
    (39, "news: cannot be gathered"),
];

#[tokio::test]
async fn a_configuration_of_harvest_becomes_one_of_ours() {
    let stage = Stage::with(pages(0), "").await;
    let file = top().join("tests/harvest/sample.cf");
    let file = file.to_string_lossy();
    let ended = stage.gatherer(&["import", &file, "--contact", "me@example.org", "-o", "imported.toml"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = std::fs::read_to_string(stage.path().join("imported.toml")).expect("a config");
    let said = stage.good(&["check", "imported.toml"]).await;
    assert!(said.contains("no complaints"), "{said}");
    assert_eq!(faults(&schema(), &text), Vec::<String>::new());
    let config = as_json(&text);
    assert_eq!(config["gatherer"]["name"], "Sample of Münster");
    assert_eq!(config["broker"]["listen"], "127.0.0.1:8500");
    assert_eq!(config["root-node-defaults"]["delay"], "5s");
    assert_eq!(config["root-node-defaults"]["time-to-live"], "1w", "not shorter than the refresh rate");
    assert_eq!(config["root-node-defaults"]["proxy"], "http://proxy.example.org:3128");
    assert_eq!(config["selection"]["allow-kinds"], serde_json::json!(["HTML", "Text", "PostScript"]));
    assert_eq!(config["selection"]["stop-kinds"], serde_json::json!(["Audio", "Image"]));
    let docs = &config["root-node"][0];
    assert_eq!(
        (&docs["url-max"], &docs["host-max"], &docs["depth"], &docs["order"]),
        (&100.into(), &3.into(), &3.into(), &"depth".into())
    );
    assert_eq!(docs["url-filter"], serde_json::json!([r"deny \.gif$", "deny /old/", "allow ^/docs/", "deny ."]));
    assert_eq!(docs["access"], serde_json::json!(["http", "ftp"]));
    let nodes = config["root-node"].as_array().expect("root nodes");
    assert_eq!(nodes.len(), 7, "{text}");
    assert_eq!(nodes[6]["leaves"].as_array().map(Vec::len), Some(2));
    assert!(!text.contains("s3cr3t-word") && !text.contains("other-secret"), "{text}");
    assert!(!ended.err.contains("s3cr3t-word") && !ended.err.contains("other-secret"), "{}", ended.err);
    for (line, words) in REMARKS {
        let is_told = |said: &str| said.contains(&format!("sample.cf:{line}:")) && said.contains(words);
        assert!(ended.err.lines().any(is_told), "line {line}: {words:?} in\n{}", ended.err);
    }
    let again = stage.gatherer(&["import", &file, "-o", "imported.toml"]).await;
    assert!(again.code == Some(1) && again.err.contains("is there already"), "{again:?}");
    let shown = stage.gatherer(&["import", &file]).await;
    assert!(
        shown.code == Some(0) && shown.out.contains("contact = \"\"") && shown.err.contains("write `contact`"),
        "{shown:?}"
    );
    let ended = stage.gatherer(&["import", "nowhere.cf"]).await;
    assert!(ended.code == Some(1) && ended.err.contains("cannot read nowhere.cf"), "{ended:?}");
}

#[tokio::test]
async fn whatever_is_imported_nothing_breaks() {
    let stage = Stage::with(pages(0), "").await;
    let binary: Vec<u8> = (0..4_096_u32).map(|number| u8::try_from(number * 7 % 251).unwrap_or(0)).collect();
    for (number, garbage) in [
        &b""[..],
        b"<RootNodes>\n|\n||||\nURL=\n=\n\\\n",
        b"</LeafNodes>\n<LeafNodes>\n|\n<Else>\n</RootNodes>",
        b"Local-Mapping: x\nHTTP-Proxy: :::\nRefresh-Rate: -1\nTime-To-Live: 99999999999999999999\nGatherer-Port: 0\nFTP-Auth:  \n",
        b"<RootNodes>\nhttp://[::1\nhttp://x/ URL=0 Host=0 Delay=-1 Depth=x Access=|| Search= Enumeration=\n",
        &binary,
    ]
    .into_iter()
    .enumerate()
    {
        std::fs::write(stage.path().join("garbage.cf"), garbage).expect("a file");
        let ended = stage.gatherer(&["import", "garbage.cf", "--contact", "me@example.org"]).await;
        assert_eq!(ended.code, Some(0), "{number}: {ended:?}");
        as_json(&ended.out);
    }
}
