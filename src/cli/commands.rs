//! The list of subcommands in the order of the help, and `stepback completions`.

use anyhow::Result;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand, value_parser};
use clap_complete::Shell;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::at::AtArguments;
use crate::cli::browse::BrowseArguments;
use crate::cli::callinfo::CallinfoArguments;
use crate::cli::calltree::CalltreeArguments;
use crate::cli::check::CheckArguments;
use crate::cli::compare::CompareArguments;
use crate::cli::convert::ConvertArguments;
use crate::cli::counts::HeatArguments;
use crate::cli::cut::CutArguments;
use crate::cli::dap::DapArguments;
use crate::cli::diff::DiffArguments;
use crate::cli::effects::EffectsArguments;
use crate::cli::export::ExportArguments;
use crate::cli::find::FindArguments;
use crate::cli::flamegraph::FlamegraphArguments;
use crate::cli::gdbserver::GdbserverArguments;
use crate::cli::heap::HeapArguments;
use crate::cli::help::{self, HelpArguments, HelpTexts};
use crate::cli::index::IndexArguments;
use crate::cli::info::InfoArguments;
use crate::cli::list::ListArguments;
use crate::cli::locals::LocalsArguments;
use crate::cli::man::{MAN_HELP, ManArguments};
use crate::cli::mcp::McpArguments;
use crate::cli::profile::ProfileArguments;
use crate::cli::question::{AboutProgram, Command, Question, TraceArguments};
use crate::cli::report::{Report, print};
use crate::cli::schema::{self, SchemaArguments};
use crate::cli::syscalls::SyscallsArguments;
use crate::cli::template::TemplateArguments;
use crate::cli::threads::TasksArguments;
use crate::cli::truncate::TruncateArguments;
use crate::cli::vcd::VcdArguments;
use crate::cli::why::WhyArguments;
use crate::cli::{
    at, browse, callinfo, calltree, check, compare, convert, counts, cut, dap, diff, effects,
    export, find, flamegraph, gdbserver, heap, index, info, list, locals, mcp, profile, syscalls,
    template, threads, truncate, vcd, why,
};

