//! Our reader and an independent one (xmllint, from libxml2) judge the same documents. What the schema allows both must take,
//! what it forbids both must refuse. Where we are stricter on purpose, the table says so.

use gatherer_abstracts::check::{Document, Quotes, check};
use gatherer_abstracts::model::{Abstract, Limits, ReadError, Told, list};
use gatherer_abstracts::ontology::Ontology;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<abstract xmlns="https://gatherer.invalid/abstract/1" version="1" lang="de" offsets="source">
 <meta>
  <url>http://a.example/</url>
  <final-url>http://b.example/</final-url>
  <title>Krone &amp; Post</title>
  <kind>HTML</kind>
  <md5>0123456789abcdef0123456789abcdef</md5>
  <size>4906</size>
  <update-time>2026-11-17T07:00:00Z</update-time>
  <refresh-rate>604800</refresh-rate>
  <time-to-live>2592000</time-to-live>
  <language>de</language>
  <language>en-GB</language>
  <gatherer name="g" version="1" host="h" port="8500"/>
  <parser name="p" version="1" fingerprint="f"/>
  <ontology iri="https://example.org/o" version="1" hash="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"/>
  <coverage words="5" known-words="4" concepts="3" sentences="2" empty-sentences="1"/>
  <item name="note">x</item>
 </meta>
 <instance id="i1" type="Hotel Messehotel">
  <name start="0" end="5" quote="Krone">Krone</name>
  <value name="hat_Telefon" evidence="label form" confidence="0.95" start="7" end="9" quote="12" also="20-22 30-32">+4912</value>
  <slot name="liegt_in" evidence="prep" confidence="1" start="1" end="2" quote="L">
   <instance id="i2" type="Ort" lemma="ort"/>
  </slot>
  <slot name="nahe_bei" evidence="prep" confidence=".5" start="1" end="2" quote="L"><ref to="i2"/></slot>
 </instance>
</abstract>
"#;

