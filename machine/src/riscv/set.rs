//! RISC-V as an [`Architecture`], with 64-bit and with 32-bit registers.

use capstone::Capstone;
use capstone::arch::riscv::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _};

use crate::abi::{Abi, LinkageStub, Privilege, StubSlot};
use crate::architecture::{Architecture, ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::control::{ControlFlowEffect, OperandWordKind, TextFlow};
use crate::dwarf_registers::{DwarfRegister, DwarfRegisterRun};
use crate::instruction::{Address, CodeSite, DisassembledInstruction, Encoding, Instruction};
use crate::meaning::DataAccess;
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::riscv::access::data_access;
use crate::riscv::assembly::{absolute, operand_word, text_flow};
use crate::riscv::bits::{describe, long_form};
use crate::riscv::csr::{FIRST_CSR, csr_name, csr_names};
use crate::riscv::extension_text::{compressed_text, extension_text, with_csr_name};
use crate::riscv::jumps::control;
use crate::riscv::linkage::{CONVENTION, LINK, computes_stack_from_itself, slot_of};
use crate::riscv::registers::{self, DWARF, FLOAT, GENERAL};
use crate::riscv::target;
use crate::riscv::traps::{accesses_trap_register, is_handler_base, is_handler_entry, trap_name};
use crate::riscv::xlen::Xlen;
use crate::set::InstructionSet;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Riscv64`].
pub type Riscv64 = Riscv<8>;

/// See [`InstructionSet::Riscv32`].
pub type Riscv32 = Riscv<4>;

/// RISC-V with general registers of this number of bytes.
pub struct Riscv<const WORD_BYTES: u16>;

impl<const WORD_BYTES: u16> Riscv<WORD_BYTES> {
    const XLEN: Xlen = if WORD_BYTES == 8 {
        Xlen::Bits64
    } else {
        Xlen::Bits32
    };
}

impl<const WORD_BYTES: u16> Riscv<WORD_BYTES> {
    /// Returns the text of the disassembler, else that of the tables. A compressed hint without
    /// either gets the text of the long form.
    fn text(site: &CodeSite, disassemblers: &[Capstone]) -> Option<String> {
        let opcode = long_form(&site.encoding, Self::XLEN)?;
        let known = |site: &CodeSite| {
            DisassembledInstruction::first(disassemblers, site, |found| {
                let operands = match with_csr_name(opcode, found.operands) {
                    Some(operands) => operands.into(),
                    None => absolute(found.mnemonic, found.operands, site.pc, Self::XLEN),
                };
                Some(format!("{} {operands}", found.mnemonic))
            })
        };
        let compressed = || match *site.encoding.bytes() {
            [low, high] => compressed_text(u16::from_le_bytes([low, high])),
            _ => None,
        };
        let long = || {
            let encoding = Encoding::new(&opcode.to_le_bytes())?;
            known(&CodeSite { encoding, ..*site }).filter(|_| encoding != site.encoding)
        };
        // The disassembler takes operations of Zcmop for others.
        compressed()
            .or_else(|| known(site))
            .or_else(|| extension_text(opcode, Self::XLEN))
            .or_else(long)
    }
}

impl<const WORD_BYTES: u16> Architecture for Riscv<WORD_BYTES> {
    const SET: InstructionSet = match Self::XLEN {
        Xlen::Bits32 => InstructionSet::Riscv32,
        Xlen::Bits64 => InstructionSet::Riscv64,
    };
    const NAMES: ArchitectureNames = match Self::XLEN {
        Xlen::Bits32 => NAMES_32,
        Xlen::Bits64 => NAMES_64,
    };
    const WORD_BYTES: u16 = WORD_BYTES;
    const ABI: Abi = CONVENTION;
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: 243,
        word_bytes: WORD_BYTES,
    }];
    const ALIGNMENT: u8 = 2;
    const HAS_MARKED_ADDRESSES: bool = true;
    const HAS_SILENT_TRAPS: bool = true;
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] = &DWARF;

    fn view(name: &str) -> Option<RegisterView> {
        registers::view(name, Self::XLEN)
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

    /// Control and status registers begin at 4096.
    fn dwarf_register(number: u16) -> Option<DwarfRegister> {
        let csr = || Self::control_register_name(number.checked_sub(0x1000)?);
        let mut runs = Self::DWARF_REGISTERS.iter();
        runs.find_map(|run| run.register(number))
            .or_else(|| Some(DwarfRegister::Named(csr()?.to_owned())))
    }

    fn other_names() -> Vec<String> {
        let fixed = ["zero"].into_iter().chain(csr_names());
        let vectors = RegisterRun::of("v", 32).names();
        fixed.map(str::to_owned).chain(vectors).collect()
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

    fn nameable(view: RegisterView) -> Option<RegisterView> {
        registers::register_of_part(view)
    }

    /// Vector registers and control registers, of which most programs use few.
    fn is_shown_when_written(register: RegisterId) -> bool {
        register >= RegisterId::FIRST_BANK && register < RegisterId::FIRST_NAMED
            || matches!(register, RegisterId::FPCR | RegisterId::FPSR)
    }

    fn target_description(written: &[&str]) -> Option<TargetDescription> {
        Some(target::of_riscv(Self::WORD_BYTES, written))
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        registers::number_of(register)
    }

    fn disassemblers() -> Vec<Capstone> {
        let mode = match Self::XLEN {
            Xlen::Bits32 => ArchMode::RiscV32,
            Xlen::Bits64 => ArchMode::RiscV64,
        };
        let compressed = [ArchExtraMode::RiscVC].into_iter();
        let built = Capstone::new()
            .riscv()
            .mode(mode)
            .extra_mode(compressed)
            .detail(true)
            .build();
        built.into_iter().collect()
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        let text = Self::text(site, disassemblers)?;
        Some(Instruction::new(&text, describe(site, Self::XLEN)))
    }

    /// The length is that of the encoding: some logs show the long form of a compressed instruction.
    /// Instructions of more than 4 bytes are no numbers.
    fn encoding_of(opcode: u32, length_bytes: u8) -> Option<Encoding> {
        let bytes = opcode.to_le_bytes();
        let encoding = match opcode & 3 {
            3 => Encoding::new(&bytes),
            _ => Encoding::new(&bytes[..2]),
        };
        encoding.filter(|_| opcode != 0 && length_bytes <= 4)
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        match *encoding.bytes() {
            [low, high] => u32::from(u16::from_le_bytes([low, high])),
            [b0, b1, b2, b3] => u32::from_le_bytes([b0, b1, b2, b3]),
            _ => 0,
        }
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        control(site, Self::XLEN)
    }

    fn instruction_length(start: &[u8]) -> Option<usize> {
        let low = *start.first()?;
        Some(match low {
            _ if low & 3 != 3 => 2,
            _ if low & 0x1f != 0x1f => 4,
            _ if low & 0x3f == 0x1f => 6,
            _ => 8,
        })
    }

    fn data_access(encoding: &Encoding) -> Option<DataAccess> {
        data_access(encoding, Self::XLEN)
    }

    /// Encodings that cannot be expanded to 4 bytes, such as zeros.
    fn is_undefined(encoding: &Encoding) -> bool {
        long_form(encoding, Self::XLEN).is_none()
    }

    #[inline(always)]
    fn is_link(register: RegisterId) -> bool {
        register == LINK
    }

    #[inline(always)]
    fn computes_stack_from_itself(opcode: u32) -> bool {
        computes_stack_from_itself(opcode)
    }

    /// Handlers begin by saving a register in a scratch register or by reading what a trap wrote.
    fn is_vector(_pc: Address, encoding: Option<&Encoding>) -> bool {
        let opcode = encoding.and_then(|encoding| long_form(encoding, Self::XLEN));
        opcode.is_some_and(accesses_trap_register)
    }

    #[inline(always)]
    fn is_handler_base(register: RegisterId) -> bool {
        register.0 >= FIRST_CSR.0 && is_handler_base(register, Self::XLEN)
    }

    fn is_handler_entry(base: u64, pc: Address) -> bool {
        is_handler_entry(base, pc.0)
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
        match Self::XLEN {
            Xlen::Bits32 => true,
            Xlen::Bits64 => address >> 56 == 0 || privilege == Privilege::Kernel,
        }
    }

    fn stub_slot(stub: &LinkageStub<'_>) -> Option<StubSlot> {
        slot_of(stub, Self::XLEN)
    }

    fn control_register_name(number: u16) -> Option<&'static str> {
        csr_name(number)
    }

    fn trap_name(number: u64) -> Option<String> {
        trap_name(number, Self::XLEN).map(str::to_owned)
    }
}

const NAMES_64: ArchitectureNames = ArchitectureNames {
    choice: Some(ArchitectureChoice {
        name: "riscv64",
        help: "RISC-V, 64 bit",
    }),
    word: "riscv64",
    title: "RISC-V 64",
    spoken: "RISC-V",
};

const NAMES_32: ArchitectureNames = ArchitectureNames {
    choice: Some(ArchitectureChoice {
        name: "riscv32",
        help: "RISC-V, 32 bit",
    }),
    word: "riscv32",
    title: "RISC-V 32",
    spoken: "32-bit RISC-V",
};
