//! Visits under way and hosts waiting, and what people want of the run beside that.

use crate::gather::Visited;
use crate::hosts::Hosts;
use crate::intake::Intake;
use crate::{Engine, RunOptions};
use gatherer_pipeline::{Failure, HostState, events};
use gatherer_store::Work;
use std::collections::HashSet;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// A host that has to be left alone for longer is not waited for: its queue stays for the next run.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);
/// After this time a run takes up nothing more, so that it comes to its end and its report.
const ONE_RUN: Duration = Duration::from_hours(24);

/// Visits under way and hosts waiting.
pub(crate) struct Line {
    pub(crate) hosts: Hosts,
    pub(crate) visits: JoinSet<Result<Visited, Failure>>,
    pub(crate) unfolded: usize,
    pub(crate) intake: Intake,
    pub(crate) options: RunOptions,
    /// Wishes whose deletions the operator lets pass, once.
    consents: Vec<RunOptions>,
    /// Wishes for which hosts' troubles are forgiven.
    pardons: Vec<RunOptions>,
    /// Hosts whose troubles were forgiven, or that had none.
    forgiven: HashSet<String>,
    began: Instant,
}

impl Line {
    pub(crate) fn new(options: RunOptions) -> Self {
        let (hosts, visits, forgiven) = (Hosts::default(), JoinSet::new(), HashSet::new());
        let pardons = options.everything.then(|| options.clone()).into_iter().collect();
        let began = Instant::now();
        let (intake, consents) = (Intake::new(), Vec::new());
        Self { hosts, visits, unfolded: 0, intake, options, consents, pardons, forgiven, began }
    }

    /// A daemon's run takes up what falls due meanwhile, but it has an end; a person's run does only what was due.
    pub(crate) fn takes_up_more(&self) -> bool {
        !self.options.by_hand && self.began.elapsed() < ONE_RUN
    }

    /// Somebody wants something while the run goes on.
    pub(crate) fn wish(&mut self, options: RunOptions) {
        if options.everything {
            self.forgiven.clear();
            self.hosts.recall();
            self.pardons.push(options.clone());
        }
        self.consents.extend(options.allow_deletions.then_some(options));
    }

    /// Whose deletions may pass now. What was wished for while the run went on counts once; what the run was started with, for
    /// all of it.
    pub(crate) fn take_consents(&mut self) -> Vec<RunOptions> {
        let own = self.options.allow_deletions.then(|| self.options.clone());
        own.into_iter().chain(std::mem::take(&mut self.consents)).collect()
    }
}

impl Engine {
    /// What of a host's queue is visited next, of the root nodes that this run is about.
    pub(crate) fn next_wanted(&self, host: &str, line: &Line) -> Result<Option<Work>, Failure> {
        let wants = |root: &str| line.options.wants(root);
        Ok(self.store.next_wanted(host, line.hosts.in_hand(host), &wants)?)
    }

    /// Whether a host has to be left alone because of its troubles: for a while, or for the rest of this run.
    pub(crate) fn is_left_alone(&self, host: &str, line: &mut Line) -> Result<bool, Failure> {
        let state = self.state_now(host, line)?;
        let rest = state.rest(self.clock.now_millis());
        if rest.is_zero() {
            return Ok(false);
        }
        if self.next_wanted(host, line)?.is_none() {
            // There is nothing to wait for.
            line.hosts.rest(host);
        } else if rest <= LONGEST_PAUSE {
            line.hosts.wait(host, Instant::now() + rest);
        } else {
            line.hosts.set_aside(host, Instant::now() + rest);
            events::set_aside(host, &state.reason, rest.as_secs());
            self.progress.set_aside(host, state.reason, state.rests_until / 1_000);
        }
        Ok(true)
    }

    /// A host's troubles, forgiven if a person wants everything tried again there: once, not without end.
    fn state_now(&self, host: &str, line: &mut Line) -> Result<HostState, Failure> {
        if line.pardons.is_empty() || !line.forgiven.insert(host.to_owned()) {
            return self.host_state(host);
        }
        let wants = |root: &str| line.pardons.iter().any(|wish| wish.wants(root));
        let is_meant = self.store.next_wanted(host, line.hosts.in_hand(host), &wants)?.is_some();
        if is_meant { self.forgive(host) } else { self.host_state(host) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn consent_counts_once_unless_the_run_was_started_with_it() {
        let consent =
            |root: &str| RunOptions { allow_deletions: true, roots: vec![root.to_owned()], ..RunOptions::default() };
        let mut line = Line::new(RunOptions::default());
        line.wish(RunOptions { everything: true, ..RunOptions::default() });
        assert!(line.take_consents().is_empty(), "a wish is no consent");
        line.wish(consent("docs"));
        let consents = line.take_consents();
        assert!(consents.len() == 1 && consents[0].wants("docs") && !consents[0].wants("news"), "{consents:?}");
        assert!(line.take_consents().is_empty(), "what is to be deleted later was not looked at");
        let mut line = Line::new(consent("news"));
        assert_eq!((line.take_consents().len(), line.take_consents().len()), (1, 1));
    }
}
