//! The stacks of a profile as a graph: who stands on whom, the widest first.

use std::cmp::Reverse;
use std::ops::Range;

use crate::action::CallMeasure;
use crate::analysis::call_profile::{CallProfile, StackNode};

/// The stacks by a measure.
#[derive(Debug)]
pub struct FlameGraph {
    measure: CallMeasure,
    /// All stacks but the first: those that grow from one stand together, the widest first.
    order: Vec<u32>,
    /// Where those that grow from a stack stand in the order.
    children: Vec<Range<u32>>,
    /// The greatest depth of what grows from a stack.
    deepest: Vec<u32>,
}

impl FlameGraph {
    /// O(n log n).
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

    /// The stacks that grow from one, the widest first.
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

    /// The greatest depth of what grows from a stack.
    pub fn deepest(&self, place: u32) -> u32 {
        self.deepest.get(place as usize).copied().unwrap_or(0)
    }

    /// How wide a stack is.
    pub fn value(&self, node: &StackNode) -> u64 {
        value_of(node, self.measure)
    }

    /// How wide what is on top of it is without what grows from it.
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
