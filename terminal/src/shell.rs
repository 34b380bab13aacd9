//! The terminal as a front end of the program.

use std::path::PathBuf;

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, AppAction, CellName, Direction, Follow, PanelAction, PanelId, PanelKind, SliceAction,
    SliceView, ViewAction,
};
use stepback_debugger::desk::words::sentence;
use stepback_debugger::desk::{Desk, SaveEvent, Tone, TraceMissing};
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::say;
use stepback_debugger::notes::{SavedSearch, SavedSlice};
use stepback_debugger::program::{FilePurpose, PanelArrangement, Program, Prompt, Report, Shell};
use stepback_debugger::session::{NoticeKind, TraceChange};
use stepback_debugger::{keymap, program};
use stepback_parsers::Position;

use super::browser::{Overlay, TerminalBrowser};
use super::pane::PaneContext;
use super::panes_open::OpenPanes;
use crate::prompt::{Question, QuestionPurpose};

/// Page size before the first frame, in rows.
const PAGE: u64 = 20;

impl Shell for TerminalBrowser {
    fn program(&self) -> &Program {
        &self.program
    }

    fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    fn tell(&mut self, report: Report<'_>) {
        match report {
            Report::Message(message) => self.message = Some(message),
            Report::Error(error) => self.say(Tone::Error, &error),
            Report::NoTrace => self.say(Tone::Info, say!("terminal-open-first")),
            Report::NotOpened { error, .. } => self.tell_failure(error),
            Report::OpeningCancelled => self.say(Tone::Info, say!("opened-opening-was-cancelled")),
            Report::IndexingCancelled { .. } => {
                self.say(Tone::Info, say!("opened-indexing-was-cancelled"))
            }
            Report::Notice(notice) => {
                let tone = match notice.kind {
                    NoticeKind::Doubt => Tone::Warning,
                    NoticeKind::Info | NoticeKind::ImageInUse(_) => Tone::Info,
                };
                self.say(tone, &sentence(&notice.text));
            }
            Report::Built(session) => {
                let count = session.index.info().warning_count;
                if count > 0 {
                    self.say(Tone::Warning, &say!("terminal-warnings", count = count));
                }
            }
            Report::TraceChanged(TraceChange::Rewritten) => {
                self.say(Tone::Warning, say!("terminal-trace-changed"))
            }
            Report::TraceChanged(TraceChange::Grown) => {
                self.say(Tone::Warning, say!("terminal-trace-grown"))
            }
            Report::NotesNotKept => self.say(Tone::Warning, say!("kept-what-is-marked-is-not")),
            Report::Saved(news) => self.tell_saved(news),
            Report::NothingToUndo(Direction::Back) => {
                self.say(Tone::Info, say!("marks-there-is-nothing-to-undo"))
            }
            Report::NothingToUndo(Direction::Forward) => {
                self.say(Tone::Info, say!("marks-there-is-nothing-to-redo"))
            }
            Report::NoCell => self.say(Tone::Warning, say!("terminal-no-cell")),
            Report::NothingToBookmark | Report::NothingToSave | Report::NoRecentList => {
                self.refuse_window_matter()
            }
            Report::NotDivisible => self.say(Tone::Warning, say!("part-only-a-part-of-a-tarmac")),
            Report::Refused { place, error } => {
                self.say(Tone::Error, &error);
                let asked = self.asked_place.take().filter(|(asked, _)| *asked == place);
                let requested = asked.map_or(QuestionPurpose::Place, |(_, requested)| requested);
                let mut question = Question::new(requested.clone(), requested.typed(&place));
                question.error = Some(error);
                self.over = Overlay::Question(question);
            }
            Report::Arrived | Report::ReadAgain => {}
        }
    }

