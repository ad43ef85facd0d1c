//! What a stream is made of.

use crate::Object;

/// The templates of a transfer between gatherer and broker that hold objects, not attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// Objects that are gone.
    Delete,
    /// Objects that are still as they were.
    Refresh,
    /// Objects that are new or have changed.
    Update,
}

impl Wrapper {
    /// The template type as written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Refresh => "REFRESH",
            Self::Update => "UPDATE",
        }
    }

    /// The wrapper of this name, in any case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Delete, Self::Refresh, Self::Update]
            .into_iter()
            .find(|wrapper| wrapper.name().eq_ignore_ascii_case(name))
    }
}

/// One piece of a stream, see [`Reader::next_event`](crate::Reader::next_event).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// `@UPDATE {`: the objects up to the matching end are inside.
    WrapperStart(Wrapper),
    /// The end of the open wrapper.
    WrapperEnd(Wrapper),
    /// The header of an object.
    Begin {
        /// Its template type.
        template: String,
        /// What it describes.
        url: String,
    },
    /// An attribute whose value comes next in the stream.
    Attribute {
        /// Its name, without white space around it.
        name: String,
        /// How many bytes the value has.
        size: u64,
    },
    /// The end of the object.
    End,
}

/// One whole piece of a stream, see [`Reader::next_item`](crate::Reader::next_item).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// `@UPDATE {`: the objects up to the matching end are inside.
    WrapperStart(Wrapper),
    /// The end of the open wrapper.
    WrapperEnd(Wrapper),
    /// An object with all its attributes.
    Object(Object),
}
