//! The heap, from the markers of the functions that allocate and free.
//!
//! Markers name functions by numbers; whoever asks says which numbers have which [`HeapRole`].

use std::collections::{BTreeMap, HashMap};

use stepback_machine::Address;
use stepback_parsers::{Marker, MarkerKind, Position, Source, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::markers::FindMarkers;
use crate::query::question::Query;

/// What a function does to the heap, and so what its arguments mean.
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
    /// `posix_memalign(where, alignment, size)`: where the block is, it stores in memory, which the trace does not show.
    AllocateUnseen,
}

/// The blocks of the heap with their lifetimes. Cost: all markers of functions are read; the answer is to be kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Allocations {
    /// By the value of a function's markers: what it does.
    pub roles: BTreeMap<u64, HeapRole>,
}

/// The blocks of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// By address, then by time.
    blocks: Vec<Block>,
    /// The end of the highest block up to each.
    ends: Vec<u64>,
    /// Frees of what is not allocated, in trace order.
    pub bad_frees: Vec<BadFree>,
    /// Blocks that were allocated at addresses which the trace does not show.
    pub unseen: u64,
    /// True when there are more than [`BLOCKS`]: the rest is left out.
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
    pub freed_before: Option<Freed>,
}

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
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
pub struct Block {
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
    pub freed: Option<Freed>,
}

/// More blocks are not kept.
pub const BLOCKS: usize = 1 << 22;
/// Markers that are read in one go.
const BATCH: usize = 1 << 16;

const KINDS: [MarkerKind; 4] =
    [MarkerKind::FUNCTION, MarkerKind::RETURN_ADDRESS, MarkerKind::ARGUMENT, MarkerKind::RETURN_VALUE];

impl Query for Allocations {
    type Answer = Heap;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Heap, QueryError> {
        let mut builder = Builder::new(&self.roles);
        let mut from = Position(0);
        loop {
            let batch = FindMarkers { kinds: KINDS.to_vec(), thread: None, from, to: index.end(), limit: BATCH }
                .run(index, cancel)?;
            batch.iter().for_each(|hit| builder.take(hit));
            match batch.last() {
                Some(last) if batch.len() >= BATCH && last.position < index.end() => {
                    from = Position(last.position.0 + 1)
                }
                _ => return Ok(builder.finish()),
            }
        }
    }
}

impl Heap {
    /// All blocks, by address, then by time.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that an address belongs to at a position: one that is allocated then, or else the one that was freed last before.
    pub fn block_at(&self, address: Address, position: Position) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.address <= address);
        let (mut place, mut found) = (after, None::<&Block>);
        while let Some(before) = place.checked_sub(1).filter(|before| self.ends.get(*before) > Some(&address.0)) {
            place = before;
            let Some(block) = self.blocks.get(place) else { break };
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
}

impl Block {
    /// Whether an address is one of its bytes; a block of no bytes has its first.
    pub fn contains(&self, address: Address) -> bool {
        address.0.checked_sub(self.address.0).is_some_and(|offset| offset < self.size_bytes.max(1))
    }

    /// Whether it is allocated at a position.
    pub fn is_allocated(&self, position: Position) -> bool {
        self.allocated_at <= position && self.freed_at().is_none_or(|freed| position < freed)
    }

    fn freed_at(&self) -> Option<Position> {
        self.freed.map(|freed| freed.at)
    }
}

/// Follows the markers.
struct Builder<'a> {
    roles: &'a BTreeMap<u64, HeapRole>,
    threads: HashMap<ThreadId, Thread>,
    /// The blocks that are allocated, by address.
    live: HashMap<u64, Block>,
    /// How the last block at an address ended, for blocks that are freed.
    ended: HashMap<u64, Freed>,
    /// The places of blocks whose addresses were given out again before they were freed:
    /// where the order between threads is not known, another thread may have freed them just before.
    owed: HashMap<u64, usize>,
    heap: Heap,
}

/// A thread that calls such functions.
#[derive(Debug, Default)]
struct Thread {
    /// The function that the markers being read belong to.
    function: Option<u64>,
    /// Calls that have not returned.
    calls: Vec<HeapCall>,
    /// What was freed last and by which function, when no other function of the heap was called since.
    last_free: Option<(u64, u64)>,
}

/// A call of such a function.
#[derive(Clone, Debug)]
struct HeapCall {
    function: u64,
    role: HeapRole,
    return_address: Address,
    arguments: Vec<u64>,
    at: Position,
}

/// No program nests calls of such functions deeper than this.
const DEPTH: usize = 64;

/// What ends a block: a marker of a function.
fn freed_by(hit: &MarkerHit, function: u64) -> Freed {
    Freed { at: hit.position, step: hit.step, thread: hit.thread, function }
}

impl<'a> Builder<'a> {
    fn new(roles: &'a BTreeMap<u64, HeapRole>) -> Self {
        let (threads, live, ended, owed) = Default::default();
        Self { roles, threads, live, ended, owed, heap: Heap::default() }
    }

