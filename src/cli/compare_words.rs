//! Words and forms of `stepback compare` for text and JSON.

use std::ops::Range;

use anyhow::Result;
use stepback_compare::{
    Cause, CauseOrigin, CellDifference, Comparison, DifferenceKind, DifferingPlace, Region,
    RuleKind, StepDifference, ThreadComparison, TraceSide,
};
use stepback_debugger::analysis::profile_differences::FunctionDifference;
use stepback_index::answer::{SliceEndKind, ThreadId, Value};
use stepback_parsers::Position;

use crate::cli::compared_traces::{ComparedTraces, ThreadSteps};
use crate::cli::json::{FunctionJson, byte_string, hex, value_hex};
use crate::cli::text::{counted, grouped, printable};

/// Number of threads without a partner that are named.
const THREADS: usize = 8;

/// Formats a rule as it is written in the file.
pub fn rule_text(rule: &RuleKind) -> String {
    match rule {
        RuleKind::Register(name) => format!("ignore_registers {name}"),
        RuleKind::Memory(range) => format!("ignore_memory {:#x}..{:#x}", range.start, range.end),
        RuleKind::Counter => "counters".to_owned(),
        RuleKind::Polling(range) => format!("polling {:#x}..{:#x}", range.start, range.end),
    }
}

/// Formats a distance modulo 2^64 as a signed number.
pub fn distance_text(distance: u64) -> String {
    match distance.cast_signed() {
        negative @ ..0 => format!("-{:#x}", negative.unsigned_abs()),
        _ => format!("{distance:#x}"),
    }
}

/// A part of the address space that lies elsewhere in B.
pub struct MovedObject {
    /// `code`, `stack` or `memory`.
    pub kind: &'static str,
    /// Addresses in A.
    pub extent: Range<u64>,
    /// Address in B minus that in A, modulo 2^64.
    pub distance: u64,
    /// Number of pointers into it, which are no differences.
    pub pointers: u64,
}

/// Returns what lies elsewhere in B for some threads, most pointers first. Code and its data have
/// one distance.
pub fn moved_objects(comparison: &Comparison, compared: &[ThreadComparison]) -> Vec<MovedObject> {
    let code = comparison.slides.moved().map(|part| MovedObject {
        kind: "code",
        extent: part.first.0.wrapping_sub(part.distance)..part.end.0.wrapping_sub(part.distance),
        distance: part.distance,
        pointers: 0,
    });
    let memory = compared.iter().flat_map(|threads| &threads.moved_memory);
    let memory = memory.map(|moved| MovedObject {
        kind: if moved.is_stack { "stack" } else { "memory" },
        extent: moved.extent.clone(),
        distance: moved.distance,
        pointers: 0,
    });
    let mut objects: Vec<MovedObject> = Vec::new();
    for object in code.chain(memory) {
        let known = objects
            .iter_mut()
            .find(|known| known.distance == object.distance);
        match known {
            Some(known) => {
                known.extent.start = known.extent.start.min(object.extent.start);
                known.extent.end = known.extent.end.max(object.extent.end);
            }
            None => objects.push(object),
        }
    }
    for object in &mut objects {
        let counts = compared.iter().map(|threads| &threads.pointers.by_distance);
        object.pointers = counts
            .filter_map(|counts| counts.get(&object.distance))
            .sum();
    }
    objects.sort_by_key(|object| std::cmp::Reverse(object.pointers));
    objects
}

