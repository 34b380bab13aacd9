//! Heap blocks, from the markers of a trace.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;

/// Maximum number of tracked blocks; later allocations are left out.
///
/// The whole answer stays within [`HEAP_BYTES`]: 64 bytes for a block and 8 for its end. While the
/// trace is read, the hash table from addresses to blocks adds about 20 bytes per block. Its
/// capacity is just used up by this number of blocks.
pub const BLOCKS: usize = 7 << 18;
/// Maximum number of invalid frees that are listed; all are counted.
pub const BAD_FREES: usize = 1 << 16;
/// Maximum memory in bytes of the answer, both during the computation and afterwards.
pub const HEAP_BYTES: usize = 192 << 20;

/// The heap blocks of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Sorted by address, then by time.
    blocks: Vec<PackedHeapBlock>,
    /// For each block, the highest end of all blocks up to it.
    ends: Vec<u64>,
    /// Functions that the blocks refer to by index, sorted.
    functions: Vec<u64>,
    /// Invalid frees in trace order: at most [`BAD_FREES`] double frees and as many frees of
    /// unknown blocks.
    pub bad_frees: Vec<BadFree>,
    /// Number of frees of addresses that the trace does not show as allocated, listed or not.
    pub unknown_frees: u64,
    /// Number of double frees, listed or not.
    pub double_frees: u64,
    /// Number of blocks whose addresses the trace does not show.
    pub unseen: u64,
    /// True if there are more than [`BLOCKS`] blocks: later ones are left out, and frees that may
    /// concern them are not reported.
    pub is_cut_short: bool,
}

/// A call that frees memory that is not allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFree {
    /// Address passed to the function.
    pub address: Address,
    /// Position of the call.
    pub at: Position,
    /// Last step of the thread before the function.
    pub step: Option<Step>,
    /// Thread of the call.
    pub thread: ThreadId,
    /// Address of the freeing function.
    pub function: u64,
    /// Return address of the call.
    pub return_address: Address,
    /// Earlier release of the block at this address; `None` if the trace shows no block there.
    pub freed_before: Option<BlockRelease>,
}

/// The release of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRelease {
    /// Position of the release.
    pub at: Position,
    /// Last step of the thread before the freeing function.
    pub step: Option<Step>,
    /// Thread that freed the block.
    pub thread: ThreadId,
    /// Address of the freeing function.
    pub function: u64,
}

/// A heap block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapBlock {
    /// Address of the first byte.
    pub address: Address,
    /// Requested size in bytes.
    pub size_bytes: u64,
    /// Position at which the return of the allocating function is visible.
    pub allocated_at: Position,
    /// Last step of the allocating function.
    pub allocated_step: Option<Step>,
    /// Thread that allocated the block.
    pub allocated_by: ThreadId,
    /// Address of the allocating function.
    pub function: u64,
    /// Release of the block; `None` if the trace does not show it.
    pub freed: Option<BlockRelease>,
}

/// Compact form of a block, 64 bytes. [`NONE`] stands for a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedHeapBlock {
    address: u64,
    size_bytes: u64,
    allocated_at: u64,
    allocated_step: u64,
    freed_at: u64,
    freed_step: u64,
    /// Index into the functions.
    function: u32,
    freed_function: u32,
    allocated_by: u16,
    freed_by: u16,
    /// Index of an earlier block at this address that was still allocated when this one was.
    unfreed_before: u32,
}

/// Greater than any position, step or block number of a trace.
const NONE: u64 = u64::MAX;
const NO_BLOCK: u32 = u32::MAX;

impl Heap {
    /// Returns an empty heap for the given allocating and freeing functions.
    pub(crate) fn of(functions: impl IntoIterator<Item = u64>) -> Self {
        let mut functions: Vec<u64> = functions.into_iter().collect();
        functions.sort_unstable();
        Self {
            functions,
            ..Self::default()
        }
    }

