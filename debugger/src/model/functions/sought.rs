//! Finds functions of a flame graph by part of their names.

use super::told::FunctionProfile;
use crate::action::CallMeasure;
use crate::analysis::call_profile::StackNodeKind;

/// Functions whose names contain a text, and the total width of their stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionMatches {
    /// True for each function that matches, by index.
    functions: Vec<bool>,
    /// Number of matching functions.
    pub count: usize,
    /// Total width of the matching stacks; a stack inside another matching one is not counted
    /// again.
    pub value: u64,
    /// Width of the whole graph.
    pub whole: u64,
}

impl FunctionMatches {
    /// Searches the names for a text, case-insensitively. Runs on a worker. Cost: all names and
    /// stacks.
    pub fn of(functions: &FunctionProfile, text: &str, measure: CallMeasure) -> Self {
        let text = text.to_lowercase();
        let fits: Vec<bool> = functions
            .names
            .iter()
            .map(|name| name.to_lowercase().contains(&text))
            .collect();
        let (graph, stacks) = (functions.graph(measure), &functions.profile.stacks);
        let mut sought = Self {
            count: fits.iter().filter(|fits| **fits).count(),
            functions: fits,
            value: 0,
            whole: 0,
        };
        // Callers come before their callees, so parents are decided first.
        let mut is_inside = Vec::with_capacity(stacks.len());
        for (place, node) in stacks.iter().enumerate() {
            let is_around = place > 0
                && is_inside
                    .get(node.parent as usize)
                    .copied()
                    .unwrap_or(false);
            let fits = sought.fits(node.who);
            if fits && !is_around {
                sought.value = sought.value.saturating_add(graph.value(node));
            }
            is_inside.push(fits || is_around);
        }
        sought.whole = stacks.first().map_or(0, |node| graph.value(node));
        sought
    }

    /// Returns true if a stack's function matches.
    pub fn fits(&self, who: StackNodeKind) -> bool {
        matches!(who, StackNodeKind::Function(place) if self.functions.get(place as usize).copied().unwrap_or(false))
    }
}
