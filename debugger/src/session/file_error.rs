//! Errors about a file.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error about a file: it is shown with the file's path at its end, or separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Description of the error, without the path.
    pub what: String,
    /// The file.
    pub path: PathBuf,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.what, self.path)
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
