//! Plugins built to misbehave: each fault costs one document its summary, is told in a sentence, and the run ends in order.

use crate::kit::{Kit, gatherer, runtime};
use crate::stage::Stage;
use crate::{Skipped, Test};
use gatherer_demo::Site;
use std::fs;
use std::path::Path;

/// A fault, and what is said of it; nothing if the answer is good all the same.
type Faults = &'static [(&'static str, &'static str)];

const WASM: Faults = &[
    ("spin", "did not answer within 500 ms and was ended"),
    ("allocate", "wanted more than its 16 MiB of memory"),
    ("flood", "wanted more than its 16 MiB of memory"),
    ("flood-log", "did not answer within 500 ms and was ended"),
    ("trap", "trapped"),
    ("segfault", "out of bounds"),
    ("abort", "trapped"),
    ("stack", "trapped"),
    ("fail", "failed"),
    ("not-utf8", "cannot be taken"),
    ("lie-length", "cannot be taken"),
    ("huge-name", "are allowed"),
    ("refuse", ""),
    ("leak", ""),
    ("good", ""),
];

const DYLIB: Faults = &[
    ("spin", "did not answer within 500 ms and was killed"),
    ("sleep", "did not answer within 500 ms and was killed"),
    ("allocate", "failed: "),
    // Whichever comes first: the deadline, or the end of its memory.
    ("flood", "killed|SIGABRT"),
    ("flood-log", "killed"),
    ("trap", "ended with signal"),
    ("segfault", "ended with signal: 11"),
    ("abort", "ended with signal: 6"),
    ("stack", "ended with signal"),
    ("exit", "ended with exit status: 3"),
    ("close", "ended with"),
    ("fail", "failed"),
    ("not-utf8", "is not"),
    ("huge-name", "are allowed"),
    ("lie-length", ""),
    ("refuse", ""),
    ("ignore-term", "did not answer within 500 ms and was killed"),
    ("leak", ""),
    ("leak-fds", ""),
    ("fork", ""),
    ("write-stdout", ""),
    ("good", ""),
];

const PROGRAM: Faults = &[
    ("spin", "did not answer within 500 ms and was killed"),
    ("sleep", "did not answer within 500 ms and was killed"),
    ("ignore-term", "did not answer within 500 ms and was killed"),
    ("flood", "killed"),
    ("flood-stderr", "killed"),
    ("crash", "ended with signal: 6"),
    ("exit", "ended with exit status"),
    ("garbage", "killed"),
    ("half-frame", "killed"),
    ("lie-length", "killed"),
    ("not-json", "says what is no message"),
    ("not-utf8", "says what is no message"),
    ("allocate", "failed: "),
    ("flood-answer", "killed"),
    ("lie-more", "more than a message has"),
    ("lie-body", "more than a message has"),
    ("two-members", "says what is no message"),
    ("unknown-message", "says what is no message"),
    ("wrong-answer", "another answer than it was asked for"),
    ("wrong-number", "it answers question"),
    ("ask-forever", "did not answer within 500 ms and was killed"),
    ("close-stdout", "closed its output"),
    ("fail", "failed"),
    ("fork", "did not answer within 500 ms and was killed"),
    ("fork-away", "did not answer within 500 ms and was killed"),
    ("deep-json", ""),
    ("strange", "are allowed"),
    ("nothing", ""),
    ("answer-twice", ""),
    ("close-stdin", ""),
    ("leak-fds", ""),
    ("refuse", ""),
    ("good", ""),
];

/// Faults of a program before it has said hello: it is not used at all.
const AT_START: Faults = &[
    ("die-before-hello", "before it had said hello"),
    ("wrong-version", "it speaks version \"9.0\" of gatherer-plugin; this gatherer speaks 0.1"),
    ("wrong-protocol", "instead of gatherer-plugin"),
    ("hello-garbage", "cannot be used"),
    ("hello-exit", "before it had said hello"),
];

const ONCE: Faults = &[
    ("spin", "did not end within 500 ms and was killed"),
    ("sleep", "did not end within 500 ms and was killed"),
    ("flood", "printed more than"),
    ("crash", "ended with signal"),
    ("exit", "ended with exit status"),
    ("fail", "ended with exit status"),
    ("allocate", "ended with"),
    ("flood-stderr", "did not end within 500 ms and was killed"),
    ("half-frame", "did not end within 500 ms and was killed"),
    ("ignore-term", "did not end within 500 ms and was killed"),
    ("close-stdout", "did not end within 500 ms and was killed"),
    ("lie-length", ""),
    ("lie-more", ""),
    ("not-utf8", ""),
    ("strange", ""),
    ("nothing", ""),
    ("fork", ""),
    ("remove-file", ""),
    ("refuse", ""),
    ("garbage", ""),
    ("good", ""),
];

