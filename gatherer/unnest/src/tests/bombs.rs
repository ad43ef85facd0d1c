//! Bombs and other attacks: everything ends at its limit.

use super::{opened, opened_within};
use crate::{Budget, Document, FREE_OF_RATIO, Limit, Limits, Rules, Trouble, open};
use gatherer_pipeline::Kind;
use std::io::{Cursor, Read, Write};

const MEGABYTE: usize = 1024 * 1024;

fn gzip(mut content: impl Read) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut content, &mut encoder).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a good name");
        writer.write_all(content).expect("memory takes all");
    }
    writer.finish().expect("memory takes all").into_inner()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *content).expect("memory takes all");
    }
    builder.into_inner().expect("memory takes all")
}

fn zeros(count: usize) -> impl Read {
    std::io::repeat(0).take(count as u64)
}

#[test]
fn a_bomb_of_zeros_ends_at_the_ratio() {
    let bomb = gzip(zeros(40 * MEGABYTE));
    let budget = Budget::new(Limits { ratio: 20, ..Limits::default() }, bomb.len());
    let opened = opened_within("GNUCompressed", "bomb.gz", &bomb, &budget);
    assert_eq!((opened.result, opened.members.len()), (Err(Trouble::Limit(Limit::Ratio(20))), 0));
    assert!(budget.bytes() <= bomb.len() as u64 * 20);
    // A block of zeros is the end mark of a tar archive: nothing is in it, but its checksum is looked for.
    let budget = Budget::new(Limits { ratio: 20, ..Limits::default() }, bomb.len());
    let as_tar = opened_within("GNUCompressedTar", "bomb.tgz", &bomb, &budget);
    assert_eq!((as_tar.result, as_tar.members.len()), (Err(Trouble::Limit(Limit::Ratio(20))), 0));
}

#[test]
fn limits_are_exact_on_the_stream() {
    for (length, expected) in [(100_000, Ok(())), (100_001, Err(Trouble::Limit(Limit::Bytes(100_000))))] {
        let packed = gzip(zeros(length));
        let limits = Limits { bytes: 100_000, ..Limits::default() };
        let opened = opened_within("GNUCompressed", "x.gz", &packed, &Budget::new(limits, packed.len()));
        assert_eq!(opened.result, expected);
    }
    let free = usize::try_from(FREE_OF_RATIO).expect("a small number");
    for (length, is_allowed) in [(free, true), (free + 1, false)] {
        let packed = gzip(zeros(length));
        let opened = opened_within(
            "GNUCompressed",
            "x.gz",
            &packed,
            &Budget::new(Limits { ratio: 1, ..Limits::default() }, packed.len()),
        );
        assert_eq!(opened.result.is_ok(), is_allowed);
    }
}

#[test]
fn an_archive_over_the_limit_gives_what_came_before() {
    let large = vec![0; 3 * MEGABYTE];
    let members: &[(&str, &[u8])] = &[("first", b"1"), ("large", &large), ("last", b"2")];
    let (zipped, tarred) = (zip(members), tar(members));
    let packed_tar = gzip(Cursor::new(&tarred));
    for (kind, body) in [("Zip", &zipped), ("Tar", &tarred), ("GNUCompressedTar", &packed_tar)] {
        let limits = Limits { bytes: 2 * MEGABYTE as u64, ratio: u32::MAX, ..Limits::default() };
        let opened = opened_within(kind, "x", body, &Budget::new(limits, body.len()));
        assert_eq!(opened.names(), ["first"], "{kind}");
        assert_eq!(opened.losses(), [("large", "the limit of 2097152 unpacked bytes is reached")], "{kind}");
        assert_eq!(opened.result, Err(Trouble::Limit(Limit::Bytes(2_097_152))), "{kind}");
    }
}

#[test]
fn a_tar_archive_is_paid_for_once() {
    let tarred = tar(&[("a", &[7; 5_000]), ("b", &[8; 3_000])]);
    let packed = gzip(Cursor::new(&tarred));
    let budget = Budget::new(Limits::default(), packed.len());
    opened_within("GNUCompressedTar", "x.tgz", &packed, &budget);
    assert!((8_000..=tarred.len() as u64).contains(&budget.bytes()), "{}", budget.bytes());
    let budget = Budget::new(Limits::default(), tarred.len());
    opened_within("Tar", "x.tar", &tarred, &budget);
    assert_eq!((budget.bytes(), budget.members()), (8_000, 2));
}

#[test]
fn too_many_members_end_the_archive() {
    let names: Vec<_> = (0..12).map(|number| number.to_string()).collect();
    let members: Vec<_> = names.iter().map(|name| (name.as_str(), b"x".as_slice())).collect();
    for (kind, body) in [("Zip", zip(&members)), ("Tar", tar(&members))] {
        let budget = Budget::new(Limits { members: 10, ..Limits::default() }, body.len());
        let opened = opened_within(kind, "x", &body, &budget);
        assert_eq!((opened.members.len(), opened.result), (10, Err(Trouble::Limit(Limit::Members(10)))), "{kind}");
    }
}

