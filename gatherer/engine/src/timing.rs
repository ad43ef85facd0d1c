//! When it is time: by the root nodes' schedules and quiet hours, and by a clock that may be wrong.

use crate::{Engine, Root, RunOptions, span};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::schedule::clock_jump;
use gatherer_pipeline::{Candidate, Failure, Md5, State, Times, UnixTime, events, host_name, server_name};
use gatherer_serve::Plan;
use gatherer_store::Run;
use jiff::SignedDuration;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After so long without anybody minding the store, or a jump of the clock, no record's life ends for a while: everything
/// gets its chance to be visited first.
const LONG_AWAY: Duration = Duration::from_hours(24);
const GRACE: Duration = Duration::from_hours(24);
/// Most entries taken up at once because a clock had been ahead.
const STRAYED: usize = 10_000;

/// Entries of the timetable that are looked at in one go,
const AT_ONCE: usize = 500;
/// and how often, to tell when each root node is due.
const LOOKS: usize = 4;

/// What the times of a root node's visits go by.
fn pace_mark(root: &Root) -> Md5 {
    let Times { refresh_rate, range, .. } = root.times();
    let schedule = root.node.schedule.as_ref().map(ToString::to_string);
    Md5::of(format!("{refresh_rate:?} {range} {schedule:?}").as_bytes())
}

/// When a document would be due by its root node's present times, if that is sooner. What is gone is looked at so rarely anyway,
/// and what a rule speaks of has times of its own.
fn due_sooner(root: &Root, entry: &Entry, patience: &Patience) -> Option<UnixTime> {
    if matches!(entry.state, State::Gone | State::OutOfScope | State::Expired) || entry.ruled.is_some() {
        return None;
    }
    let last = entry.fates.last()?;
    let times = Times { refresh_rate: entry.pace(root.times()), ..root.times() };
    let due = entry.state.due(last.outcome.event(), last.at, times, patience);
    let due = root.node.schedule.as_ref().map_or(due, |schedule| schedule.nearest(due, last.at));
    (due < entry.due).then_some(due)
}

/// The clock as it was last seen, and when that was by a clock that cannot be set.
pub(crate) struct Seen(Mutex<(UnixTime, Instant)>);

impl Seen {
    pub(crate) fn new(now: UnixTime) -> Self {
        Self(Mutex::new((now, Instant::now())))
    }

    /// How far the clock has jumped since the last look.
    fn jump(&self, now: UnixTime) -> Option<SignedDuration> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, at) = std::mem::replace(&mut *seen, (now, Instant::now()));
        clock_jump(before, now, at.elapsed())
    }
}

impl Engine {
    /// Whether what is due may be visited now by its root node's schedule, or when.
    pub(crate) fn is_time(&self, root: &Root, due: UnixTime, options: &RunOptions) -> Result<(), UnixTime> {
        let Some(schedule) = root.node.schedule.as_ref().filter(|_| options.keeps_schedule()) else { return Ok(()) };
        let now = self.clock.now();
        // A clock that was set back since must not make everything missed.
        let missed = |moment: &UnixTime| *moment < self.started.min(now) && !self.settings.scheduling.catches_up;
        match schedule.last(now).filter(|moment| *moment >= due && !missed(moment)) {
            Some(_) => Ok(()),
            None => Err(schedule.next(now.max(due)).unwrap_or(due)),
        }
    }

    /// Leaves out, and puts off, what has to wait for its root node's moment.
    pub(crate) fn in_time(&self, entries: Vec<Entry>, options: &RunOptions) -> Result<Vec<Entry>, Failure> {
        let mut wanted = Vec::new();
        for entry in entries {
            if !options.wants(&entry.root) {
                continue;
            }
            let judged =
                self.roots.get(&entry.root).map_or(Ok(()), |root| self.is_time(&root, entry.visit_by(), options));
            match judged {
                Ok(()) => wanted.push(entry),
                Err(moment) => self.store.put_off(&entry.url, moment)?,
            }
        }
        Ok(wanted)
    }

    /// Whether a root node's own URLs are offered by this run. With a schedule that is so until they are known: from the
    /// first moment after the root node was met. From then on they are due like everything else.
    pub(crate) fn starts_now(&self, start: &Candidate, options: &RunOptions) -> Result<bool, Failure> {
        if !options.wants(start.root()) {
            return Ok(false);
        }
        let Some(root) = self.roots.get(start.root()).filter(|root| root.node.schedule.is_some()) else {
            return Ok(true);
        };
        if !options.keeps_schedule() {
            return Ok(true);
        }
        // What the operator had left out, and wants again, begins anew.
        let is_known = self.store.entry(start.url())?.is_some_and(|entry| entry.state != State::OutOfScope);
        Ok(!is_known && self.is_time(&root, self.first_moment(&root)?, options).is_ok())
    }

    /// From when on a root node with a schedule may be visited for the first time.
    fn first_moment(&self, root: &Root) -> Result<UnixTime, Failure> {
        let met = self.store.root_met(&root.node.name, self.clock.now())?;
        Ok(met.after(Duration::from_secs(1)))
    }

