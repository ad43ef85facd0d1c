//! From bytes to characters of the source.

/// Byte offsets to character offsets; cheap for offsets that only grow.
pub(super) struct Characters<'a> {
    pub(super) source: &'a str,
    pub(super) byte: usize,
    pub(super) count: usize,
}

impl Characters<'_> {
    pub(super) fn at(&mut self, byte: usize) -> usize {
        let byte = self.source.floor_char_boundary(byte.min(self.source.len()));
        if byte < self.byte {
            self.count -= self.source[byte..self.byte].chars().count();
        } else {
            self.count += self.source[self.byte..byte].chars().count();
        }
        self.byte = byte;
        self.count
    }
}

/// Walks the source beside a text in which character references are already resolved.
pub(super) struct Decoded<'s, 'a> {
    pub(super) source: &'s mut Characters<'a>,
    pub(super) byte: usize,
    pub(super) end: usize,
}

impl Decoded<'_, '_> {
    /// The place of the next character, and how many characters it takes in the source.
    pub(super) fn next(&mut self, character: char) -> (u32, u8) {
        let rest = self.source.source.get(self.byte..self.end).unwrap_or_default();
        let mut width = character.len_utf8();
        if let Some(reference) = rest.strip_prefix('&') {
            let name = reference.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
            let has_end = rest.as_bytes().get(1 + name) == Some(&b';');
            if character != '&' || has_end || reference.starts_with('#') {
                width = 1 + name + usize::from(has_end);
            }
        } else if !rest.starts_with(character) {
            width = rest.chars().next().map_or(0, char::len_utf8);
        }
        let at = self.source.at(self.byte);
        let is_reference = rest.starts_with('&') && width > 1;
        self.byte = (self.byte + width).min(self.end);
        let taken = if is_reference { u8::try_from(width).unwrap_or(u8::MAX) } else { 1 };
        (u32::try_from(at).unwrap_or(u32::MAX), taken)
    }
}
