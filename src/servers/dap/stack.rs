//! The call stack of a thread at the position.

use anyhow::Result;
use serde_json::{Value as Json, json};
use stepback_debugger::model::call_stack::{SourceLineMode, StackFrame, stack_frames};
use stepback_debugger::model::frame_place::{FramePlace, WaitingPlace};
use stepback_debugger::model::inlined_frames::{CodeLine, functions_at};
use stepback_debugger::model::thread_stack::{PlacedFrame, call_stack, placed_frames};
use stepback_index::answer::{CallId, ThreadId};
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::arguments::Arguments;
use super::program::{FrameNumber, TracedProgram};

/// Maximum number of frames in an answer.
const FRAMES_AT_ONCE: u64 = 1000;

/// Maximum number of frames of the call stack of a thread.
const FRAMES: usize = 1 << 16;

/// A frame as a client lists it.
pub struct ListedFrame {
    number: FrameNumber,
    name: String,
    /// Address of the next instruction, or of the call that it waits for.
    address: Option<Address>,
    line: Option<CodeLine>,
}

impl TracedProgram {
    /// Returns the frames of a thread, innermost first.
    pub fn frames(&self, thread: ThreadId) -> Vec<CallId> {
        let mut frames = self.index().calls().path_at(thread, self.position);
        frames.reverse();
        frames.truncate(FRAMES);
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

    /// Reads some frames of a thread. Inlined functions have separate frames.
    pub fn stack_trace(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let thread = self.requested_thread(arguments)?;
        let first = usize::try_from(arguments.count("startFrame")?.unwrap_or(0))?;
        let levels = arguments.count("levels")?.filter(|levels| *levels > 0);
        let levels = levels.unwrap_or(FRAMES_AT_ONCE).min(FRAMES_AT_ONCE);
        let last = first.saturating_add(usize::try_from(levels)?);
        let mut listed = self.listed.borrow_mut();
        let listed = listed.entry(thread).or_default();
        let rest = self.list_frames(thread, listed, last, cancel)?;
        let wanted = listed
            .get(first..last.min(listed.len()))
            .unwrap_or_default();
        let shown: Result<Vec<Json>> = wanted.iter().map(|frame| self.frame_json(frame)).collect();
        // The frames of the call stack that follow have at least one function each.
        let total = listed.len() + rest;
        Ok(json!({"stackFrames": shown?, "totalFrames": total}))
    }

    /// Lists frames until there is this number of them. Returns the number of frames of the call
    /// stack that are not listed.
    fn list_frames(
        &self,
        thread: ThreadId,
        listed: &mut Vec<ListedFrame>,
        wanted: usize,
        cancel: &Cancel,
    ) -> Result<usize> {
        let stack = call_stack(&self.session, Some(thread), self.position, cancel)?;
        let all = stack.frames.len().clamp(1, FRAMES);
        let mut first = listed.last().map_or(0, |last| last.number.level + 1);
        while first < all && listed.len() < wanted {
            let last = first.saturating_add(wanted - listed.len()).min(all);
            let mode = SourceLineMode::LeftOut;
            let placed = placed_frames(&self.session, &stack, first..last, mode, cancel)?;
            for (level, PlacedFrame { frame, address }) in (first..).zip(placed) {
                listed.extend(self.functions_of(thread, level, address, frame.name));
            }
            if stack.frames.is_empty() {
                listed.extend(self.functions_of(thread, 0, stack.address, "?".to_owned()));
            }
            first = last;
        }
        Ok(all - first)
    }

    /// Lists the functions of a frame of the call stack, the innermost first.
    fn functions_of(
        &self,
        thread: ThreadId,
        level: usize,
        address: Option<Address>,
        name: String,
    ) -> Vec<ListedFrame> {
        let functions = address.map(|address| functions_at(&self.session.images, address));
        let mut functions = functions.unwrap_or_default();
        let own = functions.pop();
        let number = |inlined: usize| FrameNumber {
            thread,
            level,
            inlined,
        };
        let count = functions.len();
        let hidden = match level {
            0 => self.hidden_in(thread),
            _ => 0,
        };
        let inlined = functions
            .into_iter()
            .enumerate()
            .skip(hidden)
            .map(|(place, function)| ListedFrame {
                number: number(place),
                name: function
                    .name
                    .map_or_else(|| "?".to_owned(), |name| name.to_string()),
                address,
                line: function.line,
            });
        let own = ListedFrame {
            number: number(count),
            name,
            address,
            // Code of an assembler has lines, but no functions.
            line: match own {
                Some(own) => own.line,
                None => address.and_then(|address| CodeLine::at(&self.session.images, address)),
            },
        };
        inlined.chain([own]).collect()
    }

    /// Returns true for a function that is inlined in a frame of the call stack.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn is_inlined(&self, frame: FrameNumber, cancel: &Cancel) -> Result<bool, QueryError> {
        let place = FramePlace::find(&self.session, self.level_of(frame), cancel)?;
        let address = place.and_then(|place| place.address);
        let functions = address.map(|address| functions_at(&self.session.images, address));
        Ok(functions.is_some_and(|functions| frame.inlined + 1 < functions.len()))
    }

    fn frame_json(&self, frame: &ListedFrame) -> Result<Json> {
        let id = self.frame_id(frame.number)?;
        let mut shown = json!({"id": id, "name": frame.name, "line": 0, "column": 0});
        if let Some(address) = frame.address {
            shown["instructionPointerReference"] = address.to_string().into();
        }
        match &frame.line {
            Some(line) => {
                shown["line"] = (i64::from(line.line) - 1 + self.first_line).into();
                shown["column"] = line.column.unwrap_or(1).into();
                shown["source"] = self.sources.json(&line.file);
            }
            None => shown["presentationHint"] = "subtle".into(),
        }
        Ok(shown)
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
