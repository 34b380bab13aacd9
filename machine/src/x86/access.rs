//! Registers and memory that an x86 instruction accesses ([`X86Describer`]), from iced-x86's
//! operand lists. The length of some stores of processor state depends on registers ([`extent`];
//! Intel SDM, volume 1, chapter 13; volume 2, FXSAVE, FNSAVE, FNSTENV).

use iced_x86::{
    CodeSize, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    Register, RflagsBits, UsedMemory,
};

use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::instruction::{CodeSite, Encoding};
use crate::meaning::{
    AccessKind, FlagUse, MemoryOperand, ScaledRegister, StoreExtent, StoreExtentPart,
};
use crate::view::{RegisterId, RegisterView};
use crate::x86::registers;
use crate::x86::registers::bits_of;

/// Describes an instruction; none if it may change any register.
pub fn describe(instruction: Instruction, word_bytes: u16) -> Option<MeaningBuilder> {
    if matches!(
        instruction.mnemonic(),
        Mnemonic::Iret | Mnemonic::Iretd | Mnemonic::Iretq
    ) {
        return None;
    }
    let mut described = X86Describer {
        instruction,
        word_bytes,
        description: MeaningBuilder::default(),
    };
    described.registers();
    described.memory();
    described.description.meaning.extent = extent(instruction.mnemonic());
    described.values();
    // A register that is an operand is also read for its value, not only for an address.
    let operands = (0..described.instruction.op_count())
        .filter_map(|number| described.view(described.register(number)));
    let operands: Vec<_> = operands.collect();
    described.description.tell_addresses_apart(&operands);
    Some(described.description)
}

/// Decodes an instruction; none unless it has exactly these bytes.
pub fn decoded(site: &CodeSite, word_bytes: u16) -> Option<Instruction> {
    let bytes = site.encoding.bytes();
    let instruction = Decoder::with_ip(
        u32::from(8 * word_bytes),
        bytes,
        site.pc.0,
        DecoderOptions::NONE,
    )
    .decode();
    (!instruction.is_invalid() && instruction.len() == bytes.len()).then_some(instruction)
}

/// Longest instruction in bytes.
const LONGEST: usize = 15;

