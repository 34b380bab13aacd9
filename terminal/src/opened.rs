//! Traces that were opened: shown as far as they are indexed, replaced in place as more comes, followed as they grow.

use std::sync::Arc;
use stepback_debugger::desk::BeginAt;
use stepback_debugger::session::Notice;
use stepback_debugger::session::NoticeKind;

use stepback_parsers::Position;

use super::browser::Browser;
use super::panes_open::Panes;
use stepback_debugger::action::{Action, PanelId, PanelKind, TravelAction, Way, WindowId};
use stepback_debugger::desk::words::sentence;
use stepback_debugger::desk::{Arrival, Desk, Opened, Opening, Showing, Told, Tone, TraceChoice, TraceMissing};
use stepback_debugger::messages::say;
use stepback_debugger::model::Move;
use stepback_debugger::session::{OpenOptions, Session, TraceChange};

impl Browser {
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
        let at_end = opening.at_end();
        if opening.is_shown {
            if let Some(desk) = &mut self.desk {
                desk.begin_part(opened.session, at_end, Arrival::More);
            }
            return;
        }
        let is_too_short = self.desk.as_ref().is_some_and(|desk| desk.is_beyond(&opened.session));
        if opening.is_cancelled() || is_too_short {
            return;
        }
        opening.is_shown = true;
        self.show_opened(opened);
    }

    fn end_opening(&mut self, result: anyhow::Result<Opened>) {
        let Some(opening) = self.opening.take() else { return };
        let is_caught_up = opening.is_shown && (result.is_ok() || opening.follows());
        if let Some(desk) = self.desk.as_mut().filter(|_| is_caught_up) {
            desk.forget_change();
        }
        let is_given_up = opening.is_cancelled() || result.is_err();
        match result {
            Ok(opened) if opening.is_shown => {
                if let Some(desk) = &mut self.desk {
                    desk.begin_part(opened.session, opening.at_end(), Arrival::Whole);
                }
            }
            Ok(_) if opening.is_cancelled() => self.tell(Tone::Info, say!("opened-opening-was-cancelled")),
            Ok(opened) => self.show_opened(opened),
            Err(_) if opening.is_cancelled() => self.tell(Tone::Info, say!("opened-indexing-was-cancelled")),
            Err(error) => self.tell_failure(&error),
        }
        if is_given_up && opening.is_shown {
            // No more of the trace will come: the place is in what there is.
            self.begin_held();
        }
        if let Some(desk) = self.desk.as_mut().filter(|desk| !desk.has_arriving_part()) {
            // Nothing came of it.
            desk.end_mending();
        }
    }

    fn tell_failure(&mut self, error: &anyhow::Error) {
        let words = match error.downcast_ref::<TraceMissing>() {
            Some(missing) => {
                format!("{error:#}: {}", say!("terminal-name-the-trace", file = missing.file.display().to_string()))
            }
            None => sentence(&format!("{error:#}")),
        };
        self.report(&words);
    }

    fn show_opened(&mut self, opened: Opened) {
        self.keep_session();
        let is_again = |before: &Desk| before.options.paths().eq(opened.options.paths()) && !opened.kept.is_named;
        let before = self.desk.take().filter(is_again);
        let kept = opened.kept.clone();
        let is_demo = opened.is_demo;
        let mut desk = Desk::new(opened, Arc::clone(&self.worker));
        match before {
            Some(before) => {
                place_windows(
                    &mut desk,
                    before.saved_positions().into_iter().map(|(id, moment)| (id, moment.position)),
                );
                desk.windows.activate(before.windows.active);
                desk.take_over(before);
            }
            None => {
                self.panes = Panes::first();
                let (file, positions) = (kept.file.clone(), kept.file.as_ref().map(|file| file.windows.clone()));
                let positions = positions.unwrap_or_default().into_iter();
                place_windows(&mut desk, positions.map(|window| (WindowId(window.number), window.position)));
                self.open_lists(&desk);
                desk.windows.activate(file.map_or(WindowId(1), |file| WindowId(file.active)));
                desk.take_kept(kept);
            }
        }
        for open in self.panes.list_mut() {
            open.pane.leave_trace();
        }
        desk.sources.map = desk.session.source_map.clone();
        self.tell_notices(&desk.session, &[]);
        if is_demo && !self.is_scripted {
            self.tell(Tone::Info, say!("terminal-demo-hint"));
        }
        self.desk = Some(desk);
        self.load_lines();
        if let Some(place) = self.begin_at.take() {
            self.begin_at(place);
        }
    }

    /// A list of steps for each window that there was.
    fn open_lists(&mut self, desk: &Desk) {
        for window in desk.windows.list.iter().map(|window| window.id).filter(|id| *id != WindowId(1)) {
            self.panes.add(PanelKind::Trace, window);
        }
        self.panes.focus(PanelId(1));
    }

    /// Tells what is to be known of a trace beyond what was told before: the last of it stays on the bottom line.
    pub(super) fn tell_notices(&mut self, session: &Session, told: &[Notice]) {
        for notice in session.notices.iter().filter(|notice| !told.contains(notice)) {
            let tone = match &notice.kind {
                NoticeKind::Info => Tone::Info,
                NoticeKind::Doubt => Tone::Warning,
                NoticeKind::ImageInUse(_) => continue,
            };
            self.tell(tone, &sentence(&notice.text));
        }
        let count = session.index.info().warning_count;
        if session.is_built_now && session.index.is_whole() && count > 0 {
            self.tell(Tone::Warning, &say!("terminal-warnings", count = count));
        }
    }

    /// The trace is shown from a place on. A position that is not indexed yet is awaited.
    fn begin_at(&mut self, place: String) {
        let Some(desk) = self.desk.as_mut() else { return };
        match desk.begin_at(place) {
            BeginAt::Awaited => {}
            BeginAt::Held(place) => self.begin_at = Some(place),
            BeginAt::Go(action) => self.queue.push(action),
        }
    }

    /// The place to begin at that the part of the trace was not asked for. Who went elsewhere stays there.
    pub(super) fn begin_held(&mut self) {
        let is_wanted = self.desk.as_ref().is_some_and(|desk| desk.windows.active().is_untouched());
        self.queue.extend(self.begin_at.take().filter(|_| is_wanted).map(|it| Action::Travel(TravelAction::GoTo(it))));
    }

    /// Indexes the rest of the trace on the screen, which stays.
    pub(super) fn index_more(&mut self, showing: Showing) {
        let Some(desk) = &self.desk else { return };
        self.open_again(desk.options_to_index_more(), showing);
    }

    /// Opens the trace on the screen once more: it stays until there is more of it.
    pub(super) fn open_again(&mut self, options: OpenOptions, showing: Showing) {
        self.start_opening(TraceChoice::of(options), showing);
        if let Some(opening) = &mut self.opening {
            opening.is_shown = true;
        }
    }

    /// Begins to follow the trace on the screen, or ends it; then the index is finished.
    pub(super) fn toggle_follow(&mut self) {
        if let Some(opening) = self.opening.as_ref().filter(|opening| opening.is_following()) {
            return opening.stop_following();
        }
        let Some(desk) = self.desk.as_mut() else { return };
        if let Some(why) = desk.session.follow_refusal() {
            return self.report(why);
        }
        desk.begin(Move::Edge(Way::Forward));
        self.index_more(Showing::Growth);
    }

    /// Tells when the trace file is no longer what is shown. While it is followed, its growth is on the screen anyway.
    pub(super) fn look_at_change(&mut self) {
        if self.is_scripted || self.opening.as_ref().is_some_and(Opening::follows) {
            return;
        }
        match self.desk.as_mut().and_then(Desk::trace_change) {
            Some(TraceChange::Rewritten) => self.tell(Tone::Warning, say!("terminal-trace-changed")),
            Some(TraceChange::Grown) => self.tell(Tone::Warning, say!("terminal-trace-grown")),
            None => {}
        }
    }

    /// Reads the debug information on a thread of its own: it cannot be stopped, and the workers have others to answer.
    fn load_lines(&self) {
        let Some(desk) = &self.desk else { return };
        let (session, wake) = (Arc::clone(&desk.session), Arc::clone(&self.wake));
        let job = move || {
            session.images.load_lines();
            wake();
        };
        if self.is_scripted || std::thread::Builder::new().name("source lines".to_owned()).spawn(job).is_err() {
            desk.session.images.load_lines();
        }
    }
}

fn place_windows(desk: &mut Desk, positions: impl Iterator<Item = (WindowId, u64)>) {
    positions.for_each(|(window, position)| desk.place_window(window, Position(position)));
}
