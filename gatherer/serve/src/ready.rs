//! Ready-made transfers, as Harvest kept its `All-Templates.gz`: what one broker got in full is kept in a file, and sent as it
//! is to the next one, for as long as nothing is folded.
//!
//! A file is a run of pieces, each behind its length: every piece ends with a whole record, so a transfer from a file can be
//! cut where any other can.

use crate::cursor::Cursor;
use crate::pieces::{Flow, Source};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

/// Where they are kept.
pub(crate) struct ReadyMade {
    folder: Option<PathBuf>,
    /// Most bytes of one.
    limit: u64,
    /// Those that are being written.
    begun: Mutex<Vec<PathBuf>>,
}

/// A piece is never longer: a record has its limits.
const LONGEST: u32 = 1 << 30;

impl ReadyMade {
    /// Keeps them in this folder; what is there already is of another time.
    pub(crate) fn new(folder: Option<&Path>, limit: u64) -> Self {
        let made = folder.filter(|folder| fs::create_dir_all(folder).is_ok());
        made.into_iter().for_each(|folder| clear(folder, None));
        Self { folder: made.map(Path::to_owned), limit, begun: Mutex::default() }
    }

    /// The transfer up to this place, if it is there, and how many objects are in it.
    pub(crate) fn find(&self, end: Cursor, packed: bool) -> Option<(FromFile, u64)> {
        let start = name(end, packed);
        let entries = fs::read_dir(self.folder.as_deref()?).ok()?.flatten();
        entries.into_iter().find_map(|entry| {
            let count = entry.file_name().to_str()?.strip_prefix(&start)?.strip_suffix(".transfer")?.parse().ok()?;
            Some((FromFile(BufReader::with_capacity(512 << 10, File::open(entry.path()).ok()?)), count))
        })
    }

    /// Begins to keep a transfer, unless somebody does already.
    pub(crate) fn begin(&self, end: Cursor, packed: bool) -> Option<Keeping<'_>> {
        let path = self.folder.as_deref()?.join(name(end, packed));
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.contains(&path) {
            return None;
        }
        let file = File::create(path.with_extension("part")).ok()?;
        begun.push(path.clone());
        Some(Keeping { ready: self, file, path, size: 0, failed: false })
    }
}

fn name(end: Cursor, packed: bool) -> String {
    format!("{end}-{}-", if packed { "packed" } else { "plain" })
}

/// Removes all files but those up to this place.
fn clear(folder: &Path, end: Option<&str>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_ours = path.extension().is_some_and(|ending| ending == "transfer" || ending == "part");
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_ours && end.is_none_or(|end| !name.starts_with(end)) {
            // What cannot be removed now is tried again the next time.
            let _ = fs::remove_file(&path);
        }
    }
}

/// A transfer that is being kept. One that does not come to its end leaves nothing behind.
pub(crate) struct Keeping<'a> {
    ready: &'a ReadyMade,
    file: File,
    path: PathBuf,
    size: u64,
    failed: bool,
}

impl Keeping<'_> {
    pub(crate) fn add(&mut self, piece: &[u8]) {
        let Ok(length) = u32::try_from(piece.len()) else { return self.failed = true };
        self.size += u64::from(length) + 4;
        self.failed |= self.size > self.ready.limit;
        if !self.failed {
            let written = self.file.write_all(&length.to_be_bytes()).and_then(|()| self.file.write_all(piece));
            self.failed = written.is_err();
        }
    }

    /// All has come.
    pub(crate) fn finish(self, end: Cursor, count: u64) {
        if self.failed {
            return;
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!("{count}.transfer"));
        let kept = fs::rename(self.path.with_extension("part"), PathBuf::from(name));
        if let (Ok(()), Some(folder)) = (kept, &self.ready.folder) {
            clear(folder, Some(&end.to_string()));
        }
    }
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.path.with_extension("part"));
        self.ready.begun.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.path);
    }
}

/// A transfer out of a file.
pub(crate) struct FromFile(BufReader<File>);

impl Source for FromFile {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow> {
        let mut length = [0; 4];
        match self.0.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Flow::Done),
            other => other?,
        }
        let length = u32::from_be_bytes(length);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let start = out.len();
        out.resize(start + length as usize, 0);
        self.0.read_exact(&mut out[start..])?;
        Ok(Flow::More)
    }
}