/// Returns the length in bytes of the instruction that begins with `start`; immediate operands and
/// displacements may be missing. None for invalid instructions.
pub fn length(start: &[u8], word_bytes: u16) -> Option<usize> {
    let mut bytes = [0; LONGEST];
    bytes
        .iter_mut()
        .zip(start)
        .for_each(|(to, from)| *to = *from);
    let bits = u32::from(8 * word_bytes);
    let instruction = Decoder::new(bits, &bytes, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then(|| instruction.len())
}

/// Returns the encoding of a branch or call with a displacement of 32 bits, from its first bytes and
/// its target.
pub fn direct_branch(start: &[u8], pc: u64, target: u64) -> Option<Encoding> {
    let opcode_bytes = match start {
        [0xe8 | 0xe9, ..] => 1,
        [0x0f, 0x80..=0x8f, ..] => 2,
        _ => return None,
    };
    let after = pc.wrapping_add(opcode_bytes as u64 + 4);
    let displacement = target.wrapping_sub(after) as u32;
    let opcode = start.get(..opcode_bytes)?;
    Encoding::new(&[opcode, &displacement.to_le_bytes()].concat())
}

/// An instruction while its description is built.
pub(super) struct X86Describer {
    pub instruction: Instruction,
    pub word_bytes: u16,
    pub description: MeaningBuilder,
}

impl X86Describer {
    /// Returns the view of a register; none for the program counter and for registers outside the
    /// tables (`cr0`).
    pub fn view(&self, register: Register) -> Option<RegisterView> {
        if register == Register::SP {
            return Some(RegisterView::new(RegisterId::SP, 0, 2));
        }
        let name = format!("{register:?}").to_ascii_lowercase();
        registers::view(&name, self.word_bytes).filter(|view| view.register != RegisterId::PC)
    }

    pub fn word(&self, register: RegisterId) -> RegisterView {
        RegisterView::new(register, 0, self.word_bytes)
    }

    fn registers(&mut self) {
        let mut factory = InstructionInfoFactory::new();
        for used in factory.info(&self.instruction).used_registers() {
            let Some(view) = self.view(used.register()) else {
                continue;
            };
            let access = used.access();
            // A register that may not be written keeps its value: CMOV of 64 bits, LAR, LSL.
            let is_kept =
                access == OpAccess::CondWrite && !self.instruction.is_string_instruction();
            if is_read(access) || is_kept {
                self.description.read(self.kept_view(view));
            }
            if is_written(access) {
                self.description.write(view);
            }
        }
        self.flags();
        self.special_registers();
    }

    /// Returns the bytes that keep their values if nothing is written. BSF and BSR of zero also
    /// keep the upper half.
    fn kept_view(&self, view: RegisterView) -> RegisterView {
        let is_scan = matches!(self.instruction.mnemonic(), Mnemonic::Bsf | Mnemonic::Bsr);
        let is_first = self.view(self.register(0)) == Some(view);
        let is_widened = is_scan && is_first && view.size_bytes == 4;
        RegisterView {
            size_bytes: if is_widened {
                self.word_bytes
            } else {
                view.size_bytes
            },
            ..view
        }
    }

    fn flags(&mut self) {
        let flags = self.word(RegisterId::PSR);
        let of_x87 = RflagsBits::C0 | RflagsBits::C1 | RflagsBits::C2 | RflagsBits::C3;
        let (read, written) = (
            self.instruction.rflags_read(),
            self.instruction.rflags_modified(),
        );
        let kept = if self.is_shift_by_register() {
            bits_of(written)
        } else {
            0
        };
        if read & !of_x87 != 0 || kept != 0 {
            self.description.read(flags);
        }
        if written & !of_x87 != 0 {
            self.description.write(flags);
        }
        self.description.meaning.flags = FlagUse {
            read: Some(bits_of(read)),
            written: Some(bits_of(written)),
            kept,
        };
    }

    /// Returns true for shifts and rotates by `cl`: "if the count is 0, the flags are not affected"
    /// (Intel SDM, volume 2, SAL/SAR/SHL/SHR, RCL/RCR/ROL/ROR, SHLD, SHRD). For immediate counts,
    /// the decoder already distinguishes zero.
    fn is_shift_by_register(&self) -> bool {
        use Mnemonic::{Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd};
        let is_shift = matches!(
            self.instruction.mnemonic(),
            Shl | Sal | Shr | Sar | Rol | Ror | Rcl | Rcr | Shld | Shrd
        );
        let last = self.instruction.op_count().saturating_sub(1);
        is_shift && self.register(last) == Register::CL
    }

    /// Adds registers that the decoder's lists omit.
    fn special_registers(&mut self) {
        use Mnemonic::{
            Fldcw, Fldenv, Fninit, Fnsave, Fnstcw, Frstor, Fxrstor, Fxrstor64, Int, Ldmxcsr, Lfs,
            Lgs, Mov, Pop,
        };
        use Mnemonic::{
            Stmxcsr, Swapgs, Syscall, Sysenter, Vldmxcsr, Vstmxcsr, Wrmsr, Xrstor, Xrstor64,
            Xrstors, Xrstors64,
        };
        let bases = [RegisterId::FS_BASE, RegisterId::GS_BASE].map(|base| self.word(base));
        let control = RegisterView::new(RegisterId::FPSCR, 0, 4);
        let x87_control = RegisterView::new(RegisterId::FPCR, 0, 2);
        match self.instruction.mnemonic() {
            // The kernel's result, and the segment bases that it may set for the thread.
            Syscall | Sysenter | Int => {
                self.description.write(self.word(RegisterId::X0));
                bases
                    .into_iter()
                    .for_each(|base| self.description.write(base));
            }
            Lfs => self.description.write(bases[0]),
            Lgs | Swapgs => self.description.write(bases[1]),
            Wrmsr => bases
                .into_iter()
                .for_each(|base| self.description.write(base)),
            Mov | Pop => match self.instruction.op0_register() {
                Register::FS => self.description.write(bases[0]),
                Register::GS => self.description.write(bases[1]),
                _ => {}
            },
            Ldmxcsr | Vldmxcsr => self.description.write(control),
            Stmxcsr | Vstmxcsr => self.description.read(control),
            Fldcw | Fldenv | Fninit | Fnsave => self.description.write(x87_control),
            Frstor => [x87_control]
                .into_iter()
                .chain(x87_stack())
                .for_each(|view| self.description.write(view)),
            Fxrstor | Fxrstor64 | Xrstor | Xrstor64 | Xrstors | Xrstors64 => {
                let vectors = (0..32)
                    .map(|number| RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, 64));
                let masks = (0..8)
                    .map(|number| RegisterView::new(RegisterId(RegisterId::P0.0 + number), 0, 8));
                let restored = [control, x87_control]
                    .into_iter()
                    .chain(x87_stack())
                    .chain(vectors)
                    .chain(masks);
                restored.for_each(|view| self.description.write(view));
            }
            Fnstcw => self.description.read(x87_control),
            _ => {}
        }
        // x87 registers are named relative to the top of a stack, which moves.
        let stack = self.instruction.fpu_stack_increment_info();
        if stack.increment() != 0 || stack.conditional() || stack.writes_top() {
            x87_stack().for_each(|view| self.description.write(view));
        }
    }

    /// Describes the memory accesses, loads before stores.
    fn memory(&mut self) {
        let mut factory = InstructionInfoFactory::new();
        let used = factory.info(&self.instruction).used_memory();
        for (kind, is_done) in [
            (AccessKind::Read, is_read as fn(_) -> _),
            (AccessKind::Write, is_written),
        ] {
            for memory in used.iter().filter(|memory| is_done(memory.access())) {
                match self.operand(kind, memory) {
                    Some(operand) => {
                        self.description.access(operand);
                    }
                    None => self.description.access_unknown(),
                }
            }
        }
    }

    fn operand(&self, kind: AccessKind, memory: &UsedMemory) -> Option<MemoryOperand> {
        let address_bytes = match memory.address_size() {
            CodeSize::Code16 => return None,
            CodeSize::Code32 => 4,
            _ if self.word_bytes == 4 => 4,
            _ => 8,
        };
        // `pop [rsp]` computes its address from the incremented `rsp`; gathers have several
        // addresses.
        let is_popped = self.instruction.mnemonic() == Mnemonic::Pop && kind == AccessKind::Write;
        if is_popped && self.instruction.op0_kind() == iced_x86::OpKind::Memory
            || memory.vsib_size() != 0
        {
            return None;
        }
        let register = |register| {
            if register == Register::None {
                Some(None)
            } else {
                self.view(register).map(Some)
            }
        };
        let scaled = |view| ScaledRegister {
            view,
            is_signed: false,
            scale: i64::from(memory.scale()),
        };
        // A repeated string instruction has the size of its first iteration.
        let sizes = [memory.memory_size(), self.instruction.memory_size()].map(|size| size.size());
        let size = sizes
            .into_iter()
            .find(|size| *size > 0)
            .and_then(|size| u16::try_from(size).ok());
        let displacement = memory.displacement().cast_signed();
        let has_register = memory.base() != Register::None || memory.index() != Register::None;
        Some(MemoryOperand {
            kind,
            segment: match memory.segment() {
                Register::FS => Some(self.word(RegisterId::FS_BASE)),
                Register::GS => Some(self.word(RegisterId::GS_BASE)),
                _ => None,
            },
            base: register(memory.base())?,
            index: register(memory.index())?.map(scaled),
            // Sums are truncated to 32 bits, so the displacement can be sign-extended to stay
            // small.
            displacement: if address_bytes == 4 && has_register {
                displacement << 32 >> 32
            } else {
                displacement
            },
            address_bytes,
            size_bytes: size,
            value: Expression::Unknown,
        })
    }
}

