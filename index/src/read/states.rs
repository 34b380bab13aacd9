//! State of a thread at a position: its instruction set, and the banks in use. It is that of the
//! thread's last step, or of a later write of the whole status register.
//!
//! The stack pointer in `thread` mode of the M profile needs more. A return from an exception sets
//! CONTROL.SPSEL by its `EXC_RETURN` (DDI 0403, B1.5.8; DDI 0553, "ExceptionReturn"), possibly
//! without a line: operating systems choose the stack of a task in this way. The line that moves
//! MSP or PSP past the loaded frame shows the choice, and so do the lines of pushes and pops.

use stepback_machine::banks::{ExecutionState, SecurityState, StackChoices, ThreadStack};
use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView, decode};
use stepback_parsers::{Position, Step};

use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, StepText};
use crate::read::views::ViewReader;
use crate::store::contents::NamedBank;

/// The whole status register.
pub(super) const STATUS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);

/// State from mode words and the status register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordedState {
    /// State; none for a thread without steps.
    pub state: Option<ExecutionState>,
    /// Instruction set of the thread's last step; none before its first.
    pub set: Option<InstructionSet>,
}

impl RegisterReader<'_> {
    /// Returns the mode that resolves plain names at the position.
    pub(crate) fn mode(&mut self) -> Result<Mode, QueryError> {
        Ok(self.state_at()?.map_or(Mode::Other, |state| state.mode))
    }

    /// Returns the state of the thread at the position: that of its last step unless the status
    /// register shows another since, before its first step that of the first; none for a thread
    /// without steps.
    pub(crate) fn state_at(&mut self) -> Result<Option<ExecutionState>, QueryError> {
        if let Some(state) = self.state {
            return Ok(state);
        }
        let mut state = self.recorded_state()?.state;
        if let Some(ExecutionState { mode, .. }) = &mut state {
            *mode = self.security_of_next(*mode)?;
            *mode = self.with_stack(*mode)?;
        }
        self.state = Some(state);
        Ok(state)
    }

    /// Completes a mode if the status register does not show the security state: with that of the
    /// thread's next step, which is of the same kind unless something is missing.
    fn security_of_next(&mut self, mode: Mode) -> Result<Mode, QueryError> {
        if mode.security() != SecurityState::Unsaid {
            return Ok(mode);
        }
        let Some(next) = SlotReader(self.index).next_step_of(self.thread, self.at)? else {
            return Ok(mode);
        };
        let next = self.state_of_step(next.after())?.mode;
        let is_same_kind = mode.in_security(next.security()) == next;
        Ok(if is_same_kind { next } else { mode })
    }

    /// Returns the state without the choice of a stack pointer by registers.
    pub(super) fn recorded_state(&mut self) -> Result<RecordedState, QueryError> {
        let slots = SlotReader(self.index);
        if let Some(step) = slots.owner(self.thread, self.at.0)? {
            let state = self.state_after_step(step.after())?;
            let stated = self.status_state_since(step.after(), state.set)?;
            let stated = stated.map_or(state, |stated| stated.after(Some(state)));
            return Ok(RecordedState {
                state: Some(stated),
                set: Some(state.set),
            });
        }
        let first = slots.next_step_of(self.thread, self.at)?;
        let state = first
            .map(|step| self.state_of_step(step.after()))
            .transpose()?;
        Ok(RecordedState { state, set: None })
    }

    /// Returns the newest values of the registers that choose a stack pointer.
    pub(crate) fn stack_choices(&mut self) -> Result<StackChoices, QueryError> {
        let (index, mut choices) = (self.index, StackChoices::default());
        for choice in &index.stack_choices {
            let lowest = RegisterView::new(choice.register, 0, 1);
            let Some(slot) =
                ViewReader(index).last_register_slot(self.thread, lowest, self.at.0)?
            else {
                continue;
            };
            let mut events = self.events_of(slot)?.iter().rev();
            choices.note(
                *choice,
                events
                    .find_map(|event| lowest_byte(event, choice.register))
                    .flatten(),
            );
        }
        Ok(choices)
    }

    /// Returns the state after a step, except for its recorded writes. Without recorded registers,
    /// no status shows that a `save` or `restore` changed the window.
    fn state_after_step(&mut self, after: Position) -> Result<ExecutionState, QueryError> {
        let state = self.state_of_step(after)?;
        if !self.index.has_operands_alone() || !state.mode.has_windows() {
            return Ok(state);
        }
        let turn = |event: &SlotEvent| match &event.kind {
            SlotEventKind::Step(step) if step.is_executed => {
                step.instruction_set.window_step(step.encoding.as_ref()?)
            }
            _ => None,
        };
        let turn = self.events_of(after.0)?.iter().find_map(turn);
        Ok(ExecutionState {
            mode: state.mode.after(turn),
            ..state
        })
    }

    fn state_of_step(&mut self, after: Position) -> Result<ExecutionState, QueryError> {
        let state = |event: &SlotEvent| match &event.kind {
            SlotEventKind::Step(StepText {
                mode,
                instruction_set: set,
                ..
            }) => Some(ExecutionState {
                set: *set,
                mode: *mode,
            }),
            _ => None,
        };
        self.events_of(after.0)?
            .iter()
            .find_map(state)
            .ok_or(QueryError::TraceChanged)
    }

    /// Returns the state from writes of the status register from a slot on.
    fn status_state_since(
        &mut self,
        from: Position,
        set: InstructionSet,
    ) -> Result<Option<ExecutionState>, QueryError> {
        let (index, mut last) = (self.index, self.at.0);
        while let Some(slot) =
            ViewReader(self.index).last_register_slot(self.thread, STATUS, last)?
            && slot >= from.0
        {
            if let Some(state) = self
                .events_of(slot)?
                .iter()
                .rev()
                .find_map(|event| state_in(index, event, set))
            {
                return Ok(Some(state));
            }
            last = slot.saturating_sub(1);
        }
        Ok(None)
    }
}

