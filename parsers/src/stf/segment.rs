//! A segment of a trace, converted without the segments before it ([`convert`]).
//!
//! A scan has found its groups, the state before each and the numbers of the instructions. Only the
//! values of registers before it are unknown, see [`ValueTable`].

use std::ops::Range;
use std::sync::Arc;

use crate::packed::Damage;
use crate::step_store::code::Codes;
use crate::step_store::encoder::Encoder;
use crate::step_store::fill::FrameRun;
use crate::step_store::frame::FrameWriter;
use crate::stf::known::ValueTable;
use crate::stf::opcodes::OpcodeCache;
use crate::stf::output::{GivenCodes, StepCodes};
use crate::stf::parts::ChunkBegin;
use crate::stf::recorder::StfRecorder;
use crate::stf::whole::{ReaderState, TraceReader};

/// A part of a segment, in order.
#[derive(Clone, Debug)]
pub enum SegmentPart {
    /// A chunk begins.
    Begin(ChunkBegin),
    /// Complete records, or at the end of a chunk, the begin of one.
    Bytes(Arc<Vec<u8>>, Range<usize>),
    /// The chunk ends, with the damage if it is not complete.
    End(Option<Damage>),
}

/// Groups of some items of a trace, complete frames of the step store.
///
/// What comes between two steps belongs to the first of them, so the parts contain the group of the
/// first step after the items, too, and what comes before the first step is not stored.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Items; the end of the last segment is unbounded.
    pub items: Range<u64>,
    /// State before the first group.
    pub state: ReaderState,
    /// The records.
    pub parts: Vec<SegmentPart>,
    /// Codes of the steps.
    pub steps: StepCodes,
    /// All codes that occur.
    pub codes: Codes,
    /// True if the trace has more codes than are numbered.
    pub is_full: bool,
}

impl Segment {
    /// Begins with an item.
    pub fn begin(item: u64, state: ReaderState) -> Self {
        Self {
            items: item..u64::MAX,
            state,
            parts: Vec::new(),
            steps: StepCodes::default(),
            codes: Codes::default(),
            is_full: false,
        }
    }

    /// Returns the number of bytes of its records.
    pub fn len_bytes(&self) -> usize {
        let len = |part: &SegmentPart| match part {
            SegmentPart::Bytes(_, range) => range.len(),
            SegmentPart::Begin(_) | SegmentPart::End(_) => 0,
        };
        self.parts.iter().map(len).sum()
    }
}

/// Memory that a conversion leaves to the next one.
pub struct ConversionScratch {
    opcodes: OpcodeCache,
    frames: FrameWriter,
}

impl ConversionScratch {
    /// Allocates the memory.
    pub fn new() -> Self {
        Self {
            opcodes: OpcodeCache::default(),
            frames: FrameWriter::new(),
        }
    }
}

/// Converted segment.
pub struct ConvertedSegment {
    /// Frames of the step store.
    pub frames: FrameRun,
    /// Number of items up to the end of the segment.
    pub items: u64,
    /// Number of records up to the end of the trace, if it is the last segment.
    pub records: u64,
    /// Values of registers that the segment stated.
    pub values: ValueTable,
}

/// Conversion of a segment in progress.
pub struct Conversion(TraceReader<Encoder<FrameRun, GivenCodes>>);

impl Conversion {
    /// Begins a segment, without its parts.
    pub fn begin(
        name: &str,
        segment: &Segment,
        values: ValueTable,
        scratch: ConversionScratch,
    ) -> Self {
        let mut codes = GivenCodes::new(segment.codes.clone(), segment.steps.clone());
        codes.is_full = segment.is_full;
        let frames = FrameRun::new(scratch.frames);
        let state = segment.state.clone();
        let recorder = StfRecorder {
            output: Encoder::of_part(frames, codes, segment.items.clone()),
            state: state.recorder,
            values,
            opcodes: scratch.opcodes,
        };
        Self(TraceReader::new(name, state.progress, recorder))
    }

    /// Converts parts of the segment.
    pub fn take(&mut self, parts: &[SegmentPart]) {
        for part in parts {
            if self.0.recorder.output.is_over() {
                return;
            }
            match part {
                SegmentPart::Begin(begin) => self.0.begin(begin),
                SegmentPart::Bytes(bytes, range) => {
                    let bytes = bytes.get(range.clone()).unwrap_or_default();
                    let used = self.0.read(bytes);
                    self.0.cursor().keep(bytes.get(used..).unwrap_or_default());
                }
                SegmentPart::End(damage) => self.0.end(damage.clone()),
            }
        }
    }

    /// Adds codes, and the items of the segment, once they are known.
    pub fn extend(&mut self, segment: &mut Segment) {
        let encoder = &mut self.0.recorder.output;
        encoder.codes.codes = segment.codes.clone();
        encoder
            .codes
            .steps
            .append(std::mem::take(&mut segment.steps));
        encoder.end_part_at(segment.items.end);
    }

    /// Ends the segment.
    pub fn end(mut self) -> (ConvertedSegment, ConversionScratch) {
        if !self.0.recorder.output.is_over() {
            self.0.finish();
        }
        let StfRecorder {
            output: mut encoder,
            values,
            opcodes,
            ..
        } = self.0.recorder;
        let (items, records) = encoder.finish();
        let mut frames = encoder.sink;
        frames.end_frame();
        let scratch = ConversionScratch {
            opcodes,
            frames: std::mem::take(&mut frames.writer),
        };
        let converted = ConvertedSegment {
            frames,
            items,
            records,
            values,
        };
        (converted, scratch)
    }
}

/// Converts a segment with the values of registers before it.
pub fn convert(
    name: &str,
    segment: &Segment,
    values: ValueTable,
    scratch: ConversionScratch,
) -> (ConvertedSegment, ConversionScratch) {
    let mut conversion = Conversion::begin(name, segment, values, scratch);
    conversion.take(&segment.parts);
    conversion.end()
}
