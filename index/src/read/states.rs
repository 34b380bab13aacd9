//! State of a thread at a position: its instruction set, and the banks in use.

use stepback_machine::{
    ExecutionState, InstructionSet, Mode, RegisterId, RegisterView, SecurityState, StackChoices,
};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, StepText};
use crate::read::views::ViewReader;

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
            let told = self.status_state_since(step.after(), state.set)?;
            let told = told.map_or(state, |told| told.after(Some(state)));
            return Ok(RecordedState {
                state: Some(told),
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
            mode: state.mode.behind(turn),
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
        let mut last = self.at.0;
        while let Some(slot) =
            ViewReader(self.index).last_register_slot(self.thread, STATUS, last)?
            && slot >= from.0
        {
            if let Some(state) = self
                .events_of(slot)?
                .iter()
                .rev()
                .find_map(|event| told_by(event, set))
            {
                return Ok(Some(state));
            }
            last = slot.saturating_sub(1);
        }
        Ok(None)
    }
}

/// Returns the state from an event, if it is a write of the whole status register.
pub(super) fn told_by(event: &SlotEvent, set: InstructionSet) -> Option<ExecutionState> {
    match &event.kind {
        SlotEventKind::Register {
            view,
            bytes: Some(bytes),
            ..
        } if *view == STATUS => set.state_of(u32::from_le_bytes(*bytes.first_chunk()?)),
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
