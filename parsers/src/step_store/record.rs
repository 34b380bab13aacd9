//! What a format hands the store, and gets back from it.

use stepback_machine::{AccessKind, Encoding, InstructionSet, RecordedBranch, RegisterView};

use crate::events::{DelaySlot, StepOrigin, ThreadNumber};
use crate::marker::Marker;

/// A step as it is handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredStep {
    /// Which of the trace's inputs it stands in: what one says of encodings does not hold in another.
    pub input: u16,
    /// Who.
    pub thread: ThreadNumber,
    /// What it does to control.
    pub branch: RecordedBranch,
    /// How it decodes, as far as its record alone says so: see `SetOf`.
    pub set: InstructionSet,
    /// Length in bytes; another than that of the encoding where that is synthetic.
    pub length_bytes: u16,
    /// Its address as recorded.
    pub pc: u64,
    /// Its bytes; none: as they were at this address of this input before.
    pub encoding: Option<Encoding>,
    /// Where an indirect branch goes; none when the trace does not say.
    pub target: Option<u64>,
    /// How it was reached.
    pub reached: StepStatus,
}

/// How a step was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepStatus {
    /// Whether it stands in a delay slot.
    pub slot: DelaySlot,
    /// False when it had no effect: it was annulled, or it trapped.
    pub is_executed: bool,
    /// What it is known from.
    pub origin: StepOrigin,
}

impl StepStatus {
    /// As every instruction of a machine without delay slots whose trace has executed ones alone.
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

    /// The number under which it is written.
    pub fn number(self) -> u8 {
        (self.origin as u8) << 3 | (self.slot as u8) << 1 | u8::from(self.is_executed)
    }

    /// What such a number stands for.
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

/// A register, or a part of it, got a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRegister {
    /// Which bytes of which register of the architecture's table: at most 16, offset and length below 512.
    pub view: RegisterView,
    /// Its value; none when the trace says that it is not known from here on.
    pub value: Option<u128>,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Bytes.
    pub size_bytes: u16,
    /// As recorded.
    pub address: u64,
    /// Address of the instruction where it is not the thread's last one.
    pub pc: Option<u64>,
}

/// Equal records one after the other that are neither steps nor accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMarker {
    /// What they tell, as recorded.
    pub marker: Marker,
    /// Length of what they tell of; 0 where they tell of none, and where there are several.
    pub size_bytes: u64,
    /// How many there are.
    pub count: u64,
}

impl StoredMarker {
    /// Returns how many ordinals of records they take.
    pub fn ordinals(&self) -> u64 {
        if self.marker.kind.is_synthetic() {
            0
        } else {
            self.count
        }
    }
}

/// What a step asks of caches, which is no access: a prefetch or a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredHint {
    /// Its kind, and the address that it is about, as recorded.
    pub marker: Marker,
    /// Bytes.
    pub size_bytes: u64,
    /// Address of the instruction where it is not the thread's last one.
    pub pc: Option<u64>,
}

/// The numbers by which a trace knows a thread. What they mean is for the format to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoredThread {
    /// Its own.
    pub tid: u64,
    /// That of its process; 0 while the trace has not said it.
    pub pid: u64,
}

/// Why the reader of a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// There is no more.
    Complete,
    /// It was told to stop.
    Stopped,
}
