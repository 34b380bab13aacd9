//! Public interface of index builds: [`Build`], with its options, progress and summary. One call
//! builds a new index, resumes an unfinished one, extends that of a trace that grew, or follows a
//! growing trace until it is cancelled. [`index_in_memory`] writes no file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use stepback_parsers::{Source, SourceError};

use crate::answers::error::{BuildError, Cancel};
use crate::builder::assemble::Assembler;
use crate::builder::partial::PartialFiles;
use crate::builder::run::BuildRun;
use crate::index::Index;
use crate::store::data::IndexData;
use crate::store::fingerprint::Fingerprint;

/// Builder for the index of a trace.
pub struct Build<'a> {
    request: BuildRequest<'a>,
    may_resume: bool,
}

impl std::fmt::Debug for Build<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Build")
            .field("fingerprint", self.request.fingerprint)
            .finish_non_exhaustive()
    }
}

impl<'a> Build<'a> {
    /// Creates a build that ends where the trace ended when it was opened.
    pub fn new(
        source: &'a Arc<dyn Source>,
        fingerprint: &'a Fingerprint,
        options: &'a BuildOptions,
        progress: &'a BuildProgress,
        cancel: &'a Cancel,
    ) -> Self {
        let request = BuildRequest {
            source,
            fingerprint,
            options,
            progress,
            cancel,
            follow: None,
            on_part: None,
        };
        Self {
            request,
            may_resume: true,
        }
    }

    /// Makes the build start again instead of resuming an earlier one.
    #[must_use]
    pub fn anew(self) -> Self {
        Self {
            may_resume: false,
            ..self
        }
    }

    /// Makes the build follow the trace as it grows.
    #[must_use]
    pub fn following(self, follow: Option<Follow<'a>>) -> Self {
        Self {
            request: BuildRequest {
                follow,
                ..self.request
            },
            ..self
        }
    }

    /// Reports an index of the finished part: soon after the start, and again whenever it is
    /// worthwhile. The index answers as if the trace ended there. The callback runs on the building
    /// thread, while the workers continue.
    #[must_use]
    pub fn reporting_parts(self, on_part: &'a (dyn Fn(Index) + Sync)) -> Self {
        Self {
            request: BuildRequest {
                on_part: Some(on_part),
                ..self.request
            },
            ..self
        }
    }

    /// Writes the index to `path`: first to `path` + `.partial`, then fsync, then rename. Resumes
    /// an unfinished earlier build, or the index of the same trace when it was shorter.
    ///
    /// # Errors
    /// See [`BuildError`]. The finished part of a cancelled build is kept for the next one; other
    /// failures leave nothing on disk.
    pub fn to_file(&self, path: &Path) -> Result<BuildSummary, BuildError> {
        let failed = |error| BuildError::Write {
            path: PartialFiles::path_of(path),
            error,
        };
        let mut partial = PartialFiles::lock(path).map_err(failed)?;
        let built = self.to_partial(&mut partial, &failed);
        let is_cancelled = matches!(built, Err(BuildError::Cancelled));
        if built.is_err() && !(is_cancelled && partial.is_kept()) {
            partial.remove();
        }
        built
    }

    fn to_partial(
        &self,
        partial: &mut PartialFiles,
        failed: &(dyn Fn(std::io::Error) -> BuildError + Sync),
    ) -> Result<BuildSummary, BuildError> {
        let resumed = if self.may_resume {
            partial.resumed(|earlier| self.is_of_this(earlier))
        } else {
            None
        };
        if resumed.is_none() {
            partial.begin_anew().map_err(failed)?;
        }
        let output = partial.output().map_err(failed)?;
        let mut assembler = match resumed {
            Some(resumed) => Assembler::resume(
                resumed,
                self.request.fingerprint,
                self.request.source.traits(),
                output,
            ),
            None => Assembler::new(
                self.request.source.as_ref(),
                self.request.fingerprint,
                output,
            )
            .map_err(failed)?,
        };
        assembler.use_folder(partial.folder());
        let (output, summary) = BuildRun {
            request: &self.request,
            partial: Some(&*partial),
            failed,
        }
        .run(assembler)?;
        output
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        partial.finish().map_err(failed)?;
        Ok(summary)
    }

