//! `stepback schema`: the JSON Schema of a command's output.

use std::io;
use std::io::Write as _;

use anyhow::Result;
use clap::Args;

use crate::cli::cells::UsageError;
use crate::cli::commands::answer_forms;
use crate::cli::question::AboutProgram;
use crate::cli::report::{OutputError, STANDARD_OUTPUT};

/// Help text below the options.
pub const HELP: &str = "\
The schema describes a JSON value: the whole output, or for commands that print a value per line, each line.
Fields may be added later; none is renamed or removed while `info` prints \"schema\": 1.";

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// The command whose output is described.
    #[arg(value_name = "COMMAND")]
    pub command: String,
}

impl AboutProgram for SchemaArguments {
    fn write(&self, _: clap::Command) -> Result<()> {
        let Some(forms) = answer_forms(&self.command) else {
            return Err(UsageError(format!("no command {:?} prints JSON", self.command)).into());
        };
        let schema = forms.schema(&self.command);
        writeln!(io::stdout().lock(), "{schema:#}")
            .map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?;
        Ok(())
    }
}
