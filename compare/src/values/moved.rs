//! Memory that lies at other addresses in the second trace ([`moved_memory`]): address space
//! randomisation moves the stack, the heap and mappings by different distances.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use stepback_index::{Cancel, QueryError};
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::align::side::Side;
use crate::region::{Region, RegionKind};
use crate::values::block::{AccessEffect, EffectBlock, StepEffects, StepRange};
use crate::values::pass::{read_blocks, step_range};
use crate::values::registers::RegisterNumbers;

/// Number of matched steps that show whether anything moved.
const FIRST_STEPS: u64 = 1 << 14;
/// Number of places, evenly spaced over the trace, that are examined if something moved.
const PLACES: u64 = 64;
/// Number of matched steps of each place.
const PLACE_STEPS: u64 = 1 << 12;
/// Number of accesses at a distance of whole pages that show that memory moved.
const CONVINCING: u64 = 2;
/// Distance from that of the stack within which a distance is that of an aligned stack frame.
const ALIGNMENT: u64 = 256;
/// Distance from that of the stack within which a distance of whole pages is that of the strings of
/// arguments and environment: Linux leaves a random gap between them and the first stack frame.
const ARGUMENTS: u64 = 8192;
/// Any other distance counts if at least one access in this many has it.
const FREQUENT: u64 = 64;
/// Granularity of all distances but that of the stack.
pub(crate) const PAGE_BYTES: u64 = 4096;
/// Maximum number of pages whose extents of unmoved accesses are kept.
const UNMOVED_PAGES: usize = 1 << 14;

/// Memory that lies elsewhere in the second trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedMemory {
    /// Address in the second trace minus that in the first, modulo 2^64.
    pub distance: u64,
    /// Addresses of the first trace between which accesses have this distance.
    pub extent: Range<u64>,
    /// The stack pointer moved by this distance.
    pub is_stack: bool,
}

/// Memory of both traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryParts {
    /// Most frequently accessed first.
    pub moved: Vec<MovedMemory>,
    /// Addresses of the first trace between which accesses have the same addresses in both traces;
    /// empty if nothing moved.
    pub unmoved: Vec<Range<u64>>,
}

/// The regions of two threads.
#[derive(Clone, Copy)]
pub(crate) struct AlignedCode<'r> {
    pub regions: &'r [Region],
    /// Distances of the code that lies at another address.
    pub moved: &'r [u64],
}

/// Finds the distances between the addresses of accesses of matched steps, most frequent first. A
/// distance counts if it is one of whole pages, that of the stack, or frequent. If neither code nor
/// stack moved, nothing did, and other addresses are differences.
pub(crate) fn moved_memory<'a>(
    a: &mut Side<'a>,
    b: &mut Side<'a>,
    aligned: AlignedCode<'_>,
    cancel: &Cancel,
) -> Result<MemoryParts, QueryError> {
    let numbers = [(); 2].map(|()| RegisterNumbers::new(a.index, a.thread));
    let set = a.index.instruction_set(a.thread);
    let mut poll = Poll {
        a,
        b,
        numbers,
        spare: Default::default(),
        code: aligned.moved,
        votes: Votes {
            alignment: 2 * u64::from(set.word_bytes()),
            ..Votes::default()
        },
    };
    let same = |region: &&Region| region.kind == RegionKind::Same;
    let matched = aligned.regions.iter().filter(same);
    let total: u64 = matched
        .clone()
        .map(|region| region.a.end - region.a.start)
        .sum();
    let is_at_start = |region: &Region| same(&region) && (region.a.start, region.b.start) == (0, 0);
    if aligned.regions.first().is_some_and(is_at_start) {
        poll.ask_first_states(cancel)?;
    }
    poll.ask(matched.clone(), 0..FIRST_STEPS, cancel)?;
    if aligned.moved.is_empty() && poll.votes.stack().is_none_or(|distance| distance == 0) {
        return Ok(MemoryParts::default());
    }
    let left = total.saturating_sub(FIRST_STEPS);
    let distance = (left / PLACES).max(PLACE_STEPS);
    for from in (FIRST_STEPS..total).step_by(usize::try_from(distance).unwrap_or(usize::MAX)) {
        poll.ask(matched.clone(), from..from + PLACE_STEPS, cancel)?;
    }
    let unmoved = poll.votes.unmoved();
    Ok(MemoryParts {
        moved: poll.votes.winners(),
        unmoved,
    })
}

/// Asks matched steps for their distances.
struct Poll<'p, 'a> {
    /// Distances of the code.
    code: &'p [u64],
    a: &'p mut Side<'a>,
    b: &'p mut Side<'a>,
    numbers: [RegisterNumbers<'a>; 2],
    /// Blocks that are not in use any more.
    spare: [EffectBlock; 2],
    votes: Votes,
}

impl Poll<'_, '_> {
    /// Takes the stack pointers before the first steps.
    fn ask_first_states(&mut self, cancel: &Cancel) -> Result<(), QueryError> {
        let steps = [first_state(self.a), first_state(self.b)];
        let blocks = read_blocks(steps, &mut self.numbers, mem::take(&mut self.spare), cancel)?;
        let pointers = blocks.each_ref().map(|block| {
            let mut steps = block.steps().iter();
            steps.find_map(|step| stack_pointer(block, step))
        });
        if let [Some(a), Some(b)] = pointers {
            self.votes.pointer(a, b);
        }
        self.spare = blocks;
        Ok(())
    }

