//! Saves a part of the trace as a trace of its own.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::{Cancel, SlotReader};
use stepback_parsers::Position;

use super::app::App;
use super::file_dialog::Purpose;
use stepback_debugger::action::StepRange;
use stepback_debugger::desk::Tone;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::session::is_same_file;
use stepback_debugger::truncate::save_part;
use stepback_debugger::worker::{Lane, Ticket};

/// What is told where the format cannot be cut.
const ADVICE: &str = "part-advice";

impl App {
    /// Saves a part, or what is selected in the timeline; without a path it is asked for.
    pub(super) fn save_part(&mut self, range: Option<StepRange>, path: Option<PathBuf>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(range) = range.or(workspace.timeline.selection()) else {
            let advice = say!("part-shift-drag-in-the-timeline");
            return self.toasts.show_with(Tone::Info, say!("part-nothing-is-selected-in-the"), advice, None);
        };
        if workspace.session.index.source().tarmac().is_none() {
            let title = say!("part-only-a-part-of-a");
            self.note_failure(say!("part-only-a-part-of-a-tarmac"));
            return self.toasts.show_with(Tone::Warning, title, spoken(ADVICE), None);
        }
        let Some(path) = path else { return self.ask_for_file(Purpose::PartPlace(range)) };
        if path == workspace.session.path || is_same_file(&path, &workspace.session.path) {
            return self.report(say!("part-the-part-is-not-written"));
        }
        let session = Arc::clone(&workspace.session);
        workspace.saving = Some(self.worker.spawn(Lane::Long, move |cancel: &Cancel| {
            let tarmac = session.index.source().tarmac().ok_or_else(|| anyhow::anyhow!("no text"))?;
            let text = SlotReader(&session.index).text_between(Position(range.first), Position(range.last))?;
            save_part(tarmac, text, &path, cancel)?;
            let steps = range.last.saturating_sub(range.first);
            Ok(say!("part-saved", steps = steps, path = path.display().to_string()))
        }));
    }

    /// Tells that a part is written, or why it is not.
    pub(super) fn take_saved(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(told) = workspace.saving.as_ref().and_then(Ticket::take) else { return };
        workspace.saving = None;
        match told {
            Ok(words) => self.toasts.show(Tone::Info, &words),
            Err(error) => self.report(&format!("{error:#}")),
        }
    }
}
