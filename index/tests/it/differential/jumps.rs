//! Calls of random programs that return by jumps, throw and run a coroutine, in logs without
//! opcodes (Tenet). The program counts its calls itself.

use std::fmt::Write as _;

use proptest::prelude::*;
use stepback_index::answer::{CallId, FrameEntry, FrameExit};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::oracle::Oracle;
use stepback_parsers::{Format, Step};

use crate::support::dice::Dice;

/// Top of the program's stack.
const STACK: u64 = 0x40_0000;
/// Number of functions, and the distance of their addresses.
const FUNCTIONS: u64 = 9;
const FUNCTION_BYTES: u64 = 0x1_0000;
/// Maximum number of calls at once on a stack.
const DEPTH: usize = 7;
/// Offsets in a function of instructions that transfer control in one way only, and the distance of
/// those of one kind.
const SITE_BYTES: u64 = 0x100;
const CALLS: u64 = 0x1000;
const LANDING_PAD: u64 = 0x6000;
const THROW: u64 = 0x7000;
const SWITCH: u64 = 0x8000;
const RETURNS: u64 = 0x9000;

/// A machine, by the place in which its calls leave the return address and its register names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    X86,
    A64,
    T32,
}

/// A call that the program made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MadeCall {
    call_step: u64,
    function: u64,
    exit_step: Option<u64>,
    left: FrameExit,
}

/// An activation of a function.
#[derive(Clone, Copy, Debug)]
struct Activation {
    code: u64,
    /// Place in the list of calls; none for the outermost function of a stack.
    call: Option<usize>,
    /// Stack pointer at its start, and in its body.
    entry_sp: u64,
    body_sp: u64,
    return_address: u64,
}

struct RandomProgram {
    dice: Dice,
    machine: Machine,
    text: String,
    /// Effects of the current step.
    effects: String,
    step: u64,
    pc: u64,
    calls: Vec<MadeCall>,
    /// The program's activations and those of its coroutine, innermost last.
    stacks: [Vec<Activation>; 2],
    in_use: usize,
    /// Depth from which the coroutine was resumed.
    resumed_at: usize,
}

impl RandomProgram {
    fn new(machine: Machine, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let coroutine = dice.pick(&[0x20_0000, 0x3e_0000, 0x44_0000]).unwrap();
        let outermost = |code, sp| Activation {
            code,
            call: None,
            entry_sp: sp,
            body_sp: sp,
            return_address: 0,
        };
        let mut program = Self {
            dice,
            machine,
            text: String::new(),
            effects: String::new(),
            step: 0,
            pc: 0,
            calls: Vec::new(),
            stacks: [
                vec![outermost(0x8_0000, STACK)],
                vec![outermost(0x9_0000, coroutine)],
            ],
            in_use: 0,
            resumed_at: 0,
        };
        let link = if machine == Machine::X86 {
            ""
        } else {
            program.link()
        };
        if !link.is_empty() {
            program.set(link, 0);
        }
        program.set_sp(STACK);
        program.arrive(0x8_0000);
        program
    }

