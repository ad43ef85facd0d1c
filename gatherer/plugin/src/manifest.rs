//! `plugin.toml`: what a plugin is, by its author's word. `schemas/summarizer/since-0.1/manifest.md` says what each key means.

use crate::form::{Grants, Limits};
use crate::since_0_1::CONTRACT;
use crate::wasm::Instances;
use gatherer_pipeline::quantity;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path};
use std::time::Duration;

/// The file that makes a folder a plugin.
pub const FILE: &str = "plugin.toml";
/// Longest manifest.
const MOST: u64 = 1 << 20;
/// Memory of programs and libraries where nobody says otherwise: interpreters reserve much that they never use.
const PROCESS_MEMORY: u64 = 2 << 30;

/// What a plugin is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Turns documents into attributes.
    #[default]
    Summarizer,
    /// Names kinds.
    Recognizer,
    /// Expands root nodes.
    Enumerator,
    /// Changes summaries.
    PostSummarizer,
}

impl Role {
    /// As manifests write it; also the name of its interface.
    pub fn interface(self) -> &'static str {
        match self {
            Self::Summarizer => "summarizer",
            Self::Recognizer => "recognizer",
            Self::Enumerator => "enumerator",
            Self::PostSummarizer => "post-summarizer",
        }
    }

    /// The function of its interface.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Summarizer => "summarize",
            Self::Recognizer => "recognize",
            Self::Enumerator => "enumerate",
            Self::PostSummarizer => "correct",
        }
    }
}

/// What a plugin is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Made {
    /// A WebAssembly component.
    Wasm,
    /// A dynamic library.
    Dylib,
    /// A program.
    Program,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wasm => "wasm",
            Self::Dylib => "dylib",
            Self::Program => "program",
        })
    }
}

/// How a program is talked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Manner {
    /// Started for every document, as Harvest did.
    #[default]
    Once,
    /// It stays and speaks messages.
    Messages,
}

/// A plugin by its author's word.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    contract: String,
    /// What it is for.
    #[serde(default)]
    pub role: Role,
    /// What it is made of.
    pub form: Made,
    /// The file in its folder that is loaded or started.
    pub artifact: String,
    /// What it takes; `*` is everything.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Who wrote it.
    #[serde(default)]
    pub author: String,
    /// Under which terms.
    #[serde(default)]
    pub license: String,
    /// What it does, in a line.
    #[serde(default)]
    pub about: String,
    /// Arguments of a program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// How a program is talked to.
    #[serde(default)]
    pub talk: Manner,
    #[serde(default)]
    instances: Kept,
    /// What it asks for.
    #[serde(default)]
    pub grants: Vec<String>,
    #[serde(default)]
    limits: Wanted,
    /// Its options by name.
    #[serde(default)]
    pub options: BTreeMap<String, OptionText>,
    /// How its kinds are told.
    #[serde(default, rename = "kind")]
    pub kind_rules: Vec<KindText>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    #[default]
    PerDocument,
    Pooled,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    deadline: Option<String>,
    memory: Option<String>,
    output: Option<String>,
    documents: Option<u64>,
    bytes: Option<String>,
}

/// An option of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionText {
    /// What it does, in a line.
    #[serde(default)]
    pub about: String,
    /// What holds when nothing is said.
    pub default: Option<String>,
    /// All that it may be, if that can be listed.
    #[serde(default)]
    pub values: Vec<String>,
}

/// How a kind is told, as the config's `[[kind]]` says it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a [[kind]] with voter, pattern and kind (what it takes stands under `kinds`)"
)]
pub struct KindText {
    /// What the pattern is tried on: `url`, `name` or `content`.
    pub voter: Voter,
    /// A regular expression.
    pub pattern: String,
    /// The kind that a match means.
    pub kind: String,
}

/// What a pattern is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Voter {
    /// The whole URL.
    Url,
    /// The file name.
    Name,
    /// The content.
    Content,
}

