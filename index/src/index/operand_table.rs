//! Which registers the instructions at each address of a trace use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{AccessKind, Address, RegisterUse, RegisterView};

use crate::answers::access_kinds::AccessKinds;

/// The addresses with an instruction that may use a register.
pub(crate) type Users = Arc<[Address]>;

/// The registers that the instructions at each address of a trace use.
#[derive(Debug, Default)]
pub(crate) struct OperandTable {
    uses: Vec<Uses>,
    /// Addresses with the places of what the instructions there use.
    addresses: Vec<(u64, u32)>,
    /// Answers to earlier questions.
    users: Mutex<HashMap<(RegisterView, AccessKinds), Users>>,
}

impl OperandTable {
    /// The addresses with an instruction that may use a view.
    pub fn users(&self, view: RegisterView, kinds: AccessKinds) -> Users {
        let mut known = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let is_user: Vec<_> = self.uses.iter().map(|uses| uses.includes(view, kinds)).collect();
            let of = |place: u32| is_user.get(place as usize) == Some(&true);
            self.addresses.iter().filter(|(_, uses)| of(*uses)).map(|(address, _)| Address(*address)).collect()
        };
        known.entry((view, kinds)).or_insert_with(find).clone()
    }
}

/// Makes a table; most instructions use the same few sets of registers, which are kept once.
#[derive(Debug, Default)]
pub(crate) struct OperandTableWriter {
    table: OperandTable,
    places: HashMap<Uses, u32>,
}

impl OperandTableWriter {
    /// Adds an instruction at an address: none of its registers when they are not known.
    pub fn add(&mut self, pc: u64, registers: Option<&RegisterUse>) {
        let place = *self.places.entry(Uses::of(registers)).or_insert_with_key(|uses| {
            self.table.uses.push(uses.clone());
            self.table.uses.len() as u32 - 1
        });
        self.table.addresses.push((pc, place));
    }

    /// The table of all that were added.
    pub fn finish(mut self) -> OperandTable {
        self.table.addresses.sort_unstable();
        self.table.addresses.dedup();
        self.table
    }
}

/// Which registers an instruction uses: none when that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Uses(Option<Registers>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Registers {
    reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
}

impl Uses {
    fn of(registers: Option<&RegisterUse>) -> Self {
        Self(registers.map(|known| Registers { reads: known.reads.clone(), writes: known.writes.clone() }))
    }

    /// Whether it uses a byte of a view, as far as that is known.
    fn includes(&self, view: RegisterView, kinds: AccessKinds) -> bool {
        let uses =
            |kind, views: &[RegisterView]| kinds.includes(kind) && views.iter().any(|known| known.overlaps(view));
        let known = self.0.as_ref();
        known.is_none_or(|known| uses(AccessKind::Read, &known.reads) || uses(AccessKind::Write, &known.writes))
    }
}
