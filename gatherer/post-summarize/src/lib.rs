//! The operator's rules over a summary: Harvest's post-summarizing.
//!
//! A rule is a condition over attributes and what to do where it holds: set or remove attributes, let programs change
//! them, give the record another URL, template type or life span, or leave the resource out. Rules are tried in order
//! and every one that matches applies, so a later rule sees what an earlier one did.
//!
//! # Conditions
//!
//! | Text | Holds if |
//! |---|---|
//! | nothing, or `true` | always |
//! | `type == 'HTML'`, `type != "HTML"` | the whole value is (is not) this text |
//! | `url ~ /\.org\//`, `url !~ '\.org/'` | the regex matches (does not match) somewhere in the value |
//! | `a == '1' && b == '2'`, `a == '1' \|\| b == '2'` | both hold, one of them holds; `&&` binds stronger |
//! | `(a == '1' \|\| b == '2') && c == '3'` | brackets first |
//!
//! Attribute names know no case, `URL` is the record's URL, and an attribute that is not there is the empty text.
//! Texts in quotes have no escapes; between slashes `\/` is a slash.
//!
//! # Instructions
//!
//! They are done in the order given; [`Instruction`] says what each does. In a value to set, `{Title}` is replaced by
//! that attribute's value, and `{{` is a brace. An empty value removes the attribute.
//!
//! Programs are run by the caller ([`Programs`]). Where one fails or answers with something unusable, the attribute
//! keeps its value and `Complaints` gets a line that names the rule and the program. A filter is not run where its
//! attribute is not there.
//!
//! [`read_harvest`] reads Harvest's own rule files from memory.
//!
//! What it is not for: it starts no programs, and it opens no files.
//!
//! ```
//! use gatherer_post_summarize::{Attributes, Command, Instruction, Programs, RuleSource, Rules};
//! # use gatherer_pipeline::{Admission, Candidate, Draft, Fetched, Kind, Known, Prepared, Recognized, Summary};
//! # use gatherer_pipeline::{Times, UnixTime, Validators};
//! # use std::time::Duration;
//! # let url = url::Url::parse("http://example.org/drafts/corn")?;
//! # let admission = Admission { scope: String::new(), robots: String::new() };
//! # let fetched = Fetched {
//! #     prepared: Prepared::new(Candidate::start(url, "docs"), admission, Known::default()),
//! #     content_type: None,
//! #     body: Vec::new(),
//! #     cut_from: None,
//! #     robots_tag: String::new(),
//! #     canonical: None,
//! #     validators: Validators::default(),
//! #     modified: None,
//! #     at: UnixTime(0),
//! #     packed: None,
//! # };
//! # let mut draft = Draft::new();
//! # draft.add("Title", "Corn");
//! # let times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::ZERO, range: 1 };
//! # let summary = Summary::new(&Recognized::new(fetched, Kind::HTML, Vec::new()), &draft, "html 0.1", times);
//! # struct Nobody;
//! # impl Programs for Nobody {
//! #     fn run(&self, _: &Command, _: &[u8], _: &url::Url) -> Result<Vec<u8>, String> {
//! #         Err("nobody runs programs here".to_owned())
//! #     }
//! #     fn pass(&self, _: &Command, _: &Attributes, _: &url::Url) -> Result<Vec<(String, String)>, String> {
//! #         Err("nobody runs programs here".to_owned())
//! #     }
//! # }
//!
//! let rule = RuleSource {
//!     name: "drafts".to_owned(),
//!     when: "URL ~ /draft/ && type == 'HTML'".to_owned(),
//!     instructions: vec![Instruction::Set { attribute: "Title".to_owned(), value: "Draft: {Title}".to_owned() }],
//! };
//! let rules = Rules::compile(vec![rule.clone()]).expect("rules without errors");
//! let corrected = rules.apply(summary, &Nobody)?; // of http://example.org/drafts/corn
//! assert_eq!(corrected.get("Title"), Some("Draft: Corn"));
//!
//! let mistaken = RuleSource { when: "type 'HTML'".to_owned(), ..rule };
//! let errors = Rules::compile(vec![mistaken]).expect_err("an error");
//! assert_eq!(errors[0].to_string(), "expected == != ~ or !~ after `type` at character 6");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod condition;
mod harvest;
mod instruction;
mod parse;
mod programs;
mod rewrite;
mod rules;
mod template;
mod words;

pub use harvest::{FileError, read_harvest};
pub use instruction::Instruction;
pub use programs::{Attributes, Command, Programs};
pub use rules::{RuleError, RuleSource, Rules};
