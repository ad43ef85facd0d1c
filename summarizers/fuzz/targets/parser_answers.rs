//! Any bytes as the historic list of a parser, whose tuples become instances.

use gatherer_abstracts::model::{Limits, list};

pub(crate) fn run(bytes: &[u8]) {
    if let Ok((url, tuples)) = list::read(bytes, Limits::default()) {
        list::instances(&tuples);
        let again = list::read(list::write(url.as_deref(), &tuples).as_bytes(), Limits::default());
        assert!(
            again.is_ok_and(|(_, again)| again.len() == tuples.len()),
            "what was read can be written and read again"
        );
    }
}
