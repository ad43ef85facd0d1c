//! Any bytes to the summarizer of a kind: that of `FUZZ_KIND`, or the one that the last byte chooses.

#[path = "../../tests/contract/promises.rs"]
mod promises;

use promises::{Given, keeps_its_promises};
use std::sync::LazyLock;

static KINDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| gatherer_summarizers::list().flat_map(|(_, kinds)| kinds.iter().copied()).collect());

/// An unknown kind would only exercise what takes everything.
static CHOSEN: LazyLock<Option<&str>> = LazyLock::new(|| {
    let wanted = std::env::var("FUZZ_KIND").ok()?;
    Some(
        KINDS.iter().find(|kind| **kind == wanted).unwrap_or_else(|| panic!("FUZZ_KIND={wanted} is none of {KINDS:?}")),
    )
});

pub(crate) fn run(bytes: &[u8]) {
    let (kind, body) = match (*CHOSEN, bytes.split_last()) {
        (Some(kind), _) => (kind, bytes),
        (None, Some((last, body))) => (KINDS[usize::from(*last) % KINDS.len()], body),
        (None, None) => return,
    };
    keeps_its_promises(Given { kind, name: "any", body, content_type: None, cut: false }).ok();
}
