//! Register values recorded by the trace.

use stepback_machine::{RegisterId, RegisterView};

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
