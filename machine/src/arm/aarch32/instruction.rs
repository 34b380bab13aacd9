//! An AArch32 instruction and its operands.

use capstone::RegId;
use capstone::arch::arm::{ArmCC, ArmOperand, ArmOperandType, ArmShift};
use capstone::arch::{ArchDetail, DetailsArchInsn as _};

use crate::arm::aarch32::{structures, vector};
use crate::arm::registers;
use crate::arm::registers::view_of;
use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};
use crate::instruction::DisassembledInstruction;
use crate::meaning::ExecutionCondition;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Describes an instruction.
pub fn describe(
    instruction: &DisassembledInstruction<'_>,
    set: InstructionSet,
) -> Option<MeaningBuilder> {
    let detail = instruction.detail.arch_detail();
    let ArchDetail::ArmDetail(detail) = detail else {
        return None;
    };
    // The condition of an `it` is the one of the following instruction.
    let is_always = matches!(detail.cc(), ArmCC::ARM_CC_AL | ArmCC::ARM_CC_INVALID);
    let is_conditional = !is_always && !instruction.mnemonic.starts_with("it");
    let bytes = instruction.site.encoding.bytes();
    let structures = structures::describe(bytes, set);
    let is_structure = structures.is_some();
    let suffixes = MnemonicSuffixes {
        is_conditional,
        updates_flags: detail.update_flags(),
    };
    let mut arm = Aarch32Describer {
        instruction,
        set,
        operands: detail.operands().collect(),
        name: name(instruction.mnemonic, suffixes),
        writes_back: detail.writeback(),
        description: structures
            .or_else(|| vector::describe(bytes, set))
            .or_else(|| structures::describe_element(bytes, set))
            .unwrap_or_else(|| registers::describe(instruction, set)),
    };
    arm.implicit();
    if is_structure {
        // The description is complete.
    } else if arm.has_memory() {
        arm.description.meaning.is_memory_known = true;
        arm.memory();
        arm.description.tell_addresses_apart(&[]);
    } else {
        arm.values();
    }
    arm.flags(suffixes, detail.cc());
    if is_conditional {
        arm.description.meaning.condition = ExecutionCondition::Conditional;
    }
    registers::note_listed(&mut arm.description, instruction, set);
    Some(arm.description)
}

/// Facts that a mnemonic states apart from its name.
#[derive(Clone, Copy)]
pub(super) struct MnemonicSuffixes {
    pub is_conditional: bool,
    pub updates_flags: bool,
}

/// Returns the mnemonic without width, condition and the S suffix.
fn name(mnemonic: &str, suffixes: MnemonicSuffixes) -> &str {
    let MnemonicSuffixes {
        is_conditional,
        updates_flags,
    } = suffixes;
    let name = mnemonic.split('.').next().unwrap_or_default();
    let name = if is_conditional {
        name.get(..name.len().saturating_sub(2)).unwrap_or(name)
    } else {
        name
    };
    name.strip_suffix('s')
        .filter(|_| updates_flags)
        .unwrap_or(name)
}

/// An instruction while its description is built.
pub(super) struct Aarch32Describer<'a> {
    pub instruction: &'a DisassembledInstruction<'a>,
    pub set: InstructionSet,
    pub operands: Vec<ArmOperand>,
    pub name: &'a str,
    pub writes_back: bool,
    pub description: MeaningBuilder,
}

pub(super) const FLAGS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);
const LINK: RegisterView = RegisterView::new(RegisterId::LR, 0, 4);

