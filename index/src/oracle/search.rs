//! Replays of searches: each step, line or access is compared with the pattern, one by one.

use std::collections::HashMap;

use stepback_machine::AccessKind;
use stepback_parsers::{Position, Step, WrittenName};

use crate::answers::cell::ThreadId;
use crate::answers::step_record::{Hit, LATE_STEPS};
use crate::oracle::event::{OracleAccess, OracleEvent, OracleEventKind};
use crate::oracle::record::{Oracle, Replay};
use crate::query::search::bytes::FindBytes;
use crate::query::search::pattern::TextPattern;
use crate::query::search::text::FindText;
use crate::query::search::value::FindValue;

impl Replay for FindText {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let (mut hits, mut shown): (Vec<Hit>, HashMap<Step, u64>) = Default::default();
        for slot in self.from.0 + 1..=oracle.step_count() {
            for thread in matching_threads(&self.what, oracle, slot) {
                let Some(step) = oracle.last_step_of(thread, slot) else {
                    continue;
                };
                let before = shown.insert(step, slot);
                let is_late = slot - step.after().0 > LATE_STEPS;
                let is_known = before.is_some_and(|before| !is_late || before == slot);
                if !is_known && self.thread.is_none_or(|wanted| wanted == thread) {
                    hits.push(Hit {
                        position: Position(slot),
                        ..oracle.visit(step)?
                    });
                }
            }
        }
        hits.truncate(self.limit);
        Some(hits)
    }
}

/// Returns the threads whose disassembly or lines match in a slot, in trace order.
fn matching_threads(pattern: &TextPattern, oracle: &Oracle, slot: u64) -> Vec<ThreadId> {
    let Some(stated) = oracle.step(Step(slot - 1)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(lines) = &oracle.made_lines {
        found.extend(
            pattern
                .is_match(oracle.text_of(stated).as_bytes())
                .then_some(stated.thread),
        );
        let own = lines
            .iter()
            .filter(|line| line.chunk_offset == stated.chunk_offset);
        let thread = |name: &String| {
            oracle
                .thread_names
                .iter()
                .position(|known| known == name)
                .unwrap_or(0)
        };
        let matching = own.filter(|line| pattern.is_match(&line.text));
        found.extend(matching.map(|line| ThreadId(thread(&line.thread) as u16)));
        return found;
    }
    found.extend(pattern.is_match(&stated.text).then_some(stated.thread));
    let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let end = oracle
        .step(Step(slot))
        .map_or(oracle.text.len(), |next| place(next.chunk_offset));
    let chunk = oracle
        .text
        .get(place(stated.chunk_offset)..end)
        .unwrap_or_default();
    let first = oracle.line_at(stated.chunk_offset);
    for (text, line) in chunk.split_inclusive(|byte| *byte == b'\n').zip(first..) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if pattern.is_match(text.strip_suffix(b"\r").unwrap_or(text)) {
            let mut events = oracle.events.iter().filter(|event| event.slot == slot);
            found.push(
                events
                    .find(|event| event.line == line)
                    .map_or(stated.thread, |event| event.thread),
            );
        }
    }
    found
}

impl Replay for FindBytes {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let events = oracle.events_after(self.from).iter();
        let is_whose =
            |event: &&OracleEvent| self.thread.is_none_or(|thread| thread == event.thread);
        let found = events
            .filter(is_whose)
            .filter(|event| has_bytes(&self.what, oracle, event));
        Some(
            found
                .filter_map(|event| oracle.hit_of(event))
                .take(self.limit)
                .collect(),
        )
    }
}

/// Returns true if an access touches the bytes, as memory contains them after its slot. A load must
/// touch the first of them.
fn has_bytes(wanted: &[u8], oracle: &Oracle, event: &OracleEvent) -> bool {
    let OracleEventKind::Access(OracleAccess {
        kind,
        address,
        size_bytes,
        bytes: Some(stated),
        ..
    }) = &event.kind
    else {
        return false;
    };
    let stated = |place: u64| {
        usize::try_from(place.checked_sub(address.0)?)
            .ok()
            .and_then(|place| stated.get(place))
    };
    // The address space ends at the last address, which an access may touch.
    let Some(reach) = u64::from(*size_bytes).checked_sub(1) else {
        return false;
    };
    let last = address.0.saturating_add(reach);
    let first = match kind {
        AccessKind::Read => address.0,
        AccessKind::Write => address
            .0
            .saturating_sub(wanted.len().saturating_sub(1) as u64),
    };
    let lies_at = |start: &u64| {
        wanted.iter().enumerate().all(|(offset, byte)| {
            let Some(place) = start.checked_add(offset as u64) else {
                return false;
            };
            match stated(place).filter(|_| place <= last) {
                // The value of the access counts, regardless of other events in its slot.
                Some(here) => here == byte,
                None => oracle.byte_at(place, Position(event.slot)).value == Some(*byte),
            }
        })
    };
    !wanted.is_empty() && (first..=last).any(|start| lies_at(&start))
}

impl Replay for FindValue {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let events = oracle.events_after(self.from).iter();
        let found = events.filter(|event| {
            let is_copy = matches!(&event.kind, OracleEventKind::Register(written) if written.name == WrittenName::BankCopy);
            let is_it = oracle.access_of(event).is_some_and(|access| self.what.is(&access.value));
            let is_whose = self.thread.is_none_or(|thread| thread == event.thread);
            !is_copy && is_whose && is_it
        });
        Some(
            found
                .filter_map(|event| oracle.hit_of(event))
                .take(self.limit)
                .collect(),
        )
    }
}
