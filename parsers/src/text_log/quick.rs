//! Steps in the usual form of a format, read whole and emitted at once ([`QuickStep`]).
//!
//! A step is emitted when the one after it is read in the same way, so no other line belongs to it.
//! All other steps are read line by line.

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Encoding, InstructionSet, Mode, RegisterView};

use crate::events::{DelaySlot, EventSink, InputLocation, StepEvent, StepOrigin, ThreadNumber};
use crate::text::window::InputWindow;
use crate::text_log::format::{ChunkStart, LogFormat};
use crate::text_log::run::LogRun;
use crate::text_log::step::{LoggedAccess, emit_access, emit_whole_write};

/// An executed step of one line, or of a line about the instruction and one with its effects. Lines
/// without meaning may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickStep<'a> {
    /// Number in the name of the thread; [`LogFormat::THREAD`] is the rest of the name.
    pub thread: u64,
    /// Privilege mode of the instruction, as a number.
    pub privilege: u8,
    /// Address of the instruction.
    pub pc: u64,
    /// Instruction set of the instruction.
    pub set: InstructionSet,
    /// Bytes of the instruction.
    pub encoding: Encoding,
    /// Disassembly in the log.
    pub text: &'a [u8],
    /// Register write with its value; the register has at most 8 bytes.
    pub write: Option<(RegisterView, u64)>,
    /// Access after the register write.
    pub access: Option<LoggedAccess>,
    /// Length in bytes of the line before the one with the effects; 0 if there is none.
    pub effects_at: usize,
    /// Length in bytes of all lines, with their newlines and lines without meaning after them.
    pub length: usize,
    /// Number of all lines.
    pub lines: u64,
}

/// A step that is left to the reader of lines, as offsets in a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftStep {
    pub start: usize,
    pub end: usize,
}

/// Thread of the last quick step: the number in its name, and its number in the run.
pub(super) type QuickThread = Option<(u64, ThreadNumber)>;

impl<F: LogFormat, S: EventSink + ?Sized> LogRun<'_, F, S> {
    /// Emits quick steps from an offset in the window on; returns the first step that is left. None
    /// if there is no quick step at the offset, or if its line belongs to the step before.
    pub(super) fn quick_steps(
        &mut self,
        window: &InputWindow<'_>,
        at: usize,
        limit: usize,
    ) -> Option<LeftStep> {
        let mut step = self.quick_step(window, at)?;
        let (line, _) = window.part().line_at(at)?;
        let mut state = self.state;
        if self.format.chunk_start(&self.format.read(line), &mut state) != ChunkStart::Yes {
            return None;
        }
        let offset = |at: usize| window.base() + at as u64;
        self.finish_step(window, offset(at));
        self.step.begin(offset(at));
        self.state = F::AT_START;
        let mut start = at;
        loop {
            let end = start + step.length;
            let next = if end < limit {
                self.quick_step(window, end)
            } else {
                None
            };
            match next.filter(|next| self.format.leads_to(&step, next)) {
                Some(next) if self.emit_quick(&step, offset(start)) => (step, start) = (next, end),
                _ => return Some(LeftStep { start, end }),
            }
        }
    }

    /// Reads the quick step at an offset in the window.
    #[inline(always)]
    fn quick_step<'w>(&self, window: &'w InputWindow<'_>, at: usize) -> Option<QuickStep<'w>> {
        let step = self.format.quick_step(window.padded().get(at..)?)?;
        // The newline of the last line may belong to the padding.
        let is_whole = at + step.length <= window.text().len();
        (is_whole && step.length <= self.line_limit).then_some(step)
    }

    /// Pushes the events of a step; returns false, and does nothing, if there are too many threads.
    #[inline(always)]
    fn emit_quick(&mut self, step: &QuickStep<'_>, offset: u64) -> bool {
        let Some(thread) = self.quick_thread(step.thread) else {
            return false;
        };
        let place = InputLocation {
            offset,
            line_in_range: self.line,
        };
        let set = step.set;
        self.sink.begin_step(&StepEvent {
            thread,
            place,
            chunk_offset: offset,
            time: None,
            pc: Address(set.code_address(step.pc)),
            instruction_set: set,
            opcode: set.opcode_of(&step.encoding),
            bytes: step.encoding.bytes(),
            branch: RecordedBranch::Unsaid,
            length_bytes: step.encoding.bytes().len() as u8,
            is_executed: true,
            delay_slot: DelaySlot::None,
            origin: StepOrigin::Recorded,
            mode: Mode::Other,
            text: step.text,
        });
        let place = InputLocation {
            offset: offset + step.effects_at as u64,
            line_in_range: self.line + u64::from(step.effects_at > 0),
        };
        self.line += step.lines;
        if let Some((view, value)) = step.write {
            let bytes = value.to_le_bytes();
            let value = bytes.get(..usize::from(view.size_bytes));
            emit_whole_write(thread, view, value, place, self.sink);
        }
        if let Some(access) = &step.access {
            emit_access(thread, access, place, self.sink);
        }
        true
    }

    #[inline(always)]
    fn quick_thread(&mut self, number: u64) -> Option<ThreadNumber> {
        match self.quick_thread {
            Some((last, thread)) if last == number => Some(thread),
            _ => self.other_thread(number),
        }
    }

    #[inline(never)]
    fn other_thread(&mut self, number: u64) -> Option<ThreadNumber> {
        self.step.set_thread(F::THREAD, number);
        let thread = self.names.thread(&self.step.thread, self.sink)?;
        self.step.thread.clear();
        self.quick_thread = Some((number, thread));
        Some(thread)
    }
}
