//! Opens traces: shows the indexed part, replaces it as more arrives, and follows a growing trace.

use std::sync::Arc;

use super::file_watch::FileWatch;
use super::shell::{PanelArrangement, Report, Shell, report};
use crate::action::{Direction, FileAction, TravelAction};
use crate::desk::{
    BeginAt, Desk, OpenedTrace, Opening, OpeningEvent, OpeningMode, PartExtent, TraceChoice,
    TraceMissing, UndoStack, recent,
};
use crate::model::WindowMove;
use crate::program::apply::take_news;
use crate::program::files::keep_session;
use crate::session::{Notice, NoticeKind, OpenOptions};

/// Starts to open a trace. Cancels the opening that is under way.
pub fn open(shell: &mut dyn Shell, mut choice: TraceChoice) {
    if let TraceChoice::Path(options) | TraceChoice::Together(options) = &mut choice
        && let Some(list) = shell.recent()
    {
        let known = recent::known(list, &options.path);
        options.remembered_images = known.map(|known| known.images.clone()).unwrap_or_default();
        options.remembered_sysroots = known
            .map(|known| known.sysroots.clone())
            .unwrap_or_default();
        if let Some(known) = known {
            options.read_as(&known.reading);
        }
    }
    if shell.program().desk.is_some() {
        shell.program_mut().begin_at = None;
    }
    // The session that is read may be the one that was changed last.
    keep_session(shell);
    let program = shell.program_mut();
    program.saver.finish();
    let showing = if program.mode.shows_parts {
        OpeningMode::Parts
    } else {
        OpeningMode::Whole
    };
    program.start_opening(choice, showing);
}

/// Takes an opened trace, or a part of it.
pub(super) fn take_opened(shell: &mut dyn Shell) {
    if let Some(opening) = &shell.program().opening {
        opening.look_again();
    }
    while let Some(stated) = shell.program().opening.as_ref().and_then(Opening::poll) {
        match stated {
            OpeningEvent::Part(opened) => show_part(shell, opened),
            OpeningEvent::Done(result) => end_opening(shell, result),
        }
    }
}

fn show_part(shell: &mut dyn Shell, opened: OpenedTrace) {
    let program = shell.program_mut();
    let Some(opening) = program.opening.as_mut() else {
        return;
    };
    if opening.is_shown {
        if let Some(desk) = &mut program.desk {
            desk.begin_part(opened.session, opening.at_end(), PartExtent::More);
        }
        return;
    }
    let is_too_short = program
        .desk
        .as_ref()
        .is_some_and(|desk| desk.is_beyond(&opened.session));
    if opening.is_cancelled() || is_too_short {
        return;
    }
    (opening.is_shown, opening.is_card_hidden) = (true, true);
    show_opened(shell, opened);
}

fn end_opening(shell: &mut dyn Shell, result: anyhow::Result<OpenedTrace>) {
    let program = shell.program_mut();
    let Some(opening) = program.opening.take() else {
        return;
    };
    let is_shown = opening.is_shown;
    let is_caught_up = is_shown && (result.is_ok() || opening.follows());
    if let Some(desk) = program.desk.as_mut().filter(|_| is_caught_up) {
        desk.forget_change();
    }
    let is_given_up = opening.is_cancelled() || result.is_err();
    let is_requested = result
        .as_ref()
        .is_err_and(|error| error.is::<TraceMissing>());
    match result {
        Ok(opened) if is_shown => {
            if let Some(desk) = program.desk.as_mut() {
                desk.begin_part(opened.session, opening.at_end(), PartExtent::Whole);
            }
        }
        // The search for tail calls was cancelled: the trace on the screen stays, and the index is
        // kept.
        Ok(_) if opening.is_cancelled() => shell.tell(Report::OpeningCancelled),
        Ok(opened) => show_opened(shell, opened),
        Err(_) if opening.is_cancelled() => shell.tell(Report::IndexingCancelled { is_shown }),
        Err(error) => {
            shell.tell(Report::NotOpened {
                error: &error,
                is_shown,
            });
            shell.program_mut().note_failure(&format!("{error:#}"));
        }
    }
    if is_given_up && is_shown {
        // No more of the trace will arrive: resolve the place in this part.
        begin_held(shell);
    } else if is_given_up && !is_requested {
        shell.program_mut().begin_at = None;
    }
    if let Some(desk) = shell
        .program_mut()
        .desk
        .as_mut()
        .filter(|desk| !desk.has_arriving_part())
    {
        desk.end_mending();
    }
}

