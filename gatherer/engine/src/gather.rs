//! One candidate down the whole line.

use crate::desk::{Drafted, Judged, Worked};
use crate::news::{SAME, stored};
use crate::{Engine, Root, Stop};
use futures_util::FutureExt;
use gatherer_pipeline::{
    Admission, Candidate, Departure, Failure, Fate, Fetched, Folded, HostNews, Known, Md5, Outcome, Prepared,
    Recognized, Reference, Role, Step, Times, Unchanged, Validators, events, server_name,
};
use gatherer_store::{KeptBody, Offer, Record, Run, Terms, Ticket, Visit, Work};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// A visit that is over, or put off.
pub(crate) struct Visited {
    /// Whose queue may go on,
    pub(crate) host: String,
    /// after this wait.
    pub(crate) wait: Duration,
    /// Its place in the queue.
    pub(crate) ticket: Ticket,
    /// Hosts that got something new to do.
    pub(crate) woken: Vec<String>,
    /// Whether there is something new to fold.
    pub(crate) to_fold: bool,
}

/// What a visit has found out on its way, whatever its end.
#[derive(Default)]
pub(crate) struct Learnt {
    /// What the server wants to hear next time.
    validators: Option<Validators>,
    /// Where it leads, although there will be no record.
    references: Vec<Candidate>,
    /// The doors that the last request went through: its host's and its address's.
    pub(crate) doors: Vec<String>,
    /// Hosts that got something to do on the way.
    pub(crate) woken: Vec<String>,
    /// What was fetched, if the operator keeps it.
    body: Option<KeptBody>,
    /// Whether nobody was asked: the record is made anew of what was kept.
    pub(crate) is_remake: bool,
}

impl Engine {
    /// Takes one candidate down the whole line. The comments read as one sentence.
    async fn gather(self: &Arc<Self>, run: &Run, work: &Work, learnt: &mut Learnt) -> Step<Vec<String>> {
        let prepared = self.prepare(run, &work.candidate, learnt).await?; // A candidate in scope, allowed by its site,
        let fetched = self.fetch(prepared, learnt).await?; // is brought in, unless it is unchanged,
        if work.candidate.role() == Role::Map {
            return self.read_map(run, work, &fetched, learnt); // (a sitemap is only read for what it names)
        }
        let recognized = self.recognize(fetched, learnt).await?; // known by its kind,
        let worked = self.summarize(recognized).await?; // opened, reduced to attributes, corrected by the operator's rules
        let judged = self.judge(worked, learnt)?; // and by its own,
        self.put_down(run, work, judged, learnt) // and put down for the fold with what it refers to.
    }

    /// Visits a candidate and writes down how it ended. The only place that tells departures from failures.
    pub(crate) async fn visit(self: &Arc<Self>, run: &Run, mut work: Work) -> Result<Visited, Failure> {
        // It may have been queued before the operator changed the config.
        if let Some(candidate) = self.wanted_elsewhere(&work.candidate) {
            work.candidate = candidate;
        }
        let mut learnt = Learnt::default();
        let gathered = AssertUnwindSafe(self.gather(run, &work, &mut learnt)).catch_unwind().await;
        let gathered = gathered.unwrap_or_else(|panic| Err(stumbled(&*panic).into()));
        let host = server_name(work.candidate.url()).into_owned();
        let mut visited =
            Visited { host, wait: Duration::ZERO, ticket: Ticket::new(), woken: Vec::new(), to_fold: true };
        let mut asked_for = Duration::ZERO;
        let doors = learnt.doors.clone();
        visited.woken.append(&mut learnt.woken);
        match gathered {
            Ok(woken) => visited.woken.extend(woken),
            Err(Stop::Left(departure)) => {
                visited.to_fold = matches!(departure, Departure::Unchanged(_));
                visited.woken.extend(self.write_down(run, &work, departure, learnt)?);
            }
            Err(Stop::Later { wait }) => {
                self.progress.put_off(work.candidate.url());
                asked_for = wait;
                visited.to_fold = false;
            }
            Err(Stop::Broken(failure)) => return Err(failure),
        }
        visited.wait = asked_for.max(self.fetcher.gate().wait(&doors, self.pace(&work.candidate)));
        visited.ticket = work.ticket;
        Ok(visited)
    }

