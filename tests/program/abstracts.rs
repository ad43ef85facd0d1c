//! Abstracts from the page to the broker, with the real parser.

use super::stage::Stage;
use super::web::{ask, blocking, check_answer, description, encoded};
use gatherer_demo::Site;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

const HOTEL: &str = "<html lang=de><head><title>Hotel Seestern in Wismar</title></head><body><h1>Hotel Seestern</h1>\
    <p>Das Hotel Seestern liegt in Wismar. Unsere 24 Doppelzimmer sind mit Telefon und Minibar ausgestattet.</p>\
    <p>Hafenstra&szlig;e 5<br>23966 Wismar<br>Tel.: 03841 123456<br>E-Mail: info@seestern.example</p>\
    <h2>Preise</h2><p>Doppelzimmer: 85,00 EUR</p></body></html>";
const CLUB: &str = "<html lang=de><title>Satzung</title><p>Der Verein trifft sich im Zimmer des Vorstands.</p></html>";

fn site() -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=hotel.html>a</a><a href=club.html>b</a>")
        .with("/hotel.html", HOTEL)
        .with("/club.html", CLUB)
}

/// The parser of this workspace, built beside the program.
fn parser() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_gatherer")).with_file_name("gatherer-parser");
    assert!(path.is_file(), "{} is missing: build the whole workspace", path.display());
    path
}

fn config(worker: &Path) -> String {
    format!(
        "[store]\nkeep-bodies = true\n[[root-node]]\nname = \"site\"\nurl = \"{{{{site}}}}/\"\ndelay = \"0s\"\n\
         [[parser]]\nname = \"tourism\"\nworker = [\"{}\", \"worker\"]\n",
        worker.display()
    )
}

#[tokio::test]
async fn what_a_page_says_reaches_records_brokers_and_http() {
    let stage = Stage::with(site(), &config(&parser())).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["parsers"]["tourism"]["made"]), (&3.into(), &3.into()), "{report}");
    let hotel = stage.url("/hotel.html");
    let record = stage.good(&["show", &hotel]).await;
    for line in
        ["hat_Telefon{13}:\t+493841123456\n", "liegt_in_Stadt{6}:\tWismar\n", "hat_Email{21}:\tinfo@seestern.example\n"]
    {
        assert!(record.contains(line), "{line:?} in {record}");
    }
    let provenance = stage.good(&["show", &hotel, "--provenance"]).await;
    assert!(provenance.contains("Abstract-XML\tgatherer-parser "), "{provenance}");
    assert!(!stage.good(&["show", &stage.url("/club.html")]).await.contains("Abstract-XML"));

    let xml = stage.good(&["show", &hotel, "--abstract"]).await;
    assert!(xml.contains(&format!("<url>{hotel}</url>")) && xml.contains("Hotel Seestern"), "{xml}");
    std::fs::write(stage.path().join("abstract.xml"), &xml).expect("a file");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/abstract/abstract.xsd");
    judge(&schema, &stage.path().join("abstract.xml")).await;
    let list = stage.good(&["show", &hotel, "--abstract", "list"]).await;
    assert!(list.contains("<tuple ") && list.contains("liegt_in_Stadt"), "{list}");

    let (_server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    let (path, other) =
        (format!("/abstracts/{}", encoded(&hotel)), format!("/abstracts/{}", encoded(&stage.url("/club.html"))));
    blocking(move || {
        let openapi = description();
        for (form, part) in
            [("xml", "<abstract "), ("json", "\"abstract\":"), ("turtle", "@prefix"), ("json-ld", "@graph")]
        {
            let answer = ask(&http, &format!("{path}?form={form}"), &[]);
            assert!(answer.status == 200 && answer.text().contains(part), "{form}: {}", answer.text());
            check_answer(&openapi, "/abstracts/{url}", &answer);
        }
        let tag = ask(&http, &path, &[]).header("etag").expect("a tag").to_owned();
        assert_eq!(ask(&http, &path, &[("If-None-Match", &tag)]).status, 304);
        let none = ask(&http, &other, &[]);
        assert!(none.status == 404 && none.text().contains("has no abstract"), "{}", none.text());
        check_answer(&openapi, "/abstracts/{url}", &none);
        check_pages(&http, &path, &other);
    })
    .await;

    // The same on a machine of its own, behind the daemon.
    let made = stage.gatherer(&["abstracts", "--from", &brokers, "-o", "made", "--cursor", "place"]).await;
    assert!(made.code == Some(0) && made.err.contains("1 abstracts"), "{made:?}");
    let files: Vec<_> = std::fs::read_dir(stage.path().join("made")).expect("a folder").flatten().collect();
    assert_eq!(files.len(), 1);
    judge(&schema, &files[0].path()).await;
    let again = stage.gatherer(&["abstracts", "--from", &brokers, "-o", "made", "--cursor", "place"]).await;
    assert!(again.err.contains("0 abstracts"), "{again:?}");
}

