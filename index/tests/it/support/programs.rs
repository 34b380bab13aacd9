//! Random programs whose steps show the effects of their instructions. A few registers and
//! addresses create dependences. Some steps show less, more or other effects, as real traces do.

use std::collections::HashMap;
use std::fmt::Write as _;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{
    AccessKind, Address, Encoding, Instruction, InstructionSet, Mode, RegisterId, RegisterView,
    Registers, decode,
};
use stepback_parsers::{DelaySlot, MarkerKind, StepOrigin};

use super::dice::Dice;
use crate::support::records::{Record, What};

/// Instruction words by category.
const A64: &[u32] = &[
    0x9100_0400,
    0x8b02_0020,
    0xeb01_001f,
    0xf100_0400,
    0xaa01_03e0,
    0xf2a0_0020,
    0x1280_0000,
    0xd280_0020,
    0x3300_0c20,
    0xca01_0000,
    0xca01_0020,
    0xd37e_f400,
    0x9340_7c20,
    0x9a82_0020,
    0x9a9f_07e0,
    0xfa41_1000,
    0x9a02_0020,
    0xf940_0420,
    0xb840_8420,
    0xf840_8c20,
    0x38e2_6820,
    0xa8c1_7bfd,
    0xa9bf_7bfd,
    0x6940_0440,
    0xc85f_7c20,
    0xc802_fc20,
    0xf822_0020,
    0xc8a1_7c20,
    0x3dc0_0020,
    0xbd00_0020,
    0x4c9f_2020,
    0x4d40_c020,
    0x1e26_0020,
    0x4ea1_1c20,
    0x6f00_e400,
    0x1e62_2020,
    0x1e62_2820,
    0x4e0c_1c20,
    0x1e62_0c20,
    0xd400_0001,
    0x9400_0001,
    0xf900_0020,
    0x3900_0020,
    0xf822_6820,
    0xd53b_4200,
    0xd100_83ff,
    0x9100_03fd,
    0xd45e_0000,
    0x0000_0000,
    0xd503_201f,
    0x3940_0020,
    0x7900_0020,
    0xa940_0440,
    0xa900_0440,
    0x5400_0040,
    0xea01_0020,
];
const A32: &[u32] = &[
    0xe3a0_0001,
    0xe081_0002,
    0xe091_0002,
    0xe0b1_0002,
    0xe3b0_04ff,
    0xe1b0_0081,
    0xe011_0002,
    0xe111_0002,
    0xe151_0002,
    0x03a0_0001,
    0x1081_0002,
    0xe591_0000,
    0xe491_0004,
    0xe581_0000,
    0xe5c1_0000,
    0xe1d1_00b0,
    0xe8b1_000d,
    0xe92d_4003,
    0xe8bd_4003,
    0xe1c1_20d0,
    0xe1c1_20f0,
    0xe0a1_0392,
    0xe301_0234,
    0xe341_0234,
    0xe1b0_0061,
    0xe021_0001,
    0xe041_0001,
    0xe191_0f9f,
    0xe181_2f90,
    0xef00_0000,
    0xed91_0b00,
    0xed81_0b00,
    0xee31_0b02,
    0xee10_0a90,
    0xeef1_fa10,
    0xeeb4_0b41,
    0xe101_0092,
    0xe10f_0000,
    0xe128_f000,
    0xeb00_0000,
    0xef12_3456,
    0x0591_0000,
    0x1581_0000,
    0xe1a0_d000,
    0xe28d_d008,
    0xe0d1_0002,
    0xe7c7_0011,
];
const T32: &[u32] = &[
    0x2001,
    0x1888,
    0x4151,
    0x0048,
    0x4008,
    0x4288,
    0x6808,
    0x6008,
    0xb501,
    0xbc03,
    0xbf08,
    0xbf0c,
    0xbf04,
    0x2001,
    0xeb01_0002,
    0xf2c1_0034,
    0xe9d1_2300,
    0xe9c1_2300,
    0xf361_0007,
    0xdf00,
    0xbeab,
    0xc90d,
    0xc10d,
    0x4685,
    0xb002,
    0xf380_8809,
    0x1840,
    0x2100,
];
const RISCV: &[u32] = &[
    0x0015_8513,
    0x00a5_8533,
    0x40b5_0533,
    0x00b5_4533,
    0x00a5_4533,
    0x0005_b503,
    0x00a5_b023,
    0x0005_8503,
    0x00b5_2533,
    0x00c5_b52f,
    0x1005_b52f,
    0x18c5_b52f,
    0x0000_0073,
    0x0001_0537,
    0x0000_0517,
    0x00b5_0463,
    0x0000_0000,
    0x02b5_0533,
    0x0005_3507,
    0x00a5_3027,
];
const SPARC: &[u32] = &[
    0x9010_2005,
    0x9002_0009,
    0x9082_0009,
    0x9042_0009,
    0xa010_0008,
    0xd05a_4000,
    0xd072_4000,
    0xd01a_4000,
    0xd03a_4000,
    0x9de3_bf30,
    0x81e8_0000,
    0x91e8_0009,
    0x9366_4008,
    0x91d0_2010,
    0x0100_0000,
    0xb010_0018,
    0x80a2_0009,
    0xd0f2_4000,
    0xc03a_4000,
    0x0000_0000,
    0x9132_6003,
    0x81a0_0942,
];
const X86: &[&[u8]] = &[
    &[0x55],
    &[0x5d],
    &[0xc3],
    &[0x48, 0x89, 0xe5],
    &[0x48, 0x8b, 0x04, 0xc8],
    &[0x8b, 0x45, 0x08],
    &[0x88, 0x65, 0x0c],
    &[0xb0, 0x01],
    &[0xb8, 1, 0, 0, 0],
    &[0x0f, 0xb6, 0xc4],
    &[0x48, 0x63, 0xc1],
    &[0x48, 0x8d, 0x04, 0xc8],
    &[0x48, 0xff, 0xc0],
    &[0xfe, 0xc8],
    &[0x31, 0xc0],
    &[0x21, 0xc8],
    &[0x48, 0x85, 0xc0],
    &[0x3b, 0x06],
    &[0x48, 0x01, 0x06],
    &[0xd3, 0xe8],
    &[0x48, 0xf7, 0xe1],
    &[0x99],
    &[0x48, 0x87, 0xca],
    &[0x87, 0x0f],
    &[0xf0, 0x0f, 0xc1, 0x0f],
    &[0xf0, 0x48, 0x0f, 0xb1, 0x0f],
    &[0x0f, 0x44, 0xc1],
    &[0x0f, 0x94, 0xc0],
    &[0xa4],
    &[0xf3, 0xaa],
    &[0x0f, 0xa2],
    &[0x0f, 0x05],
    &[0x06],
    &[0xff, 0x34, 0x24],
    &[0x48, 0x11, 0xc8],
    &[0x66, 0x0f, 0x6f, 0x06],
    &[0x66, 0x0f, 0xef, 0xc0],
    &[0x9c],
    &[0xff, 0xd0],
];

