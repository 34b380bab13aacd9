//! A trace of records in memory, like binary formats: without text, register values, and values of
//! memory.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, Encoding, Endian, InstructionSet, Mode, Registers};
use stepback_parsers::{
    DelaySlot, EventSink, Flow, InputLocation, KnownInstruction, Marker, MarkerEvent, MarkerKind,
    MemoryAccess, ParseScratch, ParsedRange, RegisterSource, RegisterWrite, Source, SourceError,
    SourceTraits, StepEvent, StepOrigin, ThreadNumber, WrittenName,
};

/// Size in bytes of a step's virtual text.
pub const ITEM: u64 = 16;

/// A record of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub thread: u16,
    pub what: What,
}

/// Content of a record.
#[derive(Clone, Copy, Debug)]
pub enum What {
    Step {
        pc: u64,
        encoding: Encoding,
        branch: RecordedBranch,
        time: Option<u64>,
        delay_slot: DelaySlot,
        origin: StepOrigin,
        mode: Mode,
    },
    Access {
        kind: AccessKind,
        address: u64,
        size_bytes: u8,
    },
    Marker(Marker),
    /// A write of the stack pointer; none if the trace marks its value as unknown.
    StackPointer(Option<u64>),
}

impl Record {
    /// Returns a step of this length.
    pub fn step(thread: u16, pc: u64, length: usize, branch: RecordedBranch) -> Self {
        Self::instruction(
            thread,
            pc,
            [0x90; Encoding::LIMIT].get(..length).unwrap(),
            branch,
        )
    }

    /// Returns a step with its encoding.
    pub fn instruction(thread: u16, pc: u64, bytes: &[u8], branch: RecordedBranch) -> Self {
        let encoding = Encoding::new(bytes).unwrap();
        let (delay_slot, origin, mode) = (DelaySlot::None, StepOrigin::Recorded, Mode::default());
        Self {
            thread,
            what: What::Step {
                pc,
                encoding,
                branch,
                time: None,
                delay_slot,
                origin,
                mode,
            },
        }
    }

    pub fn read(thread: u16, address: u64) -> Self {
        Self {
            thread,
            what: What::Access {
                kind: AccessKind::Read,
                address,
                size_bytes: 8,
            },
        }
    }

    pub fn write(thread: u16, address: u64) -> Self {
        Self {
            thread,
            what: What::Access {
                kind: AccessKind::Write,
                address,
                size_bytes: 8,
            },
        }
    }

    pub fn marker(thread: u16, kind: MarkerKind, value: u64) -> Self {
        Self {
            thread,
            what: What::Marker(Marker { kind, value }),
        }
    }

    fn is_step(&self) -> bool {
        matches!(self.what, What::Step { .. })
    }
}

/// A trace of records.
#[derive(Debug)]
pub struct Records {
    traits: SourceTraits,
    /// True if steps are recorded one basic block at a time.
    is_by_block: bool,
    records: Vec<Record>,
    /// Start of each step's records; the first are those before all steps.
    items: Vec<usize>,
}

impl Records {
    pub fn new(records: Vec<Record>, instruction_set: InstructionSet) -> Arc<Self> {
        Self::recorded(records, instruction_set, false)
    }

    /// Creates a source, which records one basic block at a time if `is_by_block` is true.
    pub fn recorded(
        records: Vec<Record>,
        instruction_set: InstructionSet,
        is_by_block: bool,
    ) -> Arc<Self> {
        let traits = SourceTraits {
            format: "records".to_owned(),
            endian: Endian::Little,
            time_unit: None,
            instruction_set,
            registers: RegisterSource::Operands,
            options: String::new(),
        };
        let steps = records
            .iter()
            .enumerate()
            .filter(|(_, record)| record.is_step())
            .map(|(place, _)| place);
        let items = std::iter::once(0).chain(steps).collect();
        Arc::new(Self {
            traits,
            is_by_block,
            records,
            items,
        })
    }

    /// Returns the indexes of the records of a byte range.
    fn records_of(&self, range: &Range<u64>) -> Range<usize> {
        let start = |offset: u64| {
            self.items
                .get((offset / ITEM) as usize)
                .copied()
                .unwrap_or(self.records.len())
        };
        start(range.start)..start(range.end)
    }
}

impl Source for Records {
    fn traits(&self) -> &SourceTraits {
        &self.traits
    }

