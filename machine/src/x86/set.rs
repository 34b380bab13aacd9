//! What the rest of the program asks of x86 in its two modes.

use capstone::Capstone;

use crate::abi::Abi;
use crate::architecture::Architecture;
use crate::bytes::Encoding;
use crate::control::Control;
use crate::instruction::Instruction;
use crate::names::{Choice, ElfMachine, Names};
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::register_run::Run;
use crate::set::InstructionSet;
use crate::site::Site;
use crate::status::Status;
use crate::stub::{Stub, StubSlot};
use crate::text_flow::{OperandWord, TextFlow};
use crate::view::{RegisterId, RegisterView};
use crate::x86::abi::{ABI_32, ABI_64};
use crate::x86::access::{decoded, describe};
use crate::x86::control::{control, is_undefined};
use crate::x86::flags::status;
use crate::x86::registers;
use crate::x86::registers::{SHOWN_32, SHOWN_64, SYSTEM};
use crate::x86::stub::{slot_of_32, slot_of_64};
use crate::x86::text::text_of;
use crate::x86::text_flow::{PREFIXES, text_flow};
use crate::x86::words::operand_word;

/// See [`InstructionSet::X86_64`].
pub struct X86_64;

/// See [`InstructionSet::X86_32`].
pub struct X86_32;

impl Architecture for X86_64 {
    const SET: InstructionSet = InstructionSet::X86_64;
    const NAMES: Names = Names {
        choice: Some(Choice { name: "x86_64", help: "x86, 64 bit" }),
        word: "x86_64",
        title: "x86-64",
        spoken: "x86-64",
    };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = ABI_64;
    const ELF: Option<ElfMachine> = Some(ElfMachine { number: 62, word_bytes: 8 });
    const PREFIXES: &'static [&'static str] = PREFIXES;

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name, Self::WORD_BYTES)
    }

    fn shown() -> Vec<String> {
        shown(&SHOWN_64, 16)
    }

    fn other_names() -> Vec<String> {
        other_names(Self::WORD_BYTES)
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        of_group(Self::shown(), group, Self::WORD_BYTES)
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::number_of(register)
    }

    fn status(bytes: &[Option<u8>]) -> Status {
        status(bytes)
    }

    fn decode(site: &Site, _disassemblers: &[Capstone]) -> Option<Instruction> {
        instruction(site, Self::WORD_BYTES)
    }

    fn control(site: &Site) -> Control {
        control(site, Self::WORD_BYTES)
    }

    fn is_undefined(encoding: &Encoding) -> bool {
        is_undefined(encoding, Self::WORD_BYTES)
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWord {
        operand_word(mnemonic, word)
    }

    /// Linear-address masking and upper-address ignore (Intel SDM volume 1, 3.3.7.2; AMD APM volume 2, 5.10), for programs alone.
    fn plain_address(address: u64) -> u64 {
        if address >> 63 == 0 { address & !(0x3f << 57) } else { address }
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        privilege.reaches(address)
    }

    fn stub_slot(stub: &Stub<'_>) -> Option<StubSlot> {
        slot_of_64(stub)
    }
}

impl Architecture for X86_32 {
    const SET: InstructionSet = InstructionSet::X86_32;
    const NAMES: Names = Names {
        choice: Some(Choice { name: "x86_32", help: "x86, 32 bit" }),
        word: "x86_32",
        title: "x86-32",
        spoken: "32-bit x86",
    };
    const WORD_BYTES: u16 = 4;
    const ABI: Abi = ABI_32;
    const ELF: Option<ElfMachine> = Some(ElfMachine { number: 3, word_bytes: 4 });
    const PREFIXES: &'static [&'static str] = PREFIXES;

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name, Self::WORD_BYTES)
    }

    fn shown() -> Vec<String> {
        shown(&SHOWN_32, 8)
    }

    fn other_names() -> Vec<String> {
        other_names(Self::WORD_BYTES)
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        of_group(Self::shown(), group, Self::WORD_BYTES)
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::number_of(register).filter(|number| *number < 8)
    }

    fn status(bytes: &[Option<u8>]) -> Status {
        status(bytes)
    }

    fn decode(site: &Site, _disassemblers: &[Capstone]) -> Option<Instruction> {
        instruction(site, Self::WORD_BYTES)
    }

    fn control(site: &Site) -> Control {
        control(site, Self::WORD_BYTES)
    }

    fn is_undefined(encoding: &Encoding) -> bool {
        is_undefined(encoding, Self::WORD_BYTES)
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWord {
        operand_word(mnemonic, word)
    }

    fn stub_slot(stub: &Stub<'_>) -> Option<StubSlot> {
        slot_of_32(stub)
    }
}

fn instruction(site: &Site, word_bytes: u16) -> Option<Instruction> {
    let found = decoded(site, word_bytes)?;
    Some(Instruction::new(&text_of(&found), describe(found, word_bytes)))
}

fn shown(general: &[&str], vectors: u16) -> Vec<String> {
    let vectors = Run::of("xmm", vectors);
    let fixed = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    fixed(general).into_iter().chain(vectors.names()).chain(fixed(&SYSTEM)).collect()
}

fn other_names(word_bytes: u16) -> Vec<String> {
    let parts = (8..16).flat_map(|number| ["d", "w", "b"].map(|suffix| format!("r{number}{suffix}")));
    let vectors = ["xmm", "ymm", "zmm", "k", "st", "mm"].into_iter().flat_map(|prefix| Run::of(prefix, 32).names());
    registers::fixed_names(word_bytes).map(str::to_owned).chain(parts).chain(vectors).collect()
}

/// The register file, in which the general registers come first, then the vectors.
fn of_group(mut shown: Vec<String>, group: RegisterGroup, word_bytes: u16) -> Vec<String> {
    shown.retain(|name| registers::view(name, word_bytes).is_some_and(|view| registers::group_of(view) == group));
    shown
}
