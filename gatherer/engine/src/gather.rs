//! One candidate down the whole line.

use crate::desk::Drafted;
use crate::{Engine, Root};
use futures_util::FutureExt;
use gatherer_pipeline::{
    Access, Admission, Candidate, Departure, Failure, Fate, Fetched, Folded, Known, Outcome, Prepared, Recognized,
    Step, Stop, Summary, Times, Unchanged, Validators, events, host_name,
};
use gatherer_prepare::canonical_url;
use gatherer_store::{Offer, Record, Run, Terms, Visit, Work};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// A visit that is over.
pub(crate) struct Visited {
    /// Whose queue may go on,
    pub(crate) host: String,
    /// from when on.
    pub(crate) ready: Instant,
    /// Hosts that got something new to do.
    pub(crate) woken: Vec<String>,
    /// Whether there is something new to fold.
    pub(crate) to_fold: bool,
}

/// What a visit has found out on its way, whatever its end.
#[derive(Default)]
struct Learnt {
    /// What the server wants to hear next time.
    validators: Option<Validators>,
    /// Where it leads, although there will be no record.
    references: Vec<Candidate>,
}

impl Engine {
    /// Takes one candidate down the whole line. The comments read as one sentence.
    async fn gather(&self, run: &Run, work: &Work, learnt: &mut Learnt) -> Step<(Folded, Vec<String>)> {
        let prepared = self.prepare(&work.candidate).await?; // A candidate in scope and allowed by its site
        let fetched = self.fetch(prepared, learnt).await?; // is brought in, unless it is unchanged,
        let recognized = self.recognize(fetched)?; // known by its kind,
        let drafted = self.summarize(recognized).await?; // reduced to attributes,
        let (summary, found) = self.post_summarize(&drafted, learnt)?; // corrected by the rules of page and operator,
        self.put_down(run, work, &summary, &drafted, found) // and put down for the fold with all that it refers to.
    }

    /// Visits a candidate and writes down how it ended. The only place that tells departures from failures.
    pub(crate) async fn visit(&self, run: &Run, work: Work) -> Result<Visited, Failure> {
        let mut learnt = Learnt::default();
        let gathered = AssertUnwindSafe(self.gather(run, &work, &mut learnt)).catch_unwind().await;
        let gathered = gathered.unwrap_or_else(|panic| Err(stumbled(&*panic).into()));
        let url = work.candidate.url();
        let mut visited = Visited {
            host: host_name(url).to_owned(),
            ready: self.fetcher.ready_at(url, self.delay(&work.candidate)),
            woken: Vec::new(),
            to_fold: true,
        };
        match gathered {
            Ok((folded, woken)) => {
                events::stored(&folded);
                self.hosts.answered(&visited.host);
                visited.woken = woken;
            }
            Err(Stop::Left(departure)) => {
                visited.to_fold = matches!(departure, Departure::Unchanged(_));
                visited.ready = visited.ready.max(Instant::now() + self.hosts.pause_after(&visited.host, &departure));
                visited.woken = self.write_down(run, &work, departure, learnt)?;
            }
            Err(Stop::Broken(failure)) => return Err(failure),
        }
        Ok(visited)
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
        if Access::of(candidate.url()) == Some(Access::Http) {
            self.hosts.check(host_name(candidate.url()))?;
        }
        let robots = self.robots_of(candidate.url(), root.node.delay).await?.judge(candidate.url())?;
        Ok(Prepared::new(candidate.clone(), Admission { scope, robots }, self.known(candidate.url())?))
    }

    /// What the last visit left, if its record is there and was made as it would be made today.
    fn known(&self, url: &Url) -> Result<Known, Failure> {
        let entry = self.store.entry(url)?.filter(|entry| entry.made_with == Some(self.desk.mark()));
        let Some(entry) = entry.filter(|entry| entry.md5.is_some()) else { return Ok(Known::default()) };
        let has_record = self.store.view().head(url)?.is_some();
        Ok(if has_record { Known { validators: entry.validators, md5: entry.md5 } } else { Known::default() })
    }

