//! What a document says, as facts shaped by an ontology: the abstract.
//!
//! - [`ontology`] reads OWL in Turtle and answers which slots may join two classes.
//! - [`model`] is the abstract itself, in memory and in its written forms.
//! - [`annotate`] reads words and grammar from an engine that knows no ontology.
//! - [`client`] asks a parser, wherever it runs.
//! - [`score`] holds abstracts against gold pages and says how good a parser is.
//! - [`check`] holds a foreign answer against ontology and document, and drops what does not hold.
//!
//! Nothing here reads HTML or natural language; that is the parser's work, wherever it runs.

pub mod annotate;
pub mod check;
pub mod client;
pub mod model;
pub mod ontology;
pub mod score;
