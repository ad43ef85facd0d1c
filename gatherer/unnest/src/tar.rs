//! Tar archives: the old form, ustar, and the extensions of GNU and POSIX for long names.
//!
//! The blocks are read here, only the fields of a header by the library: so an archive can be unpacked as it comes out
//! of its compression, and no extension takes more memory than it may.

use crate::budget::{Whole, read_all};
use crate::names::{decoded, shown};
use crate::outlet::{Found, Outlet};
use crate::{Budget, Trouble};
use gatherer_pipeline::{Kind, UnixTime};
use std::io::{self, Read};
use tar::{EntryType, Header};

/// Everything in a tar archive takes a multiple of this.
pub(crate) const BLOCK: usize = 512;
/// Most bytes of an extension: long names and POSIX attributes of one member.
const EXTENSION_LIMIT: u64 = 1024 * 1024;

/// Whether the first block is a header, or the end mark of an empty archive.
pub(crate) fn is_tar(body: &[u8]) -> bool {
    body.get(..BLOCK).is_some_and(|block| is_end(block) || has_good_checksum(Header::from_byte_slice(block)))
}

fn is_end(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

fn has_good_checksum(header: &Header) -> bool {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let bytes = header.as_bytes();
    // The field itself counts as if it were blank.
    let around = sum(bytes.get(..148).unwrap_or_default()) + sum(bytes.get(156..).unwrap_or_default());
    header.cksum().is_ok_and(|stated| stated == around + 8 * u32::from(b' '))
}

/// Opens an archive that lies there as it is.
pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let budget = outlet.budget;
    Archive { kind, reader: &mut &*body, outlet, pays: Some(budget) }.open()
}

/// Opens an archive out of a reader that counts its bytes itself.
pub(crate) fn open_paid(kind: &Kind, reader: &mut dyn Read, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    Archive { kind, reader, outlet, pays: None }.open()
}

/// What extension headers say of the member that follows them.
#[derive(Default)]
struct Extensions {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<u64>,
    is_sparse: bool,
}

struct Archive<'a, 'o, 'r> {
    kind: &'a Kind,
    reader: &'r mut dyn Read,
    outlet: &'a mut Outlet<'o>,
    /// Who is to count the bytes of members, unless the reader does.
    pays: Option<&'o Budget>,
}

