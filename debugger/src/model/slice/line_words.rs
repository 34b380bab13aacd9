//! Formats the lines of a slice.

use stepback_index::answer::{CallId, SliceCell, SliceDefinition, Value};
use stepback_index::query::{DefinedValues, RegisterViewsAt};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{AccessKind, Address, Endian};
use stepback_parsers::{RegisterSource, Step};

use super::formula_words::FormulaWords;
use super::words::cell_words;
use crate::action::Direction;
use crate::analysis::slice::{
    Assignment, Formula, LineKind, LoadShape, MemoryLeaf, ReadRow, ReadingLine, RowId,
    SliceReading, SliceRowRole,
};
use crate::analysis::step_places::step_record;
use crate::messages::say;
use crate::model::names::frame_name;
use crate::model::slice::words::{end_words, ended_words};
use crate::model::so_far::doubt_words;
use crate::model::text::{bytes_text, short_hex, thousands};
use crate::session::Session;

/// Text of a line. Empty parts are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineWords {
    /// Step of the line; none for the head of a call and the end of a chain.
    pub step: Option<Step>,
    /// Main text: `x2 = u64[table + 8*x1]`, `decode_field, called at 1,229`.
    pub text: String,
    /// The text is the instruction, because no expression describes the step.
    pub is_code: bool,
    /// Resulting value: `0x66 'f'`.
    pub value: String,
    /// Further notes in short phrases: the number of copies on the way, the end of a chain.
    pub notes: Vec<String>,
    /// Steps with own lines that need this one, the newest first.
    pub wanted_by: Vec<Step>,
}

/// Formatter for lines.
#[derive(Clone, Copy)]
pub struct SliceWords<'a> {
    pub session: &'a Session,
    pub reading: &'a SliceReading,
    /// Direction of the slice.
    pub direction: Direction,
    pub cancel: &'a Cancel,
}

/// Maximum number of items of one kind named in a line.
const PARTS: usize = 3;

