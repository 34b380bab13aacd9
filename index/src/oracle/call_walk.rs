//! Finds the calls of a thread in a pass over its events.

use std::collections::{HashMap, HashSet};

use stepback_machine::naive::{LINK_A64, NaiveCallTarget, NaiveFlow};
use stepback_machine::{Address, RegisterId};
use stepback_parsers::{Step, TextKind, WrittenName};

use crate::answers::call::{Call, Evidence, FrameEntry, FrameExit};
use crate::answers::cell::ThreadId;
use crate::oracle::call_frames::{
    InterruptedStep, OracleEntry, OracleFrame, OracleFrameKind, OracleJump, OracleRoot,
    OracleStack, is_above, is_near, is_within, may_resume_at, next_pc,
};
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;

/// One more than the number of steps after a write of the link register within which a transfer of
/// control can be a call.
const AGE_LIMIT: u8 = 8;
/// Maximum distance in bytes of the link register from the address after a call.
const RETURN_DISTANCE: u64 = 64;

/// A pass over the events of a thread.
pub(super) struct OracleCallWalk<'a> {
    oracle: &'a Oracle,
    pub(super) thread: ThreadId,
    /// Switches to other stacks.
    pub(super) turns: Vec<(ThreadId, Step, usize)>,
    /// Found calls, with the numbers of their stacks.
    pub(super) calls: Vec<(usize, Call)>,
    /// The current stack, and its number.
    stack: OracleStack<'a>,
    number: usize,
    /// All stacks; the current one is moved to `stack` meanwhile.
    stacks: Vec<OracleStack<'a>>,
    last: Option<(Step, &'a OracleStep)>,
    /// Known values of registers.
    values: HashMap<RegisterId, u64>,
    /// Stack pointer restored by the end of an exception, until it is written.
    sp_again: Option<Option<u64>>,
    /// Last write of a stack pointer that was not in use.
    other_stack: Option<(Step, RegisterId, Option<u64>)>,
    /// Step of the last write of the stack pointer.
    sp_step: Option<Step>,
    /// True if the stack pointer got an unrelated value since the last transfer of control.
    is_sp_set: bool,
    /// Stack pointers named before the first step, newest last; `None` for the plain name.
    early_stacks: Vec<(Option<RegisterId>, Option<u64>)>,
    /// Highest stack pointer since the last transfer of control.
    sp_high: Option<u64>,
    /// Number of steps since a link register was written, or [`AGE_LIMIT`] after a transfer of
    /// control.
    lr_age: u8,
    /// True if a call left no recorded return address.
    has_blind_calls: bool,
    /// Last step after which control went elsewhere without any sign of an exception.
    diverted_after: Option<&'a OracleStep>,
    /// Steps after which the trace reports an exception: anywhere (true), or before any other step
    /// (false).
    words: HashSet<(Step, bool)>,
    /// Return points of calls, by stack and stack pointer, with the number of frames that were
    /// pending then.
    return_points: HashMap<(usize, Option<u64>, u64), usize>,
}

impl<'a> OracleCallWalk<'a> {
    pub(super) fn new(oracle: &'a Oracle, thread: ThreadId) -> Self {
        Self {
            oracle,
            thread,
            turns: Vec::new(),
            calls: Vec::new(),
            stack: OracleStack::default(),
            number: 0,
            stacks: vec![OracleStack::default()],
            last: None,
            values: HashMap::new(),
            sp_again: None,
            other_stack: None,
            sp_step: None,
            is_sp_set: false,
            early_stacks: Vec::new(),
            sp_high: None,
            lr_age: 0,
            has_blind_calls: false,
            diverted_after: None,
            words: oracle
                .events
                .iter()
                .filter_map(exception_words)
                .flatten()
                .collect(),
            return_points: HashMap::new(),
        }
    }

    pub(super) fn walked(mut self) -> Self {
        let (oracle, thread) = (self.oracle, self.thread);
        for event in oracle.events.iter().filter(|event| event.thread == thread) {
            match &event.kind {
                OracleEventKind::Step => {
                    if let Some((step, stated)) = event
                        .owner
                        .and_then(|step| Some((step, self.oracle.step(step)?)))
                    {
                        self.step(step, stated);
                    }
                }
                OracleEventKind::Register(written) if written.name != WrittenName::BankCopy => {
                    self.register(written)
                }
                _ => {}
            }
        }
        self.end();
        self
    }

