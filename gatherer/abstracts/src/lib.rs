//! What a document says, as facts shaped by an ontology: the abstract.
//!
//! - [`ontology`] reads OWL in Turtle and answers which slots may join two classes.
//!
//! Nothing here reads HTML or natural language; that is the parser's work, wherever it runs.

pub mod ontology;
