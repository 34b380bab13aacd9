//! Turns the steps of a trace into blocks.

use std::io;

use stepback_machine::Mode;

use crate::events::{Problem, TextKind, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::step_store::block::{BlockHead, ITEMS};
use crate::step_store::block_writer::{BlockWriter, ShapeValues, WrittenStep};
use crate::step_store::budget::AccessBudget;
use crate::step_store::code::{Code, EffectShape, ShapeAccess, ShapeRegister};
use crate::step_store::code_table::{CodeLookup, CodeTable, InstructionSetChooser};
use crate::step_store::fill::Filler;
use crate::step_store::layout::StoreFacts;
use crate::step_store::record::{
    ReadEnd, StoredAccess, StoredHint, StoredMarker, StoredRegister, StoredStep, StoredThread,
};

/// A block of this size takes only [`ITEM_ROOM`] more for each step, so that records without steps among them do not fill memory.
const BLOCK_LIMIT: usize = 4 << 20;
/// Bytes that a step and its records may take in a block that is full.
const ITEM_ROOM: usize = 16 << 10;
/// A longer run of equal records is written as several.
const RUN_LIMIT: u64 = 1 << 40;
const NO_SPARE: &str =
    "more distinct instructions than are kept: encodings are forgotten from here on";

/// Takes blocks as they are done.
pub trait BlockSink {
    /// The next block; the items before it and in it are `items`. `codes` are all codes so far.
    fn block(&mut self, bytes: &[u8], items: u64, codes: &[Code], threads: &[StoredThread]);
}

/// Encodes what it is given: steps, accesses and markers in order, each with its thread.
#[derive(Debug)]
pub struct Encoder<B> {
    /// Where the blocks go.
    pub sink: B,
    codes: CodeTable,
    threads: Vec<StoredThread>,
    /// Numbers that the format keeps of the whole trace.
    pub summary: Vec<u64>,
    times: Vec<Option<u64>>,
    /// What plain names mean in each thread.
    modes: Vec<Mode>,
    block: BlockWriter,
    /// Items begun, the one before the first step included.
    items: u64,
    records: u64,
    /// In a format that numbers all its records: where it is.
    numbering: Option<RecordNumbering>,
    thread: Option<ThreadNumber>,
    /// The thread that the block speaks of.
    said: Option<ThreadNumber>,
    /// The mode that it speaks of.
    said_mode: Mode,
    latest_time: u64,
    pending: PendingStep,
    run: Option<(Marker, u64)>,
    /// Records of this step for which there is no room.
    left_out: u64,
    /// Accesses of this step that claim more than the budget has.
    too_large: u64,
    budget: AccessBudget,
    /// Bytes of the block before its last step.
    item_start: usize,
    has_told_full: bool,
}

/// Where a format is among the records that it numbers itself.
#[derive(Clone, Copy, Debug)]
struct RecordNumbering {
    /// Records before the item at hand.
    before_item: u64,
    /// Records before the one at hand.
    before: u64,
}

/// Where the code of the step at hand is. To hand it about with each step would cost more than to find it.
#[derive(Clone, Copy, Debug)]
enum PendingCode {
    /// In the table, under this number.
    Numbered(u32),
    /// In [`Pending::inline`], for want of room.
    Inline,
}

/// A step that was there before.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedStep {
    /// Which of the trace's inputs it stands in.
    pub input: u16,
    /// Who.
    pub thread: ThreadNumber,
    /// What [`Encoder::step`] gave for it.
    pub number: u32,
    /// Where an indirect branch goes; none when the trace does not say.
    pub target: Option<u64>,
}

/// The step at hand and what it did so far.
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
    /// How many records tell of it; none where that is not known yet.
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
    /// Ends the store.
    ///
    /// # Errors
    /// It could not be written, or the trace was not read to its end.
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
            self.codes.codes(),
        )
    }
}

impl<B: BlockSink> Encoder<B> {
    /// Nothing encoded so far.
    pub fn new(sink: B) -> Self {
        let mut block = BlockWriter::default();
        block.begin(BlockHead::default());
        Self {
            sink,
            codes: CodeTable::default(),
            threads: Vec::new(),
            summary: Vec::new(),
            times: Vec::new(),
            modes: Vec::new(),
            block,
            items: 1,
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
            has_told_full: false,
        }
    }

    /// Ends the last block: items and visible records in all.
    pub fn finish(&mut self) -> (u64, u64) {
        self.end_numbered_item();
        self.flush();
        self.tell_left_out();
        self.end_block();
        (self.items, self.record_count())
    }

    /// False, and counted, for a record of a step that has too many.
    #[inline(always)]
    fn has_room(&mut self) -> bool {
        let len = self.block.len();
        let has_room = len < BLOCK_LIMIT || len < self.item_start + ITEM_ROOM;
        self.left_out += u64::from(!has_room);
        has_room
    }

    /// Tells of the records of the last step that there was no room for.
    #[inline(always)]
    fn tell_left_out(&mut self) {
        if self.left_out > 0 {
            let count = std::mem::take(&mut self.left_out);
            self.mark_left_out(
                count,
                "records without an instruction among them are counted but not kept",
            );
        }
        if self.too_large > 0 {
            let count = std::mem::take(&mut self.too_large);
            self.mark_left_out(
                count,
                "accesses claim more memory than steps touch: they are counted but not kept",
            );
        }
    }

