//! The suite for authors: what every plugin has to stand, whatever it is for. It costs a few of its deadlines.

use crate::manifest::Role;
use crate::plugin::Plugin;
use crate::since_0_1::{Description, RootNode};
use gatherer_pipeline::{Kind, Leaf, Refusal, Summarizer};
use std::fmt;
use std::time::{Duration, Instant};
use url::Url;

/// One promise and whether it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The promise.
    pub promise: &'static str,
    /// What happened, in a few words, or what to mend.
    pub outcome: Result<String, String>,
}

/// Documents with which promises are tried: the author's own, or what we make up.
#[derive(Debug, Clone, Default)]
pub struct Samples(pub Vec<(String, Vec<u8>)>);

impl Plugin {
    /// Tries all promises of the contract. `limit` is the deadline of one document.
    pub fn examine(&self, samples: &Samples, limit: Duration) -> Vec<Finding> {
        if self.manifest().role == Role::Enumerator {
            return self.examine_enumerator(samples);
        }
        let mut findings = vec![Finding { promise: DESCRIBES, outcome: self.agrees() }];
        let answer = |body: &[u8]| self.try_on("sample.txt", body, limit);
        let text = samples.0.first().map_or(b"A title\n\nSome words.\n".as_slice(), |(_, body)| body);
        let name = samples.0.first().map_or("sample.txt", |(name, _)| name);
        for (name, body) in &samples.0 {
            let outcome = self.try_on(name, body, limit).and_then(|said| match said {
                Said::Something { shown, .. } => Ok(format!("{name}: {shown}")),
                // A recognizer may show what is not for it.
                Said::Nothing(why) if self.manifest().role == Role::Recognizer => Ok(format!("{name}: {why}")),
                Said::Nothing(why) => Err(format!("{name}: it refused its own sample ({why})")),
            });
            findings.push(Finding { promise: "it takes its samples", outcome });
        }
        let mut find = |promise, outcome: Result<Said, String>| {
            findings.push(Finding { promise, outcome: outcome.map(|said| said.to_string()) });
        };
        find("an empty document", answer(b""));
        find("a document that is cut", self.try_on(name, &text[..text.len() / 2], limit));
        find("a document of another kind", answer(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj << >> endobj"));
        find("bytes without meaning", answer(&noise(64 << 10)));
        find("NUL bytes", answer(&[0; 4096]));
        find("broken UTF-8", answer(&[text, b"\xff\xfe\xc0\x80\xed\xa0\x80".as_slice()].concat()));
        let huge: Vec<u8> = text.iter().copied().cycle().take(HUGE.max(text.len())).collect();
        find("a document of 8 MiB, within its deadline and memory", answer(&huge));
        find("10,000 levels of nesting", answer(&[b"[".repeat(10_000), b"<a>".repeat(10_000)].concat()));
        findings.push(Finding { promise: SAME, outcome: self.same(name, text) });
        findings
    }

    /// An enumerator sees no documents: its samples are root nodes, as messages write them.
    fn examine_enumerator(&self, samples: &Samples) -> Vec<Finding> {
        let mut findings = vec![Finding { promise: DESCRIBES, outcome: self.agrees() }];
        for (name, body) in &samples.0 {
            let again = || self.try_root_node(body);
            let outcome = again().map(|urls| format!("{name}: {} URLs", urls.len()));
            let outcome = outcome.map_err(|why| format!("{name}: {why}"));
            findings.push(Finding { promise: "it takes its samples", outcome });
            let is_same = again() == again();
            let outcome = if is_same { Ok(name.clone()) } else { Err(format!("{name}: it gave another answer")) };
            findings.push(Finding { promise: SAME, outcome });
        }
        findings
    }

    /// Has an enumerator expand a root node that is written as in messages.
    ///
    /// # Errors
    /// Why it gave no answer, or that this is no root node.
    pub fn try_root_node(&self, json: &[u8]) -> Result<Vec<String>, String> {
        let root: RootNode = serde_json::from_slice(json).map_err(|error| format!("no root node: {error}"))?;
        let options: Vec<_> = root.options.into_iter().map(|pair| (pair.name, pair.value)).collect();
        self.enumerate(&root.name, root.urls, root.url_max, &options)
    }

    fn agrees(&self) -> Result<String, String> {
        let Some(Description { kinds, options, .. }) = self.describe()? else {
            return Ok("a program that is started for each document cannot".to_owned());
        };
        let manifest = self.manifest();
        let alike =
            |own: &[String], said: &[String]| own.iter().all(|one| said.contains(one)) && own.len() == said.len();
        if manifest.role != Role::Enumerator && !alike(&manifest.kinds, &kinds) {
            return Err(format!("it says that its kinds are {kinds:?}, and its plugin.toml {:?}", manifest.kinds));
        }
        let said: Vec<_> = options.iter().map(|option| option.name.clone()).collect();
        let own: Vec<_> = manifest.options.keys().cloned().collect();
        if !alike(&own, &said) {
            return Err(format!("it says that its options are {said:?}, and its plugin.toml {own:?}"));
        }
        Ok(format!("{} kinds, {} options", kinds.len(), options.len()))
    }

    /// Asks once. A refusal is an answer; a failure is none.
    fn try_on(&self, name: &str, body: &[u8], limit: Duration) -> Result<Said, String> {
        // Failures in a row are what is looked for here.
        self.begin_run();
        let began = Instant::now();
        let said = self.answer(name, body)?;
        let took = began.elapsed();
        if took > limit {
            return Err(format!("it took {:.1} s", took.as_secs_f64()));
        }
        Ok(said)
    }

    fn same(&self, name: &str, body: &[u8]) -> Result<String, String> {
        self.begin_run();
        let (first, second, third) = (self.answer(name, body)?, self.answer(name, body)?, self.answer(name, body)?);
        if first == second && second == third {
            return Ok("three times".to_owned());
        }
        Err("it gave another answer: does it depend on the time, on chance, or on the document before?".to_owned())
    }

    fn answer(&self, name: &str, body: &[u8]) -> Result<Said, String> {
        let url =
            Url::parse("http://plugin.example/").and_then(|base| base.join(name)).map_err(|error| error.to_string())?;
        let kind = self.kinds().first().filter(|kind| *kind != "*").map_or(Kind::TEXT, Kind::new);
        let leaf = Leaf::new(&url, &kind, body);
        match self.manifest().role {
            Role::Summarizer => match self.summarize(&leaf) {
                Ok(draft) => {
                    let (attributes, references) = (draft.attributes().len(), draft.references().len());
                    let complaint =
                        draft.complaints().first().map_or_else(String::new, |one| format!("; it complains: {one}"));
                    if attributes == 0 && draft.text().is_empty() && !complaint.is_empty() {
                        return Ok(Said::Nothing(format!("nothing was found{complaint}")));
                    }
                    let shown = format!("{attributes} attributes, {references} references{complaint}");
                    Ok(Said::Something { shown, whole: format!("{draft:?}") })
                }
                Err(Refusal::NotMine(why)) => Ok(Said::Nothing(why)),
                Err(Refusal::Cannot(why) | Refusal::Failed(why)) => Err(why),
            },
            Role::Recognizer => Ok(match self.recognize(&leaf)? {
                Some(guess) => Said::plain(format!("{} ({})", guess.kind, guess.because)),
                None => Said::Nothing("no opinion".to_owned()),
            }),
            Role::Enumerator => {
                let urls = self.enumerate("sample", vec!["http://plugin.example/".to_owned()], 100, &[])?;
                Ok(Said::Something { shown: format!("{} URLs", urls.len()), whole: urls.join("\n") })
            }
            Role::PostSummarizer => {
                let text = String::from_utf8_lossy(body).into_owned();
                let given = [("Title".to_owned(), "A title".to_owned()), ("Body".to_owned(), text)];
                Ok(match self.correct(&leaf, &given)? {
                    Some(corrected) => Said::Something { shown: "changed".to_owned(), whole: format!("{corrected:?}") },
                    None => Said::Nothing("nothing to change".to_owned()),
                })
            }
        }
    }
}

const DESCRIBES: &str = "it describes itself as its plugin.toml does";
const SAME: &str = "the same bytes give the same answer";
/// Bytes of a large document.
const HUGE: usize = 8 << 20;

/// An answer: as it is shown, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Something { shown: String, whole: String },
    Nothing(String),
}

impl Said {
    fn plain(shown: String) -> Self {
        Self::Something { whole: String::new(), shown }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Something { shown, .. } => f.write_str(shown),
            Self::Nothing(why) => write!(f, "refused: {why}"),
        }
    }
}

/// Bytes that look like nothing, always the same.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(count).collect()
}
