//! Counts the distinct addresses that threads executed, in bounded memory.

use foldhash::HashMap;

/// Maximum number of 64-byte pieces of code that are counted exactly, over all threads: 117 MB of
/// code.
///
/// A piece takes 17 bytes in a hash table that is between 7/16 and 7/8 full: at most 71 MiB.
/// Counting the addresses of all threads together takes another 34 MiB.
pub const PIECES: usize = 7 << 18;

/// Size of a piece in bytes; a bitmap has one bit for each.
const PIECE: u64 = 64;

/// Executed addresses of 64 bytes of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePiece {
    /// The lowest of the 64 addresses.
    pub address: u64,
    /// One bit for each executed address.
    pub bits: u64,
}

impl CodePiece {
    /// Returns the piece with one executed address.
    pub fn of(address: u64) -> Self {
        Self {
            address: address - address % PIECE,
            bits: 1 << (address % PIECE),
        }
    }
}

/// Sets of distinct addresses, by thread number.
#[derive(Clone, Debug)]
pub struct DistinctAddresses {
    threads: Vec<ThreadAddresses>,
    /// Number of pieces of all threads.
    pieces: usize,
    limit: usize,
}

/// Distinct addresses of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadAddresses {
    /// Bitmap of executed addresses by piece number.
    pieces: HashMap<u64, u64>,
    count: DistinctCount,
}

/// A number of distinct addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistinctCount {
    /// The addresses that were counted.
    pub count: u64,
    /// True if there may be more: further addresses were not recorded.
    pub is_at_least: bool,
}

impl Default for DistinctAddresses {
    fn default() -> Self {
        Self {
            threads: Vec::new(),
            pieces: 0,
            limit: PIECES,
        }
    }
}

impl DistinctAddresses {
    /// Records that a thread executed an address.
    pub fn insert(&mut self, thread: usize, address: u64) {
        self.insert_piece(thread, CodePiece::of(address));
    }

    /// Records that a thread executed some addresses.
    pub fn insert_piece(&mut self, thread: usize, found: CodePiece) {
        if self.threads.len() <= thread {
            self.threads
                .resize_with(thread + 1, ThreadAddresses::default);
        }
        let Some(of_thread) = self.threads.get_mut(thread) else {
            return;
        };
        let (piece, bits) = (found.address / PIECE, found.bits);
        match of_thread.pieces.get_mut(&piece) {
            Some(known) => {
                of_thread.count.count += u64::from((bits & !*known).count_ones());
                *known |= bits;
            }
            None if self.pieces >= self.limit => of_thread.count.is_at_least = true,
            None => {
                self.pieces += 1;
                of_thread.pieces.insert(piece, bits);
                of_thread.count.count += u64::from(bits.count_ones());
            }
        }
    }

    /// Returns the number of distinct addresses of a thread.
    pub fn of_thread(&self, thread: usize) -> DistinctCount {
        self.threads
            .get(thread)
            .map(|thread| thread.count)
            .unwrap_or_default()
    }

    /// Returns the number of distinct addresses of all threads together. Cost: visits all pieces.
    pub fn of_all(&self) -> DistinctCount {
        let mut all: HashMap<u64, u64> = HashMap::default();
        for (piece, bits) in self.threads.iter().flat_map(|thread| &thread.pieces) {
            *all.entry(*piece).or_default() |= bits;
        }
        let count = all.values().map(|bits| u64::from(bits.count_ones())).sum();
        DistinctCount {
            count,
            is_at_least: self.threads.iter().any(|thread| thread.count.is_at_least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &DistinctAddresses, threads: &[(u64, bool)], all: (u64, bool)) {
        let pair = |distinct: DistinctCount| (distinct.count, distinct.is_at_least);
        let found: Vec<_> = (0..threads.len())
            .map(|thread| pair(addresses.of_thread(thread)))
            .collect();
        assert_eq!((found, pair(addresses.of_all())), (threads.to_vec(), all));
    }

    #[test]
    fn below_the_limit_all_are_distinguished() {
        let mut addresses = DistinctAddresses::default();
        for address in (0..1_000).chain(0..1_000) {
            addresses.insert(0, 3 * address);
        }
        addresses.insert(2, 1);
        addresses.insert(2, 3);
        addresses.insert(2, u64::MAX);
        check(
            &addresses,
            &[(1_000, false), (0, false), (3, false)],
            (1_002, false),
        );
    }

    #[test]
    fn beyond_the_limit_there_are_at_least_so_many() {
        let mut addresses = DistinctAddresses {
            limit: 3,
            ..DistinctAddresses::default()
        };
        for address in [0, 64, 128] {
            addresses.insert(0, address);
        }
        check(&addresses, &[(3, false)], (3, false));
        addresses.insert(1, 0);
        addresses.insert(0, 129);
        check(&addresses, &[(4, false), (0, true)], (4, true));
    }

    #[test]
    fn different_addresses_without_number_stay_inside_the_budget() {
        let mut addresses = DistinctAddresses::default();
        for address in 0..2_000_000 {
            addresses.insert(0, address * PIECE);
        }
        check(&addresses, &[(PIECES as u64, true)], (PIECES as u64, true));
        // A bucket is a pair and one byte. Tables of many threads are at least 7/16 full.
        let bucket = size_of::<(u64, u64)>() + 1;
        let capacity = addresses.threads[0].pieces.capacity();
        assert_eq!(capacity, PIECES, "a single table is full");
        assert!((PIECES / 7 * 16 + PIECES / 7 * 8) * bucket <= 105 << 20);
    }
}