impl SliceWords<'_> {
    /// Formats a line. Runs on a worker. Cost: the line's expression, or the text of its step if it
    /// has none.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn line(self, line: &ReadingLine) -> Result<LineWords, QueryError> {
        match line.kind {
            LineKind::Call { call, .. } => Ok(LineWords {
                text: self.call(call)?,
                ..LineWords::default()
            }),
            LineKind::End(end) => {
                let text = self.ends(&[end]).pop().unwrap_or_default();
                Ok(LineWords {
                    text,
                    ..LineWords::default()
                })
            }
            LineKind::Step(id) => self.step(id),
            LineKind::SingleStep(id) => self.alone(id),
            LineKind::LoopIterations(rounds) => {
                let last = self
                    .reading
                    .row(rounds.last)
                    .map_or(0, |row| row.slice.step.0);
                let text = say!(
                    "slice-rounds",
                    count = rounds.count,
                    rows = rounds.rows,
                    step = last
                );
                Ok(LineWords {
                    text,
                    ..LineWords::default()
                })
            }
            LineKind::Repeated(id) => {
                let mut words = self.step(id)?;
                words.notes = vec![say!("slice-again").to_owned()];
                Ok(words)
            }
        }
    }

    fn call(self, call: Option<CallId>) -> Result<String, QueryError> {
        let Some(frame) = call.and_then(|call| self.session.index.calls().get(call)) else {
            return Ok(say!("slice-no-call").to_owned());
        };
        let name = frame_name(self.session, &frame, self.cancel)?;
        Ok(match frame.call_step {
            Some(step) => say!("slice-call", name = name, step = step.0),
            None => name,
        })
    }

    fn step(self, id: RowId) -> Result<LineWords, QueryError> {
        let Some(row) = self.reading.row(id) else {
            return Ok(LineWords::default());
        };
        let beside = self.beside(id);
        let mut assignments = self.reading.assignments(id);
        assignments
            .iter_mut()
            .try_for_each(|one| self.find_tables(one))?;
        let (text, is_code) = match self.stores(id, &beside) {
            Some(stores) => (stores, false),
            // A step that only decides defines no value, so its instruction is shown.
            None if !assignments.is_empty()
                && assignments.iter().all(|one| one.value.is_some()) =>
            {
                let words = self.formulas(&assignments);
                let parts = assignments.iter().map(|one| self.assignment(one, &words));
                (parts.collect::<Vec<_>>().join(", "), false)
            }
            None => (self.disassembly(row)?, true),
        };
        let value = if beside.is_empty() {
            self.value(row)?
        } else {
            self.stored_bytes(&beside)?
        };
        let mut notes = Vec::new();
        notes.extend(
            self.address_note(&assignments)
                .filter(|_| beside.is_empty()),
        );
        notes.extend(self.bytes_note(id, &beside));
        notes.extend(self.copies_note(row));
        notes.extend(self.doubt(row));
        notes.extend(self.ends(&row.ends));
        let wanted_by = self.reading.wanted_by(id).into_iter();
        let wanted_by = wanted_by
            .filter_map(|id| Some(self.reading.row(id)?.slice.step))
            .collect();
        Ok(LineWords {
            step: Some(row.slice.step),
            text,
            is_code,
            value,
            notes,
            wanted_by,
        })
    }

    fn alone(self, id: RowId) -> Result<LineWords, QueryError> {
        let Some(row) = self.reading.row(id) else {
            return Ok(LineWords::default());
        };
        let (text, value) = (self.disassembly(row)?, self.cells(row)?);
        let mut notes: Vec<String> = self.doubt(row).into_iter().collect();
        notes.extend(self.ends(&row.ends));
        let mut wanted_by: Vec<Step> = row
            .slice
            .wanted_by
            .iter()
            .filter_map(|wanted| wanted.step)
            .collect();
        wanted_by.sort_unstable();
        wanted_by.dedup();
        wanted_by.reverse();
        Ok(LineWords {
            step: Some(row.slice.step),
            text,
            is_code: true,
            value,
            notes,
            wanted_by,
        })
    }

    /// Finds the start addresses of the accessed tables: the name of a table is clearer than a
    /// register.
    fn find_tables(&self, assignment: &mut Assignment) -> Result<(), QueryError> {
        let value = assignment.value.as_mut().and_then(loaded_in);
        [assignment.place.as_mut(), value]
            .into_iter()
            .flatten()
            .try_for_each(|loaded| {
                loaded.start = self.start(loaded)?;
                Ok(())
            })
    }

    fn start(&self, loaded: &MemoryLeaf) -> Result<Option<Address>, QueryError> {
        let index = &self.session.index;
        let (Some(scaled), Some(address), Some(row)) =
            (loaded.index, loaded.address, self.reading.row(loaded.by))
        else {
            return Ok(None);
        };
        if index.source().traits().registers == RegisterSource::Operands {
            return Ok(None);
        }
        let views = vec![(String::new(), scaled.view)];
        let question = RegisterViewsAt {
            position: row.slice.step.before(),
            thread: row.slice.thread,
            views,
        };
        let state = question.run(index, self.cancel)?.into_iter().next();
        let extended = |value: u64| match (scaled.is_signed, scaled.view.size_bytes) {
            (true, 4) => ((value << 32).cast_signed() >> 32).cast_unsigned(),
            _ => value,
        };
        let value = state.and_then(|state| state.value.to_u64()).map(extended);
        Ok(value.map(|value| {
            Address(
                address
                    .0
                    .wrapping_sub(value.wrapping_mul(scaled.scale.cast_unsigned())),
            )
        }))
    }

    fn formulas(&self, assignments: &[Assignment]) -> FormulaWords<'_> {
        let values = assignments.iter().filter_map(|one| one.value.as_ref());
        FormulaWords::new(self.session).telling_apart(self.reading, values)
    }

    fn assignment(&self, assignment: &Assignment, words: &FormulaWords<'_>) -> String {
        let cell = match (&assignment.place, assignment.cell) {
            (Some(place), _) => words.memory(place),
            (None, SliceCell::Register { thread, view }) => words.register(thread, view),
            (None, cell) => cell_words(cell, &self.session.index),
        };
        let value = assignment
            .value
            .as_ref()
            .map_or_else(|| "?".to_owned(), |value| words.formula(value));
        format!("{cell} = {value}")
    }

    fn disassembly(self, row: &ReadRow) -> Result<String, QueryError> {
        let stated = step_record(row.slice.step, &self.session.index, self.cancel)?
            .map(|record| record.text);
        let text = stated.unwrap_or_default();
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns the contiguous stores of a line by address; empty if there is only one.
    fn beside(self, id: RowId) -> Vec<RowId> {
        let inside = self
            .reading
            .row(id)
            .map(|row| row.inside.clone())
            .unwrap_or_default();
        let is_store = |id: &RowId| {
            self.reading
                .row(*id)
                .is_some_and(|row| matches!(row.role, SliceRowRole::AdjacentStore(_)))
        };
        let mut stores: Vec<RowId> = inside.into_iter().filter(is_store).collect();
        if !stores.is_empty() {
            stores.push(id);
            stores.sort_by_key(|id| self.reading.row(*id).and_then(ReadRow::stored));
        }
        stores
    }

    /// Formats contiguous stores: `u8[field+0x5..0x7] = {a, b, c}`.
    fn stores(&self, id: RowId, beside: &[RowId]) -> Option<String> {
        let place = |id: &RowId| self.reading.row(*id).and_then(ReadRow::stored);
        let ((first, _), (last, last_len)) = (
            beside.first().and_then(place)?,
            beside.last().and_then(place)?,
        );

        let all: Vec<Assignment> = beside
            .iter()
            .flat_map(|id| self.reading.assignments(*id))
            .collect();
        let words = if all.len() > PARTS {
            FormulaWords::new(self.session)
        } else {
            self.formulas(&all)
        };
        let value = |one: &Assignment| {
            one.value
                .as_ref()
                .map_or_else(|| "?".to_owned(), |value| words.formula(value))
        };
        let values: Vec<String> = all.iter().map(value).collect();
        let is_alike = values.windows(2).all(|pair| pair.first() == pair.last());
        let values = match &values[..] {
            [only, _, ..] if is_alike => say!(
                "slice-stores-alike",
                count = values.len(),
                value = only.as_str()
            ),
            [first, .., last] if values.len() > PARTS => format!("{first}, …, {last}"),
            values => values.join(", "),
        };
        let size = self
            .reading
            .row(id)
            .and_then(ReadRow::stored)
            .map_or(0, |(_, len)| len);
        let one = MemoryLeaf {
            address: Some(first),
            size_bytes: u16::try_from(size).unwrap_or(0),
            ..MemoryLeaf::of(id)
        };
        let end = last.0.saturating_add(last_len.saturating_sub(1));
        let memory = words.memory(&one);
        let memory = memory.trim_end_matches(']');
        let end = last_byte_words(memory, end.saturating_sub(first.0));
        Some(format!("{memory}..{end}] = {{{values}}}"))
    }

    /// Formats the bytes that contiguous stores wrote, in address order.
    fn stored_bytes(self, beside: &[RowId]) -> Result<String, QueryError> {
        let mut bytes: Vec<Option<u8>> = Vec::new();
        for row in beside.iter().filter_map(|id| self.reading.row(*id)) {
            bytes.extend(
                self.defines(row)?
                    .into_iter()
                    .flat_map(|defined| defined.value.0),
            );
        }
        Ok(bytes_text(&bytes))
    }

    /// Returns the values that a row defines, inferred if the trace states none.
    fn defines(self, row: &ReadRow) -> Result<Vec<SliceDefinition>, QueryError> {
        DefinedValues(&row.slice).run(&self.session.index, self.cancel)
    }

    fn value(self, row: &ReadRow) -> Result<String, QueryError> {
        let defines = self.defines(row)?;
        let shown: Vec<String> = match &defines[..] {
            // Several widths of one register: the widest includes the others.
            several if is_one_register(several) => {
                let widest = several.iter().max_by_key(|one| one.value.0.len());
                widest.into_iter().map(|one| self.number(one)).collect()
            }
            several => several.iter().map(|one| self.number(one)).collect(),
        };
        let is_byte = defines.len() == 1 && loads_a_byte(row);
        let letter = match defines.first().and_then(|one| one.value.to_u64()) {
            Some(letter @ 0x21..=0x7e) if is_byte => u8::try_from(letter)
                .map(|letter| format!(" '{}'", char::from(letter)))
                .unwrap_or_default(),
            _ => String::new(),
        };
        Ok(format!("{}{letter}", shown.join(", ")))
    }

    /// Formats a value without leading zeros, as numbers are written. Memory is in address order,
    /// so big-endian bytes are reversed.
    fn number(self, defined: &SliceDefinition) -> String {
        let mut value = defined.value.clone();
        if matches!(defined.cell, SliceCell::Flags { .. }) {
            // Status registers have four bytes or eight.
            let known = value
                .0
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |last| last + 1);
            value.0.truncate(known);
        }
        let is_big = self.session.index.source().traits().endian == Endian::Big;
        if is_big && matches!(defined.cell, SliceCell::Memory { .. }) {
            value.0.reverse();
        }
        hex_or_unknown(&value)
    }

    /// Formats each cell with its value: `w1 = 0x5c7f`.
    fn cells(self, row: &ReadRow) -> Result<String, QueryError> {
        let defines = self.defines(row)?;
        let cells = defines.iter();
        let cells = cells.map(|one| {
            format!(
                "{} = {}",
                cell_words(one.cell, &self.session.index),
                self.number(one)
            )
        });
        Ok(cells.collect::<Vec<_>>().join("  "))
    }

    /// Returns the address of memory that the expression describes in another form.
    fn address_note(&self, assignments: &[Assignment]) -> Option<String> {
        let loaded = assignments
            .iter()
            .find_map(|one| match (&one.place, &one.value) {
                (Some(place), _) => Some(place),
                (None, Some(Formula::Loaded(loaded))) => Some(loaded),
                _ => None,
            })?;
        let address = loaded
            .address
            .filter(|_| loaded.shape != LoadShape::Plain)?;
        Some(say!(
            "slice-at-address",
            place = FormulaWords::new(self.session).place(address)
        ))
    }

    /// Names the bytes of a later load that a store defined, if they are only a part of it.
    fn bytes_note(self, id: RowId, beside: &[RowId]) -> Option<String> {
        let row = self.reading.row(id)?;
        let [taker] = row.consumers[..] else {
            return None;
        };
        let taker = self.reading.row(taker)?;
        let loads = taker.slice.detail.iter().flat_map(|sight| &sight.accesses);
        let load = loads
            .clone()
            .find(|access| access.kind == AccessKind::Read)?;
        let stores = if beside.is_empty() {
            vec![id]
        } else {
            beside.to_vec()
        };
        let places: Vec<_> = stores
            .iter()
            .filter_map(|id| self.reading.row(*id)?.whole_store())
            .collect();
        let first = places
            .iter()
            .map(|(first, _)| first.0)
            .min()?
            .checked_sub(load.address.0)?;
        let end = places
            .iter()
            .map(|(first, len)| first.0.saturating_add(*len))
            .max()?
            .checked_sub(load.address.0)?;
        let is_part = first < end
            && end <= u64::from(load.size_bytes)
            && end - first < u64::from(load.size_bytes);
        is_part.then(|| match end - first {
            1 => say!("slice-byte", first = first.to_string()),
            _ => say!(
                "slice-bytes",
                first = first.to_string(),
                last = (end - 1).to_string()
            ),
        })
    }

    fn copies_note(self, row: &ReadRow) -> Option<String> {
        let is_copy = |id: &&RowId| {
            self.reading
                .row(**id)
                .is_some_and(|row| matches!(row.role, SliceRowRole::Copied(_)))
        };
        let count = row.inside.iter().filter(is_copy).count();
        (count > 0).then(|| say!("slice-copies", count = count))
    }

    fn doubt(self, row: &ReadRow) -> Option<String> {
        let set = self.session.index.instruction_set(row.slice.thread);
        row.slice.doubt.map(|doubt| doubt_words(doubt, set))
    }

    /// Formats the ends of chains, one phrase for each kind of end: `x0, x1: …`.
    fn ends(self, ends: &[usize]) -> Vec<String> {
        let mut phrases: Vec<(String, Vec<String>)> = Vec::new();
        for end in ends.iter().filter_map(|number| self.reading.end(*number)) {
            // Constants are visible in the expression.
            if end.end == stepback_index::answer::SliceEndKind::Constant
                && end.wanted_by.iter().all(|wanted| wanted.step.is_some())
            {
                continue;
            }

            let cell = match end.cell {
                SliceCell::Memory { address, .. } => FormulaWords::new(self.session).place(address),
                _ => ended_words(end, &self.session.index),
            };
            let words = end_words(end, self.direction, &self.session.index);
            match phrases.iter_mut().find(|(known, _)| *known == words) {
                Some((_, cells)) if cells.contains(&cell) => {}
                Some((_, cells)) => cells.push(cell),
                None => phrases.push((words, vec![cell])),
            }
        }
        let phrase = |(words, cells): (String, Vec<String>)| {
            let more = cells.len().saturating_sub(PARTS);
            let shown = cells
                .iter()
                .take(PARTS)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            match more {
                0 => format!("{shown}: {words}"),
                _ => say!(
                    "slice-end-of-more",
                    cells = shown,
                    more = more,
                    words = words
                ),
            }
        };
        phrases.into_iter().map(phrase).collect()
    }
}

