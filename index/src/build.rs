//! Builds the index of a trace: segments side by side, then one pass in order.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use stepback_parsers::{
    EventSink, Flow, MemoryAccess, ParseScratch, Problem, RegisterId, RegisterWrite, Source, SourceError, StepEvent,
    TextEvent, ThreadNumber,
};

use crate::assemble::{Assembled, Assembler, Output};
use crate::data::Data;
use crate::error::PassError;
use crate::layout::HEADER_LEN;
use crate::segment::{SealedSegment, SegmentBuilder};
use crate::semihosting::HostPass;
use crate::{BuildError, Cancel, Fingerprint, Index};

/// How many warnings an index keeps; all are counted.
pub const WARNINGS_KEPT: usize = 1000;

/// How to build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Bytes of input in a segment. Answers do not depend on it.
    pub segment_bytes: u64,
    /// Worker threads; 0: one for each core.
    pub threads: usize,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { segment_bytes: 16 << 20, threads: 0 }
    }
}

/// How far a build is. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Bytes of the trace read so far.
    pub bytes_done: AtomicU64,
    /// Bytes of the trace in all.
    pub bytes_total: AtomicU64,
    /// Steps found so far.
    pub steps: AtomicU64,
    /// Semihosting calls that were looked at so far, when all else is done.
    pub host_calls_done: AtomicU64,
    /// Semihosting calls to look at; 0 until then.
    pub host_calls_total: AtomicU64,
}

/// What a build did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildSummary {
    /// Steps in all.
    pub steps: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

/// Writes the index of a trace to `path`: first to `path` + `.partial`, then fsync, then rename.
///
/// # Errors
/// See [`BuildError`]; the partial file is removed.
pub fn build<S: Source>(
    source: &S,
    fingerprint: &Fingerprint,
    path: &Path,
    options: &BuildOptions,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<BuildSummary, BuildError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let failed = |error| BuildError::Write { path: partial.clone(), error };
    let file = lock_partial(&partial).map_err(failed)?;
    // Holds the lock until a failed build's file is gone: else it might be that of the next builder.
    let lock = file.try_clone().map_err(failed)?;
    let built = (|| {
        let output = BufWriter::with_capacity(1 << 20, file);
        let assembler = Assembler::new(source, fingerprint, output).map_err(failed)?;
        let (output, summary) = Run { source, options, progress, cancel, failed: &failed }.run(assembler)?;
        let file = output.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        std::fs::rename(&partial, path).map_err(|error| BuildError::Write { path: path.to_owned(), error })?;
        Ok(summary)
    })();
    if built.is_err() {
        // The reason for the failure is reported; a leftover is overwritten by the next build.
        _ = std::fs::remove_file(&partial);
    }
    drop(lock);
    built
}

/// Opens the partial file for one builder alone, empty.
fn lock_partial(path: &Path) -> std::io::Result<File> {
    loop {
        if std::fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
            // Through a link the index would be written over whatever the link points at.
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let kind = std::io::ErrorKind::ResourceBusy;
                return Err(std::io::Error::new(kind, "another program is writing it at this moment"));
            }
            // A file system without locks: two builders at once are then possible, and the later rename wins.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        // Between the opening and the lock another builder may have renamed the file: it is an index now, and mapped.
        if is_still_at(&file, path)? {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let opened = file.metadata()?;
    let there = std::fs::metadata(path);
    Ok(there.is_ok_and(|there| (there.dev(), there.ino()) == (opened.dev(), opened.ino())))
}

#[cfg(not(unix))]
fn is_still_at(_file: &File, _path: &Path) -> std::io::Result<bool> {
    // An open file cannot be renamed away there.
    Ok(true)
}

/// The bytes of an index that lives in memory alone.
pub(crate) fn build_in_memory<S: Source>(
    source: &S,
    fingerprint: &Fingerprint,
    options: &BuildOptions,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<Arc<Data>, BuildError> {
    let failed = |error| BuildError::Write { path: PathBuf::from("memory"), error };
    let assembler = Assembler::new(source, fingerprint, Arc::new(Data::Memory(Vec::new()))).map_err(failed)?;
    Ok(Run { source, options, progress, cancel, failed: &failed }.run(assembler)?.0)
}

impl Output for BufWriter<File> {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.write_all(bytes)
    }

    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()> {
        self.seek(SeekFrom::Start(0))?;
        self.write_all(header)?;
        self.seek(SeekFrom::End(0)).map(|_| ())
    }

    fn read_back(&mut self) -> std::io::Result<Arc<Data>> {
        self.flush()?;
        // This builder alone writes the file, and only behind what is mapped, until the map is gone.
        Data::map(self.get_ref()).map(Arc::new)
    }
}

struct Run<'a, S, F> {
    source: &'a S,
    options: &'a BuildOptions,
    progress: &'a BuildProgress,
    cancel: &'a Cancel,
    failed: &'a F,
}

