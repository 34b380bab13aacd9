//! What a file is wanted for, and the desktop's dialog that asks for it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use stepback_parsers::Format;

use stepback_debugger::action::{Action, AppAction, FileAction, FontChange, FontRole, StepRange};
use stepback_debugger::image::ImageSpec;
use stepback_debugger::messages::say;
use stepback_debugger::source::SourceMapping;
use stepback_debugger::worker::{Lane, Ticket, Worker};

/// Nobody cancels a dialog so soon after asking for it: there was none.
const SOONEST: Duration = Duration::from_millis(700);

/// A dialog that is open.
pub struct FileDialog {
    purpose: Purpose,
    ticket: Ticket<Picked>,
}

/// What came of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// These files, or this directory.
    Paths(Vec<PathBuf>),
    /// Nothing: the user cancelled it.
    Nothing,
    /// The desktop showed no dialog: neither its portal nor zenity answers.
    NoDialog,
}

impl Picked {
    /// The library of dialogs tells nothing apart but by the time that it takes.
    fn of(paths: Option<Vec<PathBuf>>, taken: Duration) -> Self {
        match paths {
            Some(paths) => Self::Paths(paths),
            None if taken < SOONEST => Self::NoDialog,
            None => Self::Nothing,
        }
    }
}

/// What a file is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To open it as a trace.
    Trace,
    /// To take over keys from it.
    Keys,
    /// A font.
    Font(FontRole),
    /// A directory, to open the trace in it.
    Directory,
    /// To add it as a program image.
    Image,
    /// A directory, to look for program images in it.
    Sysroot,
    /// It is the source file that the image calls so.
    Source(String),
    /// A session, to open it with its trace.
    Session,
    /// The trace of the session that is this file.
    TraceOf(PathBuf),
    /// Where the session is saved.
    SessionPlace,
    /// Where a part of the trace is saved as a trace of its own.
    PartPlace(StepRange),
    /// Where a picture of the window is saved.
    PicturePlace,
    /// To write a text into it.
    Save {
        /// The name that is suggested.
        name: String,
        /// The text.
        text: String,
    },
}

impl FileDialog {
    /// Opens the dialog on a thread of its own: it holds the thread for as long as the user thinks.
    pub fn open(purpose: Purpose, context: egui::Context) -> Self {
        static POOL: LazyLock<Worker> = LazyLock::new(|| Worker::new(1, || {}));
        let (asked, title) = (purpose.clone(), purpose.title());
        let ticket = POOL.spawn(Lane::Short, move |_| {
            let began = Instant::now();
            let dialog = rfd::FileDialog::new().set_title(title);
            let dialog = match asked.suggested_name() {
                Some(name) => dialog.set_file_name(name),
                None => dialog,
            };
            let one = |path: PathBuf| vec![path];
            let picked = match asked.pick() {
                Pick::Files => with_trace_filters(dialog).pick_files(),
                Pick::Folder => dialog.pick_folder().map(one),
                Pick::File if asked == Purpose::Session => {
                    dialog.add_filter(say!("dialog-session-files"), &["toml"]).pick_file().map(one)
                }
                Pick::File if matches!(asked, Purpose::Font(_)) => {
                    dialog.add_filter(say!("dialog-fonts"), &["ttf", "otf"]).pick_file().map(one)
                }
                Pick::File => dialog.pick_file().map(one),
                Pick::Place => dialog.save_file().map(one),
            };
            asked.write(picked.as_deref().unwrap_or_default())?;
            context.request_repaint();
            Ok(Picked::of(picked, began.elapsed()))
        });
        Self { purpose, ticket }
    }

    /// A dialog that was answered elsewhere: what is left is to write what is to be written.
    pub fn answered(purpose: Purpose, paths: Vec<PathBuf>, worker: &Worker) -> Self {
        let asked = purpose.clone();
        let ticket = worker.spawn(Lane::Short, move |_| {
            asked.write(&paths)?;
            Ok(Picked::Paths(paths))
        });
        Self { purpose, ticket }
    }

