//! A hash table that numbers 64-bit keys 0, 1, … in order of appearance.

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
