//! x86-64 traces with the true registers and memory of the same run.
//!
//! Uses the folder `drmemtrace-truth` in `STEPBACK_TRACES`. Before each instruction the recorder
//! wrote the registers that had changed, then its loads and stores.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use stepback_index::answer::{AccessTarget, Effect, ThreadId, Value, ValueSource};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{MemoryAt, RegistersAt, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{AccessKind, Address, RegisterId, RegisterView};
use stepback_parsers::drmemtrace::{Drmemtrace, RecordContent};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::{MarkerKind, Position, Step, TraceFile};

use super::bytes_of;

/// Interval of the compared positions; a prime, so that all places of a loop are visited.
const STRIDE: u64 = 97;
const GENERAL: usize = 16;
const FLAGS: usize = 16;
const VECTORS: usize = 16;
/// Number of later steps of a thread whose loads show the memory at a position.
const LOADS_AFTER: usize = 24;
/// Memory may be mapped at several addresses, which differ by whole pages.
const PAGE: u64 = 4096;
/// Number of extra positions to compare before a load that finds bytes no record stored.
const MOMENTS_BEFORE: u64 = 6;
/// Maximum number of consecutive aborted instructions, which only the truth contains.
const GIVEN_UP: usize = 64;

const KERNEL: [MarkerKind; 2] = [MarkerKind::SYSTEM_CALL, MarkerKind::KERNEL_EVENT];

/// State before an instruction, and its accesses.
#[derive(Clone, Debug)]
struct Entry {
    pc: u64,
    /// General registers and flags before the instruction.
    words: [u64; GENERAL + 1],
    vectors: [u128; VECTORS],
    accesses: Vec<TrueAccess>,
}

#[derive(Clone, Debug)]
struct TrueAccess {
    kind: AccessKind,
    address: u64,
    /// None if the recorder could not read them.
    bytes: Option<Vec<u8>>,
}

impl TrueAccess {
    fn byte(&self, address: u64) -> Option<u8> {
        let place = usize::try_from(address.wrapping_sub(self.address)).ok()?;
        self.bytes.as_ref()?.get(place).copied()
    }
}

/// Reads consecutive numbers.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn number<const SIZE: usize>(&mut self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..SIZE].copy_from_slice(self.take(SIZE));
        u128::from_le_bytes(bytes)
    }

    fn word(&mut self) -> u64 {
        self.number::<8>() as u64
    }
}

fn truth_of(bytes: &[u8]) -> Vec<Entry> {
    let mut reader = Reader(bytes);
    let mut entries: Vec<Entry> = Vec::new();
    let (mut words, mut vectors) = ([0; GENERAL + 1], [0; VECTORS]);
    while !reader.0.is_empty() {
        let tag = reader.take(1)[0];
        if tag == b'S' {
            let (pc, mask) = (reader.word(), reader.word());
            words
                .iter_mut()
                .zip(0..)
                .filter(|(_, bit)| mask >> bit & 1 != 0)
                .for_each(|(word, _)| *word = reader.word());
            let changed = vectors
                .iter_mut()
                .zip(FLAGS + 1..)
                .filter(|(_, bit)| mask >> bit & 1 != 0);
            changed.for_each(|(vector, _)| *vector = reader.number::<16>());
            entries.push(Entry {
                pc,
                words,
                vectors,
                accesses: Vec::new(),
            });
            continue;
        }
        let (address, size) = (reader.word(), reader.number::<2>() as usize);
        let bytes = (tag & 0x20 == 0).then(|| reader.take(size).to_vec());
        let kind = if tag & !0x20 == b'R' {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        entries.last_mut().unwrap().accesses.push(TrueAccess {
            kind,
            address,
            bytes,
        });
    }
    entries
}

/// A step of the trace.
#[derive(Clone, Copy, Debug)]
struct TracedStep {
    step: u64,
    pc: u64,
    /// Greater than 1 for repeated string instructions.
    rounds: usize,
    /// True if the kernel ran after it.
    is_left: bool,
}

/// The truth of a thread's steps.
struct ThreadTruth {
    thread: ThreadId,
    steps: Vec<(TracedStep, Entry)>,
}

impl ThreadTruth {
    /// Returns the index of the first step from a position on.
    fn next(&self, position: Position) -> usize {
        self.steps
            .partition_point(|(step, _)| step.step < position.0)
    }
}

/// Assigns each step of a thread its entry. Aborted instructions have an entry and no step.
fn aligned(name: &str, steps: &[TracedStep], entries: &[Entry]) -> Vec<(TracedStep, Entry)> {
    let mut aligned = Vec::new();
    let mut entries = entries.chunk_by(|one, next| one.pc == next.pc);
    for steps in steps.chunk_by(|one, next| one.pc == next.pc) {
        let Some(mut known) = entries
            .by_ref()
            .take(GIVEN_UP)
            .find(|known| known[0].pc == steps[0].pc)
        else {
            println!("{name}: the truth of {:?} is not found", steps[0]);
            break;
        };
        let rounds: usize = steps.iter().map(|step| step.rounds).sum();
        known = &known[known.len().saturating_sub(rounds)..];
        for step in steps {
            let (rounds, rest) = known.split_at(step.rounds.min(known.len()));
            known = rest;
            let Some(first) = rounds.first() else {
                continue;
            };
            let accesses = rounds
                .iter()
                .flat_map(|round| &round.accesses)
                .cloned()
                .collect();
            aligned.push((
                *step,
                Entry {
                    accesses,
                    ..first.clone()
                },
            ));
        }
    }
    aligned
}

/// Number of compared values, and of the known ones.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    all: u64,
    known: u64,
}

