//! The part of a flame graph that is seen, as boxes: as many as there are pixels, however many stacks there are.

use std::ops::Range;

use super::flame::FlameGraph;
use crate::analysis::call_profile::StackNode;

/// What of a graph is seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameView {
    /// The stack that has the whole width; those that it grows from stand above it.
    pub root: u32,
    /// Pixels across.
    pub columns: u32,
    /// Rows, by depth.
    pub rows: Range<u32>,
}

/// A stack, or stacks too narrow to tell apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlameBox {
    /// The stack, the widest of several.
    pub node: u32,
    /// Its row.
    pub depth: u32,
    /// Its left edge in pixels.
    pub left: f64,
    /// Its right edge.
    pub right: f64,
    /// How many stacks it stands for; more than one only where they are too narrow.
    pub count: u32,
}

/// Boxes narrower than so many pixels are drawn as one.
const LEAST: f64 = 1.0;

impl FlameGraph {
    /// The boxes of a view, from the outermost in. Cost: pixels times rows down to the last that is seen.
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
                // All that follow are as narrow.
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

    /// How wide those that grow from a stack are from the one at a place on: what is left of the stack behind
    /// those before them and its own.
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

/// A stack whose boxes above it are to be drawn.
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
