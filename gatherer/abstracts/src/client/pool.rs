//! Conversations in frames, as many as are needed and allowed: with children that stay, over TCP, over a Unix socket.

use super::conversation::{Conversation, Ends};
use super::messages::{Hello, Question, Reply};
use super::start::{Launch, Start};
use super::trouble::Loss;
use super::{Asked, Line};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// After so long a silence a parser is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(60);
/// How long a connection over which bye was said may stay.
const FAREWELL: Duration = Duration::from_millis(500);
/// How much later than the deadline an answer may come: it has to travel.
const GRACE: Duration = Duration::from_secs(1);
/// Longest pause before another start.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Where the other side is.
pub(super) enum Other {
    /// A child of ours.
    Child(Launch, Arc<dyn Start>),
    /// `host:port`.
    Tcp(String),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// Keeps conversations and gives each question to one of them.
pub(super) struct Pool {
    pub(super) other: Other,
    pub(super) start_up: Duration,
    /// Most conversations.
    pub(super) workers: usize,
    /// Most open questions in each, whatever the parser offers.
    pub(super) window: usize,
    /// After so many questions a conversation is begun anew.
    pub(super) share: u64,
    /// Held by who asks alone: one at a time, however many suffer.
    alone: Mutex<()>,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    talks: Vec<Talk>,
    starting: usize,
    /// After a start that failed: no other before this, how long that is, and why it failed.
    not_before: Option<(Instant, Duration, String)>,
}

struct Talk {
    conversation: Arc<Conversation>,
    open: usize,
}

impl Pool {
    pub(super) fn new(other: Other, start_up: Duration, workers: usize, window: usize, share: u64) -> Self {
        let (state, freed, alone) = (Mutex::default(), Condvar::new(), Mutex::default());
        let (workers, window, share) = (workers.max(1), window.max(1), share.max(1));
        Self { other, start_up, workers, window, share, alone, state, freed }
    }

