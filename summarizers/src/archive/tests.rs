use super::{headers, rar};
use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;
use proptest::prelude::*;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("fixtures/", $name)).as_slice()
    };
}

fn read(kind: &str, name: &str, body: &[u8]) -> Draft {
    summarize(kind, name, body).expect("an archive")
}

#[test]
fn a_zip_archive_tells_members_and_comment() {
    let draft = read("Zip", "farm.zip", fixture!("farm.zip"));
    check(
        &draft,
        &[
            ("Format", "zip"),
            ("Members", "farm/\nfarm/corn.txt\nfarm/deep/\nfarm/deep/röggen.txt"),
            ("Member-Count", "4"),
            ("Unpacked-Size", "19"),
            ("Comment", "A farm"),
            ("Encrypted", ""),
        ],
    );
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    check(&read("Zip", "locked.zip", fixture!("locked.zip")), &[("Encrypted", "yes"), ("Members", "farm/corn.txt")]);
}

#[test]
fn a_cut_zip_archive_is_listed_as_far_as_it_goes() {
    let body = fixture!("farm.zip");
    let draft = read("Zip", "farm.zip", &body[..body.len() - 60]);
    check(&draft, &[("Members", "farm/\nfarm/corn.txt\nfarm/deep/\nfarm/deep/röggen.txt")]);
    assert_eq!(draft.complaints().len(), 1);
}

#[test]
fn packages_say_what_they_are() {
    check(
        &read("JavaArchive", "corn.jar", fixture!("corn.jar")),
        &[("Title", "Corn tools"), ("Version", "1.2"), ("Main-Class", "org.example.Corn")],
    );
    let python = [
        ("Title", "corn"),
        ("Version", "1.0"),
        ("Description", "Grows corn"),
        ("Author", "Ann"),
        ("Keywords", "field\nmaize"),
        ("Dependencies", "soil>=1"),
        ("text", "# Corn for Python"),
    ];
    let draft = read("Zip", "corn.whl", fixture!("corn.whl"));
    check(&draft, &python);
    assert_eq!(draft.references()[0].url.as_str(), "https://example.org/corn");
    // Not every maker of source archives lists what they need.
    check(&read("GNUCompressedTar", "corn.tar.gz", fixture!("sdist.tar.gz")), &python[..5]);
    check(
        &read("Archive", "corn.deb", fixture!("corn.deb")),
        &[
            ("Format", "ar\nDebian package"),
            ("Title", "corn"),
            ("Version", "1:2.3-1"),
            ("Author", "Ann <ann@example.org>"),
            ("Dependencies", "soil (>= 1)\nrain"),
            ("Description", "grows corn Long words."),
            ("Member-Count", "3"),
        ],
    );
    check(
        &read("Archive", "corn_1%3a2.3-1_all.deb", fixture!("packed.deb")),
        &[("Title", "corn"), ("Version", "1:2.3-1"), ("Architecture", "all")],
    );
    let draft = read("Archive", "corn.rpm", fixture!("corn.rpm"));
    assert_eq!(draft.references()[0].url.as_str(), "https://example.org/");
    check(
        &draft,
        &[
            ("Title", "corn"),
            ("Version", "2.3"),
            ("Summary", "Grows corn"),
            ("Description", "Long words."),
            ("License", "MIT"),
            ("Architecture", "noarch"),
            ("Members", "corn.txt"),
        ],
    );
}

#[test]
fn tar_archives_are_listed_with_long_names() {
    let long = "long".repeat(40);
    let draft = read("Tar", "farm.tar", fixture!("farm.tar"));
    check(&draft, &[("Format", "tar"), ("Member-Count", "4"), ("Unpacked-Size", "19")]);
    assert!(
        draft
            .get("Members")
            .is_some_and(|names| names.lines().any(|name| name == format!("{long}/farm/deep/röggen.txt")))
    );
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    let draft = read("GNUCompressedTar", "farm.tar.gz", fixture!("farm.tar.gz"));
    check(&draft, &[("Format", "gzip\ntar"), ("Member-Count", "4")]);
    assert!(draft.get("Members").is_some_and(|names| names.contains(&format!("{}/farm/corn.txt", "länge".repeat(40)))));
}

#[test]
fn compressed_files_tell_what_their_headers_hold() {
    check(
        &read("GNUCompressed", "a.gz", fixture!("named.gz")),
        &[("Original-Name", "original.txt"), ("Modified", "2024-05-01T00:00:00Z"), ("Unpacked-Size", "15")],
    );
    check(&read("Xz", "a.xz", fixture!("zeros.xz")), &[("Format", "xz"), ("Unpacked-Size", "3000")]);
    check(&read("Zstd", "a.zst", fixture!("zeros.zst")), &[("Format", "Zstandard")]);
    check(&read("Xz", "a.lzma", fixture!("zeros.lzma")), &[("Format", "LZMA")]);
    check(&read("Bzip2", "a.bz2", b"BZh91AY"), &[("Format", "bzip2")]);
}

