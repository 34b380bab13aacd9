//! The T32 instruction set.

use capstone::Capstone;
use capstone::arch::arm::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _};

use crate::abi::{Abi, SemihostingCall};
use crate::architecture::{Architecture, ArchitectureNames};
use crate::arm::aarch32::instruction::describe;
use crate::arm::aarch32::mainline;
use crate::arm::abi::{AAPCS32, FIRMWARE_32, HOST_CALL_32, shared_by_arm};
use crate::arm::exception_frame::{
    FRAME, is_exception_return, is_function_return, is_return_to_thread_mode,
};
use crate::arm::flags::{NZCV, test_of_condition};
use crate::arm::flow::{
    aarch32_code_endian, t32_flow, t32_target, thumb_encoding, thumb_opcode, with_swapped_units,
};
use crate::arm::registers::{
    DWARF_32, SHOWN_32, SIGNALS_32, group_32, is_state_banked, number_32, stack_choice,
};
use crate::arm::target;
use crate::control::{ControlFlowEffect, DelaySlotRule};
use crate::dwarf_registers::DwarfRegisterRun;
use crate::endian::Endian;
use crate::exception_frame::FrameLayout;
use crate::instruction::{CodeSite, DisassembledInstruction, Encoding, Instruction};
use crate::meaning::FlagTest;
use crate::mode::SecurityState;
use crate::register_group::RegisterGroup;
use crate::register_run::{RegisterRun, names_of};
use crate::set::InstructionSet;
use crate::target_description::TargetDescription;
use crate::view::RegisterId;

/// See [`InstructionSet::T32`].
pub struct T32;

