//! Parsing of the command line. Some of clap's errors are replaced by messages about subcommands
//! and traces.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{Error, ErrorKind};
use clap::{CommandFactory as _, Parser as _, Subcommand as _};

use super::arguments::Arguments;
use super::commands::{ChosenCommand, subcommand_names};
use super::further_files;

/// Parses the program's arguments. Exits the program on an error or a request for help.
pub fn parse() -> Arguments {
    let words = further_files::told_apart(std::env::args_os().collect());
    Arguments::try_parse_from(&words).unwrap_or_else(|error| match explained(&words, &error) {
        Some((kind, message)) => Arguments::command().error(kind, message).exit(),
        None => error.exit(),
    })
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
        false => format!("the window opens one trace, and this is another one: {second:?}"),
    };
    Some((ErrorKind::ArgumentConflict, message))
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
    let word = word.to_ascii_lowercase();
    let begun: Vec<_> = subcommand_names()
        .filter(|name| word.len() > 2 && name.starts_with(&word))
        .collect();
    if !begun.is_empty() {
        return begun;
    }
    let limit = if word.len() > 3 { 2 } else { 1 };
    let nearest = subcommand_names().map(|name| distance(&word, name)).min();
    let is_nearest =
        |name: &&str| nearest.is_some_and(|near| near <= limit && distance(&word, name) == near);
    subcommand_names().filter(is_nearest).collect()
}

/// Optimal string alignment distance: the number of insertions, deletions, substitutions and swaps
/// of neighbouring letters. Cost: the product of the lengths.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<u8> = other.bytes().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let mut last = None;
    for (line, letter) in one.bytes().enumerate() {
        let mut next = vec![line + 1];
        for (place, target) in other.iter().enumerate() {
            let at =
                |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&row, place) + usize::from(letter != *target);
            let mut best = changed
                .min(at(&row, place + 1) + 1)
                .min(at(&next, place) + 1);
            let is_swapped =
                place > 0 && last == Some(*target) && other.get(place - 1) == Some(&letter);
            if is_swapped {
                best = best.min(at(&before, place - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("ifno"), ["info"]);
        assert_eq!(near("lst"), ["list"]);
        assert_eq!(near("Call"), ["calltree", "callinfo"]);
        assert_eq!(near("stat"), ["at", "heat"]);
        assert_eq!(near("frobnicate"), [""; 0]);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "info"), 4);
    }

    #[track_caller]
    fn check(words: &[&str], expected: Option<&str>) {
        let words: Vec<OsString> = std::iter::once("stepback")
            .chain(words.iter().copied())
            .map(OsString::from)
            .collect();
        let error = Arguments::try_parse_from(&words).expect_err("a mistake");
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
            Some("the window opens one trace, and this is another one: \"b.tarmac\""),
        );
        check(&["a.tarmac", "--nosuch"], None);
        check(&["info"], None);
        check(&["--help"], None);
    }
}
