//! What lies on the web and on this machine as well is read here instead of asked for there.

use crate::listing::decoded;
use crate::{Answer, file};
use gatherer_pipeline::Validators;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use url::Url;

/// A part of the web and the directory that holds the same files: Harvest's `Local-Mapping`. The record keeps the web
/// address; where there is no plain file to read, the web is asked as ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalMapping {
    prefix: String,
    directory: PathBuf,
}

impl LocalMapping {
    /// URLs that begin with `prefix` lie below `directory`.
    pub fn new(prefix: &Url, directory: impl Into<PathBuf>) -> Self {
        Self { prefix: prefix.as_str().to_owned(), directory: directory.into() }
    }

    /// The file in the place of a URL. There is none for what the web server would compute rather than read (a query, a
    /// file that can be executed), and none outside the directory, whatever dots or links lead there.
    fn local_path(&self, url: &Url) -> Option<PathBuf> {
        if url.query().is_some() {
            return None;
        }
        let rest = url[..url::Position::AfterPath].strip_prefix(&self.prefix)?;
        let below = PathBuf::from(OsString::from_vec(decoded(rest.trim_start_matches('/'))));
        // What begins with a dot is hidden by web servers, too.
        let is_open =
            |step: Component<'_>| matches!(step, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
        if !below.components().all(is_open) || rest.ends_with('/') {
            return None;
        }
        let directory = self.directory.canonicalize().ok()?;
        let real = directory.join(below).canonicalize().ok()?;
        (real.starts_with(directory) && is_plain(&real)).then_some(real)
    }
}

/// Whether a file of this machine stands in for a URL.
pub(crate) fn has(mappings: &[LocalMapping], url: &Url) -> bool {
    mappings.iter().any(|mapping| mapping.local_path(url).is_some())
}

/// The answer that a file of this machine gives in the place of the web, if one does: the first mapping that has it.
pub(crate) fn get(mappings: &[LocalMapping], url: &Url, known: &Validators, limit: usize) -> Option<Answer> {
    let path = mappings.iter().find_map(|mapping| mapping.local_path(url))?;
    file::read(&path, &path.metadata().ok()?, known, limit).ok()
}

/// A regular file that can be read and not executed. Its kind is asked first: to open a pipe is to wait for its writer.
fn is_plain(path: &Path) -> bool {
    let is_data = |metadata: std::fs::Metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 == 0;
    path.metadata().is_ok_and(is_data) && File::open(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::symlink;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a literal URL")
    }

    /// `web/` is mapped; `outside` lies beside it.
    fn place() -> (tempfile::TempDir, Vec<LocalMapping>) {
        let place = tempfile::tempdir().expect("a directory");
        let web = place.path().join("web");
        std::fs::create_dir_all(web.join("sub")).expect("a directory");
        for name in ["web/a b.txt", "web/sub/c.html", "web/run.cgi", "outside"] {
            std::fs::write(place.path().join(name), name).expect("a file");
        }
        std::fs::set_permissions(web.join("run.cgi"), Permissions::from_mode(0o744)).expect("an owned file");
        symlink(place.path().join("outside"), web.join("way-out")).expect("a link");
        symlink(web.join("sub/c.html"), web.join("way-in")).expect("a link");
        let nowhere = LocalMapping::new(&url("http://example.org/"), place.path().join("nothing"));
        let mapping = LocalMapping::new(&url("http://example.org/~ann"), web);
        (place, vec![nowhere, mapping])
    }

    #[test]
    fn only_plain_files_below_the_directory_stand_for_the_web() {
        let (_place, mappings) = place();
        let check = |asked: &str, expected: Option<&str>| {
            let found = get(&mappings, &url(asked), &Validators::default(), 100);
            let found = found.map(|answer| String::from_utf8(answer.body).expect("UTF-8"));
            assert_eq!(found.as_deref(), expected, "{asked}");
        };
        check("http://example.org/~ann/a%20b.txt", Some("web/a b.txt"));
        check("http://example.org/~ann/sub/c.html#part", Some("web/sub/c.html"));
        check("http://example.org/~ann/way-in", Some("web/sub/c.html"));
        check("http://example.org/~ann/sub/c.html?page=2", None);
        check("http://example.org/~ann/run.cgi", None);
        check("http://example.org/~ann/sub", None);
        check("http://example.org/~ann/sub/", None);
        check("http://example.org/~ann/sub/c.html/", None);
        check("http://example.org/~ann/nothing", None);
        check("http://example.org/~ann/way-out", None);
        check("http://example.org/~ann/..%2Foutside", None);
        check("http://example.org/~ann/sub%2F..%2F..%2Foutside", None);
        check("http://example.org/~ann//etc/passwd", None);
        check("http://example.org/~ann/a%00b", None);
        check("http://example.org/~ann", None);
        check("http://example.org:8080/~ann/a%20b.txt", None);
        check("https://example.org/~ann/a%20b.txt", None);
    }

    #[test]
    fn a_prefix_without_a_path_is_the_whole_host_and_no_other() {
        let place = tempfile::tempdir().expect("a directory");
        std::fs::write(place.path().join(".evil"), "x").expect("a file");
        let mapping = LocalMapping::new(&url("http://example.org"), place.path());
        assert!(mapping.local_path(&url("http://example.org/.evil")).is_none());
        assert_eq!(mapping.local_path(&url("http://example.org.evil")), None);
    }

    #[test]
    fn an_unchanged_file_is_not_read_again() {
        let (_place, mappings) = place();
        let asked = url("http://example.org/~ann/a%20b.txt");
        let first = get(&mappings, &asked, &Validators::default(), 5).expect("an answer");
        assert_eq!((first.status, first.body.as_slice(), first.cut_from), (200, &b"web/a"[..], Some(11)));
        assert!(first.modified.is_some());
        let again = get(&mappings, &asked, &first.validators, 5).expect("an answer");
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
}
