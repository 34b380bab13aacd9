//! Scroll position of a list of up to 2^64 rows.
//!
//! The toolkit's own lists keep their offset in 32-bit floats and fail above a million rows.

/// First visible row and the part of it that is scrolled away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scroll {
    /// First visible row.
    pub top: u64,
    /// Pixels of that row above the view: at least 0, less than a row.
    pub pixels: f32,
}

/// Visible part of a list.
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    /// Total number of rows.
    pub rows: u64,
    /// Height of the view in pixels.
    pub height: f32,
    /// Height of a row in pixels.
    pub row_height: f32,
}

impl Viewport {
    /// Returns the number of whole rows in view, at least one.
    pub fn page(&self) -> u64 {
        whole((self.height / self.row_height).max(1.0))
    }

    /// Returns the maximum first row.
    pub fn last_top(&self) -> u64 {
        self.rows.saturating_sub(self.page())
    }

    /// Returns the height of a scroll bar's thumb: at least 16 pixels, at most the height of the
    /// view.
    pub fn thumb_height(&self) -> f32 {
        let share = self.page() as f64 / self.rows.max(1) as f64;
        (f64::from(self.height) * share)
            .clamp(16.0_f64.min(f64::from(self.height)), f64::from(self.height)) as f32
    }

    /// Returns the place of a row on a scroll bar, 0 to 1.
    pub fn share_of(&self, row: u64) -> f32 {
        (row.min(self.rows) as f64 / self.rows.max(1) as f64) as f32
    }
}

impl Scroll {
    /// Scrolls by pixels, down if positive.
    pub fn by_pixels(&mut self, pixels: f32, view: &Viewport) {
        let offset = f64::from(self.pixels) + f64::from(pixels);
        let rows = (offset / f64::from(view.row_height)).floor();
        self.top = if rows < 0.0 {
            self.top.saturating_sub(whole(-rows as f32))
        } else {
            self.top.saturating_add(whole(rows as f32))
        };
        let is_above_start = rows < 0.0 && self.top == 0 && offset < 0.0;
        self.pixels = (offset - rows * f64::from(view.row_height)) as f32;
        if is_above_start {
            self.pixels = 0.0;
        }
        self.clamp(view);
    }

    /// Returns the distance from another position in thousandths of a row, positive if further
    /// down.
    pub fn way_from(&self, before: &Self, row_height: f32) -> i64 {
        let rows = i128::from(self.top) - i128::from(before.top);
        let part = f64::from((self.pixels - before.pixels) / row_height) * 1000.0;
        i64::try_from(rows * 1000 + part.round() as i128).unwrap_or(0)
    }

    /// Scrolls by thousandths of a row.
    pub fn by_way(&mut self, direction: i64, view: &Viewport) {
        // Whole rows first: a float is too coarse to count the rows of a long list.
        self.top = self.top.saturating_add_signed(direction / 1000);
        self.by_pixels((direction % 1000) as f32 / 1000.0 * view.row_height, view);
    }

    /// Scrolls so that the top of the thumb is at a share (0 to 1) of its track.
    pub fn to_share(&mut self, share: f32, view: &Viewport) {
        let share = f64::from(share.clamp(0.0, 1.0));
        // Exact at both ends; in between, a float is accurate to a pixel.
        self.top = if share >= 1.0 {
            view.last_top()
        } else {
            (share * view.last_top() as f64) as u64
        };
        self.pixels = 0.0;
        self.clamp(view);
    }

    /// Returns the place of the thumb's top on its track, 0 to 1.
    pub fn share(&self, view: &Viewport) -> f32 {
        match view.last_top() {
            0 => 0.0,
            last => (self.top as f64 / last as f64) as f32,
        }
    }

    /// Brings the gap above a row into view with a margin of rows around it. Scrolls as little as
    /// possible if the gap is near, or centres it if it is far.
    pub fn reveal_gap(&mut self, gap: u64, margin: u64, view: &Viewport) {
        let page = view.page();
        let margin = margin.min(page.saturating_sub(1) / 2);
        let first = self.top.saturating_add(margin);
        let last = self.top.saturating_add(page.saturating_sub(margin));
        if gap < first || gap > last {
            let is_near =
                gap.saturating_add(page) >= self.top && gap <= self.top.saturating_add(2 * page);
            self.top = match () {
                () if !is_near => gap.saturating_sub(page / 2),
                () if gap < first => gap.saturating_sub(margin),
                () => gap.saturating_sub(page.saturating_sub(margin)),
            };
            self.pixels = 0.0;
        }
        self.clamp(view);
    }

