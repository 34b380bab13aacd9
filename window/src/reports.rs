//! Messages about the program's reports.

use stepback_debugger::action::{AppAction, Direction, FileAction, PanelAction, PanelKind};
use stepback_debugger::desk::words::sentence;
use stepback_debugger::desk::{Message, SaveEvent, Tone, TraceMissing};
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::trace_notes::placed;
use stepback_debugger::program::Report;
use stepback_debugger::session::{FileError, NoticeKind, Session, TraceChange, TracesInside};

use super::app::App;

/// Title of the message about a trace that could not be opened.
const NOT_OPENED: &str = "opened-the-trace-could-not-be";

impl App {
    pub(super) fn show_report(&mut self, report: Report<'_>) {
        match report {
            Report::Message(message) => self.show_message(&message),
            Report::Error(error) => self.toasts.show(Tone::Error, &error),
            // Commands that need a trace are disabled without one, and the window has a recent
            // list.
            Report::NoTrace | Report::NoRecentList => {}
            Report::NotOpened {
                error,
                is_shown: true,
            } => self.show_stopped(error),
            Report::NotOpened {
                error,
                is_shown: false,
            } => self.show_not_opened(error),
            Report::OpeningCancelled => self
                .toasts
                .show(Tone::Info, say!("opened-opening-was-cancelled")),
            // The status bar shows the progress, and how to continue.
            Report::IndexingCancelled { is_shown: true } => {}
            Report::IndexingCancelled { is_shown: false } => {
                self.toasts
                    .show(Tone::Info, say!("opened-indexing-was-cancelled"));
            }
            Report::Notice(notice) => {
                let tone = match notice.kind {
                    NoticeKind::Doubt => Tone::Warning,
                    NoticeKind::Info | NoticeKind::ImageInUse(_) => Tone::Info,
                };
                self.toasts.show(tone, &notice.text);
            }
            Report::Built(session) => self.show_warnings(session),
            Report::TraceChanged(change) => self.set_change(Some(change)),
            Report::ReadAgain => self.set_change(None),
            Report::NotesNotKept => {
                let save = (
                    say!("kept-save-session-as").to_owned(),
                    FileAction::SaveSession(None).into(),
                );
                let title = say!("kept-what-is-marked-is-not");
                self.toasts
                    .show_with(Tone::Warning, title, say!("kept-not-kept"), [save]);
            }
            Report::Saved(news) => self.show_saved(news),
            Report::NothingToUndo(Direction::Back) => self
                .toasts
                .show(Tone::Info, say!("marks-there-is-nothing-to-undo")),
            Report::NothingToUndo(Direction::Forward) => {
                self.toasts
                    .show(Tone::Info, say!("marks-there-is-nothing-to-redo"));
            }
            Report::NoCell => {
                let advice = say!("apply-click-a-register-or-a");
                let palette = Some((
                    say!("apply-commands").to_owned(),
                    AppAction::CommandPalette.into(),
                ));
                self.toasts.show_with(
                    Tone::Info,
                    say!("apply-no-cell-is-selected"),
                    advice,
                    palette,
                );
                self.program
                    .note_failure(say!("apply-no-cell-is-selected-2"));
            }
            Report::NothingToBookmark => {
                let advice = say!("marks-drag-with-shift-in-the");
                self.toasts
                    .show_with(Tone::Info, say!("marks-no-part-of-the-trace"), advice, None);
            }
            Report::NothingToSave => {
                let advice = say!("part-shift-drag-in-the-timeline");
                self.toasts.show_with(
                    Tone::Info,
                    say!("part-nothing-is-selected-in-the"),
                    advice,
                    None,
                );
            }
            Report::NotDivisible => {
                self.toasts.show_with(
                    Tone::Warning,
                    say!("part-only-a-part-of-a"),
                    say!("part-advice"),
                    None,
                );
            }
            Report::Arrived => self.go_to.succeed(&self.context),
            Report::Refused { place, error } => self.go_to.refuse(place, &error),
        }
    }

    /// Removes the message about a trace that could not be opened.
    pub(super) fn retire_not_opened(&mut self) {
        self.toasts.retire(spoken(NOT_OPENED));
    }

    /// Shows a message. A single sentence has no separate text.
    fn show_message(
        &mut self,
        Message {
            tone,
            title,
            text,
            offers,
            at,
        }: &Message,
    ) {
        match offers.is_empty() && text.is_empty() {
            true => self.toasts.show(*tone, title),
            false => self
                .toasts
                .show_with(*tone, title, text, offers.iter().cloned()),
        }
        if let Some(at) = at {
            self.toasts.bind_newest(*at);
        }
    }

