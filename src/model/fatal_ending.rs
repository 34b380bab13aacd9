//! Traces that end where the program died.
//!
//! The recorder ends a fatal signal badly: the access that failed looks like any other, a few instructions
//! that never ran may follow it, and nothing tells of the signal.
//! So a trace that does not end by a system call that exits is looked at: whoever accessed an impossible address
//! in his last steps, or sent himself a signal, has most likely died of it.

use anyhow::Result;
use stepback_index::{Access, AccessTarget, Cancel, Effect, LastStepOf, Query as _, StepRecord, Steps, ThreadId};
use stepback_machine::{AccessKind, InstructionSet, linux::system_call_name};
use stepback_parsers::{MarkerKind, RegisterSource, Source as _, Step};

use super::text::thousands;
use crate::session::Session;

/// So far before the end of a thread its last access may lie: the recorder goes on for some blocks.
const TAIL: u64 = 64;
/// Threads are looked at until so many have been.
const THREADS: usize = 256;
/// Linux maps nothing below.
const LOWEST_MAPPED: u64 = 0x1_0000;

/// Where a program most likely died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatalEnding {
    /// The step.
    pub step: Step,
    /// Steps of its thread that follow, which may not have run.
    pub steps_behind: u64,
    /// What it did.
    pub cause: FatalCause,
}

/// What a program died of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FatalCause {
    /// An access to an address where nothing can be.
    Access {
        /// Load or store.
        kind: AccessKind,
        /// Where.
        address: u64,
    },
    /// A signal that it sent itself, by this system call.
    Raised(&'static str),
}

impl FatalEnding {
    /// What is to be said below the last step.
    pub fn sentence(&self) -> String {
        match &self.cause {
            FatalCause::Access { kind, address } => {
                let verb = if *kind == AccessKind::Read { "load from" } else { "store to" };
                let behind = match self.steps_behind {
                    0 => String::new(),
                    1 => ", and the step behind it may not have run".to_owned(),
                    many => format!(", and the {} steps behind it may not have run", thousands(many)),
                };
                format!(
                    "No exit: most likely a fatal signal. The recorder ends these badly: the {verb} {address:#x} looks completed{behind}"
                )
            }
            FatalCause::Raised(call) => {
                format!("No exit: most likely a fatal signal, which the program sent itself with {call}")
            }
        }
    }
}

/// Where the program most likely died; none when it exits, or when nothing tells. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn fatal_ending(session: &Session, cancel: &Cancel) -> Result<Option<FatalEnding>> {
    let index = &session.index;
    if index.source().traits().registers == RegisterSource::Recorded || !index.is_whole() {
        return Ok(None);
    }
    let mut found: Option<FatalEnding> = None;
    for thread in (0..index.threads().len().min(THREADS)).filter_map(|number| u16::try_from(number).ok()) {
        cancel.check()?;
        let thread = ThreadId(thread);
        let Some(last) = LastStepOf { thread, before: index.end() }.run(index, cancel)? else { continue };
        let first = Step(last.0.saturating_sub(TAIL - 1));
        let mut tail = Steps { first, count: last.0 - first.0 + 1 }.run(index, cancel)?;
        tail.retain(|record| record.thread == thread);
        match ending_of(&tail) {
            // The program as a whole exited, so it did not die.
            Ending::Exit => return Ok(None),
            Ending::Fatal(ending) => found = found.filter(|known| known.step > ending.step).or(Some(ending)),
            Ending::Unknown => {}
        }
    }
    Ok(found)
}

/// How a thread ends.
enum Ending {
    Exit,
    Fatal(FatalEnding),
    Unknown,
}

