//! The contract as it stands in `schemas/summarizer/since-0.1`, in one set of types for all forms: components get them by
//! the canonical ABI, programs as JSON, libraries through the C header. Frozen: a later version is a module of its own that
//! these are turned into.

use gatherer_pipeline::{self as pipeline, Draft as Taken, Kind, Leaf, UnixTime};
use serde::{Deserialize, Serialize};
use url::Url;
use wasmtime::component::{ComponentType, Lift, Lower};

/// The version in names of interfaces and in messages.
pub const VERSION: &str = "0.1";
/// The version as the manifest writes it.
pub const CONTRACT: &str = "since-0.1";
/// So much of a body comes with the call; what is behind it has to be read.
pub const INLINE: usize = 1 << 20;

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Who says what kind a document is, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Vote {
    /// Who.
    pub voter: String,
    /// What kind.
    pub kind: String,
    /// Why.
    pub because: String,
}

/// One document and what is known of it beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Document {
    /// Where it is.
    pub url: String,
    /// What it was recognized as.
    pub kind: String,
    /// Who said so.
    #[serde(default)]
    pub votes: Vec<Vote>,
    /// What the server said of it.
    #[serde(default)]
    pub headers: Vec<Pair>,
    /// The charset that is declared.
    #[serde(default)]
    pub charset: Option<String>,
    /// Bytes of the body.
    pub size: u64,
    /// There is more at the server.
    #[serde(default)]
    pub cut: bool,
    /// When it was fetched.
    #[serde(default)]
    pub fetched: Option<u64>,
    /// When it last changed.
    #[serde(default)]
    pub modified: Option<u64>,
    /// The digest behind the present record.
    #[serde(default)]
    pub previous: Option<String>,
    /// The operator's word.
    #[serde(default)]
    pub options: Vec<Pair>,
}

/// One attribute of a summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value, which should be UTF-8.
    #[serde(with = "text_or_base64")]
    pub value: Vec<u8>,
    /// The language of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// How much its words count.
    #[serde(default, deserialize_with = "weight", skip_serializing_if = "Option::is_none")]
    pub weight: Option<f32>,
}

/// A reference that stands in the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Reference {
    /// Where it leads.
    pub url: String,
    /// What the document calls it.
    #[serde(default)]
    pub text: String,
    /// Whether it may be gathered.
    #[serde(default = "yes")]
    pub follow: bool,
}

/// Something inside of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Child {
    /// Its path.
    pub name: String,
    /// Its kind.
    #[serde(default)]
    pub kind: Option<String>,
    /// Its media type.
    #[component(name = "media-type")]
    #[serde(default, rename = "media-type")]
    pub media_type: Option<String>,
    /// When it last changed.
    #[serde(default)]
    pub modified: Option<u64>,
    /// Its bytes.
    #[serde(with = "text_or_base64")]
    pub content: Vec<u8>,
}

/// What a summarizer found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Draft {
    /// The attributes.
    #[serde(default)]
    pub attributes: Vec<Attribute>,
    /// The text as a person would read it.
    #[serde(default)]
    pub text: Option<String>,
    /// Where it leads.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// The address that it calls its own.
    #[serde(default)]
    pub canonical: Option<String>,
    /// What is inside.
    #[serde(default)]
    pub children: Vec<Child>,
    /// What a reader should know.
    #[serde(default)]
    pub complaints: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, ComponentType, Lift, Lower)]
#[component(variant)]
pub enum Error {
    /// The document is not for this plugin.
    #[component(name = "refused")]
    Refused(String),
    /// The plugin is in trouble.
    #[component(name = "failed")]
    Failed(String),
}

/// An option that a plugin takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// One line for the operator.
    #[serde(default)]
    pub about: String,
    /// What holds when nothing is said.
    #[serde(default)]
    pub default: Option<String>,
}

/// A plugin's word on itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it takes.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Its options.
    #[serde(default)]
    pub options: Vec<Setting>,
}

/// A recognizer's word on a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Guess {
    /// What it is.
    pub kind: String,
    /// Why.
    #[serde(default)]
    pub because: String,
}

