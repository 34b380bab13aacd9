//! Converts stored records to the events of a trace ([`EventEmitter`]); [`StoredFormat`] gives the
//! meaning of numbers that only the format knows. An access with a recorded length of 0 becomes an
//! event as long as the instruction states, else one byte.

use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::{Address, CodeSite, Endian, InstructionSet, Mode, RegisterId, decode};

use crate::events::{
    EventSink, InputLocation, MarkerEvent, MemoryAccess, RegisterWrite, StepEvent, TextEvent,
    TextKind, ThreadNumber, WrittenName,
};
use crate::marker::MarkerKind;
use crate::problem::{Problem, ProblemKind};
use crate::step_store::block_reader::BlockVisitor;
use crate::step_store::code::Code;
use crate::step_store::items::{ITEM_BYTES, first_item};
use crate::step_store::record::{
    StoredAccess, StoredHint, StoredMarker, StoredRegister, StoredThread,
};

/// Maximum bytes of an access event; larger accesses are split.
const ACCESS_LIMIT: u16 = 64;

/// Meaning of stored numbers, which only the format knows.
pub trait StoredFormat {
    /// Returns the name of a thread.
    fn thread_name(&self, thread: StoredThread) -> String;

    /// Converts a time to the unit of the trace's events; `None` for a number that is no time.
    fn time(&self, recorded: u64) -> Option<u64>;

    /// Returns the instruction set of the processor, which determines the ignored top bits of
    /// addresses.
    fn instruction_set(&self) -> InstructionSet;

    /// Returns the byte order of access values in memory.
    fn endian(&self) -> Endian {
        Endian::Little
    }

    /// Returns the name, in lower case, and the length in bytes of a register outside the
    /// architecture's table. The format chooses its number, from [`RegisterId::FIRST_NAMED`] on.
    fn register_named(&self, _register: RegisterId) -> Option<(String, u16)> {
        None
    }
}

/// Pushes the events of a range of items.
pub struct EventEmitter<'a, F, S: ?Sized> {
    format: &'a F,
    items: Range<u64>,
    item: u64,
    sink: &'a mut S,
    identities: &'a [StoredThread],
    /// Number in this run of each thread of the store that occurred: the store may have thousands
    /// of others.
    numbers: HashMap<u16, ThreadNumber>,
    named: u16,
    /// Number in this run of each register outside the architecture's table that occurred.
    registers: HashMap<RegisterId, RegisterId>,
    thread: ThreadNumber,
    time: Option<u64>,
    /// Current thread of the store, and its number in this run once it is needed.
    store_thread: u16,
    number: Option<ThreadNumber>,
    set: InstructionSet,
    /// Step of the current item, and the thread that executed it.
    step: Option<(ThreadNumber, CodeSite, InstructionSet)>,
    mode: Mode,
    /// False when all items were pushed.
    pub goes_on: bool,
}

impl<'a, F: StoredFormat, S: EventSink + ?Sized> EventEmitter<'a, F, S> {
    /// Starts in the block of the first item.
    pub fn new(
        items: Range<u64>,
        identities: &'a [StoredThread],
        format: &'a F,
        sink: &'a mut S,
    ) -> Self {
        Self {
            format,
            item: first_item(items.start),
            items,
            sink,
            identities,
            numbers: HashMap::default(),
            named: 0,
            registers: HashMap::default(),
            thread: ThreadNumber(0),
            time: None,
            store_thread: 0,
            number: None,
            set: format.instruction_set(),
            step: None,
            mode: Mode::Other,
            goes_on: true,
        }
    }

    /// Reports the progress to the sink.
    pub fn tell_progress(&mut self, item: u64) {
        let flow = self.sink.progress(item.min(self.items.end) * ITEM_BYTES);
        self.goes_on &= flow == crate::events::Flow::Continue;
    }

    #[inline(always)]
    fn is_wanted(&self) -> bool {
        self.item >= self.items.start && self.goes_on
    }

