//! The window as a front end of the program.

use std::path::PathBuf;

use stepback_debugger::action::{
    Action, AppAction, CellName, FindQuery, Follow, PanelAction, PanelKind, SliceView,
    TravelAction, ViewAction,
};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::desk::{Desk, FindState, RecentTrace, SavedSession, Tone};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{SavedSearch, SavedSlice};
use stepback_debugger::program::{PanelArrangement, Program, Prompt, Report, Shell, UndoSnapshot};
use stepback_debugger::source::SourceMapping;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::app::App;
use super::banner::{Banner, DemoGuide};
use super::go_to::GoToBox;
use super::kept_layout;
use super::layouts::changes_panels;
use super::picture::PendingScreenshot;
use super::workspace::Workspace;
use crate::kept_layout::layout_of;
use crate::theme::ThemeColors;

impl App {
    /// Changes the panels of the open trace, if there is one.
    fn in_trace(&mut self, change: impl FnOnce(&mut Workspace, &mut Desk)) {
        if let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        {
            change(workspace, desk);
        }
    }

    /// Reports unreadable panels of a session, such as those of a newer version. The trace's own
    /// session keeps them. A session file named by the user is never written without a request.
    fn look_at_kept_panels(&mut self, desk: &mut Desk, kept: &SavedSession) {
        if kept_layout::is_damaged(&desk.places.panels) {
            desk.places.unread_panels = Some(desk.places.panels.clone()).filter(|_| !kept.is_named);
            self.toasts
                .show(Tone::Warning, say!("kept-the-panels-of-the-session"));
        }
    }
}

impl Shell for App {
    fn program(&self) -> &Program {
        &self.program
    }

    fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    fn tell(&mut self, report: Report<'_>) {
        self.show_report(report);
    }

    fn prompt(&mut self, prompt: Prompt) {
        match prompt {
            Prompt::File(purpose) => self.ask_for_file(purpose),
            Prompt::Search(_) => {
                let searches = &self.settings.searches;
                if let (Some(workspace), Some(desk)) =
                    (self.workspace.as_mut(), self.program.desk.as_mut())
                {
                    desk.find.set_history(searches);
                    desk.find.focus();
                    workspace.show(desk, PanelKind::Find);
                }
            }
        }
    }

    fn apply_panel(&mut self, action: PanelAction) {
        self.panel_action(action);
    }

    fn apply_view(&mut self, action: ViewAction) {
        self.view_action(action);
    }

    fn apply_app(&mut self, action: AppAction) {
        self.app_action(action);
    }

    fn before_action(&mut self, action: &Action) {
        if changes_panels(action) {
            self.panels_touched = true;
            self.in_trace(|workspace, desk| workspace.note_positions(desk));
        }
        self.toasts.retire_offering(action);
        self.go_to.leave_error();
        if let Action::Travel(TravelAction::GoToEnding) = action {
            self.in_trace(|workspace, _| workspace.has_ending_card = true);
        }
    }

    fn arrange(&mut self, desk: &mut Desk, arrangement: PanelArrangement<'_>) {
        let size = self.context.content_rect().size();
        let saved = match (arrangement, &self.workspace) {
            (PanelArrangement::Same(before), Some(workspace)) => workspace.saved_layout(before),
            (PanelArrangement::New(kept), _) => {
                self.look_at_kept_panels(desk, kept);
                layout_of(kept, size)
            }
            (PanelArrangement::Same(_), None) => None,
        };
        self.go_to = GoToBox::default();
        self.workspace = Some(Workspace::new(desk, saved, size));
        desk.sources = self.settings.source_choice(&desk.session);
    }