    /// Counts the distances of some matched steps, numbered over all regions.
    fn ask<'r>(
        &mut self,
        regions: impl Iterator<Item = &'r Region>,
        wanted: Range<u64>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let mut before = 0;
        for region in regions {
            let count = region.a.end - region.a.start;
            let from = wanted.start.saturating_sub(before).min(count);
            let to = wanted.end.saturating_sub(before).min(count);
            before += count;
            if from < to {
                let in_a = region.a.start + from..region.a.start + to;
                let in_b = region.b.start + from..region.b.start + to;
                self.ask_steps(in_a, in_b, cancel)?;
            }
            if before >= wanted.end {
                break;
            }
        }
        Ok(())
    }

    fn ask_steps(
        &mut self,
        in_a: Range<u64>,
        in_b: Range<u64>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let steps = [step_range(self.a, in_a)?, step_range(self.b, in_b)?];
        let [one, other] =
            read_blocks(steps, &mut self.numbers, mem::take(&mut self.spare), cancel)?;
        let mut before = [None; 2];
        for (step, partner) in one.steps().iter().zip(other.steps()) {
            let (in_a, in_b) = (one.accesses(step), other.accesses(partner));
            self.votes.accesses(in_a, in_b);
            if !in_a.is_empty() && step.is_call_or_return() {
                // Calls through a table also read data of the code.
                let accesses = distances(in_a, in_b).map(|(distance, _)| distance);
                for distance in accesses.filter(|distance| !self.code.contains(distance)) {
                    *self.votes.calls.entry(distance).or_default() += 1;
                }
            }
            let pointers = [stack_pointer(&one, step), stack_pointer(&other, partner)];
            if let [Some(a), Some(b)] = pointers {
                let is_wrong = [(step, a, before[0]), (partner, b, before[1])]
                    .into_iter()
                    .any(|(step, result, before)| contradicts(step, result, before));
                match is_wrong {
                    true => self.votes.wrong.insert(b.wrapping_sub(a)),
                    false => {
                        self.votes.pointer(a, b);
                        false
                    }
                };
            }
            for (before, pointer) in before.iter_mut().zip(pointers) {
                *before = pointer.or(*before);
            }
        }
        self.spare = [one, other];
        Ok(())
    }
}

/// Counts of distances.
#[derive(Debug, Default)]
struct Votes {
    accesses: HashMap<u64, DistanceVotes>,
    total: u64,
    /// Distances of the stack pointers that both traces write.
    pointers: HashMap<u64, DistanceVotes>,
    /// Stack pointer of the first trace, and distance, of the first of them.
    first_pointer: Option<(u64, u64)>,
    /// Distances of stack pointers that differ from what their instructions compute.
    wrong: HashSet<u64>,
    /// Number of bytes to which frames and blocks are aligned.
    alignment: u64,
    /// Extents of accesses without a distance, by page.
    unmoved: BTreeMap<u64, Range<u64>>,
    /// Distances of the accesses of calls and returns.
    calls: HashMap<u64, u64>,
}

/// The addresses at a distance.
#[derive(Clone, Copy, Debug, Default)]
struct DistanceVotes {
    count: u64,
    first: u64,
    end: u64,
}

impl DistanceVotes {
    /// Adds an address.
    fn add(&mut self, address: u64) {
        let end = address.saturating_add(1);
        *self = match self.count {
            0 => Self {
                count: 1,
                first: address,
                end,
            },
            count => Self {
                count: count + 1,
                first: self.first.min(address),
                end: self.end.max(end),
            },
        };
    }
}

impl Votes {
    fn accesses(&mut self, a: &[AccessEffect], b: &[AccessEffect]) {
        for (distance, address) in distances(a, b) {
            self.accesses.entry(distance).or_default().add(address);
            self.total += 1;
            let page = address / PAGE_BYTES;
            let is_kept = self.unmoved.len() < UNMOVED_PAGES || self.unmoved.contains_key(&page);
            if distance == 0 && is_kept {
                let end = address.saturating_add(1);
                let known = self.unmoved.entry(page).or_insert(address..end);
                *known = known.start.min(address)..known.end.max(end);
            }
        }
    }

    /// Adds the stack pointers of both traces.
    fn pointer(&mut self, a: u64, b: u64) {
        let distance = b.wrapping_sub(a);
        self.first_pointer.get_or_insert((a, distance));
        self.pointers.entry(distance).or_default().add(a);
    }

