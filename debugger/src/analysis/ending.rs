//! Detects traces that end badly: in an exception, in the handler of a fault or a fatal signal, in
//! a failed assertion, or where records were lost.
//!
//! An open frame on the call stack at the end is the evidence; the outermost such frame is the
//! first thing that went wrong. A handler that continues to work is no evidence: operating systems
//! map pages in theirs. The guess about programs that a signal killed is in
//! [`crate::analysis::fatal_ending`].

use stepback_index::answer::{AccessTarget, Call, Effect, FrameEntry, StepRecord, ThreadId};
use stepback_index::query::{FindMarkers, NearestStepOf, NearestVisit, Steps};
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::linux::signal_name;
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{
    AccessKind, Address, CodeSite, Instruction, InstructionSet, RegisterView, decode,
};
use stepback_parsers::{GapReason, MarkerKind, Position, Step};

use crate::action::CellName;
use crate::analysis::exceptions::trap_of;
use crate::analysis::fatal_ending::{FatalCause, FatalEnding, fatal_ending};
use crate::image::{Images, MappedRange, function_name};
use crate::messages::say;
use crate::session::Session;

/// The bad end of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEnding {
    pub cause: EndingCause,
    /// The step during or after which it happened.
    pub step: Step,
    /// Cell whose value explains it, and the position at which it has the value.
    pub culprit: Option<(CellName, Position)>,
}

/// Reason why a trace ends badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndingCause {
    /// A fault.
    Exception {
        /// Name from the trace or the architecture.
        name: String,
        /// Destination of the jump, call or return that caused it.
        target: Option<JumpTarget>,
        /// First instruction of the handler; none if the trace ends before it.
        handler: Option<Address>,
    },
    /// An interrupt of a watchdog timer.
    Watchdog { handler: Address },
    /// A signal with a handler in which the program ends.
    Signal(u64),
    /// A function that reports a failed assertion or ends the program.
    Assertion(Address),
    /// Records were lost, and none follow.
    Lost,
    /// Most likely a fatal signal.
    Fatal(FatalEnding),
}

impl EndingCause {
    /// Describes what happened, as a sentence without a full stop.
    pub fn title(&self, images: &Images) -> String {
        let name = |address| function_name(images, address);
        match self {
            Self::Exception {
                name: exception,
                target: Some(target),
                ..
            } => {
                let (to, exception) = (format!("{:#x}", target.address.0), exception.clone());
                match target.is_without_code {
                    true => say!("ending-no-code", target = to, exception = exception),
                    false => say!("ending-jump", target = to, exception = exception),
                }
            }
            Self::Exception {
                name: exception,
                handler,
                ..
            } => match handler {
                Some(handler) => say!(
                    "ending-handler",
                    exception = exception.clone(),
                    handler = name(*handler)
                ),
                None => say!("ending-exception", exception = exception.clone()),
            },
            Self::Watchdog { handler } => say!("ending-watchdog", handler = name(*handler)),
            Self::Signal(number) => say!(
                "ending-signal",
                signal = signal_name(*number).unwrap_or_default()
            ),
            Self::Assertion(function) => say!("ending-assertion", function = name(*function)),
            Self::Lost => say!("ending-lost").to_owned(),
            Self::Fatal(fatal) => match &fatal.cause {
                FatalCause::Access { kind, address } => {
                    let address = format!("{address:#x}");
                    match kind {
                        AccessKind::Read => say!("ending-fatal-load", address = address),
                        AccessKind::Write => say!("ending-fatal-store", address = address),
                    }
                }
                FatalCause::Raised(call) => say!("ending-raised", call = (*call).to_owned()),
            },
        }
    }
}

/// Destination of a jump that caused an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpTarget {
    pub address: Address,
    /// The program is known to have no code there.
    pub is_without_code: bool,
}

/// Number of steps at the end that show whether a handler goes on.
const TAIL: u64 = 16;
/// Maximum number of different instructions of an endless loop.
const LOOP: usize = 4;
/// Maximum number of frames examined, innermost first.
const FRAMES: usize = 4096;
/// Maximum number of frames of exceptions whose causes are read.
const EXCEPTIONS: usize = 64;

