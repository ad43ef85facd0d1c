//! Records made anew from kept bodies, after a rule, a table or a summarizer has changed. Nobody is asked for anything.

use crate::gather::Learnt;
use crate::{Engine, Stop};
use gatherer_pipeline::{Admission, Departure, Entry, Failure, Kind, Known, Prepared};
use gatherer_store::{Run, Work};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many entries are looked at together.
const CHUNK: usize = 100;

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resummarized {
    /// Records made anew.
    pub made: u64,
    /// Resources that today's rules, or the page itself, leave without a record; the next visit settles that.
    pub left: u64,
    /// Records that wait for the next visit, because nothing was kept of their resource.
    pub waiting: u64,
    /// Deletions that the brake held back.
    pub held: u64,
    /// Records without the abstract that they are due for, by parser.
    pub lacking: BTreeMap<String, Lacking>,
}

/// Records that a parser owes their abstracts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lacking {
    /// How many.
    pub records: u64,
    /// Why the last of them has none.
    pub why: String,
}

impl Resummarized {
    fn note_lacking(&mut self, parser: String, records: u64, why: String) {
        let lacking = self.lacking.entry(parser).or_default();
        lacking.records += records;
        lacking.why = why;
    }
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

/// What the parsers say of themselves now: fingerprints, or why they are away.
type Roll = BTreeMap<String, Result<String, String>>;

/// How a record stands to its parser.
enum Standing {
    /// It has what the parser would make now, or needs nothing of it; what cannot be told counts as that.
    Good,
    /// It is to be made anew.
    Due,
    /// It has none, and this parser, which would make it, is away.
    Lacking(String, String),
}

impl Engine {
    /// Makes all records anew that were made otherwise than they would be made now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn resummarize(self: &Arc<Self>, only: Only) -> Result<Resummarized, Failure> {
        let (run, is_resumed) = self.store.begin_run(self.clock.now())?;
        let (mut done, mut place) = (Resummarized::default(), Vec::new());
        let roll = if only == Only::Abstracts { self.desk().abstracts.fingerprints() } else { Roll::new() };
        loop {
            let entries = self.not_current(only, &roll, &mut place, &mut done)?;
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
        for (parser, report) in self.desk().abstracts.reports().into_iter().filter(|(_, report)| report.later > 0) {
            done.note_lacking(parser, report.later, report.trouble.unwrap_or_default());
        }
        self.note_parsers()?;
        Ok(done)
    }

    /// The next entries whose records are to be made anew.
    fn not_current(
        &self,
        only: Only,
        roll: &Roll,
        place: &mut Vec<u8>,
        done: &mut Resummarized,
    ) -> Result<Vec<Entry>, Failure> {
        let lacking = RefCell::new(Vec::new());
        // What cannot be told now is not changed now.
        let is_current = |entry: &Entry| match only {
            Only::Changed => self.is_up_to_date(entry).unwrap_or(true),
            Only::Abstracts => match self.standing(entry, roll).unwrap_or(Standing::Good) {
                Standing::Good => true,
                Standing::Due => false,
                Standing::Lacking(parser, why) => {
                    lacking.borrow_mut().push((parser, why));
                    true
                }
            },
        };
        let entries = self.store.made_otherwise(is_current, place, CHUNK)?;
        lacking.into_inner().into_iter().for_each(|(parser, why)| done.note_lacking(parser, 1, why));
        Ok(entries)
    }

    /// Whether a record has the abstract that its parser would make now. One that has any is content while that is away.
    fn standing(&self, entry: &Entry, roll: &Roll) -> Result<Standing, Failure> {
        let Some(record) = self.store.view().record(entry.record_url())? else { return Ok(Standing::Good) };
        let (kind, desk) = (Kind::new(record.head.kind.clone()), self.desk());
        let Some(parser) = desk.abstracts.name_of(&kind, &record.head.root) else { return Ok(Standing::Good) };
        let object = record.object();
        let made = object.text(crate::ABSTRACT_ATTRIBUTE);
        let is_good = match (roll.get(parser), made) {
            (Some(Ok(fingerprint)), Some(xml)) => xml.contains(&format!("fingerprint=\"{fingerprint}\"")),
            // One that says nothing has no abstract, and was made as it would be made today.
            (Some(Ok(_)), None) => self.is_up_to_date(entry)?,
            (Some(Err(why)), None) if entry.made_with.is_none() => {
                return Ok(Standing::Lacking(parser.to_owned(), why.clone()));
            }
            _ => true,
        };
        Ok(if is_good { Standing::Good } else { Standing::Due })
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
            // Word for word as it was.
            Err(Stop::Left(Departure::Unchanged(_))) => {}
            Err(Stop::Left(_) | Stop::Later { .. }) => done.left += 1,
            Err(Stop::Broken(failure)) => return Err(failure),
        }
        Ok(())
    }
}
