//! Full transfers that lie ready.

use super::shop::{Broker, Shop, sorted};
use gatherer_serve::Limits;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Waits until so many lie there that hold all that is folded.
fn wait_for(shop: &Shop, count: usize) {
    let (number, _) = shop.store.view().last_change().expect("a number");
    let start = format!("{number}-");
    let began = Instant::now();
    loop {
        let entries = fs::read_dir(shop.transfers()).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let names: Vec<_> = names.filter(|name| name.starts_with(&start) && name.ends_with(".transfer")).collect();
        if names.len() >= count {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{names:?} and no more");
        std::thread::yield_now();
    }
}

/// All bytes of a session in which everything is asked for.
fn everything(address: &str, setting: &str) -> Vec<u8> {
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.write_all(format!("{setting}SEND-UPDATE 0\nQUIT\n").as_bytes()).expect("a word");
    let mut all = Vec::new();
    socket.read_to_end(&mut all).expect("an end");
    all
}

#[test]
fn what_lies_ready_is_sent_and_what_has_changed_since_is_not() {
    let shop = Shop::new();
    (0..400).for_each(|number| shop.put(number, &format!("text {number}"), 2_000));
    shop.fold(None);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let open = runtime.block_on(shop.open(Limits::default()));
    wait_for(&shop, 1);
    let check = |shop: &Shop| {
        for compression in [false, true] {
            let mut broker = Broker::new(&open.brokers);
            broker.compression = compression;
            broker.poll();
            assert_eq!(sorted(&broker.copy), sorted(&shop.all()));
        }
    };
    check(&shop);
    // New ones before, between and behind the others, changed, renewed and deleted ones.
    for round in 0..5 {
        shop.put(400 + round, "new", 1_000);
        shop.put(round * 7, "changed", 3_000);
        shop.renew(100 + round);
        shop.drop_one(200 + round * 30);
        shop.fold(None);
        check(&shop);
        wait_for(&shop, 1);
        check(&shop);
    }
    (0..405).for_each(|number| shop.drop_one(number));
    shop.fold(None);
    check(&shop);
    runtime.block_on(open.close());
    let began = Instant::now();
    // Whoever made them goes in its own time.
    while fs::read_dir(shop.transfers()).expect("a folder").count() > 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is left behind");
        std::thread::yield_now();
    }
}

#[test]
fn a_broker_that_does_not_read_keeps_nothing_from_being_made_ready() {
    let shop = Shop::new();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let open = runtime.block_on(shop.open(Limits::default()));
    (0..200).for_each(|number| shop.put(number, "some words", 200_000));
    shop.fold(None);
    let stalled: Vec<_> = ["", "SET compression\n"]
        .map(|setting| {
            let mut socket = TcpStream::connect(&open.brokers).expect("a connection");
            socket.write_all(format!("{setting}SEND-UPDATE 0\n").as_bytes()).expect("a word");
            socket
        })
        .into();
    wait_for(&shop, 2);
    let ready = everything(&open.brokers, "");
    assert_eq!(ready.windows(6).filter(|window| window == b"@FILE ").count(), 200);
    drop(stalled);
    runtime.block_on(open.close());
}
