//! Scroll state of the call depths in the timeline.

/// The call depths in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthScroll {
    /// First depth in view.
    pub top: u32,
    /// Number of depths in the part of the trace in view.
    pub count: u32,
    /// Depth of the position when its frame was last brought into view.
    revealed: u32,
}

/// The depths in view, and the number of all depths.
#[derive(Clone, Copy, Debug)]
pub struct ShownDepths {
    pub first: u32,
    pub shown: u32,
    pub count: u32,
}

impl DepthScroll {
    /// Brings the frame at the position into view once per depth: the user may scroll away
    /// afterwards.
    pub fn reveal(&mut self, depth: u32, room: u32) {
        if depth == self.revealed {
            return;
        }
        self.revealed = depth;
        let innermost = depth.saturating_sub(1);
        if innermost < self.top {
            // One caller in view gives the context.
            self.top = innermost.saturating_sub(1);
        } else if innermost >= self.top.saturating_add(room) {
            self.top = (innermost + 1).saturating_sub(room);
        }
    }

    /// Scrolls by a number of depths.
    pub fn scroll(&mut self, by: isize, room: u32) {
        let most = self.count.max(self.revealed).saturating_sub(room);
        let by = i32::try_from(by).unwrap_or(0);
        if by != 0 {
            self.top = self.top.saturating_add_signed(by).min(most);
        }
    }

    /// Returns the depths in view if `room` of them fit.
    pub fn shown(self, room: u32) -> ShownDepths {
        ShownDepths {
            first: self.top,
            shown: room,
            count: self.count.max(self.revealed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_frame_comes_into_view_and_can_be_scrolled_away_from() {
        let mut depths = DepthScroll {
            count: 30,
            ..DepthScroll::default()
        };
        depths.reveal(5, 7);
        assert_eq!(depths.top, 0);
        depths.reveal(20, 7);
        assert_eq!(depths.top, 13);
        depths.scroll(-10, 7);
        depths.reveal(20, 7);
        assert_eq!(depths.top, 3);
        depths.reveal(2, 7);
        assert_eq!(depths.top, 0);
        depths.scroll(99, 7);
        assert_eq!(depths.top, 23);
    }
}
