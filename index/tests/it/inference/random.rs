//! A machine that executes random A64 instructions, and a trace of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use stepback_generator::Dice;

/// A few registers, so that they are reused; `x30` holds return addresses, 31 is the stack pointer
/// or zero.
const REGISTERS: [usize; 8] = [0, 1, 2, 3, 19, 29, 30, 31];

/// A machine with one or two CPUs. The second only stores.
pub struct Machine {
    dice: Dice,
    /// The last one is the stack pointer.
    registers: [u64; 32],
    memory: HashMap<u64, u8>,
    /// Recently used addresses.
    touched: Vec<u64>,
    /// True if there is a second CPU; without it more can be inferred.
    has_other: bool,
    pc: u64,
    time: u64,
    text: String,
    /// Trace lines of the step besides its instruction.
    effects: String,
}

impl Machine {
    /// Returns a trace of this number of steps.
    pub fn trace(seed: u64, steps: u64) -> String {
        let mut dice = Dice(seed);
        let mut registers = [0; 32];
        registers
            .iter_mut()
            .for_each(|register| *register = 0x10_0000 + dice.below(1 << 20) * 8);
        let mut machine = Self {
            dice,
            registers,
            memory: HashMap::new(),
            touched: vec![0x2000],
            has_other: seed % 2 == 1,
            pc: 0x8000,
            time: 0,
            text: String::new(),
            effects: String::new(),
        };
        (0..steps).for_each(|_| machine.step());
        machine.text
    }

    fn step(&mut self) {
        self.time += 1;
        let (pc, time) = (self.pc, self.time);
        self.pc += 4;
        let opcode = self.instruction(pc);
        let effects = std::mem::take(&mut self.effects);
        writeln!(
            self.text,
            "{time} clk cpu0 IT ({time}) {pc:08x} {opcode:08x} O EL0t_n : -"
        )
        .unwrap();
        self.text.push_str(&effects);
        if self.has_other && self.dice.one_in(40) {
            self.store_of_other();
        }
    }

    /// Another CPU writes where this one accessed memory.
    fn store_of_other(&mut self) {
        let address = self.dice.pick(&self.touched).unwrap();
        let value = self.dice.number();
        self.put(address, 8, value);
        let time = self.time;
        writeln!(
            self.text,
            "{time} clk cpu1 IT ({time}) 00009000 f9000020 O EL0t_n : -"
        )
        .unwrap();
        writeln!(self.text, "{time} clk cpu1 MW8 {address:016x} {value:016x}").unwrap();
    }

    fn register(&mut self) -> usize {
        self.dice.pick(&REGISTERS).unwrap()
    }

    /// Reads a register, with 31 as zero.
    fn plain(&self, number: usize) -> u64 {
        if number == 31 {
            0
        } else {
            self.registers[number]
        }
    }

    /// Writes a register, with 31 as zero.
    fn set(&mut self, number: usize, value: u64) {
        if number != 31 {
            self.set_or_stack(number, value);
        }
    }

    /// Writes a register, with 31 as the stack pointer.
    fn set_or_stack(&mut self, number: usize, value: u64) {
        self.registers[number] = value;
        let name = if number == 31 {
            "SP_EL0".to_owned()
        } else {
            format!("X{number}")
        };
        writeln!(self.effects, "{} clk cpu0 R {name} {value:016x}", self.time).unwrap();
    }

    fn put(&mut self, address: u64, size: u64, value: u64) {
        for place in 0..size {
            self.memory.insert(
                without_tag(address.wrapping_add(place)),
                (value >> (8 * place)) as u8,
            );
        }
    }

    fn load(&mut self, address: u64, size: u64) -> u64 {
        let mut value = 0;
        for place in 0..size {
            let address = without_tag(address.wrapping_add(place));
            // Memory mostly holds numbers that are addresses.
            let fresh = (0x10_0000 + (address & 0xf8) * 64) >> (8 * (address & 7));
            value |= u64::from(*self.memory.entry(address).or_insert(fresh as u8)) << (8 * place);
        }
        self.show("MR", address, size, value);
        value
    }

    fn store(&mut self, address: u64, size: u64, value: u64) {
        let value = if size == 8 {
            value
        } else {
            value & ((1 << (8 * size)) - 1)
        };
        self.put(address, size, value);
        self.show("MW", address, size, value);
    }

    fn show(&mut self, word: &str, address: u64, size: u64, value: u64) {
        self.touched.push(address);
        let (time, digits) = (self.time, 2 * usize::try_from(size).unwrap());
        writeln!(
            self.effects,
            "{time} clk cpu0 {word}{size} {address:016x} {value:0digits$x}"
        )
        .unwrap();
    }

