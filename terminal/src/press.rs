//! Reactions to keys and the mouse.

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use stepback_debugger::action::{
    Action, AppAction, Direction, FileAction, FindKind, FindQuery, MarkAction, PanelId, PanelKind,
    SearchAction, TravelAction, ViewAction,
};
use stepback_debugger::desk::Tone;
use stepback_debugger::keymap::{CommandId, KeyboardFocus, place_text};
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::{has_group, missing_group};
use stepback_debugger::paths::{from_home, typed_path};
use stepback_debugger::program::Program;
use stepback_debugger::{keymap, program};
use stepback_machine::RegisterGroup;

use super::browser::{Overlay, TerminalBrowser};
use super::keys;
use super::palette::PaletteOutcome;
use super::pane::{MouseInput, MouseInputKind, PaneAction, PaneContext};
use super::prompt::{InputEvent, remember};
use crate::pane::{PaneCommand, PromptPurpose};
use crate::prompt::QuestionPurpose;

/// Number of rows per wheel notch.
const WHEEL: i16 = 3;

impl TerminalBrowser {
    /// Handles a key press.
    pub fn press(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        if is_control(key, 'z') {
            self.is_suspending = true;
            return;
        }
        self.message = None;
        self.is_greeting = false;
        match std::mem::take(&mut self.over) {
            Overlay::Nothing => self.press_in_pane(key),
            Overlay::Question(question) => self.press_in_question(key, question),
            Overlay::Palette(palette) => self.press_in_palette(key, palette),
            Overlay::Help(mut page) => {
                if page.press(key) {
                    self.over = Overlay::Help(page);
                }
            }
        }
        program::apply_queue(self);
    }

    /// Inserts a pasted text into the open prompt or palette; ignored elsewhere.
    pub fn paste(&mut self, text: &str) {
        match &mut self.over {
            Overlay::Question(question) => question.line.insert(text),
            Overlay::Palette(palette) => palette.insert(text),
            Overlay::Nothing | Overlay::Help(_) => {}
        }
    }

    fn press_in_pane(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Esc || is_control(key, 'c') {
            return self.give_up();
        }
        if let Some(command) = keys::command_of(self.focused_kind(), key) {
            return self.obey(command);
        }
        let situation = self.situation();
        let stroke = keys::stroke_of(key);
        match stroke.and_then(|stroke| keymap::meant(stroke, &situation, KeyboardFocus::Panel)) {
            Some(command) => match command.action(&situation) {
                Some(action) => self.program.queue.push(action),
                None if command.argument.is_some() => {
                    self.ask(QuestionPurpose::Argument(command), "")
                }
                None => {
                    if let Some(reason) = situation.refusal(command.id) {
                        self.say(Tone::Info, reason);
                    }
                }
            },
            None => self.say(Tone::Info, say!("terminal-no-key")),
        }
    }

    /// Handles Escape: stops the current search, following or indexing, or shows all steps again.
    fn give_up(&mut self) {
        if self
            .program
            .desk
            .as_mut()
            .is_some_and(|desk| desk.give_up() || desk.leave_only_hits())
        {
            return self.say(Tone::Info, say!("terminal-given-up"));
        }
        match &self.program.opening {
            Some(opening) if opening.is_following() => opening.stop_following(),
            Some(opening) => opening.cancel(),
            None if self.panes.is_zoomed => self.panes.is_zoomed = false,
            None => self.say(Tone::Info, say!("terminal-how-to-end")),
        }
    }

    /// Runs a command of the key table.
    pub(super) fn obey(&mut self, command: PaneCommand) {
        match command {
            PaneCommand::Focus(direction) => {
                self.panes.focus_next(direction);
                self.activate_focused();
            }
            PaneCommand::Help => self.help(),
            PaneCommand::Quit => self.is_over = true,
            PaneCommand::Palette => self
                .program
                .queue
                .push(Action::App(AppAction::CommandPalette)),
            PaneCommand::Search(direction) => self.ask(QuestionPurpose::Search(direction), ""),
            PaneCommand::Zoom => self.panes.is_zoomed = !self.panes.is_zoomed,
            PaneCommand::Undo(Direction::Back) => {
                self.program.queue.push(Action::Mark(MarkAction::Undo))
            }
            PaneCommand::Undo(Direction::Forward) => {
                self.program.queue.push(Action::Mark(MarkAction::Redo))
            }
            PaneCommand::Copy => self.copy_from_pane(),
            PaneCommand::Into(direction) => self
                .program
                .queue
                .push(Action::Travel(TravelAction::StepInto(direction))),
            PaneCommand::Over(direction) => self
                .program
                .queue
                .push(Action::Travel(TravelAction::StepOver(direction))),
            PaneCommand::History(direction) => self
                .program
                .queue
                .push(Action::Travel(TravelAction::History(direction))),
            PaneCommand::FindAgain(direction) => self
                .program
                .queue
                .push(Action::Search(SearchAction::FindNext(direction))),
            PaneCommand::Registers(group) => self.toggle_registers(group),
            PaneCommand::Resize(by) => self.resize(by),
            PaneCommand::Ask(PromptPurpose::Memory) => self.ask_pane(PromptPurpose::Memory, ""),
            other => self.obey_in_pane(other),
        }
    }

