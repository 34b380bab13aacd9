//! Collects the events of a segment.
//!
//! ```text
//! registers section   count: u32, then for each list (thread: u16, register: u16, offset: u16, size: u16, n: u32, end: u32), then the lists
//! ```
//! Lists of [`STEPS_OF_THREAD`](crate::store::segment::meta::STEPS_OF_THREAD) and of markers
//! ([`crate::store::segment::meta::markers_of`]) are among those of the registers.

use stepback_machine::{InstructionSet, RegisterId};
use stepback_parsers::{
    EventSink, Flow, Marker, MarkerEvent, MarkerKind, MemoryAccess, Problem, RegisterSource,
    RegisterWrite, SourceTraits, StepEvent, TextEvent, ThreadNumber,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::builder::segment::calls::CallColumns;
use crate::builder::segment::digests::DigestColumns;
use crate::builder::segment::instructions::InstructionColumns;
use crate::builder::segment::markers::MarkerLists;
use crate::builder::segment::memory::MemoryColumns;
use crate::builder::segment::problems::ProblemColumns;
use crate::builder::segment::registers::RegisterColumns;
use crate::builder::segment::sealed::SealedSegment;
use crate::builder::segment::threads::ThreadColumns;
use crate::builder::segment::times::TimeColumns;
use crate::store::data::IndexData;
use crate::store::packed::{FRAME, push_list};
use crate::store::segment::meta::{SECTIONS, SHARING_CALLS, Section};

/// Length of text at which a segment is closed early.
const TEXT_LIMIT: u64 = 1 << 30;

/// Collects events and seals them into segments. Each column builder has the fields of one group of
/// sections; its buffers are reused from segment to segment.
#[derive(Debug, Default)]
pub struct SegmentBuilder {
    limits: SegmentLimits,
    /// True if the trace has no values.
    is_blank: bool,
    /// Instruction set of the trace; determines the meaning of system calls.
    instruction_set: InstructionSet,
    text_start: u64,
    line_start: u64,
    slot: u32,
    /// Thread of the slot's step.
    step_thread: ThreadNumber,
    /// Text offset of each step.
    offsets: Vec<u32>,
    /// Line of the first step of each frame.
    lines: Vec<u32>,
    threads: ThreadColumns,
    times: TimeColumns,
    registers: RegisterColumns,
    markers: MarkerLists,
    memory: MemoryColumns,
    instructions: InstructionColumns,
    pub(crate) calls: CallColumns,
    problems: ProblemColumns,
    digests: DigestColumns,
    /// True if an access is in the slot of a step that did not do it.
    has_late_accesses: bool,
    /// True if a value is not written as a run of digits.
    has_scattered_values: bool,
    /// Encoded sections of the last segment, kept for their buffer.
    encoded: Vec<u8>,
    /// Closed segments, in order.
    pub sealed: Vec<SealedSegment>,
}

impl SegmentBuilder {
    /// Creates a builder for traces of this kind.
    pub fn of(traits: &SourceTraits, limits: SegmentLimits) -> Self {
        Self {
            limits,
            is_blank: traits.registers == RegisterSource::Operands,
            instruction_set: traits.instruction_set,
            memory: MemoryColumns::of(traits.registers),
            ..Self::default()
        }
    }

    /// Begins a task: a range of the input that is parsed in one run.
    pub fn begin_task(&mut self, text_start: u64) {
        self.threads.begin_task();
        self.times.begin_task();
        self.registers.begin_task();
        self.calls.begin_task();
        self.digests.begin_task();
        self.sealed.clear();
        self.clear_segment(text_start, 0);
    }

    /// Ends a task.
    pub fn end_task(&mut self) {
        self.seal(0, 0);
    }

    fn clear_segment(&mut self, text_start: u64, line_start: u64) {
        (self.text_start, self.line_start, self.slot) = (text_start, line_start, 0);
        self.offsets.clear();
        self.lines.clear();
        self.threads.clear();
        self.times.clear();
        self.registers.clear();
        self.markers.clear();
        self.memory.clear();
        self.instructions.clear();
        self.calls.clear();
        self.problems.clear();
        self.digests.clear();
        self.has_late_accesses = false;
        self.has_scattered_values = false;
    }

    /// Returns true if an event has a separate place: in some formats all events of a step have the
    /// place of the step.
    #[cold]
    fn can_begin_at(&self, offset: u64) -> bool {
        let last = self.text_start + u64::from(self.offsets.last().copied().unwrap_or(0));
        offset > last
    }

    /// Returns true if the segment has reached its limit of accesses or blocks.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.memory.touch_count() >= self.limits.accesses
            || self.memory.block_count() >= self.limits.blocks
    }

    /// Closes the segment; the next begins at `next_start`.
    fn seal(&mut self, next_start: u64, next_line: u64) {
        let mut sealed = SealedSegment::default();
        self.encode(&mut sealed);
        self.threads.finish(&mut sealed);
        self.registers.finish(&mut sealed);
        sealed.markers = self.markers.kinds();
        self.calls.finish(&mut sealed);
        self.problems.finish(&mut sealed);
        sealed.line_in_task = self.line_start;
        sealed.meta.text_start = self.text_start;
        sealed.meta.steps = self.slot;
        sealed.meta.has_late_accesses = self.has_late_accesses;
        sealed.meta.has_scattered_values = self.has_scattered_values;
        sealed.meta.has_late_effects = self.digests.has_late_effects();
        self.sealed.push(sealed);
        self.clear_segment(next_start, next_line);
    }

    /// Encodes the sections.
    fn encode(&mut self, sealed: &mut SealedSegment) {
        let mut bytes = std::mem::take(&mut self.encoded);
        bytes.clear();
        let mut ends = [0; SECTIONS + 1];
        for (number, section) in Section::ALL.into_iter().enumerate() {
            match section {
                Section::Offsets => push_list(&mut bytes, &self.offsets),
                Section::Lines => self
                    .lines
                    .iter()
                    .for_each(|line| bytes.extend_from_slice(&line.to_le_bytes())),
                Section::Times => self.times.finish(&mut bytes, sealed),
                Section::Registers => self.push_registers(&mut bytes),
                Section::Granules => self.memory.finish(&mut bytes, sealed),
                Section::Pcs => self.instructions.finish(&mut bytes, sealed),
                Section::Externals => self.memory.push_externals(&mut bytes),
                Section::Digests => self.digests.finish(&mut bytes),
            }
            ends[number + 1] = bytes.len();
            sealed.meta.checksums[number] = xxh3_64(&bytes[ends[number]..]);
        }
        sealed.meta.sections = ends.map(|place| place as u64);
        // The copy has no excess capacity, since it waits for the sequential pass.
        sealed.bytes = IndexData::Memory(bytes.as_slice().to_vec());
        self.encoded = bytes;
    }

    fn push_registers(&mut self, bytes: &mut Vec<u8>) {
        let is_shared = self.threads.count() > 1;
        let steps = self.threads.lists(self.slot);
        let steps = steps
            .iter()
            .map(|(thread, view, slots)| (*thread, *view, slots));
        let of_all = self.markers.lists_of_all().filter(|_| is_shared);
        let mut lists: Vec<_> = self
            .registers
            .lists()
            .chain(steps)
            .chain(self.markers.lists())
            .chain(of_all)
            .collect();
        lists.sort_unstable_by_key(|(thread, view, _)| (*thread, *view));
        bytes.extend_from_slice(&(lists.len() as u32).to_le_bytes());
        let table = bytes.len();
        bytes.resize(table + 16 * lists.len(), 0);
        let base = bytes.len();
        for (number, (thread, view, slots)) in lists.iter().enumerate() {
            push_list(bytes, slots);
            let end = (bytes.len() - base) as u32;
            let entry = &mut bytes[table + 16 * number..][..16];
            entry[0..2].copy_from_slice(&thread.to_le_bytes());
            entry[2..4].copy_from_slice(&view.register.0.to_le_bytes());
            entry[4..6].copy_from_slice(&view.offset.to_le_bytes());
            entry[6..8].copy_from_slice(&view.size_bytes.to_le_bytes());
            entry[8..12].copy_from_slice(&(slots.len() as u32).to_le_bytes());
            entry[12..16].copy_from_slice(&end.to_le_bytes());
        }
    }
}