impl Architecture for T32 {
    const SET: InstructionSet = InstructionSet::T32;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: None,
        word: "aarch32",
        title: "AArch32",
        spoken: "Arm",
    };
    const WORD_BYTES: u16 = 4;
    const ABI: Abi = AAPCS32;
    const HOST_CALL: Option<SemihostingCall> = Some(HOST_CALL_32);
    const FLAG_BITS: u64 = NZCV;
    const ALIGNMENT: u8 = 2;

    fn instruction_length(start: &[u8]) -> Option<usize> {
        let half = u16::from_le_bytes(*start.first_chunk()?);
        Some(if half < 0xe800 { 2 } else { 4 })
    }

    /// The kernel's documentation advises at most 32 KiB on Arm.
    const LOWEST_MAPPED: u64 = 0x8000;
    const HAS_MARKED_ADDRESSES: bool = true;
    const IS_MARKED: bool = true;
    /// `it` (DDI 0487, F5.1 "IT").
    const LONGEST_BLOCK: u8 = 4;
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

    fn stack_choice(name: &str) -> Option<SecurityState> {
        stack_choice(name)
    }

    fn is_state_banked(name: &str) -> bool {
        is_state_banked(name)
    }

    fn encoding_of(opcode: u32, length_bytes: u8) -> Option<Encoding> {
        thumb_encoding(opcode, length_bytes)
    }

    fn opcode_of(encoding: &Encoding) -> u32 {
        thumb_opcode(encoding)
    }

    fn with_big_endian_code(encoding: Encoding) -> Encoding {
        with_swapped_units(&encoding, 2)
    }

    fn elf_code_endian(flags: u32, data: Endian) -> Endian {
        aarch32_code_endian(flags, data)
    }

    #[inline(always)]
    fn length_of(written_bytes: u8) -> u8 {
        if written_bytes <= 2 { 2 } else { 4 }
    }

    fn disassemblers() -> Vec<Capstone> {
        let built = [ArchExtraMode::V8, ArchExtraMode::MClass].map(|extra| {
            Capstone::new()
                .arm()
                .mode(ArchMode::Thumb)
                .extra_mode([extra].into_iter())
                .detail(true)
                .build()
        });
        built.into_iter().flatten().collect()
    }

    /// After an `it`, the disassembler treats the next instruction it decodes as a part of the
    /// block.
    fn is_stateful(encoding: &Encoding) -> bool {
        matches!(*encoding.bytes(), [low, 0xbf] if low & 15 != 0)
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        let by_lists = || {
            DisassembledInstruction::first(disassemblers, site, |found| {
                Some(found.described(describe(found, Self::SET)))
            })
        };
        mainline::decode(site).or_else(by_lists)
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        let opcode = thumb_opcode(&site.encoding);
        ControlFlowEffect {
            flow: t32_flow(opcode),
            target: t32_target(opcode, site.pc.0),
            delay: DelaySlotRule::None,
        }
    }

    /// True except for branches on a register (CBZ, WLS, LE) or on flags, which some producers
    /// record as executed even if not taken.
    fn is_taken_when_executed(encoding: &Encoding) -> bool {
        let opcode = thumb_opcode(encoding);
        let compares = opcode & 0xffff_f500 == 0xb100 || opcode & 0xff80_f001 == 0xf000_c001;
        !compares && Self::branch_test(encoding).is_none()
    }

    /// `B<c>`, encodings T1 and T3 (DDI 0487, F5.1.18); condition codes 14 and 15 encode other
    /// instructions.
    fn branch_test(encoding: &Encoding) -> Option<FlagTest> {
        let opcode = thumb_opcode(encoding);
        let condition = match opcode {
            0xd000..=0xdfff => opcode >> 8 & 15,
            _ if opcode & 0xf800_d000 == 0xf000_8000 => opcode >> 22 & 15,
            _ => return None,
        };
        (condition < 14).then(|| test_of_condition(condition))
    }

    /// IT (DDI 0487, F5.1.56): the lowest bit set in the mask ends the block.
    fn block_length(encoding: &Encoding) -> u8 {
        let opcode = thumb_opcode(encoding);
        let mask = opcode & 15;
        let is_block = opcode & 0xffff_ff00 == 0xbf00 && mask != 0;
        if is_block {
            4 - u8::try_from(mask.trailing_zeros()).unwrap_or(3)
        } else {
            0
        }
    }

    /// UDF.
    fn is_undefined(encoding: &Encoding) -> bool {
        let opcode = thumb_opcode(encoding);
        opcode & 0xffff_ff00 == 0xde00 || opcode & 0xfff0_f000 == 0xf7f0_a000
    }

    /// STREX.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        thumb_opcode(encoding) & 0xff70_0000 == 0xe840_0000
    }

    fn changed_by_trap(encoding: &Encoding) -> &'static [&'static str] {
        let is_firmware = thumb_opcode(encoding) & 0xffe0_f000 == 0xf7e0_8000; // HVC, SMC
        if is_firmware {
            FIRMWARE_32
        } else {
            Self::ABI.system_calls.changed
        }
    }

    /// `msr control` of M-profile selects the stack pointer (DDI 0553, "MSR (register)").
    fn is_stack_choice(encoding: &Encoding) -> bool {
        thumb_opcode(encoding) & 0xffe0_d000 == 0xf380_8000
    }

    /// Stack pointer as base or first operand; this includes POP and PUSH.
    #[inline(always)]
    fn computes_stack_from_itself(opcode: u32) -> bool {
        if opcode > 0xffff {
            return opcode >> 16 & 15 == 13;
        }
        opcode & 0xff00 == 0xb000 || opcode & 0xf600 == 0xb400 || opcode & 0xff87 == 0x4485
    }

    /// `BKPT #0xab`, `SVC #0xab`, `HLT #0x3c` (Arm, "Semihosting for AArch32 and AArch64").
    #[inline(always)]
    fn is_host_call(opcode: u32, length_bytes: u8) -> bool {
        length_bytes == 2 && matches!(opcode, 0xbeab | 0xdfab | 0xbabc)
    }

    /// The condition of a branch, or of the block of an `it` (DDI 0406, A2.5.2 "ITSTATE").
    fn is_condition_met(encoding: &Encoding, status: u64) -> bool {
        let block = status as u32 >> 8 & 0xfc | status as u32 >> 25 & 3;
        let test = match block & 15 {
            0 => Self::branch_test(encoding),
            _ => Some(test_of_condition(block >> 4)),
        };
        test.is_none_or(|test| test.holds(status))
    }

    fn is_exception_return_value(value: u64) -> bool {
        is_exception_return(value)
    }
    fn is_return_to_thread_mode(value: u64) -> bool {
        is_return_to_thread_mode(value)
    }

    fn is_function_return_value(value: u64) -> bool {
        is_function_return(value)
    }

    /// IPSR of M-profile (DDI 0553, XPSR), where bit 24 is set.
    fn exception_number(status: u32) -> Option<u32> {
        (status >> 24 & 1 == 1).then_some(status & 0x1ff)
    }

    fn exception_frame() -> Option<&'static FrameLayout> {
        Some(&FRAME)
    }

    /// `SG` (DDI 0553, C2.4 "SG").
    fn is_state_gateway(opcode: u32) -> bool {
        opcode == 0xe97f_e97f
    }
}
