//! Cut and damaged input: never a panic, never wrong bytes without a word.

use super::{FIXTURES, Opened, fixture, opened};
use crate::Trouble;
use gatherer_pipeline::Kind;
use proptest::prelude::*;

/// Kinds whose members have neither length nor end mark, so that a cut cannot always be seen.
const SILENT: &[&str] = &["Compressed", "CompressedTar", "Mail"];

/// Whatever is given without a complaint is the same as in the whole; a last one may be shorter where the form cannot
/// tell.
fn check_cut(name: &str, kind: &str, whole: &Opened, cut: &Opened, length: usize) {
    for (place, member) in cut.members.iter().enumerate() {
        let original = whole.members.iter().find(|original| original.name == member.name);
        let Some(original) = original else {
            assert!(member.complaint.is_some() || SILENT.contains(&kind), "{name} cut at {length}: {member:?}");
            continue;
        };
        let is_last = place + 1 == cut.members.len();
        let may_be_short = is_last && (member.complaint.is_some() || SILENT.contains(&kind));
        if may_be_short {
            // The end of the last line may be something that only the rest of it explains.
            let common = member.body.len().min(original.body.len()).saturating_sub(8);
            let is_same = original.body.starts_with(&member.body[..common]);
            assert!(is_same, "{name} cut at {length}: {} has other bytes", member.name);
        } else {
            // Between two streams in a row there is nothing that could be missed.
            let is_first_stream = name.starts_with("two.") && member.body == b"Hello, harbour.\n";
            assert!(
                is_first_stream || member.body == original.body,
                "{name} cut at {length}: {} has other bytes",
                member.name
            );
        }
    }
    let is_told = cut.result.is_err() || !cut.lost.is_empty() || cut.members.iter().any(|one| one.complaint.is_some());
    let is_complete = cut.members.len() == whole.members.len();
    let has_no_end = SILENT.contains(&kind) || ["ar", "deb", "uu", "shar"].iter().any(|ending| name.ends_with(ending));
    assert!(is_told || is_complete || has_no_end, "{name} cut at {length}: members are missing silently");
}

/// How far to go from one place to the next: fewer places where each takes long.
fn step(body: &[u8], places: usize) -> usize {
    body.len() / if body.len() > 10_000 { 40 } else { places } + 1
}

#[test]
fn cuts_are_told() {
    for (name, kind) in FIXTURES {
        let body = fixture(name);
        let whole = opened(kind, name, &body);
        // Every cut of the small ones, many of the others.
        let step = step(&body, 800);
        for length in (0..body.len()).step_by(step) {
            check_cut(name, kind, &whole, &opened(kind, name, &body[..length]), length);
        }
    }
}

#[test]
fn a_flipped_bit_gives_no_other_bytes_where_there_are_checksums() {
    for (name, kind) in FIXTURES {
        let has_checksums = ["gz", "bz2", "zip"].iter().any(|ending| name.ends_with(ending));
        let mut body = fixture(name);
        let whole = opened(kind, name, &body);
        let step = step(&body, 300);
        for place in (0..body.len()).step_by(step) {
            body[place] ^= 0x10;
            let damaged = opened(kind, name, &body);
            body[place] ^= 0x10;
            for member in damaged
                .members
                .iter()
                .filter(|member| has_checksums && damaged.result.is_ok() && member.complaint.is_none())
            {
                let is_known = whole.members.iter().any(|original| original.body == member.body);
                assert!(is_known, "{name} with bit flipped at {place}: {} has other bytes", member.name);
            }
        }
    }
}

#[test]
fn the_beginning_of_a_cut_text_is_given_with_a_complaint() {
    let body = fixture("big-16.Z");
    let packed = {
        let whole = opened("Compressed", "big-16.Z", &body);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, &whole.members[0].body).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    };
    let cut = opened("GNUCompressed", "big.gz", &packed[..packed.len() / 2]);
    assert_eq!((cut.result, cut.members[0].complaint.is_some()), (Ok(()), true));
    assert!(cut.members[0].body.len() > 10_000);
}

#[test]
fn the_wrong_kind_is_told() {
    for kind in [
        "GNUCompressed",
        "Bzip2",
        "Xz",
        "Zstd",
        "Compressed",
        "Tar",
        "Zip",
        "SevenZip",
        "Uuencoded",
        "ShellArchive",
        "Feed",
    ] {
        let text = [b"\xffThis is only a text. ".repeat(40), b"\n".to_vec()].concat();
        let opened = opened(kind, "x", &text);
        assert_eq!((opened.result, opened.members), (Err(Trouble::WrongKind(Kind::new(kind))), vec![]), "{kind}");
    }
    let other = opened("Archive", "x.rpm", b"\xed\xab\xee\xdb");
    let reason = "an archive of another form than ar and cpio".to_owned();
    assert_eq!(other.result, Err(Trouble::NoWay(reason)));
    assert!(matches!(opened("HTML", "x", b"<p>").result, Err(Trouble::NoWay(_))));
}

#[test]
fn nothing_comes_out_of_nothing() {
    for (name, kind) in FIXTURES {
        let empty = opened(kind, name, b"");
        assert!(empty.members.is_empty() && empty.result.is_err(), "{kind}: {empty:?}");
    }
}

/// Something that markup may be made of.
const PIECE: &str = "<[a-z:]{0,6}( ?[a-z:]{1,5}=\"[^\"]{0,3}\")?/?>|</?record>|&[a-z]{0,3};|[ -~]{0,5}|<!\\[CDATA\\[";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for (_, kind) in FIXTURES.iter().chain(&[("", "XML"), ("", "Feed"), ("", "JavaArchive")]) {
            opened(kind, "x", &bytes);
        }
    }

    #[test]
    fn arbitrary_bytes_behind_a_good_beginning_never_panic(
        which in 0..FIXTURES.len(), keep in 0_usize..1_000, bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let (name, kind) = FIXTURES[which];
        let mut body = fixture(name);
        body.truncate(body.len() * keep / 1_000);
        body.extend(bytes);
        opened(kind, name, &body);
    }

    #[test]
    fn markup_of_any_shape_never_panics(pieces in prop::collection::vec(PIECE, 0..30)) {
        let text = pieces.concat();
        opened("XML", "x", text.as_bytes());
        opened("Feed", "x", text.as_bytes());
        opened("Feed", "x", format!("<rss version=\"2.0\"><channel><item>{text}").as_bytes());
        opened("Mail", "x", format!("Content-Type: multipart/mixed; boundary=x\n\n--x\n{text}").as_bytes());
    }
}
