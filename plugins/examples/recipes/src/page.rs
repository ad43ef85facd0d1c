//! What a page says beside its recipe: title, links, what it tells robots, and where the markup of recipes is.

use crate::microdata::Microdata;
use crate::tokens::{Tag, Token, Tokens};
use crate::{address, entities, text};

/// Most links of one page.
const LINKS_MOST: usize = 10_000;
/// Longest address, and longest name of a link, in bytes.
const ADDRESS_MOST: usize = 2000;
const NAME_MOST: usize = 500;
/// Most blocks of JSON-LD.
const BLOCKS_MOST: usize = 100;

/// Words by which a page speaks to robots.
const ROBOTS: &[&str] = &["noindex", "nofollow", "none", "noarchive", "unavailable_after"];
/// Addresses that lead to no document.
const NOWHERE: &[&str] = &["javascript:", "mailto:", "tel:", "data:", "sms:", "about:", "blob:"];

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Page<'a> {
    pub(crate) title: String,
    pub(crate) language: String,
    pub(crate) base_href: Option<String>,
    pub(crate) canonical: Option<String>,
    /// Names and contents of META elements that speak to robots.
    pub(crate) robots: Vec<(String, String)>,
    pub(crate) links: Vec<Link>,
    pub(crate) json_ld: Vec<&'a str>,
    pub(crate) microdata: Microdata,
    pub(crate) complaints: Vec<String>,
    /// The name of the last link goes on.
    in_link: bool,
    raw: Raw,
}

/// A link of a page.
#[derive(Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) url: String,
    pub(crate) text: String,
    pub(crate) follow: bool,
}

/// What the next raw text is.
#[derive(Debug, Default, Clone, Copy)]
enum Raw {
    #[default]
    Other,
    Title,
    JsonLd,
}

impl<'a> Page<'a> {
    pub(crate) fn read(html: &'a str) -> Self {
        let mut page = Self::default();
        for token in Tokens::new(html) {
            match token {
                Token::Start(tag) => page.start(&tag),
                Token::End(name) => page.end(&name),
                Token::Text(written) => page.text(&entities::decode(written)),
                Token::Raw(inside) => page.raw(inside),
            }
        }
        page.links.iter_mut().for_each(|link| link.text = text::squeeze(&link.text));
        page.microdata.end_of_page();
        page
    }

    /// What references are relative to.
    pub(crate) fn base(&self, url: &str) -> String {
        self.base_href.as_ref().map_or_else(|| url.to_owned(), |base| address::join(url, base))
    }

    fn start(&mut self, tag: &Tag<'_>) {
        self.raw = Raw::Other;
        match tag.name.as_str() {
            "html" if self.language.is_empty() => {
                let language = tag.get("lang").unwrap_or_default();
                text::cut(language.trim(), 35).clone_into(&mut self.language);
            }
            "base" => self.base_href = self.base_href.take().or_else(|| tag.get("href").and_then(|href| clean(&href))),
            "meta" => self.meta(tag),
            "title" => self.raw = Raw::Title,
            "script" if is_json_ld(tag) => self.raw = Raw::JsonLd,
            "link" if has_word(tag, "rel", &["canonical"]) => {
                self.canonical = self.canonical.take().or_else(|| tag.get("href").and_then(|href| clean(&href)));
            }
            "a" | "area" => self.link(tag),
            _ => {}
        }
        self.microdata.start(tag);
    }

    fn end(&mut self, name: &str) {
        if name == "a" {
            self.in_link = false;
        }
        self.microdata.end(name);
    }

    fn text(&mut self, text: &str) {
        if let Some(link) = self.links.last_mut().filter(|_| self.in_link) {
            let room = NAME_MOST - link.text.len().min(NAME_MOST);
            link.text.push_str(text::cut(text, room));
        }
        self.microdata.text(text);
    }

    fn raw(&mut self, inside: &'a str) {
        match self.raw {
            Raw::Title if self.title.is_empty() => {
                self.title = text::squeeze(text::cut(&entities::decode(inside), NAME_MOST));
            }
            Raw::JsonLd if self.json_ld.len() < BLOCKS_MOST => self.json_ld.push(inside),
            _ => {}
        }
    }

