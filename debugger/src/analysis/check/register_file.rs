//! State of a thread that the rules need: its register values, and its condition flags.
//!
//! All values come from recorded writes; none is computed from instructions.

use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::{
    Address, CodeSite, Encoding, InstructionSet, Mode, RegisterId, RegisterView, decode,
};

/// Number of bytes tracked per register.
const BYTES: usize = 16;

/// Register values of a thread, by register number. Registers outside the architecture's table are
/// not tracked.
#[derive(Debug, Default)]
pub struct RegisterFile(Vec<RegisterContents>);

#[derive(Clone, Copy, Debug, Default)]
struct RegisterContents {
    bytes: [u8; BYTES],
    /// One bit for each known byte.
    known: u16,
}

impl RegisterFile {
    /// Stores a value.
    pub fn put(&mut self, view: RegisterView, bytes: &[u8]) {
        let number = usize::from(view.register.0);
        if view.register >= RegisterId::FIRST_NAMED {
            return;
        }
        if self.0.len() <= number {
            self.0.resize_with(number + 1, RegisterContents::default);
        }
        let Some(held) = self.0.get_mut(number) else {
            return;
        };
        let start = usize::from(view.offset);
        for (place, byte) in (start..BYTES).zip(bytes) {
            held.bytes[place] = *byte;
            held.known |= 1 << place;
        }
    }

    /// Returns the lowest four bytes of a register as a number; `None` unless all are known.
    pub fn word(&self, register: RegisterId) -> Option<u64> {
        let held = self
            .0
            .get(usize::from(register.0))
            .filter(|held| held.known & 0xf == 0xf)?;
        held.bytes
            .first_chunk()
            .map(|bytes| u64::from(u32::from_le_bytes(*bytes)))
    }

    /// Returns the previous bytes of a view, lowest first, if all are known and they differ from
    /// `bytes`.
    pub fn differing(&self, view: RegisterView, bytes: &[u8]) -> Option<Vec<u8>> {
        let held = self.0.get(usize::from(view.register.0))?;
        let start = usize::from(view.offset);
        let end = start.checked_add(bytes.len()).filter(|end| *end <= BYTES)?;
        let is_known = (start..end).all(|place| held.known >> place & 1 != 0);
        let before = held.bytes.get(start..end).filter(|_| is_known)?;
        (before != bytes).then(|| before.to_vec())
    }

    /// Returns the value of a view of at most eight bytes, if all are known.
    pub fn value(&self, view: RegisterView) -> Option<u64> {
        let held = self.0.get(usize::from(view.register.0))?;
        let (start, size) = (usize::from(view.offset), usize::from(view.size_bytes));
        let is_known = size <= 8
            && (start..start + size)
                .all(|place| held.known.checked_shr(place as u32).unwrap_or(0) & 1 != 0);
        let bytes = held.bytes.get(start..start + size).filter(|_| is_known)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte)),
        )
    }

    /// Forgets the value of a register.
    pub fn forget(&mut self, register: RegisterId) {
        if let Some(held) = self.0.get_mut(usize::from(register.0)) {
            *held = RegisterContents::default();
        }
    }
}

/// Maximum number of steps for which a write of the status register stays usable.
const RECENT: usize = 8;

/// The facts about a step that later rules need.
#[derive(Clone, Copy, Debug)]
pub struct LastStep {
    pub pc: u64,
    /// Instruction set that it decodes in.
    pub set: InstructionSet,
    /// `None` if the trace could not show it.
    pub encoding: Option<Encoding>,
    /// Effect on control flow.
    pub flow: FlowKind,
    /// Processor mode at the step.
    pub mode: Mode,
    /// Register that holds the target of the jump.
    pub target: Option<RegisterId>,
}

impl LastStep {
    pub fn jump_target(&self) -> BranchTarget {
        let site = |encoding| CodeSite {
            pc: Address(self.pc),
            encoding,
        };
        self.encoding.map_or(BranchTarget::Unsaid, |encoding| {
            self.set.control(&site(encoding)).target
        })
    }

    /// Returns true if the instruction certainly leaves the flags unchanged.
    fn keeps_flags(&self) -> bool {
        let Some(encoding) = self.encoding else {
            return false;
        };
        let instruction = decode(encoding, Address(self.pc), self.set);
        instruction.registers.as_ref().is_some_and(|known| {
            !known
                .writes
                .iter()
                .any(|view| view.register == RegisterId::PSR)
        })
    }
}

/// The last written value of the status register, and the steps since.
///
/// Some producers write it only now and then. Its value is usable while no later instruction may
/// have changed the flags.
#[derive(Clone, Debug, Default)]
pub struct KnownFlags {
    status: Option<u64>,
    since: Vec<LastStep>,
}

impl KnownFlags {
    /// Records a write of the status register.
    pub fn write(&mut self, view: RegisterView, bytes: &[u8]) {
        let status = bytes
            .first_chunk()
            .filter(|_| view.offset == 0)
            .map(|bytes| u32::from_le_bytes(*bytes));
        self.status = status.map(u64::from);
        self.since.clear();
    }

    /// Records a step. A write of the status register by that step arrives later.
    pub fn step(&mut self, step: LastStep) {
        if self.status.is_some() && self.since.len() < RECENT {
            self.since.push(step);
        } else {
            *self = Self::default();
        }
    }

    /// Returns the status register if its flags are certain. Cost: up to [`RECENT`] decodings.
    pub fn current(&self) -> Option<u64> {
        self.status
            .filter(|_| self.since.iter().all(LastStep::keeps_flags))
    }
}
