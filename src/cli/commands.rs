//! The list of subcommands in the order of the help.
//!
//! `stepback completions` and `stepback man`: files that packages install with the program.

use std::io::Write as _;
use std::path::PathBuf;
use std::{fs, io};

use anyhow::{Context as _, Result};
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand, value_parser};
use clap_complete::Shell;

use crate::cli::at::AtArguments;
use crate::cli::browse::BrowseArguments;
use crate::cli::callinfo::CallinfoArguments;
use crate::cli::calltree::CalltreeArguments;
use crate::cli::check::CheckArguments;
use crate::cli::convert::ConvertArguments;
use crate::cli::counts::{CountsArguments, HeatArguments};
use crate::cli::diff::DiffArguments;
use crate::cli::effects::EffectsArguments;
use crate::cli::find::FindArguments;
use crate::cli::flamegraph::FlamegraphArguments;
use crate::cli::heap::HeapArguments;
use crate::cli::index::IndexArguments;
use crate::cli::info::InfoArguments;
use crate::cli::list::ListArguments;
use crate::cli::profile::ProfileArguments;
use crate::cli::question::{AboutProgram, Command, WORDS};
use crate::cli::report::{OutputError, STANDARD_OUTPUT};
use crate::cli::syscalls::SyscallsArguments;
use crate::cli::threads::{TasksArguments, ThreadsArguments};
use crate::cli::truncate::TruncateArguments;
use crate::cli::vcd::VcdArguments;
use crate::cli::why::WhyArguments;
use crate::cli::{browse, callinfo, calltree, check, flamegraph, profile, threads};