/// An abstract as a tree, where there is one.
fn check_pages(http: &str, path: &str, other: &str) {
    let page = |path: &str| {
        let path = format!("{}?view=abstract", path.replace("/abstracts/", "/records/"));
        ask(http, &path, &[("Accept", "text/html")])
    };
    let tree = page(path).text();
    assert!(tree.contains("<span class=\"class\">Hotel</span>") && tree.contains("liegt_in_Stadt"), "{tree}");
    assert_eq!(page(other).status, 400, "it has none");
}

#[expect(clippy::disallowed_methods, reason = "an independent judge")]
async fn judge(schema: &Path, document: &Path) {
    let judge =
        Command::new("xmllint").arg("--noout").arg("--schema").args([schema, document]).stdin(Stdio::null()).output();
    let output = judge.await.unwrap_or_else(|error| panic!("xmllint: {error}; `.ci/setup tests` installs it"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_parser_that_is_down_costs_no_record_and_is_asked_again() {
    let stage = Stage::with(site(), &config(Path::new("/bin/false"))).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["parsers"]["tourism"]["later"]), (&3.into(), &3.into()), "{report}");
    let record = stage.good(&["show", &stage.url("/hotel.html")]).await;
    assert!(
        record.contains("no abstract by tourism: the parser is down") && record.contains("it is made later"),
        "{record}"
    );
    assert!(record.contains("Title{24}:\tHotel Seestern in Wismar\n"), "{record}");
    let none = stage.gatherer(&["show", &stage.url("/hotel.html"), "--abstract"]).await;
    assert!(none.code == Some(1) && none.err.contains("has no abstract"), "{none:?}");

    for arguments in [&["resummarize"][..], &["resummarize", "--only", "abstracts"]] {
        let vain = stage.gatherer(arguments).await;
        let owed = "3 records without an abstract by tourism, and still due for it: the parser is down";
        assert!(vain.code == Some(1) && vain.out.contains(owed), "{arguments:?}: {vain:?}");
    }

    stage.configure(&config(&parser()));
    let made = stage.good(&["resummarize", "--only", "abstracts"]).await;
    assert!(made.starts_with("3 records made anew"), "{made}");
    let record = stage.good(&["show", &stage.url("/hotel.html")]).await;
    assert!(record.contains("Abstract-XML") && !record.contains("no abstract"), "{record}");
    let again = stage.good(&["resummarize", "--only", "abstracts"]).await;
    assert!(again.starts_with("0 records made anew"), "{again}");
}

#[tokio::test]
async fn another_parser_makes_abstracts_anew_at_the_next_visit() {
    let stage = Stage::with(site(), &config(&parser())).await;
    stage.run().await;
    let made = |report: &str| {
        let report: serde_json::Value = serde_json::from_str(report).expect("a report");
        report["parsers"]["tourism"]["made"].as_u64()
    };
    let again = ["run", "--now", "--json"];
    assert_eq!(made(&stage.good(&again).await), Some(0), "nothing has changed");
    assert!(stage.good(&["show", &stage.url("/hotel.html")]).await.contains("Minibar"));

    // The same ontology, another lexicon.
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/domains/tourism");
    let own = stage.path().join("tourism");
    std::fs::create_dir(&own).expect("a folder");
    for file in std::fs::read_dir(shipped).expect("a domain").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("text");
        let text: String =
            text.lines().filter(|line| !line.starts_with("Minibar\t")).map(|line| format!("{line}\n")).collect();
        std::fs::write(own.join(file.file_name()), text).expect("written");
    }
    let other = config(&parser()).replace("\"worker\"]", &format!("\"--domain\", \"{}\", \"worker\"]", own.display()));
    stage.configure(&other);
    assert_eq!(made(&stage.good(&again).await), Some(3), "who parses has changed");
    let xml = stage.good(&["show", &stage.url("/hotel.html"), "--abstract"]).await;
    assert!(!xml.contains("\"Minibar\"") && xml.contains("Hotel Seestern"), "{xml}");

    // While it is away it is who it was.
    stage.configure(&config(Path::new("/bin/false")));
    assert_eq!(made(&stage.good(&again).await), Some(0), "nobody is there");
    let record = stage.good(&["show", &stage.url("/hotel.html")]).await;
    assert!(record.contains("Abstract-XML") && !record.contains("no abstract"), "{record}");
}

