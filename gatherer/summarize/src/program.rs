//! Outside programs in the manner of Harvest: one document a call.
//!
//! The program gets the name of a file with the document as its last argument and the document's URL in
//! `SUMMARIZER_URL`, and prints SOIF attributes (`Name{bytes}:<TAB>value`) without header and brace. It runs in a
//! process group of its own with a small environment. At the deadline, or when it prints too much, the whole group is
//! killed; that costs one document its summary and nothing else.

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use url::Url;

/// Of what a program says on standard error, so much is kept.
const TALK_LIMIT: usize = 2_000;
/// How long output may stay open after the end of the program.
const LEFT_BEHIND: Duration = Duration::from_secs(2);
/// The variables that a program gets from ours; everything else may hold secrets.
const ENVIRONMENT: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// A program that summarizes.
#[derive(Debug, Clone)]
pub struct Program {
    /// As written into records.
    pub name: String,
    /// The program,
    pub program: PathBuf,
    /// and its first arguments; the file's name comes behind them.
    pub arguments: Vec<String>,
    /// The longest it may take.
    pub limit: Duration,
    /// The most it may print.
    pub output_limit: usize,
}

impl Summarizer for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let directory = tempfile::tempdir().map_err(|error| refusal("cannot make a temporary directory", &error))?;
        let file = directory.path().join(file_name(leaf.url));
        std::fs::write(&file, leaf.body).map_err(|error| refusal("cannot write a temporary file", &error))?;
        let ended = self.call(&file, leaf)?;
        if !ended.status.success() {
            return Err(Refusal(format!("it ended with {}{}", ended.status, ended.last_words())));
        }
        Ok(draft(leaf.url, &ended.output))
    }
}

/// How a call went.
struct Ended {
    status: ExitStatus,
    output: Vec<u8>,
    talk: Vec<u8>,
}

impl Ended {
    fn last_words(&self) -> String {
        let talk = String::from_utf8_lossy(&self.talk);
        talk.lines().rfind(|line| !line.trim().is_empty()).map_or_else(String::new, |line| format!(": {}", line.trim()))
    }
}

impl Program {
    fn call(&self, file: &Path, leaf: &Leaf<'_>) -> Result<Ended, Refusal> {
        let mut child = self.start(file, leaf).map_err(|error| refusal("it cannot be started", &error))?;
        let group = Pid::from_child(&child);
        let output = read_up_to(child.stdout.take(), self.output_limit, Some(group));
        let talk = read_up_to(child.stderr.take(), TALK_LIMIT, None);
        let status = wait(child, group, self.limit);
        // Children that it left behind would keep its output open.
        end(group);
        // One that has left the group and keeps the output open is not waited for.
        let (output, talk) = (output.recv_timeout(LEFT_BEHIND), talk.recv_timeout(LEFT_BEHIND).unwrap_or_default());
        let output = output.map_err(|_| Refusal("it left a child behind that keeps its output open".to_owned()))?;
        if output.len() > self.output_limit {
            return Err(Refusal(format!("it printed more than {} bytes and was killed", self.output_limit)));
        }
        match status {
            Some(status) => Ok(Ended { status: status.map_err(|error| refusal("it was lost", &error))?, output, talk }),
            None => Err(Refusal(format!("it did not end within {} s and was killed", self.limit.as_secs()))),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is one of the two places that start programs")]
    fn start(&self, file: &Path, leaf: &Leaf<'_>) -> io::Result<Child> {
        let environment = ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        Command::new(&self.program)
            .args(&self.arguments)
            .arg(file)
            .env_clear()
            .envs(environment)
            .env("SUMMARIZER_URL", leaf.url.as_str())
            .env("SUMMARIZER_KIND", leaf.kind.name())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
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
            end(group);
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
        flooding.into_iter().filter(|_| is_flood).for_each(end);
        // Nobody waits any more if this took too long.
        let _ = done.send(bytes);
        if is_flood {
            let _ = io::copy(&mut source, &mut io::sink());
        }
    });
    bytes_read
}

fn end(group: Pid) {
    // It may have ended by itself in the meantime.
    let _ = kill_process_group(group, Signal::KILL);
}

fn draft(url: &Url, output: &[u8]) -> Draft {
    let mut draft = Draft::new();
    let (attributes, complaints) = gatherer_soif::attributes(output);
    for attribute in attributes {
        if attribute.name.eq_ignore_ascii_case("URL-References") {
            let targets = attribute.text();
            targets.lines().filter_map(|line| url.join(line.trim()).ok()).for_each(|target| draft.refer(target, ""));
        } else {
            draft.add(&attribute.name, &attribute.text());
        }
    }
    complaints.into_iter().for_each(|complaint| draft.complain(complaint.to_string()));
    draft
}

/// The document's own file name as far as it is harmless: some programs go by its ending.
fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
    let safe = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let name: String = last.chars().filter(safe).collect();
    let name = name.trim_start_matches(['.', '-']);
    match name.get(name.len().saturating_sub(100)..) {
        Some(end) if !end.is_empty() => end.to_owned(),
        _ => "document".to_owned(),
    }
}

