//! What stands in place of a register's view in a segment's table of lists.

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::MarkerKind;

/// In place of a register: the steps of a thread, where a segment has several threads.
pub const STEPS_OF_THREAD: RegisterView = RegisterView::new(RegisterId(u16::MAX), 0, 0);

/// In place of the kind of a marker: system calls from which on others than the steps of the trace change memory.
/// They are among those of [`MarkerKind::SYSTEM_CALL`] too; no format has this number.
pub const SHARING_CALLS: MarkerKind = MarkerKind(MarkerKind::FIRST_GAP.0 - 1);

/// In place of a register, with the kind as offset: the slots of a thread's markers of the kind.
pub const fn markers_of(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 1), kind.0, 0)
}

/// The same for all threads together, as a list of thread 0, where a segment has several threads.
pub const fn markers_of_all(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 2), kind.0, 0)
}
