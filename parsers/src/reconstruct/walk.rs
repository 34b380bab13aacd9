//! The way of one thread through a program.

use stepback_machine::{Delay, Flow};

use crate::events::{DelaySlot, StepOrigin};
use crate::gap::{Gap, GapReason};
use crate::reconstruct::behind::{Behind, OpenSlot};
use crate::reconstruct::decision::{Decision, Outcome};
use crate::reconstruct::path::{PassedStep, PassedStretch, PathSink};
use crate::reconstruct::program::{Fork, Found, Program, Stretched, Told};
use crate::reconstruct::returns::ReturnStack;

/// Instructions between two decisions: a way that is longer is lost.
const LONGEST: u64 = 1 << 20;
/// So many calls a return that nobody recorded may end.
const LEFT_AT_ONCE: usize = 256;
/// Instructions behind the last decision that are shown as likely.
const TAIL: u64 = 1 << 12;

/// Where a thread is, and which calls it is inside of.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// None while that is not known.
    place: Option<Place>,
    /// Where control may go behind the next instruction, while that is [`Next::Unknown`].
    behind: Behind,
    /// What comes before the place, while that is not known.
    open: Option<OpenSlot>,
    returns: ReturnStack,
    /// A decision alone led here, and nothing has borne it out so far.
    is_unproven: bool,
    /// The last decision was a return to behind none of the calls that are known.
    is_return_strange: bool,
}

/// The next instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    pc: u64,
    next: Next,
}

/// Where control goes behind an instruction that is no fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// To the instruction behind it.
    Behind,
    /// It stands in a delay slot, and control goes to this address.
    To(u64),
    /// It may stand in a delay slot, and it is not known of what: control goes to one of several addresses.
    Unknown,
}

/// Why a walk does not come to the next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// It came to a fork at which the recording has no decision.
    #[error("there is no decision at {0:#x}")]
    Undecided(u64),
    /// No file has what is there.
    #[error("nothing is known of {0:#x}")]
    Unmapped(u64),
    /// The decision before did not say where control went.
    #[error("nobody knows where it is")]
    Nowhere,
    /// It came to the fork of the next decision, but that says that it was come to on another way, and so another time.
    #[error("the decision at {0:#x} is of another time")]
    Another(u64),
    /// The decision says what cannot be of its fork.
    #[error("the decision at {0:#x} cannot be")]
    Contradicted(u64),
}

impl Stop {
    /// Why instructions are missing then.
    pub fn reason(self) -> GapReason {
        match self {
            Self::Undecided(_) | Self::Nowhere | Self::Another(_) => GapReason::Lost,
            Self::Unmapped(_) => GapReason::Unmapped,
            Self::Contradicted(_) => GapReason::Contradiction,
        }
    }
}

