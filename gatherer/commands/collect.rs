//! `gatherer collect`.

use super::{form::FormWriter, say};
use crate::arguments::{CollectWish, Form};
use anyhow::{Context, Result, bail};
use gatherer_collect::{Approach, CollectError, Collected, Gatherer, Place, PlaceFile, Round, Wish};
use gatherer_soif::Wrapper;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

/// Between two tries when the other side is in trouble: from this,
const SHORTEST_PAUSE: Duration = Duration::from_secs(5);
/// doubled up to this.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

pub(crate) fn collect(wish: &CollectWish) -> Result<ExitCode> {
    let approach = approach(wish)?;
    if wish.info {
        return info(wish, &approach);
    }
    if (wish.follow || wish.cursor.is_some()) && wish.form == Form::Xml {
        bail!("an XML document has an end, and what is added to has none\nchoose --form json or soif");
    }
    let file = wish.cursor.as_ref().map(|path| PlaceFile::new(path, what(wish)));
    let mut place = match (&file, wish.since) {
        (Some(file), _) => {
            let (place, written) = file.read()?;
            cut_back(wish, written)?;
            // Whether it can be written is better known before than after.
            file.write(&place, length(wish))?;
            place
        }
        (None, Some(since)) => Place::Since(since),
        (None, None) if wish.follow => Place::default(),
        // Who only wants everything once needs nothing that daemons of the Harvest family do not know.
        (None, None) => start(wish),
    };
    let mut pause = SHORTEST_PAUSE;
    loop {
        let before = length(wish);
        let round = round(wish, &approach, &place).and_then(|round| {
            if let Some(file) = &file {
                file.write(&round.place, length(wish))?;
            }
            Ok(round)
        });
        if round.is_err() {
            take_back(wish, before)?;
        }
        match round {
            Ok(Round { tally, place: next }) => {
                (place, pause) = (next, SHORTEST_PAUSE);
                if !wish.follow || tally.total() > 0 {
                    let (updated, refreshed) = (tally.updated, tally.refreshed);
                    let (deleted, damaged) = (tally.deleted, tally.damaged);
                    say(&format!("{updated} objects, {refreshed} refreshed, {deleted} deleted, {damaged} damaged"));
                }
                if !wish.follow {
                    return Ok(if tally.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
                }
                if !is_web(wish) {
                    sleep(Duration::from_secs(wish.every));
                }
            }
            Err(error) if wish.follow && error.downcast_ref().is_some_and(CollectError::is_passing) => {
                say(&format!("{}; trying again in {} s", super::sentence(&error), pause.as_secs()));
                sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// What a cursor is good for.
fn what(wish: &CollectWish) -> String {
    let some = |value: &Option<String>| value.clone().unwrap_or_default();
    let parts = [
        ("kinds", wish.kind.join(",")),
        ("attributes", wish.attributes.join(",")),
        ("root", some(&wish.root)),
        ("site", some(&wish.site)),
    ];
    let parts = parts.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!(" {name}={value}"));
    std::iter::once(wish.gatherer.clone()).chain(parts).collect()
}

fn is_web(wish: &CollectWish) -> bool {
    wish.gatherer.starts_with("http://") || wish.gatherer.starts_with("https://")
}

fn start(wish: &CollectWish) -> Place {
    if is_web(wish) { Place::default() } else { Place::Since(0) }
}

fn approach(wish: &CollectWish) -> Result<Approach> {
    let read = |path: &_| fs::read(path).with_context(|| format!("cannot read {}", std::path::Path::display(path)));
    let token = wish.token_file.as_deref().map(read).transpose()?;
    let token = token.map(|token| String::from_utf8_lossy(&token).trim().to_owned());
    Ok(Approach { token, trusted: wish.trust.as_deref().map(read).transpose()?, ..Approach::default() })
}

fn info(wish: &CollectWish, approach: &Approach) -> Result<ExitCode> {
    let object = Gatherer::connect(&wish.gatherer, approach)?.info()?;
    let Some(object) = object else { bail!("{} says nothing about itself", wish.gatherer) };
    let mut writer = FormWriter::begin(wish.form, io::stdout().lock())?;
    writer.object(&object)?;
    writer.end()?;
    Ok(ExitCode::SUCCESS)
}

/// Collects what is new, writes it, and comes back only when all of it is written.
fn round(wish: &CollectWish, approach: &Approach, place: &Place) -> Result<Round> {
    let mut gatherer = Gatherer::connect(&wish.gatherer, approach)?;
    let asked = Wish {
        compression: !wish.plain,
        deletions: wish.deletions || wish.cursor.is_some() || wish.follow,
        kinds: wish.kind.clone(),
        root: wish.root.clone(),
        site: wish.site.clone(),
        attributes: wish.attributes.clone(),
        wait: if wish.follow && !place.is_start() { Duration::from_mins(1) } else { Duration::ZERO },
    };
    let mut writer = FormWriter::begin(wish.form, BufWriter::new(output(wish)?))?;
    let bar = bar();
    let is_wanted = |item: &Collected| asked.deletions || matches!(item, Collected::Update(_));
    let round = gatherer.collect(place, &asked, |item, _| {
        bar.inc(1);
        if !is_wanted(&item) {
            return Ok(());
        }
        let written = match item {
            Collected::Update(object) => writer.object(&object),
            Collected::Refresh(object) => writer.change(Wrapper::Refresh, &object),
            Collected::Delete(object) => writer.change(Wrapper::Delete, &object),
        };
        written.map_err(into_io)
    })?;
    writer.end()?;
    if let Some((path, written)) = wish.output.as_ref().zip(written_to(wish)) {
        // A place must not be further than what it is a place behind.
        File::open(&written)?.sync_all()?;
        if written != *path {
            fs::rename(&written, path).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    bar.finish_and_clear();
    if let Gatherer::Daemon(collector) = gatherer {
        collector.quit()?;
    }
    Ok(round)
}

/// How long the output is.
fn length(wish: &CollectWish) -> Option<u64> {
    Some(fs::metadata(wish.output.as_ref()?).map_or(0, |metadata| metadata.len()))
}

/// Half a round is no round: where it is added to something, it comes again as a whole.
fn take_back(wish: &CollectWish, length: Option<u64>) -> Result<()> {
    if goes_on(wish) {
        return cut_back(wish, length);
    }
    if let Some(part) = written_to(wish).filter(|part| wish.output.as_ref() != Some(part)) {
        // It may not even have begun.
        let _ = fs::remove_file(part);
    }
    Ok(())
}

/// Takes away what came of a round that broke off.
fn cut_back(wish: &CollectWish, length: Option<u64>) -> Result<()> {
    let (Some(path), Some(length)) = (&wish.output, length) else { return Ok(()) };
    match File::options().write(true).open(path) {
        // Somebody may have taken away what was there, and begun a new file.
        Ok(file) if file.metadata()?.len() > length => {
            file.set_len(length).with_context(|| format!("cannot write {}", path.display()))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Whether the output is added to.
fn goes_on(wish: &CollectWish) -> bool {
    wish.cursor.is_some() || wish.follow
}

/// Where the output goes at first: what is not added to is replaced when all of it is there, and not before.
fn written_to(wish: &CollectWish) -> Option<PathBuf> {
    let path = wish.output.clone()?;
    // A pipe or a device cannot be replaced.
    let is_file = fs::metadata(&path).map_or(true, |metadata| metadata.is_file());
    if goes_on(wish) || !is_file {
        return Some(path);
    }
    let mut name = path.into_os_string();
    name.push(".part");
    Some(name.into())
}

fn output(wish: &CollectWish) -> Result<Box<dyn Write>> {
    let Some(path) = written_to(wish) else { return Ok(Box::new(io::stdout())) };
    let goes_on = goes_on(wish);
    let opened = File::options().create(true).write(true).append(goes_on).truncate(!goes_on).open(&path);
    Ok(Box::new(opened.with_context(|| format!("cannot write {}", path.display()))?))
}

/// A count that moves, where somebody can see it.
fn bar() -> ProgressBar {
    // What goes to the same terminal would be torn by it.
    if !io::stderr().is_terminal() || io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {human_pos} objects, {per_sec}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// Keeps a closed pipe recognizable as such.
fn into_io(error: anyhow::Error) -> io::Error {
    error.downcast::<io::Error>().unwrap_or_else(io::Error::other)
}
