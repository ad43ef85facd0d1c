//! From the structures of the header to what authors know, and back.

use super::{Attribute, Bytes, Child, DONE, Document, FAILED, Host, LEAVE_OUT, List, NO_TIME, Pair, REFUSED, Root};
use crate::call::Gatherer;
use crate::panics;
use crate::{Call, Correction, Draft, Level, RootCall, SummaryCall, Trouble};
use crate::{Enumerator, PostSummarizer, Recognizer, Summarizer};
use std::ffi::c_int;
use std::time::Duration;

pub(super) extern "C" fn summarize<P: Summarizer>(document: &Document<'_>, content: Bytes<'_>, host: &Host) -> c_int {
    guarded(host, is_whole(document), || {
        let draft = P::summarize(&Call::new(&read_document(document), content.items(), host))?;
        host.give(&draft);
        Ok(DONE)
    })
}

pub(super) extern "C" fn recognize<P: Recognizer>(document: &Document<'_>, content: Bytes<'_>, host: &Host) -> c_int {
    guarded(host, is_whole(document), || {
        for guess in P::recognize(&Call::new(&read_document(document), content.items(), host))? {
            (host.guess)(host, Bytes::of(guess.kind.as_bytes()), Bytes::of(guess.because.as_bytes()));
        }
        Ok(DONE)
    })
}

pub(super) extern "C" fn enumerate<P: Enumerator>(root: &Root<'_>, host: &Host) -> c_int {
    guarded(host, root.size_of_this as usize >= size_of::<Root<'_>>(), || {
        for url in P::enumerate(&RootCall::new(&read_root(root), host))? {
            (host.url)(host, Bytes::of(url.as_bytes()));
        }
        Ok(DONE)
    })
}

pub(super) fn correct<P: PostSummarizer>(
    document: &Document<'_>,
    attributes: List<'_, Attribute<'_>>,
    host: &Host,
) -> c_int {
    guarded(host, is_whole(document), || {
        let attributes = attributes.items().iter().map(read_attribute).collect();
        match P::correct(&SummaryCall::new(&read_document(document), host), attributes)? {
            Correction::Keep(attributes) => attributes.iter().for_each(|attribute| host.give_attribute(attribute)),
            Correction::LeaveOut(reason) => {
                host.give_reason(&reason);
                return Ok(LEAVE_OUT);
            }
        }
        Ok(DONE)
    })
}

fn is_whole(document: &Document<'_>) -> bool {
    document.size_of_this as usize >= size_of::<Document<'_>>()
}

/// Runs what a plugin does. Whatever happens in there, this returns.
fn guarded(host: &Host, is_whole: bool, work: impl FnOnce() -> Result<c_int, Trouble>) -> c_int {
    // Later versions only add fields, so no gatherer ever built less than this. There may be nobody to tell the reason.
    if !is_whole || (host.size_of_this as usize) < size_of::<Host>() {
        return FAILED;
    }
    let (reason, end) = match panics::caught(work) {
        Ok(Ok(end)) => return end,
        Ok(Err(Trouble::Refused(reason))) => (reason, REFUSED),
        Ok(Err(Trouble::Failed(reason))) => (reason, FAILED),
        Err(panic) => (panic, FAILED),
    };
    host.give_reason(&reason);
    end
}

impl Gatherer for Host {
    fn log(&self, level: Level, text: &str) {
        let level = match level {
            Level::Debug => 0,
            Level::Info => 1,
            Level::Warn => 2,
        };
        (self.log)(self, level, Bytes::of(text.as_bytes()));
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        let mut buffer = vec![0; length as usize];
        let count = (self.read)(self, offset, buffer.as_mut_ptr().cast(), buffer.len());
        buffer.truncate(count);
        buffer
    }

    /// 0 is what the gatherer says if `deadline` is not granted. If nothing were left nobody would hear it.
    fn left(&self) -> Option<Duration> {
        Some((self.deadline)(self)).filter(|left| *left > 0).map(Duration::from_millis)
    }
}

impl Host {
    fn give(&self, draft: &Draft) {
        draft.attributes.iter().for_each(|attribute| self.give_attribute(attribute));
        if let Some(text) = &draft.text {
            (self.text)(self, Bytes::of(text.as_bytes()));
        }
        for reference in &draft.references {
            let (url, text) = (reference.url.as_bytes(), reference.text.as_bytes());
            (self.reference)(self, Bytes::of(url), Bytes::of(text), reference.follow.into());
        }
        if let Some(url) = &draft.canonical {
            (self.canonical)(self, Bytes::of(url.as_bytes()));
        }
        draft.children.iter().for_each(|child| self.give_child(child));
        draft.complaints.iter().for_each(|complaint| (self.complaint)(self, Bytes::of(complaint.as_bytes())));
    }

    fn give_attribute(&self, attribute: &crate::Attribute) {
        let attribute = Attribute {
            name: Bytes::of(attribute.name.as_bytes()),
            value: Bytes::of(&attribute.value),
            language: Bytes::of_option(attribute.language.as_deref()),
            weight: attribute.weight.unwrap_or_default(),
        };
        (self.attribute)(self, &attribute);
    }

    fn give_child(&self, child: &crate::Child) {
        let child = Child {
            name: Bytes::of(child.name.as_bytes()),
            kind: Bytes::of_option(child.kind.as_deref()),
            media_type: Bytes::of_option(child.media_type.as_deref()),
            modified: child.modified.unwrap_or(NO_TIME),
            content: Bytes::of(&child.content),
        };
        (self.child)(self, &child);
    }

    fn give_reason(&self, reason: &str) {
        (self.reason)(self, Bytes::of(reason.as_bytes()));
    }
}

fn read_document(document: &Document<'_>) -> crate::Document {
    let vote = |vote: &super::Vote<'_>| crate::Vote {
        voter: text(vote.voter),
        kind: text(vote.kind),
        because: text(vote.because),
    };
    crate::Document {
        url: text(document.url),
        kind: text(document.kind),
        votes: document.votes.items().iter().map(vote).collect(),
        headers: read_pairs(document.headers),
        charset: document.charset.text(),
        size: document.size,
        cut: document.cut != 0,
        fetched: time(document.fetched),
        modified: time(document.modified),
        previous: document.previous.text(),
        options: read_pairs(document.options),
    }
}

fn read_root(root: &Root<'_>) -> crate::RootNode {
    crate::RootNode {
        name: text(root.name),
        urls: root.urls.items().iter().copied().map(text).collect(),
        url_max: root.url_max,
        options: read_pairs(root.options),
    }
}

fn read_attribute(attribute: &Attribute<'_>) -> crate::Attribute {
    crate::Attribute {
        name: text(attribute.name),
        value: attribute.value.items().to_vec(),
        language: attribute.language.text(),
        weight: Some(attribute.weight).filter(|weight| *weight != 0.0),
    }
}

fn read_pairs(pairs: List<'_, Pair<'_>>) -> Vec<crate::Pair> {
    pairs.items().iter().map(|pair| crate::Pair { name: text(pair.name), value: text(pair.value) }).collect()
}

fn text(bytes: Bytes<'_>) -> String {
    bytes.text().unwrap_or_default()
}

fn time(seconds: u64) -> Option<u64> {
    Some(seconds).filter(|seconds| *seconds != NO_TIME)
}