    /// Whether it takes questions, and has not done its share.
    fn is_fit(&self, conversation: &Conversation) -> bool {
        conversation.is_open() && conversation.asked() < self.share
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A conversation with room, a new one if there may be one more; else waits for one.
    fn take(&self, until: Instant) -> Result<Arc<Conversation>, Loss> {
        let mut state = self.lock();
        loop {
            state.talks.retain(|talk| self.is_fit(&talk.conversation) || talk.open > 0);
            let has_room = |talk: &&mut Talk| {
                self.is_fit(&talk.conversation) && talk.open < self.window.min(talk.conversation.hello.window)
            };
            if let Some(talk) = state.talks.iter_mut().filter(has_room).min_by_key(|talk| talk.open) {
                talk.open += 1;
                let conversation = Arc::clone(&talk.conversation);
                drop(state);
                if conversation.answers_after(SILENCE) {
                    return Ok(conversation);
                }
                self.give_back(&conversation);
                state = self.lock();
                continue;
            }
            let live = state.talks.iter().filter(|talk| self.is_fit(&talk.conversation)).count();
            if live + state.starting < self.workers {
                state.starting += 1;
                drop(state);
                return self.start_in_pool();
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Loss::Busy);
            }
            state = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn start_in_pool(&self) -> Result<Arc<Conversation>, Loss> {
        let started = self.start_after_pause();
        let mut state = self.lock();
        state.starting -= 1;
        let result = started.map(|conversation| {
            let conversation = Arc::new(conversation);
            state.talks.push(Talk { conversation: Arc::clone(&conversation), open: 1 });
            conversation
        });
        drop(state);
        self.freed.notify_all();
        result
    }

    /// Starts, unless the last start has failed only just now.
    fn start_after_pause(&self) -> Result<Conversation, Loss> {
        let not_before = self.lock().not_before.clone();
        if let Some((when, _, why)) = not_before.as_ref().filter(|(when, ..)| Instant::now() < *when) {
            let seconds = when.saturating_duration_since(Instant::now()).as_secs_f32();
            return Err(Loss::Unreached(format!("{why} (the next start is in {seconds:.1} s)")));
        }
        let started = self.start();
        let pause = not_before.map_or(Duration::from_millis(100), |(_, pause, _)| (pause * 2).min(LONGEST_PAUSE));
        // A little more or less, so that many gatherers do not come in step.
        let pause = pause.mul_f32(0.75 + fastrand::f32() / 2.0);
        let failure = started.as_ref().err().map(ToString::to_string);
        self.lock().not_before = failure.map(|why| (Instant::now() + pause, pause, why));
        started
    }

    fn give_back(&self, conversation: &Arc<Conversation>) {
        let mut state = self.lock();
        let talk = state.talks.iter_mut().find(|talk| Arc::ptr_eq(&talk.conversation, conversation));
        talk.into_iter().for_each(|talk| talk.open = talk.open.saturating_sub(1));
        drop(state);
        self.freed.notify_all();
    }

    fn start(&self) -> Result<Conversation, Loss> {
        let unreached = |what: &str, error: io::Error| Loss::Unreached(format!("{what}: {error}"));
        match &self.other {
            Other::Child(launch, start) => {
                let running = start.start(launch).map_err(|error| unreached("it cannot be started", error))?;
                self.talk_to_child(running)
            }
            Other::Tcp(address) => {
                let cannot = |error| unreached(&format!("{address} cannot be reached"), error);
                let stream = connect(address, self.start_up).map_err(cannot)?;
                let [input, output, control] = tripled(|| stream.try_clone()).map_err(cannot)?;
                let control = Arc::new(control);
                self.talk_over(Box::new(HalfTcp(input)), Box::new(output), move || {
                    // It may be closed already.
                    let _ = control.shutdown(Shutdown::Both);
                })
            }
            Other::Unix(path) => {
                let cannot = |error| unreached(&format!("{} cannot be reached", path.display()), error);
                let stream = UnixStream::connect(path).map_err(cannot)?;
                let [input, output, control] = tripled(|| stream.try_clone()).map_err(cannot)?;
                let control = Arc::new(control);
                self.talk_over(Box::new(HalfUnix(input)), Box::new(output), move || {
                    let _ = control.shutdown(Shutdown::Both);
                })
            }
        }
    }

    fn talk_to_child(&self, mut running: super::start::Running) -> Result<Conversation, Loss> {
        let (Some(input), Some(output)) = (running.input.take(), running.output.take()) else {
            return Err(Loss::Unreached("it has no standard input or output".to_owned()));
        };
        let [to_kill, to_leave, to_hear] = [(); 3].map(|()| running.process());
        let ends = Ends {
            hang_up: Box::new(move || to_kill.kill()),
            farewell: Box::new(move || Arc::clone(&to_leave).farewell()),
            last_words: Box::new(move || to_hear.last_words()),
        };
        Conversation::begin(input, output, ends, self.start_up)
    }

    fn talk_over(
        &self,
        input: Box<dyn Write + Send>,
        output: Box<dyn Read + Send>,
        close: impl Fn() + Send + Sync + Clone + 'static,
    ) -> Result<Conversation, Loss> {
        let close_later = close.clone();
        let ends = Ends {
            hang_up: Box::new(close),
            farewell: Box::new(move || {
                let close = close_later.clone();
                thread::spawn(move || {
                    thread::sleep(FAREWELL);
                    close();
                });
            }),
            last_words: Box::new(String::new),
        };
        Conversation::begin(input, output, ends, self.start_up)
    }
}

impl Line for Pool {
    fn hello(&self) -> Result<Hello, Loss> {
        let conversation = self.take(Instant::now() + self.start_up)?;
        let hello = conversation.hello.clone();
        self.give_back(&conversation);
        Ok(hello)
    }

    fn ask(&self, question: &Question<'_>, asked: Asked) -> Result<Reply, Loss> {
        if asked.is_alone {
            // Its own, so that it hurts nobody and nobody hurts it.
            let _turn = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
            return self.start_after_pause()?.ask(question, asked.limit + GRACE);
        }
        let conversation = self.take(Instant::now() + asked.patience)?;
        let reply = conversation.ask(question, asked.limit + GRACE);
        self.give_back(&conversation);
        reply
    }
}

fn connect(address: &str, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn tripled<T>(clone: impl Fn() -> io::Result<T>) -> io::Result<[T; 3]> {
    Ok([clone()?, clone()?, clone()?])
}

/// The writing half of a socket: when it goes, the other side hears the end.
struct HalfTcp(TcpStream);
struct HalfUnix(UnixStream);

macro_rules! half {
    ($half:ty) => {
        impl Write for $half {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                self.0.flush()
            }
        }

        impl Drop for $half {
            fn drop(&mut self) {
                // It may be closed already.
                let _ = self.0.shutdown(Shutdown::Write);
            }
        }
    };
}

half!(HalfTcp);
half!(HalfUnix);
