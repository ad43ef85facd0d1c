//! What a plugin costs, beside the built-in summarizer of the same kind.

use super::{folder_of, load, millis};
use crate::arguments::BenchWish;
use crate::commands::time::size;
use crate::commands::{print, summarize};
use anyhow::{Context, Result, anyhow};
use gatherer_pipeline::{Kind, Leaf, Summarizer};
use gatherer_plugin::{Plugin, Role, Start};
use std::fs;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// So many calls one after the other, where several are made at once: starting threads should not count.
const ROW: u32 = 25;

pub(super) fn bench(wish: &BenchWish) -> Result<ExitCode> {
    let began = Instant::now();
    let plugin = load(&folder_of(&wish.folder), &[], wish.in_process)?;
    let start = began.elapsed();
    let body = fs::read(&wish.file).with_context(|| format!("cannot read {}", wish.file.display()))?;
    let url = summarize::document_url(&wish.file.to_string_lossy())?;
    let kind = plugin.kinds().first().filter(|kind| *kind != "*").map_or(Kind::TEXT, Kind::new);
    let leaf = Leaf::new(&url, &kind, &body);
    let ask = || asked(&plugin, &leaf);
    ask().map_err(anyhow::Error::msg).with_context(|| format!("it does not take {}", wish.file.display()))?;
    let builtin = gatherer_engine::builtin(&kind).filter(|_| plugin.manifest().role == Role::Summarizer);
    let ask_builtin = || {
        // What it makes of it is not the question.
        let _ = builtin.map(|builtin| builtin.summarize(&leaf));
        Ok(())
    };
    let at_once = wish.at_once;
    let row = if at_once > 1 { ROW } else { 1 };
    let (mut own, mut others) = (Times::default(), Times::default());
    // In turns, so that whatever else the machine does hits both.
    for _ in 0..wish.count.div_ceil(row * at_once).max(1) {
        own.add(at_once, row, &ask)?;
        others.add(at_once, row, &ask_builtin)?;
    }
    let own = own.judged();
    print(&told(start, plugin.start()))?;
    print(&format!("document   {:.3} ms in the middle, {:.3} ms at best", millis(own.middle), millis(own.best)))?;
    let rate = 1.0 / own.mean.as_secs_f64();
    let megabytes = rate * f64::from(u32::try_from(body.len()).unwrap_or(u32::MAX)) / 1e6;
    let how = if at_once > 1 { format!("{at_once} at once") } else { "one at a time".to_owned() };
    print(&format!("rate       {rate:.0} documents and {megabytes:.1} MB a second, {how}"))?;
    if let Some(peak) = plugin.deeds().peak {
        print(&format!("memory     {}", size(peak)))?;
    }
    if let Some(builtin) = builtin {
        let (name, middle) = (builtin.name(), millis(others.judged().middle));
        let ratio = millis(own.middle) / middle.max(f64::MIN_POSITIVE);
        print(&format!("built-in   {name}: {middle:.3} ms in the middle; the plugin takes {ratio:.2} times that"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How long it took to start, and what of it was the plugin itself.
fn told(whole: Duration, Start { file, engine, own }: Start) -> String {
    let of_all = if engine.is_zero() { String::new() } else { format!(", {:.1} ms the engine", millis(engine)) };
    let (whole, file, own) = (millis(whole), millis(file), millis(own));
    format!("start      {whole:.1} ms: {own:.1} ms the plugin, {file:.1} ms to read and digest its file{of_all}")
}

/// Asks a plugin what its role is there for.
fn asked(plugin: &Plugin, leaf: &Leaf<'_>) -> Result<(), String> {
    match plugin.manifest().role {
        Role::Summarizer => plugin.summarize(leaf).map(|_| ()).map_err(|refusal| refusal.to_string()),
        Role::Recognizer => plugin.recognize(leaf).map(|_| ()),
        Role::PostSummarizer => {
            let text = String::from_utf8_lossy(leaf.body).into_owned();
            plugin.correct(leaf, &[("Full-Text".to_owned(), text)]).map(|_| ())
        }
        Role::Enumerator => plugin.enumerate("plugin bench", Vec::new(), 1_000, &[]).map(|_| ()),
    }
}

/// How long calls took, each.
#[derive(Default)]
struct Times(Vec<Duration>);

struct Judged {
    middle: Duration,
    best: Duration,
    mean: Duration,
}

impl Times {
    /// Makes a row of calls on each of so many threads. With several at once a call takes its share of the time.
    fn add(&mut self, at_once: u32, row: u32, call: &(dyn Fn() -> Result<(), String> + Sync)) -> Result<()> {
        let began = Instant::now();
        let in_a_row = || (0..row).try_for_each(|_| call());
        let called = if at_once == 1 {
            in_a_row()
        } else {
            thread::scope(|scope| {
                let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(in_a_row)).collect();
                let ended = threads.into_iter().map(|one| one.join().map_err(|_| "it panicked".to_owned()));
                ended.collect::<Result<Vec<_>, _>>()?.into_iter().collect()
            })
        };
        self.0.push(began.elapsed() / (row * at_once));
        called.map_err(|why| anyhow!(why))
    }

    fn judged(mut self) -> Judged {
        self.0.sort();
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        Judged { middle: self.0[self.0.len() / 2], best: self.0[0], mean: self.0.iter().sum::<Duration>() / count }
    }
}
