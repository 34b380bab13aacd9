//! Extended mode: `run` starts the trace from its beginning, and `kill` does not end the connection.

use anyhow::Error;
use gdbstub::common::Pid;
use gdbstub::target::ext::extended_mode::{Args, AttachKind, ExtendedMode, ShouldTerminate};
use gdbstub::target::{TargetError, TargetResult};
use stepback_parsers::Position;

use crate::servers::gdb::protocol::NOT_PERMITTED;
use crate::servers::gdb::target::TraceTarget;

/// The only process; the number is that of the protocol layer.
const PROCESS: Pid = Pid::MIN;

impl ExtendedMode for TraceTarget<'_> {
    /// Goes to the start of the trace, which is of one run of one program with its arguments.
    fn run(
        &mut self,
        _filename: Option<&[u8]>,
        _arguments: Args<'_, '_>,
    ) -> TargetResult<Pid, Self> {
        self.move_to(Position(0))
            .map_err(|error| TargetError::Fatal(error.into()))?;
        Ok(PROCESS)
    }

    fn attach(&mut self, _pid: Pid) -> TargetResult<(), Self> {
        Err(TargetError::Errno(NOT_PERMITTED))
    }

    fn query_if_attached(&mut self, _pid: Pid) -> TargetResult<AttachKind, Self> {
        Ok(AttachKind::Attach)
    }

    /// Does nothing: nothing runs.
    fn kill(&mut self, _pid: Option<Pid>) -> TargetResult<ShouldTerminate, Self> {
        Ok(ShouldTerminate::No)
    }

    fn restart(&mut self) -> Result<(), Error> {
        Ok(self.move_to(Position(0))?)
    }
}