fn refusal(what: &str, error: &dyn std::fmt::Display) -> Refusal {
    Refusal(format!("{what}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_pipeline::Kind;

    /// Runs a shell script as a summarizer that has all the time it needs.
    fn run(script: &str) -> Result<Draft, Refusal> {
        run_within(Duration::from_secs(60), script)
    }

    fn run_within(limit: Duration, script: &str) -> Result<Draft, Refusal> {
        let program = Program {
            name: "script".into(),
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into(), "script".into()],
            limit,
            output_limit: 1_000,
        };
        let url = Url::parse("http://example.org/a/list.csv?x").expect("a literal URL");
        let kind = Kind::new("CSV");
        program.summarize(&Leaf {
            url: &url,
            kind: &kind,
            votes: &[],
            content_type: None,
            body: b"one,two\n",
            cut: false,
        })
    }

    fn refused(script: &str, expected: &str) {
        let refusal = run(script).expect_err("a refusal");
        assert!(refusal.0.contains(expected), "{expected:?} in {refusal}");
    }

    #[test]
    fn a_program_sees_file_url_and_kind_and_prints_attributes() {
        let draft = run(r#"printf 'Body{%s}:\t' "$(wc -c < "$1")"; cat "$1"
            printf 'Who{%s}:\t%s\n' "${#SUMMARIZER_URL}" "$SUMMARIZER_URL"
            printf 'Kind{3}:\t%s\nName{8}:\t%s\n' "$SUMMARIZER_KIND" "${1##*/}"
            printf 'URL-References{3}:\ta/b\nbroken'"#)
        .expect("a draft");
        assert_eq!(draft.get("body"), Some("one,two"));
        assert_eq!(draft.get("who"), Some("http://example.org/a/list.csv?x"));
        assert_eq!((draft.get("kind"), draft.get("name")), (Some("CSV"), Some("list.csv")));
        assert_eq!(draft.references()[0].url.as_str(), "http://example.org/a/a/b");
        assert_eq!(draft.complaints().len(), 1);
    }

    #[test]
    fn a_program_that_fails_says_why() {
        refused("echo 'no such font' >&2; exit 3", "exit status: 3: no such font");
        refused("kill -SEGV $$", "signal");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children() {
        let hung = run_within(Duration::from_millis(200), "sleep 1000 & sleep 1000").expect_err("a refusal");
        assert!(hung.0.contains("did not end within"), "{hung}");
        // One that is done, but leaves a child with its output open, does not hold us.
        assert!(run("sleep 1000 & printf 'Title{1}:\tx\n'").is_ok());
        // Nor does one that has left the group, as the sixth word of its state shows.
        let left = "setsid sleep 5 & until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do :; done";
        refused(left, "left a child behind");
    }

    #[test]
    fn a_program_that_floods_is_killed() {
        refused("yes", "printed more than 1000 bytes");
    }

    #[test]
    fn our_secrets_stay_ours() {
        let draft = run("printf 'All{%s}:\t%s\n' 3 \"${CARGO:-not}\"").expect("a draft");
        assert_eq!(draft.get("all"), Some("not"));
    }

    #[test]
    fn file_names_are_harmless() {
        for (url, expected) in [
            ("http://a/b/c.pdf", "c.pdf"),
            ("http://a/", "document"),
            ("http://a/..%2f..%2fetc", "2f..2fetc"),
            ("http://a/-rf", "rf"),
            ("http://a/%00%ff", "00ff"),
        ] {
            assert_eq!(file_name(&Url::parse(url).expect("a literal URL")), expected);
        }
    }
}
