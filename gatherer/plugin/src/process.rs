//! Starts programs. Each runs in a process group of its own, with a small environment, bounded memory and a [`Sandbox`] around
//! it; at its deadline, or when it prints too much, the whole group is killed.

use crate::form::Trouble;
use crate::line::Line;
use crate::pool::seconds;
use crate::sandbox::Sandbox;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Of what a program says on standard error, so much is kept.
const TALK_LIMIT: usize = 2_000;
/// How long output may stay open after the end of the program.
const LEFT_BEHIND: Duration = Duration::from_secs(2);
/// The variables that a program gets from ours; everything else may hold secrets.
const ENVIRONMENT: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// The status with which a program refuses what is not for it: `EX_DATAERR` of `sysexits.h`.
const REFUSED: i32 = 65;
/// Address space of a worker of ours before it has done anything, and some more.
const OWN_SIZE: u64 = 512 << 20;

/// A program as it is to be started. The only place that does.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]
fn command(program: &Path) -> Command {
    let environment = ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(program);
    command.env_clear().envs(environment).process_group(0);
    command
}

/// Bounds what a child and all that it starts may take. A kernel that refuses leaves things as they are.
fn bound(child: &Child, memory: u64) {
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    let process = Some(Pid::from_child(child));
    if memory < u64::MAX {
        let _ = prlimit(process, Resource::As, limit(memory));
    }
    // No core files: they would hold what strangers sent us.
    let _ = prlimit(process, Resource::Core, limit(0));
}

/// A process that stays, and how it is started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// Where it runs; relative names of its own begin here.
    pub(crate) directory: Option<PathBuf>,
    /// A worker of ours: messages travel both ways over its standard input, and what it prints is nobody's.
    pub(crate) is_ours: bool,
    /// What it is kept from.
    pub(crate) sandbox: Sandbox,
}

impl Launch {
    /// Starts it, and opens the line to it. It may write in the directory that comes back, as long as that is there.
    pub(crate) fn start(&self, memory: u64) -> io::Result<(Child, Line, Option<TempDir>)> {
        let mut command = command(&self.program);
        command.args(&self.arguments).stderr(Stdio::piped());
        let scratch = scratch(self.sandbox)?;
        confine(&mut command, self.sandbox, scratch.as_ref().map(TempDir::path))?;
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let (mut child, socket) = if self.is_ours {
            let (ours, theirs) = UnixStream::pair()?;
            let ends: (OwnedFd, OwnedFd) = (ours.try_clone()?.into(), ours.into());
            (command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).spawn()?, Some(ends))
        } else {
            (command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?, None)
        };
        bound(&child, if self.is_ours { memory.saturating_add(OWN_SIZE) } else { memory });
        let piped = child.stdin.take().zip(child.stdout.take());
        let ends = socket.or_else(|| piped.map(|(input, output)| (input.into(), output.into())));
        let line = match ends.zip(child.stderr.take()) {
            Some(((input, output), errors)) => Line::new(input, output, errors.into()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if line.is_err() {
            kill_group(Pid::from_child(&child));
            // It is dead, and leaves its place in the table of processes here.
            let _ = child.wait();
        }
        Ok((child, line?, scratch))
    }

    /// What runs, for people.
    pub(crate) fn about(&self) -> String {
        if self.is_ours { "in a worker of its own".to_owned() } else { "as a program that stays".to_owned() }
    }
}

/// One call of a program, and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The program; one without a slash is looked up in PATH.
    pub program: &'a Path,
    /// All its arguments.
    pub arguments: &'a [OsString],
    /// Variables beside the few that it gets from ours.
    pub environment: &'a [(&'a str, &'a str)],
    /// The longest it may take.
    pub limit: Duration,
    /// The most it may print.
    pub output_limit: usize,
    /// The most memory it may take; [`u64::MAX`] is no bound.
    pub memory: u64,
    /// Whether it gets all of our environment: the operator has named it, and may want to tell it something.
    pub inherits: bool,
    /// What it is kept from.
    pub sandbox: Sandbox,
    /// Where it may write; if nothing is said, in a directory of its own for the time of the call.
    pub scratch: Option<&'a Path>,
}

