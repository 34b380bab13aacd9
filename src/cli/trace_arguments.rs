//! Arguments that all queries about a trace share.

use std::path::PathBuf;

use clap::Args;

use super::options::{ReportOptions, TraceOptions};

/// Syntax of positions and addresses: help text below the options of commands that take them.
pub const WORDS: &str = "\
A position POS is one of
  N         after N steps (0 is the start), also 1,250
  start     end     50%
  line:N    after the step to which line N of the trace belongs
  i:N r:N   after the N-th instruction; after the step to which record N belongs, as DynamoRIO's tools count
  time:T    after the last step whose time is at most T
  pc:ADDR   before the first step at that address; pc:ADDR#K: before the K-th
An address ADDR is an expression of numbers, registers, symbols and memory, with the operators of C:
  sp+8   [sp+8] what memory holds there, as wide as a pointer   u8[x0] u16[x0] u32[x0] u64[x0]
  ( ) + - ~ !   * / %   + -   << >>   < <= > >=   == !=   &   ^   |   &&   ||   reg::x0 sym::x0
Numbers are in C syntax. Hexadecimal digits without 0x, as listings print addresses, are read so where C has no such
number (8ffff5e0), where the trace uses that address and not the decimal one, and from five digits on where it uses both
or none; a note says which reading was used. pc: and find pc mean every symbol of a name, a cell has to be one.";

/// A trace and the options that all queries share.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub options: TraceOptions,
    #[command(flatten)]
    pub report: ReportOptions,
}
