//! Memory that lies at other addresses in the second trace ([`moved_memory`]): address space
//! randomisation moves the stack, the heap and mappings by different distances.

use foldhash::HashMap;
use stepback_index::{Cancel, QueryError};
use stepback_machine::RegisterId;

use crate::align::side::Side;
use crate::region::{Region, RegionKind};
use crate::values::block::{AccessEffect, EffectBlock, StepEffects};
use crate::values::pass::positions;
use crate::values::registers::RegisterNumbers;

/// Number of matched steps that are examined.
const EXAMINED: u64 = 1 << 16;
/// Number of accesses at a distance that show that memory moved.
const CONVINCING: u64 = 16;
/// Granularity of all distances but that of the stack.
const PAGE_BYTES: u64 = 4096;

/// The regions of two threads.
#[derive(Clone, Copy)]
pub(crate) struct AlignedCode<'r> {
    pub regions: &'r [Region],
    /// Some code lies at another address.
    pub has_moved: bool,
}

/// Finds the distances between the addresses of accesses of matched steps, most frequent first. A
/// distance counts if it is one of whole pages, or that of the stack pointers. If neither code nor
/// stack moved, nothing did, and other addresses are differences.
pub(crate) fn moved_memory<'a>(
    a: &mut Side<'a>,
    b: &mut Side<'a>,
    aligned: AlignedCode<'_>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let mut votes = Votes::default();
    let mut left = EXAMINED;
    let mut numbers = [(); 2].map(|()| RegisterNumbers::new(a.index, a.thread));
    for region in aligned
        .regions
        .iter()
        .filter(|region| region.kind == RegionKind::Same)
    {
        let count = left.min(region.a.end - region.a.start);
        let in_a = positions(a, region.a.start..region.a.start + count)?;
        let in_b = positions(b, region.b.start..region.b.start + count)?;
        let [of_a, of_b] = &mut numbers;
        let one = EffectBlock::read(a.index, a.thread, in_a, of_a, cancel)?;
        let other = EffectBlock::read(b.index, b.thread, in_b, of_b, cancel)?;
        for (step, partner) in one.steps().iter().zip(other.steps()) {
            votes.accesses(one.accesses(step), other.accesses(partner));
            votes.stack_pointers(&one, step, &other, partner);
        }
        left -= count;
        if left == 0 {
            break;
        }
    }
    Ok(
        match aligned.has_moved || votes.stack.is_some_and(|distance| distance != 0) {
            true => votes.winners(),
            false => Vec::new(),
        },
    )
}

/// Counts of distances.
#[derive(Debug, Default)]
struct Votes {
    accesses: HashMap<u64, u64>,
    stack: Option<u64>,
}

impl Votes {
    fn accesses(&mut self, a: &[AccessEffect], b: &[AccessEffect]) {
        if a.len() != b.len() {
            return;
        }
        for (one, other) in a.iter().zip(b) {
            if one.kind == other.kind && one.size_bytes == other.size_bytes {
                let distance = other.address.wrapping_sub(one.address);
                *self.accesses.entry(distance).or_default() += 1;
            }
        }
    }

    /// Notes the distance of the first stack pointers that both traces write.
    fn stack_pointers(
        &mut self,
        block: &EffectBlock,
        step: &StepEffects,
        other: &EffectBlock,
        partner: &StepEffects,
    ) {
        let value = |block: &EffectBlock, step: &StepEffects| {
            let mut writes = block.registers(step).iter();
            let write = writes.find(|write| write.view.register == RegisterId::SP)?;
            let bytes = block.value(write)?;
            Some(
                bytes
                    .iter()
                    .take(8)
                    .rev()
                    .fold(0u64, |value, byte| value << 8 | u64::from(*byte)),
            )
        };
        if self.stack.is_none() {
            let both = value(block, step).zip(value(other, partner));
            self.stack = both.map(|(one, other)| other.wrapping_sub(one));
        }
    }

    fn winners(self) -> Vec<u64> {
        let Self { accesses, stack } = self;
        let is_meant = |(distance, count): &(u64, u64)| {
            let is_whole = distance.is_multiple_of(PAGE_BYTES) || Some(*distance) == stack;
            *distance != 0 && *count >= CONVINCING && is_whole
        };
        let mut found: Vec<_> = accesses.into_iter().filter(is_meant).collect();
        found.sort_unstable_by_key(|(distance, count)| (std::cmp::Reverse(*count), *distance));
        found.into_iter().map(|(distance, _)| distance).collect()
    }
}
