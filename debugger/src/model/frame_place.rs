//! Frames of a thread at a position, with the place of each: where its registers are read, and the
//! instruction that it executes ([`FramePlace`]).

use stepback_index::answer::{Call, Cell, Effect, FrameEntry, FrameExit, StepRecord, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_machine::dwarf_registers::DwarfRegister;
use stepback_parsers::{Position, Step};

use crate::analysis::step_places::step_record;
use crate::model::call_stack::called_at;
use crate::session::Session;

/// A frame of a thread, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLevel {
    /// Position of the program.
    pub position: Position,
    pub thread: ThreadId,
    /// Number of frames inside it. A function that is inlined has none.
    pub level: usize,
    /// Number of inlined functions inside the selected function.
    pub inlined: usize,
}

impl FrameLevel {
    /// Returns the innermost frame of a thread.
    pub fn innermost(thread: ThreadId, position: Position) -> Self {
        Self {
            position,
            thread,
            level: 0,
            inlined: 0,
        }
    }
}

impl FramePlace {
    /// Returns the frame.
    pub fn frame(&self) -> FrameLevel {
        FrameLevel {
            position: self.position,
            thread: self.thread,
            level: self.level,
            inlined: self.inlined,
        }
    }
}

/// Place of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePlace {
    pub thread: ThreadId,
    /// Number of frames inside it.
    pub level: usize,
    /// Number of inlined functions inside the selected function.
    pub inlined: usize,
    /// Position of the program, at which memory is read.
    pub position: Position,
    /// Position at which registers are read: that of the program, or that of [`WaitingPlace`].
    pub registers_at: Position,
    /// Position of the processor mode that selects banked registers.
    pub mode_at: Position,
    /// Address of the next instruction, or of the call that the frame waits for; none if no step
    /// shows it.
    pub address: Option<Address>,
    /// Entry of the call table; none outside all calls.
    pub call: Option<Call>,
}

impl FramePlace {
    /// Finds the place of a frame; none if there is no such frame.
    ///
    /// Cost: the frames up to the level, and one step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find(
        session: &Session,
        frame: FrameLevel,
        cancel: &Cancel,
    ) -> Result<Option<Self>, QueryError> {
        let FrameLevel {
            position,
            thread,
            level,
            inlined,
        } = frame;
        let calls = session.index.calls();
        let innermost = calls.innermost_at(thread, position);
        let outwards =
            || std::iter::successors(innermost, |id| calls.get(*id).and_then(|call| call.parent));
        let call_of = |level: usize| outwards().nth(level).and_then(|call| calls.get(call));
        let call = call_of(level);
        let Some(inner) = level.checked_sub(1) else {
            let address = next_address(session, frame, call.as_ref(), cancel)?;
            return Ok(Some(Self {
                thread,
                level,
                inlined,
                position,
                registers_at: position,
                mode_at: position,
                address,
                call,
            }));
        };
        let (Some(call), Some(inner)) = (call, call_of(inner)) else {
            return Ok(None);
        };
        let waiting = WaitingPlace::around(session, &inner, cancel)?;
        Ok(Some(Self {
            thread,
            level,
            inlined,
            position,
            registers_at: waiting.registers_at,
            mode_at: waiting.mode_at,
            address: waiting.address,
            call: Some(call),
        }))
    }
}

impl FramePlace {
    /// Returns a register of the frame by its DWARF number; none if the trace has no such register.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn register(&self, number: u16, index: &Index) -> Result<Option<Cell>, QueryError> {
        let (names, thread) = (NameReader(index), self.thread);
        let set = names.set_at(thread, self.mode_at)?;
        let Some(DwarfRegister::Named(name)) = set.dwarf_register(number) else {
            return Ok(None);
        };
        let view = names.register_view_at(&name, thread, self.mode_at)?;
        Ok(view.map(|view| Cell::Register { thread, view }))
    }
}

/// Place at which a frame waits for the frame inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingPlace {
    /// Position at which the registers are those of the frame: before its call, or after the step
    /// that an exception interrupted. The trace shows them, so they are exact.
    pub registers_at: Position,
    /// Position of the processor mode of the frame.
    pub mode_at: Position,
    /// Address of the call, or at which the frame continues after the exception. None if no step
    /// shows it.
    pub address: Option<Address>,
}

