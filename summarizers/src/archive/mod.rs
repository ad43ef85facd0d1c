//! Containers: what is in them. Their members become documents elsewhere; this is the record of the container.

mod headers;
mod lists;
mod package;
mod rar;
mod rpm;
mod streams;
mod tar;
#[cfg(test)]
mod tests;
mod zip;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use headers::Format;

#[rustfmt::skip]
pub(crate) const KINDS: &[&str] = &[
    "Archive", "Bzip2", "Bzip2Tar", "Compressed", "CompressedTar", "GNUCompressed", "GNUCompressedTar", "JavaArchive",
    "MacCompressed", "OtherCompressed", "PCCompressed", "Rar", "SevenZip", "ShellArchive", "Tar", "Uuencoded", "Xz",
    "XzTar", "Zip", "Zstd", "ZstdTar",
];

/// Most members that are named, and the longest name.
const MEMBERS: usize = 5_000;
const NAME_LIMIT: usize = 1_000;

/// Members, sizes, and what packages say of themselves.
pub(crate) struct Archive;

impl Summarizer for Archive {
    fn name(&self) -> &'static str {
        concat!("archive ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        let body = leaf.body;
        // The bytes tell more than the name. But some zip archives begin with a program, and old tar archives have
        // no mark.
        let format = headers::recognize(body).or_else(|| match leaf.kind.name() {
            "Zip" | "JavaArchive" => Some(Format::Zip),
            "Tar" if tar::is_header(body) => Some(Format::Tar),
            "Uuencoded" => Some(Format::Uuencoded),
            "ShellArchive" => Some(Format::Shell),
            _ => None,
        });
        let Some(format) = format else {
            return Err(Refusal::Cannot(format!("no form of {} that is known", leaf.kind.name())));
        };
        draft.add("Format", format.name());
        match format {
            Format::Zip => zip::write(body, leaf.url, &mut draft)?,
            Format::Tar => tar::write(body, leaf.url, &mut draft),
            Format::Gzip => streams::gzip(body, leaf.url, &mut draft),
            Format::Xz => streams::xz(body, &mut draft),
            Format::Zstd => streams::zstd(body, &mut draft),
            Format::Lzma => streams::lzma(body, &mut draft),
            Format::Lzip => streams::lzip(body, &mut draft),
            Format::SevenZip => lists::seven_zip(body, &mut draft),
            Format::Rar => rar::write(body, &mut draft),
            Format::Ar => lists::ar(body, leaf.url, &mut draft),
            Format::Cpio => lists::cpio(body, &mut draft),
            Format::Cabinet => lists::cabinet(body, &mut draft),
            Format::Rpm => rpm::write(body, &mut draft),
            Format::Iso => lists::iso(body, &mut draft),
            Format::Uuencoded => lists::uuencoded(body, &mut draft),
            Format::Shell => lists::shell(body, &mut draft),
            Format::Named(_) => {}
        }
        if leaf.cut {
            draft.complain("the archive breaks off");
        }
        Ok(draft)
    }
}

/// The members of a container.
#[derive(Default)]
struct Members {
    names: Vec<String>,
    count: usize,
    size: u64,
}

impl Members {
    fn add(&mut self, name: &[u8], size: u64) {
        self.count += 1;
        self.size = self.size.saturating_add(size);
        if self.names.len() < MEMBERS {
            let name = String::from_utf8_lossy(&name[..name.len().min(NAME_LIMIT)]);
            self.names.push(name.replace(['\n', '\r'], " "));
        }
    }

    fn write(&self, draft: &mut Draft) {
        draft.add("Members", &self.names.join("\n"));
        draft.add("Member-Count", &self.count.to_string());
        if self.size > 0 {
            draft.add("Unpacked-Size", &self.size.to_string());
        }
        if self.count > MEMBERS {
            draft.complain(format!("only {MEMBERS} of {} members are named", self.count));
        }
    }
}

/// A number of little end in as many bytes as the array has; none beyond the end.
fn little(body: &[u8], place: usize, length: usize) -> Option<u64> {
    let bytes = body.get(place..place.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Seconds since 1970 as a date, if they are plausible.
fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0);
    let time = time.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map(|time| time.to_string()).unwrap_or_default()
}