impl Archive<'_, '_, '_> {
    fn open(mut self) -> Result<(), Trouble> {
        let mut extensions = Extensions::default();
        let mut is_first = true;
        while let Some(header) = self.next_header()? {
            if !has_good_checksum(&header) {
                let wrong = Trouble::WrongKind(self.kind.clone());
                return Err(if is_first { wrong } else { Trouble::damaged("the checksum of a header is wrong") });
            }
            is_first = false;
            let size = header.entry_size()?;
            match header.entry_type() {
                EntryType::GNULongName => extensions.name = Some(without_end(self.extension(size)?)),
                EntryType::GNULongLink => extensions.link = Some(without_end(self.extension(size)?)),
                EntryType::XHeader => extensions.read(&self.extension(size)?),
                EntryType::XGlobalHeader => drop(self.extension(size)?),
                _ => self.member(&header, size, std::mem::take(&mut extensions))?,
            }
        }
        Ok(())
    }

    /// The next header; nothing at the end mark.
    fn next_header(&mut self) -> Result<Option<Header>, Trouble> {
        let mut header = Header::new_old();
        match self.reader.read_exact(header.as_mut_bytes()) {
            Ok(()) => Ok((!is_end(header.as_bytes())).then_some(header)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(Trouble::damaged("it ends without its end mark"))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn extension(&mut self, size: u64) -> Result<Vec<u8>, Trouble> {
        if size > EXTENSION_LIMIT {
            return Err(Trouble::damaged(format!("a header has an extension of {size} bytes")));
        }
        let mut body = Vec::new();
        read_all(&mut Read::by_ref(&mut self.reader).take(size), &mut body)?;
        if (body.len() as u64) < size {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.skip(padding(size))?;
        Ok(body)
    }

    fn member(&mut self, header: &Header, size: u64, extensions: Extensions) -> Result<(), Trouble> {
        let size = extensions.size.unwrap_or(size);
        let name = decoded(&extensions.name.unwrap_or_else(|| header.path_bytes().into_owned()));
        let link = extensions.link.or_else(|| header.link_name_bytes().map(std::borrow::Cow::into_owned));
        let link = decoded(&link.unwrap_or_default());
        let reason = match header.entry_type() {
            EntryType::Directory => return self.skip_member(size),
            EntryType::Symlink => format!("symbolic link to {}", shown(&link)),
            EntryType::Link => format!("hard link to {}", shown(&link)),
            EntryType::Char | EntryType::Block => "device".to_owned(),
            EntryType::Fifo => "named pipe".to_owned(),
            EntryType::GNUSparse => return self.sparse(header, &name, size),
            EntryType::Regular | EntryType::Continuous if extensions.is_sparse => "sparse file".to_owned(),
            // A label of the tape.
            other if other.as_byte() == b'V' => return self.skip_member(size),
            // Archives before ustar tell directories by their names only.
            EntryType::Regular if size == 0 && name.ends_with('/') => return Ok(()),
            EntryType::Regular | EntryType::Continuous => {
                let seconds = extensions.modified.or_else(|| header.mtime().ok()).filter(|seconds| *seconds > 0);
                return self.file(Found { modified: seconds.map(UnixTime), ..Found::named(name) }, size);
            }
            _ => "neither a file nor a directory".to_owned(),
        };
        self.outlet.lose(&name, reason)?;
        self.skip_member(size)
    }

    fn file(&mut self, found: Found, size: u64) -> Result<(), Trouble> {
        let mut body = Whole { inner: &mut *self.reader, left: size };
        match self.pays {
            Some(_) => self.outlet.unpack(found, &mut body)?,
            None => self.outlet.unpack_paid(found, &mut body)?,
        }
        self.skip(padding(size))
    }

    /// The old form of files with holes. Their maps may go on in blocks of their own, which the size does not count.
    fn sparse(&mut self, header: &Header, name: &str, size: u64) -> Result<(), Trouble> {
        self.outlet.lose(name, "sparse file")?;
        let mut goes_on = header.as_gnu().is_some_and(tar::GnuHeader::is_extended);
        while goes_on {
            let mut map = [0; BLOCK];
            self.reader.read_exact(&mut map)?;
            goes_on = map[504] == 1;
        }
        self.skip_member(size)
    }

    fn skip_member(&mut self, size: u64) -> Result<(), Trouble> {
        self.skip(size)?;
        self.skip(padding(size))
    }

    fn skip(&mut self, size: u64) -> Result<(), Trouble> {
        io::copy(&mut Whole { inner: &mut *self.reader, left: size }, &mut io::sink())?;
        Ok(())
    }
}

fn padding(size: u64) -> u64 {
    let block = BLOCK as u64;
    (block - size % block) % block
}

fn without_end(mut name: Vec<u8>) -> Vec<u8> {
    name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
    name
}

impl Extensions {
    /// Reads records of the form `length key=value`, each ended by a new line. A bad record ends them.
    fn read(&mut self, mut records: &[u8]) {
        while let Some((key, value, rest)) = next_record(records) {
            let text = || std::str::from_utf8(value).ok();
            match key {
                b"path" => self.name = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"size" => self.size = text().and_then(|text| text.parse().ok()),
                b"mtime" => self.modified = text().and_then(|text| text.split('.').next()?.parse().ok()),
                _ if key.starts_with(b"GNU.sparse.") => {
                    self.is_sparse = true;
                    if key == b"GNU.sparse.name" {
                        self.name = Some(value.to_vec());
                    }
                }
                _ => {}
            }
            records = rest;
        }
    }
}

type Record<'a> = (&'a [u8], &'a [u8], &'a [u8]);

fn next_record(records: &[u8]) -> Option<Record<'_>> {
    let space = records.iter().take(20).position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(records.get(..space)?).ok()?.parse().ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((record.get(..equals)?, record.get(equals + 1..)?, records.get(length..)?))
}