impl Walk {
    /// Begins at the entry of the program if that leads to the first decision, else at the decision: then it is not known how
    /// the thread came there. True: at the entry.
    pub fn begin<P: Program>(&mut self, program: &P, entry: Option<u64>, first: u64) -> bool {
        let place = |pc| Place {
            pc,
            next: Next::Behind,
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

    /// Goes on at a decision to which it is not known how the thread came.
    pub fn resume<P: Program>(&mut self, program: &P, at: u64) {
        let mut behind = program.behind_slot(at);
        let next = if behind.is_nowhere_else() {
            Next::Behind
        } else {
            Next::Unknown
        };
        usual_behind(program, at)
            .into_iter()
            .for_each(|usual| behind.add(usual));
        self.place = Some(Place { pc: at, next });
        (self.behind, self.open) = (behind, None);
        self.is_unproven = false;
    }

    /// Goes to the next decision; where no way leads there, a gap is told, and the walk goes on at the decision. Gives why.
    pub fn come_to<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: Sought,
        sink: &mut S,
    ) -> Option<Stop> {
        let pc = to.pc;
        let stop = match self.can_be(program, to) {
            true => match self.advance(program, pc, sink) {
                Ok(()) if self.admits(to) => return None,
                Ok(()) => Stop::Another(pc),
                Err(stop) => stop,
            },
            // It bears nothing out.
            false => match self.approach(program, pc, sink) {
                Err(Stop::Nowhere) => return Some(Stop::Contradicted(pc)),
                Ok(()) | Err(_) => Stop::Contradicted(pc),
            },
        };
        // What led nowhere has told of the gap.
        if stop != Stop::Nowhere {
            sink.gap(Gap {
                reason: stop.reason(),
                instructions: None,
            });
        }
        if stop != Stop::Contradicted(pc) {
            self.resume(program, pc);
            self.behind.add(to.behind);
        }
        Some(stop)
    }

    /// Whether any way leads to a decision with the instruction behind it that it names.
    fn can_be<P: Program>(&self, program: &P, to: Sought) -> bool {
        to.slot.is_none_or(|named| {
            let here = Place {
                pc: to.pc,
                next: Next::To(named),
            };
            named == to.behind
                || self.place == Some(here)
                || program.behind_slot(to.pc).may_be(named)
        })
    }

    /// Whether the instruction behind the fork where the walk is can be the one that a decision names.
    fn admits(&self, to: Sought) -> bool {
        let Some((place, named)) = self.place.zip(to.slot) else {
            return true;
        };
        match place.next {
            Next::Behind => to.behind == named,
            Next::To(next) => next == named,
            Next::Unknown => self.behind.may_be(named),
        }
    }

    /// Forgets where the thread is, behind a gap that was told.
    pub fn lose(&mut self) {
        (self.place, self.open) = (None, None);
    }

    /// Whether the last decision was a return that went to behind none of the calls that are known, though there are some.
    pub fn has_returned_elsewhere(&self) -> bool {
        self.is_return_strange
    }

    /// Goes to the next decision, and hands on what is passed.
    ///
    /// # Errors
    /// No way leads there; what comes before the place where that shows was handed on.
    pub fn advance<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: u64,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let follows = match self.open.take() {
            Some(open) => self.pass_open(program, &open, to, sink),
            None => Follows::Surely,
        };
        let place = self.place.ok_or(Stop::Nowhere)?;
        let origin = if follows == Follows::Surely {
            StepOrigin::Reconstructed
        } else {
            StepOrigin::Inferred
        };
        let mut way = Way {
            origin,
            ..Way::new(program, sink, place, to)
        };
        let went = way.go(&mut Real {
            returns: &mut self.returns,
            is_unproven: self.is_unproven,
        });
        self.place = Some(way.place);
        self.is_unproven &= went.is_err();
        if let (Ok(()), Follows::OrIsSlotBefore(target)) = (went, follows) {
            self.doubt_what_follows(program, target);
        }
        went
    }