    /// Returns true if the gap above a row is in view.
    pub fn shows_gap(&self, gap: u64, view: &Viewport) -> bool {
        gap >= self.top && gap <= self.top.saturating_add(view.page())
    }

    pub fn reveal_row(&mut self, row: u64, view: &Viewport) {
        if row < self.top || (row == self.top && self.pixels > 0.0) {
            *self = Self {
                top: row,
                pixels: 0.0,
            };
        } else if row >= self.top.saturating_add(view.page()) {
            *self = Self {
                top: row.saturating_sub(view.page() - 1),
                pixels: 0.0,
            };
        }
        self.clamp(view);
    }

    /// Limits the position to the list.
    pub fn clamp(&mut self, view: &Viewport) {
        if self.top >= view.last_top() {
            *self = Self {
                top: view.last_top(),
                pixels: 0.0,
            };
        }
    }
}

/// Returns the whole part of a non-negative number.
fn whole(number: f32) -> u64 {
    // A saturating conversion: the callers' numbers are pixels and rows on a screen.
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: Viewport = Viewport {
        rows: 10_000_000_000,
        height: 180.0,
        row_height: 18.0,
    };

    fn at(top: u64) -> Scroll {
        Scroll { top, pixels: 0.0 }
    }

    #[test]
    fn another_list_goes_along_by_as_much() {
        let view = Viewport {
            rows: 1 << 40,
            height: 180.0,
            row_height: 18.0,
        };
        for (from, to) in [
            ((10, 4.5), (12, 9.0)),
            ((1 << 30, 0.0), (3, 17.0)),
            ((0, 0.0), (1 << 39, 0.0)),
        ] {
            let at = |(top, pixels)| Scroll { top, pixels };
            let (before, after) = (at(from), at(to));
            let mut other = before;
            other.by_way(after.way_from(&before, 18.0), &view);
            assert_eq!(other.top, after.top);
            assert!(
                (other.pixels - after.pixels).abs() < 0.02,
                "{other:?} {after:?}"
            );
        }
    }

    #[test]
    fn a_wheel_notch_moves_the_same_everywhere() {
        for top in [0, 100, 5_000_000_000, 9_999_999_000] {
            let mut scroll = at(top);
            scroll.by_pixels(40.0, &VIEW);
            assert_eq!((scroll.top - top, scroll.pixels), (2, 4.0));
            scroll.by_pixels(-40.0, &VIEW);
            assert_eq!(scroll, at(top));
        }
    }

    #[test]
    fn the_ends_hold() {
        let mut scroll = at(1);
        scroll.by_pixels(-400.0, &VIEW);
        assert_eq!(scroll, at(0));
        scroll.to_share(1.0, &VIEW);
        assert_eq!(scroll, at(9_999_999_990));
        scroll.by_pixels(5.0, &VIEW);
        assert_eq!(scroll, at(9_999_999_990));
        assert_eq!(scroll.share(&VIEW), 1.0);
    }

    #[test]
    fn a_near_gap_moves_the_view_little_and_a_far_one_to_the_middle() {
        let revealed = |top: u64, gap: u64| {
            let mut scroll = at(top);
            scroll.reveal_gap(gap, 3, &VIEW);
            scroll.top
        };
        assert_eq!(revealed(100, 105), 100);
        assert_eq!(revealed(100, 108), 101);
        assert_eq!(revealed(100, 102), 99);
        assert_eq!(revealed(100, 2_000_000), 1_999_995);
        assert_eq!(revealed(100, 0), 0);
        assert_eq!(revealed(0, 10_000_000_000), 9_999_999_990);
    }

    #[test]
    fn a_short_list_does_not_scroll() {
        let view = Viewport { rows: 3, ..VIEW };
        let mut scroll = at(0);
        scroll.by_pixels(100.0, &view);
        assert_eq!((scroll, view.thumb_height()), (at(0), 180.0));
    }
}
