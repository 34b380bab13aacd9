//! Positions where a trace was interrupted: exceptions, interrupts, traps, and signals that have
//! frames.
//!
//! The entry of a handler frame is such a position, and so is a marker of a kernel action. For
//! traps, the markers also name the trap that a frame handles and reveal the frames that only move
//! register windows.

use stepback_index::answer::{Call, CallId, Effect, FrameEntry};
use stepback_index::query::{FindMarkers, LastMarkers, NextMarker, Steps};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{MarkerKind, Position};

use crate::action::Direction;
use crate::analysis::schedule::{BoundedList, LaneMark, LaneMarkKind};

/// Markers of kernel actions on a thread.
pub const EVENTS: [MarkerKind; 3] = [
    MarkerKind::SIGNAL,
    MarkerKind::KERNEL_EVENT,
    MarkerKind::TRAP,
];

/// Frames between two checks for cancellation.
const STRIDE: u64 = 4096;

/// Returns the entries of handlers along the trace. If there are too many, nearby ones are merged.
///
/// Cost: a lookup for each frame of the trace.
///
/// # Errors
/// See [`QueryError`].
pub fn exceptions(index: &Index, cancel: &Cancel) -> Result<BoundedList<LaneMark>, QueryError> {
    let mut found = BoundedList::default();
    let calls = index.calls();
    let in_order = calls.in_order(0..calls.len());
    each_entry(index, in_order, cancel, &mut |entry| {
        found.push(LaneMark {
            first: entry.0,
            end: entry.0,
            kind: LaneMarkKind::Kernel,
            count: 1,
        });
    })?;
    Ok(found)
}

/// Returns the nearest position after or before another at which an exception, interrupt, trap or
/// signal is visible.
///
/// Cost: a lookup for each frame of the trace.
///
/// # Errors
/// See [`QueryError`].
pub fn next_exception(
    index: &Index,
    from: Position,
    direction: Direction,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let mut nearest = marked(index, from, direction, cancel)?;
    let mut take = |at: Position| {
        nearest = match direction {
            Direction::Forward if at > from => Some(nearest.map_or(at, |known| known.min(at))),
            Direction::Back if at < from => Some(nearest.map_or(at, |known| known.max(at))),
            _ => nearest,
        };
    };
    // The result is the nearest one, so any order will do.
    let all = (0..index.calls().len()).map(CallId);
    each_entry(index, all, cancel, &mut take)?;
    // An exception at the end of the trace has no handler frame.
    if ends_with_exception(index, cancel)? {
        take(index.end());
    }
    Ok(nearest)
}

/// Returns the nearest marker of a kernel action.
fn marked(
    index: &Index,
    from: Position,
    direction: Direction,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let kinds = EVENTS.to_vec();
    match direction {
        Direction::Forward if from >= index.end() => Ok(None),
        Direction::Forward => NextMarker {
            kinds,
            from: Position(from.0.saturating_add(1)),
        }
        .run(index, cancel),
        Direction::Back => {
            let Some(at) = from.0.checked_sub(1).map(Position) else {
                return Ok(None);
            };
            let hits = LastMarkers {
                kinds,
                thread: None,
                at,
            }
            .run(index, cancel)?;
            Ok(hits.iter().map(|hit| hit.position).max())
        }
    }
}

fn ends_with_exception(index: &Index, cancel: &Cancel) -> Result<bool, QueryError> {
    let Some(first) = index.end().last_step() else {
        return Ok(false);
    };
    let last = Steps { first, count: 1 }.run(index, cancel)?;
    Ok(last
        .iter()
        .flat_map(|record| &record.effects)
        .any(|effect| matches!(effect, Effect::Exception(_))))
}

/// Passes the entry position of each frame that is a handler to `take`.
fn each_entry(
    index: &Index,
    frames: impl Iterator<Item = CallId>,
    cancel: &Cancel,
    take: &mut dyn FnMut(Position),
) -> Result<(), QueryError> {
    let calls = index.calls();
    for (looked, id) in (0u64..).zip(frames) {
        if looked.is_multiple_of(STRIDE) {
            cancel.check()?;
        }
        if let Some(call) = calls
            .get(id)
            .filter(|call| call.entered == FrameEntry::Exception)
        {
            take(call.entered_at());
        }
    }
    Ok(())
}

/// Maximum number of markers per step that are examined.
const MARKERS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Trap type, as the processor numbers it.
    pub number: u64,
    /// Number of the system call that it requests, if recorded.
    pub system_call: Option<u64>,
}

