//! The heap, from the markers of the functions that allocate and free.
//!
//! Markers name functions by numbers; the caller provides the numbers of each [`HeapRole`].

use std::collections::BTreeMap;

use foldhash::HashMap;
use stepback_machine::Address;
use stepback_parsers::{Marker, MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::heap::{BLOCKS, BadFree, BlockRelease, Heap, HeapBlock};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::query::markers::FindMarkers;
use crate::query::question::Query;

/// Effect of a function on the heap, which determines the meaning of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeapRole {
    /// `malloc(size)`, `operator new(size)`.
    Allocate,
    /// `calloc(count, size)`.
    AllocateArray,
    /// `aligned_alloc(alignment, size)`, `memalign`.
    AllocateAligned,
    /// `realloc(block, size)`.
    Reallocate,
    /// `free(block)`, `operator delete(block)`.
    Free,
    /// `posix_memalign(where, alignment, size)`: it stores the block's address in memory, which the
    /// trace does not show.
    AllocateUnseen,
}

/// Collects the blocks of the heap with their lifetimes. Cost: reads all markers of functions, so
/// the answer should be kept. Memory: see [`BLOCKS`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Allocations {
    /// Role of each function, by the value of its markers.
    pub roles: BTreeMap<u64, HeapRole>,
}

/// Number of markers read together.
const BATCH: usize = 1 << 16;

const KINDS: [MarkerKind; 4] = [
    MarkerKind::FUNCTION,
    MarkerKind::RETURN_ADDRESS,
    MarkerKind::ARGUMENT,
    MarkerKind::RETURN_VALUE,
];

impl Query for Allocations {
    type Answer = Heap;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Heap, QueryError> {
        let mut builder = HeapBuilder::new(&self.roles);
        let mut from = Position(0);
        loop {
            let batch = FindMarkers {
                kinds: KINDS.to_vec(),
                thread: None,
                from,
                to: index.end(),
                limit: BATCH,
            }
            .run(index, cancel)?;
            batch.iter().for_each(|hit| builder.take(hit));
            match batch.last() {
                Some(last) if batch.len() >= BATCH && last.position < index.end() => {
                    from = Position(last.position.0 + 1)
                }
                _ => return Ok(builder.heap.finish()),
            }
        }
    }
}

/// Builds the heap from the markers.
struct HeapBuilder<'a> {
    roles: &'a BTreeMap<u64, HeapRole>,
    threads: HashMap<ThreadId, HeapThread>,
    /// Place of the last block at each address, allocated or freed; none when a later one there is
    /// not tracked.
    latest: HashMap<u64, u32>,
    /// Maximum number of tracked blocks.
    limit: usize,
    heap: Heap,
}

/// A thread that calls heap functions.
#[derive(Debug, Default)]
struct HeapThread {
    /// Function of the markers being read.
    function: Option<u64>,
    /// Calls that have not returned.
    calls: Vec<HeapCall>,
    /// Address freed last and the freeing function, when no other heap function was called since.
    last_free: Option<(u64, u64)>,
}

/// A call of a heap function.
#[derive(Clone, Debug)]
struct HeapCall {
    function: u64,
    role: HeapRole,
    return_address: Address,
    /// First two arguments.
    arguments: [Option<u64>; 2],
    at: Position,
}

/// Maximum nesting of such calls; no program nests them deeper.
const DEPTH: usize = 16;

/// Returns the end of a block from a marker of a function.
fn freed_by(hit: &MarkerHit, function: u64) -> BlockRelease {
    BlockRelease {
        at: hit.position,
        step: hit.step,
        thread: hit.thread,
        function,
    }
}

impl<'a> HeapBuilder<'a> {
    fn new(roles: &'a BTreeMap<u64, HeapRole>) -> Self {
        let (threads, latest) = Default::default();
        Self {
            roles,
            threads,
            latest,
            limit: BLOCKS,
            heap: Heap::of(roles.keys().copied()),
        }
    }