    fn place(&self) -> InputLocation {
        InputLocation {
            offset: self.item * ITEM_BYTES,
            line_in_range: 0,
        }
    }

    /// Returns the number in this run of the current thread.
    #[inline(always)]
    fn number(&mut self) -> ThreadNumber {
        match self.number {
            Some(number) => number,
            None => self.find_number(),
        }
    }

    #[cold]
    fn find_number(&mut self) -> ThreadNumber {
        let number = match self.numbers.get(&self.store_thread) {
            Some(number) => *number,
            None => self.name_thread(),
        };
        self.number = Some(number);
        number
    }

    /// Returns the size of an access that was recorded without one: decoded from its step,
    /// otherwise one byte.
    #[cold]
    fn decoded_size_bytes(&self, access: StoredAccess) -> u16 {
        let step = self
            .step
            .filter(|(thread, ..)| *thread == self.thread && access.pc.is_none());
        let decoded = step.map(|(_, site, set)| decode(site.encoding, site.pc, set));
        decoded
            .and_then(|instruction| instruction.meaning.record_bytes(access.kind))
            .unwrap_or(1)
    }

    /// Returns the number in this run of a register outside the architecture's table.
    #[cold]
    fn named_register(&mut self, stored: RegisterId) -> Option<RegisterId> {
        if let Some(known) = self.registers.get(&stored) {
            return Some(*known);
        }
        let (name, size_bytes) = self.format.register_named(stored)?;
        let place = u16::try_from(self.registers.len()).ok()?;
        let number = RegisterId(RegisterId::FIRST_NAMED.0.checked_add(place)?);
        self.registers.insert(stored, number);
        self.sink.register_named(number, &name, size_bytes);
        Some(number)
    }

    fn name_thread(&mut self) -> ThreadNumber {
        let number = ThreadNumber(self.named);
        self.named += 1;
        self.numbers.insert(self.store_thread, number);
        let identity = self
            .identities
            .get(usize::from(self.store_thread))
            .copied()
            .unwrap_or_default();
        self.sink
            .thread_named(number, &self.format.thread_name(identity));
        number
    }
}

