//! Digests of what the steps of a thread did, by which a comparison of two traces skips the steps
//! that are equal.
//!
//! A run of steps ends after a step whose own digest says so: after an insertion or a deletion the
//! runs of two traces soon coincide again. A digest covers everything of a step that is compared
//! (address, instruction, writes and accesses with their values) and nothing else: no time, no
//! place in the file, no number that a parser chose.
//!
//! ```text
//! digests section   for each thread, by segment-local number: number of runs up to its last, u32
//!                   then the runs: number of steps: u32, digest: u64
//! ```

use stepback_machine::RegisterId;
use stepback_parsers::{MemoryAccess, RegisterWrite, StepEvent, TextEvent, TextKind};
use xxhash_rust::xxh3::xxh3_64;

/// Number of steps before which no run ends.
const MIN_STEPS: u32 = 1 << 7;
/// Number of steps at which a run ends in any case.
const MAX_STEPS: u32 = 1 << 13;
/// One step in this many ends a run.
const ENDING_STEPS: u64 = 1 << 10;
/// Numbers without structure, from the digits of pi.
const SECRETS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];

/// Collects digests of the steps of each thread.
#[derive(Debug, Default)]
pub(super) struct DigestColumns {
    threads: Vec<ThreadRuns>,
    /// Digests of the names of registers outside the table.
    names: Vec<u64>,
}

impl DigestColumns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.threads.clear();
        self.names.clear();
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self) {
        self.threads.push(ThreadRuns::default());
    }

    /// Adds the next register outside the table.
    pub fn add_name(&mut self, name: &str) {
        self.names.push(xxh3_64(name.as_bytes()));
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.threads.iter_mut().for_each(ThreadRuns::clear);
    }

    /// Adds a step.
    #[inline(always)]
    pub fn begin_step(&mut self, step: &StepEvent<'_>) {
        let Some(thread) = self.threads.get_mut(usize::from(step.thread.0)) else {
            return;
        };
        thread.begin_step();
        let form = u64::from(step.length_bytes) << 1 | u64::from(step.is_executed);
        thread.add(step.pc.0, form << 32 | u64::from(step.opcode));
        if step.opcode == 0 {
            thread.add_instruction(step);
        }
    }

    /// Adds a register write to the last step of its thread.
    #[inline(always)]
    pub fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let Some(thread) = self.threads.get_mut(usize::from(write.thread.0)) else {
            return;
        };
        let number = write.view.register.0;
        let named = number.checked_sub(RegisterId::FIRST_NAMED.0);
        let name = named.and_then(|named| self.names.get(usize::from(named)));
        let register = name.copied().unwrap_or(u64::from(number));
        let part = u64::from(write.view.offset) << 48 | u64::from(write.view.size_bytes) << 32;
        match write.bytes {
            Some(&[a, b, c, d, e, f, g, h]) => {
                let word = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
                thread.add(word, register ^ part);
            }
            Some(&[a, b, c, d]) => {
                let word = u32::from_le_bytes([a, b, c, d]);
                thread.add(u64::from(word), register ^ part);
            }
            Some(bytes) => thread.add_bytes(bytes, register ^ part),
            None => thread.add(0, !(register ^ part)),
        }
    }

    /// Adds an access to the last step of its thread.
    #[inline(always)]
    pub fn access(&mut self, access: &MemoryAccess) {
        let Some(thread) = self.threads.get_mut(usize::from(access.thread.0)) else {
            return;
        };
        let kind = u64::from(access.size_bytes) << 8 | access.kind as u64;
        thread.add(access.address.0, kind);
        if let Some(bytes) = access.bytes {
            thread.add(u64::from_le_bytes(bytes), kind);
        }
    }

    /// Adds an exception, after which a step does nothing any more.
    pub fn text(&mut self, event: &TextEvent<'_>) {
        let thread = self.threads.get_mut(usize::from(event.thread.0));
        if let Some(thread) = thread.filter(|_| event.kind == TextKind::Exception) {
            thread.add(0, u64::MAX);
        }
    }

    /// Returns true if effects of a step of an earlier segment are in this segment.
    pub fn has_late_effects(&self) -> bool {
        let is_late = |thread: &ThreadRuns| thread.is_late || thread.is_between_steps();
        self.threads.iter().any(is_late)
    }

    /// Appends the section, and ends the runs.
    pub fn finish(&mut self, bytes: &mut Vec<u8>) {
        let mut count = 0;
        for thread in &mut self.threads {
            thread.finish();
            count += thread.runs.len() as u32;
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        for (steps, digest) in self.threads.iter().flat_map(|thread| &thread.runs) {
            bytes.extend_from_slice(&steps.to_le_bytes());
            bytes.extend_from_slice(&digest.to_le_bytes());
        }
    }
}

