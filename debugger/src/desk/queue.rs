//! Queue of actions, and the rules for the next one that may run.

use std::collections::VecDeque;

use super::desk::Desk;
use crate::action::{
    Action, FileAction, FoldAction, PanelAction, SearchAction, SliceAction, TravelAction,
};

/// Actions that run in order: first in, first out.
///
/// While a window moves, all actions wait: a move takes no longer than drawing the trace.
/// During a search, actions wait that start from its result. A move to an independent position
/// cancels the search.
#[derive(Debug, Default)]
pub struct ActionQueue {
    actions: VecDeque<Action>,
    /// Actions that the search under way delays in this round.
    waiting: VecDeque<Action>,
}

impl ActionQueue {
    /// Appends an action.
    pub fn push(&mut self, action: Action) {
        self.actions.push_back(action);
    }

    /// Returns true if no action waits.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.waiting.is_empty()
    }

    /// Returns the next action; none if no more can run in this round.
    pub fn next(&mut self, mut desk: Option<&mut Desk>) -> Option<Action> {
        while let Some(action) = self.actions.pop_front() {
            let Some(desk) = desk.as_deref_mut() else {
                return Some(action);
            };
            // Other actions may start from the result of the moves before them.
            if !is_move(&action) {
                desk.send_moves();
            }
            if desk.is_moving() {
                self.waiting.push_back(action);
                self.waiting.append(&mut self.actions);
                break;
            }
            match order(&action) {
                LookupRelation::After if desk.lookup.is_some() || !self.waiting.is_empty() => {
                    self.waiting.push_back(action)
                }
                LookupRelation::Instead if desk.lookup.is_some() => {
                    self.waiting.clear();
                    desk.lookup = None;
                    return Some(action);
                }
                LookupRelation::After | LookupRelation::Beside | LookupRelation::Instead => {
                    return Some(action);
                }
            }
        }
        std::mem::swap(&mut self.actions, &mut self.waiting);
        if let Some(desk) = desk {
            desk.send_moves();
        }
        None
    }
}

impl Extend<Action> for ActionQueue {
    fn extend<I: IntoIterator<Item = Action>>(&mut self, actions: I) {
        self.actions.extend(actions);
    }
}

/// Returns true if an action moves a window without a search. Several such moves are made together.
fn is_move(action: &Action) -> bool {
    use TravelAction::{
        Edge, History, Page, StayInThread, StepInto, StepOfThread, StepOut, StepOver, StepRow,
        Travel,
    };
    match action {
        Action::Fold(_) => true,
        Action::Travel(action) => matches!(
            action,
            StepRow(_)
                | StepInto(_)
                | StepOver(_)
                | StepOut(_)
                | Page(_)
                | StepOfThread(_)
                | StayInThread(_)
                | Travel(..)
                | Edge(_)
                | History(_)
        ),
        _ => false,
    }
}

/// Relation of an action to a search for a place that is under way.
#[derive(PartialEq, Eq)]
enum LookupRelation {
    /// It does not depend on the position.
    Beside,
    /// It starts from the position that the search will find.
    After,
    /// It moves to a place that does not depend on the position.
    Instead,
}

fn order(action: &Action) -> LookupRelation {
    match action {
        Action::File(FileAction::CloseTrace) => LookupRelation::Instead,
        Action::File(_) | Action::View(_) | Action::App(_) => LookupRelation::Beside,
        Action::Travel(action) => order_of_move(action),
        Action::Search(action) => match action {
            SearchAction::Find(_) | SearchAction::FindNext(_) | SearchAction::RunSearch(_) => {
                LookupRelation::After
            }
            _ => LookupRelation::Beside,
        },
        Action::Slice(SliceAction::Why(_)) => LookupRelation::After,
        Action::Slice(_) => LookupRelation::Beside,
        // An action that marks a position names it. One from the keyboard was made after the search
        // had moved the window.
        Action::Mark(_) => LookupRelation::Beside,
        Action::Fold(FoldAction::Toggle(_)) => LookupRelation::Beside,
        Action::Fold(_) => LookupRelation::After,
        Action::Panel(
            PanelAction::SideBySide | PanelAction::CompareWith(_) | PanelAction::CompareCall(_),
        ) => LookupRelation::After,
        Action::Panel(_) => LookupRelation::Beside,
    }
}

fn order_of_move(action: &TravelAction) -> LookupRelation {
    use TravelAction::{Edge, GoTo, History, StopLookup, Travel};
    match action {
        Edge(_) | GoTo(_) | Travel(..) | History(_) => LookupRelation::Instead,
        StopLookup => LookupRelation::Beside,
        _ => LookupRelation::After,
    }
}
