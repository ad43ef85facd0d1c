//! A program for each document, in the manner of `parac`: a file or standard input in, XML out.

use super::messages::{Hello, Question, Reply, Status};
use super::start::{Launch, Start};
use super::trouble::Loss;
use super::{Asked, Line};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The arguments, if the operator gives none.
const DEFAULT: &[&str] =
    &["--url", "{url}", "--type", "{type}", "--charset", "{charset}", "--lang", "{lang}", "--want", "{want}"];
/// How long output may stay open after the end of the program.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

/// A program that is started for each document.
pub(super) struct Command {
    pub(super) launch: Launch,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) start: Arc<dyn Start>,
    /// What the operator says of it; without a name it is asked.
    pub(super) name: Option<(String, String)>,
    pub(super) start_up: Duration,
    /// How many may run at once.
    pub(super) workers: usize,
    pub(super) running: (Mutex<usize>, Condvar),
}

/// How a program ended, and what it said.
struct End {
    code: Option<i32>,
    output: Vec<u8>,
    talk: String,
}

impl Line for Command {
    fn hello(&self) -> Result<Hello, Loss> {
        let file = fs::read(&self.launch.program).unwrap_or_default();
        let mut hasher = Sha256::new();
        hasher.update(&file);
        hasher.update(self.launch.program.as_os_str().as_encoded_bytes());
        self.launch.arguments.iter().for_each(|argument| hasher.update(argument));
        let own: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let (name, version, fingerprint) = match &self.name {
            Some((name, version)) => (name.clone(), version.clone(), own),
            None => self.asked(own)?,
        };
        let any = vec!["*".to_owned()];
        Ok(Hello {
            nlap: 1,
            name,
            version,
            fingerprint,
            langs: any.clone(),
            types: any,
            levels: vec!["abstract".to_owned()],
            ontologies: Vec::new(),
            window: 1,
            max_bytes: usize::MAX,
            deterministic: false,
        })
    }

    fn ask(&self, question: &Question<'_>, asked: Asked) -> Result<Reply, Loss> {
        self.wait_for_turn(Instant::now() + asked.patience)?;
        let answer = self.call(question, asked.limit);
        let (count, freed) = &self.running;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        freed.notify_one();
        answer
    }
}

impl Command {
    /// Name, version and perhaps fingerprint as `--version` prints them.
    fn asked(&self, own: String) -> Result<(String, String, String), Loss> {
        let launch = Launch { arguments: vec!["--version".to_owned()], ..self.launch.clone() };
        let end = self.run(&launch, &[], self.start_up, 4_096)?;
        let line = String::from_utf8_lossy(&end.output).lines().next().unwrap_or_default().to_owned();
        let mut words = line.split_whitespace().map(|word| word.chars().take(200).collect::<String>());
        let program = self.launch.program.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = words.next().or(program).unwrap_or_default();
        let version = words.next().unwrap_or_else(|| "unknown".to_owned());
        Ok((name, version, words.next().unwrap_or(own)))
    }

