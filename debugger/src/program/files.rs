//! Actions on files, and the saving of sessions.
//!
//! The trace's own session is saved automatically in one place; a file that the user named is
//! written on request. If the trace's own session was not used because the user named another one,
//! it is moved to a backup before it is first overwritten.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::read::SlotReader;
use stepback_parsers::Tarmac;

use crate::action::FileAction;
use crate::action::StepRange;
use crate::desk::{
    Desk, Opening, OpeningMode, RecentTrace, SaveEvent, SaveReason, TraceChoice, UndoStack,
};
use crate::messages::say;
use crate::program::opening::{index_more, open, toggle_follow};
use crate::program::prompt::{FilePurpose, Prompt};
use crate::program::shell::{Report, Shell, in_desk, report};
use crate::program::sync::{toggle_gdb_server, toggle_sync};
use crate::session::{OpenOptions, TraceFiles, is_same_file};
use crate::source::SourceMapping;
use crate::truncate::save_part;
use crate::worker::{JobLane, Ticket};

/// Applies an action on a file.
pub(super) fn apply(shell: &mut dyn Shell, action: FileAction) {
    if needs_trace(&action) && shell.program().desk.is_none() {
        return shell.tell(Report::NoTrace);
    }
    match action {
        FileAction::OpenDialog => ask(shell, FilePurpose::Trace),
        FileAction::OpenDirectoryDialog => ask(shell, FilePurpose::Directory),
        FileAction::OpenPath(path) => open(shell, TraceChoice::of(OpenOptions::new(path))),
        FileAction::OpenFiles(files) => {
            if let Some(options) = OpenOptions::of_files(TraceFiles::in_order(files)) {
                open(shell, TraceChoice::of(options));
            }
        }
        FileAction::OpenDropped(files) => {
            if let Some(options) = OpenOptions::of_files(TraceFiles::in_order(files)) {
                open(shell, TraceChoice::Together(Box::new(options)));
            }
        }
        FileAction::OpenDemo => open(shell, TraceChoice::Demo),
        FileAction::CompareTrace(None) => ask(shell, FilePurpose::OtherTrace),
        FileAction::CompareTrace(Some(path)) => in_desk(shell, |desk| desk.compare_trace(path)),
        FileAction::CompareRules(None) => ask(shell, FilePurpose::ComparisonRules),
        FileAction::CompareRules(Some(path)) => in_desk(shell, |desk| desk.compare_by_rules(path)),
        FileAction::IgnoreDifferences(rule) => in_desk(shell, |desk| {
            desk.change_rules(|rules| rules.add(rule.into()))
        }),
        FileAction::CountDifferences(rule) => in_desk(shell, |desk| {
            desk.change_rules(|rules| rules.remove(&rule.into()))
        }),
        FileAction::OpenSession(None) => ask(shell, FilePurpose::Session),
        FileAction::OpenSession(Some(file)) => {
            open(shell, TraceChoice::Session { file, trace: None })
        }
        FileAction::OpenSessionWith(file, trace) => open(
            shell,
            TraceChoice::Session {
                file,
                trace: Some(trace),
            },
        ),
        FileAction::LocateTrace(file) => ask(shell, FilePurpose::TraceOf(file)),
        FileAction::SaveSession(None) => ask_for_session_place(shell),
        FileAction::SaveSession(place) => save_session(shell, place),
        FileAction::SaveSessionAgain => save_session(shell, None),
        FileAction::Reload => reopen(shell, Desk::options_to_reload),
        FileAction::AddImage(None) => ask(shell, FilePurpose::Image),
        FileAction::AddImage(Some(image)) => reopen(shell, |desk| desk.options_with_image(&image)),
        FileAction::AddSysroot(None) => ask(shell, FilePurpose::Sysroot),
        FileAction::AddSysroot(Some(directory)) => {
            reopen(shell, |desk| desk.options_with_sysroot(directory))
        }
        FileAction::LocateSource(file) => ask(shell, FilePurpose::Source(file)),
        FileAction::MoveSources(mapping) => move_sources(shell, mapping),
        FileAction::ForgetSources => {
            shell.forget_source_mappings();
            in_desk(shell, |desk| {
                desk.sources.map = desk.session.source_map.clone()
            });
        }
        FileAction::CloseTrace => close_trace(shell),
        FileAction::ForgetRecent(path) => {
            change_recent(shell, |list| list.retain(|trace| trace.path != path))
        }
        FileAction::ClearRecent => change_recent(shell, Vec::clear),
        FileAction::CancelIndexing => shell
            .program()
            .opening
            .iter()
            .for_each(|opening| opening.cancel()),
        FileAction::ContinueIndexing => index_more(shell, OpeningMode::Parts),
        FileAction::FollowTrace => toggle_follow(shell),
        FileAction::SyncPrograms => toggle_sync(shell),
        FileAction::ServeToGdb => toggle_gdb_server(shell),
        FileAction::ToggleIndexingCard => {
            shell
                .program_mut()
                .opening
                .iter_mut()
                .for_each(|opening| opening.is_card_hidden ^= true);
        }
        FileAction::SavePart(range, path) => save_range(shell, range, path),
        FileAction::SavePicture(Some(path)) => shell.save_picture(path),
        FileAction::SavePicture(None) => ask(shell, FilePurpose::PicturePlace),
        FileAction::SaveText(name, text) => ask(shell, FilePurpose::Save { name, text }),
    }
}

