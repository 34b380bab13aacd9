//! The blocks of the heap, as the markers of a trace tell of them.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::thread::ThreadId;

/// So many blocks are followed; those that are allocated later are left out.
///
/// The whole answer stays within [`HEAP_BYTES`]: 64 bytes a block and 8 for its end,
/// and while the trace is read some 20 for the way from addresses to blocks, whose table is just full with so many.
pub const BLOCKS: usize = 7 << 18;
/// So many calls that free what is not allocated are listed; the rest is counted.
pub const BAD_FREES: usize = 1 << 16;
/// What the answer may take while it is worked out, and afterwards.
pub const HEAP_BYTES: usize = 192 << 20;

/// The blocks of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// By address, then by time.
    blocks: Vec<PackedHeapBlock>,
    /// The end of the highest block up to each.
    ends: Vec<u64>,
    /// The functions that the blocks name by their places here, sorted.
    functions: Vec<u64>,
    /// Frees of what is not allocated, in trace order: [`BAD_FREES`] at most of what was freed before,
    /// and as many of what the trace does not show to be allocated.
    pub bad_frees: Vec<BadFree>,
    /// All frees of what the trace does not show to be allocated, listed or not.
    pub unknown_frees: u64,
    /// All frees of what was freed before, listed or not.
    pub double_frees: u64,
    /// Blocks that were allocated at addresses which the trace does not show.
    pub unseen: u64,
    /// True when there are more than [`BLOCKS`]: later ones are left out, and frees of what may be one of them are not told.
    pub is_cut_short: bool,
}

/// A call that frees what is not allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFree {
    /// What it was given.
    pub address: Address,
    /// When.
    pub at: Position,
    /// The last step of the thread before the function.
    pub step: Option<Step>,
    /// Whose call it is.
    pub thread: ThreadId,
    /// The function.
    pub function: u64,
    /// Where it will return to.
    pub return_address: Address,
    /// When the block at this address was freed before; none when the trace shows no block there.
    pub freed_before: Option<BlockRelease>,
}

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRelease {
    /// When.
    pub at: Position,
    /// The last step of the thread before the function that did it.
    pub step: Option<Step>,
    /// By whom.
    pub thread: ThreadId,
    /// By which function.
    pub function: u64,
}

/// A block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapBlock {
    /// Its first byte.
    pub address: Address,
    /// How many bytes were asked for.
    pub size_bytes: u64,
    /// When it was allocated: the function's return shows at this position.
    pub allocated_at: Position,
    /// The last step of the function that returned it.
    pub allocated_step: Option<Step>,
    /// By whom.
    pub allocated_by: ThreadId,
    /// By which function.
    pub function: u64,
    /// How it ended; none when the trace does not show it.
    pub freed: Option<BlockRelease>,
}

/// A block as it is kept, in 64 bytes. [`NONE`] stands for what is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedHeapBlock {
    address: u64,
    size_bytes: u64,
    allocated_at: u64,
    allocated_step: u64,
    freed_at: u64,
    freed_step: u64,
    /// Places among the functions.
    function: u32,
    freed_function: u32,
    allocated_by: u16,
    freed_by: u16,
    /// The place of a block at the same address that was not freed when this one was allocated.
    unfreed_before: u32,
}

/// No trace has so many positions, steps or blocks.
const NONE: u64 = u64::MAX;
const NO_BLOCK: u32 = u32::MAX;

impl Heap {
    /// One without blocks, of blocks that these functions allocate and free.
    pub(crate) fn of(functions: impl IntoIterator<Item = u64>) -> Self {
        let mut functions: Vec<u64> = functions.into_iter().collect();
        functions.sort_unstable();
        Self {
            functions,
            ..Self::default()
        }
    }

    /// All blocks, by address, then by time.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = HeapBlock> {
        self.blocks.iter().map(|block| self.block(block))
    }

    /// The block that an address belongs to at a position: one that is allocated then, or else the one that was freed last before.
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

    /// How many blocks there are so far.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// One by its place among them; while they come, in the order in which they came.
    pub fn get(&self, place: u32) -> Option<HeapBlock> {
        self.blocks
            .get(place as usize)
            .map(|block| self.block(block))
    }

    /// Adds a block, behind one at its address that was not freed when this was allocated; gives its place.
    pub(crate) fn push(&mut self, block: &HeapBlock, unfreed_before: Option<u32>) -> u32 {
        let kept = self.kept(block, unfreed_before.unwrap_or(NO_BLOCK));
        self.blocks.push(kept);
        u32::try_from(self.blocks.len() - 1).unwrap_or(NO_BLOCK) // there are at most `BLOCKS`
    }

    /// Puts a block in the place of another at its address, which is the same block as an inner function gave it out.
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

    /// Says how the block at a place ended.
    pub(crate) fn end(&mut self, place: u32, by: BlockRelease) {
        let freed_function = self.place_of(by.function);
        if let Some(block) = self.blocks.get_mut(place as usize) {
            (block.freed_at, block.freed_step) = (by.at.0, by.step.map_or(NONE, |step| step.0));
            (block.freed_by, block.freed_function) = (by.thread.0, freed_function);
        }
    }

    /// Takes the note out of the block at a place that one before was not freed, and gives the place of that.
    pub(crate) fn take_unfreed_before(&mut self, place: u32) -> Option<u32> {
        let before = &mut self.blocks.get_mut(place as usize)?.unfreed_before;
        Some(std::mem::replace(before, NO_BLOCK)).filter(|before| *before != NO_BLOCK)
    }

    /// Notes a free of what is not allocated.
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

    /// The answer, when all blocks came.
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
    /// Whether an address is one of its bytes; a block of no bytes has its first.
    pub fn contains(&self, address: Address) -> bool {
        address
            .0
            .checked_sub(self.address.0)
            .is_some_and(|offset| offset < self.size_bytes.max(1))
    }

    /// Whether it is allocated at a position.
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
    fn what_is_kept_of_the_heap_takes_what_is_told() {
        assert_eq!(size_of::<PackedHeapBlock>(), 64);
        // While the trace is read: blocks, whose list grows by doubling, and a table of addresses, of which seven eighths are in use.
        let table = (BLOCKS / 7 * 8) * (size_of::<(u64, u32)>() + 1);
        let following = BLOCKS.next_power_of_two() * size_of::<PackedHeapBlock>() + table;
        // Afterwards: blocks and their ends, and what asks sorts them by places of 4 bytes, three at once at most.
        let answer = BLOCKS.next_power_of_two() * size_of::<PackedHeapBlock>()
            + BLOCKS * (size_of::<u64>() + 12);
        let bad_frees = 2 * BAD_FREES * size_of::<BadFree>();
        assert!(
            following.max(answer) + bad_frees <= HEAP_BYTES,
            "{following}, {answer} and {bad_frees} bytes"
        );
    }
}
