//! What a text format says about its lines ([`LogFormat`]).

use std::sync::Arc;

use stepback_machine::InstructionSet;

use crate::read_at::ReadAt;
use crate::template::LineTemplate;
use crate::text::window::{lines_of, without_return};
use crate::text_log::quick::QuickStep;
use crate::text_log::step::LoggedStep;

/// A text format in which each step has lines of its own.
pub(crate) trait LogFormat: Send + Sync + Sized + 'static {
    /// A line, split as far as all readers need it.
    type Line<'a>;
    /// State of the search for chunk starts that earlier lines leave.
    type ChunkState: Copy + Send;

    /// Name of the format, as in the table of formats.
    const NAME: &'static str;
    /// Number of last steps whose effects may still arrive while the text grows.
    const OPEN_STEPS: u64 = 1;
    /// Beginning of the names of threads, in a format with quick steps.
    const THREAD: &'static str = "";
    /// State at the start of a chunk.
    const AT_START: Self::ChunkState;
    /// State in the middle of a text whose earlier lines were not read.
    const UNKNOWN: Self::ChunkState;

    /// Chooses the variant of the format from the first bytes of a text.
    fn of_head(head: &LogHead<'_>) -> Self;

    /// Takes account of whole lines that have become readable, for formats that need facts from
    /// other places. Errors are left to the readers of the text.
    fn scan(&self, _input: &dyn ReadAt, _range: std::ops::Range<u64>) {}

    /// Returns the instruction set of the first step.
    fn instruction_set(&self) -> InstructionSet;

    /// Returns whether the processor belongs to the M-profile of Arm.
    fn is_m_profile(&self) -> bool {
        false
    }

    /// Returns whether some register writes and accesses have values and others have none, although
    /// their instructions tell what they do.
    fn leaves_values_out(&self) -> bool {
        false
    }

    /// Returns the unit of the timestamps; none if the format has none.
    fn time_unit(&self) -> Option<&str> {
        None
    }

    /// Returns the properties that affect the events, in a canonical spelling.
    fn options(&self) -> String;

    /// Returns the number of bytes before the chunk of the first step if that chunk begins inside
    /// the first line.
    fn first_chunk(&self) -> u64 {
        0
    }

    /// Returns the number of bytes after a chunk that may complete its step.
    fn look_ahead(&self) -> usize {
        0
    }

    /// Returns the offset of a second record on a line, whose newline is missing; none if the line
    /// has one record.
    fn second_record(&self, _line: &[u8]) -> Option<usize> {
        None
    }

    /// Returns whether nothing can be missing of the last word of a line without newline.
    fn ends_whole(&self, _line: &[u8]) -> bool {
        false
    }

    /// Splits a line without its line end.
    fn read<'a>(&self, line: &'a [u8]) -> Self::Line<'a>;

    /// Returns the maximum number of bytes between the start of a line and the chunk of one of its
    /// steps; 0 if each line has at most one step.
    fn look_behind(&self) -> usize {
        0
    }

    /// Returns the number of steps of a line. Their chunks begin at its first bytes, a byte each.
    fn step_count(&self, _line: &Self::Line<'_>) -> usize {
        1
    }

    /// Splits a line of several steps for one of them.
    fn read_step<'a>(&self, line: &'a [u8], _number: usize) -> Self::Line<'a> {
        self.read(line)
    }

    /// Returns whether a line begins a chunk.
    fn chunk_start(&self, line: &Self::Line<'_>, state: &mut Self::ChunkState) -> ChunkStart;

    /// Adds a line to the step of its chunk.
    fn add(&self, line: &Self::Line<'_>, step: &mut LoggedStep);

    /// Reads the step at the start of a text if its lines have the usual form: exactly what reading
    /// them line by line finds. At least [`PADDING`](crate::text::window::PADDING) bytes follow.
    fn quick_step<'a>(&self, _text: &'a [u8]) -> Option<QuickStep<'a>> {
        None
    }

    /// Returns whether nothing is to be added to a quick step before another one.
    fn leads_to(&self, _step: &QuickStep<'_>, _next: &QuickStep<'_>) -> bool {
        true
    }

    /// Adds the initial state that the first line of a text states; only called if
    /// [`Self::first_chunk`] is inside that line.
    fn add_initial(&self, _line: &Self::Line<'_>, _step: &mut LoggedStep) {}

    /// Completes a step by the text after its chunk, if the format looks ahead.
    fn complete(&self, _step: &mut LoggedStep, _ahead: AheadText<'_>) {}

    /// Marks registers as unknown whose values may be missing, after the last whole line of a text.
    fn forget_missing(&self, step: &mut LoggedStep) {
        step.forget_missing();
    }
}

/// Beginning of a text, from which a format chooses its variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogHead<'a> {
    /// The first bytes.
    pub text: &'a [u8],
    /// What the user states.
    pub options: &'a LogOptions,
}

/// Facts that the user states because the text does not contain them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogOptions {
    /// Instruction set; none for the most likely one.
    pub instruction_set: Option<InstructionSet>,
    /// Description of the lines.
    pub template: Option<Arc<LineTemplate>>,
}

impl<'a> LogHead<'a> {
    /// Iterates over the lines, without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines_of(self.text).map(without_return)
    }
}

/// Answer to the question whether a line begins a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkStart {
    /// It does.
    Yes,
    /// It begins a chunk without a step, whose effects come after the step before.
    Apart,
    /// It belongs to the chunk of the line before.
    No,
    /// It depends on lines that were not read.
    Unknown,
}

/// Text after a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AheadText<'a> {
    /// Whole lines, as far as the format looks ahead.
    pub text: &'a [u8],
}

impl<'a> AheadText<'a> {
    /// Iterates over the lines, without their ends.
    pub fn lines(self) -> impl Iterator<Item = &'a [u8]> {
        lines_of(self.text).map(without_return)
    }
}
