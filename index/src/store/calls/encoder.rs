//! Encoder of the table of calls (`table.rs` has the layout). A [`CallFrame`] does not contain its
//! place in the tree: [`TableEncoder`] gets the frames in table order and derives parents and
//! shortcuts from the frames that are still open.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::answers::call::{Call, Evidence, FrameEntry, FrameExit};
use crate::store::calls::record::{COLUMNS, CallRecord};
use crate::store::calls::stacks::{CallLayout, StackPart, StackSwitch};
use crate::store::packed_rows::RowEncoder;

/// Exit of a frame that is never left.
const NEVER: u64 = u64::MAX;

/// Returns the encoded table of some frames, and its layout.
#[cfg(test)]
pub fn encode_frames(
    mut frames: Vec<CallFrame>,
    mut switches: Vec<StackSwitch>,
) -> (Vec<u8>, CallLayout) {
    frames.sort_unstable_by_key(CallFrame::place);
    switches.sort_unstable();
    encode_sorted(frames, switches)
}

/// Encodes frames and switches that are in table order.
pub fn encode_sorted(
    frames: impl IntoIterator<Item = CallFrame>,
    switches: Vec<StackSwitch>,
) -> (Vec<u8>, CallLayout) {
    let mut bytes = Vec::new();
    let mut encoder = TableEncoder::default();
    (frames.into_iter()).for_each(|frame| bytes.extend_from_slice(&encoder.push(&frame)));
    bytes.extend_from_slice(&encoder.finish());
    (bytes, encoder.layout(switches))
}

/// Encodes frames one by one in table order. Memory: 16 bytes for each simultaneously open frame
/// that ends later, and about 64 landmarks for those that never end.
#[derive(Debug, Default)]
pub struct TableEncoder {
    count: u64,
    open: OpenFrames,
    parts: Vec<StackPart>,
    rows: RowEncoder<COLUMNS>,
}

impl TableEncoder {
    /// Adds the next frame, and returns the bytes that are complete with it.
    pub fn push(&mut self, frame: &CallFrame) -> Vec<u8> {
        let number = self.count;
        let record = self.record(frame);
        self.rows.push(record.row(number))
    }

    /// Returns the bytes after those of the last frame.
    pub fn finish(&mut self) -> Vec<u8> {
        self.rows.finish()
    }

    /// Adds the next frame, and returns it with its place in the tree.
    fn record(&mut self, frame: &CallFrame) -> CallRecord {
        let number = self.count;
        self.count += 1;
        match self.parts.last_mut() {
            Some(part) if (part.thread, part.stack) == (frame.thread, frame.stack) => {
                part.end = self.count
            }
            _ => {
                self.open = OpenFrames::default();
                self.parts.push(StackPart {
                    thread: frame.thread,
                    stack: frame.stack,
                    end: self.count,
                });
            }
        }
        let open = &mut self.open;
        if let Some(begin) = frame.call_step {
            open.close_until(begin);
        }
        let depth = open.len();
        let record = CallRecord {
            function: frame.function,
            call_step: frame.call_step,
            entry_step: frame.entry_step,
            exit_step: frame.exit_step,
            parent: depth.checked_sub(1).and_then(|depth| open.at(depth)),
            skip: open.at(skip_depth(depth)),
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            thread: frame.thread,
            entered: frame.entered,
            left: frame.left,
            evidence: frame.evidence,
        };
        let exit = frame.exit_step.unwrap_or(NEVER);
        open.push(OpenFrame { number, exit });
        record
    }

    /// Returns the layout of the table of all encoded frames. `switches` must be sorted.
    pub fn layout(self, switches: Vec<StackSwitch>) -> CallLayout {
        CallLayout {
            parts: self.parts,
            switches,
        }
    }
}

/// The frames on the stack of the next frame.
#[derive(Debug, Default)]
struct OpenFrames {
    /// Number of outermost frames up to the innermost one that never ends. They all stay open to
    /// the end.
    stay: u64,
    /// The frames among them that a later frame may have as its parent or its shortcut, outermost
    /// first. These are the innermost one, the target of its shortcut, and so on: one for each set
    /// binary digit of its depth.
    landmarks: Vec<Landmark>,
    /// The frames inside them, innermost last.
    rest: Vec<OpenFrame>,
}

#[derive(Clone, Copy, Debug)]
struct OpenFrame {
    number: u64,
    /// The step that left the frame.
    exit: u64,
}

#[derive(Clone, Copy, Debug)]
struct Landmark {
    /// Number of frames around it.
    depth: u64,
    number: u64,
}

impl OpenFrames {
    fn len(&self) -> u64 {
        self.stay + self.rest.len() as u64
    }

    /// Returns the number of the frame at a depth; `None` for frames that no later frame refers to.
    fn at(&self, depth: u64) -> Option<u64> {
        if let Some(place) = depth.checked_sub(self.stay) {
            return self
                .rest
                .get(usize::try_from(place).ok()?)
                .map(|frame| frame.number);
        }
        let place = self
            .landmarks
            .binary_search_by_key(&depth, |landmark| landmark.depth)
            .ok()?;
        self.landmarks.get(place).map(|landmark| landmark.number)
    }

    /// Removes the innermost frames that were left by `step` or before.
    fn close_until(&mut self, step: u64) {
        while self.rest.pop_if(|frame| frame.exit <= step).is_some() {}
    }

