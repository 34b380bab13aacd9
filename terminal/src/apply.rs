//! What each action does that is not the desk's.

use super::browser::{Browser, Over};
use super::help::HelpPage;
use super::palette::Palette;
use super::pane::Cx;
use super::question::Asked;
use stepback_debugger::action::{
    Access, Action, AppAction, CellName, FileAction, FindQuestion, MarkAction, PanelAction, PanelId, PanelKind,
    SearchAction, SliceAction, TravelAction, ViewAction, Way, WindowId,
};
use stepback_debugger::desk::Desk;
use stepback_debugger::desk::{Showing, Tone, TraceChoice};
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::{Language, say};
use stepback_debugger::model::{Move, Stride};
use stepback_debugger::session::{OpenOptions, TraceFiles};
use stepback_debugger::source::SourceMapping;
use stepback_parsers::Position;

/// Rows of a page before anything is drawn.
const PAGE: u64 = 20;

impl Browser {
    /// Applies all actions that wait, in their order, as far as nothing that is under way keeps them waiting.
    pub(super) fn apply_queue(&mut self) {
        while let Some(action) = self.queue.next(self.desk.as_mut()) {
            self.apply(action);
        }
        self.take_news();
    }

    fn apply(&mut self, action: Action) {
        let rest = match self.desk.as_mut() {
            Some(desk) => desk.apply(action),
            None => Some(action),
        };
        self.take_news();
        match rest {
            Some(action) if self.desk.is_some() => self.apply_to_trace(action),
            Some(action) => self.apply_to_program(action),
            None => {}
        }
    }

    /// What means the panes of the open trace.
    fn apply_to_trace(&mut self, action: Action) {
        match action {
            Action::Travel(TravelAction::Page(way)) => self.turn_page(way),
            Action::Panel(PanelAction::OpenWindowAt(at)) => self.open_list_at(Position(at.position)),
            Action::Travel(TravelAction::GoToAccessOfSelection(access, way)) => {
                self.go_to_access_of_selection(access, way)
            }
            Action::Search(SearchAction::FocusFind) => self.ask(Asked::Search(Way::Forward), ""),
            Action::Search(SearchAction::Find(question)) => self.find(question),
            Action::Search(SearchAction::RunSearch(name)) | Action::Search(SearchAction::ShowSearch(name)) => {
                self.run_search(&name)
            }
            // There is one pane of slices: a kept one is asked again.
            Action::Slice(SliceAction::ShowSlice(name)) => self.queue.push(Action::Slice(SliceAction::RunSlice(name))),
            Action::Travel(TravelAction::GoToCall(name, way)) => self.go_to_call(name, way),
            Action::Mark(MarkAction::Undo) => self.turn_back(Way::Back),
            Action::Mark(MarkAction::Redo) => self.turn_back(Way::Forward),
            Action::Panel(PanelAction::Activate(id)) => self.activate(id),
            Action::Panel(PanelAction::ShowPanel(kind)) => self.show(kind),
            Action::Panel(PanelAction::NewPanel(kind)) => self.open_pane(kind),
            Action::Panel(PanelAction::SideBySide) => self.side_by_side(),
            Action::Panel(PanelAction::Compare) => self.compare(),
            Action::Panel(PanelAction::CompareEnds(range)) => self.compare_ends(range),
            Action::Panel(PanelAction::CompareWindows(..)) => {
                self.show(PanelKind::Compare);
                self.hand_to_panes(&action);
            }
            Action::Panel(PanelAction::Bind(id, follow)) => {
                if let Some(open) = self.panes.get_mut(id) {
                    open.pane.bind(follow);
                }
            }
            Action::Panel(PanelAction::ClosePanel(id)) => self.close_pane(id),
            Action::Panel(PanelAction::FocusPanel(way)) => {
                self.panes.focus_next(way);
                self.activate_focused();
            }
            Action::Panel(PanelAction::ResetLayout) => {
                self.panes = super::panes_open::Panes::first();
                self.activate(WindowId(1));
            }
            Action::App(AppAction::FocusGoTo) => self.ask(Asked::Place, ""),
            Action::View(ViewAction::ToggleRowLines) => {
                if let Some(desk) = &mut self.desk {
                    desk.sources.is_in_rows ^= true;
                }
            }
            Action::File(FileAction::SaveSession(place)) => match place {
                Some(place) => self.save_session(Some(place)),
                None => self.ask(Asked::SessionPlace, ""),
            },
            Action::File(FileAction::SaveSessionAgain) => self.save_session(None),
            Action::File(FileAction::Reload) => self.reopen(Desk::options_to_reload),
            Action::File(FileAction::AddImage(Some(image))) => self.reopen(|desk| desk.options_with_image(&image)),
            Action::File(FileAction::AddSysroot(Some(directory))) => {
                self.reopen(|desk| desk.options_with_sysroot(directory))
            }
            Action::File(FileAction::AddImage(None)) => self.ask_argument(CommandId::AddImage),
            Action::File(FileAction::AddSysroot(None)) => self.ask_argument(CommandId::AddDirectoryOfImages),
            Action::File(FileAction::MoveSources(mapping)) => self.move_sources(mapping),
            Action::File(FileAction::ForgetSources) => {
                if let Some(desk) = &mut self.desk {
                    desk.sources.map = desk.session.source_map.clone();
                }
            }
            Action::File(FileAction::LocateSource(_)) => self.ask_argument(CommandId::MapSources),
            Action::File(FileAction::ContinueIndexing) => self.index_more(Showing::Parts),
            Action::File(FileAction::FollowTrace) => self.toggle_follow(),
            action => match kind_of(&action) {
                Some(kind) => self.hand_to_kind(kind, &action),
                None => self.apply_to_program(action),
            },
        }
    }

