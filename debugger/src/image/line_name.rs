//! Names of source lines, `FILE:LINE`, and their code.

use std::fmt;

use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use crate::image::Images;
use crate::messages::say;

/// A line of a source file: `main.c:40`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLineName {
    pub file: String,
    pub line: u32,
}

impl SourceLineName {
    /// Parses `FILE:LINE`. The name of the file has a dot, which those of functions have not.
    pub fn parse(text: &str) -> Option<Self> {
        let (file, line) = text.rsplit_once(':')?;
        let line = line.trim().parse().ok()?;
        let is_file = file.contains('.') && !file.contains(' ');
        is_file.then(|| Self {
            file: file.to_owned(),
            line,
        })
    }

    /// Returns the start addresses of the line's code, as [`line_code`] does.
    ///
    /// # Errors
    /// The query was cancelled.
    pub fn code(&self, images: &Images, cancel: &Cancel) -> Result<Vec<Address>, QueryError> {
        line_code(images, &self.to_string(), cancel)
    }

    /// Says that no image has code of the line.
    pub fn no_code(&self) -> String {
        let (file, line) = (self.file.as_str(), self.line.to_string());
        say!("name-no-code", file = file, line = line)
    }
}

impl fmt::Display for SourceLineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Returns true if `name` equals a path or a suffix of whole path components.
pub fn is_called(path: &str, name: &str) -> bool {
    path.strip_suffix(name)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
}

/// Returns the start addresses of the code of `FILE:LINE`, with `FILE` a path suffix. Empty for any
/// other text. Blocks: the first query reads the images' debug information.
///
/// # Errors
/// The query was cancelled.
pub fn line_code(images: &Images, text: &str, cancel: &Cancel) -> Result<Vec<Address>, QueryError> {
    let Some((file, line)) = text.rsplit_once(':') else {
        return Ok(Vec::new());
    };
    let Ok(line) = line.trim().parse::<u32>() else {
        return Ok(Vec::new());
    };
    let file = file.trim();
    if file.is_empty() {
        return Ok(Vec::new());
    }
    let code = images.code_of_files(&|path| is_called(path, file), cancel)?;
    let mut starts: Vec<Address> = code
        .iter()
        .filter(|range| range.line == line)
        .map(|range| range.start)
        .collect();
    starts.dedup();
    Ok(starts)
}
