//! Small SPARC programs without values: values implied by their steps are known in the right frame,
//! and no others.

use stepback_index::answer::{RegisterState, ThreadId};
use stepback_index::query::RegistersAt;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::Position;

use super::sparc::index_of;
use crate::support::rst_writer::{Flags, Kind, RstWriter};

const NOP: u32 = 0x0100_0000;
/// `save %sp, -208, %sp`
const SAVE: u32 = 0x9de3_bf30;
/// `jmp %i7 + 8`
const RET: u32 = 0x81c7_e008;
/// `return %i7 + 8`
const RETURN: u32 = 0x81cf_e008;
const SAVED: u32 = 0x8188_0000;
const RESTORED: u32 = 0x8388_0000;
const RETRY: u32 = 0x83f0_0000;
/// `ba,a` four words on.
const BA_ANNULLING: u32 = 0x3080_0004;
/// `bne,a` four words on.
const BNE_ANNULLING: u32 = 0x3280_0004;
const BIAS: u64 = 2047;

const O0: u32 = 8;
const O1: u32 = 9;
const SP: u32 = 14;
const L0: u32 = 16;
const L1: u32 = 17;
const I0: u32 = 24;

const fn mov(number: u32, register: u32) -> u32 {
    2 << 30 | register << 25 | 2 << 19 | 1 << 13 | number
}

const fn add(from: u32, number: u32, to: u32) -> u32 {
    2 << 30 | to << 25 | from << 14 | 1 << 13 | number
}

const fn restore(from: u32, number: u32, to: u32) -> u32 {
    0x3d << 19 | add(from, number, to)
}

/// `ldx [ base + offset ], register` of kind 0x0b, `stx` of kind 0x0e.
const fn access(kind: u32, register: u32, base: u32, offset: u64) -> u32 {
    3 << 30 | register << 25 | kind << 19 | base << 14 | 1 << 13 | offset as u32
}

/// A trace under construction.
struct Program {
    writer: RstWriter,
    pc: u64,
    steps: u64,
}

impl Program {
    fn new(windows: u8) -> Self {
        let mut writer = RstWriter::new(windows);
        writer.state(0x92);
        Self {
            writer,
            pc: 0x1000,
            steps: 0,
        }
    }

    fn put(&mut self, word: u32, ea: Option<u64>, flags: Flags) {
        self.writer.instruction(self.pc, word, ea, flags);
        self.pc += 4;
        self.steps += 1;
    }

    /// Writes the given ones of CANSAVE, CANRESTORE, CLEANWIN and OTHERWIN after the last step.
    fn counts(&mut self, counts: [Option<u64>; 4]) -> &mut Self {
        for (count, number) in counts.into_iter().zip(10..) {
            count
                .into_iter()
                .for_each(|count| self.writer.register(Kind::Privileged, number, count));
        }
        self
    }

    /// Writes consecutive steps.
    fn run(&mut self, words: &[u32]) -> &mut Self {
        words
            .iter()
            .for_each(|word| self.put(*word, None, Flags::default()));
        self
    }

