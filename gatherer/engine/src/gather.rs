//! One candidate down the whole line.

use crate::desk::Drafted;
use crate::{Engine, Root};
use gatherer_pipeline::{
    Admission, Candidate, Departure, Failure, Fate, Fetched, Folded, Known, Outcome, Prepared, Recognized, Step, Stop,
    Summary, Times, Unchanged, Validators, events,
};
use gatherer_prepare::canonical_url;
use gatherer_store::{Limits, Offer, Record, Run, Ticket, Visit, Work};
use std::time::Duration;
use url::Url;

/// A visit that is over.
pub(crate) struct Visited {
    /// Whose queue may go on now,
    pub(crate) host: String,
    /// after this pause.
    pub(crate) delay: Duration,
    /// The place in the queue that was given up.
    pub(crate) ticket: Ticket,
    /// Hosts that got something new to do.
    pub(crate) woken: Vec<String>,
    /// Whether there is something new to fold.
    pub(crate) to_fold: bool,
}

impl Engine {
    /// Takes one candidate down the whole line. The comments read as one sentence.
    async fn gather(&self, run: &Run, work: &Work) -> Step<(Folded, Vec<String>)> {
        let prepared = self.prepare(&work.candidate).await?; // A candidate in scope and allowed by its site
        let fetched = self.fetch(prepared).await?; // is brought in, unless it is unchanged,
        let recognized = self.recognize(fetched)?; // known by its kind,
        let drafted = self.summarize(recognized).await?; // reduced to attributes,
        let (summary, leaf) = self.post_summarize(drafted)?; // corrected by the operator's rules,
        self.put_down(run, work, &summary, &leaf) // and put down for the fold with all that it refers to.
    }

    /// Visits a candidate and writes down how it ended. The only place that tells departures from failures.
    pub(crate) async fn visit(&self, run: &Run, work: Work) -> Result<Visited, Failure> {
        let mut to_fold = true;
        let woken = match self.gather(run, &work).await {
            Ok((folded, woken)) => {
                events::stored(&folded);
                woken
            }
            Err(Stop::Left(departure)) => {
                to_fold = matches!(departure, Departure::Unchanged(_));
                self.write_down(run, &work, departure)?
            }
            Err(Stop::Broken(failure)) => return Err(failure),
        };
        let host = gatherer_pipeline::host_name(work.candidate.url()).to_owned();
        let delay = self.delay(&work.candidate);
        Ok(Visited { host, delay, ticket: work.ticket, woken, to_fold })
    }

    async fn prepare(&self, candidate: &Candidate) -> Step<Prepared> {
        let root = self.root(candidate)?;
        let scope = root.scope.admit(candidate)?;
        let limit = self.settings.fetching.redirect_limit;
        if candidate.hops() > limit {
            let reason = format!("more than {limit} redirects in a row led here");
            return Err(Departure::Redirect { reason }.into());
        }
        let before = self.desk.before_fetch(candidate.url());
        if let Some(vote) = before.first() {
            self.desk.select(&vote.kind)?;
        }
        let robots = self.robots_of(candidate.url(), root.node.delay).await?.judge(candidate.url())?;
        let entry = self.store.entry(candidate.url())?;
        let known = entry.map(|entry| Known { validators: entry.validators, md5: entry.md5 }).unwrap_or_default();
        Ok(Prepared::new(candidate.clone(), Admission { scope, robots }, known))
    }

    async fn fetch(&self, prepared: Prepared) -> Step<Fetched> {
        let delay = self.delay(prepared.candidate());
        let known = prepared.known().md5;
        let fetched = self.fetcher.fetch(prepared, delay).await?;
        self.progress.add_bytes(fetched.body.len());
        if known == Some(fetched.md5()) {
            return Err(Departure::Unchanged(Unchanged::EqualDigest).into());
        }
        Ok(fetched)
    }

    fn recognize(&self, fetched: Fetched) -> Step<Recognized> {
        let recognized = self.desk.recognize(fetched);
        self.desk.select(recognized.kind())?;
        Ok(recognized)
    }

    async fn summarize(&self, leaf: Recognized) -> Step<Drafted> {
        let desk = self.desk.clone();
        let work = tokio::task::spawn_blocking(move || desk.draft(leaf));
        work.await.map_err(|error| Failure::new("a summarizing thread ended", error).into())
    }

    fn post_summarize(&self, drafted: Drafted) -> Step<(Summary, Drafted)> {
        let times = self.root(drafted.leaf.fetched.prepared.candidate())?.times();
        Ok((self.desk.correct(&drafted, times)?, drafted))
    }

