//! Summarizer programs in the real program, the shipped example among them.

use super::stage::Stage;
use gatherer_demo::Site;
use std::path::Path;

fn site() -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=prices.csv?x=1>prices</a><a href=next.html>next</a>")
        .with("/prices.csv", "name,price in \"EUR\"\ncorn,3\nmaize,4\n")
        .with("/next.html", "<title>Next</title>")
}

fn config(program: &str) -> String {
    format!(
        "[[summarizer]]\nname = \"own 1.0\"\nkinds = [\"CSV\"]\nprogram = {program}\n\
         [[root-node]]\nurl = \"{{{{site}}}}/\"\ndelay = \"0s\"\n"
    )
}

async fn record_by(program: &str) -> String {
    let hangs = program.contains("sleep");
    let limit = if hangs { "[summaries]\nprogram-limit = \"300ms\"\n" } else { "" };
    let stage = Stage::with(site(), &format!("{limit}{}", config(program))).await;
    assert_eq!(stage.run().await["updated"], 3, "nothing is lost, whatever the program does");
    stage.good(&["show", &stage.url("/prices.csv?x=1")]).await
}

#[tokio::test]
async fn the_shipped_example_works() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/examples/csv-columns/CSV.sum");
    let record = record_by(&format!("[{:?}]", example.display().to_string())).await;
    for attribute in ["Title{10}:\tprices.csv\n", "Columns{17}:\tname\nprice in EUR\n", "Rows{1}:\t2\n"] {
        assert!(record.contains(attribute), "{attribute:?} in {record}");
    }
}

#[tokio::test]
async fn a_program_that_misbehaves_costs_one_summary() {
    for (script, complaint) in [
        ("exit 7", "own 1.0 failed: it ended with exit status: 7"),
        ("sleep 1000", "own 1.0 failed: it did not end within"),
        ("yes", "own 1.0 failed: it printed more than"),
        ("kill -9 $$", "own 1.0 failed: it ended with signal: 9"),
        ("echo nonsense", ""),
    ] {
        let record = record_by(&format!("[\"/bin/sh\", \"-c\", \"{script}\"]")).await;
        assert!(record.contains("Type{3}:\tCSV\n") && record.contains("MD5{32}"), "{record}");
        assert!(record.contains(complaint), "{complaint:?} in {record}");
        assert!(record.contains("Complaints{"), "{record}");
    }
    let stage = Stage::with(site(), &config("[\"./not-there\"]")).await;
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("there is no program at"), "{checked:?}");
}

#[tokio::test]
async fn one_document_can_be_worked_over_without_a_store() {
    let stage = Stage::with(site(), &config("[\"/bin/sh\", \"-c\", \"printf 'Own{1}:\\\\t1\\\\n'\"]")).await;
    std::fs::write(stage.path().join("a.csv"), "a,b\n").expect("a file");
    std::fs::write(stage.path().join("b.txt"), "<!DOCTYPE html><title>B</title>").expect("a file");
    let kinds = stage.good(&["recognize", "a.csv", "b.txt"]).await;
    let lines: Vec<Vec<_>> = kinds.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines[0][..2].to_vec(), lines[1][..2].to_vec()), (vec!["a.csv", "CSV"], vec!["b.txt", "HTML"]));
    assert!(lines[1][2].contains("content=HTML"), "{kinds}");

    let plain = stage.gatherer(&["summarize", "b.txt"]).await;
    assert!(plain.out.contains("Title{1}:\tB\n") && plain.err.contains("content=HTML"), "{plain:?}");
    let own = stage.good(&["summarize", "a.csv", "--config", "gatherer.toml"]).await;
    assert!(own.contains("Own{1}:\t1\n"), "{own}");
    assert_eq!(stage.good(&["summarize", "a.csv"]).await, own, "the config that lies there is taken");
    let remote = stage.good(&["summarize", &stage.url("/next.html")]).await;
    assert!(remote.contains("Title{4}:\tNext\n"), "{remote}");
    std::fs::rename(stage.path().join("gatherer.toml"), stage.path().join("other.toml")).expect("renamed");
    let without = stage.gatherer(&["summarize", "a.csv"]).await;
    assert!(without.code == Some(0) && !without.out.contains("Own{1}"), "{without:?}");
    let remote = stage.gatherer(&["summarize", &stage.url("/next.html")]).await;
    assert!(remote.code == Some(1) && remote.err.contains("needs your contact"), "{remote:?}");
    let missing = stage.gatherer(&["summarize", "none.txt"]).await;
    assert!(missing.code == Some(1) && missing.err.contains("cannot read none.txt"), "{missing:?}");
    assert!(!stage.path().join("data").exists(), "nothing is stored");
}

