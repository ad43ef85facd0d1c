//! Every example is built, keeps all promises, and gives what it says of its own samples, in a run over a real site.

use crate::kit::{Kit, gatherer, runtime};
use crate::stage::Stage;
use crate::{Skipped, Test};
use gatherer_demo::Site;
use std::fs;
use std::path::Path;

/// The examples, and whether a test machine may do without.
const EXAMPLES: [(&str, bool); 10] = [
    ("calendar", false),
    ("csv-columns", false),
    ("gpx", false),
    ("midi", false),
    ("ndjson-recognizer", false),
    ("notebook", true),
    ("openapi", true),
    ("privacy", true),
    ("recipes", true),
    ("subtitles", false),
];

pub(crate) fn all() -> Vec<Test> {
    let example = |(name, may_skip): (&'static str, bool)| {
        Test::new(format!("example_{name}"), may_skip, move |kit: &Kit| example(kit, name))
    };
    let mut tests: Vec<_> = EXAMPLES.into_iter().map(example).collect();
    tests.push(Test::new("every_example_is_tested", false, |kit: &Kit| {
        every_example_is_tested(kit);
        Ok(())
    }));
    for folder in ["sdk/rust", "examples/gpx", "examples/privacy", "examples/recipes"] {
        tests.push(Test::new(format!("own_tests_of_{folder}"), false, move |kit: &Kit| {
            kit.test_crate(folder);
            Ok(())
        }));
    }
    tests.push(Test::new("example_date-range", false, enumerator));
    tests.push(Test::new("children_have_records_of_their_own", false, children));
    tests.push(Test::new("a_component_and_a_worker_read_all_of_a_long_document", false, long_document));
    tests
}

fn every_example_is_tested(kit: &Kit) {
    let folders = fs::read_dir(kit.folder("examples")).expect("examples");
    let names = folders.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    // spaCy stands behind the parser, whose own tests try it.
    let elsewhere = ["date-range", "spacy"];
    let known = |name: &String| elsewhere.contains(&name.as_str()) || EXAMPLES.iter().any(|(known, _)| known == name);
    let strangers: Vec<_> = names.filter(|name| !known(name)).collect();
    assert!(strangers.is_empty(), "no test of {strangers:?}");
}

fn example(kit: &Kit, name: &str) -> Result<(), Skipped> {
    let folder = kit.folder("examples").join(name);
    kit.build(&folder)?;
    let (out, err, is_content) = gatherer(&folder, &["plugin", "check", "."]);
    assert!(is_content && out.contains(", 0 broken"), "{name}: {out}{err}");
    let samples = samples(&folder);
    assert!(!samples.is_empty(), "{name} has no samples");
    runtime().block_on(async {
        let site = samples
            .iter()
            .fold(Site::new("site"), |site, (file, content, _)| site.with(&format!("/{file}"), content.as_slice()));
        let leaves: Vec<_> = samples.iter().map(|(file, ..)| format!("\"{{{{site}}}}/{file}\"")).collect();
        let stage = Stage::with(site, &config(&folder, &leaves.join(", "))).await;
        let report = stage.run().await;
        assert!(report["updated"].as_u64() >= Some(samples.len() as u64), "{report}");
        for (file, _, expected) in &samples {
            let record = stage.good(&["show", &stage.url(&format!("/{file}"))]).await;
            for line in expected.lines().filter(|line| !line.trim().is_empty()) {
                let (attribute, value) = line.split_once(": ").unwrap_or((line, ""));
                assert!(holds(&record, attribute, value), "{name}: {file}: no {line:?} in {record}");
            }
        }
    });
    Ok(())
}

/// A gatherer with one plugin; what is compiled is kept for all of them.
fn config(folder: &Path, leaves: &str) -> String {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/gatherer/plugins");
    format!(
        "[plugins]\nfolders = [{:?}]\ncache = {:?}\n[[root-node]]\nleaves = [{leaves}]\ndelay = \"0s\"\n",
        folder.display().to_string(),
        cache.display().to_string()
    )
}

/// Whether a record has an attribute whose first line is this.
fn holds(record: &str, attribute: &str, value: &str) -> bool {
    let named = |line: &str| {
        let (name, rest) = line.split_once('{')?;
        let (_, first) = rest.split_once("}:\t")?;
        (name == attribute).then(|| first.to_owned())
    };
    record.lines().filter_map(named).any(|first| first == value)
}