    /// When the operator wants documents visited more often, those that stand in the timetable already come sooner, too. Says
    /// how many of which root nodes. Who is to be visited more rarely is visited once more as planned, and then by the new pace.
    pub(crate) fn hasten(&self) -> Result<Vec<(String, u64)>, Failure> {
        let mut changed = BTreeMap::new();
        for root in self.roots.all() {
            let mark = pace_mark(&root);
            if self.store.pace_mark(&root.node.name)? != Some(mark) {
                changed.insert(root.node.name.clone(), (root, mark, 0));
            }
        }
        if changed.keys().all(|root| self.store.holding(root).urls == 0) {
            return self.note_paces(changed);
        }
        let mut place = Vec::new();
        loop {
            let entries = self.store.due(UnixTime(u64::MAX), UnixTime(u64::MAX), &mut place, AT_ONCE)?;
            if entries.is_empty() {
                return self.note_paces(changed);
            }
            for entry in entries {
                let Some((root, _, count)) = changed.get_mut(&entry.root) else { continue };
                if let Some(sooner) = due_sooner(root, &entry, self.patience()) {
                    self.store.put_off(&entry.url, sooner)?;
                    *count += 1;
                }
            }
        }
    }

    fn note_paces(&self, changed: BTreeMap<String, (Arc<Root>, Md5, u64)>) -> Result<Vec<(String, u64)>, Failure> {
        let mut hastened = Vec::new();
        for (name, (_, mark, count)) in changed {
            self.store.set_pace_mark(&name, mark)?;
            if count > 0 {
                events::hastened(&name, count);
                hastened.push((name, count));
            }
        }
        Ok(hastened)
    }

    /// When the next run has something to do, beside what the hosts' rests say.
    pub(crate) fn next_moment(&self) -> Result<Option<UnixTime>, Failure> {
        let due = self.store.next_due()?;
        let now = self.clock.now();
        let firsts = self.roots.all().into_iter().filter(|root| self.store.holding(&root.node.name).urls == 0);
        let first = firsts.filter_map(|root| root.node.schedule.as_ref()?.next(now)).min();
        Ok(due.into_iter().chain(first).min())
    }

    /// Whether a host has to be left alone now, by the quiet hours of any root node that names it: until when, and by which.
    pub(crate) fn quiet_until(&self, candidate: &Candidate) -> Option<(UnixTime, String)> {
        let (now, host) = (self.clock.now(), host_name(candidate.url()));
        let is_its_own = |root: &Root| {
            let named = root.node.start.iter().chain(&root.node.leaves).chain(&root.node.sitemaps);
            root.node.name == candidate.root() || { named }.any(|url| host_name(url) == host)
        };
        let roots = self.roots.all();
        let concerned = roots.iter().filter(|root| !root.node.quiet_hours.is_empty() && is_its_own(root));
        let hours = concerned.flat_map(|root| &root.node.quiet_hours);
        let quiet = hours.filter_map(|hours| Some((hours.until(now)?, hours.to_string())));
        quiet.max_by_key(|(until, _)| *until)
    }

    /// Until when the hosts that a root node names are left alone because of their troubles, if all of them are.
    fn rested(&self, root: &Root) -> Option<(UnixTime, String, String)> {
        let now = self.clock.now_millis();
        let named = root.node.start.iter().chain(&root.node.leaves).chain(&root.node.sitemaps);
        let rest = |url: &url::Url| {
            let state = self.store.host_state(&server_name(url)).ok().filter(|state| !state.rest(now).is_zero())?;
            Some((UnixTime(state.rests_until.div_ceil(1_000)), server_name(url).into_owned(), state.reason))
        };
        let rests: Option<Vec<_>> = named.map(rest).collect();
        rests?.into_iter().min_by_key(|(until, ..)| *until)
    }

    /// When the first document of each root node is due, as far as a look at the next few tells; of the others, when those are.
    fn dues(&self) -> Result<BTreeMap<String, UnixTime>, Failure> {
        let mut missing: BTreeSet<_> = self.roots.all().iter().map(|root| root.node.name.clone()).collect();
        let (mut dues, mut place, mut last) = (BTreeMap::new(), Vec::new(), None);
        for _ in 0..LOOKS {
            let entries = self.store.due(UnixTime(u64::MAX), UnixTime(u64::MAX), &mut place, AT_ONCE)?;
            for entry in &entries {
                last = Some(entry.visit_by());
                if missing.remove(&entry.root) {
                    dues.insert(entry.root.clone(), entry.visit_by());
                }
            }
            if entries.is_empty() || missing.is_empty() {
                return Ok(dues);
            }
        }
        dues.extend(missing.into_iter().filter_map(|root| Some((root, last?))));
        Ok(dues)
    }