fn ending_of(tail: &[StepRecord]) -> Ending {
    let mut fatal = None;
    for (record, place) in tail.iter().zip(0u64..) {
        let behind = (tail.len() as u64).saturating_sub(place + 1);
        for effect in &record.effects {
            match effect {
                Effect::Access(access) if fatal.is_none() => {
                    let cause = impossible_access(access, record);
                    fatal = cause.map(|cause| FatalEnding { step: record.step, steps_behind: behind, cause });
                }
                Effect::Marker(marker) => match marker.kind {
                    // A signal whose handler is there has not killed.
                    MarkerKind::KERNEL_EVENT | MarkerKind::KERNEL_TRANSFER => fatal = None,
                    MarkerKind::SYSTEM_CALL => match system_call_name(record.instruction_set, marker.value) {
                        Some("exit_group") => return Ending::Exit,
                        Some("exit") if behind == 0 => return Ending::Unknown,
                        Some(name @ ("kill" | "tkill" | "tgkill")) if behind == 0 => {
                            let cause = FatalCause::Raised(name);
                            fatal = Some(FatalEnding { step: record.step, steps_behind: 0, cause });
                        }
                        _ => {}
                    },
                    _ => {}
                },
                _ => {}
            }
        }
    }
    fatal.map_or(Ending::Unknown, Ending::Fatal)
}

fn impossible_access(access: &Access, record: &StepRecord) -> Option<FatalCause> {
    let AccessTarget::Memory { address, .. } = access.target else { return None };
    let is_kernel_code = record.pc.0 >> 63 != 0;
    let is_wild = match record.instruction_set {
        // Between the halves of the address space; with five levels of tables they reach to bit 56.
        InstructionSet::X86_64 | InstructionSet::Regdeps => {
            let top = address.0 >> 56;
            !matches!(top, 0 | 0xff) || (top == 0xff && !is_kernel_code)
        }
        InstructionSet::A64 | InstructionSet::Riscv64 => address.0 >> 56 != 0 && !is_kernel_code,
        InstructionSet::X86_32 | InstructionSet::A32 | InstructionSet::T32 => false,
    };
    let is_impossible = is_wild || (address.0 < LOWEST_MAPPED && !is_kernel_code);
    is_impossible.then_some(FatalCause::Access { kind: access.kind, address: address.0 })
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{TraceWriter, kind, marker};

    use super::*;
    use crate::model::test_session::drmemtrace;

    #[track_caller]
    fn check(write: impl FnOnce(&mut TraceWriter), expected: &str) {
        let (session, _place) = drmemtrace(|writer| {
            writer.instruction(0x40_1000, &[0x48, 0x8b, 0x07]);
            writer.read(0x7ffd_0000, 8);
            write(writer);
        });
        let ending = fatal_ending(&session, &Cancel::default()).unwrap();
        assert_eq!(
            ending.map_or_else(String::new, |ending| format!("{}: {}", ending.step.0, ending.sentence())),
            expected
        );
    }

    fn load(writer: &mut TraceWriter, address: u64) {
        writer.instruction(0x40_1003, &[0x48, 0x8b, 0x07]);
        writer.read(address, 8);
        writer.instruction(0x40_1006, &[0x90]);
        writer.instruction(0x40_1007, &[0x90]);
    }

    fn system_call(writer: &mut TraceWriter, number: u64) {
        writer.instruction(0x40_1008, &[0x0f, 0x05]);
        writer.marker(marker::SYSTEM_CALL, number);
    }

    #[test]
    fn an_access_where_nothing_can_be_was_the_last_thing() {
        let words = "No exit: most likely a fatal signal. The recorder ends these badly: the load from";
        let behind = "looks completed, and the 2 steps behind it may not have run";
        check(|writer| load(writer, 0x18), &format!("1: {words} 0x18 {behind}"));
        check(|writer| load(writer, 0x4141_4141_4141), "");
        check(|writer| load(writer, 0x0141_4141_4141_4141), &format!("1: {words} 0x141414141414141 {behind}"));
    }

    #[test]
    fn who_exits_or_handles_the_signal_has_not_died_of_it() {
        check(|writer| load(writer, 0x7ffd_0008), "");
        check(
            |writer| {
                load(writer, 0x18);
                system_call(writer, 231);
            },
            "",
        );
        check(
            |writer| {
                load(writer, 0x18);
                writer.marker(marker::KERNEL_EVENT, 0x40_1003);
                writer.branch(kind::INSTRUCTION, 0x40_2000, &[0x90], None);
            },
            "",
        );
    }

    #[test]
    fn a_signal_of_its_own_ends_a_program_too() {
        let words = "No exit: most likely a fatal signal, which the program sent itself with tgkill";
        check(|writer| system_call(writer, 234), &format!("1: {words}"));
        check(
            |writer| {
                system_call(writer, 234);
                writer.instruction(0x40_100a, &[0x90]);
            },
            "",
        );
    }
}
