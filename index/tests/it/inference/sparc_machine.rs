//! A machine with register windows that executes random SPARC instructions, and RST traces of it:
//! one with values, one without, and one that leaves some out.

use std::collections::HashMap;
use std::ops::Range;

use stepback_generator::Dice;

use crate::support::rst_writer::{Flags, Kind, RstWriter};

/// The true state before each step, and after the last.
#[derive(Clone, Debug)]
pub struct Truth {
    /// By number; the first is 0.
    pub registers: [u64; 32],
    /// The bytes that its load reads, if it is one.
    pub loaded: Option<Loaded>,
}

/// Some bytes of memory.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub address: u64,
    pub bytes: Vec<u8>,
}

/// The direction of a move between a register and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Load,
    Store,
}

/// An instruction that moves a register.
#[derive(Clone, Copy, Debug)]
struct Move {
    word: u32,
    register: usize,
    direction: Direction,
    size: u64,
}

/// A run of the machine.
#[derive(Debug)]
pub struct Run {
    pub truths: Vec<Truth>,
    pub with_values: Vec<u8>,
    pub without: Vec<u8>,
    pub with_some: Vec<u8>,
}

/// Visibility of the kernel's actions in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// Hidden.
    Unseen,
    /// Traced handlers store and load windows.
    Traced,
}

const PAGE: u64 = 0x40_0000;
/// Addresses of instructions; data is elsewhere.
const CODE: Range<u64> = 0x10_0000..PAGE;
/// Bias of stack addresses.
const BIAS: u64 = 2047;

/// The machine.
pub struct Machine {
    dice: Dice,
    windows: usize,
    current: usize,
    can_save: usize,
    can_restore: usize,
    globals: [u64; 8],
    /// Eight locals, then eight ins of each window.
    cells: Vec<[u64; 16]>,
    memory: HashMap<u64, u8>,
    zero: bool,
    pc: u64,
    npc: u64,
    fresh: u64,
    kernel: Kernel,
    truths: Vec<Truth>,
    writers: [RstWriter; 3],
    depth: u32,
}

/// Index of the trace with all values.
const ALL: usize = 0;
const SOME: usize = 2;

const LDX: u32 = 0x0b;
const STX: u32 = 0x0e;

impl Machine {
    /// Runs this number of instructions.
    pub fn run(seed: u64, steps: usize) -> Run {
        let mut dice = Dice(seed);
        let windows = 3 + dice.below(6) as usize;
        let kernel = if seed.is_multiple_of(3) {
            Kernel::Traced
        } else {
            Kernel::Unseen
        };
        let mut writer = RstWriter::new(windows as u8);
        if seed.is_multiple_of(2) {
            writer.state(0x92);
        }
        let mut machine = Self {
            windows,
            current: dice.below(windows as u64) as usize,
            can_save: windows - 2,
            can_restore: 0,
            globals: [0; 8],
            cells: vec![[0; 16]; windows],
            memory: HashMap::new(),
            zero: false,
            pc: 0x10_0000,
            npc: 0x10_0004,
            fresh: 0x11_0000,
            kernel,
            truths: Vec::new(),
            writers: [writer.clone(), writer.clone(), writer],
            depth: 0,
            dice,
        };
        for number in 1..32 {
            let value = PAGE + machine.dice.below(1 << 12) * 8;
            machine.put(number, value);
        }
        machine.put(14, 0x40_0080_0000 - BIAS);
        machine.begin();
        while machine.truths.len() < steps {
            machine.step();
        }
        machine.note(None);
        let Self {
            truths,
            writers: [with_values, without, with_some],
            ..
        } = machine;
        let [with_values, without, with_some] =
            [with_values, without, with_some].map(RstWriter::into_bytes);
        Run {
            truths,
            with_values,
            without,
            with_some,
        }
    }

    fn begin(&mut self) {
        let window = self.current as u64;
        for place in [ALL, SOME] {
            self.writers[place].register_before(Kind::Privileged, 9, window);
        }
        for number in 1..32 {
            let value = self.get(number);
            self.writers[ALL].register_before(Kind::Integer, number as u8, value);
        }
    }

    fn get(&self, number: usize) -> u64 {
        match number {
            0 => 0,
            1..8 => self.globals[number],
            8..16 => self.cells[(self.current + 1) % self.windows][number],
            _ => self.cells[self.current][number - 16],
        }
    }

