//! Documents that are ZIP archives of XML parts: their parts, one by one, within limits.
//!
//! An archive whose directory is lost, because the file was cut or damaged, is read by the headers of its entries, as
//! far as they go.

use super::xml::{Token, Xml};
use encoding_rs::UTF_8;
use flate2::bufread::DeflateDecoder;
use gatherer_pipeline::Draft;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Most bytes unpacked of one package. What is read twice counts twice.
const UNPACKED: u64 = 128 << 20;
/// Most bytes of one part.
const PART: u64 = 64 << 20;
/// How many times its packed size a part may become; small parts may do more.
const RATIO: u64 = 200;
const SMALL: u64 = 1 << 20;
/// Most complaints kept.
const COMPLAINTS: usize = 20;

/// Where the bytes of an entry are, if the directory is lost.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    packed: usize,
    is_deflated: bool,
}

#[derive(Debug)]
enum Entries<'a> {
    Listed(ZipArchive<Cursor<&'a [u8]>>),
    Found(Vec<Place>),
}

/// A package open for reading.
#[derive(Debug)]
pub(crate) struct Package<'a> {
    body: &'a [u8],
    entries: Entries<'a>,
    /// Names without regard to case, as office suites take them.
    names: HashMap<String, usize>,
    left: u64,
    complaints: Vec<String>,
    is_encrypted: bool,
}

impl<'a> Package<'a> {
    /// Opens a package; none if there is no ZIP archive in these bytes.
    pub(crate) fn open(body: &'a [u8]) -> Option<Self> {
        let mut package = Self {
            body,
            entries: Entries::Found(Vec::new()),
            names: HashMap::new(),
            left: UNPACKED,
            complaints: Vec::new(),
            is_encrypted: false,
        };
        match ZipArchive::new(Cursor::new(body)) {
            Ok(archive) => {
                for index in 0..archive.len() {
                    if let Some(Ok(name)) = archive.name_for_index(index) {
                        package.names.entry(key(&name)).or_insert(index);
                    }
                }
                package.entries = Entries::Listed(archive);
            }
            Err(_) => package.salvage(),
        }
        (!package.names.is_empty()).then_some(package)
    }

