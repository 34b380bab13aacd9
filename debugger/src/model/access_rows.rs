//! Formats accesses and executions as table rows.

use anyhow::Result;
use stepback_index::answer::{Access, AccessTarget, Cell, Effect, Hit, StepRecord, ValueSource};
use stepback_index::query::RegisterViewsAt;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{AccessKind, Address, RegisterView, Registers, decode};
use stepback_parsers::Position;

use super::TextRole;
use super::effects::{EffectText, effect_words};
use super::names::{function_name, place_name};
use super::table::{TableCell, TableRow, thread_name};
use super::text::short_hex;
use crate::analysis::tracked::{CellValue, VALUE_BYTES, cell_value};
use crate::messages::say;
use crate::model::moves::frame_of_step;
use crate::model::span::step_code;
use crate::session::Session;

/// Columns of the accesses of a cell.
pub const CELL_HEADS: [&str; 10] = [
    "head-step",
    "head-thread",
    "",
    "head-before",
    "head-value",
    "head-bytes",
    "head-address",
    "head-code",
    "head-caller",
    "head-instruction",
];
/// Columns of the executions of code.
pub const CODE_HEADS: [&str; 7] = [
    "head-step",
    "head-thread",
    "head-operands",
    "head-effects",
    "head-code",
    "head-caller",
    "head-instruction",
];

/// Maximum length in characters of operand and effect texts; longer ones are cut.
const LONGEST: usize = 200;

/// Formats hits as rows.
pub struct AccessRowBuilder<'a> {
    pub session: &'a Session,
    /// Cell whose accesses are listed; none for executions.
    pub cell: Option<Cell>,
    pub cancel: &'a Cancel,
}

impl AccessRowBuilder<'_> {
    /// Formats a hit as a row. Cost: the values of the cell before and after it, or of the
    /// operands.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn row(&self, hit: &Hit) -> Result<TableRow> {
        match hit.access.as_ref().zip(self.cell) {
            Some((access, cell)) => self.access_row(hit, access, cell),
            None => self.execution_row(hit),
        }
    }

    fn access_row(&self, hit: &Hit, access: &Access, cell: Cell) -> Result<TableRow> {
        let (meaning, word) = match access.kind {
            AccessKind::Read => (TextRole::Read, say!("accesses-read")),
            AccessKind::Write => (TextRole::Write, say!("accesses-write")),
        };
        let (address, size_bytes) = match access.target {
            AccessTarget::Memory {
                address,
                size_bytes,
            } => (Some(address), size_bytes),
            AccessTarget::Register(_) => (None, 0),
        };
        let valued = valued_cell(cell, address, size_bytes);
        let at = |position| cell_value(&self.session.index, valued, position, self.cancel);
        let (before, value) = match access.kind {
            AccessKind::Write => {
                let before = at(Position(hit.position.0.saturating_sub(1)))?;
                (value_cell(&before), at(hit.position)?)
            }
            AccessKind::Read => match stated(access, valued) {
                Some(read) => (TableCell::default(), read),
                // An external value is not the value that the cell held before.
                None if access.is_external => (TableCell::default(), at(hit.position)?),
                // The step may also write the cell. It read the value from before that write.
                None => (TableCell::default(), at(hit.record.step.before())?),
            },
        };
        let bytes = if address.is_some() {
            TableCell::number(size_bytes)
        } else {
            TableCell::default()
        };
        let place = address
            .map(|address| format!("{:08x}", address.0))
            .unwrap_or_default();
        let mut cells = self.first_cells(&hit.record);
        cells.extend([
            TableCell::new(meaning, word),
            before,
            value_cell(&value),
            bytes,
            TableCell::new(TextRole::Plain, place),
        ]);
        cells.extend(self.last_cells(&hit.record));
        let name = say!("accesses-at-step", access = word, step = hit.record.step.0);
        Ok(TableRow {
            name,
            cells,
            position: Some(hit.position),
            address,
            ..TableRow::default()
        })
    }

    fn execution_row(&self, hit: &Hit) -> Result<TableRow> {
        let mut cells = self.first_cells(&hit.record);
        cells.push(self.operands(&hit.record)?);
        cells.push(TableCell::new(
            TextRole::Second,
            cut(effect_words(self.session, &hit.record)),
        ));
        cells.extend(self.last_cells(&hit.record));
        let name = say!("accesses-execution-at-step", step = hit.record.step.0);
        let is_faded = !hit.record.is_executed;
        Ok(TableRow {
            name,
            cells,
            position: Some(hit.position),
            is_faded,
            ..TableRow::default()
        })
    }

    fn first_cells(&self, record: &StepRecord) -> Vec<TableCell> {
        vec![
            TableCell::Step(record.step),
            TableCell::new(TextRole::Second, thread_name(self.session, record.thread)),
        ]
    }

    fn last_cells(&self, record: &StepRecord) -> [TableCell; 3] {
        let images = &self.session.images;
        let code = match place_name(images, record.pc) {
            Some(name) => TableCell::new(TextRole::Symbol, name),
            None => TableCell::new(TextRole::Second, format!("{:08x}", record.pc.0)),
        };
        let caller = TableCell::new(TextRole::Second, self.caller(record).unwrap_or_default());
        [
            code,
            caller,
            TableCell::new(TextRole::Plain, step_code(record, images).full_text()),
        ]
    }

    /// Returns the name of the function that called the one around the step; none for the
    /// outermost. O(log n + depth).
    fn caller(&self, record: &StepRecord) -> Option<String> {
        let calls = self.session.index.calls();
        let frame = calls.get(frame_of_step(calls, record.thread, record.step)?)?;
        let parent = calls.get(frame.parent?)?;
        Some(function_name(&self.session.images, parent.function))
    }

    /// Formats the values of the registers that an instruction reads: `x1=5a7d nzcv=nzCv`. All of
    /// them are drawn as inferred if any of them is.
    fn operands(&self, record: &StepRecord) -> Result<TableCell> {
        let Some(encoding) = record.encoding else {
            return Ok(TableCell::default());
        };
        let set = record.instruction_set;
        let instruction = decode(encoding, record.pc, set);
        let Some(used) = instruction.registers.as_ref() else {
            return Ok(TableCell::default());
        };
        let shown = Registers::shown(set);
        // A register part without a name is shown as the whole register.
        let whole = |part: &RegisterView| {
            shown
                .iter()
                .find(|(_, view)| view.register == part.register)
                .cloned()
        };
        let named = |view: &RegisterView| {
            let name = Registers::name(*view, set).map(|name| (name.to_owned(), *view));
            name.or_else(|| whole(view))
        };
        let views: Vec<(String, RegisterView)> = used.reads.iter().filter_map(named).collect();
        let (position, thread) = (record.step.before(), record.thread);
        let states = RegisterViewsAt {
            position,
            thread,
            views,
        }
        .run(&self.session.index, self.cancel)?;
        let is_inferred = states
            .iter()
            .any(|state| state.source == ValueSource::Inferred);
        let meaning = if is_inferred {
            TextRole::Inferred
        } else {
            TextRole::Plain
        };
        let words = states.into_iter().filter_map(|state| {
            let effect = Effect::Register {
                name: state.name,
                view: state.view,
                value: state.value,
            };
            let text = EffectText::of(&effect, set)?;
            Some(format!(
                "{}={}",
                text.label.text,
                text.value.unwrap_or_default()
            ))
        });
        Ok(TableCell::new(
            meaning,
            cut(words.collect::<Vec<_>>().join(" ")),
        ))
    }
}

