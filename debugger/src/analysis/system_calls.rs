//! System calls, reconstructed from the markers of a trace.

use std::collections::{BTreeMap, HashMap};

use stepback_index::answer::{MarkerHit, ThreadId};
use stepback_index::query::FindMarkers;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::InstructionSet;
use stepback_machine::convention::SystemCallFailure;
use stepback_machine::linux::LARGEST_ERROR;
use stepback_parsers::{MarkerKind, Position, Step, traced_system_call};

/// Markers that describe calls.
const KINDS: [MarkerKind; 9] = [
    MarkerKind::VERSION,
    MarkerKind::TIMESTAMP,
    MarkerKind::SYSTEM_CALL,
    MarkerKind::SYSTEM_CALL_END,
    MarkerKind::HARDWARE_RETURN,
    MarkerKind::FUNCTION,
    MarkerKind::ARGUMENT,
    MarkerKind::RETURN_VALUE,
    MarkerKind::SYSTEM_CALL_FAILED,
];
/// Maximum number of markers per query.
const BATCH: usize = 4096;
/// First version in which the time after a call is that of its return; earlier ones repeat the time
/// before it.
const TIMES_VERSION: u64 = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemCall {
    pub thread: ThreadId,
    /// Step that made the call; `None` for a thread that began inside the call.
    pub step: Option<Step>,
    pub number: u64,
    /// The recorded arguments; `None` if none were recorded.
    pub arguments: Option<Vec<u64>>,
    /// Return value, if the call returned and it was recorded.
    pub result: Option<u64>,
    /// Error number, if the trace records that the call failed.
    pub error: Option<u64>,
    /// Microseconds from entry to return, if the trace has both times.
    pub latency_micros: Option<u64>,
    /// Time of entry.
    pub time: Option<u64>,
}

/// Passes the system calls of a trace to `each`, those of each thread in order.
///
/// Cost: the lists of their markers.
///
/// # Errors
/// See [`QueryError`].
pub fn system_calls(
    index: &Index,
    cancel: &Cancel,
    each: &mut dyn FnMut(&SystemCall),
) -> Result<(), QueryError> {
    let set = index.source().traits().instruction_set;
    let mut threads: HashMap<ThreadId, SystemCallTracker> = HashMap::new();
    // A call is passed on when the next one of its thread begins, or at the end of the trace.
    let mut from = Position(0);
    loop {
        let query = FindMarkers {
            kinds: KINDS.to_vec(),
            thread: None,
            from,
            to: index.end(),
            limit: BATCH,
        };
        let hits = query.run(index, cancel)?;
        for hit in &hits {
            let state = threads.entry(hit.thread).or_default();
            if let Some(done) = state.take(hit, &|id| traced_system_call(id, set)) {
                each(&done);
            }
        }
        match hits
            .last()
            .filter(|last| hits.len() >= BATCH && last.position < index.end())
        {
            Some(last) => from = Position(last.position.0 + 1),
            None => break,
        }
    }
    let mut rest: Vec<_> = threads
        .into_values()
        .filter_map(|state| state.open)
        .collect();
    rest.sort_by_key(|call| (call.step, call.thread));
    rest.iter().for_each(each);
    Ok(())
}

/// Totals of the calls with one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemCallTotal {
    pub number: u64,
    /// Number of calls.
    pub count: u64,
    /// Number of failed calls among those with a known result; `None` if no result is known.
    pub failed: Option<u64>,
    /// Total time of the calls with known times.
    pub latency_micros: Option<u64>,
    /// Number of calls with known times.
    pub timed: u64,
}

/// Returns totals by number, the most frequent first, equal ones by number.
pub fn system_call_totals(calls: &[SystemCall], set: InstructionSet) -> Vec<SystemCallTotal> {
    let mut totals: BTreeMap<u64, SystemCallTotal> = BTreeMap::new();
    for call in calls {
        let total = totals.entry(call.number).or_default();
        total.number = call.number;
        total.count += 1;
        if call.is_ending_stated(set) {
            total.failed = Some(total.failed.unwrap_or(0) + u64::from(call.failure(set).is_some()));
        }
        if let Some(micros) = call.latency_micros {
            total.latency_micros = Some(total.latency_micros.unwrap_or(0).saturating_add(micros));
            total.timed += 1;
        }
    }
    let mut totals: Vec<_> = totals.into_values().collect();
    totals.sort_by_key(|total| std::cmp::Reverse(total.count));
    totals
}

