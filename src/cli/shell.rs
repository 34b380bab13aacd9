//! `stepback completions` and `stepback man`: files that packages install with the program.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, value_parser};
use clap_complete::Shell;

use super::command::AboutProgram;
use super::report::{OutputError, STANDARD_OUTPUT};

/// Help on installing completions.
pub const COMPLETIONS_HELP: &str = "\
Bash:  stepback completions bash > ~/.local/share/bash-completion/completions/stepback
Zsh:   stepback completions zsh > DIR/_stepback, where DIR is one of $fpath
Fish:  stepback completions fish > ~/.config/fish/completions/stepback.fish
";

/// Help on the names of man pages.
pub const MAN_HELP: &str = "\
Writes stepback.1, and for each subcommand stepback-SUBCOMMAND.1; read one with `man -l DIR/stepback.1`.
";

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell that completes.
    #[arg(value_name = "SHELL", value_parser = value_parser!(Shell))]
    pub shell: Shell,
}

impl AboutProgram for CompletionsArguments {
    fn write(&self, mut program: clap::Command) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut program, "stepback", &mut text);
        io::stdout()
            .lock()
            .write_all(&text)
            .map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub struct ManArguments {
    /// The directory for the pages; created if missing.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

impl AboutProgram for ManArguments {
    fn write(&self, program: clap::Command) -> Result<()> {
        let refused = || format!("the pages could not be written into {:?}", self.directory);
        fs::create_dir_all(&self.directory).with_context(refused)?;
        clap_mangen::generate_to(program, &self.directory).with_context(refused)
    }
}
