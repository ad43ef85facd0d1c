//! The built-in summarizers: bytes of one leaf in, attributes and references out.
//!
//! Each kind has a folder of its own, and the table below has one line for each folder: adding a kind
//! touches these two places. Everything here is a pure function on bytes. No summarizer sees
//! network, disk or clock, none fails on a bad document (but some refuse what is not theirs), and
//! the same bytes always give the same draft. What could not be read is told in the draft's complaints.
//!
//! Names of attributes that several kinds share: `Title`; `Author`, `Publisher`, `Copyright`; `Description`;
//! `Keywords`, one a line; `Language` (BCP 47); `Created` and `Modified` (`2024-05-01T12:00:00Z`, or only as much of
//! it as is known); `Generator`, the program that made the document; `Headings`, one a line; `Charset`; `Pages`;
//! `Format`, where a kind has several (`JPEG`); `Encrypted`, with the value `yes`. The text itself goes into
//! [`Draft::set_text`](gatherer_pipeline::Draft::set_text); a description, keywords and the language are drawn from
//! it behind the summarizer, if the document does not say them itself.
//!
//! What it is not for: choosing between built-in summarizers and plugins, deadlines, and the
//! attributes that the gatherer itself knows (`Type`, `File-Size`, `MD5`).
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf};
//! use url::Url;
//!
//! let url = Url::parse("http://example.org/corn.html")?;
//! let body = b"<title>Corn &amp; maize</title><p>Grows in <a href=fields.html>the <b>fields</b></a>.";
//! let leaf = Leaf::new(&url, &Kind::HTML, body);
//!
//! let draft = gatherer_summarizers::of(leaf.kind).summarize(&leaf)?;
//! assert_eq!(draft.get("Title"), Some("Corn & maize"));
//! assert_eq!(draft.text(), "Grows in the fields.");
//! assert_eq!(draft.references()[0].url.as_str(), "http://example.org/fields.html");
//! assert_eq!(draft.references()[0].text, "the fields");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod bibliographic;
mod binary;
pub mod charset;
mod data;
mod database;
mod epub;
mod feed;
pub mod fold;
mod font;
mod html;
pub mod html_table;
mod image;
mod links;
mod mail;
mod makefile;
mod manpage;
mod markdown;
mod media;
mod metadata;
mod office;
mod opendocument;
mod patch;
mod pdf;
mod postscript;
mod rfc;
mod rtf;
mod source;
mod table;
#[cfg(test)]
mod testing;
mod tex;
mod text;
mod xml;

use gatherer_pipeline::{Kind, Summarizer};

/// The kinds of one summarizer.
struct Line {
    kinds: &'static [&'static str],
    summarizer: &'static dyn Summarizer,
    /// Its library is known to loop, to overflow or to take too much on bad documents: it is run in a process of its
    /// own, which can be killed.
    apart: bool,
}

/// The one table: a new kind adds its line here.
#[rustfmt::skip]
const TABLE: &[Line] = &[
    Line { kinds: html::KINDS, summarizer: &html::Html, apart: false },
    Line { kinds: feed::KINDS, summarizer: &feed::News, apart: false },
    Line { kinds: text::KINDS, summarizer: &text::Text, apart: false },
    Line { kinds: office::KINDS, summarizer: &office::Office, apart: true },
    Line { kinds: opendocument::KINDS, summarizer: &opendocument::OpenDocument, apart: false },
    Line { kinds: epub::KINDS, summarizer: &epub::Epub, apart: false },
    Line { kinds: rtf::KINDS, summarizer: &rtf::Rtf, apart: false },
    Line { kinds: pdf::KINDS, summarizer: &pdf::Pdf, apart: true },
    Line { kinds: postscript::KINDS, summarizer: &postscript::PostScript, apart: false },
    Line { kinds: image::KINDS, summarizer: &image::Image, apart: false },
    Line { kinds: media::KINDS, summarizer: &media::Media, apart: false },
    Line { kinds: font::KINDS, summarizer: &font::Font, apart: false },
    Line { kinds: source::KINDS, summarizer: &source::Source, apart: false },
    Line { kinds: makefile::KINDS, summarizer: &makefile::Makefile, apart: false },
    Line { kinds: patch::KINDS, summarizer: &patch::Patch, apart: false },
    Line { kinds: manpage::KINDS, summarizer: &manpage::ManPage, apart: false },
    Line { kinds: tex::KINDS, summarizer: &tex::Tex, apart: false },
    Line { kinds: bibliographic::KINDS, summarizer: &bibliographic::Bibliographic, apart: false },
    Line { kinds: markdown::KINDS, summarizer: &markdown::Markdown, apart: false },
    Line { kinds: rfc::KINDS, summarizer: &rfc::Rfc, apart: false },
    Line { kinds: table::KINDS, summarizer: &table::Table, apart: false },
    Line { kinds: data::KINDS, summarizer: &data::Data, apart: false },
    Line { kinds: database::KINDS, summarizer: &database::Database, apart: false },
    Line { kinds: binary::KINDS, summarizer: &binary::Binary, apart: false },
    Line { kinds: xml::KINDS, summarizer: &xml::Xml, apart: false },
    Line { kinds: mail::KINDS, summarizer: &mail::Mail, apart: false },
    Line { kinds: archive::KINDS, summarizer: &archive::Archive, apart: false },
];

/// The summarizer made for this kind, if there is one.
pub fn own(kind: &Kind) -> Option<&'static dyn Summarizer> {
    line(kind).map(|line| line.summarizer)
}

/// The summarizer for this kind; metadata alone if none is made for it.
pub fn of(kind: &Kind) -> &'static dyn Summarizer {
    own(kind).unwrap_or(&metadata::Metadata)
}

/// Whether documents of this kind are better summarized in a process that can be killed.
pub fn is_apart(kind: &Kind) -> bool {
    line(kind).is_some_and(|line| line.apart)
}

/// The one that takes everything: what the URL tells.
pub fn metadata() -> &'static dyn Summarizer {
    &metadata::Metadata
}

/// Every summarizer's name with its kinds. Metadata comes last and names no kind.
pub fn list() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let made = TABLE.iter().map(|line| (line.summarizer.name(), line.kinds));
    made.chain([(metadata().name(), [].as_slice())])
}

fn line(kind: &Kind) -> Option<&'static Line> {
    TABLE.iter().find(|line| line.kinds.contains(&kind.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, expected: &str) {
        assert_eq!(of(&Kind::new(kind)).name(), format!("{expected} {}", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn each_kind_has_its_summarizer() {
        check("HTML", "html");
        check("HomeHTML", "html");
        check("Directory", "html");
        check("Feed", "feed");
        check("Text", "text");
        check("README", "text");
        check("Unknown", "metadata");
    }

    #[test]
    fn no_kind_stands_in_two_lines() {
        let mut kinds: Vec<_> = TABLE.iter().flat_map(|line| line.kinds.iter()).collect();
        let all = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), all);
    }

    #[test]
    fn the_list_names_all() {
        let names: Vec<_> = list().map(|(name, _)| name).collect();
        assert_eq!((names.first(), names.last()), (Some(&"html 0.1.0"), Some(&"metadata 0.1.0")));
        assert_eq!(names.len(), TABLE.len() + 1);
    }
}
