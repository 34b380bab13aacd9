//! Notices and errors about the files of a trace, and the damage that a query met.
//!
//! A damaged index or copy belongs to this program ([`Damage`]): it is made again, and the query is
//! repeated.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use stepback_index::QueryError;
use stepback_parsers::files::DamagedCopy;
use stepback_parsers::{FormatError, MissingProgram, SourceError};

use crate::messages::say;
use crate::session::{IndexPolicy, OpenOptions};

/// A notice for the user about an open trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Subject and severity.
    pub kind: NoticeKind,
    /// The sentence, without a full stop.
    pub text: String,
}

/// Subject and severity of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Information about how the trace was opened.
    Info,
    /// A reason to doubt names, lines or memory.
    Doubt,
    /// An image is used that the user did not name.
    ImageInUse(PathBuf),
}

impl Notice {
    /// Creates a notice with a reason to doubt names, lines or memory.
    pub fn doubt(text: String) -> Self {
        Self {
            kind: NoticeKind::Doubt,
            text,
        }
    }

    /// Creates a notice that symbols come from an image of the last session.
    pub fn image_of_last_session(path: &Path) -> Self {
        let text = say!("notice-symbols-of-last-image", image = format!("{path:?}"));
        Self {
            kind: NoticeKind::ImageInUse(path.to_owned()),
            text,
        }
    }

    /// Creates a notice that symbols come from the image next to the trace.
    pub fn image_beside(path: &Path) -> Self {
        let text = say!(
            "notice-symbols-of-image-beside",
            image = format!("{path:?}")
        );
        Self {
            kind: NoticeKind::ImageInUse(path.to_owned()),
            text,
        }
    }
}

impl From<String> for Notice {
    fn from(text: String) -> Self {
        Self {
            kind: NoticeKind::Info,
            text,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An error about a file: it is shown after the file's path, or separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Description of the error, without the path.
    pub what: String,
    pub path: PathBuf,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

impl std::error::Error for FileError {}

/// Returns an error about a file.
pub(super) fn of_file(path: &Path, what: impl fmt::Display) -> anyhow::Error {
    FileError {
        what: what.to_string(),
        path: path.to_owned(),
    }
    .into()
}

/// Formats the reason why an input is no trace, with the option that names a program.
pub fn source_error_text(error: &SourceError) -> String {
    match error {
        SourceError::NotATrace(FormatError::Elf) => {
            format!("{error} and name the program with --image")
        }
        _ => error.to_string(),
    }
}

/// Formats the reason why steps are missing, with the way out.
pub(super) fn missing_program_text(missing: MissingProgram) -> String {
    say!("notice-missing-program", missing = missing.to_string())
}

/// A damaged file that a query met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    Index,
    /// The copy of the trace's records; it is already removed.
    Copy,
}

impl Damage {
    /// Returns the damage that an error or one of its sources reports.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if matches!(error.downcast_ref(), Some(QueryError::Damaged { .. })) {
                return Some(Self::Index);
            }
            if error.downcast_ref().is_some_and(DamagedCopy::is_in) {
                return Some(Self::Copy);
            }
            next = error.source();
        }
        None
    }

    /// Returns options that open the trace and make the damaged file again; none if nothing may be
    /// built.
    pub fn mended(self, options: &OpenOptions) -> Option<OpenOptions> {
        let policy = match (options.policy, self) {
            (IndexPolicy::InMemory | IndexPolicy::Never, _) => return None,
            (_, Self::Index) => IndexPolicy::Force,
            (policy, Self::Copy) => policy.once_opened(),
        };
        Some(OpenOptions {
            policy,
            ..options.clone()
        })
    }

    /// Returns the notice for the user, as one sentence without a full stop.
    pub fn notice(self) -> &'static str {
        match self {
            Self::Index => say!("notice-index-damaged"),
            Self::Copy => say!("notice-copy-damaged"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Language;

    #[test]
    fn notices_are_in_the_language_of_the_thread() {
        let words = || Notice::image_beside(Path::new("a.elf")).text;
        assert_eq!(
            words(),
            "symbols come from the image next to the trace: \"a.elf\""
        );
        Language::French.speak();
        let french = words();
        Language::English.speak();
        assert_eq!(
            french,
            "les symboles viennent du programme à côté de la trace : \"a.elf\""
        );
    }
}
