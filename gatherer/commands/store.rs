//! `gatherer store`.

use super::{print, say, time};
use crate::arguments::{BackupWish, RestoreWish, Source, StatsWish, StoreCheckWish, StoreDeed, StoreWish};
use anyhow::{Result, bail};
use gatherer_engine::open_store;
use gatherer_pipeline::{Clock, SystemClock};
use gatherer_settings::Settings;
use gatherer_store::{Inspection, Memory, PartSize, SiteSize, Statistics, Store, back_up, restore};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn store(wish: &StoreWish) -> Result<ExitCode> {
    match &wish.deed {
        StoreDeed::Check(wish) => check(wish),
        StoreDeed::Stats(wish) => stats(wish),
        StoreDeed::Compact(source) => compact(source),
        StoreDeed::Backup(wish) => backup(wish),
        StoreDeed::Restore(wish) => put_back(wish),
        StoreDeed::Repair(source) => repair(source),
    }
}

fn check(wish: &StoreCheckWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let path = &settings.identity.data_directory;
    let line = Line::new();
    let seen = Store::check(path, memory(&settings), &mut |part, count| line.show(part, count))?;
    line.end();
    if wish.json {
        print(&as_json(&seen).to_string())?;
        return Ok(verdict(&seen));
    }
    tell(&seen);
    let summary = format!(
        "{} records, {} URLs, {} queued, {} bodies, {} changes",
        seen.records, seen.urls, seen.queued, seen.bodies, seen.changes
    );
    match seen.count() {
        0 => print(&format!("{}: all is well: {summary}", path.display()))?,
        count => print(&format!("{}: {count} finding{}: {summary}", path.display(), s(count)))?,
    }
    Ok(verdict(&seen))
}

