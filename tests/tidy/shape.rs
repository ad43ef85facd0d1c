//! What lies where, and what lies nowhere.

use super::{Exception, expect_none, files, is_our_own, on_disk, read, rust_files};
use std::collections::BTreeSet;

/// Everything that may lie at the top, dot-files apart.
const TOP: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "gatherer",
    "summarizers",
    "plugins",
    "schemas",
    "config",
    "tests",
];

/// Rooms of the map besides the crates in `gatherer/`.
const FURTHER_ROOMS: &[&str] = &["summarizers", "plugins", "schemas", "config", "tests"];

/// What no file may hold, and what to do instead.
const NOWHERE: &[(&str, &str)] = &[
    ("todo!(", "write it, or leave it out"),
    ("unimplemented!(", "write it, or leave it out"),
    ("#[ignore", "mend the test, or take it out: a test that never runs only looks like one"),
    ("/home/", "a path of one machine: make it relative, or take it from the environment"),
    ("/root/", "a path of one machine: make it relative, or take it from the environment"),
];

/// Files that may hold the keyword, with `SAFETY` notes.
const UNSAFE_FILES: &[Exception] = &[
    ("gatherer/allocator.rs", "the allocator looks for its settings under a name of its own"),
    ("gatherer/plugin/src/dylib.rs", "foreign functions cannot be called otherwise"),
    ("gatherer/plugin/src/dylib/abi.rs", "the types of those functions"),
    ("gatherer/plugin/src/sandbox.rs", "a process can be kept only by itself, between fork and exec"),
    ("gatherer/plugin/src/wasm/cache.rs", "compiled components cannot be loaded otherwise"),
    ("plugins/sdk/rust/src/c_abi.rs", "the plugin's side of the same functions"),
];

#[test]
fn the_top_level_stays_as_drawn() {
    let at_top: BTreeSet<_> = files().iter().filter_map(|path| path.split('/').next().map(str::to_owned)).collect();
    let strange = at_top.iter().filter(|name| !name.starts_with('.') && !TOP.contains(&name.as_str()));
    let complaint = |name| format!("{name} lies at the top level: put it into one of the folders there");
    expect_none(&strange.map(complaint).collect::<Vec<_>>());
}

#[test]
fn the_map_names_every_room() {
    assert!(on_disk("README.md").is_file(), "there is no README.md: write one that ends with the map of the tree");
    let readme = read("README.md");
    let is_map = |line: &str| line.starts_with('#') && line.to_lowercase().contains("map");
    let map: Vec<_> = readme.lines().skip_while(|line| !is_map(line)).collect();
    assert!(!map.is_empty(), "README.md has no heading with the word \"map\": write the map of the tree under one");
    let is_part_of_word = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let words: BTreeSet<_> = map.iter().flat_map(|line| line.split(|character| !is_part_of_word(character))).collect();
    let mut rooms: BTreeSet<_> = FURTHER_ROOMS.iter().map(|room| (*room).to_owned()).collect();
    rooms.extend(files().iter().filter_map(|path| {
        let room = path.strip_prefix("gatherer/")?.strip_suffix("/Cargo.toml")?;
        Some(room.to_owned())
    }));
    let missing = rooms.iter().filter(|room| !words.contains(room.as_str()));
    let complaint = |room| format!("the map in README.md does not name the room {room}: add its line");
    expect_none(&missing.map(complaint).collect::<Vec<_>>());
}

/// What stands in two places because a plugin's project has to be whole, and its original.
const COPIES: &[(&str, &str)] = &[
    ("plugins/sdk/rust/wit/plugin.wit", "schemas/summarizer/since-0.1/plugin.wit"),
    ("plugins/sdk/c/gatherer-plugin.h", "schemas/summarizer/since-0.1/gatherer-plugin.h"),
];

#[test]
fn copies_are_what_they_are_copies_of() {
    let differs = COPIES.iter().filter(|(copy, original)| read(copy) != read(original));
    let complaint = |(copy, original): &(&str, &str)| format!("{copy} is no longer {original}: copy it again");
    expect_none(&differs.map(complaint).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_lying_about() {
    let mut complaints = Vec::new();
    for path in files().iter().filter(|path| !is_our_own(path)) {
        // What is not UTF-8 was not written by hand.
        let Ok(text) = std::fs::read_to_string(on_disk(path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            for (forbidden, remedy) in NOWHERE.iter().filter(|(forbidden, _)| holds(line, forbidden)) {
                complaints.push(format!("{path}:{}: holds {forbidden}: {remedy}", number + 1));
            }
        }
    }
    expect_none(&complaints);
}

#[test]
fn nothing_is_unsafe() {
    let mut complaints = Vec::new();
    for path in rust_files().iter().filter(|path| !is_our_own(path)) {
        let excused = UNSAFE_FILES.iter().any(|(file, _)| file == path);
        let text = read(path);
        let place = text.lines().position(is_unsafe);
        match place {
            Some(line) if !excused => complaints.push(format!("{path}:{}: is unsafe: find another way", line + 1)),
            None if excused => complaints.push(format!("{path} is not unsafe: take it out of UNSAFE_FILES")),
            _ => {}
        }
    }
    expect_none(&complaints);
}

/// Whether the text stands in the line by itself; `/home/` in `http://host/home/` is part of a URL.
fn holds(line: &str, text: &str) -> bool {
    let is_path = text.starts_with('/');
    let goes_on = |before: &str| before.ends_with(|last: char| last.is_alphanumeric() || "._~-%}]>^".contains(last));
    line.match_indices(text).any(|(place, _)| !is_path || !goes_on(&line[..place]))
}

/// Whether the keyword begins something here; in a comment or a name it does not.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern", "unsafe("].iter().any(|use_of_it| {
        let places = code.match_indices(use_of_it);
        places
            .into_iter()
            .any(|(place, _)| !code[..place].ends_with(|last: char| last.is_alphanumeric() || last == '_'))
    })
}

#[test]
fn paths_and_urls_are_told_apart() {
    for (line, expected) in [
        ("cd /home/ann", true),
        ("path = \"/home/ann\"", true),
        ("file:///home/ann", true),
        ("http://example.org/home/", false),
        ("{origin}/home/", false),
    ] {
        assert_eq!(holds(line, "/home/"), expected, "{line}");
    }
    assert!(holds("    todo!()", "todo!("));
}

#[test]
fn the_keyword_is_told_from_the_word() {
    for (line, expected) in [
        ("unsafe { free(pointer) }", true),
        ("    pub unsafe extern \"C\" fn call() {", true),
        ("#[unsafe(no_mangle)]", true),
        ("// unsafe { no }", false),
        ("unsafe_code = \"deny\"", false),
        ("let not_unsafe = 1;", false),
    ] {
        assert_eq!(is_unsafe(line), expected, "{line}");
    }
}
