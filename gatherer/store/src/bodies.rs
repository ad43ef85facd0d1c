//! What was fetched, kept for the day when it is to be summarized anew.

use crate::disk::Family;
use crate::{Store, StoreError, keys};
use gatherer_pipeline::{Entry, Fetched, Prepared, Role, UnixTime, Validators};
use serde::{Deserialize, Serialize};
use url::Url;

/// A body with all that came with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptBody {
    content_type: Option<String>,
    robots_tag: String,
    canonical: Option<String>,
    validators: Validators,
    modified: Option<UnixTime>,
    cut_from: Option<u64>,
    at: UnixTime,
    #[serde(with = "serde_bytes")]
    body: Vec<u8>,
}

impl KeptBody {
    /// What is kept of an answer.
    pub fn new(fetched: &Fetched) -> Self {
        Self {
            content_type: fetched.content_type.clone(),
            robots_tag: fetched.robots_tag.clone(),
            canonical: fetched.canonical.clone(),
            validators: fetched.validators.clone(),
            modified: fetched.modified,
            cut_from: fetched.cut_from,
            at: fetched.at,
            body: fetched.body.clone(),
        }
    }

    /// The answer, as if it came only now; but it is as old as its last visit.
    pub fn fetched(self, prepared: Prepared, last_visit: Option<UnixTime>) -> Fetched {
        Fetched {
            prepared,
            content_type: self.content_type,
            body: self.body,
            cut_from: self.cut_from,
            robots_tag: self.robots_tag,
            canonical: self.canonical,
            validators: self.validators,
            modified: self.modified,
            at: last_visit.unwrap_or(self.at),
            packed: None,
        }
    }
}

impl Store {
    /// What was fetched at the last visit, if it was kept.
    ///
    /// # Errors
    /// When the store fails.
    pub fn body(&self, url: &Url) -> Result<Option<KeptBody>, StoreError> {
        self.disk.get(Family::Bodies, &keys::url_key(url))
    }

    /// Whether what was fetched at the last visit was kept.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keeps_body(&self, url: &Url) -> Result<bool, StoreError> {
        self.disk.has(Family::Bodies, &keys::url_key(url))
    }

    /// Up to `most` resources whose record was made otherwise than it would be now, and that wait in no queue. `place`
    /// is where the last call ended; begin with an empty one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn made_otherwise(
        &self,
        is_current: impl Fn(&Entry) -> bool,
        place: &mut Vec<u8>,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        for pair in self.disk.scan(Family::Fates, place, &[]) {
            let (key, value) = pair?;
            // The next look begins behind this one.
            *place = [&*key, b"\0"].concat();
            let entry: Entry = self.disk.decode(Family::Fates, &value)?;
            let is_document = matches!(entry.role, Role::Page | Role::Leaf);
            if is_document && entry.expires.is_some() && !entry.queued && !is_current(&entry) {
                entries.push(entry);
            }
            if entries.len() == most {
                break;
            }
        }
        Ok(entries)
    }
}
