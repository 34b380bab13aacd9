//! Heuristic that finds the calls and returns of a thread without decoding.
//!
//! After a transfer of control to `a`: if a call is pending with the same stack pointer and `a` as
//! its return address, it returned. Otherwise, if the link register was written at most 7 steps ago
//! with an address shortly after the step before, a call is pending. A stack pointer that rises
//! above that of a pending call shows that the call is over.
//!
//! An exception is a frame too (`jump.rs` has its signs), and has a separate stack: inside
//! it no call outside is over, and when it ends the stack pointer has its earlier value again.
//! Handlers of the M profile may be tail-chained: one ends, the next begins, and the code
//! interrupted by the first one stays interrupted. A call into the other security state of the M
//! profile has separate stacks too, and returns by its address only. A thread may switch between
//! several stacks (`stacks.rs` lists the signs): the frames of each are found separately.
//!
//! Logs of RISC-V often show a trap only by the handler that follows: it begins where a register
//! said that handlers begin, or accesses what a trap writes, and the step before led elsewhere.
//!
//! This is the heuristic of the Tarmac tools, with these differences. A call made before the stack
//! pointer was ever seen is matched by its return address only. A later call with the same stack
//! pointer and return address replaces one that never returned. A jump out of several frames, or to
//! a return point with the same stack pointer, also ends the calls made with that stack pointer,
//! since the destination is their caller. They stay if they return after all. A return that no call
//! explains ends the outermost known frame of the stack, and goes to its caller (`pending.rs`).
//! This requires that nothing is pending for certain, and that the stack pointer is not below its
//! earlier values. An exception return that no exception explains ends that frame too, unless it
//! resumes code that control left before without any sign of an exception: the trace began inside
//! the handler. A return that is a thread's last step is decoded. Certain calls that never return
//! are kept: those with a step that itself wrote the next address into the link register, or that
//! is a call by its encoding while the next address is there.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::{Address, RegisterId};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::calls::jump::{
    JumpContext, StackWrite, call_target, entry_evidence, exception, has_exception_return,
    is_diverted, is_exception_return, is_nested, is_tail_chained,
};
use crate::builder::calls::pending::{
    PendingFrame, PendingKind, ReturnKey, RootEntry, RootFrame, StackId, may_resume_at,
};
use crate::builder::calls::pending_frames::{PendingFrames, ReturnedCall};
use crate::builder::calls::spool::CollectedCalls;
use crate::builder::calls::stacks::{CallStacks, NextStack, RetainedCounts};
use crate::builder::segment::transfers::{
    AGE_LIMIT, CORE, EarlyStacks, LastStep, OtherStack, SP, SpSet, ThreadEnd, TrackedRegister,
    Transfer, TransferRegisters, link_place,
};
use crate::store::calls::encoder::CallFrame;
use crate::store::calls::stacks::StackSwitch;

/// Finds the calls of a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThreadFinder {
    number: u16,
    last: Option<(u64, LastStep)>,
    #[serde(with = "crate::builder::calls::core_registers")]
    core: [Option<u64>; CORE],
    /// Step that wrote the stack pointer last.
    sp_step: Option<u64>,
    /// Stack pointer restored by a step that returned from an exception, until it is written.
    sp_again: Option<(u64, Option<u64>)>,
    sp_high: Option<u64>,
    /// Last write of a stack pointer that was not in use: the step, the register and its value.
    other_stack: Option<(u64, RegisterId, Option<u64>)>,
    is_sp_set: bool,
    /// Used until the first step.
    early_stacks: EarlyStacks,
    lr_age: u8,
    has_words: bool,
    /// True if a call wrote no recorded return address: returns then say nothing about callers.
    has_blind_calls: bool,
    /// Last step after which control went elsewhere without any sign of an exception.
    diverted_after: Option<LastStep>,
    /// Values of the registers with the address of trap handlers, oldest first.
    handler_bases: Vec<u64>,
    /// Such values of the current segment that no transfer came after, with their slots.
    later_bases: VecDeque<(u32, u64)>,
    stacks: CallStacks,
}

