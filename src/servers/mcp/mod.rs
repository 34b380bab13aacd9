//! `stepback mcp`: the Model Context Protocol over standard input and output, for agents that
//! debug with a trace.
//!
//! Messages are JSON-RPC 2.0, one per line. A thread reads them ([`message`]) and answers all but
//! the calls of tools, which a worker answers one after the other ([`serve`]). The tools
//! ([`catalog`]) are the queries of the subcommands, whose JSON values become the rows of pages of
//! at most 4 kB ([`page`]). Nothing is written, and no tool takes the name of a file.

mod catalog;
mod compact;
mod cursor;
mod failure;
mod message;
mod opened;
mod other_trace;
mod output;
mod page;
mod rows;
mod serve;
mod tool_arguments;
mod tool_result;
mod tools;

pub use serve::serve;
