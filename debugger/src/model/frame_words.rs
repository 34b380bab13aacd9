//! How a frame was entered and left and how it was found, in words.

use stepback_index::{Call, Entered, Evidence, Left};

use crate::messages::say;

/// How a frame was entered, in a few words: `called`, `interrupted`.
pub fn entered_words(call: &Call) -> &'static str {
    match call.entered {
        _ if call.evidence == Evidence::Caller => say!("frame-entered-before"),
        Entered::Root => say!("frame-the-first-frame-of-its"),
        Entered::Call => say!("frame-entered-by-a-call"),
        Entered::Tail => say!("frame-entered-by-a-jump-from"),
        Entered::Exception => say!("frame-entered-by-an-exception-or"),
        Entered::Switch => say!("frame-entered-by-a-switch-to"),
        Entered::Gap => say!("frame-first-after-a-gap"),
    }
}

/// How a frame was left, with the step.
pub fn left_words(call: &Call) -> String {
    let words = match call.left {
        Left::Return => say!("frame-returned"),
        Left::Skipped => say!("frame-skipped-by-a-later-return"),
        Left::Longjmp => say!("frame-left-by-a-jump-out"),
        Left::Open => return say!("frame-never-left-the-trace-ends").to_owned(),
        Left::Tail => say!("frame-left-by-a-jump-to"),
        Left::Gap => say!("frame-left-in-a-gap"),
    };
    match call.exit_step {
        Some(step) => say!("frame-last-step", words = words, step = step.0),
        None => words.to_owned(),
    }
}

/// How a frame was found: what makes it more than a guess.
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
    /// The mark as a word.
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

/// Marks of a frame: none for a call that returned.
pub fn frame_marks(call: &Call) -> Vec<FrameMark> {
    let entered = match call.entered {
        Entered::Root | Entered::Call => None,
        Entered::Tail => Some(FrameMark::Tail),
        Entered::Exception => Some(FrameMark::Exception),
        Entered::Switch => Some(FrameMark::Task),
        Entered::Gap => Some(FrameMark::Gap),
    };
    let left = match call.left {
        // A tail call marks the frame that it enters.
        Left::Return | Left::Tail => None,
        Left::Skipped => Some(FrameMark::Skipped),
        Left::Longjmp => Some(FrameMark::Longjmp),
        // The first frame of a thread, and the first after a gap, is expected to be open.
        Left::Open => {
            Some(FrameMark::Open).filter(|_| !matches!(call.entered, Entered::Root | Entered::Gap))
        }
        Left::Gap => Some(FrameMark::Gap),
    };
    entered.into_iter().chain(left).collect()
}

#[cfg(test)]
mod tests {
    use stepback_index::ThreadId;
    use stepback_machine::Address;
    use stepback_parsers::Step;

    use super::*;

    fn call(entered: Entered, left: Left) -> Call {
        Call {
            thread: ThreadId(0),
            function: Address(0x8000),
            call_step: Some(Step(1228)),
            entry_step: Some(Step(1229)),
            exit_step: (left != Left::Open).then_some(Step(1260)),
            entered,
            left,
            evidence: Evidence::Link,
            depth: 1,
            parent: None,
        }
    }

    #[test]
    fn only_what_is_unusual_is_marked() {
        assert!(frame_marks(&call(Entered::Call, Left::Return)).is_empty());
        assert!(frame_marks(&call(Entered::Root, Left::Open)).is_empty());
        assert_eq!(
            frame_marks(&call(Entered::Call, Left::Open)),
            [FrameMark::Open]
        );
        assert_eq!(
            frame_marks(&call(Entered::Exception, Left::Longjmp)),
            [FrameMark::Exception, FrameMark::Longjmp]
        );
    }

    #[test]
    fn the_end_of_a_frame_names_its_last_step() {
        assert_eq!(
            left_words(&call(Entered::Call, Left::Return)),
            "returned, last step 1,260"
        );
        assert_eq!(
            left_words(&call(Entered::Call, Left::Open)),
            "never left: the trace ends inside"
        );
    }
}
