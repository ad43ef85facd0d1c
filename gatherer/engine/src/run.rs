//! The life of a run: PrepUrls, the visits, the fold. A run that dies anywhere is gone on with by the next one.

use crate::gather::Visited;
use crate::hosts::{Hosts, Next};
use crate::{Engine, Report};
use gatherer_fold::{Brake, Fold};
use gatherer_pipeline::{Candidate, Entry, Failure, State, UnixTime, events};
use gatherer_store::{Run, Terms};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout_at};

/// How many due resources are taken up in one batch.
const TAKE_UP: usize = 500;
/// Added to the rank of what failed last time.
const FAILING_BEHIND: u32 = 1 << 20;
/// How long visits in hand may take after someone asked for an end.
const DRAIN: Duration = Duration::from_secs(10);

/// What is special about this run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// A person has started it: what they named and has no record yet is tried again at once.
    pub by_hand: bool,
    /// Visit everything known, due or not.
    pub everything: bool,
    /// The operator has looked at the deletions that the brake held back, and lets them pass.
    pub allow_deletions: bool,
}

/// Visits under way and hosts waiting.
struct Line {
    hosts: Hosts,
    visits: JoinSet<Result<Visited, Failure>>,
    unfolded: usize,
}

impl Engine {
    /// One run: takes up what is due, visits it, folds the results. Ends early when `shutdown` is done; the next run
    /// then goes on from there.
    ///
    /// # Errors
    /// When the gatherer itself cannot go on; nothing that was written is lost.
    pub async fn run(
        self: &Arc<Self>,
        options: RunOptions,
        shutdown: impl Future<Output = ()>,
    ) -> Result<Report, Failure> {
        let (run, resumed) = self.store.begin_run(self.clock.now())?;
        events::run_started(run.number, resumed);
        self.progress.begin(&run, resumed, self.store.queued()?);
        self.hosts.forget();
        self.prepare_urls(&run, options).await?;
        let finished = self.visit_all(&run, shutdown).await?;
        self.fold(true).await?;
        let held = if finished { self.close(&run, options).await? } else { Vec::new() };
        let mut report = self.progress.report(self.clock.now(), self.holdings()?);
        report.interrupted = !finished;
        report.held = held.into_iter().map(Into::into).collect();
        report.next_due = self.store.next_due()?.map(|time| time.0);
        events::run_ended(run.number, report.visited, report.updated, report.refreshed, report.deleted);
        Ok(report)
    }

    /// PrepUrls: where the root nodes start, what is due, what waits for deletion, and what a new config makes of it all.
    async fn prepare_urls(self: &Arc<Self>, run: &Run, options: RunOptions) -> Result<(), Failure> {
        let starts = self.enumerate().await;
        let (engine, run) = (Arc::clone(self), run.clone());
        blocking(move || {
            engine.offer_starts(&run, starts, options)?;
            engine.offer_due(&run, options.everything)?;
            engine.offer_doomed(&run, options.by_hand)?;
            engine.judge_again(&run)
        })
        .await
    }

    fn offer_starts(&self, run: &Run, starts: Vec<Candidate>, options: RunOptions) -> Result<(), Failure> {
        let mut offered = self.judge_found(starts.into_iter());
        for (candidate, terms) in &mut offered {
            terms.now = options.by_hand && self.store.view().head(candidate.url())?.is_none();
            // Limits are for what is found, not for what the operator names.
            (terms.urls, terms.hosts) = (u64::MAX, u64::MAX);
        }
        self.offer(run, offered)
    }

    fn offer_due(&self, run: &Run, everything: bool) -> Result<(), Failure> {
        let now = if everything { UnixTime(u64::MAX) } else { self.clock.now() };
        let (mut due, mut place) = (0, Vec::new());
        loop {
            let entries = self.store.due(run, now, &mut place, TAKE_UP)?;
            if entries.is_empty() {
                break;
            }
            due += entries.len() as u64;
            self.offer(run, entries.iter().map(|entry| self.again(entry, everything)).collect())?;
        }
        events::prepared(run.number, due);
        Ok(())
    }

