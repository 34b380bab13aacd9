//! Frames of calls ([`StackFrame`]), with descriptions of how they were entered, left and
//! recognised.
//!
//! These details read the trace, so they are requested only for the frames in view.

use anyhow::Result;
use stepback_index::answer::{
    Call, CallId, Evidence, FrameEntry, FrameExit, RegisterState, StepRecord, Value,
};
use stepback_index::query::{RegisterViewsAt, Steps};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{Position, RegisterSource, Step};

use crate::analysis::exceptions::{Trap, trap_of};
use crate::image::{Images, SymbolKind};
use crate::messages::say;
use crate::model::names::{frame_name, place_name};
use crate::model::so_far::left_so_far;
use crate::model::text::short_hex;
use crate::session::Session;

/// Stack frame with everything that is shown of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    pub id: CallId,
    /// Entry of the call table.
    pub call: Call,
    /// Name of the function, or of the trap that it handles.
    pub name: String,
    /// Trap that the frame handles.
    pub trap: Option<Trap>,
    /// Call site; none if no step called the frame.
    pub call_site: Option<CallSite>,
    /// Values of the first argument registers at entry; empty for frames to which no call passes
    /// arguments.
    pub arguments: Vec<ArgumentRegister>,
}

/// Step that made a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub step: Step,
    /// Address of its instruction.
    pub address: Address,
    /// Symbol at that address: `main+1c`.
    pub place: Option<String>,
    /// Source line: `overflow.c:95`.
    pub source: Option<String>,
}

/// Argument register with its value at the entry of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRegister {
    pub name: String,
    pub value: Value,
}

/// Choice of whether frames include the source lines of their call sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLineMode {
    /// Include them, and wait for the debug information if it is not loaded yet.
    Stated,
    /// Leave them out.
    LeftOut,
}

/// Reads the details of some frames. Runs on a worker, because it reads the trace.
///
/// Cost: one step and the arguments' last writes for each frame.
///
/// # Errors
/// See [`QueryError`].
pub fn stack_frames(
    session: &Session,
    ids: &[CallId],
    wish: SourceLineMode,
    cancel: &Cancel,
) -> Result<Vec<StackFrame>, QueryError> {
    let frame = |id: &CallId| match session.index.calls().get(*id) {
        Some(call) => stack_frame(session, *id, call, wish, cancel).map(Some),
        None => Ok(None),
    };
    ids.iter().filter_map(|id| frame(id).transpose()).collect()
}

fn stack_frame(
    session: &Session,
    id: CallId,
    call: Call,
    wish: SourceLineMode,
    cancel: &Cancel,
) -> Result<StackFrame, QueryError> {
    let source = |address: Address| match wish {
        SourceLineMode::Stated => session.images.source_at(address).map(|line| line.short()),
        SourceLineMode::LeftOut => None,
    };
    let record = |step: Step| -> Result<Option<StepRecord>, QueryError> {
        Ok(Steps {
            first: step,
            count: 1,
        }
        .run(&session.index, cancel)?
        .into_iter()
        .next())
    };
    let call_site = match call.call_step {
        Some(step) => record(step)?.map(|record| CallSite {
            step,
            address: record.pc,
            place: place_name(&session.images, record.pc),
            source: source(record.pc),
        }),
        None => None,
    };
    let set = match call.entry_step {
        Some(step) => record(step)?.map(|record| record.instruction_set),
        None => None,
    };
    let set = set.unwrap_or_else(|| session.index.instruction_set(call.thread));
    let arguments = arguments(session, &call, set, cancel)?;
    let (name, trap) = (
        frame_name(session, &call, cancel)?,
        trap_of(&session.index, &call, cancel)?,
    );
    Ok(StackFrame {
        id,
        call,
        name,
        trap,
        call_site,
        arguments,
    })
}

