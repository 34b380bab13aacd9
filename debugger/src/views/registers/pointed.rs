//! The status line about the register under the cursor.

use std::sync::Arc;

use stepback_index::{Cancel, ValueSource};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::desk::Desk;
use crate::messages::say;
use crate::model::pointed::pointed_words;
use crate::model::registers::RegisterCell;
use crate::model::so_far::source_so_far;
use crate::model::text::short_hex;
use crate::model::{TextRole, TextSpan};
use crate::worker::Slot;

/// The symbol and the text at the address that a value points to.
#[derive(Default)]
pub(super) struct PointedValue {
    /// The status line shows them.
    pub(super) is_on: bool,
    answer: Slot<(u64, Position), Option<String>>,
}

impl PointedValue {
    pub(super) fn poll(&mut self, cell: &RegisterCell, position: Position, desk: &Desk) {
        let Some(value) = cell.value.to_u64().filter(|_| self.is_on) else {
            return;
        };
        self.answer
            .poll(&(value, position), &desk.worker, |(value, position)| {
                let (value, position, session) = (*value, *position, Arc::clone(&desk.session));
                move |cancel: &Cancel| pointed_words(&session, Address(value), position, cancel)
            });
    }

    pub(super) fn forget(&mut self) {
        self.answer.clear();
    }

    fn words(&self, value: u64) -> Option<&str> {
        let (_, words) = self
            .answer
            .peek()
            .filter(|((of, _), _)| self.is_on && *of == value)?;
        words.as_deref()
    }

    /// Returns name, value, target and writer.
    pub(super) fn spans(&self, cell: &RegisterCell, desk: &Desk) -> Vec<TextSpan> {
        let mut spans = vec![TextSpan::new(TextRole::Register, cell.name.clone())];
        let mut add =
            |meaning, text: String| spans.push(TextSpan::new(meaning, format!(" {text}")));
        if let Some(hex) = short_hex(&cell.value) {
            add(TextRole::Plain, format!("0x{hex}"));
        }
        if let Some(value) = cell.value.to_u64() {
            add(TextRole::Number, format!("= {value}"));
            match self.words(value) {
                Some(words) => add(TextRole::Symbol, format!("→ {words}")),
                None if self.is_on => {
                    add(TextRole::Label, say!("terminal-points-nowhere").to_owned())
                }
                None => {}
            }
        }
        if cell.source != ValueSource::Recorded {
            let words = source_so_far(&desk.session, cell.source, cell.source_word());
            let reason = cell
                .reason
                .as_ref()
                .map(|reason| format!(": {reason}"))
                .unwrap_or_default();
            add(TextRole::Label, format!("{words}{reason}"));
        }
        if let Some(step) = cell.written_by {
            add(
                TextRole::Label,
                say!("memory-written-by-step", step = step.0),
            );
        }
        spans
    }
}
