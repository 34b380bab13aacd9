//! The traits that subcommands implement.

use std::fmt;
use std::path::Path;

use anyhow::Result;

/// A parsed subcommand.
///
/// The window's commands are unrelated: see [`stepback_debugger::keymap`].
pub trait Command: fmt::Debug {
    /// Checks the arguments, before the trace is opened.
    ///
    /// # Errors
    /// A phrase that says what is wrong.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Returns a restriction to text formats. None if the command accepts every trace.
    fn text_only(&self) -> Option<TextOnly<'_>> {
        None
    }

    /// Runs the subcommand.
    ///
    /// # Errors
    /// The trace cannot be opened or read, or the answer cannot be written.
    fn run(&self) -> Result<()>;
}

/// A subcommand that writes a description of the program, for packages to install with it.
pub trait AboutProgram: fmt::Debug {
    /// Writes the description of the whole command line.
    ///
    /// # Errors
    /// The description cannot be written.
    fn write(&self, program: clap::Command) -> Result<()>;
}

/// Restriction of a command to text traces.
#[derive(Clone, Copy, Debug)]
pub struct TextOnly<'a> {
    /// The trace argument.
    pub trace: &'a Path,
    /// Alternative to suggest for other formats.
    pub advice: &'static str,
}
