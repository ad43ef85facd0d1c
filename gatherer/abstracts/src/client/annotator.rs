//! The seam `annotate`: an engine that knows words and grammar, but no ontology. What it says goes to a semantic stage of ours.

use super::messages::{Hello, Question, Status};
use super::settings::Settings;
use super::start::{Processes, Start};
use super::trouble::{Loss, Trouble};
use super::{Asked, Line};
use crate::annotate::{Annotation, Dropped, Limits};
use serde_json::Map;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Annotations are so many times as long as their texts.
const GROWTH: usize = 400;

/// An engine that annotates, wherever it is. It may be asked from many threads at once.
pub struct Annotator {
    line: Box<dyn Line>,
    settings: Settings,
    hello: Mutex<Option<Hello>>,
}

impl fmt::Debug for Annotator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Annotator").field("carrier", &self.settings.carrier).finish_non_exhaustive()
    }
}

impl Annotator {
    /// Makes ready. Nothing is started or reached before the first question.
    pub fn open(settings: Settings) -> Self {
        let start: Arc<dyn Start> = Arc::new(Processes { memory: settings.memory });
        Self { line: settings.line(start), settings, hello: Mutex::new(None) }
    }

    /// What the engine says of itself: asked once, then remembered.
    ///
    /// # Errors
    /// If it cannot be reached, or does not annotate.
    pub fn hello(&self) -> Result<Hello, Trouble> {
        let mut known = self.hello.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hello) = &*known {
            return Ok(hello.clone());
        }
        let hello = self.line.hello().map_err(|loss| Trouble::Down(loss.to_string()))?;
        if !hello.levels.iter().any(|level| level == "annotate") {
            return Err(Trouble::Down(format!("{} {} does not annotate", hello.name, hello.version)));
        }
        *known = Some(hello.clone());
        Ok(hello)
    }

    /// Words and grammar of a plain text, held against it; what was not believed is counted. Nothing for a language that the
    /// engine does not know.
    ///
    /// # Errors
    /// Why there is none; [`Trouble::again`] says whether to try again.
    pub fn annotation(&self, url: &str, lang: &str, text: &str) -> Result<Option<(Annotation, Dropped)>, Trouble> {
        let hello = self.hello()?;
        let language = lang.split('-').next().unwrap_or_default();
        let knows = |one: &String| one == "*" || one == lang || one == language;
        if lang != "auto" && !hello.langs.is_empty() && !hello.langs.iter().any(knows) {
            return Ok(None);
        }
        if text.len() > hello.max_bytes {
            let (size, most) = (text.len(), hello.max_bytes);
            return Err(Trouble::NotForIt(format!("it takes {most} bytes, and the text has {size}")));
        }
        let limit = self.settings.deadline_for(text.len());
        let output_limit = text.len().saturating_mul(GROWTH).clamp(1 << 20, 64 << 20);
        let question = Question {
            url,
            media_type: "text/plain",
            charset: "utf-8",
            lang,
            want: "annotate",
            ontology: "",
            deadline_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            cut: false,
            meta: Map::new(),
            options: self.settings.options.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect(),
            body: text.as_bytes(),
            output_limit,
        };
        let asked = |is_alone| Asked { limit, patience: self.settings.patience, is_alone };
        let first = self.line.ask(&question, asked(false));
        let reply = match first {
            // Once more, alone: it may have been a neighbour's fault.
            Err(loss) if loss.may_be_the_document() || loss == Loss::Neighbour => self.line.ask(&question, asked(true)),
            other => other,
        };
        let reply = match reply {
            Err(Loss::Error(code, _)) if code == "unsupported-language" => return Ok(None),
            Err(Loss::Unreached(why)) => {
                *self.hello.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return Err(Trouble::Down(why));
            }
            Err(Loss::Busy) => return Err(Trouble::Busy),
            Err(loss) => return Err(Trouble::Failed(loss.to_string())),
            Ok(reply) => reply,
        };
        if reply.status == Status::Empty {
            return Ok(None);
        }
        let limits = Limits { bytes: output_limit, ..Limits::default() };
        Annotation::read(&reply.body, text, limits).map(Some).map_err(|wrong| Trouble::Failed(wrong.to_string()))
    }
}
