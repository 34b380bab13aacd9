//! The x86 instruction sets of 64-bit and 32-bit mode as an [`Architecture`], with their calling
//! conventions and linkage stubs (System V ABI, AMD64 and Intel386 supplements, "Procedure Linkage
//! Table"; Linux, `syscall(2)`).

use capstone::Capstone;

use crate::abi::{
    Abi, LinkageStub, Privilege, ReturnAddress, StubSlot, SystemCallConvention, SystemCallFailure,
};
use crate::architecture::{Architecture, ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::control::{ControlFlowEffect, OperandWordKind, TextFlow};
use crate::dwarf_registers::DwarfRegisterRun;
use crate::instruction::{CodeSite, Encoding, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::set::InstructionSet;
use crate::status::StatusRegister;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};
use crate::x86::access::{decoded, describe, direct_branch, length};
use crate::x86::control::{PREFIXES, control, is_undefined, may_raise, text_flow};
use crate::x86::registers;
use crate::x86::registers::{DWARF_32, DWARF_64, FLAG_BITS, SHOWN_32, SHOWN_64, SYSTEM, status};
use crate::x86::target;
use crate::x86::text::{operand_word, text_of};

/// See [`InstructionSet::X86_64`].
pub type X86_64 = X86<8>;

/// See [`InstructionSet::X86_32`].
pub type X86_32 = X86<4>;

/// x86 in the mode with this word size; the two modes differ in little else.
pub struct X86<const WORD_BYTES: u16>;

impl<const WORD_BYTES: u16> X86<WORD_BYTES> {
    const IS_WIDE: bool = WORD_BYTES == 8;
}

impl<const WORD_BYTES: u16> Architecture for X86<WORD_BYTES> {
    const SET: InstructionSet = if Self::IS_WIDE {
        InstructionSet::X86_64
    } else {
        InstructionSet::X86_32
    };
    const NAMES: ArchitectureNames = if Self::IS_WIDE { NAMES_64 } else { NAMES_32 };
    const WORD_BYTES: u16 = WORD_BYTES;
    /// The kernel's documentation advises 64 KiB on x86.
    const LOWEST_MAPPED: u64 = 0x1_0000;
    const ABI: Abi = if Self::IS_WIDE { ABI_64 } else { ABI_32 };
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: if Self::IS_WIDE { 62 } else { 3 },
        word_bytes: WORD_BYTES,
    }];
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] =
        if Self::IS_WIDE { &DWARF_64 } else { &DWARF_32 };
    const FLAG_BITS: u64 = FLAG_BITS;
    const PREFIXES: &'static [&'static str] = PREFIXES;

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name, WORD_BYTES)
    }

    fn shown() -> Vec<String> {
        if Self::IS_WIDE {
            shown(&SHOWN_64, 16)
        } else {
            shown(&SHOWN_32, 8)
        }
    }

    fn other_names() -> Vec<String> {
        other_names(WORD_BYTES)
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        of_group(Self::shown(), group, WORD_BYTES)
    }

    fn target_description(_written: &[&str]) -> Option<TargetDescription> {
        Some(match Self::IS_WIDE {
            true => target::of_64(),
            false => target::of_32(),
        })
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::number_of(register).filter(|number| Self::IS_WIDE || *number < 8)
    }

    fn status(bytes: &[Option<u8>]) -> StatusRegister {
        status(bytes)
    }

    fn decode(site: &CodeSite, _disassemblers: &[Capstone]) -> Option<Instruction> {
        let found = decoded(site, WORD_BYTES)?;
        Some(Instruction::new(
            &text_of(&found),
            describe(found, WORD_BYTES),
        ))
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        control(site, WORD_BYTES)
    }

    fn instruction_length(start: &[u8]) -> Option<usize> {
        length(start, WORD_BYTES)
    }

    fn direct_branch(start: &[u8], pc: u64, target: u64) -> Option<Encoding> {
        direct_branch(start, pc, target)
    }

    fn is_undefined(encoding: &Encoding) -> bool {
        is_undefined(encoding, WORD_BYTES)
    }

    fn may_raise(encoding: &Encoding) -> bool {
        may_raise(encoding, WORD_BYTES)
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
        operand_word(mnemonic, word)
    }

    /// Linear-address masking and upper-address ignore (Intel SDM volume 1, 3.3.7.2; AMD APM volume
    /// 2, 5.10), for user programs in 64-bit mode only.
    fn plain_address(address: u64) -> u64 {
        if Self::IS_WIDE && address >> 63 == 0 {
            address & !(0x3f << 57)
        } else {
            address
        }
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        !Self::IS_WIDE || privilege.reaches(address)
    }

    fn stub_slot(stub: &LinkageStub<'_>) -> Option<StubSlot> {
        if Self::IS_WIDE {
            slot_of_64(stub)
        } else {
            slot_of_32(stub)
        }
    }
}

