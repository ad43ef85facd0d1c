//! Certificates, taken from files that may be renewed at any time.

use gatherer_pipeline::events;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, ServerConfig};
use rustls::sign::CertifiedKey;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use thiserror::Error;
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
