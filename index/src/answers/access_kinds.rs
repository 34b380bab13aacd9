//! Kinds of accesses that a query considers.

use stepback_machine::AccessKind;

/// Kinds of accesses that a query considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKinds {
    /// Loads.
    Reads,
    /// Stores; register writes.
    Writes,
    /// Reads and writes, if the trace records them.
    All,
}

impl AccessKinds {
    /// Returns true if accesses of `kind` count.
    pub(crate) fn includes(self, kind: AccessKind) -> bool {
        match self {
            Self::Reads => kind == AccessKind::Read,
            Self::Writes => kind == AccessKind::Write,
            Self::All => true,
        }
    }
}
