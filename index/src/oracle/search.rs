//! Searches.

use stepback_parsers::{Step, WrittenName};

use crate::answers::hit::Hit;
use crate::oracle::event::EventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::query::search::pattern::TextPattern;
use crate::query::search::text::FindText;
use crate::query::search::value::FindValue;

impl Replay for FindText {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let steps = (self.from.0..oracle.step_count()).map(Step);
        let matching = steps.filter(|step| matches(&self.pattern, oracle, *step));
        matching.take(self.limit).map(|step| oracle.visit(step)).collect()
    }
}

/// Whether the text of a step matches.
fn matches(pattern: &TextPattern, oracle: &Oracle, step: Step) -> bool {
    let Some(told) = oracle.step(step) else { return false };
    if let Some(lines) = &oracle.made_lines {
        let mut own = lines.iter().filter(|(chunk, _)| *chunk == told.chunk_offset);
        return pattern.is_match(oracle.text_of(told).as_bytes()) || own.any(|(_, line)| pattern.is_match(line));
    }
    let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let end = oracle.step(Step(step.0 + 1)).map_or(oracle.text.len(), |next| place(next.chunk_offset));
    let chunk = oracle.text.get(place(told.chunk_offset)..end).unwrap_or_default();
    let lines = chunk.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let mut lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    pattern.is_match(&told.text) || lines.any(|line| pattern.is_match(line))
}

impl Replay for FindValue {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let events = oracle.events_after(self.from).iter();
        let found = events.filter(|event| {
            let is_copy = matches!(&event.kind, EventKind::Register(written) if written.name == WrittenName::BankCopy);
            let value = oracle.access_of(event).and_then(|access| access.value.to_u64());
            !is_copy && value == Some(self.value)
        });
        Some(found.filter_map(|event| oracle.hit_of(event)).take(self.limit).collect())
    }
}
