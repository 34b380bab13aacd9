//! Registers by the numbers of their records ([`RegisterTable`]).

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _};
use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};

use crate::stf::record::RegisterClass;

/// Number of registers of a class that have numbers as names.
const NUMBERED: usize = 32;

/// Registers of an instruction set by class and number, looked up by name once.
#[derive(Clone, Debug)]
pub struct RegisterTable {
    /// Instruction set of the views.
    pub set: InstructionSet,
    integer: Vec<Option<RegisterView>>,
    float: Vec<Option<RegisterView>>,
    vector: Vec<Option<RegisterView>>,
    csrs: HashMap<u16, Option<RegisterView>>,
}

impl RegisterTable {
    /// Looks up the numbered registers.
    pub fn new(set: InstructionSet) -> Self {
        let numbered = |letter: char| {
            let view = |number| Registers::view(&format!("{letter}{number}"), set);
            (0..NUMBERED).map(view).collect()
        };
        Self {
            set,
            integer: numbered('x'),
            float: numbered('f'),
            vector: numbered('v'),
            csrs: HashMap::new(),
        }
    }

    /// Returns the register with a number. Returns none if the architecture's table does not have
    /// it.
    #[inline(always)]
    pub fn view(&mut self, class: RegisterClass, number: u16) -> Option<RegisterView> {
        let table = match class {
            RegisterClass::Integer => &self.integer,
            RegisterClass::Float => &self.float,
            RegisterClass::Vector => &self.vector,
            RegisterClass::Csr => return self.csr(number),
            RegisterClass::Unknown(_) => return None,
        };
        *table.get(usize::from(number))?
    }

    fn csr(&mut self, number: u16) -> Option<RegisterView> {
        let set = self.set;
        *self
            .csrs
            .entry(number)
            .or_insert_with(|| csr_view(number, set))
    }
}

/// Returns the view of a control and status register, which is a named register if the
/// architecture's table does not have it.
fn csr_view(number: u16, set: InstructionSet) -> Option<RegisterView> {
    if number >= CSRS {
        return None;
    }
    let known = Registers::view(&csr_name(number), set);
    let own = RegisterId(RegisterId::FIRST_NAMED.0 + number);
    Some(known.unwrap_or(RegisterView::new(own, 0, set.word_bytes())))
}

/// Returns the number of a control and status register that has no place in the architecture's
/// table.
pub fn csr_of(register: RegisterId) -> Option<u16> {
    let number = register.0.checked_sub(RegisterId::FIRST_NAMED.0)?;
    (number < CSRS).then_some(number)
}

/// Number of control and status registers (The RISC-V Instruction Set Manual, volume II, 2.1).
const CSRS: u16 = 1 << 12;

/// Returns the name of a control and status register: `mepc`, or `csr_7c0` without a name.
pub fn csr_name(number: u16) -> Cow<'static, str> {
    let known = InstructionSet::Riscv64.control_register_name(number);
    known.map_or_else(|| Cow::Owned(format!("csr_{number:03x}")), Cow::Borrowed)
}

/// Returns the name of a register for a note: `x5`, `mepc`.
pub fn register_text(class: RegisterClass, number: u16) -> String {
    match class {
        RegisterClass::Integer => format!("x{number}"),
        RegisterClass::Float => format!("f{number}"),
        RegisterClass::Vector => format!("v{number}"),
        RegisterClass::Csr => csr_name(number).into_owned(),
        RegisterClass::Unknown(kind) => format!("register {number} of kind {kind}"),
    }
}
