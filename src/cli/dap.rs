//! `stepback dap`: lets an editor debug a trace.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::cli::options::TraceOptions;
use crate::cli::question::Command;
use crate::servers::dap::serve;

/// Help text below the options.
pub const HELP: &str = "\
An editor starts this program and talks to it over standard input and output in the Debug Adapter
Protocol. It steps by source line in both directions and runs back to breakpoints and to the
accesses of memory.
Without TRACE the editor names the trace in its launch configuration, as \"trace\"; further keys are
\"images\", \"loadOffset\", \"sourceMap\", \"position\", \"index\", \"format\", \"arch\", \"with\" and
\"sysroots\". The guide has configurations for VS Code and Neovim.";

#[derive(Debug, Args)]
pub struct DapArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub options: TraceOptions,
}

impl Command for DapArguments {
    fn run(&self) -> Result<()> {
        let trace = self.trace.clone().unwrap_or_default();
        serve(self.options.to_open_options(&trace))
    }
}
