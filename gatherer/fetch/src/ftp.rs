//! FTP and FTPS.
//!
//! `ftps:` is secure from the first byte (port 990), or there is no visit. `ftp:` is plain, with one exception: before
//! a password is sent, a server that offers TLS (`AUTH` in its `FEAT` answer) is asked for it. From then on the visit
//! is secure or it fails; a bad certificate never leads back to plain text. Only to a server that offers no TLS does
//! the password go in the clear, as `ftp:` says; who wants to rule that out writes `ftps:`. A visitor without a login
//! is `anonymous`, with the operator's contact as the password, and has nothing to hide.
//!
//! Data connections are opened by us and lead to the address that the first connection leads to, whatever address the
//! server names: no server can send us to another host.
//!
//! Paths are those of RFC 1738: they begin where the login leads, and `//` or `/%2F` begins at the server's root.

mod names;
mod tls;

use crate::listing::{decoded, page, with_slash};
use crate::names::{NameError, Names};
use crate::{Answer, Ask, Method};
use futures_util::future::BoxFuture;
use gatherer_pipeline::{Departure, Login, UnixTime, host_name};
use names::{AsBytes, Dialect, entries, to_text};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use suppaftp::tokio::AsyncRustlsFtpStream as Connection;
use suppaftp::types::FileType;
use suppaftp::{FtpError, FtpResult, Mode, Status};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;
use url::Url;

pub(crate) struct Ftp {
    names: Names,
    contact: String,
    connect_limit: Duration,
    trust: tls::Trust,
}

impl Method for Ftp {
    fn get<'a>(&'a self, ask: &'a Ask<'a>) -> BoxFuture<'a, Result<Answer, Departure>> {
        Box::pin(self.visit(ask))
    }
}

impl Ftp {
    /// `contact` is how a server's operator reaches ours.
    pub(crate) fn new(names: Names, contact: &str, connect_limit: Duration) -> Self {
        Self { names, contact: contact.to_owned(), connect_limit, trust: tls::Trust::default() }
    }

    async fn visit(&self, ask: &Ask<'_>) -> Result<Answer, Departure> {
        let host = host_name(ask.url).trim_matches(['[', ']']);
        if ask.visitor.proxy.is_some() {
            // To go there directly would show who asks.
            let reason = format!("{host} is to be visited through a proxy, which is not possible by FTP");
            return Err(Departure::Unreachable { reason });
        }
        let url = without_type(ask.url);
        let Some(path) = server_path(&url) else { return Ok(Answer::empty(400)) };
        let addresses = self.names.addresses(host, !ask.is_named).await.map_err(nowhere)?;
        self.talk(ask, &url, &path, &addresses).await.or_else(|error| judge(host, error))
    }

    async fn talk(&self, ask: &Ask<'_>, url: &Url, path: &str, addresses: &[IpAddr]) -> FtpResult<Answer> {
        let connection = self.connect(ask, addresses).await?;
        let mut connection = self.log_in(connection, ask).await?;
        let answer = match path.strip_suffix('/') {
            _ if path.is_empty() => list(&mut connection, "", url, ask.limit).await?,
            // At the server's root nothing stands before the slash.
            Some("") => list(&mut connection, "/", url, ask.limit).await?,
            Some(directory) => list(&mut connection, directory, url, ask.limit).await?,
            None => retrieve(&mut connection, path, url, ask).await?,
        };
        if answer.cut_from.is_none() {
            // A courtesy: the answer is here, and a server that does not say goodbye keeps it.
            let _ = timeout(self.connect_limit, connection.quit()).await;
        }
        Ok(answer)
    }

    /// A connection to the first of the addresses that takes one.
    async fn connect(&self, ask: &Ask<'_>, addresses: &[IpAddr]) -> FtpResult<Connection> {
        let mut last = broken(io::ErrorKind::NotFound, "it has no address");
        for address in addresses {
            match timeout(self.connect_limit, open(&self.trust, ask, *address)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => last = error,
                Err(_) => last = broken(io::ErrorKind::TimedOut, "nobody answers in time"),
            }
        }
        Err(last)
    }

    async fn log_in(&self, mut connection: Connection, ask: &Ask<'_>) -> FtpResult<Connection> {
        let Some(Login::Basic { user, password }) = ask.visitor.login.as_ref().filter(|_| ask.is_named) else {
            connection.login("anonymous", &self.contact).await?;
            return Ok(connection);
        };
        if ask.url.scheme() == "ftp" && offers_tls(&mut connection).await? {
            let host = host_name(ask.url).trim_matches(['[', ']']);
            connection = connection.into_secure(self.trust.connector(ask.visitor, ask.is_named)?, host).await?;
        }
        connection.login(user.as_str(), password.reveal()).await?;
        Ok(connection)
    }
}

