//! The part of the trace that the timeline shows.

/// Minimum number of steps in view.
const LEAST: f64 = 16.0;
/// Margin on each side of a fitted call, as a share of its length.
const MARGIN: f64 = 0.02;

/// A range of positions in view. `last` is greater than `first` unless the trace is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleRange {
    /// Position at the left edge.
    pub first: u64,
    /// Position at the right edge.
    pub last: u64,
}

/// Zoom and pan by the wheel or by two fingers.
#[derive(Clone, Copy, Debug)]
pub struct ZoomPan {
    /// Fixed point of the zoom, as a share of the width.
    pub center: f64,
    /// Zoom factor; greater than 1 shows less of the trace.
    pub factor: f64,
    /// Distance to pan, as a share of the visible length.
    pub moved: f64,
}

impl VisibleRange {
    /// Returns the range of the whole trace.
    pub const fn whole(end: u64) -> Self {
        Self {
            first: 0,
            last: end,
        }
    }

    /// Clamps the range to a trace that ends at `end`.
    pub fn within(self, end: u64) -> Self {
        Self {
            first: self.first.min(end),
            last: self.last.min(end),
        }
    }

    /// Returns the number of steps in view.
    pub const fn length(self) -> u64 {
        self.last.saturating_sub(self.first)
    }

    /// Returns true if a position is in view.
    pub fn contains(self, position: u64) -> bool {
        (self.first..=self.last).contains(&position)
    }

    /// Returns the range after a zoom or pan.
    pub fn turned(
        self,
        ZoomPan {
            center,
            factor,
            moved,
        }: ZoomPan,
        end: u64,
    ) -> Self {
        if factor == 1.0 {
            return self.moved(moved, end);
        }
        let length = self.length() as f64;
        let fixed = self.first as f64 + center * length;
        let new_length = (length / factor).clamp(LEAST.min(end as f64), end as f64);
        Self::from(
            fixed - center * new_length + moved * length,
            new_length,
            end,
        )
    }

    /// Returns a range of this length, panned by `lengths` times the length. The distance is
    /// rounded up to whole steps.
    fn moved(self, lengths: f64, end: u64) -> Self {
        let steps = (lengths * self.length() as f64).abs().ceil() as u64;
        let last_first = end.saturating_sub(self.length());
        let first = if lengths < 0.0 {
            self.first.saturating_sub(steps)
        } else {
            self.first.saturating_add(steps)
        };
        let first = first.min(last_first);
        Self {
            first,
            last: first.saturating_add(self.length()).min(end),
        }
    }

    /// Returns the range with a margin on both sides.
    pub fn fitting(self, end: u64) -> Self {
        let margin = self.length() as f64 * MARGIN;
        let length = (self.length() as f64 + 2.0 * margin).clamp(LEAST.min(end as f64), end as f64);
        let middle = (self.first as f64 + self.last as f64) / 2.0;
        Self::from(middle - length / 2.0, length, end)
    }

    /// Returns a range of this length with a position in the middle.
    pub fn around(self, position: u64, end: u64) -> Self {
        let length = self.length() as f64;
        Self::from(position as f64 - length / 2.0, length, end)
    }

    fn from(first: f64, length: f64, end: u64) -> Self {
        let first = first.clamp(0.0, (end as f64 - length).max(0.0));
        let last = ((first + length).ceil() as u64).min(end);
        Self {
            first: (first as u64).min(last),
            last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_keeps_the_place_under_the_pointer() {
        let whole = VisibleRange::whole(1000);
        let closer = whole.turned(
            ZoomPan {
                center: 0.5,
                factor: 2.0,
                moved: 0.0,
            },
            1000,
        );
        assert_eq!(
            closer,
            VisibleRange {
                first: 250,
                last: 750
            }
        );
        assert_eq!(
            closer.turned(
                ZoomPan {
                    center: 0.5,
                    factor: 0.1,
                    moved: 0.0
                },
                1000
            ),
            whole
        );
        assert_eq!(
            closer.turned(
                ZoomPan {
                    center: 0.0,
                    factor: 1.0,
                    moved: 9.0
                },
                1000
            ),
            VisibleRange {
                first: 500,
                last: 1000
            }
        );
        let near = VisibleRange {
            first: 100,
            last: 116,
        };
        let pan = |moved| {
            near.turned(
                ZoomPan {
                    center: 0.3,
                    factor: 1.0,
                    moved,
                },
                1000,
            )
        };
        assert_eq!(
            (pan(0.01), pan(-0.01)),
            (
                VisibleRange {
                    first: 101,
                    last: 117
                },
                VisibleRange {
                    first: 99,
                    last: 115
                }
            )
        );
        let finest = closer.turned(
            ZoomPan {
                center: 0.5,
                factor: 1e9,
                moved: 0.0,
            },
            1000,
        );
        assert_eq!(finest.length(), 16);
    }

    #[test]
    fn a_fitted_call_has_something_around_it() {
        assert_eq!(
            VisibleRange {
                first: 400,
                last: 500
            }
            .fitting(1000),
            VisibleRange {
                first: 398,
                last: 502
            }
        );
        assert_eq!(
            VisibleRange {
                first: 0,
                last: 1000
            }
            .fitting(1000),
            VisibleRange::whole(1000)
        );
        assert_eq!(
            VisibleRange { first: 3, last: 4 }.fitting(1000).length(),
            16
        );
        assert_eq!(
            VisibleRange { first: 3, last: 4 }.fitting(7),
            VisibleRange::whole(7)
        );
        assert_eq!(VisibleRange::whole(0).fitting(0), VisibleRange::whole(0));
    }

    #[test]
    fn a_position_comes_into_the_middle() {
        let view = VisibleRange {
            first: 100,
            last: 200,
        };
        assert_eq!(
            view.around(700, 1000),
            VisibleRange {
                first: 650,
                last: 750
            }
        );
        assert_eq!(
            view.around(990, 1000),
            VisibleRange {
                first: 900,
                last: 1000
            }
        );
        assert!(view.contains(200) && !view.contains(201));
        assert_eq!(
            VisibleRange {
                first: 700,
                last: 900
            }
            .within(800),
            VisibleRange {
                first: 700,
                last: 800
            }
        );
    }
}
