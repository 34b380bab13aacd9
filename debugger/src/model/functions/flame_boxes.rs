//! Lays out the visible part of a flame graph as boxes. The number of boxes is bounded by the
//! number of pixels.

use std::ops::Range;

use super::flame::FlameGraph;
use crate::analysis::call_profile::StackNode;

/// Visible part of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameView {
    /// Stack that fills the whole width; its ancestors are drawn above it.
    pub root: u32,
    /// Width in pixels.
    pub columns: u32,
    /// Visible rows, by depth.
    pub rows: Range<u32>,
}

/// Box of one stack, or of several that are too narrow to separate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlameBox {
    /// Stack, or the widest of several.
    pub node: u32,
    /// Row.
    pub depth: u32,
    /// Left edge in pixels.
    pub left: f64,
    /// Right edge in pixels.
    pub right: f64,
    /// Number of stacks in the box; greater than one only if they are too narrow.
    pub count: u32,
}

/// Minimum width in pixels of a separate box; narrower stacks are merged.
const LEAST: f64 = 1.0;

impl FlameGraph {
    /// Returns the boxes of a view, outermost first. Cost: pixels times rows down to the last
    /// visible one.
    pub fn boxes(&self, stacks: &[StackNode], view: &FlameView) -> Vec<FlameBox> {
        let width = f64::from(view.columns);
        let node = |place: u32| stacks.get(place as usize);
        let Some(root) = node(view.root) else {
            return Vec::new();
        };
        let mut boxes = Vec::new();
        let mut put = |drawn: FlameBox| {
            if view.rows.contains(&drawn.depth) {
                boxes.push(drawn);
            }
        };
        let outwards = std::iter::successors(Some(view.root), |place| {
            node(*place)
                .map(|node| node.parent)
                .filter(|parent| parent < place)
        });
        for place in outwards.collect::<Vec<_>>().into_iter().rev() {
            let depth = node(place).map_or(0, |node| node.depth);
            put(FlameBox {
                node: place,
                depth,
                left: 0.0,
                right: width,
                count: 1,
            });
        }
        let scale = width / (self.value(root).max(1)) as f64;
        let mut open = vec![PendingFlameStack {
            place: view.root,
            left: 0.0,
            depth: root.depth,
        }];
        while let Some(PendingFlameStack { place, left, depth }) = open.pop() {
            if depth + 1 >= view.rows.end {
                continue;
            }
            let (mut left, depth, children) = (left, depth + 1, self.children(place));
            for (at, child) in children.iter().enumerate() {
                let wide = node(*child).map_or(0.0, |node| self.value(node) as f64 * scale);
                if wide >= LEAST {
                    put(FlameBox {
                        node: *child,
                        depth,
                        left,
                        right: left + wide,
                        count: 1,
                    });
                    open.push(PendingFlameStack {
                        place: *child,
                        left,
                        depth,
                    });
                    left += wide;
                    continue;
                }
                // All following siblings are at least as narrow.
                let rest = children.get(at..).unwrap_or_default();
                let right = left + self.rest(stacks, place, at) * scale;
                if right - left >= LEAST {
                    let count = u32::try_from(rest.len()).unwrap_or(u32::MAX);
                    put(FlameBox {
                        node: *child,
                        depth,
                        left,
                        right,
                        count,
                    });
                }
                break;
            }
        }
        boxes
    }

    /// Returns the total width of the children of a stack from index `at` on: the stack without its
    /// own share and the children before.
    fn rest(&self, stacks: &[StackNode], parent: u32, at: usize) -> f64 {
        let Some(node) = stacks.get(parent as usize) else {
            return 0.0;
        };
        let before = self
            .children(parent)
            .iter()
            .take(at)
            .filter_map(|child| stacks.get(*child as usize));
        let before: u64 = before.map(|child| self.value(child)).sum();
        self.value(node)
            .saturating_sub(self.own_value(node))
            .saturating_sub(before) as f64
    }
}

/// Stack whose children are still to be laid out.
struct PendingFlameStack {
    place: u32,
    left: f64,
    depth: u32,
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::action::CallMeasure;
    use crate::analysis::call_profile::{CallProfile, CallTotals, StackNodeKind};

    fn node(parent: u32, depth: u32, own_steps: u64, steps: u64) -> StackNode {
        let totals = CallTotals {
            calls: 1,
            steps,
            own_steps,
            ..CallTotals::default()
        };
        StackNode {
            who: StackNodeKind::Function(0),
            parent,
            depth,
            first: Position(0),
            totals,
        }
    }

    #[track_caller]
    fn check(profile: &CallProfile, view: &FlameView, expected: &[(u32, u32, f64, f64, u32)]) {
        let boxes = FlameGraph::new(profile, CallMeasure::Steps).boxes(&profile.stacks, view);
        let shown: Vec<_> = boxes
            .iter()
            .map(|b| (b.node, b.depth, b.left, b.right, b.count))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_widest_stand_first_and_a_zoomed_one_has_the_whole_width() {
        let stacks = vec![
            node(0, 0, 10, 100),
            node(0, 1, 30, 30),
            node(0, 1, 20, 60),
            node(2, 2, 40, 40),
        ];
        let profile = CallProfile {
            stacks,
            ..CallProfile::default()
        };
        let view = FlameView {
            root: 0,
            columns: 100,
            rows: 0..9,
        };
        let whole = [
            (0, 0, 0.0, 100.0, 1),
            (2, 1, 0.0, 60.0, 1),
            (1, 1, 60.0, 90.0, 1),
            (3, 2, 0.0, 40.0, 1),
        ];
        check(&profile, &view, &whole);
        let zoomed = [
            (0, 0, 0.0, 100.0, 1),
            (2, 1, 0.0, 100.0, 1),
            (3, 2, 0.0, 100.0 * 40.0 / 60.0, 1),
        ];
        check(
            &profile,
            &FlameView {
                root: 2,
                ..view.clone()
            },
            &zoomed,
        );
        check(&profile, &FlameView { rows: 2..3, ..view }, &whole[3..]);
    }

    #[test]
    fn boxes_are_as_many_as_pixels_however_many_stacks_there_are() {
        let many = 100_000;
        let mut stacks = vec![node(0, 0, 0, u64::from(many))];
        stacks.extend((0..many).map(|_| node(0, 1, 1, 1)));
        let profile = CallProfile {
            stacks,
            ..CallProfile::default()
        };
        let view = FlameView {
            root: 0,
            columns: 800,
            rows: 0..9,
        };
        check(
            &profile,
            &view,
            &[(0, 0, 0.0, 800.0, 1), (1, 1, 0.0, 800.0, many)],
        );
    }
}