/// Returns the trap that a frame handles; `None` for other frames, and if the trace does not record
/// it.
///
/// Cost: one query of the marker list.
///
/// # Errors
/// See [`QueryError`].
pub fn trap_of(index: &Index, call: &Call, cancel: &Cancel) -> Result<Option<Trap>, QueryError> {
    let Some(step) = call
        .call_step
        .filter(|_| call.entered == FrameEntry::Exception)
    else {
        return Ok(None);
    };
    let (kinds, at) = (
        vec![MarkerKind::SYSTEM_CALL, MarkerKind::TRAP],
        Position(step.0.saturating_add(1)),
    );
    let question = FindMarkers {
        kinds,
        thread: Some(call.thread),
        from: at,
        to: at,
        limit: MARKERS,
    };
    let markers = question
        .run(index, cancel)?
        .into_iter()
        .filter(|hit| hit.step == Some(step));
    let mut system_call = None;
    let traps = markers.filter_map(|hit| match hit.marker.kind {
        MarkerKind::SYSTEM_CALL => {
            system_call = Some(hit.marker.value);
            None
        }
        _ => Some(Trap {
            number: hit.marker.value,
            system_call: system_call.take(),
        }),
    });
    Ok(traps
        .collect::<Vec<_>>()
        .get(place_among(index, call))
        .copied())
}

/// Returns the number of enclosing handlers entered after the same step, interrupted before their
/// first instruction.
fn place_among(index: &Index, call: &Call) -> usize {
    let calls = index.calls();
    let parent = |frame: &Call| frame.parent.and_then(|parent| calls.get(parent));
    std::iter::successors(parent(call), parent)
        .take(MARKERS)
        .take_while(|frame| {
            frame.call_step == call.call_step && frame.entered == FrameEntry::Exception
        })
        .count()
}

/// Maximum number of markers per query.
const BATCH: usize = 4096;

/// Returns the frames of handlers that only move register windows (spills, fills and window
/// cleaning), in order.
///
/// Cost: the list of all traps, and a lookup in the call table for each of these.
///
/// # Errors
/// See [`QueryError`].
pub fn window_trap_frames(index: &Index, cancel: &Cancel) -> Result<Vec<CallId>, QueryError> {
    let (mut frames, mut from) = (Vec::new(), Position(0));
    loop {
        let kinds = vec![MarkerKind::TRAP];
        let hits = FindMarkers {
            kinds,
            thread: None,
            from,
            to: index.end(),
            limit: BATCH,
        }
        .run(index, cancel)?;
        let traps = hits.iter().filter(|hit| {
            index
                .instruction_set(hit.thread)
                .is_window_trap(hit.marker.value)
        });
        frames.extend(traps.filter_map(|hit| index.calls().called_by(hit.thread, hit.step?)));
        match hits
            .last()
            .filter(|last| hits.len() >= BATCH && last.position < index.end())
        {
            Some(last) => from = Position(last.position.0.saturating_add(1)),
            None => break,
        }
    }
    frames.retain(|id| {
        index
            .calls()
            .get(*id)
            .is_some_and(|call| call.entered == FrameEntry::Exception)
    });
    frames.sort_unstable();
    frames.dedup();
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::{overflow, tarmac};

    #[test]
    fn handlers_are_gone_to_both_ways() {
        let interrupted = "\
            1 clk IT (1) 00001004 d4000001 O EL0t_n : SVC #0\n\
            1 clk E 00001008 00000044 CoreEvent_LOWER_64_SYNC\n\
            2 clk IT (2) 00008400 d503201f O EL1h_n : NOP\n\
            3 clk IT (3) 00008404 d69f03e0 O EL1h_n : ERET\n\
            4 clk IT (4) 00001008 d4000001 O EL0t_n : SVC #0\n\
            4 clk E 0000100c 00000044 CoreEvent_LOWER_64_SYNC\n\
            5 clk IT (5) 00008400 d503201f O EL1h_n : NOP\n\
            6 clk IT (6) 00008404 d69f03e0 O EL1h_n : ERET\n\
            7 clk IT (7) 0000100c d503201f O EL0t_n : NOP\n";
        let ((session, _place), cancel) = (tarmac(interrupted), Cancel::default());
        let go = |from, direction| {
            let found = next_exception(&session.index, Position(from), direction, &cancel).unwrap();
            found.map(|at| at.0)
        };
        assert_eq!(
            [0, 1, 4].map(|from| go(from, Direction::Forward)),
            [Some(1), Some(4), None]
        );
        assert_eq!(
            [7, 4, 1].map(|from| go(from, Direction::Back)),
            [Some(4), Some(1), None]
        );
    }

    #[test]
    fn the_end_of_a_trace_may_be_an_exception() {
        let (session, cancel) = (overflow(), Cancel::default());
        let go = |from, direction| {
            next_exception(&session.index, Position(from), direction, &cancel).unwrap()
        };
        let end = session.index.end();
        assert_eq!(go(0, Direction::Forward), Some(end));
        assert_eq!(go(end.0, Direction::Forward), None);
        assert_eq!(go(end.0, Direction::Back), None);
    }
}
