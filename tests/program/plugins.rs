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
        ("exit 7", "own 1.0 refused: it ended with exit status: 7"),
        ("sleep 1000", "own 1.0 refused: it did not end within"),
        ("yes", "own 1.0 refused: it printed more than"),
        ("kill -9 $$", "own 1.0 refused: it ended with signal: 9"),
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
    let remote = stage.good(&["summarize", &stage.url("/next.html"), "-c", "gatherer.toml"]).await;
    assert!(remote.contains("Title{4}:\tNext\n"), "{remote}");
    let missing = stage.gatherer(&["summarize", "none.txt"]).await;
    assert!(missing.code == Some(1) && missing.err.contains("cannot read none.txt"), "{missing:?}");
    assert!(!stage.path().join("data").exists(), "nothing is stored");
}
