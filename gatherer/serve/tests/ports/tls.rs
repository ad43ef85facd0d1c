//! Encrypted ports, whose certificates are renewed while they are open.

use super::shop::Shop;
use gatherer_collect::{Approach, CollectError, Gatherer, Place, Wish};
use gatherer_serve::{Certificate, Limits};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A certificate of our own making, written to both files.
fn write(certificate: &Path, key: &Path) -> Vec<u8> {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).expect("one");
    fs::write(key, made.signing_key.serialize_pem()).expect("a file");
    fs::write(certificate, made.cert.pem()).expect("a file");
    made.cert.pem().into_bytes()
}

fn collect(address: &str, trusted: &[u8]) -> Result<u64, CollectError> {
    let approach = Approach { trusted: Some(trusted.to_vec()), ..Approach::default() };
    let mut gatherer = Gatherer::connect(address, &approach)?;
    Ok(gatherer.collect(&Place::default(), &Wish::default(), |_, _| Ok(()))?.tally.updated)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewed_certificate_is_used_and_a_bad_one_is_not() {
    let shop = Shop::new();
    (0..10).for_each(|number| shop.put(number, "words", 100));
    shop.fold(None);
    let directory = tempfile::tempdir().expect("a directory");
    let files: [PathBuf; 2] = ["certificate.pem", "key.pem"].map(|name| directory.path().join(name));
    let first = write(&files[0], &files[1]);
    let load = || Certificate::load(&files[0], &files[1]).expect("a certificate");
    let open = shop.open_with(Limits::default(), Some([load(), load()])).await;
    let addresses = [format!("tls://{}", open.brokers), open.http.replace("http://", "https://")];
    let check = |trusted: Vec<u8>, others: Vec<u8>| {
        let addresses = addresses.clone();
        tokio::task::spawn_blocking(move || {
            for address in addresses {
                assert_eq!(collect(&address, &trusted).expect("a collection"), 10, "{address}");
                assert!(collect(&address, &others).is_err(), "{address} is not whom we trust");
            }
        })
    };
    let stranger = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("one").cert.pem().into_bytes();
    check(first.clone(), stranger).await.expect("the first certificate");
    let second = write(&files[0], &files[1]);
    check(second.clone(), first.clone()).await.expect("the second certificate");
    fs::write(&files[0], "no certificate").expect("a file");
    check(second, first).await.expect("the second certificate still");
    let bare = open.brokers.clone();
    let plain = tokio::task::spawn_blocking(move || {
        // Nobody greets who does not say hello in cipher.
        let approach = Approach { limit: Duration::from_millis(300), ..Approach::default() };
        Gatherer::connect(&bare, &approach).map(drop)
    });
    assert!(matches!(plain.await.expect("an answer"), Err(CollectError::Silent { .. })));
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_encrypts_where_nobody_does_is_told_so_and_the_other_way_round() {
    let shop = Shop::new();
    let directory = tempfile::tempdir().expect("a directory");
    let files: [PathBuf; 2] = ["certificate.pem", "key.pem"].map(|name| directory.path().join(name));
    let trusted = write(&files[0], &files[1]);
    let load = || Certificate::load(&files[0], &files[1]).expect("a certificate");
    let encrypted = shop.open_with(Limits::default(), Some([load(), load()])).await;
    let bare = shop.open_with(Limits::default(), None).await;
    let wrong = [
        (encrypted.brokers.clone(), "906: this port is encrypted: connect with TLS"),
        (encrypted.http.clone(), "400: this port is encrypted: ask with https://"),
        (format!("tls://{}", bare.brokers), "does not encrypt\nleave out tls://"),
        (bare.http.replace("http://", "https://"), "does not encrypt\nask it with http://"),
    ];
    tokio::task::spawn_blocking(move || {
        for (address, words) in wrong {
            let error = collect(&address, &trusted).expect_err(&address).to_string();
            assert!(error.contains(words), "{address}: {error}");
        }
    })
    .await
    .expect("all of them");
    encrypted.close().await;
    bare.close().await;
}

#[test]
fn what_cannot_be_used_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let [certificate, key, other] = ["c.pem", "k.pem", "o.pem"].map(|name| directory.path().join(name));
    let error = Certificate::load(&certificate, &key).expect_err("nothing there").to_string();
    assert!(error.contains("c.pem"), "{error}");
    write(&certificate, &key);
    fs::write(&other, "").expect("a file");
    let error = Certificate::load(&other, &key).expect_err("an empty file").to_string();
    assert!(error.contains("o.pem: there is none in it"), "{error}");
    let error = Certificate::load(&certificate, &other).expect_err("an empty file").to_string();
    assert!(error.contains("a key from") && error.contains("o.pem"), "{error}");
    write(&other, &key);
    let error = Certificate::load(&certificate, &key).expect_err("another key").to_string();
    assert!(error.contains("cannot be used"), "{error}");
}
