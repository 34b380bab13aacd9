//! `stepback dap`: lets an editor debug a trace.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::progress;
use crate::cli::question::Command;
use crate::servers::dap::serve;

/// Help text below the options.
pub const HELP: &str = "\
An editor starts this program and talks to it over standard input and output in the Debug Adapter
Protocol. It steps by source line in both directions and runs back to breakpoints and to the
accesses of memory.
Without TRACE the editor names the trace in its launch configuration, as \"trace\"; further keys are
\"images\", \"loadOffset\", \"sourceMap\", \"position\", \"index\", \"format\", \"arch\", \"with\",
\"sysroots\", \"recordLayout\", \"bigEndian\" and \"implicitThumb\". The guide has configurations for
VS Code and Neovim.";

#[derive(Debug, Args)]
pub struct DapArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub options: TraceOptions,
}

impl Command for DapArguments {
    fn check(&self) -> Result<(), String> {
        if self.options.so_far {
            return Err("an editor needs the whole trace: leave out --so-far".to_owned());
        }
        if self.options.only_index && self.trace.is_none() {
            return Err("--only-index needs a trace".to_owned());
        }
        Ok(())
    }

    fn run(&self) -> Result<()> {
        let trace = self.trace.clone().unwrap_or_default();
        let options = self.options.to_open_options(&trace);
        if self.options.only_index {
            return progress::open(&options, &ReportOptions::default()).map(drop);
        }
        serve(options)
    }
}
