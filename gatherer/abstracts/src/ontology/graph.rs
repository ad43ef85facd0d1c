//! Turtle as statements by their subject, in the order in which they were written.

use super::complaint::Complaint;
use super::words::{OWL_IMPORTS, RDF_FIRST, RDF_REST};
use oxrdf::{NamedOrBlankNode, Term};
use oxttl::TurtleParser;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};

/// A broken text is not complained about line for line.
const SYNTAX_COMPLAINTS: usize = 10;
/// Longest list of classes that is read; more is a list that bites its tail.
const LIST_LIMIT: usize = 1_000;

/// What is said of a subject.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    /// An IRI, or a blank node behind `_:`.
    Node(String),
    /// Words, and their language.
    Text(String, Option<String>),
}

/// All statements of an ontology and of what it imports.
#[derive(Debug, Default)]
pub(super) struct Graph {
    statements: HashMap<String, Vec<(String, Object)>>,
    /// Subjects in the order of their first statement.
    subjects: Vec<String>,
    hasher: Sha256,
}

impl Graph {
    /// Reads a text and what it imports, each only once.
    pub(super) fn read(
        text: &str,
        imports: &dyn Fn(&str) -> Option<String>,
        complaints: &mut Vec<Complaint>,
    ) -> (Self, String) {
        let mut graph = Self::default();
        graph.take_in("the ontology", text, complaints);
        let mut seen = BTreeSet::new();
        while let Some(iri) = graph.unread(&seen) {
            match imports(&iri) {
                Some(text) => graph.take_in(&iri, &text, complaints),
                None => complaints.push(Complaint::grave(&iri, "is imported, but cannot be found")),
            }
            seen.insert(iri);
        }
        let hash = graph.hasher.clone().finalize();
        let hash = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        (graph, hash)
    }

    fn unread(&self, seen: &BTreeSet<String>) -> Option<String> {
        let imported = self.subjects.iter().flat_map(|subject| self.nodes(subject, OWL_IMPORTS));
        imported.filter(|iri| !seen.contains(*iri)).min().map(str::to_owned)
    }

    fn take_in(&mut self, name: &str, text: &str, complaints: &mut Vec<Complaint>) {
        self.hasher.update(text.as_bytes());
        // Blank nodes of two texts are told apart.
        let place = self.subjects.len();
        let mut errors = 0;
        for triple in TurtleParser::new().for_slice(text) {
            match triple {
                Ok(triple) => {
                    let subject = match triple.subject {
                        NamedOrBlankNode::NamedNode(node) => node.into_string(),
                        NamedOrBlankNode::BlankNode(node) => format!("_:{place}-{}", node.as_str()),
                    };
                    let object = match triple.object {
                        Term::NamedNode(node) => Object::Node(node.into_string()),
                        Term::BlankNode(node) => Object::Node(format!("_:{place}-{}", node.as_str())),
                        Term::Literal(literal) => {
                            Object::Text(literal.value().to_owned(), literal.language().map(str::to_owned))
                        }
                    };
                    self.add(subject, triple.predicate.into_string(), object);
                }
                Err(_) if errors == SYNTAX_COMPLAINTS => break,
                Err(error) => {
                    errors += 1;
                    let line = Some(error.location().start.line + 1);
                    let complaint = Complaint::grave(name, format!("is no Turtle: {}", error.message()));
                    complaints.push(Complaint { line, ..complaint });
                }
            }
        }
    }

    fn add(&mut self, subject: String, predicate: String, object: Object) {
        if !self.statements.contains_key(&subject) {
            self.subjects.push(subject.clone());
        }
        let statements = self.statements.entry(subject).or_default();
        let statement = (predicate, object);
        if !statements.contains(&statement) {
            statements.push(statement);
        }
    }

    pub(super) fn subjects(&self) -> impl Iterator<Item = &str> {
        self.subjects.iter().map(String::as_str)
    }

    pub(super) fn statements(&self, subject: &str) -> &[(String, Object)] {
        self.statements.get(subject).map(Vec::as_slice).unwrap_or_default()
    }

    /// The nodes that a predicate leads to.
    pub(super) fn nodes<'a>(&'a self, subject: &str, predicate: &'a str) -> impl Iterator<Item = &'a str> {
        self.statements(subject).iter().filter(move |(name, _)| name == predicate).filter_map(
            |(_, object)| match object {
                Object::Node(node) => Some(node.as_str()),
                Object::Text(..) => None,
            },
        )
    }

    /// The texts under a predicate, with their languages.
    pub(super) fn texts<'a>(
        &'a self,
        subject: &str,
        predicate: &'a str,
    ) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        self.statements(subject).iter().filter(move |(name, _)| name == predicate).filter_map(
            |(_, object)| match object {
                Object::Text(text, language) => Some((text.as_str(), language.as_deref())),
                Object::Node(_) => None,
            },
        )
    }

    pub(super) fn has(&self, subject: &str, predicate: &str, node: &str) -> bool {
        self.nodes(subject, predicate).any(|one| one == node)
    }

    /// The members of a list.
    pub(super) fn list(&self, head: &str) -> Vec<&str> {
        let (mut place, mut members) = (head, Vec::new());
        while let Some(first) = self.nodes(place, RDF_FIRST).next() {
            members.push(first);
            match self.nodes(place, RDF_REST).next() {
                Some(rest) if members.len() < LIST_LIMIT => place = rest,
                _ => break,
            }
        }
        members
    }
}