/// What is changed in the good document, and whether the result is still one.
const CHANGES: &[(&str, &str, bool)] = &[
    ("", "", true),
    ("<meta>", "<meta><!-- here, too --><?and this?>", true),
    ("version=\"1\" lang", "version=\" 1 \" lang", true),
    ("<title>Krone &amp; Post</title>", "<title><![CDATA[<Krone>]]> &#38; &#x50;ost</title>", true),
    ("<title>Krone &amp; Post</title>", "<title/>", true),
    ("<size>4906</size>", "<size> +04906 </size>", true),
    ("confidence=\"0.95\"", "confidence=\"+0.950\"", true),
    ("type=\"Hotel Messehotel\"", "type=\" Hotel\n Größe \"", true),
    ("<kind>HTML</kind>", "", true),
    ("<final-url>http://b.example/</final-url>", "", true),
    (" offsets=\"source\"", "", true),
    (" also=\"20-22 30-32\"", "", true),
    ("07:00:00Z", "07:00:00.5+01:00", true),
    ("quote=\"12\"", "quote=\"1&quot;&#10;2\"", true),
    ("version=\"1\" lang", "version=\"2\" lang", false),
    ("version=\"1\" lang", "lang", false),
    ("lang=\"de\"", "lang=\"de_DE\"", false),
    ("offsets=\"source\"", "offsets=\"bytes\"", false),
    ("abstract/1\"", "abstract/2\"", false),
    (" xmlns=\"https://gatherer.invalid/abstract/1\"", "", false),
    ("<meta>", "<meta kind=\"x\">", false),
    ("<url>http://a.example/</url>", "", false),
    ("<url>http://a.example/</url>", "<url>http://a.example/</url><url>http://a.example/</url>", false),
    ("<kind>HTML</kind>", "<kind>  </kind>", false),
    ("<kind>HTML</kind>", "<Kind>HTML</Kind>", false),
    ("<kind>HTML</kind>", "<kind><b/></kind>", false),
    ("<md5>0", "<md5>G", false),
    ("<md5>0", "<md5>", false),
    ("<size>4906</size>", "<size>-1</size>", false),
    ("<size>4906</size>", "<size>4906.0</size>", false),
    ("<size>4906</size>\n", "", true),
    ("<size>4906</size>", "<size>4906</size><size>4906</size>", false),
    ("2026-11-17T", "2026-02-30T", false),
    ("2026-11-17T07:00:00Z", "yesterday", false),
    ("<language>de</language>", "<language>d e</language>", false),
    ("port=\"8500\"", "port=\"65536\"", false),
    ("port=\"8500\"", "porte=\"8500\"", false),
    ("<parser name=\"p\"", "<parser", false),
    ("fingerprint=\"f\"/>", "fingerprint=\"f\">x</parser>", false),
    ("fingerprint=\"f\"/>", "fingerprint=\"f\"></parser>", true),
    ("  <parser name=\"p\" version=\"1\" fingerprint=\"f\"/>\n", "", false),
    ("hash=\"0", "hash=\"", false),
    ("words=\"5\"", "words=\"five\"", false),
    (" concepts=\"3\"", "", false),
    ("<item name=\"note\">", "<item name=\"a note\">", false),
    ("</meta>", "</meta><meta/>", false),
    ("</meta>", "</meta>text", false),
    ("<instance id=\"i1\" type=\"Hotel Messehotel\">", "<instance type=\"Hotel\">", false),
    ("id=\"i2\"", "id=\"i1\"", false),
    ("id=\"i2\"", "id=\"2\"", false),
    ("type=\"Ort\"", "type=\"\"", false),
    ("type=\"Ort\"", "type=\"a:Ort\"", false),
    ("type=\"Ort\"", "typ=\"Ort\"", false),
    ("lemma=\"ort\"", "lemma=\"\"", false),
    (">Krone</name>", "></name>", false),
    (" quote=\"Krone\"", "", false),
    ("quote=\"Krone\"", "quote=\"\"", false),
    ("end=\"5\"", "end=\"0\"", false),
    ("start=\"7\"", "start=\"-7\"", false),
    ("confidence=\"1\"", "confidence=\"1.01\"", false),
    ("confidence=\"1\"", "confidence=\"1e0\"", false),
    ("confidence=\"1\"", "", false),
    ("evidence=\"label form\"", "evidence=\"\"", false),
    ("evidence=\"label form\"", "evidence=\"1st\"", false),
    ("also=\"20-22 30-32\"", "also=\"20-22,30-32\"", false),
    ("also=\"20-22 30-32\"", "also=\"\"", false),
    (">+4912</value>", "></value>", false),
    (">+4912</value>", "><b>+4912</b></value>", false),
    ("<ref to=\"i2\"/>", "", false),
    ("<ref to=\"i2\"/>", "<ref to=\"i2\"/><ref to=\"i2\"/>", false),
    ("<ref to=\"i2\"/>", "<ref/>", false),
    ("<ref to=\"i2\"/>", "<ref to=\"i2\"/>text", false),
    ("<ref to=\"i2\"/>", "<reference to=\"i2\"/>", false),
    (
        "<name start",
        "<value name=\"n\" evidence=\"e\" confidence=\"1\" start=\"1\" end=\"2\" quote=\"q\">v</value><name start",
        false,
    ),
    ("</abstract>", "<relation/></abstract>", false),
    ("</abstract>", "", false),
    ("</abstract>", "</abstract><abstract/>", false),
    ("</meta>", "</mete>", false),
    ("Krone &amp; Post", "Krone & Post", false),
    ("Krone &amp; Post", "Krone &auml; Post", false),
    ("Krone &amp; Post", "Krone &#1; Post", false),
    ("lang=\"de\"", "lang=\"de\" lang=\"en\"", false),
    ("lang=\"de\"", "lang=\"de\" xml:space=\"preserve\"", false),
    ("lang=\"de\"", "lang=\"<de\"", false),
    ("lang=\"de\"", "lang=de", false),
];

/// What the schema allows and we do not.
const STRICTER: &[(&str, &str, &str)] = &[
    ("<ref to=\"i2\"/>", "<ref to=\"i3\"/>", "line 28: <ref> refers to i3, which is not there"),
    ("<!-- a comment -->", "<!DOCTYPE abstract>", "line 2: a document type, which is not read"),
    (
        "<!-- a comment -->",
        "<!DOCTYPE abstract [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>",
        "line 2: a document type, which is not read",
    ),
    ("encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\"", "line 1: the encoding ISO-8859-1; only UTF-8 is read"),
];

