//! Where a broker stands, kept in a file.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Where the next round begins; the default is at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Behind this cursor.
    Cursor(String),
    /// At this Unix time: for daemons that know no cursors.
    Since(u64),
}

impl Default for Place {
    fn default() -> Self {
        Self::Cursor("0".to_owned())
    }
}

impl Place {
    /// Whether everything is collected from here.
    pub fn is_start(&self) -> bool {
        *self == Self::default() || *self == Self::Since(0)
    }
}

/// Why a file with a place is of no use.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// It cannot be read or written.
    #[error("cannot use the cursor file {path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{path} is no cursor file ({reason})\nname another file, or remove this one to collect everything anew")]
    Other {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It is of another gatherer, or of another selection.
    #[error("{path} is for {theirs}, not for {ours}\nname another file, or remove this one to collect everything anew")]
    Elsewhere {
        /// Which.
        path: PathBuf,
        /// What it is for,
        theirs: String,
        /// and what was asked for.
        ours: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Content {
    gatherer: String,
    #[serde(flatten)]
    place: Place,
    /// How long the output was then; what is behind that came of a round that broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<u64>,
}

/// A file that remembers a place. It is replaced as a whole, when everything before the place has been taken.
pub struct PlaceFile {
    path: PathBuf,
    /// What is collected; a place means nothing for anything else.
    of: String,
}

impl PlaceFile {
    /// A file for what is collected, which is said in words.
    pub fn new(path: &Path, of: impl Into<String>) -> Self {
        Self { path: path.to_owned(), of: of.into() }
    }

    /// The place it holds, and how long the output was then; the start if there is no such file.
    ///
    /// # Errors
    /// When it cannot be read or is for something else.
    pub fn read(&self) -> Result<(Place, Option<u64>), PlaceError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Place::default(), None)),
            Err(source) => return Err(PlaceError::File { path: self.path.clone(), source }),
        };
        let other = |error: serde_json::Error| PlaceError::Other { path: self.path.clone(), reason: error.to_string() };
        let content: Content = serde_json::from_str(&text).map_err(other)?;
        if content.gatherer != self.of {
            let (theirs, ours) = (content.gatherer, self.of.clone());
            return Err(PlaceError::Elsewhere { path: self.path.clone(), theirs, ours });
        }
        Ok((content.place, content.written))
    }

    /// Moves it on.
    ///
    /// # Errors
    /// When the file cannot be written; the old one is then still there.
    pub fn write(&self, place: &Place, written: Option<u64>) -> Result<(), PlaceError> {
        self.replace(place, written).map_err(|source| PlaceError::File { path: self.path.clone(), source })
    }

    fn replace(&self, place: &Place, written: Option<u64>) -> io::Result<()> {
        let content = Content { gatherer: self.of.clone(), place: place.clone(), written };
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let mut file = File::create(&new)?;
        writeln!(file, "{}", serde_json::to_string(&content)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }
}
