//! Markers after which a thread does not continue as its last instruction says.

use stepback_parsers::{GapReason, MarkerKind};

/// Activity before these is not recorded: steps of the thread may be missing.
pub(crate) const GAPS: [MarkerKind; 5] = [
    MarkerKind::WINDOW,
    GapReason::Lost.kind(),
    GapReason::Off.kind(),
    GapReason::Unmapped.kind(),
    GapReason::Contradiction.kind(),
];

/// After these, the registers and the program counter may differ from the results of the
/// instruction before.
pub(crate) const BREAKS: [MarkerKind; 15] = [
    MarkerKind::KERNEL_EVENT,
    MarkerKind::KERNEL_TRANSFER,
    MarkerKind::RSEQ_ABORT,
    MarkerKind::WINDOW,
    MarkerKind::SYSTEM_CALL_START,
    MarkerKind::SYSTEM_CALL_END,
    MarkerKind::CONTEXT_SWITCH_START,
    MarkerKind::CONTEXT_SWITCH_END,
    MarkerKind::UNCOMPLETED,
    MarkerKind::HARDWARE_EVENT,
    MarkerKind::HARDWARE_RETURN,
    GapReason::Lost.kind(),
    GapReason::Off.kind(),
    GapReason::Unmapped.kind(),
    GapReason::Contradiction.kind(),
];
