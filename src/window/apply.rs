//! What each action does.

use std::collections::VecDeque;
use std::path::PathBuf;

use stepback_index::CallId;
use stepback_machine::{Address, RegisterGroup};
use stepback_parsers::Position;

use super::about::Page;
use super::app::App;
use super::ends_lookup::EndsQuestion;
use super::external_lookup::ExternalQuestion;
use super::file_dialog::Purpose;
use super::found::Found;
use super::go_to::GoTo;
use super::home::{from_home, typed_path};
use super::layouts::changes_panels;
use super::lookup::{AccessQuestion, Lookup};
use super::opening::Showing;
use super::options::TraceChoice;
use super::palette::Palette;
use super::picture::Picture;
use super::settings_page::SettingsPage;
use super::sources::LineGoal;
use super::toasts::ToastKind;
use super::workspace::Workspace;
use crate::action::{Access, Action, CellName, StepRange, ThemeChoice, Way, WindowId};
use crate::analysis::damage::damage_in;
use crate::analysis::step_places::Callees;
use crate::messages::say;
use crate::model::registers::has_group;
use crate::model::{Move, Stride};
use crate::panels::RegistersPanel;
use crate::session::{IndexPolicy, OpenOptions, TraceFiles};
use crate::theme::Tok;

impl App {
    /// Applies all actions that wait, in their order.
    ///
    /// While a window moves all of them wait: a move takes no longer than a look at the trace.
    /// While a search is under way those wait that begin from the position that it will find; a move to a place of
    /// its own gives the search up.
    pub(super) fn apply_queue(&mut self) {
        let mut waiting = VecDeque::new();
        while let Some(action) = self.queue.pop_front() {
            // What is no move may begin from where the moves before it lead.
            if !is_move(&action) {
                self.send_moves();
            }
            if self.workspace.as_ref().is_some_and(Workspace::is_moving) {
                waiting.push_back(action);
                waiting.append(&mut self.queue);
                break;
            }
            let is_searching = self.workspace.as_ref().is_some_and(|workspace| workspace.lookup.is_some());
            match order(&action) {
                Order::After if is_searching || !waiting.is_empty() => waiting.push_back(action),
                Order::Instead if is_searching => {
                    waiting.clear();
                    self.drop_lookup();
                    self.apply(action);
                }
                Order::After | Order::Beside | Order::Instead => self.apply(action),
            }
        }
        self.queue = waiting;
        self.send_moves();
    }

