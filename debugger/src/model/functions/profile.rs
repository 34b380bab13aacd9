//! Functions of a part of the trace by name and cost ([`FunctionProfile`]), their callers and
//! callees, and the functions that match a text.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use stepback_index::answer::FrameEntry;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::CallMeasure;
use crate::action::StepRange;
use crate::analysis::call_profile::{
    CallProfile, CallTotals, FunctionUsage, Progress, StackNode, StackNodeKind, call_profile,
};
use crate::messages::{say, with_decimal};
use crate::model::functions::flame::FlameGraph;
use crate::model::functions::table::function_table;
use crate::model::names::{frame_name, function_name};
use crate::model::table::{ROWS, Table, thread_name};
use crate::session::Session;

/// Functions of a part of the trace: measured, named, listed, and merged by stack.
#[derive(Debug)]
pub struct FunctionProfile {
    /// Profiled range; none for the whole trace.
    pub part: Option<StepRange>,
    pub profile: CallProfile,
    /// Function names, by index in the profile.
    pub names: Vec<Arc<str>>,
    /// Table of functions, those with the most own steps first.
    pub table: Arc<Table>,
    /// Flame graph by steps.
    by_steps: FlameGraph,
    /// Flame graph by time, if the trace records times.
    by_time: Option<FlameGraph>,
    places: HashMap<Address, u32>,
}

impl FunctionProfile {
    /// Profiles and names the functions. Runs on a worker. Cost: grows with the calls in the range.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn of(
        session: &Session,
        part: Option<StepRange>,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Self> {
        let end = session.index.end();
        let steps = part.map_or(Position(0)..end, |part| part.first..part.last);
        let profile = call_profile(&session.index, &steps, progress, cancel)?;
        let names = profile
            .functions
            .iter()
            .map(|function| name_of(session, function, cancel));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        let by_time = profile
            .has_clock
            .then(|| FlameGraph::new(&profile, CallMeasure::Time));
        let places = (0u32..)
            .zip(&profile.functions)
            .map(|(place, function)| (function.address, place))
            .collect();
        Ok(Self {
            part,
            table: Arc::new(function_table(session, &profile, &names)),
            by_steps: FlameGraph::new(&profile, CallMeasure::Steps),
            by_time,
            names,
            places,
            profile,
        })
    }

    /// Returns the flame graph for a measure; that for steps if the trace records no times.
    pub fn graph(&self, measure: CallMeasure) -> &FlameGraph {
        match (measure, &self.by_time) {
            (CallMeasure::Time, Some(by_time)) => by_time,
            _ => &self.by_steps,
        }
    }

    /// Returns the measure that [`Self::graph`] uses.
    pub fn measure(&self, wished: CallMeasure) -> CallMeasure {
        if self.by_time.is_some() {
            wished
        } else {
            CallMeasure::Steps
        }
    }

    /// Returns the index of a function.
    pub fn place_of(&self, address: Address) -> Option<u32> {
        self.places.get(&address).copied()
    }

    /// Returns a function by index.
    pub fn function(&self, place: u32) -> Option<&FunctionUsage> {
        self.profile.functions.get(place as usize)
    }

    /// Returns the name of a function by index.
    pub fn name(&self, place: u32) -> &str {
        self.names.get(place as usize).map_or("", |name| name)
    }
}

/// Names a function; a handler is named after its trap.
fn name_of(
    session: &Session,
    function: &FunctionUsage,
    cancel: &Cancel,
) -> Result<Arc<str>, QueryError> {
    let example = session.index.calls().get(function.example);
    Ok(
        match example.filter(|call| call.entered == FrameEntry::Exception) {
            Some(call) => frame_name(session, &call, cancel)?.into(),
            None => function_name(&session.images, function.address).into(),
        },
    )
}

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

/// Relation to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallRelation {
    /// Functions that call it.
    Callers,
    /// Functions that it calls.
    Callees,
}

/// Caller or callee of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelatedFunctionRow {
    /// Index of the function in the profile.
    pub function: u32,
    /// Position at which the first of these calls is entered.
    pub first: Position,
    /// Totals of the calls between the two functions; the steps are those of the callee.
    pub totals: CallTotals,
}

