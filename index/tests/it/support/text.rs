//! Random Tarmac text: small pools of addresses and registers, so that they collide.

use std::collections::HashMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use stepback_machine::AccessKind;

use super::dice::Dice;

/// Global properties of a random trace.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub is_es: bool,
    pub sets: Sets,
    /// 0: lines name no CPU.
    pub cpus: u8,
    pub times: Times,
    pub has_dump: bool,
    pub line_end: &'static str,
    pub ends_with_newline: bool,
}

/// Kinds of lines that may have a timestamp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Step,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sets {
    A64,
    A32,
    T32,
    Mixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// On every line.
    All,
    /// Only on instructions.
    Steps,
    /// On some lines, sometimes decreasing.
    Some,
    None,
}

/// Generates a random trace.
pub fn traces(lines: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let sets = prop_oneof![3 => Just(Sets::A64), 1 => Just(Sets::A32), 1 => Just(Sets::T32), 1 => Just(Sets::Mixed)];
    let times = prop_oneof![4 => Just(Times::All), 2 => Just(Times::Steps), 2 => Just(Times::Some), 1 => Just(Times::None)];
    let shape = (
        prop::bool::weighted(0.25),
        sets,
        0u8..3,
        times,
        any::<bool>(),
        prop::bool::weighted(0.2),
        any::<bool>(),
    );
    let shape = shape.prop_map(
        |(is_es, sets, cpus, times, has_dump, is_crlf, ends_with_newline)| {
            let line_end = if is_crlf { "\r\n" } else { "\n" };
            Shape {
                is_es,
                sets,
                cpus,
                times,
                has_dump,
                line_end,
                ends_with_newline,
            }
        },
    );
    (shape, prop::collection::vec((0u8..43, any::<u64>()), lines))
        .prop_map(|(shape, seeds)| write(shape, &seeds))
}

/// Writes the trace of some seeds: the kind of each line, and a number for the rest of it.
pub fn write(shape: Shape, seeds: &[(u8, u64)]) -> String {
    let mut writer = Writer::new(shape);
    if shape.has_dump {
        writer.dump();
    }
    for (kind, seed) in seeds {
        writer.line_of(*kind, Dice(*seed));
    }
    if !shape.ends_with_newline {
        writer
            .out
            .truncate(writer.out.trim_end_matches(['\r', '\n']).len());
    }
    writer.out
}

/// State of a CPU that is needed to write plausible calls.
#[derive(Clone, Debug)]
struct Cpu {
    pc: u64,
    sp: u64,
    stack: Vec<(u64, u64)>,
}

struct Writer {
    shape: Shape,
    out: String,
    time: u64,
    cpu: usize,
    cpus: Vec<Cpu>,
    memory: HashMap<u64, u8>,
}

