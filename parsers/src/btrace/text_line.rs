//! The text form of a recording, with a line for each instruction: nanoseconds since the line
//! before, address, instruction word, disassembly ([`TextLine`]). [`retell`] encodes the lines as
//! steps. Nothing is reconstructed, but branch outcomes and delay slots depend on the lines that
//! follow.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use stepback_machine::flow::{DelaySlotRule, RecordedBranch};

use crate::btrace::code::{ControlTransfer, SET, WORD, encoding_of};
use crate::events::{DelaySlot, StepOrigin, ThreadNumber};
use crate::marker::{Gap, GapReason};
use crate::packed::ForwardReader;
use crate::problem::ProblemKind;
use crate::read_at::TraceFile;
use crate::reconstruct::Outcome;
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::{ReadEnd, StepStatus, StoredStep, StoredThread};

/// A parsed line, such as `   12960 0000000100000744 e05ba87f      ldx     [%sp+0x87f], %l0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Nanoseconds since the step before.
    pub delta_nanos: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// Instruction word.
    pub word: u32,
    /// Disassembly as written.
    pub text: &'a [u8],
}

/// First line of a text.
pub const HEADING: &str = "Delta NS Address          Instruction   (disassembled)";

/// Returns whether a line is the heading.
pub fn is_heading(line: &[u8]) -> bool {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    [&b"Delta"[..], b"NS", b"Address"]
        .iter()
        .all(|expected| words.next() == Some(*expected))
}

/// Returns whether a line marks omitted lines.
pub fn is_ellipsis(line: &[u8]) -> bool {
    line.trim_ascii() == b"..."
}

impl<'a> TextLine<'a> {
    /// Parses a line; `None` if it does not describe an instruction.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        let (delta, rest) = word(line)?;
        let (pc, rest) = word(rest)?;
        let (opcode, rest) = word(rest)?;
        let is_full = (8..=16).contains(&pc.len()) && opcode.len() == 8;
        let delta_nanos = std::str::from_utf8(delta).ok()?.parse().ok()?;
        let pc = hex(pc).filter(|pc| is_full && pc.is_multiple_of(4))?;
        Some(Self {
            delta_nanos,
            pc,
            word: hex(opcode)? as u32,
            text: rest.trim_ascii(),
        })
    }
}

/// Splits off the first word of a line.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = line
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(line.len());
    line.split_at_checked(end)
        .filter(|(word, _)| !word.is_empty())
}

fn hex(digits: &[u8]) -> Option<u64> {
    // A sign is not a digit, though `from_str_radix` accepts it.
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Number of bytes read at once.
const BUFFER: usize = 256 << 10;
/// Maximum length of a line; longer ones are not part of the format.
const LONGEST: usize = 4 << 10;

/// Encodes the lines of a text as steps.
///
/// # Errors
/// The file could not be read.
pub fn retell<B: BlockSink>(
    file: &TraceFile,
    is_stopped: &AtomicBool,
    encoder: &mut Encoder<B>,
) -> io::Result<ReadEnd> {
    let mut stated = TextStepEncoder::new(encoder);
    let mut input = ForwardReader::open(Arc::clone(&file.data), 0)?;
    let mut buffer = vec![0; BUFFER];
    let (mut filled, mut is_too_long) = (0, false);
    loop {
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(ReadEnd::Stopped);
        }
        let count = input.read(buffer.get_mut(filled..).unwrap_or_default())?;
        filled += count;
        let mut rest = buffer.get(..filled).unwrap_or_default();
        while let Some(end) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            stated.line(if std::mem::take(&mut is_too_long) {
                b"?"
            } else {
                line
            });
        }
        if count == 0 {
            stated.last_line(rest);
            input.damage().into_iter().for_each(|damage| {
                stated.encoder.problem(&ProblemKind::Packed(damage.clone()));
            });
            return Ok(ReadEnd::Complete);
        }
        if rest.len() > LONGEST {
            (is_too_long, rest) = (true, &[]);
        }
        let kept = filled - rest.len();
        filled = rest.len();
        buffer.copy_within(kept..kept + filled, 0);
    }
}

/// Thread of all lines.
const THREAD: ThreadNumber = ThreadNumber(0);

struct TextStepEncoder<'e, B> {
    encoder: &'e mut Encoder<B>,
    lines: u64,
    time: u64,
    /// Steps whose outcomes and delay slots depend on the next lines.
    held: VecDeque<PendingTextStep>,
    /// Step before these.
    before: Option<PendingTextStep>,
}

/// A step read from a line.
#[derive(Clone, Copy, Debug)]
struct PendingTextStep {
    /// Line number.
    line: u64,
    time: u64,
    pc: u64,
    word: u32,
    transfer: Option<ControlTransfer>,
    slot: DelaySlot,
}

