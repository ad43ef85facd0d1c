//! Limits over one document with all that is in it, and what is left of them while it is opened.

use crate::Trouble;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

/// So much may come out of however little: a short text compresses very well without being a bomb.
pub const FREE_OF_RATIO: u64 = 1024 * 1024;

/// Limits over one document with all that is in it, however deep. Set by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often something may be opened that came out of the thing opened before; 0 opens nothing.
    pub depth: u32,
    /// Members of all levels together, those that were lost too.
    pub members: u32,
    /// Bytes unpacked at all levels together. What is unpacked twice, at two levels, counts twice.
    pub bytes: u64,
    /// How many times the document itself may come out of it, once a MiB has.
    pub ratio: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 5, members: 10_000, bytes: 256 * 1024 * 1024, ratio: 200 }
    }
}

/// Which of the limits was reached, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Too deep inside.
    Depth(u32),
    /// Too many members.
    Members(u32),
    /// Too many bytes.
    Bytes(u64),
    /// Too many bytes out of too few.
    Ratio(u32),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(limit) => write!(f, "{limit} levels"),
            Self::Members(limit) => write!(f, "{limit} members"),
            Self::Bytes(limit) => write!(f, "{limit} unpacked bytes"),
            Self::Ratio(limit) => write!(f, "{limit} times the packed size"),
        }
    }
}

/// What is left of the limits while a document is opened; shared over all levels.
///
/// It counts behind a shared reference, so that who is given a member may open it at once with the same budget.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// Most bytes that the ratio allows.
    by_ratio: u64,
    bytes: Cell<u64>,
    members: Cell<u32>,
}

impl Budget {
    /// The whole of the limits, for a document of so many bytes as it was fetched.
    pub fn new(limits: Limits, packed: usize) -> Self {
        let packed = u64::try_from(packed).unwrap_or(u64::MAX);
        let by_ratio = packed.saturating_mul(u64::from(limits.ratio)).max(FREE_OF_RATIO);
        Self { limits, by_ratio, bytes: Cell::new(0), members: Cell::new(0) }
    }

    /// Bytes unpacked so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Members given or lost so far.
    pub fn members(&self) -> u32 {
        self.members.get()
    }

    /// Whether something at this depth (the document itself is at 0) may be opened.
    pub(crate) fn allow_depth(&self, depth: u32) -> Result<(), Trouble> {
        if depth < self.limits.depth { Ok(()) } else { Err(Trouble::Limit(Limit::Depth(self.limits.depth))) }
    }

    /// Counts one more member.
    pub(crate) fn count_member(&self) -> Result<(), Trouble> {
        if self.members.get() >= self.limits.members {
            return Err(Trouble::Limit(Limit::Members(self.limits.members)));
        }
        self.members.set(self.members.get() + 1);
        Ok(())
    }

    /// Counts more unpacked bytes. What does not fit is not counted: it will not be kept either.
    pub(crate) fn spend(&self, count: usize) -> Result<(), Trouble> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let total = self.bytes.get().saturating_add(count);
        if total > self.limits.bytes {
            return Err(Trouble::Limit(Limit::Bytes(self.limits.bytes)));
        }
        if total > self.by_ratio {
            return Err(Trouble::Limit(Limit::Ratio(self.limits.ratio)));
        }
        self.bytes.set(total);
        Ok(())
    }
}

/// A reader whose every byte is paid for. At the limit it fails with the [`Trouble`] inside the error.
pub(crate) struct Metered<'a, R> {
    pub(crate) inner: R,
    pub(crate) budget: &'a Budget,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.budget.spend(count).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// So many bytes, or a failure if there are fewer.
pub(crate) struct Whole<'a> {
    pub(crate) inner: &'a mut dyn Read,
    pub(crate) left: u64,
}

impl Read for Whole<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if most == 0 {
            return Ok(0);
        }
        let count = self.inner.read(buffer.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Reads to the end in small pieces, so that no declared size decides how much memory is taken. What was read before
/// a failure stays in `body`.
pub(crate) fn read_all(reader: &mut dyn Read, body: &mut Vec<u8>) -> io::Result<()> {
    let mut piece = vec![0; 32 * 1024];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => body.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { depth: 2, members: 2, bytes: 3_000_000, ratio: 10 };

    #[test]
    fn limits_are_exact() {
        let budget = Budget::new(LIMITS, 1_000_000);
        assert_eq!(budget.spend(3_000_000), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
        assert_eq!(budget.spend(1), Err(Trouble::Limit(Limit::Bytes(3_000_000))));
        assert_eq!(budget.bytes(), 3_000_000);

        assert_eq!((budget.count_member(), budget.count_member()), (Ok(()), Ok(())));
        assert_eq!(budget.count_member(), Err(Trouble::Limit(Limit::Members(2))));
        assert_eq!(budget.members(), 2);

        assert_eq!((budget.allow_depth(0), budget.allow_depth(1)), (Ok(()), Ok(())));
        assert_eq!(budget.allow_depth(2), Err(Trouble::Limit(Limit::Depth(2))));
    }

    #[test]
    fn the_ratio_counts_only_after_the_first_mebibyte() {
        let budget = Budget::new(LIMITS, 10);
        assert_eq!(budget.spend(1024 * 1024), Ok(()));
        assert_eq!(budget.spend(1), Err(Trouble::Limit(Limit::Ratio(10))));

        let budget = Budget::new(LIMITS, 200_000);
        assert_eq!(budget.spend(2_000_000), Ok(()));
        assert_eq!(budget.spend(1), Err(Trouble::Limit(Limit::Ratio(10))));
    }
}
