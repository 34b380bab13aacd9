//! Encodes the steps of a trace into blocks.

use std::io;
use std::ops::Range;

use stepback_machine::Mode;

use crate::events::{TextKind, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::problem::ProblemKind;
use crate::step_store::block::{BlockHead, ITEMS};
use crate::step_store::block_writer::{BlockWriter, ShapeValues, WrittenStep};
use crate::step_store::budget::AccessBudget;
use crate::step_store::code::{Code, EffectShape, ShapeAccess, ShapeRegister};
use crate::step_store::code_table::{CodeLookup, CodeNumbers, CodeTable, InstructionSetChooser};
use crate::step_store::fill::Filler;
use crate::step_store::layout::StoreFacts;
use crate::step_store::record::{
    ReadEnd, StoredAccess, StoredHint, StoredMarker, StoredRegister, StoredStep, StoredThread,
};

/// Length in bytes from which a block takes only [`ITEM_ROOM`] more for each step. Bounds memory if
/// many records have no step among them.
const BLOCK_LIMIT: usize = 4 << 20;
/// Maximum bytes of a step and its records in a full block.
const ITEM_ROOM: usize = 16 << 10;
/// Maximum count of a run; a longer run of equal records is written as several.
const RUN_LIMIT: u64 = 1 << 40;

/// Receives finished blocks.
pub trait BlockSink {
    /// Receives the next block. `items` counts the items up to its end; `codes` are all codes until
    /// now.
    fn block(&mut self, bytes: &[u8], items: u64, codes: &[Code], threads: &[StoredThread]);
}

/// Encodes steps, accesses and markers in trace order, each with its thread.
#[derive(Debug)]
pub struct Encoder<B, C = CodeTable> {
    /// Destination of the blocks.
    pub sink: B,
    /// Numbers of the instructions.
    pub codes: C,
    threads: Vec<StoredThread>,
    /// Numbers that the format keeps for the whole trace.
    pub summary: Vec<u64>,
    times: Vec<Option<u64>>,
    /// Mode of each thread, which gives plain register names their meaning.
    modes: Vec<Mode>,
    block: BlockWriter,
    /// Number of items begun, including item 0 before the first step.
    items: u64,
    /// Items of the part of the trace that is encoded; 0 for the begin of the trace.
    part: Range<u64>,
    records: u64,
    /// Record numbers, in a format that numbers all its records.
    numbering: Option<RecordNumbering>,
    thread: Option<ThreadNumber>,
    /// Thread that the block stated last.
    said: Option<ThreadNumber>,
    /// Mode that the block stated last.
    said_mode: Mode,
    latest_time: u64,
    pending: PendingStep,
    run: Option<(Marker, u64)>,
    /// Number of records of this step for which there is no room.
    left_out: u64,
    /// Number of accesses of this step that exceed the budget.
    too_large: u64,
    budget: AccessBudget,
    /// Length of the block before its last step, in bytes.
    item_start: usize,
    has_stated_full: bool,
}

/// Progress of a format that numbers its records itself.
#[derive(Clone, Copy, Debug)]
struct RecordNumbering {
    /// Number of records before the current item.
    before_item: u64,
    /// Number of records before the current record.
    before: u64,
}

/// Code of the pending step. Finding the code again is cheaper than passing it along with each
/// step.
#[derive(Clone, Copy, Debug)]
enum PendingCode {
    /// Number in the code table.
    Numbered(u32),
    /// The code is in [`PendingStep::inline`] because the table has no room for it.
    Inline,
}

/// Step that is not written yet, with its effects until now.
#[derive(Debug, Default)]
struct PendingStep {
    code: Option<PendingCode>,
    inline: Option<Code>,
    target: Option<u64>,
    shape: EffectShape,
    addresses: [u64; EffectShape::ACCESSES],
    loaded: [u64; EffectShape::ACCESSES],
    count: usize,
    registers: [u128; EffectShape::REGISTERS],
    register_count: usize,
    /// Number of trace records of the step; `None` while unknown.
    records: Option<u8>,
}

impl PendingStep {
    fn usual(&self) -> ShapeValues<'_> {
        ShapeValues {
            addresses: self.addresses.get(..self.count).unwrap_or_default(),
            loaded: self.loaded.get(..self.count).unwrap_or_default(),
            registers: self
                .registers
                .get(..self.register_count)
                .unwrap_or_default(),
        }
    }
}

