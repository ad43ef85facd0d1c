//! Chance that comes again with its seed.

/// A number out of others, without any order to it.
pub(crate) fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0xcbf2_9ce4_8422_2325, |state, number| {
        let state = (state ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^ (state >> 32)
    })
}

pub(crate) struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, thrown: 0 }
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.thrown += 1;
        mix(&[self.seed, self.thrown, 17]) % limit.max(1)
    }

    /// Once in so many times.
    pub(crate) fn chance(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