pub(crate) fn all() -> Vec<Test> {
    let forms = [("wasm", WASM), ("dylib", DYLIB), ("program", PROGRAM), ("once", ONCE)];
    let mut tests = Vec::new();
    for (form, faults) in forms {
        for (word, expected) in faults {
            tests.push(Test::new(format!("faulty_{form}_{word}"), false, move |kit: &Kit| {
                fault(kit, form, word, expected)
            }));
        }
        tests.push(Test::new(format!("a_run_with_faulty_{form}_ends_in_order"), false, move |kit: &Kit| {
            whole_run(kit, form)
        }));
        tests.push(Test::new(format!("faulty_{form}_changes_nothing_of_others"), false, move |kit: &Kit| {
            others(kit, form, faults)
        }));
    }
    for (word, expected) in AT_START {
        tests.push(Test::new(format!("faulty_program_{word}"), false, move |kit: &Kit| at_start(kit, word, expected)));
    }
    for (library, expected) in [
        ("wrong-version", "it was compiled for contract 9001; this gatherer knows 1"),
        ("no-symbol", "it has no function gatherer_plugin"),
        ("null-table", "it gives no table for contract 1"),
        ("no-function", "its table has no function to summarize"),
    ] {
        tests.push(Test::new(format!("faulty_library_{library}"), false, move |kit: &Kit| {
            library_of(kit, library, expected)
        }));
    }
    tests.push(Test::new("a_library_may_run_inside_by_the_operators_word", false, inside));
    tests.push(Test::new("a_library_for_another_machine_is_told", false, other_machine));
    tests
}

/// The folder of a form, built, with limits that a test can wait for.
pub(crate) fn prepared(kit: &Kit, form: &str) -> Result<tempfile::TempDir, Skipped> {
    let home = kit.folder("faulty");
    if matches!(form, "wasm" | "dylib") {
        kit.build(&home)?;
    }
    let directory = tempfile::tempdir().expect("a directory");
    for entry in fs::read_dir(home.join(form)).expect("a plugin") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), directory.path().join(entry.file_name())).expect("a copy");
    }
    let manifest = directory.path().join("plugin.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let memory = if form == "wasm" { "16MiB" } else { "1GiB" };
    let (before, options) = text.split_once("[options").unwrap_or((&text, ""));
    let before = before.split("[limits]").next().unwrap_or_default();
    let limits = format!("[limits]\ndeadline = \"500ms\"\nmemory = \"{memory}\"\noutput = \"256KiB\"\n");
    let options = if options.is_empty() { String::new() } else { format!("[options{options}") };
    fs::write(&manifest, format!("{before}{limits}{options}")).expect("a manifest");
    Ok(directory)
}

fn fault(kit: &Kit, form: &str, word: &str, expected: &str) -> Result<(), Skipped> {
    let plugin = prepared(kit, form)?;
    let document = plugin.path().join("document.txt");
    fs::write(&document, format!("FAULT: {word}\nCorn grows.\n")).expect("a document");
    let (out, err, is_content) = gatherer(plugin.path(), &["plugin", "run", ".", "document.txt"]);
    assert!(out.contains("Type{4}:\tText\n") && out.contains("MD5{32}:"), "the record is there: {out}{err}");
    if expected.is_empty() {
        assert!(is_content, "{out}{err}");
    } else {
        assert!(expected.split('|').any(|one| out.contains(one)), "{expected:?} in {out}{err}");
    }
    Ok(())
}

/// A document with a fault between good ones; what the others get is what they get without it.
fn whole_run(kit: &Kit, form: &str) -> Result<(), Skipped> {
    let plugin = prepared(kit, form)?;
    let names: Vec<_> = (0..8).map(|number| format!("/{number}.txt")).collect();
    let records = |bad: &str| {
        let site = names.iter().fold(Site::new("site"), |site, name| site.with(name, format!("Corn {name}\nMaize.\n")));
        let site = site.with("/bad.txt", format!("{bad}\nCorn.\n"));
        let leaves: Vec<_> = names.iter().map(|name| format!("\"{{{{site}}}}{name}\"")).collect();
        let config = format!(
            "[plugins]\nfolders = [{:?}]\n[[root-node]]\nleaves = [{}, \"{{{{site}}}}/bad.txt\"]\ndelay = \"0s\"\n",
            plugin.path().display().to_string(),
            leaves.join(", ")
        );
        runtime().block_on(async {
            let stage = Stage::with(site, &config).await;
            let report = stage.run().await;
            assert_eq!(report["updated"], 9, "{report}");
            (stage.store().await, report)
        })
    };
    let without_bad = |store: &str| {
        let objects = store.split("@FILE { ").filter(|object| !object.contains("/bad.txt"));
        objects.map(str::to_owned).collect::<Vec<_>>()
    };
    let (good, report) = records("Nothing is wrong.");
    assert_eq!(report["plugins"][0]["failed"], 0, "{report}");
    let (bad, report) = records(if form == "wasm" { "FAULT: trap" } else { "FAULT: spin" });
    assert_eq!(report["plugins"][0]["failed"], 1, "{report}");
    assert_eq!(without_bad(&good), without_bad(&bad));
    Ok(())
}