    /// What it was wanted for.
    pub fn into_purpose(self) -> Purpose {
        self.purpose
    }

    /// What came of it; none while the dialog is open.
    pub fn poll(&self) -> Option<Result<Picked>> {
        self.ticket.take()
    }

    /// What is told when it is done.
    pub fn told(&self, paths: &[PathBuf]) -> Option<String> {
        let path = paths.first().filter(|_| matches!(self.purpose, Purpose::Save { .. }))?;
        Some(say!("dialog-saved", path = path.display().to_string()))
    }

    /// What is to be done with the files that were chosen: of several it is the first, but for those of a trace.
    ///
    /// # Errors
    /// It is another source file than the one that was wanted.
    pub fn action(&self, paths: &[PathBuf]) -> Result<Option<Action>> {
        match (&self.purpose, paths) {
            (Purpose::Trace, [_, _, ..]) => Ok(Some(open_together(paths))),
            // It is written already.
            (Purpose::Save { .. }, _) => Ok(None),
            (purpose, paths) => paths.first().map(|path| purpose.action(path)).transpose(),
        }
    }
}

/// Opens files that were chosen or dropped together.
pub fn open_together(paths: &[PathBuf]) -> Action {
    Action::File(FileAction::OpenFiles(paths.to_vec()))
}

/// What is chosen in a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// One file or several.
    Files,
    /// One file.
    File,
    /// A folder.
    Folder,
    /// Where a file is written.
    Place,
}

impl Purpose {
    /// The title of its dialog.
    pub fn title(&self) -> String {
        match self {
            Self::Trace => say!("files-open-trace").to_owned(),
            Self::Directory => say!("files-open-directory").to_owned(),
            Self::Sysroot => say!("files-sysroot").to_owned(),
            Self::Image => say!("files-add-image").to_owned(),
            Self::Keys => say!("files-import-keys").to_owned(),
            Self::Font(_) => say!("files-font").to_owned(),
            Self::Session => say!("files-open-session").to_owned(),
            Self::TraceOf(_) => say!("files-where-is-trace").to_owned(),
            Self::SessionPlace => say!("files-save-session").to_owned(),
            Self::PartPlace(_) => say!("files-save-part").to_owned(),
            Self::PicturePlace => say!("files-save-picture").to_owned(),
            Self::Source(file) => say!("files-locate", name = name_of(file)),
            Self::Save { name, .. } => say!("files-save-name", name = name.as_str()),
        }
    }

    /// What is chosen for it.
    pub fn pick(&self) -> Pick {
        match self {
            Self::Trace => Pick::Files,
            Self::Directory | Self::Sysroot => Pick::Folder,
            Self::SessionPlace | Self::PartPlace(_) | Self::PicturePlace | Self::Save { .. } => Pick::Place,
            Self::Image | Self::Keys | Self::Font(_) | Self::Session | Self::Source(_) | Self::TraceOf(_) => Pick::File,
        }
    }

    /// The name that a file is written under, unless the user has a better one.
    pub fn suggested_name(&self) -> Option<String> {
        match self {
            Self::SessionPlace => Some("trace.session.toml".to_owned()),
            Self::PartPlace(StepRange { first, last }) => Some(format!("steps-{first}-{last}.tarmac")),
            Self::PicturePlace => Some("stepback.png".to_owned()),
            Self::Save { name, .. } => Some(name.clone()),
            _ => None,
        }
    }

    /// Where a file is written that the user named: a session that has no ending gets the usual one.
    pub fn whole_place(&self, path: PathBuf) -> PathBuf {
        let is_whole = *self != Self::SessionPlace || path.extension().is_some();
        if is_whole { path } else { path.with_extension("session.toml") }
    }