    /// What needs no trace.
    fn apply_to_program(&mut self, action: Action) {
        match action {
            Action::File(FileAction::OpenDialog)
            | Action::File(FileAction::OpenDirectoryDialog)
            | Action::File(FileAction::OpenSession(None)) => self.ask(Asked::Trace, ""),
            Action::File(FileAction::OpenPath(path)) => self.open(TraceChoice::of(OpenOptions::new(path))),
            Action::File(FileAction::OpenFiles(files)) => {
                let files = TraceFiles::in_order(files);
                let options = OpenOptions::of_files(files);
                options.into_iter().for_each(|options| self.open(TraceChoice::of(options)));
            }
            Action::File(FileAction::OpenDemo) => self.open(TraceChoice::Demo),
            Action::File(FileAction::OpenSession(Some(file))) => {
                self.open(TraceChoice::Session { file, trace: None });
            }
            Action::File(FileAction::OpenSessionWith(file, trace)) => {
                self.open(TraceChoice::Session { file, trace: Some(trace) });
            }
            Action::File(FileAction::CloseTrace) => self.close_trace(),
            Action::File(FileAction::CancelIndexing) => {
                if let Some(opening) = &self.opening {
                    opening.cancel();
                }
            }
            Action::App(AppAction::Quit) => self.is_over = true,
            Action::App(AppAction::CommandPalette) => self.over = Over::Palette(Palette::new(self.focused_kind())),
            Action::App(AppAction::AskFor(command)) => self.ask_argument(command),
            Action::App(AppAction::KeyboardHelp) => self.help(),
            Action::App(AppAction::About) => {
                let version = env!("CARGO_PKG_VERSION");
                self.tell(Tone::Info, &say!("terminal-about", version = version));
            }
            Action::App(AppAction::Language(choice)) => {
                choice.of(Language::of_system()).speak();
                self.worker.renew();
            }
            Action::App(AppAction::Copy(text)) => self.copy(text),
            Action::File(FileAction::SaveText(name, text)) => self.ask(Asked::TextPlace(text), &name),
            Action::File(FileAction::SavePicture(Some(path))) => self.snapshot = Some(path),
            Action::App(AppAction::DismissToast(_)) | Action::App(AppAction::DismissToasts) => self.message = None,
            _ if self.desk.is_none() => self.tell(Tone::Info, say!("terminal-open-first")),
            _ => self.refuse_window_matter(),
        }
    }

