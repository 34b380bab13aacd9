//! The desktop's file dialog, and what a file was wanted for.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use stepback_parsers::Format;

use crate::action::{Action, StepRange};
use crate::source::SourceMapping;
use crate::worker::{Lane, Ticket, Worker};

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
    TraceOf(String),
    /// Where the session is saved.
    SessionPlace,
    /// Where a part of the trace is saved as a trace of its own.
    PartPlace(StepRange),
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
        let title = match &purpose {
            Purpose::Trace => "Open trace".to_owned(),
            Purpose::Directory => "Open directory with a trace".to_owned(),
            Purpose::Sysroot => "Directory with the program's files".to_owned(),
            Purpose::Image => "Add program image".to_owned(),
            Purpose::Session => "Open session".to_owned(),
            Purpose::TraceOf(_) => "Where is the trace of the session?".to_owned(),
            Purpose::SessionPlace => "Save session".to_owned(),
            Purpose::PartPlace(_) => "Save the selection as a trace".to_owned(),
            Purpose::Source(file) => format!("Locate {}", name_of(file)),
            Purpose::Save { name, .. } => format!("Save {name}"),
        };
        let asked = purpose.clone();
        let ticket = POOL.spawn(Lane::Short, move |_| {
            let began = Instant::now();
            let dialog = rfd::FileDialog::new().set_title(title);
            let picked = match asked {
                Purpose::Trace => with_trace_filters(dialog).pick_files(),
                Purpose::Directory | Purpose::Sysroot => dialog.pick_folder().map(|path| vec![path]),
                Purpose::SessionPlace => dialog.set_file_name("trace.session.toml").save_file().map(|path| vec![path]),
                Purpose::PartPlace(StepRange { first, last }) => {
                    let name = format!("steps-{first}-{last}.tarmac");
                    dialog.set_file_name(name).save_file().map(|path| vec![path])
                }
                Purpose::Session => {
                    let dialog = dialog.add_filter("Sessions", &["toml"]);
                    dialog.pick_file().map(|path| vec![path])
                }
                Purpose::Image | Purpose::Source(_) | Purpose::TraceOf(_) => dialog.pick_file().map(|path| vec![path]),
                Purpose::Save { name, text } => {
                    let path = dialog.set_file_name(name).save_file();
                    if let Some(path) = &path {
                        std::fs::write(path, text).with_context(|| format!("the file is not written: {path:?}"))?;
                    }
                    path.map(|path| vec![path])
                }
            };
            context.request_repaint();
            Ok(Picked::of(picked, began.elapsed()))
        });
        Self { purpose, ticket }
    }

    /// What came of it; none while the dialog is open.
    pub fn poll(&self) -> Option<Result<Picked>> {
        self.ticket.take()
    }

    /// What is told when it is done.
    pub fn told(&self, paths: &[PathBuf]) -> Option<String> {
        let path = paths.first().filter(|_| matches!(self.purpose, Purpose::Save { .. }))?;
        Some(format!("Saved {}", path.display()))
    }

    /// How to go on where there is no dialog.
    pub fn way_without(&self) -> &'static str {
        match self.purpose {
            Purpose::Trace | Purpose::Directory => {
                "Type the path into the start screen, drop the file on the window, or name it on the command line"
            }
            Purpose::Image => "Name the image on the command line: --image ELF",
            Purpose::Session | Purpose::TraceOf(_) => {
                "Type \"Open session PATH\" into the palette, or drop the session on the window"
            }
            Purpose::PartPlace(_) => "Type \"Save selection as a trace PATH\" into the palette",
            Purpose::SessionPlace => "Type \"Save session as PATH\" into the palette",
            Purpose::Sysroot => "Name the directory on the command line: --sysroot DIR",
            Purpose::Save { .. } => "Copy the list instead, and paste it into a file",
            Purpose::Source(_) => {
                "Say where the sources are by \"Map sources…\", or on the command line: --source-map FROM=TO"
            }
        }
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
    Action::OpenFiles(paths.iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

impl Purpose {
    fn action(&self, path: &Path) -> Result<Action> {
        let text = path.to_string_lossy().into_owned();
        match self {
            Self::Trace | Self::Directory => Ok(Action::OpenPath(text)),
            Self::Sysroot => Ok(Action::AddSysroot(Some(text))),
            Self::Image => Ok(Action::AddImage(Some(text))),
            Self::Session => Ok(Action::OpenSession(Some(text))),
            Self::SessionPlace => Ok(Action::SaveSession(Some(text))),
            Self::PartPlace(range) => Ok(Action::SavePart(Some(*range), Some(text))),
            Self::TraceOf(file) => Ok(Action::OpenSessionWith(file.clone(), text)),
            Self::Save { .. } => anyhow::bail!("nothing is done with a file that was written: {path:?}"),
            Self::Source(file) => match SourceMapping::between(file, path) {
                Some(mapping) => Ok(Action::MoveSources(mapping)),
                None => anyhow::bail!("the file is not called {:?}: {path:?}", name_of(file)),
            },
        }
    }
}

/// All files come first: simulators name their traces as they like, and the content tells what a file is.
fn with_trace_filters(dialog: rfd::FileDialog) -> rfd::FileDialog {
    dialog
        .add_filter("All files", &["*"])
        .add_filter("Tarmac traces, also compressed", Format::Tarmac.endings())
        .add_filter("DynamoRIO traces (drmemtrace)", Format::Drmemtrace.endings())
        .add_filter("RST traces of Sun's simulators, all files of one", Format::Rst.endings())
        .add_filter("Recordings of branches (Btrace)", Format::Btrace.endings())
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
        assert_eq!(action, Action::MoveSources(mapping));
        let odd = Purpose::Source("/a=b/c.c".to_owned());
        let action = odd.action(Path::new("/d/c.c")).expect("a mapping");
        assert_eq!(action, Action::MoveSources(SourceMapping { from: "/a=b".to_owned(), to: "/d".into() }));
        let error = wanted.action(Path::new("/home/me/b.c")).expect_err("another file").to_string();
        assert_eq!(error, "the file is not called \"a.c\": \"/home/me/b.c\"");
    }
}
