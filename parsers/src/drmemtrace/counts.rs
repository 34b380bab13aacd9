//! Counts of the records of a trace, as DynamoRIO's `basic_counts` tool makes them: [`Counter`]
//! counts by thread while the trace is read, and the step store keeps the result as numbers
//! ([`TraceCounts`]).

use std::collections::BTreeMap;

use stepback_machine::AccessKind;

use crate::distinct::DistinctAddresses;
use crate::drmemtrace::head::FileType;
use crate::drmemtrace::raw_record::kind;
use crate::drmemtrace::record::{InstructionRecord, RecordSink, ThreadIdentity};
use crate::events::ThreadNumber;
use crate::marker::{Marker, MarkerKind};
use crate::problem::Problem;
use crate::step_store::record::StoredAccess;

/// The counts of DynamoRIO's `basic_counts` tool, for one thread or for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Fetched instructions.
    pub instructions: u64,
    /// Fetched instructions of the kernel.
    pub kernel_instructions: u64,
    /// Distinct addresses of instructions.
    pub unique_instructions: u64,
    /// True when `unique_instructions` is a lower bound: there are too many to distinguish.
    pub unique_is_at_least: bool,
    /// Further iterations of repeated instructions.
    pub nofetch: u64,
    /// Further iterations of repeated instructions of the kernel.
    pub kernel_nofetch: u64,
    /// Instructions that came with their encoding.
    pub encodings: u64,
    /// Loads.
    pub loads: u64,
    /// Stores.
    pub stores: u64,
    /// Bytes of all loads.
    pub bytes_read: u64,
    /// Bytes of all stores.
    pub bytes_written: u64,
    /// Prefetches of data and instructions.
    pub prefetches: u64,
    /// Flushes of instruction caches.
    pub instruction_flushes: u64,
    /// Flushes of data caches.
    pub data_flushes: u64,
    /// Marker records by kind.
    pub markers: BTreeMap<MarkerKind, u64>,
}

/// Counts the records of a trace by thread.
///
/// As a sink, it looks up each instruction in a small table to find new addresses.
/// A caller that knows the new addresses calls [`Self::count_instruction`] and
/// [`Self::count_address`] instead.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    threads: Vec<ThreadCounter>,
    addresses: DistinctAddresses,
    /// Direct-mapped table of recent addresses, indexed by their low bits, so that loops need no
    /// hashing.
    recent: Vec<Option<(ThreadNumber, u64)>>,
    /// True when the last file type marker of any thread announced encodings.
    has_encodings: bool,
}

#[derive(Clone, Debug, Default)]
struct ThreadCounter {
    identity: ThreadIdentity,
    counts: Counts,
    /// True inside a system call or context switch of the kernel.
    is_in_kernel: bool,
    /// Number of open exceptions in a trace of the whole system.
    events: u64,
    /// True when the trace announced encodings for the thread; `None` without a file type marker,
    /// as when a core switches to a new thread.
    has_encodings: Option<bool>,
}

/// Number of slots in the table of recent addresses: a power of two.
const RECENT: usize = 1 << 12;

impl Counter {
    /// Returns the identity and counts of each thread, by number.
    pub fn threads(&self) -> impl Iterator<Item = (ThreadIdentity, &Counts)> {
        self.threads
            .iter()
            .map(|thread| (thread.identity, &thread.counts))
    }

    /// Returns the counts of all threads together.
    pub fn total(&self) -> Counts {
        let mut total = self
            .threads
            .iter()
            .fold(Counts::default(), |total, thread| {
                total.plus(&thread.counts)
            });
        let addresses = self.addresses.of_all();
        (total.unique_instructions, total.unique_is_at_least) =
            (addresses.count, addresses.is_at_least);
        total
    }

    /// Counts an instruction without its address.
    #[inline(always)]
    pub fn count_instruction(&mut self, record: &InstructionRecord) {
        let of_trace = self.has_encodings;
        let thread = self.thread_mut(record.thread);
        let in_kernel = u64::from(thread.is_in_kernel || thread.events > 0);
        let is_encoded = thread.has_encodings.unwrap_or(of_trace) && record.encoding.is_some();
        let counts = &mut thread.counts;
        counts.encodings += u64::from(is_encoded);
        if u16::from(record.kind) == kind::NO_FETCH {
            counts.nofetch += 1;
            counts.kernel_nofetch += in_kernel;
        } else {
            counts.instructions += 1;
            counts.kernel_instructions += in_kernel;
        }
    }

