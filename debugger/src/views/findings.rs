//! What is wrong with the trace, by rule.

use super::view::{Gesture, Rows, Status, View};
use crate::action::{Action, PanelKind};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::finding_rows::{Branch, FindingList, FindingRow, finding_list, finding_rows};
use crate::worker::{Answer, Slot};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stepback_index::{BuildProgress, Cancel};

/// The rules that the trace breaks, and where.
#[derive(Default)]
pub struct FindingsView {
    answer: Slot<(), Arc<FindingList>>,
    /// How far the check is.
    progress: Arc<BuildProgress>,
    /// Rules whose places do not show.
    closed: BTreeSet<&'static str>,
}

/// Whether the places of a rule show; none for what is no rule.
fn branch_of(row: &FindingRow<'_>) -> Option<Branch> {
    match row {
        FindingRow::Rule(_, branch) => Some(*branch),
        FindingRow::Place(..) | FindingRow::More(..) => None,
    }
}

impl FindingsView {
    /// What a row says, as long as there is such a row. Costs what is listed.
    pub fn with_row<A>(&self, place: usize, what: impl FnOnce(&FindingRow<'_>) -> A) -> Option<A> {
        let (_, found) = self.answer.peek()?;
        finding_rows(found, &self.closed).get(place).map(what)
    }

    /// What share of the trace is checked.
    fn checking(&self) -> String {
        let done = self.progress.bytes_done.load(Ordering::Relaxed);
        let total = self.progress.bytes_total.load(Ordering::Relaxed).max(1);
        let share = u128::from(done) * 100 / u128::from(total);
        format!("{} {}%", say!("findings-checking-the-trace"), share.min(100))
    }
}

impl View for FindingsView {
    fn kind(&self) -> PanelKind {
        PanelKind::Findings
    }

    fn poll(&mut self, desk: &Desk) -> Status {
        let progress = &mut self.progress;
        let answer = self.answer.poll_long(&(), &desk.worker, |()| {
            *progress = Arc::default();
            let (session, progress) = (Arc::clone(&desk.session), Arc::clone(progress));
            move |cancel: &Cancel| Ok(Arc::new(finding_list(&session, &progress, cancel)?))
        });
        let found = match answer {
            Answer::Failed(error) => return Status::Failed(error.to_owned()),
            answer => answer.any().cloned(),
        };
        let Some(found) = found else { return Status::Loading(self.checking()) };
        let count = finding_rows(&found, &self.closed).len();
        if count == 0 {
            let words = (say!("findings-no-findings"), say!("findings-the-trace-keeps-the-rules"));
            return Status::empty(words.0.to_owned(), words.1.to_owned());
        }
        Status::Rows(Rows { count, summary: found.summary.clone(), marked: None })
    }

    fn act(&mut self, place: usize, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let pressed = self.with_row(place, |row| (row.rule().id, branch_of(row), row.position()));
        match (pressed, gesture) {
            (Some((rule, Some(Branch::Open), _)), Gesture::Go | Gesture::Close) => _ = self.closed.insert(rule),
            (Some((rule, Some(Branch::Closed), _)), Gesture::Go | Gesture::Open) => _ = self.closed.remove(rule),
            (Some((_, _, Some(position))), Gesture::Go) => {
                out.push(Action::Travel(desk.windows.active, position.0));
            }
            _ => return false,
        }
        true
    }

    /// The rule.
    fn parent(&self, place: usize) -> Option<usize> {
        let (_, found) = self.answer.peek()?;
        let rows = finding_rows(found, &self.closed);
        rows.get(..place)?.iter().rposition(|row| branch_of(row).is_some())
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.with_row(place, |row| row.line())
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}
