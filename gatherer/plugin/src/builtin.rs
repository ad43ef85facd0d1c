//! Summarizers of our own in a worker: some libraries are known to loop, to overflow their stack or to take all memory on
//! documents made to do that.

use crate::form::{Asked, Form, Grants, Limits, Question, Talk, Trouble};
use crate::pool::Pool;
use crate::process::Launch;
use crate::sandbox::Sandbox;
use crate::since_0_1::{Answer, Description, Document, Draft, Error};
use crate::worker::{Asking, Host, Works, whole};
use gatherer_pipeline::{self as pipeline, Kind, Leaf, Refusal, Summarizer};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most memory of a worker.
const MEMORY: u64 = 2 << 30;

/// Gives documents to workers, which are this program with these arguments.
pub struct Apart {
    name: Arc<str>,
    pool: Pool,
}

impl Apart {
    /// Workers are this program with these arguments, which must lead to [`work`]; each document may take so long.
    pub fn new(program: PathBuf, arguments: Vec<OsString>, deadline: Duration) -> Self {
        let launch = Launch { program, arguments, directory: None, is_ours: true, sandbox: Sandbox::On };
        let limits = Limits { deadline, memory: MEMORY, output: 64 << 20, ..Limits::USUAL };
        let grants = Grants { body: true, ..Grants::default() };
        Self { name: "worker".into(), pool: Pool::new(launch, "summarizer", grants, limits) }
    }
}

impl Summarizer for Apart {
    fn name(&self) -> &str {
        &self.name
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<pipeline::Draft, Refusal> {
        let document = Document::new(leaf, &[]);
        let question = Question::Summarize(&document);
        let asked = Asked { question, body: leaf.body, talk: Talk::new(&self.name, leaf.url.as_str()) };
        match self.pool.ask(&asked) {
            Ok(Answer::Draft(draft)) => Ok(draft.take(leaf.url)),
            Ok(_) => Err(Refusal::Failed("its worker gave another answer".to_owned())),
            Err(Trouble::Refused(why)) => Err(Refusal::Cannot(why)),
            Err(Trouble::Failed(why)) => Err(Refusal::Failed(why)),
        }
    }
}

/// The worker's side: summarizes what comes in until there is no more. `choose` gives the summarizer of a kind.
///
/// # Errors
/// When the other side is gone or talks otherwise.
pub fn work(choose: impl Fn(&Kind) -> &'static dyn Summarizer) -> io::Result<()> {
    crate::worker::work(&Builtin(choose))
}

struct Builtin<F>(F);

impl<F: Fn(&Kind) -> &'static dyn Summarizer> Works for Builtin<F> {
    fn describe(&self) -> Description {
        Description { name: "built-in".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), ..Default::default() }
    }

    fn ask(&self, question: Asking, host: &Host<'_>) -> Result<Answer, Error> {
        let Asking::Summarize(document, content) = question else {
            return Err(Error::Failed("only summaries are made here".to_owned()));
        };
        let url = Url::parse(&document.url).map_err(|error| Error::Failed(error.to_string()))?;
        let body = whole(&document, content, host);
        let kind = Kind::new(document.kind);
        let content_type = document.headers.iter().find(|header| header.name == "content-type");
        let content_type = content_type.map(|header| header.value.as_str());
        let leaf = Leaf { content_type, cut: document.cut, ..Leaf::new(&url, &kind, &body) };
        let made = pipeline::guarded((self.0)(&kind), &leaf);
        let why = |refusal: Refusal| match refusal {
            Refusal::Failed(why) => Error::Failed(why),
            Refusal::Cannot(why) | Refusal::NotMine(why) => Error::Refused(why),
        };
        made.map(|mut draft| Answer::Draft(Draft::of(&mut draft))).map_err(why)
    }
}
