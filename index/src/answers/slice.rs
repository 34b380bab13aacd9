//! Why a cell has its value: the steps that it comes from, and where the chains end.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, RegisterView};
use stepback_parsers::{Line, Step};

use crate::answers::hit::Doubt;
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;

/// How one step has a part in what another does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Edge {
    /// Its result is passed on byte for byte: a move, a load, a store.
    Copy,
    /// Its result is computed with.
    Data,
    /// Its result is a part of an address.
    Address,
    /// Its result is a condition flag that decides, or carries.
    Flags,
    /// It decided that the other ran at all.
    Control,
}

/// Which edges are followed besides those of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EdgeKinds {
    /// The registers that addresses are made of.
    pub addresses: bool,
    /// The flags that decide a conditional instruction or a select, or that carry.
    pub flags: bool,
    /// The branches that decided what ran.
    pub control: bool,
    /// What a disassembler lists as read of what an instruction writes, whether the result depends on it or not:
    /// the old destination of LSL, UBFX, SXTW and the like.
    pub listed: bool,
}

/// A part of the state of the machine, as a slice names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SliceCell {
    /// Bytes of a register of a thread.
    Register {
        /// Whose.
        thread: ThreadId,
        /// Which bytes, under the name that they have where they are read.
        view: RegisterView,
    },
    /// Condition flags of a thread, as bits of the status register.
    Flags {
        /// Whose.
        thread: ThreadId,
        /// Which.
        bits: u64,
    },
    /// Bytes of memory.
    Memory {
        /// The first.
        address: Address,
        /// How many.
        len_bytes: u64,
    },
}

/// A step that something comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStep {
    /// Which.
    pub step: Step,
    /// Whose.
    pub thread: ThreadId,
    /// What of it is wanted, with the value that it gave; sorted.
    pub defines: Vec<SliceDefinition>,
    /// What wants it; sorted, each once.
    pub wanted_by: Vec<SliceUse>,
    /// Why it may not be where the value comes from.
    pub doubt: Option<Doubt>,
}

/// A part of what a step gave a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDefinition {
    /// Which.
    pub cell: SliceCell,
    /// The value, least significant byte first (of memory: the byte at the lowest address); of flags the bits as they stand.
    pub value: Value,
    /// A part of the value follows from what steps did; the trace does not state it. See [`crate::GivenValues`].
    pub is_inferred: bool,
}

impl SliceDefinition {
    /// A value that the trace records.
    #[must_use]
    pub fn new(cell: SliceCell, value: Value) -> Self {
        Self {
            cell,
            value,
            is_inferred: false,
        }
    }
}

/// Who wants a result, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceUse {
    /// A later step; none for the question.
    pub step: Option<Step>,
    /// What it does with it.
    pub edge: Edge,
}

/// Where a chain ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceEnd {
    /// How.
    pub end: SliceEndKind,
    /// Of what.
    pub cell: SliceCell,
    /// What wants it; sorted, each once.
    pub wanted_by: Vec<SliceUse>,
    /// Why that may not be so: something that the trace does not show in full may have given it a value since.
    pub doubt: Option<Doubt>,
}

/// How a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceEndKind {
    /// The step makes it from nothing that it reads.
    Constant,
    /// It was there before the first step that the trace shows.
    Initial {
        /// The line that states it, where one does.
        line: Option<Line>,
    },
    /// The program image holds it, and nothing wrote it.
    Image,
    /// The read of a step found it changed by something that the trace does not show.
    External {
        /// The step that read it.
        seen_by: Option<Step>,
    },
    /// The system or the host gave it when a step asked.
    System {
        /// The step that asked.
        step: Option<Step>,
        /// What it asked for, as Linux or Arm's semihosting names it, where the trace tells.
        name: Option<&'static str>,
    },
    /// What the step takes in is not known.
    Unknown(UnknownInput),
    /// Of what is followed forward: nothing reads or overwrites it up to the end of the trace.
    Kept,
    /// Of what is followed forward: nothing reads it before a step overwrites it.
    Overwritten {
        /// The step that writes the first byte of it, where a step does.
        by: Option<Step>,
    },
    /// No more was asked for.
    Limit,
}

/// Why it is not known what a step takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnknownInput {
    /// The trace does not show the instruction, or its bytes mean nothing.
    Undecoded,
    /// The trace shows a write beside an exception, or one that the instruction does not make.
    NotOfInstruction,
    /// The instruction loads, and the trace does not show from where.
    LoadNotShown,
    /// The step loads more than a slice looks at.
    TooMuchLoaded,
    /// Which branch or call decided that the step ran is not seen: the trace shows no way to it, or its function is too long.
    DeciderNotFound,
}

/// A row of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceRow {
    /// A step.
    Step(SliceStep),
    /// Where a chain ends.
    End(SliceEnd),
}
