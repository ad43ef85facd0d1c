//! Who may depend on whom, and that each dependency was a decision.

use super::{expect_none, files, read, read_toml, strings};
use std::path::Path;
use toml::Table;

/// Rooms and doors: each crate and the crates of ours that it may know. A new door is a decision: it gets a commit of
/// its own, with this table in it.
const DOORS: &[(&str, &[&str])] = &[
    // The lower floor: what everybody may stand on.
    ("gatherer/soif", &[]),
    ("gatherer/pipeline", &[]),
    ("gatherer/settings", &["pipeline"]),
    ("gatherer/store", &["pipeline", "soif"]),
    ("gatherer/plugin", &["pipeline", "soif"]),
    ("gatherer/abstracts", &[]),
    // The stages, which do not know each other.
    ("gatherer/prepare", &["pipeline", "soif"]),
    ("gatherer/fetch", &["pipeline"]),
    ("gatherer/recognize", &["pipeline", "soif"]),
    ("gatherer/summarize", &["pipeline", "soif", "summarizers"]),
    ("gatherer/post-summarize", &["pipeline", "soif"]),
    ("gatherer/unnest", &["pipeline"]),
    ("gatherer/fold", &["pipeline", "soif", "store"]),
    ("gatherer/serve", &["abstracts", "pipeline", "soif", "store"]),
    ("summarizers", &["pipeline", "soif"]),
    // The engine on top, and the program.
    (
        "gatherer/engine",
        &[
            "abstracts",
            "collect",
            "fetch",
            "fold",
            "pipeline",
            "plugin",
            "post-summarize",
            "prepare",
            "recognize",
            "serve",
            "settings",
            "soif",
            "store",
            "summarize",
            "summarizers",
            "unnest",
        ],
    ),
    (".", &["abstracts", "collect", "demo", "engine", "pipeline", "plugin", "settings", "soif", "store"]),
    // A broker's client and a little web: strangers in the house.
    ("gatherer/collect", &["soif"]),
    ("gatherer/demo", &[]),
    // A program of its own, which the gatherer knows only as a parser among others.
    ("gatherer/parser", &["abstracts"]),
    // It knows the gatherer only as a program among others.
    ("tests/bench", &[]),
];

/// Doors that only tests may use.
const TEST_DOORS: &[(&str, &[&str])] =
    &[("gatherer/engine", &["demo"]), ("gatherer/fetch", &["demo"]), ("gatherer/serve", &["collect"])];

/// Where a crate of others may be known, in tests as well.
const WALLS: &[(&str, &[&str])] = &[
    // Async stops here; everything else is plain blocking code.
    ("tokio", &["gatherer/fetch", "gatherer/serve", "gatherer/engine", "gatherer/demo", "tests/bench", "."]),
    ("tokio-util", &["gatherer/fetch", "gatherer/serve", "gatherer/engine", "gatherer/demo", "."]),
    // Each of these can be replaced by changing one room.
    ("rocksdb", &["gatherer/store"]),
    ("wasmtime", &["gatherer/plugin"]),
    ("libloading", &["gatherer/plugin"]),
    // The engine's benchmark measures against the bare library; its code leaves HTTP to fetch.
    ("reqwest", &["gatherer/fetch", "gatherer/collect", "gatherer/engine"]),
    ("lol_html", &["summarizers"]),
    ("axum", &["gatherer/demo", "gatherer/serve"]),
    // Rooms have errors that their callers can tell apart.
    ("anyhow", &["."]),
];

#[test]
fn rooms_use_no_other_doors() {
    let mut complaints = Vec::new();
    for room in rooms() {
        let Some(doors) = row(DOORS, &room) else {
            complaints.push(format!("{room} has no row in DOORS: say there which rooms it may know"));
            continue;
        };
        let test_doors = row(TEST_DOORS, &room).unwrap_or_default();
        for Dependency { name, in_tests, .. } in dependencies(&room) {
            let Some(other) = name.strip_prefix("gatherer-") else { continue };
            let may = doors.contains(&other) || (in_tests && test_doors.contains(&other));
            if !may {
                complaints.push(format!("{room} must not know {other}: do without it, or open a door in DOORS"));
            }
        }
    }
    expect_none(&complaints);
}