    fn register(&mut self, written: &OracleWrite) {
        let is_low = written.view.offset == 0 && written.view.size_bytes >= 4;
        let number = |bytes: &Vec<u8>| {
            bytes
                .iter()
                .take(8)
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let value = written.bytes.as_ref().filter(|_| is_low).map(number);
        let register = written.view.register;
        match value {
            Some(value) => _ = self.values.insert(register, value),
            None => _ = self.values.remove(&register),
        }
        if register == RegisterId::SP {
            if self.last.is_none() {
                let mode = written.bank.and_then(|named| named.bank.mode());
                self.early_stacks
                    .push((mode.map(|mode| mode.home(RegisterId::SP)), value));
            }
            self.sp_high = self.sp_high.max(value);
            self.sp_again = None;
            self.sp_step = self.last.map(|(step, _)| step);
            self.is_sp_set |= self
                .last
                .is_some_and(|(_, stated)| !stated.naive().moves_stack());
        }
        if register == RegisterId::LR || register == LINK_A64 {
            self.lr_age = 0;
        }
        let named = written.bank.filter(|named| {
            written.name == WrittenName::Own && named.plain.register == RegisterId::SP
        });
        if let Some(mode) = named.and_then(|named| named.bank.mode()) {
            let value = written
                .bytes
                .as_ref()
                .filter(|bytes| bytes.len() >= 4)
                .map(number);
            let step = self.last.map_or(Step(0), |(step, _)| step);
            self.other_stack = Some((step, mode.home(RegisterId::SP), value));
        }
    }

    /// Returns the stack pointer of a step, if it was set while another one was in use, with the
    /// setting step.
    fn set_stack(&self, stated: &OracleStep) -> Option<(Step, u64)> {
        let (step, register, value) = self.other_stack?;
        let is_other =
            stated.mode.tells(RegisterId::SP) && stated.mode.home(RegisterId::SP) != register;
        Some((step, value.filter(|_| !is_other)?))
    }

    fn set_since(&self, jump: &OracleJump<'_>, entry: Step) -> Option<u64> {
        self.set_stack(jump.stated)
            .filter(|(step, _)| *step >= entry)
            .map(|(_, value)| value)
    }

    fn sp(&self) -> Option<u64> {
        self.sp_again
            .unwrap_or_else(|| self.values.get(&RegisterId::SP).copied())
    }

    fn link(&self, stated: &OracleStep) -> Option<u64> {
        self.values.get(&stated.naive().link_register()).copied()
    }

    fn step(&mut self, step: Step, stated: &'a OracleStep) {
        self.lr_age = (self.lr_age + 1).min(AGE_LIMIT);
        match self.last {
            None => {
                self.sp_high = None;
                self.is_sp_set = false;
                self.choose_first_stack(stated);
                self.stack.root = Some(OracleRoot {
                    entered: FrameEntry::Root,
                    evidence: Evidence::Start,
                    before: None,
                    entry: step,
                    function: stated.pc,
                });
            }
            Some((last_step, last)) if (next_pc(last) ^ stated.pc.0) & !1 != 0 => {
                let has_words =
                    self.words.contains(&(last_step, true)) || self.words.contains(&(step, false));
                self.transfer(OracleJump {
                    last_step,
                    last,
                    step,
                    stated,
                    has_words,
                });
                self.lr_age = AGE_LIMIT;
                self.is_sp_set = false;
                self.note_sp();
            }
            Some(_) => {}
        }
        self.last = Some((step, stated));
    }

    /// Selects the stack pointer of the first step: the bank that its mode uses (DDI 0487, D1.4
    /// "The stack pointer registers").
    fn choose_first_stack(&mut self, stated: &OracleStep) {
        let in_use = stated
            .mode
            .tells(RegisterId::SP)
            .then(|| stated.mode.home(RegisterId::SP));
        let newest = |register| {
            self.early_stacks
                .iter()
                .rfind(|(known, _)| *known == register)
                .map(|(_, sp)| *sp)
        };
        let of_bank = in_use.and_then(|in_use| newest(Some(in_use)));
        // If the mode does not determine it, take the last value of any.
        self.sp_again = match of_bank.or_else(|| newest(None)) {
            None if !self.early_stacks.is_empty() && in_use.is_some() => Some(None),
            chosen => chosen,
        };
    }

    fn transfer(&mut self, jump: OracleJump<'a>) {
        let high = self.sp_high.take();
        if let Some(place) = self.exception_left_by(&jump) {
            return match self.entry_at_return(place, &jump) {
                Some(EntryAtReturn::Chained) => self.chain_exception(place, jump),
                _ => self.leave_exception(place, jump),
            };
        }
        let is_entry = self.has_exception_return(&jump) && self.lr_age == 1;
        let is_certain =
            |pending: &OracleFrame<'_>| !matches!(pending.what, OracleFrameKind::Maybe);
        let is_resuming = self
            .diverted_after
            .is_some_and(|stated| may_resume_at(stated, jump.stated.pc.0));
        let is_outermost = !self.stack.pending.iter().any(is_certain);
        if self.is_return_from_exception(&jump) && !is_entry && !is_resuming && is_outermost {
            return self.leave_unseen_exception(jump);
        }
        if let Some(evidence) = self.exception(&jump) {
            let interrupted = InterruptedStep {
                step: jump.last_step,
                stated: jump.last,
            };
            let exception = self.pending(
                jump,
                OracleFrameKind::Exception(evidence, interrupted, self.has_exception_return(&jump)),
            );
            let exception = OracleFrame {
                sp: self.sp(),
                ..exception
            };
            return self.stack.pending.push(exception);
        }
        if jump.is_diverted() {
            self.diverted_after = Some(jump.last);
        }
        if let Some(turn) = self.turned_by_set(&jump) {
            self.turn(turn, jump);
            self.return_to(self.sp(), Some(jump.target()), jump.last_step);
            return;
        }
        let is_elsewhere = self.is_sp_set && is_above(self.stack.range(), self.sp());
        let lost = self.lose_below(high.filter(|_| !is_elsewhere));
        let returning = self
            .place_of(self.sp(), jump.target())
            .and_then(|place| self.stack.pending.get(place))
            .map(|to| to.what);
        let is_returned = self.return_to(self.sp(), Some(jump.target()), jump.last_step);
        let left = if is_returned {
            FrameExit::Skipped
        } else {
            FrameExit::Longjmp
        };
        lost.iter()
            .for_each(|pending| self.close(pending, Some(jump.last_step), left));
        if is_returned {
            if let Some(OracleFrameKind::StateCall(sp)) = returning {
                self.sp_again = Some(self.set_since(&jump, jump.last_step).or(sp));
            }
            return;
        }
        self.suspect(jump.target(), &lost, jump.last_step);
        let expected = jump.last.naive().return_address();
        let is_near = |link: &u64| link.abs_diff(expected) < RETURN_DISTANCE;
        let link = self.link(jump.stated);
        let is_stored = link.is_some_and(|link| jump.stated.naive().is_state_return(link));
        if jump.kind() == NaiveFlow::Call
            && (jump.stated.naive().is_state_gateway() || self.lr_age == 1 && is_stored)
        {
            let sp = self
                .sp()
                .map(|sp| if is_stored { sp.wrapping_add(8) } else { sp });
            self.call(OracleFrame {
                return_address: expected,
                ..self.pending(jump, OracleFrameKind::StateCall(sp))
            });
            return;
        }
        let is_unchanged = jump.kind() == NaiveFlow::Call && link == Some(expected);
        let is_fresh = |link: &u64| is_near(link) && self.lr_age < AGE_LIMIT;
        if let Some(return_address) = link.filter(|link| is_unchanged || is_fresh(link)) {
            let is_certain = is_unchanged || return_address == expected && self.lr_age == 1;
            let what = if is_certain {
                OracleFrameKind::Call
            } else {
                OracleFrameKind::Maybe
            };
            self.call(OracleFrame {
                sp: self.sp(),
                return_address,
                ..self.pending(jump, what)
            });
            return;
        }
        self.has_blind_calls |= jump.kind() == NaiveFlow::Call && link.is_none();
        let is_far = lost.iter().any(OracleFrame::is_certain_call);
        if jump.kind() == NaiveFlow::Return && !is_far {
            self.return_from_root(&jump);
        }
    }

    /// Handles a return that no call explains, out of the outermost known frame.
    fn return_from_root(&mut self, jump: &OracleJump<'_>) {
        let is_certain =
            |pending: &OracleFrame<'_>| !matches!(pending.what, OracleFrameKind::Maybe);
        let is_below = self
            .stack
            .range
            .zip(self.sp())
            .is_some_and(|((_, high), sp)| sp < high);
        if self.stack.pending.iter().any(is_certain) || is_below || self.has_blind_calls {
            return;
        }
        let Some(root) = self.stack.root else { return };
        self.stack.pending.clear();
        self.calls.push((
            self.number,
            self.root_frame(root, Some(jump.last_step), FrameExit::Return),
        ));
        let (entered, evidence, before) =
            (FrameEntry::Root, Evidence::Caller, Some(jump.last_step));
        self.stack.root = Some(OracleRoot {
            entered,
            evidence,
            before,
            entry: jump.step,
            function: jump.stated.pc,
        });
    }

    /// Handles a return from an exception that was taken before the trace began.
    fn leave_unseen_exception(&mut self, jump: OracleJump<'a>) {
        let over = std::mem::take(&mut self.stack.pending);
        over.iter()
            .for_each(|pending| self.close(pending, Some(jump.last_step), FrameExit::Skipped));
        if let Some(root) = self.stack.root {
            self.calls.push((
                self.number,
                self.root_frame(root, Some(jump.last_step), FrameExit::Return),
            ));
        }
        let (before, entry, function) = (Some(jump.last_step), jump.step, jump.stated.pc);
        let root = OracleRoot {
            entered: FrameEntry::Root,
            evidence: Evidence::Caller,
            before,
            entry,
            function,
        };
        (self.stack.root, self.stack.range) = (Some(root), None);
        let number = self.number;
        self.return_points.retain(|(stack, ..), _| *stack != number);
        match self.set_stack(jump.stated) {
            Some((_, sp)) => self.sp_again = Some(Some(sp)),
            None if self.sp_step < Some(jump.last_step) => self.sp_again = Some(None),
            None => {}
        }
    }

    fn pending(&self, jump: OracleJump<'_>, what: OracleFrameKind<'a>) -> OracleFrame<'a> {
        let OracleJump {
            last_step: call_step,
            step: entry_step,
            stated,
            ..
        } = jump;
        OracleFrame {
            sp: None,
            return_address: 0,
            call_step,
            entry_step,
            function: stated.pc,
            what,
            jumped_out: None,
            range: None,
        }
    }

