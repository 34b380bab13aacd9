//! DynamoRIO's synthetic instruction set as an [`Architecture`], with its encodings and virtual
//! registers (DynamoRIO, `core/ir/isa_regdeps/encoding_common.h` and `encoding_common.c`).
//!
//! The header has four bytes, least significant first. Bits 0 to 3 count the registers written,
//! bits 4 to 7 those read. Bit 8 is set if flags are written, bit 9 if they are read. Bits 10 to 31
//! are the categories.
//! If there are registers, a byte with the operation size follows, then the registers written, then
//! those read.
//! Padding fills up to a multiple of four bytes.
//!
//! Each virtual register represents a register of the traced processor with all its parts. The
//! format does not record which one it is or its width.

use capstone::Capstone;

use crate::abi::{Abi, Privilege, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::architecture::{Architecture, ArchitectureNames};
use crate::control::{ControlFlowEffect, OperandWordKind, TextFlow};
use crate::description::MeaningBuilder;
use crate::instruction::{CodeSite, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::meaning::FlagUse;
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Regdeps`].
pub struct Regdeps;

impl Architecture for Regdeps {
    const SET: InstructionSet = InstructionSet::Regdeps;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: None,
        word: "regdeps",
        title: "synthetic",
        spoken: "x86-64",
    };
    const WORD_BYTES: u16 = 8;
    const FLAG_BITS: u64 = FLAG;
    const IS_SYNTHETIC: bool = true;
    const ABI: Abi = Abi {
        arguments: &[],
        result: None,
        return_address: ReturnAddress::Unknown,
        callee_saved: &[],
        system_calls: SystemCallConvention {
            numbers: SystemCallNumbering::X86_64,
            number: None,
            failure: SystemCallFailure::Negative,
            kept_arguments: &[],
            changed: &[],
        },
    };

    fn view(name: &str) -> Option<RegisterView> {
        view(name)
    }

    /// The trace records no register values, so the many virtual registers are in a group but not
    /// in every answer.
    fn shown() -> Vec<String> {
        ["pc", "flags"].map(str::to_owned).to_vec()
    }

    fn other_names() -> Vec<String> {
        names().collect()
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        match group {
            RegisterGroup::Core => Self::shown().into_iter().chain(names()).collect(),
            _ => Vec::new(),
        }
    }

    fn number_of(_register: RegisterId) -> Option<u16> {
        None
    }

    fn decode(site: &CodeSite, _disassemblers: &[Capstone]) -> Option<Instruction> {
        let decoded = SyntheticInstruction::decode(site.encoding.bytes())?;
        Some(Instruction::new(&decoded.text(), Some(decoded.describe())))
    }

    /// Branch kinds and targets come from the records only.
    fn control(_site: &CodeSite) -> ControlFlowEffect {
        ControlFlowEffect::default()
    }

    fn text_flow(_text: &str) -> Option<TextFlow> {
        None
    }

    fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
        if view(word).is_some() {
            OperandWordKind::Register
        } else {
            OperandWordKind::Other
        }
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        privilege.reaches(address)
    }
}

/// Names of the categories by bit (`instr_get_category_name` in `core/ir/instr_shared.c`).
const CATEGORIES: [&str; 10] = [
    "fp", "load", "store", "branch", "simd", "state", "move", "convert", "math", "other",
];
/// Category bit of loads.
const LOAD: u32 = 0x2;
/// Category bit of stores.
const STORE: u32 = 0x4;

const HEADER_BYTES: usize = 4;
const ALIGNMENT: usize = 4;

/// A decoded synthetic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntheticInstruction<'a> {
    categories: u32,
    reads_flags: bool,
    writes_flags: bool,
    /// Code of the operation size; none for an instruction without registers.
    size_code: Option<u8>,
    destinations: &'a [u8],
    sources: &'a [u8],
}

impl<'a> SyntheticInstruction<'a> {
    /// Decodes the bytes of an instruction; none if there are fewer than the header requires. Extra
    /// bytes are accepted: recorders pad to whole records.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let header = u32::from_le_bytes(*header);
        let (written, read) = ((header & 0xf) as usize, (header >> 4 & 0xf) as usize);
        let (size_code, registers) = if written + read == 0 {
            (None, &[][..])
        } else {
            let (size, registers) = rest.split_first()?;
            (Some(*size), registers)
        };
        let (destinations, rest) = registers.split_at_checked(written)?;
        let is_aligned = bytes.len().is_multiple_of(ALIGNMENT);
        Some(Self {
            categories: header >> 10,
            reads_flags: header & 0x200 != 0,
            writes_flags: header & 0x100 != 0,
            size_code,
            destinations,
            sources: rest.get(..read)?,
        })
        .filter(|_| is_aligned)
    }

    /// Formats it as DynamoRIO's `view` tool does: `load store [4byte] %rv0 %rv2 %rv36 -> %rv0`.
    pub fn text(&self) -> String {
        let mut words = self.category_names();
        if let Some(bytes) = self.size_code.and_then(operation_size_bytes) {
            words.push(format!("[{bytes}byte]"));
        }
        words.extend(
            self.sources
                .iter()
                .map(|code| format!("%{}", name_of(*code))),
        );
        if !self.destinations.is_empty() {
            words.push("->".to_owned());
        }
        words.extend(
            self.destinations
                .iter()
                .map(|code| format!("%{}", name_of(*code))),
        );
        words.join(" ")
    }

    fn category_names(&self) -> Vec<String> {
        let is_set = |bit: &usize| self.categories >> bit & 1 != 0;
        let names = CATEGORIES
            .iter()
            .enumerate()
            .filter(|(bit, _)| is_set(bit))
            .map(|(_, name)| (*name).to_owned());
        // Categories of later format versions have no names here.
        let unnamed = (CATEGORIES.len()..22)
            .filter(is_set)
            .map(|bit| format!("category{bit}"));
        let names: Vec<_> = names.chain(unnamed).collect();
        if names.is_empty() {
            vec!["uncategorized".to_owned()]
        } else {
            names
        }
    }

    /// Describes the registers that it uses. Each written register depends on all that are read.
    pub fn describe(&self) -> MeaningBuilder {
        let mut description = MeaningBuilder::default();
        self.sources
            .iter()
            .filter_map(|code| view_of(*code))
            .for_each(|view| description.read(view));
        self.destinations
            .iter()
            .filter_map(|code| view_of(*code))
            .for_each(|view| description.write(view));
        if self.reads_flags {
            description.read(FLAGS);
        }
        if self.writes_flags {
            description.write(FLAGS);
        }
        // One bit represents all flags, so an instruction that writes some of them keeps the
        // others.
        let [read, written] =
            [self.reads_flags, self.writes_flags].map(|is_used| if is_used { FLAG } else { 0 });
        description.meaning.flags = FlagUse {
            read: Some(read),
            written: Some(written),
            kept: written,
        };
        if self.categories & (LOAD | STORE) != 0 {
            description.access_unknown();
        }
        description
    }
}

/// Returns the operation size in bytes for a code (`OPSZ_` in `core/ir/opnd_api.h`), for the sizes
/// that `view` prints.
fn operation_size_bytes(code: u8) -> Option<u16> {
    const REGISTER_LISTS: [u16; 24] = [
        20, 24, 36, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 112, 116,
        120, 124, 128,
    ];
    const FIRST: [u16; 12] = [1, 2, 4, 6, 8, 10, 16, 14, 28, 94, 108, 512];
    match code {
        2..=13 => FIRST.get(usize::from(code) - 2).copied(),
        32 => Some(12),
        33 => Some(32),
        34 => Some(40),
        40 => Some(15),
        41 => Some(3),
        56..=79 => REGISTER_LISTS.get(usize::from(code) - 56).copied(),
        _ => None,
    }
}

/// All arithmetic flags as one: the format does not distinguish them.
pub const FLAGS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 1);
/// Bit that represents all flags.
pub const FLAG: u64 = 1;

/// Number of virtual registers: `rv0` to `rv252`.
const COUNT: u16 = 253;
/// Code of a missing register.
const NULL: u8 = 0;
/// Codes that stand for no register.
const INVALID: [u8; 2] = [1, 187];
/// All registers are shown as wide as an address.
const WIDTH_BYTES: u16 = 8;

/// Returns the number of the register with a code; none for codes without a register.
fn number_of(code: u8) -> Option<u16> {
    let [first, second] = INVALID;
    match code {
        NULL => None,
        _ if INVALID.contains(&code) => None,
        _ if code < second => Some(u16::from(code - first) - 1),
        _ => Some(u16::from(code - first) - 2),
    }
}

/// Returns the view of the register with this code.
pub fn view_of(code: u8) -> Option<RegisterView> {
    number_of(code).map(view_of_number)
}

/// Returns the name of a code without its sigil.
pub fn name_of(code: u8) -> String {
    match number_of(code) {
        Some(number) => format!("rv{number}"),
        None if code == NULL => "rv_null".to_owned(),
        None => "rv_invalid".to_owned(),
    }
}

/// Returns the view for a lower-case name, with or without its sigil.
pub fn view(name: &str) -> Option<RegisterView> {
    let name = name.strip_prefix('%').unwrap_or(name);
    match name {
        "pc" => Some(RegisterView::new(RegisterId::PC, 0, 8)),
        "flags" | "psr" => Some(FLAGS),
        _ => name
            .strip_prefix("rv")
            .and_then(plain_number)
            .map(view_of_number),
    }
}

/// Returns the names of all virtual registers.
pub fn names() -> impl Iterator<Item = String> {
    (0..COUNT).map(|number| format!("rv{number}"))
}

/// Returns the view of a register number. No virtual register is the stack pointer or has another
/// known role: the format does not record that.
fn view_of_number(number: u16) -> RegisterView {
    RegisterView::new(
        RegisterId(RegisterId::FIRST_BANK.0 + number),
        0,
        WIDTH_BYTES,
    )
}

fn plain_number(digits: &str) -> Option<u16> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    digits
        .parse()
        .ok()
        .filter(|number| is_plain && *number < COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[u64], expected: Option<&str>) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = if words.last().is_some_and(|word| *word >> 32 == 0) {
            bytes.len() - 4
        } else {
            bytes.len()
        };
        let decoded = bytes.get(..length).and_then(SyntheticInstruction::decode);
        assert_eq!(
            decoded.map(|instruction| instruction.text()).as_deref(),
            expected
        );
    }

    /// Encodings and texts are taken from DynamoRIO's own test of its `view` tool
    /// (`view_test.cpp`).
    #[test]
    fn instructions_have_the_texts_of_the_view_tool() {
        check(&[0x0006_0906_0001_0011], Some("move [8byte] %rv4 -> %rv7"));
        check(
            &[0x004e_0321_0000_4011],
            Some("simd [32byte] %rv76 -> %rv1"),
        );
        check(
            &[0x0009_4921_0000_4811],
            Some("load simd [32byte] %rv7 -> %rv71"),
        );
        check(
            &[0x0402_0204_0000_1931, 0x26],
            Some("load store [4byte] %rv0 %rv2 %rv36 -> %rv0"),
        );
        check(&[0x2200], Some("branch"));
        check(&[0], Some("uncategorized"));
    }

    #[test]
    fn eight_registers_fill_sixteen_bytes() {
        let words = [0x0403_0206_0004_0035, 0xaaaa_aa09_0807_0605];
        check(
            &words,
            Some("math [8byte] %rv5 %rv6 %rv7 -> %rv0 %rv1 %rv2 %rv3 %rv4"),
        );
    }

    #[test]
    fn bytes_that_are_too_few_are_no_instruction() {
        check(&[0x0000_1931], None);
        assert_eq!(SyntheticInstruction::decode(&[0x31, 0x19]), None);
        assert_eq!(SyntheticInstruction::decode(&[0; 5]), None);
        assert_eq!(SyntheticInstruction::decode(&[]), None);
    }

    #[test]
    fn every_category_has_its_name() {
        let all = u64::from(0x3ff_u32 << 10);
        check(
            &[all],
            Some("fp load store branch simd state move convert math other"),
        );
        check(&[1 << 20], Some("category10"));
    }

    #[test]
    fn operation_sizes_have_the_codes_of_the_decoder() {
        let known = [
            (2, 1),
            (4, 4),
            (6, 8),
            (8, 16),
            (33, 32),
            (41, 3),
            (64, 64),
            (79, 128),
        ];
        assert!(
            known
                .iter()
                .all(|(code, bytes)| operation_size_bytes(*code) == Some(*bytes))
        );
        assert_eq!(
            [0, 1, 14, 31, 55, 80, 255].map(operation_size_bytes),
            [None; 7]
        );
    }

    #[test]
    fn registers_and_flags_are_operands() {
        let words = [0x0402_0204_0000_1931_u64, 0x26];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let described = SyntheticInstruction::decode(&bytes).unwrap().describe();
        let (registers, meaning) = described.finish();
        assert_eq!(
            registers.reads,
            [2, 4, 38].map(|code| view_of(code).unwrap())
        );
        assert_eq!(registers.writes, [FLAGS, view_of(2).unwrap()]);
        assert!(!meaning.is_memory_known);
    }
}

#[cfg(test)]
mod registers_tests {
    use super::*;

    /// `d_r_reg_virtual_names` has a second `rv_invalid` in place 187, between `rv184` and `rv185`.
    #[test]
    fn codes_have_the_names_of_the_decoder() {
        for (code, name) in [
            (0, "rv_null"),
            (1, "rv_invalid"),
            (2, "rv0"),
            (38, "rv36"),
            (186, "rv184"),
        ] {
            assert_eq!(name_of(code), name);
        }
        for (code, name) in [(187, "rv_invalid"), (188, "rv185"), (255, "rv252")] {
            assert_eq!(name_of(code), name);
        }
        for code in 0..=255 {
            assert_eq!(view_of(code), view(&name_of(code)), "{code}");
        }
    }

    #[test]
    fn names_outside_the_table_are_not_guessed() {
        for name in ["rv253", "rv", "rv00", "rv_null", "rax", "%"] {
            assert_eq!(view(name), None, "{name}");
        }
        assert_eq!(view("%rv7"), view("rv7"));
    }
}