#[test]
fn crates_of_others_stay_behind_their_walls() {
    let mut complaints = Vec::new();
    for room in rooms() {
        for Dependency { name, .. } in dependencies(&room) {
            if row(WALLS, &name).is_some_and(|allowed| !allowed.contains(&room.as_str())) {
                complaints.push(format!("{room} must not use {name}: leave that to the rooms named in WALLS"));
            }
        }
    }
    expect_none(&complaints);
}

#[test]
fn tables_name_no_rooms_that_are_gone() {
    let rooms = rooms();
    let named = DOORS.iter().chain(TEST_DOORS).map(|(room, _)| room);
    let gone = named.chain(WALLS.iter().flat_map(|(_, rooms)| *rooms)).filter(|room| !rooms.contains(&(**room).into()));
    expect_none(
        &gone.map(|room| format!("{room} is no crate any more: take it out of the tables")).collect::<Vec<_>>(),
    );
}

#[test]
fn plain_cargo_test_is_the_whole_check() {
    let workspace = workspace();
    let default = strings(&workspace, "default-members");
    let mut complaints = Vec::new();
    for room in rooms().into_iter().filter(|room| !default.contains(room)) {
        complaints.push(format!("{room} is not in default-members: add it to Cargo.toml"));
    }
    let members = strings(&workspace, "members");
    let apart = strings(&workspace, "exclude");
    let is_apart = |path: &str| apart.iter().any(|folder| Path::new(path).starts_with(folder));
    for path in files().iter().filter(|path| !is_apart(path)) {
        if let Some(folder) = path.strip_suffix("/Cargo.toml").filter(|folder| !members.iter().any(|one| one == folder))
        {
            complaints.push(format!("{folder} is a crate, but no member: add it to Cargo.toml"));
        }
    }
    expect_none(&complaints);
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = read("Cargo.toml");
    let lines = manifest.lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    let (mut complaints, mut explained) = (Vec::new(), false);
    for line in lines.take_while(|line| !line.starts_with('[')) {
        match line.split_once('=') {
            _ if line.starts_with('#') => explained = true,
            _ if line.is_empty() => explained = false,
            Some((name, _))
                if !explained && !name.starts_with("gatherer-") && !line.starts_with(char::is_whitespace) =>
            {
                let name = name.trim();
                complaints.push(format!("{name} stands in Cargo.toml without a reason: write a `#` line above it"));
            }
            _ => {}
        }
    }
    expect_none(&complaints);
}

#[test]
fn every_dependency_is_decided_in_one_place() {
    let mut complaints = Vec::new();
    for room in rooms() {
        for Dependency { name, inherited, .. } in dependencies(&room) {
            if !inherited {
                complaints.push(format!("{room} has a {name} of its own: put it into [workspace.dependencies]"));
            }
        }
    }
    expect_none(&complaints);
}

struct Dependency {
    name: String,
    in_tests: bool,
    inherited: bool,
}

/// All dependencies of a crate: of the code, of its build, of its tests, of one platform.
fn dependencies(room: &str) -> Vec<Dependency> {
    let manifest = read_toml(&format!("{room}/Cargo.toml"));
    let platforms = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(Table::values);
    let mut found = Vec::new();
    for table in std::iter::once(&manifest).chain(platforms.filter_map(toml::Value::as_table)) {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let entries = table.get(section).and_then(toml::Value::as_table).into_iter().flatten();
            found.extend(entries.map(|(name, value)| Dependency {
                name: name.clone(),
                in_tests: section == "dev-dependencies",
                inherited: value.get("workspace").is_some(),
            }));
        }
    }
    found
}

/// All crates of the workspace; the program is `.`.
fn rooms() -> Vec<String> {
    let mut rooms = strings(&workspace(), "members");
    rooms.push(".".to_owned());
    rooms
}

fn workspace() -> Table {
    let mut manifest = read_toml("Cargo.toml");
    match manifest.remove("workspace") {
        Some(toml::Value::Table(workspace)) => workspace,
        _ => panic!("Cargo.toml has no [workspace]"),
    }
}

fn row<'a>(table: &[(&str, &'a [&'a str])], key: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(name, _)| *name == key).map(|(_, values)| *values)
}
