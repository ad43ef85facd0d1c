//! Processes that stay and answer one question after the other: long-lived programs, and workers of our own for libraries
//! and for built-in summarizers that are better not run here.
//!
//! There are as many as are asked at the same time. One that is late, dies, floods or talks nonsense is killed with all that
//! it has started, and costs one document its answer; one that has done its share is replaced.

use crate::form::{Asked, Form, Grants, Limits, Trouble, beginning, left, part};
use crate::line::{Broken, Line};
use crate::messages::{Ours, PACKED, PROTOCOL, Theirs};
use crate::process::{Launch, kill_group, unborn};
use crate::since_0_1::{Answer, Description, VERSION};
use rustix::process::Pid;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a process may take to greet, whatever its deadline: interpreters start slowly on a busy machine.
const GREETING: Duration = Duration::from_secs(10);
/// How long a process that was asked to end may take to do so.
const FAREWELL: Duration = Duration::from_millis(200);
/// Escapes of JSON, log lines and the like may make an answer so many times larger than what is in it.
const OVERHEAD: usize = 4;

/// Starts processes, keeps those that do well, and gives each question to one of them.
pub(crate) struct Pool {
    launch: Launch,
    role: &'static str,
    grants: Grants,
    limits: Limits,
    idle: Mutex<Vec<Worker>>,
}

impl Pool {
    pub(crate) fn new(launch: Launch, role: &'static str, grants: Grants, limits: Limits) -> Self {
        Self { launch, role, grants, limits, idle: Mutex::new(Vec::new()) }
    }

