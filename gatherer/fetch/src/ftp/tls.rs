//! Whom to believe when FTP is made secure.

use gatherer_pipeline::{Secret, Visitor};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::Arc;
use suppaftp::tokio::AsyncRustlsConnector;
use suppaftp::tokio_rustls::TlsConnector;
use suppaftp::{FtpError, FtpResult};

/// Checks certificates as the visitor wants them checked. Who the visitor is, it proves to named hosts only.
pub(super) fn connector(visitor: &Visitor, is_named: bool) -> FtpResult<AsyncRustlsConnector> {
    let own = visitor.client_certificate.as_ref().filter(|_| is_named);
    let config = config(visitor, own).map_err(|error| FtpError::SecureError(error.to_string()))?;
    Ok(TlsConnector::from(Arc::new(config)).into())
}

fn config(visitor: &Visitor, own: Option<&Secret>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = if visitor.any_certificate {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    } else {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(visitor.trusted.as_deref().unwrap_or_default())? {
            roots.add(certificate)?;
        }
        builder.with_root_certificates(roots)
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
