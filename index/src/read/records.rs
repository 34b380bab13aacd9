//! Steps with their effects, assembled from the text of their slots ([`records_of`]), and the hits
//! of found accesses ([`hits`]). The text of each step is read once. Its effects may also
//! be in later slots, after steps of other threads.

use foldhash::HashMap;
use stepback_machine::{AccessKind, Address, Endian};
use stepback_parsers::{Flow, Line, Position, Step};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::QueryError;
use crate::answers::step_record::{
    ANSWER_EFFECTS, Access, AccessTarget, Effect, HIT_EFFECTS, Hit, LATE_STEPS, StepRecord,
};
use crate::answers::value::Value;
use crate::index::Index;
use crate::read::contradictions::Contradictions;
use crate::read::names::NameReader;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, StepText};
use crate::store::packed::FRAME;

/// Number of slots after the last step that are read at first for its late events.
const FIRST_LATE_STEPS: u64 = 16;

/// Number of effects that a record contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordDetail {
    /// Up to the limit of an answer.
    Step,
    /// The first few effects of each step, because every hit of the step gets a copy.
    Hit,
}

/// Returns some steps with their effects, in the requested order. Cost: the text of each 128
/// steps with one of them is read once.
pub(crate) fn records_of(
    index: &Index,
    steps: &[Step],
    detail: RecordDetail,
) -> Result<Vec<StepRecord>, QueryError> {
    let mut slots: Vec<_> = steps.iter().map(|step| step.0.saturating_add(1)).collect();
    slots.sort_unstable();
    slots.dedup();
    let (mut records, mut rest) = (Vec::with_capacity(slots.len()), slots.as_slice());
    while let Some(first) = rest.first() {
        let (near, later) = rest.split_at(rest.partition_point(|slot| slot - first < FRAME as u64));
        records.extend(records_of_slots(index, near, detail)?);
        rest = later;
    }
    if steps.is_sorted_by(|one, next| one < next) {
        return Ok(records);
    }
    let found = |step: &Step| {
        records
            .binary_search_by_key(step, |record| record.step)
            .ok()
    };
    steps
        .iter()
        .map(|step| {
            found(step)
                .map(|place| records[place].clone())
                .ok_or(QueryError::TraceChanged)
        })
        .collect()
}

/// Returns the steps of some ascending slots; all between them are read.
pub(crate) fn records_of_slots(
    index: &Index,
    wanted: &[u64],
    detail: RecordDetail,
) -> Result<Vec<StepRecord>, QueryError> {
    let Some((first, last)) = wanted.first().copied().zip(wanted.last().copied()) else {
        return Ok(Vec::new());
    };
    let (segment, local) = SlotReader(index).locate(first)?;
    let block = (local.saturating_sub(1) as usize) / FRAME;
    let block_slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
    let block_line = segment.meta.line_base + segment.block_line(block)?;
    // Lines are known for the first step of a block, so the text is read from there on.
    let contradictions = Contradictions::default();
    let (records, waiting, room) = (Vec::new(), HashMap::default(), ANSWER_EFFECTS);
    let mut found = RecordCollector {
        index,
        wanted,
        detail,
        records,
        waiting,
        contradictions,
        room,
    };
    SlotReader(index).each_event_from(block_slot, first..last + 1, |event, line_before| {
        let line = Line((block_line + event.line_in_range).saturating_sub(line_before) + 1);
        found.take(event, Some(line))?;
        Ok(found.flow())
    })?;
    if found.records.len() != wanted.len() {
        return Err(QueryError::TraceChanged);
    }
    if found.flow() == Flow::Stop {
        return Ok(found.records);
    }
    let end = if index.threads().len() == 1 {
        last
    } else {
        last.saturating_add(LATE_STEPS).min(index.step_count())
    };
    let (mut next, mut count) = (last + 1, FIRST_LATE_STEPS);
    // A thread's next step ends the effects of the one before, and usually comes soon.
    while next <= end && found.is_waiting() {
        let after = next.saturating_add(count).min(end + 1);
        SlotReader(index).each_event(next..after, |event| found.take(event, None))?;
        (next, count) = (after, 2 * count);
    }
    Ok(found.records)
}