impl Encoder<Filler> {
    /// Completes the store.
    ///
    /// # Errors
    /// The store could not be written, or the trace was not read to its end.
    pub(super) fn end(&mut self, end: ReadEnd) -> io::Result<()> {
        self.sink.check()?;
        if end == ReadEnd::Stopped {
            return Err(io::Error::other("the trace is no longer read"));
        }
        let (items, records) = self.finish();
        let (threads, summary) = (
            std::mem::take(&mut self.threads),
            std::mem::take(&mut self.summary),
        );
        self.sink.finish(
            StoreFacts {
                items,
                records,
                threads,
                summary,
            },
            self.codes.all(),
        )
    }
}

impl<B: BlockSink> Encoder<B> {
    /// Creates an encoder of a whole trace.
    pub fn new(sink: B) -> Self {
        Self::of_part(sink, CodeTable::default(), 0..u64::MAX)
    }

    /// Sets the function that chooses the instruction set of steps whose records do not state it.
    pub fn decide_sets_by(&mut self, set_of: InstructionSetChooser) {
        self.codes.set_of = set_of;
    }

    /// Notes the encoding of an instruction that is no separate step.
    pub fn note_encoding(&mut self, step: &StoredStep) {
        self.flush();
        self.codes.find(step);
    }

    /// Begins a step; returns the number of its code if the table has room for it.
    #[inline(always)]
    pub fn step(&mut self, step: &StoredStep) -> Option<u32> {
        self.step_with(step.thread, step.target, |codes| {
            match codes.find_quickly(step) {
                Some(number) => CodeLookup::Numbered(number),
                None => codes.find(step),
            }
        })
    }

    /// Begins a step like an earlier one of the same input, for which [`Self::step`] returned this
    /// number. `target` is that of an indirect branch, if the trace states it.
    /// Returns false, and does nothing, if the input has another encoding at this address by now.
    #[inline(always)]
    pub fn step_again(
        &mut self,
        input: u16,
        thread: ThreadNumber,
        number: u32,
        target: Option<u64>,
    ) -> bool {
        let is_again = self.codes.is_again(input, number);
        if is_again {
            self.begin_step(thread);
            self.pending.code = Some(PendingCode::Numbered(number));
            self.pending.target = target;
        }
        is_again
    }
}

impl<B: BlockSink, C: CodeNumbers> Encoder<B, C> {
    /// Creates an encoder of some items of a trace, from the begin of a block on. Records before the
    /// first step of the part belong to the part before and are dropped, except at the begin of the
    /// trace.
    pub fn of_part(sink: B, codes: C, part: Range<u64>) -> Self {
        let mut block = BlockWriter::from_block(part.start / ITEMS);
        block.begin(BlockHead::default());
        Self {
            sink,
            codes,
            threads: Vec::new(),
            summary: Vec::new(),
            times: Vec::new(),
            modes: Vec::new(),
            block,
            items: part.start.max(1),
            part,
            records: 0,
            numbering: None,
            thread: None,
            said: None,
            said_mode: Mode::Other,
            latest_time: 0,
            pending: PendingStep::default(),
            run: None,
            left_out: 0,
            too_large: 0,
            budget: AccessBudget::default(),
            item_start: 0,
            has_stated_full: false,
        }
    }

    /// Ends the last block; returns the numbers of items and of visible records.
    pub fn finish(&mut self) -> (u64, u64) {
        if self.is_over() {
            return (self.part.end, self.record_count());
        }
        self.end_numbered_item();
        self.flush();
        self.tell_left_out();
        self.end_block();
        (self.items, self.record_count())
    }

    /// Returns whether the block has room for another record of the step; counts the record as left
    /// out if not.
    #[inline(always)]
    fn has_room(&mut self) -> bool {
        let len = self.block.len();
        let has_room = len < BLOCK_LIMIT || len < self.item_start + ITEM_ROOM;
        self.left_out += u64::from(!has_room);
        has_room
    }

    /// Reports the records of the last step that were left out.
    #[inline(always)]
    fn tell_left_out(&mut self) {
        if self.left_out > 0 {
            let count = std::mem::take(&mut self.left_out);
            self.mark_left_out(count, &ProblemKind::RecordsLeftOut(count));
        }
        if self.too_large > 0 {
            let count = std::mem::take(&mut self.too_large);
            self.mark_left_out(count, &ProblemKind::AccessesLeftOut(count));
        }
    }

