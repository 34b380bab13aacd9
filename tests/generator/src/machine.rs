//! Execution of a program, which writes the trace.

use std::io;
use std::io::Write;

use crate::arena::{Arena, HEAP, HEAP_BYTES, STACK_END};
use crate::code::Code;
use crate::instruction::{CODE, address, encode};
use crate::lines::{Lines, Rendered};
use crate::operation::Operation;
use crate::recorder::{Moment, Recorder};
use crate::registers::{COUNT, CPSR, Q0, SP};
use crate::{Dice, Recipe, Shape, Size, Style, Truth};

/// Number of heap bytes that most accesses use.
pub const HOT_BYTES: u64 = 32 << 10;
/// Minimum distance in bytes of a heap pointer from the end of the heap.
const HEAP_ROOM: u64 = 4 << 10;
/// Start address of memory that is touched once. Multiples of the golden ratio scatter the blocks.
const FRESH: u64 = 0x0100_0000_0000;
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The machine.
#[derive(Debug)]
pub struct Machine {
    style: Style,
    shape: Shape,
    code: Code,
    /// Rendered instructions by place in the code.
    rendered: Vec<Rendered>,
    registers: [u64; COUNT],
    arena: Arena,
    dice: Dice,
    recorder: Option<Recorder>,
    place: usize,
    step: u64,
}

impl Machine {
    pub fn new(recipe: &Recipe, mut dice: Dice, recorder: Option<Recorder>) -> Self {
        let Recipe { shape, style, .. } = *recipe;
        let code = Code::of(shape, &mut dice);
        let operations = code.operations.iter().enumerate();
        let rendered =
            operations.map(|(place, operation)| Lines::<Vec<u8>>::render(style, place, *operation));
        let mut registers = [0; COUNT];
        registers[SP] = STACK_END - 0x100;
        registers[CPSR] = 0x4000_0000 | mode_bits(style);
        registers[27] = CODE;
        registers[28] = HEAP;
        if shape == Shape::Streaming {
            (registers[0], registers[1]) = (2 * FRESH, FRESH);
        }
        Self {
            style,
            shape,
            rendered: rendered.collect(),
            registers,
            arena: Arena::new(&mut dice),
            dice,
            recorder,
            place: code.start,
            step: 0,
            code,
        }
    }

    /// Runs to the end. Returns the truth if there is a recorder.
    pub fn run(mut self, size: Size, out: impl Write) -> io::Result<Option<Truth>> {
        let mut lines = Lines::new(self.style, out);
        for register in 0..COUNT {
            if lines.initial(register, self.registers[register]) {
                self.record(|recorder| recorder.initial(register));
            }
        }
        loop {
            let is_last_but_moves = match size {
                Size::Steps(steps) if self.step >= steps => break,
                Size::Steps(steps) => self.step + 1 == steps,
                Size::Bytes(_) => false,
            };
            let operation = self.step(is_last_but_moves, &mut lines)?;
            // A final call or return would become visible only in the next step, so the trace does
            // not end with one.
            if matches!(size, Size::Bytes(bytes) if lines.len() >= bytes)
                && !is_call_or_return(operation)
            {
                break;
            }
        }
        let (count, len) = (lines.count, lines.len());
        lines.finish()?;
        Ok(self.recorder.map(|recorder| recorder.finish(count, len)))
    }

