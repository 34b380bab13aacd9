//! Explains why an answer may be wrong.

use stepback_index::Doubt;
use stepback_machine::InstructionSet;

use crate::messages::say;

/// Formats a doubt about the access of a cell as a phrase.
pub fn doubt_words(doubt: Doubt, set: InstructionSet) -> String {
    match doubt {
        Doubt::SystemCall { step, number } => {
            let name = set.system_call_name(number).map_or_else(
                || say!("doubt-system-call", number = number.to_string()),
                str::to_owned,
            );
            say!("doubt-overwritten", name = name, step = step.0)
        }
        Doubt::KernelEvent { step } => {
            say!("doubt-signal", step = step.0.to_string())
        }
        Doubt::Gap { step } => say!("doubt-gap", step = step.0.to_string()),
        Doubt::SystemCallsUnsaid => say!("doubt-a-later-system-call-may").to_owned(),
        Doubt::Filtered => say!("doubt-the-trace-leaves-out-instructions").to_owned(),
        Doubt::Bank => say!("doubt-the-trace-does-not-say").to_owned(),
        Doubt::Undecoded => say!("doubt-guessed-the-instruction-cannot-be").to_owned(),
        Doubt::Conditional => say!("doubt-guessed-the-instruction-is-conditional").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;

    #[test]
    fn a_system_call_that_came_between_is_named() {
        let words = |number| {
            doubt_words(
                Doubt::SystemCall {
                    step: Step(1234),
                    number,
                },
                InstructionSet::X86_64,
            )
        };
        assert_eq!(words(0), "possibly overwritten since by read at step 1,234");
        assert_eq!(
            words(9999),
            "possibly overwritten since by system call 9999 at step 1,234"
        );
    }
}