/// All faults in one run; what documents get that are not the plugin's is, byte for byte, what they get without it.
fn others(kit: &Kit, form: &str, faults: Faults) -> Result<(), Skipped> {
    let plugin = prepared(kit, form)?;
    let pages: Vec<_> = (0..6).map(|number| format!("/{number}.html")).collect();
    let bad: Vec<_> = faults.iter().map(|(word, _)| (format!("/bad/{word}.txt"), *word)).collect();
    let page = |site: Site, name: &String| site.with(name, format!("<title>Page {name}</title><p>Corn and maize."));
    let site = pages.iter().fold(Site::new("site"), page);
    let fault = |site: Site, (name, word): &(String, &str)| site.with(name, format!("FAULT: {word}\nCorn grows.\n"));
    let site = bad.iter().fold(site, fault);
    let leaves: Vec<_> =
        bad.iter().map(|(name, _)| name).chain(&pages).map(|name| format!("\"{{{{site}}}}{name}\"")).collect();
    let root = format!("[[root-node]]\nleaves = [{}]\ndelay = \"0s\"\n", leaves.join(", "));
    let folder = plugin.path().display().to_string();
    let records = |plugins: &str| {
        runtime().block_on(async {
            let stage = Stage::with(site.clone(), &format!("{plugins}{root}")).await;
            let report = stage.run().await;
            assert_eq!(report["updated"], leaves.len(), "every document has its record: {report}");
            let store = stage.store().await;
            let of_others = store.split("@FILE { ").filter(|object| !object.contains("http://site/bad/"));
            (of_others.map(str::to_owned).collect::<Vec<_>>(), report)
        })
    };
    let (without, _) = records("");
    let (with, report) = records(&format!("[plugins]\nfolders = [{folder:?}]\n"));
    assert!(report["plugins"][0]["failed"].as_u64().is_some_and(|failed| failed > 0), "{report}");
    assert_eq!(without, with);
    assert_eq!(without.len(), pages.len() + 1, "{without:?}");
    Ok(())
}

fn at_start(kit: &Kit, word: &str, expected: &str) -> Result<(), Skipped> {
    let plugin = prepared(kit, "program")?;
    let manifest = plugin.path().join("plugin.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    fs::write(&manifest, format!("arguments = [\"{word}\"]\n{text}")).expect("a manifest");
    let (out, err, is_content) = gatherer(plugin.path(), &["plugin", "check", "."]);
    assert!(!is_content && err.contains(expected), "{expected:?} in {out}{err}");
    Ok(())
}

fn library_of(kit: &Kit, library: &str, expected: &str) -> Result<(), Skipped> {
    let plugin = prepared(kit, "dylib")?;
    fs::copy(kit.folder("faulty").join(format!("{library}.so")), plugin.path().join("faulty.so")).expect("a library");
    let manifest = plugin.path().join("plugin.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest").replace("faulty-dylib", library);
    fs::write(&manifest, text).expect("a manifest");
    fs::write(plugin.path().join("document.txt"), "Corn.\n").expect("a document");
    let (out, err, _) = gatherer(plugin.path(), &["plugin", "run", ".", "document.txt"]);
    assert!(out.contains(expected) || err.contains(expected), "{expected:?} in {out}{err}");
    Ok(())
}

fn inside(kit: &Kit) -> Result<(), Skipped> {
    let plugin = prepared(kit, "dylib")?;
    runtime().block_on(async {
        let config = format!(
            "[plugins]\nfolders = [{:?}]\n[[plugin]]\nname = \"faulty-dylib\"\nin-process = true\n\
             [[root-node]]\nleaves = [\"{{{{site}}}}/a.txt\"]\ndelay = \"0s\"\n",
            plugin.path().display().to_string()
        );
        let stage = Stage::with(Site::new("site").with("/a.txt", "Corn\n"), &config).await;
        let ended = stage.gatherer(&["run"]).await;
        assert!(ended.code == Some(0) && ended.err.contains("library loaded into the gatherer itself"), "{ended:?}");
        let record = stage.good(&["show", "--provenance", &stage.url("/a.txt")]).await;
        assert!(record.contains("faulty-dylib 1.0.0"), "{record}");
    });
    Ok(())
}

fn other_machine(kit: &Kit) -> Result<(), Skipped> {
    let plugin = prepared(kit, "dylib")?;
    let path = plugin.path().join("faulty.so");
    let mut library = fs::read(&path).expect("a library");
    // The machine's number in the head of ELF: that of SPARC.
    (library[18], library[19]) = (2, 0);
    fs::write(&path, library).expect("a library");
    check_says(plugin.path(), "it is a library for another machine");
    fs::write(&path, "no library").expect("a file");
    check_says(plugin.path(), "it is no dynamic library");
    Ok(())
}

fn check_says(folder: &Path, expected: &str) {
    let (out, err, is_content) = gatherer(folder, &["plugin", "check", "."]);
    assert!(!is_content && err.contains(expected), "{expected:?} in {out}{err}");
}
