//! What the rest of the program asks of SPARC.

use std::iter::StepBy;
use std::ops::Range;

use capstone::Capstone;

use crate::abi::Abi;
use crate::architecture::Architecture;
use crate::bytes::Encoding;
use crate::control::Control;
use crate::instruction::Instruction;
use crate::linux::names::Numbers;
use crate::mode::{Mode, State};
use crate::names::{ElfMachine, Names};
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::site::Site;
use crate::sparc::abi::{ABI, LINK, numbers_of_trap};
use crate::sparc::registers;
use crate::sparc::status::status;
use crate::sparc::text::whole::text_of;
use crate::sparc::word::Word;
use crate::status::Status;
use crate::text_flow::{OperandWord, TextFlow};
use crate::view::{RegisterId, RegisterView};
use crate::window::banks;

/// See [`InstructionSet::Sparc64`].
pub struct Sparc64;

impl Architecture for Sparc64 {
    const SET: InstructionSet = InstructionSet::Sparc64;
    const NAMES: Names = Names { choice: None, word: "sparc64", title: "SPARC V9", spoken: "SPARC V9" };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = ABI;
    /// `EM_SPARCV9`, `EM_SPARC32PLUS` and `EM_SPARC`, whose programs a processor of 64 bits runs as well.
    const ELF: &'static [ElfMachine] = &[
        ElfMachine { number: 43, word_bytes: 8 },
        ElfMachine { number: 18, word_bytes: 4 },
        ElfMachine { number: 2, word_bytes: 4 },
    ];
    const ALIGNMENT: u8 = 4;
    /// Which window is in use decides what names mean.
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

    fn status(bytes: &[Option<u8>]) -> Status {
        status(bytes)
    }

    #[inline(always)]
    fn state_of(status: u32) -> Option<State> {
        Mode::of_window_status(status).map(|mode| State { set: Self::SET, mode })
    }

    /// The highest byte comes first, whatever the order of data is.
    fn encoding_of(opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        if opcode == 0 { None } else { Encoding::new(&opcode.to_be_bytes()) }
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        word_of(encoding).map_or(0, |word| word.0)
    }

    #[inline(always)]
    fn length_of(_written_bytes: u8) -> u8 {
        4
    }

    fn decode(site: &Site, _disassemblers: &[Capstone]) -> Option<Instruction> {
        let text = text_of(word_of(&site.encoding)?, site.pc.0)?;
        Some(Instruction::new(&text, None))
    }

    fn control(_site: &Site) -> Control {
        Control::default()
    }

    fn numbers_of_trap(encoding: &Encoding) -> Option<Numbers> {
        let word = word_of(encoding)?;
        let is_number = word.format() == 2 && word.kind() == 0x3a && word.has_number() && word.first() == 0;
        if is_number { numbers_of_trap(word.field(0, 8)) } else { None }
    }

    fn is_undefined(encoding: &Encoding) -> bool {
        word_of(encoding).and_then(|word| text_of(word, 0)).is_none()
    }

    #[inline(always)]
    fn is_link(register: RegisterId) -> bool {
        register == LINK
    }

    fn text_flow(_text: &str) -> Option<TextFlow> {
        None
    }

    fn operand_word(_mnemonic: &str, _word: &str) -> OperandWord {
        OperandWord::Other
    }

    /// Processors leave out a part in the middle, each another.
    fn is_canonical(_address: u64, _privilege: Privilege) -> bool {
        true
    }
}

/// The bytes of an instruction as a word; none for other lengths than 4.
fn word_of(encoding: &Encoding) -> Option<Word> {
    encoding.bytes().try_into().ok().map(u32::from_be_bytes).map(Word)
}
