//! The banks of registers that a trace names.

use stepback_machine::{Bank, BankedRegister, InstructionSet, RegisterId, StackChoice};

/// The registers that choose between two stack pointers among those outside the architecture's table.
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

/// A bank that the trace names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedBank {
    /// Its own register.
    pub register: RegisterId,
    /// The register whose name it shares.
    pub plain: RegisterId,
    /// Which bank.
    pub bank: Bank,
}

impl NamedBank {
    /// The banks among the registers outside the architecture's table, which are numbered by their places.
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
