//! Notices about a trace that is being opened.

use std::fmt;
use std::path::{Path, PathBuf};

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

    /// Creates a notice that symbols come from an image that the user did not name. `which`
    /// describes it.
    pub fn image_in_use(which: &str, path: &Path) -> Self {
        let text = format!("symbols come from {which}: {path:?}");
        Self {
            kind: NoticeKind::ImageInUse(path.to_owned()),
            text,
        }
    }

    /// Creates a notice that symbols come from the image next to the trace.
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
