//! Limits, and values taken or left by the caller.

use std::io::{self, BufReader, Read};

use gatherer_soif::{Event, Limits, ReadError, Reader};

use crate::show;

const LIMITS: Limits = Limits { name: 10, url: 10, value: 20, object: 60, attributes: 3 };

/// The first object is over a limit; the second is not, and follows at once.
fn check_lost(first: &str) {
    let stream = format!("{first}@FILE {{ v\nA{{1}}:\tx\n}}\n");
    let shown = show(Reader::with_limits(stream.as_bytes(), LIMITS));
    assert_eq!(shown, "!too large\n@FILE v\n A=x", "{stream}");
}

fn check_kept(first: &str) {
    let shown = show(Reader::with_limits(first.as_bytes(), LIMITS));
    assert!(shown.starts_with('@'), "{first}: {shown}");
}

#[test]
fn values() {
    check_kept("@FILE { u\nA{20}:\t01234567890123456789\n}\n");
    // What is over the limit is skipped by count: its lines are no headers.
    check_lost("@FILE { u\nA{21}:\t\n@FILE { inner\n}\n567890\nB{1}:\ty\n}\n");
    check_lost("@FILE { u\nA{21}:\t012345678901234567890\nB{21}:\t012345678901234567890\n}\n");
    check_lost("@FILE { u\nA{21}:\t012345678901234567890\nbad\n}\n");
    check_lost("@FILE { u\nA{21}:\t012345678901234567890\n");
}

#[test]
fn objects() {
    let twenty = "{18}:\t012345678901234567\n";
    check_kept(&format!("@FILE {{ u\nA1{twenty}A2{twenty}A3{twenty}}}\n"));
    check_lost(&format!("@FILE {{ u\nA1{twenty}A2{twenty}A30{twenty}}}\n"));
}

#[test]
fn attributes() {
    check_kept("@FILE { u\nA{0}:\tB{0}:\tC{0}:\t}\n");
    check_lost("@FILE { u\nA{0}:\tB{0}:\tC{0}:\tD{0}:\t}\n");
}

#[test]
fn names_and_templates() {
    check_kept("@ABCDEFGHIJ { u\nABCDEFGHIJ{1}:\tx\n}\n");
    check_lost("@ABCDEFGHIJK { u\n}\n");
    check_lost("@FILE { u\nABCDEFGHIJK{1}:\tx\n}\n");
}

#[test]
fn urls() {
    check_kept("@FILE { 0123456789\n}\n");
    check_lost("@FILE { 01234567890\nA{8}:\t\n@FILE {\n}\n");
}

#[test]
fn the_defaults_take_the_longest_names_harvest_takes() {
    let object = |length| format!("@FILE {{ u\n{}{{1}}:\tx\n}}", "n".repeat(length));
    assert!(Reader::new(object(8191).as_bytes()).next_object().is_ok());
    let error = Reader::new(object(8192).as_bytes()).next_object().expect_err("too long a name");
    assert_eq!(error.to_string(), "SOIF too large at byte 8201 in u: attribute name over the limit of 8191");
}

#[test]
fn a_value_far_over_the_limit_is_skipped() {
    let size = 100 << 20;
    let head = format!("@FILE {{ u\nA{{{size}}}:\t");
    let source = head.as_bytes().chain(io::repeat(b'x').take(size)).chain(b"\n}\n@FILE { v\n}\n".as_slice());
    assert_eq!(show(Reader::new(BufReader::new(source))), "!too large\n@FILE v");
}

#[test]
fn a_claimed_size_is_not_believed() {
    let limits = Limits { value: u64::MAX, object: u64::MAX, ..Limits::default() };
    let stream = format!("@FILE {{ u\nA{{{}}}:\tx", u64::MAX);
    assert_eq!(show(Reader::with_limits(stream.as_bytes(), limits)), "!cut");
    assert_eq!(show(Reader::new(stream.as_bytes())), "!too large\n!cut");
}

#[test]
fn a_value_over_the_limit_cannot_be_taken() -> Result<(), ReadError> {
    let limits = Limits { value: 1, ..Limits::default() };
    let mut reader = Reader::with_limits(b"@FILE { u\nA{2}:\txy\nB{1}:\tz\n}\n".as_slice(), limits);
    reader.next_event()?;
    let error = reader.next_event().expect_err("too large a value");
    assert_eq!(error.to_string(), "SOIF too large at byte 16 in u: 2 bytes of \"A\" over the limit of 1");
    assert_eq!(reader.value()?, b"");
    assert_eq!(reader.next_event()?, None);
    Ok(())
}

#[test]
fn values_are_taken_once_or_skipped() -> Result<(), ReadError> {
    let mut reader = Reader::new(b"@FILE { u\nA{2}:\txy\nB{2}:\t}\n\nC{1}:\tz\n}\n".as_slice());
    assert_eq!(reader.value()?, b"");
    assert_eq!(reader.next_event()?, Some(Event::Begin { template: "FILE".into(), url: "u".into() }));
    assert_eq!(reader.next_event()?, Some(Event::Attribute { name: "A".into(), size: 2 }));
    let mut taken = Vec::new();
    assert_eq!(reader.copy_value(&mut taken)?, 2);
    assert_eq!((taken.as_slice(), reader.value()?), (b"xy".as_slice(), vec![]));
    assert_eq!(reader.next_event()?, Some(Event::Attribute { name: "B".into(), size: 2 }));
    assert_eq!(reader.next_event()?, Some(Event::Attribute { name: "C".into(), size: 1 }));
    assert_eq!(reader.value()?, b"z");
    assert_eq!(reader.next_event()?, Some(Event::End));
    assert_eq!(reader.next_event()?, None);
    Ok(())
}