    fn link(&self) -> &'static str {
        match self.machine {
            Machine::X86 => unreachable!("x86 has no link register"),
            Machine::A64 => "x30",
            Machine::T32 => "lr",
        }
    }

    fn set(&mut self, register: &str, value: u64) {
        _ = write!(self.effects, "{register}={value:#x},");
    }

    fn set_sp(&mut self, value: u64) {
        self.set(
            if self.machine == Machine::X86 {
                "rsp"
            } else {
                "sp"
            },
            value,
        );
    }

    /// Adds an access of the return address on the stack.
    fn access(&mut self, kind: &str, address: u64, value: u64) -> String {
        let bytes = value.to_le_bytes();
        let digits = bytes
            .iter()
            .fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"));
        format!(",{kind}={address:#x}:{digits}")
    }

    /// Ends the line with the address of the next instruction.
    fn arrive(&mut self, pc: u64) {
        self.arrive_after(pc, "");
    }

    fn arrive_after(&mut self, pc: u64, accesses: &str) {
        let name = if self.machine == Machine::X86 {
            "rip"
        } else {
            "pc"
        };
        _ = writeln!(self.text, "{}{name}={pc:#x}{accesses}", self.effects);
        self.effects.clear();
        self.pc = pc;
    }

    /// Executes the current instruction, which goes to an address.
    fn go(&mut self, pc: u64) {
        self.go_after(pc, "");
    }

    fn go_after(&mut self, pc: u64, accesses: &str) {
        self.step += 1;
        self.arrive_after(pc, accesses);
    }

    fn next(&mut self) {
        self.go(self.pc + 4);
    }

    /// Goes to an instruction of the running function that transfers control in one way only.
    fn go_to_site(&mut self, offset: u64) {
        let code = self.running().code;
        self.go(code + offset);
    }

    fn running(&self) -> Activation {
        *self.stacks[self.in_use].last().unwrap()
    }

    fn run(&mut self, actions: u64) {
        for _ in 0..actions {
            let can_leave = self.stacks[self.in_use].len() > self.kept();
            let is_resumable = self.stacks[0].len() == self.resumed_at || self.stacks[1].len() == 1;
            match self.dice.below(16) {
                0..2 => self.jump(),
                4..9 if self.stacks[self.in_use].len() < DEPTH => self.call(),
                9..12 if can_leave => self.leave(),
                12 => self.throw(),
                13..15 if self.in_use == 1 => self.switch(),
                13..15 if is_resumable => {
                    self.resumed_at = self.stacks[0].len();
                    self.switch();
                }
                // The instructions of a site are not reached from others.
                _ if self.pc % SITE_BYTES < SITE_BYTES / 2 => self.next(),
                _ => self.jump(),
            }
        }
        self.next();
    }

    /// Jumps inside the function, maybe after the stack pointer was lower for some time.
    fn jump(&mut self) {
        let running = self.running();
        self.go(running.code + 0x10);
        if self.dice.one_in(2) {
            self.set_sp(running.body_sp - 0x40);
            self.next();
            self.go(running.code + 0x40);
            self.set_sp(running.body_sp);
            self.next();
        }
        self.go(running.code + 0x60);
    }

    fn call(&mut self) {
        let number = self.dice.below(6);
        self.go_to_site(CALLS + SITE_BYTES * number);
        let (return_address, running) = (self.pc + 4, self.running());
        let code = 0x10_0000 + FUNCTION_BYTES * self.dice.below(FUNCTIONS);
        self.calls.push(MadeCall {
            call_step: self.step,
            function: code,
            exit_step: None,
            left: FrameExit::Open,
        });
        let entry_sp = if self.machine == Machine::X86 {
            let slot = running.body_sp - 8;
            self.set_sp(slot);
            let write = self.access("mw", slot, return_address);
            self.go_after(code, &write);
            slot
        } else {
            let marked = return_address | u64::from(self.machine == Machine::T32);
            self.set(self.link(), marked);
            self.go(code);
            running.body_sp
        };
        let body_sp = entry_sp - self.dice.pick(&[0x10, 0x20, 0x40, 0x2000]).unwrap();
        self.set_sp(body_sp);
        self.next();
        self.stacks[self.in_use].push(Activation {
            code,
            call: Some(self.calls.len() - 1),
            entry_sp,
            body_sp,
            return_address,
        });
    }

    /// Records the end of the innermost call by the current step.
    fn end_call(&mut self, left: FrameExit) {
        let ended = self.stacks[self.in_use].pop().unwrap();
        let call = &mut self.calls[ended.call.unwrap()];
        (call.exit_step, call.left) = (Some(self.step), left);
    }

    /// Returns from the innermost call: by a return, by a jump after the stack pointer was raised,
    /// or by a jump that raises it.
    fn leave(&mut self) {
        let Activation {
            entry_sp,
            return_address,
            ..
        } = self.running();
        let kind = self.dice.below(3);
        self.go_to_site(RETURNS + SITE_BYTES * kind);
        if self.machine == Machine::X86 {
            let read = self.access("mr", entry_sp, return_address);
            if kind == 0 {
                self.set_sp(entry_sp);
                self.next();
                self.set_sp(entry_sp + 8);
                self.end_call(FrameExit::Return);
                self.go_after(return_address, &read);
                return;
            }
            self.set("rcx", return_address);
            if kind == 1 {
                self.set_sp(entry_sp + 8);
                self.go_after(self.pc + 4, &read);
            } else {
                self.go_after(self.pc + 4, &read);
                self.set_sp(entry_sp + 8);
            }
        } else {
            self.set_sp(entry_sp);
            if kind == 0 {
                let marked = return_address | u64::from(self.machine == Machine::T32);
                self.set(self.link(), marked);
            } else {
                // The register holds another address, or one with a signature.
                self.set(self.link(), 0x70_0001);
            }
            if kind < 2 {
                self.next();
            }
        }
        self.end_call(FrameExit::Return);
        self.go(return_address);
    }

    /// Returns the number of activations that stay: while calls of the coroutine wait, what resumed
    /// it is not left.
    fn kept(&self) -> usize {
        if self.in_use == 0 && self.stacks[1].len() > 1 {
            self.resumed_at
        } else {
            1
        }
    }

    /// Throws an exception that a function further out catches. Without a return address on the
    /// stack, the function that throws is one that was called for it.
    fn throw(&mut self) {
        let called = if self.machine == Machine::X86 { 1 } else { 2 };
        let first = self.kept() - 1;
        let catchers = self.stacks[self.in_use]
            .len()
            .saturating_sub(first + called) as u64;
        if catchers == 0 {
            return;
        }
        let catcher = first + self.dice.below(catchers) as usize;
        let kind = self.dice.below(2);
        self.go_to_site(THROW + SITE_BYTES * kind);
        let Activation { code, body_sp, .. } = self.stacks[self.in_use][catcher];
        self.set_sp(body_sp);
        if kind == 0 {
            self.next();
        }
        while self.stacks[self.in_use].len() > catcher + 1 {
            self.end_call(FrameExit::Longjmp);
        }
        self.go(code + LANDING_PAD);
    }

    /// Switches between the program and its coroutine.
    fn switch(&mut self) {
        let kind = self.dice.below(2);
        self.go_to_site(SWITCH + SITE_BYTES * kind);
        self.in_use = 1 - self.in_use;
        self.set_sp(self.running().body_sp);
        if kind == 0 {
            self.next();
        }
        self.go_to_site(0x20);
    }
}