fn encodings(set: InstructionSet) -> Vec<Encoding> {
    let words = match set {
        InstructionSet::A64 => A64,
        InstructionSet::A32 => A32,
        InstructionSet::T32 => T32,
        InstructionSet::Riscv64 | InstructionSet::Riscv32 => RISCV,
        InstructionSet::Sparc64 => SPARC,
        _ => {
            return X86
                .iter()
                .map(|bytes| Encoding::new(bytes).unwrap())
                .collect();
        }
    };
    let length = |word: u32| {
        if set == InstructionSet::T32 && word >> 16 == 0 {
            2
        } else {
            4
        }
    };
    let encoding = |word: u32| {
        let big_endian = set == InstructionSet::Sparc64;
        let bytes = if big_endian {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        };
        let length = length(word);
        set.encoding_of(word, length)
            .or_else(|| Encoding::new(&bytes[..usize::from(length)]))
            .unwrap()
    };
    words.iter().map(|word| encoding(*word)).collect()
}

/// Parameters of a random program.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub set: InstructionSet,
    pub steps: u64,
    pub threads: u16,
}

/// Location of a piece of an access.
struct Piece {
    kind: AccessKind,
    address: u64,
    size_bytes: u64,
}

/// Returns an address. Some are adjacent, some in another block.
fn address(dice: &mut Dice) -> u64 {
    0x1000
        + 4 * dice.below(12)
        + if dice.one_in(4) { dice.below(4) } else { 0 }
        + if dice.one_in(3) { 0x30 } else { 0 }
}

