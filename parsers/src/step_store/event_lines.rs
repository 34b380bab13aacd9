//! Lines for people, made from the events of a stored trace ([`EventLineSink`]), for display and
//! text search.

use stepback_machine::{AccessKind, InstructionSet, Registers, step_text};

use crate::events::{
    EventSink, MarkerEvent, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber,
};
use crate::marker::{Gap, MarkerKind};
use crate::problem::Problem;
use crate::source::RenderedLine;

/// Event sink that formats one line per event.
pub struct EventLineSink<'a> {
    each: &'a mut dyn FnMut(RenderedLine<'_>),
    /// Thread names by thread number.
    names: Vec<String>,
    chunk_offset: u64,
    /// Instruction set of the last step, which names registers.
    set: InstructionSet,
}

impl<'a> EventLineSink<'a> {
    /// Creates a sink for a range of the trace that begins at `chunk_offset`, with the instruction
    /// set of the steps before it. `each` receives every line.
    pub fn new(
        chunk_offset: u64,
        set: InstructionSet,
        each: &'a mut dyn FnMut(RenderedLine<'_>),
    ) -> Self {
        Self {
            each,
            names: Vec::new(),
            chunk_offset,
            set,
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

impl EventSink for EventLineSink<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.chunk_offset = step.chunk_offset;
        self.set = step.instruction_set;
        let text = step_text(
            step.text,
            step.encoding(),
            step.pc,
            step.instruction_set,
            step.length_bytes,
        );
        let fate = if step.is_executed {
            ""
        } else {
            " (not executed)"
        };
        self.line(
            step.thread,
            &format!("{:016x} {:08x} {text}{fate}", step.pc.0, step.opcode),
        );
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let name = Registers::name(write.view, self.set);
        let digits: String = match write.bytes {
            Some(bytes) => bytes
                .iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
            None => "(not recorded)".to_owned(),
        };
        self.line(
            write.thread,
            &format!("  {} = {digits}", name.unwrap_or("?")),
        );
    }

    fn access(&mut self, access: &MemoryAccess) {
        let word = if access.kind == AccessKind::Read {
            "read"
        } else {
            "write"
        };
        let size = usize::from(access.size_bytes);
        let digits = access.bytes.map(|bytes| {
            bytes
                .iter()
                .take(size)
                .map(|byte| format!("{byte:02x}"))
                .collect()
        });
        let digits = digits.map_or_else(String::new, |digits: String| format!(" {digits}"));
        self.line(
            access.thread,
            &format!("  {word} {size} @ {:016x}{digits}", access.address.0),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = String::from_utf8_lossy(event.text).into_owned();
        self.line(event.thread, &format!("  {text}"));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let word = match event.marker.kind {
            MarkerKind::HARDWARE_EVENT => "trap at",
            MarkerKind::HARDWARE_RETURN => "back to",
            MarkerKind::TRAP => "trap of type",
            MarkerKind::SYSTEM_CALL => "system call",
            MarkerKind::ARGUMENT => "argument",
            MarkerKind::RETURN_VALUE => "result",
            MarkerKind::SYSTEM_CALL_FAILED => "error",
            MarkerKind::FUNCTION => "traced call",
            MarkerKind::TIMESTAMP => "time",
            MarkerKind::PHYSICAL_ADDRESS => "physical page",
            MarkerKind::VIRTUAL_ADDRESS => "of virtual page",
            MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE => "no longer known: the physical page of",
            MarkerKind::ADDRESS_CONTEXT => "in context",
            MarkerKind::TRANSLATIONS_FORGOTTEN => "no physical page is known any more",
            MarkerKind::PAGE_SIZE => "bytes of a page:",
            MarkerKind::CPU => "on hart",
            _ if let Some(gap) = Gap::of(event.marker) => {
                let count = gap.instructions.map_or_else(
                    || "an unknown number of".to_owned(),
                    |count| count.to_string(),
                );
                let why = gap.reason.clause();
                return self.line(
                    event.thread,
                    &format!("  gap of {count} instructions: {why}"),
                );
            }
            _ => "marker",
        };
        self.line(event.thread, &format!("  {word} {:#x}", event.marker.value));
    }

    fn problem(&mut self, problem: &Problem) {
        self.line(ThreadNumber(0), &format!("  <{}>", problem.kind));
    }
}
