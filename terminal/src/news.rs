//! What the browser does of what the desk tells.

use std::path::PathBuf;
use std::sync::Arc;

use super::browser::{Browser, Over};
use super::question::{Asked, Question};
use stepback_debugger::action::{Action, PanelAction, PanelKind, StepRange, Way, WindowId};
use stepback_debugger::desk::{Demand, News, SaveNews, Showing, Tone};
use stepback_debugger::messages::say;
use stepback_parsers::Position;

impl Browser {
    /// Does what came of actions and answers.
    pub(super) fn take_news(&mut self) {
        while let Some(news) = self.desk.as_mut().and_then(stepback_debugger::desk::Desk::take_news) {
            self.take_one(news);
        }
    }

    fn take_one(&mut self, news: News) {
        match news {
            News::Message(message) => self.message = Some(message),
            News::Failed(why) => self.report(&why),
            News::Arrived | News::Part => {}
            News::Refused { place, error } => {
                self.report(&error);
                let mut question = Question::new(Asked::Place, &place);
                question.error = Some(error);
                self.over = Over::Question(question);
            }
            News::CompareEnds(range) => self.compare_ends(range),
            News::CompareAt(position) => self.compare_at(position),
            News::Do(action) => self.queue.push(action),
            // Hits are walked with n and N: the keyboard stays where it is, and a small screen is left to the steps.
            News::Show(PanelKind::Find) => {
                if self.has_room {
                    self.reveal(PanelKind::Find);
                }
            }
            News::Show(kind) => self.show(kind),
            News::Reveal(kind) => self.reveal(kind),
            News::AskWhatToFind => self.ask(Asked::Search(Way::Forward), ""),
            News::Changed(before) => {
                self.undo.keep(before);
                self.keep_session();
            }
            News::Whole(told) => {
                let session = self.desk.as_ref().map(|desk| Arc::clone(&desk.session));
                session.iter().for_each(|session| self.tell_notices(session, &told));
                self.begin_held();
            }
            News::Mend(options) => self.open_again(*options, Showing::Whole),
        }
    }

    /// Asks on the bottom line.
    pub(super) fn ask(&mut self, asked: Asked, text: &str) {
        self.message = None;
        self.over = Over::Question(Question::new(asked, text));
    }

    /// Shows a pane of a kind and gives it the keyboard.
    pub(super) fn show(&mut self, kind: PanelKind) {
        match self.panes.of_kind(kind) {
            Some(id) => self.focus(id),
            None => self.open_pane(kind),
        }
    }

    /// Shows a pane of a kind; the keyboard stays where it is.
    fn reveal(&mut self, kind: PanelKind) {
        if self.panes.of_kind(kind).is_none() {
            let focus = self.panes.focus_id();
            self.open_pane(kind);
            self.panes.focus(focus);
        }
    }

    /// Opens a pane; a list of steps is that of a window of its own.
    pub(super) fn open_pane(&mut self, kind: PanelKind) {
        let Some(desk) = self.desk.as_mut() else { return };
        let window = match kind {
            PanelKind::Trace => desk.windows.open_at(desk.windows.active().position),
            _ => desk.windows.active,
        };
        if self.panes.add(kind, window).is_none() {
            return self.refuse_window_matter();
        }
        self.panes.is_zoomed = false;
    }

    /// The window besides the active one; where there is none, one is opened at a position.
    fn other_window(&mut self, at: Position) -> Option<WindowId> {
        let desk = self.desk.as_mut()?;
        let active = desk.windows.active;
        let mut others = desk.windows.list.iter().map(|window| window.id).filter(|id| *id != active);
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

    /// A second list of steps, at the position.
    pub(super) fn side_by_side(&mut self) {
        let at = self.desk.as_ref().map(|desk| desk.windows.active().position);
        let other = at.and_then(|at| self.other_window(at));
        if let Some(id) = other.and_then(|other| self.panes.of_window(other)) {
            self.focus(id);
        }
    }

    /// Compares the windows; where there is one, a second one is opened first.
    pub(super) fn compare(&mut self) {
        let at = self.desk.as_ref().map(|desk| desk.windows.active().position);
        if at.and_then(|at| self.other_window(at)).is_some() {
            self.show(PanelKind::Compare);
        }
    }

    /// Two windows come to the ends of a part of the trace: that with the lower number to its start, as they are compared.
    pub(super) fn compare_ends(&mut self, StepRange { first, last }: StepRange) {
        let Some(active) = self.desk.as_ref().map(|desk| desk.windows.active) else { return };
        let Some(other) = self.other_window(Position(last)) else { return };
        let (earlier, later) = (active.min(other), active.max(other));
        let compare = Action::Panel(PanelAction::CompareWindows(earlier, later));
        self.queue.extend([Action::travel(earlier, Position(first)), Action::travel(later, Position(last)), compare]);
    }

    /// The other window goes to a position, and the two are compared.
    fn compare_at(&mut self, position: Position) {
        let Some(active) = self.desk.as_ref().map(|desk| desk.windows.active) else { return };
        let Some(other) = self.other_window(position) else { return };
        let compare = Action::Panel(PanelAction::CompareWindows(active.min(other), active.max(other)));
        self.queue.extend([Action::travel(other, position), compare]);
    }

    /// Saves the session of the open trace where it changed. Runs from a script keep nothing unasked.
    pub(super) fn keep_session(&mut self) {
        if self.is_scripted {
            return;
        }
        let Some(desk) = self.desk.as_mut() else { return };
        let Some(text) = desk.session_text(desk.places.panels.clone()) else { return };
        if desk.loses_marks(&text) {
            desk.places.is_loss_told = true;
            self.tell(Tone::Warning, say!("kept-what-is-marked-is-not"));
        }
        let own = self.desk.as_ref().and_then(|desk| desk.places.own.clone());
        if let Some(place) = own.filter(|place| place.wants(&text)) {
            self.saver.write(place, text, Demand::Unasked);
        }
    }

    /// Saves the session in a place that the user chose, or in the one that was named last.
    pub(super) fn save_session(&mut self, place: Option<PathBuf>) {
        let Some(desk) = self.desk.as_mut() else { return };
        let demand = if place.is_some() { Demand::Asked } else { Demand::AskedAgain };
        if let Some(place) = place {
            desk.places.choose(place);
        }
        let Some(place) = desk.places.named.clone() else { return self.ask(Asked::SessionPlace, "") };
        let Some(text) = desk.session_text(desk.places.panels.clone()) else { return };
        self.saver.write(place, text, demand);
    }

    /// Tells of sessions that were saved, or could not be.
    pub(super) fn take_saved(&mut self) {
        while let Some(news) = self.saver.news() {
            let path = |path: PathBuf| path.display().to_string();
            match news {
                SaveNews::Saved(place) => self.tell(Tone::Info, &say!("kept-session-saved", path = path(place))),
                SaveNews::Elsewhere(place) => self.tell(Tone::Info, &say!("kept-elsewhere", path = path(place))),
                SaveNews::SetAside(place) => self.tell(Tone::Info, &say!("kept-as", path = path(place))),
                SaveNews::Foreign(place) => self.tell(Tone::Warning, &say!("kept-of-another", path = path(place))),
                SaveNews::Failed(error) => self.report(&error),
            }
        }
    }
}
