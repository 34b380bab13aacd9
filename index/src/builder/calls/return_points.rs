//! Return points of a thread, in traces whose records classify branches: a jump to one may be a
//! longjmp.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

/// Number of points below which useless ones are never removed.
const FEW: usize = 1024;

/// A place to which a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnPoint {
    /// Number of frames pending after the return.
    pub depth: usize,
    /// Call step of the innermost of them.
    pub caller: Option<u64>,
    /// Last step that returned to this point.
    pub step: u64,
}

/// Return points of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReturnPoints {
    /// Points by address, the deepest last.
    by_address: HashMap<u64, Vec<ReturnPoint>>,
    count: usize,
    /// Number of points after the last removal of useless ones.
    kept: usize,
}

impl ReturnPoints {
    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Adds a point, which replaces those of its address that are as deep or deeper.
    pub fn add(&mut self, address: u64, point: ReturnPoint) {
        let points = self.by_address.entry(address).or_default();
        while points.pop_if(|known| known.depth >= point.depth).is_some() {
            self.count -= 1;
        }
        points.push(point);
        self.count += 1;
    }

    /// Returns the deepest point of an address for which `holds` is true; deeper ones are
    /// forgotten.
    pub fn deepest(
        &mut self,
        address: u64,
        holds: impl Fn(&ReturnPoint) -> bool,
    ) -> Option<ReturnPoint> {
        let points = self.by_address.get_mut(&address)?;
        while points.pop_if(|point| !holds(point)).is_some() {
            self.count -= 1;
        }
        let deepest = points.last().copied();
        if deepest.is_none() {
            self.by_address.remove(&address);
        }
        deepest
    }

    /// Returns true if the count has doubled since the last removal of useless points, and exceeds
    /// `besides`, the number of other items that a removal visits.
    pub fn are_doubled(&self, besides: usize) -> bool {
        self.count > (2 * self.kept).max(FEW).max(besides)
    }

    /// Forgets the points that are useless. O(n).
    pub fn retain(&mut self, mut is_kept: impl FnMut(&ReturnPoint) -> bool) {
        self.by_address.retain(|_, points| {
            points.retain(&mut is_kept);
            !points.is_empty()
        });
        self.count = self.by_address.values().map(Vec::len).sum();
        self.kept = self.count;
    }

    /// Keeps `count` of the most recent points. O(n log n).
    pub fn keep_newest(&mut self, count: usize) {
        let Some(gone) = self.count.checked_sub(count).filter(|gone| *gone > 0) else {
            return;
        };
        let mut steps: Vec<u64> = self
            .by_address
            .values()
            .flatten()
            .map(|point| point.step)
            .collect();
        steps.sort_unstable();
        let oldest_kept = steps.get(gone).copied();
        self.retain(|point| oldest_kept.is_some_and(|oldest| point.step >= oldest));
    }

    /// Removes `gone` of the outermost frames from all depths.
    pub fn drop_outermost(&mut self, gone: usize) {
        self.retain(|point| point.depth > gone);
        self.by_address
            .values_mut()
            .flatten()
            .for_each(|point| point.depth -= gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(depth: usize, step: u64) -> ReturnPoint {
        ReturnPoint {
            depth,
            caller: None,
            step,
        }
    }

    #[test]
    fn the_oldest_go_first_and_a_place_that_is_returned_to_again_is_new() {
        let mut points = ReturnPoints::default();
        (0..10).for_each(|number| points.add(0x1000 + number, point(0, number)));
        points.add(0x1000, point(0, 20));
        points.keep_newest(3);
        let known = |points: &mut ReturnPoints, number: u64| {
            points.deepest(0x1000 + number, |_| true).is_some()
        };
        assert_eq!(
            (0..10)
                .filter(|number| known(&mut points, *number))
                .collect::<Vec<_>>(),
            [0, 8, 9]
        );
        assert_eq!(points.len(), 3);
    }

    #[test]
    fn they_are_counted() {
        let mut points = ReturnPoints::default();
        for (depth, step) in [(1, 1), (3, 2), (5, 3), (3, 4)] {
            points.add(0x1000, point(depth, step));
        }
        assert_eq!(
            points.len(),
            2,
            "one of depth 1, and the later one of depth 3"
        );
        points.drop_outermost(1);
        assert_eq!(
            (points.len(), points.deepest(0x1000, |_| true)),
            (1, Some(point(2, 4)))
        );
        assert_eq!((points.deepest(0x1000, |_| false), points.len()), (None, 0));
    }
}
