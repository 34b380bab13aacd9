//! Where a list is scrolled to, and how it follows the position.

/// Rows around the position that stay in view while it moves.
const MARGIN: u64 = 2;

/// Where the position is to stand: Ctrl-L goes through them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionAnchor {
    /// In the middle.
    #[default]
    Middle,
    /// At the top.
    Top,
    /// At the bottom.
    Bottom,
}

impl PositionAnchor {
    /// The one after it.
    pub fn next(self) -> Self {
        match self {
            Self::Middle => Self::Top,
            Self::Top => Self::Bottom,
            Self::Bottom => Self::Middle,
        }
    }
}

/// Where a list of rows is scrolled to. The line of the position stands between two of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrollView {
    /// The first row in view.
    pub top: u64,
    /// Rows on the screen, as of the last time that it was drawn.
    pub height: u64,
}

impl ScrollView {
    /// Brings the line below so many rows into view, with some rows around it.
    ///
    /// The text stands still while the line goes through it; where the line would leave it, the text turns by some two thirds of
    /// the screen. That reads more easily than text that runs, and sends a tenth as much to a terminal far away.
    pub fn reveal(&mut self, gap: u64) {
        let margin = MARGIN.min(self.height.saturating_sub(1) / 3);
        // The line itself takes a row.
        let last = self.height.saturating_sub(1);
        let kept = (self.height / 4).max(margin);
        if gap < self.top.saturating_add(margin) {
            self.top = gap.saturating_sub(last.saturating_sub(kept));
        } else if gap.saturating_add(margin) > self.top.saturating_add(last) {
            self.top = gap.saturating_sub(kept);
        }
    }

    /// Takes another height. The line below so many rows stays in view, if it was: its neighbours go instead.
    pub fn resize(&mut self, height: u64, gap: Option<u64>) {
        let was_seen = gap.is_some_and(|gap| self.has(gap));
        self.height = height;
        if let Some(gap) = gap.filter(|gap| was_seen && !self.has(*gap)) {
            self.reveal(gap);
        }
    }

    /// Puts the line below so many rows at a place of the screen.
    pub fn anchor(&mut self, gap: u64, anchor: PositionAnchor) {
        let above = match anchor {
            PositionAnchor::Middle => self.height.saturating_sub(1) / 2,
            PositionAnchor::Top => 0,
            PositionAnchor::Bottom => self.height.saturating_sub(1),
        };
        self.top = gap.saturating_sub(above);
    }

    /// Scrolls by rows, not beyond the last of so many.
    pub fn scroll(&mut self, by: i64, rows: u64) {
        self.top = self
            .top
            .saturating_add_signed(by)
            .min(rows.saturating_sub(1));
    }

    /// Whether the line below so many rows is in view.
    pub fn has(&self, gap: u64) -> bool {
        gap >= self.top && gap < self.top.saturating_add(self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_stays_in_view_with_rows_around_it() {
        let mut view = ScrollView { top: 0, height: 10 };
        let mut at = |gap| {
            view.reveal(gap);
            view.top
        };
        assert_eq!(
            [at(0), at(5), at(7), at(8), at(9), at(13)],
            [0, 0, 0, 6, 6, 6]
        );
        assert_eq!([at(8), at(7), at(2)], [6, 0, 0]);
    }

    #[test]
    fn the_line_stays_in_view_where_rows_are_lost() {
        let mut view = ScrollView {
            top: 20,
            height: 20,
        };
        view.resize(5, Some(38));
        assert!(view.has(38), "{view:?}");
        // Who looks elsewhere goes on looking there.
        let mut view = ScrollView {
            top: 20,
            height: 20,
        };
        view.resize(5, Some(100));
        assert_eq!(view.top, 20);
    }

    #[test]
    fn the_line_goes_through_the_middle_the_top_and_the_bottom() {
        let mut view = ScrollView { top: 0, height: 11 };
        let (mut anchor, mut tops) = (PositionAnchor::Middle, Vec::new());
        for _ in 0..3 {
            view.anchor(100, anchor);
            tops.push(view.top);
            anchor = anchor.next();
        }
        assert_eq!(tops, [95, 100, 90]);
    }

    #[test]
    fn a_list_without_room_has_its_line_at_the_top() {
        let mut view = ScrollView::default();
        view.reveal(7);
        view.anchor(7, PositionAnchor::Bottom);
        view.scroll(100, 5);
        assert_eq!(view.top, 4);
        view.scroll(-100, 5);
        assert_eq!(view.top, 0);
    }
}