impl WaitingPlace {
    /// Finds the place at which the frame around `inner` waits.
    ///
    /// Cost: one or two steps, and a lookup for each tail call that replaced the called frame.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn around(session: &Session, inner: &Call, cancel: &Cancel) -> Result<Self, QueryError> {
        let called = called_frame(session, *inner, cancel)?;
        let mode_at = called_at(called.as_ref().unwrap_or(inner));
        let site = match called.and_then(|called| called.call_step) {
            Some(step) => step_record(step, &session.index, cancel)?,
            None => None,
        };
        let interrupted = called.filter(|called| called.entered == FrameEntry::Exception);
        if let (Some(handler), Some(site)) = (interrupted, &site)
            && let Some(address) = resume_address(session, &handler, site, cancel)?
            && address != site.pc
        {
            return Ok(Self {
                registers_at: Step::after(site.step),
                mode_at,
                address: Some(address),
            });
        }
        Ok(Self {
            registers_at: mode_at,
            mode_at,
            address: site.map(|site| site.pc),
        })
    }
}

/// Returns the frame that the caller entered: `inner` itself, or the one that tail calls replaced by
/// it. None if the trace does not show it.
fn called_frame(
    session: &Session,
    mut inner: Call,
    cancel: &Cancel,
) -> Result<Option<Call>, QueryError> {
    let calls = session.index.calls();
    while inner.entered == FrameEntry::Tail {
        cancel.check()?;
        let Some(jump) = inner.call_step else {
            return Ok(None);
        };
        let executing = calls.innermost_at(inner.thread, Step::before(jump));
        let replaced = executing.and_then(|executing| {
            let depths = inner.depth..inner.depth.saturating_add(1);
            calls.get(*calls.part_of_path(executing, depths).first()?)
        });
        let replaced = replaced.filter(|replaced| {
            replaced.left == FrameExit::Tail
                && replaced.exit_step == Some(jump)
                && replaced.call_step.is_none_or(|step| step < jump)
        });
        let Some(replaced) = replaced else {
            return Ok(None);
        };
        inner = replaced;
    }
    Ok(Some(inner))
}

/// Returns the address at which interrupted code continues: the one that the exception saved, or
/// that of the first step after the handler. None if the trace shows neither.
fn resume_address(
    session: &Session,
    handler: &Call,
    site: &StepRecord,
    cancel: &Cancel,
) -> Result<Option<Address>, QueryError> {
    let candidates = [site.pc.0, site.pc.0.wrapping_add(site.length_bytes.into())];
    let effects = site.effects.iter();
    let of_exception = effects.skip_while(|effect| !matches!(effect, Effect::Exception(_)));
    let mut saved = of_exception.filter_map(|effect| match effect {
        Effect::Register { value, .. } => value.to_u64(),
        _ => None,
    });
    if let Some(saved) = saved.find(|value| candidates.contains(value)) {
        return Ok(Some(Address(saved)));
    }
    let left = handler
        .exit_step
        .filter(|_| handler.left == FrameExit::Return);
    let Some(left) = left else { return Ok(None) };
    let index = &session.index;
    let next = NearestStepOf::next(handler.thread, Step::after(left)).run(index, cancel)?;
    let record = match next {
        Some(step) => step_record(step, index, cancel)?,
        None => None,
    };
    Ok(record.map(|record| record.pc))
}

/// Returns the address of a thread's next instruction. At its end, that is the function of a frame
/// of which the trace shows no step, or the last instruction.
pub(super) fn next_address(
    session: &Session,
    frame: FrameLevel,
    call: Option<&Call>,
    cancel: &Cancel,
) -> Result<Option<Address>, QueryError> {
    let index = &session.index;
    let next = NearestStepOf::next(frame.thread, frame.position).run(index, cancel)?;
    if next.is_none()
        && let Some(call) = call.filter(|call| call.entry_step.is_none())
    {
        return Ok(Some(call.function));
    }
    let step: Option<Step> = match next {
        Some(step) => Some(step),
        None => NearestStepOf::last(frame.thread, frame.position).run(index, cancel)?,
    };
    let record = match step {
        Some(step) => step_record(step, index, cancel)?,
        None => None,
    };
    Ok(record.map(|record| record.pc))
}
