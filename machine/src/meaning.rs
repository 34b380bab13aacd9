//! Effects of an instruction, in terms common to all architectures: [`Meaning`] for registers,
//! memory and condition flags, and [`RegisterUse`] for the registers that it uses.
//!
//! All registers in a [`Meaning`], including those in addresses, have their values from before the
//! instruction.
//! `ldr x0, [x1], #8` reads at `x1 + 0`, then writes `x0 = Loaded(0)` and `x1 = x1 + 8`.
//!
//! A register that is in [`crate::meaning::RegisterUse::writes`] but not in `writes` here has
//! an unknown value afterwards.
//!
//! Each condition flag is a bit of [`crate::RegisterId::PSR`] and is tracked separately, because
//! most instructions read or write only some of them.

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::view::{RegisterId, RegisterView};

/// Sizes of the data accesses of an instruction with at most one load and one store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataAccess {
    /// Bytes loaded; 0 for none.
    pub load_bytes: u8,
    /// Bytes stored; 0 for none.
    pub store_bytes: u8,
    /// Register that receives the loaded bytes, or the outcome of a conditional store. The zero
    /// register of the architecture counts too.
    pub destination: Option<RegisterView>,
}

/// Effects of an instruction on registers and memory; incomplete where they are not modelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Condition for the effects.
    pub condition: ExecutionCondition,
    /// Memory accesses in the order of the trace's data records. One record may cover several
    /// adjacent accesses (`ldp`, `ldm`) or be a part of one.
    pub memory: Vec<MemoryOperand>,
    /// False if it accesses memory in a way that is not modelled; `memory` is then empty.
    pub is_memory_known: bool,
    /// True for a repeated string instruction: each iteration moves its address registers by the
    /// operand size, in either direction.
    pub is_repeated: bool,
    /// Extent of its store if that depends on processor state: records may show less of it, or
    /// nothing.
    pub extent: Option<StoreExtent>,
    /// Register writes with known values. No byte occurs in two of them.
    pub writes: Vec<RegisterEffect>,
    /// Registers that may flow into written values: all that it reads except those used only in
    /// addresses. Sorted, no duplicates.
    pub data_reads: Vec<RegisterView>,
    /// Written registers that the disassembler also lists as read. The modelled results decide
    /// whether they are: `lsl x0, x1, #3` is listed this way and does not depend on the previous
    /// `x0`.
    pub listed_reads: Vec<RegisterView>,
    /// True if it zeroes the bytes of vector registers above the parts that it writes.
    pub clears_rest: bool,
    /// Condition flags read and written, if it reads or writes the status register.
    pub flags: FlagUse,
    /// Alternatives for its result, if the flags choose between two.
    pub selection: Option<ConditionalSelection>,
    /// Target of a jump that [`crate::flow::BranchTarget`] cannot express: a register plus an offset.
    pub target: Expression,
}

impl Meaning {
    /// Returns the length of an access of this kind if all have the same length. Adjacent operands
    /// count as one access. None if the length is unknown.
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

/// Condition under which an instruction takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionCondition {
    /// Unconditional, unless it is in the block of a T32 `it`.
    #[default]
    Always,
    /// If its condition holds (A32). The trace may show the outcome: as `is_executed`, or by a
    /// memory access.
    Conditional,
    /// Unconditional, and makes the given number of following instructions conditional (`it` of
    /// T32: 1 to 4). Narrow arithmetic in such a block does not set flags.
    Block(u8),
}

/// A memory access at `segment + base + index * scale + displacement`; each part is optional.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// Load or store; an instruction that does both has two operands.
    pub kind: AccessKind,
    /// Base of an x86 segment (`fs_base`, `gs_base`).
    pub segment: Option<RegisterView>,
    /// Base register.
    pub base: Option<RegisterView>,
    /// Index register.
    pub index: Option<ScaledRegister>,
    /// Constant offset; the entire address if there are no registers (PC-relative or absolute).
    pub displacement: i64,
    /// The sum is truncated to this number of bytes: 4 or 8.
    pub address_bytes: u8,
    /// Number of bytes accessed; none if unknown.
    pub size_bytes: Option<u16>,
    /// Stored value; [`Expression::Unknown`] for loads.
    pub value: Expression,
}

