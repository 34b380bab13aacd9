//! Actions on the program itself ([`AppAction`]), on files ([`FileAction`]) and on the user's notes
//! about a trace ([`MarkAction`]).
//!
//! A file action without a path prompts for one.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::action::{ComparisonRule, StepRange};
use crate::image::ImageSpec;
use crate::messages::LanguageChoice;
use crate::notes::{BookmarkChange, WatchChange};
use crate::source::SourceMapping;

/// Use of a font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontRole {
    /// Labels, menus, hints.
    Interface,
    /// Code and numbers.
    FixedWidth,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontChange {
    /// Use a font file; without a path, prompt for one.
    File(FontRole, #[serde(with = "crate::paths")] Option<PathBuf>),
    /// Use the built-in font again.
    BuiltIn(FontRole),
    /// Make interface text larger (1), smaller (-1) or normal (0) relative to code.
    InterfaceText(i8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// The desktop's.
    #[default]
    System,
    Dark,
    Light,
    /// Dark, for colour-blind users.
    SafeDark,
    /// Light, for colour-blind users.
    SafeLight,
}

/// Name of a command, as scripts spell it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandName(pub String);

/// An action on the program itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AppAction {
    /// Put the cursor into the field "Go to".
    FocusGoTo,
    /// Open the command palette.
    CommandPalette,
    /// Open the command palette at the argument of a command.
    AskFor(CommandName),
    /// Show the keys.
    KeyboardHelp,
    /// Show the version and the licence.
    About,
    /// Choose the theme.
    Theme(ThemeChoice),
    /// Choose the language.
    Language(LanguageChoice),
    /// Use the built-in file browser even where the desktop has a dialog, or the dialog again.
    ToggleOwnBrowser,
    /// Open the settings.
    Settings,
    /// Show source lines in the rows of traces, or hide them.
    ToggleRowLines,
    /// Choose the keys of a command; an empty list removes them.
    SetKeys(CommandName, Vec<String>),
    /// Restore the default keys of a command, or of all.
    ResetKeys(Option<CommandName>),
    /// Write the chosen keys to a file.
    ExportKeys,
    /// Read keys from a file; without a path, prompt for one.
    ImportKeys(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Make text larger (1), smaller (-1) or normal (0).
    Zoom(i8),
    /// Change the fonts.
    Font(FontChange),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Close a toast by its number.
    DismissToast(u64),
    /// Close all toasts.
    DismissToasts,
    /// End the program.
    Quit,
}

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
    /// Open files that were dropped together: also two traces, which are compared.
    OpenDropped(#[serde(with = "crate::paths")] Vec<PathBuf>),
    /// Open the built-in demo.
    OpenDemo,
    /// Compare the open trace with another one.
    CompareTrace(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Compare again with the rules of a file.
    CompareRules(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Compare again and ignore some differences.
    IgnoreDifferences(ComparisonRule),
    /// Compare again and no longer ignore some differences.
    CountDifferences(ComparisonRule),
    /// Open a session and its trace.
    OpenSession(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Open a session with the given trace: the session, then the trace.
    OpenSessionWith(
        #[serde(with = "crate::paths")] PathBuf,
        #[serde(with = "crate::paths")] PathBuf,
    ),
    /// Prompt for the trace of a session.
    LocateTrace(#[serde(with = "crate::paths")] PathBuf),
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
    /// Keep other programs at the position, or stop.
    SyncPrograms,
    /// Let gdb debug the trace, or stop.
    ServeToGdb,
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

/// A change of the user's notes about a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MarkAction {
    /// Add or change a watch.
    Watch(WatchChange),
    /// Add or change a value that the timeline plots.
    Wave(WatchChange),
    /// Add or change bookmarks.
    Bookmark(BookmarkChange),
    /// Bookmark the range that is selected in the timeline, with a name.
    BookmarkSelection(String),
    /// Undo the last change of notes or panels.
    Undo,
    /// Redo what was undone.
    Redo,
}