    /// Counts an address at which a thread fetched an instruction; each needs to be counted only
    /// once.
    pub fn count_address(&mut self, thread: ThreadNumber, pc: u64) {
        self.addresses.insert(usize::from(thread.0), pc);
        let found = self.addresses.of_thread(usize::from(thread.0));
        let counts = &mut self.thread_mut(thread).counts;
        (counts.unique_instructions, counts.unique_is_at_least) = (found.count, found.is_at_least);
    }

    #[inline(always)]
    fn thread_mut(&mut self, number: ThreadNumber) -> &mut ThreadCounter {
        let index = usize::from(number.0);
        if self.threads.len() <= index {
            self.threads.resize_with(index + 1, ThreadCounter::default);
        }
        &mut self.threads[index] // just made
    }
}

impl RecordSink for Counter {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        self.thread_mut(thread).identity = identity;
    }

    fn instruction(&mut self, record: &InstructionRecord) {
        self.count_instruction(record);
        if u16::from(record.kind) == kind::NO_FETCH {
            return;
        }
        let key = Some((record.thread, record.pc));
        self.recent.resize(RECENT, None);
        let slot = self.recent.get_mut(record.pc as usize % RECENT);
        if slot.is_none_or(|slot| std::mem::replace(slot, key) != key) {
            self.count_address(record.thread, record.pc);
        }
    }

    fn data(&mut self, thread: ThreadNumber, access: StoredAccess) {
        let counts = &mut self.thread_mut(thread).counts;
        let size = u64::from(access.size_bytes);
        match access.kind {
            AccessKind::Write => {
                counts.stores += 1;
                counts.bytes_written += size;
            }
            AccessKind::Read => {
                counts.loads += 1;
                counts.bytes_read += size;
            }
        }
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, _size_bytes: u64) {
        if marker.kind == MarkerKind::RECORDING {
            self.has_encodings = FileType(marker.value).has(FileType::ENCODINGS);
            self.thread_mut(thread).has_encodings = Some(self.has_encodings);
        }
        self.thread_mut(thread).marker(marker);
    }

    fn problem(&mut self, _problem: &Problem) {}
}

impl ThreadCounter {
    fn marker(&mut self, marker: Marker) {
        match marker.kind {
            MarkerKind::SYSTEM_CALL_START | MarkerKind::CONTEXT_SWITCH_START => {
                self.is_in_kernel = true
            }
            MarkerKind::SYSTEM_CALL_END | MarkerKind::CONTEXT_SWITCH_END => {
                self.is_in_kernel = false
            }
            MarkerKind::HARDWARE_EVENT => self.events += 1,
            MarkerKind::HARDWARE_RETURN => self.events = self.events.saturating_sub(1),
            _ => {}
        }
        let counts = &mut self.counts;
        match marker.kind.0.checked_sub(MarkerKind::FIRST_RECORD.0) {
            None => *counts.markers.entry(marker.kind).or_default() += 1,
            Some(18) => counts.instruction_flushes += 1,
            Some(20) => counts.data_flushes += 1,
            Some(2..=9 | 27 | 32..=46) => counts.prefetches += 1,
            Some(_) => {}
        }
    }
}

impl Counts {
    /// Returns the number of markers of some kinds.
    pub fn markers_of(&self, kinds: &[MarkerKind]) -> u64 {
        kinds.iter().filter_map(|kind| self.markers.get(kind)).sum()
    }

    /// Returns the sums; distinct addresses cannot be summed and are left at 0.
    fn plus(mut self, other: &Self) -> Self {
        self.instructions += other.instructions;
        self.kernel_instructions += other.kernel_instructions;
        self.nofetch += other.nofetch;
        self.kernel_nofetch += other.kernel_nofetch;
        self.encodings += other.encodings;
        self.loads += other.loads;
        self.stores += other.stores;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.prefetches += other.prefetches;
        self.instruction_flushes += other.instruction_flushes;
        self.data_flushes += other.data_flushes;
        for (kind, count) in &other.markers {
            *self.markers.entry(*kind).or_default() += count;
        }
        self
    }
}

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
