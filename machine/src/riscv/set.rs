//! The RISC-V instruction set.

use capstone::Capstone;
use capstone::arch::riscv::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _};

use crate::abi::Abi;
use crate::architecture::Architecture;
use crate::bytes::Encoding;
use crate::control::ControlFlowEffect;
use crate::disassembly::DisassembledInstruction;
use crate::instruction::Instruction;
use crate::names::{ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::riscv::abi::{LINK, LP64};
use crate::riscv::bits::{describe, long_form};
use crate::riscv::control::control;
use crate::riscv::registers;
use crate::riscv::registers::{FLOAT, GENERAL};
use crate::riscv::stub::slot_of;
use crate::riscv::text::absolute;
use crate::riscv::text_flow::text_flow;
use crate::riscv::words::operand_word;
use crate::set::InstructionSet;
use crate::site::CodeSite;
use crate::stub::{LinkageStub, StubSlot};
use crate::text_flow::{OperandWordKind, TextFlow};
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Riscv64`].
pub struct Riscv64;

impl Architecture for Riscv64 {
    const SET: InstructionSet = InstructionSet::Riscv64;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: Some(ArchitectureChoice {
            name: "riscv64",
            help: "RISC-V, 64 bit",
        }),
        word: "riscv64",
        title: "RISC-V 64",
        spoken: "RISC-V",
    };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = LP64;
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: 243,
        word_bytes: 8,
    }];
    const ALIGNMENT: u8 = 2;

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name)
    }

    /// Omits `zero`, which is always 0.
    fn shown() -> Vec<String> {
        let names = GENERAL
            .iter()
            .skip(1)
            .chain(&["pc"])
            .chain(&FLOAT)
            .chain(&["fcsr"]);
        names.map(ToString::to_string).collect()
    }

    fn other_names() -> Vec<String> {
        vec!["zero".to_owned(), "fflags".to_owned()]
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        let is_float = |view: RegisterView| {
            view.register >= RegisterId::V0 || view.register == RegisterId::FPSCR
        };
        let group_of = |view| {
            if is_float(view) {
                RegisterGroup::Double
            } else {
                RegisterGroup::Core
            }
        };
        let mut names = Self::shown();
        names.retain(|name| Self::view(name).is_some_and(|view| group_of(view) == group));
        names
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::number_of(register)
    }

    fn disassemblers() -> Vec<Capstone> {
        let compressed = [ArchExtraMode::RiscVC].into_iter();
        let built = Capstone::new()
            .riscv()
            .mode(ArchMode::RiscV64)
            .extra_mode(compressed)
            .detail(true)
            .build();
        built.into_iter().collect()
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        DisassembledInstruction::first(disassemblers, site, |found| {
            let operands = absolute(found.mnemonic, found.operands, site.pc);
            DisassembledInstruction {
                operands: &operands,
                ..*found
            }
            .described(describe(site))
            .into()
        })
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        control(site)
    }

    /// Encodings that cannot be expanded to 4 bytes, such as zeros.
    fn is_undefined(encoding: &Encoding) -> bool {
        long_form(encoding).is_none()
    }

    #[inline(always)]
    fn is_link(register: RegisterId) -> bool {
        register == LINK
    }

    /// SC.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        matches!(encoding.bytes(), [low, _, _, high] if low & 0x7f == 0x2f && high >> 3 == 3)
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
        operand_word(mnemonic, word)
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        address >> 56 == 0 || privilege == Privilege::Kernel
    }

    fn stub_slot(stub: &LinkageStub<'_>) -> Option<StubSlot> {
        slot_of(stub)
    }
}
