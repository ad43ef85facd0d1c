//! Whether our server is fast enough not to be the limit: the same page from it and from nginx, where that is installed, asked
//! for by the same client.

use crate::server::Server;
use crate::site::Site;
use crate::tools::quiet;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::path::Path;
use std::process::Child;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Connections of the client.
const CONNECTIONS: u32 = 4;
/// Requests in each of them, in each turn.
const REQUESTS: u32 = 2_500;
/// Turns of each server.
const TURNS: u32 = 3;
/// How often nginx is looked for while it starts, and how long after each look.
const LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_millis(20);

/// How both did, in words; nothing where there is no nginx.
pub(crate) fn compare(nginx: &Path, server: &Server, folder: &Path) -> io::Result<Option<String>> {
    if !quiet(nginx).arg("-v").status().is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let ours = SocketAddrV4::new(Site::address(0), server.port);
    let page = Line::to(ours)?.ask()?;
    fs::write(folder.join("index.html"), &page)?;
    let (running, theirs) = start(nginx, folder)?;
    let (mut our_rate, mut their_rate) = (0.0_f64, 0.0_f64);
    for _ in 0..TURNS {
        our_rate = our_rate.max(rate(ours)?);
        their_rate = their_rate.max(rate(theirs)?);
    }
    drop(running);
    Ok(Some(format!(
        "This server answers {our_rate:.0} times a second with a page of {} bytes, which it makes anew each time, nginx \
         {their_rate:.0} times with the same page as a file: {:.2} of its rate.",
        page.len(),
        our_rate / their_rate
    )))
}

/// nginx, until it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Whoever has ended already need not be ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(nginx: &Path, folder: &Path) -> io::Result<(Running, SocketAddrV4)> {
    let folder = fs::canonicalize(folder)?;
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let place = SocketAddrV4::new(Ipv4Addr::LOCALHOST, free);
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: String = temporary.iter().map(|name| format!("{name}_temp_path {name};\n")).collect();
    let config = format!(
        "daemon off; master_process off; pid nginx.pid; error_log error.log crit;\n\
         events {{ worker_connections 64; }}\n\
         http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type text/html;\n\
         {temporary} server {{ listen {place}; root {}; }} }}\n",
        folder.display()
    );
    fs::write(folder.join("nginx.conf"), config)?;
    let prefix = format!("{}/", folder.display());
    let mut command = quiet(nginx);
    let running = Running(command.args(["-p", &prefix, "-c", "nginx.conf", "-e", "error.log"]).spawn()?);
    for _ in 0..LOOKS {
        if TcpStream::connect(place).is_ok() {
            return Ok((running, place));
        }
        sleep(LOOK);
    }
    Err(io::Error::other("nginx did not start"))
}

/// Answers a second.
fn rate(server: SocketAddrV4) -> io::Result<f64> {
    let ask_all = || {
        let mut line = Line::to(server)?;
        (0..REQUESTS).try_for_each(|_| line.ask().map(drop))
    };
    let began = Instant::now();
    scope(|scope| {
        let lines: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(ask_all)).collect();
        let ended = lines.into_iter().map(|line| line.join().unwrap_or_else(|_| Err(io::Error::other("a panic"))));
        ended.collect::<io::Result<()>>()
    })?;
    Ok(f64::from(CONNECTIONS * REQUESTS) / began.elapsed().as_secs_f64())
}

/// A connection that is kept.
struct Line(BufReader<TcpStream>);

impl Line {
    fn to(server: SocketAddrV4) -> io::Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// The page at its root.
    fn ask(&mut self) -> io::Result<Vec<u8>> {
        self.0.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n")?;
        let (mut line, mut length) = (String::new(), 0);
        loop {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::Error::other("a connection was closed"));
            }
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().map_err(io::Error::other)?;
                }
                None if line == "\r\n" => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok(body)
    }
}