    async fn prepare(&self, run: &Run, candidate: &Candidate, learnt: &mut Learnt) -> Step<Prepared> {
        let root = self.root(candidate)?;
        let scope = match candidate.role() {
            Role::Map => "a sitemap of this root node".to_owned(),
            Role::Page | Role::Leaf | Role::Member | Role::Collected => root.scope.admit(candidate)?,
        };
        let limit = self.settings.fetching.redirect_limit;
        if candidate.hops() > limit {
            let reason = format!("more than {limit} redirects in a row led here");
            return Err(Departure::Redirect { reason }.into());
        }
        let before = self.desk().before_fetch(candidate.url());
        if let Some(vote) = before.first().filter(|_| candidate.role() != Role::Map) {
            self.desk().select_kind(&vote.kind)?;
        }
        let entry = self.store.entry(candidate.url())?;
        let is_first = entry.as_ref().is_none_or(gatherer_pipeline::Entry::was_never_asked);
        if is_first {
            self.trap_in(candidate)?;
            self.earns_host(candidate)?;
        }
        let robots = self.robots_of(run, candidate, learnt).await?.judge(candidate.url())?;
        if is_first {
            self.earns_visit(candidate)?;
        }
        Ok(Prepared::new(candidate.clone(), Admission { scope, robots }, self.known(candidate, entry)?))
    }

    /// What the last visit left, if its record is there and was made as it would be made today.
    fn known(&self, candidate: &Candidate, entry: Option<gatherer_pipeline::Entry>) -> Result<Known, Failure> {
        let Some(entry) = entry.filter(|entry| entry.md5.is_some()) else { return Ok(Known::default()) };
        let is_good = match candidate.role() {
            Role::Map => entry.made_with == Some(self.map_mark(candidate)),
            _ => self.is_up_to_date(&entry)?,
        };
        if !is_good {
            return Ok(Known::default());
        }
        // A body that is to be kept, and is not yet, has to come whole.
        let is_wanted = self.settings.storing.keep_bodies && candidate.role() != Role::Map;
        let is_missing = is_wanted && !self.store.keeps_body(candidate.url())?;
        let validators = if is_missing { Validators::default() } else { entry.validators };
        Ok(Known { validators, md5: entry.md5 })
    }

    /// Whether a resource has a record that was made as it would be made today.
    pub(crate) fn is_up_to_date(&self, entry: &gatherer_pipeline::Entry) -> Result<bool, Failure> {
        let head = self.store.view().head(entry.record_url())?;
        Ok(head.is_some_and(|head| entry.made_with == Some(self.desk().mark(&head.kind))))
    }

    async fn fetch(&self, prepared: Prepared, learnt: &mut Learnt) -> Step<Fetched> {
        let candidate = prepared.candidate().clone();
        let doors = self.doors(&candidate, learnt).await?;
        let known = prepared.known().md5;
        let asked = Instant::now();
        let fetched = self.fetcher.fetch(prepared, &doors, self.pace(&candidate), &mut learnt.doors).await;
        let bytes = fetched.as_ref().map_or(0, |fetched| fetched.body.len());
        self.progress.answered(&server_name(candidate.url()), bytes, asked.elapsed());
        let fetched = fetched?;
        learnt.validators = Some(fetched.validators.clone());
        if known.is_some_and(|known| known == fetched.md5()) {
            learnt.body = self.kept(&fetched);
            return Err(Departure::Unchanged(Unchanged::EqualDigest).into());
        }
        Ok(fetched)
    }

    /// What was fetched, if the operator keeps it.
    fn kept(&self, fetched: &Fetched) -> Option<KeptBody> {
        let is_document = fetched.prepared.candidate().role() != Role::Map;
        (self.settings.storing.keep_bodies && is_document).then(|| KeptBody::new(fetched))
    }

    pub(crate) async fn recognize(&self, fetched: Fetched, learnt: &mut Learnt) -> Step<Recognized> {
        learnt.body = self.kept(&fetched);
        let desk = self.desk();
        let recognized = if desk.has_recognizers() {
            // Foreign code may take its time.
            let working = desk.clone();
            let recognized = tokio::task::spawn_blocking(move || working.recognize(fetched)).await;
            recognized.map_err(lost_thread)?
        } else {
            desk.recognize(fetched)
        };
        desk.select_kind(recognized.kind())?;
        Ok(recognized)
    }

