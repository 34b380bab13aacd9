//! Writers of the two forms of a recording: a line for each step ([`BtraceTextWriter`]), and the
//! records that a recorder would have written for the steps of one thread ([`StepRecorder`]).
//! [`BtraceLineSink`] formats the events of a recording for display and text search.

use std::collections::VecDeque;
use std::io;
use std::io::Write;

use stepback_machine::flow::{DelaySlotRule, RecordedBranch};
use stepback_machine::step_text;

use crate::btrace::code::{ControlTransfer, WORD, is_same_small};
use crate::btrace::head::{HEADER_BYTES, MAGIC};
use crate::btrace::record::BranchRecord;
use crate::btrace::text_line::HEADING;
use crate::events::{
    DelaySlot, EventSink, MarkerEvent, StepEvent, StepOrigin, TextEvent, ThreadNumber,
};
use crate::marker::{Gap, MarkerKind};
use crate::problem::Problem;
use crate::source::RenderedLine;

/// Header flags: 64-bit addresses, big-endian.
const FLAGS: u32 = 0x0202_0000;

/// Returns the header of a file with `records` records in our own layout.
pub fn header(records: u64, first_time: u64) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(1u16.to_be_bytes());
    header.extend(40u16.to_be_bytes());
    header.extend(u32::from(HEADER_BYTES).to_be_bytes());
    header.extend(records.to_be_bytes());
    header.extend(first_time.to_be_bytes());
    header.extend(FLAGS.to_be_bytes());
    header.resize(usize::from(HEADER_BYTES), 0);
    header
}

/// Sink that writes a line for each step of one thread: the form cannot name threads.
pub struct BtraceTextWriter<W> {
    out: W,
    /// Name of the thread; `None` if all steps belong to one.
    name: Option<String>,
    /// Number of the thread with that name.
    number: Option<ThreadNumber>,
    last_time: Option<u64>,
    /// Number of lines written for steps.
    pub lines: u64,
    failure: Option<io::Error>,
}

impl<W: Write> BtraceTextWriter<W> {
    /// Creates a writer and writes the heading. Of several threads, only the steps of the named one
    /// are written.
    ///
    /// # Errors
    /// The heading could not be written.
    pub fn new(mut out: W, name: Option<String>) -> io::Result<Self> {
        writeln!(out, "{HEADING}")?;
        Ok(Self {
            out,
            name,
            number: None,
            last_time: None,
            lines: 0,
            failure: None,
        })
    }

    fn is_of(&self, thread: ThreadNumber) -> bool {
        self.name.is_none() || self.number == Some(thread)
    }

    /// Reports the first write error.
    ///
    /// # Errors
    /// Some text could not be written.
    pub fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn line(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = writeln!(self.out, "{text}").err();
        }
    }
}

impl<W: Write> EventSink for BtraceTextWriter<W> {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        if self.name.as_deref() == Some(name) {
            self.number = Some(thread);
        }
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if !self.is_of(step.thread) {
            return;
        }
        let text = step_text(
            step.text,
            step.encoding(),
            step.pc,
            step.instruction_set,
            step.length_bytes,
        );
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
        let delta = step
            .time
            .zip(self.last_time)
            .map_or(0, |(time, last)| time.saturating_sub(last));
        self.last_time = step.time.or(self.last_time);
        self.lines += 1;
        let line = format!(
            "{delta:8} {:016x} {:08x}      {mnemonic:<8}{operands}",
            step.pc.0, step.opcode
        );
        self.line(line.trim_end());
    }

    fn marker(&mut self, event: &MarkerEvent) {
        if Gap::of(event.marker).is_some() && self.lines > 0 && self.is_of(event.thread) {
            self.line(" ...");
        }
    }
}

/// Sink that makes the records that a recorder would have written for the steps of one thread.
pub struct StepRecorder<F> {
    each: F,
    /// Up to three pending steps.
    steps: VecDeque<BranchStep>,
    names: Vec<String>,
    /// Number of records made.
    pub records: u64,
    /// Number of branches whose destination does not follow from the steps.
    pub left_out: u64,
}

