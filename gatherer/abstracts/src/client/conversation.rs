//! One conversation in frames, over whatever carries bytes both ways. Many questions may be open; answers come in any order.

use super::messages::{Hello, Question, Reply, frame, read_body, read_header};
use super::trouble::Loss;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a parser may take to answer a ping.
const PONG: Duration = Duration::from_secs(5);
/// Frames that nobody asked for may be so long; more is a flood.
const STRANGER_LIMIT: usize = 1 << 20;

type Waiting = HashMap<String, (Sender<Result<Reply, Loss>>, usize)>;

/// What both threads know.
#[derive(Default)]
struct Desk {
    waiting: Waiting,
    /// Why nothing more will come.
    ended: Option<Loss>,
    /// It takes no more questions.
    is_closing: bool,
    pong: Option<Sender<()>>,
    heard: Option<Instant>,
}

/// A conversation with a parser.
pub(super) struct Conversation {
    pub(super) hello: Hello,
    /// Frames to send; nothing is the end of them.
    outgoing: Sender<Option<Vec<u8>>>,
    desk: Arc<Mutex<Desk>>,
    questions: AtomicU64,
    /// Ends the other side, or the way to it.
    hang_up: Box<dyn Fn() + Send + Sync>,
    /// What is to be done when it is over in peace.
    farewell: Box<dyn Fn() + Send + Sync>,
    /// What the other side said beside, for the reason of its end.
    last_words: Box<dyn Fn() -> String + Send + Sync>,
}

/// How a conversation ends.
pub(super) struct Ends {
    pub(super) hang_up: Box<dyn Fn() + Send + Sync>,
    pub(super) farewell: Box<dyn Fn() + Send + Sync>,
    pub(super) last_words: Box<dyn Fn() -> String + Send + Sync>,
}

impl Conversation {
    /// Waits for the greeting.
    pub(super) fn begin(
        input: Box<dyn Write + Send>,
        output: Box<dyn Read + Send>,
        ends: Ends,
        start_up: Duration,
    ) -> Result<Self, Loss> {
        let (outgoing, to_send) = channel();
        thread::spawn(move || write_all(input, &to_send));
        let desk = Arc::new(Mutex::new(Desk::default()));
        let (greeted, greeting) = channel();
        let (shared, answers) = (Arc::clone(&desk), outgoing.clone());
        thread::spawn(move || listen(output, &greeted, &shared, answers));
        let hello = match greeting.recv_timeout(start_up) {
            Ok(hello) => hello,
            Err(_) => Err(Loss::Late),
        };
        let Ends { hang_up, farewell, last_words } = ends;
        match hello {
            Ok(hello) => {
                let questions = AtomicU64::new(0);
                Ok(Self { hello, outgoing, desk, questions, hang_up, farewell, last_words })
            }
            Err(loss) => {
                hang_up();
                Err(match loss {
                    Loss::Late => Loss::Unreached("it does not say hello in time".to_owned()),
                    other => Loss::Unreached(format!("{other}{}", last_words())),
                })
            }
        }
    }

    /// Whether it can take questions.
    pub(super) fn is_open(&self) -> bool {
        let desk = lock(&self.desk);
        desk.ended.is_none() && !desk.is_closing
    }

    /// Whether it is still there after a long silence.
    pub(super) fn answers_after(&self, silence: Duration) -> bool {
        let (pong, answered) = channel();
        {
            let mut desk = lock(&self.desk);
            if desk.heard.is_none_or(|heard| heard.elapsed() < silence) {
                return true;
            }
            desk.pong = Some(pong);
        }
        let sent = self.outgoing.send(Some(frame(&json!({ "ping": 1 }), &[]))).is_ok();
        let is_there = sent && answered.recv_timeout(PONG).is_ok();
        if !is_there {
            (self.hang_up)();
        }
        is_there
    }

