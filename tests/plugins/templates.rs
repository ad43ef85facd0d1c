//! What `gatherer plugin new` writes builds and passes, in every language and form.

use crate::kit::{Kit, gatherer};
use crate::{Skipped, Test};
use std::fs;
use std::path::Path;

/// Language, form, and whether a test machine may do without.
const TEMPLATES: [(&str, &str, bool); 8] = [
    ("rust", "wasm", true),
    ("rust", "dylib", false),
    ("c", "wasm", false),
    ("c", "dylib", false),
    ("javascript", "wasm", true),
    ("python", "program", false),
    ("python", "wasm", true),
    ("shell", "program", false),
];

pub(crate) fn all() -> Vec<Test> {
    let template = |(lang, form, may_skip): (&'static str, &'static str, bool)| {
        Test::new(format!("template_{lang}_{form}"), may_skip, move |kit: &Kit| template(kit, lang, form))
    };
    TEMPLATES.into_iter().map(template).collect()
}

fn template(kit: &Kit, lang: &str, form: &str) -> Result<(), Skipped> {
    let name = format!("my-{lang}-{form}");
    let workshop = kit.folder("new");
    fs::create_dir_all(&workshop).expect("a directory");
    let folder = workshop.join(&name);
    // What was built before stays: only the sources are written anew.
    let scratch = tempfile::tempdir().expect("a directory");
    let (out, err, is_content) = gatherer(scratch.path(), &["plugin", "new", &name, "--lang", lang, "--form", form]);
    assert!(is_content && out.contains("next: cd"), "{out}{err}");
    adopt(&scratch.path().join(&name), &folder);
    borrow_tools(kit, &folder, lang);
    kit.build(&folder)?;
    let (out, err, is_content) = gatherer(&folder, &["plugin", "check"]);
    assert!(is_content && out.contains(", 0 broken"), "{name}: {out}{err}");
    fs::write(folder.join("try.txt"), "\nCorn\nsee http://example.org/maize for more\n").expect("a document");
    let (out, err, is_content) = gatherer(&folder, &["plugin", "run", ".", "try.txt", "--option", "words=true"]);
    assert!(is_content && out.contains("Title{4}:\tCorn\n"), "{name}: {out}{err}");
    assert!(out.contains("Lines{1}:\t") && out.contains("Words{1}:\t"), "{name}: {out}{err}");
    assert!(out.contains("URL-References{24}:\thttp://example.org/maize\n"), "{name}: {out}{err}");
    Ok(())
}

/// What an example of the same language has fetched for its build need not be fetched again.
fn borrow_tools(kit: &Kit, folder: &Path, lang: &str) {
    let (example, tools) = match lang {
        "javascript" => ("examples/openapi", "node_modules"),
        "python" => ("examples/notebook", ".venv"),
        _ => return,
    };
    let (from, to) = (kit.folder(example).join(tools), folder.join(tools));
    if from.exists() && !to.exists() {
        std::os::unix::fs::symlink(from, to).expect("a link");
    }
    // Their age tells the build whether they have to be fetched anew.
    if let Ok(lock) = fs::File::options().append(true).open(folder.join("package-lock.json")) {
        lock.set_modified(std::time::UNIX_EPOCH).expect("an age");
    }
}

/// Copies what differs.
fn adopt(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a project") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            adopt(&entry.path(), &target);
        } else if fs::read(entry.path()).ok() != fs::read(&target).ok() {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}
