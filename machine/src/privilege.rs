//! Kernel and programs.

/// Whose code accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// A program's.
    User,
    /// The kernel's.
    Kernel,
}