    #[cold]
    fn mark_left_out(&mut self, count: u64, why: &ProblemKind) {
        let marker = Marker {
            kind: MarkerKind::LEFT_OUT,
            value: count,
        };
        self.block.marker(StoredMarker {
            marker,
            size_bytes: 0,
            count,
        });
        self.block.problem(why);
    }

    fn end_block(&mut self) {
        let bytes = self.block.end();
        self.sink
            .block(bytes, self.items, self.codes.all(), &self.threads);
    }

    fn begin_block(&mut self) {
        let (code, addresses) = self.block.state();
        let records_before = self.record_count();
        let head = BlockHead {
            records_before,
            base_time: self.latest_time,
            code,
            addresses,
        };
        self.block.begin(head);
        (self.thread, self.said) = (None, None);
    }

    #[inline(always)]
    fn turn_to(&mut self, thread: ThreadNumber) {
        if self.thread != Some(thread) {
            self.flush();
            self.thread = Some(thread);
        }
    }

    /// Writes the thread of the next record unless the block already has it; dropped records need
    /// none.
    #[inline(always)]
    fn say_thread(&mut self) {
        if self.said != self.thread
            && let Some(thread) = self.thread
        {
            self.said = self.thread;
            let time = self.times.get(usize::from(thread.0)).copied().flatten();
            self.block.thread(thread.0, time);
            self.said_mode = Mode::Other;
            let mode = self
                .modes
                .get(usize::from(thread.0))
                .copied()
                .unwrap_or_default();
            self.say_mode(mode);
        }
    }

    #[inline(always)]
    fn say_mode(&mut self, mode: Mode) {
        if self.said_mode != mode {
            self.said_mode = mode;
            self.block.mode(mode);
        }
    }

    /// Writes what is pending: a step, or a run of markers.
    #[inline(always)]
    fn flush(&mut self) {
        if let Some(found) = self.pending.code.take() {
            self.write_step(found);
        }
        if let Some((marker, count)) = self.run.take() {
            if self.has_room() {
                self.say_thread();
                self.block.marker(StoredMarker {
                    marker,
                    size_bytes: 0,
                    count,
                });
            } else {
                // The marker for left-out records takes their ordinals.
                self.left_out += count - 1;
                self.records += count;
            }
        }
    }

    #[inline(always)]
    fn write_step(&mut self, place: PendingCode) {
        self.say_thread();
        let PendingStep { target, shape, .. } = &self.pending;
        let usual = self.pending.usual();
        let mut step = match place {
            PendingCode::Inline => {
                let Some(code) = &self.pending.inline else {
                    return;
                };
                WrittenStep {
                    number: None,
                    code,
                    usual: None,
                    target: *target,
                }
            }
            PendingCode::Numbered(number) => {
                let known = self.codes.code(number);
                if known.is_some_and(|code| code.shape.is_unset()) {
                    let records = self.pending.records.unwrap_or_default();
                    self.codes.set_shape(number, shape.stated_by(records));
                }
                let Some(code) = self.codes.code(number) else {
                    return;
                };
                WrittenStep {
                    number: Some(number),
                    code,
                    usual: Some(usual),
                    target: *target,
                }
            }
        };
        let usual_records = step.code.shape.records;
        if step.code.shape.is_like(shape) {
            self.block.step(&step);
            if let Some(records) = self.pending.records
                && records != usual_records
            {
                self.block.records(u64::from(records));
            }
            return;
        }
        step.usual = None;
        self.block.step(&step);
        self.write_unusual();
    }

    /// Writes the effects of the pending step one by one.
    #[inline(never)]
    fn write_unusual(&mut self) {
        let (shape, usual) = (&self.pending.shape, self.pending.usual());
        for ((access, address), value) in shape.accesses().zip(usual.addresses).zip(usual.loaded) {
            let ShapeAccess {
                kind,
                size_bytes,
                has_value,
            } = access;
            if has_value {
                self.block.valued_access(access, *address, *value);
            } else {
                self.block.access(StoredAccess {
                    kind,
                    size_bytes,
                    address: *address,
                    pc: None,
                });
            }
        }
        for (ShapeRegister { view, has_value }, value) in shape.registers().zip(usual.registers) {
            self.block.register(StoredRegister {
                view,
                value: has_value.then_some(*value),
            });
        }
        self.pending
            .records
            .into_iter()
            .for_each(|records| self.block.records(u64::from(records)));
    }

