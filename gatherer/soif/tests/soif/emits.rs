//! What the writer emits, byte for byte, and what it refuses.

use std::io;

use gatherer_soif::{Attribute, Object, Wrapper, WriteError, Writer, to_bytes, write_attributes};

/// Drives a writer over memory and compares what is out, and the error if there is one.
fn check(drive: impl FnOnce(&mut Writer<Vec<u8>>) -> Result<(), WriteError>, out: &str, error: &str) {
    let mut writer = Writer::new(Vec::new());
    let said = drive(&mut writer).map_or_else(|error| error.to_string(), |()| String::new());
    assert_eq!(said, error);
    assert_eq!(String::from_utf8_lossy(&writer.into_inner()), out);
}

fn hello() -> Object {
    Object::new("FILE", "http://host/path").with("Title", "Hello").with("Empty", "").with("Keywords", "one\ntwo x")
}

const HELLO: &str = "@FILE { http://host/path\nTitle{5}:\tHello\nKeywords{9}:\tone\ntwo x\n}\n";

#[test]
fn an_object() {
    check(|writer| writer.object(&hello()), HELLO, "");
    assert_eq!(to_bytes(&hello()).expect("a legal object"), HELLO.as_bytes());
}

#[test]
fn sizes_count_bytes() {
    check(|writer| writer.object(&Object::new("FILE", "u").with("T", "café")), "@FILE { u\nT{5}:\tcafé\n}\n", "");
}

#[test]
fn pieces() {
    check(
        |writer| {
            writer.begin("FILE", "http://host/path")?;
            writer.attribute("Title", b"Hello")?;
            writer.attribute("Empty", b"")?;
            writer.attribute_from("Empty", 0, &mut io::empty())?;
            writer.attribute_from("Keywords", 9, &mut b"one\ntwo x and more".as_slice())?;
            writer.end()
        },
        HELLO,
        "",
    );
}

#[test]
fn a_large_value_from_a_source() -> Result<(), WriteError> {
    let mut writer = Writer::new(Vec::new());
    writer.begin("FILE", "u")?;
    writer.attribute_from("T", 100_000, &mut io::repeat(b'x'))?;
    writer.end()?;
    let out = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    assert_eq!(out, format!("@FILE {{ u\nT{{100000}}:\t{}\n}}\n", "x".repeat(100_000)));
    Ok(())
}

#[test]
fn a_transfer() {
    check(
        |writer| {
            writer.empty_wrapper(Wrapper::Delete)?;
            writer.empty_wrapper(Wrapper::Refresh)?;
            writer.begin_wrapper(Wrapper::Update)?;
            writer.object(&hello())?;
            writer.object(&Object::new("FILE", "url2"))?;
            writer.end_wrapper()
        },
        &format!("@DELETE {{ }}\n@REFRESH {{ }}\n@UPDATE {{\n{HELLO}\n@FILE {{ url2\n}}\n\n}}\n"),
        "",
    );
}

#[test]
fn illegal_objects_leave_nothing_behind() {
    let check = |object: Object, error: &str| check(|writer| writer.object(&object), "", error);
    check(Object::new("", "u"), "template \"\" is empty");
    check(Object::new("FILE", "a b"), "URL \"a b\" holds white space");
    check(Object::new("UPDATE", "@u"), "URL \"@u\" starts with @ or a brace");
    check(hello().with("a\nb", "x"), "attribute name \"a\\nb\" holds a brace or control character");
    let long = "x".repeat(65_537);
    check(Object::new("FILE", &long), &format!("URL {:?} is longer than 65536 bytes", &long[..300]));
    let long = &long[..8192];
    check(hello().with(long, "x"), &format!("attribute name {:?} is longer than 8191 bytes", &long[..300]));
}

#[test]
fn an_illegal_piece_leaves_the_object_as_it_was() {
    check(
        |writer| {
            writer.begin("FILE", "u")?;
            assert!(writer.attribute("a{b", b"x").is_err());
            writer.attribute("a", b"x")?;
            writer.end()
        },
        "@FILE { u\na{1}:\tx\n}\n",
        "",
    );
}

#[test]
fn a_short_source_spoils_the_stream() {
    check(
        |writer| {
            writer.begin("FILE", "u")?;
            let short = writer.attribute_from("T", 9, &mut b"Corn".as_slice());
            assert!(matches!(short, Err(WriteError::Short { size: 9, got: 4, .. })));
            assert_eq!(short.map_err(|error| error.to_string()), Err("value of T ended after 4 of 9 bytes".into()));
            writer.end()
        },
        "@FILE { u\nT{9}:\tCorn",
        "cannot end an object after a failed write",
    );
}

#[test]
fn a_failed_output_stays_failed() -> Result<(), WriteError> {
    let mut room = [0; 12];
    let mut writer = Writer::new(room.as_mut_slice());
    writer.begin("FILE", "u")?;
    assert!(matches!(writer.attribute("T", b"Corn"), Err(WriteError::Sink { .. })));
    assert!(matches!(writer.end(), Err(WriteError::Misplaced { place: "after a failed write", .. })));
    Ok(())
}

#[test]
fn calls_out_of_order_are_refused() {
    check(|w| w.attribute("T", b"x"), "", "cannot write an attribute outside an object");
    check(Writer::end, "", "cannot end an object outside an object");
    check(Writer::end_wrapper, "", "cannot end a wrapper outside a wrapper");
    let update = "@UPDATE {\n";
    let open = |writer: &mut Writer<_>| writer.begin_wrapper(Wrapper::Update);
    check(|w| open(w).and_then(|()| open(w)), update, "cannot begin a wrapper inside a wrapper");
    let empty = |writer: &mut Writer<_>| writer.empty_wrapper(Wrapper::Delete);
    check(|w| open(w).and_then(|()| empty(w)), update, "cannot write a wrapper inside a wrapper");
    let begin = |writer: &mut Writer<_>| writer.begin("FILE", "u");
    check(|w| begin(w).and_then(|()| begin(w)), "@FILE { u\n", "cannot begin an object inside an object");
    check(|w| begin(w).and_then(|()| open(w)), "@FILE { u\n", "cannot begin a wrapper inside an object");
}

#[test]
fn bare_attributes() {
    let mut out = b"before".to_vec();
    let good = [Attribute::new("A", "x"), Attribute::new("B", ""), Attribute::new("C", "y\nz")];
    write_attributes(&mut out, &good).expect("legal names");
    assert_eq!(out, b"beforeA{1}:\tx\nC{3}:\ty\nz\n");
    let bad = [Attribute::new("A", "x"), Attribute::new("B ", "y")];
    let error = write_attributes(&mut out, &bad).expect_err("a space at the end");
    assert_eq!(error.to_string(), "attribute name \"B \" starts or ends with a space");
    assert_eq!(out, b"beforeA{1}:\tx\nC{3}:\ty\nz\n");
}
