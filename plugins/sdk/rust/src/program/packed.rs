//! The packed form of records: member by member, in the order of `plugin.wit`. See `messages.md` of the contract.

use crate::{Attribute, Child, Document, Draft, Guess, Pair, Reference, RootNode, Vote};

/// What can be put into a message.
pub(super) trait Put {
    fn put(&self, to: &mut Vec<u8>);
}

/// What can be taken out of one, unless it is damaged.
pub(super) trait Take: Sized {
    fn take(from: &mut Unread<'_>) -> Option<Self>;
}

/// The part of a message that was not looked at yet.
pub(super) struct Unread<'a>(&'a [u8]);

impl<'a> Unread<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn length(&mut self) -> Option<usize> {
        self.array().map(|bytes| u32::from_be_bytes(bytes) as usize)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

fn put_length(length: usize, to: &mut Vec<u8>) {
    // Whoever answers with more is ended long before this.
    to.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
}

impl Put for [u8] {
    fn put(&self, to: &mut Vec<u8>) {
        put_length(self.len(), to);
        to.extend(self);
    }
}

impl Put for Vec<u8> {
    fn put(&self, to: &mut Vec<u8>) {
        self.as_slice().put(to);
    }
}

impl Take for Vec<u8> {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        from.bytes().map(<[u8]>::to_vec)
    }
}

impl Put for String {
    fn put(&self, to: &mut Vec<u8>) {
        self.as_bytes().put(to);
    }
}

impl Take for String {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        str::from_utf8(from.bytes()?).ok().map(str::to_owned)
    }
}

impl Put for u64 {
    fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.to_be_bytes());
    }
}

impl Take for u64 {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        from.array().map(Self::from_be_bytes)
    }
}

impl Put for f32 {
    fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.to_be_bytes());
    }
}

impl Take for f32 {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        from.array().map(Self::from_be_bytes)
    }
}

impl Put for bool {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
}

impl Take for bool {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        from.array().map(|[byte]| byte != 0)
    }
}

impl<T: Put> Put for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        self.iter().for_each(|one| one.put(to));
    }
}

impl<T: Take> Take for Option<T> {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

/// Lists of records and of texts. Those of bytes are above: they are taken whole.
macro_rules! listed {
    ($($item:ty),+) => {$(
        impl Put for Vec<$item> {
            fn put(&self, to: &mut Vec<u8>) {
                put_length(self.len(), to);
                self.iter().for_each(|one| one.put(to));
            }
        }

        impl Take for Vec<$item> {
            fn take(from: &mut Unread<'_>) -> Option<Self> {
                (0..from.length()?).map(|_| <$item>::take(from)).collect()
            }
        }
    )+};
}

/// Records, member by member in this order.
macro_rules! record {
    ($record:ty { $($member:ident),+ }) => {
        impl Put for $record {
            fn put(&self, to: &mut Vec<u8>) {
                $(self.$member.put(to);)+
            }
        }

        impl Take for $record {
            fn take(from: &mut Unread<'_>) -> Option<Self> {
                Some(Self { $($member: Take::take(from)?),+ })
            }
        }
    };
}

listed!(String, Pair, Vote, Attribute, Reference, Child, Guess);
record!(Pair { name, value });
record!(Vote { voter, kind, because });
record!(Document { url, kind, votes, headers, charset, size, cut, fetched, modified, previous, options });
record!(Attribute { name, value, language, weight });
record!(Reference { url, text, follow });
record!(Child { name, kind, media_type, modified, content });
record!(Draft { attributes, text, references, canonical, children, complaints });
record!(Guess { kind, because });
record!(RootNode { name, urls, url_max, options });
