//! What each action does.

use std::path::PathBuf;

use stepback_machine::{Address, RegisterGroup};
use stepback_parsers::Position;

use super::about::Page;
use super::app::App;
use super::file_dialog::Purpose;
use super::go_to::GoTo;
use super::layouts::changes_panels;
use super::palette::Palette;
use super::picture::Picture;
use super::settings_page::SettingsPage;
use super::workspace::Workspace;
use crate::action::{Access, Action, StepRange, ThemeChoice, Way, WindowId};
use crate::desk::home::{from_home, typed_path};
use crate::desk::{Showing, Tone, TraceChoice};
use crate::messages::say;
use crate::model::registers::has_group;
use crate::panels::RegistersPanel;
use crate::session::{IndexPolicy, OpenOptions, TraceFiles};
use crate::theme::Tok;

impl App {
    /// Applies all actions that wait, in their order, as far as nothing that is under way keeps them waiting.
    pub(super) fn apply_queue(&mut self) {
        while let Some(action) = self.queue.next(self.workspace.as_mut().map(|workspace| &mut workspace.desk)) {
            self.apply(action);
        }
        self.take_news();
    }

    /// Does what an action asks of the trace; gives back what is the window's to do.
    fn apply_to_desk(&mut self, action: Action) -> Option<Action> {
        let Some(workspace) = self.workspace.as_mut() else { return Some(action) };
        if matches!(action, Action::GoTo(_)) {
            self.go_to.error = None;
        }
        let rest = workspace.desk.apply(action);
        self.take_news();
        rest
    }

