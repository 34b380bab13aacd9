//! The A64 instruction set as an [`Architecture`]. [`with_float_flags`] adds the condition flags of
//! floating-point instructions, which the disassembler's lists omit (DDI 0487, C4.1.96).

use capstone::Capstone;
use capstone::arch::BuildsCapstone as _;
use capstone::arch::arm64::ArchMode;

use crate::abi::{Abi, LinkageStub, Privilege, SemihostingCall, StubSlot};
use crate::architecture::{Architecture, ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::arm::a64::bits::{FLAGS, describe};
use crate::arm::a64::scalable::is_scalable;
use crate::arm::a64::{scalable, structures};
use crate::arm::abi::{AAPCS64, FIRMWARE_64, HOST_CALL_64, shared_by_arm, slot_of_aarch64};
use crate::arm::flags::{NZCV, of_condition, test_of_condition};
use crate::arm::flow::{a64_flow, a64_target, word_encoding, word_opcode};
use crate::arm::registers;
use crate::arm::registers::{DWARF_64, SHOWN_64, SIGNALS_64, group_64, number_64};
use crate::arm::target;
use crate::control::{ControlFlowEffect, DelaySlotRule};
use crate::description::MeaningBuilder;
use crate::dwarf_registers::DwarfRegisterRun;
use crate::expression::Expression;
use crate::instruction::{Address, CodeSite, DisassembledInstruction, Encoding, Instruction};
use crate::meaning::{ConditionalSelection, FlagTest};
use crate::register_group::RegisterGroup;
use crate::register_run::{RegisterRun, names_of};
use crate::set::InstructionSet;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::A64`].
pub struct A64;

impl Architecture for A64 {
    const SET: InstructionSet = InstructionSet::A64;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: Some(ArchitectureChoice {
            name: "aarch64",
            help: "Arm, 64 bit",
        }),
        word: "aarch64",
        title: "AArch64",
        spoken: "AArch64",
    };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = AAPCS64;
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: 183,
        word_bytes: 8,
    }];
    const HOST_CALL: Option<SemihostingCall> = Some(HOST_CALL_64);
    const FLAG_BITS: u64 = NZCV;
    const ALIGNMENT: u8 = 4;
    /// The kernel's documentation advises at most 32 KiB on Arm.
    const LOWEST_MAPPED: u64 = 0x8000;
    const STATES: &'static [InstructionSet] = &[InstructionSet::A64, InstructionSet::A32];
    const SIGNALS: &'static [RegisterRun] = &SIGNALS_64;
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] = &DWARF_64;

    shared_by_arm!();

    fn shown() -> Vec<String> {
        names_of(&SHOWN_64)
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        names_of(group_64(group))
    }

    fn target_description(_written: &[&str]) -> Option<TargetDescription> {
        Some(target::of_aarch64())
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        number_64(register)
    }

    fn encoding_of(opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        word_encoding(opcode)
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        word_opcode(encoding)
    }

    #[inline(always)]
    fn length_of(_written_bytes: u8) -> u8 {
        4
    }

    fn disassemblers() -> Vec<Capstone> {
        Capstone::new()
            .arm64()
            .mode(ArchMode::Arm)
            .detail(true)
            .build()
            .into_iter()
            .collect()
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        let found = DisassembledInstruction::first(disassemblers, site, |found| {
            let opcode = word_opcode(&site.encoding);
            let description =
                describe(opcode, site.pc).unwrap_or_else(|| match is_scalable(opcode) {
                    true => scalable::describe(found, opcode),
                    false => registers::describe(found, Self::SET),
                });
            let mut description = with_float_flags(description, opcode);
            registers::note_listed(&mut description, found, Self::SET);
            // All instructions except those of SVE zero the rest of Z (DDI 0487, C1.2.6).
            description.meaning.clears_rest = !is_scalable(opcode);
            Some(found.described(Some(description)))
        });
        // The disassembler does not support STGP.
        let opcode = word_opcode(&site.encoding);
        found.or_else(|| {
            Some(Instruction::new(
                &structures::text(opcode)?,
                describe(opcode, site.pc),
            ))
        })
    }

    #[inline]
    fn control(site: &CodeSite) -> ControlFlowEffect {
        let opcode = word_opcode(&site.encoding);
        ControlFlowEffect {
            flow: a64_flow(opcode),
            target: a64_target(opcode, site.pc.0),
            delay: DelaySlotRule::None,
        }
    }

    /// True except for branches on a register (CBZ, TBZ) or on flags, which some producers record
    /// as executed even if not taken.
    fn is_taken_when_executed(encoding: &Encoding) -> bool {
        word_opcode(encoding) & 0x7c00_0000 != 0x3400_0000 && Self::branch_test(encoding).is_none()
    }

    /// B.cond, BC.cond (DDI 0487, C4.1.94 "Conditional branch (immediate)").
    fn branch_test(encoding: &Encoding) -> Option<FlagTest> {
        let opcode = word_opcode(encoding);
        (opcode & 0xff00_0000 == 0x5400_0000).then(|| test_of_condition(opcode & 15))
    }

    /// UDF.
    fn is_undefined(encoding: &Encoding) -> bool {
        word_opcode(encoding) >> 16 == 0
    }

    /// STXR, STLXR, STXP, STLXP.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        word_opcode(encoding) & 0x3fc0_0000 == 0x0800_0000
    }

    fn changed_by_trap(encoding: &Encoding) -> &'static [&'static str] {
        let is_firmware = matches!(
            word_opcode(encoding) & 0xffe0_001f,
            0xd400_0002 | 0xd400_0003
        ); // HVC, SMC
        if is_firmware {
            FIRMWARE_64
        } else {
            Self::ABI.system_calls.changed
        }
    }

    /// ADD, SUB; LDP, STP, LDR and STR with writeback.
    #[inline(always)]
    fn computes_stack_from_itself(opcode: u32) -> bool {
        let (is_from_sp, is_to_sp) = (opcode >> 5 & 31 == 31, opcode & 31 == 31);
        let is_add = opcode & 0x1f80_0000 == 0x1100_0000 || opcode & 0x1fe0_0000 == 0x0b20_0000;
        // Pairs or single registers.
        let is_indexed = opcode & 0x3a80_0000 == 0x2880_0000 || opcode & 0x3b20_0400 == 0x3800_0400;
        is_from_sp && (is_add && is_to_sp || is_indexed)
    }

    /// `HLT #0xf000` (Arm, "Semihosting for AArch32 and AArch64").
    #[inline(always)]
    fn is_host_call(opcode: u32, _length_bytes: u8) -> bool {
        opcode == 0xd45e_0000
    }

    /// Bit 55 selects the upper or lower half of the address space (DDI 0487, D8.8 "Address
    /// tagging").
    fn plain_address(address: u64) -> u64 {
        ((address << 8).cast_signed() >> 8).cast_unsigned()
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        address >> 56 == 0 || privilege == Privilege::Kernel
    }

    /// Each entry of the vector table has room for 32 instructions (DDI 0487, D1.3 "Exception
    /// vectors").
    fn is_vector(pc: Address, _encoding: Option<&Encoding>) -> bool {
        pc.0.is_multiple_of(0x80)
    }

    fn stub_slot(stub: &LinkageStub<'_>) -> Option<StubSlot> {
        slot_of_aarch64(stub)
    }
}