    /// Returns true if an earlier index is of this trace, or of this trace before it grew.
    fn is_of_this(&self, earlier: &Fingerprint) -> bool {
        earlier.difference(self.request.fingerprint).is_none()
            || earlier.is_start_of(self.request.fingerprint, self.request.source.as_ref())
    }

    /// Builds an index in memory only.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn in_memory(&self) -> Result<Index, BuildError> {
        let failed = |error| BuildError::Write {
            path: PathBuf::from("memory"),
            error,
        };
        let output = Arc::new(IndexData::Memory(Vec::new()));
        let assembler = Assembler::new(
            self.request.source.as_ref(),
            self.request.fingerprint,
            output,
        )
        .map_err(failed)?;
        let (data, _) = BuildRun {
            request: &self.request,
            partial: None,
            failed: &failed,
        }
        .run(assembler)?;
        Ok(Index::load(Arc::clone(self.request.source), data, None)?)
    }
}

/// Inputs and callbacks of a build.
pub(crate) struct BuildRequest<'a> {
    pub source: &'a Arc<dyn Source>,
    pub fingerprint: &'a Fingerprint,
    pub options: &'a BuildOptions,
    pub progress: &'a BuildProgress,
    pub cancel: &'a Cancel,
    /// Following of a growing trace; none when it ends where it ended when it was opened.
    pub follow: Option<Follow<'a>>,
    /// Receiver of partial indexes.
    pub on_part: Option<&'a (dyn Fn(Index) + Sync)>,
}

/// Lets a build follow the trace as it grows.
#[derive(Clone, Copy)]
pub struct Follow<'a> {
    /// Cancelling this makes the build finish with the text present.
    pub until: &'a Cancel,
    /// Returns the current fingerprint of the trace.
    pub fingerprint: &'a (dyn Fn() -> Result<Fingerprint, SourceError> + Sync),
}

impl std::fmt::Debug for Follow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follow")
            .field("until", self.until)
            .finish_non_exhaustive()
    }
}

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Bytes of input per segment. Answers do not depend on it.
    pub segment_bytes: u64,
    /// Number of worker threads; 0 means one for each core.
    pub threads: usize,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            segment_bytes: 8 << 20,
            threads: 0,
        }
    }
}

/// Progress of a build, shared with its observers.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Bytes of the trace read.
    pub bytes_done: AtomicU64,
    /// Total bytes of the trace, as known until now.
    pub bytes_total: AtomicU64,
    /// Steps found.
    pub steps: AtomicU64,
    /// Semihosting calls examined, after everything else is done.
    pub host_calls_done: AtomicU64,
    /// Semihosting calls to examine; 0 until then.
    pub host_calls_total: AtomicU64,
}

/// Summary of a finished build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildSummary {
    /// Total number of steps.
    pub steps: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Bytes of the trace that an earlier build had done.
    pub resumed_bytes: u64,
    /// Times of the stages in which one worker works at a time.
    pub stages: StageTimes,
}

/// Times of the stages of a build in which one worker works at a time. The first two run in
/// parallel with each other and with the parsers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Taking segments in order.
    pub ordered: Duration,
    /// Searching for calls.
    pub calls: Duration,
    /// Finishing the index after the last segment.
    pub finish: Duration,
}

/// Builds an index in memory only.
///
/// # Errors
/// See [`BuildError`].
pub fn index_in_memory(
    source: Arc<dyn Source>,
    options: &BuildOptions,
) -> Result<Index, BuildError> {
    let fingerprint = Fingerprint::of(source.as_ref(), 0)?;
    Build::new(
        &source,
        &fingerprint,
        options,
        &BuildProgress::default(),
        &Cancel::default(),
    )
    .in_memory()
}