    fn apply(&mut self, action: Action) {
        if changes_panels(&action) {
            self.panels_touched = true;
            self.in_trace(Workspace::note_positions);
        }
        let Some(action) = self.apply_to_desk(action) else { return };
        match action {
            Action::OpenDialog => self.ask_for_file(Purpose::Trace),
            Action::OpenDirectoryDialog => self.ask_for_file(Purpose::Directory),
            Action::OpenPath(path) => self.open_path(&path),
            Action::OpenFiles(files) => self.open_files(files),
            Action::OpenDemo => self.open(TraceChoice::Demo),
            Action::OpenSession(None) => self.ask_for_file(Purpose::Session),
            Action::OpenSession(Some(file)) => self.open(TraceChoice::Session { file: typed_path(&file), trace: None }),
            Action::OpenSessionWith(file, trace) => {
                self.open(TraceChoice::Session { file: file.into(), trace: Some(trace.into()) });
            }
            Action::LocateTrace(file) => self.ask_for_file(Purpose::TraceOf(file)),
            Action::SaveSession(None) => self.ask_for_file(Purpose::SessionPlace),
            Action::SaveSession(Some(place)) => self.save_session_as(&place),
            Action::SaveSessionAgain => self.save_session_again(),
            Action::Reload => self.reload(),
            Action::AddImage(image) => self.add_image(image),
            Action::AddSysroot(directory) => self.add_sysroot(directory),
            Action::LocateSource(file) => self.locate_source(file),
            Action::MapSource(text) => self.map_source(&text),
            Action::MoveSources(mapping) => self.move_sources(mapping),
            Action::ForgetSources => self.forget_sources(),
            Action::CloseTrace => self.close_trace(),
            Action::ForgetRecent(path) => self.settings.recent.retain(|trace| trace.path.as_os_str() != path.as_str()),
            Action::ClearRecent => self.settings.recent.clear(),
            Action::CancelIndexing => self.cancel_opening(),
            Action::ContinueIndexing => self.index_more(Showing::Parts),
            Action::FollowTrace => self.toggle_follow(),
            Action::ToggleIndexingCard => self.toggle_card(),
            Action::Quit => self.context.send_viewport_cmd(egui::ViewportCommand::Close),
            Action::Page(way) => self.turn_page(way),
            Action::OpenWindowAt(at) => self.in_trace(|workspace| _ = workspace.open_window(Position(at.position))),
            Action::SelectCell(cell) => self.in_trace(|workspace| workspace.select_cell(&cell)),
            Action::GoToAccessOfSelection(access, way) => self.go_to_access_of_selection(access, way),
            Action::FocusFind => self.focus_find(),
            Action::Find(question) => self.find(question),
            Action::RunSearch(name) => self.run_search(&name),
            Action::ShowSearch(name) => self.show_search(&name),
            Action::ViewSlice(view) => self.in_trace(|workspace| workspace.view_slice(view)),
            Action::ShowSlice(name) => self.in_trace(|workspace| workspace.show_slice(&name)),
            Action::BookmarkSelection(name) => self.bookmark_selection(name),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Activate(id) => self.activate(id),
            Action::ShowPanel(kind) => self.in_trace(|workspace| _ = workspace.show(kind)),
            Action::NewPanel(kind) => self.in_trace(|workspace| _ = workspace.add(kind)),
            Action::SideBySide => self.in_trace(Workspace::side_by_side),
            Action::ScrollAlong(led, way) => {
                self.in_trace(|workspace| workspace.scroll_along(led, way));
                self.context.request_repaint();
            }
            Action::Compare => self.compare(),
            Action::Bind(tile, follow) => self.in_trace(|workspace| workspace.bind(tile, follow)),
            Action::ChooseThread(tile, thread) => self.choose_thread(tile, thread),
            Action::ClosePanel(tile) => self.close_panel(tile),
            Action::DuplicatePanel(tile) => self.in_trace(|workspace| _ = workspace.duplicate(tile)),
            Action::TearOff(tile) => self.tear_off(tile),
            Action::PutBack(tile) => self.in_trace(|workspace| workspace.put_back(tile)),
            Action::FocusPanel(way) => self.focus_panel(way),
            Action::ResetLayout => self.reset_layout(),
            Action::UseLayout(name) => self.use_layout(&name),
            Action::SaveLayout(name) => self.save_layout(&name),
            Action::ForgetLayout(name) => self.forget_layout(&name),
            Action::Timeline(lanes) => self.in_trace(|workspace| workspace.timeline.choose(lanes)),
            Action::FitTimeline(fit) => self.in_trace(|workspace| workspace.timeline.fit(fit)),
            Action::TellFunctions(of) => self.in_trace(|workspace| workspace.functions.tell(of)),
            Action::StopFunctions => self.in_trace(|workspace| _ = workspace.functions.stop()),
            Action::MeasureCalls(measure) => self.in_trace(|workspace| workspace.functions.choose_measure(measure)),
            Action::SelectFunction(function) => {
                self.in_trace(|workspace| workspace.functions.select(function.map(Address)));
            }
            Action::ListCalls(range) => self.in_trace(|workspace| workspace.list_calls(range)),
            Action::GoToCall(name, way) => self.go_to_call(name, way),
            Action::SelectRange(range) => self.in_trace(|workspace| workspace.timeline.select(range)),
            Action::CompareWindows(before, after) => {
                self.compare();
                self.in_trace(|workspace| workspace.choose_compared(before, after));
            }
            Action::CompareEnds(range) => self.compare_ends(range),
            Action::ToggleRowLines => self.toggle_row_lines(),
            Action::ShowMemory(address) => self.in_trace(|workspace| workspace.show_memory(&address)),
            Action::ListAccesses(address, len_bytes, thread) => {
                self.in_trace(|workspace| workspace.list_accesses(address, len_bytes, thread));
            }
            Action::ListValues(cell) => self.in_trace(|workspace| workspace.list_values(&cell)),
            Action::ListExecutions(code) => self.in_trace(|workspace| workspace.list_executions(code)),
            Action::ShowEffects(of) => self.in_trace(|workspace| workspace.show_effects(of)),
            Action::GroupAccesses => self.in_trace(Workspace::group_accesses),
            Action::ShowRegisters(group) => self.show_registers(group),
            Action::NewRegisters(group) => self.in_trace(|workspace| workspace.new_registers(group)),
            Action::ReadLanes(format) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.choose_format(format)));
            }
            Action::FormatRegisters(format) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.choose_way(format)));
            }
            Action::HalveRegisters => self.in_trace(|workspace| workspace.with_registers(RegistersPanel::halve)),
            Action::FilterRegisters(text) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.filter = text));
            }
            Action::MemoryGroup(group) => self.in_trace(|workspace| workspace.with_memory(|panel| panel.group = group)),
            Action::Memory(change) => self.in_trace(|workspace| workspace.with_memory(|panel| panel.change(change))),
            Action::FocusGoTo => self.go_to.focus(),
            Action::CommandPalette => self.palette = Some(Palette::default()),
            Action::AskFor(name) => self.palette = crate::keymap::command(&name).map(Palette::asking),
            Action::KeyboardHelp => self.page = Some(Page::Keys),
            Action::About => self.page = Some(Page::About),
            Action::Theme(choice) => self.choose_theme(choice),
            Action::Language(choice) => self.choose_language(choice),
            Action::ToggleOwnBrowser => {
                self.settings.uses_own_browser ^= true;
                self.keep_settings();
            }
            Action::Settings => self.settings_page = Some(SettingsPage::default()),
            Action::SetKeys(name, keys) => self.set_keys(&name, &keys),
            Action::ResetKeys(name) => self.reset_keys(name.as_deref()),
            Action::ExportKeys => self.export_keys(),
            Action::ImportKeys(path) => self.import_keys(path),
            Action::Zoom(direction) => self.zoom(direction),
            Action::Font(change) => self.change_fonts(change),
            Action::Copy(text) => self.context.copy_text(text),
            Action::SavePart(range, path) => self.save_part(range, path),
            Action::SavePicture(Some(path)) => self.picture = Some(Picture::new(typed_path(&path))),
            Action::SavePicture(None) => self.ask_for_file(Purpose::PicturePlace),
            Action::SaveText(name, text) => self.ask_for_file(Purpose::Save { name, text }),
            Action::DismissToast(id) => self.toasts.dismiss(id),
            Action::DismissToasts => self.toasts.clear(),
            // What is left means a trace, and none is open.
            _ => {}
        }
    }

    /// Changes nothing but the windows and panels of the open trace, if there is one.
    pub(super) fn in_trace(&mut self, change: impl FnOnce(&mut Workspace)) {
        if let Some(workspace) = self.workspace.as_mut() {
            change(workspace);
        }
    }

    fn open_path(&mut self, path: &str) {
        self.open(TraceChoice::of(OpenOptions::new(from_home(path.trim()))));
    }

    fn open_files(&mut self, files: Vec<String>) {
        let options = OpenOptions::of_files(TraceFiles::in_order(files.into_iter().map(PathBuf::from).collect()));
        if let Some(options) = options {
            self.open(TraceChoice::of(options));
        }
    }

    fn reload(&mut self) {
        let Some(workspace) = &self.workspace else { return };
        let options = OpenOptions { policy: IndexPolicy::Force, ..workspace.options.clone() };
        self.open(TraceChoice::of(options));
    }

    fn close_trace(&mut self) {
        // What is indexed is kept.
        self.opening = self.opening.take().filter(|opening| !opening.is_shown);
        self.keep_session();
        self.workspace = None;
        self.begin_at = None;
        self.go_to = GoTo::default();
        self.start.refresh();
        self.set_title("Stepback");
    }

    pub(super) fn set_title(&self, title: &str) {
        self.context.send_viewport_cmd(egui::ViewportCommand::Title(title.to_owned()));
    }

    fn cancel_opening(&mut self) {
        if let Some(opening) = &self.opening {
            opening.cancel();
        }
    }

    fn toggle_card(&mut self) {
        if let Some(opening) = &mut self.opening {
            opening.is_card_hidden = !opening.is_card_hidden;
        }
    }

    fn activate(&mut self, id: WindowId) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if workspace.windows.get(id).is_some() {
            workspace.show_window(id);
        } else {
            let count = workspace.windows.list.len();
            self.report(&say!("apply-no-window", number = id.0, count = count));
        }
    }

    fn show_registers(&mut self, group: RegisterGroup) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if has_group(&workspace.session, group) {
            return workspace.with_registers(|panel| panel.choose_group(group));
        }
        let words = match group {
            RegisterGroup::Scalable => say!("apply-no-sve"),
            RegisterGroup::Core => say!("apply-no-general"),
            RegisterGroup::Single => say!("apply-no-single"),
            RegisterGroup::Double => say!("apply-no-double"),
            RegisterGroup::Vector => say!("apply-no-vector"),
            RegisterGroup::System => say!("apply-no-system"),
        };
        self.toasts.show(Tone::Info, words);
    }

    fn go_to_access_of_selection(&mut self, access: Access, way: Way) {
        let tok = Tok::of(self.context.theme());
        let Some(workspace) = self.workspace.as_mut() else { return };
        match workspace.situation(&self.worker, tok).cell {
            Some(cell) => {
                workspace.hold_memory();
                // What a panel shows is what its actions act on, whichever window is the active one.
                let shown = workspace.focused_pane().filter(|pane| pane.has_cells()).and_then(|pane| pane.follow());
                match shown.and_then(|follow| workspace.windows.start_from(follow)) {
                    Some(start) => self.queue.extend([start, Action::GoToAccess(cell, access, way)]),
                    None => workspace.go_to_access(cell, access, way),
                }
            }
            None => {
                let advice = say!("apply-click-a-register-or-a");
                let palette = Some((say!("apply-commands").to_owned(), Action::CommandPalette));
                self.toasts.show_with(Tone::Warning, say!("apply-no-cell-is-selected"), advice, palette);
                self.note_failure(say!("apply-no-cell-is-selected-2"));
            }
        }
    }

    fn close_panel(&mut self, tile: u64) {
        let is_closed = self.workspace.as_mut().is_none_or(|workspace| workspace.close(tile));
        if !is_closed {
            self.toasts.show(Tone::Info, say!("apply-the-last-trace-window-stays"));
        }
    }

    /// A text field that has the keyboard gives it up.
    fn focus_panel(&mut self, way: Way) {
        self.context.memory_mut(|memory| memory.stop_text_input());
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.focus_next(way);
        }
    }

    fn reset_layout(&mut self) {
        let size = self.context.content_rect().size();
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.reset_layout(size);
        }
    }

    fn compare(&mut self) {
        let width = self.context.content_rect().width();
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.compare(width);
        }
    }

    /// Two windows come to the ends of a part of the trace: that with the lower number to its start, as they are compared.
    pub(super) fn compare_ends(&mut self, StepRange { first, last }: StepRange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (active, other) = (workspace.windows.active, workspace.other_window(Position(last)));
        let (earlier, later) = (active.min(other), active.max(other));
        self.queue.extend([
            Action::Travel(earlier, first),
            Action::Travel(later, last),
            Action::CompareWindows(earlier, later),
        ]);
    }

    /// The other window goes to a position, and the two are compared.
    pub(super) fn compare_at(&mut self, position: Position) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (active, other) = (workspace.windows.active, workspace.other_window(position));
        let compare = Action::CompareWindows(active.min(other), active.max(other));
        self.queue.extend([Action::Travel(other, position.0), compare]);
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
}
