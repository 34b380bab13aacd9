//! Application of the window's own actions: on panels, on their contents, on the program.

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, AppAction, PanelAction, PanelId, PanelKind, ThemeChoice, ViewAction,
};
use stepback_debugger::desk::{Tone, thread_named};
use stepback_debugger::keymap::command;
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::{has_group, missing_group};
use stepback_debugger::program;
use stepback_machine::RegisterGroup;

use super::about::InfoPage;
use super::app::App;
use super::palette::PaletteState;
use super::settings_page::SettingsPage;

impl App {
    /// Applies an action on windows, panels and layouts.
    pub(super) fn panel_action(&mut self, action: PanelAction) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        match action {
            PanelAction::OpenWindowAt(at) => _ = workspace.open_window(desk, at.position),
            PanelAction::Activate(id) => self.activate(id),
            PanelAction::ShowPanel(kind) => workspace.open(desk, kind),
            PanelAction::NewPanel(kind) => _ = workspace.add(desk, kind),
            PanelAction::SideBySide => workspace.side_by_side(desk),
            PanelAction::ScrollAlong(led, direction) => {
                workspace.scroll_along(led, direction);
                self.context.request_repaint();
            }
            PanelAction::Compare => workspace.compare(desk, self.context.content_rect().width()),
            PanelAction::Bind(panel, follow) => workspace.bind(panel, follow),
            PanelAction::ChooseThread(panel, thread) => self.choose_thread(panel, thread),
            PanelAction::ClosePanel(panel) => {
                if !workspace.close(desk, panel) {
                    self.toasts
                        .show(Tone::Info, say!("apply-the-last-trace-window-stays"));
                }
            }
            PanelAction::DuplicatePanel(panel) => _ = workspace.duplicate(desk, panel),
            PanelAction::TearOff(panel) => self.tear_off(panel),
            PanelAction::PutBack(panel) => workspace.put_back(desk, panel),
            PanelAction::FocusPanel(direction) => {
                // A focused text field gives up the keyboard.
                self.context.memory_mut(|memory| memory.stop_text_input());
                workspace.focus_next(desk, direction);
            }
            PanelAction::ResetLayout => {
                workspace.reset_layout(desk, self.context.content_rect().size())
            }
            PanelAction::UseLayout(name) => self.use_layout(&name),
            PanelAction::SaveLayout(name) => self.save_layout(&name),
            PanelAction::ForgetLayout(name) => self.forget_layout(&name),
            PanelAction::CompareWindows(before, after) => {
                workspace.compare(desk, self.context.content_rect().width());
                workspace.choose_compared(before, after);
            }
            // The program applies these.
            PanelAction::SyncWindows
            | PanelAction::CompareEnds(_)
            | PanelAction::CompareWith(_)
            | PanelAction::CompareCall(_) => {}
        }
    }

    /// Applies an action on the contents of panels.
    pub(super) fn view_action(&mut self, action: ViewAction) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        match action {
            ViewAction::SelectCell(cell) => workspace.select_cell(desk, &cell),
            ViewAction::Timeline(lanes) => workspace.timeline.choose(lanes),
            ViewAction::FitTimeline(fit) => workspace.timeline.fit(fit),
            ViewAction::SelectRange(range) => workspace.timeline.select(range),
            ViewAction::TellFunctions(of) => desk.functions.tell(of),
            ViewAction::StopFunctions => _ = desk.functions.stop(),
            ViewAction::MeasureCalls(measure) => desk.functions.choose_measure(measure),
            ViewAction::SelectFunction(function) => desk.functions.select(function),
            ViewAction::ListCalls(range) => workspace.list_calls(desk, range),
            ViewAction::ShowMemory(address) => workspace.show_memory(desk, &address),
            ViewAction::ListAccesses(..)
            | ViewAction::ListValues(_)
            | ViewAction::ListExecutions(_)
            | ViewAction::GroupAccesses => {
                workspace.list(desk, PanelKind::Accesses, &Action::View(action))
            }
            ViewAction::ShowEffects(_) => {
                workspace.list(desk, PanelKind::Effects, &Action::View(action))
            }
            ViewAction::ShowRegisters(group) => self.show_registers(group),
            ViewAction::NewRegisters(group) => workspace.new_registers(desk, group),
            ViewAction::ReadLanes(_)
            | ViewAction::FormatRegisters(_)
            | ViewAction::HalveRegisters
            | ViewAction::FilterRegisters(_) => {
                workspace.with_registers(desk, |panel| _ = panel.view.take(&Action::View(action)));
            }
            ViewAction::MemoryGroup(group) => {
                workspace.with_memory(desk, |view, _| _ = view.group_by(group))
            }
            ViewAction::Memory(change) => {
                workspace.with_memory(desk, |view, desk| view.change(&change, desk))
            }
            // The program applies it.
            ViewAction::ToggleRawText => {}
        }
    }

    /// Applies an action on the program itself.
    pub(super) fn app_action(&mut self, action: AppAction) {
        match action {
            AppAction::Quit => self.context.send_viewport_cmd(egui::ViewportCommand::Close),
            AppAction::FocusGoTo => self.go_to.focus(),
            AppAction::CommandPalette => self.palette = Some(PaletteState::default()),
            AppAction::AskFor(name) => self.palette = command(&name.0).map(PaletteState::asking),
            AppAction::KeyboardHelp => self.page = Some(InfoPage::Keys),
            AppAction::About => self.page = Some(InfoPage::About),
            AppAction::Theme(choice) => self.choose_theme(choice),
            AppAction::Language(choice) => self.choose_language(choice),
            AppAction::ToggleOwnBrowser => {
                self.settings.uses_own_browser ^= true;
                self.keep_settings();
            }
            AppAction::ToggleRowLines => {
                self.settings.has_row_lines ^= true;
                if let Some(desk) = &mut self.program.desk {
                    desk.sources.is_in_rows = self.settings.has_row_lines;
                }
                self.keep_settings();
            }
            AppAction::Settings => self.settings_page = Some(SettingsPage::default()),
            AppAction::SetKeys(name, keys) => self.set_keys(&name, &keys),
            AppAction::ResetKeys(name) => self.reset_keys(name.as_ref()),
            AppAction::ExportKeys => self.export_keys(),
            AppAction::ImportKeys(path) => self.import_keys(path),
            AppAction::Zoom(direction) => self.zoom(direction),
            AppAction::Font(change) => self.change_fonts(change),
            AppAction::Copy(text) => self.context.copy_text(text),
            AppAction::DismissToast(id) => self.toasts.dismiss(id),
            AppAction::DismissToasts => self.toasts.clear(),
        }
    }

    fn activate(&mut self, id: WindowId) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        if desk.windows.get(id).is_some() {
            workspace.show_window(desk, id);
        } else {
            let count = desk.windows.list.len();
            self.report(&say!("apply-no-window", number = id.0, count = count));
        }
    }

    fn choose_thread(&mut self, panel: PanelId, thread: Option<String>) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_ref())
        else {
            return;
        };
        match thread
            .as_deref()
            .map(|name| thread_named(&desk.session, name))
        {
            Some(Err(error)) => self.report(&error),
            Some(Ok(_)) | None => workspace.choose_thread(panel, thread),
        }
    }

    fn show_registers(&mut self, group: RegisterGroup) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        if has_group(&desk.session, group) {
            return workspace.with_registers(desk, |panel| panel.choose_group(group));
        }
        self.toasts.show(Tone::Info, missing_group(group));
    }

    fn choose_theme(&mut self, choice: ThemeChoice) {
        self.settings.theme = choice;
        self.settings.apply(&self.context);
        self.keep_settings();
    }

    fn zoom(&mut self, direction: i8) {
        self.settings.zoom_by(direction);
        self.settings.apply(&self.context);
        self.keep_settings();
    }

    /// Reports an error. While a script runs, the error ends the program.
    pub(super) fn report(&mut self, error: &str) {
        program::report(self, error);
    }

    pub(super) fn set_title(&self, title: &str) {
        self.context
            .send_viewport_cmd(egui::ViewportCommand::Title(title.to_owned()));
    }
}
