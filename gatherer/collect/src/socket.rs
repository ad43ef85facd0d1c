//! A connection to a daemon port, encrypted or not.

use crate::{Approach, CollectError, Gatherer};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_platform_verifier::BuilderVerifierExt;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{Ipv6Addr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// A connection.
pub(crate) enum Socket {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Socket {
    /// Connects to `HOST`, `HOST:PORT` or the same behind `tls://`. No read or write waits longer than the limit.
    pub(crate) fn connect(address: &str, approach: &Approach) -> Result<Self, CollectError> {
        let failed = |source| CollectError::Connect { address: address.to_owned(), source };
        let (bare, is_encrypted) = match address.strip_prefix("tls://") {
            Some(bare) => (bare.trim_end_matches('/'), true),
            None => (address, false),
        };
        let whole = with_port(bare);
        let socket = dial(&whole, approach.limit).map_err(failed)?;
        if !is_encrypted {
            return Ok(Self::Plain(socket));
        }
        let host = whole.rsplit_once(':').map_or(whole.as_str(), |(host, _)| host).trim_matches(['[', ']']);
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| CollectError::Approach(format!("{host:?} is no name that a certificate could have")))?;
        let connection = ClientConnection::new(Arc::new(config(approach)?), name)
            .map_err(|error| CollectError::Approach(error.to_string()))?;
        Ok(Self::Encrypted(Box::new(StreamOwned::new(connection, socket))))
    }

    pub(crate) fn set_read_timeout(&self, limit: Duration) -> io::Result<()> {
        let socket = match self {
            Self::Plain(socket) => socket,
            Self::Encrypted(stream) => stream.get_ref(),
        };
        socket.set_read_timeout(Some(limit))
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Encrypted(stream) => stream.flush(),
        }
    }
}

/// Whether a handshake failed because the other side does not encrypt at all.
pub(crate) fn is_in_clear(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let inner = inner.map(|inner| inner as &(dyn Error + 'static));
        if matches!(inner.unwrap_or(error).downcast_ref(), Some(rustls::Error::InvalidMessage(_))) {
            return true;
        }
        // An input error does not count what it was made of among its causes.
        cause = inner.or_else(|| error.source());
    }
    false
}

fn config(approach: &Approach) -> Result<ClientConfig, CollectError> {
    let unfit = |error: &dyn std::fmt::Display| CollectError::Approach(format!("cannot encrypt: {error}"));
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unfit(&error))?;
    let Some(pem) = &approach.trusted else {
        return Ok(builder.with_platform_verifier().map_err(|error| unfit(&error))?.with_no_client_auth());
    };
    let mut trusted = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| unfit(&error))?;
        trusted.add(certificate).map_err(|error| unfit(&error))?;
    }
    Ok(builder.with_root_certificates(trusted).with_no_client_auth())
}

fn with_port(gatherer: &str) -> String {
    let has_port = gatherer.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let is_bare_v6 = gatherer.parse::<Ipv6Addr>().is_ok();
    match (has_port, is_bare_v6) {
        (_, true) => format!("[{gatherer}]:{}", Gatherer::PORT),
        (true, false) => gatherer.to_owned(),
        (false, false) => format!("{gatherer}:{}", Gatherer::PORT),
    }
}

fn dial(address: &str, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for candidate in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&candidate, limit) {
            Ok(socket) => {
                socket.set_read_timeout(Some(limit))?;
                socket.set_write_timeout(Some(limit))?;
                return Ok(socket);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_may_be_left_out() {
        for (given, expected) in [
            ("example.org", "example.org:8500"),
            ("example.org:99", "example.org:99"),
            ("::1", "[::1]:8500"),
            ("[::1]:99", "[::1]:99"),
        ] {
            assert_eq!(with_port(given), expected);
        }
    }
}
