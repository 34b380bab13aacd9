//! Formats the rows that the slice walk returns.

use anyhow::Result;
use stepback_index::answer::{
    Edge, SliceCell, SliceDefinition, SliceEnd, SliceRow, SliceStep, SliceUse, ThreadId,
};
use stepback_index::query::{DefinedValues, Steps};
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Endian, InstructionSet, RegisterView, Registers};
use stepback_parsers::Step;

use super::words::{cell_words, flag_letters};
use crate::action::{CellName, Direction};
use crate::messages::say;
use crate::model::names::place_name;
use crate::model::slice::whole::{DefinedCell, SliceListRow};
use crate::model::slice::words::{end_words, ended_words, is_of_control};
use crate::model::so_far::doubt_words;
use crate::model::span::step_code;
use crate::model::table::thread_name;
use crate::model::text::{flag_letter, short_hex};
use crate::model::{TextRole, TextSpan};
use crate::session::Session;

/// Maximum number of steps named as reasons.
const NAMED: usize = 2;

/// Formats rows of a slice.
pub struct SliceRowBuilder<'a> {
    pub session: &'a Session,
    /// Direction of the slice.
    pub direction: Direction,
    pub cancel: &'a Cancel,
}

impl SliceRowBuilder<'_> {
    /// Formats a row. Cost: the text of its step.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn row(&self, row: &SliceRow) -> Result<SliceListRow> {
        match row {
            SliceRow::Step(step) => self.step(step),
            SliceRow::End(end) => Ok(self.end(end)),
        }
    }

    fn step(&self, row: &SliceStep) -> Result<SliceListRow> {
        let defines = DefinedValues(row).run(&self.session.index, self.cancel)?;
        let gives: Vec<DefinedCell> = defines.iter().map(|defined| self.given(defined)).collect();
        let reason = self.reason(&row.wanted_by, &gives);
        let records = Steps {
            first: row.step,
            count: 1,
        }
        .run(&self.session.index, self.cancel)?;
        let set = self.session.index.instruction_set(row.thread);
        let mut shown = SliceListRow {
            step: Some(row.step),
            thread: self.thread(row.thread),
            gives,
            reason,
            doubt: row.doubt.map(|doubt| doubt_words(doubt, set)),
            wanted_by: wanters(&row.wanted_by),
            ..SliceListRow::default()
        };
        if let Some(record) = records.first() {
            let images = &self.session.images;
            let code = step_code(record, images);
            shown.address = Some(record.pc);
            if let Some(found) = images.symbol_at(record.pc) {
                shown.function = found.name.to_owned();
                shown.offset = Some(format!("+{:#x}", found.offset));
            }
            shown.place =
                place_name(images, record.pc).unwrap_or_else(|| format!("{:08x}", record.pc.0));
            let gap = " ".repeat(
                7usize
                    .saturating_sub(code.mnemonic.text.chars().count())
                    .max(1),
            );
            let gap = (!code.operands.is_empty()).then(|| TextSpan::new(TextRole::Plain, gap));
            shown.code = std::iter::once(code.mnemonic)
                .chain(gap)
                .chain(code.operands)
                .collect();
        }
        Ok(shown)
    }

    fn end(&self, row: &SliceEnd) -> SliceListRow {
        let index = &self.session.index;
        let label = if is_of_control(row) {
            ended_words(row, index)
        } else {
            self.label(row.cell)
        };
        let gives = vec![DefinedCell {
            label,
            value: None,
            cell: self.cell_name(row.cell),
        }];
        let reason = self.reason(&row.wanted_by, &gives);
        let (end, wanted_by) = (
            Some(end_words(row, self.direction, index)),
            wanters(&row.wanted_by),
        );
        SliceListRow {
            gives,
            reason,
            end,
            wanted_by,
            ..SliceListRow::default()
        }
    }

    fn thread(&self, thread: ThreadId) -> String {
        let is_only = self.session.index.threads().len() < 2;
        if is_only {
            String::new()
        } else {
            thread_name(self.session, thread)
        }
    }

    fn given(&self, defined: &SliceDefinition) -> DefinedCell {
        let (label, cell) = (self.label(defined.cell), self.cell_name(defined.cell));
        DefinedCell {
            label,
            value: self.value(defined),
            cell,
        }
    }

    /// Formats a cell as the step lists show it.
    fn label(&self, cell: SliceCell) -> String {
        match cell {
            SliceCell::Memory {
                address,
                len_bytes: 1,
            } => format!("[{:x}]", address.0),
            SliceCell::Memory { address, len_bytes } => format!("[{:x}:{len_bytes}]", address.0),
            SliceCell::Flags { thread, bits } => {
                let letters = flag_letters(bits, self.session.index.instruction_set(thread));
                if letters.is_empty() {
                    cell_words(cell, &self.session.index)
                } else {
                    letters
                }
            }
            SliceCell::Register { .. } => cell_words(cell, &self.session.index),
        }
    }

    /// Names a cell for queries, with its thread if there are several.
    fn cell_name(&self, cell: SliceCell) -> CellName {
        match cell {
            SliceCell::Memory { address, len_bytes } => {
                CellName::Memory(address.to_string(), len_bytes)
            }
            SliceCell::Register { thread, .. } | SliceCell::Flags { thread, .. } => {
                let set = self.session.index.instruction_set(thread);
                let named = match cell {
                    SliceCell::Register { view, .. } => name_around(view, set),
                    _ => None,
                };
                let name =
                    named.map_or_else(|| cell_words(cell, &self.session.index), str::to_owned);
                match self.thread(thread) {
                    whose if whose.is_empty() => CellName::Register(name),
                    whose => CellName::Register(format!("{name} of {whose}")),
                }
            }
        }
    }

    fn value(&self, defined: &SliceDefinition) -> Option<String> {
        if let SliceCell::Flags { thread, bits } = defined.cell {
            let status = self
                .session
                .index
                .instruction_set(thread)
                .status(&defined.value.0);
            let wanted = flag_letters(bits, self.session.index.instruction_set(thread));
            let known = status
                .flags
                .iter()
                .filter(|flag| wanted.contains(flag.letter));
            let text: String = known
                .map(|flag| flag_letter(flag.letter, flag.is_set))
                .collect();
            return (!text.is_empty()).then_some(text);
        }
        let mut value = defined.value.clone();
        let is_memory = matches!(defined.cell, SliceCell::Memory { .. });
        if is_memory && self.session.index.source().traits().endian == Endian::Big {
            value.0.reverse();
        }
        short_hex(&value)
    }
}