    /// Notes the number of records of the item that ends, in a format that numbers them.
    #[inline(never)]
    fn end_numbered_item(&mut self) {
        let Some(RecordNumbering {
            before_item,
            before,
        }) = &mut self.numbering
        else {
            return;
        };
        let records = before.saturating_sub(std::mem::replace(before_item, *before));
        match u8::try_from(records) {
            Ok(few) if self.pending.code.is_some() => self.pending.records = Some(few),
            _ => {
                self.flush();
                self.block.records(records);
            }
        }
    }

    fn is_idle(marker: Marker) -> bool {
        marker.kind == MarkerKind::CORE_IDLE
    }

    fn note_marker(&mut self, thread: ThreadNumber, marker: Marker) {
        if marker.kind == MarkerKind::TIMESTAMP && marker.value != u64::MAX {
            self.latest_time = marker.value;
            if let Some(time) = self.times.get_mut(usize::from(thread.0)) {
                *time = Some(marker.value);
            }
        }
    }

    /// Defines the identity of a thread number, before its first record.
    pub fn thread(&mut self, thread: ThreadNumber, identity: StoredThread) {
        let place = usize::from(thread.0);
        if self.threads.len() <= place {
            self.threads.resize(place + 1, StoredThread::default());
            self.times.resize(place + 1, None);
            self.modes.resize(place + 1, Mode::Other);
        }
        self.threads[place] = identity;
    }

    /// Begins a step whose code `find` returns; returns the number of the code. None if it has no
    /// number, and after the end of the part: see [`Self::is_over`].
    #[inline(always)]
    pub fn step_with(
        &mut self,
        thread: ThreadNumber,
        target: Option<u64>,
        find: impl FnOnce(&mut C) -> CodeLookup,
    ) -> Option<u32> {
        self.begin_step(thread);
        if self.is_over() {
            return None;
        }
        let (code, number) = match find(&mut self.codes) {
            CodeLookup::Numbered(number) => (PendingCode::Numbered(number), Some(number)),
            CodeLookup::Inline(code) => {
                self.pending.inline = Some(code);
                (PendingCode::Inline, None)
            }
        };
        self.pending.code = Some(code);
        self.pending.target = target;
        number
    }

    /// Returns true once a step after the last item of the part came.
    pub fn is_over(&self) -> bool {
        self.items > self.part.end
    }

    /// Returns the number of items until now, including item 0 before the first step.
    #[inline(always)]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Sets the end of the part.
    pub fn end_part_at(&mut self, item: u64) {
        self.part.end = item;
    }

    #[inline(always)]
    fn begin_step(&mut self, thread: ThreadNumber) {
        if self.numbering.is_some() {
            self.end_numbered_item();
        }
        self.turn_to(thread);
        self.flush();
        self.tell_left_out();
        if self.items.is_multiple_of(ITEMS) {
            // Ends the block before the code is known: a block is published with the codes that it
            // needs, each with its shape.
            if self.items > self.part.start {
                self.end_block();
            }
            if self.items == self.part.end {
                self.items += 1;
                return;
            }
            self.begin_block();
            self.turn_to(thread);
        }
        self.item_start = self.block.len();
        self.items += 1;
        self.records += 1;
        self.pending.shape = EffectShape::default();
        (
            self.pending.count,
            self.pending.register_count,
            self.pending.records,
        ) = (0, 0, None);
    }