    /// Returns the evidence that an exception was taken, if one was.
    fn exception(&self, jump: &OracleJump<'_>) -> Option<Evidence> {
        let is_taken = match jump.kind() {
            NaiveFlow::Trap => true,
            NaiveFlow::Other => jump.has_words || jump.last.opcode != 0 && self.is_handler(jump),
            _ if self.place_of(self.sp(), jump.target()).is_some() => false,
            _ => {
                let is_stated = jump.has_words && self.is_handler(jump) && !jump.goes_on();
                is_stated || self.has_exception_return(jump) && self.lr_age == 1
            }
        };
        is_taken.then_some(if jump.has_words {
            Evidence::Words
        } else {
            Evidence::Jump
        })
    }

    fn is_handler(&self, jump: &OracleJump<'_>) -> bool {
        let is_near = |link: u64| link.abs_diff(next_pc(jump.last)) <= 8;
        if self.has_exception_return(jump) {
            return self.lr_age == 1;
        }
        let is_linked = self.lr_age == 1 && self.link(jump.stated).is_some_and(is_near);
        is_linked || jump.stated.naive().is_vector()
    }

    /// Returns true if the link register contains an exception return value.
    fn has_exception_return(&self, jump: &OracleJump<'_>) -> bool {
        self.link(jump.stated)
            .is_some_and(|link| jump.stated.naive().is_exception_return(link))
    }

