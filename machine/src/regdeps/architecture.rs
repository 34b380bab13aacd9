//! What is known of synthetic instructions.

use capstone::Capstone;

use crate::abi::{Abi, Failure, ReturnAddress, SystemCalls};
use crate::architecture::Architecture;
use crate::control::Control;
use crate::instruction::Instruction;
use crate::linux::names::Numbers;
use crate::names::Names;
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::set::InstructionSet;
use crate::site::Site;
use crate::text_flow::{OperandWord, TextFlow};
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Regdeps`].
pub struct Regdeps;

impl Architecture for Regdeps {
    const SET: InstructionSet = InstructionSet::Regdeps;
    const NAMES: Names = Names { choice: None, word: "regdeps", title: "synthetic", spoken: "x86-64" };
    const WORD_BYTES: u16 = 8;
    const IS_DECODED: bool = false;
    const ABI: Abi = Abi {
        arguments: &[],
        result: None,
        return_address: ReturnAddress::Unknown,
        callee_saved: &[],
        system_calls: SystemCalls {
            numbers: Numbers::X86_64,
            number: None,
            failure: Failure::Negative,
            kept_arguments: &[],
            changed: &[],
        },
    };

    fn view(name: &str) -> Option<RegisterView> {
        (name == "pc").then_some(RegisterView::new(RegisterId::PC, 0, 8))
    }

    fn shown() -> Vec<String> {
        vec!["pc".to_owned()]
    }

    fn other_names() -> Vec<String> {
        Vec::new()
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        if group == RegisterGroup::Core { Self::shown() } else { Vec::new() }
    }

    fn number_of(_register: RegisterId) -> Option<u16> {
        None
    }

    fn decode(_site: &Site, _disassemblers: &[Capstone]) -> Option<Instruction> {
        None
    }

    fn control(_site: &Site) -> Control {
        Control::default()
    }

    fn text_flow(_text: &str) -> Option<TextFlow> {
        None
    }

    fn operand_word(_mnemonic: &str, _word: &str) -> OperandWord {
        OperandWord::Other
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        privilege.reaches(address)
    }
}