/// A root node to expand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(record)]
pub struct RootNode {
    /// Its name.
    pub name: String,
    /// Where it starts.
    #[serde(default)]
    pub urls: Vec<String>,
    /// More are passed over.
    #[component(name = "url-max")]
    #[serde(rename = "url-max")]
    pub url_max: u64,
    /// The operator's word.
    #[serde(default)]
    pub options: Vec<Pair>,
}

/// What a post-summarizer makes of a summary.
#[derive(Debug, Clone, PartialEq, ComponentType, Lift, Lower)]
#[component(variant)]
pub enum Correction {
    /// All attributes that it is to have.
    #[component(name = "keep")]
    Keep(Vec<Attribute>),
    /// There is to be no record.
    #[component(name = "leave-out")]
    LeaveOut(String),
}

/// What a plugin may answer, by its role.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A summarizer's.
    Draft(Draft),
    /// A recognizer's.
    Guesses(Vec<Guess>),
    /// An enumerator's.
    Urls(Vec<String>),
    /// A post-summarizer's.
    Correction(Correction),
}

/// How loud a plugin speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ComponentType, Lift, Lower)]
#[component(enum)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Level {
    /// For the author.
    #[component(name = "debug")]
    Debug,
    /// For the curious.
    #[component(name = "info")]
    Info,
    /// For the operator.
    #[component(name = "warn")]
    Warn,
}

fn yes() -> bool {
    true
}

impl Document {
    /// A leaf as plugins see it.
    pub fn new(leaf: &Leaf<'_>, options: &[Pair]) -> Self {
        let header = |name: &str, value: Option<&str>| {
            let value = value.filter(|value| !value.is_empty())?;
            Some(Pair { name: name.to_owned(), value: value.to_owned() })
        };
        let facts = &leaf.facts;
        let headers = [
            header("content-type", leaf.content_type),
            header("last-modified", facts.last_modified),
            header("etag", facts.etag),
            header("x-robots-tag", Some(facts.robots_tag)),
        ];
        let vote = |vote: &pipeline::Vote| Vote {
            voter: vote.voter.clone(),
            kind: vote.kind.name().to_owned(),
            because: vote.because.clone(),
        };
        Self {
            url: leaf.url.as_str().to_owned(),
            kind: leaf.kind.name().to_owned(),
            votes: leaf.votes.iter().map(vote).collect(),
            headers: headers.into_iter().flatten().collect(),
            charset: declared_charset(leaf),
            size: leaf.body.len() as u64,
            cut: leaf.cut,
            fetched: facts.fetched.map(|time| time.0),
            modified: facts.modified.map(|time| time.0),
            previous: facts.previous.map(|md5| md5.to_string()),
            options: options.to_vec(),
        }
    }
}

