//! How a frame was entered and left and how it was found, in words.

use stepback_index::{Call, Entered, Evidence, Left};

use super::text::thousands;

/// How a frame was entered, in a few words: `called`, `interrupted`.
pub fn entered_words(entered: Entered) -> &'static str {
    match entered {
        Entered::Root => "the first frame of its thread",
        Entered::Call => "entered by a call",
        Entered::Tail => "entered by a jump from the end of another function (a tail call)",
        Entered::Exception => "entered by an exception or interrupt",
        Entered::Switch => "entered by a switch to another stack (another task)",
    }
}

/// How a frame was left, with the step.
pub fn left_words(call: &Call) -> String {
    let words = match call.left {
        Left::Return => "returned",
        Left::Skipped => "skipped by a later return of one of its callers",
        Left::Longjmp => "left by a jump out of several frames (longjmp)",
        Left::Open => return "never left: the trace ends inside".to_owned(),
        Left::Tail => "left by a jump to another function, which returned in its place (a tail call)",
    };
    match call.exit_step {
        Some(step) => format!("{words}, last step {}", thousands(step.0)),
        None => words.to_owned(),
    }
}

/// How a frame was found: what makes it more than a guess.
pub fn evidence_words(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Start => "it is where the thread begins",
        Evidence::Link => "the calling step wrote the address behind itself into the link register",
        Evidence::Return => "control came back to its return address with the stack pointer that it had",
        Evidence::Branch => "the calling step is a branch to the start of another function",
        Evidence::Words => "the trace says so in words",
        Evidence::Jump => "control went on elsewhere after an instruction that does not branch",
        Evidence::Stack => "the stack pointer was moved to another stack",
        Evidence::Record => "the trace's records say so",
    }
}

/// What makes a frame unusual, in one word each: nothing for a call that returned.
pub fn frame_marks(call: &Call) -> Vec<&'static str> {
    let entered = match call.entered {
        Entered::Root | Entered::Call => None,
        Entered::Tail => Some("tail call"),
        Entered::Exception => Some(EXCEPTION),
        Entered::Switch => Some("task"),
    };
    let left = match call.left {
        // The frame that took the place of one that ends in a tail call bears the mark.
        Left::Return | Left::Tail => None,
        Left::Skipped => Some("skipped"),
        Left::Longjmp => Some("longjmp"),
        Left::Open => Some("open"),
    };
    // Every thread's first frame is open unless it says otherwise.
    let left = left.filter(|mark| call.entered != Entered::Root || *mark != "open");
    entered.into_iter().chain(left).collect()
}

/// The mark of a frame that an exception entered.
pub const EXCEPTION: &str = "exception";

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
        assert_eq!(frame_marks(&call(Entered::Call, Left::Open)), ["open"]);
        assert_eq!(frame_marks(&call(Entered::Exception, Left::Longjmp)), [EXCEPTION, "longjmp"]);
    }

    #[test]
    fn the_end_of_a_frame_names_its_last_step() {
        assert_eq!(left_words(&call(Entered::Call, Left::Return)), "returned, last step 1,260");
        assert_eq!(left_words(&call(Entered::Call, Left::Open)), "never left: the trace ends inside");
    }
}