fn x87_stack() -> impl Iterator<Item = RegisterView> {
    (0..8).map(|number| RegisterView::new(RegisterId(RegisterId::ST0.0 + number), 0, 10))
}

fn is_read(access: OpAccess) -> bool {
    use OpAccess::{CondRead, Read, ReadCondWrite, ReadWrite};
    matches!(access, CondRead | Read | ReadCondWrite | ReadWrite)
}

fn is_written(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, CondWrite | ReadCondWrite | ReadWrite | Write)
}

/// Components of an XSAVE area by their bits in `eax`, at their offsets in the standard form, which
/// are the highest possible. AMD places some lower, and the compacted form all of them.
const XSAVE: [StoreExtentPart; 7] = [
    // x87, SSE and the header, which is always written.
    StoreExtentPart {
        bits: 0,
        end_bytes: 576,
    },
    // AVX.
    StoreExtentPart {
        bits: 1 << 2,
        end_bytes: 832,
    },
    // MPX, or the APX general registers (bit 19) at the same offset.
    StoreExtentPart {
        bits: 3 << 3 | 1 << 19,
        end_bytes: 1088,
    },
    // AVX-512.
    StoreExtentPart {
        bits: 1 << 5,
        end_bytes: 1152,
    },
    StoreExtentPart {
        bits: 1 << 6,
        end_bytes: 1664,
    },
    StoreExtentPart {
        bits: 1 << 7,
        end_bytes: 2688,
    },
    // Protection keys, AMX, supervisor components, and future ones.
    StoreExtentPart {
        bits: !0xff & !(1 << 19),
        end_bytes: 16 << 10,
    },
];
const FXSAVE: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 512,
}];
const FNSAVE: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 108,
}];
const FNSTENV: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 28,
}];