/// Name, content and what is expected of each sample.
fn samples(folder: &Path) -> Vec<(String, Vec<u8>, String)> {
    let entries = fs::read_dir(folder.join("samples")).expect("samples");
    let mut samples = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "expected") {
            let document = path.with_extension("");
            let name = document.file_name().expect("a name").to_string_lossy().into_owned();
            let expected = fs::read_to_string(&path).expect("what is expected");
            samples.push((name, fs::read(&document).expect("a sample"), expected));
        }
    }
    samples.sort();
    samples
}

fn enumerator(kit: &Kit) -> Result<(), Skipped> {
    let folder = kit.folder("examples/date-range");
    kit.build(&folder)?;
    runtime().block_on(async {
        let site = Site::new("site")
            .with("/2026/02/27.txt", "Friday")
            .with("/2026/02/28.txt", "Saturday")
            .with("/2026/03/01.txt", "Sunday");
        let more = format!(
            "[plugins]\nfolders = [{:?}]\ncache = \"\"\n[[root-node]]\nleaves = [\"{{{{site}}}}/2026/02/27.txt\"]\nenumerator = \"date-range\"\ndelay = \"0s\"\n\
             host-filter = ['allow .']\n\
             enumerator-options = {{ pattern = \"{{{{site}}}}/%Y/%m/%d.txt\", first = \"2026-02-27\", last = \"2026-03-01\" }}\n",
            folder.display().to_string()
        );
        let stage = Stage::with(site, &more).await;
        let report = stage.run().await;
        assert_eq!(report["updated"], 3, "{report}");
    });
    Ok(())
}

fn children(kit: &Kit) -> Result<(), Skipped> {
    let folder = kit.folder("examples/calendar");
    kit.build(&folder)?;
    let event = |uid: &str, summary: &str| {
        format!("BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTART:20260501T100000Z\r\nSUMMARY:{summary}\r\nEND:VEVENT\r\n")
    };
    let calendar =
        |events: &[String]| format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", events.concat());
    runtime().block_on(async {
        let (fair, feast) = (event("fair@example.org", "Corn fair"), event("feast@example.org", "Maize feast"));
        let site = Site::new("site").with("/a.ics", calendar(&[fair.clone(), feast]));
        let stage = Stage::with(site, &config(&folder, "\"{{site}}/a.ics\"")).await;
        let report = stage.run().await;
        assert_eq!(report["updated"], 3, "the calendar and two events: {report}");
        let all = stage.good(&["export"]).await;
        assert!(all.contains("Corn fair") && all.contains("Maize feast"), "{all}");
        assert_eq!(all.matches(&format!("Container{{{}}}:", stage.url("/a.ics").len())).count(), 2, "{all}");
        // A plugin that fails knows of no events, but that is no reason to take them for gone.
        let late =
            format!("{}[[plugin]]\nname = \"calendar\"\ndeadline = \"1ms\"\n", config(&folder, "\"{{site}}/a.ics\""));
        stage.configure(&late);
        stage.good(&["run", "--now"]).await;
        let all = stage.good(&["export"]).await;
        assert!(all.contains("Corn fair") && all.contains("Maize feast"), "{all}");
        stage.configure(&config(&folder, "\"{{site}}/a.ics\""));
        // One that is no longer in it goes; the other stays as it is.
        stage.web.replace(Site::new("site").with("/a.ics", calendar(&[fair])));
        let report: serde_json::Value =
            serde_json::from_str(&stage.good(&["run", "--now", "--json", "--allow-deletions"]).await).expect("JSON");
        assert_eq!(report["deleted"], 1, "{report}");
        let all = stage.good(&["export"]).await;
        assert!(all.contains("Corn fair") && !all.contains("Maize feast"), "{all}");
    });
    Ok(())
}

/// The beginning of a document comes with the call, the rest has to be read.
fn long_document(kit: &Kit) -> Result<(), Skipped> {
    let folder = kit.folder("examples/subtitles");
    kit.build(&folder)?;
    let cue = |number: u32| {
        format!("{number}\n00:00:{:02},000 --> 00:00:{:02},500\nword {number}\n\n", number % 60, number % 60)
    };
    let text: String = (1..=40_000).map(cue).collect();
    assert!(text.len() > 1 << 20);
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("long.srt"), text).expect("a document");
    let (out, err, is_content) =
        gatherer(directory.path(), &["plugin", "run", &folder.display().to_string(), "long.srt"]);
    assert!(is_content && out.contains("Cues{5}:\t40000\n"), "{err}");
    Ok(())
}
