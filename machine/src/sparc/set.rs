//! The SPARC V9 instruction set.

use std::iter::StepBy;
use std::ops::Range;

use capstone::Capstone;

use crate::abi::{Abi, RegisterBit};
use crate::address::Address;
use crate::architecture::Architecture;
use crate::bytes::Encoding;
use crate::control::ControlFlowEffect;
use crate::instruction::Instruction;
use crate::linux::names::SystemCallNumbering;
use crate::mode::{ExecutionState, Mode};
use crate::names::{ArchitectureNames, ElfMachine};
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::site::CodeSite;
use crate::sparc::abi::{ABI, LINK, numbers_of_trap, stack_end};
use crate::sparc::control::control;
use crate::sparc::meaning::whole::describe;
use crate::sparc::registers;
use crate::sparc::status::status;
use crate::sparc::text::whole::text_of;
use crate::sparc::text_flow::text_flow;
use crate::sparc::traps::trap_name;
use crate::sparc::word::SparcWord;
use crate::sparc::words::operand_word;
use crate::status::StatusRegister;
use crate::text_flow::{OperandWordKind, TextFlow};
use crate::view::{RegisterId, RegisterView};
use crate::window::{COMPUTED, WindowChange, banks, general};

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

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::encoded_number(register)
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
        Mode::of_window_status(status).map(|mode| ExecutionState {
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
