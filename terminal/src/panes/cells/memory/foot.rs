//! What the bottom line tells of the byte under the cursor.

use std::sync::Arc;

use stepback_index::{Cancel, ValueSource};
use stepback_machine::{Address, Endian, LaneFormat, LaneKind};
use stepback_parsers::Position;

use crate::pane::Cx;
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::{ByteDetail, byte_detail};
use stepback_debugger::model::memory::{ByteCell, MemoryPage, MemoryRow, aligned};
use stepback_debugger::model::memory_text::number_text;
use stepback_debugger::model::so_far::source_so_far;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::value_source::SourceWords;
use stepback_debugger::model::{Meaning, Span};
use stepback_debugger::worker::Slot;

/// The byte under the cursor.
#[derive(Debug, Default)]
pub struct Foot {
    answer: Slot<(Address, Position), ByteDetail>,
}

/// Which byte is told of, and of how many its number is made.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    pub address: Address,
    pub group: u8,
    pub endian: Endian,
    pub page: Option<&'a MemoryPage>,
}

impl Foot {
    /// Asks about a byte.
    pub fn ask(&mut self, address: Address, position: Position, cx: &Cx<'_>) {
        self.answer.poll(&(address, position), cx.worker(), |(address, position)| {
            let (address, position, session) = (*address, *position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| byte_detail(&session, address, position, cancel)
        });
    }

    /// Forgets what it knows of another trace.
    pub fn forget(&mut self) {
        self.answer.clear();
    }

    /// Address, symbol, value, what it is compared with, and who wrote it.
    pub fn spans(&self, told: Told<'_>, cx: &Cx<'_>) -> Vec<Span> {
        let mut spans = vec![Span::new(Meaning::Plain, format!("{:08x}", told.address.0))];
        let mut add = |meaning, text: &str| spans.push(Span::new(meaning, format!(" {text}")));
        let detail = self.answer.peek().map(|(_, detail)| detail).filter(|detail| detail.address == told.address);
        if let Some(symbol) = detail.and_then(|detail| detail.symbol.as_deref()) {
            add(Meaning::Symbol, symbol);
        }
        if let Some(cell) = cell_at(told) {
            add(Meaning::Number, &value_words(told, cell));
            if let Some(other) = cell.other.filter(|other| other.value != cell.value) {
                let other = other.value.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"));
                add(Meaning::Label, &say!("terminal-there", value = other));
            }
        }
        if let Some(detail) = detail {
            detail_words(detail, cx).iter().for_each(|words| add(Meaning::Label, words));
        }
        spans
    }
}

/// `67 = 103 'g'`, or the number of a group.
fn value_words(told: Told<'_>, cell: &ByteCell) -> String {
    let Some(byte) = cell.value else { return cell.hex() };
    let letter = if cell.character() == '.' { String::new() } else { format!(" '{}'", cell.character()) };
    let number = group_of(told).filter(|group| group.len() > 1).map(|group| {
        let format = LaneFormat::new(LaneKind::Unsigned, told.group);
        format!(" (:{} {})", told.group, number_text(&group, format, told.endian))
    });
    format!("{byte:02x} = {byte}{letter}{}", number.unwrap_or_default())
}

fn cell_at(told: Told<'_>) -> Option<&ByteCell> {
    told.page?.rows.iter().find_map(|row| match row {
        MemoryRow::Bytes { address, cells, .. } => {
            cells.get(usize::try_from(told.address.0.checked_sub(address.0)?).ok()?)
        }
        MemoryRow::Gap { .. } => None,
    })
}

/// The aligned bytes around the cursor that read as a number.
fn group_of(told: Told<'_>) -> Option<Vec<ByteCell>> {
    let first = aligned(told.address, told.group.into());
    let cells = (0..u64::from(told.group)).map(|place| {
        let address = Address(first.0.checked_add(place)?);
        cell_at(Told { address, ..told }).copied()
    });
    cells.collect()
}

/// Where its value comes from and who wrote it, from the most telling on.
fn detail_words(detail: &ByteDetail, cx: &Cx<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let source = detail.state.source;
    if source != ValueSource::Recorded && detail.accesses.is_none() {
        words.push(source_so_far(&cx.desk.session, source, SourceWords::of(source).phrase));
    }
    words.push(match (detail.written_by, &detail.writer) {
        (Some(step), Some(function)) => {
            say!("memory-written-by-step-in", step = step.0, function = function.as_str())
        }
        (Some(step), None) => say!("memory-written-by-step", step = step.0),
        (None, _) => say!("memory-never-written-before").to_owned(),
    });
    if let (Some(before), Some(_)) = (detail.before, detail.written_by) {
        words.push(format!("{} {before:02x}", say!("memory-before")));
    }
    if let Some(accesses) = &detail.accesses {
        let read = accesses.last_read.map(|step| format!("{}{}", say!("memory-last-read-step"), thousands(step.0)));
        words.extend(read.into_iter().chain(accesses.doubt.clone()));
    }
    words.extend(detail.physical.clone());
    words
}
