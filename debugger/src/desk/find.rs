//! Actions of the search.

use crate::action::{Direction, FindQuery, PanelKind};
use crate::action::{StepRange, WindowId};
use crate::desk::desk::Desk;
use crate::desk::found::{LookupResult, no_hit_words};
use crate::desk::news::DeskEvent;
use crate::messages::say;
use crate::model::WindowMove;
use crate::model::found::HitLookup;
use crate::model::hit_rows::StepSelection;
use crate::worker::JobLane;
use std::sync::Arc;

impl Desk {
    /// Updates the filter of windows that show only hits. Costs nothing if no hits were added.
    pub(crate) fn look_at_hits(&mut self) {
        let is_requested = |of| match of {
            StepSelection::Hits => self.find.question().is_some(),
            StepSelection::Slice => self.slice.question().is_some(),
        };
        let selected = |of| match of {
            StepSelection::Hits => {
                let found = self.find.found()?;
                Some((&found.positions, self.find.number()))
            }
            StepSelection::Slice => {
                let slice = self.slice.slice()?;
                Some((&slice.positions, self.slice.number()))
            }
        };
        let step_count = self.session.index.step_count();
        for window in &mut self.windows.list {
            window.only_hits.is_on &= is_requested(window.only_hits.of);
            match selected(window.only_hits.of) {
                Some((positions, number)) => window.only_hits.update(positions, number, step_count),
                None => window.only_hits.forget(step_count),
            }
        }
    }

    /// Shows all steps in the active window again. Returns false if it already did.
    pub fn leave_only_hits(&mut self) -> bool {
        std::mem::take(&mut self.windows.active_mut().only_hits.is_on)
    }

    /// Shows some hidden steps in a window that shows only hits.
    pub(crate) fn open_hidden(&mut self, window: WindowId, steps: StepRange) {
        if let Some(window) = self.windows.get_mut(window) {
            window.only_hits.open(steps);
        }
        self.look_at_hits();
    }

    /// Toggles between hits only and all steps in the active window. Prompts for a search if there
    /// is none.
    pub(crate) fn toggle_only_hits(&mut self) {
        if self.leave_only_hits() {
            return;
        }
        self.surround_hits(self.windows.active().only_hits.context);
    }

    /// Shows only the hits, each with this number of steps around it.
    pub(crate) fn surround_hits(&mut self, context: u64) {
        // Keep the filter that is on.
        let shown = &self.windows.active().only_hits;
        let of = if shown.is_on {
            shown.of
        } else {
            StepSelection::Hits
        };
        if of == StepSelection::Hits && self.find.question().is_none() {
            self.inform(say!("find-first-for-hits"));
            return self.tell(DeskEvent::AskWhatToFind);
        }
        self.windows.active_mut().is_raw = false;
        self.windows.active_mut().only_hits.show(of, context);
        self.look_at_hits();
    }

    /// Begins a search and shows its panel.
    pub fn begin_find(&mut self, question: FindQuery) {
        let at = self.windows.active().position;
        self.find.begin(question, at, &self.session, &self.worker);
        self.tell(DeskEvent::Show(PanelKind::Find));
    }

    /// Travels to the hit before or after the position. Uses the list of hits if it covers the
    /// position, else a separate search.
    pub(crate) fn find_next(&mut self, direction: Direction) {
        let (window, at) = (self.windows.active, self.windows.active().position);
        let Some(requested) = self.find.requested().cloned() else {
            return self.tell(DeskEvent::AskWhatToFind);
        };
        match self.find.listed(direction, at) {
            HitLookup::At(to) => self.begin_in(window, WindowMove::Travel(to)),
            HitLookup::None => {
                let words = no_hit_words(&requested.question, direction, &self.session);
                self.inform_here(&words);
            }
            HitLookup::Unknown => self.seek(JobLane::Long, move |session, from, cancel| {
                let found = requested.next_hit(direction, session, from, cancel)?;
                Ok(found.map_or_else(
                    || LookupResult::Nothing(no_hit_words(&requested.question, direction, session)),
                    LookupResult::Position,
                ))
            }),
        }
    }

    pub(crate) fn find_more(&mut self) {
        self.find.more(&Arc::clone(&self.session), &self.worker);
    }
}
