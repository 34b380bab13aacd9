//! Pseudo views in a segment's table of lists.

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::MarkerKind;

/// Pseudo view for the steps of a thread, in a segment with several threads.
pub const STEPS_OF_THREAD: RegisterView = RegisterView::new(RegisterId(u16::MAX), 0, 0);

/// Pseudo kind of markers: system calls after which memory changes without steps of the trace. They
/// are also in the list of [`MarkerKind::SYSTEM_CALL`]; no format uses this number.
pub const SHARING_CALLS: MarkerKind = MarkerKind(MarkerKind::FIRST_GAP.0 - 1);

/// Returns the pseudo view for the slots of a thread's markers of a kind. The offset is the kind.
pub const fn markers_of(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 1), kind.0, 0)
}

/// Returns the pseudo view for the markers of all threads, as a list of thread 0, in a segment with
/// several threads.
pub const fn markers_of_all(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 2), kind.0, 0)
}
