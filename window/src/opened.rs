//! Traces that were opened: shown as far as they are indexed, replaced in place as more comes, followed as they grow.

use stepback_debugger::desk::BeginAt;
use stepback_debugger::session::Notice;
use stepback_debugger::session::NoticeKind;
use stepback_parsers::Source as _;

use super::app::App;
use super::go_to::GoTo;
use super::saved_layout::{SavedLayout, layout_of};
use super::workspace::Workspace;
use std::sync::Arc;
use stepback_debugger::desk::Arrival;
use stepback_debugger::desk::Tone;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::desk::TraceMissing;
use stepback_debugger::desk::{Opened, Opening, Showing, Told};

use stepback_debugger::action::{Action, FileAction, PanelAction, PanelKind, TravelAction, Way};
use stepback_debugger::desk::Desk;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::Move;
use stepback_debugger::model::warning_words::placed;
use stepback_debugger::session::{Session, TraceChange, TracesInside};

/// The title of the message about a trace that could not be opened.
const NOT_OPENED: &str = "opened-the-trace-could-not-be";
/// What is said when nothing came of an opening.
const INDEXING_CANCELLED: &str = "opened-indexing-was-cancelled";
const OPENING_CANCELLED: &str = "opened-opening-was-cancelled";
/// Titles of the messages about a trace file that is no longer what is shown.
const CHANGED: &str = "opened-the-trace-changed";
const GROWN: &str = "opened-the-trace-has-grown";

/// What becomes of a place to begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It is gone to.
    Now,
    /// Its trace is not there.
    Never,
}

impl App {
    /// Picks up the trace that is being opened, or a part of it.
    pub(super) fn take_opened(&mut self) {
        if let Some(opening) = &self.opening {
            opening.look_again();
        }
        while let Some(told) = self.opening.as_ref().and_then(Opening::poll) {
            match told {
                Told::Part(opened) => self.show_part(opened),
                Told::Done(result) => self.end_opening(result),
            }
        }
    }

    fn show_part(&mut self, opened: Opened) {
        let Some(opening) = self.opening.as_mut() else { return };
        if opening.is_shown {
            let at_end = opening.at_end();
            if let Some(workspace) = self.workspace.as_mut() {
                workspace.begin_part(opened.session, at_end, Arrival::More);
            }
            return;
        }
        let is_too_short = self.workspace.as_ref().is_some_and(|workspace| workspace.is_beyond(&opened.session));
        if opening.is_cancelled() || is_too_short {
            return;
        }
        (opening.is_shown, opening.is_card_hidden) = (true, true);
        self.show_opened(opened);
    }

    fn end_opening(&mut self, result: anyhow::Result<Opened>) {
        let Some(opening) = self.opening.take() else { return };
        let is_caught_up = opening.is_shown && (result.is_ok() || opening.follows());
        if let Some(workspace) = self.workspace.as_mut().filter(|_| is_caught_up) {
            workspace.forget_change();
        }
        let is_given_up = opening.is_cancelled() || result.is_err();
        let is_asked_for = result.as_ref().is_err_and(|error| error.is::<TraceMissing>());
        match result {
            Ok(opened) if opening.is_shown => {
                self.in_trace(|workspace| workspace.begin_part(opened.session, opening.at_end(), Arrival::Whole));
            }
            // The search for tail calls was cancelled: what is on the screen stays, the index is kept.
            Ok(_) if opening.is_cancelled() => self.toasts.show(Tone::Info, spoken(OPENING_CANCELLED)),
            Ok(opened) => self.show_opened(opened),
            // The status bar says how far it came, and how to go on.
            Err(_) if opening.is_cancelled() && opening.is_shown => {}
            Err(_) if opening.is_cancelled() => self.toasts.show(Tone::Info, spoken(INDEXING_CANCELLED)),
            Err(error) => self.tell_failure(&error, &opening),
        }
        if is_given_up && !is_asked_for {
            // No more of the trace will come: the place is in what there is, or nowhere.
            self.begin_held(if opening.is_shown { Held::Now } else { Held::Never });
        }
        if let Some(workspace) = self.workspace.as_mut().filter(|workspace| !workspace.has_arriving_part()) {
            // Nothing came of it.
            workspace.end_mending();
        }
    }