    /// Executes an instruction and returns its encoding.
    fn instruction(&mut self, pc: u64) -> u32 {
        let [d, n, m] = [(); 3].map(|()| self.register());
        let fields = |d: usize, n: usize, m: usize| (m << 16 | n << 5 | d) as u32;
        match self.dice.below(20) {
            0 => {
                let number = self.dice.below(1 << 16);
                self.set(d, number << 16);
                0xd2a0_0000 | (number as u32) << 5 | d as u32 // MOVZ
            }
            1 => {
                let number = self.dice.below(1 << 16);
                self.set(d, self.plain(d) & !0xffff | number);
                0xf280_0000 | (number as u32) << 5 | d as u32 // MOVK
            }
            2 | 3 => {
                let number = self.dice.below(64) * 8;
                self.set_or_stack(d, self.registers[n].wrapping_add(number));
                0x9100_0000 | (number as u32) << 10 | fields(d, n, 0) // ADD
            }
            4 => {
                let number = self.dice.below(64) * 8;
                self.set_or_stack(
                    d,
                    u64::from((self.registers[n] as u32).wrapping_sub(number as u32)),
                );
                0x5100_0000 | (number as u32) << 10 | fields(d, n, 0) // SUB w
            }
            5 => {
                let (opcode, value) = match self.dice.below(5) {
                    0 => (0x8b00_0000, self.plain(n).wrapping_add(self.plain(m))),
                    1 => (0xcb00_0000, self.plain(n).wrapping_sub(self.plain(m))),
                    2 => (0xca00_0000, self.plain(n) ^ self.plain(m)),
                    3 => (0x8a00_0000, self.plain(n) & self.plain(m)),
                    _ => (0xaa00_0000, self.plain(n) | self.plain(m)),
                };
                self.set(d, value);
                opcode | fields(d, n, m)
            }
            6 => {
                self.set(d, self.plain(m));
                0xaa00_03e0 | fields(d, 0, m) // MOV
            }
            7 => {
                self.set(d, u64::from(self.plain(m) as u32));
                0x2a00_03e0 | fields(d, 0, m) // MOV w
            }
            8..=12 => self.scaled(d, n),
            13 | 14 => self.pair(n),
            15 => {
                let address = self.registers[n].wrapping_add(self.plain(m) << 3);
                let value = self.load(address, 8);
                self.set(d, value);
                0xf860_7800 | fields(d, n, m) // LDR x, [x, x, lsl #3]
            }
            16 => {
                let index = i64::from(self.plain(m) as i32).cast_unsigned();
                let value = self.load(self.registers[n].wrapping_add(index), 4);
                self.set(d, value);
                0xb860_c800 | fields(d, n, m) // LDR w, [x, w, sxtw]
            }
            17 => {
                self.pc = pc + 8;
                self.set(30, pc + 4);
                0x9400_0002 // BL
            }
            18 if self.registers[30] & 3 == 0 && self.registers[30] < 1 << 32 => {
                self.pc = self.registers[30];
                0xd65f_03c0 // RET
            }
            _ if self.dice.one_in(8) => {
                let (address, value) = (self.dice.pick(&self.touched).unwrap(), self.dice.number());
                self.put(address, 8, value); // the trace does not show what the kernel writes
                self.set(0, value);
                0xd400_0001 // SVC
            }
            _ => 0xd503_201f, // NOP
        }
    }

    /// Executes loads and stores with a scaled offset.
    fn scaled(&mut self, d: usize, n: usize) -> u32 {
        let number = self.dice.below(16);
        let (size, opcode) = self
            .dice
            .pick(&[(1, 0x3900_0000), (4, 0xb900_0000), (8, 0xf900_0000)])
            .unwrap();
        let address = self.registers[n].wrapping_add(number * size);
        let opcode = opcode | (number as u32) << 10 | (n << 5 | d) as u32;
        if self.dice.one_in(2) {
            self.store(address, size, self.plain(d));
            return opcode;
        }
        let value = self.load(address, size);
        if size == 4 && self.dice.one_in(3) {
            self.set(d, i64::from(value as i32).cast_unsigned());
            return opcode | 0x0080_0000; // LDRSW
        }
        self.set(d, value);
        opcode | 0x0040_0000
    }

    /// Executes STP with pre-index, LDP with post-index.
    fn pair(&mut self, n: usize) -> u32 {
        let registers = match n {
            0 | 1 => [2, 3],
            _ => [0, 1],
        };
        let fields = (registers[1] << 10 | n << 5 | registers[0]) as u32;
        let base = self.registers[n];
        if self.dice.one_in(2) {
            let base = base.wrapping_sub(32);
            registers.iter().zip([0, 8]).for_each(|(register, at)| {
                self.store(base.wrapping_add(at), 8, self.registers[*register]);
            });
            self.set_or_stack(n, base);
            return 0xa980_0000 | 0x7c << 15 | fields;
        }
        for (register, at) in registers.iter().zip([0, 8]) {
            let value = self.load(base.wrapping_add(at), 8);
            self.set_or_stack(*register, value);
        }
        self.set_or_stack(n, base.wrapping_add(32));
        0xa8c0_0000 | 4 << 15 | fields
    }
}

/// Returns the address that a processor uses, which ignores the upper byte (DDI 0487, D8.8 "Address
/// tagging").
fn without_tag(address: u64) -> u64 {
    ((address << 8).cast_signed() >> 8).cast_unsigned()
}