    fn is_return_from_exception(&self, jump: &OracleJump<'_>) -> bool {
        match jump.kind() {
            NaiveFlow::ExceptionReturn => true,
            NaiveFlow::Return | NaiveFlow::Branch => {
                self.has_exception_return(jump) && jump.last.naive().branch_target().is_none()
            }
            _ => false,
        }
    }

    fn exception_left_by(&self, jump: &OracleJump<'_>) -> Option<usize> {
        let pc = jump.stated.pc.0;
        let innermost = self
            .stack
            .pending
            .iter()
            .rposition(OracleFrame::is_exception)?;
        let is_level = self
            .stack
            .pending
            .iter()
            .rposition(OracleFrame::has_own_stack)
            == Some(innermost);
        if self.is_return_from_exception(jump) {
            let left = self
                .stack
                .pending
                .iter()
                .rposition(|pending| pending.resumes_at(pc))
                .unwrap_or(innermost);
            return Some(left)
                .filter(|left| self.entry_at_return(*left, jump) != Some(EntryAtReturn::Nested));
        }
        let is_other =
            jump.kind() == NaiveFlow::Call || self.place_of(self.sp(), jump.target()).is_some();
        let inside = self.stack.pending.get(innermost..).unwrap_or_default();
        let is_linked = inside.first().is_some_and(|exception| {
            matches!(exception.what, OracleFrameKind::Exception(_, _, true))
        });
        let has_calls = inside.iter().any(OracleFrame::is_certain_call);
        if jump.kind() == NaiveFlow::Return && is_level && is_linked && !has_calls && !is_other {
            return self
                .stack
                .pending
                .iter()
                .rposition(|pending| pending.resumes_at(pc))
                .or(Some(innermost));
        }
        Some(innermost).filter(|place| {
            is_level
                && !is_other
                && self
                    .stack
                    .pending
                    .get(*place)
                    .is_some_and(|top| top.resumes_at(pc))
        })
    }