#[test]
fn both_judges_agree() {
    let broken: Vec<_> = CHANGES.iter().map(|(from, to, _)| changed(from, to)).collect();
    let theirs = xmllint("abstract.xsd", &broken);
    for (place, (from, to, expected)) in CHANGES.iter().enumerate() {
        let ours = Abstract::from_xml(broken[place].as_bytes(), Limits::default());
        assert_eq!(ours.is_ok(), *expected, "we: {from} -> {to}: {ours:?}");
        if let Some(theirs) = &theirs {
            assert_eq!(theirs[place], *expected, "xmllint: {from} -> {to}");
        }
    }
}

#[test]
fn what_we_refuse_beyond_the_schema_is_named() {
    for (from, to, expected) in STRICTER {
        let ours = Abstract::from_xml(changed(from, to).as_bytes(), Limits::default());
        assert_eq!(ours.map_err(|error| error.to_string()), Err((*expected).to_owned()), "{from} -> {to}");
    }
}

/// Changes a document at random places, always the same ones.
fn mutated(random: &mut fastrand::Rng) -> String {
    const PIECES: &[&str] = &[
        "<",
        ">",
        "/",
        "\"",
        "&",
        "&amp;",
        "&#65;",
        "&lt",
        "=",
        " ",
        "\n",
        "x",
        "1",
        "-",
        ".",
        "ä",
        "<!-- -->",
        "<?p i?>",
        "]]>",
        "<![CDATA[",
        "]]>",
        "<instance id=\"n\" type=\"A\"/>",
        "<ref to=\"i1\"/>",
        " name=\"n\"",
        "<item name=\"n\"/>",
        "</meta>",
        "<meta>",
        ":",
        "xmlns",
        "\u{0}",
        "\u{1}",
    ];
    let mut text: Vec<char> = GOOD.chars().collect();
    for _ in 0..random.usize(1..4) {
        let place = random.usize(0..text.len());
        let count = if random.bool() { 0 } else { random.usize(1..6).min(text.len() - place) };
        let piece = if random.bool() { PIECES[random.usize(0..PIECES.len())] } else { "" };
        text.splice(place..place + count, piece.chars());
    }
    text.into_iter().collect()
}

#[test]
fn both_judges_agree_on_accidents() {
    let mut random = fastrand::Rng::with_seed(1999);
    let documents: Vec<_> = (0..500).map(|_| mutated(&mut random)).collect();
    let Some(theirs) = xmllint("abstract.xsd", &documents) else { return };
    let mut quarrels = Vec::new();
    for (document, theirs) in documents.iter().zip(theirs) {
        let ours = Abstract::from_xml(document.as_bytes(), Limits::default()).map(drop);
        if ours.is_ok() != theirs && !is_stricter(&ours) {
            let changed: Vec<_> = document.lines().filter(|line| !GOOD.lines().any(|good| good == *line)).collect();
            // A URL may be anything: see what is written of them.
            if ours.is_ok() && changed.iter().any(|line| line.contains("url") || line.contains("iri=")) {
                continue;
            }
            quarrels.push(format!("we: {ours:?}, xmllint: {theirs}\n{}", changed.join("\n")));
        }
    }
    assert!(quarrels.is_empty(), "{} quarrels\n\n{}", quarrels.len(), quarrels.join("\n\n"));
}

/// Whether we refuse what the schema allows, on purpose.
fn is_stricter(ours: &Result<(), ReadError>) -> bool {
    let refused = ours.as_ref().map_err(ToString::to_string).err().unwrap_or_default();
    refused.contains("refers to") || refused.contains("document type") || refused.contains("encoding")
}

#[test]
fn accidents_never_panic_and_what_is_read_is_written_back() {
    let mut random = fastrand::Rng::with_seed(2000);
    let mut taken = 0;
    for _ in 0..20_000 {
        let Ok(read) = Abstract::from_xml(mutated(&mut random).as_bytes(), Limits::default()) else { continue };
        taken += 1;
        assert_eq!(Abstract::from_xml(read.to_xml().as_bytes(), Limits::default()).as_ref(), Ok(&read));
        assert_eq!(Abstract::from_json(read.to_json().to_string().as_bytes(), Limits::default()).as_ref(), Ok(&read));
    }
    assert!(taken > 1_000, "only {taken} were taken");
}

