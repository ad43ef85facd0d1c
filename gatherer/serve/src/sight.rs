//! What of runs, hosts and the ledger somebody may see: where root nodes are private, nothing that is theirs, and nothing
//! of which nobody can tell whose it is. Sums stay: they name nobody.

use crate::{IsPrivate, Now, Service};
use gatherer_pipeline::host_of_server;
use gatherer_pipeline::report::{Report, Tally};
use gatherer_store::Production;
use std::collections::BTreeMap;
use url::Url;

/// How much somebody sees.
pub(crate) struct Sight<'a> {
    production: &'a Production,
    /// What is not there for them; nothing if everything is.
    hidden: Option<&'a IsPrivate>,
}

impl<'a> Sight<'a> {
    /// Everything, or all that is public.
    pub(crate) fn new(service: &'a Service, sees_private: bool) -> Self {
        let is_private = &service.is_private;
        let has_private = || {
            let ever = service.production.ever_private().map_or(true, |names| !names.is_empty());
            ever || service.production.holdings().iter().any(|(root, _)| is_private(root))
        };
        let hidden = (!sees_private && has_private()).then_some(is_private);
        Self { production: &service.production, hidden }
    }

    pub(crate) fn is_root_hidden(&self, root: &str) -> bool {
        self.hidden.is_some_and(|is_private| is_private(root))
    }

    /// Whether what begins with this URL is of a root node that may be seen.
    fn sees_example(&self, text: &str) -> bool {
        let Some(is_private) = self.hidden else { return true };
        let url = text.split(": ").next().and_then(|url| Url::parse(url).ok());
        let root = url.and_then(|url| self.production.root_of(&url).ok().flatten());
        root.is_some_and(|root| !is_private(&root))
    }

    fn sees_host(&self, host: &str) -> bool {
        let Some(is_private) = self.hidden else { return true };
        let roots = self.production.roots_at(host_of_server(host));
        !roots.is_empty() && !roots.iter().any(|root| is_private(root))
    }

    /// A report without what may not be seen.
    pub(crate) fn report(&self, mut report: Report) -> Report {
        if self.hidden.is_none() {
            return report;
        }
        for tallies in [&mut report.outcomes, &mut report.members, &mut report.refused] {
            self.trim(tallies);
        }
        report.endangered.examples.retain(|example| self.sees_example(example));
        report.roots.retain(|root, _| !self.is_root_hidden(root));
        report.sources.retain(|source, _| !self.is_root_hidden(source));
        report.held.retain(|held| !self.is_root_hidden(&held.root));
        report.set_aside.retain(|host, _| self.sees_host(host));
        report.traps.retain(|(host, _)| self.sees_host(host));
        report.hosts.retain(|host, _| self.sees_host(host));
        // Nobody can tell what these speak of.
        report.warnings.clear();
        report.plugins.iter_mut().for_each(|plugin| plugin.set_aside = None);
        report.parsers.values_mut().for_each(|parser| parser.trouble = None);
        report
    }

    fn trim(&self, tallies: &mut BTreeMap<String, Tally>) {
        tallies.values_mut().for_each(|tally| tally.examples.retain(|example| self.sees_example(example)));
    }

    /// What goes on, without what may not be seen.
    pub(crate) fn now(&self, mut now: Now) -> Now {
        if self.hidden.is_none() {
            return now;
        }
        now.plans.retain(|plan| !self.is_root_hidden(&plan.root));
        now.hosts.retain(|host| self.sees_host(&host.host));
        now.warnings.clear();
        if let Some(running) = &mut now.running {
            running.report = self.report(std::mem::take(&mut running.report));
            running.in_hand.retain(|url| self.sees_example(url));
        }
        now
    }
}
