//! Registers of a thread that the trace leaves out.

use std::sync::PoisonError;

use stepback_machine::{Mode, RegisterId};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::index::untraced::UntracedRegisters;
use crate::read::slots::SlotReader;
use crate::read::views::ViewReader;

/// Finds registers that the trace leaves out.
pub(crate) struct UntracedReader<'a>(pub &'a Index);

impl UntracedReader<'_> {
    /// Returns the registers of a thread that instructions write and no line names. Cost: the text
    /// of the thread's first step, once.
    pub fn of(&self, thread: ThreadId) -> Result<UntracedRegisters, QueryError> {
        let known = || {
            self.0
                .untraced
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(untraced) = known().get(&thread) {
            return Ok(*untraced);
        }
        let untraced = self.find(thread)?;
        known().insert(thread, untraced);
        Ok(untraced)
    }

    fn find(&self, thread: ThreadId) -> Result<UntracedRegisters, QueryError> {
        let set = self.0.instruction_set(thread);
        if self.0.has_operands_alone() || set.has_windows() {
            return Ok(UntracedRegisters::Nothing);
        }
        let named = ViewReader(self.0)
            .views_of(thread)
            .iter()
            .map(|known| self.plain(thread, known.view.register));
        let named: Vec<RegisterId> = named
            .filter(|register| *register < RegisterId::PC)
            .collect();
        if named.contains(&RegisterId::SP) || !self.has_encodings(thread)? {
            return Ok(UntracedRegisters::Nothing);
        }
        Ok(if named.is_empty() {
            UntracedRegisters::General
        } else {
            UntracedRegisters::StackPointer
        })
    }

    /// Returns the plain register of a bank; any other register itself.
    fn plain(&self, thread: ThreadId, register: RegisterId) -> RegisterId {
        let set = self.0.instruction_set(thread);
        let named = self
            .0
            .banks
            .iter()
            .find(|known| known.register == register)
            .map(|known| known.plain);
        // Lines in an unknown mode write one of the banks, too.
        let is_bank = |plain: &u16| {
            let plain = RegisterId(*plain);
            Mode::Untold.home(plain) == register || set.banks(plain).any(|bank| bank == register)
        };
        named
            .or_else(|| (0..RegisterId::PC.0).find(is_bank).map(RegisterId))
            .unwrap_or(register)
    }

    fn has_encodings(&self, thread: ThreadId) -> Result<bool, QueryError> {
        let first = self
            .0
            .contents
            .threads
            .get(usize::from(thread.0))
            .and_then(|known| known.first_step);
        let Some(slot) = first.map(|step| step.saturating_add(1)) else {
            return Ok(false);
        };
        Ok(SlotReader(self.0)
            .step_of(slot)?
            .is_some_and(|(_, step)| step.encoding.is_some()))
    }
}
