//! A block: the records of up to 256 items, which decode by themselves.
//!
//! ```text
//! checksum   u32: the low half of the XXH3 of what follows, with the number of the block as its seed: a block that stands
//!            in the place of another is no block
//! head       visible records before the block, a time that others are close to, the code of the step before: numbers;
//!            the addresses that others are close to (`numbers.rs`)
//! ops        each a byte: STEP | flags, or one of the others, and its fields
//! ```
//! Numbers are LEB128.
//!
//! A step is mostly one byte, the addresses of its accesses and the values that it moved: codes are numbered in the order of
//! their first execution, so the next step's code is mostly the next number, and an instruction mostly does what it did the
//! first time.

use stepback_machine::{AccessKind, Encoding, InstructionSet, Mode, RegisterView};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::events::TextKind;
use crate::marker::{Marker, MarkerKind};
use crate::step_store::code::{
    Code, Shape, ShapeAccess, ShapeRegister, branch_of_number, number_of_branch, number_of_view, view_of_number,
};
use crate::step_store::codes::Codes;
use crate::step_store::modes::{mode_of_number, number_of_mode};
use crate::step_store::numbers::{Addresses, PADDING, Reader, Values, Writer};
use crate::step_store::record::{Reached, StoredAccess, StoredHint, StoredMarker, StoredRegister};

/// Items in a block.
pub const ITEMS: u64 = 256;

/// A step; the flags say what follows.
const STEP: u8 = 1;
/// Its code is the one after the code of the step before; else a difference follows.
const IS_NEXT: u8 = 2;
/// It does what it did the first time: addresses and values of its accesses follow, then values of registers.
const IS_USUAL: u8 = 4;
/// Where it goes follows, as a difference to its address.
const HAS_TARGET: u8 = 8;
/// Its code is not in the table but follows.
const IS_INLINE: u8 = 16;

const THREAD: u8 = 0;
const READ: u8 = 2;
const WRITE: u8 = 4;
const READ_ELSEWHERE: u8 = 6;
const WRITE_ELSEWHERE: u8 = 8;
const MARKER: u8 = 10;
const SIZED_MARKER: u8 = 12;
const MARKER_RUN: u8 = 14;
const TIME: u8 = 16;
const PROBLEM: u8 = 18;
const HINT: u8 = 20;
const HINT_ELSEWHERE: u8 = 22;
const VALUED_READ: u8 = 24;
const VALUED_WRITE: u8 = 26;
const REGISTER: u8 = 28;
const UNKNOWN_REGISTER: u8 = 30;
const MODE: u8 = 32;
const NOTE: u8 = 34;
const RECORDS: u8 = 36;
const STEP_TIME: u8 = 38;

/// What stands in front of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHead {
    /// Visible records before it.
    pub records_before: u64,
    /// Times in it are differences to this one.
    pub base_time: u64,
    /// The code of the step before it.
    pub code: u32,
    /// Where the last addresses were.
    pub addresses: Addresses,
}

/// Writes a block.
#[derive(Debug, Default)]
pub struct BlockWriter {
    out: Writer,
    /// The number of the block.
    number: u64,
    base_time: u64,
    code: u32,
    addresses: Addresses,
    values: Values,
}

/// A step as it is written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenStep<'a> {
    /// Its place in the table of codes; none when it is not there.
    pub number: Option<u32>,
    /// Its code.
    pub code: &'a Code,
    /// What it did, when that is as usual.
    pub usual: Option<Usual<'a>>,
    /// Where it goes.
    pub target: Option<u64>,
}

/// What differs between two executions of an instruction that do the same.
#[derive(Clone, Copy, Debug)]
pub struct Usual<'a> {
    /// Of its accesses.
    pub addresses: &'a [u64],
    /// Of those accesses that have values; other places hold nothing.
    pub loaded: &'a [u64],
    /// Of the registers.
    pub registers: &'a [u128],
}