/// What the workers share.
struct Shared<O> {
    /// Where each task begins, as soon as somebody looked; none inside: it has no place to begin.
    cuts: Vec<OnceLock<Option<u64>>>,
    next_task: AtomicUsize,
    is_over: AtomicBool,
    ordered: Mutex<Ordered<O>>,
    advanced: Condvar,
}

/// Tasks that are done wait here for those before them.
struct Ordered<O> {
    assembler: Assembler<O>,
    next: usize,
    waiting: BTreeMap<usize, (Vec<SealedSegment>, u64)>,
    error: Option<BuildError>,
}

impl<S: Source, F: Fn(std::io::Error) -> BuildError + Sync> Run<'_, S, F> {
    fn run<O: Output + Send>(&self, assembler: Assembler<O>) -> Result<(O, BuildSummary), BuildError> {
        let length = self.source.length();
        self.progress.bytes_total.store(length, Ordering::Relaxed);
        let tasks = usize::try_from(length.div_ceil(self.segment_bytes())).unwrap_or(usize::MAX);
        let shared = Shared {
            cuts: (0..tasks).map(|_| OnceLock::new()).collect(),
            next_task: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            ordered: Mutex::new(Ordered { assembler, next: 0, waiting: BTreeMap::new(), error: None }),
            advanced: Condvar::new(),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.options.threads.min(tasks)).build();
        let pool = pool.map_err(|error| BuildError::Workers(error.to_string()))?;
        let workers = pool.current_num_threads();
        pool.scope(|scope| (0..workers).for_each(|_| scope.spawn(|_| self.work(&shared, workers))));
        let ordered = shared.ordered.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = ordered.error {
            return Err(error);
        }
        if self.cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        if self.source.length_now().is_ok_and(|now| now != length) {
            return Err(BuildError::TraceChanged);
        }
        let steps = ordered.assembler.steps();
        let mut assembled = ordered.assembler.finish().map_err(self.failed)?;
        self.follow_host_calls(&mut assembled)?;
        let (output, index_bytes) = assembled.into_output();
        Ok((output, BuildSummary { steps, trace_bytes: length, index_bytes }))
    }

    /// Finds what the host wrote during semihosting calls: only the index of all the rest can tell.
    fn follow_host_calls<O: Output>(&self, assembled: &mut Assembled<O>) -> Result<(), BuildError> {
        if assembled.host_calls().is_empty() {
            return Ok(());
        }
        let index = Index::load(Arc::new(self.source), assembled.read_back().map_err(self.failed)?, None)?;
        self.progress.host_calls_total.store(assembled.host_calls().len() as u64, Ordering::Relaxed);
        let calls = assembled.host_calls().iter().copied().inspect(|_| {
            self.progress.host_calls_done.fetch_add(1, Ordering::Relaxed);
        });
        let writes = HostPass::new(index, self.cancel).run(calls)?;
        assembled.add_host_writes(writes).map_err(self.failed)
    }

    fn stopped(&self, error: PassError) -> BuildError {
        match error {
            PassError::Write(error) => (self.failed)(error),
            PassError::Query(error) => error.into(),
        }
    }

    fn segment_bytes(&self) -> u64 {
        self.options.segment_bytes.max(1)
    }

    fn work<O: Output + Send>(&self, shared: &Shared<O>, workers: usize) {
        let _release = ReleaseOthers(shared);
        let mut builder = SegmentBuilder::default();
        let mut scratch = ParseScratch::default();
        loop {
            let task = shared.next_task.fetch_add(1, Ordering::Relaxed);
            if task >= shared.cuts.len() || !shared.wait_for_turn(task, 2 * workers + 2) {
                return;
            }
            let lines = self.parse_task(shared, task, &mut builder, &mut scratch);
            let segments = std::mem::take(&mut builder.sealed);
            if !self.hand_in(shared, task, segments, lines) {
                return;
            }
        }
    }

    /// Parses a task; gives the number of its lines.
    fn parse_task<O>(
        &self,
        shared: &Shared<O>,
        task: usize,
        builder: &mut SegmentBuilder,
        scratch: &mut ParseScratch,
    ) -> Result<u64, SourceError> {
        builder.sealed.clear();
        let Some(start) = self.cut(shared, task, scratch) else { return Ok(0) };
        let later = (task + 1..shared.cuts.len()).find_map(|task| self.cut(shared, task, scratch));
        let end = later.unwrap_or(self.source.length());
        builder.begin_task(start);
        let mut sink = Watched { builder, run: self, is_over: &shared.is_over, done: start };
        let parsed = self.source.parse(start..end, scratch, &mut sink)?;
        self.progress.bytes_done.fetch_add(end.saturating_sub(sink.done), Ordering::Relaxed);
        builder.end_task();
        Ok(parsed.lines)
    }

    /// Where a task begins; none when its part of the input has no place to begin (it is then part of an earlier one).
    fn cut<O>(&self, shared: &Shared<O>, task: usize, scratch: &mut ParseScratch) -> Option<u64> {
        *shared.cuts[task].get_or_init(|| {
            let target = task as u64 * self.segment_bytes();
            let limit = target.saturating_add(self.segment_bytes()).min(self.source.length());
            // Where the input cannot be read here, the task before comes upon it and reports.
            if task == 0 { Some(0) } else { self.source.cut(target, limit, scratch).unwrap_or_default() }
        })
    }

    /// Passes a task on to the pass in order; false when the build is over.
    fn hand_in<O: Output>(
        &self,
        shared: &Shared<O>,
        task: usize,
        segments: Vec<SealedSegment>,
        lines: Result<u64, SourceError>,
    ) -> bool {
        let mut ordered = shared.lock();
        let taken = lines.map_err(BuildError::from).and_then(|lines| {
            ordered.waiting.insert(task, (segments, lines));
            ordered.take_ready(self.source).map_err(|error| self.stopped(error))
        });
        if let Err(error) = taken {
            ordered.error.get_or_insert(error);
            shared.is_over.store(true, Ordering::Relaxed);
        }
        if self.cancel.is_cancelled() {
            shared.is_over.store(true, Ordering::Relaxed);
        }
        self.progress.steps.store(ordered.assembler.steps(), Ordering::Relaxed);
        shared.advanced.notify_all();
        !shared.is_over.load(Ordering::Relaxed)
    }
}

