//! State of a thread that the rules need: its register values, and its condition flags.
//!
//! All values come from recorded writes; none is computed from instructions.

use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::{Encoding, InstructionSet, Mode, RegisterId, RegisterView};

/// Number of bytes tracked per register.
const BYTES: usize = 16;

/// Register values of a thread, by register number. Registers outside the architecture's table are
/// not tracked.
#[derive(Debug, Default)]
pub struct RegisterFile(Vec<RegisterContents>);

/// Bytes of a register.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegisterContents {
    bytes: [u8; BYTES],
    /// One bit for each known byte.
    known: u16,
    /// One bit for each byte that was stored or forgotten.
    changed: u16,
}

impl RegisterContents {
    /// Returns the bits of a view's bytes; `None` if it exceeds the tracked bytes.
    fn mask(view: RegisterView, len: usize) -> Option<u16> {
        let start = usize::from(view.offset);
        start.checked_add(len).filter(|end| *end <= BYTES)?;
        let bits = 1_u32.checked_shl(u32::try_from(len).ok()?)? - 1;
        u16::try_from(bits << start).ok()
    }

    /// Applies the changes of `later`.
    fn apply(&mut self, later: &Self) {
        if later.changed == u16::MAX {
            *self = *later;
            return;
        }
        for place in (0..BYTES).filter(|place| later.changed >> place & 1 != 0) {
            self.bytes[place] = later.bytes[place];
        }
        self.known = self.known & !later.changed | later.known & later.changed;
        self.changed |= later.changed;
    }
}

impl RegisterFile {
    fn contents(&self, register: RegisterId) -> Option<&RegisterContents> {
        self.0.get(usize::from(register.0))
    }

    fn contents_mut(&mut self, register: RegisterId) -> Option<&mut RegisterContents> {
        if register >= RegisterId::FIRST_NAMED {
            return None;
        }
        let number = usize::from(register.0);
        if self.0.len() <= number {
            self.0.resize_with(number + 1, RegisterContents::default);
        }
        self.0.get_mut(number)
    }

    /// Stores a value.
    pub fn put(&mut self, view: RegisterView, bytes: &[u8]) {
        let Some(held) = self.contents_mut(view.register) else {
            return;
        };
        let start = usize::from(view.offset);
        let len = bytes.len().min(BYTES.saturating_sub(start));
        let (to, from) = (held.bytes.get_mut(start..start + len), bytes.get(..len));
        if let (Some(to), Some(from), Some(mask)) = (to, from, RegisterContents::mask(view, len)) {
            to.copy_from_slice(from);
            held.known |= mask;
            held.changed |= mask;
        }
    }

    /// Forgets the value of a register.
    pub fn forget(&mut self, register: RegisterId) {
        if let Some(held) = self.contents_mut(register) {
            *held = RegisterContents {
                changed: u16::MAX,
                ..RegisterContents::default()
            };
        }
    }

    /// Returns the contents of a register if it was changed.
    pub fn changed(&self, register: RegisterId) -> Option<RegisterContents> {
        let held = self.contents(register)?;
        (held.changed != 0).then_some(*held)
    }

    /// Applies the changes of a register in a file that began later.
    pub fn apply(&mut self, register: RegisterId, later: &RegisterContents) {
        if let Some(held) = self.contents_mut(register) {
            held.apply(later);
        }
    }

    /// Applies all changes in a file that began later.
    pub fn apply_all(&mut self, later: &Self) {
        for (number, later) in (0..).zip(&later.0).filter(|(_, later)| later.changed != 0) {
            self.apply(RegisterId(number), later);
        }
    }

    /// Returns the lowest four bytes of a register as a number; `None` unless all are known.
    pub fn word(&self, register: RegisterId) -> Option<u64> {
        self.value(RegisterView::new(register, 0, 4))
    }

    /// Returns the previous bytes of a view, lowest first, if all are known and they differ from
    /// `bytes`.
    pub fn differing(&self, view: RegisterView, bytes: &[u8]) -> Option<Vec<u8>> {
        let held = self.contents(view.register)?;
        let mask = RegisterContents::mask(view, bytes.len())?;
        let start = usize::from(view.offset);
        let before = held.bytes.get(start..start + bytes.len())?;
        (held.known & mask == mask && before != bytes).then(|| before.to_vec())
    }

    /// Returns true if [`Self::differing`] may find a difference once the values before the first
    /// change are known.
    pub fn may_differ(&self, view: RegisterView, bytes: &[u8]) -> bool {
        let Some(mask) = RegisterContents::mask(view, bytes.len()) else {
            return false;
        };
        let Some(held) = self.contents(view.register) else {
            return true;
        };
        let changed = held.changed & mask;
        let start = usize::from(view.offset);
        let before = held.bytes.get(start..start + bytes.len());
        held.known & changed == changed && (changed != mask || before != Some(bytes))
    }

