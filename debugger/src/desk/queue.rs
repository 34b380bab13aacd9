//! Actions that wait, and which of them may be done next.

use std::collections::VecDeque;

use super::desk::Desk;
use crate::action::Action;

/// Actions in the order in which they are done: first in, first out, all of them.
///
/// While a window moves all of them wait: a move takes no longer than a look at the trace.
/// While a search is under way those wait that begin from the position that it will find; a move to a place of
/// its own gives the search up.
#[derive(Debug, Default)]
pub struct Queue {
    actions: VecDeque<Action>,
    /// Those that the search under way keeps from being done in this round.
    waiting: VecDeque<Action>,
}

impl Queue {
    /// Puts an action at the end.
    pub fn push(&mut self, action: Action) {
        self.actions.push_back(action);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.waiting.is_empty()
    }

    /// The action that is done next; none where no more can be done in this round.
    pub fn next(&mut self, mut desk: Option<&mut Desk>) -> Option<Action> {
        while let Some(action) = self.actions.pop_front() {
            let Some(desk) = desk.as_deref_mut() else { return Some(action) };
            // What is no move may begin from where the moves before it lead.
            if !is_move(&action) {
                desk.send_moves();
            }
            if desk.is_moving() {
                self.waiting.push_back(action);
                self.waiting.append(&mut self.actions);
                break;
            }
            match order(&action) {
                Order::After if desk.lookup.is_some() || !self.waiting.is_empty() => self.waiting.push_back(action),
                Order::Instead if desk.lookup.is_some() => {
                    self.waiting.clear();
                    desk.lookup = None;
                    return Some(action);
                }
                Order::After | Order::Beside | Order::Instead => return Some(action),
            }
        }
        std::mem::swap(&mut self.actions, &mut self.waiting);
        if let Some(desk) = desk {
            desk.send_moves();
        }
        None
    }
}

impl Extend<Action> for Queue {
    fn extend<I: IntoIterator<Item = Action>>(&mut self, actions: I) {
        self.actions.extend(actions);
    }
}

/// Whether an action is a move of a window that needs no search. Several of them are made together.
fn is_move(action: &Action) -> bool {
    let is_step = matches!(action, Action::StepRow(_) | Action::StepInto(_) | Action::StepOver(_) | Action::StepOut(_));
    let is_walk = matches!(action, Action::Page(_) | Action::StepOfThread(_) | Action::StayInThread(_));
    let is_jump = matches!(action, Action::Travel(..) | Action::Edge(_) | Action::History(_));
    is_step || is_walk || is_jump || matches!(action, Action::Fold(_) | Action::ToggleFold(_))
}

/// How an action stands to a search under way.
#[derive(PartialEq, Eq)]
enum Order {
    /// It has nothing to do with the position.
    Beside,
    /// It begins from the position that the search will find.
    After,
    /// It goes to a place of its own.
    Instead,
}

