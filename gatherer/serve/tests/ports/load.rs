//! Many brokers at once, some of them bad.

use super::shop::{Broker, Shop, sorted};
use gatherer_serve::Limits;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const RECORDS: usize = 500;

fn shop() -> Shop {
    let shop = Shop::new();
    (0..RECORDS).for_each(|number| shop.put(number, "some words", 20_000));
    shop.fold(None);
    shop
}

/// Somebody who connects, says this, and reads nothing.
fn stalled(address: &str, words: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.write_all(words).expect("some words");
    socket
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_and_silent_brokers_cost_nobody_else_anything() {
    let shop = shop();
    let open = shop.open(Limits { clients_per_address: 1_000, ..Limits::default() }).await;
    let web = open.http.trim_start_matches("http://").to_owned();
    let mut bad: Vec<_> = (0..100).map(|_| stalled(&open.brokers, b"")).collect();
    bad.extend((0..20).map(|_| stalled(&open.brokers, b"SEND-UPDATE 0\n")));
    bad.extend((0..20).map(|_| stalled(&open.brokers, b"SET compression\nSEND-UPDATE 0\n")));
    bad.extend((0..20).map(|_| stalled(&web, b"GET /records HTTP/1.1\r\nHost: x\r\n\r\n")));
    bad.extend((0..20).map(|_| stalled(&web, b"GET /records HTTP/1.1\r\nHost")));
    // Opened and dropped.
    (0..200).for_each(|_| drop(stalled(&open.brokers, b"SEND-UPDATE 0\n")));
    let expected = sorted(&shop.all());
    let brokers: Vec<_> =
        (0..20).map(|number| if number % 2 == 0 { &open.brokers } else { &open.http }.clone()).collect();
    let collected = tokio::task::spawn_blocking(move || {
        let threads: Vec<_> = brokers
            .into_iter()
            .map(|address| {
                std::thread::spawn(move || {
                    let mut broker = Broker::new(&address);
                    broker.poll();
                    broker
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a broker")).collect::<Vec<_>>()
    });
    for broker in collected.await.expect("all of them") {
        assert_eq!(sorted(&broker.copy), expected);
    }
    drop(bad);
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stays_silent_or_does_not_read_is_let_go() {
    let shop = shop();
    let open = shop.open(Limits { idle: Duration::from_millis(300), ..Limits::default() }).await;
    let silent = stalled(&open.brokers, b"HELLO\n");
    let unread = stalled(&open.brokers, b"SEND-UPDATE 0\n");
    let ended = tokio::task::spawn_blocking(move || {
        let mut all = String::new();
        BufReader::new(silent).read_to_string(&mut all).expect("an end");
        // The gatherer gives up long before everything is sent; what is in the wires' buffers still comes.
        let mut reading = BufReader::new(unread);
        let mut line = String::new();
        reading.read_line(&mut line).expect("a greeting");
        (all, reading)
    });
    let (all, _reading) = ended.await.expect("both");
    assert!(all.starts_with("000 - ") && all.ends_with("100 - pleased to meet you\n"), "{all}");
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strange_bytes_get_an_answer_or_a_clean_end() {
    let shop = shop();
    let open = shop.open(Limits::default()).await;
    let (brokers, web) = (open.brokers.clone(), open.http.trim_start_matches("http://").to_owned());
    tokio::task::spawn_blocking(move || {
        for (address, words, expected) in [
            (&brokers, b"\xff\xfe\0\x01\x02\n".to_vec(), "901"),
            (&brokers, b"SEND-UPDATE".to_vec(), "902"),
            (&brokers, vec![b'A'; 100_000], "903"),
            (&brokers, b"\n\n\n".to_vec(), "901"),
            (&brokers, b"SEND-CHANGES 12-34-56\n".to_vec(), "907"),
            (&brokers, b"SEND-CHANGES ffffffffffffffff-1\n".to_vec(), "907"),
            (&brokers, b"GET / HTTP/1.1\r\n\r\n".to_vec(), "901"),
            (&web, b"HELLO there\n\n".to_vec(), "HTTP/1.1 400"),
            (&web, b"GET /records\x00 HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), "HTTP/1.1 400"),
            (&web, [b"GET /".to_vec(), vec![b'a'; 1 << 20], b" HTTP/1.1\r\n\r\n".to_vec()].concat(), "HTTP/1.1 4"),
            (
                &web,
                [b"GET / HTTP/1.1\r\n".to_vec(), b"X: y\r\n".repeat(10_000), b"\r\n".to_vec()].concat(),
                "HTTP/1.1 4",
            ),
        ] {
            let mut socket = TcpStream::connect(address).expect("a connection");
            socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
            // It may have heard enough before all is said.
            let _ = socket.write_all(&words);
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let mut all = Vec::new();
            let _ = socket.read_to_end(&mut all);
            let text = String::from_utf8_lossy(&all);
            let is_answered = text.lines().any(|line| line.starts_with(expected));
            // A side that is still sending may lose the answer with its connection.
            assert!(is_answered || (words.len() > 50_000 && text.is_empty()), "{expected}: {text}");
        }
        // And everybody else is served as ever.
        assert_eq!(Broker::new(&brokers).poll(), RECORDS as u64);
    })
    .await
    .expect("all of them");
    open.close().await;
}
