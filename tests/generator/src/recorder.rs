//! Recording of the machine's actions, with random samples of them.

use crate::arena::{Arena, HEAP, STACK_END};
use crate::truth::{
    CallTruth, Checkpoint, MemoryTruth, RegisterTruth, Revisit, Rewrite, Rewritten, Truth,
};
use crate::{Dice, instruction, registers};

/// Number of pieces of memory in a checkpoint, and their length.
const PIECES: usize = 6;
const PIECE_BYTES: u64 = 48;

/// Records the actions of the machine that tests query.
#[derive(Debug)]
pub struct Recorder {
    every: u64,
    dice: Dice,
    /// The current step.
    step: u64,
    next_checkpoint: u64,
    pub truth: Truth,
    written_at: [Option<u64>; registers::COUNT],
    /// By place in the arena: position after the last write, 0 for none.
    memory_written: Vec<u64>,
    /// By place in the arena: position after the last access of any kind, 0 for none.
    memory_seen: Vec<u64>,
    /// By place in the code: number of visits, and the last one.
    visits: Vec<(u64, u64)>,
    /// Indexes into the list of calls, outermost first.
    stack: Vec<usize>,
}

/// State of the machine at the end of a step.
#[derive(Debug)]
pub struct Moment<'a> {
    pub pc: u64,
    pub line: u64,
    pub time: u64,
    pub text: &'a str,
    pub registers: &'a [u64; registers::COUNT],
}

impl Recorder {
    pub fn new(every: u64, seed: u64) -> Self {
        let mut dice = Dice(seed ^ 0x7275_7468);
        let every = every.max(1);
        Self {
            every,
            step: 0,
            next_checkpoint: 1 + dice.below(2 * every),
            dice,
            truth: Truth::default(),
            written_at: [None; registers::COUNT],
            memory_written: vec![0; Arena::LEN],
            memory_seen: vec![0; Arena::LEN],
            visits: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Records a register that the trace states at its start.
    pub fn initial(&mut self, register: usize) {
        self.written_at[register] = Some(0);
    }

    /// Begins a step. `place` is given if code is not repeated.
    pub fn begin(&mut self, step: u64, place: Option<usize>) {
        self.step = step;
        let Some(place) = place else { return };
        if self.visits.len() <= place {
            self.visits.resize(place + 1, (0, 0));
        }
        let (count, last) = self.visits[place];
        let (number, earlier) = (count + 1, (count > 0).then_some(last));
        self.visits[place] = (number, step);
        if self.dice.one_in(self.every) {
            self.truth.revisits.push(Revisit {
                pc: instruction::address(place),
                earlier,
                later: step,
                number,
            });
        }
    }

    pub fn register(&mut self, register: usize) {
        let earlier = self.written_at[register].replace(self.step + 1);
        // A step that loads twice into a register writes it once.
        if earlier != Some(self.step + 1) && self.dice.one_in(self.every) {
            let earlier = earlier.and_then(|position| position.checked_sub(1));
            let cell = Rewritten::Register(registers::name(register));
            self.truth.rewrites.push(Rewrite {
                cell,
                earlier,
                later: self.step,
            });
        }
    }

    pub fn access(&mut self, is_write: bool, address: u64, size: u64) {
        let sampled = self.dice.one_in(self.every).then(|| self.dice.below(size));
        let Some(place) = Arena::place(address) else {
            // Memory outside the arena is touched only once.
            if let Some(offset) = sampled.filter(|_| is_write) {
                let cell = Rewritten::Byte(address + offset);
                self.truth.rewrites.push(Rewrite {
                    cell,
                    earlier: None,
                    later: self.step,
                });
            }
            return;
        };
        for offset in 0..size {
            let byte = place + offset as usize;
            self.memory_seen[byte] = self.step + 1;
            if !is_write {
                continue;
            }
            let earlier =
                std::mem::replace(&mut self.memory_written[byte], self.step + 1).checked_sub(1);
            if sampled == Some(offset) && earlier != Some(self.step) {
                let cell = Rewritten::Byte(address + offset);
                self.truth.rewrites.push(Rewrite {
                    cell,
                    earlier,
                    later: self.step,
                });
            }
        }
    }

    pub fn call(&mut self, function: u64) {
        let depth = self.stack.len() as u32;
        self.stack.push(self.truth.calls.len());
        self.truth.calls.push(CallTruth {
            call_step: self.step,
            function,
            exit_step: None,
            depth,
        });
    }

    pub fn leave(&mut self) {
        if let Some(call) = self.stack.pop() {
            self.truth.calls[call].exit_step = Some(self.step);
        }
    }

    /// Ends a step. `moment` holds the machine's state, `arena` the memory.
    pub fn end(&mut self, moment: &Moment<'_>, arena: &mut Arena) {
        if self.truth.steps == 0 {
            self.truth.times.0 = moment.time;
        }
        self.truth.times.1 = moment.time;
        self.truth.steps = self.step + 1;
        if self.truth.steps == self.next_checkpoint {
            self.next_checkpoint += 1 + self.dice.below(2 * self.every);
            let checkpoint = self.checkpoint(moment, arena);
            self.truth.checkpoints.push(checkpoint);
        }
    }

    fn checkpoint(&mut self, moment: &Moment<'_>, arena: &mut Arena) -> Checkpoint {
        let register = |(register, value): (usize, &u64)| RegisterTruth {
            name: registers::name(register),
            value: self.written_at[register].map(|_| *value),
            written_at: self.written_at[register],
        };
        let registers = moment.registers.iter().enumerate().map(register).collect();
        let pieces =
            (0..PIECES).map(|number| self.piece_address(number, moment.registers[registers::SP]));
        let pieces: Vec<_> = pieces.collect();
        let stack = self
            .stack
            .iter()
            .map(|call| self.truth.calls[*call].call_step)
            .collect();
        Checkpoint {
            position: self.step + 1,
            pc: moment.pc,
            line: moment.line,
            time: moment.time,
            text: moment.text.to_owned(),
            registers,
            memory: pieces
                .into_iter()
                .map(|address| self.piece(address, arena))
                .collect(),
            stack,
        }
    }

    fn piece_address(&mut self, number: usize, sp: u64) -> u64 {
        match number {
            0 => sp.saturating_sub(16).min(STACK_END - PIECE_BYTES),
            1 => HEAP + self.dice.below(crate::arena::HEAP_BYTES - PIECE_BYTES),
            _ => HEAP + self.dice.below(crate::machine::HOT_BYTES),
        }
    }

    fn piece(&self, address: u64, arena: &mut Arena) -> MemoryTruth {
        let place = Arena::place(address).unwrap_or_default();
        let range = place..place + PIECE_BYTES as usize;
        let before = |position: &u64| position.checked_sub(1);
        MemoryTruth {
            address,
            bytes: (0..PIECE_BYTES)
                .map(|offset| arena.load(address + offset, 1) as u8)
                .collect(),
            seen_at: self.memory_seen[range.clone()]
                .iter()
                .map(|at| (*at != 0).then_some(*at))
                .collect(),
            written_by: self.memory_written[range].iter().map(before).collect(),
        }
    }

    pub fn finish(mut self, lines: u64, bytes: u64) -> Truth {
        (self.truth.lines, self.truth.bytes) = (lines, bytes);
        let visits = self
            .visits
            .iter()
            .enumerate()
            .filter(|(_, (count, _))| *count > 0);
        self.truth.visits = visits
            .map(|(place, (count, _))| (instruction::address(place), *count))
            .collect();
        self.truth
    }
}