    /// Goes as far as to a decision that cannot be, which bears nothing out, and forgets where the thread is.
    ///
    /// # Errors
    /// No way leads there.
    pub fn approach<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        to: u64,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let open = self.open.take();
        let is_certain = open.is_none() && !self.is_unproven;
        let place = self
            .place
            .take()
            .filter(|_| open.is_none_or(|open| open.pass(program, sink)));
        let place = place.ok_or(Stop::Nowhere)?;
        let origin = if is_certain {
            StepOrigin::Reconstructed
        } else {
            StepOrigin::Inferred
        };
        let mut way = Way {
            origin,
            ..Way::new(program, sink, place, to)
        };
        way.go(&mut Real {
            returns: &mut self.returns,
            is_unproven: !is_certain,
        })
    }

    /// Passes a delay slot of which it is not known where it is, on the way to the next decision.
    fn pass_open<P: Program, S: PathSink>(
        &mut self,
        program: &P,
        open: &OpenSlot,
        to: u64,
        sink: &mut S,
    ) -> Follows {
        let target = open.target;
        let behind_slot = Place {
            pc: target,
            next: Next::Behind,
        };
        let leads = open.may_be_plain(program) && self.leads_to(program, behind_slot, to);
        if !leads && to == open.usual && open.may_be.addresses.contains(&to) {
            self.place = Some(Place {
                pc: to,
                next: Next::To(target),
            });
            return Follows::Surely;
        }
        if !leads && open.may_be.addresses.contains(&to) {
            // The decision is in the slot, or the slot was passed and decisions after it are lost.
            sink.gap(Gap {
                reason: GapReason::Lost,
                instructions: None,
            });
            self.resume(program, to);
            self.behind.add(target);
            self.place = Some(Place {
                pc: to,
                next: Next::Unknown,
            });
            return Follows::Surely;
        }
        if !open.pass(program, sink) {
            self.place = None;
            return Follows::Perhaps;
        }
        match leads {
            true if open.may_be.may_be(to) => Follows::OrIsSlotBefore(target),
            true => Follows::Surely,
            // What stood in the slot may have led elsewhere.
            false => Follows::Perhaps,
        }
    }

    /// The instruction here came behind others, or in the slot of a fork that leads to an address.
    fn doubt_what_follows<P: Program>(&mut self, program: &P, target: u64) {
        let Some(place) = &mut self.place else { return };
        let behind = match place.next {
            Next::Behind => usual_behind(program, place.pc),
            Next::To(next) => Some(next),
            Next::Unknown => None,
        };
        place.next = Next::Unknown;
        self.behind = Behind {
            addresses: vec![target],
            may_be_any: false,
        };
        behind
            .into_iter()
            .for_each(|behind| self.behind.add(behind));
    }

    /// Takes the decision at the fork where the walk is.
    pub fn decide<S: PathSink>(&mut self, fork: &Fork, decision: Decision, sink: &mut S) {
        let Some(Place { pc, next }) = self.place else {
            return;
        };
        let Decision { outcome, slot } = decision;
        let in_slot = if matches!(next, Next::To(_)) {
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
        if fork.control.flow == Flow::Call && target.is_some() {
            self.returns.push(fork.return_address());
        }
        self.is_return_strange = match (fork.control.flow, target) {
            (Flow::Return, Some(target)) => {
                self.returns.inner(0).is_some() && !self.returns.return_to(target)
            }
            _ => false,
        };
        let slot = match next {
            Next::Behind => Some(fork.behind),
            Next::To(next) => Some(next),
            Next::Unknown => slot,
        };
        self.is_unproven = matches!(outcome, Outcome::To(_));
        let executes_slot = matches!(fork.control.delay, Delay::Slot | Delay::UnlessNotTaken);
        match (slot, target) {
            (None, Some(target)) if executes_slot => {
                let may_be = std::mem::take(&mut self.behind);
                self.open = Some(OpenSlot {
                    may_be,
                    usual: fork.behind,
                    target,
                });
                self.place = Some(Place {
                    pc: target,
                    next: Next::Behind,
                });
            }
            // An annulled slot changes nothing: the usual one will do.
            (None, Some(_)) if fork.control.delay == Delay::Annulled => {
                self.place = leave(
                    fork,
                    Turn {
                        target,
                        slot: Some(fork.behind),
                        origin: StepOrigin::Inferred,
                    },
                    sink,
                );
            }
            _ => {
                self.place = leave(
                    fork,
                    Turn {
                        target,
                        slot,
                        origin: StepOrigin::Reconstructed,
                    },
                    sink,
                )
            }
        }
    }

    /// What the thread most likely did behind its last decision, up to the next fork.
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
        if let Next::To(target) = place.next {
            let Found::Plain { .. } = program.find(place.pc) else {
                return;
            };
            let (pc, origin) = (place.pc, StepOrigin::Inferred);
            sink.step(PassedStep {
                pc,
                outcome: None,
                slot: DelaySlot::Executed,
                origin,
            });
            place = Place {
                pc: target,
                next: Next::Behind,
            };
        }
        if place.next == Next::Behind {
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

    /// Whether control comes from a place to an address without a decision between them.
    fn leads_to<P: Program>(&self, program: &P, from: Place, to: u64) -> bool {
        let mut nobody = Nobody;
        let mut way = Way::new(program, &mut nobody, from, to);
        way.go(&mut Trial {
            returns: &self.returns,
            popped: 0,
            pushed: Vec::new(),
        })
        .is_ok()
    }
}

/// The next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// Where its fork is.
    pub pc: u64,
    /// The address behind the fork.
    pub behind: u64,
    /// What it says of the instruction that comes behind the fork, as [`Decision::slot`].
    pub slot: Option<u64>,
}

/// Whether what follows a delay slot that is not known is the way to the next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Surely,
    /// A fork may have stood in the slot.
    Perhaps,
    /// The fork of the next decision may have stood in the slot before this address.
    OrIsSlotBefore(u64),
}

/// The address behind an instruction; none where nothing is known of it.
fn usual_behind<P: Program>(program: &P, pc: u64) -> Option<u64> {
    match program.find(pc) {
        Found::Plain { behind } => Some(behind),
        Found::Fork(fork) => Some(fork.behind),
        Found::Unmapped => None,
    }
}

/// Where a fork leads when control goes elsewhere; none when it goes on.
fn target_of(fork: &Fork, outcome: Outcome) -> Option<u64> {
    match outcome {
        Outcome::NotTaken => None,
        Outcome::Taken => fork.control.target.address(),
        Outcome::To(target) => Some(target),
    }
}

