//! Fidelity of a waveform to that of `tarmac-vcd`.

/// Conventions of a waveform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Conventions of `tarmac-vcd`, including its function changes and its byte order of diagrams.
    TarmacVcd,
    /// Conventions of the trace: functions change at their own step, and diagrams are read in the
    /// byte order of the CPU.
    Exact,
}
