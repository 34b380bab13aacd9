//! Files of rules for comparing traces: differences that do not count.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::Deserialize;
use stepback_compare::Tolerances;

use crate::number::number;
use crate::session::Session;

/// Reason why a file of rules cannot be used.
#[derive(Debug)]
pub enum RulesError {
    /// The file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A rule is malformed, or names an unknown function.
    Invalid(PathBuf, String),
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => {
                write!(
                    f,
                    "{}: the rules could not be read ({error})",
                    path.display()
                )
            }
            Self::Invalid(path, error) => write!(f, "{}: {}", path.display(), error.trim()),
        }
    }
}

impl std::error::Error for RulesError {}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RuleFile {
    ignore_registers: Vec<String>,
    ignore_memory: Vec<String>,
    counters: bool,
    polling: Vec<String>,
}

/// Reads a file of rules. Functions that it names are those of the session's images.
///
/// # Errors
/// The file cannot be read or is malformed, or no image has such a function.
pub fn read_rules(path: &Path, session: &Session) -> Result<Tolerances, RulesError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| RulesError::Unreadable(path.to_owned(), error))?;
    parsed(&text, session).map_err(|error| RulesError::Invalid(path.to_owned(), error))
}

fn parsed(text: &str, session: &Session) -> Result<Tolerances, String> {
    let file: RuleFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut memory = Vec::new();
    for text in &file.ignore_memory {
        let range = range_of(text);
        memory.push(
            range.ok_or_else(|| {
                format!("{text:?} is no range of addresses such as 0x1000..0x2000")
            })?,
        );
    }
    let mut polling = Vec::new();
    for text in &file.polling {
        match range_of(text) {
            Some(range) => polling.push(range),
            None => polling.extend(functions_named(text, session)?),
        }
    }
    let registers = file.ignore_registers.iter();
    Ok(Tolerances {
        registers: registers.map(|name| name.to_ascii_lowercase()).collect(),
        memory,
        has_counters: file.counters,
        polling,
    })
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
