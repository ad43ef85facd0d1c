//! Records made anew from kept bodies, after a rule, a table or a summarizer has changed. Nobody is asked for anything.

use crate::gather::Learnt;
use crate::{Engine, Stop};
use gatherer_pipeline::{Admission, Entry, Failure, Kind, Known, Prepared};
use gatherer_store::{Run, Work};
use std::sync::Arc;

/// So many entries are looked at together.
const CHUNK: usize = 100;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resummarized {
    /// Records made anew.
    pub made: u64,
    /// Resources that today's rules, or the page itself, leave without a record; the next visit settles that.
    pub left: u64,
    /// Records that wait for the next visit, because nothing was kept of their resource.
    pub waiting: u64,
    /// Deletions that the brake held back.
    pub held: u64,
}

/// Which records are made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Only {
    /// Those that were made otherwise than they would be made now.
    #[default]
    Changed,
    /// Those that lack an abstract, or have one by a parser as it was before.
    Abstracts,
}

impl Engine {
    /// Makes all records anew that were made otherwise than they would be made now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn resummarize(self: &Arc<Self>, only: Only) -> Result<Resummarized, Failure> {
        let (run, is_resumed) = self.store.begin_run(self.clock.now())?;
        let (mut done, mut place) = (Resummarized::default(), Vec::new());
        loop {
            // What cannot be told now is not changed now.
            let is_current = |entry: &Entry| match only {
                Only::Changed => self.is_up_to_date(entry).unwrap_or(true),
                Only::Abstracts => self.has_its_abstract(entry).unwrap_or(true),
            };
            let entries = self.store.made_otherwise(is_current, &mut place, CHUNK)?;
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                self.make_anew(&run, entry, &mut done).await?;
            }
            self.fold(true).await?;
        }
        let held = self.delete_under_brake(None).await?;
        done.held = held.iter().map(|held| held.deletions).sum();
        // A run that was cut short is still to be gone on with.
        if !is_resumed {
            self.store.end_run()?;
        }
        self.note_parsers()?;
        Ok(done)
    }

    /// Whether a record has the abstract that its parser would make now, or needs none. While a parser is away, all have.
    fn has_its_abstract(&self, entry: &Entry) -> Result<bool, Failure> {
        let Some(record) = self.store.view().record(entry.record_url())? else { return Ok(true) };
        let kind = Kind::new(record.head.kind.clone());
        let Some(Ok(fingerprint)) = self.desk().abstracts.fingerprint(&kind, &record.head.root) else {
            return Ok(true);
        };
        let object = record.object();
        let made = object.text(crate::ABSTRACT_ATTRIBUTE);
        let is_by_it = made.is_some_and(|xml| xml.contains(&format!("fingerprint=\"{fingerprint}\"")));
        // One that says nothing has no abstract, and was made as it would be made today.
        Ok(is_by_it || (object.get(crate::ABSTRACT_ATTRIBUTE).is_none() && self.is_up_to_date(entry)?))
    }

    async fn make_anew(self: &Arc<Self>, run: &Run, entry: Entry, done: &mut Resummarized) -> Result<(), Failure> {
        let Some(body) = self.store.body(&entry.url)? else {
            done.waiting += 1;
            return Ok(());
        };
        let admission = Admission { scope: "its body was kept".to_owned(), robots: "not asked".to_owned() };
        let prepared = Prepared::new(entry.candidate(), admission, Known::default());
        // The record is no younger for being made anew, and lives no longer.
        let fetched = body.fetched(prepared, entry.last_success());
        // Kept before its resource changed, while keeping was switched off meanwhile.
        if entry.md5 != Some(fetched.md5()) {
            done.waiting += 1;
            return Ok(());
        }
        let work = Work { ticket: Vec::new(), candidate: entry.candidate() };
        let mut learnt = Learnt::default();
        learnt.is_remake = true;
        let made = async {
            let recognized = self.recognize(fetched, &mut learnt).await?;
            let worked = self.summarize(recognized).await?;
            let judged = self.judge(worked, &mut learnt)?;
            self.put_down(run, &work, judged, &learnt)
        };
        match made.await {
            Ok(_) => done.made += 1,
            Err(Stop::Left(_) | Stop::Later { .. }) => done.left += 1,
            Err(Stop::Broken(failure)) => return Err(failure),
        }
        Ok(())
    }
}