    fn tell_failure(&mut self, error: &anyhow::Error, opening: &Opening) {
        let (what, path) = split_path(&format!("{error:#}"));
        let text = format!("{} {path}", stepback_debugger::desk::words::sentence(&what));
        if let Some(TraceMissing { file, trace }) = error.downcast_ref() {
            let locate = (say!("opened-locate").to_owned(), Action::File(FileAction::LocateTrace(file.clone())));
            let text = say!("opened-say-where", trace = trace.display().to_string());
            self.toasts.show_with(Tone::Warning, say!("opened-the-trace-of-the-session"), &text, [locate]);
            return self.note_failure(&format!("{error:#}"));
        }
        if opening.is_shown {
            let reload = Some((say!("opened-reload").to_owned(), Action::File(FileAction::Reload)));
            self.toasts.show_with(Tone::Error, say!("opened-indexing-stopped"), text.trim(), reload);
        } else {
            let inside = error.downcast_ref::<TracesInside>();
            inside.iter().for_each(|inside| self.choose_inside(inside));
            // It is told where the path was typed, else in a message; once.
            let is_told = inside.is_some() || self.workspace.is_none() && self.start.path_box.refuse(&what);
            if !is_told {
                self.toasts.show_with(Tone::Error, spoken(NOT_OPENED), text.trim(), None);
            }
        }
        self.note_failure(&format!("{error:#}"));
    }

