//! How fast the whole gatherer is, against a bare loop of the HTTP library it stands on.
//!
//! `cargo bench -p gatherer-engine --bench speed -- --pages 20000 --connections 16 --latency-ms 0`
//!
//! Both load the same site with as many requests at once; then the gatherer visits everything again, and the server
//! says 304 to all of it. The server is this program once more, in a process of its own, so that what serving costs
//! can be told apart. It still takes its share of the machine: with little latency and few cores all figures are lower
//! than they would be against a site elsewhere, and the comparison is what counts.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use gatherer_engine::{Engine, Report, RunOptions};
use gatherer_pipeline::SystemClock;
use gatherer_settings::{Overrides, Settings};
use reqwest::Client;
use std::error::Error;
use std::fs;
use std::future::pending;
use std::io::{self, BufRead};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;

/// Links on each page.
const LINKS: u32 = 10;
/// Where the server tells how often it was asked.
const COUNTS: &str = "/counts";
/// In which the kernel counts time, a second; the same on all machines that Linux is common on.
const TICKS: f64 = 100.0;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let wish = Wish::read()?;
    if wish.serves {
        // One thread is enough, and leaves the other cores to those who are measured.
        return Builder::new_current_thread().enable_all().build()?.block_on(serve(&wish));
    }
    Builder::new_multi_thread().enable_all().build()?.block_on(measure(&wish))
}

/// What the command line says.
struct Wish {
    pages: u32,
    connections: u32,
    latency_ms: u32,
    /// It is the server that is wanted, not the measurement.
    serves: bool,
}

impl Wish {
    fn read() -> Result<Self, String> {
        let mut wish = Self { pages: 20_000, connections: 16, latency_ms: 0, serves: false };
        // Cargo says `--bench` to every benchmark.
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let number = match word.as_str() {
                "--pages" => &mut wish.pages,
                "--connections" => &mut wish.connections,
                "--latency-ms" => &mut wish.latency_ms,
                "--serve" => {
                    wish.serves = true;
                    continue;
                }
                _ => return Err(format!("there is no argument {word}")),
            };
            let said = words.next().and_then(|said| said.parse::<u32>().ok());
            *number = said.ok_or_else(|| format!("{word} needs a number"))?;
        }
        Ok(wish)
    }
}

async fn measure(wish: &Wish) -> Result<ExitCode, Box<dyn Error>> {
    // The library wants to know whose TLS it is to use even where there is none; the engine would choose the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::start(wish)?;
    let client = Client::builder().no_proxy().build()?;
    // Once without looking: the first connections cost more than the rest.
    load_all(&client, &server.origin, wish).await?;
    let meter = Meter::start(&server)?;
    let loaded = load_all(&client, &server.origin, wish).await?;
    let bare = meter.stop("bare loop")?;

    // Beside what was built: the place for temporary files may itself be memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let engine = engine(wish, &server.origin, directory.path())?;
    let meter = Meter::start(&server)?;
    let first = engine.run(RunOptions::default(), pending()).await?;
    let gathered = meter.stop("first run")?;
    let meter = Meter::start(&server)?;
    let second = engine.run(RunOptions { everything: true, ..RunOptions::default() }, pending()).await?;
    let renewed = meter.stop("second run, all 304")?;

    let counts = load(&client, format!("{}{COUNTS}", server.origin)).await?;
    println!("{}", String::from_utf8_lossy(&counts));
    if let Some(missing) = missing(wish, loaded, &first, &second) {
        println!("INCOMPLETE: {missing}");
        return Ok(ExitCode::FAILURE);
    }
    print_table(wish, &[bare, gathered, renewed])?;
    Ok(ExitCode::SUCCESS)
}

/// What is not there, for speed is worth nothing then.
fn missing(wish: &Wish, loaded: u32, first: &Report, second: &Report) -> Option<String> {
    let all = u64::from(wish.pages);
    if loaded != wish.pages {
        return Some(format!("the bare loop has loaded {loaded} pages of {all}"));
    }
    if first.updated != all {
        let Report { updated, outcomes, refused, .. } = first;
        return Some(format!("the first run has made {updated} records of {all}\n{outcomes:#?}\n{refused:#?}"));
    }
    if (second.refreshed, second.bytes) != (all, 0) {
        let Report { refreshed, bytes, outcomes, .. } = second;
        return Some(format!("the second run has renewed {refreshed} of {all} and read {bytes} bytes\n{outcomes:#?}"));
    }
    None
}

