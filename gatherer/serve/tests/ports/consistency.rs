//! A broker that polls while records come, change, are renewed and go ends with exactly what is in the store.

use super::shop::{Broker, Shop, sorted};
use gatherer_serve::Limits;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Clone)]
enum Step {
    Put(usize, u8),
    Renew(usize),
    Drop(usize),
    FoldSome(usize),
    FoldAll,
    Poll,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..12_usize, any::<u8>()).prop_map(|(number, text)| Step::Put(number, text)),
        2 => (0..12_usize).prop_map(Step::Renew),
        1 => (0..12_usize).prop_map(Step::Drop),
        2 => (1..4_usize).prop_map(Step::FoldSome),
        1 => Just(Step::FoldAll),
        2 => Just(Step::Poll),
    ]
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_both_ports_tell_all_of_it(steps in proptest::collection::vec(step(), 1..50)) {
        let shop = Shop::new();
        let runtime = runtime();
        let open = runtime.block_on(shop.open(Limits::default()));
        let mut brokers = [Broker::new(&open.brokers), Broker::new(&open.http)];
        for step in steps.iter().chain([&Step::FoldAll, &Step::Poll]) {
            match step {
                Step::Put(number, text) => shop.put(*number, &format!("text {text}"), 100),
                Step::Renew(number) => shop.renew(*number),
                Step::Drop(number) => shop.drop_one(*number),
                Step::FoldSome(most) => shop.fold(Some(*most)),
                Step::FoldAll => shop.fold(None),
                Step::Poll => {
                    for broker in &mut brokers {
                        broker.poll();
                    }
                }
            }
        }
        let all = sorted(&shop.all());
        for broker in &mut brokers {
            prop_assert_eq!(&sorted(&broker.copy), &all);
            prop_assert_eq!(broker.poll(), 0, "nothing comes twice");
        }
        runtime.block_on(open.close());
    }
}

#[test]
fn polling_while_folds_go_on_misses_nothing() {
    let shop = Arc::new(Shop::new());
    let runtime = runtime();
    let open = runtime.block_on(shop.open(Limits { requests_per_minute: u32::MAX, ..Limits::default() }));
    let is_over = Arc::new(AtomicBool::new(false));
    let pollers: Vec<_> = [&open.brokers, &open.http, &open.brokers, &open.http]
        .map(|address| (address.clone(), is_over.clone()))
        .into_iter()
        .map(|(address, is_over)| {
            std::thread::spawn(move || {
                let mut broker = Broker::new(&address);
                while !is_over.load(Ordering::Acquire) {
                    broker.poll();
                }
                broker.poll();
                broker
            })
        })
        .collect();
    for round in 0..60_usize {
        for number in 0..20 {
            match (round * 7 + number * 13) % 10 {
                0..5 => shop.put(number, &format!("round {round}"), 2_000),
                5..8 => shop.renew(number),
                8 => shop.drop_one(number),
                _ => shop.fold(Some(3)),
            }
        }
        shop.fold(if round.is_multiple_of(2) { None } else { Some(5) });
    }
    shop.fold(None);
    is_over.store(true, Ordering::Release);
    let all = sorted(&shop.all());
    assert!(!all.is_empty());
    for poller in pollers {
        assert_eq!(sorted(&poller.join().expect("a broker").copy), all);
    }
    runtime.block_on(open.close());
}
