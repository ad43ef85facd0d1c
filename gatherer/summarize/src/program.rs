//! Outside programs in the manner of Harvest: one document a call.
//!
//! A summarizer gets the name of a file with the document as its last argument and the document's URL in
//! `SUMMARIZER_URL`, and prints SOIF attributes (`Name{bytes}:<TAB>value`) without header and brace. A rule's filter
//! gets a value, or such attributes, on standard input. Each runs in a process group of its own with a small
//! environment. At the deadline, or when it prints too much, the whole group is killed; that costs one document its
//! summary, or one rule its effect, and nothing else.

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, Read, Write};
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
        let arguments: Vec<_> = self.arguments.iter().map(OsString::from).chain([file.into_os_string()]).collect();
        let call = Call {
            program: &self.program,
            arguments: &arguments,
            environment: &[("SUMMARIZER_URL", leaf.url.as_str()), ("SUMMARIZER_KIND", leaf.kind.name())],
            limit: self.limit,
            output_limit: self.output_limit,
        };
        Ok(draft(leaf.url, &call.run(None).map_err(Refusal)?))
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
}

impl Call<'_> {
    /// Runs it to its end, with this on standard input. It need not read it. What it printed is the answer.
    ///
    /// # Errors
    /// Why there is none, in words that go behind the program's name: it cannot be started, fails, takes too long or
    /// prints too much.
    pub fn run(&self, input: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let mut child = self.start(input.is_some()).map_err(|error| format!("it cannot be started: {error}"))?;
        let group = Pid::from_child(&child);
        let output = read_up_to(child.stdout.take(), self.output_limit, Some(group));
        let talk = read_up_to(child.stderr.take(), TALK_LIMIT, None);
        write_all(child.stdin.take(), input.unwrap_or_default().to_vec());
        let status = wait(child, group, self.limit);
        // Children that it left behind would keep its output open.
        end(group);
        // One that has left the group and keeps the output open is not waited for.
        let (output, talk) = (output.recv_timeout(LEFT_BEHIND), talk.recv_timeout(LEFT_BEHIND).unwrap_or_default());
        let output = output.map_err(|_| "it left a child behind that keeps its output open".to_owned())?;
        if output.len() > self.output_limit {
            return Err(format!("it printed more than {} bytes and was killed", self.output_limit));
        }
        match status {
            Some(Ok(status)) if status.success() => Ok(output),
            Some(Ok(status)) => Err(format!("it ended with {status}{}", last_words(&talk))),
            Some(Err(error)) => Err(format!("it was lost: {error}")),
            None => Err(format!("it did not end within {} s and was killed", self.limit.as_secs())),
        }
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

    #[expect(clippy::disallowed_methods, reason = "this is one of the two places that start programs")]
    fn start(&self, with_input: bool) -> io::Result<Child> {
        let environment = ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        Command::new(self.program)
            .args(self.arguments)
            .env_clear()
            .envs(environment)
            .envs(self.environment.iter().copied())
            .process_group(0)
            .stdin(if with_input { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

/// The last line of what it said on standard error, behind a colon.
fn last_words(talk: &[u8]) -> String {
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

    /// Runs a shell script as a filter.
    fn call<T>(script: &str, run: impl FnOnce(&Call<'_>) -> T) -> T {
        let arguments = ["-c", script].map(OsString::from);
        run(&Call {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            environment: &[("SUMMARIZER_URL", "http://example.org/")],
            limit: Duration::from_secs(60),
            output_limit: 2 << 20,
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
