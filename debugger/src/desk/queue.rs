//! The order of actions: the queue of those that wait, scripts that supply them, and undo.
//!
//! While a search runs, relative moves (a step, a page) wait for it. Absolute ones (go to, a click)
//! supersede it. A script has one action per line; empty lines and lines that begin with `#` are
//! skipped. Undo covers panels, notes, layouts and keys; positions have their history instead.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::action::{
    Action, FileAction, FoldAction, PanelAction, SearchAction, SliceAction, TravelAction,
};
use crate::desk::desk::Desk;
use crate::keymap::{CommandContext, check_line, parse_line};

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

/// Maximum length of a script in bytes: a device file may never end.
const LIMIT: u64 = 16 << 20;

/// The remaining lines of a script.
#[derive(Debug)]
pub struct Script {
    path: PathBuf,
    /// Line numbers, from 1, and texts.
    lines: VecDeque<(usize, String)>,
    /// Number of the line that was begun last.
    current: Option<usize>,
}

impl Script {
    /// Reads a script and checks that every line names a command.
    ///
    /// # Errors
    /// The file cannot be read or is too long, or a line names no command. The message names the
    /// file and the line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LIMIT).read_to_string(&mut text));
        match read {
            Ok(length) if length as u64 == LIMIT => Err(format!(
                "{}: the script is longer than {LIMIT} bytes",
                path.display()
            )),
            Ok(_) => Self::parse(path, &text),
            Err(error) => Err(format!(
                "{}: the script could not be read ({error})",
                path.display()
            )),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let lines: VecDeque<(usize, String)> = text
            .lines()
            .enumerate()
            .map(|(place, line)| (place + 1, line.trim().to_owned()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .collect();
        for (number, line) in &lines {
            check_line(line).map_err(|error| format!("{}: {error}", place(path, *number)))?;
        }
        Ok(Self {
            path: path.to_owned(),
            lines,
            current: None,
        })
    }

    /// Returns the action of the next line; none at the end.
    pub fn next(&mut self, situation: &CommandContext) -> Option<Result<Action, String>> {
        let (number, line) = self.lines.pop_front()?;
        self.current = Some(number);
        Some(parse_line(&line, situation))
    }

    /// Returns the file and the line that was begun last, for messages.
    pub fn place(&self) -> Option<String> {
        self.current.map(|number| place(&self.path, number))
    }
}

fn place(path: &Path, number: usize) -> String {
    format!("{}, line {number}", path.display())
}
/// Maximum number of changes kept.
const MOST: usize = 100;

/// States before each change, newest last.
#[derive(Debug)]
pub struct UndoStack<B> {
    back: Vec<B>,
    forward: Vec<B>,
}

impl<B> Default for UndoStack<B> {
    fn default() -> Self {
        Self {
            back: Vec::new(),
            forward: Vec::new(),
        }
    }
}

impl<B> UndoStack<B> {
    /// Records the state before a change. Clears the redo list.
    pub fn keep(&mut self, before: B) {
        self.forward.clear();
        self.back.push(before);
        let surplus = self.back.len().saturating_sub(MOST);
        self.back.drain(..surplus);
    }

    /// Undoes the last change. `exchange` applies a state and returns the one that it replaces.
    /// Returns false if there is nothing to undo.
    pub fn undo(&mut self, exchange: impl FnOnce(B) -> B) -> bool {
        let Some(before) = self.back.pop() else {
            return false;
        };
        self.forward.push(exchange(before));
        true
    }

    /// Redoes the last undone change. Returns false if there is none.
    pub fn redo(&mut self, exchange: impl FnOnce(B) -> B) -> bool {
        let Some(after) = self.forward.pop() else {
            return false;
        };
        self.back.push(exchange(after));
        true
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::action::AppAction;
    use crate::action::TravelAction;
    use crate::action::WindowId;
    use crate::action::{Direction, ThemeChoice};

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let text = "# a comment\n\n  Theme dark\nStep over\n";
        let mut script = Script::parse(Path::new("a.txt"), text).unwrap();
        let situation = CommandContext {
            active: Some((WindowId(1), Position(5))),
            ..CommandContext::default()
        };
        assert_eq!(
            script.next(&situation),
            Some(Ok(Action::App(AppAction::Theme(ThemeChoice::Dark))))
        );
        assert_eq!(
            script.next(&situation),
            Some(Ok(Action::Travel(TravelAction::StepOver(
                Direction::Forward
            ))))
        );
        assert_eq!(script.place().as_deref(), Some("a.txt, line 4"));
        assert_eq!(script.next(&situation), None);
    }

    #[test]
    fn a_line_that_names_no_command_is_refused_before_anything_is_done() {
        let error = Script::parse(Path::new("a.txt"), "Step\nDance\n").unwrap_err();
        assert_eq!(error, "a.txt, line 2: no command matches \"Dance\"");
    }
}

#[cfg(test)]
mod undo_tests {
    use super::*;
    use crate::notes::{BookmarkChange, BookmarkPlace, Bookmarks};

    #[test]
    fn changes_are_taken_back_in_turn_and_done_again() {
        let (mut undo, mut now) = (UndoStack::<Bookmarks>::default(), Bookmarks::default());
        for position in 1..4 {
            undo.keep(now.clone());
            now.change(&BookmarkChange::Toggle(BookmarkPlace::Position(position)))
                .unwrap();
        }
        let mut counts = Vec::new();
        let exchange = |now: &mut Bookmarks, before: Bookmarks| std::mem::replace(now, before);
        while undo.undo(|before| exchange(&mut now, before)) {
            counts.push(now.list().len());
        }
        while undo.redo(|after| exchange(&mut now, after)) {
            counts.push(now.list().len());
        }
        assert_eq!(counts, [2, 1, 0, 1, 2, 3]);
        assert!(undo.undo(|before| exchange(&mut now, before)));
        undo.keep(now.clone());
        assert!(!undo.redo(|after| after));
    }
}
