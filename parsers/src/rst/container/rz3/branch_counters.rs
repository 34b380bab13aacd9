//! Branch predictor with two-bit saturating counters.

/// Result of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionResult {
    Right,
    Wrong,
}

const COUNTERS: usize = 1 << 14;

/// A counter from 0 to 3 for each branch. Above 1 predicts that the branch is taken.
#[derive(Debug)]
pub struct BranchCounters(Box<[u8]>);

impl From<bool> for PredictionResult {
    #[inline]
    fn from(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }
}

impl BranchCounters {
    /// Memory of the counters in bytes.
    pub const BYTES: usize = COUNTERS;

    pub fn new() -> Self {
        Self(vec![0; COUNTERS].into_boxed_slice())
    }

    /// Returns true if a branch was taken, and updates its counter.
    #[inline]
    pub fn outcome(&mut self, pc: u64, guess: PredictionResult) -> bool {
        let Some(counter) = self.0.get_mut((pc >> 2) as usize % COUNTERS) else {
            return false;
        };
        let is_taken = (*counter > 1) == (guess == PredictionResult::Right);
        *counter = if is_taken {
            (*counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        is_taken
    }
}