    /// Returns the distance of the stack. A trace without registers shows it by calls and returns.
    /// If no accesses confirm it, it is the distance of the first stack pointers: one that arises
    /// later may be an error of the program.
    fn stack(&self) -> Option<u64> {
        if self.total == 0 {
            return self.first_pointer.map(|(_, distance)| distance);
        }
        let most = |counts: &mut dyn Iterator<Item = (u64, u64)>| {
            let most = counts.max_by_key(|(distance, count)| (*count, Reverse(*distance)));
            most.map(|(distance, _)| distance)
        };
        let pointers = self.pointers.iter();
        let mut pointers = pointers
            .map(|(distance, votes)| (*distance, votes.count))
            .filter(|(distance, _)| !self.wrong.contains(distance));
        let mut calls = self
            .calls
            .iter()
            .map(|(distance, count)| (*distance, *count));
        most(&mut pointers).or_else(|| most(&mut calls))
    }

    /// Returns the extents of accesses without a distance. Neighbouring pages have one.
    fn unmoved(&self) -> Vec<Range<u64>> {
        let mut found: Vec<Range<u64>> = Vec::new();
        for extent in self.unmoved.values() {
            match found.last_mut() {
                Some(last) if extent.start - last.end < PAGE_BYTES => last.end = extent.end,
                _ => found.push(extent.clone()),
            }
        }
        found
    }

    fn winners(mut self) -> Vec<MovedMemory> {
        let stack = self.stack();
        if self.total == 0 {
            self.accesses = mem::take(&mut self.pointers);
            self.accesses.retain(|distance, _| Some(*distance) == stack);
        }
        let first_frame = self.first_pointer.map_or(u64::MAX, |(pointer, _)| pointer);
        let is_meant = |(distance, votes): &(u64, DistanceVotes)| {
            let is_of_pages = distance.is_multiple_of(PAGE_BYTES);
            let is_aligned = distance.is_multiple_of(self.alignment);
            // Strings of arguments and environment, before the first frame.
            let is_aligned = is_aligned || votes.first >= first_frame;
            let from_stack = stack.map(|stack| {
                let apart = stack.wrapping_sub(*distance).cast_signed();
                (apart.unsigned_abs(), stack.is_multiple_of(PAGE_BYTES))
            });
            let least = match from_stack {
                Some((..ARGUMENTS, false)) if is_of_pages => 1,
                Some((..ALIGNMENT, _)) if is_aligned => CONVINCING,
                _ if is_of_pages => CONVINCING,
                _ if is_aligned => CONVINCING.max(self.total / FREQUENT),
                _ => u64::MAX,
            };
            let is_stack = Some(*distance) == stack;
            *distance != 0 && (is_stack || votes.count >= least && !self.wrong.contains(distance))
        };
        let mut found: Vec<_> = self.accesses.into_iter().filter(is_meant).collect();
        found.sort_unstable_by_key(|(distance, votes)| (Reverse(votes.count), *distance));
        let moved = found.into_iter().map(|(distance, votes)| MovedMemory {
            distance,
            extent: votes.first..votes.end,
            is_stack: Some(distance) == stack,
        });
        moved.collect()
    }
}

/// Returns the effects before the first step of a thread as they are read.
fn first_state<'a>(side: &Side<'a>) -> StepRange<'a> {
    StepRange {
        index: side.index,
        thread: side.thread,
        range: Position(0)..Position(0),
    }
}

/// Returns the distances of accesses of two steps, with the addresses in the first trace.
fn distances<'e>(
    a: &'e [AccessEffect],
    b: &'e [AccessEffect],
) -> impl Iterator<Item = (u64, u64)> + 'e {
    let count = if a.len() == b.len() { a.len() } else { 0 };
    let pairs = a.iter().zip(b).take(count);
    let alike =
        pairs.filter(|(one, other)| one.kind == other.kind && one.size_bytes == other.size_bytes);
    alike.map(|(one, other)| (other.address.wrapping_sub(one.address), one.address))
}

/// Returns true if a step has another stack pointer than its instruction computes. `before` is the
/// stack pointer before it, if that is known.
fn contradicts(step: &StepEffects, result: u64, before: Option<u64>) -> bool {
    let is_other = step.instruction().and_then(|instruction| {
        let mut writes = instruction.meaning.writes.iter();
        let write = writes.find(|write| write.view.register == RegisterId::SP)?;
        let stack_pointer = |view: RegisterView| {
            before.filter(|_| view.register == RegisterId::SP && view.offset == 0)
        };
        let computed = write.value.value(&stack_pointer, &|_| None)?;
        let unused_bits = 64u32.saturating_sub(8 * u32::from(write.view.size_bytes));
        Some((computed ^ result) << unused_bits != 0)
    });
    is_other.unwrap_or(false)
}

/// Returns the stack pointer that a step writes.
fn stack_pointer(block: &EffectBlock, step: &StepEffects) -> Option<u64> {
    let mut writes = block.registers(step).iter();
    let write = writes.find(|write| write.view.register == RegisterId::SP)?;
    let bytes = block.value(write)?.iter().take(8).rev();
    Some(bytes.fold(0, |value, byte| value << 8 | u64::from(*byte)))
}