impl LineWords {
    /// Lists the steps that need the line: `for 1,761`; empty if only the query needs it.
    pub fn reason(&self) -> String {
        let shown: Vec<String> = self
            .wanted_by
            .iter()
            .take(PARTS)
            .map(|step| thousands(step.0))
            .collect();
        match self.wanted_by.len().saturating_sub(PARTS) {
            _ if shown.is_empty() => String::new(),
            0 => say!("slice-for", steps = shown.join(", ")),
            more => say!("slice-for-more", steps = shown.join(", "), more = more),
        }
    }
}

/// Returns the load of a value that is only a load or a cast of one.
fn loaded_in(value: &mut Formula) -> Option<&mut MemoryLeaf> {
    match value {
        Formula::Loaded(loaded) => Some(loaded),
        Formula::Cast { value, .. } => loaded_in(value),
        _ => None,
    }
}

fn is_one_register(defines: &[SliceDefinition]) -> bool {
    let first = defines.first().and_then(register_of);
    first.is_some() && defines.iter().all(|one| register_of(one) == first)
}

fn register_of(defined: &SliceDefinition) -> Option<stepback_machine::RegisterId> {
    match defined.cell {
        SliceCell::Register { view, .. } => Some(view.register),
        _ => None,
    }
}

fn loads_a_byte(row: &ReadRow) -> bool {
    let accesses = row
        .slice
        .detail
        .as_ref()
        .map(|sight| &sight.accesses[..])
        .unwrap_or_default();
    matches!(accesses, [only] if only.size_bytes == 1 && only.kind == AccessKind::Read)
}

fn hex_or_unknown(value: &Value) -> String {
    short_hex(value).map_or_else(|| "?".to_owned(), |digits| format!("0x{digits}"))
}

/// Formats the last byte of a range that begins with `memory` and whose bytes span a distance: in
/// the form of its first byte, as an offset from the same symbol or as an address.
fn last_byte_words(memory: &str, distance: u64) -> String {
    let first = memory
        .rsplit_once("0x")
        .and_then(|(_, digits)| u64::from_str_radix(digits, 16).ok());
    match first {
        Some(first) => format!("{:#x}", first.wrapping_add(distance)),
        None => format!("+{distance:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(memory: &str, distance: u64, expected: &str) {
        assert_eq!(last_byte_words(memory, distance), expected);
    }

    #[test]
    fn the_end_of_a_range_has_the_form_of_its_beginning() {
        check("u8[heap+0x345", 2, "0x347");
        check("u8[field+0xfe", 3, "0x101");
        check("u8[0x800200fe", 3, "0x80020101");
        check("u8[field", 2, "+0x2");
    }
}
