//! How fast web pages are summarized, beside the least that any gatherer does with a page: taking its links.
//!
//! `cargo bench -p gatherer-summarizers --bench html -- --pages /usr/share/doc/python3-doc/html`
//!
//! Both sides read the same pages in turn, in one process, and each keeps its best round. The links are all values of
//! `href` and `src` as `lol_html` finds them, with their entities decoded; the summary is all that a record gets of a
//! page, decoding included. Ends with exit code 1 if a summary takes more than `--limit` times as long as the links.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use gatherer_pipeline::{Kind, Leaf};
use lol_html::html_content::Element;
use lol_html::{HtmlRewriter, Settings, element};
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};
use url::Url;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let wish = Wish::read()?;
    let Some(directory) = &wish.pages else {
        println!("no pages: apt-get install python3-doc, then -- --pages /usr/share/doc/python3-doc/html");
        return Ok(ExitCode::SUCCESS);
    };
    let pages = read_pages(directory, wish.most_mb << 20)?;
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {:.1} MB, best of {} rounds", pages.len(), megabytes(bytes), wish.rounds);
    let (mut links, mut summaries) = (Duration::MAX, Duration::MAX);
    let (mut found, mut text) = (0, 0);
    for _ in 0..wish.rounds {
        found = 0;
        let start = Stopwatch::start();
        for page in &pages {
            found += black_box(all_links(page)?).len();
        }
        links = links.min(start.elapsed());
        text = 0;
        let start = Stopwatch::start();
        for page in &pages {
            text += black_box(summary(page)?).text().len();
        }
        summaries = summaries.min(start.elapsed());
    }
    let ratio = summaries.as_secs_f64() / links.as_secs_f64();
    println!("links    {:7.1} MB/s  ({found} links)", megabytes(bytes) / links.as_secs_f64());
    println!("summary  {:7.1} MB/s  ({:.1} MB of text)", megabytes(bytes) / summaries.as_secs_f64(), megabytes(text));
    println!("a summary takes {ratio:.2} times as long as the links; allowed are {:.2}", wish.limit);
    Ok(if ratio <= wish.limit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line says.
struct Wish {
    pages: Option<PathBuf>,
    most_mb: usize,
    rounds: u32,
    limit: f64,
}

impl Wish {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut wish = Self { pages: None, most_mb: 20, rounds: 7, limit: 2.5 };
        // Cargo says `--bench` to every benchmark.
        let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--pages" => wish.pages = Some(value.into()),
                "--most-mb" => wish.most_mb = value.parse()?,
                "--rounds" => wish.rounds = value.parse::<u32>()?.max(1),
                "--limit" => wish.limit = value.parse()?,
                _ => return Err(format!("{name} is none of --pages, --most-mb, --rounds and --limit").into()),
            }
        }
        Ok(wish)
    }
}

/// Time that this thread has had a processor, so that other programs do not count; the clock where nobody tells.
struct Stopwatch {
    busy: Option<Duration>,
    begin: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        Self { busy: busy(), begin: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        match (self.busy, busy()) {
            (Some(begin), Some(now)) => now.saturating_sub(begin),
            _ => self.begin.elapsed(),
        }
    }
}

fn busy() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// All pages under a directory, in the order of their names, until they are `most` bytes.
fn read_pages(directory: &Path, most: usize) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let (mut pages, mut bytes) = (Vec::new(), 0);
    let mut open =
        vec![fs::canonicalize(directory).map_err(|error| format!("cannot read {}: {error}", directory.display()))?];
    while let Some(path) = open.pop() {
        let kind = fs::symlink_metadata(&path)?;
        if kind.is_dir() {
            let mut entries =
                fs::read_dir(&path)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
            // The last is read first.
            entries.sort_by(|one, other| other.cmp(one));
            open.extend(entries);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "html" || extension == "htm")
        {
            let page = fs::read(&path)?;
            if bytes + page.len() <= most {
                bytes += page.len();
                pages.push(page);
            }
        }
    }
    if pages.is_empty() { Err(format!("no *.html under {}", directory.display()).into()) } else { Ok(pages) }
}

/// One side: every link of a page.
fn all_links(page: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut links = Vec::new();
    let mut take = |element: &Element<'_, '_>, name: &str| {
        if let Some(value) = element.get_attribute(name) {
            links.push(htmlize::unescape_attribute(value).into_owned());
        }
    };
    let settings =
        Settings::new().with_strict(false).append_element_content_handler(element!("[href], [src]", |found| {
            take(found, "href");
            take(found, "src");
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(page)?;
    rewriter.end()?;
    Ok(links)
}

/// The other side: the whole summary.
fn summary(page: &[u8]) -> Result<gatherer_pipeline::Draft, Box<dyn Error>> {
    let url = Url::parse("http://example.org/dir/page.html")?;
    let leaf = Leaf { content_type: Some("text/html"), ..Leaf::new(&url, &Kind::HTML, page) };
    Ok(gatherer_summarizers::of(&Kind::HTML).summarize(&leaf)?)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
