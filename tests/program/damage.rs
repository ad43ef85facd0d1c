//! Bits that fall over and files that are cut short or gone, in every kind of file that a store has: told with the way out,
//! never a panic, and never fewer records passed on as if that were all.
//!
//! A kind of damage more is a line in [`HARMS`].

use super::stage::{Ended, Stage, pages};
use super::web::{ask, blocking};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = "[run]\nfold-chunk = 2\nworkers = 1\n\
    [[root-node]]\nname = \"pages\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\nrefresh-range = 1\n";
const RECORDS: usize = 13;
/// Brokers were told of all changes up to the death behind this write of the second run.
const DEATH: &str = "killed:24";

/// What happens to a file, at a share of its length.
type Harm = fn(&Path, f64);

const HARMS: &[(&str, Harm, &[f64])] = &[
    ("one bit is another", flip, &[0.0, 0.3, 0.6, 0.99]),
    ("cut short", cut, &[0.0, 0.6]),
    ("gone", |path, _| fs::remove_file(path).expect("a file"), &[0.0]),
];

/// The byte, counted from the front, at a share of the length.
fn at(length: usize, share: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in a small file"
    )]
    let place = (length as f64 * share) as usize;
    place
}

fn flip(path: &Path, share: f64) {
    let mut bytes = fs::read(path).expect("a file");
    let place = at(bytes.len(), share);
    bytes[place] ^= 0x10;
    fs::write(path, bytes).expect("damage");
}

fn cut(path: &Path, share: f64) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    let length = file.metadata().expect("a file").len();
    file.set_len(at(usize::try_from(length).expect("a small file"), share) as u64).expect("damage");
}

/// One file of each kind, those with something in them: of tables the two largest, records and ledger.
fn kinds_of_files(data: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(data).expect("a store").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.metadata().is_ok_and(|data| data.is_file() && data.len() > 0));
    files.sort_by_key(|path| std::cmp::Reverse(path.metadata().map_or(0, |data| data.len())));
    let named = |start: &str| files.iter().find(|path| file_name(path).starts_with(start)).cloned();
    let ending = |end: &str, most| {
        let files = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == end));
        files.take(most).cloned().collect::<Vec<_>>()
    };
    let small =
        ["CURRENT", "MANIFEST", "OPTIONS", "IDENTITY", "TOLD"].map(|name| named(name).expect("a file of this name"));
    let (logs, tables) = (ending("log", 1), ending("sst", 2));
    assert_eq!((logs.len(), tables.len()), (1, 2), "a store after a death has both");
    small.into_iter().chain(logs).chain(tables).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A store whose log of writes has folded changes in it, put aside to be damaged again and again.
async fn stage() -> Stage {
    let stage = Stage::with(pages(RECORDS - 1), ROOT).await;
    stage.run().await;
    let order = [("GATHERER_STORE_FAULT", Path::new(DEATH))];
    assert_eq!(stage.gatherer_with(&["run"], &order).await.code, None);
    let told = stage.good(&["store", "check"]).await;
    assert!(told.contains("all is well: 13 records"), "{told}");
    fs::rename(stage.path().join("data"), stage.path().join("whole")).expect("a store");
    stage
}

fn put_back(stage: &Stage) -> PathBuf {
    let data = stage.path().join("data");
    let _ = fs::remove_dir_all(&data);
    fs::create_dir(&data).expect("a directory");
    for entry in fs::read_dir(stage.path().join("whole")).expect("a store").flatten() {
        fs::copy(entry.path(), data.join(entry.file_name())).expect("a copy");
    }
    data
}

/// A complaint that names the place and the way out.
fn is_told(ended: &Ended) -> bool {
    let is_useful = ended.err.contains("damaged") || ended.err.contains("cannot be read on");
    ended.code == Some(1) && is_useful && ended.err.contains("store restore") && ended.err.contains("store repair")
}

#[tokio::test]
async fn damage_to_any_file_is_told_with_the_way_out() {
    let stage = stage().await;
    let files = kinds_of_files(&stage.path().join("whole"));
    let mut told = 0;
    for file in files.iter().map(|path| file_name(path)) {
        for (what, harm, shares) in HARMS {
            for share in *shares {
                let data = put_back(&stage);
                harm(&data.join(&file), *share);
                let seen = stage.gatherer(&["store", "check"]).await;
                let all = stage.gatherer(&["export", "--form", "json"]).await;
                let case = format!("{file} {what} at {share}");
                for ended in [&seen, &all] {
                    assert!(ended.code.is_some() && !ended.err.contains("panicked"), "{case}: {ended:?}");
                    assert!(
                        ended.code == Some(0) || is_told(ended) || ended.err.contains("log of writes"),
                        "{case}: {ended:?}"
                    );
                }
                // Whoever gets fewer records hears of it.
                let is_all = all.out.lines().count() == RECORDS;
                assert!(is_all || is_told(&all), "{case}: {all:?}");
                // And whoever looks finds it, unless nothing is lost by it.
                assert!(seen.code == Some(1) || (is_all && all.code == Some(0)), "{case}: {seen:?} {all:?}");
                told += usize::from(seen.code == Some(1));
            }
        }
    }
    assert!(told > 25, "{told} cases were told");
}

/// A run and a daemon say the same as a look, and lose nothing by it.
#[tokio::test]
async fn nobody_goes_on_with_a_damaged_store() {
    let stage = stage().await;
    for (file, harm) in [
        ("CURRENT", cut as Harm),
        ("CURRENT", |path, _| fs::remove_file(path).expect("a file")),
        ("MANIFEST", |path, _| fs::remove_file(path).expect("a file")),
        ("MANIFEST", flip),
        ("log", flip),
        ("log", cut),
    ] {
        let data = put_back(&stage);
        let files = kinds_of_files(&data);
        let path = files
            .iter()
            .find(|path| file_name(path).starts_with(file) || path.extension().is_some_and(|ending| ending == file));
        harm(path.expect("a file of this kind"), 0.2);
        for command in [&["run"][..], &["serve", "--no-run"], &["export"]] {
            let ended = stage.gatherer(command).await;
            assert!(is_told(&ended), "{file}, {command:?}: {ended:?}");
        }
        // What the message names helps.
        let said = stage.good(&["store", "repair"]).await;
        assert!(said.contains("brokers are told to begin anew"), "{said}");
        stage.good(&["run", "--now"]).await;
        assert!(stage.good(&["store", "check"]).await.contains("all is well: 13 records"), "{file}");
    }
}

/// Records that cannot be read break the transfer off: a broker never takes the rest for all.
#[tokio::test]
async fn a_broker_never_takes_a_part_for_the_whole() {
    let stage = stage().await;
    let data = put_back(&stage);
    // Near the front: the last ones are looked at when the store is opened.
    flip(&kinds_of_files(&data)[6], 0.1);
    let (_server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let place = http.clone();
    let answers = blocking(move || ["/records", "/changes?since=0"].map(|path| ask(&place, path, &[]))).await;
    for answer in answers {
        assert!(!answer.is_whole || answer.status >= 500, "{} {}", answer.status, answer.text());
    }
    for address in [&brokers, &http] {
        let ended = stage.gatherer(&["collect", address, "--cursor", "place", "-o", "copy.soif"]).await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let place = fs::read_to_string(stage.path().join("place")).expect("a cursor");
        assert!(place.contains("\"cursor\":\"0\""), "nothing is ticked off: {place}");
        fs::remove_file(stage.path().join("place")).expect("a cursor");
    }
}
