//! The parser as a server: the conversation of `schemas/abstract/protocol.md` over standard input and output, TCP, a Unix
//! socket, and HTTP.
//!
//! A fixed number of threads reads documents, whoever sent them. What waits is bounded: no conversation may have more
//! requests open than the window of the greeting says, and what comes on top is told to come later.

mod conversation;
mod frame;
mod http;
mod pool;
mod request;

pub use conversation::converse;

use crate::engine::Engine;
use pool::Pool;
use std::io::{self, BufReader};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Connections at once; more are closed at once.
const CONNECTIONS: usize = 64;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// Frames over TCP.
    Tcp(String),
    /// Frames over a Unix socket.
    Unix(PathBuf),
    /// HTTP over TCP.
    Http(String),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(PathBuf::from(path))),
            Some(("http", address)) => Ok(Self::Http(address.trim_start_matches('/').to_owned())),
            Some((host, port))
                if !host.is_empty() && port.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok()) =>
            {
                Ok(Self::Tcp(text.to_owned()))
            }
            _ => Err(format!("{text} is no place to listen: ADDRESS:PORT, unix:PATH or http:ADDRESS:PORT")),
        }
    }
}

/// Answers frames on standard input and output until they end.
///
/// # Errors
/// If standard input or output breaks.
pub fn worker(engine: &Arc<Engine>, threads: usize) -> io::Result<()> {
    let pool = Pool::new(engine, threads);
    converse(&pool, BufReader::new(io::stdin()), io::stdout())
}

/// Listens until the process ends.
///
/// # Errors
/// If nobody can listen there.
pub fn listen(engine: &Arc<Engine>, place: &Listen, threads: usize) -> io::Result<()> {
    let pool = Arc::new(Pool::new(engine, threads));
    match place {
        Listen::Tcp(address) => serve_tcp(&pool, &TcpListener::bind(address)?),
        Listen::Http(address) => serve_http(&pool, &TcpListener::bind(address)?),
        Listen::Unix(path) => {
            // A socket that a dead server has left behind is in the way of the next one.
            if std::os::unix::net::UnixStream::connect(path).is_err() {
                let _ = std::fs::remove_file(path);
            }
            let listener = UnixListener::bind(path)?;
            let open = Arc::new(AtomicUsize::new(0));
            for stream in listener.incoming().flatten() {
                let Ok(reader) = stream.try_clone() else { continue };
                let pool = Arc::clone(&pool);
                answer(&open, move || drop(converse(&pool, BufReader::new(reader), stream)));
            }
            Ok(())
        }
    }
}

/// Frames for whoever connects to a socket that is already bound.
///
/// # Errors
/// None at present; connections that break only end themselves.
pub fn serve_tcp(pool: &Arc<Pool>, listener: &TcpListener) -> io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        let Ok(reader) = stream.try_clone() else { continue };
        let _ = stream.set_nodelay(true);
        let pool = Arc::clone(pool);
        answer(&open, move || drop(converse(&pool, BufReader::new(reader), stream)));
    }
    Ok(())
}

/// HTTP for whoever connects to a socket that is already bound.
///
/// # Errors
/// None at present; connections that break only end themselves.
pub fn serve_http(pool: &Arc<Pool>, listener: &TcpListener) -> io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        let pool = Arc::clone(pool);
        answer(&open, move || drop(http::answer(&pool, stream)));
    }
    Ok(())
}

/// A pool for tests and for programs that bring their own sockets.
pub fn pool(engine: &Arc<Engine>, threads: usize) -> Arc<Pool> {
    Arc::new(Pool::new(engine, threads))
}

/// Starts a thread for a connection, unless there are too many.
fn answer(open: &Arc<AtomicUsize>, talk: impl FnOnce() + Send + 'static) {
    if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
        open.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    let open = Arc::clone(open);
    std::thread::spawn(move || {
        talk();
        open.fetch_sub(1, Ordering::SeqCst);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_listen() {
        let check = |text: &str, expected: Option<Listen>| assert_eq!(text.parse::<Listen>().ok(), expected, "{text}");
        check("127.0.0.1:7878", Some(Listen::Tcp("127.0.0.1:7878".to_owned())));
        check("unix:/run/parser", Some(Listen::Unix("/run/parser".into())));
        check("http:127.0.0.1:80", Some(Listen::Http("127.0.0.1:80".to_owned())));
        check("nowhere", None);
        check("unix:", None);
    }
}
