//! State of a thread during the ordered check ([`CheckedThread`]).

use stepback_machine::{AccessKind, Mode, RegisterId, RegisterView};
use stepback_parsers::MemoryAccess;
use stepback_parsers::check::{FindingPlace, Findings};

use crate::analysis::check::instructions::Successors;
use crate::analysis::check::part_event::CheckedStep;
use crate::analysis::check::register_file::{KnownFlags, LastStep, PassedSteps, RegisterFile};
use crate::analysis::check::rules;

/// State of a thread, which all events before determine.
#[derive(Debug, Default)]
pub struct CheckedThread {
    pub name: String,
    pub has_step: bool,
    /// An event before its first step was already reported.
    pub is_early: bool,
    pub leads: Successors,
    /// Number of following instructions that are executed only if a condition holds.
    pub block: u8,
    pub flags: KnownFlags,
    /// The last step is a branch in the delay slot of another branch, so the next step is in a
    /// delay slot too.
    pub is_coupled: bool,
    /// Nesting depth of trap handlers. Simulators of user programs invent such handlers.
    pub handlers: u32,
    pub mode: Mode,
    pub time: Option<u64>,
    /// A step at an unexpected address, unless later events of that step explain it.
    pub stray: Option<PendingFinding>,
    /// The last instruction; `None` once another event has diverted the thread.
    pub last: Option<LastStep>,
    pub registers: RegisterFile,
    /// Exception number in the last value of the status register.
    pub exception: Option<u32>,
    /// Register changes that the last step does not explain. An exception that follows discards
    /// them.
    pub unexplained: Vec<PendingFinding>,
}

/// A violation, unless later events of its step explain it.
#[derive(Debug)]
pub struct PendingFinding {
    pub place: FindingPlace,
    pub message: String,
}

impl CheckedThread {
    /// Accepts any next instruction and any register change.
    pub fn divert(&mut self) {
        (self.leads, self.last, self.stray) = (Successors::Open, None, None);
        self.unexplained.clear();
        (self.block, self.flags) = (0, KnownFlags::default());
    }

    /// Continues after plain steps, which led to each other.
    pub fn pass(&mut self, steps: &PassedSteps) {
        if steps.count > 0 {
            let count = u8::try_from(steps.count).unwrap_or(u8::MAX);
            self.block = self.block.saturating_sub(count);
            self.flags.pass(steps);
            (self.leads, self.is_coupled) = (Successors::Open, false);
        }
    }

    /// Returns the successors of a step, narrowed by the known flags and widened in a conditional
    /// block.
    pub fn successors(&mut self, step: &CheckedStep) -> Successors {
        let is_in_block = self.block > 0;
        self.block = step.block.max(self.block.saturating_sub(1));
        match (step.leads, &step.test) {
            (Successors::One(to), _) if is_in_block => Successors::Either(step.after, to),
            (Successors::Either(after, target), Some(test)) if !is_in_block => {
                match self.flags.current() {
                    Some(flags) if test.holds(flags) => Successors::One(target),
                    Some(_) => Successors::One(after),
                    None => step.leads,
                }
            }
            _ => step.leads,
        }
    }

    /// Returns true if a write shows that the thread takes an exception, on a processor that
    /// reports it only through registers. Either the link register gets an exception return value,
    /// or the status register names another exception.
    pub fn enters(&mut self, view: RegisterView, bytes: &[u8]) -> bool {
        let (Some(last), Some(value)) = (
            self.last,
            bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)),
        ) else {
            return false;
        };
        match view.register {
            RegisterId::LR if view.offset == 0 => last.set.is_exception_return_value(value.into()),
            RegisterId::PSR if view.offset == 0 => {
                let Some(number) = last.set.exception_number(value) else {
                    return false;
                };
                self.exception
                    .replace(number)
                    .is_some_and(|before| before != number)
            }
            _ => false,
        }
    }

    /// Returns true if an executed step returns from an exception or to another security state. Its
    /// instruction then determines neither its target nor the register values.
    pub fn leaves(&self, last: &LastStep) -> bool {
        let Some(register) = last.target_register() else {
            return false;
        };
        let is_return = |value| {
            last.set.is_exception_return_value(value) || last.set.is_function_return_value(value)
        };
        match self.registers.word(register) {
            Some(value) => is_return(value),
            // Nothing rules out a return.
            None => matches!(last.mode, Mode::Handler(_)) && last.set.exception_frame().is_some(),
        }
    }

    /// Reports what remains unexplained of a step. All events of the step have arrived.
    pub fn settle(&mut self, findings: &mut Findings) {
        for PendingFinding { place, message } in self.unexplained.drain(..) {
            findings.add(&rules::REGISTER, place, || message);
        }
        if let Some(PendingFinding { place, message }) = self.stray.take() {
            findings.add(&rules::PATH, place, || message);
        }
    }
}

impl LastStep {
    /// Returns true if an access loads an exception return value, or one that returns to another
    /// security state, into the program counter.
    pub fn loads_return(&self, access: &MemoryAccess) -> bool {
        let is_load =
            self.is_jump() && self.target_register().is_none() && access.kind == AccessKind::Read;
        let bytes = access
            .bytes
            .filter(|_| is_load && self.set.exception_frame().is_some());
        let value = |bytes: [u8; 8], at: usize| {
            let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>());
            u64::from(word.map_or(0, |word| u32::from_le_bytes(*word)))
        };
        let is_return = |value| {
            self.set.is_exception_return_value(value) || self.set.is_function_return_value(value)
        };
        let words = [0, 4]
            .into_iter()
            .filter(|at| at + 4 <= usize::from(access.size_bytes));
        bytes.is_some_and(|bytes| words.into_iter().any(|at| is_return(value(bytes, at))))
    }
}