    fn wait_for_turn(&self, until: Instant) -> Result<(), Loss> {
        let (count, freed) = &self.running;
        let mut running = count.lock().unwrap_or_else(PoisonError::into_inner);
        while *running >= self.workers.max(1) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Loss::Busy);
            }
            running = freed.wait_timeout(running, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *running += 1;
        Ok(())
    }

    fn call(&self, question: &Question<'_>, limit: Duration) -> Result<Reply, Loss> {
        let no_room = |error: std::io::Error| Loss::Unreached(format!("cannot make a temporary file: {error}"));
        let folder = tempfile::tempdir().map_err(no_room)?;
        let [file, out] = ["document", "answer"].map(|name| folder.path().join(name));
        let template = &self.launch.arguments;
        let template: Vec<&str> =
            if template.is_empty() { DEFAULT.to_vec() } else { template.iter().map(String::as_str).collect() };
        let words = self.words(question, &file, &out);
        let names = |word: &str| template.iter().any(|argument| argument.contains(word));
        if names("{file}") {
            fs::write(&file, question.body).map_err(no_room)?;
        }
        let launch = Launch {
            program: self.launch.program.clone(),
            arguments: template.iter().map(|argument| filled(argument, &words)).collect(),
            environment: [("SUMMARIZER_URL", question.url), ("NLAP_VERSION", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .chain(self.launch.environment.iter().cloned())
                .collect(),
        };
        let input = if names("{file}") { &[] } else { question.body };
        let mut end = self.run(&launch, input, limit, question.output_limit)?;
        if names("{out}") {
            end.output = read_file(&out, question.output_limit)?;
        }
        judged(end)
    }

    fn words(&self, question: &Question<'_>, file: &Path, out: &Path) -> Vec<(&'static str, String)> {
        let path = |path: &Path| path.display().to_string();
        vec![
            ("{file}", path(file)),
            ("{out}", path(out)),
            ("{url}", question.url.to_owned()),
            ("{type}", question.media_type.to_owned()),
            ("{charset}", question.charset.to_owned()),
            ("{lang}", question.lang.to_owned()),
            ("{want}", question.want.to_owned()),
            ("{ontology}", question.ontology.to_owned()),
            ("{deadline-ms}", question.deadline_ms.to_string()),
            ("{host}", self.host.clone()),
            ("{port}", self.port.to_string()),
        ]
    }

    /// Runs to the end, or to the deadline.
    fn run(&self, launch: &Launch, input: &[u8], limit: Duration, most: usize) -> Result<End, Loss> {
        let until = Instant::now() + limit;
        let mut running =
            self.start.start(launch).map_err(|error| Loss::Unreached(format!("it cannot be started: {error}")))?;
        let process = running.process();
        let output = read_up_to(running.output.take(), most, &process);
        let (sink, bytes) = (running.input.take(), input.to_vec());
        thread::spawn(move || {
            // An error is a program that does not want to know the rest.
            let _ = sink.map(|mut sink| sink.write_all(&bytes));
        });
        let status = process.wait(until.saturating_duration_since(Instant::now()));
        // With what it left behind, that would keep its output open.
        process.kill();
        let output = output.recv_timeout(LEFT_BEHIND);
        match (status, output) {
            (_, Ok(output)) if output.len() > most => Err(Loss::Flood(most)),
            (None, _) => Err(Loss::Late),
            (_, Err(_)) => Err(Loss::Died("it left a child behind that keeps its output open".to_owned())),
            (Some(status), Ok(output)) => Ok(End { code: status.code(), output, talk: process.last_words() }),
        }
    }
}

/// What an exit code means.
fn judged(end: End) -> Result<Reply, Loss> {
    let message = end.talk.trim_start_matches(": ").to_owned();
    let error = |code: &str| Err(Loss::Error(code.to_owned(), message.clone()));
    let is_empty = end.output.iter().all(u8::is_ascii_whitespace);
    match end.code {
        Some(2) => Ok(Reply { status: Status::Empty, ..Reply::default() }),
        Some(0) if is_empty => Ok(Reply { status: Status::Empty, ..Reply::default() }),
        Some(0) => Ok(Reply { body: end.output, media_type: "application/xml".to_owned(), ..Reply::default() }),
        Some(3) => error("unsupported-type"),
        Some(4) => error("bad-document"),
        Some(code) => Err(Loss::Error("internal".to_owned(), format!("it ended with {code}{}", end.talk))),
        None => Err(Loss::Died(format!("it was killed{}", end.talk))),
    }
}

/// An argument with its words replaced; what stands there is never read a second time.
fn filled(argument: &str, words: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = argument;
    while let Some(first) = rest.chars().next() {
        let word = words.iter().find(|(word, _)| rest.starts_with(word));
        if rest.starts_with("{{") || rest.starts_with("}}") {
            out.push(first);
            rest = &rest[2..];
        } else if let Some((word, text)) = word {
            out.push_str(text);
            rest = &rest[word.len()..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn read_file(path: &Path, most: usize) -> Result<Vec<u8>, Loss> {
    let mut output = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut output)) {
        Ok(_) if output.len() > most => Err(Loss::Flood(most)),
        Ok(_) => Ok(output),
        // Nothing written is an empty answer.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(output),
        Err(error) => Err(Loss::Died(format!("its answer cannot be read: {error}"))),
    }
}

/// Reads in a thread of its own up to one byte more than allowed; then the program is killed.
fn read_up_to(
    source: Option<Box<dyn Read + Send>>,
    most: usize,
    process: &Arc<super::start::Process>,
) -> Receiver<Vec<u8>> {
    let (done, bytes_read) = channel();
    let process = Arc::clone(process);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // An error is the end: the other side is gone.
        let _ = source.map(|source| source.take(most as u64 + 1).read_to_end(&mut bytes));
        if bytes.len() > most {
            process.kill();
        }
        // Nobody waits any more if this took too long.
        let _ = done.send(bytes);
    });
    bytes_read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_once() {
        let words = [("{url}", "http://a.example/{file}".to_owned()), ("{file}", "/tmp/x".to_owned())];
        for (argument, expected) in [
            ("{url}", "http://a.example/{file}"),
            ("--in={file}", "--in=/tmp/x"),
            ("{{url}}", "{url}"),
            ("{unknown}", "{unknown}"),
            ("ä{file}ö", "ä/tmp/xö"),
            ("", ""),
        ] {
            assert_eq!(filled(argument, &words), expected, "{argument}");
        }
    }
}