    /// Copies the item under the cursor of the focused pane.
    fn copy_from_pane(&mut self) {
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
        let Some(open) = panes.focused() else { return };
        let cx = PaneContext {
            desk,
            look,
            pane: open.id,
            has_focus: true,
        };
        match open.pane.copied(&cx) {
            Some(text) => self.program.queue.push(Action::App(AppAction::Copy(text))),
            None => self.say(Tone::Info, say!("terminal-nothing-to-copy")),
        }
    }

    fn obey_in_pane(&mut self, command: PaneCommand) {
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
        let Some(open) = panes.focused_mut() else {
            return;
        };
        let cx = PaneContext {
            desk,
            look,
            pane: open.id,
            has_focus: true,
        };
        let mut requested = Vec::new();
        let is_done = open.pane.obey(command, &cx, &mut requested);
        if !is_done {
            if let PaneCommand::Ask(purpose) = command {
                return self.ask_pane(purpose, "");
            }
            if command == PaneCommand::Why {
                return self.ask_why();
            }
            if let PaneCommand::Access(direction) = command {
                requested.push(PaneAction::Do(Action::Travel(
                    TravelAction::GoToAccessOfSelection(
                        stepback_debugger::action::Access::Write,
                        direction,
                    ),
                )));
            }
        }
        self.do_requested(requested);
    }

    /// Explains the cell under the cursor, or prompts for one.
    fn ask_why(&mut self) {
        match self.situation().why() {
            Some(why) => self.program.queue.push(why),
            None => self
                .program
                .queue
                .push(Action::App(AppAction::AskFor(CommandId::Why.into()))),
        }
    }

    fn ask_pane(&mut self, purpose: PromptPurpose, text: &str) {
        if let Some(refusal) = self.refusal_of(purpose) {
            return self.say(Tone::Info, refusal);
        }
        self.ask(QuestionPurpose::Pane(self.panes.focus_id(), purpose), text);
    }