#[test]
fn complaints_name_line_and_element() {
    for (from, to, expected) in [
        (
            "<size>4906</size>",
            "<size>many</size>",
            "line 10: <size> holds \"many\", which should be a whole number from 0 on",
        ),
        (
            "type=\"Ort\"",
            "type=\"\"",
            "line 26: <instance> has type=\"\", which should be names of XML with white space between them",
        ),
        ("<parser name=\"p\"", "<parser", "line 17: <parser> has no attribute name"),
        ("</abstract>", "<relation/></abstract>", "line 30: <relation> stands where only <instance> may"),
        ("</abstract>", "", "line 31: the document is cut"),
        (
            "version=\"1\" lang",
            "version=\"2\" lang",
            "line 3: <abstract> has version=\"2\", which should be 1: no other version is read",
        ),
    ] {
        let ours = Abstract::from_xml(changed(from, to).as_bytes(), Limits::default());
        assert_eq!(ours.map_err(|error| error.to_string()), Err(expected.to_owned()), "{from} -> {to}");
    }
}

#[test]
fn floods_and_depths_end() {
    let nested = |depth: usize| {
        let fact = "name=\"s\" evidence=\"e\" confidence=\"1\" start=\"1\" end=\"2\" quote=\"q\"";
        let begin = |place| format!("<instance id=\"y{place}\" type=\"A\"><slot {fact}>");
        let begins: String = (1..depth).map(begin).collect();
        let inner = "<instance id=\"x\" type=\"A\"/>";
        changed("</abstract>", &format!("{begins}{inner}{}</abstract>", "</slot></instance>".repeat(depth - 1)))
    };
    let read =
        |text: &str, limits: Limits| Abstract::from_xml(text.as_bytes(), limits).map_err(|error| error.to_string());
    assert!(read(&nested(32), Limits::default()).is_ok());
    let deep = read(&nested(34), Limits::default()).expect_err("too deep");
    assert!(deep.ends_with("passes the limit of 66"), "{deep}");
    assert!(read(&nested(100_000), Limits { bytes: usize::MAX, ..Limits::default() }).is_err());
    let large = read(GOOD, Limits { bytes: 100, ..Limits::default() }).expect_err("too large");
    assert!(large.ends_with("bytes passes the limit of 100"), "{large}");
    let many = read(GOOD, Limits { instances: 1, ..Limits::default() }).expect_err("too many");
    assert_eq!(many, "line 26: the number of instances passes the limit of 1");
    let wrong = [GOOD.as_bytes(), b"\xff"].concat();
    let wrong = Abstract::from_xml(&wrong, Limits::default()).expect_err("no UTF-8").to_string();
    assert_eq!(wrong, "line 31: a byte that is no UTF-8");
    for cut in 0..GOOD.trim_end().len() {
        if GOOD.is_char_boundary(cut) {
            assert!(read(&GOOD[..cut], Limits::default()).is_err(), "cut at {cut}");
        }
    }
}

