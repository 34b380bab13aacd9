//! What a file is wanted for, and the desktop's dialog that asks for it.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::Result;
use stepback_parsers::Format;

use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::messages::say;
use stepback_debugger::program::{FilePurpose, PickedKind};
use stepback_debugger::worker::{JobLane, Ticket, Worker};

/// Nobody cancels a dialog so soon after asking for it: there was none.
const SOONEST: Duration = Duration::from_millis(700);

/// A dialog that is open.
pub struct FileDialog {
    purpose: FilePurpose,
    ticket: Ticket<DialogResult>,
}

/// What came of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogResult {
    /// These files, or this directory.
    Paths(Vec<PathBuf>),
    /// Nothing: the user cancelled it.
    Nothing,
    /// The desktop showed no dialog: neither its portal nor zenity answers.
    NoDialog,
}

impl DialogResult {
    /// The library of dialogs tells nothing apart but by the time that it takes.
    fn of(paths: Option<Vec<PathBuf>>, taken: Duration) -> Self {
        match paths {
            Some(paths) => Self::Paths(paths),
            None if taken < SOONEST => Self::NoDialog,
            None => Self::Nothing,
        }
    }
}

impl FileDialog {
    /// Opens the dialog on a thread of its own: it holds the thread for as long as the user thinks.
    pub fn open(purpose: FilePurpose, context: egui::Context) -> Self {
        static POOL: LazyLock<Worker> = LazyLock::new(|| Worker::new(1, || {}));
        let (asked, title) = (purpose.clone(), purpose.title());
        let ticket = POOL.spawn(JobLane::Short, move |_| {
            let began = Instant::now();
            let dialog = rfd::FileDialog::new().set_title(title);
            let dialog = match asked.suggested_name() {
                Some(name) => dialog.set_file_name(name),
                None => dialog,
            };
            let one = |path: PathBuf| vec![path];
            let picked = match asked.pick() {
                PickedKind::Files => with_trace_filters(dialog).pick_files(),
                PickedKind::Folder => dialog.pick_folder().map(one),
                PickedKind::File if asked == FilePurpose::Session => dialog
                    .add_filter(say!("dialog-session-files"), &["toml"])
                    .pick_file()
                    .map(one),
                PickedKind::File if matches!(asked, FilePurpose::Font(_)) => dialog
                    .add_filter(say!("dialog-fonts"), &["ttf", "otf"])
                    .pick_file()
                    .map(one),
                PickedKind::File => dialog.pick_file().map(one),
                PickedKind::Place => dialog.save_file().map(one),
            };
            asked.write(picked.as_deref().unwrap_or_default())?;
            context.request_repaint();
            Ok(DialogResult::of(picked, began.elapsed()))
        });
        Self { purpose, ticket }
    }

    /// A dialog that was answered elsewhere: what is left is to write what is to be written.
    pub fn answered(purpose: FilePurpose, paths: Vec<PathBuf>, worker: &Worker) -> Self {
        let asked = purpose.clone();
        let ticket = worker.spawn(JobLane::Short, move |_| {
            asked.write(&paths)?;
            Ok(DialogResult::Paths(paths))
        });
        Self { purpose, ticket }
    }

    /// What it was wanted for.
    pub fn into_purpose(self) -> FilePurpose {
        self.purpose
    }

    /// What came of it; none while the dialog is open.
    pub fn poll(&self) -> Option<Result<DialogResult>> {
        self.ticket.take()
    }

    /// What is told when it is done.
    pub fn told(&self, paths: &[PathBuf]) -> Option<String> {
        let path = paths
            .first()
            .filter(|_| matches!(self.purpose, FilePurpose::Save { .. }))?;
        Some(say!("dialog-saved", path = path.display().to_string()))
    }

    /// What is to be done with the files that were chosen: of several it is the first, but for those of a trace.
    ///
    /// # Errors
    /// It is another source file than the one that was wanted.
    pub fn action(&self, paths: &[PathBuf]) -> Result<Option<Action>> {
        match (&self.purpose, paths) {
            (FilePurpose::Trace, [_, _, ..]) => Ok(Some(open_together(paths))),
            // It is written already.
            (FilePurpose::Save { .. }, _) => Ok(None),
            (purpose, paths) => paths.first().map(|path| purpose.action(path)).transpose(),
        }
    }
}

/// Opens files that were chosen or dropped together.
pub fn open_together(paths: &[PathBuf]) -> Action {
    Action::File(FileAction::OpenFiles(paths.to_vec()))
}

/// All files come first: simulators name their traces as they like, and the content tells what a file is.
fn with_trace_filters(dialog: rfd::FileDialog) -> rfd::FileDialog {
    dialog
        .add_filter(say!("dialog-all-files"), &["*"])
        .add_filter(
            say!("dialog-tarmac-traces-also-compressed"),
            Format::Tarmac.endings(),
        )
        .add_filter(
            say!("dialog-dynamorio-traces-drmemtrace"),
            Format::Drmemtrace.endings(),
        )
        .add_filter(
            say!("dialog-rst-traces-of-suns-simulators"),
            Format::Rst.endings(),
        )
        .add_filter(
            say!("dialog-recordings-of-branches-btrace"),
            Format::Btrace.endings(),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_that_ends_before_anybody_could_see_it_was_none() {
        let soon = Duration::from_millis(20);
        assert_eq!(DialogResult::of(None, soon), DialogResult::NoDialog);
        assert_eq!(
            DialogResult::of(None, Duration::from_secs(3)),
            DialogResult::Nothing
        );
        assert_eq!(
            DialogResult::of(Some(vec!["a".into()]), soon),
            DialogResult::Paths(vec!["a".into()])
        );
    }
}
