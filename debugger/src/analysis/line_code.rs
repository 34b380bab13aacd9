//! Code of a source line.

use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use crate::image::Images;

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
