//! Runs the workers, which parse and encode tasks in parallel; their results are taken in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use stepback_machine::RegisterId;
use stepback_parsers::{
    EventSink, Flow, MarkerEvent, MemoryAccess, ParseScratch, Problem, RegisterWrite, Source,
    SourceError, StepEvent, TextEvent, ThreadNumber,
};

use crate::answers::error::{BuildError, Cancel, PassError};
use crate::builder::assemble::{Assembler, Coverage};
use crate::builder::build_index::{BuildRequest, BuildSummary, StageTimes};
use crate::builder::calls::pass::CallPass;
use crate::builder::partial::PartialFiles;
use crate::builder::segment::builder::{SegmentBuilder, SegmentLimits};
use crate::builder::segment::sealed::ParsedTask;
use crate::builder::semihosting::pass::HostPass;
use crate::builder::writer::AssembledIndex;
use crate::index::Index;
use crate::store::output::IndexOutput;

/// Interval between checks of whether a trace has grown.
const GROWTH_WAIT: Duration = Duration::from_millis(20);

/// Maximum number of bytes of segments that wait for the sequential pass; above it, only the task
/// that the pass needs next may add more. Segments of real traces have one to two megabytes each.
const WAITING_BYTES: usize = 16 << 20;

/// Maximum number of bytes of segments that wait for the call search.
const CALLS_WAITING_BYTES: usize = 8 << 20;

/// A running build.
pub(crate) struct BuildRun<'a> {
    pub request: &'a BuildRequest<'a>,
    /// None when the index lives in memory.
    pub partial: Option<&'a PartialFiles>,
    /// Error for a failure to write the index.
    pub failed: &'a (dyn Fn(std::io::Error) -> BuildError + Sync),
}

/// State shared by the workers.
pub(crate) struct WorkerState<O> {
    /// Text offset of the first task. Each other task begins at the first cut point after the next
    /// multiple of the segment size from there.
    base: u64,
    /// Start of each task that was looked up; the inner `None` means that it has no cut point.
    cuts: Mutex<BTreeMap<u64, Option<u64>>>,
    next_task: AtomicU64,
    /// Final length of the trace, once it will not grow.
    settled: OnceLock<u64>,
    is_over: AtomicBool,
    workers_left: AtomicUsize,
    /// Number of workers that wait for the trace to grow.
    workers_idle: AtomicUsize,
    pub ordered: Mutex<TaskQueue<O>>,
    pub advanced: Condvar,
    calls: Arc<CallPass>,
}

/// Reorder buffer: finished tasks wait here for the earlier ones.
pub(crate) struct TaskQueue<O> {
    pub assembler: Assembler<O>,
    next: u64,
    waiting: BTreeMap<u64, ParsedTask>,
    error: Option<BuildError>,
    /// Time that taking tasks took.
    time: Duration,
}