impl Call<'_> {
    /// Runs it to its end, with this on standard input. It need not read it. What it printed is the answer.
    ///
    /// # Errors
    /// Why there is none, in words that go behind the program's name: it cannot be started, fails, takes too long or
    /// prints too much.
    pub fn run(&self, input: Option<&[u8]>) -> Result<Vec<u8>, String> {
        self.answer(input).map_err(|trouble| trouble.to_string())
    }

    /// The same; and what it printed before it failed.
    pub fn run_anyway(&self, input: Option<&[u8]>) -> (Vec<u8>, Option<String>) {
        let (output, trouble) = self.ended(input);
        (output, trouble.map(|trouble| trouble.to_string()))
    }

    /// The same; a program that refuses is told from one that fails.
    pub(crate) fn answer(&self, input: Option<&[u8]>) -> Result<Vec<u8>, Trouble> {
        match self.ended(input) {
            (output, None) => Ok(output),
            (_, Some(trouble)) => Err(trouble),
        }
    }

    /// What it printed, and what was wrong with its end.
    fn ended(&self, input: Option<&[u8]>) -> (Vec<u8>, Option<Trouble>) {
        // The directory goes when the program is gone.
        let (mut child, _scratch) = match self.start(input.is_some()) {
            Ok(started) => started,
            Err(error) => return (Vec::new(), Some(Trouble::Failed(unborn(self.program, &error)))),
        };
        let group = Pid::from_child(&child);
        let output = read_up_to(child.stdout.take(), self.output_limit, Some(group));
        let talk = read_up_to(child.stderr.take(), TALK_LIMIT, None);
        write_all(child.stdin.take(), input.unwrap_or_default().to_vec());
        let status = wait(child, group, self.limit);
        // Children that it left behind would keep its output open.
        kill_group(group);
        // One that has left the group and keeps the output open is not waited for.
        let (output, talk) = (output.recv_timeout(LEFT_BEHIND), talk.recv_timeout(LEFT_BEHIND).unwrap_or_default());
        let failed = |why: String| Some(Trouble::Failed(why));
        let Ok(output) = output else {
            return (Vec::new(), failed("it left a child behind that keeps its output open".to_owned()));
        };
        if output.len() > self.output_limit {
            return (Vec::new(), failed(format!("it printed more than {} bytes and was killed", self.output_limit)));
        }
        let trouble = match status {
            Some(Ok(status)) if status.success() => None,
            Some(Ok(status)) if status.code() == Some(REFUSED) => {
                Some(Trouble::Refused(last_words(&talk).trim_start_matches(": ").to_owned()))
            }
            Some(Ok(status)) => failed(format!("it ended with {status}{}", last_words(&talk))),
            Some(Err(error)) => failed(format!("it was lost: {error}")),
            None => failed(format!("it did not end within {} and was killed", seconds(self.limit))),
        };
        (output, trouble)
    }

    /// Runs it with attributes on standard input, in SOIF without header and brace, and takes those that it prints.
    ///
    /// # Errors
    /// As [`Self::run`], and if not all of the answer can be read: a wrong size makes other attributes wrong as well.
    pub fn pass(&self, attributes: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
        let attributes = attributes.iter().map(|(name, value)| gatherer_soif::Attribute::new(name, value.as_bytes()));
        let mut input = Vec::new();
        gatherer_soif::write_attributes(&mut input, &attributes.collect::<Vec<_>>())
            .map_err(|error| format!("it was not asked: {error}"))?;
        let (answer, complaints) = gatherer_soif::attributes(&self.run(Some(&input))?);
        if let Some(complaint) = complaints.first() {
            return Err(format!("it printed what are no attributes ({complaint})"));
        }
        let text = |attribute: gatherer_soif::Attribute| match String::from_utf8(attribute.value) {
            Ok(value) => Ok((attribute.name, value)),
            Err(_) => Err(format!("it printed a value of {} that is not UTF-8", attribute.name)),
        };
        answer.into_iter().map(text).collect()
    }

    fn start(&self, with_input: bool) -> io::Result<(Child, Option<TempDir>)> {
        let mut command = command(self.program);
        if self.inherits {
            command.envs(std::env::vars_os());
        }
        let own = if self.scratch.is_none() { scratch(self.sandbox)? } else { None };
        confine(&mut command, self.sandbox, self.scratch.or(own.as_ref().map(TempDir::path)))?;
        let child = command
            .args(self.arguments)
            .envs(self.environment.iter().copied())
            .stdin(if with_input { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        bound(&child, self.memory);
        Ok((child, own))
    }
}

/// A program that somebody else talks to, in an own way.
#[derive(Debug)]
pub struct Piped {
    /// The process, with all three ends piped, in a group of its own.
    pub child: Child,
    /// Where it may write; to be kept for as long as it runs.
    pub scratch: Option<TempDir>,
}

impl Piped {
    /// Starts a program so, with these variables beside the few that it gets from ours.
    ///
    /// # Errors
    /// When it cannot be started, or not be kept.
    pub fn start(
        program: &Path,
        arguments: &[String],
        environment: &[(String, String)],
        memory: u64,
        sandbox: Sandbox,
    ) -> io::Result<Self> {
        let mut command = command(program);
        command.args(arguments).envs(environment.iter().cloned());
        let scratch = scratch(sandbox)?;
        confine(&mut command, sandbox, scratch.as_ref().map(TempDir::path))?;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        bound(&child, memory);
        Ok(Self { child, scratch })
    }
}

const SCRATCH: &str = "gatherer-scratch-";

/// A directory to write in, for what may write nowhere else.
fn scratch(sandbox: Sandbox) -> io::Result<Option<TempDir>> {
    static SWEPT: Once = Once::new();
    if sandbox == Sandbox::Off {
        return Ok(None);
    }
    SWEPT.call_once(|| sweep(&std::env::temp_dir()));
    tempfile::Builder::new().prefix(&format!("{SCRATCH}{}-", std::process::id())).tempdir().map(Some)
}

/// Removes what processes have left behind that were killed.
fn sweep(directory: &Path) {
    if !Path::new("/proc/self").exists() {
        // Who lives cannot be told.
        return;
    }
    let is_left = |name: &str| {
        let process = name.strip_prefix(SCRATCH).and_then(|rest| rest.split_once('-')).map(|(process, _)| process);
        process.is_some_and(|process| process.parse::<u32>().is_ok() && !Path::new("/proc").join(process).exists())
    };
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_left) {
            // That of another user stays.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Puts the sandbox around what the command will be, and tells it where it may write.
fn confine(command: &mut Command, sandbox: Sandbox, scratch: Option<&Path>) -> io::Result<()> {
    let Some(scratch) = scratch else { return Ok(()) };
    sandbox.put_around(command.env("TMPDIR", scratch), scratch)
}

/// Why a program cannot be started. A script may be there, and what its first line names not.
pub(crate) fn unborn(program: &Path, error: &io::Error) -> String {
    let is_there = error.kind() == io::ErrorKind::NotFound && program.is_file();
    match error.raw_os_error() {
        _ if is_there => "it cannot be started: its first line names an interpreter that is not there".to_owned(),
        Some(8) => "it cannot be started: it is no program, and its first line names no interpreter".to_owned(),
        _ => format!("it cannot be started: {error}"),
    }
}

/// The last line of what it said on standard error, behind a colon.
pub(crate) fn last_words(talk: &[u8]) -> String {
    let talk = String::from_utf8_lossy(talk);
    talk.lines().rfind(|line| !line.trim().is_empty()).map_or_else(String::new, |line| format!(": {}", line.trim()))
}

/// Writes in a thread of its own, because a program may print before it has read everything. Nobody waits for it: it
/// ends with the program, or with whoever holds the other end.
fn write_all(sink: Option<impl Write + Send + 'static>, bytes: Vec<u8>) {
    if let Some(mut sink) = sink {
        thread::spawn(move || {
            // An error is a program that does not want to know the rest.
            let _ = sink.write_all(&bytes);
        });
    }
}

/// Waits for the end of a child; at the deadline its group is killed and there is no status.
fn wait(mut child: Child, group: Pid, limit: Duration) -> Option<io::Result<ExitStatus>> {
    let (ended, end_of_child) = channel();
    let waiting = thread::spawn(move || {
        // Nobody listens any more when the deadline came first.
        let _ = ended.send(child.wait());
    });
    let status = match end_of_child.recv_timeout(limit) {
        Ok(status) => Some(status),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            kill_group(group);
            None
        }
    };
    let _ = waiting.join();
    status
}

/// Reads in a thread of its own up to one byte more than `limit`; then the group is killed, or the rest passed over.
fn read_up_to(source: Option<impl Read + Send + 'static>, limit: usize, flooding: Option<Pid>) -> Receiver<Vec<u8>> {
    let (done, bytes_read) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let Some(mut source) = source else { return };
        // An error is the end: the other side is gone.
        let _ = source.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes);
        let is_flood = bytes.len() > limit;
        flooding.into_iter().filter(|_| is_flood).for_each(kill_group);
        // Nobody waits any more if this took too long.
        let _ = done.send(bytes);
        if is_flood {
            let _ = io::copy(&mut source, &mut io::sink());
        }
    });
    bytes_read
}