    fn write(&self, paths: &[PathBuf]) -> Result<()> {
        if let (Self::Save { text, .. }, [path, ..]) = (self, paths) {
            std::fs::write(path, text).with_context(|| say!("dialog-file-not-written", path = format!("{path:?}")))?;
        }
        Ok(())
    }

    fn action(&self, path: &Path) -> Result<Action> {
        let path = path.to_owned();
        match self {
            Self::Trace | Self::Directory => Ok(Action::File(FileAction::OpenPath(path))),
            Self::Sysroot => Ok(Action::File(FileAction::AddSysroot(Some(path)))),
            Self::Image => Ok(Action::File(FileAction::AddImage(Some(ImageSpec { path, offset: 0 })))),
            Self::Keys => Ok(Action::App(AppAction::ImportKeys(Some(path)))),
            Self::Font(role) => Ok(Action::App(AppAction::Font(FontChange::File(*role, Some(path))))),
            Self::Session => Ok(Action::File(FileAction::OpenSession(Some(path)))),
            Self::SessionPlace => Ok(Action::File(FileAction::SaveSession(Some(path)))),
            Self::PartPlace(range) => Ok(Action::File(FileAction::SavePart(Some(*range), Some(path)))),
            Self::PicturePlace => Ok(Action::File(FileAction::SavePicture(Some(path)))),
            Self::TraceOf(file) => Ok(Action::File(FileAction::OpenSessionWith(file.clone(), path))),
            Self::Save { .. } => anyhow::bail!(say!("dialog-nothing-is-done", path = format!("{path:?}"))),
            Self::Source(file) => match SourceMapping::between(file, &path) {
                Some(mapping) => Ok(Action::File(FileAction::MoveSources(mapping))),
                None => anyhow::bail!(say!(
                    "dialog-other-name",
                    name = format!("{:?}", name_of(file)),
                    path = format!("{path:?}")
                )),
            },
        }
    }
}

/// All files come first: simulators name their traces as they like, and the content tells what a file is.
fn with_trace_filters(dialog: rfd::FileDialog) -> rfd::FileDialog {
    dialog
        .add_filter(say!("dialog-all-files"), &["*"])
        .add_filter(say!("dialog-tarmac-traces-also-compressed"), Format::Tarmac.endings())
        .add_filter(say!("dialog-dynamorio-traces-drmemtrace"), Format::Drmemtrace.endings())
        .add_filter(say!("dialog-rst-traces-of-suns-simulators"), Format::Rst.endings())
        .add_filter(say!("dialog-recordings-of-branches-btrace"), Format::Btrace.endings())
}

fn name_of(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_that_ends_before_anybody_could_see_it_was_none() {
        let soon = Duration::from_millis(20);
        assert_eq!(Picked::of(None, soon), Picked::NoDialog);
        assert_eq!(Picked::of(None, Duration::from_secs(3)), Picked::Nothing);
        assert_eq!(Picked::of(Some(vec!["a".into()]), soon), Picked::Paths(vec!["a".into()]));
    }

    #[test]
    fn a_source_that_was_found_tells_where_its_directory_went() {
        let wanted = Purpose::Source("/build/app/src/a.c".to_owned());
        let action = wanted.action(Path::new("/home/me/app/src/a.c")).expect("a mapping");
        let mapping = SourceMapping { from: "/build".to_owned(), to: "/home/me".into() };
        assert_eq!(action, Action::File(FileAction::MoveSources(mapping)));
        let odd = Purpose::Source("/a=b/c.c".to_owned());
        let action = odd.action(Path::new("/d/c.c")).expect("a mapping");
        assert_eq!(
            action,
            Action::File(FileAction::MoveSources(SourceMapping { from: "/a=b".to_owned(), to: "/d".into() }))
        );
        let error = wanted.action(Path::new("/home/me/b.c")).expect_err("another file").to_string();
        assert_eq!(error, "the file is not called \"a.c\": \"/home/me/b.c\"");
    }
}