    fn trace_opened(&mut self) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_ref())
        else {
            return;
        };
        // Pictures and tests show the trace, not the first steps.
        let is_for_user = !self.program.mode.is_scripted && !self.program.mode.is_synchronous;
        workspace.guide = (desk.is_demo && is_for_user).then(DemoGuide::default);
        workspace.has_ending_card = is_for_user && !desk.is_demo;
        let title = format!("{} – Stepback", desk.name());
        self.start.path_box.clear();
        self.retire_not_opened();
        self.set_title(&title);
        // The focused widget of the start screen is gone.
        self.context.memory_mut(|memory| memory.stop_text_input());
    }

    fn trace_closed(&mut self) {
        self.workspace = None;
        self.go_to = GoToBox::default();
        self.start.refresh();
        self.set_title("Stepback");
    }

    fn part_shown(&mut self) {
        self.in_trace(|workspace, desk| {
            workspace.banner = workspace
                .banner
                .take()
                .and_then(|_| Banner::of(&desk.session));
        });
    }

    fn panels_text(&self) -> Option<String> {
        self.workspace.as_ref()?.panels_text()
    }

    fn show_panel(&mut self, kind: PanelKind) {
        self.in_trace(|workspace, desk| _ = workspace.show(desk, kind));
    }

    fn reveal_panel(&mut self, kind: PanelKind) {
        self.in_trace(|workspace, desk| workspace.reveal_panel(desk, kind));
    }

    fn show_search(&mut self, kept: SavedSearch) {
        self.in_trace(|workspace, desk| workspace.show_own_find(desk, kept));
    }

    fn show_slice(&mut self, kept: SavedSlice) {
        self.in_trace(|workspace, desk| workspace.show_own_slice(desk, kept));
    }

    fn view_slice(&mut self, view: SliceView) {
        self.in_trace(|workspace, desk| workspace.view_slice(desk, view));
    }

    fn other_window(&mut self, at: Position) -> Option<WindowId> {
        let (workspace, desk) = (self.workspace.as_mut()?, self.program.desk.as_mut()?);
        Some(workspace.other_window(desk, at))
    }

    fn page_rows(&self) -> u64 {
        let (workspace, desk) = (self.workspace.as_ref(), self.program.desk.as_ref());
        workspace
            .zip(desk)
            .map_or(0, |(workspace, desk)| workspace.page_rows(desk))
    }

    fn selected_cell(&mut self) -> Option<(CellName, Option<Follow>)> {
        let tok = ThemeColors::of(self.context.theme());
        let (workspace, desk) = (self.workspace.as_mut()?, self.program.desk.as_mut()?);
        let cell = workspace.situation(desk, tok).cell?;
        workspace.hold_memory();
        let follow = workspace
            .focused_pane()
            .filter(|pane| pane.has_cells())
            .and_then(|pane| pane.follow());
        Some((cell, follow))
    }

    fn selected_function(&self) -> Option<Address> {
        self.workspace
            .as_ref()?
            .chosen_function(self.program.desk.as_ref()?)
    }

    fn selected_range(&self) -> Option<StepRange> {
        self.workspace.as_ref()?.timeline.selection()
    }

    fn recent(&mut self) -> Option<&mut Vec<RecentTrace>> {
        Some(&mut self.settings.recent)
    }

    fn remember_search(&mut self, question: &FindQuery) {
        FindState::remember(&mut self.settings.searches, question);
        if let Some(desk) = &mut self.program.desk {
            desk.find.set_history(&self.settings.searches);
        }
    }

    fn keep_source_mapping(&mut self, mapping: &SourceMapping) {
        let Some(desk) = &self.program.desk else {
            return;
        };
        for info in desk.session.images.infos() {
            self.settings
                .add_source_mapping(info.spec.path.clone(), mapping.clone());
        }
    }

    fn forget_source_mappings(&mut self) {
        if let Some(desk) = &self.program.desk {
            self.settings.forget_source_mappings(&desk.session);
        }
    }

    fn exchange(&mut self, before: UndoSnapshot) -> UndoSnapshot {
        let replaced = match before {
            UndoSnapshot::Keys(keys) => {
                let now = std::mem::replace(&mut self.settings.keys, keys);
                self.settings.keys.take_effect();
                UndoSnapshot::Keys(now)
            }
            UndoSnapshot::Layouts(layouts) => {
                UndoSnapshot::Layouts(std::mem::replace(&mut self.settings.layouts, layouts))
            }
            UndoSnapshot::Panels(panels) => {
                match (self.workspace.as_mut(), self.program.desk.as_mut()) {
                    (Some(workspace), Some(desk)) => {
                        let now = workspace.panels(desk);
                        workspace.put_panels(desk, panels.clone());
                        workspace.panels_seen = workspace.panels(desk);
                        UndoSnapshot::Panels(now.unwrap_or(panels))
                    }
                    _ => UndoSnapshot::Panels(panels),
                }
            }
            UndoSnapshot::Marks(marks) => UndoSnapshot::Marks(marks),
        };
        self.keep_settings();
        replaced
    }

    fn save_picture(&mut self, path: PathBuf) {
        self.picture = Some(PendingScreenshot::new(path));
    }
}