#[test]
fn other_archives_are_listed_or_named() {
    check(&read("SevenZip", "a.7z", fixture!("farm.7z")), &[("Format", "7z"), ("Encrypted", "")]);
    check(&read("SevenZip", "a.7z", fixture!("locked.7z")), &[("Encrypted", "yes")]);
    check(
        &read("Archive", "a.cpio", fixture!("farm.cpio")),
        &[("Members", "farm\nfarm/corn.txt\nfarm/deep\nfarm/deep/röggen.txt")],
    );
    check(&read("Uuencoded", "a.uu", fixture!("corn.uu")), &[("Members", "corn.txt")]);
    let draft = read("ShellArchive", "a.shar", fixture!("farm.shar"));
    check(&draft, &[("Format", "shar"), ("Members", "farm/corn.txt\nfarm/deep/röggen.txt")]);
    let plain = b"#!/bin/sh\n# This is a shell archive\necho x - corn.c\nsed 's/^X//' > corn.c <<'END'\nXint x;\nEND\n";
    check(&read("ShellArchive", "a.shar", plain), &[("Members", "corn.c")]);
    check(&read("PCCompressed", "a.lzh", b"\x20\x00-lh5-"), &[("Format", "LHA")]);
}

#[test]
fn rar_archives_are_listed_by_their_headers() {
    let name = b"farm/corn.txt";
    // The mark, the header of the archive, one file of 15 bytes stored in 4, the end.
    let mut fourth = b"Rar!\x1A\x07\0\0\0\x73\0\0\x0D\0\0\0\0\0\0\0".to_vec();
    fourth.extend([
        0, 0, 0x74, 0x04, 0x80, 45, 0, 4, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x30, 13, 0, 0, 0, 0, 0,
    ]);
    fourth.extend(name);
    fourth.extend(b"data\0\0\x7B\0\0\x07\0");
    let expected = [("Format", "RAR"), ("Members", "farm/corn.txt"), ("Unpacked-Size", "15")];
    let draft = read("Rar", "a.rar", &fourth);
    check(&draft, &expected);
    check(&draft, &[("Encrypted", "yes"), ("Format-Version", "4")]);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    let mut fifth = b"Rar!\x1A\x07\x01\0".to_vec();
    fifth.extend([0, 0, 0, 0, 3, 1, 0, 0]);
    fifth.extend([0, 0, 0, 0, 22, 2, 2, 4, 0, 15, 0, 0, 0, 13]);
    fifth.extend(name);
    fifth.extend(b"data\0\0\0\0\x03\x05\0\0");
    let draft = read("Rar", "a.rar", &fifth);
    check(&draft, &expected);
    check(&draft, &[("Encrypted", ""), ("Format-Version", "5")]);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    rar::write(&fifth[..20], &mut Draft::new());
}

#[test]
fn a_bomb_is_not_unpacked_beyond_the_limit() {
    use std::io::Write;
    let mut header = fixture!("farm.tar")[..512].to_vec();
    header.resize(512, 0);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&header).expect("memory");
    for _ in 0..100 {
        packer.write_all(&vec![0; 1 << 20]).expect("memory");
    }
    let body = packer.finish().expect("memory");
    assert!(body.len() < 1 << 20);
    read("GNUCompressedTar", "a.tar.gz", &body);
}

#[test]
fn damaged_archives_are_survived() {
    let all = [
        fixture!("farm.zip"),
        fixture!("corn.whl"),
        fixture!("farm.tar.gz"),
        fixture!("named.gz"),
        fixture!("zeros.xz"),
        fixture!("zeros.zst"),
        fixture!("farm.7z"),
        fixture!("corn.deb"),
        fixture!("corn.rpm"),
        fixture!("farm.cpio"),
        fixture!("corn.uu"),
        fixture!("farm.shar"),
        b"MSCF\0\0\0\0\0\0\0\0\0\0\0\0\x2C\0\0\0\0\0\0\0\0\0\0\0\xFF\xFF",
        b"",
    ];
    for body in all {
        for end in (0..body.len()).step_by(1 + body.len() / 300) {
            let _ = summarize("Archive", "a", &body[..end]);
            let mut wrong = body.to_vec();
            wrong[end] = 0xFF;
            let _ = summarize("Zip", "a", &wrong);
        }
    }
    for kind in super::KINDS.iter().filter(|kind| !["ShellArchive", "Uuencoded"].contains(kind)) {
        assert!(summarize(kind, "a", b"no archive at all").is_err(), "{kind}");
    }
}

proptest! {
    #[test]
    fn any_bytes_behind_a_mark_are_survived(
        mark in proptest::sample::select(vec!["PK\x03\x04", "Rar!\x1A\x07\x01\0", "Rar!\x1A\x07\0", "!<arch>\n", "070701", "070707", "MSCF", "7z\u{bc}"]),
        bytes in proptest::collection::vec(any::<u8>(), 0..300)
    ) {
        let body = [mark.as_bytes(), &bytes].concat();
        let _ = summarize("Archive", "a", &body);
        prop_assert!(headers::recognize(&body).is_some() || mark.starts_with("7z"));
    }
}
