//! Which depths of the calls the timeline shows.

/// Which depths of the calls are in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthScroll {
    /// The first.
    pub top: u32,
    /// How many there are in the part of the trace that is shown.
    pub count: u32,
    /// How deep the position was when its frame was brought into view.
    revealed: u32,
}

/// Which of so many depths are in view.
#[derive(Clone, Copy, Debug)]
pub struct ShownDepths {
    pub first: u32,
    pub shown: u32,
    pub count: u32,
}

impl DepthScroll {
    /// Brings the frame at the position into view, unless that was done: the user may have scrolled away since.
    pub fn reveal(&mut self, depth: u32, room: u32) {
        if depth == self.revealed {
            return;
        }
        self.revealed = depth;
        let innermost = depth.saturating_sub(1);
        if innermost < self.top {
            // A caller in view says where this is.
            self.top = innermost.saturating_sub(1);
        } else if innermost >= self.top.saturating_add(room) {
            self.top = (innermost + 1).saturating_sub(room);
        }
    }

    /// Scrolls by some depths.
    pub fn scroll(&mut self, by: isize, room: u32) {
        let most = self.count.max(self.revealed).saturating_sub(room);
        let by = i32::try_from(by).unwrap_or(0);
        if by != 0 {
            self.top = self.top.saturating_add_signed(by).min(most);
        }
    }

    /// What is in view in a room for so many.
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