    fn record(&mut self, what: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            what(recorder);
        }
    }

    fn is_straight(&self) -> bool {
        matches!(self.shape, Shape::Hostile | Shape::Scattered)
    }

    fn step<W: Write>(&mut self, is_last: bool, lines: &mut Lines<W>) -> io::Result<Operation> {
        let place = self.place;
        let mut operation = self.code.operations[place % self.code.operations.len()];
        let mut fresh = None;
        if is_last && is_call_or_return(operation) {
            operation = Operation::Nop;
        }
        if self.is_straight() || operation == Operation::Nop {
            fresh = Some(Lines::<W>::render_at(
                self.style,
                address(place),
                encode(place, operation),
            ));
        }
        let next = self.next(place, operation);
        let is_executed = next != place + 1 || !is_conditional(operation);
        let rendered = fresh.as_ref().unwrap_or_else(|| &self.rendered[place]);
        lines.step(self.step, rendered, is_executed)?;
        let line = lines.count;
        let place_of_visit = Some(place).filter(|_| !self.is_straight());
        let step = self.step;
        self.record(|recorder| recorder.begin(step, place_of_visit));
        self.act(operation, lines);
        if next != place + 1 {
            lines.branch(address(next));
        }
        self.transfer(operation, next);
        self.place = next;
        if let Some(recorder) = &mut self.recorder {
            let rendered = fresh.as_ref().unwrap_or_else(|| &self.rendered[place]);
            let (pc, time) = (address(place), lines.time_of(step));
            let moment = Moment {
                pc,
                line,
                time,
                text: &rendered.disassembly,
                registers: &self.registers,
            };
            recorder.end(&moment, &mut self.arena);
        }
        self.step += 1;
        Ok(operation)
    }

    /// Returns the place that follows an operation.
    fn next(&mut self, place: usize, operation: Operation) -> usize {
        let target = match operation {
            Operation::BranchIf { target, chance } => {
                (self.dice.below(256) < u64::from(chance)).then_some(target)
            }
            Operation::BranchUnlessZero { register, target } => {
                (self.registers[register] != 0).then_some(target)
            }
            Operation::BranchIfZero { register, target } => {
                (self.registers[register] == 0).then_some(target)
            }
            Operation::Branch { target } | Operation::Call { target } => Some(target),
            Operation::CallRegister { register } => {
                Some(((self.registers[register] - CODE) / 4) as usize)
            }
            Operation::Return => Some(((self.registers[30] - CODE) / 4) as usize),
            _ => None,
        };
        target.unwrap_or(place + 1)
    }

    fn transfer(&mut self, operation: Operation, next: usize) {
        match operation {
            Operation::Call { .. } | Operation::CallRegister { .. } => {
                self.record(|recorder| recorder.call(address(next)));
            }
            Operation::Return => self.record(Recorder::leave),
            _ => {}
        }
    }

    fn set<W: Write>(&mut self, lines: &mut Lines<W>, register: usize, value: u64) {
        self.registers[register] = value;
        lines.register(register, value);
        self.record(|recorder| recorder.register(register));
    }

    /// Performs an operation, except its branch.
    fn act<W: Write>(&mut self, operation: Operation, lines: &mut Lines<W>) {
        use Operation as Op;
        match operation {
            Op::Move { to, value } => self.set(lines, to, value),
            Op::Add { to, left, right } => {
                self.set(
                    lines,
                    to,
                    self.registers[left].wrapping_add(self.registers[right]),
                );
            }
            Op::Random { to, end } => {
                let value = self.dice.below(end);
                self.set(lines, to, value);
            }
            Op::Decrement { to } => self.set(lines, to, self.registers[to].wrapping_sub(1)),
            Op::Point { to } => {
                let pointer = self.pointer();
                self.set(lines, to, pointer);
            }
            Op::Compare { left, right } => self.compare(lines, left, right),
            Op::Vector { to } => self.set(
                lines,
                Q0 + to,
                self.registers[Q0 + to].wrapping_mul(5).wrapping_add(1),
            ),
            Op::PickFunction { to } => {
                let place = self.dice.pick(&self.code.table).unwrap_or_default();
                self.set(lines, to, address(place));
            }
            Op::Call { .. } | Op::CallRegister { .. } => {
                self.set(lines, 30, address(self.place + 1))
            }
            _ => self.access(operation, lines),
        }
    }

    fn compare<W: Write>(&mut self, lines: &mut Lines<W>, left: usize, right: usize) {
        let (left, right) = (self.registers[left], self.registers[right]);
        let (difference, is_less) = left.overflowing_sub(right);
        let flags =
            difference >> 63 << 31 | u64::from(difference == 0) << 30 | u64::from(!is_less) << 29;
        self.set(lines, CPSR, flags | mode_bits(self.style));
    }

    fn pointer(&mut self) -> u64 {
        let bytes = if self.dice.one_in(8) {
            HEAP_BYTES - HEAP_ROOM
        } else {
            HOT_BYTES
        };
        HEAP + 64 * self.dice.below(bytes / 64)
    }

    fn access<W: Write>(&mut self, operation: Operation, lines: &mut Lines<W>) {
        use Operation as Op;
        let sp = self.registers[SP];
        match operation {
            Op::Load {
                to,
                base,
                offset,
                size,
            } => self.load(lines, to, (self.registers[base] + offset, size)),
            Op::Store {
                from,
                base,
                offset,
                size,
            } => self.store(lines, from, (self.registers[base] + offset, size)),
            Op::LoadNext { to, base } => {
                let address = self.registers[base];
                self.load(lines, to, (address, 8));
                self.set(lines, base, address + 8);
            }
            Op::StoreNext { from, base } => {
                let address = self.registers[base];
                self.store(lines, from, (address, 8));
                self.set(lines, base, address + 8);
            }
            Op::Enter { frame } => {
                self.store_pair(lines, (29, 30), sp - frame);
                self.set(lines, SP, sp - frame);
            }
            Op::Save {
                first,
                second,
                offset,
            } => self.store_pair(lines, (first, second), sp + offset),
            Op::Restore {
                first,
                second,
                offset,
            } => self.load_pair(lines, (first, second), sp + offset),
            Op::Leave { frame } => {
                self.load_pair(lines, (29, 30), sp);
                self.set(lines, SP, sp + frame);
            }
            _ => self.access_fresh(operation, lines),
        }
    }

    fn load<W: Write>(&mut self, lines: &mut Lines<W>, to: usize, (address, size): (u64, u64)) {
        let value = self.arena.load(address, size);
        lines.access(false, address, (value, size));
        self.record(|recorder| recorder.access(false, address, size));
        self.set(lines, to, value);
    }

    fn store<W: Write>(&mut self, lines: &mut Lines<W>, from: usize, (address, size): (u64, u64)) {
        let value = self.registers[from];
        self.arena.store(address, size, value);
        lines.access(true, address, (value, size));
        self.record(|recorder| recorder.access(true, address, size));
    }

    fn load_pair<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        (first, second): (usize, usize),
        address: u64,
    ) {
        let values = [self.arena.load(address, 8), self.arena.load(address + 8, 8)];
        lines.pair(false, address, values);
        self.record(|recorder| recorder.access(false, address, 16));
        self.set(lines, first, values[0]);
        self.set(lines, second, values[1]);
    }

    fn store_pair<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        (first, second): (usize, usize),
        address: u64,
    ) {
        let values = [self.registers[first], self.registers[second]];
        self.arena.store(address, 8, values[0]);
        self.arena.store(address + 8, 8, values[1]);
        lines.pair(true, address, values);
        self.record(|recorder| recorder.access(true, address, 16));
    }

    /// Accesses memory that is touched only once, so nothing needs to be remembered.
    fn access_fresh<W: Write>(&mut self, operation: Operation, lines: &mut Lines<W>) {
        use Operation as Op;
        match operation {
            Op::LoadFresh { to, is_scattered } => {
                let (address, value) = (self.fresh(is_scattered), self.dice.number());
                lines.access(false, address, (value, 8));
                self.record(|recorder| recorder.access(false, address, 8));
                self.set(lines, to, value);
            }
            Op::StoreFresh { from, is_scattered } => {
                let (address, value) = (self.fresh(is_scattered), self.registers[from]);
                lines.access(true, address, (value, 8));
                self.record(|recorder| recorder.access(true, address, 8));
            }
            Op::StreamLoad {
                first,
                second,
                base,
            } => {
                let (address, values) = (
                    self.registers[base],
                    [self.dice.number(), self.dice.number()],
                );
                lines.pair(false, address, values);
                self.record(|recorder| recorder.access(false, address, 16));
                self.set(lines, first, values[0]);
                self.set(lines, second, values[1]);
                self.set(lines, base, address + 16);
            }
            Op::StreamStore {
                first,
                second,
                base,
            } => {
                let address = self.registers[base];
                lines.pair(
                    true,
                    address,
                    [self.registers[first], self.registers[second]],
                );
                self.record(|recorder| recorder.access(true, address, 16));
                self.set(lines, base, address + 16);
            }
            _ => {}
        }
    }

    /// Returns the block of this step.
    fn fresh(&self, is_scattered: bool) -> u64 {
        // An odd factor permutes the blocks.
        let block = if is_scattered {
            self.step.wrapping_mul(SCATTER) & ((1 << 34) - 1)
        } else {
            self.step
        };
        FRESH + 64 * block
    }
}

/// Returns the flag bits that state the mode in the style's text.
fn mode_bits(style: Style) -> u64 {
    match style {
        Style::FastModels => 0,
        Style::Es => 0x3cd,
    }
}

fn is_conditional(operation: Operation) -> bool {
    use Operation as Op;
    matches!(
        operation,
        Op::BranchIf { .. } | Op::BranchUnlessZero { .. } | Op::BranchIfZero { .. }
    )
}

fn is_call_or_return(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Call { .. } | Operation::CallRegister { .. } | Operation::Return
    )
}
