//! A resource brought in.

use crate::{Kind, Prepared, UnixTime};
use md5::{Digest, Md5 as Hasher};
use serde::{Deserialize, Serialize};
use std::fmt;
use url::Url;

/// MD5 over a resource's data. Tells change from no change; not meant to resist an attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Md5(pub [u8; 16]);

impl Md5 {
    /// The digest of `data`.
    pub fn of(data: &[u8]) -> Self {
        Self(Hasher::digest(data).into())
    }
}

impl fmt::Display for Md5 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What the server wants to hear at the next visit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The `ETag` header, as it came.
    pub etag: Option<String>,
    /// The `Last-Modified` header, as it came.
    pub last_modified: Option<String>,
}

/// A resource whose body is here, whole or knowingly cut.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The proof that it was allowed to be fetched.
    pub prepared: Prepared,
    /// The media type and charset the server claims.
    pub content_type: Option<String>,
    /// The bytes.
    pub body: Vec<u8>,
    /// Size of the whole resource if the body was cut at the limit: the claimed one; one more than what is here if nobody
    /// has said it.
    pub cut_from: Option<u64>,
    /// `X-Robots-Tag` headers, one a line.
    pub robots_tag: String,
    /// The address that the server itself calls the right one; it may be relative.
    pub canonical: Option<String>,
    /// For the next conditional request.
    pub validators: Validators,
    /// When the resource last changed, if the server says.
    pub modified: Option<UnixTime>,
    /// When the answer was complete.
    pub at: UnixTime,
    /// What was fetched, if the body is what was unpacked from it.
    pub packed: Option<Packed>,
}

/// What a body was unpacked from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The digest of what was fetched,
    pub md5: Md5,
    /// its bytes,
    pub length: u64,
    /// and what it was.
    pub kind: Kind,
}

impl Fetched {
    /// Where it is. Redirects lead to candidates of their own, so this is where it was asked for.
    pub fn url(&self) -> &Url {
        self.prepared.candidate().url()
    }

    /// The digest to compare with the last visit's.
    pub fn md5(&self) -> Md5 {
        self.packed.as_ref().map_or_else(|| Md5::of(&self.body), |packed| packed.md5)
    }

    /// The same resource, with what was packed inside of its body.
    #[must_use]
    pub fn unpacked(self, kind: &Kind, body: Vec<u8>) -> Self {
        let (md5, length) = (self.md5(), self.length());
        // The outermost counts.
        let packed = self.packed.unwrap_or_else(|| Packed { md5, length, kind: kind.clone() });
        Self { packed: Some(packed), content_type: None, body, ..self }
    }

    /// Bytes that were fetched.
    pub fn length(&self) -> u64 {
        self.packed.as_ref().map_or(self.body.len() as u64, |packed| packed.length)
    }

    /// Size of the resource in bytes, if it is known: of a body that was cut only who sent it can have said it.
    pub fn known_size(&self) -> Option<u64> {
        match self.cut_from {
            Some(size) if size <= self.length() + 1 => None,
            Some(size) => Some(size),
            None => Some(self.length()),
        }
    }

    /// Size of the resource in bytes; the least that it can be if it is not known.
    pub fn size(&self) -> u64 {
        self.cut_from.unwrap_or_else(|| self.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_prints_as_harvest_writes_it() {
        assert_eq!(Md5::of(b"").to_string(), "d41d8cd98f00b204e9800998ecf8427e");
    }
}
