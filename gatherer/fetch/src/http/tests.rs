//! As whom, by which way, and what becomes of it when something is wrong.

mod servers;

use super::*;
use gatherer_demo::{DnsAnswer, DnsServer};
use gatherer_pipeline::{Login, ManualClock, Secret, UnixTime, Validators};
use servers::{PAGE, Proof, endless, hasty, secure, socks, tunnel, web};
use std::net::SocketAddr;
use std::time::Duration;

/// Nothing on loopback takes so long.
const LONG: Duration = Duration::from_secs(20);

fn manners(visitor: &Arc<Visitor>) -> Manners {
    Manners {
        user_agent: "gatherer/0.1 (+me@example.org)".to_owned(),
        connect_limit: LONG,
        answer_limit: LONG,
        body_limit: 1_000,
        contact: "me@example.org".to_owned(),
        share_addresses: false,
        local: Vec::new(),
        named_hosts: HashMap::new(),
        visitors: HashMap::from([("docs".to_owned(), Arc::clone(visitor))]),
        name_servers: Vec::new(),
        named_directories: Vec::new(),
    }
}

/// One visitor on its way.
struct Visit {
    http: Http,
    visitor: Arc<Visitor>,
}

impl Visit {
    fn new(visitor: Visitor, servers: &[SocketAddr]) -> Result<Self, SetupError> {
        let visitor = Arc::new(visitor);
        let clock = Arc::new(ManualClock::at(UnixTime(784_111_777))); // Sun, 06 Nov 1994 08:49:37
        let http = Http::new(&manners(&visitor), Names::new(servers, LONG), clock)?;
        Ok(Self { http, visitor })
    }

    async fn get(&self, url: &str, is_named: bool) -> Result<Answer, Departure> {
        let url = Url::parse(url).expect("a literal URL");
        let known = Validators::default();
        let ask = Ask { url: &url, known: &known, limit: 1_000, visitor: &self.visitor, is_named };
        self.http.get(&ask).await
    }

    /// The body, or what happened instead.
    async fn brings(&self, url: &str, is_named: bool) -> String {
        match self.get(url, is_named).await {
            Ok(answer) => String::from_utf8(answer.body).expect("UTF-8"),
            Err(departure) => departure.to_string(),
        }
    }
}

async fn brings(visitor: Visitor, url: &str) -> String {
    Visit::new(visitor, &[]).expect("a client").brings(url, true).await
}

fn basic(user: &str, password: &str) -> Login {
    Login::Basic { user: user.to_owned(), password: Secret::new(password) }
}

fn way(scheme: &str, address: SocketAddr) -> Url {
    Url::parse(&format!("{scheme}://{address}")).expect("a URL")
}

fn holds(head: &str, line: &str) -> bool {
    head.lines().any(|one| one.eq_ignore_ascii_case(line))
}

#[tokio::test]
async fn among_very_many_servers_connections_are_not_kept() {
    let server = web(PAGE).await;
    let visit = Visit::new(Visitor::default(), &[]).expect("a client");
    for number in 0..kept::MOST {
        visit.http.kept.may_stay(&format!("www{number}.example:80"), Instant::now());
    }
    assert_eq!(visit.brings(&server.url("/"), true).await, "page");
    assert!(holds(&server.heard(), "connection: close"), "{}", server.heard());
}

#[tokio::test]
async fn nothing_but_a_plain_question_is_sent_by_default() {
    let server = web(PAGE).await;
    assert_eq!(brings(Visitor::default(), &server.url("/a?b")).await, "page");
    let head = server.heard();
    for line in ["GET /a?b HTTP/1.1", "accept: */*", "accept-encoding: zstd,gzip,deflate,br"] {
        assert!(holds(&head, line), "{line} in {head}");
    }
    assert!(!head.contains("authorization") && !head.contains("cookie"), "{head}");
}

