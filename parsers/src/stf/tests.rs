//! Traces made from the format page, whole, damaged and cut off.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, InstructionSet, RegisterView, Registers};

use crate::events::{
    EventSink, MarkerEvent, MemoryAccess, RegisterWrite, StepEvent, TextEvent, TextKind,
    ThreadNumber,
};
use crate::finding::Findings;
use crate::kept::places::CacheFileOptions;
use crate::marker::{Gap, MarkerKind};
use crate::problem::Problem;
use crate::read_at::TraceFile;
use crate::source::{ParseScratch, Source as _};
use crate::step_store::fill::Filler;
use crate::step_store::store::{StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;
use crate::stf::segments::{SegmentLimits, fill_store};
use crate::stf::source::Stf;

/// Writes records as the specification lists their fields.
#[derive(Clone, Default)]
struct Records(Vec<u8>);

const READ: u8 = 1;
const WRITE: u8 = 2;
/// Kinds of register records: class in the low half, role in the high half.
const X_STATE: u8 = 0x11;
const X_SOURCE: u8 = 0x21;
const X_WRITE: u8 = 0x31;
const CSR_WRITE: u8 = 0x34;
const NOP: u32 = 0x13;
/// `ld t0, 0(a0)`.
const LD: u32 = 0x0005_3283;
/// `sd t0, 8(a0)`.
const SD: u32 = 0x0055_3423;
/// `beq a0, a1, 16`.
const BEQ: u32 = 0x00b5_0863;
/// `jr a0`.
const JR: u32 = 0x0005_0067;
/// `jal ra, 16`.
const JAL: u32 = 0x0100_00ef;
const RET: u32 = 0x0000_8067;
const ECALL: u32 = 0x73;
const MRET: u32 = 0x3020_0073;
/// `addi t0, zero, 5`.
const LI: u32 = 0x0050_0293;
const INTERRUPT: u64 = 1 << 63;
const MODE: u64 = 1 << 62;

impl Records {
    /// Begins a trace of RV64 at an address, with 64-bit events.
    fn at(pc: u64) -> Self {
        Self::bare()
            .features(0x8_2020)
            .force(pc)
            .end_header()
            .force(pc)
    }

    fn bare() -> Self {
        Self::default()
            .push(&[1])
            .push(b"STF")
            .push(&[2])
            .u32(1)
            .u32(5)
            .push(&[4])
            .u16(1)
            .push(&[5])
            .u16(2)
    }

    fn push(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u16(self, number: u16) -> Self {
        self.push(&number.to_le_bytes())
    }

    fn u32(self, number: u32) -> Self {
        self.push(&number.to_le_bytes())
    }

    fn u64(self, number: u64) -> Self {
        self.push(&number.to_le_bytes())
    }

    fn features(self, features: u64) -> Self {
        self.push(&[7]).u64(features)
    }

    fn force(self, pc: u64) -> Self {
        self.push(&[9]).u64(pc)
    }

    fn end_header(self) -> Self {
        self.push(&[19])
    }

    fn op(self, word: u32) -> Self {
        self.push(&[240]).u32(word)
    }

    fn short(self, word: u16) -> Self {
        self.push(&[241]).u16(word)
    }

    fn target(self, pc: u64) -> Self {
        self.push(&[31]).u64(pc)
    }

    fn register(self, number: u16, kind: u8, value: u64) -> Self {
        self.push(&[40]).u16(number).push(&[kind]).u64(value)
    }

    fn access(self, address: u64, size_bytes: u16, kind: u8) -> Self {
        self.push(&[60])
            .u64(address)
            .u16(size_bytes)
            .u16(0)
            .push(&[kind])
    }

    fn data(self, value: u64) -> Self {
        self.push(&[61]).u64(value)
    }

    fn event(self, id: u64, data: &[u64]) -> Self {
        let count = data.len() as u8;
        data.iter()
            .fold(self.push(&[100]).u64(id).push(&[count]), |records, word| {
                records.u64(*word)
            })
    }

    fn event_target(self, pc: u64) -> Self {
        self.push(&[101]).u64(pc)
    }

    fn comment(self, text: &str) -> Self {
        self.push(&[3]).u32(text.len() as u32).push(text.as_bytes())
    }

    fn thread(self, hart: u32, pid: u32, tid: u32) -> Self {
        self.push(&[8]).u32(hart).u32(pid).u32(tid)
    }
}

/// The chunks of a zstf file, with the start address of each.
struct Chunks {
    chunk_instructions: u64,
    frames: Vec<(u64, u64, Vec<u8>)>,
}

impl Chunks {
    fn of(chunk_instructions: u64, chunks: &[(u64, Records)]) -> Self {
        let frame = |(pc, records): &(u64, Records)| {
            let packed = zstd::encode_all(&*records.0, 1).unwrap();
            (*pc, records.0.len() as u64, packed)
        };
        Self {
            chunk_instructions,
            frames: chunks.iter().map(frame).collect(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = b"ZSTF".to_vec();
        let mut index = (self.frames.len() as u64).to_le_bytes().to_vec();
        let mut place = 20u64;
        for (pc, unpacked, frame) in &self.frames {
            for number in [place, *pc, *unpacked] {
                index.extend(number.to_le_bytes());
            }
            place += frame.len() as u64;
        }
        out.extend(self.chunk_instructions.to_le_bytes());
        out.extend(place.to_le_bytes());
        self.frames
            .iter()
            .for_each(|(.., frame)| out.extend_from_slice(frame));
        out.extend(index);
        out
    }
}

fn file(bytes: &[u8]) -> TraceFile {
    TraceFile {
        name: "a.stf".to_owned(),
        data: Arc::new(bytes.to_vec()),
    }
}

fn opened(bytes: &[u8]) -> Stf {
    let trace = Stf::open(file(bytes), CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    trace
}

/// Events of a trace as lines.
#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    names: Vec<String>,
    registers: Vec<String>,
    thread: usize,
}

impl Lines {
    fn of(bytes: &[u8]) -> Vec<String> {
        let trace = opened(bytes);
        let mut sink = Self::default();
        trace
            .parse(0..trace.length(), &mut ParseScratch::default(), &mut sink)
            .unwrap();
        sink.lines
    }

    fn turn(&mut self, thread: ThreadNumber) {
        let thread = usize::from(thread.0);
        if self.thread != thread {
            self.thread = thread;
            self.lines.push(format!("thread {}", self.names[thread]));
        }
    }
}

impl EventSink for Lines {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn register_named(
        &mut self,
        _register: stepback_machine::RegisterId,
        name: &str,
        size_bytes: u16,
    ) {
        assert_eq!(size_bytes, 8);
        self.registers.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.turn(step.thread);
        let branch = match step.branch {
            RecordedBranch::None => String::new(),
            branch => format!(" {branch:?}"),
        };
        let fate = if step.is_executed { "" } else { " trapped" };
        let bytes: String = step
            .bytes
            .iter()
            .rev()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.lines
            .push(format!("{:x} {bytes}{branch}{fate}", step.pc.0));
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.turn(write.thread);
        let set = InstructionSet::Riscv64;
        let own = write
            .view
            .register
            .0
            .checked_sub(stepback_machine::RegisterId::FIRST_NAMED.0);
        let name = match own {
            Some(place) => self.registers[usize::from(place)].clone(),
            None => named_part(write.view, set),
        };
        let value = write.bytes.map_or("?".to_owned(), |bytes| {
            let mut word = [0; 16];
            word[..bytes.len()].copy_from_slice(bytes);
            format!("{:x}", u128::from_le_bytes(word))
        });
        self.lines.push(format!("{name} = {value}"));
    }

    fn access(&mut self, access: &MemoryAccess) {
        let sign = if access.kind == AccessKind::Read {
            "<"
        } else {
            ">"
        };
        let value = access.bytes.map_or("?".to_owned(), |bytes| {
            format!("{:x}", u64::from_le_bytes(bytes))
        });
        let size = access.size_bytes;
        self.lines
            .push(format!("{:x}:{size} {sign} {value}", access.address.0));
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = String::from_utf8_lossy(event.text);
        let kind = match event.kind {
            TextKind::Exception => "!",
            TextKind::StateChange => "~",
            TextKind::Note => "#",
        };
        self.lines.push(format!("{kind} {text}"));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.turn(event.thread);
        let value = event.marker.value;
        self.lines.push(match Gap::of(event.marker) {
            Some(Gap {
                reason,
                instructions,
            }) => format!("gap {reason:?} {instructions:?}"),
            None if event.marker.kind == MarkerKind::CPU => format!("cpu {value}"),
            None if event.marker.kind == MarkerKind::TRAP => format!("trap {value:x}"),
            None if event.marker.kind == MarkerKind::HARDWARE_EVENT => {
                format!("interrupted {value:x}")
            }
            None if event.marker.kind == MarkerKind::HARDWARE_RETURN => format!("back {value:x}"),
            None => format!("{:?}", event.marker),
        });
    }

    fn problem(&mut self, problem: &Problem) {
        self.lines.push(format!("problem {}", problem.kind));
    }
}

/// Returns the name of a register, with the offset of a part.
fn named_part(view: RegisterView, set: InstructionSet) -> String {
    let name = |view| Registers::name(view, set).map(str::to_owned);
    let whole = || {
        let whole = Registers::view(&format!("v{}", vector_number(view, set)?), set)?;
        Some(format!("{}+{}", name(whole)?, view.offset))
    };
    let narrow = || Registers::name(view, InstructionSet::Riscv32).map(str::to_owned);
    name(view).or_else(whole).or_else(narrow).unwrap()
}

fn vector_number(view: RegisterView, set: InstructionSet) -> Option<u16> {
    (0..32).find(|number| {
        Registers::view(&format!("v{number}"), set)
            .is_some_and(|known| known.register == view.register)
    })
}

/// Compares the events after those of the header.
#[track_caller]
fn check(records: Records, expected: &[&str]) {
    check_bytes(&records.0, expected);
}

#[track_caller]
fn check_bytes(bytes: &[u8], expected: &[&str]) {
    let lines = Lines::of(bytes);
    let header = ["# STF", "# features"];
    let is_header = |line: &String| header.iter().any(|start| line.starts_with(start));
    let lines: Vec<&str> = lines
        .iter()
        .filter(|line| !is_header(line))
        .map(String::as_str)
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn addresses_follow_from_lengths_and_targets() {
    check(
        Records::at(0x1000)
            .op(NOP)
            .short(1)
            .op(NOP)
            .target(0x2000)
            .op(JR)
            .op(NOP),
        &[
            "1000 00000013",
            "1004 0001",
            "1006 00000013",
            "100a 00050067 IndirectJump",
            "2000 00000013",
        ],
    );
}

#[test]
fn a_target_is_a_taken_branch() {
    check(
        Records::at(0)
            .target(16)
            .op(BEQ)
            .op(BEQ)
            .target(0x40)
            .op(RET),
        &[
            "0 00b50863 Conditional(Some(true))",
            "10 00b50863 Conditional(Some(false))",
            "14 00008067 Return",
        ],
    );
}

#[test]
fn records_belong_to_the_opcode_after_them() {
    check(
        Records::at(0)
            .register(10, X_SOURCE, 0x100)
            .access(0x100, 8, READ)
            .data(7)
            .register(5, X_WRITE, 7)
            .op(LD)
            .register(10, X_SOURCE, 0x100)
            .register(5, X_SOURCE, 7)
            .access(0x108, 8, WRITE)
            .data(7)
            .op(SD),
        &[
            "a0 = 100",
            "0 00053283",
            "100:8 < 7",
            "t0 = 7",
            "4 00553423",
            "108:8 > 7",
        ],
    );
}

#[test]
fn values_before_an_instruction_are_stated_once() {
    let dump = |records: Records, value| {
        (0..4).fold(records, |records, number| {
            records.register(number, X_STATE, value)
        })
    };
    let records = dump(Records::at(0), 9).op(NOP);
    let records = dump(records, 9).op(NOP).register(2, X_SOURCE, 10).op(NOP);
    check(
        records,
        &[
            "ra = 9",
            "sp = 9",
            "gp = 9",
            "0 00000013",
            "4 00000013",
            "sp = a",
            "8 00000013",
        ],
    );
}

#[test]
fn a_register_without_a_record_is_unknown() {
    check(
        Records::at(0)
            .register(5, X_WRITE, 4)
            .op(LI)
            .op(LI)
            .register(5, X_SOURCE, 4)
            .op(NOP),
        &[
            "0 00500293",
            "t0 = 4",
            "4 00500293",
            "t0 = ?",
            "t0 = 4",
            "8 00000013",
        ],
    );
}

#[test]
fn accesses_have_values_in_words_of_eight_bytes() {
    check(
        Records::at(0)
            .access(0x100, 1, READ)
            .data(0xffff_ff85)
            .op(NOP)
            .access(0x200, 20, WRITE)
            .data(1)
            .data(2)
            .data(3)
            .op(NOP)
            .access(0x300, 16, READ)
            .op(NOP)
            .access(0x400, 16, READ)
            .data(4)
            .op(NOP)
            .access(u64::MAX - 3, 8, READ)
            .data(5)
            .op(NOP),
        &[
            "0 00000013",
            "100:1 < 85",
            "4 00000013",
            "200:8 > 1",
            "208:8 > 2",
            "210:4 > 3",
            "8 00000013",
            "300:16 < ?",
            "c 00000013",
            "400:8 < 4",
            "408:8 < ?",
            "10 00000013",
            "# left out: access beyond the last address at 0xfffffffffffffffc",
        ],
    );
}

#[test]
fn exceptions_interrupt_their_instruction() {
    check(
        Records::at(0x100)
            .event(8, &[])
            .event_target(0x800)
            .op(ECALL)
            .register(0x341, CSR_WRITE, 0x100)
            .op(NOP)
            .event(MODE, &[0])
            .target(0x104)
            .op(MRET)
            .event(INTERRUPT | 7, &[])
            .event_target(0x800)
            .op(NOP)
            .op(NOP),
        &[
            "100 00000073 trapped",
            "interrupted 100",
            "trap 8",
            "! exception 8, environment call from U-mode, to 0x800",
            "800 00000013",
            "mepc = 100",
            "804 30200073",
            "~ mode change to U",
            "back 104",
            "104 00000013 trapped",
            "interrupted 104",
            "trap 8000000000000007",
            "! interrupt 7, machine timer interrupt, to 0x800",
            "800 00000013",
        ],
    );
}

#[test]
fn a_return_without_an_exception_begins_a_program() {
    check(
        Records::at(0)
            .op(MRET)
            .op(NOP)
            .event(8, &[])
            .op(ECALL)
            .op(MRET)
            .op(NOP),
        &[
            "0 30200073",
            "4 00000013",
            "8 00000073 trapped",
            "interrupted 8",
            "trap 8",
            "! exception 8, environment call from U-mode",
            "c 30200073",
            "back 10",
            "10 00000013",
        ],
    );
}

#[test]
fn an_instruction_that_cannot_be_fetched_has_no_bytes() {
    check(
        Records::at(0x100)
            .access(8, 8, READ)
            .register(5, X_WRITE, 1)
            .event(12, &[0x100])
            .event_target(0x800)
            .op(NOP),
        &[
            "100  trapped",
            "# left out: access of an instruction that did not complete at 0x8",
            "# left out: write of x5 by an instruction that did not complete",
            "interrupted 100",
            "trap c",
            "! exception 12, instruction page fault, data 0x100, to 0x800",
        ],
    );
}

#[test]
fn events_are_short_without_the_feature() {
    let id = (1u32 << 31 | 3).to_le_bytes();
    let records = Records::bare().features(0x20).force(0).end_header();
    check(
        records
            .push(&[100])
            .push(&id)
            .push(&[0])
            .event_target(8)
            .op(NOP)
            .op(NOP),
        &[
            "0 00000013 trapped",
            "interrupted 0",
            "trap 8000000000000003",
            "! interrupt 3, machine software interrupt, to 0x8",
            "8 00000013",
        ],
    );
}

#[test]
fn an_address_in_the_midst_is_a_gap() {
    check(
        Records::at(0).op(NOP).force(4).op(NOP).force(0x40).op(NOP),
        &["0 00000013", "4 00000013", "gap Off None", "40 00000013"],
    );
}

#[test]
fn threads_have_their_own_addresses() {
    check(
        Records::bare()
            .end_header()
            .thread(1, 7, 8)
            .force(0x100)
            .op(NOP)
            .thread(1, 7, 9)
            .force(0x200)
            .op(NOP)
            .thread(2, 7, 8)
            .force(0x104)
            .op(NOP)
            .thread(3, 0, 0)
            .force(0x300)
            .op(NOP),
        &[
            "cpu 1",
            "100 00000013",
            "thread 7.9",
            "cpu 1",
            "200 00000013",
            "thread 7.8",
            "cpu 2",
            "104 00000013",
            "thread hart3",
            "300 00000013",
        ],
    );
}

#[test]
fn threads_belong_to_processes() {
    let records = Records::bare()
        .thread(0, 7, 8)
        .force(0)
        .op(NOP)
        .thread(0, 0, 0)
        .op(NOP);
    let trace = opened(&records.0);
    let known: Vec<_> = trace
        .known_threads()
        .into_iter()
        .map(|thread| (thread.name, thread.process))
        .collect();
    let expected = [("7.8", Some("7")), ("hart0", None)]
        .map(|(name, process)| (name.to_owned(), process.map(str::to_owned)));
    assert_eq!(known, expected);
    assert_eq!(trace.memory_of("7.8").as_deref(), Some("7"));
    assert_eq!(trace.memory_of("hart0"), None);
}

#[test]
fn comments_and_unused_records_are_read() {
    check(
        Records::at(0)
            .comment("begin")
            .push(&[6, 7, 1, 2, 3])
            .u16(2)
            .push(b"me")
            .push(&[13])
            .u16(4)
            .push(b"rv64")
            .push(&[41])
            .u16(5)
            .push(&[62])
            .push(&[0; 17])
            .push(&[63])
            .u64(0)
            .push(&[50])
            .u64(0x1000)
            .u64(0)
            .u32(4096)
            .push(&[1])
            .u64(0x8000)
            .u64(0xcf)
            .push(&[230, 4])
            .u32(NOP)
            .op(NOP)
            .comment("after")
            .op(NOP),
        &[
            "# begin",
            "# generator 7, version 1.2.3, me",
            "# instruction set rv64",
            "# page walk of 0x1000, page of 4096 bytes: 0xcf at 0x8000",
            "# micro-op of 4 bytes, 0x00000013",
            "0 00000013",
            "# after",
            "4 00000013",
        ],
    );
}

#[test]
fn a_long_comment_is_cut_and_skipped() {
    let text = "x".repeat(1 << 20);
    let lines = Lines::of(&Records::at(0).op(NOP).comment(&text).op(NOP).0);
    let lengths: Vec<usize> = lines.iter().rev().take(2).map(String::len).collect();
    assert_eq!(lengths, ["4 00000013".len(), 2 + (64 << 10)]);
}

#[test]
fn vectors_need_their_length() {
    let vector = |records: Records| {
        records
            .push(&[40])
            .u16(2)
            .push(&[0x33])
            .u64(1)
            .u64(2)
            .op(NOP)
            .op(NOP)
    };
    check(
        vector(Records::at(0).push(&[10]).u16(128)),
        &[
            "# vector registers of 128 bits",
            "0 00000013",
            "v2 = 20000000000000001",
            "4 00000013",
        ],
    );
    check(
        vector(Records::at(0)),
        &[
            "problem \"a.stf\", byte 47 of its records: a vector register comes before the length \
             of vectors: what follows cannot be read",
            "problem \"a.stf\", byte 47 of its records: the last instruction has no opcode: its \
             records are left out",
        ],
    );
}

#[test]
fn an_unknown_descriptor_ends_reading() {
    check(
        Records::at(0).op(NOP).push(&[77]).op(NOP),
        &[
            "0 00000013",
            "problem \"a.stf\", byte 52 of its records: no record has the descriptor 77: what \
             follows cannot be read, because records have no lengths",
        ],
    );
    check(
        Records::at(0).op(NOP).push(&[250]).op(NOP),
        &[
            "0 00000013",
            "problem \"a.stf\", byte 52 of its records: record 250 belongs to a trace of bus \
             transactions, which has no instructions: it is not read",
        ],
    );
}

#[test]
fn an_instruction_without_its_opcode_is_dropped() {
    check(
        Records::at(0).op(NOP).register(5, X_WRITE, 1),
        &[
            "0 00000013",
            "problem \"a.stf\", byte 64 of its records: the last instruction has no opcode: its \
             records are left out",
        ],
    );
}

#[test]
fn instructions_without_an_address_are_counted() {
    check(
        Records::bare()
            .end_header()
            .op(NOP)
            .op(NOP)
            .force(8)
            .op(NOP),
        &[
            "8 00000013",
            "problem \"a.stf\", byte 44 of its records: 2 instructions are left out: no record \
             states the address",
        ],
    );
}

/// Three chunks of two instructions.
fn three_chunks() -> Chunks {
    let first = Records::at(0x1000).op(NOP).target(0x2000).op(JR);
    let second = Records::default().op(NOP).op(NOP);
    let third = Records::default().target(0x3000).op(RET).op(NOP);
    Chunks::of(2, &[(0, first), (0x2000, second), (0x2008, third)])
}

const STEPS: [&str; 6] = [
    "1000 00000013",
    "1004 00050067 IndirectJump",
    "2000 00000013",
    "2004 00000013",
    "2008 00008067 Return",
    "3000 00000013",
];

#[test]
fn chunks_are_read_in_order() {
    check_bytes(&three_chunks().bytes(), &STEPS);
}

#[test]
fn a_file_may_be_packed_as_a_whole() {
    for bytes in [three_chunks().bytes(), Records::at(0).op(NOP).0] {
        let packed = zstd::encode_all(&*bytes, 1).unwrap();
        assert_eq!(Lines::of(&packed), Lines::of(&bytes));
    }
}

#[test]
fn without_an_index_frames_are_read_in_order() {
    let mut bytes = three_chunks().bytes();
    let index = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
    for offset in [0, 1 << 40] {
        let mut cut = bytes[..index].to_vec();
        cut[12..20].copy_from_slice(&u64::to_le_bytes(offset));
        check_bytes(&cut, &STEPS);
    }
    // The number of chunks is impossible.
    bytes[index..index + 8].fill(0xff);
    check_bytes(&bytes, &STEPS);
}

#[test]
fn a_damaged_chunk_is_a_gap() {
    let mut chunks = three_chunks();
    let frame = &mut chunks.frames[1].2;
    frame[4..].fill(0xff);
    let lines = Lines::of(&chunks.bytes());
    let steps: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.starts_with('#') && !line.starts_with("problem"))
        .collect();
    let expected = [STEPS[0], STEPS[1], "gap Lost Some(2)", STEPS[4], STEPS[5]];
    assert_eq!(steps, expected);
    let problem = lines.iter().find(|line| line.starts_with("problem"));
    assert!(
        problem.is_some_and(|line| line.contains("chunk 1, byte 0")),
        "{problem:?}"
    );
}

#[test]
fn an_unknown_descriptor_costs_its_chunk() {
    let mut chunks = three_chunks();
    chunks.frames[1].2 =
        zstd::encode_all(&*Records::default().op(NOP).push(&[99]).op(NOP).0, 1).unwrap();
    let lines = Lines::of(&chunks.bytes());
    let gap = lines.iter().position(|line| line == "gap Lost Some(1)");
    assert_eq!(gap.map(|place| lines[place + 1].as_str()), Some(STEPS[4]));
}

#[test]
fn an_impossible_place_in_the_index_costs_its_chunk() {
    let mut bytes = three_chunks().bytes();
    let index = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
    let entry = index + 8 + 24;
    bytes[entry..entry + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let lines = Lines::of(&bytes);
    assert!(lines.iter().any(|line| line.contains("impossible place")));
    assert!(lines.iter().any(|line| line == "gap Lost Some(2)"));
    assert_eq!(lines.last().map(String::as_str), Some(STEPS[5]));
}

/// A trace with every kind of record.
fn varied() -> Records {
    Records::at(0x1000)
        .comment("a")
        .push(&[10])
        .u16(192)
        .thread(0, 1, 2)
        .push(&[40])
        .u16(3)
        .push(&[0x13])
        .u64(1)
        .u64(2)
        .u64(3)
        .register(1, X_STATE, 5)
        .op(NOP)
        .access(0x10, 24, WRITE)
        .data(1)
        .data(2)
        .data(3)
        .op(SD)
        .event(2, &[1, 2])
        .event_target(0x1000)
        .op(0)
        .register(0x305, CSR_WRITE, 8)
        .op(NOP)
        .target(0x1004)
        .short(0x8082)
        .op(NOP)
}

#[test]
fn each_chunk_of_the_store_equals_its_part_of_the_whole() {
    let records = (0..200).fold(Records::at(0), |records, number| {
        let records = records
            .register(number % 32, X_WRITE, number.into())
            .comment("x")
            .op(NOP);
        Records([records.0, varied().0[Records::at(0).0.len()..].to_vec()].concat())
    });
    let trace = opened(&records.0);
    let lines = |range| {
        let mut sink = Lines::default();
        trace
            .parse(range, &mut ParseScratch::default(), &mut sink)
            .unwrap();
        sink.lines.retain(|line| !line.starts_with("thread"));
        sink.lines
    };
    let mut parts = Vec::new();
    let mut start = 0;
    while start < trace.length() {
        let end = (start + 7 * 16).min(trace.length());
        parts.extend(lines(start..end));
        start = end;
    }
    assert_eq!(lines(0..trace.length()), parts);
}

/// Returns the events of a trace that is converted with these limits, and the length of its store.
fn converted(bytes: &[u8], limits: SegmentLimits) -> (Vec<String>, u64) {
    let format = Stf::open(file(bytes), CacheFileOptions::default()).unwrap();
    let (trace, head) = (file(bytes), format.head());
    let fill = move |is_stopped: &Arc<AtomicBool>, mut filler: Filler| {
        let filled = fill_store(&trace, head, limits, is_stopped, &mut filler);
        (filler, filled)
    };
    let store = StepStore::open_filled(CacheFileOptions::default(), Box::new(fill));
    store.wait_for(u64::MAX).unwrap();
    let len_bytes = store.bytes();
    let trace = StoredTrace::new(store);
    let mut sink = Lines::default();
    trace
        .parse(
            &(0..trace.length()),
            &format,
            &mut StoreScratch::default(),
            &mut sink,
        )
        .unwrap();
    (sink.lines, len_bytes)
}

/// Returns a long trace of three threads with records of every kind in random order.
fn random_groups(count: u64) -> Vec<Records> {
    let mut state = 7u64;
    let mut dice = move |sides: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % sides
    };
    let body = varied().0[Records::at(0).0.len()..].to_vec();
    let group = |_| {
        let register = dice(30) as u16 + 1;
        let records = Records::default();
        match dice(40) {
            0 => records.thread(dice(2) as u32, 3, dice(3) as u32),
            1 => records.force(0x4000 + 8 * dice(100)).op(NOP),
            2 => records.comment("between").op(MRET),
            3 => Records(body.clone()),
            4 => records
                .event(INTERRUPT | 7, &[])
                .event_target(0x3000)
                .op(NOP),
            5 => records.push(&[5]).u16(2 - (dice(50) == 0) as u16).op(NOP),
            6 => records
                .register(0x300 + dice(3) as u16, 0x24, dice(3))
                .op(NOP),
            7..10 => records.op(LI),
            10..14 => records.target(0x1000 + 4 * dice(300)).op(BEQ),
            14..18 => records
                .access(8 * dice(50), 8, READ)
                .data(dice(5))
                .register(5, X_WRITE, dice(5))
                .op(LD),
            18..22 => records.register(register, X_STATE, dice(2)).op(BEQ),
            22..30 => records.register(register, X_SOURCE, dice(2)).op(SD),
            _ => records.register(register, X_WRITE, dice(2)).op(NOP),
        }
    };
    (0..count).map(group).collect()
}

#[test]
fn segments_on_any_number_of_threads_equal_the_whole() {
    let groups = random_groups(20_000);
    let joined = |groups: &[Records]| {
        let bytes = groups.iter().map(|records| records.0.as_slice());
        Records(bytes.collect::<Vec<_>>().concat())
    };
    let head = Records::at(0x1000).push(&[10]).u16(192).0;
    let plain = [head.clone(), joined(&groups).0].concat();
    let chunks: Vec<_> = groups
        .chunks(4321)
        .zip(0..)
        .map(|(groups, number)| {
            let begin = if number == 0 {
                head.clone()
            } else {
                Vec::new()
            };
            let damage: &[u8] = if number == 2 { &[0xff] } else { &[] };
            let records = [begin, joined(groups).0, damage.to_vec()].concat();
            (0x1000 * number, Records(records))
        })
        .collect();
    let whole = SegmentLimits {
        threads: 1,
        items: u64::MAX,
        bytes: usize::MAX,
        streamed_bytes: usize::MAX,
    };
    for bytes in [plain, Chunks::of(4321, &chunks).bytes()] {
        let (expected, _) = converted(&bytes, whole);
        assert!(expected.len() > 20_000);
        for (items, limit) in [(1024, 1 << 20), (4096, 1 << 20), (u64::MAX, 1 << 16)] {
            let limits = SegmentLimits {
                items,
                bytes: limit,
                ..whole
            };
            let (lines, len_bytes) = converted(&bytes, limits);
            assert!(lines == expected, "{items} items, {limit} bytes");
            for threads in 2..4 {
                let again = converted(&bytes, SegmentLimits { threads, ..limits });
                assert!(again == (lines.clone(), len_bytes), "{threads} threads");
            }
        }
        for streamed_bytes in [1, 40_000, 300_000] {
            let limits = SegmentLimits {
                items: 4096,
                bytes: usize::MAX,
                streamed_bytes,
                ..whole
            };
            assert!(converted(&bytes, limits).0 == expected, "{streamed_bytes}");
        }
    }
}

#[test]
fn cut_files_keep_their_whole_instructions() {
    let plain = varied().0;
    let chunked = three_chunks().bytes();
    for bytes in [&plain, &chunked] {
        let whole = Lines::of(bytes);
        let steps = |lines: &[String]| -> Vec<String> {
            let is_step = |line: &&String| line.starts_with(|first: char| first.is_ascii_digit());
            lines.iter().filter(is_step).cloned().collect()
        };
        for end in 5..bytes.len() {
            let lines = Lines::of(&bytes[..end]);
            assert!(steps(&whole).starts_with(&steps(&lines)), "{end}");
        }
    }
}

#[test]
fn flipped_bits_cause_no_panic() {
    for bytes in [varied().0, three_chunks().bytes()] {
        for place in 5..bytes.len() {
            for bit in [0, 3, 7] {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                if let Ok(trace) = Stf::open(file(&damaged), CacheFileOptions::default()) {
                    trace.store().wait_for(u64::MAX).unwrap();
                }
            }
        }
    }
}

#[test]
fn records_of_one_instruction_are_bounded() {
    let many = (0..200_000u64).fold(Records::at(0), |records, number| {
        records.access(number, 1, READ)
    });
    let lines = Lines::of(&many.op(NOP).op(NOP).0);
    assert!(lines.iter().any(|line| line.contains("too many")));
    assert_eq!(lines.last().map(String::as_str), Some("4 00000013"));
}

#[test]
fn records_have_numbers() {
    let records = Records::at(0)
        .op(NOP)
        .register(5, X_WRITE, 1)
        .op(LI)
        .op(NOP);
    let trace = opened(&records.0);
    let positions = [1, 8, 9, 10, 11, 12, 13]
        .map(|number| trace.position_of_record(number).unwrap().map(|at| at.0));
    // Eight records of the header and the address precede the first opcode, and belong to it.
    let expected = [Some(1), Some(1), Some(1), Some(2), Some(2), Some(3), None];
    assert_eq!(positions, expected);
    assert_eq!(trace.record_count(), Some(12));
}

#[test]
fn violations_are_found() {
    let rules = |bytes: &[u8]| -> Vec<&str> {
        let mut findings = Findings::new(4);
        opened(bytes)
            .check_records(&mut findings, &mut |_| crate::events::Flow::Continue)
            .unwrap();
        findings
            .into_rules()
            .iter()
            .map(|found| found.rule.id)
            .collect()
    };
    assert_eq!(rules(&three_chunks().bytes()), [""; 0]);
    let records = Records::at(0).target(8).op(NOP).op(JAL).target(4).op(JAL);
    let expected = [
        "stf-branch-without-target",
        "stf-target-without-branch",
        "stf-wrong-target",
    ];
    assert_eq!(rules(&records.0), expected);
    let mut chunks = three_chunks();
    (chunks.frames[1].0, chunks.chunk_instructions) = (0x2002, 3);
    assert_eq!(
        rules(&chunks.bytes()),
        ["stf-chunk-start", "stf-chunk-length"]
    );
}

#[test]
fn other_processors_are_refused() {
    let records = Records::default()
        .push(b"\x01STF\x02")
        .u32(1)
        .u32(5)
        .push(&[4])
        .u16(3);
    let error = Stf::open(file(&records.0), CacheFileOptions::default()).unwrap_err();
    assert!(error.to_string().contains("x86"), "{error}");
}
