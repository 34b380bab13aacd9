//! Which accesses a question is about.

use stepback_machine::AccessKind;

/// Which accesses count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKinds {
    /// Loads.
    Reads,
    /// Stores; register writes.
    Writes,
    /// Both, as far as the trace records them.
    All,
}

impl AccessKinds {
    /// Whether accesses of a kind count.
    pub(crate) fn includes(self, kind: AccessKind) -> bool {
        match self {
            Self::Reads => kind == AccessKind::Read,
            Self::Writes => kind == AccessKind::Write,
            Self::All => true,
        }
    }
}
