//! Return address stack of a thread.

/// Maximum number of calls kept; a deeper call drops the outermost one.
const DEPTH: usize = 1 << 16;
/// Number of innermost calls that are compared with the target of a return.
const SKIPPED: usize = 256;
/// Bytes of the data word after a call that some machines return past.
const OVER_DATA: u64 = 4;

/// Return addresses of the calls that a thread is inside, as known from its path.
///
/// A ring buffer: push and pop are O(1).
#[derive(Clone, Debug, Default)]
pub struct ReturnAddressStack {
    addresses: Vec<u64>,
    /// Index after the innermost call; wraps around once the ring is full.
    next: usize,
    count: usize,
}

impl ReturnAddressStack {
    /// Pushes the return address of a call.
    pub fn push(&mut self, address: u64) {
        match self.addresses.get_mut(self.next) {
            Some(place) => *place = address,
            None => self.addresses.push(address),
        }
        self.next = (self.next + 1) % DEPTH;
        self.count = (self.count + 1).min(DEPTH);
    }

    /// Pops the return address of the innermost call.
    pub fn pop(&mut self) -> Option<u64> {
        let address = self.inner(0)?;
        self.drop_inner(1);
        Some(address)
    }

    /// Pops the call that a return to `address` ends, and all calls inside it. Returns false if no
    /// call matches.
    pub fn return_to(&mut self, address: u64) -> bool {
        let is_return = |from: u64| address == from || address == from.wrapping_add(OVER_DATA);
        let found = (0..self.count.min(SKIPPED))
            .find(|skipped| self.inner(*skipped).is_some_and(is_return));
        found
            .into_iter()
            .for_each(|skipped| self.drop_inner(skipped + 1));
        found.is_some()
    }

    /// Returns the return address after skipping this many inner calls.
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
