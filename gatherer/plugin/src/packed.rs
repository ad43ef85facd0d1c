//! The packed form of messages, for those who agree on it in their greeting: the same records as in JSON, member by member in
//! the order of `plugin.wit`, without names and escapes. `schemas/summarizer/since-0.1/messages.md` has it byte by byte.

use crate::messages::{Ours, Request, Theirs};
use crate::since_0_1::{Attribute, Child, Document, Draft, Guess, Level, Pair, Reference, RootNode, Vote};

/// So many items of a list are made room for before they are seen; a count alone is no promise.
const ROOM: usize = 256;

/// What can be put into a message.
pub(crate) trait Put {
    fn put(&self, to: &mut Vec<u8>);
}

/// What can be taken out of one, unless it is damaged.
pub(crate) trait Take: Sized {
    fn take(from: &mut Unread<'_>) -> Option<Self>;
}

/// The part of a message that was not looked at yet.
pub(crate) struct Unread<'a>(&'a [u8]);

impl<'a> Unread<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.array()?)).ok()
    }
}

/// A whole message; nothing if it is none, or if something stands behind it.
pub(crate) fn taken<T: Take>(head: &[u8]) -> Option<T> {
    let mut unread = Unread(head);
    T::take(&mut unread).filter(|_| unread.0.is_empty())
}

fn put_length(length: usize, to: &mut Vec<u8>) {
    to.extend(u32::try_from(length).expect("messages are bounded far below 4 GiB").to_be_bytes());
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
        let length = from.length()?;
        from.bytes(length).map(<[u8]>::to_vec)
    }
}

impl Put for String {
    fn put(&self, to: &mut Vec<u8>) {
        self.as_bytes().put(to);
    }
}

impl Take for String {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        let length = from.length()?;
        std::str::from_utf8(from.bytes(length)?).ok().map(str::to_owned)
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
        match from.array()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
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

/// Lists of records and of texts.
macro_rules! listed {
    ($($item:ty),+) => {$(
        impl Put for [$item] {
            fn put(&self, to: &mut Vec<u8>) {
                put_length(self.len(), to);
                self.iter().for_each(|one| one.put(to));
            }
        }

        impl Put for Vec<$item> {
            fn put(&self, to: &mut Vec<u8>) {
                self.as_slice().put(to);
            }
        }

        impl Take for Vec<$item> {
            fn take(from: &mut Unread<'_>) -> Option<Self> {
                let length = from.length()?;
                let mut items = Self::with_capacity(length.min(ROOM));
                for _ in 0..length {
                    items.push(<$item>::take(from)?);
                }
                Some(items)
            }
        }
    )+};
}

/// Records, member by member: in the order in which they stand here.
macro_rules! record {
    ($record:ty { $($member:ident),+ }) => {
        impl Put for $record {
            fn put(&self, to: &mut Vec<u8>) {
                $(self.$member.put(to);)+
            }
        }

        impl Take for $record {
            fn take(from: &mut Unread<'_>) -> Option<Self> {
                // Members are evaluated in the order in which they are written.
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

impl Take for Level {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        match from.array()? {
            [0] => Some(Self::Debug),
            [1] => Some(Self::Info),
            [2] => Some(Self::Warn),
            _ => None,
        }
    }
}

impl Put for Ours<'_> {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            // Greetings are JSON: what else is understood is not known before. An empty head is no message.
            Self::Hello { .. } => {}
            Self::Summarize(document) => tagged(1, *document, to),
            Self::Recognize(document) => tagged(2, *document, to),
            Self::Enumerate(root) => tagged(3, *root, to),
            Self::Correct { document, attributes } => {
                tagged(4, *document, to);
                attributes.put(to);
            }
            Self::Bytes {} => to.push(5),
            Self::Left(left) => tagged(6, left, to),
        }
    }
}

impl Take for Request {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        Some(match from.array()? {
            [1] => Self::Summarize(Take::take(from)?),
            [2] => Self::Recognize(Take::take(from)?),
            [3] => Self::Enumerate(Take::take(from)?),
            [4] => Self::Correct { document: Take::take(from)?, attributes: Take::take(from)? },
            [5] => Self::Bytes {},
            [6] => Self::Left(Take::take(from)?),
            _ => return None,
        })
    }
}

impl Put for Theirs {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            // As above.
            Self::Hello { .. } => {}
            Self::Draft(draft) => tagged(1, draft, to),
            Self::Guesses(guesses) => tagged(2, guesses, to),
            Self::Urls(urls) => tagged(3, urls, to),
            Self::Keep(attributes) => tagged(4, attributes, to),
            Self::LeaveOut(why) => tagged(5, why, to),
            Self::Refused(why) => tagged(6, why, to),
            Self::Failed(why) => tagged(7, why, to),
            Self::Log { level, text } => {
                to.extend([8, *level as u8]);
                text.put(to);
            }
            Self::Read { offset, length } => {
                tagged(9, offset, to);
                length.put(to);
            }
            Self::Left {} => to.push(10),
        }
    }
}

fn tagged(tag: u8, message: &impl Put, to: &mut Vec<u8>) {
    to.push(tag);
    message.put(to);
}