    fn take(&mut self, hit: &MarkerHit) {
        let Marker { kind, value } = hit.marker;
        let thread = self.threads.entry(hit.thread).or_default();
        let role = thread.function.and_then(|function| Some((function, *self.roles.get(&function)?)));
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
                    arguments: Vec::new(),
                    at: hit.position,
                });
            }
            (MarkerKind::ARGUMENT, Some((function, role))) => {
                let call = thread.calls.last_mut().filter(|call| call.function == function && call.at == hit.position);
                let Some(call) = call.filter(|call| call.arguments.len() < 2) else { return };
                call.arguments.push(value);
                let return_address = call.return_address;
                match (role, call.arguments.len()) {
                    (HeapRole::Free, _) => {
                        // Its return tells nothing, and usually is not recorded.
                        thread.calls.pop();
                        let before = thread.last_free.replace((value, function));
                        // `operator delete` calls `free`.
                        let is_inner = before.is_some_and(|before| before.0 == value && before.1 != function);
                        if !is_inner {
                            self.freed(value, return_address, freed_by(hit, function));
                        }
                    }
                    (HeapRole::Reallocate, 1) => self.check_block(value, return_address, freed_by(hit, function)),
                    _ => {}
                }
            }
            (MarkerKind::RETURN_VALUE, Some((function, _))) => {
                let Some(place) = thread.calls.iter().rposition(|call| call.function == function) else { return };
                let call = thread.calls.drain(place..).next();
                if let Some(call) = call {
                    self.returned(&call, value, hit);
                }
            }
            _ => {}
        }
    }

    fn returned(&mut self, call: &HeapCall, value: u64, hit: &MarkerHit) {
        let argument = |place: usize| call.arguments.get(place).copied();
        let size = match call.role {
            HeapRole::Allocate => argument(0),
            HeapRole::AllocateArray => argument(0).zip(argument(1)).and_then(|(count, size)| count.checked_mul(size)),
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
            // Meanwhile another thread may have got the place.
            let is_same = self.live.get(&before).is_some_and(|block| block.allocated_at < call.at);
            if is_same {
                self.end(before, by_call);
            }
        }
        if value == 0 {
            return;
        }
        if self.live.len() >= BLOCKS {
            self.heap.is_cut_short = true;
            return;
        }
        // A function that calls another of these passes on what that one allocated.
        let is_inner = self.live.get(&value).is_some_and(|block| block.allocated_at >= call.at);
        if !is_inner && self.end(value, by_call) {
            self.owed.insert(value, self.heap.blocks.len().saturating_sub(1));
        }
        let block = Block {
            address: Address(value),
            size_bytes,
            allocated_at: hit.position,
            allocated_step: hit.step,
            allocated_by: hit.thread,
            function: call.function,
            freed: None,
        };
        self.live.insert(value, block);
    }

    /// A function that frees was called.
    fn freed(&mut self, address: u64, return_address: Address, by: Freed) {
        let is_of_other = |block: &Block| block.allocated_by != by.thread;
        if self.live.get(&address).is_some_and(is_of_other)
            && let Some(block) = self.owed.remove(&address).and_then(|place| self.heap.blocks.get_mut(place))
        {
            block.freed = Some(by);
            return;
        }
        self.check_block(address, return_address, by);
        self.end(address, by);
    }

    /// Notes when there is no block at an address that is freed or moved.
    fn check_block(&mut self, address: u64, return_address: Address, by: Freed) {
        if address == 0 || self.live.contains_key(&address) || self.heap.bad_frees.len() >= BLOCKS {
            return;
        }
        let Freed { at, step, thread, function } = by;
        let freed_before = self.ended.get(&address).copied();
        let address = Address(address);
        self.heap.bad_frees.push(BadFree { address, at, step, thread, function, return_address, freed_before });
    }

    /// Ends the block at an address; false when there is none.
    fn end(&mut self, address: u64, by: Freed) -> bool {
        let Some(block) = self.live.remove(&address) else { return false };
        self.owed.remove(&address);
        if self.ended.len() < BLOCKS || self.ended.contains_key(&address) {
            self.ended.insert(address, by);
        }
        self.keep(Block { freed: Some(by), ..block });
        true
    }

    fn keep(&mut self, block: Block) {
        if self.heap.blocks.len() < BLOCKS {
            self.heap.blocks.push(block);
        } else {
            self.heap.is_cut_short = true;
        }
    }

    fn finish(mut self) -> Heap {
        for block in std::mem::take(&mut self.live).into_values() {
            self.keep(block);
        }
        let mut heap = self.heap;
        heap.blocks.sort_unstable_by_key(|block| (block.address, block.allocated_at));
        let mut end = 0;
        heap.ends = heap
            .blocks
            .iter()
            .map(|block| {
                end = end.max(block.address.0.saturating_add(block.size_bytes.max(1)));
                end
            })
            .collect();
        heap
    }
}
