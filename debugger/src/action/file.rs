//! Actions on files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::StepRange;
use crate::image::ImageSpec;
use crate::source::SourceMapping;

/// An action on a file: a trace, a session, an image, a source file or a picture.
///
/// An action without a path prompts for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileAction {
    /// Prompt for a trace with a file dialog.
    OpenDialog,
    /// Prompt for a directory that contains a trace.
    OpenDirectoryDialog,
    /// Open a trace.
    OpenPath(#[serde(with = "crate::paths")] PathBuf),
    /// Open files that were chosen together: a trace in several files, or a trace with its program
    /// images.
    OpenFiles(#[serde(with = "crate::paths")] Vec<PathBuf>),
    /// Open the built-in demo.
    OpenDemo,
    /// Open a session and its trace.
    OpenSession(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Open a session with the given trace: the session, then the trace.
    OpenSessionWith(
        #[serde(with = "crate::paths")] PathBuf,
        #[serde(with = "crate::paths")] PathBuf,
    ),
    /// Prompt for the trace of a session.
    LocateTrace(#[serde(with = "crate::paths")] PathBuf),
    /// Save the session to a file.
    SaveSession(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Save the session to the file that was named last.
    SaveSessionAgain,
    /// Read the trace again and rebuild its index.
    Reload,
    /// Open the trace again with another program image.
    AddImage(Option<ImageSpec>),
    /// Open the trace again with another directory that contains its program images.
    AddSysroot(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Prompt for the source file that the image refers to by this name.
    LocateSource(String),
    /// Map a source directory of the image to one on this machine.
    MoveSources(SourceMapping),
    /// Drop all source mappings but those of the command line.
    ForgetSources,
    /// Close the trace.
    CloseTrace,
    /// Remove an entry from the recent list.
    ForgetRecent(#[serde(with = "crate::paths")] PathBuf),
    /// Clear the recent list.
    ClearRecent,
    /// Stop indexing. The part that is indexed is kept.
    CancelIndexing,
    /// Index the rest of a trace after indexing was stopped.
    ContinueIndexing,
    /// Follow the trace as it grows, with the position at its end, or stop following.
    FollowTrace,
    /// Hide or show the indexing card.
    ToggleIndexingCard,
    /// Save a range as a trace; without a range, the selection in the timeline.
    SavePart(
        Option<StepRange>,
        #[serde(with = "crate::paths")] Option<PathBuf>,
    ),
    /// Save a picture of the window, or the screen as text.
    SavePicture(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Prompt for a file, suggesting a name, and write a text to it: the name, then the text.
    SaveText(String, String),
}