    fn put(&mut self, number: usize, value: u64) {
        match number {
            0 => {}
            1..8 => self.globals[number] = value,
            8..16 => self.cells[(self.current + 1) % self.windows][number] = value,
            _ => self.cells[self.current][number - 16] = value,
        }
    }

    fn note(&mut self, loaded: Option<Loaded>) {
        let registers = std::array::from_fn(|number| self.get(number));
        self.truths.push(Truth { registers, loaded });
    }

    /// Writes a record of an instruction to each trace.
    fn record(&mut self, word: u32, ea: Option<u64>, flags: Flags) {
        let pc = self.pc;
        self.writers
            .iter_mut()
            .for_each(|writer| writer.instruction(pc, word, ea, flags));
    }

    fn tell(&mut self, number: usize) {
        let value = self.get(number);
        if number > 0 {
            self.writers[ALL].register(Kind::Integer, number as u8, value);
            if self.dice.one_in(3) {
                self.writers[SOME].register(Kind::Integer, number as u8, value);
            }
        }
    }

    fn tell_window(&mut self) {
        for number in 8..32 {
            let value = self.get(number);
            self.writers[ALL].register(Kind::Integer, number as u8, value);
        }
    }

    fn goes_on(&mut self) {
        (self.pc, self.npc) = (self.npc, self.npc + 4);
    }

    /// Executes an instruction that only computes.
    fn plain(&mut self, word: u32, destination: usize, value: u64) {
        self.note(None);
        self.record(word, None, Flags::default());
        self.put(destination, value);
        self.tell(destination);
        self.goes_on();
    }

    fn register(&mut self) -> usize {
        // A few, so that they are reused; not the stack pointers.
        self.dice
            .pick(&[1, 2, 8, 9, 10, 16, 17, 18, 24, 25, 26])
            .unwrap()
    }

    fn step(&mut self) {
        match self.dice.below(24) {
            0..9 => self.compute(),
            9..14 => self.access(),
            14..16 => self.branch(),
            16..19 => self.call(),
            19..22 if self.depth > 0 => self.come_back(),
            22 => self.ask_kernel(),
            _ => self.jump(),
        }
    }

    fn compute(&mut self) {
        let [d, n, m] = [(); 3].map(|()| self.register());
        let (left, right) = (self.get(n), self.get(m));
        let number = self.dice.below(1 << 12);
        let by_number = |kind: u32| {
            2 << 30 | (d as u32) << 25 | kind << 19 | (n as u32) << 14 | 1 << 13 | number as u32
        };
        let by_register =
            |kind: u32| 2 << 30 | (d as u32) << 25 | kind << 19 | (n as u32) << 14 | m as u32;
        match self.dice.below(9) {
            0 => {
                let high = self.dice.below(1 << 22);
                self.plain((d as u32) << 25 | 4 << 22 | high as u32, d, high << 10);
            }
            1 => self.plain(by_number(2) & !(31 << 14), d, number),
            2 => self.plain(by_number(0), d, left.wrapping_add(number)),
            3 => self.plain(by_number(2), d, left | number),
            4 => self.plain(by_register(0), d, left.wrapping_add(right)),
            5 => self.plain(by_register(4), d, left.wrapping_sub(right)),
            6 => self.plain(by_register(3), d, left ^ right),
            7 => self.plain(by_register(2) & !(31 << 14), d, right),
            _ => {
                // SRL by 0 cuts off the upper half.
                self.plain(
                    2 << 30 | (d as u32) << 25 | 0x26 << 19 | (n as u32) << 14 | 1 << 13,
                    d,
                    left & 0xffff_ffff,
                );
            }
        }
    }

    fn byte(&mut self, address: u64) -> u8 {
        // Memory mostly holds numbers that are addresses.
        let fresh = (PAGE + (address & 0xff8)) >> (8 * (7 - (address & 7)));
        *self.memory.entry(address).or_insert(fresh as u8)
    }

    fn bytes(&mut self, address: u64, size: u64) -> Vec<u8> {
        (0..size)
            .map(|place| self.byte(address.wrapping_add(place)))
            .collect()
    }

