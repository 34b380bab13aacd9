//! Notices about the toolkit's storage file.

use std::fmt;
use std::path::PathBuf;

use stepback_debugger::messages::say;

/// A notice about the storage file. It is formatted only when shown, because no language is chosen
/// earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageNotice {
    /// The file is not read.
    Unread(StorageRefusal, PathBuf),
    /// The file was damaged and partly recovered; the original is at this path.
    Salvaged(PathBuf),
    /// The file was damaged and unreadable; the original is at this path.
    Lost(PathBuf),
}

/// Reason for not reading the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageRefusal {
    /// It is damaged and could not be put aside, for this reason.
    Damaged(String),
    /// The system denies access, for this reason.
    Refused(String),
    /// It is no regular file.
    NoFile,
    /// It is longer than this many megabytes.
    LongerThan(u64),
}

impl fmt::Display for StorageNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Unread(why, file) => say!(
                "storage-unread",
                why = why.to_string(),
                file = format!("{file:?}")
            ),
            Self::Salvaged(aside) => say!("storage-salvaged", aside = format!("{aside:?}")),
            Self::Lost(aside) => say!("storage-lost", aside = format!("{aside:?}")),
        })
    }
}

impl fmt::Display for StorageRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Damaged(error) => say!("storage-unread-damaged", error = &**error),
            Self::Refused(error) => say!("storage-unread-refused", error = &**error),
            Self::NoFile => say!("storage-unread-no-file").to_owned(),
            Self::LongerThan(megabytes) => {
                say!("storage-unread-long", megabytes = megabytes.to_string())
            }
        })
    }
}