    /// Returns the kind of entry if a step seems to return from the exception at `place` but enters
    /// a handler, by the manual's rules for EXC_RETURN (DDI 0403, B1.5.8 and B1.5.12). The link
    /// register shows it, because no code runs before the next handler.
    fn entry_at_return(&self, place: usize, jump: &OracleJump<'_>) -> Option<EntryAtReturn> {
        let exception = self.stack.pending.get(place)?;
        let (pc, left) = (jump.stated.pc.0, exception.function.0);
        // Vector tables have at most 0x800 bytes (DDI 0487, "Exception vectors").
        let is_entry = pc == left || pc.abs_diff(left) < 0x800 && self.is_handler(jump);
        if jump.kind() == NaiveFlow::ExceptionReturn
            && jump.has_words
            && is_entry
            && !exception.resumes_at(pc)
        {
            return Some(EntryAtReturn::Chained);
        }
        let link = self
            .link(jump.stated)
            .filter(|link| jump.stated.naive().is_exception_return(*link))?;
        if !self.is_return_from_exception(jump) || exception.resumes_at(jump.stated.pc.0) {
            return None;
        }
        let is_new = self.lr_age == 1;
        let is_on_same_frame = jump.stated.naive().is_return_to_thread_mode(link)
            || self.sp().is_some_and(|sp| exception.sp == Some(sp));
        let goes_anywhere = exception.interrupted()?.goes_anywhere();
        match (is_on_same_frame, jump.has_words) {
            (true, has_words) if has_words || is_new && !goes_anywhere => {
                Some(EntryAtReturn::Chained)
            }
            (false, true) if is_new => Some(EntryAtReturn::Nested),
            _ => None,
        }
    }

    fn chain_exception(&mut self, place: usize, jump: OracleJump<'a>) {
        let mut inside = self.stack.pending.split_off(place);
        let ended = inside.remove(0);
        inside
            .iter()
            .for_each(|pending| self.close(pending, Some(jump.last_step), FrameExit::Skipped));
        self.close(&ended, Some(jump.last_step), FrameExit::Return);
        let OracleFrameKind::Exception(_, interrupted, _) = ended.what else {
            return;
        };
        let evidence = if jump.has_words {
            Evidence::Words
        } else {
            Evidence::Jump
        };
        let next = self.pending(
            jump,
            OracleFrameKind::Exception(evidence, interrupted, self.has_exception_return(&jump)),
        );
        self.stack.pending.push(OracleFrame {
            sp: ended.sp,
            ..next
        });
    }

    fn leave_exception(&mut self, place: usize, jump: OracleJump<'a>) {
        let turn = self.turned_by_return(place, &jump);
        let is_handlers = is_within(self.stack.range(), self.sp());
        let mut inside = self.stack.pending.split_off(place);
        let exception = inside.remove(0);
        inside
            .iter()
            .for_each(|pending| self.close(pending, Some(jump.last_step), FrameExit::Skipped));
        self.close(&exception, Some(jump.last_step), FrameExit::Return);
        // A write by the returning step itself counts, unless the handler set another stack
        // pointer.
        let OracleFrameKind::Exception(_, interrupted, _) = exception.what else {
            return;
        };
        let set = self.set_since(&jump, Step(interrupted.step.0 + 1));
        let is_written = self.sp_step >= Some(jump.last_step) && set.is_none();
        if let Some(turn) = turn {
            self.stack.turned_by = Some(exception);
            self.turn(turn, jump);
            let again = match self.stack.turned_by.take() {
                Some(resumed) => Some(resumed.sp),
                None if is_handlers => Some(None),
                None => self.sp_again,
            };
            self.sp_again = if is_written {
                None
            } else {
                set.map(Some).or(again)
            };
            self.return_to(self.sp(), Some(jump.target()), jump.last_step);
            return;
        }
        if !is_written {
            self.sp_again = Some(set.or(exception.sp));
        }
        let stated = interrupted.stated;
        let is_at = |place: u64| (place ^ jump.stated.pc.0) & !1 == 0;
        if is_at(stated.pc.0) || is_at(next_pc(stated)) {
            return;
        }
        let return_address = stated.naive().return_address();
        if stated.naive().kind() == NaiveFlow::Call
            && self.link(jump.stated) == Some(return_address)
        {
            let call = self.pending(jump, OracleFrameKind::Call);
            self.call(OracleFrame {
                sp: set.or(exception.sp),
                return_address,
                call_step: interrupted.step,
                ..call
            });
        } else {
            self.return_to(set.or(exception.sp), Some(jump.target()), interrupted.step);
        }
    }

