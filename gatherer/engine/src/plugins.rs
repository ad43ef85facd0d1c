//! Where plugins come in beside summarizing: what a document is, what its summary says, and which plugins there are.

use crate::desk::{Desk, Drafted, leaf_of};
use crate::{Engine, tables};
use gatherer_pipeline::{Departure, Failure, Fetched, Kind, Md5, Recognized, Summary, Vote};
use gatherer_plugin::{Corrected, Deeds, Plugin, Role, Shelf};
use std::sync::{Arc, PoisonError};

impl Desk {
    /// A digest of all that decides what a record of this kind looks like. A plugin counts for the kinds it takes; and
    /// where there may be members, which can be of any kind, all of them count.
    pub(crate) fn mark(&self, kind: &str) -> Md5 {
        let makers = || self.shelf.plugins().iter().filter(|plugin| is_maker(plugin));
        let holds_others = self.may_have_children(&Kind::new(kind)) || gatherer_unnest::may_hold(kind);
        let marks = makers().filter(|plugin| holds_others || plugin.takes(kind)).map(|plugin| plugin.mark());
        let marks: Vec<_> = marks.map(ToOwned::to_owned).chain(self.parser_mark(kind)).collect();
        if marks.is_empty() { self.common_mark } else { Md5::of(format!("{}{marks:?}", self.common_mark).as_bytes()) }
    }

    fn parser_mark(&self, kind: &str) -> Option<String> {
        Some(self.abstracts.mark(kind)).filter(|mark| !mark.is_empty())
    }

    /// Whether a plugin takes this kind, which may find something inside of it.
    pub(crate) fn may_have_children(&self, kind: &Kind) -> bool {
        self.shelf.of(Role::Summarizer).any(|plugin| plugin.takes(kind.name()))
    }

    /// Whether plugins have a say in what documents are.
    pub(crate) fn has_recognizers(&self) -> bool {
        self.shelf.of(Role::Recognizer).next().is_some()
    }

    /// Says what a fetched resource is.
    pub fn recognize(&self, fetched: Fetched) -> Recognized {
        let leaf = self.recognizer.recognize(fetched);
        self.recognize_by_plugins(leaf)
    }

    /// Asks recognizer plugins about what the built-in tables have named. The first that has an opinion decides: the
    /// operator has put it there for that.
    pub(crate) fn recognize_by_plugins(&self, mut leaf: Recognized) -> Recognized {
        let kind = leaf.kind().clone();
        for plugin in self.shelf.of(Role::Recognizer).filter(|plugin| plugin.takes(kind.name())) {
            let guess = match plugin.recognize(&leaf_of(&leaf)) {
                Ok(Some(guess)) => guess,
                Ok(None) => continue,
                Err(why) => {
                    gatherer_pipeline::events::not_recognized(leaf.fetched.url(), &plugin.manifest().label(), why);
                    leaf.doubt();
                    continue;
                }
            };
            let kind = Kind::new(guess.kind);
            let vote = Vote { voter: plugin.manifest().name.clone(), kind: kind.clone(), because: guess.because };
            let votes = std::iter::once(vote).chain(leaf.votes().iter().cloned()).collect();
            let is_doubtful = leaf.is_doubtful();
            leaf = Recognized::new(leaf.fetched, kind, votes);
            if is_doubtful {
                leaf.doubt();
            }
            return leaf;
        }
        leaf
    }

