//! An instruction while its description is put together.

use crate::access_kind::AccessKind;
use crate::view::RegisterView;

use crate::expression::Expression;
use crate::meaning::{Meaning, MemoryOperand, RegisterEffect};
use crate::register_use::RegisterUse;

/// What is known so far of an instruction.
#[derive(Clone, Debug)]
pub(super) struct Description {
    /// But for addresses.
    reads: Vec<RegisterView>,
    /// What addresses are made of.
    address_reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
    pub meaning: Meaning,
}

impl Default for Description {
    fn default() -> Self {
        let meaning = Meaning { is_memory_known: true, ..Meaning::default() };
        Self { reads: Vec::new(), address_reads: Vec::new(), writes: Vec::new(), meaning }
    }
}

impl Description {
    /// It reads a register.
    pub fn read(&mut self, view: RegisterView) {
        self.reads.push(view);
    }

    /// It writes a register with what cannot be told.
    pub fn write(&mut self, view: RegisterView) {
        self.set(view, Expression::Unknown);
    }

    /// It gives a register a value, which replaces one that it gave it before.
    pub fn set(&mut self, view: RegisterView, value: Expression) {
        self.read_all(&value);
        self.writes.push(view);
        self.meaning.writes.retain(|effect| !effect.view.overlaps(view));
        if value != Expression::Unknown {
            self.meaning.writes.push(RegisterEffect { view, value });
        }
    }

    /// It reads the registers of an expression.
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

    /// It accesses memory; for a load what that gives, else unknown.
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

    /// The registers of addresses were said to be read without saying what for: of them, only these are read besides.
    pub fn tell_addresses_apart(&mut self, besides: &[RegisterView]) {
        if !self.meaning.is_memory_known {
            return;
        }
        self.reads.retain(|view| !self.address_reads.contains(view) || besides.contains(view));
        let stored: Vec<Expression> = self.meaning.memory.iter().map(|operand| operand.value.clone()).collect();
        stored.iter().for_each(|value| self.read_all(value));
    }

    /// What was said of the registers so far is wrong.
    pub fn forget_lists(&mut self) {
        self.reads.clear();
        self.address_reads.clear();
        self.writes.clear();
        self.meaning.writes.clear();
    }

    /// It accesses memory that is not described.
    pub fn access_unknown(&mut self) {
        self.meaning.is_memory_known = false;
    }

    /// What it is now that all is said.
    pub fn finish(mut self) -> (RegisterUse, Meaning) {
        if !self.meaning.is_memory_known {
            self.forget_memory();
        }
        let (data, addresses) = (self.reads, self.address_reads);
        // Where it is not said which accesses there are, an address cannot be told from a value.
        let all = [data.as_slice(), &addresses].concat();
        self.meaning.data_reads = sorted(if self.meaning.is_memory_known { data } else { all.clone() });
        (RegisterUse { reads: sorted(all), writes: sorted(self.writes) }, self.meaning)
    }

    fn forget_memory(&mut self) {
        self.meaning.memory.clear();
        self.meaning.writes.retain(|effect| !is_loaded(&effect.value));
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