/// Reads the argument registers at entry. Threads, interrupts and tasks begin without arguments.
fn arguments(
    session: &Session,
    call: &Call,
    set: InstructionSet,
    cancel: &Cancel,
) -> Result<Vec<ArgumentRegister>, QueryError> {
    if !matches!(call.entered, FrameEntry::Call | FrameEntry::Tail) {
        return Ok(Vec::new());
    }
    let view = |name: &&str| {
        Some((
            (*name).to_owned(),
            NameReader(&session.index).view_in(name, set)?,
        ))
    };
    let views = set.abi().arguments.iter().filter_map(view).collect();
    let states = RegisterViewsAt {
        position: entered_at(call),
        thread: call.thread,
        views,
    }
    .run(&session.index, cancel)?;
    let states = states
        .into_iter()
        .map(|RegisterState { name, value, .. }| ArgumentRegister { name, value });
    let mut arguments: Vec<ArgumentRegister> = states.collect();
    if session.index.source().traits().registers == RegisterSource::Operands {
        // If values are inferred, most registers after the last known one hold no argument.
        let known = arguments
            .iter()
            .rposition(|argument| !argument.value.is_unknown())
            .map_or(0, |last| last + 1);
        arguments.truncate(known);
    }
    Ok(arguments)
}

/// Returns the position before the first step of a frame, or after the call if the trace shows no
/// step of it.
pub fn entered_at(call: &Call) -> Position {
    call.entry_step
        .map(Step::before)
        .or(call.call_step.map(Step::after))
        .unwrap_or_default()
}

/// Returns the position before the step that called a frame, or its entry if no step called it.
pub fn called_at(call: &Call) -> Position {
    call.call_step
        .map_or_else(|| entered_at(call), Step::before)
}

impl ArgumentRegister {
    /// Formats the value without leading zeros, or `?` if it is unknown.
    pub fn value_text(&self) -> String {
        short_hex(&self.value).unwrap_or_else(|| "?".to_owned())
    }
}

/// Maximum number of bytes between two functions that the compiler leaves free.
const PADDING_BYTES: u64 = 16;

impl StackFrame {
    /// Returns the name of the frame at its current instruction. A tail call to the function that
    /// follows in memory may be no transfer of control, so that the call table does not have it.
    pub(super) fn name_at(&self, address: Address, images: &Images) -> String {
        let function = |address: Address| {
            let found = images.function_at(address);
            found.filter(|found| found.symbol.kind == SymbolKind::Function)
        };
        match (function(self.call.function), function(address)) {
            (Some(called), Some(reached)) if self.trap.is_none() => {
                let symbol = called.symbol;
                let end = symbol.address.0.saturating_add(symbol.size_bytes);
                let after = reached.symbol.address.0.checked_sub(end);
                match after.is_some_and(|gap| gap < PADDING_BYTES) && symbol.size_bytes > 0 {
                    true => reached.name.to_owned(),
                    false => self.name.clone(),
                }
            }
            _ => self.name.clone(),
        }
    }

    /// Returns the unusual properties of the frame.
    pub fn marks(&self) -> Vec<FrameMark> {
        frame_marks(&self.call)
    }

    /// Formats the name with the first `shown` arguments: `hexval(x0 64, x1 ?, …)`.
    pub fn signature(&self, shown: usize) -> String {
        let mut parts: Vec<String> = self
            .arguments
            .iter()
            .take(shown)
            .map(ArgumentRegister::text)
            .collect();
        if self.arguments.len() > shown {
            parts.push("…".to_owned());
        }
        format!("{}({})", self.name, parts.join(", "))
    }

    /// Describes the call site in one line: `from step 1,229 at decode_field+a8 (80000438)`.
    pub fn call_text(&self) -> String {
        match &self.call_site {
            None => entered_words(&self.call).to_owned(),
            Some(site) => say!(
                "stack-from-step-at",
                step = site.step.0,
                place = site.place_text()
            ),
        }
    }

