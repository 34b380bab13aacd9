//! Compares the open trace with a second one, and moves from difference to difference.

use std::path::PathBuf;

use stepback_compare::Tolerances;

use super::desk::Desk;
use super::news::DeskEvent;
use crate::action::{Direction, PanelKind};
use crate::analysis::compare_rules::read_rules;
use crate::desk::trace_comparison::ComparisonStatus;
use crate::messages::say;
use crate::model::WindowMove;
use crate::session::OpenOptions;

impl Desk {
    /// Compares the trace with another one and shows the differences.
    pub(crate) fn compare_trace(&mut self, path: PathBuf) {
        let options = OpenOptions {
            path,
            more: Vec::new(),
            index: None,
            remembered_images: Vec::new(),
            ..self.options.clone()
        };
        self.comparison.request(options);
        self.look_at_comparison();
        self.tell(DeskEvent::Show(PanelKind::Differences));
    }

    /// Compares again with the rules of a file. They replace the rules in force.
    pub(crate) fn compare_by_rules(&mut self, path: PathBuf) {
        if self.comparison.path().is_none() {
            return self.inform(say!("differences-choose"));
        }
        match read_rules(&path, &self.session) {
            Ok(rules) => self.change_rules(|known| *known = rules),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Compares again with other rules.
    pub(crate) fn change_rules(&mut self, change: impl FnOnce(&mut Tolerances)) {
        self.comparison.change_rules(change);
        self.look_at_comparison();
    }

    /// Starts the comparison once the trace is indexed.
    pub(super) fn look_at_comparison(&mut self) {
        if self.session.index.is_whole() || !self.is_opening {
            self.comparison.advance(&self.session, &self.worker);
        }
    }

    /// Moves to the next or previous position at which the traces differ.
    pub(crate) fn go_to_difference(&mut self, direction: Direction) {
        let from = self.windows.active().position;
        let found = match self.comparison.status() {
            ComparisonStatus::Done(differences) => differences.nearest(from, direction),
            ComparisonStatus::NotRequested => {
                return self.inform(say!("differences-choose"));
            }
            ComparisonStatus::UnderWay(words) => return self.inform(&words),
            ComparisonStatus::Failed(error) => {
                let error = error.to_owned();
                return self.fail(&error);
            }
        };
        match found {
            Some(position) => self.begin(WindowMove::Travel(position)),
            None => self.inform_here(no_more(direction)),
        }
    }
}

/// Says that there is no difference in a direction.
fn no_more(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => say!("differences-none-after"),
        Direction::Back => say!("differences-none-before"),
    }
}
