//! Program counter after the last step of a thread, if the trace shows no next one.

use stepback_machine::flow::{
    BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind, RecordedBranch,
};
use stepback_machine::semantics::FlagTest;
use stepback_machine::{Address, CodeSite, RegisterId, RegisterView};
use stepback_parsers::{DelaySlot, Step};

use crate::answers::cell::Direction;
use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::read::doubts::BREAKS;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEventKind, SlotReader, StepText};
use crate::read::views::ViewReader;

/// Knowledge of the program counter after the last step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastProgramCounter {
    /// The trace wrote it after that step, or the thread has no step: the last written value
    /// applies.
    Written,
    /// The target of the last step.
    To(Address),
    /// Unknown.
    Open,
}

impl RegisterReader<'_> {
    /// Returns the program counter of a thread without steps from the position on. Cost: the text
    /// of its last step; in a trace of several threads, that of up to [`LATE_STEPS`] steps after
    /// it.
    pub(crate) fn last_program_counter(&self) -> Result<LastProgramCounter, QueryError> {
        let Some(last) = SlotReader(self.index).owner(self.thread, self.at.0)? else {
            return Ok(LastProgramCounter::Written);
        };
        let pc = RegisterView::new(RegisterId::PC, 0, u16::MAX);
        for known in ViewReader(self.index).overlapping(self.thread, pc) {
            if ViewReader(self.index).nearest_write(known, self.at.0, Direction::Back)?
                >= Some(last.after().0)
            {
                return Ok(LastProgramCounter::Written);
            }
        }
        let Some(step) = self.undiverted(last)? else {
            return Ok(LastProgramCounter::Open);
        };
        self.step_destination(last, &step)
    }

    /// Returns the thread's last step; none if control went elsewhere after it than its instruction
    /// says.
    fn undiverted(&self, last: Step) -> Result<Option<StepText>, QueryError> {
        let end = self.at.0.min(last.after().0.saturating_add(LATE_STEPS));
        let events = SlotReader(self.index).events(last.after().0..end.saturating_add(1))?;
        let mut found = None;
        for event in events
            .into_iter()
            .filter(|event| event.thread == self.thread)
        {
            match event.kind {
                SlotEventKind::Step(step) => found = Some(step),
                SlotEventKind::Text { kind, .. } if kind.is_exceptional() => return Ok(None),
                SlotEventKind::Marker(marker) if BREAKS.contains(&marker.kind) => return Ok(None),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Returns the branch before the last step, if that step comes between the branch and its
    /// target: it is in the delay slot, or at the target of a branch that is itself in a delay slot
    /// (a couple of branches).
    fn branch_before(
        &self,
        last: Step,
        slot: &StepText,
    ) -> Result<Option<(Step, StepText)>, QueryError> {
        let Some(at) = SlotReader(self.index).owner(self.thread, last.0)? else {
            return Ok(None);
        };
        let step = SlotReader(self.index)
            .step_of(at.after().0)?
            .map(|(_, step)| step);
        let is_before = |step: &StepText| {
            let has_slot = step.is_executed && step.control().delay != DelaySlotRule::None;
            has_slot && (step.next_pc() == slot.pc || step.delay_slot != DelaySlot::None)
        };
        Ok(step.filter(is_before).map(|step| (at, step)))
    }

    fn destination_after_slot(
        &self,
        at: Step,
        step: &StepText,
        slot: &StepText,
    ) -> Result<LastProgramCounter, QueryError> {
        // A branch in the delay slot has a target that depends on both branches.
        if slot.control().flow != FlowKind::Next {
            return Ok(LastProgramCounter::Open);
        }
        let ControlFlowEffect { target, delay, .. } = step.control();
        let is_taken = match (slot.delay_slot, delay, step.branch) {
            (DelaySlot::Annulled, DelaySlotRule::UnlessNotTaken, _) => Some(false),
            (DelaySlot::Annulled, DelaySlotRule::Annulled, _) => Some(true),
            (_, _, RecordedBranch::Conditional(is_taken)) => is_taken,
            (_, _, RecordedBranch::Unsaid | RecordedBranch::None | RecordedBranch::SystemEntry) => {
                None
            }
            _ => Some(true),
        };
        match (is_taken, target) {
            (Some(false), _) => Ok(LastProgramCounter::To(slot.next_pc())),
            (Some(true), BranchTarget::Address(address)) => {
                Ok(LastProgramCounter::To(Address(address)))
            }
            (Some(true), BranchTarget::Register(register)) => {
                self.register_destination(at, step, register)
            }
            (Some(true), BranchTarget::Unsaid) | (None, _) => Ok(LastProgramCounter::Open),
        }
    }

    /// Returns the target from a register's value before a step.
    fn register_destination(
        &self,
        at: Step,
        step: &StepText,
        register: RegisterId,
    ) -> Result<LastProgramCounter, QueryError> {
        let set = step.instruction_set;
        let held = self.held_before(at, RegisterView::new(register, 0, set.word_bytes()))?;
        // In a handler of the M profile the register may hold the value for a return from the
        // exception. In a function called by the other security state, it may hold the value for a
        // return to that state.
        let is_return = |value: u64| {
            set.is_exception_return_value(value) || set.is_function_return_value(value)
        };
        let target = held.filter(|value| !is_return(*value));
        Ok(target.map_or(LastProgramCounter::Open, |value| {
            LastProgramCounter::To(Address(set.code_address(value)))
        }))
    }

    fn step_destination(
        &self,
        last: Step,
        step: &StepText,
    ) -> Result<LastProgramCounter, QueryError> {
        if let Some((at, branch)) = self.branch_before(last, step)? {
            return self.destination_after_slot(at, &branch, step);
        }
        if !step.is_executed {
            return Ok(LastProgramCounter::To(step.next_pc()));
        }
        let set = step.instruction_set;
        let site = step.encoding.map(|encoding| CodeSite {
            pc: step.pc,
            encoding,
        });
        if let Some(site) = site
            && let Some(test) = set.branch_test(&site.encoding)
        {
            return self.decided(last, step, test);
        }
        match site.map_or(ControlSuccessor::Open, |site| set.lead(&site, step.branch)) {
            // The delay slot of a branch comes first, before any target.
            ControlSuccessor::Open if step.control().delay == DelaySlotRule::Slot => {
                Ok(LastProgramCounter::To(step.next_pc()))
            }
            ControlSuccessor::Open => Ok(LastProgramCounter::Open),
            ControlSuccessor::After => Ok(LastProgramCounter::To(step.next_pc())),
            ControlSuccessor::Address(address) => Ok(LastProgramCounter::To(Address(address))),
            ControlSuccessor::Register(register) => self.register_destination(last, step, register),
        }
    }

    /// Returns the target of a conditional branch, by the flags before it.
    fn decided(
        &self,
        last: Step,
        step: &StepText,
        test: FlagTest,
    ) -> Result<LastProgramCounter, QueryError> {
        let Some(status) = self.held_before(last, RegisterView::new(RegisterId::PSR, 0, 4))? else {
            return Ok(LastProgramCounter::Open);
        };
        let target = step
            .control()
            .target
            .address()
            .filter(|_| test.holds(status));
        Ok(LastProgramCounter::To(
            target.map_or(step.next_pc(), Address),
        ))
    }

    /// Returns a register's value before a step, if the trace recorded it.
    fn held_before(&self, step: Step, view: RegisterView) -> Result<Option<u64>, QueryError> {
        if view.register == RegisterId::PC {
            return Ok(None);
        }
        let mut before = RegisterReader::new(self.index, self.thread, step.before());
        Ok(before.state(String::new(), view)?.value.to_u64())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use crate::answers::cell::ThreadId;
    use crate::answers::error::Cancel;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::oracle::{Oracle, Replay as _};
    use crate::query::question::Query as _;
    use crate::query::registers::RegistersAt;

    /// Checks the program counter at the end, in the index and the oracle.
    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap();
        let oracle = Oracle::of(&tarmac).unwrap();
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap();
        let question = RegistersAt {
            position: index.end(),
            thread: Some(ThreadId(0)),
        };
        let file = question.run(&index, &Cancel::default()).unwrap();
        assert_eq!(
            file.get("pc").and_then(|value| value.to_u64()),
            expected,
            "{text}"
        );
        assert_eq!(question.replay(&oracle), Some(file), "{text}");
    }

    const BEFORE: &str =
        "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n1 clk R X3 0000000000005000\n";

    #[test]
    fn the_last_step_tells_where_the_trace_would_go_on() {
        let last = |line: &str| format!("{BEFORE}2 clk {line}\n");
        let branch = |cpsr: &str| {
            format!(
                "{BEFORE}1 clk R cpsr {cpsr}\n2 clk IT (2) 00001004 54000080 O EL1h_n : B.EQ 0x1014\n"
            )
        };
        check(
            &last("IT (2) 00001004 d503201f O EL1h_n : NOP"),
            Some(0x1008),
        );
        check(
            &last("IT (2) 00001004 14000004 O EL1h_n : B 0x1014"),
            Some(0x1014),
        );
        check(
            &last("IT (2) 00001004 97fffffe O EL1h_n : BL 0xffc"),
            Some(0xffc),
        );
        check(&branch("60000005"), Some(0x1014));
        check(&branch("20000005"), Some(0x1008));
        check(
            &last("IS (2) 00001004 54000080 O EL1h_n : B.EQ 0x1014"),
            Some(0x1008),
        );
        check(
            &last("IT (2) 00001004 d61f0060 O EL1h_n : BR x3"),
            Some(0x5000),
        );
    }

    #[test]
    fn what_the_last_step_does_not_tell_is_unknown() {
        let last = |line: &str| format!("{BEFORE}2 clk {line}\n");
        check(&last("IT (2) 00001004 d61f0080 O EL1h_n : BR x4"), None);
        check(
            &last("IT (2) 00001004 b4000080 O EL1h_n : CBZ x0,0x1014"),
            None,
        );
        // gem5 and the ES form print a branch that falls through in the same way.
        check(
            &last("IT (2) 00001004 54000080 O EL1h_n : B.EQ 0x1014"),
            None,
        );
        check(&last("ES (00001004:54000080) O EL1h_n : B.EQ 0x1014"), None);
        check(&last("IT (2) 00001004 d4000001 O EL1h_n : SVC #0"), None);
        check(&last("IT (2) 00001004 00000000 O EL1h_n : UDF #0"), None);
        check(
            &last(
                "IT (2) 00001004 d503201f O EL1h_n : NOP\n2 clk E 00001008 irq 00000019 CoreEvent_IRQ",
            ),
            None,
        );
        let stale = "1 clk R pc 0000000000001004\n";
        check(
            &format!("{BEFORE}{stale}2 clk IT (2) 00001004 d61f0080 O EL1h_n : BR x4\n"),
            None,
        );
    }

    #[test]
    fn a_branch_of_aarch32_is_taken_when_its_condition_holds() {
        let before = "1 clk IT (1) 00001000 e1a00000 A svc : NOP\n1 clk R r3 00005001\n";
        check(
            &format!("{before}2 clk IT (2) 00001004 0a000001 A svc : BEQ 0x1010\n"),
            Some(0x1010),
        );
        check(
            &format!("{before}2 clk IS (2) 00001004 0a000001 A svc : BEQ 0x1010\n"),
            Some(0x1008),
        );
        check(
            &format!("{before}2 clk IT (2) 00001004 e12fff13 A svc : BX r3\n"),
            Some(0x5000),
        );
        check(
            &format!("{before}2 clk IT (2) 00001004 b103 T svc : CBZ r3,0x1008\n"),
            None,
        );
        // FNC_RETURN of Armv8-M leads to an address on the Secure stack (DDI 0553, B3.21).
        let secure = "1 clk IT (1) 00001000 bf00 T thread_ns : NOP\n1 clk R r14 feffffff\n";
        check(
            &format!("{secure}2 clk IT (2) 00001002 4770 T thread_ns : BX lr\n"),
            None,
        );
    }

    /// A thread whose last step was long before those of others is at that step's target.
    #[test]
    fn each_thread_ends_where_its_own_last_step_leads() {
        let text = "1 clk cpu0 IT (1) 00001000 14000004 O EL1h_n : B 0x1010\n\
                    2 clk cpu1 IT (1) 00002000 d503201f O EL1h_n : NOP\n\
                    3 clk cpu1 IT (2) 00002004 d503201f O EL1h_n : NOP\n";
        check(text, Some(0x1010));
    }
}