    fn prompt(&mut self, prompt: Prompt) {
        match prompt {
            Prompt::Search(direction) => self.ask(QuestionPurpose::Search(direction), ""),
            Prompt::File(FilePurpose::Trace | FilePurpose::Directory | FilePurpose::Session) => {
                self.ask(QuestionPurpose::Trace, "");
            }
            Prompt::File(FilePurpose::SessionPlace(_)) => {
                self.ask(QuestionPurpose::SessionPlace, "")
            }
            Prompt::File(FilePurpose::Save { name, text }) => {
                self.ask(QuestionPurpose::TextPlace(text), &name)
            }
            Prompt::File(FilePurpose::OtherTrace) => self.ask_argument(CommandId::CompareWithTrace),
            Prompt::File(FilePurpose::ComparisonRules) => {
                self.ask_argument(CommandId::CompareByRules)
            }
            Prompt::File(FilePurpose::Image) => self.ask_argument(CommandId::AddImage),
            Prompt::File(FilePurpose::Sysroot) => {
                self.ask_argument(CommandId::AddDirectoryOfImages)
            }
            Prompt::File(FilePurpose::Source(_)) => self.ask_argument(CommandId::MapSources),
            Prompt::File(FilePurpose::PicturePlace) => self.ask_argument(CommandId::SavePicture),
            Prompt::File(
                FilePurpose::Keys
                | FilePurpose::Font(_)
                | FilePurpose::TraceOf(_)
                | FilePurpose::PartPlace(_),
            ) => self.refuse_window_matter(),
        }
    }

    fn apply_panel(&mut self, action: PanelAction) {
        match action {
            PanelAction::OpenWindowAt(at) => self.open_list_at(at.position),
            PanelAction::Activate(id) => self.activate(id),
            PanelAction::ShowPanel(kind) => self.show(kind),
            PanelAction::NewPanel(kind) => self.open_pane(kind),
            PanelAction::SideBySide => self.side_by_side(),
            PanelAction::Compare => self.compare(),
            PanelAction::CompareWindows(..) => {
                self.show(PanelKind::Compare);
                self.hand_to_panes(&action.into());
            }
            PanelAction::Bind(id, follow) => {
                if let Some(open) = self.panes.get_mut(id) {
                    open.pane.bind(follow);
                }
            }
            PanelAction::ClosePanel(id) => self.close_pane(id),
            PanelAction::FocusPanel(direction) => {
                self.panes.focus_next(direction);
                self.activate_focused();
            }
            PanelAction::ResetLayout => {
                self.panes = OpenPanes::first(WindowId(1));
                self.activate(WindowId(1));
            }
            PanelAction::ScrollAlong(..)
            | PanelAction::ChooseThread(..)
            | PanelAction::DuplicatePanel(_)
            | PanelAction::UseLayout(_)
            | PanelAction::SaveLayout(_)
            | PanelAction::ForgetLayout(_)
            | PanelAction::TearOff(_)
            | PanelAction::PutBack(_) => self.refuse_window_matter(),
            // The program applies these.
            PanelAction::SyncWindows
            | PanelAction::CompareEnds(_)
            | PanelAction::CompareWith(_)
            | PanelAction::CompareCall(_) => {}
        }
    }

    fn apply_view(&mut self, action: ViewAction) {
        let kind = match &action {
            ViewAction::SelectCell(cell) => {
                // Panes that show the cell select it; no pane is opened for it.
                self.cell = Some(cell.clone());
                return self.hand_to_panes(&action.into());
            }
            ViewAction::ShowMemory(_) | ViewAction::MemoryGroup(_) | ViewAction::Memory(_) => {
                PanelKind::Memory
            }
            ViewAction::ShowRegisters(_)
            | ViewAction::NewRegisters(_)
            | ViewAction::ReadLanes(_)
            | ViewAction::FormatRegisters(_)
            | ViewAction::HalveRegisters
            | ViewAction::FilterRegisters(_) => PanelKind::Registers,
            ViewAction::ListAccesses(..)
            | ViewAction::ListValues(_)
            | ViewAction::ListExecutions(_)
            | ViewAction::GroupAccesses => PanelKind::Accesses,
            ViewAction::ShowEffects(_) => PanelKind::Effects,
            ViewAction::ListCalls(_) => PanelKind::Calls,
            ViewAction::TellFunctions(_) | ViewAction::StopFunctions => PanelKind::Functions,
            ViewAction::Timeline(_)
            | ViewAction::FitTimeline(_)
            | ViewAction::SelectRange(_)
            | ViewAction::MeasureCalls(_)
            | ViewAction::SelectFunction(_) => return self.refuse_window_matter(),
            // The program applies it.
            ViewAction::ToggleRawText => return,
        };
        self.hand_to_kind(kind, &action.into());
    }

