//! Line of the trace with which memory is compared.

use super::super::moment::MomentSearch;
use crate::pane::PaneContext;
use stepback_debugger::action::Follow;
use stepback_debugger::messages::say;
use stepback_debugger::views::MemoryView;

/// The line with which memory is compared.
#[derive(Default)]
pub struct ComparedLine {
    /// The line as it was typed.
    place: Option<String>,
    sought: MomentSearch,
}

impl ComparedLine {
    /// Starts the comparison with a line of the trace, as soon as it is found.
    pub fn ask(&mut self, line: &str, cx: &PaneContext<'_>) {
        self.sought.ask(format!("line:{}", line.trim()), cx);
    }

    /// Applies the line once it was found. Returns a remark or an error.
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

    /// Returns the text of the bar about the comparison.
    pub fn words(&self, view: &MemoryView, cx: &PaneContext<'_>) -> Option<String> {
        let at = view.compared_words(cx.desk)?;
        let what = match &self.place {
            Some(place) => format!("{place} ({at})"),
            None => at,
        };
        Some(say!("memory-against", what = what))
    }
}
