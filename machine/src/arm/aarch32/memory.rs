//! Loads and stores of AArch32.

use capstone::RegId;
use capstone::arch::arm::{ArmOpMem, ArmOperand, ArmOperandType, ArmShift};

use crate::arm::aarch32::instruction::Aarch32Describer;
use crate::expression::{Expression, Operation};
use crate::meaning::{AccessKind, MemoryOperand, ScaledRegister};
use crate::view::{RegisterId, RegisterView};

/// Access properties from the mnemonic of a single load or store.
struct SingleTransfer {
    kind: AccessKind,
    size_bytes: u16,
    is_signed: bool,
}

impl Aarch32Describer<'_> {
    /// Returns true for PUSH, LDM and the like.
    pub fn is_list(&self) -> bool {
        matches!(
            self.name,
            "push" | "pop" | "vpush" | "vpop" | "fldmiax" | "fldmdbx" | "fstmiax" | "fstmdbx"
        ) || ["ldm", "stm", "vldm", "vstm"]
            .iter()
            .any(|prefix| self.name.starts_with(prefix))
    }

    /// Describes the accesses; marks memory as unknown if it cannot.
    pub fn memory(&mut self) {
        let is_known = if self.is_list() {
            self.list()
        } else {
            self.single_or_pair()
        };
        if is_known.is_none() {
            self.description.access_unknown();
        }
    }

    fn list(&mut self) -> Option<()> {
        let is_stack = matches!(self.name, "push" | "pop" | "vpush" | "vpop");
        let is_load = self.name.contains("ld") || self.name.ends_with("pop");
        let stack = RegisterView::new(RegisterId::SP, 0, 4);
        let base = if is_stack { stack } else { self.register(0)? };
        let places = usize::from(!is_stack)..self.operands.len();
        let registers: Vec<_> = places
            .map(|place| self.register(place))
            .collect::<Option<_>>()?;
        let total: i64 = registers
            .iter()
            .map(|view| i64::from(view.size_bytes))
            .sum();
        let is_down =
            self.name.contains("db") || self.name.contains("da") || self.name.ends_with("push");
        let start = match self.name {
            "ldmib" | "stmib" => 4,
            "ldmda" | "stmda" => 4 - total,
            _ if is_down => -total,
            _ => 0,
        };
        // The disassembler lists the registers of VPOP and VPUSH as both read and written.
        if self.name.starts_with(['v', 'f']) {
            self.description.forget_lists();
        }
        let mut displacement = start;
        let place = |displacement| Aarch32Address {
            base: Some(base),
            index: None,
            displacement,
        };
        for view in registers {
            let size_bytes = view.size_bytes;
            if is_load {
                let loaded = self.access(
                    AccessKind::Read,
                    place(displacement),
                    size_bytes,
                    Expression::Unknown,
                );
                self.fill(view, loaded);
            } else {
                self.access(
                    AccessKind::Write,
                    place(displacement),
                    size_bytes,
                    self.held(view),
                );
            }
            displacement += i64::from(size_bytes);
        }
        let is_loaded = is_load
            && self
                .description
                .meaning
                .writes
                .iter()
                .any(|effect| effect.view.overlaps(base));
        if (is_stack || self.writes_back) && !is_loaded {
            let moved = if is_down { -total } else { total };
            self.description.set(
                base,
                Expression::Register(base).plus(moved).zero_extended(32),
            );
        }
        Some(())
    }

    fn single_or_pair(&mut self) -> Option<()> {
        if self.name.starts_with("swp") {
            return self.swap();
        }
        let number = self
            .operands
            .iter()
            .position(|operand| matches!(operand.op_type, ArmOperandType::Mem(_)))?;
        let operand = self.operands.get(number)?;
        let ArmOperandType::Mem(memory) = operand.op_type else {
            return None;
        };
        let single = self.single()?;
        let place = self.place(&memory, operand)?;
        let step = self.step(number + 1)?;
        // One or two data registers, after the status register of an exclusive store.
        let is_exclusive_store = self.name.starts_with("strex") || self.name.starts_with("stlex");
        let first = usize::from(is_exclusive_store);
        let mut at = place;
        for data in first..number {
            let view = self.register(data)?;
            if single.kind == AccessKind::Read {
                let loaded =
                    self.access(AccessKind::Read, at, single.size_bytes, Expression::Unknown);
                let bits = u8::try_from(single.size_bytes * 8).unwrap_or(64);
                let value = if single.is_signed {
                    loaded.sign_extended(bits).zero_extended(32)
                } else {
                    loaded
                };
                self.fill(view, value);
            } else {
                let bits = u8::try_from(single.size_bytes * 8).unwrap_or(64);
                // A trace may show a store that failed.
                let value = if is_exclusive_store {
                    Expression::Unknown
                } else {
                    self.held(view).zero_extended(bits)
                };
                // The lists mark the data register of STRBT and STRHT as written.
                self.description.forget_writes(view.register);
                self.description.read(view);
                self.access(AccessKind::Write, at, single.size_bytes, value);
            }
            at.displacement += i64::from(single.size_bytes);
        }
        if self.name.starts_with("tb") {
            self.access(
                AccessKind::Read,
                place,
                single.size_bytes,
                Expression::Unknown,
            );
        }
        match step {
            Some(value) => self.description.set(self.view(memory.base())?, value),
            None if self.writes_back => {
                let base = self.view(memory.base())?;
                let value = match place.index {
                    Some(_) => Expression::Unknown,
                    None => Expression::Register(base)
                        .plus(place.displacement)
                        .zero_extended(32),
                };
                self.description.set(base, value);
            }
            None => {}
        }
        Some(())
    }

    /// SWP, SWPB
    fn swap(&mut self) -> Option<()> {
        let (to, from) = (self.register(0)?, self.register(1)?);
        let operand = self.operands.get(2)?;
        let ArmOperandType::Mem(memory) = operand.op_type else {
            return None;
        };
        let place = self.place(&memory, operand)?;
        let size_bytes = if self.name == "swpb" { 1 } else { 4 };
        self.description.forget_lists();
        let loaded = self.access(AccessKind::Read, place, size_bytes, Expression::Unknown);
        let value = if size_bytes == 1 {
            self.held(from).zero_extended(8)
        } else {
            self.held(from)
        };
        self.access(AccessKind::Write, place, size_bytes, value);
        self.fill(to, loaded);
        Some(())
    }

    /// Returns the access properties; none for mnemonics that do more than access consecutive words
    /// for their registers.
    fn single(&self) -> Option<SingleTransfer> {
        let single = |kind, size_bytes, is_signed| {
            Some(SingleTransfer {
                kind,
                size_bytes,
                is_signed,
            })
        };
        match self.name {
            "ldr" | "ldrt" | "ldrex" | "lda" | "ldaex" | "ldrd" | "ldrexd" | "ldaexd" => {
                single(AccessKind::Read, 4, false)
            }
            "ldrb" | "ldrbt" | "ldrexb" | "ldab" | "ldaexb" | "tbb" => {
                single(AccessKind::Read, 1, false)
            }
            "ldrh" | "ldrht" | "ldrexh" | "ldah" | "ldaexh" | "tbh" => {
                single(AccessKind::Read, 2, false)
            }
            "ldrsb" | "ldrsbt" => single(AccessKind::Read, 1, true),
            "ldrsh" | "ldrsht" => single(AccessKind::Read, 2, true),
            "str" | "strt" | "strex" | "stl" | "stlex" | "strd" | "strexd" | "stlexd" => {
                single(AccessKind::Write, 4, false)
            }
            "strb" | "strbt" | "strexb" | "stlb" | "stlexb" => single(AccessKind::Write, 1, false),
            "strh" | "strht" | "strexh" | "stlh" | "stlexh" => single(AccessKind::Write, 2, false),
            "vldr" | "vstr" => {
                let kind = if self.name == "vldr" {
                    AccessKind::Read
                } else {
                    AccessKind::Write
                };
                // In the encoding, 01 in bits 8 and 9 means half precision.
                let is_half = self.instruction.mnemonic.ends_with(".16");
                single(
                    kind,
                    if is_half {
                        2
                    } else {
                        self.register(0)?.size_bytes
                    },
                    false,
                )
            }
            _ => None,
        }
    }

    /// Returns the address; the program counter is rounded down to a multiple of four.
    fn place(&self, memory: &ArmOpMem, operand: &ArmOperand) -> Option<Aarch32Address> {
        let base = self.view(memory.base())?;
        let mut place = Aarch32Address {
            base: Some(base),
            index: None,
            displacement: i64::from(memory.disp()),
        };
        if base.register == RegisterId::PC {
            place.base = None;
            let rounded = if self.name.starts_with("tb") {
                self.program_counter()
            } else {
                self.program_counter() & !3
            };
            place.displacement = rounded.cast_signed().wrapping_add(place.displacement);
        }
        if memory.index() != RegId::INVALID_REG {
            let places = match operand.shift {
                ArmShift::Invalid => u32::from(self.name == "tbh"),
                ArmShift::Lsl(places) if places < 32 => places,
                _ => return None,
            };
            let scale = 1i64 << places;
            let scale = if operand.subtracted { -scale } else { scale };
            place.index = Some(ScaledRegister {
                view: self.view(memory.index())?,
                is_signed: false,
                scale,
            });
        }
        Some(place)
    }

    /// Returns the new base if an operand after the memory operand gives a post-index step.
    fn step(&self, operand: usize) -> Option<Option<Expression>> {
        let Some(step) = self.operands.get(operand) else {
            return Some(None);
        };
        let ArmOperandType::Mem(memory) = self.operands.get(operand - 1)?.op_type else {
            return None;
        };
        let operation = if step.subtracted {
            Operation::Subtract
        } else {
            Operation::Add
        };
        let base = Expression::Register(self.view(memory.base())?);
        Some(Some(
            base.with(operation, self.value(operand)).zero_extended(32),
        ))
    }

    fn access(
        &mut self,
        kind: AccessKind,
        place: Aarch32Address,
        size_bytes: u16,
        value: Expression,
    ) -> Expression {
        let Aarch32Address {
            base,
            index,
            displacement,
        } = place;
        let size_bytes = Some(size_bytes);
        self.description.access(MemoryOperand {
            kind,
            segment: None,
            base,
            index,
            displacement,
            address_bytes: 4,
            size_bytes,
            value,
        })
    }

    /// Writes a loaded value to a register; a load of the program counter is a jump.
    fn fill(&mut self, view: RegisterView, loaded: Expression) {
        if view.register != RegisterId::PC {
            self.description.set(view, loaded);
        }
    }
}

/// Address of an access.
#[derive(Clone, Copy)]
struct Aarch32Address {
    base: Option<RegisterView>,
    index: Option<ScaledRegister>,
    displacement: i64,
}