#[tokio::test]
async fn a_parsers_time_is_not_a_summarizers() {
    let slow =
        config(Path::new("sh")).replace("worker = [\"sh\", \"worker\"]", "command = [\"sh\", \"-c\", \"sleep 1\"]");
    let stage = Stage::with(site(), &slow).await;
    let report = stage.run().await;
    let summarizers = report["summarizers"].as_object().expect("summarizers");
    let took: u64 = summarizers.values().filter_map(|one| one["microseconds"].as_u64()).sum();
    let parsed = report["parsers"]["tourism"]["milliseconds"].as_u64().unwrap_or(0);
    assert!(parsed >= 3_000 && took < 2_000_000, "{report}");
}

#[tokio::test]
async fn mistakes_about_parsers_are_named() {
    let stage = Stage::with(site(), "").await;
    let root = "[[root-node]]\nurl = \"{{site}}/\"\n[[parser]]\n";
    std::fs::write(stage.path().join("bad.ttl"), "@prefix : <x#> .\n:a :b").expect("a file");
    for (lines, expected) in [
        ("", "a parser needs a `worker`, a `command` or a `connect`"),
        ("worker = [\"./nobody\"]\n", "there is no program at"),
        ("worker = [\"sh\"]\nconnect = \"127.0.0.1:1\"\n", "a parser is in one place"),
        ("connect = \"somewhere\"\n", "no place to connect to"),
        ("connect = \"127.0.0.1:1\"\nontology = \"tennis\"\n", "cannot read the ontology"),
        ("connect = \"127.0.0.1:1\"\nontology = \"bad.ttl\"\n", "the ontology bad.ttl is of no use"),
    ] {
        stage.configure(&format!("{root}{lines}"));
        let checked = stage.gatherer(&["check"]).await;
        assert!(checked.code == Some(2) && checked.err.contains(expected), "{lines}: {checked:?}");
    }
    // Each stands at its line.
    for lines in
        ["ontology = \"tennis\"\nconnect = \"h:1\"\n", "worker = [\"./nobody\"]\n", "command = [\"nobody-at-all\"]\n"]
    {
        stage.configure(&format!("{root}name = \"one\"\n{lines}"));
        let checked = stage.gatherer(&["check"]).await;
        assert!(checked.code == Some(2) && checked.err.contains("[gatherer.toml:13:"), "{lines}: {checked:?}");
    }
    stage.configure(&format!("{root}connect = \"127.0.0.1:1\"\nkinds = [\"HTLM\"]\n"));
    let checked = stage.gatherer(&["check"]).await;
    assert!(
        checked.err.contains("the kind HTLM is named") && checked.err.contains("did you mean HTML?"),
        "{checked:?}"
    );
}