#[tokio::test]
async fn logins_headers_and_cookies_go_to_named_hosts_only() {
    let proxy = web(PAGE).await; // The only way to ask a public address without leaving the machine.
    let visitor = Visitor {
        login: Some(basic("jack", "s3cret:x")),
        headers: vec![("X-Key".to_owned(), Secret::new("k3y"))],
        cookies: Some(Secret::new("93.184.216.34\tFALSE\t/\tFALSE\t0\tid\t7")),
        proxy: Some(way("http", proxy.address)),
        ..Visitor::default()
    };
    let visit = Visit::new(visitor, &[]).expect("a client");
    let secrets = ["authorization: Basic amFjazpzM2NyZXQ6eA==", "x-key: k3y", "cookie: id=7"];
    assert_eq!(visit.brings("http://93.184.216.34/", true).await, "page");
    let head = proxy.heard();
    assert!(secrets.iter().all(|line| holds(&head, line)), "{head}");
    assert_eq!(visit.brings("http://93.184.216.34/", false).await, "page");
    let head = proxy.heard();
    assert!(holds(&head, "GET http://93.184.216.34/ HTTP/1.1") && !secrets.iter().any(|line| holds(&head, line)));
}

#[tokio::test]
async fn a_token_is_a_login_too() {
    let server = web(PAGE).await;
    brings(Visitor { login: Some(Login::Bearer(Secret::new("t0ken"))), ..Visitor::default() }, &server.url("/")).await;
    assert!(holds(&server.heard(), "authorization: Bearer t0ken"), "{}", server.heard());
}

#[tokio::test]
async fn servers_get_their_cookies_back_if_they_are_kept() {
    let server = web("HTTP/1.1 204 No\r\nSet-Cookie: id=9; Path=/\r\nConnection: close\r\n\r\n").await;
    for keep_cookies in [true, false] {
        let visit = Visit::new(Visitor { keep_cookies, ..Visitor::default() }, &[]).expect("a client");
        for round in [false, true] {
            visit.brings(&server.url("/"), true).await;
            assert_eq!(holds(&server.heard(), "cookie: id=9"), keep_cookies && round, "{}", server.heard());
        }
    }
}

#[tokio::test]
async fn a_proxy_is_asked_with_its_own_login() {
    let proxy = web(PAGE).await;
    let proxy_login = Some(("jack".to_owned(), Secret::new("s3cret")));
    let visitor = Visitor { proxy: Some(way("http", proxy.address)), proxy_login, ..Visitor::default() };
    assert_eq!(brings(visitor, "http://www.example.org/a").await, "page");
    let head = proxy.heard();
    assert!(holds(&head, "proxy-authorization: Basic amFjazpzM2NyZXQ="), "{head}");
    assert!(holds(&head, "GET http://www.example.org/a HTTP/1.1"), "{head}");
}

#[tokio::test]
async fn a_secure_connection_goes_through_the_proxy_as_a_tunnel() {
    let proof = Proof::of("www.example.org");
    let proxy = tunnel(secure(&proof, None).await.address).await;
    let visitor =
        Visitor { proxy: Some(way("http", proxy.address)), trusted: Some(proof.certificate()), ..Visitor::default() };
    assert_eq!(brings(visitor, "https://www.example.org/").await, "page");
    assert!(holds(&proxy.heard(), "CONNECT www.example.org:443 HTTP/1.1"), "{}", proxy.heard());
}

#[tokio::test]
async fn no_proxy_leads_strangers_to_private_addresses() {
    let names = |name: &str, _: u16| match name {
        "proxy.example" | "inside.example" => DnsAnswer::Addresses(vec![[127, 0, 0, 1].into()], 60),
        "outside.example" => DnsAnswer::Addresses(vec![[93, 184, 216, 34].into()], 60),
        _ => DnsAnswer::NoSuchName,
    };
    let (dns, proxy) = (DnsServer::start(names).await.expect("a port"), web(PAGE).await);
    let by_name = format!("http://proxy.example:{}", proxy.address.port());
    let visitor = Visitor { proxy: Some(Url::parse(&by_name).expect("a URL")), ..Visitor::default() };
    let visit = Visit::new(visitor, &[dns.address()]).expect("a client");
    for (url, expected) in [
        ("http://10.0.0.1/", "10.0.0.1 is at the private address 10.0.0.1, which no root node names"),
        ("http://[::1]/", "[::1] is at the private address ::1, which no root node names"),
        ("http://inside.example/", "inside.example is at the private address 127.0.0.1, which no root node names"),
        ("http://proxy.example/", "proxy.example is at the private address 127.0.0.1, which no root node names"),
        ("http://outside.example/", "page"),
        ("http://only-the-proxy-knows.example/", "page"),
    ] {
        assert_eq!(visit.brings(url, false).await, expected);
    }
    assert_eq!(visit.brings("http://inside.example/", true).await, "page");
}

