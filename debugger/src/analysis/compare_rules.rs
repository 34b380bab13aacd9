//! Files of rules for comparing traces: differences that do not count.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::Deserialize;
use stepback_compare::Tolerances;
use stepback_index::answer::ThreadId;
use stepback_index::read::NameReader;
use stepback_machine::InstructionSet;
use toml::Spanned;

use crate::messages::system_words;
use crate::number::number;
use crate::session::Session;

/// Reason why a file of rules cannot be used.
#[derive(Debug)]
pub enum RulesError {
    /// The file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A rule is malformed, or names an unknown function.
    Invalid(PathBuf, InvalidRule),
}

/// A rule that cannot be used.
#[derive(Debug)]
pub struct InvalidRule {
    /// Line of the file, from 1; `None` if the error is about the whole file.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => {
                write!(
                    f,
                    "{}: the rules could not be read ({})",
                    path.display(),
                    system_words(error)
                )
            }
            Self::Invalid(path, InvalidRule { line, message }) => {
                let line = line.map_or_else(String::new, |line| format!(", line {line}"));
                write!(f, "{}{line}: {}", path.display(), message.trim())
            }
        }
    }
}

impl std::error::Error for RulesError {}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RuleFile {
    ignore_registers: Vec<String>,
    ignore_memory: Vec<Spanned<String>>,
    counters: bool,
    polling: Vec<Spanned<String>>,
}

/// Reads a file of rules. Functions that it names are those of the session's images.
///
/// # Errors
/// The file cannot be read or is malformed, or no image has such a function.
pub fn read_rules(path: &Path, session: &Session) -> Result<Tolerances, RulesError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| RulesError::Unreadable(path.to_owned(), error))?;
    let rules = parsed(&text, session);
    rules.map_err(|(message, span)| {
        let before = span.and_then(|span| text.get(..span.start));
        let line = before.map(|before| 1 + before.matches('\n').count());
        RulesError::Invalid(path.to_owned(), InvalidRule { line, message })
    })
}

/// Parses rules. An error comes with the bytes that it is about.
fn parsed(text: &str, session: &Session) -> Result<Tolerances, (String, Option<Range<usize>>)> {
    let file: RuleFile =
        toml::from_str(text).map_err(|error| (error.message().to_owned(), error.span()))?;
    let mut memory = Vec::new();
    for rule in &file.ignore_memory {
        let range = range_of(rule.get_ref()).ok_or_else(|| {
            let text = rule.get_ref();
            let message = format!("{text:?} is no range of addresses such as 0x1000..0x2000");
            (message, Some(rule.span()))
        });
        memory.push(range?);
    }
    let mut polling = Vec::new();
    for rule in &file.polling {
        match range_of(rule.get_ref()) {
            Some(range) => polling.push(range),
            None => {
                let found = functions_named(rule.get_ref(), session);
                polling.extend(found.map_err(|message| (message, Some(rule.span())))?);
            }
        }
    }
    let registers = file.ignore_registers.iter();
    Ok(Tolerances {
        registers: registers
            .flat_map(|name| register_names(name, session))
            .collect(),
        memory,
        has_counters: file.counters,
        polling,
    })
}

/// Returns the names under which differences name a register: `sp` for `x2` of RISC-V, `x19` for
/// `w19`. A name that the trace does not know remains, since the other trace may have it.
fn register_names(name: &str, session: &Session) -> Vec<String> {
    let names = NameReader(&session.index);
    let mut found: Vec<_> = instruction_sets(session)
        .into_iter()
        .filter_map(|set| Some(names.whole_name(names.view_in(name, set)?, set)))
        .map(|name| name.to_ascii_lowercase())
        .collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        found.push(name.to_ascii_lowercase());
    }
    found
}

/// Returns the registers of rules that no trace has.
pub fn unknown_registers<'r>(
    rules: &'r Tolerances,
    traces: [&Session; 2],
) -> impl Iterator<Item = &'r str> {
    let is_known = move |name: &str| {
        traces.iter().any(|session| {
            let mut sets = instruction_sets(session).into_iter();
            sets.any(|set| NameReader(&session.index).view_in(name, set).is_some())
        })
    };
    let names = rules.registers.iter().map(String::as_str);
    names.filter(move |name| !is_known(name))
}

/// Returns the instruction sets that the threads of a trace can execute.
fn instruction_sets(session: &Session) -> Vec<InstructionSet> {
    let index = &session.index;
    let threads = (0..).map(ThreadId).take(index.threads().len());
    let mut sets = Vec::new();
    for first in threads.map(|thread| index.instruction_set(thread)) {
        for set in [&[first], first.states()].concat() {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets
}

fn functions_named(name: &str, session: &Session) -> Result<Vec<Range<u64>>, String> {
    let symbols = session.images.symbols_named(name);
    if symbols.is_empty() {
        return Err(format!("no image has a function {name:?}"));
    }
    let ranges = symbols.iter().map(|symbol| {
        let first = symbol.address.0;
        first..first.saturating_add(symbol.size_bytes.max(1))
    });
    Ok(ranges.collect())
}

/// Parses `0x1000..0x2000`.
fn range_of(text: &str) -> Option<Range<u64>> {
    let (from, to) = text.split_once("..")?;
    let range = number(from.trim()).ok()?..number(to.trim()).ok()?;
    (range.start < range.end).then_some(range)
}