fn record(
    index: &Index,
    slot: u64,
    thread: ThreadId,
    line: Line,
    step: StepText,
) -> Result<StepRecord, QueryError> {
    Ok(StepRecord {
        step: Step(slot.saturating_sub(1)),
        line: Some(line).filter(|_| index.source().is_text()),
        time: SlotReader(index).time_of_slot(slot)?,
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
        effects: index
            .host_regions
            .at(slot)
            .map(|region| Effect::Access(region.access()))
            .into_iter()
            .collect(),
    })
}

fn effect(index: &Index, event: &SlotEvent, contradictions: &Contradictions) -> Option<Effect> {
    match &event.kind {
        SlotEventKind::Register {
            is_bank_copy: true, ..
        }
        | SlotEventKind::Step(_) => None,
        SlotEventKind::Register { view, bytes, .. } => Some(Effect::Register {
            name: NameReader(index).register_name(*view, event.set),
            view: *view,
            value: register_value(bytes.as_deref(), view.size_bytes),
        }),
        SlotEventKind::Access { .. } => access_of(index, event, contradictions).map(Effect::Access),
        SlotEventKind::Text { kind, text } if kind.is_exceptional() => {
            Some(Effect::Exception(text.clone()))
        }
        SlotEventKind::Text { text, .. } => Some(Effect::Note(text.clone())),
        SlotEventKind::Marker(marker) => Some(Effect::Marker(*marker)),
    }
}

/// Returns the access that an event makes of its cell; none if it is not about a cell. The
/// contradictions are those of all events of its slot.
pub(crate) fn access_of(
    index: &Index,
    event: &SlotEvent,
    contradictions: &Contradictions,
) -> Option<Access> {
    match &event.kind {
        SlotEventKind::Register { view, bytes, .. } => Some(Access {
            kind: AccessKind::Write,
            target: AccessTarget::Register(NameReader(index).register_name(*view, event.set)),
            value: register_value(bytes.as_deref(), view.size_bytes),
            is_inferred: false,
            is_decoded: false,
            is_external: false,
            host_operation: None,
        }),
        SlotEventKind::Access {
            kind,
            address,
            size_bytes,
            bytes,
        } => {
            let range = MemoryRange {
                address: *address,
                len_bytes: u64::from(*size_bytes),
            };
            Some(Access {
                kind: *kind,
                target: AccessTarget::Memory {
                    address: range.address,
                    size_bytes: range.len_bytes,
                },
                value: memory_value(index, *bytes, *size_bytes),
                is_inferred: false,
                is_decoded: false,
                is_external: *kind == AccessKind::Read && contradictions.is_any(event, range),
                host_operation: None,
            })
        }
        SlotEventKind::Step(_) | SlotEventKind::Text { .. } | SlotEventKind::Marker(_) => None,
    }
}

fn memory_value(index: &Index, bytes: Option<[u8; 8]>, size_bytes: u8) -> Value {
    let size = usize::from(size_bytes);
    let Some(bytes) = bytes else {
        return Value(vec![None; size]);
    };
    let mut value: Vec<_> = bytes.iter().take(size).copied().map(Some).collect();
    if index.contents.traits.endian == Endian::Big {
        value.reverse();
    }
    Value(value)
}

/// Returns the address of a step.
pub(crate) fn pc_of(index: &Index, step: Step) -> Result<Option<Address>, QueryError> {
    Ok(SlotReader(index)
        .step_of(step.after().0)?
        .map(|(_, text)| text.pc))
}

/// Returns a step as the hit of a query.
pub(crate) fn hit(index: &Index, step: Step, position: Position) -> Result<Hit, QueryError> {
    let slot = step.0.saturating_add(1);
    let record = records_of_slots(index, &[slot], RecordDetail::Step)?
        .into_iter()
        .next()
        .ok_or(QueryError::TraceChanged)?;
    Ok(Hit::at(position, record))
}