/// Adds the flags that FCMP and FCCMP write, and those that FCSEL and FCCMP test.
pub fn with_float_flags(mut description: MeaningBuilder, opcode: u32) -> MeaningBuilder {
    // FCMP, FCMPE; FCCMP, FCCMPE; FCSEL.
    let is_comparison = opcode & 0xff20_fc07 == 0x1e20_2000;
    let is_conditional_comparison = opcode & 0xff20_0c00 == 0x1e20_0400;
    let is_select = opcode & 0xff20_0c00 == 0x1e20_0c00;
    if is_conditional_comparison || is_select {
        description.read(FLAGS);
        let condition = opcode >> 12 & 0xf;
        description.meaning.flags.read = Some(of_condition(condition));
        let (chosen, otherwise) = match is_select {
            true => (operand(opcode, 5), operand(opcode, 16)),
            false => (Expression::Unknown, Expression::Constant(0)),
        };
        description.meaning.selection = Some(ConditionalSelection {
            test: test_of_condition(condition),
            chosen,
            otherwise,
        });
    }
    let is_javascript_conversion = opcode & 0xffff_fc00 == 0x1e7e_0000; // FJCVTZS
    if is_comparison || is_conditional_comparison || is_javascript_conversion {
        description.write(FLAGS);
    }
    description
}

/// Returns the value of the floating-point register whose number is at this bit position.
fn operand(opcode: u32, place: u32) -> Expression {
    let size_bytes = match opcode >> 22 & 3 {
        0 => 4,
        1 => 8,
        _ => 2,
    };
    let number = u16::try_from(opcode >> place & 31).unwrap_or_default();
    Expression::Register(RegisterView::new(
        RegisterId(RegisterId::V0.0 + number),
        0,
        size_bytes,
    ))
}
