//! Markup at the beginning of a text: pages, feeds and other XML.

use super::Finding;
use crate::tables::Tables;
use gatherer_pipeline::Kind;

/// Tags with which a whole page begins.
const PAGE: &[&str] = &["html", "head", "title", "body", "meta", "frameset", "base", "link"];

/// Tags with which a piece of a page begins (after the MIME sniffing standard, and some more).
#[rustfmt::skip]
const PIECE: &[&str] = &[
    "a", "address", "article", "b", "blockquote", "br", "center", "dir", "div", "dl", "em", "font", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe", "img", "li", "main", "nav", "ol", "p", "pre", "script",
    "section", "span", "strong", "style", "table", "td", "tr", "tt", "ul",
];

/// What a text is that begins with markup; nothing if it does not.
pub(super) fn begin(tables: &Tables, text: &str) -> Option<Finding> {
    let prologue = Prologue::read(text);
    if prologue.is_html {
        return Some(Finding::new(Kind::HTML, "begins with <!doctype html"));
    }
    let Some(name) = element(prologue.rest) else { return prologue.alone() };
    if let Some(kind) = tables.by_root(name).filter(|kind| prologue.is_xml || **kind != Kind::HTML) {
        return Some(Finding::new(by_namespace(kind, prologue.rest), format!("root element {name}")));
    }
    let lower = name.to_ascii_lowercase();
    if PAGE.contains(&lower.as_str()) && !prologue.is_xml {
        return Some(Finding::new(Kind::HTML, format!("begins with <{lower}")));
    }
    if prologue.is_xml {
        return Some(Finding::new(Kind::XML, format!("root element {name}")));
    }
    let piece = PIECE.contains(&lower.as_str());
    piece.then(|| Finding::new(Kind::HTML, format!("begins with <{lower}")).asides(&["HTML without head"]))
}

/// Whether there is a tag anywhere.
pub(super) fn has_tags(text: &str) -> bool {
    text.match_indices('<').any(|(place, _)| {
        let rest = &text[place..];
        let name = element(rest).or_else(|| rest.strip_prefix("</").map(name)).unwrap_or_default();
        let known = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        known(PAGE) || known(PIECE) || rest.starts_with("<?xml ")
    })
}

/// What comes before the first element.
struct Prologue<'a> {
    rest: &'a str,
    is_html: bool,
    is_xml: bool,
    has_comment: bool,
}

impl<'a> Prologue<'a> {
    fn read(text: &'a str) -> Self {
        let mut prologue = Self { rest: text.trim_start(), is_html: false, is_xml: false, has_comment: false };
        while !prologue.is_html && prologue.skip() {
            prologue.rest = prologue.rest.trim_start();
        }
        prologue
    }

    /// Passes over one comment, instruction or document type; says whether there was one.
    fn skip(&mut self) -> bool {
        if let Some(comment) = self.rest.strip_prefix("<!--") {
            self.has_comment = true;
            self.rest = after(comment, "-->");
        } else if let Some(instruction) = self.rest.strip_prefix("<?") {
            self.is_xml |= instruction.starts_with("xml");
            self.rest = after(instruction, ">");
        } else if let Some(document_type) = strip_prefix_ignoring_case(self.rest, "<!doctype") {
            self.is_html = name(document_type.trim_start()).eq_ignore_ascii_case("html");
            self.is_xml = !self.is_html;
            let subset = document_type.find('[').filter(|open| !document_type[..*open].contains('>'));
            self.rest = after(subset.map_or(document_type, |open| after(&document_type[open..], "]")), ">");
        } else {
            return false;
        }
        true
    }

    /// What it is without any element behind it.
    fn alone(&self) -> Option<Finding> {
        if self.is_xml {
            return Some(Finding::new(Kind::XML, "begins with an XML declaration"));
        }
        let comment = Finding::new(Kind::HTML, "begins with <!--").asides(&["HTML without head"]);
        self.has_comment.then_some(comment)
    }
}

/// The rest behind a mark; nothing if the mark is missing.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (before, rest) = text.split_at_checked(prefix.len())?;
    before.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The name of the element whose start tag stands here. A cut one is no tag.
fn element(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('<').filter(|rest| rest.starts_with(char::is_alphabetic))?;
    Some(name(rest)).filter(|name| name.len() < rest.len())
}

/// A name up to what no name has, or to a length that no name has.
fn name(text: &str) -> &str {
    let short = &text[..text.floor_char_boundary(60)];
    short.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '[')).next().unwrap_or_default()
}

/// RSS 1.0 is RDF as well, and `<feed>` is a word that others use too: the namespace tells.
fn by_namespace(kind: &Kind, text: &str) -> Kind {
    let tag = text.split('>').next().unwrap_or_default();
    match kind.name() {
        "RDF" if ["purl.org/rss/1.0", "my.netscape.com/rdf"].iter().any(|space| tag.contains(space)) => {
            Kind::new("Feed")
        }
        "Feed" if text.starts_with("<feed") && tag.contains("xmlns") && !tag.to_lowercase().contains("atom") => {
            Kind::XML
        }
        _ => kind.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let tables = Tables::builtin().expect("sound tables");
        let found = begin(&tables, text).map(|found| format!("{} {}", found.kind, found.because));
        assert_eq!(found.as_deref().unwrap_or_default(), expected, "{text:?}");
    }

    #[test]
    fn the_first_element_tells() {
        check("<!DOCTYPE HTML PUBLIC '-//W3C'>", "HTML begins with <!doctype html");
        check("<HTML>", "HTML begins with <html");
        check("<!-- x --> <?php ?>\n<body bgcolor=white>", "HTML begins with <body");
        check("<p class=x>y", "HTML begins with <p");
        check("<param>", "");
        check("<p", "");
        check("a <p>", "");
        check("<!-- only -->", "HTML begins with <!--");
        check("<!-- never closed <html>", "HTML begins with <!--");
    }

    #[test]
    fn xml_is_known_by_its_root() {
        check("<?xml version='1.0'?><corn/>", "XML root element corn");
        check("<?xml version='1.0'?>", "XML begins with an XML declaration");
        check("<?xml version='1.0'?><!DOCTYPE corn [<!ENTITY a '>'>]><corn>", "XML root element corn");
        check("<?xml version='1.0'?><html xmlns='x'>", "HTML root element html");
        check("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html>", "HTML begins with <!doctype html");
        check("<!DOCTYPE book SYSTEM 'x'><book>", "XML root element book");
        check("<?xml version='1.0'?><p>", "XML root element p");
        check("<svg viewBox='0 0 1 1'>", "SVG root element svg");
    }

    #[test]
    fn feeds_are_known_by_root_and_namespace() {
        check("<rss version='2.0'>", "Feed root element rss");
        check("<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>", "Feed root element feed");
        check("<?xml version='1.0'?><feed xmlns='urn:cattle'>", "XML root element feed");
        check("<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "Feed root element rdf:RDF");
        check("<rdf:RDF xmlns='http://xmlns.com/foaf/0.1/'>", "RDF root element rdf:RDF");
        check("<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "Feed root element a:feed");
    }

    #[test]
    fn tags_within_text_are_seen() {
        let check = |text, expected| assert_eq!(has_tags(text), expected, "{text}");
        check("a <b>c", true);
        check("a </P>", true);
        check("a < b > c <bob@example.org> <a", false);
        check(&"<".repeat(4096), false);
    }
}