fn needs_trace(action: &FileAction) -> bool {
    match action {
        FileAction::SaveSession(_)
        | FileAction::SaveSessionAgain
        | FileAction::Reload
        | FileAction::CompareTrace(_)
        | FileAction::CompareRules(_)
        | FileAction::IgnoreDifferences(_)
        | FileAction::CountDifferences(_)
        | FileAction::AddImage(_)
        | FileAction::AddSysroot(_)
        | FileAction::LocateSource(_)
        | FileAction::MoveSources(_)
        | FileAction::ForgetSources
        | FileAction::ContinueIndexing
        | FileAction::FollowTrace
        | FileAction::SyncPrograms
        | FileAction::ServeToGdb
        | FileAction::SavePart(..) => true,
        FileAction::OpenDialog
        | FileAction::OpenDirectoryDialog
        | FileAction::OpenPath(_)
        | FileAction::OpenFiles(_)
        | FileAction::OpenDropped(_)
        | FileAction::OpenDemo
        | FileAction::OpenSession(_)
        | FileAction::OpenSessionWith(..)
        | FileAction::LocateTrace(_)
        | FileAction::CloseTrace
        | FileAction::ForgetRecent(_)
        | FileAction::ClearRecent
        | FileAction::CancelIndexing
        | FileAction::ToggleIndexingCard
        | FileAction::SavePicture(_)
        | FileAction::SaveText(..) => false,
    }
}

fn change_recent(shell: &mut dyn Shell, change: impl FnOnce(&mut Vec<RecentTrace>)) {
    match shell.recent() {
        Some(list) => change(list),
        None => shell.tell(Report::NoRecentList),
    }
}

fn ask(shell: &mut dyn Shell, purpose: FilePurpose) {
    shell.prompt(Prompt::File(purpose));
}

fn close_trace(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    // The opening of another trace continues; the indexed part of this one is kept.
    let closed = program.desk.as_ref().map(|desk| desk.options.path.clone());
    let is_other = |opening: &Opening| !opening.is_shown && opening.path != closed;
    program.opening = program.opening.take().filter(is_other);
    keep_session(shell);
    let program = shell.program_mut();
    (program.desk, program.begin_at, program.undo) = (None, None, UndoStack::default());
    shell.trace_closed();
}

fn reopen(shell: &mut dyn Shell, options: impl FnOnce(&Desk) -> OpenOptions) {
    if let Some(options) = shell.program().desk.as_ref().map(options) {
        open(shell, TraceChoice::of(options));
    }
}

fn move_sources(shell: &mut dyn Shell, mapping: SourceMapping) {
    shell.keep_source_mapping(&mapping);
    in_desk(shell, |desk| desk.sources.map.add(mapping));
}