fn print_table(wish: &Wish, costs: &[Cost; 3]) -> io::Result<()> {
    let Wish { pages, connections, latency_ms, .. } = wish;
    let cores = std::thread::available_parallelism()?;
    println!("{pages} pages, {connections} connections, {latency_ms} ms latency, {cores} cores\n");
    println!("| | seconds | pages/s | times the bare loop | CPU s | server's CPU s | peak MB |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for Cost { name, seconds, cpu, server_cpu, peak } in costs {
        let (speed, ratio) = (f64::from(*pages) / seconds, seconds / costs[0].seconds);
        println!("| {name} | {seconds:.2} | {speed:.0} | {ratio:.2} | {cpu:.2} | {server_cpu:.2} | {peak:.1} |");
    }
    Ok(())
}

/// Loads every page with so many requests at once, and does nothing else; says how many came.
async fn load_all(client: &Client, origin: &str, wish: &Wish) -> Result<u32, Box<dyn Error>> {
    let next = Arc::new(AtomicU32::new(0));
    let mut loaders = JoinSet::new();
    for _ in 0..wish.connections {
        let (client, origin, next, pages) = (client.clone(), origin.to_owned(), Arc::clone(&next), wish.pages);
        loaders.spawn(async move {
            let mut loaded = 0;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= pages {
                    return Ok::<u32, reqwest::Error>(loaded);
                }
                load(&client, format!("{origin}{}", path(number))).await?;
                loaded += 1;
            }
        });
    }
    let mut loaded = 0;
    while let Some(loader) = loaders.join_next().await {
        loaded += loader??;
    }
    Ok(loaded)
}

async fn load(client: &Client, url: String) -> Result<Vec<u8>, reqwest::Error> {
    let mut response = client.get(url).send().await?.error_for_status()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The whole gatherer on an empty store, allowed to ask as fast as the bare loop does.
fn engine(wish: &Wish, origin: &str, directory: &Path) -> Result<Arc<Engine>, Box<dyn Error>> {
    let Wish { pages, connections, .. } = wish;
    let most = pages + 10;
    let config = format!(
        r#"
        [gatherer]
        contact = "speed@example.org"
        [run]
        workers = {connections}
        [[root-node]]
        url = "{origin}/"
        url-max = {most}
        delay = "0s"
        connections = {connections}
        "#
    );
    let settings = Settings::from_text(&config, "speed.toml", directory, &Overrides::default())?;
    Ok(Engine::new(settings, Arc::new(SystemClock))?)
}

/// What a part of the benchmark has cost: time, time of the processors, megabytes.
struct Cost {
    name: &'static str,
    seconds: f64,
    cpu: f64,
    server_cpu: f64,
    peak: f64,
}

/// Measures one part.
struct Meter<'a> {
    server: &'a Server,
    since: Instant,
    cpu: f64,
    server_cpu: f64,
}

impl<'a> Meter<'a> {
    fn start(server: &'a Server) -> io::Result<Self> {
        // The kernel forgets the peak so far. Where it does not let us, a part's peak may be an earlier part's.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let (cpu, server_cpu) = (cpu_seconds("self")?, server.cpu_seconds()?);
        Ok(Self { server, since: Instant::now(), cpu, server_cpu })
    }

    fn stop(self, name: &'static str) -> io::Result<Cost> {
        Ok(Cost {
            name,
            seconds: self.since.elapsed().as_secs_f64(),
            cpu: cpu_seconds("self")? - self.cpu,
            server_cpu: self.server.cpu_seconds()? - self.server_cpu,
            peak: peak_megabytes()?,
        })
    }
}

/// What a process has taken of the processors so far, for itself and in the kernel.
fn cpu_seconds(process: &str) -> io::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // Fields 14 and 15. They are counted from behind the program's name, the second field, which may hold spaces.
    let behind_name = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = behind_name.split(' ').skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

fn peak_megabytes() -> io::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kibibytes.ok_or_else(|| io::Error::other("the kernel does not say VmHWM"))? * 1_024.0 / 1e6)
}

