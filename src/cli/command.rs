//! What every subcommand of the command line can do.

use std::fmt;
use std::path::Path;

use anyhow::Result;

/// A subcommand as it was typed.
///
/// Commands of the window are another thing: see [`stepback_debugger::keymap`].
pub trait Command: fmt::Debug {
    /// Says what is wrong with the spelling, as far as it shows without the trace.
    ///
    /// # Errors
    /// What is wrong, as a phrase.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Why it is not for traces without text; none where it is for every trace.
    fn text_only(&self) -> Option<TextOnly<'_>> {
        None
    }

    /// Does it.
    ///
    /// # Errors
    /// The trace could not be opened or read, or the answer not be handed over.
    fn run(&self) -> Result<()>;
}

/// A subcommand that writes what the program is, for others to install beside it.
pub trait AboutProgram: fmt::Debug {
    /// Writes it of the whole command line.
    ///
    /// # Errors
    /// It could not be written.
    fn write(&self, program: clap::Command) -> Result<()>;
}

/// A command is for traces of text alone.
#[derive(Clone, Copy, Debug)]
pub struct TextOnly<'a> {
    /// The trace that it was given.
    pub trace: &'a Path,
    /// What to use instead for others.
    pub advice: &'static str,
}
