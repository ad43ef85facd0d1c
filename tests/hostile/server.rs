//! A server that writes whatever bytes it likes, whenever it likes, over TCP, TLS or frames of HTTP/2.

use std::future::pending;
use std::iter::{once, repeat};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// What a host does next on a connection.
pub(crate) enum Step {
    /// It writes.
    Say(Vec<u8>),
    /// It takes its time before the next step.
    Wait(Duration),
    /// It does nothing more, and does not hang up either.
    Hang,
    /// It hangs up as rudely as possible.
    Reset,
    /// It waits for the next request on the same connection.
    Again,
}

/// What a host does with one request, until it has done all or nobody listens any more. Then it hangs up.
pub(crate) type Script = Box<dyn Iterator<Item = Step> + Send>;

/// What is asked, and who is there.
pub(crate) struct Asked<'a> {
    /// A path, or a whole URL where the host is taken for a proxy.
    pub(crate) path: &'a str,
    /// The host itself, as URLs begin with it.
    pub(crate) origin: &'a str,
    /// The neighbour's.
    pub(crate) neighbour: &'a str,
    /// How many requests came before.
    pub(crate) turn: usize,
}

/// What is under the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Plain,
    Tls,
    Http2,
    /// The host is asked for TLS and answers with its script.
    NotTls,
}

/// A host that follows a script.
pub(crate) struct Hostile {
    pub(crate) address: SocketAddr,
    origin: String,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    written: AtomicU64,
    requests: AtomicUsize,
}

type Answers = Arc<dyn Fn(&Asked<'_>) -> Script + Send + Sync>;

/// A host while it works.
#[derive(Clone)]
struct Player {
    script: Answers,
    origin: String,
    neighbour: String,
    counts: Arc<Counts>,
}

impl Hostile {
    /// A host on loopback that answers by its own origin and by what is asked for.
    pub(crate) async fn start(answer: impl Fn(&str, &str) -> Script + Send + Sync + 'static) -> Self {
        let script = move |asked: &Asked<'_>| answer(asked.origin, asked.path);
        Self::on("127.0.0.1", Wire::Plain, Arc::new(script), String::new()).await
    }

    pub(super) async fn on(address: &str, wire: Wire, script: Answers, neighbour: String) -> Self {
        let listener = TcpListener::bind((address, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let origin = format!("{}://{address}", if wire == Wire::Plain { "http" } else { "https" });
        let counts = Arc::new(Counts::default());
        let player = Player { script, origin: origin.clone(), neighbour, counts: Arc::clone(&counts) };
        let acceptor = acceptor(&address.ip().to_string(), wire);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (player, acceptor) = (player.clone(), acceptor.clone());
                tokio::spawn(async move {
                    match wire {
                        Wire::Plain => player.play(socket).await,
                        Wire::NotTls => player.answer(socket, "").await.map(|_| ()),
                        Wire::Tls => player.play(acceptor.accept(socket).await.ok()?).await,
                        Wire::Http2 => player.play_frames(acceptor.accept(socket).await.ok()?).await,
                    }
                });
            }
        });
        Self { address, origin, counts }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Bytes that it could get rid of, the network's own buffers included.
    pub(crate) fn written(&self) -> u64 {
        self.counts.written.load(Ordering::Relaxed)
    }

    /// Requests that it got.
    pub(crate) fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::Relaxed)
    }
}

/// With a certificate that nobody trusts.
fn acceptor(name: &str, wire: Wire) -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known protocols")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a config");
    if wire == Wire::Http2 {
        config.alpn_protocols = vec![b"h2".to_vec()];
    }
    TlsAcceptor::from(Arc::new(config))
}

/// Both ways at once; some of them can be broken off rudely.
trait Stream: AsyncRead + AsyncWrite + Unpin {
    fn break_off(&self);
}

impl Stream for TcpStream {
    fn break_off(&self) {
        // One that is gone already needs no breaking.
        let _ = self.set_zero_linger();
    }
}

impl Stream for tokio_rustls::server::TlsStream<TcpStream> {
    fn break_off(&self) {
        self.get_ref().0.break_off();
    }
}

impl Player {
    /// Requests and answers of HTTP/1.1, until one of both sides has had enough.
    async fn play(&self, mut socket: impl Stream) -> Option<()> {
        loop {
            let path = path(&mut socket).await?;
            socket = self.answer(socket, &path).await?;
        }
    }

