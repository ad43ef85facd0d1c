//! A page as tags and texts, in their order.
//!
//! The parser tells text from markup: where scripts, raw texts, comments and foreign content begin and end is its
//! business. The tags between two texts are read here, in place: the parser would copy every name and every value.

use lol_html::errors::RewritingError;
use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, MemorySettings, Settings, doc_comments, doc_text, doctype};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

/// Most memory for what the parser has to keep: a tag or comment whose end it has not seen.
const MEMORY: usize = 32 << 20;

/// A start tag.
#[derive(Debug)]
pub(crate) struct Tag<'a, 't> {
    /// In small letters.
    pub(crate) name: Cow<'a, str>,
    /// Names and values as written.
    pub(crate) attributes: &'t [(&'a str, &'a str)],
    /// Ends with `/>`, which means something in drawings and formulas only.
    pub(crate) closed: bool,
}

/// Attributes that mean something at every element: regions of a page, microdata, `RDFa`.
fn is_global(name: &str) -> bool {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    match name.len() {
        4 => is("role"),
        6 => is("hidden") || is("typeof"),
        8 => is("itemprop") || is("property"),
        9 => is("itemscope"),
        11 => is("aria-hidden"),
        _ => false,
    }
}

impl<'a> Tag<'a, '_> {
    /// The value of an attribute with its entities decoded. The first of its name counts.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).map(htmlize::unescape_attribute)
    }

    /// Whether it has attributes that mean something at every element. Most have not, and are asked nothing more.
    pub(crate) fn is_special(&self) -> bool {
        self.attributes.iter().any(|(name, _)| is_global(name))
    }

    /// The value as written.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

/// Is told what stands on a page.
pub(crate) trait Reader {
    /// A start tag.
    fn open(&mut self, tag: &Tag<'_, '_>);
    /// An end tag, its name in small letters.
    fn close(&mut self, name: &str);
    /// A whole text node as written, never empty.
    fn text(&mut self, raw: &str, kind: TextType);
}

