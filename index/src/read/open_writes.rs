//! Writes under plain names on lines that do not tell which register they mean.
//!
//! Such a line stands behind a step of another thread, or in `thread` mode of M-profile:
//! which register it wrote the state says that its own thread has at that line.

use stepback_machine::{InstructionSet, Mode, StackChoices, State};
use stepback_parsers::{Position, Source};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::homes::Homes;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotEvent};
use crate::read::states::{lowest_byte, told_by};
use crate::read::views::ViewReader;

/// Follows a thread through the events of a slot, and tells which registers it wrote.
pub(crate) struct OpenWrites<'a, S> {
    index: &'a Index<S>,
    thread: ThreadId,
    state: Option<State>,
    /// That of the thread's last step; none before its first.
    set: Option<InstructionSet>,
    choices: StackChoices,
}

impl<'a, S: Source> OpenWrites<'a, S> {
    /// Ready for the events of a slot, if something in it has to be told of. Cost: the text of one or few steps.
    pub fn of(index: &'a Index<S>, thread: ThreadId, homes: &Homes, slot: u64) -> Result<Option<Self>, QueryError> {
        for view in homes.open() {
            if ViewReader(index).last_register_slot(thread, view, slot)? == Some(slot) {
                return Self::before(index, thread, slot).map(Some);
            }
        }
        Ok(None)
    }

    fn before(index: &'a Index<S>, thread: ThreadId, slot: u64) -> Result<Self, QueryError> {
        let mut reader = RegisterReader::new(index, thread, Position(slot.saturating_sub(1)));
        let told = reader.told_state()?;
        let choices = if slot > 0 { reader.stack_choices()? } else { StackChoices::default() };
        Ok(Self { index, thread, state: told.state, set: told.set, choices })
    }

    /// Takes the next event of the slot: tells of the register that it wrote, as far as the state at it says.
    pub fn tell(&mut self, event: &mut SlotEvent) {
        if event.thread != self.thread {
            return;
        }
        if let Some(told) = self.set.and_then(|set| told_by(event, set)) {
            self.state = Some(told);
        }
        for register in &self.index.stack_choices {
            if let Some(byte) = lowest_byte(event, *register) {
                self.choices.note(*register, byte);
            }
        }
        match &mut event.kind {
            EventKind::Step(step) => {
                self.state = Some(State { set: step.instruction_set, mode: step.mode });
                self.set = Some(step.instruction_set);
            }
            EventKind::Register { view, home: Some(home), .. } => {
                let plain = view.register;
                let set = self.index.instruction_set(self.thread);
                if set.banks(plain).next().is_some() && home.register == Mode::Untold.home(plain) {
                    let mode = self.state.map_or(Mode::Other, |state| state.mode);
                    home.register = mode.with_control(self.choices.lowest_byte()).home(plain);
                }
            }
            _ => {}
        }
    }
}