impl Take for Theirs {
    fn take(from: &mut Unread<'_>) -> Option<Self> {
        Some(match from.array()? {
            [1] => Self::Draft(Take::take(from)?),
            [2] => Self::Guesses(Take::take(from)?),
            [3] => Self::Urls(Take::take(from)?),
            [4] => Self::Keep(Take::take(from)?),
            [5] => Self::LeaveOut(Take::take(from)?),
            [6] => Self::Refused(Take::take(from)?),
            [7] => Self::Failed(Take::take(from)?),
            [8] => Self::Log { level: Take::take(from)?, text: Take::take(from)? },
            [9] => Self::Read { offset: Take::take(from)?, length: Take::take(from)? },
            [10] => Self::Left {},
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(message: &impl Put) -> Vec<u8> {
        let mut bytes = Vec::new();
        message.put(&mut bytes);
        bytes
    }

    fn draft() -> Draft {
        let text = |text: &str| Some(text.to_owned());
        let attribute =
            Attribute { name: "Title".to_owned(), value: vec![0xff], language: text("de"), weight: Some(2.0) };
        let reference = Reference { url: "b.html".to_owned(), text: "B".to_owned(), follow: false };
        let child = Child {
            name: "c".to_owned(),
            kind: text("Text"),
            media_type: None,
            modified: Some(7),
            content: b"in".to_vec(),
        };
        Draft {
            attributes: vec![attribute],
            text: text("Grows."),
            references: vec![reference],
            canonical: text("http://example.org/"),
            children: vec![child],
            complaints: vec!["cut".to_owned()],
        }
    }

    #[test]
    fn heads_are_written_as_the_document_says() {
        assert_eq!(head(&Theirs::Refused(String::new())), [6, 0, 0, 0, 0]);
        assert_eq!(head(&Ours::Left(0x0102)), [6, 0, 0, 0, 0, 0, 0, 1, 2]);
        let reference = Reference { url: "u".to_owned(), text: "tt".to_owned(), follow: true };
        assert_eq!(head(&reference), b"\0\0\0\x01u\0\0\0\x02tt\x01");
        assert_eq!(head(&Some(1.0_f32)), [1, 0x3f, 0x80, 0, 0]);
    }

    #[test]
    fn answers_go_there_and_back_and_break_nothing_where_they_are_damaged() {
        let guess = Guess { kind: "Recipe".to_owned(), because: String::new() };
        for message in [
            Theirs::Draft(draft()),
            Theirs::Draft(Draft::default()),
            Theirs::Guesses(vec![guess]),
            Theirs::Urls(vec!["a".to_owned(), "b".to_owned()]),
            Theirs::Keep(draft().attributes),
            Theirs::LeaveOut("x".to_owned()),
            Theirs::Refused("x".to_owned()),
            Theirs::Failed("x".to_owned()),
            Theirs::Log { level: Level::Warn, text: "x".to_owned() },
            Theirs::Read { offset: 1, length: 2 },
            Theirs::Left {},
        ] {
            let bytes = head(&message);
            let there = taken::<Theirs>(&bytes).expect("a message");
            assert_eq!(format!("{there:?}"), format!("{message:?}"));
            for end in 0..bytes.len() {
                assert!(taken::<Theirs>(&bytes[..end]).is_none(), "{message:?} cut at {end}");
            }
            assert!(taken::<Theirs>(&[&bytes[..], &[0]].concat()).is_none(), "{message:?} and more");
            for place in 0..bytes.len() {
                let mut wrong = bytes.clone();
                wrong[place] ^= 0xff;
                // It may be another message. It must not be the end of us.
                let _ = taken::<Theirs>(&wrong);
            }
        }
        assert!(taken::<Theirs>(&head(&Ours::Left(1))).is_none(), "a question is no answer");
        assert!(taken::<Theirs>(&[7, 0, 0, 0, 1, 0xff]).is_none(), "a text is UTF-8");
    }

    #[test]
    fn questions_go_there_and_back() {
        let pair = Pair { name: "content-type".to_owned(), value: "text/html".to_owned() };
        let vote = Vote { voter: "name".to_owned(), kind: "HTML".to_owned(), because: "x".to_owned() };
        let (url, headers, votes) = ("http://example.org/".to_owned(), vec![pair.clone()], vec![vote]);
        let document = Document { url, headers, votes, size: 7, cut: true, fetched: Some(9), ..Document::default() };
        let root = RootNode { name: "r".to_owned(), urls: vec!["u".to_owned()], url_max: 3, options: vec![pair] };
        let attributes = draft().attributes;
        let there = |message: &Ours<'_>| taken::<Request>(&head(message));
        assert!(matches!(there(&Ours::Summarize(&document)), Some(Request::Summarize(same)) if same == document));
        assert!(matches!(there(&Ours::Recognize(&document)), Some(Request::Recognize(same)) if same == document));
        assert!(matches!(there(&Ours::Enumerate(&root)), Some(Request::Enumerate(same)) if same == root));
        let correct = Ours::Correct { document: &document, attributes: &attributes };
        assert!(matches!(there(&correct), Some(Request::Correct { attributes: same, .. }) if same == attributes));
        assert!(matches!(there(&Ours::Bytes {}), Some(Request::Bytes {})));
        assert!(matches!(there(&Ours::Left(5)), Some(Request::Left(5))));
    }
}
