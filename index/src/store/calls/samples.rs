//! Tables of calls for tests.

use std::sync::Arc;

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::store::calls::encoder::{CallFrame, encode_frames};
use crate::store::calls::table::{Arrival, CallTable};
use crate::store::data::IndexData;

/// A frame: thread, call step (none: a root), first step inside, last step inside.
pub type SampleFrame = (u16, Option<u64>, Option<u64>, Option<u64>);

/// Returns the table of some frames in a trace of `step_count` steps. Functions have the addresses
/// 0, 1, … in the order given.
pub fn table_of(samples: &[SampleFrame], step_count: u64) -> CallTable {
    let frame =
        |((thread, call_step, entry_step, exit_step), function): (&SampleFrame, u64)| CallFrame {
            thread: *thread,
            stack: 0,
            function,
            call_step: *call_step,
            entry_step: *entry_step,
            exit_step: *exit_step,
            entered: if call_step.is_some() {
                FrameEntry::Call
            } else {
                FrameEntry::Root
            },
            left: if exit_step.is_some() {
                FrameExit::Return
            } else {
                FrameExit::Open
            },
            evidence: if call_step.is_some() {
                Evidence::Link
            } else {
                Evidence::Start
            },
        };
    let (bytes, layout) = encode_frames(samples.iter().zip(0..).map(frame).collect(), Vec::new());
    let range = 0..bytes.len();
    CallTable::new(
        Arc::new(IndexData::Memory(bytes)),
        range,
        layout,
        step_count,
        Arrival::Next,
    )
}

/// Returns a sample table of 20 steps. Step 2 calls a function that ends with step 12 and makes
/// calls in steps 4 and 8. Step 14 calls a function that is never left, and step 19 one that the
/// trace does not show. The root has index 0, those calls 1, 2, 3, 4 and 5.
pub fn nested() -> CallTable {
    let samples = [
        (0, None, Some(0), None),
        (0, Some(2), Some(3), Some(12)),
        (0, Some(4), Some(5), Some(7)),
        (0, Some(8), Some(9), Some(10)),
        (0, Some(14), Some(15), None),
        (0, Some(19), None, None),
    ];
    table_of(&samples, 20)
}