fn show_opened(shell: &mut dyn Shell, opened: OpenedTrace) {
    keep_session(shell);
    let program = shell.program_mut();
    let is_same =
        |before: &Desk| before.options.paths().eq(opened.options.paths()) && !opened.kept.is_named;
    let before = program.desk.take().filter(is_same);
    let other = opened.other.clone().or(program.compare_with.take());
    // If an unreadable session was repaired by hand, the trace is opened again for it.
    let is_repaired = before
        .as_ref()
        .is_some_and(|before| before.places.is_unread && opened.kept.error.is_none());
    let kept = opened.kept.clone();
    let mut desk = Desk::new(opened, Arc::clone(&program.worker));
    let before = match before {
        Some(before) if !is_repaired => {
            shell.arrange(&mut desk, PanelArrangement::Same(&before));
            desk.take_over(before);
            kept.error
        }
        repaired => {
            program.undo = UndoStack::default();
            desk.take_kept(kept.clone());
            shell.arrange(&mut desk, PanelArrangement::New(&kept));
            let marks = repaired.iter().flat_map(|before| before.bookmarks.list());
            marks.for_each(|mark| _ = desk.bookmarks.add(mark.clone()));
            None
        }
    };
    shell.program_mut().desk = Some(desk);
    before.iter().for_each(|error| report(shell, error));
    report_whole(shell, &[]);
    // Messages about an older state of the file are no longer true.
    shell.tell(Report::ReadAgain);
    shell.trace_opened();
    take_news(shell);
    load_lines(shell);
    begin_at(shell);
    let program = shell.program_mut();
    let compare = other.map(|path| FileAction::CompareTrace(Some(path)).into());
    program.queue.extend(compare);
}

/// Reports the notices about a trace, except those that were reported before, and remembers the
/// trace.
pub(super) fn report_whole(shell: &mut dyn Shell, stated: &[Notice]) {
    let Some(desk) = &shell.program().desk else {
        return;
    };
    let (session, entry) = (Arc::clone(&desk.session), desk.recent());
    for notice in session
        .notices
        .iter()
        .filter(|notice| !stated.contains(notice))
    {
        // The status bar names an image in use.
        if !matches!(notice.kind, NoticeKind::ImageInUse(_)) {
            shell.tell(Report::Notice(notice));
        }
    }
    if session.is_built_now && session.index.is_whole() {
        shell.tell(Report::Built(&session));
    }
    if let Some(list) = shell.recent() {
        recent::remember(list, entry);
    }
}

/// Shows the place to begin at. A position that is not indexed yet is awaited.
fn begin_at(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    let (Some(desk), Some(place)) = (program.desk.as_mut(), program.begin_at.take()) else {
        return;
    };
    match desk.begin_at(place) {
        BeginAt::Awaited => {}
        BeginAt::Held(place) => program.begin_at = Some(place),
        BeginAt::Go(action) => program.queue.push(action),
    }
}

/// Goes to the place to begin at that could not be resolved in a part of the trace, unless the user
/// moved meanwhile.
pub fn begin_held(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    let is_wanted = program
        .desk
        .as_ref()
        .is_some_and(|desk| desk.windows.active().is_untouched());
    let place = program.begin_at.take().filter(|_| is_wanted);
    program
        .queue
        .extend(place.map(|place| TravelAction::GoTo(place).into()));
}

/// Indexes the rest of the open trace, which stays on the screen.
pub(super) fn index_more(shell: &mut dyn Shell, showing: OpeningMode) {
    let Some(desk) = &shell.program().desk else {
        return;
    };
    let options = desk.options_to_index_more();
    open_again(shell, options, showing);
    shell.tell(Report::ReadAgain);
}

/// Opens the trace on the screen once more; it stays until there is more of it.
pub(super) fn open_again(shell: &mut dyn Shell, options: OpenOptions, showing: OpeningMode) {
    let program = shell.program_mut();
    program.start_opening(TraceChoice::of(options), showing);
    if let Some(opening) = &mut program.opening {
        (opening.is_shown, opening.is_card_hidden) = (true, true);
    }
}

/// Starts to follow the open trace, or stops and finishes the index.
pub(super) fn toggle_follow(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    if let Some(opening) = program
        .opening
        .as_ref()
        .filter(|opening| opening.is_following())
    {
        return opening.stop_following();
    }
    let Some(desk) = program.desk.as_mut() else {
        return;
    };
    if let Some(why) = desk.session.follow_refusal() {
        return report(shell, why);
    }
    desk.begin(WindowMove::Edge(Direction::Forward));
    index_more(shell, OpeningMode::Growth);
}

/// Reports a change of the trace file. While it is being opened or followed, its growth is on the
/// screen anyway; a run from a script does not depend on it.
pub(super) fn look_at_change(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    let is_watched = !program.mode.is_scripted && program.opening.is_none();
    let Some(desk) = program.desk.as_mut().filter(|_| is_watched) else {
        program.watch = None;
        return;
    };
    let watch = (program.watch.take()).filter(|watch| watch.is_of(&desk.session));
    program.watch = watch.or_else(|| FileWatch::start(&desk.session, &program.wake).ok());
    let change = program.watch.as_ref().and_then(FileWatch::take);
    if let Some(change) = change.filter(|change| desk.note_change(*change)) {
        shell.tell(Report::TraceChanged(change));
    }
}

/// Reads the debug information on a separate thread: it cannot be cancelled, and the workers have
/// other queries.
fn load_lines(shell: &dyn Shell) {
    let program = shell.program();
    let Some(desk) = &program.desk else { return };
    if program.mode.is_synchronous {
        return desk.session.images.load_lines();
    }
    let (session, wake) = (Arc::clone(&desk.session), Arc::clone(&program.wake));
    let job = move || {
        session.images.load_lines();
        wake();
    };
    if std::thread::Builder::new()
        .name("source lines".to_owned())
        .spawn(job)
        .is_err()
    {
        desk.session.images.load_lines();
    }
}