    /// Writes a branch with the instruction in its slot.
    fn turn(&mut self, words: [u32; 2], target: u64) -> &mut Self {
        self.put(
            words[0],
            Some(target),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.put(words[1], None, Flags::default());
        self.pc = target;
        self
    }

    fn call(&mut self, slot: u32, target: u64) -> &mut Self {
        let words = (target.wrapping_sub(self.pc) >> 2) as u32 & 0x3fff_ffff;
        self.turn([1 << 30 | words, slot], target)
    }

    /// Writes the handler of a trap at this instruction, which moves a window between registers and
    /// memory.
    fn window_trap(&mut self, trap_type: u16, word: u32, stack: u64) -> &mut Self {
        let (pc, is_spill) = (self.pc, trap_type < 0xc0);
        self.writer.trap(trap_type, pc);
        let handler = 0x9000 + 0x40 * u64::from(trap_type);
        self.put(
            word,
            Some(handler),
            Flags {
                has_trap: true,
                is_taken: true,
                is_annulled: false,
            },
        );
        self.pc = handler;
        for place in 0..16 {
            let kind = if is_spill { 0x0e } else { 0x0b };
            let offset = BIAS + 8 * place;
            self.put(
                access(kind, L0 + place as u32, SP, offset),
                Some(stack + 8 * place),
                Flags::default(),
            );
        }
        self.run(&[if is_spill { SAVED } else { RESTORED }]);
        self.put(
            RETRY,
            Some(pc),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.pc = pc;
        self
    }

    /// Builds the index with an extra step, because control after the last one is unknown.
    fn index(&self) -> Index {
        let mut writer = self.writer.clone();
        writer.instruction(self.pc, NOP, None, Flags::default());
        index_of("program", writer.into_bytes())
    }
}

/// Checks registers after the last step: `?` for unknown.
#[track_caller]
fn check(program: &Program, expected: &str) {
    let index = program.index();
    let question = RegistersAt {
        position: Position(program.steps),
        thread: Some(ThreadId(0)),
    };
    let states = question.run(&index, &Cancel::default()).unwrap().registers;
    let names = expected
        .split(' ')
        .map(|word| word.split('=').next().unwrap());
    let stated = |name: &str| {
        let state = states.iter().find(|state| state.name == name);
        let value = state.and_then(|state| state.value.to_u64());
        format!(
            "{name}={}",
            value.map_or_else(|| "?".to_owned(), |value| format!("{value:x}"))
        )
    };
    assert_eq!(names.map(stated).collect::<Vec<_>>().join(" "), expected);
}

fn state(program: &Program, position: u64, name: &str) -> RegisterState {
    let question = RegistersAt {
        position: Position(position),
        thread: Some(ThreadId(0)),
    };
    let states = question
        .run(&program.index(), &Cancel::default())
        .unwrap()
        .registers;
    states.into_iter().find(|state| state.name == name).unwrap()
}

#[test]
fn what_is_in_a_slot_comes_before_where_control_goes() {
    let mut program = Program::new(8);
    program.run(&[mov(3, O0)]).call(mov(5, O0), 0x2000);
    check(&program, "o0=5 o7=1004");
    program.run(&[SAVE, add(I0, 1, L0)]);
    check(&program, "i0=5 l0=6 i7=1004 o0=?");
    let found = state(&program, program.steps, "i0");
    assert_eq!(found.written_at, Some(Position(3)), "{found:?}");
}

#[test]
fn what_a_branch_skips_changes_nothing() {
    let annulled = Flags {
        is_annulled: true,
        ..Flags::default()
    };
    let taken = Flags {
        is_taken: true,
        ..Flags::default()
    };
    // `ba,a`: always skips its slot, shown or not.
    for is_shown in [true, false] {
        let mut program = Program::new(8);
        program.run(&[mov(3, L0)]);
        program.put(BA_ANNULLING, Some(0x1014), taken);
        if is_shown {
            program.put(mov(9, L0), None, annulled);
        }
        program.pc = 0x1014;
        program.run(&[add(L0, 1, L1)]);
        check(&program, "l0=3 l1=4");
    }
    // `bne,a`: executes its slot if taken, and skips it otherwise.
    for is_taken in [true, false] {
        let mut program = Program::new(8);
        program.run(&[mov(3, L0)]);
        let (target, flags) = if is_taken {
            (0x1014, taken)
        } else {
            (0x100c, Flags::default())
        };
        program.put(BNE_ANNULLING, Some(target), flags);
        program.put(
            mov(9, L0),
            None,
            if is_taken { Flags::default() } else { annulled },
        );
        program.pc = target;
        program.run(&[add(L0, 1, L1)]);
        check(&program, if is_taken { "l0=9 l1=a" } else { "l0=3 l1=4" });
    }
}

#[test]
fn arguments_go_in_by_outs_and_come_back_by_ins() {
    for is_return in [false, true] {
        let mut program = Program::new(8);
        program
            .run(&[mov(7, L0), mov(4, O0)])
            .call(mov(6, O1), 0x2000);
        program.run(&[SAVE, mov(1, L0), add(I0, 1, I0)]);
        check(&program, "i0=5 i1=6 l0=1");
        if is_return {
            // The slot of `return` belongs to the caller.
            program.turn([RETURN, add(O0, 2, O1)], 0x1010);
            check(&program, "o0=5 o1=7 l0=7");
        } else {
            program.turn([RET, restore(I0, 2, O0)], 0x1010);
            check(&program, "o0=7 o1=6 l0=7");
        }
    }
}

#[test]
fn frames_keep_their_registers_while_others_are_called() {
    for windows in [4, 8] {
        let deep = u32::from(windows) - 1;
        let mut program = Program::new(windows);
        for depth in 0..deep {
            program.run(&[mov(depth, L0), SAVE]);
        }
        for depth in (0..deep).rev() {
            program.run(&[restore(0, 0, 0)]);
            // There are as many windows for the innermost frame and its callers as the processor
            // has, minus one.
            check(
                &program,
                &if depth > 0 {
                    format!("l0={depth:x}")
                } else {
                    "l0=?".to_owned()
                },
            );
        }
    }
}

#[test]
fn windows_that_handlers_store_and_load_are_followed_through_memory() {
    const STACK: u64 = 0x40_0000_0000;
    let mut program = Program::new(4);
    program.run(&[mov(0x123, L0), add(L0, 4, I0)]);
    // After two more frames no window is left, so the first is stored.
    program.run(&[SAVE, mov(1, L0), SAVE, mov(2, L0)]);
    program
        .window_trap(0x84, SAVE, STACK)
        .run(&[SAVE, mov(3, L0)]);
    check(&program, "l0=3");
    program.run(&[restore(0, 0, 0)]);
    check(&program, "l0=2");
    program.run(&[restore(0, 0, 0)]);
    check(&program, "l0=1");
    program
        .window_trap(0xc4, restore(0, 0, 0), STACK)
        .run(&[restore(0, 0, 0)]);
    check(&program, "l0=123 i0=127");
    // A store by anyone else in the meantime would be visible.
    let mut program = Program::new(4);
    program.run(&[mov(0x123, L0), SAVE, mov(1, L0), SAVE, mov(2, L0)]);
    program.window_trap(0x84, SAVE, STACK).run(&[
        SAVE,
        restore(0, 0, 0),
        restore(0, 0, 0),
        mov(9, L1),
    ]);
    program.put(access(0x0e, L1, O1, 0), Some(STACK), Flags::default());
    program
        .window_trap(0xc4, restore(0, 0, 0), STACK)
        .run(&[restore(0, 0, 0)]);
    check(&program, "l0=9");
}

/// Checks `cansave canrestore cleanwin otherwin` after the last step.
#[track_caller]
fn check_counts(program: &Program, expected: &str) {
    let names = ["cansave", "canrestore", "cleanwin", "otherwin"];
    let expected: Vec<_> = names
        .iter()
        .zip(expected.split(' '))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    check(program, &expected.join(" "));
}

/// The SPARC Architecture Manual, Version 9, A.47 "SAVED and RESTORED", and A.46 "SAVE and
/// RESTORE".
#[test]
fn windows_that_no_record_counts_are_counted_by_what_instructions_do() {
    let begun = |counts: [u64; 4]| {
        let mut program = Program::new(8);
        program.run(&[NOP]).counts(counts.map(Some));
        program
    };
    // With OTHERWIN 0, the spilled window was one of CANRESTORE.
    let mut program = begun([0, 6, 6, 0]);
    check_counts(program.run(&[SAVED]), "1 5 6 0");
    check_counts(program.run(&[SAVE]), "0 6 6 0");
    check_counts(program.run(&[restore(0, 0, 0)]), "1 5 6 0");
    // Otherwise it was one of OTHERWIN.
    let mut program = begun([0, 3, 6, 3]);
    check_counts(program.run(&[SAVED]), "1 3 6 2");
    check_counts(program.run(&[SAVED, SAVED]), "3 3 6 0");
    check_counts(program.run(&[SAVED]), "4 2 6 0");
    // A filled window is clean too; the number of clean windows depends on their maximum.
    let mut program = begun([6, 0, 6, 0]);
    check_counts(program.run(&[RESTORED]), "5 1 ? 0");
    let mut program = begun([4, 0, 5, 2]);
    check_counts(program.run(&[RESTORED]), "4 1 ? 1");
}

#[test]
fn what_records_count_says_where_a_window_was_taken_from() {
    let none = [None; 4];
    // OTHERWIN was never recorded: CANRESTORE decreases only if it is 0.
    let mut program = Program::new(8);
    program
        .run(&[NOP])
        .counts([Some(0), Some(6), None, None])
        .run(&[SAVED])
        .counts([Some(1), Some(5), None, None]);
    check_counts(&program, "1 5 ? 0");
    let mut program = Program::new(8);
    program
        .run(&[NOP])
        .counts([Some(0), Some(3), None, None])
        .run(&[SAVED])
        .counts([Some(1), Some(3), None, None]);
    check_counts(&program, "1 3 ? ?");
    let mut program = Program::new(8);
    program.run(&[NOP]).counts(none).run(&[SAVED]).counts(none);
    check_counts(&program, "? ? ? ?");
    // Uses counts recorded long before.
    let mut program = Program::new(8);
    program
        .run(&[NOP])
        .counts([Some(0), Some(6), Some(6), Some(0)])
        .run(&[NOP; 2000])
        .run(&[SAVED]);
    check_counts(&program, "1 5 6 0");
}

#[test]
fn a_trap_for_a_window_changes_no_count_by_itself() {
    const STACK: u64 = 0x40_0000_0000;
    let mut program = Program::new(4);
    program
        .run(&[NOP])
        .counts([Some(0), Some(2), Some(3), Some(0)]);
    program.window_trap(0x84, SAVE, STACK);
    check_counts(&program, "1 1 3 0");
    check_counts(program.run(&[SAVE]), "0 2 3 0");
}