    /// Takes what is meant for robots, whichever of them it names.
    fn meta(&mut self, tag: &Tag<'_>) {
        let (Some(name), Some(content)) = (tag.get("name"), tag.get("content")) else { return };
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_name = !name.is_empty() && name.len() <= 100 && name.bytes().all(is_allowed);
        let is_word = |word: &str| ROBOTS.iter().any(|robots| word.trim().eq_ignore_ascii_case(robots));
        if is_name && content.split([',', ':']).any(is_word) && self.robots.len() < 10 {
            self.robots.push((name.into_owned(), text::cut(&content, NAME_MOST).to_owned()));
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        self.in_link = false;
        let Some(url) = tag.get("href").and_then(|href| clean(&href)) else { return };
        let lower = text::cut(&url, 16).to_ascii_lowercase();
        if url.starts_with('#') || NOWHERE.iter().any(|nowhere| lower.starts_with(nowhere)) {
            return;
        }
        if self.links.len() == LINKS_MOST {
            if self.complaints.is_empty() {
                self.complaints.push(format!("of the links the first {LINKS_MOST} are kept"));
            }
            return;
        }
        self.in_link = tag.name == "a";
        let text = tag.get("alt").filter(|_| !self.in_link).unwrap_or_default();
        let follow = !has_word(tag, "rel", &["nofollow", "ugc", "sponsored"]);
        self.links.push(Link { url, text: text::cut(&text, NAME_MOST).to_owned(), follow });
    }
}

/// An address as browsers read it: without space around it and line breaks in it. Nothing if it is empty or too long.
fn clean(href: &str) -> Option<String> {
    let url: String = href.trim().chars().filter(|next| !matches!(next, '\t' | '\n' | '\r')).collect();
    (!url.is_empty() && url.len() <= ADDRESS_MOST).then_some(url)
}

fn is_json_ld(tag: &Tag<'_>) -> bool {
    let kind = tag.get("type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
}

fn has_word(tag: &Tag<'_>, attribute: &str, words: &[&str]) -> bool {
    let value = tag.get(attribute).unwrap_or_default();
    value.split_ascii_whitespace().any(|word| words.iter().any(|wanted| word.eq_ignore_ascii_case(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<(String, String, bool)> {
        Page::read(html).links.into_iter().map(|link| (link.url, link.text, link.follow)).collect()
    }

    #[test]
    fn links_have_names_and_manners() {
        let html =
            "<a href='a?b=1&amp;c=2'>A <b>soup</b>\n of &frac12; corn</a> x <a rel='noopener UGC' href=b>B<a href=c>C";
        let expected = [("a?b=1&c=2", "A soup of ½ corn", true), ("b", "B", false), ("c", "C", true)];
        assert_eq!(links(html), expected.map(|(url, text, follow)| (url.to_owned(), text.to_owned(), follow)));
    }

    #[test]
    fn some_links_lead_nowhere() {
        let html = "<a href=#top>x</a><a href='JavaScript:y()'>x</a><a href='mailto:a@b.example'>x</a><a name=z>x</a>\
                    <a href=' '>x</a><area alt=map href=\" /m\n/n \">";
        assert_eq!(links(html), [("/m/n".to_owned(), "map".to_owned(), true)]);
    }

    #[test]
    fn words_for_robots_are_kept() {
        let html = "<meta name=robots content='noindex, follow'><meta name=somebot content='max-snippet:3, NoFollow'>\
                    <meta name=viewport content='width=1'><meta name='a b' content=noindex>";
        let expected = [("robots", "noindex, follow"), ("somebot", "max-snippet:3, NoFollow")];
        assert_eq!(Page::read(html).robots, expected.map(|(name, content)| (name.to_owned(), content.to_owned())));
    }

    #[test]
    fn what_a_page_says_of_itself() {
        let html = "<html lang=' de-AT'><title> Mais &amp;\n mehr </title><title>no</title><base href=/a/>\
                    <base href=/b/><link rel='x Canonical' href=c><script>x</script>\
                    <script type='Application/LD+JSON; charset=utf-8'>{}</script>";
        let page = Page::read(html);
        assert_eq!((page.title.as_str(), page.language.as_str()), ("Mais & mehr", "de-AT"));
        assert_eq!(page.base("http://example.org/x/y"), "http://example.org/a/");
        assert_eq!((page.canonical.as_deref(), page.json_ld), (Some("c"), vec!["{}"]));
    }

    #[test]
    fn too_many_links_are_said() {
        let page = Page::read("<a href=x>");
        assert!(page.complaints.is_empty());
        let html = "<a href=x>".repeat(LINKS_MOST + 2);
        let page = Page::read(&html);
        assert_eq!((page.links.len(), page.complaints.len()), (LINKS_MOST, 1));
    }
}
