//! What was counted of a trace, as numbers that its store keeps.

use std::collections::BTreeMap;

use crate::drmemtrace::counts::{Counter, Counts};
use crate::marker::MarkerKind;

/// What a whole trace holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceCounts {
    /// What each thread did, by number; empty until the whole trace has been read.
    pub threads: Vec<Counts>,
    /// What all did together.
    pub total: Counts,
}

/// As many figures stand before those of the markers.
const FIGURES: usize = 14;

impl TraceCounts {
    /// Of all that was counted.
    pub fn of(counter: &Counter) -> Self {
        Self {
            threads: counter
                .threads()
                .map(|(_, counts)| counts.clone())
                .collect(),
            total: counter.total(),
        }
    }

    /// As numbers: the total first.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for counts in std::iter::once(&self.total).chain(&self.threads) {
            numbers.extend(figures(counts));
            numbers.push(counts.markers.len() as u64);
            numbers.extend(
                counts
                    .markers
                    .iter()
                    .flat_map(|(kind, count)| [u64::from(kind.0), *count]),
            );
        }
        numbers
    }

    /// From the same numbers; all zero where there are none.
    pub fn of_numbers(numbers: &[u64]) -> Self {
        let mut numbers = numbers.iter().copied();
        let total = counts_of(&mut numbers).unwrap_or_default();
        Self {
            total,
            threads: std::iter::from_fn(|| counts_of(&mut numbers)).collect(),
        }
    }
}

/// All figures but those of the markers.
fn figures(counts: &Counts) -> [u64; FIGURES] {
    [
        counts.instructions,
        counts.kernel_instructions,
        counts.unique_instructions,
        counts.nofetch,
        counts.kernel_nofetch,
        counts.encodings,
        counts.loads,
        counts.stores,
        counts.bytes_read,
        counts.bytes_written,
        counts.prefetches,
        counts.instruction_flushes,
        counts.data_flushes,
        u64::from(counts.unique_is_at_least),
    ]
}

/// The next counts of some numbers; none at their end.
fn counts_of(numbers: &mut impl Iterator<Item = u64>) -> Option<Counts> {
    let mut next = || numbers.next();
    let mut counts = Counts {
        instructions: next()?,
        kernel_instructions: next()?,
        unique_instructions: next()?,
        nofetch: next()?,
        kernel_nofetch: next()?,
        encodings: next()?,
        loads: next()?,
        stores: next()?,
        bytes_read: next()?,
        bytes_written: next()?,
        prefetches: next()?,
        instruction_flushes: next()?,
        data_flushes: next()?,
        unique_is_at_least: next()? != 0,
        markers: BTreeMap::new(),
    };
    for _ in 0..next()? {
        counts.markers.insert(MarkerKind(next()? as u16), next()?);
    }
    Some(counts)
}