    /// Deletions that were held back are looked at once more before anybody carries them out: by a run that a person has
    /// started at once, by a daemon's many small runs only after a while.
    fn offer_doomed(&self, run: &Run, by_hand: bool) -> Result<(), Failure> {
        let (now, apart) = (self.clock.now(), self.patience().gone_apart);
        for deletion in self.store.deletions()? {
            let entry = self.store.entry(&deletion.url)?;
            let is_time = |entry: &Entry| entry.fates.last().is_none_or(|fate| now.since(fate.at) >= apart);
            if let Some(entry) = entry.filter(|entry| by_hand || is_time(entry)) {
                self.offer(run, vec![self.again(&entry, true)])?;
            }
        }
        Ok(())
    }

    /// A known resource for another visit. If its root node does not want it any more, it goes over to one that does;
    /// if there is none, it is taken up all the same, and departs.
    pub(crate) fn again(&self, entry: &Entry, now: bool) -> (Candidate, Terms) {
        let mut candidate = entry.candidate();
        let is_wanted =
            |candidate: &Candidate| self.root(candidate).is_ok_and(|root| root.scope.admit(candidate).is_ok());
        if !is_wanted(&candidate) {
            let elsewhere = self.settings.root_nodes.iter().map(|node| candidate.under(&node.name));
            candidate = elsewhere.into_iter().find(is_wanted).unwrap_or(candidate);
        }
        // What is known already is not kept out by limits: it would be due for ever.
        let rank = self.root(&candidate).map_or(candidate.depth(), |root| root.terms(&candidate).rank);
        // What fails goes behind the rest, or the same few pages could keep a host from being gathered for ever.
        let rank =
            if matches!(entry.state, State::Failing { .. }) { rank.saturating_add(FAILING_BEHIND) } else { rank };
        (candidate, Terms { urls: u64::MAX, hosts: u64::MAX, rank, now })
    }

    pub(crate) fn offer(&self, run: &Run, offered: Vec<(Candidate, Terms)>) -> Result<(), Failure> {
        let candidates: Vec<_> = offered.iter().map(|(candidate, _)| candidate.clone()).collect();
        let offers = self.store.offer(run, offered, self.clock.now(), self.patience())?;
        self.note_offers(&candidates, &offers);
        Ok(())
    }

