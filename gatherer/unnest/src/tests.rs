//! Everything through the front door: fixtures of the real programs, cuts, bombs and garbage.

mod bombs;
mod cuts;
mod fixtures;
mod text;

use crate::{Budget, Document, Limits, Lost, Member, Rules, Trouble, open};
use gatherer_pipeline::Kind;
use std::path::Path;

/// What came of opening something.
#[derive(Debug, PartialEq)]
struct Opened {
    members: Vec<Member>,
    lost: Vec<Lost>,
    result: Result<(), Trouble>,
}

impl Opened {
    /// Names with what is said of them: the contents for members, the reason for those that were lost.
    fn names(&self) -> Vec<&str> {
        self.members.iter().map(|member| member.name.as_str()).collect()
    }

    fn body(&self, name: &str) -> String {
        let member = self.members.iter().find(|member| member.name == name).unwrap_or_else(|| panic!("no {name}"));
        String::from_utf8_lossy(&member.body).into_owned()
    }

    fn losses(&self) -> Vec<(&str, &str)> {
        self.lost.iter().map(|lost| (lost.name.as_str(), lost.reason.as_str())).collect()
    }
}

/// Rules that open all that can be opened.
fn all_rules() -> Rules {
    let xml_elements = vec!["record".to_owned(), "x:item".to_owned()];
    Rules { mailboxes: true, attachments: true, feeds: true, xml_elements }
}

fn opened(kind: &str, name: &str, body: &[u8]) -> Opened {
    opened_within(kind, name, body, &Budget::new(Limits::default(), body.len()))
}

fn opened_within(kind: &str, name: &str, body: &[u8], budget: &Budget) -> Opened {
    let kind = Kind::new(kind);
    let mut opened = Opened { members: Vec::new(), lost: Vec::new(), result: Ok(()) };
    let document = Document { kind: &kind, name, body, depth: 0 };
    opened.result = open(&document, &all_rules(), budget, &mut |member| match member {
        Ok(member) => opened.members.push(member),
        Err(lost) => opened.lost.push(lost),
    });
    opened
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every fixture with its kind.
const FIXTURES: &[(&str, &str)] = &[
    ("hello.gz", "GNUCompressed"),
    ("two.gz", "GNUCompressed"),
    ("two.bz2", "Bzip2"),
    ("two.xz", "Xz"),
    ("hello.lzma", "Xz"),
    ("two.zst", "Zstd"),
    ("hello.Z", "Compressed"),
    ("middle-10.Z", "Compressed"),
    ("middle-12.Z", "Compressed"),
    ("big-16.Z", "Compressed"),
    ("gnu.tar", "Tar"),
    ("posix.tar", "Tar"),
    ("old.tar", "Tar"),
    ("sparse.tar", "Tar"),
    ("sparse-posix.tar", "Tar"),
    ("tree.tar.gz", "GNUCompressedTar"),
    ("tree.tar.bz2", "Bzip2Tar"),
    ("tree.tar.xz", "XzTar"),
    ("tree.tar.zst", "ZstdTar"),
    ("tree.tar.Z", "CompressedTar"),
    ("tree.zip", "Zip"),
    ("encrypted.zip", "Zip"),
    ("tree.7z", "SevenZip"),
    ("blocks.7z", "SevenZip"),
    ("ppmd.7z", "SevenZip"),
    ("filtered.7z", "SevenZip"),
    ("twice.7z", "SevenZip"),
    ("encrypted.7z", "SevenZip"),
    ("encrypted-list.7z", "SevenZip"),
    ("tree.ar", "Archive"),
    ("package.deb", "Archive"),
    ("newc.cpio", "Archive"),
    ("crc.cpio", "Archive"),
    ("odc.cpio", "Archive"),
    ("one.uu", "Uuencoded"),
    ("two.uu", "Uuencoded"),
    ("tree.shar", "ShellArchive"),
    ("old.shar", "ShellArchive"),
    ("mailbox", "Mail"),
    ("message.eml", "Mail"),
];
