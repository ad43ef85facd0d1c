//! Whom to believe when FTP is made secure.

use gatherer_pipeline::{Secret, Visitor};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use suppaftp::tokio::AsyncRustlsConnector;
use suppaftp::tokio_rustls::TlsConnector;
use suppaftp::{FtpError, FtpResult};

/// Whom each visitor believes. Worked out once: the system's certificates are many.
#[derive(Default)]
pub(super) struct Trust(Mutex<HashMap<Believer, Arc<ClientConfig>>>);

/// A visitor, and whether it stands before a host that is named.
type Believer = (Arc<Visitor>, bool);

impl Trust {
    /// Checks certificates as the visitor wants them checked. Who the visitor is, it proves to named hosts only.
    pub(super) fn connector(&self, visitor: &Arc<Visitor>, is_named: bool) -> FtpResult<AsyncRustlsConnector> {
        let mut configs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let config = match configs.entry((Arc::clone(visitor), is_named)) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => {
                let own = visitor.client_certificate.as_ref().filter(|_| is_named);
                let config = config(visitor, own).map_err(|error| FtpError::SecureError(error.to_string()))?;
                Arc::clone(place.insert(Arc::new(config)))
            }
        };
        Ok(TlsConnector::from(config).into())
    }
}

fn config(visitor: &Visitor, own: Option<&Secret>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = if visitor.any_certificate {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    } else {
        let further = certificates(visitor.trusted.as_deref().unwrap_or_default())?;
        let verifier = Verifier::new_with_extra_roots(further, provider)?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    };
    let Some(own) = own else { return Ok(builder.with_no_client_auth()) };
    let key = PrivateKeyDer::from_pem_slice(own.reveal().as_bytes())
        .map_err(|_| Error::General("the client certificate comes without a key".to_owned()))?;
    builder.with_client_auth_cert(certificates(own.reveal())?, key)
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let unreadable = |error| Error::General(format!("a certificate of the root node cannot be read: {error}"));
    CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().map_err(unreadable)
}

/// Believes any certificate, but not that its key is held by somebody else.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
