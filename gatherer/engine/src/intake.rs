//! PrepUrls: what a run takes up beside what it finds. It goes on beside the visits, so that however large the store is, the
//! first of them begins at once.

use crate::line::Line;
use crate::run::visited_at;
use crate::{Engine, RunOptions};
use gatherer_pipeline::{Candidate, Entry, Failure, State, UnixTime, events};
use gatherer_store::{Run, Terms};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// How many due resources are taken up in one batch.
pub(crate) const TAKE_UP: usize = 500;
/// A small store is taken up whole before the first visit, so that what is most urgent comes first; a large one keeps nobody
/// waiting for longer.
const HEAD_START: Duration = Duration::from_millis(500);
/// Added to the rank of what failed last time.
const FAILING_BEHIND: u32 = 1 << 20;
/// Batches that may wait for those whom they wake.
const AHEAD: usize = 4;

/// What is being taken up.
pub(crate) struct Intake {
    works: JoinSet<Result<(), Failure>>,
    woken: mpsc::Receiver<Vec<String>>,
    tell: mpsc::Sender<Vec<String>>,
}

/// Tells the run of hosts that got something to do. Nobody hears it when the run is to end: then nothing more is taken up.
pub(crate) struct Tell(mpsc::Sender<Vec<String>>);

/// What has come of it.
pub(crate) enum Taken {
    /// These hosts got something to do.
    Woken(Vec<String>),
    /// All of it is taken up.
    All,
}

impl Tell {
    fn woken(&self, hosts: Vec<String>) -> bool {
        self.0.blocking_send(hosts).is_ok()
    }
}

impl Intake {
    pub(crate) fn new() -> Self {
        let (tell, woken) = mpsc::channel(AHEAD);
        Self { works: JoinSet::new(), woken, tell }
    }

    fn begin(&mut self, work: impl FnOnce(&Tell) -> Result<(), Failure> + Send + 'static) {
        let tell = Tell(self.tell.clone());
        self.works.spawn_blocking(move || work(&tell));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.works.is_empty()
    }

    /// What comes next; never, if nothing is being taken up.
    pub(crate) async fn next(&mut self) -> Result<Taken, Failure> {
        tokio::select! {
            biased;
            Some(hosts) = self.woken.recv() => Ok(Taken::Woken(hosts)),
            Some(ended) = self.works.join_next() => {
                ended.map_err(|error| Failure::new("a storing thread ended", error))??;
                Ok(Taken::All)
            }
        }
    }

    /// Has it stop where it is: the next run goes on from there.
    pub(crate) async fn stop(&mut self) -> Result<(), Failure> {
        self.woken.close();
        while !self.is_over() {
            self.next().await?;
        }
        Ok(())
    }
}

impl Engine {
    /// Where the root nodes start at once; behind that what is due, what waits for deletion, and what a new config makes of it
    /// all.
    pub(crate) async fn prepare_urls(self: &Arc<Self>, run: &Run, line: &mut Line) -> Result<(), Failure> {
        if line.options.by_hand {
            self.collect_from_all().await;
        }
        let starts = self.enumerate(&line.options).await?;
        let (engine, run, options) = (Arc::clone(self), run.clone(), line.options.clone());
        line.intake.begin(move |tell| {
            engine.hasten()?;
            engine.offer_starts(&run, starts, &options)?;
            engine.offer_strayed(&run)?;
            engine.offer_doomed(&run, options.by_hand)?;
            engine.drop_former_sources()?;
            let goes_on = engine.offer_due(&run, &options, None, |hosts| tell.woken(hosts))?;
            if goes_on { engine.judge_again(&run) } else { Ok(()) }
        });
        self.wait_for_intake(line).await
    }

    /// Takes up what a person wants now. What this run has visited already is visited again.
    pub(crate) async fn prepare_wish(
        self: &Arc<Self>,
        run: &Run,
        line: &mut Line,
        options: RunOptions,
    ) -> Result<(), Failure> {
        let starts = self.enumerate(&options).await?;
        let (engine, run, now) = (Arc::clone(self), run.clone(), self.clock.now());
        line.intake.begin(move |tell| {
            engine.offer_starts(&run, starts, &options)?;
            engine.offer_due(&run, &options, Some(now), |hosts| tell.woken(hosts))?;
            Ok(())
        });
        self.wait_for_intake(line).await
    }

    async fn wait_for_intake(&self, line: &mut Line) -> Result<(), Failure> {
        let end = Instant::now() + HEAD_START;
        while !line.intake.is_over() {
            let Ok(taken) = timeout_at(end, line.intake.next()).await else { break };
            self.wake_taken(line, taken?)?;
        }
        self.wake_waiting(line)
    }

    pub(crate) fn wake_taken(&self, line: &mut Line, taken: Taken) -> Result<(), Failure> {
        match taken {
            Taken::Woken(hosts) => hosts.iter().for_each(|host| line.hosts.wake(host)),
            Taken::All => self.wake_waiting(line)?,
        }
        Ok(())
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

    /// Takes up what is due: at the beginning of a run, and while it goes on what was not visited since `quiet`. After each batch
    /// `tell` hears which hosts got something to do, and says whether to go on. Says whether it came to the end.
    pub(crate) fn offer_due(
        &self,
        run: &Run,
        options: &RunOptions,
        quiet: Option<UnixTime>,
        mut tell: impl FnMut(Vec<String>) -> bool,
    ) -> Result<bool, Failure> {
        let now = if options.everything { UnixTime(u64::MAX) } else { self.clock.now() };
        let (mut due, mut place) = (0, Vec::new());
        loop {
            let entries = self.store.due(quiet.unwrap_or(UnixTime(u64::MAX)), now, &mut place, TAKE_UP)?;
            if entries.is_empty() {
                break;
            }
            let entries = self.in_time(entries, options)?;
            due += entries.len() as u64;
            let mut offered: Vec<_> = entries.iter().map(|entry| self.again(entry, options.everything)).collect();
            offered.iter_mut().for_each(|(_, terms)| terms.again = quiet.is_some());
            if !tell(self.offer(run, offered)?) {
                return Ok(false);
            }
        }
        events::prepared(run.number, due);
        Ok(true)
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
}