impl BuildRun<'_> {
    pub fn run<O: IndexOutput + Send>(
        &self,
        assembler: Assembler<O>,
    ) -> Result<(O, BuildSummary), BuildError> {
        let BuildRequest {
            source,
            options,
            progress,
            cancel,
            ..
        } = *self.request;
        let base = assembler.text_end();
        // Checked before the length: a source that has just settled takes in the rest when its
        // length is read.
        let is_settled = self.is_settled();
        progress
            .bytes_total
            .store(source.length(), Ordering::Relaxed);
        progress.bytes_done.store(base, Ordering::Relaxed);
        let tasks = source
            .length()
            .saturating_sub(base)
            .div_ceil(self.segment_bytes());
        let at_most = if is_settled {
            usize::try_from(tasks).unwrap_or(usize::MAX)
        } else {
            usize::MAX
        };
        let workers = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers.min(at_most).max(1))
            .build();
        let pool = pool.map_err(|error| BuildError::Workers(error.to_string()))?;
        let workers = pool.current_num_threads();
        let shared = WorkerState {
            base,
            cuts: Mutex::default(),
            next_task: AtomicU64::new(0),
            settled: OnceLock::new(),
            is_over: AtomicBool::new(false),
            workers_left: AtomicUsize::new(workers),
            workers_idle: AtomicUsize::new(0),
            calls: Arc::clone(assembler.calls()),
            ordered: Mutex::new(TaskQueue {
                assembler,
                next: 0,
                waiting: BTreeMap::new(),
                error: None,
                time: Duration::ZERO,
            }),
            advanced: Condvar::new(),
        };
        pool.in_place_scope(|scope| {
            (0..workers).for_each(|_| scope.spawn(|_| self.work(&shared, workers)));
            self.show_parts(&shared, workers);
        });
        let mut ordered = shared
            .ordered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = ordered.error {
            return Err(error);
        }
        if cancel.is_cancelled() {
            self.keep(&mut ordered.assembler);
            return Err(BuildError::Cancelled);
        }
        let calls = ordered.assembler.calls().caught_up().time;
        let start = Instant::now();
        let (output, summary) = self.finish(ordered.assembler, base)?;
        let stages = StageTimes {
            ordered: ordered.time,
            calls,
            finish: start.elapsed(),
        };
        Ok((output, BuildSummary { stages, ..summary }))
    }

    fn finish<O: IndexOutput>(
        &self,
        mut assembler: Assembler<O>,
        base: u64,
    ) -> Result<(O, BuildSummary), BuildError> {
        let source = self.request.source;
        // An input that failed while it arrived has no length, and the text present is incomplete.
        let length = source.length();
        let now = source.length_now().map_err(|error| SourceError::Read {
            offset: length,
            error,
        })?;
        let is_longer = now > length && self.request.follow.is_none();
        if now < length || is_longer && !self.request.fingerprint.is_start_of_input(source.as_ref())
        {
            return Err(BuildError::TraceChanged);
        }
        if let Some(follow) = self.request.follow {
            // More may have been taken in since the last task began.
            assembler.set_fingerprint(
                (follow.fingerprint)()?.up_to(assembler.text_end(), source.as_ref())?,
            );
        }
        if self.partial.is_some() {
            assembler.mark();
        }
        let (steps, trace_bytes) = (assembler.steps(), assembler.text_end());
        let mut assembled = assembler.finish(Coverage::Whole).map_err(self.failed)?;
        self.request
            .progress
            .host_calls_total
            .store(assembled.host_calls().len() as u64, Ordering::Relaxed);
        self.follow_host_calls(&mut assembled, self.request.cancel, || {
            self.request
                .progress
                .host_calls_done
                .fetch_add(1, Ordering::Relaxed);
        })?;
        let (output, index_bytes) = assembled.into_output();
        Ok((
            output,
            BuildSummary {
                steps,
                trace_bytes,
                index_bytes,
                resumed_bytes: base,
                stages: StageTimes::default(),
            },
        ))
    }

    /// Finds the host's writes during semihosting calls. This needs the index of everything else.
    pub(crate) fn follow_host_calls<O: IndexOutput>(
        &self,
        assembled: &mut AssembledIndex<O>,
        cancel: &Cancel,
        on_call: impl Fn(),
    ) -> Result<(), BuildError> {
        if assembled.host_calls().is_empty() {
            return Ok(());
        }
        let data = assembled.read_back().map_err(self.failed)?;
        let index = Index::load(Arc::clone(self.request.source), data, None)?;
        let writes = HostPass::new(index, cancel).run(assembled.host_calls(), on_call)?;
        assembled.add_host_writes(writes).map_err(self.failed)
    }

    fn segment_bytes(&self) -> u64 {
        self.request.options.segment_bytes.max(1)
    }

    /// Returns true if the trace has its final length.
    fn is_settled(&self) -> bool {
        self.request.source.is_settled()
            && self
                .request
                .follow
                .is_none_or(|follow| follow.until.is_cancelled())
    }

    fn work<O: IndexOutput + Send>(&self, shared: &WorkerState<O>, workers: usize) {
        let _release = ReleaseOthers(shared);
        let mut builder = self.segment_builder();
        let mut scratch = ParseScratch::default();
        loop {
            let task = shared.next_task.fetch_add(1, Ordering::Relaxed);
            if !self.wait_for_text(shared, task) || !shared.wait_for_turn(task, workers as u64 + 2)
            {
                return;
            }
            let parsed = self.parse_task(shared, task, &mut builder, &mut scratch);
            if !self.hand_in(shared, task, parsed) {
                return;
            }
        }
    }

    /// Creates a builder for segments of this trace.
    pub(crate) fn segment_builder(&self) -> SegmentBuilder {
        let traits = self.request.source.traits();
        let limits = SegmentLimits::of(self.segment_bytes(), traits.registers);
        SegmentBuilder::of(traits, limits)
    }

    /// Returns the final length of the trace once it is certain: equal for all workers, even if
    /// text is added later.
    fn settled_length<O>(&self, shared: &WorkerState<O>) -> Option<u64> {
        let source = self.request.source;
        if shared.settled.get().is_none() && !self.is_settled() {
            return None;
        }
        let length = *shared.settled.get_or_init(|| match self.request.follow {
            // Text from before the end of following is part of it.
            Some(_) => source.grow().unwrap_or(source.length()),
            None => source.length(),
        });
        self.request
            .progress
            .bytes_total
            .store(length, Ordering::Relaxed);
        Some(length)
    }

    /// Returns the earliest offset at which a task may begin.
    fn target<O>(&self, shared: &WorkerState<O>, task: u64) -> u64 {
        shared
            .base
            .saturating_add(task.saturating_mul(self.segment_bytes()))
    }

    /// Waits until the text is present in which a task may begin; false when there will be none, or
    /// the build is over.
    fn wait_for_text<O>(&self, shared: &WorkerState<O>, task: u64) -> bool {
        let source = self.request.source;
        let mut is_idle = false;
        let has_text = loop {
            if let Some(length) = self.settled_length(shared) {
                break self.target(shared, task) < length;
            }
            let length = source.grow().unwrap_or(source.length());
            self.request
                .progress
                .bytes_total
                .store(length, Ordering::Relaxed);
            if length >= self.target(shared, task + 1) {
                break true;
            }
            // A text that is unpacked again is shorter for a while.
            if source.is_settled() && source.length_now().is_ok_and(|now| now < length) {
                shared.lock().error.get_or_insert(BuildError::TraceChanged);
                shared.is_over.store(true, Ordering::Relaxed);
            }
            if self.is_stopped(shared) {
                shared.is_over.store(true, Ordering::Relaxed);
                break false;
            }
            if !is_idle {
                is_idle = true;
                shared.workers_idle.fetch_add(1, Ordering::Relaxed);
            }
            std::thread::sleep(GROWTH_WAIT);
        };
        if is_idle {
            shared.workers_idle.fetch_sub(1, Ordering::Relaxed);
        }
        has_text && !self.is_stopped(shared)
    }

    fn is_stopped<O>(&self, shared: &WorkerState<O>) -> bool {
        shared.is_over.load(Ordering::Relaxed) || self.request.cancel.is_cancelled()
    }

    fn parse_task<O: IndexOutput + Send>(
        &self,
        shared: &WorkerState<O>,
        task: u64,
        builder: &mut SegmentBuilder,
        scratch: &mut ParseScratch,
    ) -> Result<ParsedTask, SourceError> {
        let nothing = ParsedTask {
            is_whole: true,
            ..ParsedTask::default()
        };
        let Some(start) = self.cut(shared, task, scratch) else {
            return Ok(nothing);
        };
        let mut next = task + 1;
        let end = loop {
            if !self.wait_for_text(shared, next) {
                break shared
                    .settled
                    .get()
                    .copied()
                    .unwrap_or(self.request.source.length());
            }
            if let Some(cut) = self.cut(shared, next, scratch) {
                break cut;
            }
            next += 1;
        };
        builder.begin_task(start);
        let is_last = shared.settled.get() == Some(&end);
        let mut done = start;
        let mut count = |offset: u64| {
            self.request
                .progress
                .bytes_done
                .fetch_add(offset.saturating_sub(done), Ordering::Relaxed);
            done = done.max(offset);
        };
        let mut on_progress = |builder: &mut SegmentBuilder, offset| {
            count(offset);
            self.hand_in_sealed(
                shared,
                task,
                ParsedTask {
                    is_last,
                    ..ParsedTask::default()
                },
                builder,
            )
        };
        let source = self.request.source.as_ref();
        let parsed = source.parse_into(
            start..end,
            scratch,
            &mut ObservedBuilder {
                builder,
                source,
                on_progress: &mut on_progress,
            },
        )?;
        count(end);
        builder.end_task();
        let segments = std::mem::take(&mut builder.sealed);
        Ok(ParsedTask {
            segments,
            lines: parsed.lines,
            end: Some(end),
            is_last,
            is_whole: true,
        })
    }

    /// Returns the start of a task; none when its part of the input has no cut point (it is then
    /// part of an earlier one).
    fn cut<O>(
        &self,
        shared: &WorkerState<O>,
        task: u64,
        scratch: &mut ParseScratch,
    ) -> Option<u64> {
        let known = shared.cuts().get(&task).copied();
        known.unwrap_or_else(|| {
            let target = self.target(shared, task);
            let limit = target
                .saturating_add(self.segment_bytes())
                .min(self.request.source.length());
            // If the input cannot be read here, the task before encounters and reports it.
            let cut = if task == 0 {
                Some(shared.base)
            } else {
                self.request
                    .source
                    .cut(target, limit, scratch)
                    .unwrap_or(None)
            };
            shared.cuts().insert(task, cut);
            cut
        })
    }

    /// Passes on the sealed segments of a task that is still being parsed, as a part of it.
    fn hand_in_sealed<O: IndexOutput>(
        &self,
        shared: &WorkerState<O>,
        task: u64,
        part: ParsedTask,
        builder: &mut SegmentBuilder,
    ) -> Flow {
        // A task of one segment is handed in as a whole. One of many has a stretch without cut
        // points.
        if !builder.sealed.is_empty() {
            let segments = std::mem::take(&mut builder.sealed);
            if !self.hand_in_part(shared, task, ParsedTask { segments, ..part }) {
                return Flow::Stop;
            }
        }
        if self.is_stopped(shared) {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }

    /// Passes the first segments of a task to the sequential pass, and waits while too many others
    /// wait there; false when the build is over.
    fn hand_in_part<O: IndexOutput>(
        &self,
        shared: &WorkerState<O>,
        task: u64,
        part: ParsedTask,
    ) -> bool {
        self.hand_in(shared, task, Ok(part)) && shared.wait_for_room(task)
    }

    /// Passes a task, or a part of it, to the sequential pass; false when the build is over.
    fn hand_in<O: IndexOutput>(
        &self,
        shared: &WorkerState<O>,
        task: u64,
        parsed: Result<ParsedTask, SourceError>,
    ) -> bool {
        let mut ordered = shared.lock();
        let is_stopped = self.is_stopped(shared);
        // A task that was stopped is incomplete.
        let taken = parsed
            .map_err(BuildError::from)
            .and_then(|parsed| match is_stopped {
                true => Ok(()),
                false => {
                    ordered.waiting.entry(task).or_default().extend(parsed);
                    self.take_ready(&mut ordered)
                }
            });
        if let Err(error) = taken {
            ordered.error.get_or_insert(error);
            shared.is_over.store(true, Ordering::Relaxed);
        }
        if is_stopped {
            shared.is_over.store(true, Ordering::Relaxed);
        }
        self.request
            .progress
            .steps
            .store(ordered.assembler.steps(), Ordering::Relaxed);
        shared.advanced.notify_all();
        drop(ordered);
        shared.search_calls();
        !shared.is_over.load(Ordering::Relaxed)
    }

    fn take_ready<O: IndexOutput>(&self, ordered: &mut TaskQueue<O>) -> Result<(), BuildError> {
        let start = Instant::now();
        while let Some(mut task) = ordered.waiting.remove(&ordered.next) {
            if task.is_last && self.partial.is_some() {
                // When the trace grows this task is done again.
                ordered.assembler.mark();
            }
            let taken = ordered
                .assembler
                .add_task(self.request.source.as_ref(), &mut task);
            taken.map_err(|error| self.stopped(error))?;
            if !task.is_whole {
                break;
            }
            ordered.next += 1;
        }
        ordered.time += start.elapsed();
        Ok(())
    }

    pub(crate) fn stopped(&self, error: PassError) -> BuildError {
        match error {
            PassError::Write(error) => (self.failed)(error),
            PassError::Query(error) => error.into(),
        }
    }
}

