//! The list of subcommands in the order of the help.

use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};

use super::at::AtArguments;
use super::browse::{self, BrowseArguments};
use super::callinfo::{self, CallinfoArguments};
use super::calltree::{self, CalltreeArguments};
use super::check::{self, CheckArguments};
use super::command::{AboutProgram, Command};
use super::convert::ConvertArguments;
use super::counts::CountsArguments;
use super::diff::DiffArguments;
use super::effects::EffectsArguments;
use super::find::FindArguments;
use super::flamegraph::{self, FlamegraphArguments};
use super::heap::HeapArguments;
use super::heat::HeatArguments;
use super::index::IndexArguments;
use super::info::InfoArguments;
use super::list::ListArguments;
use super::profile::{self, ProfileArguments};
use super::shell::{self, CompletionsArguments, ManArguments};
use super::syscalls::SyscallsArguments;
use super::tasks::{self, TasksArguments};
use super::threads::ThreadsArguments;
use super::trace_arguments::WORDS;
use super::truncate::TruncateArguments;
use super::vcd::VcdArguments;
use super::why::WhyArguments;

static COMMANDS: [Entry; 25] = [
    Entry::browser("browse", "The browser in the terminal").with_help(browse::HELP),
    Entry::new::<IndexArguments>("index", "Build the index, or say that it is fresh"),
    Entry::new::<InfoArguments>("info", "What the trace is"),
    Entry::new::<ListArguments>("list", "Steps with what they did").with_help(WORDS),
    Entry::new::<AtArguments>("at", "Registers and memory at a position").with_help(WORDS),
    Entry::new::<FindArguments>(
        "find",
        "Who wrote, read or executed it; where a text or a value occurs",
    )
    .with_help(WORDS),
    Entry::new::<WhyArguments>(
        "why",
        "Where a value comes from: the steps that made it, newest first",
    )
    .with_help(WORDS),
    Entry::new::<CalltreeArguments>("calltree", "The calls as a tree").with_help(calltree::HELP),
    Entry::new::<CallinfoArguments>("callinfo", "When functions were reached")
        .with_help(callinfo::HELP),
    Entry::new::<ProfileArguments>(
        "profile",
        "How often functions were called, and how long they took",
    )
    .with_help(profile::HELP),
    Entry::new::<FlamegraphArguments>(
        "flamegraph",
        "The time spent in each call stack, as folded lines or drawn",
    )
    .with_help(flamegraph::HELP),
    Entry::new::<DiffArguments>(
        "diff",
        "What differs between two positions, or between two calls",
    )
    .with_help(WORDS),
    Entry::new::<EffectsArguments>(
        "effects",
        "What a call, a round of a loop or a range of steps reads and writes",
    )
    .with_help(WORDS),
    Entry::new::<CountsArguments>(
        "counts",
        "Totals: instructions, accesses, markers; by thread",
    ),
    Entry::new::<CheckArguments>("check", "What is wrong with the trace, by rule")
        .with_help(check::HELP),
    Entry::new::<SyscallsArguments>(
        "syscalls",
        "System calls: how often, how many failed, how long they took",
    ),
    Entry::new::<ThreadsArguments>(
        "threads",
        "The threads: what each did, when, where, and how it ended",
    ),
    Entry::new::<TasksArguments>(
        "tasks",
        "The tasks of an operating system: when each ran, and for how long",
    )
    .with_help(tasks::HELP),
    Entry::new::<HeapArguments>(
        "heap",
        "What was allocated and freed, where the recorder traced the functions of the heap",
    )
    .with_help(WORDS),
    Entry::new::<HeatArguments>(
        "heat",
        "Which pages of memory are read and written how often",
    )
    .with_help(WORDS),
    Entry::new::<VcdArguments>("vcd", "A waveform of the trace, for wave viewers").with_help(WORDS),
    Entry::new::<TruncateArguments>(
        "truncate",
        "A copy of the trace up to where it only repeats itself",
    ),
    Entry::new::<ConvertArguments>("convert", "The trace in another style, or unpacked"),
    Entry::about_program::<CompletionsArguments>(
        "completions",
        "What lets a shell complete commands and options",
    )
    .with_help(shell::COMPLETIONS_HELP),
    Entry::about_program::<ManArguments>("man", "The man pages, as files")
        .with_help(shell::MAN_HELP),
];

/// A subcommand in the list.
struct Entry {
    name: &'static str,
    about: &'static str,
    /// Help text below the options.
    help: Option<&'static str>,
    define: fn(clap::Command) -> clap::Command,
    read: fn(&ArgMatches) -> Result<Chosen, Error>,
}

impl Entry {
    const fn new<T: Command + Args + 'static>(name: &'static str, about: &'static str) -> Self {
        let read =
            |matches: &ArgMatches| Ok(Chosen::Command(Box::new(T::from_arg_matches(matches)?)));
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
            Ok(Chosen::AboutProgram(Box::new(T::from_arg_matches(
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

    const fn browser(name: &'static str, about: &'static str) -> Self {
        let read = |matches: &ArgMatches| {
            Ok(Chosen::Browser(Box::new(
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
        match self.help {
            Some(help) => command.after_help(help),
            None => command,
        }
    }
}

/// The subcommand on the command line.
#[derive(Debug)]
pub struct ChosenCommand {
    /// Name of the subcommand.
    pub name: &'static str,
    /// Its action, with the arguments.
    pub chosen: Chosen,
}

/// Action of a subcommand, with its arguments.
#[derive(Debug)]
pub enum Chosen {
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
        command.subcommands(COMMANDS.iter().map(Entry::definition))
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

fn entry(name: &str) -> Option<&'static Entry> {
    COMMANDS.iter().find(|entry| entry.name == name)
}
