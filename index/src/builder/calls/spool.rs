//! Storage for found frames, which arrive in any order and number. [`FrameSpool`] sorts them in
//! runs, spills most runs to an unnamed file, and merges them when the table of calls is written.
//! [`CollectedCalls`] adds the switches between stacks, and returns what was found after a mark.
//!
//! ```text
//! run     frames in the order of the table, 40 bytes each
//! frame   function: u64, call step: u64, entry step: u64, exit step: u64, stack: u32, thread: u16, entered: u8, left and evidence: 4 bits each
//! ```
//! All ones mean "none".

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_parsers::ReadAt;

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::store::calls::encoder::{CallFrame, FrameSortKey};
use crate::store::calls::stacks::StackSwitch;
use crate::store::packed::{entry, u32_in, u64_in};

/// Number of frames kept in memory before they are sorted and spilled: 9 MiB.
const LIMIT: usize = 100_000;
/// Total size in bytes of the buffers for reading all runs.
const BUFFERS: usize = 8 << 20;
const RECORD: usize = 40;
const NONE: u64 = u64::MAX;

/// Collects frames and returns them in the order of the table, any number of times.
#[derive(Debug)]
pub struct FrameSpool {
    limit: usize,
    rest: Vec<CallFrame>,
    runs: Vec<FrameRun>,
    /// File without a name, so it is gone when no run is left. A clone has none, for both would
    /// write in the same place.
    file: Option<Arc<File>>,
    /// Frames added since the mark was set.
    since_mark: Option<Vec<CallFrame>>,
}

/// Sorted run of frames that were spilled together.
#[derive(Clone, Debug)]
struct FrameRun {
    store: FrameRunStorage,
    count: usize,
}

#[derive(Clone, Debug)]
enum FrameRunStorage {
    File {
        file: Arc<File>,
        offset: u64,
    },
    /// There is no file, or no room in it.
    Memory(Arc<Vec<u8>>),
}

impl FrameRunStorage {
    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, offset } => file.read_at(offset + place, buffer),
            Self::Memory(bytes) => bytes.read_at(place, buffer),
        }
    }
}

impl Default for FrameSpool {
    fn default() -> Self {
        Self {
            limit: LIMIT,
            rest: Vec::new(),
            runs: Vec::new(),
            file: None,
            since_mark: None,
        }
    }
}

impl Clone for FrameSpool {
    fn clone(&self) -> Self {
        let Self {
            limit,
            rest,
            runs,
            since_mark,
            ..
        } = self;
        Self {
            limit: *limit,
            rest: rest.clone(),
            runs: runs.clone(),
            file: None,
            since_mark: since_mark.clone(),
        }
    }
}

impl FrameSpool {
    /// Spills frames to a file without a name in this folder. If none can be created they stay in
    /// memory, 40 bytes each.
    pub fn use_folder(&mut self, folder: &Path) {
        self.file = self
            .file
            .take()
            .or_else(|| tempfile::tempfile_in(folder).ok().map(Arc::new));
        for place in 0..self.runs.len() {
            if let FrameRunStorage::Memory(bytes) = self.runs[place].store.clone() {
                self.runs[place].store = self.store(bytes);
            }
        }
    }

    /// Starts recording new frames separately.
    pub fn mark(&mut self) {
        self.since_mark = Some(Vec::new());
    }

    /// Returns the frames added since the mark.
    pub fn since_mark(&self) -> &[CallFrame] {
        self.since_mark.as_deref().unwrap_or_default()
    }

    fn push(&mut self, frame: CallFrame) {
        self.rest.push(frame);
        self.since_mark
            .iter_mut()
            .for_each(|since| since.push(frame));
        if self.rest.len() >= self.limit {
            self.put_aside();
        }
    }

    fn put_aside(&mut self) {
        self.rest.sort_unstable_by_key(CallFrame::place);
        let bytes: Vec<u8> = self
            .rest
            .drain(..)
            .flat_map(|frame| record(&frame))
            .collect();
        let count = bytes.len() / RECORD;
        let store = self.store(Arc::new(bytes));
        self.runs.push(FrameRun { store, count });
    }

    fn store(&self, bytes: Arc<Vec<u8>>) -> FrameRunStorage {
        let write = |mut file: &File| {
            let offset = file.seek(SeekFrom::End(0))?;
            file.write_all(&bytes).map(|()| offset)
        };
        match self.file.as_ref().map(|file| (file, write(file))) {
            Some((file, Ok(offset))) => FrameRunStorage::File {
                file: Arc::clone(file),
                offset,
            },
            // Data that a full disk refuses stays in memory; the part already written lies between
            // runs and is never read.
            Some((_, Err(_))) | None => FrameRunStorage::Memory(bytes),
        }
    }

