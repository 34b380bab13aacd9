//! Functions of a flame graph by a part of their names.

use super::told::FunctionProfile;
use crate::action::CallMeasure;
use crate::analysis::call_profile::StackNodeKind;

/// Which stacks have a function on top whose name holds a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionMatches {
    /// Functions by their places.
    functions: Vec<bool>,
    /// How many functions.
    pub count: usize,
    /// How wide their stacks are together, those inside others once.
    pub value: u64,
    /// How wide everything is.
    pub whole: u64,
}

impl FunctionMatches {
    /// Looks for a text in names, in any case. Runs on a worker. Cost: all names and stacks.
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
        // Those that call stand before those that they call.
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

    /// Whether something is one of those functions.
    pub fn fits(&self, who: StackNodeKind) -> bool {
        matches!(who, StackNodeKind::Function(place) if self.functions.get(place as usize).copied().unwrap_or(false))
    }
}