/// How a fork is left.
struct Turn {
    /// None: on behind it.
    target: Option<u64>,
    /// The instruction that comes between the fork and its target; none where that is not known.
    slot: Option<u64>,
    /// What an annulled slot is known from.
    origin: StepOrigin,
}

/// The place behind a fork. A slot that is annulled is handed on; one that is executed is the next place.
fn leave<S: PathSink>(fork: &Fork, turn: Turn, sink: &mut S) -> Option<Place> {
    let Turn {
        target,
        slot,
        origin,
    } = turn;
    let behind_slot = slot.map(|slot| slot.wrapping_add(u64::from(fork.slot_bytes)));
    let place = |pc| Place {
        pc,
        next: Next::Behind,
    };
    match (fork.control.delay, target.is_some()) {
        (Delay::None, _) => target.or(slot).map(place),
        (Delay::Slot, _) | (Delay::UnlessNotTaken, true) => match slot {
            Some(pc) => target.or(behind_slot).map(|next| Place {
                pc,
                next: Next::To(next),
            }),
            None => {
                sink.gap(Gap {
                    reason: GapReason::Lost,
                    instructions: Some(1),
                });
                target.map(place)
            }
        },
        (Delay::UnlessNotTaken, false) | (Delay::Annulled, _) => {
            if let Some(pc) = slot {
                sink.step(PassedStep {
                    pc,
                    outcome: None,
                    slot: DelaySlot::Annulled,
                    origin,
                });
            }
            target.or(behind_slot).map(place)
        }
    }
}

/// A way to the next decision.
struct Way<'a, P, S> {
    program: &'a P,
    sink: &'a mut S,
    place: Place,
    to: u64,
    /// Instructions that it may still take.
    left: u64,
    /// What its steps are known from.
    origin: StepOrigin,
    /// What is guessed from here on leads to the next decision.
    is_borne_out: bool,
}

impl<'a, P: Program, S: PathSink> Way<'a, P, S> {
    fn new(program: &'a P, sink: &'a mut S, place: Place, to: u64) -> Self {
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

    fn go<C: Calls>(&mut self, calls: &mut C) -> Result<(), Stop> {
        while self.place.pc != self.to {
            match self.place.next {
                Next::Behind => self.pass_stretch(calls)?,
                Next::To(next) => self.pass_slot(next, calls)?,
                Next::Unknown => return Err(Stop::Nowhere),
            }
        }
        Ok(())
    }

    fn pass_stretch<C: Calls>(&mut self, calls: &mut C) -> Result<(), Stop> {
        let first = self.place.pc;
        let stretch = self.program.stretch(first, Some(self.to));
        let instructions = stretch.instructions;
        self.left = self
            .left
            .checked_sub(instructions)
            .ok_or(Stop::Undecided(first))?;
        let is_doubtful = stretch.ended != Stretched::There && calls.is_unproven();
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
            Stretched::There => Ok(()),
            Stretched::Unmapped => Err(Stop::Unmapped(stretch.end)),
            Stretched::AtFork => self.pass_fork(calls),
        }
    }

    fn pass_slot<C: Calls>(&mut self, next: u64, calls: &mut C) -> Result<(), Stop> {
        let pc = self.place.pc;
        match self.program.find(pc) {
            Found::Plain { .. } => {
                self.sink.step(PassedStep {
                    pc,
                    outcome: None,
                    slot: DelaySlot::Executed,
                    origin: self.origin,
                });
                self.place = Place {
                    pc: next,
                    next: Next::Behind,
                };
                Ok(())
            }
            Found::Fork(_) => self.pass_fork(calls),
            Found::Unmapped => Err(Stop::Unmapped(pc)),
        }
    }

