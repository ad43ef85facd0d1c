//! Files and directories of this machine, below the directories that the operator named.

use crate::Answer;
use crate::listing::{self, Entry, moved};
use gatherer_pipeline::{Departure, UnixTime, Validators};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use url::Url;

pub(crate) fn get(url: &Url, known: &Validators, limit: usize, directories: &[PathBuf]) -> Result<Answer, Departure> {
    let path = url.to_file_path().map_err(|()| unreadable("the URL names no file of this machine"))?;
    // A directory of the operator's that is not there (a disk not mounted) says nothing about the files in it.
    if directories.iter().any(|directory| path.starts_with(directory) && !directory.exists()) {
        return Err(unreadable("the root node's directory is not there"));
    }
    let real = path.canonicalize().map_err(|error| trouble(&error))?;
    if !directories.iter().any(|directory| is_below(&real, directory)) {
        return Err(Departure::OutOfScope {
            rule: format!("{} lies outside the root node's directory", real.display()),
        });
    }
    let metadata = real.metadata().map_err(|error| trouble(&error))?;
    if metadata.is_dir() {
        // One directory has one address, or links among directories would make endless paths.
        return match own_address(&path, &real, directories) {
            Some(own) if own.path().trim_end_matches('/') != url.path().trim_end_matches('/') => Ok(moved(own)),
            _ => directory(url, &real),
        };
    }
    if !metadata.is_file() {
        return Err(unreadable("it is neither a file nor a directory"));
    }
    read(&real, &metadata, known, limit)
}

/// The address of a directory below the one that the operator named, whatever links led to it.
fn own_address(path: &Path, real: &Path, directories: &[PathBuf]) -> Option<Url> {
    let named = directories.iter().find(|directory| path.starts_with(directory))?;
    let below = real.strip_prefix(named.canonicalize().ok()?).ok()?;
    Url::from_directory_path(named.join(below)).ok()
}

fn is_below(path: &Path, directory: &Path) -> bool {
    directory.canonicalize().is_ok_and(|directory| path.starts_with(directory))
}

/// The file up to the limit, or that it is as it was.
pub(crate) fn read(path: &Path, metadata: &Metadata, known: &Validators, limit: usize) -> Result<Answer, Departure> {
    let modified = metadata.modified().ok();
    let stamp = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let etag = stamp.map(|stamp| format!("\"{}-{}\"", metadata.len(), stamp.as_nanos()));
    let mut answer = Answer::empty(200);
    answer.modified = modified.map(UnixTime::from);
    answer.validators.etag.clone_from(&etag);
    if etag.is_some() && known.etag == etag {
        answer.status = 304;
        return Ok(answer);
    }
    let opened = File::open(path).map_err(|error| trouble(&error))?;
    opened.take(limit as u64 + 1).read_to_end(&mut answer.body).map_err(|error| trouble(&error))?;
    if answer.body.len() > limit {
        answer.body.truncate(limit);
        answer.cut_from = Some(metadata.len().max(limit as u64 + 1));
    }
    Ok(answer)
}

fn directory(url: &Url, path: &Path) -> Result<Answer, Departure> {
    if !url.path().ends_with('/') {
        return Ok(listing::with_slash(url));
    }
    let mut entries = Vec::new();
    for entry in path.read_dir().map_err(|error| trouble(&error))? {
        let entry = entry.map_err(|error| trouble(&error))?;
        entries.push(Entry { name: entry.file_name(), is_directory: entry.path().is_dir() });
    }
    Ok(listing::page(url, entries))
}

fn trouble(error: &std::io::Error) -> Departure {
    match error.kind() {
        std::io::ErrorKind::NotFound => Departure::Missing { status: 404 },
        std::io::ErrorKind::PermissionDenied => Departure::Refused { status: 403 },
        _ => unreadable(&error.to_string()),
    }
}

