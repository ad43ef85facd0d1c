//! What programs and libraries are kept from, tried by real ones. A kernel that cannot hold them is told, and then they are
//! let: what `plugin list` says is what happens.

use crate::faulty::prepared;
use crate::kit::{Kit, gatherer, runtime};
use crate::stage::Stage;
use crate::{Skipped, Test};
use gatherer_demo::Site;
use std::fs;

const FORMS: [&str; 3] = ["dylib", "program", "once"];

pub(crate) fn all() -> Vec<Test> {
    let mut tests = Vec::new();
    for form in FORMS {
        for (name, attempt) in [
            ("has_no_network", "connect"),
            ("writes_nothing_outside", "write-outside"),
            ("may_write_in_its_scratch_directory", "write-scratch"),
            ("sees_no_secrets_of_ours", "environment"),
        ] {
            let test = move |kit: &Kit| tried(kit, form, attempt);
            tests.push(Test::new(format!("sandboxed_{form}_{name}"), false, test));
        }
    }
    tests.push(Test::new("the_network_is_granted_by_both_sides", false, granted));
    tests.push(Test::new("the_sandbox_can_be_switched_off", false, switched_off));
    tests
}

/// What the program says that it holds plugins to.
fn in_force(config: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let config =
        format!("[gatherer]\ncontact = \"test@example.org\"\n{config}[[root-node]]\nurl = \"http://example.org/\"\n");
    fs::write(directory.path().join("gatherer.toml"), config).expect("a config");
    let (out, err, is_content) = gatherer(directory.path(), &["plugin", "list"]);
    assert!(is_content, "{out}{err}");
    out.lines().find_map(|line| line.strip_prefix("sandbox: ")).unwrap_or_default().to_owned()
}

fn tried(kit: &Kit, form: &str, attempt: &str) -> Result<(), Skipped> {
    let plugin = prepared(kit, form)?;
    fs::write(plugin.path().join("document.txt"), format!("FAULT: {attempt}\nCorn.\n")).expect("a document");
    let (out, err, is_content) = gatherer(plugin.path(), &["plugin", "run", ".", "document.txt"]);
    assert!(is_content, "{out}{err}");
    let in_force = in_force("");
    let held = in_force.split("; ").next().unwrap_or_default();
    let is_kept = match attempt {
        "connect" => held.contains("sockets"),
        "write-outside" => held.contains("writing outside"),
        "environment" => {
            assert!(out.contains("PATH") && !out.contains("FAULTY_SECRET"), "{out}");
            return Ok(());
        }
        _ => false,
    };
    let expected = if is_kept { "it was kept" } else { "it was let" };
    assert!(out.contains(expected), "{expected:?}, as {in_force:?} has it: {out}{err}");
    Ok(())
}

/// What a program in a run gets to do, with this in its manifest and this in the config.
fn outcome(kit: &Kit, manifest: &str, config: &str) -> Result<String, Skipped> {
    let plugin = prepared(kit, "program")?;
    let path = plugin.path().join("plugin.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    fs::write(&path, text.replace("grants = [", &format!("grants = [{manifest}"))).expect("a manifest");
    let folder = plugin.path().display().to_string();
    let config = config.replace("[plugins]\n", &format!("[plugins]\nfolders = [{folder:?}]\n"));
    let root = "[[root-node]]\nleaves = [\"{{site}}/a.txt\"]\ndelay = \"0s\"\n";
    Ok(runtime().block_on(async {
        let site = Site::new("site").with("/a.txt", "FAULT: connect\nCorn.\n");
        let stage = Stage::with(site, &format!("{config}{root}")).await;
        stage.run().await;
        stage.good(&["show", &stage.url("/a.txt")]).await
    }))
}

fn granted(kit: &Kit) -> Result<(), Skipped> {
    if !in_force("").split("; ").next().unwrap_or_default().contains("sockets") {
        return Err(Skipped("this kernel cannot keep programs from the network".to_owned()));
    }
    let plain = "[plugins]\n";
    let granting = "[plugins]\n[[plugin]]\nname = \"faulty-program\"\ngrants = [\"network\"]\n";
    for (asked, config, expected) in [
        ("", plain, "it was kept"),
        ("\"network\", ", plain, "it was kept"),
        ("", granting, "it was kept"),
        ("\"network\", ", granting, "it was let"),
    ] {
        let record = outcome(kit, asked, config)?;
        assert!(record.contains(expected), "{asked:?} with {config:?}: {record}");
    }
    Ok(())
}

fn switched_off(kit: &Kit) -> Result<(), Skipped> {
    let off = "[plugins]\nsandbox = false\n";
    assert!(in_force(off).starts_with("switched off by"), "{}", in_force(off));
    let record = outcome(kit, "", off)?;
    assert!(record.contains("it was let"), "{record}");
    Ok(())
}
