//! Saves a part of a trace as a separate trace.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use stepback_index::Cancel;
use stepback_parsers::{Source as _, Tarmac};

/// Number of bytes copied at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// Writes the lines of a range of a trace's text into a file, unchanged. Writes under a temporary
/// name and renames it, so that no incomplete trace is left.
///
/// # Errors
/// The trace could not be read, the file could not be written, or the copy was cancelled. The file
/// is then unchanged.
pub fn save_part(tarmac: &Tarmac, text: Range<u64>, path: &Path, cancel: &Cancel) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let copied =
        copy(tarmac, text, &partial, cancel).and_then(|()| Ok(fs::rename(&partial, path)?));
    if copied.is_err() {
        // The partial file is useless; the first error is reported.
        let _gone = fs::remove_file(&partial);
    }
    copied.with_context(|| format!("the file is not written: {path:?}"))
}

fn copy(tarmac: &Tarmac, text: Range<u64>, partial: &Path, cancel: &Cancel) -> Result<()> {
    let mut file = BufWriter::new(File::create(partial)?);
    let (mut at, mut buffer) = (text.start, Vec::new());
    while at < text.end {
        cancel.check()?;
        let next = at.saturating_add(CHUNK_BYTES).min(text.end);
        buffer.clear();
        tarmac.read_raw(at..next, &mut buffer)?;
        file.write_all(&buffer)?;
        at = next;
    }
    Ok(file.flush()?)
}
