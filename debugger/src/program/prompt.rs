//! Prompts for input from the user.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::action::StepRange;
use crate::action::{Action, AppAction, Direction, FileAction, FontChange, FontRole};
use crate::image::ImageSpec;
use crate::messages::say;
use crate::new_file::NewFile;
use crate::source::SourceMapping;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    File(FilePurpose),
    /// A search text; the direction from the position.
    Search(Direction),
}

/// Purpose of a file that the user chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePurpose {
    /// A trace to open.
    Trace,
    /// A file to import keys from.
    Keys,
    Font(FontRole),
    /// A directory with a trace to open.
    Directory,
    /// A trace to compare the open one with.
    OtherTrace,
    /// A file of rules for the comparison with another trace.
    ComparisonRules,
    /// A program image to add.
    Image,
    /// A directory to search for program images.
    Sysroot,
    /// The source file that the image refers to by this name.
    Source(String),
    /// A session to open with its trace.
    Session,
    /// The trace of this session file.
    TraceOf(PathBuf),
    /// A file to save the session to, with its suggested name.
    SessionPlace(String),
    /// A file to save a part of the trace to.
    PartPlace(StepRange),
    /// A file to save a picture of the window to.
    PicturePlace,
    /// A file to write a text to.
    Save {
        /// Suggested file name.
        name: String,
        text: String,
    },
}

/// Kind of a file dialog's selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickedKind {
    /// One file or several.
    Files,
    File,
    Folder,
    /// A file to write.
    Place,
}

impl FilePurpose {
    /// Returns the title of its dialog.
    pub fn title(&self) -> String {
        match self {
            Self::Trace => say!("files-open-trace").to_owned(),
            Self::OtherTrace => say!("files-compare-trace").to_owned(),
            Self::ComparisonRules => say!("files-comparison-rules").to_owned(),
            Self::Directory => say!("files-open-directory").to_owned(),
            Self::Sysroot => say!("files-sysroot").to_owned(),
            Self::Image => say!("files-add-image").to_owned(),
            Self::Keys => say!("files-import-keys").to_owned(),
            Self::Font(_) => say!("files-font").to_owned(),
            Self::Session => say!("files-open-session").to_owned(),
            Self::TraceOf(_) => say!("files-where-is-trace").to_owned(),
            Self::SessionPlace(_) => say!("files-save-session").to_owned(),
            Self::PartPlace(_) => say!("files-save-part").to_owned(),
            Self::PicturePlace => say!("files-save-picture").to_owned(),
            Self::Source(file) => say!("files-locate", name = name_of(file)),
            Self::Save { name, .. } => say!("files-save-name", name = name.as_str()),
        }
    }

    /// Returns the kind of its selection.
    pub fn pick(&self) -> PickedKind {
        match self {
            Self::Trace => PickedKind::Files,
            Self::Directory | Self::Sysroot => PickedKind::Folder,
            Self::SessionPlace(_) | Self::PartPlace(_) | Self::PicturePlace | Self::Save { .. } => {
                PickedKind::Place
            }
            Self::Image
            | Self::OtherTrace
            | Self::ComparisonRules
            | Self::Keys
            | Self::Font(_)
            | Self::Session
            | Self::Source(_)
            | Self::TraceOf(_) => PickedKind::File,
        }
    }

    /// Returns the suggested file name; none if nothing is written.
    pub fn suggested_name(&self) -> Option<String> {
        match self {
            Self::PartPlace(StepRange { first, last }) => {
                Some(format!("steps-{}-{}.tarmac", first.0, last.0))
            }
            Self::PicturePlace => Some("stepback.png".to_owned()),
            Self::SessionPlace(name) | Self::Save { name, .. } => Some(name.clone()),
            _ => None,
        }
    }

    /// Returns the name that the chosen file must have; none if any file may be chosen.
    pub fn wanted_name(&self) -> Option<&str> {
        match self {
            Self::Source(file) => Some(name_of(file)),
            _ => None,
        }
    }

    /// Returns the complete path of a file to write: a session without an extension gets the usual
    /// one.
    pub fn whole_place(&self, path: PathBuf) -> PathBuf {
        let is_whole = !matches!(self, Self::SessionPlace(_)) || path.extension().is_some();
        if is_whole {
            path
        } else {
            path.with_extension("session.toml")
        }
    }

    /// Writes the text of [`Self::Save`]; does nothing for other purposes. Blocks.
    ///
    /// # Errors
    /// The file could not be written; the message names it.
    pub fn write(&self, paths: &[PathBuf]) -> Result<()> {
        if let (Self::Save { text, .. }, [path, ..]) = (self, paths) {
            NewFile::write_whole(path, text.as_bytes())
                .with_context(|| say!("dialog-file-not-written", path = format!("{path:?}")))?;
        }
        Ok(())
    }

    /// Returns the action on the chosen file.
    ///
    /// # Errors
    /// A source file has another name than the wanted one.
    pub fn action(&self, path: &Path) -> Result<Action> {
        let path = path.to_owned();
        match self {
            Self::Trace | Self::Directory => Ok(Action::File(FileAction::OpenPath(path))),
            Self::OtherTrace => Ok(Action::File(FileAction::CompareTrace(Some(path)))),
            Self::ComparisonRules => Ok(Action::File(FileAction::CompareRules(Some(path)))),
            Self::Sysroot => Ok(Action::File(FileAction::AddSysroot(Some(path)))),
            Self::Image => Ok(Action::File(FileAction::AddImage(Some(ImageSpec {
                path,
                offset: 0,
            })))),
            Self::Keys => Ok(Action::App(AppAction::ImportKeys(Some(path)))),
            Self::Font(role) => Ok(Action::App(AppAction::Font(FontChange::File(
                *role,
                Some(path),
            )))),
            Self::Session => Ok(Action::File(FileAction::OpenSession(Some(path)))),
            Self::SessionPlace(_) => Ok(Action::File(FileAction::SaveSession(Some(path)))),
            Self::PartPlace(range) => {
                Ok(Action::File(FileAction::SavePart(Some(*range), Some(path))))
            }
            Self::PicturePlace => Ok(Action::File(FileAction::SavePicture(Some(path)))),
            Self::TraceOf(file) => Ok(Action::File(FileAction::OpenSessionWith(
                file.clone(),
                path,
            ))),
            Self::Save { .. } => {
                anyhow::bail!(say!("dialog-nothing-is-done", path = format!("{path:?}")))
            }
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

fn name_of(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_was_found_tells_where_its_directory_went() {
        let wanted = FilePurpose::Source("/build/app/src/a.c".to_owned());
        let action = wanted
            .action(Path::new("/home/me/app/src/a.c"))
            .expect("a mapping");
        let mapping = SourceMapping {
            from: "/build".to_owned(),
            to: "/home/me".into(),
        };
        assert_eq!(action, Action::File(FileAction::MoveSources(mapping)));
        let odd = FilePurpose::Source("/a=b/c.c".to_owned());
        let action = odd.action(Path::new("/d/c.c")).expect("a mapping");
        assert_eq!(
            action,
            Action::File(FileAction::MoveSources(SourceMapping {
                from: "/a=b".to_owned(),
                to: "/d".into()
            }))
        );
        let error = wanted
            .action(Path::new("/home/me/b.c"))
            .expect_err("another file")
            .to_string();
        assert_eq!(error, "expected a file named \"a.c\", got \"/home/me/b.c\"");
    }
}