    fn apply_app(&mut self, action: AppAction) {
        match action {
            AppAction::Quit => self.is_over = true,
            AppAction::FocusGoTo if self.program.desk.is_some() => {
                self.ask(QuestionPurpose::Place, "")
            }
            AppAction::ToggleRowLines => match &mut self.program.desk {
                Some(desk) => desk.sources.is_in_rows ^= true,
                None => self.tell(Report::NoTrace),
            },
            AppAction::CommandPalette => self.open_palette(),
            AppAction::AskFor(name) => keymap::command(&name.0)
                .into_iter()
                .for_each(|command| self.ask_argument(command.id)),
            AppAction::KeyboardHelp => self.help(),
            AppAction::About => {
                let version = env!("CARGO_PKG_VERSION");
                self.say(Tone::Info, &say!("terminal-about", version = version));
            }
            AppAction::Language(choice) => self.choose_language(choice),
            AppAction::Copy(text) => self.copy(text),
            AppAction::DismissToast(_) | AppAction::DismissToasts => self.message = None,
            AppAction::FocusGoTo
            | AppAction::Theme(_)
            | AppAction::ToggleOwnBrowser
            | AppAction::Settings
            | AppAction::SetKeys(..)
            | AppAction::ResetKeys(_)
            | AppAction::ExportKeys
            | AppAction::ImportKeys(_)
            | AppAction::Zoom(_)
            | AppAction::Font(_) => match self.program.desk.is_some() {
                true => self.refuse_window_matter(),
                false => self.tell(Report::NoTrace),
            },
        }
    }

    fn arrange(&mut self, desk: &mut Desk, arrangement: PanelArrangement<'_>) {
        match arrangement {
            PanelArrangement::Same(before) => {
                let positions = before.saved_positions().into_iter();
                let places = positions.map(|(id, moment)| (id, moment.position));
                desk.place_windows(&places.collect::<Vec<_>>());
                desk.windows.activate(before.windows.active);
            }
            PanelArrangement::New(kept) => {
                let windows = kept.file.iter().flat_map(|file| &file.windows);
                let places =
                    windows.map(|window| (WindowId(window.number), Position(window.position)));
                desk.place_windows(&places.collect::<Vec<_>>());
                let mut ids = desk.windows.list.iter().map(|window| window.id);
                self.panes = OpenPanes::first(ids.next().unwrap_or(WindowId(1)));
                for window in ids {
                    self.panes.add(PanelKind::Trace, window);
                }
                self.panes.focus(PanelId(1));
                desk.windows.activate(
                    kept.file
                        .as_ref()
                        .map_or(WindowId(1), |file| WindowId(file.active)),
                );
            }
        }
        for open in self.panes.list_mut() {
            open.pane.leave_trace();
        }
        desk.sources.map = desk.session.source_map.clone();
    }

    fn trace_opened(&mut self) {
        if self.program.desk.as_ref().is_some_and(|desk| desk.is_demo)
            && !self.program.mode.is_scripted
        {
            self.say(Tone::Info, say!("terminal-demo-hint"));
        }
    }

    fn trace_closed(&mut self) {}

    fn panels_text(&self) -> Option<String> {
        // The terminal does not change the window's panels in the session.
        Some(self.program.desk.as_ref()?.places.panels.clone())
    }

    fn show_panel(&mut self, kind: PanelKind) {
        match kind {
            // Hits are visited with n and N. The focus does not move, and a small screen is left to
            // the steps.
            PanelKind::Find => {
                if self.has_room {
                    self.reveal(PanelKind::Find);
                }
            }
            kind => self.show(kind),
        }
    }

    fn reveal_panel(&mut self, kind: PanelKind) {
        self.reveal(kind);
    }

    fn show_search(&mut self, kept: SavedSearch) {
        if let Some(desk) = &mut self.program.desk {
            desk.begin_find(kept.search);
        }
    }

    fn show_slice(&mut self, kept: SavedSlice) {
        // The terminal has only one pane for slices.
        self.program
            .queue
            .push(SliceAction::RunSlice(kept.name).into());
    }

    fn view_slice(&mut self, view: SliceView) {
        self.hand_to_kind(PanelKind::Why, &SliceAction::ViewSlice(view).into());
    }

