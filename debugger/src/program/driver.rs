//! Answers that arrive, and the script.

use super::apply::{compare_at, compare_ends, perform};
use super::opening::{begin_held, look_at_change, open_again, report_whole, take_opened};
use super::prompt::Prompt;
use super::saving::{keep_session, take_saved};
use super::shell::{Report, Shell, report};
use super::state::UndoSnapshot;
use crate::action::Direction;
use crate::desk::{DeskEvent, OpeningMode};
use crate::keymap::CommandContext;

/// Takes the answers that arrived.
pub fn advance(shell: &mut dyn Shell) {
    take_opened(shell);
    let program = shell.program_mut();
    if let Some(desk) = &mut program.desk {
        desk.is_opening = program.opening.is_some();
        desk.take_answers();
    }
    take_news(shell);
    take_saved(shell);
    look_at_change(shell);
}

/// Does what actions and answers led to.
pub fn take_news(shell: &mut dyn Shell) {
    let mut has_changed = false;
    while let Some(news) = shell
        .program_mut()
        .desk
        .as_mut()
        .and_then(|desk| desk.take_news())
    {
        has_changed |= matches!(news, DeskEvent::Changed(_));
        take_one(shell, news);
    }
    if has_changed {
        keep_session(shell);
    }
}

fn take_one(shell: &mut dyn Shell, news: DeskEvent) {
    match news {
        DeskEvent::Message(message) => shell.tell(Report::Message(message)),
        DeskEvent::Failed(why) => report(shell, &why),
        DeskEvent::Arrived => shell.tell(Report::Arrived),
        DeskEvent::Refused { place, error } => {
            shell.program_mut().note_failure(&error);
            shell.tell(Report::Refused { place, error });
        }
        DeskEvent::CompareEnds(range) => compare_ends(shell, range),
        DeskEvent::CompareAt(position) => compare_at(shell, position),
        DeskEvent::Do(action) => shell.program_mut().queue.push(action),
        DeskEvent::Show(kind) => shell.show_panel(kind),
        DeskEvent::Reveal(kind) => shell.reveal_panel(kind),
        DeskEvent::AskWhatToFind => shell.prompt(Prompt::Search(Direction::Forward)),
        DeskEvent::Changed(before) => shell.program_mut().undo.keep(UndoSnapshot::Marks(before)),
        DeskEvent::Part => shell.part_shown(),
        DeskEvent::Whole(told) => {
            report_whole(shell, &told);
            begin_held(shell);
        }
        DeskEvent::Mend(options) => open_again(shell, *options, OpeningMode::Whole),
    }
}

/// Performs the next line of the script. Returns false where there is none.
pub fn next_of_script(shell: &mut dyn Shell, situation: &CommandContext) -> bool {
    let Some(script) = shell.program_mut().script.as_mut() else {
        return false;
    };
    match script.next(situation) {
        Some(Ok(action)) => perform(shell, action),
        Some(Err(error)) => report(shell, &error),
        // The script stays: an error of its last line still names that line.
        None => return false,
    }
    true
}

/// Saves what has to be saved at the end of the program.
pub fn close(shell: &mut dyn Shell) {
    keep_session(shell);
    shell.program_mut().finish();
}
