//! Register banks that a trace names.

use stepback_machine::{Bank, BankedRegister, InstructionSet, RegisterId, StackChoice};

/// Returns the registers outside the architecture's table that select between two stack pointers.
pub(crate) fn stack_choices(names: &[String]) -> Vec<StackChoice> {
    let chosen = |(place, name): (u16, &String)| {
        let security = InstructionSet::stack_choice_anywhere(name)?;
        Some(StackChoice {
            register: RegisterId(RegisterId::FIRST_NAMED.0.checked_add(place)?),
            security,
        })
    };
    (0..).zip(names).filter_map(chosen).collect()
}

/// A register bank that the trace names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedBank {
    /// Register number of the bank.
    pub register: RegisterId,
    /// Register whose name it shares.
    pub plain: RegisterId,
    /// The bank.
    pub bank: Bank,
}

impl NamedBank {
    /// Returns the banks among the registers outside the architecture's table, which are numbered
    /// by index.
    pub fn among(names: &[String]) -> Vec<Self> {
        let named = |(place, name): (u16, &String)| {
            let BankedRegister { plain, bank } = InstructionSet::banked_anywhere(name)?;
            let register = RegisterId(RegisterId::FIRST_NAMED.0.checked_add(place)?);
            Some(Self {
                register,
                plain: plain.register,
                bank,
            })
            .filter(|_| bank != Bank::Other)
        };
        (0..).zip(names).filter_map(named).collect()
    }
}
