//! Compiled components on disk, so that a start does not compile them again.
//!
//! A file is named after what is in it: the component's bytes, the release of the engine, and all settings that code depends
//! on. It is written beside its place and then moved there, so two processes that race write the same file twice and nobody
//! reads half of one. What nobody has used for a month is removed.
#![expect(unsafe_code, reason = "machine code cannot be loaded otherwise")]

use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, FileTimes, Metadata};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wasmtime::Engine;
use wasmtime::component::Component;

/// What was not used for so long is removed.
const OLD: Duration = Duration::from_hours(30 * 24);
/// Endings of what we write, so that we remove nothing else.
const ENDING: &str = "component";

/// A directory that only we can write to.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// A cache in this directory, which is made if it is missing.
    ///
    /// # Errors
    /// When it cannot be made, or when others can write to it: what lies there is run.
    pub(crate) fn open(directory: &Path) -> Result<Self, String> {
        let shown = directory.display();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| format!("cannot make {shown}: {error}"))?;
        let metadata = fs::metadata(directory).map_err(|error| format!("cannot look at {shown}: {error}"))?;
        if !is_ours(&metadata) {
            return Err(format!(
                "others can write to {shown}, so compiled plugins are not kept there: `chmod go-w {shown}`, or set plugins.cache"
            ));
        }
        let cache = Self { directory: directory.to_owned() };
        // What cannot be removed now is removed some other time.
        let _ = cache.clean();
        Ok(cache)
    }

    /// Where a file of this content is to lie: its place in the cache, for what is not compiled.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Puts a file into its place, unless it is there.
    pub(crate) fn put(&self, name: &str, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let place = self.place(name);
        if fs::metadata(&place).is_ok_and(|known| known.len() == bytes.len() as u64 && is_ours(&known)) {
            touch(&place);
            return Ok(place);
        }
        let mut file = tempfile::Builder::new().suffix(".part").tempfile_in(&self.directory)?;
        file.write_all(bytes)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        file.persist(&place)?;
        Ok(place)
    }

    /// The compiled form of a component with this digest: from disk, else compiled and put there. A cache that does not work costs time only.
    pub(super) fn get(
        &self,
        engine: &Engine,
        digest: &str,
        compile: impl FnOnce() -> Result<Component, String>,
    ) -> Result<Component, String> {
        let name = format!("{}.{ENDING}", key(engine, digest));
        if let Some(component) = self.read(engine, &name) {
            return Ok(component);
        }
        let component = compile()?;
        if let Ok(code) = component.serialize() {
            let sum = crc32fast::hash(&code).to_le_bytes();
            let content = [code.as_slice(), &sum].concat();
            // The next start compiles it again.
            let _ = self.put(&name, &content, 0o600);
        }
        Ok(component)
    }

    fn read(&self, engine: &Engine, name: &str) -> Option<Component> {
        let place = self.place(name);
        // Looked at and read through one descriptor: what somebody else has put there is not run.
        let file = File::open(&place).ok()?;
        if !is_ours(&file.metadata().ok()?) {
            return None;
        }
        if !is_whole(&file).ok()? {
            // Damaged; it is written anew.
            let _ = fs::remove_file(&place);
            return None;
        }
        touch(&place);
        let same = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: the file was written by `get` from what the engine had serialized, is whole by its sum, and lies in a
        // directory that nobody else can write to; nobody changes it in its place. The engine itself checks that release and
        // settings are its own.
        unsafe { Component::deserialize_file(engine, same) }.ok()
    }

    fn clean(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let path = entry.path();
            let is_written_here = path.extension().is_some_and(|end| end == ENDING || end == "part" || end == "so");
            let age = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
            if is_written_here && age > OLD {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Whether nobody but us can write to it.
fn is_ours(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

/// Whether a file ends with the sum of what is before it.
fn is_whole(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len().saturating_sub(4);
    let (mut code, mut hasher) = (file.take(length), crc32fast::Hasher::new());
    let mut buffer = vec![0; 64 << 10];
    loop {
        match code.read(&mut buffer)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    let (mut file, mut sum) = (file, [0; 4]);
    file.read_exact(&mut sum)?;
    Ok(hasher.finalize() == u32::from_le_bytes(sum))
}

/// Notes that it was used.
#[expect(clippy::disallowed_methods, reason = "the age of files is told by the system's clock")]
fn touch(path: &Path) {
    if let Ok(file) = File::open(path) {
        // Then it looks older than it is, and may be removed too early.
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }
}

/// Content, release and settings, as one name.
fn key(engine: &Engine, component: &str) -> String {
    /// Takes what is hashed as it comes.
    struct Into<'a>(&'a mut Sha256);
    impl Hasher for Into<'_> {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }

        fn finish(&self) -> u64 {
            0
        }
    }
    let mut digest = Sha256::new();
    digest.update(component);
    engine.precompile_compatibility_hash().hash(&mut Into(&mut digest));
    hexadecimal(&digest.finalize())
}

/// Bytes as people write them.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
