use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;
use proptest::prelude::*;

fn read(kind: &str, body: &str) -> Draft {
    summarize(kind, "a.xml", body.as_bytes()).expect("a document")
}

fn urls(draft: &Draft) -> Vec<(&str, &str)> {
    draft.references().iter().map(|reference| (reference.url.as_str(), reference.text.as_str())).collect()
}

#[test]
fn a_document_tells_its_elements_and_text() {
    let draft = read(
        "XML",
        "<?xml version='1.0'?><!DOCTYPE farm SYSTEM 'farm.dtd' [<!ENTITY grain 'Korn'>]>\
         <farm xmlns='http://example.org/farm' xmlns:dc='http://purl.org/dc/elements/1.1/' xml:lang='de'>\
         <dc:title>Der &grain;hof &amp; mehr</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>\
         <dc:date>2024-05-01</dc:date><field href='http://example.com/f#x'>Ein <b>gro</b>ßes Feld</field>\
         <field href='relative'><![CDATA[Noch <eins>]]></field><data>&#65;&unknown;b</data></farm>",
    );
    check(
        &draft,
        &[
            ("Root-Element", "farm"),
            ("Title", "Der Kornhof & mehr"),
            ("Author", "Ann\nBob"),
            ("Created", "2024-05-01"),
            ("Language", "de"),
            ("Doctype", "farm SYSTEM 'farm.dtd'"),
            ("Namespaces", "http://example.org/farm\nhttp://purl.org/dc/elements/1.1/"),
            ("Elements", "dc:creator 2\nfield 2\nb 1\ndata 1\ndc:date 1\ndc:title 1\nfarm 1"),
            ("text", "Der Kornhof & mehr\nAnn\nBob\n2024-05-01\nEin großes Feld\nNoch <eins>\nA b"),
        ],
    );
    assert_eq!(urls(&draft), [("http://example.com/f", "")]);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
}

#[test]
fn entities_do_not_grow() {
    let mut bomb = "<!DOCTYPE a [<!ENTITY a0 'lol'>".to_owned();
    for level in 1..20 {
        let references = format!("&a{};", level - 1).repeat(10);
        bomb = format!("{bomb}<!ENTITY a{level} '{references}'>");
    }
    check(
        &read("XML", &format!("{bomb}<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&a19;&a0;&x;.</a>")),
        &[("text", "lol .")],
    );
}

#[test]
fn an_image_tells_its_title_and_size() {
    let draft = read(
        "SVG",
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='10mm' viewBox='0 0 9 9'>\
         <title>Corn</title><desc>A plant</desc><style>a{}</style><g><title>Leaf</title><text x='1'>Hi <tspan>you</tspan></text></g>\
         <a xlink:href='https://example.com/'><image href='https://example.com/i.png'/></a><use href='#x'/></svg>",
    );
    check(
        &draft,
        &[
            ("Format", "SVG"),
            ("Title", "Corn"),
            ("Description", "A plant"),
            ("Width", "10mm"),
            ("View-Box", "0 0 9 9"),
            ("Headings", ""),
            ("Images", "https://example.com/i.png"),
            ("text", "Corn\nA plant\nLeaf\nHi you"),
        ],
    );
    assert_eq!(urls(&draft), [("https://example.com/", "")]);
}

#[test]
fn books_tell_their_parts() {
    let book = "<book xmlns='http://docbook.org/ns/docbook'><info><title>Corn</title><author><personname><firstname>Ann</firstname>\
        <surname>Field</surname></personname><email>a@b.example</email></author></info><chapter><title>Sowing</title>\
        <para>In <emphasis>May</emphasis>.</para></chapter><chapter><title>Harvest</title></chapter></book>";
    check(
        &read("XML", book),
        &[("Format", "DocBook"), ("Title", "Corn"), ("Author", "Ann Field"), ("Headings", "Sowing\nHarvest")],
    );
    let tei = "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>Korn</title><author>Ann</author>\
        </titleStmt></fileDesc></teiHeader><text><body><div><head>Eins</head><p>x</p></div></body></text></TEI>";
    check(&read("XML", tei), &[("Format", "TEI"), ("Title", "Korn"), ("Author", "Ann"), ("Headings", "Eins")]);
}

#[test]
fn places_and_outlines_are_known() {
    let kml = "<kml xmlns='http://www.opengis.net/kml/2.2'><Document><name>Fields</name><Placemark><name>North</name><Point>\
        <coordinates>11.5,48.5,0</coordinates></Point></Placemark><Placemark><LineString><coordinates>11,48 12,49\n</coordinates>\
        </LineString></Placemark></Document></kml>";
    let draft = read("XML", kml);
    check(
        &draft,
        &[
            ("Format", "KML"),
            ("Title", "Fields"),
            ("Headings", "North"),
            ("Placemarks", "2"),
            ("Bounding-Box", "11 48 12 49"),
        ],
    );
    check(&draft, &[("text", "Fields\nNorth")]);
    let gpx = "<gpx creator='Watch'><metadata><name>Walk</name><time>2024-05-01T10:00:00Z</time></metadata><wpt lat='48' lon='11'>\
        <name>Start</name></wpt><trk><trkseg><trkpt lat='49' lon='12'/></trkseg></trk></gpx>";
    check(
        &read("XML", gpx),
        &[
            ("Title", "Walk"),
            ("Created", "2024-05-01T10:00:00Z"),
            ("Generator", "Watch"),
            ("Points", "2"),
            ("Bounding-Box", "11 48 12 49"),
        ],
    );
    let opml = "<opml version='2.0'><head><title>Feeds</title><ownerName>Ann</ownerName><dateCreated>Wed, 01 May 2024 10:00:00 GMT\
        </dateCreated></head><body><outline text='Corn news' type='rss' xmlUrl='http://example.com/rss'/></body></opml>";
    let draft = read("XML", opml);
    check(
        &draft,
        &[("Title", "Feeds"), ("Author", "Ann"), ("Created", "2024-05-01T10:00:00+00:00"), ("Headings", "Corn news")],
    );
    assert_eq!(urls(&draft), [("http://example.com/rss", "Corn news")]);
    let map = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://example.com/a</loc></url></urlset>";
    assert_eq!(urls(&read("XML", map)), [("http://example.com/a", "")]);
}

