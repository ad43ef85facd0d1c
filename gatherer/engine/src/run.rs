//! The life of a run: PrepUrls, the visits, the fold. A run that dies anywhere is gone on with by the next one.

use crate::gather::Visited;
use crate::hosts::Next;
use crate::line::Line;
use crate::watchdog::Watchdog;
use crate::{Engine, Report};
use gatherer_fold::{Brake, Fold};
use gatherer_pipeline::{Candidate, Entry, Failure, State, UnixTime, events, parent_name};
use gatherer_store::{Run, Terms};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;
use tokio::time::{Instant, interval, sleep_until, timeout_at};
use url::Url;

/// How many due resources are taken up in one batch.
const TAKE_UP: usize = 500;
/// Added to the rank of what failed last time.
const FAILING_BEHIND: u32 = 1 << 20;
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
        self.prepare_urls(run, options).await?;
        let mut line = Line::new(options.clone());
        let finished = self.visit_all(run, &mut line, shutdown).await?;
        self.fold(true).await?;
        self.save_patterns()?;
        let held = if finished { self.close(run, line.take_consents(), true).await? } else { Vec::new() };
        Ok((finished, held))
    }

    /// PrepUrls: where the root nodes start, what is due, what waits for deletion, and what a new config makes of it all.
    async fn prepare_urls(self: &Arc<Self>, run: &Run, options: &RunOptions) -> Result<(), Failure> {
        if options.by_hand {
            self.collect_from_all().await;
        }
        let starts = self.enumerate(options).await?;
        let (engine, run, options) = (Arc::clone(self), run.clone(), options.clone());
        blocking(move || {
            engine.hasten()?;
            engine.offer_starts(&run, starts, &options)?;
            engine.offer_due(&run, &options, None)?;
            engine.offer_strayed(&run)?;
            engine.offer_doomed(&run, options.by_hand)?;
            engine.drop_former_sources()?;
            engine.judge_again(&run)
        })
        .await
    }

    pub(crate) fn offer_starts(&self, run: &Run, starts: Vec<Candidate>, options: &RunOptions) -> Result<(), Failure> {
        let mut timely = Vec::new();
        for start in starts {
            if self.starts_now(&start, options)? {
                timely.push(start);
            }
        }
        let mut offered = self.judge_found(timely.into_iter());
        for (candidate, terms) in &mut offered {
            let entry = self.store.entry(candidate.url())?;
            let stands_at = entry.as_ref().map_or(candidate.url(), Entry::record_url);
            terms.now = options.by_hand && self.store.view().head(stands_at)?.is_none();
            // Limits are for what is found, not for what the operator names.
            (terms.urls, terms.hosts) = (u64::MAX, u64::MAX);
        }
        self.offer(run, offered)?;
        Ok(())
    }

    /// Takes up what is due: at the beginning of a run, and while it goes on what was not visited since `quiet`. Gives
    /// the hosts that got something to do.
    pub(crate) fn offer_due(
        &self,
        run: &Run,
        options: &RunOptions,
        quiet: Option<UnixTime>,
    ) -> Result<BTreeSet<String>, Failure> {
        let now = if options.everything { UnixTime(u64::MAX) } else { self.clock.now() };
        let (mut due, mut place, mut woken) = (0, Vec::new(), BTreeSet::new());
        loop {
            let entries = self.store.due(quiet.unwrap_or(UnixTime(u64::MAX)), now, &mut place, TAKE_UP)?;
            if entries.is_empty() {
                break;
            }
            let entries = self.in_time(entries, options)?;
            due += entries.len() as u64;
            let mut offered: Vec<_> = entries.iter().map(|entry| self.again(entry, options.everything)).collect();
            offered.iter_mut().for_each(|(_, terms)| terms.again = quiet.is_some());
            let hosts = self.offer(run, offered)?;
            // At the beginning everybody who has something queued is woken anyway.
            woken.extend(hosts.into_iter().filter(|_| quiet.is_some()));
        }
        events::prepared(run.number, due);
        Ok(woken)
    }

    /// Deletions that were held back are looked at once more before anybody carries them out: by a run that a person has
    /// started at once, by a daemon's many small runs only after a while.
    fn offer_doomed(&self, run: &Run, by_hand: bool) -> Result<(), Failure> {
        let (now, apart) = (self.clock.now(), self.patience().gone_apart);
        for deletion in self.store.deletions()? {
            let entry = self.store.entry(&visited_at(deletion.origin))?;
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
        let candidate = entry.candidate();
        let candidate = self.wanted_elsewhere(&candidate).unwrap_or(candidate);
        // What is known already is not kept out by limits: it would be due for ever.
        let rank = self.root(&candidate).map_or(candidate.depth(), |root| root.terms(&candidate).rank);
        // What fails goes behind the rest, or the same few pages could keep a host from being gathered for ever.
        let rank =
            if matches!(entry.state, State::Failing { .. }) { rank.saturating_add(FAILING_BEHIND) } else { rank };
        (candidate, Terms { urls: u64::MAX, hosts: u64::MAX, rank, now, again: false })
    }

    /// Offers candidates to the run; gives the hosts that got something to do.
    pub(crate) fn offer(&self, run: &Run, offered: Vec<(Candidate, Terms)>) -> Result<Vec<String>, Failure> {
        if offered.is_empty() {
            return Ok(Vec::new());
        }
        let candidates: Vec<_> = offered.iter().map(|(candidate, _)| candidate.clone()).collect();
        let offers = self.store.offer(run, offered, self.clock.now(), self.patience())?;
        Ok(self.note_offers(&candidates, &offers).0)
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
            if line.visits.is_empty() && wait.is_none() {
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
                _ = closing.tick() => {
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
        for host in self.offer_due(run, &options, Some(quiet))? {
            line.hosts.wake(&host);
        }
        // A root node that was never visited may have had its first moment.
        let is_scheduled = |name: &str| self.roots.get(name).is_some_and(|root| root.node.schedule.is_some());
        let firsts: Vec<_> = self.starts(&options).into_iter().filter(|start| is_scheduled(start.root())).collect();
        if firsts.is_empty() {
            return Ok(());
        }
        self.offer_starts(run, firsts, &options)?;
        self.wake_waiting(line)
    }

    /// Wakes the hosts that have something queued, as many as there is room for.
    pub(crate) fn wake_waiting(&self, line: &mut Line) -> Result<(), Failure> {
        let mut last: Option<String> = None;
        loop {
            let hosts = self.store.waiting_hosts(last.as_deref(), TAKE_UP)?;
            hosts.iter().for_each(|host| line.hosts.wake(host));
            match hosts.into_iter().next_back() {
                None => return Ok(()),
                Some(_) if line.hosts.is_full() => {
                    line.hosts.ask_for_more();
                    return Ok(());
                }
                Some(host) => last = Some(host),
            }
        }
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