impl Manifest {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(FILE);
        let shown = path.display();
        let size = fs::metadata(&path).map(|metadata| metadata.len());
        if size.as_ref().is_ok_and(|size| *size > MOST) {
            return Err(format!("{shown} is larger than {MOST} bytes, which no manifest is"));
        }
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("there is no {FILE} in {}", folder.display()),
            io::ErrorKind::InvalidData => format!("{shown} is not UTF-8"),
            _ => format!("cannot read {shown}: {error}"),
        })?;
        Self::from_text(&text).map_err(|what| format!("{shown}: {what}"))
    }

    /// Of a program that the config names itself.
    pub(crate) fn of_program(name: &str, role: Role) -> Self {
        Self {
            name: name.to_owned(),
            version: String::new(),
            contract: CONTRACT.to_owned(),
            role,
            form: Made::Program,
            artifact: String::new(),
            kinds: Vec::new(),
            author: String::new(),
            license: String::new(),
            about: String::new(),
            arguments: Vec::new(),
            talk: Manner::Once,
            instances: Kept::PerDocument,
            grants: Vec::new(),
            limits: Wanted::default(),
            options: BTreeMap::new(),
            kind_rules: Vec::new(),
        }
    }

    fn from_text(text: &str) -> Result<Self, String> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            // By the line breaks before it, however the place itself is written.
            let line = error.span().and_then(|span| Some(text.get(..span.start)?.matches('\n').count() + 1));
            match line {
                Some(line) => format!("line {line}: {}", error.message()),
                None => error.message().to_owned(),
            }
        })?;
        manifest.judge()?;
        Ok(manifest)
    }

    fn judge(&self) -> Result<(), String> {
        let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty() || self.name.len() > 60 || !self.name.bytes().all(is_small) {
            return Err(format!("the name {:?} is not made of small letters, digits and `-`", self.name));
        }
        let numbers: Vec<_> = self.version.split('.').collect();
        if numbers.len() != 3 || !numbers.iter().all(|number| number.parse::<u32>().is_ok()) {
            return Err(format!("the version {:?} is not three numbers, such as 1.0.0", self.version));
        }
        if self.contract != CONTRACT {
            return Err(format!("it wants the contract {:?}; this gatherer knows {CONTRACT:?}", self.contract));
        }
        let mut parts = Path::new(&self.artifact).components();
        if self.artifact.is_empty() || !{ &mut parts }.all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("the artifact {:?} is not a path inside of its folder", self.artifact));
        }
        if self.kinds.is_empty() && self.role != Role::Enumerator {
            return Err("`kinds` is missing: what documents does it take?".to_owned());
        }
        if let Some(stranger) = self.grants.iter().find(|name| !Grants::NAMES.contains(&name.as_str())) {
            return Err(format!("there is no grant {stranger:?}; there are {}", Grants::NAMES.join(", ")));
        }
        let is_for_programs = !self.arguments.is_empty() || self.talk != Manner::default();
        if is_for_programs && self.form != Made::Program {
            return Err("`arguments` and `talk` are for programs only".to_owned());
        }
        if self.instances != Kept::default() && self.form != Made::Wasm {
            return Err("`instances` is for components only".to_owned());
        }
        for (name, option) in &self.options {
            let is_value = |value: &String| option.values.is_empty() || option.values.contains(value);
            if !option.default.as_ref().is_none_or(is_value) {
                return Err(format!("the default of the option {name} is none of its values"));
            }
        }
        for rule in &self.kind_rules {
            regex::Regex::new(&rule.pattern).map_err(|error| {
                let error = error.to_string();
                format!(
                    "the pattern of the kind {} is no regular expression: {}",
                    rule.kind,
                    error.lines().last().unwrap_or_default()
                )
            })?;
        }
        self.limits().map(|_| ())
    }

    /// Name and version, as records have it.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Whether instances are kept.
    pub fn instances(&self) -> Instances {
        match self.instances {
            Kept::PerDocument => Instances::PerDocument,
            Kept::Pooled => Instances::Pooled,
        }
    }

    /// The bounds that it asks for.
    ///
    /// # Errors
    /// Which of them is none.
    pub fn limits(&self) -> Result<Limits, String> {
        let size = |name: &str, text: &Option<String>, usual: u64| match text.as_deref().map(quantity::size) {
            Some(Ok(0) | Err(_)) => {
                Err(format!("limits.{name}: {:?} is no size, such as \"64MiB\"", text.clone().unwrap_or_default()))
            }
            Some(Ok(size)) => Ok(size),
            None => Ok(usual),
        };
        let deadline = match self.limits.deadline.as_deref().map(quantity::duration) {
            Some(Ok(Duration::ZERO) | Err(_)) => {
                let text = self.limits.deadline.clone().unwrap_or_default();
                return Err(format!("limits.deadline: {text:?} is no span of time, such as \"10s\""));
            }
            Some(Ok(deadline)) => deadline,
            None => Limits::USUAL.deadline,
        };
        let memory = if self.form == Made::Wasm { Limits::USUAL.memory } else { PROCESS_MEMORY };
        let output = size("output", &self.limits.output, Limits::USUAL.output as u64)?;
        Ok(Limits {
            deadline,
            memory: size("memory", &self.limits.memory, memory)?,
            output: usize::try_from(output).unwrap_or(usize::MAX),
            documents: self.limits.documents.unwrap_or(Limits::USUAL.documents).max(1),
            bytes: size("bytes", &self.limits.bytes, Limits::USUAL.bytes)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        name = "recipes"
        version = "1.0.0"
        contract = "since-0.1"
        form = "wasm"
        artifact = "recipes.wasm"
        kinds = ["HTML"]
    "#;

    fn check(more: &str, expected: &str) {
        let text = more.lines().fold(WHOLE.to_owned(), |text, line| {
            let key = line.split([' ', '.', '[', '=']).find(|word| !word.is_empty()).unwrap_or_default();
            let kept = text.lines().filter(|known| known.trim().split(' ').next() != Some(key));
            format!("{}\n{line}", kept.collect::<Vec<_>>().join("\n"))
        });
        let problem = Manifest::from_text(&text).expect_err(more);
        assert!(problem.contains(expected), "{expected:?} in {problem:?}");
    }

    #[test]
    fn a_small_manifest_is_enough() {
        let manifest = Manifest::from_text(WHOLE).expect("a manifest");
        assert_eq!((manifest.label().as_str(), manifest.role), ("recipes 1.0.0", Role::Summarizer));
        assert_eq!(manifest.limits(), Ok(Limits::USUAL));
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        check("name = \"Re cipes\"", "not made of small letters");
        check("version = \"1.0\"", "not three numbers");
        check("contract = \"since-9.0\"", "it wants the contract \"since-9.0\"; this gatherer knows \"since-0.1\"");
        check("artifact = \"../evil.wasm\"", "not a path inside of its folder");
        check("artifact = \"/bin/sh\"", "not a path inside of its folder");
        check("kinds = []", "`kinds` is missing");
        check("grants = [\"disk\"]", "there is no grant \"disk\"; there are log, body, deadline, clock, network");
        check("talk = \"messages\"", "for programs only");
        check("form = \"jar\"", "unknown variant `jar`");
        check("kind = 3", "line");
        check("color = \"blue\"", "unknown field `color`");
        check("limits = { memory = \"much\" }", "limits.memory: \"much\" is no size");
        check("limits = { deadline = \"0s\" }", "is no span of time");
        check("options = { units = { default = \"x\", values = [\"y\"] } }", "none of its values");
        check("kind = [{ voter = \"name\", pattern = \"(\", kind = \"X\" }]", "no regular expression");
    }
}
