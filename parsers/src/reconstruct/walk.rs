//! Follows the path of one thread through a program.
//!
//! A [`Walk`] runs from decision to decision. Between two decisions it follows straight-line code
//! and forks without decisions. It predicts unrecorded returns with a [`ReturnAddressStack`]: a
//! speculative walk tries the return addresses, innermost first, until one leads to the next
//! decision.

use stepback_machine::flow::{DelaySlotRule, FlowKind};

use crate::events::{DelaySlot, StepOrigin};
use crate::marker::{Gap, GapReason};
use crate::reconstruct::program::{
    Decision, DecisionPresence, Fork, InstructionLookup, Outcome, PassedStep, PassedStretch,
    PathSink, Program, StretchEnd, SuccessorSet, UnknownDelaySlot,
};
use crate::reconstruct::returns::ReturnAddressStack;

/// Maximum number of instructions between two decisions; a longer path is lost.
const LONGEST: u64 = 1 << 20;
/// Maximum number of frames popped by one unrecorded return.
const LEFT_AT_ONCE: usize = 256;
/// Maximum number of inferred instructions after the last decision.
const TAIL: u64 = 1 << 12;

/// Location of a thread in its program, and the calls that it is inside.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Next instruction; `None` while unknown.
    place: Option<WalkLocation>,
    /// Successors of the next instruction while its `next` is [`WalkSuccessor::Unknown`].
    after: SuccessorSet,
    /// Delay slot at an unknown address that comes before `place`.
    open: Option<UnknownDelaySlot>,
    returns: ReturnAddressStack,
    /// True when only a decision led here and nothing has confirmed it since.
    is_unproven: bool,
    /// True when the last decision was a return that matches none of the known calls.
    is_return_strange: bool,
}

/// Next instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WalkLocation {
    pc: u64,
    next: WalkSuccessor,
}

/// Successor of an instruction that is no fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkSuccessor {
    /// The next instruction in memory.
    After,
    /// The instruction is in a delay slot, and control goes to this address.
    To(u64),
    /// The instruction may be in a delay slot of an unknown fork: control goes to one of several
    /// addresses.
    Unknown,
}

/// Reason why a walk does not reach the next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkStop {
    /// The path reaches a fork for which the recording has no decision.
    #[error("there is no decision at {0:#x}")]
    Undecided(u64),
    /// No file contains the code at this address.
    #[error("nothing is known of {0:#x}")]
    Unmapped(u64),
    /// The previous decision did not state the target.
    #[error("nobody knows where it is")]
    Nowhere,
    /// The path reaches the fork, but the decision names another way to it: it belongs to another
    /// visit.
    #[error("the decision at {0:#x} is of another time")]
    Another(u64),
    /// The decision contradicts its fork.
    #[error("the decision at {0:#x} cannot be")]
    Contradicted(u64),
}

impl WalkStop {
    /// Returns the reason to give for the missing instructions.
    pub fn reason(self) -> GapReason {
        match self {
            Self::Undecided(_) | Self::Nowhere | Self::Another(_) => GapReason::Lost,
            Self::Unmapped(_) => GapReason::Unmapped,
            Self::Contradicted(_) => GapReason::Contradiction,
        }
    }
}

impl Walk {
    /// Begins at the entry of the program if that leads to the first decision. Otherwise begins at
    /// the decision; the way to it is unknown.
    /// Returns true if it begins at the entry.
    pub fn begin<P: Program>(&mut self, program: &P, entry: Option<u64>, first: u64) -> bool {
        let place = |pc| WalkLocation {
            pc,
            next: WalkSuccessor::After,
        };
        let entry = entry
            .map(place)
            .filter(|entry| self.leads_to(program, *entry, first));
        match entry {
            Some(_) => self.place = entry,
            None => self.resume(program, first),
        }
        entry.is_some()
    }

