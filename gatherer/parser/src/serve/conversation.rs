//! A conversation in frames.

use super::frame::{self, Frame};
use super::pool::Pool;
use super::request::{Reply, Request, hello};
use crate::engine::MAX_BYTES;
use serde_json::{Map, Value};
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The writing side and what is still open.
struct Talk<W> {
    to: Mutex<W>,
    open: Mutex<usize>,
    done: Condvar,
}

impl<W: Write> Talk<W> {
    fn say(&self, header: Map<String, Value>, body: &[u8]) -> io::Result<()> {
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&mut *to, header, body)
    }

    fn count(&self, change: impl FnOnce(&mut usize)) -> usize {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut open);
        self.done.notify_all();
        *open
    }

    /// Waits until every request is answered.
    fn finish(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        while *open > 0 {
            open = self.done.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Greets, answers until the other side says bye or closes, and answers what is still open.
///
/// # Errors
/// If a frame is none, or the stream breaks.
pub fn converse<R: BufRead, W: Write + Send + 'static>(pool: &Pool, mut from: R, to: W) -> io::Result<()> {
    let talk = Arc::new(Talk { to: Mutex::new(to), open: Mutex::new(0), done: Condvar::new() });
    talk.say(hello(pool.engine(), pool.window()), &[])?;
    let ended = loop {
        match frame::read(&mut from, MAX_BYTES as u64) {
            Ok(Some(frame)) if frame.header.contains_key("bye") => break Ok(()),
            Ok(Some(frame)) => hear(pool, &talk, frame)?,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    talk.finish();
    ended
}

fn hear<W: Write + Send + 'static>(pool: &Pool, talk: &Arc<Talk<W>>, frame: Frame) -> io::Result<()> {
    if let Some(number) = frame.header.get("ping") {
        return talk.say(Map::from_iter([("pong".to_owned(), number.clone())]), &[]);
    }
    if !frame.header.contains_key("id") || !frame.header.contains_key("url") {
        return Ok(());
    }
    let fingerprint = pool.engine().fingerprint().to_owned();
    let request = match request(frame) {
        Ok(request) => request,
        Err((id, problem)) => return talk.say(Reply::error("bad-request", problem).header(&id, &fingerprint), &[]),
    };
    if talk.count(|open| *open += 1) > pool.window() {
        talk.count(|open| *open -= 1);
        return talk.say(Reply::error("busy", "more requests than the window").header(&request.id, &fingerprint), &[]);
    }
    let talk = Arc::clone(talk);
    pool.submit(request, move |request, reply| {
        // Whoever does not listen any more gets no answer.
        let _ = talk.say(reply.header(&request.id, &fingerprint), reply.body.as_bytes());
        talk.count(|open| *open -= 1);
    });
    Ok(())
}

/// A request out of its frame, or its id and what is wrong.
fn request(frame: Frame) -> Result<Request, (String, String)> {
    let id = frame.text("id").unwrap_or_default().to_owned();
    let is_id = !id.is_empty()
        && id.len() <= 64
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let wrong = |what: &str| (id.clone(), what.to_owned());
    if !is_id {
        return Err((String::new(), "the id is none".to_owned()));
    }
    let text = |name: &str| frame.text(name).map(str::to_owned);
    let deadline = frame.header.get("deadline_ms").and_then(Value::as_u64).map(Duration::from_millis);
    Ok(Request {
        url: text("url").filter(|url| !url.is_empty()).ok_or_else(|| wrong("the url is missing"))?,
        kind: text("type").ok_or_else(|| wrong("the type is missing"))?,
        charset: text("charset"),
        language: text("lang"),
        want: text("want").ok_or_else(|| wrong("nothing is wanted"))?,
        ontology: text("ontology"),
        deadline: Some(deadline.ok_or_else(|| wrong("the deadline is missing"))?),
        is_cut: frame.header.get("cut").and_then(Value::as_bool).unwrap_or(false),
        id,
        bytes: frame.body,
    })
}
