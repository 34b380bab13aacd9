//! Parses the command line, runs the command and returns the exit status. Some of clap's errors are
//! replaced by messages about subcommands and traces.
//!
//! Trace files that directly follow the trace argument belong to the same trace: `stepback at
//! cpu0.rst cpu1.rst 100` means `stepback at cpu0.rst --with cpu1.rst 100`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitCode, exit};

use anyhow::{Result, bail};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{ArgAction, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand as _};
use stepback_debugger::messages::chain_words;
use stepback_debugger::session::{TraceFiles, demo_path, is_trace_file};

use crate::cli::browse::trace_and_place;
use crate::cli::commands::{ChosenCommand, DEMO, SubcommandAction, subcommand_names};
use crate::cli::compare::OTHER_TRACE;
use crate::cli::error::CommandError;
use crate::cli::help::{ADDRESSES, POSITIONS, SEE_ALSO, brief, shorter, template};
use crate::cli::near_names::near_names;
use crate::cli::progress::say;
use crate::cli::text::printable;
use crate::cli::window;
use crate::cli::window::{FrontEnds, WindowArguments};

const EXAMPLES: &str = "\
stepback --demo                       open the demo in the window
stepback browse boot.tarmac           show a trace in the terminal
stepback find boot.tarmac last-write x0
                                      the last write of a register";

/// A time-travel debugger for recorded CPU instruction traces
///
/// Without a command it opens the window.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    help_template = template(EXAMPLES),
    after_help = SEE_ALSO,
    after_long_help = format!("{POSITIONS}\n\n{ADDRESSES}"),
)]
pub struct Arguments {
    /// The subcommand; without one the window opens.
    #[command(subcommand)]
    pub command: Option<ChosenCommand>,
    #[command(flatten)]
    pub window: WindowArguments,
}

/// Returns the definition of the command line.
fn program() -> Command {
    shorter(Arguments::command())
}

fn parsed(words: &[OsString]) -> Result<Arguments, Error> {
    let is_short_help = words.iter().any(|word| word == "-h");
    let program = match is_short_help {
        true => brief(program()),
        false => program(),
    };
    let mut matches = program.try_get_matches_from(words)?;
    Arguments::from_arg_matches_mut(&mut matches)
}

/// Parses the program's arguments. Exits the program on an error or a request for help.
pub fn parse() -> Arguments {
    let typed: Vec<OsString> = std::env::args_os().collect();
    if let Some(message) = misplaced_position(&typed) {
        program().error(ErrorKind::ArgumentConflict, message).exit()
    }
    let typed = with_demo_position(typed);
    let words = match with_demo(&typed) {
        Some(words) => words.unwrap_or_else(|error| {
            say(&format!("error: {error:#}"));
            exit(1)
        }),
        None => with_further_files(typed),
    };
    parsed(&words).unwrap_or_else(|error| match explained(&words, &error) {
        Some((kind, message)) => program().error(kind, message).exit(),
        None => with_usage_of_demo(error).exit(),
    })
}

/// Removes the trace from the usage of an error if the command line has `--demo` in its place.
fn with_usage_of_demo(mut error: Error) -> Error {
    let is_demo = std::env::args_os().any(|word| word == "--demo");
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) if is_demo => usage.ansi().to_string(),
        _ => return error,
    };
    let usage = usage.replacen("<TRACE>", "--demo", 1);
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage.into()));
    error
}

/// Explains why the first words are no command. None if clap's message is good enough.
fn explained(words: &[OsString], error: &Error) -> Option<(ErrorKind, String)> {
    let is_wrong = !matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let mut plain = words
        .iter()
        .skip(1)
        .map_while(|word| word.to_str().filter(|word| !word.starts_with('-')));
    if let Some(message) = out_of_order(words).filter(|_| is_wrong) {
        return Some((ErrorKind::ArgumentConflict, message));
    }
    let first = plain
        .next()
        .filter(|first| is_wrong && !ChosenCommand::has_subcommand(first))?;
    if is_bare(first) && !Path::new(first).exists() {
        return Some((ErrorKind::InvalidSubcommand, no_subcommand(first)));
    }
    let second = plain
        .next()
        .filter(|_| error.kind() == ErrorKind::ArgumentConflict)?;
    let message = match ChosenCommand::has_subcommand(second) {
        true => format!("the subcommand comes first: stepback {second} {first}"),
        false => format!("the window opens only one trace, and this is a second one: {second:?}"),
    };
    Some((ErrorKind::ArgumentConflict, message))
}

