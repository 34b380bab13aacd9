//! The two main styles of Tarmac.

/// A style of writing a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TarmacStyle {
    /// `IT` lines, `MR4` and `MW4`, a time on each line: Fast Models.
    FastModels,
    /// `ES` lines, `LD` and `ST` diagrams, a time on instruction lines: the ES style of RTL and of
    /// older models.
    Es,
}
