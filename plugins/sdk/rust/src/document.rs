//! What the gatherer says about the thing a plugin is to work on.

/// A name and its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pair {
    /// The name; that of a header is in small letters.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Who says what kind a document is, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vote {
    /// Who.
    pub voter: String,
    /// Which kind.
    pub kind: String,
    /// Why, in a few words.
    pub because: String,
}

/// One document and what is known of it beside its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Where it is. Relative references are relative to this.
    pub url: String,
    /// What it was recognized as.
    pub kind: String,
    /// Who said so; the strongest first.
    pub votes: Vec<Vote>,
    /// What the server said of it: content-type, last-modified, etag, x-robots-tag.
    pub headers: Vec<Pair>,
    /// The charset that a byte order mark or the server declares.
    pub charset: Option<String>,
    /// Bytes of the body, all of which [`Call::body`](crate::Call::body) can give.
    pub size: u64,
    /// The body was cut at the operator's size limit: there is more at the server.
    pub cut: bool,
    /// When it was fetched, in seconds since 1970.
    pub fetched: Option<u64>,
    /// When it was last changed, if the server or the container knows.
    pub modified: Option<u64>,
    /// MD5, in hexadecimal, of the body behind the record that is there now.
    pub previous: Option<String>,
    /// What the operator has set for this plugin; options that are not set have their defaults.
    pub options: Vec<Pair>,
}

impl Document {
    /// The value of a header. The name is in small letters: `content-type`.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// A root node of the operator's, for an enumerator to expand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RootNode {
    /// What the operator calls it.
    pub name: String,
    /// Where the root node starts.
    pub urls: Vec<String>,
    /// More than so many URLs are passed over.
    pub url_max: u64,
    /// What the operator has set for this plugin; options that are not set have their defaults.
    pub options: Vec<Pair>,
}

/// The value behind a name.
pub(crate) fn find<'a>(pairs: &'a [Pair], name: &str) -> Option<&'a str> {
    pairs.iter().find(|pair| pair.name == name).map(|pair| pair.value.as_str())
}