#[derive(Clone, Copy, Debug)]
struct BranchStep {
    pc: u64,
    word: u32,
    time: Option<u64>,
    thread: u64,
    branch: RecordedBranch,
    slot: DelaySlot,
}

impl<F: FnMut(&BranchRecord)> StepRecorder<F> {
    /// Creates a sink that passes each record to `each`.
    pub fn new(each: F) -> Self {
        Self {
            each,
            steps: VecDeque::new(),
            names: Vec::new(),
            records: 0,
            left_out: 0,
        }
    }

    /// Processes the pending steps. Call this when no step follows, or none that continues them.
    pub fn settle(&mut self) {
        while !self.steps.is_empty() {
            self.take_first();
        }
    }

    fn take_first(&mut self) {
        let Some(step) = self.steps.pop_front() else {
            return;
        };
        let Some(transfer) =
            ControlTransfer::of(step.word, step.pc).filter(|_| step.slot != DelaySlot::Annulled)
        else {
            return;
        };
        let Some(kind) = transfer.kind else { return };
        let ahead = [0, 1].map(|place| self.steps.get(place).copied());
        let Some(record) = record_of(&step, &transfer, ahead) else {
            self.left_out += 1;
            return;
        };
        self.records += 1;
        (self.each)(&BranchRecord {
            number: self.records,
            kind: Some(kind as u8),
            ..record
        });
    }
}

/// Returns the record of a step, determined by the two steps after it.
fn record_of(
    step: &BranchStep,
    transfer: &ControlTransfer,
    ahead: [Option<BranchStep>; 2],
) -> Option<BranchRecord> {
    let control = transfer.fork.control;
    let after_slot = step.pc.wrapping_add(2 * WORD);
    let then = match ahead {
        [Some(slot), after]
            if control.delay != DelaySlotRule::None && slot.slot != DelaySlot::None =>
        {
            after.map(|step| step.pc)
        }
        [Some(next), _] if control.delay != DelaySlotRule::None => Some(next.pc),
        // A branch that is never taken does not change the order of execution.
        [next, after] => next.and(after.map(|step| step.pc)).or(Some(after_slot)),
    };
    let is_taken = match (transfer.is_always_taken, step.branch) {
        (Some(is_taken), _) => is_taken,
        (None, RecordedBranch::Conditional(Some(is_taken))) => is_taken,
        (None, _) => then
            .filter(|then| *then != after_slot)
            .is_some_and(|then| control.target.address() == Some(then)),
    };
    let target = match (is_taken, control.target.address()) {
        (true, Some(target)) => then
            .filter(|then| is_same_small(step.pc, target, *then))
            .unwrap_or(target),
        (false, _) => then.unwrap_or(after_slot),
        (true, None) => then?,
    };
    let is_annulled = match control.delay {
        DelaySlotRule::Annulled => true,
        DelaySlotRule::UnlessNotTaken => !is_taken,
        DelaySlotRule::Slot | DelaySlotRule::None => false,
    };
    Some(BranchRecord {
        number: 0,
        time: step.time,
        pc: step.pc,
        target,
        thread: step.thread,
        cpu: None,
        is_taken,
        is_annulled: Some(is_annulled),
        kind: None,
        word: Some(step.word),
    })
}

impl<F: FnMut(&BranchRecord)> EventSink for StepRecorder<F> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let name = self.names.get(usize::from(step.thread.0));
        let thread = name.and_then(|name| name.parse().ok()).unwrap_or(1);
        self.steps.push_back(BranchStep {
            pc: step.pc.0,
            word: step.opcode,
            time: step.time,
            thread,
            branch: step.branch,
            slot: step.delay_slot,
        });
        if self.steps.len() > 2 {
            self.take_first();
        }
    }

    fn marker(&mut self, event: &MarkerEvent) {
        if Gap::of(event.marker).is_some() {
            self.settle();
        }
    }
}

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
        self.line(ThreadNumber(0), &format!("  <{}>", problem.kind));
    }
}
