//! The loop over all blocks.

use std::io;

use crate::rst::container::ahead::Ahead;
use crate::rst::container::batch::{BATCH_RECORDS, CONTRADICTION, CUT_OFF, Ending, OUT_OF_MEMORY};
use crate::rst::container::paged::Budget;
use crate::rst::container::rz2::bytes::{Bytes, Fault};
use crate::rst::container::rz2::chunk::{Part, Scratch, Stream};
use crate::rst::container::rz2::cpu::Cpu;
use crate::rst::container::rz2::framing::{Block, CPUS, Head, Turn, turns};
use crate::rst::raw_record::RECORD_BYTES;

/// Unpacks rstzip, version 2.
pub struct Rz2 {
    /// The first bytes of the file, until the rest of its head is read.
    head: Vec<u8>,
    /// What it says, once it is read.
    known: Option<Head>,
    cpus: Vec<Option<Box<Cpu>>>,
    budget: Budget,
    scratch: Scratch,
    /// The block of one processor that is being unpacked, and how much of it was.
    block: Block,
    used: usize,
}

/// Bytes that what is remembered may take, that of all processors together.
const MEMORY: usize = 1 << 30;

/// How a block ended.
enum End {
    /// There is more of it.
    Paused,
    /// It is used up.
    Over,
    Fault(Fault),
}

impl Rz2 {
    /// Goes on behind the first bytes of a file.
    pub fn new(head: Vec<u8>) -> Self {
        Self {
            head,
            known: None,
            cpus: (0..CPUS).map(|_| None).collect(),
            budget: Budget::new(MEMORY),
            scratch: Scratch::default(),
            block: Block {
                bytes: Vec::new(),
                is_cut_off: false,
            },
            used: 0,
        }
    }

    /// The next records: some of a block of one processor, or all of one of several.
    pub fn next_batch(&mut self, input: &mut Ahead, out: &mut Vec<u8>) -> io::Result<Ending> {
        let head = match self.known {
            Some(head) => head,
            None => match Head::read(input, std::mem::take(&mut self.head))? {
                Ok(head) => *self.known.insert(head),
                Err(why) => return Ok(Ending::Damaged(why)),
            },
        };
        if head.is_of_one_cpu {
            self.next_of_one(input, out)
        } else {
            self.next_of_several(input, out)
        }
    }

    fn next_of_one(&mut self, input: &mut Ahead, out: &mut Vec<u8>) -> io::Result<Ending> {
        let is_new = self.used == self.block.bytes.len();
        if is_new {
            match Block::read(input, std::mem::take(&mut self.block.bytes))? {
                Ok(block) => (self.block, self.used) = (block, 0),
                Err(why) => return Ok(Ending::Damaged(why)),
            }
        }
        let mut bytes = Bytes(self.block.bytes.get(self.used..).unwrap_or_default());
        let mut stream = Stream {
            bytes: &mut bytes,
            out,
            scratch: &mut self.scratch,
            budget: &mut self.budget,
        };
        let end = unpack(&mut self.cpus, 0, &mut stream, BATCH_RECORDS * RECORD_BYTES);
        self.used = self.block.bytes.len() - bytes.0.len();
        Ok(match end {
            End::Paused => Ending::More,
            End::Over if !bytes.0.is_empty() => damaged(Fault::Contradiction),
            End::Over if is_new && out.is_empty() => Ending::Over,
            End::Over => Ending::More,
            End::Fault(Fault::Short) if self.block.is_cut_off => cut_off(),
            End::Fault(fault) => damaged(fault),
        })
    }

    fn next_of_several(&mut self, input: &mut Ahead, out: &mut Vec<u8>) -> io::Result<Ending> {
        let block = match Block::read(input, Vec::new())? {
            Ok(block) if block.is_cut_off => return Ok(cut_off()),
            Ok(block) => block,
            Err(why) => return Ok(Ending::Damaged(why)),
        };
        let turns = match turns(Bytes(&block.bytes)) {
            Ok(turns) => turns,
            Err(fault) => return Ok(damaged(fault)),
        };
        let block = match Block::read(input, block.bytes)? {
            Ok(block) => block,
            Err(why) => return Ok(Ending::Damaged(why)),
        };
        let mut bytes = Bytes(&block.bytes);
        let mut streams = Streams::default();
        let mut fault = None;
        for cpu in 0..CPUS {
            if fault.is_none() && turns.iter().any(|turn| turn.cpu == cpu && turn.records > 0) {
                let out = &mut streams.of(cpu).records;
                let mut stream = Stream {
                    bytes: &mut bytes,
                    out,
                    scratch: &mut self.scratch,
                    budget: &mut self.budget,
                };
                if let End::Fault(found) = unpack(&mut self.cpus, cpu, &mut stream, usize::MAX) {
                    fault = Some(found);
                }
            }
        }
        let is_complete = streams.take_turns(&turns, out);
        let is_used_up = bytes.0.is_empty() && streams.are_used_up();
        Ok(match fault {
            Some(Fault::Short) if block.is_cut_off => cut_off(),
            Some(fault) => damaged(fault),
            None if !is_complete || !is_used_up => damaged(Fault::Contradiction),
            None if out.is_empty() => Ending::Over,
            None => Ending::More,
        })
    }
}

/// The records of each processor in a block.
#[derive(Default)]
struct Streams(Vec<StreamRecords>);

#[derive(Default)]
struct StreamRecords {
    records: Vec<u8>,
    used: usize,
}

impl Streams {
    fn of(&mut self, cpu: u8) -> &mut StreamRecords {
        let place = usize::from(cpu);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, StreamRecords::default);
        }
        &mut self.0[place]
    }

    /// Puts the records in order, up to the first that is missing; false when one is.
    fn take_turns(&mut self, turns: &[Turn], out: &mut Vec<u8>) -> bool {
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

/// Unpacks the stream of a processor, until so many bytes are there or it ends.
fn unpack(
    cpus: &mut [Option<Box<Cpu>>],
    number: u8,
    stream: &mut Stream<'_, '_>,
    limit: usize,
) -> End {
    let Some(place) = cpus.get_mut(usize::from(number)) else {
        return End::Fault(Fault::Contradiction);
    };
    let cpu = place.get_or_insert_with(|| Box::new(Cpu::new(number)));
    while stream.out.len() < limit {
        match cpu.next_part(stream) {
            Ok(Part::Records) => {}
            Ok(Part::End) => return End::Over,
            Err(fault) => return End::Fault(fault),
        }
    }
    End::Paused
}

fn cut_off() -> Ending {
    Ending::Damaged(CUT_OFF.to_owned())
}

fn damaged(fault: Fault) -> Ending {
    let why = match fault {
        Fault::Memory => OUT_OF_MEMORY,
        Fault::Short | Fault::Contradiction => CONTRADICTION,
    };
    Ending::Damaged(why.to_owned())
}
