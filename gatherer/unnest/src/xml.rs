//! XML with many documents in one, split by rule: each outermost element of a given name becomes a member.
//!
//! Members stay well-formed on their own: they are written in UTF-8, and what their ancestors declare (namespaces,
//! language, base) comes with them. Nothing outside is ever looked up.

use crate::names::flat;
use crate::outlet::{Found, Outlet};
use crate::{Hint, Rules, Trouble};
use gatherer_pipeline::Kind;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Within so many bytes the outermost element begins.
const HEAD: usize = 64 << 10;
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Whether there is something to split at. It may be in a comment; then nothing comes out.
pub(crate) fn may_split(body: &[u8], rules: &Rules) -> bool {
    // In UTF-16 every other byte of such a name is zero.
    let is_wide = body.iter().take(4).any(|byte| *byte == 0 || *byte >= 0xfe);
    let holds = |name: &String| {
        let name = name.as_bytes();
        !name.is_empty() && (is_wide || body.windows(name.len()).any(|window| window == name))
    };
    rules.xml_elements.iter().any(holds) && !is_one_of_them(body, rules)
}

/// Whether the whole of it is such an element already: a document of its own, most likely split off before.
fn is_one_of_them(body: &[u8], rules: &Rules) -> bool {
    let head = decoded(&body[..body.len().min(HEAD)]);
    let mut reader = Reader::from_str(&head);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => return is_wanted(&tag, rules),
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Whether an element is one to split at, by its name with or without prefix.
fn is_wanted(tag: &BytesStart<'_>, rules: &Rules) -> bool {
    let name = tag.name();
    let (whole, local) = (name.as_ref(), name.local_name());
    rules.xml_elements.iter().any(|wanted| wanted == whole || wanted == local.as_ref())
}

pub(crate) fn open(body: &[u8], rules: &Rules, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let text = decoded(body);
    let mut splitter =
        Splitter { text: &text, rules, inherited: Vec::new(), member: None, count: 0, has_entities: false };
    let mut reader = Reader::from_str(&text);
    let mut depth = 0_u64;
    loop {
        let begin = position(&reader);
        let event = reader.read_event().map_err(|error| Trouble::damaged(error.to_string()))?;
        let end = position(&reader);
        match event {
            Event::Start(tag) => {
                depth += 1;
                splitter.start(&tag, begin, end, depth)?;
            }
            Event::Empty(tag) => {
                splitter.start(&tag, begin, end, depth + 1)?;
                splitter.end(end, depth + 1, outlet)?;
            }
            Event::End(_) => {
                splitter.end(end, depth, outlet)?;
                depth = depth.saturating_sub(1);
            }
            Event::DocType(declaration) => splitter.has_entities = declaration.contains("<!ENTITY"),
            Event::Eof if depth > 0 => return Err(Trouble::damaged("it ends within an element")),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// The text in whatever encoding: the declaration says which, except for UTF-16, which shows.
fn decoded(body: &[u8]) -> Cow<'_, str> {
    let from_pair: fn([u8; 2]) -> u16 = match body {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] | [0, b'<', ..] => u16::from_be_bytes,
        _ => {
            let declared = match Reader::from_reader(body).read_event() {
                Ok(Event::Decl(declaration)) => declaration.encoder(),
                _ => None,
            };
            return declared.map_or_else(|| String::from_utf8_lossy(body), |encoding| encoding.decode(body).0);
        }
    };
    let units: Vec<_> = body.as_chunks().0.iter().copied().map(from_pair).collect();
    let text = String::from_utf16_lossy(&units);
    Cow::Owned(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// An attribute that holds for all that is inside.
struct Inherited {
    depth: u64,
    key: String,
    /// As it stands in the text.
    value: String,
}

/// A member whose end is still to come.
struct Open {
    name: String,
    depth: u64,
    /// The start tag with what it inherits.
    start: String,
    /// Where the content begins.
    content: usize,
}

struct Splitter<'a> {
    text: &'a str,
    rules: &'a Rules,
    inherited: Vec<Inherited>,
    member: Option<Open>,
    count: u64,
    has_entities: bool,
}

impl Splitter<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, begin: usize, end: usize, depth: u64) -> Result<(), Trouble> {
        if self.member.is_some() {
            return Ok(());
        }
        let name = tag.name();
        let (whole, local) = (name.as_ref(), name.local_name());
        let mut own = Vec::new();
        let mut id = None;
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| Trouble::damaged(error.to_string()))?;
            let key = attribute.key.as_ref();
            if key == "xmlns" || key.starts_with("xmlns:") || matches!(key, "xml:lang" | "xml:base") {
                own.push(Inherited { depth, key: key.to_owned(), value: attribute.value.clone().into_owned() });
            }
            if key == "xml:id" || (key == "id" && id.is_none()) {
                id = Some(attribute.value.into_owned());
            }
        }
        if !is_wanted(tag, self.rules) {
            self.inherited.extend(own);
            return Ok(());
        }
        self.count += 1;
        let id = id.map(|id| flat(&id)).filter(|id| !id.is_empty());
        let name = id.unwrap_or_else(|| format!("{}-{}", local.as_ref(), self.count));
        let start = self.start_tag(self.text.get(begin..end).unwrap_or_default(), whole, &own);
        self.member = Some(Open { name, depth, start, content: end });
        Ok(())
    }

    /// The start tag with all that its ancestors declare and it does not. The nearest ancestor counts.
    fn start_tag(&self, tag: &str, name: &str, own: &[Inherited]) -> String {
        let mut seen: std::collections::HashSet<&str> = own.iter().map(|own| own.key.as_str()).collect();
        let mut declared = Vec::new();
        for Inherited { key, value, .. } in self.inherited.iter().rev() {
            if seen.insert(key) {
                // A value with both quotes holds one of them escaped, and the other is the one around it.
                let quote = if value.contains('"') { '\'' } else { '"' };
                declared.push(format!(" {key}={quote}{value}{quote}"));
            }
        }
        let behind = tag.strip_prefix('<').and_then(|tag| tag.strip_prefix(name)).unwrap_or_default();
        format!("<{name}{}{behind}", declared.concat())
    }

    fn end(&mut self, end: usize, depth: u64, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
        while self.inherited.pop_if(|inherited| inherited.depth >= depth).is_some() {}
        let Some(member) = self.member.take_if(|member| member.depth == depth) else { return Ok(()) };
        let content = self.text.get(member.content..end).unwrap_or_default();
        let body = [DECLARATION, &member.start, content, "\n"].concat();
        let complaint =
            self.has_entities.then(|| "entities that the whole document declares are not declared in it".to_owned());
        let hint = Hint::Kind(Kind::XML);
        outlet.give(Found { hint, complaint, ..Found::named(member.name) }, body.into_bytes())
    }
}
