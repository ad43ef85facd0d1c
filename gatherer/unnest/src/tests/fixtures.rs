//! What the real programs have packed comes out as it was.

use super::{FIXTURES, fixture, opened};
use crate::{Form, Rules, Trouble, form};
use gatherer_pipeline::{Kind, UnixTime};

const HELLO: &str = "Hello, harbour.\n";
/// The sixth of May 2024, 07:08:10.
const MODIFIED: Option<UnixTime> = Some(UnixTime(1_714_979_290));

fn numbers() -> String {
    (1..=400).map(|number| format!("{number}\n")).collect()
}

fn long_name() -> String {
    format!("docs/{}.txt", "a".repeat(120))
}

/// What `fixtures/make` calls `text`.
fn varied(count: u64) -> String {
    let numbers = (0..count).map(|i| format!("{} ", i * i * 7919 % 1_000_003));
    numbers.chain((0..count).map(|i| format!("ferry {} ", i % 7))).collect()
}

/// The tree of `fixtures/make`, as far as it is in the archive.
fn check_tree(name: &str, kind: &str, link: &str, is_timed: bool) {
    let opened = opened(kind, name, &fixture(name));
    assert_eq!(opened.result, Ok(()), "{name}");
    let mut names = opened.names();
    names.sort_unstable();
    assert_eq!(names, [long_name().as_str(), "docs/empty", "docs/numbers.txt", "hello.txt"], "{name}");
    let expected = [("hello.txt", HELLO.to_owned()), ("docs/numbers.txt", numbers()), ("docs/empty", String::new())];
    for (member, content) in expected {
        assert_eq!(opened.body(member), content, "{name}: {member}");
    }
    assert_eq!(opened.body(&long_name()), "long name\n", "{name}");
    assert_eq!(opened.losses(), [("docs/link", link)], "{name}");
    for member in &opened.members {
        assert_eq!((member.modified, &member.complaint), (MODIFIED.filter(|_| is_timed), &None), "{name}: {member:?}");
    }
}

#[test]
fn archives_give_the_whole_tree() {
    const LINK: &str = "symbolic link to ../hello.txt";
    for (name, kind) in [
        ("gnu.tar", "Tar"),
        ("posix.tar", "Tar"),
        ("tree.tar.gz", "GNUCompressedTar"),
        ("tree.tar.bz2", "Bzip2Tar"),
        ("tree.tar.xz", "XzTar"),
        ("tree.tar.zst", "ZstdTar"),
        ("tree.tar.Z", "CompressedTar"),
        ("tree.zip", "Zip"),
        ("tree.zip", "JavaArchive"),
        ("tree.7z", "SevenZip"),
        ("newc.cpio", "Archive"),
        ("crc.cpio", "Archive"),
        ("odc.cpio", "Archive"),
    ] {
        check_tree(name, kind, LINK, true);
    }
}

#[test]
fn old_tar_archives_tell_directories_by_their_names() {
    assert_eq!(opened("Tar", "old.tar", &fixture("old.tar")).names(), ["hello.txt", "docs/numbers.txt"]);
}

#[test]
fn files_with_holes_are_lost_and_the_next_is_found() {
    for name in ["sparse.tar", "sparse-posix.tar"] {
        let opened = opened("Tar", name, &fixture(name));
        assert_eq!(opened.result, Ok(()), "{name}");
        assert_eq!(opened.body("hello.txt"), HELLO, "{name}");
        assert_eq!(opened.losses(), [("holes", "sparse file")], "{name}");
    }
}

#[test]
fn compressed_files_are_unwrapped() {
    for (name, kind, inside, content) in [
        ("hello.gz", "GNUCompressed", "hello.txt", HELLO.to_owned()),
        ("two.gz", "GNUCompressed", "two", format!("{HELLO}second\n")),
        ("two.bz2", "Bzip2", "two", format!("{HELLO}second\n")),
        ("two.xz", "Xz", "two", format!("{HELLO}second\n")),
        ("hello.lzma", "Xz", "hello", HELLO.to_owned()),
        ("two.zst", "Zstd", "two", format!("{HELLO}second\n")),
        ("hello.Z", "Compressed", "hello", HELLO.to_owned()),
        ("middle-10.Z", "Compressed", "middle-10", varied(2_500)),
        ("middle-12.Z", "Compressed", "middle-12", varied(2_500)),
        ("big-16.Z", "Compressed", "big-16", varied(16_000)),
    ] {
        let opened = opened(kind, name, &fixture(name));
        assert_eq!(opened.result, Ok(()), "{name}");
        assert_eq!(opened.names(), [inside], "{name}");
        assert!(opened.body(inside) == content, "{name} gave something else");
        assert_eq!(opened.members[0].complaint, None, "{name}");
    }
    assert_eq!(opened("GNUCompressed", "x", &fixture("hello.gz")).members[0].modified, MODIFIED);
}

#[test]
fn what_only_claims_to_be_a_tar_archive_comes_out_whole() {
    let whole = opened("GNUCompressedTar", "hello.tgz", &fixture("two.gz"));
    assert_eq!(whole.names(), ["hello.tar"]);
    assert_eq!(whole.body("hello.tar"), format!("{HELLO}second\n"));
}

#[test]
fn bytes_behind_a_compressed_file_are_told_but_zeros_are_padding() {
    for (name, kind) in [("two.gz", "GNUCompressed"), ("two.bz2", "Bzip2")] {
        let padded = opened(kind, name, &[fixture(name), vec![0; 100]].concat());
        assert_eq!(padded.members[0].complaint, None, "{name}");
        let followed = opened(kind, name, &[fixture(name), b"junk".to_vec()].concat());
        let complaint = followed.members[0].complaint.as_deref();
        assert_eq!(complaint, Some("4 bytes behind its end are no part of it"), "{name}");
    }
}

