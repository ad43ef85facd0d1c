//! Magic numbers and members of containers, made ready for asking.

use super::TableError;
use super::raw::{Magic, Member};
use gatherer_pipeline::Kind;
use std::collections::BTreeMap;

/// Bytes that stand at a place.
struct Number {
    at: usize,
    /// Nothing is any byte.
    bytes: Vec<Option<u8>>,
    written: String,
    kind: Kind,
}

impl Number {
    fn new(kind: &str, magic: Magic) -> Result<Self, TableError> {
        let written = magic.text.or_else(|| magic.hex.clone()).unwrap_or_default();
        let bytes = match &magic.hex {
            Some(hex) => read_hex(hex).ok_or_else(|| TableError::Magic { magic: hex.clone() })?,
            None => written.bytes().map(Some).collect(),
        };
        if bytes.iter().flatten().count() < 2 {
            return Err(TableError::Magic { magic: written });
        }
        Ok(Self { at: magic.at, bytes, written: written.escape_debug().to_string(), kind: Kind::new(kind) })
    }

    fn stands_in(&self, body: &[u8]) -> bool {
        let there = body.get(self.at..).and_then(|rest| rest.get(..self.bytes.len()));
        let same = |there: &[u8]| there.iter().zip(&self.bytes).all(|(byte, wanted)| wanted.is_none_or(|w| w == *byte));
        there.is_some_and(same)
    }
}

/// `89504e47..` as bytes.
fn read_hex(hex: &str) -> Option<Vec<Option<u8>>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            b".." => Some(None),
            [high, low] => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                Some(Some(digit(*high)? << 4 | digit(*low)?))
            }
            _ => None,
        })
        .collect()
}

/// All magic numbers.
pub(super) struct Numbers(Vec<Number>);

impl Numbers {
    pub(super) fn new(raw: BTreeMap<String, Vec<Magic>>) -> Result<Self, TableError> {
        let all = raw.into_iter().flat_map(|(kind, group)| group.into_iter().map(move |magic| (kind.clone(), magic)));
        let mut numbers = all.map(|(kind, magic)| Number::new(&kind, magic)).collect::<Result<Vec<_>, _>>()?;
        // The one with most bytes first: it says the most.
        numbers.sort_by_key(|number| std::cmp::Reverse(number.bytes.iter().flatten().count()));
        Ok(Self(numbers))
    }

    /// The kind of bytes with a magic number, and the number as it is written.
    pub(super) fn of(&self, body: &[u8]) -> Option<(&Kind, &str)> {
        self.0.iter().find(|number| number.stands_in(body)).map(|number| (&number.kind, number.written.as_str()))
    }
}

/// Members that tell what a ZIP is.
pub(super) struct Members(Vec<(Kind, Member)>);

impl Members {
    pub(super) fn new(raw: Vec<Member>) -> Self {
        Self(raw.into_iter().map(|member| (Kind::new(member.kind.as_str()), member)).collect())
    }

    /// The kind of a ZIP with these members, and the member that tells.
    pub(super) fn of<'a>(&self, members: &[&'a [u8]]) -> Option<(&Kind, &'a [u8])> {
        self.0.iter().find_map(|(kind, rule)| {
            let has = |needed: &String| members.contains(&needed.as_bytes());
            let tells = |member: &&&[u8]| rule.names.iter().any(|name| member.starts_with(name.as_bytes()));
            let telling = members.iter().find(tells)?;
            rule.needs.as_ref().is_none_or(has).then_some((kind, *telling))
        })
    }
}
