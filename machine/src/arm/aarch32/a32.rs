//! The A32 instruction set.

use capstone::Capstone;
use capstone::arch::arm::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _};

use crate::abi::{Abi, SemihostingCall};
use crate::architecture::{Architecture, ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::arm::aarch32::instruction::describe;
use crate::arm::abi::{AAPCS32, FIRMWARE_32, HOST_CALL_32, shared_by_arm};
use crate::arm::flags::{NZCV, test_of_condition};
use crate::arm::flow::{
    a32_flow, a32_target, aarch32_code_endian, with_swapped_units, word_encoding, word_opcode,
};
use crate::arm::registers::{DWARF_32, SHOWN_32, SIGNALS_32, group_32, number_32};
use crate::arm::target;
use crate::control::{ControlFlowEffect, DelaySlotRule, FlowKind};
use crate::dwarf_registers::DwarfRegisterRun;
use crate::endian::Endian;
use crate::instruction::{Address, CodeSite, DisassembledInstruction, Encoding, Instruction};
use crate::placement::InstructionPlacement;
use crate::register_group::RegisterGroup;
use crate::register_run::{RegisterRun, names_of};
use crate::set::InstructionSet;
use crate::target_description::TargetDescription;
use crate::view::RegisterId;

/// See [`InstructionSet::A32`].
pub struct A32;

impl Architecture for A32 {
    const SET: InstructionSet = InstructionSet::A32;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: Some(ArchitectureChoice {
            name: "arm",
            help: "Arm, 32 bit",
        }),
        word: "aarch32",
        title: "AArch32",
        spoken: "Arm",
    };
    const WORD_BYTES: u16 = 4;
    const ABI: Abi = AAPCS32;
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: 40,
        word_bytes: 4,
    }];
    /// `STT_ARM_TFUNC`, which older tools assign to T32 functions.
    const ELF_FUNCTION: Option<u8> = Some(13);
    const HOST_CALL: Option<SemihostingCall> = Some(HOST_CALL_32);
    const FLAG_BITS: u64 = NZCV;
    /// Two, because a program may switch to T32.
    const ALIGNMENT: u8 = 2;
    const NARROW: Option<InstructionSet> = Some(InstructionSet::T32);
    /// The kernel's documentation advises at most 32 KiB on Arm.
    const LOWEST_MAPPED: u64 = 0x8000;
    const HAS_MARKED_ADDRESSES: bool = true;
    const STATES: &'static [InstructionSet] = &[InstructionSet::A64, InstructionSet::A32];
    const SIGNALS: &'static [RegisterRun] = &SIGNALS_32;
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] = &DWARF_32;

    shared_by_arm!();

    fn shown() -> Vec<String> {
        names_of(&SHOWN_32)
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        names_of(group_32(group))
    }

    fn target_description(written: &[&str]) -> Option<TargetDescription> {
        Some(target::of_aarch32(written))
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        number_32(register)
    }

    fn encoding_of(opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        word_encoding(opcode)
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        word_opcode(encoding)
    }

    fn with_big_endian_code(encoding: Encoding) -> Encoding {
        with_swapped_units(&encoding, 4)
    }

    fn elf_code_endian(flags: u32, data: Endian) -> Endian {
        aarch32_code_endian(flags, data)
    }

    #[inline(always)]
    fn length_of(_written_bytes: u8) -> u8 {
        4
    }

    /// The lowest bit of a T32 address is set. If the trace has lost it, the instruction is T32 if
    /// it has two bytes, is not 4-byte aligned, or directly follows a T32 instruction.
    fn set_at(placement: &InstructionPlacement) -> InstructionSet {
        let InstructionPlacement {
            address,
            length_bytes,
            after,
        } = *placement;
        let is_thumb = address & 3 != 0 || length_bytes == 2 || after == Some(InstructionSet::T32);
        if is_thumb {
            InstructionSet::T32
        } else {
            InstructionSet::A32
        }
    }

    fn disassemblers() -> Vec<Capstone> {
        // Armv8 does not have SWP.
        let built = [&[ArchExtraMode::V8] as &[_], &[]].map(|extra| {
            Capstone::new()
                .arm()
                .mode(ArchMode::Arm)
                .extra_mode(extra.iter().copied())
                .detail(true)
                .build()
        });
        built.into_iter().flatten().collect()
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        DisassembledInstruction::first(disassemblers, site, |found| {
            Some(found.described(describe(found, Self::SET)))
        })
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        let opcode = word_opcode(&site.encoding);
        ControlFlowEffect {
            flow: a32_flow(opcode),
            target: a32_target(opcode, site.pc.0),
            delay: DelaySlotRule::None,
        }
    }

    /// Branches depend only on the condition of the instruction.
    fn is_taken_when_executed(_encoding: &Encoding) -> bool {
        true
    }

    /// UDF.
    fn is_undefined(encoding: &Encoding) -> bool {
        word_opcode(encoding) & 0xfff0_00f0 == 0xe7f0_00f0
    }

    /// STREX, STLEX.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        word_opcode(encoding) & 0x0f90_00f0 == 0x0180_0090
    }

    fn changed_by_trap(encoding: &Encoding) -> &'static [&'static str] {
        let is_firmware = matches!(
            word_opcode(encoding) & 0x0ff0_00f0,
            0x0140_0070 | 0x0160_0070
        ); // HVC, SMC
        if is_firmware {
            FIRMWARE_32
        } else {
            Self::ABI.system_calls.changed
        }
    }

    /// Stack pointer as base or first operand; this includes POP and PUSH.
    #[inline(always)]
    fn computes_stack_from_itself(opcode: u32) -> bool {
        opcode >> 16 & 15 == 13
    }

    /// `SVC #0x123456`, `HLT #0xf000` (Arm, "Semihosting for AArch32 and AArch64").
    #[inline(always)]
    fn is_host_call(opcode: u32, _length_bytes: u8) -> bool {
        matches!(opcode & 0x0fff_ffff, 0x0f12_3456 | 0x010f_0070)
    }

    fn is_condition_met(encoding: &Encoding, status: u64) -> bool {
        test_of_condition(word_opcode(encoding) >> 28).holds(status)
    }

    /// An exception vector of the A and R profiles contains a jump (DDI 0406, B1.8 "Exception
    /// vectors and the exception base address").
    /// Reads the vector table of an M-profile program: the initial stack pointer, which is a multiple
    /// of 4, and the reset handler, an address of Thumb code (Armv7-M Architecture Reference Manual,
    /// B1.5.3).
    fn reset_handler([stack, handler]: [u32; 2]) -> Option<u64> {
        let is_table = stack != 0 && stack.is_multiple_of(4) && handler & 1 == 1;
        is_table.then_some(u64::from(handler & !1))
    }

    fn is_vector(pc: Address, encoding: Option<&Encoding>) -> bool {
        pc.0 & 0x1f != 0
            && encoding.is_some_and(|encoding| a32_flow(word_opcode(encoding)) == FlowKind::Branch)
    }
}
