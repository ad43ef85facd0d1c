//! How transfers end when everything does.

use super::shop::Shop;
use gatherer_serve::Limits;
use gatherer_soif::{Item, Reader};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const RECORDS: usize = 3_000;
/// What a packed answer begins with.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

fn large() -> Shop {
    let shop = Shop::new();
    (0..RECORDS).for_each(|number| shop.put(number, "words enough to fill a page, and more", 10_000));
    shop.fold(None);
    shop
}

/// Begins a transfer and reads only its first line.
fn begin(address: &str, command: &str) -> BufReader<TcpStream> {
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    socket.write_all(command.as_bytes()).expect("a command");
    let mut reading = BufReader::new(socket);
    let mut line = String::new();
    reading.read_line(&mut line).expect("a line");
    reading
}

#[tokio::test(flavor = "multi_thread")]
async fn transfers_under_way_come_to_their_end() {
    let shop = large();
    let mut open = shop.open(Limits { clients_per_address: 1_000, ..Limits::default() }).await;
    let mut reading = begin(&open.brokers, "SEND-UPDATE 0\nHELP\n");
    let idle = begin(&open.brokers, "");
    open.ask_to_end();
    let closing = tokio::spawn(open.close());
    let read = tokio::task::spawn_blocking(move || {
        let mut all = Vec::new();
        reading.read_to_end(&mut all).expect("everything");
        let mut rest = Vec::new();
        let mut idle = idle;
        idle.read_to_end(&mut rest).expect("the end");
        (all, rest)
    });
    let (all, rest) = read.await.expect("a broker");
    closing.await.expect("an end");
    let end = String::from_utf8_lossy(&all[all.len() - 60..]).into_owned();
    assert!(end.ends_with(&format!("499 - that was all: {RECORDS} objects\n")), "nothing new begins behind it: {end}");
    assert!(rest.is_empty(), "who has nothing under way is let go");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_is_cut_between_two_records() {
    let shop = large();
    let open = shop.open(Limits { farewell: Duration::ZERO, ..Limits::default() }).await;
    let mut plain = begin(&open.brokers, "SEND-UPDATE 0\n");
    let mut packed = begin(&open.brokers, "SET compression\nSEND-UPDATE 0\n");
    let web = open.http.trim_start_matches("http://").to_owned();
    let mut lines = begin(&web, "GET /records HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut all = [(&mut plain, &b"@"[..]), (&mut packed, &GZIP), (&mut lines, b"{")]
        .map(|(reading, first)| until(reading, first));
    let closing = tokio::spawn(open.close());
    let read = tokio::task::spawn_blocking(move || {
        for (reading, all) in [&mut plain, &mut packed, &mut lines].into_iter().zip(&mut all) {
            // The end may be no clean one for the library.
            let _ = reading.read_to_end(all);
        }
        all
    });
    let [plain, packed, lines] = read.await.expect("a broker");
    closing.await.expect("an end");
    let whole = whole_objects(plain.split(|byte| *byte == b'\n').skip(1).collect::<Vec<_>>().join(&b'\n'));
    assert!(whole > 0 && whole < RECORDS, "{whole}");
    let start = packed.windows(GZIP.len()).position(|window| window == GZIP).expect("a gzip member");
    let mut unpacked = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(&packed[start..]);
    assert!(reader.read_to_end(&mut unpacked).is_err(), "the member has no end");
    let whole = whole_objects(unpacked);
    assert!(whole > 0 && whole < RECORDS, "{whole}");
    let text = String::from_utf8_lossy(&lines);
    assert!(!text.ends_with("0\r\n\r\n"), "no last chunk: the client knows");
    assert!(text.trim_end().ends_with('}'), "{}", &text[text.len() - 80..]);
}

/// Reads until something is under way: what it begins with has come.
fn until(reading: &mut impl BufRead, first: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while !all.windows(first.len()).any(|window| window == first) {
        let more = reading.fill_buf().expect("an answer");
        assert!(!more.is_empty(), "the end before {first:?}");
        all.extend_from_slice(more);
        let count = more.len();
        reading.consume(count);
    }
    all
}

/// How many objects there are, none of them half.
fn whole_objects(stream: Vec<u8>) -> usize {
    let text = String::from_utf8_lossy(&stream);
    assert!(!text.contains("499 - ") && text.ends_with("}\n\n"), "{}", &text[text.len().saturating_sub(100)..]);
    let mut reader = Reader::new(stream.as_slice());
    let mut count = 0;
    while let Ok(Some(item)) = reader.next_item() {
        count += usize::from(matches!(item, Item::Object(_)));
    }
    count
}