/// Returns the message for options in front of a subcommand, and for options of subcommands without
/// one. None if neither is the case.
fn out_of_order(words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words
        .iter()
        .skip(1)
        .filter_map(|word| word.to_str())
        .collect();
    let first = words.first()?;
    if ChosenCommand::has_subcommand(first) {
        return None;
    }
    let subcommand = words
        .iter()
        .position(|word| ChosenCommand::has_subcommand(word) && !Path::new(word).exists());
    match subcommand {
        Some(place) if first.starts_with('-') => {
            let (before, after) = words.split_at(place);
            let ordered = [after, before].concat().join(" ");
            Some(format!(
                "the command comes before its options: stepback {ordered}"
            ))
        }
        None if is_trace(first) && words.contains(&"--json") => Some(format!(
            "--json belongs to a command, for example: stepback info {}",
            words.join(" ")
        )),
        _ => None,
    }
}

/// Returns true if a word may be the name of a trace and is not meant as a subcommand.
fn is_trace(word: &str) -> bool {
    !word.starts_with('-') && (!is_bare(word) || Path::new(word).exists())
}

/// Returns the message for a word that is neither a file nor a subcommand. None if it cannot be
/// meant as a subcommand.
pub fn neither(word: &str) -> Option<String> {
    is_bare(word).then(|| format!("there is no such file, and {}", no_subcommand(word)))
}

/// Returns true if a word may be meant as a subcommand. File names usually contain a dot or a
/// slash.
fn is_bare(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_')
}

fn no_subcommand(word: &str) -> String {
    let near = near(word);
    match near.split_last() {
        None => format!("no subcommand {word:?} (see stepback --help)"),
        Some((last, [])) => format!("no subcommand {word:?}; did you mean {last}?"),
        Some((last, rest)) => format!(
            "no subcommand {word:?}; did you mean {} or {last}?",
            rest.join(", ")
        ),
    }
}

/// Returns the subcommands most similar to a word. None if all differ too much.
fn near(word: &str) -> Vec<&'static str> {
    near_names(word, subcommand_names)
}

/// Returns the message for a position after the trace or after `--demo` if the subcommand takes
/// positions elsewhere. None if there is no such position.
fn misplaced_position(words: &[OsString]) -> Option<String> {
    let whole = program();
    let subcommand = whole.find_subcommand(words.get(1)?)?;
    let has = |id: &str| {
        let mut arguments = subcommand.get_arguments();
        arguments.any(|argument| argument.get_id() == id)
    };
    let demo = words.iter().filter_map(demo_position).next();
    let name = match demo.filter(|_| has(DEMO)) {
        Some(at) => format!("--demo@{at}"),
        None if has("trace") && !has("demo_at") => {
            let trace = words.get(*plain_words(subcommand, words, 2).first()?)?;
            let (file, at) = trace_and_place(Some(Path::new(trace)));
            at.filter(|_| file.is_some_and(|file| file.exists()))?;
            trace.to_str()?.to_owned()
        }
        None => return None,
    };
    Some(format!(
        "{name}: only the window and browse take a position after @, the other commands take it \
         as POS (stepback help positions)"
    ))
}

/// Returns the position in `--demo@POS`.
fn demo_position(word: &OsString) -> Option<&str> {
    word.to_str()?.strip_prefix("--demo@")
}

/// Splits `--demo@POS` into two options.
fn with_demo_position(words: Vec<OsString>) -> Vec<OsString> {
    let split = |word: OsString| match demo_position(&word) {
        Some(at) => vec!["--demo".into(), format!("--demo-at={at}").into()],
        None => vec![word],
    };
    words.into_iter().flat_map(split).collect()
}

/// Inserts the path of the demo as the trace of a subcommand that has `--demo`. None if it has not.
fn with_demo(words: &[OsString]) -> Option<Result<Vec<OsString>>> {
    let whole = program();
    let subcommand = whole.find_subcommand(words.get(1)?)?;
    let is_demo = subcommand
        .get_arguments()
        .any(|argument| argument.get_id() == DEMO)
        && words
            .iter()
            .take_while(|word| *word != "--")
            .any(|word| word == "--demo");
    is_demo.then(|| {
        let mut words = words.to_vec();
        words.insert(2, demo_path()?.into());
        Ok(words)
    })
}

