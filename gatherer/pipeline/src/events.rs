//! Everything the gatherer ever says in its log, one function each.
//!
//! error: someone must act. warn: survived, but look. info: start, end, each root node, each broker visit.
//! debug: each resource.

use crate::{Candidate, Departure, Folded};
use std::fmt::Display;
use tracing::{debug, error, info, warn};

/// A run begins, or one that was cut short goes on.
pub fn run_started(run: u64, resumed: bool) {
    info!(run, resumed, "run started");
}

/// PrepUrls has taken up what is due.
pub fn prepared(run: u64, due: u64) {
    info!(run, due, "due resources taken up");
}

/// A run has ended.
pub fn run_ended(run: u64, visited: u64, stored: u64, unchanged: u64, deleted: u64) {
    info!(run, visited, stored, unchanged, deleted, "run ended");
}

/// A run has nothing to do for a while, and why.
pub fn idle(reason: &str) {
    info!(reason, "idle");
}

/// A run does not come on, and where it hangs.
pub fn hung(reason: &str) {
    warn!(reason, "hung");
}

/// The machine's clock is not where it should be.
pub fn clock_jumped(direction: &str, far: &str) {
    warn!(direction, far, "clock set; no record's life ends for a day");
}

/// A run has stopped by itself, or does not begin.
pub fn run_stopped(reason: &str) {
    error!(reason, "run stopped; the next one goes on from there");
}

/// The config has been taken up anew: what is different.
pub fn config_changed(change: &str) {
    info!(change, "config changed");
}

/// A new config cannot be used; the one before it still is.
pub fn config_unusable(reason: &str) {
    error!(reason, "new config cannot be used, the old one stays");
}

/// Documents are visited sooner, because the operator wants them visited more often.
pub fn hastened(root: &str, documents: u64) {
    tracing::info!(root, documents, "due sooner");
}

/// Somebody wants a run.
pub fn run_wished(by: &str, roots: &str, everything: bool) {
    info!(by, roots, everything, "run wanted");
}

/// A resource left the line.
pub fn left(candidate: &Candidate, departure: &Departure) {
    debug!(url = %candidate.url(), root = candidate.root(), reason = %departure, "left");
}

/// A resource is stored.
pub fn stored(folded: &Folded) {
    debug!(url = %folded.url, kind = %folded.kind, found = folded.found, "stored");
}

/// The brake holds deletions back.
pub fn deletions_held(root: &str, deletions: u64, records: u64) {
    warn!(root, deletions, records, "deletions held back by the brake");
}

/// Nobody could be asked for a robots file.
pub fn robots_unreachable(origin: &str, reason: impl Display) {
    warn!(origin, %reason, "robots rules unreachable");
}

/// A host is in so much trouble that this run leaves it alone.
pub fn set_aside(host: &str, reason: &str, seconds: u64) {
    warn!(host, reason, seconds, "host left alone");
}

/// A summarizer refused a leaf; the next in line takes over, at last the one that keeps metadata.
pub fn refused(url: &url::Url, summarizer: &str, reason: impl Display) {
    warn!(%url, summarizer, %reason, "summarizer refused, the next in line takes over");
}

/// A plugin that was to say what a leaf is could not; it is taken for what it is without that word.
pub fn not_recognized(url: &url::Url, plugin: &str, reason: impl Display) {
    warn!(%url, plugin, %reason, "recognizer failed, the document is taken for what it is without it");
}

/// A summarizer broke over a leaf; the next in line takes over, as above.
pub fn failed(url: &url::Url, summarizer: &str, reason: impl Display) {
    warn!(%url, summarizer, %reason, "summarizer failed, the next in line takes over");
}

/// A leaf is none of those that a summarizer is for.
pub fn stepped_aside(url: &url::Url, summarizer: &str, reason: impl Display) {
    debug!(%url, summarizer, %reason, "not for this summarizer");
}

/// A plugin is in use from here on: who it is, what it takes, how it runs.
pub fn plugin_in(plugin: &str, takes: &str, runs: &str) {
    info!(plugin, takes, runs, "plugin in use");
}

