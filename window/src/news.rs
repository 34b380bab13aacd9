//! What the window does of what the desk tells.

use super::app::App;
use super::banner::Banner;
use super::opened::Held;
use super::undo::Before;
use stepback_debugger::action::{StepRange, Way};
use stepback_debugger::desk::{Message, Named, News, Showing, Tone, TraceChoice};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{BookmarkChange, BookmarkPlace};

impl App {
    /// Does what came of actions and answers.
    pub(super) fn take_news(&mut self) {
        while let Some(news) = self.workspace.as_mut().and_then(|workspace| workspace.take_news()) {
            self.take_one(news);
        }
    }

    fn take_one(&mut self, news: News) {
        match news {
            News::Message(message) => self.show_message(&message),
            News::Failed(why) => self.report(&why),
            News::Arrived => self.go_to.succeed(&self.context),
            News::Refused { place, error } => {
                self.go_to.refuse(place, &error);
                self.note_failure(&error);
            }
            News::CompareEnds(range) => self.compare_ends(range),
            News::CompareAt(position) => self.compare_at(position),
            News::Do(action) => self.queue.push(action),
            News::Show(kind) => self.in_trace(|workspace| _ = workspace.show(kind)),
            News::Reveal(kind) => self.in_trace(|workspace| workspace.reveal_panel(kind)),
            News::AskWhatToFind => self.focus_find(),
            News::Changed(before) => self.in_trace(|workspace| workspace.undo.keep(Before::Marks(before))),
            News::Part => self.in_trace(|workspace| {
                workspace.banner = workspace.banner.take().and_then(|_| Banner::of(&workspace.session));
            }),
            News::Whole(told) => {
                self.tell_whole(&told);
                self.begin_held(Held::Now);
            }
            News::Mend(options) => {
                self.start_opening(TraceChoice::Path(options), Showing::Whole);
                if let Some(opening) = &mut self.opening {
                    (opening.is_shown, opening.is_card_hidden) = (true, true);
                }
            }
        }
    }

    /// One sentence becomes a title and a text by itself.
    fn show_message(&mut self, Message { tone, title, text, offers }: &Message) {
        match offers.is_empty() && text.is_empty() {
            true => self.toasts.show(*tone, title),
            false => self.toasts.show_with(*tone, title, text, offers.iter().cloned()),
        }
    }

    /// Marks what is selected in the timeline.
    pub(super) fn bookmark_selection(&mut self, name: String) {
        let selection = self.workspace.as_ref().and_then(|workspace| workspace.timeline.selection());
        let Some(StepRange { first, last }) = selection else {
            let advice = say!("marks-drag-with-shift-in-the");
            return self.toasts.show_with(Tone::Info, say!("marks-no-part-of-the-trace"), advice, None);
        };
        let place = BookmarkPlace::Range { first, last };
        let change = if name.is_empty() { BookmarkChange::Toggle(place) } else { BookmarkChange::Put { place, name } };
        self.in_trace(|workspace| workspace.change_bookmarks(&change));
        self.take_news();
    }

    /// Travels to another call of a function by name, of the one that is chosen, or of the one around the position.
    pub(super) fn go_to_call(&mut self, name: Option<String>, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let chosen = workspace.chosen_function().map(Named::Address);
        workspace.go_to_call(name.map(Named::Name).or(chosen), way);
        self.take_news();
    }

    /// Takes the last change back.
    pub(super) fn undo(&mut self) {
        self.turn_back(Way::Back);
    }

    /// Does again what was taken back.
    pub(super) fn redo(&mut self) {
        self.turn_back(Way::Forward);
    }

    fn turn_back(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let mut undo = std::mem::take(&mut workspace.undo);
        let exchange = |before| workspace.exchange(before, &mut self.settings);
        let (is_done, words) = match way {
            Way::Back => (undo.undo(exchange), say!("marks-there-is-nothing-to-undo")),
            Way::Forward => (undo.redo(exchange), say!("marks-there-is-nothing-to-redo")),
        };
        workspace.undo = undo;
        self.keep_settings();
        if !is_done {
            self.toasts.show(Tone::Info, words);
        }
    }
}