/// Returns how a trace ends badly; `None` if nothing indicates that it does, or while only a part of
/// it is indexed. Runs on a worker.
///
/// Cost: the last frames of one thread, and that of [`fatal_ending`].
///
/// # Errors
/// See [`QueryError`].
pub fn bad_ending(session: &Session, cancel: &Cancel) -> Result<Option<BadEnding>, QueryError> {
    let index = &session.index;
    if !index.is_whole() || index.step_count() == 0 {
        return Ok(None);
    }
    let end = EndOfThread::read(session, cancel)?;
    if let Some(found) = end.open_frame()? {
        return Ok(Some(found));
    }
    if let Some(found) = end.last_exception()? {
        return Ok(Some(found));
    }
    if let Some(found) = fatal_ending(index, cancel)? {
        return Ok(Some(end.fatal(found)?));
    }
    if let Some(found) = end.lost()? {
        return Ok(Some(found));
    }
    end.other_exception()
}

/// Last steps of the thread that executed the last step of the trace.
struct EndOfThread<'a> {
    session: &'a Session,
    cancel: &'a Cancel,
    thread: ThreadId,
    last: Vec<StepRecord>,
}

impl<'a> EndOfThread<'a> {
    fn read(session: &'a Session, cancel: &'a Cancel) -> Result<Self, QueryError> {
        let index = &session.index;
        let first = Step(index.step_count().saturating_sub(TAIL));
        let mut last = Steps { first, count: TAIL }.run(index, cancel)?;
        let thread = SlotReader(index).thread_at(index.end())?;
        last.retain(|record| record.thread == thread);
        Ok(Self {
            session,
            cancel,
            thread,
            last,
        })
    }

    fn index(&self) -> &Index {
        &self.session.index
    }

    fn record(&self, first: Step) -> Result<Option<StepRecord>, QueryError> {
        let records = Steps { first, count: 1 }.run(self.index(), self.cancel)?;
        Ok(records.into_iter().next())
    }

    fn name_of(&self, function: Address) -> String {
        let found = self.session.images.code_at(function);
        found.map_or_else(String::new, |found| found.name.to_owned())
    }