impl EventSink for SegmentBuilder {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        debug_assert_eq!(
            usize::from(thread.0),
            self.threads.count(),
            "threads come in order"
        );
        self.threads.add_thread(name);
        self.times.add_thread();
        self.calls.add_thread();
        self.digests.add_thread();
    }

    fn register_named(&mut self, register: RegisterId, name: &str, _size_bytes: u16) {
        self.registers.add_name(register, name);
        self.calls.add_name(name);
        self.digests.add_name(name);
    }

    #[inline(always)]
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if step.chunk_offset - self.text_start >= TEXT_LIMIT || self.is_full() {
            self.seal(step.chunk_offset, step.place.line_in_range);
        }
        self.slot += 1;
        self.offsets
            .push((step.chunk_offset - self.text_start) as u32);
        if (self.slot - 1).is_multiple_of(FRAME as u32) {
            self.lines
                .push((step.place.line_in_range - self.line_start) as u32);
        }
        self.step_thread = step.thread;
        self.times.push(self.slot, step);
        self.threads.push(self.slot, step.thread.0);
        self.instructions.push(self.slot, step);
        self.digests.begin_step(step);
        if step.is_executed
            && !self.is_blank
            && step
                .instruction_set
                .is_host_call(step.opcode, step.length_bytes)
        {
            self.calls.note_host_call(self.slot, step.thread.0);
        }
        self.calls.begin_step(self.slot, step);
    }

    #[inline(always)]
    fn scattered_values(&mut self) {
        self.has_scattered_values = true;
    }

    #[inline(always)]
    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        // A line that names a bank in use writes the plain register too: it is one write, listed
        // once.
        if let Some(home) = write.home() {
            self.registers.push(self.slot, write.thread.0, home);
        }
        self.digests.register_write(write);
        self.calls.register_write(write);
    }

    #[inline(always)]
    fn access(&mut self, access: &MemoryAccess) {
        if self.is_full() && self.can_begin_at(access.place.offset) {
            self.seal(access.place.offset, access.place.line_in_range);
        }
        // The step of the first slot is in the segment before.
        self.has_late_accesses |= self.slot == 0 || access.thread != self.step_thread;
        self.memory.push(self.slot, access);
        self.digests.access(access);
        self.calls.turns.access(access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.digests.text(event);
        self.calls.text(self.slot, event);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.calls.turns.marker(event);
        let Marker { kind, value } = event.marker;
        self.markers.note(event.thread.0, kind, self.slot);
        if kind == MarkerKind::SYSTEM_CALL
            && self.instruction_set.system_call_shares(value).is_some()
        {
            self.markers.note(event.thread.0, SHARING_CALLS, self.slot);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(self.slot, problem);
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        Flow::Continue
    }
}

/// Limits at which a segment is closed early: a stretch without instructions has no cut points, so
/// the length of its text bounds nothing.
///
/// With segments of 8 MiB a segment under construction takes some 50 MiB at most: 20 bytes per
/// access, and twice 152 per block with known contents, or 24 if the trace has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLimits {
    /// Maximum number of accesses of blocks.
    pub accesses: usize,
    /// Maximum number of accessed blocks.
    pub blocks: usize,
}