/// Maximum distance of the link register from the address after a call: a delay slot, a literal, a
/// long call sequence.
const RETURN_DISTANCE: u64 = 64;

/// Maximum number of known addresses of trap handlers.
const HANDLER_BASES: usize = 8;

/// Number of bytes that a call from the Secure to the Non-secure state stores on the stack (DDI
/// 0553, "BLXNS").
const STATE_FRAME_BYTES: u64 = 8;

/// Returns the step of a slot, which is at least 1.
pub fn step_of(base: u64, slot: u32) -> u64 {
    (base + u64::from(slot)).saturating_sub(1)
}

impl ThreadFinder {
    /// Creates a thread with the index's number.
    pub fn new(number: u16) -> Self {
        Self {
            number,
            last: None,
            core: [None; CORE],
            sp_step: None,
            sp_again: None,
            sp_high: None,
            other_stack: None,
            is_sp_set: false,
            early_stacks: EarlyStacks::default(),
            lr_age: 0,
            has_words: false,
            has_blind_calls: false,
            diverted_after: None,
            handler_bases: Vec::new(),
            later_bases: VecDeque::new(),
            stacks: CallStacks::default(),
        }
    }

    /// Returns true if the state can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        let mut stacks = self.stacks.iter().map(|(_, stack)| stack);
        self.lr_age <= AGE_LIMIT
            && self.stacks.is_consistent()
            && stacks.all(|stack| stack.pending.is_consistent())
    }

    /// Returns `r0` at the end of the segments taken; none if unknown.
    pub fn first_register(&self) -> Option<u64> {
        self.core.first().copied().flatten()
    }

    /// Takes the thread's next transfer of control in a segment with steps from `base`; returns
    /// true if nothing begins or ends with it.
    #[inline]
    pub fn pass_plainly(
        &mut self,
        base: u64,
        transfer: &Transfer,
        registers: &TransferRegisters,
    ) -> bool {
        if !transfer.is_plain || self.sp_high.is_some() || self.is_sp_set {
            return false;
        }
        let Some(last) = transfer.before else {
            return false;
        };
        let sp_step = self.sp_step_of(base, registers.sp_slot);
        let sp = self.sp_in_use(registers.sp.resolve(self.core[SP]), sp_step);
        let key = ReturnKey {
            sp,
            target: transfer.instruction_set.marked_address(transfer.pc),
        };
        let pending = self.stacks.pending();
        if pending.resumed_at(transfer.pc).is_some() || pending.returning_to(key).is_some() {
            return false;
        }
        pending.suspect_jump(key, &[], step_of(base, last.slot));
        pending.note_sp(sp, sp_step);
        true
    }

    /// Takes the thread's next transfer of control in a segment with steps from `base`.
    pub fn transfer(
        &mut self,
        base: u64,
        transfer: &Transfer,
        registers: &TransferRegisters,
        found: &mut CollectedCalls,
    ) {
        let step = step_of(base, transfer.slot);
        let age = transfer.lr_age
            + if transfer.is_age_carried {
                self.lr_age
            } else {
                0
            };
        let mut has_words = transfer.has_words;
        if transfer.is_first {
            self.lr_age = age.min(AGE_LIMIT);
            has_words |= std::mem::take(&mut self.has_words);
        }
        let before = transfer.before.map(|last| (step_of(base, last.slot), last));
        let Some((last_step, last)) = before.or(self.last) else {
            self.begin(step, transfer.pc, registers.stack_in_use);
            return;
        };
        self.sp_high = self.sp_high.max(registers.sp_high);
        self.note_set(registers.sp_set);
        self.take_bases(transfer.slot);
        if transfer.is_first && (last.next_pc() ^ transfer.pc) & !1 == 0 {
            return;
        }
        if transfer.is_first {
            self.lr_age = AGE_LIMIT;
        }
        let sp_step = self.sp_step_of(base, registers.sp_slot);
        let control = last.control();
        let jump = JumpContext {
            last_step,
            last,
            control,
            flow: if last.is_executed {
                control.flow
            } else {
                FlowKind::Next
            },
            step,
            pc: transfer.pc,
            opcode: transfer.opcode,
            length_bytes: transfer.length_bytes,
            instruction_set: transfer.instruction_set,
            sp: self.sp_in_use(registers.sp.resolve(self.core[SP]), sp_step),
            sp_step,
            other_stack: self.other_stack_at(base, registers),
            is_sp_set: std::mem::take(&mut self.is_sp_set),
            lr: registers
                .lr
                .resolve(self.core[link_place(transfer.instruction_set)]),
            age,
            has_words,
            is_elsewhere: last.is_executed
                && last.instruction_set.has_silent_traps()
                && self.is_elsewhere(control.target, transfer.pc, registers.jump_value),
            is_at_base: self.is_at_base(transfer),
        };
        self.jump(&jump, found);
        let sp = self.sp_in_use(jump.sp, sp_step);
        self.stacks.pending().note_sp(sp, sp_step);
    }

    /// Records the addresses of trap handlers that were set before a slot.
    fn take_bases(&mut self, slot: u32) {
        while let Some((set_at, base)) = self.later_bases.front().copied()
            && set_at < slot
        {
            self.later_bases.pop_front();
            self.handler_bases.retain(|known| *known != base);
            if self.handler_bases.len() == HANDLER_BASES {
                self.handler_bases.remove(0);
            }
            self.handler_bases.push(base);
        }
    }

    /// Returns true if a jump to `target`, a register perhaps with this value, is known not to go to
    /// `pc`.
    fn is_elsewhere(&self, target: BranchTarget, pc: u64, value: TrackedRegister) -> bool {
        let target = match target {
            BranchTarget::Address(address) => Some(address),
            BranchTarget::Register(register) => self
                .core
                .get(usize::from(register.0))
                .and_then(|carried| value.resolve(*carried)),
            BranchTarget::Unsaid => None,
        };
        target.is_some_and(|target| (target ^ pc) & !1 != 0)
    }

    fn is_at_base(&self, transfer: &Transfer) -> bool {
        let pc = Address(transfer.pc);
        let is_entry = |base: &u64| transfer.instruction_set.is_handler_entry(*base, pc);
        self.handler_bases.iter().any(is_entry)
    }

    /// Takes the thread's first step. The stack pointer is the bank that its mode uses, if lines
    /// before it name several.
    fn begin(&mut self, step: u64, pc: u64, stack_in_use: Option<RegisterId>) {
        self.stacks.in_use_mut().root = Some(RootFrame::start(RootEntry { step, pc }));
        (self.sp_high, self.is_sp_set) = (None, false);
        let chosen = std::mem::take(&mut self.early_stacks).chosen(stack_in_use);
        self.sp_again = chosen.map(|sp| (step, sp));
    }

    fn note_set(&mut self, set: SpSet) {
        let by_last = || self.last.is_some_and(|(_, last)| !last.is_sp_relative());
        self.is_sp_set |= set.is_set || set.is_early && by_last();
    }

    /// Returns the step that wrote the stack pointer last, given the slot that a segment recorded.
    fn sp_step_of(&self, base: u64, slot: Option<u32>) -> Option<u64> {
        match slot {
            None => self.sp_step,
            // After the last step of an earlier segment.
            Some(0) => self.last.map(|(step, _)| step),
            Some(slot) => Some(step_of(base, slot)),
        }
    }

    /// Returns the last write of the stack pointer that the step of a transfer uses, if it was made
    /// while another was in use.
    fn other_stack_at(&self, base: u64, registers: &TransferRegisters) -> Option<StackWrite> {
        let (step, register, value) = self.other_stack_of(base, registers.other_stack)?;
        let is_used = registers
            .stack_in_use
            .is_none_or(|in_use| in_use == register);
        value.filter(|_| is_used).map(|sp| StackWrite { step, sp })
    }

    /// Returns the last write of a stack pointer that was not in use, given the one that a segment
    /// recorded.
    fn other_stack_of(
        &self,
        base: u64,
        noted: Option<OtherStack>,
    ) -> Option<(u64, RegisterId, Option<u64>)> {
        let Some(OtherStack {
            slot,
            register,
            value,
        }) = noted
        else {
            return self.other_stack;
        };
        let before = self.last.map_or(0, |(step, _)| step);
        Some((
            if slot == 0 {
                before
            } else {
                step_of(base, slot)
            },
            register,
            value,
        ))
    }

    /// Returns the stack pointer, which the end of an exception restores unless it was written
    /// since.
    fn sp_in_use(&self, sp: Option<u64>, written: Option<u64>) -> Option<u64> {
        match self.sp_again {
            Some((since, again)) if written.is_none_or(|written| written < since) => again,
            _ => sp,
        }
    }

    fn jump(&mut self, jump: &JumpContext, found: &mut CollectedCalls) {
        let key = jump.key();
        let risen = self.sp_high.take();
        if let Some(place) = self.exception_left_by(jump) {
            self.leave_exception(place, jump, found);
            return;
        }
        let is_jump = !matches!(jump.flow, FlowKind::Next | FlowKind::Trap);
        if self.leaves_unseen_exception(jump) {
            self.leave_unseen_exception(jump, found);
            return;
        }
        let evidence = exception(jump);
        if let Some(evidence) =
            evidence.filter(|_| !is_jump || self.stacks.pending().returning_to(key).is_none())
        {
            let is_linked = has_exception_return(jump);
            let kind = PendingKind::Exception {
                evidence,
                interrupted: jump.last,
                interrupted_step: jump.last_step,
                is_linked,
            };
            self.stacks.pending().push(PendingFrame {
                key,
                ..pending(jump, kind)
            });
            return;
        }
        if is_diverted(jump) {
            self.diverted_after = Some(jump.last);
        }
        if let Some(turn) = self.stacks.turned_by_set(jump, key) {
            self.turn(turn, jump, found);
            self.close_returned(key, jump.last_step, found);
            return;
        }
        let is_elsewhere = jump.is_sp_set && self.stacks.pending().range().is_far_below(jump.sp);
        let lost = self
            .stacks
            .pending()
            .lose_below(risen.filter(|_| !is_elsewhere));
        let returning = self.stacks.pending().returning_to(key);
        let state_call = returning.and_then(|place| Some(self.stacks.pending().get(place)?.kind));
        let returned = self.close_at(returning, jump.last_step, found);
        let left = if returned {
            FrameExit::Skipped
        } else {
            FrameExit::Longjmp
        };
        self.close(&lost, jump.last_step, left, found);
        if returned {
            if let Some(PendingKind::StateCall { sp }) = state_call {
                self.return_to_state(sp, jump);
            }
            return;
        }
        self.stacks
            .pending()
            .suspect_jump(key, &lost, jump.last_step);
        let expected = jump.last.return_address();
        if jump.changes_state() {
            // A function of the other state returns by the address only: its stack pointers are
            // different.
            let is_stored = jump
                .lr
                .is_some_and(|lr| jump.instruction_set.is_function_return_value(lr));
            let stored = if is_stored { STATE_FRAME_BYTES } else { 0 };
            let kind = PendingKind::StateCall {
                sp: jump.sp.map(|sp| sp.wrapping_add(stored)),
            };
            self.call(
                PendingFrame {
                    key: ReturnKey {
                        sp: None,
                        target: expected,
                    },
                    ..pending(jump, kind)
                },
                found,
            );
            return;
        }
        // Logs that list only changed registers do not show that a call writes what is there.
        let is_unchanged = jump.flow == FlowKind::Call && jump.lr == Some(expected);
        let is_fresh = |lr: u64| jump.age < AGE_LIMIT && lr.abs_diff(expected) < RETURN_DISTANCE;
        if let Some(lr) = jump.lr.filter(|lr| is_unchanged || is_fresh(*lr)) {
            let kind = if is_unchanged || lr == expected && jump.age == 1 {
                PendingKind::Call
            } else {
                PendingKind::Maybe
            };
            self.call(
                PendingFrame {
                    key: ReturnKey {
                        sp: jump.sp,
                        target: lr,
                    },
                    ..pending(jump, kind)
                },
                found,
            );
            return;
        }
        self.has_blind_calls |= jump.flow == FlowKind::Call && jump.lr.is_none();
        if jump.flow == FlowKind::Return && !lost.iter().any(PendingFrame::is_certain_call) {
            self.return_from_root(jump, found);
        }
    }

    /// Returns to the calling security state, with the stack pointer that was in use there.
    fn return_to_state(&mut self, sp: Option<u64>, jump: &JumpContext) {
        let set = jump.stack_set_since(jump.last_step);
        self.sp_again = Some((jump.last_step.saturating_add(1), set.or(sp)));
    }

    /// Handles a return that matches no call: it leaves the outermost known frame, if nothing
    /// contradicts that.
    fn return_from_root(&mut self, jump: &JumpContext, found: &mut CollectedCalls) {
        let pending = self.stacks.pending();
        let is_out = pending.has_nothing_certain() && !pending.range().is_above(jump.sp);
        let Some(root) = self
            .stacks
            .in_use()
            .root
            .filter(|root| root.may_return() && is_out)
        else {
            return;
        };
        if self.has_blind_calls {
            return;
        }
        self.stacks.pending().take_from(0);
        let on = self.stack(self.stacks.current());
        found
            .frames
            .extend([root.frame(on, Some(jump.last_step), FrameExit::Return)]);
        let entry = RootEntry {
            step: jump.step,
            pc: jump.pc,
        };
        self.stacks.in_use_mut().root = Some(RootFrame::caller(jump.last_step, entry));
    }

    fn leaves_unseen_exception(&mut self, jump: &JumpContext) -> bool {
        // If the last step wrote such a link value, an exception begins here.
        let is_entry = has_exception_return(jump) && jump.age == 1;
        // If control resumes code that it left before, the exception was not recognised as one.
        let is_resuming = self
            .diverted_after
            .is_some_and(|last| may_resume_at(&last, jump.pc));
        is_exception_return(jump)
            && !is_entry
            && !is_resuming
            && self.stacks.pending().has_nothing_certain()
    }

    /// Handles the end of a handler in which the trace began.
    fn leave_unseen_exception(&mut self, jump: &JumpContext, found: &mut CollectedCalls) {
        let over = self.stacks.pending().take_from(0);
        self.close(&over, jump.last_step, FrameExit::Skipped, found);
        let on = self.stack(self.stacks.current());
        let stack = self.stacks.in_use_mut();
        stack.pending = PendingFrames::default();
        let entry = RootEntry {
            step: jump.step,
            pc: jump.pc,
        };
        let handler = stack.root.replace(RootFrame::caller(jump.last_step, entry));
        found
            .frames
            .extend(handler.map(|root| root.frame(on, Some(jump.last_step), FrameExit::Return)));
        // The current stack pointer is the handler's own.
        self.sp_again = Some((jump.last_step, None));
        self.use_set_stack(jump.other_stack.map(|write| write.sp), jump);
    }

    /// Makes the stack pointer that was set while another was in use the current one.
    fn use_set_stack(&mut self, set: Option<u64>, jump: &JumpContext) {
        if set.is_some() {
            self.sp_again = Some((jump.last_step.saturating_add(1), set));
        }
    }

    fn call(&mut self, call: PendingFrame, found: &mut CollectedCalls) {
        if let Some(place) = self.stacks.pending().repeated(call.key) {
            if matches!(call.kind, PendingKind::Maybe) {
                return;
            }
            let over = self.stacks.pending().take_from(place);
            self.close(&over, call.call_step, FrameExit::Longjmp, found);
        }
        self.stacks.pending().push(call);
    }

    fn exception_left_by(&mut self, jump: &JumpContext) -> Option<usize> {
        let pending = self.stacks.pending();
        if is_exception_return(jump) {
            let is_left = |place: &usize| {
                pending
                    .get(*place)
                    .is_some_and(|exception| !is_nested(exception, jump))
            };
            return pending.left_to(jump.pc).filter(is_left);
        }
        let linked = pending
            .linked()
            .filter(|_| jump.flow == FlowKind::Return)
            .and_then(|_| pending.left_to(jump.pc));
        let is_other = || jump.flow == FlowKind::Call || pending.returning_to(jump.key()).is_some();
        linked
            .or_else(|| pending.resumed_at(jump.pc))
            .filter(|_| !is_other())
    }

    fn leave_exception(&mut self, place: usize, jump: &JumpContext, found: &mut CollectedCalls) {
        let Some(exception) = self.stacks.pending().get(place).copied() else {
            return;
        };
        if is_tail_chained(&exception, jump) {
            self.chain_exception(place, jump, found);
            return;
        }
        let turn = self.stacks.turned_by_return(place, &exception, jump);
        let is_handlers = self.stacks.pending().range().contains(jump.sp);
        let over = self.stacks.pending().take_from(place);
        self.close(
            over.get(1..).unwrap_or_default(),
            jump.last_step,
            FrameExit::Skipped,
            found,
        );
        self.close(&[exception], jump.last_step, FrameExit::Return, found);
        let PendingKind::Exception {
            interrupted,
            interrupted_step,
            ..
        } = exception.kind
        else {
            return;
        };
        let set = jump.stack_set_since(interrupted_step.saturating_add(1));
        let sp = set.or(exception.key.sp);
        if let Some(turn) = turn {
            self.stacks.in_use_mut().turned_away_by = Some(exception);
            self.turn(turn, jump, found);
            let resumed = self.stacks.in_use_mut().turned_away_by.take();
            // The known stack pointer may be the handler's own.
            self.sp_again = match resumed {
                Some(resumed) => Some((jump.last_step, resumed.key.sp)),
                None if is_handlers => Some((jump.last_step, None)),
                None => self.sp_again,
            };
            self.use_set_stack(set, jump);
            let key = ReturnKey {
                sp: self.sp_in_use(jump.sp, jump.sp_step),
                target: jump.target(),
            };
            self.close_returned(key, jump.last_step, found);
            return;
        }
        self.sp_again = Some((jump.last_step, sp));
        self.use_set_stack(set, jump);
        if (interrupted.next_pc() ^ jump.pc) & !1 == 0 || (interrupted.pc ^ jump.pc) & !1 == 0 {
            return;
        }
        // The interrupted instruction was a jump that now takes effect.
        let lr = interrupted.return_address();
        if interrupted.control().flow == FlowKind::Call && jump.lr == Some(lr) {
            let call = PendingFrame {
                key: ReturnKey { sp, target: lr },
                call_step: interrupted_step,
                ..pending(jump, PendingKind::Call)
            };
            self.call(call, found);
        } else {
            self.close_returned(
                ReturnKey {
                    sp,
                    target: jump.target(),
                },
                interrupted_step,
                found,
            );
        }
    }

    /// Replaces a pending handler with another one.
    fn chain_exception(&mut self, place: usize, jump: &JumpContext, found: &mut CollectedCalls) {
        let over = self.stacks.pending().take_from(place);
        let Some((exception, inside)) = over.split_first() else {
            return;
        };
        self.close(&[*exception], jump.last_step, FrameExit::Return, found);
        self.close(inside, jump.last_step, FrameExit::Skipped, found);
        let PendingKind::Exception {
            interrupted,
            interrupted_step,
            ..
        } = exception.kind
        else {
            return;
        };
        let evidence = entry_evidence(jump);
        let kind = PendingKind::Exception {
            evidence,
            interrupted,
            interrupted_step,
            is_linked: has_exception_return(jump),
        };
        self.stacks.pending().push(PendingFrame {
            key: exception.key,
            ..pending(jump, kind)
        });
    }

    fn turn(&mut self, turn: NextStack, jump: &JumpContext, found: &mut CollectedCalls) {
        self.stacks.turn(turn);
        let (thread, after, stack) = (self.number, jump.last_step, self.stacks.current());
        found.switches.push(StackSwitch {
            thread,
            after,
            stack,
        });
        if turn == NextStack::New {
            let entry = RootEntry {
                step: jump.step,
                pc: jump.pc,
            };
            self.stacks.in_use_mut().root = Some(RootFrame::switched(jump.last_step, entry));
        }
    }

    /// Closes the pending call that returns by this key, and those made inside it.
    fn close_returned(
        &mut self,
        key: ReturnKey,
        exit_step: u64,
        found: &mut CollectedCalls,
    ) -> bool {
        let place = self.stacks.pending().returning_to(key);
        self.close_at(place, exit_step, found)
    }

    fn close_at(
        &mut self,
        place: Option<usize>,
        exit_step: u64,
        found: &mut CollectedCalls,
    ) -> bool {
        let Some(place) = place else { return false };
        let over = self.stacks.pending().take_from(place);
        let Some((call, inside)) = over.split_first() else {
            return false;
        };
        self.stacks.pending().note_return(
            call.key,
            ReturnedCall {
                pending: place,
                step: exit_step,
            },
        );
        self.stacks.pending().confirm_return(call);
        self.close(&[*call], exit_step, FrameExit::Return, found);
        self.close(inside, exit_step, FrameExit::Skipped, found);
        true
    }

    fn stack(&self, stack: u32) -> StackId {
        StackId {
            thread: self.number,
            stack,
        }
    }

    fn close(
        &self,
        over: &[PendingFrame],
        exit_step: u64,
        left: FrameExit,
        found: &mut CollectedCalls,
    ) {
        let stack = self.stack(self.stacks.current());
        found.frames.extend(
            over.iter()
                .filter_map(|pending| pending.frame(stack, Some(exit_step), left)),
        );
    }

    /// Returns the number of frames and return points on all its stacks. O(1).
    pub fn kept(&self) -> RetainedCounts {
        self.stacks.kept()
    }

    /// Keeps `count` of the most recent return points, divided among its stacks.
    pub fn keep_newest_points(&mut self, count: usize) {
        let each = count / self.stacks.iter().count();
        self.stacks
            .change_each(|_, stack| stack.pending.keep_newest_points(each));
    }

    /// Keeps `count` of the innermost frames, divided among its stacks; the outer ones count as
    /// never left.
    pub fn keep_innermost(&mut self, count: usize, found: &mut CollectedCalls) {
        let (each, thread) = (count / self.stacks.iter().count(), self.number);
        self.stacks.change_each(|number, stack| {
            let gone = stack.pending.len().saturating_sub(each);
            let place = StackId {
                thread,
                stack: number as u32,
            };
            let outermost = stack.pending.take_outermost(gone);
            if gone > 0 {
                stack.root.iter_mut().for_each(RootFrame::lose_frames);
            }
            found.frames.extend(
                outermost
                    .iter()
                    .filter_map(|pending| pending.frame(place, None, FrameExit::Open)),
            );
        });
    }

    /// Takes the stack pointers named in the next segment by lines before the thread's first step.
    pub fn begin_segment(&mut self, end: &ThreadEnd) {
        if self.last.is_none() {
            self.early_stacks.extend(&end.early_stacks);
        }
        self.later_bases.extend(&end.handler_bases);
    }

    /// Takes the thread's state at the end of a segment.
    pub fn end_segment(&mut self, base: u64, end: &ThreadEnd) {
        self.take_bases(u32::MAX);
        self.core
            .iter_mut()
            .zip(end.core)
            .for_each(|(value, later)| *value = later.resolve(*value));
        self.sp_step = self.sp_step_of(base, end.sp_slot);
        self.sp_high = self.sp_high.max(end.sp_high);
        self.other_stack = self.other_stack_of(base, end.other_stack);
        self.note_set(end.sp_set);
        let carried = if end.is_age_carried { self.lr_age } else { 0 };
        self.lr_age = (carried + end.lr_age).min(AGE_LIMIT);
        if let Some(last) = end.last {
            self.last = Some((step_of(base, last.slot), last));
            self.has_words = false;
        }
        self.has_words |= end.has_words;
    }

    /// Adds the frames that are open at the end of the trace.
    pub fn end_trace(&mut self, found: &mut CollectedCalls) {
        let Some((last_step, last)) = self.last else {
            return;
        };
        self.core[SP] = self.sp_in_use(self.core[SP], self.sp_step);
        match last.control().flow {
            _ if !last.is_executed => {}
            FlowKind::Return => self.end_with_return(last_step, last, found),
            FlowKind::ExceptionReturn => {
                let innermost = self.stacks.pending().left_to(last.next_pc());
                let over = innermost
                    .map(|place| self.stacks.pending().take_from(place))
                    .unwrap_or_default();
                if let Some((left, inside)) = over.split_first() {
                    self.close(&[*left], last_step, FrameExit::Return, found);
                    self.close(inside, last_step, FrameExit::Skipped, found);
                }
            }
            _ => {}
        }
        for (stack, frames) in self.stacks.iter() {
            let place = self.stack(stack);
            found.frames.extend(
                frames
                    .pending
                    .iter()
                    .filter_map(|pending| pending.frame(place, None, FrameExit::Open)),
            );
            found.frames.extend(
                frames
                    .root
                    .map(|root| root.frame(place, None, FrameExit::Open)),
            );
        }
        if let Some(function) = self.last_call(last) {
            found.frames.extend([CallFrame {
                thread: self.number,
                stack: self.stacks.current(),
                function,
                call_step: Some(last_step),
                entry_step: None,
                exit_step: None,
                entered: FrameEntry::Call,
                left: FrameExit::Open,
                evidence: Evidence::Link,
            }]);
        }
    }

    fn end_with_return(&mut self, last_step: u64, last: LastStep, found: &mut CollectedCalls) {
        let risen = self.sp_high.take();
        let lost = self.stacks.pending().lose_below(risen);
        let (sp, link) = (self.core[SP], self.core[link_place(last.instruction_set)]);
        let pending = self.stacks.pending();
        let by_link = link.and_then(|link| pending.returning_to(ReturnKey { sp, target: link }));
        // It may return to an address that it loaded from the stack.
        let place = by_link.or_else(|| pending.made_with(sp));
        self.close_at(place, last_step, found);
        self.close(&lost, last_step, FrameExit::Skipped, found);
    }

    /// Returns the target of the last step, if that is an executed call: it wrote the link
    /// register.
    fn last_call(&self, last: LastStep) -> Option<u64> {
        let is_done = last.is_executed && self.lr_age == 0;
        let link = self.core[link_place(last.instruction_set)];
        call_target(&last, &self.core).filter(|_| is_done && link == Some(last.return_address()))
    }
}

/// Returns the frame that a transfer of control begins.
fn pending(jump: &JumpContext, kind: PendingKind) -> PendingFrame {
    let JumpContext {
        last_step: call_step,
        step: entry_step,
        pc: function,
        ..
    } = *jump;
    PendingFrame {
        key: ReturnKey::default(),
        call_step,
        entry_step,
        function,
        kind,
        jumped_out: None,
    }
}
