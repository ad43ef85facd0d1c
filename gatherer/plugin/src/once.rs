//! Programs in the manner of Harvest: one document a call.
//!
//! A summarizer gets the name of a file with the document as its last argument and the document's URL in
//! `SUMMARIZER_URL`, and prints SOIF attributes (`Name{bytes}:<TAB>value`) without header and brace. So do the other roles: a
//! recognizer prints the kind, and behind a tab why; an enumerator gets the URLs of its root node on standard input, one a
//! line, and prints those to gather; a post-summarizer gets attributes on standard input and prints those that are to stay.

use crate::form::{Asked, Form, Limits, Question, Trouble};
use crate::process::Call;
use crate::sandbox::Sandbox;
use crate::since_0_1::{Answer, Attribute, Correction, Description, Document, Draft, Guess, Pair, Reference, RootNode};
use gatherer_soif as soif;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use url::Url;

/// A program that is started for each document.
#[derive(Debug, Clone)]
pub(crate) struct Once {
    pub(crate) program: PathBuf,
    /// Its first arguments; the file's name comes behind them.
    pub(crate) arguments: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) sandbox: Sandbox,
}

impl Form for Once {
    fn describe(&self) -> Result<Option<Description>, Trouble> {
        Ok(None)
    }

    fn ask(&self, asked: &Asked<'_>) -> Result<Answer, Trouble> {
        match asked.question {
            Question::Summarize(document) => {
                self.with_file(document, asked.body).map(|output| Answer::Draft(draft(&output)))
            }
            Question::Recognize(document) => {
                self.with_file(document, asked.body).map(|output| Answer::Guesses(guesses(&output)))
            }
            Question::Enumerate(root) => self.enumerate(root).map(Answer::Urls),
            Question::Correct(document, attributes) => {
                self.correct(document, attributes).map(|attributes| Answer::Correction(Correction::Keep(attributes)))
            }
        }
    }

    fn about(&self) -> String {
        "as a program, once a document".to_owned()
    }
}

impl Once {
    fn with_file(&self, document: &Document, body: &[u8]) -> Result<Vec<u8>, Trouble> {
        let trouble = |what: &str, error: &dyn std::fmt::Display| Trouble::Failed(format!("{what}: {error}"));
        let directory = tempfile::tempdir().map_err(|error| trouble("cannot make a temporary directory", &error))?;
        let file = directory.path().join(file_name(&document.url));
        std::fs::write(&file, body).map_err(|error| trouble("cannot write a temporary file", &error))?;
        let environment = [("SUMMARIZER_URL", document.url.as_str()), ("SUMMARIZER_KIND", document.kind.as_str())];
        self.run(Some((directory.path(), file.into_os_string())), &environment, &document.options, None)
    }