/// State of a thread.
#[derive(Debug, Default)]
struct SystemCallTracker {
    version: u64,
    /// The latest time, and the step before it.
    time: Option<(u64, Option<Step>)>,
    /// The last call; later markers may add to it.
    open: Option<SystemCall>,
    /// Step after which the end of the call is recorded: the call's own, or the kernel's last.
    end: Option<Step>,
    /// The present markers describe the call, not a function.
    is_about_call: bool,
}

impl SystemCallTracker {
    /// Processes a marker. Returns the previous call when a new one begins.
    fn take(
        &mut self,
        hit: &MarkerHit,
        system_call: &dyn Fn(u64) -> Option<u64>,
    ) -> Option<SystemCall> {
        let value = hit.marker.value;
        if hit.marker.kind == MarkerKind::SYSTEM_CALL {
            return self.begin(hit);
        }
        match hit.marker.kind {
            MarkerKind::VERSION => self.version = value,
            MarkerKind::TIMESTAMP => {
                self.end_time(hit);
                self.time = Some((value, hit.step));
            }
            // A fully recorded kernel returns like any other handler.
            MarkerKind::SYSTEM_CALL_END | MarkerKind::HARDWARE_RETURN => self.end = hit.step,
            MarkerKind::FUNCTION => {
                let number = self.open.as_ref().map(|call| call.number);
                self.is_about_call =
                    self.end == hit.step && system_call(value).is_some_and(|id| Some(id) == number);
                if let Some(call) = self.open.as_mut().filter(|_| self.is_about_call) {
                    call.arguments.get_or_insert_default();
                }
            }
            kind => {
                if let Some(call) = self.open.as_mut().filter(|_| self.is_about_call) {
                    call.tell(kind, value);
                }
            }
        }
        None
    }

    fn begin(&mut self, hit: &MarkerHit) -> Option<SystemCall> {
        let time = self
            .time
            .filter(|(_, step)| *step == hit.step)
            .map(|(time, _)| time);
        (self.end, self.is_about_call) = (hit.step, false);
        self.open.replace(SystemCall {
            thread: hit.thread,
            step: hit.step,
            number: hit.marker.value,
            arguments: None,
            result: None,
            error: None,
            latency_micros: None,
            time,
        })
    }

    /// Takes the first time after a call as that of its return.
    fn end_time(&mut self, hit: &MarkerHit) {
        let is_known = self.version >= TIMES_VERSION && self.end == hit.step;
        let Some(call) = self
            .open
            .as_mut()
            .filter(|call| is_known && call.latency_micros.is_none())
        else {
            return;
        };
        call.latency_micros = call
            .time
            .and_then(|time| hit.marker.value.checked_sub(time));
    }
}

impl SystemCall {
    fn tell(&mut self, kind: MarkerKind, value: u64) {
        match kind {
            MarkerKind::ARGUMENT => self.arguments.get_or_insert_default().push(value),
            MarkerKind::RETURN_VALUE => self.result = Some(value),
            MarkerKind::SYSTEM_CALL_FAILED => self.error = Some(value),
            _ => {}
        }
    }

    /// Returns the number of the error with which the call failed.
    pub fn failure(&self, set: InstructionSet) -> Option<u64> {
        let negated = || {
            self.result
                .filter(|_| tells_failure(set))
                .map(u64::wrapping_neg)
        };
        self.error
            .or_else(|| negated().filter(|error| (1..=LARGEST_ERROR).contains(error)))
    }

    /// Returns true if it is known whether the call failed.
    fn is_ending_stated(&self, set: InstructionSet) -> bool {
        self.error.is_some() || self.result.is_some() && tells_failure(set)
    }
}

/// Returns true if the result itself indicates failure.
fn tells_failure(set: InstructionSet) -> bool {
    set.abi().system_calls.failure == SystemCallFailure::Negative
}