static COMMANDS: [SubcommandEntry; 35] = [
    SubcommandEntry::browser("browse", "Show the trace in the terminal")
        .with_examples(
            "\
stepback browse --demo                open the demo
stepback browse boot.tarmac@50%       open a trace in the middle",
        )
        .with_notes(browse::HELP),
    SubcommandEntry::new::<IndexArguments>("index", "Build the index of a trace")
        .with_json(index::forms)
        .with_examples(
            "\
stepback index boot.tarmac            build the index, or say that it is up to date
stepback index boot.tarmac --force-index",
        )
        .rare(),
    SubcommandEntry::new::<InfoArguments>("info", "Describe a trace")
        .with_json(info::forms)
        .with_examples(
            "\
stepback info --demo                  format, size, threads, times, warnings
stepback info boot.tarmac --json      the same as JSON
stepback info --demo --sections       also what takes up the index file",
        ),
    SubcommandEntry::new::<ListArguments>("list", "List steps with their effects")
        .with_json(list::forms)
        .with_examples(
            "\
stepback list --demo --count 20       the first 20 steps
stepback list --demo --from pc:main --count 20
stepback list app.dir --records       every record of a binary trace",
        )
        .with_positions(),
    SubcommandEntry::new::<AtArguments>("at", "Show registers, memory and the stack at a position")
        .with_json(at::forms)
        .with_examples(
            "\
stepback at --demo 50%                the registers halfway through the trace
stepback at --demo end --mem sp:64    also 64 bytes of memory at sp
stepback at --demo end --stack        the call stack, with arguments",
        )
        .with_positions(),
    SubcommandEntry::new::<LocalsArguments>(
        "locals",
        "Show local variables and arguments at a position",
    )
    .with_json(locals::forms)
    .with_examples(
        "\
stepback locals --demo --at 20344     the variables of the function that runs
stepback locals --demo --at 20344 --frame 1   those of its caller
stepback locals --demo --at 20344 --frame 1 'h->id'   a member of a variable",
    )
    .with_notes(locals::HELP)
    .with_positions(),
    SubcommandEntry::new::<FindArguments>("find", "Find accesses, executions, values and text")
        .with_json(find::forms)
        .with_examples(
            "\
stepback find --demo last-write x2    the step that set x2
stepback find --demo next-write 0x80020340:8 --all
stepback find --demo pc hash_str      the first execution of a function
stepback find --demo text '(?i)blr'   an instruction by its text",
        )
        .with_positions(),
    SubcommandEntry::new::<WhyArguments>(
        "why",
        "Explain a value: the steps that it comes from, or where it goes",
    )
    .with_json(why::forms)
    .with_examples(
        "\
stepback why --demo x2                the steps that x2 comes from
stepback why --demo 0x80020347:1 --at 30000 --control
stepback why --demo w1 --at 20331 --forward",
    )
    .with_positions(),
    SubcommandEntry::new::<CalltreeArguments>("calltree", "Print the calls as a tree")
        .with_json(calltree::forms)
        .with_examples(
            "\
stepback calltree --demo --max-depth 3
stepback calltree --demo --all-frames   also calls that never returned",
        )
        .with_notes(calltree::HELP),
    SubcommandEntry::new::<CallinfoArguments>("callinfo", "List every visit of a function")
        .with_json(callinfo::forms)
        .with_examples(
            "\
stepback callinfo --demo hash_str
stepback callinfo --demo main 0x80000304",
        )
        .with_notes(callinfo::HELP)
        .rare(),
    SubcommandEntry::new::<ProfileArguments>(
        "profile",
        "Count the calls and time of each function",
    )
    .with_json(profile::forms)
    .with_examples(
        "\
stepback profile --demo --sort self-time
stepback profile --demo --json
stepback profile --demo --to speedscope -o demo.speedscope.json",
    )
    .with_notes(profile::HELP),
    SubcommandEntry::new::<FlamegraphArguments>(
        "flamegraph",
        "Add up the time spent in each call stack, as text or a picture",
    )
    .with_json(flamegraph::forms)
    .with_examples(
        "\
stepback flamegraph --demo            folded stacks, one per line
stepback flamegraph --demo --svg -o flames.svg",
    )
    .with_notes(flamegraph::HELP),
    SubcommandEntry::new::<DiffArguments>("diff", "Compare two positions or two calls")
        .with_json(diff::forms)
        .with_examples(
            "\
stepback diff --demo 20340 20345      registers and memory that differ
stepback diff --demo --calls 1420 2780    two calls of a function",
        )
        .with_positions(),
    SubcommandEntry::new::<CompareArguments>(
        "compare",
        "Compare two traces: where they part, and what differs",
    )
    .with_json(compare::forms)
    .with_examples(
        "\
stepback compare good.tarmac bad.tarmac       where the two runs part
stepback compare a.log b.log --rules rules.toml --json",
    )
    .with_notes(compare::HELP),
    SubcommandEntry::new::<EffectsArguments>(
        "effects",
        "Show what a call, a loop iteration or a range reads and writes",
    )
    .with_json(effects::forms)
    .with_examples(
        "\
stepback effects --demo --call 20340  inputs and outputs of a call
stepback effects --demo --loop 20340  one iteration of a loop
stepback effects --demo 100 200       a range of steps",
    )
    .with_positions(),
    SubcommandEntry::report(
        "counts",
        "Count instructions, accesses and markers, by thread",
        |matches| ReportCommand::read(matches, counts::counts_answer),
    )
    .with_json(counts::count_forms)
    .with_examples("stepback counts --demo")
    .rare(),
    SubcommandEntry::new::<CheckArguments>(
        "check",
        "Report what is wrong with a trace, rule by rule",
    )
    .with_json(check::forms)
    .with_examples(
        "\
stepback check --demo
stepback check --demo --json          one finding per line",
    )
    .with_notes(check::HELP),
    SubcommandEntry::new::<SyscallsArguments>(
        "syscalls",
        "Count system calls, their failures and durations",
    )
    .with_json(syscalls::forms)
    .with_examples(
        "\
stepback syscalls app.dir             a line for each system call
stepback syscalls app.dir --list      each one with arguments and result",
    )
    .rare(),
    SubcommandEntry::report("threads", "List the threads of a trace", |matches| {
        ReportCommand::read(matches, threads::threads_answer)
    })
    .with_json(threads::thread_forms)
    .with_examples("stepback threads app.dir              steps, lifetime and CPUs of each"),
    SubcommandEntry::new::<TasksArguments>("tasks", "List the tasks of an operating system")
        .with_json(threads::task_forms)
        .with_examples(
            "\
stepback tasks rtos.tarmac            runs, steps and time of each task
stepback tasks rtos.tarmac --runs     when each task ran",
        )
        .with_notes(threads::HELP)
        .rare(),
    SubcommandEntry::new::<HeapArguments>(
        "heap",
        "List heap blocks, leaks and double frees, if heap functions were recorded",
    )
    .with_json(heap::forms)
    .with_examples(
        "\
stepback heap app.dir                 leaks and errors
stepback heap app.dir 0x602010 --at 50%   the block that contains an address",
    )
    .with_positions()
    .rare(),
    SubcommandEntry::new::<HeatArguments>("heat", "Count reads and writes of each page of memory")
        .with_json(counts::heat_forms)
        .with_examples("stepback heat --demo --limit 20       the pages accessed most")
        .with_positions()
        .rare(),
    SubcommandEntry::new::<VcdArguments>("vcd", "Write a waveform for wave viewers")
        .with_json(vcd::forms)
        .with_examples(
            "\
stepback vcd --demo -o demo.vcd
stepback vcd --demo --from 44000 --count 13 -o end.vcd",
        )
        .with_notes(vcd::HELP)
        .with_positions(),
    SubcommandEntry::new::<CutArguments>("cut", "Copy the lines of a range of steps")
        .with_examples(
            "\
stepback cut boot.tarmac 20000 20400 -o part.tarmac
stepback cut --demo 99% end -o end.tarmac",
        )
        .with_notes(cut::HELP)
        .with_positions()
        .rare(),
    SubcommandEntry::new::<TruncateArguments>(
        "truncate",
        "Copy a trace up to the point where it only repeats itself",
    )
    .with_json(truncate::forms)
    .with_examples(
        "\
stepback truncate boot.tarmac -o short.tarmac
simulator | stepback truncate > short.tarmac",
    )
    .with_notes(truncate::HELP)
    .rare(),
    SubcommandEntry::new::<ConvertArguments>(
        "convert",
        "Convert a trace to another style or format",
    )
    .with_json(convert::forms)
    .with_examples(
        "\
stepback convert --demo --to tarmac-es -o es.tarmac
stepback convert small.rz3.gz --to rst -o small.rst",
    )
    .with_notes(convert::HELP),
    SubcommandEntry::new::<ExportArguments>(
        "export",
        "Write a trace as Parquet tables for DuckDB, Spark and polars",
    )
    .with_json(export::forms)
    .with_examples(
        "\
stepback export --demo --parquet traces       a dataset with one run
stepback export boot.tarmac --parquet traces --run boot-7 --sorted",
    )
    .with_notes(export::HELP),
    SubcommandEntry::mcp("mcp", "Serve queries to an agent (Model Context Protocol)")
        .with_examples(
            "\
stepback mcp boot.tarmac              answer requests on standard input
stepback mcp good.tarmac --compare bad.tarmac",
        )
        .with_notes(mcp::HELP),
    SubcommandEntry::new::<TemplateArguments>(
        "template",
        "Try a description of a trace format of your own",
    )
    .with_json(template::forms)
    .with_examples(
        "\
stepback template try core.log core.toml      what the patterns read, and what they do not
stepback info core.log --record-layout core.toml",
    )
    .with_notes(template::HELP)
    .rare(),
    SubcommandEntry::new::<GdbserverArguments>(
        "gdbserver",
        "Let gdb debug the trace, forwards and backwards",
    )
    .with_examples(
        "\
stepback gdbserver --demo --port 1234   then in gdb: target remote :1234
stepback gdbserver boot.tarmac --port 0 --image boot.elf
gdb-multiarch -ex 'target remote | stepback gdbserver --demo --stdio'",
    )
    .with_notes(gdbserver::HELP),
    SubcommandEntry::new::<DapArguments>(
        "dap",
        "Let an editor debug the trace, forwards and backwards",
    )
    .with_examples(
        "\
stepback dap                          the editor names the trace
stepback dap boot.tarmac --image boot.elf",
    )
    .with_notes(dap::HELP),
    SubcommandEntry::about_program::<SchemaArguments>(
        "schema",
        "Print the JSON Schema of a command's output",
    )
    .with_examples("stepback schema find                  the schema of `stepback find --json`")
    .with_notes(schema::HELP)
    .rare(),
    SubcommandEntry::about_program::<HelpArguments>(
        "help",
        "Explain a command, or options, positions, addresses, keys or columns",
    )
    .with_examples(
        "\
stepback help find                    everything about a command
stepback help positions               how positions are written",
    ),
    SubcommandEntry::about_program::<CompletionsArguments>(
        "completions",
        "Print the completions for a shell",
    )
    .with_notes(COMPLETIONS_HELP)
    .rare(),
    SubcommandEntry::about_program::<ManArguments>("man", "Write the man pages into a directory")
        .with_notes(MAN_HELP)
        .rare(),
];