    /// Describes the frame in full, one line per fact.
    pub fn detail_lines(&self, session: &Session) -> Vec<String> {
        let mut lines = vec![say!(
            "stack-name-at",
            name = &*self.name,
            address = format!("{:x}", self.call.function.0)
        )];
        lines.push(match self.call_site {
            None => entered_words(&self.call).to_owned(),
            Some(_) => format!("{} {}", entered_words(&self.call), self.call_text()),
        });
        if self.call.entry_step.is_none() {
            lines.push(say!("stack-the-trace-shows-no-step").to_owned());
        }
        lines.push(left_so_far(session, &self.call));
        lines.push(say!(
            "stack-found",
            evidence = evidence_words(self.call.evidence)
        ));
        let arguments: Vec<String> = self.arguments.iter().map(ArgumentRegister::text).collect();
        for four in arguments.chunks(4) {
            lines.push(four.join("  "));
        }
        lines
    }

    /// Formats the frame as copied text.
    pub fn line(&self, number: u64) -> String {
        let marks = self.marks();
        let words = marks
            .iter()
            .map(|mark| mark.word())
            .collect::<Vec<_>>()
            .join(", ");
        let marks = if marks.is_empty() {
            String::new()
        } else {
            format!("  [{words}]")
        };
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(ArgumentRegister::written_text)
            .collect();
        format!(
            "#{number} {}({}) {}{marks}",
            self.name,
            arguments.join(", "),
            self.call_text()
        )
    }
}

impl ArgumentRegister {
    /// Formats the value in C syntax, for text that does not say that numbers are hexadecimal.
    fn written_text(&self) -> String {
        let value =
            short_hex(&self.value).map_or_else(|| "?".to_owned(), |value| format!("0x{value}"));
        format!("{}={value}", self.name)
    }

    /// Formats name and value: `x0=64`, `x1=?`.
    pub fn text(&self) -> String {
        format!("{}={}", self.name, self.value_text())
    }
}

impl CallSite {
    /// Formats the symbol, the address and the source line.
    pub fn place_text(&self) -> String {
        let place = match &self.place {
            Some(place) => format!("{place} ({:x})", self.address.0),
            None => format!("{:x}", self.address.0),
        };
        self.source
            .as_ref()
            .map_or_else(|| place.clone(), |source| format!("{place}, {source}"))
    }
}

/// Describes the entry of a frame in a few words: `called`, `interrupted`.
pub fn entered_words(call: &Call) -> &'static str {
    match call.entered {
        _ if call.evidence == Evidence::Caller => say!("frame-entered-before"),
        FrameEntry::Root => say!("frame-the-first-frame-of-its"),
        FrameEntry::Call => say!("frame-entered-by-a-call"),
        FrameEntry::Tail => say!("frame-entered-by-a-jump-from"),
        FrameEntry::Exception => say!("frame-entered-by-an-exception-or"),
        FrameEntry::Switch => say!("frame-entered-by-a-switch-to"),
        FrameEntry::Gap => say!("frame-first-after-a-gap"),
    }
}

/// Describes the end of a frame, with the step.
pub fn left_words(call: &Call) -> String {
    let words = match call.left {
        FrameExit::Return => say!("frame-returned"),
        FrameExit::Skipped => say!("frame-skipped-by-a-later-return"),
        FrameExit::Longjmp => say!("frame-left-by-a-jump-out"),
        FrameExit::Open => return say!("frame-never-left-the-trace-ends").to_owned(),
        FrameExit::Tail => say!("frame-left-by-a-jump-to"),
        FrameExit::Gap => say!("frame-left-in-a-gap"),
    };
    match call.exit_step {
        Some(step) => say!("frame-last-step", words = words, step = step.0),
        None => words.to_owned(),
    }
}

/// Describes the evidence for a frame.
pub fn evidence_words(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Start => say!("frame-it-is-where-the-thread"),
        Evidence::Link => say!("frame-the-calling-step-wrote-the"),
        Evidence::Return => say!("frame-control-came-back-to-its"),
        Evidence::Branch => say!("frame-the-calling-step-is-a"),
        Evidence::Words => say!("frame-the-trace-says-so-in"),
        Evidence::Jump => say!("frame-control-went-on-elsewhere-after"),
        Evidence::Stack => say!("frame-the-stack-pointer-was-moved"),
        Evidence::Record => say!("frame-the-traces-records-say-so"),
        Evidence::Caller => say!("frame-a-return-of-no-recorded-call"),
    }
}

