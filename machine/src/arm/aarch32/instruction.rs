//! An instruction and its operands.

use capstone::RegId;
use capstone::arch::arm::{ArmCC, ArmOperand, ArmOperandType, ArmShift};
use capstone::arch::{ArchDetail, DetailsArchInsn as _};

use crate::arm::aarch32::{element, structures, vector};
use crate::arm::by_lists;
use crate::arm::views::view_of;
use crate::description::MeaningBuilder;
use crate::disassembly::DisassembledInstruction;
use crate::expression::{Expression, Operation};
use crate::meaning::ExecutionCondition;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// The description of an instruction.
pub fn describe(
    instruction: &DisassembledInstruction<'_>,
    set: InstructionSet,
) -> Option<MeaningBuilder> {
    let detail = instruction.detail.arch_detail();
    let ArchDetail::ArmDetail(detail) = detail else {
        return None;
    };
    // The condition of an `it` is that of what follows.
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
            .or_else(|| element::describe(bytes, set))
            .unwrap_or_else(|| by_lists::describe(instruction, set)),
    };
    arm.implicit();
    if is_structure {
        // All is said.
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
    by_lists::note_listed(&mut arm.description, instruction, set);
    Some(arm.description)
}

/// What a mnemonic says besides its name.
#[derive(Clone, Copy)]
pub(super) struct MnemonicSuffixes {
    pub is_conditional: bool,
    pub updates_flags: bool,
}

/// The mnemonic without width, condition, and the letter that asks for flags.
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

/// An instruction that is being described.
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
    /// What the lists of the disassembler do not have.
    fn implicit(&mut self) {
        let count = self
            .name
            .strip_prefix("it")
            .filter(|rest| rest.bytes().all(|byte| matches!(byte, b't' | b'e')));
        if let Some(count) = count.and_then(|rest| u8::try_from(rest.len() + 1).ok()) {
            self.description.meaning.condition = ExecutionCondition::Block(count);
            self.description.read(FLAGS);
        }
        // The lists leave out the registers that say how far an operand is shifted.
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
            // And what is saturated.
            "ssat" | "usat" | "ssat16" | "usat16" => {
                self.register(2)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
            }
            // And what is added or packed, which may be rotated.
            "uxtab" | "uxtah" | "uxtab16" | "sxtab" | "sxtah" | "sxtab16" | "pkhbt" | "pkhtb" => {
                self.register(2)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
            }
            "bl" | "blx" => {
                let thumb_bit = u64::from(self.set == InstructionSet::T32);
                self.description.set(
                    LINK,
                    Expression::Constant(self.instruction.site.behind() | thumb_bit),
                );
            }
            // It clears the lowest bit of the link register where it comes from the Non-secure state (DDI 0553, "SG").
            "sg" => {
                self.description.read(LINK);
                self.description.write(LINK);
            }
            // The target's lowest bit decides whether the return address goes into the link register or to the stack
            // (DDI 0553, "BLXNS").
            "blxns" => {
                self.description.forget_lists();
                self.register(0)
                    .into_iter()
                    .for_each(|view| self.description.read(view));
                self.description.write(LINK);
            }
            // The lists call the register read in either direction, and do not have the second one.
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
            // The result of a system call or of semihosting; the link register that is written is not that of the caller.
            "svc" | "hvc" | "smc" | "bkpt" | "hlt" => {
                self.description.forget_lists();
                self.description
                    .write(RegisterView::new(RegisterId::X0, 0, 4));
            }
            // What they add to, the lists call written alone.
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

    /// The register of an operand.
    pub fn register(&self, operand: usize) -> Option<RegisterView> {
        match self.operands.get(operand)?.op_type {
            ArmOperandType::Reg(register) => self.view(register),
            _ => None,
        }
    }

    /// The registers of all operands.
    fn registers(&self) -> Vec<RegisterView> {
        (0..self.operands.len())
            .filter_map(|operand| self.register(operand))
            .collect()
    }

    /// The program counter as an operand has it: two instructions further.
    pub fn program_counter(&self) -> u64 {
        let ahead = if self.set == InstructionSet::T32 {
            4
        } else {
            8
        };
        self.instruction.site.pc.0.wrapping_add(ahead)
    }

    /// What a register holds.
    pub fn held(&self, view: RegisterView) -> Expression {
        match view.register {
            RegisterId::PC => Expression::Constant(self.program_counter()),
            _ => Expression::Register(view),
        }
    }

    /// What an operand held, shifted as it says.
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

    /// A register gets a value of its width.
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

/// The register that says how far an operand is shifted.
pub(super) fn amount_of(shift: ArmShift) -> Option<RegId> {
    match shift {
        ArmShift::AsrReg(amount)
        | ArmShift::LslReg(amount)
        | ArmShift::LsrReg(amount)
        | ArmShift::RorReg(amount) => Some(amount),
        _ => None,
    }
}

/// A value of 32 bits, shifted by a constant.
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
        // By a register, or through the carry.
        _ => Expression::Unknown,
    }
}