/// A subcommand in the list.
struct SubcommandEntry {
    name: &'static str,
    about: &'static str,
    texts: HelpTexts,
    /// It has a line in the short help of the program.
    is_common: bool,
    /// Adds the forms of its JSON output; none if it prints no JSON.
    forms: Option<fn(AnswerForms) -> AnswerForms>,
    define: fn(clap::Command) -> clap::Command,
    read: fn(&ArgMatches) -> Result<SubcommandAction, Error>,
}

impl SubcommandEntry {
    const fn new<T: Command + Args + 'static>(name: &'static str, about: &'static str) -> Self {
        Self::of::<T>(name, about, |matches| {
            let command = T::from_arg_matches(matches)?;
            Ok(SubcommandAction::Command(Box::new(command)))
        })
    }

    /// A query without arguments but the trace.
    const fn report(
        name: &'static str,
        about: &'static str,
        read: fn(&ArgMatches) -> Result<SubcommandAction, Error>,
    ) -> Self {
        Self::of::<TraceArguments>(name, about, read)
    }

    const fn about_program<T: AboutProgram + Args + 'static>(
        name: &'static str,
        about: &'static str,
    ) -> Self {
        Self::of::<T>(name, about, |matches| {
            let command = T::from_arg_matches(matches)?;
            Ok(SubcommandAction::AboutProgram(Box::new(command)))
        })
    }

    const fn browser(name: &'static str, about: &'static str) -> Self {
        Self::of::<BrowseArguments>(name, about, |matches| {
            let command = BrowseArguments::from_arg_matches(matches)?;
            Ok(SubcommandAction::Browser(Box::new(command)))
        })
    }

    const fn mcp(name: &'static str, about: &'static str) -> Self {
        Self::of::<McpArguments>(name, about, |matches| {
            let command = McpArguments::from_arg_matches(matches)?;
            Ok(SubcommandAction::Mcp(Box::new(command)))
        })
    }

    const fn of<T: Args>(
        name: &'static str,
        about: &'static str,
        read: fn(&ArgMatches) -> Result<SubcommandAction, Error>,
    ) -> Self {
        Self {
            name,
            about,
            texts: HelpTexts {
                examples: "",
                notes: "",
                has_positions: false,
            },
            is_common: true,
            forms: None,
            define: T::augment_args,
            read,
        }
    }

    const fn with_examples(mut self, examples: &'static str) -> Self {
        self.texts.examples = examples;
        self
    }

    const fn with_notes(mut self, notes: &'static str) -> Self {
        self.texts.notes = notes;
        self
    }

    const fn with_json(self, forms: fn(AnswerForms) -> AnswerForms) -> Self {
        Self {
            forms: Some(forms),
            ..self
        }
    }

    /// Only names it in the short help of the program.
    const fn rare(mut self) -> Self {
        self.is_common = false;
        self
    }

    const fn with_positions(mut self) -> Self {
        self.texts.has_positions = true;
        self
    }

    fn definition(&self) -> clap::Command {
        // The arguments come first: the documentation of their group must not become that of the
        // command.
        let command = (self.define)(clap::Command::new(self.name))
            .about(self.about)
            .long_about(None);
        let has = |id: &str| {
            command
                .get_arguments()
                .any(|argument| argument.get_id() == id)
        };
        // The browser defines this option itself.
        let command = match has("trace") && !has("demo") {
            true => command.arg(demo_argument()),
            false => command,
        };
        help::with_help(command, self.texts)
    }
}