    /// Returns the value of a view of at most eight bytes, if all are known.
    pub fn value(&self, view: RegisterView) -> Option<u64> {
        let held = self.contents(view.register)?;
        let (start, size) = (usize::from(view.offset), usize::from(view.size_bytes));
        let mask = RegisterContents::mask(view, size)
            .filter(|mask| size <= 8 && held.known & mask == *mask);
        let bytes = held
            .bytes
            .get(start..start + size)
            .filter(|_| mask.is_some())?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte)),
        )
    }
}

/// Maximum number of steps for which a write of the status register stays usable.
pub const RECENT: usize = 8;

/// The facts about a step that later rules need.
#[derive(Clone, Copy, Debug, Default)]
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
    /// Target of the jump.
    pub target: BranchTarget,
}

impl LastStep {
    pub fn is_jump(&self) -> bool {
        matches!(
            self.flow,
            FlowKind::Branch | FlowKind::Call | FlowKind::Return
        )
    }

    /// Returns the register that holds the target of the jump.
    pub fn target_register(&self) -> Option<RegisterId> {
        match self.target {
            BranchTarget::Register(register) => Some(register),
            BranchTarget::Address(_) | BranchTarget::Unsaid => None,
        }
    }
}

/// The last written value of the status register.
///
/// Some producers write it only now and then. Its value is usable while no later instruction may
/// have changed the flags.
#[derive(Clone, Debug, Default)]
pub struct KnownFlags {
    status: Option<u64>,
    /// Number of steps since.
    steps: usize,
    /// One of these steps may have changed the flags.
    is_stale: bool,
}

impl KnownFlags {
    /// Records a write of the status register.
    pub fn write(&mut self, view: RegisterView, bytes: &[u8]) {
        let status = bytes
            .first_chunk()
            .filter(|_| view.offset == 0)
            .map(|bytes| u32::from_le_bytes(*bytes));
        *self = Self {
            status: status.map(u64::from),
            ..Self::default()
        };
    }

    /// Records steps and whether they keep the flags. A write of the status register by the last
    /// one arrives later.
    pub fn pass(&mut self, steps: &PassedSteps) {
        self.steps = self.steps.saturating_add(steps.count);
        self.is_stale |= !steps.keep_flags;
        if self.steps > RECENT {
            *self = Self::default();
        }
    }

    /// Returns the status register if its flags are certain.
    pub fn current(&self) -> Option<u64> {
        self.status.filter(|_| !self.is_stale)
    }
}

/// Successive steps of a thread.
#[derive(Clone, Copy, Debug)]
pub struct PassedSteps {
    pub count: usize,
    /// All of them certainly leave the flags unchanged.
    pub keep_flags: bool,
}

impl Default for PassedSteps {
    fn default() -> Self {
        Self {
            count: 0,
            keep_flags: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: RegisterView = RegisterView::new(RegisterId(3), 0, 4);
    const WHOLE: RegisterView = RegisterView::new(RegisterId(3), 0, 8);

    #[test]
    fn a_later_file_decides_where_it_was_changed() {
        let (mut file, mut later) = (RegisterFile::default(), RegisterFile::default());
        file.put(WHOLE, &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(later.may_differ(WHOLE, &[0; 8]));
        later.put(LOW, &[9, 9, 9, 9]);
        assert!(!later.may_differ(LOW, &[9, 9, 9, 9]));
        assert!(later.may_differ(LOW, &[9, 9, 9, 8]));
        assert!(later.may_differ(WHOLE, &[9, 9, 9, 9, 5, 6, 7, 8]));
        file.apply_all(&later);
        assert_eq!(file.value(WHOLE), Some(0x0807_0605_0909_0909));
        later.forget(RegisterId(3));
        assert!(!later.may_differ(LOW, &[0; 4]));
        file.apply_all(&later);
        assert_eq!(file.value(LOW), None);
    }

    #[test]
    fn a_status_is_usable_for_some_steps_that_keep_it() {
        let mut flags = KnownFlags::default();
        let status = RegisterView::new(RegisterId::PSR, 0, 4);
        flags.write(status, &[1, 0, 0, 0]);
        let pass = |flags: &mut KnownFlags, count, keep_flags| {
            flags.pass(&PassedSteps { count, keep_flags });
            flags.current()
        };
        assert_eq!(pass(&mut flags, RECENT, true), Some(1));
        assert_eq!(pass(&mut flags, 1, true), None);
        flags.write(status, &[1, 0, 0, 0]);
        assert_eq!(pass(&mut flags, 1, false), None);
    }
}