fn order(action: &Action) -> Order {
    match action {
        Action::StepRow(_) | Action::StepInto(_) | Action::StepOver(_) | Action::StepOut(_) | Action::Page(_) => {
            Order::After
        }
        Action::StepOfThread(_) | Action::StayInThread(_) => Order::After,
        Action::GoToAccess(..) | Action::GoToAccessUntil(..) => Order::After,
        Action::GoToAccessOfSelection(..) | Action::GoToExternal(..) => Order::After,
        Action::Find(_) | Action::FindNext(_) | Action::RunSearch(_) => Order::After,
        Action::GoToVisit(_) | Action::GoToException(_) | Action::StepLine(_) | Action::StepLineInto(_) => Order::After,
        Action::GoToWhere(..) | Action::GoToWhereAgain(_) | Action::GoToChange(..) => Order::After,
        Action::Watch(_) | Action::Wave(_) | Action::StopLookup => Order::Beside,
        Action::FocusFind | Action::FindMore | Action::StopFind | Action::ClearFind => Order::Beside,
        Action::KeepSearch(_) | Action::Searches(_) | Action::ShowSearch(_) => Order::Beside,
        // It is asked at the position that a search leads to.
        Action::Why(_) => Order::After,
        Action::WhyAt(..)
        | Action::WhyAgain(_)
        | Action::FollowInSlice(_)
        | Action::ViewSlice(_)
        | Action::TurnSlice(_) => Order::Beside,
        Action::MoreOfSlice | Action::StopSlice | Action::ClearSlice | Action::ToggleOnlySlice => Order::Beside,
        Action::KeepSlice(_) | Action::Slices(_) | Action::RunSlice(_) | Action::ShowSlice(_) => Order::Beside,
        Action::ToggleOnlyHits | Action::SurroundHits(_) | Action::OpenHidden(..) => Order::Beside,
        // What marks the position names it; those from the keyboard are made where a search has led.
        Action::Bookmark(_) | Action::BookmarkSelection(_) | Action::Undo | Action::Redo => Order::Beside,
        Action::GoToBookmark(_) => Order::After,
        Action::GoToLine(..) | Action::GoToCall(..) | Action::Fold(_) | Action::SideBySide => Order::After,
        Action::Edge(_) | Action::GoTo(_) | Action::Travel(..) | Action::History(_) | Action::CloseTrace => {
            Order::Instead
        }
        Action::OpenDialog | Action::OpenDirectoryDialog | Action::OpenPath(_) => Order::Beside,
        Action::OpenFiles(_) | Action::OpenDemo => Order::Beside,
        Action::OpenSession(_) | Action::OpenSessionWith(..) | Action::LocateTrace(_) => Order::Beside,
        Action::SaveSession(_) | Action::SaveSessionAgain => Order::Beside,
        Action::Reload | Action::AddImage(_) | Action::AddSysroot(_) => Order::Beside,
        Action::LocateSource(_) | Action::MoveSources(_) | Action::ForgetSources => Order::Beside,
        Action::ForgetRecent(_) | Action::ClearRecent => Order::Beside,
        Action::CancelIndexing | Action::ContinueIndexing | Action::FollowTrace => Order::Beside,
        Action::ToggleIndexingCard | Action::Quit | Action::OpenWindowAt(_) | Action::ToggleFold(_) => Order::Beside,
        Action::SyncWindows | Action::ScrollAlong(..) => Order::Beside,
        Action::Activate(_) | Action::ShowPanel(_) | Action::NewPanel(_) | Action::Compare => Order::Beside,
        Action::Bind(..) | Action::ChooseThread(..) | Action::ClosePanel(_) | Action::DuplicatePanel(_) => {
            Order::Beside
        }
        Action::FocusPanel(_) | Action::ResetLayout | Action::Timeline(_) | Action::FitTimeline(_) => Order::Beside,
        Action::UseLayout(_) | Action::SaveLayout(_) | Action::ForgetLayout(_) => Order::Beside,
        Action::SelectRange(_) | Action::CompareEnds(_) | Action::CompareWindows(..) => Order::Beside,
        Action::ListCalls(_) => Order::Beside,
        Action::TellFunctions(_) | Action::StopFunctions | Action::MeasureCalls(_) | Action::SelectFunction(_) => {
            Order::Beside
        }
        Action::CompareWith(_) | Action::CompareCall(_) => Order::After,
        Action::ToggleRawText | Action::ToggleRowLines | Action::ShowMemory(_) | Action::ListAccesses(..) => {
            Order::Beside
        }
        Action::ListValues(_) | Action::ListExecutions(_) | Action::GroupAccesses | Action::ShowEffects(_) => {
            Order::Beside
        }
        Action::ShowRegisters(_) | Action::NewRegisters(_) | Action::ReadLanes(_) => Order::Beside,
        Action::FilterRegisters(_) | Action::MemoryGroup(_) | Action::Memory(_) => Order::Beside,
        Action::FormatRegisters(_) | Action::HalveRegisters | Action::SelectCell(_) => Order::Beside,
        Action::FocusGoTo | Action::CommandPalette | Action::AskFor(_) | Action::KeyboardHelp => Order::Beside,
        Action::About | Action::Theme(_) | Action::Language(_) => Order::Beside,
        Action::Zoom(_) | Action::Font(_) | Action::Copy(_) => Order::Beside,
        Action::SaveText(..) | Action::SavePart(..) | Action::SavePicture(_) => Order::Beside,
        Action::ToggleOwnBrowser | Action::Settings | Action::SetKeys(..) | Action::ResetKeys(_) => Order::Beside,
        Action::ExportKeys | Action::ImportKeys(_) | Action::TearOff(_) | Action::PutBack(_) => Order::Beside,
        Action::DismissToast(_) | Action::DismissToasts => Order::Beside,
    }
}
