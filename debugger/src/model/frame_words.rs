//! Describes how frames are entered, left and recognised.

use stepback_index::{Call, Evidence, FrameEntry, FrameExit};

use crate::messages::say;

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
    /// Returns the mark as a word.
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
mod tests {
    use stepback_index::ThreadId;
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
}