async fn open(trust: &tls::Trust, ask: &Ask<'_>, address: IpAddr) -> FtpResult<Connection> {
    let mut connection = if ask.url.scheme() == "ftps" {
        let host = host_name(ask.url).trim_matches(['[', ']']);
        let connector = trust.connector(ask.visitor, ask.is_named)?;
        let to = SocketAddr::new(address, ask.url.port().unwrap_or(990));
        let mut connection = Connection::connect_secure_implicit(to, connector, host).await?;
        // Data is sent securely in any case; some servers want it said.
        for command in ["PBSZ 0", "PROT P"] {
            answered(connection.custom_command(command, &[Status::CommandOk]).await)?;
        }
        connection
    } else {
        Connection::connect(SocketAddr::new(address, ask.url.port().unwrap_or(21))).await?
    };
    // The older command cannot name an address of six; the address that it does name is not believed.
    connection.set_mode(if address.is_ipv6() { Mode::ExtendedPassive } else { Mode::Passive });
    connection.set_passive_nat_workaround(true);
    connection.set_encoding(AsBytes).await;
    Ok(connection)
}

/// Whether the server says so. One that does not know the question offers nothing.
async fn offers_tls(connection: &mut Connection) -> FtpResult<bool> {
    let features = match connection.feat().await {
        Err(FtpError::UnexpectedResponse(_)) => return Ok(false),
        features => features?,
    };
    let is_offer = |(feature, how): (&String, &Option<String>)| {
        let how = how.as_deref().unwrap_or_default().to_ascii_uppercase();
        feature.eq_ignore_ascii_case("AUTH") && (how.contains("TLS") || how.contains("SSL"))
    };
    Ok(features.iter().any(is_offer))
}

/// A directory as a page of links. The listing is read up to the limit; the page is a few times as long at most.
async fn list(connection: &mut Connection, directory: &str, url: &Url, limit: usize) -> FtpResult<Answer> {
    if !directory.is_empty() {
        connection.cwd(directory).await?;
    }
    let (dialect, (mut listing, is_cut)) = match transfer(connection, "MLSD", limit).await {
        // The server is older than the command.
        Err(FtpError::UnexpectedResponse(refusal)) if (500..=504).contains(&refusal.status.code()) => {
            (Dialect::Columns, transfer(connection, "LIST", limit).await?)
        }
        listing => (Dialect::Facts, listing?),
    };
    if is_cut {
        // Half a name is no name.
        listing.truncate(listing.iter().rposition(|byte| *byte == b'\n').unwrap_or_default());
    }
    let mut answer = page(url, entries(&listing, dialect));
    answer.cut_from = is_cut.then(|| (limit + 1).max(answer.body.len()) as u64);
    Ok(answer)
}

/// A file, or the way to the directory that it turns out to be.
async fn retrieve(connection: &mut Connection, file: &str, url: &Url, ask: &Ask<'_>) -> FtpResult<Answer> {
    connection.transfer_type(FileType::Binary).await?;
    let size = answered(connection.size(file).await)?.map(|size| size as u64);
    let modified = answered(connection.mdtm(file).await)?.and_then(|time| time.and_utc().timestamp().try_into().ok());
    let mut answer = Answer { modified: modified.map(UnixTime), ..Answer::empty(200) };
    answer.validators.etag = size.zip(modified).map(|(size, modified)| format!("\"{size}-{modified}\""));
    if answer.validators.etag.is_some() && answer.validators.etag == ask.known.etag {
        answer.status = 304;
        return Ok(answer);
    }
    match transfer(connection, &format!("RETR {file}"), ask.limit).await {
        Ok((body, is_cut)) => {
            answer.body = body;
            answer.cut_from = is_cut.then(|| size.unwrap_or_default().max(ask.limit as u64 + 1));
            Ok(answer)
        }
        Err(FtpError::UnexpectedResponse(refusal)) if refusal.status.code() >= 500 => {
            match answered(connection.cwd(file).await)? {
                Some(()) => Ok(with_slash(url)),
                None => Err(FtpError::UnexpectedResponse(refusal)),
            }
        }
        Err(error) => Err(error),
    }
}

