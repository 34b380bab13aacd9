//! Arguments of `stepback mcp`, the server for agents ([`McpArguments`]).

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use stepback_debugger::session::{IndexPolicy, OpenOptions};

use crate::cli::compare::options_of_other;
use crate::cli::options::{ImageArgument, ReportOptions, TraceOptions};
use crate::cli::question::TraceArguments;

/// Help text below the options.
pub const HELP: &str = "\
The server speaks the Model Context Protocol: JSON-RPC messages, one per line, on standard input and
output. It ends when standard input does. A client starts it with these words:
  {\"mcpServers\": {\"stepback\": {\"command\": \"stepback\", \"args\": [\"mcp\", \"/traces/boot.tarmac\"]}}}

An index that belongs to the trace is used; otherwise one is built in memory, and no file is written
unless --index or --force-index requests it. For a large trace, run stepback index before.";

#[derive(Debug, Args)]
pub struct McpArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: PathBuf,
    /// Another trace for the tool compare.
    #[arg(long, value_name = "B")]
    pub compare: Option<PathBuf>,
    /// An image of B, if those of TRACE are of another build or lie elsewhere in B; may be given
    /// several times.
    #[arg(
        long = "other-image",
        value_name = "ELF[@OFFSET]",
        requires = "compare"
    )]
    pub other_images: Vec<ImageArgument>,
    /// A file of differences that do not count (TOML).
    #[arg(long, value_name = "FILE", requires = "compare")]
    pub rules: Option<PathBuf>,
    #[command(flatten)]
    pub options: TraceOptions,
}

/// Answers requests until the client goes away.
///
/// `main` passes this in because the command line must not depend on the servers.
pub type ServeMcp = fn(&McpArguments) -> Result<()>;

impl McpArguments {
    /// Returns the options to open the trace. Without a request for an index, none is written.
    pub fn open_options(&self) -> OpenOptions {
        let open = self.options.to_open_options(&self.trace);
        let is_requested =
            self.options.index.is_some() || self.options.so_far || self.options.only_index;
        match open.policy {
            IndexPolicy::Auto if !is_requested => OpenOptions {
                policy: IndexPolicy::InMemory,
                ..open
            },
            _ => open,
        }
    }

    /// Returns the options to open the trace to compare with. Its index is never written.
    pub fn other_options(&self) -> Option<OpenOptions> {
        let other = self.compare.as_deref()?;
        Some(OpenOptions {
            policy: IndexPolicy::InMemory,
            ..options_of_other(&self.options, other, &self.other_images)
        })
    }

    /// Returns the arguments of queries, which print JSON.
    pub fn trace_arguments(&self) -> TraceArguments {
        TraceArguments {
            trace: self.trace.clone(),
            options: self.options.clone(),
            report: ReportOptions {
                json: true,
                quiet: true,
                ..ReportOptions::default()
            },
        }
    }
}
