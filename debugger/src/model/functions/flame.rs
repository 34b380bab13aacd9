//! Flame graph of a profile: the stacks as a tree, the widest siblings first, and the boxes of its
//! visible part.
//!
//! Stacks narrower than a pixel are merged, so the number of boxes is bounded by the number of
//! pixels.

use std::cmp::Reverse;
use std::ops::Range;

use crate::action::CallMeasure;
use crate::analysis::call_profile::{CallProfile, StackNode};

/// Stacks of a profile ordered by one measure.
#[derive(Debug)]
pub struct FlameGraph {
    measure: CallMeasure,
    /// All stacks except the root, grouped by parent, the widest first.
    order: Vec<u32>,
    /// Range in `order` of the children of each stack.
    children: Vec<Range<u32>>,
    /// Maximum depth of the stacks below each stack.
    deepest: Vec<u32>,
}

impl FlameGraph {
    /// Builds the graph in O(n log n).
    pub fn new(profile: &CallProfile, measure: CallMeasure) -> Self {
        let stacks = &profile.stacks;
        let value = |place: u32| {
            stacks
                .get(place as usize)
                .map_or(0, |node| value_of(node, measure))
        };
        let parent = |place: u32| stacks.get(place as usize).map_or(0, |node| node.parent);
        let count = u32::try_from(stacks.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (1..count).collect();
        order.sort_by_key(|place| (parent(*place), Reverse(value(*place)), *place));
        let mut children = vec![0..0; stacks.len()];
        for (at, place) in (0u32..).zip(&order) {
            let Some(range) = children.get_mut(parent(*place) as usize) else {
                continue;
            };
            *range = if range.start == range.end {
                at..at + 1
            } else {
                range.start..at + 1
            };
        }
        let mut deepest: Vec<u32> = stacks.iter().map(|node| node.depth).collect();
        for (place, node) in stacks.iter().enumerate().rev() {
            let reached = deepest.get(place).copied().unwrap_or(0);
            if let Some(parent) = deepest.get_mut(node.parent as usize) {
                *parent = reached.max(*parent);
            }
        }
        Self {
            measure,
            order,
            children,
            deepest,
        }
    }

    /// Returns the children of a stack, the widest first.
    pub fn children(&self, place: u32) -> &[u32] {
        let range = self
            .children
            .get(place as usize)
            .cloned()
            .unwrap_or_default();
        self.order
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Returns the maximum depth below a stack.
    pub fn deepest(&self, place: u32) -> u32 {
        self.deepest.get(place as usize).copied().unwrap_or(0)
    }

    /// Returns the width of a stack: steps or time, callees included.
    pub fn value(&self, node: &StackNode) -> u64 {
        value_of(node, self.measure)
    }

    /// Returns the width of a stack without its callees.
    pub fn own_value(&self, node: &StackNode) -> u64 {
        match self.measure {
            CallMeasure::Steps => node.totals.own_steps,
            CallMeasure::Time => node.totals.own_time,
        }
    }
}

fn value_of(node: &StackNode, measure: CallMeasure) -> u64 {
    match measure {
        CallMeasure::Steps => node.totals.steps,
        CallMeasure::Time => node.totals.time,
    }
}

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
        // Stacks whose children are still to be laid out, with their left edges and rows.
        let mut open = vec![(view.root, 0.0, root.depth)];
        while let Some((place, left, depth)) = open.pop() {
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
                    open.push((*child, left, depth));
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
    fn the_widest_are_first_and_a_zoomed_one_has_the_whole_width() {
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
