//! Merges the records of all files in the order of the whole trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stepback_machine::InstructionSet;

use crate::drmemtrace::block::RecordBlock;
use crate::drmemtrace::container::unpacker::ContainerUnpacker;
use crate::drmemtrace::decoder::{DecoderOutput, DecoderPause, RecordDecoder, is_time, problem};
use crate::drmemtrace::pool::UnpackerPool;
use crate::drmemtrace::raw_record::{TraceEntry, Width, kind, marker};
use crate::drmemtrace::record::{RecordSink, ThreadTable};
use crate::problem::DrmemtraceFault;
use crate::read_at::{ReadAt, TraceFile};
use crate::step_store::record::ReadEnd;

/// Bytes that are unpacked at once in search of a time: whole records of either width.
const SCAN_BYTES: usize = 192 << 10;

/// Pushes all visible records of a trace into a sink, in order.
///
/// The files of a trace are its threads or its cores. A k-way merge orders their records by time:
/// the file with the earliest next time continues up to its following time; of equal times, the
/// first file continues.
/// That is as exact as the trace: between two times of a thread, others may have run.
/// Memory is bounded for any number and size of files.
///
/// # Errors
/// A file could not be read. Damage inside a file is reported to the sink.
pub fn read_records<S: RecordSink>(
    files: Vec<TraceFile>,
    stop: &AtomicBool,
    sink: &mut S,
) -> io::Result<ReadEnd> {
    read_records_as(files, None, stop, sink)
}

/// Like [`read_records`], with the instruction set to assume for files that do not state it.
///
/// # Errors
/// See [`read_records`].
pub fn read_records_as<S: RecordSink>(
    files: Vec<TraceFile>,
    assumed: Option<InstructionSet>,
    stop: &AtomicBool,
    sink: &mut S,
) -> io::Result<ReadEnd> {
    let names: Vec<Arc<str>> = files.iter().map(|file| file.name.as_str().into()).collect();
    let data: Vec<_> = files.iter().map(|file| Arc::clone(&file.data)).collect();
    let pool = UnpackerPool::new(files)?;
    let mut threads = ThreadTable::default();
    let mut out = DecoderOutput {
        sink,
        threads: &mut threads,
        is_merging: names.len() > 1,
    };
    let mut inputs = Vec::new();
    let mut turns = BinaryHeap::new();
    for (number, (name, data)) in names.into_iter().zip(data).enumerate() {
        let mut decoder = RecordDecoder::new(u16::try_from(number).unwrap_or(u16::MAX), name);
        decoder.assumed = assumed;
        let mut input = MergeInput {
            number,
            decoder,
            block: pool.next_block(number, None)?,
            used: 0,
        };
        while input.block.bytes.is_empty() && !input.block.is_file_end {
            input.end_block(&mut out);
            input.next_block(&pool)?;
        }
        // Records before the first time wait for that time.
        let first = match time_in(&input.block.bytes, Width::of_first(&input.block.bytes)) {
            Some(time) => time,
            None if out.is_merging && !input.block.is_file_end => {
                first_time(data, stop)?.unwrap_or(0)
            }
            None => 0,
        };
        turns.push(Reverse((first, number)));
        inputs.push(input);
    }
    while let Some(Reverse((_, number))) = turns.pop() {
        let Some(input) = inputs.get_mut(number) else {
            break;
        };
        match input.run(&pool, stop, &mut out)? {
            ControlFlow::Continue(time) => turns.push(Reverse((time, number))),
            ControlFlow::Break(ReadEnd::Complete) => {}
            ControlFlow::Break(ReadEnd::Stopped) => return Ok(ReadEnd::Stopped),
        }
    }
    Ok(ReadEnd::Complete)
}

/// File that is being read.
struct MergeInput {
    number: usize,
    decoder: RecordDecoder,
    block: RecordBlock,
    /// Number of bytes of the block that were decoded.
    used: usize,
}

