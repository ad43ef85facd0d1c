use super::*;
use gatherer_demo::{DnsAnswer, DnsServer};
use std::sync::atomic::{AtomicU32, Ordering};

/// Nothing on loopback takes so long.
const LONG: Duration = Duration::from_secs(20);

fn addresses(texts: &[&str], ttl: u32) -> DnsAnswer {
    DnsAnswer::Addresses(texts.iter().map(|text| text.parse().expect("a literal address")).collect(), ttl)
}

/// A server that gives every name these addresses.
async fn server_of(texts: &'static [&'static str]) -> (DnsServer, Names) {
    let server = DnsServer::start(move |_, _| addresses(texts, 60)).await.expect("a port");
    let names = Names::new(&[server.address()], LONG);
    (server, names)
}

/// What a name comes to, in one line.
async fn look(names: &Names, host: &str, guarded: bool) -> String {
    match names.addresses(host, guarded).await {
        Ok(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

async fn check(answers: &'static [&'static str], guarded: bool, expected: &str) {
    let (_server, names) = server_of(answers).await;
    assert_eq!(look(&names, "a.example", guarded).await, expected, "{answers:?}");
}

#[tokio::test]
async fn both_families_are_asked_for_and_kept_in_order() {
    check(&["2606:2800::1", "93.184.216.34", "93.184.216.35"], true, "93.184.216.34 93.184.216.35 2606:2800::1").await;
    check(&["2606:2800::1"], true, "2606:2800::1").await;
}

#[tokio::test]
async fn private_answers_are_refused_if_guarded() {
    check(&["127.0.0.1"], true, "a.example is at the private address 127.0.0.1").await;
    check(&["127.0.0.1"], false, "127.0.0.1").await;
    check(&["::ffff:10.0.0.1"], true, "a.example is at the private address ::ffff:10.0.0.1").await;
    check(&["169.254.169.254", "fd00::1"], true, "a.example is at the private address 169.254.169.254").await;
}

#[tokio::test]
async fn mixed_answers_are_sieved() {
    check(&["10.0.0.1", "93.184.216.34", "fe80::1"], true, "93.184.216.34").await;
}

#[tokio::test]
async fn a_name_that_turns_private_is_refused_at_once() {
    let asked = AtomicU32::new(0);
    let turning = move |_: &str, kind: u16| match (kind, asked.load(Ordering::SeqCst)) {
        (1, 0) => {
            asked.store(1, Ordering::SeqCst);
            addresses(&["93.184.216.34"], 0)
        }
        _ => addresses(&["127.0.0.1"], 0),
    };
    let server = DnsServer::start(turning).await.expect("a port");
    let names = Names::new(&[server.address()], LONG);
    assert_eq!(look(&names, "rebind.example", true).await, "93.184.216.34");
    assert_eq!(look(&names, "rebind.example", true).await, "rebind.example is at the private address 127.0.0.1");
}

#[tokio::test]
async fn answers_are_remembered_and_a_last_dot_changes_nothing() {
    let (server, names) = server_of(&["93.184.216.34"]).await;
    for host in ["a.example", "a.example.", "A.EXAMPLE"] {
        assert_eq!(look(&names, host, true).await, "93.184.216.34");
    }
    let mut questions = server.questions();
    questions.sort();
    assert_eq!(questions, [("a.example".to_owned(), 1), ("a.example".to_owned(), 28)]);
}

#[tokio::test]
async fn a_name_that_is_not_there_is_asked_for_once() {
    let server = DnsServer::start(|_, _| DnsAnswer::NoSuchName).await.expect("a port");
    let names = Names::new(&[server.address()], LONG);
    for _ in 0..2 {
        assert_eq!(look(&names, "a.example", true).await, "no address for a.example: there is no such name");
    }
    assert_eq!(server.questions().len(), 2, "one for each family");
}

#[tokio::test]
async fn silence_ends() {
    let server = DnsServer::start(|_, _| DnsAnswer::Silence).await.expect("a port");
    let names = Names::new(&[server.address()], Duration::from_millis(200));
    assert_eq!(look(&names, "a.example", true).await, "no address for a.example: no answer in time");
}

#[tokio::test]
async fn the_silence_of_one_family_does_not_cost_the_other() {
    let half = |_: &str, kind: u16| if kind == 1 { addresses(&["93.184.216.34"], 60) } else { DnsAnswer::Silence };
    let server = DnsServer::start(half).await.expect("a port");
    let names = Names::new(&[server.address()], Duration::from_secs(2));
    assert_eq!(look(&names, "a.example", true).await, "93.184.216.34");
}

#[tokio::test]
async fn nobody_is_asked_for_what_is_known_here() {
    let (server, names) = server_of(&["93.184.216.34"]).await;
    for (host, expected) in [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("2606:2800::1", "2606:2800::1"),
        ("localhost", "127.0.0.1"),
        ("site.localhost.", "127.0.0.1"),
    ] {
        assert_eq!(look(&names, host, false).await.split(' ').next(), Some(expected), "{host}");
    }
    assert_eq!(look(&names, "localhost", true).await, "localhost is at the private address 127.0.0.1");
    assert_eq!(look(&names, "a..b", true).await, "no address for a..b: it is no name");
    assert_eq!(server.questions(), []);
}

#[tokio::test]
async fn without_a_server_only_what_is_known_here_has_an_address() {
    let resolver = resolver(Err(NetError::from("no such file")), LONG);
    let names = Names { inner: Arc::new(Inner { hosts: Hosts::default(), resolver, limit: LONG }) };
    assert_eq!(look(&names, "127.0.0.1", false).await, "127.0.0.1");
    assert_eq!(look(&names, "localhost", false).await, "127.0.0.1 ::1");
    let unknown = look(&names, "a.example", true).await;
    assert_eq!(unknown, "no address for a.example: the system does not say whom to ask (no such file)");
}

#[tokio::test]
async fn the_machines_own_list_goes_before_the_servers() {
    let (server, names) = server_of(&["93.184.216.34"]).await;
    let mut hosts = Hosts::default();
    hosts.read_hosts_conf(&b"127.0.0.7 a.example b.example # mine\n::7 b.example\n"[..]).expect("bytes in memory");
    let resolver = names.inner.resolver.clone();
    let names = Names { inner: Arc::new(Inner { hosts, resolver, limit: LONG }) };
    assert_eq!(look(&names, "a.example", false).await, "127.0.0.7");
    assert_eq!(look(&names, "b.example.", false).await, "127.0.0.7 ::7");
    assert_eq!(server.questions(), []);
    assert_eq!(look(&names, "c.example", true).await, "93.184.216.34");
}

#[tokio::test]
async fn an_address_has_the_names_that_lead_back_to_it_and_no_others() {
    let answer = |name: &str, _: u16| match name {
        "7.2.0.192.in-addr.arpa" => DnsAnswer::Names(
            ["search.example.org", "Forged.example.net", "nobody.example.net"].map(str::to_owned).to_vec(),
            60,
        ),
        "search.example.org" => addresses(&["192.0.2.6", "192.0.2.7"], 60),
        "forged.example.net" => addresses(&["192.0.2.9"], 60),
        _ => DnsAnswer::NoSuchName,
    };
    let server = DnsServer::start(answer).await.expect("a port");
    let names = Names::new(&[server.address()], LONG);
    let of = |text: &str| names.names(text.parse().expect("a literal address"));
    assert_eq!(of("192.0.2.7").await, ["search.example.org"]);
    assert_eq!(of("::ffff:192.0.2.7").await, ["search.example.org"]);
    assert_eq!(of("192.0.2.6").await, [""; 0], "it does not say who it is");
    let asked = server.questions();
    assert!(asked.iter().any(|(name, _)| name == "forged.example.net"), "names are followed back: {asked:?}");
}
