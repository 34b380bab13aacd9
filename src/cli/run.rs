//! Runs the parsed command line and returns the exit status.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::arguments::Arguments;
use super::browse_run;
use super::command::TextOnly;
use super::commands::Chosen;
use super::misspelt::Misspelt;
use super::progress::say;
use super::report::OutputError;
use super::window::{self, FrontEnds};
use stepback_debugger::session::TraceFiles;

/// Runs the command. `front` supplies the window and the browser, on which the command line must
/// not depend.
pub fn run(arguments: &Arguments, front: FrontEnds) -> ExitCode {
    let outcome = match &arguments.command {
        Some(chosen) => match &chosen.chosen {
            Chosen::Browser(arguments) => browse_run::run(arguments, front.browser),
            chosen => answer(chosen).map(|()| ExitCode::SUCCESS),
        },
        None => window::run(&arguments.window, front),
    };
    match outcome {
        Ok(code) => code,
        Err(error)
            if error
                .downcast_ref()
                .is_some_and(OutputError::is_reader_gone) =>
        {
            ExitCode::SUCCESS
        }
        Err(error) if error.is::<Misspelt>() => wrong_command_line(
            &error.to_string(),
            arguments.command.as_ref().map(|chosen| chosen.name),
        ),
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a usage error in clap's format, with the usage of the subcommand and status 2.
fn wrong_command_line(message: &str, subcommand: Option<&str>) -> ExitCode {
    let mut whole = Arguments::command();
    // Only then do subcommands know the name of the program.
    whole.build();
    let command = match subcommand.filter(|name| whole.find_subcommand(name).is_some()) {
        Some(name) => whole.find_subcommand_mut(name),
        None => Some(&mut whole),
    };
    let _unread = command.map(|command| command.error(ErrorKind::ValueValidation, message).print());
    ExitCode::from(2)
}

/// Runs a command. Checks its arguments and the trace's format first, so that no index is built in
/// vain.
fn answer(chosen: &Chosen) -> Result<()> {
    let command = match chosen {
        Chosen::Command(command) => command,
        Chosen::AboutProgram(about) => return about.write(Arguments::command()),
        // The browser is handled separately.
        Chosen::Browser(_) => return Ok(()),
    };
    command.check().map_err(Misspelt)?;
    if let Some(TextOnly { trace, advice }) = command
        .text_only()
        .filter(|only| TraceFiles::are_at(only.trace))
    {
        bail!("{advice}: {trace:?}");
    }
    command.run()
}
