//! The call stack of `stepback at --stack`.

use anyhow::Result;
use stepback_debugger::model::call_stack::SourceLineMode;
use stepback_debugger::model::thread_stack::{PlacedFrame, call_stack, placed_frames};
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use super::json::{CallJson, value_hex};
use super::report::Report;
use super::text::{counted, grouped, printable};

/// The frames around a position, innermost first.
pub struct Stack {
    frames: Vec<PlacedFrame>,
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
        let stack = call_stack(session, Some(thread), position, &report.cancel)?;
        let mode = SourceLineMode::Stated;
        Ok(Self {
            frames: placed_frames(session, &stack, 0..limit, mode, &report.cancel)?,
            thread: session.index.thread_name(thread).to_owned(),
            depth: stack.frames.len() as u64,
        })
    }

    /// Converts the frames to JSON.
    pub fn json(&self, report: &Report<'_>) -> Result<Vec<CallJson>> {
        let frame = |placed: &PlacedFrame| {
            let frame = &placed.frame;
            let arguments = frame
                .arguments
                .iter()
                .map(|argument| (argument.name.clone(), value_hex(&argument.value).into()));
            let call = CallJson::new(&frame.call, report.session, &report.cancel)?;
            Ok(call.with_state(arguments.collect(), placed.address, report.session))
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
        for (number, placed) in (0..).zip(&self.frames) {
            text.push_str(&printable(&placed.frame.line(number)));
            text.push('\n');
        }
        let hidden = self.hidden();
        if hidden > 0 {
            text.push_str(&format!("… {} more (--frames N)\n", grouped(hidden)));
        }
        text
    }
}
