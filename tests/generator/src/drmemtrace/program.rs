//! Execution of the samples' small program.

use super::writer::{TraceWriter, kind, marker};

/// Start address of the program.
pub(super) const CODE: u64 = 0x0040_1000;
/// Offset of the called function from the start.
const FUNCTION: u64 = 0x100;
const STACK: u64 = 0x7fff_f000;
const DATA: u64 = 0x0060_0000;

impl TraceWriter {
    /// Runs the program this many times: a loop of three rounds, a call, a store, a system call,
    /// and a jump back.
    pub fn run(&mut self, rounds: u64) {
        for round in 0..rounds {
            self.run_once(round);
        }
    }

    fn run_once(&mut self, round: u64) {
        let architecture = self.recipe().architecture;
        let (code, word) = (architecture.code(), architecture.word_bytes());
        let stack = STACK - 16 * u64::from(word);
        let mut pc = self.go(CODE, code.push);
        self.write(stack, word);
        pc = self.go(pc, code.frame);
        let top = self.go(pc, code.set);
        for left in (0..3).rev() {
            pc = self.go(top, code.count);
            let branch = if left > 0 {
                kind::TAKEN_JUMP
            } else {
                kind::UNTAKEN_JUMP
            };
            pc = self.jump(branch, pc, code.again, None);
        }
        let caller = self.jump(kind::CALL, pc, code.call, None);
        if architecture.is_x86() {
            self.write(stack - u64::from(word), word);
        }
        pc = self.go(CODE + FUNCTION, code.load);
        self.read(DATA + 8 * (round % 100), word);
        self.jump(kind::RETURN, pc, code.leave, Some(caller));
        if architecture.is_x86() {
            self.read(stack - u64::from(word), word);
        }
        pc = self.fill(caller, code.fill);
        pc = self.go(pc, code.store);
        self.write(DATA + 0x1000 + 8 * (round % 100), word);
        pc = self.go(pc, code.system);
        self.system_call();
        self.jump(kind::JUMP, pc, code.back, None);
    }

    fn go(&mut self, pc: u64, bytes: &[u8]) -> u64 {
        self.jump(kind::INSTRUCTION, pc, bytes, None)
    }

    /// Writes a branch and returns the address of the next instruction.
    fn jump(&mut self, branch: u16, pc: u64, bytes: &[u8], target: Option<u64>) -> u64 {
        self.branch(branch, pc, bytes, target);
        pc + bytes.len() as u64
    }

    /// Writes three rounds of a repeated instruction.
    fn fill(&mut self, pc: u64, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return pc;
        }
        let next = self.go(pc, bytes);
        self.write(DATA + 0x2000, 1);
        for offset in 1..3 {
            self.round(pc, bytes.len() as u16);
            self.write(DATA + 0x2000 + offset, 1);
        }
        next
    }

    fn system_call(&mut self) {
        let time = self.last_time();
        let version = self.recipe().version;
        if version >= 6 {
            self.time(time + 5, 1);
        }
        if version >= 2 {
            self.marker(marker::SYSTEM_CALL, 1);
            self.marker(marker::MAYBE_BLOCKING, 0);
        }
        self.time(time + 10, 1);
    }
}