    /// Adds a load or store of the thread's last step.
    #[inline(always)]
    pub fn access(&mut self, thread: ThreadNumber, access: StoredAccess) {
        self.turn_to(thread);
        self.records += 1;
        if !self.budget.allows(access.size_bytes, self.items) {
            self.too_large += 1;
            return;
        }
        let PendingStep {
            code,
            shape,
            addresses,
            count,
            ..
        } = &mut self.pending;
        let usual = ShapeAccess {
            kind: access.kind,
            size_bytes: access.size_bytes,
            has_value: false,
        };
        if code.is_some() && access.pc.is_none() && shape.push(usual) {
            addresses[*count] = access.address;
            *count += 1;
            return;
        }
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.access(access);
        }
    }

    /// Adds a load or store of at most 8 bytes with its value, as a number, to the thread's last
    /// step.
    #[inline(always)]
    pub fn valued_access(&mut self, thread: ThreadNumber, access: StoredAccess, value: u64) {
        self.turn_to(thread);
        self.records += 1;
        let PendingStep {
            code,
            shape,
            addresses,
            loaded,
            count,
            ..
        } = &mut self.pending;
        let usual = ShapeAccess {
            kind: access.kind,
            size_bytes: access.size_bytes,
            has_value: true,
        };
        if code.is_some() && shape.push(usual) {
            (addresses[*count], loaded[*count]) = (access.address, value);
            *count += 1;
            return;
        }
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.valued_access(usual, access.address, value);
        }
    }

    /// Adds a register write of a thread. Readers get those of a step after its accesses.
    #[inline(always)]
    pub fn register(&mut self, thread: ThreadNumber, register: StoredRegister) {
        self.turn_to(thread);
        self.records += 1;
        let PendingStep {
            code,
            shape,
            registers,
            register_count,
            ..
        } = &mut self.pending;
        let usual = ShapeRegister {
            view: register.view,
            has_value: register.value.is_some(),
        };
        if code.is_some() && shape.push_register(usual) {
            registers[*register_count] = register.value.unwrap_or_default();
            *register_count += 1;
            return;
        }
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.register(register);
        }
    }

    /// Sets the mode of a thread, which gives plain register names their meaning.
    pub fn mode(&mut self, thread: ThreadNumber, mode: Mode) {
        self.turn_to(thread);
        let place = usize::from(thread.0);
        if self.modes.get(place).is_none_or(|known| *known == mode) {
            return;
        }
        // Pending records belong to the mode before.
        self.flush();
        self.modes[place] = mode;
        if self.said == Some(thread) && self.has_room() {
            self.say_mode(mode);
        } else {
            self.said = None;
        }
    }

    /// Sets the time of a thread's following steps, in formats with a time for each step; no marker
    /// records it.
    #[inline]
    pub fn time(&mut self, thread: ThreadNumber, time: u64) {
        self.turn_to(thread);
        let place = usize::from(thread.0);
        if self
            .times
            .get(place)
            .is_none_or(|known| *known == Some(time))
        {
            return;
        }
        self.flush();
        self.times[place] = Some(time);
        self.latest_time = time;
        if self.said == Some(thread) && self.has_room() {
            self.block.time(time);
        } else {
            self.said = None;
        }
    }

    /// Adds text from the trace.
    pub fn note(&mut self, thread: ThreadNumber, kind: TextKind, text: &str) {
        self.turn_to(thread);
        self.records += 1;
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.note(kind, text);
        }
    }

    /// Begins the trace record with this number, counted from 1.
    ///
    /// For formats with other records than steps, accesses and markers. They call this before each
    /// record, and at the end with the next number.
    #[inline(always)]
    pub fn begin_record(&mut self, number: u64) {
        let before = number.saturating_sub(1);
        self.numbering
            .get_or_insert(RecordNumbering {
                before_item: before,
                before,
            })
            .before = before;
    }

    /// Returns the number of records until now.
    fn record_count(&self) -> u64 {
        self.numbering
            .map_or(self.records, |numbering| numbering.before)
    }

    /// Adds any other record. `size_bytes` is the length of its subject, or 0 if it has none.
    pub fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        self.turn_to(thread);
        let is_synthetic = marker.kind.is_synthetic();
        self.records += u64::from(!is_synthetic);
        match &mut self.run {
            Some((running, count)) if *running == marker && *count < RUN_LIMIT => {
                *count += 1;
                return;
            }
            _ => self.flush(),
        }
        if Self::is_idle(marker) {
            self.run = Some((marker, 1));
            return;
        }
        let has_room = self.has_room();
        if has_room {
            self.say_thread();
        } else {
            self.records += u64::from(is_synthetic);
        }
        self.note_marker(thread, marker);
        if has_room {
            self.block.marker(StoredMarker {
                marker,
                size_bytes,
                count: 1,
            });
        }
        if self.codes.is_full() && !self.has_stated_full {
            self.has_stated_full = true;
            self.block.problem(&ProblemKind::EncodingsForgotten);
        }
    }

    /// Adds a prefetch or a flush of the thread's last step.
    pub fn hint(&mut self, thread: ThreadNumber, hint: StoredHint) {
        self.turn_to(thread);
        self.records += 1;
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.hint(hint);
        }
    }

    /// Adds a problem: a part of the trace that could not be read.
    pub fn problem(&mut self, problem: &ProblemKind) {
        self.flush();
        if self.has_room() {
            self.block.problem(problem);
        } else {
            // The marker for left-out records takes an ordinal for it.
            self.records += 1;
        }
    }
}
