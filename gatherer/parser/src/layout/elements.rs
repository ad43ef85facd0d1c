//! What elements do to the lines of a page.

use super::{CAPTION, Region};
use html5gum::StartTag;

/// What an element does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Begins and ends a line.
    Block,
    /// Ends a line, but not the paragraph.
    Break,
    /// Nothing of it is shown.
    Hidden,
    Heading(u8),
    Item,
    List,
    Term,
    Definition,
    Table,
    Row,
    Cell,
    HeadCell,
    Strong,
    Title,
    /// Part of a line.
    Inline,
}

/// What the element of this name does.
pub(super) fn effect(name: &[u8]) -> Effect {
    match name {
        b"br" => Effect::Break,
        b"script" | b"style" | b"template" | b"textarea" | b"select" | b"iframe" | b"object" | b"svg" | b"math"
        | b"noscript" | b"noframes" | b"button" => Effect::Hidden,
        b"title" => Effect::Title,
        b"h1" => Effect::Heading(1),
        b"h2" => Effect::Heading(2),
        b"h3" => Effect::Heading(3),
        b"h4" => Effect::Heading(4),
        b"h5" => Effect::Heading(5),
        b"h6" => Effect::Heading(6),
        b"caption" => Effect::Heading(CAPTION),
        b"li" => Effect::Item,
        b"ul" | b"ol" | b"menu" | b"dir" | b"dl" => Effect::List,
        b"dt" => Effect::Term,
        b"dd" => Effect::Definition,
        b"table" => Effect::Table,
        b"tr" => Effect::Row,
        b"td" => Effect::Cell,
        b"th" => Effect::HeadCell,
        b"b" | b"strong" | b"big" => Effect::Strong,
        b"p" | b"hr" | b"div" | b"section" | b"article" | b"header" | b"footer" | b"nav" | b"main" | b"aside"
        | b"address" | b"blockquote" | b"center" | b"pre" | b"form" | b"fieldset" | b"legend" | b"figure"
        | b"figcaption" | b"thead" | b"tbody" | b"tfoot" | b"body" | b"html" | b"head" | b"details" | b"summary"
        | b"hgroup" | b"frameset" | b"label" => Effect::Block,
        _ => Effect::Inline,
    }
}

/// Elements that are a box of their own on the page.
pub(super) fn is_box(name: &[u8]) -> bool {
    matches!(name, b"div" | b"section" | b"article" | b"aside" | b"main" | b"li" | b"td" | b"th" | b"footer" | b"form")
}

/// What boxes that are made alike have in common: `article.event` of every second `<article class="event odd">`.
pub(super) fn style(name: &[u8], classes: &str) -> String {
    let is_own = |class: &&str| {
        !matches!(*class, "odd" | "even" | "first" | "last" | "active")
            && !class.ends_with(|end: char| end.is_ascii_digit())
    };
    let class = classes.split_ascii_whitespace().find(is_own).unwrap_or_default();
    format!("{}.{class}", String::from_utf8_lossy(name))
}

/// Elements that have no end.
pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"br"
            | b"hr"
            | b"img"
            | b"input"
            | b"meta"
            | b"link"
            | b"base"
            | b"area"
            | b"col"
            | b"embed"
            | b"source"
            | b"track"
            | b"wbr"
            | b"frame"
            | b"basefont"
    )
}

/// The part of the page that an element is, by its name or by the names its author gave it.
pub(super) fn region(name: &[u8], names: &str) -> Option<Region> {
    let names = names.to_ascii_lowercase();
    let has = |word: &str| has_word(&names, word);
    if names.contains("breadcrumb") || has("crumb") || has("trail") || has("pfad") || has("brotkrumen") {
        return Some(Region::Trail);
    }
    match name {
        b"nav" => Some(Region::Navigation),
        b"footer" => Some(Region::Footer),
        _ if has("nav") || has("navi") || has("navigation") || has("navbar") || has("sitenav") => {
            Some(Region::Navigation)
        }
        _ if has("footer")
            || has("foot")
            || has("unten")
            || has("bottom")
            || has("copyright")
            || has("fuss")
            || has("fusszeile") =>
        {
            Some(Region::Footer)
        }
        _ => None,
    }
}

/// Whether the author of a page calls a line a headline.
pub(super) fn is_headline(name: &[u8], names: &str) -> bool {
    let is_line = matches!(name, b"div" | b"p" | b"span" | b"td" | b"a");
    let names = names.to_ascii_lowercase();
    let words = ["title", "titel", "headline", "heading", "ueberschrift", "h1"];
    is_line && !names.is_empty() && words.iter().any(|word| has_word(&names, word))
}

/// Whether a style makes letters much larger than those of the text.
pub(super) fn is_large_style(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    let Some((_, rest)) = style.split_once("font-size") else { return false };
    let size = rest.trim_start_matches([':', ' ']).split(';').next().unwrap_or_default().trim();
    let number = size.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '%');
    let unit = &size[number.len()..];
    let least = match unit {
        "px" => 20.0,
        "pt" => 15.0,
        "em" | "rem" => 1.3,
        "%" => 130.0,
        _ => return matches!(unit, "larger" | "x-large" | "xx-large"),
    };
    number.trim().parse::<f32>().is_ok_and(|number| number >= least)
}

/// Whether the author of a page calls an element its logo.
pub(super) fn is_brand(names: &str) -> bool {
    let names = names.to_ascii_lowercase();
    let words = ["logo", "brand", "wordmark", "sitename", "sitetitle", "marke"];
    let pairs = ["site-title", "site-name", "site_title", "site_name"];
    !names.is_empty()
        && (words.iter().any(|word| has_word(&names, word)) || pairs.iter().any(|pair| names.contains(pair)))
}

/// Whether a word is one of the names that an author gave to an element.
fn has_word(names: &str, word: &str) -> bool {
    let mut words = names.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|one| one == word || one.strip_suffix('s') == Some(word))
}

/// Whether a FONT element makes its text larger than the rest.
pub(super) fn is_large(size: &str) -> bool {
    let size = size.trim();
    match size.strip_prefix('+') {
        Some(more) => more.parse::<u8>().is_ok_and(|more| more > 0),
        None => size.parse::<u8>().is_ok_and(|size| size > 3),
    }
}

/// Elements with which authors point out words.
pub(super) fn is_mark(name: &[u8]) -> bool {
    matches!(name, b"b" | b"strong" | b"i" | b"em" | b"cite" | b"q" | b"mark" | b"dfn" | b"u")
}

/// Elements that part a line without pointing out anything.
pub(super) fn is_part(name: &[u8]) -> bool {
    matches!(name, b"span" | b"time" | b"b" | b"strong" | b"small")
}

/// Whether a target is a way to somebody, and not to a page.
pub(super) fn is_contact(target: &str) -> bool {
    let scheme = target.split_inclusive(':').next().unwrap_or_default().to_ascii_lowercase();
    ["mailto:", "tel:", "fax:"].contains(&scheme.as_str())
}

pub(super) fn attribute(tag: &StartTag<usize>, key: &[u8]) -> Option<String> {
    tag.attributes.get(key).map(|value| String::from_utf8_lossy(&value.value).trim().to_owned())
}