impl<O: Output> Ordered<O> {
    fn take_ready<S: Source>(&mut self, source: &S) -> Result<(), PassError> {
        while let Some((mut segments, lines)) = self.waiting.remove(&self.next) {
            self.assembler.add_task(source, &mut segments, lines)?;
            self.next += 1;
        }
        Ok(())
    }
}

impl<O> Shared<O> {
    fn lock(&self) -> MutexGuard<'_, Ordered<O>> {
        // A worker that panicked takes the whole pool down with it, so what it left behind is never used.
        self.ordered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a task is at most so far ahead of the pass in order, which bounds memory; false when the build is over.
    fn wait_for_turn(&self, task: usize, ahead: usize) -> bool {
        let is_early = |ordered: &mut Ordered<O>| task >= ordered.next + ahead && !self.is_over.load(Ordering::Relaxed);
        let waited = self.advanced.wait_while(self.lock(), is_early);
        drop(waited);
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// Lets the other workers go when this one panics: they would wait for its task for ever.
struct ReleaseOthers<'a, O>(&'a Shared<O>);

impl<O> Drop for ReleaseOthers<'_, O> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Under the lock, so that nobody is between looking at the flag and going to sleep.
            let ordered = self.0.lock();
            self.0.is_over.store(true, Ordering::Relaxed);
            self.0.advanced.notify_all();
            drop(ordered);
        }
    }
}

/// A builder that reports progress and can be stopped.
struct Watched<'a, 'r, S, F> {
    builder: &'a mut SegmentBuilder,
    run: &'a Run<'r, S, F>,
    is_over: &'a AtomicBool,
    done: u64,
}

