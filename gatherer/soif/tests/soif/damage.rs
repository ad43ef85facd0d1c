//! Malformed objects, cut streams, failing sources and sinks.

use std::io::{self, BufReader, Read};

use gatherer_soif::{Event, ReadError, Reader};

use crate::{check, kind, show};

const WRAPPED: &str =
    "@DELETE { }\n@UPDATE {\n@FILE { http://x/1\nT{4}:\tCorn\nK{3}:\ta\nb\n}\n\n@FILE { http://x/2\n}\n\n}\n";

#[test]
fn reading_goes_on_at_the_next_header_line() {
    check("@FILE { u\nbad\nA{1}:\tx\n}\n@FILE { v\n}\n", "!malformed\n@FILE v");
    check("@FILE { u\nbad @FILE { w\n}\n@FILE { v\n}\n", "!malformed\n@FILE v");
    check("@ { u\n}\n@FILE { v\n}\n", "!malformed\n@FILE v");
    check("mail me@home.net\n@FILE { v\n}\n", "!malformed\n@FILE v");
    check("@FILE u\n@FILE { v\n}\n", "!malformed\n@FILE v");
}

#[test]
fn sizes_too_small_are_noticed() {
    check("@FILE { u\nT{3}:\tHello\nA{1}:\tx\n}\n@FILE { v\n}\n", "!malformed\n@FILE v");
}

#[test]
fn an_object_without_end_does_not_swallow_the_next() {
    check("@FILE { u\nA{1}:\tx\n@FILE { v\nB{1}:\ty\n}\n", "!malformed\n@FILE v\n B=y");
    check("@FILE { u\n@FILE{v\n}\n", "!malformed\n@FILE v");
    check("@FILE { u\n@DELETE { }\n", "!malformed\nDELETE {\n} DELETE");
}

#[test]
fn wrappers_survive_malformed_objects() {
    check("@UPDATE {\n@FILE { u\nbad\n}\n\n@FILE { v\n}\n\n}\n", "UPDATE {\n!malformed\n@FILE v\n} UPDATE");
    check("@UPDATE {\n@FILE { u\nbad\n}\n\n}\n", "UPDATE {\n!malformed\n} UPDATE");
    check("@UPDATE {\n@FILE { }\n\n}\n", "UPDATE {\n!malformed\n} UPDATE");
    check("@UPDATE {\n@FILE { u\nbad\n}\n", "UPDATE {\n!malformed\n!cut");
}

#[test]
fn errors_name_place_and_culprit() {
    for (input, expected) in [
        (
            "@FILE { http://x/\nT{4}: Corn\n}",
            "malformed SOIF at byte 23 in http://x/: no tab before the value of \"T\"",
        ),
        ("@FILE { }", "malformed SOIF at byte 8 in @FILE: no URL after \"FILE\""),
        ("@FILE { http://x/\nT{9}:\tCo", "SOIF cut at byte 26 in http://x/"),
        ("@UPDATE {\n@FILE { u\n}\n", "SOIF cut at byte 22 in wrapper @UPDATE"),
        (
            "@FILE { u\x1b\n@FILE { v\n}",
            "malformed SOIF at byte 18 in u\u{fffd}: no closing brace before the next header \"FILE\"",
        ),
        ("@FILE", "SOIF cut at byte 5 in header"),
    ] {
        let error = Reader::new(input.as_bytes()).objects().find_map(Result::err).expect("an error");
        assert_eq!(error.to_string(), expected);
        assert!(expected.contains(&format!("byte {} ", error.offset())), "{expected}");
        assert_eq!(error.can_go_on(), expected.starts_with("malformed"), "{expected}");
    }
}

#[test]
fn a_stream_cut_anywhere_gives_what_was_whole() {
    let ends: Vec<_> = WRAPPED.match_indices("\n}\n\n").map(|(at, _)| at + 2).collect();
    for cut in 0..WRAPPED.len() {
        let mut reader = Reader::new(&WRAPPED.as_bytes()[..cut]);
        let read: Vec<_> = reader.objects().collect();
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(read.iter().filter(|object| object.is_ok()).count(), whole, "cut at {cut}");
        let errors: Vec<_> = read.iter().filter_map(|object| object.as_ref().err()).map(kind).collect();
        let between = [0, 11, 12].contains(&cut) || cut == WRAPPED.len() - 1;
        assert_eq!(errors, if between { vec![] } else { vec!["!cut"] }, "cut at {cut}");
        assert!(reader.next_event().is_ok_and(|event| event.is_none()), "cut at {cut}");
    }
}

#[test]
fn a_failing_source_ends_the_stream() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let source = b"@FILE { u\n}\n@FILE { v\nT{9}:\tCo".chain(Failing);
    assert_eq!(show(Reader::new(BufReader::new(source))), "@FILE u\n!source");
}

#[test]
fn an_interrupted_source_is_asked_again() {
    struct Interrupted<'a>(&'a [u8], bool);
    impl Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(buffer) }
        }
    }
    let source = BufReader::with_capacity(3, Interrupted(WRAPPED.as_bytes(), false));
    assert_eq!(show(Reader::new(source)), show(Reader::new(WRAPPED.as_bytes())));
}

#[test]
fn a_failing_sink_costs_the_value_only() -> Result<(), ReadError> {
    let mut reader = Reader::new(b"@FILE { u\nT{4}:\tCorn\nA{1}:\tx\n}\n".as_slice());
    reader.next_event()?;
    reader.next_event()?;
    let error = reader.copy_value(&mut [0_u8; 2].as_mut_slice()).expect_err("two bytes of room for four");
    assert!(matches!(error, ReadError::Sink { .. }) && error.can_go_on());
    assert_eq!(reader.next_event()?, Some(Event::Attribute { name: "A".into(), size: 1 }));
    assert_eq!(reader.value()?, b"x");
    assert_eq!(reader.next_event()?, Some(Event::End));
    Ok(())
}