    fn apply(&mut self, action: Action) {
        if changes_panels(&action) {
            self.panels_touched = true;
            self.in_trace(Workspace::note_positions);
        }
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
            Action::StepRow(way) => self.begin(Move::Step(Stride::Row, way)),
            Action::StepInto(way) => self.begin(Move::Step(Stride::Into, way)),
            Action::StepOver(way) => self.begin(Move::Step(Stride::Over, way)),
            Action::StepOut(way) => self.begin(Move::Step(Stride::Out, way)),
            Action::StepOfThread(way) => self.begin(Move::StepOfThread(way)),
            Action::StayInThread(name) => self.stay_in_thread(name.as_deref()),
            Action::Page(way) => self.turn_page(way),
            Action::Edge(way) => self.begin(Move::Edge(way)),
            Action::GoTo(text) => self.go_to(&text),
            Action::Travel(window, to) => self.begin_in(window, Move::Travel(Position(to))),
            Action::OpenWindowAt(at) => self.in_trace(|workspace| _ = workspace.open_window(Position(at.position))),
            Action::History(way) => self.begin(Move::History(way)),
            Action::SelectCell(cell) => self.in_trace(|workspace| workspace.select_cell(&cell)),
            Action::GoToAccess(cell, access, way) => self.go_to_access(cell, access, way),
            Action::GoToAccessUntil(cell, access, until) => self.go_to_access_until(cell, access, Position(until)),
            Action::GoToAccessOfSelection(access, way) => self.go_to_access_of_selection(access, way),
            Action::GoToExternal(cell, way) => self.go_to_external(cell, way),
            Action::GoToLine(file, line, way, thread) => self.go_to_line(LineGoal { file, line, way, thread }),
            Action::GoToVisit(way) => self.go_to_visit(way),
            Action::StepLine(way) => self.go_to_next_line(Callees::Over, way),
            Action::StepLineInto(way) => self.go_to_next_line(Callees::Into, way),
            Action::GoToException(way) => self.go_to_exception(way),
            Action::StopLookup => self.drop_lookup(),
            Action::GoToWhere(condition, way) => self.go_to_where(condition, way),
            Action::GoToWhereAgain(way) => self.go_to_where_again(way),
            Action::GoToChange(watch, way) => self.go_to_change(watch, way),
            Action::Watch(change) => self.change_watches(&change),
            Action::Wave(change) => self.change_waves(&change),
            Action::FocusFind => self.focus_find(),
            Action::Find(question) => self.find(question),
            Action::FindNext(way) => self.find_next(way),
            Action::FindMore => self.find_more(),
            Action::StopFind => self.in_trace(|workspace| _ = workspace.find.stop()),
            Action::ClearFind => self.in_trace(|workspace| workspace.find.clear()),
            Action::ToggleOnlyHits => self.toggle_only_hits(),
            Action::SurroundHits(context) => self.surround_hits(context),
            Action::KeepSearch(name) => self.keep_search(&name),
            Action::Searches(change) => self.change_searches(&change),
            Action::RunSearch(name) => self.run_search(&name),
            Action::ShowSearch(name) => self.show_search(&name),
            Action::OpenHidden(window, steps) => self.in_trace(|workspace| workspace.open_hidden(window, steps)),
            Action::Bookmark(change) => self.change_bookmarks(&change),
            Action::BookmarkSelection(name) => self.bookmark_selection(name),
            Action::GoToBookmark(way) => self.go_to_bookmark(way),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Fold(what) => self.begin(Move::Fold(what)),
            Action::ToggleFold(call) => self.begin(Move::ToggleFold(CallId(call))),
            Action::Activate(id) => self.activate(id),
            Action::ShowPanel(kind) => self.in_trace(|workspace| _ = workspace.show(kind)),
            Action::NewPanel(kind) => self.in_trace(|workspace| _ = workspace.add(kind)),
            Action::SideBySide => self.in_trace(Workspace::side_by_side),
            Action::SyncWindows => {
                self.in_trace(|workspace| workspace.windows.is_synced = !workspace.windows.is_synced);
            }
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
            Action::CompareWith(place) => self.compare_with(&place),
            Action::CompareCall(call) => self.compare_call(call),
            Action::ToggleRawText => self.in_trace(toggle_raw),
            Action::ToggleRowLines => self.toggle_row_lines(),
            Action::ShowMemory(address) => self.in_trace(|workspace| workspace.show_memory(&address)),
            Action::ListAccesses(address, len_bytes, thread) => {
                self.in_trace(|workspace| workspace.list_accesses(address, len_bytes, thread));
            }
            Action::ListValues(cell) => self.in_trace(|workspace| workspace.list_values(&cell)),
            Action::ListExecutions(code) => self.in_trace(|workspace| workspace.list_executions(code)),
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
        }
    }

    /// Changes nothing but the windows and panels of the open trace, if there is one.
    fn in_trace(&mut self, change: impl FnOnce(&mut Workspace)) {
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
        self.toasts.show(ToastKind::Info, words);
    }

    fn go_to(&mut self, text: &str) {
        self.go_to.error = None;
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, from) = (workspace.windows.active, workspace.windows.active().position);
        workspace.lookup = Some(Lookup::place(&workspace.session, &self.worker, window, from, text));
        self.take_found();
    }

    fn go_to_access(&mut self, cell: CellName, access: Access, way: Way) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        let from = workspace.windows.active().position;
        self.look_for_access(AccessQuestion { cell, access, way, from, until: None });
    }

    fn go_to_access_until(&mut self, cell: CellName, access: Access, until: Position) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        let from = workspace.windows.active().position;
        self.look_for_access(AccessQuestion { cell, access, way: Way::Forward, from, until: Some(until) });
    }

    fn look_for_access(&mut self, question: AccessQuestion) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let window = workspace.windows.active;
        workspace.lookup = Some(Lookup::access(&workspace.session, &self.worker, window, question));
        self.take_found();
    }

    fn go_to_external(&mut self, cell: Option<CellName>, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, from) = (workspace.windows.active, workspace.windows.active().position);
        let question = ExternalQuestion { cell, way, from };
        workspace.lookup = Some(Lookup::external(&workspace.session, &self.worker, window, question));
        self.take_found();
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
                    None => self.go_to_access(cell, access, way),
                }
            }
            None => {
                let advice = say!("apply-click-a-register-or-a");
                let palette = Some((say!("apply-commands").to_owned(), Action::CommandPalette));
                self.toasts.show_with(ToastKind::Warning, say!("apply-no-cell-is-selected"), advice, palette);
                self.note_failure(say!("apply-no-cell-is-selected-2"));
            }
        }
    }

    /// Picks up what the search found: the window moves there.
    pub(super) fn take_found(&mut self) {
        let Some(workspace) = self.workspace.as_mut().filter(|workspace| !workspace.is_moving()) else { return };
        let Some(answer) = workspace.lookup.as_ref().and_then(Lookup::poll) else { return };
        let Some(lookup) = workspace.lookup.take() else { return };
        match answer {
            Ok(Found::Position(to)) => self.land(&lookup, to),
            Ok(Found::Noted(to, note)) => {
                self.land(&lookup, to);
                self.toasts.show(ToastKind::Info, &note);
            }
            Ok(Found::Ends(range)) => self.compare_ends(range),
            Ok(Found::Other(position)) => self.compare_at(position),
            Ok(Found::Nothing(why)) => self.toasts.show(ToastKind::Info, &why),
            Err(error) => {
                let is_mended = damage_in(&error).is_some_and(|damage| self.mend(damage));
                let lookup = if is_mended { self.hold(lookup) } else { Some(lookup) };
                if let Some(lookup) = lookup {
                    self.refuse(lookup, &format!("{error:#}"));
                }
            }
        }
    }

    fn land(&mut self, lookup: &Lookup, to: Position) {
        if lookup.place.is_some() {
            self.go_to.succeed(&self.context);
        }
        self.begin_in(lookup.window, Move::Travel(to));
        self.send_moves();
    }

    /// A place that cannot be found is told in the box; anything else in a message.
    fn refuse(&mut self, lookup: Lookup, error: &str) {
        match lookup.place {
            Some(text) => {
                self.go_to.refuse(text, error);
                self.note_failure(error);
            }
            None => self.report(error),
        }
    }

    pub(super) fn drop_lookup(&mut self) {
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.lookup = None;
        }
    }

    fn close_panel(&mut self, tile: u64) {
        let is_closed = self.workspace.as_mut().is_none_or(|workspace| workspace.close(tile));
        if !is_closed {
            self.toasts.show(ToastKind::Info, say!("apply-the-last-trace-window-stays"));
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
    fn compare_ends(&mut self, StepRange { first, last }: StepRange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (active, other) = (workspace.windows.active, workspace.other_window(Position(last)));
        let (earlier, later) = (active.min(other), active.max(other));
        self.queue.extend([
            Action::Travel(earlier, first),
            Action::Travel(later, last),
            Action::CompareWindows(earlier, later),
        ]);
    }

    /// Looks for a place; where there is none, nothing else happens.
    fn compare_with(&mut self, place: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, from) = (workspace.windows.active, workspace.windows.active().position);
        workspace.lookup = Some(Lookup::compared(&workspace.session, &self.worker, window, from, place));
        self.take_found();
    }

    /// The other window goes to a position, and the two are compared.
    fn compare_at(&mut self, position: Position) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (active, other) = (workspace.windows.active, workspace.other_window(position));
        let compare = Action::CompareWindows(active.min(other), active.max(other));
        self.queue.extend([Action::Travel(other, position.0), compare]);
    }

    fn compare_call(&mut self, call: Option<u64>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, at) = (workspace.windows.active, workspace.windows.active().position);
        workspace.lookup = Some(Lookup::ends(&workspace.session, &self.worker, window, EndsQuestion { call, at }));
        self.take_found();
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

fn toggle_raw(workspace: &mut Workspace) {
    let window = workspace.windows.active_mut();
    window.is_raw = !window.is_raw;
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
        Action::LocateSource(_) | Action::MapSource(_) | Action::MoveSources(_) | Action::ForgetSources => {
            Order::Beside
        }
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
        Action::ListValues(_) | Action::ListExecutions(_) => Order::Beside,
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
