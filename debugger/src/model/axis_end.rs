//! Chooses the end of the timeline's axis.

use super::so_far::IndexedPart;

/// The trace counts as fully indexed if the estimated rest is at most one part in this many.
const CAUGHT_UP: u64 = 50;

/// End of the axis. While a trace is being indexed it stays at the expected end, so that the
/// drawing does not move.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisEnd {
    held: Option<u64>,
}

impl AxisEnd {
    /// Returns the end for a trace with `steps` indexed steps. `part` is the indexed share, or none
    /// for a whole trace.
    pub fn look(&mut self, steps: u64, part: Option<&IndexedPart>) -> u64 {
        let expected = part.map_or(steps, |part| {
            let whole = u128::from(steps) * u128::from(part.total) / u128::from(part.bytes.max(1));
            u64::try_from(whole).unwrap_or(u64::MAX)
        });
        if expected <= steps.saturating_add(steps / CAUGHT_UP) {
            // A live trace that grows while it is followed has no expected end.
            self.held = None;
            return steps;
        }
        let held = self.held.filter(|held| *held >= steps);
        *self.held.insert(held.unwrap_or(expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_stays_while_a_trace_is_indexed_and_ends_where_the_trace_does() {
        let part = |steps, bytes| IndexedPart {
            steps,
            bytes,
            total: 1000,
        };
        let mut axis = AxisEnd::default();
        assert_eq!(axis.look(100, Some(&part(100, 200))), 500);
        // The next part leads to another estimate.
        assert_eq!(axis.look(300, Some(&part(300, 500))), 500);
        assert_eq!(axis.look(510, Some(&part(510, 900))), 566);
        assert_eq!(axis.look(580, Some(&part(580, 1000))), 580);
        assert_eq!(axis.look(600, None), 600);
    }
}
