//! The HTTP port, from the broker's side.

use crate::socket::is_in_clear;
use crate::{Approach, CollectError, Collected, Place, Round, Take, Tally, Wish};
use gatherer_soif::Object;
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::{Certificate, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use url::Url;

/// Longest line of changes: a record has its limits, and JSON makes it at most a few times as long.
const LINE_LIMIT: u64 = 128 << 20;
/// Longest problem that is read.
const PROBLEM_LIMIT: u64 = 64 << 10;
/// Longest wait for something to happen, in one question.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long the first answer may take, as a greeting on the port for brokers.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// A gatherer's HTTP port.
pub struct Web {
    base: Url,
    client: Client,
    token: Option<String>,
    /// How long its first answer may take,
    first: Duration,
    /// and whether that has come.
    is_heard: AtomicBool,
}

/// One line of changes.
#[derive(Deserialize)]
struct Line {
    change: String,
    cursor: String,
    #[serde(default)]
    url: String,
    record: Option<Record>,
    attributes: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Record {
    #[serde(rename = "type")]
    template: String,
    url: String,
    attributes: Map<String, Value>,
}

impl Web {
    pub(crate) fn new(address: &str, approach: &Approach) -> Result<Self, CollectError> {
        let unfit = |what: String| CollectError::Approach(format!("cannot collect from {address}: {what}"));
        let mut base = Url::parse(address).map_err(|error| unfit(error.to_string()))?;
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        // Somebody else may have chosen already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("gatherer-collect/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(approach.limit.min(Duration::from_secs(30)))
            // For each step of an answer, not for all of it.
            .timeout(approach.limit + LONGEST_WAIT)
            .redirect(reqwest::redirect::Policy::none());
        if let Some(pem) = &approach.trusted {
            let certificates = Certificate::from_pem_bundle(pem).map_err(|error| unfit(error.to_string()))?;
            builder = builder.tls_certs_only(certificates);
        }
        let client = builder.build().map_err(|error| unfit(error.to_string()))?;
        Ok(Self {
            base,
            client,
            token: approach.token.clone(),
            first: approach.limit.min(FIRST_ANSWER),
            is_heard: AtomicBool::new(false),
        })
    }

    pub(crate) fn info(&self) -> Result<Object, CollectError> {
        let answer = self.get(self.base.clone(), Duration::ZERO)?;
        let mut text = String::new();
        let broken = |source| CollectError::Broken { address: self.base.to_string(), source };
        answer.take(PROBLEM_LIMIT).read_to_string(&mut text).map_err(broken)?;
        let about: Map<String, Value> =
            serde_json::from_str(&text).map_err(|error| self.nonsense(error.to_string()))?;
        let said = |name: &str| about.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Object::new("GATHERER", self.base.as_str())
            .with("Gatherer-Name", said("name"))
            .with("Gatherer-Host", said("host"))
            .with("Gatherer-Version", said("version")))
    }

    pub(crate) fn collect(&self, place: &Place, wish: &Wish, take: Take<'_>) -> Result<Round, CollectError> {
        let Place::Cursor(cursor) = place else {
            let detail = "it goes by cursors, not by times".to_owned();
            return Err(CollectError::Lost { address: self.base.to_string(), detail });
        };
        let wait = wish.wait.min(LONGEST_WAIT);
        let answer = self.get(self.question(cursor, wish, wait)?, wait)?;
        let mut tally = Tally::default();
        let mut lines = BufReader::new(answer);
        loop {
            let change = self.next(&mut lines)?;
            let item = match change.change.as_str() {
                "end" => return Ok(Round { tally, place: Place::Cursor(change.cursor) }),
                "update" => {
                    let Record { template, url, attributes } =
                        change.record.ok_or_else(|| self.nonsense("an update without a record".to_owned()))?;
                    Collected::Update(object(&template, &url, attributes))
                }
                "refresh" => Collected::Refresh(object("FILE", &change.url, change.attributes.unwrap_or_default())),
                "delete" => Collected::Delete(Object::new("FILE", change.url)),
                other => return Err(self.nonsense(format!("a change {other:?}"))),
            };
            tally.count(&item);
            take(item, Some(&change.cursor)).map_err(CollectError::Taker)?;
        }
    }

    fn question(&self, cursor: &str, wish: &Wish, wait: Duration) -> Result<Url, CollectError> {
        let mut url = self.base.join("changes").map_err(|error| CollectError::Approach(error.to_string()))?;
        let mut query = url.query_pairs_mut();
        query.append_pair("form", "jsonl").append_pair("since", cursor);
        for (name, list) in [("kind", &wish.kinds), ("attributes", &wish.attributes)] {
            if !list.is_empty() {
                query.append_pair(name, &list.join(","));
            }
        }
        for (name, value) in [("root", &wish.root), ("site", &wish.site)] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        if !wait.is_zero() {
            query.append_pair("wait", &wait.as_secs().to_string());
        }
        drop(query);
        Ok(url)
    }

    /// Asks; `wait` is how long the other side may hold its answer back.
    fn get(&self, url: Url, wait: Duration) -> Result<Response, CollectError> {
        let address = self.base.to_string();
        let mut request = self.client.get(url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer = self.answer_to(request, wait)?.map_err(|error| {
            if is_in_clear(&error) {
                return CollectError::Approach(format!("{address} does not encrypt\nask it with http://"));
            }
            if is_no_http(&error) {
                return CollectError::Approach(format!(
                    "{address} does not speak HTTP\nask its port for brokers without http://, as HOST:PORT"
                ));
            }
            let (is_connect, source) = (error.is_connect(), io::Error::other(error.without_url()));
            if is_connect {
                CollectError::Connect { address: address.clone(), source }
            } else {
                CollectError::Broken { address: address.clone(), source }
            }
        })?;
        match answer.status() {
            StatusCode::OK => Ok(answer),
            status => Err(self.refused(status, answer)),
        }
    }

    /// The answer to a question. The first one has to come soon: somebody who never says a word is no gatherer.
    fn answer_to(&self, request: RequestBuilder, wait: Duration) -> Result<reqwest::Result<Response>, CollectError> {
        if self.is_heard.load(Relaxed) {
            return Ok(request.send());
        }
        let (answered, answer) = channel();
        thread::spawn(move || {
            // Nobody waits any more if this took too long.
            let _ = answered.send(request.send());
        });
        let mute = |_| CollectError::Mute { address: self.base.to_string() };
        let answer = answer.recv_timeout(self.first + wait).map_err(mute)?;
        self.is_heard.store(true, Relaxed);
        Ok(answer)
    }

    fn refused(&self, status: StatusCode, answer: Response) -> CollectError {
        let mut text = String::new();
        // What cannot be read says nothing.
        let _ = answer.take(PROBLEM_LIMIT).read_to_string(&mut text);
        let problem: Option<Value> = serde_json::from_str(&text).ok();
        let detail = problem.as_ref().and_then(|problem| problem["detail"].as_str()).map(str::to_owned);
        let detail = detail.unwrap_or_else(|| "it does not say why; is this a gatherer's HTTP port?".to_owned());
        let address = self.base.to_string();
        match status {
            StatusCode::GONE => CollectError::Lost { address, detail },
            _ => CollectError::Refused { address, status: status.as_u16(), detail },
        }
    }

    fn next(&self, lines: &mut impl BufRead) -> Result<Line, CollectError> {
        let broken = |source| CollectError::Broken { address: self.base.to_string(), source };
        let mut line = Vec::new();
        let read = lines.take(LINE_LIMIT).read_until(b'\n', &mut line).map_err(broken)?;
        if read == 0 || line.last() != Some(&b'\n') {
            return Err(broken(io::ErrorKind::UnexpectedEof.into()));
        }
        serde_json::from_slice(&line).map_err(|error| self.nonsense(error.to_string()))
    }

    fn nonsense(&self, what: String) -> CollectError {
        CollectError::Nonsense { address: self.base.to_string(), what }
    }
}

fn object(template: &str, url: &str, attributes: Map<String, Value>) -> Object {
    attributes.into_iter().fold(Object::new(template, url), |object, (name, value)| match value {
        Value::String(text) => object.with(name, text),
        other => object.with(name, other.to_string()),
    })
}

/// Whether something else than HTTP came back: a port for brokers greets whoever comes.
fn is_no_http(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| (*cause).source());
    let mut texts = causes.map(ToString::to_string);
    texts.any(|text| text.contains("unexpected message from connection") || text.contains("invalid HTTP version"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::time::Instant;

    #[test]
    fn somebody_who_never_says_a_word_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let approach = Approach { limit: Duration::from_millis(200), ..Approach::default() };
        let web = Web::new(&address, &approach).expect("a client");
        let begun = Instant::now();
        let error = web.info().expect_err("nobody answers").to_string();
        assert!(error.contains("takes questions and does not answer"), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