const NAMES_64: ArchitectureNames = ArchitectureNames {
    choice: Some(ArchitectureChoice {
        name: "x86_64",
        help: "x86, 64 bit",
    }),
    word: "x86_64",
    title: "x86-64",
    spoken: "x86-64",
};

const NAMES_32: ArchitectureNames = ArchitectureNames {
    choice: Some(ArchitectureChoice {
        name: "x86_32",
        help: "x86, 32 bit",
    }),
    word: "x86_32",
    title: "x86-32",
    spoken: "32-bit x86",
};

fn shown(general: &[&str], vectors: u16) -> Vec<String> {
    let vectors = RegisterRun::of("xmm", vectors);
    let fixed = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    fixed(general)
        .into_iter()
        .chain(vectors.names())
        .chain(fixed(&SYSTEM))
        .collect()
}

fn other_names(word_bytes: u16) -> Vec<String> {
    let parts =
        (8..16).flat_map(|number| ["d", "w", "b"].map(|suffix| format!("r{number}{suffix}")));
    let vectors = ["xmm", "ymm", "zmm", "k", "st", "mm"]
        .into_iter()
        .flat_map(|prefix| RegisterRun::of(prefix, 32).names());
    registers::fixed_names(word_bytes)
        .map(str::to_owned)
        .chain(parts)
        .chain(vectors)
        .collect()
}

/// Returns the displayed registers of a group, general registers before vectors.
fn of_group(mut shown: Vec<String>, group: RegisterGroup, word_bytes: u16) -> Vec<String> {
    shown.retain(|name| {
        registers::view(name, word_bytes).is_some_and(|view| registers::group_of(view) == group)
    });
    shown
}

/// Calling conventions of 64-bit mode.
pub const ABI_64: Abi = Abi {
    arguments: &["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
    result: Some("rax"),
    return_address: ReturnAddress::Stack,
    // System V ABI for AMD64, figure 3.4.
    callee_saved: &["rbx", "rbp", "r12", "r13", "r14", "r15"],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::X86_64,
        number: Some("rax"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &["rdi", "rsi", "rdx", "r10", "r8", "r9"],
        changed: &["rax", "rcx", "r11"],
    },
};

/// Calling conventions of 32-bit mode, where arguments are on the stack. `sysenter` loses two
/// registers.
pub const ABI_32: Abi = Abi {
    arguments: &[],
    result: Some("eax"),
    return_address: ReturnAddress::Stack,
    // System V ABI for i386, table 2.3.
    callee_saved: &["ebx", "esi", "edi", "ebp"],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::X86_32,
        number: Some("eax"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["eax", "ecx", "edx"],
    },
};

/// Decodes `jmp *[rip + …]`.
pub fn slot_of_64(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let StubJump {
        operand,
        displacement,
        after,
    } = jump(stub.code)?;
    let address = stub
        .address
        .wrapping_add(after)
        .wrapping_add_signed(displacement.into());
    (operand == 0x25).then_some(StubSlot::Address(address))
}

/// Decodes `jmp *[…]`, or a jump relative to the global offset table, to which ebx points in
/// position-independent code.
pub fn slot_of_32(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let StubJump {
        operand,
        displacement,
        ..
    } = jump(stub.code)?;
    match operand {
        0x25 => Some(StubSlot::Address(displacement.cast_unsigned().into())),
        0xa3 => Some(StubSlot::InTable(displacement.into())),
        _ => None,
    }
}

struct StubJump {
    operand: u8,
    displacement: i32,
    after: u64,
}

/// Decodes `jmp`, optionally after `endbr` and with a prefix, as emitted for control-flow
/// protection.
fn jump(code: &[u8]) -> Option<StubJump> {
    let guarded = code
        .strip_prefix(b"\xf3\x0f\x1e")
        .and_then(|rest| rest.get(1..))
        .unwrap_or(code);
    let jump = guarded.strip_prefix(b"\xf2").unwrap_or(guarded);
    let (operand, rest) = jump.strip_prefix(b"\xff")?.split_first()?;
    let (displacement, rest) = rest.split_first_chunk()?;
    let displacement = i32::from_le_bytes(*displacement);
    Some(StubJump {
        operand: *operand,
        displacement,
        after: (code.len() - rest.len()) as u64,
    })
}