#[test]
fn encrypted_members_are_lost_and_the_others_found() {
    let zip = opened("Zip", "encrypted.zip", &fixture("encrypted.zip"));
    assert_eq!((zip.losses(), zip.names()), (vec![("hello.txt", "encrypted")], vec!["docs/numbers.txt"]));
    let seven = opened("SevenZip", "encrypted.7z", &fixture("encrypted.7z"));
    assert_eq!((seven.losses(), &seven.result), (vec![("hello.txt", "encrypted")], &Ok(())));
    let list = opened("SevenZip", "encrypted-list.7z", &fixture("encrypted-list.7z"));
    assert_eq!((list.lost.len(), list.result), (0, Err(Trouble::Encrypted)));
}

#[test]
fn other_methods_of_7z_are_known() {
    let blocks = opened("SevenZip", "blocks.7z", &fixture("blocks.7z"));
    assert_eq!((blocks.body("hello.txt").as_str(), blocks.body("docs/numbers.txt")), (HELLO, numbers()));
    for name in ["ppmd.7z", "filtered.7z"] {
        assert_eq!(opened("SevenZip", name, &fixture(name)).body("docs/numbers.txt"), numbers(), "{name}");
    }
    let twice = opened("SevenZip", "twice.7z", &fixture("twice.7z"));
    assert_eq!(twice.losses(), [("docs/numbers.txt", "packed by more than one method")]);
}

#[test]
fn libraries_and_packages_are_opened() {
    let library = opened("Archive", "tree.ar", &fixture("tree.ar"));
    let long = long_name().replace("docs/", "");
    assert_eq!(library.names(), ["hello.txt", "numbers.txt", long.as_str()]);
    assert_eq!(library.body("numbers.txt"), numbers());
    let package = opened("Archive", "package.deb", &fixture("package.deb"));
    assert_eq!(package.names(), ["data.tar.xz"], "what is for its installer is no document");
    let data = &package.members[0];
    assert_eq!(opened("XzTar", &data.name, &data.body).body("hello.txt"), HELLO);
    let header = |name: &str, size: u32| format!("{name:16}0           0     0     100644  {size:<10}`\n");
    let bsd = ["!<arch>\n", &header("#1/8", 13), "long\0\0\0\0hello\n", &header("x/", 1), "y\n"].concat();
    let bsd = opened("Archive", "bsd.a", bsd.as_bytes());
    assert_eq!((bsd.body("long"), bsd.body("x"), bsd.result), ("hello".to_owned(), "y".to_owned(), Ok(())));
}

#[test]
fn uuencoded_files_are_found_in_their_text() {
    let two = opened("Uuencoded", "two.uu", &fixture("two.uu"));
    assert_eq!(two.names(), ["hello.txt", "docs/numbers.txt"]);
    assert_eq!((two.body("hello.txt").as_str(), two.body("docs/numbers.txt")), (HELLO, numbers()));
    assert_eq!(opened("Uuencoded", "one.uu", &fixture("one.uu")).body("numbers.txt"), numbers());
}

#[test]
fn shell_archives_are_read_and_not_run() {
    let tree = opened("ShellArchive", "tree.shar", &fixture("tree.shar"));
    assert_eq!(tree.names(), ["hello.txt", "docs/numbers.txt", "binary"]);
    assert_eq!((tree.body("hello.txt").as_str(), tree.body("docs/numbers.txt")), (HELLO, numbers()));
    assert_eq!(tree.members[2].body, [0xff; 300]);
    let old = opened("ShellArchive", "old.shar", &fixture("old.shar"));
    assert_eq!(old.names(), ["README", "src/main.c", "notes"]);
    assert_eq!(old.body("README"), "First line\n\nX marks the spot\nnot marked\n");
    assert_eq!(old.members[2].complaint.as_deref(), Some("what a shell would have replaced in it stands as it is"));
}

#[test]
fn kinds_say_how_they_are_opened() {
    let check = |kind: &str, body: &[u8], rules: &Rules, expected: Option<Form>| {
        assert_eq!(form(&Kind::new(kind), body, rules), expected, "{kind}");
    };
    let rules = Rules::default();
    for (name, kind) in FIXTURES {
        assert_ne!(form(&Kind::new(*kind), &fixture(name), &rules), None, "{name}");
    }
    check("GNUCompressed", b"", &rules, Some(Form::Wrapper));
    check("GNUCompressedTar", b"", &rules, Some(Form::Container));
    check("Uuencoded", &fixture("one.uu"), &rules, Some(Form::Wrapper));
    check("Uuencoded", &fixture("two.uu"), &rules, Some(Form::Container));
    check("Mail", &fixture("mailbox"), &rules, Some(Form::Container));
    check("Mail", &fixture("mailbox"), &Rules { mailboxes: false, ..rules.clone() }, None);
    check("Mail", &fixture("message.eml"), &rules, Some(Form::Carrier));
    check("Mail", &fixture("message.eml"), &Rules { attachments: false, ..rules.clone() }, None);
    check("Mail", b"Subject: x\n\ntext", &rules, None);
    check("Archive", b"\xed\xab\xee\xdb", &rules, None);
    check("XML", b"<records/>", &rules, None);
    check(
        "XML",
        b"<records/>",
        &Rules { xml_elements: vec!["record".to_owned()], ..rules.clone() },
        Some(Form::Container),
    );
    check("XML", b"<a/>", &Rules { xml_elements: vec!["record".to_owned()], ..rules.clone() }, None);
    check("Feed", b"<rss/>", &rules, None);
    for kind in ["HTML", "EPUB", "MSWord", "OpenDocument", "OtherCompressed", "Rar", "Unknown"] {
        check(kind, b"PK\x03\x04", &rules, None);
    }
}
