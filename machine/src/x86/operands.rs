//! Values of instruction operands, and writes to them.

use iced_x86::{OpKind, Register};

use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::view::{RegisterId, RegisterView};
use crate::x86::access::X86Describer;

impl X86Describer {
    pub fn is_memory(&self, operand: u32) -> bool {
        use OpKind::{Memory, MemoryESDI, MemoryESEDI, MemoryESRDI, MemorySegESI, MemorySegRSI};
        matches!(
            self.kind(operand),
            Memory | MemoryESDI | MemoryESEDI | MemoryESRDI | MemorySegESI | MemorySegRSI
        )
    }

    fn kind(&self, operand: u32) -> OpKind {
        self.instruction
            .try_op_kind(operand)
            .unwrap_or(OpKind::FarBranch16)
    }

    pub fn register(&self, operand: u32) -> Register {
        self.instruction
            .try_op_register(operand)
            .unwrap_or(Register::None)
    }

    /// Returns the width of an operand in bits; an immediate has the width of the first operand.
    pub fn bits(&self, operand: u32) -> u8 {
        let size_bytes = match self.kind(operand) {
            OpKind::Register => self
                .view(self.register(operand))
                .map_or(0, |view| usize::from(view.size_bytes)),
            _ if self.is_memory(operand) => self.instruction.memory_size().size(),
            _ if operand > 0 => return self.bits(0),
            _ => 0,
        };
        u8::try_from(size_bytes * 8).unwrap_or(u8::MAX)
    }

    /// Returns the previous value of an operand.
    pub fn value(&self, operand: u32) -> Expression {
        match self.kind(operand) {
            OpKind::Register => self
                .view(self.register(operand))
                .map_or(Expression::Unknown, Expression::Register),
            // No instruction with modelled values has two loads.
            _ if self.is_memory(operand) => Expression::Loaded(0),
            _ => self
                .instruction
                .try_immediate(operand)
                .map_or(Expression::Unknown, Expression::Constant),
        }
    }

    /// Writes a value to an operand.
    pub fn set(&mut self, operand: u32, value: Expression) {
        let value = match self.bits(operand) {
            bits @ 1..=64 => value.zero_extended(bits),
            _ => value,
        };
        if self.is_memory(operand) {
            self.set_stored(value);
        } else if let Some(view) = self.view(self.register(operand)) {
            self.description.set(self.whole(view), value);
        }
    }

    /// Sets the value of the store, if there is exactly one.
    pub fn set_stored(&mut self, value: Expression) {
        self.description.read_all(&value);
        let mut stores = self
            .description
            .meaning
            .memory
            .iter_mut()
            .filter(|known| known.kind == AccessKind::Write);
        if let (Some(store), None) = (stores.next(), stores.next()) {
            store.value = value;
        }
    }

    /// Returns the bytes that a write of a view changes: 32-bit writes zero the upper half of a
    /// general register, and VEX encodings zero the rest of a vector.
    fn whole(&self, view: RegisterView) -> RegisterView {
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
        let is_legacy = self.instruction.encoding() == iced_x86::EncodingKind::Legacy;
        let size_bytes = match view.size_bytes {
            4 if self.word_bytes == 8 && view.register <= RegisterId::SP => 8,
            _ if is_vector && !is_legacy => 64,
            // Moves from general registers and from memory fill 16 bytes.
            _ if is_vector => 16,
            size => size,
        };
        RegisterView { size_bytes, ..view }
    }

    /// Returns the address of the memory operand (LEA).
    pub fn address(&self) -> Expression {
        let displacement = Expression::Constant(self.instruction.memory_displacement64());
        let of = |register: Register| match register {
            Register::None | Register::RIP | Register::EIP => Some(Expression::Constant(0)),
            register => self.view(register).map(Expression::Register),
        };
        let (base, index) = (
            of(self.instruction.memory_base()),
            of(self.instruction.memory_index()),
        );
        let (Some(base), Some(index)) = (base, index) else {
            return Expression::Unknown;
        };
        if self.instruction.memory_displ_size() == 2 || self.instruction.memory_base().is_gpr16() {
            return Expression::Unknown;
        }
        let scale = Expression::Constant(u64::from(self.instruction.memory_index_scale()));
        let index = if scale == Expression::Constant(1) {
            index
        } else {
            index.with(Operation::Multiply, scale)
        };
        let is_wide = matches!(self.instruction.memory_base(), base if base.is_gpr64() || base == Register::RIP)
            || self.instruction.memory_index().is_gpr64();
        let has_register = self.instruction.memory_base() != Register::None
            || self.instruction.memory_index() != Register::None;
        let sum = base
            .with(Operation::Add, index)
            .with(Operation::Add, displacement);
        if is_wide || !has_register {
            sum
        } else {
            sum.zero_extended(32)
        }
    }
}
