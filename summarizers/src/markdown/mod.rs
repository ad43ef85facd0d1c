//! Markdown.

mod front;
#[cfg(test)]
mod tests;

use crate::fold::{Folded, Gap};
use crate::html;
use crate::links::{Links, TEXT_LIMIT};
use crate::text::{self, Lines};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;

pub(crate) const KINDS: &[&str] = &["Markdown"];

/// Most headings.
const HEADINGS: usize = 2_000;
/// Most bytes of one block of HTML that are read.
const HTML: usize = 1 << 20;

/// Links and images in HTML that stands within Markdown.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)<(a|img)\s[^<>]*?(?:href|src)\s*=\s*["']?([^"'\s<>]+)"#).expect("a pattern of ours")
});

/// What stands in front, headings, text, links and images.
pub(crate) struct Markdown;

impl Summarizer for Markdown {
    fn name(&self) -> &'static str {
        concat!("markdown ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        let (front, body) = front::split(&text);
        front::write(front, &mut draft);
        let mut page = Page::new();
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_DEFINITION_LIST;
        Parser::new_ext(body, options).for_each(|event| page.event(event));
        if draft.get("Title").is_none() {
            draft.add("Title", page.title.as_deref().unwrap_or_default());
        }
        draft.add("Headings", &page.headings.into_text());
        draft.add("Code-Languages", &page.languages.into_text());
        page.links.write(leaf.url, &mut draft);
        let text = page.text.into_text();
        draft.set_text(&text);
        text::refer_bare(&text, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// What has been read so far.
struct Page {
    text: Folded,
    links: Links,
    headings: Lines,
    languages: Lines,
    /// The first heading of the first level.
    title: Option<String>,
    /// The words of the heading that is being read.
    heading: Option<(HeadingLevel, String)>,
    /// Links and images that are being read, with their words. Images may stand within links.
    open: Vec<(String, String)>,
    /// Within an image.
    image: bool,
    /// A block of HTML is read as a whole.
    html: String,
    code: bool,
}

impl Page {
    fn new() -> Self {
        Self {
            text: Folded::new(Draft::VALUE_LIMIT),
            links: Links::default(),
            headings: Lines::new(HEADINGS),
            languages: Lines::new(HEADINGS),
            title: None,
            heading: None,
            open: Vec::new(),
            image: false,
            html: String::new(),
            code: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) | Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.words(&words);
            }
            Event::Html(markup) if self.html.len() < HTML => self.html.push_str(&markup),
            Event::InlineHtml(markup) => self.targets(&markup),
            Event::SoftBreak => self.words(" "),
            Event::HardBreak | Event::Rule => self.text.gap(Gap::Line),
            Event::Html(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.image |= matches!(tag, Tag::Image { .. });
        match tag {
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
                self.open.push((format!("mailto:{dest_url}"), String::new()));
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.open.push((dest_url.to_string(), String::new()));
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {}
            Tag::TableCell => self.text.gap(Gap::Space),
            block => {
                self.text.gap(Gap::Line);
                self.start_block(block);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some((level, String::new())),
            Tag::CodeBlock(kind) => {
                self.code = true;
                if let CodeBlockKind::Fenced(language) = kind {
                    self.languages.push(language.split([' ', ',', '{']).next().unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Link => {
                if let Some((target, words)) = self.open.pop() {
                    self.links.refer(&target, &words);
                }
            }
            TagEnd::Image => {
                self.image = false;
                if let Some((source, words)) = self.open.pop() {
                    self.links.image(&source, &words);
                }
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::TableCell => self.text.gap(Gap::Space),
            _ => {}
        }
        let inline = matches!(
            tag,
            TagEnd::Link
                | TagEnd::Image
                | TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::TableCell
        );
        if !inline {
            self.text.gap(Gap::Line);
        }
    }

    fn words(&mut self, words: &str) {
        if self.code {
            self.text.push_lines(words);
        } else {
            self.text.push(words);
        }
        let limit = |known: &String| TEXT_LIMIT.saturating_sub(known.len());
        // Badges are no part of a heading.
        if let Some((_, heading)) = self.heading.as_mut().filter(|_| !self.image) {
            heading.push_str(&words[..words.floor_char_boundary(limit(heading))]);
        }
        // Words of an image are those of the link around it, too; deeper nesting there is none.
        for (_, known) in self.open.iter_mut().rev().take(2) {
            known.push_str(&words[..words.floor_char_boundary(limit(known))]);
        }
    }

    fn end_heading(&mut self) {
        let Some((level, words)) = self.heading.take() else { return };
        let words = Folded::line(&words, TEXT_LIMIT);
        self.headings.push(&words);
        if level == HeadingLevel::H1 && !words.is_empty() {
            self.title.get_or_insert(words);
        }
    }

    fn end_html(&mut self) {
        let markup = std::mem::take(&mut self.html);
        self.targets(&markup);
        self.text.gap(Gap::Line);
        self.text.push(&html::words(&markup, HTML));
    }

    fn targets(&mut self, markup: &str) {
        for found in TARGET.captures_iter(markup) {
            if found[1].eq_ignore_ascii_case("a") {
                self.links.refer(&found[2], "");
            } else {
                self.links.image(&found[2], "");
            }
        }
    }
}
