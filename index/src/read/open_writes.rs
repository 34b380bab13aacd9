//! Writes under plain names on lines that do not identify the physical register.
//!
//! Such a line comes after a step of another thread, or in `thread` mode of the M profile. The
//! register depends on the state of its own thread at that line.

use std::borrow::Cow;

use stepback_machine::{
    ExecutionState, InstructionSet, Mode, RegisterId, SecurityState, StackChoices, ThreadStack,
};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind};
use crate::read::states::{lowest_byte, told_by};
use crate::read::views::ViewReader;

/// Follows a thread through the events of a slot, and resolves the registers that it wrote.
pub(crate) struct OpenWrites<'a> {
    index: &'a Index,
    thread: ThreadId,
    state: Option<ExecutionState>,
    /// Instruction set of the thread's last step; none before its first.
    set: Option<InstructionSet>,
    choices: StackChoices,
    /// Stacks that steps before the slot moved, until CONTROL is written in it.
    moved: Vec<(SecurityState, ThreadStack)>,
}

/// Returns an event with its register resolved, from the events up to it.
pub(crate) fn told<'e>(
    open: &mut Option<OpenWrites<'_>>,
    event: &'e SlotEvent,
) -> Cow<'e, SlotEvent> {
    let Some(open) = open else {
        return Cow::Borrowed(event);
    };
    let mut event = event.clone();
    open.tell(&mut event);
    Cow::Owned(event)
}

impl<'a> OpenWrites<'a> {
    /// Creates a resolver for the events of a slot, if something in it must be resolved. Cost: the
    /// text of one or few steps.
    pub fn of(
        index: &'a Index,
        thread: ThreadId,
        homes: &Homes,
        slot: u64,
    ) -> Result<Option<Self>, QueryError> {
        for view in homes.open() {
            if ViewReader(index).last_register_slot(thread, view, slot)? == Some(slot) {
                return Self::before(index, thread, slot).map(Some);
            }
        }
        Ok(None)
    }

    /// Creates a resolver for known events of a slot, if one of them must be resolved.
    pub fn of_events(
        index: &'a Index,
        thread: ThreadId,
        slot: u64,
        events: &[SlotEvent],
    ) -> Result<Option<Self>, QueryError> {
        let set = index.instruction_set(thread);
        let is_open = |event: &SlotEvent| match &event.kind {
            SlotEventKind::Register {
                view,
                home: Some(home),
                ..
            } => is_open(set, view.register, home.register),
            _ => false,
        };
        match events
            .iter()
            .any(|event| event.thread == thread && is_open(event))
        {
            true => Self::before(index, thread, slot).map(Some),
            false => Ok(None),
        }
    }

    fn before(index: &'a Index, thread: ThreadId, slot: u64) -> Result<Self, QueryError> {
        let mut reader = RegisterReader::new(index, thread, Position(slot.saturating_sub(1)));
        let told = reader.recorded_state()?;
        let choices = if slot > 0 {
            reader.stack_choices()?
        } else {
            StackChoices::default()
        };
        let mut moved = Vec::new();
        if slot > 0 {
            for security in [
                SecurityState::Undivided,
                SecurityState::Secure,
                SecurityState::NonSecure,
            ] {
                moved.extend(reader.moved_stack(security)?.map(|stack| (security, stack)));
            }
        }
        Ok(Self {
            index,
            thread,
            state: told.state,
            set: told.set,
            choices,
            moved,
        })
    }

    fn chosen(&self, mode: Mode) -> Mode {
        let moved = self
            .moved
            .iter()
            .find(|(security, _)| *security == mode.security());
        match (mode, moved) {
            (Mode::Thread(security, _), Some((_, stack))) => Mode::Thread(security, *stack),
            _ => self.choices.chosen(mode),
        }
    }

    /// Takes the next event of the slot, and resolves its register by the state at it.
    pub fn tell(&mut self, event: &mut SlotEvent) {
        if event.thread != self.thread {
            return;
        }
        if let Some(told) = self.set.and_then(|set| told_by(event, set)) {
            self.state = Some(told.after(self.state));
        }
        for choice in &self.index.stack_choices {
            if let Some(byte) = lowest_byte(event, choice.register) {
                self.choices.note(*choice, byte);
                self.moved.clear();
            }
        }
        match &mut event.kind {
            SlotEventKind::Step(step) => {
                self.state = Some(ExecutionState {
                    set: step.instruction_set,
                    mode: step.mode,
                });
                self.set = Some(step.instruction_set);
            }
            SlotEventKind::Register {
                view,
                home: Some(home),
                ..
            } => {
                let plain = view.register;
                let set = self.index.instruction_set(self.thread);
                if is_open(set, plain, home.register) {
                    let mode = self.state.map_or(Mode::Other, |state| state.mode);
                    home.register = self.chosen(mode).home(plain);
                }
            }
            _ => {}
        }
    }
}

/// Returns true if a line does not identify the physical register of its plain name.
fn is_open(set: InstructionSet, plain: RegisterId, home: RegisterId) -> bool {
    home == Mode::Untold.home(plain) && set.banks(plain).next().is_some()
}
