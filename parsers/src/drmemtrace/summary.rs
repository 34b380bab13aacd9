//! Counts of a trace as numbers that its store keeps.

use std::collections::BTreeMap;

use crate::drmemtrace::counts::{Counter, Counts};
use crate::marker::MarkerKind;

/// Counts of a whole trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceCounts {
    /// Counts of each thread, by number; empty until the whole trace has been read.
    pub threads: Vec<Counts>,
    /// Counts of all threads together.
    pub total: Counts,
}

/// Number of figures before those of the markers.
const FIGURES: usize = 14;

impl TraceCounts {
    /// Takes the counts of a counter.
    pub fn of(counter: &Counter) -> Self {
        Self {
            threads: counter
                .threads()
                .map(|(_, counts)| counts.clone())
                .collect(),
            total: counter.total(),
        }
    }

    /// Returns the counts as numbers, the total first.
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

    /// Restores the counts from their numbers; all zero if there are none.
    pub fn of_numbers(numbers: &[u64]) -> Self {
        let mut numbers = numbers.iter().copied();
        let total = counts_of(&mut numbers).unwrap_or_default();
        Self {
            total,
            threads: std::iter::from_fn(|| counts_of(&mut numbers)).collect(),
        }
    }
}

/// Returns all figures except those of the markers.
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

/// Returns the next counts; `None` at the end of the numbers.
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
