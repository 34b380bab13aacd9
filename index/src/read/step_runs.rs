//! Runs of a thread's steps with digests of what they did ([`StepRuns`]): two runs with equal
//! digests are equal but for times and places in the file.

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::thread_steps::steps_before_segments;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Some consecutive steps of a thread, numbered without those of other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRun {
    /// First step.
    pub start: u64,
    /// Number of steps.
    pub steps: u64,
    /// Digest of the steps.
    pub digest: StepDigest,
}

/// Digest of what some steps did, 63 bits: address, instruction, condition, register writes and
/// accesses with their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepDigest(u64);

impl StepDigest {
    /// Returns false if some instruction is known only from the program's files, which the digest
    /// does not cover.
    pub fn has_all_encodings(self) -> bool {
        self.0 & 1 == 0
    }
}

/// The runs of a thread. The decoded runs of a segment are kept until others are needed.
#[derive(Debug)]
pub struct StepRuns<'a> {
    index: &'a Index,
    thread: ThreadId,
    /// Number of the thread's steps before each segment, then the number of all.
    before: Vec<u64>,
    segment: Option<usize>,
    runs: Vec<StepRun>,
}

impl<'a> StepRuns<'a> {
    /// Creates a reader of the runs of a thread. O(segments).
    pub fn new(index: &'a Index, thread: ThreadId) -> Self {
        Self {
            index,
            thread,
            before: steps_before_segments(index, thread),
            segment: None,
            runs: Vec::new(),
        }
    }

    /// Returns the next run that begins at a step or after it. A run whose effects are not all in
    /// its segment is left out.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next(&mut self, number: u64) -> Result<Option<StepRun>, QueryError> {
        let segments = self.before.len().saturating_sub(1);
        let first = self.before.partition_point(|before| *before <= number);
        for segment in first.saturating_sub(1)..segments {
            self.load(segment)?;
            let place = self.runs.partition_point(|run| run.start < number);
            if let Some(run) = self.runs.get(place) {
                return Ok(Some(*run));
            }
        }
        Ok(None)
    }

    fn load(&mut self, number: usize) -> Result<(), QueryError> {
        if self.segment == Some(number) {
            return Ok(());
        }
        self.segment = None;
        self.runs.clear();
        let malformed = || damaged(Section::Digests);
        let segment = self.index.segment(number).ok_or_else(malformed)?;
        // Threads beyond the numbering limit share one number.
        if let [local] = segment.meta.local_threads(self.thread.0) {
            let mut start = self.before.get(number).copied().unwrap_or(0);
            for run in segment.digests(*local)? {
                let (steps, digest) = run.map_err(|_| malformed())?;
                self.runs.push(StepRun {
                    start,
                    steps: u64::from(steps),
                    digest: StepDigest(digest),
                });
                start += u64::from(steps);
            }
            if self.before.get(number + 1) != Some(&start) {
                self.runs.clear();
                return Err(malformed());
            }
            if self.has_late_effects(number) {
                self.runs.pop();
            }
        }
        self.segment = Some(number);
        Ok(())
    }

    /// Returns true if effects of a segment's last step may be in later segments.
    fn has_late_effects(&self, number: usize) -> bool {
        let end = self.before.get(number + 1);
        let later = self.index.contents.segments.iter().skip(number + 1);
        // Up to the segment of the thread's next step.
        let until_next = later.zip(self.before.iter().skip(number + 1));
        until_next
            .take_while(|(_, before)| Some(*before) == end)
            .any(|(segment, _)| segment.has_late_effects)
    }
}
