//! Sets of 64-bit keys: a hash table that numbers keys 0, 1, … in order of appearance
//! ([`KeyTable`]), and Bloom filters, which test membership without false negatives in constant
//! memory ([`KeyFilter`], [`SetFilter`]).

/// Open addressing with linear probing, at most half full. The capacity is a power of two. Clearing
/// keeps the memory.
#[derive(Debug, Default)]
pub struct KeyTable {
    keys: Vec<u64>,
    /// Number + 1; 0 marks a free place.
    places: Vec<u32>,
    last: Option<(u64, usize)>,
}

impl KeyTable {
    /// Returns the number of a key; a new key gets the next number.
    #[inline]
    pub fn number(&mut self, key: u64) -> usize {
        if let Some((last_key, number)) = self.last
            && last_key == key
        {
            return number;
        }
        let number = self.find_or_add(key);
        self.last = Some((key, number));
        number
    }

    fn find_or_add(&mut self, key: u64) -> usize {
        if 2 * self.keys.len() >= self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut place = self.first_place(key);
        loop {
            match self.places[place] {
                0 => {
                    self.keys.push(key);
                    self.places[place] = self.keys.len() as u32;
                    return self.keys.len() - 1;
                }
                taken if self.keys[taken as usize - 1] == key => return taken as usize - 1,
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = (4 * self.keys.len()).next_power_of_two().max(1024);
        self.places.clear();
        self.places.resize(size, 0);
        for (number, key) in self.keys.iter().enumerate() {
            let mut place = self.first_place(*key);
            while self.places[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.places[place] = number as u32 + 1;
        }
    }

    /// Fibonacci hashing: multiplying by the golden ratio spreads adjacent keys over the highest
    /// bits. The other bits are equal for keys whose distance is a power of two.
    #[inline]
    fn first_place(&self, key: u64) -> usize {
        let bits = self.places.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }

    /// Returns all keys, by number.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.places.fill(0);
        self.last = None;
    }
}

/// A blocked Bloom filter: the bits of a key are in one word.
#[derive(Debug)]
pub struct KeyFilter {
    words: Vec<u64>,
}

impl KeyFilter {
    /// Creates a filter with `words` words, a power of two. With 10 keys per word, one answer in
    /// twenty is a false positive.
    pub fn new(words: usize) -> Self {
        debug_assert!(words.is_power_of_two(), "places are the low bits of a hash");
        Self {
            words: vec![0; words],
        }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let hash = mix(key);
        let bits = [0, 6, 12, 18]
            .into_iter()
            .fold(0, |bits, shift| bits | 1 << (hash >> shift & 63));
        ((hash >> 32) as usize & (self.words.len() - 1), bits)
    }

    /// Adds a key.
    pub fn add(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        self.words[word] |= bits;
    }

    /// Returns false if the key was never added.
    pub fn may_have(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.words[word] & bits == bits
    }
}

/// 64 interleaved Bloom filters: one lookup tests all of them.
#[derive(Debug)]
pub struct SetFilter {
    words: Vec<u64>,
}

impl SetFilter {
    /// Creates the filters with `words` words in total, a power of two. With one key per set for 10
    /// words, one answer in fifty has a false positive for a set.
    pub fn new(words: usize) -> Self {
        debug_assert!(words.is_power_of_two(), "places are the low bits of a hash");
        Self {
            words: vec![0; words],
        }
    }

    fn places(&self, key: u64) -> [usize; 3] {
        let hash = mix(key);
        [hash, hash >> 20, hash >> 40].map(|hash| hash as usize & (self.words.len() - 1))
    }

    /// Adds a key to one of the sets.
    pub fn add(&mut self, key: u64, set: usize) {
        self.places(key)
            .into_iter()
            .for_each(|place| self.words[place] |= 1 << set);
    }

    /// Returns the mask of the sets that may contain a key.
    pub fn sets_with(&self, key: u64) -> u64 {
        self.places(key)
            .into_iter()
            .fold(u64::MAX, |sets, place| sets & self.words[place])
    }

    /// Empties all sets.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}

/// Spreads adjacent keys over all bits.
fn mix(key: u64) -> u64 {
    let product = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ product >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_order_of_appearance() {
        let mut table = KeyTable::default();
        for round in 0..2 {
            for key in (0..5000u64).chain(0..5000) {
                assert_eq!(table.number(key * 64), key as usize, "round {round}");
            }
            assert_eq!(table.keys().len(), 5000);
            table.clear();
        }
    }
}

#[cfg(test)]
mod key_filter_tests {
    use super::*;

    #[test]
    fn a_filter_has_all_that_was_added_and_little_else() {
        let mut filter = KeyFilter::new(1 << 20);
        (0..1_000_000).for_each(|key| filter.add(3 * key));
        assert!((0..1_000_000).all(|key| filter.may_have(3 * key)));
        let wrong = (0..1_000_000)
            .filter(|key| filter.may_have(3 * key + 1))
            .count();
        assert!(wrong < 2_000, "{wrong}");
    }

    #[test]
    fn sets_are_distinguished() {
        let mut filter = SetFilter::new(1 << 19);
        (0..640_000).for_each(|key| filter.add(key, key as usize % 64));
        assert!((0..640_000).all(|key| filter.sets_with(key) >> (key % 64) & 1 == 1));
        let wrong: u32 = (0..640_000)
            .map(|key| filter.sets_with(key).count_ones() - 1)
            .sum();
        assert!(wrong < 64_000, "{wrong}");
        filter.clear();
        assert_eq!(filter.sets_with(5), 0);
    }
}