#[tokio::test]
async fn names_are_looked_up_here_or_by_the_proxy() {
    let names = |_: &str, _: u16| DnsAnswer::Addresses(vec![[93, 184, 216, 34].into()], 60);
    let (dns, proxy) = (DnsServer::start(names).await.expect("a port"), socks().await);
    let login = Some(("jack".to_owned(), Secret::new("s3cret")));
    for (scheme, proxy_login, expected) in [
        ("socks5", None, "93.184.216.34"),
        ("socks5h", None, "www.example.org"),
        ("socks5h", login, "jack s3cret www.example.org"),
    ] {
        let visitor = Visitor { proxy: Some(way(scheme, proxy.address)), proxy_login, ..Visitor::default() };
        let visit = Visit::new(visitor, &[dns.address()]).expect("a client");
        assert_eq!(visit.brings("http://www.example.org/", false).await, "page");
        assert_eq!(proxy.heard(), expected);
    }
}

#[tokio::test]
async fn a_stranger_is_not_led_to_a_private_address_by_a_name() {
    let private = |_: &str, _: u16| DnsAnswer::Addresses(vec![[127, 0, 0, 1].into()], 0);
    let (dns, server) = (DnsServer::start(private).await.expect("a port"), web(PAGE).await);
    let visit = Visit::new(Visitor::default(), &[dns.address()]).expect("a client");
    let url = format!("http://a.example:{}/", server.address.port());
    let refused = "a.example is at the private address 127.0.0.1, which no root node names";
    assert_eq!(visit.brings(&url, false).await, refused);
    assert_eq!(visit.brings(&url, true).await, "page");
    let literal = "127.0.0.1 is at the private address 127.0.0.1, which no root node names";
    assert_eq!(visit.brings(&server.url("/"), false).await, literal);
}

#[tokio::test]
async fn who_answered_is_looked_at_once_more() {
    let url = Url::parse(&web(PAGE).await.url("/")).expect("a URL");
    let visit = Visit::new(Visitor::default(), &[]).expect("a client");
    let response = visit.http.clients[&visit.visitor].get(&url, true).send().await.expect("an answer");
    assert_eq!(check_connected(&url, &response).err().map(|departure| departure.code()), Some("private-address"));
}