/// Lists at most [`ROWS`] callers or callees of the function with index `place`, those whose calls
/// took most first. Cost: its links; for callers, a pass over all links.
pub fn near_rows(
    functions: &FunctionProfile,
    place: u32,
    side: CallRelation,
    measure: CallMeasure,
) -> Vec<RelatedFunctionRow> {
    let links = &functions.profile.links;
    let own = match side {
        // Links are sorted by caller.
        CallRelation::Callees => {
            let from = links.partition_point(|link| link.caller < place);
            let to = links.partition_point(|link| link.caller <= place);
            links.get(from..to).unwrap_or_default()
        }
        CallRelation::Callers => links,
    };
    let row = |function: u32, link: &crate::analysis::call_profile::CallEdge| RelatedFunctionRow {
        function,
        first: link.first,
        totals: link.totals,
    };
    let mut rows: Vec<RelatedFunctionRow> = match side {
        CallRelation::Callees => own.iter().map(|link| row(link.callee, link)).collect(),
        CallRelation::Callers => own
            .iter()
            .filter(|link| link.callee == place)
            .map(|link| row(link.caller, link))
            .collect(),
    };
    rows.sort_by_key(|row| {
        let taken = match measure {
            CallMeasure::Steps => row.totals.steps,
            CallMeasure::Time => row.totals.time,
        };
        Reverse((taken, row.totals.calls))
    });
    rows.truncate(ROWS);
    rows
}

/// Names a part of the trace: `Whole trace`, `Steps 440 – 881`.
pub fn part_words(part: Option<StepRange>) -> String {
    match part {
        Some(StepRange { first, last }) => {
            say!("functions-steps-of", first = first.0, last = last.0)
        }
        None => say!("functions-whole-trace").to_owned(),
    }
}

/// Names a box of the flame graph.
pub fn box_name(session: &Session, functions: &FunctionProfile, who: StackNodeKind) -> String {
    match who {
        StackNodeKind::Part => part_words(functions.part),
        StackNodeKind::Thread(thread) => thread_name(session, thread),
        StackNodeKind::Function(place) => functions.name(place).to_owned(),
    }
}

/// Describes a box: its name, its cost, and its share of the profiled range.
pub fn box_lines(
    session: &Session,
    functions: &FunctionProfile,
    node: &StackNode,
    measure: CallMeasure,
) -> Vec<String> {
    let measure = functions.measure(measure);
    let (graph, all) = (functions.graph(measure), functions.profile.stacks.first());
    let whole = all.map_or(0, |all| graph.value(all));
    let taken = |value: u64| {
        let stated = match measure {
            CallMeasure::Steps => say!("functions-step-count", count = value),
            CallMeasure::Time => say!("functions-time-of", time = value),
        };
        format!("{stated} ({})", share_text(value, whole))
    };
    let mut lines = vec![box_name(session, functions, node.who)];
    if matches!(node.who, StackNodeKind::Function(_)) {
        lines.push(say!("functions-call-count", count = node.totals.calls));
    }
    lines.push(say!("functions-total", taken = taken(graph.value(node))));
    lines.push(say!("functions-self", taken = taken(graph.own_value(node))));
    lines
}

/// Formats a share: `12.3 %`.
pub fn share_text(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{} %", with_decimal(tenths))
}

#[cfg(test)]
mod tests {
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::call_profile::Progress;
    use crate::session::test_session::overflow_with_image;

    #[test]
    fn callers_and_callees_are_listed_with_their_calls() {
        let session = overflow_with_image();
        let stated =
            FunctionProfile::of(&session, None, &Progress::default(), &Cancel::default()).unwrap();
        let place = |name: &str| {
            (0..)
                .zip(&stated.names)
                .find(|(_, known)| &***known == name)
                .map(|(place, _)| place)
        };
        let names = |name: &str, side| -> Vec<(String, u64)> {
            let rows = near_rows(&stated, place(name).expect(name), side, CallMeasure::Steps);
            rows.iter()
                .map(|row| (stated.name(row.function).to_owned(), row.totals.calls))
                .collect()
        };
        assert_eq!(
            names("main", CallRelation::Callers),
            [("_start".to_owned(), 1)]
        );
        assert_eq!(names("_start", CallRelation::Callers), []);
        let callees = names("main", CallRelation::Callees);
        assert!(
            callees
                .iter()
                .any(|(name, calls)| name == "dispatch" && *calls > 0),
            "{callees:?}"
        );
        for (callee, calls) in callees {
            let callers = names(&callee, CallRelation::Callers);
            assert!(
                callers.contains(&("main".to_owned(), calls)),
                "{callee}: {callers:?}"
            );
        }
    }
}