    fn length(&self) -> u64 {
        ITEM * self.items.len() as u64
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn grow(&self) -> io::Result<u64> {
        Ok(self.length())
    }

    fn length_now(&self) -> io::Result<u64> {
        Ok(self.length())
    }

    /// Every hundred threads form a process.
    fn memory_of(&self, thread: &str) -> Option<String> {
        thread
            .parse()
            .ok()
            .map(|thread: u16| (thread / 100).to_string())
    }

    fn is_recorded_by_block(&self) -> bool {
        self.is_by_block
    }

    fn cut(
        &self,
        target: u64,
        limit: u64,
        _scratch: &mut ParseScratch,
    ) -> Result<Option<u64>, SourceError> {
        Ok(Some(target.next_multiple_of(ITEM)).filter(|place| *place < limit))
    }

    fn parse(
        &self,
        range: Range<u64>,
        _scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        let (mut threads, records) = (Vec::new(), self.records_of(&range));
        for (number, line_in_range) in records.clone().zip(0..) {
            let record = self.records.get(number).unwrap();
            let item = self.items.partition_point(|start| *start <= number) as u64 - 1;
            let known = threads.iter().position(|known| *known == record.thread);
            let thread = ThreadNumber(known.unwrap_or(threads.len()) as u16);
            if known.is_none() {
                threads.push(record.thread);
                sink.thread_named(thread, &record.thread.to_string());
            }
            push(
                record,
                thread,
                InputLocation {
                    offset: ITEM * item,
                    line_in_range,
                },
                self.traits.instruction_set,
                sink,
            );
        }
        let end = if sink.progress(range.end) == Flow::Stop {
            range.start
        } else {
            range.end
        };
        Ok(ParsedRange {
            lines: records.len() as u64,
            end,
        })
    }

    /// If there are time records, they are the only source of times.
    fn is_clock_coarse(&self) -> bool {
        let is_time = |record: &Record| matches!(record.what, What::Marker(marker) if marker.kind == MarkerKind::TIMESTAMP);
        self.records.iter().any(is_time)
    }

    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        let instruction_set = self.traits.instruction_set;
        let steps = self.records.iter().filter_map(|record| match record.what {
            What::Step { pc, encoding, .. } => Some((Address(pc), encoding)),
            _ => None,
        });
        let instruction = |(pc, encoding): (Address, Encoding)| {
            let length_bytes = encoding.bytes().len() as u8;
            KnownInstruction {
                pc,
                instruction_set,
                length_bytes,
                encoding: Some(encoding),
            }
        };
        let all: HashSet<_> = steps.map(instruction).collect();
        Some(all.into_iter().collect())
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let mut text = String::new();
        for record in self.records.get(self.records_of(&range)).unwrap() {
            writeln!(text, "{} {:?}", record.thread, record.what).unwrap();
        }
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

fn push(
    record: &Record,
    thread: ThreadNumber,
    place: InputLocation,
    set: InstructionSet,
    sink: &mut dyn EventSink,
) {
    match record.what {
        What::Step {
            pc,
            encoding,
            branch,
            time,
            delay_slot,
            origin,
            mode,
        } => sink.begin_step(&StepEvent {
            thread,
            place,
            chunk_offset: place.offset,
            time,
            pc: Address(pc),
            instruction_set: set,
            opcode: set.opcode_of(&encoding),
            bytes: encoding.bytes(),
            branch,
            length_bytes: encoding.bytes().len() as u8,
            is_executed: delay_slot != DelaySlot::Annulled,
            delay_slot,
            origin,
            mode,
            text: b"",
        }),
        What::Access {
            kind,
            address,
            size_bytes,
        } => {
            // Removes the tag that processors with tagged addresses ignore.
            let plain = address << 8 >> 8;
            let (address, tag) = (Address(plain), address ^ plain);
            sink.access(&MemoryAccess {
                thread,
                kind,
                address,
                tag,
                size_bytes,
                bytes: None,
                place,
            });
        }
        What::Marker(marker) => sink.marker(&MarkerEvent {
            thread,
            marker,
            place,
        }),
        What::StackPointer(value) => {
            let bytes = value.map(u64::to_le_bytes);
            sink.register_write(&RegisterWrite {
                thread,
                view: Registers::view("sp", set)
                    .or(Registers::view("rsp", set))
                    .unwrap(),
                bytes: bytes.as_ref().map(|bytes| bytes.as_slice()),
                name: WrittenName::Own,
                mode: Mode::default(),
                place,
            });
        }
    }
}
