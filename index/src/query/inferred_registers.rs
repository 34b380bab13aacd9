//! Registers inferred from the semantics of the steps.

use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::inference::Inference;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::inference::register_values::infer_registers;
use crate::query::question::Query;

/// Infers the registers of a thread at a position from its steps, without the values that the trace
/// may state. Cost: some thousand steps are read, and some hundred around the last write of a
/// register that these do not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredRegisters {
    /// Position of the query.
    pub position: Position,
    /// Thread of the registers.
    pub thread: ThreadId,
}

impl Query for InferredRegisters {
    type Answer = Inference;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Inference, QueryError> {
        infer_registers(index, self.thread, self.position, cancel)
    }
}