/// Kills a process with all that it has started, unless that has left its group.
pub(crate) fn kill_group(group: Pid) {
    // It may have ended by itself in the meantime.
    let _ = kill_process_group(group, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shell script as a filter.
    fn call<T>(script: &str, run: impl FnOnce(&Call<'_>) -> T) -> T {
        let arguments = ["-c", script].map(OsString::from);
        run(&Call {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            environment: &[("SUMMARIZER_URL", "http://example.org/")],
            limit: Duration::from_secs(60),
            output_limit: 2 << 20,
            memory: 2 << 30,
            inherits: false,
            sandbox: Sandbox::On,
            scratch: None,
        })
    }

    #[test]
    fn a_filter_reads_and_prints_at_once() {
        let input: Vec<u8> = b"0123456789abcdef".repeat(1 << 16);
        let output = call("cat; printf %s $SUMMARIZER_URL", |call| call.run(Some(&input))).expect("an answer");
        assert_eq!((output.len(), output.ends_with(b"fhttp://example.org/")), ((1 << 20) + 19, true));
        assert_eq!(call("cat", |call| call.run(Some(b""))), Ok(Vec::new()));
    }

    #[test]
    fn a_filter_need_not_read() {
        let input = vec![b'x'; 1 << 20];
        for script in ["printf done", "exec <&-; printf done", "head -c 3 >&2; printf done"] {
            assert_eq!(call(script, |call| call.run(Some(&input))), Ok(b"done".to_vec()), "{script}");
        }
        assert_eq!(call("exit 3", |call| call.run(Some(&input))), Err("it ended with exit status: 3".to_owned()));
        let absent = |call: &Call<'_>| Call { program: Path::new("/nowhere/cleanup"), ..*call }.run(Some(b"x"));
        let problem = call("", absent).expect_err("not there");
        assert!(problem.starts_with("it cannot be started: No such file"), "{problem}");
    }

    #[test]
    fn attributes_pass_through_in_soif() {
        let given = [("City", "New\nYork"), ("State", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let pass = |script: &str| call(script, |call| call.pass(&given));
        assert_eq!(pass("cat"), Ok(given[..1].to_vec()));
        assert_eq!(pass("printf 'Zip{0}:\t\n'"), Ok(vec![("Zip".to_owned(), String::new())]));
        assert_eq!(pass("true"), Ok(Vec::new()));
        assert_eq!(
            pass("echo hello"),
            Err("it printed what are no attributes (at byte 0: no size after \"hello\")".to_owned())
        );
        assert_eq!(pass(r"printf 'A{1}:\t\377\n'"), Err("it printed a value of A that is not UTF-8".to_owned()));
    }
}