impl<'e, B: BlockSink> TextStepEncoder<'e, B> {
    fn new(encoder: &'e mut Encoder<B>) -> Self {
        encoder.thread(THREAD, StoredThread { tid: 1, pid: 0 });
        Self {
            encoder,
            lines: 0,
            time: 0,
            held: VecDeque::new(),
            before: None,
        }
    }

    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        match TextLine::of(line) {
            Some(found) => self.step(&found),
            None if is_ellipsis(line) => self.gap(),
            None if line.trim_ascii().is_empty() || is_heading(line) => {}
            None => {
                let line = self.lines;
                self.encoder.problem(&ProblemKind::BtraceLine { line });
            }
        }
    }

    fn last_line(&mut self, line: &[u8]) {
        if !line.is_empty() {
            self.line(line);
        }
        self.show_held();
        self.encoder.begin_record(self.lines.saturating_add(1));
    }

    /// Emits a gap where lines were left out.
    fn gap(&mut self) {
        self.show_held();
        if self.before.take().is_some() {
            self.encoder.marker(
                THREAD,
                Gap {
                    reason: GapReason::Lost,
                    instructions: None,
                }
                .marker(),
                0,
            );
        }
    }

    fn step(&mut self, line: &TextLine<'_>) {
        let TextLine {
            delta_nanos,
            pc,
            word,
            ..
        } = *line;
        if self.last().is_some_and(|last| !last.may_lead_to(pc)) {
            self.gap();
        }
        self.time = self.time.saturating_add(delta_nanos);
        let transfer = ControlTransfer::of(word, pc);
        let slot = self
            .last()
            .map_or(DelaySlot::None, |last| last.slot_at(pc, None));
        self.held.push_back(PendingTextStep {
            line: self.lines,
            time: self.time,
            pc,
            word,
            transfer,
            slot,
        });
        while self
            .held
            .front()
            .is_some_and(|first| self.held.len() > first.lines_ahead())
        {
            self.show_first();
        }
    }

    fn last(&self) -> Option<&PendingTextStep> {
        self.held.back().or(self.before.as_ref())
    }

    fn show_held(&mut self) {
        while !self.held.is_empty() {
            self.show_first();
        }
    }

    /// Emits the first pending step; its outcome follows from the next lines.
    fn show_first(&mut self) {
        let Some(mut first) = self.held.pop_front() else {
            return;
        };
        if let Some(before) = self.before {
            let after = self.held.front().map(|next| next.pc);
            first.slot = before.slot_at(first.pc, after);
        }
        let ahead = [0, 1].map(|place| self.held.get(place).map(|step| step.pc));
        let branch = match first.transfer {
            Some(transfer) => match transfer.branch(Outcome::Taken) {
                RecordedBranch::Conditional(_) => {
                    RecordedBranch::Conditional(first.is_taken(ahead))
                }
                branch => branch,
            },
            None => RecordedBranch::None,
        };
        self.encoder.begin_record(first.line);
        self.encoder.time(THREAD, first.time);
        let is_executed = first.slot != DelaySlot::Annulled;
        self.encoder.step(&StoredStep {
            input: 0,
            thread: THREAD,
            branch,
            set: SET,
            length_bytes: WORD as u16,
            pc: first.pc,
            encoding: encoding_of(first.word),
            target: None,
            reached: StepStatus {
                slot: first.slot,
                is_executed,
                origin: StepOrigin::Recorded,
            },
        });
        self.before = Some(first);
    }
}

impl PendingTextStep {
    fn delay(&self) -> DelaySlotRule {
        self.transfer
            .map_or(DelaySlotRule::None, |transfer| transfer.fork.control.delay)
    }

    /// Returns how many of the following lines determine its outcome.
    fn lines_ahead(&self) -> usize {
        // For a step in a delay slot, the next line shows whether it was annulled.
        if self.delay() == DelaySlotRule::None {
            1
        } else {
            2
        }
    }

    /// Returns the address after its delay slot.
    fn after_slot(&self) -> u64 {
        self.pc.wrapping_add(2 * WORD)
    }

    /// Returns whether the branch was taken, by the addresses of the next two lines; `None` if they
    /// do not decide it.
    fn is_taken(&self, ahead: [Option<u64>; 2]) -> Option<bool> {
        let target = self.transfer?.fork.control.target.address()?;
        let has_slot = ahead[0]? == self.pc.wrapping_add(WORD);
        let then = if has_slot { ahead[1]? } else { ahead[0]? };
        let is_known = target != self.after_slot() && (then == target || then == self.after_slot());
        is_known.then_some(then == target)
    }

    /// Returns the delay-slot state of the next instruction, at `pc`, given the address of the one
    /// after it.
    fn slot_at(&self, pc: u64, after: Option<u64>) -> DelaySlot {
        let is_slot = pc == self.pc.wrapping_add(WORD);
        match self.delay() {
            DelaySlotRule::Annulled if is_slot => DelaySlot::Annulled,
            DelaySlotRule::UnlessNotTaken
                if is_slot && self.is_taken([Some(pc), after]) == Some(false) =>
            {
                DelaySlot::Annulled
            }
            DelaySlotRule::Slot | DelaySlotRule::UnlessNotTaken
                if is_slot || self.slot == DelaySlot::Executed =>
            {
                DelaySlot::Executed
            }
            _ => DelaySlot::None,
        }
    }

    /// Returns whether the instruction at `pc` can follow this one.
    fn may_lead_to(&self, pc: u64) -> bool {
        // A branch leads elsewhere, and so does an instruction that may be in its delay slot.
        self.transfer.is_some() || self.slot != DelaySlot::None || pc == self.pc.wrapping_add(WORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_four_parts() {
        let line = b"   12960 0000000100000744 e05ba87f      ldx     [%sp+0x87f], %l0";
        let expected = TextLine {
            delta_nanos: 12960,
            pc: 0x1_0000_0744,
            word: 0xe05b_a87f,
            text: b"ldx     [%sp+0x87f], %l0",
        };
        assert_eq!(TextLine::of(line), Some(expected));
        let bare = TextLine {
            delta_nanos: 0,
            pc: 0x1000,
            word: 0x0100_0000,
            text: b"",
        };
        assert_eq!(TextLine::of(b"0 00001000 01000000"), Some(bare));
        for other in [
            &b"0 00001001 01000000"[..],
            b"x 00001000 01000000",
            b"0 1000 01000000",
            b"0 00001000",
            b" ...",
            b"",
        ] {
            assert_eq!(TextLine::of(other), None, "{other:?}");
        }
    }
}
