//! Saving of sessions.
//!
//! The trace's own session is saved automatically in one place; a file that the user named is
//! written on request. If the trace's own session was not used because the user named another one,
//! it is moved to a backup before it is first overwritten.

use std::path::PathBuf;
use std::sync::Arc;

use super::prompt::{FilePurpose, Prompt};
use super::shell::{Report, Shell, in_desk, report};
use crate::desk::{SaveEvent, SaveReason};
use crate::worker::Ticket;

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
        in_desk(shell, |desk| desk.places.is_loss_told = true);
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

/// Saves the session to a file that the user chose, or to the one that was chosen last.
pub(super) fn save_session(shell: &mut dyn Shell, chosen: Option<PathBuf>) {
    let demand = if chosen.is_some() {
        SaveReason::Asked
    } else {
        SaveReason::AskedAgain
    };
    let Some(desk) = &mut shell.program_mut().desk else {
        return;
    };
    if let Some(place) = chosen {
        desk.places.choose(place);
    }
    let Some(place) = desk.places.named.clone() else {
        return shell.prompt(Prompt::File(FilePurpose::SessionPlace));
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
