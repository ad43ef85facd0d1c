//! What is written is read back; whatever is read can be written; anything ends.

use std::io::{BufReader, Read};

use gatherer_soif::{Attribute, Item, Object, Reader, Wrapper, Writer, attributes, to_bytes, write_attributes};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::show;

fn name() -> impl Strategy<Value = String> {
    let inner = "[^{}\\x00-\\x1f\\x7f]{0,12}";
    inner.prop_map(|name| name.trim_matches(' ').to_owned()).prop_filter("empty", |name| !name.is_empty())
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![name(), (any::<u32>(), name()).prop_map(|(number, name)| format!("Embed<{number}>-{name}"))]
}

fn attribute() -> impl Strategy<Value = Attribute> {
    let value = prop_oneof![vec(any::<u8>(), 1..40), select(PIECES).prop_map(|piece| piece.as_bytes().to_vec())];
    (any_name(), value).prop_map(|(name, value)| Attribute::new(name, value))
}

fn object() -> impl Strategy<Value = Object> {
    let template = "[^{\\x09-\\x0d ]{1,12}";
    let url = "[^@{}\\x09-\\x0d ][^\\x09-\\x0d ]{0,30}";
    (template, url, vec(attribute(), 0..6)).prop_map(|(template, url, attributes)| {
        attributes.into_iter().fold(Object::new(template, url), |object, a| object.with(a.name, a.value))
    })
}

fn wrapper() -> impl Strategy<Value = Option<Wrapper>> {
    select(vec![None, Some(Wrapper::Delete), Some(Wrapper::Refresh), Some(Wrapper::Update)])
}

/// Pieces that mean something to a reader.
const PIECES: &[&str] = &[
    "@",
    "{",
    "}",
    ":",
    "\t",
    " ",
    "\n",
    "\r\n",
    "\n}\n",
    "@FILE { u\n",
    "@FILE{ u\n",
    "@UPDATE {\n",
    "@DELETE { }\n",
    "T{1}:\tx",
    "A{0}:\t",
    "@id{2}:\t}\n",
    "B{9}:\t",
    "C{99999999999}:\t",
    "D{",
    "5}",
    "u",
    "\0",
    "\u{b}",
    "é",
];

/// Streams that look like SOIF more than chance would have them.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
        2 => object().prop_map(|object| to_bytes(&object).expect("a legal object")),
    ];
    vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn write(groups: &[(Option<Wrapper>, Vec<Object>)]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for (wrapper, objects) in groups {
        wrapper.map(|wrapper| writer.begin_wrapper(wrapper)).transpose().expect("between wrappers");
        objects.iter().try_for_each(|object| writer.object(object)).expect("legal objects");
        wrapper.map(|_| writer.end_wrapper()).transpose().expect("inside a wrapper");
    }
    writer.into_inner()
}

fn items(groups: Vec<(Option<Wrapper>, Vec<Object>)>) -> Vec<Item> {
    let items = groups.into_iter().flat_map(|(wrapper, objects)| {
        let start = wrapper.map(Item::WrapperStart);
        start.into_iter().chain(objects.into_iter().map(Item::Object)).chain(wrapper.map(Item::WrapperEnd))
    });
    items.collect()
}

fn read(source: impl Read, buffer: usize) -> Vec<Item> {
    let mut reader = Reader::new(BufReader::with_capacity(buffer, source));
    std::iter::from_fn(|| reader.next_item().expect("a good stream")).collect()
}

proptest! {
    #[test]
    fn streams_are_read_as_written(groups in vec((wrapper(), vec(object(), 0..4)), 0..4)) {
        let bytes = write(&groups);
        prop_assert_eq!(read(bytes.as_slice(), 1), read(bytes.as_slice(), 8192));
        prop_assert_eq!(read(bytes.as_slice(), 1), items(groups));
    }

    #[test]
    fn streams_are_read_among_junk(junk in "[^@{}]{0,20}", object in object()) {
        let bytes = [junk.as_bytes(), &to_bytes(&object).expect("a legal object"), junk.as_bytes()].concat();
        prop_assert_eq!(read(bytes.as_slice(), 7), [Item::Object(object)]);
    }

    #[test]
    fn anything_ends(bytes in prop_oneof![stream(), vec(any::<u8>(), 0..200)]) {
        let mut reader = Reader::new(bytes.as_slice());
        let most = 3 * bytes.len() + 3;
        let calls = (0..=most).take_while(|_| !matches!(reader.next_event(), Ok(None))).count();
        prop_assert!(calls <= most);
    }

    #[test]
    fn the_buffer_makes_no_difference(bytes in stream()) {
        let trickled = Reader::new(BufReader::with_capacity(1, bytes.as_slice()));
        prop_assert_eq!(show(trickled), show(Reader::new(bytes.as_slice())));
    }

    #[test]
    fn whatever_is_read_can_be_written(bytes in stream()) {
        for object in Reader::new(bytes.as_slice()).objects().filter_map(Result::ok) {
            let written = to_bytes(&object).expect("an object that was read");
            let again = Reader::new(written.as_slice()).next_object().expect("what was written").expect("an object");
            let kept: Vec<_> = object.iter().filter(|attribute| !attribute.value.is_empty()).collect();
            prop_assert_eq!(again.iter().collect::<Vec<_>>(), kept);
            prop_assert_eq!((again.template, again.url), (object.template, object.url));
        }
    }

    #[test]
    fn bare_attributes_are_read_as_written(list in vec(attribute(), 0..8)) {
        let mut bytes = Vec::new();
        write_attributes(&mut bytes, &list).expect("legal names");
        prop_assert_eq!(attributes(&bytes), (list, vec![]));
    }

    #[test]
    fn bare_attributes_of_anything_end(bytes in stream()) {
        let (found, complaints) = attributes(&bytes);
        prop_assert!(found.len() + complaints.len() <= bytes.len());
        prop_assert!(write_attributes(&mut Vec::new(), &found).is_ok());
    }

    #[test]
    fn members_come_out_as_they_went_in(mut outer in object(), inner in object(), number: u32) {
        outer.embed(number, &inner);
        let member = outer.member(number);
        prop_assert_eq!(member.as_ref().map_or(&[][..], Object::attributes), inner.attributes());
        prop_assert_eq!(outer.members().find(|(other, _)| *other == number).map(|(_, member)| member), member);
    }

    #[test]
    fn sorting_loses_nothing(object in object()) {
        let mut sorted = object.clone();
        sorted.sort();
        prop_assert!(object.iter().all(|attribute| sorted.get(&attribute.name) == Some(&attribute.value)));
        prop_assert_eq!(sorted.attributes().len(), object.attributes().len());
        let again = { let mut again = sorted.clone(); again.sort(); again };
        prop_assert_eq!(again, sorted);
    }
}