impl<F: StoredFormat, S: EventSink + ?Sized> BlockVisitor for EventEmitter<'_, F, S> {
    fn thread(&mut self, thread: u16, time: Option<u64>) {
        (self.store_thread, self.number) = (thread, None);
        self.time = time.and_then(|time| self.format.time(time));
        self.mode = Mode::Other;
    }

    #[inline(always)]
    fn step(&mut self, code: &Code, _target: Option<u64>) {
        self.item += 1;
        self.goes_on &= self.item < self.items.end;
        if !self.is_wanted() {
            return;
        }
        self.thread = self.number();
        let encoding = code.encoding.as_ref();
        self.step = code.encoding.map(|encoding| {
            (
                self.thread,
                CodeSite {
                    pc: code.address(),
                    encoding,
                },
                code.set,
            )
        });
        let place = self.place();
        self.sink.begin_step(&StepEvent {
            thread: self.thread,
            place,
            chunk_offset: place.offset,
            time: self.time,
            pc: code.address(),
            instruction_set: code.set,
            opcode: encoding.map_or(0, |encoding| code.set.opcode_of(encoding)),
            bytes: encoding.map_or(&[], |encoding| encoding.bytes()),
            branch: code.branch,
            length_bytes: code.event_length(),
            is_executed: code.reached.is_executed,
            delay_slot: code.reached.slot,
            origin: code.reached.origin,
            mode: self.mode,
            text: &[],
        });
    }

    #[inline(always)]
    fn access(&mut self, access: StoredAccess) {
        let StoredAccess {
            kind,
            mut size_bytes,
            address: made,
            ..
        } = access;
        if !self.is_wanted() {
            return;
        }
        self.thread = self.number();
        if size_bytes == 0 {
            size_bytes = self.decoded_size_bytes(access);
        }
        let (thread, place) = (self.thread, self.place());
        let address = Address(self.set.plain_address(made));
        let tag = made ^ address.0;
        // No byte follows the last address.
        let room = u64::MAX - address.0;
        let whole_bytes = u64::from(size_bytes).min(room.saturating_add(1)) as u16;
        for offset in (0..whole_bytes).step_by(usize::from(ACCESS_LIMIT)) {
            let size_bytes = (whole_bytes - offset).min(ACCESS_LIMIT) as u8;
            let address = Address(address.0 + u64::from(offset));
            self.sink.access(&MemoryAccess {
                thread,
                kind,
                address,
                tag,
                size_bytes,
                bytes: None,
                place,
            });
        }
    }

    fn marker(&mut self, stored: StoredMarker) {
        let mut marker = stored.marker;
        if marker.kind == MarkerKind::TIMESTAMP {
            let Some(time) = self.format.time(marker.value) else {
                return;
            };
            marker.value = time;
            self.time = Some(time);
        }
        if !self.is_wanted() {
            return;
        }
        if marker.kind == MarkerKind::CORE_IDLE {
            marker.value = stored.count;
        }
        let event = MarkerEvent {
            thread: self.number(),
            marker,
            place: self.place(),
        };
        self.sink.marker(&event);
    }

    fn hint(&mut self, hint: StoredHint) {
        let StoredHint {
            marker, size_bytes, ..
        } = hint;
        self.marker(StoredMarker {
            marker,
            size_bytes,
            count: 1,
        });
    }

    #[inline(always)]
    fn valued_access(&mut self, access: StoredAccess, value: u64) {
        let StoredAccess {
            kind,
            size_bytes,
            address,
            ..
        } = access;
        let size_bytes = size_bytes.min(8) as u8;
        if !self.is_wanted()
            || size_bytes == 0
            || address.checked_add(u64::from(size_bytes) - 1).is_none()
        {
            return;
        }
        self.thread = self.number();
        // Bits above the access size are cut off in both byte orders.
        let unused_bits = 64 - 8 * u32::from(size_bytes);
        let bytes = match self.format.endian() {
            Endian::Little => (value << unused_bits >> unused_bits).to_le_bytes(),
            Endian::Big => (value << unused_bits).to_be_bytes(),
        };
        let (thread, place, address) = (self.thread, self.place(), Address(address));
        self.sink.access(&MemoryAccess {
            thread,
            kind,
            address,
            tag: 0,
            size_bytes,
            bytes: Some(bytes),
            place,
        });
    }

    #[inline(always)]
    fn register(&mut self, register: StoredRegister) {
        let StoredRegister { mut view, value } = register;
        if !self.is_wanted() || !(1..=16).contains(&view.size_bytes) {
            return;
        }
        if view.register >= RegisterId::FIRST_NAMED {
            match self.named_register(view.register) {
                Some(register) => view.register = register,
                None => return,
            }
        }
        let value = value.map(u128::to_le_bytes);
        self.thread = self.number();
        self.sink.register_write(&RegisterWrite {
            thread: self.thread,
            view,
            bytes: value
                .as_ref()
                .map(|bytes| bytes.get(..usize::from(view.size_bytes)).unwrap_or(bytes)),
            name: WrittenName::Own,
            mode: self.mode,
            place: self.place(),
        });
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        !self.goes_on || self.item + 1 >= self.items.end
    }

    fn time(&mut self, time: u64) {
        self.time = self.format.time(time);
    }

    fn mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    fn note(&mut self, kind: TextKind, text: String) {
        if self.is_wanted() {
            let event = TextEvent {
                thread: self.number(),
                kind,
                text: text.as_bytes(),
                place: self.place(),
            };
            self.sink.text(&event);
        }
    }

    fn problem(&mut self, message: String) {
        if self.is_wanted() {
            let place = self.place();
            self.sink.problem(&Problem {
                place,
                column: 0,
                kind: ProblemKind::Stored(message),
            });
        }
    }
}