    /// Tells what is known of a trace once all of it is shown, beyond the notices that were told before.
    pub(super) fn tell_whole(&mut self, told: &[Notice]) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        let (session, recent) = (workspace.session.clone(), workspace.recent());
        self.tell_notices(&session, told);
        self.tell_warnings(&session);
        stepback_debugger::desk::recent::remember(&mut self.settings.recent, recent);
    }

    /// Shows what the user should know about a trace beyond what was shown before.
    fn tell_notices(&mut self, session: &Session, told: &[Notice]) {
        for notice in session.notices.iter().filter(|notice| !told.contains(notice)) {
            let tone = match &notice.kind {
                NoticeKind::Info => Tone::Info,
                NoticeKind::Doubt => Tone::Warning,
                // The status bar names an image in use.
                NoticeKind::ImageInUse(_) => continue,
            };
            self.toasts.show(tone, &notice.text);
        }
    }

    /// Indexes the rest of the trace on the screen, which stays.
    pub(super) fn index_more(&mut self, showing: Showing) {
        let Some(workspace) = &self.workspace else { return };
        self.start_opening(TraceChoice::of(workspace.options_to_index_more()), showing);
        if let Some(opening) = &mut self.opening {
            (opening.is_shown, opening.is_card_hidden) = (true, true);
        }
        self.toasts.retire(spoken(CHANGED));
        self.toasts.retire(spoken(GROWN));
    }

    /// Begins to follow the trace on the screen, or ends it; then the index is finished.
    pub(super) fn toggle_follow(&mut self) {
        if let Some(opening) = self.opening.as_ref().filter(|opening| opening.is_following()) {
            return opening.stop_following();
        }
        let Some(workspace) = self.workspace.as_mut() else { return };
        if let Some(why) = workspace.session.follow_refusal() {
            return self.report(why);
        }
        workspace.begin(Move::Edge(Way::Forward));
        self.index_more(Showing::Growth);
    }

    /// Tells when the trace file is no longer what is shown. While it is followed, its growth is on the screen anyway.
    pub(super) fn tell_change(&mut self) {
        if self.opening.as_ref().is_some_and(Opening::follows) {
            return;
        }
        let change = self.workspace.as_mut().and_then(|workspace| workspace.trace_change());
        let Some(change) = change else { return };
        let reload = (say!("opened-reload").to_owned(), Action::File(FileAction::Reload));
        let text = say!("opened-what-is-shown-belongs-to");
        match change {
            TraceChange::Rewritten => self.toasts.show_with(Tone::Warning, spoken(CHANGED), text, [reload]),
            TraceChange::Grown => {
                let follow = (say!("opened-follow").to_owned(), Action::File(FileAction::FollowTrace));
                self.toasts.show_with(Tone::Warning, spoken(GROWN), text, [reload, follow]);
            }
        }
    }

    fn show_opened(&mut self, opened: Opened) {
        let size = self.context.content_rect().size();
        self.keep_session();
        let is_again = |before: &Workspace| before.options.paths().eq(opened.options.paths()) && !opened.kept.is_named;
        let before = self.workspace.take().filter(is_again);
        // A session that could not be read was mended by hand: that is why it is opened again.
        let is_mended = |before: &Workspace| before.places.is_unread && opened.kept.error.is_none();
        let (mended, before): (Option<Workspace>, _) = match before {
            Some(before) if is_mended(&before) => (Some(before), None),
            before => (None, before),
        };
        let saved: Option<SavedLayout> = match &before {
            Some(before) => before.saved_layout(),
            None => layout_of(&opened.kept, size),
        };
        self.go_to = GoTo::default();
        let (is_demo, kept) = (opened.is_demo, opened.kept.clone());
        let desk = Desk::new(opened, Arc::clone(&self.worker));
        let mut workspace = Workspace::new(desk, saved, size);
        match before {
            Some(before) => {
                kept.error.iter().for_each(|error| self.toasts.show(Tone::Error, error));
                workspace.undo = before.undo;
                workspace.desk.take_over(before.desk);
            }
            None => {
                let is_named = kept.is_named;
                workspace.take_kept(kept);
                let unread = workspace.look_at_kept_panels();
                // A file that the user named stays as it is anyway.
                workspace.places.unread_panels.take_if(|_| is_named);
                unread.into_iter().for_each(|words| self.toasts.show(Tone::Warning, words));
            }
        }
        if let Some(mended) = mended {
            mended.bookmarks.list().iter().for_each(|mark| _ = workspace.bookmarks.add(mark.clone()));
        }
        workspace.sources = self.settings.source_choice(&workspace.session);
        // Pictures and tests show the trace, not how to begin.
        workspace.has_demo_hint = is_demo && !self.mode.is_scripted && !self.mode.is_deterministic;
        let session = Arc::clone(&workspace.session);
        self.tell_notices(&session, &[]);
        self.tell_warnings(&workspace.session);
        stepback_debugger::desk::recent::remember(&mut self.settings.recent, workspace.recent());
        self.start.path_box.clear();
        self.toasts.retire(spoken(NOT_OPENED));
        self.set_title(&format!("{} – Stepback", workspace.name()));
        // What had the keyboard on the start screen is gone.
        self.context.memory_mut(|memory| memory.stop_text_input());
        self.workspace = Some(workspace);
        self.take_news();
        self.load_lines();
        if let Some(place) = self.begin_at.take() {
            self.begin_at(place);
        }
    }

    /// The trace is shown from a place on. A position that is not indexed yet is awaited.
    fn begin_at(&mut self, place: String) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        match workspace.desk.begin_at(place) {
            BeginAt::Awaited => {}
            BeginAt::Held(place) => self.begin_at = Some(place),
            BeginAt::Go(action) => self.queue.push(action),
        }
    }

    /// The place to begin at that the part of the trace was not asked for. Who went elsewhere stays there.
    pub(super) fn begin_held(&mut self, held: Held) {
        let workspace = self.workspace.as_ref().filter(|_| held == Held::Now);
        let is_wanted = workspace.is_some_and(|workspace| workspace.windows.active().is_untouched());
        self.queue.extend(self.begin_at.take().filter(|_| is_wanted).map(|it| Action::Travel(TravelAction::GoTo(it))));
    }

    /// Lines that could not be read are told once, when their index was just built.
    fn tell_warnings(&mut self, session: &Session) {
        let of_time: u64 =
            session.index.warnings().iter().filter(|warning| warning.is_of_time()).map(|it| it.count).sum();
        let count = session.index.info().warning_count.saturating_sub(of_time);
        let is_new = session.is_built_now && session.index.is_whole();
        let mut told = session.index.warnings().iter().filter(|warning| count == 0 || !warning.is_of_time());
        let Some(first) = told.next().filter(|_| is_new) else { return };
        let title = match count {
            0 => say!("opened-time-runs-backwards").to_owned(),
            _ if session.index.source().is_text() => say!("opened-lines-not-read", count = count),
            _ => say!("opened-places-not-read", count = count),
        };
        let text = say!("opened-first", warning = placed(first, &first.message, &session.index));
        let show =
            Some((say!("opened-show-list").to_owned(), Action::Panel(PanelAction::ShowPanel(PanelKind::Warnings))));
        self.toasts.show_with(Tone::Warning, &title, &text, show);
    }
}

/// Errors of the session end with the path; a message shows it apart.
fn split_path(error: &str) -> (String, String) {
    match error.rsplit_once(": \"") {
        Some((what, path)) => (what.to_owned(), path.trim_end_matches('"').to_owned()),
        None => (error.to_owned(), String::new()),
    }
}
