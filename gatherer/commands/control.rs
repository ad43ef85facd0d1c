//! How commands reach a gatherer that is serving: a socket beside its store, for whoever may open it.

use super::progress::waits;
use anyhow::{Context, Result, bail};
use gatherer_engine::{Daemon, Glimpse, Report, RunWish, Wished};
use gatherer_settings::Settings;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The longest question.
const QUESTION: u64 = 64 << 10;
/// How long somebody may take to ask, and how long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is wanted of a gatherer that is serving.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Order {
    /// A run, of these root nodes or of all.
    Run { roots: Vec<String>, everything: bool, allow_deletions: bool },
    /// What has become of that.
    Look { wish: u64 },
    /// The config as it is now.
    Reload,
    /// A URL, a site or a root node as if it had never been met.
    Forget { what: String, name: String },
}

/// What it says to that.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    Done(Vec<String>),
    /// A run was asked for; the number is for who wants to know more.
    Asked {
        said: String,
        wish: u64,
    },
    /// What has become of that.
    Seen(Sight),
    Refused(String),
}

/// A run that was asked for, from afar.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sight {
    /// Nobody has taken it up yet.
    Open,
    /// It goes on; hosts wait for this.
    Running { run: u64, glimpse: Glimpse, waits: Vec<String> },
    /// It is over.
    Ended { report: Box<Report> },
    /// It cannot go on.
    Broken { run: u64, why: String },
}

/// Said of an answer that nobody understands.
const OTHERWISE: &str = "the gatherer that is serving talks otherwise; is it of another version?";

fn place(settings: &Settings) -> PathBuf {
    settings.identity.data_directory.join("control")
}

/// A socket that is gone with whoever has it.
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Whoever finds it afterwards is told that nobody is there.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Socket {
    /// Opens it for the user who runs the gatherer, and nobody else. The store's own lock keeps out a second gatherer, so
    /// what is there is left from one that was killed.
    pub(super) fn open(settings: &Settings) -> Result<Self> {
        let path = place(settings);
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).with_context(|| format!("cannot open {}", path.display()))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path })
    }

    /// Answers one after another, on a thread of its own, for as long as the program lives.
    pub(super) fn answer(&self, daemon: Arc<Daemon>) -> Result<()> {
        let listener = self.listener.try_clone()?;
        std::thread::Builder::new().name("control".to_owned()).spawn(move || {
            for stream in listener.incoming() {
                match stream {
                    // Somebody who goes away in the middle is no loss.
                    Ok(stream) => drop(answer(&daemon, stream)),
                    // Out of descriptors, most likely: wait for some to come back instead of spinning.
                    Err(_) => std::thread::sleep(Duration::from_secs(1)),
                }
            }
        })?;
        Ok(())
    }
}

fn answer(daemon: &Daemon, mut stream: UnixStream) -> Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut question = String::new();
    BufReader::new((&stream).take(QUESTION)).read_line(&mut question)?;
    let answer = match serde_json::from_str(&question) {
        Ok(Order::Run { roots, everything, allow_deletions }) => daemon
            .wish(&RunWish { roots, everything, allow_deletions })
            .map(|(said, wish)| Answer::Asked { said, wish }),
        Ok(Order::Look { wish }) => sight(daemon, wish).map(Answer::Seen),
        Ok(Order::Reload) => super::serve::reload(daemon).map(Answer::Done),
        Ok(Order::Forget { what, name }) => {
            super::forget::obey(daemon.engine().store(), &what, &name).map(Answer::Done)
        }
        Err(error) => Err(format!("this is no order: {error}")),
    };
    let answer = answer.unwrap_or_else(Answer::Refused);
    writeln!(stream, "{}", serde_json::to_string(&answer)?)?;
    Ok(())
}

fn sight(daemon: &Daemon, wish: u64) -> Result<Sight, String> {
    let wished = daemon.wished(wish).map_err(|failure| failure.to_string())?;
    Ok(match wished {
        Wished::Open => Sight::Open,
        Wished::Running(run) => {
            let engine = daemon.engine();
            Sight::Running { run, glimpse: engine.progress().glimpse(), waits: waits(&engine) }
        }
        Wished::Ended(report) => Sight::Ended { report },
        Wished::Broken(run, why) => Sight::Broken { run, why },
    })
}

/// Gives an order whose answer is words for people; nothing if nobody is serving.
pub(super) fn order(settings: &Settings, order: &Order) -> Result<Option<Vec<String>>> {
    Ok(match ask(settings, order)? {
        Some(Answer::Done(lines)) => Some(lines),
        Some(_) => bail!(OTHERWISE),
        None => None,
    })
}

/// Gives an order to the gatherer that is serving from this store; nothing if there is none. Gives back what it says.
pub(super) fn ask(settings: &Settings, order: &Order) -> Result<Option<Answer>> {
    let path = place(settings);
    let Some(mut stream) = reach(&path)? else { return Ok(None) };
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{}", serde_json::to_string(order)?)?;
    let mut said = String::new();
    BufReader::new(&stream).read_line(&mut said).context("the gatherer that is serving does not answer")?;
    match serde_json::from_str(&said).context(OTHERWISE)? {
        Answer::Refused(why) => bail!("{why}"),
        answer => Ok(Some(answer)),
    }
}

fn reach(path: &Path) -> Result<Option<UnixStream>> {
    match UnixStream::connect(path) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(error).with_context(|| format!("cannot reach the gatherer at {}", path.display()))
        }
        // Nobody is there. If the place itself is of no use, whoever wants to open the store will say so.
        Err(_) => Ok(None),
    }
}
