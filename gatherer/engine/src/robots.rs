//! robots.txt of each site: fetched once, kept in the store, read into rules once a run.

use crate::Engine;
use crate::gather::Learnt;
use gatherer_pipeline::{Access, Candidate, Departure, HostNews, Step, Stop, UnixTime, events, origin, server_name};
use gatherer_prepare::Robots;
use gatherer_store::{RobotsCopy, Run};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

/// RFC 9309, section 2.5: at least this much of the file is read.
const FILE_LIMIT: usize = 500 << 10;
/// RFC 9309, section 2.3.1.2.
const REDIRECTS: usize = 5;
/// How long a site whose robots.txt cannot be had is left alone before it is asked again in the same run.
const UNREACHABLE_LIFE: Duration = Duration::from_mins(10);
/// A copy older than this says nothing any more (RFC 9309, section 2.3.1.4 speaks of 30 days).
const STALE_LIMIT: Duration = Duration::from_hours(30 * 24);
/// Rules are kept in memory for so long at least.
const SHORTEST_LIFE: Duration = Duration::from_mins(1);
/// Sites whose rules are in memory; beyond that all are read anew from the store.
const REMEMBERED: usize = 10_000;

/// Rules by origin, in memory.
#[derive(Default)]
pub(crate) struct RobotsCache {
    rules: Mutex<HashMap<String, Kept>>,
    /// By origin, the root nodes that were offered its sitemaps since its rules were last read.
    mapped: Mutex<HashMap<String, HashSet<String>>>,
}

#[derive(Clone)]
struct Kept {
    rules: Result<Arc<Robots>, Departure>,
    since: UnixTime,
    until: UnixTime,
}

impl RobotsCache {
    /// The pause that a site asks for, as far as its rules are known.
    pub(crate) fn delay(&self, url: &Url) -> Duration {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = rules.get(&origin(url)).and_then(|kept| kept.rules.as_ref().ok());
        kept.and_then(|rules| rules.crawl_delay()).unwrap_or_default()
    }

    fn get(&self, origin: &str, now: UnixTime) -> Option<Kept> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.get(origin).filter(|kept| kept.since <= now && kept.until > now).cloned()
    }

    fn mapped(&self) -> MutexGuard<'_, HashMap<String, HashSet<String>>> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, origin: String, kept: Kept) {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if rules.len() >= REMEMBERED {
            rules.clear();
            self.mapped().clear();
        }
        self.mapped().remove(&origin);
        rules.insert(origin, kept);
    }
}

impl Engine {
    /// The rules for a candidate, whose root node gets the sitemaps that they name.
    pub(crate) async fn robots_of(&self, run: &Run, candidate: &Candidate, learnt: &mut Learnt) -> Step<Arc<Robots>> {
        let rules = self.find_robots(candidate, learnt).await?;
        let is_new = || {
            let mut mapped = self.robots.mapped();
            mapped.entry(origin(candidate.url())).or_default().insert(candidate.root().to_owned())
        };
        if !rules.sitemaps().is_empty() && is_new() {
            let maps = self.judge_found(self.maps_of(&rules, candidate).into_iter());
            learnt.woken.extend(self.offer(run, maps)?);
        }
        let wait = self.fetcher.gate().wait(&learnt.doors, self.pace(candidate));
        if wait.is_zero() { Ok(rules) } else { Err(Stop::Later { wait }) }
    }

    /// The rules from memory, from the store, or from the site. Asking the site is a request like any other, so the
    /// candidate itself then has to wait for its turn.
    async fn find_robots(&self, candidate: &Candidate, learnt: &mut Learnt) -> Step<Arc<Robots>> {
        let url = candidate.url();
        if let Some(rules) = self.robots_exemption(url) {
            return Ok(Arc::new(rules));
        }
        let (origin, now) = (origin(url), self.clock.now());
        if let Some(kept) = self.robots.get(&origin, now) {
            return Ok(kept.rules?);
        }
        let copy = self.store.robots(&origin)?;
        let life = self.settings.fetching.robots_life;
        // A copy of the future is one of a clock that has been set back since.
        if let Some(copy) = copy.as_ref().filter(|copy| copy.at <= now && now.since(copy.at) < life) {
            let until = copy.at.after(life).max(now.after(self.shortest_life(candidate)));
            return Ok(self.remember(&origin, self.read(copy), until)?);
        }
        let fetched = match self.fetch_robots(candidate, learnt).await {
            Ok(fresh) => self.read(&fresh).map(|rules| (rules, fresh)),
            Err(Stop::Left(departure)) => Err(departure),
            Err(other) => return Err(other),
        };
        let rules = match fetched {
            Ok((rules, fresh)) => {
                let rules = self.remember(&origin, Ok(rules), now.after(life.max(self.shortest_life(candidate))))?;
                self.store.keep_robots(&origin, &fresh, &self.asked(candidate, learnt))?;
                rules
            }
            // Another root node may name this host, and so be allowed to ask.
            Err(departure @ Departure::PrivateAddress { .. }) => return Err(departure.into()),
            Err(departure) => {
                events::robots_unreachable(&origin, &departure);
                // A host that has only trouble for an answer is as good as down.
                let news = match HostNews::from(&departure) {
                    busy @ HostNews::Busy(_) => busy,
                    _ => HostNews::Down,
                };
                if let Some(host) = self.hear_of_host(&server_name(url), news, &departure.to_string())? {
                    self.store.keep_host_state(&host)?;
                }
                let stale = copy.filter(|copy| now.since(copy.at) < STALE_LIMIT);
                let rules = stale.map_or(Err(unreachable(departure)), |copy| self.read(&copy));
                self.remember(&origin, rules, now.after(UNREACHABLE_LIFE.max(self.shortest_life(candidate))))?
            }
        };
        Ok(rules)
    }