fn check(machine: Machine, actions: u64, seed: u64) {
    let mut program = RandomProgram::new(machine, seed);
    program.run(actions);
    let RandomProgram { text, calls, .. } = program;
    let source = Format::Tenet
        .open_text(Box::new(text.clone().into_bytes()), Default::default())
        .unwrap();
    let oracle = Oracle::of(source.as_ref()).unwrap().calls().calls;
    for segment_bytes in [1, 200, 1 << 20] {
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        let index = index_in_memory(source.clone(), &options).unwrap();
        let found = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let found: Vec<_> = found.collect();
        let name = format!("{machine:?}, seed {seed}, segments of {segment_bytes}:\n{text}");
        assert_eq!(found, oracle, "{name}");
        let found = found.iter().filter(|call| call.entered == FrameEntry::Call);
        let found = found.map(|call| MadeCall {
            call_step: call.call_step.unwrap().0,
            function: call.function.0,
            exit_step: call.exit_step.map(|Step(step)| step),
            left: call.left,
        });
        assert_eq!(found.collect::<Vec<_>>(), calls, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn programs_that_return_throw_and_switch_by_jumps_have_their_calls(
        actions in 0u64..120,
        seed: u64,
    ) {
        for machine in [Machine::X86, Machine::A64, Machine::T32] {
            check(machine, actions, seed);
        }
    }
}
