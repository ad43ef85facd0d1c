//! HTTPS: certificates are checked, and what is wrong with one is said.

use super::stage::{Stage, outcomes};
use gatherer_demo::Site;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// A server with a certificate of its own making, which is also written to `file`.
async fn serve(file: &Path) -> String {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    std::fs::write(file, made.cert.pem()).expect("a file");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known protocols")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a config");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(socket).await else { return };
                let _ = stream.read(&mut [0; 4_096]).await;
                let page = "<title>Secure</title>";
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", page.len());
                let _ = stream.write_all(format!("{head}{page}").as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}

#[tokio::test]
async fn a_certificate_must_be_trusted() {
    let stage = Stage::with(Site::new("site"), "").await;
    let certificate = stage.path().join("certificate.pem");
    let address = serve(&certificate).await;
    stage.configure(&format!("[fetch]\nrobots = false\n[[root-node]]\nname = \"tls\"\nurl = \"https://{address}/\"\n"));
    let stranger = stage.gatherer(&["run", "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&stranger.out).expect("JSON");
    assert_eq!(outcomes(&report, "tls"), 1, "{report}");
    assert!(stranger.out.contains("certificate"), "{report}");

    let trusted = stage.gatherer_with(&["run", "--json"], &[("SSL_CERT_FILE", &certificate)]).await;
    let report: serde_json::Value = serde_json::from_str(&trusted.out).expect("JSON");
    assert_eq!(report["updated"], 1, "{report}");
}
