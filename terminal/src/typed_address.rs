//! The address of memory typed at a prompt. It is evaluated before a pane shows it, so that a
//! mistake opens no pane and the prompt stays.

use std::sync::Arc;

use stepback_debugger::action::{Action, ViewAction};
use stepback_debugger::keymap::CommandId;
use stepback_debugger::model::address_text::{AddressResult, address_of};
use stepback_debugger::worker::{Answer, Slot};
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::browser::{Overlay, TerminalBrowser};
use crate::pane::PromptPurpose;
use crate::prompt::{Question, QuestionPurpose};

/// An address expression whose value is not known yet.
pub struct TypedAddress {
    text: String,
    /// The prompt that it answered.
    requested: QuestionPurpose,
    /// Position at which it is evaluated.
    position: Position,
    value: Slot<Position, AddressResult>,
}

impl QuestionPurpose {
    /// Returns true if the answer is an address of memory.
    pub fn is_address(&self) -> bool {
        match self {
            Self::Pane(_, purpose) => {
                matches!(purpose, PromptPurpose::Memory | PromptPurpose::Address)
            }
            Self::Argument(command) => command.id == CommandId::ShowMemory,
            _ => false,
        }
    }
}

impl TerminalBrowser {
    /// Shows memory at a typed address once its value is known.
    pub(super) fn show_typed_address(&mut self, requested: &QuestionPurpose, text: &str) {
        let Some(desk) = &self.program.desk else {
            return;
        };
        let follow = match requested {
            QuestionPurpose::Pane(id, PromptPurpose::Address) => {
                self.panes.get(*id).and_then(|open| open.pane.follow())
            }
            _ => None,
        };
        let active = desk.windows.active().position;
        self.typed_address = Some(TypedAddress {
            text: text.to_owned(),
            requested: requested.clone(),
            position: follow.map_or(active, |follow| desk.windows.position_of(follow)),
            value: Slot::default(),
        });
        self.poll_typed_address();
    }

    /// Shows memory at the typed address, or opens the prompt again with the reason why not.
    pub(super) fn poll_typed_address(&mut self) {
        let (Some(typed), Some(desk)) = (&mut self.typed_address, &self.program.desk) else {
            return;
        };
        let answer = typed.value.poll(&typed.position, &desk.worker, |position| {
            let (text, position) = (typed.text.clone(), *position);
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| address_of(&session, &text, position, cancel)
        });
        let value = match answer {
            Answer::Fresh(value) => value.clone(),
            Answer::Failed(error) => Err(error.to_owned()),
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => return,
        };
        let Some(TypedAddress {
            text, requested, ..
        }) = self.typed_address.take()
        else {
            return;
        };
        match (value, &requested) {
            (Ok(_), QuestionPurpose::Pane(_, PromptPurpose::Memory)) => self.open_memory(&text),
            (Ok(_), QuestionPurpose::Pane(id, purpose)) => self.answer_pane(*id, *purpose, &text),
            (Ok(_), _) => self.program.queue.push(ViewAction::ShowMemory(text).into()),
            (Err(error), _) if matches!(self.over, Overlay::Nothing) => {
                let mut question = Question::new(requested, &text);
                question.error = Some(error);
                self.over = Overlay::Question(question);
            }
            (Err(error), _) => self.report(&error),
        }
    }

    /// Performs an action of the palette, or evaluates the address in it first.
    pub(super) fn perform_picked(&mut self, action: Action) {
        match action {
            Action::View(ViewAction::ShowMemory(text)) => {
                let requested = QuestionPurpose::Argument(CommandId::ShowMemory.command());
                self.show_typed_address(&requested, &text);
            }
            action => self.program.queue.push(action),
        }
    }
}
