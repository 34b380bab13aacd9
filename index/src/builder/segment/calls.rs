//! Input of the call search and of the search for semihosting calls.

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{InstructionSet, RegisterId};
use stepback_parsers::{RegisterWrite, StepEvent, TextEvent, TextKind};

use crate::answers::step_record::HostOperation;
use crate::builder::segment::sealed::{SealedSegment, SegmentCalls};
use crate::builder::segment::transfers::{SP, ThreadEnd, TrackedRegister, Transfers};
use crate::builder::segment::turns::ControlTurns;
use crate::builder::semihosting::call::HostCall;

/// Collects the places where calls may begin and end.
#[derive(Debug, Default)]
pub(crate) struct CallColumns {
    /// For each register outside the table, the stack pointer that its name means, if any.
    named_stacks: Vec<Option<RegisterId>>,
    threads: Vec<ThreadEnd>,
    transfers: Transfers,
    pub turns: ControlTurns,
    host_calls: Vec<HostCall>,
}

impl CallColumns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.named_stacks.clear();
        self.threads.clear();
        self.turns.begin_task();
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self) {
        self.threads.push(ThreadEnd::carried());
        self.turns.add_thread();
    }

    /// Adds the next register outside the table.
    pub fn add_name(&mut self, name: &str) {
        let banked = InstructionSet::banked_anywhere(name)
            .filter(|banked| banked.plain.register == RegisterId::SP);
        let mode = banked.and_then(|banked| banked.bank.mode());
        self.named_stacks
            .push(mode.map(|mode| mode.home(RegisterId::SP)));
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        // The sequential pass carries the threads' states over; a slot of the segment before means
        // nothing here.
        self.threads
            .iter_mut()
            .for_each(|thread| *thread = ThreadEnd::carried());
        self.transfers.clear();
        self.turns.clear();
        self.host_calls.clear();
    }

    /// Records a step.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>) {
        if step.branch != RecordedBranch::Unsaid {
            self.turns.begin_step(slot, step);
            return;
        }
        let thread = &mut self.threads[usize::from(step.thread.0)];
        thread.begin_step(slot, step, &mut self.transfers);
    }

    /// Records a semihosting call, unless it is known to write no memory, as most are.
    #[cold]
    pub fn note_host_call(&mut self, slot: u32, thread: u16) {
        let operation = self.threads[usize::from(thread)].core[0];
        if !matches!(operation, TrackedRegister::Known(number) if !HostOperation::is_in(number)) {
            let carried_by = (operation == TrackedRegister::Carry).then_some(thread);
            self.host_calls.push(HostCall { slot, carried_by });
        }
    }

    /// Records a write of a register.
    #[inline(always)]
    pub fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let thread = &mut self.threads[usize::from(write.thread.0)];
        let number = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let named_stack = || self.named_stacks.get(usize::from(number?)).copied()?;
        if write.is_bank_copy() {
            if thread.last.is_none()
                && let Some(stack) = named_stack()
            {
                thread.early_stack_write(stack, write);
            }
        } else if number.is_none() {
            thread.register_write(write);
            if write.view.register == RegisterId::SP {
                self.turns.stack_write(write.thread, thread.core[SP]);
            }
        } else if let Some(stack) = named_stack() {
            thread.other_stack_write(stack, write.bytes);
        }
    }

    /// Records text about an exception.
    pub fn text(&mut self, slot: u32, event: &TextEvent<'_>) {
        if event.kind != TextKind::Exception {
            return;
        }
        let number = event.thread.0;
        let Some(thread) = self.threads.get_mut(usize::from(number)) else {
            return;
        };
        thread.has_words = true;
        self.turns.exception_text(number);
        // The line with the time of the exception's first step precedes the text and was ordered
        // after it. A step that comes later may be in another segment: then the text applies only
        // to the next transfer.
        let mut late = self
            .transfers
            .list
            .iter_mut()
            .rev()
            .take_while(|transfer| transfer.slot >= slot);
        if let Some(transfer) = late.find(|transfer| transfer.thread == number) {
            (transfer.has_words, transfer.is_plain) = (true, false);
        }
    }

    /// Hands over what was collected.
    pub fn finish(&mut self, sealed: &mut SealedSegment) {
        let (turns, turn_ends) = self.turns.take();
        sealed.calls = SegmentCalls {
            transfers: self.transfers.take(),
            thread_ends: self.threads.clone(),
            turns,
            turn_ends,
        };
        sealed.host_calls = self.host_calls.clone();
    }
}
