//! How much a waveform is like that of `tarmac-vcd`.

/// Whose conventions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Those of `tarmac-vcd`: function changes and the byte order of diagrams as it has them.
    TarmacVcd,
    /// The trace's: functions change at their own step, and diagrams are read in the byte order of the CPU.
    Exact,
}