impl<S, F> EventSink for Watched<'_, '_, S, F> {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        self.builder.thread_named(thread, name);
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        self.builder.register_named(register, name, size_bytes);
    }

    #[inline]
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.builder.begin_step(step);
    }

    #[inline]
    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.builder.register_write(write);
    }

    #[inline]
    fn access(&mut self, access: &MemoryAccess) {
        self.builder.access(access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.builder.text(event);
    }

    fn problem(&mut self, problem: &Problem) {
        self.builder.problem(problem);
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.run.progress.bytes_done.fetch_add(offset.saturating_sub(self.done), Ordering::Relaxed);
        self.done = self.done.max(offset);
        let is_over = self.is_over.load(Ordering::Relaxed) || self.run.cancel.is_cancelled();
        if is_over { Flow::Stop } else { Flow::Continue }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use stepback_parsers::{Parsed, SourceTraits, Tarmac};

    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Error,
        Panic,
        Cancel,
    }

    /// A trace at one byte of which reading ends.
    struct Broken<'a> {
        trace: Tarmac,
        at: u64,
        end: End,
        cancel: &'a Cancel,
    }

    impl Source for Broken<'_> {
        fn traits(&self) -> &SourceTraits {
            self.trace.traits()
        }

        fn length(&self) -> u64 {
            self.trace.length()
        }

        fn is_settled(&self) -> bool {
            self.trace.is_settled()
        }

        fn grow(&self) -> std::io::Result<u64> {
            self.trace.grow()
        }

        fn length_now(&self) -> std::io::Result<u64> {
            self.trace.length_now()
        }

        fn cut(&self, target: u64, limit: u64, scratch: &mut ParseScratch) -> Result<Option<u64>, SourceError> {
            self.trace.cut(target, limit, scratch)
        }

        fn parse<S: EventSink>(
            &self,
            range: Range<u64>,
            scratch: &mut ParseScratch,
            sink: &mut S,
        ) -> Result<Parsed, SourceError> {
            match self.end {
                _ if !range.contains(&self.at) => {}
                End::Error => {
                    return Err(SourceError::Read { offset: self.at, error: std::io::ErrorKind::Other.into() });
                }
                End::Panic => panic!("the test breaks here"),
                End::Cancel => self.cancel.cancel(),
            }
            self.trace.parse(range, scratch, sink)
        }

        fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
            self.trace.read_raw(range, out)
        }
    }

    /// Builds from a trace of 40 tasks with several workers; none when the build panicked.
    fn build_of(end: End, at: u64) -> Option<Result<Arc<Data>, BuildError>> {
        let line = "7 clk IT (7) 00001000 e1a00000 A usr : NOP\n";
        let trace = Tarmac::open(Box::new(line.repeat(400).into_bytes()), Default::default()).unwrap();
        let fingerprint = Fingerprint::of(&trace, 0).unwrap();
        let cancel = Cancel::default();
        let source = Broken { trace, at, end, cancel: &cancel };
        let options = BuildOptions { segment_bytes: 10 * line.len() as u64, threads: 3 };
        let build = || build_in_memory(&source, &fingerprint, &options, &BuildProgress::default(), &cancel);
        catch_unwind(AssertUnwindSafe(build)).ok()
    }

    #[test]
    fn a_worker_that_panics_does_not_leave_the_others_waiting() {
        for at in [0, 5000, 17_000] {
            assert!(build_of(End::Panic, at).is_none());
        }
    }

    #[test]
    fn an_unreadable_place_ends_the_build_with_its_error() {
        for at in [0, 5000, 17_000] {
            let built = build_of(End::Error, at);
            assert!(matches!(built, Some(Err(BuildError::Source(SourceError::Read { offset, .. }))) if offset == at));
        }
    }

    #[test]
    fn a_cancelled_build_says_so() {
        for at in [0, 5000, 17_000] {
            assert!(matches!(build_of(End::Cancel, at), Some(Err(BuildError::Cancelled))));
        }
    }

    #[test]
    fn a_failed_build_leaves_nothing_behind_and_a_second_builder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.sbi");
        let text = "7 clk IT (7) 00001000 e1a00000 A usr : NOP\n".repeat(400);
        let trace = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
        let fingerprint = Fingerprint::of(&trace, 0).unwrap();
        let build = |cancel: &Cancel| {
            build(&trace, &fingerprint, &path, &BuildOptions::default(), &BuildProgress::default(), cancel)
        };
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(matches!(build(&cancel), Err(BuildError::Cancelled)));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        let other = lock_partial(&folder.path().join("trace.sbi.partial")).unwrap();
        assert!(matches!(build(&Cancel::default()), Err(BuildError::Write { .. })));
        drop(other);
        assert!(build(&Cancel::default()).is_ok());
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
