//! Indentation of tree rows: a child is always indented further than its parent.

/// Width of a level in points if there is room.
const STEP: f32 = 12.0;
/// Minimum width of a level in points.
const LEAST: f32 = 3.0;

/// Indentation of the visible depths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Indents {
    /// Depths that have a level, ascending: every depth down to the deepest if there is room,
    /// otherwise only the visible ones.
    depths: Vec<u32>,
    step: f32,
}

impl Indents {
    /// Computes the indentation for the visible rows and a width in points. Cost: the visible rows.
    ///
    /// If the deepest level does not fit at full width, only visible depths get a level, and the
    /// levels become narrower.
    pub fn of(depths: impl Iterator<Item = u32>, room: f32) -> Self {
        let mut seen: Vec<u32> = depths.collect();
        seen.sort_unstable();
        seen.dedup();
        let deepest = seen.last().copied().unwrap_or(0);
        if deepest as f32 * STEP <= room.max(STEP) {
            return Self {
                depths: (0..=deepest).collect(),
                step: STEP,
            };
        }
        let levels = seen.len().saturating_sub(1).max(1) as f32;
        Self {
            depths: seen,
            step: (room / levels).clamp(LEAST, STEP),
        }
    }

    /// Returns the indentation of a row of a given depth.
    pub fn of_depth(&self, depth: u32) -> f32 {
        self.depths.partition_point(|known| *known < depth) as f32 * self.step
    }

    /// Returns the indentations of the rows around one of a given depth, outermost first.
    pub fn around(&self, depth: u32) -> impl Iterator<Item = f32> + '_ {
        let levels = self.depths.partition_point(|known| *known < depth);
        (0u16..)
            .take(levels)
            .map(|level| f32::from(level) * self.step)
    }

    /// Returns the outermost visible depth if it is not 0, although it is drawn at the left edge.
    pub fn hidden(&self) -> Option<u32> {
        self.depths.first().copied().filter(|first| *first > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(depths: &[u32], room: f32, expected: &[f32]) {
        let indents = Indents::of(depths.iter().copied(), room);
        let shown: Vec<f32> = depths
            .iter()
            .map(|depth| indents.of_depth(*depth))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_child_stands_further_in_than_its_parent_however_narrow_the_panel_is() {
        check(&[0, 1, 2, 2, 1], 48.0, &[0.0, 12.0, 24.0, 24.0, 12.0]);
        check(
            &[0, 1, 2, 3, 4, 5, 6],
            48.0,
            &[0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0],
        );
        check(&[0, 1, 2, 3], 0.0, &[0.0, 3.0, 6.0, 9.0]);
        let deep: Vec<u32> = (200..260).collect();
        let indents = Indents::of(deep.iter().copied(), 60.0);
        assert!(
            deep.windows(2)
                .all(|pair| indents.of_depth(pair[0]) < indents.of_depth(pair[1]))
        );
        assert_eq!((indents.of_depth(200), indents.hidden()), (0.0, Some(200)));
        assert_eq!(indents.around(203).collect::<Vec<_>>(), [0.0, 3.0, 6.0]);
    }

    #[test]
    fn levels_have_their_usual_place_where_there_is_room() {
        check(&[3, 5], 100.0, &[36.0, 60.0]);
        assert_eq!(Indents::of([3, 5].into_iter(), 100.0).hidden(), None);
        assert_eq!(Indents::of(std::iter::empty(), 100.0).of_depth(0), 0.0);
    }
}