impl<O> WorkerState<O> {
    pub fn lock(&self) -> MutexGuard<'_, TaskQueue<O>> {
        // A worker that panicked takes the whole pool down with it, so its state is never used.
        self.ordered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cuts(&self) -> MutexGuard<'_, BTreeMap<u64, Option<u64>>> {
        self.cuts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the call search, unless another worker is doing so.
    fn search_calls(&self) {
        self.calls.advance(|| self.advanced.notify_all());
        // Under the lock, so that no waiter is between looking at the queue and going to sleep.
        drop(self.lock());
        self.advanced.notify_all();
    }

    /// Returns true if no worker will hand in anything any more.
    pub fn is_done(&self) -> bool {
        self.workers_left.load(Ordering::Relaxed) == 0 || self.is_over.load(Ordering::Relaxed)
    }

    /// Returns true if all workers wait for the trace to grow.
    pub fn is_idle(&self, workers: usize) -> bool {
        self.workers_idle.load(Ordering::Relaxed) == workers
    }

    /// Waits until a task is less than `ahead` tasks after the sequential pass, which bounds
    /// memory; false when the build is over.
    fn wait_for_turn(&self, task: u64, ahead: u64) -> bool {
        self.wait_while(|ordered| task >= ordered.next + ahead || ordered.is_crowded(task))
    }