/// Unusual property of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMark {
    /// Entered by a tail call.
    Tail,
    /// Entered by an exception.
    Exception,
    /// Entered by a switch of tasks.
    Task,
    /// Entered after a gap, or left in one.
    Gap,
    /// Ended by the return of a frame around it.
    Skipped,
    /// Left by a jump out of several frames.
    Longjmp,
    /// Never left.
    Open,
}

impl FrameMark {
    pub fn word(self) -> &'static str {
        match self {
            Self::Tail => say!("frame-mark-tail"),
            Self::Exception => say!("frame-mark-exception"),
            Self::Task => say!("frame-mark-task"),
            Self::Gap => say!("frame-mark-gap"),
            Self::Skipped => say!("frame-mark-skipped"),
            Self::Longjmp => "longjmp",
            Self::Open => say!("frame-mark-open"),
        }
    }
}

/// Returns the marks of a frame; a call that returned has none.
pub fn frame_marks(call: &Call) -> Vec<FrameMark> {
    let entered = match call.entered {
        FrameEntry::Root | FrameEntry::Call => None,
        FrameEntry::Tail => Some(FrameMark::Tail),
        FrameEntry::Exception => Some(FrameMark::Exception),
        FrameEntry::Switch => Some(FrameMark::Task),
        FrameEntry::Gap => Some(FrameMark::Gap),
    };
    let left = match call.left {
        // A tail call marks the frame that it enters.
        FrameExit::Return | FrameExit::Tail => None,
        FrameExit::Skipped => Some(FrameMark::Skipped),
        FrameExit::Longjmp => Some(FrameMark::Longjmp),
        // The first frame of a thread, and the first after a gap, is expected to be open.
        FrameExit::Open => Some(FrameMark::Open)
            .filter(|_| !matches!(call.entered, FrameEntry::Root | FrameEntry::Gap)),
        FrameExit::Gap => Some(FrameMark::Gap),
    };
    entered.into_iter().chain(left).collect()
}

#[cfg(test)]
mod frame_words_tests {
    use stepback_index::answer::ThreadId;
    use stepback_machine::Address;
    use stepback_parsers::Step;

    use super::*;

    fn call(entered: FrameEntry, left: FrameExit) -> Call {
        Call {
            thread: ThreadId(0),
            function: Address(0x8000),
            call_step: Some(Step(1228)),
            entry_step: Some(Step(1229)),
            exit_step: (left != FrameExit::Open).then_some(Step(1260)),
            entered,
            left,
            evidence: Evidence::Link,
            depth: 1,
            parent: None,
        }
    }

    #[test]
    fn only_what_is_unusual_is_marked() {
        assert!(frame_marks(&call(FrameEntry::Call, FrameExit::Return)).is_empty());
        assert!(frame_marks(&call(FrameEntry::Root, FrameExit::Open)).is_empty());
        assert_eq!(
            frame_marks(&call(FrameEntry::Call, FrameExit::Open)),
            [FrameMark::Open]
        );
        assert_eq!(
            frame_marks(&call(FrameEntry::Exception, FrameExit::Longjmp)),
            [FrameMark::Exception, FrameMark::Longjmp]
        );
    }

    #[test]
    fn the_end_of_a_frame_names_its_last_step() {
        assert_eq!(
            left_words(&call(FrameEntry::Call, FrameExit::Return)),
            "returned, last step 1,260"
        );
        assert_eq!(
            left_words(&call(FrameEntry::Call, FrameExit::Open)),
            "never left: the trace ends inside"
        );
    }

    #[test]
    fn an_argument_that_nothing_states_is_a_question_mark() {
        let argument = ArgumentRegister {
            name: "x3".to_owned(),
            value: Value(vec![None; 8]),
        };
        assert_eq!(argument.text(), "x3=?");
    }
}
