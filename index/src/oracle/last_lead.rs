//! Location of a thread after its last step, for Arm instructions without a record of their
//! effects.

use stepback_machine::naive::{NaiveCallTarget, NaiveFlow};
use stepback_machine::{RecordedBranch, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::step_record::LATE_STEPS;
use crate::answers::thread::ThreadId;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep};
use crate::oracle::record::Oracle;

/// Knowledge of the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextPc {
    /// The last write counts.
    Written,
    /// This address.
    Known(u64),
    /// Unknown.
    Unknown,
}

impl Oracle {
    /// Returns the address of a thread's next step; if there is none, the target of its last step.
    pub(super) fn next_pc(&self, thread: ThreadId, position: Position) -> NextPc {
        let from = usize::try_from(position.0).unwrap_or(usize::MAX);
        let mut later = self.steps.get(from..).unwrap_or_default().iter();
        if let Some(next) = later.find(|step| step.thread == thread) {
            return NextPc::Known(next.pc.0);
        }
        let Some(last) = self.last_step_of(thread, position.0) else {
            return NextPc::Written;
        };
        let Some(step) = self.step(last) else {
            return NextPc::Written;
        };
        let behind = self
            .events_until(position)
            .iter()
            .filter(|event| event.owner == Some(last));
        if behind.clone().any(is_written) {
            return NextPc::Written;
        }
        let near = last.after().0.saturating_add(LATE_STEPS);
        let is_exception = |event: &OracleEvent| match &event.kind {
            OracleEventKind::Text { kind, .. } => kind.is_exceptional() && event.slot <= near,
            _ => false,
        };
        if behind.clone().any(is_exception) {
            return NextPc::Unknown;
        }
        self.led_to(step, last.before())
            .map_or(NextPc::Unknown, NextPc::Known)
    }

    fn led_to(&self, step: &OracleStep, before: Position) -> Option<u64> {
        let naive = step.naive();
        let behind = step.pc.0.wrapping_add(u64::from(step.length_bytes));
        if !step.is_executed {
            return Some(behind);
        }
        if step.branch != RecordedBranch::Unsaid || step.encoding.is_none() || naive.is_undefined()
        {
            return None;
        }
        match naive.kind() {
            NaiveFlow::Other => Some(behind),
            NaiveFlow::Trap | NaiveFlow::ExceptionReturn => None,
            NaiveFlow::Branch | NaiveFlow::Call | NaiveFlow::Return if naive.is_compare() => None,
            NaiveFlow::Branch if naive.condition_of_branch().is_some() => {
                let status = RegisterView::new(RegisterId::PSR, 0, 4);
                let flags = self.register_value(step.thread, status, before).to_u64()? >> 28;
                match holds(naive.condition_of_branch()?, flags) {
                    true => match naive.jump_target()? {
                        NaiveCallTarget::Address(address) => Some(address),
                        NaiveCallTarget::Register(_) => None,
                    },
                    false => Some(behind),
                }
            }
            NaiveFlow::Branch | NaiveFlow::Call | NaiveFlow::Return => match naive.jump_target()? {
                NaiveCallTarget::Address(address) => Some(address),
                NaiveCallTarget::Register(register) => {
                    let view = RegisterView::new(register, 0, naive.word_bytes());
                    let held = self.register_value(step.thread, view, before).to_u64()?;
                    let is_return = step.instruction_set.is_function_return_value(held);
                    (!is_return && !naive.is_exception_return(held))
                        .then(|| naive.without_mark(held))
                }
            },
        }
    }
}

/// Evaluates a condition (Arm Architecture Reference Manual, DDI 0487, ConditionHolds). `flags` are
/// N, Z, C and V.
fn holds(code: u32, flags: u64) -> bool {
    let [v, c, z, n] = [0, 1, 2, 3].map(|place| flags >> place & 1 == 1);
    let holds = match code >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    holds != (code & 1 == 1)
}

fn is_written(event: &OracleEvent) -> bool {
    matches!(&event.kind, OracleEventKind::Register(written) if written.view.register == RegisterId::PC)
}
