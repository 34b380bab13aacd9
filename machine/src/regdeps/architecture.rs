//! Architecture of DynamoRIO's synthetic instructions.

use capstone::Capstone;

use crate::abi::{Abi, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::architecture::Architecture;
use crate::control::ControlFlowEffect;
use crate::instruction::Instruction;
use crate::linux::names::SystemCallNumbering;
use crate::names::ArchitectureNames;
use crate::privilege::Privilege;
use crate::regdeps::encoding::SyntheticInstruction;
use crate::regdeps::registers;
use crate::regdeps::registers::FLAG;
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::site::CodeSite;
use crate::text_flow::{OperandWordKind, TextFlow};
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
        registers::view(name)
    }

    /// The trace records no register values, so the many virtual registers are in a group but not
    /// in every answer.
    fn shown() -> Vec<String> {
        ["pc", "flags"].map(str::to_owned).to_vec()
    }

    fn other_names() -> Vec<String> {
        registers::names().collect()
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        match group {
            RegisterGroup::Core => Self::shown()
                .into_iter()
                .chain(registers::names())
                .collect(),
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
        if registers::view(word).is_some() {
            OperandWordKind::Register
        } else {
            OperandWordKind::Other
        }
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        privilege.reaches(address)
    }
}