    /// Rules are kept in memory for so long at least: a visit that was put off behind them must find them.
    fn shortest_life(&self, candidate: &Candidate) -> Duration {
        SHORTEST_LIFE.max(self.pace(candidate).delay * 2)
    }

    /// Where nobody is asked for rules.
    fn robots_exemption(&self, url: &Url) -> Option<Robots> {
        if !self.settings.fetching.robots {
            return Some(Robots::allow_all("robots rules are switched off"));
        }
        if Access::of(url) == Some(Access::Http) && self.fetcher.is_at_hand(url) {
            return Some(Robots::allow_all("it is read from this machine, as local-mapping says"));
        }
        (Access::of(url) != Some(Access::Http)).then(|| Robots::allow_all("only web sites have robots rules"))
    }

    /// The rules as far as they are at hand without asking anybody.
    pub(crate) fn robots_at_hand(&self, url: &Url) -> Option<(Robots, Option<UnixTime>)> {
        if let Some(rules) = self.robots_exemption(url) {
            return Some((rules, None));
        }
        let copy = self.store.robots(&origin(url)).ok().flatten()?;
        Some((self.read(&copy).ok()?, Some(copy.at)))
    }

    fn remember(
        &self,
        origin: &str,
        rules: Result<Robots, Departure>,
        until: UnixTime,
    ) -> Result<Arc<Robots>, Departure> {
        let rules = rules.map(Arc::new);
        self.robots.keep(origin.to_owned(), Kept { rules: rules.clone(), since: self.clock.now(), until });
        rules
    }

    fn read(&self, copy: &RobotsCopy) -> Result<Robots, Departure> {
        Robots::answer(copy.status, &copy.body, &self.settings.fetching.agent)
    }

    async fn fetch_robots(&self, candidate: &Candidate, learnt: &mut Learnt) -> Step<RobotsCopy> {
        let mut target = candidate.at(candidate
            .url()
            .join("/robots.txt")
            .map_err(|error| unreachable(Departure::Unreachable { reason: error.to_string() }))?);
        for hop in 0..=REDIRECTS {
            let doors = match self.doors(&target, learnt).await {
                // A site cannot send us to somebody's private files for its rules.
                Err(Stop::Left(Departure::PrivateAddress { .. })) if hop > 0 => break,
                doors => doors?,
            };
            let pace = self.pace(&target);
            // A hop to another host has no turn there to wait for, so it waits here.
            let plain =
                self.fetcher.fetch_plain(&target, &doors, (pace, hop > 0), FILE_LIMIT, &mut learnt.doors).await?;
            if let (429 | 503, retry_after) = (plain.status, plain.retry_after) {
                return Err(Departure::ServerTrouble { status: plain.status, retry_after }.into());
            }
            match plain.location.filter(|_| (300..400).contains(&plain.status)) {
                Some(next) if Access::of(&next) == Some(Access::Http) => target = target.at(next),
                Some(_) => break,
                None => return Ok(RobotsCopy { at: self.clock.now(), status: plain.status, body: plain.body }),
            }
        }
        // Too many redirects count as "no such file" (RFC 9309, section 2.3.1.2).
        Ok(RobotsCopy { at: self.clock.now(), status: 404, body: Vec::new() })
    }
}

fn unreachable(departure: Departure) -> Departure {
    match departure {
        Departure::RobotsUnreachable { .. } | Departure::PrivateAddress { .. } => departure,
        other => Departure::RobotsUnreachable { reason: other.to_string() },
    }
}