/// Saves a range as a trace; without a range, the selection in the timeline.
fn save_range(shell: &mut dyn Shell, range: Option<StepRange>, path: Option<PathBuf>) {
    let Some(range) = range.or_else(|| shell.selected_range()) else {
        return shell.tell(Report::NothingToSave);
    };
    let Some(desk) = &shell.program().desk else {
        return;
    };
    let session = Arc::clone(&desk.session);
    if session.index.source().downcast::<Tarmac>().is_none() {
        shell
            .program_mut()
            .note_failure(say!("part-only-a-part-of-a-tarmac"));
        return shell.tell(Report::NotDivisible);
    }
    let Some(path) = path else {
        return ask(shell, FilePurpose::PartPlace(range));
    };
    if path == session.path || is_same_file(&path, &session.path) {
        return report(shell, say!("part-the-part-is-not-written"));
    }
    let program = shell.program_mut();
    program.saving = Some(program.worker.spawn(JobLane::Long, move |cancel: &Cancel| {
        let tarmac = session
            .index
            .source()
            .downcast::<Tarmac>()
            .ok_or_else(|| anyhow::anyhow!("no text"))?;
        let text = SlotReader(&session.index).text_between(range.first, range.last)?;
        save_part(tarmac, text, &path, cancel)?;
        let steps = range.last.0.saturating_sub(range.first.0);
        Ok(say!(
            "part-saved",
            steps = steps,
            path = path.display().to_string()
        ))
    }));
}

/// Saves the session of the open trace if it changed. A run from a script saves nothing
/// automatically.
pub fn keep_session(shell: &mut dyn Shell) {
    if shell.program().mode.is_scripted {
        return;
    }
    let Some(desk) = &shell.program().desk else {
        return;
    };
    // Viewing a trace must not lose panels that a newer version wrote.
    let panels = desk
        .places
        .unread_panels
        .clone()
        .or_else(|| shell.panels_text());
    let Some(text) = panels.and_then(|panels| desk.session_text(panels)) else {
        return;
    };
    let loses_marks = desk.loses_marks(&text);
    let place = desk.places.own.clone().filter(|place| place.wants(&text));
    if loses_marks {
        in_desk(shell, |desk| desk.places.is_loss_stated = true);
        shell.tell(Report::NotesNotKept);
    }
    if let Some(place) = place {
        let program = shell.program_mut();
        program.saver.write(place, text, SaveReason::Unasked);
        if program.mode.is_synchronous {
            program.saver.finish();
        }
    }
}

/// Asks for the file to save the session to. The file named last is suggested, and otherwise one
/// with the name of the trace.
fn ask_for_session_place(shell: &mut dyn Shell) {
    let Some(desk) = &shell.program().desk else {
        return;
    };
    let named = desk.places.named.as_ref().and_then(|place| place.name());
    let name = named.unwrap_or_else(|| format!("{}.session.toml", desk.name()));
    ask(shell, FilePurpose::SessionPlace(name));
}

/// Saves the session to a file that the user chose, or to the one that was chosen last.
pub(super) fn save_session(shell: &mut dyn Shell, chosen: Option<PathBuf>) {
    let demand = if chosen.is_some() {
        SaveReason::Requested
    } else {
        SaveReason::RequestedAgain
    };
    let Some(desk) = &mut shell.program_mut().desk else {
        return;
    };
    if let Some(place) = chosen {
        desk.places.choose(place);
    }
    let Some(place) = desk.places.named.clone() else {
        return ask_for_session_place(shell);
    };
    // A session that is saved on request contains the visible panels.
    if desk
        .places
        .own
        .as_ref()
        .is_some_and(|own| Arc::ptr_eq(own, &place))
    {
        desk.places.unread_panels = None;
    }
    let panels = shell.panels_text();
    let program = shell.program_mut();
    let text = program
        .desk
        .as_ref()
        .zip(panels)
        .and_then(|(desk, panels)| desk.session_text(panels));
    let Some(text) = text else { return };
    program.saver.write(place, text, demand);
    if program.mode.is_synchronous || program.mode.is_scripted {
        program.saver.finish();
    }
    take_saved(shell);
}

/// Reports the results of saving sessions and parts of the trace.
pub(super) fn take_saved(shell: &mut dyn Shell) {
    while let Some(news) = shell.program().saver.news() {
        match news {
            SaveEvent::Failed(error) => report(shell, &error),
            news => shell.tell(Report::Saved(news)),
        }
    }
    let Some(saved) = shell.program().saving.as_ref().and_then(Ticket::take) else {
        return;
    };
    shell.program_mut().saving = None;
    match saved {
        Ok(words) => shell.tell(Report::Message(crate::desk::Message::new(
            crate::desk::Tone::Info,
            words,
        ))),
        Err(error) => report(shell, &format!("{error:#}")),
    }
}