    pub(crate) async fn summarize(self: &Arc<Self>, leaf: Recognized) -> Step<Worked> {
        let times = self.root(leaf.fetched.prepared.candidate())?.times();
        let (engine, now) = (self.clone(), self.clock.now());
        let work = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let known = |url: &Url| engine.digest_of(url);
            let worked = engine.desk().work(leaf, times, now, &known);
            // Parsers stand in the report with a time of their own.
            engine.progress.summarized(&worked.drafted.by, begun.elapsed().saturating_sub(worked.parsing));
            worked
        });
        work.await.map_err(lost_thread)
    }

    /// The digest behind the present record of a member, if that was made as it would be made today. A store that cannot
    /// tell makes it anew.
    fn digest_of(&self, url: &Url) -> Option<Md5> {
        let entry = self.store.entry(url).ok().flatten()?;
        entry.md5.filter(|_| self.is_up_to_date(&entry).unwrap_or(false))
    }

    /// What a page wants of robots: no record, or one under another address; and which of its references may be followed.
    pub(crate) fn judge(&self, worked: Worked, learnt: &mut Learnt) -> Step<Judged> {
        let Worked { drafted, summary, inside, .. } = worked;
        let candidate = drafted.leaf.fetched.prepared.candidate();
        let root = self.root(candidate)?;
        let rules = self.desk().page_rules(&drafted, self.clock.now());
        let references =
            drafted.draft.references().iter().map(|reference| (reference, reference.follow && rules.follow));
        let (found, unvouched): (Vec<_>, Vec<_>) = references.partition(|(_, follow)| *follow);
        let child = |(reference, _): (&Reference, bool)| candidate.child(reference.url.clone());
        let inner = inside.members.iter().filter_map(|member| member.fate.as_ref().ok());
        let inner = inner.filter(|_| rules.follow);
        let inner = inner.flat_map(|made| made.found.iter().map(|url| candidate.child(url.clone())));
        // Most of what a page refers to is in hand already, and need not be judged once more.
        let is_news = |(reference, _): &(&Reference, bool)| !self.store.is_in_hand(candidate.root(), &reference.url);
        let found = found.into_iter().filter(is_news).map(child).chain(inner);
        let found: Vec<_> = found.filter(|_| candidate.role() == Role::Page).collect();
        let unvouched: Vec<_> = unvouched.iter().map(|(reference, _)| reference.url.to_string()).collect();
        let mut summary = match summary {
            Ok(summary) => summary,
            Err(departure) => {
                // Who is not wanted for its size or its language may lead to others that are.
                if matches!(departure, Departure::Size { .. } | Departure::Language { .. }) {
                    learnt.references = found;
                }
                return Err(departure.into());
            }
        };
        if let Some(rule) = rules.noindex {
            learnt.references = found;
            return Err(Departure::NoIndex { rule }.into());
        }
        if let Some(words) = drafted.says_missing().filter(|_| candidate.depth() > 0) {
            return Err(Departure::SoftMissing { words }.into());
        }
        if let Some(to) = self.canonical_elsewhere(&drafted, &root)? {
            learnt.references = found;
            learnt.references.push(candidate.moved(to.clone()));
            return Err(Departure::Canonical { to: to.into() }.into());
        }
        // Kept, so that a wider scope does not lead where the page did not want to.
        summary.set(UNVOUCHED, &unvouched.join("\n"), "gatherer");
        Ok(Judged { drafted, summary, inside, found })
    }

    /// The address that a page names as its own, if that is another one, in scope, and not known to be dead or to lead
    /// back here. A page is not lost because of what it says of itself.
    fn canonical_elsewhere(&self, drafted: &Drafted, root: &Root) -> Result<Option<Url>, Failure> {
        let fetched = &drafted.leaf.fetched;
        let candidate = fetched.prepared.candidate();
        let named = fetched.canonical.as_deref().and_then(|named| candidate.url().join(named).ok());
        let Some(named) = named.or_else(|| drafted.draft.canonical().cloned()) else { return Ok(None) };
        let Ok(to) = root.form.apply(named) else { return Ok(None) };
        let target = candidate.moved(to.clone());
        if to == *candidate.url() || candidate.role() == Role::Leaf || root.scope.admit(&target).is_err() {
            return Ok(None);
        }
        let entry = self.store.entry(&to)?;
        let fate = entry.as_ref().and_then(|entry| entry.fates.last()).map(|fate| &fate.outcome);
        Ok(fate.is_none_or(Outcome::is_success).then_some(to))
    }

    /// One batch: record, fate, new candidates, the place in the queue given up.
    pub(crate) fn put_down(
        &self,
        run: &Run,
        work: &Work,
        Judged { drafted: made, summary, inside, found }: Judged,
        learnt: &Learnt,
    ) -> Step<Vec<String>> {
        let candidate = &work.candidate;
        let root = self.root(candidate)?;
        let fetched = &made.leaf.fetched;
        // What a summarizer refused is made anew at the next visit, even if it has not changed.
        let inner = inside.members.iter().filter_map(|member| member.fate.as_ref().ok());
        let is_refused = made.refused || { inner }.any(|made| made.refused);
        let made_with = (!is_refused).then(|| self.desk().mark(summary.kind().name()));
        let record = Record::new(&summary, candidate.url(), candidate.root());
        let opened = self.opened(candidate, inside);
        // If that comes to the same, brokers need not hear of it.
        if is_refused && self.is_there(&record) && opened.members.iter().all(|member| member.outcome == SAME) {
            return Err(Departure::Unchanged(Unchanged::EqualDigest).into());
        }
        let outcome = stored(&summary, made.leaf.votes(), &made.by);
        self.note_yield(candidate, Some(&summary))?;
        self.progress.count(candidate, &outcome);
        let fate = Fate { at: fetched.at, run: run.number, outcome };
        let visit = Visit {
            validators: Some(fetched.validators.clone()),
            record: Some((record, made_with)),
            opened: Some(opened),
            body: learnt.body.as_ref(),
            is_remake: learnt.is_remake,
            found: self.judge_found(found.into_iter()),
            asked: self.asked(candidate, learnt),
            host: self.hear_answer(candidate, learnt)?,
            schedule: root.node.schedule.as_ref(),
            ..Visit::new(candidate, fate, root.times())
        };
        let (woken, taken) = self.finish(run, work, visit)?;
        events::stored(&Folded { url: summary.url().clone(), kind: summary.kind().clone(), found: taken });
        Ok(woken)
    }

    /// One batch: what a sitemap names, its fate, its digest, its place in the queue given up.
    pub(crate) fn put_down_map(
        &self,
        run: &Run,
        work: &Work,
        fetched: &Fetched,
        outcome: Outcome,
        found: Vec<Candidate>,
        learnt: &Learnt,
    ) -> Step<Vec<String>> {
        let candidate = &work.candidate;
        let root = self.root(candidate)?;
        self.progress.count(candidate, &outcome);
        let fate = Fate { at: fetched.at, run: run.number, outcome };
        let visit = Visit {
            validators: Some(fetched.validators.clone()),
            seen: Some((fetched.md5(), self.map_mark(candidate))),
            found: self.judge_found(found.into_iter()),
            asked: self.asked(candidate, learnt),
            host: self.hear_answer(candidate, learnt)?,
            schedule: root.node.schedule.as_ref(),
            ..Visit::new(candidate, fate, root.times())
        };
        Ok(self.finish(run, work, visit)?.0)
    }

    /// One batch: fate, where a redirect leads, the place in the queue given up.
    fn write_down(&self, run: &Run, work: &Work, departure: Departure, learnt: Learnt) -> Result<Vec<String>, Failure> {
        let candidate = &work.candidate;
        let (departure, target) = self.follow_redirect(candidate, departure);
        events::left(candidate, &departure);
        if matches!(departure, Departure::SoftMissing { .. } | Departure::Missing { .. } | Departure::Canonical { .. })
        {
            self.note_yield(candidate, None)?;
        }
        let news = if learnt.doors.is_empty() { HostNews::Nothing } else { HostNews::from(&departure) };
        let host = self.hear_of_host(&server_name(candidate.url()), news, &departure.to_string())?;
        let asked = self.asked(candidate, &learnt);
        let outcome = Outcome::Left(departure);
        self.count_loss(candidate, &outcome)?;
        let root = self.root(candidate).ok();
        let times = root.as_ref().map_or(NO_ROOT, |root| root.times());
        let fate = Fate { at: self.clock.now(), run: run.number, outcome };
        let visit = Visit {
            validators: learnt.validators,
            body: learnt.body.as_ref(),
            found: self.judge_found(learnt.references.into_iter().chain(target)),
            asked,
            host,
            schedule: root.as_ref().and_then(|root| root.node.schedule.as_ref()),
            ..Visit::new(candidate, fate, times)
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
                Offer::New | Offer::Known => {
                    taken += 1;
                    self.progress.queue(candidate);
                    woken.push(server_name(candidate.url()).into_owned());
                }
                Offer::Full(departure) => self.progress.refuse(candidate, departure),
                Offer::InHand | Offer::NotDue(_) => {}
            }
        }
        woken.dedup();
        (woken, taken)
    }

    /// Brings candidates into their one form and leaves out what is not in scope.
    pub(crate) fn judge_found(&self, found: impl Iterator<Item = Candidate>) -> Vec<(Candidate, Terms)> {
        let mut judged = Vec::new();
        for candidate in found {
            match self.judge_one(&candidate) {
                Ok(one) => judged.push(one),
                Err(departure) => self.progress.refuse(&candidate, &departure),
            }
        }
        judged
    }

    fn judge_one(&self, candidate: &Candidate) -> Result<(Candidate, Terms), Departure> {
        let root = self.root(candidate)?;
        let candidate = candidate.at(root.form.apply(candidate.url().clone())?);
        if candidate.role() != Role::Map {
            root.scope.admit(&candidate)?;
            self.trap_in(&candidate)?;
        }
        let terms = root.terms(&candidate);
        Ok((candidate, terms))
    }

    pub(crate) fn root(&self, candidate: &Candidate) -> Result<Arc<Root>, Departure> {
        let root = candidate.root();
        self.roots.find(root)
    }

    /// The same candidate under a root node that wants it, if its own does not. A sitemap is its own root node's only.
    pub(crate) fn wanted_elsewhere(&self, candidate: &Candidate) -> Option<Candidate> {
        let is_wanted = |candidate: &Candidate| match self.root(candidate) {
            Ok(root) => candidate.role() == Role::Map || root.scope.admit(candidate).is_ok(),
            // What cannot be told now is not changed now.
            Err(departure) => matches!(departure, Departure::Stumbled { .. }),
        };
        if candidate.role() == Role::Map || is_wanted(candidate) {
            return None;
        }
        let elsewhere = self.roots.all().into_iter().map(|root| candidate.under(&root.node.name));
        elsewhere.into_iter().find(is_wanted)
    }

    /// Where a redirect leads, as a candidate; one that leads back to the same resource leads nowhere.
    fn follow_redirect(&self, candidate: &Candidate, departure: Departure) -> (Departure, Option<Candidate>) {
        let Departure::Moved { to, status } = &departure else { return (departure, None) };
        let Ok(root) = self.root(candidate) else { return (departure, None) };
        match Url::parse(to).map(|to| root.form.apply(to)) {
            Ok(Ok(to)) if to == *candidate.url() => {
                (Departure::Redirect { reason: "it leads to itself".to_owned() }, None)
            }
            Ok(Ok(to)) => (Departure::Moved { to: to.to_string(), status: *status }, Some(candidate.moved(to))),
            _ => (departure, None),
        }
    }
}

/// A thread that did not come back: a panic costs one document, anything else is the end.
fn lost_thread(error: tokio::task::JoinError) -> Stop {
    match error.try_into_panic() {
        Ok(panic) => stumbled(&*panic).into(),
        Err(error) => Failure::new("a summarizing thread ended", error).into(),
    }
}

fn stumbled(panic: &(dyn std::any::Any + Send)) -> Departure {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Departure::Stumbled { what: text.unwrap_or("without a message").to_owned() }
}

/// The attribute that lists references which the page does not vouch for (rel=nofollow, META robots).
pub(crate) const UNVOUCHED: &str = "Nofollow-References";

/// For what belongs to no root node any more.
const NO_ROOT: Times =
    Times { refresh_rate: Duration::from_hours(24), time_to_live: Duration::from_hours(24), range: 1 };
