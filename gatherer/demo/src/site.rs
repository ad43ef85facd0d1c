//! A site: files, and the paths that misbehave.

use include_dir::{Dir, DirEntry};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Special behaviour of one path.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Page {
    /// The path, from `/` on.
    pub path: String,
    /// Status of the answer, 200 if not set.
    pub status: Option<u16>,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// Type claimed instead of the one by file name.
    pub content_type: Option<String>,
    /// File that the body comes from instead of the path's own.
    pub file: Option<String>,
    /// The connection is closed in the middle of the body.
    #[serde(default)]
    pub cut: bool,
    /// `{{visit}}` in the body counts the requests.
    #[serde(default)]
    pub changes: bool,
}

/// A set of files served under one address.
#[derive(Debug, Clone, Default)]
pub struct Site {
    pub(crate) name: String,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) pages: BTreeMap<String, Page>,
    pub(crate) validators: bool,
}

#[derive(Deserialize)]
struct Pages {
    #[serde(default)]
    page: Vec<Page>,
}

impl Site {
    /// An empty site, which answers conditional requests.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), validators: true, ..Self::default() }
    }

    /// With a file; `/` is `/index.html`.
    #[must_use]
    pub fn with(mut self, path: &str, body: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), body.into());
        self
    }

    /// With special behaviour of a path.
    #[must_use]
    pub fn with_page(mut self, page: Page) -> Self {
        self.pages.insert(page.path.clone(), page);
        self
    }

    /// Without `ETag` and `If-None-Match`: only the digest tells whether something changed.
    #[must_use]
    pub fn without_validators(mut self) -> Self {
        self.validators = false;
        self
    }

    pub(crate) fn from_folder(folder: &Dir<'_>) -> Self {
        let name = folder.path().to_string_lossy().into_owned();
        // One site remembers nothing of its visitors, as many real ones.
        let mut site = Self { validators: name != "inselhof", ..Self::new(name) };
        site.take(folder, folder);
        site
    }

    fn take(&mut self, top: &Dir<'_>, folder: &Dir<'_>) {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(below) => self.take(top, below),
                DirEntry::File(file) => {
                    let path = file.path().strip_prefix(top.path()).unwrap_or(file.path());
                    let path = format!("/{}", path.to_string_lossy());
                    if path == "/site.toml" {
                        self.take_pages(file.contents_utf8().unwrap_or_default());
                    } else {
                        self.files.insert(path, file.contents().to_vec());
                    }
                }
            }
        }
    }

    fn take_pages(&mut self, text: &str) {
        let pages: Pages = toml::from_str(text).expect("the bundled site.toml is right, as a test shows");
        self.pages.extend(pages.page.into_iter().map(|page| (page.path.clone(), page)));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bundled_sites_are_whole() {
        let sites = crate::bundled();
        let names: Vec<_> = sites.iter().map(|site| site.name.as_str()).collect();
        assert_eq!(names, ["harbour", "inselhof", "library"]);
        for site in &sites {
            assert!(site.files.contains_key("/index.html"), "{}", site.name);
            for page in site.pages.values() {
                let file = page.file.as_ref().map_or(page.path.clone(), |file| format!("/{file}"));
                assert!(page.location.is_some() || site.files.contains_key(&file), "{} has {file}", site.name);
            }
        }
    }
}
