//! Text of the bottom line about the byte under the cursor.

use stepback_index::ValueSource;
use stepback_machine::{Address, LaneFormat, LaneKind};

use crate::pane::PaneContext;
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::ByteDetail;
use stepback_debugger::model::memory::{ByteCell, aligned};
use stepback_debugger::model::memory_text::{byte_digits, number_text};
use stepback_debugger::model::so_far::source_so_far;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::value_source::SourceWords;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::MemoryView;

/// Returns address, symbol, value, compared value and writer of a byte.
pub fn spans(view: &MemoryView, address: Address, cx: &PaneContext<'_>) -> Vec<TextSpan> {
    let mut spans = vec![TextSpan::new(TextRole::Plain, format!("{:08x}", address.0))];
    let mut add = |meaning, text: &str| spans.push(TextSpan::new(meaning, format!(" {text}")));
    let detail = view.byte(address);
    if let Some(symbol) = detail.and_then(|detail| detail.symbol.as_deref()) {
        add(TextRole::Symbol, symbol);
    }
    if let Some(cell) = view.cell(address) {
        add(TextRole::Number, &value_words(view, address, cell, cx));
        if let Some(other) = cell.other.filter(|other| other.value != cell.value) {
            add(
                TextRole::Label,
                &say!("terminal-there", value = byte_digits(other.value)),
            );
        }
    }
    if let Some(detail) = detail {
        detail_words(detail, cx)
            .iter()
            .for_each(|words| add(TextRole::Label, words));
    }
    spans
}

/// Returns the value as `67 = 103 'g'`, or the number of the group.
fn value_words(
    view: &MemoryView,
    address: Address,
    cell: &ByteCell,
    cx: &PaneContext<'_>,
) -> String {
    let Some(byte) = cell.value else {
        return cell.hex();
    };
    let letter = if cell.character() == '.' {
        String::new()
    } else {
        format!(" '{}'", cell.character())
    };
    let group = view.group();
    let number = group_of(view, address)
        .filter(|cells| cells.len() > 1)
        .map(|cells| {
            let format = LaneFormat::new(LaneKind::Unsigned, group);
            format!(
                " (:{group} {})",
                number_text(&cells, format, view.endian(cx.desk))
            )
        });
    format!("{byte:02x} = {byte}{letter}{}", number.unwrap_or_default())
}

/// Returns the aligned bytes around the cursor that form a number.
fn group_of(view: &MemoryView, address: Address) -> Option<Vec<ByteCell>> {
    let len_bytes = u64::from(view.group());
    let first = aligned(address, len_bytes);
    (0..len_bytes)
        .map(|place| view.cell(Address(first.0.checked_add(place)?)).copied())
        .collect()
}

/// Returns the origin of the value and its writer, the most important fact first.
fn detail_words(detail: &ByteDetail, cx: &PaneContext<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let source = detail.state.source;
    if source != ValueSource::Recorded && detail.accesses.is_none() {
        words.push(source_so_far(
            &cx.desk.session,
            source,
            SourceWords::of(source).phrase,
        ));
    }
    words.push(match (detail.written_by, &detail.writer) {
        (Some(step), Some(function)) => {
            say!(
                "memory-written-by-step-in",
                step = step.0,
                function = function.as_str()
            )
        }
        (Some(step), None) => say!("memory-written-by-step", step = step.0),
        (None, _) => say!("memory-never-written-before").to_owned(),
    });
    if let (Some(before), Some(_)) = (detail.before, detail.written_by) {
        words.push(format!("{} {before:02x}", say!("memory-before")));
    }
    if let Some(accesses) = &detail.accesses {
        let read = accesses
            .last_read
            .map(|step| format!("{}{}", say!("memory-last-read-step"), thousands(step.0)));
        words.extend(read.into_iter().chain(accesses.doubt.clone()));
    }
    words.extend(detail.physical.clone());
    words
}
