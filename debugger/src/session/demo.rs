//! The demo trace that the program contains.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::places::cache_directory;

const TRACE: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.small.tarmac.zst");
const IMAGE: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.elf");
/// The sources that the image was compiled from.
const SOURCES: [(&str, &[u8]); 4] = [
    (
        "overflow.c",
        include_bytes!("../../../assets/demo/overflow.c"),
    ),
    ("mini.c", include_bytes!("../../../assets/demo/mini.c")),
    ("mini.h", include_bytes!("../../../assets/demo/mini.h")),
    (
        "mini_a64.S",
        include_bytes!("../../../assets/demo/mini_a64.S"),
    ),
];

/// Unpacks the demo into the user's cache directory, unless it is there, and returns the trace's
/// path.
///
/// # Errors
/// No directory of the user is writable.
pub fn demo_path() -> Result<PathBuf> {
    // Without a home directory, use the temporary directory.
    let directory = cache_directory()
        .unwrap_or_else(|| std::env::temp_dir().join("stepback"))
        .join("demo");
    fs::create_dir_all(&directory)
        .with_context(|| format!("the demo could not be unpacked into {directory:?}"))?;
    let trace = directory.join("overflow_bare.small.tarmac");
    let text = zstd::decode_all(TRACE).context("the demo inside the program is damaged")?;
    put(&trace, &text)?;
    for (name, content) in SOURCES {
        put(&directory.join(name), content)?;
    }
    // After its sources, so that they do not seem newer than the image.
    put(&directory.join("overflow_bare.elf"), IMAGE)?;
    Ok(trace)
}

/// Writes a file unless it already has this content, so that the index next to it stays fresh. The
/// file appears atomically, also to another program that unpacks the demo at the same time.
fn put(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    let partial = path.with_added_extension(format!("{}.partial", std::process::id()));
    let written = fs::write(&partial, content).and_then(|()| fs::rename(&partial, path));
    written.with_context(|| format!("the demo could not be unpacked: {path:?}"))
}