#[tokio::test]
async fn a_name_without_an_address_is_said_once() {
    let dns = DnsServer::start(|_, _| DnsAnswer::NoSuchName).await.expect("a port");
    let visit = Visit::new(Visitor::default(), &[dns.address()]).expect("a client");
    let expected = "no address for a.example: there is no such name";
    assert_eq!(visit.brings("http://a.example/", false).await, expected);
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_said_in_plain_words() {
    for (proof, is_trusted, expected) in [
        (Proof::of("127.0.0.1"), true, "page"),
        (Proof::of("127.0.0.1"), false, "its certificate comes from an issuer that nobody here trusts"),
        (Proof::of("other.example"), true, "its certificate is for another name"),
        (Proof::until("127.0.0.1", 2001), true, "its certificate has expired"),
    ] {
        let url = format!("https://{}/", secure(&proof, None).await.address);
        let trusted = is_trusted.then(|| proof.certificate());
        let found = brings(Visitor { trusted, ..Visitor::default() }, &url).await;
        let expected = if expected == "page" {
            "page".to_owned()
        } else {
            format!("no secure connection to 127.0.0.1: {expected}")
        };
        assert_eq!(found, expected);
        assert_eq!(brings(Visitor { any_certificate: true, ..Visitor::default() }, &url).await, "page");
    }
    let plain = hasty().await.url("/").replace("http:", "https:");
    assert_eq!(brings(Visitor::default(), &plain).await, "no secure connection to 127.0.0.1: it does not speak TLS");
}

#[tokio::test]
async fn a_client_certificate_opens_what_asks_for_one() {
    let (own, mine) = (Proof::of("127.0.0.1"), Proof::of("jack"));
    let url = format!("https://{}/", secure(&own, Some(&mine)).await.address);
    let trusted = Some(own.certificate());
    let bare = Visitor { trusted: trusted.clone(), ..Visitor::default() };
    let expected = "no secure connection to 127.0.0.1: it wants a client certificate";
    assert_eq!(brings(bare, &url).await, expected);
    let client_certificate = Some(Secret::new(mine.identity()));
    assert_eq!(brings(Visitor { trusted, client_certificate, ..Visitor::default() }, &url).await, "page");
}

#[tokio::test]
async fn a_bad_value_is_told_by_root_node_and_key_but_never_shown() {
    let check = |visitor: Visitor, key: &str| {
        assert!(!format!("{visitor:?}").contains("s3cret"), "{visitor:?}");
        let error = Visit::new(visitor, &[]).err().expect("an unfit value");
        let text = error.to_string();
        assert!(text.starts_with(&format!("root node docs: {key} ")), "{text}");
        assert!(!text.contains("s3cret") && !format!("{error:?}").contains("s3cret"), "{text}");
    };
    let secret = || Some(Secret::new("s3cret"));
    let headers = vec![("X-Key".to_owned(), Secret::new("s3cret\nX: y"))];
    check(Visitor { headers, ..Visitor::default() }, "headers.X-Key");
    check(
        Visitor { headers: vec![("X Key".to_owned(), Secret::new("s3cret"))], ..Visitor::default() },
        "headers.X Key",
    );
    check(Visitor { login: Some(Login::Bearer(Secret::new("s3cret\n"))), ..Visitor::default() }, "token");
    check(Visitor { login: Some(basic("a:b", "s3cret")), ..Visitor::default() }, "user");
    check(Visitor { cookies: secret(), ..Visitor::default() }, "cookies");
    check(Visitor { client_certificate: secret(), ..Visitor::default() }, "client-certificate");
    let mixed = Proof::of("a").certificate()
        + Proof::of("b").identity().split("-----END CERTIFICATE-----\n").last().expect("a key");
    let mixed = Some(Secret::new(mixed));
    check(Visitor { client_certificate: mixed, ..Visitor::default() }, "client-certificate");
    check(Visitor { trusted: Some("no PEM".to_owned()), ..Visitor::default() }, "trust");
    for proxy in ["ftp://a/", "socks5:a"] {
        check(Visitor { proxy: Some(Url::parse(proxy).expect("a URL")), ..Visitor::default() }, "proxy");
    }
}

#[tokio::test]
async fn headers_without_end_end() {
    let found = brings(Visitor::default(), &endless().await.url("/")).await;
    assert!(found.starts_with("no proper answer from 127.0.0.1:"), "{found}");
}

#[tokio::test]
async fn the_head_of_an_answer_is_read() {
    let answer = "HTTP/1.1 503 Busy\r\nRetry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\nLink: </a>; rel=canonical\r\n\
                  X-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let visit = Visit::new(Visitor::default(), &[]).expect("a client");
    let answer = visit.get(&web(answer).await.url("/"), true).await.expect("an answer");
    assert_eq!((answer.status, answer.retry_after), (503, Some(60)));
    assert_eq!(answer.link_canonical.as_deref(), Some("/a"));
    assert_eq!(answer.robots_tag, "noindex\nnofollow");
}

#[tokio::test]
async fn a_body_is_cut_at_the_limit() {
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nConnection: close\r\n\r\n{}", "x".repeat(5_000));
    let visit = Visit::new(Visitor::default(), &[]).expect("a client");
    let answer = visit.get(&web(long.leak()).await.url("/"), true).await.expect("an answer");
    assert_eq!((answer.body.len(), answer.cut_from), (1_000, Some(5_000)));
}