    /// Resumes at a decision to which no path is known.
    pub fn resume<P: Program>(&mut self, program: &P, at: u64) {
        let mut after = program.after_slot(at);
        let next = if after.is_nowhere_else() {
            WalkSuccessor::After
        } else {
            WalkSuccessor::Unknown
        };
        usual_after(program, at)
            .into_iter()
            .for_each(|usual| after.add(usual));
        self.place = Some(WalkLocation { pc: at, next });
        (self.after, self.open) = (after, None);
        self.is_unproven = false;
    }

    /// Advances to the next decision and returns `None`. If no path leads there, reports a gap,
    /// resumes at the decision and returns the reason.
    ///
    /// A decision that contradicts the program also drops the location.
    pub fn come_to<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: NextDecision,
        sink: &mut S,
    ) -> Option<WalkStop> {
        let pc = to.pc;
        let stop = match self.can_be(program, to) {
            true => match self.advance(program, pc, sink) {
                Ok(()) if self.admits(to) => return None,
                Ok(()) => WalkStop::Another(pc),
                Err(stop) => stop,
            },
            // Such a decision confirms nothing.
            false => match self.approach(program, pc, sink) {
                Err(WalkStop::Nowhere) => return Some(WalkStop::Contradicted(pc)),
                Ok(()) | Err(_) => WalkStop::Contradicted(pc),
            },
        };
        // A walk without a location has already reported the gap.
        if stop != WalkStop::Nowhere {
            sink.gap(Gap {
                reason: stop.reason(),
                instructions: None,
            });
        }
        if stop != WalkStop::Contradicted(pc) {
            self.resume(program, pc);
            self.after.add(to.after);
        }
        Some(stop)
    }

    /// Returns whether any path leads to a decision with the next instruction that it names.
    fn can_be<P: Program>(&self, program: &P, to: NextDecision) -> bool {
        to.slot.is_none_or(|named| {
            let here = WalkLocation {
                pc: to.pc,
                next: WalkSuccessor::To(named),
            };
            named == to.after || self.place == Some(here) || program.after_slot(to.pc).may_be(named)
        })
    }

    /// Returns whether the instruction after the fork at the current location can be the one that a
    /// decision names.
    fn admits(&self, to: NextDecision) -> bool {
        let Some((place, named)) = self.place.zip(to.slot) else {
            return true;
        };
        match place.next {
            WalkSuccessor::After => to.after == named,
            WalkSuccessor::To(next) => next == named,
            WalkSuccessor::Unknown => self.after.may_be(named),
        }
    }

    /// Drops the location after a gap that was reported.
    pub fn lose(&mut self) {
        (self.place, self.open) = (None, None);
    }

    /// Returns whether the last decision was a return that matches none of the known calls, though
    /// there are some.
    pub fn has_returned_elsewhere(&self) -> bool {
        self.is_return_strange
    }

    /// Advances to the next decision and emits the path.
    ///
    /// # Errors
    /// No path leads there. The part of the path before the failure was emitted.
    pub fn advance<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: u64,
        sink: &mut S,
    ) -> Result<(), WalkStop> {
        let follows = match self.open.take() {
            Some(open) => self.pass_open(program, &open, to, sink),
            None => PathCertainty::Surely,
        };
        let place = self.place.ok_or(WalkStop::Nowhere)?;
        let origin = if follows == PathCertainty::Surely {
            StepOrigin::Reconstructed
        } else {
            StepOrigin::Inferred
        };
        let mut way = PathTracer {
            origin,
            ..PathTracer::new(program, sink, place, to)
        };
        let went = way.go(&mut CommittedCalls {
            returns: &mut self.returns,
            is_unproven: self.is_unproven,
        });
        self.place = Some(way.place);
        self.is_unproven &= went.is_err();
        if let (Ok(()), PathCertainty::OrIsSlotBefore(target)) = (went, follows) {
            self.doubt_what_follows(program, target);
        }
        went
    }

    /// Walks up to a decision that contradicts the program, then drops the location: nothing on the
    /// way is confirmed.
    ///
    /// # Errors
    /// No path leads there.
    pub fn approach<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: u64,
        sink: &mut S,
    ) -> Result<(), WalkStop> {
        let open = self.open.take();
        let is_certain = open.is_none() && !self.is_unproven;
        let place = self
            .place
            .take()
            .filter(|_| open.is_none_or(|open| open.pass(program, sink)));
        let place = place.ok_or(WalkStop::Nowhere)?;
        let origin = if is_certain {
            StepOrigin::Reconstructed
        } else {
            StepOrigin::Inferred
        };
        let mut way = PathTracer {
            origin,
            ..PathTracer::new(program, sink, place, to)
        };
        way.go(&mut CommittedCalls {
            returns: &mut self.returns,
            is_unproven: !is_certain,
        })
    }

    /// Passes a delay slot whose address is unknown, on the way to the next decision.
    fn pass_open<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        open: &UnknownDelaySlot,
        to: u64,
        sink: &mut S,
    ) -> PathCertainty {
        let target = open.target;
        let after_slot = WalkLocation {
            pc: target,
            next: WalkSuccessor::After,
        };
        let leads = open.may_be_plain(program) && self.leads_to(program, after_slot, to);
        if !leads && to == open.usual && open.may_be.addresses.contains(&to) {
            self.place = Some(WalkLocation {
                pc: to,
                next: WalkSuccessor::To(target),
            });
            return PathCertainty::Surely;
        }
        if !leads && open.may_be.addresses.contains(&to) {
            // The decision is in the slot, or the slot was passed and later decisions are lost.
            sink.gap(Gap {
                reason: GapReason::Lost,
                instructions: None,
            });
            self.resume(program, to);
            self.after.add(target);
            self.place = Some(WalkLocation {
                pc: to,
                next: WalkSuccessor::Unknown,
            });
            return PathCertainty::Surely;
        }
        if !open.pass(program, sink) {
            self.place = None;
            return PathCertainty::Perhaps;
        }
        match leads {
            true if open.may_be.may_be(to) => PathCertainty::OrIsSlotBefore(target),
            true => PathCertainty::Surely,
            // The instruction in the slot may have gone elsewhere.
            false => PathCertainty::Perhaps,
        }
    }

    /// Makes the successor of the current instruction ambiguous. It was reached in sequence, or it
    /// is in the slot of a fork to `target`.
    fn doubt_what_follows<P: Program>(&mut self, program: &P, target: u64) {
        let Some(place) = &mut self.place else { return };
        let after = match place.next {
            WalkSuccessor::After => usual_after(program, place.pc),
            WalkSuccessor::To(next) => Some(next),
            WalkSuccessor::Unknown => None,
        };
        place.next = WalkSuccessor::Unknown;
        self.after = SuccessorSet {
            addresses: vec![target],
            may_be_any: false,
        };
        after.into_iter().for_each(|after| self.after.add(after));
    }

    /// Applies the decision of the fork at the current location.
    pub fn decide<S: PathSink>(&mut self, fork: &Fork, decision: Decision, sink: &mut S) {
        let Some(WalkLocation { pc, next }) = self.place else {
            return;
        };
        let Decision { outcome, slot } = decision;
        let in_slot = if matches!(next, WalkSuccessor::To(_)) {
            DelaySlot::Executed
        } else {
            DelaySlot::None
        };
        sink.step(PassedStep {
            pc,
            outcome: Some(outcome),
            slot: in_slot,
            origin: StepOrigin::Recorded,
        });
        let target = target_of(fork, outcome);
        if fork.control.flow == FlowKind::Call && target.is_some() {
            self.returns.push(fork.return_address());
        }
        self.is_return_strange = match (fork.control.flow, target) {
            (FlowKind::Return, Some(target)) => {
                self.returns.inner(0).is_some() && !self.returns.return_to(target)
            }
            _ => false,
        };
        let slot = match next {
            WalkSuccessor::After => Some(fork.after),
            WalkSuccessor::To(next) => Some(next),
            WalkSuccessor::Unknown => slot,
        };
        self.is_unproven = matches!(outcome, Outcome::To(_));
        let executes_slot = matches!(
            fork.control.delay,
            DelaySlotRule::Slot | DelaySlotRule::UnlessNotTaken
        );
        match (slot, target) {
            (None, Some(target)) if executes_slot => {
                let may_be = std::mem::take(&mut self.after);
                self.open = Some(UnknownDelaySlot {
                    may_be,
                    usual: fork.after,
                    target,
                });
                self.place = Some(WalkLocation {
                    pc: target,
                    next: WalkSuccessor::After,
                });
            }
            // An annulled slot has no effect, so the usual address suffices.
            (None, Some(_)) if fork.control.delay == DelaySlotRule::Annulled => {
                self.place = leave(
                    fork,
                    ForkExit {
                        target,
                        slot: Some(fork.after),
                        origin: StepOrigin::Inferred,
                    },
                    sink,
                );
            }
            _ => {
                self.place = leave(
                    fork,
                    ForkExit {
                        target,
                        slot,
                        origin: StepOrigin::Reconstructed,
                    },
                    sink,
                )
            }
        }
    }

    /// Emits the likely path after the last decision, up to the next fork.
    pub fn tail<P: Program, S: PathSink>(&mut self, program: &P, sink: &mut S) {
        let Some(mut place) = self.place.take() else {
            return;
        };
        if self
            .open
            .take()
            .is_some_and(|open| !open.pass(program, sink))
        {
            return;
        }
        if let WalkSuccessor::To(target) = place.next {
            let InstructionLookup::Plain { .. } = program.find(place.pc) else {
                return;
            };
            let (pc, origin) = (place.pc, StepOrigin::Inferred);
            sink.step(PassedStep {
                pc,
                outcome: None,
                slot: DelaySlot::Executed,
                origin,
            });
            place = WalkLocation {
                pc: target,
                next: WalkSuccessor::After,
            };
        }
        if place.next == WalkSuccessor::After {
            let stretch = program.stretch(place.pc, None);
            let instructions = stretch.instructions.min(TAIL);
            if instructions > 0 {
                sink.stretch(PassedStretch {
                    first: place.pc,
                    instructions,
                    origin: StepOrigin::Inferred,
                });
            }
        }
    }

    /// Returns whether control gets from a location to an address without a decision in between.
    fn leads_to<P: Program>(&self, program: &P, from: WalkLocation, to: u64) -> bool {
        let mut nobody = NullPathSink;
        let mut way = PathTracer::new(program, &mut nobody, from, to);
        way.go(&mut SpeculativeCalls {
            returns: &self.returns,
            popped: 0,
            pushed: Vec::new(),
        })
        .is_ok()
    }
}

