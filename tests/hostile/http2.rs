//! HTTP/2 by hand: floods, resets and lies in frames.

use super::scenario::{Scenario, scenario};
use super::server::{Script, Step, endless, raw, stall};
use super::stand;
use std::iter::repeat;

pub(super) const HEADERS: u8 = 1;
const DATA: u8 = 0;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:status: 200` and `:status: 404` as the table of HPACK has them.
const OK: u8 = 0x88;
const NOT_FOUND: u8 = 0x8d;

/// A frame, whether right or wrong.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a small payload").to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags];
    [&head[..], &stream.to_be_bytes(), payload].concat()
}

pub(super) fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

/// A proper answer without a body.
pub(super) fn not_found(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &[NOT_FOUND])
}

/// A header that is not to be remembered, by name and value of less than 127 bytes each.
fn header(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).expect("a short text")], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

fn ok(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &[OK])
}

/// A host that answers each request with these frames.
fn frames(name: &'static str, script: impl Fn(u32) -> Script + Send + Sync + 'static) -> Scenario {
    scenario(name, move |asked| script(asked.path.parse().unwrap_or(1))).http2()
}

const LATE: &str = "no whole answer within 2 s";
const NO_ANSWER: &str = "no proper answer from 127.";
const BROKEN: &str = "the answer broke off";
/// A flood ends at the limit of time, or as soon as somebody has had enough.
const ENDED: &str = "no whole answer within 2 s|no proper answer from 127.|the answer broke off";

#[tokio::test]
async fn frames_that_flood_and_lie_cost_their_host_only() {
    let settings = "[run]\nworkers = 100\n[fetch]\nconnect-limit = \"10s\"\nanswer-limit = \"2s\"\n";
    stand(12, settings, [floods(), resets(), lies()].into_iter().flatten().collect()).await;
}

fn floods() -> Vec<Scenario> {
    let large = |stream| {
        let headers: Vec<u8> = (0..150).flat_map(|number| header(&format!("x-{number}"), &"x".repeat(100))).collect();
        [frame(HEADERS, 0, stream, &[OK]), frame(CONTINUATION, 0, stream, &headers)].concat()
    };
    vec![
        frames("flood-of-settings", |_| endless("", settings().repeat(1_000))).fate("/", ENDED),
        frames("flood-of-pings", |_| endless("", frame(PING, 0, 0, &[0; 8]).repeat(1_000))).fate("/", ENDED),
        frames("flood-of-continuations", move |stream| endless(large(stream), continuation(stream)))
            .fate("/", NO_ANSWER)
            .takes(128 << 20),
        frames("flood-of-empty-continuations", |stream| {
            endless(frame(HEADERS, 0, stream, &[OK]), frame(CONTINUATION, 0, stream, &[]).repeat(1_000))
        })
        .fate("/", ENDED),
        frames("flood-of-empty-data", |stream| endless(ok(stream), frame(DATA, 0, stream, &[]).repeat(1_000)))
            .fate("/", ENDED),
        frames("flood-of-promises", |stream| endless("", promises(stream))).fate("/", NO_ANSWER),
        frames("flood-of-unknown-frames", |_| endless("", frame(0x7f, 0, 0, &[0; 64]).repeat(1_000))).fate("/", LATE),
        frames("flood-of-informal-answers", |stream| {
            // `:status: 103`, spelt out.
            let early = frame(HEADERS, END_HEADERS, stream, &[0x08, 3, b'1', b'0', b'3']);
            endless("", early.repeat(1_000))
        })
        .fate("/", ENDED),
        frames("header-bomb", |stream| raw(bomb(stream))).fate("/", NO_ANSWER),
    ]
}

/// Headers that go on and on.
fn continuation(stream: u32) -> Vec<u8> {
    let headers: Vec<u8> = (0..100).flat_map(|number| header(&format!("y-{number}"), &"y".repeat(100))).collect();
    frame(CONTINUATION, 0, stream, &headers)
}

fn promises(stream: u32) -> Vec<u8> {
    let promise = |number: u32| [&(number * 2).to_be_bytes()[..], &[0x82, 0x84, 0x86]].concat();
    (1..100).flat_map(|number| frame(PUSH_PROMISE, END_HEADERS, stream, &promise(number))).collect()
}

/// One header that is remembered and then named ten thousand times by one byte each.
fn bomb(stream: u32) -> Vec<u8> {
    let value = "x".repeat(120);
    let text = |text: &str| [&[u8::try_from(text.len()).expect("a short text")], text.as_bytes()].concat();
    let remembered = [vec![0x40], text("x-bomb"), text(&value)].concat();
    // The first place behind the table that everybody has.
    let again = vec![0x80 | 0x3e; 10_000];
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &[vec![OK], remembered, again].concat())
}

fn resets() -> Vec<Scenario> {
    let reset = |stream, code: u32| frame(RESET, 0, stream, &code.to_be_bytes());
    let go_away = |last: u32, code: u32| frame(GO_AWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat());
    vec![
        frames("reset-at-once", move |stream| again_and_again(reset(stream, 8))).fate("/", NO_ANSWER),
        frames("reset-in-the-body", move |stream| {
            again_and_again([ok(stream), frame(DATA, 0, stream, b"<title>"), reset(stream, 2)].concat())
        })
        .fate("/", BROKEN),
        // Whose request was not even looked at may ask again, but not for ever.
        frames("refused-again-and-again", move |stream| again_and_again(reset(stream, 7)))
            .fate("/", NO_ANSWER)
            .requests(10),
        frames("sent-away-again-and-again", move |_| raw(go_away(0, 0))).fate("/", NO_ANSWER).requests(10),
        frames("sent-away-in-the-body", move |stream| {
            raw([ok(stream), frame(DATA, 0, stream, b"<title>"), go_away(stream, 11)].concat())
        })
        .fate("/", BROKEN),
        frames("rapid-resets", move |stream| {
            let storm: Vec<u8> = (0..1_000).flat_map(|_| [ok(stream), reset(stream, 8)].concat()).collect();
            endless("", storm)
        })
        .fate("/", ENDED),
    ]
}

/// The connection goes on.
fn again_and_again(answer: Vec<u8>) -> Script {
    Box::new([Step::Say(answer), Step::Again].into_iter())
}

fn lies() -> Vec<Scenario> {
    let too_long = |stream| frame(HEADERS, END_HEADERS, stream, &vec![0; 20_000]);
    vec![
        frames("frame-too-long", move |stream| raw(too_long(stream))).fate("/", NO_ANSWER),
        frames("answer-nobody-asked-for", |stream| raw(ok(stream + 100))).fate("/", NO_ANSWER),
        frames("answer-from-the-wrong-side", |_| raw(ok(2))).fate("/", NO_ANSWER),
        frames("window-overflow", |stream| {
            raw(frame(WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes()).repeat(2))
        })
        .fate("/", NO_ANSWER),
        frames("window-ignored", |stream| {
            let flood = repeat(()).map(move |()| Step::Say(frame(DATA, 0, stream, &[b'x'; 16_000])));
            Box::new(std::iter::once(Step::Say(ok(stream))).chain(flood))
        })
        .fate("/", "stored as|no whole answer within 2 s|the answer broke off"),
        frames("index-of-nothing", |stream| raw(frame(HEADERS, END_HEADERS, stream, &[OK, 0xfe]))).fate("/", NO_ANSWER),
        frames("noise-for-frames", |_| raw(vec![0xff; 4_096])).fate("/", NO_ANSWER),
        frames("length-beyond-the-frames", |stream| {
            let head = [vec![OK], header("content-length", "100")].concat();
            let head = frame(HEADERS, END_HEADERS, stream, &head);
            raw([head, frame(DATA, END_STREAM, stream, b"short")].concat())
        })
        .fate("/", BROKEN),
        frames("silence-behind-the-head", |stream| stall(ok(stream))).fate("/", LATE),
    ]
}
