//! What a parser answers.

use gatherer_abstracts::model::{Abstract, Limits};

pub(crate) fn run(answer: &[u8]) {
    if let Ok(made) = Abstract::from_xml(answer, Limits::default()) {
        let again = Abstract::from_xml(made.to_xml().as_bytes(), Limits::default());
        assert_eq!(again.ok().as_ref(), Some(&made), "what was read can be written and read again");
    }
}