/// What a command sends over a connection of its own, and whether that was more than the limit.
async fn transfer(connection: &mut Connection, command: &str, limit: usize) -> FtpResult<(Vec<u8>, bool)> {
    let begins = [Status::AboutToSend, Status::AlreadyOpen];
    let (_, mut stream) = connection.custom_data_command(command, &begins).await?;
    let mut data = Vec::new();
    (&mut stream).take(limit as u64 + 1).read_to_end(&mut data).await.map_err(FtpError::ConnectionError)?;
    let is_cut = data.len() > limit;
    if is_cut {
        data.truncate(limit);
    } else {
        // Only the server knows whether that was all.
        stream.finish().await?;
    }
    Ok((data, is_cut))
}

/// The answer, or nothing if the server does not want to say it.
fn answered<T>(result: FtpResult<T>) -> FtpResult<Option<T>> {
    match result {
        Ok(answer) => Ok(Some(answer)),
        Err(FtpError::UnexpectedResponse(_) | FtpError::BadResponse) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The URL without `;type=a` and its like: everything is fetched as bytes.
fn without_type(url: &Url) -> Url {
    let mut plain = url.clone();
    if let Some((path, "a" | "A" | "i" | "I" | "d" | "D")) = url.path().rsplit_once(";type=") {
        plain.set_path(path);
    }
    plain
}

/// The path as the server is told it; none if it cannot be told, because it holds the end of a line.
fn server_path(url: &Url) -> Option<String> {
    let path = decoded(url.path().strip_prefix('/').unwrap_or_default());
    (!path.iter().any(|byte| matches!(byte, b'\r' | b'\n' | b'\0'))).then(|| to_text(&path))
}

fn broken(kind: io::ErrorKind, what: &str) -> FtpError {
    FtpError::ConnectionError(io::Error::new(kind, what))
}

fn nowhere(error: NameError) -> Departure {
    match error {
        NameError::Private { host, address } => Departure::PrivateAddress { host, address: address.to_string() },
        error @ NameError::Unknown { .. } => Departure::Unreachable { reason: error.to_string() },
    }
}

/// What a refusal means, in the terms of HTTP. The server's own words are left out: they may repeat a login.
fn judge(host: &str, error: FtpError) -> Result<Answer, Departure> {
    let reason = match error {
        FtpError::UnexpectedResponse(refusal) => match refusal.status.code() {
            code @ (421 | 425 | 426) => format!("{host} cannot serve us now ({code})"),
            332 | 430 | 530 | 532 => return Ok(Answer::empty(401)),
            550 | 553 => return Ok(Answer::empty(404)),
            // Busy, or in trouble over this file.
            400..=499 => return Ok(Answer::empty(500)),
            500..=599 => return Ok(Answer::empty(403)),
            code => format!("{host} answers out of turn ({code})"),
        },
        FtpError::SecureError(reason) => return Err(Departure::Tls { host: host.to_owned(), reason }),
        FtpError::ConnectionError(error) => format!("the connection to {host} failed: {error}"),
        _ => format!("no proper answer from {host}"),
    };
    Err(Departure::Unreachable { reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_demo::{FtpHabits, FtpSite};
    use gatherer_pipeline::{Secret, Validators, Visitor};
    use rustls::pki_types::PrivateKeyDer;
    use std::sync::Arc;
    use suppaftp::types::Response;
    use tokio::net::{TcpListener, TcpStream};
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;

    const LIMIT: usize = 400;

    async fn site(habits: FtpHabits) -> FtpSite {
        let file = |path: &str, body: &str| (path.to_owned(), body.as_bytes().to_vec());
        let mut files = vec![
            file("/pub/a b.txt", "twelve bytes"),
            file("/pub/.hidden", "x"),
            file("/pub/sub/caf\u{e9}.html", "<title>Caf\u{e9}</title>"),
            file("/pub/long", &"x".repeat(LIMIT + 1)),
        ];
        files.extend((0..100).map(|number| file(&format!("/many/{number:03}"), "x")));
        FtpSite::start(files.into_iter().collect(), habits).await.expect("a port")
    }

    async fn fetch(url: &str, known: &Validators, visitor: Visitor, is_named: bool) -> Result<Answer, Departure> {
        let limit = Duration::from_secs(10);
        let ftp = Ftp::new(Names::new(&[], limit), "ann@example.org", limit);
        let (url, visitor) = (Url::parse(url).expect("a URL"), Arc::new(visitor));
        ftp.get(&Ask { url: &url, known, limit: LIMIT, visitor: &visitor, is_named }).await
    }

    async fn get(site: &FtpSite, path: &str) -> Answer {
        let url = format!("{}{path}", site.origin());
        fetch(&url, &Validators::default(), Visitor::default(), true).await.expect("an answer")
    }

    fn ann(password: &str) -> Visitor {
        let login = Login::Basic { user: "ann".to_owned(), password: Secret::new(password) };
        Visitor { login: Some(login), ..Visitor::default() }
    }

    fn commands(site: &FtpSite) -> Vec<String> {
        site.requests().into_iter().map(|request| request.command).collect()
    }

    #[tokio::test]
    async fn a_file_is_fetched_once_and_then_only_asked_after() {
        let site = site(FtpHabits::default()).await;
        let answer = get(&site, "/pub/a%20b.txt;type=a").await;
        assert_eq!((answer.status, answer.body.as_slice(), answer.cut_from), (200, &b"twelve bytes"[..], None));
        assert_eq!(answer.modified, Some(UnixTime(1_704_164_645)));
        assert_eq!(answer.validators.etag.as_deref(), Some("\"12-1704164645\""));
        let said = ["USER anonymous", "PASS ann@example.org", "TYPE I", "SIZE pub/a b.txt", "MDTM pub/a b.txt"];
        let rest = ["PASV", "RETR pub/a b.txt", "QUIT"];
        assert_eq!(commands(&site), [&said[..], &rest[..]].concat());

        let url = format!("{}/pub/a%20b.txt", site.origin());
        let again = fetch(&url, &answer.validators, Visitor::default(), true).await.expect("an answer");
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(commands(&site).iter().filter(|command| command.starts_with("RETR")).count(), 1);
    }

    #[tokio::test]
    async fn a_long_file_is_cut() {
        let site = site(FtpHabits::default()).await;
        let answer = get(&site, "/pub/long").await;
        assert_eq!((answer.status, answer.body.len(), answer.cut_from), (200, LIMIT, Some(LIMIT as u64 + 1)));
    }

    #[tokio::test]
    async fn a_directory_is_a_page_of_links_in_every_dialect() {
        for is_old in [false, true] {
            let site = site(FtpHabits { is_old, ..FtpHabits::default() }).await;
            let answer = get(&site, "/pub/").await;
            assert_eq!((answer.status, answer.cut_from), (200, None), "old: {is_old}");
            assert_eq!(answer.content_type.as_deref(), Some("text/html; charset=utf-8"));
            let page = String::from_utf8(answer.body).expect("UTF-8");
            let links: Vec<_> = page.split('"').skip(1).step_by(2).collect();
            assert_eq!(links, ["./a%20b.txt", "./long", "./sub/"], "old: {is_old}");
            assert!(commands(&site).contains(&if is_old { "LIST" } else { "MLSD" }.to_owned()));

            let root = String::from_utf8(get(&site, "/").await.body).expect("UTF-8");
            assert!(root.contains("\"./many/\"") && root.contains("\"./pub/\""), "{root}");
            let accent = String::from_utf8(get(&site, "//pub/sub/").await.body).expect("UTF-8");
            assert!(accent.contains("\"./caf%C3%A9.html\""), "{accent}");
            assert_eq!(get(&site, "/pub/sub/caf%C3%A9.html").await.body.len(), 20);
        }
    }

    #[tokio::test]
    async fn a_long_listing_is_cut_between_names() {
        for is_old in [false, true] {
            let site = site(FtpHabits { is_old, ..FtpHabits::default() }).await;
            let answer = get(&site, "/many/").await;
            assert!(answer.cut_from.is_some_and(|size| size > LIMIT as u64), "old: {is_old}");
            let page = String::from_utf8(answer.body).expect("UTF-8");
            let links: Vec<_> = page.split('"').skip(1).step_by(2).collect();
            assert!((1..20).contains(&links.len()) && links.iter().all(|link| link.len() == 5), "{links:?}");
        }
    }

    #[tokio::test]
    async fn each_path_has_one_answer() {
        let site = site(FtpHabits::default()).await;
        for (path, status) in [
            ("/pub/nothing", 404),
            ("/pub/nothing/", 404),
            ("/pub/a%20b.txt/", 404),
            ("/pub/a%0D%0ADELE%20x", 400),
            ("/pub", 301),
            ("/pub;type=d", 301),
        ] {
            assert_eq!(get(&site, path).await.status, status, "{path}");
        }
        let to = format!("{}/pub/sub/", site.origin());
        assert_eq!(get(&site, "/pub/sub;type=d").await.location, Some(to));
        assert!(!commands(&site).iter().any(|command| command.contains("DELE")));
    }

    #[tokio::test]
    async fn a_login_is_for_named_hosts_and_must_be_right() {
        let login = Some(("ann".to_owned(), "secret".to_owned()));
        let site = site(FtpHabits { login, ..FtpHabits::default() }).await;
        let url = format!("{}/pub/a%20b.txt", site.origin());
        let ask = async |visitor| fetch(&url, &Validators::default(), visitor, true).await.expect("an answer").status;
        assert_eq!(ask(ann("secret")).await, 200);
        assert!(
            commands(&site).contains(&"FEAT".to_owned()),
            "the server is asked for TLS before the password is sent"
        );
        assert_eq!(ask(ann("wrong")).await, 401);
        assert_eq!(ask(Visitor::default()).await, 401);
    }

    #[tokio::test]
    async fn no_server_sends_us_to_another_host() {
        let site = site(FtpHabits { lies_in_pasv: true, ..FtpHabits::default() }).await;
        assert_eq!(get(&site, "/pub/a%20b.txt").await.body, b"twelve bytes");
    }

    #[tokio::test]
    async fn what_cannot_be_visited_is_left_alone() {
        let site = site(FtpHabits::default()).await;
        let check = async |origin: &str, visitor: Visitor, is_named: bool, expected: &str| {
            let departure = fetch(&format!("{origin}/"), &Validators::default(), visitor, is_named).await.err();
            let departure = departure.expect("a departure");
            assert_eq!(departure.code(), expected, "{departure}");
            assert!(!departure.to_string().contains("secret"), "{departure}");
        };
        check(&site.origin(), ann("secret"), false, "private-address").await;
        let proxy = Url::parse("http://127.0.0.1:1/").ok();
        check(&site.origin(), Visitor { proxy, ..Visitor::default() }, true, "unreachable").await;
        assert!(commands(&site).is_empty());
        let closed = TcpListener::bind("127.0.0.1:0").await.and_then(|port| port.local_addr()).expect("a port");
        check(&format!("ftp://{closed}"), ann("secret"), true, "unreachable").await;
    }

    #[test]
    fn each_refusal_has_one_meaning() {
        let check = |code: u32, expected: Result<u16, &str>| {
            let body = b"the server repeats secret".to_vec();
            let refusal = FtpError::UnexpectedResponse(Response { status: Status::from(code), body });
            let found = judge("example.org", refusal);
            let text = found.as_ref().map_or_else(ToString::to_string, |_| String::new());
            assert!(!text.contains("secret"), "{text}");
            assert_eq!(found.map(|answer| answer.status).map_err(|departure| departure.code()), expected, "{code}");
        };
        check(421, Err("unreachable"));
        check(425, Err("unreachable"));
        check(426, Err("unreachable"));
        check(450, Ok(500));
        check(530, Ok(401));
        check(532, Ok(401));
        check(550, Ok(404));
        check(553, Ok(404));
        check(502, Ok(403));
        check(200, Err("unreachable"));
        check(999, Err("unreachable"));
    }

    /// TLS in front of the first connection to a site, and the certificate.
    async fn secured(site: &FtpSite) -> (SocketAddr, String) {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("known protocols")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a config");
        let (acceptor, inside) = (TlsAcceptor::from(Arc::new(config)), site.address());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let Ok(mut secure) = acceptor.accept(socket).await else { continue };
                let Ok(mut plain) = TcpStream::connect(inside).await else { return };
                let _ = tokio::io::copy_bidirectional(&mut secure, &mut plain).await;
            }
        });
        (address, made.cert.pem())
    }

    #[tokio::test]
    async fn a_certificate_must_be_trusted() {
        let site = site(FtpHabits::default()).await;
        let known = get(&site, "/pub/a%20b.txt").await.validators;
        let (address, certificate) = secured(&site).await;
        let url = format!("ftps://{address}/pub/a%20b.txt");
        let stranger = fetch(&url, &known, Visitor::default(), true).await.err().expect("a departure");
        assert_eq!(stranger.code(), "tls", "{stranger}");
        let trusting = Visitor { trusted: Some(certificate), ..Visitor::default() };
        let careless = Visitor { any_certificate: true, ..Visitor::default() };
        for visitor in [trusting, careless] {
            assert_eq!(fetch(&url, &known, visitor, true).await.expect("an answer").status, 304);
        }
    }
}
