//! Steps with what they did, and step <-> line <-> time.

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{EventSink, Flow, Line, Position, Source, Step, StepEvent};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::step_record::{Access, AccessTarget, Effect, StepRecord};
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::index::{Index, Query};
use crate::inference::access_values::fill_accesses;
use crate::read::slots::{EventKind, SlotEvent, StepText};
use crate::store::granules::granules_of;
use crate::store::packed::FRAME;

/// Consecutive steps with what they did. Cost: reads the text of these steps and of at most 127 before them once.
///
/// In a trace of several threads, what a thread did more than [`LATE_STEPS`] steps of others later is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// The first.
    pub first: Step,
    /// How many; fewer are given at the end of the trace.
    pub count: u64,
}

/// How far behind a step events that belong to it are looked for.
pub const LATE_STEPS: u64 = 1024;

/// How many of them are read at first.
const FIRST_LATE_STEPS: u64 = 16;

impl Query for Steps {
    type Answer = Vec<StepRecord>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<StepRecord>, QueryError> {
        cancel.check()?;
        let first = self.first.0.saturating_add(1);
        let last = self.first.0.saturating_add(self.count).min(index.step_count());
        let mut records = index.records(&(first..=last).collect::<Vec<_>>())?;
        fill_accesses(index, &mut records, cancel)?;
        Ok(records)
    }
}

/// Steps while their effects are found.
struct Found<'a, S> {
    index: &'a Index<S>,
    /// The slots of all that are wanted, ascending.
    wanted: &'a [u64],
    records: Vec<StepRecord>,
    /// The place of the record of each thread's last step; none when it is no step that is wanted.
    last_of_thread: Vec<Option<usize>>,
}

impl<S: Source> Found<'_, S> {
    /// True while effects of a wanted step may come.
    fn is_waiting(&self) -> bool {
        self.last_of_thread.iter().any(Option::is_some)
    }

    /// Takes the next event; a step that is wanted comes with its line.
    fn take(&mut self, event: SlotEvent, line: Option<Line>) -> Result<(), QueryError> {
        let known = self.last_of_thread.get_mut(usize::from(event.thread.0));
        if let EventKind::Step(step) = event.kind {
            let line = line.filter(|_| self.wanted.get(self.records.len()) == Some(&event.slot));
            if let Some(known) = known {
                *known = line.map(|_| self.records.len());
            }
            if let Some(line) = line {
                self.records.push(self.index.record(event.slot, event.thread, line, step)?);
            }
            return Ok(());
        }
        let record = known.and_then(|known| self.records.get_mut((*known)?));
        // Counted from the step itself: its effects must not depend on how many steps were asked for.
        if let Some(record) = record.filter(|record| event.slot <= record.step.after().0.saturating_add(LATE_STEPS)) {
            record.effects.extend(self.index.effect(&event)?);
        }
        Ok(())
    }
}

impl<S: Source> Index<S> {
    /// Some steps with what they did, in the order in which they are asked for.
    /// Cost: the text of each 128 steps with one of them is read once.
    pub(crate) fn records_of(&self, steps: &[Step]) -> Result<Vec<StepRecord>, QueryError> {
        let mut slots: Vec<_> = steps.iter().map(|step| step.0.saturating_add(1)).collect();
        slots.sort_unstable();
        slots.dedup();
        let (mut records, mut rest) = (Vec::with_capacity(slots.len()), slots.as_slice());
        while let Some(first) = rest.first() {
            let (near, later) = rest.split_at(rest.partition_point(|slot| slot - first < FRAME as u64));
            records.extend(self.records(near)?);
            rest = later;
        }
        if steps.is_sorted_by(|one, next| one < next) {
            return Ok(records);
        }
        let found = |step: &Step| records.binary_search_by_key(step, |record| record.step).ok();
        steps
            .iter()
            .map(|step| found(step).map(|place| records[place].clone()).ok_or(QueryError::TraceChanged))
            .collect()
    }

