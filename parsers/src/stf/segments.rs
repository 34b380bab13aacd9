//! Converts a trace on several threads ([`fill_store`]).
//!
//! One thread scans the records, which takes a fraction of the time of converting them. The scan
//! numbers the instructions and knows the state between any two groups, so that it can cut the trace
//! into segments, which other threads convert. The results are appended in order.
//!
//! Segments end where the number of steps or bytes says so, and codes are numbered by the scan: the
//! store is the same for any number of threads. A segment that assumed a wrong register value (see
//! [`ValueTable`]) is converted again up to there. One with too many bytes is converted as it is
//! read, so at most [`SegmentLimits::streamed_bytes`] for each thread wait in memory.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::packed::Damage;
use crate::read_at::TraceFile;
use crate::step_store::code::Codes;
use crate::step_store::fill::Filler;
use crate::step_store::layout::{FRAME_ITEMS, StoreFacts};
use crate::stf::head::StfHead;
use crate::stf::known::ValueTable;
use crate::stf::opcodes::OpcodeCache;
use crate::stf::output::{CodeScan, StepOutput as _};
use crate::stf::parts::{PartReader, StfPart};
use crate::stf::recorder::StfRecorder;
use crate::stf::segment::{
    Conversion, ConversionScratch, ConvertedSegment, Segment, SegmentPart, convert,
};
use crate::stf::whole::{ReaderState, TraceReader};

/// Sizes that bound the memory of a conversion.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLimits {
    /// Number of threads that convert segments.
    pub threads: usize,
    /// Number of items of a segment, a multiple of [`FRAME_ITEMS`].
    pub items: u64,
    /// Number of bytes of records from which a segment ends with its current frame.
    pub bytes: usize,
    /// Number of bytes from which a segment is converted as it is read.
    pub streamed_bytes: usize,
}

impl Default for SegmentLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: cores.min(16),
            items: 64 * FRAME_ITEMS,
            bytes: 4 << 20,
            streamed_bytes: 8 << 20,
        }
    }
}

/// Number of bytes that are copied to complete a record.
const BRIDGE_BYTES: usize = 4 << 10;

/// Converts a trace and completes its store.
///
/// # Errors
/// The file could not be read, the store could not be written, or the flag was set.
pub fn fill_store(
    file: &TraceFile,
    head: StfHead,
    limits: SegmentLimits,
    is_stopped: &AtomicBool,
    filler: &mut Filler,
) -> io::Result<()> {
    let mut parts = PartReader::open(file, head.container)?;
    let (jobs, queue) = channel();
    let queue = Mutex::new(queue);
    std::thread::scope(|scope| {
        for _ in 0..limits.threads {
            std::thread::Builder::new()
                .name("convert".to_owned())
                .spawn_scoped(scope, || work(&file.name, &queue))?;
        }
        let state = ReaderState::new(head.instruction_set);
        let mut scan = TraceScan::new(
            &file.name,
            state,
            limits,
            Segments {
                jobs,
                filler,
                pending: VecDeque::new(),
                values: ValueTable::default(),
                scratch: None,
                limit: limits.threads + 2,
                name: &file.name,
                records: 0,
            },
        );
        while let Some(part) = parts.next_part()? {
            if is_stopped.load(Ordering::Relaxed) {
                return Err(io::Error::other("the trace is no longer read"));
            }
            scan.take(part)?;
        }
        scan.finish()
    })
}

/// A segment to be converted.
struct Job {
    segment: Arc<Segment>,
    done: SyncSender<ConvertedSegment>,
}

/// Converts segments until there are no more.
fn work(name: &str, queue: &Mutex<Receiver<Job>>) {
    let mut scratch = None;
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { segment, done }) = next else {
            return;
        };
        let values = ValueTable::of_segment(segment.state.recorder.thread_count());
        let memory = scratch.take().unwrap_or_else(ConversionScratch::new);
        let (converted, memory) = convert(name, &segment, values, memory);
        scratch = Some(memory);
        // Nobody receives it if reading failed.
        _ = done.send(converted);
    }
}

/// Segments in order, and the store that their frames are appended to.
struct Segments<'a> {
    name: &'a str,
    filler: &'a mut Filler,
    jobs: Sender<Job>,
    /// Segments that are being converted, in order.
    pending: VecDeque<(Arc<Segment>, Receiver<ConvertedSegment>)>,
    /// Maximum number of these.
    limit: usize,
    /// Values after the last appended segment.
    values: ValueTable,
    /// Memory for conversions on this thread.
    scratch: Option<ConversionScratch>,
    /// Number of records of the trace, once the last segment was converted.
    records: u64,
}

