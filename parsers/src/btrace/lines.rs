//! Human-readable lines for the events of a recording, also used by the text search.

use stepback_machine::step_text;

use crate::events::{
    DelaySlot, EventSink, MarkerEvent, Problem, StepEvent, StepOrigin, TextEvent, ThreadNumber,
};
use crate::gap::Gap;
use crate::marker::MarkerKind;
use crate::source::RenderedLine;

/// Sink that makes a line of each event.
pub struct BtraceLineSink<'a> {
    each: &'a mut dyn FnMut(RenderedLine<'_>),
    /// Names by thread number.
    names: Vec<String>,
    chunk_offset: u64,
}

impl<'a> BtraceLineSink<'a> {
    /// Creates a sink that passes lines to `each`, for a range of the trace that begins at
    /// `chunk_offset`.
    pub fn new(chunk_offset: u64, each: &'a mut dyn FnMut(RenderedLine<'_>)) -> Self {
        Self {
            each,
            names: Vec::new(),
            chunk_offset,
        }
    }

    fn line(&mut self, thread: ThreadNumber, text: &str) {
        let name = self
            .names
            .get(usize::from(thread.0))
            .map_or("", String::as_str);
        let line = format!("{name} {text}");
        (self.each)(RenderedLine {
            chunk_offset: self.chunk_offset,
            thread: name,
            text: line.as_bytes(),
        });
    }
}

impl EventSink for BtraceLineSink<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.chunk_offset = step.chunk_offset;
        let text = step_text(
            step.text,
            step.encoding(),
            step.pc,
            step.instruction_set,
            step.length_bytes,
        );
        let slot = if step.delay_slot == DelaySlot::Annulled {
            " (annulled)"
        } else {
            ""
        };
        let origin = match step.origin {
            StepOrigin::Recorded => "",
            StepOrigin::Reconstructed => " (reconstructed)",
            StepOrigin::Inferred => " (inferred)",
        };
        self.line(
            step.thread,
            &format!(
                "{:016x} {:08x} {text}{slot}{origin}",
                step.pc.0, step.opcode
            ),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = String::from_utf8_lossy(event.text).into_owned();
        self.line(event.thread, &format!("  {text}"));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let marker = event.marker;
        let text = match (marker.kind, Gap::of(marker)) {
            (MarkerKind::TIMESTAMP, _) => format!("  time {}", marker.value),
            (MarkerKind::CPU, _) => format!("  on processor {}", marker.value),
            (
                _,
                Some(Gap {
                    reason,
                    instructions: Some(count),
                }),
            ) => {
                format!("  gap of {count} instructions: {}", reason.clause())
            }
            (
                _,
                Some(Gap {
                    reason,
                    instructions: None,
                }),
            ) => format!("  gap of unknown length: {}", reason.clause()),
            _ => return,
        };
        self.line(event.thread, &text);
    }

    fn problem(&mut self, problem: &Problem) {
        self.line(ThreadNumber(0), &format!("  <{}>", problem.message));
    }
}
