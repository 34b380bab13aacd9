//! Records that a format writes to the store and reads back.

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Encoding, InstructionSet, RegisterView};

use crate::events::{DelaySlot, StepOrigin, ThreadNumber};
use crate::marker::Marker;

/// Step to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredStep {
    /// Input of the trace that contains the step. An encoding that one input states does not hold
    /// in another.
    pub input: u16,
    /// Thread that executes it.
    pub thread: ThreadNumber,
    /// Effect on control.
    pub branch: RecordedBranch,
    /// Instruction set, if only the record is considered: see `InstructionSetChooser`.
    pub set: InstructionSet,
    /// Length in bytes; differs from that of a synthetic encoding.
    pub length_bytes: u16,
    /// Address as recorded.
    pub pc: u64,
    /// Bytes of the instruction; `None` if unchanged at this address of this input.
    pub encoding: Option<Encoding>,
    /// Target of an indirect branch; `None` if the trace does not state it.
    pub target: Option<u64>,
    /// Way in which the step was reached.
    pub reached: StepStatus,
}

/// Way in which a step was reached, and whether it took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepStatus {
    /// Relation to a delay slot.
    pub slot: DelaySlot,
    /// False when the step had no effect: it was annulled, or it trapped.
    pub is_executed: bool,
    /// Source of the knowledge that the step occurred.
    pub origin: StepOrigin,
}

impl StepStatus {
    /// Value for all instructions of machines without delay slots whose traces contain only
    /// executed ones.
    pub const PLAINLY: Self = Self {
        slot: DelaySlot::None,
        is_executed: true,
        origin: StepOrigin::Recorded,
    };

    const SLOTS: [DelaySlot; 3] = [DelaySlot::None, DelaySlot::Executed, DelaySlot::Annulled];
    const ORIGINS: [StepOrigin; 3] = [
        StepOrigin::Recorded,
        StepOrigin::Reconstructed,
        StepOrigin::Inferred,
    ];

    /// Returns the number that is stored for it.
    pub fn number(self) -> u8 {
        (self.origin as u8) << 3 | (self.slot as u8) << 1 | u8::from(self.is_executed)
    }

    /// Returns the value of a stored number.
    pub fn of_number(number: u8) -> Option<Self> {
        let slot = *Self::SLOTS.get(usize::from(number >> 1 & 3))?;
        let origin = *Self::ORIGINS.get(usize::from(number >> 3))?;
        Some(Self {
            slot,
            is_executed: number & 1 != 0,
            origin,
        })
    }
}

/// Write to a register or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRegister {
    /// Register of the architecture's table and range of bytes: at most 16, offset and length below
    /// 512.
    pub view: RegisterView,
    /// New value; `None` if the trace states that it is unknown from here on.
    pub value: Option<u128>,
}

/// Access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Size in bytes.
    pub size_bytes: u16,
    /// Address as recorded.
    pub address: u64,
    /// Address of the instruction, if it is not the thread's last one.
    pub pc: Option<u64>,
}

/// Run of equal records that are neither steps nor accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMarker {
    /// The marker, as recorded.
    pub marker: Marker,
    /// Length of its subject in bytes; 0 if it has none, and in a run of several.
    pub size_bytes: u64,
    /// Number of equal records.
    pub count: u64,
}

impl StoredMarker {
    /// Returns the number of record ordinals that the run takes.
    pub fn ordinals(&self) -> u64 {
        if self.marker.kind.is_synthetic() {
            0
        } else {
            self.count
        }
    }
}

/// Cache hint of a step, which is no access: a prefetch or a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredHint {
    /// Kind and address, as recorded.
    pub marker: Marker,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Address of the instruction, if it is not the thread's last one.
    pub pc: Option<u64>,
}

/// Numbers that identify a thread in a trace. The format defines their meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoredThread {
    /// Number of the thread.
    pub tid: u64,
    /// Number of its process; 0 until the trace states it.
    pub pid: u64,
}

/// Reason for the end of reading a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// The trace was read to its end.
    Complete,
    /// Reading was stopped on request.
    Stopped,
}