impl Segments<'_> {
    /// Has a segment converted.
    fn convert(&mut self, segment: Segment, scan: &CodeScan) -> io::Result<()> {
        let segment = Arc::new(segment);
        // A short trace needs no other thread.
        if segment.items == (0..u64::MAX) {
            let values = std::mem::take(&mut self.values);
            let converted = self.convert_here(&segment, values);
            self.append(converted, scan);
            return Ok(());
        }
        let (done, converted) = sync_channel(1);
        let job = Job {
            segment: Arc::clone(&segment),
            done,
        };
        self.jobs.send(job).map_err(|_| failed())?;
        self.pending.push_back((segment, converted));
        while self.pending.len() > self.limit {
            self.append_next(scan)?;
        }
        Ok(())
    }

    /// Waits for all segments.
    fn append_all(&mut self, scan: &CodeScan) -> io::Result<()> {
        while !self.pending.is_empty() {
            self.append_next(scan)?;
        }
        Ok(())
    }

    /// Waits for the next segment and appends it. Converts its frames again up to the last wrong
    /// assumption.
    fn append_next(&mut self, scan: &CodeScan) -> io::Result<()> {
        let Some((segment, converted)) = self.pending.pop_front() else {
            return Ok(());
        };
        let mut converted = converted.recv().map_err(|_| failed())?;
        if let Some(item) = self.values.last_wrong_item(&converted.values) {
            let end = (item + 1).next_multiple_of(FRAME_ITEMS);
            // A value before the first step of the segment is stored in the segment before.
            if end > segment.items.start {
                let first = Segment {
                    items: segment.items.start..end.min(segment.items.end),
                    ..Segment::clone(&segment)
                };
                let again = self.convert_here(&first, self.values.clone());
                converted.frames.replace_first(again.frames);
            }
        }
        self.append(converted, scan);
        Ok(())
    }

    /// Converts a segment on this thread, with the values before it.
    fn convert_here(&mut self, segment: &Segment, values: ValueTable) -> ConvertedSegment {
        let scratch = self.scratch.take().unwrap_or_else(ConversionScratch::new);
        let (converted, scratch) = convert(self.name, segment, values, scratch);
        self.scratch = Some(scratch);
        converted
    }

    fn append(&mut self, converted: ConvertedSegment, scan: &CodeScan) {
        let ConvertedSegment {
            frames,
            items,
            records,
            values,
        } = converted;
        self.records = records;
        self.values.absorb(values);
        self.filler
            .append(frames, items, scan.table.codes(), &scan.threads);
    }
}

fn failed() -> io::Error {
    io::Error::other("the thread that converts the trace has ended")
}

/// Scan of a trace that cuts it into segments.
struct TraceScan<'a> {
    reader: TraceReader<CodeScan>,
    segments: Segments<'a>,
    limits: SegmentLimits,
    /// Codes until the last segment.
    codes: Codes,
    /// Segment of the current group.
    open: Segment,
    /// Next segment, while the group of its first step is read.
    next: Option<Segment>,
    /// Conversion of the current segment, if it is converted as it is read.
    streamed: Option<Conversion>,
}

impl<'a> TraceScan<'a> {
    fn new(name: &str, state: ReaderState, limits: SegmentLimits, segments: Segments<'a>) -> Self {
        let recorder = StfRecorder {
            output: CodeScan::new(),
            state: state.recorder.clone(),
            values: ValueTable::default(),
            opcodes: OpcodeCache::default(),
        };
        let mut reader = TraceReader::new(name, state.progress.clone(), recorder);
        reader.recorder.output.pause_at = limits.items;
        Self {
            reader,
            segments,
            limits,
            codes: Codes::default(),
            open: Segment::begin(0, state),
            next: None,
            streamed: None,
        }
    }

    fn take(&mut self, part: StfPart) -> io::Result<()> {
        match part {
            StfPart::Begin(begin) => {
                self.push(SegmentPart::Begin(begin));
                self.reader.begin(&begin);
            }
            StfPart::Bytes(bytes) => {
                self.take_bytes(bytes)?;
                self.bound()?;
            }
            StfPart::End(damage) => self.end_chunk(damage),
        }
        Ok(())
    }

    fn push(&mut self, part: SegmentPart) {
        if let Some(next) = &mut self.next {
            next.parts.push(part.clone());
        }
        self.open.parts.push(part);
    }

    fn end_chunk(&mut self, damage: Option<Damage>) {
        let rest = self.reader.cursor().rest().to_vec();
        if !rest.is_empty() {
            let range = 0..rest.len();
            self.push(SegmentPart::Bytes(Arc::new(rest), range));
        }
        self.push(SegmentPart::End(damage.clone()));
        self.reader.end(damage);
    }

