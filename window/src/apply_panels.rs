//! What actions do to panels, and in them.

use stepback_machine::RegisterGroup;
use stepback_parsers::Position;

use super::app::App;
use super::workspace::Workspace;
use crate::panels::RegistersPanel;
use crate::theme::Tok;
use stepback_debugger::action::{
    Access, Action, AppAction, MarkAction, PanelAction, PanelId, PanelKind, SearchAction, SliceAction, StepRange,
    TravelAction, ViewAction, Way, WindowId,
};
use stepback_debugger::desk::Tone;
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::has_group;

impl App {
    /// What is done with panels and windows: opening, closing, moving and binding them. Gives back what means something else.
    pub(super) fn apply_to_panels(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::Travel(TravelAction::Page(way)) => self.turn_page(way),
            Action::Panel(PanelAction::OpenWindowAt(at)) => {
                self.in_trace(|workspace| _ = workspace.open_window(Position(at.position)))
            }
            Action::Mark(MarkAction::Undo) => self.undo(),
            Action::Mark(MarkAction::Redo) => self.redo(),
            Action::Panel(PanelAction::Activate(id)) => self.activate(id),
            Action::Panel(PanelAction::ShowPanel(kind)) => self.in_trace(|workspace| _ = workspace.show(kind)),
            Action::Panel(PanelAction::NewPanel(kind)) => self.in_trace(|workspace| _ = workspace.add(kind)),
            Action::Panel(PanelAction::SideBySide) => self.in_trace(Workspace::side_by_side),
            Action::Panel(PanelAction::ScrollAlong(led, way)) => {
                self.in_trace(|workspace| workspace.scroll_along(led, way));
                self.context.request_repaint();
            }
            Action::Panel(PanelAction::Compare) => self.compare(),
            Action::Panel(PanelAction::Bind(tile, follow)) => self.in_trace(|workspace| workspace.bind(tile, follow)),
            Action::Panel(PanelAction::ChooseThread(tile, thread)) => self.choose_thread(tile, thread),
            Action::Panel(PanelAction::ClosePanel(tile)) => self.close_panel(tile),
            Action::Panel(PanelAction::DuplicatePanel(tile)) => {
                self.in_trace(|workspace| _ = workspace.duplicate(tile))
            }
            Action::Panel(PanelAction::TearOff(tile)) => self.tear_off(tile),
            Action::Panel(PanelAction::PutBack(tile)) => self.in_trace(|workspace| workspace.put_back(tile)),
            Action::Panel(PanelAction::FocusPanel(way)) => self.focus_panel(way),
            Action::Panel(PanelAction::ResetLayout) => self.reset_layout(),
            Action::Panel(PanelAction::UseLayout(name)) => self.use_layout(&name),
            Action::Panel(PanelAction::SaveLayout(name)) => self.save_layout(&name),
            Action::Panel(PanelAction::ForgetLayout(name)) => self.forget_layout(&name),
            Action::Panel(PanelAction::CompareWindows(before, after)) => {
                self.compare();
                self.in_trace(|workspace| workspace.choose_compared(before, after));
            }
            Action::Panel(PanelAction::CompareEnds(range)) => self.compare_ends(range),
            other => return Some(other),
        }
        None
    }

    /// What is shown in panels. Gives back what means something else.
    pub(super) fn apply_in_panels(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::View(ViewAction::SelectCell(cell)) => self.in_trace(|workspace| workspace.select_cell(&cell)),
            Action::Travel(TravelAction::GoToAccessOfSelection(access, way)) => {
                self.go_to_access_of_selection(access, way)
            }
            Action::Search(SearchAction::FocusFind) => self.focus_find(),
            Action::Search(SearchAction::Find(question)) => self.find(question),
            Action::Search(SearchAction::RunSearch(name)) => self.run_search(&name),
            Action::Search(SearchAction::ShowSearch(name)) => self.show_search(&name),
            Action::Slice(SliceAction::ViewSlice(view)) => self.in_trace(|workspace| workspace.view_slice(view)),
            Action::Slice(SliceAction::ShowSlice(name)) => self.in_trace(|workspace| workspace.show_slice(&name)),
            Action::Mark(MarkAction::BookmarkSelection(name)) => self.bookmark_selection(name),
            Action::View(ViewAction::Timeline(lanes)) => self.in_trace(|workspace| workspace.timeline.choose(lanes)),
            Action::View(ViewAction::FitTimeline(fit)) => self.in_trace(|workspace| workspace.timeline.fit(fit)),
            Action::View(ViewAction::TellFunctions(of)) => self.in_trace(|workspace| workspace.functions.tell(of)),
            Action::View(ViewAction::StopFunctions) => self.in_trace(|workspace| _ = workspace.functions.stop()),
            Action::View(ViewAction::MeasureCalls(measure)) => {
                self.in_trace(|workspace| workspace.functions.choose_measure(measure))
            }
            Action::View(ViewAction::SelectFunction(function)) => {
                self.in_trace(|workspace| workspace.functions.select(function));
            }
            Action::View(ViewAction::ListCalls(range)) => self.in_trace(|workspace| workspace.list_calls(range)),
            Action::Travel(TravelAction::GoToCall(name, way)) => self.go_to_call(name, way),
            Action::View(ViewAction::SelectRange(range)) => self.in_trace(|workspace| workspace.timeline.select(range)),
            Action::View(ViewAction::ToggleRowLines) => self.toggle_row_lines(),
            Action::View(ViewAction::ShowMemory(address)) => self.in_trace(|workspace| workspace.show_memory(&address)),
            Action::View(ViewAction::ListAccesses(..))
            | Action::View(ViewAction::ListValues(_))
            | Action::View(ViewAction::ListExecutions(_))
            | Action::View(ViewAction::GroupAccesses) => {
                self.in_trace(|workspace| workspace.list(PanelKind::Accesses, &action));
            }
            Action::View(ViewAction::ShowEffects(_)) => {
                self.in_trace(|workspace| workspace.list(PanelKind::Effects, &action))
            }
            Action::View(ViewAction::ShowRegisters(group)) => self.show_registers(group),
            Action::View(ViewAction::NewRegisters(group)) => self.in_trace(|workspace| workspace.new_registers(group)),
            Action::View(ViewAction::ReadLanes(format)) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.choose_format(format)));
            }
            Action::View(ViewAction::FormatRegisters(format)) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.choose_way(format)));
            }
            Action::View(ViewAction::HalveRegisters) => {
                self.in_trace(|workspace| workspace.with_registers(RegistersPanel::halve))
            }
            Action::View(ViewAction::FilterRegisters(text)) => {
                self.in_trace(|workspace| workspace.with_registers(|panel| panel.filter = text));
            }
            Action::View(ViewAction::MemoryGroup(group)) => {
                self.in_trace(|workspace| workspace.with_memory(|panel| panel.group = group))
            }
            Action::View(ViewAction::Memory(change)) => {
                self.in_trace(|workspace| workspace.with_memory(|panel| panel.change(change)))
            }
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
                    Some(start) => {
                        self.queue.extend([start, Action::Travel(TravelAction::GoToAccess(cell, access, way))])
                    }
                    None => workspace.go_to_access(cell, access, way),
                }
            }
            None => {
                let advice = say!("apply-click-a-register-or-a");
                let palette = Some((say!("apply-commands").to_owned(), Action::App(AppAction::CommandPalette)));
                self.toasts.show_with(Tone::Warning, say!("apply-no-cell-is-selected"), advice, palette);
                self.note_failure(say!("apply-no-cell-is-selected-2"));
            }
        }
    }

    fn close_panel(&mut self, tile: PanelId) {
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
            Action::travel(earlier, Position(first)),
            Action::travel(later, Position(last)),
            Action::Panel(PanelAction::CompareWindows(earlier, later)),
        ]);
    }

    /// The other window goes to a position, and the two are compared.
    pub(super) fn compare_at(&mut self, position: Position) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (active, other) = (workspace.windows.active, workspace.other_window(position));
        let compare = Action::Panel(PanelAction::CompareWindows(active.min(other), active.max(other)));
        self.queue.extend([Action::travel(other, position), compare]);
    }
}
