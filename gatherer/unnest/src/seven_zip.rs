//! 7z archives.
//!
//! Members lie in blocks, and a block is unpacked from its beginning: damage in one loses what follows in the same
//! block, not the other blocks.

use crate::Trouble;
use crate::budget::{Metered, Whole, read_all};
use crate::names::{decoded, shown};
use crate::outlet::{Found, Outlet};
use gatherer_pipeline::{Kind, UnixTime};
use sevenz_rust2::{Archive, ArchiveEntry, Block, BlockDecoder, EncoderMethod, Error, Password};
use std::io::{Cursor, Read};

mod list;

/// The model of the method `PPMd` is taken at once, as large as the archive says.
const MODEL_LIMIT: u32 = 256 * 1024 * 1024;
/// From the first of January 1601, in which its clock begins, to 1970.
const SECONDS_BEFORE_1970: u64 = 134_774 * 86_400;
/// What changes bytes but not their number, so that it may stand before or behind the one method that packs them.
const FILTERS: &[&[u8]] = &[
    EncoderMethod::ID_COPY,
    EncoderMethod::ID_DELTA,
    EncoderMethod::ID_BCJ_X86,
    EncoderMethod::ID_BCJ_ARM,
    EncoderMethod::ID_BCJ_ARM64,
    EncoderMethod::ID_BCJ_ARM_THUMB,
    EncoderMethod::ID_BCJ_PPC,
    EncoderMethod::ID_BCJ_IA64,
    EncoderMethod::ID_BCJ_SPARC,
    EncoderMethod::ID_BCJ_RISCV,
];

pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    list::check(kind, body)?;
    let mut source = Cursor::new(body);
    let password = Password::empty();
    let archive = Archive::read(&mut source, &password).map_err(trouble)?;
    for (index, block) in archive.blocks.iter().enumerate() {
        let decoder = BlockDecoder::new(1, index, &archive, &password, &mut source);
        match why_not(block) {
            // It would only cost time.
            _ if decoder.entries().is_empty() => {}
            Some(reason) => lose_all(decoder.entries(), reason, outlet)?,
            None => unpack_block(decoder, outlet)?,
        }
    }
    // What is empty lies in no block.
    let files = archive.files.iter().zip(&archive.stream_map.file_block_index);
    for (entry, _) in files.filter(|(_, block)| block.is_none()) {
        if is_file(entry) {
            outlet.copy(found(entry), &[])?;
        }
    }
    Ok(())
}

/// Why a block is not even tried.
fn why_not(block: &Block) -> Option<&'static str> {
    let uses = |id: &[u8]| block.coders.iter().find(|coder| coder.encoder_method_id() == id);
    if uses(EncoderMethod::ID_AES256_SHA256).is_some() {
        return Some("encrypted");
    }
    // What is packed twice may unpack to any size in between, which nobody would count.
    let packings = block.coders.iter().filter(|coder| !FILTERS.contains(&coder.encoder_method_id()));
    if packings.count() > 1 {
        return Some("packed by more than one method");
    }
    let model = uses(EncoderMethod::ID_PPMD).and_then(|coder| coder.properties().get(1..5)?.try_into().ok());
    model.is_some_and(|size| u32::from_le_bytes(size) > MODEL_LIMIT).then_some("it takes too much memory to unpack")
}

fn lose_all(entries: &[ArchiveEntry], reason: &str, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    entries.iter().filter(|entry| is_file(entry)).try_for_each(|entry| outlet.lose(&entry.name, reason))
}

fn unpack_block(decoder: BlockDecoder<'_, Cursor<&[u8]>>, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let entries = decoder.entries().to_vec();
    let mut done = 0;
    let mut failure = None;
    let result = decoder.for_each_entries(&mut |entry, reader| {
        done += 1;
        // The decoder does not tell when a block ends too early.
        let mut whole = Whole { inner: reader, left: entry.size };
        failure = member(entry, &mut whole, outlet).err();
        Ok(failure.is_none())
    });
    if let Some(trouble) = failure.take_if(|trouble| trouble.is_limit()) {
        return Err(trouble);
    }
    let reason = match (failure, result) {
        (Some(_), _) => "damaged: what stands before it in its block is damaged".to_owned(),
        (None, Err(error)) => trouble(error).to_string(),
        (None, Ok(_)) => return Ok(()),
    };
    lose_all(entries.get(done..).unwrap_or_default(), &reason, outlet)
}

fn member(entry: &ArchiveEntry, reader: &mut dyn Read, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    if !is_file(entry) {
        return Ok(());
    }
    // The upper half of the attributes is the mode of Unix, if this bit says so.
    let is_unix = entry.has_windows_attributes && entry.windows_attributes & 0x8000 != 0;
    if is_unix && entry.windows_attributes >> 16 & 0o170_000 == 0o120_000 {
        let mut target = Vec::new();
        let result = read_all(&mut Metered { inner: reader, budget: outlet.budget }, &mut target);
        outlet.lose(&entry.name, format!("symbolic link to {}", shown(&decoded(&target))))?;
        return Ok(result?);
    }
    outlet.unpack(found(entry), reader)
}

fn is_file(entry: &ArchiveEntry) -> bool {
    !entry.is_directory && !entry.is_anti_item
}

fn found(entry: &ArchiveEntry) -> Found {
    let seconds = u64::from(entry.last_modified_date) / 10_000_000;
    let modified = seconds.checked_sub(SECONDS_BEFORE_1970).filter(|_| entry.has_last_modified_date);
    Found { modified: modified.map(UnixTime), ..Found::named(&entry.name) }
}

fn trouble(error: Error) -> Trouble {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => Trouble::Encrypted,
        Error::UnsupportedCompressionMethod(method) if method == EncoderMethod::AES256_SHA256.name() => {
            Trouble::Encrypted
        }
        Error::UnsupportedCompressionMethod(method) => Trouble::NoWay(format!("compression method {method}")),
        Error::Unsupported(what) => Trouble::NoWay(what.into_owned()),
        Error::UnsupportedVersion { major, minor } => Trouble::NoWay(format!("version {major}.{minor} of the form")),
        Error::Io(error, _) => error.into(),
        Error::ChecksumVerificationFailed | Error::NextHeaderCrcMismatch => Trouble::damaged("a checksum is wrong"),
        Error::Other(reason) => Trouble::Damaged(reason.into_owned()),
        error => Trouble::Damaged(error.to_string()),
    }
}
