//! What can go wrong with a store, by what the operator can do about it.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store cannot be used. The second line of each text is the next step.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has it.
    #[error(
        "the store at {path} is in use by another process\nstop that gatherer, or give this one a data-directory of its own"
    )]
    InUse {
        /// Where.
        path: PathBuf,
    },
    /// There is none, and the caller only wants to read.
    #[error("there is no store at {path}\n`gatherer run` makes one")]
    Absent {
        /// Where.
        path: PathBuf,
    },
    /// The directory cannot be made, read or written.
    #[error("cannot open the store at {path}\ncheck that the directory can be written and that the disk is not full")]
    Unusable {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Files are damaged.
    #[error(
        "the store at {path} is damaged: {what}\nput a backup in its place (`gatherer store restore`); or keep a copy of the directory and save what can be saved (`gatherer store repair`)"
    )]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Written by a newer release.
    #[error(
        "the store at {path} has format {found}, this release knows up to {known}\nuse the newer gatherer that wrote it"
    )]
    Newer {
        /// Where.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Written before the first release.
    #[error(
        "the store at {path} has format {found}, which was never released; this release writes {known}\nremove the directory, or name another data-directory, and gather anew"
    )]
    Older {
        /// Where.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Its files cannot be held still while another process may be using it.
    #[error(
        "cannot hold the store at {path} still to look at it\nrun this as the user that the gatherer runs as, on a file system with hard links"
    )]
    Unholdable {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A copy of it cannot be made.
    #[error("cannot copy the store to {path}\ncheck that it can be written and that the disk is not full")]
    Copying {
        /// Where to.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing was done, because something would be lost, or is not there.
    #[error("{reason}")]
    Refused {
        /// Why, and the next step on a second line.
        reason: String,
    },
    /// Reading or writing failed while it was open.
    #[error("the store at {path} failed: {source}\ncheck the disk; what was written before is safe")]
    Failed {
        /// Where.
        path: PathBuf,
        /// What RocksDB said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    pub(crate) fn too_many_files(path: &Path) -> Self {
        let reason = format!(
            "the store at {} needs more files open at once than this system allows\nraise the limit: `ulimit -n 4096` in a shell, `LimitNOFILE=4096` in a systemd unit; what was written before is safe",
            path.display()
        );
        Self::Refused { reason }
    }

    /// The same of the store that was held for a look.
    pub(crate) fn at(self, held: &Path, shown: &Path) -> Self {
        let path = shown.to_owned();
        match self {
            Self::Damaged { what, .. } => {
                let what = what.replace(&held.display().to_string(), &shown.display().to_string());
                Self::Damaged { path, what }
            }
            Self::Unusable { source, .. } => Self::Unusable { path, source },
            Self::Failed { source, .. } => Self::Failed { path, source },
            Self::Newer { found, known, .. } => Self::Newer { path, found, known },
            Self::Older { found, known, .. } => Self::Older { path, found, known },
            other => other,
        }
    }
}

impl From<StoreError> for gatherer_pipeline::Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error.to_string(), error)
    }
}

impl From<StoreError> for gatherer_pipeline::Stop {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}
