//! RPM packages: the tags of their header.

use super::{Members, date};
use gatherer_pipeline::Draft;
use url::Url;

/// Tags of single texts with their attributes.
#[rustfmt::skip]
const TAGS: &[(u32, &str)] = &[
    (1000, "Title"), (1001, "Version"), (1002, "Release"), (1004, "Summary"), (1005, "Description"),
    (1011, "Publisher"), (1014, "License"), (1015, "Author"), (1016, "Keywords"), (1022, "Architecture"),
];
/// Most entries of a header.
const ENTRIES: usize = 10_000;

/// Writes what the header tells.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    // The lead, then the header of the signature, padded to eight bytes, then the header that counts.
    let main = Header::read(body, 96).and_then(|signature| Header::read(body, signature.end.next_multiple_of(8)));
    let Some(header) = main else { return draft.complain("the package has no whole header") };
    for (tag, attribute) in TAGS {
        draft.add(attribute, &header.texts(*tag, 1).join("\n"));
    }
    let home = header.texts(1020, 1).first().and_then(|home| Url::parse(home).ok());
    if let Some(mut home) = home.filter(|home| matches!(home.scheme(), "http" | "https" | "ftp")) {
        home.set_fragment(None);
        draft.refer(home, "");
    }
    let built = header.entry(1006).and_then(|(_, place, _)| number(header.store, place));
    draft.add("Created", &date(built.unwrap_or_default().into()));
    draft.add("Dependencies", &header.texts(1049, 2_000).join("\n"));
    let mut members = Members::default();
    header.texts(1117, ENTRIES).iter().for_each(|name| members.add(name.as_bytes(), 0));
    members.write(draft);
}

struct Header<'a> {
    index: &'a [u8],
    store: &'a [u8],
    end: usize,
}

impl<'a> Header<'a> {
    fn read(body: &'a [u8], at: usize) -> Option<Self> {
        let start = body.get(at..).filter(|start| start.starts_with(&[0x8E, 0xAD, 0xE8]))?;
        let entries = usize::try_from(number(start, 8)?).ok()?.checked_mul(16)?;
        let size = usize::try_from(number(start, 12)?).ok()?;
        let index = start.get(16..)?.get(..entries)?;
        let store = start.get(16..)?.get(entries..)?.get(..size)?;
        Some(Self { index, store, end: at + 16 + entries + size })
    }

    /// Type, place and count of a tag.
    fn entry(&self, tag: u32) -> Option<(u32, usize, usize)> {
        let entry = self.index.chunks_exact(16).take(ENTRIES).find(|entry| number(entry, 0) == Some(tag))?;
        let place = usize::try_from(number(entry, 8)?).ok()?;
        Some((number(entry, 4)?, place, usize::try_from(number(entry, 12)?).ok()?))
    }

    /// The texts of a tag, which end with zeros.
    fn texts(&self, tag: u32, limit: usize) -> Vec<String> {
        let Some((6 | 8 | 9, place, count)) = self.entry(tag) else { return Vec::new() };
        let texts = self.store.get(place..).unwrap_or_default().split(|byte| *byte == 0);
        texts.take(count.min(limit)).map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }
}

fn number(bytes: &[u8], place: usize) -> Option<u32> {
    bytes.get(place..)?.first_chunk().map(|four| u32::from_be_bytes(*four))
}