/// Next decision of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextDecision {
    /// Address of the fork.
    pub pc: u64,
    /// Address after the fork.
    pub after: u64,
    /// Address of the instruction after the fork that the decision names, as in [`Decision::slot`].
    pub slot: Option<u64>,
}

/// Certainty that the path after a delay slot at an unknown address leads to the next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathCertainty {
    Surely,
    /// The slot may have held a fork.
    Perhaps,
    /// The fork of the next decision may have been in the slot before this address.
    OrIsSlotBefore(u64),
}

/// Returns the address after an instruction; `None` if the instruction is unknown.
fn usual_after<P: Program>(program: &P, pc: u64) -> Option<u64> {
    match program.find(pc) {
        InstructionLookup::Plain { after } => Some(after),
        InstructionLookup::Fork(fork) => Some(fork.after),
        InstructionLookup::Unmapped => None,
    }
}

/// Returns the target of a fork; `None` if control continues after it.
fn target_of(fork: &Fork, outcome: Outcome) -> Option<u64> {
    match outcome {
        Outcome::NotTaken => None,
        Outcome::Taken => fork.control.target.address(),
        Outcome::To(target) => Some(target),
    }
}

/// Way in which control leaves a fork.
struct ForkExit {
    /// Target; `None` if control continues after the fork.
    target: Option<u64>,
    /// Address of the instruction between the fork and its target; `None` if unknown.
    slot: Option<u64>,
    /// Source of the knowledge of an annulled slot.
    origin: StepOrigin,
}

