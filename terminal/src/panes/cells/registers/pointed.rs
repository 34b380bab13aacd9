//! What the bottom line tells of the register under the cursor.

use std::sync::Arc;

use stepback_index::{Cancel, ValueSource};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::pane::Cx;
use stepback_debugger::messages::say;
use stepback_debugger::model::pointed::pointed_words;
use stepback_debugger::model::registers::RegisterCell;
use stepback_debugger::model::so_far::source_so_far;
use stepback_debugger::model::text::short_hex;
use stepback_debugger::model::{Meaning, Span};
use stepback_debugger::worker::Slot;

/// The symbol and the text that a value points to.
#[derive(Debug, Default)]
pub struct Pointed {
    /// It is told.
    pub is_on: bool,
    answer: Slot<(u64, Position), Option<String>>,
}

impl Pointed {
    /// Asks for it.
    pub fn ask(&mut self, cell: &RegisterCell, position: Position, cx: &Cx<'_>) {
        let Some(value) = cell.value.to_u64().filter(|_| self.is_on) else { return };
        self.answer.poll(&(value, position), cx.worker(), |(value, position)| {
            let (value, position, session) = (*value, *position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| pointed_words(&session, Address(value), position, cancel)
        });
    }

    fn words(&self, value: u64) -> Option<&str> {
        let (_, words) = self.answer.peek().filter(|((of, _), _)| self.is_on && *of == value)?;
        words.as_deref()
    }

    /// Forgets what it knows of another trace.
    pub fn forget(&mut self) {
        self.answer.clear();
    }

    /// Name, value, what that means, and who wrote it.
    pub fn spans(&self, cell: &RegisterCell, cx: &Cx<'_>) -> Vec<Span> {
        let mut spans = vec![Span::new(Meaning::Register, cell.name.clone())];
        let mut add = |meaning, text: String| spans.push(Span::new(meaning, format!(" {text}")));
        if let Some(hex) = short_hex(&cell.value) {
            add(Meaning::Plain, format!("0x{hex}"));
        }
        if let Some(value) = cell.value.to_u64() {
            add(Meaning::Number, format!("= {value}"));
            match self.words(value) {
                Some(words) => add(Meaning::Symbol, format!("→ {words}")),
                None if self.is_on => add(Meaning::Label, say!("terminal-points-nowhere").to_owned()),
                None => {}
            }
        }
        if cell.source != ValueSource::Recorded {
            let words = source_so_far(&cx.desk.session, cell.source, cell.source_word());
            let reason = cell.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            add(Meaning::Label, format!("{words}{reason}"));
        }
        if let Some(step) = cell.written_by {
            add(Meaning::Label, say!("memory-written-by-step", step = step.0));
        }
        spans
    }
}