    fn enumerate(&self, root: &RootNode) -> Result<Vec<String>, Trouble> {
        let input: String = root.urls.iter().map(|url| format!("{url}\n")).collect();
        let output = self.run(None, &[("ROOT_NODE", root.name.as_str())], &root.options, Some(input.as_bytes()))?;
        let text = String::from_utf8_lossy(&output);
        Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    fn correct(&self, document: &Document, attributes: &[Attribute]) -> Result<Vec<Attribute>, Trouble> {
        let environment = [("SUMMARIZER_URL", document.url.as_str()), ("SUMMARIZER_KIND", document.kind.as_str())];
        let lines: Vec<_> =
            attributes.iter().map(|one| soif::Attribute::new(&*one.name, one.value.as_slice())).collect();
        let mut input = Vec::new();
        soif::write_attributes(&mut input, &lines)
            .map_err(|error| Trouble::Failed(format!("it was not asked: {error}")))?;
        let output = self.run(None, &environment, &document.options, Some(&input))?;
        let (answer, complaints) = soif::attributes(&output);
        match complaints.first() {
            Some(complaint) => Err(Trouble::Failed(format!("it printed what are no attributes ({complaint})"))),
            None => Ok(answer.into_iter().map(attribute).collect()),
        }
    }

    fn run(
        &self,
        file: Option<(&Path, OsString)>,
        environment: &[(&str, &str)],
        options: &[Pair],
        input: Option<&[u8]>,
    ) -> Result<Vec<u8>, Trouble> {
        let (directory, file) = file.unzip();
        let arguments: Vec<_> = self.arguments.iter().map(OsString::from).chain(file).collect();
        let options: Vec<_> = options.iter().map(|pair| (variable(&pair.name), pair.value.as_str())).collect();
        let options = options.iter().map(|(name, value)| (name.as_str(), *value));
        let environment: Vec<_> = environment.iter().copied().chain(options).collect();
        let call = Call {
            program: &self.program,
            arguments: &arguments,
            environment: &environment,
            limit: self.limits.deadline,
            output_limit: self.limits.output,
            memory: self.limits.memory,
            inherits: false,
            sandbox: self.sandbox,
            // Beside the document, and gone with it.
            scratch: directory,
        };
        call.answer(input)
    }
}

/// The variable in which a program finds an option: `OPTION_UNITS`.
fn variable(option: &str) -> String {
    format!("OPTION_{}", option.to_ascii_uppercase().replace('-', "_"))
}

fn attribute(attribute: soif::Attribute) -> Attribute {
    Attribute { name: attribute.name, value: attribute.value, language: None, weight: None }
}

fn draft(output: &[u8]) -> Draft {
    let mut draft = Draft::default();
    let (attributes, complaints) = soif::attributes(output);
    for one in attributes {
        if one.name.eq_ignore_ascii_case("URL-References") {
            let reference = |line: &str| Reference { url: line.trim().to_owned(), text: String::new(), follow: true };
            draft.references.extend(one.text().lines().filter(|line| !line.trim().is_empty()).map(reference));
        } else if one.name.eq_ignore_ascii_case("Full-Text") {
            // The operator decides how much of it is kept; language and keywords are drawn from it.
            draft.text = Some(one.text().into_owned());
        } else {
            draft.attributes.push(attribute(one));
        }
    }
    draft.complaints.extend(complaints.into_iter().map(|complaint| complaint.to_string()));
    draft
}

fn guesses(output: &[u8]) -> Vec<Guess> {
    let text = String::from_utf8_lossy(output);
    let guess = |line: &str| {
        let (kind, because) = line.split_once('\t').unwrap_or((line, ""));
        Guess { kind: kind.trim().to_owned(), because: because.trim().to_owned() }
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(guess).collect()
}

/// The document's own file name as far as it is harmless: some programs go by its ending.
fn file_name(url: &str) -> String {
    let url = Url::parse(url).ok();
    let last = url.as_ref().and_then(|url| url.path_segments()?.next_back()).unwrap_or_default();
    let safe = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let name: String = last.chars().filter(safe).collect();
    let name = name.trim_start_matches(['.', '-']);
    match name.get(name.len().saturating_sub(100)..) {
        Some(end) if !end.is_empty() => end.to_owned(),
        _ => "document".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plugin;
    use gatherer_pipeline::{self as pipeline, Kind, Leaf, Refusal, Summarizer};
    use std::time::Duration;

    /// Runs a shell script as a summarizer that has all the time it needs.
    fn run(script: &str) -> Result<pipeline::Draft, Refusal> {
        run_within(Duration::from_secs(60), script)
    }

    fn run_within(deadline: Duration, script: &str) -> Result<pipeline::Draft, Refusal> {
        run_in(Sandbox::On, deadline, script)
    }

    fn run_in(sandbox: Sandbox, deadline: Duration, script: &str) -> Result<pipeline::Draft, Refusal> {
        let limits = Limits { deadline, output: 1_000, memory: 2 << 30, ..Limits::USUAL };
        let arguments = ["-c", script, "script"].map(str::to_owned).to_vec();
        let plugin = Plugin::program("script", vec!["CSV".to_owned()], "/bin/sh".into(), arguments, limits, sandbox);
        let url = Url::parse("http://example.org/a/list.csv?x").expect("a literal URL");
        let kind = Kind::new("CSV");
        let body = b"one,two\n";
        plugin.summarize(&Leaf::new(&url, &kind, body))
    }

    fn refused(script: &str, expected: &str) {
        let refusal = run(script).expect_err("a refusal").to_string();
        assert!(refusal.contains(expected), "{expected:?} in {refusal}");
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
        assert!(hung.to_string().contains("did not end within"), "{hung}");
        // One that is done, but leaves a child with its output open, does not hold us.
        assert!(run("sleep 1000 & printf 'Title{1}:\tx\n'").is_ok());
    }

    #[test]
    fn a_child_that_has_left_the_group_does_not_hold_us() {
        // It has left as soon as the sixth word of its state shows it. In a sandbox it cannot.
        let left = "setsid sleep 5 & until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do :; done";
        let refusal = run_in(Sandbox::Off, Duration::from_secs(60), left).expect_err("a refusal").to_string();
        assert!(refusal.contains("left a child behind"), "{refusal}");
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
            assert_eq!(file_name(url), expected);
        }
    }
}