    pub(super) fn help(&mut self) {
        self.over = Over::Help(HelpPage::new(self.focused_kind(), &self.situation()));
    }

    /// Asks for the argument of a command.
    pub(super) fn ask_argument(&mut self, command: CommandId) {
        let command = command.command();
        if command.argument.is_some() {
            self.ask(Asked::Argument(command), "");
        }
    }

    /// Puts a text on the clipboard of the terminal.
    pub(super) fn copy(&mut self, text: String) {
        match super::clipboard::copy_sequence(&text) {
            Some(sequence) => {
                self.sequences.push(sequence);
                self.tell(Tone::Info, say!("terminal-copied"));
                self.copied = Some(text);
            }
            None => self.report(say!("terminal-too-long-to-copy")),
        }
    }

    fn turn_page(&mut self, way: Way) {
        let Some(desk) = self.desk.as_mut() else { return };
        let list = self.panes.of_window(desk.windows.active);
        let rows = list.and_then(|id| self.panes.get_mut(id)).map_or(PAGE, |open| open.pane.page_rows());
        desk.begin(Move::Step(Stride::Page(rows.max(1)), way));
    }

    fn open_list_at(&mut self, at: Position) {
        if let Some(desk) = self.desk.as_mut() {
            let window = desk.windows.open_at(at);
            self.panes.add(PanelKind::Trace, window);
        }
    }

    fn activate(&mut self, id: WindowId) {
        let Some(desk) = self.desk.as_mut() else { return };
        if desk.windows.get(id).is_none() {
            let count = desk.windows.list.len();
            return self.report(&say!("apply-no-window", number = id.0, count = count));
        }
        desk.windows.activate(id);
        if let Some(list) = self.panes.of_window(id) {
            self.panes.focus(list);
        }
    }

    fn close_pane(&mut self, id: PanelId) {
        match self.panes.close(id) {
            None => self.tell(Tone::Info, say!("apply-the-last-trace-window-stays")),
            Some(closed) => {
                if let (Some(window), Some(desk)) = (closed.pane.window(), self.desk.as_mut()) {
                    desk.windows.close(window);
                }
                self.activate_focused();
            }
        }
    }

    fn go_to_access_of_selection(&mut self, access: Access, way: Way) {
        let Some(desk) = self.desk.as_mut() else { return };
        let Some(cell) = self.cell.clone() else {
            return self.tell(Tone::Warning, say!("terminal-no-cell"));
        };
        // What a pane shows is what its actions act on, whichever window is the active one.
        let focused = self.panes.focused().filter(|open| open.pane.has_cells());
        let start = focused.and_then(|open| open.pane.follow()).and_then(|follow| desk.windows.start_from(follow));
        match start {
            Some(start) => self.queue.extend([start, Action::Travel(TravelAction::GoToAccess(cell, access, way))]),
            None => desk.go_to_access(cell, access, way),
        }
    }

    fn find(&mut self, question: FindQuestion) {
        let Some(desk) = self.desk.as_mut() else { return };
        desk.begin_find(question);
    }

    fn run_search(&mut self, name: &str) {
        let kept = self.desk.as_mut().and_then(|desk| desk.kept_search(name));
        if let Some(kept) = kept {
            self.find(kept.search);
        }
    }

    fn go_to_call(&mut self, name: Option<String>, way: Way) {
        if let Some(desk) = self.desk.as_mut() {
            desk.go_to_call(name.map(stepback_debugger::desk::Named::Name), way);
        }
    }

    fn turn_back(&mut self, way: Way) {
        let Some(desk) = self.desk.as_mut() else { return };
        let is_done = match way {
            Way::Back => self.undo.undo(|before| desk.exchange(before)),
            Way::Forward => self.undo.redo(|before| desk.exchange(before)),
        };
        if !is_done {
            self.tell(
                Tone::Info,
                match way {
                    Way::Back => say!("marks-there-is-nothing-to-undo"),
                    Way::Forward => say!("marks-there-is-nothing-to-redo"),
                },
            );
        }
    }