    /// Returns all blocks, by address, then by time.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = HeapBlock> {
        self.blocks.iter().map(|block| self.block(block))
    }

    /// Returns the block that an address belongs to at a position: the one allocated at that time,
    /// or else the one freed last before.
    pub fn block_at(&self, address: Address, position: Position) -> Option<HeapBlock> {
        let after = self
            .blocks
            .partition_point(|block| block.address <= address.0);
        let (mut place, mut found) = (after, None::<HeapBlock>);
        while let Some(before) = place
            .checked_sub(1)
            .filter(|before| self.ends.get(*before) > Some(&address.0))
        {
            place = before;
            let Some(block) = self.blocks.get(place).map(|block| self.block(block)) else {
                break;
            };
            if !block.contains(address) || block.allocated_at > position {
                continue;
            }
            if block.is_allocated(position) {
                return Some(block);
            }
            if found.is_none_or(|found| block.freed_at() > found.freed_at()) {
                found = Some(block);
            }
        }
        found
    }

    fn block(&self, kept: &PackedHeapBlock) -> HeapBlock {
        HeapBlock {
            address: Address(kept.address),
            size_bytes: kept.size_bytes,
            allocated_at: Position(kept.allocated_at),
            allocated_step: step_of(kept.allocated_step),
            allocated_by: ThreadId(kept.allocated_by),
            function: self.function(kept.function),
            freed: self.freed(kept),
        }
    }

    fn freed(&self, kept: &PackedHeapBlock) -> Option<BlockRelease> {
        (kept.freed_at != NONE).then(|| BlockRelease {
            at: Position(kept.freed_at),
            step: step_of(kept.freed_step),
            thread: ThreadId(kept.freed_by),
            function: self.function(kept.freed_function),
        })
    }

    fn function(&self, place: u32) -> u64 {
        self.functions
            .get(place as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the current number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Returns a block by its index; during collection the order is that of insertion.
    pub fn get(&self, place: u32) -> Option<HeapBlock> {
        self.blocks
            .get(place as usize)
            .map(|block| self.block(block))
    }

    /// Appends a block and returns its index. `unfreed_before` is an earlier block at its address
    /// that was still allocated.
    pub(crate) fn push(&mut self, block: &HeapBlock, unfreed_before: Option<u32>) -> u32 {
        let kept = self.kept(block, unfreed_before.unwrap_or(NO_BLOCK));
        self.blocks.push(kept);
        u32::try_from(self.blocks.len() - 1).unwrap_or(NO_BLOCK) // at most `BLOCKS` blocks exist
    }

    /// Replaces a block by the same block as an outer function returned it.
    pub(crate) fn replace(&mut self, place: u32, block: &HeapBlock) {
        let Some(unfreed_before) = self
            .blocks
            .get(place as usize)
            .map(|inner| inner.unfreed_before)
        else {
            return;
        };
        let kept = self.kept(block, unfreed_before);
        self.blocks[place as usize] = kept;
    }

    fn kept(&self, block: &HeapBlock, unfreed_before: u32) -> PackedHeapBlock {
        PackedHeapBlock {
            address: block.address.0,
            size_bytes: block.size_bytes,
            allocated_at: block.allocated_at.0,
            allocated_step: block.allocated_step.map_or(NONE, |step| step.0),
            freed_at: NONE,
            freed_step: NONE,
            function: self.place_of(block.function),
            freed_function: u32::MAX,
            allocated_by: block.allocated_by.0,
            freed_by: 0,
            unfreed_before,
        }
    }

    /// Records the release of a block.
    pub(crate) fn end(&mut self, place: u32, by: BlockRelease) {
        let freed_function = self.place_of(by.function);
        if let Some(block) = self.blocks.get_mut(place as usize) {
            (block.freed_at, block.freed_step) = (by.at.0, by.step.map_or(NONE, |step| step.0));
            (block.freed_by, block.freed_function) = (by.thread.0, freed_function);
        }
    }

    /// Removes and returns the reference from a block to an earlier one that was still allocated.
    pub(crate) fn take_unfreed_before(&mut self, place: u32) -> Option<u32> {
        let before = &mut self.blocks.get_mut(place as usize)?.unfreed_before;
        Some(std::mem::replace(before, NO_BLOCK)).filter(|before| *before != NO_BLOCK)
    }

    /// Records an invalid free.
    pub(crate) fn note_bad_free(&mut self, bad: BadFree) {
        let count = if bad.freed_before.is_some() {
            &mut self.double_frees
        } else {
            &mut self.unknown_frees
        };
        *count += 1;
        if *count <= BAD_FREES as u64 {
            self.bad_frees.push(bad);
        }
    }

    /// Sorts the blocks and returns the complete answer.
    pub(crate) fn finish(mut self) -> Self {
        self.blocks
            .iter_mut()
            .for_each(|block| block.unfreed_before = NO_BLOCK);
        self.blocks
            .sort_unstable_by_key(|block| (block.address, block.allocated_at, block.freed_at));
        let mut end = 0;
        let ends = self.blocks.iter().map(|block| {
            end = end.max(block.address.saturating_add(block.size_bytes.max(1)));
            end
        });
        self.ends = ends.collect();
        self
    }

    fn place_of(&self, function: u64) -> u32 {
        let place = self.functions.binary_search(&function).ok();
        place
            .and_then(|place| u32::try_from(place).ok())
            .unwrap_or(u32::MAX)
    }
}

fn step_of(number: u64) -> Option<Step> {
    (number != NONE).then_some(Step(number))
}

impl HeapBlock {
    /// Returns true if the address is in the block; an empty block contains its first address.
    pub fn contains(&self, address: Address) -> bool {
        address
            .0
            .checked_sub(self.address.0)
            .is_some_and(|offset| offset < self.size_bytes.max(1))
    }

    /// Returns true if the block is allocated at a position.
    pub fn is_allocated(&self, position: Position) -> bool {
        self.allocated_at <= position && self.freed_at().is_none_or(|freed| position < freed)
    }

    fn freed_at(&self) -> Option<Position> {
        self.freed.map(|freed| freed.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_the_heap_takes_what_is_reported() {
        assert_eq!(size_of::<PackedHeapBlock>(), 64);
        // During the pass: the blocks, in a vector that grows by doubling, and a hash table of
        // addresses with a load factor of at most 7/8.
        let table = (BLOCKS / 7 * 8) * (size_of::<(u64, u32)>() + 1);
        let following = BLOCKS.next_power_of_two() * size_of::<PackedHeapBlock>() + table;
        // Afterwards: the blocks and their ends. Views sort them through up to three lists of
        // 4-byte indices.
        let answer = BLOCKS.next_power_of_two() * size_of::<PackedHeapBlock>()
            + BLOCKS * (size_of::<u64>() + 12);
        let bad_frees = 2 * BAD_FREES * size_of::<BadFree>();
        assert!(
            following.max(answer) + bad_frees <= HEAP_BYTES,
            "{following}, {answer} and {bad_frees} bytes"
        );
    }
}
