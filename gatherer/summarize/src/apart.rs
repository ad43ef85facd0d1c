//! Built-in summarizers in a process of their own.
//!
//! Some libraries are known to loop, to overflow their stack or to take all memory on documents made to do that. They
//! run in a child: this same program, started as a worker, which takes one document at a time over its standard input
//! and answers on its standard output. A child that is late or dies costs one document its summary; the next one gets
//! a new child.
//!
//! A message is its length (four bytes, big-endian) and so many bytes of `postcard`. Both sides are the same program,
//! so the form needs no version.

use gatherer_pipeline::{Draft, Kind, Leaf, Refusal};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use url::Url;

/// Longest message: a body at the largest limit that an operator may set, and some more.
const MESSAGE_LIMIT: u32 = 1 << 30;
/// Most memory of a worker.
const MEMORY_LIMIT: u64 = 2 << 30;

/// One document on its way to a worker.
#[derive(Serialize, Deserialize)]
struct Request {
    url: Url,
    kind: String,
    content_type: Option<String>,
    cut: bool,
    #[serde(with = "serde_bytes")]
    body: Vec<u8>,
}

/// Starts workers, keeps those that do well, and gives each document to one of them.
pub struct Apart {
    program: PathBuf,
    arguments: Vec<OsString>,
    limit: Duration,
    idle: Mutex<Vec<Worker>>,
}

impl Apart {
    /// Workers are this program with these arguments, which must lead to [`work`]; each document may take so long.
    pub fn new(program: PathBuf, arguments: Vec<OsString>, limit: Duration) -> Self {
        Self { program, arguments, limit, idle: Mutex::new(Vec::new()) }
    }

    /// Has a worker summarize a leaf by the built-in summarizer of its kind.
    pub(crate) fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let request = Request {
            url: leaf.url.clone(),
            kind: leaf.kind.name().to_owned(),
            content_type: leaf.content_type.map(str::to_owned),
            cut: leaf.cut,
            body: leaf.body.to_vec(),
        };
        let request = Arc::new(request);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let is_used = idle.is_some();
        match self.ask(idle, &request) {
            // It may have died long ago, of something else.
            Err(Died::Lost(_)) if is_used => self.ask(None, &request),
            other => other,
        }
        .unwrap_or_else(|died| Err(Refusal(died.reason())))
    }

    fn ask(&self, idle: Option<Worker>, request: &Arc<Request>) -> Result<Result<Draft, Refusal>, Died> {
        let worker = idle.map_or_else(|| self.start().map_err(Died::Unborn), Ok)?;
        if worker.requests.send(request.clone()).is_err() {
            return Err(Died::Lost(io::ErrorKind::BrokenPipe.into()));
        }
        match worker.answers.recv_timeout(self.limit) {
            Ok(Ok(answer)) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                Ok(answer)
            }
            Ok(Err(error)) => Err(Died::Lost(error)),
            // The worker goes with its handle.
            Err(_) => Err(Died::Late(self.limit)),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is one of the places that start programs")]
    fn start(&self) -> io::Result<Worker> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        let (requests, to_send) = channel();
        let (answering, answers) = channel();
        thread::spawn(move || converse(input, output, &to_send, &answering));
        Ok(Worker { child, requests, answers })
    }
}

/// Why there is no answer.
enum Died {
    Unborn(io::Error),
    Lost(io::Error),
    Late(Duration),
}

impl Died {
    fn reason(self) -> String {
        match self {
            Self::Unborn(error) => format!("its worker cannot be started: {error}"),
            Self::Lost(error) => format!("its worker died ({error})"),
            Self::Late(limit) => format!("it did not end within {} s and was killed", limit.as_secs()),
        }
    }
}