    /// The steps of some slots, which ascend; all between them are read.
    fn records(&self, wanted: &[u64]) -> Result<Vec<StepRecord>, QueryError> {
        let Some((first, last)) = wanted.first().copied().zip(wanted.last().copied()) else { return Ok(Vec::new()) };
        let (segment, local) = self.locate(first)?;
        let block = (local.saturating_sub(1) as usize) / FRAME;
        let block_slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
        let block_line = segment.meta.line_base + segment.block_line(block)?;
        // Lines are known for the first step of a block, so the text is read from there on.
        let (events, line_before) = self.events_from(block_slot, first..last + 1)?;
        let last_of_thread = vec![None; self.threads().len()];
        let mut found = Found { index: self, wanted, records: Vec::new(), last_of_thread };
        for event in events {
            let line = Line((block_line + event.line_in_range).saturating_sub(line_before) + 1);
            found.take(event, Some(line))?;
        }
        if found.records.len() != wanted.len() {
            return Err(QueryError::TraceChanged);
        }
        let end = if self.threads().len() == 1 { last } else { last.saturating_add(LATE_STEPS).min(self.step_count()) };
        let (mut next, mut count) = (last + 1, FIRST_LATE_STEPS);
        // A thread's next step ends what belongs to the one before, which mostly comes soon.
        while next <= end && found.is_waiting() {
            let behind = next.saturating_add(count).min(end + 1);
            self.events(next..behind)?.into_iter().try_for_each(|event| found.take(event, None))?;
            (next, count) = (behind, 2 * count);
        }
        Ok(found.records)
    }

    fn record(&self, slot: u64, thread: ThreadId, line: Line, step: StepText) -> Result<StepRecord, QueryError> {
        Ok(StepRecord {
            step: Step(slot.saturating_sub(1)),
            line: Some(line).filter(|_| self.source().is_text()),
            time: self.time_of_slot(slot)?,
            thread,
            pc: step.pc,
            instruction_set: step.instruction_set,
            opcode: step.opcode,
            encoding: step.encoding,
            branch: step.branch,
            length_bytes: step.length_bytes,
            is_executed: step.is_executed,
            delay_slot: step.delay_slot,
            origin: step.origin,
            text: step.text,
            effects: self.host_regions.at(slot).map(|region| Effect::Access(region.access())).into_iter().collect(),
        })
    }

    fn effect(&self, event: &SlotEvent) -> Result<Option<Effect>, QueryError> {
        Ok(match &event.kind {
            EventKind::Register { is_bank_copy: true, .. } | EventKind::Step(_) => None,
            EventKind::Register { view, bytes, .. } => Some(Effect::Register {
                name: self.register_name(*view, event.thread),
                view: *view,
                value: register_value(bytes.as_deref(), view.size_bytes),
            }),
            EventKind::Access { .. } => self.access_of(event)?.map(Effect::Access),
            EventKind::Text { kind, text } if kind.is_exceptional() => Some(Effect::Exception(text.clone())),
            EventKind::Text { text, .. } => Some(Effect::Note(text.clone())),
            EventKind::Marker(marker) => Some(Effect::Marker(*marker)),
        })
    }

    /// What an event did to its cell; none when it is not about a cell.
    pub(crate) fn access_of(&self, event: &SlotEvent) -> Result<Option<Access>, QueryError> {
        Ok(match &event.kind {
            EventKind::Register { view, bytes, .. } => Some(Access {
                kind: AccessKind::Write,
                target: AccessTarget::Register(self.register_name(*view, event.thread)),
                value: register_value(bytes.as_deref(), view.size_bytes),
                is_inferred: false,
                is_external: false,
                host_operation: None,
            }),
            EventKind::Access { kind, address, size_bytes, bytes } => Some(Access {
                kind: *kind,
                target: AccessTarget::Memory { address: *address, size_bytes: u64::from(*size_bytes) },
                value: self.memory_value(*bytes, *size_bytes),
                is_inferred: false,
                is_external: *kind == AccessKind::Read && self.is_external(event, (*address, *size_bytes))?,
                host_operation: None,
            }),
            EventKind::Step(_) | EventKind::Text { .. } | EventKind::Marker(_) => None,
        })
    }