    /// Adds the stack pointer to the range of the current stack; inside an exception, only once it
    /// was written there.
    fn note_sp(&mut self) {
        let (Some(sp), written) = (self.sp(), self.sp_step) else {
            return;
        };
        let range = match self
            .stack
            .pending
            .iter_mut()
            .rfind(|pending| pending.has_own_stack())
        {
            Some(exception) if written <= Some(exception.call_step) => return,
            Some(exception) => &mut exception.range,
            None => &mut self.stack.range,
        };
        let (low, high) = range.unwrap_or((sp, sp));
        *range = Some((low.min(sp), high.max(sp)));
    }

    /// Returns the stacks that are not in use, with their numbers.
    fn others(&self) -> impl Iterator<Item = (usize, &OracleStack<'a>)> {
        self.stacks
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != self.number)
    }

    /// Returns the number of the stack that a return switches to after the stack pointer was set.
    fn turned_by_set(&self, jump: &OracleJump<'_>) -> Option<usize> {
        let (sp, target, range) = (self.sp(), jump.target(), self.stack.range());
        let is_return = jump.kind() == NaiveFlow::Return;
        let is_open = is_return
            || jump.kind() == NaiveFlow::Branch && jump.last.naive().branch_target().is_none();
        if !self.is_sp_set
            || !is_open
            || is_near(range, sp, 0)
            || self.place_of(sp, target).is_some()
        {
            return None;
        }
        let returns = |stack: &OracleStack<'_>| {
            stack
                .pending
                .iter()
                .any(|pending| pending.returns_to(sp, target) || pending.returns_to(None, target))
        };
        let other = self
            .others()
            .find(|(_, stack)| is_within(stack.range(), sp) && returns(stack));
        if let Some((number, _)) = other {
            return Some(number);
        }
        if sp.is_none() || is_near(range, sp, 4096) {
            return None;
        }
        let other = self
            .others()
            .find(|(_, stack)| is_within(stack.range(), sp))
            .map(|(number, _)| number);
        let is_new = self.stacks.len() < 256 && (is_return || is_above(range, sp));
        other.or_else(|| is_new.then_some(self.stacks.len()))
    }

    /// Returns the number of the stack that the return of an exception switches to.
    fn turned_by_return(&self, place: usize, jump: &OracleJump<'_>) -> Option<usize> {
        let (pc, handler) = (jump.stated.pc.0, self.stack.range());
        let interrupted_step = self.stack.pending.get(place)?.interrupted()?.step;
        let set = self.set_since(jump, Step(interrupted_step.0 + 1));
        let sp = set.or(self.sp());
        let around = self
            .stack
            .pending
            .get(..place)?
            .iter()
            .rfind(|pending| pending.has_own_stack());
        let home = around.map_or(self.stack.range, |pending| pending.range);
        let exception = self.stack.pending.get(place)?;
        let OracleFrameKind::Exception(_, interrupted, _) = exception.what else {
            return None;
        };
        let resumed: Vec<_> = self
            .others()
            .filter(|(_, stack)| stack.turned_by.is_some_and(|by| by.resumes_at(pc)))
            .collect();
        if let Some(sp) = set {
            if exception.resumes_at(pc) && exception.was_taken_at(sp) {
                return None;
            }
            let is_it =
                |stack: &OracleStack<'_>| stack.turned_by.is_some_and(|by| by.was_taken_at(sp));
            if let Some((number, _)) = resumed.iter().find(|(_, stack)| is_it(stack)) {
                return Some(*number);
            }
        }
        let with_sp = resumed
            .iter()
            .find(|(_, stack)| is_within(stack.range(), sp))
            .map(|(number, _)| *number);
        if exception.resumes_at(pc) && set.is_none() {
            return with_sp.filter(|_| !is_within(home, sp));
        }
        let by_address = resumed
            .first()
            .filter(|_| set.is_none())
            .map(|(number, _)| *number);
        if let Some(number) = with_sp
            .filter(|_| set.is_none() || !is_within(home, sp))
            .or(by_address)
        {
            return Some(number);
        }
        let is_own = is_within(home, sp) || is_within(handler, sp);
        if let Some((number, _)) = self
            .others()
            .find(|(_, stack)| is_within(stack.range(), sp) && !is_own)
        {
            return Some(number);
        }
        let goes_on = !matches!(
            interrupted.stated.naive().kind(),
            NaiveFlow::Other | NaiveFlow::Trap
        );
        let is_skip = set.is_none() && (goes_on || pc.abs_diff(next_pc(interrupted.stated)) <= 64);
        (!is_skip && !is_near(home, sp, 512) && self.stacks.len() < 256)
            .then_some(self.stacks.len())
    }

    fn turn(&mut self, number: usize, jump: OracleJump<'a>) {
        if number == self.stacks.len() {
            let (before, entry, function) = (Some(jump.last_step), jump.step, jump.stated.pc);
            let (entered, evidence) = (FrameEntry::Switch, Evidence::Stack);
            let root = Some(OracleRoot {
                entered,
                evidence,
                before,
                entry,
                function,
            });
            self.stacks.push(OracleStack {
                root,
                ..OracleStack::default()
            });
        }
        if let Some(left) = self.stacks.get_mut(self.number) {
            *left = std::mem::take(&mut self.stack);
        }
        if let Some(taken) = self.stacks.get_mut(number) {
            self.stack = std::mem::take(taken);
        }
        self.number = number;
        self.turns.push((self.thread, jump.last_step, number));
    }

    /// Returns the index of the first frame inside the innermost exception.
    fn inside(&self) -> usize {
        self.stack
            .pending
            .iter()
            .rposition(OracleFrame::has_own_stack)
            .map_or(0, |place| place + 1)
    }

    fn call(&mut self, call: OracleFrame<'a>) {
        let (inside, key) = (self.inside(), (call.sp, call.return_address));
        let found = self
            .stack
            .pending
            .iter()
            .rposition(|pending| pending.returns_to(key.0, key.1));
        if let Some(place) = found.filter(|place| *place >= inside) {
            if matches!(call.what, OracleFrameKind::Maybe) {
                return;
            }
            let over = self.stack.pending.split_off(place);
            over.iter()
                .for_each(|pending| self.close(pending, Some(call.call_step), FrameExit::Longjmp));
        }
        self.stack.pending.push(call);
    }

    /// Marks frames as left by a jump, if the jump left calls or goes to an earlier return point.
    /// It ends at the frame with the current stack pointer: the callees of that frame are over.
    fn suspect(&mut self, target: u64, lost: &[OracleFrame<'_>], jump: Step) {
        let sp = self.sp();
        let first = match self.return_points.get(&(self.number, sp, target)) {
            _ if lost.iter().any(OracleFrame::is_certain_call) => 0,
            Some(first) => *first,
            None => return,
        };
        for place in (first.max(self.inside())..self.stack.pending.len()).rev() {
            match self.stack.pending.get_mut(place) {
                Some(pending) if pending.sp == sp && pending.jumped_out.is_none() => {
                    pending.jumped_out = Some(jump)
                }
                _ => break,
            }
        }
    }

    /// Removes the innermost calls that the stack pointer rose above.
    fn lose_below(&mut self, high: Option<u64>) -> Vec<OracleFrame<'a>> {
        let is_lost = |pending: &mut OracleFrame<'_>| {
            !pending.is_exception() && pending.sp.is_some() && pending.sp < high
        };
        std::iter::from_fn(|| self.stack.pending.pop_if(is_lost)).collect()
    }

    /// Returns the innermost call that returns to a target with a stack pointer, or else with an
    /// unknown one.
    fn place_of(&self, sp: Option<u64>, target: u64) -> Option<usize> {
        let find = |sp| {
            self.stack
                .pending
                .iter()
                .rposition(|pending| pending.returns_to(sp, target))
        };
        find(sp).or_else(|| find(None))
    }

    /// Closes the innermost pending call that returns to a target (`None`: anywhere) with a stack
    /// pointer, or else with an unknown one, and its callees.
    fn return_to(&mut self, sp: Option<u64>, target: Option<u64>, exit: Step) -> bool {
        let with = |sp| {
            self.stack
                .pending
                .iter()
                .rposition(|pending| !pending.is_exception() && pending.sp == sp)
        };
        let place = match target {
            Some(target) => self.place_of(sp, target),
            None => with(sp).or_else(|| with(None)),
        };
        let Some(place) = place else { return false };
        let mut above = self.stack.pending.split_off(place);
        let call = above.remove(0);
        self.return_points
            .insert((self.number, call.sp, call.return_address), place);
        // The call went on after the jump, and so did its callers.
        for caller in &mut self.stack.pending {
            if caller.jumped_out >= Some(call.call_step) {
                caller.jumped_out = None;
            }
        }
        self.close(&call, Some(exit), FrameExit::Return);
        above
            .iter()
            .for_each(|pending| self.close(pending, Some(exit), FrameExit::Skipped));
        true
    }

    fn end(&mut self) {
        let Some((step, last)) = self.last.filter(|(_, last)| last.is_executed) else {
            return self.leave_open();
        };
        match last.naive().kind() {
            NaiveFlow::Return => {
                let high = self.sp_high.take();
                let lost = self.lose_below(high);
                let link = self.link(last);
                if link.is_none() || !self.return_to(self.sp(), link, step) {
                    self.return_to(self.sp(), None, step);
                }
                lost.iter()
                    .for_each(|pending| self.close(pending, Some(step), FrameExit::Skipped));
            }
            NaiveFlow::ExceptionReturn => {
                let resumed = self
                    .stack
                    .pending
                    .iter()
                    .rposition(|pending| pending.resumes_at(next_pc(last)));
                let innermost = || {
                    self.stack
                        .pending
                        .iter()
                        .rposition(OracleFrame::is_exception)
                };
                if let Some(place) = resumed.or_else(innermost) {
                    let mut inside = self.stack.pending.split_off(place);
                    let exception = inside.remove(0);
                    self.close(&exception, Some(step), FrameExit::Return);
                    inside
                        .iter()
                        .for_each(|pending| self.close(pending, Some(step), FrameExit::Skipped));
                }
            }
            _ => {}
        }
        self.leave_open();
        let return_address = last.naive().return_address();
        let function = match last.naive().target() {
            Some(NaiveCallTarget::Address(address)) => Some(address),
            Some(NaiveCallTarget::Register(register)) => self
                .value(register)
                .map(|value| last.naive().without_mark(value)),
            None => None,
        };
        let is_done = self.lr_age == 0 && self.link(last) == Some(return_address);
        if let Some(function) = function.map(Address).filter(|_| is_done) {
            let call = Call {
                thread: self.thread,
                function,
                call_step: Some(step),
                entry_step: None,
                exit_step: None,
                entered: FrameEntry::Call,
                left: FrameExit::Open,
                evidence: Evidence::Link,
                depth: 0,
                parent: None,
            };
            self.calls.push((self.number, call));
        }
    }

    fn value(&self, register: RegisterId) -> Option<u64> {
        if register == RegisterId::SP {
            self.sp()
        } else {
            self.values.get(&register).copied()
        }
    }

    fn leave_open(&mut self) {
        let in_use = self.number;
        for number in 0..self.stacks.len() {
            let stack = if number == in_use {
                &mut self.stack
            } else {
                &mut self.stacks[number]
            };
            let (open, root) = (std::mem::take(&mut stack.pending), stack.root);
            self.number = number;
            open.iter()
                .for_each(|pending| self.close(pending, None, FrameExit::Open));
            if let Some(root) = root {
                self.calls
                    .push((number, self.root_frame(root, None, FrameExit::Open)));
            }
        }
        self.number = in_use;
    }

    /// Adds an ended frame to the calls, if it was certainly a call.
    fn close(&mut self, pending: &OracleFrame<'_>, exit_step: Option<Step>, left: FrameExit) {
        let (exit_step, left) = match pending.jumped_out {
            Some(jump) if left != FrameExit::Return => (Some(jump), FrameExit::Longjmp),
            _ => (exit_step, left),
        };
        let (entered, evidence) = match pending.what {
            OracleFrameKind::Maybe if left != FrameExit::Return => return,
            OracleFrameKind::Maybe => (FrameEntry::Call, Evidence::Return),
            OracleFrameKind::Call | OracleFrameKind::StateCall(_) => {
                (FrameEntry::Call, Evidence::Link)
            }
            OracleFrameKind::Exception(evidence, ..) => (FrameEntry::Exception, evidence),
        };
        let frame = self.frame(pending, OracleEntry { entered, evidence }, exit_step, left);
        self.calls.push((self.number, frame));
    }

    fn frame(
        &self,
        pending: &OracleFrame<'_>,
        how: OracleEntry,
        exit_step: Option<Step>,
        left: FrameExit,
    ) -> Call {
        Call {
            thread: self.thread,
            function: pending.function,
            call_step: Some(pending.call_step),
            entry_step: Some(pending.entry_step),
            exit_step,
            entered: how.entered,
            left,
            evidence: how.evidence,
            depth: 0,
            parent: None,
        }
    }

    fn root_frame(&self, root: OracleRoot, exit_step: Option<Step>, left: FrameExit) -> Call {
        Call {
            thread: self.thread,
            function: root.function,
            call_step: root.before,
            entry_step: Some(root.entry),
            exit_step,
            entered: root.entered,
            left,
            evidence: root.evidence,
            depth: 0,
            parent: None,
        }
    }
}

/// Kind of handler entry at a step that returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryAtReturn {
    /// Instead of the handler that ended (tail-chaining).
    Chained,
    /// Inside the handler, one of whose functions returned.
    Nested,
}

/// Returns the steps that words about an exception belong to, if the event has such words.
fn exception_words(event: &OracleEvent) -> Option<Vec<(Step, bool)>> {
    let OracleEventKind::Text {
        kind: TextKind::Exception,
        ..
    } = &event.kind
    else {
        return None;
    };
    let owner = event.owner?;
    let is_at_once = event.slot == owner.0 + 1;
    Some(
        [(owner, true)]
            .into_iter()
            .chain(is_at_once.then_some((owner, false)))
            .collect(),
    )
}
