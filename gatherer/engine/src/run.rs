//! The life of a run: PrepUrls, the visits, the fold. A run that dies anywhere is gone on with by the next one.

use crate::gather::Visited;
use crate::hosts::Next;
use crate::line::Line;
use crate::watchdog::Watchdog;
use crate::{Engine, Report};
use gatherer_fold::{Brake, Fold};
use gatherer_pipeline::{Failure, UnixTime, events, parent_name};
use gatherer_store::Run;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;
use tokio::time::{Instant, interval, sleep_until, timeout_at};
use url::Url;

/// How often a run that goes on looks for what has fallen due meanwhile,
const TICK: Duration = Duration::from_mins(1);
/// and how long what it has visited itself is then left alone at least.
const AGAIN: Duration = Duration::from_mins(10);
/// How often a long run carries out deletions.
const CLOSING: Duration = Duration::from_hours(1);
/// How long visits in hand may take after someone asked for an end.
const DRAIN: Duration = Duration::from_secs(10);

/// What is special about this run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// A person has started it: what they named and has no record yet is tried again at once.
    pub by_hand: bool,
    /// Visit everything known, due or not.
    pub everything: bool,
    /// The operator has looked at the deletions that the brake held back, and lets them pass.
    pub allow_deletions: bool,
    /// These root nodes only; none named means all.
    pub roots: Vec<String>,
}

impl RunOptions {
    /// Whether it takes up what belongs to a root node, or to one that its program has named.
    pub(crate) fn wants(&self, root: &str) -> bool {
        let is_named = |name: &str| self.roots.iter().any(|wanted| wanted == name);
        self.roots.is_empty() || is_named(root) || parent_name(root).is_some_and(is_named)
    }