/// Returns the location after a fork. An annulled slot is emitted; an executed slot is the next
/// location.
fn leave<S: PathSink>(fork: &Fork, turn: ForkExit, sink: &mut S) -> Option<WalkLocation> {
    let ForkExit {
        target,
        slot,
        origin,
    } = turn;
    let after_slot = slot.map(|slot| slot.wrapping_add(u64::from(fork.slot_bytes)));
    let place = |pc| WalkLocation {
        pc,
        next: WalkSuccessor::After,
    };
    match (fork.control.delay, target.is_some()) {
        (DelaySlotRule::None, _) => target.or(slot).map(place),
        (DelaySlotRule::Slot, _) | (DelaySlotRule::UnlessNotTaken, true) => match slot {
            Some(pc) => target.or(after_slot).map(|next| WalkLocation {
                pc,
                next: WalkSuccessor::To(next),
            }),
            None => {
                sink.gap(Gap {
                    reason: GapReason::Lost,
                    instructions: Some(1),
                });
                target.map(place)
            }
        },
        (DelaySlotRule::UnlessNotTaken, false) | (DelaySlotRule::Annulled, _) => {
            if let Some(pc) = slot {
                sink.step(PassedStep {
                    pc,
                    outcome: None,
                    slot: DelaySlot::Annulled,
                    origin,
                });
            }
            target.or(after_slot).map(place)
        }
    }
}

