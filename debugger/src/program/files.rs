//! Actions on files.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::{Cancel, SlotReader};
use stepback_parsers::Tarmac;

use super::opening::{index_more, open, toggle_follow};
use super::prompt::{FilePurpose, Prompt};
use super::saving::{keep_session, save_session};
use super::shell::{Report, Shell, in_desk, report};
use crate::action::{FileAction, StepRange};
use crate::desk::{Desk, Opening, OpeningMode, RecentTrace, TraceChoice, UndoStack};
use crate::messages::say;
use crate::session::{OpenOptions, TraceFiles, is_same_file};
use crate::source::SourceMapping;
use crate::truncate::save_part;
use crate::worker::JobLane;

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
        FileAction::OpenDemo => open(shell, TraceChoice::Demo),
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
        FileAction::SaveSession(None) => ask(shell, FilePurpose::SessionPlace),
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
        | FileAction::AddImage(_)
        | FileAction::AddSysroot(_)
        | FileAction::LocateSource(_)
        | FileAction::MoveSources(_)
        | FileAction::ForgetSources
        | FileAction::ContinueIndexing
        | FileAction::FollowTrace
        | FileAction::SavePart(..) => true,
        FileAction::OpenDialog
        | FileAction::OpenDirectoryDialog
        | FileAction::OpenPath(_)
        | FileAction::OpenFiles(_)
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