    /// Waits while too much waits before a task can be taken; false when the build is over.
    fn wait_for_room(&self, task: u64) -> bool {
        self.wait_while(|ordered| ordered.is_crowded(task))
    }

    fn wait_while(&self, is_early: impl Fn(&TaskQueue<O>) -> bool) -> bool {
        // The worker that adds to the queue of the call search then advances it, so there is always
        // progress.
        let is_call_queue_full = || self.calls.len_bytes() >= CALLS_WAITING_BYTES;
        let is_waiting = |ordered: &mut TaskQueue<O>| {
            (is_call_queue_full() || is_early(ordered)) && !self.is_over.load(Ordering::Relaxed)
        };
        let waited = self.advanced.wait_while(self.lock(), is_waiting);
        drop(waited);
        !self.is_over.load(Ordering::Relaxed)
    }
}

impl<O> TaskQueue<O> {
    /// Returns true if a task should not add more. The next task to be taken never waits for this,
    /// so there is always progress.
    fn is_crowded(&self, task: u64) -> bool {
        task != self.next
            && self
                .waiting
                .values()
                .map(ParsedTask::len_bytes)
                .sum::<usize>()
                >= WAITING_BYTES
    }
}

/// Notifies the others when a worker ends, and stops them when it panics: they would wait for its
/// task for ever.
struct ReleaseOthers<'a, O>(&'a WorkerState<O>);

