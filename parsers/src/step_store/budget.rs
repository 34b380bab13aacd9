//! Limits how much memory the accesses of a trace may claim to touch.
//!
//! A record of twelve bytes can claim 64 KiB, and readers get one event for each 64 bytes. Few
//! instructions really touch as much: those that save all vector registers, or a whole matrix. The
//! allowance of a trace therefore grows with its steps (a token bucket), and allows a burst of such
//! accesses.

/// Bytes of the largest access that needs no allowance.
const ORDINARY: u16 = 64;
/// Maximum allowance, in pieces of [`ORDINARY`] bytes: 16 MiB of memory.
const BURST: u64 = 1 << 18;
/// Pieces that each step adds to the allowance.
const OF_STEP: u64 = 16;

/// Decides which accesses are too large, by the preceding accesses only.
#[derive(Debug)]
pub(super) struct AccessBudget {
    /// Pieces that may still be claimed.
    room: u64,
    /// Number of steps at the last large access.
    steps: u64,
}

impl Default for AccessBudget {
    fn default() -> Self {
        Self {
            room: BURST,
            steps: 0,
        }
    }
}

impl AccessBudget {
    /// Returns whether an access of `size_bytes` bytes is kept after `steps` steps.
    #[inline(always)]
    pub fn allows(&mut self, size_bytes: u16, steps: u64) -> bool {
        size_bytes <= ORDINARY || self.allows_large(size_bytes, steps)
    }

    #[cold]
    fn allows_large(&mut self, size_bytes: u16, steps: u64) -> bool {
        let gained = steps
            .saturating_sub(std::mem::replace(&mut self.steps, steps))
            .saturating_mul(OF_STEP);
        self.room = self.room.saturating_add(gained).min(BURST);
        let pieces = u64::from(size_bytes.div_ceil(ORDINARY));
        let left = self.room.checked_sub(pieces);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of pieces kept of `count` large accesses, `steps_between` steps apart.
    fn kept(count: u64, size_bytes: u16, steps_between: u64) -> u64 {
        let mut budget = AccessBudget::default();
        let allowed = (0..count).filter(|number| budget.allows(size_bytes, number * steps_between));
        allowed.count() as u64 * u64::from(size_bytes.div_ceil(ORDINARY))
    }

    #[test]
    fn accesses_of_ordinary_size_are_always_kept() {
        assert_eq!(kept(10_000_000, 64, 0), 10_000_000);
    }

    #[test]
    fn states_of_all_vector_registers_are_kept() {
        // A dynamic linker does this for each call that it resolves.
        assert_eq!(kept(100_000, 2816, 20), 100_000 * 44);
    }

    #[test]
    fn what_no_program_does_is_bounded_by_the_steps() {
        let (count, steps) = (100_000, 2);
        let pieces = kept(count, u16::MAX, steps);
        assert!(
            (BURST..BURST + count * steps * OF_STEP).contains(&pieces),
            "{pieces}"
        );
    }
}
