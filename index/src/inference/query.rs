//! The question.

use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::{Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::reason::Reason;
use crate::answers::register_file::RegisterState;
use crate::answers::thread::ThreadId;
use crate::answers::value::{Value, ValueSource};
use crate::index::{Index, Query};
use crate::inference::around::Around;

/// The registers of a thread at a position as far as its steps force them, without the values that the trace may state.
/// Cost: some thousand steps are read, and some hundred around the last write of a register that these do not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredRegisters {
    /// When.
    pub position: Position,
    /// Whose.
    pub thread: ThreadId,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The registers of which something is known, in the order of the architecture.
    pub registers: Vec<InferredRegister>,
    /// How often two facts about a register or a value in memory differed; neither is told then.
    pub contradictions: u64,
}

/// A register whose value is known in part or in whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredRegister {
    /// As shown.
    pub name: String,
    /// Which bytes.
    pub view: RegisterView,
    /// What is known of them.
    pub value: Value,
    /// Why.
    pub reason: Reason,
}

impl Query for InferredRegisters {
    type Answer = Inference;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Inference, QueryError> {
        index.check_position(self.position)?;
        if index.is_filtered(self.position, cancel)? {
            return Ok(Inference { registers: Vec::new(), contradictions: 0 });
        }
        let mut around = Around::new(index, self.thread, self.position, cancel)?;
        let mut registers = Vec::new();
        for (name, view) in Registers::shown(index.instruction_set(self.thread)) {
            let found = around.view(view, cancel)?.filter(|_| view.register != RegisterId::PC);
            registers.extend(found.map(|(value, reason)| InferredRegister { name, view, value, reason }));
        }
        Ok(Inference { registers, contradictions: around.contradictions() })
    }
}

/// Fills in what follows about registers that have no value. Nothing is done in traces that state values.
pub(crate) fn fill<S: Source>(
    index: &Index<S>,
    (thread, position): (ThreadId, Position),
    registers: &mut [RegisterState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    if !index.infers_registers() || is_filtered(index, position, cancel)? {
        return Ok(());
    }
    let mut around = Around::new(index, thread, position, cancel)?;
    around.writers = Some(registers.iter().map(|register| (register.view, register.written_at)).collect());
    for register in registers.iter_mut().filter(|register| register.value.is_unknown()) {
        if let Some((value, reason)) = around.view(register.view, cancel)? {
            (register.value, register.source, register.reason) = (value, ValueSource::Inferred, Some(reason));
        }
    }
    Ok(())
}

/// True when the trace leaves out instructions or accesses: what the steps between did is not known then.
pub(super) fn is_filtered<S: Source>(index: &Index<S>, at: Position, cancel: &Cancel) -> Result<bool, QueryError> {
    index.is_filtered(at, cancel)
}