impl MergeInput {
    /// Decodes the records from the next time up to the one after it, and returns that one.
    fn run<S: RecordSink>(
        &mut self,
        pool: &UnpackerPool,
        stop: &AtomicBool,
        out: &mut DecoderOutput<'_, S>,
    ) -> io::Result<ControlFlow<ReadEnd, u64>> {
        self.decoder.resume();
        loop {
            let bytes = self.block.bytes.get(self.used..).unwrap_or_default();
            let offset = self.block.offset.saturating_add(self.used as u64);
            match self.decoder.decode(bytes, offset, out) {
                DecoderPause::Time { time, bytes } => {
                    self.used = self.used.saturating_add(bytes);
                    return Ok(ControlFlow::Continue(time));
                }
                DecoderPause::Block if stop.load(Ordering::Relaxed) => {
                    return Ok(ControlFlow::Break(ReadEnd::Stopped));
                }
                DecoderPause::Block => {}
            }
            self.end_block(out);
            if self.block.is_file_end {
                self.end_file(out);
                return Ok(ControlFlow::Break(ReadEnd::Complete));
            }
            self.next_block(pool)?;
        }
    }

    fn next_block(&mut self, pool: &UnpackerPool) -> io::Result<()> {
        let used = std::mem::take(&mut self.block);
        self.block = pool.next_block(self.number, Some(used))?;
        self.used = 0;
        Ok(())
    }

    /// Leaves a block and reports the problems after it.
    fn end_block<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) {
        let RecordBlock {
            bytes,
            offset,
            member,
            problems,
            is_member_end,
            ..
        } = &self.block;
        let end = offset.saturating_add(bytes.len() as u64);
        let rest = self
            .decoder
            .width
            .map_or(0, |width| bytes.len() % width.bytes());
        let name = match member {
            Some(member) => format!("{}: {member}", self.decoder.name),
            None => self.decoder.name.to_string(),
        };
        for fault in problems {
            out.sink.problem(&problem(&name, end, fault.clone()));
        }
        if *is_member_end && rest > 0 {
            let fault = DrmemtraceFault::InsideRecord(rest);
            out.sink.problem(&problem(&name, end, fault));
        }
        if *is_member_end {
            self.decoder.end_member();
        }
    }

    /// Reports the problems of the whole file.
    fn end_file<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) {
        self.decoder.end_opening(out);
        let end = self
            .block
            .offset
            .saturating_add(self.block.bytes.len() as u64);
        let name = &self.decoder.name;
        if let Some((offset, fault)) = self.decoder.junk.rest() {
            out.sink.problem(&problem(name, offset, fault));
        }
        if !self.decoder.is_complete() {
            out.sink
                .problem(&problem(name, end, DrmemtraceFault::NoFooter));
        }
    }
}

/// Returns the first time in a file whose first records have none, such as a core that is idle at
/// first. Returns `None` if there is none.
/// Cost: unpacks the records before it once more.
fn first_time(data: Arc<dyn ReadAt>, stop: &AtomicBool) -> io::Result<Option<u64>> {
    let mut unpacker = ContainerUnpacker::open(data)?;
    let (mut buffer, mut width) = (Vec::new(), None);
    while !stop.load(Ordering::Relaxed) {
        let block = unpacker.next_block(buffer, SCAN_BYTES)?;
        let known = *width.get_or_insert_with(|| Width::of_first(&block.bytes));
        let time = time_in(&block.bytes, known);
        if time.is_some() || block.is_file_end {
            return Ok(time);
        }
        if block.bytes.is_empty() {
            width = None; // no bytes, so the width is unknown
        }
        buffer = block.bytes;
    }
    Ok(None)
}

/// Returns the first time in some records.
fn time_in(bytes: &[u8], width: Width) -> Option<u64> {
    let is_time_record = |record: &TraceEntry| {
        record.kind == kind::MARKER
            && record.size == marker::TIMESTAMP
            && is_time(record.value, Some(width))
    };
    width
        .records(bytes)
        .find(is_time_record)
        .map(|record| record.value)
}
