//! Last writers of register bytes, flags and memory bytes.

use std::collections::HashSet;

use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{AccessKind, Address, Instruction, Mode, RegisterId, RegisterView, decode};
use stepback_parsers::{Line, Position, Step, StepOrigin, WrittenName};

use crate::answers::cell::ThreadId;
use crate::answers::slice::{SliceCell, SliceEndKind, UnknownInput};
use crate::answers::step_record::Doubt;
use crate::oracle::banks::{MatchCertainty, PhysicalRegister};
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::operands::ActiveSlot;
use crate::oracle::record::Oracle;
use crate::oracle::slice::exceptions::plain_of;

/// Evidence for a definition of a byte by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WriteMethod {
    /// This event.
    Recorded(usize),
    /// This event, unless it wrote another register of the same name.
    Doubtful(usize),
    /// This event, which wrote the part of a vector below the byte.
    Cleared(usize),
    /// The operands of the step, which name or may name this register.
    Operands(RegisterId),
}

/// A step that defined a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteWriter {
    pub step: Step,
    pub how: WriteMethod,
    pub doubt: Option<Doubt>,
}

/// Origin of a byte.
#[derive(Clone, Copy, Debug)]
pub(super) enum ByteOrigin {
    Made(ByteWriter),
    /// No step, and the reason why there may be one after all.
    Nobody(SliceEndKind, Option<Doubt>),
}

/// Bound of the search for writers of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriterBound {
    /// First event that is too late.
    pub event: usize,
    /// The step with the input; its own stores do not count.
    pub taken_by: Option<Step>,
}

const NOTHING: ByteOrigin = ByteOrigin::Nobody(SliceEndKind::Initial { line: None }, None);

impl Oracle {
    /// Returns the instruction of a step, if it was executed and its bytes decode.
    pub(super) fn done(&self, stated: &OracleStep) -> Option<Instruction> {
        let encoding = self.encoding_of(stated).filter(|_| stated.is_executed)?;
        let instruction = decode(encoding, stated.pc, stated.instruction_set);
        instruction
            .registers
            .is_some()
            .then(|| (*instruction).clone())
    }

    /// Returns the mode that determines plain names in a step: the state before it if its own line
    /// does not state it.
    pub(super) fn mode_of_step(&self, step: Step, stated: &OracleStep) -> Mode {
        match stated.mode {
            Mode::Other | Mode::Untold => self.mode_at(stated.thread, Position(step.0)),
            mode => self.with_choices(stated.thread, mode, Position(step.0)),
        }
    }

    /// Returns true if the trace never writes a status register of a thread, or never names the
    /// register or any vector register at all.
    pub(super) fn leaves_out(&self, thread: ThreadId, view: RegisterView) -> bool {
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        let is_written = || {
            self.writes()
                .any(|(writer, written)| writer == thread && written.view.overlaps(view))
        };
        is_status && !is_written()
            || self.never_names(thread, view)
            || self.never_names_vectors(thread, view)
    }

    /// Returns true for a vector register of a thread if none of its lines names one, and its
    /// instructions show the writes.
    fn never_names_vectors(&self, thread: ThreadId, view: RegisterView) -> bool {
        let is_vector = |register| (RegisterId::V0..RegisterId::P0).contains(&register);
        let is_named = || {
            self.writes()
                .any(|(writer, written)| writer == thread && is_vector(written.view.register))
        };
        is_vector(view.register) && self.is_followed_by_text(thread) && !is_named()
    }

    /// Returns the writers of each byte of a register, as a mode determines its name, up to a
    /// position.
    pub(super) fn register_writers(
        &self,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
        mode: Option<Mode>,
    ) -> Vec<ByteOrigin> {
        let places = view.offset..view.offset + view.size_bytes;
        if self.has_operands_alone && view.register == RegisterId::PC {
            return places.map(|_| NOTHING).collect();
        }
        let whole = RegisterView::new(view.register, 0, u16::MAX);
        if self.has_operands_alone || self.leaves_out(thread, whole) {
            let mode = mode.unwrap_or_else(|| self.mode_ahead(thread, at));
            let cell = PhysicalRegister::of_write(view.register, None, mode);
            let is_cell = |stated: &OracleStep, used: RegisterId| match stated.mode {
                Mode::Window { .. } => PhysicalRegister::of_write(used, None, stated.mode) == cell,
                _ => used == view.register,
            };
            let writer = |place: u16| {
                self.last_by_operands(thread, at, |stated, instruction| {
                    let mut writes = instruction.registers.iter().flat_map(|known| &known.writes);
                    let written =
                        writes.find(|used| is_cell(stated, used.register) && covers(**used, place));
                    written.map(|used| used.register)
                })
            };
            return places.map(writer).collect();
        }
        let mode = mode.unwrap_or_else(|| self.mode_at(thread, at));
        let meaning = self.meaning_in(thread, view, mode);
        let own: Vec<(usize, &OracleEvent, &OracleWrite, Option<MatchCertainty>)> = self
            .writes_until(thread, at)
            .map(|(place, event, written)| (place, event, written, meaning.certainty(written)))
            .collect();
        let writer = |place: u16| {
            let last = own
                .iter()
                .rev()
                .find_map(|(number, event, written, certainty)| {
                    let is_doubtful = *certainty == Some(MatchCertainty::Doubtful);
                    let how = if certainty.is_some() && covers(written.view, place) {
                        if is_doubtful {
                            WriteMethod::Doubtful(*number)
                        } else {
                            WriteMethod::Recorded(*number)
                        }
                    } else if place >= 16
                        && written.view.register == view.register
                        && self.clears_vector(thread, written)
                    {
                        WriteMethod::Cleared(*number)
                    } else {
                        return None;
                    };
                    let doubt = is_doubtful.then_some(Doubt::Bank);
                    Some((event, how, doubt))
                });
            last.map_or(NOTHING, |(event, how, doubt)| {
                self.made_by(event, how, doubt)
            })
        };
        places.map(writer).collect()
    }