    /// The names of all parts, in lower case, in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains_key(&key(name))
    }

    /// Whether a part was asked for that needs a password.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// The bytes of a part, as many as can be had.
    pub(crate) fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let index = *self.names.get(&key(name))?;
        let left = self.left;
        let (bytes, complaint) = match &mut self.entries {
            Entries::Listed(archive) => match archive.by_index(index) {
                Ok(entry) => {
                    let packed = entry.compressed_size();
                    unpacked(entry, packed, left)
                }
                Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                    self.is_encrypted = true;
                    return None;
                }
                Err(error) => (Vec::new(), Some(error.to_string())),
            },
            Entries::Found(places) => {
                let Place { start, packed, is_deflated } = *places.get(index)?;
                let bytes = self.body.get(start..start.saturating_add(packed).min(self.body.len()))?;
                let size = bytes.len() as u64;
                if is_deflated { unpacked(DeflateDecoder::new(bytes), size, left) } else { unpacked(bytes, size, left) }
            }
        };
        self.left = self.left.saturating_sub(bytes.len() as u64);
        if let Some(complaint) = complaint {
            self.complain(format!("{name}: {complaint}"));
        }
        Some(bytes)
    }

    /// The text of a part. XML is UTF-8, or else begins with a mark of its byte order.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let bytes = self.read(name)?;
        Some(UTF_8.decode(&bytes).0.into_owned())
    }

    /// Shows the XML of a part, token by token, until there is no more or `take` says no. False if there is no such
    /// part.
    pub(crate) fn visit(&mut self, name: &str, mut take: impl FnMut(Token<'_>) -> bool) -> bool {
        let Some(text) = self.text(name) else { return false };
        let mut xml = Xml::new(&text);
        for token in xml.by_ref() {
            if !take(token) {
                return true;
            }
        }
        if let Some(complaint) = xml.complaint() {
            self.complain(format!("{name}: {complaint}"));
        }
        true
    }

    pub(crate) fn complain(&mut self, complaint: impl Into<String>) {
        if self.complaints.len() < COMPLAINTS {
            self.complaints.push(complaint.into());
        }
    }

    /// Tells what could not be read.
    pub(crate) fn write_complaints(self, draft: &mut Draft) {
        for complaint in self.complaints {
            draft.complain(complaint);
        }
    }

    /// Finds entries by their own headers.
    fn salvage(&mut self) {
        let mut places = Vec::new();
        let mut at = 0;
        while let Some((name, place)) = self.header(at) {
            at = place.start.saturating_add(place.packed);
            if at > self.body.len() {
                self.complain(format!("the archive breaks off in {name}"));
            }
            self.names.entry(key(&name)).or_insert(places.len());
            places.push(place);
            // Some writers put the size behind the content.
            at += descriptor(self.body.get(at..).unwrap_or_default());
        }
        if self.complaints.is_empty() {
            self.complain("the directory of the archive is lost");
        }
        self.entries = Entries::Found(places);
    }

    /// The entry whose header stands here.
    fn header(&mut self, at: usize) -> Option<(String, Place)> {
        let header = self.body.get(at..at.checked_add(30)?)?;
        let number = |place: usize| u16::from_le_bytes([header[place], header[place + 1]]);
        let long = |place: usize| usize::from(number(place)) | usize::from(number(place + 2)) << 16;
        if !header.starts_with(b"PK\x03\x04") || number(6) & 1 == 1 || !matches!(number(8), 0 | 8) {
            return None;
        }
        let name = at + 30;
        let start = name + usize::from(number(26)) + usize::from(number(28));
        let name = self.body.get(name..name + usize::from(number(26)))?;
        let name = String::from_utf8_lossy(name).into_owned();
        let is_deflated = number(8) == 8;
        let packed = match long(18) {
            0 if number(6) & 8 != 0 && is_deflated => self.deflated(start),
            packed => packed,
        };
        Some((name, Place { start, packed, is_deflated }))
    }

    /// How many bytes the content takes that begins here and says itself where it ends.
    fn deflated(&mut self, start: usize) -> usize {
        let rest = self.body.get(start..).unwrap_or_default();
        let mut content = DeflateDecoder::new(rest);
        let limit = self.left.min(PART);
        let copied = std::io::copy(&mut content.by_ref().take(limit), &mut std::io::sink());
        let Ok(copied) = copied else { return usize::MAX };
        self.left = self.left.saturating_sub(copied);
        if copied < limit { usize::try_from(content.total_in()).unwrap_or(usize::MAX) } else { usize::MAX }
    }
}

/// The length of the sizes behind an entry, if they are here.
fn descriptor(rest: &[u8]) -> usize {
    match rest {
        [b'P', b'K', 7, 8, ..] => 16,
        _ => 0,
    }
}

/// The name without regard to case and to a slash in front.
fn key(name: &str) -> String {
    name.trim_start_matches('/').replace('\\', "/").to_lowercase()
}

/// What comes out, and what is wrong with it.
fn unpacked(mut content: impl Read, packed: u64, left: u64) -> (Vec<u8>, Option<String>) {
    let limit = packed.saturating_mul(RATIO).clamp(SMALL, PART).min(left);
    let mut bytes = Vec::new();
    let complaint = match content.by_ref().take(limit).read_to_end(&mut bytes) {
        Err(error) => Some(format!("read in part: {error}")),
        Ok(_) if bytes.len() as u64 == limit && has_more(content) => Some(format!("cut at {limit} bytes")),
        Ok(_) => None,
    };
    (bytes, complaint)
}

fn has_more(mut content: impl Read) -> bool {
    matches!(content.read(&mut [0]), Ok(1))
}