/// Collects steps and their effects.
struct RecordCollector<'a> {
    index: &'a Index,
    /// Slots of all requested steps, ascending.
    wanted: &'a [u64],
    detail: RecordDetail,
    records: Vec<StepRecord>,
    /// Threads whose last step is a requested one, and the place of its record: few of thousands.
    waiting: HashMap<ThreadId, usize>,
    /// Contradictions of the current event.
    contradictions: Contradictions,
    /// Number of further effects that fit into the answer.
    room: usize,
}

impl RecordCollector<'_> {
    /// Returns true while effects of a requested step may come.
    fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Stops when all steps were found and none has room for more effects: a step may have a
    /// million.
    fn flow(&self) -> Flow {
        let is_full = |place: &usize| {
            self.records
                .get(*place)
                .is_some_and(|record| self.is_full(record))
        };
        match self.records.len() == self.wanted.len() && self.waiting.values().all(is_full) {
            true => Flow::Stop,
            false => Flow::Continue,
        }
    }

    fn is_full(&self, record: &StepRecord) -> bool {
        self.detail == RecordDetail::Hit && record.effects.len() >= HIT_EFFECTS
    }

    /// Takes the next event; a requested step comes with its line.
    fn take(&mut self, event: SlotEvent, line: Option<Line>) -> Result<(), QueryError> {
        self.contradictions.go_on(self.index, &event)?;
        if let SlotEventKind::Step(step) = event.kind {
            let line = line.filter(|_| self.wanted.get(self.records.len()) == Some(&event.slot));
            self.waiting.remove(&event.thread);
            if let Some(line) = line {
                self.waiting.insert(event.thread, self.records.len());
                self.records
                    .push(record(self.index, event.slot, event.thread, line, step)?);
            }
            return Ok(());
        }
        let record = self
            .waiting
            .get(&event.thread)
            .and_then(|place| self.records.get(*place));
        // Counted from the step itself: its effects must not depend on the number of requested
        // steps.
        let record =
            record.filter(|record| event.slot <= record.step.after().0.saturating_add(LATE_STEPS));
        if record.is_some_and(|record| !self.is_full(record))
            && let Some(record) = self
                .waiting
                .get(&event.thread)
                .and_then(|place| self.records.get_mut(*place))
            && let Some(effect) = effect(self.index, &event, &self.contradictions)
        {
            record.add(effect, &mut self.room);
        }
        Ok(())
    }
}

fn register_value(bytes: Option<&[u8]>, size_bytes: u16) -> Value {
    Value(bytes.map_or_else(
        || vec![None; usize::from(size_bytes)],
        |bytes| bytes.iter().copied().map(Some).collect(),
    ))
}

/// An access of a step that was found.
#[derive(Clone, Debug)]
pub(crate) struct FoundAccess {
    /// Step of the access.
    pub step: Step,
    /// Position at which it first shows.
    pub position: Position,
    /// The access.
    pub access: Option<Access>,
}

/// Converts accesses to hits, in their order. Cost: the text of each 128 steps with one of them
/// is read once, in any order of the accesses.
pub fn hits(index: &Index, found: Vec<FoundAccess>) -> Result<Vec<Hit>, QueryError> {
    let mut steps: Vec<Step> = found.iter().map(|found| found.step).collect();
    steps.sort_unstable();
    steps.dedup();
    let records = records_of(index, &steps, RecordDetail::Hit)?;
    let hit = |FoundAccess {
                   step,
                   position,
                   access,
               }| {
        let place = records
            .binary_search_by_key(&step, |record| record.step)
            .ok();
        let record = place
            .and_then(|place| records.get(place))
            .cloned()
            .ok_or(QueryError::TraceChanged)?;
        Ok(Hit {
            access,
            ..Hit::at(position, record)
        })
    };
    found.into_iter().map(hit).collect()
}