    fn close_trace(&mut self) {
        self.opening = None;
        self.keep_session();
        self.desk = None;
        self.begin_at = None;
    }

    fn reopen(&mut self, options: impl FnOnce(&Desk) -> OpenOptions) {
        if let Some(desk) = &self.desk {
            let options = options(desk);
            self.open(TraceChoice::of(options));
        }
    }

    fn move_sources(&mut self, mapping: SourceMapping) {
        if let Some(desk) = &mut self.desk {
            desk.sources.map.add(mapping);
        }
    }

    /// Hands an action to a pane of a kind, opening one where there is none.
    fn hand_to_kind(&mut self, kind: PanelKind, action: &Action) {
        // A cell is shown where panes show cells; none is opened for it.
        if matches!(action, Action::View(ViewAction::SelectCell(_))) {
            if let Action::View(ViewAction::SelectCell(cell)) = action {
                self.cell = Some(cell.clone());
            }
            self.hand_to_panes(action);
            return;
        }
        let is_new = matches!(action, Action::View(ViewAction::NewRegisters(_))) || self.panes.of_kind(kind).is_none();
        match self.panes.of_kind(kind).filter(|_| !is_new) {
            Some(id) => self.focus(id),
            None => self.open_pane(kind),
        }
        self.hand_to_panes(action);
    }

    /// Hands an action to the panes, the one that has the keyboard first, until one takes it.
    fn hand_to_panes(&mut self, action: &Action) {
        let focus = self.panes.focus_id();
        let Self { panes, desk: Some(desk), look, .. } = self else { return };
        let others = panes.list().iter().map(|open| open.id).filter(|id| *id != focus);
        let order: Vec<PanelId> = std::iter::once(focus).chain(others).collect();
        // A cell is shown wherever it is seen.
        let is_for_all = matches!(action, Action::View(ViewAction::SelectCell(_)));
        let mut is_taken = false;
        for id in order {
            let cx = Cx { desk, look, pane: id, has_focus: id == focus };
            let open = panes.get_mut(id).filter(|_| is_for_all || !is_taken);
            is_taken |= open.is_some_and(|open| open.pane.take(action, &cx));
        }
    }
}

/// The kind of pane that an action means.
fn kind_of(action: &Action) -> Option<PanelKind> {
    Some(match action {
        Action::View(ViewAction::SelectCell(CellName::Register(_))) => PanelKind::Registers,
        Action::View(ViewAction::SelectCell(CellName::Memory(..))) => PanelKind::Memory,
        Action::View(ViewAction::ShowMemory(_))
        | Action::View(ViewAction::MemoryGroup(_))
        | Action::View(ViewAction::Memory(_)) => PanelKind::Memory,
        Action::View(ViewAction::ShowRegisters(_))
        | Action::View(ViewAction::NewRegisters(_))
        | Action::View(ViewAction::ReadLanes(_)) => PanelKind::Registers,
        Action::View(ViewAction::FormatRegisters(_))
        | Action::View(ViewAction::HalveRegisters)
        | Action::View(ViewAction::FilterRegisters(_)) => PanelKind::Registers,
        Action::View(ViewAction::ListAccesses(..))
        | Action::View(ViewAction::ListValues(_))
        | Action::View(ViewAction::ListExecutions(_)) => PanelKind::Accesses,
        Action::View(ViewAction::GroupAccesses) => PanelKind::Accesses,
        Action::View(ViewAction::ShowEffects(_)) => PanelKind::Effects,
        Action::View(ViewAction::ListCalls(_)) => PanelKind::Calls,
        Action::Slice(SliceAction::ViewSlice(_)) => PanelKind::Why,
        Action::View(ViewAction::TellFunctions(_)) | Action::View(ViewAction::StopFunctions) => PanelKind::Functions,
        _ => return None,
    })
}
