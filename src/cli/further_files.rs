//! Traces of several files: trace files that directly follow the trace argument belong to it.
//!
//! `stepback at cpu0.rst cpu1.rst 100` means `stepback at cpu0.rst --with cpu1.rst 100`.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, Command, CommandFactory as _};

use super::arguments::Arguments;
use stepback_debugger::session::is_trace_file;

/// Inserts `--with` before each further file of the trace.
pub fn told_apart(words: Vec<OsString>) -> Vec<OsString> {
    let whole = Arguments::command();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &str) {
        let words = std::iter::once("stepback")
            .chain(words.iter().copied())
            .map(OsString::from)
            .collect();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/rst/");
        let told: Vec<String> = told_apart(words)
            .iter()
            .map(|word| word.to_string_lossy().replace(folder, ""))
            .collect();
        assert_eq!(told[1..].join(" "), expected);
    }

    fn rst(name: &str) -> String {
        format!("{}/fixtures/rst/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn files_behind_the_trace_belong_to_it() {
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