    /// Returns the last writer, before a position, of a byte of the register that an event wrote.
    pub(super) fn home_writer(
        &self,
        event: usize,
        offset: u16,
        at: Position,
    ) -> Option<(SliceCell, ByteOrigin)> {
        let known = self.events.get(event)?;
        let OracleEventKind::Register(home) = &known.kind else {
            return None;
        };
        let last = self
            .writes_until(known.thread, at)
            .filter(|(_, _, written)| {
                let is_it =
                    written.physical == home.physical && written.name != WrittenName::OfBank;
                is_it && covers(written.view, offset)
            });
        let found = last.last().map_or(NOTHING, |(number, event, _)| {
            self.made_by(event, WriteMethod::Recorded(number), None)
        });
        let named = (RegisterId::FIRST_NAMED.0..)
            .zip(&self.register_names)
            .map(|(number, _)| RegisterId(number));
        let is_home = |register: &RegisterId| {
            let bank = self.bank_of(*register);
            bank.is_some()
                && PhysicalRegister::of_write(*register, bank, Mode::Other) == home.physical
        };
        let register = named
            .into_iter()
            .find(is_home)
            .unwrap_or_else(|| plain_of(home));
        let view = RegisterView::new(register, offset, 1);
        Some((
            SliceCell::Register {
                thread: known.thread,
                view,
            },
            found,
        ))
    }

    /// Returns the last writer of a condition flag up to a position.
    pub(super) fn flag_writer(&self, thread: ThreadId, bit: u64, at: Position) -> ByteOrigin {
        let place = u16::try_from(bit.trailing_zeros() / 8).unwrap_or(u16::MAX);
        if self.has_operands_alone
            || self.leaves_out(thread, RegisterView::new(RegisterId::PSR, place, 1))
        {
            return self.last_by_operands(thread, at, |stated, instruction| {
                (instruction.flags_written(stated.instruction_set) & bit != 0)
                    .then_some(RegisterId::PSR)
            });
        }
        let mut own: Vec<_> = self.writes_until(thread, at).collect();
        own.reverse();
        for (number, event, written) in own {
            if written.view.register != RegisterId::PSR || !covers(written.view, place) {
                continue;
            }
            let stated = event.owner.and_then(|step| self.step(step));
            let written = stated
                .and_then(|stated| Some(self.done(stated)?.flags_written(stated.instruction_set)));
            let done = stated.and_then(|stated| self.done(stated));
            let exception = stated
                .zip(event.owner)
                .and_then(|(stated, step)| self.exception_of(step, stated, done.as_ref()));
            // Taking an exception does not change the flags.
            if written.unwrap_or(0) == 0
                && exception.is_some_and(|exception| !exception.flow.is_return)
            {
                continue;
            }
            // An instruction that sets flags sets only some of them: the line repeats the others.
            if written.is_none_or(|written| written == 0 || written & bit != 0) {
                return self.made_by(event, WriteMethod::Recorded(number), None);
            }
        }
        NOTHING
    }

    /// Returns the last writer of a memory byte.
    pub(super) fn memory_writer(
        &self,
        address: u64,
        before: WriterBound,
        at: Position,
    ) -> ByteOrigin {
        let events = self.events.iter().enumerate().take(before.event);
        for (number, event) in events.rev() {
            let is_own = event.owner.is_some() && event.owner == before.taken_by;
            match &event.kind {
                OracleEventKind::HostWrite { .. } if event.is_host_write_of(address) && !is_own => {
                    return self.made_by(event, WriteMethod::Recorded(number), None);
                }
                OracleEventKind::Access(access)
                    if access.each_byte().any(|(touched, _)| touched == address) =>
                {
                    if access.kind == AccessKind::Write && !is_own {
                        let done = ActiveSlot {
                            thread: event.thread,
                            slot: event.slot,
                        };
                        return self.made_by(
                            event,
                            WriteMethod::Recorded(number),
                            self.overtaken(done, at),
                        );
                    }
                    if access.contradicting.contains(&address) {
                        return ByteOrigin::Nobody(
                            SliceEndKind::External {
                                seen_by: event.owner,
                            },
                            None,
                        );
                    }
                }
                _ => {}
            }
        }
        let end = match self.program.byte(Address(address)) {
            Some(_) => SliceEndKind::Image,
            None if self.lacks_accesses() => {
                SliceEndKind::Unknown(UnknownInput::AccessesNotRecorded)
            }
            None => SliceEndKind::Initial { line: None },
        };
        ByteOrigin::Nobody(end, self.untouched(at))
    }