fn verdict(seen: &Inspection) -> ExitCode {
    if seen.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is wrong goes to standard error, each next step once.
fn tell(seen: &Inspection) {
    for finding in &seen.findings {
        say(&format!("{}: {}", finding.part, finding.what));
    }
    if seen.untold > 0 {
        say(&format!("and {} more", seen.untold));
    }
    let mut steps: Vec<_> = seen.findings.iter().map(|finding| finding.next).collect();
    steps.sort_unstable();
    steps.dedup();
    steps.iter().for_each(|step| say(step));
}

fn as_json(seen: &Inspection) -> Value {
    let findings: Vec<_> = seen
        .findings
        .iter()
        .map(|finding| json!({ "part": finding.part, "what": finding.what, "next": finding.next }))
        .collect();
    json!({
        "good": seen.is_good(), "records": seen.records, "urls": seen.urls, "queued": seen.queued,
        "bodies": seen.bodies, "changes": seen.changes, "findings": findings, "untold": seen.untold,
    })
}

fn stats(wish: &StatsWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let line = Line::new();
    let watch = &mut |part, count| line.show(part, count);
    let seen = Store::statistics(&settings.identity.data_directory, memory(&settings), watch)?;
    line.end();
    let text = if wish.json { numbers(&seen).to_string() } else { table(&seen, wish.top) };
    print(text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn numbers(seen: &Statistics) -> Value {
    let size = |size: &SiteSize| {
        json!({
            "name": size.name, "records": size.records, "record_bytes": size.record_bytes,
            "bodies": size.bodies, "body_bytes": size.body_bytes,
        })
    };
    let part = |part: &PartSize| json!({ "name": part.name, "values": part.values, "bytes": part.bytes });
    json!({
        "records": seen.records, "urls": seen.urls, "queued": seen.queued, "bodies": seen.bodies,
        "bytes": seen.bytes, "log_bytes": seen.log_bytes,
        "parts": seen.parts.iter().map(part).collect::<Vec<_>>(),
        "sites": seen.sites.iter().map(size).collect::<Vec<_>>(),
        "kinds": seen.kinds.iter().map(size).collect::<Vec<_>>(),
    })
}

fn table(seen: &Statistics, top: usize) -> String {
    let mut lines = vec![
        format!(
            "holds      {} records, {} URLs, {} queued, {} bodies",
            seen.records, seen.urls, seen.queued, seen.bodies
        ),
        format!("on disk    {}, of which {} not yet put in order", time::size(seen.bytes), time::size(seen.log_bytes)),
    ];
    let mut parts: Vec<_> = seen.parts.iter().filter(|part| part.bytes > 0).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    for (number, part) in parts.iter().enumerate() {
        let head = if number == 0 { "parts" } else { "" };
        lines.push(format!("{head:<10} {:<12} {:>12}", part.name, time::size(part.bytes)));
    }
    for (head, sizes) in [("sites", &seen.sites), ("kinds", &seen.kinds)] {
        for (number, size) in sizes.iter().take(top).enumerate() {
            let head = if number == 0 { head } else { "" };
            let bodies = match size.bodies {
                0 => String::new(),
                bodies => format!(", {bodies} bodies of {}", time::size(size.body_bytes)),
            };
            let records = format!("{} record{} of {}", size.records, s(size.records), time::size(size.record_bytes));
            lines.push(format!("{head:<10} {:<30} {records}{bodies}", size.name));
        }
        if sizes.len() > top {
            lines.push(format!("           and {} more (--top, --json)", sizes.len() - top));
        }
    }
    lines.join("\n")
}

fn compact(source: &Source) -> Result<ExitCode> {
    let settings = source.settings()?;
    let store = open_existing(&settings)?;
    let line = Line::new();
    let (before, after) = store.compact(&mut |part, count| line.show(part, count))?;
    line.end();
    print(&format!("{}: {} before, {} now", store.path().display(), time::size(before), time::size(after)))?;
    Ok(ExitCode::SUCCESS)
}

fn backup(wish: &BackupWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let line = Line::new();
    let name = time::file_moment(SystemClock.now());
    let path = &settings.identity.data_directory;
    let place = std::path::absolute(&wish.folder)?;
    if place.starts_with(std::path::absolute(path)?) {
        bail!(
            "a backup inside of {} would be lost with it\nname a folder elsewhere, on another disk if there is one",
            path.display()
        );
    }
    let keep = usize::try_from(wish.keep).unwrap_or(usize::MAX);
    let watch = &mut |part, count| line.show(part, count);
    let made = back_up(path, (&wish.folder, &name), keep, memory(&settings), watch)?;
    line.end();
    let seen = &made.inspection;
    tell(seen);
    let what = if seen.is_good() { "read to its end, all is well" } else { "and it is as damaged as the store" };
    print(&format!(
        "{}: {} records, {}, {} of it new; {what}",
        made.path.display(),
        seen.records,
        time::size(made.bytes),
        time::size(made.copied)
    ))?;
    for old in &made.removed {
        print(&format!("{}: removed, {} are kept", old.display(), wish.keep))?;
    }
    Ok(verdict(seen))
}

fn put_back(wish: &RestoreWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let path = &settings.identity.data_directory;
    let line = Line::new();
    let watch = &mut |part, count| line.show(part, count);
    let done = restore((&wish.folder, path), wish.force, SystemClock.now(), memory(&settings), watch)?;
    line.end();
    print(&format!("{}: {} records, from {}", path.display(), done.inspection.records, done.from.display()))?;
    if let Some(kept) = done.kept {
        print(&format!("{}: what was there before; remove it when nobody misses it", kept.display()))?;
    }
    print("brokers are told to begin anew at their next visit")?;
    Ok(ExitCode::SUCCESS)
}

fn repair(source: &Source) -> Result<ExitCode> {
    let settings = source.settings()?;
    let path = &settings.identity.data_directory;
    let line = Line::new();
    let mut watch = |part, count| line.show(part, count);
    // What is whole on disk need not be taken apart to put its parts in step.
    let is_whole = Store::check(path, memory(&settings), &mut watch)
        .is_ok_and(|seen| !seen.findings.iter().any(|finding| finding.is_damage));
    if !is_whole {
        Store::repair(path)?;
    }
    let mending = Store::open_to_mend(path, memory(&settings))?.mend(SystemClock.now(), &mut watch)?;
    line.end();
    print(&format!(
        "{}: repaired as far as possible, {} records can be read, {} URLs are known",
        path.display(),
        mending.records,
        mending.urls
    ))?;
    for (count, what) in [
        (mending.dropped, "values could not be read, or belonged to nothing, and are gone"),
        (mending.revisited, "URLs have lost their records and are visited by the next run"),
        (mending.adopted, "records had lost their entries in the ledger and are visited by the next run"),
    ] {
        if count > 0 {
            print(&format!("  {count} {what}"))?;
        }
    }
    print("  brokers are told to begin anew at their next visit")?;
    Ok(ExitCode::SUCCESS)
}

/// A store that is there; none is made.
fn open_existing(settings: &Settings) -> Result<Store> {
    drop(gatherer_engine::look_into_store(settings)?);
    Ok(open_store(settings)?)
}

fn memory(settings: &Settings) -> Memory {
    Memory { block_cache: settings.storing.block_cache, write_buffers: settings.storing.write_buffers }
}

pub(super) fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A line that moves, if someone can see it.
struct Line(ProgressBar);

impl Line {
    fn new() -> Self {
        let line = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            line.set_style(style);
        }
        line.enable_steady_tick(Duration::from_millis(200));
        Self(line)
    }

    fn show(&self, part: &str, count: u64) {
        if count.is_multiple_of(100) {
            self.0.set_message(format!("{part}: {count}"));
        }
    }

    fn end(self) {
        self.0.finish_and_clear();
    }
}
