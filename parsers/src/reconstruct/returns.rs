//! Where calls will return to.

/// Deeper calls push out the outermost.
const DEPTH: usize = 1 << 16;
/// A return that skips more calls than these is taken for none of theirs.
const SKIPPED: usize = 256;
/// Some machines have calls over a word of data, behind which they return.
const OVER_DATA: u64 = 4;

/// The calls that a thread is inside of, as far as its path tells.
#[derive(Clone, Debug, Default)]
pub struct ReturnAddressStack {
    addresses: Vec<u64>,
    /// The place of the innermost call, of a ring once it is full.
    next: usize,
    count: usize,
}

impl ReturnAddressStack {
    /// A call that returns to an address.
    pub fn push(&mut self, address: u64) {
        match self.addresses.get_mut(self.next) {
            Some(place) => *place = address,
            None => self.addresses.push(address),
        }
        self.next = (self.next + 1) % DEPTH;
        self.count = (self.count + 1).min(DEPTH);
    }

    /// Where the innermost call returns to.
    pub fn pop(&mut self) -> Option<u64> {
        let address = self.inner(0)?;
        self.drop_inner(1);
        Some(address)
    }

    /// A return that went to an address: the call that it ends, and those inside, are over. False when it fits none.
    pub fn return_to(&mut self, address: u64) -> bool {
        let is_return = |from: u64| address == from || address == from.wrapping_add(OVER_DATA);
        let found = (0..self.count.min(SKIPPED))
            .find(|skipped| self.inner(*skipped).is_some_and(is_return));
        found
            .into_iter()
            .for_each(|skipped| self.drop_inner(skipped + 1));
        found.is_some()
    }

    /// Where the innermost call returns to behind so many others.
    pub fn inner(&self, skipped: usize) -> Option<u64> {
        let is_there = skipped < self.count;
        self.addresses
            .get((self.next + DEPTH - 1 - skipped) % DEPTH)
            .copied()
            .filter(|_| is_there)
    }

    fn drop_inner(&mut self, count: usize) {
        self.next = (self.next + DEPTH - count) % DEPTH;
        self.count -= count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_return_innermost_first() {
        let mut calls = ReturnAddressStack::default();
        [0x10, 0x20, 0x30]
            .into_iter()
            .for_each(|address| calls.push(address));
        assert_eq!(calls.pop(), Some(0x30));
        assert!(calls.return_to(0x14), "over a word of data, out of two");
        assert_eq!((calls.pop(), calls.return_to(0x20)), (None, false));
    }

    #[test]
    fn of_endless_recursion_the_innermost_calls_are_known() {
        let mut calls = ReturnAddressStack::default();
        (0..3 * DEPTH as u64 + 5).for_each(|address| calls.push(address));
        let popped: Vec<_> = std::iter::from_fn(|| calls.pop()).collect();
        assert_eq!(
            (popped.len(), popped[0], popped[DEPTH - 1]),
            (DEPTH, 3 * DEPTH as u64 + 4, 2 * DEPTH as u64 + 5)
        );
    }
}
