//! The trace file: opened read-only, its format found.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use anyhow::{Result, anyhow, bail};
use stepback_index::Fingerprint;
use stepback_parsers::{AnySource, Format, FormatError, SourceError, Tarmac, TarmacOptions};

use super::OpenOptions;

/// An open trace and what its file looked like when it was opened.
#[derive(Debug)]
pub struct Input {
    /// The trace.
    pub source: Arc<AnySource>,
    /// What an index of it has to bear.
    pub fingerprint: Fingerprint,
}

impl Input {
    /// Opens a trace; every error is one sentence that ends with the path.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let path = &options.path;
        // Asked before opening: to open a pipe would wait for its writer.
        check_kind(&fs::metadata(path).map_err(|error| refused(&error, path))?, path)?;
        let file = File::open(path).map_err(|error| refused(&error, path))?;
        let metadata = file.metadata().map_err(|error| refused(&error, path))?;
        check_kind(&metadata, path)?;
        let format = match options.format {
            Some(format) => format,
            None => format_of(&file, options)?,
        };
        let tarmac =
            TarmacOptions { endian: options.endian.unwrap_or_default(), implicit_thumb: options.implicit_thumb };
        let unusable = |error| anyhow!("{error}: {path:?}");
        let source = match format {
            Format::Tarmac => AnySource::Tarmac(Tarmac::open(Box::new(file), tarmac).map_err(unusable)?),
        };
        let fingerprint = Fingerprint::of(&source, modified_nanos(&metadata)).map_err(unusable)?;
        Ok(Self { source: Arc::new(source), fingerprint })
    }

    /// The fingerprint of the trace as it is now, as far as its source has taken in what was added.
    pub fn fingerprint_now(&self, path: &Path) -> Result<Fingerprint, SourceError> {
        let modified = fs::metadata(path).map_or(0, |metadata| modified_nanos(&metadata));
        Fingerprint::of(self.source.as_ref(), modified)
    }

    /// True when the file is no longer what it was when it was opened, unless it only grew since.
    pub fn is_rewritten(&self, path: &Path) -> bool {
        let is_longer = fs::metadata(path).is_ok_and(|now| now.len() > self.fingerprint.length);
        self.is_changed(path) && !(is_longer && self.fingerprint.is_start_of_input(self.source.as_ref()))
    }

    /// True when the file is no longer what it was when it was opened, as far as length and time tell.
    pub fn is_changed(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|now| {
            now.len() != self.fingerprint.length || modified_nanos(&now) != self.fingerprint.modified_nanos
        })
    }
}

fn check_kind(metadata: &Metadata, path: &Path) -> Result<()> {
    if metadata.is_dir() {
        bail!("this is a directory, not a trace: {path:?}");
    }
    if !metadata.is_file() {
        bail!("a trace has to be a file that can be read anywhere, so save this pipe or device to one first: {path:?}");
    }
    if metadata.len() == 0 {
        bail!("the file is empty: {path:?}");
    }
    Ok(())
}

fn refused(error: &io::Error, path: &Path) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => anyhow!("there is no such file: {path:?}"),
        io::ErrorKind::PermissionDenied => anyhow!("the file may not be read by this user: {path:?}"),
        _ => anyhow!("the file could not be opened ({error}): {path:?}"),
    }
}

fn format_of(file: &File, options: &OpenOptions) -> Result<Format> {
    match Format::of_input(file) {
        Ok(format) => Ok(format),
        // Lines without the instruction-set field look like prose, but the option says what they are.
        Err(SourceError::NotATrace(FormatError::NoTarmacLine { .. })) if options.implicit_thumb => Ok(Format::Tarmac),
        Err(error) => Err(anyhow!("{error}: {:?}", options.path)),
    }
}

/// Nanoseconds since 1970; 0 where the file system keeps no time.
fn modified_nanos(metadata: &Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
