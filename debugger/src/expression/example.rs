//! Registers of the traced architecture for examples in prompts ([`ExampleRegisters`]).

use stepback_index::Index;
use stepback_index::answer::ThreadId;
use stepback_machine::InstructionSet;

use crate::messages::spoken_with;

/// Two general registers that prompts name in examples: those of a function's result and of an
/// argument, or those of A64 if none are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleRegisters([&'static str; 2]);

impl ExampleRegisters {
    /// Returns the registers of an instruction set.
    pub fn of(set: InstructionSet) -> Self {
        let abi = set.abi();
        let others = |result| abi.arguments.iter().find(|name| **name != result);
        let both = abi
            .result
            .and_then(|result| Some([result, others(result)?]));
        both.map_or_else(Self::default, Self)
    }

    /// Returns the registers of the first thread of a trace.
    pub fn of_index(index: &Index) -> Self {
        Self::of(index.instruction_set(ThreadId(0)))
    }

    /// Returns a message in which `$first` and `$second` are the registers.
    pub fn spoken(self, id: &'static str) -> String {
        let Self([first, second]) = self;
        spoken_with(id, &[("first", first.into()), ("second", second.into())])
    }

    /// Returns a message with the registers, in which `$error` is an error.
    pub fn spoken_with(self, id: &'static str, error: &impl ToString) -> String {
        let Self([first, second]) = self;
        let error = error.to_string();
        let values = [
            ("first", first.into()),
            ("second", second.into()),
            ("error", error.into()),
        ];
        spoken_with(id, &values)
    }
}

impl Default for ExampleRegisters {
    fn default() -> Self {
        Self(["x0", "x1"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_name_registers_of_the_architecture() {
        let check = |set, expected: &str| {
            let prompt = ExampleRegisters::of(set).spoken("ask-condition-x0-0-u8-sp");
            assert_eq!(prompt, expected);
        };
        check(
            InstructionSet::A64,
            "Condition: x0 == 0, u8[sp+8] > 7, pc == main && x1 != 0",
        );
        check(
            InstructionSet::X86_64,
            "Condition: rax == 0, u8[sp+8] > 7, pc == main && rdi != 0",
        );
        for set in InstructionSet::ALL {
            let [first, second] = ExampleRegisters::of(set).0;
            assert_ne!(first, second, "{set:?}");
        }
    }
}