/// An instruction in A64, A32 and T32.
type Opcodes = (&'static str, &'static str, &'static str);

const NOP: Opcodes = ("d503201f", "e1a00000", "bf00");
const CALL: Opcodes = ("94000010", "eb000010", "f000f800");
const RETURN: Opcodes = ("d65f03c0", "e12fff1e", "4770");
const JUMP: Opcodes = ("14000004", "ea000004", "e004");
const SUPERVISOR: Opcodes = ("d4000001", "ef000000", "df00");
const EXCEPTION_RETURN: Opcodes = ("d69f03e0", "e25ef004", "f3de8f00");

const MODES: [&str; 12] = [
    "EL3h_s", "EL1h_n", "EL1t_n", "EL0t_n", "svc_s", "usr", "sys", "irq", "fiq", "handler",
    "thread", "EL3h_s",
];

/// Modes of M-profile.
const PROFILE_M: &[&str] = &["thread", "thread", "handler"];

const FUNCTIONS: [u64; 4] = [0x8000, 0x8040, 0x8080, 0x9000];

impl Writer {
    fn new(shape: Shape) -> Self {
        let cpu = Cpu {
            pc: 0x8000,
            sp: 0x2000,
            stack: Vec::new(),
        };
        Self {
            shape,
            out: String::new(),
            time: 1,
            cpu: 0,
            cpus: vec![cpu; 2],
            memory: HashMap::new(),
        }
    }

    fn set(&self, dice: &mut Dice) -> &'static str {
        match self.shape.sets {
            Sets::A64 => "O",
            Sets::A32 => "A",
            Sets::T32 => "T",
            Sets::Mixed => dice.pick(&["O", "A", "T"]).unwrap(),
        }
    }

    fn line(&mut self, kind: LineKind, dice: &mut Dice, text: &str) {
        let has_time = match self.shape.times {
            Times::All => true,
            Times::Steps => kind == LineKind::Step,
            Times::Some => dice.one_in(3),
            Times::None => false,
        };
        if has_time {
            let time = if self.shape.times == Times::Some {
                self.time.saturating_sub(dice.below(4))
            } else {
                self.time
            };
            write!(self.out, "{time} clk ").unwrap();
        } else {
            self.out.push_str("        ");
        }
        if self.shape.cpus > 0 && !dice.one_in(10) {
            write!(self.out, "cpu{} ", self.cpu).unwrap();
        }
        self.out.push_str(text);
        self.out.push_str(self.shape.line_end);
    }

    fn dump(&mut self) {
        let mut dice = Dice(7);
        self.time = 0;
        for cpu in 0..usize::from(self.shape.cpus.max(1)) {
            self.cpu = cpu;
            for name in ["X0", "X1", "r0", "r1", "q0", "cpsr"] {
                let digits = match name.as_bytes()[0] {
                    b'X' => "0000000000000005",
                    b'q' => "11111111222222223333333344444444",
                    _ => "000000a5",
                };
                self.line(LineKind::Other, &mut dice, &format!("R {name} {digits}"));
            }
            self.line(
                LineKind::Other,
                &mut dice,
                "MW4 00001000:000000001000 11223344",
            );
        }
        (self.time, self.cpu) = (1, 0);
    }

    fn line_of(&mut self, kind: u8, mut dice: Dice) {
        let dice = &mut dice;
        match kind {
            0..=12 => self.step(dice),
            13 | 14 => self.call(dice),
            15 | 16 => self.come_back(dice),
            17..=21 => self.register(dice),
            22..=29 => self.access(dice),
            30 | 31 => self.diagram(dice),
            32 => self.stack_pointer(dice),
            33 => self.early_line(dice),
            34 => self.host_call(dice),
            35 | 36 => self.cpu = dice.below(u64::from(self.shape.cpus.clamp(1, 2))) as usize,
            37 => self.jump(dice),
            38 => self.junk(dice),
            39 => self.exception(dice),
            40 => self.turn(dice),
            41 => self.late_line(dice),
            _ => self.words(dice),
        }
    }

    fn step(&mut self, dice: &mut Dice) {
        let opcodes: &[Opcodes] = if dice.one_in(8) {
            &[SUPERVISOR, EXCEPTION_RETURN]
        } else {
            &[NOP, NOP, RETURN, CALL]
        };
        let opcodes = dice.pick(opcodes).unwrap();
        self.step_of(&opcodes, dice);
    }

    /// Writes a step with one of these opcodes: of A64, A32 and T32.
    fn step_of(&mut self, opcodes: &Opcodes, dice: &mut Dice) {
        if self.shape.times != Times::Some || dice.one_in(2) {
            self.time += dice.below(4) / 2 + u64::from(dice.one_in(2));
        }
        let set = self.set(dice);
        let Cpu { pc, .. } = self.cpus[self.cpu];
        let opcode = match set {
            "O" => opcodes.0,
            "A" => opcodes.1,
            _ => opcodes.2,
        };
        let opcode = if dice.one_in(20) && set != "T" {
            "--------"
        } else {
            opcode
        };
        let length = opcode.len() as u64 / 2;
        let words = dice
            .pick(&["NOP", "MOV r0,#1", "BL {pc}+0x40", "", "RET $"])
            .unwrap();
        let modes = if self.shape.sets == Sets::T32 && dice.one_in(2) {
            PROFILE_M
        } else {
            &MODES
        };
        let mode = dice.pick(modes).unwrap();
        let (kind, text) = (dice.pick(&["IT", "IT", "IS"]).unwrap(), words);
        let text = if self.shape.is_es {
            let failed = if kind == "IS" { "CCFAIL " } else { "" };
            format!("ES  ({pc:016x}:{opcode}) {set} {mode}:     {failed}{text}")
        } else {
            format!(
                "{kind} ({}) {pc:08x} {} {set} {mode} : {text}",
                dice.below(9),
                opcode.replace('-', "0")
            )
        };
        self.line(LineKind::Step, dice, &text);
        self.cpus[self.cpu].pc = pc.wrapping_add(length);
    }

    /// Writes a semihosting call, usually with its registers and its parameter block.
    fn host_call(&mut self, dice: &mut Dice) {
        let set = self.set(dice);
        let (opcode, length, word, names) = match set {
            "O" => ("d45e0000", 4, 8, ["X0", "X1"]),
            "A" => (
                dice.pick(&["ef123456", "e10f0070"]).unwrap(),
                4,
                4,
                ["r0", "r1"],
            ),
            _ => (
                dice.pick(&["beab", "dfab", "babc"]).unwrap(),
                2,
                4,
                ["r0", "r1"],
            ),
        };
        let digits = 2 * word as usize;
        let operation: u64 = dice
            .pick(&[0x06, 0x06, 0x0d, 0x15, 0x16, 0x30, 0x05])
            .unwrap();
        let block = 0x1000 + 8 * dice.below(6);
        for (name, value) in names.into_iter().zip([operation, block]) {
            if !dice.one_in(8) {
                self.line(
                    LineKind::Other,
                    dice,
                    &format!("R {name} {value:0digits$x}"),
                );
            }
        }
        for place in (0..3).map(|number| block + number * word) {
            let value = match dice.below(12) {
                0 => u64::MAX >> (64 - 8 * word),
                1..6 => dice.below(60),
                _ => 0x0ff8 + dice.below(80),
            };
            if !dice.one_in(8) {
                (0..word).for_each(|byte| {
                    _ = self
                        .memory
                        .insert(place + byte, (value >> (8 * byte)) as u8)
                });
                self.line(
                    LineKind::Other,
                    dice,
                    &format!("MW{word} {place:08x}:{place:012x} {value:0digits$x}"),
                );
            }
        }
        let (pc, kind) = (
            self.cpus[self.cpu].pc,
            dice.pick(&["IT", "IT", "IT", "IS"]).unwrap(),
        );
        self.line(
            LineKind::Step,
            dice,
            &format!("{kind} (9) {pc:08x} {opcode} {set} svc : HLT"),
        );
        self.cpus[self.cpu].pc = pc.wrapping_add(length);
        for address in 0x1000..0x1040 {
            let byte = dice.pick(&[0x11, 0x77]).unwrap();
            self.memory
                .entry(address)
                .and_modify(|held| *held = if dice.one_in(2) { byte } else { *held });
        }
    }

    fn call(&mut self, dice: &mut Dice) {
        self.step_of(&dice.pick(&[CALL, CALL, NOP]).unwrap(), dice);
        let cpu = self.cpus[self.cpu].clone();
        let link = cpu.pc | u64::from(self.shape.sets == Sets::T32);
        let link = if dice.one_in(6) { link + 4 } else { link };
        self.number_register("lr", link, dice);
        self.cpus[self.cpu].stack.push((link & !1, cpu.sp));
        self.cpus[self.cpu].pc = dice.pick(&FUNCTIONS).unwrap();
        self.step(dice);
        if dice.one_in(2) {
            self.cpus[self.cpu].sp = cpu.sp - 16;
            self.number_register("sp", cpu.sp - 16, dice);
        }
    }

    fn come_back(&mut self, dice: &mut Dice) {
        let skipped = usize::from(dice.one_in(4));
        let depth = self.cpus[self.cpu].stack.len();
        self.cpus[self.cpu]
            .stack
            .truncate(depth - skipped.min(depth));
        let Some((pc, sp)) = self.cpus[self.cpu].stack.pop() else {
            return;
        };
        if self.cpus[self.cpu].sp != sp || dice.one_in(3) {
            self.step(dice);
            self.cpus[self.cpu].sp = sp;
            self.number_register("sp", sp, dice);
        }
        self.step_of(&dice.pick(&[RETURN, RETURN, NOP]).unwrap(), dice);
        self.cpus[self.cpu].pc = pc;
    }

    /// Writes the entry and exit of a handler, usually both.
    fn exception(&mut self, dice: &mut Dice) {
        self.step_of(&dice.pick(&[SUPERVISOR, NOP, CALL, RETURN]).unwrap(), dice);
        let resume = self.cpus[self.cpu].pc;
        if dice.one_in(3) {
            self.words(dice);
        }
        if dice.one_in(3) {
            let link = dice.pick(&[resume, 0xffff_fff9]).unwrap();
            self.number_register("lr", link, dice);
        }
        self.cpus[self.cpu].pc = dice.pick(&[0x9080, 0x8, 0x9008]).unwrap();
        self.step_of(&dice.pick(&[NOP, JUMP]).unwrap(), dice);
        let sp = self.cpus[self.cpu].sp;
        if dice.one_in(3) {
            self.number_register("sp", dice.pick(&[0x1f00, 0x4000]).unwrap(), dice);
        }
        if dice.one_in(2) {
            self.call(dice);
        }
        if dice.one_in(2) {
            self.come_back(dice);
        }
        self.cpus[self.cpu].sp = sp;
        if !dice.one_in(6) {
            self.step_of(
                &dice
                    .pick(&[EXCEPTION_RETURN, EXCEPTION_RETURN, RETURN])
                    .unwrap(),
                dice,
            );
            self.cpus[self.cpu].pc = if dice.one_in(4) {
                resume.wrapping_sub(4)
            } else {
                resume
            };
        }
    }

    /// Switches to another stack, and returns to where it was left or to a random address.
    fn turn(&mut self, dice: &mut Dice) {
        if dice.one_in(3) {
            self.step_of(&SUPERVISOR, dice);
            self.cpus[self.cpu].pc = 0x9080;
            self.step_of(&NOP, dice);
        }
        let (sp, pc) = dice
            .pick(&[(0x2000, 0x8008), (0x8000, 0x9104), (0xc000, 0xa204)])
            .unwrap();
        self.step_of(&NOP, dice);
        self.cpus[self.cpu].sp = sp;
        self.number_register("sp", sp - 16 * dice.below(3), dice);
        self.step_of(
            &dice.pick(&[RETURN, RETURN, EXCEPTION_RETURN]).unwrap(),
            dice,
        );
        self.cpus[self.cpu].pc = pc;
        self.step_of(&NOP, dice);
    }

    fn jump(&mut self, dice: &mut Dice) {
        self.cpus[self.cpu].pc = dice.pick(&FUNCTIONS).unwrap() + 4 * dice.below(4);
    }

    /// Writes the stack pointer or the link register of the trace's instruction set.
    fn number_register(&mut self, name: &str, value: u64, dice: &mut Dice) {
        let text = match (self.shape.sets, name) {
            (Sets::A64 | Sets::Mixed, "lr") => format!("R X30 {value:016x}"),
            (Sets::A64 | Sets::Mixed, _) => format!("R sp_el3 {value:016x}"),
            (_, "lr") => format!("R r14_svc {value:08x}"),
            _ => format!("R r13 {value:08x}"),
        };
        self.line(LineKind::Other, dice, &text);
    }

    fn stack_pointer(&mut self, dice: &mut Dice) {
        let value = 0x2000 - 16 * dice.below(8);
        self.cpus[self.cpu].sp = value;
        self.number_register("sp", value, dice);
    }

    fn register(&mut self, dice: &mut Dice) {
        const WIDE: [(&str, usize); 25] = [
            ("X0", 16),
            ("W0", 8),
            ("X1", 16),
            ("X30", 16),
            ("W30", 8),
            ("sp", 16),
            ("SP_EL0", 16),
            ("SP_EL1", 16),
            ("SP_EL1", 16),
            ("sp_el3", 16),
            ("r13_usr", 8),
            ("q0", 32),
            ("d0", 16),
            ("s0", 8),
            ("V1<63:0>", 16),
            ("V0<127:64>", 16),
            ("cpsr", 8),
            ("S3_0_C15_C2_0", 16),
            ("elr_el3", 16),
            ("fpcr", 8),
            ("X13", 16),
            ("X19", 16),
            ("x24", 16),
            ("r8_fiq", 8),
            ("cpsr", 8),
        ];
        const NARROW: [(&str, usize); 26] = [
            ("CONTROL", 8),
            ("r0", 8),
            ("r1", 8),
            ("r13", 8),
            ("r13_svc", 8),
            ("r13_irq", 8),
            ("r14", 8),
            ("r13_usr", 8),
            ("sp_svc", 8),
            ("r14_usr", 8),
            ("r14_fiq", 8),
            ("r8_usr", 8),
            ("r8_fiq", 8),
            ("PSP", 8),
            ("MSP", 8),
            ("q0", 32),
            ("d0", 16),
            ("d1", 16),
            ("s1", 8),
            ("s3", 8),
            ("cpsr", 8),
            ("SPSR_svc", 8),
            ("r8", 8),
            ("r14_irq", 8),
            ("r12", 8),
            ("cpsr", 8),
        ];
        /// Status values of every mode, and one of flags only.
        const STATUSES: [&str; 10] = [
            "000001d0", "000001d1", "000001d2", "600001f3", "000001da", "000003c5", "600003cd",
            "60000000", "01000000", "0100000f",
        ];
        let wide = matches!(self.shape.sets, Sets::A64 | Sets::Mixed);
        let (name, digits) = if wide {
            dice.pick(&WIDE)
        } else {
            dice.pick(&NARROW)
        }
        .unwrap();
        let mut value: String = (0..digits / 2)
            .map(|_| dice.pick(&["00", "01", "a5", "ff"]).unwrap())
            .collect();
        if name == "cpsr" && !dice.one_in(3) {
            value = dice.pick(&STATUSES).unwrap().to_owned();
        }
        match dice.below(12) {
            0 => value = "x".repeat(digits),
            1 => value.replace_range(0..digits / 2, &"-".repeat(digits / 2)),
            2 => value.truncate(3),
            _ => {}
        }
        self.line(LineKind::Other, dice, &format!("R {name} {value}"));
    }

    fn address(dice: &mut Dice) -> u64 {
        match dice.below(16) {
            0 => u64::MAX - dice.below(40),
            1 => 0x5000 + 64 * dice.below(40),
            2 => dice.below(8),
            _ => 0x0ff8 + dice.below(80),
        }
    }

    /// Returns the content of memory where it was written, usually the right one.
    fn bytes(&mut self, kind: AccessKind, address: u64, size: u64, dice: &mut Dice) -> Vec<u8> {
        let is_wrong = dice.one_in(5);
        let byte = |place: u64| {
            let random = dice.pick(&[0, 0x11, 0x22, 0xff]).unwrap();
            let address = address.wrapping_add(place);
            let byte = self
                .memory
                .get(&address)
                .copied()
                .filter(|_| kind == AccessKind::Read && !is_wrong)
                .unwrap_or(random);
            self.memory.insert(address, byte);
            byte
        };
        (0..size).map(byte).collect()
    }

    fn access(&mut self, dice: &mut Dice) {
        let kind = if dice.one_in(2) {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        let size = dice.pick(&[1, 1, 2, 4, 4, 8, 8, 16, 3]).unwrap();
        let address = Self::address(dice);
        let bytes = self.bytes(kind, address, size, dice);
        let mut digits: String = bytes
            .iter()
            .rev()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if dice.one_in(8) {
            digits = "x".repeat(digits.len());
        }
        if size == 16 {
            digits.insert(16, ' ');
        }
        let letter = if kind == AccessKind::Read { 'R' } else { 'W' };
        let exclusive = if dice.one_in(12) { "X " } else { "" };
        if dice.one_in(20) {
            digits = "(ABORTED)".to_owned();
        }
        self.line(
            LineKind::Other,
            dice,
            &format!("M{letter}{size} {exclusive}{address:08x}:{address:012x} {digits}"),
        );
    }

    fn diagram(&mut self, dice: &mut Dice) {
        let address = Self::address(dice) & !15;
        let kind = if dice.one_in(2) {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        let bytes = self.bytes(kind, address, 16, dice);
        let mut text = String::from(if kind == AccessKind::Read { "LD" } else { "ST" });
        write!(text, " {address:016x}").unwrap();
        let mut form = 0;
        for (place, byte) in bytes.iter().rev().enumerate() {
            if place % 4 == 0 {
                text.push(' ');
            }
            if dice.one_in(4) {
                form = dice.below(3);
            }
            match form {
                0 => write!(text, "{byte:02x}").unwrap(),
                1 => text.push_str(".."),
                _ => text.push_str("##"),
            }
        }
        self.line(LineKind::Other, dice, &text);
    }

    /// Writes a line before its instruction, with the same new timestamp.
    fn early_line(&mut self, dice: &mut Dice) {
        self.time += 1;
        for _ in 0..=dice.below(3) {
            if dice.one_in(2) {
                self.access(dice)
            } else {
                self.register(dice)
            }
        }
        let (time, set) = (self.time, self.set(dice));
        let pc = self.cpus[self.cpu].pc;
        self.line(
            LineKind::Step,
            dice,
            &format!("IT (3) {pc:08x} d503201f {set} svc : NOP"),
        );
        self.time = time;
        self.cpus[self.cpu].pc = pc.wrapping_add(4);
    }

    /// Writes lines of another CPU than the last step's, under names that mean different registers
    /// in different modes.
    fn late_line(&mut self, dice: &mut Dice) {
        const NAMES: [&str; 8] = ["r13", "sp", "r14", "lr", "r8", "r10", "r12", "r13"];
        if self.shape.cpus > 1 {
            self.cpu = 1 - self.cpu;
        }
        for _ in 0..=dice.below(3) {
            if dice.one_in(4) {
                self.register(dice);
            }
            let (name, value) = (dice.pick(&NAMES).unwrap(), dice.below(1 << 32));
            self.line(LineKind::Other, dice, &format!("R {name} {value:08x}"));
        }
        if self.shape.cpus > 1 && dice.one_in(2) {
            self.cpu = 1 - self.cpu;
        }
    }

    fn junk(&mut self, dice: &mut Dice) {
        let long = format!("CADI {}", "long ".repeat(1200));
        let junk = [
            "IT (zz",
            "R",
            "",
            "MR4 zzzz",
            "R X0 12 zz",
            "{",
            "W99 1",
            "5 clk",
            "\u{e9}\u{fffd}",
            &long,
        ];
        let text = junk[dice.below(junk.len() as u64) as usize];
        self.line(LineKind::Other, dice, text);
    }

    fn words(&mut self, dice: &mut Dice) {
        let words = [
            "E CoreEvent_Reset 1",
            "E CoreEvent_IRQ",
            "EXC [0x280] IRQ",
            "CADI hello",
            "SIGNAL: SIGNAL=x",
            "BR (00008000) A",
            "P nothing",
        ];
        let text = dice.pick(&words).unwrap();
        self.line(LineKind::Other, dice, text);
    }
}