/// Returns the state from an event, if it is a write of the whole status register.
pub(super) fn state_in(
    index: &Index,
    event: &SlotEvent,
    set: InstructionSet,
) -> Option<ExecutionState> {
    match &event.kind {
        SlotEventKind::Register {
            view,
            bytes: Some(bytes),
            ..
        } if *view == STATUS => {
            let state = set.state_of(u32::from_le_bytes(*bytes.first_chunk()?))?;
            Some(match index.source().lacks_modes() {
                true => state.without_mode(),
                false => state,
            })
        }
        _ => None,
    }
}

/// Returns the lowest byte that an event writes to a register, if it writes it; the inner `None`
/// means that the value is unknown.
pub(super) fn lowest_byte(event: &SlotEvent, register: RegisterId) -> Option<Option<u8>> {
    match &event.kind {
        SlotEventKind::Register { view, bytes, .. }
            if view.register == register && view.offset == 0 =>
        {
            Some(bytes.as_ref().and_then(|bytes| bytes.first().copied()))
        }
        _ => None,
    }
}

/// Maximum number of examined writes of either stack pointer; one or two suffice unless MSR sets
/// them again and again.
const MOVES_TRIED: usize = 16;

impl RegisterReader<'_> {
    /// Returns a mode of the M profile with its stack pointer at the position: the newest of
    /// CONTROL's value and the moves by steps. Cost: the text of a few steps.
    pub(crate) fn with_stack(&mut self, mode: Mode) -> Result<Mode, QueryError> {
        let Mode::Thread(security, _) = mode else {
            return Ok(mode);
        };
        Ok(match self.moved_stack(security)? {
            Some(stack) => Mode::Thread(security, stack),
            None => self.stack_choices()?.chosen(mode),
        })
    }

    /// Returns the stack pointer that a step of the thread moved last in this security state, since
    /// CONTROL was written.
    pub(crate) fn moved_stack(
        &mut self,
        security: SecurityState,
    ) -> Result<Option<ThreadStack>, QueryError> {
        let [main, process] =
            [ThreadStack::Main, ThreadStack::Process].map(|stack| self.names_of(security, stack));
        if security == SecurityState::Unsaid || main.len() + process.len() == 2 {
            return Ok(None);
        }
        let (thread, mut last) = (self.thread, self.at.0);
        let mut since = None;
        for choice in &self.index.stack_choices {
            let lowest = RegisterView::new(choice.register, 0, 1);
            since = since.max(ViewReader(self.index).last_register_slot(thread, lowest, last)?);
        }
        for _ in 0..MOVES_TRIED {
            let mut newest = None;
            for register in main.iter().chain(&process) {
                let view = RegisterView::new(*register, 0, 4);
                newest = newest.max(ViewReader(self.index).last_register_slot(thread, view, last)?);
            }
            let Some(slot) = newest.filter(|slot| since.is_none_or(|since| *slot > since)) else {
                return Ok(None);
            };
            if let Some(stack) = self.stack_moved_in(slot, security, [&main, &process])? {
                return Ok(Some(stack));
            }
            let Some(before) = slot.checked_sub(1) else {
                return Ok(None);
            };
            last = before;
        }
        Ok(None)
    }

    /// Returns the register of a stack pointer and the separate names that the trace uses for it.
    /// Writes are listed under any of them.
    fn names_of(&self, security: SecurityState, stack: ThreadStack) -> Vec<RegisterId> {
        let home = Mode::Thread(security, stack).home(RegisterId::SP);
        let is_it =
            |known: &&NamedBank| known.bank.mode().map(|mode| mode.home(known.plain)) == Some(home);
        let named = self
            .index
            .banks
            .iter()
            .filter(is_it)
            .map(|known| known.register);
        std::iter::once(home).chain(named).collect()
    }

    /// Returns the stack pointer that is the only one named by the lines of a slot, if the step
    /// before them moved that of thread mode.
    fn stack_moved_in(
        &mut self,
        slot: u64,
        security: SecurityState,
        names: [&[RegisterId]; 2],
    ) -> Result<Option<ThreadStack>, QueryError> {
        let events = self.events_of(slot)?;
        let is_of = |event: &SlotEvent, names: &[RegisterId]| match &event.kind {
            SlotEventKind::Register {
                view,
                home: Some(home),
                ..
            } => view.register >= RegisterId::FIRST_NAMED && names.contains(&home.register),
            _ => false,
        };
        let stack = match names.map(|names| events.iter().any(|event| is_of(event, names))) {
            [true, false] => ThreadStack::Main,
            [false, true] => ThreadStack::Process,
            _ => return Ok(None),
        };
        let Some(step) = SlotReader(self.index).owner(self.thread, slot)? else {
            return Ok(None);
        };
        let Some(text) = self.text_of(step)? else {
            return Ok(None);
        };
        let moves = match text.mode {
            Mode::Thread(own, _) => own == security && writes_stack(&text),
            Mode::Handler(_) => may_return(&text) && self.is_in_thread_mode_after(step)?,
            _ => false,
        };
        Ok(moves.then_some(stack))
    }

    fn text_of(&mut self, step: Step) -> Result<Option<StepText>, QueryError> {
        let text = |kind: &SlotEventKind| match kind {
            SlotEventKind::Step(text) => Some(text.clone()),
            _ => None,
        };
        Ok(self
            .events_of(step.after().0)?
            .iter()
            .find_map(|event| text(&event.kind)))
    }

    fn is_in_thread_mode_after(&mut self, step: Step) -> Result<bool, QueryError> {
        let next = SlotReader(self.index).next_step_of(self.thread, Position(step.after().0))?;
        let Some(next) = next else { return Ok(false) };
        Ok(self
            .text_of(next)?
            .is_some_and(|text| matches!(text.mode, Mode::Thread(..))))
    }
}

/// Returns true if the step pushes, pops or computes the stack pointer.
fn writes_stack(text: &StepText) -> bool {
    let Some(encoding) = text.encoding.filter(|_| text.is_executed) else {
        return false;
    };
    let instruction = decode(encoding, text.pc, text.instruction_set);
    let writes = instruction.registers.iter().flat_map(|known| &known.writes);
    writes
        .into_iter()
        .any(|view| view.register == RegisterId::SP)
}

/// Returns true if the step jumps to an address from a register or memory, as a return from an
/// exception does.
fn may_return(text: &StepText) -> bool {
    let control = text.control();
    text.is_executed
        && matches!(control.flow, FlowKind::Branch | FlowKind::Return)
        && !matches!(control.target, BranchTarget::Address(_))
}