    /// Goes through the script; the connection, if it goes on.
    async fn answer<S: Stream>(&self, mut socket: S, path: &str) -> Option<S> {
        let turn = self.counts.requests.fetch_add(1, Ordering::Relaxed);
        let asked = Asked { path, origin: &self.origin, neighbour: &self.neighbour, turn };
        let script = (self.script)(&asked);
        for step in script {
            match step {
                Step::Say(piece) => {
                    socket.write_all(&piece).await.ok()?;
                    self.counts.written.fetch_add(piece.len() as u64, Ordering::Relaxed);
                }
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Hang => pending().await,
                Step::Reset => {
                    socket.break_off();
                    return None;
                }
                Step::Again => return Some(socket),
            }
        }
        socket.shutdown().await.ok()?;
        None
    }

    /// Frames of HTTP/2: the first request of all is for robots.txt; the others are answered by the script.
    async fn play_frames<S: Stream>(&self, mut socket: S) -> Option<()> {
        socket.read_exact(&mut [0; 24]).await.ok()?;
        socket.write_all(&super::http2::settings()).await.ok()?;
        loop {
            let stream = request(&mut socket).await?;
            if self.counts.requests.load(Ordering::Relaxed) == 0 {
                self.counts.requests.fetch_add(1, Ordering::Relaxed);
                socket.write_all(&super::http2::not_found(stream)).await.ok()?;
            } else {
                socket = self.answer(socket, &stream.to_string()).await?;
            }
        }
    }
}

/// What a request asks for. It is read to its end: bytes left unread would break the connection.
async fn path(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        if socket.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
    }
    Some(String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or_default().to_owned())
}

/// The stream of the next request; all other frames are passed over.
async fn request(socket: &mut (impl AsyncRead + Unpin)) -> Option<u32> {
    loop {
        let mut head = [0; 9];
        socket.read_exact(&mut head).await.ok()?;
        let [high, middle, low, kind, _, stream @ ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        socket.read_exact(&mut vec![0; length as usize]).await.ok()?;
        if kind == super::http2::HEADERS {
            return Some(u32::from_be_bytes(stream));
        }
    }
}

// What scripts are made of.

/// These bytes.
pub(crate) fn raw(answer: impl Into<Vec<u8>>) -> Script {
    Box::new(once(Step::Say(answer.into())))
}

/// These bytes, and then others again and again.
pub(crate) fn endless(start: impl Into<Vec<u8>>, more: impl Into<Vec<u8>>) -> Script {
    let more = more.into();
    Box::new(once(Step::Say(start.into())).chain(repeat(()).map(move |()| Step::Say(more.clone()))))
}

/// These bytes, and then silence.
pub(crate) fn stall(start: impl Into<Vec<u8>>) -> Script {
    Box::new([Step::Say(start.into()), Step::Hang].into_iter())
}

/// These bytes, and then more of them one by one, with all the time of the world.
pub(crate) fn drip(start: impl Into<Vec<u8>>, more: &'static str) -> Script {
    let drops = more.bytes().cycle().flat_map(|byte| [Step::Wait(Duration::from_millis(20)), Step::Say(vec![byte])]);
    Box::new(once(Step::Say(start.into())).chain(drops))
}

/// These bytes, and then a broken connection.
pub(crate) fn reset(start: impl Into<Vec<u8>>) -> Script {
    Box::new([Step::Say(start.into()), Step::Reset].into_iter())
}

/// These bytes, and then the next request.
pub(crate) fn again(answer: impl Into<Vec<u8>>) -> Script {
    Box::new([Step::Say(answer.into()), Step::Again].into_iter())
}

/// A proper answer: a status line and headers of one's own, a right length, the body, and the end.
pub(crate) fn answer(head: &str, body: impl AsRef<[u8]>) -> Script {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    raw([head.as_bytes(), body].concat())
}

/// A proper document of some type.
pub(crate) fn document(kind: &str, body: impl AsRef<[u8]>) -> Script {
    answer(&format!("200 OK\r\nContent-Type: {kind}"), body)
}

/// A proper page.
pub(crate) fn page(body: &str) -> Script {
    document("text/html; charset=utf-8", body)
}

pub(crate) fn missing() -> Script {
    answer("404 Not Found", "")
}

pub(crate) fn moved(to: &str) -> Script {
    answer(&format!("302 Found\r\nLocation: {to}"), "")
}

/// The head of an answer whose end is the end of the connection.
pub(crate) fn head(kind: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n").into_bytes()
}
