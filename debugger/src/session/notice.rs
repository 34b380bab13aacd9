//! Notices about a trace that is opened.

use std::fmt;
use std::path::{Path, PathBuf};

/// Something that the user should know about an open trace.
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
    /// An image that nobody named is used.
    ImageInUse(PathBuf),
}

impl Notice {
    /// A reason to doubt names, lines or memory.
    pub fn doubt(text: String) -> Self {
        Self {
            kind: NoticeKind::Doubt,
            text,
        }
    }

    /// Symbols come from an image that nobody named; `which`: what it is.
    pub fn image_in_use(which: &str, path: &Path) -> Self {
        let text = format!("symbols come from {which}: {path:?}");
        Self {
            kind: NoticeKind::ImageInUse(path.to_owned()),
            text,
        }
    }

    /// Symbols come from the image beside the trace.
    pub fn image_beside(path: &Path) -> Self {
        Self::image_in_use("the image beside the trace", path)
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
