//! The trace as a program that a client controls: a position, a thread and stop points.

use std::cell::RefCell;
use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use indexmap::IndexSet;
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::session::Session;
use stepback_index::answer::{StepRecord, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::Position;

use super::arguments::Arguments;
use super::breakpoints::Breakpoints;
use super::locals::SeenValue;
use super::sources::SourceFiles;
use super::stack::ListedFrame;

/// Maximum number of frames with a number. Eight times as many must fit in 31 bits.
const NUMBERED_FRAMES: usize = 1 << 22;

/// An open trace with the state of a client.
pub struct TracedProgram {
    pub session: Session,
    pub position: Position,
    /// Thread of the last stop.
    pub thread: ThreadId,
    /// Number of innermost inlined functions of this thread that begin at the position and are not
    /// entered yet, so that its stack does not list them.
    pub hidden: usize,
    pub breakpoints: Breakpoints,
    pub sources: SourceFiles,
    /// Number of the first line in messages: 0 or 1.
    pub first_line: i64,
    /// Values at the position whose members the client may request.
    pub seen: RefCell<Vec<SeenValue>>,
    /// Frames at the position that were listed, by thread, innermost first.
    pub listed: RefCell<HashMap<ThreadId, Vec<ListedFrame>>>,
    /// Frames that have a number in messages, which is their place from 1. It stays at other
    /// positions.
    numbered: RefCell<IndexSet<FrameNumber>>,
    /// Positions to which the client may go, by the numbers of the targets.
    pub targets: Vec<Position>,
    /// Number of older targets, which are no longer kept. Their numbers are not used again.
    pub cleared_targets: usize,
}

/// A frame as clients name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameNumber {
    pub thread: ThreadId,
    /// Number of frames of the call stack inside it.
    pub level: usize,
    /// Number of inlined functions inside it in its frame of the call stack.
    pub inlined: usize,
}

impl FrameNumber {
    /// Returns the innermost frame of a thread.
    pub fn innermost(thread: ThreadId) -> Self {
        Self {
            thread,
            level: 0,
            inlined: 0,
        }
    }
}

impl TracedProgram {
    /// Creates the program at a position.
    ///
    /// # Errors
    /// The trace has no step.
    pub fn new(session: Session, position: Position) -> Result<Self> {
        ensure!(
            session.index.step_count() > 0,
            "the trace shows no instruction, so there is nothing to debug"
        );
        let sources = SourceFiles::new(&session);
        let mut program = Self {
            session,
            position,
            thread: ThreadId(0),
            hidden: 0,
            breakpoints: Breakpoints::default(),
            sources,
            first_line: 1,
            seen: RefCell::default(),
            listed: RefCell::default(),
            numbered: RefCell::default(),
            targets: Vec::new(),
            cleared_targets: 0,
        };
        program.move_to(position)?;
        Ok(program)
    }

    pub fn index(&self) -> &Index {
        &self.session.index
    }

    /// Moves to a position. The thread that is to do the next step becomes the current one.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn move_to(&mut self, position: Position) -> Result<(), QueryError> {
        let end = self.index().end();
        let after = Position(position.0.saturating_add(1)).min(end);
        self.position = position.min(end);
        self.hidden = 0;
        self.seen.borrow_mut().clear();
        self.listed.borrow_mut().clear();
        self.thread = SlotReader(self.index()).thread_at(after)?;
        Ok(())
    }

    /// Returns the thread with a number of a message, from 1.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn thread_of(&self, number: i64) -> Result<ThreadId> {
        let place = number
            .checked_sub(1)
            .and_then(|place| u16::try_from(place).ok());
        place
            .filter(|place| usize::from(*place) < self.index().threads().len())
            .map(ThreadId)
            .with_context(|| format!("there is no thread {number}"))
    }

    /// Returns the thread of a request; the current one if it names none.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn requested_thread(&self, arguments: Arguments<'_>) -> Result<ThreadId> {
        match arguments.number("threadId")? {
            Some(number) => self.thread_of(number),
            None => Ok(self.thread),
        }
    }

    /// Returns the frame of a request; the innermost one of the current thread if it names none.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn requested_frame(&self, arguments: Arguments<'_>) -> Result<FrameNumber> {
        let Some(id) = arguments.count("frameId")?.filter(|id| *id > 0) else {
            return Ok(self.entered_frame());
        };
        self.frame_of(id)
    }

    /// Returns the innermost frame of the current thread that the client lists.
    pub fn entered_frame(&self) -> FrameNumber {
        FrameNumber {
            inlined: self.hidden,
            ..FrameNumber::innermost(self.thread)
        }
    }

    /// Returns the number of innermost inlined functions that a thread has not entered.
    pub fn hidden_in(&self, thread: ThreadId) -> usize {
        match thread == self.thread {
            true => self.hidden,
            false => 0,
        }
    }

    /// Returns the number of a frame in messages.
    ///
    /// # Errors
    /// Too many frames have one.
    pub fn frame_id(&self, frame: FrameNumber) -> Result<u64> {
        let mut numbered = self.numbered.borrow_mut();
        ensure!(
            numbered.len() < NUMBERED_FRAMES || numbered.contains(&frame),
            "too many frames were shown"
        );
        let (place, _) = numbered.insert_full(frame);
        Ok(place as u64 + 1)
    }

    /// Returns the frame with a number of a message.
    ///
    /// # Errors
    /// No frame with the number was shown.
    pub fn frame_of(&self, id: u64) -> Result<FrameNumber> {
        let place = id.checked_sub(1).map(usize::try_from);
        let place = place.transpose()?.unwrap_or(usize::MAX);
        let frame = self.numbered.borrow().get_index(place).copied();
        frame.with_context(|| format!("there is no frame {id}"))
    }

    /// Returns the thread's next step, or its last one if none follows.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn current_step(
        &self,
        thread: ThreadId,
        cancel: &Cancel,
    ) -> Result<Option<StepRecord>, QueryError> {
        let next = NearestStepOf::next(thread, self.position).run(self.index(), cancel)?;
        let step = match next {
            Some(step) => Some(step),
            None => NearestStepOf::last(thread, self.position).run(self.index(), cancel)?,
        };
        match step {
            Some(step) => step_record(step, self.index(), cancel),
            None => Ok(None),
        }
    }
}

/// Returns the number of a thread in messages.
pub fn number_of(thread: ThreadId) -> u64 {
    u64::from(thread.0) + 1
}
