//! Why an answer may be wrong, in words.

use stepback_index::Doubt;
use stepback_machine::InstructionSet;

use super::text::thousands;

/// A doubt about who accessed a cell, as a phrase.
pub fn doubt_words(doubt: Doubt, set: InstructionSet) -> String {
    match doubt {
        Doubt::SystemCall { step, number } => {
            let name = set.system_call_name(number).map_or_else(|| format!("system call {number}"), str::to_owned);
            format!("possibly overwritten since by {name} at step {}", thousands(step.0))
        }
        Doubt::KernelEvent { step } => {
            format!("a later signal, or the return from its handler, may have changed it: behind step {}", step.0)
        }
        Doubt::SystemCallsUnsaid => {
            "a later system call may have written this memory: the trace does not say which were made".to_owned()
        }
        Doubt::Filtered => "the trace leaves out instructions or accesses".to_owned(),
        Doubt::Bank => "the trace does not say in which mode: it may be another register of that name".to_owned(),
        Doubt::Undecoded => "guessed: the instruction cannot be decoded, so it may use any register".to_owned(),
        Doubt::Conditional => {
            "guessed: the instruction is conditional, and the trace does not say whether it was executed".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;

    #[test]
    fn a_system_call_that_came_between_is_named() {
        let words = |number| doubt_words(Doubt::SystemCall { step: Step(1234), number }, InstructionSet::X86_64);
        assert_eq!(words(0), "possibly overwritten since by read at step 1,234");
        assert_eq!(words(9999), "possibly overwritten since by system call 9999 at step 1,234");
    }
}
