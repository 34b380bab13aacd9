//! A line of the trace that memory is compared with.

use super::super::moment::MomentSearch;
use crate::pane::PaneContext;
use stepback_debugger::action::Follow;
use stepback_debugger::messages::say;
use stepback_debugger::views::MemoryView;

/// The line that memory is compared with.
#[derive(Default)]
pub struct ComparedLine {
    /// As it was typed.
    place: Option<String>,
    sought: MomentSearch,
}

impl ComparedLine {
    /// Compares with a line of the trace, when that is found.
    pub fn ask(&mut self, line: &str, cx: &PaneContext<'_>) {
        self.sought.ask(format!("line:{}", line.trim()), cx);
    }

    /// Takes the line that was looked for. Returns what went wrong.
    pub fn advance(&mut self, view: &mut MemoryView, cx: &PaneContext<'_>) -> Option<String> {
        match self.sought.take()? {
            Ok(found) => {
                view.compare(Some(Follow::Pinned(cx.moment(found.position))));
                self.place = Some(found.place);
                found.remark
            }
            Err(error) => Some(error),
        }
    }

    /// Words of the bar about the comparison.
    pub fn words(&self, view: &MemoryView, cx: &PaneContext<'_>) -> Option<String> {
        let at = view.compared_words(cx.desk)?;
        let what = match &self.place {
            Some(place) => format!("{place} ({at})"),
            None => at,
        };
        Some(say!("memory-against", what = what))
    }
}
