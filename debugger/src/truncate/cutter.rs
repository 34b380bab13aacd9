//! Copies lines of a trace: up to where a rule detects that it only repeats itself, or a chosen
//! range.

use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use stepback_index::Cancel;
use stepback_machine::{Address, InstructionSet, RegisterId};
use stepback_parsers::tarmac::is_noticed_register;
use stepback_parsers::{
    EventSink, Flow, InputLocation, MemoryAccess, ParseScratch, Problem, RegisterWrite,
    Source as _, SourceError, StepEvent, Tarmac, TextEvent, TextKind, ThreadNumber,
};

use crate::new_file::NewFile;
use crate::truncate::{CopyingStream, PollingDetector, RepetitionDetector};

/// Maximum number of problems kept; the others are counted.
const PROBLEMS_KEPT: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct CopySummary {
    /// Number of lines.
    pub lines: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// End of the copy, if it ends before the trace does.
    pub cut: Option<CutPoint>,
    /// Number of lines that could not be parsed; they are copied too.
    pub problem_count: u64,
    /// The first of these problems, at most `PROBLEMS_KEPT`.
    pub problems: Vec<Problem>,
}

/// The end of a copy before that of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// Start of the last line.
    pub place: InputLocation,
    /// Rule that ended the copy.
    pub reason: CutReason,
}

/// Rule that ended a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutReason {
    /// The instruction at this address was reached again without a register change.
    Polling(Address),
    /// The trace repeated its messages without an event in between.
    Repetition,
}

/// An incomplete copy.
#[derive(Debug)]
pub enum CopyError {
    /// The trace could not be read.
    Input(SourceError),
    /// The copy could not be written.
    Output(io::Error),
}

/// Copies the trace of a stream; `done` receives the offset up to which it was read.
///
/// # Errors
/// See [`CopyError`].
pub fn copy(
    trace: &Tarmac,
    stream: &CopyingStream,
    done: &AtomicU64,
) -> Result<CopySummary, CopyError> {
    let set = trace.traits().instruction_set;
    let mut cutter = Cutter::new(stream, set, done);
    let parsed = trace.parse(0..u64::MAX, &mut ParseScratch::default(), &mut cutter);
    cutter.end_lead();
    if let Some(error) = cutter.failure.or_else(|| stream.take_failure()) {
        return Err(CopyError::Output(error));
    }
    let Cutter {
        cut,
        problem_count,
        problems,
        ..
    } = cutter;
    let end = cut.map(|cut| stream.line_end(cut.place.offset));
    // Text that was read before an error is copied too.
    let bytes = stream.finish(end).map_err(CopyError::Output)?;
    let lines = match (&parsed, cut) {
        (_, Some(cut)) => cut.place.line_in_range + 1,
        (Ok(parsed), None) => parsed.lines,
        (Err(_), None) => 0,
    };
    parsed.map_err(CopyError::Input)?;
    Ok(CopySummary {
        lines,
        bytes,
        cut,
        problem_count,
        problems,
    })
}

/// Event sink that applies the rules.
struct Cutter<'a> {
    stream: &'a CopyingStream,
    done: &'a AtomicU64,
    polling: PollingDetector,
    repetition: RepetitionDetector,
    /// Instruction set of each thread, which determines its registers.
    sets: Vec<InstructionSet>,
    /// Instruction set before a thread's first instruction.
    set: InstructionSet,
    /// For each register outside the architecture's table: true if a change of it counts.
    noticed: Vec<bool>,
    /// A step that arrived before events of earlier lines.
    lead: Option<(ThreadNumber, Address, InputLocation)>,
    cut: Option<CutPoint>,
    problem_count: u64,
    problems: Vec<Problem>,
    failure: Option<io::Error>,
}

impl<'a> Cutter<'a> {
    fn new(stream: &'a CopyingStream, set: InstructionSet, done: &'a AtomicU64) -> Self {
        Self {
            stream,
            done,
            polling: PollingDetector::default(),
            repetition: RepetitionDetector::default(),
            sets: Vec::new(),
            set,
            noticed: Vec::new(),
            lead: None,
            cut: None,
            problem_count: 0,
            problems: Vec::new(),
            failure: None,
        }
    }

