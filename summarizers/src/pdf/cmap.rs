//! Character maps of fonts: which codes a string has, and what they read as.

use encoding_rs::UTF_16BE;

/// Most entries of one map; the largest character collections have fewer.
const ENTRIES: usize = 100_000;
/// Most code spaces of one map.
const SPACES: usize = 256;

/// Codes from `low` to `high`; the first of them reads as `text`, the others count its last unit up.
#[derive(Debug)]
struct Entry {
    low: u32,
    high: u32,
    text: Vec<u16>,
}

/// A `/ToUnicode` map or a character map within the document.
#[derive(Debug, Default)]
pub(super) struct CharacterMap {
    entries: Vec<Entry>,
    spaces: Vec<Code>,
}

/// A code as it stands in a string: its bytes and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Code {
    low: u32,
    high: u32,
    length: usize,
}

impl CharacterMap {
    /// Reads a map. What it cannot make sense of it passes over.
    pub(super) fn parse(data: &[u8]) -> Self {
        let mut map = Self::default();
        let mut section = Section::None;
        let mut operands: Vec<Operand> = Vec::new();
        for token in (Tokens { rest: data }) {
            match token {
                Token::Hexadecimal(bytes) => operands.push(Operand::Text(bytes)),
                Token::Open => operands.push(Operand::Open),
                Token::Close => close(&mut operands),
                Token::Word(word) => {
                    section = Section::of(word);
                    operands.clear();
                }
            }
            if section == Section::None || operands.len() > ENTRIES {
                operands.clear();
            }
            map.take(section, &mut operands);
        }
        map.entries.sort_by_key(|entry| entry.low);
        map
    }

    /// What a code reads as.
    pub(super) fn get(&self, code: u32) -> Option<String> {
        let place = self.entries.partition_point(|entry| entry.low <= code).checked_sub(1)?;
        let entry = self.entries.get(place).filter(|entry| code <= entry.high)?;
        let mut units = entry.text.clone();
        let step = u16::try_from(code - entry.low).ok()?;
        let last = units.last_mut()?;
        *last = last.wrapping_add(step);
        Some(String::from_utf16_lossy(&units)).filter(|text| !text.contains('\u{fffd}'))
    }

    /// How many bytes the first code of a string has, if the map says so.
    pub(super) fn code_length(&self, bytes: &[u8]) -> Option<usize> {
        (1..=bytes.len().min(4)).find(|length| {
            let code = number(bytes.get(..*length).unwrap_or_default());
            self.spaces.iter().any(|space| space.length == *length && (space.low..=space.high).contains(&code))
        })
    }

    /// Takes an entry as soon as all of it is there.
    fn take(&mut self, section: Section, operands: &mut Vec<Operand>) {
        match (section, operands.as_mut_slice()) {
            (Section::Spaces, [Operand::Text(low), Operand::Text(high)]) => {
                if self.spaces.len() < SPACES {
                    self.spaces.push(Code { low: number(low), high: number(high), length: low.len() });
                }
            }
            (Section::Characters, [Operand::Text(code), Operand::Text(text)]) => {
                let code = number(code);
                self.put(code, code, text);
            }
            (Section::Ranges, [Operand::Text(low), Operand::Text(high), Operand::Text(text)]) => {
                let (low, high) = (number(low), number(high));
                self.put(low, high, text);
            }
            (Section::Ranges, [Operand::Text(low), Operand::Text(_), Operand::List(texts)]) => {
                for (code, text) in (number(low)..=u32::MAX).zip(texts.iter()) {
                    self.put(code, code, text);
                }
            }
            _ => return,
        }
        operands.clear();
    }

    fn put(&mut self, low: u32, high: u32, text: &[u8]) {
        if self.entries.len() < ENTRIES && low <= high {
            let text =
                if let [byte] = text { char::from(*byte).to_string() } else { UTF_16BE.decode(text).0.into_owned() };
            self.entries.push(Entry { low, high, text: text.encode_utf16().collect() });
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    None,
    Spaces,
    Characters,
    Ranges,
}

impl Section {
    fn of(word: &[u8]) -> Self {
        match word {
            b"begincodespacerange" => Self::Spaces,
            b"beginbfchar" => Self::Characters,
            b"beginbfrange" => Self::Ranges,
            _ => Self::None,
        }
    }
}

#[derive(Debug)]
enum Operand {
    Text(Vec<u8>),
    Open,
    List(Vec<Vec<u8>>),
}

/// Makes one list of what stands after the last open bracket.
fn close(operands: &mut Vec<Operand>) {
    let Some(open) = operands.iter().rposition(|operand| matches!(operand, Operand::Open)) else {
        return operands.clear();
    };
    let texts = operands.split_off(open).into_iter();
    let texts = texts.filter_map(|operand| if let Operand::Text(text) = operand { Some(text) } else { None });
    operands.push(Operand::List(texts.collect()));
}

enum Token<'a> {
    Hexadecimal(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

/// The words of a map, without comments and dictionaries' brackets.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (first, rest) = self.rest.split_first()?;
            match *first {
                b'[' | b']' => {
                    self.rest = rest;
                    return Some(if *first == b'[' { Token::Open } else { Token::Close });
                }
                b'<' if rest.first() != Some(&b'<') => {
                    let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                    let (digits, after) = rest.split_at(end);
                    self.rest = after.get(1..).unwrap_or_default();
                    return Some(Token::Hexadecimal(hexadecimal(digits)));
                }
                b'%' => {
                    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                    self.rest = rest.get(end..).unwrap_or_default();
                }
                byte if is_regular(byte) => {
                    let end = self.rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(self.rest.len());
                    let (word, after) = self.rest.split_at(end);
                    self.rest = after;
                    return Some(Token::Word(word));
                }
                _ => self.rest = rest,
            }
        }
    }
}

fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\0<>[](){}/%".contains(&byte)
}

/// The bytes that pairs of digits stand for.
fn hexadecimal(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.iter().filter_map(|byte| char::from(*byte).to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit) << (4 * (2 - pair.len())))
        .collect()
}

/// The number that up to four bytes stand for.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &[u8] = b"/CMapName /x def 1 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange % <01>\n\
        2 beginbfchar <01> <0041> <02> <006600660069> endbfchar\n\
        3 beginbfrange <10> <12> <0061> <8000><8001>[<0062><D83DDE00>] <20> <1f> <0061> endbfrange";

    #[test]
    fn codes_read_as_text() {
        let map = CharacterMap::parse(MAP);
        let check = |code, expected: Option<&str>| assert_eq!(map.get(code).as_deref(), expected, "{code:x}");
        check(1, Some("A"));
        check(2, Some("ffi"));
        check(0x12, Some("c"));
        check(0x13, None);
        check(0x20, None);
        check(0x8001, Some("\u{1f600}"));
        check(0, None);
    }

    #[test]
    fn codes_are_as_long_as_their_space() {
        let map = CharacterMap::parse(MAP);
        assert_eq!(
            (map.code_length(&[1, 2]), map.code_length(&[0x80, 2]), map.code_length(&[0x80])),
            (Some(1), Some(2), None)
        );
    }

    #[test]
    fn any_cut_is_survived() {
        for cut in 0..MAP.len() {
            CharacterMap::parse(&MAP[..cut]);
        }
        assert!(CharacterMap::parse(&b"beginbfrange [".repeat(10_000)).get(0).is_none());
        assert!(CharacterMap::parse(b"beginbfrange <00000000> <ffffffff> <0041>").get(0xffff_ffff).is_none());
    }
}