/// Returns the accesses of an instruction: operands of a kind are usually adjacent, and sometimes
/// joined or split.
fn pieces(instruction: &Instruction, dice: &mut Dice) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let start = address(dice);
    let mut after = start;
    let mut last = None;
    for operand in &instruction.meaning.memory {
        let size_bytes = u64::from(operand.size_bytes.unwrap_or(4));
        // An operand that is loaded and stored uses the same bytes.
        if last
            .replace(operand.kind)
            .is_some_and(|last| last != operand.kind)
        {
            after = if dice.one_in(6) { address(dice) } else { start };
        }
        let joined = pieces.last_mut().filter(|piece| {
            piece.kind == operand.kind
                && piece.address + piece.size_bytes == after
                && piece.size_bytes + size_bytes <= 16
        });
        match joined.filter(|_| dice.one_in(3)) {
            Some(piece) => piece.size_bytes += size_bytes,
            None => pieces.push(Piece {
                kind: operand.kind,
                address: after,
                size_bytes,
            }),
        }
        after += size_bytes;
    }
    if !instruction.meaning.is_memory_known && dice.one_in(2) {
        pieces.push(Piece {
            kind: AccessKind::Read,
            address: address(dice),
            size_bytes: 8,
        });
    }
    if dice.one_in(12) {
        pieces.pop();
    }
    if dice.one_in(16) {
        let kind = dice.pick(&[AccessKind::Read, AccessKind::Write]).unwrap();
        pieces.push(Piece {
            kind,
            address: address(dice),
            size_bytes: dice.pick(&[1, 2, 4, 8]).unwrap(),
        });
    }
    let split = |Piece {
                     kind,
                     address,
                     size_bytes,
                 }: Piece,
                 dice: &mut Dice| {
        let is_split = size_bytes > 16 || size_bytes > 1 && size_bytes % 2 == 0 && dice.one_in(8);
        let parts = if is_split {
            size_bytes.div_ceil(16).max(2)
        } else {
            1
        };
        let part = size_bytes / parts;
        (0..parts).map(move |number| Piece {
            kind,
            address: address + number * part,
            size_bytes: part,
        })
    };
    pieces
        .into_iter()
        .flat_map(|piece| split(piece, dice).collect::<Vec<_>>())
        .collect()
}

/// Returns a program as records without values, for [`super::records::Records`].
pub fn records(plan: Plan, dice: &mut Dice) -> Vec<Record> {
    let (codes, mut records) = (encodings(plan.set), Vec::new());
    let mut windows = vec![0u8; usize::from(plan.threads)];
    let mut thread = 0;
    let mut pcs = vec![0x1000u64; usize::from(plan.threads)];
    for _ in 0..plan.steps {
        if dice.one_in(6) {
            thread = dice.below(u64::from(plan.threads)) as u16;
        }
        let (window, pc) = (
            &mut windows[usize::from(thread)],
            &mut pcs[usize::from(thread)],
        );
        let encoding = dice.pick(&codes).unwrap();
        let slots = [
            DelaySlot::None,
            DelaySlot::None,
            DelaySlot::None,
            DelaySlot::None,
            DelaySlot::Annulled,
        ];
        let (delay_slot, origin) = (dice.pick(&slots).unwrap(), StepOrigin::Recorded);
        let origin = if dice.one_in(8) {
            StepOrigin::Inferred
        } else {
            origin
        };
        let mode = match plan.set {
            InstructionSet::Sparc64 => Mode::Window {
                current: *window,
                count: 4,
                globals: 0,
            },
            _ => Mode::default(),
        };
        let what = What::Step {
            pc: *pc,
            encoding,
            branch: RecordedBranch::None,
            time: None,
            delay_slot,
            origin,
            mode,
        };
        records.push(Record { thread, what });
        let instruction = decode(encoding, Address(*pc), plan.set);
        *pc += encoding.bytes().len() as u64;
        if delay_slot == DelaySlot::Annulled {
            continue;
        }
        if let Some(turn) = plan.set.window_step(&encoding)
            && let Mode::Window { current, .. } = mode.after(Some(turn))
        {
            *window = current;
        }
        for Piece {
            kind,
            address,
            size_bytes,
        } in pieces(&instruction, dice)
        {
            let what = What::Access {
                kind,
                address,
                size_bytes: u8::try_from(size_bytes).unwrap(),
            };
            records.push(Record { thread, what });
        }
        if dice.one_in(30) {
            let kind = MarkerKind(dice.pick(&[0, 1, 2, 3, 33]).unwrap());
            records.push(Record::marker(thread, kind, dice.below(5)));
        }
    }
    records
}