/// Returns the name of a register part, or of the smallest named part that contains it.
fn name_around(view: RegisterView, set: InstructionSet) -> Option<&'static str> {
    let (offset, end) = (view.offset, view.offset.checked_add(view.size_bytes)?);
    let around = [view.size_bytes, 2, 4, 8, 16, 32, 64]
        .into_iter()
        .filter_map(|size_bytes| {
            let first = offset.checked_sub(offset.checked_rem(size_bytes)?)?;
            let reaches = first
                .checked_add(size_bytes)
                .is_some_and(|last| last >= end);
            reaches.then(|| RegisterView::new(view.register, first, size_bytes))
        });
    around
        .into_iter()
        .find_map(|view| Registers::name(view, set))
}

/// Returns the steps that need a row.
fn wanters(wanted_by: &[SliceUse]) -> Vec<Option<Step>> {
    let mut steps: Vec<Option<Step>> = wanted_by.iter().map(|wanted| wanted.step).collect();
    steps.dedup();
    steps
}

/// Edge to a step that needs a row (or, forward, provides its input) with the cells that it
/// concerns.
struct ReasonLink<'a> {
    wanted: &'a SliceUse,
    cells: &'a str,
    is_memory: bool,
}

impl ReasonLink<'_> {
    /// Formats a backward edge: `1,761 loads it`.
    fn for_words(&self) -> String {
        let Some(Step(step)) = self.wanted.step else {
            return say!("slice-why-asked").to_owned();
        };
        let cells = self.cells;
        match self.wanted.edge {
            Edge::Copy if self.is_memory => say!("slice-why-loads", step = step, cells = cells),
            Edge::Copy => say!("slice-why-copies", step = step, cells = cells),
            Edge::Data => say!("slice-why-reads", step = step, cells = cells),
            Edge::Address => say!("slice-why-address", step = step, cells = cells),
            Edge::Flags => say!("slice-why-flags", step = step, cells = cells),
            Edge::Control => say!("slice-why-control", step = step),
        }
    }

    /// Formats a forward edge: `copies what 1,382 gave`.
    fn words_of_source(&self) -> String {
        let Some(Step(step)) = self.wanted.step else {
            return say!("slice-from-asked").to_owned();
        };
        match self.wanted.edge {
            Edge::Copy => say!("slice-from-copies", step = step),
            Edge::Data => say!("slice-from-reads", step = step),
            Edge::Address => say!("slice-from-address", step = step),
            Edge::Flags => say!("slice-from-flags", step = step),
            Edge::Control => say!("slice-from-control", step = step),
        }
    }
}

impl SliceRowBuilder<'_> {
    /// Explains why a row belongs to the slice: the newest steps that need it, and their use of it.
    fn reason(&self, wanted_by: &[SliceUse], gives: &[DefinedCell]) -> String {
        // If a row defines one cell, that cell is visible next to the reason.
        let cells = match gives {
            [_] => say!("slice-it").to_owned(),
            several => several
                .iter()
                .map(|given| given.label.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        };
        let is_memory = gives
            .first()
            .is_some_and(|given| matches!(given.cell, CellName::Memory(..)));
        let links = wanted_by.iter().rev().take(NAMED).map(|wanted| ReasonLink {
            wanted,
            cells: &cells,
            is_memory,
        });
        let words = |link: ReasonLink<'_>| match self.direction {
            Direction::Back => link.for_words(),
            Direction::Forward => link.words_of_source(),
        };
        let named: Vec<String> = links.map(words).collect();
        match wanted_by.len().saturating_sub(NAMED) {
            0 => named.join(" · "),
            more => say!("slice-why-more", words = named.join(" · "), count = more),
        }
    }
}