    fn load(&mut self, address: u64, size: u64) -> u64 {
        self.bytes(address, size)
            .iter()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn store(&mut self, address: u64, size: u64, value: u64) {
        for place in 0..size {
            self.memory.insert(
                address.wrapping_add(place),
                (value >> (8 * (size - 1 - place))) as u8,
            );
        }
    }

    /// Executes a load or store through a register, or on the stack.
    fn access(&mut self) {
        let (size, load, store) = self
            .dice
            .pick(&[
                (8, 0x0b, 0x0e),
                (4, 0x00, 0x04),
                (1, 0x01, 0x05),
                (2, 0x02, 0x06),
            ])
            .unwrap();
        let d = self.register();
        let (base, offset) = match self.dice.below(4) {
            0 => (14, BIAS + 176 + self.dice.below(4) * 8),
            1 => (30, BIAS - 64 + self.dice.below(4) * 8),
            _ => (self.register(), self.dice.below(8) * 8),
        };
        let address = self.get(base).wrapping_add(offset) & !(size - 1);
        let offset = address.wrapping_sub(self.get(base));
        if offset >= 1 << 12 || self.get(base) > 1 << 40 {
            return self.compute();
        }
        let fields = 3 << 30 | (d as u32) << 25 | (base as u32) << 14 | 1 << 13 | offset as u32;
        let direction = if self.dice.one_in(2) {
            Direction::Load
        } else {
            Direction::Store
        };
        let kind = if direction == Direction::Load {
            load
        } else {
            store
        };
        self.carry_out(
            address,
            Move {
                word: fields | kind << 19,
                register: d,
                direction,
                size,
            },
        );
    }

    fn carry_out(&mut self, address: u64, what: Move) {
        let Move {
            word,
            register,
            direction,
            size,
        } = what;
        if direction == Direction::Load {
            let bytes = self.bytes(address, size);
            let value = self.load(address, size);
            self.note(Some(Loaded { address, bytes }));
            self.writers[ALL].memory(address, size as u8, value);
            self.record(word, Some(address), Flags::default());
            self.put(register, value);
            self.tell(register);
        } else {
            self.note(None);
            self.record(word, Some(address), Flags::default());
            let value = self.get(register) & u64::MAX >> (64 - 8 * size);
            self.store(address, size, value);
            self.writers[ALL].memory(address, size as u8, value);
            if self.dice.one_in(4) {
                self.writers[SOME].memory(address, size as u8, value);
            }
        }
        self.goes_on();
    }

    fn far(&mut self) -> u64 {
        self.fresh += 0x400;
        self.fresh
    }

    /// Returns an address in reach of any branch.
    fn near(&mut self) -> u64 {
        self.pc + 32 + 4 * self.dice.below(64)
    }

    /// Executes a branch on a register or on a comparison, with its slot.
    fn branch(&mut self) {
        let target = self.near();
        let (n, is_annulling) = (self.register(), self.dice.one_in(3));
        let annul = u32::from(is_annulling) << 29;
        let (word, is_taken) = if self.dice.one_in(2) {
            let word = 1 << 25 | 3 << 22 | annul | (n as u32) << 14; // BRZ
            (word, self.get(n) == 0)
        } else {
            let m = self.register();
            let (left, right) = (self.get(n), self.get(m));
            self.zero = left == right;
            let right = if self.dice.one_in(2) {
                m as u32
            } else {
                let number = if left < 1 << 12 && self.dice.one_in(2) {
                    left
                } else {
                    self.dice.below(1 << 12)
                };
                self.zero = left == number;
                1 << 13 | number as u32
            };
            self.plain(2 << 30 | 0x14 << 19 | (n as u32) << 14 | right, 0, 0); // SUBCC to %g0
            let is_equal = self.dice.one_in(2);
            let condition = if is_equal { 1 } else { 9 };
            (
                condition << 25 | 1 << 22 | 1 << 21 | annul,
                self.zero == is_equal,
            ) // BPE, BPNE on %xcc
        };
        let words = ((target - self.pc) / 4) as u32;
        let word = match word >> 22 & 7 {
            3 => word | (words >> 14 & 3) << 20 | words & 0x3fff,
            _ => word | words & 0x7_ffff,
        };
        self.note(None);
        let ea = if is_taken { target } else { self.pc + 8 };
        self.record(
            word,
            Some(ea),
            Flags {
                is_taken,
                ..Flags::default()
            },
        );
        self.goes_on();
        self.npc = ea;
        if is_annulling && !is_taken {
            self.annulled();
        } else {
            self.slot();
        }
    }

    /// Writes the slot after a branch that skips it.
    fn annulled(&mut self) {
        self.note(None);
        self.record(
            0xa010_2007,
            None,
            Flags {
                is_annulled: true,
                ..Flags::default()
            },
        );
        self.goes_on();
    }

    /// Executes an instruction in the slot of a branch.
    fn slot(&mut self) {
        if self.dice.one_in(4) {
            self.access()
        } else {
            self.compute()
        }
    }

    /// Executes `ba`, with or without its slot; sometimes with another branch in it.
    fn jump(&mut self) {
        let target = self.near();
        let is_annulling = self.dice.one_in(3);
        let word = |pc: u64, annul: bool| {
            u32::from(annul) << 29 | 8 << 25 | 2 << 22 | ((target - pc) / 4) as u32
        };
        self.note(None);
        self.record(
            word(self.pc, is_annulling),
            Some(target),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.goes_on();
        self.npc = target;
        if is_annulling {
            return self.annulled();
        }
        if !self.dice.one_in(6) {
            return self.slot();
        }
        // The instruction at the first target executes before control reaches the second.
        let second = self.near();
        self.note(None);
        let word = 8 << 25 | 2 << 22 | ((second - self.pc) / 4) as u32;
        self.record(
            word,
            Some(second),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.goes_on();
        self.npc = second;
        self.slot();
    }

    /// Executes a call by `call` or through a register, usually with a new window.
    fn call(&mut self) {
        let target = self.far();
        let through = self.dice.pick(&[16, 17, 9]).unwrap();
        let is_direct = self.dice.one_in(2) || !self.load_pointer(through, target);
        self.note(None);
        let word = if is_direct {
            1 << 30 | (target.wrapping_sub(self.pc) >> 2) as u32 & 0x3fff_ffff
        } else {
            2 << 30 | 15 << 25 | 0x38 << 19 | (through as u32) << 14 | 1 << 13
        };
        self.record(
            word,
            Some(target),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        let link = self.pc;
        self.put(15, link);
        self.tell(15);
        self.goes_on();
        self.npc = target;
        self.slot();
        self.save();
    }

    /// Loads a pointer to code from memory that was never accessed. Returns false if no register
    /// points to such memory.
    fn load_pointer(&mut self, register: usize, pointer: u64) -> bool {
        let base = self.register();
        let address = self.get(base);
        let is_fresh = (0..8).all(|place| !self.memory.contains_key(&address.wrapping_add(place)));
        if !is_fresh || address & 7 != 0 || address > 1 << 40 {
            return false;
        }
        self.store(address, 8, pointer);
        let word = 3 << 30 | (register as u32) << 25 | LDX << 19 | (base as u32) << 14 | 1 << 13;
        self.carry_out(
            address,
            Move {
                word,
                register,
                direction: Direction::Load,
                size: 8,
            },
        );
        true
    }

    fn save(&mut self) {
        if self.can_save == 0 {
            self.spill();
        }
        let sp = self.get(14).wrapping_sub(208);
        self.note(None);
        self.record(0x9de3_bf30, None, Flags::default());
        self.current = (self.current + 1) % self.windows;
        (self.can_save, self.can_restore) = (self.can_save - 1, self.can_restore + 1);
        // The window is clean: the trace does not show its content.
        let noise = self.dice.below(3);
        for number in 8..24 {
            if noise == 0 {
                self.put(number, 0);
            } else if noise == 1 {
                let value = self.dice.number();
                self.put(number, value);
            }
        }
        self.put(14, sp);
        self.tell_window();
        self.goes_on();
        self.depth += 1;
    }

    /// Stores the oldest window to its place on the stack.
    fn spill(&mut self) {
        let oldest = (self.current + 2) % self.windows;
        let mut at = self.cells[(oldest + 1) % self.windows][14].wrapping_add(BIAS);
        if self.kernel == Kernel::Traced {
            return self.handle(0x80, 2, STX);
        }
        for value in self.cells[oldest] {
            self.store(at, 8, value);
            at += 8;
        }
        (self.can_save, self.can_restore) = (self.can_save + 1, self.can_restore - 1);
    }

    /// Loads the window to which control returns from its place on the stack.
    fn fill(&mut self) {
        let window = (self.current + self.windows - 1) % self.windows;
        if self.kernel == Kernel::Traced {
            return self.handle(0xc0, self.windows - 1, LDX);
        }
        let at = self.cells[self.current][14].wrapping_add(BIAS);
        for place in 0..16 {
            self.cells[window][place] = self.load(at + 8 * place as u64, 8);
        }
        (self.can_save, self.can_restore) = (self.can_save - 1, self.can_restore + 1);
    }

    /// Executes the handler of a trap that stores or loads a window.
    fn handle(&mut self, trap_type: u16, further: usize, kind: u32) {
        let handler = 0xf000_0000 + 64 * u64::from(trap_type);
        let (pc, npc, window) = (self.pc, self.npc, self.current);
        self.note(None);
        self.writers
            .iter_mut()
            .for_each(|writer| writer.trap(trap_type, pc));
        let word = if kind == STX {
            0x9de3_bf30
        } else {
            0x81e8_0000
        };
        self.record(
            word,
            Some(handler),
            Flags {
                has_trap: true,
                is_taken: true,
                ..Flags::default()
            },
        );
        self.current = (self.current + further) % self.windows;
        (self.pc, self.npc) = (handler, handler + 4);
        for place in 0..16 {
            let (number, offset) = (16 + place, BIAS + 8 * place as u64);
            let address = self.get(14).wrapping_add(offset);
            let word =
                3 << 30 | (number as u32) << 25 | kind << 19 | 14 << 14 | 1 << 13 | offset as u32;
            let direction = if kind == STX {
                Direction::Store
            } else {
                Direction::Load
            };
            self.carry_out(
                address,
                Move {
                    word,
                    register: number,
                    direction,
                    size: 8,
                },
            );
        }
        self.note(None);
        let word = if kind == STX {
            0x8188_0000
        } else {
            0x8388_0000
        }; // SAVED, RESTORED
        self.record(word, None, Flags::default());
        let change = |count: usize, is_more: bool| if is_more { count + 1 } else { count - 1 };
        let is_spill = kind == STX;
        (self.can_save, self.can_restore) = (
            change(self.can_save, is_spill),
            change(self.can_restore, !is_spill),
        );
        self.goes_on();
        // They belong to the program to which control returns.
        let stack = self.cells[(window + 1) % self.windows][14];
        for place in [ALL, SOME] {
            let global = self.globals[7];
            self.writers[place].pair_before([7, 14], [global, stack]);
        }
        self.note(None);
        self.record(
            0x83f0_0000,
            Some(pc),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        ); // RETRY
        (self.pc, self.npc, self.current) = (pc, npc, window);
    }

    /// Executes `ret` or `return`: back to the previous window.
    fn come_back(&mut self) {
        let target = self.get(31).wrapping_add(8);
        if target & 3 != 0 || !CODE.contains(&target) {
            // A store overwrote it.
            return self.compute();
        }
        let is_return = self.dice.one_in(3);
        if is_return && self.can_restore == 0 {
            self.fill();
        }
        self.note(None);
        let word = if is_return { 0x81cf_e008 } else { 0x81c7_e008 };
        self.record(
            word,
            Some(target),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.goes_on();
        self.npc = target;
        if is_return {
            self.turn_back();
            self.tell_window();
            return self.slot();
        }
        if self.can_restore == 0 {
            self.fill();
        }
        self.note(None);
        let (d, n) = (self.register(), self.register());
        let number = self.dice.below(1 << 12);
        let sum = self.get(n).wrapping_add(number);
        self.record(
            2 << 30 | (d as u32) << 25 | 0x3d << 19 | (n as u32) << 14 | 1 << 13 | number as u32,
            None,
            Flags::default(),
        );
        self.turn_back();
        self.put(d, sum);
        self.tell_window();
        self.tell(d);
        self.goes_on();
    }

    fn turn_back(&mut self) {
        self.current = (self.current + self.windows - 1) % self.windows;
        (self.can_save, self.can_restore) = (self.can_save + 1, self.can_restore - 1);
        self.depth -= 1;
    }

    /// Makes a system call, which the kernel handles unseen; or all windows are stored, and return
    /// changed.
    fn ask_kernel(&mut self) {
        self.note(None);
        if self.dice.one_in(2) && self.kernel == Kernel::Unseen {
            self.record(0x8158_0000, None, Flags::default()); // FLUSHW
            while self.can_restore > 0 {
                self.spill();
            }
            self.goes_on();
            // A debugger or another thread may change stored windows.
            let at = self.cells[self.current][14].wrapping_add(BIAS);
            let value = self.dice.number();
            self.store(at, 8, value);
            return;
        }
        self.record(
            0x91d0_206d,
            Some(self.npc),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        let [result, second] = [(); 2].map(|()| self.dice.number());
        self.put(8, result);
        self.put(9, second);
        let address = self.get(14).wrapping_add(BIAS + 176);
        self.store(address, 8, second);
        for number in [8, 9] {
            self.tell(number);
        }
        self.goes_on();
    }
}
