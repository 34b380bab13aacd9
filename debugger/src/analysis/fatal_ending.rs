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

/// The step at which a program most likely died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatalEnding {
    pub step: Step,
    /// Number of later steps of its thread, which may not have run.
    pub steps_after: u64,
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
/// Runs on a worker. Cost: a lookup and the text of `TAIL` steps for each thread.
///
/// # Errors
/// See [`QueryError`].
pub fn fatal_ending(index: &Index, cancel: &Cancel) -> Result<Option<FatalEnding>, QueryError> {
    if index.source().traits().registers == RegisterSource::Recorded || !index.is_whole() {
        return Ok(None);
    }
    // In a damaged trace, the exit may be what is missing, and an address may be wrong.
    if index.warnings().iter().any(|warning| !warning.is_of_time()) {
        return Ok(None);
    }
    let mut found: Option<FatalEnding> = None;
    for (thread, _) in (0..=u16::MAX).map(ThreadId).zip(index.threads()) {
        cancel.check()?;
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
    let effects = tail.iter().flat_map(|record| &record.effects);
    let mut crossings = effects.filter_map(|effect| match effect {
        Effect::Marker(marker) => privilege_after(marker.kind),
        _ => None,
    });
    // Before a return to the program, the kernel ran.
    let mut privilege = match crossings.next() {
        Some(Privilege::User) => Privilege::Kernel,
        Some(Privilege::Kernel) | None => Privilege::User,
    };
    for (record, place) in tail.iter().zip(0u64..) {
        let behind = (tail.len() as u64).saturating_sub(place + 1);
        for effect in &record.effects {
            match effect {
                Effect::Access(access) if fatal.is_none() => {
                    let cause = impossible_access(access, record, privilege);
                    fatal = cause.map(|cause| FatalEnding {
                        step: record.step,
                        steps_after: behind,
                        cause,
                    });
                }
                Effect::Marker(marker) => match marker.kind {
                    kind if let Some(after) = privilege_after(kind) => privilege = after,
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
                                    steps_after: 0,
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

/// Returns who runs after a marker that begins or ends steps of the kernel; `None` for others.
fn privilege_after(kind: MarkerKind) -> Option<Privilege> {
    match kind {
        MarkerKind::SYSTEM_CALL_START
        | MarkerKind::CONTEXT_SWITCH_START
        | MarkerKind::HARDWARE_EVENT => Some(Privilege::Kernel),
        MarkerKind::SYSTEM_CALL_END
        | MarkerKind::CONTEXT_SWITCH_END
        | MarkerKind::HARDWARE_RETURN => Some(Privilege::User),
        _ => None,
    }
}

/// Returns the access as a cause of death if nothing can be mapped at its address. `privilege` is
/// what the markers say; a 64-bit address of the code decides for certain.
fn impossible_access(
    access: &Access,
    record: &StepRecord,
    privilege: Privilege,
) -> Option<FatalCause> {
    let AccessTarget::Memory { address, .. } = access.target else {
        return None;
    };
    let set = record.instruction_set;
    let privilege = if set.is_kernel_address(record.pc.0) {
        Privilege::Kernel
    } else {
        privilege
    };
    let is_unmapped = address.0 < set.lowest_mapped() && privilege == Privilege::User;
    let is_impossible = is_unmapped || !set.is_canonical(address.0, privilege);
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

impl ThreadEnding {
    /// Returns the word for it in machine-readable output; none without a recorded end.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::Ended => Some("ended"),
            Self::Exit => Some("exit"),
            Self::ExitGroup => Some("exit_group"),
            Self::WithProcess => Some("with_process"),
            Self::Killed => Some("killed"),
        }
    }

    /// Returns how a thread ended, judging from its own records only: its last step, and the lane
    /// with the facts from its markers.
    pub fn of(
        thread: ThreadId,
        last_step: Option<Step>,
        lane: Option<&ThreadLane>,
        index: &Index,
    ) -> Self {
        let Some(lane) = lane.filter(|lane| lane.has_ended) else {
            return Self::Open;
        };
        let Some((at, number)) = lane.last_call else {
            return Self::Ended;
        };
        // The thread did nothing after its last system call.
        let is_last = last_step.is_none_or(|last| last.after() <= at);
        let name = index.instruction_set(thread).system_call_name(number);
        match name.filter(|_| is_last) {
            Some("exit") => Self::Exit,
            Some("exit_group") => Self::ExitGroup,
            _ => Self::Killed,
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{
        Architecture, Container, SampleFile, TraceRecipe, TraceWriter, marker,
    };

    use super::*;
    use crate::session::test_session::recorded;

    /// Creates the file of a thread that executes one instruction.
    fn file(recipe: TraceRecipe, write: impl FnOnce(&mut TraceWriter)) -> SampleFile {
        let mut writer = TraceWriter::new(recipe);
        writer.time(13_400_000_000_000_000, 0);
        writer.instruction(0x40_1000, &[0x90; 4]);
        write(&mut writer);
        let records = writer.finish();
        SampleFile {
            name: format!("drmemtrace.app.{}.0001.trace", recipe.tid),
            bytes: records.pack(Container::Plain),
            truth: records.truth,
        }
    }

    #[track_caller]
    fn check(
        architecture: Architecture,
        write: impl FnOnce(&mut TraceWriter),
        expected: Option<u64>,
    ) {
        let recipe = TraceRecipe {
            architecture,
            ..TraceRecipe::default()
        };
        let (session, _place) = recorded(&[file(recipe, write)]);
        let ending = fatal_ending(&session.index, &Cancel::default()).unwrap();
        let address = ending.map(|ending| match ending.cause {
            FatalCause::Access { address, .. } => address,
            FatalCause::Raised(call) => panic!("{call}"),
        });
        assert_eq!(address, expected, "{architecture:?}");
    }

    /// Records that make no sense may have replaced the exit, or an address.
    #[test]
    fn a_damaged_trace_gives_no_reason_to_suppose_a_signal() {
        let mut cut = file(TraceRecipe::default(), |writer| writer.read(0x18, 8));
        let (whole, _place) = recorded(std::slice::from_ref(&cut));
        assert_eq!(whole.index.warnings(), []);
        assert!(
            fatal_ending(&whole.index, &Cancel::default())
                .unwrap()
                .is_some()
        );
        // A record has 12 bytes.
        cut.bytes.truncate(cut.bytes.len() - 5);
        let (damaged, _place) = recorded(&[cut]);
        assert!(!damaged.index.warnings().is_empty());
        assert_eq!(
            fatal_ending(&damaged.index, &Cancel::default()).unwrap(),
            None
        );
    }

    /// `vm.mmap_min_addr` is 64 KiB on x86, but at most 32 KiB on Arm.
    #[test]
    fn the_lowest_address_that_is_mapped_depends_on_the_architecture() {
        for (architecture, address, expected) in [
            (Architecture::X86_64, 0x9000, Some(0x9000)),
            (Architecture::X86_64, 0x1_0000, None),
            (Architecture::X86_32, 0x9000, Some(0x9000)),
            (Architecture::A64, 0x9000, None),
            (Architecture::A64, 0x7ff8, Some(0x7ff8)),
            (Architecture::Arm, 0x9000, None),
            (Architecture::Arm, 0x7ff8, Some(0x7ff8)),
        ] {
            check(architecture, |writer| writer.read(address, 4), expected);
        }
    }

    #[test]
    fn a_32_bit_kernel_may_access_low_addresses() {
        let call = |writer: &mut TraceWriter| {
            writer.marker(marker::SYSTEM_CALL, 20);
            writer.marker(marker::SYSTEM_CALL_START, 20);
            writer.instruction(0xc010_0000, &[0x90; 4]);
            writer.read(0x18, 4);
            writer.marker(marker::SYSTEM_CALL_END, 20);
            writer.instruction(0x40_1004, &[0x90; 4]);
        };
        check(Architecture::X86_32, call, None);
        let call_and_die = |writer: &mut TraceWriter| {
            call(writer);
            writer.read(0x20, 4);
        };
        check(Architecture::X86_32, call_and_die, Some(0x20));
    }

    #[test]
    fn the_last_of_many_threads_is_examined_too() {
        let of_thread = |tid| {
            let recipe = TraceRecipe {
                tid,
                ..TraceRecipe::default()
            };
            let address = if tid == 300 { 0x18 } else { 0x7ffd_0000 };
            file(recipe, |writer| writer.read(address, 8))
        };
        let (session, _place) = recorded(&(1..=300).map(of_thread).collect::<Vec<_>>());
        let ending = fatal_ending(&session.index, &Cancel::default()).unwrap();
        assert!(ending.is_some());
    }
}
