//! Bombs: what is small on the wire and large in memory, and what is large anyway.

use super::packing::{
    brotli_bomb, gzip, gzip_bomb, tar, tar_head, zip, zip_overlapping, zlib_bomb, zstd_bomb, zstd_window,
};
use super::scenario::{Scenario, scenario};
use super::server::{answer, document, page};
use super::stand;
use std::fmt::Write;

const SETTINGS: &str = "[run]\nworkers = 100\n[unnest]\nbytes = \"8MiB\"\nmembers = 300\ndepth = 3\n[fetch]\nconnect-limit = \
                        \"10s\"\nanswer-limit = \"60s\"\nbody-limit = \"2MiB\"\n";

#[tokio::test]
async fn what_is_too_large_ends_at_its_limit() {
    stand(14, SETTINGS, [codings(), archives(), pages()].into_iter().flatten().collect()).await;
}

/// A body in a coding of the transfer.
fn coded(name: &'static str, coding: &str, body: Vec<u8>) -> Scenario {
    let head = format!("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}");
    scenario(name, move |_| answer(&head, &body))
}

fn codings() -> Vec<Scenario> {
    let cut = |one: Scenario| one.fate("/", "stored as").holds("/", "Cut-At", "2097152");
    vec![
        cut(coded("bomb-of-gzip", "gzip", gzip_bomb(200))),
        cut(coded("bomb-of-deflate", "deflate", zlib_bomb(200))),
        cut(coded("bomb-of-brotli", "br", brotli_bomb())),
        cut(coded("bomb-of-zstd", "zstd", zstd_bomb(2_000))),
        coded("bomb-in-a-bomb", "gzip, gzip", gzip(&gzip_bomb(200))).fate("/", "stored as|cannot be unpacked"),
        coded("window-of-half-a-gigabyte", "zstd", zstd_window(29)).fate("/", "stored as|cannot be unpacked"),
        coded("packed-without-end-mark", "gzip", gzip(&[b'x'; 9_000])[..20].to_vec()).fate("/", "cannot be unpacked"),
    ]
}

/// A document by the ending of its name.
fn file(name: &'static str, path: &'static str, body: Vec<u8>) -> Scenario {
    let link = format!("<title>Start</title><a href={path}>it</a>");
    scenario(name, move |asked| match asked.path {
        "/" => page(&link),
        _ => document("application/octet-stream", &body),
    })
}

fn archives() -> Vec<Scenario> {
    let large = vec![b'x'; 6 << 20];
    let nested = (0..6).fold(b"the bottom".to_vec(), |inside, _| gzip(&inside));
    let zips = (0..6).fold(b"the bottom".to_vec(), |inside, level| zip(&[(&format!("{level}.zip"), &inside)]));
    let many: Vec<_> = (0..2_000).map(|number| format!("{number}.txt")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b"small"[..])).collect();
    let mut lying = tar_head("lie.txt", 8 << 40).as_bytes().to_vec();
    lying.extend(b"short");
    vec![
        file("packed-bomb", "/bomb.gz", gzip_bomb(200)).fate("/bomb.gz", "stored as"),
        file("bomb-in-a-tar", "/bomb.tar.gz", gzip(&tar(&[("a", &large), ("b", &large), ("c", &large)])))
            .fate("/bomb.tar.gz", "stored as")
            .says("/bomb.tar.gz", "cannot be unpacked"),
        file("bomb-in-a-zip", "/bomb.zip", zip(&[("a", &large), ("b", &large), ("c", &large)]))
            .fate("/bomb.zip", "stored as"),
        file("overlapping-zip", "/overlap.zip", zip_overlapping(250, 1)).fate("/overlap.zip", "stored as"),
        file("boxes-in-boxes", "/deep.gz", nested).fate("/deep.gz", "stored as"),
        file("zips-in-zips", "/deep.zip", zips).fate("/deep.zip", "stored as"),
        file("thousands-of-members", "/many.tar", tar(&many)).fate("/many.tar", "stored as"),
        file("tar-that-lies", "/lie.tar", lying).fate("/lie.tar", "stored as"),
        file("zip-without-an-index", "/cut.zip", zip(&[("a.txt", b"whole")])[..40].to_vec())
            .fate("/cut.zip", "stored as"),
        file("members-with-bad-names", "/names.tar", {
            tar(&[("../../etc/passwd", b"no"), ("/etc/shadow", b"no"), ("a\nb", b"no"), ("good.txt", b"yes")])
        })
        .fate("/names.tar", "stored as")
        .fate("/names.tar#good.txt", "stored as Text"),
    ]
}

fn pages() -> Vec<Scenario> {
    let links: String = (0..20_000).map(|number| format!("<a href=/n{number}>{number}</a>")).collect();
    let long = [1 << 20, 10_000].map(|length| format!("<a href=\"/{}\">long</a>", "x".repeat(length))).concat();
    let masses = format!("<title>Start</title>{long}{links}");
    let mut attributes = String::from("<title>Attributes</title><p");
    (0..50_000).for_each(|number| write!(attributes, " a{number}=b").expect("room in memory"));
    vec![
        scenario("masses-of-references", move |asked| match asked.path {
            "/" => page(&masses),
            other => page(&format!("<title>{other}</title>")),
        })
        .node("url-max = 100")
        .fate("/", "stored as HTML")
        .holds("/", "Complaints", "1 references longer than 16384 bytes left out")
        .visits(100),
        scenario("title-of-a-megabyte", |_| page(&format!("<title>{}</title>", "word ".repeat(200_000))))
            .fate("/", "stored as HTML"),
        scenario("tag-with-masses-of-attributes", move |_| page(&attributes)).fate("/", "stored as HTML"),
        scenario("word-of-a-megabyte", |_| page(&format!("<title>Long</title><p>{}", "x".repeat(1_500_000))))
            .fate("/", "stored as HTML"),
        scenario("headings-without-number", |_| page(&"<h1>Heading</h1>".repeat(100_000))).fate("/", "stored as HTML"),
        scenario("meta-without-number", |_| page(&"<meta name=keywords content=word>".repeat(50_000)))
            .fate("/", "stored as HTML"),
    ]
}
