//! Tests of the program with a front end that draws nothing and records the calls.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_parsers::Position;

use super::shell::{PanelArrangement, Report, Shell};
use super::state::{Program, RunMode};
use super::{Prompt, perform};
use crate::action::{
    AppAction, Direction, FileAction, MarkAction, PanelAction, PanelKind, SliceView, TravelAction,
    ViewAction,
};
use crate::action::{CellName, Follow, WindowId};
use crate::desk::{Desk, desk_over};
use crate::notes::{BookmarkChange, BookmarkPlace, SavedSearch, SavedSlice};
use crate::session::test_session::overflow;
use crate::worker::Worker;

struct TestShell {
    program: Program,
    reports: Vec<String>,
    prompts: Vec<Prompt>,
}

impl Shell for TestShell {
    fn program(&self) -> &Program {
        &self.program
    }

    fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    fn tell(&mut self, report: Report<'_>) {
        self.reports.push(format!("{report:?}"));
    }

    fn prompt(&mut self, prompt: Prompt) {
        self.prompts.push(prompt);
    }

    fn apply_panel(&mut self, _: PanelAction) {}

    fn apply_view(&mut self, _: ViewAction) {}

    fn apply_app(&mut self, action: AppAction) {
        self.reports.push(format!("{action:?}"));
    }

    fn arrange(&mut self, _: &mut Desk, _: PanelArrangement<'_>) {}

    fn trace_opened(&mut self) {}

    fn trace_closed(&mut self) {}

    fn panels_text(&self) -> Option<String> {
        None
    }

    fn show_panel(&mut self, _: PanelKind) {}

    fn reveal_panel(&mut self, _: PanelKind) {}

    fn show_search(&mut self, _: SavedSearch) {}

    fn show_slice(&mut self, _: SavedSlice) {}

    fn view_slice(&mut self, _: SliceView) {}

    fn other_window(&mut self, _: Position) -> Option<WindowId> {
        None
    }

    fn page_rows(&self) -> u64 {
        10
    }

    fn selected_cell(&mut self) -> Option<(CellName, Option<Follow>)> {
        None
    }

    fn save_picture(&mut self, _: PathBuf) {}
}

fn shell(desk: Option<Desk>) -> TestShell {
    let mode = RunMode {
        is_scripted: true,
        is_synchronous: true,
        shows_parts: false,
    };
    let mut program = Program::new(Worker::synchronous(), mode, Arc::new(|| {}));
    program.desk = desk;
    TestShell {
        program,
        reports: Vec::new(),
        prompts: Vec::new(),
    }
}

fn with_trace() -> TestShell {
    shell(Some(desk_over(overflow(), 0)))
}

#[test]
fn an_action_that_needs_a_trace_says_so_without_one() {
    let mut shell = shell(None);
    perform(
        &mut shell,
        TravelAction::StepInto(Direction::Forward).into(),
    );
    perform(&mut shell, FileAction::AddImage(None).into());
    assert_eq!(shell.reports, ["NoTrace", "NoTrace"]);
    perform(&mut shell, AppAction::ToggleRowLines.into());
    perform(&mut shell, FileAction::OpenDialog.into());
    assert_eq!((shell.reports.len(), shell.prompts.len()), (3, 1));
}

#[test]
fn closing_a_trace_cancels_its_reload_and_no_other_opening() {
    let mut shell = with_trace();
    perform(&mut shell, FileAction::Reload.into());
    assert!(shell.program.opening.is_some());
    perform(&mut shell, FileAction::CloseTrace.into());
    assert!(shell.program.opening.is_none() && shell.program.desk.is_none());
    let mut shell = with_trace();
    perform(
        &mut shell,
        FileAction::OpenPath("/nowhere/a.tarmac".into()).into(),
    );
    perform(&mut shell, FileAction::CloseTrace.into());
    assert!(shell.program.opening.is_some());
}

#[test]
fn marks_are_undone_and_redone_and_not_those_of_a_closed_trace() {
    let mut shell = with_trace();
    let marks = |shell: &TestShell| {
        shell
            .program
            .desk
            .as_ref()
            .map_or(0, |desk| desk.bookmarks.list().len())
    };
    perform(
        &mut shell,
        MarkAction::Bookmark(BookmarkChange::Toggle(BookmarkPlace::Position(7))).into(),
    );
    assert_eq!(marks(&shell), 1);
    perform(&mut shell, MarkAction::Undo.into());
    assert_eq!(marks(&shell), 0);
    perform(&mut shell, MarkAction::Redo.into());
    assert_eq!(marks(&shell), 1);
    perform(&mut shell, FileAction::CloseTrace.into());
    shell.program.desk = Some(desk_over(overflow(), 0));
    perform(&mut shell, MarkAction::Undo.into());
    assert_eq!(
        shell.reports.last().map(String::as_str),
        Some("NothingToUndo(Back)")
    );
}

#[test]
fn the_first_error_of_a_script_ends_the_program() {
    let mut shell = with_trace();
    perform(&mut shell, TravelAction::GoTo("nowhere".to_owned()).into());
    let failure = shell.program.failure().unwrap_or_default();
    assert!(failure.contains("nowhere"), "{failure}");
    perform(
        &mut shell,
        TravelAction::GoTo("elsewhere".to_owned()).into(),
    );
    assert_eq!(shell.program.failure(), Some(failure));
}