/// What programs and workers are kept from, on this kernel and by this config.
pub fn sandbox(what: &str) {
    info!(what, "sandbox");
}

/// A library runs inside of the gatherer, by the operator's word.
pub fn plugin_inside(plugin: &str) {
    warn!(
        plugin,
        "library loaded into the gatherer itself: it has no deadline, and if it crashes, so does the gatherer"
    );
}

/// A document gets no abstract now, and why.
pub fn abstract_missing(url: &url::Url, parser: &str, reason: impl Display) {
    debug!(%url, parser, %reason, "no abstract");
}

/// A parser said things that were not believed.
pub fn facts_dropped(url: &url::Url, parser: &str, facts: usize) {
    debug!(%url, parser, facts, "facts of an abstract dropped");
}

/// Abstracts are not kept for another time, and why.
pub fn abstract_cache_unused(folder: impl Display, reason: impl Display) {
    warn!(%folder, %reason, "abstracts are not kept");
}

/// Compiled components are not kept, and why.
pub fn plugin_cache_unused(reason: &str) {
    warn!(reason, "compiled plugins are not kept");
}

/// A plugin is not in use, and why.
pub fn plugin_out(plugin: &str, reason: impl Display) {
    warn!(plugin, %reason, "plugin not in use");
}

/// A plugin has failed too often.
pub fn plugin_set_aside(plugin: &str, reason: impl Display) {
    warn!(plugin, %reason, "plugin set aside until the next run");
}

/// A plugin has something for its author.
pub fn plugin_whispered(plugin: &str, about: &str, text: &str) {
    debug!(plugin, about, text, "plugin said");
}

/// A plugin has something for the curious.
pub fn plugin_said(plugin: &str, about: &str, text: &str) {
    info!(plugin, about, text, "plugin said");
}

/// A plugin has something for the operator.
pub fn plugin_warned(plugin: &str, about: &str, text: &str) {
    warn!(plugin, about, text, "plugin said");
}

/// A broker has connected.
pub fn broker_connected(peer: impl Display) {
    info!(%peer, "broker connected");
}

/// A broker got what it asked for.
pub fn broker_served(peer: impl Display, asked: impl Display, objects: u64) {
    info!(%peer, %asked, objects, "broker served");
}

/// A request over HTTP has been answered, or begins to be.
pub fn http_answered(peer: impl Display, path: &str, token: &str, status: u16) {
    info!(%peer, path, token, status, "request answered");
}

/// Somebody has asked for something to be done, over HTTP, and what came of it.
pub fn operated(peer: impl Display, token: &str, what: &str, answer: impl Display) {
    info!(%peer, token, what, %answer, "asked for over HTTP");
}

/// A broker was turned away.
pub fn broker_denied(peer: impl Display, reason: impl Display) {
    info!(%peer, %reason, "broker turned away");
}

/// A broker's connection ended in the middle.
pub fn broker_lost(peer: impl Display, reason: impl Display) {
    warn!(%peer, %reason, "broker lost");
}

/// A full transfer lies ready for brokers.
pub fn transfer_made_ready(records: u64, bytes: u64, elapsed: std::time::Duration) {
    debug!(records, bytes, ?elapsed, "full transfer made ready");
}

/// A full transfer cannot be kept ready; brokers are served all the same, at the speed of the store.
pub fn transfer_not_ready(folder: impl Display, reason: impl Display) {
    warn!(%folder, %reason, "full transfers cannot be kept ready");
}

/// Another gatherer cannot be collected from, or not from where we were.
pub fn source_in_trouble(source: &str, reason: impl Display) {
    warn!(source, %reason, "cannot collect as before");
}

/// A new certificate is in use.
pub fn certificate_renewed(path: impl Display) {
    info!(%path, "certificate renewed");
}

/// A new certificate cannot be used; the one before it still is.
pub fn certificate_unusable(path: impl Display, reason: impl Display) {
    warn!(%path, %reason, "new certificate cannot be used, the old one stays");
}

/// Someone asked for an end; what is in hand is finished first.
pub fn stopping() {
    info!("stopping: resources in hand are finished first");
}

/// The run cannot go on.
pub fn broken(reason: impl Display) {
    error!(%reason, "run broken off");
}
