//! An instruction while its description is put together.

use crate::access_kind::AccessKind;
use crate::view::RegisterView;

use crate::expression::Expression;
use crate::meaning::{Meaning, MemoryOperand, RegisterEffect};
use crate::register_use::RegisterUse;

/// What is known so far of an instruction.
#[derive(Clone, Debug)]
pub(super) struct Description {
    reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
    pub meaning: Meaning,
}

impl Default for Description {
    fn default() -> Self {
        let meaning = Meaning { is_memory_known: true, ..Meaning::default() };
        Self { reads: Vec::new(), writes: Vec::new(), meaning }
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
        let index = operand.index.map(|index| index.view);
        self.reads.extend([operand.segment, operand.base, index].into_iter().flatten());
        self.read_all(&operand.value);
        let kind = operand.kind;
        self.meaning.memory.push(operand);
        match kind {
            AccessKind::Read => Expression::Loaded(self.meaning.memory.len() - 1),
            AccessKind::Write => Expression::Unknown,
        }
    }

    /// What was said of the registers so far is wrong.
    pub fn forget_lists(&mut self) {
        self.reads.clear();
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
        for list in [&mut self.reads, &mut self.writes] {
            list.sort_unstable();
            list.dedup();
        }
        (RegisterUse { reads: self.reads, writes: self.writes }, self.meaning)
    }

    fn forget_memory(&mut self) {
        self.meaning.memory.clear();
        self.meaning.writes.retain(|effect| !is_loaded(&effect.value));
    }
}

fn is_loaded(value: &Expression) -> bool {
    match value {
        Expression::Loaded(_) => true,
        Expression::Binary(_, left, right) => is_loaded(left) || is_loaded(right),
        Expression::Extended { value, .. } => is_loaded(value),
        Expression::Unknown | Expression::Constant(_) | Expression::Register(_) => false,
    }
}
