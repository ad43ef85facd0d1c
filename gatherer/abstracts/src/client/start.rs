//! Children: how programs are started. Whoever has a better way (with a sandbox around it) gives an own [`Start`].

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The variables that a program gets from ours; everything else may hold secrets.
const ENVIRONMENT: [&str; 3] = ["PATH", "LANG", "TMPDIR"];
/// Of what a program says on standard error, so much is kept: the end.
const LAST_WORDS: usize = 4 << 10;
/// How long a program whose input has ended may take to end.
const FAREWELL: Duration = Duration::from_millis(500);

/// A program as it is to be started: without a shell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program; one without a slash is looked up in PATH.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables beside the few that it gets from ours.
    pub environment: Vec<(String, String)>,
}

/// Starts programs.
pub trait Start: Send + Sync {
    /// Starts one, in a process group of its own, with all three ends piped.
    ///
    /// # Errors
    /// If it cannot be started.
    fn start(&self, launch: &Launch) -> io::Result<Running>;
}

/// Starts programs as they are, with bounded memory.
#[derive(Debug, Clone, Copy)]
pub struct Processes {
    /// Most bytes of address space; [`u64::MAX`] is no bound.
    pub memory: u64,
}

impl Start for Processes {
    fn start(&self, launch: &Launch) -> io::Result<Running> {
        let mut child = command(launch).spawn()?;
        let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
        let process = Some(Pid::from_child(&child));
        // A kernel that refuses leaves things as they are.
        if self.memory < u64::MAX {
            let _ = prlimit(process, Resource::As, limit(self.memory));
        }
        // No core files: they would hold what strangers sent us.
        let _ = prlimit(process, Resource::Core, limit(0));
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = ends else { return Err(io::ErrorKind::BrokenPipe.into()) };
        Ok(Running::new(child, Box::new(input), Box::new(output), Box::new(errors)))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place in this room that starts programs: gatherer-plugin, which has the other, would pull in the WASM engine"
)]
fn command(launch: &Launch) -> Command {
    let environment = ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).env_clear().envs(environment).envs(launch.environment.iter().cloned());
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A program that runs.
pub struct Running {
    /// Our end of its standard input.
    pub input: Option<Box<dyn Write + Send>>,
    /// Our end of its standard output.
    pub output: Option<Box<dyn Read + Send>>,
    process: Arc<Process>,
}

impl Running {
    /// Watches over a child in a process group of its own.
    pub fn new(
        child: Child,
        input: Box<dyn Write + Send>,
        output: Box<dyn Read + Send>,
        errors: Box<dyn Read + Send>,
    ) -> Self {
        let process = Arc::new(Process::watch(child, errors));
        Self { input: Some(input), output: Some(output), process }
    }

    pub(super) fn process(&self) -> Arc<Process> {
        Arc::clone(&self.process)
    }
}

/// The process behind a program, its end and its last words.
pub(super) struct Process {
    group: Pid,
    ended: Mutex<Receiver<io::Result<ExitStatus>>>,
    talk_over: Mutex<Receiver<()>>,
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl Process {
    fn watch(mut child: Child, errors: Box<dyn Read + Send>) -> Self {
        let group = Pid::from_child(&child);
        let (end, ended) = channel();
        thread::spawn(move || {
            // Nobody may listen any more.
            let _ = end.send(child.wait());
        });
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (over, talk_over) = channel();
        let kept = Arc::clone(&last_words);
        thread::spawn(move || {
            listen(errors, &kept);
            let _ = over.send(());
        });
        Self { group, ended: Mutex::new(ended), talk_over: Mutex::new(talk_over), last_words }
    }

    /// Ends it with all that it has started, unless that has left its group.
    pub(super) fn kill(&self) {
        // It may have ended by itself in the meantime.
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// Waits for its end; nothing if that does not come in time.
    pub(super) fn wait(&self, limit: Duration) -> Option<ExitStatus> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.recv_timeout(limit).ok().and_then(Result::ok)
    }

    /// The last line of what it said on standard error, behind a colon.
    pub(super) fn last_words(&self) -> String {
        // What it said with its last breath may still be on its way.
        let _ = self.talk_over.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(FAREWELL);
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().rfind(|line| !line.trim().is_empty());
        last.map_or_else(String::new, |line| format!(": {}", line.trim()))
    }

    /// Lets it end by itself for a moment, then ends it; nobody waits for that.
    pub(super) fn farewell(self: Arc<Self>) {
        thread::spawn(move || {
            self.wait(FAREWELL);
            self.kill();
        });
    }
}

fn listen(mut errors: Box<dyn Read + Send>, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4 << 10];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut words = kept.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(&buffer[..count]);
        let excess = words.len().saturating_sub(LAST_WORDS);
        words.drain(..excess);
    }
}
