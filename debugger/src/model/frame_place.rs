//! Frames of a thread at a position, with the place of each: where its registers are read, and the
//! instruction that it executes ([`FramePlace`]).

use stepback_index::answer::{Call, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::step_places::step_record;
use crate::model::call_stack::called_at;
use crate::session::Session;

/// A frame of a thread, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLevel {
    /// Position of the program.
    pub position: Position,
    pub thread: ThreadId,
    /// Number of frames inside it.
    pub level: usize,
}

/// Place of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePlace {
    pub thread: ThreadId,
    /// Position of the program, at which memory is read.
    pub position: Position,
    /// Position at which registers are read: that of the program, or that before the call that the
    /// frame waits for. The trace shows the registers of that moment, so they are exact.
    pub registers_at: Position,
    /// Address of the next instruction, or of the call that the frame waits for; none if no step
    /// shows it.
    pub address: Option<Address>,
    /// Entry of the call table; none outside all calls.
    pub call: Option<Call>,
}

impl FramePlace {
    /// Finds the place of a frame; none if there is no such frame.
    ///
    /// Cost: the frames of the stack, and one step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find(
        session: &Session,
        frame: FrameLevel,
        cancel: &Cancel,
    ) -> Result<Option<Self>, QueryError> {
        let FrameLevel {
            position,
            thread,
            level,
        } = frame;
        let calls = session.index.calls();
        let mut frames = calls.path_at(thread, position);
        frames.reverse();
        let call_of = |level: usize| frames.get(level).and_then(|call| calls.get(*call));
        let call = call_of(level);
        let Some(inner) = level.checked_sub(1) else {
            let address = next_address(session, frame, call.as_ref(), cancel)?;
            return Ok(Some(Self {
                thread,
                position,
                registers_at: position,
                address,
                call,
            }));
        };
        let (Some(call), Some(inner)) = (call, call_of(inner)) else {
            return Ok(None);
        };
        let site = match inner.call_step {
            Some(step) => step_record(step, &session.index, cancel)?,
            None => None,
        };
        Ok(Some(Self {
            thread,
            position,
            registers_at: called_at(&inner),
            address: site.map(|site| site.pc),
            call: Some(call),
        }))
    }
}

/// Returns the address of a thread's next instruction. At its end, that is the function of a frame
/// of which the trace shows no step, or the last instruction.
fn next_address(
    session: &Session,
    frame: FrameLevel,
    call: Option<&Call>,
    cancel: &Cancel,
) -> Result<Option<Address>, QueryError> {
    let index = &session.index;
    let next = NearestStepOf::next(frame.thread, frame.position).run(index, cancel)?;
    if next.is_none()
        && let Some(call) = call.filter(|call| call.entry_step.is_none())
    {
        return Ok(Some(call.function));
    }
    let step: Option<Step> = match next {
        Some(step) => Some(step),
        None => NearestStepOf::last(frame.thread, frame.position).run(index, cancel)?,
    };
    let record = match step {
        Some(step) => step_record(step, index, cancel)?,
        None => None,
    };
    Ok(record.map(|record| record.pc))
}
