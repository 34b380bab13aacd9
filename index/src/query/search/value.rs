//! Accesses by their value.

use std::ops::Range;

use stepback_machine::Endian;
use stepback_parsers::{EventSink, Flow, MemoryAccess, Position, RegisterWrite, Source, StepEvent};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::number::Number;
use crate::index::Index;
use crate::query::search::run::{Find, Wanted};
use crate::read::contradictions::Contradictions;
use crate::read::hits::{FoundAccess, HitReader};
use crate::read::records::RecordReader;
use crate::read::slots::{EventKind, SlotReader};

/// Register writes and memory accesses of exactly this value, from a position on, in trace order.
///
/// Cost: the trace is parsed once on all cores.
pub type FindValue = Find<Number>;

impl Wanted for Number {
    fn slots<S: Source>(&self, index: &Index<S>, range: Range<u64>, cancel: &Cancel) -> Result<Vec<u64>, QueryError> {
        let text = SlotReader(index).text_start(range.start)?..SlotReader(index).text_start(range.end)?;
        let is_big_endian = index.contents.traits.endian == Endian::Big;
        let slot = range.start.saturating_sub(1);
        let mut sink = ValueSlots { value: *self, is_big_endian, slot, cancel, found: Vec::new() };
        SlotReader(index).parse(text, &mut sink)?;
        cancel.check()?;
        Ok(sink.found)
    }

    fn hits<S: Source>(
        find: &FindValue,
        index: &Index<S>,
        slots: &[u64],
        _cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        let mut found = Vec::new();
        for near in slots.chunk_by(|one, next| next - one <= NEAR) {
            let mut contradictions = Contradictions::default();
            SlotReader(index).each_event_of(near, |event| {
                contradictions.go_on(index, &event)?;
                // What was found may be no hit: a copy of a bank, or a thread's dump before its first step.
                let is_copy = matches!(event.kind, EventKind::Register { is_bank_copy: true, .. });
                if is_copy || find.thread.is_some_and(|wanted| wanted != event.thread) {
                    return Ok(());
                }
                let access = RecordReader(index).access_of(&event, &contradictions);
                let access = access.filter(|access| find.what.is(&access.value));
                let Some(access) = access else { return Ok(()) };
                if let Some(step) = SlotReader(index).owner(event.thread, event.slot)? {
                    found.push(FoundAccess { step, position: Position(event.slot), access: Some(access) });
                }
                Ok(())
            })?;
        }
        HitReader(index).hits(found)
    }
}

/// Steps at most this far apart are read in one go: what lies between costs less than another read.
const NEAR: u64 = 16;

/// The slots with a value.
struct ValueSlots<'a> {
    value: Number,
    is_big_endian: bool,
    slot: u64,
    cancel: &'a Cancel,
    found: Vec<u64>,
}

impl ValueSlots<'_> {
    fn note(&mut self) {
        if self.found.last() != Some(&self.slot) {
            self.found.push(self.slot);
        }
    }
}

impl EventSink for ValueSlots<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if write.bytes.is_some_and(|bytes| self.value.is_of_bytes(bytes.iter())) {
            self.note();
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let value = self.value;
        let is_found = access.bytes.is_some_and(|bytes| {
            let bytes = bytes.iter().take(usize::from(access.size_bytes));
            if self.is_big_endian { value.is_of_bytes(bytes.rev()) } else { value.is_of_bytes(bytes) }
        });
        if is_found {
            self.note();
        }
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.cancel.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }
}
