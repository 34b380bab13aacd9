//! Writes the lines of a trace in either style, into a buffer that is flushed in large pieces.

use std::io;
use std::io::Write;

use crate::Style;
use crate::instruction::{address, encode};
use crate::operation::Operation;
use crate::registers::{CPSR, Q0, SP};

/// Number of bytes collected before they are flushed.
const PIECE: usize = 256 << 10;
const BLANKS: &[u8] = b"                    ";

/// Writes lines.
#[derive(Debug)]
pub struct Lines<W> {
    style: Style,
    out: W,
    buffer: Vec<u8>,
    /// Time of the step, as digits (Fast Models).
    time: Vec<u8>,
    names: Vec<Vec<u8>>,
    handed_on: u64,
    pub count: u64,
}

/// Text of an instruction after its time, except the count of Fast Models.
#[derive(Debug)]
pub struct Rendered {
    executed: Vec<u8>,
    skipped: Vec<u8>,
    pub disassembly: String,
}

impl<W: Write> Lines<W> {
    pub fn new(style: Style, out: W) -> Self {
        let name = |register: usize| match (register, style) {
            (SP, Style::FastModels) => "SP_EL0".to_owned(),
            (SP, Style::Es) => "SP_EL3".to_owned(),
            (CPSR, Style::FastModels) => "cpsr".to_owned(),
            (CPSR, Style::Es) => "CPSR".to_owned(),
            (Q0.., _) => format!("q{}", register - Q0),
            _ => format!("X{register}"),
        };
        let names = (0..crate::registers::COUNT)
            .map(|register| name(register).into_bytes())
            .collect();
        let mut lines = Self {
            style,
            out,
            buffer: Vec::with_capacity(2 * PIECE),
            time: Vec::new(),
            names,
            handed_on: 0,
            count: 0,
        };
        if style == Style::Es {
            lines.buffer.extend_from_slice(b"Tarmac Text Rev 3t\n");
            lines.count = 1;
        }
        lines
    }

    /// Renders an operation at a place.
    pub fn render(style: Style, place: usize, operation: Operation) -> Rendered {
        Self::render_at(style, address(place), encode(place, operation))
    }

    pub fn render_at(
        style: Style,
        pc: u64,
        (opcode, mnemonic, operands): (u32, &str, String),
    ) -> Rendered {
        let disassembly = match operands.is_empty() {
            true => mnemonic.to_owned(),
            false => format!("{mnemonic:<8} {operands}"),
        };
        let [executed, skipped] = match style {
            Style::FastModels => {
                let text =
                    format!(") {pc:08x} {opcode:08x} O EL0t_n : {disassembly}\n").into_bytes();
                [text.clone(), text]
            }
            Style::Es => {
                let text = |flag| {
                    format!(" tic ES  ({pc:016x}:{opcode:08x}) O el3h_s:  {flag:6} {disassembly}\n")
                };
                [text("").into_bytes(), text("CCFAIL").into_bytes()]
            }
        };
        Rendered {
            executed,
            skipped,
            disassembly,
        }
    }

    /// Returns the number of bytes written until now.
    pub fn len(&self) -> u64 {
        self.handed_on + self.buffer.len() as u64
    }

    pub fn time_of(&self, step: u64) -> u64 {
        match self.style {
            Style::FastModels => step + 1,
            Style::Es => step / 3,
        }
    }

    /// Writes a register's value before the first step; ES traces have none.
    pub fn initial(&mut self, register: usize, value: u64) -> bool {
        if self.style == Style::Es {
            return false;
        }
        self.time.clear();
        self.time.push(b'0');
        self.register(register, value);
        true
    }

    /// Writes the instruction line.
    pub fn step(&mut self, step: u64, rendered: &Rendered, is_executed: bool) -> io::Result<()> {
        if self.buffer.len() >= PIECE {
            self.hand_on()?;
        }
        let time = self.time_of(step);
        self.count += 1;
        match self.style {
            Style::FastModels => {
                self.time.clear();
                push_decimal(&mut self.time, time);
                self.buffer.extend_from_slice(&self.time);
                self.buffer.extend_from_slice(if is_executed {
                    b" clk IT ("
                } else {
                    b" clk IS ("
                });
                self.buffer.extend_from_slice(&self.time);
            }
            Style::Es => {
                let before = self.buffer.len();
                self.buffer.extend_from_slice(b"           ");
                push_decimal(&mut self.buffer, time);
                let digits = (self.buffer.len() - before - 11).min(11);
                self.buffer.drain(before..before + digits);
            }
        }
        self.buffer.extend_from_slice(if is_executed {
            &rendered.executed
        } else {
            &rendered.skipped
        });
        Ok(())
    }