    #[cold]
    fn mark_left_out(&mut self, count: u64, why: &str) {
        let marker = Marker {
            kind: MarkerKind::LEFT_OUT,
            value: count,
        };
        self.block.marker(StoredMarker {
            marker,
            size_bytes: 0,
            count,
        });
        self.block.problem(&format!("{count} {why}"));
    }

    fn end_block(&mut self) {
        let bytes = self.block.end();
        self.sink
            .block(bytes, self.items, self.codes.codes(), &self.threads);
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

    /// Says whose the next record is, unless the block has said so: records that are left out need nobody.
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

    /// Writes what waits: the step at hand, or a run of markers.
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
                // What stands for records that are left out has their ordinals.
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
                if self.codes.codes()[number as usize].shape.is_unset() {
                    let records = self.pending.records.unwrap_or_default();
                    self.codes.set_shape(number, shape.told_by(records));
                }
                let code = &self.codes.codes()[number as usize];
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

    /// Writes what the step at hand did, each thing by itself.
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

    /// Notes how many records told of the item, in a format that numbers them.
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

    /// How steps decode whose records do not say it.
    pub fn decide_sets_by(&mut self, set_of: InstructionSetChooser) {
        self.codes.set_of = set_of;
    }

    /// Takes note of the bytes of an instruction that is not a step of its own.
    pub fn note_encoding(&mut self, step: &StoredStep) {
        self.flush();
        self.codes.find(step);
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

    /// Who a number stands for, before the first record that bears it.
    pub fn thread(&mut self, thread: ThreadNumber, identity: StoredThread) {
        let place = usize::from(thread.0);
        if self.threads.len() <= place {
            self.threads.resize(place + 1, StoredThread::default());
            self.times.resize(place + 1, None);
            self.modes.resize(place + 1, Mode::Other);
        }
        self.threads[place] = identity;
    }

    /// A step; gives the number of its code, if there is room for it.
    #[inline(always)]
    pub fn step(&mut self, step: &StoredStep) -> Option<u32> {
        self.begin_step(step.thread);
        let number = match self.codes.find_quickly(step) {
            Some(number) => Some(number),
            None => self.found(step),
        };
        self.pending.code = Some(number.map_or(PendingCode::Inline, PendingCode::Numbered));
        self.pending.target = step.target;
        number
    }

    #[inline(never)]
    fn found(&mut self, step: &StoredStep) -> Option<u32> {
        match self.codes.find(step) {
            CodeLookup::Numbered(number) => Some(number),
            CodeLookup::Inline(code) => {
                self.pending.inline = Some(code);
                None
            }
        }
    }

    /// The same step as before in the same input. False, and nothing is done, where its input says something else of its
    /// address by now.
    #[inline(always)]
    pub fn step_again(&mut self, step: RepeatedStep) -> bool {
        let is_again = self.codes.is_again(step.input, step.number);
        if is_again {
            self.begin_step(step.thread);
            self.pending.code = Some(PendingCode::Numbered(step.number));
            self.pending.target = step.target;
        }
        is_again
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
            // Before its code is known: a block is published with the codes that it needs, each with its shape.
            self.end_block();
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

    /// A load or store; it belongs to the thread's last step.
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

    /// A load or store of at most 8 bytes with what it moved, as a number; it belongs to the thread's last step.
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

    /// A register of a thread got a value. Readers get those of a step behind its accesses.
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

    /// What plain names of registers mean in a thread from here on.
    pub fn mode(&mut self, thread: ThreadNumber, mode: Mode) {
        self.turn_to(thread);
        let place = usize::from(thread.0);
        if self.modes.get(place).is_none_or(|known| *known == mode) {
            return;
        }
        // What waits is of the mode before.
        self.flush();
        self.modes[place] = mode;
        if self.said == Some(thread) && self.has_room() {
            self.say_mode(mode);
        } else {
            self.said = None;
        }
    }

    /// The time of a thread's steps from here on, in formats with a time for each: no marker tells of it.
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

    /// Something that the trace says in words.
    pub fn note(&mut self, thread: ThreadNumber, kind: TextKind, text: &str) {
        self.turn_to(thread);
        self.records += 1;
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.note(kind, text);
        }
    }

    /// What comes next is of the record with this number, from 1: for formats whose records are more than steps, accesses and
    /// markers, and which call this before each of them, and at the end with the number that would come next.
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

    /// Records so far.
    fn record_count(&self) -> u64 {
        self.numbering
            .map_or(self.records, |numbering| numbering.before)
    }

    /// Any other record, with the length of what it tells of, 0 where it tells of none.
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
        if self.codes.is_full && !self.has_told_full {
            self.has_told_full = true;
            self.block.problem(NO_SPARE);
        }
    }

    /// A prefetch or a flush; it belongs to the thread's last step.
    pub fn hint(&mut self, thread: ThreadNumber, hint: StoredHint) {
        self.turn_to(thread);
        self.records += 1;
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.hint(hint);
        }
    }

    /// What could not be read.
    pub fn problem(&mut self, problem: &Problem) {
        self.flush();
        if self.block.len() < BLOCK_LIMIT {
            self.block.problem(&problem.message);
        }
    }
}