/// Path to the next decision, followed instruction by instruction.
struct PathTracer<'a, P, S> {
    program: &'a P,
    sink: &'a mut S,
    place: WalkLocation,
    to: u64,
    /// Number of instructions that it may still pass.
    left: u64,
    /// Source of the knowledge of its steps.
    origin: StepOrigin,
    /// True when the guesses from here on are confirmed: they lead to the next decision.
    is_borne_out: bool,
}

impl<'a, P: Program, S: PathSink> PathTracer<'a, P, S> {
    fn new(program: &'a P, sink: &'a mut S, place: WalkLocation, to: u64) -> Self {
        Self {
            program,
            sink,
            place,
            to,
            left: LONGEST,
            origin: StepOrigin::Reconstructed,
            is_borne_out: false,
        }
    }

    fn go<C: CallTracker>(&mut self, calls: &mut C) -> Result<(), WalkStop> {
        while self.place.pc != self.to {
            match self.place.next {
                WalkSuccessor::After => self.pass_stretch(calls)?,
                WalkSuccessor::To(next) => self.pass_slot(next, calls)?,
                WalkSuccessor::Unknown => return Err(WalkStop::Nowhere),
            }
        }
        Ok(())
    }

    fn pass_stretch<C: CallTracker>(&mut self, calls: &mut C) -> Result<(), WalkStop> {
        let first = self.place.pc;
        let stretch = self.program.stretch(first, Some(self.to));
        let instructions = stretch.instructions;
        self.left = self
            .left
            .checked_sub(instructions)
            .ok_or(WalkStop::Undecided(first))?;
        let is_doubtful = stretch.ended != StretchEnd::There && calls.is_unproven();
        let origin = if is_doubtful {
            StepOrigin::Inferred
        } else {
            self.origin
        };
        if instructions > 0 {
            self.sink.stretch(PassedStretch {
                first,
                instructions,
                origin,
            });
        }
        self.place.pc = stretch.end;
        match stretch.ended {
            StretchEnd::There => Ok(()),
            StretchEnd::Unmapped => Err(WalkStop::Unmapped(stretch.end)),
            StretchEnd::AtFork => self.pass_fork(calls),
        }
    }

