//! Flame graph of a profile: the stacks as a tree, the widest siblings first.

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
