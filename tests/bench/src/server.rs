//! The server of the made-up web, in a process of its own, so that what serving costs can be told apart. It counts.

use crate::site::{Answer, Place, Site};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, BufRead, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream as Plain};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Where it is told what to do: `counts`, `reset`, `validators`, `no-validators`.
const CONTROL: &str = "/_bench/";

/// The process, from the outside.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

/// What it has counted since the last reset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    /// Different bodies that were sent, or were known to be unchanged.
    pub(crate) distinct: u64,
    pub(crate) unchanged: u64,
    pub(crate) bytes: u64,
    /// From the reset to the first request.
    pub(crate) first_ms: u64,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "it starts itself once more")]
    pub(crate) fn start(site: &Site) -> io::Result<Self> {
        let (pages, hosts, seed) = (site.pages.to_string(), site.hosts.to_string(), site.seed.to_string());
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--serve", "--pages", &pages, "--hosts", &hosts, "--seed", &seed])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            io::BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().parse().map_err(|_| io::Error::other("the server did not start"))?;
        Ok(Self { process, port })
    }

    /// Says something to it, and hears what it says.
    pub(crate) fn tell(&self, word: &str) -> io::Result<String> {
        let mut socket = Plain::connect(("127.0.0.1", self.port))?;
        write!(socket, "GET {CONTROL}{word} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?;
        let mut all = String::new();
        socket.read_to_string(&mut all)?;
        Ok(all.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    pub(crate) fn counts(&self) -> io::Result<Counts> {
        let said: Value = serde_json::from_str(&self.tell("counts")?).map_err(io::Error::other)?;
        let number = |name: &str| said[name].as_u64().unwrap_or(0);
        Ok(Counts {
            requests: number("requests"),
            distinct: number("distinct"),
            unchanged: number("unchanged"),
            bytes: number("bytes"),
            first_ms: number("first_ms"),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // This closes its input first, at which it ends.
        let _ = self.process.wait();
    }
}

/// The server, from the inside: says its port, and serves for as long as its input is open.
#[expect(clippy::print_stdout, reason = "whoever started it wants to know the port")]
pub(crate) async fn serve(site: Site) -> io::Result<()> {
    // All of 127.0.0.0/8, which is one network of many hosts; nobody else is answered.
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await?;
    let port = listener.local_addr()?.port();
    println!("{port}");
    let seen = (0..site.pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
    let desk = Arc::new(Desk { site, port, seen, ..Desk::default() });
    tokio::spawn(async move {
        while let Ok((stream, peer)) = listener.accept().await {
            if !peer.ip().is_loopback() {
                continue;
            }
            let desk = Arc::clone(&desk);
            tokio::spawn(async move {
                // A connection that breaks is a page that the other side misses.
                let _ = desk.answer_all(stream).await;
            });
        }
    });
    tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink())).await??;
    Ok(())
}

#[derive(Default)]
struct Desk {
    site: Site,
    port: u16,
    /// One bit a page.
    seen: Vec<AtomicU64>,
    requests: AtomicU64,
    unchanged: AtomicU64,
    bytes: AtomicU64,
    first_ms: AtomicU64,
    reset: std::sync::Mutex<Option<Instant>>,
    no_validators: AtomicBool,
}

impl Desk {
    async fn answer_all(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let address = match stream.local_addr()?.ip() {
            IpAddr::V4(address) => address,
            IpAddr::V6(_) => Ipv4Addr::LOCALHOST,
        };
        let mut stream = BufReader::new(stream);
        let (mut head, mut out) = (String::new(), Vec::new());
        loop {
            head.clear();
            while !head.ends_with("\r\n\r\n") {
                if stream.read_line(&mut head).await? == 0 {
                    return Ok(());
                }
            }
            out.clear();
            self.answer(address, &head, &mut out);
            stream.write_all(&out).await?;
            if head.contains("onnection: close") {
                return Ok(());
            }
        }
    }

    fn answer(&self, address: Ipv4Addr, head: &str, out: &mut Vec<u8>) {
        let path = head.split(' ').nth(1).unwrap_or_default();
        if let Some(word) = path.strip_prefix(CONTROL) {
            let said = self.obey(word);
            return put(out, "200 OK", "", said.as_bytes(), true);
        }
        if self.requests.fetch_add(1, Ordering::Relaxed) == 0 {
            let since = self.reset.lock().ok().and_then(|reset| *reset).map_or(Duration::ZERO, |reset| reset.elapsed());
            self.first_ms.store(u64::try_from(since.as_millis()).unwrap_or(0), Ordering::Relaxed);
        }
        let is_head = head.starts_with("HEAD ");
        let Some(place) = self.site.find(address, path) else {
            return put(out, "404 Not Found", "Content-Type: text/html\r\n", b"<p>Not here", !is_head);
        };
        let etag = format!("\"{:x}-{}\"", place.number, self.site.seed);
        let validators = !self.no_validators.load(Ordering::Relaxed);
        let known = head.lines().filter_map(|line| line.split_once(": "));
        let mut known = known.filter(|(name, _)| name.eq_ignore_ascii_case("If-None-Match"));
        // As with a file on a server's disk, nobody has to read it to know that it is the same.
        if validators && known.any(|(_, value)| value == etag) {
            self.see(place);
            self.unchanged.fetch_add(1, Ordering::Relaxed);
            out.extend_from_slice(format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n").as_bytes());
            return;
        }
        match self.site.answer(place, self.port) {
            Answer::Moved(to) => put(out, "301 Moved Permanently", &format!("Location: {to}\r\n"), b"", !is_head),
            Answer::Body(kind, body) => {
                self.see(place);
                self.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
                let mut headers = format!("Content-Type: {kind}\r\n");
                if validators {
                    let _ = write!(headers, "ETag: {etag}\r\n");
                }
                put(out, "200 OK", &headers, &body, !is_head);
            }
        }
    }

    fn see(&self, place: Place) {
        self.seen[place.number as usize / 64].fetch_or(1 << (place.number % 64), Ordering::Relaxed);
    }

    fn obey(&self, word: &str) -> String {
        match word {
            "reset" => {
                let all = [&self.requests, &self.unchanged, &self.bytes, &self.first_ms];
                all.into_iter().chain(&self.seen).for_each(|one| one.store(0, Ordering::Relaxed));
                if let Ok(mut reset) = self.reset.lock() {
                    *reset = Some(Instant::now());
                }
                "done".to_owned()
            }
            "validators" | "no-validators" => {
                self.no_validators.store(word != "validators", Ordering::Relaxed);
                "done".to_owned()
            }
            _ => {
                let count = |one: &AtomicU64| one.load(Ordering::Relaxed);
                let distinct: u32 = self.seen.iter().map(|bits| count(bits).count_ones()).sum();
                json!({
                    "requests": count(&self.requests),
                    "distinct": distinct,
                    "unchanged": count(&self.unchanged),
                    "bytes": count(&self.bytes),
                    "first_ms": count(&self.first_ms),
                })
                .to_string()
            }
        }
    }
}

fn put(out: &mut Vec<u8>, status: &str, headers: &str, body: &[u8], with_body: bool) {
    let length = body.len();
    out.extend_from_slice(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n").as_bytes());
    if with_body {
        out.extend_from_slice(body);
    }
}
