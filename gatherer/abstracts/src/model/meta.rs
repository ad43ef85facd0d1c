//! What is known of a document before anybody reads it, and of who read it.

use serde::{Deserialize, Serialize};

/// Who, what, when. A parser fills in what it knows; the gatherer puts in the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Meta {
    /// The document's URL.
    pub url: String,
    /// Where it really came from, behind redirects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its kind, in the gatherer's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The digest of its bytes, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub md5: Option<String>,
    /// Its size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When it was last seen as it is, as in XML Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_time: Option<String>,
    /// Seconds until it is looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_rate: Option<u64>,
    /// Seconds for which the record lives after its last update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<u64>,
    /// The languages of its parts.
    #[serde(default, rename = "language", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Who gathered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gatherer: Option<GathererMark>,
    /// Who parsed it.
    pub parser: ParserMark,
    /// In whose words.
    pub ontology: OntologyMark,
    /// How much of it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// What else somebody wants to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
}

/// A gatherer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GathererMark {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where its daemon is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// A parser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ParserMark {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Changes with everything that may change its answers: program, lexicon, ontology.
    pub fingerprint: String,
}

/// An ontology.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OntologyMark {
    /// Its name.
    pub iri: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its text, in hexadecimal digits.
    pub hash: String,
}

impl From<&crate::ontology::Ontology> for OntologyMark {
    fn from(ontology: &crate::ontology::Ontology) -> Self {
        let [iri, version, hash] = [ontology.iri(), ontology.version(), ontology.hash()].map(str::to_owned);
        Self { iri, version, hash }
    }
}

/// How much of a document was understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Coverage {
    /// All words.
    pub words: u64,
    /// Words that the parser knows.
    pub known_words: u64,
    /// Words or phrases with a concept.
    pub concepts: u64,
    /// All sentences.
    pub sentences: u64,
    /// Sentences that gave no fact.
    pub empty_sentences: u64,
}

/// A name and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Item {
    /// The name.
    pub name: String,
    /// What stands under it.
    #[serde(rename = "value")]
    pub text: String,
}