    /// Applies the rules to the pending step, now that all lines before it were seen.
    fn end_lead(&mut self) {
        if let Some((thread, pc, place)) = self.lead.take() {
            self.step(thread, pc, place);
        }
    }

    /// Keeps events in the order of their lines: applies a pending step first. Returns false at the
    /// end of the copy.
    fn reach(&mut self, place: InputLocation) -> bool {
        if self
            .lead
            .is_some_and(|(.., lead)| lead.offset < place.offset)
        {
            self.end_lead();
        }
        self.cut.is_none()
    }

    fn step(&mut self, thread: ThreadNumber, pc: Address, place: InputLocation) {
        if self.cut.is_some() {
            return;
        }
        self.repetition.clear();
        if self.polling.step(thread.0, pc) {
            self.cut = Some(CutPoint {
                place,
                reason: CutReason::Polling(pc),
            });
        }
    }
}

impl EventSink for Cutter<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, _name: &str) {
        self.sets.push(self.set);
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.noticed.push(is_noticed_register(name.as_bytes()));
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.end_lead();
        if let Some(set) = self.sets.get_mut(usize::from(step.thread.0)) {
            *set = step.instruction_set;
        }
        match step.chunk_offset < step.place.offset {
            true => self.lead = Some((step.thread, step.pc, step.place)),
            false => self.step(step.thread, step.pc, step.place),
        }
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let named = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let is_overlooked =
            named.is_some_and(|number| self.noticed.get(usize::from(number)) != Some(&true));
        if write.is_bank_copy() || is_overlooked || !self.reach(write.place) {
            return;
        }
        self.repetition.clear();
        let set = self
            .sets
            .get(usize::from(write.thread.0))
            .copied()
            .unwrap_or(self.set);
        if let Some(bytes) = write.bytes {
            self.polling.write(write.thread.0, set, write.view, bytes);
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.reach(access.place);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if !self.reach(event.place) || event.kind != TextKind::Note {
            return;
        }
        if self.repetition.say(event.thread.0, event.text) {
            self.cut = Some(CutPoint {
                place: event.place,
                reason: CutReason::Repetition,
            });
        }
    }

    fn problem(&mut self, problem: &Problem) {
        if !self.reach(problem.place) {
            return;
        }
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_KEPT {
            self.problems.push(problem.clone());
        }
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.end_lead();
        self.done.store(offset, Ordering::Relaxed);
        if self.cut.is_some() {
            return Flow::Stop;
        }
        match self.stream.copy_to(offset) {
            Ok(()) => Flow::Continue,
            Err(error) => {
                self.failure = Some(error);
                Flow::Stop
            }
        }
    }
}

/// Number of bytes copied at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// Writes the lines of a range of a trace's text into a file, unchanged. The file appears when it is
/// complete.
///
/// # Errors
/// The trace could not be read, the file could not be written, or the copy was cancelled. The file
/// is then unchanged.
pub fn save_part(tarmac: &Tarmac, text: Range<u64>, path: &Path, cancel: &Cancel) -> Result<()> {
    copy_text(tarmac, text, path, cancel)
        .with_context(|| format!("the file is not written: {path:?}"))
}