/// Returns the cell whose value a row shows: the whole cell if it is short, otherwise the accessed
/// bytes.
fn valued_cell(cell: Cell, address: Option<Address>, size_bytes: u64) -> Cell {
    match (cell, address) {
        (Cell::Memory { len_bytes, .. }, Some(address)) if len_bytes > WHOLE_BYTES => {
            Cell::Memory {
                address,
                len_bytes: size_bytes.min(VALUE_BYTES),
            }
        }
        _ => cell,
    }
}

/// Returns the value that an access states, if it covers the whole cell and every byte is known.
fn stated(access: &Access, cell: Cell) -> Option<CellValue> {
    let is_whole = match (cell, &access.target) {
        (Cell::Memory { address, .. }, AccessTarget::Memory { address: read, .. }) => {
            address == *read
        }
        (Cell::Register { .. }, AccessTarget::Register(_)) => true,
        _ => false,
    };
    let len_bytes = match cell {
        Cell::Register { view, .. } => u64::from(view.size_bytes),
        Cell::Memory { len_bytes, .. } | Cell::Physical { len_bytes, .. } => len_bytes,
    };
    let value = &access.value;
    let is_known = value.0.len() as u64 == len_bytes && value.0.iter().all(Option::is_some);
    let source = match (access.is_external, access.is_inferred) {
        (true, _) => ValueSource::External,
        (false, true) => ValueSource::Inferred,
        (false, false) => ValueSource::Recorded,
    };
    (is_whole && is_known).then(|| CellValue {
        value: value.clone(),
        source,
        ..CellValue::default()
    })
}

/// Maximum size in bytes of a cell that is shown as one number.
const WHOLE_BYTES: u64 = 8;

fn value_cell(found: &CellValue) -> TableCell {
    let meaning = match found.source {
        ValueSource::Inferred => TextRole::Inferred,
        ValueSource::External => TextRole::External,
        ValueSource::Recorded | ValueSource::Unknown => TextRole::Plain,
    };
    match short_hex(&found.value) {
        Some(text) => TableCell::new(meaning, text),
        None => TableCell::new(TextRole::Label, say!("accesses-unknown")),
    }
}

fn cut(text: String) -> String {
    if text.chars().count() > LONGEST {
        text.chars().take(LONGEST).collect()
    } else {
        text
    }
}