impl Count {
    fn note(&mut self, is_known: bool) {
        self.all += 1;
        self.known += u64::from(is_known);
    }

    fn share(self) -> f64 {
        100.0 * self.known as f64 / self.all.max(1) as f64
    }
}

struct Comparison<'a> {
    name: &'a str,
    index: Index,
    threads: Vec<ThreadTruth>,
    general: Count,
    vectors: Count,
    accessed: Count,
    memory: Count,
    wrong: Vec<String>,
}

fn index_of(folder: &Path) -> Index {
    let mut names: Vec<_> = std::fs::read_dir(folder.join("trace"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.retain(|path| path.to_string_lossy().contains(".trace."));
    names.sort();
    let file = |path: &Path| TraceFile {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        data: Arc::new(File::open(path).unwrap()),
    };
    let trace = Drmemtrace::open(
        names.iter().map(|path| file(path)).collect(),
        CacheFileOptions::default(),
    )
    .unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    index_in_memory(Arc::new(trace), &BuildOptions::default()).unwrap()
}

impl<'a> Comparison<'a> {
    fn new(name: &'a str, folder: &Path) -> Self {
        let index = index_of(folder);
        let mut steps: HashMap<u64, Vec<TracedStep>> = HashMap::new();
        let trace: &Drmemtrace = index.source().downcast().unwrap();
        let identities = trace.threads();
        let mut number = 0;
        let records = trace.records(0..u64::MAX, |record| {
            let steps = steps
                .entry(identities[usize::from(record.thread.0)].tid)
                .or_default();
            match record.content {
                RecordContent::Instruction(code, _) => {
                    steps.push(TracedStep {
                        step: number,
                        pc: code.pc,
                        rounds: 1,
                        is_left: false,
                    });
                    number += 1;
                }
                RecordContent::Marker(stored) if stored.marker.kind == MarkerKind::REPETITION => {
                    steps
                        .iter_mut()
                        .rev()
                        .take(1)
                        .for_each(|step| step.rounds += stored.count as usize);
                }
                RecordContent::Marker(stored) if KERNEL.contains(&stored.marker.kind) => {
                    steps
                        .iter_mut()
                        .rev()
                        .take(1)
                        .for_each(|step| step.is_left = true);
                }
                _ => {}
            }
            true
        });
        records.unwrap();
        let mut threads = Vec::new();
        for (thread, number) in index.threads().iter().zip(0..) {
            let tid: u64 = thread.name.parse().unwrap();
            let file = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let mut file =
                file.filter(|path| path.to_string_lossy().ends_with(&format!(".{tid}.bin.zst")));
            let entries = truth_of(&bytes_of(&file.next().unwrap().with_extension("")));
            let steps = aligned(name, &steps[&tid], &entries);
            threads.push(ThreadTruth {
                thread: ThreadId(number),
                steps,
            });
        }
        let (general, vectors, accessed, memory) = Default::default();
        Self {
            name,
            index,
            threads,
            general,
            vectors,
            accessed,
            memory,
            wrong: Vec::new(),
        }
    }

    /// Compares the state at regular intervals, and all accesses.
    fn run(&mut self, stride: u64) {
        let mut position = Position(stride / 2 + 1);
        while position < self.index.end() {
            for thread in 0..self.threads.len() {
                self.registers_at(position, thread);
                self.memory_at(position, thread, LOADS_AFTER);
            }
            position.0 += stride;
        }
        for place in 0..self.threads.len() {
            let steps: Vec<u64> = self.threads[place]
                .steps
                .iter()
                .map(|(step, _)| step.step)
                .collect();
            // A load reads memory as of just before it.
            for step in steps.iter().rev().step_by((stride / 32).max(1) as usize) {
                self.memory_at(Position(*step), place, 1);
            }
        }
        for (place, step) in self.changed_unseen() {
            for position in step.saturating_sub(MOMENTS_BEFORE)..=step {
                self.memory_at(Position(position), place, LOADS_AFTER);
            }
        }
        let mut first = 0;
        while first < self.index.step_count() {
            // A sample of the accesses.
            self.accesses(first..first + 512);
            first += 512 * (stride / 8).max(1);
        }
        let Self {
            name,
            general,
            vectors,
            accessed,
            memory,
            ..
        } = self;
        println!(
            "{name}: known are {:.2} % of general registers, {:.2} % of vectors, {:.2} % of bytes accessed, {:.2} % of memory; {} wrong of {}",
            general.share(),
            vectors.share(),
            accessed.share(),
            memory.share(),
            self.wrong.len(),
            general.known + vectors.known + accessed.known + memory.known
        );
    }

    /// Returns the steps, with the indexes of their threads, that load other bytes than were stored
    /// or loaded there last.
    fn changed_unseen(&self) -> Vec<(usize, u64)> {
        let all = self.threads.iter().zip(0..).flat_map(|(truth, place)| {
            truth
                .steps
                .iter()
                .map(move |(step, entry)| (step.step, place, &entry.accesses))
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable_by_key(|(step, ..)| *step);
        let (mut known, mut found) = (HashMap::new(), Vec::new());
        for (step, place, accesses) in all {
            let mut is_changed = false;
            for access in accesses {
                for (byte, address) in access.bytes.iter().flatten().zip(access.address..) {
                    let before = known.insert(address, *byte);
                    is_changed |= access.kind == AccessKind::Read
                        && before.is_some_and(|before| before != *byte);
                }
            }
            if is_changed {
                found.push((place, step));
            }
        }
        found
    }

    fn registers_at(&mut self, position: Position, place: usize) {
        let truth = &self.threads[place];
        let next = truth.next(position);
        let Some((_, entry)) = truth.steps.get(next).filter(|_| next > 0) else {
            return;
        };
        // Another thread's registers are those after its last step.
        let thread = truth.thread;
        let file = RegistersAt {
            position,
            thread: Some(thread),
        }
        .run(&self.index, &Cancel::default())
        .unwrap();
        for state in &file.registers {
            let Some(bytes) = true_bytes(entry, state.view) else {
                continue;
            };
            let is_known = !state.value.is_unknown();
            if state.view.register < RegisterId::PC {
                &mut self.general
            } else {
                &mut self.vectors
            }
            .note(is_known);
            if !agrees(&state.value, &bytes) {
                let reason = state
                    .reason
                    .map_or_else(String::new, |reason| reason.to_string());
                self.wrong.push(format!(
                    "{} of {thread:?} at {} is {}, not {}: {reason}",
                    state.name,
                    position.0,
                    Value(bytes.into_iter().map(Some).collect()).hex(),
                    state.value.hex(),
                ));
            }
        }
    }

    /// Checks memory against the thread's next loads, except bytes written since.
    fn memory_at(&mut self, position: Position, place: usize, count: usize) {
        let truth = &self.threads[place];
        if self.index.threads().len() > 1
            && truth.next(position) == truth.next(Position(position.0 + 1))
        {
            return;
        }
        let steps = truth
            .steps
            .iter()
            .skip(truth.next(position))
            .take(count)
            .zip(position.0..);
        // The order is unknown once another thread runs.
        let steps: Vec<_> = steps
            .take_while(|((step, _), expected)| step.step == *expected)
            .collect();
        let (mut loads, mut written): (Vec<(&TrueAccess, usize)>, Vec<Range<u64>>) =
            Default::default();
        for ((step, entry), _) in steps {
            if step.is_left {
                break;
            }
            for access in &entry.accesses {
                let length = access
                    .bytes
                    .as_ref()
                    .map_or(4096, |bytes| bytes.len() as u64);
                let range = access.address..access.address.saturating_add(length);
                if access.kind == AccessKind::Write {
                    written.push(range);
                } else if written
                    .iter()
                    .all(|known| known.end <= range.start || range.end <= known.start)
                {
                    loads.push((access, written.len()));
                }
            }
        }
        for (load, stores_before) in loads {
            let Some(bytes) = &load.bytes else { continue };
            let question = MemoryAt {
                position,
                address: Address(load.address),
                len_bytes: bytes.len() as u64,
            };
            let states = question.run(&self.index, &Cancel::default()).unwrap();
            for ((state, byte), address) in states.iter().zip(bytes).zip(load.address..) {
                let known = state
                    .value
                    .filter(|_| state.source == ValueSource::Inferred);
                self.memory.note(known.is_some());
                // A store in between may have used another address of the same memory.
                let is_same = |range: &Range<u64>| {
                    (address.wrapping_sub(range.start)) % PAGE < range.end - range.start
                };
                let is_stored = written.iter().take(stores_before).any(is_same);
                if known.is_some_and(|known| known != *byte) && !is_stored {
                    let seen = state.seen_at;
                    self.wrong.push(format!(
                        "{address:#x} at {} is {byte:02x}, not {known:02x?} of {seen:?}",
                        position.0
                    ));
                }
            }
        }
    }

    fn accesses(&mut self, steps: Range<u64>) {
        let question = Steps {
            first: Step(steps.start),
            count: steps.end - steps.start,
        };
        for record in question.run(&self.index, &Cancel::default()).unwrap() {
            let truth = self
                .threads
                .iter()
                .find(|truth| truth.thread == record.thread)
                .unwrap();
            let Some((_, entry)) = truth.steps.get(truth.next(Position(record.step.0))) else {
                continue;
            };
            for effect in &record.effects {
                let Effect::Access(access) = effect else {
                    continue;
                };
                let AccessTarget::Memory { address, .. } = access.target else {
                    continue;
                };
                for (known, address) in access.value.0.iter().zip(address.0..) {
                    let possible = entry
                        .accesses
                        .iter()
                        .filter(|possible| possible.kind == access.kind);
                    let possible: Vec<u8> = possible
                        .filter_map(|possible| possible.byte(address))
                        .collect();
                    if possible.is_empty() {
                        continue;
                    }
                    self.accessed.note(known.is_some());
                    if known.is_some_and(|known| !possible.contains(&known)) {
                        self.wrong.push(format!(
                            "step {} ({}): {:?} of {address:#x} is {possible:02x?}, not {known:02x?}",
                            record.step.0, record.text, access.kind
                        ));
                    }
                }
            }
        }
    }
}

/// Returns the value of a view before an instruction. None if the truth lacks it.
fn true_bytes(entry: &Entry, view: RegisterView) -> Option<Vec<u8>> {
    let number = usize::from(view.register.0);
    let bytes = match number {
        _ if view.register == RegisterId::SP => entry.words[4].to_le_bytes().to_vec(),
        0..GENERAL => entry.words[number].to_le_bytes().to_vec(),
        _ => {
            let vector = view.register.0.checked_sub(RegisterId::V0.0)?;
            entry
                .vectors
                .get(usize::from(vector))?
                .to_le_bytes()
                .to_vec()
        }
    };
    Some(
        bytes
            .get(usize::from(view.offset)..usize::from(view.offset + view.size_bytes))?
            .to_vec(),
    )
}

fn agrees(value: &Value, truth: &[u8]) -> bool {
    value
        .0
        .iter()
        .zip(truth)
        .all(|(known, truth)| known.is_none_or(|known| known == *truth))
}

#[test]
fn nothing_inferred_of_x86_is_wrong() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES") else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    let mut wrong = Vec::new();
    for name in [
        "t_true", "t_awk", "t_crash4", "t_spin1", "t_stores", "t_many",
    ] {
        let folder = Path::new(&traces).join("drmemtrace-truth").join(name);
        let mut comparison = Comparison::new(name, &folder);
        comparison.run(STRIDE);
        wrong.extend(
            comparison
                .wrong
                .into_iter()
                .map(|wrong| format!("{name}: {wrong}")),
        );
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(40)]
    );
}