    /// Scans the next part of a chunk. A record that began in the part before is scanned with some
    /// bytes of this one, so that only these are copied.
    fn take_bytes(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let rest = self.reader.cursor().take_rest();
        let mut bytes = Arc::new(bytes);
        let mut used = 0;
        if !rest.is_empty() {
            let few = bytes.get(..BRIDGE_BYTES).unwrap_or(&bytes);
            let bridge = Arc::new([&rest, few].concat());
            used = self.scan(&bridge, 0)?;
            if used < rest.len() {
                let left = rest.get(used..).unwrap_or_default();
                bytes = Arc::new([left, &bytes].concat());
            }
            used = used.saturating_sub(rest.len());
        }
        used = self.scan(&bytes, used)?;
        let rest = bytes.get(used..).unwrap_or_default();
        self.reader.cursor().keep(rest);
        Ok(())
    }

    /// Scans the complete records of some bytes; returns the place after them.
    fn scan(&mut self, bytes: &Arc<Vec<u8>>, mut place: usize) -> io::Result<usize> {
        while !self.reader.cursor().is_over {
            let rest = bytes.get(place..).unwrap_or_default();
            let end = place + self.reader.read(rest);
            self.push(SegmentPart::Bytes(Arc::clone(bytes), place..end));
            place = end;
            if !self.reader.recorder.output.is_paused() {
                break;
            }
            self.pause()?;
        }
        Ok(place)
    }

    /// Cuts before the first group of the next segment, and ends the segment after that group.
    fn pause(&mut self) -> io::Result<()> {
        let scan = &mut self.reader.recorder.output;
        if let Some(next) = self.next.take() {
            scan.pause_at = next.items.start.saturating_add(self.limits.items);
            let segment = std::mem::replace(&mut self.open, next);
            return self.convert(segment);
        }
        let item = scan.items;
        scan.pause_at = item + 1;
        self.open.items.end = item;
        self.open.steps.append(scan.take_steps());
        self.next = Some(Segment::begin(item, self.reader.state()));
        Ok(())
    }

    /// Ends the current segment early, or converts it as it is read, if its bytes are many.
    fn bound(&mut self) -> io::Result<()> {
        let scan = &mut self.reader.recorder.output;
        let len_bytes = self.open.len_bytes();
        let is_streamed = self.streamed.is_some() || len_bytes >= self.limits.streamed_bytes;
        if len_bytes < self.limits.bytes && !is_streamed {
            return Ok(());
        }
        let frame_end = (scan.items + 1).next_multiple_of(FRAME_ITEMS);
        if !is_streamed {
            if self.next.is_none() {
                scan.pause_at = scan.pause_at.min(frame_end);
            }
            return Ok(());
        }
        // The group after the cut would be held twice.
        if self.next.take().is_some() {
            scan.pause_at = frame_end;
            self.open.items.end = u64::MAX;
        }
        self.open.steps.append(scan.take_steps());
        self.open.codes = self.codes_until_now();
        self.stream()
    }

    /// Converts what was read of the current segment.
    fn stream(&mut self) -> io::Result<()> {
        let mut conversion = match self.streamed.take() {
            Some(mut conversion) => {
                conversion.extend(&mut self.open);
                conversion
            }
            None => {
                let segments = &mut self.segments;
                segments.append_all(&self.reader.recorder.output)?;
                let scratch = segments.scratch.take();
                let scratch = scratch.unwrap_or_else(ConversionScratch::new);
                let values = std::mem::take(&mut segments.values);
                let conversion = Conversion::begin(segments.name, &self.open, values, scratch);
                self.open.steps = Default::default();
                conversion
            }
        };
        conversion.take(&self.open.parts);
        self.open.parts.clear();
        self.streamed = Some(conversion);
        Ok(())
    }

    fn codes_until_now(&mut self) -> Codes {
        self.codes.extend(self.reader.recorder.output.table.codes());
        self.codes.clone()
    }

    /// Converts a complete segment.
    fn convert(&mut self, mut segment: Segment) -> io::Result<()> {
        segment.codes = self.codes_until_now();
        let scan = &self.reader.recorder.output;
        segment.is_full = scan.table.is_full;
        let Some(mut conversion) = self.streamed.take() else {
            return self.segments.convert(segment, scan);
        };
        conversion.extend(&mut segment);
        conversion.take(&segment.parts);
        let (converted, scratch) = conversion.end();
        self.segments.scratch = Some(scratch);
        self.segments.append(converted, scan);
        Ok(())
    }

    /// Ends the trace.
    fn finish(mut self) -> io::Result<()> {
        // Without another step, what follows the cut belongs to the segment before it.
        self.next = None;
        self.reader.finish();
        let scan = &mut self.reader.recorder.output;
        let steps = scan.take_steps();
        let mut last = std::mem::replace(&mut self.open, Segment::begin(0, self.reader.state()));
        last.items.end = u64::MAX;
        last.steps.append(steps);
        self.convert(last)?;
        let scan = &self.reader.recorder.output;
        self.segments.append_all(scan)?;
        self.segments.filler.check()?;
        let facts = StoreFacts {
            items: scan.items,
            records: self.segments.records,
            threads: scan.threads.clone(),
            summary: Vec::new(),
        };
        self.segments.filler.finish(facts, scan.table.codes())
    }
}
