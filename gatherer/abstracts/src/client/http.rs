//! Over HTTP/1.1: header fields in the place of frames, as in section 7.3 of the protocol.

use super::messages::{Hello, Question, Reply, Status};
use super::trouble::Loss;
use super::{Asked, Line};
use serde_json::{Map, Value};
use std::io::Read;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::http::HeaderMap;
use ureq::{Agent, Body};

/// Most bytes of a greeting or of an error.
const SMALL: u64 = 65_536;
/// Nobody is left in peace for longer than an hour.
const LONGEST_WISH: u64 = 3_600;
/// How much later than the deadline an answer may come: it has to travel.
const GRACE: Duration = Duration::from_secs(1);

/// A parser behind HTTP.
pub(super) struct Http {
    agent: Agent,
    base: String,
    start_up: Duration,
    /// Most open questions, whatever the parser offers.
    most: usize,
    /// Until when it has asked to be left in peace.
    not_before: Mutex<Option<Instant>>,
    /// What the parser offers, once it has said so; and how many are open.
    open: (Mutex<(Option<usize>, usize)>, Condvar),
}

impl Http {
    pub(super) fn new(base: &str, start_up: Duration, most: usize) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_connect(Some(start_up))
            .build();
        let (open, not_before) = ((Mutex::default(), Condvar::new()), Mutex::default());
        let (agent, base) = (config.into(), base.trim_end_matches('/').to_owned());
        Self { agent, base, start_up, most: most.max(1), not_before, open }
    }

    fn wait_for_turn(&self, until: Instant) -> Result<(), Loss> {
        let (state, freed) = &self.open;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.1 >= self.most.min(state.0.unwrap_or(1)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Loss::Busy);
            }
            state = freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.1 += 1;
        Ok(())
    }

    fn post(&self, question: &Question<'_>, limit: Duration) -> Result<Reply, Loss> {
        let mut request = self
            .agent
            .post(format!("{}/v1/{}", self.base, question.want))
            .header("content-type", format!("{}; charset={}", question.media_type, question.charset))
            .header("nlap-url", ascii_url(question.url))
            .header("nlap-ontology", question.ontology)
            .header("nlap-deadline-ms", question.deadline_ms.to_string())
            .header("content-language", question.lang);
        if question.cut {
            request = request.header("nlap-cut", "true");
        }
        for (name, members) in [("nlap-meta", &question.meta), ("nlap-options", &question.options)] {
            if !members.is_empty() {
                request = request.header(name, ascii_json(members));
            }
        }
        let sent = request.config().timeout_global(Some(limit)).build().send(question.body);
        let mut response = sent.map_err(|error| lost(&error))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        match status {
            200 => {
                let body = read(response.body_mut(), question.output_limit as u64)?;
                Ok(reply(&headers, body))
            }
            204 => Ok(Reply { status: Status::Empty, ..reply(&headers, Vec::new()) }),
            _ => {
                self.keep_away(&headers);
                let body = read(response.body_mut(), SMALL).unwrap_or_default();
                Err(refused(status, &body))
            }
        }
    }
}

impl Http {
    /// Keeps the wish to be left in peace for some seconds.
    fn keep_away(&self, headers: &HeaderMap) {
        let wish = headers.get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let until = wish.map(|seconds: u64| Instant::now() + Duration::from_secs(seconds.min(LONGEST_WISH)));
        if until.is_some() {
            *self.not_before.lock().unwrap_or_else(PoisonError::into_inner) = until;
        }
    }

    fn wants_peace(&self) -> bool {
        let until = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }
}

impl Line for Http {
    fn hello(&self) -> Result<Hello, Loss> {
        let unreached = |loss: Loss| Loss::Unreached(format!("{} cannot be reached: {loss}", self.base));
        let request = self.agent.get(format!("{}/v1/hello", self.base)).config();
        let answer = request.timeout_global(Some(self.start_up)).build().call();
        let mut response = answer.map_err(|error| unreached(lost(&error)))?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(Loss::Unreached(format!("{} answers hello with {status}", self.base)));
        }
        let body = read(response.body_mut(), SMALL).map_err(unreached)?;
        let header: Map<String, Value> = serde_json::from_slice(&body)
            .map_err(|error| Loss::Unreached(format!("its hello is no JSON object: {error}")))?;
        let hello = Hello::read(header).map_err(Loss::Unreached)?;
        self.open.0.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(hello.window);
        Ok(hello)
    }

    fn ask(&self, question: &Question<'_>, asked: Asked) -> Result<Reply, Loss> {
        if self.wants_peace() {
            return Err(Loss::Busy);
        }
        self.wait_for_turn(Instant::now() + asked.patience)?;
        let answer = self.post(question, asked.limit + GRACE);
        let (state, freed) = &self.open;
        state.lock().unwrap_or_else(PoisonError::into_inner).1 -= 1;
        freed.notify_one();
        answer
    }
}

fn reply(headers: &HeaderMap, body: Vec<u8>) -> Reply {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let status = if text("nlap-status") == Some("partial") { Status::Partial } else { Status::Ok };
    let media_type = text("content-type").unwrap_or("application/xml").split(';').next().unwrap_or_default();
    let warnings = headers.get_all("nlap-warning").iter().filter_map(|value| value.to_str().ok());
    Reply {
        status,
        media_type: media_type.trim().to_owned(),
        fingerprint: text("nlap-fingerprint").map(str::to_owned),
        warnings: warnings.take(20).map(str::to_owned).collect(),
        body,
    }
}

/// What a status means; the code in the body decides where it differs.
fn refused(status: u16, body: &[u8]) -> Loss {
    let error: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let by_status = match status {
        400 => "bad-request",
        409 => "unknown-ontology",
        413 => "too-long",
        415 => "unsupported-type",
        422 => "bad-document",
        429 | 503 => "busy",
        504 => "deadline",
        _ => "internal",
    };
    let code = text("code").unwrap_or_else(|| by_status.to_owned());
    let message = text("message").unwrap_or_else(|| format!("HTTP {status}"));
    Loss::Error(code, message.chars().take(500).collect())
}

fn lost(error: &ureq::Error) -> Loss {
    match error {
        ureq::Error::Timeout(_) => Loss::Late,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            Loss::Unreached("the connection is refused".to_owned())
        }
        other => Loss::Died(format!("the connection was lost: {other}")),
    }
}

fn read(body: &mut Body, limit: u64) -> Result<Vec<u8>, Loss> {
    let mut bytes = Vec::new();
    match body.as_reader().take(limit + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > limit => Err(Loss::Flood(usize::try_from(limit).unwrap_or(usize::MAX))),
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::TimedOut => Err(Loss::Late),
        Err(error) => Err(Loss::Died(format!("the connection was lost: {error}"))),
    }
}

/// A URL in percent-encoded ASCII.
fn ascii_url(url: &str) -> String {
    let byte = |byte: u8| match byte {
        0x21..=0x7e => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    url.bytes().map(byte).collect()
}

/// A JSON object in ASCII.
fn ascii_json(members: &Map<String, Value>) -> String {
    let text = Value::Object(members.clone()).to_string();
    let unit = |unit: u16| match u8::try_from(unit) {
        Ok(byte @ 0x20..=0x7e) => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    text.encode_utf16().map(unit).collect()
}