impl<O> Drop for ReleaseOthers<'_, O> {
    fn drop(&mut self) {
        // Under the lock, so that no waiter is between checking a flag and going to sleep.
        let ordered = self.0.lock();
        self.0
            .is_over
            .fetch_or(std::thread::panicking(), Ordering::Relaxed);
        self.0.workers_left.fetch_sub(1, Ordering::Relaxed);
        self.0.advanced.notify_all();
        drop(ordered);
    }
}

/// Event sink that reports progress, passes on sealed segments, and can stop the parser. Its type
/// does not depend on the build's output, so that the parsers are compiled for it once.
struct ObservedBuilder<'a> {
    builder: &'a mut SegmentBuilder,
    source: &'a dyn Source,
    /// Called as [`EventSink::progress`] is.
    on_progress: &'a mut dyn FnMut(&mut SegmentBuilder, u64) -> Flow,
}

impl EventSink for ObservedBuilder<'_> {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        self.builder.thread_named(thread, name);
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        self.builder.register_named(register, name, size_bytes);
    }

    // Inlined, the parser need not lay out an event of which half the fields are not read.
    #[inline(always)]
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.builder.begin_step(step);
    }

    fn scattered_values(&mut self) {
        self.builder.scattered_values();
    }

    #[inline(always)]
    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.builder.register_write(write);
    }

    #[inline(always)]
    fn access(&mut self, access: &MemoryAccess) {
        self.builder.access(access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.builder.text(event);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.builder.marker(event);
        if let Some(recording) = self.source.recording(event.marker) {
            self.builder.calls.turns.recording(event.thread, recording);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.builder.problem(problem);
    }

    fn progress(&mut self, offset: u64) -> Flow {
        (self.on_progress)(self.builder, offset)
    }
}