    /// Schedules are for daemons; a person is not told to come back at two in the morning.
    pub(crate) fn keeps_schedule(&self) -> bool {
        !self.by_hand && !self.everything
    }
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
        self.progress.begin(&run, resumed, self.store.queued());
        let _watchdog = Watchdog::over(self.progress.clone(), self.settings.running.watchdog);
        let ended = self.gather_all(&run, &options, shutdown).await;
        self.progress.end();
        let (finished, held) = ended.inspect_err(|failure| self.progress.break_off(failure.to_string()))?;
        let mut report = self.progress.report(self.clock.now(), self.holdings(&options)?);
        self.recall_troubles(&mut report)?;
        report.interrupted = !finished;
        report.stopped_because = self.lacks_space().filter(|_| !finished);
        report.held = held.into_iter().map(crate::report::held).collect();
        report.traps = self.closed_patterns();
        report.plugins = self.desk().deeds().into_iter().map(crate::report::plugin).collect();
        report.parsers = self.desk().abstracts.reports();
        self.note_parsers()?;
        let rested = report.set_aside.values().map(|aside| aside.until).min();
        report.next_due = self.next_moment()?.map(|time| time.0).into_iter().chain(rested).min();
        self.store.keep_report(&report)?;
        events::run_ended(run.number, report.visited, report.updated, report.refreshed, report.deleted);
        Ok(report)
    }

    /// Prepares, visits and folds. Says whether it came to the end, and which deletions the brake held back.
    async fn gather_all(
        self: &Arc<Self>,
        run: &Run,
        options: &RunOptions,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(bool, Vec<gatherer_fold::Held>), Failure> {
        let engine = Arc::clone(self);
        blocking(move || {
            engine.renew_plugins()?;
            engine.mind_the_clock_at_start()
        })
        .await?;
        if self.lacks_space().is_some() {
            return Ok((false, Vec::new()));
        }
        let mut line = Line::new(options.clone());
        self.prepare_urls(run, &mut line).await?;
        let finished = self.visit_all(run, &mut line, shutdown).await?;
        self.fold(true).await?;
        self.save_patterns()?;
        let held = if finished { self.close(run, line.take_consents(), true).await? } else { Vec::new() };
        Ok((finished, held))
    }

    /// Visits until nobody is left who may be visited soon. Says whether it came to that.
    async fn visit_all(
        self: &Arc<Self>,
        run: &Run,
        line: &mut Line,
        shutdown: impl Future<Output = ()>,
    ) -> Result<bool, Failure> {
        self.take_wishes(run, line).await?;
        let mut shutdown = std::pin::pin!(shutdown);
        let (mut tick, mut closing) = (interval(TICK), interval(CLOSING));
        // Both are done at once the first time, which the run has seen to itself.
        tick.tick().await;
        closing.tick().await;
        loop {
            let wait = self.start_visits(run, line)?;
            if line.visits.is_empty() && wait.is_none() && line.intake.is_over() {
                if line.hosts.take_more() {
                    self.wake_waiting(line)?;
                    continue;
                }
                return Ok(true);
            }
            self.progress.wait(wait.filter(|_| line.visits.is_empty()));
            tokio::select! {
                Some(visited) = line.visits.join_next() => self.end_visit(line, visited).await?,
                () = until(wait) => {}
                taken = line.intake.next(), if !line.intake.is_over() => self.wake_taken(line, taken?)?,
                () = self.wishes.came() => {
                    self.take_wishes(run, line).await?;
                    // What they consent to is carried out when what they want has been visited: within the hour, or at the end.
                    closing.reset();
                }
                _ = tick.tick() => {
                    self.look_round(run, line)?;
                    if self.lacks_space().is_some() {
                        self.drain(line).await?;
                        return Ok(false);
                    }
                }
                // What is to be deleted is looked at once more before.
                _ = closing.tick(), if line.intake.is_over() => {
                    self.fold(true).await?;
                    self.save_patterns()?;
                    let consents = line.take_consents();
                    self.close(run, consents, false).await?;
                }
                () = &mut shutdown => {
                    events::stopping();
                    self.drain(line).await?;
                    return Ok(false);
                }
            }
        }
    }

    /// One slow host makes a run long: hosts whose rest is over, and what falls due elsewhere meanwhile, do not wait for
    /// the next one.
    fn look_round(&self, run: &Run, line: &mut Line) -> Result<(), Failure> {
        self.mind_the_clock()?;
        line.hosts.wake_rested();
        if !line.takes_up_more() {
            return Ok(());
        }
        let quiet = UnixTime(self.clock.now().0.saturating_sub(AGAIN.as_secs()));
        let options = RunOptions { everything: false, ..line.options.clone() };
        self.offer_due(run, &options, Some(quiet), |hosts| {
            hosts.iter().for_each(|host| line.hosts.wake(host));
            true
        })?;
        // A root node that was never visited may have had its first moment.
        let is_scheduled = |name: &str| self.roots.get(name).is_some_and(|root| root.node.schedule.is_some());
        let firsts: Vec<_> = self.starts(&options).into_iter().filter(|start| is_scheduled(start.root())).collect();
        if firsts.is_empty() {
            return Ok(());
        }
        self.offer_starts(run, firsts, &options)?;
        self.wake_waiting(line)
    }

    /// Starts as many visits as there are workers and hosts that may be visited; says when the next host may be.
    fn start_visits(self: &Arc<Self>, run: &Run, line: &mut Line) -> Result<Option<Instant>, Failure> {
        if line.hosts.wants_more() {
            self.wake_waiting(line)?;
        }
        while line.visits.len() < self.settings.running.workers {
            let host = match line.hosts.next(|host| self.store.next_lane(host).unwrap_or_default()) {
                Next::Now(host) => host,
                Next::At(at) => return Ok(Some(at)),
                Next::Nobody => return Ok(None),
            };
            if self.is_left_alone(&host, line)? {
                continue;
            }
            let Some(work) = self.next_wanted(&host, line)? else {
                line.hosts.rest(&host);
                continue;
            };
            if let Some((until, hours)) = self.quiet_until(&work.candidate) {
                line.hosts.set_aside(&host, Instant::now() + until.since(self.clock.now()));
                self.progress.set_aside(&host, format!("quiet hours ({hours})"), until.0);
                continue;
            }
            line.hosts.begin(&host, work.ticket.clone(), self.pace(&work.candidate).lines);
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
        line.hosts.end(&visited.host, &visited.ticket, Instant::now() + visited.wait);
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
        line.intake.stop().await?;
        while let Ok(Some(visited)) = timeout_at(end, line.visits.join_next()).await {
            self.end_visit(line, visited).await?;
        }
        Ok(())
    }

    /// Folds a chunk while the run goes on, or all there is.
    pub(crate) async fn fold(&self, all: bool) -> Result<(), Failure> {
        let (store, clock, chunk) = (self.store.clone(), self.clock.clone(), self.settings.running.fold_chunk);
        let brake = self.brake();
        let folding = blocking(move || {
            let fold = Fold::new(&store, brake, chunk, &*clock);
            Ok(if all { fold.all() } else { fold.chunk() }?)
        });
        self.progress.add_folding(folding.await?);
        Ok(())
    }

    /// Records whose life is over, then deletions, under the brake: at the end of a complete run, and now and then in one
    /// that goes on for long.
    async fn close(
        &self,
        run: &Run,
        consents: Vec<RunOptions>,
        is_end: bool,
    ) -> Result<Vec<gatherer_fold::Held>, Failure> {
        let (store, clock, chunk) = (self.store.clone(), self.clock.clone(), self.settings.running.fold_chunk);
        let (brake, patience, run) = (self.brake(), *self.patience(), run.clone());
        let lives_end = self.trusts_the_clock()?;
        let (folding, held) = blocking(move || {
            if lives_end {
                store.expire(&run, clock.now(), &patience)?;
            }
            let allows = |root: &str| consents.iter().any(|consent| consent.wants(root));
            let deleted = Fold::new(&store, brake, chunk, &*clock).deletions(allows)?;
            if is_end {
                store.end_run()?;
            }
            Ok(deleted)
        })
        .await?;
        self.progress.add_folding(folding);
        Ok(held)
    }

    /// Deletions under the brake, all or those of one root node.
    pub(crate) async fn delete_under_brake(&self, only: Option<String>) -> Result<Vec<gatherer_fold::Held>, Failure> {
        let (store, clock, chunk) = (self.store.clone(), self.clock.clone(), self.settings.running.fold_chunk);
        let brake = self.brake();
        let deleting =
            blocking(move || Ok(Fold::new(&store, brake, chunk, &*clock).deletions_of(only.as_deref(), |_| false)?));
        let (folding, held) = deleting.await?;
        self.progress.add_folding(folding);
        Ok(held)
    }

    pub(crate) fn brake(&self) -> Brake {
        let running = &self.settings.running;
        Brake { share: running.deletion_brake_share, least: running.deletion_brake_least }
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

/// The URL that is visited for a resource: its own, or that of what it is in.
pub(crate) fn visited_at(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}