/// Tells the reader all of a page. After an error it has been told what came before.
pub(crate) fn read(html: &str, reader: &mut impl Reader) -> Result<(), RewritingError> {
    let tokens = RefCell::new(Tokens { html, reader, done: 0, node: None, attributes: Vec::new() });
    let settings = Settings::new()
        .with_strict(false)
        .with_enable_esi_tags(false)
        .with_adjust_charset_on_meta_tag(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_document_content_handler(doc_text!(|text| {
            let (place, kind) = (text.source_location().bytes(), text.text_type());
            tokens.borrow_mut().text(place, kind, text.last_in_text_node());
            Ok(())
        }))
        .append_document_content_handler(doc_comments!(|comment| {
            tokens.borrow_mut().pass(&comment.source_location().bytes());
            Ok(())
        }))
        .append_document_content_handler(doctype!(|doctype| {
            tokens.borrow_mut().pass(&doctype.source_location().bytes());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes())?;
    rewriter.end()?;
    tokens.borrow_mut().pass(&(html.len()..html.len()));
    Ok(())
}

/// What has been read of a page. All of it goes to the parser in one piece, so its places are places in our text.
struct Tokens<'a, 'r, R> {
    html: &'a str,
    reader: &'r mut R,
    /// All before it has been told.
    done: usize,
    /// A text node, which may come in several pieces.
    node: Option<(Range<usize>, TextType)>,
    /// Of the tag at hand; kept to spare the memory's manager.
    attributes: Vec<(&'a str, &'a str)>,
}

impl<R: Reader> Tokens<'_, '_, R> {
    fn text(&mut self, piece: Range<usize>, kind: TextType, last: bool) {
        match &mut self.node {
            Some((node, known)) if *known == kind && node.end == piece.start => node.end = piece.end,
            _ => {
                self.end_node();
                self.tags_until(piece.start);
                self.node = Some((piece, kind));
            }
        }
        if last {
            self.end_node();
        }
    }

    /// Something that nobody wants to know: a comment, a document type.
    fn pass(&mut self, place: &Range<usize>) {
        self.end_node();
        self.tags_until(place.start);
        self.done = place.end;
    }

    fn end_node(&mut self) {
        let Some((place, kind)) = self.node.take() else { return };
        self.done = place.end;
        if let Some(raw) = self.html.get(place).filter(|raw| !raw.is_empty()) {
            self.reader.text(raw, kind);
        }
    }

    /// Tells the tags up to a place. Besides tags only the brackets of CDATA can stand there.
    fn tags_until(&mut self, end: usize) {
        let mut rest = self.html.get(self.done..end).unwrap_or_default();
        self.done = end;
        while !rest.is_empty() {
            let Some(next) = rest.strip_prefix('<').or_else(|| rest.split_once('<').map(|(_, next)| next)) else {
                return;
            };
            rest = next;
            let (is_end, name) = rest.strip_prefix('/').map_or((false, rest), |name| (true, name));
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            self.attributes.clear();
            let Some((name, closed, after)) = tag(name, &mut self.attributes) else { return };
            if is_end {
                self.reader.close(&name);
            } else {
                self.reader.open(&Tag { name, attributes: &self.attributes, closed });
            }
            rest = after;
        }
    }
}

/// Reads a tag from its name on, by the rules of the HTML standard: its name, whether it ends with `/>`, and what
/// follows it. Nothing if it has no end.
fn tag<'a>(text: &'a str, attributes: &mut Vec<(&'a str, &'a str)>) -> Option<(Cow<'a, str>, bool, &'a str)> {
    let bytes = text.as_bytes();
    let mut at = until(bytes, 0, |byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    let name = lower(&text[..at]);
    loop {
        let gap = at;
        at = until(bytes, at, |byte| !is_space(byte) && byte != b'/');
        if *bytes.get(at)? == b'>' {
            return Some((name, text[gap..at].ends_with('/'), &text[at + 1..]));
        }
        // An equals sign at its beginning is part of the name.
        let end = until(bytes, at + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let attribute = &text[at..end];
        at = until(bytes, end, |byte| !is_space(byte));
        let mut value = "";
        if bytes.get(at) == Some(&b'=') {
            at = until(bytes, at + 1, |byte| !is_space(byte));
            let end = match *bytes.get(at)? {
                quote @ (b'"' | b'\'') => {
                    at += 1;
                    until(bytes, at, |byte| byte == quote)
                }
                _ => until(bytes, at, |byte| is_space(byte) || byte == b'>'),
            };
            value = &text[at..end];
            at = end + usize::from(matches!(bytes.get(end), Some(b'"' | b'\'')));
        } else {
            at = end;
        }
        attributes.push((attribute, value));
    }
}

/// The place of the first byte from `start` on that is so; the end if none is.
fn until(bytes: &[u8], start: usize, is_so: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.iter().position(|byte| is_so(*byte)).map_or(bytes.len(), |place| start + place)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Vec<String>);

    impl Reader for Told {
        fn open(&mut self, tag: &Tag<'_, '_>) {
            let values = tag.attributes.iter().map(|(name, value)| format!(" {name}={value}"));
            self.0.push(format!("<{}{}{}>", tag.name, values.collect::<String>(), if tag.closed { " /" } else { "" }));
        }

        fn close(&mut self, name: &str) {
            self.0.push(format!("</{name}>"));
        }

        fn text(&mut self, raw: &str, _: TextType) {
            self.0.push(raw.to_owned());
        }
    }

    fn check(html: &str, expected: &[&str]) {
        let mut told = Told::default();
        read(html, &mut told).expect("a page");
        assert_eq!(told.0, expected, "{html}");
    }

    #[test]
    fn tags_and_texts_come_in_order() {
        check("<!DOCTYPE html>\n<P>a &amp; b</P ><!-- <i> -->c", &["\n", "<p>", "a &amp; b", "</p>", "c"]);
        check("a < b <3 c</p><i>d", &["a < b <3 c", "</p>", "<i>", "d"]);
        check("<script>if (a<b) '</p>'</script>x", &["<script>", "if (a<b) '</p>'", "</script>", "x"]);
        check("<svg><![CDATA[<b>]]><a/></svg>", &["<svg>", "<b>", "<a />", "</svg>"]);
        check("<title><b></title><?php <i></ x>y", &["<title>", "<b>", "</title>", "y"]);
    }

    #[test]
    fn attributes_are_read_in_all_their_forms() {
        check("<a b c=d e = 'f>' g=\"h\"i=j/ k>x", &["<a b= c=d e=f> g=h i=j/ k=>", "x"]);
        check("<a =b=c d=>x", &["<a =b=c d=>", "x"]);
        check("<a/b='c'/>x", &["<a b=c />", "x"]);
        check("<br/><a b=c/>x", &["<br />", "<a b=c/>", "x"]);
        check("<a b=\"c'd\" e='f\"g'>", &["<a b=c'd e=f\"g>"]);
        check("</a b='</i>'>x", &["</a>", "x"]);
        check("<ä><aÄ B=Ö>x", &["<ä>", "<aÄ B=Ö>", "x"]);
    }

    #[test]
    fn what_has_no_end_is_no_tag() {
        for page in ["a<b", "a<b c", "a<b c=", "a<b c='d>", "a</b", "a<b /", "a<!-- <i>"] {
            check(page, &["a"]);
        }
        check("", &[]);
    }
}
