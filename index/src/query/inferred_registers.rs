//! Registers as far as the steps force them.

use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::inference::Inference;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::inference::register_values::infer_registers;
use crate::query::question::Query;

/// The registers of a thread at a position as far as its steps force them, without the values that the trace may state.
/// Cost: some thousand steps are read, and some hundred around the last write of a register that these do not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredRegisters {
    /// When.
    pub position: Position,
    /// Whose.
    pub thread: ThreadId,
}

impl Query for InferredRegisters {
    type Answer = Inference;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Inference, QueryError> {
        infer_registers(index, self.thread, self.position, cancel)
    }
}