    /// When each root node and source is gathered next, and why not before.
    pub(crate) fn plans(&self) -> Vec<Plan> {
        let now = self.clock.now();
        let dues = self.dues().unwrap_or_default();
        let plan = |root: Arc<Root>| {
            let due = dues.get(&root.node.name).copied();
            let quiet = root.node.quiet_hours.iter().filter_map(|hours| hours.until(now)).max();
            let next = match (&root.node.schedule, quiet) {
                (Some(schedule), quiet) => schedule.next(now).max(quiet),
                (None, quiet) => due.max(quiet),
            };
            let quiet_hours: Vec<_> = root.node.quiet_hours.iter().map(ToString::to_string).collect();
            let because =
                if quiet_hours.is_empty() { String::new() } else { format!("left alone {}", quiet_hours.join(", ")) };
            let rule =
                root.node.schedule.as_ref().map_or_else(|| "whenever something is due".to_owned(), ToString::to_string);
            // What stands in the way of its hosts counts, too.
            let (next, because) = match self.rested(&root).filter(|(until, ..)| Some(*until) > next) {
                Some((until, host, reason)) => (Some(until), format!("{host} is left alone until then: {reason}")),
                None => (next, because),
            };
            Plan { root: root.node.name.clone(), rule, next, because }
        };
        let source = |source: &gatherer_pipeline::Source| Plan {
            root: source.name.clone(),
            rule: format!("collected every {}", span(source.every)),
            next: None,
            because: String::new(),
        };
        self.roots.all().into_iter().map(plan).chain(self.settings.sources.iter().map(source)).collect()
    }

    /// Looks at the clock at the beginning of a run: how long nobody was here, and whether it has been set back.
    pub(crate) fn mind_the_clock_at_start(&self) -> Result<(), Failure> {
        let now = self.clock.now();
        match self.store.last_time()? {
            Some(last) if last.since(now) > Duration::from_hours(1) => {
                self.doubt_the_clock(now, SignedDuration::try_from(last.since(now)).unwrap_or_default() * -1)?;
            }
            Some(last) if now.since(last) > self.long_away() => self.store.set_no_ends_before(now.after(GRACE))?,
            _ => {}
        }
        Ok(self.store.note_time(now)?)
    }

    /// An absence after which everything gets its chance first: a day, but more where runs are far apart by intention.
    fn long_away(&self) -> Duration {
        let shortest = self.roots.all().iter().map(|root| root.times().time_to_live).min().unwrap_or_default();
        LONG_AWAY.max(shortest / 2)
    }

    /// Looks at the clock while a run goes on.
    pub(crate) fn mind_the_clock(&self) -> Result<(), Failure> {
        let now = self.clock.now();
        if let Some(jump) = self.seen.jump(now) {
            self.doubt_the_clock(now, jump)?;
        }
        Ok(self.store.note_time(now)?)
    }

    fn doubt_the_clock(&self, now: UnixTime, jump: SignedDuration) -> Result<(), Failure> {
        let far = span(jump.unsigned_abs());
        let where_to = if jump.is_negative() { "back" } else { "ahead" };
        events::clock_jumped(where_to, &far);
        let warning = format!("the clock has been set {where_to} by {far}; no record's life ends for a day");
        self.progress.warn(warning);
        Ok(self.store.set_no_ends_before(now.after(GRACE))?)
    }

    /// Whether ends of lives can be believed now.
    pub(crate) fn trusts_the_clock(&self) -> Result<bool, Failure> {
        let now = self.clock.now();
        // A day of grace that lies further ahead was given by a clock that was wrong itself.
        let grace = self.store.no_ends_before()?.filter(|end| end.since(now) <= GRACE);
        Ok(grace.is_none_or(|end| end <= now))
    }

    /// What is due so far ahead that only a wrong clock can have put it there is visited now.
    pub(crate) fn offer_strayed(&self, run: &Run) -> Result<(), Failure> {
        let now = self.clock.now();
        let roots = self.roots.all();
        // What is gone is looked at four times as rarely.
        let longest = |root: &Arc<Root>| root.times().refresh_rate * root.times().range.max(1) * 4;
        let farthest = roots.iter().map(longest).max().unwrap_or_default() + GRACE;
        let strayed = self.store.due_after(now.after(farthest), STRAYED)?;
        let is_strayed = |entry: &&Entry| {
            let ruled = entry.ruled.map_or(Duration::ZERO, |times| times.refresh_rate * times.range.max(1) * 4);
            let planned = self.roots.get(&entry.root).and_then(|root| root.node.schedule.clone());
            let gap = planned.map_or(Duration::ZERO, |schedule| schedule.longest_gap(now) * 4);
            entry.visit_by().since(now) > farthest.max(ruled + GRACE) + gap
        };
        let strayed: Vec<_> = strayed.iter().filter(is_strayed).map(|entry| self.again(entry, true)).collect();
        if !strayed.is_empty() {
            self.progress.warn(format!(
                "{} documents were due by a clock that was far ahead; they are visited now",
                strayed.len()
            ));
            self.offer(run, strayed)?;
        }
        Ok(())
    }

    /// Why nothing more may be written, if so.
    pub(crate) fn lacks_space(&self) -> Option<String> {
        let (free, wanted) = (self.store.free_space()?, self.settings.storing.keep_free);
        (free < wanted).then(|| {
            let path = self.store.path().display();
            format!("only {free} bytes are free on the disk of {path}, and store.keep-free wants {wanted}")
        })
    }
}