/// Runs of a thread.
#[derive(Debug, Default)]
struct ThreadRuns {
    /// Digest of the last step.
    step: u64,
    /// Digest of the steps before it in its run.
    run: u64,
    /// Number of steps of the run.
    steps: u32,
    /// An instruction of the run has no recorded encoding.
    is_unencoded: bool,
    /// The segment begins with effects of an earlier step.
    is_late: bool,
    /// Number of steps and digest of each run that has ended.
    runs: Vec<(u32, u64)>,
}

impl ThreadRuns {
    fn clear(&mut self) {
        self.runs.clear();
        *self = Self {
            runs: std::mem::take(&mut self.runs),
            ..Self::default()
        };
    }

    #[inline(always)]
    fn begin_step(&mut self) {
        match self.steps {
            0 => {
                self.is_late = self.is_between_steps();
                self.run = self.step;
            }
            _ => self.run = mix(self.run, self.step),
        }
        let is_end = self.step < u64::MAX / ENDING_STEPS && self.steps >= MIN_STEPS;
        if is_end || self.steps >= MAX_STEPS {
            self.end_run();
        }
        self.step = 0;
        self.steps += 1;
    }

    /// Returns true if the segment has no step of the thread, but effects.
    fn is_between_steps(&self) -> bool {
        self.steps == 0 && self.step != 0
    }

    #[inline(always)]
    fn add(&mut self, word: u64, other: u64) {
        self.step = mix(self.step ^ word, other);
    }

    #[inline(never)]
    fn add_bytes(&mut self, bytes: &[u8], other: u64) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.add(u64::from_le_bytes(word), other);
        }
    }

    /// Adds an instruction that is not a number: its bytes, else its disassembly.
    #[inline(never)]
    fn add_instruction(&mut self, step: &StepEvent<'_>) {
        self.is_unencoded |= step.bytes.is_empty();
        match step.bytes {
            [] => self.add(xxh3_64(step.text), 0),
            bytes => self.add_bytes(bytes, 0),
        }
    }

    #[cold]
    fn end_run(&mut self) {
        let digest = self.run & !1 | u64::from(self.is_unencoded);
        self.runs.push((self.steps, digest));
        (self.run, self.steps, self.is_unencoded) = (0, 0, false);
    }

    fn finish(&mut self) {
        if self.steps > 0 {
            self.run = mix(self.run, std::mem::take(&mut self.step));
            self.end_run();
        }
    }
}

/// Mixes two words into one, from which neither follows.
#[inline(always)]
fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ SECRETS[0]) * u128::from(other ^ SECRETS[1]);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the runs of steps with these digests.
    fn runs(steps: impl Iterator<Item = u64>) -> Vec<(u32, u64)> {
        let mut thread = ThreadRuns::default();
        for step in steps {
            thread.begin_step();
            thread.add(step, step >> 7);
        }
        thread.finish();
        thread.runs
    }

    #[test]
    fn after_an_edit_the_runs_are_the_same_again() {
        let whole = runs(0..100_000);
        let edited = runs((0..100_000).filter(|step| *step != 50_000));
        let same = whole.iter().filter(|run| edited.contains(run)).count();
        assert!(whole.len() > 50 && same == whole.len() - 1);
    }

    #[test]
    fn runs_of_equal_steps_have_a_limit() {
        let runs = runs(std::iter::repeat_n(1, 20_000));
        assert_eq!(runs.iter().map(|(steps, _)| steps).max(), Some(&MAX_STEPS));
    }

    #[test]
    fn an_effect_before_the_first_step_is_late() {
        let mut thread = ThreadRuns::default();
        thread.begin_step();
        thread.add(1, 2);
        thread.finish();
        assert!(!thread.is_late && !thread.is_between_steps());
        let mut thread = ThreadRuns::default();
        thread.add(1, 2);
        assert!(thread.is_between_steps());
        thread.begin_step();
        assert!(thread.is_late);
    }
}
