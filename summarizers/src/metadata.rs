//! For every kind without a summarizer of its own: a record with what the URL tells.

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use url::{Url, form_urlencoded};

/// Gives the file's name; size, digest and kind are the gatherer's own to add.
pub(crate) struct Metadata;

impl Summarizer for Metadata {
    fn name(&self) -> &'static str {
        concat!("metadata ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        draft.add("File-Name", &file_name(leaf.url));
        Ok(draft)
    }
}

/// The last part of the path; empty if the URL names a directory or has no path.
fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut segments| segments.next_back());
    percent_decoded(last.unwrap_or_default())
}

/// Text with its percent signs decoded. The library decodes forms, so what means something in forms only is
/// protected first.
pub(crate) fn percent_decoded(text: &str) -> String {
    let protected = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(protected.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_pipeline::Kind;

    fn check(url: &str, expected: Option<&str>) {
        let url = Url::parse(url).expect("a URL");
        let leaf = Leaf::new(&url, &Kind::UNKNOWN, b"");
        let draft = Metadata.summarize(&leaf).expect("never refuses");
        assert_eq!(draft.get("File-Name"), expected);
    }

    #[test]
    fn the_file_name_is_the_last_part_of_the_path() {
        check("http://example.org/a/b.zip?x=1#y", Some("b.zip"));
        check("http://example.org/a%20b+c&d=e.zip", Some("a b+c&d=e.zip"));
        check("http://example.org/r%C3%A9sum%C3%A9.pdf", Some("résumé.pdf"));
        check("ftp://example.org/pub/x.tar", Some("x.tar"));
    }

    #[test]
    fn a_directory_has_no_file_name() {
        check("http://example.org/", None);
        check("http://example.org/a/", None);
        check("news:comp.infosystems.harvest", None);
    }
}