/// A CPU of a random Tarmac trace.
#[derive(Clone, Debug)]
struct Cpu {
    pc: u64,
    mode: &'static str,
    /// Lines of its last step that follow a step of another CPU.
    late: Vec<String>,
}

struct TarmacWriter<'a> {
    plan: Plan,
    dice: &'a mut Dice,
    out: String,
    memory: HashMap<u64, u8>,
    cpus: Vec<Cpu>,
    is_big_endian: bool,
    modes: &'static [&'static str],
}

/// Returns the modes of a program; for T32 usually those of one profile.
fn modes(set: InstructionSet, dice: &mut Dice) -> &'static [&'static str] {
    match (set, dice.below(3)) {
        (InstructionSet::A64, _) => &["EL1h_n", "EL1t_n", "EL0t_n", "EL3h_s"],
        (InstructionSet::T32, 0) => &["thread", "handler"],
        (InstructionSet::T32, 1) => &["svc_s", "usr", "irq"],
        (InstructionSet::T32, _) => &["svc_s", "thread", "handler"],
        _ => &["svc_s", "usr", "irq", "fiq", "mode"],
    }
}

/// Returns a program as Tarmac text.
pub fn tarmac(plan: Plan, is_big_endian: bool, dice: &mut Dice) -> String {
    let modes = modes(plan.set, dice);
    let mode = modes.first().copied().unwrap_or("mode");
    let cpus = vec![
        Cpu {
            pc: 0x8000,
            mode,
            late: Vec::new()
        };
        usize::from(plan.threads)
    ];
    let (out, memory) = Default::default();
    let mut writer = TarmacWriter {
        plan,
        dice,
        out,
        memory,
        cpus,
        is_big_endian,
        modes,
    };
    if writer.dice.one_in(2) {
        writer.dump();
    }
    let (codes, mut cpu) = (encodings(plan.set), 0);
    for time in 1..=plan.steps {
        if writer.dice.one_in(4) {
            cpu = writer.dice.below(u64::from(plan.threads)) as usize;
        }
        writer.step(time, cpu, &codes);
    }
    writer.out
}