#[test]
fn the_examples_say_the_same_in_all_forms() {
    let ontology =
        Ontology::read(&file("../../config/domains/tourism/ontology.ttl"), &|_| None).expect("it can be used");
    for name in ["pension", "concerts", "empty"] {
        let example = |ending: &str| file(&format!("../../schemas/abstract/examples/{name}.{ending}"));
        let read = Abstract::from_xml(example("xml").as_bytes(), Limits::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let from_json = Abstract::from_json(example("json").as_bytes(), Limits::default());
        assert_eq!(from_json.as_ref(), Ok(&read), "{name}.json");
        let tuples = list::tuples(&read, &ontology);
        let (url, listed) = list::read(example("list.xml").as_bytes(), Limits::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((url.as_deref(), &listed), (Some(read.meta.url.as_str()), &tuples), "{name}.list.xml");
        assert_eq!(triples(&read.to_turtle(&ontology, Told::default())), triples(&example("ttl")), "{name}.ttl");
        let ours = [read.to_xml()];
        xmllint("abstract.xsd", &ours).into_iter().for_each(|judged| assert_eq!(judged, [true], "{name}: {}", ours[0]));
        let ours = [list::write(Some(&read.meta.url), &tuples)];
        xmllint("list.xsd", &ours).into_iter().for_each(|judged| assert_eq!(judged, [true], "{name}: {}", ours[0]));
    }
}

#[test]
fn the_examples_hold() {
    let ontology =
        Ontology::read(&file("../../config/domains/tourism/ontology.ttl"), &|_| None).expect("it can be used");
    for name in ["pension", "concerts", "empty"] {
        let example = |ending: &str| file(&format!("../../schemas/abstract/examples/{name}.{ending}"));
        let mut read = Abstract::from_xml(example("xml").as_bytes(), Limits::default()).expect("an abstract");
        read.meta.ontology.hash = ontology.hash().to_owned();
        let page = example("html");
        let known = read.meta.clone();
        let checked = check(&read, &ontology, &Document::new(&page, true), &known, Quotes::Compared);
        let (checked, dropped) = checked.expect("it is about the page");
        assert_eq!(dropped.to_string(), "nothing", "{name}");
        assert_eq!(list::tuples(&checked, &ontology).len(), list::tuples(&read, &ontology).len(), "{name}");
    }
}

#[test]
fn both_judges_agree_on_lists() {
    let good = r#"<list url="u"><tuple name="getess-output" rel="r"><fragment><type>A</type><inst>A_1</inst><name>a</name></fragment><fragment><type>B</type></fragment><constraint type="PREP">in</constraint></tuple></list>"#;
    let changes: &[(&str, &str, bool)] = &[
        ("", "", true),
        (" url=\"u\"", "", true),
        (" rel=\"r\"", "", true),
        ("<inst>A_1</inst>", "", true),
        ("<constraint type=\"PREP\">in</constraint>", "", true),
        ("<fragment><type>B</type></fragment>", "", false),
        ("<type>B</type>", "", false),
        ("<type>A</type><inst>A_1</inst>", "<inst>A_1</inst><type>A</type>", false),
        ("<type>B</type>", "<type>B</type><type>B</type>", false),
        (" name=\"getess-output\"", "", false),
        (" type=\"PREP\"", "", false),
        ("<constraint", "<fragment><type>C</type></fragment><constraint", false),
        ("<tuple ", "text<tuple ", false),
        ("<list ", "<list xmlns=\"x\" ", false),
        ("<name>a</name>", "<name><b/></name>", false),
        ("</list>", "</list><list/>", false),
        ("url=", "uri=", false),
    ];
    let documents: Vec<_> = changes.iter().map(|(from, to, _)| good.replacen(from, to, 1)).collect();
    let theirs = xmllint("list.xsd", &documents);
    for (place, (from, to, expected)) in changes.iter().enumerate() {
        let ours = list::read(documents[place].as_bytes(), Limits::default());
        assert_eq!(ours.is_ok(), *expected, "we: {from} -> {to}: {ours:?}");
        if let Some(theirs) = &theirs {
            assert_eq!(theirs[place], *expected, "xmllint: {from} -> {to}");
        }
    }
}

fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from} is not in the good document");
    if from.is_empty() { GOOD.to_owned() } else { GOOD.replacen(from, to, 1) }
}

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn triples(turtle: &str) -> Vec<String> {
    let parsed = oxttl::TurtleParser::new().for_slice(turtle.as_bytes());
    let mut triples: Vec<_> = parsed.map(|triple| triple.expect("Turtle").to_string()).collect();
    triples.sort_unstable();
    triples
}

/// What xmllint thinks of each document; nothing, said loudly, where it is not installed.
#[expect(clippy::disallowed_methods, reason = "the independent judge is a program")]
fn xmllint(schema: &str, documents: &[String]) -> Option<Vec<bool>> {
    let schema: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/abstract").join(schema);
    let mut judged = Vec::new();
    for document in documents {
        let child = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema"])
            .arg(&schema)
            .arg("-")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                // Not by eprintln: that is only shown if the test fails.
                let _ = writeln!(
                    std::io::stderr(),
                    "\nSKIPPED: xmllint has not judged our XML ({error}); it comes with libxml2-utils"
                );
                return None;
            }
        };
        let mut input = child.stdin.take().expect("it is piped");
        // One that has seen enough does not read on.
        let _ = input.write_all(document.as_bytes());
        drop(input);
        judged.push(child.wait().expect("it ends").success());
    }
    Some(judged)
}
