//! The desktop's file dialog and the purpose of the file.

use anyhow::Result;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::messages::say;
use stepback_debugger::program::{FilePurpose, PickedKind};
use stepback_debugger::worker::{JobLane, Ticket, Worker};
use stepback_parsers::Format;

/// Minimum duration of a dialog that a user could have cancelled. A shorter one never appeared.
const SOONEST: Duration = Duration::from_millis(700);

pub struct FileDialog {
    purpose: FilePurpose,
    ticket: Ticket<DialogResult>,
}

/// Outcome of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogResult {
    /// The user chose these files, or this directory.
    Paths(Vec<PathBuf>),
    /// The user cancelled.
    Nothing,
    /// The desktop showed no dialog: neither its portal nor zenity answers.
    NoDialog,
}

impl DialogResult {
    /// Interprets the result. The dialog library reports a missing dialog like a cancelled one, so
    /// only the elapsed time distinguishes them.
    fn of(paths: Option<Vec<PathBuf>>, taken: Duration) -> Self {
        match paths {
            Some(paths) => Self::Paths(paths),
            None if taken < SOONEST => Self::NoDialog,
            None => Self::Nothing,
        }
    }
}

impl FileDialog {
    /// Opens the dialog on a separate thread, which it blocks until the user answers.
    pub fn open(purpose: FilePurpose, context: egui::Context) -> Self {
        static POOL: LazyLock<Worker> = LazyLock::new(|| Worker::new(1, || {}));
        let (requested, title) = (purpose.clone(), purpose.title());
        let ticket = POOL.spawn(JobLane::Short, move |_| {
            let began = Instant::now();
            let dialog = rfd::FileDialog::new().set_title(title);
            let dialog = match requested.suggested_name() {
                Some(name) => dialog.set_file_name(name),
                None => dialog,
            };
            let one = |path: PathBuf| vec![path];
            let picked = match requested.pick() {
                PickedKind::Files => with_trace_filters(dialog).pick_files(),
                PickedKind::Folder => dialog.pick_folder().map(one),
                PickedKind::File if requested == FilePurpose::Session => dialog
                    .add_filter(say!("dialog-session-files"), &["toml"])
                    .pick_file()
                    .map(one),
                PickedKind::File if matches!(requested, FilePurpose::Font(_)) => dialog
                    .add_filter(say!("dialog-fonts"), &["ttf", "otf"])
                    .pick_file()
                    .map(one),
                PickedKind::File => dialog.pick_file().map(one),
                PickedKind::Place => dialog.save_file().map(one),
            };
            requested.write(picked.as_deref().unwrap_or_default())?;
            context.request_repaint();
            Ok(DialogResult::of(picked, began.elapsed()))
        });
        Self { purpose, ticket }
    }

    /// Creates a dialog that was answered elsewhere; only the writing is left to do.
    pub fn answered(purpose: FilePurpose, paths: Vec<PathBuf>, worker: &Worker) -> Self {
        let requested = purpose.clone();
        let ticket = worker.spawn(JobLane::Short, move |_| {
            requested.write(&paths)?;
            Ok(DialogResult::Paths(paths))
        });
        Self { purpose, ticket }
    }

    pub fn into_purpose(self) -> FilePurpose {
        self.purpose
    }

    /// Returns the outcome; none while the dialog is open.
    pub fn poll(&self) -> Option<Result<DialogResult>> {
        self.ticket.take()
    }

    /// Returns the message to show when the dialog is done.
    pub fn stated(&self, paths: &[PathBuf]) -> Option<String> {
        let path = paths
            .first()
            .filter(|_| matches!(self.purpose, FilePurpose::Save { .. }))?;
        Some(say!("dialog-saved", path = path.display().to_string()))
    }

    /// Returns the action for the chosen files. Only traces use several files; otherwise the first
    /// one counts.
    ///
    /// # Errors
    /// The chosen source file is not the requested one.
    pub fn action(&self, paths: &[PathBuf]) -> Result<Option<Action>> {
        match (&self.purpose, paths) {
            (FilePurpose::Trace, [_, _, ..]) => {
                Ok(Some(Action::File(FileAction::OpenFiles(paths.to_vec()))))
            }
            // The file is already written.
            (FilePurpose::Save { .. }, _) => Ok(None),
            (purpose, paths) => paths.first().map(|path| purpose.action(path)).transpose(),
        }
    }
}

/// Adds the file filters. All files come first: simulators name traces freely, and the format is
/// detected from the content.
fn with_trace_filters(dialog: rfd::FileDialog) -> rfd::FileDialog {
    let all = dialog.add_filter(say!("dialog-all-files"), &["*"]);
    Format::all().fold(all, |dialog, format| {
        dialog.add_filter(
            say!("dialog-traces-of-format", format = format.title()),
            format.endings(),
        )
    })
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