impl TarmacWriter<'_> {
    fn line(&mut self, time: u64, cpu: usize, text: &str) {
        let cpu = if self.plan.threads > 1 {
            format!("cpu{cpu} ")
        } else {
            String::new()
        };
        writeln!(self.out, "{time} clk {cpu}{text}").unwrap();
    }

    fn dump(&mut self) {
        for cpu in 0..self.cpus.len() {
            let lines = match self.plan.set {
                InstructionSet::A64 => [
                    "R X0 0000000000001000",
                    "R X1 0000000000001010",
                    "R cpsr 600003c5",
                ],
                _ => ["R r0 00001000", "R r1 00001010", "R cpsr 600001d3"],
            };
            lines.iter().for_each(|line| self.line(0, cpu, line));
            self.line(0, cpu, "MW4 00001000:000000001000 11223344");
        }
    }

    fn mode(&mut self, cpu: usize) -> &'static str {
        if self.dice.one_in(8) {
            self.cpus[cpu].mode = self.dice.pick(self.modes).unwrap();
        }
        self.cpus[cpu].mode
    }

    fn step(&mut self, time: u64, cpu: usize, codes: &[Encoding]) {
        let encoding = self.dice.pick(codes).unwrap();
        let (mode, pc, set) = (self.mode(cpu), self.cpus[cpu].pc, self.plan.set);
        let instruction = decode(encoding, Address(pc), set);
        let is_conditional = instruction.meaning.condition == ExecutionCondition::Conditional;
        let fails = self.dice.one_in(if is_conditional { 3 } else { 30 });
        let letter = match set {
            InstructionSet::A64 => "O",
            InstructionSet::A32 => "A",
            _ => "T",
        };
        let digits = 2 * encoding.bytes().len();
        let opcode = set.opcode_of(&encoding);
        let kind = if fails { "IS" } else { "IT" };
        // Late lines of an earlier step of this CPU come directly before its next.
        for line in std::mem::take(&mut self.cpus[cpu].late) {
            self.line(time - 1, cpu, &line);
        }
        self.line(
            time,
            cpu,
            &format!("{kind} ({time}) {pc:08x} {opcode:0digits$x} {letter} {mode} : text"),
        );
        self.cpus[cpu].pc = pc + encoding.bytes().len() as u64;
        if self.dice.one_in(16) {
            self.cpus[cpu].pc = 0x8000 + 4 * self.dice.below(8);
        }
        if fails && !self.dice.one_in(8) {
            return;
        }
        let mut lines = Vec::new();
        for piece in pieces(&instruction, self.dice) {
            lines.push(self.access(&piece));
        }
        for view in instruction
            .registers
            .iter()
            .flat_map(|known| known.writes.clone())
        {
            if !self.dice.one_in(16) {
                lines.push(self.register(view));
            }
        }
        if self.dice.one_in(10) {
            let line = self.other_register();
            lines.push(line);
        }
        for line in lines {
            if self.plan.threads > 1 && (self.dice.one_in(12) || !self.cpus[cpu].late.is_empty()) {
                self.cpus[cpu].late.push(line);
            } else {
                self.line(time, cpu, &line);
            }
        }
        // Some late lines come after a step of another CPU and before further ones.
        let other = self.dice.below(u64::from(self.plan.threads)) as usize;
        if other != cpu && self.dice.one_in(3) {
            for line in std::mem::take(&mut self.cpus[other].late) {
                self.line(time, other, &line);
            }
        }
    }

    fn access(&mut self, piece: &Piece) -> String {
        let is_wrong = self.dice.one_in(6);
        let mut bytes = Vec::new();
        for address in piece.address..piece.address + piece.size_bytes {
            let random = self.dice.pick(&[0, 0x11, 0x22, 0xff]).unwrap();
            let is_kept = piece.kind == AccessKind::Read && !is_wrong;
            let byte = self
                .memory
                .get(&address)
                .copied()
                .filter(|_| is_kept)
                .unwrap_or(random);
            self.memory.insert(address, byte);
            bytes.push(byte);
        }
        if !self.is_big_endian {
            bytes.reverse();
        }
        let mut digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        if self.dice.one_in(20) {
            digits = "x".repeat(digits.len());
        }
        if piece.size_bytes == 16 {
            digits.insert(16, ' ');
        }
        let letter = if piece.kind == AccessKind::Read {
            'R'
        } else {
            'W'
        };
        let Piece {
            address,
            size_bytes,
            ..
        } = *piece;
        format!("M{letter}{size_bytes} {address:08x}:{address:012x} {digits}")
    }

    fn register(&mut self, view: RegisterView) -> String {
        let set = self.plan.set;
        let name = match view.register {
            RegisterId::PSR => "cpsr".to_owned(),
            RegisterId::SP if self.dice.one_in(4) => {
                let names: &[&str] = match set {
                    InstructionSet::A64 => &["sp_el1", "sp_el0", "sp_el3"],
                    InstructionSet::T32 => &["msp", "psp", "r13"],
                    _ => &["r13_svc", "r13_irq", "r13_usr"],
                };
                self.dice.pick(names).unwrap().to_owned()
            }
            _ => Registers::name(view, set).map_or_else(|| "r0".to_owned(), ToString::to_string),
        };
        let size_bytes = match view.register {
            RegisterId::PSR => 4,
            _ => usize::from(
                Registers::view(&name, set).map_or(view.size_bytes, |view| view.size_bytes),
            ),
        };
        let digits: String = (0..size_bytes)
            .map(|_| self.dice.pick(&["00", "11", "60", "a5"]).unwrap())
            .collect();
        let value = match view.register {
            RegisterId::PSR if set == InstructionSet::A64 => {
                format!("{}00003c5", self.dice.pick(&['0', '6', '8', '2']).unwrap())
            }
            RegisterId::PSR => format!("{}00001d3", self.dice.pick(&['0', '6', '8', '2']).unwrap()),
            _ => digits,
        };
        format!("R {name} {value}")
    }

    fn other_register(&mut self) -> String {
        let lines: &[&str] = match self.plan.set {
            InstructionSet::A64 => &[
                "R X0 0000000000000005",
                "R W1 00000006",
                "R cpsr 200003c5",
                "R sp_el1 0000000000001020",
                "R elr_el1 0000000000008000",
            ],
            InstructionSet::T32 => &[
                "R CONTROL 00000002",
                "R CONTROL 00000000",
                "R PSP 00001020",
                "R r0 00000007",
                "R cpsr 200001d3",
            ],
            _ => &[
                "R r0 00000005",
                "R r13_irq 00001020",
                "R r8_fiq 00000003",
                "R cpsr 200001d1",
                "R d0 1111111122222222",
            ],
        };
        self.dice.pick(lines).unwrap().to_owned()
    }
}