impl SegmentLimits {
    /// Returns the limits for segments of this many bytes of text. Segments of real traces must
    /// stay below them, or each task is handed in in parts. With values, a new block is touched
    /// every few hundred bytes of text. Without, a step of 16 virtual bytes of a copy loads and
    /// stores, and now and then across the ends of blocks.
    pub fn of(segment_bytes: u64, registers: RegisterSource) -> Self {
        let of = |divisor: u64, most: u64| (segment_bytes / divisor).clamp(64, most) as usize;
        match registers {
            RegisterSource::Recorded => Self {
                accesses: of(8, 1 << 21),
                blocks: of(80, 1 << 18),
            },
            RegisterSource::Operands => Self {
                accesses: of(5, 7 << 19),
                blocks: of(12, 3 << 19),
            },
        }
    }
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self::of(u64::MAX, RegisterSource::Recorded)
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;
    use stepback_machine::flow::RecordedBranch;
    use stepback_parsers::{ParseScratch, Source as _};

    use crate::builder::build_index::{BuildOptions, index_in_memory};
    use crate::builder::segment::builder::{SegmentBuilder, SegmentLimits};
    use crate::builder::segment::turns::TurnKind;
    use crate::read::far_uses::records::{ITEM, Record, Records, What};

    /// Returns the number of segments of 8,000 such steps.
    fn segments_of(step: impl Fn(u64) -> Vec<Record>) -> usize {
        let options = BuildOptions {
            segment_bytes: 1000 * ITEM,
            threads: 1,
        };
        let records = (0..8000).flat_map(step).collect();
        let index =
            index_in_memory(Records::new(records, InstructionSet::X86_64), &options).unwrap();
        assert_eq!(index.step_count(), 8000);
        index.contents.segments.len()
    }