    /// Iterates over all frames and `extra`, in the order of the table.
    pub fn sorted(
        &self,
        extra: Vec<CallFrame>,
    ) -> impl Iterator<Item = io::Result<CallFrame>> + '_ {
        let mut rest = extra;
        rest.extend_from_slice(&self.rest);
        rest.sort_unstable_by_key(|frame| Reverse(frame.place()));
        let buffered = (BUFFERS / RECORD / self.runs.len().max(1)).clamp(16, 4096);
        let reader = |run| FrameRunReader {
            run,
            buffered,
            taken: 0,
            buffer: Vec::new(),
            at: 0,
            head: None,
        };
        let readers: Vec<_> = self.runs.iter().map(reader).collect();
        let mut merge = FrameMerge {
            rest,
            readers,
            heads: BinaryHeap::new(),
            failed: None,
        };
        (0..merge.readers.len()).for_each(|number| _ = merge.advance(number));
        merge
    }
}

impl Extend<CallFrame> for FrameSpool {
    fn extend<T: IntoIterator<Item = CallFrame>>(&mut self, frames: T) {
        frames.into_iter().for_each(|frame| self.push(frame));
    }
}

fn record(frame: &CallFrame) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    let numbers = [
        Some(frame.function),
        frame.call_step,
        frame.entry_step,
        frame.exit_step,
    ];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.unwrap_or(NONE).to_le_bytes());
    }
    bytes[32..36].copy_from_slice(&frame.stack.to_le_bytes());
    bytes[36..38].copy_from_slice(&frame.thread.to_le_bytes());
    bytes[38] = frame.entered as u8;
    bytes[39] = frame.left as u8 | (frame.evidence as u8) << 4;
    bytes
}

fn frame(record: &[u8; RECORD]) -> Option<CallFrame> {
    let number = |place: usize| Some(u64_in(record, 8 * place)).filter(|number| *number != NONE);
    Some(CallFrame {
        thread: u16::from_le_bytes([record[36], record[37]]),
        stack: u32_in(record, 32),
        function: u64_in(record, 0),
        call_step: number(1),
        entry_step: number(2),
        exit_step: number(3),
        entered: *FrameEntry::ALL.get(usize::from(record[38]))?,
        left: *FrameExit::ALL.get(usize::from(record[39] & 15))?,
        evidence: *Evidence::ALL.get(usize::from(record[39] >> 4))?,
    })
}

/// Reads a run from its start.
struct FrameRunReader<'a> {
    run: &'a FrameRun,
    /// Number of frames read at once.
    buffered: usize,
    /// Number of frames read into the buffer until now.
    taken: usize,
    buffer: Vec<u8>,
    /// Number of the next frame in the buffer.
    at: usize,
    /// First frame that was not taken.
    head: Option<CallFrame>,
}

impl FrameRunReader<'_> {
    fn next(&mut self) -> io::Result<Option<CallFrame>> {
        if self.at * RECORD == self.buffer.len() {
            self.fill()?;
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        let found = entry::<RECORD>(&self.buffer, self.at).ok().and_then(frame);
        self.at += 1;
        found
            .map(Some)
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn fill(&mut self) -> io::Result<()> {
        let count = (self.run.count - self.taken).min(self.buffered);
        self.buffer.resize(count * RECORD, 0);
        let read = self
            .run
            .store
            .read_at((self.taken * RECORD) as u64, &mut self.buffer)?;
        if read != self.buffer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.taken += count;
        self.at = 0;
        Ok(())
    }
}

struct FrameMerge<'a> {
    /// Frames outside the runs, in reverse order of the table.
    rest: Vec<CallFrame>,
    readers: Vec<FrameRunReader<'a>>,
    /// Place in the table of the first frame of each run, and the run's number.
    heads: BinaryHeap<Reverse<(FrameSortKey, usize)>>,
    failed: Option<io::Error>,
}

impl FrameMerge<'_> {
    /// Takes the first frame of a run, and adds the run's next frame to the heap.
    fn advance(&mut self, number: usize) -> Option<CallFrame> {
        let reader = self.readers.get_mut(number)?;
        let taken = reader.head.take();
        match reader.next() {
            Ok(head) => reader.head = head,
            Err(error) => self.failed = Some(error),
        }
        self.heads
            .extend(reader.head.map(|head| Reverse((head.place(), number))));
        taken
    }
}

impl Iterator for FrameMerge<'_> {
    type Item = io::Result<CallFrame>;

    fn next(&mut self) -> Option<io::Result<CallFrame>> {
        if let Some(error) = self.failed.take() {
            (self.rest, self.heads) = Default::default();
            return Some(Err(error));
        }
        let is_in_run = match (self.heads.peek(), self.rest.last()) {
            (Some(Reverse((place, _))), Some(rest)) => *place <= rest.place(),
            (head, _) => head.is_some(),
        };
        if !is_in_run {
            return self.rest.pop().map(Ok);
        }
        let Reverse((_, number)) = self.heads.pop()?;
        self.advance(number).map(Ok)
    }
}