    /// Asks, and waits for the answer. At the deadline the other side is ended: it would only keep others waiting.
    pub(super) fn ask(&self, question: &Question<'_>, limit: Duration) -> Result<Reply, Loss> {
        let id = format!("q{}", self.questions.fetch_add(1, Ordering::Relaxed) + 1);
        let (answer, answered) = channel();
        {
            let mut desk = lock(&self.desk);
            if let Some(loss) = &desk.ended {
                return Err(self.explained(loss.clone()));
            }
            desk.waiting.insert(id.clone(), (answer, question.output_limit));
        }
        // If it cannot be sent, the other side is gone, and the reader says so.
        let _ = self.outgoing.send(Some(question.frame(&id)));
        match answered.recv_timeout(limit) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(loss)) => Err(self.explained(loss)),
            Err(RecvTimeoutError::Timeout) => {
                self.end_for(&id);
                Err(Loss::Late)
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.explained(Loss::Died("it ended".to_owned()))),
        }
    }

    /// Ends it for the sake of one question; the others that are open suffer from a neighbour.
    fn end_for(&self, id: &str) {
        let mut desk = lock(&self.desk);
        desk.waiting.remove(id);
        for (_, (answer, _)) in desk.waiting.drain() {
            let _ = answer.send(Err(Loss::Neighbour));
        }
        desk.ended = Some(Loss::Neighbour);
        drop(desk);
        (self.hang_up)();
    }

    /// How many questions it has been asked.
    pub(super) fn asked(&self) -> u64 {
        self.questions.load(Ordering::Relaxed)
    }

    /// Of one that has died, what it said beside.
    fn explained(&self, loss: Loss) -> Loss {
        match loss {
            Loss::Died(why) => Loss::Died(format!("{why}{}", (self.last_words)())),
            other => other,
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.outgoing.send(Some(frame(&json!({ "bye": 1 }), &[])));
        let _ = self.outgoing.send(None);
        (self.farewell)();
    }
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes in a thread of its own: one that does not read must not keep us. Ends with the conversation.
fn write_all(mut input: Box<dyn Write + Send>, to_send: &Receiver<Option<Vec<u8>>>) {
    while let Ok(Some(bytes)) = to_send.recv() {
        if input.write_all(&bytes).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Hears everything, in a thread of its own, until there is nothing more to hear.
fn listen(
    output: Box<dyn Read + Send>,
    greeted: &Sender<Result<Hello, Loss>>,
    desk: &Mutex<Desk>,
    answers: Sender<Option<Vec<u8>>>,
) {
    let mut source = BufReader::new(output);
    let hello = match read_header(&mut source) {
        Ok(Some((header, length))) => {
            read_body(&mut source, length, STRANGER_LIMIT).and_then(|_| Hello::read(header).map_err(Loss::Nonsense))
        }
        Ok(None) => Err(Loss::Died("it ended before it had said hello".to_owned())),
        Err(loss) => Err(loss),
    };
    let is_well = hello.is_ok();
    lock(desk).heard = Some(Instant::now());
    // Nobody waits any more if this took too long.
    let _ = greeted.send(hello);
    if !is_well {
        return;
    }
    let loss = loop {
        match hear(&mut source, desk, &answers) {
            Ok(()) => {}
            Err(loss) => break loss,
        }
    };
    let mut desk = lock(desk);
    for (_, (answer, _)) in desk.waiting.drain() {
        let _ = answer.send(Err(loss.clone()));
    }
    desk.ended.get_or_insert(loss);
}

/// One frame.
fn hear(source: &mut impl std::io::BufRead, desk: &Mutex<Desk>, answers: &Sender<Option<Vec<u8>>>) -> Result<(), Loss> {
    let Some((header, length)) = read_header(source)? else { return Err(Loss::Died("it ended".to_owned())) };
    lock(desk).heard = Some(Instant::now());
    let id = header.get("id").and_then(Value::as_str).filter(|_| header.contains_key("status"));
    let waiting = id.and_then(|id| lock(desk).waiting.remove(id));
    let limit = waiting.as_ref().map_or(STRANGER_LIMIT, |(_, limit)| *limit);
    match (read_body(source, length, limit), waiting) {
        (Ok(body), Some((answer, _))) => {
            // Who asked may have stopped waiting.
            let _ = answer.send(Reply::read(&header, body));
        }
        (Ok(_), None) => take_note(&header, desk, answers),
        (Err(loss), waiting) => {
            waiting.iter().for_each(|(answer, _)| {
                let _ = answer.send(Err(loss.clone()));
            });
            // The others suffer from a neighbour, not from their own documents.
            return Err(if waiting.is_some() { Loss::Neighbour } else { loss });
        }
    }
    Ok(())
}

/// A frame that is no answer to anything open.
fn take_note(header: &Map<String, Value>, desk: &Mutex<Desk>, answers: &Sender<Option<Vec<u8>>>) {
    if let Some(number) = header.get("ping") {
        let _ = answers.send(Some(frame(&json!({ "pong": number }), &[])));
    } else if header.contains_key("pong") {
        let pong = lock(desk).pong.take();
        let _ = pong.map(|pong| pong.send(()));
    } else if header.contains_key("bye") {
        lock(desk).is_closing = true;
    }
}
