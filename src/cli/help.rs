//! Help of the subcommands, and `stepback help`.
//!
//! `-h` is short: examples and the subcommand's own options. The options that all subcommands
//! share, and the syntax of positions and addresses, are topics of `stepback help`; `stepback help
//! COMMAND` leaves out only the former, and `--help` prints everything.

use anyhow::Result;
use clap::builder::StyledStr;
use clap::{Arg, Args, Command};
use stepback_debugger::keymap;
use stepback_debugger::keymap::{Area, key_text};

use crate::cli::commands::{DEMO, rare_subcommand_names, subcommand_names};
use crate::cli::error::CommandError;
use crate::cli::export::tables_help;
use crate::cli::near_names::near_names;
use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::question::AboutProgram;
use crate::cli::report::print;

/// Syntax of positions.
pub const POSITIONS: &str = "\
A position POS is a moment between two steps:
  N         after N steps (0 is the start), also 1,250
  start     end     50%
  line:N    after the step to which line N of the trace belongs
  time:T    after the last step whose time is at most T, a number or a date as `info` prints it:
            time:2026-11-22T02:18:29.000123
  pc:ADDR   before the first step at that address; pc:ADDR#K: before the K-th
  FILE:LINE before the first step at a line of a source file: main.c:12
  i:N r:N   after the N-th instruction; after the step to which record N belongs, as DynamoRIO's
            tools count";

/// Syntax of addresses.
pub const ADDRESSES: &str = "\
An address ADDR is an expression of numbers, registers, symbols and memory, with C's operators:
  sp+8      a register plus a number
  [sp+8]    the pointer in memory at sp+8; u8[x0] u16[x0] u32[x0] u64[x0]: a value of that size
  reg::x0   the register, sym::x0 the symbol, if both exist
  phys::A   a physical address, if the trace records translations
  operators ( ) + - ~ !  * / %  + -  << >>  < <= > >=  == !=  &  ^  |  && ||
Numbers are in C syntax. Hexadecimal digits without 0x, as listings print addresses, are accepted
where they cannot be a decimal number (8ffff5e0), where the trace uses that address and not the
decimal one, and from five digits on where it uses both or neither; a note says which reading was
used. ADDR:LEN is a range of LEN bytes. pc: and `find pc` accept a name of several functions and
mean all of them; a cell must be a single one.";

/// Last lines of the help of the program.
pub const SEE_ALSO: &str =
    "See also: stepback help COMMAND, stepback help options, positions, addresses, keys";

/// Texts of a subcommand that its definition does not contain.
#[derive(Clone, Copy)]
pub struct HelpTexts {
    /// Command lines, with an explanation after two spaces.
    pub examples: &'static str,
    /// Help text below the options.
    pub notes: &'static str,
    /// It takes positions or addresses.
    pub has_positions: bool,
}

/// Adds the texts to the help of a subcommand, and hides shared options in its short form.
pub fn with_help(command: Command, texts: HelpTexts) -> Command {
    let has_shared = command
        .get_arguments()
        .any(|argument| argument.get_id() == "force_index");
    let command = shorter(command);
    let mut topics = Vec::new();
    if has_shared {
        topics.push("stepback help options");
    }
    if texts.has_positions {
        topics.extend(["stepback help positions", "stepback help addresses"]);
    }
    let see = match topics.is_empty() {
        true => String::new(),
        false => format!("See also: {}", topics.join(", ")),
    };
    let syntax = match texts.has_positions {
        true => [POSITIONS, ADDRESSES].as_slice(),
        false => &[],
    };
    let long = [&[texts.notes][..], syntax].concat();
    let (short, long) = (paragraphs(&[texts.notes, &see]), paragraphs(&long));
    command
        .help_template(template(texts.examples))
        .after_help(short)
        .after_long_help(long)
}

/// Only names the less used subcommands, and leaves out the options about the trace.
pub fn brief(program: Command) -> Command {
    let rare = rare_subcommand_names();
    let program = rare.iter().fold(program, |program, name| {
        program.mut_subcommand(name, |command| command.hide(true))
    });
    let more = format!("More commands: {} (see stepback help)", rare.join(", "));
    program
        .mut_args(|argument| match argument.get_id() == "images" {
            true => argument.hide_short_help(true),
            false => argument,
        })
        .after_help(format!("{more}\n{SEE_ALSO}"))
}

/// Hides shared options in the short help, except the most used ones.
pub fn shorter(command: Command) -> Command {
    let is_rare = rare_options();
    command.mut_args(|argument| {
        let is_hidden = argument.is_hide_short_help_set() || is_rare(&argument);
        argument.hide_short_help(is_hidden)
    })
}