/// Opens all levels, as the engine does; returns how deep it came and the last trouble.
fn depth_of(kind: &Kind, body: &[u8], depth: u32, budget: &Budget) -> (u32, Result<(), Trouble>) {
    let mut deepest = (depth, Ok(()));
    let document = Document { kind, name: "x.gz", body, depth };
    let result = open(&document, &Rules::default(), budget, &mut |member| {
        let member = member.expect("nothing is lost");
        if member.body.starts_with(&[0x1f, 0x8b]) {
            deepest = depth_of(kind, &member.body, depth + 1, budget);
        }
    });
    if result.is_err() { (depth, result) } else { deepest }
}

#[test]
fn nested_wrappers_end_at_the_depth_and_share_one_budget() {
    let mut body = b"innermost".to_vec();
    for _ in 0..10 {
        body = gzip(Cursor::new(&body));
    }
    let kind = Kind::new("GNUCompressed");
    let budget = Budget::new(Limits::default(), body.len());
    assert_eq!(depth_of(&kind, &body, 0, &budget), (5, Err(Trouble::Limit(Limit::Depth(5)))));
    assert_eq!(budget.members(), 5);
    let budget = Budget::new(Limits { depth: 10, ..Limits::default() }, body.len());
    assert_eq!(depth_of(&kind, &body, 0, &budget), (9, Ok(())));
}

#[test]
fn names_that_lead_outside_are_made_safe() {
    let tarred = tar(&[
        ("../../etc/passwd", b"1"),
        ("/etc/passwd", b"2"),
        ("..", b"3"),
        ("a\nb", b"4"),
        ("ok", b"5"),
        ("ok", b"6"),
    ]);
    let opened = opened("Tar", "x.tar", &tarred);
    assert_eq!(opened.names(), ["etc/passwd", "etc/passwd (2)", "a_b", "ok", "ok (2)"]);
    assert_eq!(opened.members[0].complaint.as_deref(), Some("its name was \"../../etc/passwd\""));
    assert_eq!(opened.losses(), [("..", "nothing is left of the name \"..\" once it is made safe")]);
    assert_eq!((opened.body("ok"), opened.body("ok (2)")), ("5".to_owned(), "6".to_owned()));
}

#[test]
fn a_name_twice_in_a_zip_archive_gives_both() {
    // The writer refuses such a thing, so one name is changed behind its back.
    let mut body = zip(&[("one", b"1"), ("two", b"2")]);
    for place in 0..body.len() - 3 {
        if &body[place..place + 3] == b"two" {
            body[place..place + 3].copy_from_slice(b"one");
        }
    }
    let opened = opened("Zip", "x.zip", &body);
    assert_eq!((opened.body("one"), opened.body("one (2)")), ("1".to_owned(), "2".to_owned()));
}

#[test]
fn a_7z_archive_with_a_huge_list_is_refused_before_it_is_unpacked() {
    // One packed stream of 5 bytes, one folder with one coder (LZMA), which claims to unpack to 2^40 bytes.
    let streams = b"\x17\x06\x00\x01\x09\x05\x00".as_slice();
    let coder = b"\x07\x0b\x01\x00\x01\x23\x03\x01\x01\x05\x5d\x00\x00\x10\x00";
    let list = [streams, coder, b"\x0c\xfc\x00\x00\x00\x00\x00\x01\x00\x00"].concat();
    let mut body = b"7z\xbc\xaf\x27\x1c\x00\x04\x01\x02\x03\x04".to_vec();
    body.extend(0_u64.to_le_bytes());
    body.extend((list.len() as u64).to_le_bytes());
    body.extend([0; 4]);
    body.extend(list);
    let reason = "its list of members takes 1099511627776 bytes".to_owned();
    assert_eq!(opened("SevenZip", "x.7z", &body).result, Err(Trouble::NoWay(reason)));
}

#[test]
fn deep_and_broad_text_takes_linear_time() {
    let many = 200_000;
    opened("XML", "x", &b"<a xmlns:b='c'>".repeat(many));
    opened("XML", "x", &[b"<a>".repeat(many), b"<record/>".repeat(many)].concat());
    opened("Mail", "x", &b"Content-Type: message/rfc822\n\n".repeat(many));
    opened("Mail", "x", &b"Content-Type: multipart/mixed; boundary=x\n\n--x\n".repeat(many / 10));
    opened("Mail", "x", &b"From x Mon 07:08\n\n".repeat(many));
    opened("Uuencoded", "x", &b"begin 644 x\n".repeat(many));
    opened("ShellArchive", "x", &b"cat > x << END\n".repeat(many));
    opened("GNUCompressed", "x", &gzip(std::io::empty()).repeat(many));
    opened("Feed", "x", &[b"<rss version=\"2.0\"><channel><item>".to_vec(), b"<a>".repeat(many)].concat());
}