    /// A fork for which the recording has no decision.
    fn pass_fork<C: Calls>(&mut self, calls: &mut C) -> Result<(), Stop> {
        let Place { pc, next } = self.place;
        let undecided = Err(Stop::Undecided(pc));
        let Found::Fork(fork) = self.program.find(pc) else {
            return undecided;
        };
        self.left = self.left.checked_sub(1).ok_or(Stop::Undecided(pc))?;
        let target = match (fork.told, fork.control.flow) {
            (Told::Always, _) => return undecided,
            (_, Flow::Return) => None,
            (Told::Perhaps, _) => return undecided,
            (Told::Never, _) => Some(fork.control.target.address().ok_or(Stop::Undecided(pc))?),
        };
        let slot = if let Next::To(next) = next {
            next
        } else {
            fork.behind
        };
        let in_slot = if next == Next::Behind {
            DelaySlot::None
        } else {
            DelaySlot::Executed
        };
        let turn = |target| Turn {
            target: Some(target),
            slot: Some(slot),
            origin: StepOrigin::Reconstructed,
        };
        let goes_to = match target {
            Some(target) => Some(target),
            None if self.is_borne_out => calls.pop(),
            None => self.likely_return(&|target| leave(&fork, turn(target), &mut Nobody), calls),
        };
        // Where nothing bears a guess out, it is not said where control went.
        let told = goes_to.filter(|_| target.is_some() || self.is_borne_out);
        let outcome = Some(told.map_or(Outcome::Taken, Outcome::To));
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
        if fork.control.flow == Flow::Call {
            calls.push(fork.return_address());
        }
        self.place = place.ok_or(Stop::Undecided(pc))?;
        if target.is_none() {
            self.pass_predicted();
        }
        Ok(())
    }

    /// To behind which call a return goes: the innermost from which a way leads to the next decision, since calls are left by
    /// jumps of functions to others, too. Where there is none, the innermost one, and nothing bears it out.
    fn likely_return<C: Calls>(
        &mut self,
        behind: &dyn Fn(u64) -> Option<Place>,
        calls: &mut C,
    ) -> Option<u64> {
        let mut left = Vec::new();
        while left.len() < LEFT_AT_ONCE
            && let Some(address) = calls.pop()
        {
            // Where recursion was left at once the same is not tried again.
            let is_tried = left.last() == Some(&address);
            left.push(address);
            if !is_tried
                && behind(address)
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

    /// The slot of a return is passed wherever the return goes; what follows is a guess.
    fn pass_predicted(&mut self) {
        let Place { pc, next } = self.place;
        if let Next::To(next) = next
            && pc != self.to
            && let Found::Plain { .. } = self.program.find(pc)
        {
            self.sink.step(PassedStep {
                pc,
                outcome: None,
                slot: DelaySlot::Executed,
                origin: self.origin,
            });
            self.place = Place {
                pc: next,
                next: Next::Behind,
            };
        }
        self.origin = StepOrigin::Inferred;
    }

    /// Behind a return whose target nothing bears out: its slot was passed all the same.
    fn give_up(&mut self, fork: &Fork, slot: u64) -> Result<(), Stop> {
        if fork.control.delay == Delay::Slot
            && matches!(self.program.find(slot), Found::Plain { .. })
        {
            self.sink.step(PassedStep {
                pc: slot,
                outcome: None,
                slot: DelaySlot::Executed,
                origin: self.origin,
            });
        }
        Err(Stop::Undecided(slot))
    }
}

/// The calls that a way is inside of.
trait Calls {
    fn push(&mut self, address: u64);
    fn pop(&mut self) -> Option<u64>;
    /// Whether nothing but a decision led to where the way begins.
    fn is_unproven(&self) -> bool;
    /// Whether a way that was guessed leads to the next decision.
    fn is_borne_out<P: Program>(&self, program: &P, from: Place, to: u64) -> bool;
}

/// Those of a way that is gone.
struct Real<'a> {
    returns: &'a mut ReturnStack,
    is_unproven: bool,
}

impl Calls for Real<'_> {
    fn push(&mut self, address: u64) {
        self.returns.push(address);
    }

    fn pop(&mut self) -> Option<u64> {
        self.returns.pop()
    }

    fn is_unproven(&self) -> bool {
        self.is_unproven
    }

    fn is_borne_out<P: Program>(&self, program: &P, from: Place, to: u64) -> bool {
        let mut nobody = Nobody;
        let mut way = Way::new(program, &mut nobody, from, to);
        way.go(&mut Trial {
            returns: self.returns,
            popped: 0,
            pushed: Vec::new(),
        })
        .is_ok()
    }
}

/// Those of a way that is looked at.
struct Trial<'a> {
    returns: &'a ReturnStack,
    /// Of those how many it has left.
    popped: usize,
    /// And those that it came to.
    pushed: Vec<u64>,
}

impl Calls for Trial<'_> {
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

    /// That shows at the end.
    fn is_borne_out<P: Program>(&self, _program: &P, _from: Place, _to: u64) -> bool {
        true
    }
}

/// Takes nothing.
struct Nobody;

impl PathSink for Nobody {
    fn stretch(&mut self, _stretch: PassedStretch) {}
    fn step(&mut self, _step: PassedStep) {}
    fn gap(&mut self, _gap: Gap) {}
}
