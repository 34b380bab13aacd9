//! Register operands of the instructions at each address of a trace ([`OperandTable`]), and the
//! registers that instructions write but the trace never names ([`UntracedRegisters`]).
//!
//! gem5, for example, prints no writes of SP in A64, and other producers print no registers at all:
//!
//! ```text
//! IT (2) 002105d8 9100001f O EL3h_s :   ADD   SP, X0, #0
//! IT (3) 002105dc 940000f8 O EL3h_s :   BL   0X2109BC
//! R X30 00000000002105e0
//! ```

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{AccessKind, Address, Instruction, RegisterId, RegisterView};

use crate::answers::cell::{AccessKinds, ThreadId};

/// Addresses of the instructions that may use a register.
pub(crate) type UserAddresses = Arc<[Address]>;

/// Kinds of register use that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OperandKinds {
    /// Reads, writes, or both.
    Accesses(AccessKinds),
    /// Writes, and reads for more than the address of an access to memory.
    Data,
}

impl From<AccessKinds> for OperandKinds {
    fn from(kinds: AccessKinds) -> Self {
        Self::Accesses(kinds)
    }
}

impl OperandKinds {
    /// Returns the reads to consider: all of them, or only those used as data.
    pub fn reads<'v>(
        self,
        all: &'v [RegisterView],
        data: &'v [RegisterView],
    ) -> &'v [RegisterView] {
        match self {
            Self::Accesses(kinds) if kinds.includes(AccessKind::Read) => all,
            Self::Accesses(_) => &[],
            Self::Data => data,
        }
    }

    /// Returns the registers of an instruction whose uses count; `None` if its registers are
    /// unknown.
    pub fn uses(self, instruction: &Instruction) -> Option<impl Iterator<Item = &RegisterView>> {
        let registers = instruction.registers.as_ref()?;
        let reads = self.reads(&registers.reads, &instruction.meaning.data_reads);
        Some(reads.iter().chain(self.writes(&registers.writes)))
    }

    /// Returns the writes of an instruction that count.
    pub fn writes(self, all: &[RegisterView]) -> &[RegisterView] {
        match self {
            Self::Accesses(kinds) if !kinds.includes(AccessKind::Write) => &[],
            Self::Accesses(_) | Self::Data => all,
        }
    }
}

/// Register operands of the instructions at each address of a trace.
#[derive(Debug, Default)]
pub(crate) struct OperandTable {
    uses: Vec<OperandUses>,
    /// Addresses with indices into `uses`.
    addresses: Vec<(u64, u32)>,
    /// Cache of earlier lookups.
    users: Mutex<HashMap<(RegisterView, OperandKinds), UserAddresses>>,
}

impl OperandTable {
    /// Returns the addresses of the instructions that may use a view.
    pub fn users(&self, view: RegisterView, kinds: OperandKinds) -> UserAddresses {
        let mut known = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let is_user: Vec<_> = self
                .uses
                .iter()
                .map(|uses| uses.includes(view, kinds))
                .collect();
            let of = |place: u32| is_user.get(place as usize) == Some(&true);
            self.addresses
                .iter()
                .filter(|(_, uses)| of(*uses))
                .map(|(address, _)| Address(*address))
                .collect()
        };
        known.entry((view, kinds)).or_insert_with(find).clone()
    }
}

/// Builds an [`OperandTable`]. Most instructions use the same few sets of registers, so each set is
/// stored once.
#[derive(Debug, Default)]
pub(crate) struct OperandTableWriter {
    table: OperandTable,
    places: HashMap<OperandUses, u32>,
}

impl OperandTableWriter {
    /// Adds an instruction at an address; `None` if its registers are unknown.
    pub fn add(&mut self, pc: u64, instruction: Option<&Instruction>) {
        let place = *self
            .places
            .entry(OperandUses::of(instruction))
            .or_insert_with_key(|uses| {
                self.table.uses.push(uses.clone());
                self.table.uses.len() as u32 - 1
            });
        self.table.addresses.push((pc, place));
    }

    /// Returns the table of all added instructions.
    pub fn finish(mut self) -> OperandTable {
        self.table.addresses.sort_unstable();
        self.table.addresses.dedup();
        self.table
    }
}

/// Register operands of an instruction; `None` if unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OperandUses(Option<OperandViews>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OperandViews {
    reads: Vec<RegisterView>,
    data_reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
}

impl OperandUses {
    fn of(instruction: Option<&Instruction>) -> Self {
        let known = instruction
            .and_then(|instruction| Some((instruction.registers.as_ref()?, &instruction.meaning)));
        Self(known.map(|(registers, meaning)| OperandViews {
            reads: registers.reads.clone(),
            data_reads: meaning.data_reads.clone(),
            writes: registers.writes.clone(),
        }))
    }

    /// Returns true if the instruction uses, or may use, a byte of a view.
    fn includes(&self, view: RegisterView, kinds: OperandKinds) -> bool {
        self.0.as_ref().is_none_or(|known| {
            let mut used = kinds
                .reads(&known.reads, &known.data_reads)
                .iter()
                .chain(kinds.writes(&known.writes));
            used.any(|known| known.overlaps(view))
        })
    }
}

/// Registers of a thread that the trace leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UntracedRegisters {
    /// No register is known to be left out.
    #[default]
    Nothing,
    /// Only the stack pointer.
    StackPointer,
    /// All registers for computation.
    General,
}

impl UntracedRegisters {
    /// Returns true for a register that is left out.
    pub fn includes(self, view: RegisterView) -> bool {
        match self {
            Self::Nothing => false,
            Self::StackPointer => view.register == RegisterId::SP,
            Self::General => view.register < RegisterId::PC,
        }
    }
}

/// Cache by thread.
pub(crate) type UntracedCache = Mutex<HashMap<ThreadId, UntracedRegisters>>;
