//! Known contents of memory through the trace: contradicting reads, and writes of the host.

use std::collections::HashMap;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;
use crate::answers::step_record::HostOperation;
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::record::Oracle;

/// A semihosting request of a step.
struct SemihostingRequest {
    thread: ThreadId,
    /// Word size in bytes.
    size: u16,
    operation: Option<u64>,
}

impl Oracle {
    /// Adds the memory that semihosting calls let the host write, and finds reads that contradict
    /// the last known value of a byte.
    pub(super) fn follow_memory(&mut self) {
        let opens = |event: &OracleEvent| {
            let requested = event
                .owner
                .filter(|_| matches!(event.kind, OracleEventKind::Step))
                .and_then(|step| self.requested(step));
            requested.is_some_and(|requested| requested.operation.is_none_or(is_writing))
        };
        let mut events = Vec::new();
        for event in &self.events {
            events.push(event.clone());
            // Until the destination of a host write is known, it may be anywhere.
            events.extend(opens(event).then(|| OracleEvent {
                kind: OracleEventKind::HostWriteAnywhere,
                ..event.clone()
            }));
        }
        self.events = events;
        self.decide_calls();
        self.find_contradictions();
    }

    /// Repeats the search with the contents of the program images.
    pub(super) fn follow_images(&mut self) {
        if self.program.is_empty() {
            return;
        }
        self.decide_calls();
        self.find_contradictions();
    }

    /// Resolves the unknown destinations of host writes, one after the other.
    fn decide_calls(&mut self) {
        let mut place = 0;
        while let Some(event) = self.events.get(place).cloned() {
            if matches!(event.kind, OracleEventKind::HostWriteAnywhere) {
                self.events.remove(place);
                let Some(kind) = event.owner.and_then(|step| self.host_write(step)) else {
                    continue;
                };
                self.events.insert(place, OracleEvent { kind, ..event });
            }
            place += 1;
        }
    }

    fn find_contradictions(&mut self) {
        let mut known: HashMap<u64, u8> = HashMap::new();
        self.external_changes = 0;
        for event in &mut self.events {
            match &mut event.kind {
                OracleEventKind::Access(access) => {
                    access.contradicting.clear();
                    for (address, value) in access.each_byte().collect::<Vec<_>>() {
                        match value {
                            Some(value) => {
                                let before = known.insert(address, value);
                                let is_other = access.is_read()
                                    && before.is_some_and(|before| before != value);
                                access.contradicting.extend(is_other.then_some(address));
                            }
                            None if !access.is_read() => _ = known.remove(&address),
                            None => {}
                        }
                    }
                    self.external_changes += u64::from(!access.contradicting.is_empty());
                }
                OracleEventKind::HostWrite { first, last, .. } => {
                    known.retain(|address, _| *address < *first || *address > *last);
                }
                _ => {}
            }
        }
    }

    /// Returns the request of a step to the host; `None` if there is none.
    fn requested(&self, step: Step) -> Option<SemihostingRequest> {
        let stated = self.step(step).filter(|stated| stated.is_executed)?;
        let naive = stated.naive();
        if !naive.is_host_call() {
            return None;
        }
        let operation =
            self.register_before(stated.thread, step, RegisterView::new(RegisterId(0), 0, 4));
        Some(SemihostingRequest {
            thread: stated.thread,
            size: naive.word_bytes(),
            operation,
        })
    }

    fn register_before(&self, thread: ThreadId, step: Step, view: RegisterView) -> Option<u64> {
        let bytes = self.register_value(thread, view, Position(step.0)).0;
        bytes
            .into_iter()
            .rev()
            .try_fold(0u64, |value, byte| Some(value << 8 | u64::from(byte?)))
    }

    /// Returns the memory that a step lets the host write, judging by the state before it; `None`
    /// for no memory.
    fn host_write(&self, step: Step) -> Option<OracleEventKind> {
        let SemihostingRequest {
            thread,
            size,
            operation,
        } = self.requested(step)?;
        let block = self.register_before(thread, step, RegisterView::new(RegisterId(1), 0, size));
        let Some((operation, block)) = operation.zip(block) else {
            return Some(OracleEventKind::HostWriteAnywhere);
        };
        let word = |number: u64| {
            let start = block.checked_add(number * u64::from(size))?;
            start.checked_add(u64::from(size) - 1)?;
            let byte = |place: u64| self.byte_at(start + place, Position(step.0)).value;
            let mut bytes = (0..u64::from(size)).map(byte).collect::<Vec<_>>();
            if !self.is_big_endian {
                bytes.reverse();
            }
            bytes
                .into_iter()
                .try_fold(0u64, |value, byte| Some(value << 8 | u64::from(byte?)))
        };
        let (operation, address, len) = match operation {
            0x06 => (HostOperation::Read, word(1), word(2)),
            0x0d => (HostOperation::TmpNam, word(0), word(2)),
            0x15 => (HostOperation::GetCmdline, word(0), word(1)),
            0x16 => (HostOperation::HeapInfo, word(0), Some(4 * u64::from(size))),
            0x30 => (
                HostOperation::Elapsed,
                Some(block),
                Some(2 * u64::from(size)),
            ),
            _ => return None,
        };
        let Some((first, len)) = address.zip(len) else {
            return Some(OracleEventKind::HostWriteAnywhere);
        };
        let highest = if size == 8 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        };
        let last = first.saturating_add(len.checked_sub(1)?).min(highest);
        (first <= last).then_some(OracleEventKind::HostWrite {
            first,
            last,
            operation,
        })
    }
}

/// Returns true if the operation with this number lets the host write memory.
fn is_writing(number: u64) -> bool {
    [0x06, 0x0d, 0x15, 0x16, 0x30].contains(&number)
}