    /// One batch: record, fate, new candidates, the place in the queue given up.
    fn put_down(&self, run: &Run, work: &Work, summary: &Summary, made: &Drafted) -> Step<(Folded, Vec<String>)> {
        let candidate = &work.candidate;
        let fetched = &made.leaf.fetched;
        let outcome = Outcome::Stored {
            kind: summary.kind().to_string(),
            votes: made.leaf.votes().iter().map(ToString::to_string).collect(),
            summarizer: made.by.clone(),
        };
        let references = summary.references().iter().map(|reference| candidate.child(reference.url.clone()));
        let found = if candidate.follow() { self.judge_found(references) } else { Vec::new() };
        self.progress.count(candidate, &outcome);
        let visit = Visit {
            candidate,
            fate: Fate { at: fetched.at, run: run.number, outcome },
            times: summary.times,
            validators: fetched.validators.clone(),
            md5: Some(summary.md5()),
            record: Some(Record::new(summary, candidate.root())),
            found,
        };
        let (woken, taken) = self.finish(run, work, visit)?;
        Ok((Folded { url: summary.url().clone(), kind: summary.kind().clone(), found: taken }, woken))
    }

    /// One batch: fate, where a redirect leads, the place in the queue given up.
    fn write_down(&self, run: &Run, work: &Work, departure: Departure) -> Result<Vec<String>, Failure> {
        let candidate = &work.candidate;
        events::left(candidate, &departure);
        let target = match &departure {
            Departure::Moved { to, .. } => Url::parse(to).ok().map(|to| candidate.moved(to)),
            _ => None,
        };
        let outcome = Outcome::Left(departure);
        let at = self.clock.now();
        self.progress.count(candidate, &outcome);
        let visit = Visit {
            candidate,
            fate: Fate { at, run: run.number, outcome },
            times: self.roots.get(candidate.root()).map_or(NO_ROOT, Root::times),
            validators: Validators::default(),
            md5: None,
            record: None,
            found: self.judge_found(target.into_iter()),
        };
        Ok(self.finish(run, work, visit)?.0)
    }

    fn finish(&self, run: &Run, work: &Work, visit: Visit<'_>) -> Result<(Vec<String>, usize), Failure> {
        let found: Vec<_> = visit.found.iter().map(|(candidate, _)| candidate.clone()).collect();
        let offers = self.store.finish(run, &work.ticket, visit, self.patience())?;
        Ok(self.note_offers(&found, &offers))
    }

    /// Counts what became of candidates offered; gives the hosts that have something new to do.
    pub(crate) fn note_offers(&self, found: &[Candidate], offers: &[Offer]) -> (Vec<String>, usize) {
        let (mut woken, mut taken) = (Vec::new(), 0);
        for (candidate, offer) in found.iter().zip(offers) {
            match offer {
                Offer::Taken => {
                    taken += 1;
                    woken.push(gatherer_pipeline::host_name(candidate.url()).to_owned());
                }
                Offer::Full(departure) => self.progress.refuse(candidate, departure),
                Offer::InHand | Offer::NotDue(_) => {}
            }
        }
        self.progress.add_queued(taken);
        woken.dedup();
        (woken, taken)
    }

    /// Brings candidates into their one form and leaves out what is not in scope.
    pub(crate) fn judge_found(&self, found: impl Iterator<Item = Candidate>) -> Vec<(Candidate, Limits)> {
        let mut judged = Vec::new();
        for candidate in found {
            let candidate = candidate.at(canonical_url(candidate.url().clone()).url);
            let verdict = self.root(&candidate).and_then(|root| root.scope.admit(&candidate).map(|_| root));
            match verdict {
                Ok(root) => judged.push((candidate.clone(), root.limits(&candidate))),
                Err(departure) => self.progress.refuse(&candidate, &departure),
            }
        }
        judged
    }

    pub(crate) fn root(&self, candidate: &Candidate) -> Result<&Root, Departure> {
        let root = candidate.root();
        self.roots.get(root).ok_or_else(|| Departure::RootGone { root: root.to_owned() })
    }

    /// The pause between requests to a candidate's host: the operator's or the site's own, whichever is longer.
    fn delay(&self, candidate: &Candidate) -> Duration {
        let own = self.roots.get(candidate.root()).map_or(Duration::ZERO, |root| root.node.delay);
        own.max(self.robots.delay(candidate.url()))
    }
}

/// For what belongs to no root node any more.
const NO_ROOT: Times = Times { refresh_rate: Duration::from_hours(24), time_to_live: Duration::from_hours(24) };
