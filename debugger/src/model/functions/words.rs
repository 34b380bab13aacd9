//! Describes functions and stacks.

use super::told::FunctionProfile;
use crate::action::{CallMeasure, StepRange};
use crate::analysis::call_profile::{StackNode, StackNodeKind};
use crate::messages::say;
use crate::model::table::thread_name;
use crate::session::Session;

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
        let told = match measure {
            CallMeasure::Steps => say!("functions-step-count", count = value),
            CallMeasure::Time => say!("functions-time-of", time = value),
        };
        format!("{told} ({})", share_text(value, whole))
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
    format!("{}.{} %", tenths / 10, tenths % 10)
}
