//! Blocks that the same calls of allocating functions return in both traces ([`moved_blocks`]): calls
//! of functions whose addresses are known, or calls that markers of the trace record.

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_index::answer::{Call, CallId, Heap, ThreadId, Value};
use stepback_index::query::RegistersAt;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::align::side::Side;
use crate::region::Alignment;
use crate::slides::Slides;
use crate::values::distances::{Distances, merge};

/// Maximum number of calls of allocating functions that are examined: some seconds of work.
const CALLS: usize = 1 << 16;
/// Number of bytes before and after a block that belong to it: allocators keep its size and that of
/// the next block there, and round sizes up.
const MARGIN: u64 = 16;

/// A function that allocates memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocator {
    /// Address in the first trace.
    pub function: Address,
    /// Places of the arguments, from 0, whose product is the size in bytes.
    pub size_arguments: &'static [usize],
}

/// Block that an allocating call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    address: u64,
    size_bytes: u64,
}

/// Finds the blocks that matched calls allocated, by their distance, unless a part lies at the same one.
pub(crate) fn moved_blocks(
    a: &mut Side<'_>,
    b: &mut Side<'_>,
    alignment: &Alignment,
    allocators: &Allocators<'_>,
    cancel: &Cancel,
) -> Result<BTreeMap<u64, Vec<Range<u64>>>, QueryError> {
    let mut found: BTreeMap<u64, Vec<Range<u64>>> = BTreeMap::new();
    let mut add = |one: Block, other: Block| {
        let distance = other.address.wrapping_sub(one.address);
        if distance != 0 && !allocators.distances.has_part(distance) {
            // The blocks of both must have the same size, or a pointer is another one.
            let size = one.size_bytes.min(other.size_bytes);
            let end = one.address.saturating_add(size).saturating_add(MARGIN);
            let range = one.address.saturating_sub(MARGIN)..end;
            found.entry(distance).or_default().push(range);
        }
    };
    let calls = a.index.plain_calls();
    let mut examined = 0;
    for id in (0..calls.len()).map(CallId) {
        let call = calls.get(id).filter(|call| call.thread == a.thread);
        let Some((call, allocator)) =
            call.and_then(|call| Some((call, allocators.of_first(&call)?)))
        else {
            continue;
        };
        examined += 1;
        if examined > CALLS {
            break;
        }
        cancel.check()?;
        let Some(partner) = partner(a, b, alignment, allocators, &call)? else {
            continue;
        };
        let one = block(a, &call, allocator, cancel)?;
        let other = block(b, &partner, allocator, cancel)?;
        let Some((one, other)) = one.zip(other) else {
            continue;
        };
        add(one, other);
    }
    recorded_blocks(a, b, alignment, allocators.heaps, &mut add)?;
    found.values_mut().for_each(merge);
    Ok(found)
}

/// Functions that allocate in both traces.
pub(crate) struct Allocators<'a> {
    pub functions: &'a [Allocator],
    /// Blocks that markers of the traces record.
    pub heaps: &'a [Heap; 2],
    pub slides: &'a Slides,
    /// Distances of whole parts of the address space.
    pub distances: &'a Distances,
}

impl Allocators<'_> {
    fn of_first(&self, call: &Call) -> Option<&Allocator> {
        self.at(call.function.0)
    }

    fn of_second(&self, call: &Call) -> Option<&Allocator> {
        self.at(self.slides.to_first(call.function))
    }

    fn at(&self, address: u64) -> Option<&Allocator> {
        let mut functions = self.functions.iter();
        functions.find(|allocator| allocator.function.0 == address)
    }
}

/// Passes on the recorded blocks whose allocating functions end with matched steps.
fn recorded_blocks(
    a: &Side<'_>,
    b: &mut Side<'_>,
    alignment: &Alignment,
    heaps: &[Heap; 2],
    mut take: impl FnMut(Block, Block),
) -> Result<(), QueryError> {
    let [in_a, in_b] = heaps;
    let in_b = blocks_by_step(in_b, b.thread);
    for (step, one) in blocks_by_step(in_a, a.thread) {
        let Some(number) = alignment.partner(a.number_of(step)?) else {
            continue;
        };
        let partner = b.addresses.step(number)?;
        if let Some((one, other)) = one.zip(in_b.get(&partner).copied().flatten()) {
            take(one, other);
        }
    }
    Ok(())
}

/// Returns the recorded blocks of a thread by the last step of their allocation; `None` where several
/// are allocated at one step.
fn blocks_by_step(heap: &Heap, thread: ThreadId) -> BTreeMap<Step, Option<Block>> {
    let mut found = BTreeMap::new();
    for block in heap.blocks().filter(|block| block.allocated_by == thread) {
        let Some(step) = block.allocated_step else {
            continue;
        };
        let only = Block {
            address: block.address.0,
            size_bytes: block.size_bytes,
        };
        let entry = found.entry(step);
        entry
            .and_modify(|known| *known = None)
            .or_insert(Some(only));
    }
    found
}

/// Returns the call of the second trace whose first step matches that of a call.
fn partner(
    a: &Side<'_>,
    b: &mut Side<'_>,
    alignment: &Alignment,
    allocators: &Allocators<'_>,
    call: &Call,
) -> Result<Option<Call>, QueryError> {
    let Some(entry) = call.entry_step else {
        return Ok(None);
    };
    let Some(number) = alignment.partner(a.number_of(entry)?) else {
        return Ok(None);
    };
    let position = b.position(number)?;
    let calls = b.index.plain_calls();
    let other = calls.innermost_at(b.thread, position);
    let other = other.and_then(|id| calls.get(id));
    Ok(other
        .filter(|other| other.entered_at() == position && allocators.of_second(other).is_some()))
}

/// Reads the arguments and the result of a call. `None` if the trace does not record the result, or
/// if nothing was allocated.
fn block(
    side: &Side<'_>,
    call: &Call,
    allocator: &Allocator,
    cancel: &Cancel,
) -> Result<Option<Block>, QueryError> {
    let abi = side.index.instruction_set(side.thread).abi();
    let registers = |position: Position| {
        let question = RegistersAt {
            position,
            thread: Some(side.thread),
        };
        question.run(side.index, cancel)
    };
    let Some((result, exit)) = abi.result.zip(call.exit_step) else {
        return Ok(None);
    };
    let address = registers(exit.after())?;
    let address = address.get(result).and_then(Value::to_u64);
    let Some(address) = address.filter(|address| *address != 0) else {
        return Ok(None);
    };
    let before = registers(call.entered_at())?;
    let argument = |place: &usize| before.get(abi.arguments.get(*place)?)?.to_u64();
    let mut sizes = allocator.size_arguments.iter().map(argument);
    let size = sizes.try_fold(1u64, |size, argument| size.checked_mul(argument?));
    Ok(Some(Block {
        address,
        size_bytes: size.unwrap_or(0),
    }))
}