/// A child and the thread that talks with it.
struct Worker {
    child: Child,
    requests: Sender<Arc<Request>>,
    answers: Receiver<io::Result<Result<Draft, Refusal>>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Carries requests to a child and its answers back, until one side is gone.
fn converse(
    mut input: ChildStdin,
    mut output: ChildStdout,
    requests: &Receiver<Arc<Request>>,
    answers: &Sender<io::Result<Result<Draft, Refusal>>>,
) {
    while let Ok(request) = requests.recv() {
        let answer = send(&mut input, &*request).and_then(|()| receive(&mut output));
        let answer = answer.and_then(|answer| answer.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
        let is_over = answer.is_err();
        if answers.send(answer).is_err() || is_over {
            return;
        }
    }
}

/// The worker's side: summarizes what comes in until there is no more.
///
/// # Errors
/// When the other side is gone or talks otherwise.
pub fn work(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    limit_itself();
    while let Some(request) = receive::<Request>(&mut input)? {
        let kind = Kind::new(request.kind);
        let leaf = Leaf {
            url: &request.url,
            kind: &kind,
            votes: &[],
            content_type: request.content_type.as_deref(),
            body: &request.body,
            cut: request.cut,
        };
        let answer = crate::guarded(gatherer_summarizers::of(&kind), &leaf);
        send(&mut output, &answer)?;
    }
    Ok(())
}

/// No more memory than is good for the machine, and no core files. A kernel that refuses leaves things as they are.
fn limit_itself() {
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    let _ = setrlimit(Resource::As, limit(MEMORY_LIMIT));
    let _ = setrlimit(Resource::Core, limit(0));
}

fn send(output: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= MESSAGE_LIMIT);
    output.write_all(&length.ok_or(io::ErrorKind::FileTooLarge)?.to_be_bytes())?;
    output.write_all(&bytes)?;
    output.flush()
}

/// The next message; none if the other side has ended between two messages.
fn receive<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_be_bytes(length);
    if length > MESSAGE_LIMIT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summarize(program: &str, arguments: &[&str], limit: Duration) -> Result<Draft, Refusal> {
        let arguments = arguments.iter().map(OsString::from).collect();
        let apart = Apart::new(program.into(), arguments, limit);
        let url = Url::parse("http://example.org/a.txt").expect("a URL");
        let leaf = Leaf { url: &url, kind: &Kind::TEXT, votes: &[], content_type: None, body: b"Corn", cut: false };
        apart.summarize(&leaf)
    }

    #[test]
    fn a_worker_answers_one_request_after_the_other() {
        let request = |name: &str| Request {
            url: Url::parse("http://example.org/").and_then(|base| base.join(name)).expect("a URL"),
            kind: "Text".to_owned(),
            content_type: None,
            cut: false,
            body: name.as_bytes().to_vec(),
        };
        let (mut input, mut output) = (Vec::new(), Vec::new());
        send(&mut input, &request("corn")).expect("written");
        send(&mut input, &request("maize")).expect("written");
        work(input.as_slice(), &mut output).expect("an end");
        let mut output = output.as_slice();
        let mut title = || {
            receive::<Result<Draft, Refusal>>(&mut output)
                .expect("read")
                .map(|answer| answer.expect("a draft").get("Title").map(str::to_owned))
        };
        assert_eq!([title(), title(), title()], [Some(Some("corn".to_owned())), Some(Some("maize".to_owned())), None]);
    }

    #[test]
    fn a_worker_that_dies_costs_one_document() {
        let refusal = summarize("/bin/sh", &["-c", "exit 3"], Duration::from_secs(60)).expect_err("no draft");
        assert!(refusal.0.starts_with("its worker died"), "{refusal}");
    }

    #[test]
    fn a_worker_that_is_late_is_killed() {
        let refusal =
            summarize("/bin/sh", &["-c", "exec tail -f /dev/null"], Duration::from_millis(50)).expect_err("no draft");
        assert_eq!(refusal.0, "it did not end within 0 s and was killed");
    }

    #[test]
    fn no_worker_no_draft() {
        let refusal = summarize("/nowhere/gatherer", &[], Duration::from_secs(1)).expect_err("no draft");
        assert!(refusal.0.starts_with("its worker cannot be started"), "{refusal}");
    }
}