impl BlockWriter {
    /// Begins a block.
    pub fn begin(&mut self, head: BlockHead) {
        self.out.bytes.clear();
        self.out.bytes.extend_from_slice(&[0; 4]);
        self.out.number(head.records_before);
        self.out.number(head.base_time);
        self.out.number(u64::from(head.code));
        head.addresses.save(&mut self.out);
        (self.base_time, self.code, self.addresses) = (head.base_time, head.code, head.addresses);
        self.values = Values::default();
    }

    /// Ends it: its bytes.
    pub fn end(&mut self) -> &[u8] {
        let checksum = checksum(self.out.bytes.get(4..).unwrap_or_default(), self.number);
        self.number += 1;
        if let Some(place) = self.out.bytes.first_chunk_mut() {
            *place = checksum.to_le_bytes();
        }
        &self.out.bytes
    }

    /// Its bytes so far.
    pub fn len(&self) -> usize {
        self.out.bytes.len()
    }

    /// What the next block must know.
    pub fn state(&self) -> (u32, Addresses) {
        (self.code, self.addresses)
    }

    /// The records that follow are this thread's, whose latest timestamp is this one.
    pub fn thread(&mut self, thread: u16, time: Option<u64>) {
        self.out.byte(THREAD);
        self.out.number(u64::from(thread));
        self.out.byte(u8::from(time.is_some()));
        if let Some(time) = time {
            self.out.difference(time, self.base_time);
        }
    }

    /// A step begins.
    #[inline(always)]
    pub fn step(&mut self, step: &WrittenStep<'_>) {
        let next = self.code.wrapping_add(1);
        let is_next = step.number == Some(next);
        let tag = STEP
            | (IS_NEXT * u8::from(is_next))
            | (IS_USUAL * u8::from(step.usual.is_some()))
            | (HAS_TARGET * u8::from(step.target.is_some()))
            | (IS_INLINE * u8::from(step.number.is_none()));
        self.out.byte(tag);
        match step.number {
            Some(number) => {
                if !is_next {
                    self.out.difference(u64::from(number), u64::from(next));
                }
                self.code = number;
            }
            None => self.inline(step.code),
        }
        if let Some(target) = step.target {
            self.out.difference(target, step.code.pc);
        }
        if let Some(usual) = step.usual {
            self.usual(&step.code.shape, usual);
        }
    }

    #[inline(always)]
    fn usual(&mut self, shape: &Shape, usual: Usual<'_>) {
        if shape.has_values() {
            self.usual_values(shape, usual);
        } else {
            usual.addresses.iter().for_each(|address| self.addresses.write(*address, &mut self.out));
        }
    }