/// Inserts `--with` before each further file of the trace.
pub fn with_further_files(words: Vec<OsString>) -> Vec<OsString> {
    let whole = program();
    let subcommand = words.get(1).and_then(|word| whole.find_subcommand(word));
    let first = if subcommand.is_some() { 2 } else { 1 };
    let command = subcommand.unwrap_or(&whole);
    let further = further_files(command, &words, first);
    let with = |(place, word): (usize, OsString)| match further.contains(&place) {
        true => vec![OsString::from("--with"), word],
        false => vec![word],
    };
    words.into_iter().enumerate().flat_map(with).collect()
}

/// Returns the indexes of the words that are further files of the trace.
fn further_files(command: &Command, words: &[OsString], first: usize) -> Vec<usize> {
    // The second file is another trace.
    if command
        .get_arguments()
        .any(|argument| argument.get_id() == OTHER_TRACE)
    {
        return Vec::new();
    }
    let plain = plain_words(command, words, first);
    let is_trace = |place: usize| {
        words
            .get(place)
            .is_some_and(|word| is_trace_file(Path::new(word)))
    };
    let Some((trace, others)) = plain.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    if !is_trace(*trace) {
        return Vec::new();
    }
    // If no other argument may follow, the file need not begin like a trace, since parts of a trace
    // do not.
    let is_last = command.get_positionals().count() == 1;
    let is_file = |place: usize| {
        words
            .get(place)
            .is_some_and(|word| Path::new(word).is_file())
    };
    others
        .iter()
        .copied()
        .take_while(|place| is_trace(*place) || is_last && is_file(*place))
        .collect()
}

/// Returns the indexes of the words that are neither options nor their values.
fn plain_words(command: &Command, words: &[OsString], first: usize) -> Vec<usize> {
    let mut plain = Vec::new();
    let mut is_value = false;
    for (place, word) in words.iter().enumerate().skip(first) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if word == "--" {
            break;
        }
        match word
            .to_str()
            .filter(|word| word.starts_with('-') && word.len() > 1)
        {
            Some(option) => is_value = takes_next(command, option),
            None => plain.push(place),
        }
    }
    plain
}

/// Returns true if the option's value is the next word.
fn takes_next(command: &Command, option: &str) -> bool {
    let found = command
        .get_arguments()
        .find(|argument| match option.strip_prefix("--") {
            Some(name) => argument.get_long() == Some(name),
            // The last of several short options may take a value.
            None => argument.get_short().is_some() && argument.get_short() == option.chars().last(),
        });
    found
        .is_some_and(|argument| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append))
}

