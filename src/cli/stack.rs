//! The call stack of `stepback at --stack`.

use anyhow::Result;
use stepback_debugger::model::call_stack::{SourceLineMode, StackFrame, call_stack, stack_frames};
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use super::json::{CallJson, value_hex};
use super::report::Report;
use super::text::{counted, grouped, printable};

/// The frames around a position, innermost first.
pub struct Stack {
    frames: Vec<StackFrame>,
    thread: String,
    /// Total number of frames.
    depth: u64,
}

impl Stack {
    /// Reads the innermost frames of a thread at a position, at most `limit` of them.
    pub fn read(
        position: Position,
        thread: ThreadId,
        limit: usize,
        report: &Report<'_>,
    ) -> Result<Self> {
        report.note_unknown_calls();
        let session = report.session;
        let name = session
            .index
            .threads()
            .get(usize::from(thread.0))
            .map(|thread| thread.name.clone());
        let mut stack = call_stack(session, name.as_deref(), position)?;
        let depth = stack.frames.len() as u64;
        stack.frames.truncate(limit);
        let frames = stack_frames(
            session,
            &stack.frames,
            SourceLineMode::Stated,
            &report.cancel,
        )?;
        Ok(Self {
            frames,
            thread: name.unwrap_or_default(),
            depth,
        })
    }

    /// Converts the frames to JSON.
    pub fn json(&self, report: &Report<'_>) -> Result<Vec<CallJson>> {
        let frame = |frame: &StackFrame| {
            let arguments = frame
                .arguments
                .iter()
                .map(|argument| (argument.name.clone(), value_hex(&argument.value).into()));
            let call = CallJson::new(&frame.call, report.session, &report.cancel)?;
            Ok(call.with_arguments(arguments.collect()))
        };
        self.frames.iter().map(frame).collect()
    }

    /// Returns the number of frames left out by the limit.
    pub fn hidden(&self) -> u64 {
        self.depth.saturating_sub(self.frames.len() as u64)
    }

    /// Formats the stack, one frame per line.
    pub fn text(&self) -> String {
        let mut text = format!(
            "stack of {}, {}\n",
            printable(&self.thread),
            counted(self.depth, "frame")
        );
        for (number, frame) in (0..).zip(&self.frames) {
            text.push_str(&printable(&frame.line(number)));
            text.push('\n');
        }
        let hidden = self.hidden();
        if hidden > 0 {
            text.push_str(&format!("… {} more (--frames N)\n", grouped(hidden)));
        }
        text
    }
}
