//! The banks of registers that a trace names.

use stepback_machine::{Bank, BankedRegister, InstructionSet, RegisterId};

/// The registers that choose between two stack pointers among those outside the architecture's table.
pub(crate) fn stack_choices(names: &[String]) -> Vec<RegisterId> {
    let chosen = |(place, name): (u16, &String)| {
        let register = RegisterId::FIRST_NAMED.0.checked_add(place).map(RegisterId);
        register.filter(|_| InstructionSet::chooses_stack_anywhere(name))
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
            Some(Self { register, plain: plain.register, bank }).filter(|_| bank != Bank::Other)
        };
        (0..).zip(names).filter_map(named).collect()
    }
}
