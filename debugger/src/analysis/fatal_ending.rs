//! Infers how threads ended, and detects traces that end where the program died.
//!
//! The recorder handles a fatal signal badly. The failed access looks like any other, a few
//! instructions that never ran may follow it, and nothing reports the signal. So suppose that the
//! trace does not end with a system call that exits. Then a thread most likely died if it accessed
//! an impossible address in its last steps, or sent itself a signal.

use stepback_index::answer::{Access, AccessTarget, Effect, StepRecord, ThreadId};
use stepback_index::query::{NearestStepOf, Steps};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::AccessKind;
use stepback_machine::convention::Privilege;
use stepback_parsers::{MarkerKind, RegisterSource, Step};

use crate::analysis::schedule::ThreadLane;

/// Maximum distance in steps between a fatal access and the end of its thread: the recorder
/// continues for some blocks.
const TAIL: u64 = 64;
/// Maximum number of threads that are examined.
const THREADS: usize = 256;
/// Lowest address that Linux maps.
const LOWEST_MAPPED: u64 = 0x1_0000;

/// The step at which a program most likely died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatalEnding {
    pub step: Step,
    /// Number of later steps of its thread, which may not have run.
    pub steps_behind: u64,
    pub cause: FatalCause,
}

/// Cause of death of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FatalCause {
    /// An access to an address that cannot be mapped.
    Access {
        /// Load or store.
        kind: AccessKind,
        /// Accessed address.
        address: u64,
    },
    /// A signal that the program sent itself with this system call.
    Raised(&'static str),
}

/// Returns where the program most likely died; `None` if it exits or nothing indicates a death.
/// Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn fatal_ending(index: &Index, cancel: &Cancel) -> Result<Option<FatalEnding>, QueryError> {
    if index.source().traits().registers == RegisterSource::Recorded || !index.is_whole() {
        return Ok(None);
    }
    let mut found: Option<FatalEnding> = None;
    for thread in
        (0..index.threads().len().min(THREADS)).filter_map(|number| u16::try_from(number).ok())
    {
        cancel.check()?;
        let thread = ThreadId(thread);
        let Some(last) = NearestStepOf::last(thread, index.end()).run(index, cancel)? else {
            continue;
        };
        let first = Step(last.0.saturating_sub(TAIL - 1));
        let mut tail = Steps {
            first,
            count: last.0 - first.0 + 1,
        }
        .run(index, cancel)?;
        tail.retain(|record| record.thread == thread);
        match ending_of(&tail) {
            // The program exited as a whole, so it did not die.
            TailVerdict::Exit => return Ok(None),
            TailVerdict::Fatal(ending) => {
                found = found
                    .filter(|known| known.step > ending.step)
                    .or(Some(ending))
            }
            TailVerdict::Unknown => {}
        }
    }
    Ok(found)
}

/// Verdict on the last steps of a thread.
enum TailVerdict {
    Exit,
    Fatal(FatalEnding),
    Unknown,
}

fn ending_of(tail: &[StepRecord]) -> TailVerdict {
    let mut fatal = None;
    for (record, place) in tail.iter().zip(0u64..) {
        let behind = (tail.len() as u64).saturating_sub(place + 1);
        for effect in &record.effects {
            match effect {
                Effect::Access(access) if fatal.is_none() => {
                    let cause = impossible_access(access, record);
                    fatal = cause.map(|cause| FatalEnding {
                        step: record.step,
                        steps_behind: behind,
                        cause,
                    });
                }
                Effect::Marker(marker) => match marker.kind {
                    // A signal with a handler did not kill the program.
                    MarkerKind::KERNEL_EVENT | MarkerKind::KERNEL_TRANSFER => fatal = None,
                    MarkerKind::SYSTEM_CALL => {
                        match record.instruction_set.system_call_name(marker.value) {
                            Some("exit_group") => return TailVerdict::Exit,
                            Some("exit") if behind == 0 => return TailVerdict::Unknown,
                            Some(name @ ("kill" | "tkill" | "tgkill")) if behind == 0 => {
                                let cause = FatalCause::Raised(name);
                                fatal = Some(FatalEnding {
                                    step: record.step,
                                    steps_behind: 0,
                                    cause,
                                });
                            }
                            _ => {}
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    fatal.map_or(TailVerdict::Unknown, TailVerdict::Fatal)
}

fn impossible_access(access: &Access, record: &StepRecord) -> Option<FatalCause> {
    let AccessTarget::Memory { address, .. } = access.target else {
        return None;
    };
    let is_kernel_code = record.pc.0 >> 63 != 0;
    let privilege = if is_kernel_code {
        Privilege::Kernel
    } else {
        Privilege::User
    };
    let is_wild = !record.instruction_set.is_canonical(address.0, privilege);
    let is_impossible = is_wild || (address.0 < LOWEST_MAPPED && !is_kernel_code);
    is_impossible.then_some(FatalCause::Access {
        kind: access.kind,
        address: address.0,
    })
}

/// The end of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadEnding {
    /// The trace does not record an end.
    Open,
    /// It called `exit`.
    Exit,
    /// It called `exit_group`.
    ExitGroup,
    /// Another thread of its process called `exit_group`.
    WithProcess,
    /// It ended. The trace has no system calls that say how.
    Ended,
    /// It ended without an exit call: by a signal, or at the end of the recording. This is a guess.
    Killed,
}

/// Evidence for the end of a thread.
#[derive(Clone, Copy, Debug)]
pub struct EndingEvidence<'a> {
    pub thread: ThreadId,
    pub last_step: Option<Step>,
    /// Lane with the facts from its markers.
    pub lane: Option<&'a ThreadLane>,
}

impl EndingEvidence<'_> {
    /// Returns how the thread ended, judging from its own records only.
    pub fn ending(&self, index: &Index) -> ThreadEnding {
        let Some(lane) = self.lane.filter(|lane| lane.has_ended) else {
            return ThreadEnding::Open;
        };
        if lane.last_call.is_none() {
            return ThreadEnding::Ended;
        }
        match self.last_call(lane, index) {
            Some("exit") => ThreadEnding::Exit,
            Some("exit_group") => ThreadEnding::ExitGroup,
            _ => ThreadEnding::Killed,
        }
    }

    /// Returns the system call after which the thread did nothing.
    fn last_call(&self, lane: &ThreadLane, index: &Index) -> Option<&'static str> {
        let (at, number) = lane.last_call?;
        let is_last = self.last_step.is_none_or(|last| last.after() <= at);
        index
            .instruction_set(self.thread)
            .system_call_name(number)
            .filter(|_| is_last)
    }
}