    fn show_stopped(&mut self, error: &anyhow::Error) {
        let (_, text) = words_of(error);
        let reload = Some((say!("opened-reload").to_owned(), FileAction::Reload.into()));
        self.toasts
            .show_with(Tone::Error, say!("opened-indexing-stopped"), &text, reload);
    }

    fn show_not_opened(&mut self, error: &anyhow::Error) {
        if let Some(TraceMissing { file, trace }) = error.downcast_ref() {
            let locate = (
                say!("opened-locate").to_owned(),
                FileAction::LocateTrace(file.clone()).into(),
            );
            let text = say!("opened-say-where", trace = trace.display().to_string());
            return self.toasts.show_with(
                Tone::Warning,
                say!("opened-the-trace-of-the-session"),
                &text,
                [locate],
            );
        }
        let (what, text) = words_of(error);
        let inside = error.downcast_ref::<TracesInside>();
        inside.iter().for_each(|inside| self.choose_inside(inside));
        // The error is shown once: at the path field or in a toast.
        let is_stated =
            inside.is_some() || self.workspace.is_none() && self.start.path_box.refuse(&what);
        if !is_stated {
            self.toasts
                .show_with(Tone::Error, spoken(NOT_OPENED), &text, None);
        }
    }

    fn set_change(&mut self, change: Option<TraceChange>) {
        if let Some(workspace) = &mut self.workspace {
            workspace.change = change;
        }
    }

    /// Shows the number of lines that could not be read.
    fn show_warnings(&mut self, session: &Session) {
        let of_time: u64 = session
            .index
            .warnings()
            .iter()
            .filter(|warning| warning.is_of_time())
            .map(|it| it.count)
            .sum();
        let count = session.index.info().warning_count.saturating_sub(of_time);
        let mut stated = session
            .index
            .warnings()
            .iter()
            .filter(|warning| count == 0 || !warning.is_of_time());
        let Some(first) = stated.next() else { return };
        let title = match count {
            0 => say!("opened-time-runs-backwards").to_owned(),
            _ if session.index.source().is_text() => say!("opened-lines-not-read", count = count),
            _ => say!("opened-places-not-read", count = count),
        };
        let text = say!(
            "opened-first",
            warning = placed(first, &first.kind.to_string(), &session.index)
        );
        let show = Some((
            say!("opened-show-list").to_owned(),
            PanelAction::ShowPanel(PanelKind::Warnings).into(),
        ));
        self.toasts.show_with(Tone::Warning, &title, &text, show);
    }

    fn show_saved(&mut self, news: SaveEvent) {
        match news {
            SaveEvent::Saved(path) => {
                self.toasts.show(
                    Tone::Info,
                    &say!("kept-session-saved", path = path.display().to_string()),
                );
            }
            SaveEvent::Elsewhere(path) => {
                let text = say!("kept-elsewhere", path = path.display().to_string());
                self.toasts.show_with(
                    Tone::Info,
                    say!("kept-the-session-has-another-place"),
                    &text,
                    None,
                );
            }
            SaveEvent::SetAside(path) => {
                let text = say!("kept-as", path = path.display().to_string());
                let open = (
                    say!("kept-open-it-again").to_owned(),
                    FileAction::OpenSession(Some(path)).into(),
                );
                self.toasts
                    .show_with(Tone::Info, say!("kept-the-session-made-way"), &text, [open]);
            }
            SaveEvent::Foreign(path) => {
                let text = say!("kept-of-another", path = path.display().to_string());
                let replace = (
                    say!("kept-replace-it").to_owned(),
                    FileAction::SaveSession(Some(path)).into(),
                );
                let save = (
                    say!("kept-save-session-as").to_owned(),
                    FileAction::SaveSession(None).into(),
                );
                self.toasts.show_with(
                    Tone::Warning,
                    say!("kept-the-session-is-not-saved"),
                    &text,
                    [replace, save],
                );
            }
            SaveEvent::Failed(error) => self.report(&error),
        }
    }
}

/// Returns an error without its file, and as the text of a message, with the file's path separate.
fn words_of(error: &anyhow::Error) -> (String, String) {
    match error.downcast_ref::<FileError>() {
        Some(FileError { what, path }) => (
            what.clone(),
            format!("{} {}", sentence(what), path.display()),
        ),
        None => (format!("{error:#}"), sentence(&format!("{error:#}"))),
    }
}