/// Replaces shared options in the long help, except the most used ones, by the topic about them.
fn without_shared(command: Command) -> Command {
    let is_rare = rare_options();
    if !command.get_arguments().any(&is_rare) {
        return command;
    }
    let notes = command.get_after_long_help().map(StyledStr::to_string);
    let see = "See also: stepback help options";
    let notes = paragraphs(&[notes.as_deref().unwrap_or_default(), see]);
    command.after_long_help(notes).mut_args(|argument| {
        let is_hidden = is_rare(&argument);
        argument.hide_long_help(is_hidden)
    })
}

/// Returns a test for the shared options that are seldom needed.
fn rare_options() -> impl Fn(&Arg) -> bool {
    let shared = shared_options();
    move |argument| {
        let id = argument.get_id().as_str();
        !["json", "output", "images"].contains(&id) && shared.iter().any(|shared| shared == id)
    }
}

fn paragraphs(parts: &[&str]) -> String {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| part.trim_end())
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n")
}

/// Returns the layout of a help text with examples after the usage.
pub fn template(examples: &str) -> StyledStr {
    let examples = match examples.is_empty() {
        true => String::new(),
        false => format!("Examples:\n{}\n\n", indented(examples)),
    };
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{examples}{{all-args}}{{after-help}}"
    )
    .into()
}

fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// Returns the identifiers of the options that all queries share.
pub fn shared_options() -> Vec<String> {
    let all = ReportOptions::augment_args(TraceOptions::augment_args(Command::new("")));
    let ids = all
        .get_arguments()
        .map(|argument| argument.get_id().to_string());
    ids.chain([DEMO.to_owned()]).collect()
}

/// Returns a help text with only the shared options, laid out for some columns; without them, for
/// the terminal.
pub fn shared_options_help(columns: Option<usize>) -> String {
    // Options refer to the trace.
    let trace = Arg::new("trace").hide(true);
    let command = Command::new("stepback").arg(trace);
    let command = ReportOptions::augment_args(TraceOptions::augment_args(command))
        .disable_help_flag(true)
        .help_template("{all-args}");
    let mut command = match columns {
        Some(columns) => command.term_width(columns),
        None => command,
    };
    format!(
        "Options of all commands that take a trace. --demo replaces the trace.\n\n{}",
        command.render_long_help()
    )
}

/// Topics that are no commands.
const TOPICS: [&str; 5] = ["options", "positions", "addresses", "keys", "columns"];

/// Wraps a text to the terminal, as clap does with help texts.
fn wrapped(text: &str) -> String {
    let command = Command::new("stepback").disable_help_flag(true);
    let mut command = command
        .help_template("{after-help}")
        .after_help(text.to_owned());
    command.render_help().to_string()
}

#[derive(Debug, Args)]
pub struct HelpArguments {
    /// A command, or one of options, positions, addresses, keys, columns.
    #[arg(value_name = "TOPIC")]
    pub topic: Option<String>,
}

impl AboutProgram for HelpArguments {
    fn write(&self, mut program: Command) -> Result<()> {
        program.build();
        let text = match self.topic.as_deref() {
            None => program.render_help().to_string(),
            Some("options") => shared_options_help(None),
            Some("positions") => wrapped(POSITIONS),
            Some("addresses") => wrapped(ADDRESSES),
            Some("keys") => keys(),
            Some("columns") => tables_help(),
            Some(name) => match program.find_subcommand(name) {
                Some(command) => without_shared(command.clone())
                    .render_long_help()
                    .to_string(),
                None => {
                    let names: Vec<_> = subcommand_names().collect();
                    let near = near_names(name, || TOPICS.into_iter().chain(subcommand_names()));
                    let meant = match near.is_empty() {
                        true => String::new(),
                        false => format!("; did you mean {}?", near.join(" or ")),
                    };
                    return Err(CommandError::Usage(format!(
                        "no help on {name:?}{meant} (the topics are {}, and the commands {})",
                        TOPICS.join(", "),
                        names.join(", ")
                    ))
                    .into());
                }
            },
        };
        print(&format!("{}\n", text.trim_end()))
    }
}

/// Returns the default keys of the window, by menu, and those of the terminal browser, by pane.
fn keys() -> String {
    let mut text = String::from("Keys of the window. All of them can be changed.\n");
    for area in Area::ALL {
        let rows: Vec<_> = keymap::commands()
            .iter()
            .filter(|command| command.area == area && !command.default_keys.is_empty())
            .map(|command| {
                let keys: Vec<_> = command.default_keys.iter().map(key_text).collect();
                format!("  {:<28} {}\n", keys.join(", "), command.label())
            })
            .collect();
        if !rows.is_empty() {
            text.push_str(&format!("\n{}\n{}", area.name(), rows.concat()));
        }
    }
    #[cfg(feature = "terminal")]
    {
        text.push_str("\nKeys of the terminal browser.\n");
        text.push_str(&stepback_terminal::key_table());
    }
    text
}
