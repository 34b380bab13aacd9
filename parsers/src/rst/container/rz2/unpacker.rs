//! Decodes all blocks of a file.

use std::io;

use crate::problem::RstFault;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::{BATCH_RECORDS, BatchEnd, UnpackFault};
use crate::rst::container::paged::TableBudget;
use crate::rst::container::rz2::chunk::{ChunkScratch, ChunkStream, StreamPart};
use crate::rst::container::rz2::cpu::Rz2CpuState;
use crate::rst::container::rz2::framing::{
    CPUS, FramedBlock, ProcessorTurn, StreamBytes, is_of_one_cpu, turns,
};
use crate::rst::raw_record::RECORD_BYTES;

/// Unpacks rstzip, version 2.
pub struct Rz2 {
    /// The first bytes of the file, until the rest of the head is read.
    head: Vec<u8>,
    /// True if the records are of one processor; none until the head is read.
    is_of_one_cpu: Option<bool>,
    cpus: Vec<Option<Box<Rz2CpuState>>>,
    budget: TableBudget,
    scratch: ChunkScratch,
    /// The current block of a trace of one processor, and the number of its bytes that were
    /// decoded.
    block: FramedBlock,
    used: usize,
}

/// Maximum bytes for the history of all processors together.
const MEMORY: usize = 1 << 30;

impl Rz2 {
    /// Continues after the first bytes of a file.
    pub fn new(head: Vec<u8>) -> Self {
        Self {
            head,
            is_of_one_cpu: None,
            cpus: (0..CPUS).map(|_| None).collect(),
            budget: TableBudget::new(MEMORY),
            scratch: ChunkScratch::default(),
            block: FramedBlock {
                bytes: Vec::new(),
                is_cut_off: false,
            },
            used: 0,
        }
    }

    /// Decodes the next records: a part of a block if there is one processor, otherwise a whole
    /// block.
    pub fn next_batch(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        let is_of_one = match self.is_of_one_cpu {
            Some(is_of_one) => is_of_one,
            None => match is_of_one_cpu(input, std::mem::take(&mut self.head))? {
                Ok(is_of_one) => *self.is_of_one_cpu.insert(is_of_one),
                Err(why) => return Ok(BatchEnd::Damaged(why)),
            },
        };
        if is_of_one {
            self.next_of_one(input, out)
        } else {
            self.next_of_several(input, out)
        }
    }

    fn next_of_one(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        let is_new = self.used == self.block.bytes.len();
        if is_new {
            match FramedBlock::read(input, std::mem::take(&mut self.block.bytes))? {
                Ok(block) => (self.block, self.used) = (block, 0),
                Err(why) => return Ok(BatchEnd::Damaged(why)),
            }
        }
        let mut bytes = StreamBytes(self.block.bytes.get(self.used..).unwrap_or_default());
        let mut stream = ChunkStream {
            bytes: &mut bytes,
            out,
            scratch: &mut self.scratch,
            budget: &mut self.budget,
        };
        let end = unpack(&mut self.cpus, 0, &mut stream, BATCH_RECORDS * RECORD_BYTES);
        self.used = self.block.bytes.len() - bytes.0.len();
        Ok(match end {
            Ok(StreamPart::Records) => BatchEnd::More,
            Ok(StreamPart::End) if !bytes.0.is_empty() => UnpackFault::Contradiction.end(),
            Ok(StreamPart::End) if is_new && out.is_empty() => BatchEnd::Over,
            Ok(StreamPart::End) => BatchEnd::More,
            Err(UnpackFault::Short) if self.block.is_cut_off => BatchEnd::Damaged(RstFault::CutOff),
            Err(fault) => fault.end(),
        })
    }

    fn next_of_several(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        let block = match FramedBlock::read(input, Vec::new())? {
            Ok(block) if block.is_cut_off => return Ok(BatchEnd::Damaged(RstFault::CutOff)),
            Ok(block) => block,
            Err(why) => return Ok(BatchEnd::Damaged(why)),
        };
        let turns = match turns(StreamBytes(&block.bytes)) {
            Ok(turns) => turns,
            Err(fault) => return Ok(fault.end()),
        };
        let block = match FramedBlock::read(input, block.bytes)? {
            Ok(block) => block,
            Err(why) => return Ok(BatchEnd::Damaged(why)),
        };
        let mut bytes = StreamBytes(&block.bytes);
        let mut streams = BlockStreams::default();
        let mut fault = None;
        for cpu in 0..CPUS {
            if fault.is_none() && turns.iter().any(|turn| turn.cpu == cpu && turn.records > 0) {
                let out = &mut streams.of(cpu).records;
                let mut stream = ChunkStream {
                    bytes: &mut bytes,
                    out,
                    scratch: &mut self.scratch,
                    budget: &mut self.budget,
                };
                fault = unpack(&mut self.cpus, cpu, &mut stream, usize::MAX).err();
            }
        }
        let is_complete = streams.take_turns(&turns, out);
        let is_used_up = bytes.0.is_empty() && streams.are_used_up();
        Ok(match fault {
            Some(UnpackFault::Short) if block.is_cut_off => BatchEnd::Damaged(RstFault::CutOff),
            Some(fault) => fault.end(),
            None if !is_complete || !is_used_up => UnpackFault::Contradiction.end(),
            None if out.is_empty() => BatchEnd::Over,
            None => BatchEnd::More,
        })
    }
}

/// The records of each processor in a block.
#[derive(Default)]
struct BlockStreams(Vec<StreamRecords>);

#[derive(Default)]
struct StreamRecords {
    records: Vec<u8>,
    used: usize,
}

impl BlockStreams {
    fn of(&mut self, cpu: u8) -> &mut StreamRecords {
        let place = usize::from(cpu);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, StreamRecords::default);
        }
        &mut self.0[place]
    }

    /// Interleaves the records up to the first missing one. Returns false if one is missing.
    fn take_turns(&mut self, turns: &[ProcessorTurn], out: &mut Vec<u8>) -> bool {
        turns.iter().all(|turn| {
            let stream = self.of(turn.cpu);
            let rest = stream.records.get(stream.used..).unwrap_or_default();
            let wanted = turn.records as usize * RECORD_BYTES;
            let taken = rest.get(..wanted).unwrap_or(rest);
            out.extend_from_slice(taken);
            stream.used += taken.len();
            taken.len() == wanted
        })
    }

    fn are_used_up(&self) -> bool {
        self.0
            .iter()
            .all(|stream| stream.used == stream.records.len())
    }
}

/// Decodes the stream of a processor until `limit` bytes are decoded or the stream ends.
fn unpack(
    cpus: &mut [Option<Box<Rz2CpuState>>],
    number: u8,
    stream: &mut ChunkStream<'_, '_>,
    limit: usize,
) -> Result<StreamPart, UnpackFault> {
    let place = cpus
        .get_mut(usize::from(number))
        .ok_or(UnpackFault::Contradiction)?;
    let cpu = place.get_or_insert_with(|| Box::new(Rz2CpuState::new(number)));
    while stream.out.len() < limit {
        if cpu.next_part(stream)? == StreamPart::End {
            return Ok(StreamPart::End);
        }
    }
    Ok(StreamPart::Records)
}
