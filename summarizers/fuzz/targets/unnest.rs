//! Any bytes as something nested, of the kind that `FUZZ_KIND` names or the last byte chooses; what comes out keeps
//! within its limits and has names that do no harm.

use gatherer_pipeline::Kind;
use gatherer_unnest::{Budget, Document, Limits, Lost, Member, Rules, form, open};
use std::collections::HashSet;
use std::sync::LazyLock;

#[rustfmt::skip]
const KINDS: &[&str] = &[
    "GNUCompressed", "GNUCompressedTar", "Bzip2", "Bzip2Tar", "Xz", "XzTar", "Zstd", "ZstdTar", "Compressed",
    "CompressedTar", "Tar", "Zip", "JavaArchive", "SevenZip", "ShellArchive", "Archive", "Uuencoded", "Mail", "Mailbox",
    "XML", "Feed",
];
const LIMITS: Limits = Limits { depth: 2, members: 200, bytes: 4 << 20, ratio: 100 };

static CHOSEN: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("FUZZ_KIND").ok());

pub(crate) fn run(bytes: &[u8]) {
    let (kind, body) = match (CHOSEN.as_deref(), bytes.split_last()) {
        (Some(kind), _) => (kind, bytes),
        (None, Some((last, body))) => (KINDS[usize::from(*last) % KINDS.len()], body),
        (None, None) => return,
    };
    let once = opened(kind, body);
    assert_eq!(once, opened(kind, body), "the same bytes give the same members");
    let mut names = HashSet::new();
    for member in once.iter().flatten() {
        assert!(names.insert(&member.name), "{:?} twice", member.name);
        let sound = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(char::is_control);
        assert!(member.name.split('/').all(sound), "{:?} is no name", member.name);
    }
}

fn opened(kind: &str, body: &[u8]) -> Vec<Result<Member, Lost>> {
    let kind = Kind::new(kind.to_owned());
    let rules = Rules { mailboxes: true, attachments: true, feeds: true, xml_elements: vec!["record".to_owned()] };
    form(&kind, body, &rules);
    let budget = Budget::new(LIMITS, body.len());
    let mut members = Vec::new();
    let document = Document { kind: &kind, name: "any", body, depth: 0 };
    open(&document, &rules, &budget, &mut |member| members.push(member)).ok();
    assert!(budget.bytes() <= LIMITS.bytes && budget.members() <= LIMITS.members);
    assert!(members.iter().flatten().map(|member| member.body.len() as u64).sum::<u64>() <= LIMITS.bytes);
    members
}
