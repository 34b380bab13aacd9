//! How far the axis of the timeline goes.

use super::so_far::IndexedPart;

/// Parts of the steps by which an estimate may be greater and still say that all is indexed that there is.
const CAUGHT_UP: u64 = 50;

/// Where the axis ends. While a trace is indexed that is where it is expected to end, and stays there, so that nothing
/// moves under the eye.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisEnd {
    held: Option<u64>,
}

impl AxisEnd {
    /// The end for a trace of which so many steps are indexed; `part`: how much of it that is, where it is not all.
    pub fn look(&mut self, steps: u64, part: Option<&IndexedPart>) -> u64 {
        let expected = part.map_or(steps, |part| {
            let whole = u128::from(steps) * u128::from(part.total) / u128::from(part.bytes.max(1));
            u64::try_from(whole).unwrap_or(u64::MAX)
        });
        if expected <= steps.saturating_add(steps / CAUGHT_UP) {
            // A trace that grows while it is followed has no end to expect.
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
        // The next part expects another end.
        assert_eq!(axis.look(300, Some(&part(300, 500))), 500);
        assert_eq!(axis.look(510, Some(&part(510, 900))), 566);
        assert_eq!(axis.look(580, Some(&part(580, 1000))), 580);
        assert_eq!(axis.look(600, None), 600);
    }
}