fn unreadable(why: &str) -> Departure {
    Departure::Unreachable { reason: format!("cannot read the file: {why}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(root: &Path, path: &Path) -> Result<Answer, Departure> {
        let url = Url::from_file_path(path).expect("an absolute path");
        get(&url, &Validators::default(), 10, &[root.to_owned()])
    }

    #[test]
    fn a_file_is_read_up_to_the_limit_and_not_twice() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("a.txt");
        std::fs::write(&path, "twelve bytes").expect("a file");
        let answer = fetch(root.path(), &path).expect("a body");
        assert_eq!((answer.body.as_slice(), answer.cut_from), (&b"twelve byt"[..], Some(12)));
        let url = Url::from_file_path(&path).expect("an absolute path");
        let again = get(&url, &answer.validators, 10, &[root.path().to_owned()]).expect("an answer");
        assert_eq!(again.status, 304);
    }

    #[test]
    fn nothing_outside_the_named_directory_is_read() {
        let (root, other) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        std::fs::write(other.path().join("secret"), "x").expect("a file");
        let link = root.path().join("link");
        std::os::unix::fs::symlink(other.path().join("secret"), &link).expect("a link");
        for path in [other.path().join("secret"), link] {
            assert_eq!(fetch(root.path(), &path).err().map(|departure| departure.code()), Some("out-of-scope"));
        }
        let missing = fetch(root.path(), &root.path().join("nothing")).err();
        assert_eq!(missing.map(|departure| departure.code()), Some("missing"));
    }

    #[test]
    fn links_among_directories_lead_back_to_one_address() {
        let place = tempfile::tempdir().expect("a directory");
        let (real, root) = (place.path().join("real"), place.path().join("root"));
        std::fs::create_dir_all(real.join("sub")).expect("a directory");
        std::os::unix::fs::symlink(&real, &root).expect("a link");
        std::os::unix::fs::symlink(&real, real.join("sub/loop")).expect("a link");
        let ask = |path: &str| {
            let url = Url::from_directory_path(root.join(path)).expect("an absolute path");
            let answer = get(&url, &Validators::default(), 10, std::slice::from_ref(&root)).expect("an answer");
            (answer.status, answer.location)
        };
        assert_eq!(ask("").0, 200);
        assert_eq!(ask("sub").0, 200, "the operator's own directory may be a link");
        let back = Url::from_directory_path(&root).expect("an absolute path");
        assert_eq!(ask("sub/loop"), (301, Some(back.to_string())));
        std::fs::remove_dir_all(&real).expect("a disk that is gone");
        let url = Url::from_directory_path(root.join("sub")).expect("an absolute path");
        let gone = get(&url, &Validators::default(), 10, std::slice::from_ref(&root)).err();
        assert_eq!(gone.map(|departure| departure.code()), Some("unreachable"), "which proves nothing");
    }

    #[test]
    fn a_directory_is_a_page_of_links() {
        let root = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(root.path().join("sub")).expect("a directory");
        for name in ["a b.txt", "50% & \"more\".html", ".hidden"] {
            std::fs::write(root.path().join(name), "x").expect("a file");
        }
        for name in [&b"caf\xe9"[..], b"two\nlines"] {
            let name = std::os::unix::ffi::OsStrExt::from_bytes(name);
            std::fs::write(root.path().join::<&std::ffi::OsStr>(name), "x").expect("a file");
        }
        assert_eq!(fetch(root.path(), root.path()).expect("an answer").status, 301);
        let url = Url::from_directory_path(root.path()).expect("an absolute path");
        let page = get(&url, &Validators::default(), 10, &[root.path().to_owned()]).expect("a page");
        let page = String::from_utf8(page.body).expect("UTF-8");
        assert_eq!(page.matches("<li>").count(), 5, "{page}");
        for link in ["/caf%E9\"", "/two%0Alines\"", "/a%20b.txt\"", "/50%25%20&amp;%20%22more%22.html\"", "/sub/\""] {
            assert!(page.contains(link), "{link} is in {page}");
        }
    }
}