    async fn fetch(&self, prepared: Prepared, learnt: &mut Learnt) -> Step<Fetched> {
        let delay = self.delay(prepared.candidate());
        let known = prepared.known().md5;
        let fetched = self.fetcher.fetch(prepared, delay).await?;
        self.progress.add_bytes(fetched.body.len());
        learnt.validators = Some(fetched.validators.clone());
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

    fn post_summarize(&self, drafted: &Drafted, learnt: &mut Learnt) -> Step<(Summary, Vec<Candidate>)> {
        let candidate = drafted.leaf.fetched.prepared.candidate();
        let times = self.root(candidate)?.times();
        let summary = self.desk.correct(drafted, times)?;
        let rules = self.desk.page_rules(drafted);
        let follow = candidate.follow() && rules.follow;
        let references = summary.references().iter().map(|reference| candidate.child(reference.url.clone()));
        let found: Vec<_> = if follow { references.collect() } else { Vec::new() };
        match rules.noindex {
            Some(rule) => {
                learnt.references = found;
                Err(Departure::NoIndex { rule }.into())
            }
            None => Ok((summary, found)),
        }
    }

    /// One batch: record, fate, new candidates, the place in the queue given up.
    fn put_down(
        &self,
        run: &Run,
        work: &Work,
        summary: &Summary,
        made: &Drafted,
        found: Vec<Candidate>,
    ) -> Step<(Folded, Vec<String>)> {
        let candidate = &work.candidate;
        let fetched = &made.leaf.fetched;
        let outcome = Outcome::Stored {
            kind: summary.kind().to_string(),
            votes: made.leaf.votes().iter().map(ToString::to_string).collect(),
            summarizer: made.by.clone(),
        };
        self.progress.count(candidate, &outcome);
        // What a summarizer refused is made anew at the next visit, even if it has not changed.
        let made_with = (!made.refused).then(|| self.desk.mark());
        let visit = Visit {
            candidate,
            fate: Fate { at: fetched.at, run: run.number, outcome },
            times: self.root(candidate)?.times(),
            validators: Some(fetched.validators.clone()),
            record: Some((Record::new(summary, candidate.root()), made_with)),
            found: self.judge_found(found.into_iter()),
        };
        let (woken, taken) = self.finish(run, work, visit)?;
        Ok((Folded { url: summary.url().clone(), kind: summary.kind().clone(), found: taken }, woken))
    }

    /// One batch: fate, where a redirect leads, the place in the queue given up.
    fn write_down(&self, run: &Run, work: &Work, departure: Departure, learnt: Learnt) -> Result<Vec<String>, Failure> {
        let candidate = &work.candidate;
        let (departure, target) = follow_redirect(candidate, departure);
        events::left(candidate, &departure);
        let outcome = Outcome::Left(departure);
        self.progress.count(candidate, &outcome);
        let visit = Visit {
            candidate,
            fate: Fate { at: self.clock.now(), run: run.number, outcome },
            times: self.roots.get(candidate.root()).map_or(NO_ROOT, Root::times),
            validators: learnt.validators,
            record: None,
            found: self.judge_found(learnt.references.into_iter().chain(target)),
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
                    woken.push(host_name(candidate.url()).to_owned());
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
    pub(crate) fn judge_found(&self, found: impl Iterator<Item = Candidate>) -> Vec<(Candidate, Terms)> {
        let mut judged = Vec::new();
        for candidate in found {
            let candidate = candidate.at(canonical_url(candidate.url().clone()).url);
            let verdict = self.root(&candidate).and_then(|root| root.scope.admit(&candidate).map(|_| root));
            match verdict {
                Ok(root) => judged.push((candidate.clone(), root.terms(&candidate))),
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

/// Where a redirect leads, as a candidate; one that leads back to the same resource leads nowhere.
fn follow_redirect(candidate: &Candidate, departure: Departure) -> (Departure, Option<Candidate>) {
    let Departure::Moved { to, .. } = &departure else { return (departure, None) };
    match Url::parse(to).map(|to| canonical_url(to).url) {
        Ok(to) if to == *candidate.url() => (Departure::Redirect { reason: "it leads to itself".to_owned() }, None),
        Ok(to) => (departure, Some(candidate.moved(to))),
        Err(_) => (departure, None),
    }
}

fn stumbled(panic: &(dyn std::any::Any + Send)) -> Departure {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Departure::Stumbled { what: text.unwrap_or("without a message").to_owned() }
}

/// For what belongs to no root node any more.
const NO_ROOT: Times = Times { refresh_rate: Duration::from_hours(24), time_to_live: Duration::from_hours(24) };