    /// Visits until the frontier is empty. Says whether it came to that.
    async fn visit_all(self: &Arc<Self>, run: &Run, shutdown: impl Future<Output = ()>) -> Result<bool, Failure> {
        let mut line = Line { hosts: Hosts::default(), visits: JoinSet::new(), unfolded: 0 };
        for host in self.store.waiting_hosts()? {
            line.hosts.wake(&host);
        }
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let wait = self.start_visits(run, &mut line)?;
            if line.visits.is_empty() && wait.is_none() {
                return Ok(true);
            }
            self.progress.wait(wait.filter(|_| line.visits.is_empty()));
            tokio::select! {
                Some(visited) = line.visits.join_next() => self.end_visit(&mut line, visited).await?,
                () = until(wait) => {}
                () = &mut shutdown => {
                    events::stopping();
                    self.drain(&mut line).await?;
                    return Ok(false);
                }
            }
        }
    }

    /// Starts as many visits as there are workers and hosts that may be visited; says when the next host may be.
    fn start_visits(self: &Arc<Self>, run: &Run, line: &mut Line) -> Result<Option<Instant>, Failure> {
        while line.visits.len() < self.settings.running.workers {
            let host = match line.hosts.next() {
                Next::Now(host) => host,
                Next::At(at) => return Ok(Some(at)),
                Next::Nobody => return Ok(None),
            };
            let Some(work) = self.store.next_of(&host)? else {
                line.hosts.rest(&host);
                continue;
            };
            self.progress.start(work.candidate.url());
            let (engine, run) = (Arc::clone(self), run.clone());
            line.visits.spawn(async move { engine.visit(&run, work).await });
        }
        Ok(None)
    }

    async fn end_visit(
        &self,
        line: &mut Line,
        visited: Result<Result<Visited, Failure>, JoinError>,
    ) -> Result<(), Failure> {
        let visited = visited.map_err(|error| Failure::new("a visit ended in a panic", error))??;
        line.hosts.free(visited.host, visited.ready);
        for host in &visited.woken {
            line.hosts.wake(host);
        }
        line.unfolded += usize::from(visited.to_fold);
        if line.unfolded >= self.settings.running.fold_chunk {
            line.unfolded = 0;
            self.fold(false).await?;
        }
        Ok(())
    }

    /// Lets visits in hand come to their end, for a while. What does not is visited again by the next run.
    async fn drain(&self, line: &mut Line) -> Result<(), Failure> {
        let end = Instant::now() + DRAIN;
        while let Ok(Some(visited)) = timeout_at(end, line.visits.join_next()).await {
            self.end_visit(line, visited).await?;
        }
        Ok(())
    }

    /// Folds a chunk while the run goes on, or all there is.
    async fn fold(&self, all: bool) -> Result<(), Failure> {
        let (store, clock, chunk) = (self.store.clone(), self.clock.clone(), self.settings.running.fold_chunk);
        let brake = self.brake();
        let folding = blocking(move || {
            let fold = Fold::new(&store, brake, chunk, &*clock);
            Ok(if all { fold.all() } else { fold.chunk() }?)
        });
        self.progress.add_folding(folding.await?);
        Ok(())
    }

    /// The end of a complete run: records whose life is over, then deletions, under the brake.
    async fn close(&self, run: &Run, options: RunOptions) -> Result<Vec<gatherer_fold::Held>, Failure> {
        let (store, clock, chunk) = (self.store.clone(), self.clock.clone(), self.settings.running.fold_chunk);
        let (brake, patience, run) = (self.brake(), *self.patience(), run.clone());
        let (folding, held) = blocking(move || {
            store.expire(&run, clock.now(), &patience)?;
            let deleted = Fold::new(&store, brake, chunk, &*clock).deletions(options.allow_deletions)?;
            store.end_run()?;
            Ok(deleted)
        })
        .await?;
        self.progress.add_folding(folding);
        Ok(held)
    }

    fn brake(&self) -> Brake {
        let running = &self.settings.running;
        Brake { share: running.deletion_brake_share, least: running.deletion_brake_least }
    }

    /// What each configured root node holds, and for one that might hold nothing, what became of its start.
    fn holdings(&self) -> Result<Vec<(String, gatherer_store::Holding, Option<String>)>, Failure> {
        let mut holdings = Vec::new();
        for node in &self.settings.root_nodes {
            let mut because = None;
            for url in node.start.iter().chain(&node.leaves).take(1) {
                let entry = self.store.entry(&gatherer_prepare::canonical_url(url.clone()).url)?;
                let fate = entry.and_then(|entry| entry.fates.last().map(|fate| fate.outcome.to_string()));
                because = Some(format!("{url}: {}", fate.as_deref().unwrap_or("not visited yet")));
            }
            let because =
                because.unwrap_or_else(|| "its enumeration program named nothing that could be gathered".to_owned());
            holdings.push((node.name.clone(), self.store.holding(&node.name), Some(because)));
        }
        Ok(holdings)
    }
}

/// Store work that may take a while, away from the tasks that talk to the network.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Failure::new("a storing thread ended", error))?
}

fn until(wait: Option<Instant>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    match wait {
        Some(at) => Box::pin(sleep_until(at)),
        None => Box::pin(std::future::pending()),
    }
}
