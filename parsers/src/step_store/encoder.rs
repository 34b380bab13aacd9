//! Turns the records of a trace into blocks.

use std::io;

use crate::drmemtrace::counts::Counter;
use crate::drmemtrace::merge::ReadEnd;
use crate::drmemtrace::record::{DataRecord, InstructionRecord, RecordSink, ThreadIdentity};
use crate::events::{Problem, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::step_store::block::{BlockHead, BlockWriter, ITEMS, WrittenStep};
use crate::step_store::code::{Code, Shape};
use crate::step_store::code_table::{CodeTable, Found};
use crate::step_store::fill::Filler;
use crate::step_store::layout::Facts;

/// In a block with so many bytes there is little room for records without an instruction among them, which bounds memory.
const BLOCK_LIMIT: usize = 4 << 20;
/// So much for each step.
const ITEM_ROOM: usize = 16 << 10;
/// Threads beyond these have no bits of what they executed: their addresses are looked up each time.
const EXECUTED_THREADS: u16 = 256;
/// The type of a further round of a repeated instruction.
const REPETITION: u8 = 29;
/// A record that is repeated more often is counted in several runs.
const RUN_LIMIT: u64 = 1 << 40;
const NO_SPARE: &str = "more distinct instructions than are kept: encodings are forgotten from here on";

/// Takes blocks as they are done.
pub trait BlockSink {
    /// The next block; the items before it and in it are `items`. `codes` are all codes so far.
    fn block(&mut self, bytes: &[u8], items: u64, codes: &[Code], threads: &[ThreadIdentity]);
}

/// Encodes the records that it is given.
#[derive(Debug)]
pub struct Encoder<B> {
    /// Where the blocks go.
    pub sink: B,
    codes: CodeTable,
    counter: Counter,
    /// For each thread a bit for each code: the thread has executed it.
    executed: Vec<Vec<u64>>,
    threads: Vec<ThreadIdentity>,
    times: Vec<Option<u64>>,
    block: BlockWriter,
    /// Items begun, the one before the first step included.
    items: u64,
    records: u64,
    thread: Option<ThreadNumber>,
    /// The thread that the block speaks of.
    said: Option<ThreadNumber>,
    latest_time: u64,
    pending: Pending,
    run: Option<(Marker, u64)>,
    /// Records of this block for which there is no room.
    left_out: u64,
    /// Bytes of the block before its last step.
    item_start: usize,
    has_told_full: bool,
}

/// The step at hand and its accesses so far.
#[derive(Debug, Default)]
struct Pending {
    code: Option<Found>,
    target: Option<u64>,
    shape: Shape,
    addresses: [u64; Shape::LIMIT],
    count: usize,
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
        let counts = self.counter.threads().map(|(_, counts)| counts.clone()).collect();
        let (threads, total) = (std::mem::take(&mut self.threads), self.counter.total());
        self.sink.finish(Facts { items, records, threads, counts, total }, self.codes.codes())
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
            counter: Counter::default(),
            executed: Vec::new(),
            threads: Vec::new(),
            times: Vec::new(),
            block,
            items: 1,
            records: 0,
            thread: None,
            said: None,
            latest_time: 0,
            pending: Pending::default(),
            run: None,
            left_out: 0,
            item_start: 0,
            has_told_full: false,
        }
    }

    /// Ends the last block: items and visible records in all.
    pub fn finish(&mut self) -> (u64, u64) {
        self.flush();
        if self.left_out > 0 {
            self.tell_left_out();
        }
        self.end_block();
        (self.items, self.records)
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
    #[cold]
    fn tell_left_out(&mut self) {
        let count = std::mem::take(&mut self.left_out);
        self.block.marker(Marker { kind: MarkerKind::LEFT_OUT, value: count }, 0, count);
        self.block.problem(&format!("{count} records without an instruction among them are counted but not kept"));
    }

    fn end_block(&mut self) {
        let bytes = self.block.end();
        self.sink.block(bytes, self.items, self.codes.codes(), &self.threads);
    }

    fn begin_block(&mut self) {
        let (code, addresses) = self.block.state();
        let head = BlockHead { records_before: self.records, base_time: self.latest_time, code, addresses };
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
                self.block.marker(marker, 0, count);
            } else {
                self.left_out += count - 1;
            }
        }
    }

    #[inline(always)]
    fn write_step(&mut self, found: Found) {
        self.say_thread();
        let Pending { target, shape, addresses, count, .. } = &self.pending;
        let addresses = addresses.get(..*count).unwrap_or_default();
        let mut step = match &found {
            Found::Inline(code) => WrittenStep { number: None, code, usual: None, target: *target },
            Found::Numbered(number) => {
                if self.codes.codes()[*number as usize].shape == Shape::UNSET {
                    self.codes.set_shape(*number, *shape);
                }
                let code = &self.codes.codes()[*number as usize];
                WrittenStep { number: Some(*number), code, usual: Some(addresses), target: *target }
            }
        };
        if step.code.shape == *shape {
            self.block.step(&step);
            return;
        }
        step.usual = None;
        self.block.step(&step);
        for ((is_write, size_bytes), address) in shape.accesses().zip(addresses) {
            self.block.access(is_write, size_bytes, *address, None);
        }
    }

    /// A further round of a repeated instruction belongs to the step of the first one, which it follows.
    fn repetition(&mut self, record: &InstructionRecord) {
        if record.encoding.is_some() {
            // Repeated where a chunk of the file begins.
            self.codes.find(record);
        }
        self.records += 1;
        let marker = Marker { kind: MarkerKind::REPETITION, value: record.pc };
        if self.has_room() {
            self.say_thread();
            self.block.marker(marker, u64::from(record.length_bytes), 1);
        }
    }

    /// An address is looked up among those of its thread once for each code.
    #[inline(always)]
    fn count_address(&mut self, record: &InstructionRecord, found: Found) {
        let (Found::Numbered(code), 0..EXECUTED_THREADS) = (found, record.thread.0) else {
            self.counter.count_address(record.thread, record.pc);
            return;
        };
        let (place, bit) = (code as usize / 64, 1 << (code % 64));
        let Some(executed) = self.executed.get_mut(usize::from(record.thread.0)) else { return };
        match executed.get_mut(place) {
            Some(bits) if *bits & bit != 0 => return,
            Some(bits) => *bits |= bit,
            None => {
                executed.resize(place + 1, 0);
                executed[place] |= bit;
            }
        }
        self.counter.count_address(record.thread, record.pc);
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
}