    fn usual_values(&mut self, shape: &Shape, usual: Usual<'_>) {
        for ((access, address), loaded) in shape.accesses().zip(usual.addresses).zip(usual.loaded) {
            self.addresses.write(*address, &mut self.out);
            if access.has_value {
                self.values.write_memory(*loaded, &mut self.out);
            }
        }
        for (register, value) in shape.registers().zip(usual.registers) {
            if register.has_value {
                self.value(register.view, *value);
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, view: RegisterView, value: u128) {
        self.values.write_register(view.register.0, value as u64, &mut self.out);
        if view.size_bytes > 8 {
            self.out.number((value >> 64) as u64);
        }
    }

    /// A register that the step's code does not tell.
    pub fn register(&mut self, register: StoredRegister) {
        let StoredRegister { view, value } = register;
        self.out.byte(if value.is_some() { REGISTER } else { UNKNOWN_REGISTER });
        self.out.number(u64::from(number_of_view(view)));
        if let Some(value) = value {
            self.value(view, value);
        }
    }

    /// An access with what it loaded or stored, which the step's code does not tell.
    pub fn valued_access(&mut self, access: ShapeAccess, address: u64, value: u64) {
        self.out.byte(if access.kind == AccessKind::Read { VALUED_READ } else { VALUED_WRITE });
        self.out.number(u64::from(access.size_bytes));
        self.addresses.write(address, &mut self.out);
        self.values.write_memory(value, &mut self.out);
    }

    /// What plain names of registers mean from here on.
    pub fn mode(&mut self, mode: Mode) {
        self.out.byte(MODE);
        self.out.number(number_of_mode(mode));
    }

    /// Something that the trace says in words.
    pub fn note(&mut self, kind: TextKind, text: &str) {
        self.out.byte(NOTE);
        self.out.byte(NOTES.iter().position(|known| *known == kind).unwrap_or_default() as u8);
        self.out.text(text);
    }

    /// So many records told of the item, its step's own included.
    pub fn records(&mut self, count: u64) {
        self.out.byte(RECORDS);
        self.out.number(count);
    }

    fn inline(&mut self, code: &Code) {
        self.out.number(code.pc);
        self.out.byte(number_of_branch(code.branch));
        self.out.byte(code.set as u8);
        self.out.number(u64::from(code.length_bytes));
        let encoding = code.encoding.unwrap_or_default();
        self.out.byte(encoding.bytes().len() as u8);
        self.out.bytes.extend_from_slice(encoding.bytes());
        self.out.byte(code.reached.number());
    }

    /// An access that the step's code does not tell; its `pc` is that of an instruction that is no step.
    pub fn access(&mut self, access: StoredAccess) {
        let StoredAccess { kind, size_bytes, address, pc } = access;
        self.out.byte(match (kind, pc) {
            (AccessKind::Read, None) => READ,
            (AccessKind::Write, None) => WRITE,
            (AccessKind::Read, Some(_)) => READ_ELSEWHERE,
            (AccessKind::Write, Some(_)) => WRITE_ELSEWHERE,
        });
        self.out.number(u64::from(size_bytes));
        self.addresses.write(address, &mut self.out);
        if let Some(pc) = pc {
            self.out.number(pc);
        }
    }

    /// A prefetch or a flush; its `pc` is that of an instruction that is no step.
    pub fn hint(&mut self, hint: StoredHint) {
        let StoredHint { marker, size_bytes, pc } = hint;
        self.out.byte(if pc.is_some() { HINT_ELSEWHERE } else { HINT });
        self.out.number(u64::from(marker.kind.0));
        self.out.number(marker.value);
        self.out.number(size_bytes);
        if let Some(pc) = pc {
            self.out.number(pc);
        }
    }

    /// Equal markers one after the other.
    pub fn marker(&mut self, stored: StoredMarker) {
        let StoredMarker { marker, size_bytes, count } = stored;
        if marker.kind == MarkerKind::TIMESTAMP && count == 1 {
            self.out.byte(TIME);
            self.out.difference(marker.value, self.base_time);
            return;
        }
        self.out.byte(match (size_bytes, count) {
            (0, 1) => MARKER,
            (_, 1) => SIZED_MARKER,
            _ => MARKER_RUN,
        });
        self.out.number(u64::from(marker.kind.0));
        self.out.number(marker.value);
        match (size_bytes, count) {
            (0, 1) => {}
            (size_bytes, 1) => self.out.number(size_bytes),
            _ => self.out.number(count),
        }
    }

    /// What follows happened at this time; nobody is told of it by itself.
    #[inline]
    pub fn time(&mut self, time: u64) {
        self.out.byte(STEP_TIME);
        self.out.difference(time, self.base_time);
    }

    /// Something could not be read here.
    pub fn problem(&mut self, message: &str) {
        self.out.byte(PROBLEM);
        self.out.text(message);
    }
}

/// Takes the records of a block.
pub trait BlockVisitor {
    /// The records that follow are this thread's, whose latest timestamp is this one.
    fn thread(&mut self, thread: u16, time: Option<u64>);
    /// The next item begins.
    fn step(&mut self, code: &Code, target: Option<u64>);
    /// An access of the thread's last step, or of the instruction at its `pc`, which is no step.
    fn access(&mut self, access: StoredAccess);
    /// Equal markers.
    fn marker(&mut self, marker: StoredMarker);
    /// A prefetch or a flush of the thread's last step, or of the instruction at its `pc`, which is no step.
    fn hint(&mut self, hint: StoredHint);
    /// Something could not be read here.
    fn problem(&mut self, message: String);
    /// An access of the thread's last step with what it loaded or stored, at most 8 bytes as a number.
    fn valued_access(&mut self, access: StoredAccess, _value: u64) {
        self.access(access);
    }
    /// A register got a value.
    fn register(&mut self, _register: StoredRegister) {}
    /// The time of what follows, told by no marker.
    fn time(&mut self, _time: u64) {}
    /// What plain names of registers mean from here on; [`Mode::Other`] wherever the thread has just been said.
    fn mode(&mut self, _mode: Mode) {}
    /// Something that the trace says in words.
    fn note(&mut self, _kind: TextKind, _text: String) {}
    /// So many records told of the item, its step's own included: in formats that number them so.
    fn records(&mut self, _count: u64) {}
    /// True when nothing of the rest is wanted. Asked before each step.
    fn is_done(&self) -> bool {
        false
    }
}

/// Kinds of notes, by the numbers under which they are written.
const NOTES: [TextKind; 3] = [TextKind::Exception, TextKind::StateChange, TextKind::Note];

/// The block does not hold what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// What was read of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockBytes<'a> {
    /// Its number.
    pub number: u64,
    /// Its bytes, followed by [`PADDING`] zeros.
    pub padded: &'a [u8],
}

/// The head of a block.
pub fn head(block: BlockBytes<'_>) -> Result<BlockHead, Damaged> {
    open(block).map(|(head, _)| head)
}

fn checksum(content: &[u8], number: u64) -> u32 {
    xxh3_64_with_seed(content, number) as u32
}

fn open(BlockBytes { number, padded }: BlockBytes<'_>) -> Result<(BlockHead, Reader<'_>), Damaged> {
    let (expected, content) = padded.split_first_chunk().ok_or(Damaged)?;
    let end = content.len().checked_sub(PADDING).ok_or(Damaged)?;
    let is_right = checksum(content.get(..end).unwrap_or_default(), number) == u32::from_le_bytes(*expected);
    let mut reader = Reader::new(content);
    let (records_before, base_time, code) = (reader.number(), reader.number(), reader.number() as u32);
    let addresses = Addresses::load(&mut reader);
    (is_right || cfg!(fuzzing))
        .then_some((BlockHead { records_before, base_time, code, addresses }, reader))
        .ok_or(Damaged)
}

/// Reads a block with the codes that it names by number, up to where the visitor is done.
pub fn read_block<V: BlockVisitor>(block: BlockBytes<'_>, codes: &Codes, visitor: &mut V) -> Result<(), Damaged> {
    let (head, reader) = open(block)?;
    let mut run = BlockRun {
        reader,
        base_time: head.base_time,
        code: head.code,
        addresses: head.addresses,
        values: Values::default(),
        codes,
    };
    while !run.reader.is_at_end() {
        let op = run.reader.byte();
        if op & STEP == 0 {
            run.other(op, visitor)?;
        } else if visitor.is_done() {
            return Ok(());
        } else {
            run.step(op, visitor)?;
        }
    }
    if run.reader.is_sound() { Ok(()) } else { Err(Damaged) }
}

struct BlockRun<'a> {
    reader: Reader<'a>,
    base_time: u64,
    code: u32,
    addresses: Addresses,
    values: Values,
    codes: &'a Codes,
}