    fn take(&mut self, hit: &MarkerHit) {
        let Marker { kind, value } = hit.marker;
        let thread = self.threads.entry(hit.thread).or_default();
        let role = thread
            .function
            .and_then(|function| Some((function, *self.roles.get(&function)?)));
        match (kind, role) {
            (MarkerKind::FUNCTION, _) => thread.function = Some(value),
            (MarkerKind::RETURN_ADDRESS, Some((function, role))) => {
                if thread.calls.len() >= DEPTH {
                    thread.calls.remove(0);
                }
                thread.last_free = thread.last_free.filter(|_| role == HeapRole::Free);
                thread.calls.push(HeapCall {
                    function,
                    role,
                    return_address: Address(value),
                    arguments: [None; 2],
                    at: hit.position,
                });
            }
            (MarkerKind::ARGUMENT, Some((function, role))) => {
                let call = thread
                    .calls
                    .last_mut()
                    .filter(|call| call.function == function && call.at == hit.position);
                let Some(call) = call else { return };
                let Some(place) = call.arguments.iter().position(Option::is_none) else {
                    return;
                };
                call.arguments[place] = Some(value);
                let return_address = call.return_address;
                match (role, place) {
                    (HeapRole::Free, _) => {
                        // Its return has no information, and usually is not recorded.
                        thread.calls.pop();
                        let before = thread.last_free.replace((value, function));
                        // `operator delete` calls `free`.
                        let is_inner =
                            before.is_some_and(|before| before.0 == value && before.1 != function);
                        if !is_inner {
                            self.freed(value, return_address, freed_by(hit, function));
                        }
                    }
                    (HeapRole::Reallocate, 0) => {
                        self.check_block(value, return_address, freed_by(hit, function))
                    }
                    _ => {}
                }
            }
            (MarkerKind::RETURN_VALUE, Some((function, _))) => {
                let Some(place) = thread
                    .calls
                    .iter()
                    .rposition(|call| call.function == function)
                else {
                    return;
                };
                let call = thread.calls.drain(place..).next();
                if let Some(call) = call {
                    self.returned(&call, value, hit);
                }
            }
            _ => {}
        }
    }

    fn returned(&mut self, call: &HeapCall, value: u64, hit: &MarkerHit) {
        let argument = |place: usize| call.arguments.get(place).copied().flatten();
        let size = match call.role {
            HeapRole::Allocate => argument(0),
            HeapRole::AllocateArray => argument(0)
                .zip(argument(1))
                .and_then(|(count, size)| count.checked_mul(size)),
            HeapRole::AllocateAligned | HeapRole::Reallocate => argument(1),
            HeapRole::Free => None,
            HeapRole::AllocateUnseen => {
                self.heap.unseen += u64::from(value == 0);
                None
            }
        };
        let Some(size_bytes) = size else { return };
        let by_call = freed_by(hit, call.function);
        let is_moved = call.role == HeapRole::Reallocate && (value != 0 || size_bytes == 0);
        if let Some(before) = argument(0).filter(|_| is_moved) {
            // Meanwhile another thread may have got the address.
            let moved = self
                .live(before)
                .filter(|(_, block)| block.allocated_at < call.at);
            moved
                .iter()
                .for_each(|(place, _)| self.end(*place, by_call));
        }
        if value == 0 {
            return;
        }
        let block = HeapBlock {
            address: Address(value),
            size_bytes,
            allocated_at: hit.position,
            allocated_step: hit.step,
            allocated_by: hit.thread,
            function: call.function,
            freed: None,
        };
        self.follow(&block, call.at, by_call);
    }

    /// Tracks a block that a call returned, if there is room.
    fn follow(&mut self, block: &HeapBlock, called_at: Position, by_call: BlockRelease) {
        let before = self.live(block.address.0);
        // A function that calls another heap function passes on the block of the inner one.
        if let Some((place, _)) = before.filter(|(_, before)| before.allocated_at >= called_at) {
            return self.heap.replace(place, block);
        }
        // If the order between threads is not known, another thread may have freed that one just
        // before.
        let unfreed = before.map(|(place, _)| place);
        unfreed.iter().for_each(|place| self.end(*place, by_call));
        if self.heap.len() >= self.limit {
            self.heap.is_cut_short = true;
            self.latest.remove(&block.address.0);
            return;
        }
        let place = self.heap.push(block, unfreed);
        self.latest.insert(block.address.0, place);
    }

    /// Returns the block that is allocated at an address, and its place.
    fn live(&self, address: u64) -> Option<(u32, HeapBlock)> {
        let place = *self.latest.get(&address)?;
        Some((
            place,
            self.heap.get(place).filter(|block| block.freed.is_none())?,
        ))
    }

    /// Handles a call that frees an address.
    fn freed(&mut self, address: u64, return_address: Address, by: BlockRelease) {
        let live = self.live(address);
        let of_other = live.filter(|(_, block)| block.allocated_by != by.thread);
        if let Some(before) = of_other.and_then(|(place, _)| self.heap.take_unfreed_before(place)) {
            return self.heap.end(before, by);
        }
        self.check_block(address, return_address, by);
        live.iter().for_each(|(place, _)| self.end(*place, by));
    }