impl<B: BlockSink> RecordSink for Encoder<B> {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        let place = usize::from(thread.0);
        if self.threads.len() <= place {
            self.threads.resize(place + 1, ThreadIdentity::default());
            self.times.resize(place + 1, None);
            self.executed.resize(place + 1, Vec::new());
        }
        self.threads[place] = identity;
        self.counter.thread(thread, identity);
    }

    #[inline(always)]
    fn instruction(&mut self, record: &InstructionRecord) {
        self.turn_to(record.thread);
        self.flush();
        self.counter.count_instruction(record);
        if record.kind == REPETITION {
            self.repetition(record);
            return;
        }
        if self.left_out > 0 {
            self.tell_left_out();
        }
        if self.items.is_multiple_of(ITEMS) {
            // Before its code is known: a block is published with the codes that it needs, each with its shape.
            self.end_block();
            self.begin_block();
            self.turn_to(record.thread);
        }
        self.item_start = self.block.len();
        self.items += 1;
        self.records += 1;
        let found = self.codes.find(record);
        self.count_address(record, found);
        self.pending.code = Some(found);
        self.pending.target = record.target;
        self.pending.shape = Shape::default();
        self.pending.count = 0;
    }

    #[inline(always)]
    fn data(&mut self, record: &DataRecord) {
        self.turn_to(record.thread);
        self.counter.data(record);
        self.records += 1;
        let Pending { code, shape, addresses, count, .. } = &mut self.pending;
        if code.is_some() && record.pc.is_none() && shape.push(record.is_write, record.size_bytes) {
            addresses[*count] = record.address;
            *count += 1;
            return;
        }
        self.flush();
        if self.has_room() {
            self.say_thread();
            self.block.access(record.is_write, record.size_bytes, record.address, record.pc);
        }
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        self.turn_to(thread);
        self.counter.marker(thread, marker, size_bytes);
        self.records += 1;
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
        }
        self.note_marker(thread, marker);
        if has_room {
            self.block.marker(marker, size_bytes, 1);
        }
        if self.codes.is_full && !self.has_told_full {
            self.has_told_full = true;
            self.block.problem(NO_SPARE);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.flush();
        if self.block.len() < BLOCK_LIMIT {
            self.block.problem(&problem.message);
        }
    }
}