/// A plugin of one script, in a folder of its own.
fn folder(stage: &Stage, name: &str, more: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let folder = stage.path().join("plugins").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let manifest =
        format!("name = \"{name}\"\ncontract = \"since-0.1\"\nform = \"program\"\nartifact = \"run\"\n{more}");
    std::fs::write(folder.join("plugin.toml"), manifest).expect("a manifest");
    std::fs::write(folder.join("run"), format!("#!/bin/sh\n{script}\n")).expect("a program");
    std::fs::set_permissions(folder.join("run"), std::fs::Permissions::from_mode(0o755)).expect("permissions");
}

const PLUGINS: &str = "[plugins]\nfolders = [\"plugins\"]\n[[root-node]]\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
const CSV: &str = "version = \"1.0.0\"\nkinds = [\"CSV\"]\n";

#[tokio::test]
async fn a_changed_plugin_makes_its_records_anew_and_no_others() {
    let stage = Stage::with(site(), PLUGINS).await;
    folder(&stage, "own", CSV, r"printf 'Own{3}:\tone\n'");
    let first = stage.run().await;
    assert_eq!((&first["updated"], &first["plugins"][0]["asked"]), (&3.into(), &1.into()), "{first}");
    let csv = stage.url("/prices.csv?x=1");
    assert!(stage.good(&["show", &csv]).await.contains("Own{3}:\tone\n"));

    let now = ["run", "--now", "--json"];
    let report = |text: String| serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    let again = report(stage.good(&now).await);
    assert_eq!((&again["updated"], &again["refreshed"]), (&0.into(), &3.into()), "nothing has changed: {again}");

    folder(&stage, "own", &CSV.replace("1.0.0", "1.0.1"), r"printf 'Own{3}:\ttwo\n'");
    let changed = report(stage.good(&now).await);
    assert_eq!((&changed["updated"], &changed["refreshed"]), (&1.into(), &2.into()), "{changed}");
    assert!(stage.good(&["show", &csv]).await.contains("Own{3}:\ttwo\n"));
    assert!(stage.good(&["show", "--provenance", &csv]).await.contains("own 1.0.1"));
}

#[tokio::test]
async fn who_is_in_who_is_out_and_why() {
    let stage = Stage::with(site(), PLUGINS).await;
    folder(&stage, "one", CSV, "true");
    folder(&stage, "two", CSV, "true");
    folder(&stage, "typo", "version = \"1.0.0\"\ncolour = \"red\"\n", "true");
    folder(&stage, "off", CSV, "true");
    let again = stage.path().join("more/again");
    std::fs::create_dir_all(&again).expect("a folder");
    std::fs::copy(stage.path().join("plugins/one/plugin.toml"), again.join("plugin.toml")).expect("a copy");
    std::fs::remove_file(stage.path().join("plugins/two/run")).expect("removed");
    let lists = PLUGINS.replace("[\"plugins\"]", "[\"plugins\", \"more\"]");
    stage.configure(&format!("{lists}[[plugin]]\nname = \"off\"\nenabled = false\n[[plugin]]\nname = \"onne\"\n"));
    let list = stage.good(&["plugin", "list"]).await;
    for expected in [
        "in   one 1.0.0",
        "has it been built? See the build.sh beside it",
        "unknown field `colour`",
        "switched off by the config",
        "has the same name as",
        "did you mean `one`?",
        "order CSV: one 1.0.0, then ",
    ] {
        assert!(list.contains(expected), "{expected:?} in {list}");
    }
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("has it been built?"), "{checked:?}");
    // The others go on, and the report says what is missing.
    let report = stage.run().await;
    assert_eq!(report["updated"], 3, "{report}");
    assert!(report["warnings"].to_string().contains("plugin two is not in use"), "{report}");
}

#[tokio::test]
async fn an_order_decides_and_who_refuses_steps_aside() {
    let stage = Stage::with(site(), &PLUGINS.replace("[[root", "order = [\"zeal\"]\n[[root")).await;
    folder(&stage, "able", CSV, r"printf 'By{4}:\table\n'");
    folder(&stage, "zeal", CSV, "echo not today >&2; exit 65");
    assert_eq!(stage.run().await["updated"], 3);
    let record = stage.good(&["show", &stage.url("/prices.csv?x=1")]).await;
    assert!(record.contains("By{4}:\table\n") && !record.contains("not today"), "{record}");
    // Nothing is wrong with it, so it is as good as new.
    let again = stage.good(&["run", "--now", "--json"]).await;
    assert!(again.contains("\"updated\":0"), "{again}");
}

