//! The call stack.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_index::answer::CallId;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::view::{PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{Action, Follow, PanelKind};
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::call_stack::{SourceLineMode, StackFrame, called_at, entered_at};
use crate::model::thread_stack::{CallStack, PlacedFrame, call_stack, placed_frames};
use crate::worker::{Answer, Slot};

/// Number of frames requested at a time, so that stepping through a list of them rarely needs a
/// request.
const BLOCK: usize = 128;

/// Frames whose details are read.
#[derive(Clone, PartialEq)]
struct FramesKey {
    ids: Vec<CallId>,
    /// Function that the innermost frame of the stack executes: it may continue with the next one in
    /// memory.
    executed: Option<Address>,
    wish: SourceLineMode,
}

/// The frames around a position, innermost first.
#[derive(Default, Serialize, Deserialize)]
pub struct StackView {
    follow: Follow,
    /// The thread whose stack is shown; none: the thread of the position.
    #[serde(default)]
    thread: Option<String>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    stack: Slot<(Position, Option<String>), CallStack>,
    #[serde(skip)]
    frames: Slot<FramesKey, Vec<PlacedFrame>>,
    /// Position of a stack that stays while its user looks at its frames, and the position that the
    /// window was sent to: at any other its own stack is shown again. At a call site, the inner
    /// frames would vanish.
    #[serde(skip)]
    held: Option<(Position, Position)>,
}

impl StackView {
    /// Creates a view of the stack of the position's thread.
    pub fn new(follow: Follow) -> Self {
        Self {
            follow,
            ..Self::default()
        }
    }

    /// Returns the name of the thread whose stack is shown; none: the thread of the position.
    pub fn thread_mut(&mut self) -> &mut Option<String> {
        &mut self.thread
    }

    /// Returns the stack as of the last poll.
    pub fn stack(&self) -> Option<&CallStack> {
        self.stack.peek().map(|(_, stack)| stack)
    }

    /// Returns the position whose stack stays while its user looks at one of its frames.
    pub fn held_at(&self, desk: &Desk) -> Option<Position> {
        let here = desk.windows.position_of(self.follow);
        self.held
            .filter(|(_, sent_to)| *sent_to == here)
            .map(|(at, _)| at)
    }

    /// Returns the position whose stack is shown.
    fn position(&self, desk: &Desk) -> Position {
        self.held_at(desk)
            .unwrap_or_else(|| desk.windows.position_of(self.follow))
    }

    /// Returns a frame by its row, once it is known.
    pub fn frame(&self, place: usize) -> Option<&StackFrame> {
        let id = self.stack.peek()?.1.frames.get(place)?;
        let frames = self.frames.peek()?.1.iter().map(|placed| &placed.frame);
        frames.clone().find(|frame| frame.id == *id)
    }

    fn summary(&self, stack: &CallStack, desk: &Desk) -> String {
        let mut words = say!("stack-frames", count = stack.frames.len());
        let threads = desk.session.index.threads();
        if let Some(thread) = threads
            .get(usize::from(stack.thread.0))
            .filter(|_| threads.len() > 1)
        {
            words = format!("{}  {words}", thread.name);
        }
        match self.held_at(desk) {
            Some(at) => format!("{words} {}", say!("stack-at", position = at.0)),
            None => words,
        }
    }
}

impl PanelView for StackView {
    fn kind(&self) -> PanelKind {
        PanelKind::Stack
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        if self.session.is_new(&desk.session) {
            (self.stack, self.frames, self.held) = Default::default();
            self.thread
                .take_if(|name| desk.session.index.thread_by_name(name).is_none());
        }
        let key = (self.position(desk), self.thread.clone());
        let answer = self.stack.poll(&key, &desk.worker, |(position, thread)| {
            let (position, thread, session) =
                (*position, thread.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                let thread = thread.and_then(|name| session.index.thread_by_name(&name));
                Ok(call_stack(&session, thread, position, cancel)?)
            }
        });
        let stack = match answer {
            Answer::Failed(error) => return ViewStatus::Failed(error.to_owned()),
            answer => answer.any(),
        };
        match stack {
            None => ViewStatus::Loading(String::new()),
            Some(stack) if stack.frames.is_empty() => ViewStatus::empty(
                say!("stack-no-calls-here").to_owned(),
                say!("stack-the-thread-has-not-executed").to_owned(),
            ),
            Some(stack) => {
                let count = stack.frames.len();
                let summary = self
                    .stack
                    .peek()
                    .map(|(_, stack)| self.summary(stack, desk))
                    .unwrap_or_default();
                ViewStatus::Rows(RowListing {
                    count,
                    summary,
                    marked: None,
                })
            }
        }
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        let blocks = seen.start / BLOCK * BLOCK..(seen.end + 1).div_ceil(BLOCK) * BLOCK;
        let (_, stack) = self.stack.peek()?;
        let levels = blocks.start..blocks.end.min(stack.frames.len());
        let images = &desk.session.images;
        let executed = stack
            .address
            .and_then(|address| images.function_at(address));
        let ids = stack.frames.get(levels.clone()).unwrap_or_default();
        let is_ready = desk.session.images.are_lines_ready();
        let wish = if is_ready {
            SourceLineMode::Stated
        } else {
            SourceLineMode::LeftOut
        };
        let key = FramesKey {
            ids: ids.to_vec(),
            executed: executed.map(|function| function.symbol.address),
            wish,
        };
        let answer = self
            .frames
            .poll(&key, &desk.worker, |FramesKey { wish, .. }| {
                let (wish, levels) = (*wish, levels.clone());
                let (stack, session) = (stack.clone(), Arc::clone(&desk.session));
                move |cancel: &Cancel| Ok(placed_frames(&session, &stack, levels, wish, cancel)?)
            });
        if let Answer::Failed(error) = answer {
            Some(error.to_owned())
        } else {
            None
        }
    }

    fn act(
        &mut self,
        place: usize,
        gesture: RowGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let Some(call) = self.frame(place).map(|frame| frame.call) else {
            return false;
        };
        let to = match gesture {
            RowGesture::Go => entered_at(&call),
            RowGesture::GoOn => called_at(&call),
            RowGesture::Open | RowGesture::Close | RowGesture::Stay | RowGesture::Remove => {
                return false;
            }
        };
        self.held = Some((self.position(desk), to));
        out.push(Action::travel(desk.windows.travelling(self.follow), to));
        true
    }

    fn copied(&self, place: usize) -> Option<String> {
        let frame = self.frame(place)?;
        let arguments = frame
            .arguments
            .iter()
            .map(|argument| format!("{}={}", argument.name, argument.value_text()));
        Some(format!(
            "#{place} {}({})",
            frame.name,
            arguments.collect::<Vec<_>>().join(", ")
        ))
    }

    /// Returns the frames around the rows in sight.
    fn copied_whole(&self) -> Option<String> {
        let (_, stack) = self.stack.peek()?;
        let (_, frames) = self.frames.peek()?;
        let first = frames.first()?.frame.id;
        let number = stack.frames.iter().position(|id| *id == first)?;
        let lines = (number as u64..)
            .zip(frames)
            .map(|(number, placed)| placed.frame.line(number));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    fn is_waiting(&self) -> bool {
        self.stack.is_waiting() || self.frames.is_waiting()
    }

    fn is_late(&self) -> bool {
        self.stack.is_late()
    }

    fn forget(&mut self) {
        *self = Self::new(self.follow);
    }
}
