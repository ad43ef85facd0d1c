//! A site: files, and the paths that misbehave.

use include_dir::{Dir, DirEntry};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Without a path: its file and its special behaviour.
    #[must_use]
    pub fn without(mut self, path: &str) -> Self {
        self.files.remove(path);
        self.pages.remove(path);
        self
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

    /// A site from a folder on disk, with its `site.toml` if there is one.
    ///
    /// # Errors
    /// When a file cannot be read or `site.toml` is not right.
    pub fn read(name: &str, folder: &Path) -> io::Result<Self> {
        let mut site = Self::new(name);
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in next.read_dir()? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let body = std::fs::read(&path)?;
                match path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().as_ref() {
                    "site.toml" => site.take_pages(&String::from_utf8_lossy(&body)).map_err(io::Error::other)?,
                    path => drop(site.files.insert(format!("/{path}"), body)),
                }
            }
        }
        Ok(site)
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
                        let pages = self.take_pages(file.contents_utf8().unwrap_or_default());
                        pages.expect("the bundled site.toml is right, as a test shows");
                    } else {
                        self.files.insert(path, file.contents().to_vec());
                    }
                }
            }
        }
    }

    fn take_pages(&mut self, text: &str) -> Result<(), toml::de::Error> {
        let pages: Pages = toml::from_str(text)?;
        self.pages.extend(pages.page.into_iter().map(|page| (page.path.clone(), page)));
        Ok(())
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
