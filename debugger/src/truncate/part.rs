//! A part of a trace as a trace of its own.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use stepback_index::Cancel;
use stepback_parsers::{Source as _, Tarmac};

/// How much is copied at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// Writes the lines of a range of a trace's text into a file as they are.
/// It is written under another name first, so that there is never half a trace.
///
/// # Errors
/// The trace cannot be read or the file not be written, or nobody waits for it any more; the file is as it was before.
pub fn save_part(tarmac: &Tarmac, text: Range<u64>, path: &Path, cancel: &Cancel) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let copied =
        copy(tarmac, text, &partial, cancel).and_then(|()| Ok(fs::rename(&partial, path)?));
    if copied.is_err() {
        // What is left of it is of no use; the error that is told is the first one.
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
