//! Any bytes as a stream of objects and as bare attributes; what was read can be written and read again.

use gatherer_soif::{Attribute, Limits, Object, Reader, attributes, to_bytes, write_attributes};

/// Small, so that they are reached.
const LIMITS: Limits = Limits { name: 100, url: 1_000, value: 10_000, object: 50_000, attributes: 50 };

pub(crate) fn run(bytes: &[u8]) {
    let mut reader = Reader::with_limits(bytes, LIMITS);
    // Each step takes a byte at least.
    for _ in 0..=bytes.len() {
        match reader.next_object() {
            Ok(Some(object)) => {
                let written = to_bytes(&object).expect("what was read can be written");
                let again = Reader::new(written.as_slice()).next_object().expect("what was written can be read");
                assert_eq!(again.as_ref().map(written_of), Some(written_of(&object)));
                object.members().for_each(|(_, member)| drop(to_bytes(&member)));
            }
            Err(error) if error.can_go_on() => assert!(error.offset() <= bytes.len() as u64),
            Ok(None) | Err(_) => break,
        }
    }
    assert!(!matches!(reader.next_object(), Ok(Some(_))), "objects without end");
    let (mut found, _) = attributes(bytes);
    found.retain(|attribute| !attribute.value.is_empty());
    let mut written = Vec::new();
    if write_attributes(&mut written, &found).is_ok() {
        assert_eq!(attributes(&written).0, found);
    }
}

/// All that is written of an object: empty values are not.
fn written_of(object: &Object) -> (&str, &str, Vec<&Attribute>) {
    (&object.template, &object.url, object.iter().filter(|attribute| !attribute.value.is_empty()).collect())
}