/// Frames and stack switches found in the segments taken.
#[derive(Clone, Debug, Default)]
pub struct CollectedCalls {
    /// Frames in the order found.
    pub frames: FrameSpool,
    /// Switches of threads to other stacks.
    pub switches: Vec<StackSwitch>,
    /// Number of switches when the mark was set.
    marked: usize,
}

impl CollectedCalls {
    /// Creates the collection from what an earlier build found.
    pub fn new(
        found: impl IntoIterator<Item = CallFrame>,
        switches: Vec<StackSwitch>,
        folder: &Path,
    ) -> Self {
        let mut frames = FrameSpool::default();
        frames.use_folder(folder);
        frames.extend(found);
        Self {
            frames,
            marked: switches.len(),
            switches,
        }
    }

    /// Sets the mark here.
    pub fn mark(&mut self) {
        self.frames.mark();
        self.marked = self.switches.len();
    }

    /// Returns what was found after the mark.
    pub fn since_mark(&self) -> FoundFrames {
        FoundFrames {
            frames: self.frames.since_mark().to_vec(),
            switches: self
                .switches
                .get(self.marked..)
                .unwrap_or_default()
                .to_vec(),
        }
    }
}

/// Frames and stack switches found in a part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFrames {
    /// Frames, in the order of their ends.
    pub frames: Vec<CallFrame>,
    /// Switches of threads to other stacks.
    pub switches: Vec<StackSwitch>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: u64) -> CallFrame {
        let step = number.wrapping_mul(0x9e37_79b9) % 1_000_003;
        CallFrame {
            thread: (number % 3) as u16,
            stack: (number % 2) as u32,
            function: number,
            call_step: step.checked_sub(7),
            entry_step: Some(step).filter(|step| step % 5 != 0),
            exit_step: Some(step + number % 100).filter(|step| step % 7 != 0),
            entered: FrameEntry::ALL[number as usize % FrameEntry::ALL.len()],
            left: FrameExit::ALL[number as usize % FrameExit::ALL.len()],
            evidence: Evidence::ALL[number as usize % Evidence::ALL.len()],
        }
    }

    #[track_caller]
    fn check(mut spool: FrameSpool, runs_in_file: usize) {
        spool.limit = 100;
        spool.extend((0..5_000).map(frame));
        spool.mark();
        spool.extend((5_000..10_050).map(frame));
        assert!(
            spool
                .since_mark()
                .iter()
                .copied()
                .eq((5_000..10_050).map(frame))
        );
        let is_in_file = |run: &&FrameRun| matches!(run.store, FrameRunStorage::File { .. });
        assert_eq!(spool.runs.iter().filter(is_in_file).count(), runs_in_file);
        assert!(spool.rest.len() < 100);
        let mut other = spool.clone();
        other.extend((10_050..10_350).map(frame));
        for (spool, extra) in [(&spool, 0), (&spool, 200), (&other, 0)] {
            let known = if std::ptr::eq(spool, &other) {
                10_350
            } else {
                10_050
            };
            let mut expected: Vec<_> = (0..known + extra).map(frame).collect();
            expected.sort_unstable_by_key(CallFrame::place);
            let sorted = spool.sorted((known..known + extra).map(frame).collect());
            assert!(
                sorted.map(Result::unwrap).eq(expected),
                "{extra} extra frames"
            );
        }
    }

    #[test]
    fn frames_come_back_in_the_order_of_the_table_from_a_file_and_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = FrameSpool::default();
        spool.use_folder(folder.path());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        check(spool, 100);
        let mut spool = FrameSpool::default();
        spool.use_folder(&folder.path().join("missing"));
        check(spool, 0);
    }

    #[test]
    fn what_waited_in_memory_moves_into_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = FrameSpool {
            limit: 10,
            ..FrameSpool::default()
        };
        spool.extend((0..55).map(frame));
        let before: Vec<_> = spool.sorted(Vec::new()).map(Result::unwrap).collect();
        spool.use_folder(folder.path());
        assert!(
            spool
                .runs
                .iter()
                .all(|run| matches!(run.store, FrameRunStorage::File { .. }))
        );
        assert!(spool.sorted(Vec::new()).map(Result::unwrap).eq(before));
    }

    #[test]
    fn what_cannot_be_read_back_is_an_error_and_the_end() {
        let mut spool = FrameSpool {
            limit: 10,
            ..FrameSpool::default()
        };
        spool.extend((0..55).map(frame));
        spool.runs[2].store = FrameRunStorage::Memory(Arc::new(vec![0; 100]));
        let mut sorted = spool.sorted(Vec::new());
        assert!(sorted.by_ref().any(|frame| frame.is_err()));
        assert!(sorted.next().is_none());
    }
}