/// Counts and names the threads that only one trace has, in a phrase for each trace.
pub fn lone_threads(traces: &ComparedTraces<'_>) -> Vec<String> {
    let threads = &traces.comparison.threads;
    let mut found = Vec::new();
    for (side, threads) in [
        (TraceSide::A, &threads.only_in_a),
        (TraceSide::B, &threads.only_in_b),
    ] {
        let index = &traces.session(side).index;
        let name = |thread: &ThreadId| printable(index.thread_name(*thread));
        let mut names: Vec<String> = threads.iter().take(THREADS).map(name).collect();
        if let more @ 1.. = threads.len().saturating_sub(THREADS) {
            names.push(format!("{} more", grouped(more as u64)));
        }
        if !names.is_empty() {
            let count = counted(threads.len() as u64, "thread");
            found.push(format!(
                "{count} only in {}: {}",
                side_word(side),
                names.join(", ")
            ));
        }
    }
    found
}

/// Says that allocated blocks lie elsewhere than the memory around them.
pub fn blocks_text(compared: &[ThreadComparison]) -> Option<String> {
    let blocks: u64 = compared.iter().map(|threads| threads.moved_blocks).sum();
    let pointers: u64 = compared.iter().map(|it| it.pointers.to_blocks).sum();
    let pointers = counted(pointers, "pointer");
    match blocks {
        0 => None,
        1 => Some(format!(
            "1 allocated block lies elsewhere in b, {pointers} to it"
        )),
        _ => Some(format!(
            "{} lie elsewhere in b, {pointers} to them",
            counted(blocks, "allocated block")
        )),
    }
}

/// Says that the states after some regions were not compared.
pub fn unexamined_text(threads: &ThreadComparison) -> Option<String> {
    let count = threads.unexamined_regions;
    (count > 0).then(|| {
        format!(
            "the values after {} are not compared",
            counted(count, "more region")
        )
    })
}

/// Returns `a` or `b`.
pub fn side_word(side: TraceSide) -> &'static str {
    match side {
        TraceSide::A => "a",
        TraceSide::B => "b",
    }
}

/// Returns the side that begins later, and the number of steps that it lacks.
pub fn missing_head(threads: &ThreadComparison) -> Option<(TraceSide, u64)> {
    let start = threads.parallel.start;
    match (start.a, start.b) {
        (0, 0) => None,
        (0, missing) => Some((TraceSide::A, missing)),
        (missing, _) => Some((TraceSide::B, missing)),
    }
}

/// Returns the function in which a region begins, from the calls of the first trace.
pub fn compare_function(
    traces: &ComparedTraces<'_>,
    threads: &ThreadComparison,
    region: &Region,
) -> Result<Option<FunctionJson>> {
    let index = &traces.a.index;
    let mut steps = traces.steps(threads, TraceSide::A);
    let position = Position(steps.number(region.a.start)?);
    let calls = index.plain_calls();
    let call = calls.innermost_at(threads.threads.a, position);
    let function = call.and_then(|id| calls.get(id)).map(|call| call.function);
    Ok(function.map(|function| FunctionJson::new(function, traces.a)))
}

/// Names a function by the images of the first trace.
pub fn function_text(found: &FunctionDifference, traces: &ComparedTraces<'_>) -> String {
    let function = FunctionJson::new(found.function, traces.a);
    printable(&function.name.unwrap_or(function.address))
}

/// Returns an interval in steps of the trace.
pub fn interval(steps: &mut ThreadSteps<'_>, numbers: &Range<u64>) -> Result<[u64; 2]> {
    let from = steps.number(numbers.start)?;
    Ok(
        match numbers.end.checked_sub(1).filter(|_| !numbers.is_empty()) {
            Some(last) => [from, steps.number(last)? + 1],
            None => [from, from],
        },
    )
}

/// Formats the subject of a difference.
pub fn place_text(place: &DifferingPlace) -> String {
    match place {
        DifferingPlace::Code(address) | DifferingPlace::Disassembly(address) => hex(*address),
        DifferingPlace::Memory { address, len_bytes } => format!("{}:{len_bytes}", hex(*address)),
        DifferingPlace::Register { name, .. } => name.clone(),
    }
}

