use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;
use proptest::prelude::*;

const MAP: &[u8] = include_bytes!("fixtures/fields.geojson");
const LOG: &[u8] = include_bytes!("fixtures/log.jsonl");
const NOTEBOOK: &[u8] = include_bytes!("fixtures/corn.ipynb");

fn read(kind: &str, name: &str, body: &[u8]) -> Draft {
    summarize(kind, name, body).expect("data that can be read")
}

fn json(body: &str) -> Draft {
    read("JSON", "a.json", body.as_bytes())
}

#[test]
fn keys_records_and_texts_of_json_are_told() {
    let draft =
        json(r#"{"title":"Gr\u00fc\u00dfe","a":{"b":{"c":{"d":1}}},"rows":[{"x":1,"y":"zwei"},{"x":2,"z":null}]}"#);
    check(
        &draft,
        &[
            ("Title", "Grüße"),
            ("Structure", "map"),
            ("Keys", "title\na\na.b\na.b.c\nrows\nrows.x\nrows.y\nrows.z"),
            ("Records", "2"),
            ("Columns", "x\ny\nz"),
            ("text", "Grüße\nzwei"),
        ],
    );
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    check(
        &json(r#"[{"a":1},{"a":2,"b":[{"c":1},{"c":1},{"c":1}]}]"#),
        &[("Structure", "list of records"), ("Records", "2"), ("Columns", "a\nb")],
    );
    check(&json("[1, 2.5e3, -0]"), &[("Structure", "list"), ("Records", ""), ("Keys", "")]);
    check(&json("// note\n{\"a\": /* b */ \"c\",}"), &[("Keys", "a"), ("text", "c")]);
}

#[test]
fn lines_of_json_are_records() {
    check(
        &read("JSON", "log.jsonl", LOG),
        &[("Records", "3"), ("Columns", "time\nmessage"), ("text", "corn über 🌽 0\ncorn über 🌽 1\ncorn über 🌽 2")],
    );
}

#[test]
fn a_map_tells_its_features_and_bounds() {
    check(
        &read("JSON", "fields.geojson", MAP),
        &[("Format", "GeoJSON"), ("Title", "Fields"), ("Features", "3"), ("Bounding-Box", "11.25 48.1 11.75 48.5")],
    );
}

#[test]
fn a_notebook_tells_its_prose_and_code_but_no_output() {
    let draft = read("JSON", "corn.ipynb", NOTEBOOK);
    check(
        &draft,
        &[
            ("Format", "Jupyter notebook"),
            ("Title", "Corn yields"),
            ("Headings", "Corn yields\nData"),
            ("Programming-Language", "python"),
            ("text", "# Corn yields\n\nWhat *grows* where.\n## Data\n\nimport corn\nprint(corn.grow())"),
        ],
    );
}

#[test]
fn packages_are_known() {
    let package = r#"{"name":"corn","version":"1.2.0","description":"Grows","author":{"name":"Ann"},"license":"MIT",
        "keywords":["field","maize"],"dependencies":{"soil":"^1"},"devDependencies":{"rain":"2"},
        "repository":{"type":"git","url":"git+https://example.com/corn.git"}}"#;
    let draft = read("JSON", "package.json", package.as_bytes());
    check(
        &draft,
        &[
            ("Title", "corn"),
            ("Version", "1.2.0"),
            ("Author", "Ann"),
            ("License", "MIT"),
            ("Keywords", "field\nmaize"),
            ("Dependencies", "soil\nrain"),
        ],
    );
    assert_eq!(draft.references()[0].url.as_str(), "https://example.com/corn.git");
    let cargo =
        "[package]\nname = \"corn\"\nauthors = [\"Ann\", \"Bob\"]\n[dependencies]\nsoil = { version = \"1\" }\n";
    check(
        &read("Configuration", "Cargo.toml", cargo.as_bytes()),
        &[("Title", "corn"), ("Author", "Ann\nBob"), ("Dependencies", "soil"), ("Format", "Cargo package")],
    );
    let project = "[project]\nname='corn'\nauthors=[{name='Ann',email='a@b.example'}]\ndependencies=['soil>=1']\n";
    check(&read("TOML", "pyproject.toml", project.as_bytes()), &[("Author", "Ann"), ("Dependencies", "soil>=1")]);
}

#[test]
fn yaml_is_read_in_all_its_documents() {
    let draft = read("YAML", "a.yaml", "title: Grüße\nlist:\n  - a: 1\n    b: text\n  - a: 2\n".as_bytes());
    check(
        &draft,
        &[("Title", "Grüße"), ("Keys", "title\nlist\nlist.a\nlist.b"), ("Records", "2"), ("text", "Grüße\ntext")],
    );
    check(
        &read("YAML", "a.yaml", b"---\na: x\n---\nb: y\n"),
        &[("Records", "2"), ("Columns", "a\nb"), ("Structure", "records")],
    );
    let interface = "openapi: 3.0.0\ninfo: {title: Corn, version: '1'}\npaths:\n  /v1.0/corn:\n    get: {summary: All}\n  /rye: {}\n";
    check(
        &read("YAML", "api.yaml", interface.as_bytes()),
        &[("Format", "OpenAPI"), ("Title", "Corn"), ("Headings", "/v1.0/corn\n/rye")],
    );
    check(&read("YAML", "a.yaml", b"? {x: y}\n: z\na: b\n"), &[("Keys", "?\na"), ("text", "z\nb")]);
}

#[test]
fn aliases_are_not_expanded() {
    let mut bomb = "a0: &a0 [lol]\n".to_owned();
    for level in 1..60 {
        let aliases = format!("*a{},", level - 1).repeat(9);
        bomb = format!("{bomb}a{level}: &a{level} [{aliases}]\n");
    }
    check(&read("YAML", "a.yaml", bomb.as_bytes()), &[("text", "lol"), ("Structure", "map")]);
}

#[test]
fn configuration_gives_sections_keys_and_comments() {
    let ini = "; About corn\n[Field]\nsize = 12\nname: North\n[Barn]\nowner=\"Ann\"\n";
    check(
        &read("Configuration", "a.ini", ini.as_bytes()),
        &[("Keys", "Field\nField.size\nField.name\nBarn\nBarn.owner"), ("text", "About corn\n12\nNorth\nAnn")],
    );
    let server = "# Site\n<VirtualHost *:80>\n ServerName example.org\n</VirtualHost>\nListen 80\n";
    check(
        &read("Configuration", "httpd.conf", server.as_bytes()),
        &[("Keys", "VirtualHost *:80\nVirtualHost *:80.ServerName\nListen"), ("text", "Site\nexample.org\n80")],
    );
    check(
        &read("Configuration", "nginx.conf", b"http {\n server {\n listen 80;\n }\n}\n"),
        &[("Keys", "http\nhttp.server\nhttp.server.listen")],
    );
}

#[test]
fn broken_data_are_read_up_to_where_they_break() {
    let draft = json(r#"{"title":"Corn","a":[1,2"#);
    check(&draft, &[("Title", "Corn")]);
    assert_eq!(draft.complaints(), ["the data break off"]);
    assert_eq!(json("{\"title\":\n\"x\"\n%}").complaints(), ["no JSON from line 3 on"]);
    assert_eq!(read("YAML", "a.yaml", b"title: x\nb: [c\n").get("Title"), Some("x"));
    let draft = read("TOML", "a.toml", b"title = 'x'\nb = = 3\n");
    check(&draft, &[("Title", "x")]);
    assert_eq!(draft.complaints().len(), 1);
    for (kind, body) in [("JSON", "<html>"), ("JSON", ""), ("YAML", ""), ("TOML", "<<"), ("YAML", "@x: ]")] {
        assert!(summarize(kind, "a", body.as_bytes()).is_err(), "{kind} {body:?}");
    }
}

#[test]
fn deep_nesting_costs_neither_stack_nor_time() {
    for kind in ["JSON", "YAML", "TOML", "Configuration"] {
        for piece in ["[", "{\"a\":", "- ", "a.", "[a.b]\nc=[", "x {\n", "? "] {
            let _ = summarize(kind, "a", piece.repeat(100_000).as_bytes());
        }
    }
    check(&json(&format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000))), &[("Structure", "list")]);
}

proptest! {
    #[test]
    fn any_soup_is_survived(pieces in proptest::collection::vec(
        "([\\[\\]{}\",:\\\\/*#;=<>?&!|~'-]|\\\\u[dD8cC0-9]{2,4}|\n|\n  |  - |a|title|ü|1\\.5|null|&x |\\*x |\"cells\"|\"coordinates\":\\[)", 0..80)) {
        let soup = pieces.concat();
        for kind in super::KINDS {
            let once = summarize(kind, "package.json", soup.as_bytes());
            prop_assert_eq!(once, summarize(kind, "package.json", soup.as_bytes()));
        }
    }
}