    /// Returns why a prompt has no answer in the open trace.
    fn refusal_of(&self, purpose: PromptPurpose) -> Option<&'static str> {
        let index = &self.program.desk.as_ref()?.session.index;
        match purpose {
            PromptPurpose::Line | PromptPurpose::LockAtLine | PromptPurpose::CompareWithLine => {
                (!index.source().is_text()).then(|| say!("terminal-no-lines"))
            }
            PromptPurpose::Time | PromptPurpose::LockAtTime => {
                let is_timed = index.info().time_range.is_some();
                (!is_timed).then(|| say!("terminal-no-times"))
            }
            _ => None,
        }
    }

    /// Performs the requests of a pane.
    pub(super) fn do_requested(&mut self, requested: Vec<PaneAction>) {
        for ask in requested {
            match ask {
                PaneAction::Do(action) => self.program.queue.push(action),
                PaneAction::Prompt(purpose, text) => self.ask_pane(purpose, &text),
                PaneAction::Obey(command) => self.obey(command),
                PaneAction::Say(words) => self.say(Tone::Info, &words),
            }
        }
    }

    /// Opens another memory pane; the step list keeps the focus.
    pub(super) fn open_memory(&mut self, address: &str) {
        let focus = self.panes.focus_id();
        self.open_pane(PanelKind::Memory);
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
        if let Some(open) = panes.focused_mut() {
            let cx = PaneContext {
                desk,
                look,
                pane: open.id,
                has_focus: false,
            };
            open.pane.take(
                &Action::View(ViewAction::ShowMemory(address.to_owned())),
                &cx,
            );
        }
        self.panes.focus(focus);
    }

    /// Opens the pane of a register group, or closes it if it is open. The focus does not move.
    fn toggle_registers(&mut self, group: RegisterGroup) {
        let Some(desk) = self.program.desk.as_ref() else {
            return;
        };
        if !has_group(&desk.session, group) {
            return self.say(Tone::Info, missing_group(group));
        }
        let there = self
            .panes
            .list()
            .iter()
            .find(|open| open.pane.group() == Some(group))
            .map(|open| open.id);
        let focus = self.panes.focus_id();
        match there {
            Some(id) => {
                self.panes.close(id);
                if id != focus {
                    self.panes.focus(focus);
                }
            }
            None => {
                self.open_pane(PanelKind::Registers);
                let Self {
                    panes,
                    program:
                        Program {
                            desk: Some(desk), ..
                        },
                    look,
                    ..
                } = self
                else {
                    return;
                };
                if let Some(open) = panes.focused_mut() {
                    let cx = PaneContext {
                        desk,
                        look,
                        pane: open.id,
                        has_focus: false,
                    };
                    open.pane
                        .take(&Action::View(ViewAction::ShowRegisters(group)), &cx);
                }
                self.panes.focus(focus);
            }
        }
    }

    /// Resizes the focused pane. The step list takes the remaining rows.
    fn resize(&mut self, by: i8) {
        let Some(id) = self
            .panes
            .focused()
            .filter(|open| open.pane.window().is_none())
            .map(|open| open.id)
        else {
            return self.say(Tone::Info, say!("terminal-list-takes-the-rest"));
        };
        let now = self.places.rows_of(id);
        if let Some(open) = self.panes.get_mut(id) {
            let now = now.unwrap_or_else(|| open.pane.wished_rows());
            open.rows = Some(now.saturating_add_signed(i16::from(by)).max(1));
        }
    }

    fn press_in_question(&mut self, key: KeyEvent, mut question: super::prompt::Question) {
        let kind = question.requested.kind();
        let before = self.typed.get(&kind).map_or(&[][..], Vec::as_slice);
        match question.line.press(key, before) {
            InputEvent::Cancelled => {}
            InputEvent::More | InputEvent::Nothing => {
                question.error = None;
                self.over = Overlay::Question(question);
            }
            InputEvent::Done(text) => {
                remember(self.typed.entry(kind).or_default(), &text);
                self.answer(&question.requested, &text);
            }
        }
    }

    /// Performs the purpose of a typed text. An empty text does nothing, except that it ends a
    /// filter or a comparison.
    fn answer(&mut self, requested: &QuestionPurpose, text: &str) {
        let may_be_empty = matches!(
            requested,
            QuestionPurpose::Pane(_, PromptPurpose::Filter | PromptPurpose::CompareWithLine)
        );
        if text.trim().is_empty() && !may_be_empty {
            return;
        }
        self.asked_place = requested
            .place(text)
            .map(|place| (place, requested.clone()));
        match requested {
            requested if requested.is_address() => self.show_typed_address(requested, text),
            QuestionPurpose::Pane(id, purpose) => self.answer_pane(*id, *purpose, text),
            QuestionPurpose::Argument(command) => self.answer_command(command, text),
            QuestionPurpose::Place => self
                .program
                .queue
                .push(Action::Travel(TravelAction::GoTo(place_text(text)))),
            QuestionPurpose::Search(direction) => {
                let question = FindQuery {
                    text: text.to_owned(),
                    ..FindQuery::default()
                };
                self.program.queue.extend([
                    Action::Search(SearchAction::Find(question)),
                    Action::Search(SearchAction::FindNext(*direction)),
                ]);
            }
            QuestionPurpose::Trace => self
                .program
                .queue
                .push(Action::File(FileAction::OpenPath(from_home(text.trim())))),
            QuestionPurpose::SessionPlace => {
                self.program
                    .queue
                    .push(Action::File(FileAction::SaveSession(Some(typed_path(
                        text,
                    )))))
            }
            QuestionPurpose::TextPlace(kept) => self.save_text(text, kept),
        }
    }

    pub(super) fn answer_pane(&mut self, id: PanelId, purpose: PromptPurpose, text: &str) {
        if let PromptPurpose::Visit(direction) = purpose {
            return self.visit(text, direction);
        }
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
        let Some(open) = panes.get_mut(id) else {
            return;
        };
        let cx = PaneContext {
            desk,
            look,
            pane: id,
            has_focus: true,
        };
        let mut requested = Vec::new();
        open.pane.answer(purpose, text, &cx, &mut requested);
        self.do_requested(requested);
    }

    /// Travels to another step at an address. The search is kept so that it can be repeated; its
    /// hit list is not opened.
    fn visit(&mut self, address: &str, direction: Direction) {
        let Some(desk) = self.program.desk.as_mut() else {
            return;
        };
        let question = FindQuery {
            text: address.to_owned(),
            kind: FindKind::Address,
            ..FindQuery::default()
        };
        let at = desk.windows.active().position;
        desk.find.begin(question, at, &desk.session, &desk.worker);
        self.program
            .queue
            .push(Action::Search(SearchAction::FindNext(direction)));
    }

    fn answer_command(&mut self, command: &'static keymap::Command, text: &str) {
        let Some(argument) = &command.argument else {
            return;
        };
        match (argument.make)(text, &self.situation()) {
            Ok(action) => self.program.queue.push(action),
            Err(error) => {
                self.ask(QuestionPurpose::Argument(command), text);
                self.report(&error);
            }
        }
    }

    fn save_text(&mut self, path: &str, text: &str) {
        let path = typed_path(path);
        match std::fs::File::create_new(&path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
        {
            Ok(()) => self.say(
                Tone::Info,
                &say!("dialog-saved", path = path.display().to_string()),
            ),
            Err(error) => self.report(&say!(
                "terminal-not-saved",
                error = error.to_string(),
                path = format!("{path:?}")
            )),
        }
    }

    fn press_in_palette(&mut self, key: KeyEvent, mut palette: super::palette::PaletteState) {
        palette.look(&self.situation(), self.program.desk.as_ref());
        let picked = palette.press(key);
        self.take_picked(picked, palette);
    }

    fn take_picked(&mut self, picked: PaletteOutcome, palette: super::palette::PaletteState) {
        match picked {
            PaletteOutcome::Nothing => self.over = Overlay::Palette(palette),
            PaletteOutcome::Closed => {}
            PaletteOutcome::Action(action) => self.perform_picked(action),
            PaletteOutcome::OnlyInWindow => self.refuse_window_matter(),
            PaletteOutcome::Ask(command) => self.ask(QuestionPurpose::Argument(command), ""),
        }
    }

    /// Handles a mouse event.
    pub fn touch(&mut self, event: MouseEvent) {
        let MouseEvent {
            kind,
            column: x,
            row: y,
            ..
        } = event;
        self.is_greeting &= !matches!(kind, MouseEventKind::Up(_));
        if !matches!(self.over, Overlay::Nothing) {
            return self.touch_over(event);
        }
        match kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.dragged = self.places.border_at(x, y);
                let kind = self.click_kind(x, y);
                self.touch_pane(MouseInput { x, y, kind });
            }
            MouseEventKind::Drag(MouseButton::Left) => self.drag(y),
            MouseEventKind::Up(_) => self.dragged = None,
            MouseEventKind::ScrollUp => self.touch_pane(MouseInput {
                x,
                y,
                kind: MouseInputKind::Wheel(-WHEEL),
            }),
            MouseEventKind::ScrollDown => self.touch_pane(MouseInput {
                x,
                y,
                kind: MouseInputKind::Wheel(WHEEL),
            }),
            _ => {}
        }
        program::apply_queue(self);
    }

    /// Recognises a double click: two clicks on one cell within a short time.
    fn click_kind(&mut self, x: u16, y: u16) -> MouseInputKind {
        let now = std::time::Instant::now();
        let is_double = self.clicked.is_some_and(|clicked| {
            (clicked.x, clicked.y) == (x, y)
                && now.duration_since(clicked.at) < super::browser::DOUBLE_CLICK
        });
        self.clicked = (!is_double).then_some(super::browser::LastClick { x, y, at: now });
        if is_double {
            MouseInputKind::DoubleClick
        } else {
            MouseInputKind::Click
        }
    }

    /// Handles the mouse over an overlay: the wheel scrolls, a click picks a row of the palette.
    fn touch_over(&mut self, event: MouseEvent) {
        let code = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                match std::mem::take(&mut self.over) {
                    Overlay::Palette(mut palette) if event.row > 0 => {
                        let picked = palette.click(usize::from(event.row) - 1);
                        self.take_picked(picked, palette);
                    }
                    over => self.over = over,
                }
                return program::apply_queue(self);
            }
            MouseEventKind::ScrollUp => KeyCode::Up,
            MouseEventKind::ScrollDown => KeyCode::Down,
            _ => return,
        };
        if matches!(self.over, Overlay::Help(_) | Overlay::Palette(_)) {
            self.press(KeyEvent::new(code, KeyModifiers::NONE));
        }
    }

    fn touch_pane(&mut self, touch: MouseInput) {
        let Some(id) = self.places.pane_at(touch.x, touch.y) else {
            return;
        };
        if !matches!(touch.kind, MouseInputKind::Wheel(_)) {
            self.focus(id);
        }
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
        let has_focus = panes.focus_id() == id;
        let Some(open) = panes.get_mut(id) else {
            return;
        };
        let cx = PaneContext {
            desk,
            look,
            pane: id,
            has_focus,
        };
        let mut requested = Vec::new();
        open.pane.touch(touch, &cx, &mut requested);
        self.do_requested(requested);
    }

    /// Drags the bar above a pane; the pane's lower end stays.
    fn drag(&mut self, y: u16) {
        let Some(id) = self.dragged else { return };
        let Some(end) = self.places.end_of(id) else {
            return;
        };
        if let Some(open) = self.panes.get_mut(id) {
            open.rows = Some(end.saturating_sub(y.saturating_add(1)).max(1));
        }
    }
}

/// Returns true if a key is a letter together with Ctrl.
fn is_control(key: KeyEvent, letter: char) -> bool {
    key.code == KeyCode::Char(letter) && key.modifiers.contains(KeyModifiers::CONTROL)
}
