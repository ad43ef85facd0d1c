//! HTML by a table: an operator says which element becomes which attribute, as in Harvest.
//!
//! A line is `<TAG>` for the text of an element, or `<TAG:ATTRIBUTE>` for the value of one of its attributes, and after
//! white space the names of the record's attributes, with commas between them. Instead of a name can stand:
//!
//! - `ignore`: the text is dropped,
//! - `parent`: the text also stays where it would be without the line, in the element around it,
//! - `$NAME`: the name is the value of that attribute of the element, here of `NAME`.
//!
//! Elements without a line leave their text to the element around them. `url-references` are resolved and followed as
//! those of all pages are; `keywords` are sorted, each once. Nothing else gets into the record: no title, no text and
//! no charset that the table does not name. Harvest's own table is [`HtmlTable::HARVEST`].
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf, Summarizer};
//! use gatherer_summarizers::html_table::{HtmlByTable, HtmlTable};
//! use url::Url;
//!
//! let table = "<H1> headings\n<A> keywords,parent\n<META:CONTENT> $NAME # as each says";
//! let table = HtmlTable::read(table).expect("a table");
//! let url = Url::parse("http://example.org/corn.html")?;
//! let body = b"<meta name=crop content=maize><h1>All about <a href=x>corn</a></h1>";
//! let leaf = Leaf::new(&url, &Kind::HTML, body);
//!
//! let draft = HtmlByTable::new(table).summarize(&leaf)?;
//! let found: Vec<_> = draft.attributes().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
//! assert_eq!(found, [("crop", "maize"), ("keywords", "corn"), ("headings", "All about corn")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod reader;
#[cfg(test)]
mod tests;

use crate::charset::{self, Hint};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use reader::ByTable;
use std::collections::HashMap;

/// What becomes of the text of an element, or of the value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// It goes under this name.
    Attribute(String),
    /// It goes under the name that this attribute of the element gives.
    NamedBy(String),
    /// It stays in the element around it as well.
    Parent,
}

/// The lines of one element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rule {
    /// For its text. None: it is left to the element around it. Empty: it is dropped.
    text: Option<Vec<Target>>,
    /// For its attributes.
    attributes: Vec<(String, Vec<Target>)>,
}

/// Which element becomes which attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlTable {
    /// By names in small letters.
    rules: HashMap<String, Rule>,
}

impl HtmlTable {
    /// The table that came with Harvest.
    pub const HARVEST: &'static str = "\
<A>             keywords,parent
<A:HREF>        url-references
<ADDRESS>       address
<B>             keywords,parent
<BODY>          body
<CITE>          references
<CODE>          ignore
<EM>            keywords,parent
<H1>            headings
<H2>            headings
<H3>            headings
<H4>            headings
<H5>            headings
<H6>            headings
<HEAD>          head
<I>             keywords,parent
<IMG:SRC>       images
<META:CONTENT>  $NAME
<STRONG>        keywords,parent
<TITLE>         title
<TT>            keywords,parent
<UL>            keywords,parent
";

    /// Reads a table in Harvest's form. Empty lines and what follows a `#` do not count.
    ///
    /// # Errors
    /// All complaints, each with the number of its line.
    pub fn read(text: &str) -> Result<Self, Vec<(usize, String)>> {
        let mut table = Self { rules: HashMap::new() };
        let mut complaints = Vec::new();
        for (place, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (element, names) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if let Err(complaint) = table.add(element, names.split(',')) {
                complaints.push((place + 1, complaint));
            }
        }
        if complaints.is_empty() { Ok(table) } else { Err(complaints) }
    }

    /// A table of lines that have been told apart already: the element, and the names.
    ///
    /// # Errors
    /// All complaints, each with its element.
    pub fn new(lines: impl IntoIterator<Item = (String, Vec<String>)>) -> Result<Self, Vec<String>> {
        let mut table = Self { rules: HashMap::new() };
        let mut complaints = Vec::new();
        for (element, names) in lines {
            complaints.extend(table.add(&element, names.iter().map(String::as_str)).err());
        }
        if complaints.is_empty() { Ok(table) } else { Err(complaints) }
    }

    fn add<'a>(&mut self, element: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let (tag, attribute) = parts(element)?;
        let names: Vec<_> = names.map(str::trim).collect();
        let targets = targets(element, attribute.is_some(), &names)?;
        let rule = self.rules.entry(tag.to_ascii_lowercase()).or_default();
        let is_second = match attribute {
            None => rule.text.replace(targets).is_some(),
            Some(attribute) => {
                let is_known = rule.attributes.iter().any(|(known, _)| known.eq_ignore_ascii_case(attribute));
                rule.attributes.push((attribute.to_ascii_lowercase(), targets));
                is_known
            }
        };
        if is_second { Err(format!("{element} has two lines: write all its names into one")) } else { Ok(()) }
    }
}

/// The tag, and the attribute if there is one.
fn parts(element: &str) -> Result<(&str, Option<&str>), String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
    };
    let inner = element.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let parts = inner.map(|inner| inner.split_once(':').map_or((inner, None), |(tag, rest)| (tag, Some(rest))));
    parts
        .filter(|(tag, attribute)| is_name(tag) && attribute.is_none_or(is_name))
        .ok_or_else(|| format!("{element:?} is neither <TAG> nor <TAG:ATTRIBUTE>"))
}

fn targets(element: &str, of_attribute: bool, names: &[&str]) -> Result<Vec<Target>, String> {
    if names.iter().all(|name| name.is_empty()) {
        return Err(format!("{element} has no names: write ignore to drop it"));
    }
    if names.contains(&"ignore") {
        return if names.len() == 1 { Ok(Vec::new()) } else { Err(format!("{element}: ignore stands alone")) };
    }
    let target = |name: &&str| match *name {
        "parent" if of_attribute => Err(format!("{element}: parent is for texts, not for attributes")),
        "parent" => Ok(Target::Parent),
        name => match name.strip_prefix('$') {
            Some("") => Err(format!("{element}: $ needs the name of an attribute")),
            Some(attribute) => Ok(Target::NamedBy(attribute.to_owned())),
            None if is_well_formed(name) => Ok(Target::Attribute(name.to_owned())),
            None => Err(format!("{element}: {name:?} cannot be the name of an attribute")),
        },
    };
    names.iter().map(target).collect()
}

/// Whether a name can stand in a SOIF object.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let is_sound = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}' | b'@');
    !name.is_empty() && name.len() <= Draft::NAME_LIMIT && name.bytes().all(is_sound)
}

/// Summarizes pages by a table.
#[derive(Debug, Clone)]
pub struct HtmlByTable {
    table: HtmlTable,
}

impl HtmlByTable {
    /// By this table.
    pub fn new(table: HtmlTable) -> Self {
        Self { table }
    }
}

impl Summarizer for HtmlByTable {
    fn name(&self) -> &'static str {
        concat!("html-table ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::html(leaf.url));
        let mut draft = Draft::new();
        for complaint in decoded.complaints {
            draft.complain(complaint);
        }
        ByTable::new(&self.table).summarize(&decoded.text, leaf.url, &mut draft);
        Ok(draft)
    }
}
