//! The call stack of a thread at the position.

use anyhow::Result;
use serde_json::{Value as Json, json};
use stepback_debugger::model::call_stack::{SourceLineMode, StackFrame, stack_frames};
use stepback_debugger::model::frame_place::WaitingPlace;
use stepback_index::answer::{CallId, ThreadId};
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::arguments::Arguments;
use super::program::{FRAMES, FrameNumber, TracedProgram};

/// Maximum number of frames in an answer.
const FRAMES_AT_ONCE: u64 = 1000;

impl TracedProgram {
    /// Returns the frames of a thread, innermost first.
    pub fn frames(&self, thread: ThreadId) -> Vec<CallId> {
        let mut frames = self.index().calls().path_at(thread, self.position);
        frames.reverse();
        frames.truncate(usize::try_from(FRAMES).unwrap_or(usize::MAX));
        frames
    }

    /// Returns the position at which a frame is: that of the program, or that of its call.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn position_of(&self, frame: FrameNumber, cancel: &Cancel) -> Result<Position, QueryError> {
        let Some(inner) = frame.level.checked_sub(1) else {
            return Ok(self.position);
        };
        let frames = self.frames(frame.thread);
        let call = frames
            .get(inner)
            .and_then(|call| self.index().calls().get(*call));
        Ok(match call {
            Some(call) => WaitingPlace::around(&self.session, &call, cancel)?.registers_at,
            None => self.position,
        })
    }

    /// Reads some frames of a thread.
    pub fn stack_trace(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let thread = self.requested_thread(arguments)?;
        let ids = self.frames(thread);
        let total = ids.len().max(1);
        let first = usize::try_from(arguments.count("startFrame")?.unwrap_or(0))?;
        let levels = arguments.count("levels")?.filter(|levels| *levels > 0);
        let levels = levels.unwrap_or(FRAMES_AT_ONCE).min(FRAMES_AT_ONCE);
        let last = first.saturating_add(usize::try_from(levels)?).min(total);
        // The place of a frame is the call site of the one inside it.
        let inner = first.saturating_sub(1);
        let read = ids.get(inner..last.min(ids.len())).unwrap_or_default();
        let frames = stack_frames(&self.session, read, SourceLineMode::LeftOut, cancel)?;
        let mut shown = Vec::new();
        for level in first..last {
            let own = level.checked_sub(inner).and_then(|place| frames.get(place));
            let address = match level.checked_sub(1) {
                None => self.current_address(thread, own, cancel)?,
                Some(level) => match level.checked_sub(inner).and_then(|place| frames.get(place)) {
                    Some(frame) => {
                        WaitingPlace::around(&self.session, &frame.call, cancel)?.address
                    }
                    None => None,
                },
            };
            let number = FrameNumber { thread, level };
            shown.push(self.frame_json(number, own, address));
        }
        Ok(json!({"stackFrames": shown, "totalFrames": total}))
    }

    /// Returns the address of a thread's next instruction. At its end, that is the function of a
    /// frame of which the trace shows no step, or the last instruction.
    fn current_address(
        &self,
        thread: ThreadId,
        frame: Option<&StackFrame>,
        cancel: &Cancel,
    ) -> Result<Option<Address>, QueryError> {
        let step = self.current_step(thread, cancel)?;
        let is_past = step
            .as_ref()
            .is_none_or(|step| step.step.0 < self.position.0);
        let entered = frame.filter(|frame| is_past && frame.call.entry_step.is_none());
        Ok(entered
            .map(|frame| frame.call.function)
            .or(step.map(|step| step.pc)))
    }

    fn frame_json(
        &self,
        number: FrameNumber,
        frame: Option<&StackFrame>,
        address: Option<Address>,
    ) -> Json {
        let name = frame.map_or_else(|| "?".to_owned(), |frame| frame.name.clone());
        let mut shown = json!({"id": number.id(), "name": name, "line": 0, "column": 0});
        if let Some(address) = address {
            shown["instructionPointerReference"] = address.to_string().into();
        }
        match address.and_then(|address| self.session.images.source_at(address)) {
            Some(line) => {
                shown["line"] = (i64::from(line.line) - 1 + self.first_line).into();
                shown["column"] = line.column.unwrap_or(1).into();
                shown["source"] = self.sources.json(&line.file);
            }
            None => shown["presentationHint"] = "subtle".into(),
        }
        shown
    }

    /// Reads a frame with its arguments; none if there is no such frame.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn stack_frame(
        &self,
        number: FrameNumber,
        cancel: &Cancel,
    ) -> Result<Option<StackFrame>, QueryError> {
        let frames = self.frames(number.thread);
        let Some(id) = frames.get(number.level) else {
            return Ok(None);
        };
        let read = stack_frames(&self.session, &[*id], SourceLineMode::LeftOut, cancel)?;
        Ok(read.into_iter().next())
    }
}