    /// Returns true if no event is an access to memory although a step may have made one.
    fn lacks_accesses(&self) -> bool {
        let is_access = |event: &OracleEvent| matches!(event.kind, OracleEventKind::Access(_));
        // Reconstructed steps have the bytes of the image.
        let is_recorded = |step: &&OracleStep| step.origin == StepOrigin::Recorded;
        let recorded = || self.steps.iter().filter(is_recorded);
        let codes = recorded().filter_map(|step| step.encoding.map(|encoding| (step, encoding)));
        let known: HashSet<Address> = codes.clone().map(|(step, _)| step.pc).collect();
        let mut meanings =
            codes.map(|(step, encoding)| decode(encoding, step.pc, step.instruction_set));
        let may_access =
            meanings.any(|code| !code.meaning.memory.is_empty() || !code.meaning.is_memory_known);
        let is_any_unknown = self.steps.iter().any(|step| !known.contains(&step.pc));
        !self.events.iter().any(is_access) && (may_access || is_any_unknown)
    }

    /// Returns the register writes of a thread up to a position, with their indices among all
    /// events.
    fn writes_until(
        &self,
        thread: ThreadId,
        at: Position,
    ) -> impl Iterator<Item = (usize, &OracleEvent, &OracleWrite)> {
        let events = self
            .events_until(at)
            .iter()
            .enumerate()
            .filter(move |(_, event)| event.thread == thread);
        events.filter_map(|(number, event)| match &event.kind {
            OracleEventKind::Register(written) => Some((number, event, written)),
            _ => None,
        })
    }

    /// Returns true for a write of a whole V register, which sets the rest of Z to zero.
    pub(super) fn clears_vector(&self, thread: ThreadId, written: &OracleWrite) -> bool {
        let is_simd = (RegisterId::V0..RegisterId::P0).contains(&written.view.register);
        let is_whole = (written.view.offset, written.view.size_bytes) == (0, 16);
        is_simd && is_whole && self.instruction_set(thread).has_states()
    }

    fn made_by(&self, event: &OracleEvent, how: WriteMethod, doubt: Option<Doubt>) -> ByteOrigin {
        match event.owner {
            Some(step) => ByteOrigin::Made(ByteWriter { step, how, doubt }),
            None => {
                let line = self.made_lines.is_none().then_some(Line(event.line + 1));
                ByteOrigin::Nobody(SliceEndKind::Initial { line }, doubt)
            }
        }
    }

    /// Returns the last step of a thread before a position that writes a cell, or may write it.
    fn last_by_operands(
        &self,
        thread: ThreadId,
        at: Position,
        written: impl Fn(&OracleStep, &Instruction) -> Option<RegisterId>,
    ) -> ByteOrigin {
        let steps = self
            .steps
            .iter()
            .enumerate()
            .take(usize::try_from(at.0).unwrap_or(usize::MAX));
        for (number, stated) in steps.rev().filter(|(_, stated)| stated.thread == thread) {
            if !stated.is_executed && self.encoding_of(stated).is_some() {
                continue;
            }
            let (named, doubt) = match self.done(stated) {
                None => (RegisterId::PC, Some(Doubt::Undecoded)),
                Some(known) => {
                    let Some(named) = written(stated, &known) else {
                        continue;
                    };
                    (
                        named,
                        (known.meaning.condition == ExecutionCondition::Conditional)
                            .then_some(Doubt::Conditional),
                    )
                }
            };
            let step = Step(number as u64);
            let done = ActiveSlot {
                thread,
                slot: step.after().0,
            };
            let doubt = doubt
                .or_else(|| self.restored(done, at))
                .or_else(|| self.filtered(at));
            return ByteOrigin::Made(ByteWriter {
                step,
                how: WriteMethod::Operands(named),
                doubt,
            });
        }
        let start = ActiveSlot { thread, slot: 0 };
        ByteOrigin::Nobody(
            SliceEndKind::Initial { line: None },
            self.restored(start, at).or_else(|| self.filtered(at)),
        )
    }

    /// Returns the mode in which a thread continues at a position, judging only by its steps.
    pub(super) fn mode_ahead(&self, thread: ThreadId, at: Position) -> Mode {
        let own =
            |(number, stated): &(u64, &OracleStep)| stated.thread == thread && *number >= at.0;
        let ahead = (0u64..).zip(&self.steps).find(own);
        let last = || {
            self.steps
                .iter()
                .take(usize::try_from(at.0).unwrap_or(usize::MAX))
                .rfind(|stated| stated.thread == thread)
        };
        ahead
            .map(|(_, stated)| stated)
            .or_else(last)
            .map_or(Mode::Other, |stated| stated.mode)
    }
}

/// Returns true if a view contains a byte of its register.
pub(super) fn covers(view: RegisterView, place: u16) -> bool {
    (view.offset..view.offset.saturating_add(view.size_bytes)).contains(&place)
}
