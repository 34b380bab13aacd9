//! What the user should know of the file in which the toolkit keeps things.

use std::fmt;
use std::path::PathBuf;

use stepback_debugger::messages::say;

/// What the user should know of the file. It is put into words where it is shown: before that no language is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageNotice {
    /// It is not read.
    Unread(StorageRefusal, PathBuf),
    /// It was damaged, some of it is used, and it is kept here.
    Salvaged(PathBuf),
    /// It was damaged, nothing of it could be read, and it is kept here.
    Lost(PathBuf),
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageRefusal {
    /// It is damaged and could not be put aside; why.
    Damaged(String),
    /// The system does not give it; why.
    Refused(String),
    /// It is no file.
    NoFile,
    /// It is too long to be ours: it has more megabytes.
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
