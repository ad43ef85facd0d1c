//! Sitemaps: lists of URLs that a site makes of itself, by <https://www.sitemaps.org/protocol.html>.
//!
//! What sites write is seldom what the protocol says, so a bad entry costs itself and nothing else.

#[cfg(test)]
mod tests;
mod text;
mod values;
mod xml;

use crate::URL_LIMIT;
use flate2::bufread::MultiGzDecoder;
use gatherer_pipeline::UnixTime;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;
use url::Url;

/// Most bytes that a packed sitemap may unpack to; the protocol allows 50 MiB.
const UNPACKED_LIMIT: u64 = 64 << 20;
/// Bytes of a bad value that a complaint shows.
const SHOWN: usize = 100;

const GZIP: &[u8] = &[0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One line of a sitemap.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// What is listed, absolute. It may lie on another host: the scope judges.
    pub url: Url,
    /// When it was last changed.
    pub modified: Option<UnixTime>,
    /// How often it changes.
    pub interval: Option<Duration>,
    /// How much it matters to the site, from 0 to 1.
    pub priority: Option<f32>,
    /// It is a sitemap itself, listed in an index.
    pub is_map: bool,
}

/// What a sitemap gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SitemapReading {
    /// Its entries, in order.
    pub found: Vec<Mapped>,
    /// What was wrong with it: a few sentences, however much was wrong.
    pub complaints: Vec<String>,
    /// There were more entries than wanted.
    pub cut: bool,
}

/// Reads a sitemap: a list or an index in XML, or one URL a line; each of them also packed by gzip. Relative URLs are
/// resolved against `url`, where the sitemap is. At most `most` entries are taken, and reading stops at the next.
///
/// Never fails: what cannot be read is complained of and passed over.
pub fn read_sitemap(body: &[u8], url: &Url, most: usize) -> SitemapReading {
    let mut findings = Findings::new(url, most);
    if body.starts_with(GZIP) {
        let mut unpacked = BufReader::new(MultiGzDecoder::new(body).take(UNPACKED_LIMIT));
        read(&mut unpacked, &mut findings);
        if unpacked.get_ref().limit() == 0 {
            findings.complain(format!("unpacks to more than {UNPACKED_LIMIT} bytes, the rest left out"));
        }
    } else {
        read(&mut &*body, &mut findings);
    }
    findings.into_reading()
}

fn read(input: &mut impl BufRead, findings: &mut Findings<'_>) {
    let outcome = match first_byte(input) {
        Ok(Some(b'<')) => xml::read(input, findings),
        Ok(Some(_)) => text::read(input, findings),
        Ok(None) => {
            findings.complain("the sitemap is empty");
            Ok(())
        }
        Err(error) => Err(error),
    };
    if let Err(error) = outcome {
        findings.complain(format!("cannot be unpacked to its end: {error}"));
    }
}

/// The first byte behind white space and byte order mark, which are passed over.
fn first_byte(input: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let available = input.fill_buf()?;
        let skipped = available.iter().take_while(|b| b.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(b)).count();
        let first = available.get(skipped).copied();
        let is_over = available.is_empty();
        input.consume(skipped);
        if first.is_some() || is_over {
            return Ok(first);
        }
    }
}

/// An entry as written.
#[derive(Debug, Default)]
struct Entry {
    url: String,
    modified: String,
    frequency: String,
    priority: String,
    is_map: bool,
}

/// How often something was wrong, and the first case.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    first: String,
}

impl Tally {
    fn add(&mut self, case: &str) {
        if self.count == 0 {
            case[..case.floor_char_boundary(SHOWN)].clone_into(&mut self.first);
        }
        self.count += 1;
    }

    fn sentence(&self, what: &str) -> Option<String> {
        (self.count > 0).then(|| format!("{} {what}, the first {:?}", self.count, self.first))
    }
}

/// What has been found so far.
#[derive(Debug)]
struct Findings<'a> {
    url: &'a Url,
    most: usize,
    reading: SitemapReading,
    bad_urls: Tally,
    bad_dates: Tally,
    bad_markup: Tally,
}

impl<'a> Findings<'a> {
    fn new(url: &'a Url, most: usize) -> Self {
        let (bad_urls, bad_dates, bad_markup) = Default::default();
        Self { url, most, reading: SitemapReading::default(), bad_urls, bad_dates, bad_markup }
    }

    /// Takes an entry whose URL was read so; says whether there is room for more.
    fn take(&mut self, entry: &Entry, url: Option<Url>) -> bool {
        let usable = |url: &Url| !url.cannot_be_a_base() && url.as_str().len() <= URL_LIMIT;
        let Some(url) = url.filter(usable) else {
            self.bad_urls.add(&entry.url);
            return true;
        };
        if self.reading.found.len() >= self.most {
            self.reading.cut = true;
            return false;
        }
        let modified = values::date(&entry.modified);
        if modified.is_none() && !entry.modified.is_empty() {
            self.bad_dates.add(&entry.modified);
        }
        self.reading.found.push(Mapped {
            url,
            modified,
            interval: values::interval(&entry.frequency),
            priority: values::priority(&entry.priority),
            is_map: entry.is_map,
        });
        true
    }

    fn complain(&mut self, complaint: impl Into<String>) {
        self.reading.complaints.push(complaint.into());
    }

    fn into_reading(mut self) -> SitemapReading {
        let tallies = [
            self.bad_urls.sentence("entries without a usable URL"),
            self.bad_dates.sentence("dates that cannot be read"),
            self.bad_markup.sentence("places that are no XML"),
        ];
        self.reading.complaints.extend(tallies.into_iter().flatten());
        self.reading
    }
}
