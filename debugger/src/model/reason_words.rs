//! Reasons for inferred values in words ([`reason_words`]).

use stepback_index::answer::{Fact, InferenceReason, ValueDerivation};

use crate::messages::say;

/// Describes why a register has its inferred value: `constant of step 1,250`.
pub fn reason_words(reason: &InferenceReason) -> String {
    let fact = || fact_words(reason.fact);
    match reason.way {
        ValueDerivation::Returned(step) => say!("reason-returned", step = step.0),
        ValueDerivation::Computed(step) | ValueDerivation::Moved(step)
            if reason.fact == Fact::Constant(step) =>
        {
            say!("reason-constant", step = step.0)
        }
        ValueDerivation::Held | ValueDerivation::Lost => fact(),
        ValueDerivation::Computed(step) => say!("reason-computed", step = step.0, fact = fact()),
        ValueDerivation::Moved(step) => say!("reason-moved", step = step.0, fact = fact()),
        ValueDerivation::Loaded(step, None) => say!("reason-loaded", step = step.0, fact = fact()),
        ValueDerivation::Loaded(step, Some(source)) => say!(
            "reason-loaded-from",
            step = step.0,
            source = source.0,
            fact = fact()
        ),
    }
}

fn fact_words(fact: Fact) -> String {
    match fact {
        Fact::Constant(step) => say!("fact-constant", step = step.0),
        Fact::Address(step) => say!("fact-address", step = step.0),
        Fact::Target(step) => say!("fact-target", step = step.0),
        Fact::Stated(step) => say!("fact-stated", step = step.0),
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;

    #[test]
    fn reasons_are_those_of_the_command_line() {
        let facts = [Fact::Constant, Fact::Address, Fact::Target, Fact::Stated];
        let ways = [
            ValueDerivation::Held,
            ValueDerivation::Returned(Step(7)),
            ValueDerivation::Computed(Step(7)),
            ValueDerivation::Moved(Step(7)),
            ValueDerivation::Loaded(Step(7), None),
            ValueDerivation::Loaded(Step(7), Some(Step(5))),
        ];
        for fact in facts {
            for way in ways {
                for number in [7, 3] {
                    let fact = fact(Step(number));
                    let reason = InferenceReason { fact, way };
                    assert_eq!(reason_words(&reason), reason.to_string());
                }
            }
        }
    }
}
