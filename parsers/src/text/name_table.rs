//! Numbers names in order of first appearance.

/// Names in order of first appearance. Does not allocate once it has grown; a lookup is `O(log n)`.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    /// All names, concatenated.
    letters: Vec<u8>,
    /// End of each name in `letters`, by number.
    ends: Vec<usize>,
    /// The numbers, sorted by name.
    sorted: Vec<u16>,
}

impl NameTable {
    /// Removes all names.
    pub fn clear(&mut self) {
        self.letters.clear();
        self.ends.clear();
        self.sorted.clear();
    }

    /// Returns the number of a name.
    pub fn find(&self, name: &[u8]) -> Option<u16> {
        self.search(name)
            .ok()
            .and_then(|place| self.sorted.get(place).copied())
    }

    /// Adds a name that is not in the table. Returns none if there are `limit` names already.
    pub fn add(&mut self, name: &[u8], limit: usize) -> Option<u16> {
        let number = u16::try_from(self.ends.len())
            .ok()
            .filter(|number| usize::from(*number) < limit)?;
        let place = self.search(name).err()?;
        self.letters.extend_from_slice(name);
        self.ends.push(self.letters.len());
        self.sorted.insert(place, number);
        Some(number)
    }

    fn search(&self, name: &[u8]) -> Result<usize, usize> {
        self.sorted
            .binary_search_by(|number| self.name(*number).cmp(name))
    }

    fn name(&self, number: u16) -> &[u8] {
        let number = usize::from(number);
        let start = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.letters.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers() {
        let mut table = NameTable::default();
        for (number, name) in ["m", "b", "z", "", "a"].iter().enumerate() {
            assert_eq!(table.add(name.as_bytes(), 5), u16::try_from(number).ok());
        }
        assert_eq!(table.add(b"one too many", 5), None);
        assert_eq!(table.find(b"z"), Some(2));
        assert_eq!(table.find(b"y"), None);
        table.clear();
        assert_eq!(table.find(b"z"), None);
        assert_eq!(table.add(b"z", 5), Some(0));
    }
}
