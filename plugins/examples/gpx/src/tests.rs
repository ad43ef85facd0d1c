use super::*;
use gatherer_sdk::testing::{self, Sample};

const URL: &str = "http://example.org/tour.gpx";

fn summarize(xml: &str) -> Result<Draft, Trouble> {
    testing::summarize::<Gpx>(URL, "GPX", xml)
}

fn check(inside: &str, expected: &str) -> Draft {
    let draft = summarize(&format!("<gpx creator='Watch'>{inside}</gpx>")).expect("a draft");
    testing::expect(&draft, expected);
    draft
}

#[test]
fn samples_give_what_is_expected() {
    for (sample, expected) in [
        (include_str!("../samples/hike.gpx"), include_str!("../samples/hike.gpx.expected")),
        (include_str!("../samples/route.gpx"), include_str!("../samples/route.gpx.expected")),
    ] {
        testing::expect(&summarize(sample).expect("a draft"), expected);
        testing::endure::<Gpx>("GPX", sample);
    }
}

#[test]
fn the_manifest_agrees() {
    testing::manifest::<Gpx>(include_str!("../plugin.toml"));
}

#[test]
fn segments_are_not_connected() {
    let point = |longitude: u8| format!("<trkpt lat='0' lon='{longitude}'><ele>{longitude}0</ele></trkpt>");
    let segment = |from, to| format!("<trkseg>{}{}</trkseg>", point(from), point(to));
    check(&format!("<trk>{}</trk>", segment(0, 1)), "Length: 111.20\nElevation-Gain: 10\nPoints: 2\nTracks: 1");
    let two = format!("<trk>{}{}</trk>", segment(0, 1), segment(5, 6));
    check(&two, "Length: 222.39\nElevation-Gain: 20\nPoints: 4\nTracks: 1\nBounding-Box: 0 0 6 0");
}

#[test]
fn routes_count_where_there_is_no_track() {
    let route = "<rte><rtept lat='0' lon='0'/><rtept lat='0' lon='2'/></rte>";
    check(route, "Routes: 1\nLength: 222.39\nPoints: 2");
    check(&format!("{route}<trk><trkpt lat='0' lon='0'/></trk>"), "Length: 0.00\nPoints: 3");
}

#[test]
fn names_and_words() {
    let draft = check(
        "<metadata><name>A &amp; B &#189; <![CDATA[<C>]]></name><desc>two\n lines</desc>\
         <author><name>Ann</name></author>\
         <keywords>walk, hill</keywords><time>2024-05-01T10:00:00Z</time></metadata>\
         <wpt lat='1' lon='2'><name>Hut</name><cmt>closed</cmt></wpt><trk><name>Up</name></trk>",
        "Title: A & B ½ <C>\nDescription: two lines\nAuthor: Ann\nKeywords: walk\nCreated: 2024-05-01T10:00:00Z\n\
         Generator: Watch\nTrack-Names: Up\nWaypoints: 1",
    );
    assert_eq!(draft.text.as_deref(), Some("A & B ½ <C>\ntwo lines\nUp\nHut\nclosed"));
    // Without a title of its own a file is called after its first track.
    check("<trk><name>Up</name></trk><trk><name>Down</name></trk>", "Title: Up");
}

#[test]
fn links_of_both_versions() {
    let draft = check(
        "<metadata><link href='http://example.org/?a=1&amp;b=2'><text>Club</text></link></metadata>\
         <url>http://example.net/</url><urlname>Old</urlname><wpt lat='1' lon='2'><link href='x'/></wpt>",
        "",
    );
    let links: Vec<_> = draft.references.iter().map(|link| (link.url.as_str(), link.text.as_str())).collect();
    assert_eq!(links, [("http://example.org/?a=1&b=2", "Club"), ("http://example.net/", "Old"), ("x", "")]);
}

#[test]
fn the_earliest_and_the_latest_time() {
    let times = ["2024-05-01T10:00:00Z", "2024-05-01T09:00:00Z", "soon", "2024-05-01T12:00:00Z"];
    let points = times.map(|time| format!("<trkpt lat='0' lon='0'><time>{time}</time></trkpt>")).concat();
    check(&points, "Start-Time: 2024-05-01T09:00:00Z\nEnd-Time: 2024-05-01T12:00:00Z");
}

#[test]
fn damage_is_said() {
    let draft = check("<trkpt lat='0' lon='0'/><trkpt lat='x' lon='0'/><trkpt/>", "Points: 1");
    assert_eq!(draft.complaints, ["2 points are nowhere on earth"]);
    let draft = summarize("<gpx><trk><trkpt lat='0' lon='0'/>").expect("a draft");
    assert_eq!(draft.complaints, ["it ends too early"]);
    let draft = summarize("<gpx><trk><name>Up</name><trkpt lat='0' ").expect("a draft");
    assert!(draft.complaints[0].starts_with("damaged at byte "), "{:?}", draft.complaints);
    testing::expect(&draft, "Title: Up");
}

#[test]
fn other_documents_are_refused() {
    assert_eq!(summarize(""), Err(Trouble::refused("it is no XML")));
    assert_eq!(summarize("just text"), Err(Trouble::refused("it is no XML")));
    assert_eq!(summarize("<?xml version='1.0'?><kml/>"), Err(Trouble::refused("it is kml, not gpx")));
}

#[test]
fn noise_is_the_operators_choice() {
    let heights = [100, 102, 100].map(|height| format!("<trkpt lat='0' lon='0'><ele>{height}</ele></trkpt>")).concat();
    let xml = format!("<gpx><trk><trkseg>{heights}</trkseg></trk></gpx>");
    let with = |noise| Sample::new(URL, "GPX", xml.as_str()).option("noise", noise).summarize::<Gpx>();
    testing::expect(&with("3").expect("a draft"), "Elevation-Gain: 0");
    testing::expect(&with("0.5").expect("a draft"), "Elevation-Gain: 2");
    for noise in ["", "much", "-1", "NaN"] {
        assert!(matches!(with(noise), Err(Trouble::Failed(_))), "{noise}");
    }
}

#[test]
fn long_tracks_are_read_to_the_end() {
    let points = "<trkpt lat='0' lon='0'/>".repeat(100_000);
    check(&format!("<trk>{points}</trk>"), "Points: 100000");
}

#[test]
fn answers_are_limited() {
    let place = format!("<wpt lat='1' lon='1'><name>{}</name></wpt>", "x".repeat(5000));
    let draft = check(&place.repeat(100), "Waypoints: 100");
    assert_eq!(draft.text.unwrap_or_default().len(), 65 * 4001 - 1);
    assert_eq!(draft.complaints, ["there are more names and links than are kept"]);
}

/// Files made to take long or much. The test would not end if one did.
#[test]
fn bad_files_take_no_longer_than_good_ones() {
    let many = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for inside in [
        many("<a>"),
        many("</a>"),
        many("<wpt lat='1' lon='1'><name>x</name></wpt>"),
        many("<link href='x'/>"),
        many("&amp;"),
        many("&"),
        many("<![CDATA["),
        format!("<name>{}", many("x ")),
        format!("<trk {}>", many("a='' ")),
        "<!DOCTYPE gpx [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><name>&b;</name>".to_owned(),
    ] {
        let draft = summarize(&format!("<gpx>{inside}")).expect("a draft");
        assert!(draft.references.len() <= 2000 && draft.text.unwrap_or_default().len() <= 300 << 10);
    }
}
