//! The one architecture of the protocol layer. Its registers are bytes: which ones there are
//! follows from the target description, which is written when a trace is opened.

use gdbstub::arch::{Arch, Registers};

/// An architecture with 64-bit addresses, which also serves 32-bit processors.
pub struct TraceArch;

impl Arch for TraceArch {
    type Usize = u64;
    type Registers = RegisterBytes;
    type BreakpointKind = usize;
    type RegId = ();
}

/// The contents of all registers in the order of the target description; `None` is unavailable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterBytes(pub Vec<Option<u8>>);

impl Registers for RegisterBytes {
    type ProgramCounter = u64;

    /// Not used by the protocol layer.
    fn pc(&self) -> u64 {
        0
    }

    fn gdb_serialize(&self, write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().copied().for_each(write_byte);
    }

    /// Accepts everything: the target refuses to write registers, whatever their values.
    fn gdb_deserialize(&mut self, _bytes: &[u8]) -> Result<(), ()> {
        Ok(())
    }
}