    fn other_window(&mut self, at: Position) -> Option<WindowId> {
        let desk = self.program.desk.as_mut()?;
        let active = desk.windows.active;
        let mut others = desk
            .windows
            .list
            .iter()
            .map(|window| window.id)
            .filter(|id| *id != active);
        if let Some(other) = others.next() {
            return Some(other);
        }
        let focus = self.panes.focus_id();
        let other = desk.windows.open_at(at);
        desk.windows.activate(active);
        self.panes.add(PanelKind::Trace, other);
        self.panes.focus(focus);
        Some(other)
    }

    fn page_rows(&self) -> u64 {
        let active = self.program.desk.as_ref().map(|desk| desk.windows.active);
        let list = active.and_then(|active| self.panes.of_window(active));
        list.and_then(|id| self.panes.get(id))
            .map_or(PAGE, |open| open.pane.page_rows())
    }

    fn selected_cell(&mut self) -> Option<(CellName, Option<Follow>)> {
        let focused = self.panes.focused().filter(|open| open.pane.has_cells());
        let follow = focused.and_then(|open| open.pane.follow());
        self.cell.clone().map(|cell| (cell, follow))
    }

    fn save_picture(&mut self, path: PathBuf) {
        self.snapshot = Some(path);
    }
}

impl TerminalBrowser {
    pub(super) fn say(&mut self, tone: Tone, words: &str) {
        self.message = Some(stepback_debugger::desk::Message::new(tone, words));
    }

    /// Reports an error. In a scripted run it ends the program.
    pub(super) fn report(&mut self, error: &str) {
        program::report(self, error);
    }

    /// Reports that a feature exists only in the window.
    pub(super) fn refuse_window_matter(&mut self) {
        self.report(say!("terminal-only-in-the-window"));
    }

    fn tell_failure(&mut self, error: &anyhow::Error) {
        let words = match error.downcast_ref::<TraceMissing>() {
            Some(missing) => {
                format!(
                    "{error:#}: {}",
                    say!(
                        "terminal-name-the-trace",
                        file = missing.file.display().to_string()
                    )
                )
            }
            None => sentence(&format!("{error:#}")),
        };
        self.report(&words);
    }

    fn tell_saved(&mut self, news: SaveEvent) {
        let path = |path: PathBuf| path.display().to_string();
        match news {
            SaveEvent::Saved(place) => {
                self.say(Tone::Info, &say!("kept-session-saved", path = path(place)))
            }
            SaveEvent::Elsewhere(place) => {
                self.say(Tone::Info, &say!("kept-elsewhere", path = path(place)))
            }
            SaveEvent::SetAside(place) => {
                self.say(Tone::Info, &say!("kept-as", path = path(place)))
            }
            SaveEvent::Foreign(place) => {
                self.say(Tone::Warning, &say!("kept-of-another", path = path(place)))
            }
            SaveEvent::Failed(error) => self.report(&error),
        }
    }

    /// Passes an action to a pane of a kind, opening one if there is none.
    fn hand_to_kind(&mut self, kind: PanelKind, action: &Action) {
        let is_new = matches!(action, Action::View(ViewAction::NewRegisters(_)));
        match self.panes.of_kind(kind).filter(|_| !is_new) {
            Some(id) => self.focus(id),
            None => self.open_pane(kind),
        }
        self.hand_to_panes(action);
    }

    /// Passes an action to the panes, the focused one first, until one accepts it.
    fn hand_to_panes(&mut self, action: &Action) {
        let focus = self.panes.focus_id();
        let Self {
            panes,
            program: Program {
                desk: Some(desk), ..
            },
            look,
            ..
        } = self
        else {
            return;
        };
        let others = panes
            .list()
            .iter()
            .map(|open| open.id)
            .filter(|id| *id != focus);
        let order: Vec<PanelId> = std::iter::once(focus).chain(others).collect();
        // Every pane that shows the cell selects it.
        let is_for_all = matches!(action, Action::View(ViewAction::SelectCell(_)));
        let mut is_taken = false;
        for id in order {
            let cx = PaneContext {
                desk,
                look,
                pane: id,
                has_focus: id == focus,
            };
            let open = panes.get_mut(id).filter(|_| is_for_all || !is_taken);
            is_taken |= open.is_some_and(|open| open.pane.take(action, &cx));
        }
    }
}