    /// A loop of direct jumps leaves no call while the stack pointer stays the same.
    #[test]
    fn jumps_are_turns_only_after_a_write_of_the_stack_pointer() {
        let jump = Record::step(0, 0x1000, 4, RecordedBranch::Jump);
        let write = Record {
            thread: 0,
            what: What::StackPointer(Some(0x8000)),
        };
        let source = Records::new(
            vec![jump, jump, jump, write, jump, jump],
            InstructionSet::A64,
        );
        let mut builder = SegmentBuilder::of(source.traits(), SegmentLimits::default());
        builder.begin_task(0);
        source
            .parse(
                0..source.length(),
                &mut ParseScratch::default(),
                &mut builder,
            )
            .unwrap();
        builder.end_task();
        let turns = builder
            .sealed
            .iter()
            .flat_map(|segment| &segment.calls.turns);
        let branches = turns.filter(|turn| matches!(turn.what, TurnKind::Branch { .. }));
        // The segment does not contain the steps before the first jump and after the last one.
        assert_eq!(
            branches.map(|turn| turn.slot).collect::<Vec<_>>(),
            [1, 3, 5]
        );
    }

    #[test]
    fn a_copy_of_much_memory_is_in_as_many_segments_as_any_other_steps() {
        let step = |pc: u64| Record::step(0, 0x1000 + pc, 1, RecordedBranch::None);
        let expected = segments_of(|_| vec![step(0)]);
        let vectors = segments_of(|number| {
            let address = 0x10_0000 + 64 * (number / 2);
            match number % 2 {
                0 => vec![step(0), Record::read(0, address)],
                _ => vec![step(1), Record::write(0, 0x1000_0000 + address)],
            }
        });
        // Words that do not begin at block boundaries, loaded and stored by one step.
        let words = segments_of(|number| {
            let address = 0x10_0003 + 8 * number;
            vec![
                step(0),
                Record::read(0, address),
                Record::write(0, 0x1000_0000 + address),
            ]
        });
        assert_eq!((vectors, words), (expected, expected));
    }

    #[test]
    fn steps_that_access_very_much_close_their_segment_early() {
        let scattered = |number: u64| {
            let accesses =
                (0..8).map(move |lane| Record::write(0, 0x10_0000 + 64 * (8 * number + lane)));
            [Record::step(0, 0x1000, 1, RecordedBranch::None)]
                .into_iter()
                .chain(accesses)
                .collect()
        };
        assert!(segments_of(scattered) > 32);
    }
}