#[test]
fn statements_tell_subjects_classes_and_labels() {
    let turtle = "@prefix ex: <http://example.org/> .\nPREFIX dc: <http://purl.org/dc/terms/>\n# note\nex:corn a ex:Plant ;\n \
        dc:title \"Corn\"@en, \"\"\"Ma\nis\"\"\" ; ex:height 2.5 ; ex:in [ a ex:Field ; dc:title \"no\" ] .\n<http://example.org/rye> a ex:Plant.\n";
    check(
        &read("RDF", turtle),
        &[
            ("Format", "Turtle"),
            ("Namespaces", "http://example.org/\nhttp://purl.org/dc/terms/"),
            ("Subjects", "2"),
            ("Classes", "ex:Plant"),
            ("Title", "Corn"),
            ("text", "Corn\nMa\nis"),
        ],
    );
    let triples = "<http://a.example/x> <http://www.w3.org/2000/01/rdf-schema#label> \"X\\\" y\" .\n<http://a.example/x> \
        <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a.example/T> .\n";
    check(
        &read("RDF", triples),
        &[("Format", "N-Triples"), ("Subjects", "1"), ("Classes", "http://a.example/T"), ("text", "X\" y")],
    );
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:rdfs='x'><rdf:Description rdf:about='u'>\
        <rdfs:label>Corn</rdfs:label></rdf:Description></rdf:RDF>";
    check(&read("RDF", xml), &[("Format", "RDF/XML"), ("Subjects", "1"), ("text", "Corn")]);
}

#[test]
fn sgml_and_definitions_are_read() {
    let sgml = "<!DOCTYPE article PUBLIC '-//OASIS//DTD DocBook V4.1//EN'>\n<article><title>Corn &mdash; maize\n<para>One<para>Two</article>";
    let draft = read("SGML", sgml);
    check(&draft, &[("Format", "DocBook"), ("Root-Element", "article")]);
    assert!(draft.text().ends_with("One\nTwo") || draft.text().contains("Two"), "{}", draft.text());
    check(
        &read("XML", "<!-- About farms -->\n<!ELEMENT farm (field*)>\n<!ELEMENT field ANY>"),
        &[("Format", "DTD"), ("Elements", "farm\nfield"), ("text", "About farms")],
    );
}

#[test]
fn broken_documents_are_read_up_to_where_they_break() {
    let draft = read("XML", "<a><title>Corn</title><b>x</b>");
    check(&draft, &[("Title", "Corn"), ("text", "Corn\nx")]);
    assert_eq!(draft.complaints(), ["the document breaks off"]);
    let draft = read("XML", "<a><title>Corn</title>\n<b x");
    assert!(draft.complaints()[0].starts_with("cannot be read from line 2 on"), "{:?}", draft.complaints());
    for body in ["", "no markup", "\u{0}\u{1}", "<?xml version='1.0'?>"] {
        assert!(summarize("XML", "a.xml", body.as_bytes()).is_err(), "{body:?}");
    }
    for piece in [
        "<a>",
        "<a b='c'>x",
        "</a>",
        "<title>",
        "&a;",
        "<!DOCTYPE a [",
        "<!ENTITY a 'b'>",
        "[",
        "\"",
        "<x> ",
        "_:a ",
        "@prefix ",
    ] {
        for kind in super::KINDS {
            let _ = summarize(kind, "a.xml", format!("<r>{}", piece.repeat(20_000)).as_bytes());
            let _ = summarize(kind, "a.xml", piece.repeat(20_000).as_bytes());
        }
    }
}

proptest! {
    #[test]
    fn any_soup_is_survived(pieces in proptest::collection::vec(
        "(</?(a|title|svg|kml|coordinates|outline|x:y|style)( (href|lat|xml:base|xmlns:x|text)=('x'|\"http://e.x/#\"|&|'))*/?>|\
         <!DOCTYPE a \\[|\\]>|<!ENTITY a 'ü'>|&a;|&#x41;|&#xD800;|&|<|<!--|-->|<!\\[CDATA\\[|\\]\\]>|ü| |\"|\"\"\"|\\.|;|\\[|@prefix|x:|<\\?|\\?>)", 0..60)) {
        let soup = pieces.concat();
        for kind in super::KINDS {
            let once = summarize(kind, "a.xml", soup.as_bytes());
            prop_assert_eq!(once, summarize(kind, "a.xml", soup.as_bytes()));
        }
    }
}
