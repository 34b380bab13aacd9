//! The call stacks around the hits of `find`.

use anyhow::Result;
use stepback_index::{Call, StepRecord};
use stepback_machine::Address;

use super::json::{FunctionJson, HitJson, StackFrameJson, hex};
use super::report::Report;
use super::text::{counted, grouped, printable};
use stepback_debugger::analysis::stack_groups::{GroupKey, StackGroup, StackGroups, frame_around};
use stepback_debugger::session::Session;

/// Amount of call stack to print with each hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWish {
    /// No stack.
    LeftOut,
    /// Maximum number of frames per stack, innermost first.
    Frames(usize),
}

/// Iterates over the frames around a step, innermost first.
fn frames<'a>(record: &StepRecord, session: &'a Session) -> impl Iterator<Item = Call> + use<'a> {
    let calls = session.index.calls();
    let innermost = frame_around(record, calls).and_then(|id| calls.get(id));
    std::iter::successors(innermost, |call| calls.get(call.parent?))
}

/// Adds the frames around a step to its hit.
pub fn with_stack(hit: HitJson, record: &StepRecord, limit: usize, session: &Session) -> HitJson {
    let frame = |call: Call| {
        let name = session
            .images
            .code_at(call.function)
            .map(|at| at.to_string());
        let function = FunctionJson {
            address: hex(call.function),
            name,
        };
        StackFrameJson {
            function,
            call_step: call.call_step.map(|step| step.0),
        }
    };
    hit.with_stack(frames(record, session).take(limit).map(frame).collect())
}

/// Prints the frames around a step, one per line.
pub fn print_stack(record: &StepRecord, limit: usize, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let mut all = frames(record, session);
    for (number, call) in all.by_ref().take(limit).enumerate() {
        let called = call
            .call_step
            .map(|step| format!("  called by step {}", grouped(step.0)))
            .unwrap_or_default();
        report.text(&format!(
            "    #{number} {}{called}\n",
            function_text(call.function, session)
        ))?;
    }
    print_hidden(all.count(), report)
}

/// Prints the call stacks of grouped hits, largest group first.
pub fn print_groups(groups: &StackGroups, limit: usize, report: &mut Report<'_>) -> Result<()> {
    for (_, group) in groups.sorted() {
        report.text(&format!("{}\n", head(group)))?;
        match group.key {
            GroupKey::NoFrame => report.text("    no call is known around them\n")?,
            GroupKey::Others => report.text("    other call stacks, more than are told apart\n")?,
            GroupKey::Stack(_) => {
                let mut all = groups.functions(group.key);
                for (number, function) in all.by_ref().take(limit).enumerate() {
                    report.text(&format!(
                        "    #{number} {}\n",
                        function_text(function, report.session)
                    ))?;
                }
                print_hidden(all.count(), report)?;
            }
        }
    }
    Ok(())
}

/// Formats the head of a group: `3 hits, steps 1,249 to 1,382`.
fn head(group: &StackGroup) -> String {
    let (first, last) = (group.first.0.0, group.last.0.0);
    match first == last {
        true => format!("{}, step {}", counted(group.count, "hit"), grouped(first)),
        false => format!(
            "{}, steps {} to {}",
            counted(group.count, "hit"),
            grouped(first),
            grouped(last)
        ),
    }
}

fn print_hidden(hidden: usize, report: &mut Report<'_>) -> Result<()> {
    match hidden {
        0 => Ok(()),
        _ => report.text(&format!(
            "    … {} more (--frames N)\n",
            grouped(hidden as u64)
        )),
    }
}

/// Formats a function as `decode_field (0x80000390)`.
fn function_text(function: Address, session: &Session) -> String {
    match session.images.code_at(function) {
        Some(at) => format!("{} ({function})", printable(&at.to_string())),
        None => function.to_string(),
    }
}
