//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::at::AtArguments;
use super::callinfo::{self, CallinfoArguments};
use super::calltree::{self, CalltreeArguments};
use super::convert::ConvertArguments;
use super::diff::DiffArguments;
use super::find::FindArguments;
use super::flamegraph::{self, FlamegraphArguments};
use super::heap::HeapArguments;
use super::heat::HeatArguments;
use super::list::ListArguments;
use super::options::{ReportOptions, TraceOptions};
use super::profile::{self, ProfileArguments};
use super::syscalls::SyscallsArguments;
use super::truncate::TruncateArguments;
use super::vcd::VcdArguments;

/// Shown below the options.
const WORDS: &str = "\
A position POS is one of
  N         after N steps (0 is the start), also 1,250
  start     end     50%
  line:N    after the step to which line N of the trace belongs
  i:N r:N   after the N-th instruction; after the step to which record N belongs, as DynamoRIO's tools count
  time:T    after the last step whose time is at most T
  pc:ADDR   before the first step at that address; pc:ADDR#K: before the K-th
An address ADDR is an expression of numbers, registers, symbols and memory, with the operators of C:
  sp+8   [sp+8] what memory holds there, as wide as a pointer   u8[x0] u16[x0] u32[x0] u64[x0]
  ( ) + - ~ !   * / %   + -   << >>   < <= > >=   == !=   &   ^   |   &&   ||   reg::x0 sym::x0";

/// A time-travel debugger for recorded CPU instruction traces. Without a subcommand it opens the window.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = WORDS)]
pub struct Arguments {
    /// What to do; nothing: open the window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What the window shows.
    #[command(flatten)]
    pub window: WindowArguments,
}

/// What the window shows.
#[derive(Debug, Args)]
pub struct WindowArguments {
    /// The trace to open; without one the start screen is shown.
    #[arg(value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Open the demo that the program carries.
    #[arg(long, conflicts_with = "trace")]
    pub demo: bool,
    /// Perform the actions of a file, one a line.
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Then save what the window shows.
    #[arg(long, value_name = "PNG")]
    pub screenshot: Option<PathBuf>,
    /// Size of the window.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Then end.
    #[arg(long)]
    pub quit: bool,
    /// How the trace is opened.
    #[command(flatten)]
    pub options: TraceOptions,
}

/// A question.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build the index, or say that it is fresh.
    Index(TraceArguments),
    /// What the trace is.
    Info(TraceArguments),
    /// Steps with what they did.
    #[command(after_help = WORDS)]
    List(ListArguments),
    /// Registers and memory at a position.
    #[command(after_help = WORDS)]
    At(AtArguments),
    /// Who wrote, read or executed it; where a text or a value occurs.
    #[command(after_help = WORDS)]
    Find(FindArguments),
    /// The calls as a tree.
    #[command(after_help = calltree::HELP)]
    Calltree(CalltreeArguments),
    /// When functions were reached.
    #[command(after_help = callinfo::HELP)]
    Callinfo(CallinfoArguments),
    /// How often functions were called, and how long they took.
    #[command(after_help = profile::HELP)]
    Profile(ProfileArguments),
    /// The time spent in each call stack, as folded lines or drawn.
    #[command(after_help = flamegraph::HELP)]
    Flamegraph(FlamegraphArguments),
    /// What differs between two positions.
    #[command(after_help = WORDS)]
    Diff(DiffArguments),
    /// Totals: instructions, accesses, markers; by thread.
    Counts(TraceArguments),
    /// System calls: how often, how many failed, how long they took.
    Syscalls(SyscallsArguments),
    /// The threads: what each did, when, where, and how it ended.
    Threads(TraceArguments),
    /// What was allocated and freed, where the recorder traced the functions of the heap.
    #[command(after_help = WORDS)]
    Heap(HeapArguments),
    /// Which pages of memory are read and written how often.
    #[command(after_help = WORDS)]
    Heat(HeatArguments),
    /// A waveform of the trace, for wave viewers.
    #[command(after_help = WORDS)]
    Vcd(VcdArguments),
    /// A copy of the trace up to where it only repeats itself.
    Truncate(TruncateArguments),
    /// The trace in another style.
    Convert(ConvertArguments),
}

/// A trace and the options that every subcommand has.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: PathBuf,
    /// How the trace is opened.
    #[command(flatten)]
    pub options: TraceOptions,
    /// How the answer is printed.
    #[command(flatten)]
    pub report: ReportOptions,
}

impl Command {
    /// The trace that is asked about, how it is opened, and how the answer is printed;
    /// none for what needs no index.
    pub fn common(&self) -> Option<&TraceArguments> {
        Some(match self {
            Self::Index(common) | Self::Info(common) | Self::Counts(common) | Self::Threads(common) => common,
            Self::Syscalls(syscalls) => &syscalls.common,
            Self::Heap(heap) => &heap.common,
            Self::Heat(heat) => &heat.common,
            Self::List(list) => &list.common,
            Self::At(at) => &at.common,
            Self::Find(find) => &find.common,
            Self::Calltree(calltree) => &calltree.common,
            Self::Callinfo(callinfo) => &callinfo.common,
            Self::Profile(profile) => &profile.common,
            Self::Flamegraph(flamegraph) => &flamegraph.common,
            Self::Diff(diff) => &diff.common,
            Self::Vcd(vcd) => &vcd.common,
            Self::Truncate(_) | Self::Convert(_) => return None,
        })
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides =
        text.split_once(['x', 'X']).and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides.filter(|(width, height)| *width > 0 && *height > 0).ok_or_else(|| "a size is written 1280x800".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[track_caller]
    fn check_size(text: &str, expected: Option<(u32, u32)>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn a_size_is_two_numbers_above_zero() {
        check_size("1280x800", Some((1280, 800)));
        check_size("0x800", None);
        check_size("1280", None);
        check_size("-1x5", None);
    }
}
