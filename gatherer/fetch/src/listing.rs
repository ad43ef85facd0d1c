//! A directory as a page of links, whatever method has listed it.

use crate::Answer;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use url::Url;

/// What a directory holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Bytes, as the other side has them.
    pub(crate) name: OsString,
    pub(crate) is_directory: bool,
}

/// The page, in one order whatever order the entries came in; what begins with a dot is left out.
pub(crate) fn page(url: &Url, mut entries: Vec<Entry>) -> Answer {
    entries.retain(|entry| !entry.name.as_encoded_bytes().starts_with(b"."));
    entries.sort();
    Answer {
        content_type: Some("text/html; charset=utf-8".to_owned()),
        body: html(url, &entries).into_bytes(),
        ..Answer::empty(200)
    }
}

/// The address with a slash at its end, which alone makes the links on the page right.
pub(crate) fn with_slash(url: &Url) -> Answer {
    let mut slash = url.clone();
    slash.set_path(&format!("{}/", url.path()));
    moved(slash)
}

pub(crate) fn moved(to: Url) -> Answer {
    Answer { location: Some(to.into()), ..Answer::empty(301) }
}

/// The bytes that a part of a URL's path stands for.
pub(crate) fn decoded(path: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|code| *first == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let byte = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

fn html(url: &Url, entries: &[Entry]) -> String {
    let mut page = format!("<!DOCTYPE html>\n<title>{}</title>\n<ul>\n", htmlize::escape_text(url.path()));
    for Entry { name, is_directory } in entries {
        // A name is bytes; the URL type knows how to write each of them.
        let Ok(encoded) = Url::from_file_path(Path::new("/").join(name)) else { continue };
        let slash = if *is_directory { "/" } else { "" };
        // From the page on: in FTP a path may begin with two slashes, which in a link would name a host.
        let href = format!(".{}{slash}", encoded.path());
        let (href, text) = (htmlize::escape_attribute(&href), name.to_string_lossy());
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<li><a href=\"{href}\">{}{slash}</a>", htmlize::escape_text(&*text));
    }
    page.push_str("</ul>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_urls_stand_for_bytes() {
        let check = |path: &str, expected: &[u8]| assert_eq!(decoded(path), expected, "{path}");
        check("a%20b+c", b"a b+c");
        check("caf%E9", b"caf\xe9");
        check("50%", b"50%");
        check("%+1%zz%2", b"%+1%zz%2");
        check("%%41", b"%A");
    }

    #[test]
    fn links_lead_into_the_directory_from_any_address() {
        let check = |url: &str, name: &str, expected: &str| {
            let url = Url::parse(url).expect("a literal URL");
            let page = page(&url, vec![Entry { name: name.into(), is_directory: false }]);
            let page = String::from_utf8(page.body).expect("UTF-8");
            let href = page.split('"').nth(1).expect("a link");
            assert_eq!(url.join(href).expect("a URL").as_str(), expected);
        };
        check("ftp://example.org//etc/", "motd", "ftp://example.org//etc/motd");
        check("ftps://example.org/", "a:b", "ftps://example.org/a:b");
        check("file:///tmp/", "a#b?c", "file:///tmp/a%23b%3Fc");
    }
}
