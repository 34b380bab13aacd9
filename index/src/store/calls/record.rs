//! A frame of the table of calls as a row of numbers ([`CallRecord`]). Steps count from the call, and
//! frames back from this one, so that the numbers are small.

use crate::answers::call::{Evidence, FrameEntry, FrameExit};

/// Number of columns of the table: function, call step, entry step, exit step, parent, shortcut,
/// depth, thread, kinds.
pub(super) const COLUMNS: usize = 9;

/// A frame with its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallRecord {
    pub function: u64,
    pub call_step: Option<u64>,
    pub entry_step: Option<u64>,
    pub exit_step: Option<u64>,
    /// Number of the calling frame.
    pub parent: Option<u64>,
    /// Number of a frame further out than the parent.
    pub skip: Option<u64>,
    pub depth: u32,
    pub thread: u16,
    pub entered: FrameEntry,
    pub left: FrameExit,
    pub evidence: Evidence,
}

impl CallRecord {
    /// Returns the row of the frame, which has this number.
    pub fn row(&self, number: u64) -> [u64; COLUMNS] {
        let call = self.call_step.unwrap_or(0);
        let after_call =
            |step: Option<u64>| step.map_or(0, |step| step.wrapping_sub(call).wrapping_add(1));
        let back = |frame: Option<u64>| frame.map_or(0, |frame| number.wrapping_sub(frame));
        let [entered, left] = [self.entered as u64, self.left as u64];
        [
            self.function,
            self.call_step.map_or(0, |step| step.wrapping_add(1)),
            after_call(self.entry_step),
            after_call(self.exit_step),
            back(self.parent),
            back(self.skip),
            self.depth.into(),
            self.thread.into(),
            entered | left << 8 | (self.evidence as u64) << 16,
        ]
    }

    /// Returns the frame with this number; `None` if its row is malformed.
    pub fn of_row(number: u64, row: [u64; COLUMNS]) -> Option<Self> {
        let [
            function,
            call,
            entry,
            exit,
            parent,
            skip,
            depth,
            thread,
            kinds,
        ] = row;
        let call_step = call.checked_sub(1);
        let after_call = |step: u64| {
            let distance = step.checked_sub(1)?;
            Some(call_step.unwrap_or(0).wrapping_add(distance))
        };
        // Frames outside this one precede it, so each walk outwards ends, on damaged data too.
        let back = |frame: u64| number.checked_sub(frame).filter(|outer| *outer < number);
        let kind = |shift: u32| (kinds >> shift & 0xff) as usize;
        Some(Self {
            function,
            call_step,
            entry_step: after_call(entry),
            exit_step: after_call(exit),
            parent: back(parent),
            skip: back(skip),
            depth: u32::try_from(depth).ok()?,
            thread: u16::try_from(thread).ok()?,
            entered: *FrameEntry::ALL.get(kind(0))?,
            left: *FrameExit::ALL.get(kind(8))?,
            evidence: *Evidence::ALL.get(kind(16))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let plain = CallRecord {
            function: 0x1000,
            call_step: Some(7),
            entry_step: Some(8),
            exit_step: Some(20),
            parent: Some(40),
            skip: Some(0),
            depth: 3,
            thread: 2,
            entered: FrameEntry::Call,
            left: FrameExit::Return,
            evidence: Evidence::Link,
        };
        assert_eq!(plain.row(41)[..6], [0x1000, 8, 2, 14, 1, 41]);
        let root = CallRecord {
            call_step: None,
            entry_step: Some(0),
            exit_step: None,
            parent: None,
            skip: None,
            entered: FrameEntry::Root,
            left: FrameExit::Open,
            ..plain
        };
        let without_steps = CallRecord {
            call_step: Some(0),
            entry_step: None,
            exit_step: Some(u64::MAX - 1),
            ..plain
        };
        for frame in [plain, root, without_steps] {
            assert_eq!(CallRecord::of_row(41, frame.row(41)), Some(frame));
        }
    }
}