    /// Lets post-summarizers change a summary, one after the other. One that fails changes nothing, is named, and is asked
    /// again at the next visit. What the gatherer itself knows stays as it is.
    pub(crate) fn correct_by_plugins(&self, drafted: &mut Drafted, summary: &mut Summary) -> Result<(), Departure> {
        let kind = summary.kind().name().to_owned();
        for plugin in self.shelf.of(Role::PostSummarizer).filter(|plugin| plugin.takes(&kind)) {
            let label = plugin.manifest().label();
            let is_own = |by: &str| by == "gatherer";
            let given = summary.attributes().iter().map(|one| (one.name.clone(), one.value.clone()));
            let given: Vec<_> = given.collect();
            match plugin.correct(&leaf_of(&drafted.leaf), &given) {
                Ok(None) => {}
                Ok(Some(Corrected::LeaveOut(why))) => {
                    return Err(Departure::RuledOut { rule: format!("{label}: {why}") });
                }
                Ok(Some(Corrected::Keep(kept))) => {
                    let kept = joined(kept);
                    let own: Vec<_> = summary.attributes().iter().filter(|one| is_own(&one.by)).collect();
                    let own: Vec<_> = own.into_iter().map(|one| one.name.clone()).collect();
                    let is_own = |name: &str| own.iter().any(|known| known.eq_ignore_ascii_case(name));
                    let is_kept = |name: &str| kept.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
                    for (name, _) in given.iter().filter(|(name, _)| !is_own(name) && !is_kept(name)) {
                        summary.remove(name);
                    }
                    let is_changed = |(name, value): &(String, String)| summary.get(name) != Some(value.as_str());
                    let changed = kept.iter().filter(|(name, _)| !is_own(name)).filter(|one| is_changed(one)).cloned();
                    let changed: Vec<_> = changed.collect();
                    for (name, value) in changed {
                        summary.set(&name, &value, &label);
                    }
                }
                Err(why) => {
                    drafted.refused = true;
                    summary.complain(&format!("{label}: {why}"), &label);
                }
            }
        }
        Ok(())
    }

    /// What plugins have done since the run began; those that nobody asked have done nothing.
    pub fn deeds(&self) -> Vec<Deeds> {
        self.shelf.plugins().iter().map(|plugin| plugin.deeds()).filter(|deeds| deeds.asked > 0).collect()
    }

    /// All plugins at hand.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Who would summarize a document of this kind, in order.
    pub fn summarizers_of(&self, kind: &Kind) -> Vec<String> {
        self.summarizers.names(kind)
    }
}

/// The same name again adds a line to the value.
fn joined(attributes: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut joined: Vec<(String, String)> = Vec::new();
    for (name, value) in attributes {
        match joined.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            Some((_, known)) => {
                known.push('\n');
                known.push_str(&value);
            }
            None => joined.push((name, value)),
        }
    }
    joined
}

/// Whether it has a say in what a record looks like, once its kind is known.
fn is_maker(plugin: &Plugin) -> bool {
    matches!(plugin.manifest().role, Role::Summarizer | Role::PostSummarizer)
}

impl Engine {
    /// The desk as it is now.
    pub(crate) fn desk(&self) -> Arc<Desk> {
        self.desk.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins a run: plugins that have changed in their folders are loaded anew, and earlier failures are forgotten.
    pub(crate) fn renew_plugins(&self) -> Result<(), Failure> {
        let desk = self.desk();
        if desk.shelf.is_stale(&tables::policy(&self.settings)) {
            // One that is being copied at this moment, or started late, is used as it was.
            let shelf = tables::shelf(&self.settings).or_as_before(&desk.shelf);
            match Desk::with(&self.settings, shelf, desk.abstracts.clone()) {
                Ok(new) => *self.desk.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new),
                Err(failure) => self.progress.warn(format!("plugins stay as they are: {failure}")),
            }
        }
        let desk = self.desk();
        for plugin in desk.shelf.plugins() {
            plugin.begin_run();
        }
        desk.abstracts.begin_run();
        desk.abstracts.greet();
        self.note_parsers()?;
        for out in desk.shelf.out().iter().filter(|out| out.is_wrong) {
            gatherer_pipeline::events::plugin_out(&out.name, &out.reason);
            self.progress.warn(format!("plugin {} is not in use: {}", out.name, out.reason));
        }
        Ok(())
    }

    /// Notes down who the parsers are, for times when they are away.
    pub(crate) fn note_parsers(&self) -> Result<(), Failure> {
        let heard = self.desk().abstracts.heard();
        if heard != self.store.parsers()? {
            self.store.note_parsers(&heard)?;
        }
        Ok(())
    }
}