static COMMANDS: [SubcommandEntry; 25] = [
    SubcommandEntry::browser("browse", "The browser in the terminal").with_help(browse::HELP),
    SubcommandEntry::new::<IndexArguments>("index", "Build the index, or say that it is fresh"),
    SubcommandEntry::new::<InfoArguments>("info", "What the trace is"),
    SubcommandEntry::new::<ListArguments>("list", "Steps with what they did").with_help(WORDS),
    SubcommandEntry::new::<AtArguments>("at", "Registers and memory at a position")
        .with_help(WORDS),
    SubcommandEntry::new::<FindArguments>(
        "find",
        "Who wrote, read or executed it; where a text or a value occurs",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<WhyArguments>(
        "why",
        "Where a value comes from: the steps that made it, newest first",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<CalltreeArguments>("calltree", "The calls as a tree")
        .with_help(calltree::HELP),
    SubcommandEntry::new::<CallinfoArguments>("callinfo", "When functions were reached")
        .with_help(callinfo::HELP),
    SubcommandEntry::new::<ProfileArguments>(
        "profile",
        "How often functions were called, and how long they took",
    )
    .with_help(profile::HELP),
    SubcommandEntry::new::<FlamegraphArguments>(
        "flamegraph",
        "The time spent in each call stack, as folded lines or drawn",
    )
    .with_help(flamegraph::HELP),
    SubcommandEntry::new::<DiffArguments>(
        "diff",
        "What differs between two positions, or between two calls",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<EffectsArguments>(
        "effects",
        "What a call, a round of a loop or a range of steps reads and writes",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<CountsArguments>(
        "counts",
        "Totals: instructions, accesses, markers; by thread",
    ),
    SubcommandEntry::new::<CheckArguments>("check", "What is wrong with the trace, by rule")
        .with_help(check::HELP),
    SubcommandEntry::new::<SyscallsArguments>(
        "syscalls",
        "System calls: how often, how many failed, how long they took",
    ),
    SubcommandEntry::new::<ThreadsArguments>(
        "threads",
        "The threads: what each did, when, where, and how it ended",
    ),
    SubcommandEntry::new::<TasksArguments>(
        "tasks",
        "The tasks of an operating system: when each ran, and for how long",
    )
    .with_help(threads::HELP),
    SubcommandEntry::new::<HeapArguments>(
        "heap",
        "What was allocated and freed, where the recorder traced the functions of the heap",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<HeatArguments>(
        "heat",
        "Which pages of memory are read and written how often",
    )
    .with_help(WORDS),
    SubcommandEntry::new::<VcdArguments>("vcd", "A waveform of the trace, for wave viewers")
        .with_help(WORDS),
    SubcommandEntry::new::<TruncateArguments>(
        "truncate",
        "A copy of the trace up to where it only repeats itself",
    ),
    SubcommandEntry::new::<ConvertArguments>("convert", "The trace in another style, or unpacked"),
    SubcommandEntry::about_program::<CompletionsArguments>(
        "completions",
        "What lets a shell complete commands and options",
    )
    .with_help(COMPLETIONS_HELP),
    SubcommandEntry::about_program::<ManArguments>("man", "The man pages, as files")
        .with_help(MAN_HELP),
];

/// A subcommand in the list.
struct SubcommandEntry {
    name: &'static str,
    about: &'static str,
    /// Help text below the options.
    help: Option<&'static str>,
    define: fn(clap::Command) -> clap::Command,
    read: fn(&ArgMatches) -> Result<SubcommandAction, Error>,
}

impl SubcommandEntry {
    const fn new<T: Command + Args + 'static>(name: &'static str, about: &'static str) -> Self {
        let read = |matches: &ArgMatches| {
            Ok(SubcommandAction::Command(Box::new(T::from_arg_matches(
                matches,
            )?)))
        };
        Self {
            name,
            about,
            help: None,
            define: T::augment_args,
            read,
        }
    }

    const fn about_program<T: AboutProgram + Args + 'static>(
        name: &'static str,
        about: &'static str,
    ) -> Self {
        let read = |matches: &ArgMatches| {
            Ok(SubcommandAction::AboutProgram(Box::new(
                T::from_arg_matches(matches)?,
            )))
        };
        Self {
            name,
            about,
            help: None,
            define: T::augment_args,
            read,
        }
    }

    const fn browser(name: &'static str, about: &'static str) -> Self {
        let read = |matches: &ArgMatches| {
            Ok(SubcommandAction::Browser(Box::new(
                BrowseArguments::from_arg_matches(matches)?,
            )))
        };
        Self {
            name,
            about,
            help: None,
            define: BrowseArguments::augment_args,
            read,
        }
    }

    const fn with_help(self, help: &'static str) -> Self {
        Self {
            help: Some(help),
            ..self
        }
    }

    fn definition(&self) -> clap::Command {
        // The arguments come first: the documentation of their group must not become that of the
        // command.
        let command = (self.define)(clap::Command::new(self.name))
            .about(self.about)
            .long_about(None);
        let has_trace = command
            .get_arguments()
            .any(|argument| argument.get_id() == "trace");
        // The window and the browser define it themselves.
        let command = match has_trace
            && !command
                .get_arguments()
                .any(|argument| argument.get_id() == "demo")
        {
            true => command.arg(demo_argument()),
            false => command,
        };
        match self.help {
            Some(help) => command.after_help(help),
            None => command,
        }
    }
}

/// Identifier of the option that stands for the trace, where the subcommand itself knows nothing of it.
pub const DEMO: &str = "demo-trace";

fn demo_argument() -> Arg {
    Arg::new(DEMO)
        .long("demo")
        .action(ArgAction::SetTrue)
        .help("Use the demo that the program carries as TRACE")
}

/// The subcommand on the command line.
#[derive(Debug)]
pub struct ChosenCommand {
    /// Name of the subcommand.
    pub name: &'static str,
    /// Its action, with the arguments.
    pub chosen: SubcommandAction,
}

/// Action of a subcommand, with its arguments.
#[derive(Debug)]
pub enum SubcommandAction {
    /// A query about a trace.
    Command(Box<dyn Command>),
    /// The browser in the terminal.
    Browser(Box<BrowseArguments>),
    /// A description of the program itself.
    AboutProgram(Box<dyn AboutProgram>),
}

impl FromArgMatches for ChosenCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let chosen = matches
            .subcommand()
            .and_then(|(name, matches)| Some((entry(name)?, matches)));
        let Some((entry, matches)) = chosen else {
            return Err(Error::raw(
                ErrorKind::MissingSubcommand,
                "a subcommand is missing",
            ));
        };
        (entry.read)(matches).map(|chosen| Self {
            name: entry.name,
            chosen,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for ChosenCommand {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        command.subcommands(COMMANDS.iter().map(SubcommandEntry::definition))
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        entry(name).is_some()
    }
}

/// Returns the names of all subcommands, in the order of the help.
pub fn subcommand_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|entry| entry.name)
}

fn entry(name: &str) -> Option<&'static SubcommandEntry> {
    COMMANDS.iter().find(|entry| entry.name == name)
}

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