/// The process that serves the site.
struct Server {
    process: Child,
    origin: String,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "it starts nothing but itself")]
    fn start(wish: &Wish) -> Result<Self, Box<dyn Error>> {
        let process = Command::new(std::env::current_exe()?)
            .args(["--serve", "--pages", &wish.pages.to_string(), "--latency-ms", &wish.latency_ms.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut server = Self { process, origin: String::new() };
        let mut address = String::new();
        if let Some(output) = server.process.stdout.take() {
            io::BufReader::new(output).read_line(&mut address)?;
        }
        server.origin = format!("http://{}", address.trim());
        Ok(server)
    }

    fn cpu_seconds(&self) -> io::Result<f64> {
        cpu_seconds(&self.process.id().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // This closes its input first, at which it ends.
        let _ = self.process.wait();
    }
}

/// Says where it listens, and serves as long as its input is open: whoever measures may end in any way.
async fn serve(wish: &Wish) -> Result<ExitCode, Box<dyn Error>> {
    let latency = Duration::from_millis(wish.latency_ms.into());
    let site = Arc::new(Site { pages: wish.pages, latency, asked: AtomicU32::new(0), unchanged: AtomicU32::new(0) });
    let listener = TcpListener::bind("127.0.0.2:0").await?;
    println!("{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let site = Arc::clone(&site);
            tokio::spawn(async move {
                // A connection that breaks is a page that the other side misses.
                let _ = site.answer_all(stream).await;
            });
        }
    });
    spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink())).await??;
    Ok(ExitCode::SUCCESS)
}

/// A site of so many pages, none of them written before somebody asks for it.
struct Site {
    pages: u32,
    latency: Duration,
    asked: AtomicU32,
    unchanged: AtomicU32,
}

impl Site {
    /// Answers one request after the other, as long as the connection lasts.
    async fn answer_all(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        loop {
            head.clear();
            while !head.ends_with("\r\n\r\n") {
                if stream.read_line(&mut head).await? == 0 {
                    return Ok(());
                }
            }
            if !self.latency.is_zero() {
                sleep(self.latency).await;
            }
            stream.write_all(self.answer(&head).as_bytes()).await?;
        }
    }

    fn answer(&self, head: &str) -> String {
        let mut lines = head.lines();
        let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        if path == COUNTS {
            let (asked, unchanged) = (self.asked.load(Ordering::Relaxed), self.unchanged.load(Ordering::Relaxed));
            return answer("200 OK", "", &format!("{asked} requests, of which {unchanged} were answered with 304"));
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        let Some(number) = number(path).filter(|number| *number < self.pages) else {
            return answer("404 Not Found", "", "");
        };
        let etag = format!("\"{number}\"");
        let mut headers = lines.filter_map(|line| line.split_once(": "));
        if headers.any(|(name, value)| name.eq_ignore_ascii_case("If-None-Match") && value == etag) {
            self.unchanged.fetch_add(1, Ordering::Relaxed);
            return format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n");
        }
        answer("200 OK", &format!("Content-Type: text/html\r\nETag: {etag}\r\n"), &page(number, self.pages))
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn path(number: u32) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}.html") }
}

fn number(path: &str) -> Option<u32> {
    if path == "/" { Some(0) } else { path.strip_prefix("/page-")?.strip_suffix(".html")?.parse().ok() }
}

/// Some 2 kB like no other page. Its links lead to the next ten of all pages, breadth first, and at the end of the site
/// back to its beginning, so that most links lead to what is known, as they do elsewhere.
fn page(number: u32, pages: u32) -> String {
    let paragraph = |count: u32| {
        format!(
            "<p>This is paragraph {count} of page {number}. It has something to say that no other paragraph says, \
             but says it in the same words, and is about as long as paragraphs are.</p>\n"
        )
    };
    let link = |count: u32| {
        let to = (number * LINKS + count) % pages;
        format!("<li><a href=\"{}\">page {to}</a></li>\n", path(to))
    };
    let text: String = (1..=8).map(paragraph).collect();
    let links: String = (1..=LINKS).map(link).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Page {number}</title></head>\n\
         <body>\n<h1>Page {number} of {pages}</h1>\n{text}<ul>\n{links}</ul>\n</body>\n</html>\n"
    )
}