    /// Finds the outermost frame that shows that something went wrong.
    fn open_frame(&self) -> Result<Option<BadEnding>, QueryError> {
        let calls = self.index().calls();
        let frames = calls.path_at(self.thread, self.index().end());
        let skipped = frames.len().saturating_sub(FRAMES);
        let frames = frames.into_iter().skip(skipped);
        let frames: Vec<Call> = frames.filter_map(|id| calls.get(id)).collect();
        let mut exceptions = 0;
        for frame in &frames {
            let Some(step) = frame.call_step else {
                continue;
            };
            let found = if frame.entered == FrameEntry::Exception {
                exceptions += 1;
                if exceptions > EXCEPTIONS {
                    return Ok(None);
                }
                self.open_handler(frame, step)?
            } else {
                reports_failure(&self.name_of(frame.function)).then_some(BadEnding {
                    cause: EndingCause::Assertion(frame.function),
                    step,
                    culprit: None,
                })
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Examines the frame of a handler that interrupted a step.
    fn open_handler(&self, frame: &Call, step: Step) -> Result<Option<BadEnding>, QueryError> {
        let handler = self.name_of(frame.function);
        if has_any(&handler, &["watchdog", "wdog", "wdt"]) {
            return Ok(Some(BadEnding {
                cause: EndingCause::Watchdog {
                    handler: frame.function,
                },
                step,
                culprit: None,
            }));
        }
        if let Some(signal) = self.signal_of(step)? {
            return Ok(is_fatal_signal(signal).then_some(BadEnding {
                cause: EndingCause::Signal(signal),
                step,
                culprit: match self.record(step)? {
                    Some(record) => self.address_of_access(&record, record.step.before())?,
                    None => None,
                },
            }));
        }
        let Some(record) = self.record(step)? else {
            return Ok(None);
        };
        let stated = stated_exception(&record);
        let name = match &stated {
            Some(stated) => stated.name.clone(),
            None => {
                let trap = trap_of(self.index(), frame, self.cancel)?;
                let set = record.instruction_set;
                trap.and_then(|trap| set.trap_name(trap.number))
                    .unwrap_or_default()
            }
        };
        let is_fault = is_fault(&name, &record) || names_fault(&handler);
        let is_over = is_unmistakable(&name) || names_fault(&handler) || self.is_looping();
        if !is_fault || !is_over {
            return Ok(None);
        }
        let entered = stated.and_then(|stated| stated.address);
        Ok(Some(BadEnding {
            culprit: self.culprit(&record, entered)?,
            cause: EndingCause::Exception {
                name,
                target: self.jump_target(&record, entered),
                handler: Some(frame.function),
            },
            step,
        }))
    }

    /// Examines an exception whose handler has no steps, because the trace ends before it.
    fn last_exception(&self) -> Result<Option<BadEnding>, QueryError> {
        let Some(last) = self.last.last() else {
            return Ok(None);
        };
        let Some(stated) = stated_exception(last).filter(|stated| is_fault(&stated.name, last))
        else {
            return Ok(None);
        };
        let (record, entered) = match self.last.as_slice() {
            // Some models show an instruction that they could not fetch.
            [.., jump, failed] if !failed.is_executed && failed.encoding.is_none() => {
                (jump, Some(failed.pc))
            }
            _ => (last, stated.address),
        };
        Ok(Some(BadEnding {
            culprit: self.culprit(record, entered)?,
            cause: EndingCause::Exception {
                target: self.jump_target(record, entered),
                name: stated.name,
                handler: None,
            },
            step: record.step,
        }))
    }

    /// Finds another thread that jumps to an address where it takes an exception, and ends.
    fn other_exception(&self) -> Result<Option<BadEnding>, QueryError> {
        for (thread, _) in (0..=u16::MAX).map(ThreadId).zip(self.index().threads()) {
            self.cancel.check()?;
            let Some(last) =
                NearestStepOf::last(thread, self.index().end()).run(self.index(), self.cancel)?
            else {
                continue;
            };
            let end = EndOfThread {
                thread,
                last: self.record(last)?.into_iter().collect(),
                ..*self
            };
            let found = end.last_exception()?.filter(|found| {
                let cause = &found.cause;
                matches!(
                    cause,
                    EndingCause::Exception {
                        target: Some(_),
                        ..
                    }
                )
            });
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn fatal(&self, found: FatalEnding) -> Result<BadEnding, QueryError> {
        let is_access = matches!(found.cause, FatalCause::Access { .. });
        let record = self.record(found.step)?.filter(|_| is_access);
        Ok(BadEnding {
            step: found.step,
            culprit: match record {
                Some(record) => self.address_of_access(&record, record.step.before())?,
                None => None,
            },
            cause: EndingCause::Fatal(found),
        })
    }

    fn lost(&self) -> Result<Option<BadEnding>, QueryError> {
        let end = self.index().end();
        let lost = FindMarkers {
            kinds: vec![GapReason::Lost.kind()],
            thread: Some(self.thread),
            from: end,
            to: end,
            limit: 1,
        };
        let lost = lost.run(self.index(), self.cancel)?;
        let step = lost.first().and_then(|_| end.last_step());
        Ok(step.map(|step| BadEnding {
            cause: EndingCause::Lost,
            step,
            culprit: None,
        }))
    }

    /// Returns the signal whose handler interrupts a step.
    fn signal_of(&self, step: Step) -> Result<Option<u64>, QueryError> {
        let markers = FindMarkers {
            kinds: vec![MarkerKind::SIGNAL],
            thread: Some(self.thread),
            from: step.after(),
            to: step.after(),
            limit: EXCEPTIONS,
        };
        let markers = markers.run(self.index(), self.cancel)?;
        let mut own = markers.iter().filter(|hit| hit.step == Some(step));
        Ok(own.next_back().map(|hit| hit.marker.value))
    }

    /// Returns true if the trace ends in an endless loop.
    fn is_looping(&self) -> bool {
        let mut addresses: Vec<_> = self.last.iter().map(|record| record.pc).collect();
        let steps = addresses.len();
        addresses.sort_unstable();
        addresses.dedup();
        steps > 2 * LOOP && addresses.len() <= LOOP
    }

    /// Returns the address at which an exception was taken, if a jump to it caused the exception.
    fn jump_target(&self, record: &StepRecord, entered: Option<Address>) -> Option<JumpTarget> {
        let address = entered.filter(|target| jumps_to(record, *target))?;
        let mapped = self.session.images.mapped();
        let may_be_code = |range: &MappedRange| {
            !range.is_loaded || (range.is_executable && range.contains(address))
        };
        Some(JumpTarget {
            address,
            is_without_code: !mapped.is_empty() && !mapped.iter().any(may_be_code),
        })
    }

    /// Returns the cell that explains an exception. `entered` is the address that the exception
    /// states: the target of the jump, or the instruction that faulted.
    fn culprit(
        &self,
        record: &StepRecord,
        entered: Option<Address>,
    ) -> Result<Option<(CellName, Position)>, QueryError> {
        if entered.is_some_and(|target| jumps_to(record, target)) {
            return self.target_of(record);
        }
        // An instruction that faults is not executed, so the record before it states the exception.
        let faulting = match entered.filter(|address| *address != record.pc) {
            None => Some(record.clone()),
            Some(address) => NearestVisit::last(address, self.index().end())
                .run(self.index(), self.cancel)?
                .map(|hit| hit.record),
        };
        match faulting {
            Some(faulting) if faulting.step == record.step => {
                self.address_of_access(&faulting, record.step.before())
            }
            Some(faulting) => self.address_of_access(&faulting, record.step.after()),
            None => Ok(None),
        }
    }

    /// Returns the cell that holds the target of a jump: a register, or memory that it read.
    fn target_of(&self, record: &StepRecord) -> Result<Option<(CellName, Position)>, QueryError> {
        let read = record.effects.iter().find_map(|effect| match effect {
            Effect::Access(access) if access.kind == AccessKind::Read => match access.target {
                AccessTarget::Memory {
                    address,
                    size_bytes,
                } => Some(CellName::Memory(format!("{:#x}", address.0), size_bytes)),
                AccessTarget::Register(_) => None,
            },
            _ => None,
        });
        if let Some(read) = read {
            return Ok(Some((read, record.step.before())));
        }
        let Some((site, instruction)) = decoded(record) else {
            return Ok(None);
        };
        let set = record.instruction_set;
        let reads = instruction
            .registers
            .as_ref()
            .map_or(&[][..], |known| &known.reads);
        let view = match set.control(&site).target {
            BranchTarget::Register(register) => {
                reads.iter().find(|view| view.register == register).copied()
            }
            BranchTarget::Unsaid => reads.first().copied(),
            BranchTarget::Address(_) => None,
        };
        self.register_cell(view, set, record.step.before())
    }

    /// Returns the register that holds the address of an instruction's memory access.
    fn address_of_access(
        &self,
        record: &StepRecord,
        at: Position,
    ) -> Result<Option<(CellName, Position)>, QueryError> {
        let registers = decoded(record).and_then(|(_, instruction)| {
            let mut operands = instruction.meaning.memory.iter();
            let operand =
                operands.find(|operand| operand.base.is_some() || operand.index.is_some());
            operand.and_then(main_register)
        });
        self.register_cell(registers, record.instruction_set, at)
    }

    fn register_cell(
        &self,
        view: Option<RegisterView>,
        set: InstructionSet,
        at: Position,
    ) -> Result<Option<(CellName, Position)>, QueryError> {
        let Some(view) = view else {
            return Ok(None);
        };
        let name = NameReader(self.index()).register_name(view, set);
        let thread = self.index().threads().get(usize::from(self.thread.0));
        let is_here =
            NearestStepOf::last(self.thread, at).run(self.index(), self.cancel)? == at.last_step();
        let name = match thread.filter(|_| !is_here) {
            Some(thread) => format!("{name} of {}", thread.name),
            None => name,
        };
        Ok(Some((CellName::Register(name), at)))
    }
}

/// Returns true if a step is a jump, call or return to an address other than the next instruction.
fn jumps_to(record: &StepRecord, target: Address) -> bool {
    decoded(record).is_some_and(|(site, instruction)| {
        let flow = record.instruction_set.control(&site).flow;
        let is_jump = matches!(flow, FlowKind::Branch | FlowKind::Call | FlowKind::Return);
        let goes_on = target == record.pc || target.0 == site.after();
        is_jump && instruction.is_decoded() && !goes_on
    })
}

/// Returns the register that varies in an address: the base, or else the index.
fn main_register(operand: &MemoryOperand) -> Option<RegisterView> {
    operand.base.or(operand.index.map(|index| index.view))
}

fn decoded(record: &StepRecord) -> Option<(CodeSite, std::sync::Arc<Instruction>)> {
    let encoding = record.encoding?;
    let site = CodeSite {
        pc: record.pc,
        encoding,
    };
    Some((site, decode(encoding, record.pc, record.instruction_set)))
}

/// Exception as the trace states it.
struct StatedException {
    /// Address at which it was taken.
    address: Option<Address>,
    name: String,
}

/// Returns the last exception that the trace states at a step: an address, a number and a name, as
/// in `E 80000048 00000084 CoreEvent_CURRENT_SPx_SYNC`.
fn stated_exception(record: &StepRecord) -> Option<StatedException> {
    let text = record
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Exception(text) => Some(text),
            _ => None,
        })?;
    // An exception may be an event of its own or the text of an instruction's line.
    let words = text
        .split_whitespace()
        .skip_while(|word| ["E", "EXC", "IT", "IS", "IF", "ES"].contains(word));
    let virtual_of = |word: &'_ str| word.split(':').next().unwrap_or_default().to_owned();
    let address = words
        .clone()
        .next()
        .map(virtual_of)
        .filter(|word| word.len() >= 8)
        .and_then(|word| u64::from_str_radix(&word, 16).ok());
    // `[3]` is a number too.
    let is_number = |word: &str| {
        let word = word.trim_matches(['[', ']']);
        word.chars().all(|letter| letter.is_ascii_hexdigit())
    };
    let name: Vec<&str> = words
        .skip(usize::from(address.is_some()))
        .filter(|word| !is_number(word))
        .collect();
    Some(StatedException {
        address: address.map(Address),
        name: name.join(" ").trim_start_matches("CoreEvent_").to_owned(),
    })
}

fn has_any(text: &str, parts: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    parts.iter().any(|part| text.contains(part))
}

/// Returns true if the name of an exception says that something went wrong. A synchronous exception
/// of A64 is a fault unless the instruction requests it.
fn is_fault(name: &str, record: &StepRecord) -> bool {
    let requests = || {
        decoded(record)
            .is_none_or(|(site, _)| record.instruction_set.control(&site).flow == FlowKind::Trap)
    };
    is_unmistakable(name)
        || has_any(name, &["abort", "pabt", "dabt", "access exception"])
        || (name.to_ascii_lowercase().ends_with("sync") && !requests())
}

/// Returns true for exceptions that no program handles in its normal work.
fn is_unmistakable(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "hardfault",
        "memmanage",
        "busfault",
        "usagefault",
        "securefault",
        "undef",
        "serror",
        "lockup",
        "illegal instruction",
        "not aligned",
        "division by zero",
        "red state",
        "internal processor error",
    ];
    has_any(name, &NAMES)
}

/// Returns true if the name of a handler says that it is for faults.
fn names_fault(handler: &str) -> bool {
    has_any(handler, &["fault", "abort", "panic", "undef", "serror"])
}

/// Returns true for functions that report a failed assertion, or end the program after an error.
fn reports_failure(function: &str) -> bool {
    const NAMES: [&str; 22] = [
        "assert_fail",
        "assert_func",
        "assert",
        "assert_failed",
        "aeabi_assert",
        "assertion_failed",
        "assert_perror_fail",
        "abort",
        "stack_chk_fail",
        "chk_fail",
        "fortify_fail",
        "libc_fatal",
        "cxa_pure_virtual",
        "panic",
        "kernel_panic",
        "k_panic",
        "rust_panic",
        "rust_begin_unwind",
        "vassertcalled",
        "std::terminate()",
        "core::panicking::panic",
        "core::panicking::panic_fmt",
    ];
    let name = function.trim_start_matches('_').to_ascii_lowercase();
    NAMES.contains(&name.as_str())
}

/// Returns true for the signals that processors raise at faults, and SIGABRT. Their numbers are the
/// same on the architectures that traces of Linux come from.
fn is_fatal_signal(number: u64) -> bool {
    matches!(
        signal_name(number),
        Some("SIGSEGV" | "SIGBUS" | "SIGILL" | "SIGFPE" | "SIGABRT" | "SIGTRAP" | "SIGSYS")
    )
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{kind, marker};

    use super::*;
    use crate::session::test_session::{drmemtrace, overflow_with_image, tarmac};

    fn ending(session: &Session) -> Option<BadEnding> {
        bad_ending(session, &Cancel::default()).unwrap()
    }

    fn register(name: &str) -> CellName {
        CellName::Register(name.to_owned())
    }

    /// The record of the run (`overflow_bare.tiny.answer.json`) names the last instruction, the
    /// address that it called, and the register.
    #[test]
    fn a_call_of_an_address_without_code_ends_the_demo() {
        let found = ending(&overflow_with_image()).unwrap();
        let EndingCause::Exception {
            target: Some(target),
            handler: None,
            ..
        } = found.cause
        else {
            panic!("{found:?}");
        };
        assert_eq!(target.address, Address(0xbfb1_e598_a4e5_bda9));
        assert!(target.is_without_code);
        assert_eq!(found.step, Step(1762));
        assert_eq!(found.culprit, Some((register("x2"), Position(1762))));
    }

    #[track_caller]
    fn check_tarmac(text: &str, expected: Option<(&str, Option<(&str, u64)>)>) {
        let (session, _place) = tarmac(text);
        let found = ending(&session).map(|found| match found.cause {
            EndingCause::Exception { name, .. } => (name, found.culprit),
            cause => panic!("{cause:?}"),
        });
        let expected = expected.map(|(name, culprit)| {
            let culprit = culprit.map(|(name, at)| (register(name), Position(at)));
            (name.to_owned(), culprit)
        });
        assert_eq!(found, expected, "{text}");
    }

    /// Lines of steps that jump to themselves.
    fn endless(address: &str, encoding: &str, mode: &str) -> String {
        (2..20)
            .map(|time| format!("{time} clk IT ({time}) {address} {encoding} {mode} : B .\n"))
            .collect()
    }

    #[test]
    fn a_fault_whose_handler_does_not_go_on_is_a_bad_end() {
        let text = "1 clk IT (1) 00001000 6801 T thread : LDR r1,[r0]\n\
            1 clk E 00001000 00000003 CoreEvent_HardFault\n";
        let text = text.to_owned() + &endless("00002000", "e7fe", "T handler");
        check_tarmac(&text, Some(("HardFault", Some(("r0", 0)))));
        let load = "1 clk IT (1) 00001000 f9400001 O EL0t_n : LDR x1,[x0]\n\
            1 clk E 00001000 00000100 CoreEvent_LOWER_64_SYNC\n";
        let text = load.to_owned() + &endless("00008400", "14000000", "O EL1h_n");
        check_tarmac(&text, Some(("LOWER_64_SYNC", Some(("x0", 0)))));
    }

    #[test]
    fn a_handler_at_work_and_what_instructions_ask_for_are_no_bad_ends() {
        let load = "1 clk IT (1) 00001000 f9400001 O EL0t_n : LDR x1,[x0]\n\
            1 clk E 00001000 00000100 CoreEvent_LOWER_64_SYNC\n";
        let work = (2..20u64).map(|time| {
            let address = 0x8400 + 4 * time;
            format!("{time} clk IT ({time}) {address:08x} d503201f O EL1h_n : NOP\n")
        });
        check_tarmac(&(load.to_owned() + &work.collect::<String>()), None);
        let call = "1 clk IT (1) 00001000 d4000001 O EL0t_n : SVC #0\n\
            1 clk E 00001004 00000100 CoreEvent_LOWER_64_SYNC\n";
        check_tarmac(call, None);
        let interrupt = "1 clk IT (1) 00001000 d503201f O EL0t_n : NOP\n\
            1 clk E 00001004 00000101 CoreEvent_LOWER_64_IRQ\n";
        let text = interrupt.to_owned() + &endless("00008480", "14000000", "O EL1h_n");
        check_tarmac(&text, None);
    }

    /// `kill -l`: 11 is SIGSEGV, 14 is SIGALRM.
    #[test]
    fn the_handler_of_a_fatal_signal_is_a_bad_end_unless_it_returns() {
        let check = |signal, returns, expected| {
            let (session, _place) = drmemtrace(|writer| {
                // mov rax, [rdi]
                writer.instruction(0x40_1000, &[0x48, 0x8b, 0x07]);
                writer.read(0x7ffd_0000, 8);
                writer.marker(marker::SIGNAL, signal);
                writer.marker(marker::KERNEL_EVENT, 0x40_1000);
                writer.instruction(0x40_2000, &[0x90]);
                writer.instruction(0x40_2001, &[0x90]);
                if returns {
                    writer.marker(marker::KERNEL_TRANSFER, 0x40_2002);
                    writer.branch(kind::INSTRUCTION, 0x40_1003, &[0x90], None);
                }
            });
            let found = ending(&session).map(|found| (found.cause, found.culprit));
            assert_eq!(found, expected, "{signal} {returns}");
        };
        let culprit = Some((register("rdi"), Position(0)));
        check(11, false, Some((EndingCause::Signal(11), culprit)));
        check(11, true, None);
        check(14, false, None);
    }

    #[test]
    fn functions_that_report_failures_are_known_by_their_whole_names() {
        for name in [
            "__assert_fail",
            "abort",
            "__stack_chk_fail",
            "vAssertCalled",
        ] {
            assert!(reports_failure(name), "{name}");
        }
        for name in ["assert_valid", "aborted_count", "main", ""] {
            assert!(!reports_failure(name), "{name}");
        }
    }
}
