//! SPARC V9 as an [`Architecture`], with instruction text and calling conventions (SPARC Compliance
//! Definition 2.4, chapter 3; Linux, `syscall(2)`; Solaris, `<sys/trap.h>`). A program may run on
//! Linux or Solaris, so the software trap decides about the numbering of system calls.

use std::iter::StepBy;
use std::ops::Range;

use capstone::Capstone;

use crate::abi::{
    Abi, Privilege, RegisterBit, ReturnAddress, SystemCallConvention, SystemCallFailure,
};
use crate::architecture::{Architecture, ArchitectureNames, ElfMachine};
use crate::control::{ControlFlowEffect, InstructionWords, OperandWordKind, TextFlow};
use crate::dwarf_registers::DwarfRegisterRun;
use crate::instruction::{Address, CodeSite, Encoding, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::mode::{ExecutionState, Mode, WindowChange};
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::sparc::control::{control, trap_name};
use crate::sparc::meaning::whole::describe;
use crate::sparc::registers;
use crate::sparc::registers::view;
use crate::sparc::status::status;
use crate::sparc::target;
use crate::sparc::text::branch::text_of;
use crate::sparc::windows;
use crate::sparc::windows::{COMPUTED, banks, general};
use crate::sparc::word::SparcWord;
use crate::status::StatusRegister;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Sparc64`].
pub struct Sparc64;

impl Architecture for Sparc64 {
    const SET: InstructionSet = InstructionSet::Sparc64;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: None,
        word: "sparc64",
        title: "SPARC V9",
        spoken: "SPARC V9",
    };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = ABI;
    /// `EM_SPARCV9`, `EM_SPARC32PLUS` and `EM_SPARC`; 64-bit processors also run 32-bit programs.
    const ELF: &'static [ElfMachine] = &[
        ElfMachine {
            number: 43,
            word_bytes: 8,
        },
        ElfMachine {
            number: 18,
            word_bytes: 4,
        },
        ElfMachine {
            number: 2,
            word_bytes: 4,
        },
    ];
    /// `icc` and `xcc`.
    const FLAG_BITS: u64 = 0xff << 32;
    const ALIGNMENT: u8 = 4;
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] = &registers::DWARF;
    const SLOT_BYTES: u8 = 4;
    const COMPUTED: Range<u16> = COMPUTED;
    const WINDOW_COUNTS: &'static [&'static str] =
        &["cansave", "canrestore", "cleanwin", "otherwin"];
    /// PSTATE.AM (V9, 5.2.1.7).
    const NARROW_ADDRESSES: Option<RegisterBit> = Some(RegisterBit {
        register: "pstate",
        bit: 3,
    });
    /// The current window decides what names denote.
    const STATES: &'static [InstructionSet] = &[InstructionSet::Sparc64];

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name)
    }

    fn shown() -> Vec<String> {
        registers::shown()
    }

    fn other_names() -> Vec<String> {
        registers::other_names()
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        registers::group(group)
    }

    fn target_description(_written: &[&str]) -> Option<TargetDescription> {
        Some(target::of_sparc())
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::encoded_number(register)
    }

    #[inline(always)]
    fn home(mode: Mode, plain: RegisterId) -> RegisterId {
        windows::home(mode, plain)
    }

    fn plain_of(mode: Mode, cell: RegisterId) -> Option<RegisterId> {
        windows::plain_of(mode, cell)
    }

    fn names_of_cell(cell: RegisterId) -> Vec<RegisterId> {
        windows::names_of_cell(cell)
    }

    fn banks(plain: RegisterId) -> StepBy<Range<u16>> {
        banks(plain)
    }

    fn is_own_bank(plain: RegisterId) -> bool {
        banks(plain).next().is_none()
    }

    fn status(bytes: &[Option<u8>]) -> StatusRegister {
        status(bytes)
    }

    #[inline(always)]
    fn state_of(status: u32) -> Option<ExecutionState> {
        windows::of_window_status(status).map(|mode| ExecutionState {
            set: Self::SET,
            mode,
        })
    }

    /// Code is big-endian, regardless of the byte order of data.
    fn encoding_of(opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        if opcode == 0 {
            None
        } else {
            Encoding::new(&opcode.to_be_bytes())
        }
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        word_of(encoding).map_or(0, |word| word.0)
    }

    #[inline(always)]
    fn length_of(_written_bytes: u8) -> u8 {
        4
    }

    fn decode(site: &CodeSite, _disassemblers: &[Capstone]) -> Option<Instruction> {
        let word = word_of(&site.encoding)?;
        Some(Instruction::new(
            &text_of(word, site.pc.0)?,
            describe(word, site.pc.0),
        ))
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        word_of(&site.encoding)
            .map_or_else(ControlFlowEffect::default, |word| control(word, site.pc.0))
    }

    fn numbers_of_trap(encoding: &Encoding) -> Option<SystemCallNumbering> {
        let word = word_of(encoding)?;
        let is_number =
            word.format() == 2 && word.kind() == 0x3a && word.has_number() && word.first() == 0;
        if is_number {
            numbers_of_trap(word.field(0, 8))
        } else {
            None
        }
    }

    fn trap_name(number: u64) -> Option<String> {
        u16::try_from(number)
            .ok()
            .filter(|number| *number < 0x200)
            .map(trap_name)
    }

    /// Spill, fill and clean window traps.
    fn is_window_trap(number: u64) -> bool {
        matches!(number, 0x24 | 0x80..=0xff)
    }

    /// Includes ILLTRAP.
    fn is_undefined(encoding: &Encoding) -> bool {
        let is_some = |word: &SparcWord| {
            (word.format() != 0 || word.branch_kind() != 0) && text_of(*word, 0).is_some()
        };
        word_of(encoding).filter(is_some).is_none()
    }

    /// CASA, CASXA.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        word_of(encoding)
            .is_some_and(|word| word.format() == 3 && matches!(word.kind(), 0x3c | 0x3e))
    }

    /// `%fp` counts because windows are loaded from the address in it, so it holds nothing else,
    /// even in functions that do not need it.
    fn is_stack_pointer(register: RegisterId) -> bool {
        register == RegisterId::SP || register == general(30)
    }

    fn stack_end(pointer: u64) -> u64 {
        stack_end(pointer)
    }
    fn window_step(encoding: &Encoding) -> Option<WindowChange> {
        let word = word_of(encoding).filter(|word| word.format() == 2)?;
        match (word.kind(), word.destination()) {
            (0x3c, _) => Some(WindowChange::Save),
            (0x39 | 0x3d, _) => Some(WindowChange::Restore),
            // FLUSHW, and the trap with which programs request it (Solaris, `<sys/trap.h>`; Linux
            // also has it).
            (0x2b, _) => Some(WindowChange::Flush),
            (0x3a, condition)
                if condition & 15 != 0
                    && word.has_number()
                    && word.first() == 0
                    && word.field(0, 7) == 3 =>
            {
                Some(WindowChange::Flush)
            }
            // WRPR of PSTATE (which selects the globals on older processors), of CWP and of GL.
            (0x32, 6 | 9 | 16) => Some(WindowChange::Choice),
            _ => None,
        }
    }

    /// ADD, SUB; SAVE and RESTORE, which move to the frame below or above.
    #[inline(always)]
    fn computes_stack_from_itself(opcode: u32) -> bool {
        let word = SparcWord(opcode);
        word.format() == 2
            && match word.kind() {
                0x00 | 0x04 => word.destination() == 14 && word.first() == 14,
                kind => matches!(kind, 0x39 | 0x3c | 0x3d),
            }
    }

    #[inline(always)]
    fn is_link(register: RegisterId) -> bool {
        register == LINK
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
        operand_word(mnemonic, word)
    }

    /// Trap table entries have room for 8 instructions (V9, 5.2.8).
    fn is_vector(pc: Address, _encoding: Option<&Encoding>) -> bool {
        pc.0.is_multiple_of(0x20)
    }

    /// The size of the hole in the middle of the address space depends on the processor.
    fn is_canonical(_address: u64, _privilege: Privilege) -> bool {
        true
    }
}

/// Returns an instruction as a word; none for lengths other than 4.
fn word_of(encoding: &Encoding) -> Option<SparcWord> {
    encoding
        .bytes()
        .try_into()
        .ok()
        .map(u32::from_be_bytes)
        .map(SparcWord)
}

/// Link register: `%o7`.
pub const LINK: RegisterId = RegisterId::LR;

/// Conventions of programs with 64-bit registers. On failure the kernel sets the carry, and the
/// result is the error number. Linux sets the carry in `icc` and `xcc`, Solaris only in `icc`.
pub const ABI: Abi = Abi {
    arguments: &["o0", "o1", "o2", "o3", "o4", "o5"],
    result: Some("o0"),
    return_address: ReturnAddress::Register(LINK),
    // The registers of a window, which `save` preserves and a spill handler stores.
    callee_saved: &[
        "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "i0", "i1", "i2", "i3", "i4", "i5", "i6",
        "i7",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Sparc,
        number: Some("g1"),
        failure: SystemCallFailure::Flag {
            register: "ccr",
            bit: 0,
        },
        kept_arguments: &[],
        changed: &[
            "o0", "o1", "o2", "o3", "o4", "o5", "g1", "g2", "g3", "g4", "g5", "ccr",
        ],
    },
};

/// Returns the top of the stack. The stack pointer of a 64-bit program is 2,047 bytes lower, so it
/// is odd (SPARC Compliance Definition 2.4, 3P "Stack bias").
pub const fn stack_end(pointer: u64) -> u64 {
    if pointer & 1 == 1 {
        pointer.wrapping_add(2047)
    } else {
        pointer
    }
}

/// Returns the numbering that a software trap uses (Linux, `arch/sparc/kernel/ttable_64.S`;
/// Solaris, `<sys/trap.h>`).
pub const fn numbers_of_trap(trap: u32) -> Option<SystemCallNumbering> {
    match trap {
        0x10 | 0x6d => Some(SystemCallNumbering::Sparc),
        0x00 | 0x08 | 0x40 => Some(SystemCallNumbering::Solaris),
        _ => None,
    }
}

/// Classifies a word in lower case.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    match word {
        // Operators that select parts of an address.
        "%hi" | "%lo" | "%hh" | "%hm" | "%lm" | "%h44" | "%m44" | "%l44" | "%hix" | "%lox" => {
            OperandWordKind::Keyword
        }
        // Includes condition codes and state registers.
        word if word.starts_with('%') || view(word).is_some() => OperandWordKind::Register,
        _ => OperandWordKind::Other,
    }
}

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    let base = mnemonic.split(',').next().unwrap_or_default();
    Some(match base {
        "call" => TextFlow::Call,
        "ret" | "retl" | "return" | "done" | "retry" => TextFlow::Return,
        "jmp" if matches!(operands.as_str(), "%i7+8" | "%o7+8" | "%i7+0xc" | "%o7+0xc") => {
            TextFlow::Return
        }
        "jmp" => TextFlow::Branch,
        "jmpl" if operands.ends_with(",%g0") => TextFlow::Branch,
        "jmpl" => TextFlow::Call,
        "b" | "ba" | "fb" | "fba" => TextFlow::Branch,
        _ if is_conditional(base) => TextFlow::Conditional,
        _ => return None,
    })
}

fn is_conditional(base: &str) -> bool {
    let rest = |prefix: &str| base.strip_prefix(prefix);
    rest("b").is_some_and(|rest| INTEGER.contains(&rest))
        || rest("fb").is_some_and(|rest| FLOAT.contains(&rest))
        || rest("br").is_some_and(|rest| REGISTER.contains(&rest))
        || rest("cwb")
            .or(rest("cxb"))
            .is_some_and(|rest| INTEGER.contains(&rest))
}

/// Conditions, including the synonyms that assemblers accept.
const INTEGER: [&str; 18] = [
    "ne", "e", "g", "le", "ge", "l", "gu", "leu", "cc", "cs", "pos", "neg", "vc", "vs", "z", "nz",
    "geu", "lu",
];
const FLOAT: [&str; 16] = [
    "u", "g", "ug", "l", "ul", "lg", "ne", "e", "ue", "ge", "uge", "le", "ule", "o", "nz", "z",
];
const REGISTER: [&str; 6] = ["z", "lez", "lz", "nz", "gz", "gez"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_of_a_64_bit_program_lies_next_to_its_pointer() {
        assert_eq!(
            [stack_end(0x40_0080_1621), stack_end(0x4000)],
            [0x40_0080_1e20, 0x4000]
        );
    }
}

#[cfg(test)]
mod text_flow_tests {
    use super::*;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        for text in texts {
            for text in [(*text).to_owned(), text.to_ascii_uppercase()] {
                assert_eq!(text_flow(&text), expected, "{text}");
            }
        }
    }

    #[test]
    fn branches_of_sparc_are_known() {
        check(
            Some(TextFlow::Call),
            &["call 0x1000", "call %g1", "jmpl %l1, %o7"],
        );
        check(
            Some(TextFlow::Return),
            &[
                "ret",
                "retl",
                "return %i7 + 8",
                "jmp %o7 + 8",
                "done",
                "retry",
            ],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "b 0x80",
                "b,a %xcc, 0x80",
                "ba 8",
                "jmp %g1 + 8",
                "jmpl %l1, %g0",
                "fb 8",
            ],
        );
        let conditional = [
            "bl 0x80",
            "bleu,a,pn %icc, 8",
            "brz %o1, 8",
            "brlez,a %o1, 8",
            "fbl,a %fcc1, 8",
            "cwbne %o1, 3, 8",
        ];
        check(Some(TextFlow::Conditional), &conditional);
        check(
            None,
            &[
                "bn 0x80",
                "bmask %o0, %o1, %o2",
                "btst 1, %o0",
                "bshuffle %f0, %f2, %f4",
                "nop",
                "ta 0x6d",
            ],
        );
    }
}
