//! What memory is known to hold through the trace: reads that contradict it, and what the host writes.

use std::collections::HashMap;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::host_operation::HostOperation;
use crate::oracle::event::{Event, EventKind};
use crate::oracle::record::Oracle;

impl Oracle {
    /// Finds the reads that contradict the last value known of a byte, and adds what semihosting calls let the host write.
    pub(super) fn follow_memory(&mut self) {
        let mut known: HashMap<u64, u8> = HashMap::new();
        let mut events = Vec::new();
        let told = self.events.clone();
        for (mut event, later) in told.iter().cloned().zip((1..).map(|next| &told[next..])) {
            if let EventKind::Access(access) = &mut event.kind {
                for (address, value) in access.each_byte().collect::<Vec<_>>() {
                    match value {
                        Some(value) => {
                            let before = known.insert(address, value);
                            let is_other = access.is_read() && before.is_some_and(|before| before != value);
                            access.contradicting.extend(is_other.then_some(address));
                        }
                        None if !access.is_read() => _ = known.remove(&address),
                        None => {}
                    }
                }
                self.external_changes += u64::from(!access.contradicting.is_empty());
            }
            let is_step = matches!(event.kind, EventKind::Step);
            let (slot, thread, owner, line) = (event.slot, event.thread, event.owner, event.line);
            // The registers before the step are those of the events so far.
            self.events = std::mem::take(&mut events);
            let write = owner.filter(|_| is_step).and_then(|step| self.host_write(step, &known, later));
            events = std::mem::take(&mut self.events);
            events.push(event);
            if let Some((first, last, operation)) = write {
                known.retain(|address, _| *address < first || *address > last);
                let kind = EventKind::HostWrite { first, last, operation };
                events.push(Event { slot, thread, owner, line, kind });
            }
        }
        self.events = events;
    }

    /// What a step lets the host write, by what is known before it and the events behind it.
    fn host_write(&self, step: Step, known: &HashMap<u64, u8>, later: &[Event]) -> Option<(u64, u64, HostOperation)> {
        let told = self.step(step).filter(|told| told.is_executed)?;
        let naive = told.naive();
        if !naive.is_host_call() {
            return None;
        }
        let size = naive.word_bytes();
        let register = |number: u16, size: u16| {
            let view = RegisterView::new(RegisterId(number), 0, size);
            let bytes = self.register_value(told.thread, view, Position(step.0)).0;
            bytes.into_iter().rev().try_fold(0u64, |value, byte| Some(value << 8 | u64::from(byte?)))
        };
        let (operation, block) = (register(0, 4)?, register(1, size)?);
        let word = |number: u64| {
            let start = block.checked_add(number * u64::from(size))?;
            start.checked_add(u64::from(size) - 1)?;
            let byte = |address: u64| known.get(&address).copied().or_else(|| first_told(later, address));
            let mut bytes = (0..u64::from(size)).map(|place| byte(start + place)).collect::<Vec<_>>();
            if !self.is_big_endian {
                bytes.reverse();
            }
            bytes.into_iter().try_fold(0u64, |value, byte| Some(value << 8 | u64::from(byte?)))
        };
        let (operation, address, len) = match operation {
            0x06 => (HostOperation::Read, word(1)?, word(2)?),
            0x0d => (HostOperation::TmpNam, word(0)?, word(2)?),
            0x15 => (HostOperation::GetCmdline, word(0)?, word(1)?),
            0x16 => (HostOperation::HeapInfo, word(0)?, 4 * u64::from(size)),
            0x30 => (HostOperation::Elapsed, block, 2 * u64::from(size)),
            _ => return None,
        };
        let highest = if size == 8 { u64::MAX } else { u64::from(u32::MAX) };
        let last = address.saturating_add(len.checked_sub(1)?).min(highest);
        Some((address, last, operation))
    }
}

/// What the first access of a byte tells, if it is a read.
fn first_told(events: &[Event], address: u64) -> Option<u8> {
    let evidence = events.iter().find(|event| crate::oracle::memory::is_evidence(event, address))?;
    let EventKind::Access(access) = &evidence.kind else { return None };
    let mut bytes = access.each_byte().filter(|_| access.is_read());
    bytes.find(|(touched, _)| *touched == address).and_then(|(_, value)| value)
}