    /// A process that is ready: one that waits, or a new one.
    fn worker(&self) -> Result<Worker, Trouble> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut worker) = idle else { return self.start() };
            // One that has died meanwhile, or speaks unasked, is not asked.
            if !worker.line.is_spoilt() {
                return Ok(worker);
            }
        }
    }

    fn start(&self) -> Result<Worker, Trouble> {
        let unborn = |error| Trouble::Failed(unborn(&self.launch.program, &error));
        let (child, line, scratch) = self.launch.start(self.limits.memory).map_err(unborn)?;
        let description = Description::default();
        let mut worker = Worker { child, line, _scratch: scratch, questions: 0, documents: 0, bytes: 0, description };
        let hello = Ours::Hello { protocol: PROTOCOL, version: VERSION, role: self.role, features: &self.features() };
        let end = Instant::now() + GREETING;
        worker.line.begin(self.most());
        match worker.greet(&hello, end) {
            Ok(Ok(description)) => worker.description = description,
            Ok(Err(stranger)) => return Err(Trouble::Failed(stranger)),
            Err(broken) => return Err(self.post_mortem(worker, broken, " before it had said hello")),
        }
        Ok(worker)
    }

    fn features(&self) -> Vec<&'static str> {
        let (log, read, left) = (self.grants.log, self.grants.body, self.grants.deadline);
        let granted = [("log", log), ("read", read), ("left", left), (PACKED, true)];
        granted.into_iter().filter_map(|(name, is_granted)| is_granted.then_some(name)).collect()
    }

    /// Most bytes that may be heard for one question.
    fn most(&self) -> usize {
        self.limits.output.saturating_mul(OVERHEAD).saturating_add(1 << 20)
    }

    /// Asks one question and hears what is said until the answer comes.
    fn converse(&self, worker: &mut Worker, asked: &Asked<'_>) -> Result<Theirs, Broken> {
        let end = Instant::now() + self.limits.deadline;
        worker.questions = worker.questions.wrapping_add(1);
        let number = worker.questions;
        let line = &mut worker.line;
        line.begin(self.most());
        line.send(&Ours::from(asked.question), number, beginning(asked.body), end)?;
        loop {
            match line.receive(number, end)? {
                Theirs::Log { level, text } if self.grants.log => asked.talk.say(level, &text),
                Theirs::Log { .. } => {}
                Theirs::Read { offset, length } => {
                    let bytes = if self.grants.body { part(asked.body, offset, length) } else { &[] };
                    line.send(&Ours::Bytes {}, number, bytes, end)?;
                }
                Theirs::Left {} => {
                    line.send(&Ours::Left(if self.grants.deadline { left(end) } else { 0 }), number, &[], end)?;
                }
                answer => return Ok(answer),
            }
        }
    }

    /// Keeps a process for the next question, unless it has done its share.
    fn put_back(&self, mut worker: Worker, bytes: usize) {
        worker.documents += 1;
        worker.bytes += bytes as u64;
        if worker.documents < self.limits.documents && worker.bytes < self.limits.bytes {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        } else {
            worker.say_farewell();
        }
    }

    /// Why a process gave no answer, in words that go behind its name.
    fn post_mortem(&self, mut worker: Worker, broken: Broken, when: &str) -> Trouble {
        Trouble::Failed(match broken {
            Broken::Late if !when.is_empty() => {
                format!("it did not say hello within {} and was killed", seconds(GREETING))
            }
            Broken::Late => format!("it did not answer within {} and was killed", seconds(self.limits.deadline)),
            Broken::Flood(most) => format!("it said more than {most} bytes and was killed"),
            Broken::Nonsense(what) => format!("{what}, and was killed"),
            Broken::Lost(error) => format!("it was lost: {error}"),
            Broken::Ended => match worker.status() {
                Some(status) => format!("it ended with {status}{when}{}", worker.line.last_words()),
                None => format!("it closed its output{when} and was killed{}", worker.line.last_words()),
            },
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut idle = std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
        // All are asked to end before the first is waited for.
        idle.iter_mut().for_each(|worker| worker.line.hang_up());
        idle.into_iter().for_each(Worker::say_farewell);
    }
}

/// A span for people.
pub(crate) fn seconds(span: Duration) -> String {
    if span.subsec_millis() == 0 { format!("{} s", span.as_secs()) } else { format!("{} ms", span.as_millis()) }
}

impl Form for Pool {
    fn describe(&self) -> Result<Option<Description>, Trouble> {
        let worker = self.worker()?;
        let description = worker.description.clone();
        self.put_back(worker, 0);
        Ok(Some(description))
    }

    fn ask(&self, asked: &Asked<'_>) -> Result<Answer, Trouble> {
        let mut worker = self.worker()?;
        match self.converse(&mut worker, asked) {
            Ok(answer) => {
                self.put_back(worker, asked.body.len());
                answer.answer(&asked.question)
            }
            Err(broken) => Err(self.post_mortem(worker, broken, "")),
        }
    }

    fn about(&self) -> String {
        self.launch.about()
    }

    fn peak(&self) -> Option<u64> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter().filter_map(|worker| peak_of(worker.child.id())).max()
    }
}

/// The most memory that a process has had, where the system tells.
fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// One process and the line to it.
struct Worker {
    child: Child,
    line: Line,
    /// Where it may write; it goes with the process.
    _scratch: Option<TempDir>,
    /// The number of the last question.
    questions: u32,
    documents: u64,
    bytes: u64,
    description: Description,
}

impl Worker {
    fn greet(&mut self, hello: &Ours<'_>, end: Instant) -> Result<Result<Description, String>, Broken> {
        self.line.send(hello, 0, &[], end)?;
        let greeting = self.line.receive(0, end)?.greeting();
        Ok(greeting.map(|(description, notation)| {
            self.line.agree_on(notation);
            description
        }))
    }

    /// How it ended, if it did: the end of its output comes a little earlier.
    fn status(&mut self) -> Option<ExitStatus> {
        let end = Instant::now() + FAREWELL;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                other => return other.ok().flatten(),
            }
        }
    }

    /// Lets it end in peace; if it does not, it is killed.
    fn say_farewell(mut self) {
        self.line.hang_up();
        self.status();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        kill_group(Pid::from_child(&self.child));
        // It may be dead already, and leave its place in the table of processes here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