    fn pass_slot<C: CallTracker>(&mut self, next: u64, calls: &mut C) -> Result<(), WalkStop> {
        let pc = self.place.pc;
        match self.program.find(pc) {
            InstructionLookup::Plain { .. } => {
                self.sink.step(PassedStep {
                    pc,
                    outcome: None,
                    slot: DelaySlot::Executed,
                    origin: self.origin,
                });
                self.place = WalkLocation {
                    pc: next,
                    next: WalkSuccessor::After,
                };
                Ok(())
            }
            InstructionLookup::Fork(_) => self.pass_fork(calls),
            InstructionLookup::Unmapped => Err(WalkStop::Unmapped(pc)),
        }
    }

    /// Passes a fork for which the recording has no decision.
    fn pass_fork<C: CallTracker>(&mut self, calls: &mut C) -> Result<(), WalkStop> {
        let WalkLocation { pc, next } = self.place;
        let undecided = Err(WalkStop::Undecided(pc));
        let InstructionLookup::Fork(fork) = self.program.find(pc) else {
            return undecided;
        };
        self.left = self.left.checked_sub(1).ok_or(WalkStop::Undecided(pc))?;
        let target = match (fork.stated, fork.control.flow) {
            (DecisionPresence::Always, _) => return undecided,
            (_, FlowKind::Return) => None,
            (DecisionPresence::Perhaps, _) => return undecided,
            (DecisionPresence::Never, _) => Some(
                fork.control
                    .target
                    .address()
                    .ok_or(WalkStop::Undecided(pc))?,
            ),
        };
        let slot = if let WalkSuccessor::To(next) = next {
            next
        } else {
            fork.after
        };
        let in_slot = if next == WalkSuccessor::After {
            DelaySlot::None
        } else {
            DelaySlot::Executed
        };
        let turn = |target| ForkExit {
            target: Some(target),
            slot: Some(slot),
            origin: StepOrigin::Reconstructed,
        };
        let goes_to = match target {
            Some(target) => Some(target),
            None if self.is_borne_out => calls.pop(),
            None => self.likely_return(
                &|target| leave(&fork, turn(target), &mut NullPathSink),
                calls,
            ),
        };
        // An unconfirmed guess records no target.
        let stated = goes_to.filter(|_| target.is_some() || self.is_borne_out);
        let outcome = Some(stated.map_or(Outcome::Taken, Outcome::To));
        self.sink.step(PassedStep {
            pc,
            outcome,
            slot: in_slot,
            origin: self.origin,
        });
        let place = goes_to.and_then(|goes_to| leave(&fork, turn(goes_to), self.sink));
        if target.is_none() && !self.is_borne_out {
            return self.give_up(&fork, slot);
        }
        if fork.control.flow == FlowKind::Call {
            calls.push(fork.return_address());
        }
        self.place = place.ok_or(WalkStop::Undecided(pc))?;
        if target.is_none() {
            self.pass_predicted();
        }
        Ok(())
    }

    /// Returns the likely target of a return. Functions also leave through tail calls, so this is
    /// the innermost return address from which a path leads to the next decision.
    /// If there is none, returns the innermost return address, unconfirmed.
    fn likely_return<C: CallTracker>(
        &mut self,
        after: &dyn Fn(u64) -> Option<WalkLocation>,
        calls: &mut C,
    ) -> Option<u64> {
        let mut left = Vec::new();
        while left.len() < LEFT_AT_ONCE
            && let Some(address) = calls.pop()
        {
            // Recursion gives equal return addresses: each is tried once.
            let is_tried = left.last() == Some(&address);
            left.push(address);
            if !is_tried
                && after(address)
                    .is_some_and(|place| calls.is_borne_out(self.program, place, self.to))
            {
                self.is_borne_out = true;
                return Some(address);
            }
        }
        left.iter()
            .skip(1)
            .rev()
            .for_each(|address| calls.push(*address));
        left.first().copied()
    }