    fn begin(&mut self) {
        self.count += 1;
        match self.style {
            Style::FastModels => {
                self.buffer.extend_from_slice(&self.time);
                self.buffer.extend_from_slice(b" clk ");
            }
            Style::Es => self.buffer.extend_from_slice(BLANKS),
        }
    }

    /// Writes `R X0 0000000000000007`.
    pub fn register(&mut self, register: usize, value: u64) {
        self.begin();
        self.buffer.extend_from_slice(b"R ");
        self.buffer.extend_from_slice(&self.names[register]);
        self.buffer.push(b' ');
        let case = if self.style == Style::FastModels {
            UPPER
        } else {
            LOWER
        };
        match register {
            CPSR => push_hex(&mut self.buffer, value, 8, LOWER),
            Q0.. => {
                push_hex(&mut self.buffer, 0, 16, case);
                push_hex(&mut self.buffer, value, 16, case);
            }
            _ => push_hex(&mut self.buffer, value, 16, case),
        }
        self.buffer.push(b'\n');
    }

    /// Writes `MW8 0000007fffffe620:007fffffe620 00000000_00000003`, or a diagram of 16 bytes.
    /// `size` is up to 8 bytes, which do not cross a multiple of 16.
    pub fn access(&mut self, is_write: bool, address: u64, (value, size): (u64, u64)) {
        self.begin();
        if self.style == Style::Es {
            let place = (address % 16) as usize;
            let mut row = [None; 16];
            row[place..place + size as usize]
                .copy_from_slice(&value.to_le_bytes().map(Some)[..size as usize]);
            return self.diagram(is_write, address & !15, row);
        }
        self.buffer.extend_from_slice(&[
            b'M',
            if is_write { b'W' } else { b'R' },
            b'0' + size as u8,
            b' ',
        ]);
        push_hex(
            &mut self.buffer,
            address,
            if address >> 32 == 0 { 8 } else { 16 },
            LOWER,
        );
        self.buffer.push(b':');
        push_hex(&mut self.buffer, address, 12, LOWER);
        self.buffer.push(b' ');
        if size == 8 {
            push_hex(&mut self.buffer, value >> 32, 8, LOWER);
            self.buffer.push(b'_');
        }
        push_hex(&mut self.buffer, value, 2 * (size as usize).min(4), LOWER);
        self.buffer.push(b'\n');
    }

    /// Writes two times 8 bytes from a multiple of 16 on: one diagram in ES.
    pub fn pair(&mut self, is_write: bool, address: u64, [first, second]: [u64; 2]) {
        if self.style == Style::FastModels {
            self.access(is_write, address, (first, 8));
            return self.access(is_write, address + 8, (second, 8));
        }
        self.begin();
        let value = u128::from(second) << 64 | u128::from(first);
        self.diagram(is_write, address, value.to_le_bytes().map(Some));
    }

    /// Writes `ST 000000008ffff680 00000000 80000010 ........ ........    S:0008ffff680    nGnRnE
    /// OSH`.
    fn diagram(&mut self, is_write: bool, address: u64, row: [Option<u8>; 16]) {
        self.buffer
            .extend_from_slice(if is_write { b"ST " } else { b"LD " });
        push_hex(&mut self.buffer, address, 16, LOWER);
        for word in row.rchunks(4) {
            self.buffer.push(b' ');
            for byte in word.iter().rev() {
                match byte {
                    Some(byte) => push_hex(&mut self.buffer, u64::from(*byte), 2, LOWER),
                    None => self.buffer.extend_from_slice(b".."),
                }
            }
        }
        self.buffer.extend_from_slice(b"    S:");
        push_hex(&mut self.buffer, address, 11, LOWER);
        self.buffer.extend_from_slice(b"    nGnRnE OSH\n");
    }

    /// Writes `BR (000000008000048c) O`, only in ES.
    pub fn branch(&mut self, target: u64) {
        if self.style == Style::Es {
            self.begin();
            self.buffer.extend_from_slice(b"BR (");
            push_hex(&mut self.buffer, target, 16, LOWER);
            self.buffer.extend_from_slice(b") O\n");
        }
    }

    pub fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.handed_on += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.hand_on()?;
        self.out.flush()
    }
}

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Writes the last digits of a number.
fn push_hex(out: &mut Vec<u8>, value: u64, digits: usize, case: &[u8; 16]) {
    let all: [u8; 16] =
        std::array::from_fn(|place| case[(value >> (60 - 4 * place) & 15) as usize]);
    out.extend_from_slice(&all[16 - digits..]);
}

fn push_decimal(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return out.extend_from_slice(&digits[place..]);
        }
    }
}
