//! Runs the gatherer and its peers over one made-up web, and says what each has cost.
//!
//! `cargo build --workspace && target/debug/gatherer-bench --pages 2000,20000 --hosts 10`
//!
//! First of all it looks at whether everything was fetched, by the server's own count: whoever stops early gets no rate. All
//! figures are of one run on one machine; times of the processors can be compared even while others use the machine, the rest
//! only on a quiet one. The gatherer should be built as it is used: `CARGO_PROFILE_DEV_OPT_LEVEL=3`, or a release.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

mod documents;
mod meter;
mod nginx;
mod plot;
mod report;
mod server;
mod site;
mod tools;
mod words;

use clap::Parser;
use meter::{Cost, measure};
use report::{Line, Results, Store};
use server::Server;
use site::Site;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tools::{Places, Tool, quiet};

/// The command line.
#[derive(Debug, Parser)]
#[command(about = "Runs the gatherer and its peers over one made-up web, and says what each has cost")]
struct Wish {
    /// How many pages; several numbers, with commas between them, for plots
    #[arg(long, value_delimiter = ',', default_value = "2000")]
    pages: Vec<u32>,
    /// Over how many hosts
    #[arg(long, default_value_t = 4)]
    hosts: u32,
    /// The same number makes the same web
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Where results are kept
    #[arg(long, default_value = "target/bench")]
    results: PathBuf,
    /// Only these: gatherer, wget2, scrapy, crawlee, spider, nginx
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The gatherer; not said: the one beside this program
    #[arg(long)]
    gatherer: Option<PathBuf>,
    /// wget2
    #[arg(long, default_value = "wget2")]
    wget2: PathBuf,
    /// A Python that has Scrapy
    #[arg(long, default_value = "python3")]
    scrapy: PathBuf,
    /// A folder with `node_modules/@crawlee/cheerio`
    #[arg(long, default_value = ".")]
    crawlee: PathBuf,
    /// spider, of the crate `spider_cli`
    #[arg(long, default_value = "spider")]
    spider: PathBuf,
    /// nginx, which our server is compared with
    #[arg(long, default_value = "nginx")]
    nginx: PathBuf,
    /// Be the server of the made-up web
    #[arg(long, hide = true)]
    serve: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let wish = Wish::parse();
    if wish.serve {
        let site = Site::new(wish.seed, wish.pages.first().copied().unwrap_or(1), wish.hosts);
        // One thread is enough, and leaves the other cores to those who are measured.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        return Ok(runtime.block_on(server::serve(site))?);
    }
    let beside = || Ok::<_, io::Error>(std::env::current_exe()?.with_file_name("gatherer"));
    let places = Places {
        gatherer: wish.gatherer.clone().map_or_else(beside, Ok)?,
        wget2: wish.wget2.clone(),
        scrapy: wish.scrapy.clone(),
        crawlee: fs::canonicalize(&wish.crawlee)?,
        spider: wish.spider.clone(),
    };
    fs::create_dir_all(&wish.results)?;
    let mut results = Results::default();
    for pages in &wish.pages {
        one_size(&wish, &places, *pages, &mut results)?;
    }
    let table = results.markdown();
    fs::write(wish.results.join("results.md"), &table)?;
    let json = serde_json::to_string_pretty(&results.json())?;
    fs::write(wish.results.join("results.json"), &json)?;
    for (name, picture) in plot::all(&results) {
        fs::write(wish.results.join(name), picture)?;
    }
    println!("{}", if wish.json { json } else { table });
    Ok(())
}

/// Everybody, over a web of one size.
fn one_size(wish: &Wish, places: &Places, pages: u32, results: &mut Results) -> Result<(), Box<dyn Error>> {
    let site = Site::new(wish.seed, pages, wish.hosts);
    let server = Server::start(&site)?;
    let is_wanted = |name: &str| wish.only.is_empty() || wish.only.iter().any(|only| only == name);
    if results.server.is_none() && is_wanted("nginx") {
        let folder = tempfile::tempdir_in(&wish.results)?;
        results.server = nginx::compare(&wish.nginx, &server, folder.path())?;
        if results.server.is_none() {
            results.absent("nginx");
        }
    }
    for tool in Tool::ALL {
        let name = format!("{tool:?}").to_lowercase();
        if !is_wanted(&name) {
            continue;
        }
        let Some(version) = tool.version(places) else {
            results.absent(&name);
            continue;
        };
        // Beside the results: the place for temporary files may itself be memory.
        let folder = tempfile::tempdir_in(&wish.results)?;
        let command = tool.command(places, &site, server.port, folder.path())?;
        results.add(visit(&server, &site, &version, command)?);
        if tool == Tool::Gatherer {
            again(places, &server, &site, folder.path(), results)?;
        }
    }
    Ok(())
}

/// One visit to the whole web.
fn visit(server: &Server, site: &Site, what: &str, mut command: std::process::Command) -> io::Result<Line> {
    server.tell("reset")?;
    let (status, cost) = measure(&mut command)?;
    let counts = server.counts()?;
    let is_good = status.success() || status.code() == Some(8);
    Ok(Line { what: what.to_owned(), pages: site.pages, expected: site.expected(), counts, cost, is_good })
}

/// The gatherer once more: everything unchanged, by the server's word and by its own look; and what its store has become.
fn again(places: &Places, server: &Server, site: &Site, folder: &Path, results: &mut Results) -> io::Result<()> {
    let run = || {
        let mut command = quiet(&places.gatherer);
        command.args(["run", "--now", "gatherer.toml"]).current_dir(folder);
        command
    };
    results.add(visit(server, site, "again, all 304", run())?);
    server.tell("no-validators")?;
    results.add(visit(server, site, "again, equal MD5", run())?);
    server.tell("validators")?;
    let bytes = size_of(&folder.join("data"))?;
    let mut export = quiet(&places.gatherer);
    let packed = folder.join("export.soif");
    export.args(["export", "gatherer.toml"]).current_dir(folder).stdout(fs::File::create(&packed)?);
    let (_, Cost { seconds, .. }) = measure(&mut export)?;
    let plain = fs::File::open(&packed)?;
    let soif = plain.metadata()?.len();
    let mut counter = Counter(0);
    zstd::stream::copy_encode(plain, &mut counter, 3)?;
    results.stores.push(Store { pages: site.pages, bytes, soif, packed: counter.0, export_seconds: seconds });
    Ok(())
}

/// Counts what is written to it.
struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All files below a folder.
fn size_of(folder: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        size += if metadata.is_dir() { size_of(&entry.path())? } else { metadata.len() };
    }
    Ok(size)
}