/// Runs the command. `front` supplies the window and the browser, on which the command line must
/// not depend.
pub fn run(arguments: &Arguments, front: FrontEnds) -> ExitCode {
    let outcome = match &arguments.command {
        Some(chosen) => match &chosen.chosen {
            SubcommandAction::Browser(arguments) => window::run_browser(arguments, front.browser),
            SubcommandAction::Mcp(arguments) => (front.mcp)(arguments).map(|()| ExitCode::SUCCESS),
            chosen => run_command(chosen).map(|()| ExitCode::SUCCESS),
        },
        None => window::run(&arguments.window, front),
    };
    let error = match outcome {
        Ok(code) => return code,
        Err(error) => error,
    };
    let chosen = arguments.command.as_ref();
    match error.downcast_ref() {
        Some(gone @ CommandError::Output { .. }) if gone.is_reader_gone() => {
            return ExitCode::SUCCESS;
        }
        Some(CommandError::Negative) => return ExitCode::FAILURE,
        Some(CommandError::Malformed(message)) => {
            return wrong_command_line(message, chosen.map(|chosen| chosen.name));
        }
        _ => {}
    }
    // A line break in a file name must not begin another message.
    say(&printable(&format!("error: {}", chain_words(&error))));
    // A script that reads negative answers from the status must not mistake an error for one.
    let is_status_read = matches!(
        chosen.map(|chosen| &chosen.chosen),
        Some(SubcommandAction::Command(command)) if command.has_exit_code()
    );
    match error.downcast_ref() {
        Some(CommandError::Usage(_)) => ExitCode::from(2),
        _ if is_status_read => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// Prints a usage error in clap's format, with the usage of the subcommand and status 2.
fn wrong_command_line(message: &str, subcommand: Option<&str>) -> ExitCode {
    let mut whole = program();
    // Only then do subcommands know the name of the program.
    whole.build();
    let command = match subcommand.filter(|name| whole.find_subcommand(name).is_some()) {
        Some(name) => whole.find_subcommand_mut(name),
        None => Some(&mut whole),
    };
    if let Some(command) = command {
        let error = command.error(ErrorKind::ValueValidation, message);
        _ = with_usage_of_demo(error).print();
    }
    ExitCode::from(2)
}

/// Runs a command. Checks its arguments and the trace's format first, so that no index is built in
/// vain.
fn run_command(chosen: &SubcommandAction) -> Result<()> {
    let command = match chosen {
        SubcommandAction::Command(command) => command,
        SubcommandAction::AboutProgram(about) => return about.write(program()),
        // The front ends and servers are handled separately.
        SubcommandAction::Browser(_) | SubcommandAction::Mcp(_) => return Ok(()),
    };
    command.check().map_err(CommandError::Malformed)?;
    match command.text_only() {
        Some((trace, advice)) if TraceFiles::are_at(trace) => {
            let name = trace.display();
            bail!(CommandError::Usage(format!("{name}: {advice}")))
        }
        _ => command.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_holds_together() {
        program().debug_assert();
    }
}

#[cfg(test)]
mod typed_tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("ifno"), ["info"]);
        assert_eq!(near("lst"), ["list"]);
        assert_eq!(near("Call"), ["calltree", "callinfo"]);
        assert_eq!(near("stat"), ["at", "heat"]);
        assert_eq!(near("frobnicate"), [""; 0]);
    }

    #[track_caller]
    fn check(words: &[&str], expected: Option<&str>) {
        let words: Vec<OsString> = std::iter::once("stepback")
            .chain(words.iter().copied())
            .map(OsString::from)
            .collect();
        let error = parsed(&words).expect_err("a mistake");
        assert_eq!(
            explained(&words, &error)
                .map(|(_, message)| message)
                .as_deref(),
            expected,
            "{words:?}"
        );
    }

    #[test]
    fn what_is_no_subcommand_is_named() {
        check(
            &["ifno", "a.tarmac"],
            Some("no subcommand \"ifno\"; did you mean info?"),
        );
        check(
            &["ifno", "a.tarmac", "--json"],
            Some("no subcommand \"ifno\"; did you mean info?"),
        );
        check(
            &["a.tarmac", "info"],
            Some("the subcommand comes first: stepback info a.tarmac"),
        );
        check(
            &["a.tarmac", "b.tarmac"],
            Some("the window opens only one trace, and this is a second one: \"b.tarmac\""),
        );
        check(&["a.tarmac", "--nosuch"], None);
        check(&["info"], None);
        check(&["--help"], None);
    }
}

#[cfg(test)]
mod further_files_tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &str) {
        let words = std::iter::once("stepback")
            .chain(words.iter().copied())
            .map(OsString::from)
            .collect();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/rst/");
        let stated: Vec<String> = with_further_files(words)
            .iter()
            .map(|word| word.to_string_lossy().replace(folder, ""))
            .collect();
        assert_eq!(stated[1..].join(" "), expected);
    }

    fn rst(name: &str) -> String {
        format!("{}/fixtures/rst/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn files_after_the_trace_belong_to_it() {
        let [one, two, golden] = ["small.rst", "cti.rst", "alltypes.golden.jsonl"].map(rst);
        check(
            &["at", &one, &two, "100"],
            "at small.rst --with cti.rst 100",
        );
        check(
            &["info", &one, "--json", &two, &golden],
            "info small.rst --json --with cti.rst --with alltypes.golden.jsonl",
        );
        check(&["at", &one, &golden], "at small.rst alltypes.golden.jsonl");
        check(&[&one, &two], "small.rst --with cti.rst");
        check(&["find", &one, "pc", &two], "find small.rst pc cti.rst");
        check(&["compare", &one, &two], "compare small.rst cti.rst");
    }

    #[test]
    fn values_of_options_are_no_files_of_the_trace() {
        let [one, two] = ["small.rst", "cti.rst"].map(rst);
        check(&["info", &one, "-o", &two], "info small.rst -o cti.rst");
        check(
            &["convert", "--to", "rst", "-o", &two, &one],
            "convert --to rst -o cti.rst small.rst",
        );
        check(
            &["info", &one, "--image", &two, "--quiet"],
            "info small.rst --image cti.rst --quiet",
        );
        check(&["info", "nothing", &two], "info nothing cti.rst");
        check(&["info", &one, "--", &two], "info small.rst -- cti.rst");
    }
}