impl BlockRun<'_> {
    #[inline(always)]
    fn step<V: BlockVisitor>(&mut self, op: u8, visitor: &mut V) -> Result<(), Damaged> {
        let inline;
        let codes = self.codes;
        let code = if op & IS_INLINE == 0 {
            let next = self.code.wrapping_add(1);
            self.code = if op & IS_NEXT != 0 { next } else { self.reader.difference(u64::from(next)) as u32 };
            codes.get(self.code).ok_or(Damaged)?
        } else {
            inline = self.inline()?;
            &inline
        };
        let target = (op & HAS_TARGET != 0).then(|| self.reader.difference(code.pc));
        visitor.step(code, target);
        if op & IS_USUAL != 0 {
            self.usual(&code.shape, visitor);
        }
        Ok(())
    }

    #[inline(always)]
    fn usual<V: BlockVisitor>(&mut self, shape: &Shape, visitor: &mut V) {
        if shape.has_values() {
            self.usual_values(shape, visitor);
        } else {
            for ShapeAccess { kind, size_bytes, .. } in shape.accesses() {
                let address = self.addresses.read(&mut self.reader);
                visitor.access(StoredAccess { kind, size_bytes, address, pc: None });
            }
        }
        if shape.records > 0 {
            visitor.records(u64::from(shape.records));
        }
    }

    fn usual_values<V: BlockVisitor>(&mut self, shape: &Shape, visitor: &mut V) {
        for ShapeAccess { kind, size_bytes, has_value } in shape.accesses() {
            let address = self.addresses.read(&mut self.reader);
            let access = StoredAccess { kind, size_bytes, address, pc: None };
            if has_value {
                visitor.valued_access(access, self.values.read_memory(&mut self.reader));
            } else {
                visitor.access(access);
            }
        }
        for ShapeRegister { view, has_value } in shape.registers() {
            let value = has_value.then(|| self.value(view));
            visitor.register(StoredRegister { view, value });
        }
    }

    #[inline(always)]
    fn value(&mut self, view: RegisterView) -> u128 {
        let low = self.values.read_register(view.register.0, &mut self.reader);
        let high = if view.size_bytes > 8 { self.reader.number() } else { 0 };
        u128::from(high) << 64 | u128::from(low)
    }

    fn inline(&mut self) -> Result<Code, Damaged> {
        let (pc, branch, set) = (self.reader.number(), self.reader.byte(), self.reader.byte());
        let length_bytes = self.reader.number() as u16;
        let count = self.reader.byte();
        let bytes: Vec<u8> = (0..count).map(|_| self.reader.byte()).collect();
        let branch = branch_of_number(branch).ok_or(Damaged)?;
        let set = InstructionSet::of_number(set).ok_or(Damaged)?;
        let reached = Reached::of_number(self.reader.byte()).ok_or(Damaged)?;
        Ok(Code { pc, encoding: Encoding::new(&bytes), branch, set, length_bytes, reached, shape: Shape::UNSET })
    }

    fn other<V: BlockVisitor>(&mut self, op: u8, visitor: &mut V) -> Result<(), Damaged> {
        match op {
            THREAD => {
                let thread = self.reader.number() as u16;
                let has_time = self.reader.byte() != 0;
                visitor.thread(thread, has_time.then(|| self.reader.difference(self.base_time)));
            }
            READ | WRITE | READ_ELSEWHERE | WRITE_ELSEWHERE => {
                let size_bytes = self.reader.number() as u16;
                let address = self.addresses.read(&mut self.reader);
                let pc = (op >= READ_ELSEWHERE).then(|| self.reader.number());
                let is_write = matches!(op, WRITE | WRITE_ELSEWHERE);
                let kind = if is_write { AccessKind::Write } else { AccessKind::Read };
                visitor.access(StoredAccess { kind, size_bytes, address, pc });
            }
            MARKER | SIZED_MARKER | MARKER_RUN => {
                let marker = Marker { kind: MarkerKind(self.reader.number() as u16), value: self.reader.number() };
                let more = if op == MARKER { 0 } else { self.reader.number() };
                let (size_bytes, count) = if op == MARKER_RUN { (0, more) } else { (more, 1) };
                visitor.marker(StoredMarker { marker, size_bytes, count });
            }
            TIME => {
                let value = self.reader.difference(self.base_time);
                let marker = Marker { kind: MarkerKind::TIMESTAMP, value };
                visitor.marker(StoredMarker { marker, size_bytes: 0, count: 1 });
            }
            HINT | HINT_ELSEWHERE => {
                let marker = Marker { kind: MarkerKind(self.reader.number() as u16), value: self.reader.number() };
                let size_bytes = self.reader.number();
                let pc = (op == HINT_ELSEWHERE).then(|| self.reader.number());
                visitor.hint(StoredHint { marker, size_bytes, pc });
            }
            PROBLEM => visitor.problem(self.reader.text()),
            VALUED_READ | VALUED_WRITE => {
                let size_bytes = self.reader.number() as u16;
                let address = self.addresses.read(&mut self.reader);
                let kind = if op == VALUED_WRITE { AccessKind::Write } else { AccessKind::Read };
                let value = self.values.read_memory(&mut self.reader);
                visitor.valued_access(StoredAccess { kind, size_bytes, address, pc: None }, value);
            }
            REGISTER | UNKNOWN_REGISTER => {
                let view = view_of_number(self.reader.number() as u32);
                let value = (op == REGISTER).then(|| self.value(view));
                visitor.register(StoredRegister { view, value });
            }
            MODE => visitor.mode(mode_of_number(self.reader.number()).ok_or(Damaged)?),
            NOTE => {
                let kind = *NOTES.get(usize::from(self.reader.byte())).ok_or(Damaged)?;
                visitor.note(kind, self.reader.text());
            }
            RECORDS => visitor.records(self.reader.number()),
            STEP_TIME => visitor.time(self.reader.difference(self.base_time)),
            _ => return Err(Damaged),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants so many steps.
    #[derive(Default)]
    struct Few {
        wanted: u32,
        steps: u32,
        accesses: u32,
    }

    impl BlockVisitor for Few {
        fn thread(&mut self, _thread: u16, _time: Option<u64>) {}
        fn step(&mut self, _code: &Code, _target: Option<u64>) {
            self.steps += 1;
        }
        fn access(&mut self, _access: StoredAccess) {
            self.accesses += 1;
        }
        fn marker(&mut self, _marker: StoredMarker) {}
        fn hint(&mut self, _hint: StoredHint) {}
        fn problem(&mut self, _message: String) {}
        fn is_done(&self) -> bool {
            self.steps == self.wanted
        }
    }

    #[test]
    fn a_block_is_read_up_to_the_step_behind_the_wanted_ones() {
        let code = Code {
            pc: 0x1000,
            encoding: None,
            branch: stepback_machine::Branch::None,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            reached: Reached::PLAINLY,
            shape: Shape::UNSET,
        };
        let mut writer = BlockWriter::default();
        writer.begin(BlockHead::default());
        for address in 0..9 {
            writer.step(&WrittenStep { number: None, code: &code, usual: None, target: None });
            writer.access(StoredAccess { kind: AccessKind::Read, size_bytes: 1, address, pc: None });
        }
        let block = [writer.end(), &[0; PADDING]].concat();
        for wanted in [0, 1, 5, 9, 20] {
            let mut few = Few { wanted, ..Few::default() };
            read_block(BlockBytes { number: 0, padded: &block }, &Codes::default(), &mut few).unwrap();
            assert_eq!((few.steps, few.accesses), (wanted.min(9), wanted.min(9)));
        }
    }

    #[test]
    fn a_block_in_the_place_of_another_is_damage() {
        let mut writer = BlockWriter::default();
        let head = BlockHead { records_before: 7, base_time: 9, code: 0, addresses: Addresses::default() };
        let mut block = || {
            writer.begin(head);
            [writer.end(), &[0; PADDING]].concat()
        };
        let blocks = [block(), block()];
        let is_whole =
            |number: usize, place: u64| super::head(BlockBytes { number: place, padded: &blocks[number] }).is_ok();
        assert_eq!([is_whole(0, 0), is_whole(1, 1), is_whole(0, 1), is_whole(1, 0)], [true, true, false, false]);
    }
}
