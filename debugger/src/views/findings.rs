//! Violations of the rules of the trace format, by rule.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use super::view::{PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{Action, PanelKind};
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::finding_rows::{
    FindingList, FindingRow, RuleFoldState, finding_list, finding_rows,
};
use crate::worker::{Answer, Slot};

/// The rules that the trace breaks, and where.
#[derive(Default)]
pub struct FindingsView {
    session: SessionWatch,
    answer: Slot<(), Arc<FindingList>>,
    /// Progress of the check.
    progress: Arc<BuildProgress>,
    /// Rules whose places are hidden.
    closed: BTreeSet<&'static str>,
    /// The user cancelled the check.
    is_stopped: bool,
}

/// Returns the fold state of a rule; none for other rows.
fn branch_of(row: &FindingRow<'_>) -> Option<RuleFoldState> {
    match row {
        FindingRow::Rule(_, branch) => Some(*branch),
        FindingRow::Place(..) | FindingRow::More(..) => None,
    }
}

impl FindingsView {
    /// Returns the rows as of the last poll. Cost: proportional to the rows.
    pub fn rows(&self) -> Vec<FindingRow<'_>> {
        self.answer
            .peek()
            .map_or_else(Vec::new, |(_, found)| finding_rows(found, &self.closed))
    }

    /// Returns the share of the trace that is checked, from 0 to 1.
    pub fn share(&self) -> f32 {
        let done = self.progress.bytes_done.load(Ordering::Relaxed) as f32;
        let total = self.progress.bytes_total.load(Ordering::Relaxed) as f32;
        if total > 0.0 {
            (done / total).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    fn progress_words(&self) -> String {
        let share = format!("{:.0}", (self.share() * 100.0).floor());
        say!("findings-progress", share = share)
    }

    /// True after the user cancelled the check.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Cancels the check.
    pub fn stop(&mut self) {
        // Clearing the slot cancels the query.
        self.answer.clear();
        self.is_stopped = true;
    }

    /// Resumes the check.
    pub fn resume(&mut self) {
        self.is_stopped = false;
    }
}

impl PanelView for FindingsView {
    fn kind(&self) -> PanelKind {
        PanelKind::Findings
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        if self.session.is_new(&desk.session) {
            (self.answer, self.progress, self.closed, self.is_stopped) = Default::default();
        }
        if self.is_stopped {
            let words = (
                say!("findings-the-trace-is-not-checked"),
                say!("findings-enter-goes-through-all-of"),
            );
            return ViewStatus::empty(words.0, words.1);
        }
        let progress = &mut self.progress;
        let answer = self.answer.poll_long(&(), &desk.worker, |()| {
            *progress = Arc::default();
            let (session, progress) = (Arc::clone(&desk.session), Arc::clone(progress));
            move |cancel: &Cancel| Ok(Arc::new(finding_list(&session, &progress, cancel)?))
        });
        let found = match answer {
            Answer::Failed(error) => return ViewStatus::Failed(error.to_owned()),
            answer => answer.any().cloned(),
        };
        let Some(found) = found else {
            return ViewStatus::Loading(self.progress_words());
        };
        let count = finding_rows(&found, &self.closed).len();
        if count == 0 {
            let words = (
                say!("findings-no-findings"),
                say!("findings-the-trace-keeps-the-rules"),
            );
            return ViewStatus::empty(words.0, words.1);
        }
        ViewStatus::Rows(RowListing {
            count,
            summary: found.summary.clone(),
            marked: None,
        })
    }

    fn act(
        &mut self,
        place: usize,
        gesture: RowGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let pressed = self
            .rows()
            .get(place)
            .map(|row| (row.rule().id, branch_of(row), row.position()));
        match (pressed, gesture) {
            (Some((rule, Some(RuleFoldState::Open), _)), RowGesture::Go | RowGesture::Close) => {
                _ = self.closed.insert(rule)
            }
            (Some((rule, Some(RuleFoldState::Closed), _)), RowGesture::Go | RowGesture::Open) => {
                _ = self.closed.remove(rule)
            }
            (Some((_, _, Some(position))), RowGesture::Go) => {
                out.push(Action::travel(desk.windows.active, position));
            }
            _ => return false,
        }
        true
    }

    /// Returns the row of the rule.
    fn parent(&self, place: usize) -> Option<usize> {
        self.rows()
            .get(..place)?
            .iter()
            .rposition(|row| branch_of(row).is_some())
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.rows().get(place).map(FindingRow::line)
    }

    fn is_late(&self) -> bool {
        self.answer.is_late()
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}