    fn push(&mut self, frame: OpenFrame) {
        self.rest.push(frame);
        if frame.exit != NEVER {
            return;
        }
        for OpenFrame { number, .. } in self.rest.drain(..) {
            let depth = self.stay;
            while self
                .landmarks
                .pop_if(|landmark| landmark.depth > skip_depth(depth))
                .is_some()
            {}
            self.landmarks.push(Landmark { depth, number });
            self.stay += 1;
        }
    }
}

/// Returns the depth of the shortcut of a frame: its own depth without the lowest set binary digit
/// (as in a Fenwick tree). Parents and shortcuts that do not lead too far reach any outer depth in
/// O(log² depth).
fn skip_depth(depth: u64) -> u64 {
    depth & depth.saturating_sub(1)
}

/// Sort key: thread, stack, call step, exit, entry and function of a frame.
pub type FrameSortKey = (u16, u32, u64, Reverse<u64>, Reverse<u64>, u64);

/// A frame as found. The set of all frames determines its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallFrame {
    /// Thread number in the index.
    pub thread: u16,
    /// Stack number in the thread.
    pub stack: u32,
    /// Address of the first instruction.
    pub function: u64,
    /// The calling step; `None` for a root.
    pub call_step: Option<u64>,
    /// First step inside the frame; `None` if the trace ends with the call.
    pub entry_step: Option<u64>,
    /// Last step inside the frame; `None` while it is open.
    pub exit_step: Option<u64>,
    /// Event that entered the frame.
    pub entered: FrameEntry,
    /// Event that left the frame.
    pub left: FrameExit,
    /// Evidence for the frame.
    pub evidence: Evidence,
}

impl CallFrame {
    /// Returns the sort key in the table: by thread, stack, call step, then outermost first. Of two
    /// frames that begin and end together, the one entered later was interrupted by the other.
    pub fn place(&self) -> FrameSortKey {
        let [exit, entry] =
            [self.exit_step, self.entry_step].map(|step| Reverse(step.unwrap_or(u64::MAX)));
        (
            self.thread,
            self.stack,
            self.call_step.map_or(0, |step| step + 1),
            exit,
            entry,
            self.function,
        )
    }

    /// Returns the frame of a table entry on a stack of its thread.
    pub fn of(call: &Call, stack: u32) -> Self {
        Self {
            thread: call.thread.0,
            stack,
            function: call.function.0,
            call_step: call.call_step.map(|step| step.0),
            entry_step: call.entry_step.map(|step| step.0),
            exit_step: call.exit_step.map(|step| step.0),
            entered: call.entered,
            left: call.left,
            evidence: call.evidence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::call::{Evidence, FrameEntry, FrameExit};

    fn frame(call_step: u64, exit_step: Option<u64>) -> CallFrame {
        CallFrame {
            thread: 0,
            stack: 0,
            function: 0x1000,
            call_step: Some(call_step),
            entry_step: Some(call_step + 1),
            exit_step,
            entered: FrameEntry::Call,
            left: if exit_step.is_some() {
                FrameExit::Return
            } else {
                FrameExit::Open
            },
            evidence: Evidence::Record,
        }
    }

    #[test]
    fn parents_and_shortcuts_are_those_of_a_plain_stack() {
        let mut seed = 1u64;
        let mut below = |bound: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for never in [0, 1, 2, 5, 50] {
            let (mut encoder, mut open) = (TableEncoder::default(), Vec::<(u64, u64)>::new());
            for number in 0..5000u64 {
                let call = 10 * number;
                let exit = (below(50) >= never)
                    .then(|| call + 1)
                    .map(|exit| (exit, below(2000)))
                    .map(|(exit, bound)| exit + below(1 + bound));
                let record = encoder.record(&frame(call, exit));
                while open.pop_if(|(_, exit)| *exit <= call).is_some() {}
                let shortcut = open.get(skip_depth(open.len() as u64) as usize);
                let expected =
                    [open.last(), shortcut].map(|frame| frame.map(|(number, _)| *number));
                assert_eq!(
                    [record.parent, record.skip],
                    expected,
                    "{number}, {never} in 50"
                );
                assert_eq!(record.depth, open.len() as u32);
                open.push((number, exit.unwrap_or(NEVER)));
            }
        }
    }

    #[test]
    fn calls_that_never_return_take_no_memory_while_they_are_encoded() {
        let mut encoder = TableEncoder::default();
        for number in 0..1_000_000 {
            // Every second frame calls a function that returns.
            encoder.record(&frame(
                10 * number,
                Some(10 * number + 5).filter(|_| number % 2 == 1),
            ));
            assert!(
                encoder.open.landmarks.len() <= 64 && encoder.open.rest.len() <= 1,
                "{number}"
            );
        }
    }

    #[test]
    fn a_walk_outwards_takes_few_steps() {
        let cost = |from: u64, to: u64| {
            let outwards = |depth: &u64| {
                Some(if skip_depth(*depth) >= to {
                    skip_depth(*depth)
                } else {
                    depth - 1
                })
            };
            std::iter::successors(Some(from), outwards)
                .take_while(|depth| *depth > to)
                .count()
        };
        let last = (1 << 20) - 1;
        assert!(
            (0..last)
                .step_by(97)
                .chain([0, 1 << 19, last - 1])
                .all(|to| cost(last, to) <= 20 * 21 / 2)
        );
    }
}
