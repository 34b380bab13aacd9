//! `stepback man`: man pages, for packages to install with the program.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValue;
use clap::{Arg, Args, Command};
use clap_mangen::Man;

use crate::cli::commands::{help_texts, subcommand_names};
use crate::cli::help::{ADDRESSES, HelpTexts, POSITIONS, shared_options, shared_options_help};
use crate::cli::question::AboutProgram;

/// Help on the names of man pages.
pub const MAN_HELP: &str = "\
Writes stepback.1, stepback-COMMAND.1 for each command, stepback-options.7, stepback-positions.7
and stepback-addresses.7. Read one with `man -l DIR/stepback.1`.
";

const EXIT_STATUS: &str = "\
0  done, also when a search finds nothing
1  the trace or its index could not be used
2  the command line is wrong, or asks for a position that the trace does not have";

const FILES: &str = "\
TRACE.sbi                     the index; it can be deleted
TRACE.sbi.text                the text of a compressed trace, for random access; it can be deleted
TRACE.sbi.steps               the records of a binary trace, for random access; it can be deleted
TRACE.sbi.partial .resume     an index build that was interrupted; the next run continues it
TRACE.session.toml            bookmarks, searches, watches and layout
~/.config/stepback/settings.toml   settings of the window and the terminal browser";

const ENVIRONMENT: &str = "\
NO_COLOR                      no colours in the terminal
LC_ALL, LC_MESSAGES, LANG     language of the window and the terminal browser
XDG_CACHE_HOME                directory of indexes that cannot be next to the trace
XDG_CONFIG_HOME               directory of the settings";

#[derive(Debug, Args)]
pub struct ManArguments {
    /// The directory for the pages; created if missing.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

impl AboutProgram for ManArguments {
    fn write(&self, mut program: Command) -> Result<()> {
        let refused = || format!("the pages could not be written into {:?}", self.directory);
        fs::create_dir_all(&self.directory).with_context(refused)?;
        program.build();
        let put = |name: &str, page: Vec<u8>| {
            fs::write(self.directory.join(name), page).with_context(refused)
        };
        put("stepback.1", program_page(&program)?)?;
        for name in subcommand_names() {
            let (Some(command), Some(texts)) = (program.find_subcommand(name), help_texts(name))
            else {
                continue;
            };
            put(
                &format!("stepback-{name}.1"),
                command_page(command.clone(), texts)?,
            )?;
        }
        let options = topic_page(
            "stepback-options",
            "options that all commands share",
            &shared_options_help(Some(100)),
        );
        put("stepback-options.7", options)?;
        let positions = topic_page("stepback-positions", "how positions are written", POSITIONS);
        put("stepback-positions.7", positions)?;
        let addresses = topic_page("stepback-addresses", "how addresses are written", ADDRESSES);
        put("stepback-addresses.7", addresses)
    }
}

/// Returns the page of the program itself.
fn program_page(program: &Command) -> Result<Vec<u8>> {
    // A separate page describes the syntax of positions.
    let man = page(
        program.clone().after_help("").after_long_help(""),
        "stepback",
    );
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    synopsis(&mut text, &usage(program));
    man.render_description_section(&mut text)?;
    verbatim(&mut text, "COMMANDS", &command_list(program));
    man.render_options_section(&mut text)?;
    endings(
        &mut text,
        "stepback-options(7), stepback-positions(7), stepback-addresses(7), stepback-info(1), stepback-find(1), stepback-browse(1)",
    );
    Ok(text)
}

fn command_list(program: &Command) -> String {
    let line = |command: &Command| {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        format!("stepback-{}(1)  {about}", command.get_name())
    };
    let lines: Vec<_> = program.get_subcommands().map(line).collect();
    lines.join("\n")
}

/// Returns the page of a subcommand, without the options that all share.
fn command_page(command: Command, texts: HelpTexts) -> Result<Vec<u8>> {
    let usage = usage(&command);
    let shared = shared_options();
    let name = format!("stepback-{}", command.get_name());
    let command = command.mut_args(|argument| {
        let is_shared = shared.iter().any(|id| argument.get_id() == id);
        let is_shown = ["json", "output"].contains(&argument.get_id().as_str());
        argument.hide(is_shared && !is_shown)
    });
    let mut arguments: Vec<_> = command.get_positionals().cloned().collect();
    arguments.sort_by_key(Arg::get_index);
    let command = command.mut_args(|argument| {
        let is_hidden = argument.is_hide_set() || argument.is_positional();
        argument.hide(is_hidden)
    });
    let man = page(command, &name);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    synopsis(&mut text, &usage);
    text.extend(arguments_section(&arguments).into_bytes());
    man.render_options_section(&mut text)?;
    verbatim(&mut text, "NOTES", texts.notes);
    verbatim(&mut text, "EXAMPLES", texts.examples);
    endings(
        &mut text,
        "stepback(1), stepback-options(7), stepback-positions(7), stepback-addresses(7)",
    );
    Ok(text)
}

/// Returns the section about the positional arguments, in their order on the command line.
fn arguments_section(arguments: &[Arg]) -> String {
    let mut section = String::new();
    for argument in arguments {
        let help = argument.get_long_help().or(argument.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let paragraphs: Vec<_> = help.split("\n\n").map(escaped).collect();
        let values = argument.get_possible_values();
        let values: Vec<_> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(value_line)
            .collect();
        section.push_str(&format!(
            ".TP\n\\fI{}\\fR\n{}\n{}",
            escaped(argument.get_id().as_str()).to_uppercase(),
            paragraphs.join("\n.IP\n"),
            values.concat()
        ));
    }
    match section.is_empty() {
        true => section,
        false => format!(".SH ARGUMENTS\n{section}"),
    }
}

fn value_line(value: &PossibleValue) -> String {
    let help = value
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    format!(
        ".RS\n.TP\n\\fB{}\\fR\n{}\n.RE\n",
        escaped(value.get_name()),
        escaped(&help)
    )
}

/// Returns the page of a topic, whose text is kept as it is.
fn topic_page(name: &str, about: &str, body: &str) -> Vec<u8> {
    let mut text = format!(
        ".TH {name} 7 \"\" \"stepback {}\"\n.SH NAME\n{} \\- {about}\n",
        env!("CARGO_PKG_VERSION"),
        escaped(name)
    )
    .into_bytes();
    verbatim(&mut text, "DESCRIPTION", body);
    verbatim(&mut text, "SEE ALSO", "stepback(1)");
    text
}

fn page(command: Command, name: &str) -> Man {
    let source = format!("stepback {}", env!("CARGO_PKG_VERSION"));
    Man::new(command).title(name).source(source)
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let lines: Vec<_> = usage.trim_end().lines().map(str::trim_start).collect();
    lines.join("\n")
}

fn synopsis(page: &mut Vec<u8>, usage: &str) {
    verbatim(page, "SYNOPSIS", usage);
}

fn endings(page: &mut Vec<u8>, see_also: &str) {
    verbatim(page, "EXIT STATUS", EXIT_STATUS);
    verbatim(page, "FILES", FILES);
    verbatim(page, "ENVIRONMENT", ENVIRONMENT);
    verbatim(page, "SEE ALSO", see_also);
}

/// Appends a section whose lines are kept. An empty one is left out.
fn verbatim(page: &mut Vec<u8>, title: &str, body: &str) {
    if body.is_empty() {
        return;
    }
    let lines: Vec<_> = body.trim_end().lines().map(escaped).collect();
    page.extend(format!(".SH {}\n.nf\n{}\n.fi\n", title, lines.join("\n")).into_bytes());
}

/// Escapes what roff would interpret.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line,
    }
}
