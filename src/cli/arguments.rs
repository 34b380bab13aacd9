//! The arguments of the program.

use clap::Parser;

use super::commands::ChosenCommand;
use super::trace_arguments::WORDS;
use super::window::WindowArguments;

/// A time-travel debugger for recorded CPU instruction traces. Without a subcommand it opens the
/// window.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = WORDS)]
pub struct Arguments {
    /// The subcommand; without one the window opens.
    #[command(subcommand)]
    pub command: Option<ChosenCommand>,
    #[command(flatten)]
    pub window: WindowArguments,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }
}
