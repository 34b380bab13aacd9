//! Builder for the registers and the meaning of an instruction.

use crate::expression::Expression;
use crate::meaning::{AccessKind, Meaning, MemoryOperand, RegisterEffect, RegisterUse};
use crate::view::{RegisterId, RegisterView};

/// Registers and effects of an instruction, collected step by step.
#[derive(Clone, Debug)]
pub(super) struct MeaningBuilder {
    /// Registers read as data, not for addresses.
    reads: Vec<RegisterView>,
    /// Registers read to compute addresses.
    address_reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
    /// Parts of written registers that keep their values.
    kept: Vec<RegisterView>,
    pub meaning: Meaning,
}

impl Default for MeaningBuilder {
    fn default() -> Self {
        let meaning = Meaning {
            is_memory_known: true,
            ..Meaning::default()
        };
        Self {
            reads: Vec::new(),
            address_reads: Vec::new(),
            writes: Vec::new(),
            kept: Vec::new(),
            meaning,
        }
    }
}

impl MeaningBuilder {
    /// Adds a register that is read.
    pub fn read(&mut self, view: RegisterView) {
        self.reads.push(view);
    }

    /// Adds a write of an unknown value.
    pub fn write(&mut self, view: RegisterView) {
        self.set(view, Expression::Unknown);
    }

    /// Adds a write of a value; replaces an earlier value of the same bytes.
    pub fn set(&mut self, view: RegisterView, value: Expression) {
        self.read_all(&value);
        self.writes.push(view);
        self.meaning
            .writes
            .retain(|effect| !effect.view.overlaps(view));
        if value != Expression::Unknown {
            self.meaning.writes.push(RegisterEffect { view, value });
        }
    }

    /// Sets the value of a part of a register that is already listed as written.
    pub fn set_part(&mut self, view: RegisterView, value: Expression) {
        self.read_all(&value);
        self.meaning.writes.push(RegisterEffect { view, value });
    }

    /// Adds a write of an unknown value to a register of at most 16 bytes, except for the masked
    /// bits, which are kept.
    ///
    /// A byte that is kept entirely depends on itself only. A byte that is kept in part is also an
    /// operand.
    pub fn write_keeping(&mut self, view: RegisterView, kept_bits: u128) {
        self.write(view);
        let bytes = kept_bits.to_le_bytes();
        let mut runs: Vec<RegisterView> = Vec::new();
        for (offset, byte) in (0..view.size_bytes).zip(bytes) {
            let part = RegisterView {
                offset: view.offset + offset,
                size_bytes: 1,
                ..view
            };
            match byte {
                0 => {}
                0xff => push_joined(&mut runs, part),
                _ => self.read(part),
            }
        }
        runs.into_iter().for_each(|part| self.keep(part));
    }

    /// Marks a part of a written register as unchanged.
    pub fn keep(&mut self, view: RegisterView) {
        self.kept.push(view);
        self.meaning.writes.push(RegisterEffect {
            view,
            value: Expression::Register(view),
        });
    }

    /// Returns true if any part of a register is read or kept; reads for addresses do not count.
    pub fn takes_or_keeps(&self, register: RegisterId) -> bool {
        self.reads
            .iter()
            .chain(&self.kept)
            .any(|view| view.register == register)
    }

    /// Adds all registers of an expression as read.
    pub fn read_all(&mut self, value: &Expression) {
        match value {
            Expression::Register(view) => self.read(*view),
            Expression::Binary(_, left, right) => {
                self.read_all(left);
                self.read_all(right);
            }
            Expression::Extended { value, .. } => self.read_all(value),
            Expression::Unknown | Expression::Constant(_) | Expression::Loaded(_) => {}
        }
    }

    /// Adds a memory access. Returns the loaded value, or unknown for a store.
    pub fn access(&mut self, operand: MemoryOperand) -> Expression {
        self.address_reads.extend(operand.address_registers());
        self.read_all(&operand.value);
        let kind = operand.kind;
        self.meaning.memory.push(operand);
        match kind {
            AccessKind::Read => Expression::Loaded(self.meaning.memory.len() - 1),
            AccessKind::Write => Expression::Unknown,
        }
    }

    /// Separates address registers from data when the list of reads mixes them: of the address
    /// registers, only those in `besides` are also read as data.
    pub fn tell_addresses_apart(&mut self, besides: &[RegisterView]) {
        if !self.meaning.is_memory_known {
            return;
        }
        self.reads
            .retain(|view| !self.address_reads.contains(view) || besides.contains(view));
        let stored: Vec<Expression> = self
            .meaning
            .memory
            .iter()
            .map(|operand| operand.value.clone())
            .collect();
        stored.iter().for_each(|value| self.read_all(value));
    }

    /// Removes a register from the data reads.
    pub fn forget_reads(&mut self, register: RegisterId) {
        self.reads.retain(|view| view.register != register);
    }

    /// Removes a register from the writes.
    pub fn forget_writes(&mut self, register: RegisterId) {
        self.writes.retain(|view| view.register != register);
        self.meaning
            .writes
            .retain(|effect| effect.view.register != register);
    }

    /// Discards the register lists collected until now.
    pub fn forget_lists(&mut self) {
        self.reads.clear();
        self.address_reads.clear();
        self.writes.clear();
        self.kept.clear();
        self.meaning.writes.clear();
    }

    /// Marks the memory accesses as incomplete.
    pub fn access_unknown(&mut self) {
        self.meaning.is_memory_known = false;
    }

    /// Finishes the description.
    pub fn finish(mut self) -> (RegisterUse, Meaning) {
        if !self.meaning.is_memory_known {
            self.forget_memory();
        }
        let (data, addresses) = (self.reads, self.address_reads);
        // With unknown accesses, address registers cannot be separated from data.
        let all = [data.as_slice(), &addresses].concat();
        // A kept part flows only into itself.
        self.meaning.data_reads = sorted(if self.meaning.is_memory_known {
            data
        } else {
            all.clone()
        });
        let all = [all, self.kept].concat();
        (
            RegisterUse {
                reads: sorted(all),
                writes: sorted(self.writes),
            },
            self.meaning,
        )
    }

    fn forget_memory(&mut self) {
        self.meaning.memory.clear();
        self.meaning
            .writes
            .retain(|effect| !is_loaded(&effect.value));
    }
}

/// Appends a byte, merging it with its neighbours. Parts are aligned to their size, a power of two
/// of at most 8.
fn push_joined(parts: &mut Vec<RegisterView>, byte: RegisterView) {
    parts.push(byte);
    while let [.., low, high] = parts.as_mut_slice() {
        let is_joined = low.size_bytes == high.size_bytes
            && low.size_bytes < 8
            && low.offset.is_multiple_of(2 * low.size_bytes)
            && low.offset + low.size_bytes == high.offset;
        if !is_joined {
            return;
        }
        low.size_bytes *= 2;
        parts.pop();
    }
}

fn sorted(mut views: Vec<RegisterView>) -> Vec<RegisterView> {
    views.sort_unstable();
    views.dedup();
    views
}

fn is_loaded(value: &Expression) -> bool {
    match value {
        Expression::Loaded(_) => true,
        Expression::Binary(_, left, right) => is_loaded(left) || is_loaded(right),
        Expression::Extended { value, .. } => is_loaded(value),
        Expression::Unknown | Expression::Constant(_) | Expression::Register(_) => false,
    }
}