    /// Reports a free or move of an address without a block.
    fn check_block(&mut self, address: u64, return_address: Address, by: BlockRelease) {
        if address == 0 || self.live(address).is_some() {
            return;
        }
        let freed_before = self
            .latest
            .get(&address)
            .and_then(|place| self.heap.get(*place)?.freed);
        // It may be one of those that are not tracked.
        if freed_before.is_none() && self.heap.is_cut_short {
            return;
        }
        let BlockRelease {
            at,
            step,
            thread,
            function,
        } = by;
        let address = Address(address);
        self.heap.note_bad_free(BadFree {
            address,
            at,
            step,
            thread,
            function,
            return_address,
            freed_before,
        });
    }

    /// Ends the block at a place.
    fn end(&mut self, place: u32, by: BlockRelease) {
        self.heap.take_unfreed_before(place);
        self.heap.end(place, by);
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;
    use crate::answers::heap::BAD_FREES;

    const MALLOC: u64 = 1;
    const FREE: u64 = 2;

    /// Replays calls of `malloc` (by the returned address) and `free` (by the argument), with at
    /// most `limit` blocks.
    fn heap(calls: &[(u64, u64)], limit: usize) -> Heap {
        let roles = BTreeMap::from([(MALLOC, HeapRole::Allocate), (FREE, HeapRole::Free)]);
        let mut builder = HeapBuilder {
            limit,
            ..HeapBuilder::new(&roles)
        };
        for (at, (function, address)) in (1..).map(|time| 10 * time).zip(calls) {
            let argument = if *function == MALLOC { 64 } else { *address };
            let mut markers = vec![
                (0, MarkerKind::FUNCTION, *function),
                (0, MarkerKind::RETURN_ADDRESS, 0x1004),
                (0, MarkerKind::ARGUMENT, argument),
            ];
            if *function == MALLOC {
                markers.extend([
                    (1, MarkerKind::FUNCTION, MALLOC),
                    (1, MarkerKind::RETURN_VALUE, *address),
                ]);
            }
            for (later, kind, value) in markers {
                let (position, step) = (Position(at + later), Some(Step(at + later - 1)));
                builder.take(&MarkerHit {
                    position,
                    step,
                    thread: ThreadId(0),
                    marker: Marker { kind, value },
                });
            }
        }
        builder.heap.finish()
    }

    #[test]
    fn frees_of_blocks_that_are_not_followed_are_not_called_wrong() {
        let calls = [
            (MALLOC, 0x1000),
            (MALLOC, 0x2000),
            (MALLOC, 0x3000),
            (FREE, 0x3000),
            (FREE, 0x1000),
        ];
        let (cut, whole) = (heap(&calls, 2), heap(&calls, 3));
        assert!(cut.is_cut_short && !whole.is_cut_short);
        assert_eq!(cut.blocks().len(), 2);
        assert_eq!((cut.bad_frees, cut.unknown_frees), (Vec::new(), 0));
        assert_eq!((whole.bad_frees, whole.unknown_frees), (Vec::new(), 0));
    }

    #[test]
    fn a_place_that_is_given_out_again_beyond_the_limit_may_be_freed_again() {
        let calls = [
            (MALLOC, 0x1000),
            (FREE, 0x1000),
            (MALLOC, 0x1000),
            (FREE, 0x1000),
            (FREE, 0x1000),
        ];
        let cut = heap(&calls, 1);
        assert!(cut.is_cut_short);
        assert_eq!(cut.bad_frees, []);
        assert_eq!(heap(&calls, 2).bad_frees.len(), 1, "the last one is wrong");
    }

    #[test]
    fn a_block_that_is_followed_and_freed_twice_is_told_beyond_the_limit_too() {
        let calls = [
            (MALLOC, 0x1000),
            (MALLOC, 0x2000),
            (FREE, 0x1000),
            (FREE, 0x1000),
            (FREE, 0x7000),
        ];
        let cut = heap(&calls, 1);
        let freed: Vec<_> = cut.bad_frees.iter().map(|bad| bad.address.0).collect();
        assert_eq!(
            (freed, cut.double_frees, cut.unknown_frees),
            (vec![0x1000], 1, 0)
        );
    }

    #[test]
    fn wrong_frees_without_number_are_counted() {
        let count = BAD_FREES as u64 + 10;
        let calls: Vec<_> = (0..count).map(|number| (FREE, 0x1000 + number)).collect();
        let found = heap(&calls, 1);
        assert_eq!(
            (found.bad_frees.len(), found.unknown_frees),
            (BAD_FREES, count)
        );
    }
}
