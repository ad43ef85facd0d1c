//! Tables of words. Nobody who writes pages chooses what stands in them, so that they need no hash that withstands attacks: a
//! simple one is several times faster.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table from words to something else.
pub(crate) type WordMap<V> = HashMap<String, V, BuildHasherDefault<Quick>>;
/// A set of words.
pub(crate) type WordSet = HashSet<String, BuildHasherDefault<Quick>>;

/// Eight bytes at a time: turned, mixed, multiplied.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Quick {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.mix(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        self.mix(chunks.remainder().iter().fold(bytes.len() as u64, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
