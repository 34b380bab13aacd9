//! Traps: the trap that a frame handles, if recorded, and the frames that only move register
//! windows.

use stepback_index::{
    Call, CallId, Cancel, FindMarkers, FrameEntry, Index, Query as _, QueryError,
};
use stepback_parsers::{MarkerKind, Position};

/// Maximum number of markers per step that are examined.
const MARKERS: usize = 64;

/// A trap.
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