impl Aarch32Describer<'_> {
    /// Adds what the disassembler's lists omit.
    fn implicit(&mut self) {
        let count = self
            .name
            .strip_prefix("it")
            .filter(|rest| rest.bytes().all(|byte| matches!(byte, b't' | b'e')));
        if let Some(count) = count.and_then(|rest| u8::try_from(rest.len() + 1).ok()) {
            self.description.meaning.condition = ExecutionCondition::Block(count);
            self.description.read(FLAGS);
        }
        // The lists omit registers that hold shift amounts.
        let amounts = self
            .operands
            .iter()
            .filter_map(|operand| amount_of(operand.shift));
        let amounts: Vec<_> = amounts.filter_map(|register| self.view(register)).collect();
        amounts
            .into_iter()
            .for_each(|view| self.description.read(view));
        match self.name {
            "vmsr" => self
                .register(1)
                .into_iter()
                .for_each(|view| self.description.read(view)),
            // They omit the saturated register.
            "ssat" | "usat" | "ssat16" | "usat16" => {
                self.register(2)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
            }
            // They omit the register that is added or packed and may be rotated.
            "uxtab" | "uxtah" | "uxtab16" | "sxtab" | "sxtah" | "sxtab16" | "pkhbt" | "pkhtb" => {
                self.register(2)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
            }
            "bl" | "blx" => {
                let thumb_bit = u64::from(self.set == InstructionSet::T32);
                self.description.set(
                    LINK,
                    Expression::Constant(self.instruction.site.after() | thumb_bit),
                );
            }
            // SG clears the lowest bit of the link register if called from the Non-secure state
            // (DDI 0553, "SG").
            "sg" => {
                self.description.read(LINK);
                self.description.write(LINK);
            }
            // The lowest bit of the target decides whether the return address goes to the link
            // register or to the stack (DDI 0553, "BLXNS").
            "blxns" => {
                self.description.forget_lists();
                self.register(0)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
                self.description.write(LINK);
            }
            // The lists mark the register as read in both directions and omit the second one.
            "mrc" | "mrc2" | "mrrc" | "mrrc2" => {
                self.description.forget_lists();
                self.registers()
                    .into_iter()
                    .for_each(|view| self.description.write(view));
            }
            "mcr" | "mcr2" | "mcrr" | "mcrr2" => {
                self.description.forget_lists();
                self.registers()
                    .into_iter()
                    .for_each(|view| self.description.read(view));
            }
            "tt" | "tta" | "ttt" | "ttat" => {
                self.register(1)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
                self.register(0)
                    .into_iter()
                    .for_each(|view| self.description.write(view));
            }
            // Result of a system call or semihosting call; the link register that the lists mark as
            // written is not the caller's.
            "svc" | "hvc" | "smc" | "bkpt" | "hlt" => {
                self.description.forget_lists();
                self.description
                    .write(RegisterView::new(RegisterId::X0, 0, 4));
            }
            // The lists mark the accumulators only as written.
            name if ["umlal", "umaal", "smlal", "smlsld"]
                .iter()
                .any(|known| name.starts_with(known)) =>
            {
                let sums: Vec<_> = (0..2)
                    .filter_map(|operand| self.register(operand))
                    .collect();
                sums.into_iter()
                    .for_each(|view| self.description.read(view));
            }
            "bx" | "bxns" => {
                if let Some(view) = self
                    .register(0)
                    .filter(|view| view.register != RegisterId::PC)
                {
                    self.description.read(view);
                }
            }
            _ => {}
        }
    }

    fn has_memory(&self) -> bool {
        let is_memory = |operand: &ArmOperand| matches!(operand.op_type, ArmOperandType::Mem(_));
        self.operands.iter().any(is_memory) || self.is_list()
    }

    pub fn view(&self, register: RegId) -> Option<RegisterView> {
        view_of(self.instruction.disassembler, register, self.set)
    }

    /// Returns the register of an operand.
    pub fn register(&self, operand: usize) -> Option<RegisterView> {
        match self.operands.get(operand)?.op_type {
            ArmOperandType::Reg(register) => self.view(register),
            _ => None,
        }
    }

    /// Returns the registers of all operands.
    fn registers(&self) -> Vec<RegisterView> {
        (0..self.operands.len())
            .filter_map(|operand| self.register(operand))
            .collect()
    }

    /// Returns the program counter as an operand reads it: two instructions ahead.
    pub fn program_counter(&self) -> u64 {
        let ahead = if self.set == InstructionSet::T32 {
            4
        } else {
            8
        };
        self.instruction.site.pc.0.wrapping_add(ahead)
    }

    /// Returns the previous value of a register.
    pub fn held(&self, view: RegisterView) -> Expression {
        match view.register {
            RegisterId::PC => Expression::Constant(self.program_counter()),
            _ => Expression::Register(view),
        }
    }

    /// Returns the previous value of an operand, with its shift applied.
    pub fn value(&self, operand: usize) -> Expression {
        let Some(known) = self.operands.get(operand) else {
            return Expression::Unknown;
        };
        let value = match known.op_type {
            ArmOperandType::Reg(register) => self
                .view(register)
                .map_or(Expression::Unknown, |view| self.held(view)),
            ArmOperandType::Imm(number) => Expression::Constant(u64::from(number.cast_unsigned())),
            _ => Expression::Unknown,
        };
        shifted(value, known.shift)
    }

    /// Writes a value to an operand register, truncated to its width.
    pub fn set(&mut self, operand: usize, value: Expression) {
        let Some(view) = self
            .register(operand)
            .filter(|view| view.register != RegisterId::PC)
        else {
            return;
        };
        let value = if view.size_bytes == 4 {
            value.zero_extended(32)
        } else {
            value
        };
        self.description.set(view, value);
    }
}

/// Returns the register that holds the shift amount of an operand.
pub(super) fn amount_of(shift: ArmShift) -> Option<RegId> {
    match shift {
        ArmShift::AsrReg(amount)
        | ArmShift::LslReg(amount)
        | ArmShift::LsrReg(amount)
        | ArmShift::RorReg(amount) => Some(amount),
        _ => None,
    }
}

/// Returns a 32-bit value shifted by a constant.
fn shifted(value: Expression, shift: ArmShift) -> Expression {
    let by = |amount: u32| Expression::Constant(u64::from(amount));
    match shift {
        ArmShift::Invalid => value,
        ArmShift::Lsl(amount) => value
            .with(Operation::ShiftLeft, by(amount))
            .zero_extended(32),
        ArmShift::Lsr(amount) => value
            .zero_extended(32)
            .with(Operation::ShiftRight, by(amount)),
        ArmShift::Asr(amount) => value
            .sign_extended(32)
            .with(Operation::ShiftRightSigned, by(amount))
            .zero_extended(32),
        ArmShift::Ror(amount) => {
            let value = value.zero_extended(32);
            let left = value
                .clone()
                .with(Operation::ShiftLeft, by(32u32.saturating_sub(amount)));
            value
                .with(Operation::ShiftRight, by(amount))
                .with(Operation::Or, left)
                .zero_extended(32)
        }
        // Shifts by a register or through the carry.
        _ => Expression::Unknown,
    }
}