    /// Passes the delay slot of a return, which is executed for any target. The path after it is a
    /// guess.
    fn pass_predicted(&mut self) {
        let WalkLocation { pc, next } = self.place;
        if let WalkSuccessor::To(next) = next
            && pc != self.to
            && let InstructionLookup::Plain { .. } = self.program.find(pc)
        {
            self.sink.step(PassedStep {
                pc,
                outcome: None,
                slot: DelaySlot::Executed,
                origin: self.origin,
            });
            self.place = WalkLocation {
                pc: next,
                next: WalkSuccessor::After,
            };
        }
        self.origin = StepOrigin::Inferred;
    }

    /// Gives up after a return whose target is unconfirmed; its delay slot was executed all the
    /// same.
    fn give_up(&mut self, fork: &Fork, slot: u64) -> Result<(), WalkStop> {
        if fork.control.delay == DelaySlotRule::Slot
            && matches!(self.program.find(slot), InstructionLookup::Plain { .. })
        {
            self.sink.step(PassedStep {
                pc: slot,
                outcome: None,
                slot: DelaySlot::Executed,
                origin: self.origin,
            });
        }
        Err(WalkStop::Undecided(slot))
    }
}

/// Calls that a path is inside.
trait CallTracker {
    fn push(&mut self, address: u64);
    fn pop(&mut self) -> Option<u64>;
    /// Returns whether only a decision led to the start of the path.
    fn is_unproven(&self) -> bool;
    /// Returns whether a guessed path leads to the next decision.
    fn is_borne_out<P: Program>(&self, program: &P, from: WalkLocation, to: u64) -> bool;
}

/// Calls of a path that is really taken: changes are kept.
struct CommittedCalls<'a> {
    returns: &'a mut ReturnAddressStack,
    is_unproven: bool,
}

impl CallTracker for CommittedCalls<'_> {
    fn push(&mut self, address: u64) {
        self.returns.push(address);
    }

    fn pop(&mut self) -> Option<u64> {
        self.returns.pop()
    }

    fn is_unproven(&self) -> bool {
        self.is_unproven
    }

    fn is_borne_out<P: Program>(&self, program: &P, from: WalkLocation, to: u64) -> bool {
        let mut nobody = NullPathSink;
        let mut way = PathTracer::new(program, &mut nobody, from, to);
        way.go(&mut SpeculativeCalls {
            returns: self.returns,
            popped: 0,
            pushed: Vec::new(),
        })
        .is_ok()
    }
}

/// Calls of a speculative path: changes are discarded.
struct SpeculativeCalls<'a> {
    returns: &'a ReturnAddressStack,
    /// Number of calls popped from `returns`.
    popped: usize,
    /// Return addresses pushed on the speculative path.
    pushed: Vec<u64>,
}

impl CallTracker for SpeculativeCalls<'_> {
    fn push(&mut self, address: u64) {
        self.pushed.push(address);
    }

    fn pop(&mut self) -> Option<u64> {
        if let Some(address) = self.pushed.pop() {
            return Some(address);
        }
        self.popped += 1;
        self.returns.inner(self.popped - 1)
    }

    fn is_unproven(&self) -> bool {
        false
    }

    /// Always true: the end of the speculative path decides.
    fn is_borne_out<P: Program>(&self, _program: &P, _from: WalkLocation, _to: u64) -> bool {
        true
    }
}

/// Discards the path.
pub struct NullPathSink;

impl PathSink for NullPathSink {
    fn stretch(&mut self, _stretch: PassedStretch) {}
    fn step(&mut self, _step: PassedStep) {}
    fn gap(&mut self, _gap: Gap) {}
}
