//! Caches properties of instruction words.

use foldhash::HashMap;

/// Maximum number of cached words; at the limit all are dropped.
const CACHED_WORDS: usize = 1 << 18;

/// Properties of instruction words, computed once.
#[derive(Debug)]
pub struct WordCache<T>(HashMap<u32, T>);

impl<T> Default for WordCache<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T: Clone> WordCache<T> {
    /// Returns the properties of a word.
    pub fn get(&mut self, word: u32, make: impl FnOnce(u32) -> T) -> T {
        if let Some(known) = self.0.get(&word) {
            return known.clone();
        }
        if self.0.len() >= CACHED_WORDS {
            self.0.clear();
        }
        self.0.entry(word).insert_entry(make(word)).get().clone()
    }
}
