//! Certificates, taken from files that may be renewed at any time.

use crate::metrics::Door;
use crate::wire::Stream;
use gatherer_pipeline::events;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, ServerConfig};
use rustls::sign::CertifiedKey;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fs, io};
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Why a certificate cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file cannot be read, or holds something else.
    #[error("cannot read {what} from {path}: {reason}")]
    File {
        /// A certificate or a key.
        what: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The files do not belong together.
    #[error("certificate {certificate} and key {key} cannot be used: {source}")]
    Pair {
        /// One file.
        certificate: PathBuf,
        /// The other.
        key: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

/// A certificate and its key, as PEM files. Looked at again at each handshake; new ones that cannot be used are told, and
/// the old ones stay.
#[derive(Debug)]
pub struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    seen: Stamp,
    used: Arc<CertifiedKey>,
}

/// When both files were written, and how long they are.
type Stamp = [Option<(SystemTime, u64)>; 2];

impl Certificate {
    /// Reads both files.
    ///
    /// # Errors
    /// Which file is of no use, and why.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let seen = stamp(certificate, key);
        let state = Mutex::new(State { seen, used: Arc::new(read(certificate, key)?) });
        Ok(Self { chain: certificate.to_owned(), key: key.to_owned(), state })
    }

    /// What makes a plain connection an encrypted one. `protocols` are those that clients may choose from.
    pub(crate) fn acceptor(self: Arc<Self>, protocols: &[&[u8]]) -> TlsAcceptor {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the library has its own versions");
        let mut config = config.with_no_client_auth().with_cert_resolver(self);
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    fn current(&self) -> Arc<CertifiedKey> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = stamp(&self.chain, &self.key);
        if seen != state.seen {
            state.seen = seen;
            match read(&self.chain, &self.key) {
                Ok(new) => {
                    events::certificate_renewed(self.chain.display());
                    state.used = Arc::new(new);
                }
                Err(error) => events::certificate_unusable(self.chain.display(), error),
            }
        }
        state.used.clone()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

/// How long a handshake may take,
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);
/// and how long somebody may wait before it, who may be waiting for a greeting in clear words.
const HESITATION: Duration = Duration::from_secs(5);
/// Where nobody has to encrypt, somebody who does so says hello at once, if at all.
const GLANCE: Duration = Duration::from_millis(200);
/// How everything begins that wants to encrypt.
const HELLO: u8 = 0x16;

/// A connection as this port wants it, encrypted or not. Who comes the other way is told so, as far as it can understand.
pub(crate) async fn agree(
    door: Door,
    acceptor: Option<&TlsAcceptor>,
    mut socket: TcpStream,
) -> io::Result<Box<dyn Stream>> {
    // On the daemon port the gatherer speaks first.
    let is_waited_for = acceptor.is_none() && door == Door::Daemon;
    let mut first = [0];
    let patience = if acceptor.is_some() { HESITATION } else { GLANCE };
    let heard = if is_waited_for { None } else { timeout(patience, socket.peek(&mut first)).await.ok().transpose()? };
    let (words, what) = match (acceptor, heard) {
        (None, Some(1..)) if first == [HELLO] => (
            problem("this port is not encrypted: ask with http://"),
            "it wants to encrypt, and this port has no certificate",
        ),
        (None, _) => return Ok(Box::new(socket)),
        (Some(acceptor), Some(1..)) if first == [HELLO] => {
            return Ok(Box::new(timeout(HANDSHAKE, acceptor.accept(socket)).await??));
        }
        (Some(_), _) => (clear_words(door), "it does not encrypt, and this port has a certificate"),
    };
    // What is unread when a connection closes takes the last words with it.
    if heard.is_some() {
        let _ = socket.read(&mut [0; 4_096]).await;
    }
    // Perhaps it is gone already.
    let _ = socket.write_all(words.as_bytes()).await;
    let _ = socket.shutdown().await;
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

/// What somebody gets who does not encrypt.
fn clear_words(door: Door) -> String {
    match door {
        Door::Daemon => "906 - this port is encrypted: connect with TLS, as in tls://HOST:PORT\n".to_owned(),
        Door::Http => problem("this port is encrypted: ask with https://"),
    }
}

/// An answer without a request.
fn problem(detail: &str) -> String {
    let problem = format!(r#"{{"title":"Bad Request","status":400,"detail":"{detail}"}}"#);
    let length = problem.len();
    format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{problem}"
    )
}

fn stamp(certificate: &Path, key: &Path) -> Stamp {
    [certificate, key].map(|path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, CertificateError> {
    let failed = |what, path: &Path, reason: String| CertificateError::File { what, path: path.to_owned(), reason };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| failed("a certificate", certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(failed("a certificate", certificate, "there is none in it".to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| failed("a key", key, error.to_string()))?;
    CertifiedKey::from_der(chain, secret, &ring::default_provider()).map_err(|source| CertificateError::Pair {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
        source,
    })
}
