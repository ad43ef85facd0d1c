//! Names in FTP are bytes; commands and the lines of listings are text here.

use crate::listing::Entry;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use suppaftp::Encoding;
use suppaftp::list::ListParser;

/// Bytes outside ASCII stand as private characters from here on: unlike those of Latin-1, none of them is a space.
const PRIVATE: u32 = 0xF700;

/// Carries names to the server and back without a change, whatever charset they are in.
#[derive(Debug)]
pub(super) struct AsBytes;

impl Encoding for AsBytes {
    fn decode(&self, bytes: &[u8]) -> String {
        to_text(bytes)
    }

    fn encode(&self, text: &str) -> std::io::Result<Vec<u8>> {
        Ok(to_bytes(text))
    }
}

pub(super) fn to_text(bytes: &[u8]) -> String {
    let private =
        |byte: u8| char::from_u32(PRIVATE + u32::from(byte)).expect("the private characters have no gap here");
    bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { private(*byte) }).collect()
}

fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        let byte = u32::from(character).checked_sub(PRIVATE).and_then(|byte| u8::try_from(byte).ok());
        match byte.filter(|byte| !byte.is_ascii()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// How a listing is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Dialect {
    /// For machines, by `MLSD`.
    Facts,
    /// For people, by `LIST`: as Unix or DOS would show it.
    Columns,
}

/// What a listing names. Lines that cannot be read are passed over: some are headings.
pub(super) fn entries(listing: &[u8], dialect: Dialect) -> Vec<Entry> {
    let read = |line: &[u8]| {
        let line = to_text(line.strip_suffix(b"\r").unwrap_or(line));
        let (name, is_directory) = match dialect {
            Dialect::Facts => by_facts(&line),
            Dialect::Columns => by_columns(&line),
        }?;
        // A name with a slash would lead out of the directory.
        let is_name = !name.is_empty() && !name.contains(['/', '\0']);
        is_name.then(|| Entry { name: OsString::from_vec(to_bytes(&name)), is_directory })
    };
    listing.split(|byte| *byte == b'\n').filter_map(read).collect()
}

/// `type=dir;modify=20240102030405; name`. Links are no directories until they have been asked for.
fn by_facts(line: &str) -> Option<(String, bool)> {
    let (facts, name) = line.split_once(' ')?;
    let mut facts = facts.split(';').filter_map(|fact| fact.split_once('='));
    let kind = facts.find(|(fact, _)| fact.eq_ignore_ascii_case("type")).map(|(_, kind)| kind.to_ascii_lowercase());
    match kind.as_deref() {
        Some("cdir" | "pdir") => None,
        kind => Some((name.to_owned(), kind == Some("dir"))),
    }
}

fn by_columns(line: &str) -> Option<(String, bool)> {
    let file = ListParser::parse_posix(line).or_else(|_| ListParser::parse_dos(line)).ok()?;
    Some((file.name().to_owned(), file.is_directory()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialect: Dialect, listing: &[u8], expected: &[(&[u8], bool)]) {
        let entry = |(name, is_directory): &(&[u8], bool)| Entry {
            name: OsString::from_vec(name.to_vec()),
            is_directory: *is_directory,
        };
        let expected: Vec<_> = expected.iter().map(entry).collect();
        assert_eq!(entries(listing, dialect), expected, "{}", String::from_utf8_lossy(listing));
    }

    #[test]
    fn facts_are_read_whatever_the_name() {
        let all =
            b"type=cdir; /pub\r\nTYPE=pdir; ..\r\nType=Dir;Modify=20240102030405; sub\r\ntype=file;size=3; a b; c\r\n";
        check(Dialect::Facts, all, &[(b"sub", true), (b"a b; c", false)]);
        check(Dialect::Facts, b"type=OS.unix=slink:/x; link\n", &[(b"link", false)]);
        check(
            Dialect::Facts,
            b"type=file; caf\xe9\r\ntype=file; voil\xc3\xa0\n",
            &[(b"caf\xe9", false), (b"voil\xc3\xa0", false)],
        );
        check(Dialect::Facts, b" bare\r\n\r\nnonsense\r\ntype=file; a/../b\r\ntype=file; ", &[(b"bare", false)]);
    }

    #[test]
    fn columns_are_read_as_unix_and_dos_write_them() {
        let unix = b"total 4\r\ndrwxr-xr-x 2 ftp ftp 4096 Jan  2  2024 sub\r\n\
            -rw-r--r-- 1 ftp ftp 12 Mar 14 09:26 a b.txt\r\n\
            lrwxrwxrwx 1 0 0 3 Jan  2  2024 link -> sub\r\n-rw-r--r-- 1 ftp ftp 1 Jan  2  2024 voil\xc3\xa0\r\n";
        check(
            Dialect::Columns,
            unix,
            &[(b"sub", true), (b"a b.txt", false), (b"link", false), (b"voil\xc3\xa0", false)],
        );
        let dos = b"01-02-24  03:04PM       <DIR>          sub\r\n01-02-24  03:04PM                 12 a b.txt\r\n";
        check(Dialect::Columns, dos, &[(b"sub", true), (b"a b.txt", false)]);
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(to_bytes(&to_text(&all)), all);
        assert_eq!(to_bytes("m\u{fc}ller"), b"m\xc3\xbcller", "text of our own is sent as UTF-8");
    }
}
