//! Servers on loopback that note what they were asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// A page, and nothing else.
pub(super) const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\npage";

/// A server, and what was said to it.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The last thing that was said.
    pub(super) fn heard(&self) -> String {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).last().cloned().unwrap_or_default()
    }

    fn note(&self, what: impl Into<String>) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
    }

    async fn bind() -> (Self, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        (Self { address: listener.local_addr().expect("an address"), heard: Arc::default() }, listener)
    }
}

/// Hands every connection to `talk`.
async fn listen<F>(talk: impl Fn(Server, TcpStream) -> F + Send + 'static) -> Server
where
    F: Future<Output = Option<()>> + Send + 'static,
{
    let (server, listener) = Server::bind().await;
    let own = server.clone();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(talk(own.clone(), socket));
        }
    });
    server
}

/// Answers every request with the same text. It is also a proxy that brings everything itself.
pub(super) async fn web(answer: &'static str) -> Server {
    listen(move |server, socket| talk(server, socket, answer)).await
}

async fn talk(server: Server, mut socket: impl AsyncRead + AsyncWrite + Unpin, answer: &str) -> Option<()> {
    let head = head(&mut socket).await?;
    server.note(head);
    socket.write_all(answer.as_bytes()).await.ok()?;
    socket.shutdown().await.ok()
}

async fn head(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// Answers before it was asked.
pub(super) async fn hasty() -> Server {
    listen(|_, mut socket| async move { socket.write_all(PAGE.as_bytes()).await.ok() }).await
}

/// Says one header after another until nobody listens any more.
pub(super) async fn endless() -> Server {
    listen(|_, mut socket| async move {
        head(&mut socket).await?;
        socket.write_all(b"HTTP/1.1 200 OK\r\n").await.ok()?;
        let line = format!("X-More: {}\r\n", "x".repeat(1_000));
        while socket.write_all(line.as_bytes()).await.is_ok() {}
        None
    })
    .await
}

/// A proxy that leads every tunnel to `target`.
pub(super) async fn tunnel(target: SocketAddr) -> Server {
    listen(move |server, mut socket| async move {
        let head = head(&mut socket).await?;
        server.note(head);
        socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
        let mut other = TcpStream::connect(target).await.ok()?;
        copy_bidirectional(&mut socket, &mut other).await.ok().map(|_| ())
    })
    .await
}

/// A SOCKS proxy that brings everything itself, and notes whom it was asked for and by whom.
pub(super) async fn socks() -> Server {
    listen(|server, mut socket| async move {
        let [_version, count] = bytes(&mut socket).await?;
        let mut methods = vec![0; usize::from(count)];
        socket.read_exact(&mut methods).await.ok()?;
        let wants_login = methods.contains(&2);
        socket.write_all(&[5, if wants_login { 2 } else { 0 }]).await.ok()?;
        let mut note = String::new();
        if wants_login {
            let [_version] = bytes(&mut socket).await?;
            note = format!("{} {} ", text(&mut socket).await?, text(&mut socket).await?);
            socket.write_all(&[1, 0]).await.ok()?;
        }
        let [_, _, _, kind] = bytes(&mut socket).await?;
        note += &match kind {
            1 => std::net::Ipv4Addr::from(bytes::<4>(&mut socket).await?).to_string(),
            _ => text(&mut socket).await?,
        };
        let _port: [u8; 2] = bytes(&mut socket).await?;
        socket.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
        head(&mut socket).await?;
        server.note(note);
        socket.write_all(PAGE.as_bytes()).await.ok()
    })
    .await
}

async fn bytes<const N: usize>(socket: &mut TcpStream) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    socket.read_exact(&mut bytes).await.ok().map(|_| bytes)
}

/// Text behind its length.
async fn text(socket: &mut TcpStream) -> Option<String> {
    let mut text = vec![0; usize::from(socket.read_u8().await.ok()?)];
    socket.read_exact(&mut text).await.ok()?;
    String::from_utf8(text).ok()
}

/// A certificate with its key.
pub(super) struct Proof {
    certificate: rcgen::Certificate,
    key: rcgen::KeyPair,
}

impl Proof {
    pub(super) fn of(name: &str) -> Self {
        Self::until(name, 2999)
    }

    pub(super) fn until(name: &str, year: i32) -> Self {
        let mut params = rcgen::CertificateParams::new([name.to_owned()]).expect("a name");
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().expect("a key");
        Self { certificate: params.self_signed(&key).expect("a certificate"), key }
    }

    pub(super) fn certificate(&self) -> String {
        self.certificate.pem()
    }

    /// The certificate and its key.
    pub(super) fn identity(&self) -> String {
        self.certificate.pem() + &self.key.serialize_pem()
    }
}

/// A server with TLS; with `asks_for`, only visitors with that certificate get the page.
pub(super) async fn secure(own: &Proof, asks_for: Option<&Proof>) -> Server {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = ServerConfig::builder();
    let builder = match asks_for {
        None => builder.with_no_client_auth(),
        Some(proof) => {
            let mut roots = RootCertStore::empty();
            roots.add(proof.certificate.der().clone()).expect("a certificate");
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder(roots.into()).build().expect("a verifier"))
        }
    };
    let key = own.key.serialize_der().try_into().expect("a key");
    let config = builder.with_single_cert(vec![own.certificate.der().clone()], key).expect("a config");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    listen(move |server, socket| {
        let acceptor = acceptor.clone();
        async move { talk(server, acceptor.accept(socket).await.ok()?, PAGE).await }
    })
    .await
}