/// A query without arguments but the trace.
#[derive(Debug)]
struct ReportCommand {
    common: TraceArguments,
    print: fn(&mut Report<'_>) -> Result<()>,
}

impl ReportCommand {
    fn read(
        matches: &ArgMatches,
        print: fn(&mut Report<'_>) -> Result<()>,
    ) -> Result<SubcommandAction, Error> {
        let common = TraceArguments::from_arg_matches(matches)?;
        Ok(SubcommandAction::Command(Box::new(Self { common, print })))
    }
}

impl Command for ReportCommand {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(self.print)
    }
}

/// Identifier of the option that replaces the trace argument. Subcommands do not read it.
pub const DEMO: &str = "demo-trace";

fn demo_argument() -> Arg {
    Arg::new(DEMO)
        .long("demo")
        .action(ArgAction::SetTrue)
        .help("Use the built-in demo as TRACE")
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
    /// The server for agents.
    Mcp(Box<McpArguments>),
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

/// Returns the help texts of a subcommand.
pub fn help_texts(name: &str) -> Option<HelpTexts> {
    entry(name).map(|entry| entry.texts)
}

/// Returns the forms of the JSON output of a subcommand. None if it prints no JSON.
pub fn answer_forms(name: &str) -> Option<AnswerForms> {
    entry(name)?.forms.map(|add| add(AnswerForms::new()))
}

/// Returns the names of the subcommands that the short help of the program only names.
pub fn rare_subcommand_names() -> Vec<&'static str> {
    let rare = COMMANDS.iter().filter(|entry| !entry.is_common);
    rare.map(|entry| entry.name).collect()
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

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell to generate completions for.
    #[arg(value_name = "SHELL", value_parser = value_parser!(Shell))]
    pub shell: Shell,
}

impl AboutProgram for CompletionsArguments {
    fn write(&self, mut program: clap::Command) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut program, "stepback", &mut text);
        print(&String::from_utf8_lossy(&text))
    }
}
