//! Shows and keeps the finished part of a build while the rest is being built.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use memchr::memrchr;
use stepback_parsers::ParseScratch;

use crate::answers::error::{BuildError, Cancel};
use crate::builder::assemble::{Assembler, Coverage};
use crate::builder::partial::PartialFiles;
use crate::builder::run::{BuildRun, TaskQueue, WorkerState};
use crate::builder::segment::sealed::ParsedTask;
use crate::index::Index;
use crate::store::data::IndexData;
use crate::store::output::{IndexOutput, TrailerOutput};

/// Minimum time between two partial indexes.
const PAUSE: Duration = Duration::from_millis(250);
/// Minimum time between them without an observer: they are only kept for the next build, in case
/// this one is stopped.
const KEEP_PAUSE: Duration = Duration::from_secs(2);
/// Partial indexes take at most one part in this many of the time.
const SHARE: u32 = 10;
/// Maximum number of semihosting calls with which partial indexes include the host's writes.
const HOST_CALLS: usize = 4096;

impl BuildRun<'_> {
    /// Shows partial indexes until the workers are done.
    pub(crate) fn show_parts<O: IndexOutput>(&self, shared: &WorkerState<O>, workers: usize) {
        if self.partial.is_none() && self.request.on_part.is_none() {
            return;
        }
        let pause = if self.request.on_part.is_some() {
            PAUSE
        } else {
            KEEP_PAUSE
        };
        // An observer wants the first partial index at once.
        let first = if self.request.on_part.is_some() {
            Duration::ZERO
        } else {
            pause
        };
        // Text offset at the end of the last partial index, and the earliest time of the next.
        let (mut shown, mut not_before) = (0, Instant::now() + first);
        let mut ordered = shared.lock();
        while !shared.is_done() {
            let wait = not_before
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(10));
            ordered = shared
                .advanced
                .wait_timeout(ordered, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            let now = Instant::now();
            if shared.is_done() || now < not_before {
                continue;
            }
            let Some((end, tail)) = self.next_part(&ordered, shared, workers, shown) else {
                continue;
            };
            // An error here only costs this partial index: the build itself continues.
            let part = self.fork(&mut ordered.assembler, tail);
            drop(ordered);
            _ = part.and_then(|part| part.show(self));
            let pause = if self.request.follow.is_some() {
                PAUSE
            } else {
                pause
            };
            not_before = now + (now.elapsed() * SHARE).max(pause);
            shown = end;
            ordered = shared.lock();
        }
    }

    /// Returns the text end of the next partial index, and the tail that the sequential pass has
    /// not taken yet; none when it is not worthwhile.
    fn next_part<O: IndexOutput>(
        &self,
        ordered: &TaskQueue<O>,
        shared: &WorkerState<O>,
        workers: usize,
        shown: u64,
    ) -> Option<(u64, Option<ParsedTask>)> {
        let done = ordered.assembler.text_end();
        if self.request.follow.is_some() && shared.is_idle(workers) {
            let tail = self.tail(done, shown)?;
            return Some((tail.end?, Some(tail)));
        }
        // The cost of a partial index is its size, not the amount of new text.
        (done > shown.saturating_add(shown / 4)).then_some((done, None))
    }

    /// Parses the text from `start` to the last whole line. It is parsed again when there is more.
    fn tail(&self, start: u64, shown: u64) -> Option<ParsedTask> {
        const LAST: u64 = 64 << 10;
        let source = self.request.source;
        let length = source.length();
        let from = length.saturating_sub(LAST).max(start);
        let mut text = Vec::new();
        source.read_raw(from..length, &mut text).ok()?;
        let end = from + memrchr(b'\n', &text)? as u64 + 1;
        if end <= shown {
            return None;
        }
        let mut builder = self.segment_builder();
        builder.begin_task(start);
        let parsed = source
            .parse(start..end, &mut ParseScratch::default(), &mut builder)
            .ok()?;
        builder.end_task();
        let segments = std::mem::take(&mut builder.sealed);
        Some(ParsedTask {
            segments,
            lines: parsed.lines,
            end: Some(end),
            is_last: true,
            is_whole: true,
        })
    }

    /// Keeps the finished part, so that the next build can resume it.
    pub(crate) fn keep<O: IndexOutput>(&self, assembler: &mut Assembler<O>) {
        if assembler.whole_steps() > 0 {
            // A cancelled build promises nothing: a part that cannot be kept is built again.
            _ = self.fork(assembler, None).and_then(|part| part.show(self));
        }
    }

    /// Creates an index of the finished part, in a file if possible.
    fn fork<O: IndexOutput>(
        &self,
        assembler: &mut Assembler<O>,
        tail: Option<ParsedTask>,
    ) -> Result<PartialIndex, BuildError> {
        let rest = self.partial.and_then(|partial| partial.new_rest().ok());
        Ok(match rest {
            Some(rest) => PartialIndex::Kept(self.fork_to(assembler, tail, rest)?),
            None => PartialIndex::Shown(self.fork_to(
                assembler,
                tail,
                Arc::new(IndexData::Memory(Vec::new())),
            )?),
        })
    }

    fn fork_to<O: IndexOutput, R: IndexOutput>(
        &self,
        assembler: &mut Assembler<O>,
        tail: Option<ParsedTask>,
        rest: R,
    ) -> Result<Assembler<TrailerOutput<R>>, BuildError> {
        let mut fork = assembler.fork(rest).map_err(self.failed)?;
        if let Some(follow) = self.request.follow {
            fork.set_fingerprint((follow.fingerprint)()?);
        }
        if self.partial.is_some() {
            fork.mark();
        }
        if let Some(mut tail) = tail {
            let added = fork.add_tail(self.request.source.as_ref(), &mut tail, assembler);
            added.map_err(|error| self.stopped(error))?;
        }
        Ok(fork)
    }

    /// Reports a partial index; its keeper, if any, keeps it for the next build.
    fn show_to<R: IndexOutput>(
        &self,
        part: Assembler<TrailerOutput<R>>,
        keeper: Option<&PartialFiles>,
    ) -> Result<(), BuildError> {
        let mut assembled = part.finish(Coverage::Part).map_err(self.failed)?;
        if assembled.host_calls().len() <= HOST_CALLS {
            // A part is kept even when the build was cancelled; the calls are few.
            self.follow_host_calls(&mut assembled, &Cancel::default(), || {})?;
        } else {
            assembled.leave_open().map_err(self.failed)?;
        }
        let data = assembled.read_back().map_err(self.failed)?;
        if let Some(keeper) = keeper {
            keeper.keep_rest().map_err(self.failed)?;
        }
        if let Some(on_part) = self.request.on_part {
            on_part(Index::load(Arc::clone(self.request.source), data, None)?);
        }
        Ok(())
    }
}

/// An index of the finished part.
enum PartialIndex {
    /// Kept for the next build.
    Kept(Assembler<TrailerOutput<std::io::BufWriter<std::fs::File>>>),
    /// Only shown.
    Shown(Assembler<TrailerOutput<Arc<IndexData>>>),
}

impl PartialIndex {
    fn show(self, run: &BuildRun<'_>) -> Result<(), BuildError> {
        match self {
            Self::Kept(part) => run.show_to(part, run.partial),
            Self::Shown(part) => run.show_to(part, None),
        }
    }
}
