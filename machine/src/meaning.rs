//! What an instruction does, in words that are the same for every architecture.
//!
//! All registers in a meaning, those of addresses too, have their values from before the instruction.
//! `ldr x0, [x1], #8` reads at `x1 + 0`, then writes `x0 = Loaded(0)` and `x1 = x1 + 8`.
//!
//! A register that [`crate::register_use::RegisterUse::writes`] names and `writes` here does not is unknown afterwards.

use crate::access_kind::AccessKind;
use crate::expression::Expression;
use crate::flags::FlagUse;
use crate::selection::ConditionalSelection;
use crate::view::RegisterView;

/// What an instruction does to registers and memory, as far as this is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// When it does so.
    pub condition: ExecutionCondition,
    /// Its accesses in the order of the trace's data records; a record may cover several that lie one behind the other
    /// (`ldp`, `ldm`), or be a part of one.
    pub memory: Vec<MemoryOperand>,
    /// False when it accesses memory that `memory` does not describe: `memory` is then empty.
    pub is_memory_known: bool,
    /// True for a repeated string instruction: each round moves its address registers by the operand size, in either direction.
    pub is_repeated: bool,
    /// How far its store reaches where that depends on more than the instruction: records may show less of it, or nothing.
    pub extent: Option<StoreExtent>,
    /// The registers that get values that can be told; no byte is in two of them.
    pub writes: Vec<RegisterEffect>,
    /// The registers that what it writes may be made of: all that it reads but for those that addresses alone are made of;
    /// sorted, each once.
    pub data_reads: Vec<RegisterView>,
    /// Registers that it writes, of which a disassembler says that it reads them too. The results that are described tell
    /// whether it does: `lsl x0, x1, #3` is listed so, and does not depend on what `x0` held.
    pub listed_reads: Vec<RegisterView>,
    /// True where vector registers become zero above the parts that it writes.
    pub clears_rest: bool,
    /// Which condition flags it reads and writes, where it reads and writes the status register.
    pub flags: FlagUse,
    /// What its result is made of, where the flags choose between two.
    pub selection: Option<ConditionalSelection>,
    /// Where a jump goes that [`crate::Target`] does not tell exactly: a register with something added.
    pub target: Expression,
}

impl Meaning {
    /// Returns the length of its accesses of a kind, where each has the same: operands side by side are one access.
    /// None where that is not known.
    pub fn record_bytes(&self, kind: AccessKind) -> Option<u16> {
        let operands = || self.memory.iter().filter(|operand| operand.kind == kind);
        let first = operands().next()?;
        let size = first.size_bytes.filter(|size| *size > 0)?;
        let is_alike = |operand: &MemoryOperand| operand.size_bytes == Some(size);
        let is_beside = |(place, operand): (usize, &MemoryOperand)| {
            let distance = i64::try_from(place)
                .ok()
                .and_then(|place| place.checked_mul(i64::from(size)));
            distance.and_then(|distance| first.displacement.checked_add(distance))
                == Some(operand.displacement)
                && operand.address_registers().eq(first.address_registers())
        };
        let count = u16::try_from(operands().count()).ok()?;
        match operands().all(is_alike) {
            true if operands().enumerate().all(is_beside) => size.checked_mul(count),
            true => Some(size),
            false => None,
        }
    }
}

/// When the effects of an instruction happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionCondition {
    /// Whenever it is reached, unless it stands in the block of a T32 `it`.
    #[default]
    Always,
    /// When its condition holds (A32). The trace may show it: as `is_executed`, or by an access to memory.
    Conditional,
    /// Always, and so many instructions behind it are conditional (`it` of T32: 1 to 4).
    /// Inside of such a block narrow arithmetic leaves the flags alone.
    Block(u8),
}

/// An access to memory at `segment + base + index * scale + displacement`, of which each may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// Whether it loads or stores; what does both has two operands.
    pub kind: AccessKind,
    /// The base of an x86 segment (`fs_base`, `gs_base`).
    pub segment: Option<RegisterView>,
    /// The base register.
    pub base: Option<RegisterView>,
    /// The index register.
    pub index: Option<ScaledRegister>,
    /// A constant; the whole address when there are no registers (relative to the program counter, or absolute).
    pub displacement: i64,
    /// The sum is cut to so many bytes: 4 or 8.
    pub address_bytes: u8,
    /// How many bytes are accessed; none when that cannot be told.
    pub size_bytes: Option<u16>,
    /// What a store writes; [`Expression::Unknown`] for loads.
    pub value: Expression,
}

impl MemoryOperand {
    /// The registers that its address is made of.
    pub fn address_registers(&self) -> impl Iterator<Item = RegisterView> + use<> {
        [self.segment, self.base, self.index.map(|index| index.view)]
            .into_iter()
            .flatten()
    }
}

/// How far a store reaches from its address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreExtent {
    /// The register whose bits choose what is stored; none where all is.
    pub chosen_by: Option<RegisterView>,
    /// Where the pieces end that the bits choose; the longest counts.
    pub parts: &'static [StoreExtentPart],
}

impl StoreExtent {
    /// How many bytes are stored at most, with what is known of the register.
    pub fn longest_bytes(&self, chosen: Option<u64>) -> u64 {
        let parts = self
            .parts
            .iter()
            .filter(|part| chosen.is_none_or(|chosen| chosen & part.bits != 0 || part.bits == 0));
        parts
            .map(|part| u64::from(part.end_bytes))
            .max()
            .unwrap_or(0)
    }
}

/// A piece of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreExtentPart {
    /// It is stored when one of these bits is set; 0 for always.
    pub bits: u64,
    /// How many bytes from the address of the store to its end.
    pub end_bytes: u32,
}

/// A register times a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledRegister {
    /// The register, zero-extended when it is narrower than an address.
    pub view: RegisterView,
    /// True: sign-extended instead.
    pub is_signed: bool,
    /// What it is multiplied by; may be negative (A32's `[r0, -r1]`).
    pub scale: i64,
}

/// A register gets a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterEffect {
    /// What changes: the whole register where the architecture makes the rest zero.
    pub view: RegisterView,
    /// What it becomes, cut to the view, or with zeros above.
    pub value: Expression,
}
