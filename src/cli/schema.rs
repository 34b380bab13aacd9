//! `stepback schema`: the JSON Schema of a command's output.

use anyhow::Result;
use clap::Args;

use crate::cli::commands::answer_forms;
use crate::cli::error::CommandError;
use crate::cli::question::AboutProgram;
use crate::cli::report::print;

/// Help text below the options.
pub const HELP: &str = "\
The schema describes one JSON value: the whole output or, for commands that print one value per
line, each line.
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
            return Err(
                CommandError::Usage(format!("no command {:?} prints JSON", self.command)).into(),
            );
        };
        let schema = forms.schema(&self.command);
        print(&format!("{schema:#}\n"))
    }
}
