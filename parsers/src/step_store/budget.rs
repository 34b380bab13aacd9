//! How much memory the accesses of a trace may claim to touch.
//!
//! A record of twelve bytes can claim 64 KiB, and each 64 bytes of them are an event of their own for whoever reads the trace.
//! Instructions that really touch so much (the state of all vector registers, a whole matrix) are rare, so what a trace may
//! claim grows with its steps, and a burst of such accesses is allowed besides.

/// Bytes that an access may have at any time.
const ORDINARY: u16 = 64;
/// Pieces of [`ORDINARY`] bytes that a trace may claim at once: 16 MiB of memory.
const BURST: u64 = 1 << 18;
/// Pieces that each step brings.
const OF_STEP: u64 = 16;

/// Says which accesses are too large, by what came before them alone.
#[derive(Debug)]
pub(super) struct AccessBudget {
    /// Pieces that may be claimed.
    room: u64,
    /// The steps until the last large access.
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
    /// Whether an access of so many bytes is kept, behind so many steps.
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

    /// Pieces that are kept of so many large accesses, this many steps apart.
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
        // As in a dynamic linker that saves them for each call that it resolves.
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