fn copy_text(tarmac: &Tarmac, text: Range<u64>, path: &Path, cancel: &Cancel) -> Result<()> {
    let mut file = NewFile::create(path)?;
    let (mut at, mut buffer) = (text.start, Vec::new());
    while at < text.end {
        cancel.check()?;
        let next = at.saturating_add(CHUNK_BYTES).min(text.end);
        buffer.clear();
        tarmac.read_raw(at..next, &mut buffer)?;
        file.write_all(&buffer)?;
        at = next;
    }
    Ok(file.finish()?)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// An output shared with the test.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn copied(trace: &[u8]) -> (CopySummary, Vec<u8>) {
        let stream = CopyingStream::new(Box::new(io::Cursor::new(trace.to_vec())));
        let output = Shared::default();
        stream.copy_into(Box::new(output.clone()));
        let tarmac = Tarmac::open(Box::new(stream.clone()), Default::default()).unwrap();
        let copied = copy(&tarmac, &stream, &AtomicU64::default()).unwrap();
        let bytes = output.0.lock().unwrap().clone();
        (copied, bytes)
    }

    /// Checks that a trace is cut after a line, counted from 1.
    #[track_caller]
    fn check(trace: &str, expected: Option<(u64, CutReason)>) {
        let (copied, output) = copied(trace.as_bytes());
        let found = copied
            .cut
            .map(|cut| (cut.place.line_in_range + 1, cut.reason));
        assert_eq!(found, expected, "{trace}");
        let kept: String = trace
            .split_inclusive('\n')
            .take(expected.map_or(usize::MAX, |(line, _)| line as usize))
            .collect();
        assert_eq!(String::from_utf8(output).unwrap(), kept);
        assert_eq!(
            (copied.bytes, copied.lines),
            (kept.len() as u64, kept.lines().count() as u64)
        );
    }

    fn nop(time: u32, address: u32) -> String {
        format!("{time} clk IT ({time}) {address:08x} e1a00000 A svc : NOP\n")
    }

    #[test]
    fn a_loop_without_a_change_is_left_at_its_second_round() {
        let trace: String = (0..40)
            .map(|time| nop(time, 0x8000 + time % 4 * 4))
            .collect();
        check(&trace, Some((5, CutReason::Polling(Address(0x8000)))));
    }

    #[test]
    fn a_loop_that_counts_is_kept() {
        let round = |time: u32| format!("{}{time} clk R r0 {time:08x}\n", nop(time, 0x8000));
        let rounds: String = (0..40).map(round).collect();
        check(&format!("0 clk R r0 ffffffff\n{rounds}"), None);
        // The first value of a register is no change.
        check(&rounds, Some((3, CutReason::Polling(Address(0x8000)))));
    }

    #[test]
    fn system_registers_and_memory_are_no_change() {
        let round = |time: u32| {
            let more =
                format!("{time} clk R CNTVCT {time:08x}\n{time} clk MW4 00001000 {time:08x}\n");
            nop(time, 0x8000) + &more
        };
        check(
            &(0..40).map(round).collect::<String>(),
            Some((4, CutReason::Polling(Address(0x8000)))),
        );
    }

    #[test]
    fn lines_count_in_their_order_even_where_they_belong_to_the_step_after_them() {
        // The register changes before the step that would be the second visit.
        let round = |time: u32| format!("{time} clk R r0 {time:08x}\n{}", nop(time, 0x8000));
        check(&(0..40).map(round).collect::<String>(), None);
    }

    #[test]
    fn what_is_said_again_and_again_is_cut() {
        let said: String = (1..40)
            .map(|time| format!("{time} clk SIGNAL: SIGNAL=waiting{}\n", time % 2))
            .collect();
        check(&(nop(0, 0x8000) + &said), Some((18, CutReason::Repetition)));
        let broken: String = (1..40)
            .map(|time| format!("{time} clk BR 1\n{}", nop(time, time * 4)))
            .collect();
        check(&broken, None);
    }

    #[test]
    fn lines_are_copied_as_they_are() {
        let trace = b"Tarmac Text Rev 3t\r\n\r\n1 clk IT (1) 00008000 e1a00000 A svc : \xff\xfe NOP\r\nnonsense @\n\0\n1 clk R r0 00000001";
        let (copied, output) = copied(trace);
        assert_eq!(output, trace);
        assert_eq!((copied.lines, copied.cut), (6, None));
        assert!(copied.problem_count > 0);
    }

    #[test]
    fn a_long_trace_is_copied_in_bounded_memory_and_cut_at_the_right_byte() {
        let mut trace: String = (0..600_000).map(|time| nop(time, time * 4)).collect();
        let kept = trace.len() + nop(600_000, 0x8000).len() * 2;
        trace.extend((600_000..700_000).map(|time| nop(time, 0xffff_0000 + time % 2 * 4)));
        let (copied, output) = copied(trace.as_bytes());
        assert_eq!(
            copied.cut.map(|cut| cut.reason),
            Some(CutReason::Polling(Address(0xffff_0000)))
        );
        assert_eq!(copied.lines, 600_003);
        let kept = kept + nop(600_002, 0x8000).len();
        assert!(output == trace.as_bytes()[..kept]);
    }
}
