//! The call stack of a thread at a position, innermost frame first ([`CallStack`]).
//!
//! The list of frames is cheap. Their details ([`placed_frames`]) read the trace, so they are
//! requested only for the frames in view.

use std::ops::Range;

use stepback_index::answer::{CallId, ThreadId};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::model::call_stack::{SourceLineMode, StackFrame, stack_frames};
use crate::model::frame_place::{FrameLevel, WaitingPlace, next_address};
use crate::session::Session;

/// Frames on the stack of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallStack {
    pub thread: ThreadId,
    /// Frames, innermost first.
    pub frames: Vec<CallId>,
    /// Address of the next instruction of the thread; none if no step shows it.
    pub address: Option<Address>,
}

/// Returns the frames of a thread at a position. Without a thread, uses that of the last step
/// before the position. Runs on a worker.
///
/// Cost: one look at each frame, and one step.
///
/// # Errors
/// See [`QueryError`].
pub fn call_stack(
    session: &Session,
    thread: Option<ThreadId>,
    position: Position,
    cancel: &Cancel,
) -> Result<CallStack, QueryError> {
    let index = &session.index;
    let thread = match thread {
        Some(thread) => thread,
        None => SlotReader(index).thread_at(position)?,
    };
    let mut frames = index.calls().path_at(thread, position);
    frames.reverse();
    let innermost = frames.first().and_then(|id| index.calls().get(*id));
    let level = FrameLevel::innermost(thread, position);
    let address = next_address(session, level, innermost.as_ref(), cancel)?;
    Ok(CallStack {
        thread,
        frames,
        address,
    })
}

/// Frame of a stack with the instruction that it executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFrame {
    /// Details of the frame. Its name is that of the function which contains the instruction.
    pub frame: StackFrame,
    /// Address of the next instruction, or of the call that the frame waits for; none if no step
    /// shows it.
    pub address: Option<Address>,
}

/// Reads the details of some frames of a stack, by their number from the innermost. Runs on a
/// worker.
///
/// Cost: a few steps and the arguments' last writes for each frame.
///
/// # Errors
/// See [`QueryError`].
pub fn placed_frames(
    session: &Session,
    stack: &CallStack,
    levels: Range<usize>,
    wish: SourceLineMode,
    cancel: &Cancel,
) -> Result<Vec<PlacedFrame>, QueryError> {
    let end = levels.end.min(stack.frames.len());
    let levels = levels.start.min(end)..end;
    let calls = session.index.calls();
    let address_of = |level: usize| -> Result<Option<Address>, QueryError> {
        let Some(inner) = level.checked_sub(1) else {
            return Ok(stack.address);
        };
        let inner = stack.frames.get(inner).and_then(|id| calls.get(*id));
        let waiting = inner.map(|inner| WaitingPlace::around(session, &inner, cancel));
        Ok(waiting.transpose()?.and_then(|waiting| waiting.address))
    };
    let ids = stack.frames.get(levels.clone()).unwrap_or_default();
    let frames = stack_frames(session, ids, wish, cancel)?;
    let placed = levels.zip(frames).map(|(level, mut frame)| {
        let address = address_of(level)?;
        if let Some(address) = address {
            frame.name = frame.name_at(address, &session.images);
        }
        Ok(PlacedFrame { frame, address })
    });
    placed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::call_stack::{called_at, entered_at};
    use crate::session::test_session::{overflow, overflow_with_image};

    fn frames(position: u64) -> Vec<StackFrame> {
        let session = overflow();
        let cancel = Cancel::default();
        let stack = call_stack(&session, None, Position(position), &cancel).unwrap();
        let levels = 0..stack.frames.len();
        let frames = placed_frames(&session, &stack, levels, SourceLineMode::Stated, &cancel);
        frames
            .unwrap()
            .into_iter()
            .map(|placed| placed.frame)
            .collect()
    }

    #[track_caller]
    fn check(position: u64, expected: &[String]) {
        let frames = frames(position);
        let lines: Vec<String> = (0..)
            .zip(&frames)
            .map(|(number, frame)| frame.line(number))
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_innermost_frame_comes_first() {
        let names: Vec<String> = frames(1233).into_iter().map(|frame| frame.name).collect();
        assert_eq!(
            names,
            ["80000328", "80000390", "80000764", "80000898", "80000000"]
        );
    }

    #[test]
    fn a_frame_knows_who_called_it_with_what() {
        let frame = frames(1233).remove(0);
        assert_eq!(frame.signature(2), "80000328(x0=64, x1=ffffffe0, …)");
        assert_eq!(frame.call_text(), "from step 1,229 at 80000438");
        assert_eq!(
            (called_at(&frame.call), entered_at(&frame.call)),
            (Position(1229), Position(1230))
        );
        let lines = frame.detail_lines(&overflow());
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("returned, last step 1,236")),
            "{lines:?}"
        );
        assert!(
            lines
                .iter()
                .any(|line| line.contains("link register") || line.contains("came back")),
            "{lines:?}"
        );
    }

    #[test]
    fn the_stack_at_the_end_is_open() {
        let registers = "x3=0x41c64e6d, x4=0x0, x5=0x0, x6=0x0, x7=0x0)";
        let crash = format!(
            "#0 bfb1e598a4e5bda9(x0=0x80020010, x1=0x0, x2=0xbfb1e598a4e5bda9, {registers}"
        );
        let dispatch = format!("#1 8000087c(x0=0x840200a0, x1=0x0, x2=0x1, {registers}");
        let expected = [
            format!("{crash} from step 1,762 at 8000088c  [open]"),
            format!("{dispatch} from step 1,757 at 80000a2c  [open]"),
            "#2 80000898(x0=0x3, x1=0x8ffff6c8, x2=0x0, x3=0x0, x4=0x0, x5=0x0, x6=0x0, x7=0x0) from step 3 at 8000000c  [open]"
                .to_owned(),
            "#3 80000000() the first frame of its thread".to_owned(),
        ];
        check(1763, &expected);
    }

    #[test]
    fn nothing_called_the_first_frame() {
        let frame = frames(0).remove(0);
        assert_eq!(
            (frame.call_text().as_str(), frame.arguments.len()),
            ("the first frame of its thread", 0)
        );
        assert_eq!(
            (called_at(&frame.call), frame.marks().len()),
            (Position(0), 0)
        );
    }

    #[test]
    fn a_frame_that_falls_through_has_the_name_of_the_next_function() {
        let session = overflow_with_image();
        let cancel = Cancel::default();
        let mut stack = call_stack(&session, None, Position(1233), &cancel).unwrap();
        let mut name = |address| {
            stack.address = Some(Address(address));
            let mode = SourceLineMode::LeftOut;
            let frames = placed_frames(&session, &stack, 0..1, mode, &cancel).unwrap();
            frames[0].frame.name.clone()
        };
        // `nm`: hexval has 0x1c bytes, and decoded_size follows.
        let names = [0x8000_0328, 0x8000_0340, 0x8000_0344, 0x8000_08a0].map(&mut name);
        assert_eq!(names, ["hexval", "hexval", "decoded_size", "hexval"]);
    }
}