#[tokio::test]
async fn other_roles_recognize_correct_and_leave_out() {
    let stage = Stage::with(site(), PLUGINS).await;
    let all = |role: &str, kinds: &str| format!("version = \"1.0.0\"\nrole = \"{role}\"\nkinds = [\"{kinds}\"]\n");
    folder(&stage, "prices", &all("recognizer", "CSV"), r"printf 'PriceList\tit has prices\n'");
    folder(&stage, "shout", &all("post-summarizer", "HTML"), r"sed 's/^Title{5}:\tStart$/Title{5}:\tSTART/'");
    assert_eq!(stage.run().await["updated"], 3);
    let csv = stage.good(&["show", &stage.url("/prices.csv?x=1")]).await;
    assert!(csv.contains("Type{9}:\tPriceList\n"), "{csv}");
    let start = stage.good(&["show", &stage.url("/")]).await;
    assert!(start.contains("Title{5}:\tSTART\n") && start.contains("Type{4}:\tHTML\n"), "{start}");
    let why = stage.good(&["explain", &stage.url("/prices.csv?x=1")]).await;
    assert!(why.contains("prices=PriceList (it has prices)"), "{why}");
    // One that fails changes nothing and is named.
    folder(&stage, "shout", &all("post-summarizer", "HTML"), "exit 1");
    stage.good(&["run", "--now"]).await;
    let start = stage.good(&["show", &stage.url("/")]).await;
    assert!(start.contains("Title{5}:\tStart\n") && start.contains("shout 1.0.0: it ended with"), "{start}");
}

#[tokio::test]
async fn a_plugin_that_keeps_failing_is_set_aside_for_the_run() {
    let links: String = (0..12).map(|number| format!("<a href={number}.csv>table</a>")).collect();
    let site = Site::new("site").with("/index.html", links);
    let site = (0..12).fold(site, |site, number| site.with(&format!("/{number}.csv"), format!("a,b\n{number},2\n")));
    let stage = Stage::with(site, PLUGINS).await;
    folder(&stage, "own", CSV, "exit 9");
    let report = stage.run().await;
    assert_eq!(report["updated"], 13, "no document is lost: {report}");
    let asked = report["plugins"][0]["asked"].as_u64().expect("a count");
    assert!((5..12).contains(&asked), "{report}");
    assert!(report["plugins"][0]["set_aside"].to_string().contains("5 failures in a row"), "{report}");
}

#[tokio::test]
async fn a_plugin_cannot_name_a_program_to_run() {
    let stage = Stage::with(site(), PLUGINS).await;
    let mark = stage.path().join("ran");
    let nine = format!("http://127.0.0.1/;touch$IFS{} 9 - 9 - http 0 1 /bin/sh", mark.display());
    let role = "version = \"1.0.0\"\nrole = \"enumerator\"\n";
    folder(&stage, "names", role, &format!("echo '{nine}'; echo not-a-url"));
    stage.configure(&PLUGINS.replace("delay", "enumerator = \"names\"\ndelay"));
    for _ in 0..2 {
        let report = stage.run().await;
        assert!(report["warnings"].to_string().contains("answer 2 of names: no URL"), "{report}");
    }
    assert!(!mark.exists());
    stage.configure(&PLUGINS.replace("delay", "enumerator = \"nobody\"\ndelay"));
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("there is no enumerator nobody in use"), "{checked:?}");
}

#[tokio::test]
async fn a_plugin_called_like_a_summarizer_of_ours_is_not_taken_for_it() {
    let page = "<title>Start</title><meta name=robots content=noindex><a href=a.csv>x</a>";
    let stage = Stage::with(Site::new("site").with("/index.html", page).with("/a.csv", "a,b\n"), PLUGINS).await;
    let version = env!("CARGO_PKG_VERSION");
    folder(&stage, "html", &format!("version = \"{version}\"\nkinds = [\"HTML\"]\n"), r"printf 'Title{3}:\town\n'");
    stage.gatherer(&["run"]).await;
    let shown = stage.gatherer(&["show", &stage.url("/")]).await;
    assert_ne!(shown.code, Some(0), "the page does not want a record, whoever summarizes it: {shown:?}");
}

#[tokio::test]
async fn a_plugin_that_is_broken_is_told_with_its_line() {
    let stage = Stage::with(site(), PLUGINS).await;
    folder(&stage, "able", CSV, r"printf 'By{4}:\table\n'");
    stage.run().await;
    std::fs::write(stage.path().join("plugins/able/plugin.toml"), "name = ").expect("a manifest");
    let report: serde_json::Value = serde_json::from_str(&stage.good(&["run", "--now", "--json"]).await).expect("JSON");
    assert!(report["warnings"].to_string().contains("plugin.toml: line 1"), "{report}");
}

#[tokio::test]
async fn programs_of_the_config_are_asked_however_often_they_fail() {
    let links: String = (0..8).map(|number| format!("<a href={number}.csv>table</a>")).collect();
    let site = Site::new("site").with("/index.html", links);
    let site = (0..8).fold(site, |site, number| site.with(&format!("/{number}.csv"), format!("a,b\n{number},2\n")));
    let stage = Stage::with(site, &config("[\"/bin/sh\", \"-c\", \"exit 7\"]")).await;
    assert_eq!(stage.run().await["updated"], 9);
    for number in 0..8 {
        let record = stage.good(&["show", &stage.url(&format!("/{number}.csv"))]).await;
        assert!(record.contains("own 1.0 failed: it ended with exit status: 7"), "{record}");
    }
}
