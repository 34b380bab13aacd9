//! Register operands of the instructions at each address of a trace, and registers that
//! instructions write but the trace never names.
//!
//! gem5 prints no writes of SP in A64; other producers print no registers at all:
//!
//! ```text
//! IT (2) 002105d8 9100001f O EL3h_s :   ADD   SP, X0, #0
//! IT (3) 002105dc 940000f8 O EL3h_s :   BL   0X2109BC
//! R X30 00000000002105e0
//! ```

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{AccessKind, Address, Instruction, RegisterId, RegisterView};

use crate::answers::cell::AccessKinds;

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

/// Register operands of the instructions at each address of a trace. Most instructions use the same
/// few sets of registers, so each set is stored once.
#[derive(Debug, Default)]
pub(crate) struct OperandTable {
    /// Operands of an instruction, `None` if unknown, with their number.
    uses: HashMap<Option<OperandUses>, u32>,
    /// Addresses with numbers of `uses`.
    addresses: Vec<(u64, u32)>,
    /// Cache of earlier lookups.
    users: Mutex<HashMap<(RegisterView, OperandKinds), UserAddresses>>,
}

impl OperandTable {
    /// Adds an instruction at an address; `None` if its registers are unknown.
    pub fn add(&mut self, pc: u64, instruction: Option<&Instruction>) {
        let next = self.uses.len() as u32;
        let uses = instruction.and_then(OperandUses::of);
        let number = *self.uses.entry(uses).or_insert(next);
        self.addresses.push((pc, number));
    }

    /// Sorts the table, after the last instruction was added.
    pub fn sort(&mut self) {
        self.addresses.sort_unstable();
        self.addresses.dedup();
    }

    /// Returns the addresses of the instructions that may use a view.
    pub fn users(&self, view: RegisterView, kinds: OperandKinds) -> UserAddresses {
        let mut known = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let mut is_user = vec![false; self.uses.len()];
            for (uses, number) in &self.uses {
                if let Some(is_user) = is_user.get_mut(*number as usize) {
                    *is_user = uses.as_ref().is_none_or(|uses| uses.includes(view, kinds));
                }
            }
            let of = |number: u32| is_user.get(number as usize) == Some(&true);
            self.addresses
                .iter()
                .filter(|(_, uses)| of(*uses))
                .map(|(address, _)| Address(*address))
                .collect()
        };
        known.entry((view, kinds)).or_insert_with(find).clone()
    }
}

/// Register operands of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OperandUses {
    reads: Vec<RegisterView>,
    data_reads: Vec<RegisterView>,
    writes: Vec<RegisterView>,
}

impl OperandUses {
    /// Returns the operands; `None` if they are unknown.
    fn of(instruction: &Instruction) -> Option<Self> {
        let registers = instruction.registers.as_ref()?;
        Some(Self {
            reads: registers.reads.clone(),
            data_reads: instruction.meaning.data_reads.clone(),
            writes: registers.writes.clone(),
        })
    }

    /// Returns true if the instruction uses a byte of a view.
    fn includes(&self, view: RegisterView, kinds: OperandKinds) -> bool {
        let mut used = kinds
            .reads(&self.reads, &self.data_reads)
            .iter()
            .chain(kinds.writes(&self.writes));
        used.any(|known| known.overlaps(view))
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