impl MemoryOperand {
    /// Returns the registers in its address.
    pub fn address_registers(&self) -> impl Iterator<Item = RegisterView> + use<> {
        [self.segment, self.base, self.index.map(|index| index.view)]
            .into_iter()
            .flatten()
    }
}

/// Extent of a store whose length depends on a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreExtent {
    /// Register whose bits select the stored parts; none if all are stored.
    pub chosen_by: Option<RegisterView>,
    /// Parts that the bits select; the longest one determines the extent.
    pub parts: &'static [StoreExtentPart],
}

impl StoreExtent {
    /// Returns the maximum number of bytes stored, given the value of the register if known.
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

/// A selectable part of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreExtentPart {
    /// The part is stored if any of these bits is set; 0 for always.
    pub bits: u64,
    /// Number of bytes from the start of the store to the end of the part.
    pub end_bytes: u32,
}

/// A register multiplied by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledRegister {
    /// The register, zero-extended if it is narrower than an address.
    pub view: RegisterView,
    /// True for sign extension instead.
    pub is_signed: bool,
    /// Factor; may be negative (A32's `[r0, -r1]`).
    pub scale: i64,
}

/// A register write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterEffect {
    /// Bytes that change: the entire register if the architecture zeroes the rest.
    pub view: RegisterView,
    /// New value, truncated or zero-extended to the view.
    pub value: Expression,
}

/// Registers that an instruction reads and writes when executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterUse {
    /// Registers read, including those in addresses, without the program counter. Sorted, no
    /// duplicates.
    pub reads: Vec<RegisterView>,
    /// Registers that change. Sorted, no duplicates. A write of `eax` counts as one of `rax`,
    /// because it zeroes the upper half. Excludes the program counter and the floating-point
    /// exception flags (`fpsr`, `mxcsr`).
    pub writes: Vec<RegisterView>,
}

impl RegisterUse {
    /// Returns true if it reads a condition flag.
    pub fn is_flags_read(&self) -> bool {
        self.reads
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }

    /// Returns true if it writes a condition flag.
    pub fn is_flags_written(&self) -> bool {
        self.writes
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }
}

/// Condition flags that an instruction reads and writes, as bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagUse {
    /// Flags that decide the outcome or flow into a result; none if any flag may.
    pub read: Option<u64>,
    /// Flags that the instruction writes; none if it may write all.
    pub written: Option<u64>,
    /// Written flags that may keep their values: they depend on themselves, and nothing else
    /// depends on them. For example, a shift by zero leaves the flags unchanged, and a sticky flag
    /// is set but never cleared.
    pub kept: u64,
}

/// A test of condition flags, which are bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagTest {
    /// Holds if any of these flags is set, …
    pub set: u64,
    /// … or any of these is clear, …
    pub clear: u64,
    /// … or these two differ.
    pub differ: Option<(u64, u64)>,
    /// Inverts the test.
    pub is_negated: bool,
}

impl FlagTest {
    /// Returns true if the test holds.
    pub fn holds(self, flags: u64) -> bool {
        let differs = self
            .differ
            .is_some_and(|(one, other)| (flags & one == 0) != (flags & other == 0));
        (flags & self.set != 0 || !flags & self.clear != 0 || differs) != self.is_negated
    }
}

/// Two alternatives for a result, of which the test selects one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionalSelection {
    /// The test that decides.
    pub test: FlagTest,
    /// Result if the test holds; [`Expression::Unknown`] for one that depends on all registers
    /// read.
    pub chosen: Expression,
    /// Result if it does not hold.
    pub otherwise: Expression,
}

/// Direction of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl AccessKind {
    /// Returns `read` or `write`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}
