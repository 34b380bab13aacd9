//! Python values as positions, cells and images.

use std::path::PathBuf;

use anyhow::{Error, Result};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::{FromPyObject, PyResult};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::image::ImageSpec;
use stepback_debugger::place::PositionName;
use stepback_debugger::session::Session;
use stepback_index::answer::{Cell, ThreadId};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

/// A position: a number or its name.
#[derive(FromPyObject)]
pub enum PositionArgument {
    Number(i64),
    Name(String),
}

impl PositionArgument {
    /// Returns the name of the position.
    ///
    /// # Errors
    /// An `IndexError` if it is negative, a `ValueError` if it is no position.
    pub fn to_name(&self) -> PyResult<PositionName> {
        match self {
            Self::Number(number) => match u64::try_from(*number) {
                Ok(number) => Ok(PositionName::Number(number)),
                Err(_) => Err(PyIndexError::new_err(format!(
                    "position {number} is before the start of the trace, which is position 0"
                ))),
            },
            Self::Name(name) => {
                let place = name.parse();
                place.map_err(|error: Error| PyValueError::new_err(format!("{error:#}")))
            }
        }
    }
}

/// A register, a range of memory or a byte.
#[derive(FromPyObject)]
pub enum CellArgument {
    Text(String),
    Range(u64, u64),
    Byte(u64),
}

impl CellArgument {
    /// Returns the cell in the syntax of the command line.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Range(address, len_bytes) => format!("{address:#x}:{len_bytes}"),
            Self::Byte(address) => format!("{address:#x}"),
        }
    }
}

/// Returns the cell of a name at a position.
///
/// # Errors
/// The name is invalid or has no value here.
pub fn cell_at(
    text: &str,
    at: Position,
    thread: Option<ThreadId>,
    session: &Session,
    cancel: &Cancel,
) -> Result<Cell> {
    let names = NameResolver::new(&session.index, &session.images, at, thread, cancel)?;
    Ok(names.cell(text)?)
}

/// Returns the thread of a name, if one is given.
///
/// # Errors
/// The trace has no such thread.
pub fn thread_named(name: Option<&str>, session: &Session) -> Result<Option<ThreadId>> {
    let Some(name) = name else { return Ok(None) };
    match session.index.thread_by_name(name) {
        Some(thread) => Ok(Some(thread)),
        None => Err(QueryError::NoThread(name.to_owned()).into()),
    }
}

/// One or several images.
#[derive(FromPyObject)]
pub enum ImageArgument {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl ImageArgument {
    /// Returns the images with their load offsets: `ELF[@OFFSET]`.
    ///
    /// # Errors
    /// A name is empty.
    pub fn into_specs(self) -> Result<Vec<ImageSpec>> {
        let paths = match self {
            Self::One(path) => vec![path],
            Self::Several(paths) => paths,
        };
        let spec = |path: PathBuf| match path.to_str() {
            Some(text) => text.parse(),
            None => Ok(ImageSpec { path, offset: 0 }),
        };
        paths.into_iter().map(spec).collect()
    }
}