/// By a byte order mark, else by the server's word.
fn declared_charset(leaf: &Leaf<'_>) -> Option<String> {
    let marks: [(&[u8], &str); 3] = [(b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le")];
    if let Some((_, name)) = marks.iter().find(|(mark, _)| leaf.body.starts_with(mark)) {
        return Some((*name).to_owned());
    }
    let parameters = leaf.content_type?.split(';').skip(1);
    let charset = { parameters }
        .find_map(|parameter| parameter.trim().to_ascii_lowercase().strip_prefix("charset=").map(str::to_owned))?;
    Some(charset.trim_matches(['"', '\'', ' ']).to_owned()).filter(|name| !name.is_empty())
}

impl Draft {
    /// A draft of ours in the words of the contract, for workers of our own.
    pub fn of(draft: &mut Taken) -> Self {
        let attribute = |(name, value): &(String, String)| Attribute {
            name: name.clone(),
            value: value.clone().into_bytes(),
            language: None,
            weight: draft.weights().iter().find(|(weighed, _)| weighed == name).map(|(_, weight)| *weight),
        };
        let reference = |reference: &pipeline::Reference| Reference {
            url: reference.url.to_string(),
            text: reference.text.clone(),
            follow: reference.follow,
        };
        Self {
            attributes: draft.attributes().iter().map(attribute).collect(),
            text: Some(draft.text().to_owned()).filter(|text| !text.is_empty()),
            references: draft.references().iter().map(reference).collect(),
            canonical: draft.canonical().map(Url::to_string),
            complaints: draft.complaints().to_vec(),
            children: { draft.take_children().into_iter() }.map(Child::of).collect(),
        }
    }

    /// A draft as it is taken: what is not well formed is left out and complained of.
    pub fn take(self, base: &Url) -> Taken {
        let mut draft = Taken::new();
        let mut languages = Vec::new();
        for Attribute { name, value, language, weight } in self.attributes {
            let value = String::from_utf8(value).unwrap_or_else(|broken| {
                draft.complain(format!("{name} is not UTF-8"));
                String::from_utf8_lossy(broken.as_bytes()).into_owned()
            });
            draft.add(&name, &value);
            if let Some(weight) = weight {
                draft.weigh(&name, weight);
            }
            if let Some(language) = language.filter(|language| !language.is_empty()) {
                languages.push(format!("{name} {language}"));
            }
        }
        draft.add("Attribute-Languages", &languages.join("\n"));
        draft.set_text(&self.text.unwrap_or_default());
        for Reference { url, text, follow } in self.references {
            match base.join(url.trim()) {
                Ok(url) if follow => draft.refer(url, &text),
                Ok(url) => draft.refer_only(url, &text),
                Err(error) => draft.complain(format!("the reference {} is no URL ({error})", shown(&url))),
            }
        }
        if let Some(url) = self.canonical.as_deref().and_then(|url| base.join(url.trim()).ok()) {
            draft.set_canonical(url);
        }
        self.children.into_iter().for_each(|child| draft.contain(child.take()));
        self.complaints.into_iter().for_each(|complaint| draft.complain(shown(&complaint)));
        draft
    }

    /// Bytes of all that is in it.
    pub fn size(&self) -> usize {
        let attributes = self.attributes.iter().map(|one| one.name.len() + one.value.len());
        let references = self.references.iter().map(|one| one.url.len() + one.text.len());
        let children = self.children.iter().map(|one| one.name.len() + one.content.len());
        let rest = self.complaints.iter().map(String::len).chain(self.text.iter().map(String::len));
        attributes.chain(references).chain(children).chain(rest).sum()
    }
}

impl Child {
    fn of(child: pipeline::Child) -> Self {
        let pipeline::Child { name, kind, media_type, modified, content } = child;
        let (kind, modified) = (kind.map(|kind| kind.name().to_owned()), modified.map(|time| time.0));
        Self { name, kind, media_type, modified, content }
    }

    fn take(self) -> pipeline::Child {
        let Self { name, kind, media_type, modified, content } = self;
        let kind = kind.filter(|kind| is_kind(kind)).map(Kind::new);
        pipeline::Child { name, kind, media_type, modified: modified.map(UnixTime), content }
    }
}

/// A weight beyond all measure is no reason to kill anybody; whoever weighs passes it over.
#[expect(clippy::cast_possible_truncation, reason = "what does not fit becomes infinite")]
fn weight<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<f32>, D::Error> {
    Ok(Option::<f64>::deserialize(source)?.map(|weight| weight as f32))
}

/// Whether a kind can be called so.
pub(crate) fn is_kind(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !name.is_empty() && name.len() <= 60 && name.bytes().all(is_part)
}

/// Foreign words, short enough to be shown.
pub(crate) fn shown(text: &str) -> String {
    let line: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let line = line.trim();
    match line.char_indices().nth(500) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// Bytes in JSON: a text where they are one, else `{"base64": ...}`.
mod text_or_base64 {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
    use serde::ser::{SerializeMap, Serializer};
    use std::fmt;

    const BASE64: &str = "base64";

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(BASE64, &STANDARD.encode(bytes))?;
        map.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_any(Bytes)
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "a text or {{\"{BASE64}\": TEXT}}")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.as_bytes().to_vec())
        }

        fn visit_string<E: Error>(self, text: String) -> Result<Vec<u8>, E> {
            Ok(text.into_bytes())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = None;
            while let Some(name) = map.next_key::<String>()? {
                if name == BASE64 {
                    bytes = Some(STANDARD.decode(map.next_value::<String>()?).map_err(A::Error::custom)?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            bytes.ok_or_else(|| A::Error::missing_field(BASE64))
        }
    }
}

#[cfg(test)]
mod tests;