/// Returns the extent of an instruction's store; none if its operand states it.
pub(super) fn extent(mnemonic: Mnemonic) -> Option<StoreExtent> {
    use Mnemonic::{
        Fnsave, Fnstenv, Fsave, Fstenv, Fxsave, Fxsave64, Xsave, Xsave64, Xsavec, Xsavec64,
        Xsaveopt, Xsaveopt64, Xsaves, Xsaves64,
    };
    let eax = RegisterView::new(RegisterId::X0, 0, 4);
    match mnemonic {
        Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 => Some(StoreExtent {
            chosen_by: Some(eax),
            parts: &XSAVE,
        }),
        Xsaves | Xsaves64 => Some(StoreExtent {
            chosen_by: None,
            parts: &XSAVE,
        }),
        Fxsave | Fxsave64 => Some(StoreExtent {
            chosen_by: None,
            parts: &FXSAVE,
        }),
        Fnsave | Fsave => Some(StoreExtent {
            chosen_by: None,
            parts: &FNSAVE,
        }),
        Fnstenv | Fstenv => Some(StoreExtent {
            chosen_by: None,
            parts: &FNSTENV,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_chosen_is_not_stored() {
        let longest = |chosen| extent(Mnemonic::Xsavec).unwrap().longest_bytes(chosen);
        assert_eq!(longest(None), 16 << 10);
        assert_eq!(longest(Some(0xee)), 2688);
        assert_eq!(longest(Some(7)), 832);
        assert_eq!(longest(Some(0)), 576);
        assert_eq!(
            extent(Mnemonic::Fxsave).unwrap().longest_bytes(Some(0)),
            512
        );
        assert_eq!(extent(Mnemonic::Mov), None);
    }
}
