//! Program state without its drawing: the open trace, the opening under way, waiting actions, undo,
//! scripts, saving.
//!
//! A [`Program`] has this state. A front end has the program and implements [`Shell`]: messages,
//! prompts, panels. The functions of this module drive both: they take the shell, reach the program
//! through it, and call back to show or prompt for something.
//!
//! Scripted runs neither read nor save settings and sessions unless a line says so, wait for the
//! whole index (except for a followed trace) and ignore the pointer. So the same script always
//! produces the same picture.

mod apply;
mod file_watch;
mod files;
mod opening;
mod prompt;
mod shell;
mod state;
mod sync;
#[cfg(test)]
mod tests;

pub use crate::program::apply::{advance, close, next_of_script, take_news};
pub use crate::program::files::keep_session;
pub use apply::{apply_queue, perform};
pub use file_watch::WatchPace;
pub use opening::{begin_held, open};
pub use prompt::{FilePurpose, PickedKind, Prompt};
pub use shell::{PanelArrangement, Report, Shell, report};
pub use state::{Failure, PanelsSnapshot, Program, RunMode, UndoSnapshot, UserLayout, Wake};
