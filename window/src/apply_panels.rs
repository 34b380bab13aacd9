//! What actions do to panels, and in them.

use stepback_machine::{Address, RegisterGroup};
use stepback_parsers::Position;

use super::app::App;
use super::workspace::Workspace;
use crate::panels::RegistersPanel;
use crate::theme::Tok;
use stepback_debugger::action::{Access, Action, PanelKind, StepRange, Way, WindowId};
use stepback_debugger::desk::Tone;
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::has_group;

impl App {
    /// What is done with panels and windows: opening, closing, moving and binding them. Gives back what means something else.
    pub(super) fn apply_to_panels(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::Page(way) => self.turn_page(way),
            Action::OpenWindowAt(at) => self.in_trace(|workspace| _ = workspace.open_window(Position(at.position))),
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
            Action::CompareWindows(before, after) => {
                self.compare();
                self.in_trace(|workspace| workspace.choose_compared(before, after));
            }
            Action::CompareEnds(range) => self.compare_ends(range),
            other => return Some(other),
        }
        None
    }

    /// What is shown in panels. Gives back what means something else.
    pub(super) fn apply_in_panels(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::SelectCell(cell) => self.in_trace(|workspace| workspace.select_cell(&cell)),
            Action::GoToAccessOfSelection(access, way) => self.go_to_access_of_selection(access, way),
            Action::FocusFind => self.focus_find(),
            Action::Find(question) => self.find(question),
            Action::RunSearch(name) => self.run_search(&name),
            Action::ShowSearch(name) => self.show_search(&name),
            Action::ViewSlice(view) => self.in_trace(|workspace| workspace.view_slice(view)),
            Action::ShowSlice(name) => self.in_trace(|workspace| workspace.show_slice(&name)),
            Action::BookmarkSelection(name) => self.bookmark_selection(name),
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
            Action::ToggleRowLines => self.toggle_row_lines(),
            Action::ShowMemory(address) => self.in_trace(|workspace| workspace.show_memory(&address)),
            Action::ListAccesses(..) | Action::ListValues(_) | Action::ListExecutions(_) | Action::GroupAccesses => {
                self.in_trace(|workspace| workspace.list(PanelKind::Accesses, &action));
            }
            Action::ShowEffects(_) => self.in_trace(|workspace| workspace.list(PanelKind::Effects, &action)),
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
            other => return Some(other),
        }
        None
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
        match workspace.situation(tok).cell {
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
}