/// Formats a value of a difference; `None` if it is not recorded.
pub fn cell_value(difference: &CellDifference, value: &Value) -> Option<String> {
    if let DifferingPlace::Disassembly(_) = difference.place {
        return Some(disassembly(value));
    }
    match (difference.kind, value.0.len()) {
        // Memory of more than a word is no number.
        (DifferenceKind::Read | DifferenceKind::Write, 9..) => {
            Some(byte_string(value.0.iter().copied()))
        }
        (DifferenceKind::Condition, _) => {
            let word = match value.to_u64() {
                Some(0) => "not executed",
                _ => "executed",
            };
            Some(word.to_owned())
        }
        _ => value_hex(value),
    }
}

fn disassembly(value: &Value) -> String {
    let bytes: Vec<u8> = value.0.iter().copied().flatten().collect();
    printable(&String::from_utf8_lossy(&bytes))
}

/// Maximum number of steps of a chain that a report lists.
const CHAIN_STEPS: usize = 2000;

/// Returns the steps of a chain that a report lists: the newest ones, and the origin.
pub fn listed_chain(chain: &[StepDifference]) -> Vec<&StepDifference> {
    let newest = chain.len().saturating_sub(1).min(CHAIN_STEPS - 1);
    let newest = chain.iter().take(newest);
    newest.chain(chain.last()).collect()
}

/// Describes what differs in the oldest step of a chain.
pub fn cause_words(cause: &Cause) -> String {
    match &cause.origin {
        CauseOrigin::Unknown if !cause.is_complete => {
            "the search ended here; earlier steps may differ".to_owned()
        }
        CauseOrigin::Instruction => "the instruction is different".to_owned(),
        CauseOrigin::Memory {
            address,
            len_bytes,
            end,
        } => {
            let from = match end {
                Some(SliceEndKind::Initial { .. }) => "was there before the trace began",
                Some(SliceEndKind::Image) => "is that of the image",
                Some(SliceEndKind::External { .. }) => "was written from outside",
                Some(SliceEndKind::System { .. }) => "was supplied by the system",
                Some(
                    SliceEndKind::Constant
                    | SliceEndKind::Unknown(_)
                    | SliceEndKind::Kept
                    | SliceEndKind::Overwritten { .. }
                    | SliceEndKind::Limit,
                )
                | None => "comes from a write that is not recorded",
            };
            format!("the value at {}:{len_bytes} {from}", hex(*address))
        }
        CauseOrigin::OtherThread(write) => format!(
            "the value at {}:{} was written by step {} of {}",
            hex(write.address),
            write.len_bytes,
            grouped(write.step.0),
            printable(&write.thread)
        ),
        CauseOrigin::Result => "the result differs, the recorded inputs do not".to_owned(),
        CauseOrigin::UnrecordedResult => "its result is not recorded".to_owned(),
        CauseOrigin::InitialRegister(register) => {
            let name = place_text(&register.place);
            match register.a.is_unknown() || register.b.is_unknown() {
                true => format!("{name} before the first step is not recorded"),
                false => format!("{name} differs before the first step"),
            }
        }
        CauseOrigin::UnrecordedMemory => "it loads from memory, which is not recorded".to_owned(),
        CauseOrigin::SystemCall => "the system call returned something else".to_owned(),
        CauseOrigin::Forgiven => "a value that it reads differs, which a rule forgives".to_owned(),
        CauseOrigin::Unknown => "its reason is not recorded".to_owned(),
    }
}

/// Describes a divergence to which no differing value led; `None` if there is none.
pub fn unrecorded_cause(threads: &ThreadComparison) -> Option<String> {
    threads.divergence.filter(|_| threads.cause.is_none())?;
    Some(match threads.exception {
        Some(side) => format!("{} takes an exception", side_word(side)),
        None => "no recorded value that differs led to it".to_owned(),
    })
}

/// Formats `2 values differ`.
pub fn differing(count: u64) -> String {
    match count {
        1 => "1 value differs".to_owned(),
        count => format!("{} values differ", grouped(count)),
    }
}