    fn memory_value(&self, bytes: Option<[u8; 8]>, size_bytes: u8) -> Value {
        let size = usize::from(size_bytes);
        let Some(bytes) = bytes else { return Value(vec![None; size]) };
        let mut value: Vec<_> = bytes.iter().take(size).copied().map(Some).collect();
        if self.contents.traits.endian == stepback_machine::Endian::Big {
            value.reverse();
        }
        Value(value)
    }

    /// Whether a read contradicts the last value known before it.
    fn is_external(&self, event: &SlotEvent, (address, size_bytes): (Address, u8)) -> Result<bool, QueryError> {
        if self.contents.externals == 0 {
            return Ok(false);
        }
        for (granule, _) in granules_of(address, u64::from(size_bytes)) {
            if self.has_contradiction(granule, event.slot)? && self.contradictions(event, granule)? != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The bytes of a block that a read found other than they were known to be.
    pub(crate) fn contradictions(&self, event: &SlotEvent, granule: u64) -> Result<u64, QueryError> {
        // The block's list has the accesses of a slot in trace order, so counting those before finds the one.
        let events = self.events(event.slot..event.slot + 1)?;
        let is_in_block = |before: &&SlotEvent| match before.kind {
            EventKind::Access { address, size_bytes, .. } => {
                granules_of(address, u64::from(size_bytes)).any(|(touched, _)| touched == granule)
            }
            _ => false,
        };
        let before = events.iter().take(event.place_in_slot).filter(is_in_block).count();
        self.contradictions_of_touch(granule, event.slot, before)
    }

    /// The address of a step.
    pub(crate) fn pc_of(&self, step: Step) -> Result<Option<Address>, QueryError> {
        let slot = step.0.saturating_add(1);
        Ok(self.events(slot..slot + 1)?.into_iter().find_map(|event| match event.kind {
            EventKind::Step(step) if event.slot == slot => Some(step.pc),
            _ => None,
        }))
    }

    /// A step as the hit of a question.
    pub(crate) fn hit(&self, step: Step, position: Position, access: Option<Access>) -> Result<Hit, QueryError> {
        let slot = step.0.saturating_add(1);
        let record = self.records(&[slot])?.into_iter().next().ok_or(QueryError::TraceChanged)?;
        Ok(Hit { record, position, access, doubt: None })
    }
}

fn register_value(bytes: Option<&[u8]>, size_bytes: u16) -> Value {
    Value(bytes.map_or_else(|| vec![None; usize::from(size_bytes)], |bytes| bytes.iter().copied().map(Some).collect()))
}

/// The position after the step to which a line of the trace belongs (the end for lines beyond the last).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionOfLine(pub Line);

impl Query for PositionOfLine {
    type Answer = Position;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Position, QueryError> {
        cancel.check()?;
        if !index.source().is_text() {
            return Err(QueryError::NotRecorded { format: index.info().format, what: "lines" });
        }
        Ok(Position(index.chunk_of_line(self.0.0.saturating_sub(1))?.slot))
    }
}

impl<S: Source> Index<S> {
    /// The slot to which a line, counted from 0, belongs, and where its text begins.
    pub(crate) fn chunk_of_line(&self, line: u64) -> Result<Chunk, QueryError> {
        let Some((number, block)) = self.block_of_line(line)? else { return self.chunk_in_block(0, 0, line) };
        let segment = self.segment(number).ok_or(QueryError::TraceChanged)?;
        let slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
        self.chunk_in_block(slot, segment.meta.line_base + segment.block_line(block)?, line)
    }

    /// The last block of 128 steps whose first step's line is not behind a line.
    fn block_of_line(&self, line: u64) -> Result<Option<(usize, usize)>, QueryError> {
        let segments = &self.contents.segments;
        let mut number = segments.partition_point(|segment| segment.line_base <= line);
        while let Some(before) = number.checked_sub(1) {
            number = before;
            let Some(segment) = self.segment(number) else { continue };
            let (mut low, mut high) = (0, segment.block_count());
            while low < high {
                let middle = low.midpoint(high);
                let first = segment.meta.line_base + segment.block_line(middle)?;
                if first <= line { low = middle + 1 } else { high = middle }
            }
            if let Some(block) = low.checked_sub(1) {
                return Ok(Some((number, block)));
            }
        }
        Ok(None)
    }

    /// Looks for a line from a slot on whose step's line (its text's line for slot 0) is known.
    fn chunk_in_block(&self, first: u64, first_line: u64, line: u64) -> Result<Chunk, QueryError> {
        // One step more than the block: lines with its time may stand before its instruction.
        let end = (first + FRAME as u64 + 1).min(self.step_count());
        let range = self.text_start(first)?..self.text_start(end + 1)?;
        let mut found = Chunk { slot: first, line: first_line, offset: range.start };
        let mut starts = ChunkStarts { slot: first.saturating_sub(1), ..Default::default() };
        self.parse(range, &mut starts)?;
        let line_before = if first == 0 { 0 } else { starts.steps.first().map_or(0, |step| step.line_in_range) };
        for step in &starts.steps {
            let mut lead = 0;
            if step.chunk_offset < step.offset {
                let mut text = Vec::new();
                self.source().read_raw(step.chunk_offset..step.offset, &mut text)?;
                lead = memchr::memchr_iter(b'\n', &text).count() as u64;
            }
            let begins = (first_line + step.line_in_range).saturating_sub(line_before + lead);
            if begins > line && step.slot != first {
                break;
            }
            found = Chunk { slot: step.slot, line: begins, offset: step.chunk_offset };
        }
        Ok(found)
    }
}

/// Where the text of a slot begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub slot: u64,
    /// Its first line, counted from 0.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
}

/// Where the steps of a range begin.
#[derive(Default)]
struct ChunkStarts {
    slot: u64,
    steps: Vec<ChunkStart>,
}

struct ChunkStart {
    slot: u64,
    chunk_offset: u64,
    offset: u64,
    line_in_range: u64,
}

impl EventSink for ChunkStarts {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.slot += 1;
        let (offset, line_in_range) = (step.place.offset, step.place.line_in_range);
        self.steps.push(ChunkStart { slot: self.slot, chunk_offset: step.chunk_offset, offset, line_in_range });
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        Flow::Continue
    }
}

/// The position after the last step whose time is at most this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionOfTime(pub u64);

impl Query for PositionOfTime {
    type Answer = Position;

    fn run<S: Source>(&self, index: &Index<S>, _cancel: &Cancel) -> Result<Position, QueryError> {
        let segments = &index.contents.segments;
        // Times never decrease, so only the last segment that begins in time can hold the place.
        let after = segments.partition_point(|segment| segment.time_before.is_none_or(|before| before <= self.0));
        let Some(number) = after.checked_sub(1) else { return Ok(Position(0)) };
        let Some(segment) = index.segment(number) else { return Ok(Position(0)) };
        Ok(Position(segment.meta.step_base + u64::from(segment.steps_up_to(self.0)?)))
    }
}

/// The line of a step's instruction; none beyond the end of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineOfStep(pub Step);

impl Query for LineOfStep {
    type Answer = Option<Line>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Line>, QueryError> {
        let record = Steps { first: self.0, count: 1 }.run(index, cancel)?.into_iter().next();
        Ok(record.and_then(|record| record.line))
    }
}
